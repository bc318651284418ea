"""What the lexer makes of a text: tokens, and the tables of Julia's words and operators.

What can be read off a row of tokens without a grammar: what closes what, and which names stand there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.surface import Node, Opaque


class Token:
    """A piece of text; ``type`` is a terminal of the grammar, ``value`` the normalised text."""

    __slots__ = ("end", "start", "type", "value")

    def __init__(self, type: str, start: int, end: int, value: str) -> None:
        self.type = type
        self.start = start
        self.end = end
        self.value = value


UNCHECKED = "@inbounds ["
"""The value of a bracket of an index of which it is not checked whether there is such an entry."""


class Ready(Token):
    """A piece that needs no grammar any more: ``node`` is what it is."""

    __slots__ = ("node",)

    def __init__(self, type: str, node: Node, value: str) -> None:
        super().__init__(type, node.start, node.end, value)
        self.node = node


class Broken(Token):
    """A place at which the text stops being Julia, with the problem to report."""

    __slots__ = ("problem",)

    def __init__(self, start: int, end: int, value: str, problem: Problem) -> None:
        super().__init__("BROKEN", start, end, value)
        self.problem = problem


_PLAIN_BLANKS = r" \t\f\v"
BLANKS = r" \t\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""The characters that only separate, as the inside of a class of a regular expression."""

# Identifiers. Letters and digits are what Python counts among \w; Julia adds marks, primes, currency signs,
# some mathematical symbols and emoji.
_EXTRA = "⁺-⁾₊-₎©®°⌀-⌾⍀-⏿␀-⑊─-▶▸-◿⠀-⣿⬀-⬯⭍-⯿¢-¥₠-₿∂∅∆∇∏∑∞∟-∢∫-∳⊤⊥⊾-⊿⋀-⋃⟀⟁⟘⟙⦛-⦴⨀-⨆⨉-⨖⨛⨜☀-➿\U0001f300-\U0001faff"
MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f"
_START = rf"(?:(?![²³¹⁰-₉])[^\W\d]|[{_EXTRA}])"
_IDENTIFIER = rf"{_START}[\w{_EXTRA}{MARKS}′-‷⁗]*(?:!(?!=)[\w{_EXTRA}{MARKS}′-‷⁗]*)*"


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


KEYWORDS = {
    word: word.upper()
    for word in words(
        "function if for while begin let try quote do struct macro module baremodule end else elseif catch "
        "finally return const where global local export import using"
    )
}
KEYWORDS |= dict.fromkeys(("true", "false", "True", "False"), "BOOL")
KEYWORDS |= dict.fromkeys(("in", "isa"), "COMPARE") | dict.fromkeys(("break", "continue"), "LEAVE")
"""The type of each word that is not a name."""

PREFIXED = {"mutable": "struct", "abstract": "type", "primitive": "type"}
"""Words that are keywords only before another one: together they open a block."""

BLOCKS = frozenset(
    [
        "FUNCTION",
        "IF",
        "FOR",
        "WHILE",
        "BEGIN",
        "LET",
        "TRY",
        "QUOTE",
        "DO",
        "STRUCT",
        "MACRO",
        "MODULE",
        "BAREMODULE",
    ]
)
MIDDLES = words("ELSE ELSEIF CATCH FINALLY")
STARTERS = frozenset(
    [
        "RETURN",
        "CONST",
        "STRUCT",
        "MODULE",
        "BAREMODULE",
        "USING",
        "IMPORT",
        "EXPORT",
        "WHILE",
        "LEAVE",
        "GLOBAL",
        "LOCAL",
    ]
)
"""Keywords that stand at the beginning of a statement and never inside brackets."""

ROUND = frozenset(("LPAR", "CALL", "FPAR", "BCALL", "MCALL"))
SQUARE = frozenset(("LSQB", "INDEX", "MATRIX", "CONCAT"))
CURLED = frozenset(("LBRACE", "CURLY"))
OPENERS = ROUND | SQUARE | CURLED
CLOSERS = {")": "RPAR", "]": "RSQB", "}": "RBRACE"}
MATES = {**dict.fromkeys(ROUND, ")"), **dict.fromkeys(SQUARE, "]"), **dict.fromkeys(CURLED, "}")}

