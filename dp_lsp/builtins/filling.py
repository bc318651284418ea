"""Vectors that are made to be filled: `zeros(n)`, `ones(n)`, `Float64[]`, and what fills them:
`push!(v, x)`, `v[i] = x` and `vcat(v, x)`.

The first two of these change a vector in place. As a row, each gives the vector that it leaves behind, which is the
next version of the variable; that nobody else sees the change is for whoever lowers a program to make sure
(:mod:`dp_lsp.lower.statements`). What has no place among the entries of a vector makes the run fail: a number that is
not whole in a vector of Ints."""

from __future__ import annotations

from dp_lsp.builtins import datasets
from dp_lsp.builtins.datasets import VECTOR
from dp_lsp.builtins.define import Args, Builtin, Demand, Refusal, Refused, each, form, free, only
from dp_lsp.builtins.patterns import INTEGER_NUMBER, REAL_NUMBER, STATIC, STATIC_INTEGER, Arrow, Box, GivenType
from dp_lsp.builtins.traits import FreshVector, InPlace, IntegerArguments, Integral, Lengthens, NeverNaN, everyday
from dp_lsp.core import machine
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.constraints import decide
from dp_lsp.core.sens import INFINITY, ONE, Sens, magnitude
from dp_lsp.core.types import REAL, Base, Bounds, Clip, Container, Kind, NumberType, Type, without_value
from dp_lsp.core.values import replace

EMPTY = "T[]"
"""The id of a vector without entries, which has no name."""
STORE = "[]="
"""The id of an assignment to an entry, which has no name."""
STORE_ALL = ".="
"""The id of an assignment to all entries at once, which has no name."""
PUSH = "push!"
TALLY = "[]+="
"""The id of a number that each record adds to one entry, which has no name."""

_MADE = "A vector of public numbers moves with nothing"
_ADDED = "Every norm of a vector is at most the sum of those of its parts, as they stand in it beside zeros"

_NUMBERS = Box(VECTOR, bases=frozenset({Base.INTEGER, Base.REAL}))


def _vector(length: Poly, element: Type) -> Container:
    return Container(Kind.VECTOR, NormVariable("norm", free=True), Clip.U, length, element)


def _not_negative(args: Args) -> tuple[Demand, ...]:
    return (Demand(Poly.of(0), "<=", args.static("n"), "n"),)


def _is_there(args: Args) -> tuple[Demand, ...]:
    """A known position is one of an entry."""
    place = args.statics[args.names.index("i")]
    if place is None:
        return ()
    return Demand(Poly.of(1), "<=", place, "i"), Demand(place, "<=", args.container("v").length, "i")


def _as_many(args: Args) -> tuple[Demand, ...]:
    return (Demand(args.container("v").length, "==", args.container("w").length, "w"),)


def _of_floats(args: Args) -> Type:
    return _vector(args.static("n"), REAL)


def _typed(args: Args) -> Type | Refusal:
    return _of_type(args, Poly.of(0))


def _typed_numbers(args: Args) -> Type | Refusal:
    return _of_type(args, args.static("n"))


def _of_type(args: Args, length: Poly) -> Type | Refusal:
    given = args.given_type("T")
    if not isinstance(given, NumberOf) or given.base is Base.DATA:
        return Refusal("a vector that is filled holds numbers, as `Float64[]` does")
    whole = given.base is Base.INTEGER
    held = machine.of_elements(given.stored or (machine.WHOLE if whole else machine.NUMBERS), upper=False)
    return _vector(length, NumberType(given.base, stored=held))


def _untyped(args: Args) -> Type:
    return _vector(Poly.of(0), REAL)


def _is_place(element: NumberType, entry: NumberType) -> bool:
    """Whether a vector takes a number for an entry, whatever that is stored as: as it is, or as a float."""
    held = element.stored
    if not held & ~(machine.FLOAT64 | machine.ABSTRACT_REAL | machine.ABSTRACT):
        return True
    whole = held in (machine.INT, machine.ABSTRACT_INTEGER)
    return whole and not entry.stored & ~(machine.INT if held == machine.INT else machine.WHOLE)


