"""The same program in two languages has the same bounds."""

from __future__ import annotations

from itertools import groupby

import pytest

import spec_runner
from dp_lsp.engine.check import Engine
from source_tree import ROOT

PAGE = ROOT / "fixtures" / "spec" / "python" / "twins.md"
FEWEST = 60
ENGINE = Engine()
TWINS = {
    heading: list(group)
    for heading, group in groupby(spec_runner.blocks(PAGE.read_text("utf-8")), key=lambda block: block.heading)
}


@pytest.mark.parametrize("heading", TWINS)
def test_twins_have_the_same_bounds(heading: str) -> None:
    julia, python = TWINS[heading]
    assert (julia.language, python.language) == ("julia", "python")
    first, second = (
        {line for line in spec_runner.rewritten(each, ENGINE) if line.startswith("# f: ")} for each in (julia, python)
    )
    assert first == second != set()


def test_there_are_many_twins() -> None:
    assert len(TWINS) >= FEWEST
