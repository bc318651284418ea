"""A chunk of Julia to surface nodes: lexer, folding, an LALR parser, repair.

An LALR parser with a lexer of our own: what Julia needs beyond a context-free grammar is lexical, one stack of
brackets, blocks and pending ternaries. Callbacks build slotted nodes during the parse, without recursion. Lark makes
the table of the grammar, which is shipped as a module (``table.py``); so it is there in a checkout as in a wheel, and
nothing that runs needs lark. A test holds the two against each other.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import cache

from dp_lsp.frontends.julia import outline, table
from dp_lsp.frontends.julia.build import Builder
from dp_lsp.frontends.julia.fold import Folded
from dp_lsp.frontends.julia.lalr import Parser, Table
from dp_lsp.frontends.julia.lexer import Lexer, parsed
from dp_lsp.frontends.julia.summary import summary
from dp_lsp.frontends.julia.tokens import BINARY, BLOCKS, OPERANDS, Broken, Ready, Token
from dp_lsp.frontends.problems import MissingEnd, SyntaxProblem
from dp_lsp.problem import Problem, Related
from dp_lsp.surface import ModuleMark, Name, Node, Opaque, Parsed, Remark, Unread
from dp_lsp.text import Span

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
        start, end = _damaged(tokens, failed)
        statement = tokens[start:end]
        if not any(map(outline.is_left_out, statement)) and not _is_supplied(tokens, failed):
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
    closes = token is None or token.type in outline.SEPARATORS or token.type in outline.CLOSING
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
    while index > 0 and tokens[index].type not in outline.SEPARATORS:
        if tokens[index].type == "IF":
            return True
        index -= 1
    return tokens[index].type == "ELSEIF"


def _damaged(tokens: Sequence[Token], index: int) -> tuple[int, int]:
    """The smallest statement around a token that was not left out before, as a range of indices. Of a function in
    short form it is the right side, if that is where the token stands."""
    partner = outline.partners(tokens)
    starts: list[int | None] = [0]
    for position in range(min(index, len(tokens))):
        kind = tokens[position].type
        if kind in BLOCKS:
            starts.append(None)
        elif kind == "END":
            starts = starts[:-1] or [0]
        elif kind in outline.SEPARATORS:
            starts[-1] = position + 1 if kind in ("NL", "ELSE") else None
    for start in reversed(starts):
        if start is None:
            continue
        end = outline.statement_end(tokens, partner, start)
        for first in (outline.right_side(tokens, partner, start), start):
            left_out = first is not None and end == first + 1 and outline.is_left_out(tokens[first])
            if first is not None and first < end and first <= index <= end and not left_out:
                return first, end
    return 0, len(tokens)


def _is_supplied(tokens: Sequence[Token], index: int) -> bool:
    """Whether an ``end`` stands here that the text lacks: there is a problem about it already."""
    return any(token.type == "END" and not token.value for token in tokens[index : index + 1])


def left_out(tokens: Sequence[Token]) -> Ready:
    """What stands for a broken statement."""
    found, names = summary(tokens), outline.target(tokens)
    does = found._replace(binds=found.mentions if names is None else names, anything="")
    header, defines = outline.header(tokens), outline.defined(tokens)
    name = None if header is None else Name(header.start, header.end, header.value)
    node = Unread(tokens[0].start, tokens[-1].end, "a statement that cannot be read", does, name, defines)
    return Ready("NODE", node, "")
