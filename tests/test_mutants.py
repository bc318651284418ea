"""The command that breaks rules: what it puts in place is taken away again, and what is said of survivors is true of
mutants that there are. The command itself takes ten minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import spec_runner
from attack import trials
from attack.edits import forgotten
from attack.formulas import broken_formulas
from attack.hunt import hunt
from attack.rules import broken_rules
from attack.survivors import SURVIVORS
from dp_lsp.builtins import TABLE
from dp_lsp.engine.check import Engine
from source_tree import ROOT

PROGRAM = "f(x::Real, c::Static()) = c * x + abs(x)"


def bound() -> str | None:
    return Engine().check(PROGRAM).functions[0].parameters[0].sensitivity


def test_what_is_broken_is_mended_again() -> None:
    table, before = dict(TABLE), bound()
    for rule in (*broken_rules(), *broken_formulas()):
        right = getattr(rule.owner, rule.function)
        with rule.in_place():
            assert getattr(rule.owner, rule.function) is not right, rule.name
        assert getattr(rule.owner, rule.function) is right, rule.name
    assert table == TABLE and bound() == before


PAGES = {
    "rule: loops, every number stays whole": "loops",
    "rule: loops, no number stays whole": "loops",
    "rule: memory, what the other branch leaves is forgotten": "attacks/aliases",
    "rule: memory, what the first branch leaves is forgotten": "attacks/aliases",
}
"""Rules that a page of the specification alone would be wrong without."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_notices(name: str) -> None:
    (rule,) = (each for each in broken_rules() if each.name == name)
    blocks = spec_runner.blocks((ROOT / "fixtures" / "spec" / f"{PAGES[name]}.md").read_text("utf-8"))
    with rule.in_place():
        engine = Engine()
        assert any(spec_runner.rewritten(block, engine) != block.lines for block in blocks)


@pytest.fixture
def few_trials(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The examples of rows and one page: which trials use what takes half a minute of all of them."""
    monkeypatch.setattr(trials, "PAGES", [ROOT / "fixtures" / "spec" / "tuples.md"])
    monkeypatch.setattr(trials, "CASES", ())
    trials.trials.cache_clear()
    trials.uses.cache_clear()
    yield
    trials.trials.cache_clear()
    trials.uses.cache_clear()


@pytest.mark.slow
def test_a_row_and_a_rule_that_are_broken_are_noticed(few_trials: None, capsys: pytest.CaptureFixture[str]) -> None:
    hunt("^`abs`: form 1, factors halved|^rule: moves, the first item")
    told = capsys.readouterr().out.splitlines()
    assert not [line for line in told if line.startswith("not noticed")], told
    assert re.match(r"2 mutants in \d+ s: [12] by ", told[-1])


def test_survivors_are_explained_that_there_are() -> None:
    """Of mutants of a row, that there is the form; the command says which of them there are not."""
    whole = {each.name for each in (*broken_rules(), *broken_formulas(), *forgotten())}
    forms = {f"`{row.name}`: form {place}" for row in TABLE.values() for place, _ in enumerate(row.forms, 1)}
    assert all(SURVIVORS.values())
    assert [name for name in SURVIVORS if name not in whole and name.partition(", ")[0] not in forms] == []
