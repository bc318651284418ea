"""What hover and the outline say, as Markdown that a client can trust."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

import spec_runner
from dp_lsp.analysis.records import Analysis, Options
from dp_lsp.analysis.workspace import Document
from dp_lsp.engine.check import Engine
from dp_lsp.features.decorations import hints, lenses, tokens
from dp_lsp.features.hover import Hover, hover
from dp_lsp.features.markdown import code, prose, table
from dp_lsp.features.navigation import outline
from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span
from marked import offsets
from source_tree import ROOT

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
    assert "| `x` |" in found.markdown and "public: `n`" in found.markdown


def test_a_mechanism_shows_cost_and_conditions(analysis: Analysis) -> None:
    text = at(analysis, "noisy(").markdown
    assert "| `v` | a change by at most 1 | `eps` | `0.2` |" in text
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


EVERYTHING = """\
function sums(data::Matrix{<:Data}, n::Static(Integer))
    total = undisc_container(clip(L2, data[1, :]))
    for step in 2:n
        # nothing stands here
        total = total + undisc_container(clip(L2, data[step, :]))
    end
    return total
end

function twice(data::Matrix{<:Data}, n::Static(Integer))
    scaled = 2 * sums(data, n)
    both = if n > 2
        # nor here
        scaled
    else
        scaled + scaled
    end
    both
end

unread(x::Real) = undefined_name(x + x)

function lost(x::Real) :: Priv()
    y = laplacian_mechanism(1, 0.5, 3 * x)
    y
end
"""


@pytest.mark.parametrize(
    ("place", "about", "said"),
    [
        ("data::Matrix", "data::Matrix{<:Data}", "**1** in `data`"),
        ("Matrix{<:Data}", "data::Matrix{<:Data}", "**1** in `data`"),  # the annotation
        ("n::Static", "n::Static(Integer)", "public"),
        ("total = undisc", "total", "**2** in `data`"),  # before the loop, which moves it further
        ("return total", None, ""),
        ("total\nend", "total", "**2** in `data`"),
        ("undisc_container", "undisc_container", "**2** in `data`"),
        ("clip(", "clip", "```julia\nclip("),
        ("L2", None, ""),
        ("1, :", "data[1, :]", "**1** in `data`"),
        (", :]))\n    end", "step", "public"),
        (" :]))\n    end", "data[step, :]", "**1** in `data`"),
        ("step in", "step", "public"),
        ("2:n", None, ""),
        ("n\n        # nothing", "n", "public"),
        ("nothing stands", None, ""),
        ("nor here", None, ""),
        ("* sums", "2 * sums(data, n)", "rule: [`*`]"),
        ("sums(data, n)", "sums", "proved"),
        ("if n", "if n > 2", "rule: `if`"),
        ("end\n    both", None, ""),
        ("+ x)", "x + x", "sensitivity unknown: `undefined_name` is not defined here (DP101, line 21)"),
        ("undefined_name", "undefined_name", "sensitivity unknown: `undefined_name` is not defined"),
        ("y = ", "y", "not private as declared: noise for 1, sensitivity 3 (DP301, line 24)"),
        ("laplacian_mechanism(", "laplacian_mechanism", "noise of scale"),
        ("lost(", "lost", "[DP301](https://"),
    ],
)
def test_every_kind_of_expression(place: str, about: str | None, said: str) -> None:
    found = hover(Engine().check(EVERYTHING), EVERYTHING.index(place))
    if about is None:
        assert found is None, found
    else:
        assert found is not None
        assert EVERYTHING[found.span.start : found.span.end].startswith(about)
        assert said in found.markdown


def test_what_a_call_costs() -> None:
    text = at(Engine().check(PROGRAM), "gaussian_mechanism(").markdown
    assert "costs **ε eps**, **δ 0.2** in `v`, each time it runs" in text
    assert "released by a mechanism" in text


FIRST = """\
function mean_age(ages::MetricVector(Bounded(Real, 0, 120), ChangeOne), eps::Static()) :: Priv()
    laplacian_mechanism(120, eps, sum(ages)) / length(ages)
