"""What programs in Julia mean by what the surface tree leaves open, and what numbers and arrays are stored as."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import reduce

from dp_lsp.core import machine
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf
from dp_lsp.core.machine import ANY_ARRAY, ARRAY, ELEMENTS, FLOAT64, INT, OTHER_ARRAY, OTHER_INTEGER, Storage, Stored
from dp_lsp.core.types import Kind
from dp_lsp.language import Semantics

# What Julia stores the results of builtins as, by how it stores their arguments: see :mod:`dp_lsp.core.machine`.
#
# Those that are not listed may return any number, and an array where all their containers are arrays: whoever adds one
# need not think of this, and who lists one must be sure for all types that the row accepts. It is assumed that the
# functions of the published library which return numbers of things return an Int.
#
# Source: Julia's Base (``promotion.jl``, ``number.jl``, ``float.jl``, ``reduce.jl``, ``adjtrans.jl``, ``range.jl``).


class JuliaStorage(Storage):
    """Julia's promotion, and what its functions return."""

    def literal(self, number: int | None) -> Stored:
        return machine.of_literal(number)

    def numbers(self, builtin: str, *given: Stored) -> Stored | None:
        rule = _RULES.get(builtin)
        return ELEMENTS if rule is None else rule(*given)

    def made(self, builtin: str, returned: Stored, holds: bool) -> Stored | None:
        if builtin not in _MADE_OF_RESULTS:
            return None
        return machine.collected(returned) if holds else machine.total(returned)

    def arrays(self, builtin: str, given: Sequence[Stored], numbers: Stored) -> Stored:
        if builtin in _IN_PLACE:
            return given[0]
        if builtin in _BROADCASTS and numbers & machine.BOOL:  # these are kept as bits
            return ANY_ARRAY
        if builtin in _TURNED:
            return OTHER_ARRAY if list(given) == [ARRAY] else ANY_ARRAY
        if builtin == ":":
            return OTHER_ARRAY
        return ARRAY if all(each == ARRAY for each in given) and builtin not in _VIEWS else ANY_ARRAY


def _first(*given: Stored) -> Stored:
    return given[0]


def _last(*given: Stored) -> Stored:
    return given[-1]


def _difference(*given: Stored) -> Stored:
    return machine.signed(given[0]) if len(given) == 1 else machine.added(*given)


def _power(base: Stored, exponent: Stored) -> Stored:
    """A number times itself; where the exponent is a float, both are promoted."""
    found, times = machine.values(base), machine.values(exponent)
    if found & machine.OTHER_REAL:
        return machine.NUMBERS
    if times & ~machine.WHOLE:
        found = machine.promoted(found, times & ~machine.WHOLE) | (found if times & machine.WHOLE else 0)
    return found | OTHER_INTEGER if found & INT and times & OTHER_INTEGER else found


def _rounded(*given: Stored) -> Stored:
    """With a type as the first argument, which has no numbers, a position; with digits, most are floats."""
    if not given[0]:
        return machine.POSITION
    kept = machine.rounded(given[0])
    return kept if len(given) == 1 else kept | machine.floated(given[0])


def _either(*given: Stored) -> Stored:
    return given[-1] | given[-2]


def _kept_within(*given: Stored) -> Stored:
    """A number or a bound of it, promoted or not."""
    found = machine.promoted(*given)
    for each in given:
        found |= machine.values(each)
    return found


def _counted(*given: Stored) -> Stored:
    return INT


def _with_noise(*given: Stored) -> Stored:
    return machine.promoted(given[-1], FLOAT64)


def _joined(*given: Stored) -> Stored:
    """Element types are promoted like numbers; an abstract one stays abstract."""
    abstract = reduce(int.__or__, given) & ~machine.NUMBERS
    within = machine.ABSTRACT_INTEGER | machine.ABSTRACT_REAL if abstract else 0
    return machine.promoted(*map(machine.values, given)) | abstract | within


def _as_it_is(*given: Stored) -> None:
    return None


_ELEMENTARY = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("expm1", "exp2", "exp10", "cbrt", "log1p", "log2", "log10", "sinpi", "cospi"),
)
_ROUNDING = frozenset({"ceil", "round", "floor", "trunc"})
_TURNED = frozenset({"transpose", "'"})
"""Rows that return a view of their argument, turned; of such a view, the array again."""
_VIEWS = frozenset({"vec_to_row", "eachrow(…)"})
"""Rows of which it is not said whether they return an array."""
_IN_PLACE = frozenset({".="})
"""Rows that give another array's entries to their first argument, which stays what it is."""
_BROADCASTS = frozenset({"f.(v)"})
_MADE_OF_RESULTS = _BROADCASTS | {
    *(
        "map",
        "sum",
        "map_rows",
        "[… for … in eachrow(m)]",
        "map_cols",
        "map_rows_binary",
        "map_cols_binary",
        "map_parts",
    ),
}

