"""What the parser calls when it has read a statement; nothing here recurses.

What the parser calls when it has read an expression: a surface node, made while it runs.

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

from dp_lsp.frontends.julia import tokens
from dp_lsp.frontends.julia.lexer import line_end, string_value
from dp_lsp.frontends.julia.summary import extended, summary
from dp_lsp.frontends.julia.tokens import LIMIT, UNCHECKED, Ready, Token
from dp_lsp.frontends.julia.vocabulary import APPLYING, COMPOSING, KEYED, RESERVED
from dp_lsp.frontends.problems import NestedTooDeeply
from dp_lsp.frontends.rounds import Rounds, WhileLoop, as_rounds, left_early, may_leave, with_returns
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.surface import (
    BROADCAST_INTO,
    FIELD,
    OPERATORS,
    SEEDING,
    SPLAT,
    Added,
    AllEntries,
    Assert,
    Assign,
    Block,
    Boolean,
    Broadcast,
    Call,
    Comprehension,
    Field,
    For,
    Function,
    If,
    Index,
    Keyword,
    Lambda,
    Leave,
    Name,
    Node,
    Number,
    Opaque,
    Parameter,
    Range,
    Return,
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
            node.broken = node.broken or any(map(tokens.is_left_out, inside))

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


_UPDATES = frozenset(("+=", "-=", "*=", "/=", "%=", "÷=", "^="))
_LAZY = frozenset(("&&", "||"))
_AROUND_BODY = 2  # the function and its block


def _is_call(node: Node) -> bool:
    """Whether this is a call of a function by its name, and no operation."""
    return isinstance(node, Call) and isinstance(node.callee, Name) and node.callee.name not in OPERATORS


def _gives_value_alone(node: Node) -> bool:
    """Whether a statement does nothing but to return a value, to give it names, or to have it."""
    if isinstance(node, Assign):
        names = node.target.items if isinstance(node.target, Tuple) else (node.target,)
        return node.operator is None and all(isinstance(name, Name) for name in names)
    return isinstance(node, Return | Opaque)


def _names(target: Node) -> set[str]:
    """The names that stand on the left of an assignment, or of a loop."""
    items = target.items if isinstance(target, Tuple) else (target,)
    return {item.name for item in items if isinstance(item, Name)}


def _mentioned(node: Node) -> set[str]:
    """All names that stand in a node."""
    found: set[str] = set()
    pending = [node]
    while pending:
        item = pending.pop()
        found |= {item.name} if isinstance(item, Name) else set()
        pending += item.children
    return found


def _assigned(node: Node) -> set[str]:
    """All names that are given a value somewhere in a node."""
    found: set[str] = set()
    pending = [node]
    while pending:
        item = pending.pop()
        if isinstance(item, Assign | For):
            found |= _names(item.target)
        pending += item.children
    return found


class Builder(ExpressionBuilder):
    """The callbacks of the grammar, one a rule."""

    # Statements

    def start(self, children: list[list[Node]]) -> list[Node]:
        return children[0]

    def block(self, children: list[Any]) -> list[Node]:
        nodes = [self._shallow(each) for child in children if isinstance(child, Node) for each in self._opened(child)]
        kept: list[Node] = []
        for index, node in enumerate(nodes):
            following = nodes[index + 1] if index + 1 < len(nodes) else None
            if not (following and self._documents(node, following)):
                kept.append(self._guarded(node, is_last=following is None))
        return kept

    def _opened(self, node: Node) -> list[Node]:
        """The statements that a statement stands for. What stands between ``begin`` and ``end`` is evaluated in order,
        in the scope around it, and has the value of the last one: where that is assigned to a name, or returned, or
        not used at all, the others stand before that."""
        value = node.value if isinstance(node, Return | Assign) else node
        made = None if value is None else self.made.get(value)
        if not isinstance(made, Block) or not made.statements or not _gives_value_alone(node):
            return [node]
        self._take(value or node)
        *before, last = made.statements
        if isinstance(node, Return):
            last = Return(node.start, node.end, last)
        elif isinstance(node, Assign):
            last = Assign(node.start, node.end, node.target, last, constant=node.constant)
        return [*before, last]

    def _guarded(self, node: Node, is_last: bool) -> Node:
        """A statement; ``c && return x`` and ``c || return x``, or such an assignment, as the ``if`` that they are, and
        such a call where nobody uses the value."""
        around: list[tuple[Name, Node]] = []
        last = node
        while isinstance(last, Call) and isinstance(last.callee, Name) and last.callee.name in _LAZY:
            sign, (condition, last) = last.callee, last.args
            if around and around[-1][0].name == sign.name:  # `a && b && return x` asks for both at once
                before = around.pop()[1]
                condition = Call(before.start, condition.end, sign, (before, condition))
            around.append((sign, condition))
        acts = isinstance(last, Return | Assign | Leave) or (not is_last and _is_call(last))
        acts = acts or isinstance(self.made.get(last), Block)
        if not around or not acts or (isinstance(last, Assign) and last.constant):
            return node
        for sign, condition in reversed(around):
            then, otherwise = self._body(last), None
            if sign.name == "||":  # where it is true, that is its value
                value = Boolean(condition.end, condition.end, True)
                then, otherwise = Block(condition.end, condition.end, (value,)), then
            last = If(condition.start, node.end, condition, then, otherwise)
        return last

    def _shallow(self, node: Node, around: int = 0) -> Node:
        """A node; one that is nested too deeply, with so many levels around it, is left out."""
        if node.depth + around <= LIMIT:
            return node
        end = min(node.end, line_end(self.text, node.start))
        self.problems.append(NestedTooDeeply.at(Span(node.start, end), limit=LIMIT))
        deep = self._opaque([node], "a statement nested too deeply")
        deep.broken = True
        if isinstance(node, Function):
            self.known[deep] = Evaluated.definition(deep, Summary(binds=frozenset((node.name.name,))), deep.start)
        return deep

    def _documents(self, node: Node, following: Node) -> bool:
        """Whether a statement is a string that only says something about the next one. One that shows values is not
        left out: their names are read."""
        if isinstance(node, Text) and isinstance(following, Function):
            following.doc = node.value
        return isinstance(node, Text)

    def constant(self, children: list[Any]) -> Node:
        mark, node = children
        if isinstance(node, Assign):
            return Assign(mark.start, node.end, node.target, node.value, node.operator, constant=True)
        declaration = self._opaque(children, "a `const` declaration")
        does = Summary(binds=frozenset((node.name,))) if isinstance(node, Name) else Summary(anything=declaration.what)
        self.known[declaration] = Evaluated(does, ((declaration.start, declaration.end),))
        return declaration

    def assertion(self, children: list[Any]) -> Node:
        mark, condition, said = children
        _, last = self._ends(children)
        if isinstance(condition, Tuple) and condition.items:
            condition, *more = condition.items  # `@assert(condition, "text")`
            said = next(iter(more), said)
        return Assert(mark.start, self._end(last), condition, said)

    def returned(self, children: list[Any]) -> Node:
        mark, value = children
        if not isinstance(value, Node):
            return Return(mark.start, mark.end, None)
        nothing = isinstance(value, Name) and value.name == "nothing"  # no program gives that another meaning
        return Return(mark.start, self._end(value), None if nothing else value)

    def assign(self, children: list[Any]) -> Node:
        target, mark, value = children
        if mark.value != "=":
            into = self._into(target, value) if mark.value == ".=" and isinstance(value, Node) else None
            return into or self._opaque(children, BROADCAST_INTO)
        if isinstance(target, Broadcast):
            return self._opaque(children, "a broadcast")
        if isinstance(value, Ready):
            value = value.node
        if target not in self.around and self.is_definition(target):
            return self._short(target, mark, value, children)
        if isinstance(value, Return):
            return self._opaque(children, "a `return` inside an expression")
        if self.signs.get(value) == COMPOSING and isinstance(target, Name) and target.name in _mentioned(value):
            return self._opaque(children, "a composition of a function that had its name before")
        return Assign(self._start(target), self._end(value), target, value)

    def update(self, children: list[Any]) -> Node:
        target, mark, value = children
        if mark.value[0] == "." and mark.value[1:] in _UPDATES and isinstance(target, Name):
            sign, held = Name(mark.start, mark.end, mark.value[1:-1]), Name(target.end, target.end, target.name)
            made = self._broadcast(self._start(target), self._end(value), sign, (held, value))
            into = None if made is None else self._into(target, made)
            return into or self._opaque(children, BROADCAST_INTO)
        if mark.value not in _UPDATES:
            what = BROADCAST_INTO if mark.value[0] == "." else f"the operator `{mark.value}`"
            return self._opaque(children, what)
        return Assign(self._start(target), self._end(value), target, value, mark.value[:-1])

    def _into(self, target: Node, value: Node) -> Assign | None:
        """``x .= value``: each entry of an array gets the value that a broadcast over it, and over what the value goes
        over, has there. Source: the Julia manual, "Dot syntax for vectorizing functions"."""
        if not isinstance(target, Name) or target in self.around:
            return None
        held = Name(target.end, target.end, target.name)
        places = Index(target.start, target.end, target, (AllEntries(target.end, target.end),))
        if isinstance(value, Broadcast):
            each, over = value.each, {target.name: held, **dict(zip(value.names, value.over, strict=True))}
        else:
            made = self._broadcast(self._start(value), self._end(value), Name(value.end, value.end, "+"), (value,))
            if made is None:
                return None
            each, over = made.each, {target.name: held, **dict(zip(made.names, made.over, strict=True))}
            each = each.args[0] if isinstance(each, Call) else each
        made = Broadcast(self._start(value), self._end(value), each, tuple(over), tuple(over.values()))
        return Assign(target.start, self._end(value), places, made)

    # Definitions

    def _short(self, target: Node, mark: Token, value: Node, children: list[Any]) -> Node:
        header = self.header(target, self._end(value))
        if header is None:
            return self._definition(children, target)
        black_box = value if isinstance(value, Opaque) and value.what == "a black box" else None
        body = black_box or self._body(self._shallow(value, _AROUND_BODY))
        span = Span(target.start, mark.end)
        return Function(target.start, self._end(value), *header, body, span, "short")

    def _definition(self, children: list[Any], target: Node) -> Opaque:
        """A definition whose header says more than a name and parameters."""
        limited = isinstance(self.made.get(target), Limited)
        what = "a function with a `where` clause" if limited else "a function with a header of this form"
        node = self._opaque(children, what)
        self.known[node] = Evaluated.definition(node, self.defined(target), self._end(target))
        return node

    def function(self, children: list[Any]) -> Node:
        mark, target, body, end = children
        header = self.header(target, end.end)
        if header is None:
            return self._definition(children, target)
        span = Span(mark.start, target.end)
        if isinstance(body, list) and (found := with_returns(body)) is not None:
            loop, self.made[loop], result = found
            body = [*body[:-1], result]
        if isinstance(body, Ready) and isinstance(body.node, Opaque):
            return Function(mark.start, end.end, *header, body.node, span, "block")
        return Function(mark.start, end.end, *header, self._block(body, end.start), span, "block")

    def nameless(self, children: list[Any]) -> Node:
        mark, _, arguments, _, _, annotation, *limits, body, end = children
        params = self.params(arguments)
        if params is None or limits:
            return self._opaque(children, "an anonymous function with a header of this form")
        returns = None if annotation is None else self.type(annotation)
        return Lambda(mark.start, end.end, params, self._block(body, end.start), returns)

    def limit(self, children: list[Any]) -> Arguments:
        return Arguments([], [])

    def functor(self, children: list[Any]) -> Node:
        method = self._opaque(children, "a method of an object")
        does = self.method_of(next(iter(children[2].plain), None))
        self.known[method] = Evaluated.definition(method, does, children[6].end)
        return method

    def arrow(self, children: list[Any]) -> Node:
        head, _, body = children
        if self.signs.get(head) == APPLYING and isinstance(head, Call) and head not in self.around:
            # `x |> y -> …`: the arrow takes what stands to its right first, and of what stands to its left the last
            (value,), start = head.args, self._start(head)
            function = self.arrow([head.callee, _, body])
            return self._applied(start, self._end(function), value, function)
        made = self.made.get(head)
        if isinstance(head, Tuple) and not head.names:
            params = self.params(Arguments(list(head.items), []))
        elif isinstance(made, Arguments) and isinstance(head, Opaque | Tuple):
            params = self.params(made)
        else:
            params = self.params(Arguments([head], []))
        if params is None:
            return self._opaque(children, "an anonymous function with a header of this form")
        block = self._body(body)
        return Lambda(self._start(head), block.end, params, block)

    def comprehension(self, children: list[Any]) -> Node:
        opener, value, _, target, _, over, _, condition, closer = children
        if isinstance(value, Assign):  # to a variable of the function around it, if that has one
            return self._opaque(children, "a comprehension")
        return self._each(Span(opener.start, closer.end), value, target, over, condition)

    def generator(self, children: list[Any]) -> Node:
        value, _, target, _, over, _, condition = children
        if isinstance(value, Assign):
            return self._opaque(children, "a generator")
        last = condition if isinstance(condition, Node) else over
        return self._each(Span(self._start(value), self._end(last)), value, target, over, condition, lazy=True)

    def _each(
        self, span: Span, value: Node, target: Token, over: Node, condition: Node | None, lazy: bool = False
    ) -> Comprehension:
        made = [self._by(target, each) for each in (value, condition) if isinstance(each, Node)]
        return Comprehension(*span, made[0], over, made[1] if len(made) > 1 else None, lazy)

    def _by(self, target: Token, value: Node) -> Lambda:
        """A function of a variable."""
        param = Parameter(target.start, target.end, target.value)
        return Lambda(self._start(value), self._end(value), (param,), self._body(value))

    def begin_block(self, children: list[Any]) -> Node:
        _, body, end = children
        return self._opaque(children, "a `begin` block", self._block(body, end.start))

    def sequence(self, children: list[Any]) -> Node:
        groups = [child for child in children if isinstance(child, list)]
        if children[1] is None and len(groups) == 1 and (named := self._by_names(children, groups[0])) is not None:
            return named
        statements = [node for group in groups for node in group]
        block = isinstance(children[1], list) and all(len(group) == 1 for group in groups)
        made = self._block(statements, children[0].end) if block else None
        return self._opaque(children, "a block in parentheses", made)

    def _by_names(self, children: list[Any], items: list[Node]) -> Tuple | None:
        """``(; a = x, b)``, a tuple whose items have names, where a name alone is that of the item, too."""
        names = tuple(item.name if isinstance(item, Name) else self._item_name(item) for item in items)
        if not all(names) or len(set(names)) < len(names) or any(item in self.around for item in items):
            return None
        first, last = self._ends(children)
        values = tuple(item.value if isinstance(item, Assign) else item for item in items)
        return Tuple(first.start, last.end, values, names)

    def do_block(self, children: list[Any]) -> Node:
        call, mark, *targets, body, end = children
        given = [target for target in targets if isinstance(target, Node)]
        params = self.params(Arguments(given, []))
        if params is None or not isinstance(call, Call):
            return self._opaque(children, "a `do` block")
        function = Lambda(mark.start, end.end, params, self._block(body or [], end.start))
        return Call(self._start(call), end.end, call.callee, (function, *call.args), call.keywords)

    def if_block(self, children: list[Any]) -> Node:
        *parts, end = children
        otherwise: Block | None = None
        if parts[-2] is not None:
            last = parts[-1]
            otherwise = self._block(last, end.start)
        node: If | None = None
        for index in range(len(parts) - 5, -1, -3):
            mark, condition, nodes = parts[index : index + 3]
            node = If(mark.start, end.end, condition, self._block(nodes, self._end(condition)), otherwise)
            otherwise = Block(node.start, node.end, (node,))
        assert node is not None
        return node

    def for_block(self, children: list[Any]) -> Node:
        mark, *between, body, end = children
        bindings = [each for each in between if isinstance(each, Arguments)]
        block = self._block(body, end.start)
        if _assigned(block) & {name for binding in bindings[:-1] for name in _names(binding.plain[0])}:
            return self._opaque(children, "a loop over several ranges that changes the variable of one")
        several = len(bindings) > 1
        while True:  # the last one goes round first; each round of it has variables of its own
            target, iterable = bindings.pop().plain
            loop = For(target.start if bindings else mark.start, end.end, target, iterable, block)
            if not several and may_leave(block) and (rounds := left_early(loop)) is not None:
                self.made[loop] = rounds
            if not bindings:
                return loop
            block = Block(loop.start, end.start, (loop,))

    def while_block(self, children: list[Any]) -> Node:
        mark, condition, body, end = children
        block = self._block(body, end.start)
        return self._opaque(children, "a `while` loop", WhileLoop(mark.start, end.end, condition, block))

    def leave(self, children: list[Any]) -> Node:
        (mark,) = children
        node = Leave(mark.start, mark.end, f"`{mark.value}`", mark.value == "continue")
        self.opaques[node] = None
        return node

    def binding(self, children: list[Any]) -> Arguments:
        return Arguments([children[0], children[2]], [])
