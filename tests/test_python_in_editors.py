"""Python in an editor: what is wrong, and what is known of names; where these stand other servers tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
