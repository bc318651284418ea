"""What led to a bound, step by step, as flat data that can cross the border between processes.

It is made for one function at a time, when somebody asks, so a check need not keep it. Offsets are relative to the
chunk of the function.
"""

from __future__ import annotations

from dp_lsp.analysis.records import FunctionReport
from dp_lsp.analysis.rows import Fact, FreeVariable, NumericReport
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span


class Rule(NamedTuple):
    """What allows a step: its name, what it says, and where that is proved."""

    name: str
    words: str
    source: str


class Step(NamedTuple):
    """One step. ``why`` names the rule and its arithmetic, ``shown`` is what it leads to, both for a person.

    ``premises`` are the places of earlier steps that it is made of, ``reasons`` those that tell where a factor comes
    from. ``factors`` (for a sensitivity one for each premise, for a cost what its rule takes) and ``result`` (a
    sensitivity, or ε and δ) are formulas in SymPy syntax. ``of`` names what moves, where that is not the subject of
    the derivation. ``span`` is None for a step that puts together what stands in several places.
    """

    span: Span | None
    rule: str
    why: str
    premises: tuple[int, ...]
    reasons: tuple[int, ...]
    factors: tuple[str, ...]
    result: tuple[str, ...]
    shown: str
    of: str = ""


class Conclusion(NamedTuple):
    """What a derivation arrives at: the place of its last step; for a privacy cost the rule of composition, and what
    the user may choose in it."""

    rule: str
    step: int
    result: tuple[str, ...]
    shown: str
    free: tuple[FreeVariable, ...] = ()


class Derivation(NamedTuple):
    """How the bounds for one parameter, or for several that change together, come about. ``bound`` says the tightest
    to a person; without steps it is all there is to say. ``inside`` is the name of a function that is made in the one
    that is explained, and ``place`` where it stands, if these are its parameters."""

    parameters: tuple[str, ...]
    bound: str
    steps: tuple[Step, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    inside: str = ""
    place: Span | None = None

    def moved(self, by: int) -> Derivation:
        """The same in a text that has ``by`` more code points before it."""
        steps = tuple(step._replace(span=step.span and step.span.moved(by)) for step in self.steps)
        return self._replace(steps=steps, place=self.place and self.place.moved(by))


class Premise(NamedTuple):
    """A condition under which the bounds hold, and what demands it."""

    text: str
    reason: str
    span: Span


class Explanation(NamedTuple):
    """The derivations of a function or, with a ``fact``, of an expression in it; the rules they use; the functions
    they refer to; the conditions; the problems that stand in the way; and, where numbers are asked for, what each rule
    comes to, for each parameter or record best first."""

    function: FunctionReport
    fact: Fact | None
    derivations: tuple[Derivation, ...]
    rules: tuple[Rule, ...]
    callees: tuple[str, ...]
    conditions: tuple[Premise, ...]
    problems: tuple[Problem, ...]
    numbers: tuple[NumericReport, ...] = ()

    def moved(self, by: int) -> Explanation:
        """The same in a text that has ``by`` more code points before it."""
        return self._replace(
            function=self.function.moved(by),
            fact=self.fact and self.fact._replace(span=self.fact.span.moved(by)),
            derivations=tuple(each.moved(by) for each in self.derivations),
            conditions=tuple(each._replace(span=each.span.moved(by)) for each in self.conditions),
            problems=tuple(each.moved(by) for each in self.problems),
        )
