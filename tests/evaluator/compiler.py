"""Trees to Python functions of an environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .arithmetic import identical, power, wide
from .broadcasting import Dotted, materialized, stored_into
from .conversion import convert
from .dispatch import extended
from .failures import Failure, SyntaxFailure, Unmodelled
from .indexing import index, position_end, set_index
from .machine import Machine
from .parser import parse
from .scopes import Scope, function_name, inner, targets
from .shown import shown
from .syntax import Literal, Name, Node, Tree
from .types import ANY, NUMBER, Below, Parameter, Type, Var, applied, is_below, promoted
from .values import (
    Array,
    Builtin,
    Char,
    Function,
    Method,
    Module,
    Record,
    Symbol,
    Value,
    collected,
    elements,
    is_a,
    is_number,
    type_of,
)


class Env:
    """The variables of one entry into a scope."""

    __slots__ = ("around", "vars")

    def __init__(self, around: Env | None, names: set[str]) -> None:
        self.around = around
        self.vars: dict[str, Any] = dict.fromkeys(names, UNDEFINED)


class _Undefined:
    """In place of a value that was not assigned yet."""


UNDEFINED = _Undefined()
Run = Callable[[Any], Value]


class Returned(Exception):
    """`return`"""

    def __init__(self, value: Value) -> None:
        self.value = value


class Broken(Exception):
    """`break`"""


class Continued(Exception):
    """`continue`"""


class Named(NamedTuple):
    """A parameter that is given by its name: the type of what it may be, and what it is if it is left out."""

    name: str
    node: Node
    type: Run
    default: Run | None


class Parameters(NamedTuple):
    """What a header says: names, types, defaults, and what is named."""

    names: list[Node]
    types: list[Run]
    defaults: list[Run | None]
    variadic: bool
    named: list[Named]


class Compiler:
    """Compiles what stands in one module."""

    def __init__(self, machine: Machine, module: Module) -> None:
        self.machine, self.module = machine, module
        self._constants: set[str] = set()
        self._imported: set[str] = set()

    def load(self, text: str) -> None:
        """Run a file, statement by statement."""
        self._statements(parse(text))

    def _statements(self, nodes: list[Node]) -> None:
        for node in nodes:
            self.compile(node, None)(None)

    # Names

    def _read(self, name: str, scope: Scope | None) -> Run:
        depth = scope.depth(name) if scope is not None else None
        if depth is None:
            return lambda env: self.read_global(name)
        assert scope is not None
        owner = scope.owner(name) if scope.captures(name) else None

        def read(env: Env) -> Value:
            if owner is not None and owner.writes[name] > 1:
                self.machine.untyped += 1
            for _ in range(depth):
                env = env.around  # type: ignore[assignment]
            value = env.vars[name]
            if value is UNDEFINED:
                raise Failure("UndefVarError", name)
            return value

        return read

    def read_global(self, name: str) -> Value:
        names = self.module.names
        if name in names:
            self.machine.untyped += name not in self._constants
            return names[name]
        if name in self.machine.base:
            return self.machine.base[name]
        raise Failure("UndefVarError", name)

    def _write(self, name: str, scope: Scope | None) -> Callable[[Any, Value], None]:
        depth = scope.depth(name) if scope is not None else None
        if depth is None:
            return lambda env, value: self._write_global(name, value)

        def write(env: Env, value: Value) -> None:
            for _ in range(depth):
                env = env.around  # type: ignore[assignment]
            env.vars[name] = value

        return write

    def _write_global(self, name: str, value: Value) -> None:
        before = self.module.names.get(name, UNDEFINED)
        if name in self._imported:
            raise Failure("ErrorException", f"cannot assign a value to imported variable {name}")
        other = type_of(before) != type_of(value) or isinstance(before, Function)
        if name in self._constants and other and not identical(before, value):
            raise Failure("ErrorException", f"invalid redefinition of constant {name}")
        self.module.names[name] = value

    # Nodes

    def compile(self, node: Node, scope: Scope | None) -> Run:
        if isinstance(node, Literal):
            value = node.value
            return lambda env: value
        if isinstance(node, Name):
            return self._read(node.text, scope)
        maker = getattr(self, f"_do_{_MAKERS.get(node.head, node.head)}", None)
        if maker is None:
            raise Unmodelled(f"`{node.head}`")
        return maker(node, scope)

    def _all(self, nodes: tuple[Node, ...], scope: Scope | None) -> list[Run]:
        return [self.compile(each, scope) for each in nodes]

    def _do_block(self, node: Tree, scope: Scope | None) -> Run:
        if scope is None:
            return lambda env: self._last(node)
        steps = self._all(node.args, scope)
        if not steps:
            return lambda env: None
        if len(steps) == 1:
            return steps[0]
        *first, last = steps

        def run(env: Env) -> Value:
            for each in first:
                each(env)
            return last(env)

        return run

    def _last(self, node: Tree) -> Value:
        """A block at the top level, whose statements are compiled as they are reached."""
        value: Value = None
        for each in node.args:
            value = self.compile(each, None)(None)
        return value

    def _do_if(self, node: Tree, scope: Scope | None) -> Run:
        condition, then, otherwise = self._all(node.args, scope)
        return lambda env: then(env) if _truth(condition(env)) else otherwise(env)

    def _do_and(self, node: Tree, scope: Scope | None) -> Run:
        left, right = self._all(node.args, scope)
        return lambda env: right(env) if _truth(left(env)) else False

    def _do_or(self, node: Tree, scope: Scope | None) -> Run:
        left, right = self._all(node.args, scope)
        return lambda env: True if _truth(left(env)) else right(env)

    def _do_comparison(self, node: Tree, scope: Scope | None) -> Run:
        count = len(node.args) // 2
        operators = [self._read(str(each.value), scope) for each in node.args[:count] if isinstance(each, Literal)]
        operands = self._all(node.args[count:], scope)

        def run(env: Env) -> Value:
            left = operands[0](env)
            found: Value = True
            for operator, operand in zip(operators, operands[1:], strict=True):
                right = operand(env)
                found = self.machine.call(operator(env), left, right)
                if not _truth(found):
                    return False
                left = right
            return found

        return run

    def _do_tuple(self, node: Tree, scope: Scope | None) -> Run:
        if any(isinstance(each, Tree) and each.head in ("=", "kw") for each in node.args):
            raise Unmodelled("named tuples")
        give = self._several(node.args, scope)
        return lambda env: tuple(give(env))

    def _do_named(self, node: Tree, scope: Scope | None) -> Run:
        names = tuple(each.text for each in node.args[::2] if isinstance(each, Name))
        give = self._several(node.args[1::2], scope)

        def run(env: Env) -> Value:
            items = tuple(give(env))
            return Record(Type("NamedTuple", (Type(" ".join(names)), *map(type_of, items))), names, items)

        return run

    def _several(self, nodes: tuple[Node, ...], scope: Scope | None) -> Callable[[Any], list[Value]]:
        """The values of arguments, where `x...` are several."""
        if not any(isinstance(each, Tree) and each.head == "..." for each in nodes):
            steps = self._all(nodes, scope)
            return lambda env: [each(env) for each in steps]
        parts = [
            (True, self.compile(each.args[0], scope))
            if isinstance(each, Tree) and each.head == "..."
            else (False, self.compile(each, scope))
            for each in nodes
        ]

        def give(env: Env) -> list[Value]:
            found: list[Value] = []
            for is_spread, part in parts:
                found += elements(part(env)) if is_spread else (part(env),)
            return found

        return give

    def _do_string(self, node: Tree, scope: Scope | None) -> Run:
        parts = self._all(node.args, scope)
        return lambda env: "".join(shown(part(env)) for part in parts)

    def _do_char(self, node: Tree, scope: Scope | None) -> Run:
        value = Char(str(node.args[0].value))  # type: ignore[union-attr]
        return lambda env: value

    def _do_quote(self, node: Tree, scope: Scope | None) -> Run:
        value = Symbol(str(node.args[0].value))  # type: ignore[union-attr]
        return lambda env: value

    # Calls

    def _do_call(self, node: Tree, scope: Scope | None) -> Run:
        function, *rest = node.args
        if isinstance(function, Name) and function.text == "^" and _is_whole(rest[1] if len(rest) > 1 else None):
            return self._power(rest, scope)
        placed = tuple(each for each in rest if not (isinstance(each, Tree) and each.head == "kw"))
        named = [
            (each.args[0].text, self.compile(each.args[1], scope))
            for each in rest
            if isinstance(each, Tree) and each.head == "kw" and isinstance(each.args[0], Name)
        ]
        callee, give, call = self.compile(function, scope), self._several(placed, scope), self.machine.call
        if isinstance(function, Name) and function.text == "include":
            return self._include(give)
        if not named:
            return lambda env: call(callee(env), *give(env))
        return lambda env: call(callee(env), *give(env), **{name: value(env) for name, value in named})

    def _power(self, operands: list[Node], scope: Scope | None) -> Run:
        operator, (base, exponent) = self._read("^", scope), self._all(tuple(operands), scope)

        def run(env: Env) -> Value:
            function, x, y = operator(env), base(env), exponent(env)
            if isinstance(function, Builtin) and is_number(x):
                return power(x, y, literal=True)
            return self.machine.call(function, x, y)

        return run

    def _include(self, give: Callable[[Any], list[Value]]) -> Run:
        def run(env: Env) -> Value:
            (name,) = give(env)
            if name not in self.machine.files:
                raise Failure("SystemError", f"opening file {name}")
            self.load(self.machine.files[name])
            return None

        return run

    def _do_ref(self, node: Tree, scope: Scope | None) -> Run:
        box, *places = node.args
        whole, indices = self.compile(box, scope), [self.compile(each, scope) for each in places]
        stack = self.machine.indexed

        def run(env: Env) -> Value:
            stack = self.machine.indexed
            value = whole(env)
            found = []
            for number, each in enumerate(indices):
                stack.append((value, number, len(indices)))
                found.append(each(env))
                stack.pop()
            return index(self.machine, value, found)

        del stack
        return run

    def _do_last(self, node: Tree, scope: Scope | None) -> Run:
        return lambda env: position_end(*self.machine.indexed[-1])

    def _do_curly(self, node: Tree, scope: Scope | None) -> Run:
        head, *params = self._all(node.args, scope)
        return lambda env: applied(head(env), tuple(_parameter(each(env)) for each in params))

    def _do_below(self, node: Tree, scope: Scope | None) -> Run:
        upper = self.compile(node.args[0], scope)
        return lambda env: Below(upper(env))

    def _do_field(self, node: Tree, scope: Scope | None) -> Run:
        whole, name = self.compile(node.args[0], scope), node.args[1].value  # type: ignore[union-attr]

        def run(env: Env) -> Value:
            value = whole(env)
            if isinstance(value, Module):
                if name in value.names:
                    return value.names[name]
                raise Failure("UndefVarError", name)
            if isinstance(value, Record):
                if name in value.names:
                    return value.items[value.names.index(name)]
                raise Failure("ErrorException", f"type {value.type} has no field {name}")
            raise Unmodelled("fields")

        return run

    def _do_struct(self, node: Tree, scope: Scope | None) -> Run:
        return self._defining(node, by_name=False)

    def _defining(self, node: Tree, by_name: bool) -> Run:
        """The definition of a type by its parts, each with a type; ``by_name`` it can be made of named parts, too."""
        name, *fields = node.args
        parts, defaults = [], {}
        for field in fields:
            default = None
            if isinstance(field, Tree) and field.head == "=" and by_name:
                field, default = field.args
            if not (isinstance(field, Tree) and field.head == "::" and isinstance(field.args[0], Name)):
                raise Unmodelled("a structure that says more")
            parts.append((field.args[0].text, self.compile(field.args[1], None)))
            defaults[field.args[0].text] = None if default is None else self.compile(default, None)
        names = tuple(each for each, _ in parts)

        def run(env: Env) -> Value:
            assert isinstance(name, Name)
            type_ = Type(name.text)
            wanted = [part(None) for _, part in parts]

            def make(*given: Value, **named: Value) -> Value:
                if by_name and not given:
                    missing = [each for each in names if each not in named and defaults[each] is None]
                    if missing or not named.keys() <= set(names):
                        raise Failure("UndefKeywordError", name.text)
                    given = tuple(named[each] if each in named else defaults[each](None) for each in names)  # type: ignore[misc]
                elif named or len(given) != len(names):
                    raise Failure("MethodError", f"no method matching {name.text} of {len(given)}")
                return Record(
                    type_, names, tuple(convert(each, value) for each, value in zip(wanted, given, strict=True))
                )

            self.machine.made[type_] = make
            self.module.names[name.text] = type_
            return None

        return run

    def _do_assert_type(self, node: Tree, scope: Scope | None) -> Run:
        value, type_ = self._all(node.args, scope)

        def run(env: Env) -> Value:
            found, wanted = value(env), type_(env)
            if not is_a(found, wanted):
                raise Failure("TypeError", f"in typeassert, expected {wanted}, got {type_of(found)}")
            return found

        return run

    # Arrays

    def _do_vect(self, node: Tree, scope: Scope | None) -> Run:
        give = self._several(node.args, scope)
        return lambda env: vector(give(env))

    def _do_vcat(self, node: Tree, scope: Scope | None) -> Run:
        return self._do_vect(node, scope)

    def _do_hvcat(self, node: Tree, scope: Scope | None) -> Run:
        rows = [self._all(row.args, scope) for row in node.args if isinstance(row, Tree)]

        def run(env: Env) -> Value:
            made = [[each(env) for each in row] for row in rows]
            flat = vector([entry for row in made for entry in row])
            return Array(flat.element, flat.entries, (len(made), len(made[0])))

        return run

    def _do_generator(self, node: Tree, scope: Scope | None) -> Run:
        return self._do_comprehension(Tree("comprehension", (node,)), scope)

    def _do_comprehension(self, node: Tree, scope: Scope | None) -> Run:
        value, first, *more = node.args[0].args  # type: ignore[union-attr]
        if any(isinstance(each, Tree) and each.head != "filter" for each in more):
            raise Unmodelled("comprehensions over several")
        loop = inner(scope, (value,), set(_names(first.args[0])), True)
        box, bind = self.compile(first.args[1], scope), self._binder(first.args[0], loop)
        kept = [self.compile(each.args[0], loop) for each in more if isinstance(each, Tree)]
        made = self.compile(value, loop)

        def run(env: Env) -> Value:
            found = []
            for each in elements(box(env)):
                inside = Env(env, loop.names)
                bind(inside, each)
                if all(_truth(test(inside)) for test in kept):
                    found.append(made(inside))
            return collected(found)

        return run

    def _do_dots(self, node: Tree, scope: Scope | None) -> Run:
        """All dots of an expression together; what they go over is evaluated once."""
        give = self._dotted(node, scope)
        return lambda env: materialized(give(env))

    def _dotted(self, node: Node, scope: Scope | None) -> Run:
        if not isinstance(node, Tree) or node.head != "dots":
            return self.compile(node, scope)
        function, *rest = node.args
        if any(isinstance(each, Tree) and each.head in ("kw", "...") for each in rest):
            raise Unmodelled("a broadcast with names")
        callee, over, call = (
            self.compile(function, scope),
            [self._dotted(each, scope) for each in rest],
            self.machine.call,
        )
        literal = isinstance(function, Name) and function.text == "^" and len(rest) > 1 and _is_whole(rest[1])

        def run(env: Env) -> Value:
            of, given = callee(env), tuple(each(env) for each in over)
            if literal and isinstance(of, Builtin):
                return Dotted(lambda x, y: power(x, y, literal=True), given)
            return Dotted(lambda *entries: call(of, *entries), given)

        return run

    def _do_store(self, node: Tree, scope: Scope | None) -> Run:
        target, value = self.compile(node.args[0], scope), self._dotted(node.args[1], scope)
        return lambda env: stored_into(target(env), value(env))

    # Assignments

    def _do_assign(self, node: Tree, scope: Scope | None) -> Run:
        target, value = node.args
        give, bind = self.compile(value, scope), self._binder(target, scope)

        def run(env: Env) -> Value:
            found = give(env)
            bind(env, found)
            return found

        return run

    def _binder(self, target: Node, scope: Scope | None) -> Callable[[Any, Value], None]:
        if isinstance(target, Tree) and target.head == "block" and len(target.args) == 1:
            target = target.args[0]
        if isinstance(target, Name):
            return (lambda env, value: None) if set(target.text) == {"_"} else self._write(target.text, scope)
        if isinstance(target, Tree) and target.head == "tuple":
            return self._destructured(target, scope)
        if isinstance(target, Tree) and target.head == "::" and isinstance(target.args[0], Name):
            write, type_ = self._write(target.args[0].text, scope), self.compile(target.args[1], scope)
            return lambda env, value: write(env, convert(type_(env), value))
        if isinstance(target, Tree) and target.head == "ref":
            box, *places = self._all(target.args, scope)
            return lambda env, value: set_index(box(env), [each(env) for each in places], value)
        raise SyntaxFailure("this is no place to assign to")

    def _destructured(self, target: Tree, scope: Scope | None) -> Callable[[Any, Value], None]:
        binders = [self._binder(each, scope) for each in target.args]

        def bind(env: Env, value: Value) -> None:
            found = list(elements(value))
            if len(found) < len(binders):
                raise Failure("BoundsError", f"attempt to access {type_of(value)} at index [{len(found) + 1}]")
            for each, part in zip(binders, found, strict=False):
                each(env, part)

        return bind

    def _do_local(self, node: Tree, scope: Scope | None) -> Run:
        inside = node.args[0]
        if isinstance(inside, Tree) and inside.head in ("=", "function"):
            return self.compile(inside, scope)
        names = [name for name in _names(inside) if scope is not None]
        writers = [self._write(name, scope) for name in names]

        def run(env: Env) -> Value:
            for write in writers:
                write(env, UNDEFINED)

        return run

    def _do_global(self, node: Tree, scope: Scope | None) -> Run:
        inside = node.args[0]
        if isinstance(inside, Tree) and inside.head in ("=", "function"):
            return self.compile(inside, scope)
        return lambda env: None

    def _do_const(self, node: Tree, scope: Scope | None) -> Run:
        inside = node.args[0]
        if not (isinstance(inside, Tree) and inside.head in ("=", "function", "global")):
            raise SyntaxFailure("a constant without a value")
        target = inside.args[0]
        run = self.compile(inside, scope)

        def define(env: Env) -> Value:
            names = [each for each in _names(target) if each in self.module.names and each not in self._constants]
            if names:
                raise Failure("ErrorException", f"cannot declare {names[0]} constant; it already has a value")
            found = run(env)
            self._constants.update(_names(target))
            return found

        return define

    # Functions

    def _do_function(self, node: Tree, scope: Scope | None) -> Run:
        header, body = node.args
        name = function_name(header)
        if isinstance(header, Tree) and header.head == "empty":
            return self._define(str(name), scope, None)
        make = self._method(header, body, scope)
        if name is None:
            return self._extension(header, make, scope)
        return self._define(name, scope, make)

    def _define(self, name: str, scope: Scope | None, make: Callable[[Any], list[Method]] | None) -> Run:
        depth = scope.depth(name) if scope is not None else None
        if depth is None or scope is None:
            return lambda env: self._define_global(name, [] if make is None else make(env))
        owner = scope
        for _ in range(depth):
            owner = owner.around  # type: ignore[assignment]
        made = owner.methods.setdefault(name, [])
        made.append(make)  # type: ignore[arg-type]

        def define(env: Env) -> Value:
            place = env
            for _ in range(depth):
                place = place.around  # type: ignore[assignment]
            known = place.vars[name]
            if not isinstance(known, Function) or getattr(known, "name", "") != name:
                known = place.vars[name] = Function(name)
                for each in made:
                    for method in each(env) if each is not None else ():  # type: ignore[operator]
                        known.define(method)
            return known

        return define

    def _define_global(self, name: str, methods: list[Method]) -> Value:
        names = self.module.names
        known = names.get(name, UNDEFINED)
        if known is UNDEFINED:
            known = names[name] = Function(name)
            self._constants.add(name)
        elif name in self._imported and not isinstance(known, Function):
            raise Failure("ErrorException", f"function {name} must be explicitly imported to be extended")
        elif not isinstance(known, Function) or name not in self._constants:
            raise Failure("ErrorException", f"cannot define function {name}; it already has a value")
        for method in methods:
            known.define(method)
        return known

    def _extension(self, header: Node, make: Callable[[Any], list[Method]], scope: Scope | None) -> Run:
        """`Module.name(x) = …`"""
        while isinstance(header, Tree) and header.head in ("::", "where"):
            header = header.args[0]
        callee = header.args[0] if isinstance(header, Tree) else header
        if not (isinstance(callee, Tree) and callee.head == "." and isinstance(callee.args[0], Name)):
            raise Unmodelled("a definition of what is called so")
        owner, name = callee.args[0].text, str(callee.args[1].value)  # type: ignore[union-attr]

        def define(env: Env) -> Value:
            known = _open(self._imports(owner).names, name)
            for method in make(env):
                known.define(method)
            return known

        return define

    def _do_lambda(self, node: Tree, scope: Scope | None) -> Run:
        params, body = node.args
        if isinstance(params, Tree) and params.head == "block":
            params = Tree("tuple", params.args)
        items = params.args if isinstance(params, Tree) and params.head == "tuple" else (params,)
        make = self._method(Tree("call", (Name("λ"), *items)), body, scope)

        def run(env: Env) -> Value:
            return Function("λ", make(env))

        return run

    def _method(self, header: Node, body: Node, scope: Scope | None) -> Callable[[Any], list[Method]]:
        """What makes the methods of a definition, once its environment is known."""
        result: Node | None = None
        variables: list[Node] = []
        while isinstance(header, Tree) and header.head in ("::", "where"):
            if header.head == "::":
                result = header.args[1]
            else:
                variables = [*header.args[1:], *variables]
            header = header.args[0]
        assert isinstance(header, Tree)
        types = inner(scope, (), {_variable_name(each) for each in variables}, True) if variables else scope
        binders = [(_variable_name(each), self._upper(each, scope)) for each in variables]
        nodes = [each.args[0] if isinstance(each, Tree) and each.head == "kw" else each for each in header.args[1:]]
        own = {name for each in nodes for name in _names(each)}
        inside = inner(types, (body,), own, True)
        params = self._parameters(header.args[1:], types, inside)
        run_body = self.compile(body, inside)
        convert_to = self.compile(result, types) if result is not None else None

        callee = header.args[0]
        again = callee.text if scope is None and isinstance(callee, Name) else ""

        def make(env: Env) -> list[Method]:
            around = env
            if variables:
                around = Env(env, {name for name, _ in binders})
                around.vars.update({name: Var(name, upper(env)) for name, upper in binders})
            wanted = [type_(around) for type_ in params.types]
            run = self._runner(params, inside, around, run_body, convert_to, again)
            optional = sum(default is not None for default in params.defaults)
            keywords = frozenset(each.name for each in params.named)
            return [
                Method(tuple(wanted[: len(wanted) - left]), run, params.variadic and not left, keywords)
                for left in range(optional + 1)
            ]

        return make

    def _upper(self, node: Node, scope: Scope | None) -> Run:
        if isinstance(node, Tree) and node.head == "call":
            return self.compile(node.args[2], scope)
        return lambda env: ANY

    def _parameters(self, nodes: tuple[Node, ...], scope: Scope | None, inside: Scope) -> Parameters:
        found = Parameters([], [], [], False, [])
        for node in nodes:
            default: Run | None = None
            if isinstance(node, Tree) and node.head == "kw" and len(node.args) > 2:
                found.named.append(self._named(node, scope, inside))
                continue
            if isinstance(node, Tree) and node.head == "kw":
                default, node = self.compile(node.args[1], inside), node.args[0]
            if isinstance(node, Tree) and node.head == "...":
                found, node = found._replace(variadic=True), node.args[0]
            type_: Run = lambda env: ANY  # noqa: E731
            if isinstance(node, Tree) and node.head == "::":
                type_, node = self.compile(node.args[1], scope), node.args[0]
            found.names.append(node)
            found.types.append(type_)
            found.defaults.append(default)
        return found

    def _named(self, node: Tree, scope: Scope | None, inside: Scope) -> Named:
        """A parameter behind the semicolon."""
        target, default = node.args[:2]
        needed = target is default
        type_: Run = lambda env: ANY  # noqa: E731
        if isinstance(target, Tree) and target.head == "::":
            type_, target = self.compile(target.args[1], scope), target.args[0]
        if not isinstance(target, Name):
            raise Unmodelled("a parameter of this form")
        return Named(target.text, target, type_, None if needed else self.compile(default, inside))

    def _runner(
        self, params: Parameters, inside: Scope, around: Any, body: Run, convert_to: Run | None, again: str
    ) -> Callable[..., Value]:
        """What a method does. Where arguments are left out it calls the function of the name ``again`` with all of
        them, if it has one."""
        binders = [self._binder(each, inside) for each in params.names]
        by_name = [(each, self._binder(each.node, inside)) for each in params.named]
        names = inside.names
        tick = self.machine.tick

        def run(*args: Value, **named: Value) -> Value:
            tick()
            env = Env(around, names)
            if params.variadic:
                fixed = len(binders) - 1
                args = (*args[:fixed], tuple(args[fixed:]))
            for bind, arg in zip(binders, args, strict=False):
                bind(env, arg)
            filled: list[Value] = []
            for position in range(len(args), len(binders)):
                default = params.defaults[position]
                assert default is not None
                filled.append(default(env))
                binders[position](env, filled[-1])
            if filled and again:
                return self.machine.call(self.read_global(again), *args, *filled, **named)
            for each, bind in by_name:
                if each.name in named:
                    given = named[each.name]
                elif each.default is not None:
                    given = each.default(env)
                else:
                    raise Failure("UndefKeywordError", f"keyword argument `{each.name}` not assigned")
                if not is_a(given, each.type(around)):
                    raise Failure("TypeError", f"in keyword argument {each.name}, got {type_of(given)}")
                bind(env, given)
            try:
                value = body(env)
            except Returned as left:
                value = left.value
            if convert_to is None:
                return value
            wanted = convert_to(around)
            if isinstance(wanted, Var):
                raise Unmodelled("a result of a type parameter")
            return convert(wanted, value)

        return run

    def _do_return(self, node: Tree, scope: Scope | None) -> Run:
        give = self.compile(node.args[0], scope)

        def run(env: Env) -> Value:
            raise Returned(give(env))

        return run

    # Loops and blocks with a scope of their own

    def _do_for(self, node: Tree, scope: Scope | None) -> Run:
        binding, body = node.args
        assert isinstance(binding, Tree)
        target, box = binding.args
        loop = inner(scope, (body,), set(_names(target)), False)
        over, bind, round_ = self.compile(box, scope), self._binder(target, loop), self.compile(body, loop)
        names, tick = loop.names, self.machine.tick

        def run(env: Env) -> Value:
            for each in elements(over(env)):
                tick()
                inside = Env(env, names)
                bind(inside, each)
                try:
                    round_(inside)
                except Continued:
                    continue
                except Broken:
                    break

        return run

    def _do_while(self, node: Tree, scope: Scope | None) -> Run:
        condition, body = node.args
        loop = inner(scope, (body,), set(), False)
        test, round_, tick = self.compile(condition, scope), self.compile(body, loop), self.machine.tick

        def run(env: Env) -> Value:
            while _truth(test(env)):
                tick()
                try:
                    round_(Env(env, loop.names))
                except Continued:
                    continue
                except Broken:
                    break

        return run

    def _do_let(self, node: Tree, scope: Scope | None) -> Run:
        """Each name is there for what is evaluated behind it, and not for what it is given."""
        body, *bindings = node.args
        steps, inside = [], scope
        for each in bindings:
            given = each.args[1] if isinstance(each, Tree) and each.head == "=" else None
            value = None if given is None else self.compile(given, inside)
            target = each.args[0] if given is not None else each
            inside = inner(inside, (), set(_names(target)), False)
            steps.append((value, self._binder(target, inside), inside.names))
        inside = inner(inside, (body,), set(), False)
        last = self.compile(body, inside)

        def run(env: Env) -> Value:
            for give, bind, names in steps:
                value, env = None if give is None else give(env), Env(env, names)
                if give is not None:
                    bind(env, value)
            return last(Env(env, inside.names))

        return run

    def _do_try(self, node: Tree, scope: Scope | None) -> Run:
        raise Unmodelled("`try`")

    def _do_break(self, node: Tree, scope: Scope | None) -> Run:
        def run(env: Env) -> Value:
            raise Broken

        return run

    def _do_continue(self, node: Tree, scope: Scope | None) -> Run:
        def run(env: Env) -> Value:
            raise Continued

        return run

    def _do_macrocall(self, node: Tree, scope: Scope | None) -> Run:
        name, *args = node.args
        assert isinstance(name, Name)
        if name.text == "kwdef" and isinstance(args[0], Tree) and args[0].head == "struct":
            return self._defining(args[0], by_name=True)
        if name.text in ("inline", "noinline", "inbounds", "simd", "views") and args:
            return self.compile(args[0], scope)
        if name.text in ("show", "info", "warn", "error", "debug") and f"@{name.text}" not in self.machine.main.names:
            return self._printed(name.text, [each for each in args if not _is_written(each)], scope)
        if name.text != "assert" or name.text in self.machine.main.names:
            raise Unmodelled(f"the macro `@{name.text}`")
        condition, *more = [each for each in args if not (isinstance(each, Tree) and each.head == "written")]
        test = self.compile(condition, scope)
        message = self.compile(more[0], scope) if more else None
        written = next(
            (each.args[0] for each in args if isinstance(each, Tree) and each.head == "written"), Literal("")
        )

        def run(env: Env) -> Value:
            if not _truth(test(env)):
                raise Failure("AssertionError", written.value if message is None else shown(message(env)))  # type: ignore[union-attr]

        return run

    def _printed(self, name: str, args: list[Node], scope: Scope | None) -> Run:
        """A macro that prints; what is named in it is no assignment, but for `@show`, which gives its last value."""
        named = name != "show"
        steps = [
            self.compile(
                each.args[-1] if named and isinstance(each, Tree) and each.head in ("=", "kw") else each, scope
            )
            for each in args
        ]

        def run(env: Env) -> Value:
            values = [step(env) for step in steps]
            self.machine.printed.append(f"{name}: {' '.join(map(shown, values))}")
            return None if named or not values else values[-1]

        return run

    # Modules

    def _do_module(self, node: Tree, scope: Scope | None) -> Run:
        name, body = node.args

        def run(env: Env) -> Value:
            assert isinstance(name, Name) and isinstance(body, Tree)
            module = Module(name.text, {})
            self.module.names[name.text] = module
            self.machine.modules[name.text] = module
            Compiler(self.machine, module)._statements(list(body.args))

        return run

    def _do_using(self, node: Tree, scope: Scope | None) -> Run:
        def run(env: Env) -> Value:
            for each in node.args:
                if isinstance(each, Literal):
                    self._use(str(each.value), node.head == "using")
                elif isinstance(each, Tree) and isinstance(each.args[1], Name):
                    self.module.names[each.args[1].text] = self._imports(str(each.args[0].value))  # type: ignore[union-attr]

        return run

    def _use(self, name: str, everything: bool) -> None:
        module = self._imports(name)
        self.module.names.setdefault(name.lstrip("."), module)
        if everything and not name.startswith("."):
            for each, value in module.names.items():
                if each not in self.module.names:
                    self.machine.base.setdefault(each, value)

    def _imports(self, name: str) -> Module:
        name = name.lstrip(".")
        if name in ("Base", "DiffPrivacyInference", "Main"):
            return Module(name, self.machine.base) if name != "Main" else self.machine.main
        if name not in self.machine.modules:
            raise Unmodelled(f"the package {name}")
        return self.machine.modules[name]

    def _do_names(self, node: Tree, scope: Scope | None) -> Run:
        extends = node.head.startswith("import")

        def run(env: Env) -> Value:
            module, *names = node.args
            owner = self._imports(str(module.value))  # type: ignore[union-attr]
            for each in names:
                taken = each.args[0] if isinstance(each, Tree) else each
                name = str(taken.value)  # type: ignore[union-attr]
                local = each.args[1].text if isinstance(each, Tree) and isinstance(each.args[1], Name) else name
                self._take_name(owner, name, local, extends)

        return run

    def _take_name(self, owner: Module, name: str, local: str, extends: bool) -> None:
        if name not in owner.names:
            raise Failure("UndefVarError", name)
        if local in self.module.names and not identical(self.module.names[local], owner.names[name]):
            raise Unmodelled("an import of a name that is there")  # a warning, and the old value stays
        value = owner.names[name]
        if extends and isinstance(value, Builtin) and value.signatures:
            value = _open(owner.names, name)
            self._constants.add(local)
        self.module.names[local] = value
        self._imported.add(local)


def _open(names: dict[str, Value], name: str) -> Function:
    known = names.get(name, UNDEFINED)
    if known is UNDEFINED:
        raise Failure("UndefVarError", name)
    if isinstance(known, Builtin):
        known = names[name] = extended(known)
    if not isinstance(known, Function):
        raise Failure("ErrorException", f"cannot define function {name}")
    return known


def vector(values: list[Value]) -> Array:
    """`[a, b]`: numbers are promoted to one type."""
    if not values:
        return Array(ANY, [])
    kinds = {type_of(each) for each in values}
    if len(kinds) > 1 and all(is_below(kind, NUMBER) for kind in kinds):
        found = type_of(values[0])
        for each in values[1:]:
            found = promoted(found, type_of(each))
        return Array(found, [wide(found, each) for each in values])
    return collected(values)


def _truth(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    raise Failure("TypeError", f"non-boolean ({type_of(value)}) used in boolean context")


def _parameter(value: Value) -> Parameter:
    if isinstance(value, Type | Below | Var | int):
        return value
    raise Unmodelled("a parameter of a type")


def _is_whole(node: Node | None) -> bool:
    if isinstance(node, Tree) and node.head == "call" and len(node.args) == 2 and node.args[0] == Name("-"):
        node = node.args[1]
    return isinstance(node, Literal) and isinstance(node.value, int) and not isinstance(node.value, bool)


def _is_written(node: Node) -> bool:
    return isinstance(node, Tree) and node.head == "written"


def _is_assignment(node: Node) -> bool:
    return isinstance(node, Tree) and node.head == "="


def _variable_name(node: Node) -> str:
    while isinstance(node, Tree):
        node = node.args[1] if node.head == "call" else node.args[0]
    return node.text if isinstance(node, Name) else ""


def _names(node: Node) -> list[str]:
    return [name for name in targets(node) if set(name) != {"_"}]


_MAKERS = {
    "&&": "and",
    "||": "or",
    "=": "assign",
    "->": "lambda",
    "::": "assert_type",
    "<:": "below",
    ".": "field",
    "using": "using",
    "import": "using",
    "using names": "names",
    "import names": "names",
}
