"""Rows that call a function they are given: maps, folds, counts.

Broadcasts: a function that is called on the entries of containers, `f.(v, w)`, and what a mask that is made so
picks of one of them, `v[v .> 65]` and `m[m[:, 1] .> 65, :]`.

As a row, the function is given first, and then all that it goes over. Numbers among that are the same for each entry:
a function reads them as it reads what it has captured, and inference, which knows which of them are numbers, takes them
out (:mod:`dp_lsp.infer.terms`). So forms take containers.

A mask picks what stands where it is true, so it is a filter where it is made of what it picks of, entry by entry: by
the record alone. One that is made of another container picks by position, of which nothing is said in a dataset.

Source: the Julia manual, "Broadcasting" and "Logical indexing".
"""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.builtins import datasets, linear, monotonicity, statistics
from dp_lsp.builtins.datasets import (
    MAP,
    ROWS_OF_PEOPLE,
    applied_to,
    may_be_empty,
    of_records,
    once,
    per_step,
    some_of,
    twice,
)
from dp_lsp.builtins.define import Application, Args, Builtin, Demand, Form, Refusal, Refused, each, form, only
from dp_lsp.builtins.patterns import ANY, Arrow, Box, Records
from dp_lsp.builtins.traits import Broadcasts, ByRecord, ComposableFilter, ForRows, LosesFacts, NeverNaN, RecordCount
from dp_lsp.core import sens
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.metrics import conversion, has_gap, is_data, spread
from dp_lsp.core.sens import ONE, Sens, magnitude
from dp_lsp.core.types import (
    INTEGER,
    Base,
    BoolType,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    Norm,
    NumberType,
    Type,
    TypeVariable,
    without_static,
    without_value,
)
from dp_lsp.core.values import replace

_ENTRYWISE = (
    "Entry by entry the result moves s times as far, in every norm; what the function captures moves every entry"
)
_ROWWISE = "A matrix is measured by the sum over its rows, and each row of the result moves s times as far as its row"
_COLUMNWISE = (
    "Every norm of a column is at most the sum of its entries, and the entries of a row sum up to at most 1, √n or n "
    "times its norm in L1, L2 and LInf"
)
_FOLDED = (
    "Induction over the elements: one that is followed by j others moves the result s₁·s₂ʲ times as far, and what "
    "every step reads 1 + s₂ + … + s₂ᴺ⁻¹ times"
)
_COUNTED = "A count moves by 1 for each element whose answer changes; Σ ≤ 1, √n or n times the norm"

MAKING = "map"
AS_VIEWS = "eachrow(…)"
"""The id of a matrix whose rows are seen as views of it, which has no name: it is no value of its own."""
_WITH_ENTRIES = frozenset(Kind)
_MATRIX = frozenset({Kind.MATRIX})
_FUNCTION = Arrow()
_TRUTHS = Box(frozenset({Kind.VECTOR}), truth=True)


def _element(name: str) -> Callable[[Args], tuple[Type, ...]]:
    return lambda args: (args.container(name).element,)


def _vector(matrix: Container, length: Poly, norm: Norm | NormVariable, clip: Clip = Clip.U) -> Container:
    return Container(Kind.VECTOR, norm, clip, length, matrix.element)


def _row(name: str) -> Callable[[Args], Container]:
    """A row as a function is given it, which is a Vector where that is known of the matrix."""

    def of(args: Args) -> Container:
        matrix = args.container(name)
        return replace(_vector(matrix, matrix.length, matrix.norm, matrix.clip), stored=matrix.stored)

    return of


def _column(name: str, norm: Callable[[Container], Norm | NormVariable]) -> Callable[[Args], Container]:
    def of(args: Args) -> Container:
        matrix = args.container(name)
        assert matrix.rows is not None
        return _vector(matrix, matrix.rows, norm(matrix))

    return of


def _by_name(args: Args, *order: tuple[str, Sens]) -> tuple[Sens, ...]:
    factors = dict(order)
    return tuple(factors[name] for name in args.names)


