"""What a person accepts: ``--add-ignore REASON`` writes the comments that accept what is wrong now, and nothing that
changes anything else; ``--update-baseline`` writes a baseline anew, and ``--baseline`` tells what of one no longer
occurs.

Comments are put in, the edited texts are checked, and what is reported still or newly is looked at again, until nothing
changes. A file is written only when all that was proved of it before is proved in the very same words after it.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import click

from dp_lsp import frontends
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Accepted, Analysis, FunctionReport, State, counted, listed
from dp_lsp.cells import is_joined
from dp_lsp.cli.files import STANDARD_INPUT, Configured, shown
from dp_lsp.cli.output import FINDINGS, USAGE, complain, point, replace
from dp_lsp.cli.reporters.checked import count
from dp_lsp.cli.style import printable
from dp_lsp.configuration.baseline import Baseline, written
from dp_lsp.disk.loader import decoded, path_below
from dp_lsp.engine.problems import IgnoreUnused
from dp_lsp.engine.remarks import PLACEHOLDER, ignoring, without_further
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Severity, may_be_accepted
from dp_lsp.text import Source

Found = Mapping[str, Analysis]
"""What is known of each file, by its name in a check."""

_LONGEST = 92  # columns of a line that a comment is put behind: the width that Julia's formatters keep to
_ROUNDS = 8  # what is accepted may uncover something else, which is accepted in the next round


def reason(text: str) -> str:
    """A reason that is given on the command line; a usage error if it cannot be one."""
    said, signs = text.strip(), frontends.comments()
    cut = any(without_further(said, sign) != said for sign in signs)
    if not said or said == PLACEHOLDER or not text.isprintable() or cut:
        without = " or ".join(f"`{sign}`" for sign in signs)
        raise click.BadParameter(f"say in one line why these problems may stay, without another {without}")
    return said


def demand(paths: Iterable[str], update_baseline: bool) -> None:
    """A usage error if what else was asked for does not go with it."""
    if STANDARD_INPUT in paths:
        raise click.UsageError("--add-ignore writes into files: it does not go with -")
    if update_baseline:
        raise click.UsageError("--add-ignore and --update-baseline are two ways to accept the same: choose one")


def add(names: Iterable[str], why: str, check: Callable[[Mapping[str, SourceText]], Found]) -> int:
    """Write comments into the files with these names; ``check`` checks all files, some of them with another text. The
    exit code of that: what is wrong with the files themselves is reported as usual."""
    before = check({})
    plans = {name: _Plan(before[name], why) for name in names if name in before}
    after = before
    for _ in range(_ROUNDS):
        if not any([plan.learn(after[name].problems) for name, plan in plans.items()]):
            break
        after = check({name: SourceText(plan.text()) for name, plan in plans.items()})
    edited = {name: plan for name, plan in plans.items() if plan.codes}
    other = next((name for name in before if not _is_as_before(before[name], after[name])), None)
    if other is not None:
        complain(
            f"{printable(shown(other))}: the comments would change what is said of something else; none is written"
        )
        return FINDINGS
    code = max((_write(name, plan) for name, plan in edited.items()), default=0)
    left = sum(_is_acceptable(each) for name in after if name not in plans for each in after[name].problems)
    if left:
        point(f"note: {count(left, 'error')} in files that were only included: name these to accept that, too")
    if not edited:
        point("no comment added: there is no error that a comment accepts")
    return code


class _Plan:
    """The comments of a file: the ``codes`` that each is about, by the line it is about, counted from 1 in the file as
    it was."""

    def __init__(self, analysis: Analysis, why: str) -> None:
        self.codes: dict[int, set[str]] = {}
        self._source = analysis.source
        self._language = analysis.language
        self._why = why
        self._moved: set[int] = set()  # lines of which the other place for a comment is tried
        self._hopeless: set[tuple[int, str]] = set()

    def learn(self, problems: Iterable[Problem]) -> bool:
        """Look at what is wrong with the text as edited; whether anything must be edited otherwise."""
        lines = self._lines()
        now = Source("".join(text for _, text in lines))
        missed: dict[int, set[str]] = {}
        changed = False
        for problem in problems:
            line = lines[now.place(problem.span.start).line - 1][0]
            if _is_acceptable(problem) and (line, problem.code) not in self._hopeless:
                missed.setdefault(line, set()).add(problem.code)
            for code in self._idle(problem, line):
                self._drop(line, code)
                changed = True
        for line, codes in missed.items():
            self._want(line, codes)
        return changed or bool(missed)

    def text(self) -> str:
        """The text with the comments."""
        return "".join(text for _, text in self._lines())

    def _want(self, line: int, codes: set[str]) -> None:
        known = self.codes.setdefault(line, set())
        if codes - known:
            known |= codes
        elif line in self._moved:  # it was tried in both places
            for code in codes:
                self._drop(line, code)
        else:
            self._moved.add(line)

    def _idle(self, problem: Problem, line: int) -> Iterator[str]:
        """The code of a comment of ours that has accepted nothing."""
        if problem.code == IgnoreUnused.code:
            for code in sorted(self.codes.get(line, ())):
                if problem.message == IgnoreUnused.at(problem.span, code=code).message:
                    yield code

    def _drop(self, line: int, code: str) -> None:
        self._hopeless.add((line, code))
        self.codes.get(line, set()).discard(code)
        if not self.codes.get(line, True):
            del self.codes[line]

    def _lines(self) -> list[tuple[int, str]]:
        """The lines of the text as edited, with their breaks, each with the number of the line it was or is about."""
        found = []
        text = self._source.text
        for number in range(1, self._source.line_count + 1):
            start, end = self._source.line_span(number)
            after = self._source.line_span(number + 1).start if number < self._source.line_count else len(text)
            line, ends = text[start:end], text[end:after]
            if number in self.codes:
                comment = ignoring(self._language, ", ".join(sorted(self.codes[number])), self._why)
                if self._is_above(number, line, comment):
                    indent = line[: len(line) - len(line.lstrip())]
                    found.append((number, f"{indent}{comment}{ends or self._break()}"))
                else:
                    line = f"{line.rstrip()}  {comment}"
            found.append((number, line + ends))
        return found

    def _is_above(self, number: int, line: str, comment: str) -> bool:
        """Whether the comment stands in a line of its own: where there is no room behind the line, or one already."""
        behind = "#" not in line and len(line.rstrip()) + 2 + len(comment) <= _LONGEST
        return behind is (number in self._moved)

    def _break(self) -> str:
        found = re.search(r"\r\n|\n|\r", self._source.text)
        return found[0] if found else "\n"


def _is_acceptable(problem: Problem) -> bool:
    return problem.severity is Severity.ERROR and may_be_accepted(problem.code)


class _Said(NamedTuple):
    """What is said of a function, wherever it stands."""

    name: str
    signature: str
    state: State
    claims: tuple[object, ...]


def _said(function: FunctionReport) -> _Said:
    claims = function.kind, function.parameters, function.returns, function.bounds, function.conditions
    return _Said(function.name, function.signature, function.state, (*claims, function.numeric, function.display))


def _is_as_before(before: Analysis, after: Analysis) -> bool:
    """Whether comments have changed nothing but that errors are accepted: the same functions, what was proved is proved
    in the same words and nothing else is, and there is no error that was not there, but for one that was not told
    beside the one that is accepted."""
    old, new = [list(map(_said, each.functions)) for each in (before, after)]
    errors = [Counter(each.code for each in one.problems if each.severity is Severity.ERROR) for one in (before, after)]
    return (
        len(old) == len(new)
        and all(was[:2] == now[:2] for was, now in zip(old, new, strict=True))
        and all(was == now for was, now in zip(old, new, strict=True) if was.state.holds or now.state.holds)
        and all(times <= errors[0][code] for code, times in errors[1].items() if not may_be_accepted(code))
    )


def _write(name: str, plan: _Plan) -> int:
    """Write a file as edited, if it is still what was checked; the exit code of that."""
    try:
        if os.path.islink(name):
            raise OSError(0, "it is a link: name the file that it leads to")
        with open(name, "rb") as stream:
            data = stream.read()
        if is_joined(plan._source.text):
            raise OSError(0, "it is a notebook: write the comment into its cell")
        if decoded(data).content != plan._source.text:
            raise OSError(0, "it has changed while it was checked")
        mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
        replace(name, mark + plan.text().encode("utf-8"))
    except OSError as error:
        complain(f"{printable(shown(name))}: {error.strerror or type(error).__name__}")
        return USAGE
    codes = sorted(set().union(*plan.codes.values()))
    point(f"{printable(shown(name))}: {count(len(plan.codes), 'comment')} added ({', '.join(codes)})")
    return 0


# ``--baseline`` and ``--update-baseline``: what a baseline has that no longer occurs, and writing it anew.

Entries = Counter[Accepted]
"""How many problems there are of each kind that a baseline knows; each entry stands for one."""


class _ReportedFile(NamedTuple):
    """A file that was checked: its path in the baseline, what of that it needed, and whether it was all checked."""

    path: str
    needed: Entries
    settled: bool


def idle(configured: Configured, files: Iterable[tuple[str, Analysis]]) -> Iterator[str]:
    """A sentence for each baseline that has something which no longer occurs in the files that were checked, given by
    their names in a check, and for each that does not say how bad everything was."""
    for path, checked in _by_baseline(configured, files).items():
        entries = _entries(configured.baseline(path))
        if any(entry.extent is None for of_file in entries.values() for entry in of_file):
            where = f"{printable(shown(path))} does not say of all problems how bad they were"
            yield f"note: {where}, and accepts them however bad they are; --update-baseline writes it down"
        gone = _count(entries) - _count(_next(configured.baseline(path), checked))
        if gone:
            where = f"of {printable(shown(path))} no longer"
            words = f"1 entry {where} occurs" if gone == 1 else f"{gone} entries {where} occur"
            yield f"note: {words}; --update-baseline takes {'it' if gone == 1 else 'them'} out"


def update(configured: Configured, files: Sequence[tuple[str, Analysis]]) -> int:
    """Write the baselines of some files, which were checked to see what there is to accept; the exit code of that."""
    found = _by_baseline(configured, files)
    left = sum(analysis.count(Severity.ERROR) for _, analysis in files)
    if left:
        stay = "1 error stays" if left == 1 else f"{left} errors stay"
        point(f"note: {stay}: errors of syntax, files and comments, and limits, are never accepted")
    return max(
        (_write_baseline(path, configured.baseline(path), checked) for path, checked in found.items()), default=0
    )


def demand_baseline(configured: Configured, names: Iterable[str]) -> None:
    """A usage error if there is no baseline to be written for any of some files."""
    if not any(map(configured.baseline_of, names)):
        raise click.UsageError("--update-baseline: say where it is, with --baseline FILE or the key `baseline`")


def _write_baseline(path: str, before: Baseline, checked: list[_ReportedFile]) -> int:
    old, new = _entries(before), _next(before, checked, adding=True)
    text = written({file: listed(entries) for file, entries in new.items()})
    try:
        replace(path, text.encode("utf-8"))
    except OSError as error:
        complain(f"{shown(path)}: {error.strerror or type(error).__name__}")
        return USAGE
    added, gone = (_count(_difference(*pair)) for pair in ((new, old), (old, new)))
    change = ", ".join(f"{n} {word}" for n, word in ((added, "new"), (gone, "taken out")) if n) or "as before"
    point(f"{printable(shown(path))}: {count(_count(new), 'problem')} accepted ({change})")
    return 0


def _by_baseline(configured: Configured, files: Iterable[tuple[str, Analysis]]) -> dict[str, list[_ReportedFile]]:
    found: dict[str, list[_ReportedFile]] = {}
    for name, analysis in files:
        path = configured.baseline_of(name)
        if path is not None:
            needed = counted(each for chunk in analysis.chunks for each in chunk.record.verdict.excused)
            below = path_below(os.path.dirname(path), name)
            found.setdefault(path, []).append(_ReportedFile(below, needed, _is_settled(analysis)))
    return found


def _is_settled(analysis: Analysis) -> bool:
    """Whether a file was read and understood as a whole, so that what did not occur is not there."""
    return not any(problem.unchecked and not may_be_accepted(problem.code) for problem in analysis.problems)


def _entries(baseline: Baseline) -> dict[str, Entries]:
    return {file: counted(entries) for file, entries in baseline.files.items()}


def _next(baseline: Baseline, checked: list[_ReportedFile], adding: bool = False) -> dict[str, Entries]:
    """What a baseline should have: of files that were checked, what it has and is needed there, with ``adding`` also
    what it has not; of others what it has, if they are still there."""
    old = _entries(baseline)
    new = {file: entries for file, entries in old.items() if os.path.lexists(os.path.join(baseline.folder, file))}
    for each in checked:
        had = old.get(each.path, Counter())
        kept = had & each.needed if each.settled else had
        new[each.path] = kept | each.needed if adding else kept
    return {file: entries for file, entries in new.items() if entries}


def _difference(left: dict[str, Entries], right: dict[str, Entries]) -> dict[str, Entries]:
    return {file: entries - right.get(file, Counter()) for file, entries in left.items()}


def _count(entries: dict[str, Entries]) -> int:
    return sum(each.total() for each in entries.values())
