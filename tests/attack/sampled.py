"""Conditions of what is said of samples, taken away one at a time: which seeds of neighbours that are written down
(:mod:`neighbouring_samples`) refute what is said then.

That under AR each direction is composed by itself makes what is said smaller, and is no condition: that the larger one
counts is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dp_lsp.accounting import pld
from dp_lsp.accounting.charge import ChargedSample, Relation, Sampling
from dp_lsp.accounting.composing import AddedRecord, Drawn, Redrawn, Replaced, Sample, chances
from dp_lsp.mechanisms.mechanism import Curve
from dp_lsp.mechanisms.noise import Normal
from neighbouring_samples import refutation

from .breaking import Rule, Wrong

SAMPLES = {
    "samples: one record less and one more are two steps": 0,
    "samples: a record in place of another is not one more": 40,
    "samples: without replacement another record is drawn for one": 16,
    "samples: either of two neighbours may be the first": 16,
    "samples: the order may change from step to step": 204,
    "samples: a record may be drawn several times": 17,
    "samples: with replacement other records may lie anywhere": 17,
    "samples: a record may come as it may go": 8,
}
"""A seed that refutes what is said without each condition."""


def conditions_of_samples() -> Iterator[Rule]:
    """What is said of samples without a condition."""
    yield _without("one record less and one more are two steps", pld, "_inside", _in_one_step)
    yield _without("a record in place of another is not one more", pld, "_sampled", _of(Sampling.POISSON, AddedRecord))
    of_drawn = _of(Sampling.WITHOUT_REPLACEMENT, Replaced)
    yield _without("without replacement another record is drawn for one", pld, "_sampled", of_drawn)
    yield _without("either of two neighbours may be the first", Drawn, "at", _the_other_way)
    in_order = _of(Sampling.WITHOUT_REPLACEMENT, AddedRecord)
    yield _without("the order may change from step to step", pld, "_sampled", in_order)
    yield _without("a record may be drawn several times", Redrawn, "at", _drawn_once)
    yield _without("with replacement other records may lie anywhere", Redrawn, "at", _beside_the_other_end)
    yield _without(
        "a record may come as it may go", AddedRecord, "at", lambda right: lambda self, growth: self.back(growth)
    )


def refuted_by_sample(rule: Rule | None, seed: int) -> str:
    """What the neighbours of a seed refute while a rule is broken; of none, as all rules are; empty if nothing."""
    with rule.in_place() if rule is not None else nullcontext():
        return refutation(seed)


def _without(what: str, owner: Any, function: str, wrong: Wrong) -> Rule:
    return Rule(f"samples: {what}", owner, function, wrong, sort="condition")


def _in_one_step(right: Any) -> Any:
    return lambda node, steps: right(node, 1)


def _of(scheme: Sampling, kind: Callable[[Fraction, Curve], Sample]) -> Wrong:
    """Samples of a scheme of which a record is replaced, as if they were others; what is done with them, as it is with
    one step."""

    def wrong(right: Any) -> Any:
        def sampled(node: ChargedSample) -> Curve | None:
            body = pld._inside(node, 1)
            replaced = node.relation is Relation.CHANGE_ONE and node.rate < 1
            return kind(node.rate, body) if node.scheme is scheme and replaced and body is not None else right(node)

        return sampled

    return wrong


def _the_other_way(right: Any) -> Any:
    return lambda self, growth, loss=None: AddedRecord(self.rate, self.body).back(growth)


def _drawn_once(right: Any) -> Any:
    def at(self: Redrawn, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        missed = Fraction(self.rows - 1, self.rows) ** self.draws
        return Drawn(1 - missed, self.bodies[0]).at(growth)

    return at


def _beside_the_other_end(right: Any) -> Any:
    """The curve of Gaussian noise about jμ where a record is drawn j times, against that about 0, in both orders: where
    all other records are as the second one."""

    def at(self: Redrawn, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        if not isinstance(self.bodies[0], Normal):
            return right(self, growth, loss)
        mu, grown = math.sqrt(self.bodies[0].squared), float(growth)
        shares = [*map(float, chances(self.draws, self.rows).listed)]

        def above(x: float) -> float:
            return math.fsum(share * _normal(times * mu - x) for times, share in enumerate(shares))

        def ratio(x: float) -> float:
            means = (times * mu for times in range(len(shares)))
            return math.fsum(s * math.exp(mean * x - mean**2 / 2) for s, mean in zip(shares, means, strict=True))

        ahead, behind = _where(ratio, grown), _where(ratio, 1 / grown)
        orders = (above(ahead) - grown * _normal(-ahead), _normal(behind) - grown * (1 - above(behind)))
        return Decimal(max(*orders, 0.0))

    return at


def _normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


def _where(grows: Callable[[float], float], goal: float) -> float:
    low, high = -60.0, 60.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if grows(middle) < goal else (low, middle)
    return low