def _mapped(args: Args) -> Type | Refusal:
    element = without_value(args.applied["f"].result)
    if not isinstance(element, NumberType | BoolType | FunctionType | TypeVariable):
        return Refusal("the function must return numbers")
    return args.container("v").of(element)


def map_factors(args: Args) -> tuple[Sens, ...]:
    """What the function captured moves every entry."""
    return _by_name(args, ("f", spread(args.container("v"))), ("v", args.applied["f"].factors[0]))


def _published_map_factors(args: Args) -> tuple[Sens, ...]:
    box = args.container("v")
    return _by_name(args, ("f", magnitude(box.entries)), ("v", args.applied["f"].factors[0]))


def _returned_vector(args: Args) -> Container | Refusal:
    result = args.applied["f"].result
    if isinstance(result, Container) and result.kind is Kind.VECTOR:
        return result
    return Refusal("the function must return a vector")


def _of_rows(args: Args) -> Type | Refusal:
    """A matrix whose rows are the vectors that the function returns."""
    row = _returned_vector(args)
    if isinstance(row, Refusal):
        return row
    first = next(type_ for type_ in args.types if isinstance(type_, Container))
    return Container(Kind.MATRIX, row.norm, row.clip, row.length, row.element, first.rows)


def _of_columns(args: Args) -> Type | Refusal:
    """A matrix whose columns are the vectors that the function returns. How far it moves is the same in every norm."""
    column = _returned_vector(args)
    if isinstance(column, Refusal):
        return column
    first = next(type_ for type_ in args.types if isinstance(type_, Container))
    norm = NormVariable("norm", free=True)
    return Container(Kind.MATRIX, norm, Clip.U, first.length, column.element, column.length)


def _row_factors(*matrices: str, captured: Callable[[Container], Poly]) -> Callable[[Args], tuple[Sens, ...]]:
    def factors(args: Args) -> tuple[Sens, ...]:
        own = args.applied["f"].factors
        times = magnitude(captured(args.container(matrices[0])))
        return _by_name(args, ("f", times), *zip(matrices, own, strict=True))

    return factors


def _rows_of(matrix: Container) -> Poly:
    assert matrix.rows is not None
    return matrix.rows


def _column_factors(
    *matrices: str, captured: Callable[[Container], Poly], entrywise: Callable[[Container], Sens]
) -> Callable[[Args], tuple[Sens, ...]]:
    def factors(args: Args) -> tuple[Sens, ...]:
        column = args.applied["f"].result
        assert isinstance(column, Container), "the row has refused anything else"
        in_l1 = conversion(column.norm, Norm.L1, column.length)
        times = magnitude(captured(args.container(matrices[0])))
        own = [
            (name, factor * entrywise(args.container(name)) * in_l1)
            for name, factor in zip(matrices, args.applied["f"].factors, strict=True)
        ]
        return _by_name(args, ("f", times * in_l1), *own)

    return factors


def _in_l1(matrix: Container) -> Sens:
    return conversion(matrix.norm, Norm.L1, matrix.length)


def _wide(matrix: Container) -> Sens:
    return magnitude(matrix.length)


_STATE = 1  # the place of what a fold carries, among what it calls its function with


def _folded(args: Args) -> Type:
    return without_static(args.applied["f"].result)


def _fold_factors(args: Args) -> tuple[Sens, ...]:
    box, (of_element, of_state) = args.container("v"), args.applied["f"].factors
    steps = box.entries
    grown = of_element * sens.power(of_state.at_least(ONE), steps - Poly.of(1))
    all_entries = grown * conversion(box.norm, Norm.L1, box.length)
    return _by_name(
        args,
        ("f", sens.geometric(of_state, steps)),
        ("a", sens.power(of_state, steps)),
        ("v", of_element if _selects_state(args) else all_entries),
    )


