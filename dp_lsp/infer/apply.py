"""The rule of calls of the program's own functions: a scheme is instantiated, its cost is shared."""

from __future__ import annotations

from dp_lsp.core import laws, term
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.annotation import dimension
from dp_lsp.core.constraints import Origin
from dp_lsp.core.display import type_words
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import NOTHING, Called, Var
from dp_lsp.core.scheme import BlackBox, FunctionValue, Judgement, Move, Moves, Scheme, SchemeParameter
from dp_lsp.core.sens import INFINITY, ONE, Sens, number
from dp_lsp.core.types import (
    UNKNOWN,
    AnyNorm,
    Base,
    Clip,
    Container,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    without_static,
)
from dp_lsp.infer import conditions, explain, moves, problems
from dp_lsp.infer.inference import Failure, Inference
from dp_lsp.infer.solver import Mismatch
from dp_lsp.text import Span


class _Instance:
    """What the symbols, norms and types of a scheme stand for in one call."""

    def __init__(self, inference: Inference, scheme: Scheme) -> None:
        self._inference = inference
        self._scheme = scheme
        self.symbols: dict[Symbol, Poly] = {}
        self.norms: dict[NormVariable, AnyNorm] = {}
        self.types: dict[TypeVariable, Type] = {}
        self._later: list[tuple[Poly, Poly]] = []  # sizes made of symbols that other arguments settle

    def settled(self) -> bool:
        """Whether the sizes that had to wait fit, too. Norms that no argument settled get new names."""
        for norm in self._scheme.norms:
            self.norms.setdefault(norm, NormVariable(norm.name, norm.free))
        values = Substitution(self.symbols)
        return all(
            self._inference.solver.same_dimension(values.poly(pattern), actual) for pattern, actual in self._later
        )

    def matches(self, pattern: Type, actual: Type) -> bool:
        """Whether an argument's type is one of the parameter's; open sizes and norms are settled on the way."""
        inference = self._inference
        actual = inference.solver.type(actual)
        match pattern, actual:
            case (_, Unknown()):
                return True
            case (TypeVariable(), _):
                return self._same_everywhere(pattern, without_static(actual))
            case (NumberType(static=Poly()), TypeVariable()):
                return False
            case (_, TypeVariable()):
                self._name_sizes(pattern, actual.name)
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

    def _name_sizes(self, pattern: Type, owner: str) -> None:
        """An argument of no known type gets that of the parameter, with sizes of its own."""
        sizes = [pattern.size] if isinstance(pattern, ModelType) else []
        if isinstance(pattern, Container):
            sizes = [size for size in (pattern.length, pattern.rows) if size is not None]
        for symbol in {symbol for size in sizes for symbol in symbols_of(size)}:
            if symbol in self._scheme.symbols and symbol not in self.symbols:
                self.symbols[symbol] = dimension(symbol.name.partition("(")[0], owner)
        for item in pattern.items if isinstance(pattern, TupleType) else ():
            self._name_sizes(item, owner)

    def _same_everywhere(self, variable: TypeVariable, actual: Type) -> bool:
        """Every argument whose type is this variable must have one type."""
        known = self.types.get(variable)
        try:
            self.types[variable] = actual if known is None else self._inference.solver.join(known, actual)
        except Mismatch:
            return False
        return True

    def _number(self, pattern: NumberType, actual: NumberType) -> bool:
        if pattern.static is not None:
            symbol = pattern.static.symbol
            if symbol is None or actual.static is None:
                return False
            self.symbols[symbol] = actual.static
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
        if isinstance(pattern, NormVariable) and pattern in self._scheme.norms:
            pattern = self.norms.setdefault(pattern, actual)
        return self._inference.solver.same_norm(pattern, actual)

    def _dimension(self, pattern: Poly, actual: Poly) -> bool:
        symbol = pattern.symbol
        if symbol is not None and symbol in self._scheme.symbols and symbol not in self.symbols:
            self.symbols[symbol] = actual
            return True
        if any(symbol not in self.symbols for symbol in symbols_of(pattern) & self._scheme.symbols):
            self._later.append((pattern, actual))
            return True
        return self._inference.solver.same_dimension(Substitution(self.symbols).poly(pattern), actual)

    def substitution(self) -> Substitution:
        return Substitution(dict(self.symbols), dict(self.norms))

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
            case ModelType(size):
                return ModelType(values.poly(size))
            case TupleType(items):
                return TupleType(tuple(self.type(item) for item in items))
        return type_


