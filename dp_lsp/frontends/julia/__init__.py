"""Julia as a source language. What cuts a file and parses its items is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from dp_lsp.intents import Rendering
from dp_lsp.language import Language, Mention, Syntax
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Parsed
from dp_lsp.text import Span

_PLUTO = "### A Pluto.jl notebook ###"


class _Syntax(Syntax):
    """How Julia's text is read. What a lexer tells, and what needs the grammar, is loaded when it is asked for."""

    comment = "#"

    def refused(self, text: str) -> Problem | None:
        if not text.startswith(_PLUTO):
            return None
        from dp_lsp.frontends.problems import Notebook

        return Notebook.at(Span(0, len(_PLUTO)))

    def chunks(self, text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
        from dp_lsp.frontends.julia.chunks import chunks

        return chunks(text, look)

    def parse(self, chunk: str) -> Parsed:
        from dp_lsp.frontends.julia.parse import parse

        return parse(chunk)

    def may_include(self, text: str) -> bool:
        return "include" in text

    def definable(self, text: str) -> frozenset[str] | None:
        from dp_lsp.frontends.julia.doubt import definable

        return definable(text)

    def word_at(self, text: str, start: int) -> str:
        from dp_lsp.frontends.julia.tokens import word_at

        return word_at(text, start)

    def mentions(self, text: str, span: Span) -> Iterator[Mention]:
        from dp_lsp.frontends.julia.mentions import mentions

        return mentions(text, span)

    def comment_runs(self, text: str) -> list[Span]:
        from dp_lsp.frontends.julia.mentions import comment_runs

        return comment_runs(text)


class _Julia(Language):
    id = "julia"
    name = "Julia"
    suffixes = (".jl",)
    syntax = _Syntax()

    @cached_property
    def rendering(self) -> Rendering:
        from dp_lsp.frontends.julia.rendering import JuliaRendering

        return JuliaRendering()


JULIA = _Julia()
