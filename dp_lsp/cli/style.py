"""How text looks in a terminal: colours by role, and how many columns a text takes. Text of users means nothing there,
nor in the formats that give some of its characters a meaning."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

import click

Paint = Callable[[str, str], str]
"""Gives a text the look of a role. What a role means must also stand there in words or shapes."""

Link = Callable[[str, str], str]
"""Makes a text lead to an address."""

TAB = 4

_LOOKS: dict[str, dict[str, Any]] = {
    "error": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow", "bold": True},
    "information": {"fg": "cyan", "bold": True},
    "hint": {"fg": "cyan"},
    "proved": {"fg": "green", "bold": True},
    "assumed": {"fg": "blue", "bold": True},
    "failed": {"fg": "red", "bold": True},
    "unknown": {"fg": "yellow", "bold": True},
    "rule": {"fg": "blue"},
    "related": {"fg": "blue"},
    "strong": {"bold": True},
    "code": {"fg": "cyan"},
}

# What tells of terminals that show links.
_SETS_WITH_LINKS = ("WT_SESSION", "KONSOLE_VERSION", "DOMTERM")
_PROGRAMS_WITH_LINKS = frozenset(("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby", "zed"))
_TERMS_WITH_LINKS = frozenset(("kitty", "alacritty", "ghostty", "foot", "foot-extra", "contour"))
_FIRST_VTE_WITH_LINKS = 5000  # the first ones crashed

COMMAND = re.compile(r"##(?=\w*\[)")
"""What a build server takes for a command to itself, wherever in a line it stands: ##[name] or ##name[ ... ]."""

# These turn the direction of what follows, so that code would be read in another order than it is run in.
BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def plain(text: str, role: str) -> str:
    """The paint of a pipe: none."""
    return text


def coloured(text: str, role: str) -> str:
    """The paint of a terminal."""
    return click.style(text, **_LOOKS[role]) if text and role in _LOOKS else text


def unlinked(text: str, address: str) -> str:
    """The link of whatever is no terminal: none."""
    return text


def linked(text: str, address: str) -> str:
    """The link of a terminal."""
    return f"\033]8;;{address}\033\\{text}\033]8;;\033\\"


def wants_links(to_file: bool = False) -> bool:
    """Whether standard output is a terminal that shows links: one that is known to, or said to by FORCE_HYPERLINK."""
    if to_file or not is_terminal(sys.stdout):
        return False
    said = os.environ.get("FORCE_HYPERLINK", "")
    if said:
        return said != "0"
    version = os.environ.get("VTE_VERSION", "")
    return (
        any(name in os.environ for name in _SETS_WITH_LINKS)
        or os.environ.get("TERM_PROGRAM") in _PROGRAMS_WITH_LINKS
        or os.environ.get("TERM", "").removeprefix("xterm-") in _TERMS_WITH_LINKS
        or (version.isdecimal() and int(version) >= _FIRST_VTE_WITH_LINKS)
    )


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
    if category in ("Cc", "Cs", "Zl", "Zp") or character in BIDIRECTIONAL:
        return "\N{REPLACEMENT CHARACTER}", 1
    if category in ("Mn", "Me", "Cf"):
        return character, 0
    return character, 2 if unicodedata.east_asian_width(character) in "WF" else 1


def printable(text: str) -> str:
    """A text on one line, without anything that would steer the terminal."""
    return "".join(cell(character)[0] for character in " ".join(text.splitlines()))


def steady(text: str) -> str:
    """A text of several lines without anything that would steer the terminal or a build server."""
    return without_commands("\n".join(path_shown(line) for line in text.split("\n")))


def without_commands(text: str) -> str:
    """A text for persons in which a build server finds no command: a character that takes no room stands in it."""
    return COMMAND.sub("##\N{WORD JOINER}", text)


def path_shown(path: str) -> str:
    """A path in which nothing steers the terminal, nor, at the start of a line, a build server: that takes a line that
    begins with two colons for a command to itself."""
    text = printable(path)
    return f"./{text}" if text.lstrip().startswith("::") else text


def width(text: str) -> int:
    """How many columns a text takes that is :func:`printable` and has no colour yet."""
    return sum(cell(character)[1] for character in text)


def padded(text: str, columns: int) -> str:
    """A text filled up with spaces."""
    return text + " " * (columns - width(text))


# What must not reach a terminal as it is. JSON writes the control characters of ASCII as escapes by itself.
_STEERING = re.compile(f"[\x7f-\x9f\u2028\u2029{''.join(sorted(BIDIRECTIONAL))}\ud800-\udfff]")

_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # compiled where it is needed: that takes long
_REFERENCES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",  # so that ]]> stands nowhere
    '"': "&quot;",
    "\n": "&#10;",  # a reader of an attribute would make a space of it
    "\r": "&#13;",
    "\t": "&#9;",
}
_REFERRED = re.compile(f'[&<>"\n\r\t\x7f-\x9f\u2028\u2029{"".join(sorted(BIDIRECTIONAL))}]')


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON, in which nothing steers a terminal or a build server, and every name is still what it is."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    text = _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return COMMAND.sub(r"#\\u0023", text)  # it can only stand in a string


def xml_text(text: str) -> str:
    """A text as the content of an element, or of an attribute in double quotes. What XML has no way to write is written
    as terminals show it."""
    text = re.sub(_NOT_XML, lambda found: cell(found[0])[0], text)
    text = _REFERRED.sub(lambda found: _REFERENCES.get(found[0], f"&#{ord(found[0])};"), text)
    return COMMAND.sub("#&#35;", text)
