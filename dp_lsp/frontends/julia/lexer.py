"""Julia text to tokens, with one stack of brackets and blocks.

All that Julia needs beyond a context-free grammar is decided here: whether a line break ends a statement,
what ``end``, ``for``, ``:`` and ``'`` stand for, whether a bracket touches what is before it, and where a
matrix is written with blanks. Text that is not Julia becomes a ``BROKEN`` token; nothing raises. To Julia only a line
feed ends a line: a carriage return alone ends no comment, and no statement.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from functools import cache

from dp_lsp import surface
from dp_lsp.frontends.julia import strings, vocabulary
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
        extent = strings.string_extent(self.text, start, mark)
        if extent is not None and len(mark) == 1 and strings.is_forgotten(self.text, start, extent.end):
            extent = extent if self._is_so() else None
        if extent is None or (self.literal and self._touches(start, extent.end)):
            return self._never_ends(start, mark, "string")
        if mark[0] == "`":
            return self._ready(start, extent.end, "a command", self._evaluated(extent))
        if extent.interpolated:
            return self._interpolated(start, extent)
        self._operand(start)
        return self._add("STRING", start, extent.end, self.text[start : extent.end])

    def _interpolated(self, start: int, extent: strings.StringExtent) -> int:
        """A string that shows values: those of names, or of any code."""
        text, places = self.text, frozenset(extent.places)
        if all(strings.trimmed(text, first, last) in places for first, last in extent.codes):
            names = (surface.Name(*place, normalised(text[slice(*place)])) for place in extent.places)
            return self._made(surface.Shown(start, extent.end, tuple(names)))
        return self._ready(start, extent.end, surface.STRING, self._evaluated(extent))

    def _evaluated(self, extent: strings.StringExtent) -> surface.Summary:
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
        if not strings.names_macro(word) and self.last.type != "DOT":
            return self._word(start, end, word)
        if self.last.end == start and self.last.type in _TOUCHES_NAME:
            self._add("JUXT", start, start, "")
        while self.last.end == start and [token.type for token in self.tokens[-2:]] == ["NAME", "DOT"]:
            start = self.tokens[-2].start
            del self.tokens[-2:]
            self.last = self.tokens[-1] if self.tokens else self.nothing
        mark = strings.quote_at(self.text, end)
        extent = strings.raw_extent(self.text, end, mark)
        if extent is None:
            return self._never_ends(end, strings.RAW + mark, "string")
        flags = re.compile(r"\w*").match(self.text, extent.end)
        does = surface.Summary(anything="" if f"@{word}_str" in vocabulary.MACROS else f'`{word}"…"`')
        return self._ready(start, flags.end() if flags else extent.end, "a string macro", does)

    def _never_ends(self, start: int, mark: str, thing: str) -> int:
        if self.unclosed is None:
            self.unclosed = (mark, start)
        shown = mark.removeprefix(strings.RAW)
        end = strings.line_end(self.text, start) if len(shown) == 1 else len(self.text.rstrip(" \t\r\n"))
        return self._unreadable(start, end, Unclosed.at(Span(start, start + len(shown)), thing=thing))

    def _tick(self, start: int, end: int, mark: str) -> int:
        last = self.last
        if last.end == start and last.type in OPERANDS:
            return self._add("ADJ", start, end, "'")
        if found := strings.CHARACTER.match(self.text, start):
            return self._ready(start, found.end(), "a character")
        return self._broken(start, end, "unexpected `'`")

    def _comment(self, start: int, end: int, word: str) -> int:
        if word != "#=":
            if REMARK.match(word):
                self.remarks.append(Span(start, end))
            return end
        closed = strings.comment_end(self.text, start)
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
