"""``dp-lsp explain FILE:FUNCTION --plot out.svg``: ε against δ, and against the number of iterations, as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape
from itertools import groupby
from typing import NamedTuple

from dp_lsp.core.notation import decimal
from dp_lsp.engine.curves import Point
from dp_lsp.features.derivation import RULES

_WIDTH, _HEIGHT = 720, 340  # of one chart, in pixels
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 24, 52, 62
_DASHES = ("none", "8 4", "2 3", "10 3 2 3", "5 2", "1 4", "12 4")
_STYLE = """
svg { font: 13px system-ui, sans-serif; background: #ffffff; }
text { fill: #1b1f24; } .small { fill: #57606a; } .line { stroke: #57606a; } .grid { stroke: #d0d7de; }
.mark { stroke: #57606a; stroke-dasharray: 3 3; }
.r0 { stroke: #0550ae; } .r1 { stroke: #953800; } .r2 { stroke: #116329; } .r3 { stroke: #8250df; }
.r4 { stroke: #a40e26; } .r5 { stroke: #4d2d00; } .r6 { stroke: #3b2300; }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117; }
  text { fill: #e6edf3; } .small { fill: #9ea7b3; } .line { stroke: #9ea7b3; } .grid { stroke: #30363d; }
  .mark { stroke: #9ea7b3; }
  .r0 { stroke: #79c0ff; } .r1 { stroke: #ffa657; } .r2 { stroke: #7ee787; } .r3 { stroke: #d2a8ff; }
  .r4 { stroke: #ff7b72; } .r5 { stroke: #e3b341; } .r6 { stroke: #f0f6fc; }
}
"""


class Chart(NamedTuple):
    """A curve with the words around it. ``marked`` is where the program itself stands. ``beside`` is another curve, by
    a rule whose numbers nobody can replay."""

    title: str
    across: str
    points: tuple[Point, ...]
    logarithmic: bool = False
    marked: float | None = None
    beside: tuple[Point, ...] = ()


def picture(title: str, charts: Sequence[Chart]) -> str:
    """The charts below each other, as an SVG document that is read out as what it says."""
    height = _HEIGHT * len(charts)
    shown = [f"{chart.title}: {_summary(chart)}" for chart in charts]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(" ".join(shown))}</desc>',
        f"<style>{_STYLE}</style>",
    ]
    for place, chart in enumerate(charts):
        lines += [f'<g transform="translate(0 {place * _HEIGHT})">', *_Drawing(chart).lines(), "</g>"]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _summary(chart: Chart) -> str:
    if not chart.points:
        return "nothing is proved."
    curves = (points for points in (chart.points, chart.beside) if points)
    return f"{'; '.join(' to '.join(map(_said, (points[0], points[-1]))) for points in curves)}."


def _said(point: Point) -> str:
    return f"ε {_number(point.epsilon)} at {_number(float(point.at))} ({_name(point.rule)})"


class _Drawing:
    def __init__(self, chart: Chart) -> None:
        self._chart = chart
        places = [self._place(float(point.at)) for point in chart.points] or [0.0, 1.0]
        self._low, self._high = min(places), max(places)
        if self._low == self._high:
            self._low, self._high = self._low - 1, self._high + 1
        self._steps = _steps(max((point.epsilon for point in chart.points), default=1.0) or 1.0)
        self._rules = list(dict.fromkeys(point.rule for point in (*chart.points, *chart.beside)))

    def _place(self, at: float) -> float:
        if self._chart.logarithmic:
            return math.log10(at) if at > 0 else -math.inf
        return at

    def _x(self, at: float) -> float:
        share = (self._place(at) - self._low) / (self._high - self._low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def _y(self, epsilon: float) -> float:
        return round(_HEIGHT - _BOTTOM - epsilon / self._steps[-1] * (_HEIGHT - _TOP - _BOTTOM), 1)

    def lines(self) -> Iterator[str]:
        """The chart."""
        chart, bottom = self._chart, _HEIGHT - _BOTTOM
        yield _text(_LEFT, 22, chart.title, "", 'font-weight="600"')
        for step in self._steps:
            y = self._y(step)
            yield f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>'
            yield _text(_LEFT - 8, y + 4, _number(step), "small", 'text-anchor="end"')
        for at in self._ticks():
            x = self._x(at)
            yield f'<line class="line" x1="{x}" x2="{x}" y1="{bottom}" y2="{bottom + 5}"/>'
            yield _text(x, bottom + 20, _number(at), "small", 'text-anchor="middle"')
        yield f'<path class="line" fill="none" d="M{_LEFT} {_TOP}V{bottom}H{_WIDTH - _RIGHT}"/>'
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        yield _text(middle, bottom + 44, chart.across, "", 'text-anchor="middle"')
        yield _text(20, _TOP - 10, "ε", "", 'font-style="italic"')
        if chart.marked is not None and self._low <= self._place(chart.marked) <= self._high:
            x = self._x(chart.marked)
            yield f'<line class="mark" x1="{x}" x2="{x}" y1="{_TOP}" y2="{bottom}"/>'
            yield _text(x + 5, bottom - 8, "as given", "small", "")
        yield from self._curve(chart.points)
        yield from self._curve(chart.beside)
        yield from self._legend()

    def _curve(self, points: Sequence[Point]) -> Iterator[str]:
        """A stroke for each stretch in which one rule is best; strokes meet."""
        before: Point | None = None
        for rule, group in groupby(points, key=lambda point: point.rule):
            stretch = [*([before] if before is not None else []), *group]
            places = " ".join(f"{self._x(float(point.at))},{self._y(point.epsilon)}" for point in stretch)
            yield f'<polyline {self._stroke(rule)} points="{places}"/>'
            before = stretch[-1]

    def _stroke(self, rule: str) -> str:
        number = self._rules.index(rule) % len(_DASHES)
        return f'class="r{number}" fill="none" stroke-width="2.5" stroke-dasharray="{_DASHES[number]}"'

    def _legend(self) -> Iterator[str]:
        x: float = _LEFT
        for rule in self._rules:
            name = _name(rule)
            yield f'<line {self._stroke(rule)} x1="{x}" x2="{x + 28}" y1="38" y2="38"/>'
            yield _text(x + 34, 42, name, "small", "")
            x += 50 + 7 * len(name)

    def _ticks(self) -> list[float]:
        if self._chart.logarithmic:
            return [10.0**power for power in range(math.ceil(self._low), math.floor(self._high) + 1, 2)]
        steps = _steps(self._high)
        return [step for step in steps if self._low <= step <= self._high]


def _steps(most: float) -> list[float]:
    """Round numbers from 0 to at least ``most``."""
    size = 10.0 ** math.floor(math.log10(most))
    step = next(each for each in (size / 5, size / 2, size, 2 * size) if most / each <= 6)
    return [place * step for place in range(math.ceil(most / step - 1e-9) + 1)]


def _text(x: float, y: float, text: str, kind: str, more: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{kind}"{" " + more if more else ""}>{escape(text)}</text>'


def _name(rule: str) -> str:
    return RULES.get(rule, rule)


def _number(value: float) -> str:
    return decimal(Fraction(f"{value:.6g}"))
