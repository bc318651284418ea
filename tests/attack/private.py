"""Private functions under attack: what is claimed of them, in numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting.bounds import PROFILES, bounds
from dp_lsp.accounting.charge import Relation
from dp_lsp.analysis.records import Options
from dp_lsp.builtins.meanings import NoMeaning, Value
from dp_lsp.builtins.randomness import Chance
from dp_lsp.core.algebra import Symbol
from dp_lsp.core.evaluate import Missing, Substitution, norms_of, upper
from dp_lsp.core.scheme import FunctionValue, Scheme
from dp_lsp.core.sens import Sens
from dp_lsp.core.term import Method
from dp_lsp.core.types import Container, Norm
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.interpreter import Interpreter
from dp_lsp.meaning.privacy import PrivacyClaim, Searched, search
from dp_lsp.meaning.spaces import NotASpace, SpaceSetting

from .boxes import BOXES, Boxes

Weaken = Callable[[PrivacyClaim], PrivacyClaim]
_FEW = 2  # rows: these are drawn in few ways, also several times
_CHOSEN = (Fraction(1, 10), Fraction(1, 10**4), Fraction(1, 2), Fraction(1, 10**7))


class PrivateTarget(NamedTuple):
    """A private function of which something is claimed by a profile, and how it is run."""

    name: str
    scheme: Scheme
    method: Method
    interpreter: Interpreter
    profile: str
    relation: Relation = Relation.CHANGE_ONE

    def claims(self, setting: SpaceSetting) -> list[PrivacyClaim]:
        """What is claimed of it where symbols have these numbers: every bound, for every number that may be chosen."""
        places = {param.var: place for place, param in enumerate(self.scheme.params) if not param.var.public}
        taken = frozenset(param.name for param in self.scheme.params)
        priced = bounds(self.scheme.cost, tuple(places), PROFILES[self.profile], taken, self.relation)
        found = {}
        for group, listed in priced.items():
            for bound in listed:
                for chosen in _CHOSEN if bound.choices else _CHOSEN[:1]:
                    numbers = {**setting.numbers, **{each.symbol: chosen for each in bound.choices}}
                    sides = [_number(side, setting, numbers) for side in bound.price]
                    if sides[0] is not None and sides[1] is not None:
                        claim = PrivacyClaim(tuple(places[var] for var in group), sides[0], sides[1], bound.rule)
                        found[claim[:3]] = claim
        return list(found.values())

    def _is_large(self, setting: SpaceSetting) -> bool:
        boxes = (param.type for param in self.scheme.params if isinstance(param.type, Container))
        return any(box.rows is not None and setting.size(box.rows) > _FEW for box in boxes)

    def attacked(
        self, source: random.Random, settings: int = 3, tries: int = 8, weakened: Weaken = lambda claim: claim
    ) -> Searched | None:
        """What a search finds; None of a function whose inputs cannot be drawn, or that cannot be run. ``weakened`` may
        claim something else instead."""

        def run(args: Sequence[Value], chance: Chance) -> Value:
            return self.interpreter.run(self.method, args, chance)

        joining = self.relation is Relation.ADD_REMOVE

        def claims(setting: SpaceSetting) -> list[PrivacyClaim]:
            return [] if joining and self._is_large(setting) else [weakened(claim) for claim in self.claims(setting)]

        try:
            return search(self.scheme, run, claims, source, settings, tries, joining)
        except (NotASpace, NoMeaning):
            return None


def _number(value: Sens, setting: SpaceSetting, numbers: Mapping[Symbol, Fraction]) -> float | None:
    norms = {**dict.fromkeys(norms_of(value), Norm.L1), **setting.norms}
    try:
        found = upper(Substitution({}, norms).sens(value), numbers)
    except Missing:
        return None
    return float("inf") if found is None else float(found)


def private_targets(
    text: str,
    profile: str = "sound",
    engine: Engine | None = None,
    boxes: Boxes | None = None,
    relation: Relation = Relation.CHANGE_ONE,
    contributes: int = 1,
) -> Iterator[PrivateTarget]:
    """The private functions of a program that are proved, and known without knowing how they are called. A person
    ``contributes`` so many records where no annotation says it."""
    found = (engine or Engine()).definitions(text, Options(profile=profile, facts=False, contributes=contributes))
    interpreter = Interpreter([each.definition for each in found], BOXES if boxes is None else boxes)
    for each in found:
        value = each.meaning
        if isinstance(value, FunctionValue) and value.methods and isinstance(each.definition, Method):
            scheme = value.methods[0]
            if scheme.claims_privacy and not (scheme.opens or scheme.reason):
                yield PrivateTarget(each.definition.name, scheme, each.definition, interpreter, profile, relation)
