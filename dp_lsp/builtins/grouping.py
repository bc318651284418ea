"""Rows that take a dataset apart by what every record says of itself: parallel composition."""

from __future__ import annotations

from dp_lsp.builtins.datasets import TWO, VECTOR, applied_to, is_sized, once, some_of
from dp_lsp.builtins.define import Application, Args, Builtin, Demand, Parts, Refusal, Refused, Runs, form, free
from dp_lsp.builtins.patterns import Arrow, Box, Records
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.types import Clip, Container, Kind, Norm, NumberType, Type, TypeVariable, without_static

_PARALLEL = (
    "Parallel composition (McSherry 2009): a record that is added or removed is in one part; one that replaces "
    "another leaves a part and enters one. fixtures/spec/parallel.md"
)


def _a_part(args: Args) -> tuple[Type, ...]:
    return (some_of(args.dataset("v")),)


def _released(args: Args) -> Type | Refusal:
    """A number for each key, or a row."""
    if not isinstance(args.applied["key"].result, NumberType | TypeVariable):
        return Refusal("the function `key` must return a number, one of the keys")
    made, keys = without_static(args.applied["f"].result), args.container("keys").length
    if isinstance(made, NumberType | TypeVariable):
        return Container(Kind.VECTOR, Norm.LINF, Clip.U, keys, made)
    if isinstance(made, Container) and made.kind is Kind.VECTOR:
        return Container(Kind.MATRIX, Norm.LINF, Clip.U, made.length, made.element, keys)
    return Refusal("the function `f` must return a number or a vector")


def _some_keys(args: Args) -> tuple[Demand, ...]:
    """Without a key nothing is run, and nothing tells how long a row would be."""
    if not isinstance(args.applied["f"].result, Container):
        return ()
    return (Demand(Poly.of(1), "<=", args.container("keys").length, "keys"),)


def _steps(args: Args) -> Sens:
    """A record that takes the place of another is one that goes and one that comes."""
    return TWO if is_sized(args) else ONE


_COUNTS = (
    "function counts(m::MetricMatrix(Real, Symmetric), eps::Static()) :: Priv()\n"
    "    ages(part::MetricMatrix(Real, Symmetric)) = map_rows(row -> row[2], part)\n"
    "    one(part::MetricMatrix(Real, Symmetric)) :: Priv() = laplacian_mechanism(1, eps, length(ages(part)))\n"
    "    map_parts(one, m, {}, {})\n"
    "end"
)
_NUMBERS = (
    "function f(v::MetricVector(Bounded(Real, 0, 9), ChangeOne), eps::Static()) :: Priv()\n"
    "    one(part) {} = laplacian_mechanism(9, eps, sum(part))\n"
    "    map_parts(one, v, {}, [0, 1])\n"
    "end"
)

_ON_PARTS = Runs(("v",), once, exposed=("keys",), parts=Parts(applied_to("key"), _steps))

ROWS: tuple[Builtin, ...] = (
    Builtin(
        "map_parts",
        "map_parts(f, v, key, keys)",
        (
            form(
                _released,
                free,
                _some_keys,
                runs=_ON_PARTS,
                applies=Application("f", _a_part),
                f=Arrow(),
                v=Records(),
                key=Arrow(),
                keys=Box(VECTOR),
            ),
        ),
        "A private function applied to each part of a dataset: for each of the public keys the records for which `key` "
        "returns it; of equal keys the first gets all of them. A person with one record is in one part, so all parts "
        "together cost as much as one. Replacing a record moves two parts by one step each, or one part by two. How "
        "many records a part has is private. Where the function returns rows there must be a key.",
        _PARALLEL,
        (
            _COUNTS.format("row -> row[1]", "[1, 2, 3]"),
            _NUMBERS.format(":: Priv()", "x -> x % 2"),
        ),
        (
            Refused(_COUNTS.format("row -> row", "[1, 2, 3]"), "DP208"),
            Refused(_COUNTS.format("row -> row[1]", "m"), "DP202"),
            Refused(
                _NUMBERS.format("", "x -> x % 2").replace("laplacian_mechanism(9, eps, sum(part))", "sum(part)"),
                "DP202",
            ),
            Refused(_NUMBERS.format(":: Priv()", "x -> x > 2"), "DP208"),
            Refused(
                "function f(v::MetricVector(Real, Symmetric)) :: Priv()\n"
                "    one(part::MetricVector(Real, Symmetric)) :: Priv() = laplacian_mechanism(1, 1, [length(part)])\n"
                "    map_parts(one, v, x -> x, 1:0)\n"
                "end",
                "DP304",
            ),
        ),
        chosen=(("key", "key"), ("keys", "keys")),
    ),
)
