"""Comments that say what a function may cost, or how far it may move: reading them.

``# dp: budget ε <= 1, δ <= 1e-5 where k = 100`` and ``# dp: sensitivity <= 2 in x``. The right sides are numbers, or
formulas of static parameters and dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dp_lsp.analysis import setting
from dp_lsp.analysis.setting import Subject
from dp_lsp.core.algebra import Poly, Sign, Symbol
from dp_lsp.core.constraints import Quantity
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.notation import figure
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.types import Base, BoolType, NumberType
from dp_lsp.engine.problems import ClaimUnreadable
from dp_lsp.infer.problems import ConditionFails
from dp_lsp.language import Syntax
from dp_lsp.problem import INFINITE, Extent, Problem
from dp_lsp.surface import Remark
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.formulas import UnreadableFormula

BUDGET, SENSITIVITY = "budget", "sensitivity"
WORDS = (BUDGET, SENSITIVITY)

_HEAD = re.compile(r"[ \t]*dp:[ \t]*(\w+)")
_WHERE = re.compile(r"\bwhere\b")
_IN = re.compile(r"\bin\b(?P<names>[^<>=]*)$")
_SIDE = re.compile(r"\s*(?P<sign>ε|δ|epsilon|delta)\s*(?:<=|≤)\s*(?P<most>.+?)\s*")
_SIGNS = {"ε": "ε", "epsilon": "ε", "δ": "δ", "delta": "δ"}


class NotUnderstood(Exception):
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


def read(remark: Remark, syntax: Syntax) -> Claim | Problem:
    """What a comment says in a text, or what is wrong with it."""
    head = _HEAD.match(remark.text)
    assert head is not None
    said = re.split(rf"[ \t]{re.escape(remark.sign)}", remark.text[head.end() :])[0]
    said = syntax.normalised(said).strip()
    try:
        claim = (_budget if head[1] == BUDGET else _sensitivity)(remark, said)
        for side in claim.sides.values():
            formula(side)
        return claim
    except NotUnderstood as wrong:
        return ClaimUnreadable.at(remark.span, word=head[1], wrong=wrong)


def _budget(remark: Remark, said: str) -> Claim:
    sides, *numbers = _WHERE.split(said)
    if len(numbers) > 1:
        raise NotUnderstood("it says `where` twice")
    found: dict[str, str] = {}
    for part in sides.split(","):
        side = _SIDE.fullmatch(part)
        if side is None:
            raise NotUnderstood(f"`{part.strip()}` is not of the form `ε <= 1`")
        sign = _SIGNS[side["sign"]]
        if sign in found:
            raise NotUnderstood(f"it bounds {sign} twice")
        found[sign] = side["most"]
    if "ε" not in found:
        raise NotUnderstood("it says nothing of ε")
    where = tuple(_numbers(numbers[0])) if numbers else ()
    return Claim(BUDGET, remark.span, remark.target, {"δ": "0", **found}, (), where)


def _numbers(text: str) -> Iterator[tuple[str, Fraction]]:
    for part in text.split(","):
        name, equals, value = part.partition("=")
        subject, number = setting.subject(name.strip()), setting.number(value)
        if subject is None or subject.function is not None or not equals or number is None:
            raise NotUnderstood(f"`{part.strip()}` is not of the form `k = 100`")
        yield subject.name, number


def _sensitivity(remark: Remark, said: str) -> Claim:
    if not said.startswith(("<=", "≤")):
        raise NotUnderstood("it is not of the form `<= 2 in x`")
    rest = said[1 if said[0] == "≤" else 2 :]
    names = _IN.search(rest)
    found = tuple(name.strip() for name in names["names"].split(",")) if names else ()
    if not all(name.isidentifier() for name in found):
        raise NotUnderstood("after `in` stand no names of parameters")
    most = (rest[: names.start()] if names else rest).strip()
    return Claim(SENSITIVITY, remark.span, remark.target, {"": most}, found)


def formula(text: str, symbols: Mapping[str, Symbol] | None = None) -> Poly:
    """The number that a right side means; without ``symbols`` any name is one. Raises :class:`NotUnderstood`, also for
    a name that is no symbol."""
    from dp_lsp.core import formulas  # most functions have no such comments

    found = formulas.read(text, _AnySymbols() if symbols is None else _Symbols(symbols))
    if isinstance(found, formulas.UnreadableFormula):
        raise NotUnderstood(f"`{text}` is not a number: {found.reason}" if text else "a number is missing")
    return found if isinstance(found, Poly) else found.single_poly()


class _Symbols:
    """The names that a right side may be made of; see :class:`dp_lsp.core.formulas.Names`."""

    def __init__(self, symbols: Mapping[str, Symbol]) -> None:
        self._symbols = symbols

    def number(self, name: str) -> Quantity | UnreadableFormula:
        from dp_lsp.core.formulas import UnreadableFormula

        found = self._symbols.get(name)
        if found is None:
            return UnreadableFormula(f"`{name}` is not a static parameter or dimension here")
        return Poly.of(found)

    def unknown(self, function: str, args: tuple[Quantity, ...], nonnegative: bool) -> Quantity | UnreadableFormula:
        from dp_lsp.core.formulas import UnreadableFormula

        return UnreadableFormula(f"it is not known that `{function}` has a value there")

    def is_at_least_one(self, value: Poly) -> bool:
        return False


class _AnySymbols:
    """Any names, where only the form of a right side counts."""

    def number(self, name: str) -> Quantity:
        return Poly.of(Symbol(name, Sign.NONNEGATIVE))

    def unknown(self, function: str, args: tuple[Quantity, ...], nonnegative: bool) -> Quantity:
        return Poly.of(Symbol(function))

    def is_at_least_one(self, value: Poly) -> bool:
        return False


# Numbers that are given for what can never have them: a half for a whole number, fewer than no rows.


class Outside(NamedTuple):
    """Why a number cannot be that of ``name``, in words, and where that is declared."""

    name: str
    value: Fraction
    why: str
    span: Span

    @property
    def problem(self) -> Problem:
        """An error, however large the number is."""
        condition, reason = f"{self.name} = {self.value}", f"`{self.name}` {self.why}"
        extent = Extent(f"{self.name} {self.why}: {condition}", INFINITE)
        return ConditionFails.at(self.span, condition=condition, reason=reason, extent=(extent,))


def outside(params: Iterable[SchemeParameter], numbers: Mapping[str, Fraction]) -> Iterator[Outside]:
    """The numbers that these parameters and their dimensions cannot have."""
    by_name = {param.name: param for param in params}
    for name, value in numbers.items():
        param = by_name.get(Subject(None, name).parameter)
        why = None if param is None else _why(name, value, param, numbers)
        if param is not None and why is not None:
            yield Outside(name, value, why, param.span)


def _why(name: str, value: Fraction, param: SchemeParameter, numbers: Mapping[str, Fraction]) -> str | None:
    whole = value.denominator == 1
    if name != param.name:
        return None if whole and value >= 0 else "is a whole number that is not negative"
    if not param.static:
        return None
    if isinstance(param.type, BoolType):
        return "is true or false"
    if not isinstance(param.type, NumberType):
        return None
    if param.type.base is Base.INTEGER and not whole:
        return "is a whole number"
    if param.type.bounds is not None:
        low, high = (_number(end, numbers) for end in (param.type.bounds.low, param.type.bounds.high))
        if low is not None and value < low:
            return f"is at least {figure(low)}"
        if high is not None and value > high:
            return f"is at most {figure(high)}"
    return None


def _number(end: Poly, numbers: Mapping[str, Fraction]) -> Fraction | None:
    known: dict[Symbol, Poly] = {
        symbol: Poly.of(numbers[symbol.name]) for symbol in symbols_of(end) if symbol.name in numbers
    }
    return Substitution(known).poly(end).number
