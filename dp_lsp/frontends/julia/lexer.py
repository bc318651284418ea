"""Julia text to tokens, with one stack of brackets and blocks.

All that Julia needs beyond a context-free grammar is decided here: whether a line break ends a statement,
what ``end``, ``for``, ``:`` and ``'`` stand for, whether a bracket touches what is before it, and where a
matrix is written with blanks. Text that is not Julia becomes a ``BROKEN`` token; nothing raises. To Julia only a line
feed ends a line: a carriage return alone ends no comment, and no statement.

Strings and comments: where they end, what they say, and which names stand in them.

Neither is regular: comments nest, and a string may hold code that holds strings. The extents are those of Julia's own
lexer, whatever stands in them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from dp_lsp import surface
from dp_lsp.frontends.julia import vocabulary
from dp_lsp.frontends.julia.folding import normalised
from dp_lsp.frontends.julia.summary import quoted, summary
from dp_lsp.frontends.julia.tokens import (
    ALIASES,
    BINARY,
    BLOCKS,
    CLOSERS,
    KEYWORDS,
    MARKS,
    MATES,
    MIDDLES,
    OPENERS,
    OPERANDS,
    PREFIXED,
    ROUND,
    SQUARE,
    STARTERS,
    Broken,
    Ready,
    Token,
    operator_type,
    spelling,
    words,
)
from dp_lsp.frontends.problems import BadCharacter, SyntaxProblem, Unclosed
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Related
from dp_lsp.surface import NO_EFFECT, IndexBound, Node, Opaque, Summary
from dp_lsp.text import Span

_RAW = {quote: re.compile(rf"\\+{quote[0]}|{quote}") for quote in ('"""', '"', "```", "`")}
_COMMENT = re.compile(r"#=|=#")
_LINE_END = re.compile(r"\r?\n|\Z")
CHARACTER = re.compile(r"'(?:\\[\s\S][^'\n]*|[^\\'])'|'''")
"""A character, where no adjoint stands."""
_INSIDE_STRING = re.compile(r"[^\s,;.)\]}*^:'=<>!&|?+-]")
"""What does not follow the end of a string."""
_WORDS_OF_OPERATORS = frozenset(("in", "isa", "where", "True", "False"))
"""Words that are no names here, but name a macro where a string touches them."""


@cache
def _inside(quote: str, plain: bool) -> re.Pattern[str]:
    """What counts in a string with these quotation marks: escapes, interpolations, and its end."""
    return re.compile(rf"\\[\s\S]|{quote}|\$\(|\$(?P<name>{spelling(plain).identifier})")


@cache
def _code(plain: bool) -> re.Pattern[str]:
    """What counts in the code of an interpolation."""
    return re.compile(
        rf"(?P<name>{spelling(plain).identifier})|[0-9]\w*|(?P<comment>\#=)|\#[^\n]*"
        r"|(?P<quote>\"\"\"|\"|```|`)|(?P<tick>')|[\s\S]"
    )


RAW = "raw"
"""Stands before the quotation marks of a string that a macro reads, where it is said what is open."""


class StringExtent(NamedTuple):
    """How far a string goes, the names that its interpolations mention, whether it has any, where these names stand,
    and where the code of each ``$(…)`` does that is not inside another."""

    end: int
    mentions: frozenset[str] = frozenset()
    interpolated: bool = False
    places: tuple[tuple[int, int], ...] = ()
    codes: tuple[tuple[int, int], ...] = ()


def comment_end(text: str, start: int) -> int | None:
    """Where the comment that ``#=`` opens at ``start`` ends, or None if it never does."""
    depth = 0
    for mark in _COMMENT.finditer(text, start):
        depth += 1 if mark[0] == "#=" else -1
        if not depth:
            return mark.end()
    return None


def line_end(text: str, start: int) -> int:
    """Where the line of an offset ends, without its line break."""
    found = _LINE_END.search(text, start)
    return found.start() if found else len(text)


def is_forgotten(text: str, start: int, end: int) -> bool:
    """Whether a string between single quotation marks looks as if one was forgotten: it runs over several lines, and a
    word or the like touches its end, which then is the beginning of the next string."""
    return line_end(text, start) < end and _INSIDE_STRING.match(text, end) is not None


def quote_at(text: str, start: int) -> str:
    """The quotation marks that a string begins with; nothing where none does."""
    mark = text[start : start + 3]
    return mark if mark in ('"""', "```") else mark[:1] if mark[:1] in ('"', "`") else ""


def names_macro(word: str) -> bool:
    """Whether a string that touches this word is read by a macro."""
    return word not in KEYWORDS or word in _WORDS_OF_OPERATORS


