"""How many records there must be for an average to move no further than noise is made for (6)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from dp_lsp.builtins.remedies import RESIZE
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.notation import figure
from dp_lsp.core.term import Term
from dp_lsp.infer import problems
from dp_lsp.infer.mistakes import relations
from dp_lsp.infer.mistakes.noise import furthest, release_of
from dp_lsp.infer.mistakes.scene import Scene
from dp_lsp.intents import DeclareLeast
from dp_lsp.problem import Fix, Problem

_FEWEST = (1, 2)  # records of which there is an average, or a variance
_MOST = 10**9  # records; nobody would declare more


class Enough(NamedTuple):
    """How far something is declared to move, and the least number of records for which that is enough."""

    declared: Fraction
    records: int


def few_records(scene: Scene, problem: Problem) -> Problem | None:
    """How far the average of few records moves, and for how many what is declared is enough."""
    node = scene.at(problem.span)
    if node is None:
        return None
    for least in _FEWEST:
        far = _moved(scene, node, least)
        if far is not None:
            enough = _enough(scene, node, least)
            return _counted(scene, problem, least, far) if enough is None else _so_many(scene, problem, enough)
    return None


def _moved(scene: Scene, node: Term, least: int) -> Fraction | None:
    """How far a value moves if there are at least so many records."""
    there = relations.of_at_least(scene, least)
    found = None if there.type(node) is None else furthest(there, node)
    return None if found is None or found.zero else found.number


def _enough(scene: Scene, node: Term, least: int) -> Enough | None:
    """For how many records an average moves no further than is declared. It is guessed, as averages move by a part of
    1/(n + 1), and tried."""
    for release in (release_of(scene, call) for call in scene.calls):
        number = None if release is None or release.declared is None else release.declared.number
        if release is None or number is None or number <= 0 or node not in scene.flow(release.hidden):
            continue
        far = _moved(scene, release.hidden, least)
        records = 0 if far is None else ceil(far * (least + 1) / number) - 1
        there = _moved(scene, release.hidden, records) if 0 < records < _MOST else None
        if there is not None and there <= number:
            return Enough(number, records)
    return None


def _counted(scene: Scene, problem: Problem, least: int, far: Fraction) -> Problem:
    first = f"where there may be only {least}, one more moves it by up to {figure(far)}"
    reason = f"{first}; {problem.message.split(': ', 1)[1]}"
    return problems.UnknownCount.at(problem.span, written=scene.inference.written(problem.span), reason=reason)


def _so_many(scene: Scene, problem: Problem, enough: Enough) -> Problem:
    least, written = enough.records, scene.inference.written(problem.span)
    records = "record" if least == 1 else "records"
    code = scene.inference.code
    declared, made = code.at_least(str(least)), code.call(RESIZE, "v", str(least), "fill")
    reason = (
        f"{figure(enough.declared)} is enough for {least} {records} or more; declare that there are so many with "
        f"`{declared}`, or make it so with `{made}`"
    )
    return problems.UnknownCount.at(problem.span, written=written, reason=reason, fixes=_declared(scene, least))


def _declared(scene: Scene, least: int) -> tuple[Fix, ...]:
    """A repair that declares that there are so many records, where there is one dataset of which nothing says it."""
    found = [param for param in scene.method.params if isinstance(param.type, DatasetOf) and param.type.least is None]
    return scene.inference.fixes(DeclareLeast(found[0].span, least)) if len(found) == 1 else ()
