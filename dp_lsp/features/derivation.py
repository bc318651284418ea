"""The page that says why a bound is what it is: in the user's own lines, each with its rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dp_lsp.analysis.records import Conclusion, Derivation, Explanation, State, Step
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.cells import CellPlace, place
from dp_lsp.features.hover import KINDS, expression, stability, verdict, whom
from dp_lsp.features.markdown import code, prose, table
from dp_lsp.language import Language
from dp_lsp.problem import Problem, Severity
from dp_lsp.text import Source, Span

_LONGEST = 60  # characters of a line, or of a bound in a heading


def derivation(
    explained: Explanation,
    source: Source,
    language: Language,
    name: str,
    published: tuple[NumericReport, ...] = (),
    remark: str = "",
) -> str:
    """The page of an explanation, as Markdown. ``name`` is what the file is called, ``language`` what it is written in,
    ``published`` what the published formula comes to for the same numbers, ``remark`` what else is to be said of
    these."""
    return "\n\n".join(filter(None, _Page(explained, source, language, name, published, remark).parts())) + "\n"


class _Page:
    def __init__(
        self,
        explained: Explanation,
        source: Source,
        language: Language,
        name: str,
        published: tuple[NumericReport, ...],
        remark: str,
    ) -> None:
        self._explained = explained
        self._source = source
        self._syntax = language.syntax
        self._rendering = language.rendering
        self._name = name
        self._published = published
        self._remark = remark

    def parts(self) -> Iterator[str]:
        function, fact = self._explained.function, self._explained.fact
        if fact is None:
            yield f"# {code(function.name)}"
            about = self._place(function.name_span), code(function.name + function.signature)
            yield " · ".join((KINDS[function.kind], verdict(function), *about))
            chains = map(self._rendering.spoken, function.proved_chains)
            yield _listed((*filter(None, whom(function)), *map(prose, chains), *stability(function)))
        else:
            yield f"# {code(self._excerpt(fact.span))}"
            shown = fact._replace(type=self._rendering.types_shown(fact.type))
            yield from expression(shown) if self._is_known else ()
            yield f"in {code(function.name)}, {verdict(function)} · {self._place(fact.span)}"
        if function.kind == "blackbox":
            yield "Its body is not looked at."
        if not function.state.holds:
            problems = [each for each in self._explained.problems if each.severity is not Severity.HINT]
            if not self._is_known:
                told = any(function.reason in problem.message for problem in problems)
                yield "Nothing is claimed of it" + (":" if told else prose(f", because {function.reason}."))
            yield _listed(map(self._problem, problems))
        yield from self._numbers()
        yield from self._derivations()
        yield from self._more()

    def _numbers(self) -> Iterator[str]:
        """What each rule comes to, and what the published formula would say."""
        same: dict[tuple[tuple[str, ...], ...], list[str]] = {}
        for names in dict.fromkeys(each.parameters for each in self._explained.numbers):
            proved = [figure(each, _STATES.get(each.rule, "proved")) for each in self._numbers_of(names)]
            stated = [figure(each, "not proved") for each in self._published if each.parameters == names]
            same.setdefault((*proved, *stated), []).append(" with ".join(map(code, names)))
        for found, groups in same.items():
            yield f"## In numbers: {', '.join(groups)}"
            yield table(("rule", "ε", "δ", ""), found)
        if same:
            yield self._remark

    def _numbers_of(self, parameters: tuple[str, ...]) -> Iterator[NumericReport]:
        return (each for each in self._explained.numbers if each.parameters == parameters)

    @property
    def _is_known(self) -> bool:
        return self._explained.function.state is not State.UNKNOWN

    def _place(self, span: Span) -> str:
        return code(f"{self._name}:{self._at(span).in_cell}{self._at(span).line}")

    def _problem(self, problem: Problem) -> str:
        """What is wrong, and where what it misses was lost."""
        said = f"{self._line(problem.span)}: {problem.severity.value} {problem.code}, {prose(problem.message)}"
        aside = (each for each in problem.related if not each.step and each.where is None)
        return "; ".join((said, *(f"{self._line(each.span)}: {prose(each.message)}" for each in aside)))

    def _derivations(self) -> Iterator[str]:
        """Each with what it is about; several that are the same are shown once, and those without steps at the end."""
        same: dict[Derivation, list[str]] = {}
        for each in self._explained.derivations:
            name = " with ".join(map(code, each.parameters))
            inside = f" of {code(each.inside)}, {self._line(each.place)}" if each.place is not None else ""
            same.setdefault(each._replace(parameters=()), []).append(name + inside)
        for each, names in same.items():
            if each.steps:
                yield f"## {', '.join(names)}{_heading(each)}"
                yield "\n".join(self._steps(each))
                yield _listed(map(_conclusion, each.conclusions)) if len(each.conclusions) > 1 else ""
        yield _listed(f"{', '.join(names)}: {prose(each.bound)}" for each, names in same.items() if not each.steps)

    def _steps(self, derivation: Derivation) -> Iterator[str]:
        """The steps as a list: a table would be wider than the pages that editors show beside the text."""
        for number, step in enumerate(derivation.steps, 1):
            at = "" if step.span is None else f"{code(self._excerpt(step.span))}, {self._line(step.span)} · "
            yield f"{number}. {at}{prose(step.why + _references(step, number))} → {_result(step)}"

    def _more(self) -> Iterator[str]:
        explained = self._explained
        if explained.function.conditions and explained.fact is None and self._is_known:
            yield "## Holds if"
            yield _listed(self._conditions())
        if explained.rules:
            yield "## Rules"
            yield _listed(
                f"**{code(rule.name)}**: {prose(rule.words)} *Source:* {prose(rule.source.rstrip('.'))}."
                for rule in explained.rules
            )
        if explained.callees:
            yield "## Functions called"
            yield _listed(code(f"dp-lsp explain {self._name}:{callee}") for callee in explained.callees)

    def _conditions(self) -> Iterator[str]:
        for premise in self._explained.conditions:
            yield f"{code(premise.text)}: {prose(premise.reason)} ({self._line(premise.span)})"
        for condition in self._explained.function.conditions:
            if condition.formula is None:
                yield prose(condition.text)

    def _at(self, span: Span) -> CellPlace:
        return place(self._source, span.start)

    def _line(self, span: Span) -> str:
        return self._at(span).words

    def _excerpt(self, span: Span, longest: int = _LONGEST) -> str:
        """The text of an expression, as a whole line if it is the value that the line assigns."""
        source = self._source
        first, last = source.place(span.start), source.place(span.end)
        before = source.line(first.line)[: first.column - 1]
        if last.line > first.line:
            return source.line(first.line).strip() + " …"
        text = source.text[span.start : span.end]
        if self._syntax.assigned(before, source.line(last.line)[last.column - 1 :]):
            text = f"{before.strip()} {text}"
        shown = " ".join(text.split())
        return shown if len(shown) <= longest else shown[: longest - 1] + "…"


RULES = {
    "basic": "basic composition",
    "advanced": "advanced composition",
    "optimal": "optimal composition",
    "gaussian": "Gaussian privacy",
    "renyi": "Rényi privacy",
    "zcdp": "zero-concentrated privacy",
    "pld": "privacy-loss distribution",
    "published": "the published formula",
}
"""What the rules are called."""

_STATES = {"pld": "proved; no certificate can hold it"}
"""What is said of a number that nobody can compute again from a few others."""


_COUNTED = {"mu": "μ", "rho": "ρ", "order": "α"}


def figure(numeric: NumericReport, state: str = "proved") -> tuple[str, str, str, str]:
    """A figure as a row: rule, with what its measure counts in, ε, δ and whether that is proved."""
    from dp_lsp.core.notation import decimal  # only who gave numbers needs it

    counted = ", ".join(f"{_COUNTED[name]} = {decimal(value, 4)}" for name, value in numeric.by if name in _COUNTED)
    rule = RULES.get(numeric.rule, numeric.rule) + (f", {counted}" if counted else "")
    if numeric.missing:
        return rule, "", "", f"a number is missing for {', '.join(map(code, numeric.missing))}"
    epsilon, delta = (decimal(value, 6) for value in (numeric.epsilon, numeric.delta))
    return rule, epsilon, delta, state if numeric.epsilon is not None else "no bound by this rule"


def _listed(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _heading(derivation: Derivation) -> str:
    """What a derivation comes to, if that is short."""
    if len(derivation.bound) > _LONGEST:
        return ""
    result = derivation.conclusions[0].result
    if result == ("oo",):
        return ": no bound"
    return f": {'sensitivity ' if len(result) == 1 else ''}{prose(derivation.bound)}"


def _references(step: Step, number: int) -> str:
    """Which steps a step follows from, where it is not just the one before."""
    premises = tuple(dict.fromkeys(step.premises))
    text = f" ({_numbers(premises)})" if premises and premises != (number - 2,) else ""
    return f"{text}, because of {_numbers(step.reasons)}" if step.reasons else text


def _numbers(places: tuple[int, ...]) -> str:
    *first, last = (str(place + 1) for place in places)
    return f"steps {', '.join(first)} and {last}" if first else f"step {last}"


def _result(step: Step) -> str:
    text = f"sensitivity {step.shown}" if len(step.result) == 1 else step.shown
    return f"**{prose(f'{text} in {step.of}' if step.of else text)}**"


def _conclusion(each: Conclusion) -> str:
    choices = (f"{code(free.range)} for you to choose" for free in each.free)
    return ", ".join([f"{each.rule} composition: step {each.step + 1}", *choices])
