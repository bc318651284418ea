"""Pages of the specification that say what Python costs, judged by CPython: what is claimed of their programs is no
less than what any run costs, and half of it is; and where a function is said to protect nobody, runs show that."""

from __future__ import annotations

import re

import pytest

import spec_runner
from attack.python import checked, judged
from cpython.claims import Claim, Parameter
from cpython.inputs import slots
from cpython.judging import Judge
from cpython.noise import World
from source_tree import ROOT

PAGES = (
    *(
        "aliases",
        "dictionaries",
        "key_counts",
        "lists-of-files",
        "helpers-of-data",
        "one-of",
        "rounding",
        "named-draws",
        "table_parts",
        "arrays-of-records",
        "applied",
    ),
    *(
        "written-lists",
        "put-in-order",
        "texts",
        "generators",
        "switches",
        "distinct",
        "by-hand",
        "side-by-side",
        "counted-keys",
    ),
    "objects",
    "functions-of-modules",
)
LOOSE = {
    "Values that take the place of others",
    "A town that stands there twice",
    "A switch that calls give",  # one that is off costs what it costs when it is on
    "A table that is filtered again and again",
    "An object that is made anew in a loop",
}
"""Programs that draw what nobody sees, or count what is never there: it is paid for, so that less holds, too."""


def _is_asked(claim: Claim) -> bool:
    """Whether it can be run: it is no method, which has an object, and nothing is assumed of what it is given."""
    return claim.private and "." not in claim.name and not any(text.startswith("`") for text in claim.texts)


@pytest.mark.parametrize("page", PAGES)
def test_claims_hold_and_half_of_them_do_not(page: str) -> None:
    found = spec_runner.blocks((ROOT / "fixtures" / "spec" / "python" / f"{page}.md").read_text("utf-8"))
    missing = ("read_csv", "sklearn")  # there is no such file, and no such library
    blocks = [each for each in found if not any(name in each.text for name in missing)]
    said = zip(blocks, checked([block.text for block in blocks]), strict=True)
    kept, stands = 0, set()
    for block, claims in said:
        outcome = judged(1, block.text, claims)
        assert not (outcome.refuted or outcome.crashed), (block.text, outcome)
        for claim in (each for each in claims if _is_asked(each)):
            half = [each._replace(epsilon=f"({each.epsilon})/2") for each in claim.parameters]
            kept += 1
            if not Judge(block.text, 1).refuted(claim._replace(parameters=tuple(half)), 40, 12):
                stands.add(block.heading)
    assert kept >= 4 and stands <= LOOSE


FAILED = re.compile(r"^# (\w+): failed; (\w+) ε oo", re.MULTILINE)
MUCH = "1000"


def test_what_is_said_to_protect_nobody_does_not() -> None:
    page = (ROOT / "fixtures" / "spec" / "python" / "not_hidden.md").read_text("utf-8")
    judged = 0
    for block in spec_runner.blocks(page):
        for function, _ in FAILED.findall(block.text):
            judge = Judge(block.text, 1)
            of = slots(judge.program.function(function, World(judge.source)))
            parameters = tuple(Parameter(at.name, at.static, None, "0" if at.static else MUCH, "0") for at in of)
            public = tuple(f"0 < {at.name}" for at in of if at.static)
            claim = Claim(function, True, parameters, "", public, (), ())
            judged += 1
            assert judge.refuted(claim, 40, 12), block.text
    assert judged
