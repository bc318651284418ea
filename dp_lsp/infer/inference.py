"""Inference of one definition: every term gets a judgement, once; what it spends is gathered in order.

Source: the calculus of ``type_system`` sections 0 to 5, sensitivity and privacy in one judgement.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from dp_lsp.core import laws
from dp_lsp.core.algebra import Poly, TooLong
from dp_lsp.core.constraints import Constraint, Origin, Quantity
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.display import type_words
from dp_lsp.core.events import Answer, Leak, Opaque, Var
from dp_lsp.core.order import Way
from dp_lsp.core.scheme import Effort, FunctionValue, Given, Judgement, Moves, Open
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.term import Bind, Body, Closure, Local, Loop, Term, Use, Written
from dp_lsp.core.types import UNKNOWN, TupleType, Type, Unknown, is_static
from dp_lsp.core.values import value
from dp_lsp.infer import disjoint, moves, problems
from dp_lsp.infer.effects import NONE, NOT_UNDERSTOOD, Effects, Evaluation, in_sequence, spending
from dp_lsp.infer.rules import Rules
from dp_lsp.infer.solver import Solver
from dp_lsp.intents import DeclarePublic, Intent, Rendering, Replace
from dp_lsp.language import Language
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span

Global = FunctionValue | Judgement
"""What a top-level name stands for."""


class Pending(NamedTuple):
    """A condition that is decided when everything is solved; ``failed`` tells what to report if it is false."""

    constraint: Constraint
    failed: Callable[[Constraint], Problem] | None


class Found(NamedTuple):
    """What an operation that waited turned out to be, or what stands for it in the caller. ``effects`` are those of
    choosing what it does: it may turn out to be nothing that can be done."""

    result: Type
    factors: tuple[Sens, ...]
    spends: Answer | Opaque | None = None
    failing: bool | None = None
    effects: Effects = NONE


@value
class Unreadable:
    """A top-level name of which nothing is known, and why; it spoils what uses it. ``accepted`` says that it is so
    only by what a person accepted."""

    name: str
    reason: str
    accepted: bool = False


Resolve = Callable[[str], "Global | Unreadable | None"]


class Inference:
    """The state of inferring one definition.

    ``problems`` are what is wrong; ``unknown`` is why nothing may be claimed, or empty; ``facts`` holds the judgement
    and the rule of each expression by its place, ``judgements`` that of each term, ``joined`` that of each name whose
    value a loop or a branch made; ``opens`` the operations that wait; ``parameters`` where they are declared.
    ``settled`` holds what calls of functions turned out to be, and ``running`` the functions whose calls are settled.
    ``home`` stands for the function whose body is inferred; ``rounds`` what the rounds of the loops around read for
    themselves, by the index, and ``wholes`` what that is a part of; ``tuples`` the parameter that an item is a part of;
    ``whole`` are variables of which something is said that holds for a whole step only, and ``uneven`` those of which
    it holds for a whole number of steps only; ``lacking`` the values of which something should be known, by the places
    of what was refused for that. ``premises`` are what users are taken at their word for, in order. ``effort`` is what
    may be spent on inferring what is called again.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        rules: Rules,
        resolve: Resolve,
        look: Callable[[], None],
        rule: Callable[[Inference, Term], Evaluation],
        effort: Effort | None = None,
    ) -> None:
        self._rule = rule
        self.text = text
        self.language = language
        self.rules = rules
        self.resolve = resolve
        self.look = look
        self.effort = effort or Effort(look)
        self.solver = Solver()
        self.problems: list[Problem] = []
        self.pending: list[Pending] = []
        self.opens: list[Open] = []
        self.settled: dict[Hashable, Found] = {}
        self.running: list[FunctionValue] = []
        self.waiting: dict[Hashable, Open] = {}
        self.home: object = object()
        self.facts: dict[Span, tuple[Judgement, str]] = {}
        self.judgements: dict[Term, Judgement] = {}
        self.joined: dict[Local, Judgement] = {}
        self.unknown = ""
        self.environment: ChainMap[Local, Judgement] = ChainMap()
        self.rounds: dict[Local, disjoint.Rows] = {}
        self.wholes: disjoint.Wholes = {}
        self.tuples: dict[Var, Var] = {}
        self.expected: dict[Closure, tuple[Type, ...]] = {}
        self.parameters: set[Span] = set()
        self.whole: set[Var] = set()
        self.uneven: set[Var] = set()
        self.premises: dict[str, None] = {}
        self.lacking: dict[Span, tuple[Term, Descriptor]] = {}

    def infer(self, node: Term) -> Evaluation:
        """The judgement of a term, and the effect of evaluating it.

        This is the one way to a judgement, so a value that was not understood cannot pass unnoticed."""
        try:
            result = self._rule(self, node)
        except TooLong:
            self.report(problems.NumberTooLong.at(node.span, written=self.written(node.span)))
            return NOT_UNDERSTOOD
        if isinstance(result.value.type, Unknown):
            self.give_up(f"`{self.written(node.span)}` was not understood")
        self.judgements[node] = result.value
        return result

    def infer_all(self, nodes: Iterable[Term]) -> tuple[list[Judgement], Effects]:
        """The judgements of terms that are evaluated in order, and the effect of evaluating all of them."""
        found = [self.infer(node) for node in nodes]
        return [each.value for each in found], in_sequence(each.effects for each in found)

    def body(self, block: Body) -> Evaluation:
        """The judgement of a block: its bindings in order, then its value."""
        effects = []
        for bind in block.binds:
            self.look()
            bound = self.infer(bind.term)
            effects.append(bound.effects)
            self._bind(bind, bound.value)
        return self.infer(block.result).after(*effects)

    def define(self, local: Local, value: Judgement) -> None:
        """Give a name its judgement."""
        self.environment[local] = value
        self.facts[local.span] = (value, "")

    def tuple_of(self, span: Span, items: list[Judgement]) -> Judgement:
        """A tuple; it moves by the sum of what its items move."""
        type_ = TupleType(tuple(item.type for item in items))
        return Judgement(type_, moves.combined(((item.moves, ONE) for item in items), span, laws.TUPLE), tuple(items))

    def _bind(self, bind: Bind, value: Judgement) -> None:
        targets = bind.targets
        if len(targets) == 1 and isinstance(bind.term, Use):
            renamed = moves.scaled(value.moves, ONE, bind.span, laws.NAME, way=Way.RISES)
            self.define(targets[0], Judgement(value.type, renamed, value.parts, value.reach))
        elif len(targets) == 1 and not isinstance(bind.term, Loop):
            self._became(bind, targets[0], value)
        elif targets:
            for target, part in zip(targets, self.items(value, len(targets), bind.span), strict=True):
                self._became(bind, target, part)

    def _became(self, bind: Bind, target: Local, value: Judgement) -> None:
        """A name got a value: where it stands, or with a loop or branch, where none of its places is this one."""
        if bind.is_statement:
            self.environment[target] = self.joined[target] = value
        else:
            self.define(target, value)

    def items(self, value: Judgement, count: int, span: Span) -> tuple[Judgement, ...]:
        """The items of a tuple that is taken apart. An item moves as far as the tuple, if nothing better is known."""
        if len(value.parts) == count:
            return value.parts
        type_ = self.type(value)
        if isinstance(type_, TupleType) and len(type_.items) == count:
            return tuple(self.judgement(item, value.moves) for item in type_.items)
        if not isinstance(type_, Unknown):
            reason = f"{count} names are on the left and this is {type_words(type_)}"
            self.report(problems.DoesNotFit.at(span, function="=", reason=reason))
        return (self.hole("a tuple that could not be taken apart"),) * count

    @property
    def code(self) -> Rendering:
        """How the language of the text writes what problems speak of."""
        return self.language.rendering

    def fixes(self, intent: Intent) -> tuple[Fix, ...]:
        """The repairs that do what is intended, as the language of the text writes them."""
        return tuple(self.code.fixes(intent, self.text))

    def publish(self, names: Iterable[str]) -> tuple[Fix, ...]:
        """Repairs that declare parameters public, by their names."""
        return self.fixes(DeclarePublic(frozenset(names), tuple(self.parameters)))

    def replaced(self, span: Span, value: Sens) -> tuple[Fix, ...]:
        """Repairs that write a number in the place of an expression."""
        return self.fixes(Replace(f"replace {self.written(span)} by", span, value))

    def report(self, problem: Problem) -> None:
        """A problem; one that leaves something unchecked makes the definition unknown."""
        self.problems.append(problem)
        if problem.unchecked:
            self.give_up(problem.message)

    def give_up(self, reason: str) -> None:
        """Nothing may be claimed of this definition."""
        self.unknown = self.unknown or reason

    def hole(self, reason: str) -> Judgement:
        """The judgement of something that was not understood."""
        self.give_up(reason)
        return Judgement(UNKNOWN, moves.NOWHERE)

    def judgement(self, type_: Type, moved: Moves, parts: tuple[Judgement, ...] = ()) -> Judgement:
        """A judgement that keeps the law that a static value moves with nothing."""
        return Judgement(type_, moves.NOWHERE if is_static(type_) else moved, parts)

    def capped(self, moved: Moves, most: Sens, span: Span) -> Moves:
        """How far a value moves that cannot be further apart than this."""
        found = moves.capped(moved, most, span)
        self.whole |= {disjoint.variable(self.wholes, var) for var, move in moved.items() if found[var] is not move}
        return found

    def of_whole_steps(self, moved: Moves, uneven: bool = False) -> Moves:
        """What moves a value by less than its part of a whole step may be: of a part of one nothing is claimed. If that
        is ``uneven``, nothing is claimed of one and a part of one more, either."""
        variables = {disjoint.variable(self.wholes, var) for var in moved}
        self.whole |= variables
        if uneven:
            self.uneven |= variables
        return moved

    def demand(
        self,
        left: Quantity,
        relation: str,
        right: Quantity,
        origin: Origin,
        failed: Callable[[Constraint], Problem] | None = None,
    ) -> None:
        """A condition that must hold for the answer to be true."""
        self.pending.append(Pending(Constraint(left, relation, right, origin), failed))

    def leak(self, variables: Iterable[Var], origin: Origin) -> Effects:
        """The effect after which nothing is guaranteed any more for these variables."""
        wholes = (disjoint.variable(self.wholes, var) for var in variables)
        private = frozenset(self.tuples.get(var, var) for var in wholes if not var.exempt)
        return spending(Leak(private, origin)) if private else NONE

    @contextmanager
    def round(self, index: Local, sample: Var | None = None) -> Iterator[disjoint.Rows]:
        """A scope for the body of a loop; what was defined before is the same in every round. ``sample`` has a row for
        each round, if it is one."""
        around = self.environment
        rows = disjoint.Rows(around, self.solver, self.wholes, sample)
        if self.rules.rows_apart:
            self.rounds[index] = rows
        self.environment = around.new_child()
        try:
            yield rows
        finally:
            self.environment = around
            self.rounds.pop(index, None)

    def released(self, moved: Moves, span: Span) -> Moves:
        """Moves as what is released sees them: every round is paid for, so a row counts as its container; and of a
        tuple the item that counts most does."""
        return moves.of_tuples(disjoint.whole(self.wholes, moved, span), self.tuples, span)

    def seen(self, span: Span, value: Judgement) -> Judgement:
        """What is known of a value, for who knows nothing of the rows of rounds and the items of tuples."""
        moved = self.released(value.moves, span)
        return value if moved is value.moves else replace(value, moves=moved)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A scope for the body of a function made here, which is another home."""
        home, self.home = self.home, object()
        try:
            yield
        finally:
            self.home = home

    def type(self, judgement: Judgement) -> Type:
        """The type of a value, with all that is solved put in."""
        return self.solver.type(judgement.type)

    def given(self, given: Given) -> Given:
        """What an operation is given, with all that is solved put in."""
        return given if isinstance(given, Written) else self.solver.type(given)

    def given_type(self, given: Given) -> Type:
        """The type of what an operation is given; what is written there has none."""
        return UNKNOWN if isinstance(given, Written) else self.solver.type(given)

    def static(self, judgement: Judgement) -> Poly | None:
        """The value of a static number; None for anything else."""
        return getattr(self.type(judgement), "static", None)

    def written(self, span: Span, limit: int = 40) -> str:
        """The source text at a place, on one line and not too long."""
        text = " ".join(self.text[span.start : span.end].split())
        return text if len(text) <= limit else text[: limit - 1] + "…"
