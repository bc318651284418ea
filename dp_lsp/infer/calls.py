"""The rules of calls: of builtins, by the row and its form, and of functions of the program, by their schemes.

The rule of higher-order builtins, such as `map` and `filter`: the function argument is called once, with the types
that the row gives it.

These types follow from the other arguments, which are inferred first. So a parameter without an annotation, of a
function literal, has the type that it is called with, and nothing in its body is deferred.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce

from dp_lsp import builtins
from dp_lsp.builtins import monotonicity
from dp_lsp.builtins.define import (
    Application,
    Applied,
    Args,
    Builtin,
    Form,
    Parameter,
    Partition,
    Refusal,
    Runs,
    no_demands,
)
from dp_lsp.builtins.linear import as_stored
from dp_lsp.builtins.patterns import Binds, Box, Pattern, fits
from dp_lsp.builtins.remedies import UNBOX
from dp_lsp.builtins.traits import ComposableFilter, DividesByLast, InPlace, IntegerArguments
from dp_lsp.core import laws, machine, term
from dp_lsp.core.algebra import ZERO, NormVariable
from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.evaluate import norms_of
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
from dp_lsp.core.metrics import diameter, is_uncounted
from dp_lsp.core.notation import shown, type_words
from dp_lsp.core.ranges import ANYWHERE
from dp_lsp.core.scheme import BlackBox, FunctionValue, Given, Judgement, Moves, Scheme, SchemeParameter
from dp_lsp.core.sens import INFINITY, ONE, Sens, Way, common, number
from dp_lsp.core.term import Local, Term
from dp_lsp.core.types import (
    REAL,
    UNKNOWN,
    Base,
    Boxed,
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
    without_static,
    without_value,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import (
    apply,
    dispatch,
    generalize,
    linear,
    mechanisms,
    moves,
    openings,
    problems,
    publics,
    rows,
    units,
)
from dp_lsp.infer.effects import NONE, NOT_UNDERSTOOD, Effects, Evaluation, failing, in_sequence, printing, spending
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
        times = generalize.times(value, scheme, outcome.values, inference.context.home)
        ways = tuple(map(outcome.way, places))
        selects = generalize.selected(value, scheme, inference.context.home)
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


def builtin(inference: Inference, node: term.Call, arguments: list[Argument]) -> Evaluation:
    """The call of a builtin: its form is resolved by the shapes of the arguments, and the environments of these are
    scaled by the form's sensitivities and added up."""
    row = builtins.TABLE[node.builtin]
    given = _given(inference, arguments)
    values = [value if isinstance(value, Judgement) else Judgement(UNKNOWN, moves.NOWHERE) for value in arguments]
    if any(isinstance(value, Unknown) for value in given):
        return NOT_UNDERSTOOD
    item = _item(inference, node, given, values)
    if item is not None:
        return Evaluation(item)
    if rows.waits(inference, row, given, node.keywords):
        waiting = openings.row(inference, node, row, given, values)
        if waiting is not None:
            return waiting
        rows.assume(inference, row, given, node.keywords)
    given = _given(inference, arguments)
    solved = rows.solve(inference, node, row, given)
    if isinstance(solved, rows.NoMatch):
        return NOT_UNDERSTOOD.after(solved.effects)
    if not _may_change(inference, node, row, solved.args):
        return NOT_UNDERSTOOD
    certain = rows.certain(inference, node, solved, given)
    if certain is not None:
        solved = rows.solve(inference, node, row, certain)
        if isinstance(solved, rows.NoMatch):
            return NOT_UNDERSTOOD.after(solved.effects)
    return _solved(inference, node, solved.form, solved.args, values)


def _item(inference: Inference, node: term.Call, given: list[Given], values: list[Judgement]) -> Judgement | None:
    """The item of a tuple, if that is what is asked for by a number that is known."""
    if node.builtin != builtins.INDEX or len(given) != 2 or not isinstance(given[0], TupleType):
        return None
    if given[0].label is not None and given[0].label.of:
        return None  # a structure has no positions
    place, count = inference.static(values[1]), len(given[0].items)
    if place is None or place.number is None:
        return None
    if place.number not in range(1, count + 1):
        reason = f"there is no item {shown(place)} in a tuple of {count}"
        inference.report(problems.DoesNotFit.at(node.span, function=node.builtin, reason=reason))
        return Judgement(UNKNOWN, moves.NOWHERE)
    return inference.items(values[0], count, node.span)[int(place.number) - 1]


