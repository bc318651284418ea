"""Every page of the specification is true of the checker, and nothing in it is unknown without a reason, or proved for
small data only."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

import spec_runner
from dp_lsp.engine.check import Engine
from several_files import check
from source_tree import ROOT
from test_hollow import hollow
from test_unknown import unexplained

SPEC = ROOT / "fixtures" / "spec"
ATTACKS = sorted((SPEC / "attacks").glob("*.md"))
PAGES = [*sorted(SPEC.glob("*.md")), *ATTACKS, *sorted((SPEC / "python").glob("*.md"))]
FEWEST = 10
"""How many programs a page of attacks has for each cause of wrong answers, each under a heading of its own."""
ENGINE = Engine()


def sections() -> list[pytest.ParameterSet]:
    """One test for each heading; one whose program gets a wrong answer must not begin to pass unnoticed."""
    found = []
    for page in PAGES:
        listed = spec_runner.blocks(page.read_text(encoding="utf-8"))
        for heading, group in groupby(listed, key=lambda block: block.heading):
            programs = list(group)
            wrong = any(block.known_wrong for block in programs)
            marks = [pytest.mark.xfail(reason="the answer is wrong; the page says what is right")] if wrong else []
            found.append(
                pytest.param(
                    page, heading, id=f"{page.relative_to(SPEC).with_suffix('').as_posix()}-{heading}", marks=marks
                )
            )
    return found


@pytest.mark.parametrize(("page", "heading"), sections())
def test_section(page: Path, heading: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update"):
        page.write_text(spec_runner.page_rewritten(page, ENGINE), encoding="utf-8")
    for block in spec_runner.blocks(page.read_text(encoding="utf-8")):
        if block.heading == heading:
            found = check(ENGINE, block.text, block.options)
            lines = spec_runner.answered(block, found)
            assert lines == block.lines, _difference(page, block, lines)
            assert not unexplained(found), heading
            assert block.options.profile != "sound" or not hollow(found), heading


@pytest.mark.parametrize("page", ATTACKS, ids=lambda page: page.stem)
def test_attacks_are_many(page: Path) -> None:
    headings = {block.heading for block in spec_runner.blocks(page.read_text(encoding="utf-8"))}
    assert len(headings) >= FEWEST


def test_attacks_are_there() -> None:
    assert {"definitions", "identifiers", "sharing", "strings"} <= {page.stem for page in ATTACKS}


def _difference(page: Path, block: spec_runner.Block, found: tuple[str, ...]) -> str:
    lines = [f"{page.name}: {block.heading}"]
    for number, (expected, answer) in enumerate(zip(block.lines, found, strict=True), block.start + 1):
        if expected != answer:
            lines += [f"  line {number} expects   {expected}", f"  the checker says {answer}"]
    return "\n".join(lines)
