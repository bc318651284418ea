"""The report for a person: every problem in its source text, then what each function guarantees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from dp_lsp.analysis.records import Analysis, FunctionReport, State, reported
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.cells import CellPlace, cell_at, is_joined, place
from dp_lsp.cli.files import shown as shown_path
from dp_lsp.cli.files import to_file
from dp_lsp.cli.reporters.checked import CAUTION, Checked, count, inside, sentence, statistics_table
from dp_lsp.cli.style import Link, Paint, cell, padded, path_shown, printable, unlinked, width
from dp_lsp.features.markdown import together
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Related, Severity, There
from dp_lsp.text import Source, Span

_LABEL = 60  # characters that stand beside a place; what is longer stands below
_WIDEST = 40  # columns of a cell of the table
_INDENT = 6  # columns before what belongs to a function and stands below it
_BETWEEN = "   "


def lines(run: Checked) -> Iterator[str]:
    """The whole report."""
    return FullReport(run.paint, run.columns, run.link, run.verbose).lines(run)


class FullReport:
    """Writes files and their problems for a person. ``columns`` is what the terminal has room for; one that is
    ``verbose`` adds to each function its type and what it holds under."""

    def __init__(self, paint: Paint, columns: int, link: Link = unlinked, verbose: bool = False) -> None:
        self._paint = paint
        self._columns = columns
        self._link = link
        self._verbose = verbose
        self._sources: dict[str, Source] = {}
        self._told: set[str] = set()

    def lines(self, run: Checked) -> Iterator[str]:
        """The whole report."""
        files, analyses = run.files, run.analyses
        self._sources = {path: analysis.source for path, analysis in files}
        for path, analysis in files:
            for problem in analysis.problems:
                yield from self.problem(problem, analysis, path)
                yield ""
        for path, analysis in reported(files, lambda each: each[1].state):
            yield from self.functions(analysis, path)
            yield ""
        if run.statistics and any(analysis.problems for analysis in analyses):
            yield from statistics_table(analyses, self._paint)
            yield ""
        if run.published:
            yield self._paint(CAUTION, "warning")
        if not self._verbose and any(each.open_conditions for analysis in analyses for each in analysis.functions):
            yield "types and conditions: --verbose, or dp-lsp explain FILE:FUNCTION"
        yield f"{sentence(analyses, self._paint)}   {run.seconds:.2f} s"

    def problem(self, problem: Problem, analysis: Analysis, path: str) -> Iterator[str]:
        """A problem with its place in the source text, what led to it, and what to do."""
        severity = problem.severity.value
        title = self._paint(f"{severity}[{self._link(problem.code, problem.url)}]", severity)
        yield f"{title}: {self._paint(printable(problem.message), 'strong')}"
        gutter, lines = _excerpt(analysis.source, _marks(problem, analysis.source), self._paint, self._columns)
        margin = " " * gutter
        at = place(analysis.source, problem.span.start)
        yield f"{margin} {self._paint('┌─', 'rule')} {self._place(path, at)}"
        if analysis.source.text:
            yield from lines
        yield from self._elsewhere(problem, margin)
        equals = f"{margin} {self._paint('=', 'rule')}"
        for message in _own(problem):
            if len(message) > _LABEL:
                yield f"{equals} {printable(message)}"
        for fix in problem.fixes:
            yield f"{equals} fix available: {printable(fix.title)}"
        if problem.code not in self._told:
            self._told.add(problem.code)
            yield f"{equals} more: dp-lsp explain {problem.code}"

    def _place(self, path: str, at: CellPlace) -> str:
        return to_file(self._link, f"{path_shown(path)}:{at}", path)

    def _elsewhere(self, problem: Problem, margin: str) -> Iterator[str]:
        """The places in other files, each with its line."""
        found = [(related.message, related.where) for related in problem.related if isinstance(related.where, There)]
        for file, group in groupby(found, key=lambda each: each[1].file):
            path, places = shown_path(file), list(group)
            _, _, line, before, _ = places[0][1]
            yield f"{margin} {self._paint('┌─', 'rule')} {self._place(path, CellPlace(None, line, len(before) + 1))}"
            if path in self._sources:
                marks = [_Mark(there.span, message, "-", "related") for message, there in places]
                yield from _excerpt(self._sources[path], marks, self._paint, self._columns, len(margin))[1]

    def functions(self, analysis: Analysis, path: str) -> Iterator[str]:
        """The table of a file's functions."""
        title = to_file(self._link, self._paint(path_shown(path), "strong"), path)
        if not analysis.functions:
            state = self._paint(analysis.state.value, analysis.state.value)
            yield f"{title}  {state}{'  no functions' if analysis.state is State.PROVED else ''}"
            return
        yield title
        found = reported(analysis.functions, lambda each: each.state)
        names = min(_WIDEST, max(width(printable(each.name)) for each in found))
        short = (width(_bound(each)) for each in found)
        columns = max((each for each in short if each <= _WIDEST), default=0)
        for number, function in enumerate(found):
            if number and self._verbose:
                yield ""
            yield from self._row(function, analysis, names, columns)
            if self._verbose and function.state is not State.UNKNOWN:  # of that nothing is known to hold
                yield from _detail(function, analysis)

    def _row(self, function: FunctionReport, analysis: Analysis, names: int, columns: int) -> Iterator[str]:
        """What is known of a function, on a line if there is room."""
        state, bound = function.state.value, _bound(function)
        head = f"  {padded(printable(function.name), names)}{_BETWEEN}{self._paint(f'{state:<7}', state)}"
        taken = names + 12
        fields = [padded(bound, max(columns, width(bound)))] if columns or bound else []
        for field in (*fields, *_notes(function, analysis)):
            taken += len(_BETWEEN) + width(field)
            if taken > self._columns and head.strip():
                yield head.rstrip()
                head, taken = " " * _INDENT + field, _INDENT + width(field)
            else:
                head += _BETWEEN + field
        yield head.rstrip()