def _may_change(inference: Inference, node: term.Call, row: Builtin, args: Args) -> bool:
    """Whether the argument that is changed in place, if one is, can be: a number or a vector is a value."""
    if not node.mutates or not inference.context.rules.ownership or row.mutates is None:
        return True
    index = args.names.index(row.mutates)
    if can_change(args.types[index]) or row.has(InPlace):  # a vector of its own, says who lowered the program
        return True
    given = type_words(args.types[index])
    wanted = "a gradient or a model"
    inference.report(
        problems.WrongArgument.at(
            node.args[index].span, function=inference.written(node.callee), wanted=wanted, given=given
        )
    )
    return False


def _solved(inference: Inference, node: term.Call, form: Form, args: Args, values: list[Judgement]) -> Evaluation:
    row = builtins.TABLE[node.builtin]
    effects = NONE
    if form.applies is not None:
        applied = apply_function(inference, node, form, args, values)
        if applied is None:
            return NOT_UNDERSTOOD
        args, values, effects = applied
        if row.has(ComposableFilter):
            inference.context.filters[inference.context.home, node.span] = node
    result = form.result(args)
    if isinstance(result, Refusal):
        rows.refused(inference, node, row, args, result)
        return NOT_UNDERSTOOD.after(effects)
    result = as_stored(inference.storage, row.name, args, result)
    rows.demand(inference, node, row, form, args)
    effects = in_sequence((effects, _may_fail(inference, node, form, args, values)))
    if row.has(DividesByLast):
        _is_not_zero(inference, node.args[-1], values[-1])
    if form.noise is not None:
        return mechanisms.release(inference, node, form.noise, args, values, result).after(effects)
    if form.runs is not None:
        return Evaluation(Judgement(result, moves.NOWHERE), effects)
    read = _read(inference, node, form, args, values)
    factors = form.factors(args)
    for norm in {norm for factor in factors for norm in norms_of(factor)}:
        inference.solver.fix_norm(norm)
    moved = _moved(inference, node, form, args, factors, read, result)
    reach = None if form.one_of else moves.magnitude_of_call(inference.solver, row, args, factors, read)
    if reach is not None:
        moved = replace(moved, reach=reach)
    return Evaluation(linear.of_call(inference, node, form, args, values, moved), effects)


def _given(inference: Inference, arguments: list[Argument]) -> list[Given]:
    """The types of arguments; a norm or a type stays as it is written."""
    given: list[Given] = []
    for value in arguments:
        if isinstance(value, Judgement):
            given.append(inference.type(value))
        elif isinstance(value, term.Written):
            given.append(value)
    return given


def _may_fail(inference: Inference, node: term.Call, form: Form, args: Args, values: list[Judgement]) -> Effects:
    """A value that decides whether the run fails tells something by that alone. Where the form has side conditions
    they exclude that a static value makes it fail."""
    if not inference.context.rules.failures:
        return NONE
    failures = _may_be_no_position(inference, node, args, values)
    excluded = form.demands is not no_demands
    fails_on = inference.context.language.semantics.fails_on(node.builtin, form.fails_on, args.names)
    row = builtins.TABLE[node.builtin]
    deciding = [
        values[index].moves
        for index, name in enumerate(args.names)
        if name in fails_on and not (excluded and args.is_static(index)) and not rows.is_defined(row, args.types)
    ]
    if not deciding:
        return failures
    seen = moves.combined(((moved, INFINITY) for moved in deciding), node.span, laws.FAILURE, node.builtin)
    return in_sequence((failures, failing(seen, node.span)))


def _is_not_zero(inference: Inference, divisor: Term, value: Judgement) -> None:
    """Users are taken at their word that a private number by which is divided is not 0, unless it is known: 0 / 0 is no
    number, passes every bound, and is told from numbers in whatever is made of it, noise or a product with 0 too."""
    type_ = inference.type(value)
    if publics.is_public(value.moves) or not isinstance(type_, NumberType):
        return
    ends = type_.bounds
    if ends is None or not (decide(ZERO, "<", ends.low) or decide(ends.high, "<", ZERO)):
        inference.recorder.suppose(f"the divisor `{inference.written(divisor.span)}` is not 0")


