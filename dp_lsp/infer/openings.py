"""Deferred constraints: operations that wait until more is known of the types of their arguments, or of the function
they call.

An open operation has a result of an open type, and moves with each argument by a factor that is a symbol. It is part
of the scheme of the function it stands in, and settled in each call.

The call of the function that is open settles the operation where the types are known (:mod:`dp_lsp.infer.apply`),
and what a private one spends is the ``Answer`` to an ``Awaited`` event. The report of the function itself assumes the
widest types that fit (:mod:`dp_lsp.infer.generalize`) and says so as conditions. Only so many operations wait in one
function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dp_lsp.builtins import monotonicity
from dp_lsp.builtins.define import Builtin, Form, no_demands
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import Sign, Symbol
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Awaited, EffectVariable
from dp_lsp.core.metrics import has_steps
from dp_lsp.core.scheme import Given, Judgement, Moves, Open
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.types import NumberType, Type, TypeVariable
from dp_lsp.infer import moves, rows
from dp_lsp.infer.effects import NONE, Effects, Evaluation, failing, in_sequence, spending
from dp_lsp.infer.explain import WAITING
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.mechanisms import distances
from dp_lsp.language import Semantics
from dp_lsp.text import Span

MOST = 32  # operations of one function that wait; more are settled by taking types to be numbers


def opened(
    inference: Inference, span: Span, callee: str | Type, given: Sequence[Given], factor: Sens | None = None
) -> Open:
    """A deferred operation. Equal ones share a result. ``factor`` is the sensitivity in each argument, where that is
    the same for all types."""
    key = (callee, tuple(value.norm if isinstance(value, term.NormArgument) else value for value in given))
    known = inference.solver.waiting.get(key)
    if known is None:
        name = callee.name if isinstance(callee, TypeVariable) else ""
        names = [f"{WAITING}{name or 'an argument'}, {index})" for index in range(1, len(given) + 1)]
        factors = tuple(factor or Sens.of(Symbol(each, Sign.NONNEGATIVE)) for each in names)
        releases = isinstance(callee, TypeVariable) and callee.releases
        release = _release(name, len(given)) if releases else None
        known = Open(callee, tuple(given), TypeVariable(f"{name or 'an operation'}(…)"), factors, span, release)
        inference.solver.defer(key, known)
    return known


def _decides(semantics: Semantics, builtin: str, form: Form, index: int, given: Given) -> bool:
    """Whether an argument may decide if the run fails: side conditions exclude that of a static one, once it is known
    what they are about."""
    excluded = form.demands is not no_demands and isinstance(given, NumberType) and given.static is not None
    fails_on = semantics.fails_on(builtin, form.fails_on, tuple(param.name for param in form.params))
    return form.params[min(index, len(form.params) - 1)].name in fails_on and not excluded


def row(
    inference: Inference, node: term.Call, builtin: Builtin, given: Sequence[Given], values: Sequence[Judgement]
) -> Evaluation | None:
    """A deferred call of a builtin; None if too many operations are deferred already."""
    if len(inference.solver.opens) >= MOST:
        return None
    known = opened(inference, node.span, builtin.name, given, rows.constant_factor(inference, builtin, given))
    semantics = inference.context.language.semantics
    deciding = [
        value.moves
        for index, (value, type_) in enumerate(zip(values, given, strict=True))
        if any(_decides(semantics, builtin.name, form, index, type_) for form in builtin.forms)
    ]
    effects = NONE
    if deciding and inference.context.rules.failures:
        seen = moves.combined(((moved, INFINITY) for moved in deciding), node.span, laws.FAILURE, builtin.name)
        effects = failing(seen, node.span)
    weighted = _weighted(known, [value.moves for value in values])
    going = monotonicity.whatever(builtin, len(values))
    return Evaluation(Judgement(known.result, moves.combined(weighted, node.span, builtin.name, ways=going)), effects)


def call(
    inference: Inference, node: term.Apply, callee: Type, function: Judgement, arguments: Sequence[Judgement]
) -> Evaluation:
    """A deferred call of an unknown function. That of a parameter that may release is an ``Awaited`` event: any (ε, δ)
    in each argument, and a public result."""
    known = opened(inference, node.span, callee, [inference.type(argument) for argument in arguments])
    if known.release is not None:
        effects = _spent(inference, node, known.release, function, arguments)
        return Evaluation(Judgement(known.result, moves.NOWHERE), effects)
    name = inference.written(node.function.span)
    weighted = [(function.moves, ONE), *_weighted(known, [argument.moves for argument in arguments])]
    return Evaluation(Judgement(known.result, moves.combined(weighted, node.span, laws.CALL, name)))


def _weighted(known: Open, arguments: Sequence[Moves]) -> Iterator[moves.Weighted]:
    """The result moves by the sum of what its arguments move, each times the factor that stands for its."""
    return zip(arguments, known.factors, strict=True)


def _release(name: str, count: int) -> EffectVariable:
    symbols = [
        tuple(Symbol(f"{what}({name}, {index})", Sign.NONNEGATIVE) for index in range(1, count + 1))
        for what in ("epsilon", "delta")
    ]
    return EffectVariable(name, symbols[0], symbols[1])


def _spent(
    inference: Inference, node: term.Apply, release: EffectVariable, function: Judgement, arguments: Sequence[Judgement]
) -> Effects:
    given = []
    stepped = tuple(has_steps(inference.type(argument)) for argument in arguments)
    for argument, written in zip(arguments, node.args, strict=True):
        origin = Origin(written.span, f"the privacy of `{release.name}` holds for a change of at most 1")
        given.append(distances(inference, written.span, argument.moves, origin))
    origin = Origin(node.span, f"`{release.name}` releases what it captured")
    awaited = Awaited(release, tuple(each.distances for each in given), origin, stepped)
    lost = inference.leak(function.moves, origin)
    return in_sequence([*(each.effects for each in given), lost, spending(awaited)])
