"""What is proved is data until it is shown: nothing that shows it reads back what was written for a person."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from source_tree import ROOT

SHOWING = [path for layer in ("features", "cli", "lsp") for path in sorted((ROOT / "dp_lsp" / layer).rglob("*.py"))]
SAID = {
    *("parameters", "returns", "bounds", "numeric", "conditions", "display", "spending", "proved_chains", "stability"),
    *("shown", "sensitivity", "epsilon", "delta", "formula", "bound", "metric", "type", "general"),
}
"""The attributes of reports that hold text for a person, or formulas."""
READING = {
    *("split", "rsplit", "partition", "rpartition", "splitlines", "removeprefix", "removesuffix", "replace"),
    *("startswith", "endswith", "find", "index", "strip", "match", "fullmatch", "search", "sub", "findall", "finditer"),
}
ELSEWHERE = {
    "features/changes.py": "it compares reports that it is given as JSON",
    "features/neighbours.py": "likewise",
    "features/matching.py": "likewise",
}
SHOWS = {("cli/reporters/full.py", "display"): "a text of several lines is indented"}


def read_back(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Where a text of a report is taken apart, by a method of it or by a regular expression."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READING:
            for about in (node.func.value, *node.args):
                if isinstance(about, ast.Attribute) and about.attr in SAID:
                    yield node.lineno, about.attr


@pytest.mark.parametrize("path", SHOWING, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_that_is_shown_is_read_back(path: Path) -> None:
    name = path.relative_to(ROOT / "dp_lsp").as_posix()
    if name in ELSEWHERE:
        pytest.skip(ELSEWHERE[name])
    found = read_back(ast.parse(path.read_text("utf-8")))
    assert [each for each in found if (name, each[1]) not in SHOWS] == []


@pytest.mark.parametrize(
    "text",
    [
        "parameter.shown.split('  or  ')",
        "function.returns.partition('[')",
        "re.match('ε (.*)', function.parameters[0].shown)",
        "_PATTERN.fullmatch(fact.type)",
        "derivation.bound.replace('  ', ', ')",
    ],
)
def test_what_reads_back_is_seen(text: str) -> None:
    assert list(read_back(ast.parse(text)))
