"""Notebooks on the command line: cells in their order are one file, and places are in cells."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.cells import CodeCell, joined
from dp_lsp.engine.check import Engine
from dp_lsp.features.hover import hover

HEAD = "from typing import Annotated\nimport numpy as np\nfrom dp_types import AddRemove, Private, Static"
NOISY = (
    "def noisy(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:\n"
    "    return len(v) + np.random.laplace(0, 1 / eps)"
)
DATA = 'ages: Annotated[np.ndarray, AddRemove()] = np.loadtxt("ages.txt")'
SHOWN = "noisy(ages, 1)"


def notebook(*cells: str, **more: Any) -> dict[str, Any]:
    """A notebook of cells of code."""
    made = [
        {
            "cell_type": "code",
            "id": f"c{number}",
            "metadata": {},
            "source": cell,
            "execution_count": None,
            "outputs": [],
        }
        for number, cell in enumerate(cells, 1)
    ]
    return {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}


def old(*cells: str) -> dict[str, Any]:
    """The same in the format 3."""
    made = [
        {"cell_type": "code", "language": "python", "outputs": [], "prompt_number": 1, "input": cell.splitlines(True)}
        for cell in cells
    ]
    return {"metadata": {"name": ""}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": made}]}


ALL = (HEAD, NOISY, DATA)
BOTH, ONE, NEITHER = ("proved", "proved"), ("proved", "unknown"), ("unknown", "unknown")
TOLD = ("proved", "failed")
ANSWERS: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "plain": (notebook(*ALL, SHOWN), BOTH),
    "format-3": (old(*ALL, SHOWN), BOTH),
    "imports-twice": (notebook(HEAD, *ALL, HEAD, SHOWN), BOTH),
    "line-ends": (notebook(*(each.replace("\n", "\r\n") for each in ALL), SHOWN), BOTH),
    # What a cell shows
    "last-expression": (notebook(*ALL, "len(ages)"), TOLD),
    "last-of-several": (notebook(*ALL, "noisy(ages, 1), len(ages)"), TOLD),
    "not-the-last": (notebook(*ALL, "len(ages)\nx = 1", SHOWN), BOTH),
    "semicolon": (notebook(*ALL, "len(ages);", SHOWN), BOTH),
    "semicolon-in-a-comment": (notebook(*ALL, "len(ages)  # ;"), TOLD),
    "after-a-semicolon": (notebook(*ALL, 'print("a"); len(ages)'), TOLD),
    "display": (notebook("from IPython.display import display", *ALL, "display(noisy(ages, 1))\nx = 1"), BOTH),
    "display-of-data": (notebook(*ALL, "display(ages)\nx = 1"), TOLD),
    "earlier-output": (notebook(*ALL, SHOWN, "_"), ONE),
    "earlier-outputs": (notebook(*ALL, SHOWN, "Out[1]"), ONE),
    # What IPython runs
    "plots-inline": (notebook("%matplotlib inline\n%load_ext autoreload\n%autoreload 2", *ALL, SHOWN), BOTH),
    "installs": (notebook("pip install numpy", "%pip install a\n!pip install -q b", *ALL, SHOWN), BOTH),
    "installs-what-data-say": (notebook(*ALL, SHOWN, "!pip install {ages[0]}"), ONE),
    "time-of-a-cell": (notebook(*ALL, "%%time\nnoisy(ages, 1)"), BOTH),
    "many-times": (notebook(*ALL, "%%timeit\nnoisy(ages, 1)"), NEITHER),
    "html": (notebook("%%html\n<b>it's \"</b>", *ALL, SHOWN), BOTH),
    "shell": (notebook(*ALL, SHOWN, "!cat {ages}"), ONE),
    "shell-in-a-cell": (notebook(*ALL, SHOWN, "%%bash\necho \"it's"), ONE),
    "variables": (notebook(*ALL, SHOWN, "%whos"), ONE),
    "help": (notebook(*ALL, SHOWN, "ages?"), ONE),
    "run": (notebook(*ALL, SHOWN, "%run other.py"), NEITHER),
    "run-without-a-sign": (notebook(*ALL, SHOWN, "run other.py"), NEITHER),
    "run-in-a-loop": (notebook(*ALL, SHOWN, "for i in range(1):\n    %run other.py"), NEITHER),
    "run-for-a-value": (notebook(*ALL, SHOWN, "x = %run other.py"), NEITHER),
    "run-by-a-call": (notebook(*ALL, SHOWN, 'get_ipython().run_line_magic("run", "other.py")'), NEITHER),
    "an-extension": (notebook("%load_ext mine", *ALL, SHOWN), NEITHER),
    "a-file-is-written": (notebook(*ALL, SHOWN, "%%writefile numpy.py\nx = 1"), NEITHER),
    "a-remainder": (notebook(*ALL, "x = (5\n% 3)", SHOWN), BOTH),
    "in-a-text": (notebook(*ALL, '"""\n%run x\n!ls\n"""', SHOWN), BOTH),
    # Cells that cannot be read, and what only looks like something else
    "a-text-without-an-end": (notebook(HEAD, NOISY, 'x = """never', DATA, SHOWN), ONE),
    "a-bracket-without-an-end": (notebook(HEAD, NOISY, DATA, "x = (1,", SHOWN), ONE),
    "return": (notebook(*ALL, "return", SHOWN), ONE),
    "await": (notebook(*ALL, "await noisy(ages, 1)"), ONE),
    "half-a-character": (notebook(*ALL, f"{SHOWN}  # \ud800"), NEITHER),
    "a-mark": (notebook(*ALL, "# ⟦cell 99 abc⟧\nlen(ages)"), TOLD),
}


