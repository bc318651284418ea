"""Functions as people write them: blocks as values, words of everyday, hints to the compiler, what is printed and
where, statements at top level, default values and keyword arguments, parameters of types."""

from __future__ import annotations

import random

_TYPES = """\
struct Limits
    low::Float64
    k::Int
end
@kwdef struct Chosen
    low::Float64 = 0.5
    k::Real
end
stored(z::Float64) = 1
stored(z::Int) = 100
kind(z::Limits) = z.low
kind(z::Tuple{Real, Real}) = 100
sizes(z) = 2 * z.low + z.k
"""
_TRUTHS = ("true", "b", "n > 1", "x > 0", "m > 1", "n == 2", "x > 0 && b")
_NUMBERS = ("x", "2 * x", "y", "x + y", "m", "n * x", "-x", "1", "0.5", "abs(x)", "b ? x : y")
_PUBLIC = ("n", "2", "2.5", "true", "n + 1", "c")


class Habits:
    """Writes one function of private numbers ``x``, ``y`` and ``m``, a truth ``b``, and a public ``n``, with what it
    needs."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._names = 0

    def function(self, name: str) -> str:
        """The definitions of a function, and maybe a statement that calls it."""
        lines: list[str] = []
        for _ in range(self._source.choice((1, 2, 2, 3))):
            lines += self._source.choice(
                (self._block, self._output, self._word, self._record, self._hint, self._rounds, self._filled)
            )()
        helper, call = self._helper()
        lines += call
        header = f"{name}(x::Real, y::Real, m::Integer, b::Bool, n::Static(Integer))"
        body = [*lines, self._source.choice(("c", "c + x", "c * n", "(c, y)", "c + 0 * m"))]
        made = "\n".join([f"function {header}", "    c = " + self._number(), *("    " + line for line in body), "end"])
        before = self._source.choice(("", "", '"What it is."\n', "@inline ", '"""\nWhat it is.\n"""\n'))
        after = self._source.choice(
            ("", "", f"\nprintln({name}(1, 2, 3, true, 2))", f"\n1 > 2 && {name}(0, 1, 2, false, 3)")
        )
        hidden = self._source.choice(
            ("", "", "", "", "sin(z) = 100 * z\n", "abs2(z) = z\n", "pi = 3\n", "const π = 3\n")
        )
        types = _TYPES if "Limits" in made or "Chosen" in made or "kind(" in made or "sizes(" in made else ""
        return hidden + types + helper + before + made + after

    def _helper(self) -> tuple[str, list[str]]:
        """A function with default values and keywords, and a call of it that leaves out some."""
        if self._source.random() < 0.4:
            return "", []
        name = self._fresh() + self._source.choice("pqrs")
        default = self._source.choice(("2", "2.5", "-3", "true", "1.0", "z", "z + 1"))
        type_ = self._source.choice(("", "", "::Static()", "::Real", "::Int", "::Static(Integer)", "::Float64"))
        by_name = self._source.choice((True, True, False))
        other = self._source.choice(("", ", l = 3", ", l::Static() = 0.5"))
        needed = self._source.choice(("", "", f", m{type_}")) if by_name else ""
        body = self._source.choice(("k * z", "z + k", "k > 2 ? z : 2 * z", "z", "z * k"))
        body += " + l" if other else ""
        body += " + m" if needed else ""
        header = f"{name}(z{';' if by_name else ','} k{type_} = {default}{other}{needed})"
        again = self._source.choice(("", "", "", f"{name}(z, k::Int) = 100 * z\n", f"{name}(z::Int) = 100 * z\n"))
        k = self._source.choice(("2", "n", "x", "1.5", "true"))
        given = self._source.choice((f"k = {k}", f"l = 2, k = {k}", "l = 7", "")) if by_name else k
        given = ", ".join(filter(None, (given, "m = 3" if needed else "")))
        sign = self._source.choice(("; ", ", ")) if by_name else ", "
        calls = (f"{name}({self._number()})", f"{name}({self._number()}{sign}{given})" if given else f"{name}(y)")
        return f"{header} = {body}\n{again}", [f"c += {self._source.choice(calls)}"]

    def _fresh(self) -> str:
        self._names += 1
        return f"h{self._names}"

    def _number(self) -> str:
        return self._source.choice(_NUMBERS)

    def _truth(self) -> str:
        return self._source.choice(_TRUTHS)

    def _block(self) -> list[str]:
        inner = self._fresh()
        first, last = f"{inner} = {self._number()}", self._source.choice((inner, f"{inner} + x", f"2 * {inner}"))
        return self._source.choice(
            (
                ["c = begin", f"    {first}", f"    {last}", "end"],
                [f"c = ({first}; {last})"],
                ["begin", f"    {first}", f"    c = {last}", "end"],
                [f"{self._truth()} && begin", f"    {first}", f"    c = {last}", "end"],
                [f"{self._truth()} || begin", f"    {first}", f"    c = {last}", "end"],
                [f"c = {self._truth()} ? (3; {self._number()}) : begin {self._number()} end"],
                [f"c += begin {self._number()} end"],
                *self._let(inner, last),
                [f"{inner}, c = begin", f"    {first.replace(inner, inner + 'a')}", f"    (2, {inner}a)", "end"],
            )
        )

    def _let(self, inner: str, last: str) -> tuple[list[str], ...]:
        """Blocks with names of their own, some of which stand elsewhere, too."""
        first, after = self._number(), self._number()
        return (
            [f"c = let {inner} = {first}", f"    {last}", "end"],
            [f"c += let {inner}a = {first}, {inner} = {inner}a + {after}", f"    println(1); {last}", "end"],
            [f"{self._truth()} && let {inner} = {first}", f"    c = {last}", "end"],
            ["let", f"    {inner} = {first}", f"    c += {last}", "end"],
            [f"c += let x = 100 * {first}, {inner} = x", f"    {last}", "end"],
            [f"let {inner} = {first}; {inner} += {after}; c = {last}; end", f"c += {after}"],
            [f"for {inner}b in 1:2", f"    c += let {inner} = {inner}b + {first}; {last}; end", "end"],
        )

    def _rounds(self) -> list[str]:
        """Loops that count, that go on as long as something holds, and that end early."""
        k, inner, last = self._fresh(), self._fresh(), self._source.choice(("3", "n", "2", "m", "0"))
        sign, by = self._source.choice((("<", "+"), ("<=", "+"), (">", "-"), (">=", "-"), ("!=", "+")))
        step = self._source.choice((f"{k} {by}= 1", f"{k} {by}= 1", f"{k} = {k} {by} 1", f"{k} {by}= 2"))
        adds = self._source.choice(
            (
                f"c += {self._number()}",
                f"c += {k}",
                f"c = {self._number()}",
                f"c += sum(map(q -> q + {k}, [c, 1.0]))",
                f"{inner} = c; c = {inner} / 2",
            )
        )
        leaves = f"{self._truth()} {self._source.choice(('&&', '||'))} {self._source.choice(('break', 'continue'))}"
        branch = [
            f"if {self._truth()}",
            f"    {adds}",
            self._source.choice(("    break", "    continue", "    c += 1")),
        ]
        inside = self._source.choice(
            (
                [adds, step],
                [step, adds],
                [adds, step, leaves],
                [step, leaves, adds],
                [step, *branch, "else", "    c += y", "end", adds],
                [adds, *branch, "end", step],
                [f"{step}; c / 2 > 9 && break", adds],
            )
        )
        condition = self._source.choice((f"{k} {sign} {last}",) * 4 + (f"{last} {sign} {k}", "abs(c) > 1", "true"))
        start = self._source.choice(("0", "1", "n", "3", "5"))
        over = self._source.choice(("1:3", "1:n", "1:2"))
        after = self._source.choice(([], [], [f"c += {k}"], [f"c = {k} * c"]))
        counted = [line for line in inside if line != step]
        return self._source.choice(
            (
                [f"{k} = {start}", f"while {condition}", *("    " + line for line in inside), "end", *after],
                [f"{k} = {start}", f"while {condition}", *("    " + line for line in inside), "end", *after],
                [f"for {k} in {over}", *("    " + line for line in counted), "end"],
                [
                    f"{k} = 0",
                    f"while {k} < 2",
                    f"    for {inner}q in {over}",
                    *("        " + line for line in counted),
                    "    end",
                    f"    {k} += 1",
                    f"    c > {last} && break",
                    "end",
                    *after,
                ],
            )
        )

    def _filled(self) -> list[str]:
        """Vectors that get new entries all at once, and macros that put a dot at each operation."""
        v, w = self._fresh(), self._fresh()
        made = self._source.choice(
            ("zeros(2)", "[0.0, 1.0]", f"[{self._number()}, 0.5]", "Float64[]", "[1, 2]", "ones(2)", "[true, false]")
        )
        sign = self._source.choice(("+", "-", "*", "/"))
        into = self._source.choice(
            (
                f"{v} .= {self._number()}",
                f"{v} .{sign}= {self._number()}",
                f"{v} .= {v} .{sign} {self._number()}",
                f"{v} .= [{self._number()}, {self._number()}]",
                f"{v} .= abs.({v}) .+ 1",
                f"{v} .= sum({v})",
                f"@. {v} = 2{v} {sign} ({self._source.choice(('x', 'y', 'c'))})",
                f"@. {v} {sign}= -c",
                f"{v} .= [c]",
                f"{v}[2] = {self._number()}",
            )
        )
        used = self._source.choice(
            (f"c = sum({v})", f"c += {v}[1]", f"c += sum(@. abs({v}) - 1)", f"{w} = @. {v} * 2 + c; c = sum({w})")
        )
        return self._source.choice(
            (
                [f"{v} = {made}", into, used],
                [f"{v} = {made}", f"for i in 1:{self._source.choice(('2', 'n'))}", f"    {into}", "end", used],
                [f"{v} = {made}", f"if {self._truth()}", f"    {into}", "end", used],
                [f"{v} = {made}", f"{w} = {v}", into, f"c += sum({w})"],
                [
                    f"{v}, {w} = {made}, [{self._number()}, c, 0.5]",
                    f"for (p, q) in zip({v}, {w})",
                    f"    c = {self._source.choice(('c + p * q', 'c / 2 + q', 'c / 2', 'p + 2 * q', 'c + 3 * p'))}",
                    "end",
                ],
                [
                    f"{v} = {made}",
                    f"for (p, q) in {self._source.choice(('pairs', 'enumerate'))}({v})",
                    f"    c = {self._source.choice(('c + p * q', 'c / p + q', 'q', 'c + 2 * q'))}",
                    "end",
                ],
                [f"{v} = {made}", f"{w} = {v} .+ 0", into, f"c += sum({w})", used],
            )
        )

    def _hint(self) -> list[str]:
        inner = self._fresh()
        return self._source.choice(
            (
                [f"@inline {inner}(z) = 2 * z", f"c = @noinline {inner}(c)"],
                [f"@inbounds c = {self._number()}"],
                [f"c = @views c + {self._number()}"],
                ["@inbounds for i in 1:2", f"    c += {self._number()}", "end"],
            )
        )

    def _record(self) -> list[str]:
        """Named tuples, and structures, which :data:`_TYPES` defines."""
        value, other, inner = self._number(), self._number(), self._fresh()
        whole = self._source.choice(("m", "2", "true", "2.5", "x"))
        return self._source.choice(
            (
                [f"{inner} = (a = {value}, b = {other})", f"c += {inner}.a + 2 * {inner}.b"],
                [f"a = {value}", f"{inner} = (; a, b = {other})", f"c += {inner}.a + 2 * {inner}.b"],
                [f'{inner} = Dict("a" => {value}, "b b" => {other})', f'c += {inner}["a"] + 2 * {inner}["b b"]'],
                [
                    f'{inner} = Dict("a" => c)',
                    "for i in 1:n",
                    f'    {inner} = Dict("a" => {inner}["a"] / 2 + {value})',
                    "end",
                    f'c = {inner}["a"]',
                ],
                [f'{inner} = {self._truth()} ? Dict("a" => {value}) : Dict("a" => {other})', f'c += {inner}["a"]'],
                [f"{inner} = (a = {value}, b = {other})", f"(u, v) = {inner}", f"c += u + {inner}[2]"],
                [f"{inner} = {self._truth()} ? (a = {value}, b = 1) : (a = {other}, b = 2)", f"c += {inner}.a"],
                [
                    f"{inner} = (a = c,)",
                    "for i in 1:n",
                    f"    {inner} = (a = {inner}.a + {value},)",
                    "end",
                    f"c = {inner}.a",
                ],
                [f"{inner} = Limits({value}, n)", f"c = {inner}.k * c + {inner}.low"],
                [
                    f"{inner} = Limits({value}, {whole})",
                    f"c += {inner}.k",
                ],
                [f"{inner} = Limits({value}, 2)", f"c += stored({inner}.low) * {other}"],
                [f"{inner} = Chosen(k = {value})", f"c += {inner}.k + {inner}.low"],
                [f"{inner} = Limits({value}, 2)", f"c += kind({inner})"],
                [f"{inner} = Limits({value}, 2)", f"c += sizes({inner})"],
                [f"{inner} = (low = {value}, k = 2)", f"c += kind({inner}) + sizes({inner})"],
            )
        )

    def _word(self) -> list[str]:
        """Functions of everyday names, some of which stand for something else."""
        value, other, inner = self._number(), self._number(), self._fresh()
        smooth = self._source.choice(
            ("sin", "cos", "tanh", "atan", "asinh", "float", "zero", "one", "oneunit", "real", "conj", "imag", "cospi")
        )
        asked = self._source.choice(("iszero", "isone", "isinteger", "sign"))
        steep = self._source.choice(("abs2", "exp", "expm1", "tan", "log1p", "acos", "cbrt", "log2"))
        return self._source.choice(
            (
                [f"c += {smooth}({value})"],
                [f"c += {smooth}({value})", f"c = {smooth}(c)"],
                [f"c = {steep}({value})"],
                [f"c += {steep}(clamp({value}, 0.25, 0.75))"],
                [f"c *= {self._source.choice(('pi', 'π', '2π', 'cos(π)'))}"],
                ["pi = 3", "c = pi * c"],
                [f"c += {asked}({value})"],
                [f"c += {asked}(round({value}))", f"c = {asked}(c) * {other}"],
                [f"c += {asked}({value}) ? 1 : {other}"],
                [f"{asked}(z) = 100 * z", f"c += {asked}({value})"],
                [f"c += muladd({value}, 2, {other})"],
                [f"c = fma({self._source.choice(('0.5', '-2', 'n', 'clamp(c, 0, 1)'))}, {value}, {other})"],
                [f"{smooth}(z) = 100 * z", f"c += {smooth}({value})"],
                [f"c += reduce({self._source.choice(('+', 'max', 'min'))}, [{value}, {other}, 1])"],
                [f"c += mapreduce(q -> 2 * q, +, [{value}, {other}])"],
                ["reduce(f, v) = 100 * v[1]", f"c += reduce(+, [{value}, {other}])"],
                [f"c += isempty([{value}]) ? 1 : {other}"],
                [f"{inner} = nothing", f"{inner} = {value}", f"c += {inner}"],
                [
                    f"{inner} = [{value}, {other}]",
                    f"@inbounds @simd for i in eachindex({inner})",
                    f"    c += {inner}[i]",
                    "end",
                ],
            )
        )

    def _output(self) -> list[str]:
        value = self._source.choice((*_PUBLIC, *_PUBLIC, "x", "0 * x", "b ? 1 : 1.0", "b ? 1 : 1"))
        made = self._fresh()
        line = self._source.choice(
            (
                'println("a")',
                f'println("a ", {value})',
                f"print(stderr, {value})",
                f"@show({value} + 0)",
                f'@info "b" {made} = ({value})',
                f'@warn "n is $n" c = ({value})',
                "@show n",
                f"{made} = @show n + 1",
            )
        )
        inner = self._fresh()
        return self._source.choice(
            (
                [line],
                [f"if {self._truth()}", f"    {line}", "end"],
                [f"{self._truth()} && println({value})"],
                [f"{self._truth()} || (println({value}); 3)"],
                [f"for i in 1:{self._source.choice(('n', '2', 'm'))}", f"    {line}", "end"],
                [f"{inner}(z) = (println(z); z)", f"{inner}({value})"],
                [f"c = {self._truth()} ? (println(2); c) : c"],
                [f"c += sum(map(q -> (println({value}); 2 * q), [c, 1.0]))"],
                [f"{inner} = {self._truth()} && {self._truth()}"],
            )
        )
