"""The recipes of the contributors' map, tried: what each takes is kept as a diff, and all of them are applied to one
copy of the package and its tests. Each touches the files that its recipe names, and a program that uses it is
checked."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from source_tree import ROOT, python

MAP = (ROOT / "dp_lsp" / "README.md").read_text("utf-8")
KEPT = ROOT / "fixtures" / "recipes"


class Recipe(NamedTuple):
    """A diff by its ``name``, and the ``files`` that it touches; a program, and the functions of it: the status of
    each, and how far it moves with its parameter, or the ε of that, if it is proved; the codes of its problems. What
    else must hold are ``tests`` of the copy, which the diff brings along, or a ``script`` that fails where it does
    not. The ``suffix`` of the program's file says its language."""

    name: str
    files: frozenset[str]
    program: str
    functions: dict[str, tuple[str, str | None]]
    codes: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    script: str = ""
    suffix: str = ".jl"

    @property
    def file(self) -> str:
        return self.name + self.suffix


NEW_EVENT = """\
import math
from fractions import Fraction
from dp_lsp.builtins.meanings import array
from dp_lsp.builtins.randomness import RANDOM
from dp_lsp.builtins.randomness import RELEASED

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
"""

KNOWN_EVENT = """\
from fractions import Fraction
from dp_lsp.builtins.randomness import RELEASED

class Silent:
    def laplace(self, centre, moves, epsilon):
        assert moves / epsilon == 3 * Fraction(1, 4)
        return centre + 1

assert RELEASED["laplacian_noise"](Silent(), 3, Fraction(1, 4), Fraction(7)) == 8
"""

A_LANGUAGE = """\
from dp_lsp import frontends
from dp_lsp.cli.explain import page
from dp_lsp.engine.check import Engine
from dp_lsp.frontends.sums.words import BUILTINS

assert frontends.find("a.sums").name == "Sums"
for spelling in BUILTINS.values():
    for example in spelling.examples:
        analysis = Engine().check(example, document="a.sums")
        assert [each.state.value for each in analysis.functions] == ["proved"], example
        assert example in page(spelling.name)
    for program, code in spelling.refused:
        assert code in [each.code for each in Engine().check(program, document="a.sums").problems], program
"""

RECIPES = (
    Recipe(
        "a_language",
        frozenset({"frontends/__init__.py", "frontends/sums/__init__.py", "frontends/sums/words.py"}),
        """\
# what stands here is no code
double(x: real) = 2 * x
noisy(x: real, eps: public): private = laplace(2, eps, double(x))
loud(x: real, eps: public): private = laplace(1, eps, double(x))
clip(x: real) = double(x) + x / 2
visible(x: real, eps: public): private = laplace(1, eps, 0 * (1 / x))
""",
        {
            "double": ("proved", "2"),
            "noisy": ("proved", "eps"),
            "loud": ("failed", None),
            "clip": ("proved", "5/2"),
            "visible": ("failed", None),
        },
        ("DP301", "DP404"),
        ("tests/test_spellings.py",),
        A_LANGUAGE,
        ".sums",
    ),
    Recipe(
        "statistic",
        frozenset({"builtins/statistics.py", "builtins/meanings.py", "tests/test_datasets.py"}),
        """\
grow(v::MetricVector(Bounded(Real, -3, 2), Symmetric)) = total_size(v)
replace(v::MetricVector(Bounded(Real, -3, -1), ChangeOne)) = total_size(v)
unknown_side(v::MetricVector(Bounded(Real, L, U), ChangeOne), L::Static(), U::Static()) = total_size(v)
unbounded(v::MetricVector(Real, Symmetric)) = total_size(v)
""",
        {
            "grow": ("proved", "3"),
            "replace": ("proved", "2"),
            "unknown_side": ("proved", "Max(Abs(L), Abs(U))"),
            "unbounded": ("unknown", None),
        },
        ("DP208",),
        ("tests/test_datasets.py", "-k", "total_size"),
    ),
    Recipe(
        "mechanism_with_a_known_event",
        frozenset({"builtins/mechanisms.py", "builtins/randomness.py", "builtins/meanings.py"}),
        """\
hidden(x::Real) :: Priv() = laplacian_noise(2, 4, 2 * x)
half(x::Real) :: Priv() = laplacian_noise(2, 4, x)
louder(x::Real) :: Priv() = laplacian_noise(2, 4, 3 * x)
silent(x::Real) :: Priv() = laplacian_noise(2, 0, x)
""",
        {
            "hidden": ("proved", "1/4"),
            "half": ("proved", "1/8"),
            "louder": ("failed", None),
            "silent": ("failed", None),
        },
        ("DP309", "DP301", "DP309", "DP426"),
        script=KNOWN_EVENT,
    ),
    Recipe(
        "mechanism_with_a_new_event",
        frozenset(
            {"mechanisms/selection.py", "builtins/mechanisms.py", "builtins/randomness.py", "builtins/meanings.py"}
        ),
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
        {"largest": ("proved", "2"), "louder": ("failed", None)},
        ("DP451", "DP301"),
        script=NEW_EVENT,
    ),
    Recipe(
        "diagnostic",
        frozenset({"infer/problems.py", "infer/mechanisms.py"}),
        """\
loud(x::Real) :: Priv() = laplacian_mechanism(1, 21, x)
quiet(x::Real) :: Priv() = laplacian_mechanism(1, 20, x)
chosen(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)
""",
        {"loud": ("proved", "21"), "quiet": ("proved", "20"), "chosen": ("proved", "eps")},
        ("DP498", "DP454", "DP454"),
        ("tests/test_kinds.py", "-k", "DP498"),
    ),
    Recipe(
        "reporter",
        frozenset({"cli/reporters/csv.py", "cli/reporters/__init__.py", "tests/test_reporters.py"}),
        "louder(x::Real) :: Priv() = laplacian_mechanism(1, 1, 2 * x)\n",
        {"louder": ("failed", None)},
        ("DP301",),
        ("tests/test_reporters.py", "-k", "csv or every_format"),
    ),
)

