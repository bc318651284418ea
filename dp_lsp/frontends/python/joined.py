"""Records in several parameters: ``X`` and ``y`` that are declared ``AddRemove("people")`` hold parts of the same ones.

Who comes, goes or is replaced does so in all of them, at the same place. So they are one parameter of the calculus, a
matrix with a record in each row: first the numbers, then rows of known widths, then rows whose width is not written
out. Nobody calls such a function by that name, so what calls it is unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from itertools import chain

from dp_lsp import surface
from dp_lsp.frontends.python.annotations import holds_texts
from dp_lsp.frontends.python.kinds import Kind, Of
from dp_lsp.frontends.python.rows import RECORDS, Beside, Rows
from dp_lsp.frontends.python.tables import Column, Holds, Limit
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Node, TypeExpr

JOINED = "<records>"
"""The annotation of parameters that hold parts of the same records, which nobody can write."""
_RELATIONS = frozenset({"AddRemove", "ChangeOne"})


class Named(NamedTuple):
    """A parameter, how its records are called, and its annotation without that."""

    param: ast.arg
    name: str
    said: TypeExpr


def named(param: ast.arg, said: TypeExpr | None) -> Named | None:
    """A parameter whose records have a name; None for any other."""
    if said is None or said.name != "Annotated":
        return None
    for word in said.args:
        if isinstance(word, TypeExpr) and word.name in _RELATIONS and word.form == "call":
            name = _name_of(word)
            if name:
                others = tuple(each for each in word.args if not _is_name(each, word))
                bare = TypeExpr(*word.span, word.name, others, word.form, written=word.written)
                words = tuple(bare if each is word else each for each in said.args)
                return Named(param, name, TypeExpr(*said.span, said.name, words, said.form, written=said.written))
    return None


def _is_name(node: Node, word: TypeExpr) -> bool:
    return node.name == "name" if isinstance(node, surface.Keyword) else node is word.args[0]


def _name_of(word: TypeExpr) -> str:
    for each in word.args:
        if _is_name(each, word):
            value = each.value if isinstance(each, surface.Keyword) else each
            return value.value if isinstance(value, surface.Text) else ""
    return ""


def together(params: Iterable[Named]) -> list[list[Named]]:
    """Parameters by the records of which they hold parts, in order."""
    found: dict[str, list[Named]] = {}
    for each in params:
        found.setdefault(each.name, []).append(each)
    return list(found.values())


def joined_name(group: Iterable[Named]) -> str:
    """The name of the parameter that stands for several."""
    return RECORDS.join(each.param.arg for each in group)


def joined(group: list[Named]) -> TypeExpr:
    """The annotation of the parameter that stands for several."""
    written = RECORDS.join(each.said.written for each in group)
    return TypeExpr(*group[0].said.span, JOINED, tuple(each.said for each in group), "braces", written=written)


def places(group: list[Named], kinds: Mapping[str, Of]) -> dict[str, Of]:
    """What the parameters are, by their names: which part of a record each holds."""
    of, at, found = joined_name(group), 1, dict[str, Of]()
    rows = {each.param.arg: kind for each in group if isinstance(kind := kinds[each.param.arg], Rows)}
    numbers = [each for each in group if each.param.arg not in rows]
    for each in numbers:
        name, kind = each.param.arg, kinds[each.param.arg]
        if kind not in (Kind.ARRAY, Kind.LIST):
            return dict.fromkeys(kinds, Kind.ANY)
        holds = Holds.TEXTS if holds_texts(each.param.annotation) else Holds.NUMBERS
        found[name] = Beside(of, Column(name, at, holds, _bounds(each.said)), kind is Kind.LIST)
        at += 1
    by_name = {each.param.arg: each.said for each in group}
    in_order = sorted(rows, key=lambda name: rows[name].width is None)
    for name in in_order:
        width = rows[name].width
        found[name] = Rows(of, at, width, _bounds(by_name[name]), _most(by_name[name]))
        at += width or 0
    return found


def _words(said: TypeExpr, name: str) -> tuple[Node, ...]:
    words = (each.args for each in said.args if isinstance(each, TypeExpr) and each.name == name)
    return tuple(chain.from_iterable(words))


def _bounds(said: TypeExpr) -> tuple[Limit, Limit] | None:
    """Between which numbers those of a parameter lie."""
    match _words(said, "Bounded"):
        case (first, second):
            by_name = {each.name: each for each in (first, second) if isinstance(each, surface.Keyword)}
            low, high = _limit(by_name.get("low", first)), _limit(by_name.get("high", second))
        case _:
            low = high = None
    return None if low is None or high is None else (low, high)


def _most(said: TypeExpr) -> Limit | None:
    """What rows measure at most in L2."""
    match _words(said, "RowNorm"):
        case (limit,) | (limit, surface.Text(value="L2")):
            return _limit(limit)
    return None


def _limit(node: Node) -> Limit | None:
    match node.value if isinstance(node, surface.Keyword) else node:
        case surface.Number(value=value):
            return value
        case surface.Text(value=text) if text.isidentifier():
            return text
    return None
