"""Where names stand in text that is understood lexically only, and where its comments are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dp_lsp.frontends.julia import strings
from dp_lsp.frontends.julia.lexer import Lexer
from dp_lsp.frontends.julia.tokens import Ready, normalised
from dp_lsp.text import Span

_COMMENTS = re.compile(r"^[ \t]*#(?!=)[^\n]*(?:\n[ \t]*#(?!=)[^\n]*)+", re.MULTILINE)
_BOUND_BEFORE = frozenset(("ASSIGN", "OPASSIGN", "IN", "ARROW"))
_BOUND_AFTER = frozenset(("FOR", "DO", "LOCAL"))


class Mention(NamedTuple):
    """A name, its place, and whether it may be given a meaning there."""

    span: Span
    name: str
    binds: bool


def mentions(text: str, span: Span) -> Iterator[Mention]:
    """The names in a piece of a chunk; names of fields and of keywords are none."""
    piece = text[span.start : span.end]
    tokens = Lexer(piece).run().tokens
    before = ""
    for index, token in enumerate(tokens):
        if isinstance(token, Ready):
            for start, end in _interpolated(piece, token):
                yield Mention(Span(start, end).moved(span.start), normalised(piece[start:end]), False)
        elif token.type == "NAME" and before != "DOT":
            following = tokens[index + 1].type if index + 1 < len(tokens) else ""
            if following != "KWASSIGN":
                binds = following in _BOUND_BEFORE or before in _BOUND_AFTER
                yield Mention(Span(token.start, token.end).moved(span.start), token.value, binds)
        before = token.type


def _interpolated(text: str, token: Ready) -> tuple[tuple[int, int], ...]:
    """The places of the names that a string mentions."""
    start = token.start
    mark = text[start : start + 3]
    mark = mark if mark in ('"""', "```") else mark[:1]
    extent = strings.string_extent(text, start, mark) if mark[:1] in ('"', "`") else None
    return extent.places if extent else ()


def comment_runs(text: str) -> list[Span]:
    """Where lines of a chunk follow each other that hold nothing but a comment."""
    found = [Span(match.start(), match.end()) for match in _COMMENTS.finditer(text)]
    if found:  # what looks like one may stand in a string
        tokens = [token for token in Lexer(text).run().tokens if token.type != "NL"]
        found = [run for run in found if not any(t.start < run.end and run.start < t.end for t in tokens)]
    return found
