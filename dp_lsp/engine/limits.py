"""What a configuration allows a private function to spend, against what is proved of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from dp_lsp.accounting.bounds import Bound
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Missing, interval, symbols_of
from dp_lsp.core.notation import allowed, as_formula, decimal, figure
from dp_lsp.core.sens import ONE, ZERO, Sens
from dp_lsp.engine.problems import AboveLimit, LimitOpen
from dp_lsp.problem import Extent, Problem, Related
from dp_lsp.text import Span

_DIGITS = 9  # of a number in a baseline, which is compared with others that were found like it
_SHARES = 40  # halvings of δ that are tried where a share of it is to be chosen
_NOTHING = Fraction(1, 10**30)  # what is above a limit of 0 is far above it


class Limit(NamedTuple):
    """The most that one side of a price may be: its sign, the key that says so, and the number."""

    sign: str
    key: str
    most: Fraction


class Excess(NamedTuple):
    """A side of a price that a limit is not met by: it is ``over`` by so much, None where that is not a number.
    ``open`` are the names it depends on, if it is not decided whether the limit is met."""

    limit: Limit
    value: Sens
    over: Fraction | None
    open: tuple[str, ...]


def excess(
    listed: tuple[Bound, ...], epsilon: Fraction | None, delta: Fraction | None, numbers: Mapping[Symbol, Fraction]
) -> Excess | None:
    """What is above the limits in the bound that comes nearest to them; None if there is a bound that meets them.
    A limit that is None is none."""
    missed = []
    for bound in listed:
        for chosen in _chosen(bound, delta, numbers):
            found = list(_missed(bound, epsilon, delta, chosen))
            if not found:
                return None
            missed.append(found)
    return min(missed, key=_distance)[0]


def problem(
    found: Excess, span: Span, name: str, variables: str, value: str, spent: tuple[Related, ...] = ()
) -> Problem:
    """What is to be told of a function that misses a limit by this value, and what each of its mechanisms has
    ``spent``."""
    limit, over = found.limit, "" if found.over is None else f", {figure(found.over)} too much"
    facts: dict[str, Any] = {"name": name, "variables": variables, "sign": limit.sign, "value": value, "key": limit.key}
    exact = as_formula(found.value) if found.over is None else decimal(limit.most + found.over, _DIGITS)
    facts["amount"] = Extent(limit.sign, exact)
    if found.open:
        return LimitOpen.at(span, **facts, most=allowed(limit.most), what="` and `".join(found.open), related=spent)
    return AboveLimit.at(span, **facts, most=allowed(limit.most), over=over, related=spent)


def _chosen(
    bound: Bound, delta: Fraction | None, numbers: Mapping[Symbol, Fraction]
) -> Iterator[Mapping[Symbol, Fraction]]:
    """The numbers, with some for what the user may choose: any choice gives a bound that holds."""
    choices = [choice.symbol for choice in bound.choices if choice.symbol in symbols_of(bound.price.delta)]
    if not choices:
        yield numbers
        return
    total = delta or Fraction(1)
    for halvings in range(1, _SHARES):
        yield {**numbers, **dict.fromkeys(choices, total / 2**halvings / len(choices))}


def _distance(missed: list[Excess]) -> tuple[bool, int, bool, Fraction]:
    """How far a bound is from the limits: what is open may meet them."""
    worst = max((each.over or Fraction(0)) / (each.limit.most or _NOTHING) for each in missed)
    return not any(each.open for each in missed), len(missed), any(each.over is None for each in missed), worst


def _missed(
    bound: Bound, epsilon: Fraction | None, delta: Fraction | None, numbers: Mapping[Symbol, Fraction]
) -> Iterator[Excess]:
    if epsilon is not None:
        yield from _above(bound.price.epsilon, Limit("ε", "max-epsilon", epsilon), numbers)
    if delta is not None:
        yield from _above(bound.price.delta, Limit("δ", "max-delta", delta), numbers)
    elif not bound.price.delta.zero and decide(bound.price.delta, "<", ONE) is False:
        yield Excess(Limit("δ", "max-delta", Fraction(1)), bound.price.delta, None, ())


def _above(value: Sens, limit: Limit, numbers: Mapping[Symbol, Fraction]) -> Iterator[Excess]:
    most = Sens.of(limit.most) if limit.most else ZERO
    decided = decide(value, "<=", most)
    if decided:
        return
    try:
        found = interval(value, numbers)
    except Missing:
        names = sorted(symbol.name for symbol in symbols_of(value) if symbol not in numbers)
        yield Excess(limit, value, None, () if decided is False else tuple(names))
        return
    if found.high is None or found.high > limit.most:
        yield Excess(limit, value, None if found.high is None else found.high - limit.most, ())
