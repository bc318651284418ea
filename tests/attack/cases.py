"""The tests of some modules as plain calls, so that a wrong formula can be tried on them one after the other."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from itertools import product
from typing import Any

from hypothesis import Phase, settings

QUICK = "attack"
settings.register_profile(QUICK, phases=[Phase.explicit, Phase.generate], derandomize=True, database=None)


@cache
def cases(module: str) -> tuple[Callable[[], object], ...]:
    """The tests of a module that are not slow and need no fixture, each with every set of its parameters."""
    settings.load_profile(QUICK)  # those of a module that are made now have nothing made smaller
    found = vars(import_module(module)).items()
    return tuple(case for name, each in found if name.startswith("test_") for case in _cases(each))


def _cases(test: Any) -> Iterator[Callable[[], object]]:
    marks = getattr(test, "pytestmark", [])
    sets = [_sets(mark) for mark in marks if mark.name == "parametrize"]
    given = {name for values in sets for name in (values[0] if values else ())}
    idle = any(mark.name == "slow" or (mark.name == "skipif" and mark.args[0]) for mark in marks)
    if given >= inspect.signature(test).parameters.keys() and not idle:
        for chosen in product(*sets):
            yield _Case(test, {name: value for each in chosen for name, value in each.items()})


def _sets(mark: Any) -> list[dict[str, Any]]:
    """What a mark gives to parameters, all slow ones left out."""
    names, listed = mark.args
    split = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    found = []
    for each in listed:
        values = getattr(each, "values", None) if hasattr(each, "marks") else None
        if not any(mark.name == "slow" for mark in getattr(each, "marks", ())):
            plain = each if values is None else values if len(split) > 1 else values[0]
            found.append(dict(zip(split, plain if len(split) > 1 else (plain,), strict=True)))
    return found


class _Case:
    """A test with its parameters."""

    def __init__(self, test: Callable[..., object], given: dict[str, Any]) -> None:
        self._test = test
        self._given = given

    def __call__(self) -> object:
        return self._test(**self._given)
