"""What several runs come to: the sum of what they guarantee, for whoever is in all of their tables.

What is run next may depend on what was released before, and so may its ε. Basic composition allows that, and so does a
limit that sums must not exceed (Rogers, Roth, Ullman and Vadhan, Privacy Odometers and Filters, 2016). Measures that
compose better want all ε in advance, so none of them is asked here.

A sum is about one change, so runs that are about different ones are told of one first: of a table, of which anything
says that a record is replaced, a record that comes or goes is counted twice (:mod:`dp_lsp.release.changes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Listed
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.mechanisms.pairs import IN_NUMBERS, Pair, group
from dp_lsp.release.changes import Change, Unit, unit
from dp_lsp.release.refusal import Refused
from dp_lsp.release.running import chained, covering


class Spent(NamedTuple):
    """What a run guarantees to parameters that change together; ``changes`` are what a change of each of them is."""

    parameters: tuple[str, ...]
    changes: tuple[Change, ...]
    epsilon: Fraction
    delta: Fraction


class Origin(NamedTuple):
    """Where a parameter's value comes from: a file, by its whole path and the SHA-256 of what was read, or, without
    one, an option."""

    name: str
    digest: str = ""


class Entry(NamedTuple):
    """A run: the origins of parameters, and what it spends."""

    origins: Mapping[str, Origin]
    spent: tuple[Spent, ...]


class Total(NamedTuple):
    """What ``runs`` runs come to for whoever is in all of the ``units``, which say what a change of each is, by its
    name. ``twice`` says that some are about a record that comes or goes, and the change is one that is replaced."""

    pair: Pair[Fraction]
    runs: int
    units: Mapping[str, Unit]
    twice: bool = False


def total(entries: Listed[Entry], only: str | None = None) -> Total:
    """What runs come to; ``only`` for whoever is in one table, given by its name. Raises :class:`Refused` where it
    cannot be said of whom."""
    units = _units(entries)
    concerned = [found for each in entries if (found := _of_run(each, units, only)) is not None]
    kept = {name: each for name, each in units.items() if only in (None, name)}
    if not concerned:
        return Total(Pair(Fraction(0), Fraction(0)), 0, kept)
    added = Pair(*(sum(each, Fraction(0)) for each in zip(*concerned, strict=True)))
    twice = any(units[name].doubles(change) for each in entries for name, change in _changes(each))
    return Total(added._replace(delta=min(added.delta, Fraction(1))), len(concerned), kept, twice)


def _of_run(entry: Entry, units: Mapping[str, Unit], only: str | None) -> Pair[Fraction] | None:
    """What one run costs a change of its tables."""
    concerned = [
        each
        for each in entry.spent
        if only is None or any(entry.origins[name].name == only for name in each.parameters)
    ]
    if not concerned:
        return None
    return Pair(*chained([_told(each, entry, units) for each in covering(concerned)]))


def _told(spent: Spent, entry: Entry, units: Mapping[str, Unit]) -> Pair[Fraction]:
    """What is spent by a change as large as that of the tables."""
    steps = max(units[name].changes(change) for name, change in _changes(entry._replace(spent=(spent,))))
    return group(IN_NUMBERS, Pair(spent.epsilon, spent.delta), steps)


def _changes(entry: Entry) -> Iterator[tuple[str, Change]]:
    """What a run is about: the names of tables, and changes of what is in them."""
    for each in entry.spent:
        for name, change in zip(each.parameters, each.changes, strict=True):
            yield entry.origins[name].name, change


def _units(entries: Listed[Entry]) -> dict[str, Unit]:
    """What a change of each table is, so that everything that was run on it says something of it."""
    changes: dict[str, list[Change]] = {}
    names: dict[str, set[str]] = {}  # by what was read
    for entry in entries:
        for name, change in _changes(entry):
            changes.setdefault(name, []).append(change)
        for origin in entry.origins.values():
            if origin.digest and origin.name in changes:
                names.setdefault(origin.digest, set()).add(origin.name)
    found = {name: unit(listed) for name, listed in changes.items()}
    for same in names.values():
        if len({found[name] for name in same}) > 1:
            listed = "; ".join(f"{name}: {found[name].words}" for name in sorted(same))
            raise Refused(
                f"one table was run on under several names, and a change of it would be another one by each: {listed}; "
                "call it by one name"
            )
    return found
