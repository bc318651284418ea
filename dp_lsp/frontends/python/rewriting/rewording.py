"""What has other words that mean the same: functions of modules by the names that are known, what is made of each of
many numbers as a comprehension, several quantiles as one after the other."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dp_lsp.frontends.python.rewriting.definitions import Definition
from dp_lsp.frontends.python.rewriting.origins import Origins, called, named, usual
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit
from dp_lsp.text import Span

_KNOWN_HOMES = ("numpy", "math", "random")
"""The modules of which functions are known, by their usual names."""
_RANDOM = "numpy.random."


class Rewording(NamedTuple):
    """A title, and the edits that belong together."""

    title: str
    edits: tuple[Edit, ...]


class Written:
    """A definition, the text that it is in, and what stands around each node of it."""

    def __init__(self, definition: Definition, text: str, known: Origins) -> None:
        self.definition = definition
        self.text = text
        self.known = known
        nodes = [*ast.walk(definition.node)]
        self.nodes = nodes
        self.above = {id(child): each for each in nodes for child in ast.iter_child_nodes(each)}
        self.names = {each.id for each in nodes if isinstance(each, ast.Name)}

    def source(self, node: ast.AST) -> str:
        return self.text[slice(*self.definition.span(node))]

    def edit(self, node: ast.AST, made: str) -> Edit:
        return Edit(self.definition.span(node), made)

    def line(self, statement: ast.stmt) -> Edit:
        """A statement that is left out, with its line."""
        start, end = self.definition.span(statement)
        line = self.text.rfind("\n", 0, start) + 1
        after = self.text.find("\n", end)
        return Edit(Span(line, len(self.text) if after < 0 else after + 1), "")

    def called(self, node: ast.AST) -> str:
        return called(node, self.known)

    def grouped(self, node: ast.AST, made: str) -> str:
        """What takes the place of a call, in brackets where something beside it would take a part of it."""
        beside = isinstance(self.above.get(id(node)), ast.BinOp | ast.UnaryOp | ast.Compare | ast.Attribute)
        return f"({made})" if beside else made

    def fresh(self, *wanted: str) -> str:
        """A name that the definition does not use."""
        used = {*self.names, *(each.name for each in self.definition.parameters)}
        return next(name for name in (*wanted, *(f"{wanted[0]}_{n}" for n in range(2, 99))) if name not in used)


def rewordings(written: Written) -> Iterator[Rewording]:
    """The calls of a definition that have other words, each with what it is made."""
    yield from _by_usual_names(written)
    yield from _one_by_one(written)
    yield from _as_conditions(written)
    for node in written.nodes:
        found = _REWORDED.get(written.called(node))
        made = found(written, node) if found is not None and isinstance(node, ast.Call) else None
        made = _counting(written, node) or made
        if made:
            yield Rewording(f"write `{made}`", (written.edit(node, written.grouped(node, made)),))


def _by_usual_names(written: Written) -> Iterator[Rewording]:
    """Functions of modules that are imported by themselves, or under another name."""
    for node, path in named(written.definition.node, written.known):
        home = path.partition(".")[0]
        made = usual(path)
        is_other = path != home and home in _KNOWN_HOMES and written.source(node) != made
        if is_other and made.partition(".")[0] not in written.names - {written.source(node)}:
            yield Rewording(f"call it by its module: `{made}`", (written.edit(node, made),))


Reworded = Callable[[Written, ast.Call], str | None]


def _mean(written: Written, node: ast.Call) -> str | None:
    match node:
        case ast.Call(args=[ast.Name(id=name)], keywords=[]):
            return f"sum({name}) / len({name})"
        case ast.Call(args=[one], keywords=[]):
            return f"np.mean({written.source(one)})"
    return None


def _by(made: str) -> Reworded:
    def reworded(written: Written, node: ast.Call) -> str | None:
        match node:
            case ast.Call(args=[one], keywords=[]):
                return made.format(written.source(one))
        return None

    return reworded


def _of_each(written: Written, node: ast.Call) -> str | None:
    """``list(map(f, v))`` and ``list(filter(p, v))`` as lists, ``sum(map(f, v))`` as a sum of each."""
    match node:
        case ast.Call(args=[ast.Call() as inner], keywords=[]):
            made = _comprehension(written, inner)
            brackets = "[{}]" if written.called(node) == "list" else f"{written.source(node.func)}({{}})"
            return None if made is None else brackets.format(made)
    return None


def _comprehension(written: Written, node: ast.Call) -> str | None:
    match written.called(node), node.args:
        case "map", [function, over]:
            each, made = _applied(written, function, over)
            return f"{made} for {each} in {written.source(over)}" if each else None
        case "filter", [function, over]:
            each, made = _applied(written, function, over)
            return f"{each} for {each} in {written.source(over)} if {made}" if each else None
    return None


def _applied(written: Written, function: ast.expr, over: ast.expr) -> tuple[str, str]:
    """The name of one value, and what a function makes of it; empty where it is no function of one."""
    match function:
        case ast.Lambda(args=ast.arguments(args=[ast.arg(arg=name)], defaults=[]), body=body):
            return name, written.source(body)
        case ast.Name() | ast.Attribute():
            each = written.fresh("x", "each")
            return each, f"{written.source(function)}({each})"
    return "", ""


def _one_by_one(written: Written) -> Iterator[Rewording]:
    """``low, high = np.percentile(v, [5, 95])`` as two quantiles, each of which has its name."""
    for node in written.nodes:
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=targets)],
                value=ast.Call(args=[of, ast.List(elts=shares) | ast.Tuple(elts=shares)], keywords=[]) as call,
            ) if written.called(call) in _QUANTILES and len(targets) == len(shares):
                given = zip(targets, shares, strict=True)
                function = written.source(call.func), written.source(of)
                lines = [
                    f"{written.source(to)} = {function[0]}({function[1]}, {written.source(at)})" for to, at in given
                ]
                made = f"\n{' ' * node.col_offset}".join(lines)
                yield Rewording(f"write `{lines[0]}`", (written.edit(node, made),))


_QUANTILES = frozenset({"numpy.percentile", "numpy.quantile"})


def _as_conditions(written: Written) -> Iterator[Rewording]:
    """The truth of a record, of which it is not known that it is True or False, as a comparison."""
    params = {each.name for each in written.definition.parameters}
    for node in written.nodes:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Name(id=over)) if over in params:
                tests = [each.test for each in ast.walk(node) if isinstance(each, ast.If | ast.IfExp)]
            case ast.comprehension(target=ast.Name(id=name), iter=ast.Name(id=over), ifs=tests) if over in params:
                pass
            case _:
                continue
        for test in tests:
            if isinstance(test, ast.Name) and test.id == name:
                yield Rewording(f"compare it: `{name} == 1`", (written.edit(test, f"{name} == 1"),))


def _counting(written: Written, node: ast.AST) -> str | None:
    """``v.count(k)`` of a parameter."""
    params = {each.name for each in written.definition.parameters}
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="count"), args=[key], keywords=[]):
            each = written.fresh("x", "each")
            return f"sum(1 for {each} in {name} if {each} == {written.source(key)})" if name in params else None
    return None


_REWORDED: dict[str, Reworded] = {
    **dict.fromkeys(("statistics.mean", "statistics.fmean"), _mean),
    "statistics.median": _by("np.median({})"),
    "statistics.stdev": _by("np.std({}, ddof=1)"),
    "statistics.pstdev": _by("np.std({})"),
    "statistics.variance": _by("np.var({}, ddof=1)"),
    "statistics.pvariance": _by("np.var({})"),
    **dict.fromkeys(("list", "sum", "max", "min"), _of_each),
}
"""What is written in the place of calls, by the path of the function; None where that is not sure."""
