"""Broadcasts: a function that is called on the entries of containers, `f.(v, w)`, and what a mask that is made so
picks of one of them, `v[v .> 65]` and `m[m[:, 1] .> 65, :]`.

As a row, the function is given first, and then all that it goes over. Numbers among that are the same for each entry:
a function reads them as it reads what it has captured, and inference, which knows which of them are numbers, takes them
out (:mod:`dp_lsp.infer.broadcasts`). So forms take containers.

A mask picks what stands where it is true, so it is a filter where it is made of what it picks of, entry by entry: by
the record alone. One that is made of another container picks by position, of which nothing is said in a dataset.

Source: the Julia manual, "Broadcasting" and "Logical indexing".
"""

from __future__ import annotations

from dp_lsp.builtins import monotonicity
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
from dp_lsp.builtins.define import Application, Args, Builtin, Demand, Form, Refusal, Refused, each, form
from dp_lsp.builtins.higher import map_factors, map_form
from dp_lsp.builtins.patterns import ANY, Arrow, Box, Records
from dp_lsp.builtins.traits import Broadcasts, ByRecord, ComposableFilter, LosesFacts, NeverNaN
from dp_lsp.core.metrics import spread
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import BoolType, Container, Dataset, Kind, NumberType, Type, without_value

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


ROWS: tuple[Builtin, ...] = (
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
