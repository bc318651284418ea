"""What is proved of a function, as data: its bounds, what they hold under, and what they are made of.

Numbers are those of the core, exact and shared. A record holds all of it as one text (:func:`encoded`), which is read
when somebody looks; what is read has symbols of its own. How it is said stands in :mod:`dp_lsp.analysis.words`.

So what is proved is data until it is shown, each number once. Renderers print it; none of
them reads text that was written for a person (``tests/test_said_once.py``).

Numbers and types as plain rows, each once: what crosses a process border or is kept on a disk.

Symbols are told apart by identity, so what is read has symbols of its own: those of one table mean the same in all that
is read from it, and nothing else does.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

from dp_lsp.analysis.plain import plain, share
from dp_lsp.analysis.rows import NumericReport, Premised
from dp_lsp.core import algebra
from dp_lsp.core.algebra import Apply, Argument, Atom, Computed, Function, Monomial, NormVariable, Poly, Sign, Symbol
from dp_lsp.core.sens import INFINITY, Sens
from dp_lsp.core.types import (
    UNKNOWN,
    AnyNorm,
    Base,
    BoolType,
    Bounds,
    Boxed,
    Clip,
    Container,
    Dataset,
    DatasetMetric,
    FunctionType,
    Kind,
    Label,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

Row = list[Any]
_INFINITE = -1
_SYMBOL, _NORM, _APPLY, _POLY, _SENS = range(5)
_K = TypeVar("_K")


class TableWriter:
    """Writes rows. Each method gives the place of a row, or what stands for a value that needs none. Equal values are
    written alike whenever they were made: sums and products in an order that follows from what they say."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._keys: dict[Atom | NormVariable | Poly | Sens, str] = {}
        self._atoms: dict[Atom | NormVariable, int] = {}
        self._polys: dict[Poly, int] = {}
        self._sens: dict[Sens, int] = {}

    def sens(self, value: Sens) -> int:
        """A number in [0, ∞]."""
        return _INFINITE if value.infinite else self._place(self._sens, value, self._sens_row)

    def poly(self, value: Poly) -> int:
        """A number."""
        return self._place(self._polys, value, self._poly_row)

    def symbol(self, value: Symbol) -> int:
        """A symbol."""
        return self._atom(value)

    def type(self, value: Type) -> Row:
        """A type; of a function no more than its name. How values are stored is left out."""
        match value:
            case NumberType(base, static, bounds):
                ends = None if bounds is None else [self.poly(bounds.low), self.poly(bounds.high)]
                return ["number", base.value, None if static is None else self.poly(static), ends]
            case BoolType():
                return ["bool"]
            case Container(kind, norm, clip, length, element, rows):
                size = self.poly(length), None if rows is None else self.poly(rows)
                return ["container", kind.value, self._norm(norm), clip.value, *size, self.type(element)]
            case Dataset(metric, records, least, radius):
                limits = (None if each is None else self.poly(each) for each in (least, radius))
                return ["dataset", metric.value, self.type(records), *limits]
            case ModelType(size):
                return ["model", self.poly(size)]
            case TupleType(items):
                label = value.label
                named = [] if label is None else [[label.of, *label.names]]
                return ["tuple" if label is None else "named", *named, *map(self.type, items)]
            case FunctionType(function):
                return ["function", function.name]
            case Boxed(name):
                return ["boxed", name]
            case TypeVariable(name):
                return ["variable", name]
        return ["unknown"]

    def _norm(self, norm: AnyNorm) -> str | int:
        return self._atom(norm) if isinstance(norm, NormVariable) else norm.value

    def _place(self, known: dict[_K, int], value: _K, row: Callable[[_K], Row]) -> int:
        place = known.get(value)
        if place is None:
            made = row(value)
            place = known[value] = len(self.rows)
            self.rows.append(made)
        return place

    def _atom(self, value: Atom | NormVariable) -> int:
        return self._place(self._atoms, value, self._atom_row)

    def _atom_row(self, value: Atom | NormVariable) -> Row:
        match value:
            case Symbol():
                kind = value.name, value.sign.value, value.integer, value.shown
                return [_SYMBOL, *kind, *self._computed(value.computed)]
            case NormVariable():
                return [_NORM, value.name, value.free]
            case Apply():
                return [_APPLY, value.function.value, *map(self._argument, value.args)]

    def _computed(self, known: Computed | None) -> Row:
        if known is None:
            return []
        ends = (None if end is None else self.poly(end) for end in (known.low, known.high))
        return [*ends, known.varies, known.real]

    def _argument(self, value: Argument) -> int:
        if isinstance(value, NormVariable):
            return self._atom(value)
        return self.poly(value) if isinstance(value, Poly) else self.sens(value)

    def _poly_row(self, value: Poly) -> Row:
        terms = sorted(value.terms.items(), key=lambda term: self._term_key(*term)) if len(value.terms) > 1 else None
        return [_POLY, *(part for term in terms or value.terms.items() for part in self._term(*term))]

    def _term(self, monomial: Monomial, factor: Fraction) -> Row:
        atoms = sorted(monomial, key=lambda each: self._key(each[0])) if len(monomial) > 1 else monomial
        powers = [part for atom, power in atoms for part in (self._atom(atom), _short(power))]
        return [_short(factor), powers]

    def _sens_row(self, value: Sens) -> Row:
        return [_SENS, *map(self.poly, sorted(value.polys, key=self._key) if len(value.polys) > 1 else value.polys)]

    def _key(self, value: Atom | NormVariable | Poly | Sens) -> str:
        """The same for what says the same, whenever it was made."""
        if isinstance(value, Symbol | NormVariable):
            return value.name
        key = self._keys.get(value)
        if key is None:
            key = self._keys[value] = blake2b(self._written(value).encode(), digest_size=8).hexdigest()
        return key

    def _written(self, value: Apply | Poly | Sens) -> str:
        match value:
            case Apply():
                return f"{value.function.value}({','.join(map(self._key, value.args))})"
            case Poly():
                return "+".join(sorted(self._term_key(*term) for term in value.terms.items()))
            case Sens():
                return "oo" if value.infinite else "|".join(sorted(map(self._key, value.polys)))

    def _term_key(self, monomial: Monomial, factor: Fraction) -> str:
        return "*".join([*sorted(f"{self._key(atom)}^{power}" for atom, power in monomial), str(factor)])


