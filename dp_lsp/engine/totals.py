"""Rounds that have shares of a total budget: where they come to it, on which condition, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting.bounds import Bound, Total, total, vacuous
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Constraint, Origin, decide
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import Cost, Var
from dp_lsp.core.sens import Sens
from dp_lsp.text import Span

Group = tuple[Var, ...]


class Totals(NamedTuple):
    """The bounds that hold on a condition which is decided or open, and those whose condition fails: each with the
    two sides of it for the numbers that are given."""

    held: Mapping[Group, Total]
    missed: Mapping[Group, tuple[Total, Sens, Sens]]

    def conditions(self, span: Span) -> Iterator[Constraint]:
        """What the bounds that are held depend on, and is open."""
        origin = Origin(span, "the rounds come to their total only then")
        needs = dict.fromkeys((each.epsilon, each.most) for each in self.held.values())
        for epsilon, most in needs:
            if decide(epsilon, "<=", most) is not True:
                yield Constraint(epsilon, "<=", most, origin)

    def missed_by(self) -> dict[tuple[Sens, Sens, Sens], list[Group]]:
        """The groups that miss the same: what ε may be at most, and both sides for the numbers that are given."""
        found: dict[tuple[Sens, Sens, Sens], list[Group]] = {}
        for group, (each, epsilon, most) in self.missed.items():
            found.setdefault((each.most, epsilon, most), []).append(group)
        return found

    def first(
        self, group: Group, listed: tuple[Bound, ...], numbers: Mapping[str, Fraction], assumed: bool = False
    ) -> tuple[Bound, ...]:
        """The bounds of a group, that of its total before the others if its condition holds for these numbers, or is
        open and ``assumed``."""
        found = self.held.get(group)
        if found is None:
            return listed
        symbols = {*symbols_of(found.epsilon), *symbols_of(found.most)}
        put = Substitution({each: Poly.of(numbers[each.name]) for each in symbols if each.name in numbers})
        holds = decide(put.sens(found.epsilon), "<=", put.sens(found.most))
        return (found.bound, *listed) if holds or (holds is None and assumed) else listed

    def also(self, group: Group, listed: tuple[Bound, ...]) -> tuple[Bound, ...]:
        """The bounds of a group, with that of its total."""
        return (*listed, self.held[group].bound) if group in self.held else listed


NONE = Totals({}, {})


def totals(cost: Cost, listed: Mapping[Group, tuple[Bound, ...]], numbers: Mapping[Symbol, Fraction]) -> Totals:
    """The totals of all groups of variables that change together. What says nothing for these numbers is left out."""
    put = Substitution({symbol: Poly.of(number) for symbol, number in numbers.items()})
    held: dict[Group, Total] = {}
    missed: dict[Group, tuple[Total, Sens, Sens]] = {}
    for group, bounds in listed.items():
        found = total(cost, bounds)
        if found is None or vacuous(put.sens(found.bound.price.delta)):
            continue
        epsilon, most = put.sens(found.epsilon), put.sens(found.most)
        if decide(epsilon, "<=", most) is False:
            missed[group] = found, epsilon, most
        else:
            held[group] = found
    return Totals(held, missed)
