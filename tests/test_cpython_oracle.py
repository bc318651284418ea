"""The oracle that runs Python: of each kind of program it accepts a claim that is true, and refutes one that is too
small. What is claimed stands here, so nothing of the checker is asked."""

from __future__ import annotations

import ast
import sys

import pytest

from attack.python import Judged, attack, checked, judged, smallest, written
from cpython.claims import Claim, Parameter
from cpython.inputs import slots
from cpython.judging import Judge
from cpython.noise import World
from source_tree import ROOT

HEAD = """\
import logging
import math
import random
from typing import Annotated
import numpy as np
import pandas as pd
from dp_types import *

Ages = Annotated[np.ndarray, AddRemove()]
Swapped = Annotated[np.ndarray, ChangeOne()]
List = Annotated[list[float], AddRemove()]
Number = Annotated[float, Within()]
Pair = Annotated[np.ndarray, Within()]


"""


SEEDS = 2


def refuted(text: str, epsilon: str = "", bound: str = "", delta: str = "0", returns: str = "") -> str:
    """What the oracle has against a claim about the function `f`; empty if nothing."""
    for seed in range(SEEDS):
        judge = Judge(HEAD + text, seed)
        found = slots(judge.program.function("f", World(judge.source)))
        parameters = tuple(
            Parameter(
                each.name,
                each.static,
                bound or None,
                "0" if each.static else epsilon or None,
                "0" if each.static else delta if epsilon else None,
                "Real",
            )
            for each in found
        )
        positive = tuple(f"0 < {each.name}" for each in found if each.static and each.base in (int, float))
        seen = judge.refuted(Claim("f", bool(epsilon), parameters, returns, positive), 5, 6)
        if seen is not None:
            return seen.text
    return ""


PRICED = {
    "a count": ("def f(v: Ages, e: Static[float]):\n    return np.sum(v > 3) + np.random.laplace(0, 1 / e)", "e"),
    "a count of a list": ("def f(v: List, e: Static[float]):\n    return len(v) + np.random.laplace(0, 1 / e)", "e"),
    "noise in front": ("def f(v: Ages):\n    z = np.random.laplace()\n    return 2 * z + len(v)", "1/2"),
    "noise taken away": ("def f(v: Ages):\n    return len(v) - np.random.laplace(0, 4) / 2", "1/2"),
    "clipped": ("def f(v: List):\n    return sum(min(max(x, 0), 20) for x in v) + np.random.laplace(0, 20)", "1"),
    "replaced": ("def f(v: Swapped):\n    return np.clip(v, -5, 5).sum() + np.random.laplace(0, 5)", "2"),
    "a mean": ("def f(v: Swapped):\n    return np.mean(np.clip(v, 0, 1)) + np.random.laplace(0, 1 / len(v))", "1"),
    "two releases": (
        "def f(v: Ages):\n    a = len(v) + np.random.laplace()\n    return a, np.sum(v > a) + np.random.laplace(0, 2)",
        "3/2",
    ),
    "a histogram": (
        "def f(v: Swapped):\n    c = np.histogram(v, bins=[0, 3, 10])[0]\n    return c + np.random.laplace(size=2)",
        "2",
    ),
    "a loop": (
        "def f(v: Ages, k: Static[int]):\n    t = 0.0\n    for i in range(k):\n"
        "        t += np.sum(v > i) + np.random.laplace()\n    return t / 3",
        "k",
    ),
    "cell by cell": (
        "def f(v: Ages):\n    out = np.zeros(3)\n    for i in range(3):\n"
        "        out[i] = np.sum(v > -i) + np.random.laplace(0, 3)\n    return out",
        "1",
    ),
    "afterwards": (
        "def f(v: Ages):\n    y = len(v) + np.random.laplace()\n    return max(0, round(y)) if y > 2 else f'{y:.1f}'",
        "1",
    ),
    "one draw that hides one count twice": (
        "def f(v: Ages):\n    n, z = len(v), np.random.laplace()\n    return n + z, 2 * n + 2 * z",
        "1",
    ),
    "whole noise": ("def f(v: Ages):\n    return len(v) + round(np.random.laplace(0, 2))", "1/2"),
    "float of noise": ("def f(v: Ages):\n    return float(len(v) + float(np.random.laplace(0, 2)))", "1/2"),
    "another generator": (
        "def f(v: Ages):\n    rng = np.random.default_rng()\n    return rng.laplace(len(v), [1, 2])",
        "3/2",
    ),
    "a generator that is given": ("def f(v: Ages, rng: np.random.Generator):\n    return len(v) + rng.laplace()", "1"),
    "or is not": (
        "def f(v: Ages, rng=None):\n    rng = np.random.default_rng(rng)\n    return len(v) + rng.laplace()",
        "1",
    ),
    "a number": ("def f(x: Number):\n    return 3 * x + np.random.laplace()", "3"),
    "a vector": ("def f(x: Pair):\n    return float(x.sum()) + np.random.laplace(0, np.sqrt(len(x)))", "1"),
    "a choice of two": (
        "def f(x: Annotated[str, OneOf('yes', 'no')]):\n    return (x == 'yes') + np.random.laplace()",
        "1",
    ),
    "rows": (
        "def f(v: Annotated[np.ndarray, AddRemove(), Rows(3), RowNorm(2, 'L1')]):\n"
        "    return v.sum(axis=0) + np.random.laplace(0, 2, size=3)",
        "1",
    ),
    "a table": (
        "def f(t: Annotated[pd.DataFrame, AddRemove(), Columns(Age=Bounded(0, 90), Town=str)]):\n"
        "    return len(t[t['Town'] == 'Ulm']) + np.random.laplace(), t['Age'].sum() + np.random.laplace(0, 90)",
        "2",
    ),
    "two lists of one thing": (
        "def f(a: Annotated[list, AddRemove('p')], b: Annotated[list, AddRemove('p')]):\n"
        "    return sum(x < y for x, y in zip(a, b)) + np.random.laplace()",
        "1",
    ),
    "several records of a person": (
        "def f(v: Annotated[list[float], AddRemove(contributes=3)]):\n    return len(v) + np.random.laplace()",
        "3",
    ),
}


