"""An attack on the rules: programs are run on neighbouring inputs, in search of a pair that moves a result further than
the checker claims. The commands are those of ``python -m tests.attack``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from dp_lsp.analysis.records import Options
from dp_lsp.builtins.meanings import NoMeaning
from dp_lsp.core.scheme import FunctionValue, Scheme
from dp_lsp.core.term import Method
from dp_lsp.engine.check import Defined, Engine
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.meaning.refuter import Counterexample, search
from dp_lsp.meaning.spaces import NotASpace

from .boxes import BOXES, Boxes


class Target(NamedTuple):
    """A function of which something is claimed, and how it is run."""

    name: str
    scheme: Scheme
    method: Method
    interpreter: Interpreter

    def attacked(self, source: random.Random, settings: int, tries: int) -> Counterexample | None:
        """What a search finds; None of a function that has no value of its own, or whose inputs cannot be drawn."""
        try:
            return search(self.scheme, lambda args: self.interpreter.run(self.method, args), source, settings, tries)
        except (NotASpace, NoMeaning):
            return None


def targets(
    text: str,
    profile: str = "sound",
    engine: Engine | None = None,
    boxes: Boxes | None = None,
    contributes: int = 1,
) -> Iterator[Target]:
    """The functions of a program whose sensitivity is proved, and known without knowing how they are called. A person
    ``contributes`` so many records where no annotation says it."""
    found = (engine or Engine()).definitions(text, Options(profile=profile, facts=False, contributes=contributes))
    interpreter = Interpreter([each.definition for each in found], BOXES if boxes is None else boxes)
    for each in found:
        scheme = _scheme(each)
        if scheme is not None and isinstance(each.definition, Method):
            yield Target(each.definition.name, scheme, each.definition, interpreter)


def _scheme(each: Defined) -> Scheme | None:
    value = each.meaning
    if not isinstance(value, FunctionValue) or not value.methods or value.methods[0].opens:
        return None
    scheme = value.methods[0]
    return None if scheme.claims_privacy or scheme.reason else scheme
