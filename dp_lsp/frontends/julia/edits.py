"""What an edit of Julia text may reach, told by the lines that it changes, without reading the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dp_lsp.frontends.julia.folding import normalised
from dp_lsp.text import Span

_WORD = re.compile(r"\w+!?")
_LONG_WORD = re.compile(r"(?:[\w!]|[^\x00-\x7f])+")
"""With the marks and signs that Julia counts to a name, and perhaps more."""
_FAR_REACHING = re.compile(r"\b(global|eval|using|import|include|module|baremodule|macro|Pluto)\b|@")
_CONTINUES = re.compile(r"([^\w)\]}\"'`\s]|\b(in|isa|where))[ \t]*(#[^\n]*)?$", re.MULTILINE)
_COMMENTS = re.compile(r"(?:[ \t\n]|\r\n)*+(?:#(?!=)[^\n\r]*+(?:[ \t\n]|\r\n)*+)*+")
_RUNS = re.compile(r"^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)+|#=[\s\S]*?=#", re.MULTILINE)
_OPENERS = frozenset(
    {
        *("function", "if", "for", "while", "module", "baremodule", "begin", "let", "do", "try", "struct", "macro"),
        *("quote", "abstract", "primitive"),
    }
)
_KINDS = ("blocks", "()", "[]", "{}")
_KIND = {mark: kind for kind, marks in enumerate(_KINDS[1:], 1) for mark in marks}
_CLOSERS = frozenset({"end", *")]}"})
_BOUNDARY = re.compile(r"\w+!?|[()\[\]{}]")


def words(text: str) -> Iterator[str]:
    """All names in a text, as Julia reads them, and perhaps more."""
    read = normalised(text)
    yield from _WORD.findall(read)
    if not read.isascii():
        yield from _LONG_WORD.findall(read)


def loose_comments(text: str) -> list[Span]:
    """The comments of several lines in a text in which nothing else stands."""
    return [Span(*found.span()) for found in _RUNS.finditer(text)]


def is_comment(text: str) -> bool:
    """Whether whole lines hold nothing but comments and blanks."""
    return _COMMENTS.fullmatch(text) is not None


def keeps_extents(before: str, after: str) -> bool:
    """Whether lines that replace others open and close the same, and hold no word that may reach any name."""
    return structure(before) == structure(after) and not any(
        pattern.search(text) for pattern in (_FAR_REACHING, _CONTINUES) for text in (before, after)
    )


def is_inside(item: str, column: int, below: bool, before: str, after: str) -> bool:
    """Whether lines of an item lie in its body, or right of its ``=``: not where an ``end`` closes more than it opened,
    as what stands before that may be outside."""
    if any(depth < 0 for depth in structure(item)[len(_KINDS) :]):
        return False
    if below:
        return all(_indent(line) >= column for line in (before + "\n" + after).splitlines() if line.strip())
    left, equals, _ = before.partition("= ")
    single = not any(mark in before + after for mark in "\n;")
    return bool(equals) and "(" in left and after.startswith(left + equals) and single


def structure(text: str) -> tuple[int, ...]:
    """What a piece of text leaves open, and what it closes that it did not open: blocks, and brackets of each kind.
    Then, whether quotes and comments are left open; how many marks may keep a quote from being one, as in ``\\"``; and
    how many words of blocks may be none, as in ``0.for``."""
    depth, lowest, unsure = [0] * len(_KINDS), [0] * len(_KINDS), 0
    for found in _BOUNDARY.finditer(text):
        mark = found.group()
        opens = mark in _OPENERS or mark in "([{"
        if opens or mark in _CLOSERS:
            kind = _KIND.get(mark, 0)
            before = text[found.start() - 1 : found.start()]
            unsure += kind == 0 and not (before.isspace() or before in "([{,;=")
            depth[kind] += 1 if opens else -1
            lowest[kind] = min(lowest[kind], depth[kind])
    comments = text.count("#=") - text.count("=#")
    quotes = text.count('"') % 2, text.count('"""') % 2, text.count("`") % 2
    unquoted = text.count("\\") + text.count("'") if '"' in text or "`" in text else 0
    return (*depth, *lowest, *quotes, unquoted, comments, unsure)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
