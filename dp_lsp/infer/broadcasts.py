"""Broadcasts, typed by which of their operands are containers and which are scalars.

A scalar operand is taken out: inside of the function its name stands for the scalar itself, so it counts as a captured
value, and a public one keeps its value. What remains goes over one container, or several of one size.
"""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp import builtins
from dp_lsp.builtins.traits import Broadcasts
from dp_lsp.core import term
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.term import Bind, Body, Local, Use
from dp_lsp.core.types import BoolType, Container, Dataset, NumberType, Type, TypeVariable, Unknown
from dp_lsp.core.values import replace
from dp_lsp.infer import problems
from dp_lsp.infer.effects import NOT_UNDERSTOOD, Evaluation
from dp_lsp.infer.inference import Inference


def spread(
    inference: Inference, node: term.Call, over: Sequence[Judgement]
) -> tuple[term.Call | Body | None, list[Judgement]]:
    """A broadcast without its scalar operands, and the containers it goes over; its body alone where it goes over none;
    None, with a problem, where the operands' types do not tell."""
    trait = builtins.TABLE[node.builtin].trait(Broadcasts)
    function, *given = node.args
    assert trait is not None and isinstance(function, term.Closure), "who lowers a broadcast writes its function"
    (method,) = function.methods
    assert method.body is not None, "it is written there"
    types = [inference.type(value) for value in over]
    if any(isinstance(type_, Unknown) for type_ in types):
        return None, []
    numbers = [isinstance(type_, NumberType | BoolType) for type_ in types]
    numbers[0] = numbers[0] and not trait.picks
    wrong = next((place for place, type_ in enumerate(types) if not _fits(trait, place, type_, numbers)), None)
    if wrong is not None:
        _refuse(inference, node, given[wrong], types[wrong], trait)
        return None, []
    if not any(numbers):
        return node, list(over)
    for place in _places(numbers, True):
        local = method.params[place].local
        inference.bind(Bind(given[place].span, (local,), given[place]), over[place])
        inference.context.spread.add(local)
    kept = _places(numbers, False)
    if not kept:
        return method.body, []
    left = replace(method, params=tuple(method.params[place] for place in kept))
    uses = [Use(given[place].span, Local(method.params[place].local.name, given[place].span)) for place in kept]
    for place, use in zip(kept, uses, strict=True):
        inference.bind(Bind(use.span, (use.local,), given[place]), over[place])
    call = replace(node, args=(replace(function, methods=(left,)), *uses))
    return call, [over[place] for place in kept]


def of_numbers(inference: Inference, node: term.Call, found: Evaluation) -> Evaluation:
    """A broadcast over scalars alone, which is a scalar."""
    if found.effects.costs:
        reason = "what releases something is called without a dot, on one value"
    elif not isinstance(inference.type(found.value), NumberType | BoolType | Unknown):
        reason = "its function must return numbers"
    else:
        return found
    inference.report(problems.DoesNotFit.at(node.span, function=inference.written(node.span), reason=reason))
    return NOT_UNDERSTOOD.after(found.effects)


def _places(numbers: Sequence[bool], wanted: bool) -> list[int]:
    return [place for place, number in enumerate(numbers) if number is wanted]


def _fits(trait: Broadcasts, place: int, type_: Type, numbers: Sequence[bool]) -> bool:
    """Whether a broadcast may go over this. What may be any value is taken to be a container where all else is numbers,
    but for a mask, which picks of the first one alone."""
    if numbers[place] or (trait.picks and not place):
        return True
    if trait.picks:
        return False
    return isinstance(type_, Container | Dataset) or (isinstance(type_, TypeVariable) and numbers.count(False) == 1)


def _refuse(inference: Inference, node: term.Call, given: term.Term, type_: Type, trait: Broadcasts) -> None:
    """Report what a broadcast cannot go over, or of which it is not known what it is."""
    written = inference.written(given.span)
    if isinstance(type_, TypeVariable):
        reason = f"it is not known whether `{written}` is a number; annotate it"
    elif trait.picks:
        reason = f"a mask that is made of `{written}` picks by position, and which record stands where is not protected"
    else:
        reason = f"`{written}` is {type_words(type_)}, and has no entries"
    inference.report(problems.DoesNotFit.at(node.span, function=inference.written(node.span), reason=reason))
