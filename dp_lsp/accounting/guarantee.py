"""What a numeric measure states, under which conditions, and what it claims of every node so that others can check it;
pairs (ε, δ) of charges.

Every ε and δ is rounded up, so a pair that is computed holds. None is what nothing is known of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Protocol

from dp_lsp.accounting.charge import Charge, ChargedSample, Relation, Sampling, in_order
from dp_lsp.mechanisms import pairs
from dp_lsp.mechanisms.arithmetic import DecimalInterval
from dp_lsp.mechanisms.mechanism import Loss
from dp_lsp.mechanisms.pairs import IN_NUMBERS, Pair
from dp_lsp.named import NamedTuple

Numbers = tuple[tuple[str, Fraction], ...]


class Guarantee(NamedTuple):
    """A proved pair: (``epsilon``, ``delta``)-private, by a rule with parameters. ``note`` says in words what else must
    hold. The ``rule`` of a measure names it; ``parameters`` are what it takes to compute the same again."""

    epsilon: Fraction
    delta: Fraction
    rule: str
    parameters: Numbers = ()
    note: str = ""


class NodeClaim(NamedTuple):
    """What a measure claims of a node at a change of ``steps`` steps. ``inside`` are the pairs of what lies in a
    sample, or of two results that are joined, where the node is priced by them."""

    node: Charge
    steps: int
    numbers: Numbers
    inside: tuple[Guarantee, ...] = ()


class Find(Protocol):
    """The best guarantee of what lies inside a node, at a total δ; without one, the pair of basic composition.
    ``curves`` says whether a sample may be priced by the whole curve δ(ε) of what lies inside."""

    @property
    def curves(self) -> bool:
        """Whether a sample may be priced by a whole curve."""

    def __call__(self, charge: Charge, delta: Fraction | None) -> Guarantee | None:
        """The smallest ε of a charge at a total δ; without a δ, the pair of basic composition. None if nothing is
        guaranteed."""


class NumericMeasure(ABC):
    """A way to price charges. ``rule`` names it; ``find`` prices what lies in a sample, where the measure has no rule
    of its own for samples."""

    rule = ""

    def __init__(self, find: Find) -> None:
        self.find = find

    @abstractmethod
    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        """The smallest ε that this measure proves, at a total δ of at most ``delta``; None if it can say nothing."""

    @abstractmethod
    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        """What a guarantee of this measure rests on: the numbers of every node, after those of what it is made of."""

    def epsilon(self, charge: Charge, delta: Fraction) -> Fraction | None:
        """The ε of :meth:`guarantee`."""
        found = self.guarantee(charge, delta)
        return None if found is None else found.epsilon


# What else must hold for a guarantee, in words.

_SCHEMES = {
    Sampling.POISSON: "every row is drawn by a coin of its own",
    Sampling.WITHOUT_REPLACEMENT: "every set of rows of the sample's size is drawn with the same probability",
    Sampling.WITH_REPLACEMENT: "every draw takes any row with the same probability",
}
_RELATIONS = {
    Relation.CHANGE_ONE: "neighbours differ in one record",
    Relation.ADD_REMOVE: "of neighbours one has a record more",
}
_FIXED = {"optimal": "how much each round may spend does not depend on what was released"}


def conditions(charge: Charge, rule: str) -> str:
    """The side conditions of a guarantee by a rule, each once."""
    found = dict.fromkeys([_FIXED[rule]] if rule in _FIXED else [])
    for node in in_order(charge):
        match node:
            case Loss(condition=condition) if condition:
                found[condition] = None
            case ChargedSample(scheme=scheme, relation=relation):
                found |= dict.fromkeys([_SCHEMES[scheme], _RELATIONS[relation]])
    return "; ".join(found)


# Pairs (ε, δ) in numbers: of a sample, of a change that reaches a mechanism in two ways, and what is left of δ.
#
# Every ε and δ is rounded up, so a pair that is computed holds. None is what nothing is known of.


def both(first: Pair[Fraction], second: Pair[Fraction]) -> Pair[Fraction]:
    """One mechanism that a change reaches in two ways, in the order that costs less."""
    return min(pairs.chain(IN_NUMBERS, first, second), pairs.chain(IN_NUMBERS, second, first))


def amplified(node: ChargedSample, inside: Pair[Fraction]) -> Pair[Fraction] | None:
    """The pair of a sample at one step in it (``steps`` of :class:`~dp_lsp.accounting.charge.ChargedSample`), from that
    of what is done with it."""
    match node.scheme, node.relation:
        case (Sampling.POISSON, _) | (Sampling.WITHOUT_REPLACEMENT, Relation.CHANGE_ONE):
            return pairs.amplified(IN_NUMBERS, node.rate, inside)
        case Sampling.WITH_REPLACEMENT, Relation.CHANGE_ONE:
            return pairs.redrawn(IN_NUMBERS, Fraction(node.draws), Fraction(1, node.rows), inside)
        case _:
            return None


def unsampled_delta(node: ChargedSample, outside: Fraction) -> Fraction:
    """The δ inside a sample that becomes, to first order, the one outside."""
    times = node.rate if node.scheme is not Sampling.WITH_REPLACEMENT else Fraction(node.draws, node.rows)
    return outside / times if times else Fraction(1)


def slack(delta: Fraction, taken: Fraction) -> Fraction | None:
    """The δ' that is left: the largest with 1 - (1 - taken)(1 - δ') ≤ δ, rounded down. None if there is none."""
    if taken >= delta or delta >= 1:
        return None
    return (DecimalInterval.of(delta - taken) / DecimalInterval.of(1 - taken)).down
