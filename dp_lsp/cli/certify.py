"""``dp-lsp check --certificate``: the bounds that were proved, in a form that ``dp-lsp verify`` replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dp_lsp import __version__
from dp_lsp.accounting.best import guarantees
from dp_lsp.accounting.certificate import bounds
from dp_lsp.analysis.records import Setting
from dp_lsp.cli.files import shown
from dp_lsp.cli.verify import VERSION, digest_of, refusal
from dp_lsp.engine.certify import Certifiable
from dp_lsp.engine.distributions import Answers

Json = dict[str, Any]


def certificate(
    found: Iterable[Certifiable], settings: Iterable[Setting], text_of: Callable[[str], str], answers: Answers
) -> Json:
    """A certificate of all that can be certified, by the best rule that the verifier accepts for each bound; a smaller
    number that it cannot replay is only named. A file that several projects include is in it once."""
    listed = {(each.file, each.function, each.signature, each.parameters): each for each in found}
    given = tuple(settings)
    entries = [entry for each in listed.values() for entry in _entries(each, given, answers)]
    files = dict.fromkeys(each.file for each in listed.values())
    return {
        "certificate": VERSION,
        "tool": {"name": "dp-lsp", "version": __version__},
        "sources": [{"path": shown(file), "sha256": digest_of(text_of(file))} for file in files],
        "bounds": entries,
    }


def _entries(each: Certifiable, settings: tuple[Setting, ...], answers: Answers) -> Iterable[Json]:
    proved = next((bound for bound in bounds(each.charge, each.delta) if not refusal(bound)), None)
    if proved is None:
        return
    given = {one.name: str(one.value) for one in settings if one.function in (None, each.function)}
    entry: Json = {
        "path": shown(each.file),
        "function": each.function,
        "signature": each.signature,
        "parameters": list(each.parameters),
        "settings": given,
        "conditions": list(each.conditions),
    }
    known = [*guarantees(each.charge, each.delta)[:1], answers(each.question)]
    best = min(filter(None, known), key=lambda one: one.epsilon, default=None)
    if best is not None and best.epsilon < Fraction(proved["epsilon"]):
        entry["stated"] = {"rule": best.rule, "epsilon": str(best.epsilon)}  # which the verifier does not know
    yield entry | proved
