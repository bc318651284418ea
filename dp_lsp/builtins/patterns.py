"""What a builtin accepts in a place: patterns of types, matched against solved arguments.

A norm or a dimension named in a pattern is bound at its first occurrence; later ones must agree with it. Of a value
whose type is not known a pattern says what it must be (``settled``), or is taken to be (``assumed``), with ``sizes`` as
a language writes them (:data:`dp_lsp.core.annotation.Sizes`). ``match`` returns
None for a type that fits, else what of it does not: ``shape``, ``base``, ``element``, ``static``, ``kind``, ``norm``,
``dimension`` or ``one row``; ``words`` are for messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import AModel, Annotation, ContainerOf, NumberOf, instantiate
from dp_lsp.core.metrics import as_dataset
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    BoolType,
    Boxed,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)
from dp_lsp.core.values import replace, value


class Unifier(Protocol):
    """What a pattern may ask of the solver."""

    def type(self, type_: Type) -> Type: ...
    def same_norm(self, left: AnyNorm, right: AnyNorm) -> bool: ...
    def same_dimension(self, left: Poly, right: Poly) -> bool: ...
    def bind_type(self, variable: TypeVariable, type_: Type) -> None: ...


@dataclass(slots=True)
class Binds:
    """What the patterns of a form have bound so far."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    norms: dict[str, AnyNorm] = field(default_factory=dict)
    dimensions: dict[str, Poly] = field(default_factory=dict)
    types: dict[str, Annotation] = field(default_factory=dict)
    truths: dict[str, bool] = field(default_factory=dict)


