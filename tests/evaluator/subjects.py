"""Functions of the kinds that people write: statistics of records, linear forms of numbers, entries and rows, releases
of parts, public numbers that are computed, and results of which something is declared.

Each is written by a family, and says which features it has, so that a run can count what it looked at."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from typing import NamedTuple

from .annotating import annotated
from .respelling import respelled

_CONDITION = re.compile(r"(?<=count|ilter)\(t -> ([^(),]+), ")
FEATURES = ("public", "linear", "sums", "disjoint", "declared")
_COUNT = re.compile(r"count\(t -> ([^(),]+), v\)")
_FILTER = re.compile(r"filter\(t -> ([^(),]+), v\)")
_DATASET = re.compile(r"\bv\b(?!::)")
_RELATIONS = ("Symmetric", "InsertDelete", "ChangeOne", "Hamming")
_NORMS = ("L1", "L2", "LInf")
_FACTORS = ("2", "3", "0.5", "4", "-1", "1.5")
_OF_SIZES = 0.2
_BOUNDS = (("0", "5"), ("0", "20"), ("-1", "1"), ("-2", "3"), ("0", "1"), ("2", "10"), ("-5", "-1"))


class Subject(NamedTuple):
    """A function with its helpers, what it is an example of, and the features it has."""

    text: str
    family: str
    features: frozenset[str]


class Records(NamedTuple):
    """A dataset: its name, its annotation, and the interval of its records, if they have one; whether a public number
    `s` chooses among statistics."""

    name: str
    annotation: str
    relation: str
    limits: tuple[str, str] | None
    choice: bool = False

    @property
    def replaced(self) -> bool:
        return self.relation in ("ChangeOne", "Hamming")

    @property
    def header(self) -> str:
        return f"{self.name}::{self.annotation}{', s::Static()' if self.choice else ''}"


class Subjects:
    """Writes functions, of choices that ``source`` makes."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._families: tuple[tuple[str, int, Callable[[str], Subject]], ...] = (
            ("sums", 5, self._sum),
            ("sums of rows", 1, self._rows),
            ("numbers", 2, self._numbers),
            ("vectors", 3, self._vector),
            ("matrices", 2, self._matrix),
            ("shapes", 2, self._shaped),
            ("discrete", 1, self._discrete),
            ("released sums", 3, self._released_sum),
            ("released forms", 2, self._released_form),
            ("public numbers", 6, self._public),
            ("disjoint filters", 5, self._parts),
            ("places read once", 3, self._places),
            ("declared", 7, self._declared),
        )

    def subject(self, name: str, family: str = "") -> Subject:
        """A function of that name, of a family or of any."""
        known = [each for each in self._families if family in ("", each[0])]
        weights = [each for each in known for _ in range(each[1])]
        made = self._pick(weights)[2](name)
        if made.family == "vectors" and (chance := random.Random(f"sizes {made.text}")).random() < _OF_SIZES:
            made = _sized(name, chance)
        return made._replace(text=annotated(name, respelled(made.text)))

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(each[0] for each in self._families)

    # Choices

    def _chance(self, share: float) -> bool:
        return self._source.random() > 1 - share

    def _pick(self, many):  # type: ignore[no-untyped-def]
        return self._source.choice(many)

    # Datasets

    def _records(self, *relations: str, limits: bool = False, more: tuple[str, ...] = ()) -> Records:
        relation = self._pick(relations or _RELATIONS)
        element, bounds = self._pick(("Real", "Real", "Integer", "bounded", "bounded")), None
        if limits or element == "bounded":
            bounds = self._pick(_BOUNDS)
            element = f"Bounded({self._pick(('Real', 'Real', 'Integer'))}, {bounds[0]}, {bounds[1]})"
        descriptors = list(more)
        if self._chance(0.12):
            descriptors.append("Contributes(2)")
        annotation = ", ".join([element, relation, *descriptors])
        return Records("v", f"MetricVector({annotation})", relation, bounds)

    def _wide_records(self) -> Records:
        """Records with room for bounds that a program computes."""
        while (of := self._records()).limits is not None and float(of.limits[1]) < 3:
            pass
        return of

    def _bounds(self, of: Records) -> tuple[str, str]:
        """The bounds of a clamp: of records that have an interval, it or a part of it."""
        if of.limits is None:
            return self._pick(_BOUNDS)
        low, high = of.limits
        middle = _plain((float(low) + float(high)) / 2)
        return self._pick(((low, high), (low, middle), (middle, high), (low, high)))

    def _threshold(self, of: Records | None = None) -> str:
        whole = of is not None and "Integer" in of.annotation
        if of is not None and of.limits is not None:
            low, high = map(float, of.limits)
            inside = low + (high - low) * self._pick((0.5, 0.25, 0.5, 0.75))
            return _plain(float(math.floor(inside)) if whole else inside)
        return self._pick(("3", "0", "2", "5", "-1", "10") if whole else ("3", "0", "2", "0.5", "5", "-1", "10"))

    @staticmethod
    def _step(of: Records | None, start: str) -> float:
        """Half of what can be added to a number so that records lie there, and 1 where there is room."""
        room = 2.0 if of is None or of.limits is None else float(of.limits[1]) - float(start)
        return 1.0 if room >= 2 or "Integer" in of.annotation else room / 2

    def _condition(self, of: Records | None = None, name: str = "t") -> str:
        a = self._threshold(of)
        b = _plain(float(a) + self._pick((1, 2)) * self._step(of, a))
        ways = (f"{name} > {a}", f"{name} <= {a}", f"{name} >= {a}", f"{name} < {a}", f"{name} == {a}")
        more = (
            f"{name} % 2 == 0",
            f"{name} * {name} > {b}",
            f"{a} <= {name} && {name} < {b}",
            f"{name} < {a} || {name} > {b}",
            f"!({name} > {a})",
            f"{a} < {name} <= {b}",
        )
        return self._pick((*ways, *ways, *more))

    def _measure(self, of: Records, name: str = "t") -> str:
        """What is made of one record: a number of a bounded interval."""
        low, high = self._bounds(of)
        clamped = f"clamp({name}, {low}, {high})"
        c = self._condition(of, name)
        ways = (
            clamped,
            clamped,
            f"({c}) ? 1 : 0",
            f"ifelse({c}, {clamped}, 0)",
            f"({c}) ? {clamped} : {self._pick(('0', '1', '-2'))}",
            f"min(max({name}, {low}), {high})",
            f"max({low}, min({name}, {high}))",
            f"{self._pick(_FACTORS)} * {clamped}",
            f"{clamped} - {self._threshold(of)}",
            f"abs({clamped})",
            f"clamp({name}, {low}, {high}) * clamp({name}, {low}, {high})",
            f"{clamped} ^ 2",
            f"{clamped} / 4",
            "1",
        )
        if of.limits is not None and self._chance(0.4):
            return self._pick((name, f"2 * {name}", f"{name} * {name}", f"{name} - {of.limits[0]}", f"abs({name})"))
        return self._pick(ways)

    def _kept(self, of: Records) -> str:
        """The dataset, or those of it that are kept."""
        if self._chance(0.5):
            return of.name
        return f"filter(t -> {self._condition(of)}, {of.name})"

    def _statistic(self, of: Records) -> str:
        """One sum over the records."""
        v = of.name
        ways = [
            f"count(t -> {self._condition(of)}, {v})",
            f"length(filter(t -> {self._condition(of)}, {v}))",
            f"sum(map(t -> {self._measure(of)}, {v}))",
            f"sum(map(t -> {self._measure(of)}, {self._kept(of)}))",
            f"sum(t -> {self._measure(of)}, {v})" if of.replaced else f"sum(map(t -> {self._measure(of)}, {v}))",
            f"length({v})",
        ]
        low, high = self._bounds(of)
        ways.append(f"sum(clamp({v}, {low}, {high}))")
        if of.limits is not None:
            ways += [f"sum({v})", f"sum({self._kept(of)})", f"sum({self._kept(of)})"]
        return self._pick(ways)

    def _sum(self, name: str) -> Subject:
        of = self._records()._replace(choice=self._chance(0.1))
        text, helpers = self._with_helpers(name, self._function(name, of.header, *self._of_sums(of)))
        text = self._otherwise(name, "\n".join([*helpers, text]))
        return Subject(text, "sums", frozenset({"sums", "public"} if of.choice else {"sums"}))

    def _otherwise(self, name: str, text: str) -> str:
        """The same, written in another way, now and then: by helpers that filter and count, by truth values, by a
        function that calls another one or has names inside of it, or of a column of rows."""
        if self._chance(0.4):
            way = self._pick((self._counting, self._filtering, self._masked, self._calling, self._of_a_column))
            return way(name, text)
        return text

    def _counting(self, name: str, text: str) -> str:
        return self._helping(text, _COUNT, f"c{name}", "count(t -> {}, w)")

    def _filtering(self, name: str, text: str) -> str:
        return self._helping(text, _FILTER, f"r{name}", "filter(t -> {}, w)")

    @staticmethod
    def _helping(text: str, sought: re.Pattern[str], helper: str, written: str) -> str:
        """The text with a helper in place of what is sought, which is given the public numbers of a condition."""
        found = sought.search(text)
        if found is None:
            return text
        given = "".join(f", {each}" for each in ("s", "a") if each in _words(found[1]))
        defined = f"{helper}(w{given}) = {written.format(found[1])}"
        return f"{defined}\n{text.replace(found[0], f'{helper}(v{given})')}"

    def _masked(self, name: str, text: str) -> str:
        written = self._pick((r"sum(map(t -> \1, v))", r"count(b -> b, map(t -> \1, v))", r"sum(t -> \1, v)"))
        return _COUNT.sub(written, text, count=1)

    def _calling(self, name: str, text: str) -> str:
        """A condition that another function says, or what a name inside of a function stands for."""
        found = _COUNT.search(text) or _FILTER.search(text)
        if found is None or {"s", "a"} & _words(found[1]):
            return text
        body = self._pick((f"(!n{name}(t))", f"begin u = n{name}(t); !u end", f"(n{name}(t) ? false : true)"))
        return f"n{name}(t) = !({found[1]})\n{text.replace(f't -> {found[1]}', f't -> {body}')}"

    def _of_a_column(self, name: str, text: str) -> str:
        before, found, rest = text.partition(f"{name}(v::MetricVector(")
        return f"{before}{name}(X::MetricMatrix({_DATASET.sub('X[:, 2]', rest)}" if found else text

    def _with_helpers(self, name: str, text: str) -> tuple[str, list[str]]:
        """The text with a function in the place of a condition that it writes, now and then."""
        found = _CONDITION.search(text)
        if found is None or not self._chance(0.2):
            return text, []
        helper = f"keep{name}"
        return text.replace(found[0], f"({helper}, "), [f"{helper}(t) = {found[1]}"]

    def _of_sums(self, of: Records) -> tuple[list[str], str]:
        """Lines, and a number or vector that is made of sums over the records."""
        v, one, two = of.name, self._statistic(of), self._statistic(of)
        c, d = self._condition(of), self._condition(of)
        t, below = self._threshold(of), of.limits is not None and float(of.limits[1]) < 0
        simple = [one] * 4
        simple += [
            f"{self._pick(_FACTORS)} * {one}",
            f"{one} - {two}",
            f"{one} + {two}",
            f"length({v}) - count(t -> {c}, {v})",
            f"count(t -> t > {t}, {v}) - count(t -> t > {_plain(float(t) + 2)}, {v})",
            f"abs(count(t -> t % 2 == 0, {v}) - count(t -> t % 3 == 0, {v}))",
            f"-abs(0.5 * count(t -> t < {t}, {v}) - 0.5 * count(t -> t > {t}, {v}))",
            f"-abs(count(t -> t <= {t}, {v}) - 0.25 * length({v}))",
            f"max(count(t -> {c}, {v}), count(t -> {d}, {v}))",
            f"[count(t -> t < {t}, {v}), count(t -> t >= {t}, {v})]",
            f"norm_convert(L1, [count(t -> t < {t}, {v}), count(t -> t >= {t}, {v})])",
            f"norm_convert(L2, [count(t -> {c}, {v}), length({v})])",
            f"norm_convert(L1, [{one}, {two}])",
            f"map(i -> count(t -> t == i, {v}), {'-4:-1' if below else '1:4'})",
            f"histogram({v}, {'[-5, -3, -2, -1]' if below else '[0, 1, 2, 5]'})",
        ]
        if of.choice and self._chance(0.5):
            lines = [f"n = s > 1 ? {one} : count(t -> {d}, {v})"]
            return lines, self._pick((f"n - count(t -> {d}, {v})", f"length({v}) + n", f"n + {two}"))
        if self._chance(0.2):
            lines = [f"n = count(t -> {c}, {v})", f"s = {one}"]
            return lines, self._pick(("s - n", "s + 2 * n", "[n, s]", "n", "s - 3 * n"))
        if self._chance(0.15):
            return [f"w = filter(t -> {c}, {v})", f"u = map(t -> {self._measure(of)}, w)"], self._pick(
                ("sum(u)", "sum(u) - length(w)", "length(u)", "sum(u) / 2")
            )
        return [], self._pick(simple)

    def _rows(self, name: str) -> Subject:
        relation, norm, radius = self._pick(_RELATIONS), self._pick(_NORMS), self._pick(("1", "5", "2"))
        header = f"X::MetricMatrix(Real, {relation}, RowNorm({norm}, {radius}))"
        ways = ("sum(X; dims=1)", "vec(sum(X; dims=1))", "2 * sum(X; dims=1)", "count_rows(r -> r[1] > 0, X)")
        body = self._pick(ways)
        if self._chance(0.6):
            bounded, body = self._pick(("Bounded(Real, -1, 3)", "Bounded(Integer, 0, 2)")), self._of_rows()
            element = "Bool" if "masks" in body else self._pick(("Real", bounded)) if "clamp" in body else bounded
            header, body = f"X::MetricMatrix({element}, {relation})", body.replace("masks", "count_rows")
        return Subject(self._function(name, header, [], body), "sums of rows", frozenset({"sums"}))

    def _of_rows(self) -> str:
        """A sum over rows, by their entries, their columns, or what is made of them."""
        low, high = self._pick(_BOUNDS)
        a, b = self._pick((1, 2)), self._pick((1, 2))
        c, d = self._pick(("r[1] > 0", "r[2] <= 1", "r[1] > 0 && r[2] < 2")), self._pick(("r[1] <= 0", "r[2] > 1"))
        clamped, made = f"clamp(r[{a}], {low}, {high})", f"clamp(r[{b}], 0, 1)"
        return self._pick(
            (
                f"sum(map_rows(r -> [{clamped}, {made}], X); dims=1)",
                f"sum(map_rows(r -> [{clamped}, {made} * {made}], filter_rows(r -> {c}, X)); dims=1)",
                f"norm_convert(L1, sum(map_rows(r -> [{clamped}, {made}, 1], X); dims=1))",
                f"sum(map_rows(r -> [{clamped}, {made}], X)[:, {b}])",
                f"sum(map_rows(r -> sum([{clamped}, {made}]), X))",
                f"sum(clamp(X[:, {a}], {low}, {high})) - sum(map_rows(r -> {made}, X))",
                f"count(t -> t > 0, X[:, {a}]) + count_rows(r -> {d}, X)",
                f"count_rows(r -> {c}, X) - count_rows(r -> {d}, X)",
                f"count(t -> t > 1, X[:, 1:2][:, {a}]) - count_rows(r -> r[1:2][{b}] > 0, X)",
                f"sum(map_rows(r -> ({c}) ? {made} : 0, X))",
                f"masks(r -> r[{a}] && !r[{3 - a}], X) + masks(r -> !r[{b}], X)",
                "masks(r -> r[1] || r[2], X) - masks(r -> r[1], X)",
                "sum(X; dims=1)",
                "sum(X)",
                "sum(map_rows(r -> sum(r[1:2]), X))",
            )
        )

    # Linear forms

    def _numbers(self, name: str) -> Subject:
        a, b, c = (self._pick(_FACTORS) for _ in range(3))
        ways = (
            "(x + y) - y",
            f"{a} * x - x",
            f"{a} * (x - y) + y",
            "(x + y + z) / 3",
            f"{a} * x + {b} * y - {c} * x",
            "x - (x - y) / 2",
            "[x + y, x - y]",
            "norm_convert(L1, [x, x + y, x + y + z])",
            "max(x, y) - min(x, y)",
            "max(x, y, z)",
            "abs(x - y)",
            f"clamp(x, 0, 5) - {a} * y",
            "x > 3 ? x - 3 : 0",
            "ifelse(x > y, x, y)",
            "s * x - x",
            "s * (x + y) / 2",
            "s > 1 ? 3 * x : 2 * x",
            "abs(x) + abs(y)",
            f"k0{name}(x) - k0{name}(y)",
            f"k1{name}(x, y) + x",
        )
        body = self._pick(ways)
        helpers = []
        if "k0" in body:
            helpers.append(f"k0{name}(p) = {self._pick(('2 * p', 'p / 2 + 1', '-p', 'abs(p)'))}")
        if "k1" in body:
            helpers.append(f"k1{name}(p, q) = {self._pick(('p - q', 'q - p', '2 * p + q', 'p'))}")
        lines: list[str] = []
        if self._chance(0.2):
            step = self._pick(
                (f"u = 0.5 * u + {body.split(',')[0].strip('[')}", "u = u + y", "u = 2 * u - y", "u = u + i * x")
            )
            if step.count("(") == step.count(")") and "norm" not in step:
                lines, body = ["u = x", f"for i in 1:{self._pick(('2', '3', '5'))}", f"    {step}", "end"], "u"
        elif self._chance(0.3) and not body.startswith(("[", "norm")):
            lines, body = [f"d = {body}"], self._pick(("d + x", "d - y", "2 * d", "d"))
        used = [each for each in ("x", "y", "z") if any(f"{each}" in _words(part) for part in (body, *lines))]
        header = ", ".join([*(f"{each}::Real" for each in used or ["x"])])
        if any("s" in _words(part) for part in (body, *lines)):
            header += ", s::Static()"
        return Subject(
            "\n".join([*helpers, self._function(name, header, lines, body)]), "numbers", frozenset({"linear"})
        )

    def _form(self, v: str = "v") -> tuple[list[str], str]:
        """A number or a vector that is a linear form of the entries of a vector."""
        a, b, c = (self._pick(_FACTORS) for _ in range(3))
        ways = (
            f"{v}[1] - {v}[2]",
            f"{v}[1] + {v}[2]",
            f"{a} * {v}[1] + {b} * {v}[2]",
            f"{a} * {v}[1] - {b} * {v}[2] + {c} * {v}[3]",
            f"({v}[1] + {v}[2] + {v}[3]) / 3",
            f"sum({v})",
            f"sum({v}) - {v}[1]",
            f"sum({a} * {v})",
            f"sum(map(t -> {a} * t, {v})) - sum({v})",
            f"[{v}[1], {v}[2]]",
            f"[{v}[1] - {v}[2], {v}[2] - {v}[3]]",
            f"[{a} * {v}[1], {b} * {v}[2]]",
            f"norm_convert({self._pick(_NORMS)}, [{v}[1] + {v}[2], {v}[1] - {v}[2]])",
            f"norm_convert(L1, [{v}[1], {v}[1] + {v}[2]])",
            f"norm_convert(L2, [{v}[1] - {v}[2], {v}[2] - {v}[3]])",
            f"{v} - ({v} + {v})",
            f"{a} * {v} - {v}",
            f"map(t -> {a} * t + 1, {v})",
            f"{v} / 4",
            f"maximum({v})",
            f"fold((e, a) -> e + a, 0.0, {v})",
        )
        if self._chance(0.2):
            lines = [
                "s = 0.0",
                "for i in 1:3",
                f"    s = s + {self._pick((f'{v}[i]', f'i * {v}[i]', f'{v}[i] / 3'))}",
                "end",
            ]
            return lines, self._pick(("s", "s", f"s - {v}[1]"))
        if self._chance(0.15):
            return [f"d = {v}[1] - {v}[2]", f"e = {v}[2] - {v}[3]"], self._pick(
                ("d + e", "[d, e]", "d - e", "(d + e) / 2")
            )
        return [], self._pick(ways)

    def _vector(self, name: str) -> Subject:
        norm = self._pick(_NORMS)
        lines, body = self._form()
        header = f"v::MetricVector({self._pick(('Real', 'Real', 'Integer'))}, {norm})"
        if self._chance(0.2):
            header += f", w::MetricVector(Real, {norm})"
            lines, body = (
                [],
                self._pick(("v - w", "v + w - w", "2 * v - w", "(v + w) / 2", "sum(v - w)", "v[1] - w[1]")),
            )
        elif self._chance(0.12):
            header += ", k::Static(Integer)"
            lines, body = [], self._pick(("v[1] + v[k]", "2 * v[k] - v[1]", "[v[1], v[k]]", "[v[k] + v[1], v[2]]"))
        elif self._chance(0.15):
            return self._helped_form(name, norm)
        elif self._chance(0.12):
            header += ", a::Static(Vector{<:Real})"
            lines, body = [], self._pick(("a[1] * v[1] + a[2] * v[2]", "a[1] * v[1]", "[a[1] * v[1], a[2] * v[2]]"))
        elif self._chance(0.15):
            header += ", c::Static()"
            lines, body = [], self._pick(("c * v", "c * v - v", "v[1] - c * v[2]", "c * sum(v)", "sum(v) / c"))
        features = frozenset({"linear", "public"} if "Static" in header else {"linear"})
        return Subject(self._function(name, header, lines, body), "vectors", features)

    def _helped_form(self, name: str, norm: str) -> Subject:
        """Linear forms of what helpers make: of a vector, of its entries, and in a branch."""
        a, helper, header = self._pick(_FACTORS), f"k{name}", f"v::MetricVector(Real, {norm})"
        made = f"{helper}(w::MetricVector(Real, {norm})) = w[1] - {a} * w[2]"
        lines, body = [f"d = {helper}(v)"], self._pick(("d + v[2]", "[d, v[2]]", "d - v[1]", "sum(v) - d"))
        if self._chance(0.5):
            made = f"{helper}(p, q) = {self._pick((f'p - {a} * q', f'{a} * (p + q)', '(p + q) / 2'))}"
            lines, body = [f"d = {helper}(v[1], v[2])"], self._pick(("d + v[2]", "[d, v[1]]", "d - v[3]"))
        if self._chance(0.25):
            header += ", c::Static()"
            lines = [f"d = c > 1 ? v[1] - v[2] : {a} * v[1]"]
            made = ""
        text = self._function(name, header, lines, body)
        return Subject("\n".join(filter(None, (made, text))), "vectors", frozenset({"linear"}))

    def _matrix(self, name: str) -> Subject:
        a = self._pick(_FACTORS)
        ways = (
            "m[1, :] + m[2, :]",
            "m[1, :] - m[2, :]",
            "m[1, 1] + m[2, 2]",
            "m[1, 1] - m[1, 2]",
            f"{a} * m - m",
            "sum(m)",
            "sum(m; dims=1)",
            "sum(m[1, :])",
            f"map_rows(r -> {a} * r, m)",
            f"map_cols(r -> {a} * r, m)",
            "[m[1, 1], m[2, 1]]",
            "(m[1, :] + m[2, :]) / 2",
            "m[1, :]",
            "m'",
            "m[:, 1] - m[:, 2]",
            "sum(m[:, 1]) - m[1, 1]",
        )
        header = f"m::MetricMatrix(Real, {self._pick(_NORMS)})"
        return Subject(self._function(name, header, [], self._pick(ways)), "matrices", frozenset({"linear"}))

    def _shaped(self, name: str) -> Subject:
        """Functions that are not linear: clamps, absolute values, choices by public numbers, counts of entries."""
        norm, a = self._pick(_NORMS), self._pick(_FACTORS)
        ways = (
            "sum(map(t -> clamp(t, 0, 10), v))",
            "sum(map(t -> abs(t), v))",
            "sum(map(t -> clamp(t, 0, s), v))",
            f"map(t -> max(t, {a}), v)",
            "max(v[1], v[2])",
            "max(v[1], v[2]) - min(v[1], v[2])",
            "abs(v[1] - v[2])",
            f"s > 1 ? {a} * v[1] : v[2]",
            "clamp(sum(v), 0, 5)",
            "abs(v[1]) + abs(v[2])",
            "sum(v) / length(v)",
            "minimum(v)",
            "sort(v)",
            "[abs(v[1]), abs(v[2])]",
        )
        body = self._pick(ways)
        header = f"v::MetricVector(Real, {norm})" + (", s::Static()" if "s" in _words(body) else "")
        features = frozenset({"public", "linear"} if "s" in _words(body) else {"linear"})
        return Subject(self._function(name, header, [], body), "shapes", features)

    def _discrete(self, name: str) -> Subject:
        norm = self._pick(("L1", "LInf"))
        v = (
            "v + v",
            "v / 4",
            "v[1] / 2 + v[2] / 2",
            "[v[1], v[2], v[1]]",
            "map(t -> t * t, v)",
            "count(t -> t == 3, v)",
            "v[1] == v[2]",
            "v - v",
        )
        m = ("m + m", "map_cols(c -> c, m)", "m[1, :] + m[2, :]", "map(t -> t * t, m)", "m[1, :]", "m[:, 1]")
        if self._chance(0.5):
            header, body = f"v::MetricVector(Data, {norm})", self._pick(v)
        else:
            header, body = f"m::MetricMatrix(Data, {norm})", self._pick(m)
        return Subject(self._function(name, header, [], body), "discrete", frozenset({"linear"}))

    # Releases

    def _released_sum(self, name: str) -> Subject:
        of = self._records()
        lines, body = self._of_sums(of)
        eps = self._pick(("eps", "eps", "eps / 2", "2 * eps"))
        features = {"sums"}
        lines.append(f"laplacian_mechanism({self._pick(('100', '1000'))}, {eps}, {self._l1(body)})")
        if self._chance(0.2):
            lines = [self._selection(of)]
        text = self._otherwise(name, self._private(name, of.header, lines))
        return Subject(text, "released sums", frozenset(features))

    def _selection(self, of: Records) -> str:
        """A choice by scores that are sums over records."""
        c, d = self._condition(of), self._condition(of)
        half = "1" if of.replaced else "0.5"
        return self._pick(
            (
                f"report_noisy_max({self._pick(('1', '2'))}, eps, [count(t -> {c}, v), count(t -> {d}, v)])",
                f"report_noisy_max(1, eps, [count(t -> {c}, v), 3, count(t -> !({c}), v)])",
                f"exponential_mechanism({half}, eps, [1, 2, 3], c -> -abs(count(t -> t <= c, v) - 0.5 * length(v)))",
                f"exponential_mechanism(1, eps, [1, -1], c -> c * count(t -> {c}, v))",
            )
        )

    def _l1(self, body: str) -> str:
        return f"norm_convert(L1, {body})" if body.startswith(("[", "map(", "histogram")) else body

    def _released_form(self, name: str) -> Subject:
        norm = self._pick(_NORMS)
        header = f"v::MetricVector(Real, {norm})"
        if self._chance(0.4):
            scale = self._pick(("1", "2", "4"))
            lines = [f"a = laplacian_mechanism({scale}, eps, v[1])", f"b = laplacian_mechanism({scale}, eps, v[2])"]
            lines.append(self._pick(("a + b", "[a, b]", "a - b")))
        else:
            lines, body = self._form()
            if self._chance(0.3) and norm == "L2":
                lines.append(
                    f"gaussian_mechanism(100, eps, 0.00001, norm_convert(L2, {body}))"
                    if body.startswith("[")
                    else f"gaussian_mechanism(100, eps, 0.00001, {body})"
                )
            else:
                lines.append(f"laplacian_mechanism(100, eps, {self._l1(body)})")
        return Subject(self._private(name, header, lines), "released forms", frozenset({"linear"}))

    def _public(self, name: str) -> Subject:
        """Scales, bounds, counts of rounds and conditions that the program computes of public values."""
        ways = (self._helped, self._bounded, self._weighted, self._rounds, self._chosen)
        make = self._pick((*ways, self._learned, self._learned, self._curved))
        return make(name)

    def _learned(self, name: str) -> Subject:
        """A loop carries what it released, or what it made of that, into the next round: a bound, a scale, a factor, a
        threshold or a share of the budget."""
        of = self._wide_records()
        step = self._pick(
            (
                "b = clamp(c, 1, 20)",
                "b = max(1, b + c)",
                "b = c > 3 ? 2 * u : u",
                "b = ifelse(c > 3, u + 1, max(u / 2, 0.5))",
                "b = max(b / 2, 0.25)",
                "b = min(2 * b, 8)",
                "b = clamp(b * exp(c / 10), 0.5, 4)",
                "b = sqrt(max(c, 1))",
                "b = abs(c) + 1",
                "b = clamp(1 / max(c, 0.5), 0.5, 2)",
                "b = clamp(1 / c, 1, 4)",
                "b = b / 2",
                "b = b - 1",
                "(b, u) = (max(1, u), b)",
                "b = private_quantile(1, eps, v, 0.5, [1, 3, 5])",
                f"b = clamp(count(t -> {self._condition(of)}, v), 1, 3)",
            )
        )
        low = self._pick(("0", "0", "-b"))
        width = "b" if not of.replaced or low == "0" else "2 * b"
        scale, eps, hidden = self._pick(
            (
                (width, "eps", f"sum(clamp(v, {low}, b))"),
                ("20", "eps", f"sum(clamp(v, {low}, b))"),
                (width, "eps", f"sum(map(t -> clamp(t, {low.replace('b', 'u')}, u), v))"),
                ("b", "eps", f"b * count(t -> {self._condition(of)}, v)"),
                ("1", "b * eps", f"count(t -> {self._condition(of)}, v)"),
                ("b", "eps", f"count(t -> {self._condition(of)}, v)"),
                ("1", "eps", "count(t -> t > u, v)"),
                ("u", "eps", f"b * count(t -> {self._condition(of)}, v)"),
            )
        )
        lines = [f"b, c, s = {self._pick(('1.0', '2.0', '2'))}, 0.0, 0.0", f"for i in 1:{self._pick(('2', '3', '4'))}"]
        lines += ["    u = b", f"    c = laplacian_mechanism({scale}, {eps}, {hidden})", f"    {step}", "    s = s + c"]
        lines += [
            "end",
            self._pick(("s", "s", "[s, b]", f"laplacian_mechanism({width}, eps, sum(clamp(v, {low}, b)))")),
        ]
        return Subject(self._private(name, of.header, lines), "public numbers", frozenset({"public", "sums"}))

    def _curved(self, name: str) -> Subject:
        """What is made of a released number by roots, logarithms, exponentials and powers; or stands in a range."""
        of = self._records()
        low, high = self._pick((("1", "4"), ("0.5", "3"), ("-1", "2"), ("2", "2.5"), ("-2", "-1"), ("0", "1")))
        made = self._pick(
            (
                "sqrt(a)",
                "sqrt(a) + 1",
                "log(a)",
                "log(a) + 2",
                "exp(a)",
                "exp(a) / 2",
                "(a + 1) ^ 2",
                "a ^ 2 + 1",
                "(2:5)[ceil(Int, abs(a))]",
                "(1:2:9)[floor(Int, a) + 1]",
                "1 / exp(a)",
                "max(a, min(2 * a, max(a, 1)))",
            )
        )
        hidden = self._pick((f"count(t -> {self._condition(of)}, v)", f"b * count(t -> {self._condition(of)}, v)"))
        scale, eps = self._pick(("b", "b", "8 * b", "1")), self._pick(("eps", "b", "eps"))
        lines = [
            f"a = clamp(laplacian_mechanism(1, eps, count(t -> {self._condition(of)}, v)), {low}, {high})",
            f"b = {made}",
            f"c = laplacian_mechanism({scale}, {eps}, {hidden})",
            "[a, c]",
        ]
        return Subject(self._private(name, of.header, lines), "public numbers", frozenset({"public", "sums"}))

    def _helped(self, name: str) -> Subject:
        of = self._records()
        half = f"half{name}"
        helper = half + self._pick(("(e) = e / 2", "(e::Static()) = e / 2", "(e) = e / 3", "(e) = min(e, 1)"))
        one = self._statistic(of)
        lines = [f"a = laplacian_mechanism(100, {half}(eps), {one})"]
        if self._chance(0.5):
            lines.append(f"b = laplacian_mechanism(100, {half}(eps), {self._statistic(of)})")
            lines.append("[a, b]")
        else:
            lines.append("a")
        return Subject(
            "\n".join([helper, self._private(name, of.header, lines)]), "public numbers", frozenset({"public", "sums"})
        )

    def _bounded(self, name: str) -> Subject:
        """A released number, or one made of it, is the bound of a clamp and the scale of the noise."""
        of = self._wide_records()
        made = self._pick(("max(1, a)", "clamp(a, 1, 50)", "abs(a) + 1", "a > 5 ? 10 : 2", "max(2, a) / 2"))
        low = self._pick(("0", "0", "-b"))
        scale = "b" if not of.replaced or low == "0" else "2 * b"
        condition = self._condition(of)
        hidden = self._pick(
            (
                f"sum(clamp(v, {low}, b))",
                f"sum(map(t -> clamp(t, {low}, b), v))",
                f"b * count(t -> {condition}, v)",
                f"count(t -> {condition}, v)",
                f"sum(map(t -> clamp(t, {low}, b), filter(t -> {condition}, v)))",
            )
        )
        lines = [
            f"a = laplacian_mechanism(1, eps, count(t -> {self._condition(of)}, v))",
            f"b = {made}",
            f"c = laplacian_mechanism({scale}, eps, {hidden})",
            "[a, c]",
        ]
        return Subject(self._private(name, of.header, lines), "public numbers", frozenset({"public", "sums"}))

    def _weighted(self, name: str) -> Subject:
        header = "x::Real, w::Static(Vector{<:Real})"
        lines = [
            self._pick(("laplacian_mechanism(w[1], eps, w[1] * x)", "laplacian_mechanism(w[1], eps, w[1] * x / 2)"))
        ]
        if self._chance(0.5):
            header = "v::MetricVector(Real, L1)"
            lines = [
                f"w = {self._pick(('[1, 2, 4]', '[2, 2, 1]', '[1, 3, 2]'))}",
                self._pick(
                    (
                        "laplacian_mechanism(w[2], eps, w[1] * v[1] + w[2] * v[2])",
                        "laplacian_mechanism(8, eps, w[1] * v[1] - w[2] * v[2])",
                        "laplacian_mechanism(w[3], eps, w[3] * sum(v))",
                    )
                ),
            ]
        return Subject(self._private(name, header, lines), "public numbers", frozenset({"public", "linear"}))

    def _rounds(self, name: str) -> Subject:
        of = self._wide_records()
        step = self._pick(
            (
                f"laplacian_mechanism(i, eps, i * count(t -> {self._condition(of)}, v))",
                "laplacian_mechanism(1, eps, count(t -> t > i, v))",
                "laplacian_mechanism(2 * i, eps, sum(map(t -> clamp(t, 0, i), v)))",
                f"laplacian_mechanism(1, eps / i, count(t -> {self._condition(of)}, v))",
            )
        )
        lines = ["s = 0.0", f"for i in 1:{self._pick(('2', '3'))}", f"    s = s + {step}", "end", "s"]
        if self._chance(0.3):
            carried, made = self._pick((("b = b / 2", "eps * b"), ("b = 2 * b", "eps / b"), ("b = b + 1", "eps / b")))
            released = f"s = s + laplacian_mechanism(1, {made}, count(t -> {self._condition(of)}, v))"
            lines = ["s, b = 0.0, 1.0", lines[1], f"    {released}", f"    {carried}", "end", "s"]
        return Subject(self._private(name, of.header, lines), "public numbers", frozenset({"public", "sums"}))

    def _chosen(self, name: str) -> Subject:
        of = self._wide_records()
        bound = self._pick(("k == 1 ? 2 : 5", "k > 2 ? 10 : 4", "max(k, 1)", "ifelse(k > 1, 3, 6)"))
        hidden = self._pick(("sum(clamp(v, 0, b))", "sum(map(t -> clamp(t, 0, b), v))", "b * length(v)"))
        lines = [f"b = {bound}", f"laplacian_mechanism({self._pick(('b', '2 * b', '10 * b'))}, eps, {hidden})"]
        text = self._private(name, f"{of.header}, k::Static(Integer)", lines)
        return Subject(text, "public numbers", frozenset({"public", "sums"}))

    def _parts(self, name: str) -> Subject:
        """Releases of filters that are disjoint, or nearly."""
        of = self._records()
        public = self._pick((0, 0, 0, 1, 2))
        of = self._wide_records() if public else of
        border = ("s", "a")[public - 1] if public else self._threshold(of)
        header = of.header + (", s::Static()" if public == 1 else "")
        pairs = [("t < {0}", "t >= {0}"), ("t <= {0}", "t > {0}"), ("t > {0}", "{0} >= t"), ("t > {0}", "!(t > {0})")]
        if self._chance(0.2):
            pairs = [("t <= {0}", "t >= {0}")]
            if not public:
                pairs.append((f"t < {_plain(float(border) + self._step(of, border))}", "t >= {0}"))
        if not public and self._chance(0.3):
            step = self._step(of, border)
            one, two = _plain(step), _plain(2 * step)
            pairs = [("t < {0}", f"{{0}} <= t && t < {{0}} + {two}"), ("t == {0}", f"t == {{0}} + {one}")]
            pairs.append(("t < {0}", "t > {0}"))
        one, two = (each.format(border) for each in self._pick(pairs))
        lines = []
        if public == 2:
            lines.append("a = laplacian_mechanism(1, eps, count(t -> t > 2, v))")
        for letter, condition in (("p", one), ("q", two)):
            hidden, scale = self._part(of, condition)
            eps = self._pick(("eps", "eps", "2 * eps", "eps / 2"))
            lines.append(f"{letter} = laplacian_mechanism({scale}, {eps}, {hidden})")
        if self._chance(0.15):
            lines.append("r = laplacian_mechanism(1, eps, length(v))")
        if self._chance(0.15):
            hidden, scale = self._part(of, two)
            lines[-1] = f"q = p > 3 ? laplacian_mechanism({scale}, eps, {hidden}) : p"
        lines.append("[p, q]")
        if self._chance(0.15) and not public:
            hidden, scale = self._part(of, one)
            keyed = hidden.replace(f"filter(t -> {one}, v)", "part").replace(", v)", ", part)")
            lines = [
                f"one(part) :: Priv() = laplacian_mechanism({scale}, eps, {keyed})",
                f"map_parts(one, v, t -> ({one}) ? 1 : 0, [0, 1])",
            ]
        features = {"disjoint", "sums"} | ({"public"} if public else set())
        text = self._handed(name, self._otherwise(name, self._private(name, header, lines)))
        return Subject(text, "disjoint filters", frozenset(features))

    def _handed(self, name: str, text: str) -> str:
        """The same, with a private function that is given a part of the dataset, now and then."""
        sought = re.compile(
            r"laplacian_mechanism\(1, ([^,()]+), length\((filter\(t -> [^(),]+, v\)|r\w+\(v[^()]*\))\)\)"
        )
        if not sought.search(text) or not self._chance(0.4):
            return text
        defined = f"l{name}(w, e::Static()) :: Priv() = laplacian_mechanism(1, e, length(w))"
        called = rf"l{name}(\2, \1)"
        return f"{defined}\n{sought.sub(called, text)}"

    def _part(self, of: Records, condition: str) -> tuple[str, str]:
        low, high = self._bounds(of)
        largest, least = max(float(high), 0), min(float(low), 0)
        scale = _plain(largest - least if of.replaced else max(largest, -least))
        return self._pick(
            (
                (f"length(filter(t -> {condition}, v))", "1"),
                (f"count(t -> {condition}, v)", "1"),
                (f"sum(map(t -> clamp(t, {low}, {high}), filter(t -> {condition}, v)))", scale),
                (f"sum(clamp(filter(t -> {condition}, v), {low}, {high}))", scale),
                (f"length(filter(t -> {condition}, v))", "2"),
            )
        )

    def _places(self, name: str) -> Subject:
        """Loops that read each entry, record or row once, or records by their number."""
        if self._chance(0.5):
            return self._cells(name)
        way = self._pick(("records", "L1", "L2", "LInf", "rows", "twice"))
        if way in ("records", "twice"):
            header = f"v::MetricVector(Bounded(Real, 0, 5), {self._pick(('Hamming', 'Hamming', 'ChangeOne'))})"
            index = "i" if way == "records" else self._pick(("i", "1", "i"))
            step = self._pick(
                (f"laplacian_mechanism(5, eps, v[{index}])", f"laplacian_mechanism(10, eps, 2 * v[{index}])")
            )
        elif way == "rows":
            header = "m::MetricMatrix(Data, LInf)"
            step = "laplacian_mechanism(2, eps, undisc_container(clip(L1, m[i, :])))[1]"
        else:
            header = f"v::MetricVector(Real, {way})"
            step = self._pick(("laplacian_mechanism(1, eps, v[i])", "laplacian_mechanism(2, eps, 2 * v[i])"))
        last = "rows(m)" if way == "rows" and self._chance(0) else self._pick(("2", "3", "k"))
        extra = ", k::Static(Integer)" if last == "k" else ""
        lines = ["s = 0.0", f"for i in 1:{last}", f"    s = s + {step}", "end", "s"]
        return Subject(self._private(name, header + extra, lines), "places read once", frozenset({"disjoint"}))

    def _cells(self, name: str) -> Subject:
        """Loops of which each round sees the records that a condition on its number keeps, or nearly."""
        of = self._wide_records()
        header, lines, numbers = of.header, list[str](), self._pick(("1:3", "0:2", "1:2", "1:k", "-1:4", "[3, 0, 2]"))
        header += ", k::Static(Integer)" if "k" in numbers else ""
        ways = [
            "t == i",
            "t == i",
            "i <= t && t < i + 1",
            "2 * i <= t && t < 2 * i + 2",
            "t == 2 * i - 1",
            "i == t + 0",
        ]
        ways += ["i < t && t <= i + 1", "0.5 * i <= t && t < 0.5 * (i + 1)", "t == i && t > 0", "i - 1 < t <= i"]
        if self._chance(0.3):
            ways = [
                "i <= t && t <= i + 1",
                "t < i",
                "t >= i",
                "t == i || t == i + 1",
                "!(t == i)",
                "t == i * i",
                "t > 0",
            ]
            ways += [
                "2 * i <= t && t < 2 * i + 3",
                "0.5 * i <= t && t < i",
                "t > 0 ? t == i : i > 1",
                "i - 1 < t < i + 1",
            ]
        condition = self._pick(ways)
        if "1:3" in numbers and self._chance(0.4):
            lines.append(f"e = [{self._pick(('1, 3, 4, 5', '0, 1, 2, 3', '1, 3, 1, 4', '0, 2, 1, 3'))}]")
            condition = self._pick(("t == e[i]", "e[i] <= t && t < e[i + 1]", "e[i] <= t && t <= e[i + 1]"))
        hidden, scale = self._part(of, condition)
        eps = self._pick(("eps", "eps", "2 * eps", "i * eps" if "1:3" in numbers else "eps"))
        if self._chance(0.2):
            lines.append("a = laplacian_mechanism(1, eps, count(t -> t > 2, v))")
            hidden = hidden.replace(condition, f"({condition}) && t < a")
        lines += ["s = 0.0", f"for i in {numbers}"]
        if self._chance(0.2):
            inner, _ = self._part(of, f"({condition}) && {self._pick(('t == j', 't > j', 'j < t && t <= j + 1'))}")
            lines += ["    for j in 0:2", f"        s = s + laplacian_mechanism({scale}, {eps}, {inner})", "    end"]
        else:
            lines.append(f"    s = s + laplacian_mechanism({scale}, {eps}, {hidden})")
        return Subject(self._private(name, header, [*lines, "end", "s"]), "places read once", frozenset({"disjoint"}))

    # Declarations

    def _declared(self, name: str) -> Subject:
        low, high = self._pick(_BOUNDS)
        if self._chance(0.45):
            body = self._pick(
                (
                    f"clamp(x, {low}, {high})",
                    f"min(max(x, {low}), {high})",
                    f"clamp(2 * x, {low}, {high})",
                    f"clamp(x - y, {low}, {high})",
                    f"x > y ? {low} : {high}",
                    "abs(x)",
                    f"clamp(x, {low}, {high}) / 2",
                    f"max(clamp(x, {low}, {high}), {low})",
                )
            )
            header = (
                "x::Real, y::Real"
                if "y" in _words(body)
                else f"x::{self._pick(('Real', 'Real', f'Bounded(Real, {low}, {high})'))}"
            )
            result = f"Bounded(Real, {low}, {high})"
        elif self._chance(0.6):
            norm, other = self._pick(_NORMS), self._pick(_NORMS)
            _, body = self._form()
            header, result = f"v::MetricVector(Real, {norm})", f"MetricVector(Real, {other})"
            if not body.startswith(("[", "v", "map(", "2", "3", "norm")) or ("]" in body and not body.startswith("[")):
                body = self._pick(
                    ("2 * v", "v + v", "v - (v + v)", "[v[1] - v[2], v[2]]", "v / 2", "map(t -> t + 1, v)")
                )
            if self._chance(0.5):
                body = f"norm_convert({other}, {body})"
        else:
            header = f"v::MetricVector(Real, {self._pick(_RELATIONS)})"
            relation = header.split(", ")[1][:-1]
            body = self._pick(
                (
                    f"clamp(v, {low}, {high})",
                    f"map(t -> clamp(t, {low}, {high}), v)",
                    f"filter(t -> t > {low}, clamp(v, {low}, {high}))",
                    f"map(t -> min(max(t, {low}), {high}), v)",
                    f"clamp(v, {_plain(float(low) - 3)}, {_plain(float(high) + 10)})",
                )
            )
            result = f"MetricVector(Bounded(Real, {low}, {high}), {relation})"
        inner = f"h{name}({header}) :: {result} = {body}"
        names = ", ".join(part.split("::")[0] for part in header.split(", ") if "::" in part)
        use = f"h{name}({names})"
        outer = self._pick(
            (use, use, f"sum({use})", f"sum(map(t -> 2 * t, {use}))" if "v::" in header else f"2 * {use}")
        )
        if outer.startswith("sum") and "x::" in header:
            outer = use
        text = "\n".join([inner, self._function(name, header, [], outer)])
        return Subject(
            text, "declared", frozenset({"declared"} | ({"linear"} if "MetricVector(Real, L" in header else set()))
        )

    # Text

    def _function(self, name: str, header: str, lines: list[str], body: str) -> str:
        if not lines and self._chance(0.7):
            return f"{name}({header}) = {body}"
        return "\n".join([f"function {name}({header})", *(f"    {line}" for line in lines), f"    {body}", "end"])

    def _private(self, name: str, header: str, lines: list[str]) -> str:
        indented = [f"    {line}" for line in lines]
        return "\n".join([f"function {name}({header}, eps::Static()) :: Priv()", *indented, "end"])


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _words(text: str) -> set[str]:
    cleaned = "".join(char if char.isalnum() or char == "_" else " " for char in text)
    return set(cleaned.split())


