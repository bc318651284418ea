"""The keys of a configuration: the single source for its schema, for its reference page, and for reading one; and from
the text of a file to what it says, or to what is wrong with it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.limits import EVER, MOST, Limits
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import FLOAT_NOISES, NEIGHBOURS, PROFILES, Options
from dp_lsp.configuration import FILE, PROJECT_FILE
from dp_lsp.configuration.ignored import matches
from dp_lsp.configuration.problems import NotToml, OutsideLink
from dp_lsp.configuration.values import (
    Amount,
    ChoiceOf,
    FileName,
    Finder,
    Globs,
    Key,
    KeyTable,
    Levels,
    Schema,
    Severities,
    Tables,
    WholeNumber,
    number,
    places,
)
from dp_lsp.problem import Problem
from dp_lsp.text import Place, Source, Span

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
