"""Sensitivity environments and their algebra: scaling, addition in a norm, maxima over branches; and magnitude bounds,
which say how far a value lies from 0, or from where a round of a loop started.

An environment maps a variable to a :class:`~dp_lsp.core.scheme.Move`: the sensitivity (an exact, symbolic factor ≥ 0,
maybe ∞, in the units of the two metrics), the monotonicity, and the step that it follows from, for derivations.

Sources: Reed and Pierce 2010, "Distance makes the types grow stronger", for the semiring of sensitivities; the triangle
inequality of each norm where a function says no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from operator import mul

from dp_lsp.builtins.define import Args, Builtin
from dp_lsp.builtins.traits import Additive, PreservesZero, WithinRadius
from dp_lsp.core import laws, sens
from dp_lsp.core.algebra import NormVariable, Poly, Sign
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Substitution, norms_of, symbols_of
from dp_lsp.core.events import Var
from dp_lsp.core.metrics import by_norm, diameter
from dp_lsp.core.scheme import Judgement, Move, Moves, Reach
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, Way, common, magnitude, through
from dp_lsp.core.types import AnyNorm, Norm, NumberType, Type
from dp_lsp.core.values import replace
from dp_lsp.infer.solver import Solver
from dp_lsp.text import Span

NOWHERE: Moves = {}
Weighted = tuple[Moves, Sens]
_LONGER = 8  # a root that is so much longer than a sum is left out: the sum is no less
_UNKNOWN: Iterable[Way | None] = repeat(None)


def own(var: Var, span: Span, way: Way | None = None) -> Moves:
    """The environment of a variable itself: sensitivity 1. ``way`` is its monotonicity, which only those set who follow
    it."""
    return {var: Move(ONE, span, laws.PARAMETER, way=way)}


def scaled(moved: Moves, factor: Sens, span: Span, rule: str, subject: str = "", way: Way | None = None) -> Moves:
    """The environment of a function of one value with Lipschitz constant ``factor``; ``way`` is the function's
    monotonicity."""
    return combined(((moved, factor),), span, rule, subject, (way,))


def combined(
    parts: Iterable[Weighted], span: Span, rule: str, subject: str = "", ways: Iterable[Way | None] = _UNKNOWN
) -> Moves:
    """The environment of something made of several values, by the triangle inequality: for each variable the sum of
    factor times sensitivity over ``parts``. An entry with sensitivity 0 stays: the variable may decide of which type a
    number is, so the value is not public. ``ways`` are the monotonicities of the result in each part alone; the result
    has one where all parts agree."""
    gathered: dict[Var, tuple[list[Sens], list[Move], list[Way | None]]] = {}
    for (moved, factor), way in zip(parts, ways, strict=False):
        for var, move in moved.items():
            factors, before, going = gathered.setdefault(var, ([], [], []))
            if factor.zero:
                continue
            factors.append(factor)
            before.append(move)
            going.append(through(move.way, way))
    return {
        var: Move(_total(factors, before), span, rule, tuple(factors), tuple(before), subject, common(going))
        for var, (factors, before, going) in gathered.items()
    }


def _total(factors: list[Sens], before: list[Move]) -> Sens:
    total: Sens | None = None
    for factor, move in zip(factors, before, strict=True):
        part = move.sens if factor == ONE else factor * move.sens
        total = part if total is None else total + part
    return ZERO if total is None else total


def that_move(moved: Moves) -> Moves:
    """The entries of an environment with a sensitivity other than 0."""
    return {var: move for var, move in moved.items() if not move.sens.zero}


def that_do_not(moved: Moves) -> Moves:
    """The entries with sensitivity 0: the variable may decide of which type a number is."""
    return {var: move for var, move in moved.items() if move.sens.zero}


def side_by_side(moved: Moves, norm: AnyNorm) -> Moves:
    """The environment of a vector from the sum of those of its entries: one change of a variable moves all entries at
    once, so the vector moves by the norm of the entries' distances, which is no more than their sum."""
    return {
        var: replace(move, sens=_in_norm(move, norm)) if len(move.before) > 1 else move for var, move in moved.items()
    }


def furthest(moved: Moves) -> Moves:
    """The moves of the largest or smallest of some numbers, where these are those of the numbers added up.

    Proof: |max(aᵢ) - max(bᵢ)| ≤ max |aᵢ - bᵢ|, as aᵢ ≤ bᵢ + |aᵢ - bᵢ| ≤ max(bⱼ) + max |aⱼ - bⱼ| for each i, and the
    same the other way; min(aᵢ) = -max(-aᵢ)."""
    return {
        var: replace(move, sens=_in_norm(move, Norm.LINF), rule=laws.FURTHEST) if len(move.before) > 1 else move
        for var, move in moved.items()
    }


