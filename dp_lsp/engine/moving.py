"""Names at top level that get several values, one after the other, where the language says that each is what the name
stands for from there on.

A function reads the value that a name has when it is called, so what is said of a function holds with the last values.
That is right for all calls that there are if none comes before: no statement up to where a name gets its last value,
and no header of a function, may mention a function that reads the name, by way of others, too; and no value may be made
of one that the name had before. A name that always gets the same number is told by that alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dp_lsp.core.digest import Writer
from dp_lsp.core.term import Constant, Definition
from dp_lsp.lower.definitions import Lowered
from dp_lsp.named import NamedTuple


class Moving(NamedTuple):
    """Names with several values. ``last`` are those of which the last one counts, with the place of its unit,
    ``changes`` those of them whose values differ, and ``doubtful`` the others, with the reason."""

    last: Mapping[str, int]
    changes: frozenset[str]
    doubtful: Mapping[str, str]


NONE = Moving({}, frozenset(), {})


def found_moving(units: Sequence[Lowered]) -> Moving:
    """What is known of the names that get several values in units, which are evaluated one after the other."""
    found: dict[str, list[tuple[int, Definition]]] = {}
    for index, unit in enumerate(units):
        for definition in unit.definitions:
            found.setdefault(definition.name, []).append((index, definition))
    several = {name: given for name, given in found.items() if len(given) > 1}
    if not several:
        return NONE
    mentions: dict[str, set[str]] = {}
    for name, given in found.items():
        mentions[name] = set[str]().union(*(units[index].mentions for index, _ in given))
    last, changes, doubtful = dict[str, int](), set[str](), dict[str, str]()
    for name, given in several.items():
        places = [index for index, _ in given]
        if len(set(places)) < len(places):
            continue
        if not _is_same(given):
            changes.add(name)
            why = _before(name, units[: places[-1] + 1], mentions)
            if why:
                doubtful[name] = why
                continue
        last[name] = places[-1]
    return Moving(last, frozenset(changes & last.keys()), doubtful)


def _is_same(given: Sequence[tuple[int, Definition]]) -> bool:
    """Whether all values of a name are made of numbers alone, and the same."""
    if not all(isinstance(each, Constant) and not each.uses for _, each in given):
        return False
    return len({Writer().write(each.term) for _, each in given if isinstance(each, Constant)}) == 1


def _before(name: str, units: Sequence[Lowered], mentions: Mapping[str, set[str]]) -> str:
    """Why a value that a name has before its last one counts for something; empty if none does."""
    if any(name in unit.built for unit in units):
        return "something at top level is made of a value that it has before the last one"
    reading = _reading(name, mentions)
    called = next((each for unit in units for each in sorted(unit.early & reading)), "")
    return f"`{called}`, which reads it, is used at top level before it has its last value" if called else ""


def _reading(name: str, mentions: Mapping[str, set[str]]) -> set[str]:
    """The names whose definitions mention a name, by way of others, too."""
    found, pending = set[str](), [name]
    while pending:
        current = pending.pop()
        new = {each for each, inside in mentions.items() if current in inside and each not in found and each != name}
        found |= new
        pending += new
    return found