_RULES: dict[str, Callable[..., Stored | None]] = {
    **dict.fromkeys(("+", "-"), _difference),
    **dict.fromkeys(("*", "%", "mod", "min", "max", "clamp", ":"), machine.promoted),
    "/": machine.quotient,
    "^": _power,
    "abs": lambda x: machine.values(x),
    **dict.fromkeys(_ROUNDING, _rounded),
    "clipn": _kept_within,
    "resize": lambda v, n, fill: machine.values(v) | machine.promoted(v, fill),
    **dict.fromkeys(("sqrt", "log", "exp", "float", *_ELEMENTARY), machine.floated),
    **dict.fromkeys(("abs2", "zero", "one", "oneunit", "imag", "real", "conj", "sign"), machine.values),
    "muladd": lambda x, y, z: _difference(machine.promoted(x, y), z),
    "pi": lambda: machine.OTHER_REAL,
    "Float64": lambda x: FLOAT64,
    "Float32": lambda x: machine.FLOAT32,
    "Int": lambda x: INT,
    "ifelse": _either,
    "[…]": lambda *given: machine.together(given),
    "sum": lambda *given: machine.total(given[0]) if given[0] else ELEMENTS,
    **dict.fromkeys(("disc", "discrete", "undisc", "undisc_container", "clone", "transpose", "'"), _first),
    **dict.fromkeys(("deepcopy", "copy", "collect"), _first),
    **dict.fromkeys(("[]", "[:]", "[:,]", "[:…:]", "[:…:,]", "[,:…:]", "sort", "vec"), _first),
    **dict.fromkeys(("row_to_vec", "vec_to_row"), _first),
    **dict.fromkeys(("unique", "repeat", "maximum", "minimum", "partialsort"), _first),
    **dict.fromkeys(("norm_convert", "filter", "filter_rows"), _last),
    **dict.fromkeys(("v[f.(v)]", "m[f.(m), :]"), lambda f, v, *more: v),
    **dict.fromkeys(("length", "size", "argmax", "argmin", "count", "count_rows", "count_distinct"), _counted),
    **dict.fromkeys(("above_threshold", "sparse_vector", "report_noisy_max"), _counted),
    **dict.fromkeys(
        ("gaussian_mechanism", "gaussian_noise", "laplacian_mechanism", "add_laplace", "add_normal"), _with_noise
    ),
    **dict.fromkeys(("geometric_mechanism", "add_geometric"), _last),
    **dict.fromkeys(("zeros", "ones"), lambda *given: ELEMENTS | machine.ABSTRACT if len(given) > 1 else FLOAT64),
    **dict.fromkeys(("push!", "[]=", ".=", "fill", "(… for …)", "eachrow(…)"), _first),
    "[]+=": lambda f, r, v, c: v,
    "T[]": lambda *given: ELEMENTS | machine.ABSTRACT if given else machine.ABSTRACT,
    "vcat": _joined,
    "unbox": _as_it_is,
}
"""By the names of rows, of what their arguments hold, in order."""


class JuliaSemantics(Semantics):
    """Which method runs, run-time types decide. No operation that is checked changes an array of numbers in place: of
    all values that have a type only gradients can be changed, models, and functions that have captured one. A function
    that changes what it is given says so in its name. Rows say when a call fails as it does in Julia, where numbers are
    divided by 0, and logarithms become infinite, without a failure."""

    dispatches = True
    loops_bind = True
    functions_reach_out = True
    updates_in_place = False

    storage = JuliaStorage()

    def is_changeable(self, annotation: Annotation) -> bool:
        match annotation:
            case ContainerOf(kind=kind, element=element):
                return kind is Kind.GRADIENT or element is None
            case DatasetOf(records=records):
                return self.is_changeable(records)
        return super().is_changeable(annotation)

    def may_change(self, name: str) -> bool:
        return name.endswith("!")

    def may_be_view(self, builtin: str) -> bool:
        return False

    def fails_on(self, builtin: str, known: tuple[str, ...], arguments: tuple[str, ...]) -> Collection[str]:
        return known
