"""A chunk of Julia to surface nodes: lexer, folding, an LALR parser, repair.

An LALR parser with a lexer of our own: what Julia needs beyond a context-free grammar is lexical, one stack of
brackets, blocks and pending ternaries. Callbacks build slotted nodes during the parse, without recursion. Lark makes
the table of the grammar, which is shipped as a module (``table.py``); so it is there in a checkout as in a wheel, and
nothing that runs needs lark. A test holds the two against each other.

``f(t...)`` of a tuple whose items are written out, which is ``f(t[1], …, t[n])``.

How many arguments a call has must be known to tell which function it is, and which of them that changes. So a splat is
followed where all that gives its name a value in a function are tuples of one number of items, or where it is a
parameter that is annotated as one; whatever else may give it a value leaves it what it is. A tuple cannot change.

Source: the Julia manual, "Functions", "Varargs Functions": what stands before ``...`` is "spliced" into the call.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any

from dp_lsp.frontends.julia import table
from dp_lsp.frontends.julia.build import Builder
from dp_lsp.frontends.julia.fold import Folded
from dp_lsp.frontends.julia.lexer import Lexer, parsed
from dp_lsp.frontends.julia.summary import summary
from dp_lsp.frontends.julia.tokens import (
    BINARY,
    BLOCKS,
    CLOSING,
    OPERANDS,
    SEPARATORS,
    Broken,
    Ready,
    Token,
    defined,
    header,
    is_left_out,
    is_string,
    partners,
    right_side,
    statement_end,
    target,
)
from dp_lsp.frontends.problems import MissingEnd, SyntaxProblem
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Related
from dp_lsp.surface import (
    Assign,
    Block,
    Call,
    For,
    Function,
    Index,
    Lambda,
    ModuleMark,
    Name,
    Node,
    Number,
    Opaque,
    Parameter,
    Parsed,
    Remark,
    Splat,
    Tuple,
    TypeExpr,
    Unread,
    Vector,
)
from dp_lsp.text import Span

_REST = "Vararg"


def spread(definition: Node) -> None:
    """Put the items of tuples in the place of splats of them, anywhere in the body of a function that is defined."""
    function = definition.value if isinstance(definition, Assign) else definition
    if not isinstance(function, Function | Lambda) or not isinstance(function.body, Block):
        return
    params, body = function.params, function.body
    spreading = (node for node in _below(body) if isinstance(node, Call | Tuple | Vector))
    found = [node for node in spreading if any(map(_is_splat, node.children))]
    counts = _counts(params, body) if found else {}
    for node in found:
        if isinstance(node, Call):
            node.args = tuple(_spread(node.args, counts))
            node.children = (node.callee, *node.args, *node.keywords)
        elif not (isinstance(node, Tuple) and node.names):
            node.items = node.children = tuple(_spread(node.items, counts))


def _is_splat(node: Node) -> bool:
    return isinstance(node, Splat)


def _below(body: Node) -> Iterator[Node]:
    pending = [body]
    while pending:
        yield (node := pending.pop())
        pending += node.children


def _spread(items: Iterable[Node], counts: dict[str, int | None]) -> Iterator[Node]:
    """Items, and those of the tuples among them that are spread, each at the place of the splat."""
    for item in items:
        count = counts.get(item.value.name) if isinstance(item, Splat) else None
        if not isinstance(item, Splat) or count is None:
            yield item
            continue
        for place in range(1, count + 1):
            at = Number(item.end, item.end, Fraction(place), True)
            value = Name(item.value.start, item.value.end, item.value.name)
            yield Index(item.start, item.end, value, (at,))


def _counts(params: tuple[Parameter, ...], body: Block) -> dict[str, int | None]:
    """How many items the tuples have that the variables of a function stand for; None for one of which that is not
    known. What is only given a value in a loop, or in a function inside, is another variable there (Julia manual,
    "Scope of Variables")."""
    found = dict[str, int | None]()

    def give(name: str, count: int | None) -> None:
        found[name] = count if found.get(name, count) == count else None

    for param in params:
        give(param.name, _annotated(param.annotation) if param.kind == "plain" and param.default is None else None)
    own = set(found)
    pending: list[tuple[Node, bool]] = [(body, True)]
    while pending:
        node, here = pending.pop()
        match node:
            case Assign(target=Name(name=name), value=Tuple(items=items, by=None), operator=None):
                give(name, None if any(map(_is_splat, items)) else len(items))
                own |= {name} if here else set()
            case Assign(target=target) | For(target=target):
                for name in _names(target):
                    give(name, None)
            case Function(name=Name(name=name)) | Parameter(name=name):
                give(name, None)
            case Opaque(summary=does):
                for name in does.binds | does.outside | (does.mentions if does.anything else frozenset()):
                    give(name, None)
        here = here and not isinstance(node, For | Function | Lambda)
        pending += ((child, here) for child in node.children)
    return {name: count for name, count in found.items() if name in own}


def _names(target: Node) -> Iterator[str]:
    for node in _below(target):
        if isinstance(node, Name):
            yield node.name
        elif isinstance(node, Opaque):
            yield from node.summary.mentions | node.summary.binds


def _annotated(annotation: TypeExpr | None) -> int | None:
    """The number of items of ``Tuple{A, B}``."""
    if annotation is None or (annotation.name, annotation.form) != ("Tuple", "braces"):
        return None
    names = {each.name for each in annotation.args if isinstance(each, TypeExpr)}
    return None if _REST in names or not annotation.args else len(annotation.args)


_MOST_PROBLEMS = 3
_MOST_REPAIRS = 12
_lock = threading.Lock()


@cache
def _parser() -> tuple[Parser, Builder]:
    builder = Builder()
    return Parser(Table.read(table.SYMBOLS, table.STATES, table.RULES), builder), builder


def parse(chunk: str) -> Parsed:
    """The top-level nodes of a chunk and what is wrong with it, at places relative to the chunk."""
    lexer = parsed(chunk)
    marked = _module_mark(lexer.tokens)
    if marked:
        return Parsed(marked, (), _remarks(chunk, lexer))
    missing = lexer.finish()
    tokens, problems = lexer.tokens, list[Problem]()
    if missing:
        tokens, problems = _supply_ends(tokens, chunk, missing)
    folded = Folded(tokens)
    with _lock:
        nodes, found = _read(chunk, folded.tokens)
    problems += folded.problems + found
    problems.sort(key=lambda problem: problem.span)
    # Of a chunk without anything that can be read, the first problem says enough.
    nothing_read = len(nodes) == 1 and isinstance(nodes[0], Opaque) and nodes[0].broken
    told = tuple(problems[: 1 if nothing_read else _MOST_PROBLEMS])
    doubt = lexer.unclosed[1] if lexer.unclosed else None
    return Parsed(tuple(nodes), told, _remarks(chunk, lexer), doubt)


def _module_mark(tokens: Sequence[Token]) -> tuple[Node, ...]:
    """The first or the last line of a module is a chunk of its own. A string before it that is evaluated comes with
    it."""
    told = [token for token in tokens if token.type != "NL"]
    before: tuple[Node, ...] = ()
    if told and is_string(told[0]):
        before = (told[0].node,) if isinstance(told[0], Ready) else ()
        del told[0]
    kinds = [token.type for token in told]
    if kinds == ["MODULE", "NAME"]:
        return (*before, ModuleMark(told[0].start, told[1].end, told[1].value))
    if len(told) == 1 and told[0].type == "BROKEN" and told[0].value == "end":
        return (*before, ModuleMark(told[0].start, told[0].end, None))
    return ()


def _read(chunk: str, tokens: list[Token]) -> tuple[list[Node], list[Problem]]:
    """Parse, and as long as that fails leave out the smallest statement around the failure and parse again."""
    parser, builder = _parser()
    problems: list[Problem] = []
    for _ in range(_MOST_REPAIRS):
        if not tokens:
            return [], problems
        builder.begin(chunk, tokens)
        nodes, failed = parser.parse(tokens)
        if nodes is not None:
            builder.finish()
            for node in nodes if any(token.type == "DOTS" for token in tokens) else ():
                spread(node)
            return nodes, problems + builder.problems
        start, end = _damaged(tokens, failed)
        statement = tokens[start:end]
        if not any(map(is_left_out, statement)) and not _is_supplied(tokens, failed):
            problems.append(_explained(tokens, failed, statement))
        tokens = [*tokens[:start], left_out(statement), *tokens[end:]]
    return [left_out(tokens).node], problems


_SIGN = "#"
_COMMENT = re.compile(r"[ \t]*#(?!=)")
_LINE = re.compile(r"([^\n]*?)(?:\r?\n|\Z)")


def _remarks(text: str, lexer: Lexer) -> tuple[Remark, ...]:
    """The comments of a text that speak to the checker, found by a lexer that ran over it."""
    return tuple(
        Remark(span, _target(text, span), _SIGN, text[span.start : span.end].removeprefix(_SIGN))
        for span in lexer.remarks
    )


def _target(text: str, comment: Span) -> Span:
    """The line of a comment; of one that stands alone, the line of code directly below it and other such comments.
    An empty range if there is none."""
    start = text.rfind("\n", 0, comment.start) + 1
    if text[start : comment.start].strip():
        return Span(start, comment.end)
    position = comment.start
    while (line := _LINE.match(text, position)) and _COMMENT.match(line[1]):
        position = line.end()
        if position == line.end(1):
            break
    return Span(*line.span(1)) if line and line[1].strip() and not _COMMENT.match(line[1]) else Span(position, position)


_LONGEST_QUOTE = 30


def _supply_ends(tokens: Sequence[Token], text: str, missing: int) -> tuple[list[Token], list[Problem]]:
    """The tokens with every ``end`` that is missing put in, and a problem for each.

    An ``end`` that stands left of the block it would close, below an outer one, belongs to the outer one: then
    the inner one is the one that was forgotten.
    """
    kept: list[Token] = []
    problems: list[Problem] = []
    opened: list[tuple[Token, int]] = []

    def supply() -> None:
        opener, depth = opened.pop()
        last = next((token for token in reversed(kept) if token.type != "NL"), opener)
        kept.append(Token("END", last.end, last.end, ""))
        here = Related(f"`{opener.value}` opens here", Span(opener.start, opener.end))
        else_if = depth > _indentation(text, opener.start)
        hint = "; `else if` opens another block, `elseif` does not" if else_if else ""
        span = Span(last.start, last.end)
        problems.append(MissingEnd.at(span, related=(here,), opener=opener.value, hint=hint))

    for token in tokens:
        if token.type in BLOCKS:
            # The `if` of an `else if` counts as deeper than the line it stands on.
            opened.append((token, _indentation(text, token.start) + _is_else_if(kept, token)))
        elif token.type == "END":
            left = _indentation(text, token.start)
            forgotten = left == _column(text, token.start) and any(left == other for _, other in opened[:-1])
            while forgotten and missing > 0 and opened[-1][1] > left:
                supply()
                missing -= 1
            if opened:
                opened.pop()
        kept.append(token)
    while opened:
        supply()
    return kept, problems


def _column(text: str, start: int) -> int:
    return start - (max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1)


def _indentation(text: str, start: int) -> int:
    line = text[start - _column(text, start) : start]
    return len(line) - len(line.lstrip(" \t"))


def _is_else_if(before: Sequence[Token], token: Token) -> bool:
    return token.type == "IF" and bool(before) and before[-1].type == "ELSE"


def _explained(tokens: Sequence[Token], index: int, statement: Sequence[Token]) -> Problem:
    """Why a statement cannot be read that fails at the token at ``index``, or at the end of the text."""
    for token in statement:
        if isinstance(token, Broken):
            return token.problem
    return _unexpected(tokens, index)


def _unexpected(tokens: Sequence[Token], index: int) -> Problem:
    token = tokens[index] if index < len(tokens) else None
    before = tokens[index - 1] if index else None
    closes = token is None or token.type in SEPARATORS or token.type in CLOSING
    if before is not None and before.type in BINARY and (closes or (token and token.type in BINARY)):
        reason = f"expected an expression after {_shown(before)}"
        return SyntaxProblem.at(Span(before.start, before.end), reason=reason)
    if token is None or token.type == "NL":
        last = before or Token("", 0, 0, "")
        reason = f"this statement is not complete: something must follow {_shown(last)}"
        return SyntaxProblem.at(Span(last.start, last.end), reason=reason)
    reason = f"unexpected {_shown(token)}"
    if before is not None and before.type in OPERANDS and not closes:
        reason += f" after {_shown(before)}"
    if token.type == "ASSIGN" and _in_condition(tokens, index):
        reason += "; a comparison is written `==`"
    return SyntaxProblem.at(Span(token.start, token.end), reason=reason)


def _shown(token: Token) -> str:
    if isinstance(token, Ready) and isinstance(token.node, Opaque):
        return token.node.what
    if token.type == "STRING":
        return "a string"
    value = token.value.split("\n")[0]
    return f"`{value}`" if len(value) <= _LONGEST_QUOTE else f"`{value[:_LONGEST_QUOTE]}…`"


def _in_condition(tokens: Sequence[Token], index: int) -> bool:
    while index > 0 and tokens[index].type not in SEPARATORS:
        if tokens[index].type == "IF":
            return True
        index -= 1
    return tokens[index].type == "ELSEIF"


def _damaged(tokens: Sequence[Token], index: int) -> tuple[int, int]:
    """The smallest statement around a token that was not left out before, as a range of indices. Of a function in
    short form it is the right side, if that is where the token stands."""
    partner = partners(tokens)
    starts: list[int | None] = [0]
    for position in range(min(index, len(tokens))):
        kind = tokens[position].type
        if kind in BLOCKS:
            starts.append(None)
        elif kind == "END":
            starts = starts[:-1] or [0]
        elif kind in SEPARATORS:
            starts[-1] = position + 1 if kind in ("NL", "ELSE") else None
    for start in reversed(starts):
        if start is None:
            continue
        end = statement_end(tokens, partner, start)
        for first in (right_side(tokens, partner, start), start):
            left_out = first is not None and end == first + 1 and is_left_out(tokens[first])
            if first is not None and first < end and first <= index <= end and not left_out:
                return first, end
    return 0, len(tokens)


def _is_supplied(tokens: Sequence[Token], index: int) -> bool:
    """Whether an ``end`` stands here that the text lacks: there is a problem about it already."""
    return any(token.type == "END" and not token.value for token in tokens[index : index + 1])


def left_out(tokens: Sequence[Token]) -> Ready:
    """What stands for a broken statement."""
    found, names = summary(tokens), target(tokens)
    does = found._replace(binds=found.mentions if names is None else names, anything="")
    head, defines = header(tokens), defined(tokens)
    name = None if head is None else Name(head.start, head.end, head.value)
    node = Unread(tokens[0].start, tokens[-1].end, "a statement that cannot be read", does, name, defines)
    return Ready("NODE", node, "")


# An LALR parser that is fed tokens and calls a builder, one method a rule: the inner loop of every check.


_START = "start"
_END = Token("$END", 0, 0, "")

Make = Callable[[list[Any]], Any]


class RuleShape(NamedTuple):
    """What becomes of the children of a rule that was read: there are ``size``, and ``kept`` are those that its
    callback gets, each as its index, whether it is a list of children itself, and how many times None comes before it;
    ``after`` is how often None comes last. With ``inlined`` a single child stands for the whole. A rule without a
    callback of its ``name`` is the list of its children."""

    origin: str
    name: str
    size: int
    kept: tuple[tuple[int, bool, int], ...]
    after: int
    inlined: bool


class Table(NamedTuple):
    """The states of an LALR parser: in each, by terminal or rule, the next one, or ``~n`` to reduce by the n-th rule.
    Parsing goes from the first state to where that leads by ``start``."""

    states: tuple[dict[str, int], ...]
    rules: tuple[RuleShape, ...]

    @classmethod
    def read(cls, symbols: str, states: str, rules: str) -> Table:
        """The table that a generated module holds: a line for each.

        A line of ``symbols`` lists some that stand together in states. A state has parts: the number of such a line,
        and what each symbol in it leads to, or the one rule that all reduce. A rule is its origin, its name, with
        a question mark if it is inlined, its size, and the children that its callback gets: an index, with a star if
        it is a list of children itself, or ``-`` for None. (That is text, as Python takes 70 ms to compile it as tuples
        where it may not keep bytecode.)"""
        lists = [line.split() for line in symbols.split("\n")[1:-1]]
        parts: dict[str, dict[str, int]] = {"": {}}
        rows = []
        for line in states.split("\n")[1:-1]:
            row: dict[str, int] = {}
            for part in line.split(","):
                if part not in parts:
                    parts[part] = _part(part, lists)
                row |= parts[part]
            rows.append(row)
        return cls(tuple(rows), tuple(map(_shape, rules.split("\n")[1:-1])))


def _part(part: str, lists: list[list[str]]) -> dict[str, int]:
    number, *to = part.split()
    names = lists[int(number)]
    return dict.fromkeys(names, ~int(to[0][1:])) if to[0][0] == "~" else dict(zip(names, map(int, to), strict=True))


def _shape(line: str) -> RuleShape:
    origin, name, size, *children = line.split()
    kept, nothing = list[tuple[int, bool, int]](), 0
    for child in children:
        if child == "-":
            nothing += 1
        else:
            kept.append((int(child.rstrip("*")), child.endswith("*"), nothing))
            nothing = 0
    return RuleShape(origin, name.rstrip("?"), int(size), tuple(kept), nothing, name.endswith("?"))


class Parser:
    """Parses by a table; the methods of ``builder`` make what a rule stands for of its children."""

    def __init__(self, table: Table, builder: object) -> None:
        self._end, self._states = table.states[0][_START], table.states
        self._known: dict[tuple[int, int, str], int] = {}
        self._rules = [(shape.size, shape.origin, _make(shape, builder)) for shape in table.rules]

    def parse(self, tokens: Sequence[Token]) -> tuple[Any, int]:
        """What the tokens are, or None and the index of the first one that fits nowhere."""
        states, rules, renamed = self._states, self._rules, self._known
        stack, values = [0], list[Any]()
        row = states[0]
        for fed, token in enumerate((*tokens, _END)):
            kind = token.type
            while True:
                code = row.get(kind)
                if code is None:
                    return None, fed
                if code >= 0:
                    stack.append(code)
                    values.append(token)
                    row = states[code]
                    break
                size, origin, make = rules[~code]
                if make is None:  # most reductions by far: what stands there goes by another name, and by another yet
                    where = stack[-2], stack[-1], kind
                    state = stack[-1] = renamed.get(where) or self._renamed(*where)
                    row = states[state]
                    continue
                children = values[-size:] if size else []
                if size:
                    del values[-size:]
                    del stack[-size:]
                values.append(make(children))
                state = states[stack[-1]][origin]
                stack.append(state)
                row = states[state]
                if token is _END and state == self._end:
                    return values[-1], fed
        raise AssertionError("the end is a token, too")

    def _renamed(self, below: int, state: int, kind: str) -> int:
        """The state after all reductions of a single child to what it goes by, before a terminal of this kind."""
        where, states = (below, state, kind), self._states
        while (code := states[state].get(kind)) is not None and code < 0 and self._rules[~code][2] is None:
            state = states[below][self._rules[~code][1]]
        self._known[where] = state
        return state


def _make(shape: RuleShape, builder: object) -> Make | None:
    """What makes the value of a rule; None where its only child is that."""
    call: Make = getattr(builder, shape.name, list)
    if shape.inlined:
        if shape.size == 1 and shape.kept == ((0, False, 0),) and not shape.after:
            return None
        call = partial(_inlined, call)
    plain = tuple((index, False, 0) for index in range(shape.size))
    return call if shape.kept == plain and not shape.after else partial(_kept, call, shape.kept, shape.after)


def _inlined(call: Make, children: list[Any]) -> Any:
    return children[0] if len(children) == 1 else call(children)


def _kept(call: Make, kept: tuple[tuple[int, bool, int], ...], after: int, children: list[Any]) -> Any:
    found: list[Any] = []
    for index, several, nothing in kept:
        if nothing:
            found += [None] * nothing
        if not several:
            found.append(children[index])
        elif found:
            found += children[index]
        else:  # a list that grows to the right is not copied each time
            found = children[index]
    if after:
        found += [None] * after
    return call(found)
