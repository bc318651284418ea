"""Lists that are written out, under a name, too, and what goes over several of them at once: ``for low, high in [(0,
18), (18, 65)]``, ``for low, high in zip(edges, edges[1:])``, ``for i, town in enumerate(["Bonn", "Ulm"])``; and what
calls are given of it: ``np.clip(ages, *bounds)``.

What a comprehension makes of each is written out; a loop goes over a list for each of its names. A name stands for its
list where the function gives it that and nothing else, and does nothing by which the list might change.

Sources: the manual of Python (``zip``, ``enumerate``); its reference ("Displays for lists, sets and dictionaries",
"Calls": ``f(*(a, b))`` is ``f(a, b)``).

Loops over texts that are written out, ``for town in ["Bonn", "Ulm"]``: their bodies, one for each text; and names of
such texts, which stand for nothing but what a loop goes over.

Source: the Python reference, "The for statement". A loop that is left early, or whose variable is read behind it, stays
what it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping

from dp_lsp.frontends.python.edges import Inlined
from dp_lsp.frontends.python.tree import below, children, copied, walk

_MOST = 40
"""The most texts for which a body is written out."""
_LARGEST = 20_000
"""How many nodes all bodies may have together."""


def with_texts(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with a body for each text in place of its loops over texts."""
    if not any(isinstance(each.value, str) for each in below(node, ast.Constant)) or not any(
        below(node, kind) for kind in (ast.For, ast.Call)
    ):
        return node
    named = dict(_texts_by_name(node))
    if not named and not any(_texts(each.iter) for each in below(node, ast.For)):
        return node
    made: ast.FunctionDef = _RoundsOfTexts(node, named).visit(copied(node))
    return made


def _texts(node: ast.expr) -> list[ast.expr]:
    """Texts that are written out; none for anything else."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) <= _MOST:
            return (
                items if all(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in items) else []
            )
    return []


def _texts_by_name(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The names of texts that are written out, of which all that is done is to go over them."""
    over = [each.iter for each in below(node, ast.For)] + [each.iter for each in below(node, ast.comprehension)]
    over += [each.args[0] for each in below(node, ast.Call) if _chooses(each)]
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _texts(value):
                uses = [item for item in below(node, ast.Name) if item.id == name]
                gone_over = [each for each in over if isinstance(each, ast.Name) and each.id == name]
                if len(uses) == len(gone_over) + 1 and gone_over and not _is_parameter(node, name):
                    yield name, value


def _chooses(node: ast.Call) -> bool:
    """Whether a call chooses one of some values at random, which is refused for what it is."""
    return bool(node.args) and isinstance(node.func, ast.Attribute) and node.func.attr == "choice"


def _is_parameter(node: ast.AST, name: str) -> bool:
    return any(each.arg == name for each in below(node, ast.arg))


class _RoundsOfTexts(ast.NodeTransformer):
    def __init__(self, function: ast.FunctionDef, named: dict[str, ast.expr]) -> None:
        self._named = named
        self._function = function

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in self._named:
                return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _chooses(node):
            node.args[0] = self._meant(node.args[0])
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._meant(node.iter)
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        node.iter = self._meant(node.iter)
        self.generic_visit(node)
        texts = _texts(node.iter)
        match node:
            case ast.For(target=ast.Name(id=name), orelse=[]) if texts and self._is_plain(node, name, len(texts)):
                own = [each for each in _own(node) if not self._is_used_elsewhere(each, node)]
                return [line for each in texts for line in self._body(node, name, each, own)]
        return node

    def _body(self, loop: ast.For, name: str, text: ast.expr, own: list[str]) -> list[ast.stmt]:
        """The body for one text, in which names that it has to itself are others than in the body for the next."""
        named = {each: f"{each} of {ast.unparse(text)}" for each in own}
        return [_Replaced(name, text, named).visit(copied(line)) for line in loop.body]

    def _is_used_elsewhere(self, name: str, loop: ast.For) -> bool:
        inside = sum(item.id == name for line in loop.body for item in below(line, ast.Name))
        everywhere = sum(item.id == name for item in below(self._function, ast.Name))
        return inside != everywhere or _is_parameter(self._function, name)

    def _meant(self, over: ast.expr) -> ast.expr:
        if not isinstance(over, ast.Name) or over.id not in self._named:
            return over
        made = copied(self._named[over.id])
        for each in ast.walk(made):
            ast.copy_location(each, over)
        return made

    def _is_plain(self, loop: ast.For, name: str, count: int) -> bool:
        """Whether a loop does the same as its body for each text: it is not left, and its variable is read in it alone,
        or in another loop that gives it its value."""
        inside = [item for each in loop.body for item in walk(each)]
        if len(inside) * count > _LARGEST or any(isinstance(item, _LEAVING) for item in inside):
            return False
        loops = [each for each in below(self._function, ast.For) if _is_variable(each, name)]
        within = {id(item) for each in loops for part in (each.target, *each.body) for item in walk(part)}
        stored = [
            item for each in loops for part in each.body for item in below(part, ast.Name) if _is_stored(item, name)
        ]
        uses = [item for item in below(self._function, ast.Name) if item.id == name]
        return not stored and not _is_parameter(self._function, name) and all(id(item) in within for item in uses)