def string_extent(text: str, start: int, quote: str) -> StringExtent | None:
    """How far the string goes that ``quote`` opens at ``start``, or None if it is never closed. A command is read by a
    macro, so its end is looked for without regard to what is interpolated."""
    scan = _StringScan(text, start + len(quote))
    if quote[0] == "`":
        extent = raw_extent(text, start, quote)
        return scan.command(extent.end, quote) if extent else None
    return scan.extent() if scan.string(quote) else None


def end_of(text: str, start: int, mark: str) -> int | None:
    """Where the string or the comment that ``mark`` opens at ``start`` ends, or None if it never does."""
    if mark == "#=":
        return comment_end(text, start)
    raw = mark.startswith(RAW)
    extent = raw_extent(text, start, mark[len(RAW) :]) if raw else string_extent(text, start, mark)
    return extent.end if extent else None


class _StringScan:
    """Reads a string, and the code in it, which may hold strings again."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._position = start
        self._limit = len(text)
        self._plain = text.isascii()
        self._places: list[tuple[int, int]] = []
        self._codes: list[tuple[int, int]] = []
        self._interpolated = False
        self._open: list[str] = []  # quotation marks, and "(" for code
        self._touched = False  # whether an operand ends where code is read next

    def extent(self) -> StringExtent:
        """What was read."""
        names = frozenset(normalised(self._text[first:last]) for first, last in self._places)
        return StringExtent(self._position, names, self._interpolated, tuple(self._places), tuple(self._codes))

    def command(self, end: int, quote: str) -> StringExtent:
        """What is interpolated in a command that ends there."""
        self._limit = end - len(quote)
        self.string(quote)
        return self.extent()._replace(end=end)

    def string(self, quote: str) -> bool:
        """Read to the end of the string; false if there is none."""
        self._open = [quote]
        code = self._position
        while self._open:
            depth, inner = len(self._open), self._open[-1]
            if not (self._in_code() if inner == "(" else self._in_string(inner)):
                return False
            if depth == 1 and self._open:
                code = self._position
            elif depth == 2 and inner == "(" and len(self._open) == 1:
                self._codes.append((code, self._position - 1))
        return True

    def _in_string(self, quote: str) -> bool:
        """Read the next thing in a string that counts; false if there is none."""
        found = _inside(quote, self._plain).search(self._text, self._position, self._limit)
        if found is None:
            return False
        self._position, word = found.end(), found[0]
        if word == quote:
            self._open.pop()
            self._touched = True
        elif word == "$(":
            self._interpolated = True
            self._open.append("(")
            self._touched = False
        elif word[0] == "$":
            self._interpolated = True
            self._name(found)
        return True

    def _in_code(self) -> bool:
        """Read the next token of code; false if there is none."""
        found = _code(self._plain).match(self._text, self._position, self._limit)
        if found is None:
            return False
        touched, self._touched = self._touched, False
        self._position, word, kind = found.end(), found[0], found.lastgroup
        if kind == "name":
            return self._word(found)
        if kind == "comment":
            return self._skip(comment_end(self._text, found.start()))
        if kind == "quote" and word[0] == "`":
            return self._raw(found.start())
        if kind == "tick" and not touched:
            character = CHARACTER.match(self._text, found.start())
            return self._skip(character.end() if character else None)
        if kind == "quote" or word == "(":
            self._open.append(word)
        elif word == ")":
            self._open.pop()
        self._touched = word in ")]}'." or word[0].isdigit()
        return True

    def _word(self, found: re.Match[str]) -> bool:
        word = found["name"]
        self._touched = word not in KEYWORDS or KEYWORDS[word] in ("BOOL", "END")
        if quote_at(self._text, self._position) and names_macro(word):
            return self._raw(self._position)
        self._name(found)
        return True

    def _name(self, found: re.Match[str]) -> None:
        if found["name"] not in KEYWORDS:
            self._places.append(found.span("name"))

    def _raw(self, start: int) -> bool:
        """A string that a macro reads."""
        extent = raw_extent(self._text, start, quote_at(self._text, start))
        self._touched = True
        return self._skip(extent.end if extent else None)

    def _skip(self, end: int | None) -> bool:
        """Go on behind something that ends there; false if it never does."""
        self._position = self._limit if end is None else end
        return end is not None and end <= self._limit


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a text between two offsets, without the blanks around it."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())


def raw_extent(text: str, start: int, quote: str) -> StringExtent | None:
    """The same for a string that a macro reads: no interpolation, and only ``quote`` can be escaped."""
    position = start + len(quote)
    while found := _RAW[quote].search(text, position):
        word = found[0]
        if word[0] != "\\":
            return StringExtent(found.end())
        # An odd number of backslashes escapes the mark; an even one stands for themselves.
        position = found.end() if len(word) % 2 == 0 else found.end() - 1
    return None


_ESCAPE = re.compile(r"\\(?:u\{?([0-9a-fA-F]{1,6})\}?|x([0-9a-fA-F]{1,2})|\r?\n[ \t]*|([\s\S]))")
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
}


def string_value(literal: str) -> str:
    """What a string without interpolation says."""
    if not literal.startswith('"""'):
        return _ESCAPE.sub(_unescape, literal[1:-1])
    body = re.sub(r"\r\n?", "\n", literal[3:-3])
    lines = body.split("\n")
    # Julia takes the smallest indentation of the lines after the first, that of the closing marks included.
    margins = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    if len(lines) > 1 and not lines[-1].strip():
        margins.append(len(lines[-1]))
    margin = min(margins, default=0)
    body = "\n".join([lines[0], *(line[margin:] for line in lines[1:])])
    return _ESCAPE.sub(_unescape, body.removeprefix("\n"))


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code:
        number = int(code, 16)
        return chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else "\ufffd"
    letter = escape[3]
    return _LETTERS.get(letter, letter) if letter else ""


