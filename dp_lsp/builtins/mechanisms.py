"""Rows that release something: noise mechanisms and sampling."""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.builtins.define import Args, Builtin, Demand, Noise, Refused, both, form, free, positive, share
from dp_lsp.builtins.patterns import BOOL, REAL_NUMBER, STATIC, STATIC_INTEGER, Box, Num, Records
from dp_lsp.builtins.traits import IntegerArguments, Integral, SampledRows
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Sign, Symbol
from dp_lsp.core.events import Sampling
from dp_lsp.core.sens import ONE, Sens, inverse_magnitude, magnitude
from dp_lsp.core.types import (
    INTEGER,
    REAL,
    Base,
    BoolType,
    Container,
    Dataset,
    DatasetMetric,
    Kind,
    Norm,
    TupleType,
    Type,
    without_value,
)
from dp_lsp.core.values import replace
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.mechanisms.noise import Gaussian, GaussianNoise, Geometric, Laplace
from dp_lsp.mechanisms.selection import NoisyMax, RandomizedResponse

_REALS = frozenset({Base.INTEGER, Base.REAL})
_INTEGERS = frozenset({Base.INTEGER})
_GAUSSIAN = (
    "Dwork and Roth, The Algorithmic Foundations of Differential Privacy, Theorem A.1: deviation "
    "r·√(2 ln(1.25/δ))/ε for 0 < ε < 1"
)
_ZERO_CONCENTRATED = (
    "Bun and Steinke 2016, Concentrated Differential Privacy: noise of deviation rσ is 1/(2σ²)-zCDP (Proposition 1.6), "
    "and ρ-zCDP is (ρ + 2√(ρ ln(1/δ)), δ)-private for every δ (Proposition 1.3)"
)
_LAPLACE = "Dwork, McSherry, Nissim and Smith 2006: scale r/ε against the L1 distance"
_GEOMETRIC = (
    "Ghosh, Roughgarden and Sundararajan 2009, Universally utility-maximizing privacy mechanisms: two-sided geometric "
    "noise"
)
_SAMPLING = "Balle, Barthe and Gaboardi 2018, Theorem 9: sampling without replacement"
_EACH = "Balle, Barthe and Gaboardi 2018, Theorem 8; for a change of one row, which is a row less and a row more"
_SAMPLED_GAUSSIAN = (
    "Abadi and others 2016, Deep Learning with Differential Privacy; Mironov, Talwar and Zhang 2019, Rényi "
    "Differential Privacy of the Sampled Gaussian Mechanism: one record more makes a mixture of two normal "
    "distributions of the noise"
)
_AGAIN = "One draw after the other, each a sample of one row: Balle, Barthe and Gaboardi 2018, Theorem 9, as a group"

_ZERO, _ONE = Poly.of(0), Poly.of(1)


def _noised(args: Args) -> Type:
    """Real numbers of the same shape, measured in LInf."""
    type_ = args["x"]
    if isinstance(type_, Container):
        return replace(type_.of(REAL), norm=Norm.LINF)
    return REAL


def _whole(args: Args) -> Type:
    """Whole numbers of the same shape, measured in LInf."""
    type_ = args["x"]
    if isinstance(type_, Container):
        return replace(type_.of(INTEGER), norm=Norm.LINF)
    return INTEGER


def _gaussian_demands(args: Args) -> tuple[Demand, ...]:
    epsilon, delta = args.static("eps"), args.static("del")
    return (
        Demand(_ZERO, "<", epsilon, "eps"),
        Demand(epsilon, "<", _ONE, "eps"),
        Demand(_ZERO, "<", delta, "del"),
        Demand(delta, "<", _ONE, "del"),
        Demand(_ZERO, "<=", args.static("r"), "r"),
    )


def _gaussian(args: Args) -> Mechanism:
    return Gaussian(*(magnitude(args.static(name)) for name in ("r", "eps", "del")))


def _laplace(args: Args) -> Mechanism:
    return Laplace(*(magnitude(args.static(name)) for name in ("r", "eps")))


def _known(args: Args) -> Mechanism:
    return GaussianNoise(*(magnitude(args.static(name)) for name in ("r", "sigma")))


def _laplace_of_scale(args: Args) -> Mechanism:
    return Laplace(ONE, inverse_magnitude(args.static("b")))


def _geometric(args: Args) -> Mechanism:
    return Geometric(*(magnitude(args.static(name)) for name in ("r", "eps")))


def _geometric_of_scale(args: Args) -> Mechanism:
    return Geometric(ONE, inverse_magnitude(args.static("b")))


