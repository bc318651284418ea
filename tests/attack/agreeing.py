"""Both evaluators on one program: that of :mod:`evaluator`, which reads text, and the interpreter of the checker's
core (:mod:`dp_lsp.meaning`), by which other searches refute claims."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from dp_lsp.analysis.records import Options
from dp_lsp.builtins.meanings import NoMeaning, Undefined, array, is_container
from dp_lsp.core.term import Method
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.interpreter import Interpreter
from evaluator.claims import Claim
from evaluator.failures import Failure, SyntaxFailure, Unmodelled
from evaluator.judging import Judge
from evaluator.shown import shown
from evaluator.values import Array, Range, Turned

TRIES = 3


class _Other(Exception):
    """A value that only one of the two knows."""


def disagreements(text: str, said: Sequence[Claim], seed: int, engine: Engine | None = None) -> Iterator[str]:
    """Calls of functions that are proved to be sensitive for which the two give different values, or only one fails."""
    found = (engine or Engine()).definitions(text, Options(facts=False))
    interpreter = Interpreter([each.definition for each in found])
    methods: dict[str, list[Method]] = {}
    for each in found:
        if isinstance(each.definition, Method):
            methods.setdefault(each.definition.name, []).append(each.definition)
    try:
        judge = Judge(text, seed)
    except (Failure, Unmodelled, SyntaxFailure):
        return
    for claim in said:
        if claim.private or len(methods.get(claim.name, [])) != 1:
            continue
        for _ in range(TRIES):
            try:
                args = judge.arguments(claim)
                one, other = _here(judge, claim, args), _there(interpreter, methods[claim.name][0], args)
            except (Unmodelled, NoMeaning, _Other):
                continue
            if not _same(one, other):
                yield f"`{claim.name}`({', '.join(map(shown, args))}): {_said(one)} here, {_said(other)} there"
                break


def _here(judge: Judge, claim: Claim, args: Sequence[Any]) -> Any:
    run = judge.run(claim.name, args)
    return Undefined(run.failure) if run.failure else _plain(run.value)


def _there(interpreter: Interpreter, method: Method, args: Sequence[Any]) -> Any:
    try:
        return interpreter.run(method, [_plain(arg) for arg in args])
    except Undefined as failure:
        return failure


def _plain(value: Any) -> Any:
    """A value of the evaluator as one of the interpreter."""
    if value is None:
        return ()
    if isinstance(value, bool | int | Fraction):
        return value
    if isinstance(value, Array | Turned | Range):
        return array([_plain(entry) for entry in value.entries], tuple(value.shape))
    if type(value) is tuple:
        return tuple(map(_plain, value))
    raise _Other


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Undefined) or isinstance(other, Undefined):
        return isinstance(one, Undefined) and isinstance(other, Undefined)
    if is_container(one) or is_container(other):
        both = is_container(one) and is_container(other) and one.shape == other.shape
        return both and all(map(_same, one.flat, other.flat))
    if isinstance(one, tuple) or isinstance(other, tuple):
        both = isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other)
        return both and all(map(_same, one, other))
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _said(value: Any) -> str:
    return f"a failure ({value})" if isinstance(value, Undefined) else str(value)
