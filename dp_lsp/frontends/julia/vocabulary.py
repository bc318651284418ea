"""Julia's words: its keywords, the annotations and the norms, and what each is for.

What people call in Julia of records that is not proved private.

What to write instead of a construct that is not part of the language, where it can be said in a few words, such as
`map` instead of a generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from dp_lsp.builtins import TABLE
from dp_lsp.builtins.define import Builtin
from dp_lsp.core import machine
from dp_lsp.hopeless import Hopeless
from dp_lsp.language import Builtins, Cursor, Expected, Familiar, Spelling, Vocabulary, Word
from dp_lsp.surface import BROADCAST_INTO, MACRO_CALL, SEEDING

BY_MAP = "`map(x -> …, v)`"
"""What to write instead, in a message."""
_BY_MAP = f"; write {BY_MAP}"
_INSTEAD = {
    SEEDING: "; leave it out: whoever knows the seed knows the noise",
    "a broadcast": _BY_MAP,
    BROADCAST_INTO: "; write `v = …`, which makes a new vector",
    "the keyword argument `init` of `sum`": "; write `init = 0.0`, and add any other number to the sum",
    "a generator": _BY_MAP,
    "a named tuple": "; write a tuple",
    "a keyword argument of a function that changes another one": "; give arguments in their order",
    "a default value other than a number": "; write a number, or give every argument",
    "a default value": "; write a second method, or give every argument",
    "a `local` declaration": "; leave out `local`: a name that is assigned in a function is its own",
    "a `let` block": "; give the names their values in lines of their own",
    "a type annotation": "; annotate parameters, and functions with what they return",
    "`end` as an index of something without a name": "; give it a name in a line of its own",
    "a keyword parameter": "; write it among the others, without a name in the call",
    MACRO_CALL: "; leave it out, or write what it stands for",
    "a type annotation of a variable": "; leave it out: only parameters and results have one",
    "a function with a `where` clause": "; write the type where it is used, as in `x::Real`",
    "a string with interpolation": "; texts are understood as documentation, and to print names: `$n`",
    "a comprehension": "; write one over one range or vector",
    "a loop over something other than a range such as `1:n`": "; go over a range, or over a vector that has a name",
    "a loop over several variables": "; go over the positions, as in `for i in eachindex(v)`",
    "`break`": "; let at most one branch go on to the lines below it",
    "`continue`": "; let at most one branch go on to the lines below it",
    "a failure that shows values": '; write the text out, as in `error("n is too small")`',
    "changing a part of a value": "; make a new value",
    "a type whose values can change": "; what is spent is kept account of by who calls: each function says its cost",
    "the operator `\\`": "; add noise to the sums that the equations are made of, and solve these afterwards",
}
_ASSERTED = "; write `@assert` on a line of its own, above what it is about"
_LONGEST = 60


def instead_of(what: str, text: str) -> str:
    """What a message says after naming the construct that is written as ``text``; empty where nothing short is sure."""
    hint = _ASSERTED if what == MACRO_CALL and text.startswith("@assert") else _INSTEAD.get(what, "")
    ways = list(islice(by_map(text), 2)) if hint == _BY_MAP and len(text) <= _LONGEST else []
    return f"; write `{ways[0]}`" if len(ways) == 1 and "\n" not in text else hint


_OVER_EACH = re.compile(
    r"\[?\s*(?P<made>.+?)\s+for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<values>.+?)(?:\s+if\s+(?P<kept>.+?))?\s*\]?",
    re.DOTALL,
)
_ROWS = re.compile(r"eachrow\((?P<matrix>.+)\)", re.DOTALL)


def by_map(text: str) -> Iterator[str]:
    """How a piece of text may be said by `map`: a comprehension or a generator over one range or container."""
    each = _OVER_EACH.fullmatch(text)
    if each is not None:
        yield _comprehension(each)


def _comprehension(found: re.Match[str]) -> str:
    name, values = found["name"], found["values"]
    rows = _ROWS.fullmatch(values)
    if rows is not None:
        values = rows["matrix"]
    if found["kept"]:
        values = f"filter({name} -> {found['kept']}, {values})"
    return f"{'map' if rows is None else 'map_rows'}({name} -> {found['made']}, {values})"


_PLACE = Hopeless(
    "`{written}` shows at which place a record stands",
    "count records instead, `count(x -> x > 20, {of})`, and add noise to that",
)
_KEYS = Hopeless(
    "which keys `{written}` has tells whose records are there",
    "write the keys out instead, and add noise to the count of each, as in `[count(x -> x == k, {of}) for k in 1:5]`",
)
_DRAWN = Hopeless(
    "`{written}` draws the records themselves, and may draw one of them many times",
    "release one statistic of `{of}` with noise instead, and compute with that",
)
_FACTOR = Hopeless(
    "one record may multiply `{written}` by any factor",
    "add noise to a sum of logarithms instead, `sum(log.(clamp({of}, 1, 100)))`, and take `exp` of what is released",
)
_EACH = Hopeless(
    "each entry of `{written}` shows what one record adds",
    "release one part at a time instead, such as `count(x -> x <= 20, {of})` with noise",
)
_COMMONEST = Hopeless(
    "one record may decide what `{written}` is",
    "choose it with noise instead, `report_noisy_max(1, eps, [count(x -> x == k, {of}) for k in 1:5])`",
)
_EXTREMES = Hopeless(
    "`{written}` shows the largest and the smallest record",
    "choose a number near each with noise instead, `private_quantile(1, eps, {of}, 1, 0:100)`",
)

HOPELESS = {
    **dict.fromkeys(("sortperm", "partialsortperm", "findfirst", "findlast", "findmax", "findmin", "indexin"), _PLACE),
    **dict.fromkeys(("countmap", "proportionmap", "groupby", "group"), _KEYS),
    **dict.fromkeys(("rand", "shuffle", "wsample"), _DRAWN),
    **dict.fromkeys(("prod", "geomean"), _FACTOR),
    **dict.fromkeys(("cumsum", "cumprod", "accumulate", "diff"), _EACH),
    **dict.fromkeys(("mode", "modes"), _COMMONEST),
    **dict.fromkeys(("extrema", "describe", "summarystats"), _EXTREMES),
}
"""By the name of the function."""


KEYWORDS = frozenset(
    {
        *("function", "if", "for", "while", "begin", "let", "try", "quote", "do", "struct", "macro", "module"),
        *("baremodule", "end", "else", "elseif", "catch", "finally", "return", "const", "where", "global", "local"),
        *("export", "import", "using", "true", "false", "True", "False", "in", "isa", "break", "continue"),
    }
)
"""Words of Julia that are no names."""

VALUES = frozenset({"nothing", "True", "False"})
"""Names that have a value of their own."""

NORMS = {
    "L1": "The sum of the absolute values; the norm of Laplace noise.",
    "L2": "The Euclidean length; the norm of Gaussian noise.",
    "LInf": "The largest absolute value.",
}

DATASETS = {
    "Symmetric": "Datasets of private size: one person's record is added or removed.",
    "InsertDelete": "Datasets of private size whose order counts: one person's record is added or removed.",
    "ChangeOne": "Datasets of public size: one person's record is replaced by another.",
    "Hamming": "Datasets of public size whose order counts: the record at one position is replaced by another.",
}
"""How datasets are compared, where a norm could stand."""

DESCRIPTORS = {
    "Size": "The number of records, as in `Size(100)`; only with ChangeOne and Hamming, where it is public.",
    "AtLeast": "Every dataset has at least so many records, as in `AtLeast(10)`.",
    "Contributes": "One person has up to so many records, as in `Contributes(3)`.",
    "RowNorm": "The norm of every row is at most this, as in `RowNorm(L2, 5)`.",
}
"""What else may be public of a dataset, after its metric."""

TYPES = {
    "Real": "A number. Two inputs may differ by any amount.",
    "Integer": "A whole number.",
    "Data": "A number of a record. Two records either are the same or differ by 1, whatever their values.",
    "Float64": "A number, like `Real`.",
    "Float32": "A number, like `Real`.",
    "Int": "A whole number, like `Integer`.",
    "Int64": "A whole number, like `Integer`.",
    "Bool": "`true` or `false`.",
    "Number": "A number, which may be complex; what is claimed holds of real ones.",
    "Any": "A value of any type.",
    "Vector": "A vector, as in `Vector{<:Real}`.",
    "Matrix": "A matrix with one record in each row, as in `Matrix{<:Data}`.",
    "AbstractVector": "A vector, a range or a view, as in `AbstractVector{<:Real}`.",
    "AbstractMatrix": "A matrix or a view of one, as in `AbstractMatrix{<:Real}`.",
    "Tuple": "A tuple, as in `Tuple{Real, Integer}`.",
    "DMModel": "A model that is trained.",
    "DMGrads": "A gradient of a model.",
    "Function": "A function.",
    "PrivacyFunction": "A function whose result is private: one that is declared `Priv()`.",
    "MetricVector": "A vector measured in a norm, as in `MetricVector(Real, L2)`.",
    "MetricMatrix": "A matrix whose rows are measured in a norm, as in `MetricMatrix(Data, L2)`.",
    "MetricGradient": "A gradient measured in a norm, as in `MetricGradient(Real, L2)`.",
}

MARKS = {
    "Static": "Marks a parameter as public, as in `eps::Static()` or `k::Static(Integer)`: nothing protects it.",
    "Priv": "Claims that a function is private, as in `f(x::Real) :: Priv()`: every parameter gets a finite bound.",
    "Bounded": "Numbers between public bounds, as in `Bounded(Real, 0, 100)`.",
    "BlackBox": "Marks a function whose body is not looked into: its user says what is known of it.",
}
"""What is written like a call where a type stands."""

OTHER_TYPES = frozenset(
    {
        *("Number", "AbstractFloat", "Float16", "BigFloat", "BigInt", "Array", "VecOrMat", "DenseArray"),
        *("DenseVector", "DenseMatrix", "AbstractArray", "AbstractVector", "AbstractMatrix", "AbstractVecOrMat"),
    }
)
"""Types of Julia that annotations may name, and that are no words of those who write for the checker."""

RESERVED = frozenset().union(NORMS, DATASETS, DESCRIPTORS, TYPES, MARKS, OTHER_TYPES)
"""Names that no variable of types has here."""

METRICS = frozenset({"MetricVector", "MetricMatrix", "MetricGradient"})
"""Types that are written with a type of numbers and a norm in brackets."""

EVALUATING = frozenset(
    (
        *("include", "eval", "evalfile", "include_string", "ccall"),
        *("setglobal!", "swapglobal!", "modifyglobal!", "replaceglobal!", "setglobalonce!"),
        *("setproperty!", "swapproperty!", "modifyproperty!", "replaceproperty!", "seed!"),
    )
)
"""Functions of Julia that run other text, give a name that they are told a value, or tell what is drawn at random: any
top-level name may have another meaning afterwards."""

LIBRARY_CALL = "ccall"
"""The one of them that calls a C function."""

EVALUATES = "@eval"
"""The macro of Julia that runs code at top level into which values are written."""

SHOWING = frozenset(("show", "print", "summary"))
"""Functions of Julia that it calls unasked, but only to show a value."""

MACROS = frozenset(
    f"@{name}"
    for name in re.findall(
        r"\S+",
        ". deprecate_binding evalpoly horner pure optlevel assume_effects constprop "
        "assert show time timev timed elapsed allocated info warn error debug logmsg inbounds inline noinline simd "
        "fastmath view views boundscheck propagate_inbounds nospecialize specialize printf sprintf test test_throws "
        "testset isdefined async sync spawn threads doc static something coalesce kwdef lock __MODULE__ __FILE__ "
        "__DIR__ __LINE__ generated deprecate enum lazy_str doc_str MIME_str raw_str r_str b_str s_str "
        "v_str html_str text_str big_str int128_str uint128_str",
    )
)
"""Macros of Julia that are taken to do no more than what they are given says. ``@raw_str`` is that of ``raw"…"``."""

DEFINING = frozenset({"@deprecate", "@deprecate_binding", "@enum", "@enumx", "@irrational"})
"""Those of them that define what they are given first, and what else stands before a blank."""

_OF_PACKAGES = {
    "Accessors": "reset",
    "Reexport": "reexport",
    "Setfield": "set!",
    "BenchmarkTools": "btime benchmark belapsed ballocated",
    "ProgressMeter": "showprogress",
    "UnPack": "unpack",
    "Parameters": "unpack with_kw",
    "Chain": "chain",
    "DataFramesMeta": "chain subset rsubset transform rtransform select rselect combine by orderby rorderby",
    "ChainRulesCore": "scalar_rule non_differentiable not_implemented opt_out thunk ignore_derivatives",
    "RecipesBase": "recipe series",
    "StaticArrays": "SVector SMatrix SArray MVector MMatrix MArray",
    "Flux": "layer",
    "Functors": "functor",
    "LoopVectorization": "turbo tturbo",
    "IrrationalConstants": "irrational",
    "EnumX": "enumx",
    "Plots": "animate gif",
}
PACKAGE_MACROS: dict[str, frozenset[str]] = {
    f"@{name}": frozenset(home for home, names in _OF_PACKAGES.items() if name in names.split())
    for name in dict.fromkeys(" ".join(_OF_PACKAGES.values()).split())
}
"""Macros of well-known packages, by these: they do what they are given says, and give nothing else another meaning, but
for methods of functions of their package. (`@reset x.part = value` gives `x` another value, `@unpack a, b = x` gives
`a` and `b` one, `@recipe` tells how something is drawn, and `@enumx` and `@irrational` define their first argument.)
Sources: the documentation of the packages."""

LOGGING = frozenset({"@info", "@warn", "@error", "@debug"})
"""Macros of Julia that print what they are given."""

GIVING = "@show"
"""The one that gives it back, too."""

HINTS = frozenset({"@inline", "@noinline", "@simd"})
"""Macros of Julia that only tell the compiler how to make what is fast. (The last one lets it add up numbers in another
order.)"""

AT_EXPANSION = "@static"
"""The macro of Julia that decides at once which branch of an `if` there is."""

BY_NAME = "@kwdef"
"""The macro of Julia that makes a structure whose parts are given by name."""

UNCHECKING = "@inbounds"
"""The macro of Julia behind which an entry that is not there is undefined, and nothing else is different."""

KEYED = "Dict"
"""The function of Julia that makes a dictionary of pairs."""

APPLYING, COMPOSING = "|>", "∘"
"""The operators of Julia that give a value to a function, and that make one function of two."""

DOTTING = "@."
"""The macro of Julia that puts a dot at each operation, call and assignment behind it."""

VIEWS = "@views"
"""The macro of Julia that makes a part of something share what it is one of, and nothing else."""

_DP = "DiffPrivacyInference"
MODULES = frozenset(
    {
        *(_DP, "Base", "Core", "Random", "LinearAlgebra", "Statistics", "Printf", "Dates", "Test", "Logging"),
        *("Pkg", "DelimitedFiles", "SparseArrays", "Serialization", "UUIDs", "Base64", "SHA", "TOML", "Markdown"),
        *("InteractiveUtils", "Profile"),
    }
)
"""Modules that give no name of the language another meaning."""

_EXPORT_NO_WORD = re.findall(
    r"\S+",
    "Flux Zygote NNlib Optimisers Functors MLUtils OneHotArrays MLDatasets ChainRulesCore DataFrames CSV "
    "JSON JSON3 BSON JLD2 HDF5 ProgressMeter SpecialFunctions ForwardDiff FFTW StaticArrays Optim "
    "Combinatorics Primes QuadGK Roots StatsFuns "
    "LossFunctions DSP Polynomials Requires Preferences MacroTools Adapt NaNMath FillArrays IterTools",
)

_EXPORT_WORDS = {
    "Statistics": frozenset({"mean", "median", "quantile", "var"}),
    "LinearAlgebra": frozenset({"transpose"}),
    "StatsBase": frozenset({"sample"}),
    "Distributions": frozenset({"sample"}),
    "Distances": frozenset({"Hamming"}),
    "Plots": frozenset({"histogram"}),
}
EXPORTED: dict[str, frozenset[str]] = {
    module: _EXPORT_WORDS.get(module, frozenset()) | {f"@{name}" for name in _OF_PACKAGES.get(module, "").split()}
    for module in (*_EXPORT_NO_WORD, *_EXPORT_WORDS, *_OF_PACKAGES)
}
"""The words of the language that modules export, but for those that Base has, by what their documentation lists: those
of Julia's library, and of packages that many programs open."""

