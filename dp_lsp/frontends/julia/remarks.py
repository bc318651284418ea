"""Comments that speak to the checker: where they stand, and which line they are about."""

from __future__ import annotations

import re

from dp_lsp.frontends.julia.lexer import Lexer
from dp_lsp.surface import Remark
from dp_lsp.text import Span

_SIGN = "#"
_COMMENT = re.compile(r"[ \t]*#(?!=)")
_LINE = re.compile(r"([^\n]*?)(?:\r?\n|\Z)")


def remarks(text: str, lexer: Lexer) -> tuple[Remark, ...]:
    """The comments of a text that speak to the checker, found by a lexer that ran over it."""
    return tuple(
        Remark(span, _target(text, span), _SIGN, text[span.start : span.end].removeprefix(_SIGN))
        for span in lexer.remarks
    )


def _target(text: str, comment: Span) -> Span:
    """The line of a comment; of one that stands alone, the line of code directly below it and other such comments.
    An empty range if there is none."""
    start = text.rfind("\n", 0, comment.start) + 1
    if text[start : comment.start].strip():
        return Span(start, comment.end)
    position = comment.start
    while (line := _LINE.match(text, position)) and _COMMENT.match(line[1]):
        position = line.end()
        if position == line.end(1):
            break
    return Span(*line.span(1)) if line and line[1].strip() and not _COMMENT.match(line[1]) else Span(position, position)
