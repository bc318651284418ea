"""What has other words that mean the same: functions of modules by the names that are known, what is made of each of
many numbers as a comprehension, several quantiles as one after the other."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeGuard

from dp_lsp.frontends.python.chunks import items
from dp_lsp.frontends.python.names import names_bound
from dp_lsp.frontends.python.parse import read
from dp_lsp.frontends.python.rewriting.definitions import Definition, Parameter, without_parameter
from dp_lsp.frontends.python.rewriting.imports import Origins, called, named, usual
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Problem
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

    def is_list(self, name: str) -> bool:
        """Whether a name is that of a list: a parameter, or made by a comprehension."""
        for each in self.definition.parameters:
            if each.name == name:
                return each.annotation is not None and self.definition.base(each).startswith("list")
        said = [
            each.annotation for each in self.nodes if isinstance(each, ast.AnnAssign) and _is_named(each.target, name)
        ]
        if said:
            return ast.unparse(said[0]).startswith("Annotated[list")
        made = [each.value for each in self.nodes if isinstance(each, ast.Assign) and _gives(each, name)]
        return bool(made) and all(isinstance(each, ast.ListComp) for each in made)

    def reads(self, name: str) -> int:
        """How often a name is read."""
        return sum(
            isinstance(each.ctx, ast.Load) for each in self.nodes if isinstance(each, ast.Name) and each.id == name
        )

    def given(self) -> Iterator[tuple[str, ast.expr]]:
        """The names that are given one value, and that."""
        for node in self.nodes:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.writes(name) == 1:
                    yield name, value

    def writes(self, name: str) -> int:
        """How often a name is given a value."""
        names = [each for each in self.nodes if isinstance(each, ast.Name) and each.id == name]
        return len(names) - self.reads(name) + sum(each.name == name for each in self.definition.parameters)

    def fresh(self, *wanted: str) -> str:
        """A name that the definition does not use."""
        used = {*self.names, *(each.name for each in self.definition.parameters)}
        return next(name for name in (*wanted, *(f"{wanted[0]}_{n}" for n in range(2, 99))) if name not in used)


def rewordings(written: Written) -> Iterator[Rewording]:
    """The calls of a definition that have other words, each with what it is made."""
    yield from _by_usual_names(written)
    yield from _one_by_one(written)
    yield from _as_conditions(written)
    yield from _keys_written_out(written)
    yield from _without_places(written)
    yield from _draws_apart(written)
    yield from _columns_in_place(written)
    yield from _columns_made(written)
    yield from _counts_between(written)
    yield from _queries(written)
    yield from _columns_before(written)
    yield from _spellings(written)
    for node in written.nodes:
        found = _REWORDED.get(written.called(node))
        made = found(written, node) if found is not None and isinstance(node, ast.Call) else None
        made = counting(written, node) or made
        if made:
            yield Rewording(f"write `{made}`", (written.edit(node, written.grouped(node, made)),))


def _by_usual_names(written: Written) -> Iterator[Rewording]:
    """Functions of modules that are imported by themselves, or under another name."""
    for node, path in named(written.definition.node, written.known):
        home = path.partition(".")[0]
        made = usual(path)
        called_so = made.partition(".")[0]
        is_free = written.known.get(called_so, "" if called_so in written.names else home) == home
        if path != home and home in _KNOWN_HOMES and written.source(node) != made and is_free:
            yield Rewording(f"call it by its module: `{made}`", (written.edit(node, made),))


def _gives(statement: ast.Assign, name: str) -> bool:
    return any(_is_named(each, name) for each in statement.targets)


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


Reworded = Callable[[Written, ast.Call], str | None]


def _mean(written: Written, node: ast.Call) -> str | None:
    match node:
        case ast.Call(args=[ast.Name(id=name)], keywords=[]):
            return f"sum({name}) / len({name})"
        case ast.Call(args=[one], keywords=[]):
            return f"np.mean({written.source(one)})"
    return None


def _mean_of_list(written: Written, node: ast.Call) -> str | None:
    """``np.mean`` of a list that has a name."""
    match node:
        case ast.Call(args=[ast.Name(id=name)], keywords=[]) if written.is_list(name):
            return f"sum({name}) / len({name})"
    return None


def _as_bins(written: Written, node: ast.Call) -> str | None:
    """``np.bincount`` with so many numbers at least, as a histogram with a bin for each of these numbers."""
    match node:
        case ast.Call(args=[of], keywords=[ast.keyword(arg="minlength", value=ast.Constant(value=int() as count))]) if (
            0 < count < _MOST_BINS
        ):
            return f"np.histogram({written.source(of)}, bins=range(0, {count + 1}))[0]"
    return None


_MOST_BINS = 100


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


def _keys_written_out(written: Written) -> Iterator[Rewording]:
    """A loop over a list that is written out before it, in the function or above it, and used for nothing else."""
    for name, value in (*once(written), *_above(written)):
        if (
            isinstance(value, ast.List | ast.Tuple)
            and value.elts
            and all(isinstance(each, ast.Constant) for each in value.elts)
        ):
            over = [each.iter for each in written.nodes if isinstance(each, ast.For | ast.comprehension)]
            places = [each for each in over if isinstance(each, ast.Name) and each.id == name]
            if places and len(places) == written.reads(name):
                made = ast.unparse(value)
                yield Rewording(
                    f"write them out in the loop: `{made}`", tuple(written.edit(each, made) for each in places)
                )
    for parameter in written.definition.parameters:
        yield from _texts_written_out(written, parameter)


def _above(written: Written) -> Iterator[tuple[str, ast.expr]]:
    """The names that the text gives one value at top level, and the function none."""
    found: dict[str, ast.expr] = {}
    bound: Counter[str] = Counter()
    for each in items(written.text):
        tree = read(each.text)
        for statement in () if isinstance(tree, Problem) else tree.body:
            bound.update(names_bound(statement))
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found[name] = value
    return ((name, value) for name, value in found.items() if bound[name] == 1 and not written.writes(name))


_SOME_TEXTS = '("a", "b")'
"""Texts that stand where nobody but the author knows them."""


def _texts_written_out(written: Written, parameter: Parameter) -> Iterator[Rewording]:
    """A list of texts that is given to the function beside the data: it is asked whether a text is in it, or gone over
    to count each."""
    if parameter.annotation is None or ast.unparse(parameter.annotation).lower() != "list[str]":
        return
    read = [each for each in written.nodes if isinstance(each, ast.Name) and each.id == parameter.name]
    if not read or not all(_is_known_beside(written, each) for each in read):
        return
    edits = [written.edit(each, _SOME_TEXTS) for each in read]
    removed = without_parameter(written.definition, parameter, written.text)
    title = f"write the texts out, and leave out `{parameter.name}`: `{_SOME_TEXTS}`"
    yield Rewording(title, tuple(sorted([removed, *edits])))


def _is_known_beside(written: Written, node: ast.Name) -> bool:
    """Whether a list is used as keys are that everybody knows."""
    match written.above.get(id(node)):
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[right]):
            return right is node
        case ast.For(target=ast.Name(id=key), iter=over) | ast.comprehension(target=ast.Name(id=key), iter=over):
            return over is node and any(_counts_key(each, key) for each in written.nodes)
        case ast.Call(args=[first, *_]) as call:
            return first is node and written.called(call) in ("numpy.random.choice", "random.choices")
    return False


def _counts_key(node: ast.AST, key: str) -> bool:
    """Whether something is asked of a key: how often it is there, or what is equal to it."""
    match node:
        case ast.Call(func=ast.Attribute(attr="count"), args=[ast.Name(id=name)]):
            return name == key
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Name(id=name)]):
            return name == key
    return False


def _without_places(written: Written) -> Iterator[Rewording]:
    """A loop over places, of which only the record there is read, as one over the records."""
    for loop in written.nodes:
        match loop:
            case ast.For(target=ast.Tuple(elts=[ast.Name(id=place), ast.Name(id=record)]), iter=ast.Call(args=[over])):
                if written.called(loop.iter) == "enumerate" and not written.reads(place):
                    made = f"for {record} in {written.source(over)}"
                    edits = (written.edit(loop.target, record), written.edit(loop.iter, written.source(over)))
                    yield Rewording(f"leave out the places: `{made}`", edits)
            case ast.For(
                target=ast.Name(id=place) as target,
                iter=ast.Call(args=[ast.Call(args=[ast.Name(id=over)]) as size]) as places,
            ) if written.called(places) == "range" and written.called(size) == "len":
                yield from _records_instead(written, loop, place, over, (written.edit(target, ""), places))
            case ast.While(
                test=ast.Compare(
                    left=ast.Name(id=place), ops=[ast.Lt()], comparators=[ast.Call(args=[ast.Name(id=over)]) as most]
                ),
                body=[
                    *_,
                    ast.AugAssign(target=ast.Name(id=counted), op=ast.Add(), value=ast.Constant(value=1)) as last,
                ],
            ) if counted == place and written.called(most) == "len":
                yield from _counted_by_hand(written, loop, place, over, last)


def _records_instead(
    written: Written, loop: ast.For, place: str, over: str, header: tuple[Edit, ast.expr]
) -> Iterator[Rewording]:
    taken = _taken(written, place, over)
    if taken and written.reads(place) == len(taken) and written.writes(over) == 1:
        each = written.fresh("x", "each")
        edits = [header[0]._replace(text=each), written.edit(header[1], over)]
        edits += [written.edit(node, each) for node in taken]
        yield Rewording(f"go over the records: `for {each} in {over}`", tuple(sorted(edits)))


def _counted_by_hand(
    written: Written, loop: ast.While, place: str, over: str, last: ast.AugAssign
) -> Iterator[Rewording]:
    """A place that a loop counts up itself; it begins with 0, and is read for nothing else."""
    begun = [
        statement
        for statement in written.definition.node.body
        if isinstance(statement, ast.Assign) and _gives(statement, place) and ast.unparse(statement.value) == "0"
    ]
    taken = _taken(written, place, over)
    if len(begun) == 1 and len(loop.body) > 1 and taken and written.reads(place) == len(taken) + 1:
        each = written.fresh("x", "each")
        start, test = written.definition.span(loop).start, written.definition.span(loop.test)
        edits = [written.line(begun[0]), written.line(last), Edit(Span(start, test.end), f"for {each} in {over}")]
        edits += [written.edit(node, each) for node in taken]
        yield Rewording(f"go over the records: `for {each} in {over}`", tuple(sorted(edits)))


def _taken(written: Written, place: str, over: str) -> list[ast.Subscript]:
    """The records that are taken by a place."""
    return [
        node
        for node in written.nodes
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and ast.unparse(node) == f"{over}[{place}]"
    ]


def once(written: Written) -> Iterator[tuple[str, ast.expr]]:
    """The names that are given one value, in a statement of the function itself."""
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if written.writes(name) == 1:
                yield name, value


def _draws_apart(written: Written) -> Iterator[Rewording]:
    """Several draws of which each is taken by its place, and once, as a draw where it is added."""
    for name, value in once(written):
        match value:
            case ast.Call(args=[centre, scale, _], keywords=[]):
                pass
            case ast.Call(args=[centre, scale], keywords=[ast.keyword(arg="size")]):
                pass
            case _:
                continue
        if written.called(value) not in ("numpy.random.laplace", "numpy.random.normal"):
            continue
        taken = [each for each in written.nodes if _is_entry(each, name)]
        texts = {written.source(each) for each in taken}
        if taken and len(texts) == len(taken) == written.reads(name):
            draw = f"{written.source(value.func)}({written.source(centre)}, {written.source(scale)})"
            line = next(
                each for each in written.definition.node.body if isinstance(each, ast.Assign) and each.value is value
            )
            edits = (written.line(line), *(written.edit(each, draw) for each in taken))
            yield Rewording(f"draw each where it is added: `{draw}`", edits)


def _is_entry(node: ast.AST, name: str) -> TypeGuard[ast.Subscript]:
    match node:
        case ast.Subscript(value=ast.Name(id=of), slice=ast.Constant(value=int())):
            return of == name
    return False


def _columns_in_place(written: Written) -> Iterator[Rewording]:
    """A column that is changed in its table is changed where it is read: ``df["a"] = df["a"].clip(0, 9)``."""
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str() as column)) as target],
                value=ast.Call(func=ast.Attribute(value=ast.Subscript() as of), keywords=[]) as call,
            ) if ast.unparse(of) == ast.unparse(target):
                behind = written.source(call)[len(written.source(of)) :]
                reads = [
                    each for each in written.nodes if _reads_column(each, table, column) and each not in (of, target)
                ]
                if reads and all(each.lineno > statement.lineno for each in reads):
                    ends = [written.definition.span(each).end for each in reads]
                    edits = (written.line(statement), *(Edit(Span(end, end), behind) for end in ends))
                    made = f"{written.source(reads[0])}{behind}"
                    yield Rewording(f"write it where the column is read: `{made}`", edits)


def _columns_made(written: Written) -> Iterator[Rewording]:
    """A column that a table is given, which is computed of its other columns, is computed where it is read; what is
    computed row by row, ``df.apply(lambda row: row["a"] / row["b"], axis=1)``, is computed of whole columns."""
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str() as column)) as target],
                value=value,
            ) if (made := _of_columns(written, value, table)) is not None:
                uses = [each for each in written.nodes if isinstance(each, ast.Constant) and each.value == column]
                read = [each for each in written.nodes if _is_column(each, table, column) and each is not target]
                behind = all(each.lineno > statement.lineno for each in read)
                if read and behind and len(uses) == len(read) + 1:
                    edits = [written.line(statement), *(written.edit(each, f"({made})") for each in read)]
                    yield Rewording(f"compute it where the column is read: `{made}`", tuple(sorted(edits)))


def _is_column(node: ast.AST, table: str, column: str) -> TypeGuard[ast.Subscript]:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=of)):
            return name == table and of == column
    return False


_ARITHMETIC = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.Name, ast.Subscript),
    *(ast.operator, ast.unaryop, ast.cmpop, ast.expr_context),
)


def _of_columns(written: Written, node: ast.expr, table: str) -> str | None:
    """What is computed of the columns of a table by arithmetic alone; None for anything else."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="apply"),
            args=[ast.Lambda(args=ast.arguments(args=[ast.arg(arg=row)]), body=body)],
            keywords=[ast.keyword(arg="axis", value=ast.Constant(value=1))],
        ) if name == table:
            names = [each for each in ast.walk(body) if isinstance(each, ast.Name) and each.id == row]
            made, start = written.source(body), written.definition.span(body).start
            for each in sorted((written.definition.span(each) for each in names), reverse=True):
                made = made[: each.start - start] + table + made[each.end - start :]
        case ast.BinOp() | ast.Compare():
            made, body = written.source(node), node
        case _:
            return None
    return made if all(isinstance(each, _ARITHMETIC) for each in ast.walk(body)) else None