def call(inference: Inference, node: term.Apply, value: FunctionValue, arguments: list[Judgement]) -> Judgement:
    """The judgement of a call: arguments' moves scaled by the callee's sensitivities, its cost at their distance."""
    if any(isinstance(inference.type(argument), Unknown) for argument in arguments):
        return Judgement(UNKNOWN, moves.NOWHERE)
    scheme = _method(inference, node, value, len(arguments))
    if scheme is None:
        return Judgement(UNKNOWN, moves.NOWHERE)
    instance = _Instance(inference, scheme)
    inference.solver.place = node.span
    for param, argument, written in zip(scheme.params, arguments, node.args, strict=True):
        if not instance.matches(param.type, argument.type):
            _wrong(inference, written, scheme, instance, param, argument)
            return Judgement(UNKNOWN, moves.NOWHERE)
    if not instance.settled():
        reason = "their sizes do not fit each other"
        inference.report(problems.DoesNotFit.at(node.span, function=scheme.name, reason=reason))
        return Judgement(UNKNOWN, moves.NOWHERE)
    values = instance.substitution()
    for need in scheme.needs:
        origin = Origin(node.span, f"in this call of `{scheme.name}`, {need.origin.reason}")
        inference.demand(
            conditions.put(values, need.left),
            need.relation,
            conditions.put(values, need.right),
            origin,
            conditions.fails,
        )
    _spend(inference, node, scheme, arguments, values)
    if scheme.failing is not None:
        deciding = [
            (argument.moves, INFINITY)
            for param, argument in zip(scheme.params, arguments, strict=True)
            if param.var in scheme.failing
        ]
        seen = moves.combined(deciding, node.span, laws.FAILURE, scheme.name)
        inference.failures.append(Failure(seen, node.span))
    return _result(inference, node, scheme, arguments, instance, values)


def check_annotations(inference: Inference, node: term.Apply, box: BlackBox, arguments: list[Judgement]) -> None:
    """The arguments of a black box must have the types of its signature."""
    for wanted, argument, written in zip(box.params, arguments, node.args, strict=True):
        given = inference.type(argument)
        if wanted is None or isinstance(given, Unknown | TypeVariable):
            continue
        if not _same_shape(wanted, given):
            inference.report(
                problems.WrongArgument.at(
                    written.span, function=box.name, wanted=type_words(wanted), given=type_words(given)
                )
            )


def _same_shape(wanted: Type, given: Type) -> bool:
    match wanted, given:
        case (TypeVariable(), _):
            return True
        case (NumberType(a), NumberType(b)):
            return a is b or (a is Base.REAL and b is Base.INTEGER)
        case (Container(kind=a, element=inner), Container(kind=b, element=other)):
            return a is b and _same_shape(inner, other)
    return type(wanted) is type(given)


def _method(inference: Inference, node: term.Apply, value: FunctionValue, given: int) -> Scheme | None:
    if len(value.methods) != 1:
        inference.report(problems.SeveralMethods.at(node.span, name=value.name))
        return None
    scheme = value.methods[0]
    if scheme.reason:
        inference.give_up(f"it uses `{scheme.name}`, which was not checked to the end")
        inference.report(problems.CallsUnchecked.at(node.function.span, name=scheme.name, reason=scheme.reason))
        return None
    if given != len(scheme.params):
        count = len(scheme.params)
        wanted = f"{count} argument{'' if count == 1 else 's'}"
        were = f"{given} {'is' if given == 1 else 'are'}"
        inference.report(problems.WrongCount.at(node.span, function=scheme.name, wanted=wanted, given=were))
        return None
    return scheme


