"""``dp-lsp verify``: whether a certificate proves what it says."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dp_lsp.cli.output import FINDINGS, USAGE, complain, write
from dp_lsp.cli.style import path_shown, printable
from dp_lsp.core.notation import decimal
from dp_lsp.disk.reading import read
from dp_lsp.features.markdown import together
from dp_lsp.verify import Replay

VERSION = 1
"""Of certificates that are written and read."""

_NOT_VOUCHED = (
    "That the programs release no more than the certificate lists is not replayed: run `dp-lsp check` for it."
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
    printed = [line for _, line in lines] + [total, _NOT_VOUCHED]
    written = write("".join(f"{line}\n" for line in printed))
    return max(written, FINDINGS if refused or not lines else 0)


def _lines(document: Any) -> Iterator[tuple[bool, str]]:
    if document["certificate"] != VERSION:
        raise ValueError(f"it is of version {document['certificate']}, and this is a reader of version {VERSION}")
    changed = {each["path"]: _changed(each["path"], each["sha256"]) for each in document["sources"]}
    for bound in document["bounds"]:
        why = refusal(bound) or changed.get(bound["path"], "its program is not listed")
        yield not why, _line(bound, f"refused: {why}" if why else "proved")


def refusal(bound: Any) -> str:
    """Why a bound is not proved by what stands there; empty if it is."""
    try:
        Replay(bound["nodes"]).prove(len(bound["nodes"]) - 1, bound)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as wrong:
        return str(wrong) or type(wrong).__name__
    return ""


def _changed(path: str, digest: str) -> str:
    """What is wrong with a program, if it stands where it stood: one that cannot be found is not compared."""
    if os.path.isabs(path) or ".." in path.split("/") or not os.path.exists(path):
        return ""
    found = read(path)
    return "" if digest_of(found.content) == digest else f"{path} has changed since"


def digest_of(text: str) -> str:
    """What a certificate knows a program by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _line(bound: Any, verdict: str) -> str:
    epsilon, delta = (decimal(Fraction(bound[name]), 6) for name in ("epsilon", "delta"))
    given = "".join(f", {name} = {value}" for name, value in sorted(bound["settings"].items()))
    names = together(bound["parameters"])
    said = f"{bound['path']}: {bound['function']}, {names}: ε {epsilon} δ {delta} ({bound['rule']}){given}: {verdict}"
    return path_shown(said)
