"""Where things stand in the text of a program that a repair is made in."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain, count

from dp_lsp.text import Span

NAME = re.compile(r"[^\W\d]\w*")
NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]{1,2})?"
LINES = r"(?:[^\n]*\n){0,60}?"
"""Some lines, of which there are not too many: a search goes back over them from each place where it may begin."""
_BRACKET = re.compile(r"[][(){}]")
_INNER = r"[\[({][^][(){}]*[\])}]"
_PARAMETER = re.compile(
    rf"[(,;]\s*([^\W\d]\w*(?:::(?:[^][(){{}},;=]|[\[({{](?:[^][(){{}}]|{_INNER})*[\])}}])+)?)\s*(?=[,;)])"
)


def closing(text: str, start: int) -> int:
    """Where the bracket is closed that is open at a place; the end of the text if it is not."""
    depth = 1
    for found in _BRACKET.finditer(text, start):
        depth += 1 if found[0] in "([{" else -1
        if not depth:
            return found.start()
    return len(text)


def opening(text: str, end: int) -> int:
    """Where the bracket stands on the same line that is open at a place; -1 if there is none."""
    depth = 0
    for at in range(end - 1, text.rfind("\n", 0, end), -1):
        depth += (text[at] in ")]}") - (text[at] in "([{")
        if depth < 0:
            return at
    return -1


def indentation(text: str, start: int) -> str:
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    return line[: len(line) - len(line.lstrip())]


def parameters_of(text: str, function: Span) -> list[Span]:
    end = closing(text, function.end + 1)
    return [Span(*found.span(1)) for found in _PARAMETER.finditer(text, function.end, end + 1)]


def arguments_of(text: str, start: int) -> list[Span]:
    """Where the arguments of a call stand whose bracket is open at a place."""
    end, found = closing(text, start), list[Span]()
    depth, begin = 0, start
    for at in range(start, end + 1):
        depth += (text[at] in "([{") - (text[at] in ")]}") if at < end else 0
        if at == end or (text[at] in ",;" and not depth):
            written = text[begin:at]
            lead = len(written) - len(written.lstrip())
            found.append(Span(begin + lead, begin + len(written.rstrip())))
            begin = at + 1
    return found


def mentions(name: str, *written: str) -> bool:
    """Whether a name stands anywhere in some pieces of a program, but for names of fields."""
    return any(re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", each) for each in written)


def new_name(name: str, known: Collection[str]) -> str:
    """A name that a text does not have yet."""
    return next(each for each in chain((name,), (f"{name}_{at}" for at in count(2))) if each not in known)