TITLES = {
    "a_language": "A source language",
    "statistic": "A builtin",
    "mechanism_with_a_known_event": "A mechanism",
    "mechanism_with_a_new_event": "A mechanism with a new event",
    "diagnostic": "A diagnostic",
    "reporter": "A format of the report",
}
"""The recipe of each diff."""


def touched(name: str) -> set[str]:
    """The files that a diff changes or adds: those of the package by their places in it."""
    written = (KEPT / f"{name}.diff").read_text("utf-8")
    return {path.removeprefix("dp_lsp/") for path in re.findall(r"^\+\+\+ b/(.+)$", written, re.MULTILINE)}


def named(title: str) -> list[str]:
    """The files and folders that a recipe of the map names."""
    found = re.search(rf"^- \*\*{title}\*\*(.*?)(?=^- |^\S)", MAP, re.MULTILINE | re.DOTALL)
    assert found, title
    return re.findall(r"`([\w/.]+(?:/|\.py))`", found[1])


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package and what its tests are run with, with what all recipes take, and the program of each."""
    made = tmp_path_factory.mktemp("copy")
    for folder in ("dp_lsp", "tests"):
        shutil.copytree(ROOT / folder, made / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", made)
    for recipe in RECIPES:
        diff = KEPT / f"{recipe.name}.diff"
        applied = subprocess.run(["git", "apply", "-C1", diff], cwd=made, capture_output=True, encoding="utf-8")
        assert applied.returncode == 0, f"make the diff of {recipe.name} anew: {applied.stderr}"
        (made / recipe.file).write_text(recipe.program, "utf-8")
    return made


@pytest.fixture(scope="module")
def reports(copy: Path) -> dict[str, Any]:
    """What a check says of each program, by its file."""
    files = [recipe.file for recipe in RECIPES]
    result = python("-P", "-m", "dp_lsp", "check", *files, "--no-cache", "--output-format", "json", cwd=copy, path=copy)
    assert result.stdout, result.stderr
    return {each["path"]: each for each in json.loads(result.stdout)["files"]}


def answer(function: Any) -> tuple[str, str | None]:
    """The status of a function, and how far it moves with its first parameter, or ε, if it is proved."""
    if function["status"] != "proved":
        return function["status"], None
    return "proved", function["bounds"][0]["epsilon"] if function["bounds"] else function["parameters"][0][
        "sensitivity"
    ]


def test_every_diff_is_tried() -> None:
    assert {path.stem for path in KEPT.glob("*.diff")} == {recipe.name for recipe in RECIPES} == set(TITLES)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_recipe_names_what_it_touches(recipe: Recipe) -> None:
    assert touched(recipe.name) == recipe.files
    places = named(TITLES[recipe.name])
    missing = [file for file in recipe.files if not any(file == each or file.startswith(each) for each in places)]
    assert not missing, f"the recipe does not say that these change; it names {places}"


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_recipe_takes_no_more_than_it_says(recipe: Recipe, copy: Path, reports: dict[str, Any]) -> None:
    found = reports[recipe.file]
    assert {each["name"]: answer(each) for each in found["functions"]} == recipe.functions
    assert tuple(each["code"] for each in found["diagnostics"]) == recipe.codes
    if recipe.script:
        ran = python("-P", "-c", recipe.script, cwd=copy, path=copy)
        assert ran.returncode == 0, ran.stderr


def test_what_recipes_bring_along_passes(copy: Path) -> None:
    """All of it in one run: of each file what its recipe asks for."""
    files, wanted = set(), []
    for file, *words in (recipe.tests for recipe in RECIPES if recipe.tests):
        files.add(file)
        wanted.append(" and ".join([Path(file).stem, *(f"({each})" for each in words[1:])]))
    ran = python(
        "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-k", " or ".join(wanted), cwd=copy, path=copy
    )
    assert ran.returncode == 0, ran.stdout
