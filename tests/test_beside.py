"""What came of what ``.ci/run`` does beside the other tests, which these wait for: the real editors, which
``tests/editors/run.py`` drives, and the libraries of which something is said, in the versions that are named there."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.editors.run import PARTS

PATIENT = 900  # seconds; the editors are installed first, if need be
RESULTS = os.environ.get("DP_LSP_BESIDE")
beside = pytest.mark.skipif(not RESULTS, reason="done by .ci/run: tests/editors/run.py, tests/library_versions.py")


def result(name: str, log: str) -> str:
    """What stands in a file of the results, once it is there."""
    assert RESULTS
    file, end = Path(RESULTS, name), time.monotonic() + PATIENT
    while not file.exists():
        if time.monotonic() > end:
            pytest.fail(f"{name} is not there\n{Path(RESULTS, log).read_text('utf-8')}", pytrace=False)
        time.sleep(1)
    return file.read_text("utf-8")


@pytest.mark.slow
@beside
@pytest.mark.parametrize("part", PARTS)
def test_editor(part: str) -> None:
    found = json.loads(result(f"{part}.json", "run.log"))
    if found["state"] == "not run":
        pytest.skip(f"not run: {found['reason']}")
    if found["state"] != "passed":
        pytest.fail(found["reason"], pytrace=False)


@pytest.mark.slow
@beside
def test_libraries_are_as_is_said_in_each_version() -> None:
    if result("libraries.status", "libraries.log").strip() != "0":
        pytest.fail(result("libraries.log", "libraries.log"), pytrace=False)
