"""``dp-lsp verify``: whether a certificate proves what it says, of the function that it says it of.

A replay shows that a bound follows from the tree that stands in the certificate, and nothing of where that tree comes
from. So each program is checked again, as `dp-lsp check` would, with the numbers of the bound and under the
configuration that counts here. It fails closed: what was not compared with a program that stands here is refused, and
so is a certificate that says a thing twice, or something that its reader knows nothing of.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dp_lsp import frontends
from dp_lsp.analysis.limits import EVER
from dp_lsp.analysis.records import Analysis, Setting, State
from dp_lsp.analysis.setting import number
from dp_lsp.cli.certify import VERSION, digest_of, refusal, seal
from dp_lsp.cli.files import choose, shown
from dp_lsp.cli.output import FINDINGS, USAGE, complain, point, write
from dp_lsp.cli.style import path_shown, printable
from dp_lsp.core.notation import decimal
from dp_lsp.disk.loader import is_below, read_file
from dp_lsp.features.markdown import together
from dp_lsp.named import NamedTuple

_COMPARED = (
    "Each proved bound was computed anew, and its program checked again under the configuration that counts here."
)


def run(path: str, config: str | None = None) -> int:
    """Replay a certificate, say of each bound whether it is proved, and return the exit code."""
    text = read_file(path)
    if text.problem is not None:
        complain(f"{path}: {text.problem.message}")
        return USAGE
    try:
        document = parsed(text.content)
    except (RecursionError, ValueError) as wrong:
        complain(f"{path}: not a certificate ({printable(str(wrong) or type(wrong).__name__)})")
        return USAGE
    try:
        here = Here(config)
        found = [(bound, _refused(bound, document, here)) for bound in document["bounds"]]
    except FaultyCertificate as faults:
        for line in faults.args:
            point(line)
        return USAGE
    refused = sum(bool(why) for _, why in found)
    written = write("".join(f"{line}\n" for line in _lines(found, refused)))
    return max(written, FINDINGS if refused or not found else 0)


def _refused(bound: Json, document: Json, here: Here) -> str:
    """Why a bound is not proved of a program that stands here; empty if it is."""
    digests = {each["path"]: each["sha256"] for each in document["sources"]}
    return (
        refusal(bound)
        or _mislabelled(bound, digests)
        or next(filter(None, map(absent, digests)), "")
        or next(filter(None, (changed(path, digests[path]) for path in bound["files"])), "")
        or here.difference(bound)
    )


def _mislabelled(bound: Json, digests: Mapping[str, str]) -> str:
    """Why a bound is not about what it says it is; empty if it is, as far as it says so itself."""
    if bound["path"] not in bound["files"] or not all(path in digests for path in bound["files"]):
        return "its program is not listed"
    if bound["seal"] != seal(bound, digests):
        return "what it says was changed after it was certified: its seal is another"
    return ""


def _lines(found: list[tuple[Json, str]], refused: int) -> Iterator[str]:
    for bound, why in found:
        yield _line(bound, f"refused: {why}" if why else "proved")
        if not why:
            yield from _whom(bound)
    if not found:
        yield "no bounds: it proves nothing"
        return
    yield f"{len(found)} bound{'' if len(found) == 1 else 's'}, {f'{refused} refused' if refused else 'all proved'}"
    if refused < len(found):
        yield _COMPARED


def _line(bound: Json, verdict: str) -> str:
    epsilon, delta = (decimal(Fraction(bound[name]), 6) for name in ("epsilon", "delta"))
    given = "".join(f", {name} = {value}" for name, value in sorted(bound["settings"].items()))
    names = together(bound["parameters"])
    said = f"{bound['path']}: {bound['function']}, {names}: ε {epsilon} δ {delta} ({bound['rule']}){given}: {verdict}"
    return path_shown(said)


def _whom(bound: Json) -> Iterator[str]:
    """Whom a bound protects, and under which conditions; and what it says that nobody has proved."""
    yield path_shown(f"  protects {Whom(bound['neighbours'], bound['contributes'])}")
    yield from (path_shown(f"  if {condition}") for condition in bound["conditions"])
    if "stated" in bound:
        yield path_shown(f"  also states {_stated(bound['stated'])}, not replayed")


_CHECKED_WITH = ("files", "settings", "target_delta")
_NAMED = ("path", "function", "signature", "parameters")
_MADE_WITH = ("seal", "stated")
"""What need not be equal to what a program is compared with: the seal, and a number that says of itself that it is not
proved here, of which no less must be found."""


class Whom(NamedTuple):
    """Which data are neighbours, and how many records a person has where no annotation says it."""

    neighbours: str
    contributes: int

    def __str__(self) -> str:
        records = f"{self.contributes} record{'' if self.contributes == 1 else 's'}"
        return f"a person with {records} where no annotation says otherwise, neighbours: {self.neighbours}"


class FaultyCertificate(Exception):
    """A configuration that counts for a program cannot be read; its lines say why."""


class _FoundNode(NamedTuple):
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
        self._found: dict[str, _FoundNode] = {}

    def difference(self, bound: Any) -> str:
        """Why a bound is not what its function has; empty if it is. Raises :class:`FaultyCertificate`."""
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

    def _checked(self, bound: Any) -> _FoundNode:
        """What a check finds out of the files of a bound as they stand there, with its numbers."""
        from dp_lsp.cli.check import requested  # which loads all that checks
        from dp_lsp.cli.checks import Checks
        from dp_lsp.cli.files import Configured

        settings = tuple(Setting(None, name, Fraction(value)) for name, value in bound["settings"].items())
        delta = None if bound["target_delta"] is None else Fraction(bound["target_delta"])
        configured = Configured(self._config, "sound", settings, delta, limits=EVER)
        chosen = choose(bound["files"], None, configured)
        checks = Checks(chosen, configured.options, requested(settings, delta)._replace(certificate=""), None)
        faults = configured.faults(checks.graph.included)
        if faults:
            raise FaultyCertificate(*faults)
        analyses = {shown(name): analysis for name, analysis in checks.files()}
        roots = map(configured.options, checks.graph.roots)
        whom = [Whom(each.neighbours, each.contributes) for each in roots]
        return _FoundNode(checks.certificate()["bounds"], analyses, whom)


def _unproved(bound: Any, found: _FoundNode) -> str:
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
    if "stated" in bound and Fraction(bound["stated"]["epsilon"]) < Fraction(here.get("stated", here)["epsilon"]):
        found = here.get("stated", here)
        least = f"{_stated(found)} here, and {_stated(bound['stated'])} in the certificate"
        yield f"`{bound['function']}` comes to something else: what is stated is {least}"


def _stated(bound: Json) -> str:
    return f"ε {decimal(Fraction(bound['epsilon']), 6)} ({bound['rule']})"


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
    found = read_file(path)
    if found.problem is not None:
        return f"{path} cannot be read"
    return "" if digest_of(found.content) == digest else f"{path} has changed since"


Json = dict[str, Any]

_OPTIONAL = "?"
_ANY = "*"
_SHAPE: Any = {
    "certificate": int,
    "tool": {"name": str, "version": str},
    "sources": [{"path": str, "sha256": str}],
    "bounds": [
        {
            "path": str,
            "function": str,
            "signature": str,
            "parameters": [str],
            "settings": {_ANY: number},
            "target_delta": (None, number),
            "neighbours": str,
            "contributes": int,
            "conditions": [str],
            "stated" + _OPTIONAL: {"rule": str, "epsilon": number},
            "rule": str,
            "epsilon": number,
            "delta": number,
            "order" + _OPTIONAL: number,
            "nodes": [dict],
            "files": [str],
            "seal": str,
        }
    ],
}
"""What stands where: a class, a number that is written as text, all of a list, the names of an object. What a node
holds depends on the rule, and is for the verifier to say."""


def parsed(text: str) -> Json:
    """The certificate that a text is. Raises ValueError, or RecursionError, for one that is none."""
    found: Json = json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number, parse_float=_no_number)
    version = found.get("certificate") if isinstance(found, dict) else None
    if version != VERSION or type(version) is not int:
        raise ValueError(f"it is of version {version}, and this is a reader of version {VERSION}")
    for place in _misfits(found, _SHAPE, ""):
        raise ValueError(f"{place} is missing, or is nothing that stands there in a certificate")
    if len({each["path"] for each in found["sources"]}) < len(found["sources"]):
        raise ValueError("it lists a file twice")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it gives one name two meanings")
    for value in found.values():
        if any(isinstance(each, bool) for each in (value if isinstance(value, list) else [value])):
            raise ValueError("true and false are no numbers")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text[:40]} is not how a certificate writes a number")


def _misfits(value: Any, shape: Any, place: str) -> Iterator[str]:
    """The places where something else stands than belongs there."""
    if shape is number:
        if not isinstance(value, str) or number(value) is None:
            yield place
    elif isinstance(shape, tuple):
        yield from () if value is None else _misfits(value, shape[1], place)
    elif isinstance(shape, list):
        for index, each in enumerate(value) if isinstance(value, list) else ():
            yield from _misfits(each, shape[0], f"{place}[{index}]")
        if not isinstance(value, list):
            yield place
    elif isinstance(shape, dict):
        yield from _misfits_inside(value, shape, place)
    elif type(value) is not shape:
        yield place


def _misfits_inside(value: Any, shape: Json, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield place or "the whole"
        return
    known = {name.removesuffix(_OPTIONAL): inner for name, inner in shape.items()}
    for name in known.keys() - value.keys() - {_ANY}:
        if name in shape:
            yield f"{place}.{name}".lstrip(".")
    for name, each in value.items():
        inner = known.get(name, known.get(_ANY))
        if inner is None:
            yield f"{place}.{name}".lstrip(".")
        else:
            yield from _misfits(each, inner, f"{place}.{name}".lstrip("."))
