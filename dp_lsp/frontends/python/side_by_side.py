"""Loops over several things at once, and over one with the number of each: ``for x, y in zip(xs, ys)``, ``for i, x in
enumerate(xs)``.

The rounds are counted, and each begins by taking what stands at its place. ``zip`` ends with the shortest. Source: the
manual of Python (built-in functions).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from dp_lsp import surface
from dp_lsp.frontends.python.noise import whole
from dp_lsp.frontends.python.places import Places
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Node
from dp_lsp.text import Span

_SMALLER = "np.minimum"


class Taken(NamedTuple):
    """What a target is given in each round: an entry of something; or the number of the round, from ``first`` on."""

    target: ast.Name
    of: ast.expr | None
    first: int = 0


def taken(loop: ast.For, called: Callable[[ast.expr], str]) -> list[Taken] | None:
    """What the names of a loop are given, where it goes over several things or counts; None for any other loop."""
    match loop:
        case ast.For(target=ast.Tuple(elts=names), iter=ast.Call(func=func, args=args) as over) if called(func) in (
            "enumerate",
            "zip",
        ):
            pass
        case _:
            return None
    targets = [each for each in names if isinstance(each, ast.Name)]
    named = [each.id for each in targets if each.id != "_"]
    if len(targets) != len(names) or len(set(named)) != len(named):
        raise Refused(loop.target, "a loop with other targets than a name for each")
    if called(func) == "zip":
        if over.keywords or len(args) != len(names) or any(isinstance(each, ast.Starred) for each in args):
            raise Refused(over, "`zip` of other things than there are names")
        return [Taken(target, of) for target, of in zip(targets, args, strict=True)]
    first = counted_from(over)
    if first is None or len(names) != 2:
        raise Refused(over, "`enumerate` other than of one thing, counted from a number that is written out")
    return [Taken(targets[0], None, first), Taken(targets[1], args[0])]


def counted_from(over: ast.Call) -> int | None:
    """The number of the first round of ``enumerate``; None where it is not written out."""
    match over.args, over.keywords:
        case ([_], []):
            return 0
        case ([_, ast.Constant(value=int() as first)], []) | (
            [_],
            [ast.keyword(arg="start", value=ast.Constant(value=int() as first))],
        ) if not isinstance(first, bool):
            return first
    return None


class Counted(NamedTuple):
    """A loop that counts its rounds: what stands ``before`` it, its variable, over what it goes, and what each round
    does ``first``."""

    before: list[Node]
    round: surface.Name
    over: surface.Range
    first: list[Node]


def counted(span: Span, parts: list[Taken], walked: Callable[[ast.expr], Node], places: Places) -> Counted:
    """The loop that gives names what they are ``taken`` from. ``walked`` is what a loop may go over."""

    def name(called: str) -> surface.Name:
        return surface.Name(span.start, span.start, f"<{called} {span.start}>")

    def call(function: str, *args: Node) -> surface.Call:
        return surface.Call(*span, surface.Name(span.start, span.start, function), args)

    before, first, lengths, written = list[Node](), list[Node](), list[Node](), list[int]()
    for index, part in enumerate(parts):
        at = places.span(part.target)
        if part.of is None:
            value: Node = call("+", name("round"), whole(span.end, part.first - 1))
        else:
            made, source = walked(part.of), name(f"part {index}")
            before.append(surface.Assign(*made.span, source, made))
            if isinstance(made, surface.Vector):
                written.append(len(made.items))
            else:
                lengths.append(call("len", source))
            value = surface.Index(*at, source, (name("round"),))
        if part.target.id != "_":
            first.append(surface.Assign(*at, surface.Name(*at, part.target.id), value))
    lengths += [whole(span.end, min(written))] if written else []
    last = lengths[0]
    for each in lengths[1:]:
        last = call(_SMALLER, last, each)
    return Counted(before, name("round"), surface.Range(*span, whole(span.start, 1), None, last), first)
