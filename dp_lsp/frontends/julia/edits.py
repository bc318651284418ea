"""What an edit of Julia text may reach, told by the lines that it changes, without reading the rest.

What a lexer tells of text that is not parsed: where names stand and where comments are, and which names text may
define of which it is not known what is code.
"""

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

_COMMENT_RUNS = re.compile(r"^[ \t]*#(?!=)[^\n]*(?:\n[ \t]*#(?!=)[^\n]*)+", re.MULTILINE)
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
    found = [Span(match.start(), match.end()) for match in _COMMENT_RUNS.finditer(text)]
    if found:  # what looks like one may stand in a string
        tokens = [token for token in Lexer(text).run().tokens if token.type != "NL"]
        found = [run for run in found if not any(t.start < run.end and run.start < t.end for t in tokens)]
    return found


# Text of which it is not known what is code: behind a string or a comment that is never closed.
#
# Where it was meant to end is a guess, so whatever stands behind its beginning may be code or not. What such text may
# define is read off its words, which are the same in both cases.


_REACHES_ANY = re.compile(
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
    if _REACHES_ANY.search(text):
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
