"""What is shown where the mouse points: the verdict of a function, or what an expression moves with. And the report of
a file as a page: the verdicts of all its functions, and what is wrong outside of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeGuard

from dp_lsp.analysis.records import Analysis, FunctionReport, State, reported
from dp_lsp.analysis.rows import (
    NOT_AS_DECLARED,
    WAITING,
    Fact,
    FactPart,
    FreeVariable,
    NumericReport,
    ParameterReport,
    Premised,
    Role,
    SpendingReport,
    Stability,
)
from dp_lsp.cells import place
from dp_lsp.features.markdown import code, prose, table, together
from dp_lsp.features.navigation import WORDS
from dp_lsp.language import Language
from dp_lsp.problem import DOCUMENTATION, INFINITE, Named, Problem, Severity, There
from dp_lsp.text import Span

KINDS = {"sensitivity": "sensitivity", "privacy": "private", "blackbox": "black box"}
_SHORT = 30  # characters of a formula that is shown as it is
_MOST = 12  # conditions shown; a person does not read more, and the report has them all
_MOST_ERRORS = 3  # shown; the others are marked in the text
_LONGEST = 60  # characters of an expression shown
_TOLD = 120  # characters of what a builtin does, and what is left of the sentence
_CHECKING = "*checking: this is from before the last edit*"


def prepare() -> None:
    """Load what is needed to say what is proved, and the table of builtins. That takes a tenth of a second, which
    nobody should wait for who points at something."""
    from dp_lsp import builtins
    from dp_lsp.analysis.details import NOTHING, encoded
    from dp_lsp.analysis.words import words

    builtins.TABLE.get("")
    words(encoded(NOTHING), "sensitivity", "")


@dataclass(frozen=True, slots=True)
class Hover:
    """A Markdown text about a range of the analysed text."""

    markdown: str
    span: Span


def hover(analysis: Analysis, offset: int, stale: bool = False, file: str = "", link: str = "") -> Hover | None:
    """What there is to say about the place at ``offset``; ``stale`` says that it was edited since, ``file`` how a
    person names the file on a command line, if it is one, and ``link`` where its derivation is."""
    about = _about(analysis, offset, stale)
    if about is None:
        return None
    paragraphs, span, explained = about
    at = place(analysis.source, offset)
    where = f"{file}:{at.in_cell}{at.line}"
    where = f'"{where}"' if " " in where else where
    why = f"why: {code(f'dp-lsp explain {where}')}" if file else ""
    why = f"[show derivation]({link})" if link else why
    return Hover(_join((*paragraphs, why if explained and not stale else "")), span)


_About = tuple[Iterable[str], Span, bool]
"""What there is to say, about what, and whether there is a derivation of it."""


def _about(analysis: Analysis, offset: int, stale: bool) -> _About | None:
    function = analysis.function_named_at(offset)
    if function:
        return function_text(analysis, function, stale), function.name_span, True
    known = _facts(analysis, offset)
    if not known:
        return None
    around = next((each for each in analysis.functions if each.span.covers(offset)), None)
    fact = known[0]
    if fact.part in (FactPart.NORM, FactPart.TYPE):
        return None
    if fact.part is FactPart.CALLEE:
        called = next((each for each in known[1:] if each.rule == fact.rule), fact)
        return (*_expression(called, analysis, stale, around), *_builtin(fact.rule, analysis.language)), fact.span, True
    if fact.role is Role.FUNCTION:
        name = analysis.source.text[fact.span.start : fact.span.end]
        methods = list(analysis.methods(name, offset))
        if methods:
            return [text for each in methods for text in function_text(analysis, each, stale)], fact.span, False
    about = tuple(_expression(fact, analysis, stale, around))
    declared = _declared(around, fact, analysis) if around is not None and not stale else None
    if declared is not None and declared.stability is not None and declared.stability.shown:
        about = (*about, f"stability: {stability_words(declared.stability)}")
    return about, fact.span, around is not None


def _declared(function: FunctionReport, fact: Fact, analysis: Analysis) -> ParameterReport | None:
    """The parameter that is declared at the place of a fact, where its name stands first."""
    text = analysis.source.text
    name = analysis.language.syntax.word_at(text, fact.span.start)
    found = next((each for each in function.parameters if each.name == name), None)
    first = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(text, function.name_span.end)
    return found if first is not None and first.start() == fact.span.start else None


def _facts(analysis: Analysis, offset: int) -> list[Fact]:
    """What is known of the expressions at a place. What covers several lines is shown on its first one only: further
    down the cursor may be in a comment, or between two statements."""
    source, shown = analysis.source, analysis.language.rendering.types_shown
    line = source.place(offset).line
    found = (fact for fact in analysis.facts_at(offset) if source.place(fact.span.start).line == line)
    return [
        fact._replace(
            type=shown(fact.type),
            value=shown(fact.value),
            lost=shown(fact.lost),
            moves=tuple((name, shown(bound)) for name, bound in fact.moves),
        )
        for fact in found
    ]


def _builtin(name: str, language: Language) -> Iterator[str]:
    """The page of a builtin, in short."""
    from dp_lsp import builtins  # only who points at one needs the table

    row, spelling = builtins.TABLE[name], language.builtins.spelling(name)
    yield f"```{language.id}\n{spelling.signature}\n```"
    yield prose(_beginning(language.rendering.spoken(row.told(language.rendering))))
    yield f"[all about {code(spelling.name)}]({builtin_url(row.name)}) · {prose(row.source)}"


def _beginning(text: str) -> str:
    """The first sentences of a text; its page has the others."""
    end = text.find(". ", _TOLD)
    return text if end < 0 else text[: end + 1]


def builtin_url(name: str) -> str:
    """The address of the page about a builtin; operators have no place of their own in it."""
    page = DOCUMENTATION.replace("diagnostics.md", "builtins.md")
    return f"{page}#{name}" if name.isidentifier() else page


def _join(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(filter(None, paragraphs))


def verdict(function: FunctionReport) -> str:
    """The state of a function, under how many conditions, and which black boxes it assumes something of."""
    state, count = WORDS[function.state], len(function.open_conditions)
    if function.state is not State.PROVED:
        return f"{state}: not checked" if function.state is State.ASSUMED else state
    return "".join((state, f", under {count} condition{'s' * (count > 1)}" * (count > 0), assuming(function)))


def assuming(function: FunctionReport) -> str:
    """Which black boxes a function assumes something of, to stand behind its state: ``, assuming `load```."""
    names = ", ".join(f"`{name}`" for name in function.assumes)
    return f", assuming {names}" if names else ""


def standing(function: FunctionReport, problems: Iterable[Problem], in_short: bool = False) -> str:
    """The verdict, and what is behind one that nobody wants; ``problems`` are those of its file. ``in_short`` leaves
    that out where it is a whole sentence."""
    if function.state not in (State.FAILED, State.UNKNOWN):
        return verdict(function)
    state = "not private" if _is_exposed(function) else WORDS[function.state]
    wrong = next((each for each in problems if says_why(each, function)), None)
    why = wrong.cause if wrong is not None else ""
    if not in_short:
        why = why or function.reason or (wrong.message if wrong is not None else "")
    return f"{state}: {why}" if why else state


def _is_exposed(function: FunctionReport) -> bool:
    """Whether it is known that a function that is declared private leaves a parameter unprotected."""
    exposed = any(each.epsilon == INFINITE for each in function.parameters)
    return function.kind == "privacy" and function.state is State.FAILED and exposed


def function_text(analysis: Analysis, function: FunctionReport, stale: bool = False) -> Iterator[str]:
    """What is proved of a function, in paragraphs of Markdown: what is so, then why, then what else there is to know.
    What is ``stale`` was so before an edit."""
    wrong = [each for each in analysis.problems if says_why(each, function)][:_MOST_ERRORS]
    state = standing(function, wrong, in_short=True)
    if stale:
        state = f"{WORDS[State.STALE]} (before the edit: {state})"
    kind = () if _is_exposed(function) else (KINDS[function.kind],)
    yield " · ".join((f"**{code(function.name)}**", *kind, prose(state)))
    if function.state is State.UNKNOWN and function.kind != "blackbox":  # there is nothing to say of its arguments
        if not any(function.reason in each.message for each in wrong):
            yield prose(function.reason)
        yield _errors(analysis, wrong)
        return
    shown = analysis.language.rendering.types_shown
    yield _parameters(function, shown)
    yield _numbers(function)
    yield _public(function)
    if function.kind != "privacy" or any(each.is_guaranteed for each in function.parameters):
        yield _conditions(function)
    yield _assumed(function)
    yield _errors(analysis, wrong)
    yield _spending(analysis, function)
    chains = map(analysis.language.rendering.spoken, function.proved_chains)
    yield "\n".join(f"- {each}" for each in (*map(prose, chains), *stability(function)))
    yield _free(function)
    rules = ", ".join(dict.fromkeys(prose(bound.rule) for bound in function.bounds))
    type_, value = function.words.result
    returns = f"returns {_type(shown(type_), value)}" if function.returns else ""
    yield " · ".join(filter(None, (returns, f"{rules} composition" if rules else "")))


def _conditions(function: FunctionReport) -> str:
    """What the bounds hold under."""
    found = function.open_conditions
    shown = [code(each.text) if each.formula else prose(each.text) for each in found[:_MOST]]
    more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
    return "holds if " + " · ".join(shown + more) if found else ""


def _assumed(function: FunctionReport) -> str:
    """What is taken at the user's word of black boxes, its own or others."""
    found = [prose(each.text) for each in function.conditions if each.kind == Premised.BLACK_BOX.value]
    return "assumed, not checked: " + " · ".join(found) if found else ""


