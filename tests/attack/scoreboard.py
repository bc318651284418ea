"""The scoreboard: what is found against the published rules, what we claim there, and how random programs fare."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dp_lsp.analysis.records import FunctionReport, Options
from dp_lsp.builtins.meanings import Value
from dp_lsp.core.scheme import Scheme
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.witness import shown
from spec_runner import Block
from spec_runner import blocks as blocks_of

from . import targets
from .private import private_targets

ROOT = Path(__file__).resolve().parents[2]
SCOREBOARD = ROOT / "dp_lsp" / "reference" / "soundness.md"
_SETTINGS, _TRIES, _PRIVATE_TRIES = 12, 60, 10
NOT_ACCEPTED = "not accepted"
_ENGINE = Engine()

_HEAD = """\
<!-- Made by `python -m tests.attack scoreboard`. -->

# Soundness

## What is found against the published rules

Each program stands in `fixtures/spec`, under the heading that is named. The published claim is that of `--profile
published`, ours that of the rules that are used if nothing else is said. The inputs were found by the same search that
finds nothing against ours.

| rule | function | published | ours | inputs | apart | results apart |
|---|---|---|---|---|---|---|
"""
_OTHERS = "Other sections of `fixtures/spec/published.md`, of which no published claim is refuted.\n"
_NO_REASON = "the published bound is as large as ours, or larger than it needs to be"
_REASONS = {
    "Pairs of columns": "wrong for a captured vector where there are more rows than columns; what was tried has none",
    "Divisors that may be 0": "where it is wrong the run fails",
    "Bounds that fail": "what tells the inputs apart is that one run fails, which is no distance",
    "Rounds of a mechanism": "the published total δ is more than 1, which promises nothing",
    "A range that is empty": "the published condition fails, so nothing is claimed",
    "A change in two arguments": "the noise is Gaussian, and better than the pair that is published of it",
    "A change of more than 1": "the published condition fails, so nothing is claimed",
    "Noise for another norm": "the published rule does not take it",
    "A sample of two matrices": "the noise is Gaussian, and better than the pair that is published of it",
    "A sample of what moves further": "the published condition fails, so nothing is claimed",
    "The rows of a sample": "the sample is of 100 rows, which are drawn in more ways than are gone through",
    "Vectors changed in place": "the number is right where nothing else names the vector",
    "What is not reproduced": "`--profile published` has the sound bound there",
}
_AGREED = ("Where both agree",)


class Score(NamedTuple):
    """A published claim that is too small, ours in its place, and what shows it: inputs, how far they are apart, and
    how far the results are, or what tells them apart."""

    heading: str
    function: str
    published: str
    ours: str
    inputs: str
    apart: str
    results: str


def scores() -> Iterator[Score]:
    """What is found in the pages of the specification; of each section the first function."""
    for path in sorted((ROOT / "fixtures" / "spec").glob("*.md")):
        sections: dict[str, list[Block]] = {}
        for block in blocks_of(path.read_text("utf-8")):
            sections.setdefault(block.heading, []).append(block)
        for heading, listed in sections.items():
            found = next((score for block in listed for score in _of(block, heading, listed)), None)
            if found is not None:
                yield found


def not_refuted(found: list[Score]) -> Iterator[str]:
    """The headings of what the published rules and ours disagree about, and nothing is found against."""
    refuted = {score.heading for score in found}
    page = (ROOT / "fixtures" / "spec" / "published.md").read_text("utf-8")
    yield from dict.fromkeys(
        block.heading
        for block in blocks_of(page)
        if "profile=published" in block.words and block.heading not in refuted
    )


def _of(block: Block, heading: str, listed: list[Block]) -> Iterator[Score]:
    if "profile=published" not in block.words:
        return
    texts = [block.text, *(each.text for each in listed if "profile=published" not in each.words)]
    for target in targets(block.text, "published", _ENGINE):
        found = target.attacked(random.Random(heading), _SETTINGS, _TRIES)
        pair = found.refutation if found is not None else None
        if pair is not None:
            inputs = _inputs(target.scheme, pair.inputs, {pair.place: pair.other})
            claims = _claims(texts, target.name, target.scheme.params[pair.place].name)
            yield Score(heading, *claims, inputs, shown(pair.apart), shown(pair.moved))
    for private in private_targets(block.text, "published", _ENGINE):
        searched = private.attacked(random.Random(heading), _SETTINGS, _PRIVATE_TRIES)
        breach = searched.breach if searched is not None else None
        if breach is not None:
            others = {place: breach.others[place] for place in breach.claim.places}
            name = private.scheme.params[breach.claim.places[0]].name
            needed = f"{'δ' if breach.claim.delta else 'ε'} is at least {breach.found:.4g}"
            claims = _claims(texts, private.name, name)
            yield Score(heading, *claims, _inputs(private.scheme, breach.inputs, others), "≤ 1", needed)


def _inputs(scheme: Scheme, inputs: Sequence[Value], others: Mapping[int, Value]) -> str:
    """The inputs, those first that change."""
    named = [(param.name, place) for place, param in enumerate(scheme.params)]
    changed = [
        f"{name} = {shown(inputs[place])} and {shown(others[place])}" for name, place in named if place in others
    ]
    return ", ".join(changed + [f"{name} = {shown(inputs[place])}" for name, place in named if place not in others])


def _claims(texts: list[str], function: str, parameter: str) -> tuple[str, str, str]:
    """The function and its parameter, what is published of it, and what we say."""
    ours = (_claim(text, "sound", function, parameter) for text in texts)
    accepted = next((claim for claim in ours if claim != NOT_ACCEPTED), NOT_ACCEPTED)
    return f"`{function}`, {parameter}", _claim(texts[0], "published", function, parameter), accepted


def _claim(text: str, profile: str, function: str, parameter: str) -> str:
    reports = _ENGINE.check(text, Options(profile=profile)).functions
    return next((_bound(each, parameter) for each in reports if each.name == function), NOT_ACCEPTED)


def _bound(report: FunctionReport, parameter: str) -> str:
    if report.state != "proved":
        return NOT_ACCEPTED
    found = next((each.shown for each in report.parameters if each.name == parameter), "")
    return found or NOT_ACCEPTED


def table(found: list[Score]) -> str:
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in score)} |\n" for score in found)


def page(found: list[Score], programs: str) -> str:
    """The whole page; ``programs`` says how random programs fared."""
    others = "".join(
        f"* {heading}: {_REASONS.get(heading, _NO_REASON)}\n"
        for heading in not_refuted(found)
        if heading not in _AGREED
    )
    return (
        f"{_HEAD}{table(found)}\n{len(found)} published rules are refuted.\n\n## What is not found\n\n{_OTHERS}\n"
        f"{others}\n## Random programs\n\n{programs}\n"
    )
