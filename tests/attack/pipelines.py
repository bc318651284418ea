"""Random functions of datasets of people: records are selected, mapped, bounded, repeated and brought to a number of
them, also by functions that compare datasets in another way, and then a statistic is made of them, under every relation
and with all that may be public."""

from __future__ import annotations

import re

from .choices import Choices

_METRICS = ("Symmetric", "ChangeOne", "InsertDelete", "Hamming")
_SIZED = ("ChangeOne", "Hamming")
_UNORDERED = {"InsertDelete": "Symmetric", "Hamming": "ChangeOne"}
_BOUNDED = ("Bounded(Real, -1, 2)", "Bounded(Integer, 0, 3)", "Bounded(Real, L, 2)", "Bounded(Real, -3, 0.5)")
_ELEMENTS = (*_BOUNDED, *_BOUNDED, "Real", "Integer", "Bool", "Data")
_PREDICATES = ("x > 0", "x <= 1", "x == 2", "x > 0.5 && x < 2", "true")
_MAPS = (
    "2 * x",
    "clamp(x, -1, 1)",
    "clamp(3 * x, 0, 4)",
    "abs(x)",
    "1 - clamp(x, 0, 2)",
    "max(x, 0.5)",
    "x > 0 ? 1.0 : 2.0",
)
_STATISTICS = (
    *("length({v})", "count(x -> x > 0, {v})", "count_distinct({v})", "sum({v})", "mean({v})", "mean({v})"),
    *(
        "var({v})",
        "var({v}; corrected=false)",
        "squared_deviations({v})",
        "median({v})",
        "maximum({v})",
        "minimum({v})",
    ),
    *("partialsort({v}, 2)", "quantile({v}, 0.25)", "quantile({v}, 0.9)", "quantile({v}, alpha)"),
    *("sum({v}) % 2", "maximum(histogram({v}, [0, 2, -1, 1]))", "sum(cumulative_counts({v}, 0:2))"),
    *("histogram({v}, [-1, 0, 2])", "cumulative_counts({v}, [0, 1])", "quantile_score({v}, 0.25, [0, 1])", "{v}"),
)
_PLACES = ("{v}[1]", "{v}[2]", "{v}[1] - {v}[2]", "clamp({v}[2], -1, 1)", "{v}[1] > 0", "{v}[n]", "sum({v}[1:2])")
_PLACES_OF_ROWS = ("{v}[1, 1]", "{v}[2, :]", "{v}[1, :]", "sum({v}[1, :])", "clamp({v}[1, 2], 0, 1)")
_OF_ROWS = (
    *("sum({v}; dims=1)", "sum(clip(L1, 2, {v}); dims=1)", "sum(clip(LInf, 1, {v}); dims=1)"),
    *("covariance({v}, 1, 2)", "covariance({v}, 1, 2; corrected=false)", "cross_deviations({v}, 1, 2)"),
    *(
        "covariance({v}, 1, 1)",
        "mean(map_rows(r -> clamp(r[1], 0, 2), {v}))",
        "sum(map_rows(r -> clamp(r[1], 0, 2), {v}))",
    ),
    *("count_rows(r -> r[1] > r[2], {v})", "size(filter_rows(r -> r[1] > 0, {v}), 1)", "mean({v}[:, 2])"),
    *("sum(repeat({v}, 2)[:, 1])", "sum(clamp(filter_rows(r -> r[1] > 0, {v})[:, 2], -1, 1))", "count_distinct({v})"),
)
_COMBINED = (
    "{a} + {b}",
    "2 * {a} - {b}",
    "[{a}, {b}]",
    "min({a}, {b})",
    "{a} / 4",
    "clamp({a}, 0, 1) + {b}",
    "{a} * {b}",
)
_NUMBERS = ("2", "3", "1", "n")