def checked(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "dp_lsp", "check", "--no-cache", *arguments]
    return subprocess.run(command, capture_output=True, cwd=folder, check=False).stdout.decode()


def written(folder: Path, name: str, content: dict[str, Any]) -> Path:
    path = folder / f"{name}.ipynb"
    path.write_text(json.dumps(content), "utf-8")
    return path


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("notebooks")
    for name, (content, _) in ANSWERS.items():
        written(folder, name, content)
    report = json.loads(checked(folder, "--output-format", "json", "."))
    return {file["path"].removesuffix(".ipynb"): file for file in report["files"]}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str, reports: dict[str, dict[str, Any]]) -> None:
    states = {each["name"]: each["status"] for each in reports[name]["functions"]}
    assert (states["noisy"], states["<module>"]) == ANSWERS[name][1]
    for each in reports[name]["functions"]:
        if each["name"] == "<module>" and each["status"] == "proved":
            assert [at["epsilon"] for at in each["parameters"]] == ["1"]


def test_functions_alone(tmp_path: Path) -> None:
    """Of a notebook that reads no data, the functions are all there is."""
    written(tmp_path, "a", notebook("%matplotlib inline", HEAD, NOISY, "x = 3\nx", "def broken(:\n    pass"))
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    assert {each["name"]: each["status"] for each in file["functions"]} == {"noisy": "proved", "broken": "unknown"}
    (problem,) = file["diagnostics"]
    assert problem["range"]["cell"] == {"index": 5, "id": "c5"}
    assert problem["range"]["start"] == {"line": 1, "column": 12}


def test_places_in_each_format(tmp_path: Path) -> None:
    text = {"cell_type": "markdown", "id": "t", "metadata": {}, "source": "# Title"}
    content = notebook(*ALL, "x = 1\nlen(ages)")
    content["cells"].insert(0, text)
    written(tmp_path, "a", content)
    assert "┌─ a.ipynb:cell 5:2:1" in checked(tmp_path, "a.ipynb")
    assert checked(tmp_path, "--output-format", "concise", "a.ipynb").startswith("a.ipynb:cell 5:2:1: error[DP434]")
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    start, end = {"line": 2, "column": 1}, {"line": 2, "column": 10}
    assert file["diagnostics"][0]["range"] == {"start": start, "end": end, "cell": {"index": 5, "id": "c4"}}
    assert "cell 5, line 2: " in checked(tmp_path, "--output-format", "github", "a.ipynb")
    assert "cell 5, line 2: " in checked(tmp_path, "--output-format", "gitlab", "a.ipynb")
    assert "a.ipynb:cell 5:2:1: error[DP434]" in checked(tmp_path, "--output-format", "junit", "a.ipynb")
    sarif = json.loads(checked(tmp_path, "--output-format", "sarif", "a.ipynb"))
    (result,) = sarif["runs"][0]["results"]
    assert result["message"]["text"].startswith("cell 5, line 2: ")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


