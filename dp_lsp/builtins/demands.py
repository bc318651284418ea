"""What several rows demand of their public numbers."""

from __future__ import annotations

from itertools import chain

from dp_lsp.builtins.define import Demand, Demands
from dp_lsp.core.algebra import Poly

_ZERO, _ONE = Poly.of(0), Poly.of(1)


def positive(*names: str) -> Demands:
    """Each of these numbers is larger than 0."""
    return lambda args: tuple(Demand(_ZERO, "<", args.static(name), name) for name in names)


def not_negative(*names: str) -> Demands:
    """Each of these numbers is at least 0."""
    return lambda args: tuple(Demand(_ZERO, "<=", args.static(name), name) for name in names)


def share(name: str) -> Demands:
    """A number lies between 0 and 1; either is allowed."""
    return lambda args: (Demand(_ZERO, "<=", args.static(name), name), Demand(args.static(name), "<=", _ONE, name))


def both(*demands: Demands) -> Demands:
    """All demands, in order."""
    return lambda args: chain.from_iterable(each(args) for each in demands)
