"""Fixes: each is tried before it is offered, and does what it says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from dp_lsp.analysis.records import Analysis, State
from dp_lsp.analysis.repairs import Repair
from dp_lsp.analysis.ticket import Superseded, Ticket
from dp_lsp.engine.check import Engine
from dp_lsp.engine.repairs import Within, edited, repairs
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span
from several_files import Texts

ENGINE = Engine()
BROKEN = """\
f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x + x)
g(x::Real) :: Priv() = f(x)
"""


def offered(
    text: str, *more: tuple[str, Fix], others: Mapping[str, str] = {}, ticket: Ticket | None = None
) -> list[Repair]:
    """The fixes of a text that are good, and those of ``more``, each for the first problem with a code."""
    texts = Texts({"a.jl": text, **others})
    roots = tuple(others) or ("a.jl",)
    found = ENGINE.project(roots[0], texts)["a.jl"]
    added = {code: fix for code, fix in more}
    return list(repairs(ENGINE, "a.jl", _with(found, added), Within(roots, texts), ticket or Ticket()))


def _with(analysis: Analysis, fixes: Mapping[str, Fix]) -> Analysis:
    """An analysis whose problems with these codes have these fixes only."""

    def changed(problem: Problem) -> Problem:
        return problem._replace(fixes=(fixes[problem.code],)) if problem.code in fixes else problem

    chunks = []
    for placed in analysis.chunks:
        verdict = placed.record.verdict
        problems = tuple(changed(problem.moved(placed.start)).moved(-placed.start) for problem in verdict.problems)
        chunks.append(placed._replace(record=placed.record._replace(verdict=verdict._replace(problems=problems))))
    return Analysis(analysis.source, tuple(chunks), analysis.options)


def replacing(text: str, old: str, new: str) -> Fix:
    start = text.index(old)
    return Fix("made up", (Edit(Span(start, start + len(old)), new),))


def test_a_good_fix_is_kept() -> None:
    (repair,) = offered(BROKEN)
    assert repair.problem.code == "DP301" and repair.fix.title == "replace 1 by 2"
    assert ENGINE.check(edited(BROKEN, repair.fix.edits)).state is State.PROVED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("x + x", "x + x + x", id="the problem stays"),
        pytest.param("x + x", "y", id="another error comes"),
        pytest.param("x + x", "x)\nh(x::Real) = sin(x", id="another error comes in a new function"),
        pytest.param("gaussian_mechanism(1, 0.5, 1e-5, x + x)", "x", id="a caller has an error"),
        pytest.param("f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x + x)\n", "", id="the function is gone"),
    ],
)
def test_a_bad_fix_is_dropped(old: str, new: str) -> None:
    assert offered(BROKEN, ("DP301", replacing(BROKEN, old, new))) == []


def test_a_fix_that_harms_another_file_is_dropped() -> None:
    text = "f(x::Real) = sin(x)\n"
    fix = replacing(text, "sin(x)", "2 * x")
    for factor, good in ((2, True), (1, False)):
        user = f'include("a.jl")\ng(x::Real) :: Priv() = laplacian_mechanism({factor}, 1, f(x))\n'
        assert bool(offered(text, ("DP113", fix), others={"main.jl": user})) is good


def test_trying_stops_when_something_else_is_to_be_done() -> None:
    looks = iter([False] * 3)
    with pytest.raises(Superseded):
        offered(BROKEN, ticket=Ticket(lambda: next(looks, True)))
    assert offered(BROKEN, ticket=Ticket(deadline=0.0)) == []


def test_trying_one_fix_infers_one_function_and_counts_no_check() -> None:
    engine = Engine()
    text = BROKEN + "".join(f"h{i}(x::Real) = {i} * x\n" for i in range(20))
    analysis = engine.check(text)
    counted, tried = engine.inferred, engine.tried
    texts = Texts({"": text})
    assert len(list(repairs(engine, "", analysis, Within(("",), texts), Ticket()))) == 1
    assert engine.inferred == counted
    assert engine.tried == tried + 2  # the function and its caller
