"""What can be read off a row of tokens without a grammar: what closes what, and which names stand there."""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.frontends.julia.tokens import BLOCKS, MATES, OPENERS, Ready, Token, words
from dp_lsp.surface import Opaque

CLOSING = {"RPAR": ")", "RSQB": "]", "RBRACE": "}", "END": "end"}
SEPARATORS = words("NL ELSE ELSEIF CATCH FINALLY")


def partners(tokens: Sequence[Token]) -> list[int]:
    """For each token that opens or closes something the index of its counterpart, for all others -1."""
    found = [-1] * len(tokens)
    opened: list[int] = []
    for index, token in enumerate(tokens):
        kind = token.type
        if kind in OPENERS or kind in BLOCKS:
            opened.append(index)
        elif kind in CLOSING:
            # Brackets that the lexer gave up on may lie between.
            while opened and tokens[opened[-1]].type in OPENERS and _mark(tokens[opened[-1]]) != CLOSING[kind]:
                opened.pop()
            if opened and _mark(tokens[opened[-1]]) == CLOSING[kind]:
                other = opened.pop()
                found[index], found[other] = other, index
    return found


def _mark(opener: Token) -> str:
    return MATES.get(opener.type, "end")


def statement_end(tokens: Sequence[Token], partner: Sequence[int], start: int) -> int:
    """The index of the token after the statement that begins at ``start``."""
    index = start
    while index < len(tokens):
        kind = tokens[index].type
        if kind in SEPARATORS or kind in CLOSING:
            break
        index = max(index, partner[index]) + 1
    return index


def is_string(token: Token) -> bool:
    """Whether a token is a string, which may be a docstring."""
    return token.type == "STRING" or (token.type == "NODE" and token.value.endswith('"'))


def is_left_out(token: Token) -> bool:
    """Whether a token stands for text that could not be read."""
    return isinstance(token, Ready) and isinstance(token.node, Opaque) and token.node.broken


def target(tokens: Sequence[Token]) -> frozenset[str] | None:
    """The names that a broken statement defines, or None if its beginning does not say so."""
    kinds = [token.type for token in tokens[:2]]
    if kinds == ["FUNCTION", "NAME"]:
        return frozenset((tokens[1].value,))
    if kinds == ["NAME", "CALL"]:
        after = [token.type for token in tokens[_after_call(tokens, 0, partners(tokens)) :][:1]]
        return frozenset((tokens[0].value,)) if after in (["ASSIGN"], ["TYPE"]) else None
    for index, token in enumerate(tokens):
        if token.type in ("ASSIGN", "OPASSIGN"):
            return frozenset(t.value for t in tokens[:index] if t.type == "NAME") if index else None
        if token.type not in ("NAME", "COMMA", "LPAR", "RPAR", "CONST", "TYPE"):
            return None
    return None


def header(tokens: Sequence[Token]) -> Token | None:
    """The name of the function whose definition a broken statement begins; None if its beginning does not say so. A
    call with a bracket that is never closed is taken for a header if there is a type in it."""
    partner, kinds = partners(tokens), [token.type for token in tokens[:2]]
    is_open = kinds == ["NAME", "CALL"] and _after_call(tokens, 0, partner) == len(tokens)
    if is_open and any(token.type == "TYPE" for token in tokens):
        return tokens[0]
    return _header(tokens, partner, 0)


def defined(tokens: Sequence[Token]) -> frozenset[str]:
    """The functions whose definitions begin anywhere in a broken statement."""
    partner = partners(tokens)
    found = (_header(tokens, partner, start) for start in range(len(tokens)))
    return frozenset(token.value for token in found if token is not None)


def _header(tokens: Sequence[Token], partner: Sequence[int], start: int) -> Token | None:
    """The name of the function whose definition begins at ``start``."""
    kinds = [token.type for token in tokens[start : start + 2]]
    if kinds == ["FUNCTION", "NAME"]:
        return tokens[start + 1]
    if kinds != ["NAME", "CALL"]:
        return None
    after = [token.type for token in tokens[_after_call(tokens, start, partner) :][:1]]
    return tokens[start] if after in (["ASSIGN"], ["KWASSIGN"], ["TYPE"]) else None


def right_side(tokens: Sequence[Token], partner: Sequence[int], start: int) -> int | None:
    """Where the right side begins of a function in short form that begins at ``start``; None if none does."""
    if [token.type for token in tokens[start : start + 2]] != ["NAME", "CALL"]:
        return None
    index = _after_call(tokens, start, partner)
    while index < len(tokens) and tokens[index].type not in SEPARATORS and tokens[index].type not in CLOSING:
        if tokens[index].type == "ASSIGN":
            return index + 1
        index = max(index, partner[index]) + 1
    return None


def _after_call(tokens: Sequence[Token], start: int, partner: Sequence[int]) -> int:
    """The index of what follows a call that begins at ``start``."""
    return partner[start + 1] + 1 if partner[start + 1] > 0 else len(tokens)