class _Frame:
    """An open bracket or block. ``queries`` counts the ``?`` that wait for their ``:``; in ``quoted`` brackets any
    statement may stand."""

    __slots__ = ("block", "bracket", "first_line", "header", "opener", "queries", "quoted", "square")

    def __init__(self, opener: Token) -> None:
        self.opener = opener
        self.bracket = opener.type in OPENERS
        self.square = opener.type in SQUARE
        self.block = opener.type in BLOCKS
        self.header = opener.type == "FOR"  # a target stands next, so `in` and `=` belong to the loop
        self.first_line = True
        self.queries = 0
        self.quoted = False


class _Desk:
    """A text being cut into tokens. Afterwards ``tokens`` cover it, and the other fields say how it ends.

    What people hardly write, such as a ``return`` that begins a line inside brackets, is taken for the sign that
    something before it was never closed; not so if the text is read ``literal``, as Julia does."""

    def __init__(self, text: str, literal: bool = False) -> None:
        self.text = text
        self.literal = literal
        self.guessed = False
        """Whether something that Julia may read was taken for a mistake."""
        self.tokens: list[Token] = []
        self.nothing = Token("", -1, -1, "")
        self.last = self.nothing
        self.base = _Frame(Token("", 0, 0, ""))
        self.frames = [self.base]
        self.frame = self.base
        self.broke_line = False  # since the last token, inside brackets
        self.nesting = 0  # of strings around this text, if it is the code in one
        self.wrong = 0  # how often the text stopped being Julia
        self.surplus: list[int] = []
        """Where an ``end`` stands that closes nothing."""
        self.remarks: list[Span] = []
        """Where comments stand that speak to the checker."""
        self.breaks: list[int] = []
        """Where a statement ends that is inside of nothing, with a line or a semicolon."""
        self.rests: list[int] = []
        """Where a line ends with nothing open."""
        self.gave_up: int | None = None
        """The first place where a statement began inside brackets."""
        self.unclosed: tuple[str, int] | None = None
        """The mark and the place of the first string or comment that never ends: see :func:`strings.end_of`."""

    def _add(self, type: str, start: int, end: int, value: str) -> int:
        self.last = Token(type, start, end, value)
        self.tokens.append(self.last)
        self.broke_line = False
        return end

    def _ready(self, start: int, end: int, what: str, summary: Summary = NO_EFFECT) -> int:
        return self._made(Opaque(start, end, what, summary))

    def _made(self, node: Node) -> int:
        """A piece that is read already."""
        self._operand(node.start)
        self.last = Ready("NODE", node, self.text[node.start : node.end])
        self.tokens.append(self.last)
        self.broke_line = False
        return node.end

    def _broken(self, start: int, end: int, reason: str) -> int:
        return self._unreadable(start, end, SyntaxProblem.at(Span(start, end), reason=reason))

    def _unreadable(self, start: int, end: int, problem: Problem) -> int:
        self.wrong += 1
        self.last = Broken(start, end, self.text[start:end], problem)
        self.tokens.append(self.last)
        return end

    def _push(self, type: str, start: int, end: int, value: str) -> int:
        self._add(type, start, end, value)
        self.frame = _Frame(self.last)
        self.frames.append(self.frame)
        return end

    def _pop(self) -> None:
        self.frames.pop()
        self.frame = self.frames[-1]

    def _operand(self, start: int) -> None:
        """Something that begins an operand stands at ``start``: what if there is an operand before it?"""
        last = self.last
        if self.frame.bracket and last.type in OPERANDS and last.end != start:
            if self.frame.square:
                self._is_matrix()
            elif self.broke_line:
                self._unwind(start)

    def _is_matrix(self) -> None:
        """The square bracket that is open holds rows written with blanks, line breaks or semicolons."""
        opener = self.frame.opener
        opener.type = {"LSQB": "MATRIX", "INDEX": "CONCAT"}.get(opener.type, opener.type)

    def _unwind(self, start: int) -> None:
        """A statement begins inside brackets: give up on them."""
        opener = self.frame.opener
        self.gave_up = start if self.gave_up is None else self.gave_up
        self._unreadable(start, start, Unclosed.at(Span(opener.start, opener.end), thing=f"`{opener.value}`"))
        while self.frame.bracket:
            self._pop()
        self._add("NL", start, start, "")

    def _is_so(self) -> bool:
        """Whether what looks like a mistake is read as it stands."""
        self.guessed = self.guessed or not self.literal
        return self.literal

    @property
    def is_right(self) -> bool:
        """Whether all was read so far as Julia does, but for an ``end`` that may close what stands before the text."""
        return not self.guessed and self.wrong == len(self.surplus)

    def _in_block(self) -> bool:
        return any(frame.block for frame in self.frames)

    def _begins_line(self) -> bool:
        """Whether the next token is the first one on its line, inside brackets."""
        return self.frame.bracket and self.broke_line

    def finish(self) -> int:
        """Give up on brackets that are open at the end; the number of blocks that are."""
        if self.frame.bracket:
            self._unwind(len(self.text))
        return sum(frame.block for frame in self.frames)


