"""A file that counts what runs spend: one JSON object a line, to which lines are only ever added.

A run is written down, and the disk has it, before any noise is drawn. So whatever happens afterwards, nothing was
released that is not counted; a run that fails after that stays counted. Whoever writes holds a lock from reading the
file until the line is there, so of two runs at once the later one sees what the earlier one spends. Who waits for that
says so after a moment, and gives up in the end.

Every line ends in the SHA-256 of itself and the one before. A line that is edited, moved or taken out is noticed. That
nobody cuts off the end, or takes another file, no file can see to.

What several runs come to: the sum of what they guarantee, for whoever is in all of their tables.

What is run next may depend on what was released before, and so may its ε. Basic composition allows that, and so does a
limit that sums must not exceed (Rogers, Roth, Ullman and Vadhan, Privacy Odometers and Filters, 2016). Measures that
compose better want all ε in advance, so none of them is asked here.

A sum is about one change, so runs that are about different ones are told of one first: of a table, of which anything
says that a record is replaced, a record that comes or goes is counted twice (:mod:`dp_lsp.release.running`).
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from hashlib import sha256
from typing import Any

from dp_lsp.core.notation import allowed, decimal
from dp_lsp.mechanisms.mechanism import IN_NUMBERS, Pair, group
from dp_lsp.named import NamedTuple
from dp_lsp.release import RunRefused
from dp_lsp.release.running import ChangeUnit, NeighbourChange, NeighbourStep, chained, covering, unit

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class RunCost(NamedTuple):
    """What a run guarantees to parameters that change together; ``changes`` are what a change of each of them is."""

    parameters: tuple[str, ...]
    changes: tuple[NeighbourChange, ...]
    epsilon: Fraction
    delta: Fraction

    @property
    def pair(self) -> Pair[Fraction]:
        """ε and δ."""
        return Pair(self.epsilon, self.delta)


class DataOrigin(NamedTuple):
    """Where a parameter's value comes from: a file, by its whole path and the SHA-256 of what was read, or, without
    one, an option."""

    name: str
    digest: str = ""


class CountedRun(NamedTuple):
    """A run: the origins of parameters, and what it spends."""

    origins: Mapping[str, DataOrigin]
    spent: tuple[RunCost, ...]


class LedgerTotal(NamedTuple):
    """What ``runs`` runs come to for whoever is in all of the ``units``, which say what a change of each is, by its
    name. ``twice`` says that some are about a record that comes or goes, and the change is one that is replaced."""

    pair: Pair[Fraction]
    runs: int
    units: Mapping[str, ChangeUnit]
    twice: bool = False


def total(entries: Sequence[CountedRun], only: str | None = None) -> LedgerTotal:
    """What runs come to; ``only`` for whoever is in one table, given by its name. Raises :class:`RunRefused` where it
    cannot be said of whom."""
    units = _units(entries)
    concerned = [found for each in entries if (found := _of_run(each, units, only)) is not None]
    kept = {name: each for name, each in units.items() if only in (None, name)}
    if not concerned:
        return LedgerTotal(Pair(Fraction(0), Fraction(0)), 0, kept)
    added = Pair(*(sum(each, Fraction(0)) for each in zip(*concerned, strict=True)))
    twice = any(units[name].doubles(change) for each in entries for name, change in _changes_of(each))
    return LedgerTotal(added._replace(delta=min(added.delta, Fraction(1))), len(concerned), kept, twice)


def _of_run(entry: CountedRun, units: Mapping[str, ChangeUnit], only: str | None) -> Pair[Fraction] | None:
    """What one run costs a change of its tables."""
    concerned = [
        each
        for each in entry.spent
        if only is None or any(entry.origins[name].name == only for name in each.parameters)
    ]
    if not concerned:
        return None
    return Pair(*chained([_told(each, entry, units) for each in covering(concerned)]))


def _told(spent: RunCost, entry: CountedRun, units: Mapping[str, ChangeUnit]) -> Pair[Fraction]:
    """What is spent by a change as large as that of the tables."""
    steps = max(units[name].changes(change) for name, change in _changes_of(entry._replace(spent=(spent,))))
    return group(IN_NUMBERS, spent.pair, steps)


def _changes_of(entry: CountedRun) -> Iterator[tuple[str, NeighbourChange]]:
    """What a run is about: the names of tables, and changes of what is in them."""
    for each in entry.spent:
        for name, change in zip(each.parameters, each.changes, strict=True):
            yield entry.origins[name].name, change


def _units(entries: Sequence[CountedRun]) -> dict[str, ChangeUnit]:
    """What a change of each table is, so that everything that was run on it says something of it."""
    changes: dict[str, list[NeighbourChange]] = {}
    names: dict[str, set[str]] = {}  # by what was read
    for entry in entries:
        for name, change in _changes_of(entry):
            changes.setdefault(name, []).append(change)
        for origin in entry.origins.values():
            if origin.digest and origin.name in changes:
                names.setdefault(origin.digest, set()).add(origin.name)
    found = {name: unit(listed) for name, listed in changes.items()}
    for same in names.values():
        if len({found[name] for name in same}) > 1:
            listed = "; ".join(f"{name}: {found[name].words}" for name in sorted(same))
            raise RunRefused(
                f"one table was run on under several names, and a change of it would be another one by each: {listed}; "
                "call it by one name"
            )
    return found


SCHEMA = 1
"""The version of the lines."""
_HEAD = json.dumps({"ledger": "dp-lsp run", "schema_version": SCHEMA})
_SEAL = ', "seal": "'
_CUT = (
    "A run that was stopped while it wrote the line has released nothing; if the end of the file was lost later, the "
    "run was made, and perhaps others after it: restore the file."
)
_NUMBER = re.compile("[0-9]{1,2000}(/[0-9]{1,2000})?")
_DIGEST = re.compile("[0-9a-f]{64}|")
_STEPS = {each.name.lower().replace("_", "-"): each for each in NeighbourStep}
_NAMES = {step: name for name, step in _STEPS.items()}


class Budget(NamedTuple):
    """The most that all runs together may spend; None where nothing is said of that."""

    epsilon: Fraction | None
    delta: Fraction | None

    def allows(self, pair: Pair[Fraction]) -> bool:
        """Whether so much may be spent."""
        return all(most is None or each <= most for each, most in zip(pair, self, strict=True))


class LedgerLine(NamedTuple):
    """A run as a ledger has it; ``about`` says for people what was run and when."""

    entry: CountedRun
    about: Mapping[str, Any]


class LedgerAccount(NamedTuple):
    """What the ledger ``path`` comes to with a run, and what is ``left`` of the budgets; None if there are none."""

    path: str
    total: LedgerTotal
    left: Budget | None


def spend(
    file: str,
    path: str,
    line: LedgerLine,
    budgets: Sequence[Budget],
    on_wait: Callable[[], None] = lambda: None,
) -> LedgerAccount:
    """Write a run down in a ``file``, which people are shown as ``path``, if all budgets allow it; ``on_wait`` is told
    that others use it. Raises :class:`RunRefused` if a budget does not, if others do not let go of the file, or if it
    is none that runs can be counted in, and OSError if it cannot be written."""
    with _opened(file, path, on_wait) as ledger:
        raw = ledger.content()
        account = _account(path, raw, line, budgets)
        lines = [_HEAD] if not raw else []
        follows = raw.rstrip(b"\n").split(b"\n")[-1] if raw else _HEAD.encode()
        lines.append(_written(line, follows))
        start = "\n" if raw and not raw.endswith(b"\n") else ""
        ledger.add((start + "".join(f"{each}\n" for each in lines)).encode())
    return account


def foreseen(file: str, path: str, line: LedgerLine, budgets: Sequence[Budget]) -> LedgerAccount:
    """What the ledger would come to; nothing is written. Raises the same, but for waiting."""
    raw = b""
    with suppress(FileNotFoundError), open(file, "rb") as stream:
        raw = stream.read()
    return _account(path, raw, line, budgets)


def counted(file: str, path: str) -> tuple[LedgerLine, ...]:
    """The runs in a ledger, which another process may be about to write to. Raises :class:`RunRefused` for a file that
    is none, or not as it was written, and OSError."""
    raw = b""
    for _ in range(2):
        with open(file, "rb") as stream:
            raw = stream.read()
        if raw.endswith(b"\n"):
            break
        time.sleep(5 * _PAUSE)
    if not raw:
        raise RunRefused(f"{path} is empty: no run was counted there")
    return read(path, raw)


def _account(path: str, raw: bytes, line: LedgerLine, budgets: Sequence[Budget]) -> LedgerAccount:
    """What a ledger comes to with a run, if all budgets allow it."""
    entries = tuple(each.entry for each in read(path, raw))
    after = total((*entries, line.entry))
    for budget in budgets:
        _demand(path, budget, after, entries)
    return LedgerAccount(path, after, _left(after.pair, budgets) if budgets else None)


@contextmanager
def _opened(file: str, path: str, on_wait: Callable[[], None]) -> Iterator[LockedFile]:
    try:
        with _locked(file, on_wait) as ledger:
            yield ledger
    except _Busy:
        raise RunRefused(
            f"{path}: another process has held it for {LONGEST:.0f} seconds, so this run cannot be counted; nothing is "
            "spent"
        ) from None


def read(path: str, raw: bytes) -> tuple[LedgerLine, ...]:
    """The runs that a ledger counts. Raises :class:`RunRefused` for a file that is none, or not as it was written."""
    if not raw:
        return ()
    lines = raw.removesuffix(b"\n").split(b"\n")
    if lines[0] != _HEAD.encode() and len(raw) < len(_HEAD) and _HEAD.encode().startswith(raw):
        raise RunRefused(f"{path}, line 1: it is cut off. {_CUT} If there was none, remove the file")
    if lines[0] != _HEAD.encode():
        raise RunRefused(f"{path} is not a ledger that `dp-lsp run` of this version has begun; name another file")
    found: list[LedgerLine] = []
    for place in range(1, len(lines)):
        line = _line(lines[place], lines[place - 1])
        if line is None and place == len(lines) - 1 and not raw.endswith(b"\n"):
            above = total([each.entry for each in found])
            raise RunRefused(
                f"{path}, line {place + 1}: it is cut off, so it is not known what that run spends besides "
                f"{said(above.pair)} of the {runs(above.runs)} above. {_CUT} If there was none, take the line out"
            )
        if line is None:
            raise RunRefused(
                f"{path}, line {place + 1}: it is not as it was written, or a line above it is missing, so it is not "
                "known what was spent; restore the file"
            )
        found.append(line)
    return tuple(found)


# What may be spent


def _demand(path: str, budget: Budget, after: LedgerTotal, before: Sequence[CountedRun]) -> None:
    if budget.allows(after.pair):
        return
    spent = total(before)
    known = f"{path} counts {runs(spent.runs)} that spent {said(spent.pair)}; " if before else ""
    raise RunRefused(f"{known}with this one it would be {said(after.pair)}, and the budget is {_limit(budget)}")


def _limit(budget: Budget) -> str:
    named = zip(("ε", "δ"), budget, strict=True)
    return ", ".join(f"{name} {allowed(most)}" for name, most in named if most is not None)


def _left(after: Pair[Fraction], budgets: Sequence[Budget]) -> Budget:
    return Budget(
        min((each.epsilon - after.epsilon for each in budgets if each.epsilon is not None), default=None),
        min((each.delta - after.delta for each in budgets if each.delta is not None), default=None),
    )


def said(pair: Pair[Fraction]) -> str:
    """ε and δ for a person, rounded up."""
    if pair.delta >= 1:
        return "nothing that is guaranteed"
    return f"ε {decimal(pair.epsilon, 12)}, δ {decimal(pair.delta, 6)}"


def runs(count: int) -> str:
    """How many runs, in words."""
    return "1 run" if count == 1 else f"{count:,} runs"


# Lines


def _written(line: LedgerLine, follows: bytes) -> str:
    entry = line.entry
    found = {
        **line.about,
        "origins": {name: origin._asdict() for name, origin in entry.origins.items()},
        "spent": [
            {
                "parameters": each.parameters,
                "changes": [{"step": _NAMES[change.step], "times": change.times} for change in each.changes],
                "epsilon": str(each.epsilon),
                "delta": str(each.delta),
            }
            for each in entry.spent
        ],
    }
    text = json.dumps(found).removesuffix("}")
    return f'{text}{_SEAL}{_sealed(text.encode(), follows)}"}}'


def _sealed(text: bytes, follows: bytes) -> str:
    return sha256(follows + b"\n" + text).hexdigest()


def _line(text: bytes, follows: bytes) -> LedgerLine | None:
    """What a line says; None if it says nothing that could have been written there."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        found = json.loads(text)
        if found.pop("seal") == _sealed(text.rpartition(_SEAL.encode())[0], follows):
            origins = {name: _origin(**each) for name, each in found.pop("origins").items()}
            entry = CountedRun(origins, tuple(_spent(origins, **each) for each in found.pop("spent")))
            return LedgerLine(entry, found)
    return None