def _wrong(
    inference: Inference,
    node: term.Term,
    scheme: Scheme,
    instance: _Instance,
    param: SchemeParameter,
    argument: Judgement,
) -> None:
    given = inference.type(argument)
    span = node.span
    if param.static and isinstance(given, NumberType) and given.static is None:
        whole = isinstance(param.type, NumberType) and param.type.base is Base.INTEGER
        what = "whole number" if whole else "number"
        fixes = explain.make_static(inference, node)
        inference.report(problems.MustBePublic.at(span, written=inference.written(span), what=what, fixes=fixes))
        return
    wanted, words = type_words(instance.type(param.type)), type_words(given)
    if wanted == words:
        inference.report(
            problems.DoesNotFit.at(span, function=scheme.name, reason=f"`{param.name}` has another size or norm")
        )
        return
    inference.report(problems.WrongArgument.at(span, function=scheme.name, wanted=wanted, given=words))


def _spend(
    inference: Inference, node: term.Apply, scheme: Scheme, arguments: list[Judgement], values: Substitution
) -> None:
    """The callee's cost, at the distance its arguments move. Where that is open, it must be at most 1."""
    if scheme.cost is NOTHING:
        return
    along = {}
    for param, argument, written in zip(scheme.params, arguments, node.args, strict=True):
        moved = inference.released(argument.moves, written.span)
        private = {var: move for var, move in moved.items() if not var.exempt}
        origin = Origin(written.span, f"the privacy of `{scheme.name}` holds for a change of at most 1")
        unbounded = frozenset(var for var, move in private.items() if move.sens.infinite)
        if param.var.public:
            inference.leak(frozenset(private), origin)
            continue
        if unbounded:
            _unbounded(inference, written.span, private, unbounded)
            inference.leak(unbounded, origin)
        along[param.var] = {
            var: _distance(inference, var, move, origin) for var, move in private.items() if var not in unbounded
        }
    inference.spent.append(Called(scheme.cost, along, values, Origin(node.span, scheme.name)))


def _distance(inference: Inference, var: Var, move: Move, origin: Origin) -> Sens:
    """How far a variable moves an argument of a private function. Where that is no number, or where there is no price
    for more, it must be at most 1; a record then moves it by at most 1 for each of its members."""
    if inference.rules.groups and move.sens.number is not None:
        return move.sens
    if var.members:
        return number(var.members)
    inference.demand(move.sens, "<=", ONE, origin, conditions.fails)
    return ONE


def _unbounded(inference: Inference, span: Span, private: Moves, unbounded: frozenset[Var]) -> None:
    named = [(var, move) for var, move in private.items() if var in unbounded and not var.members]
    if not named:
        return
    var, move = named[0]
    inference.report(
        problems.UnboundedInput.at(
            span,
            written=inference.written(span),
            variable="`, `".join(var.name for var, _ in named),
            cause=explain.cause(inference, move),
            related=explain.path(inference, move, var.name),
        )
    )


def _result(
    inference: Inference,
    node: term.Apply,
    scheme: Scheme,
    arguments: list[Judgement],
    instance: _Instance,
    values: Substitution,
) -> Judgement:
    def place(result: Judgement) -> Judgement:
        parts = []
        for param, argument in zip(scheme.params, arguments, strict=True):
            move = result.moves.get(param.var)
            if move is not None:
                factor = INFINITY if move.sens is INFINITY else values.sens(move.sens)
                parts.append((argument.moves, factor))
        together = moves.combined(parts, node.span, laws.CALL, scheme.name)
        items = tuple(place(part) for part in result.parts)
        return inference.judgement(instance.type(result.type), together, items)

    return place(scheme.result)