def test_the_order_in_which_cells_were_run(tmp_path: Path) -> None:
    content = notebook(*ALL, SHOWN)
    for cell, count in zip(content["cells"], (1, 2, 4, 3), strict=True):
        cell["execution_count"] = count
    written(tmp_path, "a", content)
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    (problem,) = file["diagnostics"]
    assert (problem["code"], problem["severity"]) == ("DP020", "warning")
    assert "[3], before cell 3" in problem["message"] and "[4]" in problem["message"]
    assert problem["range"] == {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 1}} | {
        "cell": {"index": 4, "id": "c4"}
    }
    assert [each["status"] for each in file["functions"]] == ["proved", "proved"]


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b'{"cells": [\n<<<<<<< dp_types', "DP021", "line 2, column 1"),
        (b'["dp_types"]', "DP021", "no `nbformat`"),
        (b'{"nbformat": 2, "worksheets": [], "x": "dp_types"}', "DP021", "its format is 2"),
        (b'{"nbformat": 4, "cells": "dp_types"}', "DP021", "no list of cells"),
        (b"[" * 100_000 + b'"dp_types"', "DP021", "nested too deeply"),
        (json.dumps(notebook(HEAD)).encode("utf-16") + b"dp_types", "DP011", "not UTF-8"),
        (json.dumps(notebook("dp_types", metadata={"kernelspec": {"language": "R"}})).encode(), "DP022", "`R`"),
        (json.dumps(notebook("dp_types", metadata={"language_info": {"name": "julia"}})).encode(), "DP022", "`julia`"),
        (b" " * (17 << 20) + b"dp_types", "DP010", "clear its outputs"),
    ],
)
def test_what_is_no_notebook_of_python(tmp_path: Path, data: bytes, code: str, said: str) -> None:
    (tmp_path / "a.ipynb").write_bytes(data)
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    (problem,) = file["diagnostics"]
    assert problem["code"] == code and said in problem["message"]
    assert file["status"] == "unknown"


def test_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(b"\xef\xbb\xbf" + json.dumps(notebook(*ALL, SHOWN)).encode())
    assert "2 functions: 2 proved" in checked(tmp_path, "a.ipynb")


def test_a_notebook_that_does_not_name_the_vocabulary_is_none_of_ours(tmp_path: Path) -> None:
    written(tmp_path, "a", notebook("import numpy as np", "x = (", "%run other.py"))
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    assert ([each["code"] for each in file["diagnostics"]], file["status"]) == (["DP024"], "unknown")
    assert checked(tmp_path, ".") == "", "it is left out of its folder, and nothing else is there"


def test_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dp_lsp", "check", "--no-cache", "-", "--stdin-filename", "a.ipynb"]
    given = json.dumps(notebook(*ALL, SHOWN)).encode()
    result = subprocess.run(command, input=given, capture_output=True, cwd=tmp_path, check=False)
    assert "2 functions: 2 proved" in result.stdout.decode()


def test_a_command_of_the_shell_below_a_comment_gives_no_name_a_meaning(tmp_path: Path) -> None:
    written(tmp_path, "a", notebook(HEAD, "# the data\n\n!wget https://a.b/people.csv\n\nimport pandas as pd", NOISY))
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    assert [each["status"] for each in file["functions"]] == ["proved"]
    assert "DP001" not in [each["code"] for each in file["diagnostics"]]
    written(tmp_path, "a", notebook(HEAD, "# the data\n%run other.py", NOISY))
    (file,) = json.loads(checked(tmp_path, "--output-format", "json", "a.ipynb"))["files"]
    assert [each["status"] for each in file["functions"]] == ["unknown"], "what may give any name a meaning does"


def test_what_hover_names_is_explained(tmp_path: Path) -> None:
    """The place that hover names is one that `dp-lsp explain` takes, as are those that `check` prints."""
    written(tmp_path, "a", notebook(HEAD, f"# noise\n{NOISY}"))
    text = joined([CodeCell(1, "c1", HEAD), CodeCell(2, "c2", f"# noise\n{NOISY}")])
    analysis = Engine().check(text, document="a.ipynb")
    found = hover(analysis, text.index("noisy("), file="a.ipynb")
    assert found is not None
    named = re.search(r'why: `dp-lsp explain "(.*)"`', found.markdown)
    assert named is not None and named[1] == "a.ipynb:cell 2:2"
    for place in (named[1], "a.ipynb:cell 2:3", "a.ipynb:noisy"):
        assert explained(tmp_path, place).startswith("# `noisy`"), place
    assert explained(tmp_path, "a.ipynb:cell 2:3:12").startswith("# `len(v)`")
    for place, said in (
        ("cell 2:9", "has 3 lines, and no line 9"),
        ("cell 4:1", "no cell 4 of code"),
        ("cell 1:1", "cell 1, line 1"),
    ):
        assert said in explained(tmp_path, f"a.ipynb:{place}"), place


def explained(folder: Path, place: str) -> str:
    command = [sys.executable, "-m", "dp_lsp", "explain", place]
    found = subprocess.run(command, capture_output=True, cwd=folder, check=False, text=True)
    return found.stdout + found.stderr
