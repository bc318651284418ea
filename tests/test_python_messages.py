"""What Python programs are told: problems of their own, with repairs that lead to a proof."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.records import Repair, State, edits_of
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.engine.proposals import edited
from dp_lsp.engine.trials import Within, repairs
from several_files import Texts

HEADER = """\
from typing import Annotated

import numpy as np
from dp_types import AddRemove, Bounded, ChangeOne, Private, Static


"""
ENGINE = Engine()


def offered(text: str) -> list[Repair]:
    """The repairs of a program that were tried, and are good."""
    texts = Texts({"a.py": text})
    found = ENGINE.project("a.py", texts)["a.py"]
    tried = repairs(ENGINE, "a.py", found, Within(("a.py",), texts), Ticket())
    return [repair for repair in tried if not repair.accepts]


def case(code: str, broken: str, title: str, fixed: str) -> Any:
    return pytest.param(code, HEADER + dedent(broken), title, HEADER + dedent(fixed), id=f"{code} {title}")


CASES = [
    case(
        "DP456",
        """\
        def total(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            return np.sum(np.clip(v, 0, 120)) + np.random.laplace(scale=1 / eps)
        """,
        "replace 1 by 120",
        """\
        def total(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            return np.sum(np.clip(v, 0, 120)) + np.random.laplace(scale=120 / eps)
        """,
    ),
    case(
        "DP456",
        """\
        def total(v: Annotated[np.ndarray, AddRemove()], epsilon: Static[float]) -> Private:
            sensitivity = 1
            scale = sensitivity / epsilon
            return np.sum(np.clip(v, 0, 10)) + np.random.laplace(0, scale)
        """,
        "replace 1 by 10",
        """\
        def total(v: Annotated[np.ndarray, AddRemove()], epsilon: Static[float]) -> Private:
            sensitivity = 10
            scale = sensitivity / epsilon
            return np.sum(np.clip(v, 0, 10)) + np.random.laplace(0, scale)
        """,
    ),
    case(
        "DP456",
        """\
        def total(v: Annotated[np.ndarray, ChangeOne(), Bounded(0, 120)], eps: Static[float]) -> Private:
            return v.sum() + np.random.laplace(0, 120 / (len(v) * eps))
        """,
        "replace 120 by 120*len(v)",
        """\
        def total(v: Annotated[np.ndarray, ChangeOne(), Bounded(0, 120)], eps: Static[float]) -> Private:
            return v.sum() + np.random.laplace(0, 120*len(v) / (len(v) * eps))
        """,
    ),
    case(
        "DP457",
        """\
        def laplace_mech(v, sensitivity, epsilon):
            return v + np.random.laplace(scale=sensitivity / epsilon)


        def total(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            return laplace_mech(np.sum(np.clip(v, 0, 120)), 1, eps)
        """,
        "replace 1 by 120",
        """\
        def laplace_mech(v, sensitivity, epsilon):
            return v + np.random.laplace(scale=sensitivity / epsilon)


        def total(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            return laplace_mech(np.sum(np.clip(v, 0, 120)), 120, eps)
        """,
    ),
    case(
        "DP458",
        """\
        def counts(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            noise = np.random.laplace(scale=2 / eps)
            return np.sum(v > 40) + noise, np.sum(v > 65) + noise
        """,
        "draw the noise anew",
        """\
        def counts(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            noise = np.random.laplace(scale=2 / eps)
            return np.sum(v > 40) + noise, np.sum(v > 65) + np.random.laplace(scale=2 / eps)
        """,
    ),
    case(
        "DP458",
        """\
        def counts(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            noise = 2 * np.random.laplace(scale=1 / eps)
            total = 0.0
            for t in range(3):
                total += np.sum(v > t) + noise
            return total
        """,
        "draw the noise anew",
        """\
        def counts(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
            noise = 2 * np.random.laplace(scale=1 / eps)
            total = 0.0
            for t in range(3):
                total += np.sum(v > t) + 2 * np.random.laplace(scale=1 / eps)
            return total
        """,
    ),
]


@pytest.mark.parametrize(("code", "broken", "title", "fixed"), CASES)
def test_what_each_repair_does(code: str, broken: str, title: str, fixed: str) -> None:
    found = [repair for repair in offered(broken) if repair.problem.code == code and repair.fix.title == title]
    assert len(found) == 1, [repair.fix.title for repair in offered(broken)]
    text = edited(broken, edits_of(found[:1]))
    assert text == fixed
    states = [report.state for report in ENGINE.check(text, document="a.py").functions]
    assert states and all(state is State.PROVED for state in states)


def test_a_draw_that_is_used_twice_shows_both_places() -> None:
    text = CASES[4].values[1]
    (problem,) = ENGINE.check(text, document="a.py").problems
    assert text[slice(*problem.span)] == "np.random.laplace(scale=2 / eps)"
    assert [(each.message, text[each.span.end :]) for each in problem.related] == [
        ("it is used here", ", np.sum(v > 65) + noise\n"),
        ("and here", "\n"),
    ]


def test_sizes_are_called_what_python_calls_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.py"
    text = """\
    def mean(ages: Annotated[np.ndarray, ChangeOne(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return ages.mean() + np.random.laplace(scale=1 / eps)
    """
    path.write_text(HEADER + dedent(text), "utf-8")
    assert main(["check", "--no-cache", "--verbose", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "ε 120⋅eps/len(ages)" in shown and "1 ≤ len(ages)" in shown and "length" not in shown
    assert main(["check", "--no-cache", "--set", "len(ages)=1000", "--set", "eps=1", str(path)]) == 0
    assert "ε 0.12 " in capsys.readouterr().out
    assert main(["check", "--no-cache", "--output-format", "json", str(path)]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (parameter, _) = file["functions"][0]["parameters"]
    assert parameter["epsilon"] == "120*eps/length(ages)", "formulas of reports are the same for all languages"


COUNT = HEADER + dedent(
    """\
    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def count(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(v), 1, eps)


    def size(v: Annotated[np.ndarray, ChangeOne()]) -> int:
        return len(v)
    """
)


def test_that_noise_is_exact_is_a_premise_that_each_report_names() -> None:
    for report in ENGINE.check(COUNT, document="a.py").functions:
        said = [each.text for each in report.conditions if each.kind == "float-noise"]
        assert len(said) == (report.name != "size") and report.state is State.PROVED
        assert all("dp-lsp run" in text and "OpenDP" in text for text in said)


def test_it_may_be_an_error_instead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(COUNT, "utf-8")
    (tmp_path / "pyproject.toml").write_text('[tool.dp-lsp]\nfloat-noise = "error"\n', "utf-8")
    assert main(["check", "--no-cache", "--output-format", "json", str(tmp_path / "a.py")]) == 1
    (file,) = json.loads(capsys.readouterr().out)["files"]
    states = {each["name"]: each["status"] for each in file["functions"]}
    assert states == {"laplace_mech": "failed", "count": "unknown", "size": "proved"}
    assert [each["code"] for each in file["diagnostics"] if each["severity"] == "error"] == ["DP460"]


@pytest.mark.parametrize("annotation", ["Annotated[list, OneOf(1, 2)]", "OneOf(1, 2)"])
def test_where_one_of_is_said_is_told(annotation: str) -> None:
    text = f"from dp_types import OneOf\n{HEADER}def f(x: {annotation}) -> float:\n    return x\n"
    found = ENGINE.check(text, document="a.py")
    assert [each.code for each in found.problems] == ["DP201"]
    assert "`Columns(Sex=OneOf(1, 2))`" in found.problems[0].message
    assert found.functions[0].state is State.UNKNOWN


def test_a_black_box_is_not_followed_and_its_decorator_is_named() -> None:
    text = f"from dp_types import black_box\n{HEADER}@black_box\ndef f(x: float) -> float:\n    return x\n"
    found = ENGINE.check(text, document="a.py")
    assert "The decorator `@black_box` is not part of the language" in found.problems[0].message
    assert found.functions[0].state is State.UNKNOWN


def test_what_is_checked_at_run_time_is_proved_as_without_that() -> None:
    text = HEADER + dedent(
        """\
        def total(v: Annotated[np.ndarray, AddRemove(), Bounded(0, 1)], eps: Static[float]) -> Private:
            return v.sum() + np.random.laplace(scale=1 / eps)
        """
    )
    checked = text.replace("import AddRemove, ", "import AddRemove, checked, ").replace(
        "def total", "@checked\ndef total"
    )
    (plain,), (same,) = (ENGINE.check(each, document="a.py").functions for each in (text, checked))
    assert plain.state is same.state is State.PROVED
    assert plain.parameters[0].epsilon == same.parameters[0].epsilon == "eps"


HELPER = HEADER + dedent(
    """\
    def most(v, k):
        best = 0
        for i in range(k):
            best = max(best, (v > i).sum() + np.random.laplace(0, k))
        return best


    """
)


def told_of_helpers(text: str) -> tuple[State, list[tuple[str, State]], list[tuple[str, str]]]:
    """The state of a program, those of its functions, and how bad each of its problems is."""
    found = ENGINE.project("a.py", Texts({"a.py": text}))["a.py"]
    states = [(each.name, each.state) for each in found.functions]
    return found.state, states, [(each.code, each.severity.value) for each in found.problems]


def test_a_helper_is_judged_where_it_is_called() -> None:
    called = HELPER + "def f(ages: Annotated[np.ndarray, ChangeOne()]) -> Private:\n    return most(ages, 10)\n"
    assert told_of_helpers(called) == (State.PROVED, [("f", State.PROVED)], [("DP452", "information")])
    found = ENGINE.project("a.py", Texts({"a.py": called}))["a.py"]
    assert found.problems[0].message.startswith(
        "judged where it is called, in `f`; by itself: whom does `most` protect"
    )


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param("", id="nobody calls it"),
        pytest.param(
            "def f(ages: Annotated[np.ndarray, ChangeOne()]) -> Private:\n    return most(ages, 10) + ages[0]\n",
            id="a caller is not proved",
        ),
        pytest.param(
            "def f(ages: Annotated[np.ndarray, ChangeOne()]) -> Private:\n    return most(ages, 10)\n\n\n"
            "def g(ages: Annotated[np.ndarray, ChangeOne()]) -> Private:\n    return most(ages, len(ages) / 2)\n",
            id="one of two callers is not proved",
        ),
        pytest.param(
            "def f(ages: Annotated[np.ndarray, ChangeOne()]) -> Private:\n    return most(ages, 10)\n\n\n"
            "most(read(), 10)\n",
            id="what is not followed calls it, too",
        ),
    ],
)
def test_a_helper_that_not_all_calls_prove_keeps_its_state(rest: str) -> None:
    state, states, problems = told_of_helpers(HELPER + rest)
    assert not state.holds and ("most", State.UNKNOWN) in states, problems


def test_a_helper_with_a_budget_of_its_own_keeps_its_state() -> None:
    text = HELPER.replace("def most", "# dp: budget 1\ndef most")
    text += "def f(ages: Annotated[np.ndarray, ChangeOne()]) -> Private:\n    return most(ages, 10)\n"
    assert ("most", State.UNKNOWN) in told_of_helpers(text)[1]


@pytest.mark.parametrize("value", ["x // 10", "round(x)", "x % 10", "np.sqrt(np.abs(x))", "100 * int(x)"])
def test_what_only_jumps_is_not_refuted(value: str) -> None:
    """Some noise does hide these: `x // 10` is moved by at most 1 where `x` is, so it is false that none does."""
    text = HEADER.replace("Static", "Static, Within")
    text += f"def f(x: Annotated[float, Within()]) -> Private:\n    return {value} + np.random.laplace(0, 1)\n"
    found = ENGINE.project("a.py", Texts({"a.py": text}))["a.py"]
    problem = found.problems[0]
    assert found.functions[0].state is State.UNKNOWN
    assert (problem.code, problem.unchecked) == (
        "DP302",
        True,
    ) and "it may jump, or rise steeply, where `x` hardly changes" in problem.message


@pytest.mark.parametrize("value", ["x * x", "1 / x", "x * (x // 10)"])
def test_what_grows_is_refuted(value: str) -> None:
    text = HEADER.replace("Static", "Static, Within")
    text += f"def f(x: Annotated[float, Within()]) -> Private:\n    return {value} + np.random.laplace(0, 1)\n"
    found = ENGINE.project("a.py", Texts({"a.py": text}))["a.py"]
    assert found.functions[0].state is (State.UNKNOWN if "//" in value else State.FAILED)


CLASS = HEADER + dedent(
    """\
    class Mech:
        def __init__(self, eps):
            self.eps = eps

        def add(self, v):
            return v + np.random.laplace(0, 1 / self.eps)

        def save(self, path):
            with open(path, "w") as f:
                f.write(str(self.eps))

        def saved(self):
            return self.save("x")


    def f(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        mechanism = Mech(eps)
        return mechanism.add((ages > 3).sum())
    """
)


def test_of_methods_that_nobody_calls_nothing_is_said() -> None:
    state, states, problems = told_of_helpers(CLASS)
    assert state is State.PROVED and ("f", State.PROVED) in states and not problems
    assert not {"Mech.save", "Mech.saved"} & {name for name, _ in states}


def test_a_method_that_is_called_is_looked_at() -> None:
    state, states, _ = told_of_helpers(
        CLASS.replace("    return mechanism", "    mechanism.saved()\n    return mechanism")
    )
    assert not state.holds and ("f", State.PROVED) not in states


def test_why_nothing_is_known_of_the_objects_of_a_class() -> None:
    text = CLASS.replace("        return v +", "        self.eps = 2 * self.eps\n        return v +")
    found = ENGINE.project("a.py", Texts({"a.py": text}))["a.py"]
    related = [each.message for problem in found.problems for each in problem.related]
    assert any("`add` gives `self.eps` another value" in message for message in related), related
