"""Python programs as people write them (`fixtures/python/corpus`). What is expected of each stands in its comments:

    # expect NAME STATE[|STATE] [PARAMETERS: EPSILON [s1]]

What runs cost is at most that ε, and no less where a function must be proved; ``oo`` says that nothing protects it.
With ``s1`` it holds for any δ of that name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from attack.python import judged
from cpython.claims import Claim, Parameter, claims, evaluated
from cpython.inputs import slots
from cpython.judging import Judge
from cpython.noise import Unmodelled, World
from source_tree import ROOT

CORPUS = ROOT / "fixtures" / "python" / "corpus"
EXPECTED = re.compile(r"^# expect (\S+) ([a-z|]+)(?: ([\w, ]+): ([^#\n]*?)(?: (s1))?)? *(?:#.*)?$", re.MULTILINE)
NOT_RUN = {
    "b11_diffprivlib_tools summary": "diffprivlib draws its own noise",
    "b12_diffprivlib_mechanism count": "diffprivlib draws its own noise",
    "b12_diffprivlib_mechanism all_of_them": "diffprivlib draws its own noise",
    "b13_opendp_chain total": "OpenDP draws its own noise",
    "b21_exponential commonest": "a choice with probabilities of its own is not modelled",
    "b20_above_threshold first_above": "what is compared counts as seen, so the price of the pattern is not",
}


class Expected(NamedTuple):
    """What is expected of a function of a file: one of the states, and what it costs."""

    path: Path
    function: str
    states: tuple[str, ...]
    epsilon: str
    delta: str

    @property
    def name(self) -> str:
        return f"{self.path.stem} {self.function}"

    def __str__(self) -> str:
        return self.name


def expected() -> list[Expected]:
    return [
        Expected(path, name, tuple(states.split("|")), epsilon.strip(), delta or "0")
        for path in sorted(CORPUS.glob("*.py"))
        for name, states, _, epsilon, delta in EXPECTED.findall(path.read_text("utf-8"))
    ]


def refuted(each: Expected, epsilon: str) -> str:
    """What runs have against a price of a function."""
    judge = Judge(each.path.read_text("utf-8"), 1)
    of = slots(judge.program.function(each.function, World(judge.source)))
    parameters = tuple(
        Parameter(at.name, at.static, None, "0" if at.static else epsilon, "0" if at.static else each.delta)
        for at in of
    )
    sizes = ("Eq(d, cols(X))",) if {at.name for at in of} >= {"d", "X"} else ()
    positive = (*(f"0 < {at.name}" for at in of if at.static), *sizes)
    found = judge.refuted(Claim(each.function, True, parameters, "", positive, (), ("s1",)), 12, 8)
    return "" if found is None else found.text


def run() -> list[Expected]:
    """The functions that can be run here."""
    library = re.compile(r"^import (\w+)", re.MULTILINE)
    return [
        each
        for each in expected()
        if each.epsilon
        and each.name not in NOT_RUN
        and all(map(find_spec, library.findall(each.path.read_text("utf-8"))))
    ]


@pytest.mark.parametrize("each", run(), ids=str)
def test_what_is_expected_is_what_runs_cost(each: Expected) -> None:
    if each.epsilon == "oo":
        assert refuted(each, "1000")
        return
    assert refuted(each, each.epsilon) == ""
    if each.states == ("proved",) and each.delta == "0":
        assert refuted(each, f"({each.epsilon})*97/100"), "it costs less"


def test_what_is_not_run_is_there() -> None:
    assert NOT_RUN.keys() <= {each.name for each in expected()}


@pytest.mark.parametrize("name", ["b13_opendp_chain total", "b21_exponential commonest"])
def test_what_is_not_modelled_is_not_judged(name: str) -> None:
    (each,) = (each for each in expected() if each.name == name)
    with pytest.raises(Unmodelled):
        refuted(each, "1")


@pytest.fixture(scope="module")
def said() -> dict[str, dict[str, Any]]:
    """What is said of each function of the corpus."""
    paths = sorted(CORPUS.glob("*.py"))
    command = [sys.executable, "-m", "dp_lsp", "check", "--no-cache", "--output-format", "json", *map(str, paths)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return {
        f"{Path(file['path']).stem} {function['name']}": function
        for file in report["files"]
        for function in file["functions"]
    }


@pytest.mark.parametrize("each", expected(), ids=str)
def test_what_is_said_is_what_is_expected(each: Expected, said: dict[str, dict[str, Any]]) -> None:
    status = said[each.name]["status"] if each.name in said else "unknown"
    assert status in each.states
    if status == "proved" == "|".join(each.states):
        prices = {_best(said[each.name], at) for at in said[each.name]["parameters"] if not at["static"]}
        assert [_price(one) <= _price(each.epsilon) for one in prices] == [True], prices


def _best(function: dict[str, Any], at: dict[str, Any]) -> str:
    """The smallest price of a parameter for a δ that is free to choose, or for none."""
    own = [each for each in function["bounds"] if each["parameters"] == [at["name"]]]
    found = [each["epsilon"] for each in own if re.fullmatch(r"s\d|0", each["delta"])]
    return str(min((at["epsilon"], *found), key=_price))


def _price(formula: str) -> float:
    """A price for some values of parameters; what is exact is compared as a float."""
    return round(float(evaluated(formula, {"eps": Fraction(1, 2), "k": 3, "scale": 7, "sigma": 4}, ("s1", "s2"))), 9)


def test_nothing_is_falsely_proved(said: dict[str, dict[str, Any]]) -> None:
    """Whatever is said of the functions of the corpus, of helpers as well, stands up to runs."""
    report = {path.stem: {"functions": []} for path in CORPUS.glob("*.py")}
    for name, function in said.items():
        report[name.split()[0]]["functions"].append(function)
    refuted = {}
    for path in sorted(CORPUS.glob("*.py")):
        found = claims(report[path.stem])
        if any(each.finite for each in found):
            refuted[path.stem] = judged(1, path.read_text("utf-8"), found).refuted
    assert not {name: why for name, why in refuted.items() if why}
