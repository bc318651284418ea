"""The scoreboard: what is found against the published rules, what we claim there, and how random programs fare."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from dp_lsp.analysis.records import FunctionReport, Options
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.refuter import Pair
from dp_lsp.meaning.witness import shown
from spec_runner import Block
from spec_runner import blocks as blocks_of

from . import Target, targets

ROOT = Path(__file__).resolve().parents[2]
SCOREBOARD = ROOT / "dp_lsp" / "reference" / "soundness.md"
_SETTINGS, _TRIES = 12, 60
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


class Score(NamedTuple):
    """A published claim that is too small, ours in its place, and what shows it."""

    heading: str
    target: Target
    pair: Pair
    published: str
    ours: str


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


def _of(block: Block, heading: str, listed: list[Block]) -> Iterator[Score]:
    if "profile=published" not in block.words:
        return
    for target in targets(block.text, "published", _ENGINE):
        found = target.attacked(random.Random(heading), _SETTINGS, _TRIES)
        pair = found.refutation if found is not None else None
        if pair is not None:
            name = target.scheme.params[pair.place].name
            published = _claim(block.text, "published", target.name, name)
            texts = [block.text, *(each.text for each in listed if "profile=published" not in each.words)]
            ours = (_claim(text, "sound", target.name, name) for text in texts)
            accepted = next((claim for claim in ours if claim != NOT_ACCEPTED), NOT_ACCEPTED)
            yield Score(heading, target, pair, published, accepted)


def _claim(text: str, profile: str, function: str, parameter: str) -> str:
    reports = _ENGINE.check(text, Options(profile=profile)).functions
    return next((_bound(each, parameter) for each in reports if each.name == function), NOT_ACCEPTED)


def _bound(report: FunctionReport, parameter: str) -> str:
    if report.state != "proved":
        return NOT_ACCEPTED
    found = next((each.shown for each in report.parameters if each.name == parameter), "")
    return found or NOT_ACCEPTED


def table(found: list[Score]) -> str:
    rows = []
    for heading, target, pair, published, ours in found:
        name = target.scheme.params[pair.place].name
        rest = [
            f"{param.name} = {shown(value)}"
            for place, (param, value) in enumerate(zip(target.scheme.params, pair.inputs, strict=True))
            if place != pair.place
        ]
        inputs = ", ".join([f"{name} = {shown(pair.inputs[pair.place])} and {shown(pair.other)}", *rest])
        cells = heading, f"`{target.name}`, {name}", published, ours, inputs, shown(pair.apart), shown(pair.moved)
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n")
    return "".join(rows)


def page(found: list[Score], programs: str) -> str:
    """The whole page; ``programs`` says how random programs fared."""
    return f"{_HEAD}{table(found)}\n{len(found)} published rules are refuted.\n\n## Random programs\n\n{programs}\n"
