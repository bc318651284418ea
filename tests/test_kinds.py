"""The two examples on every page about a kind of problem do what they say."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Options
from dp_lsp.configuration.keys import read_configuration
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Kind, Problem, Severity
from several_files import check
from spec_runner import blocks

ENGINE = Engine()
EXAMPLE = re.compile(r"(Broken|Fixed):[^\n]*\n\n((?:```(?:julia|python|toml).*?```\n*)+)", re.DOTALL)
BLOCK = re.compile(r"```(julia|python|toml)\n(.*?)```", re.DOTALL)

WITHOUT_EXAMPLES = {
    "DP010": "about a file that cannot be opened",
    "DP011": "about bytes that are no text",
    "DP012": "about a file in another format",
    "DP015": "about a file somewhere else",
    "DP016": "about a file that cannot be read",
    "DP020": "about a file in another format",
    "DP021": "about a file in another format",
    "DP022": "about a file in another format",
    "DP024": "about a file of which nothing is checked",
    "DP813": "about a file in another format",
    "DP814": "about a file somewhere else",
    "DP910": "about programs of very many files",
    "DP901": "about a mistake in the checker",
    "DP980": "about the process that checks",
    "DP911": "about very long files",
    "DP981": "about the process that checks",
    "DP982": "about the process that checks",
}
CONSEQUENCES = {"DP111"}
"""Kinds that only follow from another problem, so that their broken example has that one too."""
BESIDE = {("DP116", "python"): {"DP143"}, ("DP308", "python"): {"DP407"}}
"""The errors that a broken example in a language has beside the one it is about: a list that a function sees is held by
that function, and a scale that may be anything has any price."""
PYTHON = [
    block
    for path in sorted((Path(__file__).parent.parent / "fixtures" / "spec").rglob("*.md"))
    for block in blocks(path.read_text("utf-8"))
    if block.language == "python"
]


class Example(NamedTuple):
    """A program, a configuration, or a program with its configuration before it."""

    program: str
    configuration: str
    language: str = ""


def examples(kind: type[Kind], word: str) -> list[Example]:
    """The examples after ``Broken:`` or ``Fixed:`` on a page."""
    groups = [BLOCK.findall(group) for label, group in EXAMPLE.findall(kind.page()) if label == word]
    found = []
    for group in groups:
        settings = [text for language, text in group if language == "toml"]
        programs = [(text, language) for language, text in group if language != "toml"]
        found += [Example(text, "".join(settings), language) for text, language in programs or [("", "")]]
    return found


SHOWN = [kind for kind in kinds().values() if examples(kind, "Broken")]


def problems(example: Example) -> list[Problem]:
    options = Options(language=example.language)
    if example.configuration:
        found = read_configuration("dp-lsp.toml", SourceText(example.configuration))
        if found.configuration is None:
            return list(found.problems)
        options = found.configuration.options("a.jl", options)
    analyses = check(ENGINE, example.program, options)
    return [problem for analysis in analyses.values() for problem in analysis.problems]


def codes(found: list[Problem], *severities: Severity) -> set[str]:
    return {problem.code for problem in found if problem.severity in severities}


def test_every_kind_has_examples_or_a_reason() -> None:
    assert {kind.code for kind in kinds().values()} - {kind.code for kind in SHOWN} == set(WITHOUT_EXAMPLES)


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.code)
def test_broken(kind: type[Kind]) -> None:
    for text in examples(kind, "Broken"):
        found = problems(text)
        assert kind.code in {problem.code for problem in found}, text
        beside = BESIDE.get((kind.code, text.language), set())
        assert kind.code in CONSEQUENCES or codes(found, Severity.ERROR) <= {kind.code} | beside, text


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.code)
def test_fixed(kind: type[Kind]) -> None:
    fixed = examples(kind, "Fixed")
    assert fixed, "a page that shows what is broken shows how it is repaired"
    for text in fixed:
        found = problems(text)
        assert kind.code not in {problem.code for problem in found}, text
        assert codes(found, Severity.ERROR) == set(), text


def test_what_occurs_in_python_has_both_examples_in_python() -> None:
    """The codes of all programs in Python that the specification holds."""
    occur = {
        problem.code
        for block in PYTHON
        for analysis in check(ENGINE, block.text, block.options).values()
        for problem in analysis.problems
    }
    assert len(occur) > 50
    for word in ("Broken", "Fixed"):
        shown = {kind.code for kind in SHOWN if "python" in {each.language for each in examples(kind, word)}}
        assert occur - shown == set(), word
