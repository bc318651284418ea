"""Masks: broadcasts that say of each entry of a vector, or of each row of a matrix, whether an index picks it.

A mask that is made of the very vector that it picks of is a filter: it keeps an entry by what that is, wherever it
stands. So a variable that a mask has been assigned to stands for that mask as long as all in it is what it was, and a
column of a matrix for that column. This is decided by versions of variables: one that is changed, in place too, has
another one from there on (:mod:`dp_lsp.lower.filling`).

Source: the Julia manual, "Logical indexing".
"""

from __future__ import annotations

from collections.abc import Mapping

from dp_lsp import builtins, surface
from dp_lsp.core.term import Local
from dp_lsp.lower.facts import below
from dp_lsp.lower.scope import BodyScope
from dp_lsp.named import NamedTuple

A_ROW = "each row"
"""The name of a row in a mask of rows, which no variable has."""


_MOST = 100
"""So many calls and names may stand in what is said of an entry, once all variables stand for what they are."""


class Mask(NamedTuple):
    """What is picked ``of``, entry by entry or ``by_rows``, and what is said of each, which is ``each`` of the names of
    ``others``. Of rows that are picked, the column at a ``place`` is taken, if there is one."""

    of: surface.Name
    each: surface.Node
    by_rows: bool
    others: tuple[tuple[str, surface.Node], ...]
    place: surface.Node | None = None


class _Made(NamedTuple):
    """What a variable was given, and what the names in that stood for."""

    node: surface.Node
    names: Mapping[str, Local | None]