ALWAYS = frozenset(
    re.findall(
        r"\S+",
        "abs abs2 acos acosh argmax argmin asin asinh atan atanh cbrt ceil clamp collect conj copy cos cosh cospi "
        "count deepcopy "
        "exp exp10 exp2 expm1 filter float floor fma ifelse imag iseven isempty isinteger isodd isone iszero length "
        "log log10 log1p log2 map max maximum min minimum mod muladd one oneunit ones partialsort pi π push! real "
        "reduce mapreduce repeat round sign sin sinh sinpi size sort sqrt sum tan tanh trunc unique "
        "vcat vec zero zeros eachindex enumerate eachrow nothing Any Bool Float32 Float64 Function Int Int64 Integer "
        "Matrix Real Tuple Vector",
    )
)
"""Words of the language that Julia's Base exports, so that every module has them. Signs of operations are all its."""

UNASKED = frozenset(
    re.findall(
        r"\S+",
        "getindex setindex! firstindex lastindex iterate convert promote promote_rule promote_type literal_pow oftype "
        "eltype ndims axes eachindex keys similar copyto! copy broadcast broadcasted materialize materialize! hash "
        "getproperty setproperty! getfield setfield! vect hcat vcat hvcat typed_hcat typed_vcat colon isless isequal "
        "zero one oneunit float rem div fld mod cld identity adjoint string checkbounds to_index to_indices",
    )
)
"""Functions of Julia that what is checked calls without their name."""

