"""Classes whose objects are what they are made of: settings, as ``@dataclass class Config: eps: float``, and
mechanisms, whose ``__init__`` keeps what it is given and whose methods read that.

An object of such a class is a tuple whose items have names, and never anything else: ``__init__`` gives each attribute
its only value, no method gives one another, and where anything else in the file might (``mechanism.eps = 3``,
``setattr``), nothing is known of the file. So who else has the object does not matter, and neither does whether it is
the same one. A method is a function that is given its object, and is judged where it is called, like any helper.

A class is one of these if it inherits from none, so that all that its objects do stands in it; if it has no decorator
but ``dataclass``; and if it defines nothing by which Python does something else where an attribute is read, such as a
property or ``__getattr__``. What a method does with its object is to read attributes and to call methods: it gives it
to nobody. Of objects of other classes nothing is known.

The file gives the name of such a class no other meaning, anywhere in it. Who uses the name in any other way than to
make an object, or in another file, is not understood.

Sources: the reference of Python ("Class definitions", "Customizing attribute access"); the manual (``dataclasses``).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar, cast

from dp_lsp.frontends.python.inner import bound_below
from dp_lsp.frontends.python.names import names_bound
from dp_lsp.frontends.python.tree import below, copied, walk
from dp_lsp.named import NamedTuple

T = TypeVar("T", bound=ast.AST)
MAKING = "__init__"
_SHOWING = frozenset({"__repr__", "__str__"})
"""Methods that only tell how an object is shown."""
_GIVEN = (ast.Name, ast.Constant, ast.Attribute, ast.BinOp, ast.UnaryOp)
"""What may be evaluated in another place, and more or less often, as nothing happens there."""
_COMPUTED = (*_GIVEN, ast.Call, ast.operator, ast.unaryop, ast.expr_context)
_ASKED = (*_COMPUTED, ast.Compare, ast.BoolOp, ast.boolop, ast.cmpop)
_NUMBERS = frozenset({"float", "int", "bool"})
_MODULES = frozenset({"np", "math"})
_FUNCTIONS = frozenset({"float", "int", "abs", "min", "max"})


class Part(ast.expr):
    """An attribute of an object of such a class: an item of a tuple. It is written as any attribute."""

    _fields = ("value", "attr")
    value: ast.expr
    attr: str
    is_truth = False


Part.__name__ = ast.Attribute.__name__  # by which `ast.unparse` knows how a node is written


class Plain(NamedTuple):
    """A class whose objects are what they are made of: what ``__init__`` takes, with the values of what may be left
    out, what it asks of that, what each attribute is made of, and its type; and the methods."""

    name: str
    params: tuple[str, ...]
    defaults: Mapping[str, ast.expr]
    guards: tuple[ast.stmt, ...]
    fields: Mapping[str, ast.expr]
    types: Mapping[str, str]
    methods: Mapping[str, ast.FunctionDef]

    @property
    def making(self) -> str:
        """The name of the function that makes an object of its attributes, which no program can write."""
        return f"{self.name}.{MAKING}"


class Objects(NamedTuple):
    """What a file says of objects: such classes by their names, those that it makes at top level, each as the call that
    makes it, and whether ``dataclass`` is that of ``dataclasses``."""

    classes: Mapping[str, Plain] = MappingProxyType({})
    made: Mapping[str, ast.expr] = MappingProxyType({})
    has_dataclass: bool = False


NO_OBJECTS = Objects()


class _Otherwise(Exception):
    """Why the objects of a class are not what they are made of."""


def plain(node: ast.stmt, has_dataclass: bool) -> Plain | None:
    """The class that a statement defines, if its objects are what they are made of. ``has_dataclass`` says whether that
    name stands for the function of ``dataclasses``."""
    try:
        return _plain(node, has_dataclass) if isinstance(node, ast.ClassDef) else None
    except _Otherwise:
        return None


def why_not(node: ast.ClassDef, has_dataclass: bool) -> str:
    """Why nothing is known of the objects of a class; empty where they are what they are made of."""
    try:
        _plain(node, has_dataclass)
    except _Otherwise as found:
        return str(found)
    return ""


def _plain(node: ast.ClassDef, has_dataclass: bool) -> Plain:
    if node.keywords or node.bases:  # also from `object`, which may be another class
        raise _Otherwise("it inherits")
    if getattr(node, "type_params", ()):
        raise _Otherwise("it has parameters of types")
    is_data = any(map(_is_dataclass, node.decorator_list))
    if len(node.decorator_list) > 1 or (node.decorator_list and not (is_data and has_dataclass)):
        raise _Otherwise("it has a decorator other than `dataclass`")
    methods: dict[str, ast.FunctionDef] = {}
    declared: list[ast.AnnAssign] = []
    for each in node.body:
        match each:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.AnnAssign(target=ast.Name()) if is_data:
                declared.append(each)
            case ast.FunctionDef(name=name) if name not in methods:
                methods[name] = _method(each)
            case _:
                raise _Otherwise(f"`{ast.unparse(each).partition(chr(10))[0]}` stands in it")
    made = methods.pop(MAKING, None)
    if made is not None and is_data:
        raise _Otherwise("it has a `__init__` of its own")
    found = _declared(node.name, declared) if made is None else _made(node.name, made)
    hidden = [each for each in (*methods, *found.fields) if each.startswith("__") and each not in _SHOWING]
    if hidden:
        raise _Otherwise(f"`{hidden[0]}` has a meaning of its own for Python")
    if not found.fields.keys().isdisjoint(methods):
        raise _Otherwise("an attribute is called as a method is")
    for each in methods.values():
        _check_object(each, found.fields, methods)
    whole = {name for each in methods.values() for name in _counting(each)}
    types = {name: "int" if said == "" and name in whole else said or "float" for name, said in found.types.items()}
    return found._replace(types=types, methods=methods)


def _is_dataclass(node: ast.expr) -> bool:
    match node:
        case ast.Name(id="dataclass"):
            return True
        case ast.Call(func=ast.Name(id="dataclass"), args=[], keywords=told):
            return all(each.arg in ("frozen", "slots") and isinstance(each.value, ast.Constant) for each in told)
    return False


def _method(node: ast.FunctionDef) -> ast.FunctionDef:
    """A method that is called with its object and what else it is given."""
    args = node.args
    if node.decorator_list or not args.args or args.posonlyargs or args.vararg or args.kwarg:
        raise _Otherwise(f"`{node.name}` is no plain method")
    return node


def _declared(name: str, fields: list[ast.AnnAssign]) -> Plain:
    """What a dataclass is made of: its fields, in order."""
    types: dict[str, str] = {}
    defaults: dict[str, ast.expr] = {}
    for each in fields:
        assert isinstance(each.target, ast.Name), "that was looked at"
        field, said = each.target.id, _type(each.annotation)
        if said == "" or field in types:
            raise _Otherwise(f"`{field}` is declared as `{ast.unparse(each.annotation)}`, which is no number")
        types[field] = said
        if each.value is not None:
            defaults[field] = _constant(each.value)
    parts = {each: ast.Name(each, ast.Load()) for each in types}
    return Plain(name, tuple(types), defaults, (), parts, types, {})


def _type(said: ast.expr | None) -> str:
    """The type of numbers that an annotation allows; empty for any other."""
    match said:
        case ast.Subscript(value=ast.Name(id="Static"), slice=inner):
            return _type(inner)
        case ast.Name(id=name) if name in _NUMBERS:
            return name
    return ""


def _constant(node: ast.expr) -> ast.expr:
    """A value that is the same whenever it is asked for."""
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    if isinstance(inner, ast.Constant) and isinstance(inner.value, int | float):
        return node
    raise _Otherwise(f"`{ast.unparse(node)}` is what is taken where nothing is given")


def _made(name: str, node: ast.FunctionDef) -> Plain:
    """What ``__init__`` makes of what it takes: each attribute gets one value, which is made of that."""
    itself, args = node.args.args[0].arg, node.args
    params = [*args.args[1:], *args.kwonlyargs]
    other = next((each for each in params if each.annotation is not None and not _type(each.annotation)), None)
    if other is not None and other.annotation is not None:
        raise _Otherwise(f"`{other.arg}` is declared as `{ast.unparse(other.annotation)}`, which is no number")
    if args.kwonlyargs or itself in {each.arg for each in params}:
        raise _Otherwise("`__init__` takes something by its name alone")
    given = args.args[len(args.args) - len(args.defaults) :]
    defaults = {each.arg: _constant(value) for each, value in zip(given, args.defaults, strict=True)}
    fields: dict[str, ast.expr] = {}
    guards: list[ast.stmt] = []
    known = {each.arg for each in params}
    for each in node.body:
        match each:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case (
                ast.Assign(targets=[ast.Attribute(value=ast.Name(id=of), attr=field)], value=value)
                | ast.AnnAssign(target=ast.Attribute(value=ast.Name(id=of), attr=field), value=ast.expr() as value)
            ) if of == itself and field not in fields:
                made = _Own(itself, fields).visit(copied(value))
                _check_computed(made, known, _COMPUTED)
                fields[field] = made
            case ast.If(test=test, body=[ast.Raise(cause=None)], orelse=[]) | ast.Assert(test=test):
                _check_computed(_Own(itself, fields).visit(copied(test)), known, _ASKED)
                guard = _Own(itself, fields).visit(copied(each))
                guards.append(guard)
            case _:
                raise _Otherwise(f"`__init__` does `{ast.unparse(each).partition(chr(10))[0]}`")
    said = {each.arg: _type(each.annotation) for each in params}
    types = {field: said.get(made.id, "") if isinstance(made, ast.Name) else "float" for field, made in fields.items()}
    return Plain(name, tuple(said), defaults, tuple(guards), fields, types, {})


class _Own(ast.NodeTransformer):
    """What attributes are made of in place of them."""

    def __init__(self, itself: str, fields: Mapping[str, ast.expr]) -> None:
        self._itself, self._fields = itself, fields

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        match node:
            case ast.Attribute(value=ast.Name(id=of), attr=field) if of == self._itself:
                if field not in self._fields:
                    raise _Otherwise(f"`__init__` reads `{ast.unparse(node)}` before it has a value")
                return copied(self._fields[field])
        return self.generic_visit(node)


def _check_computed(node: ast.expr, params: set[str], allowed: tuple[type[ast.AST], ...]) -> None:
    """Nothing happens where this is evaluated, and it means the same elsewhere, but for what is given."""
    for each in walk(node):
        is_given = not isinstance(each, ast.Name) or each.id in {*params, *_MODULES, *_FUNCTIONS}
        is_number = not isinstance(each, ast.Constant) or isinstance(each.value, int | float)
        if not isinstance(each, allowed) or not is_given or not is_number:
            raise _Otherwise(f"`__init__` keeps `{ast.unparse(node)}`")


def _check_object(node: ast.FunctionDef, fields: Iterable[str], methods: Iterable[str]) -> None:
    """A method reads attributes of its object, and calls methods, and that is all it does with it."""
    itself, attributes, own = node.args.args[0].arg, {*fields}, {*methods} - _SHOWING
    reads = {id(each.value) for each in below(node, ast.Attribute) if isinstance(each.ctx, ast.Load)}
    calls = {id(each.func) for each in below(node, ast.Call)}
    for each in walk(node):
        match each:
            case ast.Global() | ast.Nonlocal():
                raise _Otherwise(f"`{node.name}` changes variables of others")
            case ast.Name(id="super" | "__class__"):
                raise _Otherwise(f"`{node.name}` uses `{each.id}`")
            case ast.Attribute(value=ast.Name(id=of), ctx=ast.Store() | ast.Del()) if of == itself:
                raise _Otherwise(f"`{node.name}` gives `{ast.unparse(each)}` another value")
            case ast.Name(id=name) if name == itself and (id(each) not in reads or not isinstance(each.ctx, ast.Load)):
                raise _Otherwise(f"`{node.name}` does more with `{itself}` than to read what it holds")
            case ast.Attribute(value=ast.Name(id=of), attr=attr) if of == itself:
                if attr not in attributes and not (attr in own and id(each) in calls):
                    raise _Otherwise(f"`{node.name}` reads `{itself}.{attr}`, which `__init__` does not make")
            case ast.arg(arg=name) if name == itself and each is not node.args.args[0]:
                raise _Otherwise(f"`{node.name}` calls something else `{itself}`, too")


def _counting(node: ast.FunctionDef) -> Iterator[str]:
    """The attributes that tell how often a method does something."""
    itself = node.args.args[0].arg
    for call in below(node, ast.Call):
        match call:
            case ast.Call(func=ast.Name(id="range"), args=args):
                for given in args:
                    match given:
                        case ast.Attribute(value=ast.Name(id=of), attr=field) if of == itself:
                            yield field


# Where objects are made and used


def methods(of: Plain, known: Mapping[str, Plain]) -> Iterator[ast.FunctionDef]:
    """The methods of a class as functions that are given their object, which holds what everybody may know. One stands
    behind those that it calls."""
    done: list[str] = []
    waiting = [*of.methods]
    while waiting:
        name = waiting.pop(0)
        calls = {each.attr for each in below(of.methods[name], ast.Attribute)} & {*waiting}
        if calls and name not in done:
            done.append(name)  # a second time it waits no longer: they call each other
            waiting = [*sorted(calls), name, *(each for each in waiting if each not in calls)]
        elif name not in _SHOWING:
            made = copied(of.methods[name])
            made.name = f"{of.name}.{name}"
            itself = made.args.args[0]
            itself.annotation = ast.copy_location(ast.Name(f"Static[{of.name}]", ast.Load()), itself)
            yield _rewritten(made, known, {itself.arg: of})


def with_objects(tree: ast.Module, known: Objects) -> ast.Module:
    """The tree of a text in which functions use objects of these classes as tuples whose items have names, and call
    methods as functions. The tree itself is changed."""
    if known.classes:
        tree.body = [
            _rewritten(_beginning(each, known.made), known.classes, {}) if isinstance(each, ast.FunctionDef) else each
            for each in tree.body
        ]
    return tree


def _beginning(node: ast.FunctionDef, made: Mapping[str, ast.expr]) -> ast.FunctionDef:
    """A function that begins with the objects of the file that it reads."""
    own = names_bound(copied(node)) if made else set()
    read: dict[str, ast.Name] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in made and each.id not in own:
            read.setdefault(each.id, each)
    for name, place in read.items():
        begun = ast.Assign([ast.Name(name, ast.Store())], copied(made[name]))
        for part in ast.walk(begun):
            ast.copy_location(part, place)
        node.body.insert(0, ast.copy_location(begun, node.body[0]))
    return node


def object_made(node: ast.stmt, known: Iterable[str]) -> tuple[str, ast.expr] | None:
    """The name that a statement gives an object of one of these classes that is made of numbers alone."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=of)) as call) if of in known:
            given = [*call.args, *(each.value for each in call.keywords)]
            plain_numbers = (ast.Constant, ast.UnaryOp, ast.BinOp)
            if all(
                isinstance(each, plain_numbers) for one in given for each in walk(one) if isinstance(each, ast.expr)
            ):
                return name, call
    return None


