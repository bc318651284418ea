"""The rule of calls of the program's own functions: a scheme is instantiated, its cost is shared.

A helper needs no annotations: Julia compiles a method without annotations anew for the types of a call, so its scheme
for them is the one it would have if they stood there. That is asked for where the scheme for any types does not
serve: for datasets, and where none was found. How often one definition may cause that, and how deep, is limited.
Where a method is understood for some types only, its own report is for the first of them
(:mod:`dp_lsp.infer.method`), and says so.

A scheme in one call (scheme instantiation): what its symbols, norms and types stand for there.

Source: Damas and Milner 1982, "Principal type-schemes for functional programs"; sizes, norms and sensitivities are
variables of a scheme like types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat

from dp_lsp import builtins
from dp_lsp.builtins import linear
from dp_lsp.builtins.define import Refusal
from dp_lsp.core import laws, machine, term
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.annotation import Anything, Sizes, TupleOf, dimension, dimensions, is_open
from dp_lsp.core.constraints import Constraint, Origin, decide
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import NOTHING, Answer, Called, Cost, Distances, EffectVariable, Var
from dp_lsp.core.metrics import as_dataset, counted_as, is_whole
from dp_lsp.core.notation import shown, type_words
from dp_lsp.core.scheme import (
    NO_FORM,
    BlackBox,
    FunctionValue,
    Given,
    Judgement,
    Move,
    Moves,
    Open,
    Scheme,
    SchemeParameter,
    Unit,
)
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, Way
from dp_lsp.core.term import Written
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    can_change,
    holds_handle,
    without_static,
    without_value,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import (
    conditions,
    dispatch,
    explain,
    generalize,
    mechanisms,
    moves,
    norms,
    openings,
    parts,
    problems,
    publics,
    rows,
    units,
)
from dp_lsp.infer.conditions import put_into
from dp_lsp.infer.effects import (
    NONE,
    NOT_UNDERSTOOD,
    Effects,
    Evaluation,
    failing,
    in_sequence,
    printing,
    showing,
    spending,
)
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import Mismatch, SettledOperation
from dp_lsp.language import FLOAT_NOISE, UNSEEDED
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Named, Related, Sought
from dp_lsp.text import Span


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


_IN = ", in `"  # a premise is about names of the function in which it is made
MOST_NESTED = 100  # functions that call functions they are given, one inside the other


class Site(NamedTuple):
    """A call: its term, the callee, and the arguments."""

    span: Span
    function: Span
    arguments: tuple[term.Term, ...]


class TakenAs(NamedTuple):
    """An argument converted to the metric of its parameter: the type as it is taken, the distance there of one step in
    its own metric, and the law that says so; empty if the step is the same."""

    type: Type
    steps: Sens
    law: str
    way: Way | None = None


class ResolvedCall(NamedTuple):
    """A call with given argument types, resolved: the method that runs and its instance. ``taken`` are arguments in
    another metric than their parameters', ``effects`` those of method selection and of operations that were deferred.
    ``hidden`` are conditions of noise, which hold for a change by 1 and are not demanded yet.
    """

    scheme: Scheme
    instance: Instance
    values: Substitution
    taken: Mapping[int, TakenAs]
    effects: Effects
    hidden: tuple[Constraint, ...]

    @property
    def type(self) -> Type:
        """The type of the result."""
        return self.instance.type(self.scheme.result.type)

    @property
    def failing(self) -> bool | None:
        """Whether arguments or captures decide if the call fails; None if it never fails."""
        if self.scheme.failing is None:
            return self.instance.failing
        return bool(self.scheme.failing) or bool(self.instance.failing)

    @property
    def radius(self) -> Sens | None:
        """How far from 0 the result is at most; None if nothing is known."""
        reach = self.scheme.result.reach
        outside = None if reach is None else reach.outside(self.values)
        return None if outside is None else outside.radius

    def counted(self, index: int, moved: Moves, span: Span) -> Moves:
        """The environment of an argument, measured in the metric of its parameter."""
        taken = self.taken.get(index)
        return (
            moved
            if taken is None or not taken.law
            else moves.scaled(moved, taken.steps, span, taken.law, way=taken.way)
        )

    def factor(self, index: int) -> Sens:
        """The sensitivity of the result in an argument."""
        param = self.scheme.params[index]
        move = self.scheme.result.moves.get(param.var)
        return ZERO if move is None else self.values.sens(move.sens) * units.share(param.unit, self.values)

    def way(self, index: int) -> Way | None:
        """The monotonicity of the result in an argument; None if unknown."""
        move = self.scheme.result.moves.get(self.scheme.params[index].var)
        return Way.RISES if move is None else move.way

    def demand_noise(self, inference: Inference) -> None:
        """Demand that noise is made for what it hides of a change by 1."""
        _demand(inference, self.hidden)

    def captured(
        self, inference: Inference, value: FunctionValue, moved: Moves, span: Span, part: Judgement | None = None
    ) -> Moves:
        """The environment of the result, or a part of it, in the callee's captures: as the method says where these are
        in scope, else that of the closure itself."""
        if value.home is not inference.context.home:
            return moved
        own = {param.var for param in self.scheme.params}
        captured = {var: move for var, move in (part or self.scheme.result).moves.items() if var not in own}
        parts = (self._here(var, move, span) for var, move in captured.items())
        return moves.combined(parts, span, laws.CALL, self.scheme.name, repeat(Way.RISES))

    def _here(self, var: Var, move: Move, span: Span) -> moves.Weighted:
        """How far a captured variable moves the result of this call. Where the arguments decide that, the reasons
        inside the function are about other numbers."""
        factor = self.values.sens(move.sens)
        return ({var: move}, ONE) if factor == move.sens else (moves.own(var, span, move.way), factor)


def run(
    inference: Inference,
    site: Site,
    value: FunctionValue,
    types: Sequence[Type],
    directly: bool = False,
    alike: bool = False,
    is_shared: Callable[[], bool] = lambda: False,
) -> ResolvedCall | None:
    """Select a method for these argument types and instantiate it; None, with a problem, where there is none or it is
    not determined. A ``directly`` called function may count datasets by other steps than theirs; ``alike`` calls get no
    public values, and sizes that are the same; where a source ``is_shared`` by arguments, the method's linear form is
    wanted."""
    scheme = _chosen(inference, site, value, types, directly, is_shared)
    if scheme is None:
        return None
    inference.recorder.boxes.update(dict.fromkeys(scheme.boxes))
    inference.recorder.untyped = scheme.untyped or inference.recorder.untyped
    _suppose(inference, scheme)
    instance = Instance(inference, scheme, lambda: alike or inference.publics.is_fixed(site.arguments))
    inference.solver.place = site.span
    others: dict[int, TakenAs] = {}
    for index, (param, type_, written) in enumerate(zip(scheme.params, types, site.arguments, strict=True)):
        if holds_handle(type_) and not isinstance(param.declared, TupleOf):
            reason = f"its `{param.name}` is not used for draws alone, as a generator of random numbers must be"
            inference.report(problems.DoesNotFit.at(written.span, function=scheme.name, reason=reason))
            return None
        taken = _taken_as(inference, param.type, type_, directly)
        if taken is not None:
            if directly:
                norms.notice(inference, written.span, taken.type, type_)
            type_, others[index] = taken.type, taken
        if not instance.matches(param.type, type_):
            _wrong(inference, written, scheme, instance, param, type_)
            return None
        if is_open(param.declared) and not instance.holds(param.type, type_):
            wanted = dispatch.given_words(instance.type(param.type))
            reason = f"its `{param.name}` is taken to be {wanted}, and this may be stored as another type of number"
            inference.report(problems.DoesNotFit.at(written.span, function=scheme.name, reason=reason))
            return None
    applied = dispatch.applies(inference, site.span, scheme, types)
    if applied is None:
        return None
    reason = instance.misfit()
    if reason:
        inference.report(problems.DoesNotFit.at(site.span, function=scheme.name, reason=reason))
        return None
    with inference.context.settling(value):
        settled = _settle(inference, site, scheme, instance)
    if settled is None:
        return None
    instance.name_rest()
    values = instance.substitution()
    needs = [
        conditions.put_into(values, need)._replace(origin=_in_this_call(site.span, scheme, need.origin.reason))
        for need in scheme.needs
    ]
    _demand(inference, (need for need in needs if not need.hides))
    hidden = tuple(need for need in needs if need.hides)
    return ResolvedCall(scheme, instance, values, others, in_sequence((applied, settled)), hidden)


def _suppose(inference: Inference, scheme: Scheme) -> None:
    """What a function is proved under, so is who calls it. Names in it are said to be those of that function."""
    for premise in scheme.premises:
        if premise not in inference.recorder.premises:
            of_names = _IN not in premise and premise not in (FLOAT_NOISE, UNSEEDED)
            inference.recorder.suppose(f"{premise}{_IN}{scheme.name}`" if of_names else premise)


def _in_this_call(span: Span, scheme: Scheme, reason: str) -> Origin:
    return Origin(span, f"in this call of `{scheme.name}`, {reason}")


def _demand(inference: Inference, needs: Iterable[Constraint]) -> None:
    """Demand what a method does."""
    for need in needs:
        inference.demand(*need[:4], conditions.fails, need.hides)


def _chosen(
    inference: Inference,
    site: Site,
    value: FunctionValue,
    types: Sequence[Type],
    by_name: bool,
    is_shared: Callable[[], bool],
) -> Scheme | None:
    """The method that runs for arguments of these types. None, with a problem, if there is none that can be used."""
    if len(inference.context.running) > MOST_NESTED:
        inference.report(problems.EndlessCalls.at(site.span, name=value.name))
        return None
    if value.choices:
        inference.report(problems.WhichFunction.at(site.function, written=inference.written(site.function)))
        return None
    method = dispatch.choose(inference, site.span, value, types, by_name)
    if method is None:
        return None
    scheme = as_called(inference, method, types, is_shared)
    if not scheme.reason:
        return scheme
    if scheme.reason != method.reason:
        there = (explain.defined(site.function, scheme.name),)
        reported = problems.NotAsCalled.at(site.function, related=there, name=scheme.name, reason=scheme.reason)
        inference.report(reported)
        return None
    if value.home is None:  # else it stands in the same function, and its problem has been reported
        inference.give_up(f"it uses `{scheme.name}`, which was not checked to the end")
        related = explain.unchecked(site.function, scheme.name)
        inference.report(
            problems.CallsUnchecked.at(site.function, name=scheme.name, reason=scheme.reason, related=related)
        )
    return None


def _taken_as(inference: Inference, wanted: Type, given: Type, directly: bool) -> TakenAs | None:
    """A dataset as one of the metric of a parameter, where that is said of it ``directly``, or what is measured in a
    norm as measured in the smaller one of the parameter; None if it is taken as it is."""
    dataset = as_dataset(given) if directly and isinstance(wanted, Dataset) else None
    counted = None if dataset is None or not isinstance(wanted, Dataset) else counted_as(dataset, wanted.metric)
    if counted is not None:
        type_, steps = counted
        return TakenAs(type_, steps, "" if steps == ONE else laws.COUNTED_AS)
    measured = norms.taken_as(inference, wanted, given)
    return None if measured is given else TakenAs(measured, ONE, laws.SMALLER_NORM, Way.RISES)


def _settle(inference: Inference, site: Site, scheme: Scheme, instance: Instance) -> Effects | None:
    """Settle the operations that wait in a scheme, in order; what is still open waits in the caller. None, with a
    problem, if one of them has no meaning here."""
    effects = []
    for each in scheme.opens:
        callee = each.callee if isinstance(each.callee, str) else inference.solver.type(instance.type(each.callee))
        given = [inference.given(instance.given(value)) for value in each.arguments]
        found = attempt(inference, site, callee, given, each.release is not None)
        if found is None:
            return None
        effects.append(found.effects)
        if not instance.turns_out(each.result, found.result):
            reason = f"one of its results is {type_words(inference.solver.type(found.result))}"
            inference.report(problems.DoesNotFit.at(site.span, function=scheme.name, reason=reason))
            return None
        pairs = zip(each.symbols, found.factors, strict=True)
        instance.symbols.update((symbol, factor) for symbol, factor in pairs if symbol is not None)
        if found.failing is not None:
            instance.failing = bool(instance.failing) or found.failing
        if each.release is not None and found.spends is not None:
            instance.answers[each.release] = found.spends
            if isinstance(found.spends, EffectVariable):
                own = (each.release.epsilon + each.release.delta, found.spends.epsilon + found.spends.delta)
                instance.symbols.update((symbol, Sens.of(other)) for symbol, other in zip(*own, strict=True))
    return in_sequence(effects)


def attempt(
    inference: Inference, site: Site, callee: str | Type, given: Sequence[Given], releases: bool = False
) -> SettledOperation | None:
    """Solve a deferred operation for given argument types. None, with a problem, if it is ill-typed."""
    if isinstance(callee, str):
        return _attempt_row(inference, site, callee, given)
    key = (
        inference.context.home,
        callee,
        *given,
    )  # what a call demands is a condition of the function that it stands in
    known = inference.solver.settled.get(key) if isinstance(callee, FunctionType) and not releases else None
    if known is not None:
        return known
    types = [inference.given_type(value) for value in given]
    value = callee.value if isinstance(callee, FunctionType) else None
    if isinstance(callee, TypeVariable) or (value is not None and dispatch.waits(value, types)):
        waiting = openings.opened(inference, site.span, callee, given)
        return SettledOperation(waiting.result, waiting.factors, waiting.release)
    if value is None or value.black_box is not None:
        return _not_this(inference, site, "a function to call", type_words(callee))
    outcome = run(inference, site._replace(arguments=_spread(site, len(given))), value, types)
    if outcome is None:
        return None
    outcome.demand_noise(inference)
    scheme = outcome.scheme
    if releases is not scheme.claims_privacy:
        wanted = "a function that releases something" if releases else "a function that releases nothing"
        return _not_this(inference, site, wanted, f"`{scheme.name}`")
    spends = Answer(*units.in_steps(scheme, site.span), outcome.values) if releases else None
    factors = tuple(map(outcome.factor, range(len(scheme.params))))
    found = SettledOperation(outcome.type, factors, spends, outcome.failing, outcome.effects)
    if not releases:
        inference.solver.settled[key] = found
    return found


def _not_this(inference: Inference, site: Site, wanted: str, given: str) -> SettledOperation | None:
    name = inference.written(site.function)
    inference.report(problems.WrongArgument.at(site.span, function=name, wanted=wanted, given=given))
    return None


def _spread(site: Site, count: int) -> tuple[term.Term, ...]:
    """Something to point at for each argument of a call that stands somewhere else."""
    return (term.Hole(site.span, ""),) * count


def _attempt_row(inference: Inference, site: Site, name: str, given: Sequence[Given]) -> SettledOperation | None:
    row = builtins.TABLE[name]
    if rows.waits(inference, row, given):
        if len(inference.solver.opens) < openings.MOST:
            factor = rows.constant_factor(inference, row, given)
            waiting = openings.opened(inference, site.span, name, given, factor)
            return SettledOperation(waiting.result, waiting.factors)
        rows.assume(inference, row, given)
    node = term.Call(site.span, name, _spread(site, len(given)), site.span)
    given = [inference.given(value) for value in given]
    solved = rows.solve(inference, node, row, given)
    certain = None if isinstance(solved, rows.NoMatch) else rows.certain(inference, node, solved, given)
    if certain is not None:
        solved = rows.solve(inference, node, row, certain)
    if isinstance(solved, rows.NoMatch):
        return None
    form, args = solved
    result = form.result(args)
    if isinstance(result, Refusal):
        rows.refused(inference, node, row, args, result)
        return None
    result = linear.as_stored(inference.storage, row.name, args, result)
    rows.demand(inference, node, row, form, args)
    factors = zip(args.names, form.factors(args), strict=True)
    return SettledOperation(result, tuple(ONE if name in form.one_of else factor for name, factor in factors))


def call(
    inference: Inference, node: term.Apply, callee: Judgement, value: FunctionValue, arguments: list[Judgement]
) -> Evaluation:
    """The rule of calls: the arguments' environments scaled by the callee's sensitivities and added up, and its cost at
    their distances."""
    types = [inference.type(argument) for argument in arguments]
    if any(isinstance(type_, Unknown) for type_ in types):
        return NOT_UNDERSTOOD
    if dispatch.waits(value, types):
        return openings.call(inference, node, FunctionType(value), callee, arguments)
    site = Site(node.span, node.function.span, node.args)
    is_shared = partial(generalize.is_shared, inference, node, arguments)
    outcome = run(inference, site, value, types, directly=True, is_shared=is_shared)
    if outcome is None:
        return NOT_UNDERSTOOD
    counted = [
        replace(argument, moves=outcome.counted(index, argument.moves, written.span))
        for index, (argument, written) in enumerate(zip(arguments, node.args, strict=True))
    ]
    given = _in_persons(inference, outcome, counted, node.span)
    spent = _spent(inference, site, outcome, value, given, callee.moves)
    failures = _fail(inference, site, outcome, value, counted, callee.moves)
    result = _result(inference, node, outcome, value, given, callee.moves)
    if not callee.moves:
        result = generalize.of_call(inference, node, value, outcome.scheme, outcome.values, arguments, result)
    return Evaluation(result).after(outcome.effects, spent, failures)


def _in_persons(inference: Inference, outcome: ResolvedCall, arguments: list[Judgement], span: Span) -> list[Moves]:
    """How far arguments move, counted as the method counts."""
    given = []
    for param, argument in zip(outcome.scheme.params, arguments, strict=True):
        given.append(units.given(param, outcome.values, argument.moves, span))
        if param.unit is not None and param.unit.whole:
            inference.of_whole_steps(argument.moves, param.unit.uneven)
    return given


def check_annotations(inference: Inference, node: term.Apply, box: BlackBox, arguments: list[Judgement]) -> None:
    """Check the arguments of a black box against its signature."""
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
        case (Dataset(a, inner), Dataset(b, other)):
            return a is b and _same_shape(inner, other)
    return type(wanted) is type(given)


def _wrong(
    inference: Inference, node: term.Term, scheme: Scheme, instance: Instance, param: SchemeParameter, given: Type
) -> None:
    span = node.span
    declared = Named(scheme.name, Sought.PARAMETER, scheme.signature, param.name)
    related = (Related(f"`{param.name}` is declared here", span, declared),)
    if param.static and isinstance(given, NumberType) and (given.static is None or not publics.is_number(given)):
        whole = isinstance(param.type, NumberType) and param.type.base is Base.INTEGER
        inference.report(explain.must_be_public(inference, node, whole, related))
        return
    wanted, words = type_words(instance.type(param.type)), type_words(given)
    asked = inference.solver.norm(param.type.norm) if isinstance(param.type, Container) else None
    other = isinstance(asked, Norm) and isinstance(given, Container) and inference.solver.norm(given.norm) is not asked
    fixes = rows.measured(inference, span, asked) if isinstance(asked, Norm) and other else ()
    if wanted == words:
        reason = f"`{param.name}` has another size or norm"
        inference.report(
            problems.DoesNotFit.at(span, function=scheme.name, reason=reason, related=related, fixes=fixes)
        )
        return
    inference.report(
        problems.WrongArgument.at(span, function=scheme.name, wanted=wanted, given=words, related=related, fixes=fixes)
    )


class _Given(NamedTuple):
    """What moves a parameter of a private function, the variables of ``parts`` of datasets for those of these, and what
    demands that it moves no further than 1, if that is demanded."""

    param: Var
    moves: Moves
    parts: Mapping[Var, Var]
    origin: Origin

    def told_apart(self, distances: Distances) -> Distances:
        """Distances, by what is told apart of datasets."""
        return {self.parts.get(var, var): far for var, far in distances.items()}


def _spent(
    inference: Inference,
    site: Site,
    outcome: ResolvedCall,
    value: FunctionValue,
    arguments: Sequence[Moves],
    captured: Moves,
) -> Effects:
    """The callee's cost, at the distance its arguments move. Where that is no number, and the mechanisms cannot be
    priced in place, it must be at most 1. What it captured is paid for where it is in scope, and not protected
    elsewhere."""
    scheme = outcome.scheme
    if scheme.cost is NOTHING:
        outcome.demand_noise(inference)
        return NONE
    effects = []
    given: list[_Given] = []
    for param, moved, written in zip(scheme.params, arguments, site.arguments, strict=True):
        origin = Origin(written.span, f"the privacy of `{scheme.name}` holds for a change of at most 1")
        if param.var.public:
            effects.append(inference.leak(moved, origin))
        else:
            reaching = mechanisms.reaching(inference, written.span, moved, origin)
            apart = {
                var: parts.records_told_apart(inference, var, moved[var]) for var in reaching.moves if var in moved
            }
            given.append(_Given(param.var, reaching.moves, apart, origin))
            effects.append(reaching.effects)
    if value.home is inference.context.home:
        captures = {var: {var: ONE} for var in captured}
    else:
        captures = {}
        effects.append(inference.leak(captured, Origin(site.function, f"`{scheme.name}` releases what it captured")))
    called = Called(scheme.cost, {}, outcome.values, Origin(site.span, scheme.name), dict(outcome.instance.answers))
    return in_sequence([*effects, spending(_priced(inference, called, outcome, given, captures))])


def _priced(
    inference: Inference,
    called: Called,
    outcome: ResolvedCall,
    given: Sequence[_Given],
    captures: Mapping[Var, Distances],
) -> Called:
    """A call whose parameters move by what they are ``given``, and what it captured by itself."""
    exact = {each.param: each.told_apart(mechanisms.exact_distances(inference, each.moves)) for each in given}
    from dp_lsp.infer import in_place  # most functions that are called release nothing

    if inference.context.rules.groups and in_place.is_wanted(exact):
        found = None if called.answers else in_place.told(called.body, called.values, {**exact, **captures})
        if found is not None:
            reason = "the noise must hide how far what it is given moves"
            origin = _in_this_call(called.origin.span, outcome.scheme, reason)
            needs = (Constraint(far, "<=", declared, origin, hides=True) for far, declared in found.hidden)
            _demand(inference, needs)
            return in_place.as_called(called, found.cost)
    outcome.demand_noise(inference)
    along = {each.param: each.told_apart(mechanisms.at_most_one(inference, each.moves, each.origin)) for each in given}
    return replace(called, along={**along, **captures})


def _fail(
    inference: Inference,
    site: Site,
    outcome: ResolvedCall,
    value: FunctionValue,
    arguments: list[Judgement],
    captured: Moves,
) -> Effects:
    """A call may fail where its method may, and what the method prints is seen."""
    scheme = outcome.scheme
    if outcome.failing is None:
        return NONE
    decisive = scheme.failing or frozenset()
    deciding = [
        (argument.moves, INFINITY)
        for param, argument in zip(scheme.params, arguments, strict=True)
        if param.var in decisive or outcome.instance.failing
    ]
    if outcome.failing and (value.home is not inference.context.home or any(var in decisive for var in captured)):
        deciding.append((captured, INFINITY))
    seen = moves.combined(deciding, site.span, laws.FAILURE, scheme.name)
    given = zip(scheme.params, arguments, strict=True)
    printed = {var for param, argument in given if param.var in scheme.printed for var in argument.moves}
    if scheme.printed & captured.keys():
        printed |= captured.keys()
    shown = {var: move for var, move in seen.items() if var in printed}
    others = {var: move for var, move in seen.items() if var not in printed}
    rest = showing(site.span) if scheme.printed and not others else failing(others, site.span)
    return in_sequence((rest, printing(shown, site.span))) if shown else rest


def _result(
    inference: Inference,
    node: term.Apply,
    outcome: ResolvedCall,
    value: FunctionValue,
    arguments: list[Moves],
    captured: Moves,
) -> Judgement:
    scheme, values = outcome.scheme, outcome.values

    def place(result: Judgement) -> Judgement:
        parts = [(outcome.captured(inference, value, captured, node.span, result), ONE)]
        ways: list[Way | None] = [Way.RISES]
        for param, argument in zip(scheme.params, arguments, strict=True):
            move = result.moves.get(param.var)
            if move is not None:
                factor = INFINITY if move.sens is INFINITY else values.sens(move.sens)
                parts.append((argument, factor))
                ways.append(move.way)
        together = moves.combined(parts, node.span, laws.CALL, scheme.name, ways)
        items = tuple(place(part) for part in result.parts)
        reach = None if result.reach is None else result.reach.outside(values)
        return replace(inference.judgement(outcome.instance.type(result.type), together, items), reach=reach)

    return place(scheme.result)


# Call-site specialisation


_STATIC = Poly.of(0)  # stands for any public number
_TOO_MANY = "too many functions without annotations call each other"


def as_called(inference: Inference, scheme: Scheme, types: Sequence[Type], is_shared: Callable[[], bool]) -> Scheme:
    """The scheme of a method for arguments of these types. Julia compiles a method without annotations anew for the
    types it is called with; so its scheme for one call is the one it would have if these types were written there. That
    is asked for where the scheme for any types does not serve: where it could not be found, for datasets, of which the
    report of the method itself says nothing, for whole numbers that move it without bound, where all that it is given
    are public numbers: then so is what it returns, and a formula of them, and for arguments of which a source
    ``is_shared``: of operations that wait it is not known which linear functions they are. Of what has annotations,
    public numbers alone say more."""
    if scheme.template is None:
        return scheme
    of_publics = bool(types) and all(map(publics.is_given, types))
    open_ = [isinstance(param.declared, Anything) or (of_publics and _is_any_number(param)) for param in scheme.params]
    given = tuple(type_ if each else None for each, type_ in zip(open_, types, strict=True))
    if not any(given):
        return scheme
    of_datasets = any(isinstance(type_, Dataset) for type_ in given)
    of_forms = bool(scheme.opens) and scheme.form is None and is_shared()
    of_whole = any(is_whole(type_) for type_ in given if type_ is not None) and _moves_without_bound(scheme)
    if not (scheme.reason or of_datasets or of_whole or of_publics or of_forms) or not all(
        type_ is None or _is_known(type_) for type_ in given
    ):
        return scheme
    serves = not scheme.reason and not of_datasets
    effort, key = (
        inference.context.effort,
        (scheme.template, tuple(type_ and _without_number(type_) for type_ in given)),
    )
    if key not in effort.known:
        if not (effort.left and effort.depth):
            return scheme if serves else replace(scheme, reason=scheme.reason if of_publics else _TOO_MANY)
        effort.left -= 1
        effort.depth -= 1
        general = _General(inference.code.sizes)
        made = [type_ and general.type(type_, param.name) for type_, param in zip(given, scheme.params, strict=True)]
        effort.known[key] = scheme.template.called_with(tuple(made), effort)
        effort.depth += 1
    found = effort.known[key]
    return scheme if serves and found.reason else found


def _moves_without_bound(scheme: Scheme) -> bool:
    """Whether what a method returns moves without bound with one of its parameters."""
    found = (scheme.result.moves.get(param.var) for param in scheme.params)
    return any(move is not None and move.sens.infinite for move in found)


def _is_any_number(param: SchemeParameter) -> bool:
    """Whether a parameter is annotated as a number, and no more is said of it: one that is static has a formula."""
    type_ = param.type
    return isinstance(type_, NumberType) and not param.static and type_.base is not Base.DATA and type_.bounds is None


def _without_number(type_: Type) -> Type:
    """A type in which it does not count which public number a number is."""
    if isinstance(type_, NumberType) and type_.static is not None:
        return NumberType(type_.base, _STATIC, stored=type_.stored)
    return type_


def _is_known(type_: Type) -> bool:
    """Whether all is known of a type, and its values can neither be called nor changed in place."""
    match type_:
        case Container(element=element) | Dataset(records=Container(element=element)):
            return _is_known(element) and not can_change(type_)
        case TupleType(items):
            return all(map(_is_known, items))
    return isinstance(type_, NumberType | BoolType)


class _General:
    """Types as those of parameters: their sizes and norms have names of their own, equal ones the same. What numbers
    are bounded by stays as it is, and so do the limits of datasets: no other argument settles them. ``said`` is how a
    language writes sizes."""

    def __init__(self, said: Sizes) -> None:
        self._said = said
        self._sizes: dict[Poly, Poly] = {}
        self._norms: dict[NormVariable, NormVariable] = {}

    def type(self, type_: Type, owner: str) -> Type:
        match type_:
            case NumberType(base, Poly()):
                return NumberType(base, _STATIC, stored=type_.stored)
            case Container():
                return self._container(type_, owner)
            case Dataset(records=records):
                return replace(type_, records=self._container(records, owner))
            case TupleType(items):
                return type_.put(self.type(item, f"{owner}[{i}]") for i, item in enumerate(items, 1))
        return type_

    def _container(self, type_: Container, owner: str) -> Container:
        length, rows = dimensions(type_.kind, owner, self._said)
        length = self._size(type_.length, length)
        rows = None if type_.rows is None or rows is None else self._size(type_.rows, rows)
        return replace(type_, norm=self._norm(type_.norm), length=length, rows=rows)

    def _size(self, size: Poly, new: Poly) -> Poly:
        return size if size.number is not None else self._sizes.setdefault(size, new)

    def _norm(self, norm: AnyNorm) -> AnyNorm:
        if not isinstance(norm, NormVariable):
            return norm
        return self._norms.setdefault(norm, NormVariable(norm.name, norm.free))