@pytest.mark.parametrize("kind", PRICED)
def test_a_price_that_is_true_is_told_from_one_that_is_too_small(kind: str) -> None:
    text, epsilon = PRICED[kind]
    assert refuted(text, epsilon) == ""
    assert refuted(text, f"({epsilon})*98/100")


NORMAL = "def f(v: Ages, s: Static[float]):\n    return len(v) + np.random.normal(0, s)"


def test_normal_noise_is_priced_by_its_exact_curve() -> None:
    """For a step of one standard deviation δ is 0.1269 at ε = 1."""
    text = NORMAL.replace("(0, s)", "(0, 1)").replace(", s: Static[float]", "")
    assert refuted(text, "1", delta="0.127") == ""
    assert refuted(text, "1", delta="0.126")
    assert refuted(text, "1")
    twice = "def f(v: Ages):\n    return [len(v) + random.gauss(0, 2**0.5) for _ in 'ab']"
    assert refuted(twice, "1", delta="0.127") == ""
    assert refuted(twice, "1", delta="0.126")


MOVES = {
    "a number": ("def f(x: Number):\n    return 3 * x - abs(x)", "4", "Real"),
    "an integer": ("def f(x: Annotated[int, Within()]):\n    return x * x // (x or 1)", "1", "Real"),
    "a count": ("def f(v: Swapped):\n    return len([x for x in v if x > 3])", "1", "Real"),
    "a vector": ("def f(x: Number):\n    return np.array([x, 2 * x, -2 * x])", "3", "Vector<n: L2, c: U>[3]{Real}"),
    "a vector in L1": ("def f(x: Number):\n    return [x, 2 * x]", "3", "Vector<n: L1, c: U>[2]{Real}"),
    "records": (
        "def f(v: List):\n    return [x > 3 for x in v] + [True]",
        "1",
        "Vector<Symmetric>[?]{Bool}",
    ),
    "a mean": ("def f(v: Swapped):\n    return np.clip(v, 0, 5).mean()", "5 / length(v)", "Real"),
}


@pytest.mark.parametrize("kind", MOVES)
def test_a_bound_that_is_true_is_told_from_one_that_is_too_small(kind: str) -> None:
    text, bound, returns = MOVES[kind]
    assert refuted(text, bound=bound, returns=returns) == ""
    assert refuted(text, bound=f"({bound})*97/100", returns=returns)


