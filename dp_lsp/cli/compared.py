"""What a certificate says, compared with the programs that stand here and with the configuration that counts for them.

A replay shows that a bound follows from the tree that stands in the certificate, and nothing of where that tree comes
from. So each program is checked again, as `dp-lsp check` would, with the numbers of the bound.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from dp_lsp import frontends
from dp_lsp.analysis.limits import EVER
from dp_lsp.analysis.records import Analysis, Setting, State
from dp_lsp.cli.files import choose, shown
from dp_lsp.cli.sealed import digest_of
from dp_lsp.disk.loader import is_below
from dp_lsp.disk.reading import read

_CHECKED_WITH = ("files", "settings", "target_delta")
_NAMED = ("path", "function", "signature", "parameters")
_MADE_WITH = ("seal", "stated")
"""What is no part of what a program is compared with: the seal, and a number that says of itself that it is not
proved here."""


class Whom(NamedTuple):
    """Which data are neighbours, and how many records a person has where no annotation says it."""

    neighbours: str
    contributes: int

    def __str__(self) -> str:
        records = f"{self.contributes} record{'' if self.contributes == 1 else 's'}"
        return f"a person with {records} where no annotation says otherwise, neighbours: {self.neighbours}"


class Faulty(Exception):
    """A configuration that counts for a program cannot be read; its lines say why."""


class _Found(NamedTuple):
    """What a check finds: the bounds that it certifies, what is said of each file, and whom the configuration of each
    project protects."""

    bounds: list[Any]
    files: Mapping[str, Analysis]
    whom: list[Whom]


class Here:
    """The programs that stand here, each checked once for the numbers of a bound. ``config`` is a configuration that
    counts instead of those above the files."""

    def __init__(self, config: str | None) -> None:
        self._config = config
        self._found: dict[str, _Found] = {}

    def difference(self, bound: Any) -> str:
        """Why a bound is not what its function has; empty if it is. Raises :class:`Faulty`."""
        key = json.dumps([bound[name] for name in _CHECKED_WITH])
        if key not in self._found:
            self._found[key] = self._checked(bound)
        found = self._found[key]
        whom = Whom(bound["neighbours"], bound["contributes"])
        if whom not in found.whom:
            return f"it protects {whom}; the configuration here wants {found.whom[0]}"
        alike = [each for each in found.bounds if all(each[name] == bound[name] for name in _NAMED)]
        if not alike:
            return _unproved(bound, found)
        differences = [next(_differences(bound, each), "") for each in alike]
        return "" if "" in differences else differences[0]

    def _checked(self, bound: Any) -> _Found:
        """What a check finds out of the files of a bound as they stand there, with its numbers."""
        from dp_lsp.cli.check import requested  # which loads all that checks
        from dp_lsp.cli.checks import Checks
        from dp_lsp.cli.configured import Configured

        settings = tuple(Setting(None, name, Fraction(value)) for name, value in bound["settings"].items())
        delta = None if bound["target_delta"] is None else Fraction(bound["target_delta"])
        configured = Configured(self._config, "sound", settings, delta, limits=EVER)
        chosen = choose(bound["files"], None, configured.includes)
        checks = Checks(chosen, configured.options, requested(settings, delta)._replace(certificate=""), None)
        faults = configured.faults(checks.graph.included)
        if faults:
            raise Faulty(*faults)
        analyses = {shown(name): analysis for name, analysis in checks.files()}
        roots = map(configured.options, checks.graph.roots)
        whom = [Whom(each.neighbours, each.contributes) for each in roots]
        return _Found(checks.certificate()["bounds"], analyses, whom)


def _unproved(bound: Any, found: _Found) -> str:
    """Why there is nothing like a bound."""
    name, path = bound["function"], bound["path"]
    analysis = found.files.get(path)
    functions = [] if analysis is None else analysis.functions
    states = [each.state for each in functions if each.name == name and each.signature == bound["signature"]]
    if not states:
        return f"there is no `{name}{bound['signature']}` in {path}"
    if State.FAILED in states:
        return f"nothing is proved of `{name}` in {path} here: there is an error in it"
    return f"nothing like it is proved of `{name}` in {path}"


def _differences(bound: Any, here: Any) -> Iterator[str]:
    """Why a bound is not what stands here; what matters most comes first."""
    if bound["conditions"] != here["conditions"]:
        wanted = "; ".join(here["conditions"]) or "no conditions"
        yield f"`{bound['function']}` holds under other conditions: here under {wanted}"
    if bound["files"] != here["files"]:
        yield f"`{bound['function']}` is made of other files here: {', '.join(here['files'])}"
    for place, (said, found) in enumerate(zip(bound["nodes"], here["nodes"], strict=False)):
        for key, values in _unlike(said, found, "claim"):
            yield f"`{bound['function']}` releases something else: {key} of node {place} is {values}"
    if len(bound["nodes"]) != len(here["nodes"]):
        size = f"{len(here['nodes'])} nodes, and the certificate has {len(bound['nodes'])}"
        yield f"`{bound['function']}` releases something else: it is made of {size}"
    for key, values in _unlike(bound, here, *_MADE_WITH):
        yield f"`{bound['function']}` comes to something else: {key} is {values}"


def _unlike(said: Any, found: Any, *besides: str) -> Iterator[tuple[str, str]]:
    """What is unlike in two objects, and what it is in each."""
    for key in sorted((said.keys() | found.keys()) - {*besides}):
        if said.get(key) != found.get(key):
            yield key, f"{_short(found.get(key))} here, and {_short(said.get(key))} in the certificate"


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def absent(path: str) -> str:
    """Why a file cannot be compared with what stands here; empty if it can."""
    if os.path.isabs(path) or ".." in path.split("/"):
        return f"{path} lies outside this folder, and is not compared"
    if path != os.path.normpath(path).replace(os.sep, "/") or frontends.find(path) is None:
        return f"{path} is no name of a program"
    if not os.path.isfile(path):
        return f"{path} is not here, so it is not compared"
    if not is_below(os.path.realpath(path), os.path.realpath(os.getcwd())):
        return f"{path} is a link that leads out of this folder, and is not compared"
    return ""


def changed(path: str, digest: str) -> str:
    """Why a file is not what a certificate is about; empty if it is."""
    found = read(path)
    if found.problem is not None:
        return f"{path} cannot be read"
    return "" if digest_of(found.content) == digest else f"{path} has changed since"
