"""Fixes that are worth a trial, for problems whose own rule knows none.

They are made of what the whole project says, which what is remembered of a function must not depend on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.records import Analysis
from dp_lsp.builtins.remedies import COPY, UNBOX
from dp_lsp.builtins.rewriting import by_map, classical_noise
from dp_lsp.engine.problems import IgnoreUnknownCode, IgnoreUnused, RemarkUnknown
from dp_lsp.engine.remarks import IGNORE, ignoring
from dp_lsp.frontends.problems import BadCharacter, MissingEnd
from dp_lsp.infer.explain import publish, wrap
from dp_lsp.infer.problems import (
    ConditionFails,
    NeedsTypes,
    NotUnboxed,
    Unbounded,
    UnboundedInput,
    UnknownName,
    WrongResult,
)
from dp_lsp.lower.problems import CapturedChanged, LoopShuffle, MissingReturn, OpenImport, UnknownType, Unsupported
from dp_lsp.lower.type_names import RESERVED
from dp_lsp.problem import Edit, Fix, Problem, Severity, may_be_accepted
from dp_lsp.text import Source, Span

_WORD = re.compile(r"[^\W\d]\w*!?")
_NEAR = 0.6
_MOST = 3
_VALUES = ("Real", "Vector{<:Real}", "Matrix{<:Real}")
_TYPES = (*_VALUES, "Function")
_NAME = re.compile(r"[^\W\d]\w*")
_BREAK = re.compile(r"\r\n|\n|\r")
_BRACKET = re.compile(r"[][(){}]")
_RENAMING = re.compile(r"^[ \t]*([^\W\d]\w*)[ \t]*=[ \t]*([^\W\d]\w*)[ \t]*$", re.MULTILINE)
_INNER = re.compile(r"function[ \t]+([^\W\d]\w*!?)\(")
_RESULT = re.compile(r"\)\s*::\s*([^\s=]+)")
_PARAMETER = re.compile(r"[(,;]\s*([^\W\d]\w*(?:::(?:[^][(){},;=]|[\[({][^][(){}]*[\])}])+)?)\s*(?=[,;)])")
_LOOKALIKES = {
    **dict.fromkeys("“”„‟", '"'), **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""), "\u2013": "-", "\u2014": "-",
    "（": "(", "）": ")", "，": ",", "；": ";", "：": ":", "＝": "=", "＋": "+", "＊": "*",
}  # fmt: skip
"""Characters that a word processor or another keyboard writes, and the ones that are meant."""
_BARE = re.compile(r"(?<=[(,])\s*([^\W\d]\w*)\s*(?=[,)])")


class Seen(NamedTuple):
    """A text, what is known of it, and the names that its projects define."""

    text: str
    analysis: Analysis
    defined: frozenset[str]


def is_hopeful(problem: Problem) -> bool:
    """Whether something may be proposed for a problem."""
    return problem.code in _PROPOSERS


def proposals(problem: Problem, seen: Callable[[], Seen]) -> Iterable[Fix]:
    """The fixes that are worth a trial."""
    propose = _PROPOSERS.get(problem.code)
    return () if propose is None else propose(problem, seen())


def names_defined(analysis: Analysis) -> Iterator[str]:
    """The top-level names that a file defines."""
    return (name for placed in analysis.chunks for name in placed.record.verdict.defines)


def _name(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """A name that is spelled almost like this one: of a builtin, of the project, or of the function it stands in."""
    around = (seen.text[chunk.start :][: chunk.length] for chunk in seen.analysis.chunks_at(problem.span.start))
    words = {word for text in around for word in _WORD.findall(text)}
    return _spellings(problem.span, seen.text, words | seen.defined | builtins.TABLE.keys())


def _type(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """A type or norm that is spelled almost like one of the words of an annotation."""
    start, end = problem.span
    for word in _WORD.finditer(seen.text, start, end):
        if word[0] not in RESERVED:
            yield from _spellings(Span(*word.span()), seen.text, RESERVED)


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


def _annotation(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """An annotation for a parameter that has none."""
    function = seen.analysis.function_named_at(problem.span.start)
    if function is None:
        return
    end = seen.text.find(")", function.name_span.end) + 1
    for bare in _BARE.finditer(seen.text, function.name_span.end, end):
        for type_ in _TYPES:
            place = Span(bare.end(1), bare.end(1))
            yield Fix(f"annotate it: `{bare[1]}::{type_}`", (Edit(place, f"::{type_}"),), sure=False)


def may_accept(problem: Problem) -> bool:
    """Whether a comment may be written that accepts a problem."""
    return problem.severity in (Severity.ERROR, Severity.WARNING) and may_be_accepted(problem.code)


def ignores(problem: Problem, source: Source) -> Iterator[Callable[[str], Edit]]:
    """The places for a comment that accepts a problem, given the reason: beside its line, or above it."""
    if not may_accept(problem):
        return
    start, end = source.line_span(source.place(problem.span.start).line)
    line = source.text[start:end]
    if "#" not in line:
        yield lambda reason: Edit(Span(end, end), f"  {ignoring(problem.code, reason)}")
    indent = line[: len(line) - len(line.lstrip())]
    ends = "\r\n" if "\r\n" in source.text else "\n"
    yield lambda reason: Edit(Span(start, start), f"{indent}{ignoring(problem.code, reason)}{ends}")


def _by_map(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """Broadcasts and comprehensions in other words, here and in the rest of the function."""
    ways = list(islice(by_map(seen.text[slice(*problem.span)]), _MOST))
    if not ways:
        return
    spans = [place.span for place in problem.related if place.where is None]
    others = ((span, next(by_map(seen.text[slice(*span)]), "")) for span in spans)
    edits = tuple(Edit(span, way) for span, way in others if way)
    for way in ways:
        yield Fix(f"write `{way}`", (Edit(problem.span, way), *edits))


def _least_noise(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """Gaussian noise that is as large as its ε and δ ask for, where the classical formula has no proof."""
    from dp_lsp.accounting.normal import least_deviation  # hardly any problem asks for it

    found = classical_noise(seen.text, problem.span.start)
    sigma = None if found is None else least_deviation(Fraction(found.epsilon), Fraction(found.delta))
    if found is not None and sigma is not None:
        enough = f"enough for ε {found.epsilon} at δ {found.delta}"
        title = f"write `{found.by_deviation(sigma)} …)`, whose noise is {enough}"
        yield Fix(title, (Edit(Span(found.start, found.end), found.by_deviation(sigma)),), sure=False)


# Comments that speak to the checker


def _comment(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """To leave a comment out, with its line if nothing else stands there."""
    yield _without(problem, seen.text, sure=True)


def _unknown_comment(problem: Problem, seen: Seen) -> Iterator[Fix]:
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


def _return(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """A `return` at the end of a function that changes what it was given."""
    start, end = problem.span
    if _NAME.fullmatch(seen.text, start, end):
        yield Fix("write `return`", (Edit(problem.span, "return"),))
    else:
        place = Span(end, end)
        yield Fix("add `return`", (Edit(place, f"\n{_indentation(seen.text, start)}return"),))


def _copy_each_round(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """A copy where a loop gives one name what another stands for."""
    for found in _RENAMING.finditer(seen.text, *problem.span):
        yield wrap(f"give `{found[1]}` a copy", Span(*found.span(2)), COPY)


def _as_parameter(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """What a function inside another changes becomes one of its parameters, and is given in each call."""
    name, text = seen.text[slice(*problem.span)], seen.text
    around = next((each for each in seen.analysis.chunks_at(problem.span.start)), None)
    headers = [] if around is None else list(_INNER.finditer(text, around.start, problem.span.start))
    if around is None or not headers:
        return
    edits = []
    for call in re.finditer(rf"(?<![\w.]){re.escape(headers[-1][1])}\(", text[: around.start + around.length]):
        if call.start() >= around.start:
            close = _closing(text, call.end())
            comma = ", " if text[call.end() : close].strip() else ""
            edits.append(Edit(Span(close, close), f"{comma}{name}"))
    yield Fix(f"make `{name}` a parameter of `{headers[-1][1]}`", tuple(edits), sure=False)


# Text that cannot be read


def _character(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """What looks like the characters of a line that cannot be read."""
    start, end = seen.analysis.source.line_span(seen.analysis.source.place(problem.span.start).line)
    edits = tuple(
        Edit(Span(start + at, start + at + 1), _LOOKALIKES[each])
        for at, each in enumerate(seen.text[start:end])
        if each in _LOOKALIKES
    )
    if edits:
        instead = "".join(dict.fromkeys(edit.text for edit in edits))
        yield Fix(f"write `{instead}`" if instead else "take it out", edits)


def _end(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """The `end` that is missing, in the column of what it closes."""
    opener = next((related.span.start for related in problem.related), problem.span.start)
    end = problem.span.end
    yield Fix("add `end`", (Edit(Span(end, end), f"\n{_indentation(seen.text, opener)}end"),), sure=False)


def _import(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """An `import`, which brings no names but its own."""
    start = problem.span.start
    if seen.text.startswith("using", start):
        yield Fix("write `import`, which brings no other names", (Edit(Span(start, start + 5), "import"),), sure=False)


# Types


def _result(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """Another type of the result than the one that is declared."""
    function = seen.analysis.function_named_at(problem.span.start)
    found = None if function is None else _RESULT.match(seen.text, _closing(seen.text, function.name_span.end + 1))
    for type_ in _VALUES if found else ():
        assert found
        yield Fix(f"declare what it returns: `{type_}`", (Edit(Span(*found.span(1)), type_),), sure=False)


def _unbox(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """What a black box returns, read as a number."""
    yield wrap("read it as a Real number", problem.span, UNBOX)._replace(sure=False)


def _public(problem: Problem, seen: Seen) -> Iterator[Fix]:
    """Of several parameters one that is public: a number that is known does not move, so what it scales moves by a
    known factor. To make the only one public would be no answer."""
    function = next((each for each in seen.analysis.functions if each.span.covers(problem.span.start)), None)
    if function is None:
        return
    end = _closing(seen.text, function.name_span.end + 1)
    private = (each.name for each in function.parameters if not each.static)
    named = [name for name in private if f"`{name}`" in problem.message]
    spans = [Span(*found.span(1)) for found in _PARAMETER.finditer(seen.text, function.name_span.end, end + 1)]
    for name in named if len(named) > 1 else ():
        yield from publish(seen.text, spans, {name})


def _indentation(text: str, start: int) -> str:
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    return line[: len(line) - len(line.lstrip())]


def _closing(text: str, start: int) -> int:
    """Where the bracket is closed that is open at a place; the end of the text if it is not."""
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += 1 if found[0] in "([{" else -1
        if not depth:
            return found.start()
    return len(text)


_PROPOSERS: dict[str, Callable[[Problem, Seen], Iterator[Fix]]] = {
    UnknownName.code: _name,
    UnknownType.code: _type,
    NeedsTypes.code: _annotation,
    IgnoreUnused.code: _comment,
    IgnoreUnknownCode.code: _unknown_comment,
    RemarkUnknown.code: _unknown_comment,
    MissingReturn.code: _return,
    LoopShuffle.code: _copy_each_round,
    CapturedChanged.code: _as_parameter,
    BadCharacter.code: _character,
    MissingEnd.code: _end,
    OpenImport.code: _import,
    WrongResult.code: _result,
    NotUnboxed.code: _unbox,
    UnboundedInput.code: _public,
    Unbounded.code: _public,
    Unsupported.code: _by_map,
    ConditionFails.code: _least_noise,
}