def _origin(name: str, digest: str) -> DataOrigin:
    if not isinstance(name, str) or not name or not _DIGEST.fullmatch(digest):
        raise ValueError
    return DataOrigin(name, digest)


def _spent(
    origins: Mapping[str, DataOrigin],
    parameters: Sequence[str],
    changes: Sequence[Mapping[str, Any]],
    epsilon: str,
    delta: str,
) -> RunCost:
    if not parameters or len(parameters) != len(changes) or not set(parameters) <= set(origins):
        raise ValueError
    return RunCost(tuple(parameters), tuple(_change(**each) for each in changes), _number(epsilon), _number(delta))


def _change(step: str, times: int) -> NeighbourChange:
    if type(times) is not int or times < 1:
        raise ValueError
    return NeighbourChange(_STEPS[step], times)


def _number(text: str) -> Fraction:
    if not _NUMBER.fullmatch(text):
        raise ValueError
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError from None


_FAR = 1 << 30  # a byte that Windows locks, and nobody writes
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

NOTICED, LONGEST = 1.0, 60.0
"""Seconds of a wait after which it is told, and after which it ends."""
_PAUSE = 0.02


class _Busy(Exception):
    """Somebody else keeps the file."""


class LockedFile:
    """A file that nobody else adds to meanwhile."""

    def __init__(self, handle: int, path: str) -> None:
        self._handle = handle
        self._path = path

    def content(self) -> bytes:
        """All that is there."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        with open(self._handle, "rb", closefd=False) as stream:
            return stream.read()

    def add(self, text: bytes) -> None:
        """Add to the end, and wait until the disk has it, and the name of a new file as well. What cannot be added
        whole is taken back. Raises OSError."""
        size = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            while text:
                text = text[os.write(self._handle, text) :]
            os.fsync(self._handle)
            if not size:
                _sync_folder(os.path.dirname(os.path.abspath(self._path)))
        except BaseException:  # also if somebody interrupts it
            with suppress(OSError):
                os.ftruncate(self._handle, size)
            raise


@contextmanager
def _locked(path: str, on_wait: Callable[[], None] = lambda: None) -> Iterator[LockedFile]:
    """The file; one that is not there is begun, for its owner alone. Waits for others, which ``on_wait`` is told after
    a moment. Raises :class:`Busy` if they take too long, and OSError."""
    handle = _held(path, on_wait)
    try:
        yield LockedFile(handle, path)
    finally:
        os.close(handle)


def _held(path: str, on_wait: Callable[[], None]) -> int:
    """The file that has that name once nobody else holds it: while one waits, it may get another one."""
    while True:
        handle = os.open(path, _FLAGS, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(0, "it is not a file that can be appended to")
            _wait_for(handle, on_wait)  # until it is closed
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle), os.stat(path)):
                    return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _wait_for(handle: int, on_wait: Callable[[], None]) -> None:
    began, told = time.monotonic(), False
    while not _lock(handle):
        waited = time.monotonic() - began
        if waited >= LONGEST:
            raise _Busy
        if waited >= NOTICED and not told:
            told = True
            on_wait()
        time.sleep(_PAUSE)


if sys.platform == "win32":

    def _lock(handle: int) -> bool:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _sync_folder(folder: str) -> None:
        """Its file systems do that by themselves, and a folder cannot be opened."""
else:

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _sync_folder(folder: str) -> None:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno != errno.EINVAL:  # there are file systems whose folders cannot be asked for that
                raise
        finally:
            os.close(handle)
