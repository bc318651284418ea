"""Run-time types against facts of Julia, each written down as Julia answers it."""

from __future__ import annotations

from itertools import product

import pytest

from dp_lsp.core import machine
from dp_lsp.core.machine import ANY, Arrays, Declared, NominalType, Numbers, Stored, Tuples

TYPES = {
    "Bool": machine.BOOL,
    "Int": machine.INT,
    "Int8": machine.OTHER_INTEGER,
    "UInt64": machine.OTHER_INTEGER,
    "BigInt": machine.OTHER_INTEGER,
    "Float64": machine.FLOAT64,
    "Float32": machine.FLOAT32,
    "Float16": machine.OTHER_FLOAT,
    "BigFloat": machine.OTHER_FLOAT,
    "Rational{Int}": machine.RATIONAL,
    "Rational{BigInt}": machine.RATIONAL,
    "Irrational": machine.OTHER_REAL,
}

PROMOTED = """
Bool Bool Bool; Bool Int Int; Bool Int8 Int8; Bool BigInt BigInt; Bool Float64 Float64; Bool Float32 Float32
Bool Float16 Float16; Bool Rational{Int} Rational{Int}; Int Int Int; Int Int8 Int; Int UInt64 UInt64; Int BigInt BigInt
Int Float64 Float64; Int Float32 Float32; Int Float16 Float16; Int BigFloat BigFloat; Int Rational{Int} Rational{Int}
Int Rational{BigInt} Rational{BigInt}; Int8 UInt64 UInt64; Int8 Float64 Float64; BigInt Float64 BigFloat
BigInt Float32 BigFloat; BigInt Float16 BigFloat; BigInt BigFloat BigFloat; BigInt Rational{Int} Rational{BigInt}
Int8 Float32 Float32; Float64 Float64 Float64; Float64 Float32 Float64; Float64 Float16 Float64
Float64 BigFloat BigFloat; Float32 Float32 Float32; Float32 Float16 Float32; Float32 BigFloat BigFloat
Float16 Float16 Float16; Float16 BigFloat BigFloat; Rational{Int} Float64 Float64; Rational{Int} Float32 Float32
Rational{Int} Float16 Float16; Rational{Int} BigFloat BigFloat; Rational{BigInt} Float64 BigFloat
Rational{Int} Rational{Int} Rational{Int}; Rational{BigInt} Float32 BigFloat; Irrational Int Float64
Irrational Float32 Float32; Irrational BigFloat BigFloat; Irrational Irrational Float64
"""
"""Three types in a row: ``promote_type`` of the first two is the third."""

SUMS = """
Bool Bool Int; Bool Int Int; Int Int Int; Int8 Int8 Int8; Bool Float64 Float64; Bool Int8 Int8; Int BigInt BigInt
Int Float64 Float64; Int8 Int Int; Float32 Int Float32; Irrational Int Float64; Rational{Int} Int Rational{Int}
"""
QUOTIENTS = """
Bool Bool Float64; Int Int Float64; Int8 Int8 Float64; BigInt BigInt BigFloat; Int BigInt BigFloat; Int Bool Float64
Int Float32 Float32; Int Rational{Int} Rational{Int}; Rational{Int} Rational{Int} Rational{Int}; Int8 Float16 Float16
Float32 Float64 Float64; Bool Rational{Int} Rational{Int}; Int BigFloat BigFloat
"""
FLOATS = """
Bool Float64; Int Float64; Int8 Float64; BigInt BigFloat; Float64 Float64; Float32 Float32; Float16 Float16
BigFloat BigFloat; Rational{Int} Float64; Rational{BigInt} BigFloat; Irrational Float64
"""
TOTALS = """
Bool Int; Int Int; Int8 Int; UInt64 UInt64; BigInt BigInt; Float64 Float64; Float32 Float32; Float16 Float16
Rational{Int} Rational{Int}; Irrational Float64
"""
"""The type of ``sum`` of a vector of the first."""


def facts(text: str) -> list[tuple[str, ...]]:
    return [tuple(fact.split()) for line in text.strip().splitlines() for fact in line.split("; ")]


@pytest.mark.parametrize(
    ("operation", "text"), [(machine.promoted, PROMOTED), (machine.added, SUMS), (machine.quotient, QUOTIENTS)]
)
def test_what_two_numbers_give(operation: object, text: str) -> None:
    assert callable(operation)
    for left, right, expected in facts(text):
        for one, other in ((left, right), (right, left)):
            found = operation(TYPES[one], TYPES[other])
            assert found & TYPES[expected], (one, other, expected)


