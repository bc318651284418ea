"""Bounds in numbers: what a function costs once its static parameters and dimensions have numbers.

Every measure that knows charges is asked, and what each of them proves is proved, so the smallest ε counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from dp_lsp.accounting.best import guarantees
from dp_lsp.accounting.bounds import Bound
from dp_lsp.accounting.charge import Charge
from dp_lsp.accounting.resolve import Unresolved, names, resolve
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.evaluate import Missing, Substitution, symbols_of, upper
from dp_lsp.core.events import Cost
from dp_lsp.core.sens import ONE
from dp_lsp.core.types import AnyNorm, Norm
from dp_lsp.engine.distributions import Consult, nothing
from dp_lsp.named import NamedTuple

ZERO = Fraction(0)
_SIMPLEST = "basic"  # what is said of rules that come to the same
_EXACT = "gaussian"  # of Gaussian noise alone this rule states what is true: no other one can say less
_HALVINGS = 40  # of a share of δ


class Figure(NamedTuple):
    """A pair that a rule proves; None stands for ∞. ``by`` are the numbers of its measure."""

    rule: str
    epsilon: Fraction | None
    delta: Fraction | None
    by: tuple[tuple[str, Fraction], ...] = ()


class Pricing:
    """Variables that change together, with all their bounds. ``cost`` is None by rules that know no charges; ``norms``
    are those that are told to the user: of what is not seen from outside any will do. ``consult`` knows what privacy
    loss distributions say."""

    def __init__(
        self,
        cost: Cost | None,
        listed: tuple[Bound, ...],
        known: Mapping[str, Fraction],
        norms: Mapping[NormVariable, AnyNorm],
        consult: Consult = nothing,
    ) -> None:
        self._listed = listed
        self._consult = consult
        self._known = known
        self._group = listed[0].variables
        self._names = tuple(var.name for var in self._group)
        prices = (side for bound in listed for side in bound.price)
        self._numbers = self._numbers_of({symbol for side in prices for symbol in symbols_of(side)})
        self.charge: Charge | None = None
        self.missing: tuple[str, ...] = ()
        if cost is None:
            self.missing = tuple(sorted(set(self._lacking(listed[0]))))
            return
        try:
            put, relation = self._put(cost, norms), listed[0].measure.relation
            self.charge = resolve(cost, dict.fromkeys(self._group, ONE), put, relation)
        except Unresolved as unknown:
            self.missing = unknown.missing

    def _put(self, cost: Cost, norms: Mapping[NormVariable, AnyNorm]) -> Substitution:
        free = names(cost)
        numbers = self._numbers_of(name for name in free if isinstance(name, Symbol))
        metrics = {name: norms.get(name, Norm.L1) for name in free if isinstance(name, NormVariable)}
        return Substitution({symbol: Poly.of(number) for symbol, number in numbers.items()}, metrics)

    def _numbers_of(self, symbols: Iterable[Symbol]) -> dict[Symbol, Fraction]:
        return {symbol: self._known[symbol.name] for symbol in symbols if symbol.name in self._known}

    def _lacking(self, bound: Bound) -> Iterator[str]:
        """The names in a bound that have no number and are not for the user to choose."""
        chosen = {choice.symbol for choice in bound.choices}
        for side in bound.price:
            yield from (each.name for each in symbols_of(side) if each not in self._numbers and each not in chosen)

    def figures(self, delta: Fraction, enough: Fraction | None = ZERO) -> tuple[Figure, ...]:
        """What each rule proves at a total δ of at most ``delta``, best first. A closed form counts for a rule that has
        no measure of charges. Distributions are not asked where another rule proves an ε that is small ``enough``,
        which any is with None."""
        measured = [] if self.charge is None else guarantees(self.charge, delta)
        best = {each.rule: Figure(each.rule, each.epsilon, each.delta, each.parameters) for each in reversed(measured)}
        for bound in self._listed:
            pair = at_delta(bound, delta, self._numbers) if bound.rule not in best else None
            if pair is not None:
                best[bound.rule] = Figure(bound.rule, *pair)
        found = _sorted(best.values())
        if self.charge is None or enough is None or not found or found[0].rule == _EXACT:
            return found
        if found[0].epsilon is not None and found[0].epsilon <= enough:
            return found
        answer = self._consult(self.charge, delta)
        return found if answer is None else _sorted([*found, Figure(answer.rule, answer.epsilon, answer.delta)])

    def best(self, delta: Fraction | None, enough: Fraction | None = ZERO) -> Iterator[NumericReport]:
        """The smallest ε at a total δ, or at that of the first bound that leaves nothing to choose; nothing if there
        is no such bound. One that is small ``enough`` is the smallest that must be found."""
        if delta is None:
            bound = next((each for each in self._listed if not _is_open(each)), None)
            if bound is None:
                return
            missing = set(self._lacking(bound))
            if missing:
                yield self._report(Figure(bound.rule, ZERO, ZERO), missing)
                return
            epsilon, delta = (upper(side, self._numbers) for side in bound.price)
            if delta is not None and delta >= 1 and any(map(self._leaves_delta_open, self._listed)):
                return
            if epsilon is None or delta is None or not 0 < delta < 1:
                yield self._report(Figure(bound.rule, epsilon, delta))
                return
        found = self.figures(delta, enough)
        missing = set() if found else set(self.missing)
        yield self._report(found[0] if found else Figure(self._listed[0].rule, None, delta), missing)

    def _leaves_delta_open(self, bound: Bound) -> bool:
        """Whether a bound guarantees something, at a δ that is for the user to choose."""
        chosen = self._numbers | {choice.symbol: ZERO for choice in bound.choices}
        try:
            least = None if bound.price.epsilon.infinite or not _is_open(bound) else upper(bound.price.delta, chosen)
        except Missing:
            return False
        return least is not None and least < 1

    def all(self, delta: Fraction | None) -> Iterator[NumericReport]:
        """The smallest ε of each rule, best first, at the δ of :meth:`best`."""
        for first in self.best(delta):
            at = first.delta if delta is None else delta
            found = () if first.missing or at is None or not 0 <= at < 1 else self.figures(at)
            yield from (self._report(figure)._replace(by=figure.by) for figure in found) if found else (first,)

    def _report(self, figure: Figure, missing: Iterable[str] = ()) -> NumericReport:
        return NumericReport(self._names, figure.epsilon, figure.delta, figure.rule, tuple(sorted(missing)))


def _sorted(figures: Iterable[Figure]) -> tuple[Figure, ...]:
    """Those that prove something, best first."""
    finite = ((figure.epsilon, figure) for figure in figures if figure.epsilon is not None)
    return tuple(figure for _, figure in sorted(finite, key=lambda each: (each[0], each[1].rule != _SIMPLEST)))


def _is_open(bound: Bound) -> bool:
    """Whether the user still has to choose something in it."""
    symbols = symbols_of(bound.price.delta)
    return any(choice.symbol in symbols for choice in bound.choices)


def at_delta(
    bound: Bound, delta: Fraction, numbers: Mapping[Symbol, Fraction]
) -> tuple[Fraction | None, Fraction] | None:
    """A bound at a total δ of at most ``delta``, with what is left of it for what the user may choose. None if it has
    a larger δ, or a number is missing."""
    try:
        for chosen in _shares(bound, delta, numbers):
            total = upper(bound.price.delta, chosen)
            if total is not None and total <= delta:
                return upper(bound.price.epsilon, chosen), total
    except Missing:
        pass
    return None


def _shares(bound: Bound, delta: Fraction, numbers: Mapping[Symbol, Fraction]) -> Iterator[Mapping[Symbol, Fraction]]:
    """The numbers with some for what the user may choose: all that is left of δ, or a part of that."""
    symbols = symbols_of(bound.price.delta)
    choices = [choice.symbol for choice in bound.choices if choice.symbol in symbols]
    if not choices:
        yield numbers
        return
    tiny = delta / 2**200
    spent = upper(bound.price.delta, {**numbers, **dict.fromkeys(choices, tiny)})
    if spent is None or spent >= delta:
        return
    left = (delta - spent) / len(choices)
    for halvings in range(_HALVINGS):
        yield {**numbers, **dict.fromkeys(choices, min(left / 2**halvings, Fraction(1, 2)))}
