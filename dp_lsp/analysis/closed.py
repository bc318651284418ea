"""What is known of a file that is not open, at places that mean something without its text."""

from __future__ import annotations

import hashlib

from dp_lsp.analysis.names import Spot
from dp_lsp.analysis.records import State
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Source, Span


class Corner(NamedTuple):
    """A place in a text: its line, counted from 1, and what stands before it on that line."""

    line: int
    before: str

    @classmethod
    def of(cls, source: Source, offset: int) -> Corner:
        """An offset of a text as such a place."""
        place = source.place(offset)
        return cls(place.line, source.line(place.line)[: place.column - 1])


class Stretch(NamedTuple):
    """A range of a text."""

    start: Corner
    end: Corner

    @classmethod
    def of(cls, source: Source, span: Span) -> Stretch:
        """A range of offsets as such a range."""
        return cls(Corner.of(source, span.start), Corner.of(source, span.end))


TOP = Stretch(Corner(1, ""), Corner(1, ""))
"""Where a text begins."""


class PlacedProblem(NamedTuple):
    """A problem of a file that is not open. It has no fixes, and says of all that helps to understand it in which file
    that stands: spans mean nothing."""

    problem: Problem
    where: Stretch


class PlacedFunction(NamedTuple):
    """A function of such a file: its state, and its name with the place of that."""

    state: State
    spot: Spot


class ClosedReport(NamedTuple):
    """What is wrong with a file that is not open, and which functions it has."""

    problems: tuple[PlacedProblem, ...]
    functions: tuple[PlacedFunction, ...]

    @property
    def result(self) -> str:
        """A name for what is wrong; equal names, equal problems."""
        return hashlib.blake2b(repr(self.problems).encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class IncludeEdit(NamedTuple):
    """Another path for an `include`: in which file, in which revision of it if it is open, and where the old one
    stands."""

    file: str
    revision: int | None
    where: Stretch
    path: str
