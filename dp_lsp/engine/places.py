"""A place in another file, as a problem names it."""

from __future__ import annotations

from dp_lsp.problem import There
from dp_lsp.text import Source, Span


def place_in(name: str, source: Source, span: Span) -> There:
    """A place in a file, as far as it stands on one line."""
    place = source.place(span.start)
    start, end = source.line_span(place.line)
    within = Span(span.start, max(span.start, min(span.end, end)))
    return There(name, within, place.line, source.text[start : span.start], source.text[within.start : within.end])
