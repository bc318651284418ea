"""Runs of a function up to one of its mechanisms: what would get the noise there, on inputs that are tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.builtins.concrete import Undefined, Value, array, entrywise, is_container
from dp_lsp.builtins.define import Form, Noise
from dp_lsp.core import term
from dp_lsp.engine.check import Suspect
from dp_lsp.meaning.interpreter import Interpreter

RELEASED = (Fraction(1), Fraction(-2), Fraction(0))
"""Numbers that mechanisms may have released before."""


class Mechanism(NamedTuple):
    """A call of a mechanism, and the distance that it declares; None if that is always 1."""

    call: term.Call
    form: Form
    noise: Noise
    declared: term.Term | None

    def compared(self, args: Sequence[Value]) -> Value:
        """What the noise is added to: the hidden argument, or all answers of the functions that are called."""
        given = dict(zip((param.name for param in self.form.params), args, strict=True))
        hidden = given[self.noise.hidden]
        if self.form.applies is None:
            return hidden.reshape(-1) if is_container(hidden) else hidden
        if callable(hidden):
            return array(hidden(each) for each in given[self.noise.exposed[0]])
        return array(each(hidden) for each in given[self.form.applies.argument])


class _Reached(Exception):
    """The run of a mechanism that is looked at; it ends the run of the function."""


class Runs:
    """Runs of the function, up to the run of its mechanism that is number ``which`` (the first is 0). ``number`` is
    what all noisy numbers turn out to be, ``followed`` whether something was released before in the last run, and
    ``depends`` whether that was so in any; ``furthest`` is the largest ``which`` that there was, and
    ``drawn`` the number of rows in a sample."""

    def __init__(self, suspect: Suspect, mechanism: Mechanism) -> None:
        self._method = suspect.method
        self._mechanism = mechanism
        self._interpreter = Interpreter(suspect.definitions, released=self._released)
        self._left = 0
        self._value: Value = None
        self.which = self.furthest = 0
        self.number = RELEASED[0]
        self.followed = self.depends = False
        self.shape: tuple[int, ...] | None = None
        self.drawn: int | None = None

    def __call__(self, arguments: Sequence[Value]) -> Value:
        self._left, self.followed, self.drawn = self.which, False, None
        try:
            self._interpreter.run(self._method, arguments)
        except _Reached:
            return self._value
        raise Undefined("the mechanism is not reached")

    def _released(self, call: term.Call, args: list[Value]) -> Value:
        if call is self._mechanism.call:
            if not self._left:
                self.shape = next((each.shape for each in reversed(args) if is_container(each)), None)
                self._value = self._mechanism.compared(args)
                self.furthest = max(self.furthest, self.which)
                raise _Reached
            self._left -= 1
        if builtins.TABLE[call.builtin].scope == "tail":
            return self._first_rows(*args)
        self.followed = self.depends = True
        return self._outcome(call, args)

    def _first_rows(self, draws: int, *matrices: Value) -> tuple[Value, ...]:
        """One of the samples that may be drawn."""
        if any(draws > matrix.shape[0] for matrix in matrices):
            raise Undefined("there are fewer rows")
        self.drawn = draws
        return tuple(matrix[:draws].copy() for matrix in matrices)

    def _outcome(self, call: term.Call, args: list[Value]) -> Value:
        """Something that a mechanism may return: a candidate, an index, or any numbers."""
        form = _noisy_form(call)
        assert form is not None and form.noise is not None, "only a mechanism releases something"
        given = dict(zip((param.name for param in form.params), args, strict=True))
        hidden = given[form.noise.hidden]
        if form.applies is None:
            return entrywise(lambda entry: self.number, hidden) if is_container(hidden) else self.number
        if not callable(hidden):
            return 1
        candidates = given[form.noise.exposed[0]]
        if not candidates.size:
            raise Undefined("no candidates")
        return candidates.flat[0]


def mechanisms(suspect: Suspect) -> Iterator[Mechanism]:
    """The mechanisms whose input the problem is about, or what is declared of it; the nearest ones first."""
    start, end = suspect.problem.span.moved(-suspect.start)
    found: list[tuple[int, Mechanism]] = []
    for node in suspect.inferred.judgements:
        form = _noisy_form(node) if isinstance(node, term.Call) else None
        if isinstance(node, term.Call) and form is not None and form.noise is not None:
            args = dict(zip((param.name for param in form.params), node.args, strict=False))
            declared = args[form.noise.declares] if form.noise.declares else None
            for given in (args.get(form.noise.hidden), declared):
                if given is not None and given.span.start <= start and end <= given.span.end:
                    length = given.span.end - given.span.start
                    found.append((length, Mechanism(node, form, form.noise, declared)))
    return (mechanism for _, mechanism in sorted(found, key=lambda each: each[0]))


def _noisy_form(call: term.Call) -> Form | None:
    return next((form for form in builtins.TABLE[call.builtin].forms if form.noise is not None), None)
