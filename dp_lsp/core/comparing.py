"""Which of two formulas is larger: proved for all values of their variables, or seen at some."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.core.algebra import Poly, Sign, Symbol, TooLong
from dp_lsp.core.formulas import (
    GROWING,
    INFINITY,
    Call,
    Formula,
    Name,
    Number,
    Power,
    Product,
    Relation,
    Sum,
    holds,
    parts,
    product,
    value,
    variables,
)

_TERMS = 300  # of a polynomial; a longer one is one number by itself
_ALIKE = 12  # terms or factors that are matched with others
_STEPS = 2_000  # comparisons of parts
_TRIALS = 400
_EFFORT = 400_000  # parts of formulas that are evaluated
_POINTS = {
    "share": (1e-9, 1e-5, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999),
    "whole": (1.0, 2.0, 3.0, 10.0, 100.0, 1e4, 1e6),
    "positive": (1e-3, 0.1, 0.5, 1.0, 1.5, 2.0, 7.0, 50.0, 1e3),
    "any": (-50.0, -1.0, -0.1, 0.0, 0.1, 0.5, 1.0, 2.0, 7.0, 50.0),
}
_CLEARLY = 1e-9  # a larger difference is none of rounding
_SIZES = ("length", "rows", "cols")
_COSTS = ("epsilon", "delta")


class Order(StrEnum):
    """What is known of a new number against the old one. ``larger`` and ``mixed`` were seen at some values of the
    variables; ``open`` says that nothing is proved, and that no value was found where it is larger."""

    SAME = "same"
    SMALLER = "smaller"
    LARGER = "larger"
    MIXED = "mixed"
    OPEN = "open"


class Point(NamedTuple):
    """What two formulas come to, about, at some values of their variables, which are given by how they are written."""

    numbers: tuple[tuple[str, float], ...]
    old: float
    new: float


class Verdict(NamedTuple):
    """An order, and where the new number is larger and where it is smaller."""

    order: Order
    above: Point | None = None
    below: Point | None = None


def compare(old: Formula, new: Formula, conditions: Iterable[Relation]) -> Verdict:
    """Compare two formulas where the conditions hold."""
    known = list(conditions)
    proof = _Proof(known)
    no_more, no_less = proof.at_most(new, old), proof.at_most(old, new)
    if no_more:
        return Verdict(Order.SAME if no_less else Order.SMALLER)
    above = below = None
    for point in _points(old, new, known, proof):
        margin = _CLEARLY * max(abs(point.old), abs(point.new), 1e-300) if math.isfinite(point.old) else 0.0
        if point.new > point.old + margin and above is None:
            above = point
        elif point.new < point.old - margin and below is None:
            below = point
        if above and (below or no_less):
            break
    if above:
        return Verdict(Order.MIXED if below else Order.LARGER, above, below)
    return Verdict(Order.LARGER if no_less else Order.OPEN, None, below)


def is_at_most(small: Formula, large: Formula, conditions: Iterable[Relation]) -> bool:
    """Whether a formula is proved to be at most another wherever the conditions hold."""
    return _Proof(conditions).at_most(small, large)


def follows(relation: Relation, known: Iterable[Relation]) -> bool:
    """Whether a condition is one of some that are known, or says no more than one of them."""
    wanted, apart = _side(relation), _apart(relation)
    for each in known:
        if each == relation:
            return True
        had = _side(each)
        if apart and had and apart[0] == had[1]:
            beyond = had[2] > apart[1] if had[0] else had[2] < apart[1]
            if beyond or (had[2] == apart[1] and had[3]):
                return True
        if wanted and had and wanted[:2] == had[:2]:
            tighter = had[2] > wanted[2] if wanted[0] else had[2] < wanted[2]
            if tighter or (had[2] == wanted[2] and (had[3] or not wanted[3])):
                return True
    return False


def _side(relation: Relation) -> tuple[bool, tuple[Formula, ...], Fraction, bool] | None:
    """What a condition says of a product: whether it is a lower bound, of what, which one, and whether it is strict."""
    if relation.sign not in ("<", "<="):
        return None
    for is_low, number, other in ((True, relation.left, relation.right), (False, relation.right, relation.left)):
        coefficient, factors = _coefficient(other)
        if isinstance(number, Number) and factors and coefficient > 0:
            return is_low, factors, number.value / coefficient, relation.sign == "<"
    return None


def _apart(relation: Relation) -> tuple[tuple[Formula, ...], Fraction] | None:
    """What a condition says that a product is not."""
    coefficient, factors = _coefficient(relation.left)
    if relation.sign != "!=" or not (isinstance(relation.right, Number) and factors and coefficient > 0):
        return None
    return factors, relation.right.value / coefficient


def _points(old: Formula, new: Formula, conditions: list[Relation], proof: _Proof) -> Iterator[Point]:
    """What the two come to at values where the conditions hold; always the same ones."""
    own = list(dict.fromkeys((*variables(old), *variables(new))))
    around = [each for each in conditions if set(variables(each)) & set(own)]
    names = list(dict.fromkeys([*own, *(name for each in around for name in variables(each))]))
    chance = random.Random(0)
    size = sum(1 for formula in (old, new, *around) for _ in parts(formula))
    for number in range(min(_TRIALS, 10 + _EFFORT // size)):
        at = {name: chance.choice(_POINTS[proof.nature(name)]) for name in names}
        try:
            if all(holds(each, at) for each in around):
                shown = tuple((written(name), at[name]) for name in own)
                point = Point(shown, value(old, at), value(new, at))
                if point.old >= 0 and point.new >= 0:  # a bound that is negative holds nowhere, and is none
                    yield point
        except (ArithmeticError, ValueError, KeyError, TypeError):
            continue
        if not names and not number:
            return


def written(variable: Formula) -> str:
    """A variable as a report writes it."""
    match variable:
        case Name(text):
            return text
        case Number(exact):
            return str(exact)
        case Call(function, args):
            return f"{function}({', '.join(map(written, args))})"
    return "…"


class _Proof:
    """Proves that one formula is at most another. ``conditions`` say which variables are not negative, and between what
    they lie."""

    def __init__(self, conditions: Iterable[Relation]) -> None:
        self._lows: dict[Formula, Fraction] = {}
        self._highs: dict[Formula, Fraction] = {}
        self._positive: set[Formula] = set()
        self._symbols: dict[Formula, Symbol] = {}
        self._polys: dict[tuple[Formula, bool], Poly] = {}
        self._shifted = False
        self._steps = 0
        relations = list(conditions)
        for each in relations:
            self._learn(each)
        for each in relations * 2:  # what one says may need another
            self._learn_factor(each)

    def nature(self, variable: Formula) -> str:
        """What kind of values a variable has."""
        if self._is_share(variable):
            return "share"
        if isinstance(variable, Call) and variable.function in _SIZES:
            return "whole"
        return "positive" if self._is_nonnegative(variable) else "any"

    def at_most(self, small: Formula, large: Formula) -> bool:
        """Whether it is proved, for all values for which the conditions hold."""
        self._steps += 1
        if small == large or large == INFINITY:
            return True
        if self._steps > _STEPS or small == INFINITY:
            return False
        return self._by_choice(small, large) or self._by_terms(small, large) or self._by_parts(small, large)

    def _by_choice(self, small: Formula, large: Formula) -> bool:
        """Of a maximum, a minimum, and of what has pieces."""
        match small, large:
            case Call("Piecewise", some), Call("Piecewise", others) if _conditions(some) == _conditions(others):
                return all(map(self.at_most, _pieces(some), _pieces(others)))
            case Call("Max", several), _:
                return all(self.at_most(each, large) for each in several)
            case _, Call("Min", several):
                return all(self.at_most(small, each) for each in several)
            case Call("Piecewise", several), _:
                return all(self.at_most(each, large) for each in _pieces(several))
            case _, Call("Piecewise", several):
                return all(self.at_most(small, each) for each in _pieces(several))
            case _, Call("Max", several):
                return any(self.at_most(small, each) for each in several)
            case Call("Min", several), _:
                return any(self.at_most(each, large) for each in several)
        return False

    def _by_terms(self, small: Formula, large: Formula) -> bool:
        """By the signs of the terms of the difference; also where a variable is its lower bound and something more."""
        return self._is_positive(small, large) or (bool(self._lows) and self._is_positive(small, large, shifted=True))

    def _is_positive(self, small: Formula, large: Formula, shifted: bool = False) -> bool:
        self._shifted = shifted
        try:
            return (self._poly(large) - self._poly(small)).evidently_nonnegative
        except (TooLong, ArithmeticError, ValueError):
            return False
        finally:
            self._shifted = False

    def _by_parts(self, small: Formula, large: Formula) -> bool:
        """By parts that are alike, each at most its counterpart."""
        match small, large:
            case Sum(some), Sum(others) if len(some) <= len(others):
                return self._are_at_most(some, others)
            case (Product() | Call("sqrt"), Product() | Call("sqrt")) if _squared(small) and _squared(large):
                return self.at_most(_squared(small) or small, _squared(large) or large)
            case (Product(), _) | (_, Product()):
                (one, some), (other, others) = _coefficient(small), _coefficient(large)
                if not 0 <= one <= other or len(some) != len(others):
                    return False
                return all(map(self._nonnegative, some)) and self._are_at_most(some, others)
            case Power(some, power), Power(others, same) if power == same and isinstance(power, Number):
                ends = (some, others) if power.value > 0 else (others, some)
                return self._nonnegative(ends[0]) and self.at_most(*ends)
            case Call(one, (some,)), Call(other, (others,)) if one == other and one in GROWING:
                return self.at_most(some, others)
        return False

    def _are_at_most(self, some: tuple[Formula, ...], others: tuple[Formula, ...]) -> bool:
        """Whether each is at most one of the others, another one each time, and none of what is left is negative."""
        if len(others) > _ALIKE:
            return False
        left = list(others)
        for each in sorted(some, key=lambda each: each not in others):  # what stands on both sides is not taken away
            match = each if each in left else next((other for other in left if self.at_most(each, other)), None)
            if match is None:
                return False
            left.remove(match)
        return all(map(self._nonnegative, left))

    def _nonnegative(self, formula: Formula) -> bool:
        if self._is_nonnegative(formula):
            return True
        try:
            return self._poly(formula).evidently_nonnegative
        except (TooLong, ArithmeticError, ValueError):
            return False

    def _poly(self, formula: Formula) -> Poly:
        """A formula as a polynomial of its variables, and of parts that are numbers by themselves."""
        key = formula, self._shifted
        known = self._polys.get(key)
        if known is None:
            known = self._polys[key] = self._as_poly(formula)
        return known

    def _as_poly(self, formula: Formula) -> Poly:
        match formula:
            case Number(exact):
                return Poly.of(exact)
            case Sum(terms):
                return self._short(_total(self._poly(term) for term in terms), formula)
            case Product(factors):
                found = Poly.of(1)
                for factor in factors:
                    found = self._short(found * self._poly(factor), formula)
                return found
            case Power(base, Number(exponent)):
                return self._raised(self._poly(base), exponent, formula)
            case Call("sqrt", (inside,)):
                return self._raised(self._poly(inside), Fraction(1, 2), formula)
            case Call("Abs", (inside,)) if self._nonnegative(inside):
                return self._poly(inside)
            case Name("oo"):
                raise ValueError("∞ is not a polynomial")
        return self._variable(formula)

    def _raised(self, base: Poly, exponent: Fraction, formula: Formula) -> Poly:
        single = base.single
        if exponent.denominator == 1 and abs(exponent) <= 8 and (single or exponent > 0):
            found = Poly.of(1)
            for _ in range(abs(int(exponent))):
                found = self._short(found * base, formula)
            return found if exponent > 0 else found.inverse()
        if exponent == Fraction(1, 2) and single and single[1] == 1 and base.evidently_nonnegative:
            return Poly({tuple((atom, power / 2) for atom, power in single[0]): Fraction(1)})
        return self._variable(formula)

    def _short(self, found: Poly, formula: Formula) -> Poly:
        return found if len(found.terms) <= _TERMS else self._variable(formula)

    def _variable(self, formula: Formula) -> Poly:
        low = self._lows.get(formula)
        symbol = self._symbols.get(formula)
        if symbol is None:
            sign = Sign.NONNEGATIVE if self._is_nonnegative(formula) else Sign.REAL
            symbol = self._symbols[formula] = Symbol("v", sign)
        if self._shifted and low is not None and low > 0:
            more = Name(f"{written(formula)} - {low}")  # no text of a formula is a name like this
            rest = self._symbols.setdefault(more, Symbol("v", Sign.NONNEGATIVE))
            return Poly.of(low) + Poly.of(rest)
        return Poly.of(symbol)

    def _is_share(self, variable: Formula) -> bool:
        high = self._highs.get(variable)
        return high is not None and high <= 1 and self._lows.get(variable, Fraction(-1)) >= 0

    def _is_nonnegative(self, formula: Formula) -> bool:
        if self._lows.get(formula, Fraction(-1)) >= 0 or formula in self._positive:
            return True
        match formula:
            case Call(function, _) if function in (*_SIZES, *_COSTS, "Abs", "sqrt", "exp"):
                return True
            case Call("Max", several):
                return any(map(self._nonnegative, several))
            case Call("Min", several):
                return all(map(self._nonnegative, several))
            case Call("Piecewise", several):
                return all(map(self._nonnegative, _pieces(several)))
            case Call("tanh" | "ceiling", (inside,)):
                return self._nonnegative(inside)
            case Call("log", (inside,)):
                return self._is_at_least_one(inside)
            case Call("Sum", (term, *_)):
                return isinstance(term, Power) and self._nonnegative(term.base)
            case Power(base, _):
                return self._nonnegative(base)
            case Sum((Call("exp", (inside,)), Number(less))) if less == -1:
                return self._nonnegative(inside)
        return False

    def _is_at_least_one(self, formula: Formula) -> bool:
        match formula:
            case Sum((Number(first), *others)):
                return first >= 1 and all(map(self._nonnegative, others))
            case Power(base, Number(exponent)) if exponent == -1:
                return self._is_share(base)
            case Product((Number(first), Power(base, Number(exponent)))) if exponent == -1:
                return first >= 1 and self._is_share(base)
        return False

    def _learn(self, relation: Relation) -> None:
        """Between which numbers a variable lies."""
        match relation:
            case Relation(Number(low), "<" | "<=", (Name() | Call()) as variable):
                self._lows[variable] = max(low, self._lows.get(variable, low))
            case Relation((Name() | Call()) as variable, "<" | "<=", Number(high)):
                self._highs[variable] = min(high, self._highs.get(variable, high))

    def _learn_factor(self, relation: Relation) -> None:
        """The one factor of a product greater than 0 of which nothing is known: it is greater than 0."""
        if not (isinstance(relation.left, Number) and relation.left.value >= 0 and relation.sign == "<"):
            return
        number, factors = _coefficient(relation.right)
        bases = [each.base if isinstance(each, Power) else each for each in factors]
        powers = [each.exponent if isinstance(each, Power) else Number(Fraction(1)) for each in factors]
        unknown = [index for index, base in enumerate(bases) if not self._is_known(base)]
        if number > 0 and len(unknown) == 1:
            power, base = powers[unknown[0]], bases[unknown[0]]
            if isinstance(power, Number) and power.value.denominator == 1 and power.value.numerator % 2:
                inner, parts = _coefficient(base)
                left = [part for part in parts if not self._is_known(part)]
                if inner > 0 and len(left) == 1 and isinstance(left[0], Name | Call):
                    self._positive.add(left[0])

    def _is_known(self, base: Formula) -> bool:
        return self._is_nonnegative(base) if isinstance(base, Name | Call) else False


def _squared(formula: Formula) -> Formula | None:
    """The square of a root, or of a number that is not negative times a root."""
    coefficient, factors = _coefficient(formula)
    match factors:
        case (Call("sqrt", (inside,)),) if coefficient >= 0:
            return product([Number(coefficient**2), inside])
    return None


def _coefficient(formula: Formula) -> tuple[Fraction, tuple[Formula, ...]]:
    """The number before a product, and its other factors."""
    match formula:
        case Number(exact):
            return exact, ()
        case Product((Number(exact), *others)):
            return exact, tuple(others)
        case Product(factors):
            return Fraction(1), factors
    return Fraction(1), (formula,)


def _pieces(several: tuple[Formula, ...]) -> list[Formula]:
    return [each.args[0] for each in several if isinstance(each, Call)]


def _conditions(several: tuple[Formula, ...]) -> list[Formula]:
    return [each.args[-1] for each in several if isinstance(each, Call)]


def _total(terms: Iterable[Poly]) -> Poly:
    found = Poly({})
    for term in terms:
        found = found + term
    return found
