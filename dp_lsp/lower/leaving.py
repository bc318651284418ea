"""Which ways through a body leave the function before its end, and which go on to what follows."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp import surface
from dp_lsp.language import Familiar, Vocabulary
from dp_lsp.named import NamedTuple

GUARDS = 60
"""How many may follow each other in a function; each nests all that comes after it."""

IN_LOOP = "`return` in a loop would end it early; keep the value in a variable, and return it after the loop"
IN_VALUE = "`return` in a branch of a value leaves the function; write the `if` as a statement of its own"
NEVER_RUN = "what stands after this `return` never runs; delete it"
SEVERAL_WAYS = (
    "after this `return` several branches go on to the lines below the `if`; let all but one of them return, "
    "or make these lines a function of their own"
)
TOO_MANY = f"`return` is understood behind at most {GUARDS} others; make the lines after it a function of their own"
GIVES_NOTHING = "this `return` gives nothing, where the function gives a value; return a value everywhere"
GIVES_VALUE = "this function changes what it is given, so nothing is returned; write `return` alone, or change a copy"
OTHER_CHANGES = "what the function has changed for its caller differs from one `return` to another"


class WaysOut(NamedTuple):
    """What becomes of a run that comes to a piece of a body: whether a branch ``leaves`` the function, and on how many
    ways it goes ``on`` to what follows, where more than two count as two."""

    leaves: bool
    on: int


_STAYS = WaysOut(False, 1)


class Leaving:
    """The ways through the branches of one body, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[surface.If, WaysOut] = {}

    def of(self, node: surface.Node) -> WaysOut:
        """The ways through a statement; a ``return`` in a loop, a value or a function inside is none of them. Branches
        that do not return go on together."""
        if isinstance(node, surface.Return):
            return WaysOut(True, 0)
        if not isinstance(node, surface.If):
            return _STAYS
        if node not in self._known:
            sides = [self.through(block) for block in (node.then, node.otherwise)]
            leaves = any(side.leaves for side in sides)
            self._known[node] = WaysOut(True, min(sum(side.on for side in sides), 2)) if leaves else _STAYS
        return self._known[node]

    def through(self, block: surface.Block | None) -> WaysOut:
        """The ways through a branch; one that is not written goes on."""
        leaves, on = False, 1
        for statement in () if block is None else block.statements:
            ways = self.of(statement)
            leaves, on = leaves or ways.leaves, min(on * ways.on, 2)
        return WaysOut(leaves, on)


def returns(block: surface.Block | surface.If) -> Iterator[surface.Return]:
    """Each ``return`` in a body, or in an ``if``, that leaves it on one of its ways, in the order of the text."""
    pending: list[surface.Node] = [block]
    while pending:
        node = pending.pop()
        if isinstance(node, surface.Return):
            yield node
        elif isinstance(node, surface.Block):
            pending += reversed(node.statements)
        elif isinstance(node, surface.If):
            pending += [side for side in (node.otherwise, node.then) if side is not None]


def ends_bare(block: surface.Block) -> bool:
    """Whether a body ends in a ``return`` without a value on all its ways."""
    last = block.statements[-1] if block.statements else None
    if isinstance(last, surface.If):
        return all(side is not None and ends_bare(side) for side in (last.then, last.otherwise))
    return isinstance(last, surface.Return) and last.value is None


# Statements that make a run fail under a condition: ``n > 0 || error("…")``, and an ``if`` with such a branch


class End(NamedTuple):
    """What makes a run fail: the name that is called, and all that it is given to say."""

    name: surface.Name
    said: tuple[surface.Node, ...]


class Failing(NamedTuple):
    """What makes a run fail where a condition is false, or true if it is ``negated``; what is done in the other case is
    ``others``."""

    condition: surface.Node
    negated: bool
    by: End
    others: tuple[surface.Node, ...] = ()


def failure(node: surface.Node, vocabulary: Vocabulary) -> Failing | None:
    """How a statement makes the run fail; None for one that does not, or that does it in every run."""
    match node:
        case surface.If(condition=condition, then=then, otherwise=otherwise):
            if (end := _only(then, vocabulary)) is not None:
                return Failing(condition, True, end, () if otherwise is None else otherwise.statements)
            if (end := _only(otherwise, vocabulary)) is not None:
                return Failing(condition, False, end, then.statements)
        case surface.Call(callee=surface.Name(name="&&" | "||" as sign), args=(condition, last)):
            if (end := _end(last, vocabulary)) is not None:
                return Failing(condition, sign == "&&", end)
    return None


def _only(block: surface.Block | None, vocabulary: Vocabulary) -> End | None:
    return _end(block.statements[0], vocabulary) if block is not None and len(block.statements) == 1 else None


def _end(node: surface.Node, vocabulary: Vocabulary) -> End | None:
    match node:
        case surface.Call(callee=surface.Name() as name, args=args, keywords=keywords):
            return End(name, (*args, *keywords)) if vocabulary.does(name.name, Familiar.FAILS) else None
    return None