def _rewritten(node: ast.FunctionDef, known: Mapping[str, Plain], given: Mapping[str, Plain]) -> ast.FunctionDef:
    own = names_bound(copied(node))  # which remembers what is below it
    classes = {name: each for name, each in known.items() if name not in own}
    if own & {*_MODULES, *_FUNCTIONS}:
        classes = {name: each for name, each in classes.items() if not each.guards and _is_given(each.fields.values())}
    objects = {**_given_objects(node, classes), **given}
    objects |= _made_objects(node, classes, objects)
    result = _Objects(classes, objects).visit(node)
    assert isinstance(result, ast.FunctionDef), "a function stays one"
    types = dict.fromkeys(each.making for each in objects.values())
    read = (ast.copy_location(ast.Name(each, ast.Load()), node.body[0]) for each in types)
    result.body[:0] = [ast.copy_location(ast.Expr(each), each) for each in read]  # which says whose objects it has
    return result


def _is_given(values: Iterable[ast.expr]) -> bool:
    """Whether attributes are what is given, as it is."""
    return all(isinstance(each, ast.Name) for each in values)


def _given_objects(node: ast.FunctionDef, classes: Mapping[str, Plain]) -> dict[str, Plain]:
    """The parameters that are objects of these classes, and keep their value."""
    found: dict[str, Plain] = {}
    copy = copied(node)
    others = {*bound_below(copy)}
    taken = Counter(each.arg for each in below(copy, ast.arg))
    for each in (*node.args.args, *node.args.kwonlyargs):
        match each.annotation:
            case ast.Name(id=of) | ast.Subscript(value=ast.Name(id="Static"), slice=ast.Name(id=of)):
                if of in classes and each.arg not in others and taken[each.arg] == 1:
                    found[each.arg] = classes[of]
    return found