def _selects_state(args: Args) -> bool:
    """Whether a step returns what it is carried, or what it makes of the entry alone. Then it moves by no more than the
    larger of both do, and after all steps by no more than the entry that moves furthest, or what it started with. No
    entry moves further than all of them do, in any norm."""
    applied, box = args.applied["f"], args.container("v")
    return _STATE in applied.selects and isinstance(applied.result, NumberType) and not is_data(box.element)


def _published_fold_factors(args: Args) -> tuple[Sens, ...]:
    box, (of_element, of_state) = args.container("v"), args.applied["f"].factors
    steps = box.entries
    return _by_name(args, ("f", magnitude(steps)), ("a", sens.power(of_state, steps)), ("v", of_element))


def _counted(args: Args) -> Type | Refusal:
    answer = args.applied["p"].result
    return INTEGER if isinstance(answer, BoolType | TypeVariable) else Refusal("the function must return a Bool")


def _count_factors(args: Args) -> tuple[Sens, ...]:
    """Two different answers are 1 apart, and so are, at least, two different elements of a type with gaps."""
    box = args.container("v")
    once = ONE if has_gap(box.element) else args.applied["p"].factors[0]
    return _by_name(args, ("p", magnitude(box.length)), ("v", once * _in_l1(box)))


def _published_count_factors(args: Args) -> tuple[Sens, ...]:
    return _by_name(args, ("p", sens.INFINITY), ("v", ONE))


def _counted_truths(args: Args) -> Type | Refusal:
    found = args["v"]
    element = found.element if isinstance(found, Container) else args.records.records.element
    return (
        INTEGER if isinstance(element, BoolType) else Refusal("it counts truth values, and takes a function for others")
    )


def _fold_form(factors: Callable[[Args], tuple[Sens, ...]], norm: Norm | None = None) -> Form:
    def given(args: Args) -> tuple[Type, ...]:
        return args.container("v").element, args["a"]

    return form(
        _folded,
        factors,
        passes_on=("f", "a"),
        applies=Application("f", given, carried=_STATE),
        f=_FUNCTION,
        a=ANY,
        v=Box(_WITH_ENTRIES, norm),
    )


def _binary_rows(captured: Callable[[Container], Poly]) -> Form:
    def given(args: Args) -> tuple[Type, ...]:
        return _row("A")(args), _row("B")(args)

    box = Box(_MATRIX, Norm.LINF, rows="r")
    factors = _row_factors("A", "B", captured=captured)
    return form(_of_rows, factors, applies=Application("f", given), f=_FUNCTION, A=box, B=box)


def _in_any_norm(matrix: Container) -> Norm | NormVariable:
    """Of columns: none is further than its matrix in L1, where no entry is further than its row, so in no norm."""
    return NormVariable("norm", free=True)


def _binary_columns(captured: Callable[[Container], Poly]) -> Form:
    def given(args: Args) -> tuple[Type, ...]:
        return tuple(_column(name, _in_any_norm)(args) for name in ("A", "B"))

    box = Box(_MATRIX, Norm.LINF, rows="r", length="n")
    factors = _column_factors("A", "B", captured=captured, entrywise=_wide)
    return form(_of_columns, factors, applies=Application("f", given), f=_FUNCTION, A=box, B=box)


def _columns(
    entrywise: Callable[[Container], Sens], norm: Callable[[Container], Norm | NormVariable] = _in_any_norm
) -> Form:
    def given(args: Args) -> tuple[Type, ...]:
        return (_column("m", norm)(args),)

    factors = _column_factors("m", captured=lambda matrix: matrix.length, entrywise=entrywise)
    applied = Application("f", given)
    return form(_of_columns, factors, applies=applied, linear=linear.mapped, f=_FUNCTION, m=Box(_MATRIX))


def map_form(factors: Callable[[Args], tuple[Sens, ...]], kinds: frozenset[Kind] = _WITH_ENTRIES) -> Form:
    """A function that is called with each entry of a container."""
    box = Box(kinds)
    applied = Application("f", _element("v"))
    return form(_mapped, factors, applies=applied, passes_on=("f", "v"), linear=linear.mapped, f=_FUNCTION, v=box)