def _with_entry(args: Args, length: Poly) -> Type | Refusal:
    """The vector with one more entry, or another one. No bounds are known of its entries."""
    box, entry = args.container("v"), args["x"]
    element = box.element
    if not isinstance(element, NumberType) or not isinstance(entry, NumberType):
        return Refusal("its entries are no numbers")
    if not _is_place(element, entry):
        kind = machine.words(element.stored) or "a number of one type"
        return Refusal(f"each of its entries is {kind}, and `x` may be none; begin with `Float64[]` or `zeros(n)`")
    base = Base.REAL if Base.REAL in (element.base, entry.base) else Base.INTEGER
    return replace(box, length=length, clip=Clip.U, element=NumberType(base, stored=element.stored))


def _pushed(args: Args) -> Type | Refusal:
    return _with_entry(args, args.container("v").length + Poly.of(1))


def _stored(args: Args) -> Type | Refusal:
    return _with_entry(args, args.container("v").length)


def _stored_all(args: Args) -> Type | Refusal:
    """The vector with other entries: as many as it had, of which each has a place."""
    box, new = args.container("v"), args.container("w")
    return _with_entry(Args(("v", "x"), (box, new.element), args.binds), box.length)


def _places(args: Args) -> Bounds | None:
    """Between which positions a function puts each record; None where it may be none, or is not known."""
    place = args.applied["f"].result
    if not isinstance(place, NumberType) or place.base is not Base.INTEGER:
        return None
    if machine.values(place.stored) & ~machine.POSITION:
        return None
    return place.bounds if place.static is None else Bounds(place.static, place.static)


def _tallied(args: Args) -> Type | Refusal:
    """The vector in which entries have grown."""
    if _places(args) is None:
        return Refusal("nothing says that each place is one of the entries: put it between two public whole numbers")
    if any(decide(demand.left, demand.relation, demand.right) is False for demand in _is_in(args)):
        return Refusal("a record may say a place where there is no entry; keep it among the places that there are")
    return _with_entry(Args(("v", "x"), (args["v"], args["c"]), args.binds), args.container("v").length)


def _is_in(args: Args) -> tuple[Demand, ...]:
    """Each place that a record may have is one of an entry."""
    places = _places(args)
    if places is None:
        return ()
    return Demand(Poly.of(1), "<=", places.low, "f"), Demand(places.high, "<=", args.container("v").length, "f")


def _added_once(args: Args) -> Sens:
    return magnitude(args.static("c"))


def _added_twice(args: Args) -> Sens:
    return datasets.TWO * magnitude(args.static("c"))


def _joined(args: Args) -> Type | Refusal:
    boxes = [type_ for type_ in args.types if isinstance(type_, Container)]
    numbers = [box.element if isinstance(box, Container) else box for box in args.types]
    if not all(isinstance(each, NumberType) for each in numbers):
        return Refusal("entries must be numbers")
    bases = {each.base for each in numbers if isinstance(each, NumberType)}
    length = sum((box.length for box in boxes), Poly.of(len(args) - len(boxes)))
    element = NumberType(Base.REAL if Base.REAL in bases else Base.INTEGER)
    return replace(boxes[0], length=length, clip=Clip.U, element=element)


_RELEASES = "function f(x::Real, eps::Static()) :: Priv()\n    v = {}\n    {}\n    v\nend"

