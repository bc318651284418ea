"""Functions of constructs that people use every day: pipes and compositions, loops over what has no name, and loops
from which a function returns."""

from __future__ import annotations

import random

_HELPERS = """\
triple(z) = 3 * z
chosen(z::Integer) = 100 * z
chosen(z::Real) = z
both(z, w) = z + 2 * w
several(z, w) = z + 3 * w
several(z, w, q) = 100 * z + w - q
t = (1, 2, 3)
first_of(w) = w
double(w) = 2 .* w
place(z) = z < 1 ? 1 : z < 2 ? 2 : 3
seen(z::Vector) = 100 * z[1]
seen(z) = z[1]
"""
_SAME = ("triple", "abs", "chosen", "identity", "(z -> z + 1)", "(z -> (println(1); z))", "float", "f", "Float64")
_NUMBERS = ("x", "y", "m", "2 * x", "x + y", "n", "c", "1", "0.5", "true", "b ? x : y", "abs(x)")
_TRUTHS = ("b", "n > 1", "x > 0", "m > 1", "n == 2", "i > n", "i > 1", "c > 2", "true")
_VECTORS = (
    "v",
    "[x, y]",
    "[1, x, 2.5]",
    "2 .* v",
    "double(v)",
    "first_of(v)",
    "map(abs, v)",
    "v[1:1]",
    "[n, 2]",
    "copy(v)",
    "vec(v)",
    "vec(v')",
)
_RECORDS = ("r", "filter(t -> t > 2, r)", "r[r .> 1]", "map(t -> t / 2, r)", "clamp.(r, 1, 3)", "first_of(r)", "2 .* r")


