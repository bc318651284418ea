"""Python as a source language, with the words of ``dp_types``. What parses is loaded when it is asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from dp_lsp.intents import Rendering
from dp_lsp.language import Annotations, Argument, Builtins, Cursor, Language, Semantics, Syntax, Vocabulary
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Parsed, Sought
from dp_lsp.text import Span

# They are compiled when they are asked for: who checks another language has no need of them.
_NAME = r"[^\W\d]\w*"
_MODULE = rf"{_NAME}(?:\.{_NAME})*(?:[ \t]+as[ \t]+{_NAME})?"
_OURS = rf"(?m)^[ \t]*(?:from|import(?:[ \t]+{_MODULE}[ \t]*,)*)[ \t]+dp_types\b"
_IMPORTS = r"\bimport\b"
_COOKIE = r"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)"
_COMMENTS = r"(?m)^[ \t]*#[^\n]*(?:\n[ \t]*#[^\n]*)+"


class _Syntax(Syntax):
    """How Python's text is read."""

    comment = "#"
    mark = "dp_types"
    modules = True
    sample = "from dp_types import Private\n\ndef warm_up(x: float):\n    return x\n"

    def refused(self, text: str) -> Problem | None:
        found = re.match(_COOKIE, text)
        if found is None or found[1].lower().replace("_", "-") in ("utf-8", "utf8", "ascii", "us-ascii"):
            return None
        from dp_lsp.frontends.problems import SyntaxProblem

        reason = f"files are read as UTF-8, and this one says that it is `{found[1]}`"
        return SyntaxProblem.at(Span(*found.span(1)), reason=reason)

    def chunks(self, text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
        from dp_lsp.frontends.python.aliases import (
            aliases,
            classes,
            defaults,
            functions,
            helpers,
            lists,
            with_aliases,
            with_drawing,
        )
        from dp_lsp.frontends.python.chunks import chunks, items

        found = items(text, look)
        known = aliases(text, found)
        written = {**lists(text, found), **functions(text, found), **defaults(text, found)}
        mentioned = {**known, **helpers(text, found), **written, **classes(text, found)}
        made = tuple(with_aliases(each, mentioned) for each in chunks(text, found, known))
        return with_drawing(text, made)

    def parse(self, chunk: Chunk) -> Parsed:
        from dp_lsp.frontends.python import aliases, parse, scripts

        named, makers = aliases.meanings(chunk.context), aliases.mechanisms(chunk.context)
        listed = aliases.listed(chunk.context)
        if scripts.is_script(chunk.text, named):
            return scripts.parse(chunk.text, named, makers, listed)
        written = aliases.objects(chunk.context), aliases.functions_named(chunk.context)
        return parse.parse(chunk.text, named, makers, listed, *written, aliases.drawing(chunk.context))

    def cell(self, text: str) -> str:
        from dp_lsp.frontends.python.notebooks import commented

        return commented(text)

    def concerns(self, text: str) -> bool:
        """A file that does not import ``dp_types`` is a program like most."""
        return self.mark in text and re.search(_OURS, text) is not None

    def passed_over(self, text: str) -> Problem:
        from dp_lsp.frontends.python.imports import passed_over

        return passed_over(text)

    def may_include(self, text: str) -> bool:
        return re.search(_IMPORTS, text) is not None

    def sought(self, path: str) -> Sought:
        from dp_lsp.frontends.python.imports import sought

        return sought(path)

    def normalised(self, text: str) -> str:
        if text.isascii():
            return text
        from unicodedata import normalize

        return normalize("NFKC", text)

    def word_at(self, text: str, start: int) -> str:
        found = re.compile(_NAME).match(text, start)
        return found[0] if found else ""

    def comment_runs(self, text: str) -> list[Span]:
        from dp_lsp.frontends.python.chunks import comments

        starts = {span.start for span in comments(text)}
        runs = (Span(*found.span()) for found in re.finditer(_COMMENTS, text))
        return [run for run in runs if text.index("#", run.start) in starts]

    def cursor(self, text: str, start: int, offset: int) -> Cursor:
        from dp_lsp.frontends.python.words import cursor

        return cursor(text, start, offset)

    def arguments(self, text: str, name: Span) -> list[Argument]:
        from dp_lsp.frontends.python.chunks import arguments

        return arguments(text, name)

    def signature(self, name: str, arguments: list[Argument]) -> tuple[str, list[Span]]:
        label, places = f"{name}(", []
        for index, each in enumerate(arguments):
            label += ", " if index else ""
            places.append(Span(len(label), len(label) + len(each.text)))
            label += each.text
        return f"{label})", places


class _Python(Language):
    id = "python"
    name = "Python"
    suffixes = (".py", ".ipynb")
    served = True
    syntax = _Syntax()

    @cached_property
    def rendering(self) -> Rendering:
        from dp_lsp.frontends.python.rendering import PythonRendering

        return PythonRendering()

    @cached_property
    def vocabulary(self) -> Vocabulary:
        from dp_lsp.frontends.python.words import PythonWords

        return PythonWords()

    @cached_property
    def builtins(self) -> Builtins:
        from dp_lsp.frontends.python.words import python_builtins

        return python_builtins()

    @cached_property
    def annotations(self) -> Annotations:
        from dp_lsp.frontends.python.annotations import PythonAnnotations

        return PythonAnnotations()

    @cached_property
    def semantics(self) -> Semantics:
        from dp_lsp.frontends.python.semantics import PythonSemantics

        return PythonSemantics()


PYTHON = _Python()