_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.FunctionDef, ast.Lambda, ast.Global, ast.Nonlocal)
"""What leaves a loop, or may read its variable later than it stands there."""


def _own(loop: ast.For) -> Iterator[str]:
    """The names that a body gives a value anew each time, before it reads them."""
    seen: set[str] = set()
    for line in loop.body:
        names = [item.id for item in below(line, ast.Name)]
        match line:
            case ast.Assign(targets=[ast.Name(id=name)]) if name not in seen and names.count(name) == 1:
                yield name
        seen.update(names)


def _is_variable(loop: ast.For, name: str) -> bool:
    return isinstance(loop.target, ast.Name) and loop.target.id == name


def _is_stored(node: ast.Name, name: str) -> bool:
    return node.id == name and not isinstance(node.ctx, ast.Load)


class _Replaced(ast.NodeTransformer):
    """A statement with a constant in place of a name, and other names for some."""

    def __init__(self, name: str, value: ast.expr, named: dict[str, str]) -> None:
        self._name = name
        self._value = value
        self._named = named

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is given
        if node.id == self._name:
            return ast.copy_location(copied(self._value), node)
        return ast.copy_location(ast.Name(self._named.get(node.id, node.id), node.ctx), node)


"""The most values for which a comprehension is written out."""
"""How many nodes all that is made of them may have."""
_READING = frozenset({"zip", "enumerate", "len", "sum", "min", "max", "sorted", "list", "tuple", "range", "print"})
"""Functions that change nothing that they are given, and return nothing by which it might be changed."""
_LATER = (ast.Lambda, ast.NamedExpr)
"""What reads a name later than it stands there, or gives it another value."""

Called = Callable[[ast.expr], str]


def is_written_out(node: ast.expr) -> bool:
    """Whether an expression is a list or a tuple that is written out, with something in it."""
    return isinstance(node, ast.List | ast.Tuple) and bool(node.elts) and _is_written(node)


def is_looked_up(node: ast.expr) -> bool:
    """Whether an expression is a dictionary that is written out, of numbers by texts or numbers."""
    match node:
        case ast.Dict(keys=[_, *_] as keys, values=values):
            known = all(isinstance(each, ast.Constant) and isinstance(each.value, str | int) for each in keys)
            return known and all(_is_constant(each) and not _is_text(each) for each in values)
    return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def only_reads(node: ast.AST, name: str) -> bool:
    """Whether a list is nowhere below a node changed, or given another name, or to somebody else."""
    above = {id(child): item for item in walk(node) for child in children(item)}
    reads = (item for item in walk(node) if isinstance(item, ast.Name) and item.id == name)
    return all(_is_only_read(each, above) for each in reads if isinstance(each.ctx, ast.Load))


def with_lists(tree: ast.Module, named: Mapping[str, ast.expr]) -> ast.Module:
    """The tree of a text in which functions that read a list of the file begin with it, and so do those that call
    something with what a tuple of numbers holds, which else they read by themselves; and their defaults are the numbers
    that have a name in the file. What is looked up in a dictionary of the file stands in the place of that. The tree
    itself is changed."""
    looked_up = {name: each for name, each in named.items() if isinstance(each, ast.Dict)}
    if looked_up:
        tree.body = [_LookedUp(looked_up).visit(each) for each in tree.body]
        named = {name: each for name, each in named.items() if name not in looked_up}
    numbers = {name: value for name, value in named.items() if not is_written_out(value)}
    named = {name: value for name, value in named.items() if name not in numbers}
    for function in tree.body if named or numbers else ():
        if isinstance(function, ast.FunctionDef):
            function.args.defaults = [_number(each, numbers) for each in function.args.defaults]
            function.args.kw_defaults = [each and _number(each, numbers) for each in function.args.kw_defaults]
            first: dict[str, ast.Name] = {}
            spread = {_spread(each) for each in ast.walk(function)}
            begun = {name for name, value in named.items() if name in spread or not _is_of_numbers(value)}
            for each in ast.walk(function):
                if isinstance(each, ast.Name) and each.id in begun:
                    first.setdefault(each.id, each)
            given = [_given(name, named[name], read, function.body[0]) for name, read in first.items()]
            function.body[:0] = given
    return tree


