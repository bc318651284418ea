"""What came of the real editors, which ``tests/editors/run.py`` drives beside the other tests; these wait for it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.editors.run import PARTS

PATIENT = 900  # seconds; the editors are installed first, if need be
RESULTS = os.environ.get("DP_LSP_EDITORS")


@pytest.mark.slow
@pytest.mark.skipif(not RESULTS, reason="the real editors are driven by .ci/run, or by tests/editors/run.py")
@pytest.mark.parametrize("part", PARTS)
def test_editor(part: str) -> None:
    assert RESULTS
    file = Path(RESULTS, f"{part}.json")
    end = time.monotonic() + PATIENT
    while not file.exists():
        if time.monotonic() > end:
            log = Path(RESULTS, "run.log")
            pytest.fail(f"{part} did not end\n" + (log.read_text("utf-8") if log.exists() else ""), pytrace=False)
        time.sleep(1)
    found = json.loads(file.read_text("utf-8"))
    if found["state"] == "not run":
        pytest.skip(f"not run: {found['reason']}")
    if found["state"] != "passed":
        pytest.fail(found["reason"], pytrace=False)
