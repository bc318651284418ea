"""``dp-lsp diff OLD NEW``: what rose and what fell between two reports, or two revisions.

Reports are read as JSON of which the shape was looked at; what has changed is written for a person, for a comment on a
pull request, and for programs."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import Any

import click

from dp_lsp import __version__
from dp_lsp.analysis.records import Setting
from dp_lsp.cli.check import requested
from dp_lsp.cli.checks import Checks
from dp_lsp.cli.files import Configured, complaints
from dp_lsp.cli.output import FINDINGS, complain, point, write
from dp_lsp.cli.reporters.checked import Checked, count
from dp_lsp.cli.revisions import Repository
from dp_lsp.cli.style import Paint, coloured, json_text, plain, printable, wants_colour
from dp_lsp.disk.loader import is_below, path_below, read_file
from dp_lsp.features.changes import Effect, ReportChange, changes
from dp_lsp.features.markdown import code, prose
from dp_lsp.features.report import SCHEMA_VERSION, report
from dp_lsp.named import NamedTuple

LARGEST = 256 << 20
"""Bytes of a report that is read."""
WORKING_TREE = "the working tree"

Json = Mapping[str, Any]


class DiffRequest(NamedTuple):
    """What the command line asks for."""

    old: str
    new: str | None
    output_format: str = "text"
    output_file: str | None = None
    profile: str | None = None
    settings: tuple[Setting, ...] = ()
    target_delta: Fraction | None = None
    color: str = "auto"


class _Side(NamedTuple):
    """One of the two: what it is called, what is reported of it, the commit it is, and where its files lie."""

    label: str
    report: Json
    commit: str | None = None
    folder: str | None = None

    def lines(self, path: str) -> list[str]:
        """The lines of a file that was checked."""
        return [] if self.folder is None else read_file(os.path.join(self.folder, path)).content.splitlines()


def run(asked: DiffRequest) -> int:
    """Compare, report, and return the exit code."""
    with ExitStack() as stack:
        sides = _Sides(asked, stack)
        old, new = sides.side(asked.old), sides.side(asked.new)
        if old.report["profile"] != new.report["profile"]:
            both = f"{old.report['profile']} and {new.report['profile']}"
            raise click.UsageError(f"they were made by the rules of two profiles, {both}, whose bounds do not compare")
        made_by = [str(each.report["tool"]["version"]) for each in (old, new)]
        if made_by[0] != made_by[1]:
            versions = " and ".join(map(printable, made_by))
            point(f"note: these were made by two versions of dp-lsp, {versions}: some changes may be the tool's")
        found = changes(old.report, new.report, sides.moved(old, new), (old.lines, new.lines))
    functions = sum(len(file["functions"]) for file in new.report["files"])
    paint = coloured if wants_colour(asked.color, asked.output_file is not None) else plain
    compared = _Compared(old.label, new.label, found, functions, paint)
    text = "".join(f"{line}\n" for line in _RENDERERS[asked.output_format](compared))
    colour = asked.output_format == "text" and paint is coloured
    written = write(text, asked.output_file, colour=colour)
    return max(written, FINDINGS if compared.rose else 0)


class _Sides:
    """Finds out what is reported of each side."""

    def __init__(self, asked: DiffRequest, stack: ExitStack) -> None:
        self._asked = asked
        self._stack = stack
        self._known: Repository | None = None
        numbers = asked.settings or asked.target_delta is not None or asked.profile
        if numbers and all(each is not None and os.path.isfile(each) for each in (asked.old, asked.new)):
            raise click.UsageError("--set, --target-delta and --profile are for revisions: reports are made already")

    @property
    def _repository(self) -> Repository:
        if self._known is None:
            self._known = Repository()
        return self._known

    def side(self, name: str | None) -> _Side:
        """What a name on the command line means; None is the working tree."""
        if name is not None and os.path.isfile(name):
            return _Side(name, _read(name))
        if name is None:
            commit = self._repository.commit("HEAD")
            return self._checked(_Side(WORKING_TREE, {}, None, self._repository.folder), commit)
        commit = self._repository.commit(name)
        folder = os.path.realpath(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="dp-lsp-")))
        self._repository.write(commit, folder)
        return self._checked(_Side(name, {}, commit, folder), commit)

    def moved(self, old: _Side, new: _Side) -> dict[str, str]:
        """The new paths of files that git knows to be called otherwise now."""
        return self._repository.moved(old.commit, new.commit) if old.commit and new.commit else {}

    def _checked(self, side: _Side, commit: str) -> _Side:
        """The same with the report of its folder, in which other repositories are left out."""
        assert side.folder is not None, "what is checked lies somewhere"
        others = [os.path.join(side.folder, *path.split("/")) for path in self._repository.modules(commit)]
        if others:
            names = ", ".join(printable(path_below(side.folder, other)) for other in others)
            point(f"note: {printable(side.label)}: submodules are left out: {names}")
        return side._replace(report=_report(side.folder, side.label, others, self._asked))


def _report(folder: str, label: str, others: Sequence[str], asked: DiffRequest) -> Json:
    """What is reported of all files of a folder, under paths from there."""
    configured = Configured(None, asked.profile, asked.settings, asked.target_delta, top=folder)

    chosen = configured.chosen(lambda name: not any(is_below(name, other) for other in others))
    chosen.add(folder, None)
    checks = Checks(chosen, configured.options, requested(asked.settings, asked.target_delta, asked.profile), None)
    faults = configured.faults(checks.graph.included)
    if faults:
        within = "\n".join(line.replace(os.path.join(folder, ""), f"{label}:") for line in faults)
        raise click.UsageError(f"{label} has a configuration that is not valid\n{within}")
    files = checks.files() if chosen.names else []
    for complaint in complaints(asked.settings, (each for _, analysis in files for each in analysis.functions)):
        complain(f"{label}: {complaint}")
    shown = [(path_below(folder, name), analysis) for name, analysis in files]
    return report(shown, Checked(shown).profile, lambda name: path_below(folder, name))


def _no_number(text: str) -> float:
    raise ValueError(f"`{text}` is not a number")


def _read(name: str) -> Json:
    """A report; a usage error if a file is none."""
    try:
        if os.path.getsize(name) > LARGEST:
            raise ValueError(f"it has more than {LARGEST >> 20} MiB")
        with open(name, encoding="utf-8-sig") as stream:
            found = json.load(stream, parse_constant=_no_number)
        if isinstance(found, dict) and found.get("schema_version", SCHEMA_VERSION) != SCHEMA_VERSION:
            raise ValueError(f"its `schema_version` is not {SCHEMA_VERSION}")
        wrong = _fault(found, _REPORT)
        if wrong:
            raise ValueError(f"{wrong}")
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        made = "a report is what `dp-lsp check --output-format json` writes"
        raise click.UsageError(f"{name} is not a report: {why}; {made}") from error
    return dict(found)


_VERSION = 1
"""Of the schema of what is printed for programs."""

_ROLES = {Effect.FELL: "proved", Effect.PROVED: "proved", Effect.NEW: "strong", Effect.GONE: "strong"}
_WIDTH = max(len(effect) for effect in Effect) + 2
_IN_ALL = {
    Effect.NOT_PROVED: "not proved",
    Effect.ROSE: "rose",
    Effect.CHANGED: "changed in a way that cannot be told",
    Effect.WEAKER: "proved under more conditions, or for fewer neighbours",
    Effect.FELL: "fell",
    Effect.PROVED: "proved now",
    Effect.NEW: "new",
    Effect.GONE: "gone",
}


class _Compared(NamedTuple):
    """Two reports, what they are called, and what has changed. ``functions`` are those of the new one."""

    old: str
    new: str
    changes: Sequence[ReportChange]
    functions: int
    paint: Paint = plain

    @property
    def rose(self) -> bool:
        """Whether anything rose, or is not proved to be no larger."""
        return any(each.effect.rises for each in self.changes)

    @property
    def verdict(self) -> str:
        """What comes of it, in a sentence."""
        if self.rose:
            return "Something rose, or is not proved."
        return "Nothing rose." if self.changes else "Nothing changed."

    @property
    def counts(self) -> str:
        """How many changes of each kind there are."""
        found = Counter(each.effect for each in self.changes)
        return ", ".join(f"{found[effect]} {_IN_ALL[effect]}" for effect in Effect if found[effect])


def text(compared: _Compared) -> Iterator[str]:
    """For a person."""
    for change in compared.changes:
        effect = compared.paint(f"{change.effect:<{_WIDTH}}", _ROLES.get(change.effect, "failed"))
        where = f"{printable(change.path)}:{change.line}"
        yield (f"{effect}{printable(change.function) or 'outside of functions'}   {where}")
        for sentence in _sentences(change):
            yield (" " * _WIDTH + printable(sentence))
        for number, sentence in enumerate(change.causes):
            lead = "because " if not number else "        "
            yield (" " * _WIDTH + lead + printable(sentence))
    if compared.changes:
        yield ""
    counts = f": {compared.counts}" if compared.changes else ""
    sides = f"{printable(compared.old)} → {printable(compared.new)}"
    yield (f"{compared.verdict} {sides}, {count(compared.functions, 'function')}{counts}.")


def _markdown(compared: _Compared) -> Iterator[str]:
    """For a comment on a pull request."""
    yield f"### Privacy: {compared.verdict}"
    yield ""
    counts = f": {compared.counts}" if compared.changes else ""
    old, new = (code(printable(side)) for side in (compared.old, compared.new))
    yield _unmentioned(f"{old} → {new}, {count(compared.functions, 'function')}{counts}.")
    if compared.changes:
        yield ""
    for change in compared.changes:
        name = code(printable(change.function)) or "outside of functions"
        sign = "❌" if change.effect.rises else "✅" if change.effect in (Effect.FELL, Effect.PROVED) else "ℹ️"
        yield _unmentioned(f"- {sign} **{change.effect}** {name} ({code(printable(f'{change.path}:{change.line}'))})")
        for sentence in _sentences(change):
            yield _unmentioned(f"  - {prose(printable(sentence))}")
        for sentence in change.causes:
            yield _unmentioned(f"  - because {prose(printable(sentence))}")


def _as_json(compared: _Compared) -> Iterator[str]:
    """For programs."""
    found = Counter(each.effect for each in compared.changes)
    result = {
        "schema_version": _VERSION,
        "tool": {"name": "dp-lsp", "version": __version__},
        "old": compared.old,
        "new": compared.new,
        "rose": compared.rose,
        "changes": [_change(each) for each in compared.changes],
        "summary": {effect.value: found[effect] for effect in Effect},
    }
    yield json_text(result, indent=2)


_RENDERERS: dict[str, Callable[[_Compared], Iterator[str]]] = {"text": text, "markdown": _markdown, "json": _as_json}


def _change(change: ReportChange) -> dict[str, object]:
    return {
        "path": change.path,
        "function": change.function or None,
        "signature": change.signature or None,
        "line": change.line,
        "effect": change.effect.value,
        "rises": change.effect.rises,
        "bounds": [{**each._asdict(), "effect": each.effect.value, "text": each.sentence} for each in change.bounds],
        "notes": list(change.notes),
        "causes": list(change.causes),
    }


def _sentences(change: ReportChange) -> Iterator[str]:
    yield from change.notes
    for bound in change.bounds:
        alone = len({each.effect for each in change.bounds}) == 1 and bound.effect is change.effect
        yield bound.sentence if alone else f"{bound.sentence} ({bound.effect})"


def _unmentioned(text: str) -> str:
    """Markdown that calls nobody: where a name follows, a character that takes no room stands between."""
    return text.replace("@", "@\N{WORD JOINER}")


_TEXT = (str,)
_MAYBE = (str, type(None))
_PLACE = {"line": (int,), "column": (int,)}
_RANGE = {"start": _PLACE, "end": _PLACE}
_BOUNDS: dict[str, Any] = {"sensitivity": _MAYBE, "epsilon": _MAYBE, "delta": _MAYBE, "stability?": {"d_in": _TEXT}}
_SIZES = {"size?": _MAYBE, "least?": _TEXT, "radius?": _TEXT}
_DOMAIN: dict[str, Any] = {
    "kind": _TEXT,
    "base?": _TEXT,
    "bounds?": [_TEXT],
    "metric?": _MAYBE,
    "clip?": _TEXT,
    **_SIZES,
}
_DOMAIN |= {"element?": _DOMAIN, "records?": _DOMAIN, "items?": [_DOMAIN]}
_ABOUT = {"domain?": _DOMAIN, "records_per_person?": _TEXT}
_PARAMETER = {"name": _TEXT, "type": _TEXT, "static": (bool,), **_BOUNDS, **_ABOUT}
_NUMBER = (int, float, type(None))
_FUNCTION = {
    "name": _TEXT,
    "signature": _TEXT,
    "kind": _TEXT,
    "status": _TEXT,
    "range": _RANGE,
    "parameters": [_PARAMETER],
    "bounds": [{"parameters": [_TEXT], "epsilon": _TEXT, "delta": _TEXT, "free": [{"range": _TEXT}]}],
    "conditions": [{"text": _TEXT, "formula": _MAYBE, "kind?": _TEXT}],
    "spending?": [{"parameters": [_TEXT], "range": _RANGE, "name": _TEXT, "epsilon": _TEXT, "delta": _TEXT}],
    "accepted?": _TEXT,
    "numeric?": [{"parameters": [_TEXT], "epsilon?": _NUMBER, "delta?": _NUMBER}],
}
_FOUND: dict[str, Any] = {"code": _TEXT, "message": _TEXT, "range": _RANGE}
_EXTENT = {"extent?": [{"about": _TEXT, "amount": _TEXT}]}
_FILE = {
    "path": _TEXT,
    "status": _TEXT,
    "functions": [_FUNCTION],
    "diagnostics": [_FOUND | {"severity": _TEXT} | _EXTENT],
    "accepted?": [_FOUND | _EXTENT],
}

_REPORT = {"schema_version": (int,), "tool": {"version": _TEXT}, "profile": _TEXT, "files": [_FILE]}
"""A report, as far as it is compared. A key with a question mark may be missing, and there may be others."""


def _fault(value: Any, shape: Any, path: str = "") -> str:
    """What is wrong with a value: where it is not as a shape says; empty if it is."""
    here = path or "it"
    if isinstance(shape, tuple):
        right = isinstance(value, shape) and (not isinstance(value, bool) or bool in shape)
        return "" if right else f"`{here}` is not what it must be"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"`{here}` is not a list"
        return next((wrong for i, each in enumerate(value) if (wrong := _fault(each, shape[0], f"{path}[{i}]"))), "")
    if not isinstance(value, dict):
        return f"`{here}` is not a table"
    for key, inside in shape.items():
        name = key.rstrip("?")
        if name in value:
            wrong = _fault(value[name], inside, f"{path}.{name}" if path else name)
        else:
            wrong = "" if key.endswith("?") else f"`{here}` has no `{name}`"
        if wrong:
            return wrong
    return ""
