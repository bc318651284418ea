"""What each mechanism of a function spends, by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction

from dp_lsp.accounting.bounds import Bound
from dp_lsp.accounting.symbolic import Spending
from dp_lsp.analysis.details import Pair, Share
from dp_lsp.core.evaluate import Missing, Substitution, symbols_of, upper
from dp_lsp.core.events import Cost
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.text import Span


def shares(
    cost: Cost, bound: Bound, own: Span, norms: Substitution, numbers: Mapping[str, Fraction]
) -> Iterator[Share]:
    """What each mechanism spends of the variables of a bound whose measure counts in pairs, with norms and numbers put
    in. A call at the place ``own`` is the function itself."""
    found = Spending(bound.measure, lambda origin: origin.span == own).loss(cost, dict.fromkeys(bound.variables, ONE))
    names = tuple(var.name for var in bound.variables)
    prices = [Pair(*map(norms.sens, price)) for price in found.values()]
    worths = [(_number(price.epsilon, numbers), _number(price.delta, numbers)) for price in prices]
    known = [epsilon for epsilon, _ in worths if epsilon is not None]
    total = sum(known) if len(known) == len(prices) else 0
    for (origin, name), price, worth in zip(found, prices, worths, strict=True):
        share = float(worth[0] / total) if total and worth[0] is not None else None
        yield Share(names, origin.span, name, price, worth, share)


def _number(value: Sens, numbers: Mapping[str, Fraction]) -> Fraction | None:
    """A number, where there is one."""
    with suppress(Missing):
        return upper(value, {each: numbers[each.name] for each in symbols_of(value) if each.name in numbers})
    return None
