"""Pages for persons: Markdown as it is written by us, on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest

from dp_lsp.cli.style import Paint, cell

_BLOCK = re.compile(
    r"^```.*\n(?P<code>(?:.*\n)*?)```$"
    r"|^#+ (?P<heading>.*)"
    r"|^(?P<table>\|.*(?:\n\|.*)*)"
    r"|^(?P<item> *(?:- |\d+\. )?)(?P<text>.+(?:\n(?! *(?:- |\d+\. |#|\||```)).+)*)",
    re.MULTILINE,
)
_INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(.+?)\*\*|\*(\S[^*]*)\*|\\([!-/:-@\[-`{-~])")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")

Mark = tuple[str, str]
"""A character and its role."""


def shown(page: str, columns: int, paint: Paint) -> str:
    """A page in so many columns: headings, lists, tables, code and emphasis. All else is as it is written."""
    lines, end = list[str](), 0
    for block in _BLOCK.finditer(page):
        lines += [""] * ("\n\n" in page[end : block.start()])
        end = block.end()
        code, heading, table, item, text = block.groups()
        if code is not None:
            lines += [paint(f"    {line}", "code") for line in code.splitlines()]
        elif heading is not None:
            lines += [_painted(line, paint) for line in _wrapped(_inline(heading, "strong"), columns)]
        elif table is not None:
            lines += _table(table.splitlines(), columns, paint)
        else:
            wrapped = _wrapped(_inline(" ".join(text.split())), columns - len(item))
            lines += [(" " * len(item) if n else item) + _painted(line, paint) for n, line in enumerate(wrapped)]
    return "".join(f"{line}\n" for line in lines)


def _inline(text: str, role: str = "") -> Iterator[Mark]:
    """A text without its markup."""
    at = 0
    for found in _INLINE.finditer(text):
        yield from ((char, role) for char in text[at : found.start()])
        at = found.end()
        _, code, strong, emphasised, escaped = found.groups()
        if code is not None:
            fenced = "`" in code and code[0] == code[-1] == " "
            yield from ((char, "code") for char in (code[1:-1] if fenced else code).replace("\\|", "|"))
        elif escaped is not None:
            yield escaped, role
        else:
            yield from _inline(strong or emphasised, "strong" if strong else role)
    yield from ((char, role) for char in text[at:])


def _wrapped(marks: Iterable[Mark], columns: int) -> Iterator[list[Mark]]:
    """Lines of words; a word that is longer than a line is broken."""
    line, space = list[Mark](), list[Mark]()
    for is_space, run in groupby(marks, lambda mark: mark[0] == " "):
        word = list(run)
        if is_space:
            space = word
            continue
        if line and _width(line + space + word) > columns:
            yield line
            line = []
        line += [*space, *word] if line else word
        while _width(line) > columns:
            size = max(1, next(size for size in range(len(line)) if _width(line[: size + 1]) > columns))
            yield line[:size]
            line = line[size:]
    yield line


def _width(marks: Iterable[Mark]) -> int:
    return sum(cell(char)[1] for char, _ in marks)


def _painted(marks: Iterable[Mark], paint: Paint) -> str:
    return "".join(paint("".join(char for char, _ in run), role) for role, run in groupby(marks, lambda mark: mark[1]))


def _table(lines: list[str], columns: int, paint: Paint) -> Iterator[str]:
    """A table below its head; what is too wide for a cell is broken."""
    head, _, *body = ([each.strip() for each in _BETWEEN_CELLS.split(line)[1:-1]] for line in lines)
    rows = [[list(_inline(each, "strong")) for each in head], *([list(_inline(each)) for each in row] for row in body)]
    widths = _fitted([max(map(_width, column)) for column in zip(*rows, strict=True)], columns)
    for row in rows:
        broken = [_wrapped(each, width) for each, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*broken, fillvalue=list[Mark]()):
            cells = zip(parts, widths, strict=True)
            yield "  ".join(_painted(part, paint) + " " * (width - _width(part)) for part, width in cells).rstrip(" ")


def _fitted(natural: list[int], columns: int) -> list[int]:
    """How wide columns are: what they need, if that is less than an equal share of what is left."""
    fitted, left = [0] * len(natural), columns - 2 * (len(natural) - 1)
    narrow_first = sorted(range(len(natural)), key=natural.__getitem__)
    for done, index in enumerate(narrow_first):
        fitted[index] = max(1, min(natural[index], left // (len(natural) - done)))
        left -= fitted[index]
    return fitted