_OF_EACH = frozenset(
    {
        *("dt", "str", "year", "month", "day", "hour", "dayofweek", "weekday", "lower", "upper", "strip", "len"),
        *("startswith", "endswith", "contains", "astype", "slice", "split", "get"),
    }
)
"""What pandas makes of each text or each date of a column by itself."""
_ASKING = frozenset({"startswith", "endswith", "contains"})


def _columns_before(written: Written) -> Iterator[Rewording]:
    """What is made of each text or each date of a column is a column that the table has before."""
    for statement in written.definition.node.body:
        match statement:
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str() as column))],
                value=value,
            ) if _made_of_each(written, value, table):
                title = f"compute the column before, and pass a table that has it: `{table}[{column!r}]`"
                said = _declared(written, table, f"{column}=float")
                yield Rewording(title, tuple(sorted([*said, written.line(statement)])))
    for node in written.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(value=of, attr="str"), attr=asks)) if asks in _ASKING:
                match of:
                    case ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str() as column)):
                        made = f'{table}["{column}_{asks}"]'
                        title = f"ask it before, and pass a table with a column of the answers: `{made}`"
                        said = _declared(written, table, f"{column}_{asks}=bool")
                        yield Rewording(title, tuple(sorted([*said, written.edit(node, made)])))
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Name(id=table), slice=ast.Constant(value=str() as column)),
                    attr="map" | "replace",
                ),
                args=[ast.Dict()],
            ):
                made = f'{table}["{column}_number"]'
                title = f"look the numbers up before, and pass a table with a column of them: `{made}`"
                said = _declared(written, table, f"{column}_number=float")
                yield Rewording(title, tuple(sorted([*said, written.edit(node, made)])))