_SYMBOLS = {
    "ASSIGN": "=",
    "OPASSIGN": "+= -= −= *= /= \\= ÷= %= ^= |= &= ⊻= //= <<= >>= >>>= := ~=",
    "ARROW": "->",
    "PAIR": "=> --> <-- <--> ← → ↔ ⇒ ⇔",
    "QUERY": "?",
    "OR": "||",
    "AND": "&&",
    "COMPARE": "== != === !== < <= > >= ≤ ≥ ≠ ≡ ≢ ∈ ∉ ∋ ∌ ⊆ ⊈ ⊂ ⊄ ⊊ ⊇ ⊉ ⊃ ⊅ ⊋ ≈ ≉ ≺ ≻ ⪯ ⪰ ∝ ∥ ≪ ≫",
    "SUBTYPE": "<: >:",
    "PIPE": "|> <|",
    "PM": "+ - −",
    "PLUS": "| ⊻ ∪ ++ ± ∓ ⊕ ⊖ ∨ ⊔ .. …",
    "TIMES": "* / % ÷ \\ & ⋅ · \u0387 × ∘ ∩ // << >> >>> ⊗ ⊙ ⊘ ∧ ⊓ ⊛ ∗ ⋆",
    "POW": "^ ↑ ↓",
    "NOT": "! ¬ ~ √ ∛ ∜",
    "TYPE": "::",
    "DOTS": "...",
    "COLON": ":",
    "DOT": ".",
    "DOLLAR": "$",
}
OPERATORS = {symbol: kind for kind, symbols in _SYMBOLS.items() for symbol in symbols.split()}
"""The type of each operator that people know."""

_FURTHER = {
    "POW": "⇵⟰⟱⤈-⤋⤒⤓⥉⥌⥍⥏⥑⥔⥕⥘⥙⥜⥝⥠⥡⥣⥥⥮⥯￪￬",
    "TIMES": "∙∤≀⅋⊍⊚⊠⊡⊼⋄⋇⋉-⋌⋏⋒⌿▷⟑⟕-⟗⦸⦼⦾⦿⧶⧷⨇⨝⨟⨰-⨸⨻-⨽⩀⩃⩄⩋⩍⩎⩑⩓⩕⩘⩚⩜⩞-⩠⫛",
    "PLUS": "¦∔∸≏⊞⊟⊽⋎⋓⟇⧺⧻⨈⨢-⨮⨹⨺⩁⩂⩅⩊⩌⩏⩐⩒⩔⩖⩗⩛⩝⩡-⩣",
    "PAIR": "←-⇿⟵-⟿⤀-⥿⬰-⭌￩-￬",
    "COMPARE": "∀-⋿⟀-⟥⦀-⦂⦙-⧿⨀-⫿",
}
"""The characters that are operators besides, as insides of classes of a regular expression; the first type counts."""


def operator_type(symbol: str) -> str:
    """The type of an operator."""
    known = OPERATORS.get(symbol)
    return known or next(kind for kind, ranges in _FURTHER.items() if re.match(f"[{ranges}]", symbol[-1]))


ALIASES = {"≤": "<=", "≥": ">=", "≠": "!=", "≡": "===", "≢": "!==", "∈": "in"}
"""Operators that are another way to write the same function."""

