"""Broken text: what to tell about it, and how much of it to leave out."""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.frontends.julia import outline
from dp_lsp.frontends.julia.summary import summary
from dp_lsp.frontends.julia.tokens import BINARY, BLOCKS, OPERANDS, Broken, Ready, Token
from dp_lsp.frontends.problems import MissingEnd, SyntaxProblem
from dp_lsp.problem import Problem, Related
from dp_lsp.surface import Opaque
from dp_lsp.text import Span

_LONGEST_QUOTE = 30


def supply_ends(tokens: Sequence[Token], text: str, missing: int) -> tuple[list[Token], list[Problem]]:
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


def explained(tokens: Sequence[Token], index: int, statement: Sequence[Token]) -> Problem:
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


def damaged(tokens: Sequence[Token], index: int) -> tuple[int, int]:
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


def is_supplied(tokens: Sequence[Token], index: int) -> bool:
    """Whether an ``end`` stands here that the text lacks: there is a problem about it already."""
    return any(token.type == "END" and not token.value for token in tokens[index : index + 1])


def left_out(tokens: Sequence[Token]) -> Ready:
    """What stands for a broken statement."""
    found, names = summary(tokens), outline.target(tokens)
    does = found._replace(binds=found.mentions if names is None else names, anything="")
    node = Opaque(tokens[0].start, tokens[-1].end, "a statement that cannot be read", does, broken=True)
    return Ready("NODE", node, "")
