"""What one person can do to a parameter: one step, as its type says, and how many of them.

Steps have names that are written down in ledgers, so none of them is ever given another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.types import Base, BoolType, Container, Dataset, DatasetMetric, Kind, Norm, NumberType, Type
from dp_lsp.named import NamedTuple


class NeighbourStep(Enum):
    """What one change is, in words; its name in a ledger is that of the member."""

    SYMMETRIC = "one record is added or removed"
    INSERT_DELETE = "one record is added or removed, and the others keep their order"
    CHANGE_ONE = "one record is replaced by another, and their number is public"
    HAMMING = "the record in one place is replaced by another, and their number is public"
    ROW_JOINS = "one row is added or removed"
    ROW = "one row is replaced by another"
    ENTRY = "one entry is replaced by another"
    VALUE = "it is any other value"
    NUMBER = "it changes by at most 1"
    VECTOR_L1 = "it changes by at most 1 in L1"
    VECTOR_L2 = "it changes by at most 1 in L2"
    VECTOR_LINF = "it changes by at most 1 in LInf"
    VECTOR_ANY = "it changes by at most 1 in any norm"
    ROWS_L1 = "its rows change by at most 1 together in L1"
    ROWS_L2 = "its rows change by at most 1 together in L2"
    ROWS_LINF = "its rows change by at most 1 together in LInf"
    ROWS_ANY = "its rows change by at most 1 together in any norm"


ADDED = frozenset({NeighbourStep.SYMMETRIC, NeighbourStep.INSERT_DELETE, NeighbourStep.ROW_JOINS})
"""Steps that are made by a record that comes or goes, while the others keep their order."""
REPLACED = frozenset({NeighbourStep.CHANGE_ONE, NeighbourStep.HAMMING, NeighbourStep.ROW, NeighbourStep.ENTRY})
"""Steps that are made by a record that is replaced in its place."""
_METRICS = {
    DatasetMetric.SYMMETRIC: NeighbourStep.SYMMETRIC,
    DatasetMetric.INSERT_DELETE: NeighbourStep.INSERT_DELETE,
    DatasetMetric.CHANGE_ONE: NeighbourStep.CHANGE_ONE,
    DatasetMetric.HAMMING: NeighbourStep.HAMMING,
}
_VECTORS = {Norm.L1: NeighbourStep.VECTOR_L1, Norm.L2: NeighbourStep.VECTOR_L2, Norm.LINF: NeighbourStep.VECTOR_LINF}
_MATRICES = {Norm.L1: NeighbourStep.ROWS_L1, Norm.L2: NeighbourStep.ROWS_L2, Norm.LINF: NeighbourStep.ROWS_LINF}


class NeighbourChange(NamedTuple):
    """Up to so many steps."""

    step: NeighbourStep
    times: int = 1

    @property
    def words(self) -> str:
        """For a person."""
        return f"{self.step.value}, and that up to {self.times} times" if self.times > 1 else self.step.value


class ChangeUnit(NamedTuple):
    """A change that is one of all these steps at once, up to so many times."""

    steps: tuple[NeighbourStep, ...]
    times: int

    @property
    def words(self) -> str:
        """For a person."""
        return "; ".join(NeighbourChange(step, self.times).words for step in self.steps)

    def changes(self, each: NeighbourChange) -> int:
        """How many changes of one kind this one is made of. Whoever replaces a record puts in another and then takes
        it out: never are there fewer than before."""
        return -(-self.times * (2 if self.doubles(each) else 1) // each.times)

    def doubles(self, each: NeighbourChange) -> bool:
        """Whether that is about a record that comes or goes, and this about one that is replaced."""
        return each.step in ADDED and not ADDED.intersection(self.steps)


def unit(changes: Iterable[NeighbourChange]) -> ChangeUnit:
    """A change that all of some are about, if several of each are made: the smallest that says something of all."""
    listed = tuple(dict.fromkeys(changes))
    steps = {each.step for each in listed}
    times = max((each.times for each in listed), default=1)
    kept = tuple(step for step in NeighbourStep if step in steps - ADDED - REPLACED)
    records: tuple[NeighbourStep, ...] = ()
    if steps & REPLACED:
        records = (
            (NeighbourStep.CHANGE_ONE,)
            if steps & (ADDED | REPLACED) == {NeighbourStep.CHANGE_ONE}
            else (NeighbourStep.HAMMING,)
        )
    elif steps & ADDED:
        records = (
            (NeighbourStep.SYMMETRIC,) if steps & ADDED == {NeighbourStep.SYMMETRIC} else (NeighbourStep.INSERT_DELETE,)
        )
    return ChangeUnit((*records, *kept), times)


def step_of(param: SchemeParameter, norms: Substitution, joining: bool) -> NeighbourStep:
    """What a change of a parameter is. ``joining`` says that rows of matrices come and go."""
    match param.type:
        case Dataset(metric=metric):
            return _METRICS[metric]
        case Container(kind=Kind.MATRIX) if joining:
            return NeighbourStep.ROW_JOINS
        case Container(kind=kind, element=element):
            norm = norms.norm(param.type.norm)
            if is_discrete(element) and kind is Kind.VECTOR and norm is Norm.L1:
                return NeighbourStep.ENTRY
            if is_discrete(element) and kind is Kind.MATRIX and norm is Norm.LINF:
                return NeighbourStep.ROW
            known = norm if isinstance(norm, Norm) else None
            if kind is Kind.MATRIX:
                return _MATRICES[known] if known else NeighbourStep.ROWS_ANY
            return _VECTORS[known] if known else NeighbourStep.VECTOR_ANY
        case BoolType() | NumberType(base=Base.DATA):
            return NeighbourStep.VALUE
    return NeighbourStep.NUMBER


def has_records(type_: Type) -> bool:
    """Whether a change is another record, and not another number."""
    return is_discrete(type_.element) if isinstance(type_, Container) else isinstance(type_, Dataset)
