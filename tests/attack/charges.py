"""Random charges of discrete mechanisms, with what their outcomes reveal computed exactly.

A mechanism is a distribution of outcomes for every input t, an integer: a change of one step moves t by at most 2, so
that an input between two others exists. Outcomes with the same likelihood ratios are one outcome, so the
distribution of a whole program stays small; a program may choose what it runs next by what came out.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting import charge as c
from dp_lsp.accounting.best import MEASURES, guarantees, pair
from dp_lsp.accounting.charge import Charge, Guarantee, Relation, Sampling
from dp_lsp.accounting.pld import LossDistributions
from dp_lsp.mechanisms.selection import Approximate, BoundedRange

Outcome = tuple[float, ...]  # a probability for every input
Table = list[Outcome]

_MOST_OUTCOMES = 1_500
_TOLERANCE = 1e-9
_SMALLEST = 1e-13


class Program(NamedTuple):
    """What is charged, and the outcomes for the inputs -reach … reach; the neighbours are the two ends."""

    charge: Charge
    table: Table


class TooLarge(Exception):
    """A table with too many outcomes."""


class Refutation(NamedTuple):
    """A guarantee that does not hold, and the δ that is true at its ε."""

    guarantee: Guarantee
    delta: float


def refutations(seed: int) -> Iterator[Refutation]:
    """What is wrong of all that is stated of one random program, for one random δ."""
    choose = random.Random(seed)
    program, steps = made(choose)
    charge = program.charge if steps == 1 else c.Group(steps, program.charge)
    delta = Fraction(10) ** -choose.randint(1, 7) * choose.randint(1, 9)
    added = pair(charge)
    listed = [*guarantees(charge, delta, (*MEASURES, LossDistributions)), *([added] if added else [])]
    for found in listed:
        true = exact(program.table, float(found.epsilon))
        if true > float(found.delta) * (1 + _TOLERANCE) + _SMALLEST:
            yield Refutation(found, true)


def exact(table: Table, epsilon: float) -> float:
    """The smallest δ at an ε, for both orders of the neighbours."""
    grown = math.exp(epsilon) if epsilon < 700 else math.inf
    ends = [[(row[0], row[-1]) for row in table], [(row[-1], row[0]) for row in table]]
    return max(math.fsum(max(p - grown * q, 0.0) if q else p for p, q in end) for end in ends)


def made(choose: random.Random) -> tuple[Program, int]:
    """A program and how many steps its input changes by."""
    while True:
        steps = choose.choices((1, 2, 3), (8, 1, 1))[0]
        try:
            return _Maker(choose, steps).made(3), steps
        except TooLarge:
            continue


class _Maker:
    def __init__(self, choose: random.Random, reach: int, sampled: bool = True) -> None:
        self._choose = choose
        self._inputs = range(-reach, reach + 1)
        self._sampled = sampled

    def made(self, depth: int) -> Program:
        kinds: list[Callable[[int], Program]] = [self._leaf]
        if depth:
            kinds += [self._sequence, self._sequence, self._repeat, self._repeat, self._either]
            kinds += [self._sample, self._sample] if self._sampled else []
        return self._choose.choice(kinds)(depth)

    def _leaf(self, depth: int) -> Program:
        kinds = [self._geometric, self._failing, self._exponential]
        return self._choose.choice(kinds if len(self._inputs) > 3 else [*kinds, self._response, self._response])()

    def _epsilon(self) -> float:
        return self._choose.choice((0.01, 0.1, 0.3, 0.5, 1.0, 2.0, 4.0)) * self._choose.uniform(0.7, 1.3)

    def _response(self) -> Program:
        """Randomised response: one bit, or more answers, of which none is true in the middle."""
        epsilon = self._epsilon()
        count = (2, 2, 3, 4, 7, 12)[int(epsilon * 10**6) % 6]
        if count == 2:
            rows = [tuple(1 / (1 + math.exp(-sign * t * epsilon)) for t in self._inputs) for sign in (1, -1)]
        else:
            other = 1 / (math.exp(epsilon) + count - 1)
            true, none = math.exp(epsilon) * other, 1 / count
            rows = [(true, none, other), (other, none, true), *[(other, none, other)] * (count - 2)]
        return Program(Approximate(Fraction(epsilon), Fraction(0), count), rows)

    def _geometric(self, delta: float = 0.0) -> Program:
        """Two-sided geometric noise, what lies beyond the inputs put to their ends."""
        epsilon = self._epsilon()
        base, last = math.exp(-epsilon / 2), self._inputs[-1]
        rows = []
        for y in self._inputs:
            ends = abs(y) == last
            scale = (1 / (1 + base) if ends else (1 - base) / (1 + base)) * (1 - delta)
            rows.append(tuple(scale * base ** abs(y - t) for t in self._inputs))
        return Program(Approximate(Fraction(epsilon), Fraction(delta)), rows)

    def _failing(self) -> Program:
        """The same, but for a probability δ of telling the input."""
        delta = 10 ** -self._choose.uniform(1, 7)
        program = self._geometric(delta)
        told = [tuple(delta * (t == y) for t in self._inputs) for y in self._inputs]
        return Program(program.charge, program.table + told)

    def _exponential(self) -> Program:
        """The exponential mechanism, with scores that move by half of themselves for half a step."""
        count = self._choose.randint(2, 4)
        scores = [self._choose.uniform(-3, 3) for _ in range(count)]
        moves = [self._choose.uniform(-2, 2) for _ in range(count)]
        weights = [[math.exp(u + move * t / 2) for u, move in zip(scores, moves, strict=True)] for t in self._inputs]
        rows = [tuple(row[i] / sum(row) for row in weights) for i in range(count)]
        return Program(BoundedRange(Fraction(max(moves) - min(moves)) * (1 + Fraction(1, 10**12))), rows)

    def _sequence(self, depth: int) -> Program:
        """One after another; what is run second may depend on what came out first."""
        first = self.made(depth - 1)
        others = [self.made(depth - 1) for _ in range(self._choose.choice((1, 1, 2)))]
        second = others[0].charge if len(others) == 1 else c.ChargedEither(tuple(one.charge for one in others))
        rows = _then(first.table, [one.table for one in others])
        return Program(c.ChargedSequence((first.charge, second)), rows)

    def _repeat(self, depth: int) -> Program:
        once = self.made(depth - 1)
        most = 40 if len(once.table) == 2 else 6 if len(once.table) < 6 else 3
        count = self._choose.randint(0, most)
        table: Table = [tuple(1.0 for _ in self._inputs)]
        for _ in range(count):
            table = _then(table, [once.table])
        return Program(c.ChargedRepeat(count, once.charge), table)

    def _either(self, depth: int) -> Program:
        """One of two, chosen by what is known; the one that is run is either."""
        parts = [self.made(depth - 1), self.made(depth - 1)]
        return Program(c.ChargedEither(tuple(part.charge for part in parts)), self._choose.choice(parts).table)

    def _sample(self, depth: int) -> Program:
        """A body that sees as many of the changed records as are drawn."""
        choose, steps = self._choose, self._inputs[-1]
        scheme = choose.choice(list(Sampling))
        rows = choose.randint(steps, 30)
        draws = choose.randint(1, min(rows, 4))
        rate, relation = Fraction(draws, rows), Relation.CHANGE_ONE
        if scheme is Sampling.POISSON:
            relations = [Relation.CHANGE_ONE] + [Relation.ADD_REMOVE] * (steps == 1)
            relation = choose.choice(relations)
            rate = Fraction(choose.choice((0.01, 0.1, 0.3, 0.9, 1.0)))
        replaced = relation is Relation.CHANGE_ONE and scheme is Sampling.POISSON  # in two steps, by way of the middle
        reach = draws if scheme is Sampling.WITH_REPLACEMENT else steps * (1 + replaced)
        body = _Maker(choose, reach, sampled=False).made(depth - 1)
        charge = c.ChargedSample(scheme, relation, rate, draws, rows, body.charge)
        if relation is Relation.ADD_REMOVE:  # one end is that the record is there, the other that it is not
            q = float(rate)
            return Program(charge, _merged([(row[0], row[0], (1 - q) * row[0] + q * row[-1]) for row in body.table]))
        chances = _chances(scheme, steps, draws, rows, float(rate))
        others = 0 if scheme is Sampling.POISSON else choose.choice((-1, 0, 0, 1))
        return Program(charge, self._drawn(body.table, chances, 1 + replaced, others))

    def _drawn(self, table: Table, chances: dict[int, float], moves: int, others: int) -> Table:
        """The outcomes for a sample, in which so many of the records that have changed are drawn, of inputs that are
        ends. Each of those moves the sample to its side, and each of the others, of which there are fewer then, to
        theirs."""
        reach = len(table[0]) // 2
        sides = {self._inputs[0]: -moves, self._inputs[-1]: moves}

        def drawn(row: Outcome, t: int) -> float:
            side = sides.get(t, 0)
            return sum(chances[j] * row[reach + j * side + (reach // moves - j) * others] for j in chances)

        return _merged([tuple(drawn(row, t) for t in self._inputs) for row in table])


def _chances(scheme: Sampling, steps: int, draws: int, rows: int, rate: float) -> dict[int, float]:
    """How many of ``steps`` records are drawn, with what probability."""
    if scheme is Sampling.WITH_REPLACEMENT:
        share = steps / rows
        return {j: math.comb(draws, j) * share**j * (1 - share) ** (draws - j) for j in range(draws + 1)}
    if scheme is Sampling.POISSON:
        return {j: math.comb(steps, j) * rate**j * (1 - rate) ** (steps - j) for j in range(steps + 1)}
    total = math.comb(rows, draws)
    return {j: math.comb(steps, j) * math.comb(rows - steps, draws - j) / total for j in range(min(steps, draws) + 1)}


def _then(first: Table, others: list[Table]) -> Table:
    """The outcomes of one and then another; which one is chosen by the first outcome."""
    if len(first) * max(map(len, others)) > 40 * _MOST_OUTCOMES:
        raise TooLarge
    rows = [
        tuple(p * q for p, q in zip(row, next_row, strict=True))
        for place, row in enumerate(first)
        for next_row in others[place % len(others)]
    ]
    return _merged(rows)


def _merged(rows: Table) -> Table:
    """Outcomes with the same likelihood ratios as one."""
    found: dict[Outcome, list[Outcome]] = {}
    for row in rows:
        total = math.fsum(row)
        if total:
            found.setdefault(tuple(float(f"{value / total:.10e}") for value in row), []).append(row)
    if len(found) > _MOST_OUTCOMES:
        raise TooLarge
    return [tuple(map(math.fsum, zip(*same, strict=True))) for same in found.values()]