def _errors(analysis: Analysis, wrong: Iterable[Problem]) -> str:
    """What is wrong, each with the page about it."""
    lines = (
        f"- {place(analysis.source, each.span.start).words}: [{each.code}]({each.url}) {prose(each.message)}"
        + "".join(
            f"\n  - {_link(where)}: {prose(message)}" for message, _, where, _ in each.related if _is_there(where)
        )
        for each in wrong
    )
    return "\n".join(lines)


def _is_there(where: Named | There | None) -> TypeGuard[There]:
    return isinstance(where, There)


def _link(there: There) -> str:
    """A place in another file, as a link if that is a file."""
    path = PurePath(there.file)
    name = f"{prose(path.name)}, line {there.line}"
    return f"[{name}]({path.as_uri()}#L{there.line})" if path.is_absolute() else name


def says_why(problem: Problem, function: FunctionReport) -> bool:
    """Whether it is a reason why a function is not proved."""
    return (problem.severity is Severity.ERROR or problem.unchecked) and function.span.covers(problem.span.start)


def _public(function: FunctionReport) -> str:
    """What everybody may know: parameters, and sizes of what is protected."""
    static = [parameter.name for parameter in function.parameters if parameter.static]
    found = dict.fromkeys((*static, *(size for parameter in function.parameters for size in parameter.public)))
    return f"public: {', '.join(map(code, found))}" if found else ""


