"""Bounds that somebody else can check: what a guarantee rests on, as the nodes that ``dp_lsp.verify`` replays.

The tree of a certificate is that of the charge with every change of several steps told to the mechanisms, as the
measures do. A node's ``claim`` is what its rule keeps of it: a number that adds up in a sequence, and a δ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from dp_lsp.accounting.approximate import NumericBasic, Optimal
from dp_lsp.accounting.best import Measures, claims, guarantees
from dp_lsp.accounting.charge import Charge, ChargedSample, Group, Joined, Node, Relation, node_of, parts_of, to_nodes
from dp_lsp.accounting.gaussian import GaussianPrivacy
from dp_lsp.accounting.guarantee import Guarantee, NodeClaim
from dp_lsp.accounting.renyi import Renyi
from dp_lsp.core.values import replace
from dp_lsp.mechanisms.arithmetic import DecimalInterval, shown
from dp_lsp.mechanisms.mechanism import Loss

REPLAYED: Measures = (NumericBasic, GaussianPrivacy, Renyi, Optimal)
"""The measures that the verifier knows as well."""

_PADDING = Fraction(1, 10**40)  # more than the roundings of the verifier
_LONG = 10**6


def bounds(charge: Charge, delta: Fraction) -> Iterator[dict[str, Any]]:
    """What may be certified of a charge at a total δ, best first: ``rule``, ``epsilon``, ``delta``, what the rule needs
    to be replayed, and ``nodes``. Whether the verifier accepts a bound is for it to say."""
    for stated in guarantees(charge, delta, REPLAYED, REPLAYED):
        writer = _Writer()
        with suppress(LookupError):  # nodes that the optimal rule has a share of δ for have no claims of their own
            writer.add(charge, stated)
            yield _stated(stated) | {"nodes": writer.nodes}


def _stated(stated: Guarantee) -> dict[str, Any]:
    order = dict(stated.parameters).get("order")
    bound = {"rule": stated.rule, "epsilon": _exact_text(stated.epsilon), "delta": _exact_text(stated.delta)}
    return bound if order is None else bound | {"order": _exact_text(order)}


class _Writer:
    """Writes nodes down, each once for a number of steps and a guarantee."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []

    def add(self, charge: Charge, stated: Guarantee) -> int:
        """The place of a charge with all that a guarantee of it claims."""
        places: dict[tuple[int, int], int] = {}
        rested = stated if stated.rule != Optimal.rule else Guarantee(stated.epsilon, stated.delta, NumericBasic.rule)
        for claim in claims(charge, rested, REPLAYED):
            key = id(claim.node), claim.steps
            if isinstance(claim.node, Group):
                places[key] = places[id(claim.node.body), claim.steps * claim.node.steps]
            else:
                places[key] = self._node(claim, places)
                self.nodes[places[key]]["claim"] = _claim(claim)
        return places[id(charge), 1]

    def _node(self, claim: NodeClaim, places: Mapping[tuple[int, int], int]) -> int:
        node, steps = claim.node, claim.steps
        if isinstance(node, ChargedSample | Joined):
            return self._paired(claim, node)
        parts = {(id(part), inner): places[id(part), inner] for part, inner in parts_of(node, steps)}
        told = node.times(steps) if isinstance(node, Loss) else node
        return self._append(node_of(told, {identity: place for (identity, _), place in parts.items()}))

    def _paired(self, claim: NodeClaim, node: ChargedSample | Joined) -> int:
        """A sample or a joined pair, with the guarantees of what lies inside, or without any. A change that reaches a
        sample in several steps is a group of steps there."""
        steps = claim.steps
        if isinstance(node, ChargedSample) and node.steps > 1:
            node, steps = replace(node, relation=Relation.ADD_REMOVE), steps * node.steps
        bodies = (node.body,) if isinstance(node, ChargedSample) else (node.first, node.second)
        if claim.inside:
            places = [self.add(body, stated) for body, stated in zip(bodies, claim.inside, strict=True)]
        else:
            places = [self._plain(body) for body in bodies]
        written = node_of(node, {id(body): place for body, place in zip(bodies, places, strict=True)})
        if claim.inside:
            written["inside"] = [_stated(stated) for stated in claim.inside]
        place = self._append(written)
        return place if steps == 1 else self._append({"kind": "group", "steps": steps, "body": place})

    def _plain(self, charge: Charge) -> int:
        """A tree without claims: what a curve is computed of."""
        start = len(self.nodes)
        for node in to_nodes(charge):
            moved: Node = {name: node[name] + start for name in ("body", "first", "second") if name in node}
            if "parts" in node:
                moved["parts"] = [part + start for part in node["parts"]]
            self._append(node | moved)
        return len(self.nodes) - 1

    def _append(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1


def _claim(claim: NodeClaim) -> list[str]:
    """The number that adds up, and the δ."""
    numbers = dict(claim.numbers)
    delta = numbers.pop("delta", Fraction(0))
    (number,) = numbers.values()
    return [_text(number), _text(delta)]


def _exact_text(value: Fraction) -> str:
    """A number as a decimal if it is a short one, else as a fraction."""
    nearest = DecimalInterval.of(value)
    return str(nearest.high) if Fraction(nearest.high) == value else str(value)


def _text(value: Fraction) -> str:
    """A number as it is, or with few digits and a little more than it."""
    return str(value) if value.denominator < _LONG else str(DecimalInterval.of(shown(value * (1 + _PADDING))).high)
