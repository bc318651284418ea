"""Privacy loss distributions through the command line: when they are asked, what is said of them, and what is not."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from dp_lsp.accounting import pld
from dp_lsp.accounting.pld import Question
from dp_lsp.cli import main, output
from dp_lsp.mechanisms.noise import LaplaceLoss

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = str(ROOT / "fixtures" / "programs" / "dp_sgd_poisson.jl")
NUMBERS = ["--set", "q=0.01", "--set", "sigma=4", "--set", "k=10000", "--target-delta", "1e-5"]

FIXED = """import json, sys
questions = json.load(sys.stdin)
for each in questions:
    print(json.dumps({"epsilon": EPSILON, "interval": "1/1000", "note": ""}))
"""

SEVERAL = """function again(A::Matrix{<:Data}, B::Matrix{<:Data}, sigma::Static()) :: Priv()
    (D, L) = sample_with_replacement(10, A, B)
    total = [0.0, 0.0]
    for i in 1:10
        total = total + undisc_container(clip(L2, D[i, :]))
    end
    gaussian_noise(2, sigma, total)
    laplacian_mechanism(4, 1, total)
end
"""

pytestmark = pytest.mark.usefixtures("with_distributions")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the program, whose neighbours are data of which one has a record more."""
    (tmp_path / "dp-lsp.toml").write_text('neighbours = "add-remove"\n')
    (tmp_path / "sgd.jl").write_text(Path(PROGRAM).read_text("utf-8"), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answering(monkeypatch: pytest.MonkeyPatch, epsilon: str) -> None:
    """As if this ε were the answer, an expression of ``questions``."""
    monkeypatch.setattr(pld, "_RUN", FIXED.replace("EPSILON", epsilon))


def numeric(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, tuple[float, str]]:
    """The ε and the rule for each parameter of the function that is trained."""
    main(["check", "--output-format", "json", *NUMBERS, *more, "sgd.jl"])
    found = json.loads(capsys.readouterr().out)
    (function,) = (each for each in found["files"][0]["functions"] if each["name"] == "train")
    return {" with ".join(each["parameters"]): (each["epsilon"], each["rule"]) for each in function["numeric"]}


def explained(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["explain", *NUMBERS, "sgd.jl:train"]) == 0
    return capsys.readouterr().out


def test_gradient_descent_costs_what_distributions_say(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = numeric(capsys, "--certificate", "proof.json")
    assert found.keys() == {"X", "y", "X with y"}
    assert all(rule == "pld" and 0.9466 <= epsilon <= 0.9472 for epsilon, rule in found.values())
    bounds = json.loads((folder / "proof.json").read_text("utf-8"))["bounds"]
    assert all(bound["rule"] == "renyi" and bound["stated"]["rule"] == "pld" for bound in bounds)
    assert main(["verify", "proof.json"]) == 0


def test_a_record_in_place_of_another_costs_what_neighbours_attain(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Records at two ends of a ball, each drawn by a coin of its own, 1 in 100, in each of 10,000 rounds: a numeric
    integral of their losses gives 1.99313."""
    (folder / "dp-lsp.toml").unlink()
    found = numeric(capsys, "--certificate", "proof.json")
    assert all(rule == "pld" and 1.9931 <= epsilon <= 1.9951 for epsilon, rule in found.values())
    assert main(["verify", "proof.json"]) == 0


def test_an_explanation_says_why_there_is_no_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several kinds of noise on one sample no distribution is known."""
    (folder / "dp-lsp.toml").unlink()
    (folder / "again.jl").write_text(SEVERAL, "utf-8")
    settings = ["--set", "sigma=2", "--set", "rows(A)=100", "--target-delta", "1e-5"]
    assert main(["explain", *settings, "again.jl:again"]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "privacy-loss distributions" in line)
    assert "those of some mechanism here are not known" in line


def test_an_explanation_lists_it_once_for_each_rule(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, '"1/2"')
    lines = explained(capsys).splitlines()
    (row,) = (number for number, line in enumerate(lines) if "privacy-loss distribution" in line)
    assert lines[row] == "| privacy-loss distribution | 0.5 | 1e-5 | proved; no certificate can hold it |"
    assert re.search(r"Rényi privacy, α = \d+(\.\d+)? \| 1\.0355", lines[row + 1])


def test_it_is_asked_once_for_what_costs_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, "str(len(questions)) + '/4'")
    assert set(numeric(capsys).values()) == {(0.25, "pld")}


def test_what_was_answered_is_kept_and_what_was_not_is_asked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, "sys.exit()")
    assert {rule for _, rule in numeric(capsys).values()} == {"renyi"}
    answering(monkeypatch, '"1/4"')
    found = numeric(capsys)
    assert set(found.values()) == {(0.25, "pld")}
    answering(monkeypatch, '"1/8"')
    assert numeric(capsys) == found
    assert set(numeric(capsys, "--no-cache").values()) == {(0.125, "pld")}


def test_the_smaller_number_counts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, '"2"')
    assert {rule for _, rule in numeric(capsys).values()} == {"renyi"}


