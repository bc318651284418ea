"""The report for a person: every problem in its source text, then what each function guarantees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from dp_lsp.analysis.records import Analysis, FunctionReport, State
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.cli.files import shown as shown_path
from dp_lsp.cli.files import to_file
from dp_lsp.cli.reporters.checked import CAUTION, Checked, inside, sentence, statistics_table
from dp_lsp.cli.style import Link, Paint, cell, padded, path_shown, printable, unlinked, width
from dp_lsp.features.markdown import together
from dp_lsp.problem import Problem, Related, Severity, There
from dp_lsp.text import Source, Span

_LABEL = 60  # characters that stand beside a place; what is longer stands below
_FEW = 8  # functions whose whole types are still read, when there are several files
_WIDEST = 40  # columns of a cell of the table


def lines(run: Checked) -> Iterator[str]:
    """The whole report."""
    return FullReport(run.paint, run.columns, run.link).lines(run)


class FullReport:
    """Writes files and their problems for a person. ``columns`` is what the terminal has room for."""

    def __init__(self, paint: Paint, columns: int, link: Link = unlinked) -> None:
        self._paint = paint
        self._columns = columns
        self._link = link
        self._sources: dict[str, Source] = {}

    def lines(self, run: Checked) -> Iterator[str]:
        """The whole report."""
        files, analyses = run.files, run.analyses
        self._sources = {path: analysis.source for path, analysis in files}
        for path, analysis in files:
            for problem in analysis.problems:
                yield from self.problem(problem, analysis, path)
                yield ""
        whole = len(files) == 1 or sum(len(analysis.functions) for analysis in analyses) <= _FEW
        for path, analysis in files:
            yield from self.functions(analysis, path, whole)
            yield ""
        if run.statistics and any(analysis.problems for analysis in analyses):
            yield from statistics_table(analyses, self._paint)
            yield ""
        if run.published:
            yield self._paint(CAUTION, "warning")
        yield f"{sentence(analyses, self._paint)}   {run.seconds:.2f} s"

    def problem(self, problem: Problem, analysis: Analysis, path: str) -> Iterator[str]:
        """A problem with its place in the source text, what led to it, and what to do."""
        severity = problem.severity.value
        title = self._paint(f"{severity}[{self._link(problem.code, problem.url)}]", severity)
        yield f"{title}: {self._paint(printable(problem.message), 'strong')}"
        gutter, lines = _excerpt(analysis.source, _marks(problem, analysis.source), self._paint, self._columns)
        margin = " " * gutter
        line, column = analysis.source.place(problem.span.start)
        yield f"{margin} {self._paint('┌─', 'rule')} {self._place(path, line, column)}"
        if analysis.source.text:
            yield from lines
        yield from self._elsewhere(problem, margin)
        equals = f"{margin} {self._paint('=', 'rule')}"
        for message in _own(problem):
            if len(message) > _LABEL:
                yield f"{equals} {printable(message)}"
        for fix in problem.fixes:
            yield f"{equals} fix available: {printable(fix.title)}"
        yield f"{equals} more: dp-lsp explain {problem.code}"

    def _place(self, path: str, line: int, column: int) -> str:
        return to_file(self._link, f"{path_shown(path)}:{line}:{column}", path)

    def _elsewhere(self, problem: Problem, margin: str) -> Iterator[str]:
        """The places in other files, each with its line."""
        found = [(related.message, related.where) for related in problem.related if isinstance(related.where, There)]
        for file, group in groupby(found, key=lambda each: each[1].file):
            path, places = shown_path(file), list(group)
            _, _, line, before, _ = places[0][1]
            yield f"{margin} {self._paint('┌─', 'rule')} {self._place(path, line, len(before) + 1)}"
            if path in self._sources:
                marks = [_Mark(there.span, message, "-", "related") for message, there in places]
                yield from _excerpt(self._sources[path], marks, self._paint, self._columns, len(margin))[1]

    def functions(self, analysis: Analysis, path: str, whole: bool) -> Iterator[str]:
        """The table of a file's functions; ``whole`` adds to each its type and what that depends on."""
        title = to_file(self._link, self._paint(path_shown(path), "strong"), path)
        if not analysis.functions:
            state = self._paint(analysis.state.value, analysis.state.value)
            yield f"{title}  {state}{'  no functions' if analysis.state is State.PROVED else ''}"
            return
        yield title
        rows = [_Row(function, _codes(function, analysis), whole, analysis.source) for function in analysis.functions]
        names = min(_WIDEST, max(width(row.name) for row in rows))
        columns = max((width(bound) for row in rows if not row.wide for bound in row.bounds), default=0)
        for number, row in enumerate(rows):
            if number and (row.detail or rows[number - 1].detail):
                yield ""
            yield from self._row(row, names, columns)
            yield from row.detail

    def _row(self, row: _Row, names: int, columns: int) -> Iterator[str]:
        state = row.function.state.value
        head = f"  {padded(row.name, names)}   {self._paint(f'{state:<7}', state)}   "
        if row.wide:
            yield (head + row.notes).rstrip()
            yield from (f"      {bound}" for bound in row.bounds)
            return
        first, *others = row.bounds or [""]
        yield f"{head}{padded(first, columns)}   {row.notes}".rstrip()
        yield from (" " * (names + 15) + other for other in others)