def _declared(written: Written, table: str, column: str) -> Iterator[Edit]:
    """One column more of a table of which is said already which ones there are."""
    for each in written.definition.node.args.args:
        if each.arg == table and each.annotation is not None:
            for node in ast.walk(each.annotation):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "Columns" and node.keywords:
                    end = written.definition.span(node.keywords[-1]).end
                    yield Edit(Span(end, end), f", {column}")


def _spellings(written: Written) -> Iterator[Rewording]:
    """A text of a list that is compared whatever the case of its letters, as one of its usual spellings."""
    for node in written.nodes:
        match node:
            case ast.Compare(
                left=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="lower" | "upper"), args=[]),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=str() as text)],
            ):
                usual_ = tuple(dict.fromkeys((text.lower(), text.capitalize(), text.upper())))
                made = f"{name} in {usual_}"
                yield Rewording(f"write the spellings out: `{made}`", (written.edit(node, made),))


def _made_of_each(written: Written, node: ast.expr, table: str) -> bool:
    """Whether an expression makes something of each text or date of a column by itself."""
    inner, chained = node, False
    while not isinstance(inner, ast.Subscript):
        match inner:
            case ast.Attribute(value=of, attr=attr) if attr in _OF_EACH:
                inner, chained = of, True
            case ast.Call(func=ast.Attribute(attr=attr) as method) if attr in _OF_EACH:
                inner = method
            case ast.Call(args=[of, *_]) if written.called(inner) == "pandas.to_datetime":
                inner, chained = of, True
            case _:
                return False
    return chained and isinstance(inner.value, ast.Name) and inner.value.id == table


