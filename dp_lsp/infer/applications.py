"""The rule of higher-order builtins, such as `map` and `filter`: the function argument is called once, with the types
that the row gives it.

These types follow from the other arguments, which are inferred first. So a parameter without an annotation, of a
function literal, has the type that it is called with, and nothing in its body is deferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dp_lsp import builtins
from dp_lsp.builtins.define import Application, Applied, Args, Form, Parameter, Partition, Runs
from dp_lsp.builtins.patterns import Binds, Box, Pattern, fits
from dp_lsp.core import laws, term
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import (
    NOTHING,
    Awaited,
    Called,
    Cost,
    Distances,
    EffectVariable,
    Either,
    Parallel,
    Repeat,
    Var,
    sequence,
)
from dp_lsp.core.metrics import is_uncounted
from dp_lsp.core.notation import type_words
from dp_lsp.core.ranges import ANYWHERE
from dp_lsp.core.scheme import FunctionValue, Judgement, Moves, Scheme
from dp_lsp.core.sens import INFINITY, ONE, common
from dp_lsp.core.term import Local, Term
from dp_lsp.core.types import (
    REAL,
    UNKNOWN,
    Base,
    Container,
    FunctionType,
    Norm,
    NumberType,
    Type,
    TypeVariable,
    Unknown,
    without_static,
    without_value,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import apply, generalize, mechanisms, moves, openings, problems, through, units
from dp_lsp.infer.effects import NONE, Effects, failing, in_sequence, printing, spending
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mechanisms import InputDistances, distances
from dp_lsp.infer.solver import Mismatch
from dp_lsp.named import NamedTuple

_ATTEMPTS = 3


class Calling(NamedTuple):
    """The arguments of a higher-order builtin, with the results and environments (captures included) of its function
    argument, and the effect of its calls."""

    args: Args
    values: list[Judgement]
    effects: Effects


def apply_function(
    inference: Inference, node: term.Call, form: Form, args: Args, values: list[Judgement]
) -> Calling | None:
    """Call the function argument of a builtin. None, with a problem, if it cannot be called so."""
    application = form.applies
    assert application is not None, "the form applies a function"
    index = args.names.index(application.argument)
    argument = args.types[index]
    held = inference.solver.type(argument.element) if isinstance(argument, Container) else argument
    calls = _Calls(inference, node, index, held, values[index].moves)
    calls.carries_public(form, args)
    applied = calls.settled(application, args)
    if applied is None:
        return None
    values = [*values[:index], Judgement(argument, calls.captured), *values[index + 1 :]]
    effects = in_sequence((calls.effects, calls.fail(values, for_records=form.runs is None)))
    args = replace(args, applied={application.argument: applied})
    if form.runs is not None and form.runs.parts is not None:
        by = _by(inference, node, form.runs.parts, args, values)
        if by is None:
            return None
        args, values, effects = by.args, by.values, in_sequence((effects, by.effects))
    if form.runs is not None:
        spent = calls.run(form.runs, args, values)
        return None if spent is None else Calling(args, values, in_sequence((effects, spent)))
    if calls.releases:
        calls.refused("a function that releases nothing", f"`{inference.written(calls.span)}`")
        return None
    return Calling(args, values, effects)


def _by(inference: Inference, node: term.Call, parts: Partition, args: Args, values: list[Judgement]) -> Calling | None:
    """The same with the function that says of a record in which part it lies. It must say so by the record alone."""
    index = args.names.index(parts.by.argument)
    function = inference.solver.type(args.types[index])
    calls = _Calls(inference, node, index, function, values[index].moves)
    applied = calls.settled(parts.by, args)
    if applied is None:
        return None
    if calls.releases:
        calls.refused("a function that releases nothing", f"`{inference.written(calls.span)}`")
        return None
    values = [*values[:index], Judgement(function, calls.captured), *values[index + 1 :]]
    failures = calls.fail(values, for_records=True)
    if isinstance(function, TypeVariable):
        lost = inference.leak(calls.captured, Origin(calls.span, "in which part a record lies must be public"))
    else:
        lost = mechanisms.expose(inference, node, index, values)
    args = replace(args, applied={**args.applied, parts.by.argument: applied})
    return Calling(args, values, in_sequence((calls.effects, failures, lost)))


class _Calls:
    """The calls of one function by one use of a row. ``captured`` are the moves of its results by what it captured,
    ``_held`` those of all that it captured; ``failing`` says whether what it is given decides if a call fails, and
    is None if none does, and ``prints`` whether one prints what it is given. ``effects`` are those of choosing the
    methods that run, and ``_public`` is the place of what is public in each call."""

    def __init__(self, inference: Inference, node: term.Call, index: int, function: Type, captured: Moves) -> None:
        self._inference = inference
        self._node = node
        self._function = function
        self.span = node.args[index].span
        self.captured = self._held = captured
        self.failing: bool | None = None
        self.prints = False
        self.effects = NONE
        self.releases = False
        self._public: int | None = None
        self._outcome: apply.ResolvedCall | None = None
        self._awaited: EffectVariable | None = None

    def carries_public(self, form: Form, args: Args) -> None:
        """What a private function carries from run to run is public in each, by induction: it must be when the first
        one starts, and what a run returns is released. Whether it is certainly a number holds likewise."""
        carried = None if form.applies is None else form.applies.carried
        if form.runs is None or carried is None or not self._inference.context.rules.computed:
            return
        starts = [self._node.args[args.names.index(name)] for name in form.runs.exposed]
        if self._inference.publics.is_real(starts):
            self._public = carried

    def refused(self, wanted: str, given: str) -> None:
        """Report a function of another kind than the row calls."""
        self._inference.report(
            problems.WrongArgument.at(self.span, function=self._node.builtin, wanted=wanted, given=given)
        )

    def fail(self, values: list[Judgement], for_records: bool) -> Effects:
        """A call may fail, or what the arguments are decides whether one does. Of calls ``for_records`` also whether
        there is one, where it is private how many records there are."""
        if self.failing is None:
            return NONE
        node, deciding = self._node, values
        if not self.failing:
            uncounted = [value for value in values if is_uncounted(self._inference.type(value))]
            deciding = uncounted if for_records else []
        seen = moves.combined(((value.moves, INFINITY) for value in deciding), node.span, laws.FAILURE, node.builtin)
        return (printing if self.prints else failing)(seen, node.span)

    def settled(self, application: Application, args: Args) -> Applied | None:
        """What the function does. What it carries from call to call has one type, that of every call."""
        types = [without_value(type_) for type_ in application.given(args)]
        for _ in range(_ATTEMPTS):
            applied = self._called([self._in_each_call(place, type_) for place, type_ in enumerate(types)])
            if applied is None or application.carried is None:
                return applied
            solver = self._inference.solver
            try:
                wider = without_static(solver.join(types[application.carried], applied.result))
            except Mismatch as mismatch:
                reason = f"what is carried from call to call starts and ends as {mismatch}"
                where = self._node.span
                self._inference.report(problems.DoesNotFit.at(where, function=self._node.builtin, reason=reason))
                return None
            if wider == solver.type(types[application.carried]):
                return applied._replace(result=wider)
            types[application.carried] = wider
        reason = f"what is carried is of another type after each of {_ATTEMPTS} calls; start with that of a later one"
        self._inference.report(problems.DoesNotFit.at(self._node.span, function=self._node.builtin, reason=reason))
        return None

    def _in_each_call(self, place: int, type_: Type) -> Type:
        """What a function is called with: a number that is public in each call is another one in each."""
        if place != self._public:
            return type_
        function = self._inference.solver.type(self._function)
        methods = function.value.methods if isinstance(function, FunctionType) else ()
        named = [method.params[place].name for method in methods if place < len(method.params)]
        local = Local(next(iter(named), self._inference.written(self.span)), self.span)
        return self._inference.publics.of_rounds(type_, local, ANYWHERE)

    def _takes(self, scheme: Scheme, place: int) -> bool:
        """Whether a public parameter is given what is public in each call, and is certainly a number if it is one."""
        return place == self._public and (scheme.real or not isinstance(scheme.params[place].type, NumberType))

    def _called(self, types: list[Type]) -> Applied | None:
        inference = self._inference
        function = inference.solver.type(self._function)
        if isinstance(function, TypeVariable):
            known = openings.opened(inference, self._node.span, function, types)
            self._awaited = known.release
            self.releases = known.release is not None
            return Applied(known.result, known.factors, (None,) * len(types))
        if not isinstance(function, FunctionType) or function.value.black_box is not None:
            self.refused("a function", type_words(function))
            return None
        return self._run(function.value, types)

    def _run(self, value: FunctionValue, types: list[Type]) -> Applied | None:
        """Call a function; of several, of which it may be any, the result holds every result."""
        applied: Applied | None = None
        for choice in value.choices or (value,):
            one = self._run_one(choice, types, alone=choice is value)
            if one is None:
                return None
            if applied is not None:
                try:
                    result = self._inference.solver.join(applied.result, one.result)
                except Mismatch as mismatch:
                    self.refused("functions that return one type", f"functions that return {mismatch}")
                    return None
                both = zip(applied.factors, one.factors, strict=True)
                ways = map(common, zip(applied.ways, one.ways, strict=True))
                factors, untyped = tuple(left.at_least(right) for left, right in both), applied.untyped or one.untyped
                one = Applied(result, factors, tuple(ways), untyped=untyped)
            applied = one
        return applied

    def _run_one(self, value: FunctionValue, types: list[Type], alone: bool) -> Applied | None:
        inference = self._inference
        blame = (term.Hole(self.span, ""),) * len(types)
        site = apply.Site(self._node.span, self.span, blame)
        recorder, before = inference.recorder, inference.recorder.untyped
        recorder.untyped = ""
        outcome = self._outcome = apply.run(inference, site, value, types, alike=self._public is None)
        untyped, recorder.untyped = recorder.untyped, recorder.untyped or before
        if outcome is None:
            return None
        outcome.demand_noise(inference)
        scheme = outcome.scheme
        self.effects = in_sequence((self.effects, outcome.effects))
        taken = [place for place, param in enumerate(scheme.params) if param.static and not self._takes(scheme, place)]
        if taken:
            private = f"a function without `{inference.code.public}` parameters"
            never = "a function that certainly returns a number, and never NaN"
            self.refused(never if taken == [self._public] else private, f"`{scheme.name}`")
            return None
        self.releases |= scheme.cost is not NOTHING or scheme.claims_privacy
        if outcome.failing is not None:
            self.failing = bool(self.failing) or outcome.failing
            self.prints = self.prints or bool(scheme.printed)
        if alone:
            self.captured = outcome.captured(inference, value, self.captured, self._node.span)
        places = range(len(types))
        times = through.times(value, scheme, outcome.values, inference.context.home)
        ways = tuple(map(outcome.way, places))
        selects = through.selected(value, scheme, inference.context.home)
        return Applied(outcome.type, tuple(map(outcome.factor, places)), ways, times, selects, untyped, outcome.radius)

    def run(self, runs: Runs, args: Args, values: list[Judgement]) -> Effects | None:
        """What the runs of a private function spend; None, with a problem, if it is none."""
        inference, node = self._inference, self._node
        if not self.releases:
            wanted = f"a private function (declared `{inference.code.private}`)"
            self.refused(wanted, f"`{inference.written(self.span)}`")
            return None
        origin = Origin(node.span, node.builtin)
        effects = [inference.leak(self._held, origin)]  # every run reads it, and nothing hides how often
        effects += [mechanisms.expose(inference, node, args.names.index(name), values) for name in runs.exposed]
        if runs.parts is not None:
            return in_sequence([*effects, self._run_on_parts(runs, runs.parts, args, values, origin)])
        given = [self._distances(None if fed is None else args.names.index(fed), values) for fed in runs.feeds]
        times, once = runs.times(args), self._seen(runs, [each.distances for each in given], origin)
        spent = spending(once if times == ONE else Repeat(times, once, origin))
        return in_sequence([*effects, *(each.effects for each in given), spent])

    def _run_on_parts(
        self, runs: Runs, parts: Partition, args: Args, values: list[Judgement], origin: Origin
    ) -> Effects:
        (fed,) = runs.feeds
        index = args.names.index(fed) if fed is not None else 0
        written, steps = self._node.args[index], parts.steps(args)
        found = distances(self._inference, written.span, values[index].moves, origin)
        part = Var("part", gap=True)
        along = {var: distance * steps for var, distance in found.distances.items()}
        on_one = self._spent([{part: ONE}], origin, (True,))
        return in_sequence((found.effects, spending(Parallel(part, along, on_one, origin))))

    def _distances(self, index: int | None, values: list[Judgement]) -> InputDistances:
        """How far the runs' inputs move with what is given for one parameter; nothing where that is public."""
        if index is None:
            return InputDistances({}, NONE)
        written = self._node.args[index]
        origin = Origin(written.span, f"`{self._node.builtin}` protects a change of at most 1")
        found = distances(self._inference, written.span, values[index].moves, origin)
        far = {var for var, distance in found.distances.items() if not var.members and distance.number not in (0, 1)}
        for var in sorted(far, key=lambda var: var.name):
            self._inference.demand(found.distances[var], "<=", ONE, origin)
        return found

    def _seen(self, runs: Runs, along: list[Distances], origin: Origin) -> Cost:
        """The runs that see a change. A record that lies in one row of several matrices is seen by one run if it is
        the same row, and by one run for each matrix if not."""
        together = self._spent(along, origin)
        touched = [position for position, moved in enumerate(along) if moved]
        if not runs.rowwise or len(touched) < 2:
            return together
        apart = [self._spent([part if i == at else {} for i, part in enumerate(along)], origin) for at in touched]
        return Either((together, sequence(apart)))

    def _spent(self, along: list[Distances], origin: Origin, stepped: tuple[bool, ...] = ()) -> Cost:
        if self._awaited is not None:
            return Awaited(self._awaited, tuple(along), origin, stepped)
        assert self._outcome is not None, "it has been called"
        scheme, instance = self._outcome.scheme, self._outcome.instance
        cost, params = units.in_steps(scheme, self.span)
        by_param = dict(zip(params, along, strict=True))
        return Called(cost, by_param, self._outcome.values, origin, dict(instance.answers))