class TableReader:
    """Reads what a writer wrote. Raises LookupError, TypeError or ValueError for rows that nobody wrote."""

    def __init__(self, rows: list[Row]) -> None:
        self._found: list[Any] = []
        for row in rows:
            self._found.append(_READERS[row[0]](self, row))

    def sens(self, place: int) -> Sens:
        """The number in [0, ∞] at a place."""
        found: Sens = INFINITY if place == _INFINITE else self._found[place]
        return found

    def poly(self, place: int) -> Poly:
        """The number at a place."""
        found: Poly = self._found[place]
        return found

    def symbol(self, place: int) -> Symbol:
        """The symbol at a place."""
        found: Symbol = self._found[place]
        return found

    def type(self, row: Row) -> Type:
        """The type that a row says."""
        match row:
            case ["number", base, static, ends]:
                bounds = None if ends is None else Bounds(*map(self.poly, ends))
                return NumberType(Base(base), self._maybe(static), bounds)
            case ["bool"]:
                return BoolType()
            case ["container", kind, norm, clip, length, rows, element]:
                about = Clip(clip), self.poly(length), self.type(element), self._maybe(rows)
                return Container(Kind(kind), Norm(norm) if isinstance(norm, str) else self._found[norm], *about)
            case ["dataset", metric, records, least, radius]:
                inside = self.type(records)
                if not isinstance(inside, Container):
                    raise ValueError("a dataset has records")
                return Dataset(DatasetMetric(metric), inside, self._maybe(least), self._maybe(radius))
            case ["model", size]:
                return ModelType(self.poly(size))
            case ["tuple", *items]:
                return TupleType(tuple(map(self.type, items)))
            case ["named", [of, *names], *items]:
                return TupleType(tuple(map(self.type, items)), Label(tuple(names), of))
            case ["function", name]:
                from dp_lsp.core.scheme import FunctionValue  # which loads all that a function is made of

                return FunctionType(FunctionValue(name, ()))
            case ["boxed", name]:
                return Boxed(name)
            case ["variable", name]:
                return TypeVariable(name)
        return UNKNOWN

    def _maybe(self, place: int | None) -> Poly | None:
        return None if place is None else self.poly(place)

    def _symbol_of(self, row: Row) -> Symbol:
        _, name, sign, integer, shown, *computed = row
        return Symbol(name, Sign(sign), integer, self._computed_of(*computed) if computed else None, shown)

    def _computed_of(self, low: int | None, high: int | None, varies: bool, real: bool) -> Computed:
        return Computed(self._maybe(low), self._maybe(high), varies, real)

    def _norm_of(self, row: Row) -> NormVariable:
        return NormVariable(row[1], row[2])

    def _apply_of(self, row: Row) -> Apply:
        _, function, *places = row
        arguments = (INFINITY if place == _INFINITE else self._found[place] for place in places)
        ((((atom, _),),),) = (tuple(algebra.apply(Function(function), *arguments).terms),)
        if not isinstance(atom, Apply):
            raise ValueError("it is no function of these")
        return atom

    def _poly_of(self, row: Row) -> Poly:
        terms: dict[Monomial, Fraction] = {}
        for factor, powers in zip(row[1::2], row[2::2], strict=True):
            atoms = [(self._found[place], _long(power)) for place, power in zip(powers[::2], powers[1::2], strict=True)]
            terms[tuple(sorted(atoms, key=lambda each: each[0].uid))] = _long(factor)
        return Poly(terms)

    def _sens_of(self, row: Row) -> Sens:
        return Sens(tuple(map(self.poly, row[1:])))


_READERS: dict[int, Callable[[TableReader, Row], Any]] = {
    _SYMBOL: TableReader._symbol_of,
    _NORM: TableReader._norm_of,
    _APPLY: TableReader._apply_of,
    _POLY: TableReader._poly_of,
    _SENS: TableReader._sens_of,
}