def _queries(written: Written) -> Iterator[Rewording]:
    """``df.query("age > 65 and city == 'Ulm'")`` as a mask."""
    for node in written.nodes:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=table), attr="query"),
                args=[ast.Constant(value=str() as asked)],
                keywords=[],
            ):
                made = _mask(asked, table)
                if made is not None:
                    yield Rewording(f"write `{table}[{made}]`", (written.edit(node, f"{table}[{made}]"),))


def _mask(asked: str, table: str) -> str | None:
    """A condition on columns that are called by their names, as a mask; None for what is not read here."""
    try:
        tree = ast.parse(asked.strip(), mode="eval").body
    except SyntaxError:
        return None
    match tree:
        case ast.BoolOp(op=op, values=values):
            masks = [_mask(ast.unparse(each), table) for each in values]
            known = [f"({each})" for each in masks if each is not None]
            return (" & " if isinstance(op, ast.And) else " | ").join(known) if len(known) == len(masks) else None
        case ast.Compare(left=ast.Name(id=column), ops=[_], comparators=[ast.Constant()]):
            return f"{table}[{column!r}]{ast.unparse(tree)[len(column) :]}"
    return None


def _counts_between(written: Written) -> Iterator[Rewording]:
    """``pd.cut(v, bins=edges).value_counts()``, perhaps with a name in between, as counts between these edges."""
    given = dict(written.given())
    for node in written.nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr="value_counts")):
                groups = given.get(of.id) if isinstance(of, ast.Name) else of
                match groups:
                    case ast.Call(args=[column, *rest], keywords=keywords) if written.called(groups) == "pandas.cut":
                        edges = [*rest, *(each.value for each in keywords if each.arg == "bins")]
                        if not edges or not isinstance(edges[0], ast.List | ast.Tuple | ast.Name):
                            continue
                        made = f"np.histogram({written.source(column)}, bins={written.source(edges[0])})[0]"
                        lines = (
                            each for each in written.definition.node.body if getattr(each, "value", None) is groups
                        )
                        edits = [written.edit(node, made), *map(written.line, () if of is groups else lines)]
                        yield Rewording(f"count between the edges: `{made}`", tuple(sorted(edits)))


