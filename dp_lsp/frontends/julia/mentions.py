"""What a lexer tells of text that is not parsed: where names stand and where comments are, and which names text may
define of which it is not known what is code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from dp_lsp.frontends.julia import lexer
from dp_lsp.frontends.julia.folding import normalised
from dp_lsp.frontends.julia.lexer import Lexer
from dp_lsp.frontends.julia.tokens import BLANKS, Ready, spelling
from dp_lsp.language import Mention
from dp_lsp.text import Span

_COMMENTS = re.compile(r"^[ \t]*#(?!=)[^\n]*(?:\n[ \t]*#(?!=)[^\n]*)+", re.MULTILINE)
_ASSIGNED = frozenset(("ASSIGN", "OPASSIGN"))
_LISTED = frozenset(("NAME", "COMMA"))


def mentions(text: str, span: Span) -> Iterator[Mention]:
    """The names in a piece of a chunk; those of keyword arguments are none."""
    piece = text[span.start : span.end]
    tokens = Lexer(piece).run().tokens
    before, base, outside = "", "", False
    for index, token in enumerate(tokens):
        place = Span(token.start, token.end).moved(span.start)
        outside = token.type == "GLOBAL" or (outside and token.type in _LISTED)
        if isinstance(token, Ready):
            for start, end in _interpolated(piece, token):
                yield Mention(Span(start, end).moved(span.start), normalised(piece[start:end]))
        elif token.type == "NAME" and before == "DOT":
            yield Mention(place, token.value, of=base or ".")
        elif token.type == "NAME":
            following = tokens[index + 1].type if index + 1 < len(tokens) else ""
            if following != "KWASSIGN":
                binds = following in _ASSIGNED or before == "LOCAL"
                yield Mention(place, token.value, binds and not outside, outside)
        if token.type != "DOT":
            base = token.value if token.type == "NAME" and before != "DOT" else ""
        before = token.type


def _interpolated(text: str, token: Ready) -> tuple[tuple[int, int], ...]:
    """The places of the names that a string mentions."""
    start = token.start
    mark = text[start : start + 3]
    mark = mark if mark in ('"""', "```") else mark[:1]
    extent = lexer.string_extent(text, start, mark) if mark[:1] in ('"', "`") else None
    return extent.places if extent else ()


def comment_runs(text: str) -> list[Span]:
    """Where lines of a chunk follow each other that hold nothing but a comment."""
    found = [Span(match.start(), match.end()) for match in _COMMENTS.finditer(text)]
    if found:  # what looks like one may stand in a string
        tokens = [token for token in Lexer(text).run().tokens if token.type != "NL"]
        found = [run for run in found if not any(t.start < run.end and run.start < t.end for t in tokens)]
    return found


# Text of which it is not known what is code: behind a string or a comment that is never closed.
#
# Where it was meant to end is a guess, so whatever stands behind its beginning may be code or not. What such text may
# define is read off its words, which are the same in both cases.


_FAR_REACHING = re.compile(
    r"\b(?:include|eval|evalfile|include_string|using|import|(?:bare)?module|macro|global)\b|@(?!assert\b)"
)
_HEADER_END = re.compile(r"\s*(?:::|where\b|=(?![=>]))")
_ANNOTATION = re.compile(r"::\s*\w+")
_CALLED = re.compile(r"\w!?[({]")
_ROUND = re.compile(r"[()]")
_SIGN = re.compile(r"(?<![=!<>≤≥≠])=(?![=>])|∈|\bin\b")


@cache
def _patterns(plain: bool) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A name behind a word that defines it, a name that may be called, and any name."""
    name = spelling(plain).identifier
    words = r"function|struct|type|const|local|for|let"
    return (
        re.compile(rf"\b(?:{words})[{BLANKS}]+(?:{name}\.)*({name})"),
        re.compile(rf"({name})[{BLANKS}]*(?:\{{[^\n]*\}})?[{BLANKS}]*\("),
        re.compile(name),
    )


def definable(text: str) -> frozenset[str] | None:
    """The names that a text may define if it is code, or None if it may be all. Rather too many than too few."""
    if _FAR_REACHING.search(text):
        return None
    defined, called, name = _patterns(text.isascii())
    found = set(defined.findall(text))
    found.update(word for line in text.split("\n") for side in _left(line) for word in name.findall(side))
    closing = _closing(text)
    for call in called.finditer(text):
        end = closing.get(call.end() - 1)
        if end is None or _HEADER_END.match(text, end):
            found.add(call[1])
    return frozenset(map(normalised, found))


def _left(line: str) -> Iterator[str]:
    """What stands left of the signs of assignments in a line; headers of functions are looked for elsewhere."""
    *sides, _ = _SIGN.split(line)
    for side in sides:
        side = _ANNOTATION.sub("", side).rpartition(";")[2]
        yield side.rpartition(")")[2] if _CALLED.search(side) else side


def _closing(text: str) -> dict[int, int]:
    """Where each round bracket ends that is closed, by where it opens."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for bracket in _ROUND.finditer(text):
        if bracket[0] == "(":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.end()
    return found