class _Undetermined:
    """A pattern that many types fit: of a value whose type is not known it says nothing."""

    __slots__ = ()

    def settled(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return None

    def assumed(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return None


@value
class AnyValue(_Undetermined):
    """Any value."""

    words = "any value"

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        return None


@value
class Num:
    """A number of one of ``bases``; ``static`` demands a public value."""

    bases: frozenset[Base] = frozenset(Base)
    static: bool = False

    @property
    def words(self) -> str:
        what = "a public number" if self.static else "a number"
        if len(self.bases) == len(Base):
            return what
        return f"{what} ({' or '.join(base.value for base in Base if base in self.bases)})"

    def settled(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return self.assumed(owner, sizes) if len(self.bases) < len(Base) else None

    def assumed(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        if self.static:
            return None
        return instantiate(
            NumberOf(Base.REAL if Base.REAL in self.bases else next(iter(self.bases))), owner, sizes=sizes
        )

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        if isinstance(type_, TypeVariable) and self.static:
            return "static"
        if not isinstance(type_, NumberType):
            return "shape"
        if type_.base not in self.bases and not (type_.static is not None and Base.DATA in self.bases):
            return "base"
        return "static" if self.static and type_.static is None else None


@value
class TruthPattern:
    """A Bool."""

    words = "a Bool"

    def settled(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return self.assumed(owner, sizes)

    def assumed(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return BoolType()

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        return None if isinstance(type_, BoolType) else "shape"


@value
class Box:
    """A container of one of ``kinds`` with numbers of one of ``bases``, or with truth values if ``truth``.

    ``norm`` is a norm, or the name of one; ``length`` and ``rows`` are names of dimensions, ``kind`` is the name of
    a kind. ``one_row`` asks a matrix for exactly one row. ``arithmetic`` decides elements that are not known to be
    Real numbers. With ``functions`` the elements are functions. One that is ``clipped`` is taken to be so where
    nothing is known.
    """

    kinds: frozenset[Kind] = frozenset(Kind)
    norm: Norm | str | None = None
    bases: frozenset[Base] = frozenset(Base)
    length: str | None = None
    rows: str | None = None
    one_row: bool = False
    arithmetic: bool = False
    kind: str | None = None
    truth: bool = False
    functions: bool = False
    clipped: bool = False

    @property
    def words(self) -> str:
        names = {Kind.VECTOR: "vector", Kind.MATRIX: "matrix", Kind.GRADIENT: "gradient"}
        text = "a " + " or ".join(names[kind] for kind in Kind if kind in self.kinds)
        if self.one_row:
            text += " of one row"
        if len(self.bases) < len(Base):
            text += f" of {' or '.join(base.value for base in Base if base in self.bases)}"
        elif not self.truth and not self.functions:
            text += " of numbers"
        if self.functions:
            text += " of functions"
        if isinstance(self.norm, Norm):
            text += f" measured in {self.norm.value}"
        return text

    def settled(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return self.assumed(owner, sizes) if len(self.kinds) == 1 else None

    def assumed(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        kind = next(kind for kind in Kind if kind in self.kinds)
        bare = instantiate(
            ContainerOf(kind, None, self.norm if isinstance(self.norm, Norm) else None), owner, sizes=sizes
        )
        assert isinstance(bare, Container)
        bare = replace(bare, clip=Clip.L2 if self.clipped else Clip.U)
        if len(self.bases) == len(Base) and not self.arithmetic:
            return bare
        return bare.of(NumberType(Base.REAL if Base.REAL in self.bases else next(iter(self.bases))), bare.clip)

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        if not isinstance(type_, Container) or type_.kind not in self.kinds:
            return "shape"
        wrong = self._match_element(type_, binds, unifier)
        if wrong:
            return wrong
        if self.kind is not None and binds.kinds.setdefault(self.kind, type_.kind) is not type_.kind:
            return "kind"
        if self.norm is not None and not self._match_norm(type_.norm, binds, unifier):
            return "norm"
        if not self._match_dimension(self.length, type_.length, binds, unifier):
            return "dimension"
        rows = type_.rows
        if rows is not None and not self._match_dimension(self.rows, rows, binds, unifier):
            return "dimension"
        if self.one_row and rows is not None and not unifier.same_dimension(rows, Poly.of(1)):
            return "one row"
        return None

    def _match_element(self, type_: Container, binds: Binds, unifier: Unifier) -> str | None:
        element = unifier.type(type_.element)
        if self.functions:
            return None if isinstance(element, FunctionType | TypeVariable) else "element"
        if isinstance(element, TypeVariable):
            if len(self.bases) == len(Base) and not self.arithmetic:
                return None
            base = Base.DATA if self.bases == {Base.DATA} else Base.REAL
            unifier.bind_type(element, NumberType(base))
            element = unifier.type(element)
        if isinstance(element, NumberType):
            return None if element.base in self.bases else "element"
        return None if self.truth and isinstance(element, BoolType) else "element"

    def _match_norm(self, norm: AnyNorm, binds: Binds, unifier: Unifier) -> bool:
        wanted = binds.norms.setdefault(self.norm, norm) if isinstance(self.norm, str) else self.norm
        return wanted is None or unifier.same_norm(wanted, norm)

    def _match_dimension(self, name: str | None, value: Poly, binds: Binds, unifier: Unifier) -> bool:
        return name is None or unifier.same_dimension(binds.dimensions.setdefault(name, value), value)


@value
class NumberOrBox:
    """A number or a container."""

    number: Num
    box: Box
    words = "a number, or a container of numbers"

    def settled(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return None

    def assumed(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return self.number.assumed(owner, sizes)

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        part = self.box if isinstance(type_, Container) else self.number
        return part.match(type_, binds, unifier)


@value
class OneOf(_Undetermined):
    """A whole number that is known to be one of ``numbers``."""

    numbers: tuple[int, ...]

    @property
    def words(self) -> str:
        return " or ".join(map(str, self.numbers))

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        match type_:
            case NumberType(Base.INTEGER, Poly() as value) if value.number in self.numbers:
                return None
        return "shape"


@value
class Model:
    """A model; ``size`` names its number of parameters."""

    size: str
    words = "a model"

    def settled(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return self.assumed(owner, sizes)

    def assumed(self, owner: str, sizes: Mapping[str, str]) -> Type | None:
        return instantiate(AModel(), owner, sizes=sizes)

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        if not isinstance(type_, ModelType):
            return "shape"
        same = unifier.same_dimension(binds.dimensions.setdefault(self.size, type_.size), type_.size)
        return None if same else "dimension"


@value
class Records(_Undetermined):
    """A dataset of records of one of ``kinds``. A vector of Data in L1 and a matrix of Data in LInf are datasets, too:
    they are compared by the positions that have another record. ``sized`` asks for one whose number of records is
    public, or private; ``placed`` for a sequence of which it is known how many records there are at least."""

    kinds: frozenset[Kind] = frozenset({Kind.VECTOR, Kind.MATRIX})
    sized: bool | None = None
    placed: bool = False

    @property
    def words(self) -> str:
        what = "a dataset" if self.sized is None else f"a dataset of {'public' if self.sized else 'private'} size"
        return what if len(self.kinds) > 1 else f"{what} of {'numbers' if Kind.VECTOR in self.kinds else 'rows'}"

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        found = as_dataset(type_)
        return None if found is not None and self.takes(found) else "shape"

    def takes(self, dataset: Dataset) -> bool:
        """Whether it is one of those it asks for."""
        if self.placed and not (dataset.metric.ordered and (dataset.metric.sized or dataset.least is not None)):
            return False
        return dataset.records.kind in self.kinds and self.sized in (None, dataset.metric.sized)


class _AsWritten(_Undetermined):
    """What is given as it is written, and is not a value."""

    __slots__ = ()

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        return None


@value
class GivenNorm(_AsWritten):
    """A norm written as an argument: L1, L2 or LInf. It is bound under the parameter's name by the call rule."""

    words = "L1, L2 or LInf"


@value
class GivenType(_AsWritten):
    """A type written as an argument; bound by the call rule."""

    words = "a type"


@value
class GivenTruth(_AsWritten):
    """``true`` or ``false`` as it is written; bound by the call rule."""

    words = "true or false"


@value
class FromBox(_Undetermined):
    """A call of a black box."""

    words = "a call of a black box"

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        return None if isinstance(type_, Boxed) else "shape"


@value
class Sizes(_Undetermined):
    """A pair of public whole numbers, bound to two dimensions."""

    rows: str
    columns: str
    words = "a pair of public whole numbers"

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        if not isinstance(type_, TupleType) or len(type_.items) != 2:
            return "shape"
        for name, item in zip((self.rows, self.columns), type_.items, strict=True):
            if STATIC_INTEGER.match(item, binds, unifier) or not isinstance(item, NumberType):
                return "static"
            assert item.static is not None
            binds.dimensions[name] = item.static
        return None


@value
class Arrow(_Undetermined):
    """A function, which the row calls."""

    words = "a function"

    def match(self, type_: Type, binds: Binds, unifier: Unifier) -> str | None:
        return None if isinstance(type_, FunctionType | TypeVariable) else "shape"


Pattern = (
    Arrow
    | AnyValue
    | Records
    | Num
    | TruthPattern
    | Box
    | NumberOrBox
    | OneOf
    | Model
    | GivenNorm
    | GivenType
    | GivenTruth
    | FromBox
    | Sizes
)


def fits(pattern: Pattern, type_: Type) -> bool:
    """Whether a type has the shape a pattern wants; its base, norm and sizes are not looked at."""
    match pattern:
        case AnyValue():
            return True
        case Num():
            return isinstance(type_, NumberType) or (pattern.static and isinstance(type_, TypeVariable))
        case NumberOrBox(number, box):
            return fits(number, type_) or fits(box, type_)
        case OneOf():
            return isinstance(type_, NumberType)
        case Arrow():
            return isinstance(type_, FunctionType | TypeVariable)
        case TruthPattern():
            return isinstance(type_, BoolType)
        case Box(kinds=kinds):
            return isinstance(type_, Container) and type_.kind in kinds
        case Records():
            found = as_dataset(type_)
            return found is not None and pattern.takes(found)
        case Model():
            return isinstance(type_, ModelType)
        case FromBox():
            return isinstance(type_, Boxed)
        case Sizes():
            return isinstance(type_, TupleType)
    return False


def needs_public(pattern: Pattern) -> bool:
    """Whether a pattern accepts a number only if it is public."""
    match pattern:
        case Num(static=static):
            return static
        case NumberOrBox(number=number):
            return number.static
    return isinstance(pattern, OneOf | Sizes)


NUMBER = Num()
REAL_NUMBER = Num(frozenset({Base.INTEGER, Base.REAL}))
STATIC = Num(frozenset({Base.INTEGER, Base.REAL}), static=True)
STATIC_INTEGER = Num(frozenset({Base.INTEGER}), static=True)
INTEGER_NUMBER = Num(frozenset({Base.INTEGER}))
BOOL = TruthPattern()
ANY = AnyValue()
