"""The rules of the language: literals, names, tuples, bindings and branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.builtins import intervals
from dp_lsp.builtins.traits import Broadcasts, Replaceable, ShortCircuit
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import NOTHING, Either
from dp_lsp.core.metrics import diameter
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import FunctionValue, Judgement, Moves
from dp_lsp.core.sens import INFINITY
from dp_lsp.core.term import Term
from dp_lsp.core.types import (
    BOOL,
    UNKNOWN,
    Base,
    BoolType,
    FunctionType,
    Label,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    without_static,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import (
    applications,
    broadcasts,
    calls,
    checks,
    deviations,
    disjoint,
    entrywise,
    explain,
    functions,
    linear,
    moves,
    problems,
    rounding,
    sampling,
    statistics,
)
from dp_lsp.infer.context import UnknownGlobal
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
from dp_lsp.infer.solver import Mismatch
from dp_lsp.language import Familiar
from dp_lsp.problem import Problem
from dp_lsp.text import Span

BRANCH = "if"


def rule(inference: Inference, node: Term) -> Evaluation:
    """The rule of a term, by what it is."""
    match node:
        case term.Use(local=local):
            found = inference.context.judgement(local)
            return Evaluation(found if found is not None else inference.hole(f"`{local.name}` was not understood"))
        case term.Literal(value=bool()):
            return Evaluation(Judgement(BOOL, moves.NOWHERE))
        case term.Literal(span, value, integer):
            base = Base.INTEGER if integer else Base.REAL
            stored = inference.storage.literal(int(value) if integer else None)
            return Evaluation(Judgement(NumberType(base, Poly.of(Fraction(value)), stored=stored), moves.NOWHERE))
        case term.Call():
            return _noted(inference, node.span, _call(inference, node), node.builtin)
        case term.Apply() if (call := calls.called_by_name(inference, node)) is not None:
            return _noted(inference, node.span, _call(inference, call), call.builtin)
        case term.Apply():
            callee = inference.infer(node.function)
            values, given = inference.infer_all(node.args)
            result = calls.function(inference, node, callee.value, values)
            if not result.effects.costs:
                result = result._replace(value=statistics.tightened(inference, node, result.value))
            result = result.after(callee.effects, given)
            return _noted(inference, node.span, result, "")
        case term.Global() if (call := _constant_of_language(inference, node)) is not None:
            return _noted(inference, node.span, _call(inference, call), call.builtin)
        case term.Global():
            return _noted(inference, node.span, Evaluation(_global(inference, node)), "")
        case term.MakeTuple(span, items):
            values, effects = inference.infer_all(items)
            if node.label is not None and node.label.keyed:
                _is_of_language(inference, node.by)
            elif node.by is not None and node.label is not None:
                functions.must_be_alone(inference, node.label)
            return Evaluation(inference.tuple_of(span, values, node.label), effects)
        case term.Field():
            return _noted(inference, node.span, _field(inference, node), "")
        case term.Branch():
            return _noted(inference, node.span, _branch(inference, node), BRANCH)
        case term.Unending():
            return Evaluation(Judgement(NumberType(Base.INTEGER, stored=inference.storage.literal(1)), moves.NOWHERE))
        case term.Loop() | term.Comprehension():
            return _rounds(inference, node)
        case term.Scope():
            return sampling.scope(inference, node)
        case term.Closure():
            return _noted(inference, node.span, Evaluation(functions.closure(inference, node)), "")
        case term.Check():
            return _check(inference, node)
        case term.Show():
            return _show(inference, node)
        case term.Hole(reason=reason, parts=parts):
            _, effects = inference.infer_all(parts)
            return Evaluation(inference.hole(reason), effects)
    return Evaluation(inference.hole("an argument that is not a value"))


def _rounds(inference: Inference, node: term.Loop | term.Comprehension) -> Evaluation:
    """A loop or a comprehension; the module that knows their rules is loaded for the first one."""
    from dp_lsp.infer import loops  # most functions have none

    if isinstance(node, term.Loop):
        return loops.loop(inference, node)
    made = loops.comprehension(inference, node)
    if not made.effects.costs:
        made = made._replace(value=statistics.tightened(inference, node, made.value))
    return _noted(inference, node.span, made, loops.COMPREHENSION)


def _constant_of_language(inference: Inference, node: term.Global) -> term.Call | None:
    """The call that a constant of the language stands for, such as `pi`, where the program defines none of that
    name."""
    row = calls.not_replaced(inference, node)
    trait = None if row is None else row.trait(Replaceable)
    return None if row is None or trait is None or not trait.value else term.Call(node.span, row.name, (), node.span)


def _call(inference: Inference, node: term.Call) -> Evaluation:
    """A use of a row. Picking a row that a round has for itself never fails."""
    _is_of_language(inference, node.by)
    node = deviations.as_statistic(inference, node)
    if builtins.TABLE[node.builtin].has(Broadcasts):
        return _broadcast(inference, node)
    return _used(inference, node, *_arguments(inference, node))


def _used(inference: Inference, node: term.Call, given: list[Judgement | Term], effects: Effects) -> Evaluation:
    """A use of a row by what its arguments are."""
    values = disjoint.arguments(inference.context.rounds, node, given)
    result = calls.builtin(inference, node, values)
    value = statistics.ranged(inference, node, rounding.stepped(inference, node, given, result.value))
    value = statistics.apart(inference, node, statistics.tightened(inference, node, value))
    result = result._replace(value=entrywise.sums(inference, node, value))
    if disjoint.is_there(inference.context.rounds, node):
        result = Evaluation(result.value, result.effects._replace(failures=()))
    return result.after(effects)


def _broadcast(inference: Inference, node: term.Call) -> Evaluation:
    """A broadcast by what it goes over: numbers are the same for each entry, so its function reads them as what it has
    captured; over numbers alone it is a call."""
    over, effects = inference.infer_all(node.args[1:])
    call, rest = broadcasts.spread(inference, node, over)
    if call is None:
        return NOT_UNDERSTOOD.after(effects)
    if isinstance(call, term.Body):
        return broadcasts.of_numbers(inference, node, inference.body(call).after(effects))
    applications.tell_expected(inference, call, dict(enumerate(rest, 1)))
    function, made = inference.infer(call.args[0])
    found = _used(inference, call, [function, *rest], in_sequence((effects, made)))
    for each, value in zip(node.args[1:], over, strict=True):  # entries of it have its name, and stand where it does
        inference.recorder.facts[each.span] = (value, "")
    return found


def _arguments(inference: Inference, node: term.Call) -> tuple[list[Judgement | Term], Effects]:
    """The arguments of a builtin, where what is not a value stays as it is written, and the effect of evaluating them.
    Of one that is lazy, the first decides whether the others are evaluated."""
    lazy = builtins.TABLE[node.builtin].has(ShortCircuit)
    late = frozenset[int]() if lazy else applications.written_functions(node)
    values, effects = _evaluated(inference, node, [index for index in range(len(node.args)) if index not in late])
    if late:
        applications.tell_expected(inference, node, values)
        made, others = _evaluated(inference, node, sorted(late))
        values, effects = values | made, effects + others
    first = values.get(0)
    if lazy and isinstance(first, Judgement):
        effects[1:] = [_behind(first, node.args[0].span, in_sequence(effects[1:]))]
    return [values[index] for index in range(len(node.args))], in_sequence(effects)


def _evaluated(
    inference: Inference, node: term.Call, places: Iterable[int]
) -> tuple[dict[int, Judgement | Term], list[Effects]]:
    """The arguments of a builtin at some places, by these, and the effect of evaluating each."""
    values: dict[int, Judgement | Term] = {}
    effects = []
    for place in places:
        arg = node.args[place]
        found = None if isinstance(arg, term.Written) else inference.infer(arg)
        values[place] = arg if found is None else found.value
        effects.append(NONE if found is None else found.effects)
    return values, effects


def _behind(condition: Judgement, span: Span, effects: Effects) -> Effects:
    """The effect of what is evaluated where a condition lets it be: that it fails tells of the condition."""
    if not effects.failures or not condition.moves:
        return effects
    reached = moves.scaled(condition.moves, INFINITY, span, laws.CONDITION)
    return in_sequence((effects, Effects(failures=(effects.failures[0]._replace(moves=reached),))))


def _noted(inference: Inference, span: Span, found: Evaluation, rule: str) -> Evaluation:
    """An evaluation, with its value as the fact of a place and the rule that gave it."""
    inference.recorder.facts[span] = (found.value, rule)
    return found


def _label(inference: Inference, value: Judgement) -> Label | None:
    """The structure that a value is, or the names that its items have; None for a tuple without and for anything
    else."""
    type_ = inference.type(value)
    return type_.label if isinstance(type_, TupleType) else None


def _field(inference: Inference, node: term.Field) -> Evaluation:
    """The item of a name. It moves as the item of a tuple does."""
    value, effects = inference.infer(node.value)
    type_ = inference.type(value)
    if isinstance(type_, Unknown):
        return NOT_UNDERSTOOD.after(effects)
    if isinstance(type_, TupleType) and type_.label is not None and node.name in type_.label.names:
        place = type_.label.names.index(node.name)
        return Evaluation(inference.items(value, len(type_.items), node.span)[place], effects)
    given = type_words(type_)
    inference.report(problems.NoField.at(node.span, name=node.name, given=given))
    return NOT_UNDERSTOOD.after(effects)


def _global(inference: Inference, node: term.Global) -> Judgement:
    """A name at top level: its value, or its definition as a function. What is not known makes the definition
    unknown."""
    span, name = node.span, node.name
    found = inference.context.resolve(name)
    if found is None:
        if inference.context.language.vocabulary.does(name, Familiar.UNRULED):
            inference.report(problems.NoRule.at(span, name=name))
            return Judgement(UNKNOWN, moves.NOWHERE)
        why = (
            "is not defined here"
            if calls.not_replaced(inference, node) is None
            else "is only called: give a function that does"
        )
        inference.report(problems.UnknownName.at(span, name=name, why=why))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if isinstance(found, UnknownGlobal):
        because = f" ({found.reason})" if found.accepted else ""
        inference.give_up(f"it uses `{found.name}`, which was not checked to the end{because}")
        related = explain.unchecked(span, found.name)
        inference.report(problems.CallsUnchecked.at(span, name=found.name, reason=found.reason, related=related))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if isinstance(found, FunctionValue):
        if found.black_box is not None and not node.called:
            inference.report(problems.BlackBoxAsValue.at(span, name=name, code=inference.code))
            return Judgement(UNKNOWN, moves.NOWHERE)
        if any(method.rebindable for method in found.methods):
            inference.recorder.untyped = name
        return Judgement(FunctionType(found), moves.NOWHERE)
    inference.recorder.boxes.update(dict.fromkeys(found.boxes))
    if found.rebindable:
        inference.recorder.untyped = name
    return found


def _branch(inference: Inference, node: term.Branch) -> Evaluation:
    """A choice by a condition. The sides are inferred alike; what either spends counts as the larger of both, if the
    condition is public, and is a leak otherwise."""
    condition, before = inference.infer(node.condition)
    _must_be_bool(inference, condition, node.condition.span)
    sides = [inference.body(side) for side in (node.then, node.otherwise)]
    failures = [_behind(condition, node.condition.span, Effects((), side.effects.failures)) for side in sides]
    costs = tuple(side.effects.cost for side in sides)
    spent = [NONE]
    if any(cost is not NOTHING for cost in costs):
        origin = Origin(node.condition.span, "a condition decides which mechanism runs")
        spent = [spending(Either(costs)), _no_private_choice(inference, condition.moves, origin)]
    if all(cost is not NOTHING for cost in costs):
        from dp_lsp.infer.mistakes import suspicions  # hardly any function has such branches

        suspicions.compare_brackets(inference, node)
    one, other = (side.value for side in sides)
    result = joined(inference, node.span, one, other, condition.moves)
    if not condition.moves and result.form is None:
        result = linear.of_either(inference, (one, other), (node.then.result, node.otherwise.result), result)
    return Evaluation(result).after(before, *failures, *spent)


def _must_be_bool(inference: Inference, condition: Judgement, span: Span) -> None:
    """A run fails at a condition that is no Bool, so what may be any value is taken to be one from here on."""
    type_ = inference.type(condition)
    if isinstance(type_, TypeVariable):
        inference.solver.join(type_, BOOL)
    elif not isinstance(type_, BoolType | Unknown):
        given = type_words(type_)
        inference.report(problems.WrongArgument.at(span, function=BRANCH, wanted="a Bool", given=given))


def _no_private_choice(inference: Inference, moved: Moves, origin: Origin) -> Effects:
    """Report that a private condition decides which mechanism runs: that tells it, so nothing is guaranteed."""
    private = frozenset(var for var in moved if not var.exempt)
    if private:
        names = "`, `".join(sorted({var.name for var in private if not var.members}))
        inference.report(
            problems.LeavesUnprotected.at(
                origin.span, what="this condition", variable=names, consequence="it decides which mechanism runs"
            )
        )
    return inference.leak(private, origin)


def joined(inference: Inference, span: Span, left: Judgement, right: Judgement, condition: Moves) -> Judgement:
    """One of two values. A private condition lets the result jump: ∞, or 1 where no two results are further apart."""
    label = _label(inference, left)
    if left.parts and len(left.parts) == len(right.parts) and label == _label(inference, right):
        parts = [joined(inference, span, a, b, condition) for a, b in zip(left.parts, right.parts, strict=True)]
        return inference.tuple_of(span, parts, label)
    if isinstance(inference.type(left), FunctionType) or isinstance(inference.type(right), FunctionType):
        inference.report(problems.WhichFunction.at(span, written=inference.written(span)))
        return Judgement(UNKNOWN, moves.NOWHERE)
    try:
        type_ = inference.solver.join(left.type, right.type)
    except Mismatch as mismatch:
        inference.report(problems.DoesNotFit.at(span, function=BRANCH, reason=f"the two branches give {mismatch}"))
        return Judgement(UNKNOWN, moves.NOWHERE)
    if left is right:
        return left
    most = inference.context.rules.either(left.moves, right.moves, span)
    found = moves.magnitude_of_either(*(moves.magnitude_bound(inference.solver, side) for side in (left, right)))
    if not condition:
        return replace(inference.judgement(_between(type_, left.type, right.type), most), reach=found)
    type_ = _between(without_static(type_), left.type, right.type)
    most_apart = diameter(type_) if inference.context.rules.diameter else INFINITY
    together = moves.joined(most, (condition, most_apart), span, laws.CONDITION)
    return Judgement(type_, inference.capped(together, most_apart, span), reach=found)


def _between(joined: Type, left: Type, right: Type) -> Type:
    """A number that is one of two lies where either may lie."""
    if not isinstance(joined, NumberType) or joined.static is not None or joined.base is Base.DATA:
        return joined
    return replace(joined, bounds=intervals.hull(intervals.of(left), intervals.of(right)))


def _check(inference: Inference, node: term.Check) -> Evaluation:
    """What decides whether the run fails, and what is said where it does, is seen: in a private function both must be
    public, and the result of another one has no bound in either."""
    condition, deciding = inference.infer(node.condition)
    values, saying = inference.infer_all(node.shown)
    effects = in_sequence((deciding, saying))
    if inference.context.rules.failures and not inference.context.protects:
        seen = (condition.moves, *(value.moves for value in values))
        told = moves.combined(((moved, INFINITY) for moved in seen), node.span, laws.FAILURE)
        effects = in_sequence((effects, failing(told, node.span)))
    else:
        effects = in_sequence((effects, _seen_to_fail(inference, node, condition, values)))
    _is_of_language(inference, node.failing)
    return Evaluation(Judgement(TupleType(()), moves.NOWHERE), effects)


def _seen_to_fail(inference: Inference, node: term.Check, condition: Judgement, values: Sequence[Judgement]) -> Effects:
    """The effect of a run that fails in a private function, which reports what is private of it."""
    private = sorted({var.name for var in condition.moves if not var.public})
    effects = failing(moves.NOWHERE, node.span) if inference.context.rules.failures and not private else NONE
    if private:
        fixes = tuple(fix._replace(declares=True) for fix in inference.publish(private))
        problem = problems.PrivateCheck.at(node.span, variable="`, `".join(private), fixes=fixes)
        effects = in_sequence((effects, _told(inference, problem, [condition])))
    for shown, value in zip(node.shown, values, strict=True):
        told = sorted({var.name for var in value.moves if not var.public})
        if told:
            problem = problems.PrivateMessage.at(shown.span, variable="`, `".join(told))
            effects = in_sequence((effects, _told(inference, problem, [value])))
    return effects


def _told(inference: Inference, problem: Problem, values: Sequence[Judgement]) -> Effects:
    """The effect of values that are seen as they are, which is a problem. Of what is the same in all runs, but for how
    it is stored, nothing is known then. In a function that is made inside another one they are seen as often as it is
    called: that is not followed."""
    same = all(move.sens.zero for value in values for var, move in value.moves.items() if not var.public)
    unknown = inference.context.is_inside or same
    inference.report(problem._replace(unchecked=unknown))
    return NONE if unknown else printing(_as_they_are(values, problem.span), problem.span, told=True)


def _as_they_are(values: Sequence[Judgement], span: Span) -> Moves:
    """How far what is seen moves with values that are seen as they are."""
    together = moves.combined(((value.moves, INFINITY) for value in values), span, laws.FAILURE)
    return {var: replace(move, sens=INFINITY) for var, move in together.items()}


def _show(inference: Inference, node: term.Show) -> Evaluation:
    """What is printed is seen, as a failure is: so what is shown must be public, and a private condition must not
    decide whether it is printed. (The outputs of a run are its value and all that it printed, in order; where what is
    printed is the same in both runs, and so is which of it is reached, they are as far apart as the values.) Whether
    what a function is given may be seen, where nothing is said of it, is judged where it is called."""
    values, effects = inference.infer_all(node.shown)
    private = {var for value in values for var in value.moves if not var.public}
    if private and inference.context.leaves_to_calls(private):
        effects = in_sequence((effects, printing(_as_they_are(values, node.span), node.span)))
    elif private:
        problem = checks.private_output(inference, node.span, private)
        effects = in_sequence((effects, _told(inference, problem, values)))
    elif inference.context.rules.failures:
        effects = in_sequence((effects, showing(node.span)))
    for function in node.by:
        _is_of_language(inference, function)
    nothing = Judgement(TupleType(()), moves.NOWHERE)
    return Evaluation(values[-1] if node.gives else nothing, effects)


def _is_of_language(inference: Inference, function: term.Global | None) -> None:
    """Of a function of which it is known what it does, without a rule of its own, nothing is known if the program
    defines it."""
    if function is not None and inference.context.resolve(function.name) is not None:
        inference.report(problems.NoRule.at(function.span, name=function.name))
