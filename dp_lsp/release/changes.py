"""What one person can do to a parameter: one step, as its type says, and how many of them.

Steps have names that are written down in ledgers, so none of them is ever given another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.types import Base, BoolType, Container, Dataset, DatasetMetric, Kind, Norm, NumberType, Type


class Step(Enum):
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


ADDED = frozenset({Step.SYMMETRIC, Step.INSERT_DELETE, Step.ROW_JOINS})
"""Steps that are made by a record that comes or goes, while the others keep their order."""
REPLACED = frozenset({Step.CHANGE_ONE, Step.HAMMING, Step.ROW, Step.ENTRY})
"""Steps that are made by a record that is replaced in its place."""
_METRICS = {
    DatasetMetric.SYMMETRIC: Step.SYMMETRIC,
    DatasetMetric.INSERT_DELETE: Step.INSERT_DELETE,
    DatasetMetric.CHANGE_ONE: Step.CHANGE_ONE,
    DatasetMetric.HAMMING: Step.HAMMING,
}
_VECTORS = {Norm.L1: Step.VECTOR_L1, Norm.L2: Step.VECTOR_L2, Norm.LINF: Step.VECTOR_LINF}
_MATRICES = {Norm.L1: Step.ROWS_L1, Norm.L2: Step.ROWS_L2, Norm.LINF: Step.ROWS_LINF}


class Change(NamedTuple):
    """Up to so many steps."""

    step: Step
    times: int = 1

    @property
    def words(self) -> str:
        """For a person."""
        return f"{self.step.value}, and that up to {self.times} times" if self.times > 1 else self.step.value


class Unit(NamedTuple):
    """A change that is one of all these steps at once, up to so many times."""

    steps: tuple[Step, ...]
    times: int

    @property
    def words(self) -> str:
        """For a person."""
        return "; ".join(Change(step, self.times).words for step in self.steps)

    def changes(self, each: Change) -> int:
        """How many changes of one kind this one is made of. Whoever replaces a record puts in another and then takes
        it out: never are there fewer than before."""
        return -(-self.times * (2 if self.doubles(each) else 1) // each.times)

    def doubles(self, each: Change) -> bool:
        """Whether that is about a record that comes or goes, and this about one that is replaced."""
        return each.step in ADDED and not ADDED.intersection(self.steps)


def unit(changes: Iterable[Change]) -> Unit:
    """A change that all of some are about, if several of each are made: the smallest that says something of all."""
    listed = tuple(dict.fromkeys(changes))
    steps = {each.step for each in listed}
    times = max((each.times for each in listed), default=1)
    kept = tuple(step for step in Step if step in steps - ADDED - REPLACED)
    records: tuple[Step, ...] = ()
    if steps & REPLACED:
        records = (Step.CHANGE_ONE,) if steps & (ADDED | REPLACED) == {Step.CHANGE_ONE} else (Step.HAMMING,)
    elif steps & ADDED:
        records = (Step.SYMMETRIC,) if steps & ADDED == {Step.SYMMETRIC} else (Step.INSERT_DELETE,)
    return Unit((*records, *kept), times)


def step_of(param: SchemeParameter, norms: Substitution, joining: bool) -> Step:
    """What a change of a parameter is. ``joining`` says that rows of matrices come and go."""
    match param.type:
        case Dataset(metric=metric):
            return _METRICS[metric]
        case Container(kind=Kind.MATRIX) if joining:
            return Step.ROW_JOINS
        case Container(kind=kind, element=element):
            norm = norms.norm(param.type.norm)
            if is_discrete(element) and kind is Kind.VECTOR and norm is Norm.L1:
                return Step.ENTRY
            if is_discrete(element) and kind is Kind.MATRIX and norm is Norm.LINF:
                return Step.ROW
            known = norm if isinstance(norm, Norm) else None
            if kind is Kind.MATRIX:
                return _MATRICES[known] if known else Step.ROWS_ANY
            return _VECTORS[known] if known else Step.VECTOR_ANY
        case BoolType() | NumberType(base=Base.DATA):
            return Step.VALUE
    return Step.NUMBER


def has_records(type_: Type) -> bool:
    """Whether a change is another record, and not another number."""
    return is_discrete(type_.element) if isinstance(type_, Container) else isinstance(type_, Dataset)