def _count_form(factors: Callable[[Args], tuple[Sens, ...]], bases: frozenset[Base]) -> Form:
    box = Box(frozenset({Kind.VECTOR, Kind.GRADIENT}), bases=bases)
    return form(_counted, factors, applies=Application("p", _element("v")), p=_FUNCTION, v=box)


ROWS: tuple[Builtin, ...] = (
    Builtin(
        MAKING,
        "map(f, v)",
        (map_form(map_factors), datasets.MAP),
        "The function applied to every entry of a vector, a matrix or a gradient. As sensitive in v as the function "
        "is; what the function captures counts for every entry (n, √n or 1 times in L1, L2 and LInf, times the rows of "
        "a matrix).",
        _ENTRYWISE,
        (
            "g(x) = 2 * x\nf(v::MetricVector(Real, L1)) = map(g, v)",
            "f(v::MetricVector(Real, Symmetric)) = map(x -> clamp(x, 0, 9), v)",
            "f(g::MetricGradient(Real, L2)) = map(x -> 2 * x, g)",
        ),
        (
            Refused("f(v::MetricVector(Real, L1), x::Real) = map(x, v)", "DP202"),
            Refused("g(x) = [x]\nf(v::MetricVector(Real, L1)) = map(g, v)", "DP208"),
        ),
        published=(map_form(_published_map_factors),),
        traits=(
            LosesFacts("the results of its function have no known bounds"),
            ForRows("map_rows"),
            ByRecord.MAPS,
            monotonicity.MAPPED,
        ),
    ),
    Builtin(
        "map_rows",
        "map_rows(f, m)",
        (
            form(
                _of_rows,
                _row_factors("m", captured=_rows_of),
                applies=Application("f", lambda args: (_row("m")(args),)),
                linear=linear.mapped,
                f=_FUNCTION,
                m=Box(_MATRIX),
            ),
            datasets.MAP_ROWS,
        ),
        "The function applied to every row of a matrix; what it returns are the rows of the result. As sensitive in m "
        "as the function is; what the function captures counts once for each row. Of a dataset the function may also "
        "return a number, and is 1-sensitive whatever it does. Of no rows it makes none, and they are as long all the "
        "same.",
        _ROWWISE,
        (
            "g(v) = 2 * v\nf(m::MetricMatrix(Real, L2)) = map_rows(g, m)",
            "f(m::MetricMatrix(Real, Symmetric)) = sum(map_rows(row -> clamp(row[1], 0, 9), m))",
        ),
        (Refused("g(v) = v[1]\nf(m::MetricMatrix(Real, L2)) = map_rows(g, m)", "DP208"),),
        traits=(LosesFacts("the results of its function have no known bounds"), ByRecord.MAPS, monotonicity.BY_ROWS),
    ),
    Builtin(
        AS_VIEWS,
        "… for row in eachrow(m)",
        (
            form(lambda args: args.dataset("m"), only(m=ONE), m=datasets.ROWS_OF_PEOPLE),
            form(lambda args: args["m"], only(m=ONE), linear=linear.itself("m"), m=Box(_MATRIX, truth=True)),
        ),
        "The rows of a matrix, one after the other, as a loop goes over them, or a comprehension over those of a "
        "dataset: each is a view, and no Vector.",
        "It is the matrix itself",
        (
            "f(m::MetricMatrix(Real, Symmetric)) = sum([clamp(row[1], 0, 1) for row in eachrow(m)])",
            "function f(m::MetricMatrix(Real, L1))\n    t = 0\n    for row in eachrow(m)\n        t += row[1]\n"
            "    end\n    t\nend",
        ),
        (Refused("f(x::Real) = [2 * row for row in eachrow(x)]", "DP202"),),
        traits=(monotonicity.IN_ALL,),
    ),
    Builtin(
        "map_cols",
        "map_cols(f, m)",
        (_columns(_in_l1),),
        "The function applied to every column of a matrix; what it returns, measured in L1, are the columns of the "
        "result. 1, √n or n times as sensitive in m as the function is, for rows of n entries in L1, L2 and LInf; what "
        "the function captures counts once for each column. Columns are not clipped, even where rows are.",
        _COLUMNWISE,
        ("g(v) = 2 * v\nf(m::MetricMatrix(Real, L1)) = map_cols(g, m)",),
        (Refused("g(v) = v[1]\nf(m::MetricMatrix(Real, L1)) = map_cols(g, m)", "DP208"),),
        published=(_columns(_wide, lambda matrix: matrix.norm),),
        traits=(monotonicity.AS_APPLIED,),
    ),
    Builtin(
        "map_rows_binary",
        "map_rows_binary(f, A, B)",
        (_binary_rows(_rows_of),),
        "The function applied to the rows of two matrices with the same number of rows, pair by pair. The matrices are "
        "measured in LInf, and so are the rows the function is given. As sensitive in each as the function is; what it "
        "captures counts once for each row.",
        _ROWWISE,
        ("g(v, w) = v + w\nf(A::MetricMatrix(Real, LInf), B::MetricMatrix(Real, LInf)) = map_rows_binary(g, A, B)",),
        (
            Refused("g(v, w) = v + w\nf(A::MetricMatrix(Real, L1)) = map_rows_binary(g, A, A)", "DP202"),
            Refused("g(v, w) = v[1]\nf(A::MetricMatrix(Real, LInf)) = map_rows_binary(g, A, A)", "DP208"),
        ),
        published=(_binary_rows(lambda matrix: matrix.length),),
        traits=(monotonicity.AS_APPLIED,),
    ),
    Builtin(
        "map_cols_binary",
        "map_cols_binary(f, A, B)",
        (_binary_columns(lambda matrix: matrix.length),),
        "The function applied to the columns of two matrices of one size, pair by pair; what it returns is measured in "
        "L1. The matrices are measured in LInf. n times as sensitive in each as the function is, for rows of n "
        "entries; what it captures counts once for each column.",
        _COLUMNWISE,
        ("g(v, w) = v + w\nf(A::MetricMatrix(Real, LInf), B::MetricMatrix(Real, LInf)) = map_cols_binary(g, A, B)",),
        (
            Refused("g(v, w) = v + w\nf(A::MetricMatrix(Real, L1)) = map_cols_binary(g, A, A)", "DP202"),
            Refused("g(v, w) = v[1]\nf(A::MetricMatrix(Real, LInf)) = map_cols_binary(g, A, A)", "DP208"),
        ),
        published=(_binary_columns(lambda box: box.entries),),
        traits=(monotonicity.AS_APPLIED,),
    ),
    Builtin(
        "fold",
        "fold(f, a, v)",
        (_fold_form(_fold_factors),),
        "Goes through the entries, first to last, with a value that starts as a: each step is f(entry, value). With s₁ "
        "and s₂ how sensitive a step is in the entry and in the value, N entries make the result s₁·max(1, s₂)ᴺ⁻¹-"
        "sensitive in the entries (times √n or n in L2 and LInf) and s₂ᴺ-sensitive in a; what the function captures "
        "counts 1 + s₂ + … + s₂ᴺ⁻¹ times.",
        _FOLDED,
        (
            "g(e, a) = e + a\nf(v::MetricVector(Real, L1)) = fold(g, 0.0, v)",
            "g(e, a) = e + a\nf(v::MetricGradient(Real, L1)) = fold(g, 0.0, v)",
        ),
        (Refused("g(e, a) = e\nf(v::MetricVector(Data, L1), x::Real) = fold(g, x, v)", "DP208"),),
        published=(_fold_form(_published_fold_factors, Norm.L1),),
        traits=(monotonicity.FOLDED,),
    ),
    Builtin(
        "count",
        "count(p, v), count(v)",
        (
            _count_form(_count_factors, frozenset(Base)),
            statistics.COUNT,
            form(_counted_truths, only(v=lambda args: _in_l1(args.container("v"))), v=_TRUTHS),
            form(_counted_truths, only(v=datasets.counted), v=datasets.NUMBERS),
        ),
        "How many entries of a vector the function says true of, or are true themselves. 1-sensitive in L1, √n in L2 "
        "and n in LInf for Data and Integer, whatever the function does; what it captures counts once for each entry.",
        _COUNTED,
        (
            "f(v::MetricVector(Data, L1)) = count(x -> x == 3, v)",
            "f(v::MetricVector(Real, Symmetric)) = count(x -> x > 3, v)",
            "f(v::MetricVector(Real, Symmetric)) = count(v .> 3)",
            "f(v::MetricVector(Integer, L1)) = count(v .> 3)",
        ),
        (
            Refused("g(x) = x\nf(v::MetricVector(Data, L1)) = count(g, v)", "DP208"),
            Refused("f(v::MetricVector(Real, Symmetric)) = count(v)", "DP208"),
        ),
        published=(_count_form(_published_count_factors, frozenset({Base.DATA})),),
        traits=(RecordCount(some=True), ForRows("count_rows"), ByRecord.COUNTS, monotonicity.BY_RECORDS),
    ),
)


