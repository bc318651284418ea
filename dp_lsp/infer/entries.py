"""Releases of one vector or matrix that are told apart by the entries, or rows, that they read.

Where releases read different ones, a change is spread over them: the distances of what they read add up to that of the
whole in L1, and for rows of a matrix; in L2 their squares do. With Laplace noise alone, or in L2 with Gaussian noise
alone, that costs no more than all of it where it costs most. Let release k shift its noise by cₖ·d where what it reads
moves by d, in units of the noise, and c be the largest of all cₖ. What is seen where the k-th moves by dₖ can be made
of one value with noise of that kind that moves by c·Σdₖ, or c·√Σdₖ² for Gaussian noise, answer by answer, whatever else
is released in between and whatever later releases depend on: that is the law of places read once by a loop
(:mod:`dp_lsp.infer.disjoint`), and noise that is larger can be made of smaller noise. That one value tells as much as
what costs c does at d, which is one of the ways. So a bound of all ways is one, by any measure.

Each must therefore be one release, which is made once: in a loop it is made as often as there are rounds, of two
branches the one that is not taken may be the dearer one, and two releases of the same entry are another curve than one.
Of Gaussian noise there may be several, as squares of all add up. What reads no entry with a number for its place moves
with the whole, in every way.

Laplace noise needs no places that are apart, where each release is made once and is a vector of numbers fₖ·v with scale
bₖ on each, and all fₖ are known: shifts |fₖ·d|/bₖ sum up to at most N, the norm of all fₖ/bₖ as one map from what v
moves by to L1 (:func:`~dp_lsp.core.linear.operator_norm`). So all together tell no more than one of them that shifts
by N alone. For entries of a vector in L2 that is √(Σ 1/bₖ²), by Cauchy and Schwarz. How one scale compares with another
must be a number, so that N is one, whatever was released before.

Sources: Dong, Roth and Su 2019, Gaussian Differential Privacy, Theorem 2.14 and Corollary 3.3; Laplace noise of scale
b' > b is that of b, and more noise, with probability 1 - b²/b'² (its characteristic function is 1/(1 + b²t²)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin, decide
from dp_lsp.core.events import Cost, Distances, Parts, Release, Sequence, Var, renamed, variables
from dp_lsp.core.linear import Measure, Piece, Rows, norm_of
from dp_lsp.core.metrics import is_data
from dp_lsp.core.ranges import ratio
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.sens import ONE, ZERO, Sens, number, total
from dp_lsp.core.types import Container, Norm, NumberType
from dp_lsp.infer.solver import Solver
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.text import Span

_MOST = 16  # releases of one container that are told apart


class Entries:
    """What a function releases of one vector or matrix, by the entries or rows that each release reads."""

    def __init__(self, whole: Var, type_: Container) -> None:
        self._whole = whole
        self._type = type_
        self._read: dict[Var, Rows] = {}

    @staticmethod
    def of(param: SchemeParameter) -> Entries | None:
        """For a parameter that is a vector or matrix of numbers, not compared by equality; else None."""
        type_ = param.type
        if not isinstance(type_, Container) or not isinstance(type_.element, NumberType) or is_data(type_.element):
            return None
        return Entries(param.var, type_)

    def told_apart(self, read: Rows | None) -> Var:
        """The variable of releases that read these entries or rows; the variable of the whole where their positions are
        not numbers."""
        if read is None or not _places(read) or None in _places(read) or len(self._read) == _MOST:
            return self._whole
        part = Var(self._whole.name, self._whole.gap, chained=self._whole.chained)
        self._read[part] = read
        return part

    def in_parts(self, solver: Solver, cost: Cost, span: Span) -> Cost:
        """The cost of the function as a ``Parts`` event, in which the releases share one change."""
        used = variables(cost)
        ways = self._ways(solver, _releases(cost, frozenset(self._read) & used))
        if not ways:
            return renamed(cost, dict.fromkeys(self._read, self._whole))
        return Parts(self._whole, ways, False, cost, Origin(span, "different entries"), scaled=True)

    def _ways(self, solver: Solver, found: Mapping[Var, Release]) -> tuple[Distances, ...]:
        """Ways to move what is released of which one costs as much as any does; none if they are not known."""
        norm = solver.norm(self._type.norm)
        if len(found) < 2 or not isinstance(norm, Norm):
            return ()
        spread = Norm.L1 if self._type.rows is not None else norm
        normal = {each.event.is_normal for each in found.values()}
        groups = list(_groups({part: _places(self._read[part]) for part in found}))
        once = len(groups) == len(found) and normal == {False}
        if len(groups) > 1 and ((spread is Norm.L1 and once) or (spread is not Norm.LINF and normal == {True})):
            return tuple({part: ONE if part in group else ZERO for part in found} for group in groups)
        length = self._type.length
        return _in_one(found, self._read, Measure(norm, length, False)) if normal == {False} else ()


def _places(read: Rows) -> frozenset[object]:
    """The numbers of entries, or of rows, that something reads; None for what has none."""
    firsts = (piece.places[0] if piece.places else None for row in read for piece in row)
    return frozenset(first.number if isinstance(first, Poly) else None for first in firsts)


def _groups(read: Mapping[Var, frozenset[object]]) -> Iterator[frozenset[Var]]:
    """Releases that read no place in common with others."""
    groups: list[tuple[frozenset[object], frozenset[Var]]] = []
    for part, places in read.items():
        same = [each for each in groups if not each[0].isdisjoint(places)]
        groups = [each for each in groups if each[0].isdisjoint(places)]
        groups.append((places.union(*(seen for seen, _ in same)), frozenset({part}).union(*(few for _, few in same))))
    return (few for _, few in groups)


def _releases(cost: Cost, parts: frozenset[Var]) -> Mapping[Var, Release]:
    """What is released of each of these parts, one after the other, with noise that makes their distances add up; none
    if anything is released otherwise."""
    found: dict[Var, Release] = {}
    pending = [cost]
    while pending:
        node = pending.pop()
        if isinstance(node, Sequence):
            pending += reversed(node.parts)
        elif parts.isdisjoint(variables(node)):
            continue
        elif isinstance(node, Release) and len(node.distance) == 1 and node.event.shares:
            (part,) = node.distance
            found[part] = node
        elif isinstance(node, Parts):
            pending.append(node.body)
        else:
            return {}
    return found


def _in_one(found: Mapping[Var, Release], read: Mapping[Var, Rows], measure: Measure) -> tuple[Distances, ...]:
    """The way in which one of some releases with Laplace noise costs as much as all do at most; none where that is not
    known, or no less than what they cost one by one."""
    (first, one), *others = found.items()
    far = one.distance[first] * one.factor
    shifts, alone = list[Mapping[Piece, Poly]](), list[Sens]()
    for part, each in found.items():
        times = _times(each.event, one.event)
        if times is None or not all(map(_is_known, read[part])):
            return ()
        shifts += ({piece: factor * Poly.of(times) for piece, factor in row.items()} for row in read[part])
        alone.append(each.distance[part] * each.factor * number(times))
    together = _largest(norm_of(shifts, measure, Norm.L1))
    if far.zero or len(far.polys) != 1 or decide(total(alone), "<=", together) is not False:
        return ()
    return ({first: ratio(together, far.single_poly()), **{part: ZERO for part, _ in others}},)


def _largest(found: Sens) -> Sens:
    """The largest of some numbers, where they are told apart."""
    sizes = [Sens((size,)) for size in found.polys]
    return next((one for one in sizes if all(one is each or decide(each, "<=", one) for each in sizes)), found)


def _is_known(row: Mapping[Piece, Poly]) -> bool:
    """Whether all coefficients and places are numbers."""
    places = (place for piece in row for place in piece.places)
    known = all(isinstance(place, Poly) and place.number is not None for place in places)
    return known and all(factor.number is not None for factor in row.values())


def _times(event: Mechanism, other: Mechanism) -> Fraction | None:
    """How many times as much a mechanism costs as another one at the same distance, if that is a number."""
    if len({len(each.polys) for noise in (event, other) for each in (noise.declares.epsilon, noise.declared)}) != 1:
        return None
    more = ratio(event.declares.epsilon, other.declares.epsilon.single_poly()).number
    wider = ratio(event.declared, other.declared.single_poly()).number
    return more / wider if more and wider else None
