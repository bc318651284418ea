"""A scheme in one call: what its symbols, norms and types stand for there."""

from __future__ import annotations

from dataclasses import replace

from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.annotation import dimension
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import NOTHING, Answer, Called, Cost, Opaque
from dp_lsp.core.scheme import FunctionValue, Given, Judgement, Open, Scheme
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.term import NormArgument, TypeArgument
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    Clip,
    Container,
    Drawn,
    FunctionType,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    without_static,
)
from dp_lsp.infer.conditions import put_into
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import Mismatch


class Instance:
    """What the symbols, norms and types of a scheme stand for in one call. ``answers`` are what the calls that the
    scheme awaits turned out to spend, and ``failing`` says whether what
    a function among its arguments is given decides if that fails; None if it never does."""

    def __init__(self, inference: Inference, scheme: Scheme) -> None:
        self._inference = inference
        self._owned = scheme.owned
        self.symbols: dict[Symbol, Poly | Sens] = {}
        self.norms: dict[NormVariable, AnyNorm] = {}
        self.types: dict[TypeVariable, Type] = {}
        self.answers: dict[Opaque, Answer | Opaque] = {}
        self.failing: bool | None = None
        self._later: list[tuple[Poly, Poly]] = []  # sizes made of symbols that other arguments settle

    def settled(self) -> bool:
        """Whether the sizes that had to wait fit, too. Norms that no argument settled get new names."""
        for norm in self._owned.norms:
            self.norms.setdefault(norm, NormVariable(norm.name, norm.free))
        values = Substitution(self.symbols)
        return all(
            self._inference.solver.same_dimension(values.poly(pattern), actual) for pattern, actual in self._later
        )

    def name_rest(self) -> None:
        """Types that nothing settled stand for new ones in every call."""
        for variable in self._owned.types - self.types.keys():
            self.types[variable] = TypeVariable(variable.name, variable.releases)

    def matches(self, pattern: Type, actual: Type) -> bool:
        """Whether an argument's type is one of the parameter's; open sizes and norms are settled on the way."""
        inference = self._inference
        actual = inference.solver.type(actual)
        if isinstance(pattern, TypeVariable) and pattern not in self._owned.types:
            pattern = inference.solver.type(pattern)
        match pattern, actual:
            case (_, Unknown()):
                return True
            case (TypeVariable(), _):
                return self._same_everywhere(pattern, without_static(actual))
            case (NumberType(static=Poly()), TypeVariable()):
                return False
            case (_, TypeVariable()):
                self._name_parts(pattern, actual.name)
                inference.solver.bind_type(actual, self.type(pattern))
                return True
            case (NumberType(), NumberType()):
                return self._number(pattern, actual)
            case (Container(), Container()):
                return self._container(pattern, actual)
            case (ModelType(), ModelType()):
                return self._dimension(pattern.size, actual.size)
            case (TupleType(), TupleType()) if len(pattern.items) == len(actual.items):
                return all(self.matches(a, b) for a, b in zip(pattern.items, actual.items, strict=True))
        return pattern == actual

    def turns_out(self, expected: Type, actual: Type) -> bool:
        """Whether the result of an open operation is one of what was expected of it, which is settled by it."""
        actual = without_static(actual)
        if isinstance(expected, TypeVariable) and expected in self._owned.types and expected not in self.types:
            self.types[expected] = actual
            return True
        expected = self.type(expected)
        solver = self._inference.solver
        try:
            joined = solver.join(expected, actual)
        except Mismatch:
            return False
        return without_static(joined) == without_static(solver.type(expected))

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
                self.symbols[symbol] = dimension(symbol.name.partition("(")[0], owner)
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
            if symbol is None or actual.static is None:
                return False
            if symbol in self._owned.symbols:
                self.symbols[symbol] = actual.static
            elif actual.static != pattern.static:
                return False
        return actual.base is pattern.base or (pattern.base is Base.REAL and actual.base is Base.INTEGER)

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
        return self._inference.solver.same_dimension(Substitution(self.symbols).poly(pattern), actual)

    def substitution(self) -> Substitution:
        return Substitution(dict(self.symbols), dict(self.norms))

    # What the scheme says, as it is in this call

    def type(self, type_: Type) -> Type:
        """A type of the scheme as it is in this call."""
        values = Substitution(self.symbols, self.norms)
        match type_:
            case TypeVariable():
                return self.types.get(type_, type_)
            case NumberType(base, static) if static is not None:
                return NumberType(base, values.poly(static))
            case Container(kind, norm, clip, length, element, rows):
                size = None if rows is None else values.poly(rows)
                return Container(kind, values.norm(norm), clip, values.poly(length), self.type(element), size)
            case Drawn(matrix):
                put = self.type(matrix)
                assert isinstance(put, Container), "a container stays one"
                return Drawn(put)
            case ModelType(size):
                return ModelType(values.poly(size))
            case TupleType(items):
                return TupleType(tuple(self.type(item) for item in items))
            case FunctionType(value) if value.home is not None:
                methods = tuple(self._inner(method, values) for method in value.methods)
                return FunctionType(FunctionValue(value.name, methods))
        return type_

    def given(self, given: Given) -> Given:
        """What an open operation is given."""
        return given if isinstance(given, NormArgument | TypeArgument) else self.type(given)

    def _inner(self, scheme: Scheme, values: Substitution) -> Scheme:
        """A function made inside the callee, as it is seen from this call."""

        def moved(value: Judgement) -> Judgement:
            moves = {var: replace(move, sens=values.sens(move.sens)) for var, move in value.moves.items()}
            return Judgement(self.type(value.type), moves, tuple(map(moved, value.parts)))

        return replace(
            scheme,
            params=tuple(replace(param, type=self.type(param.type)) for param in scheme.params),
            result=moved(scheme.result),
            cost=self._cost(scheme, values),
            needs=tuple(put_into(values, need) for need in scheme.needs),
            opens=tuple(self._open(each) for each in scheme.opens),
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
