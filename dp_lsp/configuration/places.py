"""Where keys and values stand in a TOML text: the standard library reads it, and does not say."""

from __future__ import annotations

import re
from typing import NamedTuple

from dp_lsp.text import Span

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*'""")
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")
_SCALAR = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|\d{4}-\d\d-\d\d \d[^\s,\]}#]*"
    r"|[^\s,\]}#]+",
    re.DOTALL,
)


class Spot(NamedTuple):
    """Where a key stands, and its value; an item of an array has no key of its own."""

    key: Span
    value: Span


def places(text: str) -> dict[Path, Spot]:
    """The places of all that a valid TOML text says, by the keys and numbers that lead there."""
    scan = _Scan(text)
    scan.run()
    return scan.found


class _Scan:
    """Walks through a text that is known to be valid, so nothing is checked again."""

    def __init__(self, text: str) -> None:
        self.found: dict[Path, Spot] = {}
        self._text = text
        self._at = 0
        self._arrays: dict[Path, int] = {}  # how many tables each array of tables has so far

    def run(self) -> None:
        table: Path = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self) -> Path:
        """``[table]`` or ``[[table]]``: the path of what follows."""
        start = self._at
        double = self._text.startswith("[[", start)
        self._at += 2 if double else 1
        self._skip(_BLANK)
        names, _ = self._names()
        self._at = self._text.index("]", self._at) + (2 if double else 1)
        span = Span(start, self._at)
        path: Path = ()
        for count, name in enumerate(names, 1):
            path = (*path, name)
            if double and count == len(names):
                self._arrays[path] = self._arrays.get(path, 0) + 1
            self.found.setdefault(path, Spot(span, span))
            path = self._inside(path)
        self.found.setdefault(path, Spot(span, span))
        return path

    def _inside(self, path: Path) -> Path:
        """The table that a path means now: of an array of tables its last."""
        return (*path, self._arrays[path] - 1) if path in self._arrays else path

    def _pair(self, table: Path) -> None:
        names, spans = self._names()
        self._skip(_EQUALS)
        start = self._at
        self._value((*table, *names))
        value = Span(start, self._at)
        for count, key in enumerate(spans, 1):
            path = (*table, *names[:count])
            self.found.setdefault(path, Spot(key, value))

    def _names(self) -> tuple[list[str], list[Span]]:
        """A key with dots: its names, and where each stands."""
        names, spans = [], []
        while True:
            found = _KEY.match(self._text, self._at)
            assert found
            spans.append(Span(*found.span()))
            names.append(_plain(found[0]))
            self._at = found.end()
            dot = _DOT.match(self._text, self._at)
            if dot is None:
                return names, spans
            self._at = dot.end()

    def _value(self, path: Path) -> None:
        """Go to the end of a value, on the way those inside it."""
        opener = self._text[self._at]
        if opener not in "[{":
            self._skip(_SCALAR)
            return
        closer = "]" if opener == "[" else "}"
        self._at += 1
        count = 0
        self._skip(_BLANK)
        while self._text[self._at] != closer:
            if opener == "{":
                self._pair(path)
            else:
                start = self._at
                self._value((*path, count))
                self.found[(*path, count)] = Spot(Span(start, self._at), Span(start, self._at))
                count += 1
            self._skip(_BLANK)
            if self._text[self._at] == ",":
                self._at += 1
                self._skip(_BLANK)
        self._at += 1

    def _skip(self, what: re.Pattern[str]) -> None:
        found = what.match(self._text, self._at)
        self._at = found.end() if found else self._at


def _plain(key: str) -> str:
    """A key without its quotes."""
    if key[0] not in "\"'":
        return key
    import tomllib

    return next(iter(tomllib.loads(f"{key}=0")))
