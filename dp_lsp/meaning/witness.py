"""Counterexamples for people: two neighbouring inputs for which a mechanism hides less than it must.

The mechanism declares how far its input moves when one person's data changes by 1. The function is run on both inputs,
and what would get the noise is compared, in the norm that the noise is made for.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.builtins.define import Noise
from dp_lsp.builtins.meanings import Undefined, Value, entrywise, is_container
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.scheme import FunctionValue, Judgement, Move, Scheme
from dp_lsp.core.sens import magnitude
from dp_lsp.core.types import Container, NumberType
from dp_lsp.engine.check import Suspect
from dp_lsp.meaning.interpreter import Interpreter, NoMeaning
from dp_lsp.meaning.refuter import Pair, Run, search
from dp_lsp.meaning.spaces import NotASpace
from dp_lsp.text import Span

_SETTINGS, _TRIES = 4, 60


class _Mechanism(NamedTuple):
    """A call of a mechanism: what it hides, and the distance that it declares."""

    hidden: term.Term
    declared: term.Term
    noise: Noise


def witness(suspect: Suspect, look: Callable[[], None] = lambda: None) -> str:
    """Two inputs that show a claim to be too small, as a sentence; or how many were tried, or why none could be.

    ``look`` is called again and again, and may raise to stop."""
    mechanism = next(_mechanisms(suspect), None)
    scheme = _scheme(suspect, mechanism) if mechanism is not None else None
    if mechanism is None or scheme is None:
        return "no counterexample was looked for: this cannot be run on inputs"
    interpreter = Interpreter(suspect.definitions, watched=mechanism.hidden)

    def run(arguments: Sequence[Value]) -> Value:
        interpreter.run(suspect.method, arguments)
        if not interpreter.seen:
            raise Undefined("the mechanism is not reached")
        return interpreter.seen[0]

    try:
        found = search(scheme, run, random.Random(0), _SETTINGS, _TRIES, look, whole=True)
    except (NotASpace, NoMeaning) as reason:
        return f"no counterexample was looked for: this cannot be run on inputs ({reason})"
    pair = found.refutation
    if pair is None:
        return f"no counterexample was found in {found.tries:,} tries: what is said to be possible may be too much"
    return _said([param.name for param in scheme.params], pair, [*_relevant(pair, run)])


def _relevant(pair: Pair, run: Run) -> Iterator[int]:
    """The other parameters whose values matter for what is shown."""
    for place, value in enumerate(pair.inputs):
        if place != pair.place:
            try:
                other = run((*pair.inputs[:place], _another(value), *pair.inputs[place + 1 :]))
            except (Undefined, OverflowError):
                other = None
            if shown(other) != shown(pair.results[0]):
                yield place


def _another(value: Value) -> Value:
    if is_container(value):
        return entrywise(_another, value)
    return tuple(map(_another, value)) if isinstance(value, tuple) else not value if value is True else value + 1


def _mechanisms(suspect: Suspect) -> Iterator[_Mechanism]:
    """The mechanism whose input the problem is about."""
    place = suspect.problem.span.moved(-suspect.start)
    for node in suspect.inferred.judgements:
        if isinstance(node, term.Call):
            form = next((form for form in builtins.TABLE[node.builtin].forms if form.noise is not None), None)
            if form is not None and form.noise is not None and form.noise.declares is not None:
                names = [param.name for param in form.params]
                hidden, declared = (node.args[names.index(each)] for each in (form.noise.hidden, form.noise.declares))
                if hidden.span == place:
                    yield _Mechanism(hidden, declared, form.noise)


def _scheme(suspect: Suspect, mechanism: _Mechanism) -> Scheme | None:
    """The method as a function that returns what its mechanism hides, and claims to move as far as that declares."""
    inferred, value = suspect.inferred, suspect.inferred.value
    declared = inferred.judgements.get(mechanism.declared)
    hidden = inferred.judgements.get(mechanism.hidden)
    if not isinstance(value, FunctionValue) or not value.methods or declared is None or hidden is None:
        return None
    type_ = inferred.solver.type(hidden.type)
    if isinstance(type_, Container) and mechanism.noise.norm is not None:
        type_ = replace(type_, norm=mechanism.noise.norm)
    distance = inferred.solver.type(declared.type)
    if not isinstance(distance, NumberType) or not isinstance(distance.static, Poly):
        return None
    scheme = value.methods[0]
    move = Move(magnitude(distance.static), Span(0, 0), "")
    moves = {param.var: move for param in scheme.params}
    return replace(scheme, result=Judgement(type_, moves), needs=())


def _said(names: Sequence[str], pair: Pair, relevant: Sequence[int]) -> str:
    changed = names[pair.place]
    rest = [f"{names[place]} = {shown(pair.inputs[place])}" for place in relevant]
    given = f" (with {', '.join(rest)})" if rest else ""
    before, after = map(shown, pair.results)
    return (
        f"counterexample: {changed} = {shown(pair.inputs[pair.place])} and {changed}′ = {shown(pair.other)}{given}, "
        f"{shown(pair.apart)} apart, give {before} and {after}, {shown(pair.moved)} apart; you declared {_most(pair)}"
    )


def _most(pair: Pair) -> str:
    """What was declared, for a change of this size."""
    assert pair.claimed is not None, "what refutes has a claim"
    once = shown(pair.claimed)
    return once if pair.apart <= 1 else f"{once} for a change of 1, so {shown(pair.limit)} for this one"


def shown(value: Value) -> str:
    """A value for a person: exact, but for roots."""
    if value is None:
        return "nothing"
    if is_container(value):
        if value.ndim == 1:
            return f"[{', '.join(map(shown, value))}]"
        return f"[{'; '.join(' '.join(map(shown, row)) for row in value)}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(Fraction(value))
