"""Mistakes in reading Python, put in on purpose: CPython refutes what is claimed then of a program, and of none of them
what is claimed as it is read."""

from __future__ import annotations

import pytest

from attack.misread import SEEDS, misreadings, refuted, refuted_by_seed

MISREAD = {each.what: each for each in misreadings()}


@pytest.mark.parametrize("what", MISREAD)
def test_what_is_misread_is_refuted(what: str) -> None:
    each = MISREAD[what]
    assert refuted(each, each.program)


@pytest.mark.parametrize("what", MISREAD)
def test_what_is_read_as_it_is_stands(what: str) -> None:
    assert refuted(None, MISREAD[what].program) == ""


@pytest.mark.parametrize("what", MISREAD)
def test_a_random_program_refutes_it(what: str) -> None:
    assert refuted_by_seed(MISREAD[what], SEEDS[what])
    assert refuted_by_seed(None, SEEDS[what]) == ""
