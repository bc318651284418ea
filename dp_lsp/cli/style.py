"""How text looks in a terminal: colours by role, and how many columns a text takes."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import click

Paint = Callable[[str, str], str]
"""Gives a text the look of a role. What a role means must also stand there in words or shapes."""

TAB = 4

_LOOKS: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "information": {"fg": "cyan", "bold": True},
    "hint": {"fg": "cyan"},
    "proved": {"fg": "green", "bold": True},
    "failed": {"fg": "red", "bold": True},
    "unknown": {"fg": "yellow", "bold": True},
    "rule": {"fg": "blue"},
    "related": {"fg": "blue"},
    "strong": {"bold": True},
}

# These turn the direction of what follows, so that code would be read in another order than it is run in.
_BIDIRECTIONAL = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str, role: str) -> str:
    """The paint of a pipe: none."""
    return text


def coloured(text: str, role: str) -> str:
    """The paint of a terminal."""
    return click.style(text, **_LOOKS[role]) if text and role in _LOOKS else text


def wants_colour(choice: str, to_file: bool = False) -> bool:
    """Whether to colour standard output: as the option says, else the environment, else for a terminal."""
    if choice != "auto":
        return choice == "always"
    if to_file or os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or is_terminal(sys.stdout)


def is_terminal(stream: Any) -> bool:
    """Whether a person reads this stream on a terminal that can move its cursor."""
    return stream is not None and stream.isatty() and os.environ.get("TERM") != "dumb"


def cell(character: str, column: int = 0) -> tuple[str, int]:
    """A character as it may be printed in this column, and how many columns it takes."""
    if character == "\t":
        size = TAB - column % TAB
        return " " * size, size
    if character < " ":
        return chr(0x2400 + ord(character)), 1
    if character.isascii() and character != "\x7f":
        return character, 1
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Zl", "Zp") or character in _BIDIRECTIONAL:
        return "\N{REPLACEMENT CHARACTER}", 1
    if category in ("Mn", "Me", "Cf"):
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str) -> str:
    """A text on one line, without anything that would steer the terminal."""
    return "".join(cell(character)[0] for character in " ".join(text.splitlines()))


def width(text: str) -> int:
    """How many columns a text takes that is :func:`printable` and has no colour yet."""
    return sum(cell(character)[1] for character in text)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces."""
    return text + " " * (columns - width(text))