UNPROTECTED = {
    "nothing hides it": "def f(v: Ages):\n    return len(v)",
    "a print": "def f(v: Ages):\n    print(len(v))\n    return len(v) + np.random.laplace()",
    "a log": "def f(v: Ages):\n    logging.error('%s', len(v))\n    return 0",
    "a failure": "def f(v: Ages):\n    return v[2] * 0 + np.random.laplace()",
    "what a failure says": "def f(v: Ages):\n    raise ValueError(f'{len(v)}')",
    "an assertion": "def f(v: List):\n    assert len(v) < 3\n    return np.random.laplace()",
    "a public list that is changed": "def f(v: List, out: Static[list[float]]):\n    out.append(len(v))\n    return 0",
    "a name of the module": "seen = []\ndef f(v: List):\n    seen.append(len(v))\n    return 0",
    "a number of the module": "n = 0\ndef f(v: List):\n    global n\n    n = len(v)\n    return 0",
    "one draw for two things": (
        "def f(v: Ages):\n    z = np.random.laplace()\n    return np.sum(v > 3) + z, np.sum(v > 0) + z"
    ),
    "one draw for all cells": "def f(v: Ages):\n    return np.histogram(v, bins=[0, 3, 9])[0] + np.random.laplace()",
    "a draw before a loop": (
        "def f(v: Ages):\n    z, t = np.random.laplace(), []\n    for i in range(3):\n"
        "        t.append(np.sum(v > i) + z)\n    return t"
    ),
    "a draw that is seen": "def f(v: Ages):\n    z = np.random.laplace()\n    print(z)\n    return len(v) + z",
    "a draw that is compared": "def f(v: Ages):\n    z = np.random.laplace()\n    return len(v) + z if z > 0 else z",
    "a draw that is clipped": "def f(v: Ages):\n    return len(v) + np.clip(np.random.laplace(), -3, 3)",
    "a draw without its sign": "def f(v: Ages):\n    return len(v) + abs(np.random.laplace())",
    "a draw times 0": "def f(v: Ages):\n    return len(v) + 0 * np.random.laplace()",
    "whole noise on what is not": (
        "def f(v: List):\n    return sum(min(1, max(0, x)) for x in v) + round(np.random.laplace())"
    ),
    "a scale of data": "def f(v: Ages):\n    return len(v) + np.random.laplace(0, 1 + len(v))",
    "a seed": "np.random.seed(0)\ndef f(v: Ages):\n    return len(v) + np.random.laplace()",
    "a seeded generator": "def f(v: Ages):\n    return len(v) + np.random.default_rng(7).laplace()",
    "a seed that is left out": ("def f(v: Ages, seed=7):\n    return len(v) + np.random.default_rng(seed).laplace()"),
    "noise where it is not 0": (
        "def f(v: Ages):\n    return [c + np.random.laplace() if c else 0 for c in np.histogram(v, bins=[0, 3, 9])[0]]"
    ),
    "keys of data": "def f(v: List):\n    return {x: np.random.laplace() for x in v}",
    "a size of data": "def f(v: Ages):\n    return np.random.laplace(size=len(v)) + v.clip(0, 1)",
    "a default that is drawn once": (
        "def f(v: Ages, t: Static[float], z=np.random.laplace()):\n    return np.sum(v > t) + z"
    ),
    "a draw of the module": "z = np.random.laplace()\ndef f(v: Ages, t: Static[float]):\n    return np.sum(v > t) + z",
    "a default that is changed": (
        "def f(v: List, t: Static[float], old=[]):\n    y = sum(old)\n    old.append(len(v))\n    return y"
    ),
    "what an earlier call left": (
        "done = []\ndef f(v: Ages):\n    old = done[:]\n    done.append(1)\n    return v.size if old else 0"
    ),
    "a remainder of noise scaled by data": "def f(v: Ages):\n    return (1 + len(v)) * np.random.laplace() % -4",
    "a remainder that is only compared": (
        "def f(v: Ages):\n    y = 2 - (1 + len(v)) * np.random.laplace() % -4\n    return 1 if y > 0 else 0"
    ),
    "an order": "def f(v: Ages):\n    return v[0] > 3 and len(v) > 0 if len(v) else False",
}


@pytest.mark.parametrize("kind", UNPROTECTED)
def test_what_no_noise_hides_is_seen_whatever_the_price(kind: str) -> None:
    assert refuted(UNPROTECTED[kind], "1000")


