"""Run-time types: how Julia stores a value, which is what dispatch, conversion and failure follow.

A metric type says how values are compared. Beside it stands what a value may be when the program runs, a set of
concrete types: a parameter ``x::Real`` may be any number, the literal ``2`` is an Int. A set is an ``int`` with one bit
for each type, or for each family of types that no annotation can tell apart (all integers but Bool and Int are one). So
union and intersection are those of ``int``, and a subset is a subtype.

The elements of an array have one type together, its element type, which may be abstract: a ``Vector{Real}`` is no
``Vector{Float64}`` although all its elements may be Float64 (parameters of types are invariant). Bits of their own
stand for the abstract element types. A number that is read from such an array is one of :func:`values`.

Sources: the Julia manual, "Types", "Methods", "Conversion and Promotion"; the promotion rules and the arithmetic of
truth values as Julia's Base has them (``promotion.jl``, ``bool.jl``, ``float.jl``, ``rational.jl``). Int is taken to be
Int64.

What the results of rows are stored as each language says by its :class:`Storage`; the operations here are those that
have numbers promoted as Julia does. What a loop carries is widened on the terms before its body is inferred
(:mod:`dp_lsp.infer.invariants`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, reduce

from dp_lsp.core.values import value

Stored = int
"""A set of run-time types of numbers, or of the elements of an array."""

BOOL, INT, OTHER_INTEGER, FLOAT64, FLOAT32, OTHER_FLOAT, RATIONAL, OTHER_REAL = (1 << bit for bit in range(8))
ABSTRACT_INTEGER, ABSTRACT_REAL, ABSTRACT = (1 << bit for bit in range(8, 11))
"""Element types that are no type of a value: within Integer, within Real, and wider ones such as Any."""

WHOLE = BOOL | INT | OTHER_INTEGER
"""The subtypes of Integer."""
POSITION = INT | OTHER_INTEGER
"""What an array may be indexed with: Base refuses a Bool, and any number that is no Integer."""
FLOATS = FLOAT64 | FLOAT32 | OTHER_FLOAT
NUMBERS = WHOLE | FLOATS | RATIONAL | OTHER_REAL
"""The subtypes of Real."""
WHOLE_ELEMENTS = WHOLE | ABSTRACT_INTEGER
ELEMENTS = NUMBERS | ABSTRACT_INTEGER | ABSTRACT_REAL
"""The element types within Real. For a number, the same as :data:`NUMBERS`: nothing more is known of it."""

ARRAY, OTHER_ARRAY = 1, 2
"""A Vector or Matrix, and what is neither: ranges, adjoints, transposes, views and arrays of bits."""
ANY_ARRAY = ARRAY | OTHER_ARRAY

NAMES = {
    "Bool": BOOL,
    "Int": INT,
    "Int64": INT,
    "Float64": FLOAT64,
    "Float32": FLOAT32,
    "Integer": WHOLE,
    "Real": NUMBERS,
}
"""The types of numbers that annotations may name."""

_LEAVES = tuple(1 << bit for bit in range(8))
_FIRST_PAST_INT = 1 << 63


def values(stored: Stored) -> Stored:
    """The types that a number may have which is an element of such an array."""
    found = stored & NUMBERS
    if stored & (ABSTRACT_REAL | ABSTRACT):
        return NUMBERS
    return found | WHOLE if stored & ABSTRACT_INTEGER else found


def of_elements(stored: Stored, upper: bool) -> Stored:
    """The element types of arrays that are annotated with a type T: with an ``upper`` bound, ``Vector{<:T}``, those
    within T, and else T alone."""
    abstract = {
        WHOLE: (ABSTRACT_INTEGER, WHOLE_ELEMENTS),
        NUMBERS: (ABSTRACT_REAL, ELEMENTS),
        FLOATS: (ABSTRACT_REAL, FLOATS | ABSTRACT_REAL),
    }
    return abstract[stored][upper] if stored in abstract else stored


def of_literal(number: int | None) -> Stored:
    """The type of a number that is written out: a whole one, or None for one with a point or an exponent. A sign that
    stands before it is not seen here, and -2^63 is the smallest Int."""
    if number is None:
        return FLOAT64
    if number == _FIRST_PAST_INT:
        return INT | OTHER_INTEGER
    return INT if number < _FIRST_PAST_INT else OTHER_INTEGER


def words(stored: Stored) -> str:
    """A set as it is told to users; empty where it is no more than is known of any number."""
    for name, known in NAMES.items():
        if values(stored) == known and known != NUMBERS:
            return f"{'an' if name[0] == 'I' else 'a'} {name}"
    return "a float" if not values(stored) & ~FLOATS else ""


def _leaves(stored: Stored) -> Iterator[Stored]:
    found = values(stored)
    return (leaf for leaf in _LEAVES if leaf & found)


# Promotion and arithmetic


def _promoted(left: Stored, right: Stored) -> Stored:
    """``promote_type`` of two types. Of families it is all that it may be of their members: those of BigInt and of
    Rational{BigInt} with a Float64 are BigFloat, and types of packages promote as they like."""
    low, high = sorted((left, right))
    if high == OTHER_REAL:
        return NUMBERS
    if low == BOOL:
        return high
    if high in (INT, OTHER_INTEGER):
        return low | high
    if high == RATIONAL:
        return RATIONAL if low in WHOLE_TYPES or low == RATIONAL else low | OTHER_FLOAT
    if high == OTHER_FLOAT:
        return FLOATS if low == OTHER_FLOAT else (low & FLOATS) | OTHER_FLOAT
    if low == OTHER_INTEGER:
        return high | OTHER_FLOAT
    return FLOAT64 if FLOAT64 in (low, high) else high


WHOLE_TYPES = (BOOL, INT, OTHER_INTEGER)


def _pairwise(operation: Callable[[Stored, Stored], Stored]) -> Callable[..., Stored]:
    """An operation on any numbers of sets, applied from the left to the right as Julia does it."""

    @lru_cache(maxsize=4096)
    def of_two(left: Stored, right: Stored) -> Stored:
        return reduce(int.__or__, (operation(a, b) for a in _leaves(left) for b in _leaves(right)), 0)

    def of_all(*sets: Stored) -> Stored:
        return reduce(of_two, sets) if sets else NUMBERS

    return of_all


def _added(left: Stored, right: Stored) -> Stored:
    return INT if left == right == BOOL else _promoted(left, right)


def _divided(left: Stored, right: Stored) -> Stored:
    together = _promoted(left, right)
    return (together & ~WHOLE) | (floated(together & WHOLE) if together & WHOLE else 0)


promoted = _pairwise(_promoted)
"""The types that numbers have once they are promoted to one: what `min`, `clamp`, `*`, `%` and `[x, y]` give."""
added = _pairwise(_added)
"""The types of sums and differences: those of truth values are Int."""
quotient = _pairwise(_divided)
"""The types of x / y: those of integers are floats."""


def signed(stored: Stored) -> Stored:
    """The types of +x and -x: those of truth values are Int."""
    found = values(stored)
    return (found & ~BOOL) | INT if found & BOOL else found


@lru_cache(maxsize=1024)
def floated(stored: Stored) -> Stored:
    """The types of ``float(x)``, and of roots, logarithms and exponentials."""
    found = values(stored)
    kept = found & FLOATS
    if found & (BOOL | INT):
        kept |= FLOAT64
    if found & (OTHER_INTEGER | RATIONAL):
        kept |= FLOAT64 | OTHER_FLOAT
    return kept | (NUMBERS & ~WHOLE if found & OTHER_REAL else 0)


@lru_cache(maxsize=1024)
def total(stored: Stored) -> Stored:
    """The types of a sum of the elements of an array of any length: small integers are made Int first."""
    found = signed(stored)
    if found & OTHER_INTEGER:
        found |= INT
    while added(found, found) | found != found:
        found |= added(found, found)
    return found


def rounded(stored: Stored) -> Stored:
    """The types of ``round(x)`` and its kind, which leave a number the type that it has."""
    found = values(stored)
    return found | INT if found & BOOL else found


def together(sets: Iterable[Stored]) -> Stored:
    """The element type of an array that is written out: its elements are promoted to one type, or have no common one
    but Real, if they are of packages that say nothing of it."""
    found = promoted(*(values(each) for each in sets))
    return found | ABSTRACT_REAL if found & OTHER_REAL else found


def collected(stored: Stored) -> Stored:
    """The element types of an array that is made of values one by one, as by `map`: values of several types have an
    abstract one."""
    found = values(stored)
    if not found & (found - 1):
        return found
    return found | (ABSTRACT_INTEGER if not found & ~WHOLE else ABSTRACT_INTEGER | ABSTRACT_REAL)


def converted(stored: Stored, wanted: Stored) -> Stored:
    """The types of ``convert(T, x)`` of numbers that can be converted: a value of T stays what it is."""
    found, to = values(stored), values(wanted)
    kept, changed = found & to, found & ~to
    if not changed or not to & (to - 1):
        return kept | (to if changed else 0)
    return kept | ((INT if not changed & ~(FLOAT64 | FLOAT32) else INT | OTHER_INTEGER) & to)


class Storage:
    """As what a language stores what programs make. What is not said may be anything."""

    def literal(self, number: int | None) -> Stored:
        """A number that is written out: a whole one, or None for one with a point or an exponent."""
        return NUMBERS

    def numbers(self, builtin: str, *given: Stored) -> Stored | None:
        """The numbers in the result of a builtin, by those in its arguments, in order, 0 where there are none; None
        for what its row says itself."""
        return ELEMENTS

    def made(self, builtin: str, returned: Stored, holds: bool) -> Stored | None:
        """The numbers in what a builtin makes of the results of a function, which it ``holds`` or has added up; None if
        it makes its own of something else."""
        return None

    def arrays(self, builtin: str, given: Sequence[Stored], numbers: Stored) -> Stored:
        """Whether the containers in the result of a builtin are arrays, by whether those among the arguments are, and
        by the numbers that they hold."""
        return ANY_ARRAY


# What annotations say to Julia


@value
class AnyDeclared:
    """``Any``: every value."""


@value
class Numbers:
    """``Real``, ``Integer``, ``Bool``, ``Int`` and the like."""

    stored: Stored


@value
class Arrays:
    """``Vector{T}`` and ``Matrix{T}``, of so many dimensions, 0 for any number; ``elements`` are the element types.
    ``AbstractVector{T}`` and the like have values of all ``kinds`` of arrays."""

    dimensions: int
    elements: Stored
    kinds: Stored = ARRAY


@value
class Tuples:
    """``Tuple{A, B}``, whose parameters are covariant."""

    items: tuple[Declared, ...]


@value
class NominalType:
    """A type that nothing else is a subtype of but itself: a gradient, a model, a function."""

    name: str


@value
class Partly:
    """A type of some values ``of`` a type, which its ``name`` tells: ``BigFloat`` is one of the other floats, and the
    ``T`` of ``f(x::T, y::T) where T <: Real`` is whatever both have."""

    of: Declared
    name: str


Declared = AnyDeclared | Numbers | Arrays | Tuples | NominalType | Partly
"""What Julia sees of an annotation."""

ANY = AnyDeclared()
UNREAD = NominalType("")
"""An annotation that was not understood: it may be any type, also one that has another name."""


def keeps(wanted: Declared) -> bool:
    """Whether ``convert(T, x)`` leaves a number, and those of an array, the number that it is, or fails. One that is
    made a float may be rounded."""
    match wanted:
        case Numbers(stored) | Arrays(_, stored):
            return not stored & (FLOATS | RATIONAL | OTHER_REAL) or not NUMBERS & ~stored
    return wanted == ANY


def within(left: Declared, right: Declared) -> bool:
    """Whether a type is a subtype of another."""
    match left, right:
        case (_, AnyDeclared()):
            return True
        case (Numbers(a), Numbers(b)):
            return not a & ~b
        case (Arrays(one, a, kinds), Arrays(other, b, others)):
            return other in (0, one) and not a & ~b and not kinds & ~others
        case (Partly(of), Partly()) if left != right:
            return False
        case (Partly(of), _) if left != right:
            return within(of, right)
        case (Tuples(items), Tuples(others)):
            return len(items) == len(others) and all(map(within, items, others))
    return left == right
