"""A source language as the rest of the program sees it: how its text is read, and nothing of what its words look like.

A language is a folder of `frontends`. It makes the surface tree, in which builtins and types have the names that the
tables have, so nobody behind it looks at text to understand it; who shows text, or must say something of text that is
half typed, asks the language of the file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dp_lsp.intents import Rendering
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Parsed
from dp_lsp.text import Span


class Mention(NamedTuple):
    """A name in text without a meaning, and its place. ``binds`` says that it is assigned there, ``outside`` that it is
    declared to be a top-level one; ``of`` is the name that it is a field of, or a member, and ``.`` where that is no
    name."""

    span: Span
    name: str
    binds: bool = False
    outside: bool = False
    of: str = ""


class Syntax(ABC):
    """How the text of a language is read. Nothing raises on any text; offsets count code points. ``comment`` begins a
    comment that ends with its line."""

    comment: str

    def refused(self, text: str) -> Problem | None:
        """Why a file is none that can be checked as a whole."""
        return None

    @abstractmethod
    def chunks(self, text: str, look: Callable[[], None]) -> tuple[Chunk, ...]:
        """The top-level items of a file, in order. Blank lines and loose comments belong to none, but a loose comment
        that speaks to the checker is one. ``look`` is called before each, and may raise to stop."""

    @abstractmethod
    def parse(self, chunk: str) -> Parsed:
        """The surface nodes of a chunk and what is wrong with it, at places relative to the chunk."""

    @abstractmethod
    def may_include(self, text: str) -> bool:
        """Whether it is worth parsing a text to see which files it includes."""

    def definable(self, text: str) -> frozenset[str] | None:
        """The names that a text may define of which it is not known whether it is code; None if it may be any. Rather
        too many than too few."""
        return None

    @abstractmethod
    def word_at(self, text: str, start: int) -> str:
        """The identifier that begins at a place, as it is spelled; empty if none does."""

    @abstractmethod
    def mentions(self, text: str, span: Span) -> Iterator[Mention]:
        """The names in a piece of a chunk that has no meaning for the checker."""

    @abstractmethod
    def comment_runs(self, text: str) -> list[Span]:
        """Where lines of a chunk follow each other that hold nothing but a comment."""


class Language(ABC):
    """A source language. ``id`` is what editors call it, ``name`` what people do, and ``suffixes`` are how the names of
    its files end. Making one is cheap: what reads text is loaded when text is read."""

    id: str
    name: str
    suffixes: tuple[str, ...]
    syntax: Syntax

    @property
    @abstractmethod
    def rendering(self) -> Rendering:
        """How it is written: in messages, and in repairs."""
