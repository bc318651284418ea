"""Arrays that a function makes and fills, and the places in them: ``out = np.zeros(k)``, ``out[i] = …``; and lists that
it makes without entries and appends numbers to: ``out = []``, ``out.append(x)``.

Python counts from 0, and from the end where a number is negative. So a place is understood where it is known not to be
negative: a number that is written out, or the variable of a loop over a range that begins with one.

Dictionaries that a function makes without entries, fills and returns, as the lists of what it puts into them.

Who sees a dictionary sees its values in their order and its keys. The keys are known to everybody: texts and numbers
that are written out, and variables of loops over such, or over a range. So the dictionary tells no more than the list
of all values that were put into it, of which it shows some: it is made of the list without the data (post-processing).
A range whose length is private shows as the length of the list, too.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from dp_lsp.frontends.python.kinds import Kinds
from dp_lsp.frontends.python.names import bound_in
from dp_lsp.frontends.python.side_by_side import counted_from
from dp_lsp.frontends.python.tree import below, copied, walk
from dp_lsp.frontends.python.written_out import Replaced, may_be_replaced


def with_lists(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with lists in place of such dictionaries."""
    found = {name for name in _begun_dictionaries(node) if _is_filled(node, name)}
    if not found:
        return node
    made: ast.FunctionDef = _AsLists(found).visit(copied(node))
    return made


def _begun_dictionaries(node: ast.FunctionDef) -> Iterator[str]:
    """The names of dictionaries that begin without entries."""
    for item in (*below(node, ast.Assign), *below(node, ast.AnnAssign)):
        name = _begins(item)
        if name is not None:
            yield name


def _begins(node: ast.AST) -> str | None:
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[]))
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=[]))
        ):
            return name
    return None


def _is_filled(node: ast.FunctionDef, name: str) -> bool:
    """Whether all that is done with a dictionary is to put values behind public keys, to print it and to return it."""
    if any(each.arg == name for each in below(node, ast.arg)):
        return False
    allowed: set[int] = set()
    for item in walk(node):
        match item:
            case ast.Assign(targets=[target]) if _begins(item) == name:
                allowed.add(id(target))
            case ast.AnnAssign(target=target) if _begins(item) == name:
                allowed.add(id(target))
            case ast.Assign(targets=[ast.Subscript(value=ast.Name() as given, slice=key)]) if _is_key(node, key):
                allowed.add(id(given))
            case ast.Return(value=ast.Name() as given):
                allowed.add(id(given))
            case ast.Return(value=ast.Tuple(elts=items)):
                allowed |= {*map(id, items)}
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=items)):
                allowed |= {*map(id, items)}
    return all(id(item) in allowed for item in below(node, ast.Name) if item.id == name)


def _is_key(node: ast.FunctionDef, key: ast.expr) -> bool:
    """Whether everybody knows a key, and no two that differ are one: a text, a number, or the variable of a loop."""
    match key:
        case ast.Constant(value=str() | int()):
            return True
        case ast.Name(id=name):
            stored = [item for item in below(node, ast.Name) if item.id == name and not isinstance(item.ctx, ast.Load)]
            given = [loop.target for loop in below(node, ast.For) if _is_public(loop.iter)]
            known = all(any(each is item for each in given) for item in stored)
            return bool(stored) and known and not any(each.arg == name for each in below(node, ast.arg))
    return False


def _is_public(over: ast.expr) -> bool:
    match over:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(isinstance(each, ast.Constant) for each in items)
        case ast.Call(func=ast.Name(id="range")):
            return True
    return False


