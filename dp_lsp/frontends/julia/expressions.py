"""What the parser calls when it has read an expression: a surface node, made while it runs.

What an expression says when it turns out to be a header: names, parameters, annotations.

``f(x::T, y) = …`` is an expression up to the ``=``. So the builder keeps, beside each node that may be part of a
header, what it was made from; a node that never becomes part of one simply stays what it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dp_lsp.frontends.julia import outline
from dp_lsp.frontends.julia.strings import string_value
from dp_lsp.frontends.julia.summary import extended, summary
from dp_lsp.frontends.julia.tokens import LIMIT, UNCHECKED, Ready, Token
from dp_lsp.frontends.julia.vocabulary import APPLYING, COMPOSING, KEYED, RESERVED
from dp_lsp.frontends.rounds import Rounds, WhileLoop, as_rounds
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.surface import (
    FIELD,
    OPERATORS,
    SEEDING,
    SPLAT,
    Added,
    Assign,
    Block,
    Boolean,
    Broadcast,
    Call,
    Field,
    If,
    Index,
    Keyword,
    Lambda,
    Name,
    Node,
    Number,
    Opaque,
    Parameter,
    Range,
    Splat,
    Summary,
    Text,
    Tuple,
    TypeExpr,
    Vector,
    Whole,
    key_name,
)
from dp_lsp.text import Span


class Arguments(NamedTuple):
    """What stands between the brackets of a call; ``after`` is what follows a semicolon."""

    plain: list[Node]
    after: list[Node]


class _Typed(NamedTuple):
    """``value::annotation``; without a value for ``::annotation``."""

    value: Node | None
    annotation: Node


class _Splat(NamedTuple):
    """``value...``"""

    value: Node


class _Default(NamedTuple):
    """``x::T = value`` among arguments."""

    target: Node
    value: Node


class _Upper(NamedTuple):
    """``<:value``"""

    value: Node


class Limited(NamedTuple):
    """``header where …``, with what stands behind that: names, and bounds of them."""

    header: Node
    limits: tuple[Node, ...]


class _Bounded(NamedTuple):
    """``value <: bound``"""

    value: Node
    bound: Node


class _Pair(NamedTuple):
    """``key => value``"""

    key: Node
    value: Node


class _Field(NamedTuple):
    """``value.name``"""

    name: str


_Made = (
    Arguments | _Typed | _Splat | _Default | _Upper | Limited | _Bounded | _Pair | _Field | Block | WhileLoop | Rounds
)
"""A block is what stands between ``begin`` and ``end``, or in ``(a; b)``: it may turn out to be a body."""


class _Header(NamedTuple):
    """The first part of a definition."""

    name: Name
    params: tuple[Parameter, ...]
    returns: TypeExpr | None


class _Headers:
    """Reads headers out of nodes; ``made`` says what they were made from."""

    def __init__(self) -> None:
        self.text = ""
        self.tokens: Sequence[Token] = ()
        self.made: dict[Node, _Made] = {}
        self.signs: dict[Node, str] = {}
        """The signs of operations that have no meaning for the checker."""
        self.opaques: dict[Opaque, None] = {}
        """The opaque nodes that may stand in the tree, in the order of their making."""

    def header(self, node: Node, end: int) -> _Header | None:
        """The header of a function that an expression is and that ends there, or None if it is none that can be
        followed."""
        start = node.start
        made = self._take(node)
        returns, variables = None, list[Node]()
        while isinstance(made, Limited):
            variables += made.limits
            node = made.header
            made = self._take(node)
        if isinstance(made, _Typed) and made.value is not None:
            node, returns = made.value, self.type(made.annotation)
            made = self._take(node)
        if not (isinstance(made, Arguments) and isinstance(node, Call) and isinstance(node.callee, Name)):
            return None
        params = self.params(made)
        for variable in variables:
            params = None if params is None else self._without_variable(params, variable, start, end)
        return None if params is None else _Header(node.callee, params, returns)

    def _without_variable(
        self, params: tuple[Parameter, ...], limit: Node, start: int, end: int
    ) -> tuple[Parameter, ...] | None:
        """Parameters without a variable of types that stands in annotations of them, and nowhere else: ``x::T`` with
        ``T <: Real`` is ``x::Real``, and ``x::Vector{T}`` is ``x::Vector{<:Real}``. None if it is used in another way.
        Where it stands in several, each takes some of such values: those whose type fits the others.

        Source: the Julia manual, "UnionAll Types" and "Methods", "Parametric Methods"."""
        made = self.made.get(limit)
        variable, bound = (made.value, made.bound) if isinstance(made, _Bounded) else (limit, None)
        if not isinstance(variable, Name) or not isinstance(bound, Name | None) or variable.name in RESERVED:
            return None
        count = self._mentioned(variable.name, start, end) - 1  # where it is introduced
        shared = variable.name if count > 1 else ""
        found = [self._bounded(param, variable.name, bound, shared) for param in params]
        changed = sum(new is not param for new, param in zip(found, params, strict=True))
        return tuple(found) if changed == count > 0 else None

    def _bounded(self, param: Parameter, variable: str, bound: Name | None, shared: str) -> Parameter:
        """A parameter with the bound of a variable in its place; the same if that does not stand there once. One that
        is ``shared`` by others keeps its name."""
        old = param.annotation
        if old is None or param.kind != "plain" or param.default is not None:
            return param
        new = None
        if old.form == "name" and old.name == variable:
            place = old if bound is None else bound
            shown = "Any" if bound is None else bound.name
            new = TypeExpr(place.start, place.end, shown, written=shown, variable=shared)
        elif old.form == "braces" and [arg for arg in old.args if _is_named(arg, variable)]:
            new = self._braced(old, variable, bound, shared)
        return param if new is None else Parameter(param.start, param.end, param.name, new, None, param.kind)

    def _braced(self, old: TypeExpr, variable: str, bound: Name | None, shared: str) -> TypeExpr:
        """``Vector{T}`` with the bound of a variable in its place."""
        upper = "Any" if bound is None else bound.name
        args = [TypeExpr(a.start, a.end, upper, upper=True) if _is_named(a, variable) else a for a in old.args]
        if bound is None and len(args) == 1:
            return TypeExpr(old.start, old.end, old.name, written=old.name, variable=shared or old.variable)
        given = old.written or self.text[old.start : old.end]
        shown = f"{old.name}{{<:{upper}}}" if len(args) == 1 else given
        return TypeExpr(
            old.start, old.end, old.name, tuple(args), "braces", written=shown, variable=shared or old.variable
        )

    def _mentioned(self, name: str, start: int, end: int) -> int:
        """How often a name stands in a piece of the text."""
        count = 0
        for token in self.tokens:
            if not start <= token.start < end:
                continue
            count += token.type == "NAME" and token.value == name
            if isinstance(token, Ready) and isinstance(token.node, Opaque):
                count += 2 * (name in token.node.summary.mentions)
        return count

    def is_definition(self, node: Node) -> bool:
        """Whether ``node = …`` defines a method."""
        if isinstance(node, Call):
            return True  # `a + b = …` defines `+`
        made = self.made.get(node)
        if isinstance(made, _Typed) and made.value is not None:
            return isinstance(made.value, Call)
        return isinstance(made, Limited) or node in self.signs

    def defined(self, node: Node) -> Summary:
        """What a definition with this header gives another meaning."""
        bounds: dict[str, str] | None = {}
        types = frozenset[str]()
        while True:
            made = self.made.get(node)
            if isinstance(made, Limited):
                bounds = self._bounds(made.limits, bounds)
                node = made.header
            elif isinstance(made, _Typed) and made.value is not None:
                node = made.value
            elif isinstance(made, _Field):
                if not extended(made.name):
                    return Summary(outside=frozenset((made.name,)))
                return Summary(methods=frozenset((Added(made.name, True, types),)))
            elif node in self.signs:
                return Summary(binds=frozenset((self.signs[node],)))
            elif isinstance(node, Call):
                types = frozenset() if bounds is None else self._needed(node, bounds)
                node = node.callee
                if isinstance(self.made.get(node), _Typed):
                    return self.method_of(node)
            elif isinstance(node, Name | TypeExpr):
                return Summary(binds=frozenset((node.name,)), methods=frozenset((Added(node.name, False, types),)))
            else:
                return Summary(anything="a definition whose name cannot be read off")

    def _bounds(self, limits: Sequence[Node], around: dict[str, str] | None) -> dict[str, str] | None:
        """Variables of types, and the names of what they are bounded by, empty where these are not known; None where
        the variables are not. Those ``around`` stand before them, and bound nothing that is known."""
        found = None if around is None else dict.fromkeys(around, "")
        for limit in limits:
            made = self.made.get(limit)
            variable, bound = (made.value, made.bound) if isinstance(made, _Bounded) else (limit, None)
            if found is None or not isinstance(variable, Name):
                return None
            found[variable.name] = "" if bound is None else _type_name(bound, found)
        return found

    def _needed(self, call: Call, bounds: dict[str, str]) -> frozenset[str]:
        """The types of the parameters that each call must give, as far as they have names."""
        made = self.made.get(call)
        typed = map(self.made.get, made.plain) if isinstance(made, Arguments) else ()
        found = (_type_name(each.annotation, bounds) for each in typed if isinstance(each, _Typed))
        return frozenset(filter(None, found))

    def method_of(self, node: Node | None) -> Summary:
        """What a method of the objects of a type does, which is written ``x::T`` where the name of another one stands:
        calls of whatever has that type mean something else."""
        made = None if node is None else self.made.get(node)
        name = _type_name(made.annotation, {}) if isinstance(made, _Typed) else ""
        if name:
            return Summary(binds=frozenset((name,)))
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
            made = _Default(node.target, node.value)
        if isinstance(made, _Default):
            default = made.value
            node = made.target
            made = self._take(node)
        elif isinstance(made, _Splat):
            kind = "rest"
            node = made.value
            made = self._take(node)
        if isinstance(made, _Typed):
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
        if isinstance(made, _Upper):
            bound = self.type(made.value)
            return TypeExpr(node.start, node.end, bound.name, bound.args, bound.form, upper=True)
        return self.type(node)

    def _take(self, node: Node) -> _Made | None:
        """What a node was made from, when it becomes part of a header and does not stay itself."""
        made = self.made.get(node)
        if made is not None and isinstance(node, Opaque):
            self.opaques.pop(node, None)
        return made


def _is_named(node: Node, name: str) -> bool:
    """Whether a type is written as this name alone."""
    return isinstance(node, TypeExpr) and (node.name, node.form, node.upper) == (name, "name", False)


_BY_ENTRY = {".&": "&&", ".|": "||"}
"""Operations on truth values that are the same, entry by entry, as those that ask for the second one only if need
be: asking for it changes nothing."""


def _is_constant(node: Node) -> bool:
    """Whether a node is a number or a truth value, as it is written."""
    if isinstance(node, Call) and isinstance(node.callee, Name) and node.callee.name == "-" and len(node.args) == 1:
        node = node.args[0]
    return isinstance(node, Number | Boolean)


def _read_in_functions(node: Node) -> set[str]:
    """The names that stand in the functions that are written in a node."""
    found: set[str] = set()
    pending = [(node, False)]
    while pending:
        item, inside = pending.pop()
        inside |= isinstance(item, Lambda)
        if inside and isinstance(item, Name):
            found.add(item.name)
        pending += ((child, inside) for child in item.children)
    return found


def _type_name(annotation: Node, bounds: dict[str, str]) -> str:
    """The name of a type that every argument has for which an annotation stands; empty where that cannot be read off.
    What stands for ``Type{T}`` is a type within T."""
    if isinstance(annotation, Name):
        return bounds.get(annotation.name, annotation.name)
    if not isinstance(annotation, TypeExpr) or annotation.form == "call":
        return ""
    if annotation.name == "Type":
        (inner,) = annotation.args if len(annotation.args) == 1 else (None,)
        return _type_name(inner, bounds) if inner is not None else ""
    return bounds.get(annotation.name, annotation.name)


_fraction = lru_cache(maxsize=4096)(Fraction)


class Evaluated(NamedTuple):
    """What an opaque node does besides what its parts do: those that are evaluated where it stands, as from where to
    where, and those that are ``later``, where it is called."""

    does: Summary
    now: tuple[tuple[int, int], ...]
    later: tuple[tuple[int, int], ...] = ()

    @classmethod
    def definition(cls, node: Node, does: Summary, header: int) -> Evaluated:
        """A definition that is not understood; its header ends there."""
        return cls(does, ((node.start, header),), ((header, node.end),))


class ExpressionBuilder(_Headers):
    """The callbacks for expressions; ``begin`` comes before a parse and ``finish`` after it.

    A node's place leaves out the parentheses around it; a node made of it includes them.
    """

    def begin(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.made = {}
        self.signs = {}
        self.opaques = {}
        self.around: dict[Node, Span] = {}
        self.known: dict[Node, Evaluated] = {}
        self.problems: list[Problem] = []

    def finish(self) -> None:
        """Say of each opaque node what it may do."""
        self._starts = [token.start for token in self.tokens]
        end = -1
        # One inside another is not in the tree: opaque nodes have no children.
        for node in sorted(self.opaques, key=lambda node: (node.start, -node.end)):
            if node.end <= end:
                continue
            end = node.end
            inside = self._between(node.start, end)
            known = self.known.get(node)
            node.summary = summary(inside) if known is None else self._known(known)
            node.broken = node.broken or any(map(outline.is_left_out, inside))

    def _between(self, start: int, end: int) -> Sequence[Token]:
        """The tokens that begin there."""
        return self.tokens[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _known(self, known: Evaluated) -> Summary:
        """What a node may do of which it is known how it is evaluated."""
        now = ([token for token in self._between(*part) if token.type != "FUNCTION"] for part in known.now)
        later = (summary(self._between(*part)).inside() for part in known.later)
        return known.does.joined(*map(summary, now), *later)

    def _start(self, child: Node | Token) -> int:
        if self.around and isinstance(child, Node) and child in self.around:
            return self.around[child].start
        return child.start

    def _end(self, child: Node | Token) -> int:
        if self.around and isinstance(child, Node) and child in self.around:
            return self.around[child].end
        return child.end

    def _opaque(self, children: list[Any], what: str, made: _Made | None = None) -> Opaque:
        first, last = self._ends(children)
        node = Opaque(self._start(first), self._end(last), what)
        self.opaques[node] = None
        if made is not None:
            self.made[node] = made
        return node

    def _ends(self, children: list[Any]) -> tuple[Node | Token, Node | Token]:
        placed = [child for child in children if isinstance(child, Node | Token)]
        return placed[0], placed[-1]

    def _call(self, operator: Token | Name, args: Sequence[Node]) -> Node:
        """The call of an operator, unless it has no meaning for the checker."""
        start = min(self._start(args[0]), operator.start)
        end = self._end(args[-1])
        symbol = operator.value if isinstance(operator, Token) else operator.name
        if symbol == APPLYING:
            return self._applied(start, end, *args)
        if symbol == COMPOSING and (composed := self._composed(start, end, *args)) is not None:
            return composed
        if symbol in OPERATORS:
            return Call(start, end, Name(operator.start, operator.end, symbol), tuple(args))
        if symbol[0] == "." and symbol != "..":
            return self._dotted(operator, symbol, args)
        what = f"the operator `{symbol}`"
        made = _Bounded(*args) if symbol == "<:" and len(args) == 2 else None
        node = self._opaque([operator if start == operator.start else args[0], args[-1]], what, made)
        self.signs[node] = symbol
        return node

    def _applied(self, start: int, end: int, value: Node, function: Node) -> Node:
        """``value |> function``, which is the call of the function. Source: the Julia manual, "Function composition and
        piping"."""
        node = Call(start, end, function, (value,))
        self.signs[node] = APPLYING
        return node

    def _composed(self, start: int, end: int, outer: Node, inner: Node) -> Node | None:
        """``outer ∘ inner``, the function that gives what the inner one makes to the outer one: it takes what the inner
        one does, which of a function with a name is taken to be one value. None where it is not written which functions
        these are: what has them as values is evaluated once. Source: the Julia manual, "Function composition and
        piping"."""
        if not all(isinstance(function, Name | Lambda) for function in (outer, inner)):
            return None
        written = inner.params if isinstance(inner, Lambda) else (Name(inner.start, inner.start, ""),)
        params = tuple(Parameter(start, start, f"x{place} ({start})") for place, _ in enumerate(written, 1))
        given = tuple(Name(param.start, param.start, param.name) for param in params)
        body = Call(start, end, outer, (Call(self._start(inner), self._end(inner), inner, given),))
        node = Lambda(start, end, params, Block(start, end, (body,)))
        self.signs[node] = COMPOSING
        return node

    def _dotted(self, operator: Token | Name, symbol: str, args: Sequence[Node]) -> Node:
        """An operation with a dot, if the one without has a meaning for the checker."""
        first, last = args[0], args[-1]
        sign = _BY_ENTRY.get(symbol, symbol[1:])
        callee: Node | None = Name(operator.start, operator.end, sign) if sign in OPERATORS else None
        if sign == APPLYING:
            callee, args = last, (first,)
        start = min(self._start(first), operator.start)
        made = None if callee is None else self._broadcast(start, self._end(last), callee, args)
        return made or self._opaque([operator if start == operator.start else first, last], "a broadcast")

    def _broadcast(
        self, start: int, end: int, callee: Node, args: Sequence[Node], keywords: tuple[Keyword, ...] = ()
    ) -> Broadcast | None:
        """The call of a function on the entries of what it is given; what is broadcast in an argument is done together
        with it, entry by entry. None where it is not known what is called.

        Source: the Julia manual, "Dot syntax for vectorizing functions"."""
        plain = all(_is_constant(keyword.value) for keyword in keywords)
        if not isinstance(callee, Name | Lambda) or not plain or any(isinstance(arg, Keyword) for arg in args):
            return None
        over: dict[str, Node] = {}
        entries: list[Node] = []
        for arg in args:
            if isinstance(arg, Broadcast):
                entries.append(arg.each)
                over |= zip(arg.names, arg.over, strict=True)
            elif _is_constant(arg) or isinstance(arg, Lambda):
                entries.append(arg)
            else:
                name = arg.name if isinstance(arg, Name) else f"{self.text[arg.start : arg.end]} ({arg.start})"
                over[name] = arg
                entries.append(Name(arg.start, arg.end, name))
        each = Call(start, end, callee, tuple(entries), keywords)
        if over.keys() & _read_in_functions(each):  # there the name is that of the whole
            return None
        return Broadcast(start, end, each, tuple(over), tuple(over.values()))

    def _block(self, nodes: list[Node], at: int) -> Block:
        start, end = (self._start(nodes[0]), self._end(nodes[-1])) if nodes else (at, at)
        if any(isinstance(self.made.get(node), WhileLoop | Rounds) for node in nodes):
            nodes = self._in_rounds(nodes)
        return Block(start, end, tuple(nodes))

    def _in_rounds(self, nodes: list[Node]) -> list[Node]:
        """Statements, with loops that are left early, or go on as long as a condition holds, as what does the same."""
        found: list[Node] = []
        for place, node in enumerate(nodes):
            made = self.made.get(node)
            if isinstance(made, WhileLoop):
                made = as_rounds(made, found, is_last=place == len(nodes) - 1)
                if made is not None:
                    self._take(node)
            found += made.statements if isinstance(made, Rounds) else (node,)
        return found

    def _body(self, value: Node) -> Block:
        """What is one expression, or the statements of a block, as a block."""
        block = self._take(value)
        statements = block.statements if isinstance(block, Block) else (value,)
        return Block(self._start(value), self._end(value), statements)

    # Operators

    def bare_tuple(self, children: list[Any]) -> Node:
        items = [child for child in children if isinstance(child, Node)]
        return Tuple(self._start(items[0]), self._end(items[-1]), tuple(items))

    def splat(self, children: list[Any]) -> Node:
        value, dots = children[0], children[-1]
        if not isinstance(value, Name) or value in self.around:
            return self._opaque(children, SPLAT, _Splat(value))
        node = Splat(value.start, dots.end, value)
        self.opaques[node] = None
        self.made[node] = _Splat(value)
        return node

    def couple(self, children: list[Any]) -> Node:
        key, mark, value = children
        return self._opaque(children, "a pair", _Pair(key, value) if mark.value == "=>" else None)

    def ternary(self, children: list[Any]) -> Node:
        condition, _, then, _, otherwise = children
        blocks = [self._body(node) for node in (then, otherwise)]
        return If(self._start(condition), self._end(otherwise), condition, *blocks)

    def lazy(self, children: list[Any]) -> Node:
        return self.binary(children)

    def binary(self, children: list[Any]) -> Node:
        left, operator, right = children
        return self._call(operator, (left, right))

    def chain(self, children: list[Any]) -> Node:
        links = []
        for index in range(0, len(children) - 2, 2):
            links.append(self.binary(children[index : index + 3]))
        node = links.pop()
        while links:
            left = links.pop()
            # The sign stands where two comparisons meet: on the operand that both share.
            dots = "." if isinstance(left, Broadcast) or isinstance(node, Broadcast) else ""
            node = self._call(Name(left.end, left.end, dots + "&&"), (left, node))
        return node

    def flat(self, children: list[Any]) -> Node:
        first = children[0]
        args: list[Node] = [first]
        operator: Token | None = None
        for index in range(1, len(children), 2):
            sign, operand = children[index : index + 2]
            if operator is not None and not (sign.value == operator.value and sign.value in ("+", "*")):
                args = [self._call(operator, args)]
            if len(args) == 1:
                operator = sign
            args.append(operand)
        assert operator is not None
        return self._call(operator, args)

    def juxtaposed(self, children: list[Any]) -> Node:
        sign = children[1]
        return self._call(
            Name(sign.start, sign.start, sign.value or "*"), [node for node in children if isinstance(node, Node)]
        )

    def range(self, children: list[Any]) -> Node:
        nodes = [child for child in children if isinstance(child, Node)]
        step = nodes[1] if len(nodes) == 3 else None
        return Range(self._start(nodes[0]), self._end(nodes[-1]), nodes[0], step, nodes[-1])

    def prefix(self, children: list[Any]) -> Node:
        sign, value = children
        if sign.type == "SUBTYPE":
            return self._opaque(children, "a bound of a type", _Upper(value))
        if isinstance(value, Tuple) and value.start == sign.end:
            call = Call(sign.start, value.end, Name(sign.start, sign.end, sign.value), value.items)
            self.made[call] = Arguments(list(value.items), [])
            return call
        return self._call(sign, (value,))

    def typed(self, children: list[Any]) -> Node:
        value, _, annotation = children
        node = self._opaque(children, "a type annotation", _Typed(value, annotation))
        if isinstance(value, Name):
            self.known[node] = Evaluated(Summary(binds=frozenset((value.name,))), ((node.start, node.end),))
        return node

    def unnamed(self, children: list[Any]) -> Node:
        annotation = children[1]
        return self._opaque(children, "a type annotation", _Typed(None, annotation))

    def where(self, children: list[Any]) -> Node:
        header, _, *written = children
        limits = next((each.plain for each in written if isinstance(each, Arguments)), None)
        if limits is None:
            nodes = [each for each in written if isinstance(each, Node)]
            limits = nodes if len(nodes) == 1 else [self._call(written[1], nodes)]
        return self._opaque(children, "a `where` clause", Limited(header, tuple(limits)))

    # Calls, brackets and names

    def args(self, children: list[Any]) -> Arguments:
        found = Arguments([], [])
        into = found.plain
        for child in children:
            if isinstance(child, Token) and child.type == "SEMI":
                into = found.after
            elif isinstance(child, Node):
                into.append(child)
        return found

    def call(self, children: list[Any]) -> Node:
        callee, _, arguments, closer = children
        if isinstance(callee, Name) and callee.name == KEYED and not arguments.after:
            made = self._keyed(callee, arguments.plain, closer.end)
            if made is not None:
                return made
        after = [
            Keyword(node.start, node.end, node.name, node) if isinstance(node, Name) else node
            for node in arguments.after
        ]
        given = [*arguments.plain, *after]
        args = tuple(node for node in given if not isinstance(node, Keyword))
        keywords = tuple(node for node in given if isinstance(node, Keyword))
        node = Call(self._start(callee), closer.end, callee, args, keywords)
        self.made[node] = Arguments(arguments.plain, arguments.after)
        return node

    def _keyed(self, callee: Name, items: list[Node], end: int) -> Tuple | None:
        """``Dict("a" => x, …)``: values by texts, each of them another one; None for anything else."""
        pairs = [pair for pair in map(self.made.get, items) if isinstance(pair, _Pair)]
        keys = [pair.key.value for pair in pairs if isinstance(pair.key, Text)]
        if not items or not len(items) == len(pairs) == len(keys) == len(set(keys)):
            return None
        for item in items:
            self._take(item)
        names = tuple(map(key_name, keys))
        return Tuple(callee.start, end, tuple(pair.value for pair in pairs), names, callee)

    def keyword(self, children: list[Any]) -> Node:
        target, _, value = children
        if isinstance(target, Name):
            return Keyword(target.start, self._end(value), target.name, value)
        return self._opaque(children, "a default value", _Default(target, value))

    def index(self, children: list[Any]) -> Node:
        value, opener, arguments, closer = children
        unchecked = opener.value == UNCHECKED
        return Index(self._start(value), closer.end, value, tuple(arguments.plain), unchecked)

    def vector(self, children: list[Any]) -> Node:
        opener, arguments, closer = children
        return Vector(opener.start, closer.end, tuple(arguments.plain))

    def whole(self, children: list[Any]) -> Node:
        return Whole(children[0].start, children[0].end)

    def curly(self, children: list[Any]) -> Node:
        name, _, arguments, closer = children
        start = self._start(name)
        shown = name.name if isinstance(name, Name) else self.text[start : name.end]
        args = self.type_args(arguments.plain)
        if not isinstance(name, Name):
            args = (self._evaluated(name), *args)
        return TypeExpr(start, closer.end, shown, args, "braces")

    def broadcast(self, children: list[Any]) -> Node:
        callee, _, arguments, closer = children
        given = [*arguments.plain, *arguments.after]
        keywords = tuple(node for node in given if isinstance(node, Keyword))
        args = [node for node in arguments.plain if not isinstance(node, Keyword)]
        known = len(args) + len(keywords) == len(given)
        made = self._broadcast(self._start(callee), closer.end, callee, args, keywords) if known and args else None
        return made or self._opaque(children, "a broadcast")

    def field(self, children: list[Any]) -> Node:
        value, _, name = children
        if isinstance(value, Name) and name.value != "seed!" and value not in self.around:
            node = Field(value.start, name.end, value, name.value)
            self.opaques[node] = None
            self.made[node] = _Field(name.value)
            return node
        what = SEEDING if name.value == "seed!" else FIELD
        return self._opaque(children, what, _Field(name.value))

    def adjoint(self, children: list[Any]) -> Node:
        value, mark = children
        return Call(self._start(value), mark.end, Name(mark.start, mark.end, "'"), (value,))

    def parens(self, children: list[Any]) -> Node:
        first, last = self._ends(children)
        span = Span(first.start, last.end)
        items = tuple(child for child in children if isinstance(child, Node))
        listed = any(isinstance(child, Token) and child.type == "COMMA" for child in children)
        if len(items) == 1 and not listed:
            self.around[items[0]] = span
            return items[0]
        names = tuple(self._item_name(item) for item in items)
        if items and all(names):
            tuple_ = Tuple(*span, tuple(item.value for item in items if isinstance(item, Assign)), names)
            self.made[tuple_] = Arguments(list(items), [])
            return tuple_
        if any(isinstance(item, Assign) for item in items):
            node = self._opaque(children, "a named tuple", Arguments(list(items), []))
            fields = [isinstance(item, Assign) and item not in self.around for item in items]
            values = (
                item.value if field and isinstance(item, Assign) else item
                for item, field in zip(items, fields, strict=True)
            )
            self.known[node] = Evaluated(Summary(), tuple((self._start(each), self._end(each)) for each in values))
            return node
        return Tuple(*span, items)

    def _item_name(self, item: Node) -> str:
        """The name that ``name = value`` gives an item of a tuple; empty if it is something else."""
        plain = isinstance(item, Assign) and item.operator is None and item not in self.around
        return item.target.name if plain and isinstance(item, Assign) and isinstance(item.target, Name) else ""

    def entries(self, children: list[Any]) -> list[Node]:
        return [child for child in children if isinstance(child, Node)]

    def name(self, children: list[Any]) -> Node:
        token = children[0]
        return Name(token.start, token.end, token.value)

    def number(self, children: list[Any]) -> Node:
        token = children[0]
        return Number(token.start, token.end, _fraction(token.value), token.value.isdigit())

    def boolean(self, children: list[Any]) -> Node:
        token = children[0]
        return Boolean(token.start, token.end, token.value in ("true", "True"))

    def string(self, children: list[Any]) -> Node:
        token = children[0]
        return Text(token.start, token.end, string_value(token.value))

    def ready(self, children: list[Ready]) -> Node:
        return children[0].node