class _Patterns(NamedTuple):
    """What is made of how tokens are spelled."""

    piece: re.Pattern[str]
    field: re.Pattern[str]
    symbol: re.Pattern[str]
    named: re.Pattern[str]


@cache
def _patterns(plain: bool) -> _Patterns:
    blanks, identifier, operator, number = spelling(plain)
    piece = (
        rf"[{blanks}]*+(?:"
        rf"(?P<macro>@(?:{identifier}(?:\.{identifier})*|\.))"
        rf"|(?P<word>(?>{identifier})(?![\"`]))|(?P<raw>{identifier})"
        rf"|(?P<number>{number})"
        rf"|(?P<line>(?:\r?\n[{blanks}]*)+)"
        r"|(?P<opener>[(\[{])|(?P<closer>[)\]}])|(?P<comma>,)|(?P<semicolon>;)"
        r"|(?P<comment>\#=|\#[^\r\n]*+(?:\r(?!\n)[^\r\n]*+)*+)"
        r"|(?P<quote>\"\"\"|\"|```|`)|(?P<tick>')"
        rf"|(?P<operator>{operator})"
        r"|(?P<nothing>\Z)|(?P<other>[\s\S]))"
    )
    name = f"{identifier}|{operator}"
    return _Patterns(
        re.compile(piece),
        re.compile(rf":(?:\(\s*({name})\s*\)|({name}))"),
        re.compile(rf":(?:{name}|{number})"),
        re.compile(rf"[ \t]+{identifier}"),
    )


_COLON_LINE = re.compile(r"\s*:\s")
_NO_OPERAND = re.compile(r"[ \t]*(?:[,;)\]}\r\n#]|=(?!=)|\Z)")
_BOUND = re.compile(r"[ \t]*[,\])+*/÷%:-]")
"""What follows an ``end`` that is an index."""
_SUFFIX = re.compile(f"[²³¹⁰ⁱ⁴-⁾ⁿ₀-₎ₐ-ₜⱼⱽᴬ-ᵪᶜᶠᶥᶦᶫᶰᶸᶻᶿʰʲʳʷʸˡˢˣꜛꜜꜝ′-‷⁗{MARKS}]*")
_VALUES = words("PM PLUS TIMES POW NOT COMPARE PIPE PAIR SUBTYPE")
_ASSIGNED = re.compile(r"[ \t]*=(?![=>])")
_CALLS = ROUND - {"LPAR"}
_TOUCHES_NAME = frozenset(("NUMBER", "RPAR", "RSQB", "ADJ"))
_TOUCHES_STRING = frozenset(("NUMBER", "STRING", "RPAR", "RSQB", "RBRACE"))
_OPERAND = re.compile(r"[\w\"`]")
_LITERALS = {"x": "a hexadecimal literal", "b": "a binary literal", "o": "an octal literal"}
_LONGEST_NUMBER = 300
"""Digits and exponents beyond are far out of the range of Julia's numbers, and slow to compute with."""