def _may_be_no_position(inference: Inference, node: term.Call, args: Args, values: list[Judgement]) -> Effects:
    """A position must be stored as an Integer. Whether it is, public values may decide, or a parameter that it is; else
    nothing is known of what decides it."""
    effects = NONE
    integers = builtins.TABLE[node.builtin].trait(IntegerArguments)
    if integers is None:
        return NONE
    for index, name in enumerate(args.names):
        type_ = args.types[index]
        if name not in integers.names or not isinstance(type_, NumberType):
            continue
        may_be = machine.values(type_.stored)
        sole = [move.sens for move in values[index].moves.values()] == [ONE]
        if not may_be & ~machine.POSITION or (sole and may_be & machine.POSITION):
            continue
        if may_be & machine.POSITION and not _is_public(inference, node.args[index]):
            span = node.args[index].span
            inference.report(problems.MayBeNoPosition.at(span, written=inference.written(span), code=inference.code))
        effects = failing(moves.NOWHERE, node.span)
    return effects


def _is_public(inference: Inference, node: Term) -> bool:
    """Whether an expression is made of public numbers alone, so that what it is stored as is public, too."""
    for part in term.within([node]):
        known = inference.recorder.judgements.get(part)
        if isinstance(part, term.Use) and (known is None or not publics.is_given(inference.type(known))):
            return False
        if not isinstance(part, term.Use | term.Literal | term.Call):
            return False
    return True


def _moved(
    inference: Inference,
    node: term.Call,
    form: Form,
    args: Args,
    factors: tuple[Sens, ...],
    values: list[Judgement],
    result: Type,
) -> Judgement:
    """The result moves by the sum of what its arguments move, each times its factor; of those it is one of, by the
    largest."""
    named = list(zip(args.names, values, factors, monotonicity.of(builtins.TABLE[node.builtin], args), strict=True))
    parts = [
        (part, None if several else way)  # what several steps do is more than one way
        for name, value, factor, way in named
        if name not in form.one_of
        for several, part in enumerate(_weighted(inference, form, args, name, value, factor))
    ]
    weighted, going = [part for part, _ in parts], [way for _, way in parts]
    choices = [value.moves for name, value, _, _ in named if name in form.one_of]
    if choices:
        weighted.append((reduce(lambda left, right: moves.larger(left, right, node.span), choices), ONE))
        going.append(Way.RISES)
    together = moves.combined(weighted, node.span, node.builtin, ways=going)
    if form.entries:
        together = _side_by_side(inference, together, result)
    if form.furthest and inference.context.rules.linear:
        together = moves.furthest(together)
    if not values:
        return Judgement(result, moves.NOWHERE)
    most = _diameter(inference, values[0], inference.solver.type(result))
    return inference.judgement(result, inference.capped(together, most, node.span))


def _read(inference: Inference, node: term.Call, form: Form, args: Args, values: list[Judgement]) -> list[Judgement]:
    """The arguments of a row that reads a container in a norm. How far it moves was said of every norm, if the norm was
    open; a parameter that is in the same norm moves by no less in that than in LInf."""
    if form.reads is None:
        return values
    found = []
    for type_, value in zip(args.types, values, strict=True):
        moved = value.moves
        if isinstance(type_, Container):
            own = inference.solver.norm(type_.norm)
            norms = {norm for move in moved.values() for norm in norms_of(move.sens)}
            alike = [norm for norm in norms if inference.solver.norm(norm) is own]
            moved = moves.read(moved, alike, form.reads, node.span) if alike else moved
        found.append(value if moved is value.moves else replace(value, moves=moved))
    return found


def _side_by_side(inference: Inference, moved: Moves, result: Type) -> Moves:
    """The moves of a vector whose entries add up to these. Where a variable moves several, it is one norm that the
    vector is measured in."""
    assert isinstance(result, Container), "entries are those of a vector"
    if all(len(move.before) == 1 for move in moved.values()):
        return moved
    if isinstance(result.norm, NormVariable):
        inference.solver.fix_norm(result.norm)
    return moves.side_by_side(moved, inference.solver.norm(result.norm))