class _Row:
    """A function as a row of the table. Bounds that are ``wide`` stand below it, ε and δ in lines of their own."""

    def __init__(self, function: FunctionReport, codes: str, whole: bool, source: Source) -> None:
        self.function = function
        self.name = printable(function.name)
        assumes = ", ".join(f"`{name}`" for name in function.assumes) if function.state is State.PROVED else ""
        boxes = f"assuming {printable(assumes)}" if assumes else ""
        notes = (", ".join(function.mechanisms), boxes, printable(function.reason), codes)
        self.notes = "   ".join(filter(None, notes))
        bounds = _bounds(function)
        self.wide = any(width(bound.line) > _WIDEST for bound in bounds)
        self.bounds = [line for bound in bounds for line in (bound.unfolded if self.wide else [bound.line])]
        known = function.state is not State.UNKNOWN  # else there is nothing to hold under conditions
        self.detail = list(_detail(function, source)) if whole and known else []


class _Bound(NamedTuple):
    """What is said of neighbours: their names, and what stands before and after them, in parts that may stand below
    each other."""

    before: str
    names: str
    parts: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        return f"{self._head}{'  '.join(self.parts)}"

    @property
    def unfolded(self) -> list[str]:
        """One quantity a line."""
        first, *others = self.parts or ("",)
        return [self._head + first, *(" " * width(self._head) + other for other in others)]

    @property
    def _head(self) -> str:
        return f"{self.before}{self.names}{': ' if self.parts else ''}"


def _detail(function: FunctionReport, source: Source) -> Iterator[str]:
    """The type of a function, and what it holds under."""
    free = {variable.name: variable for bound in function.bounds for variable in bound.free}
    type_ = function.display.splitlines() if function.kind != "blackbox" else []
    blocks = {
        "": [printable(line) for line in type_],
        "hides": [printable(line) for line in _hidden(function)],
        "holds if": [printable(condition.text) for condition in function.conditions],
        "where you choose": [printable(f"{each.range}   {each.meaning}") for each in free.values()],
        "with these numbers": list(_numbers(function)),
        "what spends it, by basic composition": list(_spending(function, source)),
    }
    for title, lines in blocks.items():
        if lines:
            yield ""
            if title:
                yield f"      {title}"
            yield from (f"      {'  ' if title else ''}{line}".rstrip() for line in lines)


def _hidden(function: FunctionReport) -> Iterator[str]:
    """In what inputs differ that a private function hides from each other, and what of their size is public; parameters
    of which the same is said as one."""
    for (neighbours, public), group in groupby(function.parameters, key=lambda each: (each.neighbours, each.public)):
        if neighbours:
            sizes = f"; public: {', '.join(public)}" if public else ""
            yield f"{', '.join(each.name for each in group)}: {neighbours}{sizes}"


def _codes(function: FunctionReport, analysis: Analysis) -> str:
    """The problems in a function, by code."""
    found = inside(function, analysis)
    errors = dict.fromkeys(each.code for each in found if each.severity is Severity.ERROR)
    warnings = dict.fromkeys(each.code for each in found if each.severity is Severity.WARNING)
    words = (("see", errors), ("note", warnings))
    return "   ".join(f"{word} {', '.join(codes)}" for word, codes in words if codes)


def _here(problem: Problem) -> list[Related]:
    """The places in the same file."""
    return [related for related in problem.related if related.where is None]


def _own(problem: Problem) -> list[str]:
    """What else is said about the very place of a problem."""
    return [each.message for each in _here(problem) if each.span == problem.span]


