"""The rules of the language: literals, names, tuples, bindings and branches.

Two sums over the entries of one vector, added up or taken from each other, read as one sum.

Σ f(vᵢ) - Σ g(vᵢ) is Σ (f - g)(vᵢ), and how far that moves with an entry is how far f - g does: what is clipped at one
bound, less what is clipped at another one, moves where a single clip does, and by no more. Each sum by itself may move
by all that the vector does, and that both go the same way is not counted then. Both are the same number, so the smaller
bound holds. Sums over the records of a dataset are read in :mod:`dp_lsp.infer.tallies`.

What reading a value as a statistic of records says of it, its ends and its moves, and which values may be such; how
they are read, see :mod:`dp_lsp.infer.tallies`.

Broadcasts, typed by which of their operands are containers and which are scalars.

A scalar operand is taken out: inside of the function its name stands for the scalar itself, so it counts as a captured
value, and a public one keeps its value. What remains goes over one container, or several of one size.

The rule of subsampling: a builtin that draws a random sample binds it for the rest of its block, which is inferred
for the sample; its cost is amplified.

Rounding a number that a dataset or a whole number moves: it jumps, but by no more than whole numbers lie in between.

A real number may lie just below a whole one, so the smallest change may move what it is rounded to by 1: rounding has
no Lipschitz constant. Two datasets, however, differ by a whole number n of records, and two whole numbers by one, n.
What moves by at most s for one record, or for 1, moves by at most ns then, and what it is rounded to

- down, up or towards 0 by at most n times s rounded up: ⌊y⌋ - ⌊x⌋ < y - x + 1 is whole, so it is at most ⌈y - x⌉, and
  ⌈ns⌉ ≤ n⌈s⌉, a whole number that is at least ns. ⌈x⌉ is -⌊-x⌋; and towards 0, numbers on two sides of 0 come no
  further apart, while others are both rounded down or both up;
- to the nearest number by at most n times the whole number above s: round(y) - round(x) ≤ (y + 1/2) - (x - 1/2) is
  whole, so it is at most ⌊ns⌋ + 1, and as ns < n(⌊s⌋ + 1), a whole number, that is at most n(⌊s⌋ + 1).

To multiples of another number than 1 it is the same, in units of that. So ``len(v) // 10``, which is
``floor(len(v) / 10)``, moves by 1. Of s that is a formula, s + 1 is at least either.
A whole number stays as it is. So a loop that halves one, ``n = n // 2``, moves it by no more in any round.

Looked for in vain: neighbouring datasets between which what is rounded moves further (``tests/test_rounding.py``, by
CPython and by the evaluator in ``tests/evaluator``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.builtins import intervals
from dp_lsp.builtins.traits import Broadcasts, ByRecord, Rank, Replaceable, Rounds, SampledRows, ShortCircuit
from dp_lsp.core import laws, machine, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Anything
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.events import NOTHING, Cost, Either, Sampled, Sampling, Var
from dp_lsp.core.metrics import diameter, has_gap
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import FunctionValue, Judgement, Move, Moves
from dp_lsp.core.sens import INFINITY, ONE, Sens, magnitude, number
from dp_lsp.core.term import Apply, Bind, Body, Call, Closure, Comprehension, Global, Local, Term, Use, of_body
from dp_lsp.core.types import (
    BOOL,
    UNKNOWN,
    Base,
    BoolType,
    Bounds,
    Container,
    Dataset,
    FunctionType,
    Label,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
    without_static,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import calls, checks, deviations, disjoint, explain, functions, linear, moves, problems, rows
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
from dp_lsp.infer.reading import OUTSIDE, Reading, Unread, of_records
from dp_lsp.infer.solver import Mismatch
from dp_lsp.language import Familiar
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span

_DIGITS, _MOST_DIGITS = "digits", 100


def stepped(inference: Inference, node: Call, given: list[Judgement | Term], judgement: Judgement) -> Judgement:
    """How far a number moves with datasets and whole numbers that is rounded, where the row has no bound."""
    rounds = builtins.TABLE[node.builtin].trait(Rounds)
    if rounds is None or not given:
        return judgement
    unit = _unit(inference, node, given)
    x = given[-1 - len(node.keywords)]
    if unit is None or not isinstance(x, Judgement):
        return judgement
    type_ = inference.type(x)
    same = isinstance(type_, NumberType) and type_.base is Base.INTEGER and unit.numerator == 1
    better = {}
    for var, move in judgement.moves.items():
        before = x.moves.get(var)
        if before is None or var not in inference.context.whole or not move.sens.infinite:
            continue
        if before.sens.infinite or norms_of(before.sens):
            continue
        sens = before.sens if same else _rounded(before.sens, unit, rounds.to_nearest)
        better[var] = Move(sens, node.span, laws.ROUNDED, (ONE,), (before,), way=before.way)
    if not better:
        return judgement
    return replace(judgement, moves={**judgement.moves, **inference.of_whole_steps(better, uneven=True)})


def _unit(inference: Inference, node: Call, given: list[Judgement | Term]) -> Fraction | None:
    """What it is rounded to multiples of: 1, or a power of 10; None if that is not known."""
    if not node.keywords:
        return Fraction(1)
    (digits,) = given[-1:]
    known = inference.static(digits) if node.keywords == (_DIGITS,) and isinstance(digits, Judgement) else None
    places = None if known is None else known.number
    if places is None or places.denominator != 1 or abs(places) > _MOST_DIGITS:
        return None
    return Fraction(10) ** -int(places)


def _rounded(moved: Sens, unit: Fraction, to_nearest: bool) -> Sens:
    """How far that moves what moves by so much for one record, where it is rounded to multiples of a unit."""
    known = moved.number
    if known is None:
        return moved + number(unit)
    steps = known / unit
    return number(unit * (math.floor(steps) + 1 if to_nearest else math.ceil(steps)))


def scope(inference: Inference, node: term.Scope) -> Evaluation:
    """Infer the rest of a block over samples. Its cost, for one record of the sample, becomes a ``Sampled`` event of
    the sources (privacy amplification by subsampling: Balle, Barthe and Gaboardi 2018). A drawn value that leaves the
    block unreleased is ∞-sensitive in what it was drawn from."""
    call = node.bind.term
    assert isinstance(call, term.Call), "only a builtin has a scope"
    values, drawing = inference.infer_all(call.args)
    result = _drawn_types(inference, call, values)
    if result is not None and len(node.bind.targets) != len(result.items):
        reason = f"it draws {len(result.items)} values, and {len(node.bind.targets)} are named on the left"
        inference.report(problems.DoesNotFit.at(node.bind.span, function=call.builtin, reason=reason))
    if result is None or len(node.bind.targets) != len(result.items):
        inference.give_up("a sample that was not understood")
        for target in node.bind.targets:
            inference.context.environment[target] = Judgement(UNKNOWN, moves.NOWHERE)
        return inference.body(node.rest).after(drawing)
    sampled = builtins.TABLE[call.builtin].trait(SampledRows)
    assert sampled is not None, "what has the rest of a block as its subject draws it"
    scheme = sampled.scheme
    alone = scheme is Sampling.POISSON
    names = " and ".join(dict.fromkeys(target.name for target in node.bind.targets))
    once = scheme is Sampling.WITHOUT_REPLACEMENT
    record = Var(names, gap=True, members=0 if alone else len(result.items), once=once)
    sources = _draw(inference, node, values[1:], result, record, alone)
    if alone:
        _in_places(inference, call, values[1:])
    drawn = inference.tuple_of(call.span, [inference.context.environment[target] for target in node.bind.targets])
    inference.recorder.judgements[call] = drawn
    value, effects = inference.body(node.rest)
    failures = []
    for failure in effects.failures:
        seen = _left_behind(Judgement(value.type, failure.moves), sources, record, call)
        failures.append(failure._replace(moves=seen.moves))
    costs: tuple[Cost, ...] = ()
    if effects.costs:
        costs = (_amplified(inference, call, scheme, values, sources, record, effects.cost),)
    return Evaluation(_left_behind(value, sources, record, call), Effects(costs, tuple(failures))).after(drawing)


def _drawn_types(inference: Inference, call: term.Call, values: list[Judgement]) -> TupleType | None:
    types = [inference.type(value) for value in values]
    if any(isinstance(type_, Unknown) for type_ in types):
        return None
    row = builtins.TABLE[call.builtin]
    solved = rows.solve(inference, call, row, types)
    if isinstance(solved, rows.NoMatch):
        return None
    form, args = solved
    rows.demand(inference, call, row, form, args)
    result = form.result(args)
    return result if isinstance(result, TupleType) else None


def _draw(
    inference: Inference,
    node: term.Scope,
    drawn_from: list[Judgement],
    result: TupleType,
    record: Var,
    alone: bool,
) -> dict[Var, Moves]:
    """Bring the drawn values into scope. Each moves with the record, and with a variable of its own, unless rows are
    there or not: then they are in all of them."""
    sources: dict[Var, Moves] = {}
    for target, type_, source in zip(node.bind.targets, result.items, drawn_from, strict=True):
        var = Var(target.name, gap=has_gap(inference.solver.type(type_)))
        sources[var] = inference.released(source.moves, target.span)
        own = moves.NOWHERE if alone else moves.own(var, target.span)
        value = Judgement(type_, {**own, **moves.own(record, target.span)})
        inference.context.environment[target] = value
        inference.recorder.facts[target.span] = (value, "")
    return sources


def _in_places(inference: Inference, call: term.Call, drawn_from: list[Judgement]) -> None:
    """Rows that are drawn by a coin each must be those of a matrix as it is: a change is a change of one."""
    for argument, source in zip(call.args[1:], drawn_from, strict=True):
        if source.moves and not _is_variable(source.moves):
            reason = f"`{inference.written(argument.span)}` was computed; draw the rows first, and compute then"
            inference.report(problems.DoesNotFit.at(argument.span, function=call.builtin, reason=reason))
            inference.give_up("a sample of what was computed")


def _amplified(
    inference: Inference,
    call: term.Call,
    scheme: Sampling,
    values: list[Judgement],
    sources: dict[Var, Moves],
    record: Var,
    body: Cost,
) -> Cost:
    draws = inference.static(values[0])
    matrix = inference.type(values[1])
    assert draws is not None and isinstance(matrix, Container) and isinstance(matrix.rows, Poly)
    along = {var: {outer: move.sens for outer, move in source.items()} for var, source in sources.items()}
    aligned = all(_is_variable(source) for source in sources.values())
    origin = Origin(call.span, "sampling")
    if not inference.context.rules.groups:
        for move in (move for source in sources.values() for move in source.values()):
            inference.demand(move.sens, "<=", ONE, origin._replace(reason="what is drawn from moves by at most 1"))
    return Sampled(scheme, magnitude(draws), magnitude(matrix.rows), along, record, aligned, body, origin)


def _left_behind(value: Judgement, sources: dict[Var, Moves], record: Var, call: term.Call) -> Judgement:
    """A value seen from outside the scope: what moves with a sample moves without bound with what it came from."""
    inner = {*sources, record}
    if not inner & value.moves.keys():
        return replace(value, form=None)
    escaped = [
        moves.scaled(source, INFINITY, call.span, laws.DRAWN)
        for var, source in sources.items()
        if var in value.moves or record in value.moves
    ]
    together = moves.added((moves.without(value.moves, inner), *escaped), call.span, laws.DRAWN)
    parts = tuple(_left_behind(part, sources, record, call) for part in value.parts)
    return Judgement(value.type, together, parts)


def _is_variable(moved: Moves) -> bool:
    """Whether these are the moves of a variable itself, so that its rows are in their own places. What was drawn moves
    with a variable of its own and with its record."""
    return bool(moved) and all(moves.is_itself(move) for move in moved.values())


def spread(
    inference: Inference, node: term.Call, over: Sequence[Judgement]
) -> tuple[term.Call | Body | None, list[Judgement]]:
    """A broadcast without its scalar operands, and the containers it goes over; its body alone where it goes over none;
    None, with a problem, where the operands' types do not tell."""
    trait = builtins.TABLE[node.builtin].trait(Broadcasts)
    function, *given = node.args
    assert trait is not None and isinstance(function, term.Closure), "who lowers a broadcast writes its function"
    (method,) = function.methods
    assert method.body is not None, "it is written there"
    types = [inference.type(value) for value in over]
    if any(isinstance(type_, Unknown) for type_ in types):
        return None, []
    numbers = [isinstance(type_, NumberType | BoolType) for type_ in types]
    numbers[0] = numbers[0] and not trait.picks
    wrong = next((place for place, type_ in enumerate(types) if not _fits(trait, place, type_, numbers)), None)
    if wrong is not None:
        _refuse(inference, node, given[wrong], types[wrong], trait)
        return None, []
    if not any(numbers):
        return node, list(over)
    for place in _places(numbers, True):
        local = method.params[place].local
        inference.bind(Bind(given[place].span, (local,), given[place]), over[place])
        inference.context.spread.add(local)
    kept = _places(numbers, False)
    if not kept:
        return method.body, []
    left = replace(method, params=tuple(method.params[place] for place in kept))
    uses = [Use(given[place].span, Local(method.params[place].local.name, given[place].span)) for place in kept]
    for place, use in zip(kept, uses, strict=True):
        inference.bind(Bind(use.span, (use.local,), given[place]), over[place])
    call = replace(node, args=(replace(function, methods=(left,)), *uses))
    return call, [over[place] for place in kept]


