"""Releases of one vector or matrix that are told apart by the entries, or rows, that they read.

Where releases read different ones, a change is spread over them: the distances of what they read add up to that of the
whole in L1, and for rows of a matrix; in L2 their squares do. With Laplace noise alone, or in L2 with Gaussian noise
alone, that costs no more than all of it where it costs most. Let release k shift its noise by cₖ·d where what it reads
moves by d, in units of the noise, and c be the largest of all cₖ. What is seen where the k-th moves by dₖ can be made
of one value with noise of that kind that moves by c·Σdₖ, or c·√Σdₖ² for Gaussian noise, answer by answer, whatever else
is released in between and whatever later releases depend on: that is the law of places read once by a loop
(:mod:`dp_lsp.infer.disjoint`), and noise that is larger can be made of smaller noise. That one value tells as much as
what costs c does at d, which is one of the ways. So a bound of all ways is one, by any measure.

Entries whose squares sum up to d² shift Laplace noise of releases that each are made once by Σ cₖdₖ ≤ √(Σ cₖ²)·d
together (Cauchy and Schwarz), so that costs no more than one of them whose entries alone move by √(Σ cₖ²)/cₖ times as
far as all of them, where these ratios are known.

Each must therefore be one release, which is made once: in a loop it is made as often as there are rounds, of two
branches the one that is not taken may be the dearer one, and two releases of the same entry are another curve than one.
Of Gaussian noise there may be several, as squares of all add up. What reads no entry with a number for its place moves
with the whole, in every way.

Sources: Dong, Roth and Su 2019, Gaussian Differential Privacy, Theorem 2.14 and Corollary 3.3; Laplace noise of scale
b' > b is that of b, and more noise, with probability 1 - b²/b'² (its characteristic function is 1/(1 + b²t²)).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Cost, Distances, Parts, Release, Sequence, Var, renamed, variables
from dp_lsp.core.metrics import is_data
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.sens import ONE, ZERO, number
from dp_lsp.core.types import Container, Norm, NumberType
from dp_lsp.infer.solver import Solver
from dp_lsp.text import Span

_MOST = 16  # releases of one container that are told apart
Places = frozenset[object]
"""The numbers of entries, or of rows, that something reads, and nothing else."""


class Entries:
    """What is released of a vector, or a matrix, in a function, by the entries or rows that it reads."""

    def __init__(self, whole: Var, type_: Container) -> None:
        self._whole = whole
        self._type = type_
        self._read: dict[Var, Places] = {}

    @staticmethod
    def of(param: SchemeParameter) -> Entries | None:
        """A parameter, if it is a vector or a matrix of numbers that are not compared by equality."""
        type_ = param.type
        if not isinstance(type_, Container) or not isinstance(type_.element, NumberType) or is_data(type_.element):
            return None
        return Entries(param.var, type_)

    def told_apart(self, read: Places | None) -> Var:
        """The variable of what reads such places; that of the whole, where these are not known."""
        if not read or len(self._read) == _MOST:
            return self._whole
        part = Var(self._whole.name, self._whole.gap, chained=self._whole.chained)
        self._read[part] = read
        return part

    def in_parts(self, solver: Solver, cost: Cost, span: Span) -> Cost:
        """What a function spends, with what is told apart seen from outside."""
        used = variables(cost)
        read = {part: places for part, places in self._read.items() if part in used}
        norm = Norm.L1 if self._type.rows is not None else solver.norm(self._type.norm)
        groups = list(_groups(read))
        ways = _ways(cost, groups, norm is Norm.L2) if len(groups) > 1 and norm in (Norm.L1, Norm.L2) else ()
        if not ways:
            return renamed(cost, dict.fromkeys(self._read, self._whole))
        return Parts(self._whole, ways, False, cost, Origin(span, "different entries"), scaled=True)


def _groups(read: Mapping[Var, Places]) -> Iterator[frozenset[Var]]:
    """Releases that read no place in common with others."""
    groups: list[tuple[Places, frozenset[Var]]] = []
    for part, places in read.items():
        same = [each for each in groups if not each[0].isdisjoint(places)]
        groups = [each for each in groups if each[0].isdisjoint(places)]
        groups.append((places.union(*(seen for seen, _ in same)), frozenset({part}).union(*(few for _, few in same))))
    return (few for _, few in groups)


def _ways(cost: Cost, groups: list[frozenset[Var]], squares: bool) -> tuple[Distances, ...]:
    """Ways to move what is read of which one costs as much as any, where distances, or their ``squares``, add up; none
    if they are not known."""
    parts = frozenset[Var]().union(*groups)
    found = _releases(cost, parts)
    if not found:
        return ()
    once = len(found) == len(parts) == len(groups) and all(each.event.shares for each in found)
    alone = tuple({part: ONE if part in group else ZERO for part in parts} for group in groups)
    if all(each.event.is_normal for each in found) or (once and not squares and not _some_normal(found)):
        return alone
    return _in_one(found) if once and not _some_normal(found) else ()


def _some_normal(found: list[Release]) -> bool:
    return any(each.event.is_normal for each in found)


def _releases(cost: Cost, parts: frozenset[Var]) -> list[Release]:
    """All that is released of these parts; none if that is done otherwise than one after the other, or of several."""
    found: list[Release] = []
    pending = [cost]
    while pending:
        node = pending.pop()
        if isinstance(node, Sequence):
            pending += node.parts
        elif parts.isdisjoint(variables(node)):
            continue
        elif isinstance(node, Release) and len(node.distance) == 1:
            found.append(node)
        elif isinstance(node, Parts):
            pending.append(node.body)
        else:
            return []
    return found


def _in_one(found: list[Release]) -> tuple[Distances, ...]:
    """The way in which one of some releases costs as much as all of them do at most, if squares add up."""
    alike = len({each.event.declares.epsilon for each in found}) == 1
    sizes = [
        ((ONE if alike else each.event.declares.epsilon) * each.factor * far).number
        for each in found
        for far in each.distance.values()
    ]
    known = [size for size in sizes if size]
    if len(known) < len(found):
        return ()
    first, *others = (var for each in found for var in each.distance)
    length = number(sum((size / known[0]) ** 2 for size in known)).root()
    return ({first: length, **dict.fromkeys(others, ZERO)},)
