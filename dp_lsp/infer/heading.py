"""Which way what a loop carries goes where a variable becomes larger, if that is known of one round.

Let each of what is carried have a way to go, so that what it starts with goes that way, what a round reads does, and
what a round makes of all that is carried does if each goes its way. Then, by induction, all go their ways after every
round, however many there are. What has no such way may go any.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from dp_lsp.core.events import Var
from dp_lsp.core.order import Way, common, through
from dp_lsp.core.scheme import Moves

Ways = dict[Var, Way | None]
"""The way that something goes with each variable it moves with; None if that is not known."""


def after(
    starts: Sequence[Moves], ends: Sequence[Moves], carried: Sequence[Var], whole: Callable[[Var], Var]
) -> list[Ways]:
    """Which way each of what a loop carries goes, in all rounds and after them. ``ends`` move with ``carried``, which
    stand for what a round starts with, and with what it reads: with rows of what ``whole`` tells."""
    found = [_with(_of(start, whole), _of(end, whole, set(carried))) for start, end in zip(starts, ends, strict=True)]
    changed = True
    while changed:
        changed = False
        for index, end in enumerate(ends):
            links = [(place, end[var].way) for place, var in enumerate(carried) if var in end]
            for place, way in links:
                wider = _with(found[index], {var: through(each, way) for var, each in found[place].items()})
                changed |= wider != found[index]
                found[index] = wider
    return found


def _of(moved: Moves, whole: Callable[[Var], Var], left_out: Collection[Var] = ()) -> Ways:
    found: Ways = {}
    for var, move in moved.items():
        if var not in left_out:
            found = _with(found, {whole(var): move.way})
    return found


def _with(left: Ways, right: Ways) -> Ways:
    """The way of what may be either of two."""
    both = {var: common((left[var], way)) if var in left else way for var, way in right.items()}
    return {**left, **both}
