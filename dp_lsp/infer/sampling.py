"""The rule of subsampling: a builtin that draws a random sample binds it for the rest of its block, which is inferred
for the sample; its cost is amplified."""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.builtins.traits import SampledRows
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Cost, Sampled, Sampling, Var
from dp_lsp.core.metrics import has_gap
from dp_lsp.core.scheme import Judgement, Moves
from dp_lsp.core.sens import INFINITY, ONE, magnitude
from dp_lsp.core.types import UNKNOWN, Container, TupleType, Unknown
from dp_lsp.core.values import replace
from dp_lsp.infer import moves, problems, rows
from dp_lsp.infer.effects import Effects, Evaluation
from dp_lsp.infer.inference import Inference


def scope(inference: Inference, node: term.Scope) -> Evaluation:
    """Infer the rest of a block over samples. Its cost, for one record of the sample, becomes a ``Sampled`` event of
    the sources (privacy amplification by subsampling: Balle, Barthe and Gaboardi 2018). A drawn value that leaves the
    block unreleased is ∞-sensitive in what it was drawn from."""
    call = node.bind.term
    assert isinstance(call, term.Call), "only a builtin has a scope"
    values, drawing = inference.infer_all(call.args)
    result = _drawn_types(inference, call, values)
    if result is not None and len(node.bind.targets) != len(result.items):
        reason = f"it draws {len(result.items)} values, and {len(node.bind.targets)} are named on the left"
        inference.report(problems.DoesNotFit.at(node.bind.span, function=call.builtin, reason=reason))
    if result is None or len(node.bind.targets) != len(result.items):
        inference.give_up("a sample that was not understood")
        for target in node.bind.targets:
            inference.context.environment[target] = Judgement(UNKNOWN, moves.NOWHERE)
        return inference.body(node.rest).after(drawing)
    sampled = builtins.TABLE[call.builtin].trait(SampledRows)
    assert sampled is not None, "what has the rest of a block as its subject draws it"
    scheme = sampled.scheme
    alone = scheme is Sampling.POISSON
    names = " and ".join(dict.fromkeys(target.name for target in node.bind.targets))
    once = scheme is Sampling.WITHOUT_REPLACEMENT
    record = Var(names, gap=True, members=0 if alone else len(result.items), once=once)
    sources = _draw(inference, node, values[1:], result, record, alone)
    if alone:
        _in_places(inference, call, values[1:])
    drawn = inference.tuple_of(call.span, [inference.context.environment[target] for target in node.bind.targets])
    inference.recorder.judgements[call] = drawn
    value, effects = inference.body(node.rest)
    failures = []
    for failure in effects.failures:
        seen = _left_behind(Judgement(value.type, failure.moves), sources, record, call)
        failures.append(failure._replace(moves=seen.moves))
    costs: tuple[Cost, ...] = ()
    if effects.costs:
        costs = (_amplified(inference, call, scheme, values, sources, record, effects.cost),)
    return Evaluation(_left_behind(value, sources, record, call), Effects(costs, tuple(failures))).after(drawing)


def _drawn_types(inference: Inference, call: term.Call, values: list[Judgement]) -> TupleType | None:
    types = [inference.type(value) for value in values]
    if any(isinstance(type_, Unknown) for type_ in types):
        return None
    row = builtins.TABLE[call.builtin]
    solved = rows.solve(inference, call, row, types)
    if isinstance(solved, rows.NoMatch):
        return None
    form, args = solved
    rows.demand(inference, call, row, form, args)
    result = form.result(args)
    return result if isinstance(result, TupleType) else None


def _draw(
    inference: Inference,
    node: term.Scope,
    drawn_from: list[Judgement],
    result: TupleType,
    record: Var,
    alone: bool,
) -> dict[Var, Moves]:
    """Bring the drawn values into scope. Each moves with the record, and with a variable of its own, unless rows are
    there or not: then they are in all of them."""
    sources: dict[Var, Moves] = {}
    for target, type_, source in zip(node.bind.targets, result.items, drawn_from, strict=True):
        var = Var(target.name, gap=has_gap(inference.solver.type(type_)))
        sources[var] = inference.released(source.moves, target.span)
        own = moves.NOWHERE if alone else moves.own(var, target.span)
        value = Judgement(type_, {**own, **moves.own(record, target.span)})
        inference.context.environment[target] = value
        inference.recorder.facts[target.span] = (value, "")
    return sources


def _in_places(inference: Inference, call: term.Call, drawn_from: list[Judgement]) -> None:
    """Rows that are drawn by a coin each must be those of a matrix as it is: a change is a change of one."""
    for argument, source in zip(call.args[1:], drawn_from, strict=True):
        if source.moves and not _is_variable(source.moves):
            reason = f"`{inference.written(argument.span)}` was computed; draw the rows first, and compute then"
            inference.report(problems.DoesNotFit.at(argument.span, function=call.builtin, reason=reason))
            inference.give_up("a sample of what was computed")


def _amplified(
    inference: Inference,
    call: term.Call,
    scheme: Sampling,
    values: list[Judgement],
    sources: dict[Var, Moves],
    record: Var,
    body: Cost,
) -> Cost:
    draws = inference.static(values[0])
    matrix = inference.type(values[1])
    assert draws is not None and isinstance(matrix, Container) and isinstance(matrix.rows, Poly)
    along = {var: {outer: move.sens for outer, move in source.items()} for var, source in sources.items()}
    aligned = all(_is_variable(source) for source in sources.values())
    origin = Origin(call.span, "sampling")
    if not inference.context.rules.groups:
        for move in (move for source in sources.values() for move in source.values()):
            inference.demand(move.sens, "<=", ONE, origin._replace(reason="what is drawn from moves by at most 1"))
    return Sampled(scheme, magnitude(draws), magnitude(matrix.rows), along, record, aligned, body, origin)


def _left_behind(value: Judgement, sources: dict[Var, Moves], record: Var, call: term.Call) -> Judgement:
    """A value seen from outside the scope: what moves with a sample moves without bound with what it came from."""
    inner = {*sources, record}
    if not inner & value.moves.keys():
        return replace(value, form=None)
    escaped = [
        moves.scaled(source, INFINITY, call.span, laws.DRAWN)
        for var, source in sources.items()
        if var in value.moves or record in value.moves
    ]
    together = moves.added((moves.without(value.moves, inner), *escaped), call.span, laws.DRAWN)
    parts = tuple(_left_behind(part, sources, record, call) for part in value.parts)
    return Judgement(value.type, together, parts)


def _is_variable(moved: Moves) -> bool:
    """Whether these are the moves of a variable itself, so that its rows are in their own places. What was drawn moves
    with a variable of its own and with its record."""
    return bool(moved) and all(moves.is_itself(move) for move in moved.values())