def whom(function: FunctionReport) -> Iterator[str]:
    """In what two inputs differ that a private function hides from each other, and what everybody may know of them;
    arguments of which the same is said in one sentence."""
    groups: dict[str, list[str]] = {}
    for parameter in function.parameters:
        if parameter.neighbours:
            groups.setdefault(parameter.neighbours, []).append(code(parameter.name))
    for neighbours, names in groups.items():
        yield f"hides, in {', '.join(names)}: {prose(neighbours)}"
    if groups:
        yield _public(function)


def stability(function: FunctionReport) -> Iterator[str]:
    """What a change of the records of each dataset does; those of which the same is said in one line."""
    groups: dict[Stability, list[str]] = {}
    for parameter in function.parameters:
        if parameter.stability is not None and parameter.stability.shown:
            groups.setdefault(parameter.stability, []).append(code(parameter.name))
    for found, names in groups.items():
        yield f"stability of {', '.join(names)}: {stability_words(found)}"


def stability_words(found: Stability) -> str:
    """What a change of the records of a dataset does, and how these are counted."""
    maps = " · ".join(f"**{prose(each)}**" for each in found.shown)
    return f"{maps}, where {code('d_in')} is the {prose(found.metric)}"


def _numbers(function: FunctionReport) -> str:
    """The bounds as numbers, where numbers were given for all they depend on."""
    known = (each for each in function.numeric if not each.missing)
    return " · ".join(f"{together(each.parameters, code)}: {numeric_words(each)}" for each in known)


