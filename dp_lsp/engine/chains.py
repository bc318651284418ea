"""The chain from a change of a dataset to what a private function tells of it."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp import builtins
from dp_lsp.accounting.bounds import vacuous
from dp_lsp.analysis.details import Chain, Link, Pair
from dp_lsp.core import laws
from dp_lsp.core.events import Awaited, Called, Parallel, Parts, Release, Sampled, Sequence, Var, nodes, variables
from dp_lsp.core.scheme import Judgement, Move, SchemeParameter
from dp_lsp.core.types import Container, Dataset, Norm, Type
from dp_lsp.engine.derive import Context
from dp_lsp.engine.describe import Description
from dp_lsp.engine.units import is_about_records, records
from dp_lsp.infer.method import Inferred
from dp_lsp.text import Span

_LEFT_OUT = "…"
_Told = Release | Called | Awaited | Sampled | Parallel
_SILENT = frozenset((laws.PARAMETER, laws.PERSON, laws.NAME, laws.PERSONS, builtins.LITERAL))
_NAMES = {
    laws.BRANCH: "branch",
    laws.CONDITION: "branch",
    laws.CAP: "",
    laws.RECORDS: "one sum",
    laws.LARGEST: "",
    laws.LOOP: "loop",
    laws.OWN_ROW: "rows",
}


def chains(description: Description, inferred: Inferred) -> Iterator[Chain]:
    """One for each dataset that the function protects."""
    context = _Chains(description, inferred)
    for param in description.scheme.params:
        found = context.chain(param) if is_about_records(param) else None
        if found is not None:
            yield found


class _Chains:
    def __init__(self, description: Description, inferred: Inferred) -> None:
        self._description = description
        self._context = Context(inferred, description)
        self._types: dict[Span, Type] = {}
        for node, judgement in inferred.judgements.items():
            self._types[node.span] = inferred.solver.type(judgement.type)

    def chain(self, param: SchemeParameter) -> Chain | None:
        """From how many records change to what that costs; None if nothing is guaranteed."""
        epsilon, delta = self._description.head(param.var).first.price
        if epsilon.infinite or vacuous(delta) or (epsilon.zero and delta.zero):
            return None
        between = tuple(self._between(param.var))
        return Chain(param.name, records(param), between, Pair(epsilon, delta)) if between else None

    def _between(self, var: Var) -> Iterator[Link]:
        """What stands between a dataset and the price: the way to the only release; else how many there are."""
        body = self._description.scheme.cost
        while isinstance(body, Called) and body.origin.span == self._context.own:
            body = body.body
        parted = (node for node in nodes(body) if isinstance(node, Parts) and node.whole is var)
        same = {var}.union(*(node.parts for node in parted))
        found = [node for node in nodes(body) if isinstance(node, _Told) and not same.isdisjoint(variables(node))]
        if len(found) != 1:
            yield from [Link(f"{len(found)} releases, in all")] if found else []
            return
        (release,) = found
        yield from self._way(release, var)
        once = release in (body.parts if isinstance(body, Sequence) else (body,))
        yield Link(_name(release) if once else f"{_name(release)}, in all")

    def _way(self, release: _Told, var: Var) -> Iterator[Link]:
        """The steps that lead to what is released, if there is one way."""
        if isinstance(release, Sampled):
            return
        moved = [each for each in self._context.inputs(release.origin.span) if var in each.moves]
        if len(moved) != 1:
            yield Link(_LEFT_OUT)
            return
        yield from self._steps(moved[0], var)

    def _steps(self, value: Judgement, var: Var) -> Iterator[Link]:
        """What is on the way from a variable to a value; where several ways meet, from there on. What a function
        captured, as a score, moves by how it is used, which is not known of the function alone."""
        steps = [value.moves[var]]
        while len(steps[-1].before) == 1:
            steps.append(steps[-1].before[0])
        known = not any(move.sens.infinite for move in steps)
        if steps[-1].before or not known:
            yield Link(_LEFT_OUT)
        for move in reversed(steps) if known else ():
            name = _NAMES.get(move.rule, move.subject if move.rule == laws.CALL else move.rule)
            same = bool(move.before) and move.before[0].sens == move.sens
            if move.rule not in _SILENT and (name.isidentifier() or not same):
                yield self._link(name, move)

    def _link(self, name: str, move: Move) -> Link:
        """How far a value moves, and in which norm."""
        type_, far = self._types.get(move.span), self._context.number(move.sens)
        norm = self._description.norms.norm(type_.norm) if isinstance(type_, Container) else None
        return Link(name, far, isinstance(type_, Dataset), norm if isinstance(norm, Norm) else None)


def _name(release: _Told) -> str:
    match release:
        case Release(event=event):
            return event.name
        case Called(origin=origin) | Parallel(origin=origin):
            return f"{origin.reason}(…)"
        case Awaited(callee=callee):
            return f"{callee.name}(…)"
    return "drawn rows"
