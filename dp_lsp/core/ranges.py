"""Between which ends a formula lies, where some of its symbols may be any number between theirs.

A public number that is not the same in every run, round or call has a symbol, with the ends between which it lies
(:class:`~dp_lsp.core.algebra.Computed`). A formula about such numbers is put between ends in which none of them stands:
term by term, and in a product factor by factor, as the arithmetic of intervals does (Moore 1966, "Interval Analysis").
What stands in several factors or terms counts as if it could be another number in each, so the ends may lie further out
than they would have to, and never further in. What cancels has cancelled before: a ratio of a number and itself is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from dp_lsp.core import sens
from dp_lsp.core.algebra import ONE, ZERO, Apply, Atom, Function, Monomial, NormVariable, Poly, Symbol
from dp_lsp.core.constraints import Constraint, decide
from dp_lsp.core.evaluate import speaks_of
from dp_lsp.core.metrics import by_norm
from dp_lsp.core.sens import INFINITY, Sens, magnitude
from dp_lsp.named import NamedTuple

Which = Callable[[Symbol], bool]
"""The symbols that may be any number between their ends."""


class Ends(NamedTuple):
    """The ends between which a number lies; None where there is none."""

    low: Poly | None
    high: Poly | None


ANYWHERE = Ends(None, None)


def varies(symbol: Symbol) -> bool:
    """The symbols of which each stands for several numbers."""
    return symbol.varies


def is_computed(symbol: Symbol) -> bool:
    """The symbols of numbers that a program computes."""
    return symbol.computed is not None


def may_be_nan(symbol: Symbol) -> bool:
    """The symbols of numbers that a program computes and that may be no numbers."""
    return symbol.computed is not None and not symbol.computed.real


def supremum(value: Sens, which: Which = varies) -> Sens:
    """The largest that a distance, a factor or a price can be; ∞ where nothing bounds it."""
    if value.infinite or not speaks_of(value, which):
        return value
    found = sens.ZERO
    for poly in value.polys:
        high = ends(poly, which).high
        if high is None:
            return INFINITY
        found = found.at_least(sens.positive_part(high))
    return found


def ends(value: Poly, which: Which = varies) -> Ends:
    """Between which ends a number lies."""
    if not speaks_of(value, which):
        return Ends(value, value)
    parts = {monomial: _of_product(monomial, factor, which) for monomial, factor in value.terms.items()}
    if not any(_is_plus(monomial) for monomial in parts):
        return Ends(_sum(part.low for part in parts.values()), _sum(part.high for part in parts.values()))
    low = _least(value, {monomial: part.low for monomial, part in parts.items()}, which)
    below = _least(-value, {monomial: _negative(part.high) for monomial, part in parts.items()}, which)
    return Ends(low, _negative(below))


def _least(value: Poly, lows: dict[Monomial, Poly | None], which: Which) -> Poly | None:
    """The low end of a sum, of those of its terms. A term max(0, x) is at least x, which may cancel with others: so
    a + max(0, b - a), the larger of two numbers, is at least b."""
    terms = dict(value.terms)
    for monomial, factor in value.terms.items():
        inner = _inside_plus(monomial, which) if factor > 0 else None
        if inner is None:
            continue
        instead = Poly.of(factor) * inner
        before = {each: terms[each] for each in (monomial, *instead.terms) if each in terms}
        after = Poly(before) - Poly({monomial: factor}) + instead
        found = {each: _of_product(each, times, which).low for each, times in after.terms.items()}
        if _is_tighter(_sum(found.values()), _sum(lows[each] for each in before)):
            for each in before:
                del terms[each], lows[each]
            terms.update(after.terms)
            lows.update(found)
    return _sum(lows.values())


def _is_plus(monomial: Monomial) -> bool:
    """Whether a product is max(0, x) and nothing else."""
    atom, power = monomial[0] if len(monomial) == 1 else (None, 0)
    return power == 1 and isinstance(atom, Apply) and atom.function is Function.PLUS


def _inside_plus(monomial: Monomial, which: Which) -> Poly | None:
    """x, if a product is max(0, x) and nothing else, where x is made of symbols that may be any number."""
    if not _is_plus(monomial):
        return None
    atom = monomial[0][0]
    inner = atom.args[0] if isinstance(atom, Apply) else None
    assert isinstance(inner, Poly), "it is max(0, x) of a number"
    inside = (each for product in inner.terms for each, _ in product)
    plain = all(isinstance(each, Symbol) or not _is_within(each, which) for each in inside)
    return inner if plain and speaks_of(inner, which) else None


def _is_tighter(low: Poly | None, other: Poly | None) -> bool:
    """Whether a low end is above another one, or the shorter one if nobody can tell."""
    if low is None or other is None:
        return low is not None
    decided = decide(other, "<=", low)
    return decided is True or (decided is None and len(low.terms) < len(other.terms))


def _sum(lows: Iterable[Poly | None]) -> Poly | None:
    found = ZERO
    for low in lows:
        if low is None:
            return None
        found = found + low
    return found


def _negative(end: Poly | None) -> Poly | None:
    return None if end is None else -end


def _of_product(monomial: Monomial, factor: Fraction, which: Which) -> Ends:
    product, rest = Ends(ONE, ONE), list[tuple[Atom, Fraction]]()
    for atom, power in monomial:
        if _is_within(atom, which):
            product = _times(product, _raised(_of_atom(atom, which), power))
        else:
            rest.append((atom, power))
    return _scaled(product, Poly({tuple(rest): factor}))


def _is_within(atom: Atom, which: Which) -> bool:
    """Whether an atom is one of these symbols, or made of one."""
    return which(atom) if isinstance(atom, Symbol) else speaks_of(Poly.of_atom(atom), which)


def ratio(value: Sens, unit: Poly) -> Sens:
    """A distance counted in another one. Of a product times a sum and the same sum the product is left."""
    if value.infinite or unit == ONE:
        return value
    parts = (_product_left(poly, unit) or Sens((poly,)) * Sens((unit.inverse(),)) for poly in value.polys)
    return sens.maximum(parts)


def is_too_far(moved: Sens, declared: Sens) -> bool:
    """Whether something certainly moves further than noise is made for, or more than once as far: noise that is made
    for nothing hides nothing."""
    decided = decide(moved, "<=", declared)
    if decided is not None or declared.zero or len(declared.polys) != 1:
        return decided is False
    return decide(ratio(moved, declared.single_poly()), "<=", sens.ONE) is False


def _product_left(value: Poly, unit: Poly) -> Sens | None:
    if len(unit.terms) == 1:
        return None
    first, other = next(iter(value.terms.items()), None), next(iter(unit.terms.items()), None)
    if first is None or other is None:
        return None
    left = Poly(dict([first])) * Poly(dict([other])).inverse()
    return Sens((left,)) if left.evidently_nonnegative and left * unit == value else None


def at_worst(condition: Constraint, which: Which = varies) -> Constraint | None:
    """A condition that holds only if this one does, whichever numbers these symbols are, and in which none of them
    stands; None where there is none."""
    left, relation, right = condition[:3]
    if isinstance(left, Poly) and isinstance(right, Poly):
        condition = _without_sign(condition, right, which) if left == ZERO else condition
        right = condition.right
        assert isinstance(right, Poly), "it stays a number"
        between = ends(right - left, which)
        if relation in ("<", "<=") and between.low is not None:
            most, least = ends(left, which).high, ends(right, which).low
            if most is not None and least is not None and least - most == between.low:
                return condition._replace(left=most, right=least)
            return condition._replace(left=ZERO, right=between.low)
        if relation == "!=":
            above, below = between.low is not None and decide(ZERO, "<", between.low), between.high
            apart = above or (below is not None and decide(below, "<", ZERO))
            return condition._replace(left=ZERO, relation="<", right=ONE) if apart else None
        return None
    return _sizes_at_worst(condition, which) if relation in ("<", "<=") else None


def _without_sign(condition: Constraint, value: Poly, which: Which) -> Constraint:
    """0 < x·y as 0 < y or 0 < -y, where it is known on which side of 0 the x lies that is made of these symbols."""
    monomial, factor = value.single or ((), Fraction(1))
    varying = [(atom, power) for atom, power in monomial if speaks_of(Poly.of_atom(atom), which)]
    if not varying or condition.relation not in ("<", "<="):
        return condition
    low, high = _with_sign(varying, which)
    rest = Poly({tuple(each for each in monomial if each not in varying): factor})
    if low is not None and decide(ZERO, condition.relation, low):
        return condition._replace(right=rest)
    if high is not None and decide(high, condition.relation, ZERO):
        return condition._replace(right=-rest)
    return condition


def _with_sign(product: list[tuple[Atom, Fraction]], which: Which) -> Ends:
    """The ends of a number on the same side of 0 as a product: 1/x lies where x does, if x is not 0. It must stay away
    from 0, too, so x has both ends."""
    found = Ends(ONE, ONE)
    for atom, power in product:
        base, divides = _divisor(atom) if isinstance(atom, Apply) and power == 1 else (None, power < 0)
        inner = _of_atom(atom, which) if base is None else ends(base, which)
        if divides and not _is_apart(inner):
            return ANYWHERE
        found = _times(found, _raised(inner, abs(power)))
    return found


def _divisor(atom: Apply) -> tuple[Poly | None, bool]:
    """x, if an atom is 1/x, and whether it is."""
    inner = atom.args[0] if atom.function is Function.INVERSE else None
    return (inner, True) if isinstance(inner, Poly) else (None, False)


def _is_apart(between: Ends) -> bool:
    """Whether a number is never 0, and neither is 1 divided by it, however close that comes."""
    low, high = between
    return low is not None and high is not None and bool(decide(ZERO, "<", low) or decide(high, "<", ZERO))


def _sizes_at_worst(condition: Constraint, which: Which) -> Constraint | None:
    """Of distances, by their ratio where that is one product, else by the ends of each."""
    left, right = condition.left, condition.right
    limit = right.single_poly() if isinstance(right, Sens) and not right.infinite else right
    moved = left if isinstance(left, Sens) else magnitude(left)
    if isinstance(limit, Poly) and limit.terms and limit.evidently_nonnegative:
        most = supremum(ratio(moved, limit), which)
        if not most.infinite:
            return condition._replace(left=most, right=sens.ONE)
    most, least = supremum(moved, which), ends(limit, which).low if isinstance(limit, Poly) else None
    return None if most.infinite or least is None else condition._replace(left=most, right=least)


def _scaled(between: Ends, factor: Poly) -> Ends:
    """A number between ends, times one of which it is known which they are."""
    low, high = between
    if low is not None and low == high:
        known = low * factor
        return Ends(known, known)
    if factor.evidently_nonnegative:
        return Ends(None if low is None else low * factor, None if high is None else high * factor)
    if factor.evidently_nonpositive:
        return Ends(None if high is None else high * factor, None if low is None else low * factor)
    return ANYWHERE


def _times(one: Ends, other: Ends) -> Ends:
    if one == Ends(ONE, ONE):
        return other
    if _is_at_least(one.low) and _is_at_least(other.low) and one.low is not None and other.low is not None:
        high = None if one.high is None or other.high is None else one.high * other.high
        return Ends(one.low * other.low, high)
    numbers = [None if end is None else end.number for end in (*one, *other)]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return ANYWHERE
    corners = [a * b for a in known[:2] for b in known[2:]]
    return Ends(Poly.of(min(corners)), Poly.of(max(corners)))


def _raised(base: Ends, power: Fraction) -> Ends:
    """A power of a number. One below 0 of what may be 0 has no ends, and neither has a root of what may be below."""
    if power == 1:
        return base
    if power < 0:
        return _inverted(_raised(base, -power))
    if power % 2 == 0:
        base = _size(base)
    if not _is_at_least(base.low):
        return Ends(ZERO, None) if power.denominator > 1 else ANYWHERE
    if power.denominator > 1:
        roots = [None if end is None else magnitude(end).root().single_poly() for end in base]
        return _raised(Ends(*roots), power * 2) if power.denominator % 2 == 0 else Ends(ZERO, None)
    product = base
    for _ in range(power.numerator - 1):
        product = _times(product, base)
    return product


def _inverted(value: Ends) -> Ends:
    low, high = value
    if low is not None and decide(ZERO, "<", low):
        return Ends(ZERO if high is None else high.inverse(), low.inverse())
    if high is not None and decide(high, "<", ZERO):
        return Ends(high.inverse(), ZERO if low is None else low.inverse())
    return ANYWHERE


def _of_atom(atom: Atom, which: Which) -> Ends:
    if isinstance(atom, Symbol):
        assert atom.computed is not None, "who calls a function chooses numbers without ends"
        low, high = atom.computed.low, atom.computed.high
        return Ends(None if low is None else ends(low, which).low, None if high is None else ends(high, which).high)
    first = atom.args[0]
    if isinstance(first, Poly):
        return _of_number(atom, ends(first, which), which)
    return _of_size(atom, which)


def _of_number(atom: Apply, inner: Ends, which: Which) -> Ends:
    """A function of a number of any sign."""
    low, high = inner
    match atom.function:
        case Function.INVERSE:
            return _inverted(inner)
        case Function.ABS:
            return _size(inner)
        case Function.PLUS | Function.CEILING:
            grown = sens.positive_part if atom.function is Function.PLUS else sens.ceiling
            least = ZERO if low is None else grown(low).single_poly()
            return Ends(least, None if high is None else grown(high).single_poly())
        case Function.LOG_INVERSE if low is not None and decide(ZERO, "<", low):
            share = high is not None and decide(high, "<=", ONE)
            least = sens.log_inverse(high).single_poly() if high is not None and share else ZERO
            return Ends(least, sens.log_inverse(low).single_poly())
    return Ends(ZERO, None)


def _size(inner: Ends) -> Ends:
    low, high = inner
    if _is_at_least(low):
        return inner
    if high is not None and decide(high, "<=", ZERO):
        return Ends(-high, None if low is None else -low)
    if low is None or high is None:
        return Ends(ZERO, None)
    return Ends(ZERO, magnitude(low).at_least(magnitude(high)).single_poly())


_GROWING: dict[Function, Callable[[Sens], Sens]] = {
    Function.MAXIMUM: lambda value: value,
    Function.ROOT: Sens.root,
    Function.LOG1P: sens.log1p,
    Function.EXPM1: sens.expm1,
    Function.TANH: sens.tanh,
}


def _infimum(value: Sens, which: Which) -> Sens:
    """The smallest that a number that is not negative can be."""
    found = sens.ZERO
    for low in (ends(poly, which).low for poly in value.polys):
        found = found if low is None else found.at_least(sens.positive_part(low))
    return found


def _of_size(atom: Apply, which: Which) -> Ends:
    """A function that grows with numbers that are not negative."""
    sizes = [supremum(arg, which) for arg in atom.args if isinstance(arg, Sens)]
    first = atom.args[0]
    if atom.function in _GROWING and isinstance(first, Sens):
        grows = _GROWING[atom.function]
        most, least = grows(sizes[0]), grows(_infimum(first, which))
        return Ends(least.single_poly(), None if most.infinite else most.single_poly())
    if any(size.infinite for size in sizes):
        return Ends(ZERO, None)
    match atom.function, atom.args:
        case (Function.POWER | Function.GEOMETRIC) as function, (_, Poly() as times):
            count = ends(times, which).high
            if count is None:
                return Ends(ZERO, None)
            grown = sens.power if function is Function.POWER else sens.geometric
            most = grown(sizes[0].at_least(sens.ONE), count)
        case Function.BY_NORM, (NormVariable() as norm, *_):
            most = by_norm(norm, *sizes)
        case _:
            return Ends(ZERO, None)
    return Ends(ZERO, None if most.infinite else most.single_poly())


def _is_at_least(low: Poly | None) -> bool:
    """Whether an end is there, and not below 0."""
    return low is not None and decide(ZERO, "<=", low) is True
