"""Two ways to run a program with gradients: as Julia does, with one object for all who stand for it, and as the core
calculus does, where every change makes a new version. They agree on every program that lowering does not refuse.

A gradient has one entry. Only what the programs of ``test_ownership`` use is understood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dp_lsp import surface as s
from dp_lsp.core import term


class Gradient:
    """An object that holds an array, which can be changed."""

    def __init__(self, array: list[float]) -> None:
        self.array = array

    @property
    def entry(self) -> float:
        """What the array holds."""
        return self.array[0]


def frozen(value: Any) -> Any:
    """What a value is now, whoever changes it later."""
    if isinstance(value, Gradient):
        return ("gradient", value.entry)
    return tuple(map(frozen, value)) if isinstance(value, tuple) else value


def thawed(value: Any) -> Any:
    """A value that can be changed, made of one that cannot."""
    if isinstance(value, tuple) and value[:1] == ("gradient",):
        return Gradient([value[1]])
    return tuple(map(thawed, value)) if isinstance(value, tuple) else value


# As Julia does


class Frame:
    """The variables of a function, or of a round of a loop, and those around it."""

    def __init__(self, names: set[str], outer: Frame | None) -> None:
        self.values: dict[str, Any] = {}
        self.names = names
        self.outer = outer

    def of(self, name: str) -> Frame | None:
        frame: Frame | None = self
        while frame is not None and name not in frame.names:
            frame = frame.outer
        return frame


class Undefined(Exception):
    """A variable is read that has no value."""


class Left(Exception):
    """A function is left with a value."""

    def __init__(self, value: Any) -> None:
        self.value = value


def assigned(node: s.Node) -> set[str]:
    """The names that statements of one scope assign."""
    match node:
        case s.Block(statements=statements):
            return set().union(*map(assigned, statements))
        case s.If(then=then, otherwise=otherwise):
            return assigned(then) | (assigned(otherwise) if otherwise is not None else set())
        case s.Assign(target=target):
            names = target.items if isinstance(target, s.Tuple) else (target,)
            return {name.name for name in names if isinstance(name, s.Name)}
        case s.Function(name=name):
            return {name.name}
    return set()


class Imperative:
    """Runs surface trees."""

    def __init__(self, nodes: tuple[s.Node, ...]) -> None:
        self.top = Frame(set(), None)
        for node in nodes:
            assert isinstance(node, s.Function)
            self.top.names.add(node.name.name)
            self.top.values[node.name.name] = self.function(node.params, node.body, self.top)

    def call(self, name: str, *args: Any) -> Any:
        return self.top.values[name](*args)

    def function(self, params: tuple[s.Parameter, ...], body: s.Node, outer: Frame) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            names = {param.name for param in params}
            local = {name for name in assigned(body) if outer.of(name) in (None, self.top)}
            frame = Frame(names | local, outer)
            frame.values.update(zip((param.name for param in params), args, strict=True))
            try:
                return self.block(body, frame)
            except Left as left:
                return left.value

        return run

    def block(self, node: s.Node, frame: Frame) -> Any:
        assert isinstance(node, s.Block)
        value = None
        for statement in node.statements:
            value = self.value(statement, frame)
        return value

    def value(self, node: s.Node, frame: Frame) -> Any:
        match node:
            case s.Number(value=value):
                return float(value)
            case s.Name(name=name):
                found = frame.of(name)
                if found is None or name not in found.values:
                    raise Undefined(name)
                return found.values[name]
            case s.Tuple(items=items):
                return tuple([self.value(item, frame) for item in items])
            case s.Lambda(params=params, body=body):
                return self.function(params, body, frame)
            case s.Function(name=name, params=params, body=body):
                return self.assign(name, self.function(params, body, frame), frame)
            case s.Return(value=value):
                raise Left(None if value is None else self.value(value, frame))
            case s.Assign(target=target, value=value):
                return self.assign(target, self.value(value, frame), frame)
            case s.If(condition=condition, then=then, otherwise=otherwise):
                side = then if self.value(condition, frame) else otherwise
                return None if side is None else self.block(side, frame)
            case s.For(target=s.Name(name=index), iterable=s.Range(last=last), body=body):
                for number in range(1, int(self.value(last, frame)) + 1):
                    inside = Frame({index, *(n for n in assigned(body) if frame.of(n) in (None, self.top))}, frame)
                    inside.values[index] = float(number)
                    self.block(body, inside)
                return None
            case s.Call(callee=callee, args=args):
                given = [self.value(arg, frame) for arg in args]
                if isinstance(callee, s.Name) and frame.of(callee.name) is None:
                    return self.builtin(callee.name, given)
                return self.value(callee, frame)(*given)
        raise NotImplementedError(type(node))

    def assign(self, target: s.Node, value: Any, frame: Frame) -> Any:
        if isinstance(target, s.Tuple):
            for item, part in zip(target.items, value, strict=True):
                self.assign(item, part, frame)
        else:
            assert isinstance(target, s.Name)
            found = frame.of(target.name)
            assert found is not None
            found.values[target.name] = value
        return value

    def builtin(self, name: str, args: list[Any]) -> Any:
        match name, args:
            case "clone", [Gradient() as g]:
                return Gradient(g.array)
            case "deepcopy", [Gradient() as g]:
                return Gradient([g.entry])
            case "sum_gradients", [Gradient() as g, Gradient() as h]:
                return Gradient([g.entry + h.entry])
            case "scale_gradient!", [factor, Gradient() as g]:
                g.array[0] *= factor
                return None
            case "+", [x, y]:
                return x + y
            case ">", [x, y]:
                return x > y
        raise NotImplementedError(name, args)


# As the core does


@dataclass
class Functional:
    """Runs core terms."""

    methods: dict[str, term.Method]
    values: dict[term.Local, Any] = field(default_factory=dict)

    def call(self, method: term.Method, args: list[Any], around: dict[term.Local, Any]) -> Any:
        values = {**around, **{param.local: arg for param, arg in zip(method.params, args, strict=True)}}
        assert method.body is not None
        return Functional(self.methods, values).body(method.body)

    def body(self, body: term.Body) -> Any:
        for bind in body.binds:
            value = self.value(bind.term)
            if len(bind.targets) == 1 and not isinstance(bind.term, term.Loop):
                self.values[bind.targets[0]] = value
            elif bind.targets:
                self.values.update(zip(bind.targets, value, strict=True))
        return self.value(body.result)

    def value(self, node: term.Term) -> Any:
        match node:
            case term.Literal(value=value):
                return float(value)
            case term.Use(local=local):
                return self.values[local]
            case term.Global(name=name):
                return lambda *args: self.call(self.methods[name], list(args), {})
            case term.MakeTuple(items=items):
                return tuple([self.value(item) for item in items])
            case term.Closure(methods=(method,)):
                around = dict(self.values)
                return lambda *args: self.call(method, list(args), around)
            case term.Apply(function=function, args=args):
                return self.value(function)(*[self.value(arg) for arg in args])
            case term.Branch(condition=condition, then=then, otherwise=otherwise):
                return self.body(then if self.value(condition) else otherwise)
            case term.Loop():
                carried = tuple(self.value(start) for _, start in node.carried)
                for number in range(1, int(self.value(node.last)) + 1):
                    self.values[node.index] = float(number)
                    self.values.update(zip((local for local, _ in node.carried), carried, strict=True))
                    carried = self.body(node.body)
                return carried
            case term.Call(builtin=name, args=args):
                return self.builtin(name, [self.value(arg) for arg in args])
        raise NotImplementedError(type(node))

    def builtin(self, name: str, args: list[Any]) -> Any:
        match name, args:
            case "clone" | "deepcopy", [g]:
                return g
            case "sum_gradients", [(_, g), (_, h)]:
                return ("gradient", g + h)
            case "scale_gradient", [factor, (_, g)]:
                return ("gradient", factor * g)
            case "+", [x, y]:
                return x + y
            case ">", [x, y]:
                return x > y
        raise NotImplementedError(name, args)
