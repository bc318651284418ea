"""Side conditions when everything is solved: what fails is reported, what stays open is shown."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Constraint, Quantity
from dp_lsp.core.evaluate import Substitution
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


class Settled(NamedTuple):
    """The conditions that stay open, and whether all that are decided hold."""

    needs: tuple[Constraint, ...]
    holds: bool


def settle(inference: Inference, values: Substitution) -> Settled:
    """Decide every condition: report what fails, keep what stays open."""
    holds = True
    kept: dict[tuple[Quantity, str, Quantity], Constraint] = {}
    equations = [Pending(equation, None) for equation in inference.solver.equations]
    for constraint, failed in [*inference.pending, *equations]:
        left, right = put(values, constraint.left), put(values, constraint.right)
        solved = Constraint(left, constraint.relation, right, constraint.origin)
        decided = solved.decide()
        if decided is False:
            holds = False
            inference.report((failed or fails)(solved))
        elif decided is None:
            kept.setdefault(solved.key, solved)
    return Settled(_without_implied(list(kept.values())), holds)


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