_DEEPEST_STRING = 4
"""How deep strings are looked into that stand in the code of others."""


REMARK = re.compile(r"#[ \t]*dp:")
"""How a comment begins that speaks to the checker."""


class Lexer(_Desk):
    """One run over a text."""

    def run(self, start: int = 0) -> Lexer:
        """Read the text from ``start`` on."""
        text, match = self.text, _patterns(self.text.isascii()).piece.match
        handlers: dict[str | None, Callable[[int, int, str], int]] = {
            "macro": self._macro,
            "raw": self._raw,
            "word": self._word,
            "number": self._number,
            "line": self._line,
            "opener": self._opener,
            "closer": self._closer,
            "comma": self._comma,
            "semicolon": self._semicolon,
            "comment": self._comment,
            "quote": self._quote,
            "tick": self._tick,
            "operator": self._operator,
            "other": self._other,
        }
        position = start
        while piece := match(text, position):
            kind = piece.lastgroup
            if kind == "nothing":
                break
            start, end = piece.span(kind or 0)
            position = handlers[kind](start, end, text[start:end])
        if self.frame is self.base and self.last.type not in BINARY:
            self.rests.append(len(text))
        return self

    # Words

    def _word(self, start: int, end: int, word: str) -> int:
        if not word.isascii():
            word = normalised(word)
        last = self.last
        kind = KEYWORDS.get(word)
        touching = last.end == start
        if kind is not None and not (touching and last.type in ("DOT", "QUOTE")):
            return self._keyword(kind, start, end, word)
        if word == "public" and _patterns(self.text.isascii()).named.match(self.text, end) and last.type in ("NL", ""):
            return self._add("EXPORT", start, end, word)
        if word in PREFIXED and (found := re.compile(rf"\s+{PREFIXED[word]}\b").match(self.text, end)):
            return self._push("STRUCT", start, found.end(), f"{word} {PREFIXED[word]}")
        if touching and last.type in _TOUCHES_NAME:
            self._add("JUXT", start, start, "")
        elif self.frame.bracket:
            rows = self.broke_line and self.frame.square and last.type in OPERANDS
            if rows and _ASSIGNED.match(self.text, end) and not self._is_so():
                self._unwind(start)
            self._operand(start)
        return self._add("NAME", start, end, word)

    def _keyword(self, kind: str, start: int, end: int, word: str) -> int:
        if kind == "COMPARE":
            if word == "in" and self.frame.header:
                self.frame.header = False
                kind = "IN"
            elif self.last.type not in OPERANDS or self._stands_alone(kind, end):
                kind = "NAME"
            return self._add(kind, start, end, word)
        if kind == "END":
            return self._end(start, end)
        if kind in ("BOOL", "WHERE"):
            if kind == "BOOL":
                self._operand(start)
            return self._add(kind, start, end, word)
        if kind in ("FOR", "IF") and self.frame.bracket and self.last.type in OPERANDS:
            return self._add("GENERATOR", start, end, word)
        if kind == "BEGIN" and self._in_index():
            return self._made(IndexBound(start, end, last=False))
        if self._begins_line() and not self.frame.quoted and self._starts_statement(kind, end) and not self._is_so():
            self._unwind(start)
        if kind in BLOCKS:
            if kind != "DO":
                self._operand(start)
            return self._push(kind, start, end, word)
        if kind in MIDDLES:
            self.frame.queries = 0
        return self._add(kind, start, end, word)

    def _starts_statement(self, kind: str, end: int) -> bool:
        if kind == "FUNCTION":
            return _patterns(self.text.isascii()).named.match(self.text, end) is not None
        return kind in STARTERS or (kind in MIDDLES and self._in_block())

    def _end(self, start: int, end: int) -> int:
        if self.frame.bracket:
            sure = _BOUND.match(self.text, end) or not (self.broke_line and self._in_block())
            if self._in_index() and (sure or self._is_so()):
                return self._made(IndexBound(start, end, last=True))
            if self._in_block():
                self._unwind(start)
        if not self.frame.block:
            if self.frame is self.base:
                self.surplus.append(start)
            return self._broken(start, end, "this `end` closes nothing")
        self._pop()
        return self._add("END", start, end, "end")

    def _in_index(self) -> bool:
        """Whether the brackets around this place are an index, where ``begin`` and ``end`` are its bounds."""
        for frame in reversed(self.frames):
            if not frame.bracket or frame.opener.type in ("INDEX", "CONCAT"):
                return frame.bracket
        return False

    def _macro(self, start: int, end: int, word: str) -> int:
        self._operand(start)
        begins = not self.frame.bracket and self.last.type not in BINARY and self.last.type != "RETURN"
        return self._add("ASSERT" if word == "@assert" and begins else "AT", start, end, word)

    # Literals

    def _number(self, start: int, end: int, word: str) -> int:
        if word[:1] == "0" and word[1:2] in _LITERALS:
            return self._ready(start, end, _LITERALS[word[1]])
        word = normalised(word)
        mantissa, _, exponent = word.lower().partition("e")
        if "f" in mantissa:
            return self._ready(start, end, "a `Float32` literal")
        if len(word) > _LONGEST_NUMBER or abs(int(exponent or 0)) > _LONGEST_NUMBER:
            return self._ready(start, end, "a number out of range")
        self._operand(start)
        return self._add("NUMBER", start, end, word.replace("_", ""))

    def _quote(self, start: int, end: int, mark: str) -> int:
        extent = string_extent(self.text, start, mark)
        if extent is not None and len(mark) == 1 and is_forgotten(self.text, start, extent.end):
            extent = extent if self._is_so() else None
        if extent is None or (self.literal and self._touches(start, extent.end)):
            return self._never_ends(start, mark, "string")
        if mark[0] == "`":
            return self._ready(start, extent.end, "a command", self._evaluated(extent))
        if extent.interpolated:
            return self._interpolated(start, extent)
        self._operand(start)
        return self._add("STRING", start, extent.end, self.text[start : extent.end])

    def _interpolated(self, start: int, extent: StringExtent) -> int:
        """A string that shows values: those of names, or of any code."""
        text, places = self.text, frozenset(extent.places)
        if all(trimmed(text, first, last) in places for first, last in extent.codes):
            names = (surface.Name(*place, normalised(text[slice(*place)])) for place in extent.places)
            return self._made(surface.Shown(start, extent.end, tuple(names)))
        return self._ready(start, extent.end, surface.STRING, self._evaluated(extent))

    def _evaluated(self, extent: StringExtent) -> surface.Summary:
        """What the code in a string may do. Strings in it are looked into, too, as far as people nest them."""
        found = surface.Summary(extent.mentions)
        for first, last in extent.codes:
            if self.nesting == _DEEPEST_STRING:
                return found._replace(anything="code in a string inside others")
            inner = Lexer(self.text[first:last], literal=True)
            inner.nesting = self.nesting + 1
            found = found.joined(summary(inner.run().tokens))
        return found

    def _touches(self, start: int, end: int) -> bool:
        """Whether an operand touches a string, which Julia refuses."""
        before = self.last.end == start and self.last.type in _TOUCHES_STRING
        return before or _OPERAND.match(self.text, end) is not None

    def _raw(self, start: int, end: int, word: str) -> int:
        if not names_macro(word) and self.last.type != "DOT":
            return self._word(start, end, word)
        if self.last.end == start and self.last.type in _TOUCHES_NAME:
            self._add("JUXT", start, start, "")
        while self.last.end == start and [token.type for token in self.tokens[-2:]] == ["NAME", "DOT"]:
            start = self.tokens[-2].start
            del self.tokens[-2:]
            self.last = self.tokens[-1] if self.tokens else self.nothing
        mark = quote_at(self.text, end)
        extent = raw_extent(self.text, end, mark)
        if extent is None:
            return self._never_ends(end, RAW + mark, "string")
        flags = re.compile(r"\w*").match(self.text, extent.end)
        does = surface.Summary(anything="" if f"@{word}_str" in vocabulary.MACROS else f'`{word}"…"`')
        return self._ready(start, flags.end() if flags else extent.end, "a string macro", does)

    def _never_ends(self, start: int, mark: str, thing: str) -> int:
        if self.unclosed is None:
            self.unclosed = (mark, start)
        shown = mark.removeprefix(RAW)
        end = line_end(self.text, start) if len(shown) == 1 else len(self.text.rstrip(" \t\r\n"))
        return self._unreadable(start, end, Unclosed.at(Span(start, start + len(shown)), thing=thing))

    def _tick(self, start: int, end: int, mark: str) -> int:
        last = self.last
        if last.end == start and last.type in OPERANDS:
            return self._add("ADJ", start, end, "'")
        if found := CHARACTER.match(self.text, start):
            return self._ready(start, found.end(), "a character")
        return self._broken(start, end, "unexpected `'`")

    def _comment(self, start: int, end: int, word: str) -> int:
        if word != "#=":
            if REMARK.match(word):
                self.remarks.append(Span(start, end))
            return end
        closed = comment_end(self.text, start)
        return self._never_ends(start, "#=", "comment") if closed is None else closed

    def _other(self, start: int, end: int, word: str) -> int:
        name = "CARRIAGE RETURN WITHOUT LINE FEED" if word == "\r" else unicodedata.name(word, "")
        shown = f"U+{ord(word):04X}" + (f" ({name.lower()})" if name else "")
        while end < len(self.text) and self.text[end] == word:
            end += 1
        if isinstance(self.last, Broken) and self.last.end == start:
            self.last.end = end  # one problem for a run of them
            return end
        return self._unreadable(start, end, BadCharacter.at(Span(start, end), shown=shown))

    # Lines, brackets and operators

    def _line(self, start: int, end: int, breaks: str) -> int:
        if self.frame.bracket:
            self.broke_line = True
            return end
        if self.frame is self.base and self.last.type not in BINARY:
            self.rests.append(start)
        if self.last.type in BINARY or self.last.type in ("NL", "", "FOR"):
            return end
        if self.frame.queries and _COLON_LINE.match(self.text, end):
            return end
        return self._separator(start, end, "")

    def _semicolon(self, start: int, end: int, mark: str) -> int:
        frame = self.frame
        if frame.bracket:
            if frame.square:
                self._is_matrix()
            return self._add("SEMI", start, end, mark)
        if self.last.type in ("NL", ""):
            return end
        return self._separator(start, end, mark)

    def _separator(self, start: int, end: int, mark: str) -> int:
        self.frame.queries = 0
        self.frame.header = self.frame.first_line = False
        if self.frame is self.base:
            self.breaks.append(end)
        return self._add("NL", start, end, mark)

    def _comma(self, start: int, end: int, mark: str) -> int:
        frame = self.frame
        frame.queries = 0
        # `for i in a, j in b`: after the comma stands another target, while the first line lasts.
        if frame.opener.type == "FOR" and frame.first_line:
            frame.header = True
        return self._add("COMMA", start, end, mark)

    def _opener(self, start: int, end: int, mark: str) -> int:
        last = self.last
        touching = last.end == start
        if touching and last.type == "NUMBER" and mark == "(":
            if last.value.endswith("."):
                self._broken(start, start, f"`{last.value}` multiplies nothing that follows it without `*`")
            else:
                self._add("JUXT", start, start, "")
            return self._push("LPAR", start, end, mark)
        if mark == "(" and touching and last.type == "DOT":
            self.tokens.pop()
            return self._push("BCALL", last.start, end, ".(")
        if mark == "(" and last.type == "FUNCTION":
            return self._push("FPAR", start, end, mark)
        if mark == "(" and touching and last.type == "AT":
            return self._push("MCALL", start, end, mark)
        if touching and last.type in OPERANDS and last.type not in ("END", "NUMBER"):
            return self._push({"(": "CALL", "[": "INDEX", "{": "CURLY"}[mark], start, end, mark)
        self._operand(start)
        self._push({"(": "LPAR", "[": "LSQB", "{": "LBRACE"}[mark], start, end, mark)
        self.frame.quoted = last.type == "QUOTED"
        return end

    def _closer(self, start: int, end: int, mark: str) -> int:
        depth = len(self.frames)
        while self.frames[depth - 1].bracket:
            depth -= 1
            if MATES[self.frames[depth].opener.type] == mark:
                break
        else:
            if not self.frame.bracket:
                return self._broken(start, end, f"unexpected `{mark}`: nothing is open that it could close")
            opener = self.frame.opener
            here = Related(f"`{opener.value}` opens here", Span(opener.start, opener.end))
            reason = f"`{mark}` does not close `{opener.value}`"
            self._pop()  # it was meant to
            return self._unreadable(start, end, SyntaxProblem.at(Span(start, end), related=(here,), reason=reason))
        if depth < len(self.frames) - 1:
            opener = self.frame.opener
            problem = Unclosed.at(Span(opener.start, opener.end), thing=f"`{opener.value}`")
            self._unreadable(start, start, problem)
            del self.frames[depth + 1 :]
        self._pop()
        return self._add(CLOSERS[mark], start, end, mark)

    def _operator(self, start: int, end: int, symbol: str) -> int:
        kind = operator_type(symbol)
        frame = self.frame
        if kind in _VALUES and (suffix := _SUFFIX.match(self.text, end)):
            end = suffix.end()
            symbol += suffix[0]
        if symbol == ":":
            return self._colon(start, end)
        if kind == "ASSIGN" and symbol == "=":
            if frame.header:
                frame.header = False
                kind = "IN"
            elif frame.opener.type in _CALLS:
                kind = "KWASSIGN"
        elif kind == "QUERY":
            frame.queries += 1
        elif symbol == "∈" and frame.header:
            frame.header = False
            kind = "IN"
        elif frame.square and kind in ("PM", "NOT", "TYPE", "SUBTYPE") and self._is_prefix(start, end):
            self._operand(start)
        elif symbol.endswith("~") and self.last.type in OPERANDS:
            kind = "OPASSIGN"  # as loose as one
        if self._stands_alone(kind, end):
            kind = "NAME"
        if not symbol.isascii():
            symbol = ALIASES.get(symbol, normalised(symbol))
        return self._add(kind, start, end, symbol)

    def _is_prefix(self, start: int, end: int) -> bool:
        """Whether an operator between blank and operand is a sign, as in ``[x -y]``."""
        return self.last.end != start and not self.text[end : end + 1].isspace()

    def _stands_alone(self, kind: str, end: int) -> bool:
        """Whether an operator is used as a value: ``fold(+, …)``, ``≅ = isequal``."""
        if kind not in _VALUES or self.last.type in OPERANDS:
            return False
        if self.last.type == "FUNCTION":
            return True
        if kind not in ("PM", "NOT") and self.text[end : end + 1] == "(":
            return True  # `==(x)`: the sign of an operation that is called like a function
        return _NO_OPERAND.match(self.text, end) is not None

    def _colon(self, start: int, end: int) -> int:
        last, text, frame = self.last, self.text, self.frame
        gap = last.end != start
        if last.type == "DOT" and not gap and (field := _patterns(text.isascii()).field.match(text, start)):
            return self._add("NAME", start, field.end(), normalised(field[1] or field[2]))
        if last.type in OPERANDS:
            if frame.queries and gap:
                frame.queries -= 1
                return self._add("ALT", start, end, ":")
            if not (frame.square and gap and not text[end : end + 1].isspace()):
                return self._add("COLON", start, end, ":")
        if _NO_OPERAND.match(text, end):
            return self._add("WHOLE", start, end, ":")
        if found := _patterns(text.isascii()).symbol.match(text, start):
            return self._made(quoted(start, found.end(), found[0][1:]))
        if text[end : end + 1] == "(":
            self._operand(start)
            return self._add("QUOTED", start, end, ":")
        return self._add("COLON", start, end, ":")