def numeric_words(numeric: NumericReport) -> str:
    """A pair of numbers, each rounded up."""
    from dp_lsp.core.notation import decimal  # only who gave numbers needs it

    return f"ε {decimal(numeric.epsilon)}  δ {decimal(numeric.delta)} ({numeric.rule})"


def _spending(analysis: Analysis, function: FunctionReport) -> str:
    """What each line spends, where several do; parameters that pay the same are said together."""
    same: dict[tuple[str, ...], list[str]] = {}
    for names in dict.fromkeys(each.parameters for each in function.spending):
        lines = (_spent(analysis, each) for each in function.spending if each.parameters == names)
        same.setdefault(tuple(lines), []).append(" with ".join(map(code, names)))
    return "\n".join(f"- {', '.join(names)}: {' · '.join(lines[:_MOST])}" for lines, names in same.items())


def _spent(analysis: Analysis, spent: SpendingReport) -> str:
    share = "" if spent.share is None else f" ({max(1, round(100 * spent.share))} %)"
    return f"{place(analysis.source, spent.span.start).words} {prose(spent.name)} {prose(spent.shown)}{share}"


def _parameters(function: FunctionReport, shown: Callable[[str], str]) -> str:
    """A table of the arguments, those of which the same is said in one row, with types as they are ``shown``."""
    head, cells = _TABLES[function.kind]
    groups: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for parameter in function.parameters:
        if not parameter.static or function.kind == "blackbox":
            cell = tuple(tuple(map(shown, row)) for row in cells(parameter))
            groups.setdefault(cell, []).append(code(parameter.name))
    rows = [
        (", ".join(names) if index == 0 else "or", *row)
        for rows, names in groups.items()
        for index, row in enumerate(rows)
    ]
    return table(("argument", *head), rows) if rows else ""


def _private(parameter: ParameterReport) -> Iterator[tuple[str, ...]]:
    """One row for each guarantee, of which the reader may take any."""
    if not parameter.is_guaranteed:
        yield "", prose(parameter.shown), ""
        return
    for index, (epsilon, delta) in enumerate(parameter.alternatives):
        yield prose(parameter.neighbours) if index == 0 else "", code(epsilon), code(delta)


def _sensitive(parameter: ParameterReport) -> Iterator[tuple[str, ...]]:
    yield (prose(parameter.shown),)


def _typed(parameter: ParameterReport) -> Iterator[tuple[str, ...]]:
    yield (code(parameter.type),)


_TABLES: dict[str, tuple[tuple[str, ...], Callable[[ParameterReport], Iterator[tuple[str, ...]]]]] = {
    "sensitivity": (("sensitivity",), _sensitive),
    "privacy": (("what is hidden", "ε", "δ"), _private),
    "blackbox": (("type",), _typed),
}


def _free(function: FunctionReport) -> str:
    variables: dict[FreeVariable, None] = dict.fromkeys(v for bound in function.bounds for v in bound.free)
    lines = (f"- {code(v.name)}, {code(v.range)}: {prose(v.meaning)}" for v in variables)
    listed = "\n".join(lines)
    return f"for you to choose:\n{listed}" if listed else ""


def _expression(fact: Fact, analysis: Analysis, stale: bool, around: FunctionReport | None) -> Iterator[str]:
    """What is known of an expression: how far it moves and what it costs, then why; in a function of which nothing is
    known, the reason."""
    shown = " ".join(analysis.source.text[fact.span.start : fact.span.end].split())
    if len(shown) > _LONGEST:
        shown = shown[: _LONGEST - 1] + "…"
    lost = fact.role is Role.UNKNOWN and not fact.moves and bool(fact.metric)  # as something is wrong with its function
    type_, *rest = expression(fact._replace(metric="") if lost else fact)
    yield f"**{code(shown)}** : {type_}"
    unknown = around is not None and around.state is State.UNKNOWN and not stale
    if around is not None and (unknown or lost):
        missing = "sensitivity unknown" if unknown or around.kind != "privacy" else NOT_AS_DECLARED
        yield prose(f"{missing}: {_why_unknown(fact, analysis, around)}")
    else:
        yield from rest
        yield _rule(fact, analysis.language)
    yield prose(fact.lost)
    yield _CHECKING if stale else ""


