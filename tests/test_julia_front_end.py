"""The front end for Julia, on source text: what it reads, how it cuts files, what it makes of broken text."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dp_lsp import surface as s
from dp_lsp.frontends import problems
from dp_lsp.frontends.julia.chunks import chunks
from dp_lsp.frontends.julia.parse import parse
from dp_lsp.problem import Kind
from dp_lsp.surface import Parsed


def shown(node: s.Node | None) -> str:
    """A surface tree as a compact expression; what is opaque stands between angle brackets."""
    match node:
        case None:
            return "-"
        case s.Number():
            return f"{node.value}" if node.integer else f"real {node.value}"
        case s.Boolean():
            return str(node.value).lower()
        case s.Text():
            return repr(node.value)
        case s.Name():
            return node.name
        case s.IndexBound(last=last):
            return "end" if last else "begin"
        case s.Whole():
            return ":"
        case s.AllEntries():
            return "all"
        case s.Unending():
            return "unending"
        case s.Keyword():
            return f"{node.name}={shown(node.value)}"
        case s.Call():
            return f"({listed(node.callee, *node.args, *node.keywords)})"
        case s.Index():
            return f"(at {listed(node.value, *node.indices)})"
        case s.Tuple():
            return f"({' '.join(('tuple', *node.names))} {listed(*node.items)})"
        case s.Vector():
            return f"[{listed(*node.items)}]"
        case s.Comprehension():
            return f"(each {listed(node.each, node.over, node.kept)})"
        case s.Broadcast():
            return f"(dots {shown(node.each)} over {listed(*node.over)})"
        case s.Range():
            return f"(range {listed(node.first, node.step, node.last)})"
        case s.TypeExpr():
            around = {"name": "", "braces": f"{{{listed(*node.args)}}}", "call": f"({listed(*node.args)})"}
            return ("<:" if node.upper else "") + node.name + around[node.form]
        case s.Parameter():
            mark = {"plain": "", "keyword": ";", "rest": "..."}[node.kind]
            annotation = f"::{shown(node.annotation)}" if node.annotation else ""
            return mark + node.name + annotation + (f"={shown(node.default)}" if node.default else "")
        case s.Lambda():
            returns = f"::{shown(node.returns)}" if node.returns else ""
            return f"(fn ({listed(*node.params)}){returns} {shown(node.body)})"
        case s.Block():
            return "{" + "; ".join(map(shown, node.statements)) + "}"
        case s.If():
            return f"(if {listed(node.condition, node.then, node.otherwise)})"
        case s.For():
            return f"(for {listed(node.target, node.iterable, node.body)})"
        case s.Assign():
            const = "const " if node.constant else ""
            return f"({const}{shown(node.target)} {node.operator or ''}= {shown(node.value)})"
        case s.Return():
            return f"(return {shown(node.value)})"
        case s.Assert():
            return f"(assert {shown(node.condition)})"
        case s.Function():
            returns = f"::{shown(node.returns)}" if node.returns else ""
            doc = f"{node.doc!r} " if node.doc else ""
            return f"(def {doc}{shown(node.name)} ({listed(*node.params)}){returns} {shown(node.body)})"
        case s.Import():
            names = (f"{each.here}={each.module}:{each.there}{'+' if each.extends else ''}" for each in node.brought)
            return f"(import {' '.join((*(f'{module} …' for module in node.opened), *names))})"
        case s.Export():
            return "(export)"
        case s.ModuleMark():
            return f"(module {node.name})"
        case s.Opaque():
            does = node.summary
            binds = "?" if does.anything else " ".join((*sorted(does.binds - does.outside), *_global(does.outside)))
            added = sorted(f"{each.name}({' '.join(sorted(each.types))})" for each in does.methods if each.qualified)
            binds = " ".join(filter(None, (binds, *added)))
            told = [node.what, *(f"| {' '.join(sorted(does.mentions))}" for _ in does.mentions if _)][:2]
            return f"<{' '.join(told)}{' → ' + binds if binds else ''}>"
    raise TypeError(node)


def _global(names: frozenset[str]) -> list[str]:
    return [f"global {name}" for name in sorted(names)]


def listed(*nodes: s.Node | None) -> str:
    return " ".join(map(shown, nodes))


def tree(text: str) -> str:
    return " ".join(map(shown, parse(text).nodes))


def told(text: str) -> list[str]:
    """The problems of a chunk, each with the text that it stands at."""
    return [f"{p.code} {p.message} @ {text[p.span.start : p.span.end]}" for p in parse(text).problems]


def blocks(text: str) -> list[str]:
    return [chunk.text for chunk in chunks(text)]


EXPRESSIONS = {
    # numbers, names, strings
    "1_000": "1000",
    "1e-5": "real 1/100000",
    ".5": "real 1/2",
    "2.": "real 2",
    "0xff": "<a hexadecimal literal>",
    "1f0": "<a `Float32` literal>",
    "1e999999999": "<a number out of range>",
    "Inf": "Inf",
    "True": "true",
    "ɛ + µ": "(+ ε μ)",
    "x₁ − θ′": "(- x₁ θ′)",
    "x\u0302": "x̂",
    '"a\\tb \\$c"': "'a\\tb $c'",
    '"a $(f("b")) c"': "<a string with interpolation | f>",
    '"$x"': "<a string with interpolation | x>",
    'r"\\d"': "<a string macro>",
    "'c'": "<a character>",
    ":x": "<a symbol>",
    ":(a + b)": "<a quoted expression | a b>",
    # precedence
    "a + b + c": "(+ a b c)",
    "a + b - c + d": "(+ (- (+ a b) c) d)",
    "(a + b) + c": "(+ (+ a b) c)",
    "a * b * c / d": "(/ (* a b c) d)",
    "a - b - c": "(- (- a b) c)",
    "-2x^2": "(- (* 2 (^ x 2)))",
    "2^-1": "(^ 2 (- 1))",
    "2^2x": "(^ 2 (* 2 x))",
    "1/2x": "(/ 1 (* 2 x))",
    "2(x + 1)": "(* 2 (+ x 1))",
    "(x + 1)y": "(* (+ x 1) y)",
    "m'm": "(* (' m) m)",
    "a < b <= c": "(&& (< a b) (<= b c))",
    "!a && b || c": "(|| (&& (! a) b) c)",
    "a || b && c": "(|| a (&& b c))",
    "x |> f": "(f x)",
    "x |> f |> y -> y + 1": "((fn (y) {(+ y 1)}) (f x))",
    "f ∘ g": "(fn (x1 (0)) {(f (g x1 (0)))})",
    "f ∘ g(x)": "<the operator `∘` | f g x>",
    "a ≤ b": "(<= a b)",
    "a === b": "<the operator `===` | a b>",
    "x in xs": "<the operator `in` | x xs>",
    "a .+ b": "(dots (+ a b) over a b)",
    "2 .* a .+ a": "(dots (+ (* 2 a) a) over a)",
    "(a .+ -1) .* b[1]": "(dots (* (+ a (- 1)) b[1] (13)) over a (at b 1))",
    ".!a .& (b .> 3)": "(dots (&& (! a) (> b 3)) over a b)",
    "1 .< a .<= b": "(dots (&& (< 1 a) (<= a b)) over a b)",
    "a .|> f": "(dots (f a) over a)",
    "a .+= b": "((at a all) = (dots (+ a b) over a b))",
    "a .= b": "((at a all) = (dots b over a b))",
    "a .= 2": "((at a all) = (dots 2 over a))",
    "a.b .= c": "<a broadcast into an array | a c → a global b>",
    "(; a = 1, b)": "(tuple a b 1 b)",
    'Dict("a" => 1)': '(tuple "a" 1)',
    'Dict("a" => 1, "a" => 2)': "(Dict <a pair> <a pair>)",
    "a => b": "<a pair | a b>",
    # the four roles of a colon
    "1:n": "(range 1 - n)",
    "1 : 2 : n + 1": "(range 1 2 (+ n 1))",
    "x ? a : b ? c : d": "(if x {a} {(if b {c} {d})})",
    "x ? (a:b) : c": "(if x {(range a - b)} {c})",
    "x ? a\n  : b": "(if x {a} {b})",
    "m[:, 1]": "(at m : 1)",
    "f(:a, :b)": "(f <a symbol> <a symbol>)",
    # brackets that touch, blanks that separate
    "f(x)(y)": "((f x) y)",
    "m[i, end - 1]": "(at m i (- end 1))",
    "m[[begin, end]]": "(at m [begin end])",
    "[begin\n x\nend, y]": "[<a `begin` block | x> y]",
    "m[min(end, 2)]": "(at m (min end 2))",
    "[x - y]": "[(- x y)]",
    "[x -y]": "<a matrix literal | x y>",
    "[a, b,\n c]": "[a b c]",
    "[1 2; 3 4]": "<a matrix literal>",
    "[a\n b]": "<a matrix literal | a b>",
    "[f(x) for x in xs]": "(each (fn (x) {(f x)}) xs -)",
    "[x for x = 1:n if x > 1]": "(each (fn (x) {x}) (range 1 - n) (fn (x) {(> x 1)}))",
    "[y for x in xs for y in x]": "<a comprehension | x xs y>",
    "[y = x for x in xs]": "<a comprehension | x xs y → y>",
    "Real[x for x in xs]": "(at Real <a comprehension | x xs>)",
    "f(x^2 for x in xs)": "(f (each (fn (x) {(^ x 2)}) xs -))",
    "f(x for x in xs if x > 1)": "(f (each (fn (x) {x}) xs (fn (x) {(> x 1)})))",
    "f(x for x in xs, y in ys)": "(f <a generator | x xs> <the operator `in` | y ys>)",
    "(a, b)": "(tuple a b)",
    "(a,)": "(tuple a)",
    "()": "(tuple )",
    "(a = 1, b = 2)": "(tuple a b 1 2)",
    "(x = 1; x)": "(x = 1) x",
    # calls
    "f(a, k = 1; l = 2, m)": "(f a k=1 l=2 m=m)",
    "f(a,\n  b;\n  c = 1,\n)": "(f a b c=1)",
    "f(Vector{<:Real}, Matrix{Data}(1))": "(f Vector{<:Real} (Matrix{Data} 1))",
    "f(xs...)": "(f <a splat | xs>)",
    "g(+, xs)": "(g + xs)",
    "+(a, b)": "(+ a b)",
    "g(==(1), in(xs))": "(g (== 1) (in xs))",
    "f.(x)": "(dots (f x) over x)",
    "f.(x, g.(y), z -> x)": "<a broadcast | f g x y z>",
    "f.(x, g.(y), z -> z)": "(dots (f x (g y) (fn (z) {z})) over x y)",
    "f.(x; y = 2)": "(dots (f x y=2) over x)",
    "f.(x...)": "(dots (f x... (3)) over <a splat | x>)",
    "f.g.(x)": "<a broadcast | f x>",
    "a.b.c(x)": "(<a field access | a> x)",
    "x'": "(' x)",
    "f(x) do y\n  y\nend": "(f (fn (y) {y}) x)",
    "A.f(x; k = 1) do y::Real, _; z = y; z end": "(<a field access | A> (fn (y::Real _) {(z = y); z}) x k=1)",
    "f() do\nend": "(f (fn () {}))",
    "f(g() do\n x\nend, y)": "(f (g (fn () {x})) y)",
    "f(x) do (a, b)\n a\nend": "<a `do` block | a b f x>",
    "@f(x) do y\n y\nend": "<a `do` block | x y → ?>",
    "@f(x) + 1": "(+ <a macro call | x → ?> 1)",
    "A.@f x y": "<a macro call | A x y → ?>",
    # functions as values
    "x -> x + 1": "(fn (x) {(+ x 1)})",
    "(x, y::Real) -> x": "(fn (x y::Real) {x})",
    "() -> 1": "(fn () {1})",
    "x -> y -> x": "(fn (x) {(fn (y) {x})})",
    "x::Real -> x": "(fn (x::Real) {x})",
    "x -> begin\n y = 2x\n y\nend": "(fn (x) {(y = (* 2 x)); y})",
    "map(x -> begin y = x; y end, v)": "(map (fn (x) {(y = x); y}) v)",
    "x -> (y = 2x; y)": "(fn (x) {(y = (* 2 x)); y})",
    "function (x::Real) x end": "(fn (x::Real) {x})",
    "function (x, y)::Priv() x end": "(fn (x y)::Priv() {x})",
    "function (x::Real)\n  g(y) = x\n  g\nend": "(fn (x::Real) {(def g (y) {x}); g})",
    "(x; y = 1) -> x": "<an anonymous function with a header of this form | x y → y>",
    "(x, y = 2) -> x": "(fn (x y=2) {x})",
    "f(x -> x)(y)(z)": "(((f (fn (x) {x})) y) z)",
    'include("a.jl")': "(include 'a.jl')",
    "begin\n x = y\nend": "(x = y)",
    "(x; y)": "x y",
    "x || begin\n y\n z = 1\nend": "(if x {true} {y; (z = 1)})",
    # what packages write
    "f(a = b = 1)": "(f a=(b = 1))",
    "v[x,\n  end]": "(at v x end)",
    "[begin; x; end, y]": "[<a `begin` block | x> y]",
    "x ≅ y && z": "(&& <the operator `≅` | x y> z)",
    "a.b.:c": "<a field access | a>",
    "A.:(==)(x, y)": "(<a field access | A> x y)",
    '2.0u"m"': "(* real 2 <a string macro → ?>)",
    '(1:5)u"m"': "(* (range 1 - 5) <a string macro → ?>)",
    'A.B.ip"1" + x': "(+ <a string macro → ?> x)",
    "fold(|>, x)": "(fold |> x)",
    "f(x, +; k = 0)": "(f x + k=0)",
    "[x => y\n a => b]": "<a matrix literal | a b x y>",
    "a .≲ b": "<a broadcast | a b>",
    "x ~ y + z": "<the operator `~` | x y z → x>",
    "a *ₛ b": "<the operator `*ₛ` | a b>",
    "f(:, x)": "(f : x)",
    "f(k = :)": "(f k=:)",
    "[:1, 2]": "[<a symbol> 2]",
    "() -> return": "(fn () {(return -)})",
    "if op != *\n x\nend": "(if (!= op *) {x} -)",
    "a⁺ + b₋₁": "(+ a⁺ b₋₁)",
    "f(◣)": "(f ◣)",
    "x ⊻= y": "<the operator `⊻=` | x y → x>",
    "(fun === +) || y": "(|| <the operator `===` | + fun> y)",
    "m[:,\n  end,\n  1]": "(at m : end 1)",
    "f(x) = |": "(def f (x) {|})",
    "in(x, y)": "(in x y)",
    "a ? b : c ≅ d": "(if a {b} {<the operator `≅` | c d>})",
    ":(\n struct A\n  x\n end\n)": "<a quoted expression | A x → A>",
    'throw("two\nlines")': "(throw 'two\\nlines')",
}


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expression(text: str) -> None:
    assert (tree(text), told(text)) == (EXPRESSIONS[text], [])


STATEMENTS = {
    "x = y = 1": "(x = (y = 1))",
    "x += 2y": "(x += (* 2 y))",
    "x ÷= 2": "(x ÷= 2)",
    "x .+= 1": "((at x all) = (dots (+ x 1) over x))",
    "@. y = 2x + f(y)": "((at y all) = (dots (+ (* 2 x) (f y)) over y x))",
    "function f(n)\n i = 0\n while i < n\n  g(i)\n  i += 1\n end\nend": "(def f (n) {(i = 0); (while = i); "
    "(for i (range while - (- n 1)) {(g i)}); (i = (max while n)); nothing})",
    "function f(n)\n while n\n  n = g(n)\n  n || continue\n  h(n) && break\n end\nend": "(def f (n) {(break = true); "
    "(for _ unending {(if break {(break = n); "
    "(if break {(n = (g n)); (if n {true; (if (h n) {(break = false)} -)} {})} -)} -)})})",
    "function f(n)\n for i in 1:n\n  i > 2 && break\n  g(i)\n end\nend": "(def f (n) {(break = true); "
    "(for i (range 1 - n) {(if break {(if (> i 2) {(break = false)} {(g i)})} -)})})",
    "a, b = b, a": "((tuple a b) = (tuple b a))",
    "(a, b) = f(n, x, y)": "((tuple a b) = (f n x y))",
    "v[i] = 1": "((at v i) = 1)",
    "a.b = 1": "(<a field access | a> = 1)",
    "x::Int = 1": "(<a type annotation | Int x → x> = 1)",
    "const k = 1": "(const k = 1)",
    "global x = 1": "<a `global` declaration | x → global x>",
    '@assert x > 0 "why $x"': "(assert (> x 0))",
    "x && @assert y": "(&& x <a macro call | y>)",
    '@assert(x, "why")': "(assert x)",
    "x = 1\n-y": "(x = 1) (- y)",
    "x = 1 -\n  y": "(x = (- 1 y))",
    "x = (1\n  - y)": "(x = (- 1 y))",
    "x; y": "x y",
    "x\r\ny": "x y",
    "x # a \r y\r\nz # b\r": "x z",
    "x #= a #= b =# c =# + 1 # d": "(+ x 1)",
    "return": "(return -)",
    "return nothing": "(return -)",
    "return a, b": "(return (tuple a b))",
    "c && return x": "(if c {(return x)} -)",
    "a || b || return x": "(if (|| a b) {true} {(return x)})",
    "a || b && (y = x)": "(if a {true} {(if b {(y = x)} -)})",
    "if a x elseif b y else z end": "(if a {x} {(if b {y} {z})})",
    "if a (x) end": "(if a {x} -)",
    "if a\nelse\nend": "(if a {} {})",
    "x = if a 1 else 2 end": "(x = (if a {1} {2}))",
    "for i in 1:n (a, b) = (b, a) end": "(for i (range 1 - n) {((tuple a b) = (tuple b a))})",
    "for i = 1:2:n\n x\nend": "(for i (range 1 2 n) {x})",
    "for (i, _) ∈ xs end": "(for (tuple i _) xs {})",
    "for i in a, j in b\n x = 1\nend": "(for i a {(for j b {(x = 1)})})",
    "for i in a, j in b\n i = 1\nend": "<a loop over several ranges that changes the variable of one | a b i j → i>",
    "while c\n x = f(x)\n break\nend": "<a `while` loop | c f x → x>",
    "let a = 1\n a\nend": "<a `let` block | a → a>",
    "try\n x\ncatch e\n y\nend": "<a `try` block | e x y>",
    "x = begin\n y = 1\nend": "(x = (y = 1))",
    "x, y = begin\n z = 1\n z, 2\nend": "(z = 1) ((tuple x y) = (tuple z 2))",
    "x += begin\n 1\nend": "(x += <a `begin` block>)",
    "return (x = 1; x)": "(x = 1) (return x)",
    "@inline f(x) = @noinline x + 1": "(def f (x) {(+ x 1)})",
    "x = @inbounds y": "(x = y)",
    "@inbounds v[1]": "(at v 1)",
    "@views(v)": "<a macro call | v>",
    "f(@inline x)": "(f <a macro call | x>)",
    "mutable struct A{T} <: B\n x::T\nend": "<a type whose values can change | A B T x → A>",
    "abstract type A end": "<a type definition | A → A>",
    "macro m(x) :(a) end": "<a macro definition | a m x → global @m>",
    "using DiffPrivacyInference": "(import DiffPrivacyInference … DiffPrivacyInference=:DiffPrivacyInference)",
    "using Other, More": "(import Other … More … Other=:Other More=:More)",
    "import X": "(import X=:X)",
    "import A: b": "(import b=A:b+)",
    "import A.b": "(import b=A:b+)",
    "module Foo # here": "(module Foo)",
    "end": "(module None)",
    "module A\n f(x) = x\nend": "<a nested module | A f x → A f>",
    # definitions
    "f(x) = x": "(def f (x) {x})",
    "f(x)::Priv() = x": "(def f (x)::Priv() {x})",
    "f(x) = begin\n y = x\n y\nend": "(def f (x) {(y = x); y})",
    "f(x)::Real = (y = x; y)": "(def f (x)::Real {(y = x); y})",
    "f(x) = begin\n #= nothing =#\nend": "(def f (x) {})",
    "f(g::Function, h::PrivacyFunction)::Function = g": "(def f (g::Function h::PrivacyFunction)::Function {g})",
    "f = x -> x": "(f = (fn (x) {x}))",
    "f(x) = return x": "(def f (x) {(return x)})",
    "f(x) = g(y) = x": "(def f (x) {(def g (y) {x})})",
    "function f(x, _) :: Real\n  x\nend": "(def f (x _)::Real {x})",
    "function f() g(x) = x; g(2) end": "(def f () {(def g (x) {x}); (g 2)})",
    "f(x::Static(), y::Static(Real)) = x": "(def f (x::Static() y::Static(Real)) {x})",
    "f(x::MetricMatrix(Data, L2)) = x": "(def f (x::MetricMatrix(Data L2)) {x})",
    "f(x::Matrix{<:Data}, t::Tuple{A,B}) = x": "(def f (x::Matrix{<:Data} t::Tuple{A B}) {x})",
    "f(x::A.B, ::Type{T}) = x": "(def f (x::A.B _::Type{T}) {x})",
    "f(x::Int = 1, y = 2; k, l::Bool = true, r...) = x": "(def f (x::Int=1 y=2 ;k ;l::Bool=true ...r) {x})",
    "f((a, b)) = a": "<a function with a header of this form | a b f → f>",
    "f(x::T) where {T <: Real} = x": "(def f (x::Real) {x})",
    "f(v::Vector{T}) where T = v": "(def f (v::Vector) {v})",
    "f(v::Vector{T}) where T <: Real = v": "(def f (v::Vector{<:Real}) {v})",
    "f(x::T) where {T <: Real} = T": "<a function with a `where` clause | Real T f x → f>",
    "Base.show(io, x) = x": "<a function with a header of this form | Base io x → global show>",
    "a + b = c": "<a function with a header of this form | a b c → +>",
    "function f end": "<a function with a header of this form | f → f>",
    '"about f"\nf(x) = x': "(def 'about f' f (x) {x})",
    '"""\n  about f\n    more\n  """\nfunction f(x) x end': "(def 'about f\\n  more\\n' f (x) {x})",
    '"about $x"\nf(x) = x': "<a string with interpolation | x> (def f (x) {x})",
    # black boxes
    "f(x)::BlackBox() = [x 1; 2 3] .+ 1": "(def f (x)::BlackBox() <a black box | x>)",
    "function f(m, d) :: BlackBox()\n  gs = A.g(p) do\n    :end, m[end], 'x', \"$(d)\"\n  end\n  @i x\nend": (
        "(def f (m d)::BlackBox() <a black box | A d gs m p x → ?>)"
    ),
    "function f() :: BlackBox()\nend": "(def f ()::BlackBox() <a black box>)",
    "function f() x = 1; g()::BlackBox() = x .^ 2\n x end": (
        "(def f () {(x = 1); (def g ()::BlackBox() <a black box | x>); x})"
    ),
    # what packages write
    "export a, @b": "(export)",
    "≅ = isequal": "(≅ = isequal)",
    "return x = y": "(return (x = y))",
    "x || const y = 1": "(|| x (const y = 1))",
    "p, = f(x)": "((tuple p) = (f x))",
    "public a, b": "(export)",
    "public = 3": "(public = 3)",
    "function (f::T)(x) where {T} x end": "<a method of an object | T f x → T>",
    "function (f)(x)\n x\nend": "<a method of an object | f x → ?>",
    "function (x) where T\n x\nend": "<an anonymous function with a header of this form | T x>",
    "function +(a, b) a end": "(def + (a b) {a})",
    "function *ₛ end": "<a function with a header of this form | *ₛ → *ₛ>",
    "f(::Any...) = 1": "(def f (..._::Any) {1})",
    "@assert x > 0 f(x)": "(assert (> x 0))",
    "for\n i in 1:2\n x\nend": "(for i (range 1 - 2) {x})",
    "if in isa T\n x\nend": "(if <the operator `isa` | T in> {x} -)",
    "A.:+(a, b) = a": "<a function with a header of this form | A a b → +()>",
    "A.:<(a, b) = a": "<a function with a header of this form | A a b → <()>",
    "f(x) where\n {T} = x": "<a function with a `where` clause | T f x → f>",
    "return return x": "(return (return x))",
    "D(x) ~ y": "<the operator `~` | D x y → D>",
    "f(x; k = g = 3) = x": "(def f (x ;k=(g = 3)) {x})",
}


@pytest.mark.parametrize("text", STATEMENTS)
def test_statement(text: str) -> None:
    assert (tree(text), told(text)) == (STATEMENTS[text], [])


def body(text: str) -> str:
    return "function f(x)\n    " + text.replace("\n", "\n    ") + "\n    y\nend"


LEFT_OUT = "a statement that cannot be read"

BROKEN = {
    # text: what stays, what is told
    body("y = x + )"): (
        f"(def f (x) {{<{LEFT_OUT} | x y → y>; y}})",
        "DP001 unexpected `)`: nothing is open that it could close @ )",
    ),
    body("y = x 2"): (f"(def f (x) {{<{LEFT_OUT} | x y → y>; y}})", "DP001 unexpected `2` after `x` @ 2"),
    body("y = g(1, 2\nz = 3"): (
        f"(def f (x) {{<{LEFT_OUT} | g y → y>; (z = 3); y}})",
        "DP005 this `(` is never closed @ (",
    ),
    body("y = [1, 2\nz = 3"): (
        f"(def f (x) {{<{LEFT_OUT} | y → y>; (z = 3); y}})",
        "DP005 this `[` is never closed @ [",
    ),
    body("y = (1, 2]"): (
        f"(def f (x) {{<{LEFT_OUT} | y → y>; y}})",
        "DP001 `]` does not close `(` @ ]",
    ),
    body('z = "abc\nw = "d"'): (
        f"(def f (x) {{<{LEFT_OUT} | z → z>; (w = 'd'); y}})",
        'DP005 this string is never closed @ "',
    ),
    body("if x = 3\n  z\nend"): (
        f"(def f (x) {{<{LEFT_OUT} | x z → x z>; y}})",
        "DP001 unexpected `=` after `x`; a comparison is written `==` @ =",
    ),
    body("if x > 1\n    z = 2"): (
        "(def f (x) {(if (> x 1) {(z = 2); y} -)})",
        "DP003 `end` is missing: `if` is never closed @ y",
    ),
    body("if x\n  1\nelse if y\n  2\nend"): (
        "(def f (x) {(if x {1} {(if y {2} -)}); y})",
        "DP003 `end` is missing: `if` is never closed; `else if` opens another block, `elseif` does not @ 2",
    ),
    body("y = x\x00\x00"): (
        f"(def f (x) {{<{LEFT_OUT} | x y → y>; y}})",
        "DP006 this character is not allowed here: U+0000 @ \x00\x00",
    ),
    "function f(x)\n  y = x +\nend": (
        f"(def f (x) {{<{LEFT_OUT} | x y → y>}})",
        "DP001 expected an expression after `+` @ +",
    ),
    "function f(x\n  x\nend": (f"<{LEFT_OUT} | f x → f>", "DP005 this `(` is never closed @ ("),
    "function f(x::)\n  x\nend": (f"<{LEFT_OUT} | f x → f>", "DP001 expected an expression after `::` @ ::"),
    "function f(x)\n  x": ("(def f (x) {x})", "DP003 `end` is missing: `function` is never closed @ x"),
    "function f(x) x end\nend": (f"(def f (x) {{x}}) <{LEFT_OUT}>", "DP001 this `end` closes nothing @ end"),
    "function": (f"<{LEFT_OUT}>", "DP003 `end` is missing: `function` is never closed @ function"),
    "x = a ? b": (
        f"<{LEFT_OUT} | a b x → x>",
        "DP001 this statement is not complete: something must follow `b` @ b",
    ),
    "f(x) = x\u2028": (
        f"(def f (x) {{<{LEFT_OUT} | x → x>}})",
        "DP006 this character is not allowed here: U+2028 (line separator) @ \u2028",
    ),
    "f(x) = x\rg(x) = y": (
        f"(def f (x) {{<{LEFT_OUT} | g x y → g x y>}})",
        "DP006 this character is not allowed here: U+000D (carriage return without line feed) @ \r",
    ),
    "f(,)": (f"<{LEFT_OUT} | f → f>", "DP001 unexpected `,` @ ,"),
    "x = 1 #= never": (f"<{LEFT_OUT} | x → x>", "DP005 this comment is never closed @ #="),
    "f(x)::BlackBox() = “x”": (
        "(def f (x)::BlackBox() <a black box | x>)",
        "DP006 this character is not allowed here: U+201C (left double quotation mark) @ “",
        "DP006 this character is not allowed here: U+201D (right double quotation mark) @ ”",
    ),
}


@pytest.mark.parametrize("text", BROKEN)
def test_broken(text: str) -> None:
    assert (tree(text), *told(text)) == BROKEN[text]
    assert all(problem.unchecked for problem in parse(text).problems)


def test_missing_end_points_at_what_it_should_close() -> None:
    text = body("for i in 1:2\n    z = i")
    (problem,) = parse(text).problems
    (here,) = problem.related
    assert (here.message, text[here.span.start : here.span.end]) == ("`for` opens here", "for")


def test_problems_of_a_chunk_are_few() -> None:
    text = "function f(x)\n" + "  y = )\n" * 9 + "end"
    assert len(parse(text).problems) == 3


DEEP = {
    "(" * 5000 + "1" + ")" * 5000: [],
    " + ".join(["x"] * 3000): [],
    " - ".join(["x"] * 3000): ["DP004"],
    "f(" * 3000 + ")" * 3000: ["DP004"],
    "if x\n" * 500 + "end\n" * 500: ["DP004"],
    "f(x::" + "A{" * 3000 + "}" * 3000 + ") = x": ["DP004"],
    "while x\n" * 2000 + "end\n" * 2000: [],
    '"$(' * 2000: ["DP005"],
}


@pytest.mark.parametrize("text", DEEP, ids=lambda text: text[:12])
def test_depth(text: str) -> None:
    parsed = parse(text)
    assert list(dict.fromkeys(problem.code for problem in parsed.problems)) == DEEP[text]
    assert all(node.depth <= 120 for node in parsed.nodes)


def test_places_include_parentheses_only_in_what_is_made_of_them() -> None:
    text = "y = (a + b) * (c)"
    (assign,) = parse(text).nodes
    assert isinstance(assign, s.Assign) and isinstance(assign.value, s.Call)
    product = assign.value
    places = [product, *product.args]
    assert [text[node.start : node.end] for node in places] == ["(a + b) * (c)", "a + b", "c"]


def test_header_ends_before_the_body() -> None:
    text = "function f(x::Real) :: Priv()\n  x\nend"
    (function,) = parse(text).nodes
    assert isinstance(function, s.Function)
    assert text[slice(*function.header)] == "function f(x::Real) :: Priv()"


CHUNKS = {
    "f(x) = x # same line\n# loose\n\n# about g\n# more\ng(x) = 1\n": [
        "f(x) = x # same line",
        "# about g\n# more\ng(x) = 1",
    ],
    "#=\nfunction f\n=#\nf(x) = x": ["#=\nfunction f\n=#\nf(x) = x"],
    "# only a comment\n": [],
    "# dp: a\n\n# dp: b\nf(x) = x\n#dp: c\n\n# dp d\n#= # dp: e\n=#\ng(x) = x": [
        "# dp: a",
        "# dp: b\nf(x) = x",
        "#dp: c",
        "g(x) = x",
    ],
    "x = 1; #= over\ntwo lines =# # end\ny = 2": ["x = 1; #= over\ntwo lines =# # end", "y = 2"],
    '"""\nf is\nzero-indented\n"""\nf(x) = x\n\ng(x) = 2': ['"""\nf is\nzero-indented\n"""\nf(x) = x', "g(x) = 2"],
    "function f(x)\nif x\n1\nend\nx\nend\ng(x) = 1": ["function f(x)\nif x\n1\nend\nx\nend", "g(x) = 1"],
    "x = f(1,\n2)\ny = [\n1,\n2\n]\nz = 1 +\n2": ["x = f(1,\n2)", "y = [\n1,\n2\n]", "z = 1 +\n2"],
    "a = 1; b = 2": ["a = 1; ", "b = 2"],
    "a = 1; b = 2 # dp: ignore[DP303]": ["a = 1; b = 2 # dp: ignore[DP303]"],
    "a = 1; # dp: a\n  # b\n  b = 2": ["a = 1; # dp: a", "# b\n  b = 2"],
    "f(x) = x;; g(x) = 1;\n": ["f(x) = x;; ", "g(x) = 1;"],
    "using A\n  f(x) = x\n\n  # about g\n  function g(x)\n    x\n  end\nh = 1": [
        "using A",
        "f(x) = x",
        "# about g\n  function g(x)\n    x\n  end",
        "h = 1",
    ],
    'function f()\n  1\nend\n  g = 1; h = [2\n 3]\n  "k"\n  k() = 2': [
        "function f()\n  1\nend",
        "g = 1; ",
        "h = [2\n 3]",
        '"k"\n  k() = 2',
    ],
    "module M\nimport A\n  f(x) = x\n  g(x) = 1\nend": ["module M", "import A", "f(x) = x", "g(x) = 1", "end"],
    "f(\nfunction (x)\n x\nend,\nv)\ny = 1": ["f(\nfunction (x)\n x\nend,\nv)", "y = 1"],
    'const u = "a\nfunction g(x)\n  0x\nend\n"\nf(x) = g(x)': [
        'const u = "a\nfunction g(x)\n  0x\nend\n"',
        "f(x) = g(x)",
    ],
    'x = raw"a\n\\"; g() = 0\n"\nf(x) = 1': ['x = raw"a\n\\"; g() = 0\n"', "f(x) = 1"],
    "\ufefff(x) = x": ["f(x) = x"],
    "f(x) = x\r\ng(x) = 1": ["f(x) = x", "g(x) = 1"],
    "f(x) = x\rg(x) = 1\n#\rh(x) = 2\ny": ["f(x) = x\rg(x) = 1", "#\rh(x) = 2\ny"],
    # modules
    "module M\nf(x) = x\n\nfunction g(x)\nx\nend\nend\n": [
        "module M",
        "f(x) = x",
        "function g(x)\nx\nend",
        "end",
    ],
    "module M\n    f(x) = x\n    g(x) = 1\nend # M": ["module M", "f(x) = x", "g(x) = 1", "end # M"],
    "module M; f(x) = x; end": ["module M;", "f(x) = x; ", "end"],
    "module A\nmodule B\nx\nend\nend": ["module A", "module B\nx\nend", "end"],
    # half-typed text
    "function f(x)\n  x\n\ng(x) = 1\n\nfunction h(x)\n  x\nend": [
        "function f(x)\n  x",
        "g(x) = 1",
        "function h(x)\n  x\nend",
    ],
    "module M\nfunction f(x)\n  if x\n\nfunction g(x)\n  x\nend\nend": [
        "module M",
        "function f(x)\n  if x",
        "function g(x)\n  x\nend",
        "end",
    ],
    "x = f(1, 2\ny = 3\nfunction g(x)\n  x\nend": ["x = f(1, 2", "y = 3", "function g(x)\n  x\nend"],
    'x = "abc\nf(x) = "d"': ['x = "abc', 'f(x) = "d"'],
    'f(x) = """\ng(x) = 1': ['f(x) = """', "g(x) = 1"],
    "#= never\nf(x) = x": ["#= never", "f(x) = x"],
    "module A\n\n    x = 1\nend\n\nfunction f(x)\n  x\nend\n": (
        ["module A", "x = 1", "end", "function f(x)\n  x\nend"]
    ),
    '@doc F(\n  "one\nusing two",\n  3\n)\nx = 1': ['@doc F(\n  "one\nusing two",\n  3\n)', "x = 1"],
    "f(:(\n  struct A\n  end\n))\nx = 1": ["f(:(\n  struct A\n  end\n))", "x = 1"],
    "x ||\n@t begin\n  function f()\n  end\nend\ny = 2": ["x ||\n@t begin\n  function f()\n  end\nend", "y = 2"],
    '"""\na $b\n"""\nmodule M\nx\nend': ['"""\na $b\n"""\nmodule M', "x", "end"],
    "module M\nx = 1\nend\n@t begin\n\nf(x) = 1\n\nend": ["module M", "x = 1", "end", "@t begin\n\nf(x) = 1\n\nend"],
    'f(x) = "a\n\nfunction g(x)\n  "b"\nend': ['f(x) = "a', 'function g(x)\n  "b"\nend'],
}


@pytest.mark.parametrize("text", CHUNKS)
def test_chunks(text: str) -> None:
    assert blocks(text) == CHUNKS[text]


def test_chunks_need_no_parser() -> None:
    program = (
        "import sys; import dp_lsp.frontends.julia.chunks; sys.exit('dp_lsp.frontends.julia.parse' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


OWN_KINDS = [
    kind
    for kind in Kind.registry.values()
    if kind.__module__ == problems.__name__ and "```julia" in kind.page()  # a notebook is no program
]


@pytest.mark.parametrize("kind", OWN_KINDS, ids=lambda kind: kind.code)
def test_examples_of_problems(kind: type[Kind]) -> None:
    broken, fixed = re.findall(r"```julia\n(.*?)```", kind.page(), re.DOTALL)
    assert {p.code for chunk in chunks(broken) for p in parse(chunk.text).problems} == {kind.code}
    assert [p for chunk in chunks(fixed) for p in parse(chunk.text).problems] == []


PROGRAMS = [
    *STATEMENTS,
    *BROKEN,
    *CHUNKS,
    "module Foo\nfunction foo(x::Integer) :: Priv()\n   y = 0.0\n   for i in 1:5\n      gx = g(1,0.1,0.2,x)\n"
    "      y = y + 23 * gx + 42\n   end\n   y\nend\nend",
]
PIECE = re.compile(r"\w+|\s+|[^\w\s]")


def check(text: str) -> None:
    """What holds of every text: chunks in order, places inside, and a problem wherever something is broken."""
    position = 1 if text.startswith("\ufeff") else 0
    for chunk in chunks(text):
        assert chunk.start >= position and text.startswith(chunk.text, chunk.start) and chunk.text
        assert is_loose(text[position : chunk.start])
        position = chunk.start + len(chunk.text)
        parsed = parse(chunk.text)
        waiting = list(parsed.nodes)
        while waiting:
            node = waiting.pop()
            assert 0 <= node.start <= node.end <= len(chunk.text)
            assert parsed.problems or not (isinstance(node, s.Opaque) and node.broken)
            waiting += children(node)
        for problem in parsed.problems:
            assert 0 <= problem.span.start <= problem.span.end <= len(chunk.text)
    assert is_loose(text[position:])


def is_loose(text: str) -> bool:
    """Whether nothing stands between two chunks but blanks, and comments that are nobody's business."""
    return parse(text) == Parsed((), ())


def children(node: s.Node) -> Iterator[s.Node]:
    for slot in type(node).__slots__:
        value = getattr(node, slot)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, s.Node):
                yield child


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A few programs, with pieces left out and pieces of others put in."""
    pieces = PIECE.findall("\n".join(draw(st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=3))))
    others = PIECE.findall(draw(st.sampled_from(PROGRAMS)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(pieces)))
        if draw(st.booleans()):
            del pieces[place : place + 1]
        else:
            pieces.insert(place, draw(st.sampled_from(others)))
    return "".join(pieces)


@settings(max_examples=600, deadline=None)
@given(mutants())
def test_no_mutant_of_a_program_raises(text: str) -> None:
    check(text)


@settings(max_examples=300, deadline=None)
@given(st.text(st.one_of(st.characters(), st.sampled_from("\n\r \"'()[]{}#=$@:;,.\\`\0endif")), max_size=60))
def test_no_text_raises(text: str) -> None:
    check(text)