def _short(value: Fraction) -> int | str:
    """Whole numbers are written as they are, where JSON has room for them."""
    whole = value.denominator == 1 and abs(value.numerator) < _ROOM
    return value.numerator if whole else f"{value.numerator:x}/{value.denominator:x}"


def _long(written: int | str) -> Fraction:
    if isinstance(written, int):
        return Fraction(written)
    numerator, denominator = written.split("/")
    return Fraction(int(numerator, 16), int(denominator, 16))


_ROOM = 1 << 53


_DECODED = 512  # functions; more than a screen shows

for _kind, _name in ((Sens, "sens"), (Poly, "poly"), (Symbol, "symbol"), (Type, "type")):
    share(_kind, _name)


class PairDetail(NamedTuple):
    """An (ε, δ)."""

    epsilon: Sens
    delta: Sens


class Standing(StrEnum):
    """What is known of a parameter: a bound, that it is public, that nothing protects it, or nothing, where its
    function was not checked to the end or says by itself what it does."""

    BOUNDED = "bounded"
    PUBLIC = "public"
    EXPOSED = "exposed"
    UNKNOWN = "unknown"
    DECLARED = "declared"


class Scale(NamedTuple):
    """What a change of ``records`` records of a dataset does, which are those of one person. ``general`` is the bound
    for as many as ``number`` stands for; None where it is not known to be in proportion."""

    records: Sens
    number: Symbol
    general: Sens | None


class ParameterDetail(NamedTuple):
    """A parameter with its type; of a black box, one that is unknown may be any. ``sensitivity`` is that of the result,
    and ``guarantees`` are those of a private function, two where it is open which is smaller. ``scale`` is that of a
    dataset, and ``per_person`` how many records of it a person has, where bounds are about persons."""

    name: str
    type: Type
    static: bool
    standing: Standing
    sensitivity: Sens | None = None
    guarantees: tuple[PairDetail, ...] = ()
    scale: Scale | None = None
    per_person: Sens | None = None


class ChoiceDetail(NamedTuple):
    """A share of δ that the user may choose in (0, 1), or (0, 1] if it is ``closed``; it pays for composition, or for
    noise."""

    symbol: Symbol
    composes: bool
    closed: bool


class ProvedBound(NamedTuple):
    """A proved pair for parameters that change together, by a rule of a measure. ``own`` are the numbers of a measure
    that counts in something else."""

    parameters: tuple[str, ...]
    measure: str
    rule: str
    price: PairDetail
    choices: tuple[ChoiceDetail, ...]
    own: tuple[tuple[str, Sens], ...]


class Share(NamedTuple):
    """What a mechanism or a call spends, at a place relative to its function: symbolic, in numbers where there are
    any, and as a share of all."""

    parameters: tuple[str, ...]
    span: Span
    name: str
    price: PairDetail
    worth: tuple[Fraction | None, Fraction | None]
    share: float | None


class Need(NamedTuple):
    """A relation that a bound depends on, and that is open."""

    left: Sens | Poly
    relation: str
    right: Sens | Poly


class PremiseDetail(NamedTuple):
    """Something that is taken for granted. ``parameters`` are those it is about, of a norm none for the result; of a
    black box its name."""

    kind: Premised
    parameters: tuple[str, ...] = ()
    norm: Norm | None = None
    records: int = 0
    words: str = ""


class ChainLink(NamedTuple):
    """A step on the way from a change of a dataset to a release: by what, and how far the value moves there: in so many
    records, or by at most so much in a norm."""

    name: str
    far: Sens | None = None
    counted: bool = False
    norm: Norm | None = None


class Chain(NamedTuple):
    """The way from a change of a dataset, in so many records, to what a private function tells of it."""

    parameter: str
    records: Sens
    links: tuple[ChainLink, ...]
    price: PairDetail


class Details(NamedTuple):
    """All that is proved of a function. ``needs`` are the open relations that decide how numbers are written, and
    ``totals`` others; with ``nonnegative`` every public number is taken to be at least 0. ``unchecked`` says that the
    function was not checked to the end."""

    parameters: tuple[ParameterDetail, ...] = ()
    returns: Type = UNKNOWN
    needs: tuple[Need, ...] = ()
    totals: tuple[Need, ...] = ()
    nonnegative: bool = False
    premises: tuple[PremiseDetail, ...] = ()
    bounds: tuple[ProvedBound, ...] = ()
    numeric: tuple[NumericReport, ...] = ()
    mechanisms: tuple[str, ...] = ()
    shares: tuple[Share, ...] = ()
    chains: tuple[Chain, ...] = ()
    unchecked: bool = False


NOTHING = Details()


def encoded(details: Details) -> str:
    """Details as a text."""
    writer = TableWriter()
    written = plain(Details).write(details, writer)
    return json.dumps([writer.rows, written], separators=(",", ":"))


@lru_cache(_DECODED)
def decoded(text: str) -> Details:
    """The details that were written as a text; raises one of ``UNREADABLE`` for any other."""
    if not text:
        return NOTHING
    rows, written = json.loads(text)
    found: Details = plain(Details).read(written, TableReader(rows))
    return found
