"""What would hold under another relation between neighbouring datasets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.scheme import Effort
from dp_lsp.core.sens import Sens, maximum
from dp_lsp.core.term import Term
from dp_lsp.core.types import DatasetMetric
from dp_lsp.infer import functions, terms
from dp_lsp.infer.context import TypingContext
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.scene import Scene

OTHER = {
    DatasetMetric.SYMMETRIC: DatasetMetric.CHANGE_ONE,
    DatasetMetric.CHANGE_ONE: DatasetMetric.SYMMETRIC,
    DatasetMetric.INSERT_DELETE: DatasetMetric.HAMMING,
    DatasetMetric.HAMMING: DatasetMetric.INSERT_DELETE,
}
"""The relation that one is taken for."""

CHANGED = {metric: "replaced" if metric.sized else "added or removed" for metric in DatasetMetric}
"""What may be done to a record under a relation."""

STEPS = {metric: f"when a record is {changed}" for metric, changed in CHANGED.items()}
"""What a step is under a relation."""


class Otherwise(NamedTuple):
    """How far a value would move if the datasets it is made of were compared by ``other``, and not as ``declared``."""

    declared: DatasetMetric
    other: DatasetMetric
    furthest: Sens


def otherwise(scene: Scene, node: Term) -> Otherwise | None:
    """How far a value would move under the other relation; None if it is made of no datasets, or of several kinds.
    The function is inferred once more for it, which happens only where something is wrong."""
    moved = {var.name for var in scene.moves(node)}
    annotations = {param.type for param in scene.method.params if param.local.name in moved}
    declared = {type_.metric for type_ in annotations if isinstance(type_, DatasetOf) and type_.metric is not None}
    if len(declared) != 1 or scene.method.body is None:
        return None
    metric = declared.pop()
    there = scene.otherwise.get(metric) or _under(scene, OTHER[metric])
    scene.otherwise[metric] = there
    found, values = there.moves(node), there.inference.solver.substitution()
    if not found:
        return None
    return Otherwise(metric, OTHER[metric], maximum(values.sens(move.sens) for move in found.values()))


def _under(scene: Scene, metric: DatasetMetric) -> Scene:
    """The method with its datasets compared by another relation."""
    return _with(scene, lambda type_: replace(type_, metric=metric))


def of_at_least(scene: Scene, least: int) -> Scene:
    """The method with its datasets having so many records at least, where nothing is said of it."""
    return _with(scene, lambda type_: type_ if type_.least is not None else replace(type_, least=Fraction(least)))


def _with(scene: Scene, change: Callable[[DatasetOf], DatasetOf]) -> Scene:
    """The method with other datasets. It is inferred once more for it."""
    params = tuple(
        replace(param, type=change(param.type)) if isinstance(param.type, DatasetOf) else param
        for param in scene.method.params
    )
    known = scene.inference.context
    context = TypingContext(known.text, known.language, known.rules, known.resolve, known.look, Effort(known.look))
    again = Inference(context, terms.rule)
    functions.body(again, replace(scene.method, params=params), again.solver.mark(), scene.usual)
    return Scene(again, scene.method, scene.usual)
