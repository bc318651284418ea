"""What is known where a term stands: the text, the rules it is inferred by, and what names in scope stand for
(:class:`TypingContext`); and what was found out of one definition, for who reports it (:class:`Recorder`)."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.events import Var
from dp_lsp.core.scheme import Effort, FunctionValue, Judgement, Moves
from dp_lsp.core.term import Call, Closure, Local, Rounds, Term
from dp_lsp.core.types import Type
from dp_lsp.core.values import replace, value
from dp_lsp.infer import disjoint, moves
from dp_lsp.infer.entries import Entries
from dp_lsp.infer.rules import ProfileRules
from dp_lsp.infer.solver import Solver
from dp_lsp.language import Language
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Severity
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.tallies import Parted
    from dp_lsp.infer.unrolled import Allowance

Global = FunctionValue | Judgement
"""What a top-level name stands for."""


@value
class UnknownGlobal:
    """A top-level name of which nothing may be assumed, and why; what uses it becomes unknown. ``accepted`` says that a
    person accepted the reason."""

    name: str
    reason: str
    accepted: bool = False


Resolve = Callable[[str], "Global | UnknownGlobal | None"]
"""What a top-level name stands for; None for one that nothing defines."""


class UnevenRounds(NamedTuple):
    """A loop over a known range whose rounds may differ in cost: ``vary`` says that numbers in its costs differ from
    round to round, ``told_apart`` that the part of a dataset that each round reads is known without unrolling."""

    numbers: range
    vary: bool
    told_apart: bool


class TypingContext:
    """The typing context of one definition.

    - ``text`` is the source, in a ``language``, ``rules`` the profile, ``resolve`` looks up top-level names, ``look``
      stops an inference that nobody wants any more, and ``effort`` is what may be spent on inferring what is called
      again.
    - ``environment`` holds the judgements of the locals in scope, ``parameters`` are the places where parameters are
      declared, and ``tuples`` tells which parameter the variable of an item of it is a part of.
    - ``given`` are the locals of parameters of the definition itself, ``made`` the terms that made others, ``totals``
      what loops that add up over records leave, as terms, and ``spread`` those that stand for a number in the function
      of a broadcast, though they are around that.
    - ``home`` stands for the function whose body is inferred: only there are the variables in scope that it captured.
    - ``rounds`` are what the rounds of the loops around read for themselves, by the index of the loop, and ``wholes``
      what the variables of that are a part of.
    - ``filters`` are the terms of filters, by their homes and places. ``parts`` tell apart what is released of a
      dataset, a vector or a matrix that is a parameter, by its variable and by the home where that is, as long as its
      body is inferred.
    - ``uneven`` are the loops over few known numbers that are known better if they are written out, as they release
      something, and ``differing`` those that release nothing. ``allowance`` says how many terms the loops may still
      write out that stand in rounds that are written out; None outside of such rounds.
    - ``expected`` are the types with which functions that are written in a call are called, and ``running`` the
      functions whose calls are being settled, from the outermost.
    - ``protects`` says that the definition is private, so that what is seen of its run must be public.
    - ``whole`` are the variables two values of which are a whole number apart.
    """

    def __init__(
        self,
        text: str,
        language: Language,
        rules: ProfileRules,
        resolve: Resolve,
        look: Callable[[], None],
        effort: Effort,
    ) -> None:
        self.text = text
        self.language = language
        self.rules = rules
        self.resolve = resolve
        self.look = look
        self.effort = effort
        self.home: object = object()
        self.is_inside = False
        self.environment: ChainMap[Local, Judgement] = ChainMap()
        self.parameters: set[Span] = set()
        self.tuples: dict[Var, Var] = {}
        self.given: set[Local] = set()
        self.made: dict[Local, Term] = {}
        self.totals: dict[Term, tuple[Term, ...]] = {}
        self.spread: set[Local] = set()
        self.rounds: dict[Local, disjoint.OwnRows] = {}
        self.wholes: disjoint.Wholes = {}
        self.filters: dict[tuple[object, Span], Call] = {}
        self.parts: dict[object, dict[Var, Parted | Entries]] = {}
        self.uneven: dict[Term, UnevenRounds] = {}
        self.differing: dict[Term, UnevenRounds] = {}
        self.allowance: Allowance | None = None
        self.expected: dict[Closure, tuple[Type, ...]] = {}
        self.running: list[FunctionValue] = []
        self.protects = False
        self.undeclared: frozenset[Var] = frozenset()
        self.whole: set[Var] = set()

    def written(self, span: Span, limit: int = 40) -> str:
        """The source text at a place, on one line and abbreviated to a limit."""
        text = " ".join(self.text[span.start : span.end].split())
        return text if len(text) <= limit else text[: limit - 1] + "…"

    def leaves_to_calls(self, seen: Iterable[Var]) -> bool:
        """Whether it is judged where the definition is called that somebody sees these: it promises nothing, and they
        are parameters of which nothing is said."""
        return self.rules.failures and not (self.protects or self.is_inside) and self.undeclared.issuperset(seen)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """A scope for the body of a closure, which is a home of its own."""
        home, self.home = self.home, object()
        around, self.is_inside = self.is_inside, True
        try:
            yield
        finally:
            self.home, self.is_inside = home, around

    @contextmanager
    def round(self, node: Rounds, solver: Solver, sample: Var | None = None) -> Iterator[disjoint.OwnRows]:
        """A scope for the body of a loop; names defined before it are loop-invariant. ``sample`` is the variable of a
        sample whose rows are the rounds, if they are."""
        around = self.environment
        rows = disjoint.OwnRows(around, solver, self.wholes, node, self.home, sample)
        if self.rules.rows_apart:
            self.rounds[node.index] = rows
        self.environment = around.new_child()
        try:
            yield rows
        finally:
            self.environment = around
            self.rounds.pop(node.index, None)

    @contextmanager
    def settling(self, value: FunctionValue) -> Iterator[None]:
        """A scope in which the deferred operations of a function are solved for one call."""
        self.running.append(value)
        try:
            yield
        finally:
            self.running.pop()

    def judgement(self, local: Local) -> Judgement | None:
        """That of a local in scope; None where nothing was understood of it. It is asked for at each use."""
        for scope in self.environment.maps:
            if local in scope:
                return scope[local]
        return None

    def container(self, var: Var) -> Var:
        """The variable of a container in place of that of the row that a round reads."""
        return disjoint.variable(self.wholes, var)

    def parameter(self, var: Var) -> Var:
        """The same, with a parameter in place of its tuple items."""
        whole = self.container(var)
        return self.tuples.get(whole, whole)

    def released(self, moved: Moves, span: Span) -> Moves:
        """The environment as a release sees it where every round is charged: containers in place of rows, and tuples in
        place of items."""
        if not self.wholes and not self.tuples:
            return moved
        return moves.of_tuples(disjoint.whole(self.wholes, moved, span), self.tuples, span)

    def paid(self, moved: Moves, span: Span) -> Moves:
        """The environment as a release sees it where rounds are charged for the rows they read (parallel composition).
        A value that moves with a row and otherwise with its container counts as the container, and so does one released
        in a closure, which may run in another round."""
        rows = {var for each in self.rounds.values() if each.home is self.home for var in each.places}
        if not rows:
            return self.released(moved, span)
        alone = {var for var in rows if self.container(var) not in self.tuples}
        found = disjoint.whole(self.wholes, moved, span, alone)
        times = Counter(map(self.parameter, found))
        kept = {var for var in found if times[self.parameter(var)] == 1 and var in alone}
        return moves.of_tuples(disjoint.whole(self.wholes, found, span, kept), self.tuples, span)

    def seen(self, span: Span, known: Judgement) -> Judgement:
        """A judgement in terms of containers and tuples, for who does not know rows and items."""
        moved = self.released(known.moves, span)
        return known if moved is known.moves else replace(known, moves=moved, form=None)


# What was found out of one definition, for who reports it.

Facts = dict[Span, tuple[Judgement, str]]
"""The judgement of each expression, and the rule that it is by, by the place."""


class Recorder:
    """Problems and judgements, as they are found.

    - ``problems`` are what is wrong, in the order of inference; ``doubts`` are why nothing may be claimed of the
      definition, and ``unknown`` is the first of them, or empty; ``boxes`` are the black boxes that it calls and
      ``premises`` what else users are taken at their word for, in order; ``untyped`` is a name that it reads, by itself
      or by way of what it calls, of whose type nothing is inferred before a run, or empty.
    - ``facts`` hold the judgement and the rule of expressions by place, ``judgements`` the judgement of each term, and
      ``joined`` that of each name whose value a loop or a branch made.
    - ``lacking`` are the values of which something public should be known, by the places of what was refused for it.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.doubts: list[str] = []
        self.boxes: dict[str, None] = {}
        self.premises: dict[str, None] = {}
        self.untyped = ""
        self.facts: Facts = {}
        self.judgements: dict[Term, Judgement] = {}
        self.joined: dict[Local, Judgement] = {}
        self.lacking: dict[Span, tuple[Term, Descriptor]] = {}

    @property
    def unknown(self) -> str:
        return self.doubts[0] if self.doubts else ""

    def report(self, problem: Problem) -> None:
        """Record a problem. One of a kind that leaves something unchecked makes the definition unknown."""
        self.problems.append(problem)
        if problem.unchecked:
            self.give_up(problem.message)

    def give_up(self, reason: str) -> None:
        """Make the definition unknown: no bound is claimed of it. The first reason is told."""
        self.doubts.append(reason)

    def say_instead(self, reason: str, other: str) -> None:
        """Give a reason in other words, if it is one."""
        self.doubts = [other if doubt == reason else doubt for doubt in self.doubts]

    def suppose(self, premise: str) -> None:
        """Record a premise for which the user is taken at their word."""
        self.premises[premise] = None

    @contextmanager
    def aside(self) -> Iterator[Callable[[], bool]]:
        """A scope in which terms are inferred once more: what is reported and written down of them is forgotten. Gives
        a function that says whether anything was wrong with them."""
        reported, doubts, lacking = len(self.problems), len(self.doubts), {**self.lacking}
        unknown = self.unknown
        facts, judgements, joined = {**self.facts}, {**self.judgements}, {**self.joined}

        def is_wrong() -> bool:
            errors = (problem.severity is Severity.ERROR for problem in self.problems[reported:])
            return self.unknown != unknown or any(errors)

        try:
            yield is_wrong
        finally:
            del self.problems[reported:]
            del self.doubts[doubts:]
            self.lacking = lacking
            self.facts, self.judgements, self.joined = facts, judgements, joined
