"""What surrounds a cursor in the present text of a document, also where that is half typed."""

from __future__ import annotations

from dp_lsp.analysis.workspace import Document
from dp_lsp.language import Cursor

_FARTHEST = 50_000  # characters that are looked through; a longer function is read from its middle


def cursor(document: Document, offset: int) -> Cursor:
    """What surrounds an offset of the present text."""
    text = document.source.text
    offset = max(0, min(offset, len(text)))
    return document.language.syntax.cursor(text, _begin(document, offset), offset)


def _begin(document: Document, offset: int) -> int:
    """Where nothing is open, before an offset of the present text."""
    text = document.source.text
    far = max(0, text.rfind("\n", 0, max(0, offset - _FARTHEST)) + 1)
    if document.analysis is None:
        return far
    before = document.analysis.before(document.analysed_offset(offset))
    if before is None:
        return far
    now = document.present_start(before.start)
    return max(far, now) if now <= offset else far
