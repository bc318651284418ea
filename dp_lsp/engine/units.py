"""What a bound is about: one person, how many records that person has, and what a change of them does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dp_lsp.accounting.bounds import vacuous
from dp_lsp.analysis.records import NEIGHBOURS, FunctionReport, Stability
from dp_lsp.core.algebra import Poly, Sign, Symbol
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.metrics import holds_records, metric_name
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.sens import ONE, ZERO, Sens, magnitude
from dp_lsp.core.types import Dataset, DatasetMetric, TupleType

if TYPE_CHECKING:
    from dp_lsp.engine.describe import Description

METRICS = dict(zip(NEIGHBOURS, (DatasetMetric.CHANGE_ONE, DatasetMetric.SYMMETRIC), strict=True))
"""How datasets are compared where no annotation says it."""

_PREMISE = "a person has at most {} records in `{}` (`contributes`)"
_NAMES = "dnjkm"  # that any number of records may have
_LONGEST = 60  # characters of a bound that is shown; a longer one stands elsewhere


def premise(scheme: Scheme, contributes: int) -> Iterator[str]:
    """What the configuration says of persons, where the bounds of a function are about them."""
    names = [param.name for param in scheme.params if _is_counted(param, contributes)]
    if names:
        yield _PREMISE.format(contributes, "` and `".join(names))


def _is_counted(param: SchemeParameter, contributes: int) -> bool:
    """Whether it is the configuration that says how many records of a parameter a person has."""
    if isinstance(param.declared, DatasetOf) and param.declared.each is not None:
        return False
    items = param.type.items if isinstance(param.type, TupleType) else ()
    inside = contributes > 1 and not param.static and any(map(holds_records, items))
    return param.unit is not None or inside


def is_about_records(param: SchemeParameter) -> bool:
    """Whether a bound of a parameter is said by how many records change."""
    return not param.static and (param.unit is not None or isinstance(param.type, Dataset))


def records(param: SchemeParameter) -> Sens:
    """How many records one person has."""
    return ONE if param.unit is None else magnitude(param.unit.records)


def is_chained(report: FunctionReport) -> bool:
    """Whether a private function has a dataset."""
    return report.kind == "privacy" and any(each.stability for each in report.parameters)


def stability(description: Description, param: SchemeParameter, private: bool) -> Stability | None:
    """What a change of the records of a parameter does; None where it has none, or nothing is claimed."""
    if description.scheme.reason or not is_about_records(param):
        return None
    found = _Stability(description, param)
    return found.of_cost() if private else found.of_result()


class _Stability:
    def __init__(self, description: Description, param: SchemeParameter) -> None:
        self._description = description
        self._param = param
        self._records = records(param)
        taken = {each.name for each in description.scheme.params}
        self._name = next((each for each in _NAMES if each not in taken), "d_in")
        steps = Poly.of(Symbol(self._name, Sign.NONNEGATIVE, integer=True))
        self._persons = Sens((steps * self._records.single_poly().inverse(),))  # that d records are

    def of_result(self) -> Stability | None:
        """How far a result moves."""
        description, move = self._description, self._description.scheme.result.moves.get(self._param.var)
        far = ZERO if move is None else description.norms.sens(move.sens)
        return None if far.infinite else self._of("d_out", far, "", far * self._persons)

    def of_cost(self) -> Stability | None:
        """What a function costs. In general that is known where δ is 0: d records of as many people are a group, and
        a part of those of one person costs as much less as the mechanisms say."""
        var, scheme = self._param.var, self._description.scheme
        bound = self._description.head(var).first
        epsilon, delta = bound.price
        if epsilon.infinite or vacuous(delta):
            return None
        also = "" if delta.zero else f", δ = {self._description.short(delta)}"
        general = epsilon * self._persons if delta.zero else None
        if general is not None and self._param.unit is not None:
            price = bound.measure.price(scheme.cost, {var: self._persons})
            scales = price.delta.zero and self._description.norms.sens(price.epsilon) == general
            general = general if scales else None
        return self._of("ε", epsilon, also, general)

    def _of(self, what: str, bound: Sens, also: str, general: Sens | None) -> Stability:
        description, param = self._description, self._param
        if general is not None and (general.infinite or (param.unit is not None and param.unit.whole)):
            general = None
        texts = [(description.short(self._records), f"{description.short(bound)}{also}")]
        if general is not None and not bound.zero:
            texts += [(self._name, self._times(bound, general))]
        shown = tuple(f"d_in = {each} → {what} = {text}" for each, text in texts if len(text) <= _LONGEST)
        formula = "" if general is None else description.formula.sens(general)
        return Stability(metric_name(param.type), description.formula.sens(self._records), formula, shown)

    def _times(self, bound: Sens, general: Sens) -> str:
        """So many times a bound: of a largest number that is written once."""
        one = self._records == ONE and len(bound.polys) > 1
        short = self._description.short
        return f"{self._name}⋅{short(bound)}" if one else short(general)