def _normal_of_deviation(args: Args) -> Mechanism:
    return GaussianNoise(ONE, magnitude(args.static("sigma")))


_LAPLACE_DEMANDS = positive("eps", "r")
_GAUSS_NOISE = Noise("x", Norm.L2, _gaussian)
_KNOWN_NOISE = Noise("x", Norm.L2, _known, grows=("r", "sigma"))
_LAPLACE_NOISE = Noise("x", Norm.L1, _laplace)
_PUBLISHED_LAPLACE_NOISE = Noise("x", Norm.L2, _laplace)
_OF_SCALE = Noise("x", Norm.L1, _laplace_of_scale, declares=None, grows=("b",), shrinks=(), measured=True)
_OF_DEVIATION = Noise("x", Norm.L2, _normal_of_deviation, declares=None, grows=("sigma",), shrinks=(), measured=True)
_SAMPLED_NOISE = Noise(
    "v",
    None,
    _known,
    grows=("r", "sigma"),
    shrinks=(),
    declares=None,
    measured=True,
    drawn=lambda args: magnitude(args.static("q")),
)
_GEOMETRIC_NOISE = Noise("x", Norm.L1, _geometric)
_GEOMETRIC_OF_SCALE = _OF_SCALE._replace(event=_geometric_of_scale)
_WHOLE = (Num(_INTEGERS), Box(bases=_INTEGERS))
_HIDDEN = (REAL_NUMBER, Box(bases=_REALS))
_PUBLISHED_HIDDEN = (REAL_NUMBER, Box(norm=Norm.L2, bases=_REALS))


def _sampled(args: Args) -> Type:
    return TupleType(tuple(replace(args.container(name), rows=args.static("k")) for name in ("A", "B")))


def _published_sampled(args: Args) -> Type:
    return TupleType((args["A"], args["B"]))


def _sample_demands(args: Args) -> tuple[Demand, ...]:
    draws, rows = args.static("k"), args.container("A").rows
    assert rows is not None
    return (
        Demand(_ZERO, "<=", draws, "k"),
        Demand(draws, "<=", rows, "k"),
        Demand(_ONE, "<=", rows, "A"),
    )


def _drawn(args: Args) -> Type:
    """The rows of both, of which nobody knows how many there are."""
    size = Poly.of(Symbol("rows drawn", Sign.NONNEGATIVE, integer=True))
    drawn = (replace(args.container(name), rows=size) for name in ("A", "B"))
    return TupleType(tuple(Dataset(DatasetMetric.INSERT_DELETE, matrix) for matrix in drawn))


def _again_demands(args: Args) -> tuple[Demand, ...]:
    rows = args.container("A").rows
    assert rows is not None
    return Demand(_ZERO, "<=", args.static("k"), "k"), Demand(_ONE, "<=", rows, "A")


_NOISY_MAX = (
    "Dwork and Roth 2014, Theorem 3.10: by Gumbel noise the largest entry is that of the exponential mechanism "
    "(McSherry and Talwar 2007)"
)
_RESPONSE = (
    "Warner 1965; Dwork and Roth 2014, Section 3.2: what is true is at most e^ε times as likely as if it was not; "
    "whatever the answers are, so is anything that is made of them"
)


def _noisy_max(args: Args) -> Mechanism:
    return NoisyMax(*(magnitude(args.static(name)) for name in ("r", "eps")))


def _number(args: Args) -> Type:
    return REAL


def _place(args: Args) -> Type:
    return INTEGER


def _answer(args: Args) -> Type:
    return without_value(args.container("answers").element)


def _truth(args: Args) -> Type:
    return BoolType()


def _response(answers: Callable[[Args], Sens]) -> Noise:
    return Noise("x", None, lambda args: RandomizedResponse(ONE, magnitude(args.static("eps")), answers(args)), None)


_TRUE_OR_FALSE = _response(lambda args: sens.number(2))
_AMONG = _response(lambda args: magnitude(args.container("answers").length))._replace(exposed=("answers",))

_DRAWN = (
    "function f(A::Matrix{{<:{0}}}, B::Matrix{{<:{0}}}) :: Priv()\n"
    "   (D, L) = sample({1}, A, B)\n"
    "   laplacian_mechanism(1, 0.5, 3)\n"
    "end"
)
_ROWS_OF_DATA = Box(frozenset({Kind.MATRIX}), Norm.LINF, frozenset({Base.DATA}), rows="r")

