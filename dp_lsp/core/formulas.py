"""The reader of formulas: text in SymPy syntax, as reports have it and users write it, to core's own numbers.

Nothing of a text is run, and what a name stands for its reader is told (:class:`Names`). A text may come from anybody,
so its length, its nesting and its numbers have limits. What cannot be read is an :class:`UnreadableFormula`, no
exception.

What is read is equal to what the text says wherever that has a value. ``**`` and logarithms whose signs are not known,
and the like, become symbols of their own.

Which of two numbers of reports is larger is said here, too (:func:`compare`): proved wherever conditions hold, or seen
at some values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import Protocol, TypeVar

from dp_lsp.core import constraints, sens
from dp_lsp.core.algebra import ONE, Apply, Function, Poly, Sign, Symbol, apply
from dp_lsp.core.constraints import Assumptions, Comparison, Quantity, least_rest
from dp_lsp.core.evaluate import Interval, Substitution, interval, is_below, symbols_of
from dp_lsp.core.sens import INFINITY, Sens
from dp_lsp.named import NamedTuple

LONGEST = 50_000  # characters
DEEPEST = 40  # brackets and functions inside each other
_DIGITS = 400  # of a number
_TERMS = 1_000  # of a sum
_EXPONENT = 64  # the largest that is multiplied out

_NAME = re.compile(r"[^\W\d][\w!'′]*")
_TOKEN = re.compile(
    rf"\s*(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{{1,3}})?|{_NAME.pattern}"
    r"|(?:\*\*|<=|>=|==|!=|[-+*/(),<>\[\]]))"
)
_RELATIONS = {"<": "<", "<=": "<=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_NAMED_RELATIONS = {"Eq": "==", "Ne": "!=", "Lt": "<", "Le": "<="}
_OF_SOMETHING = frozenset(("length", "rows", "cols", "epsilon", "delta", "sens"))
"""Numbers that belong to something, such as ``length(v)``: none of them is negative."""


class UnreadableFormula(NamedTuple):
    """A text is no formula: why, in words."""

    reason: str


class _Stop(Exception):
    """The same while a text is read."""


class Names(Protocol):
    """What names in formulas stand for."""

    def number(self, name: str) -> Quantity | UnreadableFormula:
        """What a name stands for, or something like ``length(v)``, which is written without blanks."""
        ...

    def unknown(self, function: str, args: tuple[Quantity, ...], nonnegative: bool) -> Quantity | UnreadableFormula:
        """What stands for a function of numbers that core has no term for; the same one each time."""
        ...

    def is_at_least_one(self, value: Poly) -> bool:
        """Whether a number is known not to be less than 1."""
        ...


Renamed = Mapping[str, str]
"""What some names in a text are called otherwise."""
_AS_THEY_ARE: Renamed = MappingProxyType({})


def read(text: str, names: Names, renamed: Renamed = _AS_THEY_ARE) -> Quantity | UnreadableFormula:
    """The number that a text means: a :class:`Sens` where it is certainly not negative."""
    return _attempt(lambda: _FormulaReader(text, names, renamed).whole())


def read_relations(
    text: str, names: Names, renamed: Renamed = _AS_THEY_ARE
) -> tuple[Comparison, ...] | UnreadableFormula:
    """The comparisons that a condition says: one, or several in a chain (``0 < s < 1``)."""
    return _attempt(lambda: tuple(_FormulaReader(text, names, renamed).chain()))


def with_names(text: str, renamed: Renamed) -> str:
    """A text with other names in it."""
    return _NAME.sub(lambda word: renamed.get(word[0], word[0]), text)


def words(text: str) -> set[str]:
    """The names in a text, those of functions included."""
    return set(_NAME.findall(text))


_Read = TypeVar("_Read")


def _attempt(reading: Callable[[], _Read]) -> _Read | UnreadableFormula:
    try:
        return reading()
    except _Stop as stop:
        return UnreadableFormula(str(stop))
    except ArithmeticError:
        return UnreadableFormula("it is too long")


class _FormulaReader:
    """A descent over the tokens of one text."""

    def __init__(self, text: str, names: Names, renamed: Renamed) -> None:
        if len(text) > LONGEST:
            raise _Stop("it is too long")
        self._names = names
        self._renamed = renamed
        self._tokens = _cut(text.rstrip())
        self._depth = 0
        self._indices: dict[str, Poly] = {}  # of sums
        self._ceilings: dict[Poly, Poly] = {}  # of what may be negative
        self._token = ""
        self._next()

    def whole(self) -> Quantity:
        """The formula that the text is."""
        found = self._sum()
        self._end()
        return found

    def chain(self) -> Iterator[Comparison]:
        """``a < b < c``, or one comparison in words."""
        if self._token in _NAMED_RELATIONS:
            relation = _NAMED_RELATIONS[self._next()]
            self._expect("(")
            left = self._sum()
            self._expect(",")
            yield Comparison(_plain(left), relation, _plain(self._sum()))
            self._expect(")")
        else:
            left = self._sum()
            if self._token not in _RELATIONS:
                raise _Stop("it compares nothing")
            while self._token in _RELATIONS:
                sign = self._next()
                right = self._sum()
                sides = (right, left) if sign.startswith(">") else (left, right)
                yield Comparison(_plain(sides[0]), _RELATIONS[sign], _plain(sides[1]))
                left = right
        self._end()

    def _next(self) -> str:
        """Go on to the next token; the one that was there."""
        was, self._token = self._token, next(self._tokens, "")
        return was

    def _expect(self, token: str) -> None:
        if self._next() != token:
            raise _Stop("a bracket is open" if token == ")" else f"`{token}` is missing")

    def _end(self) -> None:
        if self._token:
            raise _Stop(f"`{self._token}` is not understood")

    def _sum(self) -> Quantity:
        value = self._product()
        while self._token in ("+", "-"):
            sign = self._next()
            term = self._product()
            value = _add(value, term if sign == "+" else _negative(term))
        return value

    def _product(self) -> Quantity:
        value = self._unary()
        while self._token in ("*", "/"):
            sign = self._next()
            factor = self._unary()
            value = _multiply(value, factor if sign == "*" else _inverse(factor))
        return value

    def _unary(self) -> Quantity:
        negative = False
        while self._token in ("-", "+"):
            negative ^= self._next() == "-"
        base = self._atom()
        if self._token == "**":
            self._next()
            self._deeper()
            base = self._power(base, self._unary())
            self._depth -= 1
        return _negative(base) if negative else base

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _Stop("it is nested too deeply")

    def _atom(self) -> Quantity:
        token = self._next()
        if token == "(":
            self._deeper()
            value = self._sum()
            self._expect(")")
            self._depth -= 1
            return value
        if not token:
            raise _Stop("a number is missing")
        if token[0].isdigit() or token[0] == ".":
            return _wrapped(Poly.of(Fraction(token)))
        if not (token[0].isalpha() or token[0] == "_"):
            raise _Stop(f"`{token}` is not understood")
        if self._token == "(":
            return self._call(token)
        return self._indices.get(token) or _told(self._names.number(self._renamed.get(token, token)))

    def _call(self, function: str) -> Quantity:
        if function in _OF_SOMETHING:
            return _told(self._names.number(function + self._subject()))
        if function == "Sum":
            return self._geometric()
        args = self._arguments()
        if function == "Max":
            return self._maximum(args)
        if function not in _OF_ONE or len(args) != 1:
            raise _Stop(f"`{function}` is not understood")
        return _OF_ONE[function](self, args[0])

    def _subject(self) -> str:
        """What stands in the brackets behind ``length``, which is not read."""
        found: list[str] = []
        open_ = 0
        while self._token and len(found) < DEEPEST:
            token = self._next()
            open_ += (token in "([") - (token in ")]")
            found.append(", " if token == "," else self._renamed.get(token, token))
            if not open_:
                return "".join(found)
        raise _Stop("a bracket is open")

    def _arguments(self) -> list[Quantity]:
        self._next()
        self._deeper()
        found = [self._sum()]
        while self._token == ",":
            self._next()
            found.append(self._sum())
        self._expect(")")
        self._depth -= 1
        return found

    def _geometric(self) -> Quantity:
        """``Sum(s**j, (j, 0, k - 1))``, the one sum of reports. The index is known by its name before it is read."""
        self._next()
        self._deeper()
        name, index = "j", Poly.of(Symbol("j", Sign.NONNEGATIVE, integer=True))
        if self._indices:
            raise _Stop("it has sums in sums")
        self._indices[name] = index
        power = self._sum()
        del self._indices[name]
        for token in (",", "(", name, ",", "0", ","):
            self._expect(token)
        count = _plain(_add(self._sum(), _wrapped(ONE)))
        self._expect(")")
        self._expect(")")
        self._depth -= 1
        single = power.polys[0].single if isinstance(power, Sens) and len(power.polys) == 1 else None
        atom = single[0][0][0] if single is not None and single[1] == 1 and len(single[0]) == 1 else None
        if not isinstance(atom, Apply) or atom.function is not Function.POWER or atom.args[1] != index:
            raise _Stop("a sum is not understood")
        base = atom.args[0]
        if not isinstance(base, Sens) or not isinstance(count, Poly) or index.symbol in symbols_of(base):
            raise _Stop("a sum is not understood")
        return Sens((apply(Function.GEOMETRIC, base, count),))

    def _maximum(self, args: list[Quantity]) -> Quantity:
        """The largest of several, of which ``Max(0, x)`` may have an ``x`` of any sign."""
        known = [arg for arg in args if isinstance(arg, Sens)]
        others = [arg for arg in args if isinstance(arg, Poly)]
        if not others:
            return sens.maximum(known)
        if not known:
            return self._unknown("Max", *sorted(others, key=hash), nonnegative=False)
        parts = (
            sens.ceiling(self._ceilings[arg]) if arg in self._ceilings else sens.positive_part(arg) for arg in others
        )
        return sens.maximum((*known, *parts))

    def _power(self, base: Quantity, exponent: Quantity) -> Quantity:
        power = _plain(exponent)
        number = power.number if isinstance(power, Poly) else None
        if number is not None and abs(number) <= _EXPONENT and number.denominator in (1, 2, 4, 8):
            for _ in range(number.denominator.bit_length() - 1):
                base = _root(base)
            whole = reduce(_multiply, [base] * abs(number.numerator), _wrapped(ONE))
            return whole if number > 0 else _inverse(whole)
        if not isinstance(power, Poly):
            raise _Stop("an exponent is not understood")
        nonnegative = isinstance(base, Sens) and not base.infinite
        if (
            isinstance(base, Sens)
            and nonnegative
            and power.evidently_nonnegative
            and (number is None or number.denominator == 1)
        ):
            return _finite(sens.power(base, power))
        return self._unknown("**", base, power, nonnegative=nonnegative)

    def _log(self, value: Quantity) -> Quantity:
        poly = _plain(value)
        if not isinstance(poly, Poly):
            return value
        if (poly - ONE).evidently_nonnegative:
            return _finite(sens.log1p(Sens((poly - ONE,)) if poly != ONE else sens.ZERO))
        if self._names.is_at_least_one(poly):
            return sens.log_inverse(poly.inverse())
        return self._unknown("log", poly)

    def _exp(self, value: Quantity) -> Quantity:
        if isinstance(value, Sens):
            return _add(_wrapped(ONE), _finite(sens.expm1(value)))
        return self._unknown("exp", value, nonnegative=True)

    def _tanh(self, value: Quantity) -> Quantity:
        return sens.tanh(value) if isinstance(value, Sens) else self._unknown("tanh", value)

    def _ceiling(self, value: Quantity) -> Quantity:
        poly = _plain(value)
        if not isinstance(poly, Poly):
            return value
        if poly.evidently_nonnegative:
            return sens.ceiling(poly)
        found = self._unknown("ceiling", poly)
        if isinstance(found, Poly):
            self._ceilings[found] = poly
        return found

    def _unknown(self, function: str, *args: Quantity, nonnegative: bool = False) -> Quantity:
        return _told(self._names.unknown(function, args, nonnegative))


def _magnitude(reader: _FormulaReader, value: Quantity) -> Quantity:
    return sens.magnitude(value) if isinstance(value, Poly) else value


_OF_ONE: dict[str, Callable[[_FormulaReader, Quantity], Quantity]] = {
    "Abs": _magnitude,
    "sqrt": lambda reader, value: _root(value),
    "log": _FormulaReader._log,
    "exp": _FormulaReader._exp,
    "tanh": _FormulaReader._tanh,
    "ceiling": _FormulaReader._ceiling,
}
"""The functions of one number that bounds are made of."""


def _cut(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or len(found[0]) > _DIGITS:
            raise _Stop(f"`{text[at : at + 1]}` is not understood")
        at = found.end()
        yield found[0].strip()


def _told(found: Quantity | UnreadableFormula) -> Quantity:
    if isinstance(found, UnreadableFormula):
        raise _Stop(found.reason)
    return found


def _wrapped(poly: Poly) -> Quantity:
    """A number, as one that is not negative where that is evident."""
    if len(poly.terms) > _TERMS:
        raise _Stop("it is too long")
    if not poly.terms:
        return sens.ZERO
    return Sens((poly,)) if poly.evidently_nonnegative else poly


def _plain(value: Quantity) -> Quantity:
    """A finite number as a polynomial; ∞ as it is."""
    return value if isinstance(value, Poly) or value.infinite else value.single_poly()


def _poly(value: Quantity) -> Poly:
    plain = _plain(value)
    if isinstance(plain, Sens):
        raise _Stop("it computes with ∞")
    return plain


def _finite(value: Sens) -> Sens:
    """What was made of finite numbers. ∞ is what is too long to be written."""
    if value.infinite:
        raise _Stop("it is too long")
    return value


def _are_maxima(*values: Quantity) -> bool:
    """Whether these are maxima, or numbers, that are added and multiplied as such."""
    several = [value for value in values if isinstance(value, Sens) and not value.infinite]
    return len(several) == len(values) and any(len(value.polys) > 1 for value in several)


def _add(one: Quantity, other: Quantity) -> Quantity:
    if isinstance(one, Sens) and isinstance(other, Sens) and _are_maxima(one, other):
        return _finite(one + other)
    return _wrapped(_poly(one) + _poly(other))


def _negative(value: Quantity) -> Quantity:
    return _wrapped(-_poly(value))


def _multiply(one: Quantity, other: Quantity) -> Quantity:
    if isinstance(one, Sens) and isinstance(other, Sens) and _are_maxima(one, other):
        return _finite(one * other)
    return _wrapped(_poly(one) * _poly(other))


def _inverse(value: Quantity) -> Quantity:
    poly = _poly(value)
    if not poly.terms:
        raise _Stop("it divides by 0")
    return _wrapped(poly.inverse())


def _root(value: Quantity) -> Quantity:
    """The square root, which a negative number has none of."""
    if isinstance(value, Sens):
        return _finite(value.root()) if not value.infinite else value
    return sens.magnitude(value).root()


class FormulaScope:
    """What the names in the formulas of reports stand for: symbols, of which as much is known as conditions say.
    ``parameters`` are the names of parameters, so that none of them is taken for ∞."""

    def __init__(self, conditions: Iterable[tuple[str, Renamed]] = (), parameters: Iterable[str] = ()) -> None:
        self._parameters = frozenset(parameters)
        self._symbols: dict[str, Symbol] = {}
        self._unknown: dict[tuple[str, tuple[Quantity, ...]], Symbol] = {}
        self._bounds: dict[Poly, Fraction] = {}
        self._signs: dict[str, Sign] = {}
        self._lows: dict[str, Fraction] = {}
        self._shift = Substitution({})
        texts = list(dict.fromkeys((text, tuple(renamed.items())) for text, renamed in conditions))
        self._learn(list(self._compared(texts)))
        self._symbols, self._unknown = {}, {}
        self.conditions = tuple(self._compared(texts))
        """What holds, as far as it is understood."""
        self._bounds = {}
        for each in self.conditions:
            self._note(each)
        rest = {name: Symbol(f"{name} - {low}", Sign.NONNEGATIVE) for name, low in self._lows.items()}
        self._shift = Substitution(
            {self._symbols[name]: Poly.of(self._lows[name]) + Poly.of(more) for name, more in rest.items()}
        )

    def read(self, text: str, renamed: Renamed = _AS_THEY_ARE) -> Quantity | UnreadableFormula:
        """The number that a text means here."""
        return read(text, self, renamed)

    def read_relations(self, text: str, renamed: Renamed = _AS_THEY_ARE) -> tuple[Comparison, ...] | UnreadableFormula:
        """The comparisons that a text means here."""
        return read_relations(text, self, renamed)

    def shifted(self, value: Quantity) -> Quantity:
        """A number with the least value, and what is more of it, in place of each symbol that has a positive one."""
        return self._shift.sens(value) if isinstance(value, Sens) else self._shift.poly(value)

    @property
    def has_lows(self) -> bool:
        """Whether anything has a least value above 0."""
        return not self._shift.idle

    def is_whole(self, symbol: Symbol) -> bool:
        """Whether a symbol is a size."""
        return symbol.name.startswith(("length(", "rows(", "cols("))

    def is_made_up(self, symbol: Symbol) -> bool:
        """Whether a symbol stands for a function that core has no term for."""
        return symbol in self._unknown.values()

    # What the reader asks

    def number(self, name: str) -> Quantity | UnreadableFormula:
        if name == "oo":
            return UnreadableFormula("`oo` is a parameter") if name in self._parameters else INFINITY
        symbol = self._symbols.get(name)
        if symbol is None:
            sign = Sign.NONNEGATIVE if name.endswith(")") else self._signs.get(name, Sign.REAL)
            symbol = self._symbols[name] = Symbol(name, sign)
        return _wrapped(Poly.of(symbol))

    def unknown(self, function: str, args: tuple[Quantity, ...], nonnegative: bool) -> Quantity:
        symbol = self._unknown.get((function, args))
        if symbol is None:
            symbol = Symbol(function, Sign.NONNEGATIVE if nonnegative else Sign.REAL)
            self._unknown[function, args] = symbol
        return _wrapped(Poly.of(symbol))

    def is_at_least_one(self, value: Poly) -> bool:
        rest = least_rest(Comparison(ONE, "<=", value))
        if rest is not None and self._bounds.get(rest.value, rest.least - 1) >= rest.least:
            return True
        value = self._shift.poly(value)
        return value.evidently_nonnegative and any(
            coefficient >= 1 and all(_is_inverse_share(atom, power) for atom, power in monomial)
            for monomial, coefficient in value.terms.items()
        )

    def _compared(self, texts: Iterable[tuple[str, tuple[tuple[str, str], ...]]]) -> Iterator[Comparison]:
        for text, renamed in texts:
            found = self.read_relations(text, dict(renamed))
            if not isinstance(found, UnreadableFormula):
                yield from found

    def _note(self, comparison: Comparison) -> None:
        rest = least_rest(comparison)
        if rest is not None:
            self._bounds[rest.value] = max(rest.least, self._bounds.get(rest.value, rest.least))

    def _learn(self, comparisons: list[Comparison]) -> None:
        """What is known of single symbols: their signs, and how small they may be."""
        for each in comparisons:
            self._note(each)
        assumed = Assumptions(comparisons)
        for name, symbol in self._symbols.items():
            value = Poly.of(symbol)
            low, high = self._bounds.get(value), self._bounds.get(-value)
            if low is not None and low > 0:
                self._lows[name] = low
            if low is not None and low >= 0 and high is not None and high >= -1:
                self._signs[name] = Sign.PROBABILITY
            elif (low is not None and low >= 0) or assumed.nonnegative(value):
                self._signs[name] = Sign.NONNEGATIVE


def _is_inverse_share(atom: Symbol | Apply, power: Fraction) -> bool:
    return isinstance(atom, Symbol) and atom.sign is Sign.PROBABILITY and power < 0


# Which of two numbers of reports is larger: proved wherever conditions hold, or seen at some values.

_TRIALS = 100
_EFFORT = 20_000  # parts of numbers that are evaluated
_SHARES = ("1e-9", "1e-5", "0.01", "0.1", "0.3", "0.5", "0.9", "0.999")
_SIZES = ("1", "2", "3", "10", "100", "1e4", "1e6")
_POSITIVE = ("1e-3", "0.1", "0.5", "1", "1.5", "2", "7", "50", "1e3")
_ANY = ("-50", "-1", "-0.1", "0", "0.1", "0.5", "1", "2", "7", "50")


class Order(StrEnum):
    """What is known of a new number against the old one. ``larger`` and ``mixed`` were seen at some values of the
    symbols, or ``larger`` is proved; ``open`` says that nothing is proved, and that no value was found where it is
    larger."""

    SAME = "same"
    SMALLER = "smaller"
    LARGER = "larger"
    MIXED = "mixed"
    OPEN = "open"


class SamplePoint(NamedTuple):
    """What two numbers come to, about, for some values of their symbols."""

    numbers: tuple[tuple[str, float], ...]
    old: float
    new: float


class ComparedNumbers(NamedTuple):
    """An order, and where the new number is larger and where it is smaller."""

    order: Order
    above: SamplePoint | None = None
    below: SamplePoint | None = None


Least = Sequence[Quantity]
"""Numbers of which the least one counts."""


def compare(old: Least, new: Least, scope: FormulaScope) -> ComparedNumbers:
    """Compare two numbers where the conditions of a scope hold."""
    no_more, no_less = _is_at_most(new, old, scope), _is_at_most(old, new, scope)
    if no_more:
        return ComparedNumbers(Order.SAME if no_less else Order.SMALLER)
    above = below = None
    shown = _symbols((*old, *new))
    for where, before, after in _values(old, new, scope):
        if above is None and is_below(before, after):
            above = _point(before, after, where, shown)
        elif below is None and is_below(after, before):
            below = _point(before, after, where, shown)
        if above and (below or no_less):
            break
    if above:
        return ComparedNumbers(Order.MIXED if below else Order.LARGER, above, below)
    return ComparedNumbers(Order.LARGER if no_less else Order.OPEN, None, below)


def _is_at_most(some: Least, others: Least, scope: FormulaScope) -> bool:
    return all(any(is_at_most(small, large, scope) for small in some) for large in others)


def is_at_most(small: Quantity, large: Quantity, scope: FormulaScope) -> bool:
    """Whether a number is proved to be at most another wherever the conditions of a scope hold."""
    if constraints.is_at_most(small, large):
        return True
    return scope.has_lows and constraints.is_at_most(scope.shifted(small), scope.shifted(large))


def _values(old: Least, new: Least, scope: FormulaScope) -> Iterator[tuple[dict[Symbol, Fraction], Interval, Interval]]:
    """What two numbers come to where the conditions hold, and neither is negative; always at the same places."""
    own = _symbols((*old, *new))
    around = [each for each in scope.conditions if own & _symbols((each.left, each.right))]
    sides = [*old, *new, *(side for each in around for side in (each.left, each.right))]
    symbols = _symbols(sides)
    if any(map(scope.is_made_up, symbols)):
        return
    listed = sorted(symbols, key=lambda symbol: symbol.name)
    from random import Random  # hardly any run looks at values

    chance = Random(0)
    size = 1 + sum(side.size for side in sides)
    for _ in range(min(_TRIALS, 10 + _EFFORT // size) if listed else 1):
        at = {symbol: Fraction(chance.choice(_choices(symbol, scope))) for symbol in listed}
        if all(_holds(each, at) for each in around):
            before, after = _least(old, at), _least(new, at)
            if all(each.low is not None and each.low >= 0 for each in (before, after)):
                yield at, before, after


def _symbols(numbers: Iterable[Quantity]) -> set[Symbol]:
    return {symbol for number in numbers for symbol in symbols_of(number)}


def _least(several: Least, at: dict[Symbol, Fraction]) -> Interval:
    found = [interval(each, at) for each in several]
    lows = [each.low for each in found if each.low is not None]
    highs = [each.high for each in found if each.high is not None]
    return Interval(min(lows) if len(lows) == len(found) else None, min(highs, default=None))


def _choices(symbol: Symbol, scope: FormulaScope) -> tuple[str, ...]:
    if symbol.sign is Sign.PROBABILITY:
        return _SHARES
    if scope.is_whole(symbol):
        return _SIZES
    return _POSITIVE if symbol.nonnegative else _ANY


def _holds(comparison: Comparison, at: dict[Symbol, Fraction]) -> bool:
    """Whether a comparison holds for these numbers, as far as it is told apart."""
    left, right = interval(comparison.left, at), interval(comparison.right, at)
    apart = is_below(left, right) or is_below(right, left)
    if comparison.relation in ("==", "!="):
        return apart is (comparison.relation == "!=")
    return not is_below(right, left) and (apart or comparison.relation == "<=")


def _point(old: Interval, new: Interval, where: dict[Symbol, Fraction], shown: set[Symbol]) -> SamplePoint:
    numbers = tuple((symbol.name, float(number)) for symbol, number in where.items() if symbol in shown)
    return SamplePoint(numbers, *(math.inf if each.high is None else _float(each.high) for each in (old, new)))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
