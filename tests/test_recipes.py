"""The recipes of the contributors' map, tried: what each takes is kept as a diff, which is applied to a copy of the
package. It touches as many files as the recipe says, and a program that uses it is checked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from source_tree import ROOT, python


class Recipe(NamedTuple):
    """The ``files`` that a diff touches; the status of the functions of a program, and the ε of those that are proved;
    and what else must hold, as a script that fails where it does not."""

    name: str
    files: frozenset[str]
    program: str
    statuses: dict[str, str]
    epsilons: dict[str, str]
    script: str


RECIPES = (
    Recipe(
        "mechanism_with_a_new_event",
        frozenset({"mechanisms/selection.py", "builtins/mechanisms.py", "builtins/randomness.py"}),
        """\
function largest(v::MetricVector(Real, LInf)) :: Priv()
    for i in 1:4
        report_laplace_max(1, 0.5, v)
    end
end
function louder(v::MetricVector(Real, LInf)) :: Priv()
    report_laplace_max(1, 0.5, 2 * v)
end
""",
        {"largest": "proved", "louder": "failed"},
        {"largest": "2"},
        """\
import math
from fractions import Fraction
from dp_lsp.builtins.concrete import array
from dp_lsp.builtins.randomness import RANDOM
from dp_lsp.builtins.releasing import RELEASED

class Chance:
    def released(self, distribution):
        return dict(zip(distribution.values, distribution.logs, strict=True))

class Silent:
    def laplace(self, centre, moves, epsilon):
        assert (moves, epsilon) == (2, Fraction(1, 2))
        return centre

given = [array(map(Fraction, entries)) for entries in [(3, 2, 0), (2, 3, 1)]]
one, other = (RANDOM["report_laplace_max"](Chance(), 1, Fraction(1, 2), each) for each in given)
assert math.isclose(sum(map(math.exp, one.values())), 1, rel_tol=1e-9)
losses = [abs(one[place] - other[place]) for place in (1, 2, 3)]
assert 0.2 < max(losses) <= 0.5 + 1e-9, losses
assert [RELEASED["report_laplace_max"](Silent(), 1, Fraction(1, 2), each) for each in given] == [1, 2]
""",
    ),
)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_recipe_takes_what_it_says(recipe: Recipe, tmp_path: Path) -> None:
    diff = ROOT / "fixtures" / "recipes" / f"{recipe.name}.diff"
    touched = re.findall(r"^\+\+\+ b/dp_lsp/(.+)$", diff.read_text("utf-8"), re.MULTILINE)
    assert sorted(touched) == sorted(recipe.files)
    shutil.copytree(ROOT / "dp_lsp", tmp_path / "dp_lsp", ignore=shutil.ignore_patterns("__pycache__"))
    applied = subprocess.run(["git", "apply", "-C1", diff], cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert applied.returncode == 0, f"make the diff anew: {applied.stderr}"
    (tmp_path / "program.jl").write_text(recipe.program, "utf-8")
    command = ("-P", "-m", "dp_lsp", "check", "program.jl", "--no-cache", "--output-format", "json")
    result = python(*command, cwd=tmp_path, path=tmp_path)
    functions = {each["name"]: each for each in json.loads(result.stdout)["files"][0]["functions"]}
    assert {name: each["status"] for name, each in functions.items()} == recipe.statuses, result.stderr
    assert {name: functions[name]["bounds"][0]["epsilon"] for name in recipe.epsilons} == recipe.epsilons
    ran = python("-P", "-c", recipe.script, cwd=tmp_path, path=tmp_path)
    assert ran.returncode == 0, ran.stderr
