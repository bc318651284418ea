"""Effects that a reader of programs may miss: text that binds, evaluates, prints or fails where nobody looks, names
that are other names, and definitions that are none."""

from __future__ import annotations

import random
import re
from typing import NamedTuple


class Plant(NamedTuple):
    """Lines for the top level, before and after the functions, and lines for their bodies, in which `PRIVATE` is a
    private number and which leave `z`. ``functions`` are names of one argument that bodies may call. ``cause`` is what
    the plant is an example of."""

    cause: str
    before: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()


_EFFECTS = (
    "begin z = PRIVATE end",
    "z = PRIVATE",
    "(z = PRIVATE; 1)",
    "PRIVATE > 0 ? (z = 1) : 2",
    "let; z = PRIVATE; 3 end",
    "print(PRIVATE)",
    "[1, 2][PRIVATE]",
    "map(q -> (z = PRIVATE), [1])",
)
_SWALLOWED = (
    '"note $(EFFECT)"',
    '"""\n    note $(EFFECT)\n    """',
    '"$(EFFECT) and $(1 + 1)"',
    '"a" * "b $(EFFECT)"',
    'd = "$(EFFECT)"',
    '@assert length("$(EFFECT)") > 0',
    '@assert true "x is $(EFFECT)"',
    '@assert z > 5 "x is $PRIVATE"',
    "d = (EFFECT)",
    "(EFFECT)",
    "d = [(EFFECT), 1]",
    "d = (1, (EFFECT))",
    "true && (EFFECT)",
    "false || (EFFECT)",
    "d = true ? (EFFECT) : 3",
    "abs((EFFECT; 1))",
    "1 + (EFFECT; 1)",
    "string(EFFECT)",
    "_ = (EFFECT)",
    "local d = (EFFECT)",
    'raw"$(EFFECT)"',
    "begin\n        EFFECT\n    end",
)
_BINDINGS = (
    "d = c = 100",
    "d = true ? (c = 100) : 3",
    "d = (c = 100; 1)",
    "d = begin c = 100; 1 end",
    "d = (c = 100) + 1",
    "d = [(c = 100), 1]",
    "(c, d) = (100, 1)",
    "c, d = 100, 1",
    "d = 1; c = 100",
    '"a note $(c = 100)"',
    'd = "a note $(begin c = 100 end)"',
    "if true c = 100 end",
    "begin c = 100 end",
    "let; global c = 100; end",
    "for i in 1:2 global c = 100 end",
    "for i in 1:2 c = 100 end",
    "c += 99",
    "@assert (c = 100) > 1",
    "d = abs((c = 100; 2))",
    "true && (c = 100)",
    "d = (() -> (global c = 100))()",
    "d = map(q -> (global c = 100), [1])",
    "d = (c = 100, 3)",
    "c = d = 100",
    "global c = 100",
    '"""\n    w(x)\n\n$(begin global c = 100 end)\n"""\nw(x) = 2 * x',
    "while c < 100 global c = 100 end",
)
_METHODS = (
    "d = (G(x::Real) = 100x)",
    "d = (G(x) = 100 * x; 1)",
    "G(x::Integer) = 100 * x",
    "d = begin G(x::Real) = 100 * x end",
    "if true G(x::Real) = 100 * x end",
    "let; global G(x::Real) = 100 * x; end",
    "d = [G(x::Real) = 100x for i in 1:1]",
    "begin; G(x::Float64) = 100 * x; end",
    "G(x::Bool) = 100 * x; d = 1",
    '"$(G(x::Real) = 100x)"',
    "Main.G(x::Real) = 100 * x",
    "true && (G(x::Real) = 100x)",
    "  G(x::Integer) = 100 * x",
    "d = 1;    G(x::Integer) = 100 * x",
)
_BUILTINS = (
    "d = abs = x -> 100 * x",
    "abs = x -> 100 * x",
    "d = (abs(x) = 100 * x)",
    "abs(x) = 100 * x",
    "d = (abs = x -> 100 * x; 1)",
    "(d, abs) = (1, x -> 100 * x)",
    "const abs = x -> 100 * x",
    "using Statistics: middle as abs",
    "import Base: abs\nabs(x::Real) = 100 * x",
    "import Base: abs\nabs(x) = 100 * x",
    "import Base.abs\nabs(x::Float64) = 100 * x",
    "Base.abs(x::Int) = 100 * x",
)
_IMPORTS = (
    "using Statistics: mean as length",
    "import Statistics: mean as length",
    "using Statistics: mean as sum",
    "using Statistics: median as length",
    "import Statistics\nlength = Statistics.mean",
    "using Statistics: mean as maximum, median as length",
)
_EXTENDED = (
    "import Statistics: middle\nmiddle(x) = 0.0",
    "import Statistics: middle\nmiddle(x::Number) = 0.0",
    "import Statistics: middle\nmiddle(x::Float64) = 0.0",
    "using Statistics\nStatistics.middle(x) = 0.0",
    "import Statistics: middle as G\nG(x) = 0.0",
    "import Statistics: middle as G\nG(x::Any) = 1.0",
)
_TWINS = (("ħ", "ℏ"), ("µ", "μ"), ("ɛ", "ε"), ("é", "e\u0301"), ("Å", "\u212b"), ("ħ1", "ℏ1"), ("σ", "σ"))
_NUMBERS = ("1e\u22123", "2.5e\u22121", "1e+3", "1e-3", "1f0", "1e\u22121", "0x10", "1_000", ".5", "5.")
_MINUS = ("z = 2 \u2212 1", "z = \u22121", "z = 1e\u22123", "z = 10^\u22122", "z = 4\u22121", "z = 1 .- 1")
_TEXTS = (
    'const USAGE = "Example:\nfunction G(x::Integer)\n    0 * x\nend\n"',
    'const USAGE = """Example:\nfunction G(x::Integer)\n    0 * x\nend\n"""',
    'const USAGE = "a \\" b\nG(x::Integer) = 0 * x\n"',
    'const USAGE = raw"a\nG(x::Integer) = 0 * x\n"',
    'const USAGE = "one $("two")\nG(x::Integer) = 0 * x\n"',
    'const USAGE = "one $(string("\n"))\nG(x::Integer) = 0 * x\n"',
    "#=\nG(x::Integer) = 0 * x\n#= inner =#\nG(x::Bool) = 0 * x\n=#",
    'const USAGE = """ a "quoted" b\nG(x::Integer) = 0 * x\n"""',
    'const USAGE = raw"\\"\nG(x::Integer) = 0 * x # "',
    "const QUOTE = '\"'\nG(x::Float64) = 50 * x",
    'const USAGE = "it\'s\nG(x::Integer) = 0 * x\n"',
    'const USAGE = "#=\nG(x::Integer) = 0 * x\n=#"',
)
_NOTHING = (
    ("nothing = PRIVATE", "z = nothing"),
    ("nothing = PRIVATE", "d = 1", "z = nothing"),
    ("(nothing, d) = (PRIVATE, 1)", "z = nothing"),
    ("local nothing = PRIVATE", "z = nothing"),
)
_SHADOWED = (
    ("abs = w -> PRIVATE", "z = abs(1)"),
    ("abs(w) = PRIVATE", "z = abs(1)"),
    ("min = (w, u) -> PRIVATE", "z = min(1, 2)"),
    ("sum = w -> PRIVATE", "z = sum([1, 2])"),
    ("length = w -> PRIVATE", "z = length([1, 2])"),
    ("Real = 3", "z = Real"),
    ("true && (max = (w, u) -> PRIVATE)", "z = max(1, 2)"),
)