def _reads_column(node: ast.AST, table: str, column: str) -> TypeGuard[ast.Subscript]:
    """Whether a node is a column of a table, or of its rows that a mask keeps."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=of)):
            return name == table and of == column
        case ast.Subscript(value=ast.Subscript(value=ast.Name(id=name)), slice=ast.Constant(value=of)):
            return name == table and of == column
    return False


def counting(written: Written, node: ast.AST) -> str | None:
    """``v.count(k)`` of a parameter."""
    params = {each.name for each in written.definition.parameters}
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="count"), args=[key], keywords=[]):
            each = written.fresh("x", "each")
            return f"sum(1 for {each} in {name} if {each} == {written.source(key)})" if name in params else None
    return None


_REWORDED: dict[str, Reworded] = {
    **dict.fromkeys(("statistics.mean", "statistics.fmean"), _mean),
    **dict.fromkeys(("numpy.mean", "numpy.average"), _mean_of_list),
    "numpy.bincount": _as_bins,
    "math.fsum": _by("sum({})"),
    "statistics.median": _by("np.median({})"),
    "statistics.stdev": _by("np.std({}, ddof=1)"),
    "statistics.pstdev": _by("np.std({})"),
    "statistics.variance": _by("np.var({}, ddof=1)"),
    "statistics.pvariance": _by("np.var({})"),
    **dict.fromkeys(("list", "sum", "max", "min"), _of_each),
}
"""What is written in the place of calls, by the path of the function; None where that is not sure."""