def of_numbers(inference: Inference, node: term.Call, found: Evaluation) -> Evaluation:
    """A broadcast over scalars alone, which is a scalar."""
    if found.effects.costs:
        reason = "what releases something is called without a dot, on one value"
    elif not isinstance(inference.type(found.value), NumberType | BoolType | Unknown):
        reason = "its function must return numbers"
    else:
        return found
    inference.report(problems.DoesNotFit.at(node.span, function=inference.written(node.span), reason=reason))
    return NOT_UNDERSTOOD.after(found.effects)


def _places(numbers: Sequence[bool], wanted: bool) -> list[int]:
    return [place for place, number in enumerate(numbers) if number is wanted]


def _fits(trait: Broadcasts, place: int, type_: Type, numbers: Sequence[bool]) -> bool:
    """Whether a broadcast may go over this. What may be any value is taken to be a container where all else is numbers,
    but for a mask, which picks of the first one alone."""
    if numbers[place] or (trait.picks and not place):
        return True
    if trait.picks:
        return False
    return isinstance(type_, Container | Dataset) or (isinstance(type_, TypeVariable) and numbers.count(False) == 1)


def _refuse(inference: Inference, node: term.Call, given: term.Term, type_: Type, trait: Broadcasts) -> None:
    """Report what a broadcast cannot go over, or of which it is not known what it is."""
    written = inference.written(given.span)
    if isinstance(type_, TypeVariable):
        reason = f"it is not known whether `{written}` is a number; annotate it"
    elif trait.picks:
        reason = f"a mask that is made of `{written}` picks by position, and which record stands where is not protected"
    else:
        reason = f"`{written}` is {type_words(type_)}, and has no entries"
    inference.report(problems.DoesNotFit.at(node.span, function=inference.written(node.span), reason=reason))