class _AsLists(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name) as given)], value=value) if (
                name in self._names
            ):
                method = ast.copy_location(ast.Attribute(_read(given), "append", ast.Load()), given)
                call = ast.copy_location(ast.Call(method, [value], []), node)
                return ast.copy_location(ast.Expr(call), node)
        return self._begun(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return self._begun(node)

    def _begun(self, node: ast.Assign | ast.AnnAssign) -> ast.AST:
        if _begins(node) in self._names and node.value is not None:
            node.value = ast.copy_location(ast.List([], ast.Load()), node.value)
        return node


def _read(node: ast.Name) -> ast.Name:
    return ast.copy_location(ast.Name(node.id, ast.Load()), node)


# Dictionaries whose keys are written out


def with_keys_written(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with loops over the texts that are the keys of a dictionary in place of loops over that, where
    nobody gives it another key, or takes one away."""
    displays = {name: keys for name, keys in _displays(node).items() if _keeps_its_keys(node, name, keys)}
    over = [*(each.iter for each in below(node, ast.For)), *(each.iter for each in below(node, ast.comprehension))]
    if not any(_gone_over(each) in displays for each in over):
        return node
    made: ast.FunctionDef = _WithKeys(displays).visit(copied(node))
    return made


def _gone_over(over: ast.expr) -> str:
    """The dictionary whose keys, or whose keys and values, something goes over; empty for anything else."""
    match over:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items" | "keys"), args=[], keywords=[]):
            return name
    return ""


class _WithKeys(ast.NodeTransformer):
    """Loops over keys that are written out, and what comprehensions make of each key and its value."""

    def __init__(self, displays: dict[str, list[str]]) -> None:
        self._displays = displays

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        name = _gone_over(node.iter)
        if name not in self._displays or (value := self._value(node.target, node.iter, name)) is None:
            return node
        key, given = value
        texts: list[ast.expr] = [ast.Constant(each) for each in self._displays[name]]
        keys = ast.List(texts, ast.Load())
        for item in ast.walk(keys):
            ast.copy_location(item, node.iter)
        node.target, node.iter = key, keys
        if given is not None:
            read = ast.copy_location(ast.Name(key.id, ast.Load()), given)
            of = ast.copy_location(ast.Name(name, ast.Load()), given)
            taken = ast.copy_location(ast.Subscript(of, read, ast.Load()), given)
            node.body.insert(0, ast.copy_location(ast.Assign([given], taken), given))
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        made = [*self._of_each(node, node.key, node.value)]
        return (
            node
            if not made
            else ast.copy_location(ast.Dict([key for key, _ in made], [each for _, each in made]), node)
        )

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        made = [*self._of_each(node, node.elt, node.elt)]
        return node if not made else ast.copy_location(ast.List([each for _, each in made], ast.Load()), node)

    def _of_each(
        self, node: ast.DictComp | ast.ListComp, key: ast.expr, value: ast.expr
    ) -> Iterator[tuple[ast.expr, ast.expr]]:
        """What is made of each key and its value."""
        part = node.generators[0]
        name = _gone_over(part.iter)
        found = self._value(part.target, part.iter, name) if name in self._displays else None
        if (
            found is None
            or len(node.generators) > 1
            or part.ifs
            or not all(may_be_replaced(each, [found[0].id]) for each in (key, value))
        ):
            return
        for text in self._displays[name]:
            constant = ast.copy_location(ast.Constant(text), part.iter)
            of = ast.copy_location(ast.Name(name, ast.Load()), part.iter)
            taken = ast.copy_location(ast.Subscript(of, constant, ast.Load()), part.iter)
            put = Replaced({found[0].id: constant, **({} if found[1] is None else {found[1].id: taken})})
            yield put.visit(copied(key)), put.visit(copied(value))

    @staticmethod
    def _value(target: ast.expr, over: ast.expr, name: str) -> tuple[ast.Name, ast.Name | None] | None:
        """The names of a key and, where there is one, of its value."""
        pairs = isinstance(over, ast.Call) and isinstance(over.func, ast.Attribute) and over.func.attr == "items"
        match target:
            case ast.Tuple(elts=[ast.Name() as key, ast.Name() as value]) if pairs and key.id != value.id:
                return key, value
            case ast.Name() if not pairs:
                return target, None
        return None


def with_names(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with a name for each value of a dictionary whose keys are texts that are written out, wherever one
    is read or changed: it is returned as a dictionary of these names."""
    displays = {name: keys for name, keys in _displays(node).items() if _is_taken_apart(node, name, keys)}
    if not displays:
        return node
    made: ast.FunctionDef = _AsNames(displays).visit(copied(node))
    return made


def _displays(node: ast.FunctionDef) -> dict[str, list[str]]:
    """The names that are given a dictionary with texts as keys, once and nothing else, with the keys."""
    found: dict[str, list[str]] = {}
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=[_, *_] as keys)):
                texts = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
                if len({*texts}) == len(keys):
                    found[name] = texts
    if not found or below(node, ast.Lambda) or len(below(node, ast.FunctionDef)) > 1:
        return {}
    stored = [item.id for item in below(node, ast.Name) if not isinstance(item.ctx, ast.Load)]
    params = {item.arg for item in below(node, ast.arg)}
    return {name: keys for name, keys in found.items() if stored.count(name) == 1 and name not in params}


