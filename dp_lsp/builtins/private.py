"""Rows that release something by way of a function they are given: selection, runs of private functions, and parallel
composition, where a dataset is taken apart by what every record says of itself.

Rows that select by a dataset or by queries: private quantiles, and the sparse vector technique for several answers.

What is selected by moves as those scores or queries move; the noise is that of the exponential mechanism and of
``above_threshold``.
"""

from __future__ import annotations

from dp_lsp.builtins.datasets import NUMBERS, TWO, VECTOR, applied_to, is_sized, once, some_of
from dp_lsp.builtins.define import (
    Application,
    Args,
    Builtin,
    Demand,
    Noise,
    Partition,
    Refusal,
    Refused,
    Runs,
    both,
    form,
    free,
    positive,
    share,
)
from dp_lsp.builtins.monotonicity import ranks
from dp_lsp.builtins.patterns import ANY, REAL_NUMBER, STATIC, STATIC_INTEGER, Arrow, Box, Records
from dp_lsp.builtins.statistics import rank_factor
from dp_lsp.builtins.traits import ChosenPublicly
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ONE, Sens, Way, magnitude
from dp_lsp.core.types import (
    INTEGER,
    REAL,
    Base,
    BoolType,
    Clip,
    Container,
    Kind,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    without_static,
    without_value,
)
from dp_lsp.core.values import replace
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.mechanisms.noise import Laplace
from dp_lsp.mechanisms.selection import AboveThreshold, Exponential

SPARSE_VECTOR = "Dwork and Roth 2014, Theorem 3.23: the sparse vector technique, up to the first answer above"
_EXPONENTIAL = "McSherry and Talwar 2007; Dwork and Roth 2014, Theorem 3.10"
_COLUMNS = "Every column is an input of its own, and a changed row changes one entry of each: composition over columns"
_ROWS_APART = "Parallel composition: a record lies in one row, which one step reads; later steps see what was released"

_DATA = frozenset({Base.DATA})
_REALS = frozenset({Base.INTEGER, Base.REAL})
_MATRIX = frozenset({Kind.MATRIX})


def _is_real(type_: Type) -> bool:
    return isinstance(type_, TypeVariable) or (isinstance(type_, NumberType) and type_.base is not Base.DATA)


def are_numbers(args: Args) -> bool:
    """Whether queries return numbers that noise can be added to."""
    return _is_real(args.applied["qs"].result)


def _index(args: Args) -> Type | Refusal:
    if not are_numbers(args):
        return Refusal("queries must return numbers (Real or Integer)")
    return INTEGER


def above(args: Args) -> Mechanism:
    """A search among queries that move by at most 1, for ``c`` of them if that is an argument."""
    most = magnitude(args.static("c")) if "c" in args.names else ONE
    return AboveThreshold(ONE, magnitude(args.static("eps")), most)


def by_queries(args: Args) -> Sens:
    """How far a query moves when what it is asked about moves by 1."""
    return args.applied["qs"].factors[0]


def way_of_queries(args: Args) -> Way | None:
    """Which way all queries go."""
    return args.applied["qs"].ways[0]


def _candidate(args: Args) -> Type | Refusal:
    if not _is_real(args.applied["f"].result):
        return Refusal("scores must be numbers (Real or Integer)")
    return _scored(args)


def _scored(args: Args) -> Type:
    return without_value(args.container("xs").element)


def exponential(args: Args) -> Mechanism:
    """A choice by scores that move by at most r."""
    return Exponential(*(magnitude(args.static(name)) for name in ("r", "eps")))


def _one_column(args: Args) -> tuple[Type, ...]:
    matrix = args.container("m")
    return (Container(Kind.MATRIX, Norm.LINF, Clip.U, Poly.of(1), matrix.element, matrix.rows),)


def _reduced(args: Args) -> Type | Refusal:
    element = without_static(args.applied["f"].result)
    if not isinstance(element, NumberType | TypeVariable):
        return Refusal("the function must return a number")
    return Container(Kind.VECTOR, Norm.LINF, Clip.U, args.container("m").length, element)


