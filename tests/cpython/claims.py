"""What a report in JSON claims of the functions of a Python file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from evaluator.claims import SMALL
from evaluator.claims import evaluated as formula
from evaluator.failures import Unmodelled as NoFormula
from evaluator.types import FLOAT
from evaluator.values import Array

from .noise import Unmodelled


class Parameter(NamedTuple):
    """``bound`` is the claimed sensitivity as a formula, or ``epsilon`` and ``delta`` are; ``type`` is as shown. What
    is claimed of parameters that hold parts of the same records is claimed of each, as neighbours change all."""

    name: str
    static: bool
    bound: str | None
    epsilon: str | None
    delta: str | None
    type: str = ""

    @property
    def claims(self) -> bool:
        said = self.bound if self.bound is not None else self.epsilon
        return not self.static and said is not None and said != "oo" and not (self.bound is None and self.delta == "1")


class Claim(NamedTuple):
    """A function that is said to be proved. ``formulas`` are the conditions under which, ``texts`` premises that are no
    formulas, ``free`` the names in bounds that may stand for any number between 0 and 1."""

    name: str
    private: bool
    parameters: tuple[Parameter, ...]
    returns: str
    formulas: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    free: tuple[str, ...] = ()

    @property
    def finite(self) -> bool:
        return any(each.claims for each in self.parameters)


def claims(file: Mapping[str, Any]) -> list[Claim]:
    """Those of a file of a report."""
    return [
        _claim(each)
        for each in file["functions"]
        if each["status"] == "proved" and each["kind"] in ("sensitivity", "privacy")
    ]


KEPT = frozenset({"float-noise", "unseeded"})
"""The kinds of premises that hold where noise is written down and put in place: that it counts as exact, and that
nobody knows a generator that a function is given."""


def _claim(each: Mapping[str, Any]) -> Claim:
    formulas = tuple(condition["formula"] for condition in each["conditions"] if condition["formula"] is not None)
    words = (condition for condition in each["conditions"] if condition["formula"] is None)
    texts = tuple(condition["text"] for condition in words if condition["kind"] not in KEPT)
    parameters = tuple(
        Parameter(name, at["static"], at["sensitivity"], at["epsilon"], at["delta"], at["type"])
        for at in each["parameters"]
        for name in at["name"].split(", ")
    )
    free = tuple(dict.fromkeys(_shares(each["bounds"])))
    return Claim(each["name"], each["kind"] == "privacy", parameters, each["returns"] or "", formulas, texts, free)


def _shares(bounds: Any) -> Iterator[str]:
    for bound in bounds:
        yield from (free["name"] for free in bound["free"] if free["range"] == f"0 < {free['name']} < 1")


def evaluated(text: str, values: Mapping[str, Any], free: tuple[str, ...] = ()) -> Any:
    """A formula with the arguments of a call for the names of parameters."""
    names = {name: found for name, value in values.items() if (found := _known(value)) is not None}

    def width(found: re.Match[str]) -> str:
        """How many numbers the parts of a record have together."""
        parts = found[1].split(", ")
        return f"({' + '.join(f'cols({each})' if np.ndim(values[each]) == 2 else '1' for each in parts)})"

    for name, value in values.items():
        for field, part in vars(value).items() if is_dataclass(value) else ():
            text = text.replace(f"{name}[{field}]", f"{name}_{field}")
            names[f"{name}_{field}"] = _known(part)
    text = re.sub(r"cols\(([^()]*, [^()]*)\)", width, text)
    text = re.sub(r"rows\(([^(),]*), [^()]*\)", r"rows(\1)", text)  # each part has one of each record
    try:
        return formula(text, {**dict.fromkeys(free, SMALL), **names})
    except NoFormula as error:
        raise Unmodelled(str(error)) from None


def _known(value: Any) -> Any:
    """A number, or the array that stands for data in formulas. None of what no formula speaks of."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | float | Fraction | np.number):
        return Fraction(value) if np.isfinite(float(value)) else None
    try:
        whole = np.asarray(value)
        shape = whole.shape if whole.ndim in (1, 2) else (len(value),)
        return Array(FLOAT, [_entry(each) for each in whole.flat], shape)
    except (TypeError, ValueError):
        return None


def _entry(value: Any) -> Any:
    number = isinstance(value, int | float | np.number) and np.isfinite(float(value))
    return Fraction(float(value)) if number else Fraction(0)
