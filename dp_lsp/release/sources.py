"""Where the data of a run lie: files of text, columnar files and databases, each a table that is read in a stream, as
often as it is asked for, and of which only the columns are read that are asked for.

What a cell means is one thing whatever the table is stored as: a number is the decimal that is written there. A binary
floating-point number is the shortest decimal that is read back as it, as 0.1 is a tenth, which is what other programs
write into a text, too. So a table that is stored in another way is the same data. What a number is, is told of each
cell by itself, so that what is proved of the records holds of those that are meant.

Nothing is written: DuckDB neither loads nor installs an extension, has no folder for what does not fit into memory, and
opens no file but those that are named. Views are not read, as they may hold anything.
"""

from __future__ import annotations

import codecs
import csv
import glob
import gzip
import hashlib
import io
import json
import os
import re
import sqlite3
import stat
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, BinaryIO
from urllib.parse import quote

from dp_lsp.release import Misused, RunRefused

# Numbers as people write them

_LONGEST = 300  # characters of a number
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
_TRUTHS = {"true": True, "false": False}
_FEW = 12  # names in a message
_REMEMBERED = 100_000  # texts of which it is known what they mean


def number(text: str) -> Fraction | bool | None:
    """The number that a cell means exactly, or what is true or false, which is no number; None for anything else."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if _WHOLE.fullmatch(text):
        return Fraction(int(text))
    return Fraction(text) if _NUMBER.fullmatch(text) else _TRUTHS.get(text.lower())


def meant(cell: object) -> Fraction | bool | None:
    """The same of a cell that may be stored as a number."""
    if isinstance(cell, bool):
        return cell
    if isinstance(cell, str):
        return number(cell)
    if isinstance(cell, float):
        return number(repr(cell))
    return Fraction(cell) if isinstance(cell, int | Decimal | Fraction) else None


def _why_none(cell: object) -> str:
    """Why a cell means no number; not what it says, which is private."""
    text = "" if cell is None else str(cell).strip()
    if not text:
        return "there is no number; a guarantee is about data without gaps"
    if text.lstrip("+-").lower() in ("nan", "inf", "infinity", "na", "n/a", "null", "none"):
        return "it is not a number that can be computed with; a guarantee is about data without gaps"
    return "it is not a number, as in 100, 0.2 or 1e-5"


def listed(names: Sequence[str]) -> str:
    """Names in a message; of many the first ones."""
    return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "") if names else "none"


# Files


class _DataFile:
    """Files that hold a table, as they were when this was made. What is no regular file, such as a pipe, is read at
    once, as it can be read once only. Raises :class:`Misused` for one that cannot be read."""

    def __init__(self, shown: str, paths: Sequence[str]) -> None:
        self._shown, self._paths = shown, paths
        self._content: bytes | None = None
        with self._readable():
            self._state = self._states()
            for path in paths:
                with open(path, "rb") as stream:
                    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                        self._content = stream.read()

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file; of several files that of theirs."""
        if self._content is not None:
            return hashlib.sha256(self._content).hexdigest()
        digests = []
        with self._readable():
            for path in self._paths:
                with open(path, "rb") as stream:
                    digests.append(hashlib.file_digest(stream, "sha256").hexdigest())
        self.demand_unchanged()
        return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()

    @property
    def is_at_once(self) -> bool:
        """Whether it is no file that others can read again."""
        return self._content is not None

    def open(self) -> BinaryIO:
        """What the first file holds."""
        if self._content is not None:
            return io.BytesIO(self._content)
        with self._readable():
            return open(self._paths[0], "rb")

    def start(self) -> bytes:
        """Its first bytes."""
        with self.open() as stream:
            return stream.read(64)

    def demand_unchanged(self) -> None:
        """Refuse what is no longer what it was."""
        if self._content is None:
            with self._readable():
                if self._states() != self._state:
                    raise RunRefused(f"{self._shown}: it has changed since it was first read")

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Misused(f"{self._shown}: {error.strerror or type(error).__name__}") from None

    def _states(self) -> list[tuple[int, ...]]:
        found = map(os.stat, self._paths)
        return [(each.st_dev, each.st_ino, each.st_size, each.st_mtime_ns) for each in found]


