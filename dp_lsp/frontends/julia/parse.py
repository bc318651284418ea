"""A chunk of Julia to surface nodes: lexer, folding, an LALR parser, repair.

An LALR parser with a lexer of our own: what Julia needs beyond a context-free grammar is lexical, one stack of
brackets, blocks and pending ternaries. Callbacks build slotted nodes during the parse, without recursion. Lark makes
the table of the grammar, which is shipped as a module (``table.py``); so it is there in a checkout as in a wheel, and
nothing that runs needs lark. A test holds the two against each other.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache

from dp_lsp.frontends.julia import outline, repair, table
from dp_lsp.frontends.julia.build import Builder
from dp_lsp.frontends.julia.fold import Folded
from dp_lsp.frontends.julia.lalr import Parser, Table
from dp_lsp.frontends.julia.lexer import read
from dp_lsp.frontends.julia.remarks import remarks
from dp_lsp.frontends.julia.tokens import Ready, Token
from dp_lsp.problem import Problem
from dp_lsp.surface import ModuleMark, Node, Opaque, Parsed

_MOST_PROBLEMS = 3
_MOST_REPAIRS = 12
_lock = threading.Lock()


@cache
def _parser() -> tuple[Parser, Builder]:
    builder = Builder()
    return Parser(Table.read(table.SYMBOLS, table.STATES, table.RULES), builder), builder


def parse(chunk: str) -> Parsed:
    """The top-level nodes of a chunk and what is wrong with it, at places relative to the chunk."""
    lexer = read(chunk)
    marked = _module_mark(lexer.tokens)
    if marked:
        return Parsed(marked, (), remarks(chunk, lexer))
    missing = lexer.finish()
    tokens, problems = lexer.tokens, list[Problem]()
    if missing:
        tokens, problems = repair.supply_ends(tokens, chunk, missing)
    folded = Folded(tokens)
    with _lock:
        nodes, found = _read(chunk, folded.tokens)
    problems += folded.problems + found
    problems.sort(key=lambda problem: problem.span)
    # Of a chunk without anything that can be read, the first problem says enough.
    nothing_read = len(nodes) == 1 and isinstance(nodes[0], Opaque) and nodes[0].broken
    told = tuple(problems[: 1 if nothing_read else _MOST_PROBLEMS])
    doubt = lexer.unclosed[1] if lexer.unclosed else None
    return Parsed(tuple(nodes), told, remarks(chunk, lexer), doubt)


def _module_mark(tokens: Sequence[Token]) -> tuple[Node, ...]:
    """The first or the last line of a module is a chunk of its own. A string before it that is evaluated comes with
    it."""
    told = [token for token in tokens if token.type != "NL"]
    before: tuple[Node, ...] = ()
    if told and outline.is_string(told[0]):
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
            return nodes, problems + builder.problems
        start, end = repair.damaged(tokens, failed)
        statement = tokens[start:end]
        if not any(map(outline.is_left_out, statement)) and not repair.is_supplied(tokens, failed):
            problems.append(repair.explained(tokens, failed, statement))
        tokens = [*tokens[:start], repair.left_out(statement), *tokens[end:]]
    return [repair.left_out(tokens).node], problems