_UNDOTTED = frozenset(
    [
        "PM",
        "PLUS",
        "TIMES",
        "POW",
        "COMPARE",
        "ASSIGN",
        "OPASSIGN",
        "AND",
        "OR",
        "NOT",
        "PIPE",
        "ARROW",
        "PAIR",
        "SUBTYPE",
    ]
)
_dotted = [f".{symbol}" for symbol, kind in OPERATORS.items() if kind in _UNDOTTED and symbol != ".."]
OPERATORS |= {symbol: OPERATORS[symbol[1:]] for symbol in _dotted}
_FURTHER_ONE = rf"\.?(?!{_START})[{''.join(_FURTHER.values())}]"
_longest_first = sorted(OPERATORS, key=len, reverse=True)
_spelled = [re.escape(symbol) for symbol in _longest_first if len(symbol) > 1]
_OPERATOR = "|".join([*_spelled, _FURTHER_ONE, *(re.escape(symbol) for symbol in _longest_first if len(symbol) == 1)])


def _number(start: str) -> str:
    """Numbers, where identifiers begin with ``start``: in `2.x` the point is an operator."""
    return (
        r"0x[0-9a-fA-F_]+(?:\.[0-9a-fA-F_]*)?(?:[pP][-+−]?[0-9]+)?|0[bo][0-9_]+"
        r"|(?:[0-9]+(?:_[0-9]+)*(?:\.(?![.+\-*/\\^<>=!&|'~÷%⋅×]|" + start + r")(?:[0-9]+(?:_[0-9]+)*)?)?"
        r"|\.[0-9]+(?:_[0-9]+)*)(?:[eEf][-+−]?[0-9]+)?"
    )


class TokenSpelling(NamedTuple):
    """Regular expressions of what texts are made of; ``blanks`` is the inside of a class."""

    blanks: str
    identifier: str
    operator: str
    number: str


_ANY = TokenSpelling(BLANKS, _IDENTIFIER, _OPERATOR, _number(_START))
_PLAIN = TokenSpelling(
    _PLAIN_BLANKS,
    r"[A-Za-z_]\w*(?:!(?!=)\w*)*",
    "|".join(re.escape(symbol) for symbol in _longest_first if symbol.isascii()),
    _number("[A-Za-z_]"),
)


def spelling(plain: bool) -> TokenSpelling:
    """How tokens are spelled; in a text that is ``plain`` ASCII that takes far less time to be made ready."""
    return _PLAIN if plain else _ANY


@cache
def _word(plain: bool) -> re.Pattern[str]:
    return re.compile(spelling(plain).identifier)


def word_at(text: str, start: int) -> str:
    """The identifier that stands at an offset as it is written, or nothing."""
    found = _word(text.isascii()).match(text, start)
    return found[0] if found else ""


BINARY = frozenset(
    [
        "ASSIGN",
        "KWASSIGN",
        "OPASSIGN",
        "ARROW",
        "PAIR",
        "QUERY",
        "ALT",
        "OR",
        "AND",
        "COMPARE",
        "IN",
        "SUBTYPE",
        "PIPE",
        "COLON",
        "PM",
        "PLUS",
        "TIMES",
        "POW",
        "TYPE",
        "WHERE",
        "NOT",
        "COMMA",
    ]
)
"""After these an expression must follow, on the next line if need be."""

OPERANDS = frozenset(
    ["NAME", "NUMBER", "BOOL", "STRING", "NODE", "RPAR", "RSQB", "RBRACE", "ADJ", "END", "DOTS", "WHOLE"]
)
"""With these an expression may end."""

LIMIT = 120
"""How deep a statement may be nested; everything that walks over trees relies on it."""


CLOSING = {"RPAR": ")", "RSQB": "]", "RBRACE": "}", "END": "end"}
SEPARATORS = words("NL ELSE ELSEIF CATCH FINALLY")


def partners(tokens: Sequence[Token]) -> list[int]:
    """For each token that opens or closes something the index of its counterpart, for all others -1."""
    found = [-1] * len(tokens)
    opened: list[int] = []
    for index, token in enumerate(tokens):
        kind = token.type
        if kind in OPENERS or kind in BLOCKS:
            opened.append(index)
        elif kind in CLOSING:
            # Brackets that the lexer gave up on may lie between.
            while opened and tokens[opened[-1]].type in OPENERS and _mark(tokens[opened[-1]]) != CLOSING[kind]:
                opened.pop()
            if opened and _mark(tokens[opened[-1]]) == CLOSING[kind]:
                other = opened.pop()
                found[index], found[other] = other, index
    return found


