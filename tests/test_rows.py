"""The table of builtins: every row is documented, and shows by programs what it accepts and what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from dp_lsp.analysis.records import Options
from dp_lsp.builtins import TABLE
from dp_lsp.builtins.define import Args, Builtin, Form, Refused, no_demands
from dp_lsp.builtins.patterns import AnyValue
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Severity
from spec_runner import blocks

ENGINE = Engine()
ROWS = {row.name: row for row in TABLE.values()}
PAGES = Path(__file__).parent.parent / "fixtures" / "spec"
REFUSED = [(row.name, refused) for row in ROWS.values() for refused in row.refused]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_row_is_documented_and_its_examples_check(name: str) -> None:
    row = ROWS[name]
    assert row.doc and row.source and row.examples
    for example in row.examples:
        found = ENGINE.check(example)
        assert found.state.holds, example
        problems = {problem.code for problem in found.problems}
        assert problems <= ({"DP303"} if "∞" in row.doc else set()), example


@pytest.mark.parametrize(("name", "refused"), REFUSED, ids=[f"{name}: {each.program}" for name, each in REFUSED])
def test_row_refuses_what_it_says(name: str, refused: Refused) -> None:
    found = ENGINE.check(refused.program)
    assert not found.state.holds
    assert [problem.code for problem in found.problems if problem.severity is Severity.ERROR] == [refused.code]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_row_shows_what_it_refuses(name: str) -> None:
    """An argument of another kind, a condition that fails, arguments that do not fit, an input that moves too far:
    whichever the row's forms can refuse."""
    row = ROWS[name]
    codes = {refused.code for refused in row.refused}
    assert codes or all(isinstance(param.pattern, AnyValue) for form in row.forms for param in form.params)
    if any(form.demands is not no_demands for form in row.forms):
        assert "DP304" in codes, "no example fails a side condition"
    refusals = (form.result.__annotations__.get("return") for form in row.forms if len(form.params) > 1)
    if any("Refusal" in str(returns) for returns in refusals):
        assert codes & {"DP205", "DP208", "DP421"}, "no example has arguments that do not fit"
    if any(form.noise and form.noise.declares for form in row.forms):
        assert "DP301" in codes, "no example moves further than the noise hides"


def unused(
    checks: Iterable[tuple[str, Options]],
    forms: Callable[[Builtin], tuple[Form, ...] | None],
    wanted: Callable[[Form], bool] = lambda form: True,
) -> list[str]:
    """The forms (of all that ``forms`` names and that are ``wanted``) that no program uses, by the parameters they
    take."""
    used: set[tuple[str, int]] = set()

    def watched(name: str, index: int, form: Form) -> Form:
        def result(args: Args) -> object:
            used.add((name, index))
            return form.result(args)

        return replace(form, result=result)

    def row_watched(row: Builtin) -> Builtin:
        new = tuple(watched(row.name, index, form) for index, form in enumerate(forms(row) or ()))
        return replace(row, forms=new) if forms(row) is row.forms else replace(row, published=new or None)

    with mock.patch.dict(TABLE, {name: row_watched(row) for name, row in TABLE.items()}):
        for text, options in checks:
            Engine().check(text, options)
    return [
        f"{row.name}({', '.join(param.name for param in form.params)})"
        for row in ROWS.values()
        for index, form in enumerate(forms(row) or ())
        if (row.name, index) not in used and (forms(row) is row.forms or form not in row.forms) and wanted(form)
    ]


def test_every_form_has_an_example() -> None:
    examples = [(example, Options()) for row in ROWS.values() for example in row.examples]
    assert unused(examples, lambda row: row.forms) == []


def test_every_published_form_has_an_example_on_a_page() -> None:
    programs = [block for path in PAGES.glob("*.md") for block in blocks(path.read_text("utf-8"))]
    checks = [(block.text, block.options) for block in programs if block.options.profile == "published"]
    assert unused(checks, lambda row: row.published) == []
