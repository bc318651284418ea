"""Random functions of datasets of people who have several records, under every relation: statistics of them, noise on
these, and calls of functions that count other persons, or records. Some declare too little, and are refused."""

from __future__ import annotations

import re
from typing import NamedTuple

from .choices import Choices

_METRICS = ("Symmetric", "ChangeOne", "InsertDelete", "Hamming")
_EPSILONS = ("1", "0.5", "2", "0.1")


def contributes(text: str) -> int:
    """How many records a person has where no annotation says it, as the first line of a program says."""
    said = re.match(r"# contributes = (\d+)", text)
    return int(said[1]) if said else 1


class _Statistic(NamedTuple):
    """A statistic of ``{v}``, how far it moves by a step where the number of records is private and where it is public,
    and whether it is ``bounded``: it cannot move further than by that, however many steps there are."""

    written: str
    unsized: int
    sized: int
    bounded: bool = False

    @property
    def is_truth(self) -> bool:
        return self.bounded and self.written.endswith(" > 1")


_NUMBERS = (
    _Statistic("length({v})", 1, 0),
    _Statistic("count(x -> x > 1, {v})", 1, 1),
    _Statistic("sum(clamp({v}, -1, 2))", 2, 3),
    _Statistic("sum(map(x -> clamp(2 * x, 0, 3), {v}))", 3, 3),
    _Statistic("sum(filter(x -> x > 0, clamp({v}, -1, 2)))", 2, 4),
    _Statistic("length(unique({v}))", 1, 2),
    _Statistic("2 * sum(clamp({v}, 0, 1)) - count(x -> x > 0, {v})", 3, 3),
    _Statistic("sum(clamp(resize({v}, 2, 0), 0, 1))", 2, 2),
    _Statistic("length({v}) > 1", 1, 0, bounded=True),
    _Statistic("count(x -> x > 1, {v}) > 1", 1, 1, bounded=True),
    _Statistic("mean(clamp({v}, 0, 4))", 4, 4, bounded=True),
    _Statistic("var(clamp({v}, 0, 2); corrected=false)", 1, 1, bounded=True),
    _Statistic("median(clamp({v}, 0, 4))", 4, 4, bounded=True),
)
_VECTORS = (
    _Statistic("histogram({v}, [-1, 0, 2])", 1, 2),
    _Statistic("cumulative_counts({v}, [0, 1])", 2, 2),
    _Statistic("[length({v}), 2 * count(x -> x > 0, {v})]", 3, 2),
)


class Persons:
    """Writes one program, of which ``f`` is the last function."""

    def __init__(self, source: Choices) -> None:
        self._source = source
        self._metric = source.choice(_METRICS)
        self._default = source.choice((1, 1, 1, 2, 3))
        self._sized = self._metric in ("ChangeOne", "Hamming")

    def program(self) -> str:
        """Perhaps with a function that ``f`` calls, and one that it hands on."""
        lines = [f"# contributes = {self._default}"] if self._default > 1 else []
        return (
            "\n".join([*lines, *self._source.choice((self._plain, self._called, self._summed, self._handed))()]) + "\n"
        )

    def _data(self) -> tuple[str, int]:
        """The annotation of a dataset, and how many records of it a person has."""
        records = self._source.choice((0, 2, 3, 1))
        said = f", Contributes({records})" if records else ""
        said += "" if self._sized else ", AtLeast(2)"
        return f"MetricVector(Real, {self._metric}{said})", records or self._default

    def _moved(self, statistic: _Statistic, records: int) -> int:
        step = statistic.sized if self._sized else statistic.unsized
        return step if statistic.bounded else step * records

    def _plain(self) -> list[str]:
        data, records = self._data()
        return [f"function f(v::{data}) :: Priv()", *self._released("v", records), "end"]

    def _called(self) -> list[str]:
        """A private function of other persons is called, also of each record twice."""
        inner, counted = self._data()
        data, _ = self._data()
        given = self._source.choice(("v", "clamp(v, -1, 2)", "repeat(v, 2)", "filter(x -> x < 3, v)"))
        again = ["    g(v)"] if self._source.random() > 0.7 else []
        return [
            *(f"function g(v::{inner}) :: Priv()", *self._released("v", counted), "end"),
            *(f"function f(v::{data}) :: Priv()", *again, f"    g({given})", "end"),
        ]

    def _summed(self) -> list[str]:
        """A function of other persons says a statistic."""
        inner, counted = self._data()
        data, records = self._data()
        statistic = self._source.choice(_NUMBERS)
        moved = self._moved(statistic, counted)
        if statistic.bounded:
            most = moved * max(1, -(-records // counted))
        else:
            most = moved * records // counted + (moved * records % counted > 0)
        epsilon = self._source.choice(_EPSILONS)
        return [
            f"h(v::{inner}) = {statistic.written.format(v='v')}",
            *(
                f"function f(v::{data}) :: Priv()",
                *self._noised("h(v)", max(1, most), epsilon, statistic.is_truth),
                "end",
            ),
            f"e(v::{data}) = h(v)",
        ]

    def _handed(self) -> list[str]:
        """A function that is handed on is known only where it is called."""
        inner, counted = self._data()
        middle, _ = self._data()
        data, _ = self._data()
        return [
            *(f"function g(v::{inner}) :: Priv()", *self._released("v", counted), "end"),
            *(f"function h(v::{middle}, M::PrivacyFunction) :: Priv()", "    M(v)", "end"),
            *(f"function f(v::{data}) :: Priv()", "    h(v, g)", "end"),
        ]

    def _released(self, name: str, records: int) -> list[str]:
        epsilon = self._source.choice(_EPSILONS)
        if self._source.random() > 0.6:
            vector = self._source.choice(_VECTORS)
            most = max(1, self._moved(vector, records))
            kinds = (f"laplacian_mechanism({most}, {epsilon}, {{}})", f"report_noisy_max({most}, {epsilon}, {{}})")
            kinds += (f"gaussian_mechanism({most}, 0.5, 0.01, {{}})",)
            return [f"    {self._source.choice(kinds).format(vector.written.format(v=name))}"]
        statistic = self._source.choice(_NUMBERS)
        most = max(1, self._moved(statistic, records))
        return self._noised(statistic.written.format(v=name), most, epsilon, statistic.is_truth)

    def _noised(self, text: str, most: int, epsilon: str, truth: bool) -> list[str]:
        less = self._source.random() > 0.9
        declared = max(1, most - less)
        if truth:
            return [f"    randomized_response({epsilon}, {text})"]
        if self._source.random() > 0.8:
            return [f"    gaussian_mechanism({declared}, 0.5, 0.01, [{text}])"]
        return [f"    laplacian_mechanism({declared}, {epsilon}, {text})"]
