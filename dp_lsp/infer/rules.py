"""The profiles: in what the sound rules and those of the published checker differ, apart from rows of the builtin
table."""

from __future__ import annotations

from collections.abc import Callable

from dp_lsp.builtins.define import Builtin, Form
from dp_lsp.core import laws, sens
from dp_lsp.core.algebra import Poly
from dp_lsp.core.scheme import Moves
from dp_lsp.core.sens import Sens
from dp_lsp.core.values import value
from dp_lsp.infer import growth, moves
from dp_lsp.text import Span


@value
class ProfileRules:
    """A profile, as the rules that depend on it.

    - ``growth``: how far a loop moves after all rounds, from the sensitivity matrix of one round.
    - ``ordered``: a loop demands that its range is in order, instead of counting an empty range as no round, and takes
      ends that are Real.
    - ``rows_apart``: a matrix of which each round reads a row of its own is charged once, not once a round.
    - ``either``: the environment of a value that is one of two.
    - ``groups``: what is given to a private function, or drawn from, may move by more than 1, at the price of group
      privacy.
    - ``failures``: whether a run fails is observable output.
    - ``diameter``: a value whose metric has diameter 1 moves by at most 1.
    - ``ownership``: only gradients and models are changed in place.
    - ``one_way``: a selection costs less where all of its scores move the same way
      (:mod:`dp_lsp.mechanisms.selection`).
    - ``computed``: any number that no private value moves is public.
    - ``linear``: linear functions of one value are measured together, not one by one.
    - ``whom``: a private function must say who is protected."""

    name: str
    forms: Callable[[Builtin], tuple[Form, ...]]
    rounds: Callable[[Poly, Poly, Poly], Sens]
    growth: Callable[[growth.Matrix, Sens | None], growth.Growth]
    either: Callable[[Moves, Moves, Span], Moves]
    ordered: bool
    rows_apart: bool
    failures: bool
    diameter: bool
    groups: bool
    ownership: bool
    one_way: bool
    computed: bool
    linear: bool
    whom: bool


def exact_rounds(first: Poly, step: Poly, last: Poly) -> Sens:
    """The number of integers in ``first:step:last``, which is 0 for an empty range."""
    if step == Poly.of(1):
        return sens.positive_part(last - first + Poly.of(1))
    if step == Poly.of(-1):
        return sens.positive_part(first - last + Poly.of(1))
    known = step.number
    if known == 0:
        return sens.ZERO
    if known is not None and known < 0:
        first, last, step = last, first, -step
    return sens.ceiling((last - first + Poly.of(1)) * step.inverse())


def published_rounds(first: Poly, step: Poly, last: Poly) -> Sens:
    """⌈(last - first + 1)/step⌉ as the published checker counts, which is negative for ranges that are out of order."""
    if step.number == 0:
        return sens.ZERO
    return sens.ceiling((last - first + Poly.of(1)) * step.inverse())


def published_forms(row: Builtin) -> tuple[Form, ...]:
    """The overloads of a builtin under the published rules."""
    return row.forms if row.published is None else row.published


SOUND = ProfileRules(
    "sound",
    lambda row: row.forms,
    exact_rounds,
    growth.sound,
    moves.larger,
    ordered=False,
    rows_apart=True,
    failures=True,
    diameter=True,
    groups=True,
    ownership=True,
    one_way=True,
    computed=True,
    linear=True,
    whom=True,
)
PUBLISHED = ProfileRules(
    "published",
    published_forms,
    published_rounds,
    growth.published,
    lambda left, right, span: moves.added((left, right), span, laws.BRANCH),
    ordered=True,
    rows_apart=False,
    failures=False,
    diameter=False,
    groups=False,
    ownership=False,
    one_way=False,
    computed=False,
    linear=False,
    whom=False,
)
BY_NAME = {rules.name: rules for rules in (SOUND, PUBLISHED)}
