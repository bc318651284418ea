"""Counterexamples for people: two neighbouring inputs for which a mechanism hides less than it must, or that move a
result further than a comment says.

A mechanism declares how far its input moves when one person's data changes by 1. The function is run on both inputs,
and what would get the noise is compared, in the norm that the noise is made for. What was released before is known to
everybody, so it is the same in both runs: noise may have made any number of it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count

from dp_lsp import builtins
from dp_lsp.builtins.define import Form, Noise
from dp_lsp.builtins.meanings import NoMeaning, Undefined, Value, array, entrywise, is_container
from dp_lsp.builtins.traits import SampledRows
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Constraint, decide
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.scheme import FunctionValue, Judgement, Move, Scheme
from dp_lsp.core.sens import ONE, Sens, magnitude
from dp_lsp.core.types import REAL, Clip, Container, Kind, Norm, NumberType, Type
from dp_lsp.engine.check import Suspect
from dp_lsp.engine.claimed import Asserted
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.meaning.refuter import About, InputPair, Late, Run, search
from dp_lsp.meaning.spaces import NotASpace, put_in
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_SETTINGS, _TRIES, _FEWER = 16, 16, 5
_RUNS = 8  # the runs of a mechanism in a loop that are looked at
_SECONDS = 0.8  # of computing, after which no more is tried


class _NeverRuns(Exception):
    """The function fails on all that was tried."""


class _Hidden(NamedTuple):
    """What a mechanism declares: of a function that returns what it hides."""

    scheme: Scheme
    runs: _Runs
    mechanism: _Mechanism

    def found(self, look: Callable[[], None]) -> InputPair | None:
        return _found(self.scheme, self.runs, look)

    def said(self, pair: InputPair, look: Callable[[], None]) -> str:
        return _said_of_mechanism([param.name for param in self.scheme.params], pair, self.runs, self.mechanism, look)


class _Commented(NamedTuple):
    """What a comment says of how far the result of a function moves."""

    scheme: Scheme
    runs: Run
    about: About

    def found(self, look: Callable[[], None]) -> InputPair | None:
        """A pair of neighbours, else one that is nearer or further apart."""
        ran = False
        for whole in (True, False):
            source = random.Random(whole)
            tried = _SETTINGS if whole else _FEWER, _TRIES
            found = search(self.scheme, self.runs, source, *tried, look, whole, self.about)
            if found.refutation is not None:
                return found.refutation
            ran |= bool(found.pairs)
        if not ran:
            raise _NeverRuns
        return None

    def said(self, pair: InputPair, look: Callable[[], None]) -> str:
        names = [param.name for param in self.scheme.params]
        rest = [f"{names[place]} = {shown(pair.inputs[place])}" for place in _relevant(pair, self.runs, look)]
        return _said(names, pair, rest, *map(shown, pair.results)) + f"; its comment says at most {_most(pair)}"


def witness(suspect: Suspect, look: Callable[[], None] = lambda: None) -> str:
    """Two inputs that show a claim to be too small, as a sentence; or how many were tried, or why none could be.

    ``look`` is called again and again, and may raise to stop."""
    sought = _hidden(suspect) if suspect.asserted is None else _commented(suspect, suspect.asserted)
    if sought is None:
        return "no counterexample was looked for: this cannot be run on inputs"
    tried = count()
    end = time.process_time() + _SECONDS

    def until() -> None:
        look()
        next(tried)
        if time.process_time() > end:
            raise Late

    try:
        pair = sought.found(until)
    except Late:
        pair = None
    except (NotASpace, NoMeaning) as reason:
        given = "it is given a function" if isinstance(sought, _Hidden) else "it is given a function, or returns one"
        why = given if isinstance(reason, NotASpace) else str(reason)
        return f"no counterexample was looked for: this cannot be run on inputs ({why})"
    except _NeverRuns:
        return f"no counterexample was found: it fails on all {next(tried):,} inputs that were tried"
    if pair is None:
        return f"no counterexample was found in {next(tried):,} tries: what is said to be possible may be too much"
    return sought.said(_turned(pair), until)


def _found(scheme: Scheme, runs: _Runs, look: Callable[[], None]) -> InputPair | None:
    """A pair for one of the runs of the mechanism. Later runs, and other numbers that were released before, are tried
    less often than the first."""
    ran = False
    for runs.which in range(_RUNS):
        for number, runs.number in enumerate(_RELEASED):
            source, first = random.Random(10 * runs.which + number), not (runs.which or number)
            found = search(scheme, runs, source, _SETTINGS, _TRIES if first else _FEWER, look, whole=True)
            ran |= bool(found.pairs)
            if found.refutation is not None or not runs.depends:
                break
        if not ran:
            raise _NeverRuns
        if found.refutation is not None or (runs.which and not runs.furthest):
            return found.refutation
    return None


def _relevant(pair: InputPair, runs: Run, look: Callable[[], None]) -> Iterator[int]:
    """The other parameters whose values matter for what is shown; all of which it is too late to find out, too."""
    for place, value in enumerate(pair.inputs):
        if place != pair.place and any(_differs(pair, runs, place, another(value), look) for another in _ANOTHER):
            yield place


def _differs(pair: InputPair, runs: Run, place: int, value: Value, look: Callable[[], None]) -> bool:
    """Whether another value of a parameter gives other results than those that are shown."""
    try:
        look()
    except Late:
        return True
    changed = (*pair.inputs[:place], value, *pair.inputs[place + 1 :])
    both = changed, (*changed[: pair.place], pair.other, *changed[pair.place + 1 :])
    return any(_result(runs, each) != shown(known) for each, known in zip(both, pair.results, strict=True))


def _result(runs: Run, inputs: Sequence[Value]) -> str:
    """What is compared for some inputs; empty where the function fails."""
    try:
        return shown(runs(inputs))
    except (Undefined, OverflowError):
        return ""


def _everywhere(number: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Another number for every number of a value, and the other truth value for each."""

    def of(value: Value) -> Value:
        if is_container(value):
            return entrywise(of, value)
        if isinstance(value, tuple):
            return tuple(map(of, value))
        return not value if isinstance(value, bool) else number(value)

    return of