def _keeps_its_keys(node: ast.FunctionDef, name: str, keys: list[str]) -> bool:
    """Whether all that is done with a dictionary is to go over it, to take or change a value by one of its keys, and to
    return it."""
    loops = [each for each in below(node, ast.For) if _gone_over(each.iter) == name]
    targets = [each.target.elts[0] if isinstance(each.target, ast.Tuple) else each.target for each in loops]
    variables = {each.id for each in targets if isinstance(each, ast.Name)}
    over = [*(each.iter for each in below(node, ast.For)), *(each.iter for each in below(node, ast.comprehension))]
    allowed = {id(item) for each in over if _gone_over(each) == name for item in walk(each)}
    for item in ast.walk(node):
        match item:
            case ast.Assign(targets=[target], value=ast.Dict()):
                allowed.add(id(target))
            case ast.Subscript(value=ast.Name() as of, slice=key, ctx=ast.Load() | ast.Store()):
                is_one = isinstance(key, ast.Constant) and key.value in keys
                given = isinstance(key, ast.Name) and key.id in variables and _is_only_given_by(node, key.id, loops)
                allowed |= {id(of)} if is_one or given else set()
            case ast.Return(value=ast.Name() as returned):
                allowed.add(id(returned))
    return all(id(item) in allowed for item in below(node, ast.Name) if item.id == name)


def _is_only_given_by(node: ast.FunctionDef, name: str, loops: list[ast.For]) -> bool:
    """Whether a name is the variable of loops, and nothing else."""
    targets = {id(item) for each in loops for item in walk(each.target)}
    stored = (item for item in below(node, ast.Name) if item.id == name and not isinstance(item.ctx, ast.Load))
    return all(id(item) in targets for item in stored) and not any(each.arg == name for each in below(node, ast.arg))


def _is_taken_apart(node: ast.FunctionDef, name: str, keys: list[str]) -> bool:
    """Whether all that is done with a dictionary is to take or change a value by its key, and to return it; and some
    value is changed: others are understood as they are."""
    allowed, changes = set[int](), False
    for item in ast.walk(node):
        match item:
            case ast.Assign(targets=[target], value=ast.Dict()):
                allowed.add(id(target))
            case ast.Subscript(value=ast.Name() as of, slice=ast.Constant(value=str() as key)) if key in keys:
                if not isinstance(item.ctx, ast.Del):
                    allowed.add(id(of))
                changes |= of.id == name and isinstance(item.ctx, ast.Store)
            case ast.Return(value=ast.Name() as returned):
                allowed.add(id(returned))
    uses = [item for item in ast.walk(node) if isinstance(item, ast.Name) and item.id == name]
    return changes and all(id(each) in allowed for each in uses)


