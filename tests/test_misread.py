"""Mistakes in reading Python, put in on purpose: CPython refutes what is claimed then of a program, and of none of them
what is claimed as it is read."""

from __future__ import annotations

import pytest

from attack.misread import misreadings, refuted

MISREAD = {each.what: each for each in misreadings()}


@pytest.mark.parametrize("what", MISREAD)
def test_what_is_misread_is_refuted(what: str) -> None:
    each = MISREAD[what]
    assert refuted(each, each.program)


@pytest.mark.parametrize("what", MISREAD)
def test_what_is_read_as_it_is_stands(what: str) -> None:
    assert refuted(None, MISREAD[what].program) == ""
