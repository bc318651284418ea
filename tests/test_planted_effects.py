"""An effect planted in each position of the grammar: what it makes untrue is claimed no more.

What an effect does is said here, by the name and the bound of the function whose claim it makes untrue. A position is
a symbol of a production of the grammar in which an expression may stand, or a construct that the lexer or the folding
keeps from the grammar; both lists are read off them, so a new one without a program fails.

In functions the context of a position is one of several, by chance and always the same; ``--full`` takes all of them:
``python -m pytest tests/test_planted_effects.py --full``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import NamedTuple

import pytest

import spec_runner
from dp_lsp.analysis.records import Options
from dp_lsp.engine.check import Engine
from dp_lsp.frontends.julia.fold import FOLDED
from several_files import check

HOLE, NOTHING = "@@", "0.0"
ENGINE = Engine()

BEFORE = """
import Statistics
call(h) = h()
with(h, y) = h(y)
c = 1
k(x::Real) = x
kept = [1.0, 2.0]
"""

IN_BODY, AT_TOP, BODY, BODY_AT_TOP, BOX = KINDS = "in a body: ", "at top: ", "body: ", "body at top: ", "box: "
"""Where a program can stand that cannot stand everywhere. A ``BODY`` has its hole in the body of a function, which at
top level is no part of it; a ``BOX`` in that of a black box, which is taken at its word that it runs no other text."""

PROGRAMS: dict[str, tuple[str, ...]] = {
    "start: block": ("@@",),
    "block: [NL] (stmt (NL stmt)* [NL])?": ("@@", "d = 3; @@"),
    "lines: NL (stmt (NL stmt)* [NL])?": ("body: call() do\n@@\nend", "body: call() do\n3\n@@\nend"),
    "stmt: line": ("@@",),
    "stmt: jump": ("in a body: return @@",),
    "stmt: ASSERT arrow [arrow]": ("@assert @@ > 0", "@assert n > 5 @@", '@assert(n > 5, "no $(@@)")'),
    "jump: RETURN [line | jump]": ("in a body: n > 5 && return @@", "in a body: n > 5 && return return @@"),
    "jump: CONST line": ("at top: const d = @@",),
    "jump: LEAVE": (
        "for i in 1:3\n@@\nbreak\nend",
        "for i in 1:3\nn > 5 && break\n@@\nend",
        "for i in 1:3\nbreak\n@@\nend",
        "for i in 1:3\nif @@ > 0\ncontinue\nend\nend",
        "for i in 1:3, j in 1:3\nn > 5 && break\n@@\nend",
    ),
    "line: wide": ("@@",),
    "line: wide ASSIGN line": ("v[@@] = 3", "d = @@", "d = e = @@"),
    "line: wide ASSIGN jump": ("v[@@] = return 3", "in a body: d = return @@"),
    "line: wide ASSIGN BLACKBOX": ("box: b(y) :: BlackBox() = @@", "b(y::(@@; Real)) :: BlackBox() = y"),
    "line: wide OPASSIGN line": (
        "v[@@] += 3",
        "d = 3; d += @@",
        "d = 3; d .= @@",
        "d = zeros(2); d .= @@",
        "d = zeros(2); d .+= @@",
    ),
    "wide: item": ("@@",),
    "wide: item (COMMA item)+ [COMMA]": ("d = @@, 3", "d = 3, @@"),
    "wide: item COMMA": ("d = @@,",),
    "expr: item": ("d = (@@)",),
    "expr: item ASSIGN expr": ("with(y -> y, (v[@@] = 3))", "with(y -> y, (d = @@))"),
    "expr: item OPASSIGN expr": ("with(y -> y, (v[@@] += 3))", "d = 3; with(y -> y, (d += @@))"),
    "item: arrow": ("d = (2, @@)",),
    "item: arrow DOTS": ("d = (@@..., 3)", "call(() -> 3, @@...)"),
    "arrow: pair": ("d = @@",),
    "arrow: pair ARROW body": ("call((y = @@) -> 3)", "body: call(() -> @@)"),
    "body: arrow": ("body: call(() -> @@)",),
    "body: jump": ("in a body: call(() -> return @@)",),
    "body: arrow ASSIGN body": ("body: call(() -> v[@@] = 3)", "body: call(() -> w = @@)"),
    "body: arrow OPASSIGN body": ("body: call(() -> v[@@] += 3)", "body: with(w -> w += @@, 3)"),
    "pair: ternary": ("d = @@",),
    "pair: ternary PAIR pair": (
        "d = @@ => 3",
        "d = 3 => @@",
        'd = Dict("a" => @@)',
        'd = Dict("a" => 3, "b" => @@)["a"]',
    ),
    "ternary: either": ("d = @@",),
    "ternary: either QUERY branch ALT branch": ("d = @@ > 0 ? 1 : 2", "d = n > 5 ? @@ : 2", "d = n > 5 ? 2 : @@"),
    "branch: arrow": ("d = n > 5 ? @@ : 2",),
    "branch: arrow ASSIGN branch": ("n > 5 ? v[@@] = 3 : 2", "n > 5 ? d = @@ : 2"),
    "branch: arrow OPASSIGN branch": ("n > 5 ? v[@@] += 3 : 2", "d = 3; n > 5 ? d += @@ : 2"),
    "branch: jump": ("in a body: n > 5 ? (return @@) : 2",),
    "either: both": ("d = @@",),
    "either: both OR either": ("d = @@ > 0 || n > 3", "d = n > 3 || @@ > 0", "n > 3 || @@"),
    "either: both OR jump": ("in a body: @@ > 0 || return 3", "in a body: n > 3 || return @@"),
    "both: relation": ("d = @@",),
    "both: relation AND both": ("d = @@ > 0 && n > 3", "d = n > 3 && @@ > 0", "n > 3 && @@"),
    "both: relation AND jump": ("in a body: @@ > 0 && return 3", "in a body: n > 3 && return @@"),
    "relation: pipe": ("d = @@",),
    "relation: pipe (_relator pipe)+": ("d = @@ < 3 < 4", "d = 1 < @@", "d = 1 < 2 < @@"),
    "_relator: COMPARE": (),
    "_relator: SUBTYPE": (),
    "pipe: range": ("d = @@",),
    "pipe: pipe PIPE range": ("d = @@ |> k", "d = 3 |> (@@; k)"),
    "range: terms": ("d = @@",),
    "range: terms COLON terms": ("d = @@:3", "d = 1:@@"),
    "range: terms COLON terms COLON terms": ("d = @@:2:3", "d = 1:@@:3", "d = 1:2:@@"),
    "terms: factors": ("d = @@",),
    "terms: factors (_adder factors)+": ("d = @@ + 1", "d = 1 - @@"),
    "_adder: PM": (),
    "_adder: PLUS": (),
    "factors: unary": ("d = @@",),
    "factors: unary (TIMES unary)+": ("d = @@ * 2", "d = 2 / @@"),
    "unary: juxt": ("d = @@",),
    "unary: _sign unary": ("d = -@@", "d = !(@@ > 0)"),
    "_sign: PM": (),
    "_sign: NOT": (),
    "_sign: SUBTYPE": (),
    "juxt: power": ("d = @@",),
    "juxt: power (JUXT power)+": ("d = @@n", "d = 2@@"),
    "power: decl": ("d = @@",),
    "power: decl POW unary": ("d = @@ ^ 2", "d = 2 ^ @@"),
    "decl: post": ("d = @@",),
    "decl: post TYPE post": ("d = @@::Real", "d = 3::(@@; Real)", "h(y::(@@; Real)) = y", "h(y)::(@@; Real) = y; h(1)"),
    "decl: decl WHERE post": ("h(y::T, w = @@) where T = y; h(1)", "h(y::T) where (@@; T) = y"),
    "decl: decl WHERE post SUBTYPE post": (
        "h(y::T, w = @@) where T <: Real = y; h(1)",
        "h(y::T) where (@@; T) <: Real = y",
        "h(y::T) where T <: (@@; Real) = y",
    ),
    "decl: decl WHERE LBRACE args RBRACE": (
        "h(y::T, w = @@) where {T <: Real} = y; h(1)",
        "h(y::T) where {T <: (@@; Real)} = y",
    ),
    "post: atom": ("d = @@",),
    "post: post CALL args RPAR": ("d = (@@; k)(3)", "d = k(@@)"),
    "post: post INDEX args RSQB": ("d = (@@; v)[1]", "d = v[@@]"),
    "post: post CURLY args RBRACE": ("h(y::(@@; Vector){<:Real}) = y", "h(y::Vector{<:(@@; Real)}) = y"),
    "post: post BCALL args RPAR": ("d = (@@; k).(3)", "d = k.(@@)"),
    "post: post DOT NAME": ("d = (@@; Statistics).mean",),
    "post: post DO [lines] END": ("call(@@) do\n3\nend", "body: call() do\n@@\nend"),
    "post: post DO target (COMMA target)* block END": (
        "with(@@) do y\n3\nend",
        "with(2) do (y::(@@; Real))\n3\nend",
        "with(2) do y, (w::(@@; Real))\n3\nend",
        "body: with(2) do y\n@@\nend",
    ),
    "post: post ADJ": ("d = @@'",),
    "atom: NAME": (),
    "atom: NUMBER": (),
    "atom: BOOL": (),
    "atom: STRING": (),
    "atom: NODE": (),
    "atom: WHOLE": (),
    "atom: LPAR [entry (COMMA entry)* [COMMA]] RPAR": ("d = (@@, 2)", "d = (2, @@)"),
    "atom: LPAR [entries] SEMI [entries] (SEMI [entries])* RPAR": (
        *("d = (@@; 2)", "d = (2; @@)", "d = (1; 2; @@)"),
        *("d = (; a = @@)", "d = (; n, a = @@)"),
    ),
    "atom: LSQB args RSQB": ("d = [@@]", "d = [2.0, @@]"),
    "arg: expr EACH NAME IN arrow [KEPT arrow]": (
        "body: d = sum(@@ for i in 1:3)",
        "d = sum(i for i in 1:@@)",
        "body: d = sum(i for i in 1:3 if @@ > 0)",
    ),
    "atom: LSQB expr EACH NAME IN arrow [KEPT arrow] RSQB": (
        "body: d = [@@ for i in 1:3]",
        "d = [i for i in 1:@@]",
        "body: d = [i for i in 1:3 if @@ > 0]",
    ),
    "atom: FUNCTION decl block END": ("function h(y::(@@; Real)) y end", "body: function h(y)\n@@\nend; h(1)"),
    "atom: FUNCTION decl BLACKBOX END": (
        "function b(y::(@@; Real)) :: BlackBox()\ny\nend",
        "box: function b(y) :: BlackBox()\n@@\nend",
    ),
    "atom: FUNCTION FPAR args RPAR _tail block END": (
        "call(function (y = @@) 3 end)",
        "call(function ()::(@@; Real) 3 end)",
        "body: call(function () @@ end)",
    ),
    "atom: FUNCTION FPAR args RPAR CALL args RPAR _tail block END": (
        "at top: struct S end; function (y::(@@; S))(w) 3 end",
        "at top: struct S end; function (y::S)(w::(@@; Real)) 3 end",
        "body at top: struct S end; function (y::S)(w)::(@@; Real) 3 end",
        "body at top: struct S end; function (y::S)(w) @@ end",
    ),
    "atom: IF arrow block (ELSEIF arrow block)* [ELSE block] END": (
        "if @@ > 0\n3\nend",
        "if n > 5\n@@\nend",
        "if n > 5\n3\nelseif @@ > 0\n3\nend",
        "if n > 5\n3\nelseif n > 3\n@@\nend",
        "if n > 5\n3\nelse\n@@\nend",
    ),
    "atom: FOR binding (COMMA binding)* block END": (
        "for i in 1:@@\n3\nend",
        "for i in 1:3, j in 1:@@\n3\nend",
        "for i in 1:n\n@@\nend",
    ),
    "atom: WHILE arrow block END": (
        "while n > 9\n@@\nend",
        "while @@ > 9\nbreak\nend",
        "d = 0; while d < 3\nd += 1\n@@\nend",
        "d = 0; while d < 3\n@@\nd += 1\nend",
        "d = 0; while d < 3\nd += 2\n@@\nend",
        "d = 0; while d < 3\nd += 1\n@@ > 0 && continue\nend",
        "d = while n > 9\n@@\nend",
    ),
    "atom: BEGIN block END": ("d = begin\n@@\nend", "begin\n@@\nend"),
    "binding: post IN arrow": ("for v[@@] in 1:3\n3\nend", "for i in [@@]\n3\nend"),
    "_tail: [TYPE post] limit*": (
        "call(function ()::(@@; Real) 3 end)",
        "with(function (y::T) where T <: (@@; Real) 3 end, 3)",
    ),
    "limit: WHERE post": ("with(function (y::T) where (@@; T) 3 end, 3)",),
    "limit: WHERE post SUBTYPE post": (
        "with(function (y::T) where (@@; T) <: Real 3 end, 3)",
        "with(function (y::T) where T <: (@@; Real) 3 end, 3)",
    ),
    "limit: WHERE LBRACE args RBRACE": ("with(function (y::T) where {T <: (@@; Real)} 3 end, 3)",),
    "target: decl": ("with(2) do (y::(@@; Real))\n3\nend",),
    "target: decl DOTS": ("with(2) do (y::(@@; Real))...\n3\nend",),
    "entries: entry (COMMA entry)* [COMMA]": ("d = (@@; 3)", "call((() -> 3; @@))"),
    "entry: expr": ("d = (@@, 3)",),
    "entry: jump": ("in a body: n > 5 && (return @@)",),
    "entry: unnamed": ("h = (::(@@; Real), y) -> y",),
    "args: [_listed] [SEMI [_listed]]": ("d = k(@@)", "d = round(2.5; digits = @@)"),
    "_listed: arg (COMMA arg)* [COMMA]": ("d = max(@@, 3)", "d = max(3, @@)"),
    "arg: expr": ("d = k(@@)",),
    "arg: unnamed": ("h(::(@@; Real)) = 3",),
    "arg: unnamed DOTS": ("h(::(@@; Real)...) = 3",),
    "arg: item KWASSIGN value": ("h(y::(@@; Real) = 3) = y", "d = round(2.5, digits = @@)", "h(y, w = @@) = y; h(1)"),
    "arg: unnamed KWASSIGN value": ("h(::(@@; Real) = 3) = 3", "h(y, ::Real = @@) = 3; h(1)"),
    "value: expr": ("d = round(2.5, digits = @@)",),
    "value: item KWASSIGN value": ("d = round(2.5, digits = v[@@] = 3)", "d = round(2.5, digits = e = @@)"),
    "unnamed: TYPE post": ("h(::(@@; Real)) = 3",),
}
"""Programs for each production, at least one for each symbol in it that is not a token."""

KEPT_FROM_GRAMMAR: dict[str, tuple[str, ...]] = {
    "LET": ("let y = @@\ny\nend", "let\n@@\nend"),
    "TRY": ("try\n@@\ncatch\n3\nend", "try\n3\ncatch e\n@@\nend", "try\n3\ncatch\n4\nfinally\n@@\nend"),
    "QUOTE": ("at top: eval(quote\n@@\nend)",),
    "STRUCT": ("at top: struct S\ny::(@@; Real)\nend", "at top: mutable struct S{T <: (@@; Real)}\ny\nend"),
    "MACRO": ("at top: macro m()\n@@\nend\n@m", "at top: macro assert(e)\n@@\nend"),
    "MODULE": ("at top: begin\nmodule Inner\nMain.eval(:(@@))\nend\nend",),
    "BAREMODULE": ("at top: begin\nbaremodule Inner\nMain.eval(:(@@))\nend\nend",),
    "AT": (
        *("@inline @@", "d = @noinline @@", "@inbounds @@", "@views v[@@]", "@inline h(y::(@@; Real)) = y"),
        *(
            '@info "note" n @@',
            "@warn n d = @@",
            '@error "note $(@@)"',
            "d = @show k(@@)",
            "println(@@)",
            "print(stderr, @@)",
        ),
        *("d = @. n + @@", "d = zeros(2); @. d = n + @@", "d = zeros(2); @. d += @@"),
        *("@inline d = @@", "@show @@", "d = @time @@", "@unknown @@", "Foo.@unknown @@", "@doc @@ call"),
    ),
    "GLOBAL": ("global d = @@", "global d, e = 3, @@"),
    "LOCAL": ("in a body: local d = @@",),
    "EXPORT": (),
    "IMPORT": (),
    "USING": (),
    "MATRIX": ("d = [1.0 @@]", "d = [1.0; @@]", "d = [1.0 2.0\n@@ 3.0]"),
    "MCALL": ("@show(@@)", '@info("note", n, d = @@)', "@unknown(@@)", "d = @inbounds(@@)"),
    "QUOTED": ("at top: eval(:(@@))",),
    "CONCAT": ("d = Real[1.0 @@]",),
    "GENERATOR": (
        "d = sum(@@ for i in 1:3, j in 1:2)",
        "d = [@@ for i in 1:3, j in 1:2]",
        "d = [i for i in 1:3 for j in 1:@@]",
        "d = Real[i for i in [@@]]",
    ),
    "a string": ('"note $(@@)"', '"note $("inner $(@@)")"', 'd = "note $(@@)"'),
    "a docstring": ('"""\nnote $(@@)\n"""\nh(y) = y', '"note $(@@)"\nd = 3', 'at top: "$(@@)"\nmodule Inner\nend'),
    "a command": ("d = `echo $(@@)`", "d = ```echo $(@@)```"),
    "a message": ('n > 5 || error("no $(@@)")', 'n > 5 || throw(ArgumentError("$(@@)"))', "n > 5 || error(@@)"),
}
"""The same for what the folding keeps from the grammar, and for text in text."""


class Effect(NamedTuple):
    """What is planted, ``inside`` a function and ``at_top``; and the function whose claim it makes untrue: ``claim``
    is that of ``name``. At the end of a function in which something is planted stands ``value``."""

    inside: str
    at_top: str
    name: str
    claim: str
    value: str = "0.0"
    after: str = ""


EFFECTS = {
    "assigns a local": Effect("(z = x)", "", "f", "x 0", value="z"),
    "assigns a global": Effect("(global c = 100)", "(c = 100)", "g", "x 1", after="g(x::Real) = c * x"),
    "defines a method": Effect(
        "(eval(:(k(x::Real) = 100 * x)))", "(k(x::Real) = 100 * x)", "g", "x 1", after="g(x::Real) = k(x)"
    ),
    "defines a function of its own": Effect("(k(y) = 100 * y)", "", "f", "x 1", value="k(x)"),
    "extends an imported function": Effect(
        "(Core.eval(Base, :(abs(x::Float64) = 100 * x)))",
        "(Base.abs(x::Float64) = 100 * x)",
        "g",
        "x 1",
        after="g(x::Real) = abs(x)",
    ),
    "changes an array": Effect(
        "(kept[1] = 100.0)",
        "(kept[1] = 100.0)",
        "g",
        "x ε 1 δ 0",
        after="g(x::Real) :: Priv() = laplacian_mechanism(2, 1, kept[1] * x)",
    ),
    "throws": Effect('(x > 0 ? error("no") : 0.0)', "", "f", "x 0"),
    "prints": Effect("(println(x); 0.0)", "", "f", "x 0"),
}
_REACHES_OUT = ("assigns a global", "changes an array", "defines a method", "extends an imported function")
"""What a function does to others by being run."""

_SCOPE = re.compile(r"\b(?:h\(|for|while|let|try|call|with|function|begin$|b\()")
"""What may have a scope of its own, where a function that is defined is seen by nobody else."""

_FUNCTION = "function f(x::Real, n::Static(Integer))\nz = 0.0; v = [1.0, 2.0]\n{}\n{{}}\nend"
BODIES = tuple(
    map(
        _FUNCTION.format,
        (
            "{}",
            "for j in 1:n\n{}\nend",
            "if n > 3\n{}\nend",
            "m() = begin\n{}\n3\nend\nm()",
            "call() do\n{}\n3\nend",
            "if n > 3\nfor j in 1:n\n{}\nend\nelse\nv\nend",
            "if n > 3\nreturn 0.0\nend\n{}",
        ),
    )
)
"""Functions that run what is planted: as a statement, in a loop, in a branch, in a function inside, in one without a
name, in a loop in a branch, behind what may leave the function."""


def alternatives() -> Iterator[str]:
    """The productions of the grammar: the rule, and what it stands for without the name of a callback."""
    text = (resources.files("dp_lsp.frontends.julia") / "grammar.lark").read_text(encoding="utf-8")
    rule = ""
    for line in text.splitlines():
        line = line.partition("//")[0].strip()
        if found := re.fullmatch(r"\??(_?[a-z]\w*): *(.*)", line):
            rule, line = found.groups()
        elif not line.startswith("|"):
            continue
        for part in re.split(r"(?:^|(?<= ))\|(?= )(?![^\[(]*[\])])", line):
            if part.strip():
                yield f"{rule}: {' '.join(part.partition('->')[0].split())}"


def symbols(alternative: str) -> int:
    """How many symbols of a production are none of the lexer's."""
    return len(re.findall(r"\b(?!_relator|_adder|_sign)[_a-z]+\b", alternative.partition(":")[2]))


