"""Side conditions: comparisons of symbolic numbers, decided where they can be and shown where they cannot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from dp_lsp.core.algebra import ONE, Apply, Function, Poly, Sign, Symbol
from dp_lsp.core.evaluate import interval, norms_of, symbols_of
from dp_lsp.core.sens import INFINITY, Sens, dominates, magnitude
from dp_lsp.core.values import undigested
from dp_lsp.text import Span

Quantity = Poly | Sens


@undigested(span="who calls a function shows the place of the call")
class Origin(NamedTuple):
    """Where a condition comes from: a place, and what demands it, as a person would say it."""

    span: Span
    reason: str


class Constraint(NamedTuple):
    """``left relation right``. ``relation`` is one of ``<``, ``<=``, ``==`` and ``!=``."""

    left: Quantity
    relation: str
    right: Quantity
    origin: Origin

    def decide(self) -> bool | None:
        """True or False if it holds, or fails, for all values of its symbols; None while that is open."""
        return decide(self.left, self.relation, self.right)

    @property
    def key(self) -> tuple[Quantity, str, Quantity]:
        """What it says, whoever demands it."""
        return self.left, self.relation, self.right


def decide(left: Quantity, relation: str, right: Quantity) -> bool | None:
    """Whether ``left relation right`` holds for all values of its symbols, or for none; None while that is open."""
    decided = _decided(left, relation, right)
    return _by_value(left, relation, right) if decided is None else decided


def _decided(left: Quantity, relation: str, right: Quantity) -> bool | None:
    """By what the terms are, whatever their symbols stand for."""
    if relation == "==":
        return _equal(_poly(left), _poly(right))
    if relation == "!=":
        equal = _equal(_poly(left), _poly(right))
        return None if equal is None else not equal
    if isinstance(left, Sens):
        return _sens_at_most(left, right, relation == "<")
    return _poly_at_most(left, _poly(right), relation == "<")


def _by_value(left: Quantity, relation: str, right: Quantity) -> bool | None:
    """Numbers that hold no symbols, such as roots and logarithms, by bounds of their values."""
    if any(symbols_of(side) or norms_of(side) for side in (left, right)):
        return None
    a, b = interval(left, {}), interval(right, {})
    if a.high is not None and a.high < b.low:
        return relation != "=="
    if b.high is not None and b.high < a.low:
        return relation == "!="
    return None


class Assumptions:
    """What open conditions say of the signs of symbols, used to show ``b`` instead of \\|b\\|."""

    def __init__(self, constraints: Iterable[Constraint] = (), all_nonnegative: bool = False) -> None:
        self._all = all_nonnegative
        self._known: set[Poly] = set()
        positive: list[Poly] = []
        for constraint in constraints:
            low = constraint.left.number if isinstance(constraint.left, Poly) else None
            value = constraint.right
            if constraint.relation in ("<", "<=") and isinstance(value, Poly) and low is not None and low >= 0:
                self._known.add(value)
                if constraint.relation == "<" or low > 0:
                    positive.append(value)
        for product in positive:
            self._known |= self._factor(product)

    def _factor(self, product: Poly) -> set[Poly]:
        """The one factor of a product greater than 0 whose sign is not known: it is greater than 0."""
        monomial, coefficient = product.single or ((), Fraction(0))
        unknown = [(atom, power) for atom, power in monomial if not self._atom_nonnegative(atom)]
        if coefficient <= 0 or len(unknown) != 1 or unknown[0][1] % 2 != 1:
            return set()
        return {Poly.of_atom(unknown[0][0])}

    def nonnegative(self, value: Poly) -> bool:
        """Whether the conditions say that ``value`` is at least 0."""
        if self._all or value in self._known or value.evidently_nonnegative:
            return True
        return all(
            coefficient > 0 and all(self._atom_nonnegative(atom) for atom, _ in monomial)
            for monomial, coefficient in value.terms.items()
        )

    def _atom_nonnegative(self, atom: Symbol | Apply) -> bool:
        return atom.nonnegative or Poly.of_atom(atom) in self._known


def _poly(value: Quantity) -> Poly:
    return value if isinstance(value, Poly) else value.single_poly()


def _equal(left: Poly, right: Poly) -> bool | None:
    difference = left - right
    known = difference.number
    if known is not None:
        return known == 0
    constant = difference.terms.get((), 0)
    apart = _no_negative_term(difference) if constant > 0 else constant < 0 and _no_negative_term(-difference)
    return False if apart else None


def _poly_at_most(left: Poly, right: Poly, strict: bool) -> bool | None:
    difference = right - left
    known = difference.number
    if known is not None:
        return known > 0 if strict else known >= 0
    constant = difference.terms.get((), 0)
    if _no_negative_term(difference) and (constant > 0 or not strict):
        return True
    if _no_negative_term(-difference) and (constant < 0 or strict):
        return False
    return _bounded_by_one(left, right, strict)


def _bounded_by_one(left: Poly, right: Poly, strict: bool) -> bool | None:
    """Comparisons of a symbol that is known to lie strictly between 0 and 1."""
    symbol, limit = left.symbol, right.number
    if symbol is not None and symbol.sign is Sign.PROBABILITY and limit is not None and limit >= 1:
        return True
    return None


def _no_negative_term(value: Poly) -> bool:
    return value.evidently_nonnegative


def _sens_at_most(left: Sens, right: Quantity, strict: bool) -> bool | None:
    limit = magnitude(right) if isinstance(right, Poly) else right
    if limit is INFINITY:
        return True
    if left is INFINITY:
        return False
    signed = isinstance(right, Poly) and not right.evidently_nonnegative
    if isinstance(right, Poly) and right.number is not None and right.number < 0:
        return False
    small, large = [tuple(_at_least(poly)) for poly in left.polys], limit.polys
    if not strict and not signed and all(any(dominates(b, a) for a in most for b in large) for most in small):
        return True
    exceeded = any(all(_exceeds(a, b, strict) for b in large or (Poly({}),)) for a in left.polys)
    return False if exceeded else None


def _exceeds(large: Poly, small: Poly, equality_counts: bool) -> bool:
    """Whether ``large`` is certainly greater than ``small`` (or equal, where equality breaks the condition)."""
    difference = large - small
    if not difference.terms:
        return equality_counts
    return _no_negative_term(difference) and (equality_counts or difference.terms.get((), 0) > 0)


def _at_least(poly: Poly) -> Iterator[Poly]:
    """Numbers that are at least ``poly``, which may be simpler to compare."""
    yield poly
    yield _upper(poly)
    yield _without_denominators(poly)
    for place in (0, 1):
        simpler = _by_atoms(poly, partial(_one_of_two, place))
        if simpler is not poly:
            yield simpler


def _one_of_two(place: int, atom: Symbol | Apply, power: Fraction) -> Poly | None:
    """1/x is at least 1/max(x, y), and so is 1/y."""
    several = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.MAXIMUM and power == -1 else None
    return several.polys[place].inverse() if isinstance(several, Sens) and len(several.polys) == 2 else None


def _upper(poly: Poly) -> Poly:
    """At least ``poly``: max(0, x) is replaced by |x| where it stands in a numerator."""
    return _by_atoms(poly, _upper_atom)


def _without_denominators(poly: Poly) -> Poly:
    """At least ``poly``: a whole number in a denominator is replaced by 1. By a condition of its own it is not 0."""
    return _by_atoms(poly, lambda atom, power: ONE if power < 0 and _is_whole(atom) else _upper_atom(atom, power))


def _by_atoms(poly: Poly, bound: Callable[[Symbol | Apply, Fraction], Poly | None]) -> Poly:
    """The number with something else for some powers of atoms; None stands for the same, as it mostly is."""
    if all(bound(atom, power) is None for monomial in poly.terms for atom, power in monomial):
        return poly
    result = Poly({})
    for monomial, coefficient in poly.terms.items():
        product = Poly.of(coefficient)
        for atom, power in monomial:
            other = bound(atom, power)
            product = product * (Poly({((atom, power),): Fraction(1)}) if other is None else other)
        result = result + product
    return result


def _upper_atom(atom: Symbol | Apply, power: Fraction) -> Poly | None:
    argument = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.PLUS and power == 1 else None
    return magnitude(argument).single_poly() if isinstance(argument, Poly) else None


def _is_whole(atom: Symbol | Apply) -> bool:
    """Whether this is certainly a whole number, at least 0."""
    if isinstance(atom, Symbol):
        return atom.integer and atom.nonnegative
    argument = atom.args[0]
    return atom.function is Function.ABS and isinstance(argument, Poly) and argument.integral