class Masks:
    """The broadcasts, and the columns, that variables of a scope stand for."""

    def __init__(self, scope: BodyScope) -> None:
        self._scope = scope
        self._made: dict[Local, _Made] = {}

    def note(self, local: Local, node: surface.Node, before: Local | None) -> None:
        """A variable is given a value, in which its own name stood for what it was ``before``."""
        node = self._as_broadcast(node) or node
        if isinstance(node, surface.Broadcast) or _column(node) is not None:
            now = {name: self._scope.now.get(name) for name in _names(node)}
            self._made[local] = _Made(node, now | ({local.name: before} if local.name in now else {}))

    def _as_broadcast(self, node: surface.Node) -> surface.Broadcast | None:
        """The broadcast that makes the same as a function that is called for each entry of a variable."""
        match node:
            case surface.Comprehension(each=each, over=surface.Name() as over, kept=None, lazy=False):
                pass
            case surface.Call(
                callee=callee, args=(surface.Lambda(returns=None) as each, surface.Name() as over), keywords=()
            ):
                row = self._scope.builtin_of(callee)
                if row is None or row.name != builtins.MAKING or len(each.params) != 1:
                    return None
            case _:
                return None
        entry = surface.Name(over.start, over.end, over.name)
        function = surface.Lambda(node.start, node.end, each.params, each.body)  # its parameter stands in there, too
        made = surface.Call(node.start, node.end, function, (entry,))
        return surface.Broadcast(node.start, node.end, made, (over.name,), (over,))

    def of(self, node: surface.Index) -> Mask | None:
        """The mask that an index is by; None if it is by something else, or by a mask that is made where no names tell
        of what."""
        match node.indices:
            case (mask,) | (mask, surface.Whole()):
                place = None
            case (mask, place) if not isinstance(place, surface.Range):
                pass
            case _:
                return None
        found, of = self._stands_for(mask), node.value
        found = self._as_broadcast(found) or found
        if not isinstance(found, surface.Broadcast) or not isinstance(of, surface.Name):
            return None
        if len(node.indices) == 2:
            return self._made_of(of, found, by_rows=True, place=place)
        column = _column(self._stands_for(of))
        if column is not None and column[0].name != of.name:
            picked = self._made_of(of, found, by_rows=False)
            if picked is not None and not picked.others:
                return picked
            matrix = surface.Name(of.start, of.end, column[0].name)
            return self._made_of(matrix, found, by_rows=True, place=column[1])
        return self._made_of(of, found, by_rows=False)

    def fused(self, node: surface.Broadcast) -> surface.Broadcast:
        """The same broadcast, where variables that others in it share something with stand for what they are."""
        over, each = dict(zip(node.names, node.over, strict=True)), node.each
        for name in node.names if len(over) > 1 else ():
            known = self._stands_for(over[name])
            if isinstance(known, surface.Broadcast) and over.keys() & {*known.names} and _is_by_names(known):
                found = _with(each, name, known.each)
                if _size(found) <= _MOST:
                    del over[name]
                    each, over = found, over | dict(zip(known.names, known.over, strict=True))
        if each is node.each or _reads_whole(each, {*over}):
            return node
        return surface.Broadcast(node.start, node.end, each, tuple(over), tuple(over.values()))

    def _stands_for(self, node: surface.Node) -> surface.Node:
        """What was assigned to a name, if it is known and would be the same here; the name itself, if not."""
        while isinstance(node, surface.Name) and (local := self._scope.now.get(node.name)) is not None:
            made = self._made.get(local)
            if made is None or any(self._scope.now.get(name) is not known for name, known in made.names.items()):
                break
            node = made.node
        return node

    def _made_of(
        self, of: surface.Name, mask: surface.Broadcast, by_rows: bool, place: surface.Node | None = None
    ) -> Mask | None:
        each, own = mask.each, {of.name, *mask.names}
        others = dict[str, surface.Node]()
        pending = [*zip(mask.names, mask.over, strict=True)]
        while pending:
            name, over = pending.pop()
            known = self._stands_for(over)
            if isinstance(known, surface.Broadcast):
                if not _is_by_names(known):
                    return None
                each = _with(each, name, known.each)
                own |= {*known.names}
                pending += zip(known.names, known.over, strict=True)
            elif by_rows and (column := _column(known)) is not None and column[0].name == of.name:
                row = surface.Name(over.start, over.start, A_ROW)
                each = _with(each, name, surface.Index(over.start, over.end, row, (column[1],)))
            elif by_rows or not (isinstance(over, surface.Name) and over.name == of.name):
                others[name] = over
            if _size(each) > _MOST:
                return None
        return None if _reads_whole(each, own) else Mask(of, each, by_rows, tuple(others.items()), place)


def _names(node: surface.Node) -> set[str]:
    return {item.name for item in below(node) if isinstance(item, surface.Name)}


def _size(node: surface.Node) -> int:
    return sum(1 for _ in below(node))


def _is_by_names(node: surface.Broadcast) -> bool:
    """Whether a broadcast goes over variables and columns alone: anything else there is evaluated once."""
    return all(isinstance(over, surface.Name) or _column(over) is not None for over in node.over)


def _reads_whole(each: surface.Node, names: set[str]) -> bool:
    """Whether a function that is written in what is made of an entry reads one of these names, which is that of the
    whole in there."""
    return any(isinstance(item, surface.Lambda) and names & _names(item) for item in below(each))


def _column(node: surface.Node) -> tuple[surface.Name, surface.Node] | None:
    """The matrix and the number of a column, if that is written out, or has a name."""
    match node:
        case surface.Index(value=surface.Name() as matrix, indices=(surface.Whole(), place)):
            return (matrix, place) if isinstance(place, surface.Number | surface.Name) else None
    return None


def _with(node: surface.Node, name: str, value: surface.Node) -> surface.Node:
    """What is made of an entry, with something else in the place of a name. What is made of entries is made by calls,
    and a parser reads none that are nested deeply."""
    match node:
        case surface.Name(name=found) if found == name:
            return value
        case surface.Call(callee=callee, args=args, keywords=keywords):
            return surface.Call(node.start, node.end, callee, tuple(_with(arg, name, value) for arg in args), keywords)
    return node
