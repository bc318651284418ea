"""An LALR parser that is fed tokens and calls a builder, one method a rule: the inner loop of every check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from dp_lsp.frontends.julia.table import Shape, Table
from dp_lsp.frontends.julia.tokens import Token

_END = Token("$END", 0, 0, "")

Make = Callable[[list[Any]], Any]


class Parser:
    """Parses by a table; the methods of ``builder`` make what a rule stands for of its children."""

    def __init__(self, table: Table, builder: object) -> None:
        self._start, self._end, self._states = table.start, table.end, table.states
        self._rules = [(shape.size, shape.origin, _make(shape, builder)) for shape in table.rules]

    def parse(self, tokens: Sequence[Token]) -> tuple[Any, int]:
        """What the tokens are, or None and the index of the first one that fits nowhere."""
        states, rules = self._states, self._rules
        stack, values = [self._start], list[Any]()
        row = states[self._start]
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


def _make(shape: Shape, builder: object) -> Make:
    call: Make = getattr(builder, shape.name, list)
    if shape.inlined:
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
