"""The rule of loops: what is carried from round to round, and what a round spends.

Sources: type_system section 4; Dwork, Rothblum and Vadhan 2010 for repeated releases (priced elsewhere).

A loop may begin with what the round before its first one would add (:func:`from_the_round_before`). ``s = f(m[1]); for
i in 2:k; s = s + f(m[i]); end`` is a sum over the rounds from 1 to k, where it has a round at all, or the round before
the first: s = 0 + f(m[1]) + … + f(m[k]). So it moves as that sum does, in which each round reads a row of its own. Else
it is what it begins with, and moves as that does. Which of both is the same in two runs, as the range is public, so the
result moves by the larger one.

What few known rounds leave that differ, inferred round by round.

The rule of loops says of all rounds what the one does that moves furthest, and multiplies that
(:mod:`dp_lsp.infer.growth`). A loop over known numbers is its rounds one after the other, each with its number in the
place of the index and with what the round before it ended with (:mod:`dp_lsp.infer.unrolled`): both compute the same.
So where rounds differ they are inferred once more as they are written out then, where each multiplies, adds and chooses
by the number that it has, and entries of vectors are told apart. For each variable the smaller of both bounds holds:
two inputs are brought together by moving one variable after the other (the triangle inequality). The row that a round
around reads is no variable beside its container, as both move together: then one of both bounds holds as a whole. What
rounds demand when they are written out is demanded, and what is wrong with them was said of the loop: then nothing is
taken over.

A loop that releases something is inferred so as a whole function (:func:`dp_lsp.infer.unrolled.spent`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from typing import TypeGuard

from dp_lsp import builtins
from dp_lsp.builtins.traits import Lengthens
from dp_lsp.core import laws, sens, term
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.events import Cost, Repeat, RoundPlace, Var, variables
from dp_lsp.core.linear import LinearForm, Part
from dp_lsp.core.machine import Stored
from dp_lsp.core.metrics import diameter, has_gap, has_whole_steps, is_data, spread
from dp_lsp.core.notation import type_words
from dp_lsp.core.ranges import supremum
from dp_lsp.core.scheme import Judgement, Moves, Reach
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, Way, common, through
from dp_lsp.core.term import Apply, Bind, Body, Call, Literal, Local, Loop, NormArgument, Term, Use
from dp_lsp.core.types import (
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Kind,
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
    accumulators,
    carried,
    conditions,
    disjoint,
    dispatch,
    explain,
    generalize,
    invariants,
    linear,
    moves,
    problems,
    publics,
    unrolled,
)
from dp_lsp.infer.carried import Invariant
from dp_lsp.infer.context import UnevenRounds
from dp_lsp.infer.disjoint import Lies, OwnRows, Spread
from dp_lsp.infer.effects import NONE, Effects, Evaluation, Failure, failing, in_sequence, spending
from dp_lsp.infer.inference import Inference, ValueSource, form_of
from dp_lsp.infer.solver import Mismatch
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


def rounds_differ(inference: Inference, node: term.Rounds, value: Judgement, inside: frozenset[Symbol]) -> bool:
    """Whether rounds that make this ``value`` may differ in what they move: by the numbers that they compute
    (``inside``), or by what these choose."""
    if any(not inside.isdisjoint(symbols_of(move.sens)) for move in value.moves.values()):
        return True
    return bool(value.moves) and any(_is_known(inference, each) for each in term.within(term.of_body(node.body)))


def _is_known(inference: Inference, node: Term) -> bool:
    """Whether a term is a choice that is public."""
    if not isinstance(node, term.Branch):
        return False
    decides = inference.recorder.judgements.get(node.condition)
    return decides is not None and publics.is_public(decides.moves)


def sharpened(inference: Inference, node: term.Loop, ends: tuple[Poly, Poly] | None, found: Judgement) -> Judgement:
    """What the rounds leave whose ends are known, with the smaller of what was ``found`` to move it and of what the
    rounds do one by one."""
    rounds = unrolled.numbers_of(inference, node, ends)
    if rounds is None or not any(map(_may_be_less, found.parts)) or _is_general(inference, node):
        return found
    inference.context.differing[node] = UnevenRounds(rounds, vary=True, told_apart=True)
    around = inference.context.allowance
    inference.context.allowance = allowance = around or unrolled.Allowance()
    try:
        body = unrolled.written_out(_statement(node), inference.context.differing, allowance)
        again = None if body is None else _inferred(inference, body)
    finally:
        inference.context.allowance = around
    if again is None:
        return found
    least = [_smaller(inference, *each) for each in zip(found.parts, again.parts, strict=True)]
    return inference.tuple_of(node.span, least)


def _may_be_less(found: Judgement) -> bool:
    """Whether something may move by less than was found: of what is known to be a linear function that is exact."""
    return found.form is None and any(not move.sens.zero for move in found.moves.values())


def _is_general(inference: Inference, node: term.Loop) -> bool:
    """Whether what a loop reads may be of several types, which its callers choose."""
    read = {each.local for each in term.within([node]) if isinstance(each, Use)}
    known = (inference.context.environment.get(local) for local in read)
    types = [inference.type(each) for each in known if each is not None]
    return bool(inference.solver.opens or generalize.owned(types).types)


def _statement(node: term.Loop) -> Body:
    """A block of nothing but a loop."""
    after = [Local(local.name, local.span) for local, _ in node.carried]
    items = tuple(Use(node.span, local) for local in after)
    return Body((Bind(node.span, tuple(after), node),), term.MakeTuple(node.span, items))


def _inferred(inference: Inference, body: Body) -> Judgement | None:
    """The value of rounds that are written out; None if anything is wrong with them, or if what is said of them speaks
    of numbers that one round computes: it has no name for them. What is written down of terms stays as it is."""
    computed = len(inference.publics.symbols)
    with inference.recorder.aside() as is_wrong:
        since = inference.solver.mark()
        value, effects = inference.body(body)
        settled = conditions.settle(inference, since)
        if is_wrong() or effects.costs or not settled.holds or inference.solver.opens:
            return None
    needed = [side for need in settled.needs for side in (need.left, need.right)]
    own = set(inference.publics.symbols[computed:])
    if any(own & symbols_of(each) for each in (*needed, *(move.sens for move in value.moves.values()))):
        return None
    for need in settled.needs:
        inference.demand(*need[:4])
    return value


def _smaller(inference: Inference, found: Judgement, again: Judgement) -> Judgement:
    """A value with the smaller environment, if both are measured in the same way."""
    if not _are_compared_alike(inference, inference.type(found), inference.type(again)):
        return found
    apart = len(set(map(inference.context.container, found.moves))) == len(found.moves)
    return replace(found, moves=_least(found.moves, again.moves, apart))


def _least(found: Moves, again: Moves, apart: bool) -> Moves:
    """The smaller of two environments that both hold, variable by variable if these move ``apart`` from each other."""
    if again.keys() - found.keys():
        return found
    least = linear.smaller_of(found, again)
    return least if apart or all(least[var].sens == move.sens for var, move in again.items()) else found


def _are_compared_alike(inference: Inference, one: Type, other: Type) -> bool:
    match one, other:
        case NumberType(), NumberType():
            return is_data(one) is is_data(other)
        case Container(), Container():
            alike = one.kind is other.kind and is_data(one.element) is is_data(other.element)
            return alike and inference.solver.same_norm(one.norm, other.norm)
    return False


_TIMES, _DEEPEST = "*", 20


def from_the_round_before(inference: Inference, node: Loop) -> Loop | None:
    """The loop that has a round more, and begins with nothing; None for a loop that begins with anything else, and for
    one over known numbers, of which it is known which linear function it computes."""
    first, result = node.first, node.body.result
    if not isinstance(first, Literal) or not first.integer or node.step is not None or node.going is not None:
        return None
    items = result.items if isinstance(result, term.MakeTuple) else (result,)
    if len(node.carried) != 1 or len(items) != 1 or isinstance(node.last, term.Unending | Literal):
        return None
    ((carried, start),), (end,) = node.carried, items
    known = inference.context.environment.get(start.local) if isinstance(start, Use) else None
    if known is None or not isinstance(inference.type(known), NumberType | Container):
        return None
    binds = {bind.targets[0]: bind.term for bind in node.body.binds if len(bind.targets) == 1}
    added = _added_before(end, carried, binds)
    if added is None or _calls(node) or not _reads_at(node):
        return None
    before = Literal(first.span, Fraction(first.value - 1), True)
    stands: dict[Local, Term] = {**binds, node.index: before}
    if not _is_same(inference, start, added, stands, _DEEPEST):
        return None
    nothing = Call(start.span, _TIMES, (start, Literal(start.span, Fraction(0), True)), start.span)
    return replace(node, first=before, carried=((carried, nothing),))


def of_both(inference: Inference, node: Loop, found: Judgement) -> Judgement | None:
    """The tuple of what such a loop carries, of which nothing else is known than how far it moves: ``found`` is that of
    the one with a round more. None where what it begins with may be of another type than what rounds make of it."""
    ((_, start),) = node.carried
    (item,) = found.parts or (found,)
    begins = inference.recorder.judgements[start]
    type_ = _either(inference.type(begins), inference.type(item))
    if type_ is None:
        return None
    moved = moves.larger(begins.moves, item.moves, node.span)
    return inference.tuple_of(node.span, [inference.judgement(type_, moved)])


def _either(one: Type, other: Type) -> Type | None:
    """What is one of two types that differ in nothing but where numbers lie."""
    match one, other:
        case NumberType(), NumberType():
            return NumberType(one.base, stored=one.stored | other.stored) if one.base is other.base else None
        case Container(), Container():
            element = _either(one.element, other.element)
            known = None if element is None else replace(other, element=element)
            return known if replace(one, element=other.element, clip=other.clip) == other else None
    return None


def _added_before(end: Term, carried: Local, binds: Mapping[Local, Term]) -> Term | None:
    """What a round adds to what it carries, if it does nothing else to it."""
    while isinstance(end, Use) and end.local in binds:
        end = binds[end.local]
    match end:
        case Call(builtin=builtins.PLUS, args=(Use(local=local), added), mutates=False, by=None) if local is carried:
            return added
        case Call(builtin=builtins.PLUS, args=(added, Use(local=local)), mutates=False, by=None) if local is carried:
            return added
    return None


def _calls(node: Loop) -> bool:
    """Whether a round calls a function, or releases something: what that costs counts for each round that there is."""
    inside = term.within(term.of_body(node.body))
    return any(
        isinstance(each, Apply) or (isinstance(each, Call) and each.builtin in builtins.RANDOM) for each in inside
    )


def _reads_at(node: Loop) -> bool:
    """Whether a round reads something at its number."""
    calls = (each for each in term.within(term.of_body(node.body)) if isinstance(each, Call))
    return any(isinstance(arg, Use) and arg.local is node.index for each in calls for arg in each.args[1:2])


def _is_same(inference: Inference, one: Term, other: Term, known: Mapping[Local, Term], depth: int) -> bool:
    """Whether a term computes what another one does, in which names are ``known`` to stand for others."""
    if not depth:
        return False
    if isinstance(other, Use) and other.local in known:
        return _is_same(inference, one, known[other.local], known, depth - 1)
    if isinstance(one, Use) and not (isinstance(other, Use) and one.local is other.local):
        made = inference.context.made.get(one.local)
        return made is not None and _is_same(inference, made, other, known, depth - 1)
    match one, other:
        case Use(), Use():
            return True
        case Literal(), Literal():
            return (one.value, one.integer) == (other.value, other.integer)
        case NormArgument(), NormArgument():
            return one.norm is other.norm
        case Call(), Call():
            alike = (one.builtin, one.keywords) == (other.builtin, other.keywords) and len(one.args) == len(other.args)
            plain = not (one.mutates or other.mutates) and one.by is other.by is None
            pairs = zip(one.args, other.args, strict=False)
            return alike and plain and all(_is_same(inference, *each, known, depth - 1) for each in pairs)
    return False


LOOP = "for"
COMPREHENSION = "[… for …]"


class _Rounds(NamedTuple):
    """How often a loop runs: a number, or None if it is not public; its public ends, and those of the index in a round;
    what the range moves with; what the index is stored as; the sample that has a row for each round, if one has."""

    number: Sens | None
    ends: tuple[Poly, Poly] | None
    between: Bounds | None
    moves: Moves
    stored: Stored
    sample: Var | None = None


class _OneRound(NamedTuple):
    """One round: the variables that stand for what it starts with, one for each item of a tuple, and what holds of
    these in all rounds; its value, and what it ends with, also as linear functions, its effects, and what it reads for
    itself; the number that its index stands for, and whether rounds may ``differ`` in what they move."""

    starts: tuple[Var, ...]
    kept: tuple[Invariant | None, ...]
    types: tuple[Type, ...]
    value: Judgement
    ends: tuple[Judgement, ...]
    forms: tuple[LinearForm | None, ...]
    effects: Effects
    own: OwnRows
    number: Poly | None
    differ: bool


def loop(inference: Inference, node: term.Loop) -> Evaluation:
    """The tuple of what a loop carries, after its last round."""
    summed = accumulators.summed(inference, node)
    if summed is not None:
        return summed
    longer = from_the_round_before(inference, node)
    if longer is not None:
        value, effects = loop(inference, longer)
        either = of_both(inference, node, value)
        if either is not None:
            return Evaluation(either, effects)
    rounds, counting = _rounds(inference, node)
    starts, starting = inference.infer_all(start for _, start in node.carried)
    once = _one_round(inference, node, starts, rounds)
    if once is None:
        lost = inference.tuple_of(node.span, [inference.hole("a loop") for _ in node.carried])
        return Evaluation(lost).after(counting, starting)
    if node.going is not None and isinstance(node.last, term.Unending):
        once = _may_go_on(once, node, node.going)
    failures = tuple(_outside(inference, each, node, rounds, starts, once) for each in once.effects.failures)
    before = counting, starting, Effects(failures=failures)
    if once.effects.costs:
        return _private(inference, node, rounds, starts, once).after(*before)
    found = _steady(inference, node, rounds, starts, once)
    if once.differ and not rounds.moves and rounds.sample is None:
        found = sharpened(inference, node, rounds.ends, found)
    return Evaluation(found).after(*before)


def _may_go_on(once: _OneRound, node: term.Loop, going: int) -> _OneRound:
    """A round of a loop that may go on for ever: what decides whether it does is something that a run tells."""
    deciding = moves.scaled(once.ends[going].moves, INFINITY, node.last.span, laws.FAILURE)
    effects = in_sequence((once.effects, failing(deciding, node.last.span)))
    return once._replace(effects=effects)


def comprehension(inference: Inference, node: term.Comprehension) -> Evaluation:
    """The vector of what the rounds of a loop make. No round reads what another one has made, so the vector moves with
    what every round reads as far as a vector does whose entries all move so: 1, √n or n times in LInf, L2 and L1."""
    rounds, counting = _rounds(inference, node)
    once = _one_round(inference, node, [], rounds)
    assert once is not None, "nothing is carried whose types may not fit"
    entry, length = without_static(inference.type(once.value)), _length(node, rounds)
    number = None if rounds.number is None else supremum(rounds.number)
    if length is None or number is None or (once.effects.costs and number.infinite):
        fixes = explain.make_static(inference, node.last)
        inference.report(problems.NotRepeatable.at(node.last.span, fixes=fixes))
        return Evaluation(inference.hole("the number of rounds is not public")).after(counting)
    if isinstance(entry, Unknown):
        return Evaluation(inference.hole("what a comprehension makes")).after(counting)
    if not isinstance(entry, NumberType | BoolType | TypeVariable):
        wanted = "a number for each entry"
        inference.report(
            problems.WrongArgument.at(
                node.body.result.span, function=COMPREHENSION, wanted=wanted, given=type_words(entry)
            )
        )
        return Evaluation(inference.hole("what a comprehension makes")).after(counting)
    vector = Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, length, entry)
    read = inference.released(once.value.moves, node.span) if once.effects.costs else once.value.moves
    each = spread(vector)
    for norm in norms_of(each):  # it moves further in one norm than in another, so what reads it must read it in one
        inference.solver.fix_norm(norm)
    parts = [(rounds.moves, INFINITY), *once.own.spread(read, Spread(ONE, each, rounds.number), node.span)]
    moved = moves.combined(parts, node.span, laws.LOOP)
    made = inference.judgement(vector, {var: replace(move, way=None) for var, move in moved.items()})
    failures = tuple(_outside(inference, each, node, rounds, [], once) for each in once.effects.failures)
    spent = _in_all_rounds(inference, node, rounds, number, once.effects.cost, once) if once.effects.costs else NONE
    return Evaluation(made, spent).after(counting, Effects(failures=failures))


def _length(node: term.Rounds, rounds: _Rounds) -> Poly | None:
    """How many rounds there are, as a length."""
    if rounds.number is None:
        return None
    known = rounds.number.number
    if known is not None:
        return Poly.of(known)
    return rounds.number.single_poly() if node.step is None else None


def _outside(
    inference: Inference, failure: Failure, node: term.Rounds, rounds: _Rounds, starts: list[Judgement], once: _OneRound
) -> Failure:
    """A failure inside a loop, seen from outside: what the loop carries moves with what it started with and with
    what its rounds read, and a range that is not public decides which rounds there are."""
    parts = [inference.released(moves.without(failure.moves, once.starts), failure.span), rounds.moves]
    if not once.effects.costs and failure.moves.keys() & set(once.starts):
        parts += [start.moves for start in starts]
        parts += [inference.released(moves.without(end.moves, once.starts), failure.span) for end in once.ends]
    spread = moves.combined(((part, INFINITY) for part in parts), failure.span, laws.FAILURE)
    return failure._replace(moves=spread)


def _rounds(inference: Inference, node: term.Rounds) -> tuple[_Rounds, Effects]:
    """How often a loop runs, and the effect of evaluating its range."""
    written = (node.first, node.last) if node.step is None else (node.first, node.last, node.step)
    parts, effects = inference.infer_all(written)
    step = None if node.step is None else parts[2]
    moved = moves.added((part.moves for part in parts), node.span, laws.LOOP)
    types = [inference.type(part) for part in parts]
    for type_, part in zip(types, written, strict=True):
        whole = isinstance(type_, NumberType) and (type_.base is Base.INTEGER or inference.context.rules.ordered)
        if not whole and not isinstance(type_, Unknown):
            inference.report(
                problems.WrongArgument.at(
                    part.span, function=LOOP, wanted="a whole number (Integer)", given=type_words(type_)
                )
            )
    numbers = [each.stored for each in types if isinstance(each, NumberType)]
    stored = inference.storage.numbers(builtins.RANGE, *numbers) or 0
    values = [inference.static(part) for part in parts]
    first, last, by = values[0], values[1], values[2] if step is not None else Poly.of(1)
    if step is not None and by is None and inference.context.rules.failures:  # a step of 0 makes the run fail
        deciding = moves.scaled(step.moves, INFINITY, node.span, laws.FAILURE)
        effects = in_sequence((effects, failing(deciding, node.span)))
    if first is None or last is None or by is None:
        each = first == Poly.of(1) and step is None and inference.context.rules.rows_apart
        return _Rounds(None, None, None, moved, stored, disjoint.counted(parts[1]) if each else None), effects
    if node.step is not None and by.number is None:
        origin = Origin(node.step.span, "`for` needs a step of at least 1")
        inference.demand(Poly.of(1), "<=", by, origin, conditions.fails)
    elif node.step is not None:
        origin = Origin(node.step.span, "`for` needs a step that is not 0")
        inference.demand(by, "!=", Poly.of(0), origin, conditions.fails)
    step_is = 0 if by.number is None else by.number
    between = Bounds(first, last) if step_is > 0 else Bounds(last, first) if step_is < 0 else None
    number = inference.context.rules.rounds(first, by, last)
    return _Rounds(number, (first, last), between, moved, stored), effects


def _one_round(inference: Inference, node: term.Rounds, starts: list[Judgement], rounds: _Rounds) -> _OneRound | None:
    """Infer the body, once, at types that hold what the first round starts with and what every round ends with. At
    the types of the start it would claim too little of the later rounds."""
    types = invariants.types(inference, node, starts) if isinstance(node, term.Loop) else ()
    kept = _kept(inference, node, types, starts, rounds) if isinstance(node, term.Loop) else ()
    computed = len(inference.publics.symbols)
    opened = _of_open_lengths(inference, node, types)
    with inference.context.round(node, inference.solver, rounds.sample) as own:
        variables: list[Var] = []
        known = iter(kept)
        for (inner, _), type_ in zip(node.carried, opened, strict=True):
            inference.context.environment[inner] = _start(inference, inner, type_, variables, known)
        index = _index(inference, node, rounds, own)
        inference.define(node.index, index)
        value, effects = inference.body(node.body)
        forms = tuple(part.form for part in (value.parts if len(value.parts) == len(types) else (value,) * len(types)))
        if isinstance(node, term.Loop):
            _hold(inference, node, Evaluation(value, effects), kept, frozenset(inference.publics.symbols[computed:]))
    inside = frozenset(symbol for symbol in inference.publics.symbols[computed:] if symbol.varies)
    differ = not effects.costs and rounds_differ(inference, node, value, inside)
    value, effects = publics.from_outside(value, inside), _failing_outside(effects, inside)
    ends = value.parts if len(value.parts) == len(types) else (value,) * len(types)
    added = [_added(before, end.type, inside) for before, end in zip(opened, ends, strict=True)]
    held = _held(inference, node, opened, ends, added)
    held = None if held is None else _lengthened(inference, node, types, held, added, rounds)
    number = inference.static(index)
    if held is None:
        return None
    return _OneRound(tuple(variables), kept, held, value, ends, forms, effects, own, number, differ)


def _kept(
    inference: Inference, node: term.Loop, types: tuple[Type, ...], starts: list[Judgement], rounds: _Rounds
) -> tuple[Invariant | None, ...]:
    """What holds in all rounds of public numbers among what is carried. Where it is private how many rounds there are,
    none is: another round may have come before in the other run."""
    if not inference.context.rules.computed or rounds.ends is None or rounds.moves:
        return (None,) * sum(len(invariants.leaves(type_)) for type_ in types)
    number = None if rounds.number is None else rounds.number.number
    return tuple(carried.invariants(inference, node, types, starts, number))


def _hold(
    inference: Inference,
    node: term.Loop,
    found: Evaluation,
    kept: tuple[Invariant | None, ...],
    inside: frozenset[Symbol],
) -> None:
    """What was taken to hold in all rounds is held against what a round ends with, where its numbers are known. What is
    private though the loop releases something is reported there."""
    value, releases = found.value, bool(found.effects.costs)
    ends = value.parts if len(value.parts) == len(node.carried) else (value,) * len(node.carried)
    result = node.body.result
    apart = isinstance(result, term.MakeTuple) and len(result.items) == len(node.carried)
    items = result.items if isinstance(result, term.MakeTuple) and apart else (result,) * len(node.carried)
    left = iter(kept)
    for (local, _), end, item in zip(node.carried, ends, items, strict=True):
        begins = inference.context.environment[local]
        for part in _apart([inference.type(end)], [end]):
            known = next(left, None)
            if releases and not publics.is_public(part.moves):
                continue
            if known is not None and not carried.is_kept(inference, known, begins, part, item, inside):
                inference.give_up(f"`{local.name}` is not known to be in each round what it is in the first")


def _index(inference: Inference, node: term.Rounds, rounds: _Rounds, own: OwnRows) -> Judgement:
    """The number of a round. It is public where the range is, and lies between its ends."""
    type_ = NumberType(Base.INTEGER, bounds=rounds.between, stored=rounds.stored)
    moved = own.index(node.index.span)
    is_public = inference.context.rules.computed and rounds.ends is not None and not moved
    return Judgement(inference.publics.of_rounds(type_, node.index) if is_public else type_, moved)


def _failing_outside(effects: Effects, inside: frozenset[Symbol]) -> Effects:
    """Effects whose failures depend on no number that a round computes: those count by the most they may be."""
    if not inside or not effects.failures:
        return effects
    failures = (each._replace(moves=publics.at_most(each.moves, inside)) for each in effects.failures)
    return effects._replace(failures=tuple(failures))


def _start(
    inference: Inference, local: term.Local, type_: Type, variables: list[Var], kept: Iterator[Invariant | None]
) -> Judgement:
    """What a round starts with. The items of a tuple move apart from each other; a public number moves with nothing."""
    if isinstance(type_, TupleType):
        items = [_start(inference, local, item, variables, kept) for item in type_.items]
        return inference.tuple_of(local.span, items, type_.label)
    variables.append(Var(local.name, gap=has_gap(type_), carried=True))
    if has_whole_steps(type_):
        inference.context.whole.add(variables[-1])
    known = next(kept)
    if known is not None:
        start = Reach(variables[-1], ZERO)
        if not isinstance(type_, NumberType):
            return Judgement(type_, moves.NOWHERE)
        return Judgement(
            inference.publics.of_rounds(type_, local, known.between, known.real), moves.NOWHERE, reach=start
        )
    moved = moves.own(variables[-1], local.span, Way.RISES)
    return Judgement(type_, moved, reach=Reach(variables[-1], ZERO))


def _apart(types: Iterable[Type], values: Iterable[Judgement]) -> list[Judgement]:
    """The items of tuples; each moves as far as its tuple, if nothing better is known."""
    found = []
    for type_, value in zip(types, values, strict=True):
        if isinstance(type_, TupleType):
            known = len(value.parts) == len(type_.items)
            parts = value.parts if known else (Judgement(item, value.moves) for item in type_.items)
            found += _apart(type_.items, parts)
        else:
            found.append(value)
    return found


def _together(
    inference: Inference, span: Span, types: Iterable[Type], items: Iterator[Moves], label: Label | None = None
) -> Judgement:
    """A tuple of values of these types, whose items move apart from each other."""
    parts = []
    for type_ in types:
        if isinstance(type_, TupleType):
            parts.append(_together(inference, span, type_.items, items, type_.label))
        else:
            parts.append(inference.judgement(type_, next(items)))
    return inference.tuple_of(span, parts, label)


def _of_open_lengths(inference: Inference, node: term.Rounds, types: tuple[Type, ...]) -> tuple[Type, ...]:
    """The types of what is carried in a round, where vectors may become longer: each has a public length, another one
    in each round."""
    within = term.within(term.of_body(node.body)) if node.carried else ()
    if not any(isinstance(each, term.Call) and builtins.TABLE[each.builtin].has(Lengthens) for each in within):
        return types
    return tuple(
        replace(type_, length=inference.publics.of_length(local)) if _is_vector(type_) else type_
        for (local, _), type_ in zip(node.carried, types, strict=True)
    )


def _is_vector(type_: Type) -> TypeGuard[Container]:
    """Whether a type is that of a vector, whose length a loop may change."""
    return isinstance(type_, Container) and type_.kind is Kind.VECTOR


def _added(before: Type, after: Type, inside: frozenset[Symbol]) -> Poly | None:
    """By how much a round makes a vector of open length longer; None where that is another number in each round."""
    if not _is_vector(before) or not _is_vector(after) or before.length.symbol not in inside:
        return None
    added = after.length - before.length
    return added if inside.isdisjoint(symbols_of(added)) else None


def _lengthened(
    inference: Inference,
    node: term.Rounds,
    types: tuple[Type, ...],
    held: tuple[Type, ...],
    added: Sequence[Poly | None],
    rounds: _Rounds,
) -> tuple[Type, ...] | None:
    """The types after all rounds, each of which makes vectors so much longer; None, with a problem, where it is not
    public how many rounds there are."""
    found: list[Type] = []
    for (local, _), type_, after, more in zip(node.carried, types, held, added, strict=True):
        if more is None or not _is_vector(type_) or not _is_vector(after):
            found.append(after)
        elif more.number == 0:
            found.append(replace(after, length=type_.length))
        elif (number := _length(node, rounds)) is not None:
            found.append(replace(after, length=type_.length + more * number))
        else:
            reason = f"it is not public how often `{local.name}` becomes longer"
            inference.report(problems.DoesNotFit.at(node.span, function=LOOP, reason=reason))
            return None
    return tuple(found)


def _held(
    inference: Inference,
    node: term.Rounds,
    types: tuple[Type, ...],
    ends: tuple[Judgement, ...],
    added: Sequence[Poly | None],
) -> tuple[Type, ...] | None:
    """The types of what is carried, if they hold what a round ends with, but for what it adds to the length of vectors;
    None, with a problem, if not."""
    for (local, _), type_, end, more in zip(node.carried, types, ends, added, strict=True):
        if more is not None and _is_vector(end.type) and _is_vector(type_):
            end = replace(end, type=replace(end.type, length=type_.length))
        try:
            wider = without_static(inference.solver.join(type_, end.type))
        except Mismatch as mismatch:
            reason = f"`{local.name}` starts a round and ends it as {mismatch}"
            inference.report(problems.DoesNotFit.at(node.span, function=LOOP, reason=reason))
            return None
        if not isinstance(wider, Unknown) and wider != inference.solver.type(type_):
            before, after = (dispatch.given_words(inference.solver.type(each)) for each in (type_, end.type))
            reason = f"`{local.name}` is {before} before a round and {after} after it; start with the latter"
            inference.report(problems.DoesNotFit.at(node.span, function=LOOP, reason=reason))
            return None
    return tuple(map(inference.solver.type, types))


def _private(
    inference: Inference, node: term.Loop, rounds: _Rounds, starts: list[Judgement], once: _OneRound
) -> Evaluation:
    """A loop that releases something: what it carries is public in every round, so it must be when it starts and
    when a round ends. What is not is lost."""
    range_span = node.last.span
    number = None if rounds.number is None else supremum(rounds.number)
    if number is None or number.infinite:
        fixes = explain.make_static(inference, node.last)
        inference.report(problems.NotRepeatable.at(range_span, fixes=fixes))
        inference.give_up("the number of rounds is not public")
        return Evaluation(_together(inference, node.span, once.types, repeat(moves.NOWHERE)))
    at_start = []
    for start, (local, _) in zip(starts, node.carried, strict=True):
        at_start.append(_protected(inference, node, node.header, start.moves, local.name, "when the loop starts"))
    ends = [inference.released(moves.without(end.moves, once.starts), node.span) for end in once.ends]
    at_end = []
    for index, (end, (local, _)) in enumerate(zip(ends, node.carried, strict=True)):
        at_end.append(_protected(inference, node, _given(node, index), end, local.name, "when a round ends"))
    in_a_round = in_sequence([spending(once.effects.cost), *at_end])
    spent = _in_all_rounds(inference, node, rounds, number, in_a_round.cost, once)
    still = moves.added(map(moves.that_do_not, (*(start.moves for start in starts), *ends)), node.span, laws.LOOP)
    after = _after_rounds(inference, node, once)
    return Evaluation(_together(inference, node.span, after, repeat(still)), in_sequence([*at_start, spent]))


def _after_rounds(inference: Inference, node: term.Loop, once: _OneRound) -> list[Type]:
    """The types of what is carried after all rounds: what holds in all rounds still does."""
    kept, found = iter(once.kept), list[Type]()

    def after(type_: Type, local: term.Local) -> Type:
        if isinstance(type_, TupleType):
            return type_.put(after(item, local) for item in type_.items)
        known = next(kept, None)
        if known is None or not known.real or not isinstance(type_, NumberType):
            return type_
        low, high = known.after()
        if low is not None and high is not None:
            return replace(type_, bounds=Bounds(low, high))
        return inference.publics.of_rounds(type_, local, known.between, known.real) if once.effects.costs else type_

    for (local, _), type_ in zip(node.carried, once.types, strict=True):
        found.append(after(type_, local))
    return found


def _in_all_rounds(
    inference: Inference, node: term.Rounds, rounds: _Rounds, number: Sens, cost: Cost, once: _OneRound
) -> Effects:
    """What all rounds spend, so many, each of which spends so much."""
    released = variables(cost)
    places = {var: _place(inference, node, var, lies) for var, lies in once.own.places.items() if var in released}
    even = once.own.uneven.isdisjoint(places) if once.own.places else None
    unrolled.note(inference, node, cost, rounds.ends, even)
    return spending(Repeat(number, cost, Origin(node.span, LOOP), places))


def _place(inference: Inference, node: term.Rounds, var: Var, lies: Lies) -> RoundPlace:
    """What a variable of a round stands for, as what is outside of the loop moves it."""
    moved = inference.paid(moves.own(var, node.span), node.span)
    return RoundPlace({outer: move.sens for outer, move in moved.items()}, *lies)


def _given(node: term.Loop, index: int) -> Span:
    """Where a round gives what it carries its last value; the head of the loop, if that does not stand in it."""
    ends = node.body.result
    end = ends.items[index] if isinstance(ends, term.MakeTuple) else ends
    last = (bind.span for bind in reversed(node.body.binds) if isinstance(end, term.Use) and end.local in bind.targets)
    return next(last, node.header)


def _protected(inference: Inference, node: term.Loop, span: Span, moved: Moves, name: str, when: str) -> Effects:
    """The effect of carrying what must be public: what it moves with is not protected, with a problem at ``span``."""
    private = frozenset(var for var in moves.that_move(moved) if not var.exempt)
    if not private:
        return NONE
    names = "`, `".join(sorted(var.name for var in private if not var.members))
    inference.report(
        problems.LeavesUnprotected.at(
            span,
            what=f"{when}, `{name}`",
            variable=names,
            consequence="a loop that runs a mechanism carries only public values from round to round",
        )
    )
    return inference.leak(private, Origin(node.span, LOOP))


def _steady(
    inference: Inference, node: term.Loop, rounds: _Rounds, starts: list[Judgement], once: _OneRound
) -> Judgement:
    """A loop without mechanisms: how far a round's ends move when its starts do is a matrix, and its powers tell how
    far all rounds move."""
    if inference.context.rules.ordered and rounds.ends is not None:
        origin = Origin(node.span, "the published rule needs a range that is in order")
        inference.demand(rounds.ends[0], "<=", rounds.ends[1], origin, conditions.fails)
    first, last = _apart(once.types, starts), _apart(once.types, once.ends)
    growth = inference.context.rules.growth(
        [[_sens(end.moves, var) for var in once.starts] for end in last], rounds.number
    )
    read = [moves.without(end.moves, once.starts) for end in last]
    going = _going(rounds, once, first, last)
    reached = _reached(once.starts, last)
    grown = []
    for i, leaf in enumerate(leaf for type_ in once.types for leaf in invariants.leaves(type_)):
        parts = [(rounds.moves, INFINITY)]  # other rounds are another program
        if rounds.sample is not None:
            parts = [(rounds.moves, _displacement(inference, once, last, growth.one[i]))]
        if _selects(once, i):
            kept = moves.scaled(first[i].moves, growth.start[i][i], node.span, laws.LOOP)
            parts.append((_furthest(once, kept, read[i], node.span), ONE))
        for j, start in enumerate(first) if not _selects(once, i) else ():
            over = Spread(growth.one[i][j], growth.every[i][j], rounds.number)
            known = [(start.moves, growth.start[i][j]), *once.own.spread(read[j], over, node.span)]
            parts += known if j in reached[i] else [(moved, factor) for moved, factor in known if not factor.zero]
        most = diameter(leaf) if inference.context.rules.diameter else INFINITY
        together = moves.combined(parts, node.span, laws.LOOP)
        together = {var: replace(move, way=going[i].get(var)) for var, move in together.items()}
        grown.append(inference.capped(together, most, node.span))
    found = _together(inference, node.span, _after_rounds(inference, node, once), iter(grown))
    if any(isinstance(type_, TupleType) for type_ in once.types) or not inference.context.rules.linear:
        return found
    numbers = zip(found.parts, node.carried, starts, once.forms, strict=True)
    added = (_added_up(inference, node, rounds, once, *each) for each in numbers)
    return replace(found, parts=tuple(added))


def _selects(once: _OneRound, index: int) -> bool:
    """Whether a round ends with what it starts with, or with what it makes of nothing that is carried, wherever it
    does not turn (:meth:`~dp_lsp.core.linear.LinearForm.selects`): then a round moves it by no more than the larger of
    both do, and by induction all rounds do, however many there are."""
    form = once.forms[index] if len(once.forms) == len(once.starts) == len(once.types) else None
    if form is None or form.written or once.own.sample is not None or not isinstance(once.types[index], NumberType):
        return False

    def is_carried(part: Part) -> bool:
        return not isinstance(part.source, ValueSource) or not part.source.judgement.moves.keys().isdisjoint(starts)

    def is_start(part: Part) -> bool:
        source = part.source
        moved = source.judgement.moves if isinstance(source, ValueSource) else {}
        return moved.keys() == {starts[index]} and bool(decide(moved[starts[index]].sens, "<=", ONE))

    starts = once.starts
    return not is_data(once.types[index]) and form.selects(is_start, is_carried)


def _furthest(once: _OneRound, kept: Moves, read: Moves, span: Span) -> Moves:
    """What a value moves with that is selected: what is kept of the start, or what the round makes that reads what
    moves furthest. An entry moves no further than its container, in any norm."""
    made = moves.combined(once.own.spread(read, Spread(ONE, ONE, None), span), span, laws.LOOP)
    return moves.furthest_of((kept, made), span)


def _added_up(
    inference: Inference,
    node: term.Loop,
    rounds: _Rounds,
    once: _OneRound,
    found: Judgement,
    carried: tuple[term.Local, term.Term],
    start: Judgement,
    form: LinearForm | None,
) -> Judgement:
    """What is carried after all rounds, where it is known what each of them adds to it."""
    ends = None if rounds.ends is None else [each.number for each in rounds.ends]
    index = None if once.number is None else once.number.symbol
    if form is None or index is None or ends is None or None in ends or node.step is not None:
        return found
    if rounds.moves or rounds.sample is not None:
        return found
    first, last = (int(each) for each in ends if each is not None)
    local, begins = carried
    before = form_of(inference.solver, begins, start)
    if before is None and start.moves:
        return found
    around = linear.Adding(local, form, inference.context.environment, once.own.known)
    total = linear.after_rounds(inference, around, before, index, range(first, last + 1))
    return found if total is None else linear.known_as(inference, found, total, node.span)


def _going(rounds: _Rounds, once: _OneRound, first: list[Judgement], last: list[Judgement]) -> list[_Ways]:
    """Which way each of what is carried goes with what it moves with. Where other rounds are made it may be any."""
    ends = [end.moves for end in last]
    found = _heading([start.moves for start in first], ends, once.starts, once.own.container)
    lost = dict.fromkeys(rounds.moves) if rounds.sample is None else {var: None for each in found for var in each}
    return [{**each, **lost} for each in found]


def _reached(starts: Sequence[Var], ends: Sequence[Judgement]) -> list[frozenset[int]]:
    """Of what each end is made after some rounds, as places of what they start with, also where it moves by 0."""
    made = [frozenset(j for j, var in enumerate(starts) if var in end.moves) for end in ends]
    for _ in starts:
        made = [each.union(*(made[j] for j in each)) for each in made]
    return made


def _displacement(inference: Inference, once: _OneRound, last: list[Judgement], grows: list[Sens]) -> Sens:
    """How far an end moves when the sample has a row more: as far as the round of that row takes each variable, times
    what later rounds make of that."""
    types = (leaf for type_ in once.types for leaf in invariants.leaves(type_))
    taken = zip(types, last, once.starts, grows, strict=True)
    return sens.total(grow * moves.displacement(inference.solver, type_, end, var) for type_, end, var, grow in taken)


def _sens(moved: Moves, var: Var) -> Sens:
    """The sensitivity in a variable; 0 where there is none."""
    move = moved.get(var)
    return ZERO if move is None else move.sens


# Monotonicity


_Ways = dict[Var, Way | None]
"""The way that something goes with each variable it moves with; None if that is not known."""


def _heading(
    starts: Sequence[Moves], ends: Sequence[Moves], carried: Sequence[Var], whole: Callable[[Var], Var]
) -> list[_Ways]:
    """Which way each of what a loop carries goes, in all rounds and after them: the fixpoint of what one round does.

    Let each of what is carried have a way to go, so that what it starts with goes that way, what a round reads does,
    and what a round makes of all that is carried does if each goes its way. Then, by induction, all go their ways
    after every round, however many there are. What has no such way may go any. ``ends`` move with ``carried``, which
    stand for what a round starts with, and with what it reads: with rows of what ``whole`` tells."""
    found = [
        _either_way(_ways(start, whole), _ways(end, whole, set(carried)))
        for start, end in zip(starts, ends, strict=True)
    ]
    changed = True
    while changed:
        changed = False
        for index, end in enumerate(ends):
            links = [(place, end[var].way) for place, var in enumerate(carried) if var in end]
            for place, way in links:
                wider = _either_way(found[index], {var: through(each, way) for var, each in found[place].items()})
                changed |= wider != found[index]
                found[index] = wider
    return found


def _ways(moved: Moves, whole: Callable[[Var], Var], left_out: Collection[Var] = ()) -> _Ways:
    """The monotonicity in each variable, rows of one container taken together; None where two of them differ."""
    found: _Ways = {}
    for var, move in moved.items():
        if var not in left_out:
            found = _either_way(found, {whole(var): move.way})
    return found


def _either_way(left: _Ways, right: _Ways) -> _Ways:
    """The way of what may be either of two."""
    both = {var: common((left[var], way)) if var in left else way for var, way in right.items()}
    return {**left, **both}