UNCALLED = frozenset({"factorial", "frule", "rrule"})
"""Functions of Julia, and of packages that tell how others are differentiated, which nothing understood calls."""

ELSEWHERE = {
    **dict.fromkeys(("average", "avg"), "mean"),
    **dict.fromkeys(("len", "nrow", "size_of", "numel"), "length"),
    **dict.fromkeys(("stdev", "sd"), "std"),
    **dict.fromkeys(("variance",), "var"),
    **dict.fromkeys(("maxval", "amax"), "maximum"),
    **dict.fromkeys(("minval", "amin"), "minimum"),
    **dict.fromkeys(("clip_values", "winsorize", "bound"), "clamp"),
    "hist": "histogram",
    **dict.fromkeys(("foldl", "foldr"), "reduce"),
}
"""What builtins are called in other languages, and by statisticians."""
FAMILIAR = {
    Familiar.UNRULED: frozenset(
        {
            *("zeros", "ones", "rand", "randn", "dot", "norm"),
            *("std", "push!", "append!", "any", "all", "in", "isnan", "div", "rem", "prod", "cumsum", "vcat"),
            *("÷", "hcat", "reshape", "first", "last", "enumerate"),
        }
    ),
    Familiar.WHOLE_QUOTIENT: frozenset({"div", "÷"}),
    Familiar.SHOWS: frozenset({"println", "print", "display", *LOGGING}),
    Familiar.SHOWS_AND_GIVES: frozenset({GIVING}),
    Familiar.STREAM: frozenset({"stdout", "stderr"}),
    Familiar.FAILS: frozenset({"error", "throw"}),
    Familiar.EXCEPTION: frozenset({"DimensionMismatch"}),
    Familiar.DRAWS: frozenset({"rand", "randn", "randexp"}),
    Familiar.SHUFFLES: frozenset({"shuffle", "shuffle!", "randperm"}),
    Familiar.ASKS: frozenset({"isnan", "isfinite", "isinf", "ismissing", "coalesce", "skipmissing", "nonmissingtype"}),
    Familiar.NO_NUMBER: frozenset({"NaN", "Inf", "missing"}),
    Familiar.NOISE: frozenset(
        {
            *("laplace", "Laplace", "laplace_noise", "laplacian", "Laplacian", "normal", "Normal", "normal_noise"),
            *("gauss", "Gauss", "gaussian", "Gaussian", "noise", "add_noise"),
        }
    ),
    Familiar.SOME: frozenset({"any"}),
    Familiar.EVERY: frozenset({"all"}),
    Familiar.FINDS: frozenset({"findall"}),
    Familiar.FIRST: frozenset({"first"}),
    Familiar.LAST: frozenset({"last"}),
    Familiar.MARK: frozenset({"Priv", "Static"}),
}
"""Everyday names without a rule, by what is known of them."""

