"""Code that is well-typed but hardly meant: rows chosen by number where people expect a random sample, and two branches
that differ in brackets only."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins.traits import Indexing, SampledRows
from dp_lsp.core import term
from dp_lsp.core.metrics import is_data
from dp_lsp.core.notation import shown
from dp_lsp.core.term import Body, Branch, Call, Literal, Local, Loop, Method, Term, Use
from dp_lsp.core.types import Container, Kind
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mistakes.scene import Scene, noise_of, row
from dp_lsp.problem import Related

Leaf = Local | str


def compare_brackets(inference: Inference, node: Branch) -> None:
    """Say so if both sides run one mechanism, and of an argument only the brackets differ."""
    values = inference.solver.substitution()
    binds = (*node.then.binds, *node.otherwise.binds)
    made = {bind.targets[0]: bind.term for bind in binds if len(bind.targets) == 1}
    for first, second in zip(_mechanisms(node.then), _mechanisms(node.otherwise), strict=False):
        if first.builtin != second.builtin:
            return
        for one, other in zip(first.args, second.args, strict=False):
            known = [inference.recorder.judgements.get(each) for each in (one, other)]
            a, b = (None if each is None else inference.static(each) for each in known)
            if a is None or b is None or values.poly(a) == values.poly(b):
                continue
            if [*_leaves(one, made)] != [*_leaves(other, made)]:
                continue
            there, here = (_formula(each, made) for each in (one, other))
            inference.report(
                problems.OtherBrackets.at(
                    here.span,
                    written=inference.written(here.span),
                    value=shown(b),
                    other=inference.written(there.span),
                    other_value=shown(a),
                    related=(Related("the other branch", there.span),),
                )
            )


def _formula(node: Term, made: dict[Local, Term]) -> Term:
    """The formula that a name of a branch stands for."""
    seen: set[Local] = set()
    while isinstance(node, Use) and node.local in made and node.local not in seen:
        seen.add(node.local)
        node = made[node.local]
    return node


def _mechanisms(body: Body) -> list[Call]:
    inside = term.within(term.of_body(body))
    return [node for node in inside if isinstance(node, Call) and noise_of(node) is not None]


def _leaves(node: Term, made: dict[Local, Term]) -> Iterator[Leaf]:
    """What a formula is written as, its brackets left out, and names that the branches give to parts of it."""
    pending: list[Term | str] = [node]
    while pending:
        part = pending.pop()
        part = part if isinstance(part, str) else _formula(part, made)
        if isinstance(part, str):
            yield part
        elif isinstance(part, Use):
            yield part.local
        elif isinstance(part, Literal):
            yield str(part.value)
        elif isinstance(part, Call) and len(part.args) == 2 and not part.builtin[0].isalpha():
            pending += [part.args[1], part.builtin, part.args[0]]
        else:
            name = part.builtin if isinstance(part, Call) else type(part).__name__
            pending += [*[*term.parts(part)][::-1], name]


def chosen_rows(inference: Inference, method: Method) -> None:
    """Say of the rows of a private function that are chosen by their number that they cost what they cost."""
    scene = Scene(inference, method, 1)
    drawn = {
        each.local for call in scene.calls if row(call).has(SampledRows) for each in call.args if isinstance(each, Use)
    }
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
        type_ = (
            scene.type(matrix)
            if isinstance(matrix, Use) and row(call).has(Indexing) and matrix.local in params
            else None
        )
        of_data = isinstance(type_, Container) and type_.kind is Kind.MATRIX and is_data(type_.element)
        by_round = any(isinstance(part, Use) and part.local in rounds for each in index for part in scene.flow(each))
        if of_data and len(index) == 1 and not by_round:
            yield call