def _one_row(args: Args) -> tuple[Type, ...]:
    rows = (args.container(name) for name in ("A", "B"))
    vectors = (Container(Kind.VECTOR, row.norm, row.clip, row.length, row.element) for row in rows)
    return (*vectors, args["a"])


def _last(args: Args) -> Type:
    return without_static(args.applied["f"].result)


SEARCHED_FOR = (("qs", "queries"), ("T", "threshold"))
"""What a search above a threshold does not protect."""

TO_QUERIES = Application("qs", lambda args: (args["d"],))
"""Queries, each of which is asked about the data."""

_ROWS_OF_DATA = Box(_MATRIX, bases=_DATA, rows="r")

ROWS: tuple[Builtin, ...] = (
    Builtin(
        "above_threshold",
        "above_threshold(qs, eps, d, T)",
        (
            form(
                _index,
                free,
                positive("eps"),
                Noise("d", None, above, None, by_queries, ("qs", "T"), way_of_queries),
                applies=TO_QUERIES,
                qs=Box(frozenset({Kind.VECTOR}), functions=True),
                eps=STATIC,
                d=ANY,
                T=REAL_NUMBER,
            ),
        ),
        "The index of the first query whose noisy answer on d is above the noisy threshold T: (eps, 0)-private in d, "
        "where every query has sensitivity 1 at most. Where a change moves all queries the same way it costs 3/4 of "
        "eps. The queries and the threshold are public; 0 < eps.",
        SPARSE_VECTOR,
        ("g(x) = x + 1\nh(x) = x + 2\nf(x::Real) :: Priv() = above_threshold([g, h], 0.5, x, 3)",),
        (
            Refused("g(x) = x == 1\nf(x::Real) :: Priv() = above_threshold([g], 0.5, x, 3)", "DP208"),
            Refused("g(x) = 3 * x\nf(x::Real) :: Priv() = above_threshold([g], 0.5, x, 3)", "DP432"),
            Refused("g(x) = x + 1\nf(x::Real, t::Real) :: Priv() = above_threshold([g], 0.5, x, t)", "DP421"),
            Refused("g(x) = x + 1\nf(x::Real) :: Priv() = above_threshold([g], 0, x, 3)", "DP304"),
        ),
        traits=(ChosenPublicly(SEARCHED_FOR),),
    ),
    Builtin(
        "exponential_mechanism",
        "exponential_mechanism(r, eps, xs, f), exponential_mechanism(r, eps, xs, scores)",
        (
            form(
                _candidate,
                free,
                positive("eps", "r"),
                Noise("f", None, exponential, exposed=("xs",)),
                applies=Application("f", lambda args: (args.container("xs").element,)),
                r=STATIC,
                eps=STATIC,
                xs=Box(frozenset({Kind.VECTOR})),
                f=Arrow(),
            ),
            form(
                _scored,
                free,
                positive("eps", "r"),
                Noise("scores", Norm.LINF, exponential, exposed=("xs",)),
                r=STATIC,
                eps=STATIC,
                xs=Box(frozenset({Kind.VECTOR}), length="n"),
                scores=Box(frozenset({Kind.VECTOR}), bases=_REALS, length="n"),
            ),
        ),
        "One of the candidates xs, chosen with probability proportional to exp(eps·f(x)/(2r)); instead of the function "
        "f a vector may hold the score of each. (eps, 0)-private where no score has a sensitivity above r. Where a "
        "change moves all scores the same way, as adding a record does with counts, it costs half of eps. The "
        "candidates are public; 0 < eps, 0 < r.",
        _EXPONENTIAL,
        (
            "g(x::Real) = 2 * x\nf() :: Priv() = exponential_mechanism(1, 0.5, [1.0, 2.0], g)",
            "f(v::MetricVector(Real, Symmetric)) :: Priv() = "
            "exponential_mechanism(0.5, 0.5, [1, 2], quantile_score(v, 0.5, [1, 2]))",
        ),
        (
            Refused(
                "g(x::Real) = 2 * x\nf(v::MetricVector(Real, L1)) :: Priv() = exponential_mechanism(1, 0.5, v, g)",
                "DP421",
            ),
            Refused("f(x::Real) :: Priv() = exponential_mechanism(1, 0.5, [1.0, 2.0], c -> c + 2 * x)", "DP301"),
            Refused("f(x::Real) :: Priv() = exponential_mechanism(1, 0.5, [1.0, 2.0], [2 * x, 1])", "DP301"),
            Refused("f(x::Real) :: Priv() = exponential_mechanism(1, 0.5, [1.0, 2.0], [x, x, 1])", "DP208"),
            Refused("g(x::Real) = x == 1\nf() :: Priv() = exponential_mechanism(1, 0.5, [1.0, 2.0], g)", "DP208"),
            Refused("g(x::Real) = 2 * x\nf() :: Priv() = exponential_mechanism(0, 0.5, [1.0, 2.0], g)", "DP304"),
        ),
        traits=(ChosenPublicly((("xs", "candidates"),)),),
    ),
    Builtin(
        "reduce_cols",
        "reduce_cols(f, m)",
        (
            form(
                _reduced,
                free,
                runs=Runs(("m",), lambda args: magnitude(args.container("m").length)),
                applies=Application("f", _one_column),
                f=Arrow(),
                m=Box(_MATRIX, Norm.LINF, _DATA),
            ),
        ),
        "A private function applied to every column of a matrix of Data, each as a matrix of one column. A record has "
        "an entry in every column, so the costs of all columns are composed.",
        _COLUMNS,
        (
            "function g(m::MetricMatrix(Data, LInf)) :: Priv()\n"
            "    laplacian_mechanism(1, 0.5, count(x -> x == 0, m[:, 1]))\n"
            "end\n"
            "f(m::MetricMatrix(Data, LInf)) :: Priv() = reduce_cols(g, m)",
        ),
        (
            Refused(
                "g(m::Matrix{<:Data}) :: Priv() = laplacian_mechanism(2, 1, undisc_container(clip(L1, m[1, :])))\n"
                "f(m::MetricMatrix(Data, LInf)) :: Priv() = reduce_cols(g, m)",
                "DP208",
            ),
            Refused(
                "g(m::Matrix{<:Data}) = m[1, 1]\nf(m::MetricMatrix(Data, LInf)) :: Priv() = reduce_cols(g, m)", "DP202"
            ),
        ),
    ),
    Builtin(
        "parallel_private_fold_rows",
        "parallel_private_fold_rows(f, a, A, B)",
        (
            form(
                _last,
                free,
                passes_on=("f", "a"),
                runs=Runs(("A", "B", None), lambda args: ONE, rowwise=True, exposed=("a",)),
                applies=Application("f", _one_row, carried=2),
                f=Arrow(),
                a=ANY,
                A=_ROWS_OF_DATA,
                B=_ROWS_OF_DATA,
            ),
        ),
        "Goes through the rows of two matrices of Data with a value that starts as a, which is public: each step calls "
        "a private function with a row of A, that of B and the value. A record is seen by one step, so its cost is "
        "that of one.",
        _ROWS_APART,
        (
            "function g(v::MetricVector(Data, LInf), w::MetricVector(Data, LInf), a::Static(Vector)) :: Priv()\n"
            "    laplacian_mechanism(2, 0.5, undisc_container(clip(L1, v)))\n"
            "end\n"
            "f(A::MetricMatrix(Data, LInf), B::MetricMatrix(Data, LInf)) :: Priv() = "
            "parallel_private_fold_rows(g, [0.0, 0.0], A, B)",
        ),
        (
            Refused(
                "g(v, w, a) = a\nf(A::MetricMatrix(Data, LInf)) :: Priv() = parallel_private_fold_rows(g, 0.0, A, A)",
                "DP202",
            ),
        ),
        mutates="a",
    ),
)


