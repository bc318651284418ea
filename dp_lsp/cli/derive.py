"""``dp-lsp explain FILE:…``: the derivations of what stands at a place of a file."""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from html import escape
from itertools import chain, groupby

import click

from dp_lsp import cells, frontends
from dp_lsp.accounting.pld import RULE, can_answer
from dp_lsp.analysis.records import PROFILES, Analysis, Explanation, FunctionReport, Options
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.cli.files import Asked, Configured, choose, complaints, passed_over, shown
from dp_lsp.cli.output import write
from dp_lsp.cli.running import Distributions, improved
from dp_lsp.core.notation import decimal, figure
from dp_lsp.engine.check import Engine
from dp_lsp.engine.curves import (
    CurvePoint,
    against_delta,
    against_rounds,
    lowest,
    questions_of_delta,
    questions_of_rounds,
)
from dp_lsp.engine.distributions import report
from dp_lsp.engine.runnable import Certifiable
from dp_lsp.features.derivation import RULES, derivation
from dp_lsp.features.markdown import prose
from dp_lsp.named import NamedTuple
from dp_lsp.text import Place, Span

_LINE = re.compile(r"(?P<path>.+?):(cell (?P<cell>\d+):)?(?P<line>\d+)(:(?P<column>\d+))?", re.DOTALL)


class PlaceInFile(NamedTuple):
    """What to explain in a file: the expression at a line and column, what stands on a line, or a function. In a
    notebook lines may be those of a cell."""

    path: str
    line: int = 0
    column: int = 0
    function: str = ""
    cell: int = 0


def target(text: str) -> PlaceInFile | None:
    """What ``FILE:LINE``, ``FILE:LINE:COLUMN``, both with ``cell 3:`` before the line, and ``FILE:FUNCTION`` mean, read
    from the right; None for anything else."""
    found = _LINE.fullmatch(text)
    if found is not None:
        path, line, column = found["path"], int(found["line"]), int(found["column"] or 0)
        if found["cell"]:
            return PlaceInFile(path, line, column, cell=int(found["cell"]))
        if column and not os.path.exists(path) and os.path.exists(f"{path}:{line}"):
            return PlaceInFile(f"{path}:{line}", column)
        return PlaceInFile(path, line, column)
    path, _, function = text.rpartition(":")
    return PlaceInFile(path, function=function) if path and function else None


def pages(wanted: PlaceInFile, asked: Asked) -> str:
    """The Markdown of all there is to say; a usage error where there is nothing, which says what there is instead."""
    if not os.path.exists(wanted.path):
        raise click.UsageError(f"{wanted.path!r} does not exist")
    if not os.path.isfile(wanted.path) or frontends.find(wanted.path) is None:
        raise click.UsageError(f"{wanted.path!r} is not a {frontends.kinds()}")
    project = _Project(wanted, asked)
    found = "\n".join(project.pages())
    wrong = complaints(asked.settings, project.functions)
    if wrong:
        raise click.UsageError("\n".join(wrong))
    if asked.plot is not None and (code := write(project.plot(), asked.plot)):
        raise click.exceptions.Exit(code)
    return found


