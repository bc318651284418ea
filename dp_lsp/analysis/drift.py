"""Where the parts of an old text stand in a newer one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dp_lsp.problem import Edit
from dp_lsp.text import Span


class Patch(NamedTuple):
    """What stood at ``old`` in the old text was replaced by what stands at ``new`` in the new one."""

    old: Span
    new: Span


class Drift:
    """The difference between two texts as a few patches: in order, and never touching each other. Immutable."""

    __slots__ = ("patches",)

    def __init__(self, patches: tuple[Patch, ...] = ()) -> None:
        self.patches = patches

    def after(self, edits: Iterable[Edit]) -> Drift:
        """The drift with some more edits, each of them in a text that has the earlier ones."""
        drift = self
        for edit in edits:
            drift = Drift(drift._with(edit))
        return drift

    def _with(self, edit: Edit) -> tuple[Patch, ...]:
        (start, end), text = edit
        before = [patch for patch in self.patches if patch.new.end < start]
        behind = [patch for patch in self.patches if patch.new.start > end]
        touched = self.patches[len(before) : len(self.patches) - len(behind)]
        old_start, old_end = self.back(start), self.back(end)
        if touched and touched[0].new.start <= start:
            start, old_start = touched[0].new.start, touched[0].old.start
        if touched and touched[-1].new.end >= end:
            end, old_end = touched[-1].new.end, touched[-1].old.end
        grown = len(text) - (edit.span.end - edit.span.start)
        merged = Patch(Span(old_start, old_end), Span(start, end + grown))
        return (*before, merged, *(patch._replace(new=patch.new.moved(grown)) for patch in behind))

    def back(self, offset: int) -> int:
        """The offset in the old text; that of the start of what was replaced, for a place in new text."""
        shift = 0
        for old, new in self.patches:
            if offset < new.start:
                break
            if offset < new.end:
                return old.start
            shift = old.end - new.end
        return offset + shift

    def forward(self, span: Span) -> Span | None:
        """The range in the new text, without what was replaced at its ends; None if nothing is left of it."""
        start, end = self._start(span.start), self._end(span.end)
        return Span(start, end) if start < end or (start == end and span.start == span.end) else None

    def _start(self, offset: int) -> int:
        shift = 0
        for old, new in self.patches:
            if offset < old.start:
                break
            if offset < old.end:
                return new.end
            shift = new.end - old.end
        return offset + shift

    def _end(self, offset: int) -> int:
        shift = 0
        for old, new in self.patches:
            if offset <= old.start:
                break
            if offset < old.end:
                return new.start
            shift = new.end - old.end
        return offset + shift

    def before(self, offset: int) -> int:
        """The offset in the new text of a place in the old one; that of the start of what replaces it, if anything
        does or was put in there."""
        shift = 0
        for old, new in self.patches:
            if offset < old.start:
                break
            if offset < old.end or offset == old.start:
                return new.start
            shift = new.end - old.end
        return offset + shift