class _AsNames(ast.NodeTransformer):
    def __init__(self, displays: dict[str, list[str]]) -> None:
        self._displays = displays

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        match node:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Dict(values=values)) if (
                name in self._displays
            ):
                return [
                    ast.copy_location(ast.Assign([self._named(target, key, ast.Store())], self.visit(value)), node)
                    for key, value in zip(self._displays[name], values, strict=True)
                ]
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        match node:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)) if (
                name in self._displays
            ):
                return self._named(node, key, node.ctx, name)
        return self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        match node:
            case ast.Return(value=ast.Name(id=name) as returned) if name in self._displays:
                keys: list[ast.expr | None] = [
                    ast.copy_location(ast.Constant(key), returned) for key in self._displays[name]
                ]
                values = [self._named(returned, key, ast.Load()) for key in self._displays[name]]
                node.value = ast.copy_location(ast.Dict(keys, [*values]), returned)
                return node
        return self.generic_visit(node)

    def _named(self, at: ast.expr, key: str, context: ast.expr_context, name: str = "") -> ast.expr:
        name = name or (at.id if isinstance(at, ast.Name) else "")
        return ast.copy_location(ast.Name(f'{name}["{key}"]', context), at)


ZEROS = "np.zeros"
_WHOLE = frozenset({"int", "len", "math.floor", "math.ceil", "math.trunc", "round", "np.argmin", "np.argmax"})
"""Functions of Python, and of NumPy, that make a whole number of one value; ``round`` where it is given no digits."""
APPEND = "list.append"
"""What puts a number behind the last one of a list."""


class Filled:
    """The arrays of a function whose places count from 0: those that it fills, counts in bins, and lists that are
    written out."""

    def __init__(self, node: ast.FunctionDef, kinds: Kinds, counts: Iterable[str]) -> None:
        writes = Counter(item.id for item in below(node, ast.Name) if _is_stored(item))
        params = {item.arg for item in below(node, ast.arg)}
        made = dict(_made(node, kinds))
        self.lengths = {name: size for name, size in made.items() if writes[name] == 1 and name not in params}
        self.lists = {name for name in _begun(node) if writes[name] == 1 and name not in params}
        self._listed = {name for name in _listed(node) if writes[name] == 1 and name not in params}
        self.given = frozenset(each.arg for each in (*node.args.args, *node.args.kwonlyargs))
        self._fixed = {each.arg for each in node.args.args if not writes[each.arg]}
        self._counts = frozenset(counts)
        from_zero, others = set[str](), set[str]()
        for loop in below(node, ast.For):
            counts = _counting(loop, kinds)
            from_zero |= {counts} if counts else set()
            others |= {*bound_in(loop.target)} - {counts}
        self._variables = from_zero - others - params
        self.rounds = dict(_rounds(node))
        self._of_whole = {each.arg for each in node.args.args if each.arg in self._fixed and _holds_whole(each)}
        self._called = kinds.called
        self._whole = frozenset[str]()
        given = list(_given(node))
        while more := {name for name, _ in given if self._is_only_whole(name, given, params)} - self._whole:
            self._whole |= more

    def _is_only_whole(self, name: str, given: list[tuple[str, ast.expr | None]], params: set[str]) -> bool:
        values = [value for each, value in given if each == name]
        return name not in params and all(value is not None and self.is_whole(value) for value in values)

    def is_one(self, name: str) -> bool:
        """Whether a name is such an array."""
        return name in self.lengths or name in self._counts or name in self._listed

    def is_list(self, name: str) -> bool:
        """Whether a name stands for a list that is made here."""
        return name in self.lists or name in self._listed

    def is_as_long(self, name: str, size: ast.expr) -> bool:
        """Whether an array that is filled was made with so many entries, as it is written."""
        known = self.lengths.get(name)
        match known, size:
            case ast.Constant(value=one), ast.Constant(value=other):
                return bool(one == other)
            case ast.Name(id=one), ast.Name(id=other):
                return one == other and one in self._fixed
        return False

    def is_place(self, index: ast.expr) -> bool:
        """Whether an index counts from the beginning."""
        match index:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                return value >= 0
            case ast.Name(id=name):
                return name in self._variables
        return False

    def _is_of_whole(self, name: str) -> bool:
        """Whether a name is the variable of rounds over a list of whole numbers that the function is given."""
        over = self.rounds.get(name)
        return isinstance(over, ast.Name) and over.id in self._of_whole

    def is_whole(self, node: ast.expr) -> bool:
        """Whether an expression is a whole number wherever it is one: of a float that is whole there is no entry."""
        match node:
            case ast.Constant(value=int() as value):
                return not isinstance(value, bool)
            case ast.Name(id=name):
                return name in self._variables or name in self._whole or self._is_of_whole(name)
            case ast.Call(func=func, args=[_], keywords=[]) if self._called(func) in _WHOLE:
                return True
            case ast.Call(func=func, args=[_, _, *_] as args, keywords=[]) if self._called(func) in ("min", "max"):
                return all(map(self.is_whole, args))
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), left=left, right=right):
                return self.is_whole(left) and self.is_whole(right)
        return False


