"""The bounds of a function: every proved alternative, and the one to show first."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from dp_lsp.accounting.advanced import Advanced
from dp_lsp.accounting.approximate import Basic, Published
from dp_lsp.accounting.charge import Relation
from dp_lsp.accounting.concentrated import GaussianOnly, Zcdp
from dp_lsp.accounting.price import Choice, Measure
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import least, norms_of, symbols_of, upper
from dp_lsp.core.events import Called, Cost, Sampled, Var, nodes
from dp_lsp.core.notation import LONGEST
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.mechanisms.pairs import Price


class Profile(NamedTuple):
    """How a profile prices: its measures, whether δ' may be 1 (``closed``), whether it takes every public number to be
    at least 0, and whether numeric measures count, which know what a mechanism really costs."""

    measures: tuple[type[Measure[Any]], ...]
    closed: bool
    assumes_nonnegative: bool
    charges: bool

    @property
    def pairs(self) -> Profile:
        """The same without the measures that count in something else."""
        return self._replace(measures=tuple(each for each in self.measures if each.kind == "approximate"))


LARGEST = Fraction(999_999, 1_000_000)
"""The largest total δ at which an ε is looked for: one of 1 allows everything."""

PROFILES = {
    "sound": Profile((Basic, Advanced, Zcdp, GaussianOnly), False, False, True),
    "published": Profile((Published,), True, True, False),
}


class Bound(NamedTuple):
    """A proved pair for variables that change together, by a rule, with what the user may choose in it. ``measure``
    knows what each part of the tree costs; ``own`` are the numbers of a measure that counts in something else."""

    variables: tuple[Var, ...]
    rule: str
    price: Price
    choices: tuple[Choice, ...]
    measure: Measure[Any]
    own: tuple[tuple[str, Sens], ...] = ()

    @property
    def is_pair(self) -> bool:
        """Whether the pair is what the measure counts in."""
        return not self.own


class Headline(NamedTuple):
    """The tightest bound; ``other`` is set where it is open which of the two is smaller."""

    first: Bound
    other: Bound | None

    @property
    def pairs(self) -> Iterator[Price]:
        """The prices of both."""
        return (bound.price for bound in self if bound is not None)


def bounds(
    cost: Cost,
    variables: tuple[Var, ...],
    profile: Profile,
    taken: frozenset[str],
    relation: Relation,
) -> dict[tuple[Var, ...], tuple[Bound, ...]]:
    """All bounds, for each variable and for each record that is drawn from several of them. ``taken`` are names that
    what the user may choose must not have."""
    together = [(var,) for var in variables] + list(_records(cost, variables))
    found: dict[tuple[Var, ...], tuple[Bound, ...]] = {}
    symbols: dict[int, Symbol] = {}
    measures = [measure(taken, symbols, relation) for measure in profile.measures]
    for group in together:
        distances = {var: ONE for var in group}
        listed = []
        for measure in measures:
            loss = measure.loss(cost, distances)
            price = measure.pair(loss)
            own = () if measure.kind == "approximate" else measure.named(loss)
            listed.append(Bound(group, measure.rule, price, tuple(measure.choices), measure, own))
        short = [bound for bound in listed if bound.price.epsilon.size <= LONGEST]
        found[group] = tuple(_different(short or listed[:1]))
    return found


def headline(listed: tuple[Bound, ...]) -> Headline:
    """The tightest of several bounds that are pairs. One whose δ is 1 or more says nothing: then what another measure
    counts, as a pair, is used, and such a one only if there is no other. Where two remain that cannot be compared, both
    are kept."""
    useful = [bound for bound in listed if not (vacuous(bound.price.delta) or bound.price.epsilon.infinite)]
    useful = [bound for bound in useful if bound.is_pair] or useful or [listed[0]]
    best = useful[0]
    for bound in useful[1:]:
        if _at_most(bound.price.epsilon, best.price.epsilon):
            best = bound
        elif not _at_most(best.price.epsilon, bound.price.epsilon):
            return Headline(best, bound)
    return Headline(best, None)


def vacuous(delta: Sens) -> bool:
    """Whether δ is certainly 1 or more."""
    return decide(delta, "<", ONE) is False


def _different(listed: list[Bound]) -> Iterator[Bound]:
    """Those that say something of their own."""
    pairs: set[Price] = set()
    for bound in listed:
        if bound.price not in pairs:
            yield bound
        if bound.is_pair:
            pairs.add(bound.price)


def _at_most(left: Sens, right: Sens) -> bool:
    if decide(left, "<=", right) is True:
        return True
    if left.infinite or symbols_of(left) or norms_of(left) or norms_of(right):
        return False
    most = upper(left, {})
    return most is not None and (right.infinite or most <= least(right))


def _records(cost: Cost, variables: tuple[Var, ...]) -> Iterator[tuple[Var, ...]]:
    """The groups of parameters whose same rows are drawn together somewhere in a tree. That of a callee is about its
    own variables, unless it is a function made here or the tree under another name."""
    seen, pending = set(), [cost]
    while pending:
        for node in nodes(pending.pop()):
            if isinstance(node, Called) and not node.along.keys().isdisjoint(variables):
                pending.append(node.body)
            if isinstance(node, Sampled) and node.aligned:
                group = tuple(var for var in variables if any(var in moved for moved in node.along.values()))
                if len(group) > 1 and group not in seen:
                    seen.add(group)
                    yield group