def _mark(opener: Token) -> str:
    return MATES.get(opener.type, "end")


def statement_end(tokens: Sequence[Token], partner: Sequence[int], start: int) -> int:
    """The index of the token after the statement that begins at ``start``."""
    index = start
    while index < len(tokens):
        kind = tokens[index].type
        if kind in SEPARATORS or kind in CLOSING:
            break
        index = max(index, partner[index]) + 1
    return index


def is_string(token: Token) -> bool:
    """Whether a token is a string, which may be a docstring."""
    return token.type == "STRING" or (token.type == "NODE" and token.value.endswith('"'))


def is_left_out(token: Token) -> bool:
    """Whether a token stands for text that could not be read."""
    return isinstance(token, Ready) and isinstance(token.node, Opaque) and token.node.broken


def target(tokens: Sequence[Token]) -> frozenset[str] | None:
    """The names that a broken statement defines, or None if its beginning does not say so."""
    kinds = [token.type for token in tokens[:2]]
    if kinds == ["FUNCTION", "NAME"]:
        return frozenset((tokens[1].value,))
    if kinds == ["NAME", "CALL"]:
        after = [token.type for token in tokens[_after_call(tokens, 0, partners(tokens)) :][:1]]
        return frozenset((tokens[0].value,)) if after in (["ASSIGN"], ["TYPE"]) else None
    for index, token in enumerate(tokens):
        if token.type in ("ASSIGN", "OPASSIGN"):
            return frozenset(t.value for t in tokens[:index] if t.type == "NAME") if index else None
        if token.type not in ("NAME", "COMMA", "LPAR", "RPAR", "CONST", "TYPE"):
            return None
    return None


def header(tokens: Sequence[Token]) -> Token | None:
    """The name of the function whose definition a broken statement begins; None if its beginning does not say so. A
    call with a bracket that is never closed is taken for a header if there is a type in it."""
    partner, kinds = partners(tokens), [token.type for token in tokens[:2]]
    is_open = kinds == ["NAME", "CALL"] and _after_call(tokens, 0, partner) == len(tokens)
    if is_open and any(token.type == "TYPE" for token in tokens):
        return tokens[0]
    return _header(tokens, partner, 0)


def defined(tokens: Sequence[Token]) -> frozenset[str]:
    """The functions whose definitions begin anywhere in a broken statement."""
    partner = partners(tokens)
    found = (_header(tokens, partner, start) for start in range(len(tokens)))
    return frozenset(token.value for token in found if token is not None)


def _header(tokens: Sequence[Token], partner: Sequence[int], start: int) -> Token | None:
    """The name of the function whose definition begins at ``start``."""
    kinds = [token.type for token in tokens[start : start + 2]]
    if kinds == ["FUNCTION", "NAME"]:
        return tokens[start + 1]
    if kinds != ["NAME", "CALL"]:
        return None
    after = [token.type for token in tokens[_after_call(tokens, start, partner) :][:1]]
    return tokens[start] if after in (["ASSIGN"], ["KWASSIGN"], ["TYPE"]) else None


def right_side(tokens: Sequence[Token], partner: Sequence[int], start: int) -> int | None:
    """Where the right side begins of a function in short form that begins at ``start``; None if none does."""
    if [token.type for token in tokens[start : start + 2]] != ["NAME", "CALL"]:
        return None
    index = _after_call(tokens, start, partner)
    while index < len(tokens) and tokens[index].type not in SEPARATORS and tokens[index].type not in CLOSING:
        if tokens[index].type == "ASSIGN":
            return index + 1
        index = max(index, partner[index]) + 1
    return None


def _after_call(tokens: Sequence[Token], start: int, partner: Sequence[int]) -> int:
    """The index of what follows a call that begins at ``start``."""
    return partner[start + 1] + 1 if partner[start + 1] > 0 else len(tokens)
