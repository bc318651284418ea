"""Calls of a Python program, by CPython, with all that can be seen of them."""

from __future__ import annotations

import ast
import builtins
import contextlib
import io
import logging
import math
import random
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .inputs import Slot, copied
from .noise import Noisy, Unmodelled, World, is_about_noise, same_number, written_down
from .scripts import ENTRY, Script

SECONDS = 0.5
"""Of processor time, so that what is judged does not depend on what else runs. The longest run of a random program that
ends takes a tenth of it."""

_MODULES = (builtins, math, random, np, np.random, np.linalg, np.ma)
_AS_THEY_ARE = [(vars(each), dict(vars(each))) for each in _MODULES]


class Run(NamedTuple):
    """How calls ended, what each returned (with noise observed), how one failed, what was printed, what of the module
    and of arguments that are not protected is there afterwards, and the noise."""

    values: tuple[Any, ...]
    failure: str
    printed: str
    left: Any
    world: World

    def said(self) -> str:
        ended = self.failure or f"{', '.join(map(repr, self.values)):.300}"
        return f"{ended}{f', having printed {self.printed!r:.100}' if self.printed else ''}"


class Program:
    """The text of a module. Each run loads it anew."""

    def __init__(self, text: str) -> None:
        self.text = text
        tree = _Numbers().visit(ast.parse(text))
        drawing = [each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom) and _draws(each)]
        if drawing:
            raise Unmodelled(f"noise that is not written down: {ast.unparse(drawing[0])}")
        ast.fix_missing_locations(tree)
        self._script = Script(tree)
        self._code = self._script.loaded or compile(tree, "<program>", "exec", dont_inherit=True)

    def loaded(self) -> types.ModuleType:
        module = types.ModuleType("program")
        module.__dict__["__same__"] = same_number
        sys.modules["program"] = module  # dataclasses and annotations ask for it by name
        exec(self._code, module.__dict__)
        if self._script.reads:
            setattr(module, ENTRY, self._script.entry(module))
        return module

    def function(self, name: str, world: World) -> Callable[..., Any]:
        with _unchanged(), _quiet(io.StringIO()), written_down(world):
            try:
                found = getattr(self.loaded(), name, None)
            except Exception as error:
                raise Unmodelled(f"a program that cannot be loaded: {error}") from None
        if not callable(found):
            raise Unmodelled(f"`{name}`")
        return found

    def run(self, name: str, calls: Sequence[Mapping[str, Any]], slots: Sequence[Slot], world: World) -> Run:
        """A freshly loaded program that calls a function, several times in a row."""
        out = io.StringIO()
        values, failure = [], ""
        drawing = [each.name for each in slots if each.is_generator]
        protected = {*drawing, *(each.name for each in slots if not each.static)}
        given: list[dict[str, Any]] = []
        with _unchanged(), _quiet(out), written_down(world), _limited():
            module = self.loaded()
            function = getattr(module, name)
            before = _state(module)
            for call in calls:
                given.append({**copied(call), **{each: np.random.default_rng() for each in drawing}})
                try:
                    values.append(function(**given[-1]))
                except Exception as error:
                    if is_about_noise(error):
                        raise Unmodelled(str(error)) from None
                    failure = f"{type(error).__name__}: {error}"
                    break
            values = [seen(each) for each in values]
            open_ = [{key: value for key, value in each.items() if key not in protected} for each in given]
            left = seen((_changed(before, _state(module)), open_))
        return Run(tuple(values), failure, out.getvalue(), left, world)


