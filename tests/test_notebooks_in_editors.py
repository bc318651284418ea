"""Notebooks in an editor: what is said stands in the cells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stdio_driver import Driver
from test_notebooks import DATA, HEAD, NOISY, SHOWN, notebook

LINES = ("# A title", HEAD, NOISY, DATA, f"{SHOWN}\nx = 1\nlen(ages)")
CODE, TEXT = 2, 1


class Editor:
    """An editor that has a notebook open."""

    def __init__(self, driver: Driver, folder: Path, **capabilities: Any) -> None:
        self.driver = driver
        self.uri = (folder / "a.ipynb").as_uri()
        known = {"notebookDocument": {"synchronization": {"executionSummarySupport": True}}, **capabilities}
        self.capabilities = driver.start(folder, **known)["result"]["capabilities"]
        self.version = 1

    def cell(self, number: int) -> str:
        return f"vscode-notebook-cell:/a.ipynb#{number}"

    def listed(self, number: int, order: int | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": TEXT if number == 0 else CODE, "document": self.cell(number)}
        return found | ({} if order is None else {"executionSummary": {"executionOrder": order, "success": True}})

    def item(self, number: int, text: str) -> dict[str, Any]:
        language = "markdown" if number == 0 else "python"
        return {"uri": self.cell(number), "languageId": language, "version": 1, "text": text}

    def open(self, texts: tuple[str, ...]) -> None:
        notebook = {"uri": self.uri, "notebookType": "jupyter-notebook", "version": 1}
        cells = [self.listed(number) for number in range(len(texts))]
        items = [self.item(number, text) for number, text in enumerate(texts)]
        params = {"notebookDocument": notebook | {"cells": cells}, "cellTextDocuments": items}
        self.driver.notify("notebookDocument/didOpen", params)

    def change(self, **cells: Any) -> None:
        self.version += 1
        notebook = {"uri": self.uri, "version": self.version}
        self.driver.notify("notebookDocument/didChange", {"notebookDocument": notebook, "change": {"cells": cells}})

    def states(self) -> dict[str, str]:
        status = self.driver.checked(self.version, self.uri)
        return {each["name"]: each["status"] for each in status["functions"]}

    def shown(self) -> dict[int, list[tuple[str, int, int]]]:
        """The problems in each cell, as they were told last: code, line and column."""
        found: dict[int, list[tuple[str, int, int]]] = {}
        for each in self.driver.published():
            number = int(each["uri"].rpartition("#")[2])
            starts = [(one["code"], one["range"]["start"]) for one in each["diagnostics"]]
            found[number] = [(code, at["line"], at["character"]) for code, at in starts]
        return {number: each for number, each in found.items() if each}

    def ask(self, method: str, number: int, **more: Any) -> Any:
        params = {"textDocument": {"uri": self.cell(number)}, **more}
        return self.driver.ask(f"textDocument/{method}", params)["result"]


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    with Driver(cwd=tmp_path) as driver:
        found = Editor(driver, tmp_path)
        found.open(LINES)
        yield found


def test_it_is_announced(editor: Editor) -> None:
    (selector,) = editor.capabilities["notebookDocumentSync"]["notebookSelector"]
    assert selector["notebook"]["notebookType"] == "jupyter-notebook"


def test_problems_stand_in_their_cells(editor: Editor) -> None:
    assert editor.states() == {"noisy": "proved", "<module>": "failed"}
    assert editor.shown() == {4: [("DP434", 2, 0)]}


def test_an_edit_of_a_cell(editor: Editor) -> None:
    editor.states()
    place = {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 9}}
    edit = {"document": {"uri": editor.cell(4), "version": 2}, "changes": [{"range": place, "text": SHOWN}]}
    editor.change(textContent=[edit])
    assert editor.states() == {"noisy": "proved", "<module>": "proved"}
    assert editor.shown() == {}


def test_cells_come_and_go(editor: Editor) -> None:
    editor.states()
    fresh = {"start": 1, "deleteCount": 0, "cells": [editor.listed(9)]}
    editor.change(structure={"array": fresh, "didOpen": [editor.item(9, "x = = 3")]})
    assert editor.states()["noisy"] == "proved"
    assert editor.shown() == {4: [("DP434", 2, 0)], 9: [("DP001", 0, 4)]}
    gone = {"start": 5, "deleteCount": 1}
    editor.change(structure={"array": gone, "didClose": [{"uri": editor.cell(4)}]})
    editor.states()
    assert editor.shown() == {9: [("DP001", 0, 4)]}


def test_cells_that_were_run_in_another_order(editor: Editor) -> None:
    editor.states()
    editor.change(data=[editor.listed(1, 1), editor.listed(2, 3), editor.listed(3, 2)])
    editor.states()
    assert editor.shown()[3] == [("DP020", 0, 0)]


def test_hover_lenses_and_hints_of_a_cell(editor: Editor) -> None:
    editor.states()
    found = editor.ask("hover", 2, position={"line": 0, "character": 5})
    assert "eps" in found["contents"]["value"]
    assert found["range"]["start"] == {"line": 0, "character": 4}
    assert editor.ask("hover", 0, position={"line": 0, "character": 2}) is None
    for cell in (2, 3):
        lenses = editor.ask("codeLens", cell)
        assert {each["range"]["start"]["line"] for each in lenses} == {0}
    assert editor.ask("codeLens", 1) == []
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    for hint in editor.ask("inlayHint", 2, range=whole):
        assert hint["position"]["line"] <= 1


def test_hover_names_the_line_of_the_cell(editor: Editor) -> None:
    broken = {"document": {"uri": editor.cell(2), "version": 2}, "changes": [{"text": NOISY.partition(" +")[0]}]}
    editor.change(textContent=[broken])
    assert editor.states()["noisy"] == "failed"
    said = editor.ask("hover", 2, position={"line": 0, "character": 5})["contents"]["value"]
    assert "- cell 3, line 1: [DP401]" in said


def test_problems_that_are_asked_for(tmp_path: Path) -> None:
    with Driver(cwd=tmp_path) as driver:
        found = Editor(driver, tmp_path, textDocument={"diagnostic": {}})
        found.open(LINES)
        report = found.ask("diagnostic", 4)
        assert [each["code"] for each in report["items"]] == ["DP434"]
        assert report["items"][0]["range"]["start"] == {"line": 2, "character": 0}
        assert found.ask("diagnostic", 2)["items"] == []
        assert not driver.published()


def test_a_cell_is_no_document_of_its_own(editor: Editor) -> None:
    editor.states()
    editor.driver.notify("textDocument/didOpen", {"textDocument": editor.item(4, LINES[4])})
    assert editor.states()["noisy"] == "proved"
    assert editor.shown() == {4: [("DP434", 2, 0)]}


def test_a_notebook_that_is_closed(editor: Editor) -> None:
    editor.states()
    closed = {"notebookDocument": {"uri": editor.uri}, "cellTextDocuments": [{"uri": editor.cell(4)}]}
    editor.driver.notify("notebookDocument/didClose", closed)
    editor.driver.ask("dp/nothing")
    assert editor.shown() == {}
    assert editor.ask("hover", 2, position={"line": 0, "character": 5}) is None


HELPER = "def laplace_mech(x, sensitivity, eps):\n    return x + np.random.laplace(scale=sensitivity / eps)"
TOTAL = (
    "def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:\n"
    "    return laplace_mech(np.clip(ages, 0, 80).sum(), 1, eps)"
)
ONE = {"start": {"line": 1, "character": 52}, "end": {"line": 1, "character": 53}}
ACTIONS = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
FIXING = {"textDocument": {"publishDiagnostics": {"relatedInformation": True}, "codeAction": ACTIONS}}


@pytest.fixture
def wrong(tmp_path: Path) -> Iterator[Editor]:
    """A notebook whose last cell uses the one above it with too small a sensitivity."""
    with Driver(cwd=tmp_path) as driver:
        workspace = {"workspaceEdit": {"documentChanges": True}}
        found = Editor(driver, tmp_path, **FIXING, workspace=workspace)
        found.open(("# A title", HEAD, HELPER, TOTAL))
        assert found.states() == {"laplace_mech": "proved", "total": "failed"}
        yield found


def test_what_helps_to_understand_a_problem_stands_in_a_cell(wrong: Editor) -> None:
    (told,) = [each for each in wrong.driver.published()[-3:] if each["diagnostics"]]
    (problem,) = told["diagnostics"]
    assert (told["uri"], problem["code"], problem["range"]) == (wrong.cell(3), "DP457", ONE)
    places = [each["location"] for each in problem["relatedInformation"]]
    assert places == [{"uri": wrong.cell(3), "range": ONE}]


def test_a_fix_of_a_cell_is_an_edit_of_it(wrong: Editor) -> None:
    (told,) = [each for each in wrong.driver.published()[-3:] if each["diagnostics"]]
    asked = {"range": ONE, "context": {"diagnostics": told["diagnostics"]}}
    (found, *_) = wrong.ask("codeAction", 3, **asked)
    assert found["diagnostics"] == told["diagnostics"]
    ((made,),) = [each["edits"] for each in found["edit"]["documentChanges"]]
    assert found["edit"]["documentChanges"][0]["textDocument"]["uri"] == wrong.cell(3)
    assert made == {"range": ONE, "newText": "80"}
    assert wrong.ask("codeAction", 2, **asked) == []


def test_pages_about_a_cell(wrong: Editor) -> None:
    at = {"uri": wrong.cell(3), "position": {"line": 0, "character": 5}}
    assert "total" in wrong.driver.ask("dp/derivation", at)["result"]
    command = {"command": "dp-lsp.showDerivation", "arguments": [at["uri"], at["position"]]}
    assert "total" in wrong.driver.ask("workspace/executeCommand", command)["result"]
    report = wrong.driver.ask("dp/report", {"uri": wrong.cell(2)})["result"]
    assert [each["range"]["cell"]["index"] for each in report["files"][0]["functions"]] == [3, 4]


def test_cells_that_the_file_says_were_run_in_another_order(editor: Editor) -> None:
    editor.states()
    editor.change(
        data=[editor.listed(n) | {"metadata": {"execution_count": run}} for n, run in ((1, 1), (2, 3), (3, 2))]
    )
    editor.states()
    assert editor.shown()[3] == [("DP020", 0, 0)]


def test_a_notebook_among_all_files(tmp_path: Path) -> None:
    """One that is open is asked about cell by cell, and of one that is not the cell is named."""
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook(HEAD, NOISY, DATA, f"x = 1\n{LINES[-1]}")), "utf-8")
    with Driver(cwd=tmp_path) as driver:
        found = Editor(driver, tmp_path, textDocument={"diagnostic": {}}, workspace={"diagnostics": {}})

        def all_files(*known: dict[str, str]) -> list[Any]:
            items: list[Any] = driver.ask("workspace/diagnostic", {"previousResultIds": [*known]})["result"]["items"]
            return items

        (told,) = all_files()
        assert told["uri"] == found.uri
        (problem,) = told["items"]
        assert problem["message"].startswith("cell 4, line 4: ")
        assert problem["range"]["start"]["line"] == 0
        found.open(LINES)
        (gone,) = all_files({"uri": found.uri, "value": told["resultId"]})
        assert (gone["uri"], gone["items"]) == (found.uri, [])
