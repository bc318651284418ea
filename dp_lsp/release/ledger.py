"""A file that counts what runs spend: one JSON object a line, to which lines are only ever added.

A run is written down, and the disk has it, before any noise is drawn. So whatever happens afterwards, nothing was
released that is not counted; a run that fails after that stays counted. Whoever writes holds a lock from reading the
file until the line is there, so of two runs at once the later one sees what the earlier one spends. Who waits for that
says so after a moment, and gives up in the end.

Every line ends in the SHA-256 of itself and the one before. A line that is edited, moved or taken out is noticed. That
nobody cuts off the end, or takes another file, no file can see to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from hashlib import sha256
from typing import Any, NamedTuple

from dp_lsp.core.notation import allowed, decimal
from dp_lsp.mechanisms.pairs import Pair
from dp_lsp.release.adding import LONGEST, Added, Busy, opened
from dp_lsp.release.changes import Change, Step
from dp_lsp.release.refusal import Refused
from dp_lsp.release.spending import Entry, Origin, Spent, Total, total

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
_STEPS = {each.name.lower().replace("_", "-"): each for each in Step}
_NAMES = {step: name for name, step in _STEPS.items()}


class Budget(NamedTuple):
    """The most that all runs together may spend; None where nothing is said of that."""

    epsilon: Fraction | None
    delta: Fraction | None

    def allows(self, pair: Pair[Fraction]) -> bool:
        """Whether so much may be spent."""
        return all(most is None or each <= most for each, most in zip(pair, self, strict=True))


class Line(NamedTuple):
    """A run as a ledger has it; ``about`` says for people what was run and when."""

    entry: Entry
    about: Mapping[str, Any]


class Account(NamedTuple):
    """What the ledger ``path`` comes to with a run, and what is ``left`` of the budgets; None if there are none."""

    path: str
    total: Total
    left: Budget | None


def spend(
    file: str,
    path: str,
    line: Line,
    budgets: Sequence[Budget],
    on_wait: Callable[[], None] = lambda: None,
) -> Account:
    """Write a run down in a ``file``, which people are shown as ``path``, if all budgets allow it; ``on_wait`` is told
    that others use it. Raises :class:`Refused` if a budget does not, if others do not let go of the file, or if it is
    none that runs can be counted in, and OSError if it cannot be written."""
    with _opened(file, path, on_wait) as ledger:
        raw = ledger.content()
        before = read(path, raw)
        entries = tuple(each.entry for each in before)
        after = total((*entries, line.entry))
        for budget in budgets:
            _demand(path, budget, after, entries)
        lines = [_HEAD] if not raw else []
        follows = raw.rstrip(b"\n").split(b"\n")[-1] if raw else _HEAD.encode()
        lines.append(_written(line, follows))
        start = "\n" if raw and not raw.endswith(b"\n") else ""
        ledger.add((start + "".join(f"{each}\n" for each in lines)).encode())
    return Account(path, after, _left(after.pair, budgets) if budgets else None)


@contextmanager
def _opened(file: str, path: str, on_wait: Callable[[], None]) -> Iterator[Added]:
    try:
        with opened(file, on_wait) as ledger:
            yield ledger
    except Busy:
        raise Refused(
            f"{path}: another process has held it for {LONGEST:.0f} seconds, so this run cannot be counted; nothing is "
            "spent"
        ) from None


def read(path: str, raw: bytes) -> tuple[Line, ...]:
    """The runs that a ledger counts. Raises :class:`Refused` for a file that is none, or is not as it was written."""
    if not raw:
        return ()
    lines = raw.removesuffix(b"\n").split(b"\n")
    if lines[0] != _HEAD.encode() and len(raw) < len(_HEAD) and _HEAD.encode().startswith(raw):
        raise Refused(f"{path}, line 1: it is cut off. {_CUT} If there was none, remove the file")
    if lines[0] != _HEAD.encode():
        raise Refused(f"{path} is not a ledger that `dp-lsp run` of this version has begun; name another file")
    found: list[Line] = []
    for place in range(1, len(lines)):
        line = _line(lines[place], lines[place - 1])
        if line is None and place == len(lines) - 1 and not raw.endswith(b"\n"):
            above = total([each.entry for each in found])
            raise Refused(
                f"{path}, line {place + 1}: it is cut off, so it is not known what that run spends besides "
                f"{said(above.pair)} of the {runs(above.runs)} above. {_CUT} If there was none, take the line out"
            )
        if line is None:
            raise Refused(
                f"{path}, line {place + 1}: it is not as it was written, or a line above it is missing, so it is not "
                "known what was spent; restore the file"
            )
        found.append(line)
    return tuple(found)


# What may be spent


def _demand(path: str, budget: Budget, after: Total, before: Sequence[Entry]) -> None:
    if budget.allows(after.pair):
        return
    spent = total(before)
    known = f"{path} counts {runs(spent.runs)} that spent {said(spent.pair)}; " if before else ""
    raise Refused(f"{known}with this one it would be {said(after.pair)}, and the budget is {_limit(budget)}")


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


def _written(line: Line, follows: bytes) -> str:
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


def _line(text: bytes, follows: bytes) -> Line | None:
    """What a line says; None if it says nothing that could have been written there."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        found = json.loads(text)
        if found.pop("seal") == _sealed(text.rpartition(_SEAL.encode())[0], follows):
            origins = {name: _origin(**each) for name, each in found.pop("origins").items()}
            entry = Entry(origins, tuple(_spent(origins, **each) for each in found.pop("spent")))
            return Line(entry, found)
    return None


def _origin(name: str, digest: str) -> Origin:
    if not isinstance(name, str) or not name or not _DIGEST.fullmatch(digest):
        raise ValueError
    return Origin(name, digest)


def _spent(
    origins: Mapping[str, Origin],
    parameters: Sequence[str],
    changes: Sequence[Mapping[str, Any]],
    epsilon: str,
    delta: str,
) -> Spent:
    if not parameters or len(parameters) != len(changes) or not set(parameters) <= set(origins):
        raise ValueError
    return Spent(tuple(parameters), tuple(_change(**each) for each in changes), _number(epsilon), _number(delta))


def _change(step: str, times: int) -> Change:
    if type(times) is not int or times < 1:
        raise ValueError
    return Change(_STEPS[step], times)


def _number(text: str) -> Fraction:
    if not _NUMBER.fullmatch(text):
        raise ValueError
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ValueError from None
