"""Tables of pandas: what is said of their columns, and the expressions that take records or columns of one.

In the calculus a table is a matrix with a record in each row and a column for each that is declared: ``df["Age"]`` is
an entry of each row. What a column is declared to hold is part of that entry: ``Bounded(0, 120)`` says that clamping to
these bounds changes nothing. A text is a number, another one for each text: of texts only whether they are equal is
asked. Columns of one table have one index, so they are neither aligned nor reordered.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum, auto
from fractions import Fraction
from itertools import count

from dp_lsp import surface
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Node, TypeExpr

Limit = Fraction | str
"""A number that is written out, or the name of a public parameter."""


class Holds(Enum):
    """What stands in a column."""

    NUMBERS = auto()
    TEXTS = auto()
    TRUTHS = auto()


@dataclass(frozen=True, slots=True)
class Column:
    """A column, the place of its entry in a row of the matrix, and the bounds of its numbers. Where values may be
    missing, at another place stands 1 for one that is there, and 0 for one that is not."""

    name: str
    place: int
    holds: Holds
    bounds: tuple[Limit, Limit] | None = None
    there: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The columns that a table is declared to have. It may have others, of which nothing is known; where values may be
    missing, the place ``others`` of the matrix tells whether one of theirs is."""

    columns: tuple[Column, ...]
    others: int | None = None

    @property
    def width(self) -> int:
        """How many columns the matrix has that stands for the table."""
        return max(self.others or 0, *(max(each.place, each.there or 0) for each in self.columns))

    def without_gaps(self, names: frozenset[str]) -> Table:
        """The table of the records that have values in some columns."""
        columns = (replace(each, there=None) if each.name in names else each for each in self.columns)
        return replace(self, columns=tuple(columns))

    def column(self, name: str) -> Column | None:
        return next((each for each in self.columns if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Alone:
    """A column that is no part of a table: a Series of which values may be missing."""

    column: Column


@dataclass(frozen=True, slots=True)
class Frame:
    """What polars calculates later, whose records are reached by queries alone; the table of its columns, where they
    are declared."""

    table: Table | None = None


class NotAColumn(Exception):
    """Something that is said of a column and is not understood: where, and what would be."""

    def __init__(self, node: Node, hint: str) -> None:
        super().__init__(hint)
        self.node = node
        self.hint = hint


def table_of(word: TypeExpr) -> Table:
    """The table that ``Columns(…)`` describes. Raises :class:`NotAColumn`."""
    named: list[surface.Keyword] = []
    for each in word.args:
        match each:
            case surface.Keyword(name=name) if name != "**":
                named.append(each)
            case surface.Tuple(items=items) if all(isinstance(item, surface.Keyword) for item in items):
                named += [item for item in items if isinstance(item, surface.Keyword)]
            case _:
                raise NotAColumn(each, "write `Columns(Age=Bounded(0, 120), Town=str)`")
    if not named:
        raise NotAColumn(word, "write which columns there are: `Columns(Age=Bounded(0, 120), Town=str)`")
    if len({each.name for each in named}) != len(named):
        raise NotAColumn(word, "a column is named twice")
    columns: list[Column] = []
    places = count(1)
    for each in named:
        columns.append(_column(each, places))
    others = next(places) if any(each.there for each in columns) else None
    return Table(tuple(columns), others)


def alone(bounds: tuple[Limit, Limit] | None) -> Alone:
    """A Series of numbers, of which some may be missing."""
    return Alone(Column("", 1, Holds.NUMBERS, bounds, 2))


_TYPES = {"str": Holds.TEXTS, "int": Holds.NUMBERS, "float": Holds.NUMBERS, "bool": Holds.TRUTHS}


def _column(said: surface.Keyword, places: Iterator[int]) -> Column:
    parts = said.value.items if isinstance(said.value, surface.Tuple) else (said.value,)
    holds, bounds, gaps = set[Holds](), None, False
    for part in parts:
        match part:
            case TypeExpr(name="MayBeMissing", args=(), form="call"):
                gaps = True
            case TypeExpr(name=name, args=()) if name in _TYPES and part.form != "call":
                holds.add(_TYPES[name])
            case TypeExpr(name="Bounded", args=(low, high), form="call") if bounds is None:
                holds.add(Holds.NUMBERS)
                bounds = _limit(low), _limit(high)
            case TypeExpr(name="OneOf", args=values, form="call") if values and bounds is None:
                found, bounds = _one_of(part, values)
                holds.add(found)
            case _:
                raise NotAColumn(part, "of a column are understood: `str`, `int`, `float`, `bool`, `Bounded`, `OneOf`")
    holds = holds or {Holds.NUMBERS}
    if len(holds) != 1:
        raise NotAColumn(said, "a column holds numbers, or texts, or truth values")
    if gaps and Holds.TRUTHS in holds:
        raise NotAColumn(said, "truth values that may be missing are not followed")
    match bounds:
        case Fraction() as least, Fraction() as most if least > most:
            raise NotAColumn(said, "the first bound is the smaller one")
    return Column(said.name, next(places), holds.pop(), bounds, next(places) if gaps else None)


def _limit(node: Node) -> Limit:
    value = node.value if isinstance(node, surface.Keyword) else node
    match value:
        case surface.Number(value=number):
            return number
        case surface.Text(value=text) if text.isidentifier():
            return text
    raise NotAColumn(node, "a bound is a number that is written out, or the name of a public parameter in quotes")


def _one_of(word: Node, values: tuple[Node, ...]) -> tuple[Holds, tuple[Limit, Limit] | None]:
    """What a column holds that holds one of several values, and between which the numbers lie."""
    if all(isinstance(each, surface.Text) for each in values):
        return Holds.TEXTS, None
    numbers = [each.value for each in values if isinstance(each, surface.Number)]
    if len(numbers) != len(values):
        raise NotAColumn(word, "all values of a column are texts, or all are numbers")
    return Holds.NUMBERS, (min(numbers), max(numbers))


def code_of(text: str) -> Fraction:
    """The number that stands for a text, another one for each."""
    return Fraction(int.from_bytes(b"\x01" + text.encode("utf-8", "surrogatepass"), "big"))


# Parts of tables


class Taken(NamedTuple):
    """A column that an expression takes of a table."""

    table: ast.expr
    column: Column


def column_of(node: ast.expr, of: Callable[[ast.expr], object]) -> Taken | None:
    """The column that an expression takes of a table by its name; None for any other. ``of`` tells the kind of an
    expression."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=table, attr="loc"),
            slice=ast.Tuple(elts=[rows, ast.Constant(value=str() as name)]),
        ):
            table = ast.copy_location(ast.Subscript(table, rows, ast.Load()), node)
        case ast.Subscript(value=table, slice=ast.Constant(value=str() as name)):
            pass
        case ast.Attribute(value=table, attr=name) if name not in OF_TABLES:
            pass
        case _:
            return None
    kind = of(table)
    column = kind.column(name) if isinstance(kind, Table) else None
    return None if column is None else Taken(table, column)


class Kept(NamedTuple):
    """The records of a table, or of a column or an array, for which a mask is true."""

    of: ast.expr
    mask: ast.expr


def kept_in(node: ast.expr) -> Kept | None:
    """What an expression keeps, if its index is a mask; None for what is no such index."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=of, attr="loc"), slice=mask, ctx=ast.Load()):
            return Kept(of, mask)
        case ast.Subscript(value=of, slice=mask, ctx=ast.Load()):
            return Kept(of, mask)
    return None


def chosen(node: ast.expr, of: Callable[[ast.expr], object]) -> tuple[ast.expr, Table] | None:
    """The table of which an expression takes some columns by their names, and what it takes."""
    match node:
        case ast.Subscript(value=table, slice=ast.List(elts=names)) if names:
            kind = of(table)
            wanted = [each.value if isinstance(each, ast.Constant) else None for each in names]
            if not isinstance(kind, Table) or len(set(wanted)) != len(wanted):
                return None
            columns = [kind.column(each) if isinstance(each, str) else None for each in wanted]
            if all(columns):
                return table, Table(tuple(each for each in columns if each is not None))
    return None


class Present(NamedTuple):
    """The records of a table that have values in all columns of some names; ``others`` is asked, too, where it is
    given."""

    table: ast.expr
    columns: tuple[Column, ...]
    others: int | None
    made: Table


def present(node: ast.expr, of: Callable[[ast.expr], object]) -> Present | None:
    """What ``df.dropna()``, or one with ``subset=``, keeps of a table."""
    match node:
        case ast.Call(func=ast.Attribute(value=table, attr="dropna"), args=[], keywords=keywords):
            kind = of(table)
            if not isinstance(kind, Table):
                return None
            match keywords:
                case []:
                    names = frozenset(each.name for each in kind.columns)
                case [ast.keyword(arg="subset", value=ast.List(elts=[*items]))] if items:
                    given = [each.value if isinstance(each, ast.Constant) else None for each in items]
                    names = frozenset(each for each in given if isinstance(each, str) and kind.column(each))
                    if len(names) != len(items):
                        return None
                case _:
                    return None
            gaps = tuple(each for each in kind.columns if each.there and each.name in names)
            others = kind.others if not keywords else None
            return Present(table, gaps, others, kind.without_gaps(names)) if gaps or others else None
    return None


def same_table(node: ast.expr, of: Callable[[ast.expr], object]) -> ast.expr | None:
    """The table of which ``df.copy()`` is a copy, or in which ``df.fillna(0)`` fills nothing, as no column is declared
    to have gaps; None for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(value=table, attr="copy"), args=[], keywords=[]):
            return table if isinstance(of(table), Table) else None
        case ast.Call(
            func=ast.Attribute(value=table, attr="fillna"), args=[ast.Constant(value=int() | float() | str())]
        ):
            kind = of(table)
            whole = isinstance(kind, Table) and not node.keywords and not any(each.there for each in kind.columns)
            return table if whole else None
    return None


_METHODS = """\
T abs add add_prefix add_suffix agg aggregate align all any apply applymap asfreq asof assign astype
at at_time attrs axes backfill between_time bfill bool boxplot clip columns combine combine_first
compare convert_dtypes copy corr corrwith count cov cummax cummin cumprod cumsum describe diff div
divide dot drop drop_duplicates droplevel dropna dtypes duplicated empty eq equals eval ewm
expanding explode ffill fillna filter first first_valid_index flags floordiv from_dict from_records
ge get groupby gt head hist iat idxmax idxmin iloc index infer_objects info insert interpolate
isetitem isin isna isnull items iterrows itertuples join keys kurt kurtosis last last_valid_index le
loc lt map mask max mean median melt memory_usage merge min mod mode mul multiply ndim ne nlargest
notna notnull nsmallest nunique pad pct_change pipe pivot pivot_table plot pop pow prod product
quantile query radd rank rdiv reindex reindex_like rename rename_axis reorder_levels replace
resample reset_index rfloordiv rmod rmul rolling round rpow rsub rtruediv sample select_dtypes sem
set_axis set_flags set_index shape shift size skew sort_index sort_values sparse squeeze stack std
style sub subtract sum swapaxes swaplevel tail take to_clipboard to_csv to_dict to_excel to_feather
to_gbq to_hdf to_html to_json to_latex to_markdown to_numpy to_orc to_parquet to_period to_pickle
to_records to_sql to_stata to_string to_timestamp to_xarray to_xml transform transpose truediv
truncate tz_convert tz_localize unstack update value_counts values var where xs
"""
OF_TABLES = frozenset(_METHODS.split())
"""What a table of pandas has by itself, so that no column is called by a dot and this name."""


class Counted(NamedTuple):
    """How often each of several values that are written out occurs in a column."""

    column: ast.expr
    keys: list[ast.expr]


def counted(node: ast.expr) -> Counted | None:
    """What ``df["Town"].value_counts().reindex(["Bonn", "Ulm"], fill_value=0)`` counts, or the same by
    ``df.groupby("Town").size()``; None for what has keys that occur, which tells who is there."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=made, args=[], keywords=[]), attr="reindex"),
            args=[ast.List(elts=keys) | ast.Tuple(elts=keys)],
            keywords=[ast.keyword(arg="fill_value", value=ast.Constant(value=0))],
        ):
            known = [each.value for each in keys if isinstance(each, ast.Constant)]
            if not keys or len(known) != len(keys) or any(isinstance(each, bool) for each in known):
                return None
            match made:
                case ast.Attribute(value=column, attr="value_counts"):
                    return Counted(column, keys)
                case ast.Attribute(
                    value=ast.Call(func=ast.Attribute(value=table, attr="groupby"), args=[name], keywords=[]),
                    attr="size",
                ) if isinstance(name, ast.Constant):
                    return Counted(ast.copy_location(ast.Subscript(table, name, ast.Load()), node), keys)
    return None