# What functions that are written in a call are called with


Argument = Judgement | Term


def written_functions(node: term.Call) -> frozenset[int]:
    """The positions of arguments that are function literals, or vector literals of them."""
    if all(form.applies is None for form in builtins.TABLE[node.builtin].forms):
        return frozenset()
    return frozenset(index for index, arg in enumerate(node.args) if any(True for _ in _written(arg)))


def tell_expected(inference: Inference, node: term.Call, known: Mapping[int, Argument]) -> None:
    """Record the parameter types of function literals where the other arguments determine them."""
    for form in inference.context.rules.forms(builtins.TABLE[node.builtin]):
        params = form.parameters(len(node.args) - len(node.keywords), node.keywords)
        types = None if params is None else _given_types(inference, form, params, known)
        if params is None or types is None:
            continue
        if not generalize.owned(types).types and not any(isinstance(type_, Unknown) for type_ in types):
            (place,) = (index for index, param in enumerate(params) if param.name == _applied(form))
            inference.context.expected |= dict.fromkeys(_written(node.args[place]), types)
        return


def _applied(form: Form) -> str:
    return "" if form.applies is None else form.applies.argument


def _given_types(
    inference: Inference, form: Form, params: tuple[Parameter, ...], known: Mapping[int, Argument]
) -> tuple[Type, ...] | None:
    """What a form calls its function with; None if the arguments do not have its shape, or it may be another each time.
    A number that is carried and starts as any real one is that in each call."""
    application = form.applies
    if application is None or form.runs is not None:
        return None
    types: list[Type] = []
    for index, param in enumerate(params):
        value = known.get(index)
        if (value is None) is not (param.name == application.argument):
            return None
        type_ = inference.type(value) if isinstance(value, Judgement) else UNKNOWN
        if value is not None and (isinstance(type_, TypeVariable) or not _suits(param.pattern, type_)):
            return None
        types.append(type_)
    args = Args(tuple(param.name for param in params), tuple(types), Binds())
    given = [without_value(inference.solver.type(each)) for each in application.given(args)]
    if application.carried is not None:
        start = given[application.carried]
        if not isinstance(start, NumberType) or start.base is not Base.REAL:
            return None
        given[application.carried] = REAL
    return tuple(given)


def _suits(pattern: Pattern, type_: Type) -> bool:
    """Whether a type has the shape that a pattern wants, and the norm."""
    asked = pattern.norm if isinstance(pattern, Box) else None
    given = type_.norm if isinstance(type_, Container) else None
    return fits(pattern, type_) and (given is asked or not (isinstance(asked, Norm) and isinstance(given, Norm)))


def _written(node: Term) -> Iterator[term.Closure]:
    if isinstance(node, term.Closure):
        yield node
    elif isinstance(node, term.Call) and node.builtin == builtins.LITERAL:
        yield from (entry for entry in node.args if isinstance(entry, term.Closure))