_EVERYDAY: tuple[Builtin, ...] = (
    *(
        Builtin(
            name,
            f"{name}(n), {name}(T, n)",
            (
                form(_of_floats, free, _not_negative, n=STATIC_INTEGER),
                form(_typed_numbers, free, _not_negative, T=GivenType(), n=STATIC_INTEGER),
            ),
            f"A vector of n {name}, stored as Float64, or as the type that is given, to be filled by `v[i] = x`. n is "
            "public; 0 ≤ n.",
            _MADE,
            (
                f"f() = {name}(3)",
                f"f() = {name}(Int, 3)",
                f"function f(x::Real)\n    v = {name}(3)\n    v[2] = x\n    v\nend",
            ),
            (
                Refused(f"f() = {name}(-1)", "DP304"),
                Refused(f"f(n::Integer) = {name}(n)", "DP207"),
                Refused(f"f(x::Data) = {name}(x)", "DP202"),
                Refused(f"f() = {name}(Data, 3)", "DP208"),
            ),
            traits=(FreshVector(), Integral(False), IntegerArguments(("n",)), NeverNaN()),
        )
        for name in ("zeros", "ones")
    ),
    Builtin(
        "fill",
        "fill(x, n)",
        (
            form(
                lambda args: _vector(args.static("n"), without_value(args["x"])),
                only(x=lambda args: magnitude(args.static("n"))),
                _not_negative,
                x=REAL_NUMBER,
                n=STATIC_INTEGER,
            ),
        ),
        "A vector of n times the same number, to be filled by `v[i] = x`. n is public; 0 ≤ n. It moves n times as far "
        "as that number.",
        _ADDED,
        ("f(x::Real) = fill(x, 3)", "function f(x::Real)\n    v = fill(0.0, 3)\n    v[2] = x\n    v\nend"),
        (
            Refused("f(x::Real) = fill(x, -1)", "DP304"),
            Refused("f(x::Real, n::Integer) = fill(x, n)", "DP207"),
            Refused("f(v::MetricVector(Real, L1)) = fill(v, 3)", "DP202"),
        ),
        traits=(FreshVector(), IntegerArguments(("n",)), NeverNaN()),
    ),
    Builtin(
        "vcat",
        "vcat(v, w), vcat(v, x), vcat(x, v)",
        (
            form(_joined, each(), v=replace(_NUMBERS, norm="N"), w=replace(_NUMBERS, norm="N")),
            form(_joined, each(), v=_NUMBERS, x=REAL_NUMBER),
            form(_joined, each(), x=REAL_NUMBER, v=_NUMBERS),
        ),
        "The entries of both, one after the other, as a new vector. It moves as far as both together.",
        _ADDED,
        (
            "f(v::MetricVector(Real, L1), x::Real) = vcat(v, x)",
            "f(v::MetricVector(Real, L1), w::MetricVector(Real, L1)) = vcat(v, w)",
            "f(v::MetricVector(Real, L2), x::Real) = vcat(x, v)",
        ),
        (
            Refused("f(v::MetricVector(Real, L1), x::Data) = vcat(v, x)", "DP202"),
            Refused("f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = vcat(v, w)", "DP208"),
        ),
        traits=(FreshVector(), Lengthens()),
    ),
)