_ANOTHER = tuple(map(_everywhere, (lambda number: number + 1, lambda number: number * 0, lambda number: -number - 1)))


def _turned(pair: InputPair) -> InputPair:
    """The pair with the smaller input first."""
    first = pair.inputs[pair.place]
    if _size(first) <= _size(pair.other):
        return pair
    inputs = (*pair.inputs[: pair.place], pair.other, *pair.inputs[pair.place + 1 :])
    return pair._replace(inputs=inputs, other=first, results=pair.results[::-1])


def _size(value: Value) -> Value:
    if is_container(value) or isinstance(value, tuple):
        return sum(map(_size, value.flat if is_container(value) else value))
    return abs(value)


def _hidden(suspect: Suspect) -> _Hidden | None:
    mechanism = next(_mechanisms(suspect), None)
    scheme = _scheme(suspect, mechanism) if mechanism is not None else None
    if mechanism is None or scheme is None:
        return None
    return _Hidden(scheme, _Runs(suspect, mechanism), mechanism)


def _commented(suspect: Suspect, asserted: Asserted) -> _Commented | None:
    shown_scheme = suspect.inferred.shown
    if shown_scheme is None:
        return None
    norms = asserted.norms.norms
    params = tuple(replace(param, type=put_in(param.type, norms)) for param in shown_scheme.params)
    result = Judgement(
        put_in(shown_scheme.result.type, norms), {asserted.variable: Move(asserted.most, Span(0, 0), "")}
    )
    interpreter = Interpreter(suspect.definitions)
    return _Commented(
        _within(replace(shown_scheme, params=params, result=result)),
        lambda arguments: interpreter.run(suspect.method, arguments),
        About(asserted.variable, asserted.numbers),
    )


def _scheme(suspect: Suspect, mechanism: _Mechanism) -> Scheme | None:
    """The method as a function that returns what its mechanism hides, and claims to move as far as that declares."""
    value = suspect.inferred.value
    type_, most = _hidden_type(suspect, mechanism), _declared(suspect, mechanism)
    if not isinstance(value, FunctionValue) or not value.methods or type_ is None or most is None:
        return None
    scheme = value.methods[0]
    moves = {param.var: Move(most, Span(0, 0), "") for param in scheme.params}
    return _within(replace(scheme, result=Judgement(type_, moves)))


def _hidden_type(suspect: Suspect, mechanism: _Mechanism) -> Type | None:
    """The type of what is compared. Noise is added to every entry, so a matrix is compared like a long vector."""
    if mechanism.form.applies is not None:
        return Container(Kind.VECTOR, Norm.LINF, Clip.U, Poly.of(1), REAL)
    names = [param.name for param in mechanism.form.params]
    inferred = suspect.inferred
    hidden = inferred.judgements.get(mechanism.call.args[names.index(mechanism.noise.hidden)])
    type_ = None if hidden is None else inferred.solver.type(hidden.type)
    if isinstance(type_, Container) and mechanism.noise.norm is not None:
        return Container(Kind.VECTOR, mechanism.noise.norm, Clip.U, type_.length, type_.element)
    return type_


def _declared(suspect: Suspect, mechanism: _Mechanism) -> Sens | None:
    """How far what is hidden may move; None if that is not known."""
    if mechanism.declared is None:
        return ONE
    judgement = suspect.inferred.judgements.get(mechanism.declared)
    type_ = None if judgement is None else suspect.inferred.solver.type(judgement.type)
    static = type_.static if isinstance(type_, NumberType) else None
    return magnitude(static) if isinstance(static, Poly) else None


def _within(scheme: Scheme) -> Scheme:
    """The scheme with 1/2 for public numbers that its conditions keep below 1: few others would do."""
    half = Poly.of(Fraction(1, 2))
    small = {symbol: half for need in scheme.needs for symbol in _alone(need) if _asks_for(need, symbol, half)}
    values = Substitution(dict(small))
    params = (replace(param, type=_put_in(param.type, values)) for param in scheme.params)
    needs = tuple(
        need._replace(left=_side(need.left, values), right=_side(need.right, values)) for need in scheme.needs
    )
    return replace(scheme, params=tuple(params), needs=needs)


