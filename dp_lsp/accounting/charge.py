"""What one person is charged, in numbers: the tree of what was released about them, with no variable left in it.

A :class:`~dp_lsp.core.events.Cost` says what a function releases about everybody; once the distances of a change and
the numbers of all symbols are known, what it costs that one change is a charge. Numeric measures price charges, and
nothing else: what is known of a mechanism stands in a leaf, its
:class:`~dp_lsp.mechanisms.mechanism.Loss`. Numbers are exact; one that is irrational is rounded to
the side on which a charge costs more. Trees are immutable, shared, and as deep as the calls of a program.

What a numeric measure states, under which conditions, and what it claims of every node so that others can check it;
pairs (ε, δ) of charges.

Every ε and δ is rounded up, so a pair that is computed holds. None is what nothing is known of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Listed
from dataclasses import field, fields
from enum import Enum
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Sampling as Sampling
from dp_lsp.core.values import replace, value
from dp_lsp.mechanisms import mechanism
from dp_lsp.mechanisms.arithmetic import DecimalInterval
from dp_lsp.mechanisms.mechanism import IN_NUMBERS, Loss, Pair, UnboundedLoss
from dp_lsp.mechanisms.noise import GaussianLoss, LaplaceLoss
from dp_lsp.mechanisms.selection import Approximate, BoundedRange
from dp_lsp.named import NamedTuple


class Relation(Enum):
    """Which data are neighbours: those that differ in one record, or those of which one has a record more."""

    CHANGE_ONE = "change-one"
    ADD_REMOVE = "add-remove"


@value
class ChargedSequence:
    """One after the other; later parts may depend on what earlier ones released. None of them costs nothing."""

    parts: tuple[Charge, ...]


@value
class ChargedEither:
    """One of several, chosen by what is public or was released."""

    parts: tuple[Charge, ...]


@value
class ChargedRepeat:
    """``count`` ≥ 0 rounds of a body, each of which may depend on what the earlier ones released."""

    count: int
    body: Charge
    origin: Origin | None = field(default=None, compare=False)


@value
class Group:
    """What costs a change of one step ``body``, at a change of ``steps`` ≥ 1 steps."""

    steps: int
    body: Charge


@value
class ChargedSample:
    """A body that sees a random part of ``rows`` rows, at a change of one step of ``relation`` in all of them; the body
    is what one step in what was drawn is charged: of a Poisson sample that a row is there or not, else that one row
    stands in place of another.

    Of a Poisson sample each row is drawn with probability ``rate``, and ``draws`` is 0; of the others ``draws`` rows
    are drawn, and ``rate`` is draws/rows."""

    scheme: Sampling
    relation: Relation
    rate: Fraction
    draws: int
    rows: int
    body: Charge
    origin: Origin | None = field(default=None, compare=False)

    @property
    def steps(self) -> int:
        """In how many steps a change reaches what was drawn: where rows are there or not, a row in place of another is
        a row less and then a row more."""
        return 2 if self.scheme is Sampling.POISSON and self.relation is Relation.CHANGE_ONE else 1


@value
class Joined:
    """One mechanism that a change reaches in two ways, as by two arguments: the cost of the first, all else being
    equal, and that of the second. The two can be changed in either order."""

    first: Charge
    second: Charge


Charge = Loss | ChargedSequence | ChargedEither | ChargedRepeat | Group | ChargedSample | Joined

FREE = ChargedSequence(())


# Charges as plain data that JSON can carry: a list of nodes, in which every node stands after those it is made of.
#
# A list keeps what a tree shares, and is read and written without going down into it. Numbers are texts, exact:
# ``1/3``. What a node means its class says; its ``kind`` is a name of that, or what a loss says.

Node = dict[str, Any]

_COMPOSED: dict[str, type[Charge]] = {
    "sequence": ChargedSequence,
    "either": ChargedEither,
    "repeat": ChargedRepeat,
    "group": Group,
    "sampled": ChargedSample,
    "joined": Joined,
}
_NAMES = {kind: name for name, kind in _COMPOSED.items()}
_KINDS: dict[str, type[Charge]] = _COMPOSED | {
    kind.kind: kind for kind in (GaussianLoss, LaplaceLoss, BoundedRange, Approximate, UnboundedLoss)
}
_CHILDREN = ("body", "first", "second")


def children(tree: Charge) -> tuple[Charge, ...]:
    """What a tree is made of, in order."""
    match tree:
        case ChargedSequence(parts=parts) | ChargedEither(parts=parts):
            return parts
        case ChargedRepeat(body=body) | Group(body=body) | ChargedSample(body=body):
            return (body,)
        case Joined(first=first, second=second):
            return (first, second)
        case _:
            return ()


def in_order(tree: Charge) -> list[Charge]:
    """Every node of a tree once, however often it is shared, after those it is made of; the tree is the last."""
    found: list[Charge] = []
    seen: set[int] = set()
    pending = [(tree, False)]
    while pending:
        node, entered = pending.pop()
        if entered:
            found.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            pending.append((node, True))
            pending += [(child, False) for child in reversed(children(node))]
    return found


def to_nodes(tree: Charge) -> list[Node]:
    """The tree as a list; its parts are named by their places in it."""
    ordered = in_order(tree)
    places = {id(node): place for place, node in enumerate(ordered)}
    return [node_of(node, places) for node in ordered]


def node_of(tree: Charge, places: Mapping[int, int]) -> Node:
    """A node alone; ``places`` are those of what it is made of, by identity."""
    node: Node = {"kind": tree.kind if isinstance(tree, Loss) else _NAMES[type(tree)]}
    for each in fields(tree):  # type: ignore[arg-type]
        value = getattr(tree, each.name)
        if each.name == "parts":
            node["parts"] = [places[id(part)] for part in value]
        elif each.name in _CHILDREN:
            node[each.name] = places[id(value)]
        elif isinstance(value, Fraction):
            node[each.name] = str(value)
        elif isinstance(value, Sampling | Relation):
            node[each.name] = value.value
        elif not isinstance(value, Origin | None):
            node[each.name] = value
    return node


def from_nodes(nodes: Listed[Node]) -> Charge:
    """The tree that a list is of. Raises ValueError for a list that is of none."""
    made: list[Charge] = []
    for node in nodes:
        made.append(_tree(node, made))
    if not made:
        raise ValueError("an empty list is not a tree")
    return made[-1]


def _tree(node: Node, made: Listed[Charge]) -> Charge:
    kind = _KINDS.get(node.get("kind", ""))
    if kind is None:
        raise ValueError(f"there is no kind {node.get('kind')!r}")
    values: dict[str, Any] = {}
    try:
        for each in fields(kind):  # type: ignore[arg-type]
            if each.name != "origin":
                values[each.name] = _read(each.name, str(each.type), node[each.name], made)
    except (KeyError, IndexError, TypeError, ZeroDivisionError) as wrong:
        raise ValueError(f"{node['kind']}: {wrong!r}") from wrong
    return kind(**values)


def _read(name: str, type_: str, value: Any, made: Listed[Charge]) -> Any:
    if name == "parts":
        return tuple(made[_place(part)] for part in value)
    if name in _CHILDREN:
        return made[_place(value)]
    if type_ == "Fraction":
        return Fraction(value)
    if type_ == "Sampling":
        return Sampling(value)
    return Relation(value) if type_ == "Relation" else int(value)


def _place(value: Any) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is not a place in the list")
    return value


# Walking a charge: the numbers of every node, from those of the nodes it is made of.
#
# What a change of several steps costs is told to every mechanism (a :class:`~dp_lsp.accounting.charge.Group` around a
# composition is the composition of groups), so a node is looked at together with the steps of the change there. A
# charge may be deeper than Python's stack, and shares what it is made of; each node is computed once for each number
# of steps, but for those inside a sample and inside two results that are joined, which their own node looks at.

V = TypeVar("V")
Single = Loss | ChargedSample | Joined
At = tuple[Charge, int]


class Rules(Generic[V]):
    """What a walk knows: the value of one mechanism, and those of what is composed. None is what nothing is known of;
    all that contains it is None too."""

    def single(self, node: Single, steps: int) -> V | None:
        """A mechanism, a sample or a joined pair, at a change of so many steps."""
        raise NotImplementedError

    def sequence(self, parts: Listed[V]) -> V | None:
        """One after the other, chosen adaptively; of nothing, what costs nothing."""
        raise NotImplementedError

    def repeat(self, count: int, once: V) -> V | None:
        """``count`` ≥ 1 rounds."""
        raise NotImplementedError

    def either(self, parts: Listed[V]) -> V | None:
        """One of at least one, chosen by what is known."""
        raise NotImplementedError


class Valued(NamedTuple, Generic[V]):
    """What a walk found out about a node at a change of so many steps."""

    node: Charge
    steps: int
    value: V


def fold(charge: Charge, rules: Rules[V]) -> V | None:
    """The value of the whole at a change of one step; None if nothing is known of it."""
    found = values(charge, rules)
    return found[-1].value if found else None


def values(charge: Charge, rules: Rules[V]) -> list[Valued[V]]:
    """The values of all nodes, each after those it is made of, the whole last, which is looked at at a change of one
    step; empty if nothing is known of it."""
    known: dict[tuple[int, int], V | None] = {}
    found: list[Valued[V]] = []
    pending = [(charge, 1, False)]
    while pending:
        node, at, entered = pending.pop()
        key = id(node), at
        if key in known:
            continue
        parts = parts_of(node, at)
        if not entered and parts:
            pending.append((node, at, True))
            pending += [(part, inner, False) for part, inner in reversed(parts)]
            continue
        value = _value(node, at, [known[id(part), inner] for part, inner in parts], rules)
        if value is None:
            return []
        known[key] = value
        found.append(Valued(node, at, value))
    return found


def parts_of(node: Charge, steps: int) -> list[At]:
    """What a node is made of, and at a change of how many steps each part of it is looked at."""
    match node:
        case ChargedSequence(parts=parts) | ChargedEither(parts=parts):
            return [(part, steps) for part in parts]
        case ChargedRepeat(count=count, body=body):
            return [(body, steps)] if count > 0 else []
        case Group(steps=more, body=body):
            return [(body, steps * more)]
        case _:
            return []


def _value(node: Charge, steps: int, parts: list[V | None], rules: Rules[V]) -> V | None:
    given = [part for part in parts if part is not None]
    match node:
        case ChargedEither() if given:
            return rules.either(given)
        case ChargedSequence() | ChargedEither():
            return rules.sequence(given)
        case ChargedRepeat(count=count):
            return rules.repeat(count, given[0]) if count > 0 else rules.sequence([])
        case Group():
            return given[0]
        case _:
            return rules.single(node, steps)


def nested(charge: Charge) -> int:
    """How many samples and joined pairs lie within each other."""
    depths: dict[int, int] = {}
    for node in in_order(charge):
        inside = max((depths[id(part)] for part in children(node)), default=0)
        depths[id(node)] = inside + isinstance(node, ChargedSample | Joined)
    return depths[id(charge)]


def times_run(charge: Charge, counted: Callable[[Single], bool]) -> int:
    """How many times mechanisms that are ``counted`` run at most."""
    return fold(charge, _CountedReleases(counted)) or 0


def shared(charge: Charge) -> Charge:
    """The same charge, in which equal nodes are one node: what is remembered of a node is remembered of all that equal
    it. Origins are those of the first."""
    same: dict[int, Charge] = {}
    kept: dict[tuple[object, ...], Charge] = {}
    for node in in_order(charge):
        values: list[object] = [type(node)]
        changed: dict[str, object] = {}
        for each in fields(node):  # type: ignore[arg-type]
            value = getattr(node, each.name)
            if each.name == "parts":
                parts = tuple(same[id(part)] for part in value)
                changed["parts"] = parts
                values.append(tuple(map(id, parts)))
            elif each.name in ("body", "first", "second"):
                changed[each.name] = same[id(value)]
                values.append(id(same[id(value)]))
            elif each.compare:
                values.append(value)
        key = tuple(values)
        if key not in kept:
            kept[key] = replace(node, **changed) if changed else node  # type: ignore[type-var]
        same[id(node)] = kept[key]
    return same[id(charge)]


class _CountedReleases(Rules[int]):
    """How many of some releases there are at most."""

    def __init__(self, counted: Callable[[Single], bool]) -> None:
        self._counted = counted

    def single(self, node: Single, steps: int) -> int:
        return int(self._counted(node))

    def sequence(self, parts: Listed[int]) -> int:
        return sum(parts)

    def repeat(self, count: int, once: int) -> int:
        return count * once

    def either(self, parts: Listed[int]) -> int:
        return max(parts)


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
    return min(mechanism.chain(IN_NUMBERS, first, second), mechanism.chain(IN_NUMBERS, second, first))


def amplified(node: ChargedSample, inside: Pair[Fraction]) -> Pair[Fraction] | None:
    """The pair of a sample at one step in it (``steps`` of :class:`~dp_lsp.accounting.charge.ChargedSample`), from that
    of what is done with it."""
    match node.scheme, node.relation:
        case (Sampling.POISSON, _) | (Sampling.WITHOUT_REPLACEMENT, Relation.CHANGE_ONE):
            return mechanism.amplified(IN_NUMBERS, node.rate, inside)
        case Sampling.WITH_REPLACEMENT, Relation.CHANGE_ONE:
            return mechanism.redrawn(IN_NUMBERS, Fraction(node.draws), Fraction(1, node.rows), inside)
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