_SOME_RECORDS = Records(frozenset({Kind.VECTOR}), sized=False)

ROWS: tuple[Builtin, ...] = (
    Builtin(
        "gaussian_mechanism",
        "gaussian_mechanism(r, eps, del, x)",
        tuple(
            form(_noised, free, _gaussian_demands, _GAUSS_NOISE, r=STATIC, eps=STATIC, del_=STATIC, x=hidden)
            for hidden in _HIDDEN
        ),
        "x with Gaussian noise of deviation r·√(2 ln(1.25/del))/eps on every entry: (eps, del)-private where the "
        "sensitivity of x is at most r in L2. r, eps and del are public, 0 < eps < 1 and 0 < del < 1.",
        _GAUSSIAN,
        (
            "f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x)",
            "f(g::MetricGradient(Real, L2)) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, g)",
        ),
        (
            Refused("f(x::Real) :: Priv() = gaussian_mechanism(1, 2, 1e-5, x)", "DP304"),
            Refused("f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1, x)", "DP304"),
            Refused("f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, 2 * x)", "DP301"),
            Refused("f(x::Data) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x)", "DP206"),
            Refused("f(x::Real, eps::Real) :: Priv() = gaussian_mechanism(1, eps, 1e-5, x)", "DP207"),
        ),
        mutates="x",
        published=tuple(
            form(_noised, free, _gaussian_demands, _GAUSS_NOISE, r=STATIC, eps=STATIC, del_=STATIC, x=hidden)
            for hidden in _PUBLISHED_HIDDEN
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        "gaussian_noise",
        "gaussian_noise(r, sigma, x)",
        tuple(
            form(_noised, free, positive("r", "sigma"), _KNOWN_NOISE, r=STATIC, sigma=STATIC, x=hidden)
            for hidden in _HIDDEN
        ),
        "x with Gaussian noise of deviation r·sigma on every entry, for an x of sensitivity r at most in L2. That is "
        "(1/(2 sigma²) + √(2 ln(1/δ))/sigma, δ)-private for every δ you may choose; several such releases are best "
        "priced together, with numbers. r and sigma are public and positive.",
        _ZERO_CONCENTRATED,
        (
            "f(x::Real) :: Priv() = gaussian_noise(1, 4, x)",
            "f(g::MetricGradient(Real, L2)) :: Priv() = gaussian_noise(1, 4, g)",
        ),
        (
            Refused("f(x::Real) :: Priv() = gaussian_noise(1, 0, x)", "DP426"),
            Refused("f(x::Real) :: Priv() = gaussian_noise(1, -4, x)", "DP304"),
            Refused("f(x::Real) :: Priv() = gaussian_noise(0, 4, 0 * x)", "DP426"),
            Refused("f(x::Real) :: Priv() = gaussian_noise(1, 4, 2 * x)", "DP301"),
            Refused("f(x::Data) :: Priv() = gaussian_noise(1, 4, x)", "DP206"),
        ),
        mutates="x",
        traits=(Integral(False),),
    ),
    Builtin(
        "laplacian_mechanism",
        "laplacian_mechanism(r, eps, x)",
        tuple(
            form(_noised, free, _LAPLACE_DEMANDS, _LAPLACE_NOISE, r=STATIC, eps=STATIC, x=hidden) for hidden in _HIDDEN
        ),
        "x with Laplace noise of scale r/eps on every entry: (eps, 0)-private where the sensitivity of x is at most r "
        "in L1. r and eps are public and positive.",
        _LAPLACE,
        (
            "f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)",
            "f(g::MetricGradient(Real, L1)) :: Priv() = laplacian_mechanism(1, 0.5, g)",
        ),
        (
            Refused("f(x::Real) :: Priv() = laplacian_mechanism(1, 0, x)", "DP304"),
            Refused("f(x::Real) :: Priv() = laplacian_mechanism(0, 0.5, 0 * x)", "DP426"),
            Refused("f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, 2 * x)", "DP301"),
            Refused("f(x::Data) :: Priv() = laplacian_mechanism(1, 0.5, x)", "DP206"),
        ),
        mutates="x",
        published=tuple(
            form(_noised, free, _LAPLACE_DEMANDS, _PUBLISHED_LAPLACE_NOISE, r=STATIC, eps=STATIC, x=hidden)
            for hidden in _PUBLISHED_HIDDEN
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        "add_laplace",
        "add_laplace(b, x)",
        tuple(form(_noised, free, positive("b"), _OF_SCALE, b=STATIC, x=hidden) for hidden in _HIDDEN),
        "x with Laplace noise of scale b on every entry, whatever the sensitivity of x is: (d/b, 0)-private where it "
        "is d in L1. b is public and positive.",
        _LAPLACE,
        (
            "f(x::Real) :: Priv() = add_laplace(2, x)",
            "f(g::MetricGradient(Real, L1)) :: Priv() = add_laplace(2, g)",
        ),
        (
            Refused("f(x::Real) :: Priv() = add_laplace(0, x)", "DP426"),
            Refused("f(x::Real) :: Priv() = add_laplace(-1, x)", "DP304"),
            Refused("f(v::MetricVector(Real, ChangeOne)) :: Priv() = add_laplace(1, sum(v))", "DP208"),
            Refused("f(x::Data) :: Priv() = add_laplace(1, x)", "DP206"),
            Refused("f(x::Real, b::Real) :: Priv() = add_laplace(b, x)", "DP207"),
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        "add_normal",
        "add_normal(sigma, x)",
        tuple(form(_noised, free, positive("sigma"), _OF_DEVIATION, sigma=STATIC, x=hidden) for hidden in _HIDDEN),
        "x with Gaussian noise of deviation sigma on every entry, whatever the sensitivity of x is. Where it is d in "
        "L2, that is (d²/(2 sigma²) + d⋅√(2 ln(1/δ))/sigma, δ)-private for every δ you may choose; several such "
        "releases are best priced together, with numbers. sigma is public and positive.",
        _ZERO_CONCENTRATED,
        (
            "f(x::Real) :: Priv() = add_normal(4, x)",
            "f(g::MetricGradient(Real, L2)) :: Priv() = add_normal(4, g)",
        ),
        (
            Refused("f(x::Real) :: Priv() = add_normal(0, x)", "DP426"),
            Refused("f(x::Real) :: Priv() = add_normal(-1, x)", "DP304"),
            Refused("f(x::Data) :: Priv() = add_normal(1, x)", "DP206"),
        ),
        traits=(Integral(False),),
    ),
    Builtin(
        "geometric_mechanism",
        "geometric_mechanism(r, eps, x)",
        tuple(
            form(_whole, free, _LAPLACE_DEMANDS, _GEOMETRIC_NOISE, r=STATIC, eps=STATIC, x=hidden) for hidden in _WHOLE
        ),
        "x with two-sided geometric noise on every entry, which is whole as x is: z with a probability proportional to "
        "exp(-abs(z)⋅eps/r). (eps, 0)-private where the sensitivity of x is at most r in L1. r and eps are public "
        "and positive.",
        _GEOMETRIC,
        (
            "f(n::Integer) :: Priv() = geometric_mechanism(1, 0.5, n)",
            "f(v::MetricVector(Integer, Symmetric)) :: Priv() = geometric_mechanism(1, 0.5, histogram(v, [0, 5, 9]))",
        ),
        (
            Refused("f(n::Integer) :: Priv() = geometric_mechanism(1, 0, n)", "DP304"),
            Refused("f(n::Integer) :: Priv() = geometric_mechanism(1, 0.5, 2 * n)", "DP301"),
            Refused("f(x::Real) :: Priv() = geometric_mechanism(1, 0.5, x)", "DP202"),
        ),
    ),
    Builtin(
        "add_geometric",
        "add_geometric(b, x)",
        tuple(form(_whole, free, positive("b"), _GEOMETRIC_OF_SCALE, b=STATIC, x=hidden) for hidden in _WHOLE),
        "x with two-sided geometric noise on every entry, which is whole as x is: z with a probability proportional to "
        "exp(-abs(z)/b), whatever the sensitivity of x is. (d/b, 0)-private where it is d in L1. b is public and "
        "positive.",
        _GEOMETRIC,
        (
            "f(n::Integer) :: Priv() = add_geometric(2, n)",
            "f(v::MetricVector(Integer, Symmetric)) :: Priv() = add_geometric(2, histogram(v, [0, 5, 9]))",
        ),
        (
            Refused("f(n::Integer) :: Priv() = add_geometric(0, n)", "DP426"),
            Refused("f(v::MetricVector(Integer, ChangeOne)) :: Priv() = add_geometric(1, sum(v))", "DP208"),
            Refused("f(x::Real) :: Priv() = add_geometric(1, x)", "DP202"),
            Refused("f(n::Integer) :: Priv() = add_geometric(-1, n)", "DP304"),
        ),
    ),
    Builtin(
        "report_noisy_max",
        "report_noisy_max(r, eps, x)",
        (
            form(
                _place,
                free,
                _LAPLACE_DEMANDS,
                Noise("x", Norm.LINF, _noisy_max),
                r=STATIC,
                eps=STATIC,
                x=Box(frozenset({Kind.VECTOR}), bases=_REALS),
            ),
        ),
        "The position of the largest entry of x, after Gumbel noise of scale 2r/eps on each: (eps, 0)-private where no "
        "entry has a sensitivity above r. Where a change moves all entries the same way, as adding a record does with "
        "counts, it costs half of eps. The largest entry itself is not released: that would cost more. r and eps are "
        "public and positive.",
        _NOISY_MAX,
        (
            "f(v::MetricVector(Integer, ChangeOne)) :: Priv() = "
            "report_noisy_max(1, 0.5, [count(x -> x > 1, v), count(x -> x > 2, v)])",
        ),
        (
            Refused("f(v::MetricVector(Real, LInf)) :: Priv() = report_noisy_max(1, 0, v)", "DP304"),
            Refused("f(v::MetricVector(Real, LInf)) :: Priv() = report_noisy_max(0, 1, 0 * v)", "DP304"),
            Refused("f(v::MetricVector(Real, LInf)) :: Priv() = report_noisy_max(1, 0.5, 2 * v)", "DP301"),
            Refused("f(v::MetricVector(Data, LInf)) :: Priv() = report_noisy_max(1, 0.5, v)", "DP206"),
            Refused("f(x::Real) :: Priv() = report_noisy_max(1, 0.5, x)", "DP202"),
        ),
    ),
    Builtin(
        "randomized_response",
        "randomized_response(eps, answers, x)",
        (
            form(_truth, free, positive("eps"), _TRUE_OR_FALSE, eps=STATIC, x=BOOL),
            form(
                _answer,
                free,
                positive("eps"),
                _AMONG,
                eps=STATIC,
                answers=Box(frozenset({Kind.VECTOR}), bases=frozenset(Base)),
                x=Num(frozenset({Base.DATA})),
            ),
        ),
        "One of k answers: x with probability exp(eps)/(exp(eps) + k - 1), each of the others equally likely; any of "
        "them if x is none of them. It is (eps, 0)-private in x, which is Data, or a Bool: then the answers are true "
        "and false, and left out. The answers are public; 0 < eps.",
        _RESPONSE,
        (
            "f(x::Bool) :: Priv() = randomized_response(1, x)",
            "f(x::Data) :: Priv() = randomized_response(1, [0.0, 1.0, 2.0], x)",
        ),
        (
            Refused("f(x::Data) :: Priv() = randomized_response(0, [0.0, 1.0], x)", "DP304"),
            Refused("f(x::Real) :: Priv() = randomized_response(1, [0.0, 1.0], x)", "DP202"),
            Refused("f(v::Vector{<:Real}, x::Data) :: Priv() = randomized_response(1, v, x)", "DP404"),
            Refused("f(x::Data, e::Real) :: Priv() = randomized_response(e, [0.0, 1.0], x)", "DP207"),
        ),
    ),
    Builtin(
        "sample",
        "(D, L) = sample(k, A, B)",
        (form(_sampled, free, _sample_demands, k=STATIC_INTEGER, A=_ROWS_OF_DATA, B=_ROWS_OF_DATA),),
        "k rows of two matrices, the same rows of both, drawn without replacement and in random order. What the rest "
        "of the block spends on them together is amplified: at a rate q = k/rows, ε becomes ln(1 + q(exp(ε) - 1)) "
        "and δ becomes qδ.",
        _SAMPLING,
        (
            "function f(A::Matrix{<:Data}, B::Matrix{<:Data}, k::Static(Integer)) :: Priv()\n"
            "   (D, L) = sample(k, A, B)\n"
            "   v = undisc_container(clip(L2, D[1, :]))\n"
            "   gaussian_mechanism(2, 0.5, 1e-5, v)\n"
            "end",
        ),
        (
            Refused(_DRAWN.format("Data", -1), "DP304"),
            Refused(_DRAWN.format("Real", 1), "DP202"),
        ),
        published=(form(_published_sampled, free, k=STATIC_INTEGER, A=_ROWS_OF_DATA, B=_ROWS_OF_DATA),),
        traits=(SampledRows(Sampling.WITHOUT_REPLACEMENT), IntegerArguments(("k",))),
    ),
    Builtin(
        "sample_with_replacement",
        "(D, L) = sample_with_replacement(k, A, B)",
        (form(_sampled, free, _again_demands, k=STATIC_INTEGER, A=_ROWS_OF_DATA, B=_ROWS_OF_DATA),),
        "k rows of two matrices, the same rows of both, each any of all rows: one may be drawn several times. What "
        "the rest of the block spends on them is amplified: with ε₁ = ln(1 + (exp(ε) - 1)/rows), ε is then kε₁ "
        "and δ is δ(exp(kε₁) - 1)/(exp(ε) - 1).",
        _AGAIN,
        (
            "function f(A::Matrix{<:Data}, B::Matrix{<:Data}, k::Static(Integer)) :: Priv()\n"
            "   (D, L) = sample_with_replacement(k, A, B)\n"
            "   v = undisc_container(clip(L2, D[1, :]))\n"
            "   gaussian_mechanism(2, 0.5, 1e-5, v)\n"
            "end",
        ),
        (
            Refused(_DRAWN.format("Data", -1).replace("sample(", "sample_with_replacement("), "DP304"),
            Refused(_DRAWN.format("Real", 1).replace("sample(", "sample_with_replacement("), "DP202"),
        ),
        traits=(SampledRows(Sampling.WITH_REPLACEMENT), IntegerArguments(("k",))),
    ),
    Builtin(
        "sample_poisson",
        "(D, L) = sample_poisson(q, A, B)",
        (form(_drawn, free, share("q"), q=STATIC, A=_ROWS_OF_DATA, B=_ROWS_OF_DATA),),
        "Rows of two matrices, the same rows of both, each drawn with probability q by itself. How many there are is "
        "private. A loop over all rows, which are as many as `{code[size]}` says of one of the matrices, may read the "
        "rows that its index stands for; what it adds up moves by at most what one round adds. What the rest of the "
        "block spends is amplified: ε becomes ln(1 + q(exp(ε) - 1)) and δ becomes qδ.",
        _EACH,
        (
            "function f(A::Matrix{<:Data}, B::Matrix{<:Data}, q::Static()) :: Priv()\n"
            "   (D, L) = sample_poisson(q, A, B)\n"
            "   (rows, columns) = size(D)\n"
            "   total = [0.0, 0.0]\n"
            "   for i in 1:rows\n"
            "      total = total + undisc_container(clip(L2, D[i, :]))\n"
            "   end\n"
            "   gaussian_noise(1, 4, total)\n"
            "end",
        ),
        (
            Refused(_DRAWN.format("Data", -1).replace("sample(", "sample_poisson("), "DP304"),
            Refused(_DRAWN.format("Data", 2).replace("sample(", "sample_poisson("), "DP304"),
            Refused(_DRAWN.format("Real", 1).replace("sample(", "sample_poisson("), "DP202"),
        ),
        traits=(SampledRows(Sampling.POISSON),),
    ),
    Builtin(
        "sampled_gaussian",
        "sampled_gaussian(q, r, sigma, v)",
        (
            form(
                _number,
                free,
                both(share("q"), positive("r", "sigma")),
                _SAMPLED_NOISE,
                q=STATIC,
                r=STATIC,
                sigma=STATIC,
                v=_SOME_RECORDS,
            ),
        ),
        "The sum of some records of v, with Gaussian noise of deviation r·sigma: each is drawn with probability q by "
        "itself, and counts for r or -r where it is further from 0. Of one record that is added or removed that tells "
        "what Gaussian noise of deviation r·sigma does of r, amplified by q. q, r and sigma are public.",
        _SAMPLED_GAUSSIAN,
        (
            "f(v::MetricVector(Real, Symmetric)) :: Priv() = sampled_gaussian(0.01, 1, 2, v)",
            "f(v::MetricVector(Real, Symmetric), q::Static(), s::Static()) :: Priv() = sampled_gaussian(q, 3, s, v)",
        ),
        (
            Refused("f(v::MetricVector(Real, Symmetric)) :: Priv() = sampled_gaussian(2, 1, 2, v)", "DP304"),
            Refused("f(v::MetricVector(Real, Symmetric)) :: Priv() = sampled_gaussian(0.1, 1, -2, v)", "DP304"),
            Refused("f(v::MetricVector(Real, ChangeOne)) :: Priv() = sampled_gaussian(0.1, 1, 2, v)", "DP455"),
            Refused("f(v::MetricVector(Real, Symmetric), q::Real) :: Priv() = sampled_gaussian(q, 1, 2, v)", "DP207"),
        ),
        traits=(Integral(False),),
    ),
)
