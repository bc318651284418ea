"""Noise that is scaled or shifted before it is added, as what is added in the end.

A public multiple of a draw is a draw of the multiple of its scale, whose sign means nothing as noise is symmetric; and
a draw around a number is a draw around 0 beside it: ``x + s * laplace(c, b)`` is ``(x + s * c) + laplace(0, |s| * b)``.
That s is not 0 is a condition, as the scale must be positive.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction

from dp_lsp import surface
from dp_lsp.frontends.python.draws import Draw
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Node
from dp_lsp.text import Span

_MAGNITUDE = "np.abs"


class Noise(NamedTuple):
    """What is added: the draw, its scale, and the number that it is around; None if that is 0."""

    draw: Draw
    scale: Node
    centre: Node | None


def named_centre(name: str) -> str:
    """The name of the number around which a draw is that has a name."""
    return f"centre of {name}"


def scaled(
    node: ast.expr, of: Callable[[ast.expr], Noise | None], factor: Callable[[ast.expr], Node | None]
) -> Noise | None:
    """The noise that an expression is: a draw, times or divided by factors; None for any other."""
    match node:
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return scaled(operand, of, factor)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = scaled(operand, of, factor)
            return inner and inner._replace(centre=inner.centre and call("-", inner.centre))
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            inner = scaled(left, of, factor)
            by = right if inner is not None else left
            inner = inner or scaled(right, of, factor)
            return inner and _times(inner, factor(by), "*")
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            inner = scaled(left, of, factor)
            return inner and _times(inner, factor(right), "/")
        case ast.Call(func=ast.Name(id="float"), args=[same], keywords=[]):
            return scaled(same, of, factor)
    return of(node)


def _times(noise: Noise, by: Node | None, sign: str) -> Noise | None:
    """Noise times a factor, or divided by one; None where that cannot be written twice."""
    if by is None:
        return None
    centre = noise.centre and call(sign, noise.centre, by)
    return noise._replace(scale=call(sign, noise.scale, _magnitude(by)), centre=centre)


def _magnitude(node: Node) -> Node:
    match node:
        case surface.Number():
            return node
        case surface.Call(callee=surface.Name(name="-"), args=(surface.Number() as positive,)):
            return positive
    return call(_MAGNITUDE, node)


def beside(hidden: Node, sign: str, noise: Noise, noise_first: bool, place: Span) -> Node:
    """What stands beside noise that is added to something, or subtracted from it or it from that, at a place."""
    if noise.centre is None:
        return call("-", hidden) if sign == "-" and noise_first else hidden
    sides = (noise.centre, hidden) if sign == "-" and noise_first else (hidden, noise.centre)
    return call(sign, *sides, place=place)


def call(name: str, *args: Node, place: Span | None = None) -> surface.Call:
    """An operation that is not written where it stands in the tree: it lies where all that it is given does."""
    span = place or Span(min(each.start for each in args), max(each.end for each in args))
    return surface.Call(*span, surface.Name(span.start, span.start, name), args)


def whole(at: int, value: int) -> surface.Number:
    """A whole number that is not written."""
    return surface.Number(at, at, Fraction(value), True)
