"""The keys of a configuration: the single source for its schema, for its reference page, and for reading one; and from
the text of a file to what it says, or to what is wrong with it.

What the value of a key may be is a class: how it is read, and how a schema says it. Where keys and values stand in a
TOML text, the standard library reads and does not say; a scan of the text does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Protocol

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.limits import EVER, MOST, Limits
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import FLOAT_NOISES, NEIGHBOURS, PROFILES, Options
from dp_lsp.configuration import FILE, PROJECT_FILE
from dp_lsp.configuration.ignored import fault, matches
from dp_lsp.configuration.problems import NotToml, OutsideLink, UnknownKey, WrongValue
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Problem, Severity, may_be_lowered
from dp_lsp.text import Place, Source, Span

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


LEDGER = "dp-lsp-ledger.jsonl"
"""What a ledger may be called."""
BASELINE = "dp-lsp-baseline.json"
"""What a baseline is best called: so the server is told when it changes."""
SECTION = ("tool", "dp-lsp")
"""Where a configuration stands in the other file."""


_EVERYTHING = ("**",)
_LOWERS = "a configuration only lowers it"
MANY = 1_000_000
"""Records of a person: more is a slip."""


class Override(NamedTuple):
    """What is otherwise for some files."""

    include: tuple[str, ...]
    exclude: tuple[str, ...]
    profile: str | None
    severity: Levels
    contributes: int | None

    def concerns(self, path: str) -> bool:
        """Whether it is about a file, given by its path below the folder."""
        return matches(self.include, path) and not matches(self.exclude, path)


class Configuration(NamedTuple):
    """What one file says of the files below its folder."""

    include: tuple[str, ...] = _EVERYTHING
    exclude: tuple[str, ...] = ()
    python_include: tuple[str, ...] = ()
    profile: str | None = None
    severity: Levels = ()
    overrides: tuple[Override, ...] = ()
    max_epsilon: Fraction | None = None
    max_delta: Fraction | None = None
    neighbours: str | None = None
    float_noise: str | None = None
    contributes: int | None = None
    baseline: str | None = None
    limits: Limits = EVER
    ledger: str | None = None
    max_total_epsilon: Fraction | None = None
    max_total_delta: Fraction | None = None

    def includes(self, path: str) -> bool:
        """Whether a file, given by its path below the folder, is one of those to check."""
        everything = self.include == _EVERYTHING and not self.exclude
        return everything or (matches(self.include, path) and not matches(self.exclude, path))

    def names(self, path: str) -> bool:
        """Whether it says that a file is looked at, whatever that says itself."""
        return matches(self.python_include, path)

    def options(self, path: str, base: Options) -> Options:
        """How a file is checked: as ``base`` says, and otherwise where this does."""
        profile, contributes, levels = self.profile, self.contributes, dict(self.severity)
        for override in self.overrides:
            if override.concerns(path):
                profile = override.profile or profile
                contributes = override.contributes or contributes
                levels |= dict(override.severity)
        return base._replace(
            profile=profile or base.profile,
            severity=tuple(sorted(levels.items())),
            max_epsilon=self.max_epsilon,
            max_delta=self.max_delta,
            neighbours=self.neighbours or base.neighbours,
            float_noise=self.float_noise or base.float_noise,
            contributes=contributes or base.contributes,
            limits=base.limits.lowered(self.limits),
            named=self.names(path),
        )


def _configuration(found: Mapping[str, Any]) -> Configuration:
    return Configuration(**{name.replace("-", "_"): value for name, value in found.items()})


def _limits(found: Mapping[str, int]) -> Limits:
    return EVER._replace(**found)


def _override(found: Mapping[str, Any]) -> Override:
    profile, severity = found.get("profile"), found.get("severity", ())
    return Override(found.get("include", ()), found.get("exclude", ()), profile, severity, found.get("contributes"))


_PROFILE = Key(
    "profile",
    ChoiceOf(PROFILES),
    "The rules that bounds are found by: `sound`, whose bounds hold (the default), or `published`, the published"
    " formulas, for comparison. Files that are checked together follow the one that includes the others.",
)
_CONTRIBUTES = Key(
    "contributes",
    WholeNumber(MANY),
    "How many records of a dataset one person has at most; 1 without it. All that is claimed is then about one person."
    " `Contributes(k)` in the annotation of a parameter counts there instead. It is about datasets, vectors of Data or"
    " Bool, and matrices of such rows. Files that are checked together follow the one that includes the others.",
)
_SEVERITY = Key(
    "severity",
    Severities(),
    "A severity for each of some codes: `error`, `warning`, `information`, `hint` or `off`. A function"
    " with an error that is made less is `unknown`, and counted as accepted. Errors of files, comments and the"
    " configuration (DP0, DP8, DP9) cannot be made less.",
)

KEYS = (
    Key(
        "include",
        Globs(),
        "Which files are checked when a folder is: patterns as in `.gitignore`, below the folder of this file. All, if"
        " it is left out, but for those that git leaves out (`.gitignore`, `.git/info/exclude`).",
    ),
    Key(
        "exclude",
        Globs(),
        "Which files are left out when a folder is checked. What another file includes is checked with it, and a file"
        " that is named on the command line is checked as well.",
    ),
    Key(
        "python-include",
        Globs(),
        "Which files of Python, and notebooks, are looked at although they import nothing of `dp_types`: patterns as in"
        " `.gitignore`, below the folder of this file. None, if it is left out. Of a file that neither imports a word"
        " of `dp_types` nor is named here nothing is said; where another file imports it, it is read.",
    ),
    _PROFILE,
    Key(
        "neighbours",
        ChoiceOf(NEIGHBOURS),
        "Which data are neighbours: `change-one`, data that differ in one record (the default), or `add-remove`, data"
        " of which one has a record more. How many records there are is private then, and a matrix is protected only"
        " where rows are drawn from it, each by itself, and nothing else is done with it. A dataset whose annotation"
        " names no relation, such as `MetricVector(Real)`, is compared by `ChangeOne` or `Symmetric` accordingly.",
    ),
    Key(
        "float-noise",
        ChoiceOf(FLOAT_NOISES),
        "What noise is that a program draws in floating point, as `np.random.laplace` does: a `premise` of what is"
        " proved, which each report names (the default), or an `error`. The numbers that can come out differ between"
        " neighbouring data, so it is not quite the noise of the proofs (Mironov 2012). `dp-lsp run` draws exact noise"
        " for the same function, and OpenDP for any.",
    ),
    _CONTRIBUTES,
    Key(
        "max-epsilon",
        Amount(),
        "The most that ε may be. A private function that may spend more, or of which that is open, is an error. It is"
        " about each parameter by itself, and about those that hold parts of one record together: nothing says whether"
        " one person is in several others. `dp-lsp run` knows which come from one table, and refuses what costs more.",
    ),
    Key("max-delta", Amount(below=1), "The most that δ may be, likewise."),
    _SEVERITY,
    Key(
        "limits",
        KeyTable(
            (
                Key(
                    "time",
                    WholeNumber(MOST.time, _LOWERS),
                    "Seconds, of a file with its includes, and 1 more for 20,000 characters.",
                ),
                Key("characters", WholeNumber(MOST.characters, _LOWERS), "Of a file."),
                Key(
                    "memory",
                    WholeNumber(MOST.memory, _LOWERS),
                    "MiB of memory, where the system can hold a process to that.",
                ),
            ),
            "limit",
            _limits,
        ),
        "What a check may take; a file that takes more is `unknown`. A configuration can only lower that, as it may be"
        " part of what is checked: `dp-lsp check --limit` can raise it. The language server checks a file for 10"
        " seconds, and its checking process has a limit of memory of its own.",
    ),
    Key(
        "overrides",
        Tables(
            KeyTable(
                (
                    Key("include", Globs(), "Which files this is about.", needed=True),
                    Key("exclude", Globs(), "Which of them it is not about."),
                    _PROFILE,
                    _CONTRIBUTES,
                    _SEVERITY,
                ),
                "key of an override",
                _override,
            )
        ),
        "What is otherwise for some files; of several the last counts.",
    ),
    Key(
        "baseline",
        FileName(BASELINE),
        "A file of problems that are accepted because they were there before, and as bad, as"
        " `dp-lsp check --update-baseline` writes it. A function with one of them is `unknown`, and counts as accepted."
        f" Best called `{BASELINE}`: editors are told when a file of that name changes.",
    ),
    Key(
        "ledger",
        FileName(LEDGER),
        "A file in which each `dp-lsp run` is counted, with what it spends, before it is made. `--ledger` names another"
        " one. It holds hashes of the data, so it is for those who hold these.",
    ),
    Key(
        "max-total-epsilon",
        Amount(),
        "The most that ε of all runs in a ledger may come to. `dp-lsp run` refuses one that would exceed it.",
    ),
    Key("max-total-delta", Amount(below=1), "The most that δ of all runs in a ledger may come to, likewise."),
)
TABLE = KeyTable(KEYS, "key of a configuration", _configuration)


def schema() -> Schema:
    """The JSON schema of a configuration file."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "dp-lsp.toml",
        "description": "How dp-lsp checks the Julia files below a folder.",
        **TABLE.schema(),
    }


