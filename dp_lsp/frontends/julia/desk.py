"""What the lexer keeps while it reads: the tokens so far, and one stack of brackets and blocks."""

from __future__ import annotations

from dp_lsp.frontends.julia.tokens import BLOCKS, OPENERS, OPERANDS, SQUARE, Broken, Ready, Token
from dp_lsp.frontends.problems import SyntaxProblem, Unclosed
from dp_lsp.problem import Problem
from dp_lsp.surface import NO_EFFECT, Node, Opaque, Summary
from dp_lsp.text import Span


class Frame:
    """An open bracket or block. ``queries`` counts the ``?`` that wait for their ``:``; in ``quoted`` brackets any
    statement may stand."""

    __slots__ = ("block", "bracket", "first_line", "header", "opener", "queries", "quoted", "square")

    def __init__(self, opener: Token) -> None:
        self.opener = opener
        self.bracket = opener.type in OPENERS
        self.square = opener.type in SQUARE
        self.block = opener.type in BLOCKS
        self.header = opener.type == "FOR"  # a target stands next, so `in` and `=` belong to the loop
        self.first_line = True
        self.queries = 0
        self.quoted = False


class Desk:
    """A text being cut into tokens. Afterwards ``tokens`` cover it, and the other fields say how it ends.

    What people hardly write, such as a ``return`` that begins a line inside brackets, is taken for the sign that
    something before it was never closed; not so if the text is read ``literal``, as Julia does."""

    def __init__(self, text: str, literal: bool = False) -> None:
        self.text = text
        self.literal = literal
        self.guessed = False
        """Whether something that Julia may read was taken for a mistake."""
        self.tokens: list[Token] = []
        self.nothing = Token("", -1, -1, "")
        self.last = self.nothing
        self.base = Frame(Token("", 0, 0, ""))
        self.frames = [self.base]
        self.frame = self.base
        self.broke_line = False  # since the last token, inside brackets
        self.nesting = 0  # of strings around this text, if it is the code in one
        self.wrong = 0  # how often the text stopped being Julia
        self.surplus: list[int] = []
        """Where an ``end`` stands that closes nothing."""
        self.remarks: list[Span] = []
        """Where comments stand that speak to the checker."""
        self.breaks: list[int] = []
        """Where a statement ends that is inside of nothing, with a line or a semicolon."""
        self.rests: list[int] = []
        """Where a line ends with nothing open."""
        self.gave_up: int | None = None
        """The first place where a statement began inside brackets."""
        self.unclosed: tuple[str, int] | None = None
        """The mark and the place of the first string or comment that never ends: see :func:`strings.end_of`."""

    def _add(self, type: str, start: int, end: int, value: str) -> int:
        self.last = Token(type, start, end, value)
        self.tokens.append(self.last)
        self.broke_line = False
        return end

    def _ready(self, start: int, end: int, what: str, summary: Summary = NO_EFFECT) -> int:
        return self._made(Opaque(start, end, what, summary))

    def _made(self, node: Node) -> int:
        """A piece that is read already."""
        self._operand(node.start)
        self.last = Ready("NODE", node, self.text[node.start : node.end])
        self.tokens.append(self.last)
        self.broke_line = False
        return node.end

    def _broken(self, start: int, end: int, reason: str) -> int:
        return self._unreadable(start, end, SyntaxProblem.at(Span(start, end), reason=reason))

    def _unreadable(self, start: int, end: int, problem: Problem) -> int:
        self.wrong += 1
        self.last = Broken(start, end, self.text[start:end], problem)
        self.tokens.append(self.last)
        return end

    def _push(self, type: str, start: int, end: int, value: str) -> int:
        self._add(type, start, end, value)
        self.frame = Frame(self.last)
        self.frames.append(self.frame)
        return end

    def _pop(self) -> None:
        self.frames.pop()
        self.frame = self.frames[-1]

    def _operand(self, start: int) -> None:
        """Something that begins an operand stands at ``start``: what if there is an operand before it?"""
        last = self.last
        if self.frame.bracket and last.type in OPERANDS and last.end != start:
            if self.frame.square:
                self._is_matrix()
            elif self.broke_line:
                self._unwind(start)

    def _is_matrix(self) -> None:
        """The square bracket that is open holds rows written with blanks, line breaks or semicolons."""
        opener = self.frame.opener
        opener.type = {"LSQB": "MATRIX", "INDEX": "CONCAT"}.get(opener.type, opener.type)

    def _unwind(self, start: int) -> None:
        """A statement begins inside brackets: give up on them."""
        opener = self.frame.opener
        self.gave_up = start if self.gave_up is None else self.gave_up
        self._unreadable(start, start, Unclosed.at(Span(opener.start, opener.end), thing=f"`{opener.value}`"))
        while self.frame.bracket:
            self._pop()
        self._add("NL", start, start, "")

    def _is_so(self) -> bool:
        """Whether what looks like a mistake is read as it stands."""
        self.guessed = self.guessed or not self.literal
        return self.literal

    @property
    def is_right(self) -> bool:
        """Whether all was read so far as Julia does, but for an ``end`` that may close what stands before the text."""
        return not self.guessed and self.wrong == len(self.surplus)

    def _in_block(self) -> bool:
        return any(frame.block for frame in self.frames)

    def _begins_line(self) -> bool:
        """Whether the next token is the first one on its line, inside brackets."""
        return self.frame.bracket and self.broke_line

    def finish(self) -> int:
        """Give up on brackets that are open at the end; the number of blocks that are."""
        if self.frame.bracket:
            self._unwind(len(self.text))
        return sum(frame.block for frame in self.frames)
