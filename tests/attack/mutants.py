"""Breaks the table of builtins, one row at a time, and looks whether the specification or the search notices.

A mutant is a row whose factors are halved (∞ becomes 1), one that demands nothing, or one of which a container may be
measured in any norm.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.builtins.define import Args, Builtin, Form, free, no_demands
from dp_lsp.builtins.patterns import Box
from dp_lsp.core.sens import ONE, Sens, number
from dp_lsp.engine.check import Engine
from spec_runner import Block, rewritten
from spec_runner import blocks as blocks_of

from . import targets

ROOT = Path(__file__).resolve().parents[2]
_HALF = number(Fraction(1, 2))


class Mutant(NamedTuple):
    """A row that is wrong, and what is wrong with it."""

    row: Builtin
    what: str

    @property
    def name(self) -> str:
        return f"`{self.row.name}`: {self.what}"


def mutants() -> Iterator[Mutant]:
    """Every row, broken in every way that changes something."""
    for row in {id(row): row for row in builtins.TABLE.values()}.values():
        for index, form in enumerate(row.forms):
            for what, broken in _broken(form):
                forms = (*row.forms[:index], broken, *row.forms[index + 1 :])
                yield Mutant(replace(row, forms=forms), f"form {index + 1}, {what}")


def _broken(form: Form) -> Iterator[tuple[str, Form]]:
    if form.factors is not free:
        yield "factors halved", replace(form, factors=_halved(form.factors))
    if form.demands is not no_demands:
        yield "nothing demanded", replace(form, demands=no_demands)
    for index, param in enumerate(form.params):
        if isinstance(param.pattern, Box) and param.pattern.norm is not None:
            loose = param._replace(pattern=replace(param.pattern, norm=None))
            params = (*form.params[:index], loose, *form.params[index + 1 :])
            yield f"any norm of {param.name}", replace(form, params=params)


def _halved(factors: Callable[[Args], tuple[Sens, ...]]) -> Callable[[Args], tuple[Sens, ...]]:
    def of(args: Args) -> tuple[Sens, ...]:
        return tuple(ONE if factor.infinite else factor * _HALF for factor in factors(args))

    return of


@contextmanager
def in_place(mutant: Mutant) -> Iterator[Engine]:
    """An engine while the mutant stands in the table."""
    names = [name for name, row in builtins.TABLE.items() if row.name == mutant.row.name]
    kept = {name: builtins.TABLE[name] for name in names}
    try:
        builtins.TABLE.update(dict.fromkeys(names, mutant.row))
        yield Engine()
    finally:
        builtins.TABLE.update(kept)


def is_noticed(mutant: Mutant) -> str:
    """Who notices a mutant: the specification, the search, or nobody (empty)."""
    with in_place(mutant) as engine:
        if any(rewritten(block, engine) != block.lines for block in _about(mutant.row)):
            return "the specification"
        examples = "\n".join(mutant.row.examples)
        programs = [examples, *(block.text for block in _about(mutant.row))]
        return "the search" if any(is_refuted(text, engine) for text in programs) else ""


def _about(row: Builtin) -> Iterator[Block]:
    """The programs of the specification that use a row, and claim what the sound rules say."""
    for path in sorted((ROOT / "fixtures" / "spec").glob("*.md")):
        for block in blocks_of(path.read_text("utf-8")):
            if not block.words and (row.name in block.text or row.name in ("[:]", "[…]", "[]", "'")):
                yield block


def is_refuted(text: str, engine: Engine) -> bool:
    """Whether the search refutes what is claimed of a program."""
    for target in targets(text, engine=engine):
        found = target.attacked(random.Random(text), 4, 30)
        if found is not None and found.refutation is not None:
            return True
    return False
