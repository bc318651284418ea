"""Which variable a name is: Julia's hard and soft scopes, found before anything runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from .syntax import Name, Node, Tree

_OWN_SCOPE = frozenset(("for", "while", "let", "try", "->", "comprehension", "generator", "module", "quote"))


class Scope:
    """The variables of a function or a block; ``around`` is the scope outside, None at the top level. A name that is
    declared global is none of them. ``writes`` says how often each gets a value in the text, parameters included; a
    ``closure`` is the body of a function."""

    def __init__(
        self, around: Scope | None, names: set[str], hidden: frozenset[str] = frozenset(), closure: bool = False
    ) -> None:
        self.around, self.names, self.hidden, self.closure = around, names, hidden, closure
        self.methods: dict[str, list[Tree]] = {}
        self.writes: Counter[str] = Counter()

    def owner(self, name: str) -> Scope | None:
        """The scope that a variable belongs to; None for a global one."""
        scope: Scope | None = self
        for _ in range(self.depth(name) or 0):
            assert scope is not None
            scope = scope.around
        return scope if self.depth(name) is not None else None

    def captures(self, name: str) -> bool:
        """Whether a variable is one of a function around this one."""
        scope: Scope | None = self
        for _ in range(self.depth(name) or 0):
            assert scope is not None
            if scope.closure:
                return True
            scope = scope.around
        return False

    def depth(self, name: str) -> int | None:
        """How many scopes out a variable is; None for a global one."""
        scope: Scope | None = self
        depth = 0
        while scope is not None:
            if name in scope.hidden:
                return None
            if name in scope.names:
                return depth
            scope, depth = scope.around, depth + 1
        return None


def inner(around: Scope | None, body: tuple[Node, ...], own: set[str], closure: bool) -> Scope:
    """The scope of a body: its ``own`` names, and what it assigns that is no variable of an outer one. A function's
    scope, like any other, assigns the variables of what is around it."""
    assigned: Counter[str] = Counter()
    local: set[str] = set()
    hidden: set[str] = set()
    for node in body:
        for how, name in _assignments(node):
            if how == "assigned":
                assigned[name] += 1
            else:
                (local if how == "local" else hidden).add(name)
    new = {name for name in assigned if around is None or around.depth(name) is None}
    found = Scope(around, own | local | (new - hidden), frozenset(hidden - own), closure)
    found.writes.update(own)
    for name, times in assigned.items():
        owner = found.owner(name)
        if owner is not None:
            owner.writes[name] += times
    return found


def _assignments(node: Node) -> Iterator[tuple[str, str]]:
    """What is bound in this scope, and not in one inside."""
    if not isinstance(node, Tree) or node.head in _OWN_SCOPE:
        if isinstance(node, Tree) and node.head == "->":
            return
        if isinstance(node, Tree) and node.head == "let":
            for binding in node.args[1:]:
                if isinstance(binding, Tree) and binding.head == "=":
                    yield from _assignments(binding.args[1])
        if isinstance(node, Tree) and node.head == "for":
            binding = node.args[0]
            assert isinstance(binding, Tree)
            yield from _assignments(binding.args[1])
        if isinstance(node, Tree) and node.head == "while":
            yield from ()
        return
    match node.head:
        case "=":
            yield from (("assigned", name) for name in targets(node.args[0]))
            yield from _assignments(node.args[1])
        case "function":
            name = function_name(node.args[0])
            if name is not None:
                yield "assigned", name
        case "local" | "global":
            inside = node.args[0]
            target = inside.args[0] if isinstance(inside, Tree) and inside.head in ("=", "function") else inside
            if isinstance(inside, Tree) and inside.head == "function":
                found = function_name(target)
                yield from [(node.head, found)] if found else []
            else:
                yield from ((node.head, name) for name in targets(target))
            if isinstance(inside, Tree) and inside.head == "=":
                yield from _assignments(inside.args[1])
        case "kw":
            yield from _assignments(node.args[1])
        case _:
            for arg in node.args:
                yield from _assignments(arg)


def targets(node: Node) -> Iterator[str]:
    """The names that an assignment binds."""
    match node:
        case Name(text):
            yield text
        case Tree("tuple", items):
            for item in items:
                yield from targets(item)
        case Tree("block", items) if len(items) == 1:
            yield from targets(items[0])
        case Tree("::" | "...", (inside, *_)):
            yield from targets(inside)


def function_name(header: Node) -> str | None:
    """What a definition names; None of one that extends a function of a module or calls a value."""
    while isinstance(header, Tree) and header.head in ("::", "where"):
        header = header.args[0]
    if isinstance(header, Tree) and header.head == "empty":
        header = header.args[0]
        return header.text if isinstance(header, Name) else None
    if isinstance(header, Tree) and header.head == "call" and isinstance(header.args[0], Name):
        return header.args[0].text
    return None