@pytest.mark.parametrize(("operation", "text"), [(machine.floated, FLOATS), (machine.total, TOTALS)])
def test_what_one_number_gives(operation: object, text: str) -> None:
    assert callable(operation)
    for given, expected in facts(text):
        assert operation(TYPES[given]) & TYPES[expected], (given, expected)


def test_types_that_everybody_uses_are_known_exactly() -> None:
    """Nothing is lost of Bool, Int, Float64 and Float32."""
    used = ("Bool", "Int", "Float64", "Float32")
    for operation, text in ((machine.promoted, PROMOTED), (machine.added, SUMS), (machine.quotient, QUOTIENTS)):
        for left, right, expected in facts(text):
            if {left, right} <= set(used):
                assert operation(TYPES[left], TYPES[right]) == TYPES[expected], (left, right)


def test_sets_are_unions() -> None:
    """What a union gives is the union of what its members give."""
    single = [1 << bit for bit in range(8)]
    for operation in (machine.promoted, machine.added, machine.quotient):
        for a, b, c in product(single, repeat=3):
            assert operation(a | b, c) == operation(a, c) | operation(b, c)


CONVERTED = """
Int Float64 Float64; Bool Int Int; Float64 Integer Int; Int8 Integer Int8; Bool Integer Bool; Int Real Int
Float32 Real Float32; Float64 Float32 Float32; BigFloat Integer BigInt; BigFloat Float64 Float64; Float64 Int Int
"""
"""A value of the first type, converted to the second, is one of the third."""


def test_conversions() -> None:
    for given, wanted, expected in facts(CONVERTED):
        found = machine.converted(TYPES[given], machine.NAMES[wanted])
        assert found & TYPES[expected], (given, wanted)
        assert given in ("BigFloat", "Float64") or found == TYPES[expected]


REAL, INTEGER = Numbers(machine.NUMBERS), Numbers(machine.WHOLE)
FLOAT, INT = Numbers(machine.FLOAT64), Numbers(machine.INT)


def _vector(name: str, upper: bool) -> Declared:
    return Arrays(1, machine.of_elements(machine.NAMES[name], upper))


ANY_VECTOR = Arrays(1, machine.ELEMENTS | machine.ABSTRACT)

WITHIN: list[tuple[Declared, Declared]] = [
    (INT, INTEGER),
    (INT, REAL),
    (FLOAT, REAL),
    (REAL, ANY),
    (Numbers(machine.BOOL), INTEGER),
    (_vector("Float64", False), _vector("Real", True)),
    (_vector("Int", False), _vector("Integer", True)),
    (_vector("Integer", True), _vector("Real", True)),
    (_vector("Real", False), _vector("Real", True)),
    (_vector("Real", True), ANY_VECTOR),
    (Tuples((INT, FLOAT)), Tuples((REAL, REAL))),
    (NominalType("DMModel"), ANY),
]
NOT_WITHIN: list[tuple[Declared, Declared]] = [
    *((right, left) for left, right in WITHIN),
    (FLOAT, INTEGER),
    (_vector("Float64", False), _vector("Real", False)),
    (_vector("Int", False), _vector("Real", False)),
    (_vector("Int", False), _vector("Integer", False)),
    (_vector("Int", False), Arrays(2, machine.ELEMENTS)),
    (Tuples((INT,)), Tuples((INT, INT))),
    (NominalType("Function"), NominalType("DMModel")),
]


def test_subtypes() -> None:
    """Parameters of types are invariant, and those of tuples covariant."""
    assert all(machine.within(left, right) for left, right in WITHIN)
    assert not any(machine.within(left, right) for left, right in NOT_WITHIN)


ELEMENT_TYPES: list[tuple[list[Stored], Stored]] = [
    ([machine.INT, machine.INT], machine.INT),
    ([machine.INT, machine.FLOAT64], machine.FLOAT64),
    ([machine.BOOL, machine.INT], machine.INT),
    ([machine.BOOL, machine.BOOL], machine.BOOL),
    ([machine.INT, machine.RATIONAL], machine.RATIONAL),
]


def test_arrays_that_are_written_out() -> None:
    """`[1, 2]` is a Vector{Int}, and `[1, 2.0]` a Vector{Float64}."""
    assert all(machine.together(given) == expected for given, expected in ELEMENT_TYPES)


def test_arrays_of_several_types_have_an_abstract_one() -> None:
    """`map(identity, …)` of Ints and Bools gives a Vector{Integer}, with a Float64 a Vector{Real}."""
    assert machine.collected(machine.INT) == machine.INT
    assert machine.collected(machine.INT | machine.BOOL) & machine.ABSTRACT_INTEGER
    assert machine.collected(machine.INT | machine.FLOAT64) & machine.ABSTRACT_REAL
    assert machine.values(machine.ABSTRACT_INTEGER) == machine.WHOLE