SNIPPETS = {
    "function": "function ${1:name}(${2:x}::${3:Real})\n    $0\nend",
    "for": "for ${1:i} in ${2:1:n}\n    $0\nend",
    "if": "if ${1:condition}\n    $0\nend",
    "else": "else",
    "elseif": "elseif ${1:condition}\n    $0",
    "end": "end",
    "return": "return $0",
    "const": "const ${1:name} = $0",
    "module": "module ${1:Name}\n\n$0\n\nend",
    "include": 'include("$0")',
    "begin": "begin",
    "true": "true",
    "false": "false",
    "in": "in",
    "do": "do ${1:x}\n    $0\nend",
}
"""The keywords that are understood, with what they begin."""

_NUMBERS = ("Real", "Integer", "Data", "Bool")
_NORM_PLACE = 1  # of a metric type


_EXPORTED_HERE = RESERVED.union(TABLE) - ALWAYS
"""What the package of the language exports."""


class Words(Vocabulary):
    """What may be typed where, and what it means."""

    keywords = KEYWORDS
    running = EVALUATING
    showing = SHOWING
    modules = MODULES
    unasked = UNASKED
    uncalled = UNCALLED
    includes = "include"
    homes = PACKAGE_MACROS
    nothing = "nothing"
    familiar = FAMILIAR
    elsewhere = ELSEWHERE
    hopeless = HOPELESS

    def is_always(self, name: str) -> bool:
        known = name in ALWAYS or name in OTHER_TYPES or name in EVALUATING or name in MACROS
        return known or not (name[:1].isalpha() or name[:1] in ("_", "@"))

    def exported(self, module: str) -> frozenset[str] | None:
        if module == _DP:
            return _EXPORTED_HERE
        return EXPORTED.get(module) or (frozenset() if module in EXPORTED or module in MODULES else None)

    def offered(self, here: Cursor, norm: bool, type_: bool) -> Iterator[Word]:
        inner = here.inner
        if inner and inner.callee in METRICS:
            yield from _in_metric(inner.commas)
        elif inner and (inner.callee in MARKS or (inner.mark == "{" and inner.callee in TYPES)):
            yield from _types(elements=inner.mark == "{")
        elif here.expected is Expected.TYPE:
            before = here.before.rstrip().removesuffix("::").rstrip()
            if before.endswith(")"):
                yield _mark("Priv", 0)
                yield _mark("BlackBox", 1)
            else:
                yield _mark("Static", 0 if _NUMBER_OF_NOISE.search(before) else 3)
                yield from _datasets()
            yield from _types(4)
        else:
            yield from _norms(0) if norm else ()
            yield from _types(0) if type_ else ()
            for word, snippet in SNIPPETS.items():
                if inner is None or snippet == word:  # a statement does not begin inside brackets
                    yield Word(word, "keyword", 5, "keyword", snippet=snippet if "$" in snippet else "")
            yield from _norms(7)
            yield from _types(8)

    def meaning(self, name: str) -> str:
        return next((words[name] for words in (NORMS, DATASETS, DESCRIPTORS, TYPES, MARKS) if name in words), "")

    def is_reserved(self, name: str) -> bool:
        words = VALUES, EVALUATING, MACROS, PACKAGE_MACROS, RESERVED, (APPLYING, COMPOSING)
        return any(name in each for each in words)


