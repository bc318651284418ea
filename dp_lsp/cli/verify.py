"""``dp-lsp verify``: whether a certificate proves what it says, of the function that it says it of.

It fails closed: what was not compared with a program that stands here is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from dp_lsp.cli.certified import Json, parsed
from dp_lsp.cli.compared import Faulty, Here, Whom, absent, changed
from dp_lsp.cli.output import FINDINGS, USAGE, complain, point, write
from dp_lsp.cli.sealed import refusal, seal
from dp_lsp.cli.style import path_shown, printable
from dp_lsp.core.notation import decimal
from dp_lsp.disk.reading import read
from dp_lsp.features.markdown import together

_COMPARED = (
    "Each proved bound was computed anew, and its program checked again under the configuration that counts here."
)


def run(path: str, config: str | None = None) -> int:
    """Replay a certificate, say of each bound whether it is proved, and return the exit code."""
    text = read(path)
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
    except Faulty as faults:
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
        stated = bound["stated"]
        yield path_shown(f"  also states ε {decimal(Fraction(stated['epsilon']), 6)} ({stated['rule']}), not replayed")