def _number(default: ast.expr, numbers: Mapping[str, ast.expr]) -> ast.expr:
    """A default value, which is evaluated where the function is defined: the number that its name has."""
    if not isinstance(default, ast.Name) or default.id not in numbers:
        return default
    made = copied(numbers[default.id])
    for each in ast.walk(made):
        ast.copy_location(each, default)
    return made


class _LookedUp(ast.NodeTransformer):
    """Statements with numbers in place of what is looked up in dictionaries."""

    def __init__(self, known: Mapping[str, ast.Dict]) -> None:
        pairs = {name: zip(each.keys, each.values, strict=True) for name, each in known.items()}
        self._known = {
            name: {key.value: value for key, value in each if isinstance(key, ast.Constant)}
            for name, each in pairs.items()
        }

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=key), ctx=ast.Load()) if (
                name in self._known and key in self._known[name]
            ):
                made = copied(self._known[name][key])
                for each in ast.walk(made):
                    ast.copy_location(each, node)
                return made
        return self.generic_visit(node)


def _spread(node: ast.AST) -> str:
    """The name of that of which a call is given each entry; empty for all else."""
    match node:
        case ast.Starred(value=ast.Name(id=name), ctx=ast.Load()):
            return name
    return ""


def _is_of_numbers(node: ast.expr) -> bool:
    """Whether an expression is a tuple of numbers."""
    inner = (each for each in walk(node)[1:] if not isinstance(each, ast.expr_context))
    texts = (isinstance(each, ast.Tuple) or isinstance(getattr(each, "value", None), str) for each in inner)
    return isinstance(node, ast.Tuple) and not any(texts)


def _given(name: str, value: ast.expr, read: ast.Name, before: ast.stmt) -> ast.Assign:
    """A list that gets its name where a function begins, as what lies where the function reads it first."""
    made = ast.Assign([ast.Name(name, ast.Store())], copied(value))
    for each in ast.walk(made):
        ast.copy_location(each, read)
    return ast.copy_location(made, before)


def with_written(node: ast.FunctionDef, called: Called) -> ast.FunctionDef:
    """The function with comprehensions over several lists written out, and loops that go over a list for each name."""
    named = _named(node)
    if not named and not any(isinstance(item, ast.comprehension | ast.For | ast.Starred) for item in walk(node)):
        return node
    found = _Lists(named, called)
    if not any(found.concerns(item) for item in walk(node)):
        return node
    made: ast.FunctionDef = _WrittenOut(found).visit(copied(node))
    made.body = [_read_still(each, made, found) for each in made.body]
    return made


def _read_still(statement: ast.stmt, node: ast.FunctionDef, lists: _Lists) -> ast.stmt:
    """A statement, or nothing in place of one that names a list which is read nowhere any longer."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if name in lists.named:
            if sum(item.id == name for item in ast.walk(node) if isinstance(item, ast.Name)) == 1:
                return ast.copy_location(ast.Pass(), statement)
    return statement


def _is_constant(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=bool() | int() | float() | str()):
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return not isinstance(value, bool)
    return False


def _is_written(node: ast.expr) -> bool:
    """Whether an expression is a list or a tuple whose entries are written out: values, or tuples of them."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_constant(each) or (_is_written(each) and _is_flat(each)) for each in items)
    return False


def _is_flat(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.Tuple) and all(map(_is_constant, node.elts))


