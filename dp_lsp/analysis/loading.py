"""Where the texts of a check come from, as the engine sees it: it never opens a file itself."""

from __future__ import annotations

from typing import Any, Protocol

from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Problem
from dp_lsp.text import Span


class SourceText(NamedTuple):
    """What was read. With a ``problem`` the text is no program: it only shows where the problem is. ``language`` is the
    id of the one that it is said to be written in; without one its file's name tells."""

    content: str
    problem: Problem | None = None
    language: str = ""


class Faulty(NamedTuple):
    """The text of a file that says nothing, and what is wrong with it."""

    text: str
    problems: tuple[Problem, ...]


class ReadRefusal(NamedTuple):
    """Why an `include` leads to no file: a kind of problem with what its message says."""

    kind: type[Kind]
    facts: dict[str, Any]

    def at(self, span: Span) -> Problem:
        """The problem, at the place of the `include`."""
        return self.kind.at(span, **self.facts)


class Loader(Protocol):
    """Finds files by the names it gives them; equal names are one file."""

    def included(self, by: str, path: str) -> str | ReadRefusal:
        """The name of the file that ``include("path")`` in the file ``by`` means, which need not be readable."""
        ...

    def text(self, name: str) -> SourceText:
        """The text of a file. The same object as long as it does not change is compared fastest."""
        ...


def shown(name: str) -> str:
    """A file for a person who knows in which folder it is."""
    return name.replace("\\", "/").rpartition("/")[2]
