"""What differs between the sound rules and the published ones, apart from rows of the builtin table."""

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
    """A profile. ``growth`` tells how far many rounds of a loop move, if one moves as a matrix says; ``ordered`` says
    that a loop demands its range to be in order instead of counting no rounds, and takes ends that are Real;
    ``rows_apart`` that a matrix moves once if each round of a loop reads a row of its own.
    ``either`` is how far one of two values moves. ``groups`` says that what is given to a private function, or drawn
    from, may move by more than 1, at the price of a group.
    ``failures`` says that whether a run fails counts as something it tells, ``diameter`` that a value of diameter 1
    moves by at most 1, and ``ownership`` that only gradients and models are changed in place. ``one_way`` says that a
    selection costs less where all it selects by moves the same way, ``computed`` that any number is public that
    nothing private moves, ``linear`` that linear functions of one value are measured together, and ``whom`` that a
    private function must say whom it protects."""

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
    """The number of rounds of ``first:step:last`` for whole numbers; 0 where the range is empty."""
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
    """⌈(last - first + 1)/step⌉, whatever its sign."""
    if step.number == 0:
        return sens.ZERO
    return sens.ceiling((last - first + Poly.of(1)) * step.inverse())


def published_forms(row: Builtin) -> tuple[Form, ...]:
    """A row's forms in the published checker."""
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
