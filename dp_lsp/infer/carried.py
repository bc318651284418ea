"""Between which ends the public numbers lie that a loop carries from round to round, decided before its body is
inferred.

A carried number that nothing private moves, when the loop starts and when a round ends, is the same in both runs in
every round: by induction over rounds, as a round computes it of what is the same, of what was released before (Dwork
and Roth 2014, Proposition 2.1), and of public values. So it has a symbol in a round, which varies from round to round.
Its ends must hold in all rounds: what the loop starts with lies between them, and what a round ends with does where
what it starts with does (a loop invariant). Of a truth value it holds that it is public. They are found by running the
body on intervals: from those of the start they are widened by what a round ends with until nothing changes, and an end
that keeps moving is given up, at 0 if it has not passed that (widening: Cousot and Cousot 1977). What is found is no
more than a guess: the rule of loops holds it against what was inferred of the body (:func:`is_kept`), so reading too
much into a term makes no claim. Ends that were widened are then drawn in to what a round makes of them, where that
holds in all rounds, too (narrowing).

A number is run on as if it were public also where it is not, as where it lies does not depend on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce

from dp_lsp import builtins
from dp_lsp.builtins import intervals
from dp_lsp.builtins.define import Args, Refusal
from dp_lsp.builtins.traits import NeverNaN, SampledRows
from dp_lsp.core import term
from dp_lsp.core.algebra import ZERO, Computed, Poly, Sign, Symbol, TooLong
from dp_lsp.core.constraints import decide
from dp_lsp.core.ranges import ANYWHERE, Ends, ends, is_computed
from dp_lsp.core.scheme import FunctionValue, Given, Judgement
from dp_lsp.core.term import Apply, Call, Local, Loop, Term, Use, Written
from dp_lsp.core.types import AnyNorm, Base, BoolType, NumberType, TupleType, Type
from dp_lsp.infer import publics, rows
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.invariants import BodyWalk, Items
from dp_lsp.named import NamedTuple

_MOST_WALKS, _FREE_STEPS = 12, 2
"""How often a body is run, and how often an end may move before it is widened."""
_MOST_ROUNDS, _FURTHEST = 64, Fraction(2) ** 200
"""How many rounds may multiply a number, and how far from 1 it may come: a computer makes of it what it is."""


class Invariant(NamedTuple):
    """What holds of a public number in all rounds: between which ends it lies, and whether it is certainly a number. If
    it is ``times`` as large after each round, that is why it lies there."""

    between: Ends
    real: bool
    times: Fraction | None = None

    def after(self) -> Ends:
        """Between which ends it lies after the last round."""
        low, high = self.between
        if self.times is None or low is None or high is None:
            return self.between
        return Ends(low * Poly.of(min(Fraction(1), self.times)), high * Poly.of(max(Fraction(1), self.times)))


def invariants(
    inference: Inference, node: Loop, types: Sequence[Type], starts: Sequence[Judgement], rounds: Fraction | None
) -> list[Invariant | None]:
    """What holds in all rounds, so many as are known, of what a loop over a public range carries, one for each item of
    tuples; None where it is no number and no truth value, or not known to be public."""
    leaves = [leaf for type_ in types for leaf in _leaves(type_)]
    if not any(map(_is_plain, leaves)):
        return [None] * len(leaves)
    walk = _Running(inference)
    for (local, written), start in zip(node.carried, starts, strict=True):
        walk.known[local] = walk.of_start(written, start)
    if not walk.settles(node):
        return [None] * len(leaves)
    found = [fact for local, _ in node.carried for fact in walk.facts(local)]
    if len(found) != len(leaves):
        return [None] * len(leaves)
    held = [walk.invariant(fact) if _is_plain(leaf) else None for leaf, fact in zip(leaves, found, strict=True)]
    if rounds is None or len(leaves) != len(node.carried):
        return held
    return [
        None if each is None else walk.multiplied(node, place, each, starts[place], rounds)
        for place, each in enumerate(held)
    ]


def is_kept(
    inference: Inference,
    known: Invariant,
    begins: Judgement,
    end: Judgement,
    written: Term,
    inside: frozenset[Symbol],
) -> bool:
    """Whether what a round ends with has a property that what it ``begins`` with is taken to have. ``inside`` are the
    numbers that a round computes."""
    if not publics.is_public(end.moves):
        return False
    if known.real and not inference.publics.is_real([written]):
        return False
    if known.times is not None:
        before, after = inference.static(begins), inference.static(end)
        return before is not None and after == before * Poly.of(known.times)
    type_ = inference.type(end)
    around = intervals.of(type_)
    low, high = (None, None) if around is None else (around.low, around.high)
    low = None if low is None else ends(low, inside.__contains__).low
    high = None if high is None else ends(high, inside.__contains__).high
    least, most = known.between
    above = least is None or (low is not None and decide(least, "<=", low) is True)
    return above and (most is None or (high is not None and decide(high, "<=", most) is True))


def _leaves(type_: Type) -> Iterator[Type]:
    """The types of all items of a tuple, at any depth; of anything else its own."""
    if isinstance(type_, TupleType):
        for item in type_.items:
            yield from _leaves(item)
    else:
        yield type_


def _is_plain(type_: Type) -> bool:
    """Whether values of a type are numbers, or truth values."""
    return isinstance(type_, BoolType) or (isinstance(type_, NumberType) and type_.base is not Base.DATA)


class _Run(NamedTuple):
    """What is known of a value: its type, None if it is not known; whether it is public, and certainly made of numbers;
    and of what is carried how often an end has moved."""

    type: Type | None
    public: bool
    real: bool
    moved: int = 0


class _Taking:
    """Matches patterns without deciding anything: what does not fit, inference reports."""

    def type(self, type_: Type) -> Type:
        return type_

    def same_norm(self, left: AnyNorm, right: AnyNorm) -> bool:
        return True

    def same_dimension(self, left: Poly, right: Poly) -> bool:
        return True

    def bind_type(self, variable: Type, type_: Type) -> None:
        pass


class _Running(BodyWalk[_Run]):
    """Abstract runs of a body, each number being a formula of symbols that lie between ends. ``grown`` says that the
    ends of something carried have moved."""

    def __init__(self, inference: Inference) -> None:
        super().__init__(inference)
        self.grown = False
        self._made: set[Symbol] = set()
        self._real: dict[Local, bool] = {}

    # Numbers

    def _number(self, base: Base, between: Ends, public: bool, real: bool, moved: int = 0) -> _Run:
        """A number with a fresh symbol that lies between these ends; one that may be NaN has no ends."""
        low, high = between if real else ANYWHERE
        sign = Sign.NONNEGATIVE if low is not None and decide(ZERO, "<=", low) else Sign.REAL
        symbol = Symbol("_", sign, base is Base.INTEGER, Computed(low, high, varies=True, real=real))
        self._made.add(symbol)
        return _Run(NumberType(base, Poly.of(symbol)), public, real, moved)

    def _value(self, type_: Type | None, public: bool, real: bool) -> _Run:
        """A value of a type. A number has a formula; of what is not known it is taken to be one that may be any. Truth
        values are no NaN."""
        if type_ is None:
            return self._number(Base.REAL, ANYWHERE, public, real)
        if not isinstance(type_, NumberType) or type_.base is Base.DATA:
            return _Run(type_, public, real or isinstance(type_, BoolType))
        if type_.static is not None and real:
            return _Run(NumberType(type_.base, type_.static), public, real)
        return self._number(type_.base, self._ends(type_), public, real)

    def _ends(self, type_: NumberType) -> Ends:
        """Between which ends a number lies, in which none of the numbers stands that are made in a round."""
        around = intervals.of(type_)
        if around is None:
            return ANYWHERE
        found = ends(around.low, self._made.__contains__)
        if around.high is around.low:
            return found
        return Ends(found.low, ends(around.high, self._made.__contains__).high)

    def invariant(self, fact: _Run) -> Invariant | None:
        """What holds of something carried in all rounds."""
        if not self._is_public(fact):
            return None
        if not isinstance(fact.type, NumberType):
            return Invariant(ANYWHERE, real=False)
        return Invariant(self._ends(fact.type) if fact.real else ANYWHERE, fact.real)

    def multiplied(self, node: Loop, place: int, known: Invariant, start: Judgement, rounds: Fraction) -> Invariant:
        """The same of a number that each of n rounds multiplies by a number c > 0, and that starts above 0: before the
        last one it was multiplied t < n times, so it is at least min(1, c)ⁿ⁻¹ and at most max(1, c)ⁿ⁻¹ times as large
        as it started."""
        local, written = node.carried[place]
        fact, begins = self.flat(self.known[local]), self.flat(self.of_start(written, start))
        end = self.flat(self.items(self.body(node.body), len(node.carried))[place])
        if not known.real or not all(isinstance(each.type, NumberType) for each in (fact, begins, end)):
            return known
        before, after = (each.type.static for each in (fact, end) if isinstance(each.type, NumberType))
        times = None if before is None or after is None else _quotient(after, before)
        low, high = (None if each is None else each.number for each in self._ends_of(begins))
        if times is None or low is None or high is None or low <= 0 or not 0 < rounds <= _MOST_ROUNDS:
            return known
        least = low * min(Fraction(1), times) ** int(rounds - 1)
        most = high * max(Fraction(1), times) ** int(rounds - 1)
        if not 1 / _FURTHEST <= least <= most <= _FURTHEST:
            return known
        return Invariant(Ends(Poly.of(least), Poly.of(most)), known.real, times)

    def _ends_of(self, fact: _Run) -> Ends:
        """Between which ends a value lies; of what is no number, nothing is known."""
        return self._ends(fact.type) if isinstance(fact.type, NumberType) else ANYWHERE

    def _is_public(self, fact: _Run) -> bool:
        """Whether a value is a public number or truth value, of which an invariant may hold."""
        return fact.public and fact.type is not None and _is_plain(fact.type)

    # What is known of values

    def of_start(self, written: Term, start: Judgement) -> _Run | Items[_Run]:
        """What is known of what a loop starts with, as far as it holds of other rounds, too."""
        return self._carried(self._judged(start, self._inference.publics.is_real([written])))

    def _carried(self, fact: _Run | Items[_Run]) -> _Run | Items[_Run]:
        """A value as the start of any round: a number keeps its ends, and not what it is in the first round."""
        if isinstance(fact, Items):
            return Items(tuple(map(self._carried, fact.values)))
        if not isinstance(fact.type, NumberType) or fact.type.base is Base.DATA:
            return fact
        return self._number(fact.type.base, self._ends(fact.type), fact.public, fact.real)

    def _judged(self, value: Judgement, real: bool) -> _Run | Items[_Run]:
        """The abstract value of a judgement; ``real`` says that its numbers are certainly no NaN."""
        type_ = self._inference.type(value)
        if isinstance(type_, TupleType) and type_.items:
            parts = value.parts or tuple(Judgement(item, value.moves) for item in type_.items)
            return Items(tuple(self._judged(part, real) for part in parts))
        return self._value(type_, publics.is_public(value.moves), real)

    def together(self, facts: Iterable[_Run]) -> _Run:
        return reduce(self._either, facts, _Run(TupleType(()), public=True, real=True))

    def _either(self, left: _Run, right: _Run) -> _Run:
        """The join of two values: public and real if both are, between the ends that hold both."""
        if left.type == TupleType(()):
            return right
        public, real = left.public and right.public, left.real and right.real
        one, other = left.type, right.type
        if not (isinstance(one, NumberType) and isinstance(other, NumberType)):
            return _Run(one, public, real) if one == other else self._value(None, public, real)
        if one.static == other.static and one.base is other.base:
            return _Run(one, public, real)
        base = Base.REAL if one.base is not other.base else one.base
        return self._number(base, _around(self._ends(one), self._ends(other)), public, real)

    def of_type(self, type_: Type) -> _Run | Items[_Run]:
        if isinstance(type_, TupleType) and type_.items:
            return Items(tuple(map(self.of_type, type_.items)))
        return self._value(type_, public=False, real=False)

    def of_result(self, value: FunctionValue) -> _Run | Items[_Run]:
        """The result of a call: its ends are those that hold of all calls."""
        results = [method.result.type for method in value.methods if not method.is_open]
        if len(results) < len(value.methods) or not all(isinstance(each, NumberType) for each in results):
            return self._value(None, public=True, real=False)
        return self.together(map(self._of_all_calls, (each for each in results if isinstance(each, NumberType))))

    def _of_all_calls(self, type_: NumberType) -> _Run:
        """The result of a function in any call: its ends, as far as they are numbers."""
        around = intervals.of(type_)
        low, high = (None, None) if around is None else (around.low, around.high)
        low = None if low is None else ends(low, is_computed).low
        high = None if high is None else ends(high, is_computed).high
        numbers = Ends(*(end if end is not None and end.number is not None else None for end in (low, high)))
        return self._number(type_.base, numbers, public=True, real=True)

    # Terms

    def term(self, node: Term) -> _Run | Items[_Run]:
        match node:
            case term.Call():
                return self._call(node)
            case term.Use(local=local) if local not in self.known and local in self._inference.context.environment:
                return self._judged(self._inference.context.environment[local], self._is_real(node))
            case term.Branch(condition=condition):
                decides = self.flat(self.term(condition))
                return self._where(
                    super().term(node), lambda fact: fact._replace(public=fact.public and decides.public)
                )
            case term.Apply():
                return self._applied(node)
        return super().term(node)

    def _is_real(self, node: Use) -> bool:
        """Whether a value from outside of the loop is certainly made of numbers; asked once for each name."""
        if node.local not in self._real:
            self._real[node.local] = self._inference.publics.is_real([node])
        return self._real[node.local]

    def _where(self, value: _Run | Items[_Run], change: Callable[[_Run], _Run]) -> _Run | Items[_Run]:
        """A value with each of its items changed."""
        if isinstance(value, Items):
            return Items(tuple(self._where(each, change) for each in value.values))
        return change(value)

    def _applied(self, node: Apply) -> _Run | Items[_Run]:
        """A call of a function of the program. What one that is made in the function captures is not looked at."""
        given = [self.flat(self.term(arg)) for arg in node.args]
        value = self.called(node.function)
        if value is None or not value.methods:
            return self._value(None, public=False, real=False)
        released = all(method.claims_privacy for method in value.methods)
        plain = isinstance(node.function, term.Global) and all(each.public for each in given)
        decisive = (each for each in given if each.public or not released)
        real = all(method.real for method in value.methods) and all(each.real for each in decisive)

        def of_call(fact: _Run) -> _Run:
            return self._value(fact.type, released or plain, real and fact.real)

        return self._where(self.of_result(value), of_call)

    def by_itself(self, node: Term) -> _Run | Items[_Run]:
        match node:
            case term.Literal(value=bool()):
                return _Run(BoolType(), public=True, real=True)
            case term.Literal(value=value, integer=integer):
                base = Base.INTEGER if integer else Base.REAL
                return _Run(NumberType(base, Poly.of(value)), public=True, real=True)
            case term.Unending():
                return self._number(Base.INTEGER, ANYWHERE, public=True, real=True)
            case term.Loop(carried=carried):
                for local, start in carried:
                    self._grow(local, self._carried(self.term(start)))
                public = self.round(node)
                found = Items(tuple(self.known[local] for local, _ in carried))
                return self._where(found, lambda fact: fact._replace(public=fact.public and public))
            case term.Scope(bind=bind, rest=rest):
                self.known.update(dict.fromkeys(bind.targets, self._value(None, public=False, real=False)))
                return self._where(self.body(rest), lambda fact: self._value(fact.type, fact.public, real=False))
        return self._value(None, public=False, real=False)

    def _call(self, node: Call) -> _Run | Items[_Run]:
        """The abstract result of a builtin: its type, by the form that fits, and whether it is public and real. What a
        mechanism returns is both."""
        row = builtins.TABLE[node.builtin]
        given = [arg if isinstance(arg, Written) else self.flat(self.term(arg)) for arg in node.args]
        values = [each for each in given if isinstance(each, _Run)]
        released = any(form.noise is not None or form.runs is not None for form in row.forms)
        public = released or (not row.has(SampledRows) and all(each.public for each in values))
        types: list[Given] = [each if isinstance(each, Written) else _type(each) for each in given]
        try:
            result, certain = self._result(node, types)
        except TooLong:
            result, certain = None, not row.demanding
        real = released or (certain and row.has(NeverNaN) and all(each.real for each in values))
        if isinstance(result, TupleType) and result.items:
            return Items(tuple(self._value(item, public, real) for item in result.items))
        return self._value(result, public, real)

    def _result(self, node: Call, given: Sequence[Given]) -> tuple[Type | None, bool]:
        """The type of what a row returns, None if it is not known, and whether its demands certainly hold."""
        row = builtins.TABLE[node.builtin]
        fitting = rows.fitting(self._inference, row, given, node.keywords)
        if fitting is None or fitting[0].applies is not None:
            return None, not row.demanding
        form, params = fitting
        binds = rows.bound(params, given, _Taking())
        if isinstance(binds, rows.Wrong):
            return None, not row.demanding
        types = tuple(map(self._inference.given_type, given))
        args = Args(tuple(param.name for param in params), types, binds)
        if any(map(rows.is_uncertain, form.demands(args))):
            return None, False
        found = form.result(args)
        return (None if isinstance(found, Refusal) else found), True

    # Rounds

    def settles(self, node: Loop) -> bool:
        """Run rounds until nothing grows, and tell whether that was soon; then draw in what was widened. If no number
        that is carried is public any more, nobody wants to know where they lie."""
        starts = {local: self.known[local] for local, _ in node.carried}
        if not self._is_settled(node):
            return False
        if all(self.known[local] is start for local, start in starts.items()):
            return True  # nothing was widened
        wide = dict(self.known)
        ends = self.items(self.body(node.body), len(node.carried))
        for (local, start), end in zip(starts.items(), ends, strict=True):
            self.known[local] = self._where(self._widened(start, end), lambda fact: fact._replace(moved=_FREE_STEPS))
        self.grown = False
        self.round(node)
        if self.grown:
            self.known = wide
        return True

    def _is_settled(self, node: Loop) -> bool:
        """Whether rounds reach a fixpoint soon. Once nothing that is carried is public, none is looked for."""
        for _ in range(_MOST_WALKS):
            self.grown = False
            self.round(node)
            if not self.grown:
                return True
            if not any(self._is_public(fact) for local, _ in node.carried for fact in self.facts(local)):
                return False  # what has read something private in one round has done so in all later ones
        return False

    def round(self, node: Loop) -> bool:
        """Run a round, let what is carried hold what it ends with, and tell whether its range is public."""
        parts = [self.flat(self.term(part)) for part in (node.first, node.last, node.step) if part is not None]
        self.known[node.index] = self._index(node, parts)
        result = self.items(self.body(node.body), len(node.carried))
        for (local, _), end in zip(node.carried, result, strict=True):
            self._grow(local, end)
        return all(part.public for part in parts)

    def _index(self, node: Loop, parts: Sequence[_Run]) -> _Run:
        """The number of a round: public if the range is, between its ends if it goes up by 1."""
        first, last = (self._ends(part.type) if isinstance(part.type, NumberType) else ANYWHERE for part in parts[:2])
        between = Ends(first.low, last.high) if node.step is None else ANYWHERE
        return self._number(Base.INTEGER, between, all(part.public for part in parts), real=True)

    def _grow(self, local: Local, value: _Run | Items[_Run]) -> None:
        """Let what is known of a carried value hold another one, too; notes if that is more."""
        before = self.known.get(local)
        if before is None:
            self.known[local] = value
            self.grown = True
            return
        after = self._widened(before, value)
        if after != before:
            self.known[local] = after
            self.grown = True

    def _widened(self, before: _Run | Items[_Run], after: _Run | Items[_Run]) -> _Run | Items[_Run]:
        """What holds what is carried, and what a round ends with."""
        if isinstance(before, Items):
            return Items(tuple(map(self._widened, before.values, self.items(after, len(before.values)))))
        end = self.flat(after)
        public, real = before.public and end.public, before.real and end.real
        if not isinstance(before.type, NumberType) or before.type.base is Base.DATA:
            return before._replace(public=public, real=real)
        base = before.type.base
        if not isinstance(end.type, NumberType) or end.type.base is not base:
            base = Base.REAL
        old = self._ends(before.type)
        new = self._ends(end.type) if isinstance(end.type, NumberType) and real else ANYWHERE
        low, high = _widened_low(old.low, new.low, before.moved), _widened_high(old.high, new.high, before.moved)
        if (public, real, base) == (before.public, before.real, before.type.base) and Ends(low, high) == old:
            return before
        return self._number(base, Ends(low, high), public, real, before.moved + 1)

    def facts(self, local: Local) -> Iterator[_Run]:
        """What is known of all items of a variable, at any depth."""
        return self._flattened(self.known[local])

    def _flattened(self, value: _Run | Items[_Run]) -> Iterator[_Run]:
        """The facts of all items of a value, at any depth."""
        if isinstance(value, Items):
            for each in value.values:
                yield from self._flattened(each)
        else:
            yield value


def _quotient(after: Poly, before: Poly) -> Fraction | None:
    """How often a number is one that has a symbol of its own, if that is a number above 0."""
    (monomial,) = before.terms if before.symbol is not None else (None,)
    found = None if monomial is None or after.terms.keys() != {monomial} else after.terms[monomial]
    return found if found is not None and found > 0 else None


def _type(fact: _Run) -> Type:
    """The type of a fact of which one is known."""
    assert fact.type is not None, "what is not known is taken for a number"
    return fact.type


def _around(one: Ends, other: Ends) -> Ends:
    """The ends between which both of two intervals lie."""
    return Ends(_lower(one.low, other.low), _higher(one.high, other.high))


def _lower(one: Poly | None, other: Poly | None) -> Poly | None:
    """The smaller of two low ends, if it can be told which it is."""
    if one is None or other is None:
        return None
    if decide(one, "<=", other):
        return one
    return other if decide(other, "<=", one) else None


def _higher(one: Poly | None, other: Poly | None) -> Poly | None:
    """The larger of two high ends, if it can be told which it is."""
    low = _lower(None if one is None else -one, None if other is None else -other)
    return None if low is None else -low


def _widened_low(old: Poly | None, new: Poly | None, moved: int) -> Poly | None:
    """A low end that holds in one more round; one that has moved often is given up, at 0 if it is above."""
    low = _lower(old, new)
    if low is None or low == old or moved < _FREE_STEPS:
        return low
    return ZERO if low != ZERO and decide(ZERO, "<=", low) else None


def _widened_high(old: Poly | None, new: Poly | None, moved: int) -> Poly | None:
    """A high end that holds in one more round; one that has moved often is given up, at 0 if it is below."""
    low = _widened_low(None if old is None else -old, None if new is None else -new, moved)
    return None if low is None else -low