_PARALLEL = (
    "Parallel composition (McSherry 2009): a record that is added or removed is in one part; one that replaces "
    "another leaves a part and enters one. fixtures/spec/parallel.md"
)


def _a_part(args: Args) -> tuple[Type, ...]:
    """A part, of which each step counts by itself: of a record that takes the place of another, the two steps may be in
    two parts, and do not cancel there as they do in one filter of all."""
    return (replace(some_of(args.dataset("v")), balanced=False),)


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

_ON_PARTS = Runs(("v",), once, exposed=("keys",), parts=Partition(applied_to("key"), _steps))

GROUP_ROWS: tuple[Builtin, ...] = (
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
        traits=(ChosenPublicly((("key", "key"), ("keys", "keys"))),),
    ),
)


_QUANTILE = (
    "Smith 2011, Privacy-preserving Statistical Estimation with Optimal Convergence Rates: the exponential mechanism "
    "with the number of records on each side as its score"
)
_SEVERAL = (
    "Lyu, Su and Li 2017, Understanding the Sparse Vector Technique for Differential Privacy, Theorem 4: the noise on "
    "the threshold need not be drawn again"
)
_QUERIES = Box(frozenset({Kind.VECTOR}), functions=True)
_POINTS = Box(frozenset({Kind.VECTOR}), bases=frozenset({Base.INTEGER, Base.REAL}))
_ONE = Poly.of(1)