_ARITHMETIC = frozenset({"+", "-", "*", "/"})

Statistic = Call | Apply | Comprehension


def ranged(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """A dataset that a function makes of records, or a column of it, with the bounds of the numbers that are there, if
    they are known, and its type says less."""
    if node.builtin != builtins.COLUMN and of_records(node) is not ByRecord.MAPS:
        return judgement
    type_ = inference.type(judgement)
    if not isinstance(type_, Dataset):
        return judgement
    element = type_.records.element
    if not isinstance(element, NumberType) or element.base is Base.DATA:
        return judgement
    from dp_lsp.core.tallies import Seen, TooMany  # most functions have no dataset
    from dp_lsp.infer.tallies import Reader

    try:
        bounds = Reader(inference, exact=True, seen=Seen()).reach(node)
    except (Unread, TooMany):
        return judgement
    known = element.bounds
    if bounds is None or (known is not None and not _narrower(bounds, known)):
        return judgement
    return replace(judgement, type=type_.of(type_.records.of(replace(element, bounds=bounds))))


def apart(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """How far one rank of a dataset is from another one of the same, as the largest number is from the smallest: from 0
    to R above a lower one, for numbers between L and U, R = U - L. Both ask that there is a record. With α ≥ β the
    number with a share α of the others below it is not below that with a share β, wherever it is interpolated, so no
    two such differences are further apart than R, where each rank may move by R, up in one and down in the other."""
    if node.builtin != builtins.MINUS or len(node.args) != 2 or not any(var.gap for var in judgement.moves):
        return judgement
    first, second = (_ranked(inference, each) for each in node.args)
    type_ = inference.type(judgement)
    if first is None or second is None or first.of is not second.of or not isinstance(type_, NumberType):
        return judgement
    if first.share < second.share:
        most = second.bounds.high - first.bounds.low
        between = Bounds(-most, Poly.of(0))
    else:
        most = first.bounds.high - second.bounds.low
        between = Bounds(Poly.of(0), most)
    moved = inference.capped(judgement.moves, magnitude(most), node.span)
    return replace(judgement, type=replace(type_, bounds=between), moves=moved)


class _Ranked(NamedTuple):
    """A rank of a dataset: of which, how high, and between which numbers it lies."""

    of: Local
    share: Fraction
    bounds: Bounds


def _ranked(inference: Inference, node: Term) -> _Ranked | None:
    reading = Reading(inference)
    try:
        made, scope = reading.made(node, OUTSIDE)
    except Unread:
        return None
    rank = builtins.TABLE[made.builtin].trait(Rank) if isinstance(made, Call) else None
    if rank is None or rank.share is None or not isinstance(made, Call) or scope is not OUTSIDE:
        return None
    over, known = made.args[0], inference.recorder.judgements.get(made)
    type_ = None if known is None else inference.type(known)
    if not isinstance(over, Use) or not isinstance(type_, NumberType) or type_.bounds is None:
        return None
    return _Ranked(over.local, rank.share, type_.bounds)


def _narrower(bounds: Bounds, known: Bounds) -> bool:
    return bounds != known and bool(decide(known.low, "<=", bounds.low) and decide(bounds.high, "<=", known.high))


def tightened(inference: Inference, node: Statistic, judgement: Judgement) -> Judgement:
    """How far a statistic moves, where reading it as one sum over the records of a dataset says that better."""
    steps = any(var.gap for var in judgement.moves)  # as those of a dataset have
    if not steps or not _may_be_statistic(inference, node):
        return judgement
    result = inference.type(judgement)
    if not isinstance(result, NumberType | Container):
        return judgement
    from dp_lsp.core.tallies import Seen, TooMany
    from dp_lsp.infer.tallies import Reader

    for exact in (True, False):
        reader = Reader(inference, exact, Seen())
        try:
            rules = reader.statistic(node, result)
            found = reader.measured(rules, result.norm if isinstance(result, Container) else Norm.L1)
        except (Unread, TooMany):
            continue
        if found is not None:
            judgement = _least(inference, node, judgement, *found)
        if not reader.computes:
            break
    return judgement


def _may_be_statistic(inference: Inference, node: Statistic) -> bool:
    """A function without annotations has been inferred for the dataset that it is called with, and says all of it."""
    if isinstance(node, Comprehension):
        return True
    if isinstance(node, Apply):
        found = inference.context.resolve(node.function.name) if isinstance(node.function, Global) else None
        return isinstance(found, FunctionValue) and not any(method.is_open for method in found.methods)
    role = builtins.TABLE[node.builtin].trait(ByRecord)
    known = node.builtin in _ARITHMETIC or node.builtin == builtins.LITERAL or role in (ByRecord.MAPS, ByRecord.ADDS)
    return known and not node.mutates


def _least(inference: Inference, node: Statistic, judgement: Judgement, source: Judgement, factor: Sens) -> Judgement:
    """A statistic that moves by a factor of what the dataset does, where that is less than what is known."""
    better = {}
    for var, own in source.moves.items():
        move, sens = judgement.moves.get(var), factor * own.sens
        if move is not None and not sens.infinite and not decide(move.sens, "<=", sens):
            better[var] = Move(sens, node.span, laws.RECORDS, (ONE,), (move,), way=move.way)
    for norm in {norm for move in better.values() for norm in norms_of(move.sens)}:
        inference.solver.fix_norm(norm)
    return replace(judgement, moves={**judgement.moves, **better}) if better else judgement


class _Sum(NamedTuple):
    """A sum of what a function makes of each entry of a vector."""

    over: Use
    method: term.Method


def sums(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """How far a sum or difference of two sums moves, where reading it as one says that better."""
    if node.builtin not in (builtins.PLUS, builtins.MINUS) or len(node.args) != 2 or not judgement.moves:
        return judgement
    first, second = (_read(inference, each) for each in node.args)
    if first is None or second is None or first.over.local is not second.over.local:
        return judgement
    known = inference.context.environment.get(first.over.local)
    if known is None or not isinstance(inference.type(known), Container):
        return judgement
    found = _quietly(inference, _one(node, first, second))
    if found is None or found.moves.keys() != judgement.moves.keys():
        return judgement
    least = {
        var: found.moves[var] if decide(found.moves[var].sens, "<=", move.sens) else move
        for var, move in judgement.moves.items()
    }
    return replace(judgement, moves=least)


def _read(inference: Inference, node: Term) -> _Sum | None:
    """What a term adds up, if it is a sum over a vector of what a function that is written there makes of it."""
    node = _made(inference, node)
    if not isinstance(node, Call) or node.builtin != builtins.TOTAL or len(node.args) != 1:
        return None
    each = _made(inference, node.args[0])
    if not isinstance(each, Call) or each.builtin != builtins.MAKING or len(each.args) != 2:
        return None
    function, over = each.args
    if not isinstance(function, Closure) or len(function.methods) != 1 or not isinstance(over, Use):
        return None
    (method,) = function.methods
    return _Sum(over, method) if _computes(method) else None


def _computes(method: term.Method) -> bool:
    """Whether a function of one argument gives what its text computes, and changes and releases nothing; one that adds
    something up itself is not read, so that nothing is inferred more than twice."""
    if method.body is None or len(method.params) != 1 or method.changes or method.privacy or method.boxed:
        return False
    adds = any(isinstance(each, Call) and each.builtin == builtins.TOTAL for each in term.within(of_body(method.body)))
    return not adds and machine.keeps(method.converts) and isinstance(method.result, Anything)


def _made(inference: Inference, node: Term) -> Term:
    return inference.context.made.get(node.local, node) if isinstance(node, Use) else node


def _one(node: Call, first: _Sum, second: _Sum) -> Call:
    """The sum of what both functions make of an entry, of one of them less that of the other."""
    one, other = first.method, second.method
    assert one.body is not None and other.body is not None, "both have one"
    entry, old = one.params[0].local, other.params[0].local
    body = term.put(other.body, lambda part: Use(part.span, entry) if _is(part, old) else None)
    result = Call(node.span, node.builtin, (one.body.result, body.result), node.span)
    uses, captures = one.uses | other.uses, one.captures | other.captures
    method = replace(one, body=Body((*one.body.binds, *body.binds), result), uses=uses, captures=captures)
    made = Call(node.span, builtins.MAKING, (Closure(node.span, (method,)), first.over), node.span)
    return Call(node.span, builtins.TOTAL, (made,), node.span)


def _is(part: Term, local: Local) -> bool:
    return isinstance(part, Use) and part.local is local


def _quietly(inference: Inference, node: Call) -> Judgement | None:
    """The judgement of a number that is computed otherwise, too; None where it is not understood. What is wrong with it
    was said before."""
    with inference.recorder.aside() as is_wrong:
        value = inference.infer(node).value
        return None if is_wrong() or not isinstance(inference.type(value), NumberType) else value


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
                result = result._replace(value=tightened(inference, node, result.value))
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
            return scope(inference, node)
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
        made = made._replace(value=tightened(inference, node, made.value))
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
    value = ranged(inference, node, stepped(inference, node, given, result.value))
    value = apart(inference, node, tightened(inference, node, value))
    result = result._replace(value=sums(inference, node, value))
    if disjoint.is_there(inference.context.rounds, node):
        result = Evaluation(result.value, result.effects._replace(failures=()))
    return result.after(effects)


def _broadcast(inference: Inference, node: term.Call) -> Evaluation:
    """A broadcast by what it goes over: numbers are the same for each entry, so its function reads them as what it has
    captured; over numbers alone it is a call."""
    over, effects = inference.infer_all(node.args[1:])
    call, rest = spread(inference, node, over)
    if call is None:
        return NOT_UNDERSTOOD.after(effects)
    if isinstance(call, term.Body):
        return of_numbers(inference, node, inference.body(call).after(effects))
    calls.tell_expected(inference, call, dict(enumerate(rest, 1)))
    function, made = inference.infer(call.args[0])
    found = _used(inference, call, [function, *rest], in_sequence((effects, made)))
    for each, value in zip(node.args[1:], over, strict=True):  # entries of it have its name, and stand where it does
        inference.recorder.facts[each.span] = (value, "")
    return found


def _arguments(inference: Inference, node: term.Call) -> tuple[list[Judgement | Term], Effects]:
    """The arguments of a builtin, where what is not a value stays as it is written, and the effect of evaluating them.
    Of one that is lazy, the first decides whether the others are evaluated."""
    lazy = builtins.TABLE[node.builtin].has(ShortCircuit)
    late = frozenset[int]() if lazy else calls.written_functions(node)
    values, effects = _evaluated(inference, node, [index for index in range(len(node.args)) if index not in late])
    if late:
        calls.tell_expected(inference, node, values)
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
