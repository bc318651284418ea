"""What may be typed in an annotation: the words of ``dp_types`` that fit the type behind ``Annotated[``. Of the rest of
Python other servers tell what may be typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dp_lsp.frontends.python.chunks import pieces
from dp_lsp.language import Bracket, Cursor, Expected, Word

_ANNOTATED = "Annotated"
_CALLED = re.compile(rf"\b{_ANNOTATED}\Z")
_TYPED = re.compile(r"[^\W\d]\w*\Z")
_NOWHERE = Cursor(quiet=True)

_RELATIONS = ("AddRemove", "ChangeOne")
_SIZES = ("Size", "AtLeast")
_OF_NUMBERS = (*_RELATIONS, "Bounded", "Within", *_SIZES)
_FITTING = {
    "list": _OF_NUMBERS,
    "ndarray": (*_OF_NUMBERS, "Rows", "RowNorm"),
    "NDArray": (*_OF_NUMBERS, "Rows", "RowNorm"),
    "Series": (*_RELATIONS, "Bounded", "MayBeMissing", *_SIZES),
    "DataFrame": (*_RELATIONS, "Columns", *_SIZES),
    "float": ("Within",),
    "int": ("Within",),
}
"""The words that say something of a type, by its name, in the order in which they are needed."""
_WRITTEN = {
    "AddRemove": "AddRemove()",
    "ChangeOne": "ChangeOne()",
    "Bounded": "Bounded(${1:0}, ${2:100})",
    "Within": "Within()",
    "Size": "Size(${1:100})",
    "AtLeast": "AtLeast(${1:1})",
    "Rows": "Rows(${1:2})",
    "RowNorm": "RowNorm(${1:1})",
    "Columns": "Columns(${1:Age}=Bounded(${2:0}, ${3:120}))",
    "MayBeMissing": "MayBeMissing()",
}
"""How each is written, with places to fill in."""


def cursor(text: str, start: int, offset: int) -> Cursor:
    """What surrounds an offset inside an annotation, where something has been said of the type already; nothing is open
    at ``start``. ``before`` is what stands in the brackets before the word, but for what is inside others."""
    here = text[start:offset]
    open_: list[int] = []
    blank = list(here)
    for piece in pieces(here):
        if piece.kind == "open":
            open_.append(piece.start)
        elif piece.kind == "close" and open_:
            begin = open_.pop()
            blank[begin : piece.end] = " " * (piece.end - begin)
        elif piece.kind in ("long", "text", "comment"):
            if piece.end == len(here) and (piece.kind == "comment" or not piece.closed):
                return _NOWHERE
            blank[piece.start : piece.end] = " " * (piece.end - piece.start)
    if not open_ or here[open_[-1]] != "[" or not _CALLED.search(here, 0, open_[-1]):
        return _NOWHERE
    inside = "".join(blank[open_[-1] + 1 :])
    typed = _TYPED.search(inside)
    word = typed[0] if typed else ""
    if not inside.removesuffix(word).rstrip().endswith(","):
        return _NOWHERE
    before = inside.removesuffix(word)
    bracket = Bracket("[", _ANNOTATED, inside.count(","), call=False)
    return Cursor((bracket,), word, before, expected=Expected.TYPE)


def offered(here: Cursor) -> Iterator[Word]:
    """The words that may be said of the type beside those that are."""
    base, _, rest = here.before.partition(",")
    said = {name for name in _WRITTEN if re.search(rf"\b{name}\b", rest)}
    of = re.match(r"\s*(?:\w+\.)*(\w+)", base)
    for rank, name in enumerate(_FITTING.get(of[1], ()) if of else ()):
        if name not in said and _goes_with(name, said, of is not None and of[1] == "DataFrame"):
            snippet = _WRITTEN[name]
            text = re.sub(r"\$\{\d:(\w+)\}", r"\1", snippet)
            yield Word(text, "type", rank, "dp_types", snippet=snippet if "$" in snippet else "", name=name)


def _goes_with(name: str, said: set[str], of_table: bool) -> bool:
    """Whether a word may stand beside others: who is protected is said first, and of a table which columns it has."""
    related = not said.isdisjoint(_RELATIONS)
    if name == "Within" or "Within" in said:
        return not said
    if name in _RELATIONS:
        return not related
    if name in _SIZES and of_table and "Columns" not in said:
        return False
    return related and not (name == "Size" and "AddRemove" in said)
