"""Julia as a source language. What cuts a file and parses its items is loaded when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from dp_lsp.intents import Rendering
from dp_lsp.language import Annotations, Argument, Builtins, Cursor, Language, Mention, Semantics, Syntax, Vocabulary
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Parsed
from dp_lsp.text import Span

_LONG = '"""'
_PLUTO = "### A Pluto.jl notebook ###"


class _Syntax(Syntax):
    """How Julia's text is read. What a lexer tells, and what needs the grammar, is loaded when it is asked for."""

    comment = "#"
    triggers = (":",)
    sample = "warm_up(x) = x\n"

    def refused(self, text: str) -> Problem | None:
        if not text.startswith(_PLUTO):
            return None
        from dp_lsp.frontends.problems import Notebook

        return Notebook.at(Span(0, len(_PLUTO)))

    def chunks(self, text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
        from dp_lsp.frontends.julia.chunks import chunks

        return chunks(text, look)

    def parse(self, chunk: Chunk) -> Parsed:
        from dp_lsp.frontends.julia.parse import parse

        return parse(chunk.text)

    def may_include(self, text: str) -> bool:
        return "include" in text

    def definable(self, text: str) -> frozenset[str] | None:
        from dp_lsp.frontends.julia.edits import definable

        return definable(text)

    def word_at(self, text: str, start: int) -> str:
        from dp_lsp.frontends.julia.tokens import word_at

        return word_at(text, start)

    def normalised(self, text: str) -> str:
        from dp_lsp.frontends.julia.folding import normalised

        return normalised(text)

    def mentions(self, text: str, span: Span) -> Iterator[Mention]:
        from dp_lsp.frontends.julia.edits import mentions

        return mentions(text, span)

    def comment_runs(self, text: str) -> list[Span]:
        from dp_lsp.frontends.julia.edits import comment_runs

        return comment_runs(text)

    def loose_comments(self, text: str) -> list[Span]:
        from dp_lsp.frontends.julia.edits import loose_comments

        return loose_comments(text)

    def is_plain(self, word: str) -> bool:
        return re.fullmatch(r"[^\W\d][\w′-‷]*!*", word) is not None

    def words(self, text: str) -> Iterator[str]:
        from dp_lsp.frontends.julia.edits import words

        return words(text)

    def assigned(self, before: str, after: str) -> bool:
        name = r"[^\W\d]\w*"
        target = rf"\s*\(?{name}(?:\s*,\s*{name})*\)?\s*[-+*/]?=\s*"
        return re.fullmatch(target, before) is not None and re.fullmatch(r"\s*(?:#.*)?", after) is not None

    def module_mark(self, text: str, start: int) -> bool | None:
        if re.compile(r"(?:bare)?module\s").match(text, start):
            return True
        return False if text.startswith("end", start) else None

    def documentation(self, text: str, start: int, end: int) -> Span | None:
        first, last = text.find(_LONG, start, end), text.rfind(_LONG, start, end)
        if first < last and text.find("\n", first, last) >= 0:
            return Span(first, last + len(_LONG))
        return None

    def alternative(self, text: str, start: int, end: int) -> tuple[int, bool] | None:
        found = text.rfind("else", start, end + len("else"))
        return None if found < 0 else (found, text.startswith("elseif", found))

    def cursor(self, text: str, start: int, offset: int) -> Cursor:
        from dp_lsp.frontends.julia.cursor import cursor

        return cursor(text, start, offset)

    def arguments(self, text: str, name: Span) -> list[Argument]:
        from dp_lsp.frontends.julia.cursor import arguments

        return arguments(text, name)

    def signature(self, name: str, arguments: list[Argument]) -> tuple[str, list[Span]]:
        from dp_lsp.frontends.julia.cursor import signature

        return signature(name, arguments)

    def is_comment(self, text: str) -> bool:
        from dp_lsp.frontends.julia.edits import is_comment

        return is_comment(text)

    def keeps_extents(self, before: str, after: str) -> bool:
        from dp_lsp.frontends.julia.edits import keeps_extents

        return keeps_extents(before, after)

    def is_inside(self, item: str, column: int, below: bool, before: str, after: str) -> bool:
        from dp_lsp.frontends.julia.edits import is_inside

        return is_inside(item, column, below, before, after)


class _Julia(Language):
    id = "julia"
    name = "Julia"
    suffixes = (".jl",)
    syntax = _Syntax()

    @cached_property
    def rendering(self) -> Rendering:
        from dp_lsp.frontends.julia.rendering import JuliaRendering

        return JuliaRendering()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        from dp_lsp.frontends.julia.vocabulary import Words

        return Words()

    @cached_property
    def builtins(self) -> Builtins:
        from dp_lsp.frontends.julia.vocabulary import julia_builtins

        return julia_builtins()

    @cached_property
    def annotations(self) -> Annotations:
        from dp_lsp.frontends.julia.type_names import JuliaAnnotations

        return JuliaAnnotations()

    @cached_property
    def semantics(self) -> Semantics:
        from dp_lsp.frontends.julia.semantics import JuliaSemantics

        return JuliaSemantics()


JULIA = _Julia()
