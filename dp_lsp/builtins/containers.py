"""Rows for vectors and matrices: access, shape, sums, clipping and changes of the metric."""

from __future__ import annotations

from dp_lsp.builtins import datasets, intervals, linear, monotonicity, statistics
from dp_lsp.builtins.datasets import MATRIX, VECTOR
from dp_lsp.builtins.define import (
    Application,
    Args,
    Builtin,
    Refusal,
    Refused,
    Result,
    each,
    form,
    free,
    not_negative,
    only,
)
from dp_lsp.builtins.patterns import ANY, NUMBER, STATIC, Arrow, Box, GivenNorm, Model, OneOf, Pattern, Records
from dp_lsp.builtins.places import row_of_matrix
from dp_lsp.builtins.traits import (
    Additive,
    ByRecord,
    ChosenPublicly,
    Clips,
    EverydayName,
    FreshVector,
    Integral,
    LimitedCopy,
    NeverNaN,
    PreservesZero,
    RecordCount,
    SampleSize,
    WithinRadius,
)
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.machine import ARRAY
from dp_lsp.core.metrics import by_norm, conversion, is_data
from dp_lsp.core.scheme import FunctionValue
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens, magnitude
from dp_lsp.core.types import (
    INTEGER,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    without_static,
)
from dp_lsp.core.values import replace

GRADIENT = frozenset({Kind.GRADIENT})
DATA = frozenset({Base.DATA})

LITERAL = "[…]"
TOTAL = "sum"

_SOLID = Box(frozenset({Kind.VECTOR, Kind.MATRIX}), truth=True)

_ACCESS = "Immediate from the metrics: no entry moves further than its row, no row further than its matrix"
_EVERYDAY = "Inequalities between the norms of a vector; searched exhaustively in every norm"
_METRICS = "Inequalities between the norms of a vector; maps into a metric of diameter 1 are 1-sensitive"


def _made_solid(args: Args) -> Type:
    """The same entries: of a view or an adjoint a Vector or Matrix is made, of a range perhaps another one."""
    match args["v"]:
        case Container() as box:
            return replace(box, stored=box.stored | ARRAY)
        case Dataset(records=records) as dataset:
            return replace(dataset, records=replace(records, stored=records.stored | ARRAY))
        case other:
            return other


def _static_integer(value: Poly) -> NumberType:
    return NumberType(Base.INTEGER, value)


def _length(args: Args) -> Type:
    box = args.container("v")
    return _static_integer(box.entries)


def _parameters(args: Args) -> Type:
    return _static_integer(args.dimension("n"))


def _shape(args: Args) -> tuple[Type, Type]:
    """The numbers of rows and columns."""
    found = args["m"]
    box = found if isinstance(found, Container) else args.dataset("m").records
    if _has_private_size(args):
        return INTEGER, _static_integer(box.length)
    assert box.rows is not None, "it is a matrix"
    return _static_integer(box.rows), _static_integer(box.length)


def _has_private_size(args: Args) -> bool:
    return not isinstance(args["m"], Container) and not args.dataset("m").metric.sized


def _size(args: Args) -> Type:
    return TupleType(_shape(args))


def _extent(args: Args) -> Type:
    return _shape(args)[0 if args.static("i") == Poly.of(1) else 1]


def _rows_counted(args: Args) -> Sens:
    """1 for rows of which it is private how many there are; they may be told alone, or with the columns."""
    told = "i" not in args.names or args.static("i") == Poly.of(1)
    return datasets.counted(args) if _has_private_size(args) and told else ZERO


def _entrywise(box: Container) -> Sens:
    """ν: how many entries' worth of distance there is in a row: 1, √n or n in L1, L2 and LInf."""
    return conversion(box.norm, Norm.L1, box.length)


def _summed(element: Type) -> Type:
    """What sums of such elements are, which may lie beyond their bounds: truth values are counted."""
    if isinstance(element, NumberType):
        return replace(element, bounds=None)
    return INTEGER if isinstance(element, BoolType) else element


def _total(args: Args) -> Type:
    """What the entries add up to: where it is known how many there are, between as many times their bounds."""
    box = args.container("v")
    total, around = _summed(box.element), intervals.of(box.element)
    if around is None or box.entries.number is None or not isinstance(total, NumberType):
        return total
    return replace(total, bounds=Bounds(box.entries * around.low, box.entries * around.high))


def _sum_factor(args: Args) -> Sens:
    """ν; 1 into Data."""
    box = args.container("v")
    return ONE if is_data(box.element) else _entrywise(box)


