"""How far values move after all rounds of a loop, if one round moves them as a matrix says.

Entry i, j of the matrix A of one round tells how far end i moves when start j moves by 1. If the starts of a round are
at most d apart, variable by variable, and what it reads moves end j by at most b_j, its ends are at most A·d + b
apart. All entries are at least 0, so this may be repeated: k rounds move by at most A^k·d + (I + A + … + A^(k-1))·b. If
only the round t reads what moves by b_t, the sum of A^(k-1-t)·b_t is at most the largest of I, A, … A^(k-1), entry
by entry, times the sum of all b_t.

Source: type_system section 4, with the matrix in place of the largest column sum; the bounds of powers of a matrix
that is triangular by blocks follow from its expansion along paths (:func:`_paths`).
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb, factorial

from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, number
from dp_lsp.named import NamedTuple

Matrix = list[list[Sens]]
_Rates = frozenset[tuple[Sens, int]]
"""The rates of the parts along a path, with how often each occurs."""

_WORK = 4_000  # products of an exact power
_SHORT = 8  # rounds of an exact power whose entries have symbols
_PARTS = 12  # variables that are followed along all paths
_WAYS = 16  # sets of rates that are kept apart


class Growth(NamedTuple):
    """Upper bounds on powers of the sensitivity matrix A over k rounds, entrywise: ``A^k`` for what the first round
    starts with, ``I + A + … + A^(k-1)`` for what every round reads, and the largest of ``I, A, …, A^(k-1)`` for what
    one round reads."""

    start: Matrix
    every: Matrix
    one: Matrix


def sound(once: Matrix, count: Sens | None) -> Growth:
    """The bounds over ``count`` rounds; for None the number of rounds is unknown, and may be 0."""
    if count is None:
        return _unlimited(once)
    exact = None if _diagonal(once) else _exact(once, count.number)
    return exact or _by_paths(once, count)


def published(once: Matrix, count: Sens | None) -> Growth:
    """The published rule: all carried variables count as one, with the largest column sum as its rate. Unsound for what
    every round reads where that rate is above 1."""
    rate = _column_sum(once, range(len(once)))
    if count is None:
        every, start = INFINITY, ONE if _at_most_one(rate) else INFINITY
    else:
        every, start = count, sens.power(rate, count.single_poly())
    return Growth(_filled(once, start), _filled(once, every), _filled(once, every))


def _filled(once: Matrix, value: Sens) -> Matrix:
    return [[value] * len(once) for _ in once]


def _diagonal(once: Matrix) -> bool:
    return all(entry.zero or i == j for i, row in enumerate(once) for j, entry in enumerate(row))


def _column_sum(once: Matrix, among: range | list[int]) -> Sens:
    """The largest sum of a column: a round enlarges the sum of the distances of these variables at most so much."""
    return sens.maximum(sens.total(once[i][j] for i in among) for j in among)


def _at_most_one(value: Sens) -> bool:
    known = value.number
    return known is not None and known <= 1


# A number of rounds that is known, and small


def _exact(once: Matrix, rounds: Fraction | None) -> Growth | None:
    """All three matrices, multiplied out; None where that is much work, or gives long formulas."""
    size = len(once)
    entries = [entry for row in once for entry in row if not entry.zero]
    if rounds is None or rounds * size * len(entries) > _WORK:
        return None
    symbolic = any(entry.number is None and not entry.infinite for entry in entries)
    bits = max((poly.bits for entry in entries for poly in entry.polys), default=0)
    if (symbolic and rounds > _SHORT) or bits * rounds > sens.LONGEST_NUMBER:
        return None
    power = [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]
    every, one = _filled(once, ZERO), _filled(once, ZERO)
    for _ in range(int(rounds)):
        every = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(every, power, strict=True)]
        one = [[a.at_least(b) for a, b in zip(*rows, strict=True)] for rows in zip(one, power, strict=True)]
        power = [[_product(row, power, j) for j in range(size)] for row in once]
    return Growth(power, every, one)


def _product(row: list[Sens], right: Matrix, column: int) -> Sens:
    return sens.total(entry * right[i][column] for i, entry in enumerate(row) if not entry.zero)


# Any number of rounds


def _by_paths(once: Matrix, count: Sens) -> Growth:
    """Upper bounds from the paths along which parts of the matrix influence each other.

    A part is a set of variables that all influence each other; in a round the sum of its distances grows by at most
    its largest column sum, and by what other parts add. Powers of the matrix of parts, which is triangular, are sums
    over paths: the product of what the steps add times all products of as many rates of the path, with repetition, as
    there are rounds without a step. One more rate, 1, makes of that the sum over all numbers of rounds below k.
    """
    growth = Growth(_filled(once, ZERO), _filled(once, ZERO), _filled(once, ZERO))
    parts = _parts(once)
    for source in range(len(parts)):
        for target, ways in _paths(once, parts, source).items():
            for rates, weight in ways.items():
                steps = sum(times for _, times in rates) - 1
                bounds = (
                    _products(rates, count, steps),
                    _products(_with(rates, ONE), count, steps + 1),
                    _products(_not_shrinking(rates), count, steps + 1),
                )
                for matrix, bound in zip(growth, bounds, strict=True):
                    _add(matrix, parts[target], parts[source], weight * bound)
    return growth


def _add(matrix: Matrix, ends: list[int], starts: list[int], more: Sens) -> None:
    for i in ends:
        for j in starts:
            matrix[i][j] = matrix[i][j] + more


def _parts(once: Matrix) -> list[list[int]]:
    """The variables in parts that influence each other, each part before those that it influences. Where there are
    many, parts that influence each other in one direction only are taken together, too."""
    reached = _reached(once)
    if len({frozenset(each) for each in reached if len(each) > 1}) > _PARTS:
        linked = [[once[i][j].at_least(once[j][i]) for j in range(len(once))] for i in range(len(once))]
        reached = _reached(linked)
    found: dict[frozenset[int], list[int]] = {}
    for j in sorted(range(len(once)), key=lambda j: -len(reached[j])):
        found.setdefault(frozenset(i for i in reached[j] if j in reached[i]), []).append(j)
    return list(found.values())


def _reached(once: Matrix) -> list[set[int]]:
    """For every start the ends that it influences in some number of rounds, itself included."""
    reached = [{j} | {i for i in range(len(once)) if not once[i][j].zero} for j in range(len(once))]
    for middle in range(len(once)):
        for found in reached:
            if middle in found:
                found |= reached[middle]
    return reached


def _paths(once: Matrix, parts: list[list[int]], source: int) -> dict[int, dict[_Rates, Sens]]:
    """For every part that ``source`` influences the paths to it: the rates along them, and the sum over all paths with
    these rates of the products of what their steps add."""
    found: dict[int, dict[_Rates, Sens]] = {}
    for target in range(source, len(parts)):
        own = _column_sum(once, parts[target])
        ways: dict[_Rates, Sens] = {frozenset({(own, 1)}): ONE} if target == source else {}
        for before, known in found.items():
            step = sens.maximum(sens.total(once[i][j] for i in parts[target]) for j in parts[before])
            for rates, weight in known.items() if not step.zero else ():
                longer = _with(rates, own)
                ways[longer] = ways.get(longer, ZERO) + weight * step
        if ways:
            found[target] = ways if len(ways) <= _WAYS else _fewer(ways)
    return found


def _with(rates: _Rates, one_more: Sens) -> _Rates:
    counted = Counter(dict(rates))
    counted[one_more] += 1
    return frozenset(counted.items())


def _fewer(ways: dict[_Rates, Sens]) -> dict[_Rates, Sens]:
    """Paths of one length taken together, all at the largest rate, which can only enlarge what they add up to."""
    largest = sens.maximum(rate for rates in ways for rate, _ in rates)
    found: dict[_Rates, Sens] = {}
    for rates, weight in ways.items():
        key = frozenset({(largest, sum(times for _, times in rates))})
        found[key] = found.get(key, ZERO) + weight
    return found


def _not_shrinking(rates: _Rates) -> _Rates:
    """The rates with one of them raised to at least 1, so that longer products add up to no less."""
    symbolic = [rate for rate, _ in rates if rate.number is None]
    one = symbolic[0] if symbolic else sens.maximum(rate for rate, _ in rates)
    counted = Counter(dict(rates))
    counted[one] -= 1
    counted[one.at_least(ONE)] += 1
    return frozenset((+counted).items())


def _products(rates: _Rates, count: Sens, steps: int) -> Sens:
    """An upper bound of the sum of all products of k - steps of these rates, with repetition; 0 if k is less.

    With M the largest rate, which occurs e + 1 times, and n = k - steps, it is at most M^n·C(n + e, e) times
    1 + q + … + q^n for each other rate q·M: the exponents of the others are at most n, and what is left is
    distributed to e + 1 places. As e is at most ``steps``, C(n + e, e) is at most k^e/e!, and n + 1 at most k.
    """
    length = sum(times for _, times in rates)
    left = count.single_poly() - Poly.of(steps)
    known = left.number
    if known is not None and known <= 0:
        return ONE if known == 0 else ZERO
    if steps == 0:
        return sens.power(next(iter(rates))[0], left)
    summands = count.single_poly() if known is None else left + Poly.of(1)  # k is no less, and never below 0
    if length == 2 and (ONE, 1) in rates:
        other = next(rate for rate, _ in rates if rate != ONE)
        return sens.geometric(other, summands)
    if any(rate.number is None for rate, _ in rates):
        largest = sens.maximum(rate for rate, _ in rates).at_least(ONE)
        return sens.power(largest, left) * _choices(count, steps, length - 1)
    largest = sens.maximum(rate for rate, _ in rates)
    if largest.zero:
        return ONE if known is None else ZERO
    result = sens.power(largest, left)
    for rate, times in rates:
        if rate == largest:
            result = result * _choices(count, steps, times - 1)
        else:
            share = rate * Sens((largest.single_poly().inverse(),))
            result = result * sens.geometric(share, summands).power(times)
    return result


def _choices(count: Sens, steps: int, bars: int) -> Sens:
    """C(n + e, e), or k^e/e!, which is no less."""
    known = count.number
    if known is not None:
        return number(comb(int(known) - steps + bars, bars))
    return count.power(bars) * number(Fraction(1, factorial(bars)))


# No number of rounds


def _unlimited(once: Matrix) -> Growth:
    """The growth over a number of rounds that may be any: 1 at most where the variables on the way do not move further
    in a round, taken together; there is no bound for what every round adds."""
    reached = _reached(once)
    growth = Growth(_filled(once, ZERO), _filled(once, ZERO), _filled(once, ZERO))
    for j, found in enumerate(reached):
        for i in found:
            between = [middle for middle in found if i in reached[middle]]
            most = ONE if _at_most_one(_column_sum(once, between)) else INFINITY
            growth.start[i][j] = growth.one[i][j] = most
            growth.every[i][j] = INFINITY
    return growth