_NUMBER_OF_NOISE = re.compile(r"\b(?:(?:eps|ε|δ|sigma|σ|rho|ρ)\w*|del|delta|scale|k|n|b|rounds|steps|budget)$")
"""How parameters are called that are mostly public: those of mechanisms, and numbers of rounds."""

_PROTECTED = {"ChangeOne": "one {} replaced", "Symmetric": "one {} added or removed"}


def _mark(name: str, rank: int) -> Word:
    return Word(f"{name}()", "type", rank, "annotation", snippet=f"{name}($0)", name=name)


def _datasets() -> Iterator[Word]:
    """The types of people's records, by whom they protect."""
    for rank, name, record in ((1, "MetricVector", "record"), (2, "MetricMatrix", "row")):
        for relation, whom in _PROTECTED.items():
            text = f"{name}(Real, {relation})"
            yield Word(
                text, "type", rank, f"protects {whom.format(record)}", text, f"{name}(${{1:Real}}, {relation})", name
            )


def _in_metric(commas: int) -> Iterator[Word]:
    """What stands in the brackets of a metric: a type of numbers, a norm or how datasets are compared, and more."""
    if commas < _NORM_PLACE:
        yield from _types(elements=True)
        yield Word("Bounded(…)", "type", 3, "type", "Bounded", "Bounded(${1:Real}, ${2:0}, ${3:1})", "Bounded")
        return
    for name in DATASETS if commas == _NORM_PLACE else DESCRIPTORS:
        yield Word(name, "norm", 1, "dataset", snippet="" if name in DATASETS else f"{name}($0)", name=name)
    if commas == _NORM_PLACE:
        yield from _norms(0)