def plant(source: random.Random) -> Plant:
    """A planted effect, at random."""
    return source.choice(_MAKERS)(source)


def _named(text: str) -> str:
    """A template with the name of the function that it is about."""
    return re.sub(r"\bG\b", "gain", text)


def _swallowed(source: random.Random) -> Plant:
    effect, place = source.choice(_EFFECTS), source.choice(_SWALLOWED)
    lines = place.replace("EFFECT", effect).split("\n")
    return Plant("text that evaluates", inside=("z = 0.0", *lines, "w = 1"))


def _bound(source: random.Random) -> Plant:
    line = source.choice(_BINDINGS)
    first = source.choice(("c = 1", "c = 1", "c = 1.0", "c = 2"))
    before = (first, line) if source.random() < 0.7 else (first,)
    return Plant(
        "nested assignments",
        (*before, "times(x) = c * x"),
        after=() if len(before) == 2 else (line,),
        functions=("times",),
    )


def _methods(source: random.Random) -> Plant:
    line = _named(source.choice(_METHODS))
    return Plant("nested methods", ("gain(x::Real) = x", line), functions=("gain",))


def _builtins(source: random.Random) -> Plant:
    return Plant("rebound builtins", (source.choice(_BUILTINS), "size_of(x) = abs(x)"), functions=("size_of",))


