"""What evaluating a term does besides giving a value, as plain values that rules return and compose.

The calculus is a type-and-effect system: the judgement of a value is its coeffect (how far it moves with every
variable), and what evaluating it releases, and where it may fail, is its effect. An effect is the sequence of the
effects of its parts, in the order of evaluation; branches, loops and samples make one effect of those of their bodies.

Source: type_system sections 2 to 5; Lucassen and Gifford 1988, "Polymorphic effect systems".

So what is left as state while a definition is inferred is what is known (:mod:`dp_lsp.infer.context`), what is to be
decided (:mod:`dp_lsp.infer.solver`) and what was found (:mod:`dp_lsp.infer.context`).
"""

from __future__ import annotations

from collections.abc import Iterable

from dp_lsp.core.events import Cost, sequence
from dp_lsp.core.scheme import Judgement, Moves
from dp_lsp.core.types import UNKNOWN
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


class Failure(NamedTuple):
    """The run may fail at a place; whether it does moves with these. Nobody else's data is in that if it is empty,
    but a private condition around it decides then whether the place is reached. So it is with a place that ``shows``
    something public: that it is reached can be seen, too. What a place ``prints`` is seen as it is, whether the run
    fails or not. Of one that is ``told`` a problem is reported already."""

    moves: Moves
    span: Span
    shows: bool = False
    prints: bool = False
    told: bool = False


class Effects(NamedTuple):
    """An effect: the costs that are spent, in order, and the places where the run may fail, in order."""

    costs: tuple[Cost, ...] = ()
    failures: tuple[Failure, ...] = ()

    @property
    def cost(self) -> Cost:
        """All that is spent, as one tree of events."""
        return sequence([*self.costs])


NONE = Effects()
"""The effect of what spends nothing and never fails."""


class Evaluation(NamedTuple):
    """What a rule finds out of a term: the judgement of its value, and the effect of evaluating it."""

    value: Judgement
    effects: Effects = NONE

    def after(self, *before: Effects) -> Evaluation:
        """The same value where other effects come first."""
        if all(each is NONE for each in before):  # which is the rule, so it is looked at first
            return self
        return Evaluation(self.value, in_sequence((*before, self.effects)))


NOT_UNDERSTOOD = Evaluation(Judgement(UNKNOWN, {}))
"""Of what was not understood nothing is claimed, so neither is anything of the definition that it stands in."""


def in_sequence(effects: Iterable[Effects]) -> Effects:
    """The effects of terms that are evaluated one after the other."""
    found = [each for each in effects if each is not NONE]
    if len(found) < 2:
        return found[0] if found else NONE
    costs = tuple(cost for each in found for cost in each.costs)
    return Effects(costs, tuple(failure for each in found for failure in each.failures))


def spending(*costs: Cost) -> Effects:
    """The effect of spending these, in order."""
    return Effects(costs)


def showing(span: Span) -> Effects:
    """The effect of printing something public at a place."""
    return Effects(failures=(Failure({}, span, shows=True),))


def failing(moved: Moves, span: Span) -> Effects:
    """The effect of what may fail at a place, where ``moved`` says what decides whether it does."""
    return Effects(failures=(Failure(moved, span),))


def printing(moved: Moves, span: Span, told: bool = False) -> Effects:
    """The effect of what is seen at a place as it is: nothing hides ``moved``. It is ``told`` if that is reported."""
    return Effects(failures=(Failure(moved, span, prints=True, told=told),))
