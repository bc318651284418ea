"""The smallest proved ε of a charge: every measure is asked, at one total δ, and what each proves is proved."""

from __future__ import annotations

from fractions import Fraction

from dp_lsp.accounting.approximate import NumericAdvanced, NumericBasic, Optimal
from dp_lsp.accounting.charge import Charge, nested, shared
from dp_lsp.accounting.gaussian import GaussianPrivacy, squared_mu
from dp_lsp.accounting.guarantee import Guarantee, NodeClaim, NumericMeasure, conditions
from dp_lsp.accounting.renyi import Renyi, ZeroConcentrated

Measures = tuple[type[NumericMeasure], ...]

MEASURES: Measures = (NumericBasic, GaussianPrivacy, Renyi, ZeroConcentrated, Optimal, NumericAdvanced)
"""Those whose numbers can be computed again from what a guarantee holds; of equal ones the first is stated."""

INSIDE: Measures = (NumericBasic, GaussianPrivacy, ZeroConcentrated, Optimal)
"""Those that are asked what lies in a sample costs."""

_DEEPEST = 6  # samples within samples
_SMALLEST = Fraction(1, 10**200)  # a δ that is not taken to be 0


def guarantees(
    charge: Charge, delta: Fraction, measures: Measures = MEASURES, inside: Measures = INSIDE
) -> tuple[Guarantee, ...]:
    """Each measure's smallest proved ε at a total δ of at most ``delta``, best first; those that can say nothing are
    left out. ``inside`` are asked what lies in a sample costs; unless they are all, nothing is priced by whole curves
    there."""
    if nested(charge) > _DEEPEST or not 0 <= delta < 1:
        return ()
    charge = shared(charge)
    found = _Search(measures, inside).all(charge, delta if delta >= _SMALLEST else Fraction(0))
    return tuple(stated._replace(note=conditions(charge, stated.rule)) for stated in found)


def pair(charge: Charge) -> Guarantee | None:
    """What basic composition says without a δ to aim at: the sums of ε and δ. None if something in it has no pair of
    its own, as Gaussian noise."""
    try:
        return _Search((NumericBasic,), (NumericBasic,))(charge, None) if nested(charge) <= _DEEPEST else None
    except ArithmeticError:
        return None


def claims(charge: Charge, stated: Guarantee, inside: Measures = INSIDE) -> tuple[NodeClaim, ...]:
    """What a guarantee rests on, node by node: each node after those it is made of, the whole last. What lies in
    samples and joined pairs has guarantees of its own there (``inside``)."""
    (measure,) = [kind for kind in MEASURES if kind.rule == stated.rule]
    return measure(_Search(MEASURES, inside).inside()).claims(charge, stated)


class _Search:
    """The best of some measures, for a charge and for what lies in its samples. Within samples of samples only the
    first few are asked, as each asks for several prices of what lies inside."""

    def __init__(self, measures: Measures, inside: Measures, depth: int = 0) -> None:
        self._measures = measures
        self._inside = inside
        self._depth = depth
        self._known: dict[tuple[int, Fraction | None], Guarantee | None] = {}

    def all(self, charge: Charge, delta: Fraction) -> tuple[Guarantee, ...]:
        find = self.inside()
        found = []
        for measure in self._measures:
            try:
                stated = measure(find).guarantee(charge, delta)
            except ArithmeticError:  # numbers so large that nothing can be said
                continue
            if stated is not None:
                found.append(stated)
        return tuple(sorted(found, key=lambda one: (one.epsilon, one.delta)))

    def inside(self) -> _Search:
        """What prices what lies in samples."""
        return _Search(self._inside if self._depth < 1 else (NumericBasic,), self._inside, self._depth + 1)

    @property
    def curves(self) -> bool:
        return self._inside == INSIDE

    def __call__(self, charge: Charge, delta: Fraction | None) -> Guarantee | None:
        key = id(charge), delta
        if key not in self._known:
            if delta is None:
                self._known[key] = NumericBasic(_Search((NumericBasic,), (NumericBasic,), self._depth + 1)).pair(charge)
            elif self._depth and GaussianPrivacy in self._measures and squared_mu(charge) is not None:
                self._known[key] = GaussianPrivacy(self).guarantee(charge, delta)
            else:
                self._known[key] = next(iter(self.all(charge, delta)), None)
        return self._known[key]