def _imports(source: random.Random) -> Plant:
    many = ("many(x) = length([x, 0])", "many(x) = sum([x, 3.0])", "many(x::Real) = maximum([x, 2])")
    return Plant("imports", (source.choice(_IMPORTS), source.choice(many)), functions=("many",))


def _extended(source: random.Random) -> Plant:
    line = source.choice(_EXTENDED)
    name = "gain" if " G" in line else "Statistics.middle" if "Statistics.middle(" in line else "middle"
    return Plant("extended imports", (_named(line),), functions=(name,))


def _twins(source: random.Random) -> Plant:
    one, other = source.choice(_TWINS)
    lines = (f"{one} = 0.0", f"{other} = PRIVATE", f"z = {one}")
    if source.random() < 0.3:
        return Plant("identifiers", (f"{one} = 1", f"{other} = 100", f"gain(x) = {one} * x"), functions=("gain",))
    if source.random() < 0.3:
        return Plant("identifiers", (f"{one}(x::Real) = x", f"{other}(x::Real) = 100 * x"), functions=(one,))
    return Plant("identifiers", inside=lines)


def _signs(source: random.Random) -> Plant:
    if source.random() < 0.5:
        before = ("e = 2", f"gain(x) = x / {source.choice(_NUMBERS)}")  # `e`, so that `1e - 3` would be a difference
        return Plant("numbers", before, functions=("gain",))
    return Plant("numbers", inside=(source.choice(_MINUS), "z = z * PRIVATE"))


def _texts(source: random.Random) -> Plant:
    text = _named(source.choice(_TEXTS))
    return Plant("strings", ("gain(x) = 100 * x", text), functions=("gain",))


def _nothing(source: random.Random) -> Plant:
    return Plant("rebound names", inside=source.choice((*_NOTHING, *_SHADOWED)))


def _failing(source: random.Random) -> Plant:
    lines = (
        "PRIVATE > 0 && fails(2)",
        "if PRIVATE > 0\nfails(2)\nend",
        "d = PRIVATE > 1 ? vecs(1:3) : 0.0",
        "d = PRIVATE > 1 ? [1, 2, 3][ceil(2.5)] : 0.0",
        "if PRIVATE > 1\nfails(1)\nelse\nfails(1.0)\nend",
        "PRIVATE > 1 ? fails(2) : 3",
        "[1, 2][PRIVATE > 1 ? 1 : 3]",
        "[1, 2][PRIVATE > 1 ? 1 : 1.0]",
        "fails(PRIVATE > 1 ? 1.0 : 2)",
        "d = ifelse(PRIVATE > 1, 1, 1.5); whole(d)",
        "PRIVATE > 1 && (1 % 0)",
        "PRIVATE > 1 || sqrt(-1)",
        "d = (PRIVATE > 1 ? (1, 2) : (1, 2, 3))[3]",
        "d = PRIVATE > 1 ? whole(2.5) : 2",
        "PRIVATE > 1 && missing_name",
        "PRIVATE > 1 && [1, 2][true]",
        "PRIVATE > 1 && (1 ? 2 : 3)",
        'PRIVATE > 1 && sqrt("a")',
        "PRIVATE > 1 && vecs(1:3)",
        "PRIVATE > 1 && vecs([1, 2]')",
    )
    helpers = ("fails(p::Float64) = p", "whole(p) :: Int = p", "vecs(p::Vector{<:Real}) = 1.0")
    return Plant("failures", helpers, ("z = 1", *source.choice(lines).split("\n")))


_MAKERS = (
    *(_swallowed, _swallowed, _bound, _bound, _methods, _builtins, _imports, _extended, _twins, _signs, _texts),
    *(_nothing, _failing, _failing),
)
