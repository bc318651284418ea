"""What is shown in the text itself: inlay hints (how far a value moves, where it gets a name, and what a call costs),
code lenses (above each function, what is proved of it, or why nothing is), and semantic tokens.

What says nothing new has no hint: values that are public, and what a function returns, which its own line tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.analysis.rows import WAITING, Fact, FactPart, Role, Spent
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.hover import numeric_words, standing
from dp_lsp.features.markdown import code, together
from dp_lsp.features.navigation import summary
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span

_FORMULA = 24  # characters of a number that is shown beside the code
_LABEL = 48  # characters of a hint
_RELEASED = "A mechanism released it: it moves with no parameter, and what is made of it costs nothing more."


class Hint(NamedTuple):
    """A short text behind a place, and the sentence it stands for, as plain text."""

    offset: int
    label: str
    tooltip: str


def hints(document: Document, span: Span, sensitivity: bool = True, privacy: bool = True) -> list[Hint]:
    """The hints in a range of the text as it is now, in order. What an edit may have changed has none."""
    if document.analysis is None:
        return []
    wanted = Span(document.analysed_offset(span.start), document.analysed_offset(span.end))
    by_end: dict[int, list[Fact]] = {}
    stale, unknown = document.stale, _unknown(document)
    for index, fact in document.analysis.facts_in(wanted):
        end = fact.span.end if fact.spent else fact.until
        if end and index not in stale and not any(each.covers(fact.span.start) for each in unknown):
            by_end.setdefault(end, []).append(fact)
    text = document.analysis.source.text
    found = []
    for end, facts in sorted(by_end.items()):
        place = document.present_span(Span(end - 1, end))
        if place is not None and span.covers(place.end):
            labels = (*(_costs(facts) if privacy else ()), *_values(facts, text, sensitivity, privacy))
            found += [Hint(place.end, *each) for each in labels]
    return found


def _unknown(document: Document) -> list[Span]:
    """The functions of which nothing is claimed."""
    assert document.analysis is not None
    return [each.span for each in document.analysis.functions if each.state is State.UNKNOWN]


def _costs(facts: Iterable[Fact]) -> Iterator[tuple[str, str]]:
    """What the calls that end at a place cost."""
    for fact in facts:
        if fact.spent:
            named = len(fact.spent) > 1
            label = " · ".join(_price(each, named) for each in fact.spent)
            costs = "; ".join(
                f"ε {each.epsilon} and δ {each.delta} for a change of {together(each.parameters, code)}"
                for each in fact.spent
            )
            yield _short(label), f"Each time this runs it costs {costs}."


def _price(spent: Spent, named: bool) -> str:
    parts = [f"ε {_formula(spent.epsilon)}"]
    if spent.delta != "0":
        parts.append(f"δ {_formula(spent.delta)}")
    return " ".join(parts) + (f" in {together(spent.parameters)}" if named else "")


def _values(facts: Sequence[Fact], text: str, sensitivity: bool, privacy: bool) -> Iterator[tuple[str, str]]:
    """How far the values that are made at a place move."""
    named = [fact for fact in facts if fact.until and fact.part is not FactPart.RESULT]
    for fact in named:
        name = fact.rule if fact.part is FactPart.AFTER else text[fact.span.start : fact.span.end]
        waits = any(WAITING in bound for _, bound in fact.moves)
        if fact.role is Role.PRIVATE and fact.moves and fact.moves != ((name, "1"),) and sensitivity and not waits:
            label = _short(" · ".join(f"{_formula(bound)} in {', '.join(names)}" for bound, names in _grouped(fact)))
            moves = "; ".join(f"{bound} in {_listed(names)}" for bound, names in _grouped(fact))
            prefix = f"{name}: " if fact.part is FactPart.AFTER or len(named) > 1 else ""
            yield prefix + label, f"From here on, `{name}` has sensitivity {moves}."
    released = [fact for fact in facts if fact.until and fact.part is not FactPart.AFTER and fact.role is Role.RELEASED]
    if released and privacy and not any(fact.spent for fact in facts):
        yield "released", _RELEASED


def _grouped(fact: Fact) -> list[tuple[str, list[str]]]:
    """The parameters that a value moves with, by how far."""
    groups: dict[str, list[str]] = {}
    for parameter, bound in fact.moves:
        groups.setdefault(bound, []).append(parameter)
    return list(groups.items())


def _listed(names: Sequence[str]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}" if first else last


def _formula(text: str) -> str:
    """A number, if it can be read at a glance; the whole is in the tooltip."""
    return text if len(text) <= _FORMULA else "…"


def _short(label: str) -> str:
    return label if len(label) <= _LABEL else label[: _LABEL - 1] + "…"


_LONGEST = 160  # characters of a line above the code
_CHECKING = "checking…"


class _Lens(NamedTuple):
    """A line of text above the name of a function. ``explained`` says that there is a derivation of what it says."""

    title: str
    span: Span
    explained: bool


def lenses(document: Document) -> list[_Lens]:
    """The lenses of each function, at its place in the text as it is now."""
    code_of = document.language.rendering
    return [
        _Lens(title, each.name_span, each.state is not State.STALE)
        for each in document.functions
        for title in (
            code_of.types_shown(_title(each, document.problems)),
            *map(code_of.spoken, each.proved_chains),
        )
    ]


def _title(function: FunctionReport, problems: Sequence[Problem]) -> str:
    """State before number: ``proved · x: ε 0.1  δ 0``; of what is not proved, the cause: ``not private: noise for 1,
    sensitivity 2``."""
    if function.state is State.STALE:
        return _CHECKING
    title = standing(function, problems)
    if function.state is State.PROVED:
        bounds = _numbers(function) or summary(function, first=True)
        title = " · ".join(filter(None, (title, _hidden(function), bounds)))  # a long bound is cut off
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def _hidden(function: FunctionReport) -> str:
    """In what inputs differ that a private function hides from each other."""
    return "; ".join(dict.fromkeys(filter(None, (each.neighbours for each in function.parameters))))


def _numbers(function: FunctionReport) -> str:
    """The bounds as numbers, if there is one for each."""
    if any(each.missing for each in function.numeric):
        return ""
    return " · ".join(f"{together(each.parameters)}: {numeric_words(each)}" for each in function.numeric)


# Semantic tokens: which names stand for private data, for public values, and for what a mechanism released.

TYPES = ("parameter", "variable", "function", "type")
MODIFIERS = ("declaration", "readonly", "defaultLibrary", "private", "released")
"""Public values are ``readonly``, which themes know: each has one value. The last two are our own."""

PARAMETER, VARIABLE, FUNCTION, TYPE = range(len(TYPES))
DECLARATION, READONLY, LIBRARY, PRIVATE, RELEASED = (1 << place for place in range(len(MODIFIERS)))

_OF_ROLE = {Role.PRIVATE: PRIVATE, Role.PUBLIC: READONLY, Role.RELEASED: RELEASED}


class SemanticToken(NamedTuple):
    """A name of the text as it is now: the place of its type in ``TYPES``, and a bit for each of ``MODIFIERS``."""

    span: Span
    type: int
    modifiers: int


def tokens(document: Document, span: Span | None = None) -> list[SemanticToken]:
    """The names in a range of the text as it is now, or in all of it, in order. Of what an edit may have changed it is
    not said whose it is."""
    if document.analysis is None:
        return []
    whole = Span(0, len(document.source.text)) if span is None else span
    wanted = Span(document.analysed_offset(whole.start), document.analysed_offset(whole.end))
    old, new = document.analysis.source.text, document.source.text
    found: dict[int, SemanticToken] = {}
    for name, type_, modifiers in _names(document, wanted):
        place = document.present_span(name)
        inside = place is not None and place.start < whole.end and whole.start < place.end
        if place is not None and inside and new[slice(*place)] == old[slice(*name)]:
            found.setdefault(place.start, SemanticToken(place, type_, modifiers))
    return _apart(found)


def _names(document: Document, wanted: Span) -> Iterator[tuple[Span, int, int]]:
    """The names in a range of the analysed text."""
    assert document.analysis is not None
    for function in document.analysis.functions:
        if function.span.start <= wanted.end and wanted.start <= function.span.end:
            yield function.name_span, FUNCTION, DECLARATION
    stale = document.stale
    for index, fact in document.analysis.facts_in(wanted):
        described = _described(fact, document)
        if described is not None:
            name, type_, modifiers = described
            role = 0 if index in stale else _OF_ROLE.get(fact.role, 0)
            yield name, type_, modifiers | role


def _described(fact: Fact, document: Document) -> tuple[Span, int, int] | None:
    """The name that a fact is about, and what it is besides whose."""
    match fact.part:
        case FactPart.NAME:
            return fact.span, FUNCTION if fact.role is Role.FUNCTION else VARIABLE, DECLARATION * bool(fact.until)
        case FactPart.PARAMETER:
            assert document.analysis is not None
            name = document.language.syntax.word_at(document.analysis.source.text, fact.span.start)
            end = fact.span.start + len(name)
            return (Span(fact.span.start, end), PARAMETER, DECLARATION * (end < fact.span.end)) if name else None
        case FactPart.CALLEE:
            return fact.span, FUNCTION, LIBRARY
        case FactPart.NORM | FactPart.TYPE:
            return fact.span, TYPE, LIBRARY
    return None


def _apart(found: dict[int, SemanticToken]) -> list[SemanticToken]:
    """Tokens in order, none of which covers another."""
    listed: list[SemanticToken] = []
    for _, token in sorted(found.items()):
        if not listed or listed[-1].span.end <= token.span.start:
            listed.append(token)
    return listed


def difference(old: list[int], new: list[int]) -> tuple[int, int, list[int]]:
    """The one replacement that makes ``new`` of ``old``: where, how many numbers go, and which come."""
    most = min(len(old), len(new))
    start = next((place for place in range(most) if old[place] != new[place]), most)
    most -= start
    tail = next((back for back in range(most) if old[-1 - back] != new[-1 - back]), most)
    return start, len(old) - start - tail, new[start : len(new) - tail]