def _in_norm(move: Move, norm: AnyNorm) -> Sens:
    parts = [factor * before.sens for factor, before in zip(move.factors, move.before, strict=True)]
    root = sens.total(map(mul, parts, parts)).root()
    long = root.infinite or root.size > _LONGER * move.sens.size
    return by_norm(norm, move.sens, move.sens if long else root, sens.maximum(parts))


def read(moved: Moves, norms: Sequence[NormVariable], norm: Norm, span: Span) -> Moves:
    """The environment of a container whose entries are read in ``norm``, where its sensitivity in that norm is at most
    that in each other one. ``norms`` are the variables for the norm that it is measured in; entries for which that does
    not hold are unchanged."""
    found = {}
    for var, move in moved.items():
        in_each = {each: Substitution({}, dict.fromkeys(norms, each)).sens(move.sens) for each in Norm}
        least = all(decide(in_each[norm], "<=", other) for other in in_each.values()) and in_each[norm] != move.sens
        found[var] = Move(in_each[norm], span, laws.IN_LINF, (ONE,), (move,), way=move.way) if least else move
    return found


def added(parts: Iterable[Moves], span: Span, rule: str) -> Moves:
    """The environment of several values together, measured in L1: the sum. What only one of them moves with keeps its
    derivation."""
    parts = tuple(parts)
    together = combined(((part, ONE) for part in parts), span, rule, ways=repeat(Way.RISES))
    return {var: move if len(move.before) > 1 else move.before[0] for var, move in together.items()}


def joined(moved: Moves, extra: Weighted, span: Span, rule: str) -> Moves:
    """The environment of a value after something else was written into a part of it: the sum where both have a variable
    in common, else unchanged."""
    touched = {var: move for var, move in moved.items() if var in extra[0]}
    return {**moved, **combined(((touched, ONE), extra), span, rule)}


def larger(left: Moves, right: Moves, span: Span) -> Moves:
    """The environment of a value that is one of two, the same one in both runs: the maximum, variable by variable."""
    result = {}
    for var in {**left, **right}:
        sides = tuple(side[var] for side in (left, right) if var in side)
        most = sides[0].sens if len(sides) == 1 else sides[0].sens.at_least(sides[1].sens)
        way = common(side.way for side in sides)
        result[var] = Move(most, span, laws.BRANCH, (ONE,) * len(sides), sides, way=way)
    return result


def furthest_of(each: Sequence[Moves], span: Span) -> Moves:
    """The environment of a continuous function that is piecewise one of ``each``, such as `max` or `abs`: the maximum,
    variable by variable (on the straight line between two inputs, each piece moves by no more than its share)."""
    result = {}
    for var in {var: None for moved in each for var in moved}:
        sides = tuple(moved[var] for moved in each if var in moved)
        most = sens.maximum(side.sens for side in sides)
        way = common(side.way for side in sides) if len(sides) == len(each) else None
        result[var] = Move(most, span, laws.TURNS, (ONE,) * len(sides), sides, way=way)
    return result


def capped(moved: Moves, diameter: Sens, span: Span) -> Moves:
    """The moves into a metric of finite diameter: a variable whose values are at least 1 apart moves it by no more.
    Several steps move it by no more, either, but of them one may move one part up, and the next another one down: that
    it goes a way is no longer enough to know how far its parts move apart.
    Source: type_system 0.1, "diameter at most 1"."""
    if diameter.infinite:
        return moved
    least = {var: _least(diameter, move.sens) if var.gap else move.sens for var, move in moved.items()}
    return {
        var: move if least[var] is move.sens else Move(least[var], span, laws.CAP, (ONE,), (move,))
        for var, move in moved.items()
    }


def _least(diameter: Sens, known: Sens) -> Sens:
    """The smaller of the two; the diameter where that is open."""
    return (_part_of(diameter, known) or diameter) if _improves(diameter, known) else known


def _part_of(diameter: Sens, known: Sens) -> Sens | None:
    """The smaller one of the diameter D and c times a public number k, such as how many records a person has:
    kD/max(D/c, k). None where that is D for k = 1 already, and for anything else."""
    single, most = known.polys[0].single if len(known.polys) == 1 else None, diameter.number
    if single is None or most is None or any(symbol.sign is not Sign.REAL for symbol in symbols_of(known)):
        return None
    monomial, share = single
    if not monomial or share >= most:
        return None
    unit = Sens((Poly({monomial: Fraction(1)}),))
    largest = unit.at_least(sens.number(most / share)).single_poly()
    return Sens((unit.single_poly() * Poly.of(most) * largest.inverse(),))


