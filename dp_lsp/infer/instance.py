"""A scheme in one call (scheme instantiation): what its symbols, norms and types stand for there.

Source: Damas and Milner 1982, "Principal type-schemes for functional programs"; sizes, norms and sensitivities are
variables of a scheme like types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from dp_lsp.core import machine
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.annotation import dimension
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import NOTHING, Answer, Called, Cost, EffectVariable
from dp_lsp.core.metrics import as_dataset
from dp_lsp.core.notation import shown
from dp_lsp.core.scheme import NO_FORM, FunctionValue, Given, Judgement, Open, Scheme, Unit
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.term import Written
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    Bounds,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    without_static,
    without_value,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import conditions, publics
from dp_lsp.infer.conditions import put_into
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import Mismatch


class Instance:
    """The instance of a scheme in one call: the substitution for its symbols, norms and types. ``answers`` solve the
    effect variables that the scheme awaits. ``failing`` says whether the arguments of a function argument decide if its
    call fails; None if it never fails."""

    def __init__(self, inference: Inference, scheme: Scheme, alike: Callable[[], bool]) -> None:
        """``alike`` tells whether all arguments that are not private are equal each time this call is made."""
        self._inference = inference
        self._owned = scheme.owned
        self._alike = alike
        self.symbols: dict[Symbol, Poly | Sens] = {}
        self.norms: dict[NormVariable, AnyNorm] = {}
        self.types: dict[TypeVariable, Type] = {}
        self.answers: dict[EffectVariable, Answer | EffectVariable] = {}
        self.failing: bool | None = None
        self._values = Counter(_variables(scheme))
        self._later: list[tuple[Poly, Poly]] = []  # sizes made of symbols that other arguments settle
        self._limits: list[tuple[Poly, str, Poly]] = []  # what parameters need of what is public of the arguments

    def misfit(self) -> str:
        """Solve what depends on several arguments, such as sizes, and say why the arguments do not fit, if they do not;
        else an empty text. Norms that no argument settled are renamed apart."""
        for norm in self._owned.norms:
            self.norms.setdefault(norm, NormVariable(norm.name, norm.free))
        self._name_computed()
        inference, values = self._inference, Substitution(self.symbols)
        origin = Origin(inference.solver.place, "what a parameter needs of its argument")
        for limit, relation, given in self._limits:
            left, right = (given, values.poly(limit)) if relation == "<=" else (values.poly(limit), given)
            if decide(left, "<=", right) is False:
                ends = "up to" if relation == "<=" else "from"
                return f"it takes what goes {ends} {shown(values.poly(limit))}, and this goes {ends} {shown(given)}"
            inference.demand(left, "<=", right, origin, conditions.fails)
        fit = all(inference.solver.same_size(values.poly(pattern), actual) for pattern, actual in self._later)
        return "" if fit else "their sizes do not fit each other"

    def _name_computed(self) -> None:
        """Public numbers that the function computes are others in each call."""
        computed = sorted((symbol for symbol in self._owned.symbols if symbol.computed), key=lambda each: each.uid)
        if not computed:
            return
        fixed = self._alike()
        for symbol in computed:
            self.symbols[symbol] = Poly.of(self._inference.publics.again(symbol, Substitution(self.symbols), fixed))

    def name_rest(self) -> None:
        """Rename type variables apart that no argument settled."""
        for variable in self._owned.types - self.types.keys():
            self.types[variable] = TypeVariable(variable.name, variable.releases)

    def matches(self, pattern: Type, actual: Type) -> bool:
        """Match an argument's type against the parameter's, binding sizes and norms on the way; whether it matches."""
        inference = self._inference
        actual = inference.solver.type(actual)
        if isinstance(pattern, TypeVariable) and pattern not in self._owned.types:
            pattern = inference.solver.type(pattern)
        match pattern, actual:
            case (_, Unknown()):
                return True
            case (TypeVariable(), _):
                return self._same_everywhere(pattern, self._lasting(pattern, actual))
            case (NumberType(static=Poly()), TypeVariable()):
                return False
            case (_, TypeVariable()) if _is_limited(pattern):
                return False
            case (_, TypeVariable()):
                self._name_parts(pattern, actual.name)
                inference.solver.bind_type(actual, self.type(pattern))
                return True
            case (NumberType(), NumberType()):
                return self._number(pattern, actual)
            case (Container(), Container()):
                return self._container(pattern, actual)
            case (Dataset(), Dataset()):
                return self._dataset(pattern, actual)
            case (Dataset(), Container()):
                found = as_dataset(actual)
                return found is not None and self._dataset(pattern, found)
            case (ModelType(), ModelType()):
                return self._dimension(pattern.size, actual.size)
            case (TupleType(), TupleType()) if _is_alike(pattern, actual):
                return all(self.matches(a, b) for a, b in zip(pattern.items, actual.items, strict=True))
        return pattern == actual

    def holds(self, pattern: Type, actual: Type) -> bool:
        """Whether an argument's run-time type is one that the scheme assumes, where no annotation enforces it."""
        return not _stored_otherwise(self._inference.solver.type(actual), pattern)

    def turns_out(self, expected: Type, actual: Type) -> bool:
        """Match the result of a deferred operation against what the scheme expected of it; whether it matches."""
        if isinstance(expected, TypeVariable) and expected in self._owned.types and expected not in self.types:
            self.types[expected] = self._lasting(expected, actual)
            return True
        actual = without_static(actual)
        expected = self.type(expected)
        solver = self._inference.solver
        try:
            joined = solver.join(expected, actual)
        except Mismatch:
            return False
        return without_static(joined) == without_static(solver.type(expected))

    def _lasting(self, variable: TypeVariable, actual: Type) -> Type:
        """What a type that is not known turned out to be. Where several values have that type, as in the rounds of a
        loop, the bounds of one are not those of the others."""
        return without_value(actual) if self._values[variable] == 1 else without_static(actual)

    def _name_parts(self, pattern: Type, owner: str) -> None:
        """An argument of no known type gets that of the parameter, with sizes, a norm and elements of its own."""
        sizes = [pattern.size] if isinstance(pattern, ModelType) else []
        if isinstance(pattern, Container):
            sizes = [size for size in (pattern.length, pattern.rows) if size is not None]
            norm, element = pattern.norm, pattern.element
            if isinstance(norm, NormVariable) and norm in self._owned.norms:
                self.norms.setdefault(norm, NormVariable(norm.name, norm.free))
            if isinstance(element, TypeVariable) and element in self._owned.types:
                self.types.setdefault(element, TypeVariable(element.name, element.releases))
        for symbol in {symbol for size in sizes for symbol in symbols_of(size)}:
            if symbol in self._owned.symbols and symbol not in self.symbols:
                self.symbols[symbol] = dimension(symbol.name.partition("(")[0], owner, self._inference.code.sizes)
        for item in pattern.items if isinstance(pattern, TupleType) else ():
            self._name_parts(item, owner)

    def _same_everywhere(self, variable: TypeVariable, actual: Type) -> bool:
        """Every argument whose type is this variable must have one type."""
        solver = self._inference.solver
        try:
            if variable not in self._owned.types:
                return without_static(solver.join(variable, actual)) == without_static(solver.type(variable))
            known = self.types.get(variable)
            self.types[variable] = actual if known is None else solver.join(known, actual)
        except Mismatch:
            return False
        return True

    def _number(self, pattern: NumberType, actual: NumberType) -> bool:
        if pattern.static is not None:
            symbol = pattern.static.symbol
            if symbol is None or actual.static is None or not publics.is_number(actual):
                return False
            if symbol in self._owned.symbols:
                known = self.symbols.get(symbol)  # as the size of a dataset that came before
                if isinstance(known, Poly) and not self._inference.solver.same_size(known, actual.static):
                    return False
                self.symbols[symbol] = actual.static
            elif actual.static != pattern.static:
                return False
        if pattern.bounds is not None and not self._within(actual, pattern.bounds):
            return False
        return actual.base is pattern.base or (pattern.base is Base.REAL and actual.base is Base.INTEGER)

    def _within(self, actual: NumberType, wanted: Bounds) -> bool:
        """Whether a number certainly lies where a parameter needs it."""
        given = actual.bounds if actual.static is None else Bounds(actual.static, actual.static)
        if given is None:
            return False
        self._limits += [(wanted.low, ">=", given.low), (wanted.high, "<=", given.high)]
        return True

    def _dataset(self, pattern: Dataset, actual: Dataset) -> bool:
        """Whether a dataset has the metric, and all that is public, that a parameter needs."""
        if pattern.metric not in (actual.metric, actual.metric.unordered) or (pattern.balanced and not actual.balanced):
            return False
        if not self._container(pattern.records, actual.records):
            return False
        if actual.least is None and actual.metric.sized:
            actual = replace(actual, least=actual.size)
        for limit, relation, given in ((pattern.least, ">=", actual.least), (pattern.radius, "<=", actual.radius)):
            if limit is not None and given is None:
                return False
            if limit is not None and given is not None:
                self._limits.append((limit, relation, given))
        return True

    def _container(self, pattern: Container, actual: Container) -> bool:
        if pattern.kind is not actual.kind or not self._norm(pattern.norm, actual.norm):
            return False
        if pattern.clip is not Clip.U and pattern.clip is not actual.clip:
            return False
        if not self._dimension(pattern.length, actual.length):
            return False
        if pattern.rows is not None and actual.rows is not None and not self._dimension(pattern.rows, actual.rows):
            return False
        return self.matches(pattern.element, actual.element)

    def _norm(self, pattern: AnyNorm, actual: AnyNorm) -> bool:
        if isinstance(pattern, NormVariable) and pattern in self._owned.norms:
            pattern = self.norms.setdefault(pattern, actual)
        return self._inference.solver.same_norm(pattern, actual)

    def _dimension(self, pattern: Poly, actual: Poly) -> bool:
        symbol = pattern.symbol
        if symbol is not None and symbol in self._owned.symbols and symbol not in self.symbols:
            self.symbols[symbol] = actual
            return True
        if any(symbol not in self.symbols for symbol in symbols_of(pattern) & self._owned.symbols):
            self._later.append((pattern, actual))
            return True
        return self._inference.solver.same_size(Substitution(self.symbols).poly(pattern), actual)

    def substitution(self) -> Substitution:
        """The substitution for the scheme's symbols and norms, as far as they are settled."""
        return Substitution(dict(self.symbols), dict(self.norms))

    # What the scheme says, as it is in this call

    def type(self, type_: Type) -> Type:
        """A type of the scheme in this call."""
        values = Substitution(self.symbols, self.norms)
        match type_:
            case TypeVariable():
                return self.types.get(type_, type_)
            case NumberType(base, static, bounds, stored) if (static or bounds) is not None:
                put = None if static is None else values.poly(static)
                return NumberType(base, put, None if bounds is None else bounds.put(values.poly), stored)
            case Container(kind, norm, clip, length, element, rows, stored):
                size = None if rows is None else values.poly(rows)
                return Container(kind, values.norm(norm), clip, values.poly(length), self.type(element), size, stored)
            case Dataset(records=records):
                held = self.type(records)
                assert isinstance(held, Container), "a container stays one"
                return type_.put(held, values.poly)
            case ModelType(size):
                return ModelType(values.poly(size))
            case TupleType(items):
                return type_.put(self.type(item) for item in items)
            case FunctionType(value) if value.home is not None:
                methods = tuple(self._inner(method, values) for method in value.methods)
                return FunctionType(FunctionValue(value.name, methods))
        return type_

    def given(self, given: Given) -> Given:
        """An argument of a deferred operation in this call."""
        return given if isinstance(given, Written) else self.type(given)

    def _inner(self, scheme: Scheme, values: Substitution) -> Scheme:
        """A function made inside the callee, as it is seen from this call."""

        def moved(value: Judgement) -> Judgement:
            moves = {var: replace(move, sens=values.sens(move.sens)) for var, move in value.moves.items()}
            return Judgement(self.type(value.type), moves, tuple(map(moved, value.parts)))

        params = (replace(each, type=self.type(each.type), unit=_put(each.unit, values)) for each in scheme.params)
        return replace(
            scheme,
            params=tuple(params),
            result=moved(scheme.result),
            cost=self._cost(scheme, values),
            needs=tuple(put_into(values, need) for need in scheme.needs),
            opens=tuple(self._open(each) for each in scheme.opens),
            linear=NO_FORM,
        )

    def _cost(self, scheme: Scheme, values: Substitution) -> Cost:
        if scheme.cost is NOTHING:
            return NOTHING
        along = {param.var: {param.var: ONE} for param in scheme.params}
        origin = Origin(scheme.params[0].span if scheme.params else self._inference.solver.place, scheme.name)
        return Called(scheme.cost, along, values, origin, dict(self.answers))

    def _open(self, each: Open) -> Open:
        callee = each.callee if isinstance(each.callee, str) else self.type(each.callee)
        arguments = tuple(map(self.given, each.arguments))
        return replace(each, callee=callee, arguments=arguments, result=self.type(each.result))


