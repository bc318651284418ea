"""Trying a repair: the text is edited and checked again, and what came of it is held against what was before.

Repairs that are offered: what mends each problem by itself, what does so together, and comments that accept
problems.

What a kind of problem offers as a repair is a proposal; where its own rule knows none, one is made of what the whole
project says (`proposals.py`), which what is remembered of a function must not depend on. Once the diagnostics are out
and it is quiet, the worker edits the text, checks it like any other with the same memo, and keeps what mends its
problem and makes nothing worse (`trials.py`). Whatever comes meanwhile is more urgent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from dp_lsp import frontends
from dp_lsp.analysis.limits import OutOfTime, Ticket
from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, Placed, Repair, State, Verdict, edits_of, preferred
from dp_lsp.builtins.remedies import NAMED, SPENDING
from dp_lsp.engine.check import DEFAULT, Engine, OptionsOf
from dp_lsp.engine.proposals import (
    CheckedText,
    composed,
    edited,
    foremost,
    is_hopeful,
    linked,
    named_in,
    names_defined,
    proposals,
)
from dp_lsp.engine.remarks import PLACEHOLDER, ignoring
from dp_lsp.hopeless import CannotBeProved
from dp_lsp.infer.problems import DoesNotFit, NoMechanism, UnknownName, WrongArgument
from dp_lsp.intents import together
from dp_lsp.language import Language
from dp_lsp.lower.problems import UnknownType, Unsupported
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem, Severity, may_be_accepted
from dp_lsp.text import Source, Span

Analyses = Mapping[str, Analysis]
_MOST_CONTINUED = 10  # fixes that are made after the first one, which bring nothing to an end by themselves
_MOST = 3  # proposals for a problem that a fix brings
_MOST_BROUGHT = 2  # problems that a fix brings, of which the first one with a proposal is mended
_KEPT = 4  # trials that another fix may share: those of the same place


class Within(NamedTuple):
    """What a file is part of: the roots of its projects, where their texts come from, and the options of each file."""

    roots: tuple[str, ...]
    loader: Loader
    options: Options | OptionsOf = DEFAULT


class Trial:
    """Fixes of one file, tried one after the other."""

    def __init__(self, engine: Engine, file: str, analysis: Analysis, within: Within, ticket: Ticket) -> None:
        self._engine = engine
        self._file = file
        self._analysis = analysis
        self._text = analysis.source.text
        self._options = within.options
        self._loader = within.loader
        self._roots = list(within.roots)
        self._ticket = ticket
        self._before: list[Analyses] = []
        self._tried: dict[tuple[Edit, ...], list[Analyses]] = {}

    def mends(self, problem: Problem, fix: Fix, accepts: bool = False, warns: bool = False) -> bool:
        """Whether a fix removes its problem and makes nothing worse. What ``accepts`` it may make known failures
        unknown, and nothing that is proved; what ``warns`` may have warnings in the place of an error."""
        after = self._after(fix.edits)
        return all(
            (
                self._is_gone([problem], old, new, accepts or warns or fix.declares)
                or (fix.declares and self._is_said_no_more(problem, old, new))
            )
            and (_is_read(old, new) if fix.declares else _is_no_worse(old, new, KNOWN if accepts else BADNESS))
            for old, new in zip(self._before, after, strict=True)
        )

    def mends_all(self, repairs: Sequence[Repair]) -> bool:
        """Whether several fixes in one edit remove their problems and make nothing worse."""
        after = self._after(edits_of(repairs))
        chunks: dict[int, list[Problem]] = {}
        for each in repairs:
            chunks.setdefault(self._index(each.problem), []).append(each.problem)
        return all(
            all(self._is_gone(problems, old, new) for problems in chunks.values()) and _is_no_worse(old, new, BADNESS)
            for old, new in zip(self._before, after, strict=True)
        )

    def mending(self, problem: Problem) -> list[Fix]:
        """The fixes that mend a problem: those that do it by themselves, or else those that do with what mends what
        they bring to light, or else those that bring warnings to light. One that exposes people is not enough."""
        found = [*foremost(problem, self.seen), *problem.fixes, *proposals(problem, self.seen)]
        proposed = [self.seen().code.completed(fix, self._text) for fix in found]
        named = [named_in(fix, constants) for fix in proposed] if (constants := self._constants()) else []
        fixes = list(dict.fromkeys((*named, *proposed)))
        alone = [fix for fix in fixes if self.mends(problem, fix)]
        if not all(fix.exposes for fix in alone):
            return _private_first(alone)
        longer = (self._continued(problem, fix) for fix in fixes if fix not in alone)
        mending = [*self._whole_first(problem, [fix for fix in longer if fix is not None]), *alone]
        return _private_first(mending or [fix for fix in fixes if self.mends(problem, fix, warns=True)])

    def _continued(self, problem: Problem, fix: Fix) -> Fix | None:
        """A fix with those of the errors that it brings to light, one after the other: what is clipped may move too far
        for the noise that was declared. Where the likeliest ones lead nowhere, those that rewrite the least may."""
        return self._led_on(problem, fix, near=False) or self._led_on(problem, fix, near=True)

    def _led_on(self, problem: Problem, fix: Fix, near: bool) -> Fix | None:
        taken: set[tuple[str, str]] = set()
        steps = [fix.title]
        for _ in range(_MOST_CONTINUED):
            first, step = None, ("", "")
            for found in self._brought(problem, fix):
                for further in self._further(found, fix, near):
                    edits = composed(fix.edits, further.edits)
                    if edits is None or (found.message, further.title) in taken or _undoes(further, fix):  # no help
                        continue
                    exposes = fix.exposes or further.exposes
                    longer = Fix(
                        together([*steps, further.title]),
                        linked(edits),
                        sure=False,
                        declares=fix.declares,
                        exposes=exposes,
                    )
                    if self.mends(problem, longer):
                        return longer
                    if first is None:
                        first, step = longer, (found.message, further.title)
                if first is not None:
                    break
            if first is None:
                return None
            fix = first
            taken.add(step)
            steps.append(step[1])
        return None

    def _whole_first(self, problem: Problem, fixes: list[Fix]) -> list[Fix]:
        """Fixes after which there is no error where the problem is, and then the others."""
        if len(fixes) < 2:
            return fixes
        return sorted(fixes, key=lambda fix: self._leaves_errors(problem, fix))

    def _leaves_errors(self, problem: Problem, fix: Fix) -> bool:
        new = self._after(fix.edits)[0][self._file].chunks
        index = self._index(problem)
        return not 0 <= index < len(new) or bool(_errors(new[index].record.verdict.problems))

    def _brought(self, problem: Problem, fix: Fix) -> list[Problem]:
        """The first problems that a fix brings, where its problem was or else in the file, in the text after it; none
        if one says that the fix is no good."""
        index = self._index(problem)
        old, new = self._before[0][self._file], self._after(fix.edits)[0][self._file]
        if not 0 <= index < len(new.chunks) == len(old.chunks):
            return []
        order = [index, *(other for other in range(len(new.chunks)) if other != index)]
        found_in = ((each, _fresh(old.chunks[each].record.verdict, new.chunks[each].record.verdict)) for each in order)
        at, fresh = next((found for found in found_in if found[1]), (index, []))
        if any(each.code == NoMechanism.code for each in fresh) and self._drops_noise(fix):
            return []
        if not fresh and fix.declares:  # more is known where the problem is
            left = new.chunks[index].record.verdict.problems
            return [each.moved(new.chunks[index].start) for each in left if _says(each) == _says(problem)][:1]
        brought = [each.moved(new.chunks[at].start) for each in fresh[:_MOST_BROUGHT]]
        for found in brought[:1]:
            same = found.code == problem.code and (found.code != DoesNotFit.code or found.message == problem.message)
            if (same or found.code == UnknownName.code) and _touches(found.span, fix):
                return []  # it is the same one, or the fix writes a name where nobody has it, which is no slip
        return brought

    def _further(self, found: Problem, fix: Fix, near: bool) -> list[Fix]:
        """The fixes of a problem that a fix brings, as edits of the text after it, the likeliest first, or those that
        stay where the problem is."""
        analysis = self._after(fix.edits)[0][self._file]
        seen = self.seen()._replace(text=edited(self._text, fix.edits), analysis=analysis)
        first = foremost(found, lambda: seen)
        own = sorted(found.fixes, key=lambda each: near and not _stays_at(found.span, each))
        further = _private_first([*first, *own, *proposals(found, lambda: seen)])[:_MOST]
        return [seen.code.completed(fix, seen.text) for fix in further]

    def _drops_noise(self, fix: Fix) -> bool:
        """Whether a fix writes something else over a mechanism, which is no repair."""
        return any(name in self._text[slice(*edit.span)] for edit in fix.edits for name in SPENDING)

    def _constants(self) -> Mapping[str, str]:
        """What numbers are called that have a name in the file, by what a placeholder asks for."""
        names = self.seen().code.constants(self._text)
        found: dict[str, str] = {}
        for asked, words in NAMED.items():
            having = [name for name in names if any(word in name.casefold() for word in words)]
            if len(having) == 1:
                found[asked] = having[0]
        return found

    def _after(self, edits: tuple[Edit, ...]) -> list[Analyses]:
        """The projects after some edits."""
        if not self._before:
            self._begin()
        after = self._tried.get(edits)
        if after is None:
            if len(self._tried) == _KEPT:
                self._tried.clear()  # each is as large as the project
            text = SourceText(edited(self._text, edits), language=self._analysis.options.language)
            checked = self._checked(_Edited(self._loader, self._file, text))
            after = self._tried[edits] = [self._without_added(each, edits) for each in checked]
        return after

    def _without_added(self, analyses: Analyses, edits: tuple[Edit, ...]) -> Analyses:
        """A project after some edits, without pieces that these added and of which there is nothing to say, such as
        imports: each other piece is what one was before."""
        found = analyses.get(self._file)
        if found is None or len(found.chunks) <= len(self._analysis.chunks):
            return analyses
        written = [*_written_at(edits)]
        kept = (each for each in found.chunks if each.record.verdict.problems or not _is_within(each, written))
        return {**analyses, self._file: Analysis(found.source, tuple(kept), found.options)}

    def _index(self, problem: Problem) -> int:
        """Which chunk a problem stands in; -1 if none."""
        start = problem.span.start
        chunks = enumerate(self._analysis.chunks)
        return next((i for i, each in chunks if each.start <= start <= each.start + each.length), -1)

    def seen(self) -> CheckedText:
        """What proposals may be made of."""
        if not self._before:
            self._begin()
        defined = {name for analyses in self._before for each in analyses.values() for name in names_defined(each)}
        return CheckedText(
            self._text,
            frontends.of(self._file, self._analysis.options.language).rendering,
            self._analysis,
            frozenset(defined),
        )

    def _begin(self) -> None:
        """Look at the projects as they are. A limit may have been met before one of them came to the file."""
        found = zip(self._roots, self._checked(self._loader), strict=True)
        having = [(root, analyses) for root, analyses in found if self._file in analyses]
        self._roots = [root for root, _ in having] or [self._file]
        self._before = [analyses for _, analyses in having] or self._checked(self._loader)

    def _checked(self, loader: Loader) -> list[Analyses]:
        return [self._engine.trial(root, loader, self._options, self._ticket) for root in self._roots]

    def _is_gone(self, problems: Sequence[Problem], before: Analyses, after: Analyses, warns: bool = False) -> bool:
        """Whether there are so many fewer problems of these kinds where these were, all in one chunk; so many fewer
        errors and warnings, if all of these are errors and the fix must not bring warnings; and else so many fewer
        warnings as are among them."""
        old, new = before[self._file].chunks, after[self._file].chunks
        if len(old) != len(new):  # what could not be read is part of something else now
            return warns and all(self._is_rarer(each.code, before, after) for each in problems)
        index = self._index(problems[0])
        if index < 0:
            return False
        found, left = old[index].record.verdict.problems, new[index].record.verdict.problems
        mended = Counter(problem.code for problem in problems)
        if any(_count(left, code) > _count(found, code) - times for code, times in mended.items()):
            return False
        of_weight = [sum(each.severity is Severity.WARNING for each in problems) for problems in (found, left)]
        if not all(problem.severity is Severity.ERROR for problem in problems):
            return of_weight[1] <= of_weight[0] - sum(problem.severity is Severity.WARNING for problem in problems)
        serious = [sum(map(_is_serious, problems)) for problems in (found, left)]
        return warns or serious[1] <= serious[0] - len(problems)

    def _is_said_no_more(self, problem: Problem, before: Analyses, after: Analyses) -> bool:
        """Whether a problem is gone, and all in all there are fewer: what was declared tells of others of its kind."""
        old, new = (_errors_by_message(each[self._file].problems) for each in (before, after))
        return new[_says(problem)] < old[_says(problem)] and new.total() < old.total()

    def _is_rarer(self, code: str, before: Analyses, after: Analyses) -> bool:
        return _count(after[self._file].problems, code) < _count(before[self._file].problems, code)


class _Edited:
    """The files of a loader, one of them with another text."""

    def __init__(self, loader: Loader, file: str, text: SourceText) -> None:
        self._loader = loader
        self._file = file
        self._text = text

    def included(self, by: str, path: str) -> str | ReadRefusal:
        return self._loader.included(by, path)

    def text(self, name: str) -> SourceText:
        return self._text if name == self._file else self._loader.text(name)


def _written_at(edits: Iterable[Edit]) -> Iterator[Span]:
    """Where in the text after some edits stands what they wrote."""
    shift = 0
    for edit in sorted(edits):
        start = edit.span.start + shift
        yield Span(start, start + len(edit.text))
        shift += len(edit.text) - (edit.span.end - edit.span.start)


def _undoes(further: Fix, fix: Fix) -> bool:
    """Whether a fix of the text after another one writes over all that this wrote, and does not write it again."""
    written = zip(_written_at(fix.edits), sorted(fix.edits), strict=True)
    return all(
        any(
            each.span.start <= at.start < at.end <= each.span.end and edit.text not in each.text
            for each in further.edits
        )
        for at, edit in written
    )


def _private_first(fixes: Sequence[Fix]) -> list[Fix]:
    """Fixes in the order in which they are offered: what exposes people is the last."""
    return sorted(fixes, key=lambda fix: fix.exposes)


def _touches(span: Span, fix: Fix) -> bool:
    """Whether a place in the text after a fix is one that it wrote."""
    return any(span.start <= each.end and each.start <= span.end for each in _written_at(fix.edits))


def _stays_at(span: Span, fix: Fix) -> bool:
    """Whether a fix edits nothing but what is at a place."""
    return all(span.start <= each.span.start and each.span.end <= span.end for each in fix.edits)


def _is_within(chunk: Placed, written: Collection[Span]) -> bool:
    """Whether a piece is one that edits wrote, and no more."""
    return any(each.start <= chunk.start and chunk.start + chunk.length <= each.end for each in written)


# What came of an edit


BADNESS = {State.PROVED: 0, State.ASSUMED: 0, State.FAILED: 1, State.UNKNOWN: 2, State.STALE: 3}
"""What was checked to the end and failed is known better than what was not."""
KNOWN = {state: min(badness, 1) for state, badness in BADNESS.items()}


def _fresh(before: Verdict, after: Verdict) -> list[Problem]:
    """The errors and warnings that there were not before, or not as often, the errors first."""
    known = Counter(map(_says, before.problems))
    found: list[Problem] = []
    for each in filter(_is_serious, after.problems):
        known[_says(each)] -= 1
        if known[_says(each)] < 0:
            found.append(each)
    return sorted(found, key=lambda each: each.severity is not Severity.ERROR)


def _says(problem: Problem) -> tuple[str, str]:
    return problem.code, problem.message


def _errors_by_message(problems: Iterable[Problem]) -> Counter[tuple[str, str]]:
    return Counter(_says(each) for each in problems if each.severity is Severity.ERROR)


def _is_serious(problem: Problem) -> bool:
    return problem.severity in (Severity.ERROR, Severity.WARNING)


def _count(problems: Sequence[Problem], code: str) -> int:
    return sum(problem.code == code for problem in problems)


def _is_no_worse(before: Analyses, after: Analyses, badness: Mapping[State, int]) -> bool:
    """Whether every piece of every file is as good as it was."""
    return before.keys() == after.keys() and all(
        len(old.chunks) == len(after[name].chunks)
        and all(
            was.record is now.record or _is_as_good(was.record, now.record, badness)
            for was, now in zip(old.chunks, after[name].chunks, strict=True)
        )
        for name, old in before.items()
    )


def _is_read(before: Analyses, after: Analyses) -> bool:
    """Whether what was declared is understood, and may be used as it is: there is no more to say of how a file is
    written, of what its names mean, or of types that do not fit, which may be said in place of what was not read."""
    if before.keys() != after.keys():
        return False
    for name, old in before.items():
        was, now = (_errors(filter(_is_of_text, each.problems)) for each in (old, after[name]))
        instead = Counter(
            {
                WrongArgument.code: now.total(),
                Unsupported.code: sum(was[each.code] for each in (UnknownType, UnknownName, CannotBeProved)),
            }
        )
        if now.total() > was.total() or not now - instead <= was:
            return False
    return True


def _is_of_text(problem: Problem) -> bool:
    return problem.code < "DP2" or problem.code in (WrongArgument.code, UnknownType.code)


def _is_as_good(before: ChunkRecord, after: ChunkRecord, badness: Mapping[State, int]) -> bool:
    old, new = _states(before.verdict), _states(after.verdict)
    return (
        old.keys() <= new.keys()
        and _private(before.verdict) <= _private(after.verdict)
        and all(badness[new[name]] <= badness[was] for name, was in old.items())
        and _errors(after.verdict.problems) <= _errors(before.verdict.problems)
    )


def _states(verdict: Verdict) -> dict[tuple[str, int], State]:
    """The state of a piece and of each of its functions, by the name and which of that name it is."""
    counted: Counter[str] = Counter()
    found = {("", 0): verdict.state}
    for function in verdict.functions:
        counted[function.name] += 1
        found[function.name, counted[function.name]] = function.state
    return found


def _private(verdict: Verdict) -> set[str]:
    """The functions that are declared private. One that is not any more promises less."""
    return {function.name for function in verdict.functions if function.kind == "privacy"}


def _errors(problems: Iterable[Problem]) -> Counter[str]:
    return Counter(problem.code for problem in problems if problem.severity is Severity.ERROR)


_A_REASON = "it is tried"
_MOST_TOGETHER = 30  # fixes that are tried one after the other if they do not go together


def repairs(
    engine: Engine,
    file: str,
    analysis: Analysis,
    within: Within,
    ticket: Ticket,
    only: Sequence[Problem] | None = None,
) -> list[Repair]:
    """The fixes of the problems of a file that mend these and break nothing in any project, and which of them do so
    together; also the comments that accept them. With ``only`` the fixes of these problems, and no comments.

    ``analysis`` is what is known of the file. Ends early when the ticket's time is over; raises
    :class:`Superseded` when the ticket does."""
    trial = Trial(engine, file, analysis, within, ticket)
    found: list[Repair] = []
    try:
        _single(trial, analysis, only, found)
        together = _together(trial, preferred(found))
    except OutOfTime:
        return found
    return [each._replace(together=each in together) for each in found]


def _single(trial: Trial, analysis: Analysis, only: Sequence[Problem] | None, found: list[Repair]) -> None:
    """What mends each problem by itself; goes to ``found`` at once, for the time may end."""
    problems = analysis.problems if only is None else only
    for problem in sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR):
        found.extend(Repair(problem, fix) for fix in trial.mending(problem))
        for insertion in _ignores(problem, analysis.source, analysis.language) if only is None else ():
            if trial.mends(problem, Fix("", (insertion(_A_REASON),)), accepts=True):
                title = f"ignore {problem.code} here, with a reason"
                found.append(Repair(problem, Fix(title, (insertion(PLACEHOLDER),), sure=False), accepts=True))
                break


def _together(trial: Trial, sure: list[Repair]) -> list[Repair]:
    """As many of these as mend their problems in one edit. All are tried at once, and only if that is no good, one
    more each time."""
    apart: list[Repair] = []
    for repair in sure:
        if not _clashes(repair, apart):
            apart.append(repair)
    if len(apart) < 2 or trial.mends_all(apart):
        return apart
    kept: list[Repair] = []
    for repair in apart[:_MOST_TOGETHER]:
        if trial.mends_all([*kept, repair]):
            kept.append(repair)
    return kept


def _clashes(repair: Repair, others: list[Repair]) -> bool:
    """Whether it edits what one of the others edits, and not in the very same way."""
    theirs = edits_of(others)
    return any(
        edit != other and edit.span.start <= other.span.end and other.span.start <= edit.span.end
        for edit in repair.fix.edits
        for other in theirs
    )


def hopeful(analysis: Analysis) -> list[Problem]:
    """The problems of which there is a fix to try."""
    return [problem for problem in analysis.problems if problem.fixes or is_hopeful(problem)]


def worth_trying(analysis: Analysis) -> bool:
    """Whether there is any fix to try, or any comment that accepts a problem."""
    return bool(hopeful(analysis)) or any(map(_may_accept, analysis.problems))


def _may_accept(problem: Problem) -> bool:
    """Whether a comment may be written that accepts a problem."""
    return problem.severity in (Severity.ERROR, Severity.WARNING) and may_be_accepted(problem.code)


def _ignores(problem: Problem, source: Source, language: Language) -> Iterator[Callable[[str], Edit]]:
    """The places for a comment that accepts a problem, given the reason: beside its line, or above it."""
    if not _may_accept(problem):
        return
    start, end = source.line_span(source.place(problem.span.start).line)
    line = source.text[start:end]
    if language.syntax.comment not in line:
        yield lambda reason: Edit(Span(end, end), f"  {ignoring(language, problem.code, reason)}")
    indent = line[: len(line) - len(line.lstrip())]
    ends = "\r\n" if "\r\n" in source.text else "\n"
    yield lambda reason: Edit(Span(start, start), f"{indent}{ignoring(language, problem.code, reason)}{ends}")