class Pipelines:
    """Writes one program, of which ``f`` is the last function."""

    def __init__(self, source: Choices) -> None:
        self._source = source
        self._names: set[str] = set()
        self._helpers: list[str] = []

    def program(self) -> str:
        """A function ``f``, after those that it calls."""
        metric, rows = self._source.choice(_METRICS), self._source.random() > 0.75
        annotation = self._annotation(metric, rows)
        of_rows = self._statistic(metric, "v", rows)
        body = of_rows
        if not rows and self._source.random() > 0.7:
            body = self._source.choice(_COMBINED).format(a=of_rows, b=self._statistic(metric, "v", rows))
        header = ", ".join([f"v::{annotation}", *self._statics(annotation + body)])
        return "\n".join([*self._helpers, f"f({header}) = {body}"]) + "\n"

    def _statics(self, text: str) -> list[str]:
        """The public numbers that are mentioned."""
        kinds = {"n": "Static(Integer)", "L": "Static()", "alpha": "Static()"}
        found = [each for each in kinds if re.search(rf"\b{each}\b", text)]
        return [f"{each}::{kinds[each]}" for each in found]

    def _annotation(self, metric: str, rows: bool, each: bool = True) -> str:
        said = [self._source.choice(("Bool", "Real", *_BOUNDED, *_BOUNDED) if rows else _ELEMENTS), metric]
        if metric in _SIZED and self._source.random() > 0.3:
            said.append(f"Size({self._source.choice(('4', '3', '2', '5', 'n'))})")
        if metric not in _SIZED and self._source.random() > 0.2:
            said.append(f"AtLeast({self._source.choice(('2', '3', '1', 'n', '0'))})")
        if rows and not said[0].startswith("Bounded") and self._source.random() > 0.3:
            said.append(f"RowNorm({self._source.choice(('L1', 'L2', 'LInf'))}, 2)")
        if each and self._source.random() > 0.4:
            said.append(f"Contributes({self._source.choice(('2', '3', '5'))})")
        return f"Metric{'Matrix' if rows else 'Vector'}({', '.join(said)})"

    def _statistic(self, metric: str, name: str, rows: bool) -> str:
        """A statistic of what was made of records, here or in a function that is called."""
        if rows:
            return self._source.choice(_OF_ROWS + _PLACES_OF_ROWS * (metric in _UNORDERED)).format(v=name)
        text = name
        for _ in range(self._source.choice((0, 0, 1, 1, 2, 3))):
            text, metric = self._changed(text, metric)
        if self._source.random() > 0.75:
            return self._called(text, metric)
        return self._source.choice(_STATISTICS + _PLACES * (metric in _UNORDERED)).format(v=text)

    def _changed(self, text: str, metric: str) -> tuple[str, str]:
        bag = {"ChangeOne": "Symmetric", "Hamming": "InsertDelete"}.get(metric, metric)
        return self._source.choice(
            (
                (f"filter(x -> {self._source.choice(_PREDICATES)}, {text})", bag),
                (f"map(x -> {self._source.choice(_MAPS)}, {text})", metric),
                (f"clamp({text}, {self._source.choice(('-1', '0', 'L'))}, 2)", metric),
                (f"resize({text}, {self._source.choice(_NUMBERS)}, {self._source.choice(('0', '0.5'))})", "ChangeOne"),
                (f"unique({text})", "Symmetric"),
                (f"repeat({text}, {self._source.choice(_NUMBERS)})", metric),
            )
        )

    def _called(self, text: str, metric: str) -> str:
        """A function that takes such datasets, or counts their steps in another way."""
        name = f"g{len(self._helpers)}"
        wanted = [metric, _UNORDERED.get(metric, metric)]
        if metric in _SIZED:
            wanted += ["Symmetric", "InsertDelete" if metric == "Hamming" else "Symmetric"]
        metric = self._source.choice(wanted)
        annotation = self._annotation(metric, rows=False)
        body = self._source.choice(_STATISTICS + _PLACES * (metric in _UNORDERED)).format(v="w")
        statics = self._statics(annotation + body)
        self._helpers.append(f"{name}({', '.join([f'w::{annotation}', *statics])}) = {body}")
        values = {"n": "n", "L": "L", "alpha": "alpha"}
        given = [values[each.partition("::")[0]] for each in statics]
        return f"{name}({', '.join([f'clamp({text}, -1, 2)', *given])})"
