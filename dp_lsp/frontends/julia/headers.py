"""What an expression says when it turns out to be a header: names, parameters, annotations.

``f(x::T, y) = …`` is an expression up to the ``=``. So the builder keeps, beside each node that may be part of a
header, what it was made from; a node that never becomes part of one simply stays what it is.
"""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.frontends.julia.summary import extended
from dp_lsp.frontends.julia.tokens import LIMIT
from dp_lsp.surface import (
    Assign,
    Block,
    Call,
    Keyword,
    Name,
    Node,
    Number,
    Opaque,
    Parameter,
    Summary,
    TypeExpr,
)


class Arguments(NamedTuple):
    """What stands between the brackets of a call; ``after`` is what follows a semicolon."""

    plain: list[Node]
    after: list[Node]


class Typed(NamedTuple):
    """``value::annotation``; without a value for ``::annotation``."""

    value: Node | None
    annotation: Node


class Splat(NamedTuple):
    """``value...``"""

    value: Node


class Default(NamedTuple):
    """``x::T = value`` among arguments."""

    target: Node
    value: Node


class Upper(NamedTuple):
    """``<:value``"""

    value: Node


class Limited(NamedTuple):
    """``header where …``"""

    header: Node


class Field(NamedTuple):
    """``value.name``"""

    name: str


Made = Arguments | Typed | Splat | Default | Upper | Limited | Field | Block
"""A block is what stands between ``begin`` and ``end``, or in ``(a; b)``: it may turn out to be a body."""


class Header(NamedTuple):
    """The first part of a definition."""

    name: Name
    params: tuple[Parameter, ...]
    returns: TypeExpr | None


class Headers:
    """Reads headers out of nodes; ``made`` says what they were made from."""

    def __init__(self) -> None:
        self.text = ""
        self.made: dict[Node, Made] = {}
        self.opaques: dict[Opaque, None] = {}
        """The opaque nodes that may stand in the tree, in the order of their making."""

    def header(self, node: Node) -> Header | None:
        """The header of a function that an expression is, or None if it is none that can be followed."""
        made = self._take(node)
        returns = None
        if isinstance(made, Typed) and made.value is not None:
            node, returns = made.value, self.type(made.annotation)
            made = self._take(node)
        if not (isinstance(made, Arguments) and isinstance(node, Call) and isinstance(node.callee, Name)):
            return None
        params = self.params(made)
        return None if params is None else Header(node.callee, params, returns)

    def is_definition(self, node: Node) -> bool:
        """Whether ``node = …`` defines a method."""
        if isinstance(node, Call):
            return True  # `a + b = …` defines `+`
        made = self.made.get(node)
        if isinstance(made, Typed) and made.value is not None:
            return isinstance(made.value, Call)
        return isinstance(made, Limited)

    def defined(self, node: Node) -> Summary:
        """What a definition with this header gives another meaning."""
        while True:
            made = self.made.get(node)
            if isinstance(made, Limited):
                node = made.header
            elif isinstance(made, Typed) and made.value is not None:
                node = made.value
            elif isinstance(made, Field):
                return Summary(outside=frozenset((made.name,)), anything=extended(made.name))
            elif isinstance(node, Call):
                node = node.callee
                if isinstance(self.made.get(node), Typed):
                    return self.method_of(node)
            elif isinstance(node, Name | TypeExpr):
                return Summary(binds=frozenset((node.name,)))
            else:
                return Summary(anything="a definition whose name cannot be read off")

    def method_of(self, node: Node | None) -> Summary:
        """What a method of the objects of a type does, which is written ``x::T`` where the name of another one stands:
        calls of whatever has that type mean something else."""
        made = None if node is None else self.made.get(node)
        if isinstance(made, Typed) and isinstance(made.annotation, Name):
            return Summary(binds=frozenset((made.annotation.name,)))
        return Summary(anything="a method of an object")

    def params(self, arguments: Arguments) -> tuple[Parameter, ...] | None:
        """The parameters that arguments are in a header, or None if one is of another shape."""
        plain = [self._param(node, "plain") for node in arguments.plain]
        after = [self._param(node, "keyword") for node in arguments.after]
        found = [param for param in (*plain, *after) if param is not None]
        return tuple(found) if len(found) == len(plain) + len(after) else None

    def _param(self, node: Node, kind: str) -> Parameter | None:
        start, end = node.start, node.end
        if isinstance(node, Keyword):
            return Parameter(start, end, node.name, None, node.value, kind)
        made = self._take(node)
        default: Node | None = None
        annotation: TypeExpr | None = None
        if isinstance(node, Assign) and node.operator is None:
            made = Default(node.target, node.value)
        if isinstance(made, Default):
            default = made.value
            node = made.target
            made = self._take(node)
        elif isinstance(made, Splat):
            kind = "rest"
            node = made.value
            made = self._take(node)
        if isinstance(made, Typed):
            annotation = self.type(made.annotation)
            if made.value is None:
                return Parameter(start, end, "_", annotation, default, kind)
            node = made.value
        if not isinstance(node, Name):
            return None
        return Parameter(start, end, node.name, annotation, default, kind)

    def type(self, node: Node) -> TypeExpr:
        """An expression read as an annotation; what is none keeps its text as a name that nobody knows."""
        self._take(node)
        if isinstance(node, TypeExpr):
            return node
        if isinstance(node, Name):
            return TypeExpr(node.start, node.end, node.name)
        if isinstance(node, Call) and isinstance(node.callee, Name) and node.depth < LIMIT and not node.keywords:
            return TypeExpr(node.start, node.end, node.callee.name, self.type_args(node.args), "call")
        written = " ".join(self.text[node.start : node.end].split())
        return TypeExpr(node.start, node.end, written, (self._evaluated(node),))

    def _evaluated(self, node: Node) -> Opaque:
        """An expression where a type should stand: it is evaluated to have one."""
        if isinstance(node, Opaque) and node in self.opaques:
            return node
        kept = Opaque(node.start, node.end, "an annotation")
        self.opaques[kept] = None
        return kept

    def type_args(self, nodes: list[Node] | tuple[Node, ...]) -> tuple[Node, ...]:
        return tuple(self._type_arg(node) for node in nodes)

    def _type_arg(self, node: Node) -> Node:
        if isinstance(node, Number):
            return node
        made = self._take(node)
        if isinstance(made, Upper):
            bound = self.type(made.value)
            return TypeExpr(node.start, node.end, bound.name, bound.args, bound.form, upper=True)
        return self.type(node)

    def _take(self, node: Node) -> Made | None:
        """What a node was made from, when it becomes part of a header and does not stay itself."""
        made = self.made.get(node)
        if made is not None and isinstance(node, Opaque):
            self.opaques.pop(node, None)
        return made