class _Found(Exception):
    """What was looked for is known."""


class _Ahead(Lexer):
    """Reads as Julia does up to a line end at which nothing is open, or to where that is impossible."""

    def __init__(self, text: str, until: int) -> None:
        super().__init__(text, literal=True)
        self.until = until

    def _line(self, start: int, end: int, breaks: str) -> int:
        position = super()._line(start, end, breaks)
        if self.rests and self.rests[-1] >= self.until:
            raise _Found
        return position

    def _unreadable(self, start: int, end: int, problem: Problem) -> int:
        position = super()._unreadable(start, end, problem)
        if not self.is_right:
            raise _Found
        return position


def ahead(text: str, start: int, until: int) -> tuple[int | None, int]:
    """The first line end from ``until`` on at which nothing is open, if Julia can read the text from ``start`` to
    there; and how far the text was read."""
    lexer = _Ahead(text, until)
    with suppress(_Found):
        lexer.run(start)
    rest = lexer.rests[-1] if lexer.is_right and lexer.rests and lexer.rests[-1] >= until else None
    return rest, lexer.last.end


def read(text: str) -> Lexer:
    """A text as Julia reads it; where it cannot, with guesses at what is missing."""
    lexer = Lexer(text).run()
    if lexer.guessed:
        literal = Lexer(text, literal=True).run()
        if literal.is_right:
            return literal
    return lexer


_cut: dict[str, Lexer] = {}
"""The lexers that read the pieces of the text that was cut last, by these, until the pieces are parsed. To cut a text
all of it must be read; each piece that is new is parsed next, by the same tokens. That saves a quarter of the time that
parsing takes."""


def cut(text: str) -> Lexer:
    """A piece of a text that is being cut."""
    _cut[text] = lexer = read(text)
    return lexer


def forget_pieces() -> None:
    """Another text will be cut: what is left of the one before is not parsed any more."""
    _cut.clear()


def parsed(text: str) -> Lexer:
    """A text as Julia reads it, for who parses it and may change the tokens."""
    return _cut.pop(text, None) or read(text)
