"""Comments that say what a function may cost, or how far it may move: reading them.

``# dp: budget ε <= 1, δ <= 1e-5 where k = 100`` and ``# dp: sensitivity <= 2 in x``. The right sides are numbers, or
formulas of static parameters and dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.analysis import setting
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.engine.problems import ClaimUnreadable
from dp_lsp.problem import Problem
from dp_lsp.surface import Remark
from dp_lsp.text import Span, normalised

BUDGET, SENSITIVITY = "budget", "sensitivity"
WORDS = (BUDGET, SENSITIVITY)

_HEAD = re.compile(r"[ \t]*dp:[ \t]*(\w+)")
_WHERE = re.compile(r"\bwhere\b")
_IN = re.compile(r"\bin\b(?P<names>[^<>=]*)$")
_SIDE = re.compile(r"\s*(?P<sign>ε|δ|epsilon|delta)\s*(?:<=|≤)\s*(?P<most>.+?)\s*")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)|(?P<name>(?:(?:rows|cols|length)\(\s*)?[^\W\d]\w*!?)"
    r"|(?P<sign>[-+*/()]))"
)
_SIGNS = {"ε": "ε", "epsilon": "ε", "δ": "δ", "delta": "δ"}
_DEEPEST = 50  # brackets


class Unreadable(Exception):
    """A comment says something that is not understood: what, in words."""


class Claim(NamedTuple):
    """What a comment says. ``sides`` are formulas by what they bound: ε and δ of a budget, the empty name of a
    sensitivity. ``variables`` are the parameters it is about, none for all; ``where`` are numbers it holds for."""

    word: str
    span: Span
    target: Span
    sides: dict[str, str]
    variables: tuple[str, ...] = ()
    where: tuple[tuple[str, Fraction], ...] = ()


def is_claim(remark: Remark) -> bool:
    """Whether a comment is of this kind."""
    head = _HEAD.match(remark.text)
    return head is not None and head[1] in WORDS


def read(remark: Remark) -> Claim | Problem:
    """What a comment says, or what is wrong with it."""
    head = _HEAD.match(remark.text)
    assert head is not None
    said = re.split(rf"[ \t]{re.escape(remark.sign)}", remark.text[head.end() :])[0]
    said = normalised(said).strip()
    try:
        claim = (_budget if head[1] == BUDGET else _sensitivity)(remark, said)
        for side in claim.sides.values():
            formula(side, _AnySymbol())
        return claim
    except Unreadable as wrong:
        return ClaimUnreadable.at(remark.span, word=head[1], wrong=wrong)


def _budget(remark: Remark, said: str) -> Claim:
    sides, *numbers = _WHERE.split(said)
    if len(numbers) > 1:
        raise Unreadable("it says `where` twice")
    found: dict[str, str] = {}
    for part in sides.split(","):
        side = _SIDE.fullmatch(part)
        if side is None:
            raise Unreadable(f"`{part.strip()}` is not of the form `ε <= 1`")
        sign = _SIGNS[side["sign"]]
        if sign in found:
            raise Unreadable(f"it bounds {sign} twice")
        found[sign] = side["most"]
    if "ε" not in found:
        raise Unreadable("it says nothing of ε")
    where = tuple(_numbers(numbers[0])) if numbers else ()
    return Claim(BUDGET, remark.span, remark.target, {"δ": "0", **found}, (), where)


def _numbers(text: str) -> Iterator[tuple[str, Fraction]]:
    for part in text.split(","):
        name, equals, value = part.partition("=")
        subject, number = setting.subject(name.strip()), setting.number(value)
        if subject is None or subject.function is not None or not equals or number is None:
            raise Unreadable(f"`{part.strip()}` is not of the form `k = 100`")
        yield subject.name, number


def _sensitivity(remark: Remark, said: str) -> Claim:
    if not said.startswith(("<=", "≤")):
        raise Unreadable("it is not of the form `<= 2 in x`")
    rest = said[1 if said[0] == "≤" else 2 :]
    names = _IN.search(rest)
    found = tuple(name.strip() for name in names["names"].split(",")) if names else ()
    if not all(name.isidentifier() for name in found):
        raise Unreadable("after `in` stand no names of parameters")
    most = (rest[: names.start()] if names else rest).strip()
    return Claim(SENSITIVITY, remark.span, remark.target, {"": most}, found)


class _AnySymbol(dict[str, Symbol]):
    """A symbol for any name."""

    def __missing__(self, name: str) -> Symbol:
        return Symbol(name)


def formula(text: str, symbols: dict[str, Symbol]) -> Poly:
    """The number that a formula means. Raises :class:`Unreadable`, also for a name that is no symbol."""
    reader = _Formula(text, symbols)
    value = reader.sum()
    if reader.tokens:
        raise Unreadable(f"`{text}` is not a number: `{reader.tokens[0]}` is not understood")
    return value


class _Formula:
    """Reads sums, products and quotients."""

    def __init__(self, text: str, symbols: dict[str, Symbol]) -> None:
        self._text = text
        self._symbols = symbols
        self._depth = 0
        self.tokens: list[str] = []
        position = 0
        while position < len(text.rstrip()):
            token = _TOKEN.match(text, position)
            if token is None:
                raise Unreadable(f"`{text}` is not a number")
            found = token[0].strip()
            position = token.end()
            if "(" in found and token["name"]:
                close = text.find(")", position)
                if close < 0:
                    raise Unreadable(f"`{text}` is not a number: a bracket is open")
                found, position = re.sub(r"\s", "", found + text[position : close + 1]), close + 1
            self.tokens.append(found)

    def sum(self) -> Poly:
        value = self._product()
        while self.tokens and self.tokens[0] in "+-":
            sign = self.tokens.pop(0)
            term = self._product()
            value = value + term if sign == "+" else value - term
        return value

    def _product(self) -> Poly:
        value = self._factor()
        while self.tokens and self.tokens[0] in "*/":
            sign = self.tokens.pop(0)
            factor = self._factor()
            if sign == "/" and not factor.terms:
                raise Unreadable(f"`{self._text}` divides by 0")
            value = value * (factor if sign == "*" else factor.inverse())
        return value

    def _factor(self) -> Poly:
        if not self.tokens or self._depth > _DEEPEST:
            raise Unreadable(f"`{self._text}` is not a number" if self._text else "a number is missing")
        token = self.tokens.pop(0)
        if token == "(":
            self._depth += 1
            value = self.sum()
            self._depth -= 1
            if not self.tokens or self.tokens.pop(0) != ")":
                raise Unreadable(f"`{self._text}` is not a number: a bracket is open")
            return value
        if token[0].isdigit() or token[0] == ".":
            return Poly.of(Fraction(token))
        if token in "+-*/)":
            raise Unreadable(f"`{self._text}` is not a number")
        try:
            return Poly.of(self._symbols[token])
        except KeyError:
            raise Unreadable(f"`{token}` is not a static parameter or dimension here") from None