ONE_BY_ONE = "(… for …)"
"""The id of what a generator gives one by one, to be added up, or counted."""
ENTRIES, PICKED, ROWS_PICKED = "f.(v)", "v[f.(v)]", "m[f.(m), :]"
"""The ids of a broadcast, and of what a mask picks of a vector, and of the rows of a matrix."""

_SOURCE = "Entry by entry the result moves as far as the function says, in every norm"
_PICKED = "A record is picked, or not, by itself, as `filter` does it"
_ARRAYS = frozenset({Kind.VECTOR, Kind.MATRIX})
_BOX = Box(_ARRAYS, norm="N", kind="k", truth=True)


def _elements(args: Args) -> tuple[Type, ...]:
    return tuple(box.element for box in args.containers)


def _made(args: Args) -> Type | Refusal:
    """What is made of an entry; of a mask it is not known here that it is one."""
    element = without_value(args.applied["f"].result)
    if not isinstance(element, NumberType | BoolType):
        return Refusal("the function must return numbers")
    found = args.records if not args.containers else args.containers[0]
    return found.of(element) if isinstance(found, Container) else found.of(found.records.of(element))


def _several_factors(args: Args) -> tuple[Sens, ...]:
    return spread(args.containers[0]), *args.applied["f"].factors


def _of_one_size(args: Args) -> tuple[Demand, ...]:
    """A container of one entry along a dimension would give that entry to all, and move each of them: so that sizes are
    the same is a condition of the claim, and not only one of a run that does not fail."""
    first, *others = args.containers
    sizes = [(first.length, box.length) for box in others]
    sizes += [(first.rows, box.rows) for box in others if box.rows is not None and first.rows is not None]
    return tuple(Demand(size, "==", other, "w") for size, other in sizes if size != other)


