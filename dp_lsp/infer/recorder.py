"""What was found out of one definition, for who reports it."""

from __future__ import annotations

from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.term import Local, Term
from dp_lsp.problem import Problem
from dp_lsp.text import Span

Facts = dict[Span, tuple[Judgement, str]]
"""The judgement of each expression, and the rule that it is by, by the place."""


class Recorder:
    """Problems and judgements, as they are found.

    - ``problems`` are what is wrong, in the order of inference; ``unknown`` is why nothing may be claimed of the
      definition, or empty; ``premises`` are what users are taken at their word for, in order.
    - ``facts`` hold the judgement and the rule of expressions by place, ``judgements`` the judgement of each term, and
      ``joined`` that of each name whose value a loop or a branch made.
    - ``lacking`` are the values of which something public should be known, by the places of what was refused for it.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.unknown = ""
        self.premises: dict[str, None] = {}
        self.facts: Facts = {}
        self.judgements: dict[Term, Judgement] = {}
        self.joined: dict[Local, Judgement] = {}
        self.lacking: dict[Span, tuple[Term, Descriptor]] = {}

    def report(self, problem: Problem) -> None:
        """A problem; one that leaves something unchecked makes the definition unknown."""
        self.problems.append(problem)
        if problem.unchecked:
            self.give_up(problem.message)

    def give_up(self, reason: str) -> None:
        """Nothing may be claimed of this definition. The first reason stays."""
        self.unknown = self.unknown or reason

    def suppose(self, premise: str) -> None:
        """Users are taken at their word for this."""
        self.premises[premise] = None
