"""What hover and the outline say, as Markdown that a client can trust."""

from __future__ import annotations

import pytest

from dp_lsp.analysis.records import Analysis, Options
from dp_lsp.engine.check import Engine
from dp_lsp.features.hover import Hover, hover
from dp_lsp.features.markdown import code, prose, table
from dp_lsp.features.outline import outline

PROGRAM = """\
function twice(x::Real, n::Static())
    y = x + x
    y * n
end

function noisy(v::Integer, eps::Static()) :: Priv()
    gaussian_mechanism(1, eps, 0.2, v)
end

function broken(x::Real)
    undefined_name(x)
end
"""


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return Engine().check(PROGRAM, Options())


def at(analysis: Analysis, text: str, stale: bool = False) -> Hover:
    found = hover(analysis, PROGRAM.index(text), stale)
    assert found
    return found


def test_a_name_shows_the_verdict(analysis: Analysis) -> None:
    found = at(analysis, "twice(")
    assert PROGRAM[found.span.start : found.span.end] == "twice"
    assert "proved" in found.markdown
    assert "| `x` |" in found.markdown and "| `n` | static |" in found.markdown


def test_a_mechanism_shows_cost_and_conditions(analysis: Analysis) -> None:
    text = at(analysis, "noisy(").markdown
    assert "| `v` | `eps` | `1/5` |" in text
    assert "`0 < eps`" in text and "`eps < 1`" in text


def test_what_is_not_proved_says_why(analysis: Analysis) -> None:
    text = at(analysis, "broken(").markdown
    assert "proved" not in text and "undefined" in text


def test_an_expression_shows_what_it_moves_with(analysis: Analysis) -> None:
    found = at(analysis, "+ x")
    assert PROGRAM[found.span.start : found.span.end] == "x + x"
    assert "**2** in `x`" in found.markdown


def test_old_verdicts_are_marked(analysis: Analysis) -> None:
    for text in ("twice(", "+ x"):
        assert "checking" in at(analysis, text, stale=True).markdown
        assert "checking" not in at(analysis, text).markdown


def test_how_to_learn_why(analysis: Analysis) -> None:
    for text, line in (("twice(", 1), ("+ x", 2), ("noisy(", 6), ("broken(", 10)):
        offset = PROGRAM.index(text)
        assert analysis.source.place(offset).line == line
        found = hover(analysis, offset, file="src/a.jl")
        assert found is not None and found.markdown.endswith(f"why: `dp-lsp explain src/a.jl:{line}`")
        old = hover(analysis, offset, stale=True, file="src/a.jl")
        assert old is not None and "dp-lsp explain" not in old.markdown + at(analysis, text).markdown


def test_nothing_is_said_about_nothing(analysis: Analysis) -> None:
    assert hover(analysis, len(PROGRAM)) is None
    assert hover(Engine().check("", Options()), 0) is None


def test_the_outline_has_every_function(analysis: Analysis) -> None:
    symbols = outline(analysis)
    assert [symbol.name for symbol in symbols] == ["twice", "noisy", "broken"]
    assert symbols[0].detail.startswith("proved") and not symbols[2].detail.startswith("proved")
    for symbol in symbols:
        assert PROGRAM[symbol.name_span.start : symbol.name_span.end] == symbol.name


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x", "`x`"), ("a`b", "`` a`b ``"), ("a|b\nc", "`a\\|b c`"), ("`", "`` ` ``"), ("", "")],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`x * y` is *not* <b>", "`x * y` is \\*not\\* \\<b\\>"),
        ("[a](http://b) | c", "\\[a\\](http://b) \\| c"),
        ("an odd ` tick", "an odd \\` tick"),
    ],
)
def test_prose(text: str, shown: str) -> None:
    assert prose(text) == shown


def test_table() -> None:
    assert table(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