def _improves(diameter: Sens, known: Sens) -> bool:
    """Whether to write the diameter: a number rather than what is not known to be at most that, a formula rather
    than ∞."""
    open_norms = norms_of(known)
    if len(open_norms) == 1:
        (norm,) = open_norms
        return any(_improves(diameter, Substitution({}, {norm: each}).sens(known)) for each in Norm)
    if known.infinite or diameter.number is None or known.number is None:
        return known.infinite or (diameter.number is not None and not decide(known, "<=", diameter))
    return diameter.number < known.number


def of_tuples(moved: Moves, tuples: Mapping[Var, Var], span: Span) -> Moves:
    """The environment with a tuple's variable in place of those of its items. The distance of tuples is the sum of
    their items' distances, so the sensitivity in the tuple is the largest one in an item."""
    items: dict[Var, list[Move]] = {}
    for var, move in moved.items():
        if var in tuples:
            items.setdefault(tuples[var], []).append(move)
    most = {whole: each[0] if len(each) == 1 else _largest(each, span) for whole, each in items.items()}
    return added((without(moved, tuples), most), span, laws.ITEMS) if most else moved


def _largest(items: list[Move], span: Span) -> Move:
    most, way = sens.maximum(move.sens for move in items), common(move.way for move in items)
    return Move(most, span, laws.ITEMS, (ONE,) * len(items), tuple(items), way=way)


def without(moved: Moves, gone: Iterable[Var]) -> Moves:
    """The environment restricted to variables other than ``gone``."""
    dropped = set(gone)
    return {var: move for var, move in moved.items() if var not in dropped} if dropped & moved.keys() else moved


def first_infinite(move: Move) -> Move:
    """The step of a derivation, nearest to the variable, at which the sensitivity became ∞."""
    while (earlier := next((before for before in move.before if before.sens is INFINITY), None)) is not None:
        move = earlier
    return move


def is_itself(move: Move) -> bool:
    """Whether a value is the variable itself: an identity, up to renaming and to counting in records instead of
    persons."""
    while move.rule in (laws.NAME, laws.PERSON):
        (move,) = move.before
    return move.rule == laws.PARAMETER


# Magnitude bounds: where values are to be found, how far from 0, or from what a round of a loop starts with.
#
# A row of a sample may be there or not. What a loop over the rows adds in the round of that row is then all that the
# row contributes, and how far that moves the result is told by where the value that is added lies, not by how far it
# moves. A function that returns 0 of 0 and is s-sensitive returns something within s·r of 0 of what is within r of 0.
#
# Where the number of rows is private, what is added counts: a Poisson sample is a type of its own, which only `size`
# and a loop over all its rows accept. A row more is one more round, so what a loop moves by is how far a round takes
# what it starts with, not how far its result moves with the row. Under `add-remove` a parameter is protected only
# where it is used for nothing but drawing such samples (:mod:`dp_lsp.infer.functions`), so that nothing that was
# inferred for data of one size is ever used for data of two.


def magnitude_bound(solver: Solver, value: Judgement) -> Reach | None:
    """The magnitude bound of a value: of a public number its absolute value, else what was inferred; None if nothing is
    known."""
    type_ = solver.type(value.type)
    if isinstance(type_, NumberType) and type_.static is not None:
        return Reach(None, magnitude(type_.static))
    return value.reach


def magnitude_of_call(
    solver: Solver, row: Builtin, args: Args, factors: Sequence[Sens], values: Sequence[Judgement]
) -> Reach | None:
    """The magnitude bound of a builtin's result: as the row says (:class:`~dp_lsp.builtins.traits.WithinRadius`), or,
    where it maps 0 to 0, the sum of factor times radius. None where no bound follows."""
    within, additive = row.trait(WithinRadius), row.trait(Additive)
    if within is not None:
        return Reach(None, within.radius(args))
    if not row.has(PreservesZero) or all(args.is_static(index) for index in range(len(args))):
        return None
    start, radius = None, sens.ZERO
    for index, (value, factor) in enumerate(zip(values, factors, strict=True)):
        if factor.zero:
            continue
        found = magnitude_bound(solver, value)
        if found is None:
            return None
        if found.start is not None:
            if start is not None or factor != ONE or additive is None or not additive.at(index, len(values)):
                return None
            start = found.start
        radius = radius + found.radius * factor
    return None if radius.infinite else Reach(start, radius)


def magnitude_of_either(left: Reach | None, right: Reach | None) -> Reach | None:
    """The magnitude bound of a value that is one of two: the larger radius, where both are around the same point."""
    if left is None or right is None or left.start is not right.start:
        return None
    return Reach(left.start, left.radius.at_least(right.radius))


def displacement(solver: Solver, type_: Type, end: Judgement, start: Var) -> Sens:
    """The largest distance between what a loop carries at the start and at the end of a round; the diameter of its type
    where no magnitude bound says less."""
    kept = end.reach is not None and end.reach.start is start
    return end.reach.radius if kept and end.reach is not None else diameter(solver.type(type_))
