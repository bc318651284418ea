"""``dp-lsp diff OLD NEW``: what rose and what fell between two reports, or two revisions."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from typing import Any, NamedTuple

import click

from dp_lsp.analysis.records import Setting
from dp_lsp.cli.check import requested
from dp_lsp.cli.checks import Checks
from dp_lsp.cli.configured import Configured
from dp_lsp.cli.differences import RENDERERS, Compared
from dp_lsp.cli.files import Chosen
from dp_lsp.cli.output import FINDINGS, complain, point, write
from dp_lsp.cli.reporters.checked import Checked
from dp_lsp.cli.revisions import Repository
from dp_lsp.cli.settings import complaints
from dp_lsp.cli.shapes import REPORT, fault
from dp_lsp.cli.style import coloured, plain, printable, wants_colour
from dp_lsp.configuration.globs import path_below
from dp_lsp.disk.loader import is_below
from dp_lsp.disk.reading import read
from dp_lsp.features.changes import changes
from dp_lsp.features.report import SCHEMA_VERSION, report

LARGEST = 256 << 20
"""Bytes of a report that is read."""
WORKING_TREE = "the working tree"

Json = Mapping[str, Any]


class Asked(NamedTuple):
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
        return [] if self.folder is None else read(os.path.join(self.folder, path)).content.splitlines()


def run(asked: Asked) -> int:
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
    compared = Compared(old.label, new.label, found, functions, paint)
    text = "".join(f"{line}\n" for line in RENDERERS[asked.output_format](compared))
    colour = asked.output_format == "text" and paint is coloured
    written = write(text, asked.output_file, colour=colour)
    return max(written, FINDINGS if compared.rose else 0)


class _Sides:
    """Finds out what is reported of each side."""

    def __init__(self, asked: Asked, stack: ExitStack) -> None:
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


def _report(folder: str, label: str, others: Sequence[str], asked: Asked) -> Json:
    """What is reported of all files of a folder, under paths from there."""
    configured = Configured(None, asked.profile, asked.settings, asked.target_delta, top=folder)

    def wanted(name: str) -> bool:
        return configured.includes(name) and not any(is_below(name, other) for other in others)

    chosen = Chosen(wanted)
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
        wrong = fault(found, REPORT)
        if wrong:
            raise ValueError(f"{wrong}")
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        made = "a report is what `dp-lsp check --output-format json` writes"
        raise click.UsageError(f"{name} is not a report: {why}; {made}") from error
    return dict(found)