def _notes(function: FunctionReport, analysis: Analysis) -> Iterator[str]:
    """What is said of a function behind its bounds."""
    hidden = dict.fromkeys(each.neighbours for each in function.parameters if each.neighbours)
    if hidden:
        yield printable(f"hides {'; '.join(hidden)}")
    yield from filter(None, [", ".join(function.mechanisms)] if function.state is not State.UNKNOWN else [])
    if function.state is State.PROVED:
        if function.assumes:
            yield printable(f"assuming {', '.join(f'`{name}`' for name in function.assumes)}")
        number = len(function.open_conditions)
        if number:
            yield count(number, "condition")
    if function.reason and not any(function.reason in each.message for each in inside(function, analysis)):
        yield printable(function.reason)
    yield from filter(None, [_codes(function, analysis)])


def _bound(function: FunctionReport) -> str:
    """What each parameter costs, in numbers where they are given, or how far the result moves with it; parameters of
    which the same is said as one."""
    if function.kind == "blackbox":
        return "a black box: not checked"
    if function.state is State.UNKNOWN:
        return ""
    if function.numeric:
        return "; ".join(_numbers(function))
    groups: dict[str, list[str]] = {}
    for parameter in function.parameters:
        if not parameter.static:
            groups.setdefault(printable(parameter.first), []).append(printable(parameter.name))
    if function.kind == "sensitivity":
        return "; ".join(f"{bound} in {', '.join(names)}" for bound, names in groups.items())
    return "; ".join(f"{', '.join(names)}: {bound}" for bound, names in groups.items())


def _detail(function: FunctionReport, analysis: Analysis) -> Iterator[str]:
    """The type of a function, and what it holds under."""
    free = {variable.name: variable for bound in function.bounds for variable in bound.free}
    shown = analysis.language.rendering.types_shown(function.display)
    type_ = shown.splitlines() if function.kind != "blackbox" else []
    blocks = {
        "": [printable(line) for line in type_],
        "costs": [printable(line) for line in _alternatives(function)],
        "hides": [printable(line) for line in _hidden(function)],
        "holds if": [printable(condition.text) for condition in function.conditions],
        "where you choose": [printable(f"{each.range}   {each.meaning}") for each in free.values()],
        "what spends it, by basic composition": list(_spending(function, analysis.source)),
    }
    for title, lines in blocks.items():
        if lines:
            yield ""
            if title:
                yield f"{' ' * _INDENT}{title}"
            yield from (f"{' ' * _INDENT}{'  ' if title else ''}{line}".rstrip() for line in lines)


def _alternatives(function: FunctionReport) -> Iterator[str]:
    """The guarantees of which a reader may take any, where there are several."""
    for pairs, group in groupby(function.parameters, key=lambda each: each.alternatives):
        if len(pairs) > 1:
            names = ", ".join(each.name for each in group)
            for index, (epsilon, delta) in enumerate(pairs):
                yield f"or ε {epsilon}" if index else f"{names}: ε {epsilon}"
                yield f"   δ {delta}" if index else f"{' ' * width(names)}  δ {delta}"


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
    told = (each for each in found if each.severity is Severity.ERROR or each.message == function.reason)
    errors = dict.fromkeys(each.code for each in told)
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
            f"{place(source, each.span.start).words}  {each.name}  {each.shown}{percentage(each.share)}"
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
    shown = _line_labels(source, [*range(min(lines), max(lines) + 1)], marks[0].span)
    gutter = max(gutter, *(len(shown[line]) for line in lines))
    rule = paint("│", "rule")
    blank = f"{' ' * gutter} {rule}"
    out: list[str] = []
    for number in _with_gaps(sorted(lines)):
        if number is None:
            out.append(paint(_CUT.rjust(gutter), "rule"))
            continue
        text, strokes = _laid_out(source, number, lines.get(number, []), columns - gutter - 3)
        out.append(f"{paint(shown[number].rjust(gutter), 'rule')} {rule} {text}".rstrip())
        out += [f"{blank} {row}" for row in _underlines(strokes, paint)]
    return gutter, out


def _line_labels(source: Source, lines: Iterable[int], first: Span) -> dict[int, str]:
    """How lines are numbered. In a notebook those of the first place's cell count from its beginning, and others say
    which cell they are in."""
    if not is_joined(source.text):
        return {line: str(line) for line in lines}
    own = cell_at(source, first.start)
    found = {line: place(source, source.line_span(line).start) for line in lines}
    return {line: str(at.line) if at.cell == own else f"{at.in_cell}{at.line}" for line, at in found.items()}


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
