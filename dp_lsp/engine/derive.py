"""From what was inferred of a method to the steps that led to each of its bounds.

A bound's moves know what they were made of, so the reasons are there while a function is inferred. A check keeps none
of them: who asks has one function inferred again, and records stay small.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.analysis.derivations import Rule, Step
from dp_lsp.core import laws
from dp_lsp.core.events import Var
from dp_lsp.core.laws import LAWS
from dp_lsp.core.scheme import Judgement, Move
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.term import Apply, Call, Global, Loop, Scope, Term
from dp_lsp.engine.describe import Description
from dp_lsp.infer.method import Inferred
from dp_lsp.infer.moves import first_infinite
from dp_lsp.text import Span

TIMES, PLUS = " × ", " + "
_NO_SUMS = frozenset((laws.CAP, laws.RECORDS, laws.LARGEST, laws.BRANCH, laws.ITEMS, laws.FURTHEST, laws.TURNS))
"""Rules that make something else of what they follow from than a sum."""


class Context:
    """What the derivations of one method have in common: how its numbers are written, the terms at each place, and
    the rules and functions that they refer to."""

    def __init__(self, inferred: Inferred, description: Description) -> None:
        self.description = description
        self.own = description.place.name
        self.judgements = inferred.judgements
        self.values = inferred.solver.substitution()
        self.rules: dict[str, Rule] = {}
        self.callees: dict[str, None] = {}
        self._terms: dict[Span, Term] = {}
        for node in inferred.judgements:
            if isinstance(node, Scope):
                self._terms[node.bind.term.span] = node.bind.term
            elif isinstance(node, Call | Apply | Loop) or node.span not in self._terms:
                self._terms[node.span] = node

    def inside(self, description: Description) -> Context:
        """The same for a function that is made in the method."""
        other = copy(self)
        other.description, other.own = description, description.place.name
        return other

    def number(self, value: Sens) -> Sens:
        """A number with all that was solved put in."""
        return self.description.norms.sens(self.values.sens(value))

    def short(self, value: Sens) -> str:
        """A number for a person."""
        return self.description.short(self.number(value))

    def formula(self, value: Sens) -> str:
        """A number in SymPy syntax."""
        return self.description.formula.sens(self.number(value))

    @property
    def called(self) -> tuple[str, ...]:
        """The functions at top level that the derivations refer to."""
        known = {node.name for node in self.judgements if isinstance(node, Global)}
        return tuple(name for name in self.callees if name in known)

    def use(self, rule: str) -> None:
        """Note a rule, so that a reader can look it up."""
        if rule in LAWS:
            law = LAWS[rule]
            self.rules.setdefault(rule, Rule(rule, law.words, law.source))
        else:
            row = builtins.TABLE[rule]
            self.rules.setdefault(rule, Rule(rule, row.told(self.description.code), row.source))

    def builtin(self, span: Span) -> str | None:
        """The builtin that is called at a place."""
        node = self._terms.get(span)
        return node.builtin if isinstance(node, Call) else None

    def inputs(self, span: Span) -> list[Judgement]:
        """What is known of the values that a cost at this place is about: the arguments of a call, what a loop
        carries, the result of the method, or else what stands there."""
        if span == self.own:
            return [self.description.scheme.result]
        node = self._terms.get(span)
        about: tuple[Term, ...] = () if node is None else (node,)
        if isinstance(node, Call | Apply):
            about = node.args
        elif isinstance(node, Loop):
            about = (*(start for _, start in node.carried), node.body.result)
        return [self.judgements[each] for each in about if each in self.judgements]

    def growing(self, span: Span) -> Iterator[tuple[Var, Move]]:
        """How one round of the loop at a place moves what it carries, where that is not by 1."""
        loop = self._terms.get(span)
        if not isinstance(loop, Loop):
            return
        ends = self.judgements[loop.body.result]
        names = {local.name for local, _ in loop.carried}
        for end in ends.parts or (ends,):
            for var, move in end.moves.items():
                if var.carried and var.name in names and self.number(move.sens) != ONE:
                    yield var, move


class Entry(NamedTuple):
    """A step before its numbers are written down."""

    span: Span | None
    rule: str
    why: str
    premises: tuple[int, ...] = ()
    factors: tuple[Sens, ...] = ()
    reasons: tuple[int, ...] = ()


class DerivationSteps:
    """The steps of one derivation. ``subjects`` are what it is about."""

    def __init__(self, context: Context, subjects: Sequence[Var]) -> None:
        self.context = context
        self.written: list[Step] = []
        self._subjects = subjects
        self._places: dict[object, int] = {}

    def add(self, entry: Entry, result: Sequence[Sens], shown: str, moving: Iterable[Var]) -> int:
        """The place of a step about what moves when these variables do; one that is written is not written again."""
        span, rule, why, premises, factors, reasons = entry
        others = ["the row" if var.members else f"`{var.name}`" for var in moving if var not in self._subjects]
        numbers, found = (tuple(map(self.context.formula, each)) for each in (factors, result))
        step = Step(span, rule, why, premises, reasons, numbers, found, shown, " and ".join(dict.fromkeys(others)))
        place = self._places.get(step)
        if place is None:
            self.context.use(rule)
            place = self._places[step] = len(self.written)
            self.written.append(step)
        return place

    def move(self, var: Var, move: Move) -> int:
        """The place of the step that a move is. What it follows from is written before; of an infinite one, the way
        to the first step that is infinite."""
        last = first_infinite(move) if move.sens.infinite else move
        for each in _in_order(last):
            if each not in self._places:
                self._places[each] = self._of(var, each)
        return self._places[last]

    def _of(self, var: Var, move: Move) -> int:
        context = self.context
        reasons = tuple(self.move(other, why) for other, why in self._reasons(move))
        premises = tuple(self._places[before] for before in move.before)
        if move.rule == laws.CALL:
            context.callees.setdefault(move.subject)
        entry = Entry(move.span, move.rule, self._why(var, move), premises, move.factors, reasons)
        return self.add(entry, [move.sens], context.short(move.sens), [var])

    def _reasons(self, move: Move) -> Iterator[tuple[Var, Move]]:
        """The moves that a factor of this one comes from."""
        if move.rule == laws.LOOP:
            yield from self.context.growing(move.span)

    def _why(self, var: Var, move: Move) -> str:
        law = LAWS.get(move.rule)
        subject = _entering(var) if move.rule == laws.PARAMETER else f"`{move.subject}`"
        head = f"`{move.rule}`" if law is None else law.step.format(subject)
        single = len(move.before) == 1 and move.factors[0] == ONE
        if not move.before or single or move.rule in _NO_SUMS:
            return head
        if move.rule == laws.LOOP:
            return f"{head}: {self._loop(move)}"
        if move.rule == builtins.LITERAL:
            return f"{head}: the norm of {', '.join(map(self._product, move.factors, move.before))}"
        return f"{head}: {PLUS.join(map(self._product, move.factors, move.before))}"

    def _loop(self, move: Move) -> str:
        """What a loop starts with, and what its rounds read."""
        parts: dict[str, list[str]] = {}
        for factor, before in zip(move.factors, move.before, strict=True):
            inside = move.span.start <= before.span.start < move.span.end
            part = "in its rounds" if inside else "before it"
            parts.setdefault(part, []).append(self._product(factor, before))
        return ", ".join(f"{part} {PLUS.join(products)}" for part, products in parts.items())

    def _product(self, factor: Sens, before: Move) -> str:
        """A factor times a number; a factor of 1 is not worth a word."""
        texts = [self.context.short(each) for each in (factor, before.sens)]
        if factor == ONE or factor is INFINITY:
            return texts[factor == ONE]
        return TIMES.join(map(_grouped, texts))


def _grouped(text: str) -> str:
    """A formula that may stand beside a sign of multiplication."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == " " and not depth:
            return f"({text})"
    return text


def _entering(var: Var) -> str:
    """What begins to move."""
    if var.members:
        return "a row of `" + "` and `".join(var.name.split(" and ")) + "` enters"
    return f"`{var.name}` enters a round" if var.carried else f"`{var.name}` enters"


def _in_order(last: Move) -> Iterator[Move]:
    """A move and all it follows from, each once, earlier ones first."""
    pending: list[tuple[Move, bool]] = [(last, False)]
    seen: set[Move] = set()
    while pending:
        move, ready = pending.pop()
        if ready:
            yield move
        elif move not in seen:
            seen.add(move)
            pending.append((move, True))
            pending.extend((before, False) for before in reversed(move.before))
