"""Columns of a table as whole numbers, which an engine computes with: of each column it is measured how many of its
parts a number is made of (a hundredth, say, where all have two decimals), and between what they lie. So nothing is
rounded, and that nothing overflows is known before it is computed.

What is in doubt is no such column: where a cell is no number, where parts do not fit into 38 digits, or where a binary
number has so many decimals. It is read as the interpreter reads it, which also finds the words for what is wrong.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dp_lsp.named import NamedTuple
from dp_lsp.release import RunRefused
from dp_lsp.release.sources import Scanned, Table, closed, connected, meant, quoted

NARROW, WIDE = (1 << 62) - 1, 10**38 - 1
"""The largest numbers of what engines compute with fast, and of 38 digits."""
_EXACT = 10**15  # below which whole numbers of parts are told apart by floats
_FEW_DECIMALS = range(10)
_MOST_EXACT = 22  # of powers of 10 that are floats
_MOST_DIGITS = 30  # behind the point
_CHUNK = 50_000  # rows


class NotCompiled(Exception):
    """What an engine does not compute as the interpreter does, in words."""


class Measured(NamedTuple):
    """A column: its numbers are so many times ``unit``, between ``low`` and ``high`` of it; ``is_truth`` is for one of
    truth values."""

    unit: Fraction
    low: int
    high: int
    is_truth: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether a number takes more than 64 bits."""
        return max(-self.low, self.high) > NARROW


class Columns(ABC):
    """Some columns of a table. ``queries`` are all that were asked of it, ``count`` is how many rows there are."""

    count: int
    measured: dict[int, Measured]

    def __init__(self, table: Table) -> None:
        self.table = table
        self.queries: list[str] = []

    @abstractmethod
    def ask(self, query: str, merges: Sequence[Callable[[list[Any]], Any]]) -> list[Any]:
        """The one row that a query gives which asks for columns by :func:`name` of what is called ``held``; of several
        parts of it each number merged."""


def name(place: int) -> str:
    """What a column is called in queries."""
    return f"c{place}"


def ibis() -> Any:
    """What writes queries. Raises :class:`NotCompiled` where it is not installed."""
    try:
        import ibis as library
    except ImportError:
        raise NotCompiled("Ibis is not installed: pip install 'dp-lsp[run]'") from None
    return library


def columns(table: Table, places: Sequence[int]) -> Columns:
    """Columns of a table. Raises :class:`NotCompiled` for such as are no whole numbers of anything."""
    ibis()
    return _ScannedColumns(table, places) if isinstance(table, Scanned) else _ReadColumns(table, places)


class _ScannedColumns(Columns):
    """Columns that DuckDB reads where they lie."""

    table: Scanned

    def __init__(self, table: Scanned, places: Sequence[int]) -> None:
        super().__init__(table)
        asked = ["count(*)"]
        for place in places:
            asked += _about(quoted(table.names[place]), table.types[place])
        self.count, *found = self._row(f"SELECT {', '.join(asked)} FROM {table.relation}")
        shapes = {}
        for place in places:
            (held, off, digits, low, high), found = found[:5], found[5:]
            if held != self.count or off:
                raise NotCompiled("it is not a number in every row")
            most = max(abs(Fraction(low or 0)), abs(Fraction(high or 0)))
            column, type_ = quoted(table.names[place]), table.types[place]
            if digits is None or (type_ == "DOUBLE" and most * 10**digits >= _EXACT):
                (digits,) = self._row(f"SELECT {_decimals(column)} FROM {table.relation}")
            shapes[place] = _whole(column, type_, digits or 0, most), digits or 0
        self._view(shapes)
        self.measured = {place: self._measured(place, table.types[place], each[1]) for place, each in shapes.items()}
        self._view({place: (self._narrow(place, text), digits) for place, (text, digits) in shapes.items()})

    def _row(self, query: str) -> list[Any]:
        """What a query gives. What fails by a single value is not computed so."""
        try:
            return self.table.row(query)
        except RunRefused:
            raise NotCompiled("its numbers are too large") from None

    def _measured(self, place: int, type_: str, digits: int) -> Measured:
        if type_ == "BOOLEAN":
            return Measured(Fraction(1), 0, 1, True)
        low, high = self._row(f"SELECT min({name(place)}), max({name(place)}) FROM held_columns")
        return Measured(Fraction(1, 10**digits), int(low or 0), int(high or 0))

    def _narrow(self, place: int, text: str) -> str:
        """A column with which DuckDB computes fast, if its numbers fit."""
        found = self.measured[place]
        return text if found.is_truth or found.is_wide else f"CAST({text} AS BIGINT)"

    def _view(self, shapes: Mapping[int, tuple[str, int]]) -> None:
        """Call them by short names, as whole numbers."""
        listed = ", ".join(f"{text} AS {name(place)}" for place, (text, _) in shapes.items())
        self.table.query(f"CREATE OR REPLACE TEMP VIEW held_columns AS SELECT {listed} FROM {self.table.relation}")

    def ask(self, query: str, merges: Sequence[Callable[[list[Any]], Any]]) -> list[Any]:
        self.queries.append(query)
        row = self.table.row(query)
        self.table.demand_unchanged()
        return row