def _total_of_values(args: Args) -> Type | Refusal:
    value = args.applied["f"].result
    if not isinstance(value, NumberType | BoolType | TypeVariable):
        return Refusal("the function must return numbers")
    return without_static(_summed(value))


def _values_factors(args: Args) -> tuple[Sens, ...]:
    """What is captured moves every value, so the sum as often as there are entries."""
    box = args.container("v")
    entries = magnitude(box.entries)
    factors = {"f": entries, "v": args.applied["f"].factors[0] * _entrywise(box)}
    return tuple(factors[name] for name in args.names)


def _by_rows(args: Args) -> bool:
    """Whether rows are added to each other, not the entries of each row."""
    return args.static("dims") == Poly.of(1)


def _sum_along(args: Args) -> Type:
    """One row, measured like the rows that were added; or one column, whose rows are numbers."""
    box = args.container("v").of(_summed(args.container("v").element))
    if _by_rows(args):
        return replace(box, rows=Poly.of(1))
    return replace(box, norm=NormVariable("norm", free=True), length=Poly.of(1))


def _sum_along_factor(args: Args) -> Sens:
    """1 where rows are added to each other: the metric of a matrix adds them up, too. Else as for all entries."""
    return ONE if _by_rows(args) else _sum_factor(args)


def _vector_of(args: Args) -> Type | Refusal:
    base = args.base
    if isinstance(base, Refusal):
        return base
    element = NumberType(base, bounds=intervals.hull(*map(intervals.of, args.types)))
    return Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, Poly.of(len(args)), element)


def _vector_of_functions(args: Args) -> Type | Refusal:
    """Functions in a vector are one function, of which it is open which."""
    values = tuple(type_.value for type_ in args.types if isinstance(type_, FunctionType))
    if len(values) < len(args):
        return Refusal("functions that are parameters cannot stand in a vector")
    element = FunctionType(FunctionValue("a function of the vector", choices=values))
    return Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, Poly.of(len(args)), element)


def _transposed(args: Args) -> Type:
    matrix = args.container("m")
    assert matrix.rows is not None
    norm = NormVariable("norm", free=True)
    return Container(Kind.MATRIX, norm, Clip.U, matrix.rows, matrix.element, matrix.length)


def _clipped(args: Args) -> Type:
    return replace(args.container("v"), clip=Clip(args.given_norm("N").value))


def _unboxed_clip(args: Args) -> Type | Refusal:
    box = args.container("v")
    if box.clip is Clip.U:
        return Refusal("its rows are not clipped", unclipped="v")
    return Container(box.kind, Norm(box.clip.value), Clip.U, box.length, NumberType(Base.REAL), box.rows)


def _in_norm(args: Args) -> Type:
    return replace(args.container("v"), norm=args.given_norm("N"))


def _norm_factor(args: Args) -> Sens:
    box = args.container("v")
    return conversion(box.norm, args.given_norm("N"), box.length)


def _published_norm_factor(args: Args) -> Sens:
    """√n for every change of the norm but those from L1: the published factors."""
    box, target = args.container("v"), args.given_norm("N")
    if isinstance(box.norm, NormVariable) and box.norm.free:
        return ONE
    root = conversion(Norm.LINF, Norm.L2, box.length)
    factors = [ONE if norm in (Norm.L1, target) else root for norm in Norm]
    return by_norm(box.norm, *factors)


def _an_array(args: Args) -> Type | Refusal:
    vector = args.container("v")
    return vector if vector.stored == ARRAY else Refusal("it is no array when the program runs, or not known to be one")


def _short_vector(args: Args) -> Type:
    return args.container("v").of(NumberType(Base.REAL))


def _row_vector(args: Args) -> Type:
    vector = args.container("v")
    return Container(Kind.MATRIX, vector.norm, vector.clip, vector.length, vector.element, Poly.of(1))


_VECTORS: tuple[tuple[Result, Pattern], ...] = ((_vector_of, NUMBER), (_vector_of_functions, Arrow()))
_A_VECTOR, _A_MATRIX = Box(VECTOR, truth=True), Box(MATRIX, truth=True)
_WITH_ROWS = (_A_MATRIX, Records(MATRIX, sized=True), Records(MATRIX, sized=False))
_SUMMED = Box(MATRIX, arithmetic=True, truth=True)
_VECTOR_LIKE = (
    Box(VECTOR | GRADIENT, Norm.LINF, DATA),
    Box(MATRIX, Norm.LINF, DATA, one_row=True),
)