def _sized(name: str, chance: random.Random) -> Subject:
    """Helpers of vectors whose sizes differ, or must be the same, and which a public or a private number chooses."""
    helper, annotation = f"k{name}", f"MetricVector(Real, {chance.choice(_NORMS)})"
    bodies = (
        "c > 0 ? w : [1.0, 2.0]",
        "c > 0 ? [w[1], w[2]] : w",
        "c > 0 ? 2 * w : w",
        "c > 1 ? w : clamp.(w, 0, 3)",
        "w + [1.0, 2.0]",
        "[w[1], c]",
        "begin u = 2 * w; u - [1.0, 2.0, 3.0] end",
        "c > 0 ? w : map(p -> p - c, w)",
    )
    calls = ("sum({})", "{}", "{}[1]", "{} - v", "length({})", "2 * {} + v", "sum({}) - v[1]", "[{}[1], v[2]]")
    typed = chance.random() < 0.3
    params = f"w::{annotation}, c::{chance.choice(('Real', 'Static()'))}" if typed else "w, c"
    given = chance.choice(("c", "c", "1", "c - 1"))
    body = chance.choice(calls).format(f"{helper}(v, {given})")
    header = f"v::{annotation}, c::{chance.choice(('Static()', 'Static()', 'Real', 'Integer'))}"
    text = f"{helper}({params}) = {chance.choice(bodies)}\n{name}({header}) = {body}\n"
    return Subject(text, "vectors", frozenset({"linear"}))