def programs(key: str, full: bool = False) -> Iterator[tuple[str, str, Effect, str, str]]:
    """All programs for a position: where, which effect, what it is, and the program with it and without. In functions
    one context is taken by chance, or, if it is ``full``, each."""
    for statement in (PROGRAMS | KEPT_FROM_GRAMMAR)[key]:
        kind = next((mark for mark in KINDS if statement.startswith(mark)), "")
        text = statement.removeprefix(kind)
        for name, effect in EFFECTS.items():
            bodies = _bodies(kind, text, name)
            chosen = bodies if full or not bodies else [random.Random(f"{statement} {name}").choice(bodies)]
            for where, planted, program in _around(kind, text, name, effect, chosen):
                yield where, name, effect, program.replace(HOLE, planted), program.replace(HOLE, NOTHING)


def _bodies(kind: str, text: str, name: str) -> Sequence[str]:
    """The contexts in functions in which a program with a hole can stand, and what is planted there is seen."""
    if kind not in ("", IN_BODY, BODY):
        return ()
    if name != "defines a function of its own":
        return BODIES
    return () if _SCOPE.search(text) else (BODIES[0], BODIES[2], BODIES[6])


def _around(kind: str, text: str, name: str, effect: Effect, bodies: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """The places for a program with a hole: which, what is planted there, and all that stands around it."""
    for body in bodies:
        yield "a function", effect.inside, f"{BEFORE}{body.format(text, effect.value)}\n{effect.after}\n"
    planted = effect.at_top
    if kind in (BODY, BODY_AT_TOP, BOX):
        planted = effect.inside if name in (_REACHES_OUT if kind != BOX else _REACHES_OUT[:2]) else ""
    if kind != IN_BODY and planted:
        top = f"v = [1.0, 2.0]; n = 3\n{text}\n"
        yield "top level", planted, f"{BEFORE}{top}{effect.after}\n"
        yield (
            "an included file",
            planted,
            f'# file: main.jl\n{BEFORE}include("more.jl")\n{effect.after}\n# file: more.jl\n{top}',
        )


def answer(program: str, name: str) -> str:
    """What is claimed of a function."""
    found = check(ENGINE, program, Options())
    functions = next(iter(found.values())).functions
    return next((spec_runner.bounds(each) for each in functions if each.name == name), "not defined")


def test_every_production_has_a_program_for_each_of_its_symbols() -> None:
    found = list(alternatives())
    assert set(PROGRAMS) == set(found)
    assert not [each for each in found if len(PROGRAMS[each]) < symbols(each)]
    assert set(FOLDED) <= set(KEPT_FROM_GRAMMAR)


@pytest.mark.parametrize("key", [*PROGRAMS, *KEPT_FROM_GRAMMAR])
def test_no_claim_outlives_what_makes_it_untrue(key: str, request: pytest.FixtureRequest) -> None:
    wrong = []
    for where, name, effect, planted, _ in programs(key, request.config.getoption("--full")):
        found = answer(planted, effect.name)
        if found == effect.claim:
            wrong.append(f"in {where}, what {name}:\n{planted}")
    assert not wrong, "\n".join(wrong)


def test_the_claims_stand_where_nothing_is_planted() -> None:
    """Else the programs above would show nothing: of each effect, in each place, many do."""
    kept: dict[tuple[str, str], int] = {}
    for key in PROGRAMS:
        for where, name, effect, _, harmless in programs(key):
            kept[where, name] = kept.get((where, name), 0) + (answer(harmless, effect.name) == effect.claim)
    assert min(kept.values()) >= 10, kept