ROWS: tuple[Builtin, ...] = (
    Builtin(
        LITERAL,
        "[x, y, …]",
        (
            form(_vector_of, each(), variadic=True, entries=True, linear=linear.entries, x=NUMBER),
            form(_vector_of_functions, each(), variadic=True, x=Arrow()),
        ),
        "A vector of numbers, or of functions. What moves several entries moves it by their sum in L1, the root of the "
        "sum of their squares in L2 and the largest of them in LInf. The norm is that of what it is used for.",
        _EVERYDAY,
        ("f(x::Real, y::Real) = [x, y]",),
        (
            Refused("f(x::Real, y::Data) = [x, y]", "DP208"),
            Refused("f(g::MetricGradient(Real, L2)) = [g]", "DP202"),
        ),
        published=tuple(form(of, each(), variadic=True, x=x) for of, x in _VECTORS),
        traits=(PreservesZero(), NeverNaN(), monotonicity.IN_ALL),
    ),
    Builtin(
        "length",
        "length(v)",
        (form(_length, free, v=Box(truth=True)), *statistics.LENGTHS, form(_parameters, free, m=Model("n"))),
        "The number of entries, or of the parameters of a model. Public: neighbouring containers have the same shape, "
        "but not so of a dataset in `Symmetric` or `InsertDelete`: there it is private, and moves by 1 for a record, "
        "by n for a row of n entries.",
        _ACCESS,
        (
            "f(v::Vector{<:Real}) = length(v)",
            "f(m::Matrix{<:Data}) = length(m)",
            "f(v::MetricVector(Real, ChangeOne)) = length(v)",
            "f(v::MetricVector(Real, Symmetric)) = length(v)",
            "f(m::DMModel) = length(m)",
        ),
        (Refused("f(x::Real) = length(x)", "DP202"),),
        traits=(Integral(True), RecordCount(), NeverNaN(), ByRecord.NUMBERS, monotonicity.BY_RECORDS),
    ),
    Builtin(
        "size",
        "size(m), size(m, i)",
        (
            *(form(_size, only(m=_rows_counted), m=matrix) for matrix in _WITH_ROWS),
            *(form(_extent, only(m=_rows_counted), m=matrix, i=OneOf((1, 2))) for matrix in _WITH_ROWS),
        ),
        "The numbers of rows and columns, with i = 1 that of rows, with i = 2 that of columns. Public: neighbouring "
        "containers have the same shape. Not so of a dataset in `Symmetric` or `InsertDelete`, as a Poisson sample is: "
        "how many rows it has is private, and moves by 1 for each.",
        _ACCESS,
        (
            "f(m::Matrix{<:Data}) = size(m)",
            "f(m::MetricMatrix(Real, Symmetric)) = size(m, 1)",
            "f(m::MetricMatrix(Real, ChangeOne)) = size(m, 2)",
            "f(m::MetricMatrix(Real, ChangeOne)) = size(m)",
            "f(m::Matrix{<:Data}) = size(m, 2)",
            "function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()\n"
            "   (D, L) = sample_poisson(0.1, A, B)\n"
            "   (rows, columns) = size(D)\n"
            "   laplacian_mechanism(1, 0.5, rows)\n"
            "end",
        ),
        (
            Refused("f(v::Vector{<:Data}) = size(v)", "DP202"),
            Refused("f(m::Matrix{<:Data}) = size(m, 3)", "DP202"),
        ),
        traits=(Integral(True), SampleSize(), RecordCount(), ByRecord.ROWS),
    ),
    Builtin(
        TOTAL,
        "sum(v), sum(f, v), sum(m; dims)",
        (
            form(
                _total, only(v=_sum_factor), linear=linear.total, v=replace(_SUMMED, kinds=VECTOR | MATRIX | GRADIENT)
            ),
            form(_sum_along, only(v=_sum_along_factor), v=_SUMMED, keywords={"dims": OneOf((1, 2))}),
            form(
                _total_of_values,
                _values_factors,
                applies=Application("f", lambda args: (args.container("v").element,)),
                linear=linear.total_of_mapped,
                f=Arrow(),
                v=Box(VECTOR | MATRIX | GRADIENT, truth=True),
            ),
            *statistics.SUMS,
        ),
        "The sum of all entries: 1-sensitive in L1, √n in L2, n in LInf, for rows of n entries; of Data 1. With "
        "dims=1 the rows are added to each other, which is 1-sensitive; with dims=2 the entries of each row. sum(f, v) "
        "is the sum of what a function makes of the entries: that times how sensitive the function is, and what it "
        "captures counts once for each entry. Of a dataset of numbers between L and U, max(|L|, |U|)-sensitive, and "
        "U - L where the number of records is public; sum(f, v) adds up what a function makes of them. The rows of a "
        "dataset that measure at most c are added up c- and 2c-sensitively with dims=1, all their entries as much, √n "
        "or n times that for rows of n entries in L1, L2 or LInf. Rows of n numbers between L and U count n, √n or 1 "
        "times in L1, L2 and LInf.",
        _EVERYDAY,
        (
            "f(v::MetricVector(Bounded(Real, -1, 2), Symmetric)) = sum(v)",
            "f(m::MetricMatrix(Real, Symmetric)) = sum(clip(L2, 3, m); dims=1)",
            "f(m::MetricMatrix(Real, Symmetric)) = sum(clip(L1, 3, m))",
            "f(m::MetricMatrix(Bounded(Real, 0, 2), ChangeOne)) = sum(m; dims=1)",
            "f(v::MetricVector(Real, ChangeOne)) = sum(x -> x > 3 ? 1 : 0, v)",
            "f(v::MetricVector(Real, L1)) = sum(v)",
            "f(g::MetricGradient(Real, L1)) = sum(g)",
            "f(m::MetricMatrix(Real, L2)) = sum(m; dims=1)",
            "f(v::MetricVector(Real, L1)) = sum(x -> 2 * x, v)",
        ),
        (
            Refused("f(g::MetricGradient(Real, L1)) = sum(g; dims=1)", "DP202"),
            Refused("f(m::MetricMatrix(Real, L2)) = sum(m; dims=3)", "DP202"),
            Refused("f(v::MetricVector(Real, L1)) = sum(v; dims=1)", "DP202"),
            Refused("f(v::MetricVector(Real, L1)) = sum(x -> [x], v)", "DP208"),
        ),
        traits=(NeverNaN(), ByRecord.ADDS, monotonicity.TOTAL),
    ),
    *(
        Builtin(
            name,
            signature,
            (
                form(_transposed, only(m=lambda args: _entrywise(args.container("m"))), m=_A_MATRIX),
                form(_row_vector, each(), v=_A_VECTOR),
                form(lambda args: args["x"], each(), x=NUMBER),
            ),
            "Rows and columns exchanged: 1, √n or n for rows of n entries in L1, L2 or LInf. A vector becomes one row.",
            _EVERYDAY,
            (example, example.replace("Matrix", "Vector"), f"f(x::Real) = {signature.replace('m', 'x')}"),
            (Refused(example.replace("Matrix", "Gradient"), "DP202"),),
            traits=(monotonicity.IN_ALL,),
        )
        for name, signature, example in (
            ("transpose", "transpose(m)", "f(m::MetricMatrix(Real, L1)) = transpose(m)"),
            ("'", "m'", "f(m::MetricMatrix(Real, L1)) = m'"),
        )
    ),
    Builtin(
        "row_to_vec",
        "row_to_vec(m)",
        (form(row_of_matrix, each(), m=Box(MATRIX, one_row=True, truth=True)),),
        "A matrix of one row as a vector; 1-sensitive.",
        _ACCESS,
        ("f(v::MetricVector(Real, L2)) = row_to_vec(vec_to_row(v))",),
        (Refused("f(x::Real) = row_to_vec([x, 1]'')", "DP202"),),
        traits=(monotonicity.IN_ALL,),
    ),
    Builtin(
        "vec",
        "vec(m)",
        (
            form(row_of_matrix, each(), passes_on=("m",), m=Box(MATRIX, one_row=True, truth=True)),
            form(lambda args: args["m"], each(), passes_on=("m",), linear=linear.itself("m"), m=_A_VECTOR),
        ),
        "A matrix of one row, such as a sum of rows, as a vector, or a vector itself; 1-sensitive. It shares its "
        "entries with what it is made of.",
        _ACCESS,
        (
            "f(m::MetricMatrix(Bounded(Real, 0, 1), Symmetric)) = vec(sum(m; dims=1))",
            "f(v::MetricVector(Real, L2)) = vec(v)",
        ),
        (Refused("f(x::Real) = vec([x, 1]'')", "DP202"),),
        traits=(EverydayName(), monotonicity.IN_ALL),
    ),
    Builtin(
        "vec_to_row",
        "vec_to_row(v)",
        (form(_row_vector, each(), passes_on=("v",), v=_A_VECTOR),),
        "A vector as a matrix of one row; 1-sensitive.",
        _ACCESS,
        ("f(v::MetricVector(Real, L2)) = vec_to_row(v)",),
        (Refused("f(m::MetricMatrix(Real, L2)) = vec_to_row(m)", "DP202"),),
        traits=(monotonicity.IN_ALL,),
    ),
    Builtin(
        "clip",
        "clip(N, v), clip(N, c, v)",
        (
            *(form(_clipped, only(v=ONE), shares_arrays=("v",), N=GivenNorm(), v=box) for box in _VECTOR_LIKE),
            datasets.CLIP,
        ),
        "Scales v down to norm at most 1 in N, if it is larger. Takes Data measured in LInf, where every function of "
        "it is 1-sensitive: two different values are exactly 1 apart. Of a dataset, with a number c as well, it scales "
        "each row down to at most c.",
        _METRICS,
        (
            "f(m::MetricMatrix(Real, Symmetric)) = clip(L2, 3, m)",
            "f(v::MetricVector(Data, LInf)) = clip(L2, v)",
            "f(v::MetricVector(Data, LInf)) = clip(L2, vec_to_row(v))",
        ),
        (
            Refused("f(v::MetricVector(Real, L2)) = clip(L2, v)", "DP202"),
            Refused("f(m::MetricMatrix(Real, Symmetric)) = clip(L2, -1, m)", "DP304"),
            Refused("f(v::MetricVector(Data, L1)) = clip(L2, v)", "DP202"),
            Refused("f(v::MetricVector(Data, LInf)) = clip(L2, [v[1], 0]'')", "DP202"),
        ),
        mutates="v",
        traits=(Clips(), LimitedCopy(("v",)), ChosenPublicly((("c", "bound"),)), monotonicity.BY_RECORDS),
    ),
    Builtin(
        "clip_vector",
        "clip_vector(c, v)",
        (
            form(
                _short_vector,
                only(v=ONE),
                not_negative("c"),
                c=STATIC,
                v=Box(VECTOR, Norm.L2, frozenset({Base.INTEGER, Base.REAL})),
            ),
        ),
        "Scales a vector of numbers down to norm at most c in L2, if it is larger: 1-sensitive. What a function makes "
        "of each row of a dataset measures at most c then.",
        "It is the projection onto a ball, which moves no two vectors further apart (Boyd and Vandenberghe 2004, "
        "exercise 8.3)",
        (
            "f(v::MetricVector(Real, L2)) = clip_vector(3, v)",
            "f(m::MetricMatrix(Real, Symmetric)) = sum(map_rows(row -> clip_vector(3, row), m); dims=1)",
        ),
        (
            Refused("f(v::MetricVector(Real, L1)) = clip_vector(3, v)", "DP202"),
            Refused("f(v::MetricVector(Real, L2)) = clip_vector(-3, v)", "DP304"),
            Refused("f(v::MetricVector(Real, L2), c::Real) = clip_vector(c, v)", "DP207"),
        ),
        traits=(
            EverydayName(),
            Integral(False),
            WithinRadius(lambda args: magnitude(args.static("c"))),
            ChosenPublicly((("c", "bound"),)),
        ),
    ),
    Builtin(
        "vector_norm",
        "vector_norm(v)",
        (
            form(
                lambda args: NumberType(Base.REAL),
                only(v=ONE),
                v=Box(VECTOR, Norm.L2, frozenset({Base.INTEGER, Base.REAL})),
            ),
        ),
        "How long a vector of numbers is, in L2: 1-sensitive.",
        "The reverse triangle inequality",
        ("f(v::MetricVector(Real, L2)) = vector_norm(v)",),
        (Refused("f(v::MetricVector(Real, L1)) = vector_norm(v)", "DP202"),),
        traits=(EverydayName(), Integral(False), NeverNaN(), PreservesZero()),
    ),
    Builtin(
        "dot_product",
        "dot_product(v, w)",
        (
            form(
                lambda args: NumberType(Base.REAL),
                each(INFINITY),
                v=Box(VECTOR, bases=frozenset({Base.INTEGER, Base.REAL}), length="n", arithmetic=True),
                w=Box(VECTOR, bases=frozenset({Base.INTEGER, Base.REAL}), length="n", arithmetic=True),
            ),
        ),
        "The sum of the products of the entries of two vectors of one length. ∞-sensitive in both, as entries may be "
        "as large as they like; as any function it may be applied to the rows of a dataset.",
        _EVERYDAY,
        ("f(m::MetricMatrix(Real, Symmetric)) = sum(map_rows(row -> clamp(dot_product(row, row), 0, 1), m))",),
        (Refused("f(v::MetricVector(Real, L1), x::Real) = dot_product(v, x)", "DP202"),),
        traits=(EverydayName(), Integral(False), NeverNaN(), PreservesZero()),
    ),
    Builtin(
        "as_vector",
        "as_vector(v)",
        (form(_an_array, each(), linear=linear.itself("v"), passes_on=("v",), v=Box(VECTOR, arithmetic=True)),),
        "The same vector of numbers, which must be an array when the program runs: no range, no view and no list.",
        "The identity",
        ("f(v::MetricVector(Real, L2)) = as_vector(v)",),
        (Refused("f(v::MetricMatrix(Real, L2)) = as_vector(v)", "DP202"),),
        traits=(EverydayName(), PreservesZero(), Additive(lambda index, count: True), monotonicity.IN_ALL),
    ),
    Builtin(
        "undisc_container",
        "undisc_container(v)",
        (form(_unboxed_clip, each(2), shares_arrays=("v",), v=Box(bases=DATA, clipped=True)),),
        "Clipped Data as real numbers, measured in the norm it was clipped in. 2-sensitive: two rows of norm 1 may "
        "be opposite.",
        _METRICS,
        ("f(v::MetricVector(Data, LInf)) = undisc_container(clip(L2, v))",),
        (
            Refused("f(v::MetricVector(Data, LInf)) = undisc_container(v)", "DP205"),
            Refused("f(v::MetricVector(Real, L2)) = undisc_container(v)", "DP202"),
        ),
        mutates="v",
        traits=(Integral(False), WithinRadius(lambda args: ONE if args.container("v").rows is None else INFINITY)),
    ),
    Builtin(
        "norm_convert",
        "norm_convert(N, v)",
        (
            form(
                _in_norm,
                only(v=_norm_factor),
                shares_arrays=("v",),
                linear=linear.itself("v"),
                N=GivenNorm(),
                v=Box(truth=True),
            ),
        ),
        "The same container, measured in the norm N. Free towards a smaller norm (L1, then L2, then LInf); the other "
        "way √n for one step and n from LInf to L1, for rows of n entries.",
        _METRICS,
        ("f(v::MetricVector(Real, L2)) = norm_convert(L1, v)",),
        (Refused("f(x::Real) = norm_convert(L1, x)", "DP202"),),
        mutates="v",
        published=(form(_in_norm, only(v=_published_norm_factor), N=GivenNorm(), v=Box(truth=True)),),
        traits=(PreservesZero(), monotonicity.IN_LAST),
    ),
    Builtin(
        "clone",
        "clone(x)",
        (form(lambda args: args["x"], each(), shares_arrays=("x",), linear=linear.itself("x"), x=ANY),),
        "The same value; 1-sensitive. That of a gradient shares its arrays with the original, so that a change in "
        "place of one is seen in the other: see deepcopy.",
        "The identity",
        ("f(x::Real) = clone(x)",),
        (),
        traits=(PreservesZero(), Additive(lambda index, count: True), monotonicity.IN_ALL),
    ),
    Builtin(
        "deepcopy",
        "deepcopy(x)",
        (form(lambda args: args["x"], each(), linear=linear.itself("x"), x=ANY),),
        "A copy that shares nothing with the original, so what changes one does not change the other; 1-sensitive.",
        "The identity",
        ("f(x::Real) = deepcopy(x)",),
        (),
        traits=(PreservesZero(), Additive(lambda index, count: True), monotonicity.IN_ALL),
    ),
    *(
        Builtin(
            name,
            f"{name}(v)",
            tuple(form(_made_solid, each(), linear=linear.itself("v"), v=pattern) for pattern in (_SOLID, Records())),
            "A vector or matrix of the same entries that shares nothing with the original; 1-sensitive.",
            "The identity",
            (f"f(v::Vector{{<:Real}}) = {name}(v)", f"f(v::MetricVector(Real, Symmetric)) = {name}(v)"),
            (Refused(f"f(m::DMModel) = {name}(m)", "DP202"),),
            traits=(FreshVector(), PreservesZero(), Additive(lambda index, count: True), monotonicity.IN_ALL),
        )
        for name in ("copy", "collect")
    ),
)
