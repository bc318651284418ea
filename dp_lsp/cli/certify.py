"""``dp-lsp check --certificate``: the bounds that were proved, in a form that ``dp-lsp verify`` replays.

A bound says what it is about: the function, the numbers that were given, which data are neighbours, and the files of
the project that was checked, each with a digest. A seal over all of it keeps what is about one function from being
shown as about another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from dp_lsp import __version__
from dp_lsp.accounting.best import bounds, guarantees
from dp_lsp.analysis.records import Options
from dp_lsp.cli.files import shown
from dp_lsp.engine.distributions import Answers
from dp_lsp.engine.runnable import Certifiable
from dp_lsp.named import NamedTuple
from dp_lsp.verify import Replay

VERSION = 2
"""Of certificates that are written and read."""


def digest_of(text: str) -> str:
    """What a certificate knows a program by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def seal(bound: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    """What ties a bound to what it is about: a digest of all that it says, and of the files of its project."""
    said = {key: value for key, value in bound.items() if key != "seal"}
    return digest_of(json.dumps([said, {path: digests[path] for path in said["files"]}], sort_keys=True))


def refusal(bound: Any) -> str:
    """Why a bound is not proved by what stands there; empty if it is."""
    try:
        Replay(bound["nodes"]).prove(len(bound["nodes"]) - 1, bound)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as wrong:
        return str(wrong) or type(wrong).__name__
    return ""


Json = dict[str, Any]


class Proved(NamedTuple):
    """What can be certified of a project: its files, the options of its root, and the bounds."""

    files: tuple[str, ...]
    options: Options
    bounds: tuple[Certifiable, ...]


def certificate(projects: Iterable[Proved], text_of: Callable[[str], str], answers: Answers) -> Json:
    """A certificate of all that can be certified, by the best rule that the verifier accepts for each bound; a smaller
    number that it cannot replay is only named. What several projects say alike is in it once."""
    entries: dict[str, Json] = {}
    digests: dict[str, str] = {}
    for project in projects:
        rests = {shown(name): digest_of(text_of(name)) for name in project.files}
        for entry in (found for each in project.bounds for found in _entries(each, project, answers)):
            digests |= rests
            bound = entry | {"files": sorted(rests)}
            entries.setdefault(json.dumps(entry, sort_keys=True), bound | {"seal": seal(bound, digests)})
    return {
        "certificate": VERSION,
        "tool": {"name": "dp-lsp", "version": __version__},
        "sources": [{"path": path, "sha256": digest} for path, digest in digests.items()],
        "bounds": list(entries.values()),
    }


def _entries(each: Certifiable, project: Proved, answers: Answers) -> Iterator[Json]:
    proved = next((bound for bound in bounds(each.charge, each.delta) if not refusal(bound)), None)
    if proved is None:
        return
    options = project.options
    entry: Json = {
        "path": shown(each.file),
        "function": each.function,
        "signature": each.signature,
        "parameters": list(each.parameters),
        "settings": {one.name: str(one.value) for one in options.settings if one.function in (None, each.function)},
        "target_delta": None if options.target_delta is None else str(options.target_delta),
        "neighbours": options.neighbours,
        "contributes": options.contributes,
        "conditions": list(each.conditions),
    }
    known = [*guarantees(each.charge, each.delta)[:1], answers(each.question)]
    best = min(filter(None, known), key=lambda one: one.epsilon, default=None)
    if best is not None and best.epsilon < Fraction(proved["epsilon"]):
        entry["stated"] = {"rule": best.rule, "epsilon": str(best.epsilon)}  # which the verifier does not know
    yield entry | proved
