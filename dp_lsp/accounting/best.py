"""The smallest proved ε of a charge: every measure is asked, at one total δ, and what each proves is proved.

Bounds that somebody else can check: what a guarantee rests on, as the nodes that ``dp_lsp.verify`` replays.

The tree of a certificate is that of the charge with every change of several steps told to the mechanisms, as the
measures do. A node's ``claim`` is what its rule keeps of it: a number that adds up in a sequence, and a δ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from dp_lsp.accounting.approximate import GaussianPrivacy, NumericAdvanced, NumericBasic, Optimal, squared_mu
from dp_lsp.accounting.charge import (
    Charge,
    ChargedSample,
    Group,
    Guarantee,
    Joined,
    Node,
    NodeClaim,
    NumericMeasure,
    Relation,
    conditions,
    nested,
    node_of,
    parts_of,
    shared,
    to_nodes,
)
from dp_lsp.accounting.renyi import Renyi, ZeroConcentrated
from dp_lsp.core.values import replace
from dp_lsp.mechanisms.arithmetic import DecimalInterval, shown
from dp_lsp.mechanisms.mechanism import Loss

Measures = tuple[type[NumericMeasure], ...]

MEASURES: Measures = (NumericBasic, GaussianPrivacy, Renyi, ZeroConcentrated, Optimal, NumericAdvanced)
"""Those whose numbers can be computed again from what a guarantee holds; of equal ones the first is stated."""

INSIDE: Measures = (NumericBasic, GaussianPrivacy, ZeroConcentrated, Optimal)
"""Those that are asked what lies in a sample costs."""

_DEEPEST = 6  # samples within samples
_SMALLEST = Fraction(1, 10**200)  # a δ that is not taken to be 0


def guarantees(
    charge: Charge, delta: Fraction, measures: Measures = MEASURES, inside: Measures = INSIDE
) -> tuple[Guarantee, ...]:
    """Each measure's smallest proved ε at a total δ of at most ``delta``, best first; those that can say nothing are
    left out. ``inside`` are asked what lies in a sample costs; unless they are all, nothing is priced by whole curves
    there."""
    if nested(charge) > _DEEPEST or not 0 <= delta < 1:
        return ()
    charge = shared(charge)
    found = _Search(measures, inside).all(charge, delta if delta >= _SMALLEST else Fraction(0))
    return tuple(stated._replace(note=conditions(charge, stated.rule)) for stated in found)


def pair(charge: Charge) -> Guarantee | None:
    """What basic composition says without a δ to aim at: the sums of ε and δ. None if something in it has no pair of
    its own, as Gaussian noise."""
    try:
        return _Search((NumericBasic,), (NumericBasic,))(charge, None) if nested(charge) <= _DEEPEST else None
    except ArithmeticError:
        return None


def claims(charge: Charge, stated: Guarantee, inside: Measures = INSIDE) -> tuple[NodeClaim, ...]:
    """What a guarantee rests on, node by node: each node after those it is made of, the whole last. What lies in
    samples and joined pairs has guarantees of its own there (``inside``)."""
    (measure,) = [kind for kind in MEASURES if kind.rule == stated.rule]
    return measure(_Search(MEASURES, inside).inside()).claims(charge, stated)


class _Search:
    """The best of some measures, for a charge and for what lies in its samples. Within samples of samples only the
    first few are asked, as each asks for several prices of what lies inside."""

    def __init__(self, measures: Measures, inside: Measures, depth: int = 0) -> None:
        self._measures = measures
        self._inside = inside
        self._depth = depth
        self._known: dict[tuple[int, Fraction | None], Guarantee | None] = {}

    def all(self, charge: Charge, delta: Fraction) -> tuple[Guarantee, ...]:
        find = self.inside()
        found = []
        for measure in self._measures:
            try:
                stated = measure(find).guarantee(charge, delta)
            except ArithmeticError:  # numbers so large that nothing can be said
                continue
            if stated is not None:
                found.append(stated)
        return tuple(sorted(found, key=lambda one: (one.epsilon, one.delta)))

    def inside(self) -> _Search:
        """What prices what lies in samples."""
        return _Search(self._inside if self._depth < 1 else (NumericBasic,), self._inside, self._depth + 1)

    @property
    def curves(self) -> bool:
        return self._inside == INSIDE

    def __call__(self, charge: Charge, delta: Fraction | None) -> Guarantee | None:
        key = id(charge), delta
        if key not in self._known:
            if delta is None:
                self._known[key] = NumericBasic(_Search((NumericBasic,), (NumericBasic,), self._depth + 1)).pair(charge)
            elif self._depth and GaussianPrivacy in self._measures and squared_mu(charge) is not None:
                self._known[key] = GaussianPrivacy(self).guarantee(charge, delta)
            else:
                self._known[key] = next(iter(self.all(charge, delta)), None)
        return self._known[key]


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