def _put(unit: Unit | None, values: Substitution) -> Unit | None:
    return None if unit is None else unit._replace(records=values.poly(unit.records))


def _variables(scheme: Scheme) -> Iterator[TypeVariable]:
    """The types that are not known, once for each value that has one."""
    pending = [*(param.type for param in scheme.params), *(each.result for each in scheme.opens)]
    while pending:
        match pending.pop():
            case TypeVariable() as variable:
                yield variable
            case Container(element=element) | Dataset(records=Container(element=element)):
                pending.append(element)
            case TupleType(items):
                pending.extend(items)


def _stored_otherwise(actual: Type, pattern: Type, element: bool = False) -> bool:
    """Whether values of a type may be stored as none of another type is."""
    match actual, pattern:
        case (NumberType(stored=given), NumberType(stored=wanted)):
            return bool(given & ~wanted if element else machine.values(given) & ~machine.values(wanted))
        case (Container(kind=kind), Container()) if kind is not Kind.GRADIENT:
            turned = actual.stored & ~pattern.stored
            return bool(turned) or _stored_otherwise(actual.element, pattern.element, element=True)
        case (Dataset(), Dataset()):
            return _stored_otherwise(actual.records, pattern.records)
        case (TupleType(items), TupleType(others)):
            return any(map(_stored_otherwise, items, others))
    return False


def _is_alike(pattern: TupleType, actual: TupleType) -> bool:
    """Whether tuples have as many items, of the same names."""
    return len(pattern.items) == len(actual.items) and pattern.label == actual.label


def _is_limited(type_: Type) -> bool:
    """Whether a parameter needs something of the numbers that it is given."""
    match type_:
        case NumberType(bounds=bounds):
            return bounds is not None
        case Dataset(records=records, least=least, radius=radius):
            return least is not None or radius is not None or _is_limited(records.element)
        case TupleType(items):
            return any(map(_is_limited, items))
    return False
