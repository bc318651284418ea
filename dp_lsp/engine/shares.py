"""What each mechanism of a function spends, by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple, Protocol

from dp_lsp.accounting.bounds import Bound
from dp_lsp.accounting.release import Price
from dp_lsp.accounting.spending import Spending
from dp_lsp.analysis.records import SpendingReport
from dp_lsp.core.evaluate import Missing, Substitution, symbols_of, upper
from dp_lsp.core.events import Cost
from dp_lsp.core.notation import Printer, figure, percentage
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.problem import Related
from dp_lsp.text import Span


class Printers(Protocol):
    """How numbers are written."""

    formula: Printer

    def short(self, value: Sens) -> str: ...


class Writing(NamedTuple):
    """The norms and numbers that are put in, and how what comes out is written."""

    norms: Substitution
    numbers: Mapping[str, Fraction]
    printers: Printers


def shares(cost: Cost, bound: Bound, own: Span, writing: Writing) -> Iterator[SpendingReport]:
    """What each mechanism spends of the variables of a bound whose measure counts in pairs."""
    found = Spending(bound.measure, lambda origin: origin.span == own).loss(cost, dict.fromkeys(bound.variables, ONE))
    names = tuple(var.name for var in bound.variables)
    prices = [Price(*map(writing.norms.sens, price)) for price in found.values()]
    numbers = [_number(price.epsilon, writing.numbers) for price in prices]
    known = [number for number in numbers if number is not None]
    total = sum(known) if len(known) == len(prices) else 0
    for (origin, name), price, number in zip(found, prices, numbers, strict=True):
        share = float(number / total) if total and number is not None else None
        shown = "  ".join(f"{sign} {_shown(side, writing)}" for sign, side in zip("εδ", price, strict=True))
        formulas = map(writing.printers.formula.sens, price)
        yield SpendingReport(names, origin.span, name, next(formulas), next(formulas), shown, share)


def _number(value: Sens, numbers: Mapping[str, Fraction]) -> Fraction | None:
    """A number, where there is one."""
    with suppress(Missing):
        return upper(value, {each: numbers[each.name] for each in symbols_of(value) if each.name in numbers})
    return None


def _shown(value: Sens, writing: Writing) -> str:
    number = _number(value, writing.numbers)
    return writing.printers.short(value) if number is None else figure(number)


def told(spent: SpendingReport) -> Related:
    """What a mechanism spends, at its place."""
    return Related(f"{spent.name or 'this'} spends {spent.shown}{percentage(spent.share)}", spent.span)
