"""Rows that are chosen, where people expect to pay for a random sample (16)."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.core.metrics import is_data
from dp_lsp.core.term import Call, Loop, Method, Use
from dp_lsp.core.types import Container, Kind
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.scene import Scene, row


def notice(inference: Inference, method: Method) -> None:
    """Say of the rows of a private function that are chosen by their number that they cost what they cost."""
    scene = Scene(inference, method, 1)
    drawn = {each.local for call in scene.calls if row(call).draws for each in call.args if isinstance(each, Use)}
    for call in _chosen(scene):
        matrix = call.args[0]
        if isinstance(matrix, Use) and matrix.local not in drawn:
            drawn.add(matrix.local)  # once of a matrix is enough
            written = scene.written(call)
            inference.report(problems.NoSample.at(call.span, written=written, matrix=matrix.local.name))


def _chosen(scene: Scene) -> Iterator[Call]:
    """Where a row of a private matrix of Data that is a parameter is picked, by something else than a round."""
    params = {param.local for param in scene.method.params if not param.static}
    rounds = {node.index for node in scene.terms if isinstance(node, Loop)}
    for call in scene.calls:
        matrix, index = call.args[0] if call.args else None, call.args[1:]
        type_ = scene.type(matrix) if isinstance(matrix, Use) and row(call).picks and matrix.local in params else None
        of_data = isinstance(type_, Container) and type_.kind is Kind.MATRIX and is_data(type_.element)
        by_round = any(isinstance(part, Use) and part.local in rounds for each in index for part in scene.flow(each))
        if of_data and len(index) == 1 and not by_round:
            yield call
