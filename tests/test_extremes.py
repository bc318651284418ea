"""Extreme programs are checked, or refused with a clear problem: on the command line, and in the server, whose answers
cross the border between two processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from source_tree import ROOT
from stdio_driver import Driver

LONG_NAME = "a_parameter_with_a_rather_long_name"
DEEP = 2_000
NEIGHBOUR = "\nneighbour(x::Real) = 3 * x\n"


def _lines(count: int) -> str:
    return "".join(f"    y{i} = x + {i}\n" for i in range(count))


def _private(count: int) -> str:
    links = [f"f{i}(x::Real) :: Priv() = f{i - 1}(x) + f{i - 1}(x)" for i in range(1, count)]
    return "\n".join(["f0(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)", *links])


PROVED = {
    "5,000 terms": (f"f(x::Real) = {' + '.join(['x'] * 5_000)}\n", "5000"),
    "2,000 parentheses": (f"f(x::Real) = {'(' * DEEP}x{')' * DEEP}\n", "1"),
    "a line of 1 MB": (f"f({LONG_NAME}::Real) = {' + '.join([LONG_NAME] * 28_000)}\n", "28000"),
    "3,000 statements": (f"function f(x::Real)\n{_lines(3_000)}    y2999\nend\n", "1"),
}
REFUSED = {
    "2,000 calls in one another": (f"f(x::Real) = {'abs(' * DEEP}x{')' * DEEP}\n", "DP004"),
    "1,000 branches in one another": (
        "function f(x::Real)\n" + "if x > 1\n" * 1_000 + "end\n" * 1_000 + "end\n",
        "DP004",
    ),
    "2,000 open parentheses": (f"f(x::Real) = {'(' * DEEP}\n", "DP005"),
    "functions that are each called twice, 2,000 times": (_private(2_000), ""),
}
"""Programs, and the code of a problem; none where only the formula is refused, and each function has a bound."""


@pytest.fixture(scope="module")
def session() -> Iterator[Driver]:
    with Driver() as driver:
        driver.start()
        yield driver


def functions(text: str, folder: Path) -> dict[str, tuple[str, str | None]]:
    """State and sensitivity of each function, as the command line tells."""
    file = folder / "extreme.jl"
    file.write_text(text, "utf-8")
    command = [sys.executable, "-m", "dp_lsp", "check", "--output-format", "json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.stderr == "" and done.returncode in (0, 1)
    report = json.loads(done.stdout)
    return {
        each["name"]: (each["status"], each["parameters"][0]["sensitivity"])
        for file in report["files"]
        for each in file["functions"]
    }


@pytest.mark.parametrize("name", PROVED)
def test_checked_on_the_command_line(name: str, tmp_path: Path) -> None:
    text, sensitivity = PROVED[name]
    found = functions(text + NEIGHBOUR, tmp_path)
    assert found == {"f": ("proved", sensitivity), "neighbour": ("proved", "3")}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_on_the_command_line(name: str, tmp_path: Path) -> None:
    text, code = REFUSED[name]
    found = functions(text + NEIGHBOUR, tmp_path)
    assert found["neighbour"] == ("proved", "3")
    if code:
        assert found["f"] == ("unknown", "oo")
    else:
        assert all(state == "proved" for state, _ in found.values())


@pytest.mark.parametrize("name", [*PROVED, *REFUSED])
def test_in_the_server(name: str, session: Driver) -> None:
    text, expected = {**PROVED, **REFUSED}[name]
    uri = "file:///extreme/" + name.replace(" ", "_") + ".jl"
    session.open(text + NEIGHBOUR, uri=uri)
    status = session.checked(1, uri)
    (said,) = (each["diagnostics"] for each in session.published()[-1:] if each["uri"] == uri)
    if name in PROVED or not expected:
        assert (status["status"], said) == ("proved", [])
    else:
        assert status["status"] == "unknown"
        assert expected in {each["code"] for each in said}
    where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    assert "error" not in session.ask("textDocument/hover", where)
    session.change(2, {"text": NEIGHBOUR}, uri=uri)
    assert session.checked(2, uri)["status"] == "proved"
