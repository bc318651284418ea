"""The constraint store of one definition: bindings of dimensions, norms and type variables (unification), side
conditions that are decided at the end, and deferred operations."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.constraints import Constraint, Origin
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import Answer, EffectVariable, Var
from dp_lsp.core.scheme import Open
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import (
    NOTHING,
    AnyNorm,
    Base,
    Clip,
    Container,
    Dataset,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    widest,
    without_static,
)
from dp_lsp.core.values import replace
from dp_lsp.infer.effects import NONE, Effects
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span


class Pending(NamedTuple):
    """A side condition to be decided at the end; ``failed`` makes the problem to report if it is false."""

    constraint: Constraint
    failed: Callable[[Constraint], Problem] | None = None


class ConditionMark(NamedTuple):
    """A position in the store: how many side conditions and equations there were."""

    pending: int = 0
    equations: int = 0


class SettledOperation(NamedTuple):
    """The solution of a deferred operation, or the one in the caller that stands for it. ``effects`` are those of
    method selection."""

    result: Type
    factors: tuple[Sens, ...]
    spends: Answer | EffectVariable | None = None
    failing: bool | None = None
    effects: Effects = NONE


class Mismatch(Exception):
    """Two types do not unify; the text says in what they differ."""


class Solver:
    """Bindings of dimensions, norm variables and type variables, and what is still to be decided. Only what belongs to
    the function being inferred is ever bound; equations between anything else become conditions in ``equations``.

    - ``pending`` are conditions that must hold, ``place`` is where what is unified stands.
    - ``opens`` are the operations that wait for types, in order (deferred constraints), ``waiting`` all that ever
      waited, by what they do; ``settled`` are calls of functions that waited no more, by what is called with what.
    - ``chosen`` are the sizes of parameters, which who calls a function chooses. Unless ``sizes_fit``, none is taken to
      be another one, or a number: that is a condition.
    - ``whole`` are the variables of which something is said that holds for a whole step only, and ``uneven`` those of
      which it holds for a whole number of steps only.
    """

    def __init__(self, sizes_fit: bool = True) -> None:
        self._sizes_fit = sizes_fit
        self.equations: list[Constraint] = []
        self.chosen: set[Symbol] = set()
        self.pending: list[Pending] = []
        self.place = Span(0, 0)
        self.opens: list[Open] = []
        self.waiting: dict[Hashable, Open] = {}
        self.settled: dict[Hashable, SettledOperation] = {}
        self.whole: set[Var] = set()
        self.uneven: set[Var] = set()
        self._symbols: dict[Symbol, Poly] = {}
        self._sizes = Substitution(self._symbols)
        self._norms: dict[NormVariable, AnyNorm] = {}
        self._factors: dict[Symbol, Sens] = {}
        self._types: dict[TypeVariable, Type] = {}

    def demand(self, condition: Constraint, failed: Callable[[Constraint], Problem] | None) -> None:
        """Add a side condition, without which the claims do not hold."""
        self.pending.append(Pending(condition, failed))

    def mark(self) -> ConditionMark:
        """The current position, for :meth:`take`."""
        return ConditionMark(len(self.pending), len(self.equations))

    def take(self, since: ConditionMark) -> list[Pending]:
        """Remove and return the side conditions since a mark, those from equations last."""
        found = [*self.pending[since.pending :], *map(Pending, self.equations[since.equations :])]
        del self.pending[since.pending :], self.equations[since.equations :]
        return found

    def defer(self, key: Hashable, operation: Open) -> None:
        """Defer an operation; of several with an equal ``key`` there is one."""
        self.waiting[key] = operation
        self.opens.append(operation)

    def substitution(self) -> Substitution:
        """Everything bound so far, as a substitution."""
        return Substitution({**self._symbols, **self._factors}, dict(self._norms))

    def poly(self, value: Poly) -> Poly:
        """A size under the current substitution."""
        return self._sizes.poly(value)

    def norm(self, value: AnyNorm) -> AnyNorm:
        """A norm under the current substitution; a variable while it is open."""
        while isinstance(value, NormVariable) and value in self._norms:
            value = self._norms[value]
        return value

    def type(self, type_: Type) -> Type:
        """A type under the current substitution."""
        match type_:
            case TypeVariable():
                bound = self._types.get(type_)
                return type_ if bound is None else self.type(bound)
            case NumberType(static=None, bounds=None):
                return type_
            case NumberType() if self._sizes.idle:
                return type_
            case NumberType(base, static, bounds, stored):
                put = None if static is None else self.poly(static)
                return NumberType(base, put, None if bounds is None else bounds.put(self.poly), stored)
            case Container():
                return self.container(type_)
            case Dataset():
                return type_.put(self.container(type_.records), self.poly)
            case ModelType(size):
                return ModelType(self.poly(size))
            case TupleType(items):
                return type_.put(self.type(item) for item in items)
        return type_

    def container(self, box: Container) -> Container:
        """A container type under the current substitution."""
        norm, length, element = self.norm(box.norm), self.poly(box.length), self.type(box.element)
        rows = None if box.rows is None else self.poly(box.rows)
        if norm is box.norm and length is box.length and rows is box.rows and element is box.element:
            return box
        return replace(box, norm=norm, length=length, rows=rows, element=element)

    def bind_factor(self, symbol: Symbol, factor: Sens) -> None:
        """Bind the symbol of a sensitivity that was open."""
        self._factors[symbol] = factor

    def bind_type(self, variable: TypeVariable, type_: Type) -> None:
        """Bind a type variable; binding it to itself is a no-op."""
        type_ = self.type(type_)
        if type_ != variable:
            self._types[variable] = type_

    def same_norm(self, left: AnyNorm, right: AnyNorm) -> bool:
        """Unify two norms; False if they are different."""
        left, right = self.norm(left), self.norm(right)
        if left is right:
            return True
        if isinstance(right, NormVariable) and (right.free or not isinstance(left, NormVariable) or not left.free):
            self._norms[right] = left
            return True
        if isinstance(left, NormVariable):
            self._norms[left] = right
            return True
        return False

    def fix_norm(self, norm: NormVariable) -> None:
        """Make a free norm rigid, as a sensitivity depends on it: it is one norm, to be chosen by
        :func:`~dp_lsp.infer.generalize.default_norms`."""
        if norm.free and norm not in self._norms:
            self._norms[norm] = NormVariable(norm.name)

    def same_dimension(self, left: Poly, right: Poly) -> bool:
        """Unify two sizes; False if they certainly differ. What stays open becomes an equation among the side
        conditions."""
        left, right = self.poly(left), self.poly(right)
        if left == right:
            return True
        newest = sorted(((right, left), (left, right)), key=lambda pair: -pair[0].symbol.uid if pair[0].symbol else 0)
        for one, other in newest:  # so that the sizes of parameters keep their names
            symbol = one.symbol
            if symbol is not None and symbol.sign is Sign.NONNEGATIVE and self._may_bind(symbol, other):
                put = Substitution({symbol: other})
                self._symbols = {known: put.poly(value) for known, value in self._symbols.items()} | {symbol: other}
                self._sizes = Substitution(self._symbols)
                return True
        if (left - right).number is not None:
            return False
        self.equations.append(Constraint(left, "==", right, Origin(self.place, "these sizes must be the same")))
        return True

    def same_size(self, left: Poly, right: Poly) -> bool:
        """Require that two sizes are equal, of values of which a value may be either. No run fails where they differ,
        so it is a side condition wherever the caller chooses both."""
        left, right = self.poly(left), self.poly(right)
        chosen = {*symbols_of(left), *symbols_of(right)} & self.chosen
        free = any(one.symbol is not None and one.symbol not in self.chosen for one in (left, right))
        if left == right or not chosen or free or (left - right).number is not None:
            return self.same_dimension(left, right)
        self.equations.append(Constraint(left, "==", right, Origin(self.place, "these sizes must be the same")))
        return True

    def _may_bind(self, symbol: Symbol, value: Poly) -> bool:
        """A size may be given another size or a number ≥ 0; one that is a parameter's value, or computed, stays a
        condition."""
        return (
            symbol.computed is None
            and (self._sizes_fit or symbol not in self.chosen)
            and value.evidently_nonnegative
            and all(
                isinstance(atom, Symbol) and atom is not symbol and atom.integer
                for monomial in value.terms
                for atom, _ in monomial
            )
        )

    def join(self, left: Type, right: Type) -> Type:
        """The least upper bound of two types, whose shapes are unified. Raises :class:`Mismatch`."""
        left, right = self.type(left), self.type(right)
        if left == right:
            return left
        match left, right:
            case (Unknown(), _) | (_, Unknown()):
                return Unknown()
            case (TypeVariable(), _):
                return self._bound(left, right)
            case (_, TypeVariable()):
                return self._bound(right, left)
            case NumberType(), NumberType():
                return _joined_numbers(left, right)
            case Container(), Container():
                return self._joined_containers(left, right)
            case Dataset(), Dataset() if left.metric is right.metric:
                return self._joined_datasets(left, right)
            case ModelType(), ModelType():
                if self.same_dimension(left.size, right.size):
                    return self.type(left)
                raise Mismatch("models of different sizes")
            case TupleType(), TupleType() if len(left.items) == len(right.items) and left.label == right.label:
                return left.put(self.join(a, b) for a, b in zip(left.items, right.items, strict=True))
        raise Mismatch("values of different kinds")

    def _bound(self, variable: TypeVariable, type_: Type) -> Type:
        """What is not known yet is of that type, but not that very number: it may be private, and stored otherwise."""
        type_ = widest(without_static(type_))
        if _holds(type_, variable):
            raise Mismatch("a value and something that holds it")
        if type_ == NOTHING:
            raise Mismatch("a value and nothing")
        self.bind_type(variable, type_)
        return type_

    def _joined_containers(self, left: Container, right: Container) -> Container:
        if left.kind is not right.kind:
            raise Mismatch("containers of different kinds")
        if not self.same_norm(left.norm, right.norm):
            raise Mismatch("containers measured in different norms")
        if not self.same_size(left.length, right.length):
            raise Mismatch("containers of different sizes")
        if left.rows is not None and right.rows is not None and not self.same_size(left.rows, right.rows):
            raise Mismatch("matrices with different numbers of rows")
        element = self.join(left.element, right.element)
        clip = left.clip if left.clip is right.clip else Clip.U
        joined = self.type(replace(left, element=element, clip=clip, stored=left.stored | right.stored))
        assert isinstance(joined, Container)
        return joined

    def _joined_datasets(self, left: Dataset, right: Dataset) -> Dataset:
        """Of two datasets one: private sizes are not made the same, and what is public is what is said of both."""
        other = right.records
        if not left.metric.sized:
            other = replace(other, length=left.size) if other.rows is None else replace(other, rows=left.size)
        records = self._joined_containers(left.records, other)
        least = left.least if left.least == right.least else None
        alike = records.clip is not Clip.U and left.radius == right.radius
        balanced = left.balanced and right.balanced
        return Dataset(left.metric, records, least, left.radius if alike else None, balanced)


def _holds(type_: Type, variable: TypeVariable) -> bool:
    """Whether a type in which all that is bound is put in has a part that is not known yet."""
    pending = [type_]
    while pending:
        part = pending.pop()
        if part == variable:
            return True
        pending += part.items if isinstance(part, TupleType) else ()
        pending += (part.element,) if isinstance(part, Container) else ()
        pending += (part.records,) if isinstance(part, Dataset) else ()
    return False


def _joined_numbers(left: NumberType, right: NumberType) -> NumberType:
    """Integer and Real join to Real; public values, or bounds, that differ join to a number without."""
    static = left.static if left.static == right.static else None
    bounds = left.bounds if left.bounds == right.bounds else None
    stored = left.stored | right.stored
    if left.base is right.base:
        return NumberType(left.base, static, bounds, stored)
    if Base.DATA in (left.base, right.base):
        raise Mismatch("Data and numbers")
    return NumberType(Base.REAL, static, bounds, stored)