def page() -> str:
    """The Markdown reference of the keys."""
    parts = [
        f"A `{FILE}`, or a table `[{'.'.join(SECTION)}]` in `{PROJECT_FILE}`, says how the files below its folder are"
        " checked. The nearest one above a file counts, alone. Paths count from its folder, with `/` on every system.",
        "\n".join(_described(key, "") for key in KEYS),
        "```toml\n" + _EXAMPLE + "```",
        "`dp-lsp schema configuration` prints a JSON schema, for editors.",
    ]
    return "\n\n".join(parts) + "\n"


def key_page(name: str) -> str | None:
    """The Markdown page of one key; None if there is no such key."""
    return next((f"# {key.name}\n\n{_described(key, '')}\n" for key in KEYS if key.name == name), None)


def _described(key: Key, margin: str) -> str:
    lines = [f"{margin}- `{key.name}`: {key.doc}"]
    value = key.value.item if isinstance(key.value, Tables) else key.value
    inside = value.keys if isinstance(value, KeyTable) else ()
    return "\n".join([*lines, *(_described(each, margin + "  ") for each in inside)])


_EXAMPLE = """\
exclude = ["sketches/"]
max-epsilon = 1.0
max-delta = 1e-5

[severity]
DP303 = "error"

[[overrides]]
include = ["comparison/**"]
profile = "published"
"""