def _of_entries(args: Args) -> tuple[Type, ...]:
    return (args.records.records.element,)


_MATRIX_OF_PEOPLE = form(
    _made,
    of_records(once),
    applies=Application("f", _of_entries),
    f=Arrow(),
    v=Records(frozenset({Kind.MATRIX})),
)
_SEVERAL = form(
    _made,
    _several_factors,
    _of_one_size,
    variadic=True,
    applies=Application("f", _elements),
    f=Arrow(),
    v=_BOX,
    w=_BOX,
)


def _picking(v: Records) -> Form:
    def kept(args: Args) -> Type | Refusal:
        if not isinstance(args.applied["f"].result, BoolType):  # a number would be a position
            return Refusal("what it picks by must be truth values")
        return some_of(args.records)

    return form(kept, of_records(per_step(once, twice)), applies=applied_to("f"), f=Arrow(), v=v)


_VECTOR = Records(frozenset({Kind.VECTOR}))
_V, _M = "f(v::MetricVector(Real, Symmetric)", "f(m::MetricMatrix(Real, Symmetric)"


def _picks(name: str, records: Records, example: str, not_truths: str, position: str) -> Builtin:
    what = "rows" if records is ROWS_OF_PEOPLE else "records"
    return Builtin(
        name,
        name,
        (_picking(records),),
        f"The {what} for which what is made of them is true, as `filter` gives them: how many they are is private. A "
        "mask that is made of another vector picks by position, of which nothing is said.",
        _PICKED,
        (example,),
        (Refused(not_truths, "DP208"), Refused(position, "DP208")),
        traits=(
            Broadcasts(picks=True),
            LosesFacts("how many records it keeps is private"),
            ComposableFilter(),
            ByRecord.KEEPS,
            monotonicity.BY_RECORDS,
        ),
    )