def _point(args: Args) -> Type:
    return without_value(args.container("candidates").element)


def _for_each_query(args: Args, element: Type) -> Container:
    return Container(Kind.VECTOR, Norm.LINF, Clip.U, args.container("qs").length, element)


def _above(args: Args) -> Type | Refusal:
    if not are_numbers(args):
        return Refusal("queries must return numbers (Real or Integer)")
    return _for_each_query(args, BoolType())


def _above_and_answers(args: Args) -> Type | Refusal:
    above = _above(args)
    return above if isinstance(above, Refusal) else TupleType((above, _for_each_query(args, REAL)))


def _some_answers(args: Args) -> tuple[Demand, ...]:
    return (Demand(_ONE, "<=", args.static("c"), "c"),)


def _answers(args: Args) -> tuple[Mechanism, Sens]:
    """Laplace noise on each answer, with a budget of its own."""
    return Laplace(ONE, magnitude(args.static("eps2"))), magnitude(args.static("c"))


_SEARCHED = Noise("d", None, above, None, by_queries, ("qs", "T"), way_of_queries)
_RUN = "g(x) = x + 1\nh(x) = x + 2\nf(x::Real) :: Priv() = {}"
_ONE_QUERY = "g(x) = {}\nf(x::Real, t::Real) :: Priv() = {}"

