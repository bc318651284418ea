"""Broken text: what to tell about it, and how much of it to leave out."""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.frontends.julia import outline
from dp_lsp.frontends.julia.problems import MissingEnd, SyntaxProblem
from dp_lsp.frontends.julia.tokens import BINARY, BLOCKS, Broken, Ready, Token
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
    opened: list[tuple[Token, int | None]] = []

    def supply() -> None:
        opener = opened.pop()[0]
        last = next((token for token in reversed(kept) if token.type != "NL"), opener)
        kept.append(Token("END", last.end, last.end, ""))
        here = Related(f"`{opener.value}` opens here", Span(opener.start, opener.end))
        hint = "; `else if` opens another block, `elseif` does not" if _is_else_if(kept, opener) else ""
        span = Span(last.start, last.end)
        problems.append(MissingEnd.at(span, related=(here,), opener=opener.value, hint=hint))

    for token in tokens:
        if token.type in BLOCKS:
            opened.append((token, _margin(text, token.start)))
        elif token.type == "END":
            margin = _margin(text, token.start)
            outer = margin is not None and any(margin == other for _, other in opened[:-1])
            while missing > 0 and outer and opened and (opened[-1][1] or 0) > (margin or 0):
                supply()
                missing -= 1
            if opened:
                opened.pop()
        kept.append(token)
    while opened:
        supply()
    return kept, problems


def _margin(text: str, start: int) -> int | None:
    """How far a token is indented if it is the first of its line."""
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    return start - line if not text[line:start].strip(" \t") else None


def _is_else_if(tokens: Sequence[Token], opener: Token) -> bool:
    if opener.type != "IF":
        return False
    index = next(index for index, token in enumerate(tokens) if token is opener)
    return index > 0 and tokens[index - 1].type == "ELSE"


def explained(tokens: Sequence[Token], index: int) -> Problem:
    """Why the token at ``index`` (or the end of the text) cannot follow what stands before it."""
    token = tokens[index] if index < len(tokens) else None
    if isinstance(token, Broken):
        return token.problem
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
    """The smallest statement around a token that was not left out before, as a range of indices."""
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
        left_out = end == start + 1 and is_left_out(tokens[start])
        if start < end and index <= end and not left_out:
            return start, end
    return 0, len(tokens)


def is_left_out(token: Token) -> bool:
    return isinstance(token, Ready) and isinstance(token.node, Opaque) and token.node.broken


def left_out(tokens: Sequence[Token]) -> Ready:
    """What stands for a broken statement."""
    names = outline.mentions(tokens)
    what = "a statement that cannot be read"
    node = Opaque(tokens[0].start, tokens[-1].end, what, names, outline.target(tokens), broken=True)
    return Ready("NODE", node, "")
