"""An LALR parser that is fed tokens and calls a builder, one method a rule: the inner loop of every check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from dp_lsp.frontends.julia.tokens import Token

_START = "start"
_END = Token("$END", 0, 0, "")

Make = Callable[[list[Any]], Any]


class Shape(NamedTuple):
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
    rules: tuple[Shape, ...]

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


def _shape(line: str) -> Shape:
    origin, name, size, *children = line.split()
    kept, nothing = list[tuple[int, bool, int]](), 0
    for child in children:
        if child == "-":
            nothing += 1
        else:
            kept.append((int(child.rstrip("*")), child.endswith("*"), nothing))
            nothing = 0
    return Shape(origin, name.rstrip("?"), int(size), tuple(kept), nothing, name.endswith("?"))


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


def _make(shape: Shape, builder: object) -> Make | None:
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