def _made_objects(node: ast.FunctionDef, classes: Mapping[str, Plain], given: Mapping[str, Plain]) -> dict[str, Plain]:
    """The names that a function gives objects of one of these classes, and nothing else."""
    copy = copied(node)
    writes, taken = Counter(bound_below(copy)), {each.arg for each in below(copy, ast.arg)}
    found: dict[str, list[Plain]] = {}
    for each in below(copy, ast.Assign):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=of))) if of in classes:
                found.setdefault(name, []).append(classes[of])
    return {
        name: each[0]
        for name, each in found.items()
        if len(each) == writes[name] and len({one.name for one in each}) == 1 and name not in {*taken, *given}
    }


class _Objects(ast.NodeTransformer):
    """A function in which objects are tuples."""

    def __init__(self, classes: Mapping[str, Plain], objects: Mapping[str, Plain]) -> None:
        self._classes = classes
        self._objects = objects

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt | list[ast.stmt]:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=ast.Call(func=ast.Name(id=of)) as call) if (
                of in self._classes
            ):
                known = self._classes[of]
                given = _arguments(call, known)
                if given is None:
                    return node
                given, first = _evaluated_once(target, {each: self.visit(one) for each, one in given.items()}, known)
                guards = [_put(each, given, call) for each in known.guards]
                node.value = _object(call, known, given)
                return [*first, *guards, node]
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        match node.func:
            case ast.Name(id=of) if of in self._classes and not self._classes[of].guards:
                given = _arguments(node, self._classes[of])
                if given is not None and not any(_is_repeated(each, given, self._classes[of]) for each in given):
                    given = {each: self.visit(value) for each, value in given.items()}
                    return _object(node, self._classes[of], given)
            case ast.Attribute(value=value, attr=attr) if (of_class := self._class_of(value)) is not None:
                if attr in of_class.methods and attr not in _SHOWING:
                    function = ast.copy_location(ast.Name(f"{of_class.name}.{attr}", ast.Load()), node.func)
                    node.args = [value, *node.args]
                    node.func = function
        self.generic_visit(node)
        return node

    def _class_of(self, node: ast.expr) -> Plain | None:
        """The class of what certainly is an object of one of these."""
        match node:
            case ast.Name(id=name):
                return self._objects.get(name)
            case ast.Call(func=ast.Name(id=of)):
                return self._classes.get(of)
        return None

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        match node:
            case ast.Attribute(value=ast.Name(id=name) as value, attr=attr, ctx=ast.Load()) if (
                name in self._objects and attr in self._objects[name].fields
            ):
                made = ast.copy_location(Part(), node)
                made.value, made.attr = value, attr
                made.is_truth = self._objects[name].types[attr] == "bool"
                return made
        self.generic_visit(node)
        return node


