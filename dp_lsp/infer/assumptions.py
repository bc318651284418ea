"""Operations that still wait when a definition has been inferred: some can be settled now, and to report the rest
the types of parameters that nobody wrote are taken to be the first that fit, which is said."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.core import annotation, term
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.display import type_words
from dp_lsp.core.evaluate import symbols_of
from dp_lsp.core.notation import shown
from dp_lsp.core.scheme import Open, Scheme, SchemeParameter
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Base, Container, FunctionType, NumberType, Type, TypeVariable, without_static
from dp_lsp.infer import apply, conditions, dispatch, generalize, problems, rows
from dp_lsp.infer.effects import NONE, Effects, in_sequence
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import Mismatch

_ROUNDS = 30  # in which operations are settled that were found when others were


class Assumed(NamedTuple):
    """A scheme as it is reported, and what was assumed for that."""

    scheme: Scheme
    texts: tuple[str, ...] = ()


def settle(inference: Inference) -> Effects:
    """Settle the operations that have what they waited for. Gives the effects of choosing what they do."""
    effects = []
    progress = True
    while progress:
        progress = False
        for each in list(inference.opens):
            if not _waits(inference, each):
                inference.opens.remove(each)
                effects.append(_done(inference, each))
                progress = True
    return in_sequence(effects)


def assume(inference: Inference, method: term.Method, body: generalize.Body, scheme: Scheme) -> Assumed:
    """The scheme with every type that its operations wait for taken to be the first that fits."""
    whole, taken = body, scheme
    if inference.opens:
        settled, effects = _taken(inference, method, body.settled)
        whole = body._replace(settled=settled, effects=in_sequence((body.effects, effects)))
        taken = generalize.scheme(inference, method, whole)
    if _unsettled(inference, taken):
        inference.report(problems.NeedsTypes.at(method.name_span, name=method.name))
        taken = generalize.scheme(inference, method, whole)
    return Assumed(taken, tuple(dict.fromkeys(texts(scheme, taken))))


def _taken(
    inference: Inference, method: term.Method, settled: conditions.Settled
) -> tuple[conditions.Settled, Effects]:
    """Settle everything but calls of functions that only a caller knows. Gives the conditions as they are then, and the
    effects of choosing what the operations do."""
    reported = len(inference.problems)
    since = conditions.Mark.now(inference)
    effects, settled_all = _take_all(inference)
    _one_function(inference)
    for need in settled.needs:  # which may be decided now that more is known
        inference.demand(*need[:4])
    again = conditions.settle(inference, since)
    if len(inference.problems) > reported or not settled_all:
        del inference.problems[reported:]
        inference.report(problems.NeedsTypes.at(method.name_span, name=method.name))
    return again._replace(holds=again.holds and settled.holds), effects


def _take_all(inference: Inference) -> tuple[Effects, bool]:
    """Settle all operations but calls of parameters: the effects, and whether that came to an end. One that calls a
    function may find operations in it that wait, too."""
    effects = []
    for _ in range(_ROUNDS):
        waiting = [each for each in inference.opens if not _is_parameter(inference, each)]
        for each in waiting:
            inference.opens.remove(each)
            _take(inference, each)
            effects.append(_done(inference, each))
        if not waiting:
            return in_sequence(effects), True
    return in_sequence(effects), False


def _unsettled(inference: Inference, shown: Scheme) -> bool:
    """Whether a bound depends on an operation that is neither settled nor waits for a caller."""
    known = {symbol for each in shown.opens for symbol in each.symbols}
    lost = {symbol for each in inference.waiting.values() for symbol in each.symbols} - known
    sides = [side for need in shown.needs for side in (need.left, need.right)]
    found = [symbols_of(side) for side in (*sides, *(move.sens for move in shown.result.moves.values()))]
    return any(not lost.isdisjoint(symbols) for symbols in found)


def _one_function(inference: Inference) -> None:
    """A function that is a parameter is reported as equally sensitive, and as private, wherever it is called."""
    first: dict[tuple[Type, int], Symbol] = {}
    for each in inference.opens:
        if isinstance(each.callee, str):
            continue  # there are more than were settled, which is reported
        callee = inference.solver.type(each.callee)
        spent = () if each.release is None else each.release.epsilon + each.release.delta
        for index, symbol in enumerate((*each.symbols, *spent)):
            known = symbol and first.setdefault((callee, index), symbol)
            if symbol is not None and known is not None and known is not symbol:
                inference.solver.bind_factor(symbol, Sens.of(known))


def _waits(inference: Inference, each: Open) -> bool:
    given = [inference.given(value) for value in each.arguments]
    if isinstance(each.callee, str):
        return rows.waits(inference, builtins.TABLE[each.callee], given)
    callee = inference.solver.type(each.callee)
    if isinstance(callee, FunctionType):
        return dispatch.waits(callee.value, [inference.given_type(value) for value in given])
    return True


def _is_parameter(inference: Inference, each: Open) -> bool:
    """Whether it is a call of a function that only a caller knows."""
    return not isinstance(each.callee, str) and isinstance(inference.solver.type(each.callee), TypeVariable)


def _take(inference: Inference, each: Open) -> None:
    given = [inference.given(value) for value in each.arguments]
    if isinstance(each.callee, str):
        rows.assume(inference, builtins.TABLE[each.callee], given)
        return
    callee = inference.solver.type(each.callee)
    if not isinstance(callee, FunctionType):
        return  # a call of something that turned out to be no function, which settling it says
    first = next(method for method in callee.value.methods if len(method.params) == len(given))
    for param, value in zip(first.params, map(inference.given_type, given), strict=True):
        if isinstance(value, TypeVariable):
            inference.solver.bind_type(value, annotation.instantiate(param.declared, value.name))
        elif isinstance(value, Container) and isinstance(value.element, TypeVariable):
            inference.solver.bind_type(value.element, NumberType(Base.REAL))


def _done(inference: Inference, each: Open) -> Effects:
    """Settle an operation: its result and its factors are known from now on."""
    callee = each.callee if isinstance(each.callee, str) else inference.solver.type(each.callee)
    site = apply.Site(each.span, each.span, ())
    found = apply.attempt(inference, site, callee, [inference.given(value) for value in each.arguments])
    if found is None:
        return NONE
    solver = inference.solver
    expected, actual = solver.type(each.result), without_static(found.result)
    try:
        fits = isinstance(expected, TypeVariable) or without_static(solver.join(expected, actual)) == expected
    except Mismatch:
        fits = False
    if isinstance(expected, TypeVariable):
        solver.bind_type(expected, actual)
    if not fits:
        reason = f"its result is {type_words(actual)}, and it is used as {type_words(expected)}"
        inference.report(problems.DoesNotFit.at(each.span, function=inference.written(each.span), reason=reason))
    for symbol, factor in zip(each.symbols, found.factors, strict=True):
        if symbol is not None:
            solver.bind_factor(symbol, factor)
    return found.effects


def texts(scheme: Scheme, shown: Scheme) -> list[str]:
    """What was assumed, and what stays open, in words."""
    found = []
    for general, taken in zip(scheme.params, shown.params, strict=True):
        if not _is_open(taken.type) and (_is_open(general.type) or annotation.is_open(general.declared)):
            found.append(f"`{taken.name}` is {'a public number' if taken.static else dispatch.given_words(taken.type)}")
    found += _alike(shown)
    by_function = {param.type: param for param in shown.params}
    for each in shown.opens:
        param = by_function.get(each.callee) if not isinstance(each.callee, str) else None
        if param is not None:
            found.append(_function_text(param, each))
    return found


def _alike(shown: Scheme) -> list[str]:
    """Which parameters are taken to be of one type that is not known, as those that one value may be."""
    names: dict[Type, list[str]] = {}
    for param in shown.params:
        if isinstance(param.type, TypeVariable):
            names.setdefault(param.type, []).append(f"`{param.name}`")
    return [f"{' and '.join(alike)} are of one type" for alike in names.values() if len(alike) > 1]


def _function_text(param: SchemeParameter, each: Open) -> str:
    if not each.arguments:
        return f"`{param.name}` is a {'private ' if each.release else ''}function without arguments"
    if each.release is not None:
        pairs = zip(each.release.epsilon, each.release.delta, strict=True)
        listed = " and ".join(f"({epsilon!r}, {delta!r})" for epsilon, delta in pairs)
        return f"`{param.name}` is a private function, {listed}-private in its argument{_s(each)}"
    listed = " and ".join(map(shown, each.factors))
    return f"`{param.name}` is a function that is {listed}-sensitive in its argument{_s(each)}"


def _s(each: Open) -> str:
    return "" if len(each.arguments) == 1 else "s"


def _is_open(type_: Type) -> bool:
    return isinstance(type_.element if isinstance(type_, Container) else type_, TypeVariable)
