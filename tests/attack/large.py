"""Conditions that fail for large data, as SymPy evaluates what a report prints: of random private programs none may be
proved under one.

A condition that compares a size must hold for some public numbers and all large sizes; one that a size is equal to a
number must not be there, for a declared size says that."""

from __future__ import annotations

import itertools
import json
import random
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import sympy

from .evaluated import CHECKER, written
from .resumed import BATCH

SIZE = re.compile(r"\b(?:length|rows|cols)\((\w+(?:\[\d+\])*)\)")
LARGE = (10**5, 10**10, 10**15)
NUMBERS = (0.0, 1e-6, 0.01, 0.5, 1.0, 2.0, 7.0, 100.0, 1e4)
MOST = 600
"""How many choices of public numbers are tried for a condition."""
_EQUAL = re.compile(r"Eq\((?:length|rows)\([^()]*\), [0-9.]+\)|Eq\([0-9.]+, (?:length|rows)\([^()]*\)\)")


class Hollow(NamedTuple):
    """A function that is proved, and a condition of it that fails for large data."""

    seed: int
    function: str
    formula: str


class Looked(NamedTuple):
    """What was looked at: programs, proved private functions, and their conditions about sizes."""

    programs: int
    proved: int
    conditions: int
    hollow: tuple[Hollow, ...]


def about_sizes(conditions: Sequence[Any]) -> Iterator[str]:
    """The formulas that compare with a size."""
    for each in conditions:
        formula = each["formula"] or ""
        if SIZE.search(formula) and re.search(r"<=?|^Eq\(", formula):
            yield formula


def holds_for_large(formula: str) -> bool:
    """Whether some numbers make it true for all sizes that are tried. Sizes of several values that must be equal are,
    and so is one that must be a public number, which may be chosen."""
    if formula.startswith("Eq("):
        return _EQUAL.fullmatch(formula) is None
    return _holds(formula)


def _kind(found: re.Match[str]) -> str:
    """How many columns there are does not grow with the records."""
    return "columns" if found[0].startswith("cols") else "size"


@cache
def _holds(formula: str) -> bool:
    named = {found[0]: found for found in SIZE.finditer(formula)}
    numbers = {value: place for place, value in enumerate(dict.fromkeys(found[1] for found in named.values()))}
    text = SIZE.sub(lambda found: f"{_kind(found)}_{numbers[found[1]]}", formula)
    names = sorted(set(re.findall(r"\b[^\W\d]\w*\b(?!\()", text)) - {"oo"})
    symbols = {name: sympy.Symbol(name) for name in names}
    text = re.sub(r"(\w+)\[(\d+)\]", r"\1_\2", text)
    test = sympy.lambdify(list(symbols.values()), sympy.sympify(text, locals=symbols), "math")
    free = [name for name in names if not name.startswith("size_")]
    choices = list(itertools.islice(itertools.product(NUMBERS, repeat=len(free)), 50_000))
    random.Random(formula).shuffle(choices)
    return any(
        all(_true(test, names, dict(zip(free, choice, strict=True)), size) for size in LARGE)
        for choice in choices[:MOST]
    )


def _true(test: Any, names: list[str], free: dict[str, float], size: int) -> bool:
    try:
        return bool(test(*(free.get(name, size) for name in names)))
    except (OverflowError, ZeroDivisionError, ValueError):
        return False


def looked(count: int, first: int, checker: str = CHECKER) -> Looked:
    """So many random programs in which a function is private, by the seeds from the first one on."""
    seeds = (seed for seed in itertools.count(first) if "Priv()" in written(seed).text)
    total = Looked(0, 0, 0, ())
    while total.programs < count:
        batch = list(itertools.islice(seeds, min(BATCH, count - total.programs)))
        functions = list(_proved(batch, checker))
        formulas = [
            (seed, each["name"], formula) for seed, each in functions for formula in about_sizes(each["conditions"])
        ]
        hollow = [Hollow(*each) for each in formulas if not holds_for_large(each[2])]
        total = Looked(
            total.programs + len(batch),
            total.proved + len(functions),
            total.conditions + len(formulas),
            (*total.hollow, *hollow),
        )
    return total


def _proved(seeds: Sequence[int], checker: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The private functions of some programs that are proved, as the report has them."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            Path(folder, f"p{seed}.jl").write_text(written(seed).text, "utf-8")
        asked = ["check", "--no-cache", "--output-format", "json", folder]
        run = subprocess.run([*shlex.split(checker), *asked], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            raise RuntimeError(run.stderr)
        for file in json.loads(run.stdout)["files"]:
            for function in file["functions"]:
                if function["kind"] == "privacy" and function["status"] == "proved":
                    yield int(Path(file["path"]).stem[1:]), function
