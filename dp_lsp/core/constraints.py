"""Side conditions: comparisons of symbolic numbers, decided where they can be and shown where they cannot; the one
prover that a number is at most another, which whoever compares formulas uses; and whether a condition fails as data
grow.

Of two numbers the one whose largest power of a size is larger is the larger one from some size on, whatever the other
symbols stand for. So of a difference it is enough to find a term that is certainly positive and grows faster than all
that may be negative. What is not known to grow so, or not to, leaves the question open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction

from dp_lsp.core.algebra import ONE, Apply, Atom, Function, Monomial, Poly, Sign, Symbol, TooLong
from dp_lsp.core.evaluate import interval, is_below, is_closed, symbols_of
from dp_lsp.core.sens import INFINITY, Sens, dominates, magnitude
from dp_lsp.core.values import undigested
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

Quantity = Poly | Sens

_NOTHING = Poly({})


@undigested(span="who calls a function shows the place of the call")
class Origin(NamedTuple):
    """Where a condition comes from: a place, and what demands it, as a person would say it."""

    span: Span
    reason: str


class Comparison(NamedTuple):
    """``left relation right``. ``relation`` is one of ``<``, ``<=``, ``==`` and ``!=``."""

    left: Quantity
    relation: str
    right: Quantity


class Constraint(NamedTuple):
    """A comparison that something demands. Of one that ``hides``, ``left`` is how far a change of 1 moves the input of
    noise, and ``right`` what that is made for: what is demanded where the change is another one is another."""

    left: Quantity
    relation: str
    right: Quantity
    origin: Origin
    hides: bool = False

    def decide(self) -> bool | None:
        """True or False if it holds, or fails, for all values of its symbols; None while that is open."""
        return decide(self.left, self.relation, self.right)

    @property
    def key(self) -> Comparison:
        """What it says, whoever demands it."""
        return Comparison(self.left, self.relation, self.right)


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
    if not (is_closed(left) and is_closed(right)):
        return None
    a, b = interval(left, {}), interval(right, {})
    if is_below(a, b):
        return relation != "=="
    if is_below(b, a):
        return relation == "!="
    return None


class Assumptions:
    """What open conditions say of the signs of symbols, used to show ``b`` instead of \\|b\\|."""

    def __init__(self, constraints: Iterable[Constraint | Comparison] = (), all_nonnegative: bool = False) -> None:
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
        """The one factor of a product greater than 0 whose sign is not known: it is greater than 0. Nothing is known
        where another factor speaks of it, as in 0 < \\|x\\|/x: written without the bars, it would no longer say so."""
        monomial, coefficient = product.single or ((), Fraction(0))
        unknown = [(atom, power) for atom, power in monomial if not self._atom_nonnegative(atom)]
        if coefficient <= 0 or len(unknown) != 1 or unknown[0][1] % 2 != 1:
            return set()
        factor = Poly.of_atom(unknown[0][0])
        others = Poly({tuple(each for each in monomial if each not in unknown): coefficient})
        return set() if symbols_of(factor) & symbols_of(others) else {factor}

    def nonnegative(self, value: Poly) -> bool:
        """Whether the conditions say that ``value`` is at least 0."""
        if self._all or value in self._known or value.evidently_nonnegative:
            return True
        return all(
            coefficient > 0 and all(self._atom_nonnegative(atom) for atom, _ in monomial)
            for monomial, coefficient in value.terms.items()
        )

    def plain(self, comparison: Comparison) -> Comparison:
        """A comparison of sizes as one of numbers, where the conditions say that these are not below 0."""
        left, right = map(self._plain, (comparison.left, comparison.right))
        if isinstance(left, Poly) and isinstance(right, Poly):
            return Comparison(left, comparison.relation, right)
        return comparison

    def _plain(self, size: Quantity) -> Quantity:
        """The one number that a size is; the size where it is no such."""
        if isinstance(size, Poly) or size.infinite or len(size.polys) != 1:
            return _NOTHING if isinstance(size, Sens) and size.zero else size
        found = _NOTHING
        for monomial, coefficient in size.polys[0].terms.items():
            product = Poly.of(coefficient)
            for atom, power in monomial:
                product = product * self._plain_power(atom, power)
            found = found + product
        return found

    def _plain_power(self, atom: Atom, power: Fraction) -> Poly:
        inner = atom.args[0] if isinstance(atom, Apply) and atom.function in (Function.ABS, Function.PLUS) else None
        if abs(power) == 1 and isinstance(inner, Poly) and self.nonnegative(inner):
            return inner if power == 1 else inner.inverse()
        return Poly({((atom, power),): Fraction(1)})

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
    apart = difference.evidently_nonnegative if constant > 0 else constant < 0 and difference.evidently_nonpositive
    return False if apart else None


def _poly_at_most(left: Poly, right: Poly, strict: bool) -> bool | None:
    difference = right - left
    known = difference.number
    if known is not None:
        return known.numerator > 0 if strict else known.numerator >= 0
    if difference.evidently_nonnegative and (not strict or difference.terms.get((), 0) > 0):
        return True
    if difference.evidently_nonpositive and (strict or difference.terms.get((), 0) < 0):
        return False
    return _bounded_by_one(left, right, strict)


def _bounded_by_one(left: Poly, right: Poly, strict: bool) -> bool | None:
    """Comparisons of a symbol that is known to lie strictly between 0 and 1."""
    symbol, limit = left.symbol, right.number
    if symbol is not None and symbol.sign is Sign.PROBABILITY and limit is not None and limit >= 1:
        return True
    return None


def _sens_at_most(left: Sens, right: Quantity, strict: bool) -> bool | None:
    limit = magnitude(right) if isinstance(right, Poly) else right
    if limit is INFINITY:
        return True
    if left is INFINITY:
        return False
    signed = isinstance(right, Poly) and not right.evidently_nonnegative
    if isinstance(right, Poly) and right.number is not None and right.number < 0:
        return False
    if not strict and not signed and is_at_most(left, limit):
        return True
    exceeded = any(all(_exceeds(a, b, strict) for b in limit.polys or (Poly({}),)) for a in left.polys)
    return False if exceeded else None


def _exceeds(large: Poly, small: Poly, equality_counts: bool) -> bool:
    """Whether ``large`` is certainly greater than ``small`` (or equal, where equality breaks the condition)."""
    difference = large - small
    if not difference.terms:
        return equality_counts
    return difference.evidently_nonnegative and (equality_counts or difference.terms.get((), 0) > 0)


_MOST_APART = 32  # inequalities that may say of two numbers that they differ


class Rest(NamedTuple):
    """An inequality in one form: ``value`` has no constant term, and is at least ``least``, or more if it is
    ``strict``."""

    value: Poly
    least: Fraction
    strict: bool


def least_rest(comparison: Comparison) -> Rest | None:
    """An inequality of polynomials in the form that all have that say as much; None for any other comparison."""
    left, relation, right = comparison
    if relation not in ("<", "<=") or not (isinstance(left, Poly) and isinstance(right, Poly)):
        return None
    return _rest(right - left, relation == "<")


def _rest(difference: Poly, strict: bool) -> Rest | None:
    """What is said by that a number is at least 0."""
    terms = dict(difference.terms)
    constant = terms.pop((), Fraction(0))
    if not terms:
        return None
    scale = abs(next(iter(sorted(terms.items(), key=lambda term: [atom.uid for atom, _ in term[0]])))[1])
    return Rest(Poly({monomial: c / scale for monomial, c in terms.items()}), -constant / scale, strict)


def follows(wanted: Comparison, known: Iterable[Comparison]) -> bool:
    """Whether a comparison is one of some that are known to hold, or says no more than one of them."""
    known = list(known)
    if wanted in known:
        return True
    same = [(each.left, each.right) for each in known if each.relation == "=="]
    known += [Comparison(a, "<=", b) for sides in same for a, b in (sides, sides[::-1])]
    rests = [rest for rest in map(least_rest, known) if rest is not None]
    if wanted.relation == "!=" and isinstance(wanted.left, Poly) and isinstance(wanted.right, Poly):
        apart = (_rest(wanted.right - wanted.left, True), _rest(wanted.left - wanted.right, True))
        return any(side is not None and _says(each, side) for side in apart for each in rests)
    rest = least_rest(wanted)
    return rest is not None and any(_says(each, rest) for each in rests)


def contradicted(known: Iterable[Comparison]) -> frozenset[Comparison]:
    """Those of some comparisons that cannot hold together with another one of them, as far as it is seen."""
    rests = _by_rest(_of_like_terms(known))
    by_value: dict[Poly, list[Rest]] = {}
    for rest in rests.values():
        by_value.setdefault(rest.value, []).append(rest)

    def fails(rest: Rest) -> bool:
        against = by_value.get(-rest.value, ())
        sums = ((rest.least + each.least, rest.strict or each.strict) for each in against)
        return any(least > 0 or (least == 0 and strict) for least, strict in sums)

    return frozenset(each for each, rest in rests.items() if fails(rest))


def _of_like_terms(known: Iterable[Comparison]) -> list[Comparison]:
    """The inequalities that are about the same products as another one. Most are not, which is quickly seen."""
    alike: dict[frozenset[Monomial], list[Comparison]] = {}
    for each in known:
        if isinstance(each.left, Poly) and isinstance(each.right, Poly):
            terms = (each.right - each.left).terms
            alike.setdefault(frozenset(monomial for monomial in terms if monomial), []).append(each)
    return [each for group in alike.values() if len(group) > 1 for each in group]


def told(known: Iterable[Comparison]) -> frozenset[Comparison]:
    """Comparisons without those that another one of them implies, as far as it is seen."""
    known = list(dict.fromkeys(known))
    rests = _by_rest(known)
    strongest: dict[Poly, tuple[Rest, Comparison]] = {}
    for each, rest in rests.items():
        before = strongest.get(rest.value)
        if before is None or _says(rest, before[0]):
            strongest[rest.value] = rest, each
    strong = {each for _, each in strongest.values()}
    kept = [each for each in known if each not in rests or each in strong]
    if len(kept) > _MOST_APART:
        return frozenset(kept)
    for each in sorted(kept, key=lambda each: -(each.left.size + each.right.size)):
        others = [other for other in kept if other != each]
        if follows(each, others) or _is_evident(each, others):
            kept = others
    return frozenset(kept)


def _is_evident(wanted: Comparison, known: list[Comparison]) -> bool:
    """Whether a number is at least 0, or above 0, as comparisons say that of what it is made of."""
    left, relation, right = wanted
    if not (isinstance(left, Poly) and isinstance(right, Poly)) or relation not in ("<", "<="):
        return False
    difference, signs = right - left, Assumptions(known)
    if relation == "<=":
        return signs.nonnegative(difference)
    monomial, coefficient = difference.single or ((), Fraction(0))
    factors = [Poly.of_atom(atom) for atom, _ in monomial]
    apart = {each.left for each in known if each.relation == "!=" and each.right == _NOTHING}
    return coefficient > 0 and all(
        follows(Comparison(_NOTHING, "<", each), known)
        or (each in apart and signs.nonnegative(each))
        or follows(Comparison(_within_bars(each), "!=", _NOTHING), known)
        for each in factors
    )


def _within_bars(factor: Poly) -> Poly:
    """x for \\|x\\|, which is above 0 where x is not 0; for any other number one of which nothing is known."""
    function = _application(factor)
    inner = function.args[0] if function is not None and function.function is Function.ABS else None
    return inner if isinstance(inner, Poly) else _NOTHING


def _by_rest(known: Iterable[Comparison]) -> dict[Comparison, Rest]:
    found = ((each, least_rest(each)) for each in known)
    return {each: rest for each, rest in found if rest is not None}


def _says(known: Rest, wanted: Rest) -> bool:
    if known.value != wanted.value:
        return False
    return known.least > wanted.least or (known.least == wanted.least and (known.strict or not wanted.strict))


# The prover


def is_at_most(small: Quantity, large: Quantity) -> bool:
    """Whether a number is proved to be at most another, whatever its symbols stand for. False says only that it is not
    proved."""
    return _Proof().at_most(small, large)


_DEEPEST = 25  # functions inside functions that are compared
_STEPS = 2_000  # comparisons of parts
_ALIKE = 12  # terms that are matched with others
_LONGEST = 300  # terms of a product that is multiplied out
_MOST_TIMES = 8

_GROWING = frozenset((Function.LOG1P, Function.EXPM1, Function.TANH, Function.ROOT, Function.MAXIMUM))
_GROWING_SIGNED = frozenset((Function.PLUS, Function.CEILING))


class _Proof:
    """Proves that numbers are at most others: by the signs of the terms of the difference, else by parts that are
    alike, of which functions say which one is larger if their arguments do."""

    def __init__(self) -> None:
        self._found: dict[tuple[Quantity, Quantity], bool] = {}
        self._depth = 0

    def at_most(self, small: Quantity, large: Quantity) -> bool:
        if large is INFINITY or small == large:
            return True
        if small is INFINITY:
            return False
        some, others = _polys(small), _polys(large)
        return all(any(self._poly(each, other) for other in others) for each in some)

    def _poly(self, small: Poly, large: Poly) -> bool:
        key = small, large
        known = self._found.get(key)
        if known is None:
            if self._depth >= _DEEPEST or len(self._found) >= _STEPS:
                return False
            self._found[key] = False  # while it is asked for itself
            self._depth += 1
            try:
                known = self._found[key] = self._by_signs(small, large) or self._by_terms(large - small)
            except TooLong:
                known = False
            self._depth -= 1
        return known

    @staticmethod
    def _by_signs(small: Poly, large: Poly) -> bool:
        if not small.evidently_nonnegative or not large.evidently_nonnegative:
            return (large - small).evidently_nonnegative
        return any(dominates(large, simpler) for simpler in _at_least(small))

    def _by_terms(self, difference: Poly) -> bool:
        """Whether each term that is taken away is at most one that is added, another one each time."""
        if not all(atom.nonnegative for monomial in difference.terms for atom, _ in monomial):
            return False
        gains = [(monomial, c) for monomial, c in difference.terms.items() if c > 0]
        losses = [(monomial, -c) for monomial, c in difference.terms.items() if c < 0]
        if not len(losses) <= len(gains) <= _ALIKE:
            return False
        for loss in losses:
            match = next((gain for gain in gains if self._term(loss, gain)), None)
            if match is None:
                return False
            gains.remove(match)
        return True

    def _term(self, small: Term, large: Term) -> bool:
        """Of products: what they share is left out, and what stands below one multiplies the other."""
        powers = dict(small[0])
        for atom, power in large[0]:
            powers[atom] = powers.get(atom, Fraction(0)) - power
        ups = [(_base(atom), abs(power)) for atom, power in powers.items() if _side(atom, power) > 0]
        downs = [(_base(atom), abs(power)) for atom, power in powers.items() if _side(atom, power) < 0]
        ratio = small[1] / large[1]
        if ratio != 1:
            (ups if ratio > 1 else downs).append((Poly.of(max(ratio, 1 / ratio)), Fraction(1)))
        return self._factors(ups, downs) or self._multiplied_out(ups, downs)

    def _factors(self, ups: list[Factor], downs: list[Factor]) -> bool:
        """Whether each factor is at most one of the others to the same power, or at most 1, and the rest at least 1."""
        left = list(downs)
        for base, power in ups:
            match = next((each for each in left if each[1] == power and self._factor(base, each[0])), None)
            if match is not None:
                left.remove(match)
            elif not self._factor(base, ONE):
                return False
        return all(self._factor(ONE, base) for base, _ in left)

    def _factor(self, small: Poly, large: Poly) -> bool:
        """Of factors, none of which is negative."""
        one, other = _application(small), _application(large)
        if is_closed(small) and is_closed(large):
            return _by_value(small, "<=", large) is True
        if one is not None and other is not None and one.function is other.function and self._by_arguments(one, other):
            return True
        if one is not None and one.function is Function.MAXIMUM:
            return self.at_most(one.args[0], large)  # type: ignore[arg-type]  # it is of a Sens
        if other is not None and other.function is Function.MAXIMUM:
            return self.at_most(small, other.args[0])  # type: ignore[arg-type]  # it is of a Sens
        if one is not None and one.function is Function.PLUS and isinstance(one.args[0], Poly):
            return large.evidently_nonnegative and self._poly(one.args[0], large)
        if other is not None and other.function in _GROWING_SIGNED and isinstance(other.args[0], Poly):
            return self._poly(small, other.args[0])
        return (one is None or other is None) and small != large and self._poly(small, large)

    def _by_arguments(self, one: Apply, other: Apply) -> bool:
        """Of the same function of two numbers."""
        match one.function, one.args, other.args:
            case function, (Sens() as small,), (Sens() as large,) if function in _GROWING:
                return self.at_most(small, large)
            case function, (Poly() as small,), (Poly() as large,) if function in _GROWING_SIGNED:
                return self._poly(small, large)
            case Function.LOG_INVERSE, (Poly() as small,), (Poly() as large,):
                return self._poly(large, small)
            case Function.POWER | Function.GEOMETRIC, (Sens() as small, times), (Sens() as large, same) if (
                times == same
            ):
                return self.at_most(small, large)
            case Function.BY_NORM, (norm, *some), (same, *others) if norm is same:
                return all(
                    isinstance(small, Sens) and isinstance(large, Sens) and self.at_most(small, large)
                    for small, large in zip(some, others, strict=True)
                )
        return False

    def _multiplied_out(self, small: list[Factor], large: list[Factor]) -> bool:
        """Of products whose factors are sums or roots: of what they come to, or of a power of that without roots."""
        factors = [*small, *large]
        times = max((_rootless(base, power) for base, power in factors), default=1)
        if times == 1 and not any(base.single is None or _sum_of(base) is not None for base, _ in factors):
            return False
        one, other = _product(small, times), _product(large, times)
        return one is not None and other is not None and self._poly(one, other)


Term = tuple[Monomial, Fraction]
"""A term of a sum: its atoms, and its coefficient."""
Factor = tuple[Poly, Fraction]
"""A factor of a product and its power, which is above 0."""


def _polys(value: Quantity) -> tuple[Poly, ...]:
    """The numbers of which a quantity is the largest."""
    return (value,) if isinstance(value, Poly) else value.polys or (Poly({}),)


def _application(value: Poly) -> Apply | None:
    """The application of a function that a number is."""
    single = value.single
    if single is None or single[1] != 1 or len(single[0]) != 1 or single[0][0][1] != 1:
        return None
    atom = single[0][0][0]
    return atom if isinstance(atom, Apply) else None


def _base(atom: Atom) -> Poly:
    """An atom, or what it is the inverse of."""
    argument = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.INVERSE else None
    return argument if isinstance(argument, Poly) else Poly.of_atom(atom)


def _side(atom: Atom, power: Fraction) -> Fraction:
    return -power if isinstance(atom, Apply) and atom.function is Function.INVERSE else power


def _root_of(base: Poly) -> Poly | None:
    atom = _application(base)
    inside = atom.args[0] if atom is not None and atom.function is Function.ROOT else None
    return inside.single_poly() if isinstance(inside, Sens) else None


def _number_of(base: Poly) -> Poly | None:
    """The number that an atom stands for, of which only roots are kept."""
    atom = _application(base)
    inside = atom.args[0] if atom is not None and atom.function is Function.ABS else None
    return inside if isinstance(inside, Poly) and inside.number is not None else None


def _sum_of(base: Poly) -> Poly | None:
    """The sum that an atom stands for."""
    atom = _application(base)
    inside = atom.args[0] if atom is not None and atom.function is Function.MAXIMUM else None
    return inside.polys[0] if isinstance(inside, Sens) and len(inside.polys) == 1 else None


def _rootless(base: Poly, power: Fraction) -> int:
    """To which power a factor has no root on its outside."""
    inside = _root_of(base)
    return power.denominator if inside is None else 2 * _rootless(inside, power)


def _product(factors: list[Factor], times: int) -> Poly | None:
    """A product to a power at which nothing in it is a root, with sums taken apart; None where it is too long."""
    if times > _MOST_TIMES:
        return None
    result = ONE
    for base, power in factors:
        inside, whole = base, power * times
        while (root := _root_of(inside)) is not None:
            inside, whole = root, whole / 2
        inside = _number_of(inside) or _sum_of(inside) or inside
        if whole > _MOST_TIMES or whole.denominator != 1:
            return None
        for _ in range(whole.numerator):
            result = result * inside
            if len(result.terms) > _LONGEST:
                return None
    return result


def _at_least(poly: Poly) -> Iterator[Poly]:
    """Numbers that are at least ``poly``, which may be simpler to compare."""
    yield poly
    yield _upper(poly)
    yield _without_denominators(poly)


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


_AS_FAST = frozenset((Function.MAXIMUM, Function.CEILING, Function.PLUS, Function.ABS))
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
        return inner if atom.function in _AS_FAST else None

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
        return power if function in _AS_FAST else None


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