_LARGEST = 1 << 20
"""Characters of a configuration that is read."""

_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class ReadConfiguration(NamedTuple):
    """What a file says. It has no ``configuration`` if there is a problem, or if it is none."""

    configuration: Configuration | None
    problems: tuple[Problem, ...] = ()


NO_CONFIGURATION = ReadConfiguration(None)
OUTSIDE_LINK = ReadConfiguration(None, (OutsideLink.at(Span(0, 0)),))
"""What stands for a file that is not read, as it is a link that leads out of the repository."""


def read_configuration(name: str, text: SourceText) -> ReadConfiguration:
    """What a file with this name says."""
    section = SECTION if os.path.basename(name) == PROJECT_FILE else ()
    if section and section[-1] not in text.content:
        return NO_CONFIGURATION  # it is about other tools, whose errors are not ours
    if text.problem is not None:
        return ReadConfiguration(None, (text.problem,))
    try:
        data: Any = _parsed(text.content)
        for key in section:
            data = data.get(key) if isinstance(data, dict) else None
        if data is None:
            return NO_CONFIGURATION
        finder = Finder(places(text.content), kinds())
    except ValueError as error:
        return ReadConfiguration(None, (_not_toml(text.content, str(error)),))
    except RecursionError:
        return ReadConfiguration(None, (NotToml.at(Span(0, 0), reason="it is nested too deeply"),))
    found = TABLE.read(data, section, finder)
    return ReadConfiguration(None if finder.problems else found, tuple(finder.problems))


def place_of(name: str, text: SourceText, key: str) -> Span:
    """Where the value of a key stands in a file with this name that could be read."""
    section = SECTION if os.path.basename(name) == PROJECT_FILE else ()
    found = places(text.content).get((*section, key))
    return found.value if found else Span(0, 0)


def _parsed(content: str) -> dict[str, Any]:
    if len(content) > _LARGEST:
        raise ValueError("it is very long")
    import tomllib  # many files are in no project

    return tomllib.loads(content, parse_float=number)


def _not_toml(content: str, message: str) -> Problem:
    """A mistake, at the place that the message names."""
    where = _WHERE.search(message)
    reason = message[: where.start()] if where else message
    if where is None:
        at = 0
    elif where[1] is None:
        at = len(content.rstrip())
    else:
        at = Source(content).offset(Place(int(where[1]), int(where[2])))
    return NotToml.at(Span(at, min(at + 1, len(content))), reason=reason[:1].lower() + reason[1:])
