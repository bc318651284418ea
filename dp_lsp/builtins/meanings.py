"""What the rows compute on concrete values: the executable meaning that their factors are tested against.

A mechanism means what its noise is added to.
:class:`Undefined` is raised where a Julia program would fail.

Concrete values, on which programs are run.

Numbers are ``int`` where the program has integers, ``Fraction`` where it has reals, and ``float`` only where a root was
taken; values of Data are numbers that are compared by equality. Vectors, gradients and models are NumPy arrays of
objects with one axis, matrices such arrays with two; tuples are tuples, and functions can be called.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Any

from dp_lsp.core.annotation import Annotation
from dp_lsp.core.types import Label, Norm

Value = Any


class Undefined(Exception):
    """The program fails on these inputs."""


class NoMeaning(Exception):
    """The program has no value of its own on given inputs, or none that is computed."""


MOST_ENTRIES = 10_000_000
"""How large a container is made."""


def array(entries: Iterable[Value], shape: tuple[int, ...] | None = None) -> Any:
    """A container of these entries, row by row; without a shape a vector."""
    import numpy as np

    listed = list(entries)
    found = np.empty(len(listed), dtype=object)
    for index, entry in enumerate(listed):
        found[index] = entry
    return found if shape is None else found.reshape(shape)


class Labelled(tuple[Value, ...]):
    """A tuple whose items have names."""

    label: Label

    @classmethod
    def of(cls, items: Iterable[Value], label: Label | None) -> tuple[Value, ...]:
        """A tuple, with a label if there is one."""
        if label is None:
            return tuple(items)
        made = cls(items)
        made.label = label
        return made

    def part(self, name: str) -> Value:
        """The item of a name."""
        return self[self.label.names.index(name)]


def with_items(value: tuple[Value, ...], items: Iterable[Value]) -> tuple[Value, ...]:
    """A tuple like another one, with other items."""
    return Labelled.of(items, value.label if isinstance(value, Labelled) else None)


class StandIn(ABC):
    """What stands for a value that is not there yet, or for one of many: ``likes`` are ordinary values, one of each
    kind that it may be of; ``ndim`` is 0 where these are no containers. It has entries only if it is asked for them."""

    ndim = 0
    likes: tuple[Value, ...]

    @abstractmethod
    def really(self) -> Value:
        """The value itself."""


def is_container(value: Value) -> bool:
    """Whether a value is a vector, a matrix, a gradient or a model."""
    return value.ndim > 0 if isinstance(value, StandIn) else hasattr(value, "shape")


def entrywise(function: Callable[..., Value], *values: Value) -> Any:
    """A container of what a function makes of the entries."""
    flat = (value.flat for value in values)
    return array((function(*items) for items in zip(*flat, strict=True)), values[0].shape)


def rows(matrix: Any) -> Iterator[Any]:
    """The rows of a matrix, as vectors."""
    return (matrix[i].copy() for i in range(matrix.shape[0]))


def records(dataset: Any) -> Iterator[Value]:
    """The numbers of a vector, or the rows of a matrix."""
    return iter(dataset.flat) if dataset.ndim == 1 else rows(dataset)


def some_records(found: Iterable[Value], dataset: Any) -> Any:
    """A dataset of records that are like those of another one."""
    listed = list(found)
    if dataset.ndim == 1:
        return array(listed)
    return array((entry for row in listed for entry in row), (len(listed), dataset.shape[1]))


def resized(kept: Iterable[Value], size: int, fill: Value) -> Any:
    """So many records: those that are kept, and others that are filled in. Beside numbers truth values are numbers."""
    numbers = [int(record) if isinstance(record, bool) else record for record in kept]
    return array([*numbers, *[fill] * (size - len(numbers))])


def norm_of(vector: Iterable[Value], norm: Norm) -> Value:
    """The norm of numbers: exact but for roots."""
    sizes = [abs(entry) for entry in vector]
    if norm is Norm.L2:
        return root(sum((size * size for size in sizes), Fraction(0)))
    return max(sizes, default=Fraction(0)) if norm is Norm.LINF else sum(sizes, Fraction(0))


def root(value: Value) -> Value:
    """A square root: exact where it is rational."""
    exact = Fraction(value)
    top, bottom = math.isqrt(exact.numerator), math.isqrt(exact.denominator)
    if top * top == exact.numerator and bottom * bottom == exact.denominator:
        return Fraction(top, bottom)
    return math.sqrt(exact)


def so_many(count: Value) -> int:
    """A number of entries of a container that is made; raises :class:`NoMeaning` for more than are computed."""
    if count > MOST_ENTRIES:
        raise NoMeaning(f"a container of it has more than {MOST_ENTRIES:,} entries")
    return int(count)


def index(i: Value, size: int) -> int:
    """Where the entry stands that Julia counts as the i-th."""
    if not 1 <= i <= size:
        raise Undefined(f"{i} is not an index of {size} entries")
    return int(i) - 1


def total(values: Iterable[Value]) -> Value:
    """The sum of numbers."""
    return sum(values, 0)


def quotient(x: Value, y: Value) -> Value:
    """x/y, entry by entry of a container."""
    if y == 0:
        raise Undefined("a division by 0")
    if is_container(x):
        return entrywise(lambda entry: quotient(entry, y), x)
    return x / y if isinstance(x, float) or isinstance(y, float) else Fraction(x) / Fraction(y)


def _counted(*given: Any) -> int:
    *function, v = given
    return sum(bool(function[0](entry) if function else entry) for entry in v.flat)


def _mean(v: Any, dims: int | None = None) -> Value:
    if dims is None:
        return quotient(total(v.flat), v.size)
    if not len(v):
        raise Undefined("a mean of no rows")
    return array([quotient(total(column), len(v)) for column in v.T], (1, v.shape[1]))


def _scatter(x: Any, y: Any) -> Value:
    """The sum of the products of how far two columns are from their means; 0 of none."""
    if not len(x):
        return Fraction(0)
    means = _mean(x), _mean(y)
    return total((a - means[0]) * (b - means[1]) for a, b in zip(x, y, strict=True))


def _covariance(m: Any, i: Value, j: Value, corrected: bool = True) -> Value:
    return quotient(_cross(m, i, j), len(m) - corrected)


def _cross(m: Any, i: Value, j: Value) -> Value:
    return _scatter(*(m[:, index(k, m.shape[1])] for k in (i, j)))


def _kth(v: Any, k: Value) -> Value:
    return sorted(v)[index(k, v.size)]


def _quantile(v: Any, alpha: Value) -> Value:
    if not v.size or not 0 <= alpha <= 1:
        raise Undefined("no such quantile")
    below, part = divmod((v.size - 1) * Fraction(alpha), 1)
    inside = sorted(map(Fraction, v))
    return inside[int(below)] + part * (inside[min(int(below) + 1, v.size - 1)] - inside[int(below)])


def _histogram(v: Any, edges: Any) -> Any:
    """Bins overlap where the edges do not rise; a number is counted in the first of them alone."""
    bins = list(pairwise(edges))
    first = [next((place for place, (low, high) in enumerate(bins) if low <= x < high), None) for x in v]
    return array(first.count(place) for place in range(len(bins)))


def _up_to(v: Any, thresholds: Any) -> Any:
    return array(sum(x <= each for x in v) for each in thresholds)


def _ranks(v: Any, alpha: Value, candidates: Any) -> Any:
    below = ((1 - alpha) * sum(x < c for x in v) - alpha * sum(x > c for x in v) for c in candidates)
    return array(-abs(each) for each in below)


def _repeated(v: Any, times: Value) -> Any:
    so_many(times * v.size)
    return some_records([*records(v)] * int(times), v)


def _resized(v: Any, size: Value, fill: Value) -> Any:
    """Of the records that may be taken, the smallest: what is claimed holds whichever are."""
    count = so_many(size)
    return resized(sorted(v)[:count], count, fill)


_OF_DATASETS: dict[str, Callable[..., Value]] = {
    "count": _counted,
    "mean": _mean,
    "var": lambda v, corrected=True: quotient(_scatter(v, v), v.size - corrected),
    "squared_deviations": lambda v: _scatter(v, v),
    "covariance": _covariance,
    "cross_deviations": _cross,
    "maximum": lambda v: _kth(v, v.size),
    "minimum": lambda v: _kth(v, 1),
    "partialsort": _kth,
    "median": lambda v: _quantile(v, Fraction(1, 2)),
    "quantile": _quantile,
    "count_distinct": lambda v: len({tuple(each) if is_container(each) else each for each in records(v)}),
    "histogram": _histogram,
    "cumulative_counts": _up_to,
    "quantile_score": _ranks,
    "filter": lambda f, v: array(filter(f, v)),
    "count_rows": lambda p, m: sum(map(bool, map(p, rows(m)))),
    "filter_rows": lambda p, m: some_records(filter(p, rows(m)), m),
    "unique": lambda v: array(dict.fromkeys(v)),
    "repeat": _repeated,
    "resize": _resized,
}
"""By the names of rows."""


def _repeated_entry(x: Value, n: Value) -> Value:
    if n < 0:
        raise Undefined("a vector of fewer than no entries")
    return array([x] * so_many(n))


def _with_entries(v: Value, w: Value) -> Value:
    if len(v) != len(w):
        raise Undefined("a vector of another length")
    return w


def _with_entry(v: Value, i: Value, x: Value) -> Value:
    if i != int(i) or not 1 <= i <= v.size:
        raise Undefined("a position that is not there")
    changed = v.copy()
    changed[int(i) - 1] = x
    return changed


def _tallied(function: Callable[..., Value], records: Any, v: Value, more: Value) -> Value:
    for record in records:
        place = function(record)
        v = _with_entry(v, place, v[index(place, v.size)] + more)
    return v


def _entries_of(x: Value) -> Iterable[Value]:
    return x if is_container(x) else (x,)


def _root(x: Value) -> Value:
    if x < 0:
        raise Undefined("a root of a negative number")
    return root(x)


def _logarithm(x: Value) -> Value:
    """A logarithm; that of 0 is not a number to go on with."""
    if x <= 0:
        raise Undefined("a logarithm of a number that is not positive")
    return math.log(x)


def _exponential(x: Value) -> Value:
    try:
        return math.exp(x)
    except OverflowError:
        raise NoMeaning("its numbers are too large") from None


def _rounding(whole: Callable[[Value], int]) -> Callable[..., Value]:
    """Rounding a number, perhaps into a type, which is given first, or with digits behind the point. A float stays
    one."""

    def rounded(*given: Value, digits: int | None = None) -> Value:
        x = given[-1]
        if digits is None:
            found = whole(x)
            return found if len(given) > 1 or isinstance(x, int) else Fraction(found)
        unit = Fraction(10) ** int(digits)
        return whole(Fraction(x) * unit) / unit

    return rounded


def _place(best: Callable[..., int]) -> Callable[[Any], int]:
    """Where the first entry stands of those that are the best."""
    return lambda v: 1 + best(range(v.size), key=lambda place: v[place])


def _sum(*values: Value) -> Value:
    return reduce(_added, values)


def _added(x: Value, y: Value) -> Value:
    if is_container(x):
        _same_shape(x, y)
        return entrywise(lambda a, b: a + b, x, y)
    return x + y


def _difference(*values: Value) -> Value:
    if len(values) == 1:
        return _product(-1, values[0])
    return _added(values[0], _product(-1, values[1]))


def _product(*values: Value) -> Value:
    return reduce(_times, values)


def _times(x: Value, y: Value) -> Value:
    if is_container(x):
        return entrywise(lambda entry: entry * y, x)
    return entrywise(lambda entry: x * entry, y) if is_container(y) else x * y


def _remainder(x: Value, s: Value) -> Value:
    """What is left after dividing towards 0: it has the sign of x."""
    return x - s * math.trunc(quotient(x, s))


def _modulo(x: Value, s: Value) -> Value:
    return x - s * math.floor(quotient(x, s))


def _clamped(x: Value, low: Value, high: Value) -> Value:
    return high if x > high else low if x < low else x


def _clipped_number(x: Value, upper: Value, lower: Value) -> Value:
    if lower > upper:
        raise Undefined("bounds that are not in order")
    return _clamped(x, lower, upper)


def _equal(x: Value, y: Value) -> bool:
    if is_container(x):
        return bool(x.shape == y.shape and all(a == b for a, b in zip(x.flat, y.flat, strict=True)))
    return bool(x == y)


def _entry(v: Any, *indices: Value) -> Value:
    if isinstance(v, tuple):
        return v[index(indices[0], len(v))]
    return v[tuple(index(i, size) for i, size in zip(indices, v.shape, strict=True))]


def _slice(v: Any, first: Value, last: Value) -> Any:
    if first <= last:
        index(first, len(v)), index(last, len(v))
    return v[int(first) - 1 : max(int(last), int(first) - 1)].copy()


def _row(m: Any, i: Value) -> Any:
    return m[index(i, m.shape[0])].copy()


def _column(m: Any, j: Value) -> Any:
    return m[:, index(j, m.shape[1])].copy()


def _summed(*args: Value, dims: int | None = None) -> Value:
    *function, box = args
    if dims is not None:
        along = box.T if dims == 1 else box
        totals = [total(row) for row in along]
        return array(totals, (1, len(totals)) if dims == 1 else (len(totals), 1))
    if function and not box.size:
        raise Undefined("a sum of what is made of nothing")
    return total(function[0](entry) if function else entry for entry in box.flat)


def _transposed(value: Value) -> Value:
    if not is_container(value):
        return value
    return value.reshape(1, -1).copy() if value.ndim == 1 else value.T.copy()


def _clip(norm: Norm, *args: Value) -> Any:
    most, v = args if len(args) > 1 else (1, *args)

    def of(row: Any) -> Any:
        size = norm_of(row, norm)
        return row.copy() if size <= most else entrywise(lambda entry: quotient(entry * most, size), row)

    return of(v) if v.ndim == 1 else array((entry for row in rows(v) for entry in of(row)), v.shape)


def _copied(value: Value) -> Value:
    return value.copy() if is_container(value) else value


def _mapped(function: Callable[..., Value], v: Any) -> Any:
    return entrywise(function, v)


def _broadcast(function: Callable[..., Value], *given: Value) -> Value:
    """A function of the entries of containers of one size, and of numbers that are the same for each; a container of
    one entry along a dimension gives that one to all."""
    boxes = [value for value in given if is_container(value)]
    if not boxes:
        return function(*given)
    axes = max(box.ndim for box in boxes)
    sizes = [*zip(*(((*box.shape, 1)[:axes] if box.ndim < axes else box.shape) for box in boxes), strict=True)]
    shape = tuple(next((size for size in along if size != 1), 1) for along in sizes)
    if any(size not in (1, most) for along, most in zip(sizes, shape, strict=True) for size in along):
        raise Undefined("sizes that differ")
    spread = [_stretched(value, shape) if is_container(value) else itertools.repeat(value) for value in given]
    count = math.prod(shape)
    return array([function(*(next(each) for each in spread)) for _ in range(count)], shape)


def _stretched(box: Any, shape: tuple[int, ...]) -> Iterator[Value]:
    """The entries of a container, as often as it takes to fill a shape."""
    own = box.reshape((*box.shape, *(1,) * (len(shape) - box.ndim)))
    for places in itertools.product(*map(range, shape)):
        yield own[tuple(place if size > 1 else 0 for place, size in zip(places, own.shape, strict=True))]


def _picked(function: Callable[..., Value], box: Any, *more: Value) -> Any:
    """The entries, or the rows, of a container at the places where a mask is true."""
    over = [*rows(box)] if box.ndim > 1 else [*box]
    mask = [function(each, *more) for each in over]
    if not all(isinstance(each, bool) for each in mask) or any(map(is_container, more)):
        raise NoMeaning("no mask of what it picks of")
    kept = [each for each, there in zip(over, mask, strict=True) if there]
    return some_records(kept, box) if box.ndim > 1 else array(kept)


def _mapped_rows(function: Callable[..., Value], *matrices: Any) -> Any:
    _same_height(*matrices)
    made = [function(*together) for together in zip(*map(rows, matrices), strict=True)]
    like = made[0] if made else _made_of_any(function, *(matrix.shape[1] for matrix in matrices))
    if not is_container(like):
        return array(made)
    return array((entry for row in made for entry in row), (len(made), len(like)))


_ANY: tuple[Callable[[int], Value], ...] = (
    lambda place: 0,
    lambda place: place * place + 1,
    lambda place: Fraction(2**place, 3),
    lambda place: True,
)
"""Entries of rows, by their places."""


def _made_of_any(function: Callable[..., Value], *widths: int) -> Value:
    """What a function makes of some rows. Where there is no row, its result is as long all the same: how long it is
    depends on nothing but how long rows are."""
    for entry in _ANY:
        try:
            return function(*(array(map(entry, range(width))) for width in widths))
        except Undefined:  # of 0, say, by which it divides
            continue
    raise Undefined("nothing tells what the function makes of a row")


def _mapped_columns(function: Callable[..., Value], *matrices: Any) -> Any:
    _same_shape(*matrices)
    return _transposed(_mapped_rows(function, *map(_transposed, matrices)))


def _folded(function: Callable[..., Value], start: Value, v: Any) -> Value:
    for entry in v.T.flat:  # column by column
        start = function(entry, start)
    return start


def _same_shape(*values: Any) -> None:
    if len({value.shape for value in values}) > 1:
        raise Undefined("sizes that differ")


def _same_height(*values: Any) -> None:
    if len({value.shape[0] for value in values}) > 1:
        raise Undefined("numbers of rows that differ")


def _unboxed(value: Value, form: Annotation, *sizes: Value) -> Value:
    """What a black box returned; one may return a function, to be told as what it is unboxed."""
    return value(form, *sizes) if callable(value) else value


def _hidden(*args: Value) -> Value:
    return args[-1]


def _moved_into(x: Value, low: Value, high: Value) -> Value:
    return entrywise(lambda each: _clamped(each, low, high), x) if is_container(x) else _clamped(x, low, high)


def _range(first: Value, *more: Value) -> Any:
    *steps, last = more
    step = steps[0] if steps else 1
    if step == 0:
        raise Undefined("a range whose step is 0")
    count = so_many(max(0, math.floor(Fraction(last - first) / Fraction(step)) + 1))
    return array(first + step * place for place in range(count))


def _defined(function: Callable[[float], float]) -> Callable[[Value], Value]:
    """A function of numbers; where it is not defined a run fails."""

    def run(x: Value) -> Value:
        try:
            return function(float(x))
        except OverflowError:
            raise NoMeaning("its numbers are too large") from None
        except ValueError:
            raise Undefined("a function where it is not defined") from None

    return run


_APPROXIMATE: dict[str, Callable[..., Value]] = {
    **{
        name: _defined(getattr(math, name))
        for name in (
            *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
            *("expm1", "exp2", "cbrt", "log1p", "log2", "log10"),
        )
    },
    "exp10": _defined(lambda x: 10.0**x),
    "sinpi": _defined(lambda x: math.sin(math.pi * x)),
    "cospi": _defined(lambda x: math.cos(math.pi * x)),
}
APPROXIMATE = frozenset(_APPROXIMATE)
"""Rows of which what they compute here is near what they mean."""

_ELEMENTARY: dict[str, Callable[..., Value]] = {
    **_APPROXIMATE,
    "pi": lambda: Fraction(math.pi),
    "abs2": lambda x: x * x,
    **dict.fromkeys(("float", "Float64", "Float32"), lambda x: Fraction(x)),
    "Int": int,
    "zero": lambda x: x * 0,
    "imag": lambda x: x * 0,
    **dict.fromkeys(("one", "oneunit"), lambda x: x * 0 + 1),
    "iszero": lambda x: x == 0,
    "isone": lambda x: x == 1,
    "isinteger": lambda x: Fraction(x).denominator == 1,
    "iseven": lambda x: x % 2 == 0,
    "isodd": lambda x: x % 2 == 1,
    "sign": lambda x: (x > 0) - (x < 0),
    **dict.fromkeys(("real", "conj"), lambda x: x),
    "muladd": lambda x, y, z: x * y + z,
    "isempty": lambda v: not v.size,
}
"""By the names of rows."""

MEANINGS: dict[str, Callable[..., Value]] = {
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": quotient,
    "^": lambda x, n: x ** int(n),
    "%": _remainder,
    "mod": _modulo,
    "ceil": math.ceil,
    "abs": abs,
    "exp": _exponential,
    "round": _rounding(round),
    "floor": _rounding(math.floor),
    "trunc": _rounding(math.trunc),
    "sort": lambda v: array(sorted(v)),
    "argmax": _place(max),
    "argmin": _place(min),
    "sqrt": _root,
    "log": _logarithm,
    "min": min,
    "max": max,
    "clamp": _moved_into,
    "clipn": _clipped_number,
    "disc": lambda x: x,
    "undisc": lambda x: x,
    "==": _equal,
    "!=": lambda x, y: not _equal(x, y),
    "<": lambda x, y: bool(x < y),
    "<=": lambda x, y: bool(x <= y),
    ">": lambda x, y: bool(x > y),
    ">=": lambda x, y: bool(x >= y),
    "!": lambda b: not b,
    "&&": lambda a, b: bool(a and b()),
    "||": lambda a, b: bool(a or b()),
    "ifelse": lambda c, a, b: a if c else b,
    "[]": _entry,
    "[:]": _row,
    "[:…:]": _slice,
    "[:…:,]": _slice,
    "[,:…:]": lambda m, first, last: _slice(m.T, first, last).T.copy(),
    "[:,]": _column,
    ":": _range,
    "[…]": lambda *entries: array(entries),
    "zeros": lambda *given: _repeated_entry(Fraction(0), given[-1]),
    "ones": lambda *given: _repeated_entry(Fraction(1), given[-1]),
    "fill": _repeated_entry,
    "T[]": lambda *type_: array(()),
    "push!": lambda v, x: array((*v, x)),
    "[]=": _with_entry,
    "[]+=": _tallied,
    ".=": _with_entries,
    "vcat": lambda v, w: array((*_entries_of(v), *_entries_of(w))),
    "length": lambda v: int(v.size),
    "size": lambda m, i=None: m.shape if i is None else int(m.shape[i - 1]),
    "sum": _summed,
    "transpose": _transposed,
    "'": _transposed,
    **dict.fromkeys(("row_to_vec", "vec"), lambda m: m.reshape(-1).copy()),
    "vec_to_row": lambda v: v.reshape(1, -1).copy(),
    "clip": _clip,
    "clip_vector": lambda most, v: _clip(Norm.L2, most, v),
    "as_vector": _copied,
    "dot_product": lambda v, w: sum((a * b for a, b in zip(v, w, strict=True)), Fraction(0)),
    "vector_norm": lambda v: norm_of(v, Norm.L2),
    "undisc_container": _copied,
    "norm_convert": lambda norm, v: v.copy(),
    "clone": _copied,
    **dict.fromkeys(("deepcopy", "copy", "collect"), _copied),
    "map": _mapped,
    "(… for …)": lambda v: v,
    "f.(v)": _broadcast,
    **dict.fromkeys(("v[f.(v)]", "m[f.(m), :]"), _picked),
    "eachrow(…)": lambda m: m.copy(),
    "[… for … in eachrow(m)]": _mapped_rows,
    "map_rows": _mapped_rows,
    "map_cols": _mapped_columns,
    "map_rows_binary": _mapped_rows,
    "map_cols_binary": _mapped_columns,
    "fold": _folded,
    **_ELEMENTARY,
    **_OF_DATASETS,
    "zero_gradient": lambda m: entrywise(lambda entry: Fraction(0), m),
    "sum_gradients": _sum,
    "scale_gradient": _product,
    "subtract_gradient": _difference,
    "unbox": _unboxed,
    "internal_expect_const": lambda x: x,
    "gaussian_mechanism": _hidden,
    "gaussian_noise": _hidden,
    "laplacian_mechanism": _hidden,
    "add_laplace": _hidden,
    "add_normal": _hidden,
    "geometric_mechanism": _hidden,
    "add_geometric": _hidden,
}
"""By the names of rows. The second argument of one that is lazy is called to be evaluated."""

WITHOUT_MEANING = {
    "internal_mutate": "stands for any change that is 2-sensitive",
    "above_threshold": "chooses at random",
    "exponential_mechanism": "chooses at random",
    "report_noisy_max": "chooses at random",
    "private_quantile": "chooses at random",
    "sparse_vector": "chooses at random",
    "numeric_sparse": "chooses at random",
    "randomized_response": "chooses at random",
    "reduce_cols": "runs a private function",
    "parallel_private_fold_rows": "runs a private function",
    "map_parts": "runs a private function",
    "sample": "draws at random",
    "sample_poisson": "draws at random",
    "sampled_gaussian": "draws at random",
    "sample_with_replacement": "draws at random",
}
"""Rows that have no value of their own on given inputs, and why."""