_CHANGING: tuple[Builtin, ...] = (
    Builtin(
        EMPTY,
        "Float64[], []",
        (form(_untyped, free), form(_typed, free, T=GivenType())),
        "A vector without entries, to be filled by `push!`.",
        _MADE,
        ("f() = []", "f() = Float64[]", "function f(x::Real)\n    v = Float64[]\n    push!(v, x)\n    v\nend"),
        (Refused("f() = Data[]", "DP208"),),
        traits=(FreshVector(), Integral(False)),
    ),
    Builtin(
        PUSH,
        "push!(v, x)",
        (form(_pushed, each(), v=_NUMBERS, x=REAL_NUMBER),),
        "Puts x behind the last entry of v, a vector that was made in the same function and that nothing else shares. "
        "It moves as far as both together.",
        _ADDED,
        (
            "function f(x::Real)\n    v = Float64[]\n    push!(v, x)\n    v\nend",
            _RELEASES.format("Float64[]", "for i in 1:3\n        push!(v, laplacian_mechanism(1, eps, x))\n    end"),
        ),
        (
            Refused("function f(x::Real)\n    v = Int[]\n    push!(v, x)\n    v\nend", "DP208"),
            Refused("function f(x::Data)\n    v = Float64[]\n    push!(v, x)\n    v\nend", "DP202"),
        ),
        mutates="v",
        traits=(InPlace(), Lengthens()),
    ),
    Builtin(
        STORE,
        "v[i] = x",
        (
            form(
                _stored,
                only(v=ONE, x=ONE, i=INFINITY),
                _is_there,
                fails_on=("i",),
                v=_NUMBERS,
                i=INTEGER_NUMBER,
                x=REAL_NUMBER,
            ),
        ),
        "Puts x in the place of an entry of v, a vector that was made in the same function and that nothing else "
        "shares. It moves as far as both together; a private position has no bound (∞).",
        _ADDED,
        (
            "function f(x::Real)\n    v = zeros(3)\n    v[2] = x\n    v\nend",
            _RELEASES.format("zeros(3)", "for i in 1:3\n        v[i] = laplacian_mechanism(1, eps, x)\n    end"),
        ),
        (
            Refused("function f(x::Real)\n    v = zeros(3)\n    v[4] = x\n    v\nend", "DP304"),
            Refused("function f(x::Real)\n    v = [1, 2]\n    v[1] = x\n    v\nend", "DP208"),
            Refused("function f(x::Data)\n    v = zeros(3)\n    v[1] = x\n    v\nend", "DP202"),
        ),
        mutates="v",
        traits=(InPlace(), IntegerArguments(("i",))),
    ),
    Builtin(
        TALLY,
        "v[f(x)] += c for x in r",
        tuple(
            form(
                _tallied,
                only(f=INFINITY, r=datasets.per_change(_added_once, _added_twice, _added_twice), v=ONE),
                _is_in,
                applies=datasets.applied_to("f"),
                f=Arrow(),
                r=records,
                v=_NUMBERS,
                c=STATIC,
            )
            for records in (datasets.NUMBERS, datasets.ROWS_OF_PEOPLE)
        ),
        "Adds a public number to one entry of v for each record, whose place the record says: what a loop over records "
        "leaves that does `v[i] += c`. A record that comes or goes moves one entry by c, one that is replaced two.",
        "A record is in one place: what it adds has the norm |c|, whichever norm it is",
        (
            "function f(r::MetricVector(Real, Symmetric))\n    v = zeros(3)\n    for x in r\n"
            "        v[clamp(floor(Int, x), 1, 3)] += 1\n    end\n    v\nend",
            "function f(m::MetricMatrix(Real, Symmetric))\n    v = zeros(3)\n    for row in eachrow(m)\n"
            "        v[clamp(floor(Int, row[1]), 1, 3)] += 1\n    end\n    v\nend",
        ),
        (
            Refused(
                "function g(r::MetricVector(Real, Symmetric), n::Static(Integer))\n    v = zeros(n)\n    for x in r\n"
                "        v[clamp(floor(Int, x), 1, 3)] += 1\n    end\n    v\nend\n"
                "f(r::MetricVector(Real, Symmetric)) = g(r, 2)",
                "DP304",
            ),
            Refused(
                "function f(r::MetricVector(Real, Symmetric))\n    v = zeros(3)\n    for x in r\n"
                "        v[floor(Int, x)] += 1\n    end\n    v\nend",
                "DP208",
            ),
            Refused(
                "function f(r::MetricVector(Real, Symmetric))\n    v = zeros(3)\n    for x in r\n"
                "        v[clamp(floor(Int, x), 0, 3)] += 1\n    end\n    v\nend",
                "DP208",
            ),
        ),
    ),
    Builtin(
        STORE_ALL,
        "v .= w",
        (form(_stored_all, only(w=ONE), _as_many, v=replace(_NUMBERS, norm="N"), w=replace(_NUMBERS, norm="N")),),
        "Puts the entries of w in the places of those of v, a vector that was made in the same function and that "
        "nothing else shares. It moves as w does.",
        "The entries are those of w",
        (
            "function f(x::Real)\n    v = zeros(3)\n    v .= x\n    v\nend",
            "function f(w::MetricVector(Real, L1))\n    v = zeros(length(w))\n    v .+= 2 .* w\n    v\nend",
        ),
        (
            Refused("function f(x::Real)\n    v = zeros(3)\n    v .= [x, x]\n    v\nend", "DP304"),
            Refused("function f(x::Real)\n    v = [1, 2]\n    v .= x\n    v\nend", "DP208"),
        ),
        mutates="v",
        traits=(InPlace(),),
    ),
)

ROWS = (*everyday(_EVERYDAY), *_CHANGING)
"""The rows; people call variables like those that make vectors."""