SELECTIONS: tuple[Builtin, ...] = (
    Builtin(
        "private_quantile",
        "private_quantile(r, eps, v, alpha, candidates)",
        (
            form(
                _point,
                free,
                both(positive("r", "eps"), share("alpha")),
                Noise("v", None, exponential, factor=rank_factor, exposed=("candidates",), way=ranks),
                r=STATIC,
                eps=STATIC,
                v=NUMBERS,
                alpha=STATIC,
                candidates=_POINTS,
            ),
        ),
        "One of the candidates, with about the share alpha of the numbers below it: chosen with probability "
        "proportional to exp(eps·s/(2r)), s being its `{code[quantile_score]}`. (eps, 0)-private where no score "
        "has a sensitivity above r: max(alpha, 1 - alpha) where a record is added or removed, 1 where one is replaced. "
        "The candidates are public; 0 < eps, 0 < r.",
        _QUANTILE,
        (
            "f(v::MetricVector(Real, Symmetric)) :: Priv() = private_quantile(0.5, 1, v, 0.5, [10, 20, 30])",
            "f(v::MetricVector(Real, ChangeOne), e::Static()) :: Priv() = private_quantile(1, e, v, 0.9, [1.5, 2.5])",
        ),
        (
            Refused("f(v::MetricVector(Real, Symmetric)) :: Priv() = private_quantile(2, 1, v, 2, [1, 2])", "DP304"),
            Refused("f(v::MetricVector(Real, Symmetric)) :: Priv() = private_quantile(1, 0, v, 0.5, [1, 2])", "DP304"),
            Refused(
                "f(v::MetricVector(Real, ChangeOne)) :: Priv() = private_quantile(0.5, 1, v, 0.5, [1, 2])", "DP301"
            ),
            Refused("f(v::MetricVector(Real, L1)) :: Priv() = private_quantile(1, 1, v, 0.5, [1, 2])", "DP202"),
            Refused(
                "f(v::MetricVector(Real, Symmetric), w::MetricVector(Real, L1)) :: Priv() = "
                "private_quantile(1, 1, v, 0.5, w)",
                "DP421",
            ),
        ),
        traits=(ChosenPublicly((("candidates", "candidates"),)),),
    ),
    Builtin(
        "sparse_vector",
        "sparse_vector(qs, c, eps, d, T)",
        (
            form(
                _above,
                free,
                both(_some_answers, positive("eps")),
                _SEARCHED,
                applies=TO_QUERIES,
                qs=_QUERIES,
                c=STATIC_INTEGER,
                eps=STATIC,
                d=ANY,
                T=REAL_NUMBER,
            ),
        ),
        "For each query whether its noisy answer on d is above the noisy threshold T, until c of them were; false from "
        "there on. The noise is Laplace noise of scale 2/eps on the threshold, once, and 4c/eps on each answer: "
        "(eps, 0)-private in d, where every query has sensitivity 1 at most. Where a change moves all queries the same "
        "way it costs 3/4 of eps. The queries and the threshold are public; 1 <= c, 0 < eps.",
        _SEVERAL,
        (_RUN.format("sparse_vector([g, h, g], 2, 0.5, x, 3)"),),
        (
            Refused(_ONE_QUERY.format("x == 1", "sparse_vector([g], 1, 0.5, x, 3)"), "DP208"),
            Refused(_ONE_QUERY.format("3 * x", "sparse_vector([g], 1, 0.5, x, 3)"), "DP432"),
            Refused(_ONE_QUERY.format("x", "sparse_vector([g], 1, 0.5, x, t)"), "DP421"),
            Refused(_ONE_QUERY.format("x", "sparse_vector([g], 0, 0.5, x, 3)"), "DP304"),
            Refused(_ONE_QUERY.format("x", "sparse_vector([g], 1, 0, x, 3)"), "DP304"),
            Refused(_ONE_QUERY.format("x", "sparse_vector([g], 0.5, 1, x, 3)"), "DP202"),
        ),
        traits=(ChosenPublicly(SEARCHED_FOR),),
    ),
    Builtin(
        "numeric_sparse",
        "(above, answers) = numeric_sparse(qs, c, eps, eps2, d, T)",
        (
            form(
                _above_and_answers,
                free,
                both(_some_answers, positive("eps", "eps2")),
                _SEARCHED._replace(then=_answers),
                applies=TO_QUERIES,
                qs=_QUERIES,
                c=STATIC_INTEGER,
                eps=STATIC,
                eps2=STATIC,
                d=ANY,
                T=REAL_NUMBER,
            ),
        ),
        "What `{code[sparse_vector]}` returns for the same arguments, and an answer for each query that is above, with "
        "new Laplace noise of scale 1/eps2, as the noisy value that was compared must not be released; 0 for the "
        "others. (eps + c·eps2, 0)-private in d, where every query has sensitivity 1 at most; 1 <= c, 0 < eps, 0 < "
        "eps2.",
        f"{_SEVERAL}; {SPARSE_VECTOR}, and Theorem 3.6 for the answers",
        (_RUN.format("numeric_sparse([g, h, g], 2, 0.5, 0.25, x, 3)"),),
        (
            Refused(_ONE_QUERY.format("x == 1", "numeric_sparse([g], 1, 0.5, 1, x, 3)"), "DP208"),
            Refused(_ONE_QUERY.format("3 * x", "numeric_sparse([g], 1, 0.5, 1, x, 3)"), "DP432"),
            Refused(_ONE_QUERY.format("x", "numeric_sparse([g], 1, 0.5, 1, x, t)"), "DP421"),
            Refused(_ONE_QUERY.format("x", "numeric_sparse([g], 1, 0.5, 0, x, 3)"), "DP304"),
        ),
        traits=(ChosenPublicly(SEARCHED_FOR),),
    ),
)
