"""Trying fixes: the text is edited and checked again, and only what makes nothing worse is kept.

What a kind of problem offers as a repair is a proposal; where its own rule knows none, one is made of what the whole
project says, which what is remembered of a function must not depend on. Once the diagnostics are out and it is quiet,
the worker edits the text, checks it like any other with the same memo, and keeps what mends its problem and makes
nothing worse. Whatever comes meanwhile is more urgent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dp_lsp import frontends
from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.limits import OutOfTime, Ticket
from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.analysis.records import (
    Analysis,
    ChunkRecord,
    FunctionReport,
    Options,
    Repair,
    State,
    Verdict,
    edits_of,
    preferred,
)
from dp_lsp.builtins.remedies import DATASETS, NAMED, SPENDING, UNBOX
from dp_lsp.core.annotation import AFunction, Annotation, ContainerOf, NumberOf
from dp_lsp.core.types import Base, Dataset, Kind, NumberType
from dp_lsp.engine.check import DEFAULT, Engine, OptionsOf
from dp_lsp.engine.composing import composed, linked, named_in
from dp_lsp.engine.problems import IgnoreUnknownCode, IgnoreUnused, RemarkUnknown
from dp_lsp.engine.remarks import IGNORE, PLACEHOLDER, ignoring
from dp_lsp.frontends.problems import BadCharacter, MissingEnd, SyntaxProblem
from dp_lsp.infer.problems import (
    BudgetMissed,
    ConditionFails,
    DoesNotFit,
    HollowCondition,
    NeedsTypes,
    NoMechanism,
    NotUnboxed,
    PrivateBranch,
    Unbounded,
    UnboundedInput,
    UnknownName,
    WrongArgument,
    WrongResult,
)
from dp_lsp.intents import (
    AddRows,
    Annotate,
    AsCall,
    AsParameter,
    AsTuple,
    ByMap,
    ByPosition,
    ByRounds,
    CloseBlock,
    CopyRenamed,
    DeclarePublic,
    DeclareResult,
    EnoughNoise,
    GiveName,
    ImportNamed,
    InParentheses,
    Intent,
    Lookalikes,
    ProtectRecords,
    Rendering,
    ReturnNothing,
    Spend,
    Through,
)
from dp_lsp.language import Language
from dp_lsp.lower.problems import CapturedChanged, LoopShuffle, MissingReturn, OpenImport, UnknownType, Unsupported
from dp_lsp.problem import Edit, Fix, Problem, Severity, may_be_accepted
from dp_lsp.text import Source, Span

_BADNESS = {State.PROVED: 0, State.ASSUMED: 0, State.FAILED: 1, State.UNKNOWN: 2, State.STALE: 3}
"""What was checked to the end and failed is known better than what was not."""
_KNOWN = {state: min(badness, 1) for state, badness in _BADNESS.items()}
_A_REASON = "it is tried"
_MOST_TOGETHER = 30  # fixes that are tried one after the other if they do not go together
_MOST_CONTINUED = 7  # fixes that are made after the first one, which bring nothing to an end by themselves
_KEPT = 4  # trials that another fix may share: those of the same place

Analyses = Mapping[str, Analysis]


class Within(NamedTuple):
    """What a file is part of: the roots of its projects, where their texts come from, and the options of each file."""

    roots: tuple[str, ...]
    loader: Loader
    options: Options | OptionsOf = DEFAULT


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
    trial = _Trial(engine, file, analysis, within, ticket)
    found: list[Repair] = []
    try:
        _single(trial, analysis, only, found)
        together = _together(trial, preferred(found))
    except OutOfTime:
        return found
    return [each._replace(together=each in together) for each in found]


def _single(trial: _Trial, analysis: Analysis, only: Sequence[Problem] | None, found: list[Repair]) -> None:
    """What mends each problem by itself; goes to ``found`` at once, for the time may end."""
    problems = analysis.problems if only is None else only
    for problem in sorted(problems, key=lambda problem: problem.severity is not Severity.ERROR):
        found.extend(Repair(problem, fix) for fix in trial.mending(problem))
        for insertion in _ignores(problem, analysis.source, analysis.language) if only is None else ():
            if trial.mends(problem, Fix("", (insertion(_A_REASON),)), accepts=True):
                title = f"ignore {problem.code} here, with a reason"
                found.append(Repair(problem, Fix(title, (insertion(PLACEHOLDER),), sure=False), accepts=True))
                break


def _together(trial: _Trial, sure: list[Repair]) -> list[Repair]:
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
    return [problem for problem in analysis.problems if problem.fixes or _is_hopeful(problem)]


def worth_trying(analysis: Analysis) -> bool:
    """Whether there is any fix to try, or any comment that accepts a problem."""
    return bool(hopeful(analysis)) or any(map(_may_accept, analysis.problems))


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after some edits, all of them of this text."""
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


