"""What the value of a key may be: how it is read, and how a schema says it; and where keys and values stand in a TOML
text, which the standard library reads and does not say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from dp_lsp.configuration.ignored import fault
from dp_lsp.configuration.problems import UnknownKey, WrongValue
from dp_lsp.problem import Kind, Problem, Severity, may_be_lowered
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


class _Spot(NamedTuple):
    """Where a key stands, and its value; an item of an array has no key of its own."""

    key: Span
    value: Span


def places(text: str) -> dict[Path, _Spot]:
    """The places of all that a valid TOML text says, by the keys and numbers that lead there."""
    scan = _TomlScan(text)
    scan.run()
    return scan.found


class _TomlScan:
    """Walks through a text that is known to be valid, so nothing is checked again."""

    def __init__(self, text: str) -> None:
        self.found: dict[Path, _Spot] = {}
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
            self.found.setdefault(path, _Spot(span, span))
            path = self._inside(path)
        self.found.setdefault(path, _Spot(span, span))
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
            self.found.setdefault(path, _Spot(key, value))

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
                self.found[(*path, count)] = _Spot(Span(start, self._at), Span(start, self._at))
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


Levels = tuple[tuple[str, Severity | None], ...]
"""Severities by code; None is none at all."""
Schema = dict[str, Any]

_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_OFF = "off"


class NotExact(NamedTuple):
    """A number that is none, or one that nobody would write out."""

    text: str


def number(text: str) -> Any:
    """A number of TOML, exactly as it is written."""
    plain = text.replace("_", "")
    return Fraction(plain) if _NUMBER.fullmatch(plain) else NotExact(text)


class Finder:
    """Collects what is wrong, at its place. ``kinds`` are the kinds of problems by code."""

    def __init__(self, spots: Mapping[Path, _Spot], kinds: Mapping[str, type[Kind]]) -> None:
        self.problems: list[Problem] = []
        self.kinds = kinds
        self._spots = spots

    def wrong(self, path: Path, words: str) -> None:
        """A value is not what it must be."""
        name = _written(path)
        self.problems.append(WrongValue.at(self._spot(path).value, name=name, words=words))

    def unknown(self, path: Path, what: str, names: list[str], known: str) -> None:
        """A key means nothing there. ``known`` says which ones do."""
        name = str(path[-1])
        import difflib

        near = difflib.get_close_matches(name.replace("_", "-"), names, n=1)
        hint = f"`{near[0]}` may be meant; " if near else ""
        self.problems.append(UnknownKey.at(self._spot(path).key, name=name, what=what, hint=hint, known=known))

    def _spot(self, path: Path) -> _Spot:
        """The place of a path, or of what is around it."""
        while path and path not in self._spots:
            path = path[:-1]
        return self._spots.get(path, _Spot(Span(0, 0), Span(0, 0)))


class KeyValue(Protocol):
    """What a value may be."""

    def schema(self) -> Schema:
        """A JSON schema of it."""
        ...

    def read(self, value: Any, path: Path, finder: Finder) -> Any:
        """What it means; None, and a problem, if it is something else."""
        ...


class ChoiceOf(NamedTuple):
    """One of some words."""

    words: tuple[str, ...]

    def schema(self) -> Schema:
        return {"enum": list(self.words)}

    def read(self, value: Any, path: Path, finder: Finder) -> str | None:
        if isinstance(value, str) and value in self.words:
            return value
        finder.wrong(path, f"one of {_listed(self.words)}")
        return None


class Amount(NamedTuple):
    """A number that is at least 0, and less than ``below``."""

    below: int | None = None

    def schema(self) -> Schema:
        limit = {} if self.below is None else {"exclusiveMaximum": self.below}
        return {"type": "number", "minimum": 0, **limit}

    def read(self, value: Any, path: Path, finder: Finder) -> Fraction | None:
        exact = isinstance(value, int | Fraction) and not isinstance(value, bool)
        if exact and value >= 0 and (self.below is None or value < self.below):
            return Fraction(value)
        range_ = "that is at least 0" if self.below is None else f"from 0 to less than {self.below}"
        finder.wrong(path, f"a number {range_}, as in {'1.5' if self.below is None else '1e-5'}")
        return None


class WholeNumber(NamedTuple):
    """A whole number from 1 to ``most``, and ``why`` it is no other."""

    most: int
    why: str = ""

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": 1, "maximum": self.most}

    def read(self, value: Any, path: Path, finder: Finder) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= self.most:
            return value
        finder.wrong(path, f"a whole number from 1 to {self.most}" + (f": {self.why}" if self.why else ""))
        return None


class FileName(NamedTuple):
    """A file below the folder."""

    example: str

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1}

    def read(self, value: Any, path: Path, finder: Finder) -> str | None:
        wrong = (fault(value) or _no_name(value)) if isinstance(value, str) else "it is not text"
        if not wrong:
            return str(value)
        finder.wrong(path, f"a file below this folder, as in `{self.example}`: {wrong}")
        return None


def _no_name(value: str) -> str:
    """Why a path that leads nowhere else names no file, or empty."""
    if value.startswith("/"):
        return "it leads out of the folder of the configuration"
    return "it names a folder" if value.endswith("/") else "it cannot be a name" if "\0" in value else ""


class Globs(NamedTuple):
    """Patterns for files below the folder."""

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string"}}

    def read(self, value: Any, path: Path, finder: Finder) -> tuple[str, ...] | None:
        if not isinstance(value, list):
            finder.wrong(path, 'a list of patterns for files, as in ["src/**"]')
            return None
        patterns = []
        for index, each in enumerate(value):
            wrong = fault(each) if isinstance(each, str) else "it is not text"
            if wrong:
                finder.wrong((*path, index), f"a pattern for files below this folder, as in `src/**`: {wrong}")
            else:
                patterns.append(each)
        return tuple(patterns)


class Severities(NamedTuple):
    """A severity for each of some codes."""

    def schema(self) -> Schema:
        levels = {"enum": [*(each.value for each in Severity), _OFF]}
        return {"type": "object", "propertyNames": {"pattern": "^DP[0-9]{3}$"}, "additionalProperties": levels}

    def read(self, value: Any, path: Path, finder: Finder) -> Levels | None:
        if not isinstance(value, dict):
            finder.wrong(path, f'a table of severities by code, as in DP303 = "{_OFF}"')
            return None
        found = []
        for code, level in value.items():
            kind = finder.kinds.get(code)
            if kind is None:
                finder.unknown((*path, code), "code of a problem", list(finder.kinds), _CODES)
            elif self._is_level(kind, level, (*path, code), finder):
                found.append((code, None if level == _OFF else Severity(level)))
        return tuple(found)

    def _is_level(self, kind: type[Kind], level: Any, path: Path, finder: Finder) -> bool:
        levels = [each.value for each in Severity] + [_OFF]
        if level not in levels:
            finder.wrong(path, f"one of {_listed(levels)}")
        elif kind.severity is Severity.ERROR and level != Severity.ERROR and not may_be_lowered(kind.code):
            finder.wrong(path, "`error`: nothing can be said of a text in which it is reported")
        else:
            return True
        return False


_CODES = "a code is `DP` and three digits, as in `DP303`"


class Key(NamedTuple):
    """A key: its name, what its value may be, and what it says, which is shown to users."""

    name: str
    value: KeyValue
    doc: str
    needed: bool = False


class KeyTable(NamedTuple):
    """A table with these keys. ``what`` says to a person what a key of it is; ``make`` makes a value of it."""

    keys: tuple[Key, ...]
    what: str
    make: Callable[[Mapping[str, Any]], Any]

    def schema(self) -> Schema:
        properties = {key.name: {"description": key.doc, **key.value.schema()} for key in self.keys}
        needed = [key.name for key in self.keys if key.needed]
        required = {"required": needed} if needed else {}
        return {"type": "object", "properties": properties, "additionalProperties": False, **required}

    def read(self, value: Any, path: Path, finder: Finder) -> Any:
        if not isinstance(value, dict):
            finder.wrong(path, "a table")
            return None
        known = {key.name: key for key in self.keys}
        found = {}
        for name, each in value.items():
            if name in known:
                found[name] = known[name].value.read(each, (*path, name), finder)
            else:
                finder.unknown((*path, name), self.what, list(known), f"there are {_listed(known)}")
        for key in self.keys:
            if key.needed and key.name not in value:
                finder.wrong(path, f"a table with the key `{key.name}`")
        return self.make({name: each for name, each in found.items() if each is not None})


class Tables(NamedTuple):
    """Several tables, one after the other."""

    item: KeyTable

    def schema(self) -> Schema:
        return {"type": "array", "items": self.item.schema()}

    def read(self, value: Any, path: Path, finder: Finder) -> tuple[Any, ...] | None:
        if not isinstance(value, list):
            finder.wrong(path, f"a list of tables: write [[{_written(path)}]]")
            return None
        return tuple(self.item.read(each, (*path, index), finder) for index, each in enumerate(value))


def _listed(words: Any) -> str:
    shown = [f"`{word}`" for word in words]
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def _written(path: Path) -> str:
    """A path as a person writes it; the number of an item is left out."""
    return ".".join(str(part) for part in path if isinstance(part, str)) or "dp-lsp"