def _alone(need: Constraint) -> Iterator[Symbol]:
    """The symbol of a condition about one number that need not be whole."""
    symbols = {symbol for side in (need.left, need.right) for symbol in symbols_of(side)}
    if len(symbols) == 1 and not any(symbol.integer for symbol in symbols):
        yield from symbols


def _asks_for(need: Constraint, symbol: Symbol, value: Poly) -> bool:
    def holds(number: Poly) -> bool:
        values = Substitution({symbol: number})
        return decide(_side(need.left, values), need.relation, _side(need.right, values)) is True

    return holds(value) and not holds(Poly.of(1))


def _side(side: Poly | Sens, values: Substitution) -> Poly | Sens:
    return values.poly(side) if isinstance(side, Poly) else values.sens(side)


def _put_in(type_: Type, values: Substitution) -> Type:
    if isinstance(type_, NumberType) and isinstance(type_.static, Poly):
        return NumberType(type_.base, values.poly(type_.static))
    return type_


def _said_of_mechanism(
    names: Sequence[str], pair: InputPair, runs: _Runs, mechanism: _Mechanism, look: Callable[[], None]
) -> str:
    runs(pair.inputs)
    followed, shape, drawn = runs.followed, runs.shape, runs.drawn
    rest = [f"{names[place]} = {shown(pair.inputs[place])}" for place in _relevant(pair, runs, look)]
    rest += [f"{shown(runs.number)} released before"] if followed else []
    rest += [f"row{'s' if drawn != 1 else ''} 1{f' to {drawn}' if drawn != 1 else ''} drawn"] if drawn else []
    before, after = (shown(_shaped(value, shape)) for value in pair.results)
    run = f" in run {runs.which + 1} of `{mechanism.call.builtin}`" if runs.which else ""
    declared = "you declared" if mechanism.declared is not None else f"`{mechanism.call.builtin}` hides"
    return f"{_said(names, pair, rest, before, after + run)}; {declared} {_most(pair)}"


def _said(names: Sequence[str], pair: InputPair, rest: Sequence[str], before: str, after: str) -> str:
    changed = names[pair.place]
    given = f" (with {', '.join(rest)})" if rest else ""
    return (
        f"counterexample: {changed} = {shown(pair.inputs[pair.place])} and {changed}′ = {shown(pair.other)}{given}, "
        f"{shown(pair.apart)} apart, give {before} and {after}, {shown(pair.moved)} apart"
    )


def _shaped(value: Value, shape: tuple[int, ...] | None) -> Value:
    """What was compared entry by entry, as the program has it."""
    same = is_container(value) and shape is not None and len(shape) == 2 and value.size == shape[0] * shape[1]
    return value.reshape(shape) if same else value


def _most(pair: InputPair) -> str:
    """What was declared, for a change of this size."""
    assert pair.claimed is not None, "what refutes has a claim"
    once = shown(pair.claimed)
    return once if pair.steps == 1 else f"{once} for a change of 1, so {shown(pair.limit)} for this one"


def shown(value: Value) -> str:
    """A value for a person: exact, but for roots."""
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


_RELEASED = (Fraction(1), Fraction(-2), Fraction(0))
"""Numbers that mechanisms may have released before."""


class _Mechanism(NamedTuple):
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


class _Runs:
    """Runs of the function, up to the run of its mechanism that is number ``which`` (the first is 0). ``number`` is
    what all noisy numbers turn out to be, ``followed`` whether something was released before in the last run, and
    ``depends`` whether that was so in any; ``furthest`` is the largest ``which`` that there was, and
    ``drawn`` the number of rows in a sample."""

    def __init__(self, suspect: Suspect, mechanism: _Mechanism) -> None:
        self._method = suspect.method
        self._mechanism = mechanism
        self._interpreter = Interpreter(suspect.definitions, released=self._released)
        self._left = 0
        self._value: Value = None
        self.which = self.furthest = 0
        self.number = _RELEASED[0]
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
        if builtins.TABLE[call.builtin].has(SampledRows):
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


def _mechanisms(suspect: Suspect) -> Iterator[_Mechanism]:
    """The mechanisms whose input the problem is about, or what is declared of it; the nearest ones first."""
    start, end = suspect.problem.span.moved(-suspect.start)
    found: list[tuple[int, _Mechanism]] = []
    for node in suspect.inferred.judgements:
        form = _noisy_form(node) if isinstance(node, term.Call) else None
        if isinstance(node, term.Call) and form is not None and form.noise is not None:
            args = dict(zip((param.name for param in form.params), node.args, strict=False))
            declared = args[form.noise.declares] if form.noise.declares else None
            for given in (args.get(form.noise.hidden), declared):
                if given is not None and given.span.start <= start and end <= given.span.end:
                    length = given.span.end - given.span.start
                    found.append((length, _Mechanism(node, form, form.noise, declared)))
    return (mechanism for _, mechanism in sorted(found, key=lambda each: each[0]))


def _noisy_form(call: term.Call) -> Form | None:
    return next((form for form in builtins.TABLE[call.builtin].forms if form.noise is not None), None)