class _Project:
    """A file with all it includes."""

    def __init__(self, wanted: PlaceInFile, asked: Asked) -> None:
        chosen = choose([wanted.path], None)
        self._wanted = wanted
        self._files = chosen.files
        (self._root,) = chosen.names
        self._distributions = Distributions()
        self._engine = Engine(self._distributions.answers)
        configured = Configured(None, None, asked.settings, asked.target_delta)
        self._options = configured.options
        projects = {self._root: self._analysed(self._root)}
        self._analyses = improved(self._distributions, projects, self._analysed)[self._root]
        faults = configured.faults(self._analyses)
        if faults:
            raise click.UsageError("\n".join(faults))

    def _analysed(self, root: str) -> dict[str, Analysis]:
        return self._engine.project(root, self._files, self._options)

    def pages(self) -> Iterator[str]:
        """The page of each function that is wanted, or of one expression."""
        if self._wanted.function:
            yield from (self._page(name, each.name_span.start) for name, each in self._called())
        elif self._wanted.column:
            yield self._page(self._root, self._offset(self._wanted.column), expression=True)
        else:
            yield from (self._page(self._root, each.name_span.start) for each in self._on_line())

    def _called(self) -> list[tuple[str, FunctionReport]]:
        """The methods of a function: of the file, or else of what it includes."""
        found = [(name, each) for name, analysis in self._analyses.items() for each in analysis.functions]
        wanted = [(name, each) for name, each in found if each.name == self._wanted.function]
        own = [(name, each) for name, each in wanted if name == self._root]
        if wanted:
            return own or wanted
        if (problem := passed_over(self._analysis)) is not None:
            raise click.UsageError(f"{shown(self._root)}: {problem.message}")
        names = list(dict.fromkeys(each.name for _, each in found))
        near = difflib.get_close_matches(self._wanted.function, names, n=3) or names[:10]
        raise self._nothing(f"there is no function {self._wanted.function!r} in", near)

    def _on_line(self) -> list[FunctionReport]:
        source = self._analysis.source
        found = [
            each
            for each in self._analysis.functions
            if source.place(each.span.start).line <= self._line <= source.place(each.span.end).line
        ]
        if found:
            return found
        places = ((each.name, cells.place(source, each.span.start)) for each in self._analysis.functions)
        names = [f"{name} ({place.words})" for name, place in places]
        raise self._nothing(f"no function stands on {self._where} of", names[:10])

    @property
    def _where(self) -> str:
        """The line that is wanted, in words."""
        return (
            f"cell {self._wanted.cell}, line {self._wanted.line}" if self._wanted.cell else f"line {self._wanted.line}"
        )

    @cached_property
    def _line(self) -> int:
        """The line that is wanted, in the text of the file; of a notebook its cells of code are joined to one."""
        source, wanted = self._analysis.source, self._wanted
        if not wanted.cell:
            if not 1 <= wanted.line <= source.line_count:
                raise click.UsageError(f"{shown(self._root)} has {source.line_count} lines, and no line {wanted.line}")
            return wanted.line
        found = next((each for each in cells.cells(source) if each.number == wanted.cell), None)
        if found is None:
            raise click.UsageError(f"{shown(self._root)} has no cell {wanted.cell} of code")
        count = source.place(found.span.end).line - found.lines
        if not 1 <= wanted.line <= count:
            in_cell = f"cell {wanted.cell} of {shown(self._root)}"
            raise click.UsageError(f"{in_cell} has {count} lines, and no line {wanted.line}")
        return found.lines + wanted.line

    def _offset(self, column: int) -> int:
        return self._analysis.source.offset(Place(self._line, column))

    @property
    def _analysis(self) -> Analysis:
        return self._analyses[self._root]

    def _page(self, name: str, offset: int, expression: bool = False) -> str:
        explained = self._engine.explain(self._root, self._files, (name, offset), expression, self._options)
        if explained is None:
            where = f"column {self._wanted.column} of {self._where} of"
            raise self._nothing(f"no function stands at {where}", [])
        published = self._published(name, offset) if explained.numbers else ()
        explained, remark = self._with_distributions(name, explained)
        analysis = self._analyses[name]
        page = derivation(explained, analysis.source, analysis.language, shown(name), published, remark)
        return page if expression else page + self._witnesses(name, explained.function.span)

    def _with_distributions(self, name: str, explained: Explanation) -> tuple[Explanation, str]:
        """The same with a number by privacy loss distributions for each of its bounds; or why one has none."""
        groups = list(dict.fromkeys(each.parameters for each in explained.numbers if not each.missing))
        answered = {each.parameters for each in explained.numbers if each.rule == RULE}
        if answered.issuperset(groups):
            return explained, ""
        about, known = (name, explained.function.name_span), self._distributions
        listed = self._engine.certifiable(self._root, self._files, self._options)
        bounds = [each for each in listed if (each.file, each.place) == about and each.parameters in groups]
        known.ask_about(bounds)
        answers = ((each.parameters, known.answers(each.question)) for each in bounds)
        found = [report(names, each) for names, each in answers if each is not None and names not in answered]
        sorted_each = (_by_epsilon(group, (*explained.numbers, *found)) for group in groups)
        numbers = *chain.from_iterable(sorted_each), *(each for each in explained.numbers if each.missing)
        silent = len(answered) + len(found) < len(groups)
        return explained._replace(numbers=numbers), known.silence() if silent else ""

    def plot(self) -> str:
        """A plot of the first bound of the function that is wanted."""

        name = self._wanted.function
        listed = self._engine.certifiable(self._root, self._files, self._options)
        found = next((each for each in listed if name and each.function == name), None)
        if found is None:
            raise click.UsageError("a plot is of one function (FILE:FUNCTION) that is proved and has all its numbers")
        by_delta, by_rounds = self._beside(found)
        delta, at = lowest(against_delta(found.charge)), float(found.delta)
        charts = [Chart("The smallest ε that is proved, by total δ", "total δ", delta, True, at, by_delta)]
        rounds = against_rounds(found.charge, found.delta)
        if rounds is not None:
            title = f"The smallest ε that is proved at δ {figure(found.delta)}, by iterations"
            across = "iterations of the longest loop"
            charts.append(Chart(title, across, lowest(rounds.points), False, rounds.actual, by_rounds))
        return picture(f"{name}: privacy of {' with '.join(found.parameters)}", charts)

    def _beside(self, found: Certifiable) -> tuple[tuple[CurvePoint, ...], tuple[CurvePoint, ...]]:
        """What distributions say for both curves of a plot; nothing where a mechanism has no distribution that is
        known."""
        asked = questions_of_delta(found.charge), questions_of_rounds(found.charge, found.delta)
        each = [question for questions in asked for _, question in questions]
        if not all(can_answer(*question) for question in each):
            return (), ()
        self._distributions.ask(question.text for question in each)
        known = self._distributions.answers
        by_delta, by_rounds = (
            tuple(
                CurvePoint(at, float(answer.epsilon), answer.rule)
                for at, question in questions
                if (answer := known(question)) is not None
            )
            for questions in asked
        )
        return by_delta, by_rounds

    def _published(self, name: str, offset: int) -> tuple[NumericReport, ...]:
        """What the published formula comes to for a function."""

        def options(name: str) -> Options:
            return self._options(name)._replace(profile=PROFILES[1])

        found = self._engine.explain(self._root, self._files, (name, offset), False, options)
        return found.numbers if found is not None else ()

    @property
    def functions(self) -> list[FunctionReport]:
        """All functions of the project."""
        return [function for analysis in self._analyses.values() for function in analysis.functions]

    def _witnesses(self, name: str, function: Span) -> str:
        """Inputs that show what a function declares to be too small, below its page; empty where nothing is."""
        if not any(each.refutable and function.covers(each.span.start) for each in self._analyses[name].problems):
            return ""
        from dp_lsp.meaning import missing

        title = "\n## Counterexamples\n"
        if (lacking := missing()) is not None:
            return "\n".join([title, prose(lacking), ""])
        from dp_lsp.meaning.witness import witness

        source = self._analyses[name].source
        found = [
            f"line {source.place(suspect.problem.span.start).line}: {prose(witness(suspect))}"
            for suspect in self._engine.suspects(self._root, self._files, self._options)
            if suspect.file == name and function.covers(suspect.problem.span.start)
        ]
        return "\n".join([title, *(f"- {each}" for each in found), ""])

    def _nothing(self, what: str, instead: list[str]) -> click.UsageError:
        """That there is nothing to explain, and what there is, or what is wrong with the file."""
        there = f"; there is {', '.join(instead)}" if instead else ""
        problem = next((each for each in self._analysis.problems if each.unchecked), None)
        if problem is not None and not self._analysis.functions:
            there = f": {problem.message}"
        return click.UsageError(f"{what} {shown(self._root)}{there}")


def _by_epsilon(group: tuple[str, ...], numbers: tuple[NumericReport, ...]) -> list[NumericReport]:
    """The numbers of a parameter or record, the smallest ε first and ∞ last."""
    found = (each for each in numbers if each.parameters == group and not each.missing)
    return sorted(found, key=lambda each: (each.epsilon is None, each.epsilon or 0))


# ``dp-lsp explain FILE:FUNCTION --plot out.svg``: ε against δ, and against the number of iterations, as a picture.

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
    points: tuple[CurvePoint, ...]
    logarithmic: bool = False
    marked: float | None = None
    beside: tuple[CurvePoint, ...] = ()


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


def _said(point: CurvePoint) -> str:
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

    def _curve(self, points: Sequence[CurvePoint]) -> Iterator[str]:
        """A stroke for each stretch in which one rule is best; strokes meet."""
        before: CurvePoint | None = None
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