def _arguments(node: ast.Call, of: Plain) -> dict[str, ast.expr] | None:
    """What ``__init__`` is given by a call, for each of its parameters; None where the text does not tell that."""
    if len(node.args) > len(of.params) or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    given = dict(zip(of.params, node.args, strict=False))
    for each in node.keywords:
        if each.arg is None or each.arg not in of.params or each.arg in given:
            return None
        given[each.arg] = each.value
    given = {**of.defaults, **given}
    return given if given.keys() == {*of.params} else None


def _is_repeated(name: str, given: Mapping[str, ast.expr], of: Plain) -> bool:
    """Whether it makes a difference how often what is given for a parameter is evaluated, and it is not once."""
    if all(isinstance(each, _GIVEN) for each in walk(given[name]) if isinstance(each, ast.expr)):
        return False
    parts = [*of.fields.values(), *of.guards]
    return sum(each.id == name for part in parts for each in walk(part) if isinstance(each, ast.Name)) != 1


def _evaluated_once(
    target: ast.Name, given: Mapping[str, ast.expr], of: Plain
) -> tuple[dict[str, ast.expr], list[ast.stmt]]:
    """What is given, under names of its own where it must be evaluated just once, and what gives it those."""
    names, first = dict(given), list[ast.stmt]()
    for each in given:
        if _is_repeated(each, given, of):
            name, value = f"{target.id}.{each}", given[each]
            first.append(
                ast.copy_location(ast.Assign([ast.copy_location(ast.Name(name, ast.Store()), value)], value), value)
            )
            names[each] = ast.copy_location(ast.Name(name, ast.Load()), value)
    return names, first


def _object(node: ast.Call, of: Plain, given: Mapping[str, ast.expr]) -> ast.expr:
    """An object as what makes one of its attributes."""
    values = [_put(each, given, node) for each in of.fields.values()]
    function = ast.copy_location(ast.Name(of.making, ast.Load()), node.func)
    return ast.copy_location(ast.Call(function, values, []), node)


def _put(part: T, given: Mapping[str, ast.expr], place: ast.AST) -> T:
    """A part of ``__init__`` with what is given in place of its parameters, all of which lies where the call does."""
    made = copied(part)
    for each in ast.walk(made):
        ast.copy_location(each, place)
    return cast(T, _Given(given).visit(made))


class _Given(ast.NodeTransformer):
    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copied(self._given[node.id]) if node.id in self._given else node