def _about(column: str, type_: str) -> list[str]:
    """What is measured of a column: how many cells are there, how many of them are no numbers, how many decimals the
    most have, and between what they lie."""
    if type_ in ("DOUBLE", "FLOAT"):
        off = f"count(*) FILTER (WHERE NOT isfinite({column}))"
        digits = "NULL" if type_ == "FLOAT" else _few_decimals(column)
        return [f"count({column})", off, digits, f"min({column})", f"max({column})"]
    if type_.startswith("DECIMAL") or type_ in _INTEGERS or type_ == "BOOLEAN":
        ends = ["NULL", "NULL"] if type_ == "BOOLEAN" else [f"min({column})", f"max({column})"]
        return [f"count({column})", "0", str(_digits(type_)[1]), *ends]
    raise NotCompiled(f"it holds {type_}")


def _few_decimals(column: str) -> str:
    """How many decimals the most have of floats, if these are few; else NULL.

    Where m is whole and m/10^d, rounded, is x, m/10^d is a decimal that is read back as x. Below 10^15 parts, decimals
    of 15 digits are read as floats that all differ, so it is the one that is meant, whichever is the shortest."""
    cases = (f"WHEN bool_and(round({column} * 1e{d}) / 1e{d} = {column}) THEN {d}" for d in _FEW_DECIMALS)
    return f"CASE {' '.join(cases)} END"


def _decimals(column: str) -> str:
    """The same by how they are written out."""
    text = f"CAST({column} AS VARCHAR)"
    mantissa, power = f"split_part({text}, 'e', 1)", f"split_part({text}, 'e', 2)"
    behind = f"length(rtrim(split_part({mantissa}, '.', 2), '0'))"
    return f"max(greatest(0, {behind} - CASE WHEN {power} = '' THEN 0 ELSE CAST({power} AS INTEGER) END))"


_INTEGERS = frozenset(
    [*("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")]
)


def _digits(type_: str) -> tuple[int, int]:
    """How many digits numbers of a type have, and how many of these behind the point."""
    if not type_.startswith("DECIMAL"):
        return 38, 0
    width, scale = type_.removeprefix("DECIMAL(").removesuffix(")").split(",")
    return int(width), int(scale)


def _whole(column: str, type_: str, digits: int, most: Fraction) -> str:
    """A column, whose numbers are at most so large, in parts of so many decimals, exactly.

    A float x is near the decimal m/10^d that is meant, within a part in 2^53, and so is what a product makes of it.
    Where x·10^d is below 10^15, all that is lost is less than 1/2, and the next whole number is m. Others are written
    out."""
    if type_ == "BOOLEAN":
        return column
    if type_ in _INTEGERS:
        return f"CAST({column} AS DECIMAL(38, 0))"
    if digits > _MOST_DIGITS or most * 10**digits > WIDE:
        raise NotCompiled("its numbers have too many digits")
    if type_ == "DOUBLE" and digits <= _MOST_EXACT and most * 10**digits < _EXACT:
        return f"CAST(CAST(round({column} * 1e{digits}) AS BIGINT) AS DECIMAL(38, 0))"
    if type_.startswith("DECIMAL") and sum(_digits(type_)) + 1 <= 38:
        return f"CAST({column} * CAST(1{'0' * digits} AS DECIMAL({digits + 1}, 0)) AS DECIMAL(38, 0))"
    exact = column if type_.startswith("DECIMAL") else f"CAST(CAST({column} AS VARCHAR) AS DECIMAL(38, {digits}))"
    return f"CAST(replace(CAST({exact} AS VARCHAR), '.', '') AS DECIMAL(38, 0))"


