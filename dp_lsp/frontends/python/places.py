"""Places of a tree of ``ast``, which counts bytes of UTF-8 in lines, as offsets in code points."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right

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
