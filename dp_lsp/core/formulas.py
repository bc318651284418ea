"""Formulas of reports, read back: text in SymPy syntax to trees, without running anything of it.

A text may come from anybody, so its length and its nesting have limits, and nothing in it is looked up but the names of
the few functions that bounds are made of. Any other call, as in ``length(v)``, is a number of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

LONGEST = 50_000  # characters
DEEPEST = 40  # brackets and functions inside each other
_DIGITS = 400  # of a number
_ROUNDS = 1_000  # terms of a sum that are added up

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d{1,3})?)|(?P<name>[^\W\d][\w!'′]*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/(),<>]))"
)
_RELATIONS = {"<": "<", "<=": "<=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NAMED = {"Eq": "==", "Ne": "!=", "Lt": "<", "Le": "<="}


class Unreadable(Exception):
    """A text is no formula."""


@dataclass(frozen=True, slots=True)
class Number:
    """An exact number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Name:
    """A number with a name; ``oo`` is ∞."""

    text: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms that are added."""

    terms: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """Factors that are multiplied."""

    factors: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """A base to an exponent."""

    base: Formula
    exponent: Formula


@dataclass(frozen=True, slots=True)
class Call:
    """A function of some arguments; without a name only brackets around several."""

    function: str
    args: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Relation:
    """A comparison: ``<``, ``<=``, ``==`` or ``!=``."""

    left: Formula
    sign: str
    right: Formula


Formula = Number | Name | Sum | Product | Power | Call | Relation

INFINITY = Name("oo")
_MINUS_ONE = Number(Fraction(-1))


Names = Mapping[str, str]
"""What some names in a text are called otherwise."""


def read(text: str, names: Names = MappingProxyType({})) -> Formula:
    """The formula that a text means. Raises :class:`Unreadable`."""
    reader = _Reader(text, names)
    found = reader.relation()
    if reader.token or isinstance(found, Relation):
        raise Unreadable(text)
    return found


def relations(text: str, names: Names = MappingProxyType({})) -> list[Relation]:
    """The comparisons of a condition: one, or several in a chain. Raises :class:`Unreadable`."""
    reader = _Reader(text, names)
    found = reader.chain()
    if reader.token or not found:
        raise Unreadable(text)
    return found


class _Reader:
    def __init__(self, text: str, names: Names) -> None:
        self._names = names
        if len(text) > LONGEST:
            raise Unreadable("it is too long")
        self._tokens = self._cut(text)
        self._depth = 0
        self.token = ""
        self._next()

    def _cut(self, text: str) -> Iterator[str]:
        at, text = 0, text.rstrip()
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or len(found[0]) > _DIGITS:
                raise Unreadable(text)
            at = found.end()
            yield found[0].strip()

    def _next(self) -> str:
        """Go on to the next token; the one that was there."""
        was, self.token = self.token, next(self._tokens, "")
        return was

    def chain(self) -> list[Relation]:
        """``a < b < c``, or one comparison in words."""
        left = self._sum()
        if isinstance(left, Call) and left.function in _NAMED and len(left.args) == 2:
            return [Relation(left.args[0], _NAMED[left.function], left.args[1])]
        found = []
        while self.token in _RELATIONS:
            sign = self._next()
            right = self._sum()
            sides = (right, left) if sign.startswith(">") else (left, right)
            found.append(Relation(sides[0], _RELATIONS[sign], sides[1]))
            left = right
        return found

    def relation(self) -> Formula:
        left = self._sum()
        if self.token not in _RELATIONS:
            return left
        sign = self._next()
        right = self._sum()
        return Relation(right, _RELATIONS[sign], left) if sign.startswith(">") else Relation(left, sign, right)

    def _sum(self) -> Formula:
        terms = [self._product()]
        while self.token in ("+", "-"):
            sign = self._next()
            term = self._product()
            terms.append(term if sign == "+" else product([_MINUS_ONE, term]))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def _product(self) -> Formula:
        factors = [self._unary()]
        while self.token in ("*", "/"):
            sign = self._next()
            factor = self._unary()
            factors.append(factor if sign == "*" else _power(factor, _MINUS_ONE))
        return factors[0] if len(factors) == 1 else product(factors)

    def _unary(self) -> Formula:
        negative = False
        while self.token in ("-", "+"):
            negative ^= self._next() == "-"
        base = self._atom()
        if self.token == "**":
            self._next()
            with _Deeper(self):
                base = _power(base, self._unary())
        return product([_MINUS_ONE, base]) if negative else base

    def _atom(self) -> Formula:
        token = self._next()
        if token == "(":
            inside = self._inside()
            return inside[0] if len(inside) == 1 else Call("", inside)
        if not token or not (token[0].isalnum() or token[0] == "_"):
            raise Unreadable(token)
        if token[0].isdigit():
            return Number(Fraction(token))
        if self.token == "(":
            self._next()
            return Call(token, self._inside())
        return Name(self._names.get(token, token))

    def _inside(self) -> tuple[Formula, ...]:
        """What stands in brackets, the first of which was read."""
        with _Deeper(self):
            found = []
            while self.token != ")":
                found.append(self.relation())
                if self.token != ")" and self._next() != ",":
                    raise Unreadable(self.token)
            self._next()
        if not found:
            raise Unreadable("()")
        return tuple(found)


class _Deeper:
    """Counts how deep a reader is."""

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader

    def __enter__(self) -> None:
        self._reader._depth += 1
        if self._reader._depth > DEEPEST:
            raise Unreadable("it is nested too deeply")

    def __exit__(self, *what: object) -> None:
        self._reader._depth -= 1


def product(factors: list[Formula]) -> Formula:
    """A product, its numbers made one and put first."""
    number, others = Fraction(1), []
    for factor in factors:
        for each in factor.factors if isinstance(factor, Product) else (factor,):
            if isinstance(each, Number):
                number *= each.value
            else:
                others.append(each)
    if number == 1 and len(others) == 1:
        return others[0]
    known = [Number(number)] if number != 1 or not others else []
    return Product((*known, *others)) if others else known[0]


def _power(base: Formula, exponent: Formula) -> Formula:
    if isinstance(exponent, Number) and isinstance(base, Number):
        whole = exponent.value.denominator == 1 and abs(exponent.value) <= 64
        if whole and (base.value or exponent.value > 0) and base.value.numerator.bit_length() <= 64:
            return Number(base.value ** int(exponent.value))
    if isinstance(base, Product) and isinstance(exponent, Number) and exponent.value.denominator == 1:
        return product([_power(factor, exponent) for factor in base.factors])
    return Power(base, exponent)


def variables(formula: Formula) -> Iterator[Formula]:
    """The numbers that a formula is made of: names, and calls of what is no function of formulas."""
    match formula:
        case Name(text):
            if text not in ("oo", "True"):
                yield formula
        case Sum(several) | Product(several):
            for each in several:
                yield from variables(each)
        case Power(one, other) | Relation(one, _, other):
            yield from variables(one)
            yield from variables(other)
        case Call("Sum", (term, Call("", (Name(), first, last)) as span)):
            index = span.args[0]
            yield from (each for part in (term, first, last) for each in variables(part) if each != index)
        case Call(function, args):
            if function in FUNCTIONS or not function:
                for arg in args:
                    yield from variables(arg)
            else:
                yield formula


def value(formula: Formula, numbers: Mapping[Formula, float]) -> float:
    """What a formula comes to, about. Raises ArithmeticError or ValueError where it has no value."""
    match formula:
        case Number(exact):
            return float(exact)
        case Name("oo"):
            return math.inf
        case Name():
            return numbers[formula]
        case Sum(terms):
            return math.fsum(value(term, numbers) for term in terms)
        case Product(factors):
            return math.prod(value(factor, numbers) for factor in factors)
        case Power(base, exponent):
            return math.pow(value(base, numbers), value(exponent, numbers))
        case Call("Piecewise", pieces):
            for piece in pieces:
                if isinstance(piece, Call) and len(piece.args) == 2 and _holds_now(piece.args[1], numbers):
                    return value(piece.args[0], numbers)
            raise ValueError("no piece counts")
        case Call("Sum", (term, Call("", (Name() as index, first, last)))):
            low, high = value(first, numbers), value(last, numbers)
            if high - low > _ROUNDS or _adds_up(term):
                raise ValueError("it has too many terms")
            return math.fsum(value(term, {**numbers, index: float(j)}) for j in range(round(low), round(high) + 1))
        case Call(function, args) if function in FUNCTIONS:
            return FUNCTIONS[function](*(value(arg, numbers) for arg in args))
        case Call():
            return numbers[formula]
    raise ValueError("a comparison is not a number")


def _adds_up(formula: Formula) -> bool:
    """Whether there is a sum over an index in a formula."""
    return any(isinstance(part, Call) and part.function == "Sum" for part in parts(formula))


def parts(formula: Formula) -> Iterator[Formula]:
    """A formula and all it is made of."""
    pending = [formula]
    while pending:
        found = pending.pop()
        yield found
        match found:
            case Sum(inside) | Product(inside) | Call(_, inside):
                pending += inside
            case Power(one, other) | Relation(one, _, other):
                pending += (one, other)


def holds(relation: Relation, numbers: Mapping[Formula, float]) -> bool:
    """Whether a comparison holds, about."""
    left, right = value(relation.left, numbers), value(relation.right, numbers)
    match relation.sign:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case "==":
            return math.isclose(left, right)
    return not math.isclose(left, right)


def _holds_now(condition: Formula, numbers: Mapping[Formula, float]) -> bool:
    return condition == Name("True") or (isinstance(condition, Relation) and holds(condition, numbers))


FUNCTIONS: dict[str, Callable[..., float]] = {
    "Abs": abs,
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
    "tanh": math.tanh,
    "ceiling": math.ceil,
    "Max": max,
    "Min": min,
    "Piecewise": max,
    "Sum": max,
}
"""The functions that bounds are made of. The last two have their own rules."""

GROWING = {"sqrt", "log", "exp", "tanh", "ceiling"}
"""Those that grow with their one argument."""
