"""``dp-lsp verify``: whether a certificate proves what it says, of the function that it says it of."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from dp_lsp.analysis.records import Options, Setting
from dp_lsp.cli.output import FINDINGS, USAGE, complain, write
from dp_lsp.cli.sealed import VERSION, digest_of, refusal, seal
from dp_lsp.cli.style import path_shown, printable
from dp_lsp.core.notation import decimal
from dp_lsp.disk.reading import read
from dp_lsp.features.markdown import together

_COMPARED = "That the programs release no more than the certificate lists was compared with `dp-lsp check` of them."
_NOT_COMPARED = (
    "That {} releases no more than the certificate lists was not compared: the program is not here as it was checked."
)


def run(path: str) -> int:
    """Replay a certificate, say of each bound whether it is proved, and return the exit code."""
    text = read(path)
    if text.problem is not None:
        complain(f"{path}: {text.problem.message}")
        return USAGE
    try:
        document = json.loads(text.content)
        lines = list(_lines(document))
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as wrong:
        complain(f"{path}: not a certificate ({printable(str(wrong) or type(wrong).__name__)})")
        return USAGE
    refused = sum(not accepted for accepted, _ in lines)
    count = f"{len(lines)} bound{'' if len(lines) == 1 else 's'}"
    total = f"{count}, all proved" if not refused else f"{count}, {refused} refused"
    absent = together(sorted({each["path"] for each in document["bounds"] if not _is_here(each)}))
    last = path_shown(_NOT_COMPARED.format(absent)) if absent else _COMPARED
    printed = [line for _, line in lines] + [total, *([last] if lines else [])]
    written = write("".join(f"{line}\n" for line in printed))
    return max(written, FINDINGS if refused or not lines else 0)


def _lines(document: Any) -> Iterator[tuple[bool, str]]:
    if document["certificate"] != VERSION:
        raise ValueError(f"it is of version {document['certificate']}, and this is a reader of version {VERSION}")
    digests = {each["path"]: each["sha256"] for each in document["sources"]}
    changed = {path: _changed(path, digest) for path, digest in digests.items()}
    read_off = _ReadOff()
    for bound in document["bounds"]:
        why = refusal(bound) or _mislabelled(bound, digests)
        why = why or next(filter(None, (changed[path] for path in bound["files"])), "")
        why = why or (read_off.difference(bound) if _is_here(bound) else "")
        yield not why, _line(bound, f"refused: {why}" if why else "proved")


def _mislabelled(bound: Any, digests: Mapping[str, str]) -> str:
    """Why a bound is not about what it says it is; empty if it is, as far as it says so itself."""
    if bound["path"] not in bound["files"] or not all(path in digests for path in bound["files"]):
        return "its program is not listed"
    if bound["seal"] != seal(bound, digests):
        return "what it says was changed after it was certified: its seal is another"
    return ""


class _ReadOff:
    """What a check reads off the programs that a certificate is about; each project is checked once."""

    def __init__(self) -> None:
        self._found: dict[str, list[Any]] = {}

    def difference(self, bound: Any) -> str:
        """Why a bound is not what its function has; empty if it is."""
        key = json.dumps([bound[name] for name in _CHECKED_WITH])
        if key not in self._found:
            self._found[key] = _certified_again(bound)
        alike = [each for each in self._found[key] if all(each[name] == bound[name] for name in _NAMED)]
        if not alike:
            return f"nothing like it is proved of `{bound['function']}` in {bound['path']}"
        told = {key: value for key, value in bound.items() if key not in _NOT_READ_OFF}
        same = any({key: each[key] for key in each if key not in _NOT_READ_OFF} == told for each in alike)
        return "" if same else f"`{bound['function']}` releases something else, or under other conditions"


def _certified_again(bound: Any) -> list[Any]:
    """What can be certified of the files of a bound as they stand there, with its numbers and its neighbours."""
    from dp_lsp.cli.check import requested  # which loads all that checks
    from dp_lsp.cli.checks import Checks
    from dp_lsp.cli.files import choose

    settings = tuple(Setting(None, name, Fraction(value)) for name, value in bound["settings"].items())
    delta = None if bound["target_delta"] is None else Fraction(bound["target_delta"])
    relation, records = str(bound["neighbours"]), int(bound["contributes"])
    options = Options(
        settings=settings, facts=False, target_delta=delta, neighbours=relation, contributes=records
    )  # fmt: skip
    request = requested(settings, delta)._replace(certificate="")
    checks = Checks(choose(bound["files"], None), lambda name: options, request, None)
    checks.files()
    found: list[Any] = checks.certificate()["bounds"]
    return found


_CHECKED_WITH = ("files", "settings", "target_delta", "neighbours", "contributes")
_NAMED = ("path", "function", "signature", "parameters")
_NOT_READ_OFF = ("files", "seal", "stated")


def _is_here(bound: Any) -> bool:
    """Whether all files of a bound can be compared with what stands there."""
    return all(_is_comparable(path) for path in bound["files"])


def _is_comparable(path: str) -> bool:
    return not os.path.isabs(path) and ".." not in path.split("/") and os.path.exists(path)


def _changed(path: str, digest: str) -> str:
    """What is wrong with a program, if it stands where it stood: one that cannot be found is not compared."""
    if not _is_comparable(path):
        return ""
    found = read(path)
    return "" if digest_of(found.content) == digest else f"{path} has changed since"


def _line(bound: Any, verdict: str) -> str:
    epsilon, delta = (decimal(Fraction(bound[name]), 6) for name in ("epsilon", "delta"))
    given = "".join(f", {name} = {value}" for name, value in sorted(bound["settings"].items()))
    names = together(bound["parameters"])
    said = f"{bound['path']}: {bound['function']}, {names}: ε {epsilon} δ {delta} ({bound['rule']}){given}: {verdict}"
    return path_shown(said)
