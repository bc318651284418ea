"""Powers and whole quotients, of numbers and of the entries of arrays.

A whole power is one of the calculus; that of a negative number is one divided by it, and the power 1/2 a root. Of whole
numbers NumPy has no power by a negative whole number, wherever there is one: an array of them fails unless it is empty.
A power of a number of Python fails where it is too large, and one of an entry of an array does not, so a square of that
is a product. ``x // y`` is the largest whole number that is at most ``x / y``. Sources: the Python reference ("The
power operator", "Binary arithmetic operations"), the manual of NumPy (``power``, ``floor_divide``).
"""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import TYPE_CHECKING

from dp_lsp import surface
from dp_lsp.frontends.python.kinds import COLUMNS, SIGNS, Kinds
from dp_lsp.frontends.python.noise import whole
from dp_lsp.frontends.python.numeric import written
from dp_lsp.frontends.python.places import Places
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.surface import Node
from dp_lsp.text import Span

POWER, SQUARE, ROOT, DOWN = "**", "np.square", "np.sqrt", "np.floor"
UPDATES = frozenset({*SIGNS, ast.Pow, ast.FloorDiv})
"""The operators that a number may be updated by."""
_HALF = Fraction(1, 2)
_NEGATIVE = "a negative whole power, which NumPy has not of whole numbers (write `v ** -1.0`, or `1 / v`),"


class Powers:
    """The part of an expression's meaning that is about powers and whole quotients."""

    _places: Places
    _kinds: Kinds

    if TYPE_CHECKING:

        def number(self, node: ast.expr) -> Node: ...
        def _call(self, span: Span, name: str, *args: Node) -> surface.Call: ...

    def quotient(self, span: Span, left: Node, right: Node) -> Node:
        """``left // right``."""
        return self._call(span, DOWN, self._call(span, "/", left, right))

    def power(self, node: ast.expr, base: Node, exponent: ast.expr, of_entries: bool) -> Node:
        """``base ** exponent``. Raises :class:`Refused` for an exponent of each entry."""
        span = self._places.span(node)
        if self._kinds.of(exponent) in COLUMNS:
            raise Refused(exponent, "a power with another exponent for each entry")
        match exponent:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                if not (isinstance(operand, ast.Constant) and isinstance(operand.value, float)):
                    raise Refused(node, _NEGATIVE)
                return self._call(span, "/", whole(span.start, 1), self.power(node, base, operand, of_entries))
            case ast.Constant() if written(exponent) == _HALF:
                return self._call(span, ROOT, base)
            case ast.Constant(value=float() as value) if value.is_integer():
                times: Node = whole(span.end, int(value))
            case _:
                times = self.number(exponent)
        if of_entries and isinstance(times, surface.Number) and times.value == Fraction(2):
            return self._call(span, SQUARE, base)
        return self._call(span, POWER, base, times)