def _draws(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import brings noise of a library of its own."""
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
    return any(each.partition(".")[0] in ("opendp", "diffprivlib", "scipy", "secrets", "os") for each in names)


class _Numbers(ast.NodeTransformer):
    """`float(x)` of a noisy number is that number."""

    def visit_Call(self, node: ast.Call) -> ast.AST:  # the name is given
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "float":
            node.func = ast.Call(ast.Name("__same__", ast.Load()), [node.func], [])
        return node


@contextmanager
def _unchanged() -> Iterator[None]:
    """What a program changes in modules of others is put back."""
    try:
        yield
    finally:
        for names, known in _AS_THEY_ARE:
            names.update(known)


@contextmanager
def _quiet(out: io.StringIO) -> Iterator[None]:
    handler = logging.StreamHandler(out)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
            warnings.catch_warnings(),
            np.errstate(all="ignore"),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        root.removeHandler(handler)


@contextmanager
def _limited() -> Iterator[None]:
    """No run takes longer than :data:`SECONDS`."""

    def over(*args: Any) -> None:
        raise Unmodelled("a run that takes too long")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


_PLAIN = (int, float, str, bool, list, dict, set, tuple, np.ndarray, np.generic, pd.Series, pd.DataFrame, Noisy)


def _state(module: types.ModuleType) -> dict[str, Any]:
    names = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    return {name: _kept(value) for name, value in names.items() if isinstance(value, _PLAIN)}


def _kept(value: Any) -> Any:
    """A value as it is now; noise stays the noise it is."""
    match value:
        case list() | tuple():
            return type(value)(map(_kept, value))
        case dict():
            return {key: _kept(each) for key, each in value.items()}
        case np.ndarray() | pd.Series() | pd.DataFrame():
            return value.copy()
        case set():
            return set(value)
    return value


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What somebody sees in the module afterwards and did not see before. Noise that was drawn as the module was loaded
    was seen by nobody."""
    return {name: value for name, value in after.items() if not (name in before and _is_same(before[name], value))}


def _is_same(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if isinstance(one, Noisy) or isinstance(other, Noisy):
        return False
    if isinstance(one, list | tuple) and type(one) is type(other):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(_is_same(one[key], other[key]) for key in one)
    return difference(one, other) == ""


def seen(value: Any) -> Any:
    """A result as somebody sees it: with the noise in it observed, and what is lazy gone through."""
    if isinstance(value, Noisy):
        return value.told()
    if isinstance(value, np.ndarray) and value.dtype == object:
        made = np.array([seen(each) for each in value.flat], dtype=object).reshape(value.shape)
        return made.astype(float) if all(isinstance(each, int | float) for each in made.flat) else made
    match value:
        case list() | tuple():
            made = [seen(each) for each in value]
            return made if isinstance(value, list) else tuple(made)
        case set() | frozenset():
            return {seen(each) for each in value}
        case dict():
            return {seen(key): seen(each) for key, each in value.items()}
        case pd.Series():
            return pd.Series([seen(each) for each in value], index=value.index, name=value.name)
        case pd.DataFrame():
            return pd.DataFrame({name: [seen(each) for each in value[name]] for name in value}, index=value.index)
        case map() | filter() | zip() | types.GeneratorType() | enumerate() | reversed():
            return ["lazily", *(seen(each) for each in value)]
        case np.generic():
            return value.item()
    return value


def difference(one: Any, other: Any) -> str:
    """Where two results can be told apart; numbers that only rounding sets apart cannot."""
    if isinstance(one, pd.DataFrame) and isinstance(other, pd.DataFrame):
        same = list(one) == list(other) and list(one.index) == list(other.index)
        return difference(one.to_dict("list"), other.to_dict("list")) if same else "rows or columns"
    if isinstance(one, pd.Series) and isinstance(other, pd.Series):
        return difference((list(one.index), list(one)), (list(other.index), list(other)))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return difference(one.tolist(), other.tolist()) if one.shape == other.shape else "shapes"
    if isinstance(one, list | tuple) and type(one) is type(other):
        if len(one) != len(other):
            return "lengths"
        return next((found for a, b in zip(one, other, strict=True) if (found := difference(a, b))), "")
    if isinstance(one, dict) and isinstance(other, dict):
        if list(one) != list(other):
            return "keys"
        return next((found for key in one if (found := difference(one[key], other[key]))), "")
    if _is_number(one) and _is_number(other):
        a, b = float(one), float(other)
        same = a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
        return "" if same and isinstance(one, bool) == isinstance(other, bool) else "numbers"
    if type(one) is not type(other):
        return "types"
    if callable(one) or type(one).__eq__ is object.__eq__:
        return ""
    return "" if one == other else "values"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_) or hasattr(value, "numerator")
