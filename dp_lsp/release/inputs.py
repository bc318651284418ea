"""The arguments of a run: columns of tables and numbers, as the types of parameters ask for them.

What a type promises of data is checked, as the guarantee holds of no others: where numbers lie, how many records there
are, or are at least, and how long rows are. How many records a person has is seen only where a column says whose they
are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from dp_lsp.builtins.meanings import Labelled, Value, array
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.evaluate import Missing, interval, symbols_of
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.types import (
    HANDLE,
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    ModelType,
    NumberType,
    Type,
    holds_handle,
)
from dp_lsp.named import NamedTuple
from dp_lsp.release import Misused, RunRefused
from dp_lsp.release.columns import Columns, NotCompiled
from dp_lsp.release.columns import columns as columns_of
from dp_lsp.release.compiled import Records, are_within, stand_in
from dp_lsp.release.sources import Table, listed, number, table

_LIST = re.compile(r"\[(.*)\]", re.DOTALL)
_BREAK = re.compile(r"[,\s]+")


class TableEntries(NamedTuple):
    """Numbers and truth values of a parameter, row by row, and where each row stands, in words; ``rows`` is how many
    there are of a parameter whose numbers are not here."""

    numbers: list[Fraction | bool]
    width: int
    at: Callable[[int], str]
    rows: int = 0

    @property
    def height(self) -> int:
        return len(self.numbers) // self.width if self.numbers else self.rows


def exact(text: str) -> Fraction | bool | None:
    """The same of a quotient of two numbers, too, as in 1/3."""
    if "/" not in text:
        return number(text)
    top, bottom = map(number, text.split("/", 1))
    return top / bottom if isinstance(top, Fraction) and isinstance(bottom, Fraction) and bottom else None


def written(name: str, text: str, matrix: bool) -> TableEntries:
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
    return TableEntries([each for row in rows for each in row], width, lambda row: f"--set {name}, entry {row + 1}")


def _entry(name: str, text: str, form: str) -> Fraction | bool:
    found = exact(text)
    if found is None:
        raise Misused(f"--set {name}: {text!r} is not a number; it is of the form {form}")
    return found


class Column(NamedTuple):
    """A name that is given to one parameter, or to any: of a file, or of a column in it."""

    parameter: str | None
    name: str


class Given(NamedTuple):
    """What the user gave: files, columns of them, and values as text by the names of parameters. ``people`` are the
    columns that say whose record a row is, ``tables`` those that are meant of databases. ``is_compiled`` says that an
    engine computes with tables (:mod:`dp_lsp.release.compiled`)."""

    files: tuple[Column, ...]
    columns: tuple[Column, ...]
    values: Mapping[str, str]
    header: bool | None = None
    people: tuple[Column, ...] = ()
    tables: tuple[Column, ...] = ()
    is_compiled: bool = False

    @property
    def options(self) -> tuple[tuple[str, Column], ...]:
        """What names parameters, and by which option."""
        by = (
            ("--data", self.files),
            ("--table", self.tables),
            ("--column", self.columns),
            ("--person", self.people),
        )
        return tuple((option, each) for option, listed in by for each in listed)


class Inputs(NamedTuple):
    """Arguments in order, and the public numbers that are known by them: static parameters and dimensions, by name.
    ``counted`` names the parameters of which nobody has more records than was promised, and ``tables`` says of which
    table each parameter is that comes from one. ``uncompiled`` says why an engine computes with none of a table."""

    arguments: tuple[Value, ...]
    numbers: Mapping[str, Fraction]
    counted: frozenset[str] = frozenset()
    tables: Mapping[str, Table] = MappingProxyType({})
    uncompiled: tuple[str, ...] = ()

    @property
    def queries(self) -> Iterator[str]:
        """What engines were asked of tables, in the end."""
        columns = dict.fromkeys(each.columns for each in self.arguments if isinstance(each, Records))
        return (query for each in columns for query in each.queries)


class RunPlan(NamedTuple):
    """What is known of a run before data are read: public numbers, and of each parameter that comes from a table which
    one that is, and which columns of it are read. ``is_open`` says that how many records there are is public, too."""

    numbers: Mapping[str, Fraction]
    tables: Mapping[str, Table]
    columns: Mapping[str, tuple[str, ...]]
    is_open: bool


_PLURALS = {"entry": "entries"}


class _Size(NamedTuple):
    """How many entries or rows of a parameter there are, and how many its type says."""

    parameter: str
    said: Poly
    found: int
    what: str

    def __str__(self) -> str:
        what = self.what if self.found == 1 else _PLURALS.get(self.what, f"{self.what}s")
        return f"{self.found:,} {what}"


def inputs(scheme: Scheme, given: Given, joining: bool) -> Inputs:
    """The arguments of a function. ``joining`` says that the rows of matrices that are no datasets are private, too.
    Raises :class:`Misused` where it is not clear what is meant, and :class:`RunRefused` for data that nothing is proved
    of."""
    return _CellReader(scheme, given, joining).inputs()


def plan(scheme: Scheme, given: Given, joining: bool) -> RunPlan:
    """What is known of a run before data are read. Raises the same."""
    return _CellReader(scheme, given, joining).plan()


def records_of_a_person(param: SchemeParameter, numbers: Mapping[str, Fraction]) -> int:
    """How many records of a parameter a person has at most, by an annotation or the configuration."""
    return 1 if param.unit is None else math.floor(_evaluated(param.unit.records, numbers))


def _evaluated(value: Poly, numbers: Mapping[str, Fraction]) -> Fraction:
    """The number that a formula of static parameters comes to; rounded down where it is not exact."""
    known: dict[Symbol, Fraction] = {each: numbers[each.name] for each in symbols_of(value) if each.name in numbers}
    try:
        low = interval(value, known).low
    except Missing as missing:
        raise RunRefused(f"what a type says depends on {missing}, which has no number") from None
    if low is None:
        raise RunRefused("what a type says depends on a number that is too large to be computed")
    return low


class _CellReader:
    def __init__(self, scheme: Scheme, given: Given, joining: bool) -> None:
        self._scheme = scheme
        self._given = given
        self._joining = joining
        self._tables: dict[tuple[str, str | None], Table] = {}
        self._numbers: dict[str, Fraction] = {}
        self._sizes: list[_Size] = []
        self._counted: set[str] = set()
        self._columns: dict[Table, Columns | None] = {}
        self._uncompiled: list[str] = []
        self._from_files = {
            each.name
            for each in scheme.params
            if _is_box(each.type) and not each.static and each.name not in given.values
        }

    def inputs(self) -> Inputs:
        self._demand_known_names()
        params = self._scheme.params
        public = {each.name: self._public(each) for each in params if each.static}
        values = [public[each.name] if each.static else self._argument(each) for each in params]
        self._demand_sizes()
        tables = {name: found for name in self._from_files if (found := self._table(name)) is not None}
        return Inputs(tuple(values), self._numbers, frozenset(self._counted), tables, tuple(self._uncompiled))

    def plan(self) -> RunPlan:
        self._demand_known_names()
        tables, columns, is_open = {}, {}, False
        for param in self._scheme.params:
            box = _box(param.type)
            if param.static:
                self._public(param)
            elif param.name not in self._from_files or box is None:
                self._argument(param)
            else:
                found = self._needed_table(param.name)
                people = self._of(param.name, self._given.people)
                places = [*self._places(param.name, found, box.rows is not None), *found.columns(people)]
                tables[param.name] = found
                columns[param.name] = tuple(dict.fromkeys(found.names[place] for place in places))
                is_open = is_open or not _hides_size(param.type)
                if box.rows is not None:
                    self._numbers[f"cols({param.name})"] = Fraction(len(places) - len(people))
        return RunPlan(self._numbers, tables, columns, is_open)

    def _demand_known_names(self) -> None:
        names = [each.name for each in self._scheme.params]
        of_options = [("--set", name) for name in self._given.values]
        for option, each in self._given.options:
            of_options += [(option, each.parameter)] if each.parameter is not None else []
        for option, name in of_options:
            if name not in names:
                raise Misused(
                    f"{option} {name}: '{self._scheme.name}' has no parameter '{name}'; it has {listed(names)}"
                )
        if self._given.files and not self._from_files:
            raise Misused(f"--data: '{self._scheme.name}' has no vector and no matrix that is not given by --set")
        for option, named in (("--person", self._given.people), ("--table", self._given.tables)):
            if named and not self._given.files:
                raise Misused(f"{option} names something of a table, and there is none (--data)")
        files = [each.parameter for each in self._given.files]
        if len(set(files)) < len(files):
            raise Misused("--data gives a parameter two tables: say --data PARAMETER=FILE for each")

    def _public(self, param: SchemeParameter) -> Value:
        """The value of a static parameter."""
        if _is_box(param.type):
            return self._listed_by_hand(param)
        if holds_handle(param.type):
            return Labelled.of([True], HANDLE)  # the noise of a run is drawn by OpenDP, whatever generator is given
        value = self._scalar(param.name, param.type, "it is static")
        if isinstance(param.type, NumberType):
            self._numbers[param.name] = Fraction(value)
            self._demand_between(param.name, param.type, value)
        return value

    def _demand_between(self, name: str, type_: NumberType, value: Value) -> None:
        if type_.bounds is not None:
            low, high = self._ends(type_.bounds)
            if not low <= value <= high:
                raise RunRefused(f"--set {name}: it must lie between {low} and {high}")

    def _listed_by_hand(self, param: SchemeParameter) -> Value:
        """A vector, a matrix or a model that is public."""
        text = self._given.values.get(param.name)
        if text is None:
            raise Misused(f"'{param.name}' has no value: it is static; give it by --set {param.name}=[…]")
        if isinstance(param.type, ModelType):
            return self._model(param, param.type)
        box = _box(param.type)
        assert box is not None
        entries = written(param.name, text, box.rows is not None)
        return self._filled(param, box, entries)

    def _model(self, param: SchemeParameter, model: ModelType) -> Value:
        entries = self._entries(param, False)
        self._numbers[f"length({param.name})"] = Fraction(entries.height)
        self._sizes.append(_Size(param.name, model.size, entries.height, "parameter"))
        real = NumberType(Base.REAL)
        return array(self._elements(param.name, real, entries))

    def _filled(self, param: SchemeParameter, box: Container, entries: TableEntries) -> Value:
        self._count(param, box, entries)
        shape = (entries.height, entries.width) if box.rows is not None else None
        return array(self._elements(param.name, box.element, entries), shape)

    def _scalar(self, name: str, type_: Type, why: str) -> Value:
        if not isinstance(type_, NumberType | BoolType):
            raise _no_option(name)
        text = self._given.values.get(name)
        if text is None:
            raise Misused(f"'{name}' has no value: {why}; give it by --set {name}=…")
        found = exact(text)
        if found is None or (isinstance(type_, NumberType) and isinstance(found, bool)):
            raise Misused(f"--set {name}: {text.strip()!r} is not a number, as in 100, 0.2, 1e-5 or 1/3")
        return self._converted(found, type_, lambda what: Misused(f"--set {name}: {text.strip()} {what}"))

    def _converted(self, found: Fraction | bool, element: Type, wrong: Callable[[str], Exception]) -> Value:
        """A number as the program has it, where it is one that the type allows."""
        if isinstance(element, BoolType):
            if found not in (0, 1):
                raise wrong("is neither true nor false")
            return found == 1
        if isinstance(element, NumberType):
            if isinstance(found, bool):
                raise wrong("is true or false, which is no number")
            if element.base is Base.INTEGER and found.denominator != 1:
                raise wrong("is not a whole number")
            return int(found) if element.base is Base.INTEGER else found
        raise wrong("is for a parameter whose elements have no known type")

    def _argument(self, param: SchemeParameter) -> Value:
        """The value of a parameter that is protected."""
        type_ = param.type
        if isinstance(type_, NumberType | BoolType):
            value = self._scalar(param.name, type_, "it is one number")
            if isinstance(type_, NumberType):
                self._demand_between(param.name, type_, value)
            return value
        box = _box(type_)
        if isinstance(type_, ModelType):
            return self._model(param, type_)
        if box is None:
            raise _no_option(param.name)
        self._demand_few(param)
        if (records := self._compiled(param, box)) is not None:
            return records
        entries = self._entries(param, box.rows is not None)
        if isinstance(type_, Dataset):
            self._demand_records(param.name, type_, entries)
        return self._filled(param, box, entries)

    # What an engine computes with

    def _compiled(self, param: SchemeParameter, box: Container) -> Records | None:
        """A stand-in for a parameter of a table, if an engine can compute with it, and it is as its type says; else
        None: what is wrong is found out by going over its rows."""
        found = self._table(param.name) if self._given.is_compiled and param.name not in self._given.values else None
        columns = None if found is None else self._columns_of(found)
        if found is None or columns is None:
            return None
        is_matrix = box.rows is not None
        places = self._places(param.name, found, is_matrix)
        self._count(param, box, TableEntries([], len(places), found.at, columns.count))
        entries = [self._cell(columns, place, box.element) for place in places]
        if any(each is None for each in entries):
            self._uncompiled.append(f"'{param.name}': what it has is stored as something else than its type says")
            return None

        def plain() -> Any:
            numbers = self._entries(param, is_matrix)
            shape = (numbers.height, numbers.width) if is_matrix else None
            return array(self._elements(param.name, box.element, numbers), shape)

        value, width = (array(entries), len(places)) if is_matrix else (entries[0], None)
        records = Records(columns, (), value, plain, width)
        return None if isinstance(param.type, Dataset) and not self._is_as_said(param.type, records) else records

    def _columns_of(self, table: Table) -> Columns | None:
        """All columns that are used of a table, which are read together."""
        if table not in self._columns:
            boxes = {each.name: _box(each.type) for each in self._scheme.params if each.name in self._from_files}
            own = {name: box for name, box in boxes.items() if box is not None and self._table(name) is table}
            places = [p for name, box in own.items() for p in self._places(name, table, box.rows is not None)]
            try:
                self._columns[table] = columns_of(table, list(dict.fromkeys(places)))
            except NotCompiled as why:
                self._columns[table] = None
                self._uncompiled.append(f"{table.path}: {why}")
        return self._columns[table]

    def _cell(self, columns: Columns, place: int, element: Type) -> Value | None:
        """A stand-in for a number that is what a type says; None where it may be something else."""
        measured = columns.measured[place]
        if isinstance(element, BoolType):
            return stand_in(columns, place, False) if measured.is_truth else None
        if not isinstance(element, NumberType) or measured.is_truth:
            return None
        if element.base is Base.INTEGER and measured.unit.denominator != 1:
            return None
        if element.bounds is not None and columns.count:
            low, high = self._ends(element.bounds)
            if not low <= measured.low * measured.unit <= measured.high * measured.unit <= high:
                return None
        return stand_in(columns, place, element.base is Base.INTEGER)

    def _is_as_said(self, dataset: Dataset, records: Records) -> bool:
        """Whether there are as many records as the type says, and rows as short."""
        if dataset.least is not None and records.columns.count < -self._number(-dataset.least):
            return False
        clip = dataset.records.clip
        if dataset.radius is None or clip is Clip.U:
            return True
        try:
            return are_within(records, clip, self._number(dataset.radius))
        except NotCompiled:
            return False

    def _count(self, param: SchemeParameter, box: Container, entries: TableEntries) -> None:
        """The dimensions that are public."""
        hidden = _hides_size(param.type)
        what = "record" if isinstance(param.type, Dataset) else "entry" if box.rows is None else "row"
        if not hidden:
            said = box.length if box.rows is None else box.rows
            self._sizes.append(_Size(param.name, said, entries.height, what))
        if box.rows is None:
            if not hidden:
                self._numbers[f"length({param.name})"] = Fraction(entries.height)
            return
        self._sizes.append(_Size(param.name, box.length, entries.width, "column"))
        self._numbers[f"cols({param.name})"] = Fraction(entries.width)
        if not hidden and (isinstance(param.type, Dataset) or not self._joining):
            self._numbers[f"rows({param.name})"] = Fraction(entries.height)

    def _demand_sizes(self) -> None:
        """That everything is as large as its type says, and what has one size by its type has one."""
        static = {each.name for each in self._scheme.params if each.static}
        known: dict[Symbol, _Size] = {}
        for size in self._sizes:
            symbols = symbols_of(size.said)
            own = next((each for each in symbols if size.said == Poly.of(each) and each.name not in static), None)
            if own is None:
                said = self._number(size.said)
                if said != size.found or self._number(-size.said) != -said:
                    raise RunRefused(f"'{size.parameter}' has {size}, and its type says {said}")
                continue
            first = known.setdefault(own, size)
            if first.found != size.found:
                raise RunRefused(
                    f"'{first.parameter}' has {first} and '{size.parameter}' has {size}, but what is proved is about "
                    "equal numbers"
                )

    def _demand_few(self, param: SchemeParameter) -> None:
        """That nobody has more records than was promised, where a column says whose they are."""
        wanted = self._of(param.name, self._given.people)
        found = self._table(param.name) if wanted and param.name in self._from_files else None
        if found is None:
            return
        if len(wanted) > 1:
            raise Misused(f"--person names {len(wanted)} columns for '{param.name}'; one says whose record a row is")
        most = records_of_a_person(param, self._numbers)
        (place,) = found.columns(wanted)
        row = found.too_many(place, most)
        if row is not None:
            records = "one record" if most == 1 else f"{most} records"
            raise RunRefused(f"{found.at(row)}: this person has more than {records} of '{param.name}'")
        self._counted.add(param.name)

    def _elements(self, name: str, element: Type, entries: TableEntries) -> Iterable[Value]:
        bounds = element.bounds if isinstance(element, NumberType) else None
        low, high = self._ends(bounds) if bounds is not None else (None, None)

        for place, each in enumerate(entries.numbers):

            def wrong(what: str, row: int = place // entries.width) -> Exception:
                return RunRefused(f"{entries.at(row)}: a value of '{name}' {what}")

            if low is not None and high is not None and not low <= each <= high:
                raise wrong(f"does not lie between {low} and {high}, as its type says; `clamp` it instead")
            yield self._converted(each, element, wrong)

    def _demand_records(self, name: str, dataset: Dataset, entries: TableEntries) -> None:
        """That there are as many records as the type says, and rows as short."""
        if dataset.least is not None:
            least = -self._number(-dataset.least)
            if entries.height < least:
                raise RunRefused(f"'{name}' has fewer records than the {least} that its type says")
        clip, width = dataset.records.clip, entries.width
        if dataset.radius is None or clip is Clip.U:
            return
        most = self._number(dataset.radius)
        for row in range(entries.height):
            if not _is_within(entries.numbers[row * width : (row + 1) * width], clip, most):
                raise RunRefused(f"{entries.at(row)}: a row of '{name}' is longer than {most} in {clip.value}")

    # Numbers

    def _ends(self, bounds: Bounds) -> tuple[Fraction, Fraction]:
        return -self._number(-bounds.low), self._number(bounds.high)

    def _number(self, value: Poly) -> Fraction:
        return _evaluated(value, self._numbers)

    # Where entries come from

    def _entries(self, param: SchemeParameter, matrix: bool) -> TableEntries:
        text = self._given.values.get(param.name)
        if text is not None:
            return written(param.name, text, matrix)
        found = self._needed_table(param.name)
        places = self._places(param.name, found, matrix)
        numbers = list(found.numbers(places))
        return TableEntries(numbers, len(places), lambda row: found.at(row, places[0] if len(places) == 1 else None))

    def _of(self, name: str, listed: Sequence[Column]) -> list[str]:
        """What is given to a parameter, else to any."""
        own = [each.name for each in listed if each.parameter == name]
        return own or [each.name for each in listed if each.parameter is None]

    def _table(self, name: str) -> Table | None:
        """The table of a parameter, if one is given."""
        files, tables = self._of(name, self._given.files), self._of(name, self._given.tables)
        if not files:
            return None
        if len(tables) > 1:
            raise Misused(f"--table names {len(tables)} tables for '{name}': say --table PARAMETER=NAME for each")
        meant = files[0], next(iter(tables), None)
        if meant not in self._tables:
            self._tables[meant] = table(*meant, self._given.header)
        return self._tables[meant]

    def _needed_table(self, name: str) -> Table:
        found = self._table(name)
        if found is None:
            raise Misused(f"'{name}' has no value: give it by --data FILE or --set {name}=[…]")
        return found

    def _places(self, name: str, found: Table, matrix: bool) -> list[int]:
        """The columns of a parameter: those that are named, else one that is called like it or is the only one; of a
        matrix that is alone all, but the one that says whose rows they are."""
        wanted = self._of(name, self._given.columns)
        if wanted and (matrix or len(wanted) == 1):
            return found.columns(wanted)
        if wanted:
            raise Misused(f"'{name}' is a vector, and --column names {len(wanted)} columns for it")
        people = self._of(name, self._given.people)
        others = [place for place, each in enumerate(found.names) if each not in people]
        if matrix and len(self._from_files) == 1:
            return others
        if not matrix and len(found.names) == 1:
            return [0]
        if not matrix and name in found.names:
            return found.columns([name])
        if matrix and any(each.parameter == name for each in self._given.files):
            return others
        there = listed([repr(each) for each in found.names])
        option = f"--column {name}=…" if len(self._from_files) > 1 else "--column …"
        raise Misused(f"say by {option} which columns of {found.path} are '{name}': it has {there}")


def _no_option(name: str) -> Misused:
    return Misused(f"'{name}' can be given by no option: only numbers, truth values, vectors and matrices can")


def _box(type_: Type) -> Container | None:
    """The container that a type is, or whose entries are records."""
    box = type_.records if isinstance(type_, Dataset) else type_
    return box if isinstance(box, Container) else None


def _hides_size(type_: Type) -> bool:
    """Whether how many records there are is private."""
    return isinstance(type_, Dataset) and not type_.metric.sized


def _is_box(type_: Type) -> bool:
    return _box(type_) is not None or isinstance(type_, ModelType)


def _is_within(row: Sequence[Fraction | bool], clip: Clip, most: Fraction) -> bool:
    if clip is Clip.L2:
        return sum(each * each for each in row) <= most * most
    sizes = [abs(Fraction(each)) for each in row]
    return (max(sizes, default=Fraction(0)) if clip is Clip.LINF else sum(sizes)) <= most