def changed(node: ast.FunctionDef) -> set[str]:
    """The names of what a function changes parts of."""
    return {
        item.value.id
        for item in below(node, ast.Subscript)
        if isinstance(item.value, ast.Name) and not isinstance(item.ctx, ast.Load)
    }


def _made(node: ast.FunctionDef, kinds: Kinds) -> Iterator[tuple[str, ast.expr]]:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=func, args=[size], keywords=[])):
                if kinds.called(func) == ZEROS:
                    yield name, size
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (times := zeros_listed(value)) is not None:
                yield name, times


def _holds_whole(param: ast.arg) -> bool:
    """Whether a parameter is said to be a list of whole numbers."""
    match param.annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[said, *_])):
            pass
        case said:
            pass
    return isinstance(said, ast.Subscript) and ast.unparse(said) in ("list[int]", "List[int]")


def zeros_listed(node: ast.expr) -> ast.expr | None:
    """How often 0 stands in a list of nothing else, ``[0] * 10``; None for any other list."""
    match node:
        case ast.BinOp(left=ast.List(elts=[ast.Constant(value=0 | 0.0 as zero)]), op=ast.Mult(), right=size):
            return None if isinstance(zero, bool) else size
    return None


def _listed(node: ast.FunctionDef) -> Iterator[str]:
    """The names of lists and tuples whose entries are written out."""
    for item in walk(node):
        match item:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[_, *_]) | ast.Tuple(elts=[_, *_])):
                yield name


def _begun(node: ast.FunctionDef) -> Iterator[str]:
    """The names of lists that begin without entries."""
    for item in walk(node):
        match item:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.List(elts=[]))
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.List(elts=[]))
            ):
                yield name


def _counting(loop: ast.For, kinds: Kinds) -> str:
    """The variable of a loop that counts its rounds, and begins with no negative number; empty if there is none."""
    match loop:
        case ast.For(target=ast.Name(id=name), iter=over) if _begins_well(over, kinds):
            return name
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=name), _]), iter=ast.Call(func=func) as over) if (
            kinds.called(func) == "enumerate"
        ):
            first = counted_from(over)
            return "" if first is None or first < 0 else name
    return ""


def _begins_well(over: ast.expr, kinds: Kinds) -> bool:
    match over:
        case ast.Call(func=func, args=[_], keywords=[]):
            return kinds.called(func) == "range"
        case ast.Call(func=func, args=[ast.Constant(value=int() as first), _], keywords=[]):
            return kinds.called(func) == "range" and first >= 0
    return False


def _rounds(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The variables of loops and comprehensions over a name, and that, where all of one name go over the same."""
    found: dict[str, set[str]] = {}
    over: dict[str, ast.expr] = {}
    for each in (*below(node, ast.For), *below(node, ast.comprehension)):
        match each:
            case ast.For(target=target, iter=iter_) | ast.comprehension(target=target, iter=iter_):
                for name in bound_in(target):
                    known = isinstance(target, ast.Name) and isinstance(iter_, ast.Name)
                    found.setdefault(name, set()).add(ast.unparse(iter_) if known else "")
                    over[name] = iter_
    return ((name, over[name]) for name, lists in found.items() if len(lists) == 1 and "" not in lists)


def _given(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that are given values, each with its value where that is all that it is given there."""
    known: set[int] = set()
    for item in walk(node):
        match item:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=value):
                known.add(id(target))
                yield name, value
    for item in below(node, ast.Name):
        if _is_stored(item) and id(item) not in known:
            yield item.id, None


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)