def _given(args: Args) -> Type | Refusal:
    """Of nothing a generator gives nothing, and not even a type: no sum is made of that, and the run fails."""
    dataset = args["v"]
    if not isinstance(dataset, Dataset) or not may_be_empty(dataset):
        return dataset
    return Refusal(
        "without any record a run fails here, which tells that there are none; write `[… for …]` in brackets"
    )


BROADCASTS: tuple[Builtin, ...] = (
    Builtin(
        ONE_BY_ONE,
        ONE_BY_ONE,
        (form(_given, each(), v=ANY),),
        "What a generator gives, as it is. Where there may be no record, a run would fail: that is refused.",
        "It gives what is there",
        (
            "f(v::MetricVector(Real, ChangeOne)) = sum(clamp(x, 0, 1) for x in v)",
            "f(x::Real) = sum(x * i for i in 1:3)",
        ),
        (Refused("f(v::MetricVector(Real, Symmetric)) = sum(clamp(x, 0, 1) for x in v)", "DP208"),),
        traits=(NeverNaN(), monotonicity.IN_ALL),
    ),
    Builtin(
        ENTRIES,
        "f.(v), f.(v, w)",
        (map_form(map_factors, _ARRAYS), MAP, _MATRIX_OF_PEOPLE, _SEVERAL),
        "A function called on each entry; numbers beside it are the same for each. It moves as `map` of that function "
        "does. Several containers must have the same size, and the same norm; it moves with each as far as the "
        "function does.",
        _SOURCE,
        (
            "f(v::MetricVector(Real, L1)) = 2 .* v",
            "f(v::MetricVector(Real, Symmetric), t::Static()) = v .* t",
            "f(m::MetricMatrix(Real, Symmetric)) = clamp.(m, 0, 1)",
            "f(v::MetricVector(Real, L1), w::MetricVector(Real, L1)) = v .+ w",
        ),
        (
            Refused("f(v::MetricVector(Real, L1)) = (x -> [x]).(v)", "DP208"),
            Refused("f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = v .+ w", "DP208"),
            Refused(f"{_V}, w::MetricVector(Real, Symmetric)) = v .+ w", "DP202"),
            Refused("f(v::MetricVector(Real, L1)) = [v[1], v[2]] .+ [1, 2, 3]", "DP304"),
        ),
        traits=(
            Broadcasts(),
            LosesFacts("the results of its function have no known bounds"),
            ByRecord.MAPS,
            monotonicity.BY_ENTRY,
        ),
    ),
    _picks(
        PICKED,
        Records(frozenset({Kind.VECTOR})),
        f"{_V}, t::Static()) = length(v[v .> t])",
        f"{_V}) = length(v[v .* 2])",
        f"{_V}, w::MetricVector(Real, Symmetric)) = length(v[v .> w])",
    ),
    _picks(
        ROWS_PICKED,
        ROWS_OF_PEOPLE,
        f"{_M}) = size(m[m[:, 1] .> m[:, 2], :], 1)",
        f"{_M}) = m[2 .* m[:, 1], :]",
        f"{_M}, w::MetricVector(Real, Symmetric)) = m[m[:, 1] .> w, :]",
    ),
)
"""The rows."""