def _named(node: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """The names of lists that are written out, with their entries: of each it is made sure that nobody changes it."""
    names = [item for item in walk(node) if isinstance(item, ast.Name | ast.arg)]
    found: dict[str, list[ast.expr]] = {}
    above: dict[int, ast.AST] = {}
    passed: set[str] = set()
    for statement in node.body:
        before, passed = passed, passed | {each.id for each in below(statement, ast.Name)}
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.List(elts=items) | ast.Tuple(elts=items) as value
            ) if _is_written(value) and name not in before:
                above = above or {id(child): item for item in walk(node) for child in children(item)}
                own = [each for each in names if (each.id if isinstance(each, ast.Name) else each.arg) == name]
                reads = [each for each in own if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
                if len(own) == len(reads) + 1 and all(_is_only_read(each, above) for each in reads):
                    found[name] = items
    return found


def _is_only_read(read: ast.Name, above: Mapping[int, ast.AST]) -> bool:
    """Whether nothing is changed where a list is read, or gets another name."""
    node = above[id(read)]
    match node:
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is read
        case ast.Subscript(value=value, ctx=ast.Load()) | ast.Starred(value=value, ctx=ast.Load()):
            return value is read
        case ast.Call(func=ast.Name(id=name), args=args):
            return name in _READING and read in args
        case ast.Call(args=args):
            return (_counts(node) and read in args[1:2]) or (_chooses_keys(node) and read in args[:1])
        case ast.keyword(arg="bins"):
            return _counts(above[id(node)])
    return False


def _counts(node: ast.AST) -> bool:
    """Whether a call counts in bins."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "histogram"


def _chooses_keys(node: ast.Call) -> bool:
    """Whether a method of a Series is told which values count."""
    return isinstance(node.func, ast.Attribute) and node.func.attr in ("reindex", "isin")


class _Lists:
    """The entries of what is gone over. ``named`` are those of names; ``called`` tells the function that is meant."""

    def __init__(self, named: Mapping[str, list[ast.expr]], called: Called) -> None:
        self.named = named
        self._called = called

    def concerns(self, node: ast.AST) -> bool:
        """Whether a node goes over what is written out under a name, or in several names, or counts that."""
        if isinstance(node, ast.Call) and (_chooses_keys(node) or self._called(node.func) == "len"):
            return any(isinstance(each, ast.Name) and each.id in self.named for each in node.args[:1])
        if isinstance(node, ast.Call):
            return any(isinstance(each, ast.Starred) for each in node.args)
        if not isinstance(node, ast.comprehension | ast.For):
            return False
        over = node.iter
        is_named = isinstance(over, ast.Name) and over.id in self.named
        return is_named or (isinstance(node.target, ast.Tuple) and self.rows(over) is not None)

    def is_joining(self, node: ast.Call) -> bool:
        """Whether a call goes over several things at once, or counts what it goes over."""
        return self._called(node.func) in ("zip", "enumerate")

    def entries(self, node: ast.expr) -> list[ast.expr] | None:
        """The entries of a list; None for what is not written out."""
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) if _is_written(node):
                return items
            case ast.Name(id=name):
                return self.named.get(name)
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=None)):
                held, ends = self.entries(value), (_place(lower), _place(upper))
                known = [each for each in ends if not isinstance(each, str)]
                return None if held is None or len(known) < len(ends) else held[slice(*known)]
            case ast.Call(func=func, args=args, keywords=[]) if self._called(func) in ("list", "tuple") and args[:1]:
                return self.entries(args[0]) if len(args) == 1 else None
        return None

    def rows(self, over: ast.expr) -> list[list[ast.expr]] | None:
        """What each round over several things is given; None where that is not written out."""
        match over:
            case ast.Call(func=func, args=[_, *_] as args, keywords=[]) if self._called(func) == "zip":
                columns = [self.entries(each) for each in args]
                known = [each for each in columns if each is not None and all(map(_is_constant, each))]
                return [[*row] for row in zip(*known, strict=False)] if len(known) == len(columns) else None
            case ast.Call(func=func, args=[of], keywords=[]) if self._called(func) == "enumerate":
                items = self.entries(of)
                if items is None or not all(map(_is_constant, items)):
                    return None
                return [[ast.Constant(index), each] for index, each in enumerate(items)]
        items = self.entries(over)
        if not items or not all(map(_is_flat, items)):
            return None
        return [each.elts for each in items if isinstance(each, ast.List | ast.Tuple)]


def _place(node: ast.expr | None) -> int | str | None:
    """The number that an end of a slice is; a question mark for anything else."""
    match node:
        case None:
            return None
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)) if not isinstance(value, bool):
            return -value
    return "?"


def _names(target: ast.expr, rows: list[list[ast.expr]]) -> list[str]:
    """The names that rounds give values to; none where they are given something else, or not as many."""
    if not isinstance(target, ast.Tuple) or not all(isinstance(each, ast.Name) for each in target.elts):
        return []
    names = [each.id for each in target.elts if isinstance(each, ast.Name)]
    fits = all(len(row) == len(names) for row in rows) and len({*names}) == len(names)
    return names if fits and rows else []


class _WrittenOut(Inlined, ast.NodeTransformer):
    def __init__(self, lists: _Lists) -> None:
        super().__init__({}, {name: len(items) for name, items in lists.named.items()})
        self._lists = lists

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _counts(node):
            node.args[1:] = map(self._in_place, node.args[1:])
            for each in node.keywords:
                each.value = self._in_place(each.value)
        if _chooses_keys(node):
            node.args[:1] = map(self._in_place, node.args[:1])
        node.args = [each for argument in node.args for each in self._spread(argument)]
        return super().visit_Call(node)

    def _spread(self, argument: ast.expr) -> list[ast.expr]:
        """The arguments that one stands for: of a list of values, each of its entries."""
        entries = self._lists.entries(argument.value) if isinstance(argument, ast.Starred) else None
        if entries is None or not all(map(_is_constant, entries)):
            return [argument]
        return [_at(copied(each), argument) for each in entries]

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._in_place(node.iter)
        rows = self._lists.rows(node.iter) if isinstance(node.target, ast.Tuple) else None
        if rows and _names(node.target, rows) and isinstance(node.iter, ast.List | ast.Tuple):
            columns = [ast.List([copied(row[index]) for row in rows], ast.Load()) for index in range(len(rows[0]))]
            node.iter = _at(ast.Call(ast.Name("zip", ast.Load()), [*columns], []), node.iter)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        self.generic_visit(node)
        made = self._of_each(node, [node.elt])
        return node if made is None else _at(ast.List([each for (each,) in made], ast.Load()), node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        made = self._of_each(node, [node.key, node.value])
        if made is None or not all(isinstance(key, ast.Constant) for key, _ in made):
            return node
        return _at(ast.Dict([key for key, _ in made], [value for _, value in made]), node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.iter = self._in_place(node.iter)
        return node

    def _in_place(self, over: ast.expr) -> ast.expr:
        """A list in place of its name, or of a part of it; lists in place of several that are gone over at once."""
        if isinstance(over, ast.Call) and self._lists.is_joining(over):
            over.args = [self._in_place(each) for each in over.args]
        entries = self._lists.entries(over) if isinstance(over, ast.Name | ast.Subscript) else None
        return _at(ast.List([copied(each) for each in entries], ast.Load()), over) if entries else over

    def _of_each(self, node: ast.ListComp | ast.DictComp, parts: list[ast.expr]) -> list[list[ast.expr]] | None:
        """What a comprehension in several names makes of each round; None where that is not written out."""
        match node.generators:
            case [ast.comprehension(target=ast.Tuple() as target, iter=over, ifs=[], is_async=0)]:
                rows = self._lists.rows(over)
            case _:
                return None
        names = [] if rows is None else _names(target, rows)
        if not names or rows is None or len(rows) > _MOST:
            return None
        if not all(may_be_replaced(part, names) for part in parts) or sum(map(_size, parts)) * len(rows) > _LARGEST:
            return None
        given = [dict(zip(names, row, strict=True)) for row in rows]
        return [[Replaced(each).visit(copied(part)) for part in parts] for each in given]


def _size(node: ast.AST) -> int:
    return len(walk(node))


def may_be_replaced(node: ast.expr, names: Collection[str]) -> bool:
    """Whether values may stand for names in an expression: none of its own has one of the names, and all that it reads
    is read at once, as by a generator that a sum uses up."""
    used_up = {id(each.args[0]) for each in below(node, ast.Call) if _uses_up(each)}
    if any(id(each) not in used_up for each in below(node, ast.GeneratorExp)):
        return False
    own = {item.id for each in below(node, ast.comprehension) for item in below(each.target, ast.Name)}
    return own.isdisjoint(names) and not any(below(node, kind) for kind in _LATER)


def _uses_up(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "sum" and len(node.args) == 1


def _at(made: ast.expr, place: ast.expr) -> ast.expr:
    """What is made in place of an expression lies where that does, as far as it was not written elsewhere."""
    for item in walk(made):
        if not hasattr(item, "lineno"):
            ast.copy_location(item, place)
    return made


class Replaced(ast.NodeTransformer):
    """An expression with values in place of names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is given
        value = self._values.get(node.id)
        if value is None:
            return node
        made = copied(value)
        for item in walk(made):
            ast.copy_location(item, node)
        return made
