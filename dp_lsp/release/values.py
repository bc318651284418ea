"""Numbers as people write them: in the cells of tables, and on the command line, where vectors and matrices are written
out."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.release.refusal import Misused

_LONGEST = 300  # characters of a number
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_TRUTHS = {"true": True, "false": False}
_LIST = re.compile(r"\[(.*)\]", re.DOTALL)
_BREAK = re.compile(r"[,\s]+")
_FEW = 12  # names in a message


class Entries(NamedTuple):
    """Numbers and truth values of a parameter, row by row, and where each row stands, in words."""

    numbers: list[Fraction | bool]
    width: int
    at: Callable[[int], str]

    @property
    def height(self) -> int:
        return len(self.numbers) // self.width if self.width else 0


def number(text: str) -> Fraction | bool | None:
    """The number that a cell means exactly, or what is true or false, which is no number; None for anything else."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if _WHOLE.fullmatch(text):
        return Fraction(int(text))
    return Fraction(text) if _NUMBER.fullmatch(text) else _TRUTHS.get(text.lower())


def is_number(text: str) -> bool:
    """Whether it is written with digits."""
    return _NUMBER.fullmatch(text) is not None


def exact(text: str) -> Fraction | bool | None:
    """The same of a quotient of two numbers, too, as in 1/3."""
    if "/" not in text:
        return number(text)
    top, bottom = map(number, text.split("/", 1))
    return top / bottom if isinstance(top, Fraction) and isinstance(bottom, Fraction) and bottom else None


def written(name: str, text: str, matrix: bool) -> Entries:
    """A vector as ``[1, 2, 3]``, a matrix as ``[1, 2; 3, 4]``. Raises :class:`Misused` for anything else."""
    inside = _LIST.fullmatch(text.strip())
    form = "[1, 2; 3, 4]" if matrix else "[1, 2, 3]"
    if inside is None:
        raise Misused(f"--set {name}: it is not of the form {form}")
    lines = inside[1].split(";") if matrix else [inside[1]]
    rows = [[_entry(name, each, form) for each in _BREAK.split(line.strip()) if each] for line in lines]
    if len({len(row) for row in rows}) > 1:
        raise Misused(f"--set {name}: its rows differ in length")
    width = len(rows[0]) if matrix else 1
    return Entries([each for row in rows for each in row], width, lambda row: f"--set {name}, entry {row + 1}")


def _entry(name: str, text: str, form: str) -> Fraction | bool:
    found = exact(text)
    if found is None:
        raise Misused(f"--set {name}: {text!r} is not a number; it is of the form {form}")
    return found


def listed(names: Sequence[str]) -> str:
    """Names in a message; of many the first ones."""
    return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "") if names else "none"