# Tables

MOST_CELLS = 20_000_000


class Table(ABC):
    """A table. ``path`` is what people are shown, ``origin`` what it is called in a ledger; ``names`` are those of its
    columns, or numbers from 1 on where it has none."""

    first: int = 1
    """What a person counts its first row as."""
    is_named: bool = True
    """Whether its columns have names."""
    names: tuple[str, ...]

    def __init__(self, path: str, origin: str, data: _DataFile) -> None:
        self.path, self.origin, self._data = path, origin, data

    @property
    def digest(self) -> str:
        """A SHA-256 of what it holds."""
        return self._data.digest

    @abstractmethod
    def cells(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        """The cells in some columns, row by row. Raises :class:`RunRefused` for what cannot be read."""

    def columns(self, wanted: Sequence[str]) -> list[int]:
        """The places of columns, by their names. Raises :class:`Misused` for one that is not there."""
        for name in wanted:
            if name not in self.names:
                hint = "; its first row has numbers, so it counts as data: --header if these are names"
                raise Misused(
                    f"{self.path} has no column {name!r}; it has {listed(self.names)}{'' if self.is_named else hint}"
                )
            if self.names.count(name) > 1:
                raise Misused(f"{self.path} has several columns {name!r}; give each a name of its own")
        return [self.names.index(name) for name in wanted]

    def rows(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        """The same cells, of a table that is still what it was."""
        yield from self.cells(places)
        self.demand_unchanged()

    def demand_unchanged(self) -> None:
        """Refuse a table that is no longer what it was when it was first read."""
        self._data.demand_unchanged()

    def numbers(self, places: Sequence[int]) -> Iterator[Fraction | bool]:
        """The numbers in these columns, and what is true or false, row by row. Raises :class:`RunRefused` for what is
        neither."""
        known: dict[object, Fraction | bool] = {}
        most = MOST_CELLS // max(1, len(places))
        for row, cells in enumerate(self.rows(places)):
            if row >= most:
                raise RunRefused(f"{self.path}: it has more than {MOST_CELLS:,} values")
            for place, cell in zip(places, cells, strict=True):
                text = cell if isinstance(cell, str) else None  # 1 and True are one key
                found = None if text is None else known.get(text)
                if found is None:
                    found = meant(cell)
                    if found is None:
                        raise RunRefused(f"{self.at(row, place)}: {_why_none(cell)}")
                    if text is not None and len(known) < _REMEMBERED:
                        known[text] = found
                yield found

    def too_many(self, place: int, most: int) -> int | None:
        """The first row of somebody who is named in more than so many by then, if there is one. Numbers that are equal
        are one name. Raises :class:`RunRefused` for a row of nobody."""
        counts: dict[object, int] = {}
        for row, (cell,) in enumerate(self.rows([place])):
            text = "" if cell is None else str(cell).strip()
            if not text:
                raise RunRefused(f"{self.at(row, place)}: it does not say whose row it is")
            name = number(text) if _NUMBER.fullmatch(text) else None
            who = text if name is None else name
            counts[who] = counts.get(who, 0) + 1
            if counts[who] > most:
                return row
        return None

    def at(self, row: int, place: int | None = None) -> str:
        """Where a row stands, or a cell of it, in words."""
        column = "" if place is None else f", column {self.names[place]}"
        return f"{self.path}, row {row + self.first}{column}"


_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_GZIP = b"\x1f\x8b"


class _Text(Table):
    """Lines of text, perhaps compressed."""

    def _lines(self) -> Iterator[str]:
        with self._stream() as stream:
            if stream.read(2) in _UTF16:
                raise RunRefused(f"{self.path}: it is encoded in UTF-16; save it as UTF-8")
            stream.seek(0)
            try:
                with io.TextIOWrapper(stream, "utf-8-sig", newline="") as lines:
                    for line in lines:
                        if "\0" in line:
                            raise RunRefused(f"{self.path}: it holds bytes that no text has")
                        yield line
            except UnicodeDecodeError:
                raise RunRefused(
                    f"{self.path}, row {self._undecodable()}: it is not encoded in UTF-8; save it so"
                ) from None
            except (EOFError, zlib.error, gzip.BadGzipFile):
                raise RunRefused(f"{self.path}: it is compressed, and is cut off or damaged") from None

    def _stream(self) -> Any:
        stream = self._data.open()
        return gzip.GzipFile(fileobj=stream) if self._data.start().startswith(_GZIP) else stream

    def _undecodable(self) -> int:
        """The line that is none."""
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        with self._stream() as stream:
            for row, line in enumerate(stream, 1):
                try:
                    decoder.decode(line)
                except UnicodeDecodeError:
                    return row
        return 1


class _Separated(_Text):
    """Values with commas, semicolons or tabs between them. ``header`` says whether its first row has the names of its
    columns; None to find out."""

    def __init__(self, path: str, origin: str, data: _DataFile, header: bool | None) -> None:
        super().__init__(path, origin, data)
        self._separator = self._separating()
        top = next(self._records(), None)
        if top is None or not any(cell.strip() for cell in top):
            raise RunRefused(f"{path}: it is empty" if top is None else f"{path}: its first row is empty")
        self.is_named = _has_names(path, top) if header is None else header
        self.first = 2 if self.is_named else 1
        self.names = tuple(cell.strip() for cell in top) if self.is_named else tuple(map(str, range(1, len(top) + 1)))

    def cells(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        width = len(self.names)
        blank: int | None = None  # rows at the end that have nothing are none
        for row, cells in enumerate(islice(self._records(), self.is_named, None)):
            if not cells:
                blank = row if blank is None else blank
                continue
            if blank is not None or len(cells) != width:
                place, found = (row, len(cells)) if blank is None else (blank, 0)
                raise RunRefused(f"{self.at(place)}: it has {found} values, and the first row has {width}")
            yield [cells[place] for place in places]

    def _records(self) -> Iterator[list[str]]:
        try:
            yield from csv.reader(self._lines(), strict=True, delimiter=self._separator)
        except csv.Error as error:
            between = {",": "commas", ";": "semicolons", "\t": "tabs"}[self._separator]
            raise RunRefused(
                f"{self.path}: it is not a table of values with {between} between them ({error})"
            ) from None

    def _separating(self) -> str:
        """A comma, if there is one in the first row, outside of quotes; else what is there of the others."""
        first = re.sub('"[^"]*"', "", next(self._lines(), ""))
        return next((each for each in ",;\t" if each in first), ",")


def _has_names(path: str, first: Sequence[str]) -> bool:
    """Whether the first row has names: where none of its values is a number."""
    numbers = [number(cell) is not None for cell in first]
    if any(numbers) and not all(numbers):
        raise Misused(
            f"{path}: its first row has names and numbers, so it is open whether it is the row of names; say --header "
            "or --no-header"
        )
    return not any(numbers)


class _JsonLines(_Text):
    """A record a line, written as JSON."""

    def __init__(self, path: str, origin: str, data: _DataFile) -> None:
        super().__init__(path, origin, data)
        self.names = tuple(next(self._records(), {}))
        if not self.names:
            raise RunRefused(f"{path}: it is empty")

    def cells(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        wanted = [self.names[place] for place in places]
        for record in self._records():
            yield [record.get(name) for name in wanted]

    def _records(self) -> Iterator[dict[str, object]]:
        blank = False
        for row, line in enumerate(self._lines()):
            if not line.strip():
                blank = True
                continue
            try:
                found = None if blank else json.loads(line, **_AS_WRITTEN)
            except (ValueError, RecursionError):
                found = None
            if not isinstance(found, dict):
                raise RunRefused(f"{self.at(row)}: it is not one JSON object a line, each of whose names stands once")
            yield found


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


_AS_WRITTEN: dict[str, Any] = {
    "object_pairs_hook": _object,
    **dict.fromkeys(("parse_float", "parse_int", "parse_constant"), str),
}
"""Numbers are kept as they are written: they are decimals, of which a float would be another one."""


class _Sqlite(Table):
    """A table of a SQLite database, read by SQLite."""

    def __init__(self, path: str, origin: str, data: _DataFile, file: str, name: str | None) -> None:
        self._file, self._name = file, ""
        with self._open(path) as connection:
            found = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall())
            tables = [each for each in found if not each.startswith("sqlite_")]
            self._name = _chosen(path, tables, name)
            if found[self._name].lstrip().upper().startswith("CREATE VIRTUAL"):
                raise RunRefused(f"{path}: {self._name!r} is a virtual table, whose rows a program makes")
            columns = connection.execute("SELECT name FROM pragma_table_info(?)", (self._name,)).fetchall()
        super().__init__(f"{path}#{self._name}", f"{origin}#{self._name}", data)
        self.names = tuple(each for (each,) in columns)

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self._data.digest}#{self._name}".encode()).hexdigest()

    def cells(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        """In the order in which they are stored, which no index changes."""
        wanted = ", ".join(quoted(self.names[place]) for place in places)
        with self._open(self.path) as connection:
            yield from connection.execute(f"SELECT {wanted} FROM {quoted(self._name)} NOT INDEXED")

    @contextmanager
    def _open(self, path: str) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(f"file:{quote(os.path.abspath(self._file))}?mode=ro", uri=True)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                yield connection
        except sqlite3.Error as error:
            raise RunRefused(f"{path}: SQLite cannot read it ({type(error).__name__})") from None


def quoted(name: str) -> str:
    """A name in a query."""
    return '"' + name.replace('"', '""') + '"'


def _chosen(path: str, tables: Sequence[str], name: str | None) -> str:
    """The table that is meant of a database."""
    if name is not None and name in tables:
        return name
    if name is None and len(tables) == 1:
        return tables[0]
    there = listed(tables)
    if name is None:
        raise Misused(f"say by --table NAME which table of {path} is meant: it has {there}")
    raise Misused(f"{path} has no table {name!r} (views are not read); it has {there}")


# What DuckDB reads

_AS_STORED = re.compile(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL\(.*\)|BOOLEAN")
_AS_WRITTEN_OUT = re.compile(r"FLOAT|DOUBLE|VARCHAR|ENUM\(.*\)", re.DOTALL)
_AT_ONCE = 10_000  # rows
_SETTINGS: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "temp_directory": "",
}


def connected() -> Any:
    """DuckDB, with nothing in it. Raises ImportError."""
    import duckdb

    return duckdb.connect(":memory:", config=_SETTINGS)


def closed(connection: Any, allowed: Sequence[str] = ()) -> Any:
    """The same, which from now on opens no other file than those that are allowed, and sets nothing otherwise."""
    for setting in ("python_enable_replacements = false", "enable_progress_bar = false", "TimeZone = 'UTC'"):
        connection.execute(f"SET {setting}")
    connection.execute(f"SET allowed_paths = [{', '.join(map(_text, allowed))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


class Scanned(Table):
    """A table that DuckDB reads: ``relation`` is how its queries call it, ``types`` what columns are stored as."""

    relation: str
    types: tuple[str, ...]

    def __init__(self, path: str, origin: str, data: _DataFile) -> None:
        super().__init__(path, origin, data)
        try:
            self._connection = connected()
        except ImportError as error:
            raise Misused(f"{path}: it is read by DuckDB: pip install 'dp-lsp[run]' ({error})") from None

    def _describe(self) -> None:
        columns = self.query(f"DESCRIBE SELECT * FROM {self.relation}").fetchall()
        self.names, self.types = tuple(each[0] for each in columns), tuple(each[1] for each in columns)

    def query(self, text: str) -> Any:
        """What a query gives. Raises :class:`RunRefused` where it fails."""
        with self._told():
            return self._connection.execute(text)

    def row(self, text: str) -> list[Any]:
        """The one row that a query gives."""
        with self._told():
            return list(self._connection.execute(text).fetchall()[0])

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors in words that say nothing of the data."""
        import duckdb as library

        try:
            yield
        except library.OutOfMemoryException:
            raise MemoryError from None
        except (library.IOException, library.CatalogException, library.PermissionException) as error:
            raise RunRefused(f"{self.path}: DuckDB cannot read it: {str(error).splitlines()[0]}") from None
        except library.Error as error:
            raise RunRefused(f"{self.path}: DuckDB cannot read it ({type(error).__name__})") from None

    def numbers(self, places: Sequence[int]) -> Iterator[Fraction | bool]:
        for place in places:
            if not _AS_STORED.fullmatch(self.types[place]) and not _AS_WRITTEN_OUT.fullmatch(self.types[place]):
                raise RunRefused(
                    f"{self.path}, column {self.names[place]}: it holds {self.types[place]}, which is no number"
                )
        return super().numbers(places)

    def cells(self, places: Sequence[int]) -> Iterator[Sequence[object]]:
        found = self.query(f"SELECT {', '.join(map(self._cell, places))} FROM {self.relation}")
        while True:
            with self._told():
                rows = found.fetchmany(_AT_ONCE)
            if not rows:
                return
            yield from rows

    def _cell(self, place: int) -> str:
        """What is no number by itself is written out: of a binary number that is the shortest decimal that is read back
        as it."""
        name = quoted(self.names[place])
        return name if _AS_STORED.fullmatch(self.types[place]) else f"CAST({name} AS VARCHAR)"


def _text(value: str) -> str:
    """A text in a query."""
    return "'" + value.replace("'", "''") + "'"


class _Parquet(Scanned):
    """Files that hold parts of one table, one after the other."""

    def __init__(self, path: str, origin: str, data: _DataFile, files: Sequence[str]) -> None:
        super().__init__(path, origin, data)
        whole = [os.path.abspath(each) for each in files]
        closed(self._connection, whole)
        kinds = []
        for file, shown in zip(whole, files, strict=True):
            self.relation = _parquet([file])
            self._describe()
            kinds.append((self.names, self.types))
            _demand_own_names(shown, self._stored(file))
            if kinds[0] != kinds[-1]:
                raise RunRefused(f"{shown}: its columns are not those of {files[0]}, in the same order")
        self.relation = _parquet(whole)

    def _stored(self, file: str) -> Iterator[str]:
        """The names that the columns of a file have there, without those of parts of columns."""
        asked = f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({_text(file)})"
        inside = 0  # how many parts of a column, or of such a part, still follow
        for name, parts in self.query(asked).fetchall()[1:]:
            if not inside:
                yield name
            inside = max(0, inside - 1) + parts


def _demand_own_names(path: str, names: Iterable[str]) -> None:
    """Refuse columns that DuckDB would give other names: it takes upper and lower case for one."""
    listed = list(names)
    if len({each.casefold() for each in listed}) < len(listed):
        raise RunRefused(f"{path}: names of columns differ only in upper and lower case, or not at all")


def _parquet(files: Sequence[str]) -> str:
    options = "hive_partitioning = false, filename = false, union_by_name = false"
    return f"read_parquet([{', '.join(map(_text, files))}], {options})"


class _Duck(Scanned):
    """A table of a DuckDB database."""

    def __init__(self, path: str, origin: str, data: _DataFile, file: str, name: str | None) -> None:
        super().__init__(path, origin, data)
        self.query(f"ATTACH {_text(os.path.abspath(file))} AS held (READ_ONLY)")
        closed(self._connection)
        found = self.query(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'held'"
        ).fetchall()
        tables = {each if schema == "main" else f"{schema}.{each}": (schema, each) for schema, each in found}
        self._name = _chosen(path, list(tables), name)
        self.path, self.origin = f"{path}#{self._name}", f"{origin}#{self._name}"
        self.relation = ".".join(map(quoted, ("held", *tables[self._name])))
        self._describe()

    @property
    def digest(self) -> str:
        return hashlib.sha256(f"{self._data.digest}#{self._name}".encode()).hexdigest()


class _Arrow(Scanned):
    """A file of Arrow's own, which Feather files are, too."""

    def __init__(self, path: str, origin: str, data: _DataFile, file: str) -> None:
        try:
            from pyarrow import ArrowInvalid, ipc
            from pyarrow.dataset import dataset
        except ImportError as error:
            raise Misused(f"{path}: an Arrow file is read by pyarrow: pip install 'dp-lsp[arrow]' ({error})") from None
        super().__init__(path, origin, data)
        try:
            with ipc.open_file(file) as opened:
                _demand_own_names(path, opened.schema.names)
            held = dataset(file, format="ipc")
        except (ArrowInvalid, OSError):
            raise RunRefused(f"{path}: it is an Arrow file of before 2020, or one that is cut off or damaged") from None
        self._connection.register("held", held)
        closed(self._connection)
        self.relation = "held"
        self._describe()


# Which table is meant

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_ELSEWHERE = {
    "postgres": "PostgreSQL is not read yet: write the table to a Parquet file (COPY), and name that",
    "postgresql": "PostgreSQL is not read yet: write the table to a Parquet file (COPY), and name that",
    "sc": "Spark is not asked yet: write the table to Parquet files, and name these",
}
_LINES_OF_JSON = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


def table(address: str, name: str | None, header: bool | None) -> Table:
    """The table at an address: a file, a folder or a pattern of Parquet files, or a database, of which ``name``, or
    what stands after #, is one. Raises :class:`Misused` for what is not there, and :class:`RunRefused` for what is no
    table."""
    _demand_near(address)
    path = address
    if name is None and not os.path.lexists(address) and "#" in address:
        path, _, name = address.rpartition("#")
    files = _files(path)
    at, whole = (path, os.path.realpath(path))
    log = f"{path}-wal"  # what SQLite has not yet put into its file
    data = _DataFile(path, [path, log] if files == [path] and os.path.isfile(log) else files)
    start = data.start()
    if start.startswith(b"SQLite format 3\0"):
        return _Sqlite(at, whole, _regular(path, data), path, name)
    if start[8:12] == b"DUCK":
        return _Duck(at, whole, _regular(path, data), path, name)
    if name is not None:
        raise Misused(f"{path} is one table, so it has no {name!r}")
    if start.startswith(b"PAR1"):
        return _Parquet(at, whole, _regular(path, data), files)
    if len(files) > 1:
        raise Misused(f"{path}: only Parquet files are read together, and {files[0]} is none")
    if start.startswith((b"ARROW1", b"FEA1")):
        return _Arrow(at, whole, _regular(path, data), path)
    if path.lower().endswith(_LINES_OF_JSON):
        return _JsonLines(at, whole, data)
    return _Separated(at, whole, data, header)


def _regular(path: str, data: _DataFile) -> _DataFile:
    if data.is_at_once:
        raise Misused(f"{path}: such a file is read several times, and this is none that can be: save it first")
    return data


def _demand_near(address: str) -> None:
    """Refuse what is no file, without saying what may be a password."""
    found = _ADDRESS.fullmatch(address)
    if found is None or os.path.lexists(address):
        return
    scheme = found[1].lower()
    if ":" in found[2].rpartition("@")[0] or re.search("passw", found[2], re.IGNORECASE):
        raise Misused(f"--data {scheme}://…: a password must not stand in an address, where others can read it")
    raise Misused(f"--data {scheme}://…: {_ELSEWHERE.get(scheme, 'only files are read, and this is none')}")


def _files(path: str) -> list[str]:
    """The files that a path names: those that a pattern fits, or of a folder the Parquet files, in order."""
    if os.path.isdir(path):
        found = sorted(glob.glob(os.path.join(glob.escape(path), "*.parquet")))
        if not found:
            raise Misused(f"{path}: it is a folder, and has no files whose names end in .parquet")
        return found
    if not os.path.lexists(path) and glob.has_magic(path):
        return sorted(glob.glob(path)) or [path]
    return [path]
