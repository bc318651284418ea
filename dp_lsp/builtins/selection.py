"""Rows that select by a dataset or by queries: private quantiles, and the sparse vector technique for several answers.

What is selected by moves as those scores or queries move; the noise is that of the exponential mechanism and of
``above_threshold``.
"""

from __future__ import annotations

from dp_lsp.builtins.datasets import NUMBERS
from dp_lsp.builtins.define import Args, Builtin, Demand, Noise, Refusal, Refused, both, form, free, positive, share
from dp_lsp.builtins.monotonicity import ranks
from dp_lsp.builtins.patterns import ANY, REAL_NUMBER, STATIC, STATIC_INTEGER, Box
from dp_lsp.builtins.private import (
    SEARCHED_FOR,
    SPARSE_VECTOR,
    TO_QUERIES,
    above,
    are_numbers,
    by_queries,
    exponential,
    way_of_queries,
)
from dp_lsp.builtins.statistics import rank_factor
from dp_lsp.builtins.traits import ChosenPublicly
from dp_lsp.core.algebra import Poly
from dp_lsp.core.sens import ONE, Sens, magnitude
from dp_lsp.core.types import REAL, Base, BoolType, Clip, Container, Kind, Norm, TupleType, Type, without_value
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.mechanisms.noise import Laplace

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

ROWS: tuple[Builtin, ...] = (
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