def _weighted(
    inference: Inference, form: Form, args: Args, name: str, value: Judgement, factor: Sens
) -> Iterator[moves.Weighted]:
    """What an argument moves with, and how often that counts. A variable that moves the argument by several steps moves
    the result by what the row says of so many, as long as its values are no less than 1 apart."""
    stability = form.stability.get(name)
    if stability is None:
        yield value.moves, factor
        return
    several: dict[Var, Sens] = {}
    uneven = set[Var]()
    for var, move in value.moves.items():
        steps = move.sens.number
        if var.gap and steps is not None and steps > 1 and steps.denominator == 1:
            several[var] = stability(args, int(steps)) * number(1 / steps)
            uneven |= {var} if form.uneven(args, int(steps)) else set()
    yield moves.without(value.moves, several), factor
    for var, each in several.items():
        yield inference.of_whole_steps({var: value.moves[var]}, var in uneven), each


def _diameter(inference: Inference, first: Judgement, result: Type) -> Sens:
    """How far apart two results can be. The published checker knows that of vectors out of black boxes only."""
    most = diameter(result)
    boxed = isinstance(first.type, Boxed) and isinstance(result, Container) and most == ONE
    return most if inference.context.rules.diameter or boxed else INFINITY


def function(inference: Inference, node: term.Apply, callee: Judgement, arguments: list[Judgement]) -> Evaluation:
    """The call of a function of the program, of a black box, or of a parameter that is a function."""
    type_ = inference.type(callee)
    if isinstance(type_, Unknown):
        return NOT_UNDERSTOOD
    if node.keywords and not (isinstance(type_, FunctionType) and type_.value.black_box is None):
        name = inference.written(node.function.span)
        inference.report(problems.NoKeyword.at(node.span, function=name, name=node.keywords[0]))
        return NOT_UNDERSTOOD
    if isinstance(type_, TypeVariable):
        if any(isinstance(inference.type(argument), Unknown) for argument in arguments):
            return NOT_UNDERSTOOD
        return openings.call(inference, node, type_, callee, arguments)
    if not isinstance(type_, FunctionType):
        name = inference.written(node.function.span)
        inference.report(
            problems.WrongArgument.at(
                node.function.span, function=name, wanted="a function to call", given=type_words(type_)
            )
        )
        return NOT_UNDERSTOOD
    value = type_.value
    if value.black_box is not None:
        return Evaluation(_boxed(inference, node, value.black_box, arguments))
    completed = _completed(inference, node, value, arguments)
    return NOT_UNDERSTOOD if completed is None else apply.call(inference, completed[0], callee, value, completed[1])


def _boxed(inference: Inference, node: term.Apply, box: BlackBox, arguments: list[Judgement]) -> Judgement:
    """What a black box returns moves without bound with everything it is given, until its type is named."""
    if not node.unboxed:
        unboxed = inference.code.passed(f"{box.name}(…)", (UNBOX,))
        inference.report(problems.NotUnboxed.at(node.span, name=box.name, unboxed=unboxed))
        return NOT_UNDERSTOOD.value
    if len(arguments) != len(box.params):
        given = f"{len(arguments)} {'is' if len(arguments) == 1 else 'are'}"
        wanted = f"{len(box.params)} argument{'' if len(box.params) == 1 else 's'}"
        inference.report(problems.WrongCount.at(node.span, function=box.name, wanted=wanted, given=given))
        return NOT_UNDERSTOOD.value
    apply.check_annotations(inference, node, box, arguments)
    inference.recorder.boxes[box.name] = None
    for argument, written in zip(arguments, node.args, strict=True):
        if _holds_bag(inference.type(argument)):
            records = inference.written(written.span)
            inference.recorder.suppose(f"`{box.name}` does not look at the order of the records of `{records}`")
    parts = ((argument.moves, INFINITY) for argument in arguments)
    return Judgement(Boxed(box.name), moves.combined(parts, node.span, laws.BLACK_BOX, box.name))


def _holds_bag(type_: Type) -> bool:
    """Whether a value is a dataset whose records stand in no order, or a tuple with one in it."""
    if isinstance(type_, TupleType):
        return any(map(_holds_bag, type_.items))
    return isinstance(type_, Dataset) and not type_.metric.ordered


