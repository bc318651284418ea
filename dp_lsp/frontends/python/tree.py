"""Walking the trees of the standard library's parser.

A function is asked many questions, each about all nodes below one. So what is below a node is found once, and
remembered at the node: who changes a tree makes a copy of it first (:func:`copied`), at which nothing is remembered.

Places of a tree of ``ast``, which counts bytes of UTF-8 in lines, as offsets in code points.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar, cast

from dp_lsp.surface import TypeExpr
from dp_lsp.text import Span

_LINE = re.compile(r"\r\n|\r|\n")


class Places:
    """Where the nodes of a chunk stand in its text, and those ``annotations`` in it that were read."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _LINE.finditer(text))]
        self._text = text
        self._ascii = text.isascii()
        self.annotations: dict[ast.expr, TypeExpr] = {}

    def offset(self, line: int, column: int) -> int:
        """The offset of a byte of a line, which is counted from 1."""
        start = self._starts[min(line, len(self._starts)) - 1]
        if self._ascii:
            return min(start + column, len(self._text))
        rest = self._text[start : start + column].encode("utf-8", "surrogatepass")
        return start + len(rest[:column].decode("utf-8", "replace"))

    def span(self, node: ast.AST) -> Span:
        """The extent of a node that has one."""
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        start = self.offset(line, column)
        return Span(start, start if last is None or end is None else max(start, self.offset(last, end)))

    def is_where(self, node: ast.expr) -> bool:
        """Whether an expression stands where it says, which not every Python tells of what stands in a text."""
        try:
            found = ast.parse(f"({self._text[slice(*self.span(node))]})", mode="eval").body
        except (SyntaxError, ValueError):
            return False
        return ast.dump(found) == ast.dump(node)

    def name_after(self, start: int, keyword: str) -> Span:
        """The name that a definition gives, which stands behind a keyword."""
        found = re.compile(rf"(?:async\s+)?{keyword}(?:\s|\\\r?\n)+([^\W\d]\w*)").match(self._text, start)
        return Span(*found.span(1)) if found else Span(start, start)

    def in_line(self, line: int, column: int) -> int:
        """The offset of a character of a line, which is counted from 1."""
        return min(self._starts[min(line, len(self._starts)) - 1] + column, len(self._text))

    def line(self, offset: int) -> int:
        """How many lines end before an offset."""
        return bisect_right(self._starts, offset) - 1


T = TypeVar("T", bound=ast.AST)
_BELOW = "_below"
_OF_KIND = "_of_kind"


def walk(node: ast.AST) -> tuple[ast.AST, ...]:
    """A node and all below it, the outer ones first, as by ``ast.walk``; without the marks that tell whether a name is
    read or given a value."""
    known = vars(node).get(_BELOW)
    if known is None:
        found = [node]
        for each in found:  # which grows
            found += children(each)
        known = vars(node)[_BELOW] = tuple(found)
    return cast(tuple[ast.AST, ...], known)


def below(node: ast.AST, kind: type[T]) -> Sequence[T]:
    """The nodes of one kind among a node and all below it, in the same order."""
    known = vars(node).get(_OF_KIND)
    if known is None:
        known = vars(node)[_OF_KIND] = {}
        for each in walk(node):
            known.setdefault(type(each), []).append(each)
    return cast(Sequence[T], known.get(kind, ()))


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below another one, in their order, without those marks."""
    found: list[ast.AST] = []
    fields = _fields(type(node))
    held = vars(node) if fields else {}
    for name in fields:
        value = held.get(name)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
    return found


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of nodes of a kind that may hold others."""
    known = _FIELDS.get(kind)
    if known is None:
        known = () if kind is ast.Constant else tuple(each for each in kind._fields if each not in _PLAIN)
        _FIELDS[kind] = known
    return known


_PLAIN = frozenset({"ctx", "id", "attr", "arg", "type_comment", "is_async", "conversion", "simple", "module", "level"})
"""Fields that hold a mark, a text or a number."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}
"""Those that were asked for."""


def copied(node: T) -> T:
    """A tree that is like another one, and shares nothing with it."""
    made = type(node)()
    for name, value in vars(node).items():
        if isinstance(value, ast.AST):
            value = copied(value)
        elif name in (_BELOW, _OF_KIND):
            continue
        elif isinstance(value, list):
            value = [copied(each) if isinstance(each, ast.AST) else each for each in value]
        setattr(made, name, value)
    return made