PROTECTED = {
    "other noise": "def f(v: Ages):\n    y = len(v) + np.random.laplace()\n    return y + np.random.laplace()",
    "a draw of each call": "def f(v: Ages, t: Static[float]):\n    return np.sum(v > t) + np.random.laplace()",
    "what was there": "table = [1, 2]\ndef f(v: Ages):\n    return len(v) * 0 + table[0] + np.random.laplace()",
    "its own list": "def f(v: List):\n    v.append(1)\n    return len(v) + np.random.laplace()",
    "a print of what is noisy": "def f(v: List):\n    y = len(v) + np.random.laplace()\n    print(y)\n    return y",
    "a remainder that nobody asks for": (
        "def f(v: Ages):\n    y = 1 + (1 + len(v)) * np.random.laplace() % -4\n    return len(v) + np.random.laplace()"
    ),
    "a remainder": "def f(v: Ages):\n    return (len(v) + np.random.laplace()) % 4 * 2 - 1",
    "public failures": "def f(v: List, t: Static[float]):\n    raise ValueError(t)",
}


@pytest.mark.parametrize("kind", PROTECTED)
def test_what_is_hidden_is_not_taken_for_seen(kind: str) -> None:
    assert refuted(PROTECTED[kind], "1") == ""


FIRST, SLICE = 0, 20


@pytest.mark.parametrize("about", ["numbers", "statistics", "tables", "changed"])
def test_no_claim_about_a_slice_of_random_programs_is_refuted(about: str) -> None:
    texts = [written(seed, about) for seed in range(FIRST, FIRST + SLICE)]
    found = [
        judged(seed, text, said)
        for seed, text, said in zip(range(FIRST, FIRST + SLICE), texts, checked(texts), strict=True)
    ]
    assert [each for each in found if each.refuted or each.crashed] == []
    assert sum(each.finite for each in found) >= 0.1 * SLICE


SUMS_OF_DISTANCES = {
    "Laplace": "np.random.laplace(0, s)",
    "normal": "np.random.normal(0, s)",
}


@pytest.mark.parametrize("noise", SUMS_OF_DISTANCES)
def test_noise_beside_a_distance_that_is_no_number_is_priced_by_it(noise: str) -> None:
    """A mean and a sum together move by 1/n + 3, which is no number: noise of a scale demands no smaller distance."""
    text = (
        "from typing import Annotated\nimport numpy as np\nfrom dp_types import ChangeOne, Private, Static\n"
        "def f(v: Annotated[np.ndarray, ChangeOne()], s: Static[float]) -> Private:\n"
        f"    return np.mean(np.clip(v, 0, 1)) + np.sum(np.clip(v, 0, 3)) + {SUMS_OF_DISTANCES[noise]}\n"
    )
    (said,) = checked([text])
    assert said
    for seed in range(SEEDS):
        assert not judged(seed, text, said).refuted


def test_what_is_refuted_is_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Claim("f", False, (Parameter("x", False, "1", None, None, "Real"),), "Real")
    monkeypatch.setattr("attack.python.checked", lambda texts, checker: [[said] for _ in texts])
    text = f"{HEAD}def g(x):\n    return x\ndef f(x: Number):\n    y = 1\n    return 3 * x\n"
    short = smallest(0, text, "")
    assert "def f(x: Number):\n    return 3 * x\n" in short and "y = 1" not in short and "def g" not in short


def test_a_run_goes_on_where_it_ended(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    tried: list[int] = []

    def one(seed: int, text: str, said: object) -> Judged:
        tried.append(seed)
        return Judged(seed, 1, 2, True)

    monkeypatch.setattr("attack.python.checked", lambda texts, checker: [[] for _ in texts])
    monkeypatch.setattr("attack.python.judged", one)
    output = str(tmp_path / "run.jsonl")
    assert not attack(0, 150, output)
    assert not attack(0, 200, output)
    assert sorted(tried) == list(range(200)) and "200 programs, 200 claims" in capsys.readouterr().out


def test_it_shares_nothing_with_the_checker() -> None:
    for path in sorted((ROOT / "tests" / "cpython").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            known = {*sys.stdlib_module_names, "numpy", "pandas", "dp_types", "evaluator"}
            assert all(name.partition(".")[0] in known for name in names), path
