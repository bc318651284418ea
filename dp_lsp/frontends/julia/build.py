"""What the parser calls when it has read a statement; nothing here recurses."""

from __future__ import annotations

from typing import Any

from dp_lsp.frontends.julia.expressions import Arguments, Evaluated, ExpressionBuilder, Limited
from dp_lsp.frontends.julia.strings import line_end
from dp_lsp.frontends.julia.tokens import LIMIT, Ready, Token
from dp_lsp.frontends.julia.vocabulary import APPLYING, COMPOSING
from dp_lsp.frontends.problems import NestedTooDeeply
from dp_lsp.frontends.rounds import WhileLoop, left_early, may_leave, with_returns
from dp_lsp.surface import (
    BROADCAST_INTO,
    OPERATORS,
    AllEntries,
    Assert,
    Assign,
    Block,
    Boolean,
    Broadcast,
    Call,
    Comprehension,
    For,
    Function,
    If,
    Index,
    Lambda,
    Leave,
    Name,
    Node,
    Opaque,
    Parameter,
    Return,
    Summary,
    Text,
    Tuple,
)
from dp_lsp.text import Span

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
