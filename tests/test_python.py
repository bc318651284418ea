"""Python in an editor and on the command line. Where names stand other servers tell, so nothing is said of that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dp_lsp.analysis.records import State
from dp_lsp.engine.check import Engine
from dp_lsp.frontends.python.tables import OF_TABLES
from source_tree import ROOT, python
from stdio_driver import Driver

PROGRAM = """\
from typing import Annotated

import numpy as np
from dp_types import AddRemove, Private, Static


def café(v: Annotated[list, AddRemove()], eps: Static[float]) -> Private[float]:
    é = len(v)
    return é + np.random.laplace(0, 1 / eps)


def leaks(v: Annotated[list, AddRemove()], eps: Static[float]) -> Private[float]:
    return len(v) + 0 * eps
"""


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[tuple[Driver, str]]:
    path = tmp_path / "a.py"
    path.write_text(PROGRAM, "utf-8")
    with Driver(cwd=tmp_path) as driver:
        driver.start(tmp_path)
        driver.open(PROGRAM, path.as_uri(), "python")
        yield driver, path.as_uri()


def place(text: str) -> dict[str, int]:
    before = PROGRAM[: PROGRAM.index(text)]
    return {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}


def test_what_is_known(editor: tuple[Driver, str]) -> None:
    driver, uri = editor
    status = driver.checked(1, uri)
    assert [(each["name"], each["status"]) for each in status["functions"]] == [("café", "proved"), ("leaks", "failed")]

    def ask(method: str, text: str, **more: Any) -> Any:
        return driver.ask(method, {"textDocument": {"uri": uri}, "position": place(text), **more})["result"]

    assert "ε" in str(ask("textDocument/hover", "café"))
    assert "1" in str(ask("textDocument/hover", "é = len"))
    assert "ε eps" in str(ask("textDocument/hover", "laplace(0"))
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 13, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": whole}
    assert driver.ask("textDocument/inlayHint", asked)["result"]
    for method in ("definition", "documentHighlight", "completion", "prepareRename"):
        assert ask(f"textDocument/{method}", "é = len") is None
    assert driver.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})["result"] is None


def test_a_file_that_does_not_name_the_vocabulary_is_none_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "b.py"
    text = "class A:\n    pass\n\n\ndef f(x)\n    return x\n"
    path.write_text(text, "utf-8")
    with Driver(cwd=tmp_path) as driver:
        driver.start(tmp_path)
        driver.open(text, path.as_uri(), "python")
        assert driver.checked(1, path.as_uri())["functions"] == []


def test_a_folder_with_files_of_both_languages(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PROGRAM, "utf-8")
    (tmp_path / "b.jl").write_text("twice(x::Real) = 2 * x\n", "utf-8")
    (tmp_path / "setup.py").write_text("class A:\n    pass\n", "utf-8")
    result = python("-m", "dp_lsp", "check", "--no-cache", "--output-format", "json", ".", cwd=tmp_path)
    report = json.loads(result.stdout)
    found = {(file["path"], each["name"]): each["status"] for file in report["files"] for each in file["functions"]}
    assert found == {("a.py", "café"): "proved", ("a.py", "leaks"): "failed", ("b.jl", "twice"): "proved"}
    assert [file["path"] for file in report["files"]] == ["a.py", "b.jl"]
    assert result.returncode == 1
    shown = python("-m", "dp_lsp", "check", "--no-cache", "a.py", cwd=tmp_path).stdout
    assert "a.py:12:5" in shown and "leaks" in shown


def test_what_the_page_of_the_words_shows_is_proved() -> None:
    shown = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "dp_types" / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert shown
    for text in shown:
        (function,) = Engine().check(text, document="a.py").functions
        costs = [each.epsilon for each in function.parameters if not each.static]
        assert (function.state, [str(each) for each in costs]) == (State.PROVED, ["eps"])


def test_what_tables_have_by_themselves_is_no_column() -> None:
    assert {name for name in dir(pd.DataFrame) if not name.startswith("_")} <= OF_TABLES


ALIASED = """\
from typing import Annotated

import numpy as np
from dp_types import AddRemove, Bounded, Private, Static

Ages = Annotated[np.ndarray, AddRemove(), Bounded(0, 1)]


def f(v: Ages, eps: Static[float]) -> Private:
    return v.sum() + np.random.laplace(scale=1 / eps)


def g(v: Ages
"""


def test_what_a_name_of_an_annotation_means_is_read_anew_when_that_is_edited(tmp_path: Path) -> None:
    """A function below that is not written to its end, in which the name stands, changes nothing."""
    uri = (tmp_path / "a.py").as_uri()
    with Driver(cwd=tmp_path) as driver:
        driver.start(tmp_path)
        driver.open(ALIASED, uri, "python")

        def summary(version: int) -> str:
            found = {each["name"]: each for each in driver.checked(version, uri)["functions"]}
            return f"{found['f']['status']} {found['f'].get('summary')}"

        def edit(version: int, old: str, new: str) -> str:
            driver.change(version, {"text": ALIASED.replace(old, new)}, uri=uri)
            return summary(version)

        first = summary(1)
        assert first.startswith("proved") and "ε eps" in first
        assert "ε 2⋅eps" in edit(2, "Bounded(0, 1)", "Bounded(0, 2)")
        assert edit(3, "\n\n\ndef f", "\nfor Ages in range(3):\n    pass\n\n\ndef f").startswith("unknown")
        assert edit(4, "", "") == first
