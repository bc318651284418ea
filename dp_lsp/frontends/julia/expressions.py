"""What the parser calls when it has read an expression: a surface node, made while it runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from dp_lsp.frontends.julia import outline
from dp_lsp.frontends.julia.headers import (
    Arguments,
    Default,
    Field,
    Headers,
    Limited,
    Made,
    Splat,
    Typed,
    Upper,
)
from dp_lsp.frontends.julia.strings import string_value
from dp_lsp.frontends.julia.summary import summary
from dp_lsp.frontends.julia.tokens import Ready, Token
from dp_lsp.problem import Problem
from dp_lsp.surface import (
    OPERATORS,
    SEEDING,
    Assign,
    Block,
    Boolean,
    Call,
    If,
    Index,
    Keyword,
    Name,
    Node,
    Number,
    Opaque,
    Range,
    Summary,
    Text,
    Tuple,
    TypeExpr,
    Vector,
    Whole,
)
from dp_lsp.text import Span

_UPDATES = frozenset(("+=", "-=", "*=", "/=", "%=", "÷=", "^="))

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


class Expressions(Headers):
    """The callbacks for expressions; ``begin`` comes before a parse and ``finish`` after it.

    A node's place leaves out the parentheses around it; a node made of it includes them.
    """

    def begin(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.made = {}
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

    def _opaque(self, children: list[Any], what: str, made: Made | None = None) -> Opaque:
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
        if symbol in OPERATORS:
            return Call(start, end, Name(operator.start, operator.end, symbol), tuple(args))
        what = "a broadcast" if symbol[0] == "." and symbol != ".." else f"the operator `{symbol}`"
        return self._opaque([operator if start == operator.start else args[0], args[-1]], what)

    def _block(self, nodes: list[Node], at: int) -> Block:
        start, end = (self._start(nodes[0]), self._end(nodes[-1])) if nodes else (at, at)
        return Block(start, end, tuple(nodes))

    # Operators

    def bare_tuple(self, children: list[Any]) -> Node:
        items = [child for child in children if isinstance(child, Node)]
        return Tuple(self._start(items[0]), self._end(items[-1]), tuple(items))

    def splat(self, children: list[Any]) -> Node:
        value = children[0]
        return self._opaque(children, "a splat", Splat(value))

    def couple(self, children: list[Any]) -> Node:
        return self._opaque(children, "a pair")

    def ternary(self, children: list[Any]) -> Node:
        condition, _, then, _, otherwise = children
        blocks = [self._block([node], 0) for node in (then, otherwise)]
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
            sign = Name(left.end, left.end, "&&")
            node = Call(left.start, node.end, sign, (left, node))
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
        return self._call(Name(sign.start, sign.start, "*"), [node for node in children if isinstance(node, Node)])

    def range(self, children: list[Any]) -> Node:
        nodes = [child for child in children if isinstance(child, Node)]
        step = nodes[1] if len(nodes) == 3 else None
        return Range(self._start(nodes[0]), self._end(nodes[-1]), nodes[0], step, nodes[-1])

    def prefix(self, children: list[Any]) -> Node:
        sign, value = children
        if sign.type == "SUBTYPE":
            return self._opaque(children, "a bound of a type", Upper(value))
        if isinstance(value, Tuple) and value.start == sign.end:
            call = Call(sign.start, value.end, Name(sign.start, sign.end, sign.value), value.items)
            self.made[call] = Arguments(list(value.items), [])
            return call
        return self._call(sign, (value,))

    def typed(self, children: list[Any]) -> Node:
        value, _, annotation = children
        node = self._opaque(children, "a type annotation", Typed(value, annotation))
        if isinstance(value, Name):
            self.known[node] = Evaluated(Summary(binds=frozenset((value.name,))), ((node.start, node.end),))
        return node

    def unnamed(self, children: list[Any]) -> Node:
        annotation = children[1]
        return self._opaque(children, "a type annotation", Typed(None, annotation))

    def where(self, children: list[Any]) -> Node:
        header = children[0]
        return self._opaque(children, "a `where` clause", Limited(header))

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

    def keyword(self, children: list[Any]) -> Node:
        target, _, value = children
        if isinstance(target, Name):
            return Keyword(target.start, self._end(value), target.name, value)
        return self._opaque(children, "a default value", Default(target, value))

    def index(self, children: list[Any]) -> Node:
        value, _, arguments, closer = children
        return Index(self._start(value), closer.end, value, tuple(arguments.plain))

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
        return self._opaque(children, "a broadcast")

    def field(self, children: list[Any]) -> Node:
        name = children[2]
        what = SEEDING if name.value == "seed!" else "a field access"
        return self._opaque(children, what, Field(name.value))

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
