"""Ways to give a function of a library another meaning (`fixtures/python/patches`): nothing is claimed of a caller,
whether it is defined before that or afterwards."""

from __future__ import annotations

import ast
import re

import pytest

from cpython.claims import claims
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import file_report
from source_tree import ROOT

HEAD = "from typing import Annotated\n\nimport numpy as np\nfrom dp_types import Within\n\n"
CALL = "\n\ndef f(x: Annotated[float, Within()]):\n    return np.clip(x, 0, 1)\n\n\n"
PAGE = (ROOT / "fixtures" / "python" / "patches" / "patched.md").read_text("utf-8")
PATCHES = re.findall(r"^```python\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)


def claimed(text: str) -> bool:
    """Whether something finite is claimed of `f`."""
    ast.parse(text)
    report = file_report(Engine().check(text, document="p.py"), "p.py")
    return any(each.name == "f" and each.finite for each in claims(report))


def test_without_a_patch_it_is_claimed() -> None:
    assert claimed(HEAD + CALL)


@pytest.mark.parametrize("patch", PATCHES)
def test_what_is_patched_is_not_claimed(patch: str) -> None:
    assert not claimed(f"{HEAD}{patch}\n{CALL}")
    assert not claimed(f"{HEAD}{CALL}{patch}\n")