def _norms(rank: int) -> Iterator[Word]:
    return (Word(name, "norm", rank, "norm", name=name) for name in NORMS)


def _types(rank: int = 2, elements: bool = False) -> Iterator[Word]:
    """Types as they are written; only those of numbers as elements of others."""
    for name in _NUMBERS if elements else TYPES:
        if name in METRICS:
            filled = f"{name}(${{1:Real}}, ${{2:L2}})"
            yield Word(f"{name}(…)", "type", rank, "type", f"{name}(Real, L2)", filled, name)
        elif name in ("Vector", "Matrix"):
            element = "Real" if name == "Vector" else "Data"
            plain = f"{name}{{<:{element}}}"
            yield Word(plain, "type", rank, "type", plain, f"{name}{{<:${{1:{element}}}}}", name)
        else:
            yield Word(name, "type", rank, "type", name=name)


# How Julia writes the builtins: as the published library has them, whose names are their ids. It stands in their rows,
# beside the programs that try them.


def julia_builtins() -> Builtins:
    """Those of all rows. A name that ends in ``!`` changes an argument."""
    spellings = {row.name: _spelling(row) for row in TABLE.values()}
    return Builtins(spellings, _BY_OPERATOR, _CONVERSIONS, {"sum": "init"})


_CONVERSIONS = {machine.FLOAT64: "Float64", machine.FLOAT32: "Float32", machine.INT: "Int"}
"""Types of numbers that are functions, too."""

_BY_OPERATOR = {
    ("reduce", "+"): "sum",
    ("reduce", "max"): "maximum",
    ("reduce", "min"): "minimum",
    ("mapreduce", "+"): "sum",
}
"""Functions that combine entries by an operator, in an order that is not said. (Source: the Julia manual,
"Collections and Data Structures". In real numbers the order does not count.)"""


def _spelling(row: Builtin) -> Spelling:
    changing = () if row.mutates is None else tuple(f"{name.removesuffix('!')}!" for name in (row.name, *row.aliases))
    return Spelling(row.name, row.signature, row.aliases, changing, row.examples, row.refused)
