"""Whether a condition fails as data grow.

Of two numbers the one whose largest power of a size is larger is the larger one from some size on, whatever the other
symbols stand for. So of a difference it is enough to find a term that is certainly positive and grows faster than all
that may be negative. What is not known to grow so, or not to, leaves the question open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction

from dp_lsp.core.algebra import Apply, Atom, Function, Monomial, Poly, Sign, Symbol
from dp_lsp.core.constraints import Comparison, Quantity
from dp_lsp.core.evaluate import symbols_of
from dp_lsp.core.sens import Sens

_ALIKE = frozenset((Function.MAXIMUM, Function.CEILING, Function.PLUS, Function.ABS))
"""Functions of a number that is positive from some size on which are as large as it, or at most 1 larger."""
_SLOWLY = Fraction(1, 1_000_000)
"""A power that outgrows all logarithms."""


def fails_as(sizes: Collection[Symbol], comparison: Comparison, positive: Collection[Symbol]) -> Symbol | None:
    """The size with which a comparison fails from some number on, whatever its other symbols are, those that are
    ``positive`` more than 0; None if there is none, or several sizes are compared. Sizes that must be equal to a number
    are among them; those that must be equal to a public one are not."""
    spoken = {symbol for side in comparison[::2] for symbol in symbols_of(side)}
    found = spoken.intersection(sizes)
    if comparison.relation == "!=" or len(found) != 1:
        return None
    (size,) = found
    if comparison.relation == "==":
        # A public number may be chosen to be the size.
        return size if spoken == found and _parts(comparison, size) else None
    growth = _Growth(size, positive)
    fails = any(
        all(growth.least(large - small) is not None for small in _polys(comparison.right))
        for large in _polys(comparison.left)
    )
    return size if fails and not _is_infinite(comparison.right) else None


def _parts(comparison: Comparison, size: Symbol) -> bool:
    """Whether two numbers that are made of one size alone are further apart the larger it is."""
    left, right = comparison.left, comparison.right
    if not (isinstance(left, Poly) and isinstance(right, Poly)):
        return False
    growth = _Growth(size, (size,))
    powers = (growth.least(left - right), growth.least(right - left))
    return any(power is not None and power > 0 for power in powers)


def _is_infinite(side: Quantity) -> bool:
    return isinstance(side, Sens) and side.infinite


def _polys(side: Quantity) -> tuple[Poly, ...]:
    """The numbers of which a side is the largest."""
    return (side,) if isinstance(side, Poly) else side.polys or (Poly({}),)


class _Growth:
    """Powers of one size, by which numbers grow at least and at most."""

    def __init__(self, size: Symbol, positive: Collection[Symbol]) -> None:
        self._size = size
        self._positive = positive

    def least(self, number: Poly) -> Fraction | None:
        """The power by which a number grows at least that is certainly positive from some size on; None if that is not
        known."""
        certain = [self._certain(monomial) if factor > 0 else None for monomial, factor in number.terms.items()]
        best = max((power for power in certain if power is not None), default=None)
        if best is None:
            return None
        for monomial, power in zip(number.terms, certain, strict=True):
            most = self._most_of(monomial) if power is None else None
            if power is None and (most is None or most >= best):
                return None
        return best

    def most(self, number: Poly) -> Fraction | None:
        """The power by which the magnitude of a number grows at most; None if there is none."""
        found = [self._most_of(monomial) for monomial in number.terms]
        known = [power for power in found if power is not None]
        return max(known, default=Fraction(0)) if len(known) == len(found) else None

    def _certain(self, monomial: Monomial) -> Fraction | None:
        """The least power of a product of factors that are all positive."""
        total = Fraction(0)
        for atom, power in monomial:
            found = self._least_atom(atom) if power > 0 else self._most_positive(atom)
            if found is None:
                return None
            total += power * found
        return total

    def _most_of(self, monomial: Monomial) -> Fraction | None:
        total = Fraction(0)
        for atom, power in monomial:
            found = self._most_atom(atom) if power > 0 else self._least_atom(atom)
            if found is None and power < 0 and not self._speaks(atom):
                found = Fraction(0)  # one number, whatever it is
            if found is None:
                return None
            total += power * found
        return total

    def _most_positive(self, atom: Atom) -> Fraction | None:
        """The most that a factor grows by which is positive."""
        return None if self._least_atom(atom) is None else self._most_atom(atom)

    def _speaks(self, atom: Atom) -> bool:
        """Whether an atom depends on the size."""
        if isinstance(atom, Symbol):
            return atom is self._size
        return any(self._size in symbols_of(arg) for arg in _numbers(atom))

    def _least_atom(self, atom: Atom) -> Fraction | None:
        if isinstance(atom, Symbol):
            if atom is self._size:
                return Fraction(1)
            return Fraction(0) if atom in self._positive or atom.sign is Sign.PROBABILITY else None
        (argument, *others) = _numbers(atom) or (None,)
        if argument is None or others:
            return None
        powers = [power for power in map(self.least, _polys(argument)) if power is not None]
        if not powers:
            return None
        inner = max(powers)
        if atom.function is Function.INVERSE:
            most = self.most(argument) if isinstance(argument, Poly) else None
            return None if most is None else -most
        if atom.function is Function.ROOT:
            return inner / 2
        return inner if atom.function in _ALIKE else None

    def _most_atom(self, atom: Atom) -> Fraction | None:
        if isinstance(atom, Symbol):
            return Fraction(atom is self._size)
        if not self._speaks(atom):
            return Fraction(0)
        (argument, *others) = _numbers(atom) or (None,)
        if argument is None or others:
            return None
        if atom.function is Function.INVERSE:
            least = self.least(argument) if isinstance(argument, Poly) else None
            return None if least is None else -least
        powers = [self.most(poly) for poly in _polys(argument)]
        known = [power for power in powers if power is not None]
        return self._applied(atom.function, max(known)) if len(known) == len(powers) else None

    @staticmethod
    def _applied(function: Function, power: Fraction) -> Fraction | None:
        """How a function of a number grows that grows by a power at most."""
        if function is Function.ROOT:
            return power / 2
        if function is Function.LOG1P:
            return min(power, _SLOWLY) if power <= 0 else _SLOWLY
        if function is Function.TANH:
            return min(power, Fraction(0))
        if function is Function.CEILING:
            return max(power, Fraction(0))
        if function is Function.EXPM1 and power <= 0:
            return power
        return power if function in _ALIKE else None


def _numbers(atom: Apply) -> list[Poly | Sens]:
    """What a function is applied to, where that is a number."""
    return [arg for arg in atom.args if isinstance(arg, Poly | Sens)]


def positive(needs: Iterable[Comparison]) -> Iterator[Symbol]:
    """The symbols of which some comparisons say that they are more than 0."""
    for left, relation, right in needs:
        low, only = left.number, _only(right)
        if only is not None and low is not None and (low > 0 or (low == 0 and relation == "<")):
            yield only


def _only(side: Quantity) -> Symbol | None:
    """The symbol that a number is, if it is one."""
    polys = _polys(side)
    symbols = symbols_of(side)
    if len(symbols) != 1 or polys != (Poly.of(*symbols),):
        return None
    return symbols.pop()
