"""Values that are linear functions of others: Σ coefficient · part, plus something public.

A part is a linear piece of a value that is the same wherever it is read: the value itself, an entry of a vector, a row
or a cell of a matrix, the sum of entries. Equal parts are one, so what is added and taken away again is gone. A form is
a fact about numbers and not about distances: in each of two runs the value is what it says, so the values of the two
runs differ by Σ coefficient · (how far the part moves). Coefficients and positions are public, so they are the same in
both runs. As everywhere, numbers are exact reals, and never NaN.

How far that is at most for one source is the norm of its coefficients as a linear map A from what its entries move by
to what those of the result do: sup ‖Ax‖ over ‖x‖ ≤ 1. For several sources it is at most the sum.

Proofs of :func:`operator_norm`. ‖x‖₁ ≤ 1 is the hull of the unit vectors and their negatives, and ‖Ax‖ is convex: from
L1 the largest column. Each entry of Ax is a functional, whose norm is the dual one: to LInf the largest row in that.
From LInf the hull is that of vectors of signs; to L1, ‖Ax‖₁ is the largest ⟨s, Ax⟩ = ⟨Aᵀs, x⟩ over vectors of signs,
so the largest dual norm of Aᵀs: both are looked for where there are few. Rows without a column in common are apart: if
x is split among them so is Ax, and what is left is a sum over numbers tᵢ = ‖xᵢ‖. From L2 to L2, ‖A‖² ≤ ‖A‖₁‖A‖∞ and
‖A‖² ≤ Σ aᵢⱼ² (the spectral radius of AᵀA is at most any norm of it, and its trace); where A has two rows or columns,
‖A‖² is the larger root of λ² - tλ + d, t and d being the trace and the determinant of the smaller one of AᵀA and AAᵀ.
Otherwise |Σ aᵢⱼxⱼ| is at most its row in the dual norm, so the norm of all these is an upper bound.

A column of a matrix has an entry of each row. What rows move by is added up, so it is enough to look at one row that
moves, and at the one entry that the column has of it, in any norm.

Data are compared by equality: an entry of the result differs only where an entry that it is made of does. Where x
differs at all, ‖x‖ ≥ 1, so the result is at most as far as if all its entries that use any of it differed; and in L1
one entry of x after the other may be changed, so at most the largest column of the entries that use it.

|a|, the largest or smallest of some numbers, and a number that is moved into a range are one linear function of what
they are made of or another one, up to what is public, and go from one to the other without a jump: a :class:`Choice`.
On the straight line between two inputs a value made of choices is continuous, and one of the forms of
:meth:`LinearForm.alternatives` on each of finitely many pieces; so it moves by at most the largest of their norms. A
number that a public condition chooses is one of them, too, and the same one in both runs, so on all of that line.

Positions that are written differently may be the same, if they are no numbers. They are public, and so the same in both
runs: which of them are equal is one of finitely many ways (:func:`_ways`). In each, equal pieces count together, and
other ones are apart; so the norm is at most the largest of these ways.

Source: Horn and Johnson 2013, Matrix Analysis, 5.6; searched by brute force in ``tests/test_linear.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import reduce
from itertools import product
from math import prod
from operator import mul
from typing import Any

from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.metrics import by_norm, conversion
from dp_lsp.core.sens import ONE, ZERO, Sens, magnitude, maximum, number, positive_part, total
from dp_lsp.core.types import AnyNorm, Norm
from dp_lsp.core.values import thing, value
from dp_lsp.named import NamedTuple

WHOLE, _NONE = Poly.of(1), Poly.of(0)
MOST_PARTS = 12  # of one value; what has more is a value of its own, so that a long sum costs as much as it is long
WIDEST = 4  # coefficients have no more terms, and these no more factors
MOST_ALTERNATIVES = 32  # of a value that turns; what has more is a value of its own
_MOST_SIGNS = 6  # numbers each of which may have two signs
_MOST_EQUAL = 16  # ways in which positions that are no numbers may be the same
_LONGER = 8  # a root that is so much longer than a sum is left out: the sum is no less
_DUAL = {Norm.L1: Norm.LINF, Norm.L2: Norm.L2, Norm.LINF: Norm.L1}


class Part(NamedTuple):
    """A piece of a source. Parts of one source are measured together."""

    source: Hashable
    piece: Hashable


Combination = Mapping[Part, Poly]
"""How often each part counts; none counts 0 times."""


@value
class LinearForm:
    """A value as a linear function of parts. A vector that was ``written`` entry by entry has a combination for each;
    anything else has one, whose parts are of its own shape."""

    rows: tuple[Combination, ...]
    written: bool = False

    @staticmethod
    def of(part: Part) -> LinearForm:
        """A part, once."""
        return LinearForm(({part: WHOLE},))

    @property
    def parts(self) -> set[Part]:
        """All that it is a function of; of a choice the parts of its options."""
        found = set[Part]().union(*self.rows)
        chosen = [part for part in found if isinstance(part.source, Choice)]
        if not chosen:
            return found
        return found.difference(chosen).union(*(option.parts for part in chosen for option in _options(part)))

    @property
    def sources(self) -> set[Hashable]:
        """What its parts are pieces of."""
        return {part.source for part in self.parts}

    @property
    def choices(self) -> tuple[Part, ...]:
        """The parts that are one linear function or another one."""
        found = [part for row in self.rows for part in row if isinstance(part.source, Choice)]
        return tuple(dict.fromkeys(found)) if found else ()

    def alternatives(self) -> Iterator[LinearForm]:
        """The linear functions without choices that it may be, up to something public."""
        chosen = self.choices
        if not chosen:
            yield self
            return
        for option in chosen[0].source.options:  # type: ignore[attr-defined]
            yield from self._with(chosen[0], option).alternatives()

    def _with(self, choice: Part, option: LinearForm | None) -> LinearForm:
        rows = []
        for row in self.rows:
            found = {part: coefficient for part, coefficient in row.items() if part != choice}
            if choice in row and option is not None:
                for part, coefficient in option.rows[0].items():
                    _add(found, part, _times(coefficient, row[choice]))
            rows.append(found)
        return LinearForm(tuple(rows), self.written)

    def selects(self, one: Callable[[Part], bool], is_of: Callable[[Part], bool]) -> bool:
        """Whether each linear function that it may be has no part that ``is_of`` something, or nothing but ``one`` of
        these, at most once, up to something public. So it is on each piece of the straight line between two inputs: on
        each it moves by no more than that part does, or by no more than all others make it move. Over the whole line it
        moves by no more than the larger of both."""
        for alternative in self.alternatives():
            for row in alternative.rows:
                if not any(map(is_of, row)):
                    continue
                ((part, coefficient),) = row.items() if len(row) == 1 else ((None, WHOLE),)
                if part is None or not one(part) or not decide(magnitude(coefficient), "<=", ONE):
                    return False
        return True

    def pieces(self) -> dict[Hashable, list[dict[Any, Poly]]]:
        """The coefficients of the pieces of each source, row by row; what a piece is, its source knows."""
        found: dict[Hashable, list[dict[Any, Poly]]] = {}
        for index, row in enumerate(self.rows):
            for part, coefficient in row.items():
                rows = found.setdefault(part.source, [{} for _ in self.rows])
                rows[index][part.piece] = coefficient
        return found

    def of_pieces(self, become: Callable[[Piece], Piece | None]) -> LinearForm | None:
        """What a linear function makes of a value, where it makes a piece of each piece; None where it does not."""
        found: dict[Part, Poly] = {}
        for part, coefficient in self.rows[0].items():
            new = become(part.piece) if isinstance(part.piece, Piece) else None
            if new is None:
                return None
            _add(found, Part(part.source, new), coefficient)
        return LinearForm((found,))


@thing
class Choice:
    """A number that is one of some linear functions up to something public, None being a public number, and goes from
    one to another without a jump. It equals itself only: what is public may be something else in another one. With the
    choices in them these are ``alternatives``."""

    options: tuple[LinearForm | None, ...]
    alternatives: int


def chosen(alternatives: Iterable[LinearForm | None]) -> LinearForm | None:
    """A number that is one of these without a jump; None where there are too many."""
    listed = tuple(alternatives)
    moving = tuple(each for each in listed if each is not None)
    options = moving if len(moving) == len(listed) else (*moving, None)
    source = Choice(options, sum(1 if each is None else _count(each.rows) for each in options))
    return _short([{Part(source, Piece(())): WHOLE}], False)


def _options(part: Part) -> Iterator[LinearForm]:
    assert isinstance(part.source, Choice)
    yield from (option for option in part.source.options if option is not None)


def _count(rows: Iterable[Combination]) -> int:
    """Of how many alternatives these are at most."""
    choices = {part.source for row in rows for part in row if isinstance(part.source, Choice)}
    return prod(each.alternatives for each in choices)


def _add(found: dict[Part, Poly], part: Part, coefficient: Poly) -> None:
    known = found.get(part)
    both = coefficient if known is None else known + coefficient
    if both.terms:
        found[part] = both
    else:
        found.pop(part, None)


def _times(coefficient: Poly, factor: Poly) -> Poly:
    """The product. Most parts count once, and most forms are read as they are."""
    return coefficient if factor is WHOLE else factor if coefficient is WHOLE else coefficient * factor


def combined(forms: Iterable[tuple[LinearForm, Poly]]) -> LinearForm | None:
    """Σ coefficient · form of forms of one shape; None for others, and where there are too many parts."""
    forms = tuple(forms)
    if not forms:
        return None
    first, times = forms[0]
    if len(forms) == 1 and times is WHOLE:
        return first
    for form, _ in forms:
        if form.written is not first.written or len(form.rows) != len(first.rows):
            return None
    rows: list[dict[Part, Poly]] = [{} for _ in first.rows]
    for form, factor in forms:
        for row, added in zip(rows, form.rows, strict=True):
            for part, coefficient in added.items():
                _add(row, part, _times(coefficient, factor))
    return _short(rows, first.written)


def side_by_side(forms: Iterable[LinearForm | None]) -> LinearForm | None:
    """A vector with these numbers as its entries, of which None is public; None where there are too many parts."""
    return _short([{} if form is None else dict(form.rows[0]) for form in forms], True)


def summed(form: LinearForm) -> LinearForm | None:
    """The sum of the entries of a vector that was written."""
    return combined((LinearForm((row,)), WHOLE) for row in form.rows)


def _short(rows: Sequence[dict[Part, Poly]], written: bool) -> LinearForm | None:
    if sum(map(len, rows)) > MOST_PARTS:
        return None
    turns = False
    for row in rows:
        for part, coefficient in row.items():
            if coefficient is not WHOLE and not coefficient.is_short(WIDEST):
                return None
            turns = turns or isinstance(part.source, Choice)
    return LinearForm(tuple(rows), written) if not turns or _count(rows) <= MOST_ALTERNATIVES else None


# Pieces of a vector or a matrix


class All(Enum):
    """What is read along an axis where that is not one position: all of them, or their sum."""

    KEPT = "kept"
    ADDED = "added"

    __hash__ = object.__hash__  # that of an Enum takes longer, and parts are looked up all the time


Place = Poly | All


class Piece(NamedTuple):
    """What is read of a number (no places), of a vector (one), or of a matrix (of the rows, and in a row)."""

    places: tuple[Place, ...]

    @staticmethod
    def whole(axes: int) -> Piece:
        """All of it."""
        return _WHOLE[axes]

    def at(self, places: Sequence[Poly]) -> Piece | None:
        """What stands at these positions of it, the rest of them kept; None if it has not so many."""
        free = [axis for axis, place in enumerate(self.places) if place is All.KEPT]
        if len(free) < len(places):
            return None
        found: list[Place] = list(self.places)
        for axis, place in zip(free, places, strict=False):
            found[axis] = place
        return Piece(tuple(found))

    def column(self, place: Poly) -> Piece | None:
        """What stands at this position of each row of it; None if it has no rows."""
        return Piece((All.KEPT, place)) if self.places == (All.KEPT, All.KEPT) else None

    def within(self, outer: Piece) -> Piece | None:
        """This piece of what is another piece of a value, as a piece of that; None if it has not as many axes."""
        kept = sum(place is All.KEPT for place in outer.places)
        own = iter(self.places)
        places = (next(own) if place is All.KEPT else place for place in outer.places)
        return Piece(tuple(places)) if kept == len(self.places) else None

    def sum(self) -> Piece:
        """The sum of all its entries."""
        return Piece(tuple(All.ADDED if place is All.KEPT else place for place in self.places))


_WHOLE = [Piece((All.KEPT,) * axes) for axes in range(3)]


def piece_of(form: LinearForm, piece: Piece) -> LinearForm | None:
    """A piece of a value that is a linear function."""
    if piece.places.count(All.KEPT) == len(piece.places):
        return form
    if not form.written:
        return form.of_pieces(piece.within)
    if len(piece.places) != 1:
        return None
    (place,) = piece.places
    number = place.number if isinstance(place, Poly) else None
    if place is All.ADDED:
        return summed(form)
    return LinearForm((form.rows[int(number) - 1],)) if number in range(1, len(form.rows) + 1) and number else None


class Measure(NamedTuple):
    """How a source is measured: each row, or the only one, of so many entries in a norm, and rows added up; by equality
    if it is ``discrete``."""

    norm: AnyNorm
    length: Poly
    discrete: bool


Rows = Sequence[Mapping[Piece, Poly]]


def norm_of(rows: Rows, measure: Measure, norm: AnyNorm) -> Sens:
    """How far a result moves in a norm where a source moves by 1, of which each row of the result is a combination.
    Where too many positions may turn out to be the same, each part counts by itself."""
    pieces = list(dict.fromkeys(piece for row in rows for piece in row))
    if len(pieces) == len(rows) == 1 and not any(isinstance(place, All) for place in pieces[0].places):
        return ONE if measure.discrete else magnitude(rows[0][pieces[0]])
    axes = [_ways(axis) for axis in zip(*(piece.places for piece in pieces), strict=True)]
    if prod(map(len, axes)) <= _MOST_EQUAL:
        return _in_norms([_where_equal(rows, equal) for equal in product(*axes)], measure, norm)
    alone = ([{piece: row[piece]} if piece in row else {} for row in rows] for piece in pieces)
    return total(_in_norms([each], measure, norm) for each in alone)


def _where_equal(rows: Rows, equal: Sequence[Mapping[Place, Place]]) -> Rows:
    """The same combinations where some places along each axis are equal to others: they are those."""
    merged = list[dict[Piece, Poly]]()
    for row in rows:
        found: dict[Piece, Poly] = {}
        for piece, coefficient in row.items():
            own = Piece(tuple(way.get(place, place) for way, place in zip(equal, piece.places, strict=True)))
            found[own] = found[own] + coefficient if own in found else coefficient
        merged.append(found)
    return merged


def _ways(places: Iterable[Place]) -> list[dict[Place, Place]]:
    """Which of these places may be the same, each way with what they are then: groups in which no two are certainly
    different."""
    ways: list[dict[Place, Place]] = [{}]
    for place in dict.fromkeys(places):
        if isinstance(place, Poly) and len(ways) <= _MOST_EQUAL:
            ways = [{**way, place: group} for way in ways for group in _groups(way, place)]
    return ways


def _groups(way: Mapping[Place, Place], place: Poly) -> Iterator[Place]:
    """The groups of places, each by its first, that another one may be in; and one of its own."""
    yield place
    for first in dict.fromkeys(way.values()):
        members = [other for other, group in way.items() if group == first]
        if all(isinstance(other, Poly) and not _are_apart(place, other) for other in members):
            yield first


def _are_apart(place: Poly, other: Poly) -> bool:
    """Whether places that are written differently are different: numbers are, and formulas whose difference is one."""
    return (place - other).number is not None


def _in_norms(ways: Sequence[Rows], measure: Measure, norm: AnyNorm) -> Sens:
    """The largest norm of some combinations, of norms that are open, too. One that is free is any: what moves by no
    more than 1 in each does in L1."""
    source = measure.norm
    if isinstance(source, NormVariable):
        sides = ((known, known if norm is source else norm) for known in Norm)
        each = [_in_norms(ways, measure._replace(norm=known), other) for known, other in sides]
        return each[0] if source.free else by_norm(source, *each)
    if isinstance(norm, NormVariable):
        return by_norm(norm, *(_in_norms(ways, measure, known) for known in Norm))
    return _largest(_in_known_norms(rows, measure, norm) for rows in ways)


def _in_known_norms(rows: Rows, measure: Measure, norm: Norm) -> Sens:
    pieces = list(dict.fromkeys(piece for row in rows for piece in row))
    lines = dict.fromkeys(piece.places[0] if len(piece.places) == 2 else All.ADDED for piece in pieces)
    if All.KEPT in lines:
        lines = {**lines, All.ADDED: None}
    return _largest(_from_line(rows, pieces, line, measure, norm) for line in lines if line is not All.KEPT)


def _from_line(rows: Rows, pieces: Sequence[Piece], line: Place, measure: Measure, norm: Norm) -> Sens:
    """The same where nothing moves but one row of a matrix: one that a piece names, or any other."""
    about = [piece for piece in pieces if len(piece.places) < 2 or piece.places[0] in (line, All.ADDED, All.KEPT)]
    if any(piece.places and piece.places[-1] is All.KEPT for piece in about):
        size = magnitude(_sum(rows[0].get(piece, _NONE) for piece in about))
        size = ONE if measure.discrete and not size.zero else size
        return size * conversion(measure.norm, norm, measure.length)
    columns = _columns(rows, about, measure)
    assert isinstance(measure.norm, Norm), "it has been decided"
    if measure.discrete:
        return _norm_of_data(columns, measure.norm, norm)
    return operator_norm([list(row) for row in zip(*columns, strict=True)], measure.norm, norm)


def _columns(rows: Rows, pieces: Sequence[Piece], measure: Measure) -> list[list[Poly]]:
    """The coefficients of each entry of a row that is named, and of all others as one: the sum of k entries moves by
    at most 1, √k or k where they do in L1, L2 or LInf."""
    named = list(dict.fromkeys(piece.places[-1] if piece.places else None for piece in pieces))
    added = All.ADDED in named
    entries = [place for place in named if place is not All.ADDED]
    columns = [[_sum(row.get(piece, _NONE) for piece in _of_entry(pieces, place)) for row in rows] for place in entries]
    if added:
        others = positive_part(measure.length - Poly.of(len(entries)))
        weight = ZERO if others.zero else by_norm(measure.norm, ONE, others.root(), others)
        rest = _of_entry(pieces, All.ADDED)
        columns.append([_sum(row.get(piece, _NONE) for piece in rest) * weight.single_poly() for row in rows])
    return [column for column in columns if any(each.terms for each in column)]


def _of_entry(pieces: Sequence[Piece], place: Place | None) -> list[Piece]:
    return [piece for piece in pieces if not piece.places or piece.places[-1] in (place, All.ADDED)]


def _sum(values: Iterable[Poly]) -> Poly:
    return reduce(Poly.__add__, values, _NONE)


def _largest(values: Iterable[Sens]) -> Sens:
    """The largest of several numbers, without those that are known to be no larger than another one."""
    kept = list[Sens]()
    for each in dict.fromkeys(values):
        if not any(decide(each, "<=", other) for other in kept):
            kept = [*(other for other in kept if not decide(other, "<=", each)), each]
    return maximum(kept)


# Norms of matrices


Matrix = Sequence[Sequence[Poly]]


def operator_norm(rows: Matrix, source: Norm, norm: Norm) -> Sens:
    """sup ‖Ax‖ in one norm over ‖x‖ ≤ 1 in another, or an upper bound of it."""
    used = [row for row in rows if any(each.terms for each in row)]
    if not used:
        return ZERO
    if source is Norm.L1:
        return _largest(_norm(map(magnitude, column), norm) for column in zip(*used, strict=True))
    if norm is Norm.LINF or len(used) == 1:
        return _largest(_norm(map(magnitude, row), _DUAL[source]) for row in used)
    blocks = [_block_norm(block, source, norm) for block in _blocks(used)]
    if source is Norm.LINF:
        return _norm(blocks, norm)
    return _largest(blocks) if norm is Norm.L2 else _norm(blocks, Norm.L2)


def _norm(values: Iterable[Sens], norm: Norm) -> Sens:
    listed = [each for each in values if not each.zero]
    if norm is Norm.LINF:
        return _largest(listed)
    added = total(listed)
    if norm is Norm.L1 or len(listed) < 2:
        return added
    root = total(map(mul, listed, listed)).root()
    return added if root.infinite or root.size > _LONGER * added.size else root


def _blocks(rows: Matrix) -> list[Matrix]:
    """Rows in groups that have no column in common, each without the columns that it does not use."""
    groups: list[tuple[set[int], list[Sequence[Poly]]]] = []
    for row in rows:
        columns, together = {index for index, each in enumerate(row) if each.terms}, [row]
        apart = []
        for known, members in groups:
            if columns & known:
                columns, together = columns | known, [*members, *together]
            else:
                apart.append((known, members))
        groups = [*apart, (columns, together)]
    return [[[row[index] for index in sorted(columns)] for row in members] for columns, members in groups]


def _block_norm(rows: Matrix, source: Norm, norm: Norm) -> Sens:
    """From L2 or LInf to L1 or L2."""
    columns: Matrix = list(zip(*rows, strict=True))
    if len(rows) == 1:
        return _norm(map(magnitude, rows[0]), _DUAL[source])
    if len(columns) == 1:
        return _norm(map(magnitude, columns[0]), norm)
    if source is norm:
        return _spectral(rows, columns)
    known = all(each.number is not None for row in rows for each in row)
    if known and norm is Norm.L1 and len(rows) <= _MOST_SIGNS:
        return _largest(_norm(map(magnitude, image), _DUAL[source]) for image in _with_signs(rows))
    if known and source is Norm.LINF and len(columns) <= _MOST_SIGNS:
        return _largest(_norm(map(magnitude, image), norm) for image in _with_signs(columns))
    return _norm([_norm(map(magnitude, row), _DUAL[source]) for row in rows], norm)


def _with_signs(vectors: Matrix) -> Iterator[list[Poly]]:
    """The sum of some vectors, each as it is or taken away, for all signs but the first."""
    for signs in product((False, True), repeat=len(vectors) - 1):
        signed = zip((False, *signs), vectors, strict=True)
        each = [[-entry for entry in vector] if minus else vector for minus, vector in signed]
        yield [_sum(entries) for entries in zip(*each, strict=True)]


def _spectral(rows: Matrix, columns: Matrix) -> Sens:
    """The largest singular value, or an upper bound."""
    fewer = rows if len(rows) <= len(columns) else columns
    known = [[each.number for each in row if each.number is not None] for row in fewer]
    if len(fewer) == 2 and len(known[0]) == len(known[1]) == len(fewer[0]):
        a, b, d = (sum(map(mul, known[i], known[j]), Fraction(0)) for i, j in ((0, 0), (0, 1), (1, 1)))
        apart = number((a - d) ** 2 + 4 * b * b).root()
        return ((number(a + d) + apart) * number(Fraction(1, 2))).root()
    sizes = [[magnitude(each) for each in row] for row in rows]
    squares = _norm([each for row in sizes for each in row], Norm.L2)
    lines = _largest(map(total, sizes)) * _largest(map(total, zip(*sizes, strict=True)))
    return squares if decide(squares, "<=", lines.root()) else lines.root()


def _norm_of_data(columns: Matrix, source: Norm, norm: Norm) -> Sens:
    """How far apart entries are that are compared by equality."""
    uses = [[ONE if each.terms else ZERO for each in column] for column in columns]
    if source is Norm.L1:
        return _largest(_norm(column, norm) for column in uses)
    return _norm([_largest(row) for row in zip(*uses, strict=True)], norm)
