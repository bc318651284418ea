"""Loops over several things at once, and over one with the number of each: ``for x, y in zip(xs, ys)``, ``for i, x in
enumerate(xs)``.

The rounds are counted, and each begins by taking what stands at its place. ``zip`` ends with the shortest. Source: the
manual of Python (built-in functions).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from dp_lsp import surface
from dp_lsp.frontends.python.draws import whole
from dp_lsp.frontends.python.numeric import FUNCTIONS
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tree import Places, below, copied, walk
from dp_lsp.frontends.python.written_out import Replaced
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


# Loops over the places of what holds parts of the same records


def with_rounds(node: ast.FunctionDef, together: Collection[str], called: Callable[[ast.expr], str]) -> ast.FunctionDef:
    """The function with rounds over what parameters that are ``together`` hold of each record, in place of those over
    their places, and over what is made of each entry."""
    if not together:
        return node
    lists = [*together, *_made_of_each(node, together, called)]
    return _with_sources(_with_pairs(node, lists, called), together, called)


def _with_pairs(node: ast.FunctionDef, together: Collection[str], called: Callable[[ast.expr], str]) -> ast.FunctionDef:
    """The function with rounds over what stands in several parameters, ``for a, b in zip(xs, ys)``, in place of those
    over its places, ``for i in range(len(xs))``, where these are read for nothing but ``xs[i]`` and ``ys[i]``. What is
    ``together`` has as many entries as each other."""
    stored = {item.id for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load)}
    params = {item.arg for item in below(node, ast.arg)}
    kept = {each for each in together if each not in stored & params}
    if not kept or not any(isinstance(item, ast.Subscript) for item in walk(node)):
        return node
    places = {each.target.id for each in _rounds(node, kept, called) if isinstance(each.target, ast.Name)}
    found = {name for name in places if _is_place_alone(node, name, kept, called)}
    if not found:
        return node
    made: ast.FunctionDef = _Paired(found, kept, called, _lengths(node)).visit(copied(node))
    return made


def _lengths(node: ast.FunctionDef) -> dict[str, str]:
    """The names that stand for the length of something, and nothing else, and of what."""
    found: dict[str, str] = {}
    for statement in node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=of)], keywords=[]),
            ):
                found[name] = of
    given = [item.id for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load)]
    return {name: of for name, of in found.items() if given.count(name) == 1}


def _rounds(
    node: ast.FunctionDef, kept: Collection[str], called: Callable[[ast.expr], str]
) -> Iterator[ast.For | ast.comprehension]:
    """The loops and comprehensions over all places of what holds a part of the records."""
    known = _lengths(node)
    rounds: list[ast.For | ast.comprehension] = [*below(node, ast.For), *below(node, ast.comprehension)]
    for each in rounds:
        if _counted_of(each.iter, known, called) in kept:
            yield each


def _counted_of(over: ast.expr, known: dict[str, str], called: Callable[[ast.expr], str]) -> str:
    """What a range has a place for each entry of; empty for any other."""
    match over:
        case ast.Call(func=func, args=[size], keywords=[]) if called(func) == "range":
            match size:
                case ast.Name(id=name):
                    return known.get(name, "")
                case ast.Call(func=length, args=[ast.Name(id=of)], keywords=[]) if called(length) == "len":
                    return of
    return ""


def _is_place_alone(node: ast.FunctionDef, name: str, kept: Collection[str], called: Callable[[ast.expr], str]) -> bool:
    """Whether a name is nothing but the variable of such rounds, read to take what stands there."""
    targets = {id(each.target) for each in _rounds(node, kept, called)}
    taken = {
        id(each.slice)
        for each in below(node, ast.Subscript)
        if isinstance(each.value, ast.Name) and each.value.id in kept and isinstance(each.ctx, ast.Load)
    }
    around: list[_Rounds] = [*below(node, ast.For), *below(node, ast.ListComp), *below(node, ast.GeneratorExp)]
    inside = {id(item) for each in around if name in _variables(each) for item in walk(each)}
    uses = [item for item in below(node, ast.Name) if item.id == name]
    later = any(isinstance(item, ast.Lambda | ast.FunctionDef) for item in walk(node)[1:])
    params = any(each.arg == name for each in below(node, ast.arg))
    return not later and not params and all(id(each) in targets | (taken & inside) for each in uses)


_Rounds = ast.For | ast.ListComp | ast.GeneratorExp


def _variables(node: _Rounds) -> set[str]:
    targets = [node.target] if isinstance(node, ast.For) else [each.target for each in node.generators]
    return {each.id for each in targets if isinstance(each, ast.Name)}


class _Paired(ast.NodeTransformer):
    """Rounds over what stands side by side in place of those over places."""

    def __init__(
        self, places: set[str], kept: Collection[str], called: Callable[[ast.expr], str], known: dict[str, str]
    ) -> None:
        self._places, self._kept, self._called, self._known = places, kept, called, known

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        match node:
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Name(id=place)) if (
                place in self._places and of in self._kept
            ):
                return ast.copy_location(ast.Name(f"{of}[{place}]", ast.Load()), node)
        self.generic_visit(node)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self._pair(node, node)
        self.generic_visit(node)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.ListComp:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.GeneratorExp:
        return self._comprehension(node)

    def _comprehension(self, node: Comprehension) -> Comprehension:
        for part in node.generators:
            self._pair(part, node)
        self.generic_visit(node)
        return node

    def _pair(self, rounds: ast.For | ast.comprehension, around: ast.AST) -> None:
        match rounds.target:
            case ast.Name(id=place) if place in self._places:
                pass
            case _:
                return
        over = _counted_of(rounds.iter, self._known, self._called)
        read = {
            each.value.id: each.value
            for each in below(around, ast.Subscript)
            if isinstance(each.value, ast.Name) and isinstance(each.slice, ast.Name) and each.slice.id == place
        }
        names = sorted({*read, over})
        target = ast.Tuple([ast.Name(f"{of}[{place}]", ast.Store()) for of in names], ast.Store())
        zipped = ast.Call(ast.Name("zip", ast.Load()), [ast.Name(of, ast.Load()) for of in names], [])
        for made, at in ((target, rounds.target), (zipped, rounds.iter)):
            for each in ast.walk(made):
                ast.copy_location(each, read.get(each.id, at) if isinstance(each, ast.Name) else at)
        rounds.target, rounds.iter = target, zipped


Comprehension = TypeVar("Comprehension", ast.ListComp, ast.GeneratorExp)


# Lists that are made of one entry after the other of another one


class _Each(NamedTuple):
    """A list is made of each entry of another one, the ``source``, which is called ``name`` in what is ``made`` of
    it."""

    source: str
    name: str
    made: ast.expr


def _with_sources(
    node: ast.FunctionDef, together: Collection[str], called: Callable[[ast.expr], str]
) -> ast.FunctionDef:
    """The function with rounds over parameters that hold parts of the same records in place of those over lists that
    are made of these entry by entry, ``xs = [min(x, 9) for x in xs]``: what is made of an entry is made in the round.
    It is the same there: it is made of the entry and of what nobody gives another value."""
    found = _made_of_each(node, together, called)
    if not found:
        return node
    made: ast.FunctionDef = _OfSources(found).visit(copied(node))
    return made


def _made_of_each(
    node: ast.FunctionDef, together: Collection[str], called: Callable[[ast.expr], str]
) -> dict[str, _Each]:
    stored = [item.id for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load)]
    params = [item.arg for item in below(node, ast.arg)]
    known, found = {*together} - {*stored}, dict[str, _Each]()
    for statement in node.body if known else ():
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.ListComp(
                    elt=made,
                    generators=[ast.comprehension(target=ast.Name(id=entry), iter=ast.Name(id=source), ifs=[])],
                ),
            ) if source in known and stored.count(name) == 1 and name not in params:
                names = {each.id for each in below(made, ast.Name)} - {entry}
                if names.isdisjoint(stored) and _only_computes(made, called) and _is_read(node, name):
                    found[name] = _Each(source, entry, made)
                    known.add(name)
    return found


_COMPUTING = (
    *(ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Attribute),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


def _only_computes(node: ast.expr, called: Callable[[ast.expr], str]) -> bool:
    """Whether an expression has the same value each time, and does nothing else."""
    return all(
        isinstance(each, _COMPUTING) and (not isinstance(each, ast.Call) or called(each.func) in FUNCTIONS)
        for each in walk(node)
    )


def _is_read(node: ast.FunctionDef, name: str) -> bool:
    """Whether a list is gone over and counted, and nothing else, so that nobody changes it."""
    used = set[int]()
    for each in walk(node):
        match each:
            case ast.For(iter=ast.Name() as over) | ast.comprehension(iter=ast.Name() as over):
                used.add(id(over))
            case ast.Call(func=ast.Name(id="zip" | "len" | "sum" | "min" | "max"), args=args):
                used |= {*map(id, args)}
            case ast.Subscript(value=ast.Name() as of, ctx=ast.Load()):
                used.add(id(of))
    reads = (each for each in below(node, ast.Name) if each.id == name and isinstance(each.ctx, ast.Load))
    return all(id(each) in used for each in reads)


class _OfSources(ast.NodeTransformer):
    """Rounds over what lists are made of, which make the entries themselves."""

    def __init__(self, made: dict[str, _Each]) -> None:
        self._made = made

    def visit_For(self, node: ast.For) -> ast.For:
        for name, value in self._taken(node):
            given = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node.target)
            ast.copy_location(given.targets[0], node.target)
            node.body.insert(0, given)
        self.generic_visit(node)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.ListComp:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.GeneratorExp:
        return self._comprehension(node)

    def _comprehension(self, node: Comprehension) -> Comprehension:
        self.generic_visit(node)
        if len(node.generators) == 1 and not any(isinstance(each, ast.Lambda) for each in walk(node)):
            part = node.generators[0]
            for name, value in self._taken(part):
                put = Replaced({name: value})
                node.elt, part.ifs = put.visit(copied(node.elt)), [put.visit(copied(each)) for each in part.ifs]
        return node

    def _taken(self, rounds: ast.For | ast.comprehension) -> Iterator[tuple[str, ast.expr]]:
        """The names that rounds give what is made of an entry, with that; they are given the entry from now on."""
        match rounds:
            case (
                ast.For(target=ast.Tuple(elts=targets), iter=ast.Call(func=ast.Name(id="zip"), args=lists))
                | ast.comprehension(target=ast.Tuple(elts=targets), iter=ast.Call(func=ast.Name(id="zip"), args=lists))
            ) if len(targets) == len(lists):
                pass
            case _:
                return
        for index, (target, over) in enumerate(zip(targets, lists, strict=True)):
            while isinstance(over, ast.Name) and isinstance(target, ast.Name) and over.id in self._made:
                source, entry, made = self._made[over.id]
                before = f"{target.id} of {source}"
                read = ast.copy_location(ast.Name(before, ast.Load()), target)
                yield target.id, Replaced({entry: read}).visit(copied(made))
                target = targets[index] = ast.copy_location(ast.Name(before, ast.Store()), target)
                over = lists[index] = ast.copy_location(ast.Name(source, ast.Load()), over)