def _marks(problem: Problem, source: Source) -> list[_Mark]:
    """What to underline: the place itself first, labelled by what is related to the very same place. Of other
    places of several lines, such as a loop, the first line says enough."""
    label = next((message for message in _own(problem) if len(message) <= _LABEL), "")
    others = [related for related in _here(problem) if related.span != problem.span]
    return [
        _Mark(problem.span, label, "^", problem.severity.value),
        *(_Mark(_first_line(related.span, source), related.message, "-", "related") for related in others),
    ]


def _first_line(span: Span, source: Source) -> Span:
    return Span(span.start, min(span.end, source.line_span(source.place(span.start).line).end))


def _bounds(function: FunctionReport) -> list[_Bound]:
    """What each parameter costs, or how far the result moves with it; neighbours that say the same as one."""
    if function.kind == "blackbox":
        return [_Bound("a black box: not checked", "")]
    result = []
    for (static, parts), group in groupby(function.parameters, key=lambda each: (each.static, each.parts)):
        names = ", ".join(printable(parameter.name) for parameter in group)
        said = tuple(map(printable, parts))
        if static:
            result.append(_Bound("", names, ("static",)))
        elif function.kind == "sensitivity" and function.state is not State.UNKNOWN:
            result.append(_Bound(f"{said[0]} in ", names))
        else:
            result.append(_Bound("", names, said))
    return result


def _numbers(function: FunctionReport) -> Iterator[str]:
    """The bounds as numbers; neighbours that say the same as one."""
    for numeric, group in groupby(function.numeric, key=lambda each: each._replace(parameters=())):
        yield _number(", ".join(together(each.parameters) for each in group), numeric)


def _spending(function: FunctionReport, source: Source) -> Iterator[str]:
    """What each line spends, where several do; parameters that pay the same are said together."""
    if not function.spending:
        return
    from dp_lsp.core.notation import percentage  # which loads all of the types

    same: dict[tuple[str, ...], list[str]] = {}
    for parameters in dict.fromkeys(each.parameters for each in function.spending):
        lines = (
            f"line {source.place(each.span.start).line}  {each.name}  {each.shown}{percentage(each.share)}"
            for each in function.spending
            if each.parameters == parameters
        )
        same.setdefault(tuple(lines), []).append(" with ".join(parameters))
    for found, names in same.items():
        yield from (printable(f"{', '.join(names)}: {line}") for line in found)


def _number(names: str, numeric: NumericReport) -> str:
    if numeric.missing:
        return printable(f"{names}: a number is missing for {', '.join(numeric.missing)} (--set NAME=NUMBER)")
    from dp_lsp.core.notation import decimal

    epsilon, delta = decimal(numeric.epsilon), decimal(numeric.delta)
    return printable(f"{names}: ε {epsilon}  δ {delta}   ({numeric.rule})")


_BEFORE = 16  # columns kept in front of the first mark of a line that is cut
_CUT = "…"


class _Mark(NamedTuple):
    """A place to underline, with what to say about it. ``sign`` is what the line is drawn with."""

    span: Span
    label: str
    sign: str
    role: str


class _Stroke(NamedTuple):
    """A mark on one line, in columns from 0, the end excluded."""

    start: int
    end: int
    label: str
    sign: str
    role: str


def _excerpt(
    source: Source, marks: Sequence[_Mark], paint: Paint, columns: int, gutter: int = 0
) -> tuple[int, list[str]]:
    """The lines that the marks touch with underlines below them, and how wide their line numbers are: at least
    ``gutter``."""
    lines: dict[int, list[_Mark]] = {}
    for mark in marks:
        for line in _lines(source, mark.span):
            lines.setdefault(line, []).append(mark)
    gutter = max(gutter, len(str(max(lines))))
    rule = paint("│", "rule")
    blank = f"{' ' * gutter} {rule}"
    out: list[str] = []
    for number in _with_gaps(sorted(lines)):
        if number is None:
            out.append(paint(_CUT.rjust(gutter), "rule"))
            continue
        text, strokes = _laid_out(source, number, lines.get(number, []), columns - gutter - 3)
        out.append(f"{paint(str(number).rjust(gutter), 'rule')} {rule} {text}".rstrip())
        out += [f"{blank} {row}" for row in _underlines(strokes, paint)]
    return gutter, out


def _lines(source: Source, span: Span) -> Iterable[int]:
    """The lines to show of a place: all of a short one, the first and last of a long one."""
    first = source.place(span.start).line
    last = _last_line(source, span)
    return range(first, last + 1) if last - first < 3 else (first, last)