# Arguments that a call leaves out, or gives by name: a call of a function that has default values or keywords gives
# all its parameters something.
#
# A function with default values has a method for each number of arguments, and those with fewer call it again with the
# default values; arguments that are given by name do not count when a method is chosen. Where the function has one
# definition it is that which runs. Where a language gives arguments by name or by position as the call likes, those
# behind the last one that has a position may have names. Sources: the Julia manual, "Optional Arguments" and "Keyword
# Arguments"; the Python reference, "Calls".


def _completed(
    inference: Inference, node: term.Apply, value: FunctionValue, arguments: list[Judgement]
) -> tuple[term.Apply, list[Judgement]] | None:
    """A call with an argument for each parameter, in their order, and what those are; None, with a problem, if it
    cannot be made one."""
    params = value.methods[0].params if len(value.methods) == 1 else ()
    if not node.keywords and not any(map(_is_special, params)):
        return node, arguments
    given = list(zip(node.args, arguments, strict=True))
    count = len(given) - len(node.keywords)
    by_name = dict(zip(node.keywords, given[count:], strict=True))
    placed = [param for param in params if not param.by_name]
    named = {param.name for param in params if param.by_name} | {
        param.name for param in placed[count:] if param.either_way
    }
    twice = next((name for name in node.keywords if name not in named or node.keywords.count(name) > 1), None)
    if twice is not None:
        inference.report(problems.NoKeyword.at(node.span, function=value.name, name=twice))
        return None
    found: list[tuple[term.Term, Judgement]] = given[:count]
    if count > len(placed):
        dispatch.wrong_count(inference, node.span, value, count)
        return None
    for param in (*placed[count:], *(param for param in params if param.by_name)):
        argument = by_name.get(param.name)
        if argument is None:
            argument = _default(inference, node, param)
        if argument is None and param.by_name:
            inference.report(problems.NoArgument.at(node.span, function=value.name, name=param.name))
        elif argument is None:
            dispatch.wrong_count(inference, node.span, value, count)
        if argument is None:
            return None
        found.append(argument)
    if params:
        in_order = (*placed, *(param for param in params if param.by_name))
        found = [_switched(inference, param, each) for param, each in zip(in_order, found, strict=True)]
    return replace(node, args=tuple(each for each, _ in found), keywords=()), [each for _, each in found]


def _is_special(param: SchemeParameter) -> bool:
    """Whether what a call gives for a parameter is not always what it has in its place."""
    return param.default is not None or param.by_name or _is_switch(param)


def _is_switch(param: SchemeParameter) -> bool:
    return isinstance(param.declared, NumberOf) and param.declared.truth


def _switched(
    inference: Inference, param: SchemeParameter, argument: tuple[term.Term, Judgement]
) -> tuple[term.Term, Judgement]:
    """What a call gives a parameter. A truth value that is written out is 1 or 0 where only that it is not 0 counts."""
    written, _ = argument
    if not _is_switch(param) or not isinstance(written, term.Literal) or not isinstance(written.value, bool):
        return argument
    literal = term.Literal(written.span, Fraction(written.value), integer=True)
    return literal, inference.infer(literal).value


def _default(inference: Inference, node: term.Apply, param: SchemeParameter) -> tuple[term.Term, Judgement] | None:
    """What a parameter is that was left out. It stands nowhere in the call, which is pointed at instead."""
    if param.default is None:
        return None
    literal = replace(param.default, span=node.span)
    return literal, inference.infer(literal).value


def called_by_name(inference: Inference, node: term.Apply) -> term.Call | None:
    """The call of a function of the language that programs may replace, where this one does not."""
    name = node.function
    if not isinstance(name, term.Global):
        return None
    row = not_replaced(inference, name)
    if row is None or not row.keywords.issuperset(node.keywords):
        return None
    return term.Call(node.span, row.name, node.args, name.span, keywords=node.keywords)


def not_replaced(inference: Inference, node: term.Global) -> builtins.Builtin | None:
    """The row of a name that no definition of the program has, and nothing that may define one."""
    found = inference.context.language.builtins.find(node.name)
    row = None if found is None else builtins.replaceable(found[0])
    return None if row is None or inference.context.resolve(node.name) is not None else row