class _ReadColumns(Columns):
    """Columns of what this program reads itself, in a stream: DuckDB computes with so many rows at a time."""

    def __init__(self, table: Table, places: Sequence[int]) -> None:
        super().__init__(table)
        self._places = list(places)
        self._known: list[dict[str, Fraction | bool]] = [{} for _ in places]
        kinds: list[set[bool]] = [set() for _ in places]
        ends: list[list[Fraction]] = [[] for _ in places]
        parts, self.count = [1] * len(places), 0
        for cells in table.rows(places):
            self.count += 1
            for at, cell in enumerate(cells):
                if isinstance(cell, str) and cell in self._known[at]:
                    continue
                found = self._number(at, cell)
                kinds[at].add(isinstance(found, bool))
                number = Fraction(found)
                parts[at] = math.lcm(parts[at], number.denominator)
                if parts[at] > WIDE:
                    raise NotCompiled("its numbers have too many decimals")
                ends[at] = [min([number, *ends[at]]), max([number, *ends[at]])]
        if any(len(each) > 1 for each in kinds):
            raise NotCompiled("it has truth values among numbers")
        self.measured = {}
        for at, place in enumerate(places):
            low, high = ends[at] or [Fraction(0)] * 2
            made = Measured(Fraction(1, parts[at]), int(low * parts[at]), int(high * parts[at]), True in kinds[at])
            if made.is_wide:
                raise NotCompiled("its numbers have too many digits")
            self.measured[place] = made
        self._connection: Any = None

    def _number(self, at: int, cell: object) -> Fraction | bool:
        known = self._known[at]
        found = known.get(cell) if isinstance(cell, str) else None
        if found is None:
            found = meant(cell)
            if found is None:
                raise NotCompiled("it is not a number in every row")
            if isinstance(cell, str) and len(known) < _CHUNK:
                known[cell] = found
        return found

    def ask(self, query: str, merges: Sequence[Callable[[list[Any]], Any]]) -> list[Any]:
        self.queries.append(query)
        if self._connection is None:
            self._connection = closed(connected())
        parts = []
        for chunk in self._chunks():
            self._connection.register("held_columns", chunk)
            parts.append(self._connection.execute(query).fetchall()[0])
            self._connection.unregister("held_columns")
        together = zip(merges, zip(*parts, strict=True), strict=True)
        whole = ((merge, [int(each) for each in found if each is not None]) for merge, found in together)
        return [merge(numbers) for merge, numbers in whole]  # Python adds decimals in 28 digits

    def _chunks(self) -> Iterator[dict[str, Any]]:
        """So many rows at a time; at least one part, which may have none."""
        import numpy as np

        made: list[list[int]] = [[] for _ in self._places]
        shown = False
        whole: list[dict[str, int]] = [{} for _ in self._places]

        def chunk() -> dict[str, Any]:
            kinds = (bool if self.measured[place].is_truth else np.int64 for place in self._places)
            return {name(p): np.array(each, dtype=k) for p, each, k in zip(self._places, made, kinds, strict=True)}

        parts = [self.measured[place].unit.denominator for place in self._places]
        for cells in self.table.rows(self._places):
            for at, cell in enumerate(cells):
                known = whole[at].get(cell) if isinstance(cell, str) else None
                if known is None:
                    known = int(self._number(at, cell) * parts[at])
                    if isinstance(cell, str) and len(whole[at]) < _CHUNK:
                        whole[at][cell] = known
                made[at].append(known)
            if len(made[0]) == _CHUNK:
                yield chunk()
                shown, made = True, [[] for _ in self._places]
        if made[0] or not shown:
            yield chunk()
