"""Data that differ by one person, who may have several records."""

from __future__ import annotations

import math
import random
from fractions import Fraction

from dp_lsp.builtins.concrete import Value
from dp_lsp.core.evaluate import interval
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.meaning.spaces import Setting, neighbour


def records(param: SchemeParameter, setting: Setting) -> int:
    """How many records of a parameter one person has at most."""
    if param.unit is None:
        return 1
    return max(1, math.floor(interval(param.unit.records, setting.numbers).low))


def some(most: int, source: random.Random) -> int:
    """How many of a person's records change: often all of them."""
    return most if most == 1 or source.random() < 0.6 else source.randint(1, most)


def other(param: SchemeParameter, x: Value, source: random.Random, setting: Setting) -> Value:
    """The data of a parameter with other records of one person, or near those."""
    for _ in range(some(records(param, setting), source)):
        x = neighbour(param.type, x, source, setting)
    return x


def persons(param: SchemeParameter, apart: Value, setting: Setting) -> Value:
    """How many persons make so many steps. Of what holds for a whole person only, at least one does."""
    if param.unit is None:
        return apart
    exact = apart if isinstance(apart, float) else Fraction(apart)  # what is rounded is compared as such
    counted = exact / records(param, setting)
    if param.unit.uneven:
        return Fraction(math.ceil(counted))
    return max(Fraction(1), counted) if param.unit.whole else counted
