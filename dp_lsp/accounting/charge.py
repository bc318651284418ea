"""What one person is charged, in numbers: the tree of what was released about them, with no variable left in it.

A :class:`~dp_lsp.core.events.Cost` says what a function releases about everybody; once the distances of a change and
the numbers of all symbols are known, what it costs that one change is a charge. Numeric measures price charges, and
nothing else: what is known of a mechanism stands in a leaf, its
:class:`~dp_lsp.mechanisms.mechanism.Loss`. Numbers are exact; one that is irrational is rounded to
the side on which a charge costs more. Trees are immutable, shared, and as deep as the calls of a program.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from fractions import Fraction

from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Scheme as Scheme
from dp_lsp.core.values import value
from dp_lsp.mechanisms.mechanism import Loss


class Relation(Enum):
    """Which data are neighbours: those that differ in one record, or those of which one has a record more."""

    CHANGE_ONE = "change-one"
    ADD_REMOVE = "add-remove"


@value
class Sequence:
    """One after the other; later parts may depend on what earlier ones released. None of them costs nothing."""

    parts: tuple[Charge, ...]


@value
class Either:
    """One of several, chosen by what is public or was released."""

    parts: tuple[Charge, ...]


@value
class Repeat:
    """``count`` ≥ 0 rounds of a body, each of which may depend on what the earlier ones released."""

    count: int
    body: Charge
    origin: Origin | None = field(default=None, compare=False)


@value
class Group:
    """What costs a change of one step ``body``, at a change of ``steps`` ≥ 1 steps."""

    steps: int
    body: Charge


@value
class Sampled:
    """A body that sees a random part of ``rows`` rows; the body is what one step of ``relation`` in what was drawn is
    charged.

    Of a Poisson sample each row is drawn with probability ``rate``, and ``draws`` is 0; of the others ``draws`` rows
    are drawn, and ``rate`` is draws/rows."""

    scheme: Scheme
    relation: Relation
    rate: Fraction
    draws: int
    rows: int
    body: Charge
    origin: Origin | None = field(default=None, compare=False)


@value
class Joined:
    """One mechanism that a change reaches in two ways, as by two arguments: the cost of the first, all else being
    equal, and that of the second. The two can be changed in either order."""

    first: Charge
    second: Charge


Charge = Loss | Sequence | Either | Repeat | Group | Sampled | Joined

FREE = Sequence(())
