"""Where names stand in a chunk and which of them are the same: data made from the text alone.

A table is sent as one piece of bytes and decoded where somebody points at it. Offsets are relative to the chunk.

The checking process makes a table of each chunk out of the surface tree and sends it with the record, so definitions,
uses, folds and selections are there for what is wrong or half typed too, and the server needs no front end. Names in
text without a meaning are found by the lexer.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import lru_cache

from dp_lsp.analysis.records import Analysis, Modules
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_ROLES = 16
_DECODED = 4096  # tables kept; more than a file has chunks


class NameRole(IntEnum):
    """What a name does where it stands.

    ``MECHANISM`` is a builtin that releases something, ``CHANGE`` an argument that is changed in place, ``NAMED`` a
    parameter or an argument that is given by name, ``MENTION`` a name in text that is understood lexically only, and
    ``BROKEN`` one in text that cannot be read; ``FIELD`` is one behind a dot, which may be a member of a module, and so
    a top-level name, or something else."""

    DEFINITION = 0
    PARAMETER = 1
    WRITE = 2
    CHANGE = 3
    READ = 4
    CALL = 5
    BUILTIN = 6
    TYPE = 7
    NORM = 8
    NAMED = 9
    MENTION = 10
    BROKEN = 11
    MECHANISM = 12
    FIELD = 13


RESERVED_ROLES = frozenset((NameRole.BUILTIN, NameRole.MECHANISM, NameRole.TYPE, NameRole.NORM))
"""What belongs to the language."""
WRITING = frozenset((NameRole.DEFINITION, NameRole.PARAMETER, NameRole.WRITE, NameRole.CHANGE))


class ProgramSymbol(NamedTuple):
    """A variable of a chunk, and the range in which it is known; a top-level name has none."""

    name: str
    scope: Span | None


class Occurrence(NamedTuple):
    """A place of a symbol, which is given by its number in the chunk."""

    span: Span
    symbol: int
    role: NameRole


class Fold(NamedTuple):
    """A range of several lines that can be folded up."""

    span: Span
    comment: bool


class SymbolTable:
    """The names of a chunk, and the ranges its text is nested in."""

    __slots__ = ("_rows", "_spans", "_folds", "symbols")  # noqa: RUF023 (the order of the constructor)

    def __init__(
        self, symbols: tuple[ProgramSymbol, ...], rows: Sequence[int], spans: Sequence[int], folds: Sequence[int]
    ) -> None:
        self.symbols = symbols
        self._rows = rows
        self._spans = spans
        self._folds = folds

    def __iter__(self) -> Iterator[Occurrence]:
        """All occurrences, in the order of the text."""
        rows = self._rows
        return (self._occurrence(i) for i in range(0, len(rows), 3))

    def _occurrence(self, index: int) -> Occurrence:
        start, end, what = self._rows[index : index + 3]
        return Occurrence(Span(start, end), what // _ROLES, NameRole(what % _ROLES))

    def of(self, symbol: int) -> Iterator[Occurrence]:
        """The occurrences of a symbol."""
        rows = self._rows
        return (self._occurrence(i - 2) for i in range(2, len(rows), 3) if rows[i] // _ROLES == symbol)

    def at(self, offset: int) -> Occurrence | None:
        """The occurrence that an offset touches; of two that meet there, the second."""
        index = bisect_right(self._rows[::3], offset)
        for row in (index - 1, index - 2):
            if row >= 0 and self._rows[3 * row + 1] >= offset:
                return self._occurrence(3 * row)
        return None

    def number(self, name: str) -> int | None:
        """The number of a top-level name."""
        try:
            return self.symbols.index(ProgramSymbol(name, None))
        except ValueError:
            return None

    def around(self, offset: int) -> list[Span]:
        """The ranges that an offset lies in, the smallest first."""
        spans = self._spans
        found = {Span(spans[i], spans[i + 1]) for i in range(0, len(spans), 2) if spans[i] <= offset <= spans[i + 1]}
        here = self.at(offset)
        return sorted({*found, *([here.span] if here else [])}, key=lambda span: span.end - span.start)

    @property
    def folds(self) -> Iterator[Fold]:
        """What can be folded up."""
        folds = self._folds
        return (Fold(Span(folds[i], folds[i + 1]), bool(folds[i + 2])) for i in range(0, len(folds), 3))


def encode(
    symbols: Sequence[str | tuple[str, int, int]],
    rows: Iterable[tuple[int, int, int, NameRole]],
    spans: Iterable[tuple[int, int]],
    folds: Iterable[tuple[int, int, bool]],
) -> bytes:
    """A table of a chunk. A symbol is its name, of a local one with the start and the end of
    where it is known; a row is (start, end, symbol, role)."""
    flat = [n for start, end, symbol, role in rows for n in (start, end, symbol * _ROLES + role)]
    nested = [n for span in spans for n in span]
    folded = [int(n) for fold in folds for n in fold]
    return json.dumps((symbols, flat, nested, folded), separators=(",", ":")).encode()


@lru_cache(maxsize=_DECODED)
def decode(data: bytes) -> SymbolTable:
    """The table of a chunk."""
    if not data:
        return SymbolTable((), (), (), ())
    symbols, *parts = json.loads(data)
    rows, spans, folds = (array("I", part) for part in parts)
    made = (
        ProgramSymbol(one, None) if isinstance(one, str) else ProgramSymbol(one[0], Span(*one[1:])) for one in symbols
    )
    return SymbolTable(tuple(made), rows, spans, folds)


class Spot(NamedTuple):
    """A top-level name in a file that is not open: its line, counted from 1, what stands before it on that line, and
    the name as it is written; ``modules`` are those that it belongs to."""

    line: int
    before: str
    written: str
    name: str
    role: NameRole
    modules: Modules


def encode_spots(analysis: Analysis) -> bytes:
    """The top-level names of a file, those of the language left out."""
    source, found = analysis.source, []
    for start, _, record in analysis.chunks:
        table = decode(record.names.value)
        for span, symbol, role in table:
            if table.symbols[symbol].scope is None and role not in RESERVED_ROLES:
                place = source.place(start + span.start)
                before = source.line(place.line)[: place.column - 1]
                written = source.text[start + span.start : start + span.end]
                found.append((place.line, before, written, table.symbols[symbol].name, int(role), record.modules))
    return json.dumps(found, separators=(",", ":")).encode()


def decode_spots(data: bytes) -> Iterator[Spot]:
    """The top-level names of a closed file."""
    if data:
        for line, before, written, name, role, modules in json.loads(data):
            yield Spot(line, before, written, name, NameRole(role), tuple(modules))
