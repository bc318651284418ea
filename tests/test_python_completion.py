"""What is proposed while somebody types an annotation of Python, and nothing anywhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dp_lsp.analysis.records import Options
from dp_lsp.analysis.workspace import Workspace
from dp_lsp.engine.check import Engine
from dp_lsp.features.completion import completion, documentation
from marked import FOLDER
from stdio_driver import Driver

HEADER = (
    "from typing import Annotated\n\nimport numpy as np\nimport pandas as pd\nfrom dp_types import AddRemove, AtLeast, "
    "Bounded, ChangeOne, Columns, MayBeMissing, RowNorm, Rows, Size, Within\n\n\n"
)
OF_RECORDS = ["AddRemove()", "ChangeOne()"]


def proposed(typed: str, header: str = HEADER) -> dict[str, str]:
    """What may be typed at the end of a text that was checked before, each with its documentation."""
    text = header + typed
    document = Workspace().open(f"{FOLDER}a.py", "python", 1, text)
    assert document
    document.settle(0, Engine().check(text, Options(language="python"), document="a.py"))
    return {each.label: documentation(each.about, None) for each in completion(document, len(text)).items}


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("def f(v: Annotated[np.ndarray, ", [*OF_RECORDS, "Within()"]),
        ("def f(v: Annotated[np.ndarray, C", ["ChangeOne()"]),
        ("def f(v: Annotated[float, ", ["Within()"]),
        ("def f(v: Annotated[pd.DataFrame, AddRemove(), ", ["Columns(Age=Bounded(0, 120))"]),
        ("def f(v: Annotated[list, AddRemove(), ", ["Bounded(0, 100)", "AtLeast(1)"]),
        ("def f(v: Annotated[list, Bounded(0, 1), ", OF_RECORDS),
        ('def f(v: Annotated[list, AddRemove("a, Bounded"), Bo', ["Bounded(0, 100)"]),
        ("def f(v: Annotated[\n    list,\n    Ch", ["ChangeOne()"]),
        ("def f(v: Annotated[list, Within(), ", []),
        ("def f(v: Annotated[Own, ", []),
        ("def f(v: Annotated[li", []),
        ("def f(v: Annotated[list, Bounded(", []),
        ("def f(v: Annotated[list, AddRemove()", []),
        ('def f(v: Annotated[list, "A', []),
        ("def f(v: Annotated[list, # A", []),
        ('s = "Annotated[list, A', []),
        ("v = other[list, A", []),
        ("A", []),
    ],
)
def test_what_fits(typed: str, labels: list[str]) -> None:
    assert [*proposed(typed)] == labels


def test_each_is_documented() -> None:
    found = proposed("def f(v: Annotated[pd.Series, ChangeOne(), ")
    assert found and all(f"`{name.partition('(')[0]}(" in said for name, said in found.items())


@pytest.mark.parametrize("base", ["list", "np.ndarray", "pd.Series", "pd.DataFrame", "float", "int"])
def test_what_is_proposed_is_understood(base: str) -> None:
    """Word after word, until who is protected, and of a table its columns, have been said."""
    pending, seen = [f"Annotated[{base}"], 0
    while pending and (begun := pending.pop()):
        found = proposed(f"def f(v: {begun}, ")
        pending += [f"{begun}, {each}" for each in found if begun.count("(") < 3]
        text = f"{HEADER}def f(v: {begun}]):\n    return 1\n"
        problems = Engine().check(text, Options(language="python"), document="a.py").problems
        if "(" in begun and not (base == "pd.DataFrame" and "Columns" not in begun):
            seen += 1
            assert "DP201" not in {each.code for each in problems}, begun
    assert seen


def test_a_file_that_does_not_name_the_vocabulary_is_left_alone() -> None:
    assert proposed("def f(v: Annotated[list, ", "from typing import Annotated\n\n") == {}


def test_in_an_editor(tmp_path: Path) -> None:
    path, text = tmp_path / "a.py", f"{HEADER}def f(v: Annotated[list, "
    path.write_text(text, "utf-8")
    line = text.count("\n")
    with Driver(cwd=tmp_path) as driver:
        driver.start(tmp_path)
        driver.open(text, path.as_uri(), "python")

        def ask(line: int, character: int) -> list[str] | None:
            at = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
            found = driver.ask("textDocument/completion", at)["result"]
            return None if found is None else [each["label"] for each in found["items"]]

        assert ask(line, len("def f(v: Annotated[list, ")) == [*OF_RECORDS, "Within()"]
        assert ask(line, len("def f(")) is None