def _last_line(source: Source, span: Span) -> int:
    return source.place(max(span.start, span.end - 1)).line


def _with_gaps(numbers: list[int]) -> Iterator[int | None]:
    """Line numbers with None for a gap; a single line between two is shown instead."""
    for before, number in zip([number - 1 for number in numbers[:1]] + numbers, numbers, strict=False):
        if number - before == 2:
            yield number - 1
        elif number - before > 2:
            yield None
        yield number


def _laid_out(source: Source, number: int, marks: Iterable[_Mark], columns: int) -> tuple[str, list[_Stroke]]:
    """A line as it is printed, cut to ``columns`` around its marks, and its strokes."""
    start, end = source.line_span(number)
    cells, at = _cells(source.text[start:end])
    strokes = []
    for mark in marks:
        comes_in = mark.span.start < start
        low = len(cells) - len(source.text[start:end].lstrip()) if comes_in else mark.span.start - start
        high = min(mark.span.end - start, len(cells))
        if high <= low and comes_in:
            continue
        first = at[min(low, len(cells))]
        label = printable(mark.label) if _last_line(source, mark.span) == number else ""
        strokes.append(_Stroke(first, max(at[high], first + 1), label, mark.sign, mark.role))
    if at[-1] <= columns:
        return "".join(cells), strokes
    return _cut(cells, at, strokes, columns)


def _cells(text: str) -> tuple[list[str], list[int]]:
    """What is printed for each character, and the column each starts in, that of the end included."""
    cells, at, column = [], [], 0
    for character in text:
        shown, size = cell(character, column)
        cells.append(shown)
        at.append(column)
        column += size
    return cells, [*at, column]


def _cut(cells: list[str], at: list[int], strokes: list[_Stroke], columns: int) -> tuple[str, list[_Stroke]]:
    room = columns - 2 * len(_CUT)
    first = strokes[0].start if strokes else 0  # the first given is what the excerpt is about
    fits = not strokes or strokes[0].end <= room
    low = 0 if fits else max(0, min(first - _BEFORE, at[-1] - room))
    inside = [i for i, start in enumerate(at[:-1]) if low <= start and at[i + 1] <= low + room]
    before, after = _CUT if inside[0] else "", _CUT if inside[-1] + 1 < len(cells) else ""
    shift, end = at[inside[0]] - len(before), at[inside[-1] + 1]

    def moved(column: int) -> int:
        return min(max(column, shift), end) - shift

    moved_strokes = [
        stroke._replace(start=moved(stroke.start), end=max(moved(stroke.end), moved(stroke.start) + 1))
        for stroke in strokes
    ]
    return before + "".join(cells[i] for i in inside) + after, moved_strokes


def _underlines(strokes: Sequence[_Stroke], paint: Paint) -> Iterator[str]:
    """The rows below a line. Strokes that overlap are drawn below each other, the first given highest."""
    layers: list[list[_Stroke]] = []
    for stroke in strokes:
        for layer in layers:
            if all(stroke.end < other.start or other.end < stroke.start for other in layer):
                layer.append(stroke)
                break
        else:
            layers.append([stroke])
    for layer in layers:
        yield from _rows(sorted(layer), paint)


def _rows(strokes: list[_Stroke], paint: Paint) -> Iterator[str]:
    """One row of strokes; the last one's label stands beside it, the others hang below."""
    for i, stroke in enumerate(strokes):  # what is said of several places is said once, at the last
        if any(stroke.label == later.label for later in strokes[i + 1 :]):
            strokes[i] = stroke._replace(label="")
    drawn = [(s.start, s.sign * (s.end - s.start), s.role) for s in strokes]
    last = strokes[-1]
    yield _row([*drawn, (last.end + 1, last.label, last.role)], paint)
    hanging = [(s.start, "│", s.role, s.label) for s in strokes[:-1] if s.label]
    if hanging:
        yield _row([piece[:3] for piece in hanging], paint)
    while hanging:
        start, _, role, label = hanging.pop()
        yield _row([*(piece[:3] for piece in hanging), (start, label, role)], paint)


def _row(pieces: Iterable[tuple[int, str, str]], paint: Paint) -> str:
    """Texts at their columns. Only the last one may have characters that are not one column wide."""
    out, column = "", 0
    for start, text, role in pieces:
        if text:
            out += " " * (start - column) + paint(text, role)
            column = start + len(text)
    return out
