"""What a numeric measure states, and what it claims of every node so that others can check it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import NamedTuple, Protocol

from dp_lsp.accounting.charge import Charge

Numbers = tuple[tuple[str, Fraction], ...]


class Guarantee(NamedTuple):
    """A proved pair: (``epsilon``, ``delta``)-private, by a rule with parameters. ``note`` says in words what else must
    hold. The ``rule`` of a measure names it; ``parameters`` are what it takes to compute the same again."""

    epsilon: Fraction
    delta: Fraction
    rule: str
    parameters: Numbers = ()
    note: str = ""


class Claim(NamedTuple):
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
    def curves(self) -> bool: ...

    def __call__(self, charge: Charge, delta: Fraction | None) -> Guarantee | None: ...


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
    def claims(self, charge: Charge, stated: Guarantee) -> tuple[Claim, ...]:
        """What a guarantee of this measure rests on: the numbers of every node, after those of what it is made of."""

    def epsilon(self, charge: Charge, delta: Fraction) -> Fraction | None:
        """The ε of :meth:`guarantee`."""
        found = self.guarantee(charge, delta)
        return None if found is None else found.epsilon
