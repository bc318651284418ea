"""Privacy loss distributions in the second step of a check: what they prove counts for budgets and limits, for who uses
what they prove, and in the editor as on the command line."""

from __future__ import annotations

import json
import os
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.accounting.charge import Guarantee
from dp_lsp.analysis.records import Analysis, Options, Setting, State
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from several_files import Texts
from source_tree import ROOT
from stdio_driver import PATIENCE, Driver, children, gone

PROGRAM = """# dp: budget ε <= 0.5, δ <= 1e-5
f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)

g(x::Real) :: Priv() = f(x)
"""
LIMITED = "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)\n"

INSTEAD = """
import importlib.util, sys

class Instead:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "dp_lsp.accounting.composing":
            return importlib.util.spec_from_file_location(name, {file!r})

sys.meta_path.insert(0, Instead)
"""
OWN = str(ROOT / "dp_lsp" / "accounting" / "composing.py")
COMPOSING = """
import os, time
from fractions import Fraction
from pathlib import Path

exec(compile(Path({own!r}).read_text("utf-8"), {own!r}, "exec"))

class Composed:
    epsilon, step = Fraction(1, 4), Fraction(1, 1000)

def composed(counted, delta):
    while os.path.exists({wait!r}):
        time.sleep(0.01)
    return Composed
"""


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_distributions: None) -> Path:
    """As if the answer were 0.25 whatever is asked, in all processes that we start, which wait with it as long as the
    file is there that is returned."""
    folder, wait = tmp_path / "instead", tmp_path / "wait"
    folder.mkdir()
    (folder / "composing.py").write_text(COMPOSING.format(wait=str(wait), own=OWN), "utf-8")
    (folder / "sitecustomize.py").write_text(INSTEAD.format(file=str(folder / "composing.py")), "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    return wait


def answer(engine: Engine, analysis: Analysis, epsilon: str | None) -> None:
    """Have all that is asked answered by one number, or by nothing."""
    found = None if epsilon is None else Guarantee(Fraction(epsilon), Fraction(1, 10**5), "pld")
    engine.answers.learn(dict.fromkeys(engine.answers.open([analysis]), found))


def states(analysis: Analysis) -> dict[str, State]:
    return {each.name: each.state for each in analysis.functions}


def test_what_distributions_prove_counts_for_a_budget_and_for_callers() -> None:
    engine = Engine()
    before = engine.check(PROGRAM)
    assert [each.code for each in before.problems] == ["DP413", "DP111"]
    answer(engine, before, "1/2")
    after = engine.check(PROGRAM)
    assert not after.problems and set(states(after).values()) == {State.PROVED}
    assert not engine.answers.open([after])


@pytest.mark.parametrize("epsilon", ["51/100", None])
def test_a_budget_that_they_do_not_prove_is_missed(epsilon: str | None) -> None:
    engine = Engine()
    answer(engine, engine.check(PROGRAM), epsilon)
    after = engine.check(PROGRAM)
    assert [each.code for each in after.problems] == ["DP413", "DP111"]
    assert ("0.51 is proved" if epsilon else "0.99998 is proved") in after.problems[0].message


def test_another_budget_is_another_question() -> None:
    engine = Engine()
    answer(engine, engine.check(PROGRAM), "1/2")
    edited = engine.check(PROGRAM.replace("0.5", "0.4").replace("1e-5", "1e-6"))
    assert states(edited)["f"] is State.FAILED and engine.answers.open([edited])
    assert states(engine.check(PROGRAM))["f"] is State.PROVED


@pytest.mark.parametrize(
    ("most", "delta", "asks"),
    [(Fraction(1, 2), Fraction(1, 10**5), 1), (Fraction(1), Fraction(1, 10**5), 0), (None, Fraction(1, 10**5), 0)],
)
def test_limits_ask_only_where_the_other_rules_miss_them(most: Fraction | None, delta: Fraction, asks: int) -> None:
    engine, options = Engine(), Options(max_epsilon=most, max_delta=delta)
    before = engine.check(LIMITED, options)
    assert len(engine.answers.open([before])) == len(before.problems) == asks
    answer(engine, before, "1/2")
    assert states(engine.check(LIMITED, options)) == {"f": State.PROVED}


def test_numbers_are_the_smallest_that_are_known() -> None:
    engine = Engine()
    text = "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)\n"
    options = Options(settings=(Setting(None, "eps", Fraction(1)),), target_delta=Fraction(1, 10**5))
    before = engine.check(text, options)
    answer(engine, before, "1/3")
    assert [each.rule for each in before.functions[0].numeric] == ["renyi"]
    (numeric,) = engine.check(text, options).functions[0].numeric
    assert (numeric.rule, numeric.epsilon) == ("pld", Fraction(1, 3))
    explained = engine.explain("a.jl", Texts({"a.jl": text}), ("a.jl", 0), options=options)
    assert explained is not None and [each.rule for each in explained.numbers][:2] == ["pld", "renyi"]


def test_the_command_line_and_the_editor_come_to_the_same(
    answers: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "dp-lsp.toml").write_text("max-epsilon = 0.5\nmax-delta = 1e-5\n")
    file = folder / "a.jl"
    file.write_text(PROGRAM + LIMITED.replace("f(", "h("), "utf-8")
    answers.touch()
    with Driver() as driver:
        driver.start(folder)
        driver.open(file.read_text("utf-8"), file.as_uri())
        first = driver.checked(1, file.as_uri())
        assert first["status"] == "failed" and len(_told(driver)) == 4
        answers.unlink()  # it is answered now
        driver.wait(lambda message: message.get("params", {}).get("diagnostics") == [])
        assert driver.checked(1, file.as_uri())["status"] == "proved"
        (worker,) = children(driver.process.pid)
        assert not children(worker)
    assert main(["check", "--output-format", "json", str(folder)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["files"]
    assert (found["status"], found["diagnostics"]) == ("proved", [])


@pytest.mark.skipif(os.name != "posix" or not Path("/proc").exists(), reason="processes are told apart by /proc")
def test_an_edit_ends_the_process_that_computes_them(answers: Path, tmp_path: Path) -> None:
    answers.touch()
    uri = (tmp_path / "a.jl").as_uri()
    with Driver() as driver:
        driver.start(window={"workDoneProgress": True})
        driver.open(PROGRAM, uri)
        driver.checked(1, uri)
        (worker,) = children(driver.process.pid)
        deadline = time.monotonic() + PATIENCE
        while not children(worker) and time.monotonic() < deadline:
            time.sleep(0.02)
        (busy,) = children(worker)
        _see_begin(driver)
        driver.change(2, {"text": PROGRAM.replace("0.5", "1")}, uri=uri)
        assert driver.checked(2, uri)["status"] == "proved" and gone(busy)
        while _count(driver, "end") < _count(driver, "begin"):
            driver.wait(lambda message: _kind(message) == "end")


@pytest.mark.skipif(os.name != "posix" or not Path("/proc").exists(), reason="processes are told apart by /proc")
def test_who_does_not_want_to_wait_for_them_ends_the_process(answers: Path, tmp_path: Path) -> None:
    answers.touch()
    uri = (tmp_path / "a.jl").as_uri()
    with Driver() as driver:
        driver.start(window={"workDoneProgress": True})
        driver.open(PROGRAM, uri)
        assert driver.checked(1, uri)["status"] == "failed"
        _see_begin(driver)
        (begun,) = [message["params"] for message in driver.seen if _kind(message) == "begin"]
        assert begun["value"]["cancellable"] and "a.jl" in begun["value"]["message"]
        (worker,) = children(driver.process.pid)
        (busy,) = children(worker)
        driver.notify("window/workDoneProgress/cancel", {"token": "of somebody else"})
        driver.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
        while not _count(driver, "end"):
            driver.wait(lambda message: _kind(message) == "end")
        assert gone(busy)
        answers.unlink()  # it would be answered now, and the budget proved
        driver.change(2, {"text": f"# again\n{PROGRAM}"}, uri=uri)
        assert driver.checked(2, uri)["status"] == "failed"
        time.sleep(1)
        assert not children(worker) and driver.checked(2, uri)["status"] == "failed"
        driver.change(3, {"text": PROGRAM.replace("1e-5", "2e-5")}, uri=uri)  # another question
        driver.wait(lambda message: message.get("params", {}).get("diagnostics") == [])


def test_a_plot_has_their_curve_beside_the_others(
    answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.jl").write_text(LIMITED)
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "--target-delta", "1e-5", "--plot", "out.svg", "a.jl:f"]) == 0
    shown = (tmp_path / "out.svg").read_text("utf-8")
    assert "; ε 0.25 at 1e-12 (privacy-loss distribution) to ε 0.25 at 0.01 (privacy-loss distribution)." in shown
    assert shown.count(">privacy-loss distribution</text>") == 1


def _see_begin(driver: Driver) -> None:
    """Agree to be told how work goes on, and wait until that is done."""

    def is_begin(message: dict[str, Any]) -> bool:
        if message.get("method") == "window/workDoneProgress/create":
            driver.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        return _kind(message) == "begin"

    any(map(is_begin, list(driver.seen)))
    driver.wait(is_begin)


def _kind(message: dict[str, Any]) -> str:
    found = message.get("method") == "$/progress" and message["params"]["value"]["kind"]
    return found or ""


def _count(driver: Driver, kind: str) -> int:
    return sum(_kind(message) == kind for message in driver.seen)


def _told(driver: Driver) -> list[dict[str, Any]]:
    return driver.published()[-1]["diagnostics"]