class Ordinary:
    """Writes functions: of private numbers ``x``, ``y`` and ``m``, a truth ``b``, a vector ``v`` and a public ``n``; or
    of a dataset ``r``, which they release something of."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._names = 0

    def program(self, count: int) -> str:
        """The definitions of several functions, and of what they call."""
        made = [self.function(f"w{number}") for number in range(count)]
        hidden = self._pick(("", "", "", "", "", "|>(z, f) = 100 * z\n", "∘(f, g) = z -> 100 * z\n"))
        return hidden + _HELPERS + "\n".join(made) + "\n"

    def function(self, name: str) -> str:
        if self._source.random() < 0.35:
            return self._of_records(name) if self._source.random() < 0.7 else self._of_rows(name)
        lines: list[str] = []
        for _ in range(self._pick((1, 2, 2, 3))):
            lines += self._pick((self._pipe, self._composition, self._loop, self._loop, self._splat))()
        ends = self._pick(([self._pick(("c", "c + x", "(c, y)", "return c"))], self._returning()))
        header = f"{name}(x::Real, y::Real, m::Integer, b::Bool, n::Static(Integer), v::MetricVector(Real, L1))"
        body = ["i = 1", "f = z -> z + 1", f"c = {self._pick(_NUMBERS[:6])}", *lines, *ends]
        return "\n".join([f"function {header}", *("    " + line for line in body), "end"])

    # Choices

    def _pick(self, many):  # type: ignore[no-untyped-def]
        return self._source.choice(many)

    def _fresh(self) -> str:
        self._names += 1
        return f"k{self._names}"

    def _number(self) -> str:
        return self._pick(_NUMBERS)

    def _truth(self) -> str:
        return self._pick(_TRUTHS)

    # Numbers and vectors

    def _pipe(self) -> list[str]:
        one, other, value, inner = self._pick(_SAME), self._pick(_SAME), self._number(), self._fresh()
        return self._pick(
            (
                [f"c = {value} |> {one}"],
                [f"c += {value} |> {one} |> {other}"],
                [f"c = {value} |> {one} |> {inner} -> {inner} + {self._number()} |> {other}"],
                [f"c += {value} + {self._number()} |> {one}"],
                [f"c += sum({self._pick(_VECTORS)} .|> {one})"],
                [f"c += {self._pick(_VECTORS)} |> sum"],
                [f"c += sum({self._pick(_VECTORS)}; init = {self._pick(('0.0', '0.0', '0', '1.0'))})"],
                [f"c += reduce(+, {self._pick(_VECTORS)}; init = 0.0)"],
                [f"c += sum(z -> 2 * z, {self._pick(_VECTORS)}, init = 0.0)"],
                [f"c = chosen(mapreduce(abs, +, {self._pick(_VECTORS)}; init = 0.0))"],
                [f"c += {self._pick(_VECTORS)} |> {inner} -> map({one}, {inner}) |> sum |> {other}"],
                [f"{inner} = {value} |> {one}", f"{self._truth()} && ({inner} |> println)", f"c += {inner}"],
                [f"c += ({value}, {self._number()}) |> {inner} -> {inner}[1] + {inner}[2]"],
                [f"f = z -> z + {self._number()}", f"c = {value} |> f"],
                [f"c = begin {value} |> {one} end"],
                [f"c = [{value}] |> length"],
            )
        )

    def _composition(self) -> list[str]:
        one, other, value, inner = self._pick(_SAME), self._pick(_SAME), self._number(), self._fresh()
        made = f"{one} ∘ {other}"
        return self._pick(
            (
                [f"c += ({made})({value})"],
                [f"{inner} = {made}", f"c += {inner}({value})"],
                [f"{inner} = {made} ∘ {self._pick(_SAME)}", f"c = {inner}({value}) + {inner}({self._number()})"],
                [f"c += sum(map({made}, {self._pick(_VECTORS)}))"],
                [f"c = {value} |> {made}"],
                [f"c += ({one} ∘ both)({value}, {self._number()})"],
                [f"c += ({one} ∘ ((p, q) -> p + 2 * q))({value}, {self._number()})"],
                [f"g = {one} ∘ f", "f = z -> 100 * z", f"c += g({value})"],
                [f"f = {one} ∘ f", f"c += f({value})"],
                [f"c += (({one} ∘ {other}).([{value}, 1]))[1]"],
            )
        )

    def _splat(self) -> list[str]:
        """The items of a tuple as arguments, which something else may give another number of them."""
        t, one, other = self._pick((self._fresh(), "t")), self._number(), self._number()
        given = self._pick(
            (
                *([f"{t} = ({one}, {other})"],) * 4,
                [f"{t} = ({one}, {other}, {self._number()})"],
                [f"{t} = ({one}, {other})", f"{self._truth()} && ({t} = ({other}, {self._number()}))"],
                [f"{t} = ({one}, {other})", f"for {self._fresh()} in 1:n", f"    {t} = ({t}[2], {one})", "end"],
                ["for q in 1:2", f"    {t} = ({one}, q)", "end"],
                [f"if {self._truth()}", f"    {t} = ({one}, {other})", "else", f"    {t} = ({other}, 1)", "end"],
                [f"made() = ({t} = ({one}, 1); 0)", "made()"],
                [f"{t} = ({one}, {other})", f"made() = ({t} = ({one}, 1); 0)", "made()"],
            )
        )
        used = self._pick(
            (
                f"c += both({t}...)",
                f"c += both({t}...)",
                f"c = several({t}...) + c",
                f"c += max({t}...)",
                f"c = several(({t}..., {one})...)",
                f"c += several({one}, {t}...)",
                f"c += sum([{t}..., {other}])",
                f"u = ({t}..., {one}); c += several(u...)",
                f"c += sum(map(w -> both({t}...) + w, v))",
                f"c += sum(map({t} -> {t} + 1, v)) + several({t}...)",
            )
        )
        return [*given, *used.split("; ")]

    def _loop(self) -> list[str]:
        """A loop over a vector without a name."""
        k, over = self._fresh(), self._pick(_VECTORS)
        step = self._pick((f"c += {k}", f"c += 2 * {k}", f"c = c / 2 + {k}", f"c = max(c, {k})", f"c = {k}", "c += 1"))
        extra = self._pick(
            ([], [], [f"println({self._number()})"], [f"{self._truth()} && break"], ["v = 100 * v"], ["x = 100 * x"])
        )
        return self._pick(
            (
                [f"for {k} in {over}", f"    {step}", *("    " + line for line in extra), "end"],
                [f"for (i, {k}) in enumerate({over})", f"    {step} + 0 * i", "end"],
                [f"for i in eachindex({over})", "    c += i", "end"],
                [f"for ({k}, q) in zip({over}, {self._pick(_VECTORS)})", f"    {step} + q", "end"],
                [
                    f"for {k} in {over}",
                    f"    for {k}q in {self._pick(_VECTORS)}",
                    f"        {step} + {k}q",
                    "    end",
                    "end",
                ],
            )
        )

    def _returning(self) -> list[str]:
        """A loop that some rounds leave with the function, and what it returns otherwise."""
        k, value = self._fresh(), self._pick(("c", "x", "2 * c", "y + c", "i", "0.5", "c + m"))
        over = self._pick(("1:3", "1:n", "1:2", "v", "2:3", "double(v)", "[1.5, 2]"))
        step = self._pick(("c += 1", "c += x", "c = 2 * c", f"c += {k}", "x += 1", f"c += {self._number()}"))
        condition = self._pick((self._truth(), f"{k} > n", f"{k} >= 2", f"{k} > 2", f"{k} == n"))
        leaving = self._pick(
            (
                [f"{condition} && return {value}"],
                [f"{condition} || return {value}"],
                [f"if {condition}", f"    return {value}", "end"],
                [f"if {condition}", f"    c = {self._number()}", f"    return {value}", "else", f"    {step}", "end"],
                [
                    f"if {condition}",
                    f"    return {value}",
                    f"elseif {self._truth()}",
                    f"    return {self._number()}",
                    "end",
                ],
                [f"return {value}"],
            )
        )
        inside = self._pick(([*leaving, step], [step, *leaving], leaving))
        last = self._pick(("c", "x", "0", "-1", "1.5", "return c", "return 0", "true", "y", "i"))
        target = self._pick((k, k, k, "i", "c" if last != "c" else k))
        lines = [line.replace(k, target) for line in (f"for {k} in {over}", *("    " + line for line in inside))]
        return [*lines, "end", last]

    # Records

    def _of_records(self, name: str) -> str:
        """A function that releases something of a dataset."""
        relation = self._pick(("Symmetric", "Symmetric", "Symmetric", "ChangeOne", "ChangeOne", "Hamming"))
        high = self._pick(("5", "2", "1"))
        k, over = self._fresh(), self._pick(_RECORDS)
        adds = self._pick((f"c += {k}", "c += 1", f"{k} > 2 && (c += 1)", f"c += clamp({k}, 0, 1)", f"c = c - {k}"))
        shows = self._pick(([],) * 7 + (["println(n)"], [f"println({k})"], [f"{k} > 2 && println(1)"]))
        loop = ["c = 0", f"for {k} in {over}", f"    {adds}", *("    " + line for line in shows), "end"]
        bins = self._histogram(k, over, shows)
        noise = f"laplacian_mechanism({self._pick(('1', '2', '5', '10'))}, eps, "
        ways = (
            [*loop, f"{noise}c)"],
            [*loop, f"q = {noise}c)", "q |> abs"],
            [f"c = {over} |> sum", f"{noise}c)"],
            [f"c = sum({over}; init = 0.0)", f"{noise}c)"],
            *([*bins, f"{noise}t)"],) * 4,
            [*bins, f"[{noise}t[i]) for i in 1:{self._pick(('3', '2', 'length(t)'))}]"],
            [*bins, f"{noise}sum(t) + c)"],
            [f"noisy(s) = {noise}s)", "r |> length |> noisy"],
            [
                f"for i in 1:{self._pick(('3', '2', 'n'))}",
                f"    q = {noise}{self._pick(('sum(r)', 'length(r)', 'count(t -> t > i, r)'))})",
                f"    {self._pick(('q > n', 'i > n', 'true'))} && return {self._pick(('q', 'q + i', '2 * q', 'i'))}",
                "end",
                self._pick(("0.0", "n", "-1", "return 0")),
            ],
            [
                "s = 0.0",
                f"for q in [{noise}sum(r)) for i in 1:{self._pick(('2', '3', 'n'))}]",
                f"    s {self._pick(('+', '-'))}= q",
                "end",
                "s",
            ],
        )
        header = f"{name}(r::MetricVector(Bounded(Real, 0, {high}), {relation}), n::Static(Integer), eps::Static())"
        body = ["    " + line for line in self._pick(ways)]
        return "\n".join([f"function {header} :: Priv()", *body, "end"])

    def _of_rows(self, name: str) -> str:
        """A function that releases what a loop over rows makes of them: as they are seen in the matrix, or by their
        places."""
        relation = self._pick(("Symmetric", "Symmetric", "ChangeOne", "ChangeOne", "Hamming"))
        high, k = self._pick(("3", "2", "1")), self._fresh()
        over = self._pick(("m", "m", "m", "filter_rows(t -> t[1] > 1, m)", "m[m[:, 1] .> 1, :]", "copy(m)"))
        first, second, whole = self._pick(
            ((f"{k}[1]", f"{k}[2]", k), (f"{k}[1]", f"{k}[2]", k), (f"m[{k}, 1]", f"m[{k}, 2]", f"m[{k}, :]"))
        )
        loop = f"for {k} in 1:size(m, 1)" if whole != k else f"for {k} in eachrow({over})"
        usual = (f"c += {first}", "c += 1", f"{first} > 1 && (c += {second})", f"c += clamp({first} + {second}, 0, 3)")
        odd = (
            f"c = c - {first}; s += {second}",
            f"c += sum({whole})",
            f"c += length({whole})",
            f"c += seen({whole})",
            f"q = {whole}; c += q[1]",
            f"q = {first} * {second}; c += q",
            f"c = max(c, {first})",
            f"{first} = 0; c += {second}",
            f"c += {first} + s; s = {second}",
            f"s = {first}; c += {second}",
            f"for j in 1:2; c += {whole}[j]; end",
            f"println({first}); c += 1",
        )
        noise = f"laplacian_mechanism({self._pick(('1', '2', '3', '6'))}, eps, "
        adds = self._pick((*usual, *usual, self._pick(odd)))
        body = ["c = 0.0", "s = 0.0", loop, *("    " + each for each in adds.split("; ")), "end", f"{noise}c + s)"]
        element = self._pick((f"Bounded(Real, 0, {high})", f"Bounded(Real, 0, {high})", f"Bounded(Integer, 0, {high})"))
        header = f"{name}(m::MetricMatrix({element}, {relation}), eps::Static())"
        return "\n".join([f"function {header} :: Priv()", *("    " + line for line in body), "end"])

    def _histogram(self, k: str, over: str, shows: list[str]) -> list[str]:
        """A loop over records that adds to entries of a vector."""
        usual = f"clamp(floor(Int, {k}), 1, 3)"
        odd = (f"{k} > 2 ? 1 : 2", "2", "q", f"place({k})", f"floor(Int, {k}) + 1", f"min(q, {k} > 0 ? 2 : 1)")
        place, other = (self._pick((usual, usual, self._pick(odd))) for _ in range(2))
        more = self._pick(("1", "1", "1", "2", "n", k, "0.5"))
        step, again = f"t[{place}] += {more}", f"t[{other}] += {self._pick((more, more, '1'))}"
        inside = self._pick(
            (
                *([step],) * 4,
                [f"if {k} > 2", f"    {step}", f"elseif {k} > 1", f"    {again}", "end"],
                [f"if {k} > 2", f"    {step}", "else", f"    {again}", "end"],
                [f"{k} > 1 || continue", step],
                [f"{k} > 2 && ({step})", "c += 1"],
                [step, "c += 1"],
                [step, again],
                [step, "s = t[1]"],
                [step.replace("+=", "-=")],
            )
        )
        made = self._pick(("zeros(3)", "zeros(3)", "zeros(Int, 4)", "fill(0, 3)", "[1.0, 2, 3]", "zeros(n)"))
        lines = [f"q = {k} > 1 ? 1 : 3", *inside, *shows]
        return [f"t = {made}", "s = 0.0", "c = 0", f"for {k} in {over}", *("    " + line for line in lines), "end"]