def _why_unknown(fact: Fact, analysis: Analysis, around: FunctionReport) -> str:
    """What is wrong at the place of a fact, else with the function around it."""
    wrong = [each for each in analysis.problems if says_why(each, around)]
    first = next((each for each in wrong if fact.span.covers(each.span.start)), wrong[0] if wrong else None)
    if first is None:
        return around.reason or f"`{around.name}` was not checked to the end"
    return f"{first.cause or first.message} ({first.code}, {place(analysis.source, first.span.start).words})"


def _rule(fact: Fact, language: Language) -> str:
    """The rule that says what a call does, with its page."""
    if not fact.rule or fact.part is FactPart.CALLEE:
        return ""
    from dp_lsp import builtins  # only who points at one needs the table

    row = builtins.TABLE.get(fact.rule)
    name = code(language.builtins.spelling(fact.rule).name)
    return f"rule: {code(fact.rule)}" if row is None else f"rule: [{name}]({builtin_url(row.name)})"


def expression(fact: Fact) -> Iterator[str]:
    """What is known of a value: its type and metric, how far it moves, and what it costs."""
    type_ = _type(fact.type, fact.value)
    yield f"{type_} · {prose(fact.metric)}" if fact.metric else type_
    moves = ", ".join(f"**{prose(bound)}** in {code(parameter)}" for parameter, bound in fact.moves)
    if any(WAITING in bound for _, bound in fact.moves):
        names = ", ".join(code(parameter) for parameter, _ in fact.moves)
        yield f"sensitivity in {names}: known where its function is called, for it depends on types"
    elif moves:
        yield f"sensitivity {moves}"
    elif fact.metric:
        yield _UNMOVED[fact.role]
    for parameters, epsilon, delta in fact.spent:
        names = together(parameters, code)
        yield f"costs **ε {prose(epsilon)}**, **δ {prose(delta)}** in {names}, each time it runs"


def _type(text: str, value: str) -> str:
    """A type; of a number that is known, which number it is, if that can be read."""
    return f"{code(text)} {code(value)}" if value and len(value) <= _SHORT else code(text)


_UNMOVED = {
    Role.UNKNOWN: "sensitivity **0**: public, or released by a mechanism",
    Role.PRIVATE: "sensitivity **0**",
    Role.PUBLIC: "public: sensitivity **0**",
    Role.RELEASED: "released by a mechanism: what is made of it costs nothing more",
    Role.FUNCTION: "sensitivity **0**",
}


def page(analysis: Analysis, name: str) -> str:
    """The page of a file, as Markdown. ``name`` is what the file is called."""
    return "\n\n".join(filter(None, _parts(analysis, name))) + "\n"


def _parts(analysis: Analysis, name: str) -> Iterator[str]:
    yield f"# {code(name)}"
    states = Counter(function.state for function in analysis.functions)
    counts = ", ".join(f"{states[state]} {WORDS[state]}" for state in State if states[state])
    total = len(analysis.functions)
    yield f"{total} function{'s' * (total != 1)}{': ' * bool(counts)}{counts}." if total else "There are no functions."
    given = analysis.options.settings
    if given:
        numbers = (f"{each.function}:{each.name}" if each.function else each.name for each in given)
        values = (f"{code(text)} = {each.value}" for text, each in zip(numbers, given, strict=True))
        yield f"With {', '.join(values)}."
    yield from _elsewhere(analysis)
    for function in reported(analysis.functions, lambda each: each.state):
        yield f"## {code(function.name + function.signature)}"
        yield from function_text(analysis, function)
        type_ = analysis.language.rendering.types_shown(function.display)
        yield f"```\n{type_}\n```" if type_ else ""


def _elsewhere(analysis: Analysis) -> Iterator[str]:
    """The problems that lie in no function."""
    lines = [
        f"- {place(analysis.source, each.span.start).words}: [{each.code}]({each.url}) {prose(each.message)}"
        for each in analysis.problems
        if not any(function.span.covers(each.span.start) for function in analysis.functions)
    ]
    if lines:
        yield "## Outside functions"
        yield "\n".join(lines)
