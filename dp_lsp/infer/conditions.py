"""Side conditions when everything is solved: what fails is reported, what stays open is shown."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Constraint, Quantity
from dp_lsp.core.evaluate import Substitution, norms_of, symbols_of
from dp_lsp.core.notation import DISPLAY, Printer
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference, Pending
from dp_lsp.problem import Problem

_PRINT = Printer(DISPLAY)


def fails(constraint: Constraint) -> Problem:
    """The problem of a condition that is decided to be false."""
    text = _PRINT.constraint(constraint)
    return problems.ConditionFails.at(constraint.origin.span, condition=text, reason=constraint.origin.reason)


def put(values: Substitution, side: Quantity) -> Quantity:
    """A side of a condition with symbols replaced."""
    return values.poly(side) if isinstance(side, Poly) else values.sens(side)


def put_into(values: Substitution, need: Constraint) -> Constraint:
    """A condition with symbols replaced."""
    return need._replace(left=put(values, need.left), right=put(values, need.right))


class Settled(NamedTuple):
    """The conditions that stay open, and whether all that are decided hold."""

    needs: tuple[Constraint, ...]
    holds: bool


class Mark(NamedTuple):
    """How many conditions and equations there were at some time."""

    pending: int = 0
    equations: int = 0

    @staticmethod
    def now(inference: Inference) -> Mark:
        return Mark(len(inference.pending), len(inference.solver.equations))


def settle(inference: Inference, since: Mark) -> Settled:
    """Decide every condition found since a mark: report what fails, keep what stays open."""
    holds = True
    values = inference.solver.substitution()
    kept: dict[tuple[Quantity, str, Quantity], Constraint] = {}
    equations = [Pending(equation, None) for equation in inference.solver.equations[since.equations :]]
    found = [*inference.pending[since.pending :], *equations]
    del inference.pending[since.pending :], inference.solver.equations[since.equations :]
    for constraint, failed in found:
        left, right = put(values, constraint.left), put(values, constraint.right)
        solved = Constraint(left, constraint.relation, right, constraint.origin)
        decided = solved.decide()
        if decided is False or (decided is None and not _is_open(solved)):
            holds = False
            inference.report((failed or fails)(solved))
        elif decided is None:
            kept.setdefault(solved.key, solved)
    return Settled(_without_implied(list(kept.values())), holds)


def _is_open(condition: Constraint) -> bool:
    """Whether a condition that is not decided is about symbols. One about numbers that are too large to compare is not
    for the user to see to: it is taken to fail."""
    return any(symbols_of(side) or norms_of(side) for side in (condition.left, condition.right))


def _without_implied(needs: list[Constraint]) -> tuple[Constraint, ...]:
    """`x ≠ 0` beside `0 ≤ x` is `0 < x`; beside a stricter bound it says nothing new."""
    zero = Poly.of(0)
    for need in [need for need in needs if need.relation == "!=" and need.right == zero]:
        for index, other in enumerate(needs):
            if other.right != need.left or not isinstance(other.left, Poly):
                continue
            limit = other.left.number
            if limit is None or limit < 0 or other.relation not in ("<", "<="):
                continue
            if limit == 0 and other.relation == "<=":
                needs[index] = other._replace(relation="<")
            needs.remove(need)
            break
    return tuple(needs)
