"""Inference of one definition: every term gets a judgement, once; what it spends is gathered in order.

Source: the calculus of ``type_system`` sections 0 to 5, sensitivity and privacy in one judgement.

Sources of linear forms: the values that a linear function is a function of, each with its environment and the norm
that it is measured in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Protocol

from dp_lsp.core import laws
from dp_lsp.core.algebra import Poly, TooLong
from dp_lsp.core.constraints import Constraint, Origin, Quantity
from dp_lsp.core.events import Leak, Var
from dp_lsp.core.linear import LinearForm, Measure, Part, Piece, Rows, norm_of
from dp_lsp.core.machine import Storage
from dp_lsp.core.metrics import is_data
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import Given, Judgement, Moves
from dp_lsp.core.sens import ONE, Sens, Way, common
from dp_lsp.core.term import Bind, Body, Branch, Literal, Local, Loop, Term, Use, Written
from dp_lsp.core.types import UNKNOWN, AnyNorm, Container, Label, Norm, NumberType, TupleType, Type, Unknown, is_static
from dp_lsp.core.values import value
from dp_lsp.infer import moves, problems
from dp_lsp.infer.context import Recorder, TypingContext
from dp_lsp.infer.effects import NONE, NOT_UNDERSTOOD, Effects, Evaluation, in_sequence, spending
from dp_lsp.infer.publics import Publics
from dp_lsp.infer.solver import Solver
from dp_lsp.intents import DeclarePublic, Intent, Rendering, Replace
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span


class Weighted(NamedTuple):
    """One contribution to a result's environment: the source's environment, the operator norm of the coefficients
    (``factor``), and the monotonicity."""

    moves: Moves
    factor: Sens
    way: Way | None


class FormSource(Protocol):
    """What the parts of a linear form are pieces of."""

    def weighted(self, rows: Rows, norm: AnyNorm, solver: Solver) -> Iterator[Weighted]:
        """The contributions to the environment of a vector, measured in ``norm``, whose entries are the linear
        combinations ``rows`` of the source's pieces; for one row, of a number."""
        ...

    def norm(self, solver: Solver) -> AnyNorm | None:
        """The norm that a container is measured in; None for a number."""
        ...

    def is_real(self, publics: Publics) -> bool:
        """Whether the source certainly has no NaN, provided that parameters have none."""
        ...


@value
class ValueSource:
    """A source that is an inferred value: a number or a container of numbers. ``read`` is a term that it is read by."""

    judgement: Judgement
    read: Term = field(compare=False)

    def weighted(self, rows: Rows, norm: AnyNorm, solver: Solver) -> Iterator[Weighted]:
        """Its moves, as often as the norm of the coefficients says."""
        type_ = solver.type(self.judgement.type)
        factor = norm_of(rows, _measure(type_), norm)
        yield Weighted(self.judgement.moves, factor, common(_way(each) for row in rows for each in row.values()))

    def norm(self, solver: Solver) -> AnyNorm | None:
        """That of its type."""
        type_ = solver.type(self.judgement.type)
        return solver.norm(type_.norm) if isinstance(type_, Container) else None

    def is_real(self, publics: Publics) -> bool:
        """What it was made of tells."""
        return publics.is_real([self.read])


def _way(coefficient: Poly) -> Way | None:
    if coefficient.evidently_nonnegative:
        return Way.RISES
    return Way.FALLS if coefficient.evidently_nonpositive else None


def _measure(type_: Type) -> Measure:
    if isinstance(type_, Container):
        return Measure(type_.norm, type_.length, is_data(type_.element))
    return Measure(Norm.L1, Poly.of(1), is_data(type_))


def _axes(type_: Type) -> int | None:
    """How many places an entry of a value has; None for what is not made of numbers."""
    if isinstance(type_, Container) and isinstance(type_.element, NumberType):
        return 1 if type_.rows is None else 2
    return 0 if isinstance(type_, NumberType) else None


