"""Pages of the specification that say what Python costs, judged by CPython: what is claimed of their programs is no
less than what any run costs, and half of it is."""

from __future__ import annotations

import pytest

import spec_runner
from attack.python import checked, judged
from cpython.judging import Judge
from source_tree import ROOT

PAGES = ("aliases", "dictionaries", "key_counts")
LOOSE = {
    "Values that take the place of others",
    "A town that stands there twice",
    "A table that is filtered again and again",
}
"""Programs that draw what nobody sees, or count what is never there: it is paid for, so that less holds, too."""


@pytest.mark.parametrize("page", PAGES)
def test_claims_hold_and_half_of_them_do_not(page: str) -> None:
    found = spec_runner.blocks((ROOT / "fixtures" / "spec" / "python" / f"{page}.md").read_text("utf-8"))
    blocks = [each for each in found if "read_csv" not in each.text]  # there is no such file
    said = zip(blocks, checked([block.text for block in blocks]), strict=True)
    kept, stands = 0, set()
    for block, claims in said:
        outcome = judged(1, block.text, claims)
        assert not (outcome.refuted or outcome.crashed), (block.text, outcome)
        for claim in (each for each in claims if each.private):
            half = [each._replace(epsilon=f"({each.epsilon})/2") for each in claim.parameters]
            kept += 1
            if not Judge(block.text, 1).refuted(claim._replace(parameters=tuple(half)), 40, 12):
                stands.add(block.heading)
    assert kept >= 4 and stands <= LOOSE
