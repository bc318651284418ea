"""What a report in JSON claims of the functions of a program, and whether its conditions hold for some numbers."""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple

from .failures import Unmodelled
from .spaces import Space, space
from .values import Array, Grads, Model, Range, Turned, Value, is_number, number

_PREMISE = re.compile(r"`(\w+)` is (?:an? )?(Real number|Integer|Bool|Data|public number)")
_RESERVED = re.compile(rf"\b({'|'.join(keyword.kwlist)})\b")  # Python's words, such as `del`
_NORM = re.compile(r"norm\((\w+)\) is (L1|L2|LInf)")
_OF_RESULT = re.compile(r"norm of the result is (L1|L2|LInf)")  # its type says so, too


class Parameter(NamedTuple):
    """``bound`` is the claimed sensitivity as a formula, or ``epsilon`` and ``delta`` are; static ones have none."""

    name: str
    annotation: str
    space: Space | None
    static: bool
    bound: str | None
    epsilon: str | None
    delta: str | None

    @property
    def claims(self) -> bool:
        """Whether something finite is claimed of a change."""
        said = self.bound if self.bound is not None else self.epsilon
        return not self.static and said is not None and said != "oo"


class Claim(NamedTuple):
    """A function that is said to be proved, with what that rests on. The bounds hold for all positive values of the
    ``free`` names in them. ``priced`` is the smallest ε of each parameter at the δ that was asked for, if one was."""

    name: str
    private: bool
    parameters: tuple[Parameter, ...]
    returns: Space | None
    formulas: tuple[str, ...]
    premises: Mapping[str, str]
    norms: Mapping[str, str]
    free: tuple[str, ...] = ()
    priced: Mapping[str, float] = MappingProxyType({})

    @property
    def finite(self) -> bool:
        return any(each.claims for each in self.parameters)


def claims(file: Mapping[str, Any]) -> list[Claim]:
    """Those of a file of a report, as far as they are understood."""
    found = []
    for each in file["functions"]:
        if each["status"] == "proved" and each["kind"] in ("sensitivity", "privacy"):
            try:
                found.append(_claim(each))
            except Unmodelled:
                continue
    return found


def _claim(each: Mapping[str, Any]) -> Claim:
    if ";" in each["signature"]:
        raise Unmodelled("a parameter that is given by its name")
    annotations = annotations_of(each["signature"])
    if len(annotations) != len(each["parameters"]):
        raise Unmodelled("a signature")
    formulas, premises, norms = [], {}, {}
    for condition in each["conditions"]:
        if condition["formula"] is not None:
            formulas.append(condition["formula"])
        elif (said := _PREMISE.fullmatch(condition["text"])) is not None:
            premises[said[1]] = said[2]
        elif (said := _NORM.fullmatch(condition["text"])) is not None:
            norms[said[1]] = said[2]
        elif _OF_RESULT.fullmatch(condition["text"]) is None:
            raise Unmodelled("a premise")
    parameters = tuple(
        _parameter(parameter, annotation) for parameter, annotation in zip(each["parameters"], annotations, strict=True)
    )
    private = each["kind"] == "privacy"
    try:
        returns = None if private else space(each["returns"])
    except Unmodelled:
        returns = Space("anything")
    free = tuple(dict.fromkeys(_shares(each["bounds"])))
    numbers = [bound for bound in each.get("numeric") or () if len(bound["parameters"]) == 1 and bound.get("epsilon")]
    priced = {bound["parameters"][0]: float(bound["epsilon"]) for bound in numbers}
    return Claim(each["name"], private, parameters, returns, tuple(formulas), premises, norms, free, priced)


def _shares(bounds: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The names in bounds that may stand for any number between 0 and 1."""
    for bound in bounds:
        yield from (free["name"] for free in bound["free"] if free["range"] == f"0 < {free['name']} < 1")


def _parameter(each: Mapping[str, Any], annotation: str) -> Parameter:
    try:
        of = space(each["type"])._replace(share=int(each.get("records_per_person") or 1))
    except (Unmodelled, ValueError):
        of = None
    return Parameter(each["name"], annotation, of, each["static"], each["sensitivity"], each["epsilon"], each["delta"])


def annotations_of(signature: str) -> list[str]:
    """The annotations of a signature such as ``(Real, Static())``."""
    found, depth, start = [], 0, 1
    for place, char in enumerate(signature[:-1]):
        depth += (char in "({[") - (char in ")}]")
        if char == "," and depth == 1:
            found.append(signature[start:place].strip())
            start = place + 1
    last = signature[start:-1].strip()
    return [*found, last] if last else found


# Formulas


def _root(x: Any) -> Any:
    return math.sqrt(x)


_FUNCTIONS: dict[str, Any] = {
    "oo": math.inf,
    "sqrt": _root,
    "Abs": abs,
    "Max": max,
    "Min": min,
    "Ne": lambda a, b: a != b,
    "Eq": lambda a, b: a == b,
    "And": lambda *args: all(args),
    "Or": lambda *args: any(args),
    "Not": lambda a: not a,
    "ceiling": math.ceil,
    "floor": math.floor,
    "exp": math.exp,
    "log": math.log,
    "tanh": math.tanh,
    "Piecewise": lambda *cases: next(value for value, holds in cases if holds),
    "True_": True,
    "pi": math.pi,
    "E": math.e,
}


@cache
def _compiled(formula: str) -> CodeType:
    text = re.sub(r"(?<![\w.])(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])", r"Fraction('\1')", formula)
    text = _RESERVED.sub(r"\1_", text)
    return compile(text, "<formula>", "eval")


SMALL = Fraction(1, 10**6)
"""What a name that is free in a bound stands for."""


def evaluated(formula: str, names: Mapping[str, Value]) -> Any:
    """A formula with the values of parameters for their names; raises :class:`Unmodelled` where one is missing."""
    values = {
        unicodedata.normalize("NFKC", _RESERVED.sub(r"\1_", name)): _known(value) for name, value in names.items()
    }
    sizes = {"length": _length, "rows": lambda box: box.shape[0], "cols": lambda box: box.shape[1]}
    try:
        known = {"__builtins__": {}, "Fraction": Fraction, **_FUNCTIONS, **sizes, **values}
        return eval(_compiled(formula), known)  # a formula, not code of a program
    except ZeroDivisionError:
        return math.inf
    except Exception as error:
        raise Unmodelled(f"the formula {formula}") from error


class _Entries:
    """An array as formulas read it: `a[1]` is its first entry."""

    def __init__(self, box: Array) -> None:
        self.shape, self._entries = box.shape, box.entries

    def __getitem__(self, place: Fraction | int | tuple[Fraction | int, ...]) -> Fraction:
        at = tuple(map(int, place)) if isinstance(place, tuple) else (int(place),)
        if len(at) != len(self.shape) or not all(1 <= i <= size for i, size in zip(at, self.shape, strict=True)):
            raise Unmodelled("an entry that is not there")
        return Fraction(number(self._entries[at[0] - 1 if len(at) == 1 else (at[0] - 1) * self.shape[1] + at[1] - 1]))


def _known(value: Value) -> Any:
    if is_number(value):
        return Fraction(number(value))
    return _Entries(value) if isinstance(value, Array) else value


def _length(value: Value) -> int:
    if isinstance(value, _Entries | Turned | Range):
        return value.shape[-1]
    if isinstance(value, Grads | Model):
        return len(value.entries())
    raise Unmodelled("a length")