def form_of(solver: Solver, node: Term, value: Judgement) -> LinearForm | None:
    """The linear form of a value: the one that was inferred, else the identity of the value itself. None for public
    values and for what is not made of numbers."""
    if not value.moves:
        return None
    if value.form is not None:
        return value.form
    axes = _axes(solver.type(value.type))
    return None if axes is None else LinearForm.of(Part(ValueSource(value, node), Piece.whole(axes)))


Rule = Callable[["Inference", Term], Evaluation]


class Inference:
    """One definition that is being inferred: the rules infer the parts of a term by it, and find here what is known
    (``context``), what is still to be decided (``solver``), and who takes down what was found (``recorder``). What
    evaluating a term does is no state: it is the :class:`Effects` that a rule returns."""

    def __init__(self, context: TypingContext, rule: Rule) -> None:
        self.context = context
        self.solver = Solver(context.language.semantics.sizes_fit)
        self.recorder = Recorder()
        self.publics = Publics(context, self.solver, self.recorder)
        self._rule = rule

    def afresh(self) -> Inference:
        """Another inference of the definition, of which nothing is known yet."""
        known = self.context
        context = TypingContext(known.text, known.language, known.rules, known.resolve, known.look, known.effort)
        context.protects, context.undeclared = known.protects, known.undeclared
        context.whole |= known.whole
        return Inference(context, self._rule)

    def infer(self, node: Term) -> Evaluation:
        """The judgement of a term, and the effect of evaluating it.

        This is the one way to a judgement, so a value that was not understood cannot pass unnoticed."""
        try:
            result = self._rule(self, node)
        except TooLong:
            self.report(problems.NumberTooLong.at(node.span, written=self.written(node.span)))
            return NOT_UNDERSTOOD
        if isinstance(result.value.type, Unknown) and not self.recorder.doubts:
            self.give_up(f"`{self.written(node.span)}` was not understood")
        if not isinstance(node, Use | Literal):
            value = self.publics.known(node, result.value)
            result = result if value is result.value else Evaluation(value, result.effects)
        self.recorder.judgements[node] = result.value
        return result

    def infer_all(self, nodes: Iterable[Term]) -> tuple[list[Judgement], Effects]:
        """The judgements of terms that are evaluated in order, and the effect of evaluating all of them."""
        values, effects = [], []
        for node in nodes:
            value, effect = self.infer(node)
            values.append(value)
            effects.append(effect)
        return values, in_sequence(effects)

    def body(self, block: Body) -> Evaluation:
        """The judgement of a block: its bindings in order, then its value."""
        effects = []
        for bind in block.binds:
            self.context.look()
            value, effect = self.infer(bind.term)
            effects.append(effect)
            self.bind(bind, value)
        return self.infer(block.result).after(*effects)

    def define(self, local: Local, value: Judgement) -> None:
        """Give a name its judgement."""
        self.context.environment[local] = value
        self.recorder.facts[local.span] = (value, "")

    def tuple_of(self, span: Span, items: list[Judgement], label: Label | None = None) -> Judgement:
        """A tuple; it moves by the sum of what its items move."""
        type_ = TupleType(tuple(item.type for item in items), label)
        return Judgement(type_, moves.combined(((item.moves, ONE) for item in items), span, laws.TUPLE), tuple(items))

    def bind(self, bind: Bind, value: Judgement) -> None:
        """Give the names that a term has their judgements."""
        targets = bind.targets
        totals = self.context.totals.get(bind.term, ())
        self.context.made.update(zip(targets, totals, strict=True) if totals else dict.fromkeys(targets, bind.term))
        if len(targets) == 1 and isinstance(bind.term, Use):
            renamed = moves.scaled(value.moves, ONE, bind.span, laws.NAME, way=Way.RISES)
            form = form_of(self.solver, bind.term, value)
            self.define(targets[0], Judgement(value.type, renamed, value.parts, value.reach, form))
        elif len(targets) == 1 and not isinstance(bind.term, Loop):
            self._became(bind, targets[0], value)
        elif targets:
            if not isinstance(bind.term, Loop | Branch):
                value = self._taken_apart(bind, value)
            for target, part in zip(targets, self.items(value, len(targets), bind.span), strict=True):
                self._became(bind, target, part)

    def _taken_apart(self, bind: Bind, value: Judgement) -> Judgement:
        """What a program takes apart, which a structure cannot be."""
        type_ = self.type(value)
        if not isinstance(type_, TupleType) or type_.label is None or not type_.label.of:
            return value
        name = type_.label.names[0]
        part = f"c[{name}]" if type_.label.keyed else f"c.{name}"
        reason = f"a structure is not taken apart by position; name its parts, as in `{part}`"
        self.report(problems.DoesNotFit.at(bind.span, function="=", reason=reason))
        return self.hole("a structure that is taken apart")

    def _became(self, bind: Bind, target: Local, value: Judgement) -> None:
        """An assignment. What a loop or a branch assigns is told apart (``joined``): the value that a name has behind
        it is written nowhere in the text."""
        self.publics.name(target, value)
        if bind.is_statement:
            self.context.environment[target] = self.recorder.joined[target] = value
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
        return self.context.language.rendering

    def fixes(self, intent: Intent) -> tuple[Fix, ...]:
        """The repairs that do what is intended, as the language of the text writes them."""
        return tuple(self.code.fixes(intent, self.context.text))

    def publish(self, names: Iterable[str]) -> tuple[Fix, ...]:
        """Repairs that declare parameters public, by their names."""
        return self.fixes(DeclarePublic(frozenset(names), tuple(self.context.parameters)))

    def replaced(self, span: Span, value: Sens) -> tuple[Fix, ...]:
        """Repairs that write a number in the place of an expression."""
        return self.fixes(Replace(f"replace {self.written(span)} by", span, value))

    def report(self, problem: Problem) -> None:
        """A problem; one that leaves something unchecked makes the definition unknown."""
        self.recorder.report(problem)

    def give_up(self, reason: str) -> None:
        """Nothing may be claimed of this definition."""
        self.recorder.give_up(reason)

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
        self.solver.whole |= {self.context.container(var) for var, move in moved.items() if found[var] is not move}
        return found

    def of_whole_steps(self, moved: Moves, uneven: bool = False) -> Moves:
        """What moves a value by less than its part of a whole step may be: of a part of one nothing is claimed. If that
        is ``uneven``, nothing is claimed of one and a part of one more, either."""
        variables = {self.context.container(var) for var in moved}
        self.solver.whole |= variables
        if uneven:
            self.solver.uneven |= variables
        return moved

    def demand(
        self,
        left: Quantity,
        relation: str,
        right: Quantity,
        origin: Origin,
        failed: Callable[[Constraint], Problem] | None = None,
        hides: bool = False,
    ) -> None:
        """A condition that must hold for the answer to be true."""
        self.solver.demand(Constraint(left, relation, right, origin, hides), failed)

    def leak(self, variables: Iterable[Var], origin: Origin) -> Effects:
        """The effect after which nothing is guaranteed any more for these variables."""
        private = frozenset(self.context.parameter(var) for var in variables if not self.context.container(var).exempt)
        return spending(Leak(private, origin)) if private else NONE

    def released(self, moved: Moves, span: Span) -> Moves:
        """Moves as what is released sees them."""
        return self.context.released(moved, span)

    def paid(self, moved: Moves, span: Span) -> Moves:
        """Moves as what is released sees them, and pays for by the row of a round."""
        return self.context.paid(moved, span)

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

    @property
    def storage(self) -> Storage:
        """As what the language stores numbers and arrays when the program runs."""
        return self.context.language.semantics.storage

    def written(self, span: Span) -> str:
        """The source text at a place, on one line and not too long."""
        return self.context.written(span)