class _Trial:
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
            self._is_gone([problem], old, new, accepts or warns or fix.declares)
            and (_is_read(old, new) if fix.declares else _is_no_worse(old, new, _KNOWN if accepts else _BADNESS))
            for old, new in zip(self._before, after, strict=True)
        )

    def mends_all(self, repairs: Sequence[Repair]) -> bool:
        """Whether several fixes in one edit remove their problems and make nothing worse."""
        after = self._after(edits_of(repairs))
        chunks: dict[int, list[Problem]] = {}
        for each in repairs:
            chunks.setdefault(self._index(each.problem), []).append(each.problem)
        return all(
            all(self._is_gone(problems, old, new) for problems in chunks.values()) and _is_no_worse(old, new, _BADNESS)
            for old, new in zip(self._before, after, strict=True)
        )

    def mending(self, problem: Problem) -> list[Fix]:
        """The fixes that mend a problem: those that do it by themselves, or else those that do with what mends what
        they bring to light, or else those that bring warnings to light."""
        proposed = [*problem.fixes, *_proposals(problem, self.seen)]
        named = [named_in(fix, constants) for fix in proposed] if (constants := self._constants()) else []
        fixes = list(dict.fromkeys((*named, *proposed)))
        alone = [fix for fix in fixes if self.mends(problem, fix)]
        if alone:
            return alone
        longer = (self._continued(problem, fix) for fix in fixes)
        return [fix for fix in longer if fix is not None] or [
            fix for fix in fixes if self.mends(problem, fix, warns=True)
        ]

    def _continued(self, problem: Problem, fix: Fix) -> Fix | None:
        """A fix with those of the errors that it brings to light, one after the other: what is clipped may move too far
        for the noise that was declared."""
        taken: set[tuple[str, str]] = set()
        for _ in range(_MOST_CONTINUED):
            found = self._brought(problem, fix)
            if found is None:
                return None
            first, step = None, ("", "")
            for further in self._further(found, fix):
                edits = composed(fix.edits, further.edits)
                if edits is None or (found.message, further.title) in taken:  # it was no help
                    continue
                longer = Fix(f"{fix.title}, and {further.title}", linked(edits), sure=False, declares=fix.declares)
                if self.mends(problem, longer):
                    return longer
                if first is None:
                    first, step = longer, (found.message, further.title)
            if first is None:
                return None
            fix = first
            taken.add(step)
        return None

    def _brought(self, problem: Problem, fix: Fix) -> Problem | None:
        """The first problem that a fix brings, where its problem was or else in the file, in the text after it."""
        index = self._index(problem)
        old, new = self._before[0][self._file], self._after(fix.edits)[0][self._file]
        if not 0 <= index < len(new.chunks) == len(old.chunks):
            return None
        order = [index, *(other for other in range(len(new.chunks)) if other != index)]
        found_in = ((each, _fresh(old.chunks[each].record.verdict, new.chunks[each].record.verdict)) for each in order)
        at, fresh = next((found for found in found_in if found[1]), (index, []))
        if not fresh or (any(each.code == NoMechanism.code for each in fresh) and self._drops_noise(fix)):
            return None
        found = fresh[0].moved(new.chunks[at].start)
        same = found.code == problem.code and (found.code != DoesNotFit.code or found.message == problem.message)
        if (same or found.code == UnknownName.code) and _touches(found.span, fix):
            return None  # it is the same one, or the fix writes a name where nobody has it, which is no slip of the pen
        return found

    def _further(self, found: Problem, fix: Fix) -> list[Fix]:
        """The fixes of a problem that a fix brings, as edits of the text after it."""
        analysis = self._after(fix.edits)[0][self._file]
        seen = self.seen()._replace(text=edited(self._text, fix.edits), analysis=analysis)
        return [*found.fixes, *_proposals(found, lambda: seen)][:_MOST]

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
            after = self._tried[edits] = self._checked(_Edited(self._loader, self._file, text))
        return after

    def _index(self, problem: Problem) -> int:
        """Which chunk a problem stands in; -1 if none."""
        start = problem.span.start
        chunks = enumerate(self._analysis.chunks)
        return next((i for i, each in chunks if each.start <= start <= each.start + each.length), -1)

    def seen(self) -> _CheckedText:
        """What proposals may be made of."""
        if not self._before:
            self._begin()
        defined = {name for analyses in self._before for each in analyses.values() for name in _names_defined(each)}
        return _CheckedText(
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


def _touches(span: Span, fix: Fix) -> bool:
    """Whether a place in the text after a fix is one that it wrote."""
    shift = 0
    for edit in sorted(fix.edits):
        start = edit.span.start + shift
        if span.start <= start + len(edit.text) and start <= span.end:
            return True
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return False


def _fresh(before: Verdict, after: Verdict) -> list[Problem]:
    """The errors and warnings that there were not before, or not as often, the errors first."""
    known = Counter((each.code, each.message) for each in before.problems)
    found: list[Problem] = []
    for each in filter(_is_serious, after.problems):
        known[each.code, each.message] -= 1
        if known[each.code, each.message] < 0:
            found.append(each)
    return sorted(found, key=lambda each: each.severity is not Severity.ERROR)


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
    written, of what its names mean, or of types that do not fit."""
    return before.keys() == after.keys() and all(
        _errors(filter(_is_of_text, after[name].problems)) <= _errors(filter(_is_of_text, old.problems))
        for name, old in before.items()
    )


def _is_of_text(problem: Problem) -> bool:
    return problem.code < "DP2" or problem.code == WrongArgument.code


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


_WORD = re.compile(r"[^\W\d]\w*!?")
_NEAR = 0.65
_MOST = 3
_VALUES: tuple[Annotation, ...] = (
    NumberOf(Base.REAL),
    ContainerOf(Kind.VECTOR, Base.REAL),
    ContainerOf(Kind.MATRIX, Base.REAL),
)
_BREAK = re.compile(r"\r\n|\n|\r")


class _CheckedText(NamedTuple):
    """A text, who writes its language, what is known of it, and the names that its projects define."""

    text: str
    code: Rendering
    analysis: Analysis
    defined: frozenset[str]

    def function_at(self, problem: Problem) -> FunctionReport | None:
        """The function that a problem stands in."""
        return next((each for each in self.analysis.functions if each.span.covers(problem.span.start)), None)

    def fixes(self, intent: Intent) -> Iterable[Fix]:
        """The repairs that do what is intended."""
        return self.code.fixes(intent, self.text)


def _is_hopeful(problem: Problem) -> bool:
    """Whether something may be proposed for a problem."""
    return problem.code in _PROPOSERS


def _proposals(problem: Problem, seen: Callable[[], _CheckedText]) -> Iterable[Fix]:
    """The fixes that are worth a trial."""
    propose = _PROPOSERS.get(problem.code)
    return () if propose is None else propose(problem, seen())


def _names_defined(analysis: Analysis) -> Iterator[str]:
    """The top-level names that a file defines."""
    return (name for placed in analysis.chunks for name in placed.record.verdict.defines)


def _name(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """A name that is spelled almost like this one: of a builtin, of the project, or of the function it stands in."""
    around = (seen.text[chunk.start :][: chunk.length] for chunk in seen.analysis.chunks_at(problem.span.start))
    words = {word for text in around for word in _WORD.findall(text)}
    yield from seen.fixes(GiveName(problem.span))
    yield from _spellings(problem.span, seen.text, words | seen.defined | set(seen.analysis.language.builtins.names()))
    chunk = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    if chunk is not None:
        yield from seen.fixes(AsTuple(Span(chunk.start, chunk.start + chunk.length)))


def _type(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """A type or norm that is spelled almost like one of the words of an annotation."""
    start, end = problem.span
    yield from seen.fixes(InParentheses(problem.span))
    for word in _WORD.finditer(seen.text, start, end):
        if word[0] not in (known := seen.analysis.language.annotations.words):
            yield from _spellings(Span(*word.span()), seen.text, known)
    for type_ in map(seen.code.annotation, DATASETS):
        yield Fix(f"say what the records are: `{type_}`", (Edit(problem.span, type_),), sure=False)


def _spellings(span: Span, text: str, known: Iterable[str], words: Collection[str] = ()) -> Iterator[Fix]:
    """Another spelling of a word, which is not one of those that are right."""
    from difflib import get_close_matches  # only a mistake needs it

    written = text[span.start : span.end]
    if written in words:
        return
    others = sorted(set(known) - {written})
    alike = [name for name in others if name.casefold() == written.casefold()]
    for name in dict.fromkeys([*alike, *get_close_matches(written, others, _MOST, _NEAR)]):
        yield Fix(f"change `{written}` to `{name}`", (Edit(span, name),))


def _annotation(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """An annotation for a parameter that has none."""
    function = seen.analysis.function_named_at(problem.span.start)
    return () if function is None else seen.fixes(Annotate(function.name_span, (*DATASETS, *_VALUES, AFunction())))


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


def _by_map(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """Other words for it, here and in the rest of the function."""
    others = tuple(place.span for place in problem.related if place.where is None)
    return seen.fixes(ByMap(problem.span, others))


def _least_noise(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """Gaussian noise that is as large as its ε and δ ask for, where the classical formula has no proof."""
    from dp_lsp.mechanisms.normal import least_deviation  # hardly any problem asks for it

    return seen.fixes(EnoughNoise(problem.span.start, least_deviation))


# Comments that speak to the checker


def _comment(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """To leave a comment out, with its line if nothing else stands there."""
    yield _without(problem, seen.text, sure=True)


def _unknown_comment(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """A comment as it may have been meant: with a word or a code that is spelled almost like the one it has."""
    start, end = problem.span
    for word in _WORD.finditer(seen.text, start, end):
        yield from _spellings(Span(*word.span()), seen.text, (IGNORE, *kinds()), words=("dp", IGNORE))
    yield _without(problem, seen.text, sure=False)


def _without(problem: Problem, text: str, sure: bool) -> Fix:
    start, end = problem.span
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    kept = len(text[line:start].rstrip()) + line
    if kept == line:
        found = _BREAK.match(text, end)
        end = found.end() if found else end
    return Fix("remove the comment", (Edit(Span(kept, end), ""),), sure)


# What is changed in place


def _return(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """An end of a function that changes what it was given."""
    return seen.fixes(ReturnNothing(problem.span))


def _copy_each_round(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """A copy where a loop gives one name what another stands for."""
    return seen.fixes(CopyRenamed(problem.span))


def _as_parameter(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """What a function inside another changes becomes one of its parameters, and is given in each call."""
    around = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    if around is None:
        return ()
    return seen.fixes(AsParameter(Span(around.start, around.start + around.length), problem.span))


# Text that cannot be read


def _keyword(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """A word before what cannot be read that is spelled almost like one of the language."""
    line = seen.analysis.source.line_span(seen.analysis.source.place(problem.span.start).line)
    for word in _WORD.finditer(seen.text, line.start, problem.span.start):
        for fix in _spellings(Span(*word.span()), seen.text, seen.analysis.language.vocabulary.keywords):
            yield fix._replace(declares=True)


def _character(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """What looks like the characters of a line that cannot be read."""
    source = seen.analysis.source
    return seen.fixes(Lookalikes(source.line_span(source.place(problem.span.start).line)))


def _end(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """The end of a block that is missing."""
    opener = next((related.span.start for related in problem.related), problem.span.start)
    return seen.fixes(CloseBlock(opener, problem.span.end))


def _import(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """An import that brings no names but the module's own."""
    return seen.fixes(ImportNamed(problem.span))


# Types


def _result(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """Another type of the result than the one that is declared."""
    function = seen.analysis.function_named_at(problem.span.start)
    return () if function is None else seen.fixes(DeclareResult(function.name_span, _VALUES))


def _unbox(problem: Problem, seen: _CheckedText) -> Iterable[Fix]:
    """What a black box returns, read as a number."""
    return seen.fixes(Through("read it as a Real number", problem.span, (UNBOX,), sure=False))


def _public(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """Of several parameters one that is public: a number that is known does not move, so what it scales moves by a
    known factor. To make the only one public would be no answer, unless it is a number beside a dataset, such as a
    limit that records are compared with. Several numbers may be those of several people: none of them is made public.
    Whoever gave the number is not protected then, which the repair says."""
    function = next((each for each in seen.analysis.functions if each.span.covers(problem.span.start)), None)
    if function is None:
        return
    private = [each for each in function.details.parameters if not each.static]
    named = [each for each in private if f"`{each.name}`" in problem.message]
    beside = any(isinstance(each.type, Dataset) for each in private)
    numbers = [each for each in named if isinstance(each.type, NumberType)]
    for name in (each.name for each in numbers if len(named) > 1 or beside):
        for fix in seen.fixes(DeclarePublic(frozenset((name,)), function=function.name_span)):
            yield fix._replace(title=f"{fix.title}, which protects `{name}` no more")


def _by_rows(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """A sum of rows, where all entries were added up; or records, where numbers were measured by a norm."""
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(AddRows(function.span))
        yield from seen.fixes(ProtectRecords(function.name_span, DATASETS))


def _within_budget(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """So much less ε for each release as the budget is less than what is proved; or, if that is not enough because
    what they cost together is no sum, half of that."""
    function = seen.function_at(problem)
    least = next((each.amount for each in problem.extent), "")
    claimed = next((_CLAIMED.search(seen.text, *related.span) for related in problem.related), None)
    if function is None or claimed is None or not _is_number(least) or not _is_number(claimed[1]):
        return
    factor = Fraction(claimed[1]) / Fraction(least)
    for share in (factor, factor / 2):
        yield from seen.fixes(Spend(function.span, share))


_CLAIMED = re.compile(r"(?:ε|epsilon)\s*(?:<=|≤)\s*([0-9./e-]+)")


def _is_number(text: str) -> bool:
    try:
        return Fraction(text) > 0
    except (ValueError, ZeroDivisionError):
        return False


def _otherwise_written(problem: Problem, seen: _CheckedText) -> Iterator[Fix]:
    """What is not part of the language, in other words that are."""
    yield from _by_map(problem, seen)
    chunk = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    if chunk is not None:
        around = Span(chunk.start, chunk.start + chunk.length)
        yield from seen.fixes(ByRounds(around))
        yield from seen.fixes(ByPosition(around))
        yield from seen.fixes(AsTuple(around))
        yield from seen.fixes(AsCall(around))


_PROPOSERS: dict[str, Callable[[Problem, _CheckedText], Iterable[Fix]]] = {
    UnknownName.code: _name,
    UnknownType.code: _type,
    NeedsTypes.code: _annotation,
    IgnoreUnused.code: _comment,
    IgnoreUnknownCode.code: _unknown_comment,
    RemarkUnknown.code: _unknown_comment,
    MissingReturn.code: _return,
    LoopShuffle.code: _copy_each_round,
    CapturedChanged.code: _as_parameter,
    SyntaxProblem.code: _keyword,
    BadCharacter.code: _character,
    MissingEnd.code: _end,
    OpenImport.code: _import,
    WrongResult.code: _result,
    NotUnboxed.code: _unbox,
    UnboundedInput.code: _public,
    Unbounded.code: _public,
    PrivateBranch.code: _public,
    Unsupported.code: _otherwise_written,
    HollowCondition.code: _by_rows,
    BudgetMissed.code: _within_budget,
    ConditionFails.code: _least_noise,
}
