"""Repairs that are made of what the whole project says of a file: names that it defines, and how it is written.

Edits that are made one after the other, as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.records import Analysis, FunctionReport
from dp_lsp.builtins.remedies import DATASETS, UNBOX
from dp_lsp.core.annotation import AFunction, Annotation, ContainerOf, DatasetOf, NumberOf
from dp_lsp.core.types import Base, Container, Dataset, DatasetMetric, Kind, NumberType
from dp_lsp.engine.problems import IgnoreUnknownCode, IgnoreUnused, RemarkUnknown
from dp_lsp.engine.remarks import IGNORE
from dp_lsp.frontends.problems import BadCharacter, MissingEnd, NothingSaid, SyntaxProblem
from dp_lsp.hopeless import CannotBeProved
from dp_lsp.infer.problems import (
    BudgetMissed,
    CallsUnchecked,
    ConditionFails,
    DoesNotFit,
    HelperMisled,
    HollowCondition,
    InvertedNoise,
    LeavesUnprotected,
    MoreThanAdded,
    MustBePublic,
    NeedsTypes,
    NoField,
    NoiseApart,
    NoMechanism,
    NoRule,
    NotANumber,
    NotAsCalled,
    NotRepeatable,
    NotUnboxed,
    OwnNoise,
    PlaceOfRecord,
    PrivateBranch,
    PrivateCheck,
    PrivateCount,
    PrivateOutput,
    ProtectsNumbers,
    Unbounded,
    UnboundedInput,
    UnknownCount,
    UnknownName,
    WhomItProtects,
    WrongArgument,
    WrongCount,
    WrongResult,
)
from dp_lsp.intents import (
    HIGHEST,
    AddRows,
    AllAtOnce,
    Annotate,
    AsCall,
    AsFunction,
    AsNumber,
    AsParameter,
    AsTuple,
    AtMost,
    ByMap,
    ByPosition,
    ByRounds,
    CloseBlock,
    CollectResults,
    CopyRenamed,
    DeclarePublic,
    DeclareRecords,
    DeclareResult,
    EnoughNoise,
    GiveName,
    ImportNamed,
    InParentheses,
    Intent,
    LeaveOutCheck,
    Lookalikes,
    Once,
    OneTable,
    Otherwise,
    PassColumns,
    PassKnown,
    PassTable,
    ProtectRecords,
    Rename,
    Rendering,
    ReturnNothing,
    ReturnReleased,
    SayWhatIsGiven,
    SayWhatIsRead,
    SayWhoTrains,
    Spend,
    Through,
    Unqualified,
    WithoutDots,
    together,
)
from dp_lsp.lower.problems import (
    BuiltinRedefined,
    CapturedChanged,
    FilledElsewhere,
    LoopShuffle,
    MissingReturn,
    OpenImport,
    ReturnInside,
    UnknownType,
    Unsupported,
)
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span


class _EditedPlace(NamedTuple):
    """A place of an edited text: in the text before, and how far inside of what which edit wrote."""

    before: int
    edit: int | None = None
    inside: int = 0


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after some edits, all of them of this text."""
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def composed(first: Iterable[Edit], second: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """Edits of a text, and those of what it is after them, as edits of the text; None where one of the latter begins or
    ends inside of what one of the former wrote, and the other end is elsewhere."""
    made: list[Edit | None] = [*sorted(first)]
    known = [each for each in made if each is not None]
    inner: list[tuple[int, Edit, int]] = []
    added: list[Edit] = []
    for edit in second:
        start, end = _place(known, edit.span.start, False), _place(known, edit.span.end, True)
        if edit.span.start == edit.span.end:  # beside what was written, it belongs to that
            start = end = start if start.edit is not None else end
        if start.edit is not None and start.edit == end.edit:
            inner.append((start.edit, edit, start.inside))
        elif start.edit is None and end.edit is None:
            span = Span(start.before, end.before)
            for index, each in enumerate(known):
                if span.start <= each.span.start and each.span.end <= span.end and span.start < span.end:
                    made[index] = None
                    edit = _keeping(edit, each)
            added.append(edit._replace(span=span))
        else:
            return None
    for index, edit, at in sorted(inner, key=lambda each: each[2], reverse=True):
        whole = made[index]
        if whole is None:
            return None
        made[index] = _inside(whole, edit, at)
    return tuple(sorted([*(each for each in made if each is not None), *added]))


def _place(edits: Sequence[Edit], at: int, is_end: bool) -> _EditedPlace:
    """Where a place of an edited text is. What begins or ends just where something was written counts as outside of it
    if it goes on there."""
    shift = 0
    for index, edit in enumerate(edits):
        start = edit.span.start + shift
        end = start + len(edit.text)
        if at < start or (at == start and (is_end or not edit.text)):
            return _EditedPlace(at - shift)
        if at < end or (at == end and is_end):
            return _EditedPlace(edit.span.start, index, at - start)
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return _EditedPlace(at - shift)


def _inside(whole: Edit, edit: Edit, at: int) -> Edit:
    """What an edit writes, edited."""
    end = at + edit.span.end - edit.span.start
    more = len(edit.text) - (end - at)
    kept = [each for each in whole.placeholders if each.at + len(each.default) <= at]
    after = [each._replace(at=each.at + more) for each in whole.placeholders if each.at >= end]
    new = [each._replace(at=each.at + at) for each in edit.placeholders]
    return Edit(whole.span, whole.text[:at] + edit.text + whole.text[end:], (*kept, *new, *after))


def _keeping(edit: Edit, covered: Edit) -> Edit:
    """An edit that writes again what an edit wrote that it covers, with what that left to choose; of two that wrote the
    same, each in its place."""
    taken = {each.at for each in edit.placeholders}
    first = covered.placeholders[0].at if covered.placeholders else 0
    at = edit.text.find(covered.text) if covered.placeholders else -1
    while at >= 0 and at + first in taken:
        at = edit.text.find(covered.text, at + 1)
    if at < 0:
        return edit
    moved = [each._replace(at=each.at + at) for each in covered.placeholders]
    return edit._replace(placeholders=tuple(sorted((*edit.placeholders, *moved), key=lambda each: each.at)))


def named_in(fix: Fix, names: Mapping[str, str]) -> Fix:
    """A fix with names of the program where they are what is asked for."""
    return fix._replace(edits=tuple(_named(edit, names) for edit in fix.edits))


def _named(edit: Edit, names: Mapping[str, str]) -> Edit:
    for index in range(len(edit.placeholders)):
        each = edit.placeholders[index]
        name = names.get(each.name)
        if name is not None:
            text = edit.text[: each.at] + name + edit.text[each.at + len(each.default) :]
            more = len(name) - len(each.default)
            after = [other._replace(at=other.at + more) for other in edit.placeholders[index + 1 :]]
            placeholders = (*edit.placeholders[:index], each._replace(default=name), *after)
            edit = Edit(edit.span, text, placeholders)
    return edit


def linked(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits in which a number that is written by itself, and is one that the author chooses beside it, is that choice:
    noise that is made for the bound that is asked for."""
    chosen = {each.default: each for edit in edits for each in edit.placeholders if each.name == HIGHEST.name}
    return tuple(
        edit._replace(placeholders=(chosen[edit.text]._replace(at=0),))
        if edit.text in chosen and not edit.placeholders
        else edit
        for edit in edits
    )


_WORD = re.compile(r"[^\W\d]\w*!?")
_NEAR = 0.65
_MOST_ALIKE = 3
_VALUES: tuple[Annotation, ...] = (
    NumberOf(Base.REAL),
    ContainerOf(Kind.VECTOR, Base.REAL),
    ContainerOf(Kind.MATRIX, Base.REAL),
)
_ROUNDS = 10
_BREAK = re.compile(r"\r\n|\n|\r")
_CLAIMED = re.compile(r"(?:ε|epsilon)\s*(?:<=|≤)\s*([0-9./e-]+)")


class CheckedText(NamedTuple):
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


def is_hopeful(problem: Problem) -> bool:
    """Whether something may be proposed for a problem."""
    return problem.code in _PROPOSERS or problem.code in _OF_WHAT_IS_GIVEN | _OF_WHAT_IS_READ


_PAIRED = frozenset(
    each.code for each in (WrongArgument, UnknownName, PrivateBranch, PlaceOfRecord, DoesNotFit, UnboundedInput)
)


def foremost(problem: Problem, seen: Callable[[], CheckedText]) -> Iterator[Fix]:
    """The fixes that are worth a trial before those that the problem has."""
    if problem.code in _OF_WHAT_IS_READ:
        yield from seen().fixes(SayWhatIsRead(DATASETS, problem.span.start))
    if problem.code in _OF_WHAT_IS_GIVEN:
        yield from _what_is_given(problem, seen())
    if problem.code not in _PAIRED or (function := seen().function_at(problem)) is None:
        return
    line = seen().analysis.source.line_span(seen().analysis.source.place(problem.span.start).line)
    yield from seen().fixes(AsCall(line))
    yield from seen().fixes(OneTable(function.name_span, function.span, only=True))
    if problem.code == UnboundedInput.code and not any(
        isinstance(each.type, Dataset) and f"`{each.name}`" in problem.message for each in function.details.parameters
    ):
        yield from reversed([*_public(problem, seen())])  # only limits of records: all of them first


def proposals(problem: Problem, seen: Callable[[], CheckedText]) -> Iterable[Fix]:
    """The fixes that are worth a trial."""
    propose = _PROPOSERS.get(problem.code)
    return () if propose is None else propose(problem, seen())


def names_defined(analysis: Analysis) -> Iterator[str]:
    """The top-level names that a file defines."""
    return (name for placed in analysis.chunks for name in placed.record.verdict.defines)


# Names and types


def _name(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A name that is spelled almost like this one: of a builtin, of the project, or of the function it stands in. One
    of the language itself is spelled as it was meant."""
    around = (seen.text[chunk.start :][: chunk.length] for chunk in seen.analysis.chunks_at(problem.span.start))
    words = {word for text in around for word in _WORD.findall(text)}
    yield from seen.fixes(GiveName(problem.span))
    written = seen.text[slice(*problem.span)]
    known = seen.analysis.language.vocabulary.elsewhere.get(written)
    if known is not None and known not in seen.defined:
        yield Fix(f"change `{written}` to `{known}`", (Edit(problem.span, known),), declares=True)
    vocabulary = seen.analysis.language.vocabulary
    if seen.analysis.language.builtins.find(written) is None and written not in vocabulary.hopeless:
        builtins = set(seen.analysis.language.builtins.names())
        yield from _spellings(problem.span, seen.text, words | seen.defined | builtins)
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(CollectResults(function.span))
        yield from seen.fixes(Otherwise(function.span))
    yield from _one_table(problem, seen)
    chunk = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    if chunk is not None:
        yield from seen.fixes(AsTuple(Span(chunk.start, chunk.start + chunk.length)))
    yield from _after_release(problem, seen)


def _type(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A type or norm that is spelled almost like one of the words of an annotation."""
    start, end = problem.span
    yield from seen.fixes(InParentheses(problem.span))
    for word in _WORD.finditer(seen.text, start, end):
        if word[0] not in (known := seen.analysis.language.annotations.words):
            yield from _spellings(Span(*word.span()), seen.text, known)
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(PassColumns(problem.span, function.name_span, function.span))
        yield from seen.fixes(PassKnown(function.name_span, function.span))
        yield from seen.fixes(PassTable(function.name_span, function.span))
        yield from seen.fixes(Otherwise(function.span))
    for type_ in map(seen.code.annotation, DATASETS):
        yield Fix(f"say what the records are: `{type_}`", (Edit(problem.span, type_),), sure=False)


def _field(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """The columns of a table, or the fields of records, that are a parameter of which nothing is said."""
    function = seen.function_at(problem)
    for each in function.details.parameters if function is not None else ():
        named = re.compile(rf"(?<=[(,;\s]){re.escape(each.name)}(?=[\s,;)])")
        at = None if function is None else named.search(seen.text, function.name_span.end)
        if at is not None and function is not None:
            yield from seen.fixes(PassColumns(Span(*at.span()), function.name_span, function.span))


def _spellings(span: Span, text: str, known: Iterable[str], words: Collection[str] = ()) -> Iterator[Fix]:
    """Another spelling of a word, which is not one of those that are right."""
    from difflib import get_close_matches  # only a mistake needs it

    written = text[span.start : span.end]
    if written in words:
        return
    others = sorted(set(known) - {written})
    alike = [name for name in others if name.casefold() == written.casefold()]
    for name in dict.fromkeys([*alike, *get_close_matches(written, others, _MOST_ALIKE, _NEAR)]):
        yield Fix(f"change `{written}` to `{name}`", (Edit(span, name),))


def _annotation(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """An annotation for a parameter that has none, which may be public."""
    function = seen.analysis.function_named_at(problem.span.start)
    if function is None:
        return
    yield from seen.fixes(Annotate(function.name_span, (*DATASETS, *_VALUES, AFunction())))
    private = [each for each in function.details.parameters if not each.static]
    numbers = frozenset(each.name for each in private if isinstance(each.type, NumberType))
    if any(isinstance(each.type, Container | Dataset) for each in private):
        yield from (
            fix._replace(declares=True) for fix in seen.fixes(DeclarePublic(numbers, function=function.name_span))
        )


def _renamed(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """A variable that is called like a builtin, by another name."""
    function = seen.function_at(problem)
    return () if function is None else seen.fixes(Rename(problem.span, function.span))


def _result(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """Another type of the result than the one that is declared."""
    function = seen.analysis.function_named_at(problem.span.start)
    return () if function is None else seen.fixes(DeclareResult(function.name_span, _VALUES))


def _unbox(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What a black box returns, read as a number."""
    return seen.fixes(Through("read it as a Real number", problem.span, (UNBOX,), sure=False))


def _public(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
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
    text = seen.text[slice(*function.span)]
    listed = [each for each in named if isinstance(each.type, Container) and seen.code.goes_through(each.name, text)]
    if len(listed) == len(named):
        listed = []
    found = [each.name for each in (*numbers, *listed)] if len(named) > 1 or beside else []
    sets: list[tuple[str, ...]] = [(name,) for name in found]
    if len(found) > 1 and (beside or len(found) < len(named)):
        sets.append(tuple(found))
    elif len(found) > 2:
        sets.append(tuple(found[1:]))  # what is put between two numbers stands before these
    for names in sets:
        for fix in seen.fixes(DeclarePublic(frozenset(names), function=function.name_span)):
            yield fix._replace(title=f"{fix.title}, which protects {_listed(names)} no more")


def _listed(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)


def _unbounded(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A number that is public, or numbers of the same people; the square of a deviation in its place."""
    yield from _public(problem, seen)
    yield from _one_table(problem, seen)
    yield from _in_other_words(problem, seen)


def _choice_unbounded(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A number that is public; or one that is put between two others by hand."""
    yield from _in_other_words(problem, seen)
    yield from _public(problem, seen)


def _in_order(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """Records of which some are picked by their places have places; numbers of the same people are one table."""
    yield from _one_table(problem, seen)
    function = seen.function_at(problem)
    text = "" if function is None else seen.text[slice(*function.span)]
    name = _WORD.match(seen.text, problem.span.start)
    if name is None or not seen.code.picks(name[0], text):
        return
    records = ContainerOf(Kind.VECTOR, Base.REAL)
    yield from seen.fixes(DeclareRecords(problem.span, (DatasetOf(DatasetMetric.HAMMING, records),)))


def _by_rows(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A sum of rows, where all entries were added up; or records, where numbers were measured by a norm."""
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(AddRows(function.span))
        yield from seen.fixes(ProtectRecords(function.name_span, DATASETS))


def _within_budget(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
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


def _is_number(text: str) -> bool:
    try:
        return Fraction(text) > 0
    except (ValueError, ZeroDivisionError):
        return False


def _least_noise(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """Gaussian noise that is as large as its ε and δ ask for, where the classical formula has no proof."""
    from dp_lsp.mechanisms.noise import least_deviation  # hardly any problem asks for it

    return seen.fixes(EnoughNoise(problem.span.start, least_deviation))


# Constructs in other words


def _at_most(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """A loop that releases something until it is as it should be, so many times at most: each time costs."""
    return seen.fixes(AtMost(problem.span, _ROUNDS))


def _by_map(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """Other words for it, here and in the rest of the function."""
    others = tuple(place.span for place in problem.related if place.where is None)
    return seen.fixes(ByMap(problem.span, others))


def _otherwise_written(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """What is not part of the language, in other words that are."""
    yield from _by_map(problem, seen)
    chunk = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    if chunk is not None:
        around = Span(chunk.start, chunk.start + chunk.length)
        yield from seen.fixes(ByRounds(around))
        yield from seen.fixes(ByPosition(around))
        yield from seen.fixes(AsTuple(around))
        yield from seen.fixes(AsCall(around))
    yield from seen.fixes(Unqualified(problem.span, frozenset(seen.analysis.language.builtins.names())))
    yield from seen.fixes(AsNumber(problem.span))
    yield from seen.fixes(AsFunction(problem.span))
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(CollectResults(function.span))
        yield from seen.fixes(Otherwise(function.span))
        yield from seen.fixes(PassTable(function.name_span, function.span))
    else:
        yield from seen.fixes(Otherwise(problem.span))
    yield from _unchecked(problem, seen)
    yield from _after_release(problem, seen)
    if function is not None:
        yield from _declared_and_reworded(problem, seen, function.span)


def _declared_and_reworded(problem: Problem, seen: CheckedText, function: Span) -> Iterator[Fix]:
    """What parameters are, where nothing is said of them, and other words at once: neither may be read without the
    other."""
    reworded = next(iter(seen.fixes(Otherwise(function))), None)
    if reworded is None:
        return
    after = seen._replace(text=edited(seen.text, reworded.edits))
    for fix in (*seen.code.fixes(SayWhatIsRead(DATASETS, function.start), after.text), *_what_is_given(problem, after)):
        edits = composed(reworded.edits, fix.edits)
        if edits is not None:
            yield fix._replace(title=together([fix.title, reworded.title]), edits=edits)


_CHECK = "leave out the check: that a run fails tells whether private data pass it"


_SHOWN = "leave it out: who sees the output sees private data"


def _one_table(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What is made of two vectors entry by entry is made of two numbers of each person."""
    function = seen.function_at(problem)
    return () if function is None else seen.fixes(OneTable(function.name_span, function.span))


def _wrongly_given(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """Vectors of the same people, or other words for what is given."""
    yield from _one_table(problem, seen)
    yield from _in_other_words(problem, seen)


def _not_fitting(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """Numbers that are computed with as if they were vectors, or vectors of the same people; the mean of records whose
    number is private."""
    yield from seen.fixes(WithoutDots(problem.span))
    yield from _one_table(problem, seen)
    yield from _in_other_words(problem, seen)
    yield from _in_other_words(problem, seen)


def _in_other_words(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """A comparison that is given one value is a function of the other; what returns nothing returns a number; noise
    that a function draws is drawn where it is added."""
    function = seen.function_at(problem)
    return () if function is None else seen.fixes(Otherwise(function.span))


def _decided(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """What is released again and again until it is near private data; or what is public of these."""
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(Once(problem.span, function.span))
    yield from _in_other_words(problem, seen)
    yield from _public(problem, seen)


def _unprotected(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """What a loop carries while it releases one entry after the other; or what decides whether a run fails."""
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(AllAtOnce(function.span))
    yield from _unchecked(problem, seen)
    yield from _in_other_words(problem, seen)


def _unchecked(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """What is private, or is not understood, decides whether a run fails."""
    function = seen.function_at(problem)
    if function is not None:
        yield from seen.fixes(LeaveOutCheck(_CHECK, problem.span, function.span))


def _unshown(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What shows private data, and does nothing else."""
    function = seen.function_at(problem)
    return () if function is None else seen.fixes(LeaveOutCheck(_SHOWN, problem.span, function.span, shows=True))


def _without_rule(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A check, what comes after the release, or what has other words."""
    yield from _unchecked(problem, seen)
    yield from _after_release(problem, seen)
    yield from _in_other_words(problem, seen)
    if (function := seen.function_at(problem)) is not None:
        yield from _declared_and_reworded(problem, seen, function.span)


def _after_release(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What is not understood is done with what was released, and so may be done anywhere."""
    function = seen.function_at(problem)
    return () if function is None else seen.fixes(ReturnReleased(problem.span, function.span))


def _what_is_given(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What the parameters of a private function are, where nothing is said of them."""
    function = seen.function_at(problem)
    if function is None:
        return ()
    if function.kind != "privacy":
        return seen.fixes(SayWhoTrains(problem.span.start))
    return seen.fixes(SayWhatIsGiven(function.name_span.start, DATASETS, (NumberOf(Base.REAL),)))


def _what_is_read(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What the body of a file reads, where nothing is said of that."""
    return seen.fixes(SayWhatIsRead(DATASETS))


def _import(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """An import that brings no names but the module's own."""
    return seen.fixes(ImportNamed(problem.span))


# Comments that speak to the checker


def _comment(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """To leave a comment out, with its line if nothing else stands there."""
    yield _without(problem, seen.text, sure=True)


def _unknown_comment(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
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


def _return(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """An end of a function that changes what it was given."""
    return seen.fixes(ReturnNothing(problem.span))


def _copy_each_round(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """A copy where a loop gives one name what another stands for."""
    return seen.fixes(CopyRenamed(problem.span))


def _as_parameter(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What a function inside another changes becomes one of its parameters, and is given in each call."""
    around = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    if around is None:
        return ()
    return seen.fixes(AsParameter(Span(around.start, around.start + around.length), problem.span))


# Text that cannot be read


def _keyword(problem: Problem, seen: CheckedText) -> Iterator[Fix]:
    """A word before what cannot be read that is spelled almost like one of the language."""
    line = seen.analysis.source.line_span(seen.analysis.source.place(problem.span.start).line)
    for word in _WORD.finditer(seen.text, line.start, problem.span.start):
        for fix in _spellings(Span(*word.span()), seen.text, seen.analysis.language.vocabulary.keywords):
            yield fix._replace(declares=True)


def _character(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """What looks like the characters of a line that cannot be read."""
    source = seen.analysis.source
    return seen.fixes(Lookalikes(source.line_span(source.place(problem.span.start).line)))


def _end(problem: Problem, seen: CheckedText) -> Iterable[Fix]:
    """The end of a block that is missing."""
    opener = next((related.span.start for related in problem.related), problem.span.start)
    return seen.fixes(CloseBlock(opener, problem.span.end))


_PROPOSERS: dict[str, Callable[[Problem, CheckedText], Iterable[Fix]]] = {
    UnknownName.code: _name,
    UnknownType.code: _type,
    NoField.code: _field,
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
    NothingSaid.code: _what_is_read,
    WrongResult.code: _result,
    BuiltinRedefined.code: _renamed,
    NotUnboxed.code: _unbox,
    UnboundedInput.code: _unbounded,
    Unbounded.code: _choice_unbounded,
    PrivateBranch.code: _decided,
    NotRepeatable.code: _at_most,
    Unsupported.code: _otherwise_written,
    CannotBeProved.code: _in_other_words,
    NoRule.code: _without_rule,
    PrivateCheck.code: _unchecked,
    PrivateOutput.code: _unshown,
    LeavesUnprotected.code: _unprotected,
    HollowCondition.code: _by_rows,
    BudgetMissed.code: _within_budget,
    ConditionFails.code: _least_noise,
    ProtectsNumbers.code: _in_order,
    WrongArgument.code: _wrongly_given,
    MustBePublic.code: _in_other_words,
    PlaceOfRecord.code: _in_other_words,
    FilledElsewhere.code: _in_other_words,
    DoesNotFit.code: _not_fitting,
    WrongCount.code: _in_other_words,
    NotAsCalled.code: _in_other_words,
    NoiseApart.code: _in_other_words,
    NotANumber.code: _in_other_words,
    OwnNoise.code: _in_other_words,
    CallsUnchecked.code: _in_other_words,
    MoreThanAdded.code: _in_other_words,
    InvertedNoise.code: _in_other_words,
    UnknownCount.code: _in_other_words,
    PrivateCount.code: _in_other_words,
    ReturnInside.code: _in_other_words,
    CannotBeProved.code: _in_other_words,
}
_OF_WHAT_IS_GIVEN = frozenset(
    kind.code
    for kind in (
        *(Unsupported, MustBePublic, LeavesUnprotected, WrongArgument, WhomItProtects, UnboundedInput, NoMechanism),
        *(DoesNotFit, PrivateBranch, NotAsCalled, NeedsTypes, HelperMisled, PrivateCheck, PrivateOutput),
    )
)
"""What problems there are where nothing says what the parameters of a function are."""
_OF_WHAT_IS_READ = frozenset(kind.code for kind in (Unsupported, NoRule, CallsUnchecked))
"""What problems there are where a function reads data, and nothing says whom they protect."""
