"""The rule of calls of the program's own functions: a scheme is instantiated, its cost is shared.

A helper needs no annotations: Julia compiles a method without annotations anew for the types of a call, so its scheme
for them is the one it would have if they stood there. That is asked for where the scheme for any types does not
serve: for datasets, and where none was found. How often one definition may cause that, and how deep, is limited.
Where a method is understood for some types only, its own report is for the first of them
(:mod:`dp_lsp.infer.method`), and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import repeat

from dp_lsp import builtins
from dp_lsp.builtins import stored
from dp_lsp.builtins.define import Refusal
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.annotation import Anything, dimensions, is_open
from dp_lsp.core.constraints import Constraint, Origin
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import NOTHING, Answer, Called, Distances, EffectVariable, Var
from dp_lsp.core.metrics import as_dataset, counted_as, is_whole
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import BlackBox, FunctionValue, Given, Judgement, Move, Moves, Scheme, SchemeParameter
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, Way
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    BoolType,
    Container,
    Dataset,
    FunctionType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    can_change,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import (
    conditions,
    dispatch,
    explain,
    mechanisms,
    moves,
    norms,
    openings,
    parts,
    problems,
    publics,
    rows,
    through,
    units,
)
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
from dp_lsp.infer.instance import Instance
from dp_lsp.infer.solver import SettledOperation
from dp_lsp.language import FLOAT_NOISE
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Named, Related, Sought
from dp_lsp.text import Span

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
    for premise in scheme.premises:
        if premise not in inference.recorder.premises:
            of_names = _IN not in premise and premise != FLOAT_NOISE
            inference.recorder.suppose(f"{premise}{_IN}{scheme.name}`" if of_names else premise)
    instance = Instance(inference, scheme, lambda: alike or inference.publics.is_fixed(site.arguments))
    inference.solver.place = site.span
    others: dict[int, TakenAs] = {}
    for index, (param, type_, written) in enumerate(zip(scheme.params, types, site.arguments, strict=True)):
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
    result = stored.result(inference.storage, row.name, args, result)
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
    is_shared = partial(through.is_shared, inference, node, arguments)
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
        result = through.of_call(inference, node, value, outcome.scheme, outcome.values, arguments, result)
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
        general = _General()
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
    are bounded by stays as it is, and so do the limits of datasets: no other argument settles them."""

    def __init__(self) -> None:
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
        length, rows = dimensions(type_.kind, owner)
        length = self._size(type_.length, length)
        rows = None if type_.rows is None or rows is None else self._size(type_.rows, rows)
        return replace(type_, norm=self._norm(type_.norm), length=length, rows=rows)

    def _size(self, size: Poly, new: Poly) -> Poly:
        return size if size.number is not None else self._sizes.setdefault(size, new)

    def _norm(self, norm: AnyNorm) -> AnyNorm:
        if not isinstance(norm, NormVariable):
            return norm
        return self._norms.setdefault(norm, NormVariable(norm.name, norm.free))