@pytest.mark.parametrize(
    ("body", "more"),
    [
        ("laplacian_mechanism(1, 0.5, x)", ()),  # nobody asked for numbers
        ("laplacian_mechanism(1, eps, x)", ("--target-delta", "1e-5")),  # one is missing
        ("gaussian_mechanism(1, 0.5, 1e-6, x)", ("--target-delta", "1e-5")),  # it cannot be less
        ("parallel_private_fold_rows(x)", ("--target-delta", "1e-5")),  # nothing is proved
    ],
)
def test_it_is_not_asked_what_is_of_no_use(
    body: str,
    more: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def never(questions: object) -> None:
        pytest.fail("a process is started")

    monkeypatch.setattr(pld, "AskedDistribution", never)
    file = tmp_path / "few.jl"
    file.write_text(f"f(x::Data, eps::Static()) :: Priv() = {body}\n", "utf-8")
    main(["check", *more, str(file)])
    assert "f " in capsys.readouterr().out


def test_what_takes_too_long_is_given_up(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, "__import__('time').sleep(600)")
    monkeypatch.setattr(pld, "TIMEOUT", 0.3)
    main(["check", *NUMBERS, "sgd.jl"])
    told = capsys.readouterr()
    assert "X, y, X with y (one record): ε 1.04  δ 1e-5   (renyi)" in told.out
    assert "took longer than" in told.err
    assert "took longer than" in explained(capsys)


def test_a_terminal_sees_that_it_takes_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answering(monkeypatch, '__import__("time").sleep(0.5) or "1/2"')
    monkeypatch.setattr(output, "is_terminal", lambda stream: True)
    monkeypatch.setattr(output.TerminalLine.__init__, "__defaults__", (0.0,))
    main(["check", *NUMBERS, "sgd.jl"])
    assert "privacy-loss distributions (rule pld): " in capsys.readouterr().err


def test_whoever_interrupts_it_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pld, "_RUN", "import time; time.sleep(600)")
    asked = pld.AskedDistribution([Question(LaplaceLoss(Fraction(1)), Fraction(1, 10))])
    with pytest.raises(KeyboardInterrupt):
        asked.answers(tick=interrupt)
    assert asked._process.returncode is not None


def test_what_was_answered_before_the_end_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = tmp_path / "told"
    first = FIXED.replace("EPSILON", '"1/2"').replace("for each in questions:", "for each in questions[:1]:")
    monkeypatch.setattr(
        pld, "_RUN", f"{first}sys.stdout.flush(); open({str(told)!r}, 'x'); import time; time.sleep(600)"
    )
    asked = pld.AskedDistribution([Question(LaplaceLoss(Fraction(rate)), Fraction(1, 10)) for rate in (1, 2)])
    answers = asked.answers(tick=lambda: asked.cancel() if told.exists() else None)
    assert answers[0] is not None and answers[0].epsilon == Fraction(1, 2) and answers[1] is None