end
function hours(hours::MetricVector(Bounded(Real, 0, 80), Symmetric)) :: Priv()
    laplacian_mechanism(1, 0.5, sum(hours))
end
"""


def test_the_result_comes_first_and_the_reference_last() -> None:
    analysis = Engine().check(FIRST)

    def order(place: str, *said: str) -> None:
        found = hover(analysis, FIRST.index(place))
        assert found is not None
        places = [found.markdown.index(each) for each in said]
        assert places == sorted(places), found.markdown

    whom = "| `ages` | one record replaced | `eps` | `0` |"
    order(
        "mean_age(", "proved, under 2", whom, "public: `eps`, `length(ages)`", "holds if", "Laplace ε = eps", "returns"
    )
    order(
        "hours(",
        "**`hours`** · not private: noise for 1, sensitivity 80",
        "not private as declared",
        "[DP301]",
        "returns",
    )
    order("sum(ages)", "sensitivity **120** in `ages`", "rule:", "```julia", "[all about `sum`]")


def test_where_nothing_is_known_it_says_why() -> None:
    text = "unread(v::MetricVector(Real, Symmetric)) = sum(v)\n"
    document = Document("file:///a.jl", 1, text)
    document.settle(0, Engine().check(text))
    assert document.analysis is not None
    found = hover(document.analysis, text.index("v)\n"))
    why = "`v` has no known bounds"
    assert found is not None and f"sensitivity unknown: {why}" in found.markdown and "(DP208, line 1)" in found.markdown
    assert [lens.title.startswith(f"unknown: {why}") for lens in lenses(document)] == [True]


def test_what_is_drawn() -> None:
    text = (ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text("utf-8")
    found = hover(Engine().check(text), text.index("sample(b"))
    assert found and "sample(k, A, B)" in found.markdown and "[b × cols(data)]" in found.markdown


def test_no_message_is_shown_twice() -> None:
    text = at(Engine().check(PROGRAM), "broken(").markdown
    assert text.count("is not defined") == 1 and "[DP101](https://" in text


def test_a_link_to_the_derivation() -> None:
    analysis = Engine().check(PROGRAM)
    found = hover(analysis, PROGRAM.index("+ x"), file="a.jl", link="command:x?1")
    assert found is not None and found.markdown.endswith("[show derivation](command:x?1)")
    stale = hover(analysis, PROGRAM.index("+ x"), stale=True, link="command:x?1")
    assert stale is not None and "command:" not in stale.markdown


def programs() -> Iterator[tuple[str, str]]:
    """All programs, and of those of the specification each third."""
    for path in sorted(ROOT.glob("fixtures/programs/*.jl")):
        yield path.stem, path.read_text("utf-8")
    for path in sorted(ROOT.glob("fixtures/spec/*.md")):
        for block in islice(spec_runner.blocks(path.read_text("utf-8")), 0, None, 3):
            yield f"{path.stem}: {block.heading}", block.text


def test_tokens_of_many_programs() -> None:
    """No question about a token raises, no answer is about another place, and every function that is reported has one;
    also while its text is half typed."""
    engine = Engine()
    seen: set[tuple[str, ...]] = set()
    for name, text in programs():
        document = Document("file:///a.jl", 1, text)
        document.settle(0, engine.check(text, document=name))
        assert document.analysis is not None
        for offset in offsets(text, seen):
            found = hover(document.analysis, offset, file="a.jl")
            assert found is None or (found.span.covers(offset) and found.markdown.strip()), (name, offset)
        for function in document.functions:
            found = hover(document.analysis, function.name_span.start, file="a.jl")
            assert found is not None and function.name in found.markdown, (name, function.name)
        assert {lens.span for lens in lenses(document)} == {each.name_span for each in document.functions}
        told = hints(document, Span(0, len(text))), tokens(document)
        middle = len(text) // 2
        document.edit(2, Source(text[:middle]), [Edit(Span(middle, len(text)), "")])
        later = hints(document, Span(0, middle)), tokens(document), lenses(document)
        assert all(hint.offset <= middle for hint in later[0]) and all(each.span.end <= middle for each in later[1])
        assert len(later[0]) <= len(told[0]) and len(later[1]) <= len(told[1])


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
