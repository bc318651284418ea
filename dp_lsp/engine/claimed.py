"""What comments say a function costs or moves by, against what is proved of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple, Protocol

from dp_lsp.accounting.bounds import LARGEST, Bound
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Assumptions, Constraint, decide
from dp_lsp.core.evaluate import Interval, Missing, Substitution, interval, symbols_of
from dp_lsp.core.events import Called, Cost, Parallel, Release, Repeat, Sampled, Var, nodes
from dp_lsp.core.notation import as_formula, decimal, figure
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.sens import ONE, ZERO, Sens
from dp_lsp.engine.claims import BUDGET, SENSITIVITY, Claim, NotUnderstood, formula, outside
from dp_lsp.engine.numeric import Pricing
from dp_lsp.engine.problems import ClaimUnreadable
from dp_lsp.infer.problems import BudgetMissed, SensitivityMissed
from dp_lsp.problem import INFINITE, Extent, Problem, Related
from dp_lsp.text import Span

_LONGEST = 60
"""How long a bound may be to be quoted."""

_DIGITS = 9  # of a number in a baseline, which is compared with others that were found like it


class KnownBounds(Protocol):
    """What is proved of a function, and how it is written."""

    scheme: Scheme
    needs: tuple[Constraint, ...]

    @property
    def bounds(self) -> Mapping[tuple[Var, ...], tuple[Bound, ...]]:
        """All that is proved of each variable, and of those that change together."""

    @property
    def norms(self) -> Substitution:
        """The norms that the bounds are stated for, where the program leaves them open."""

    def listed(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction]) -> tuple[Bound, ...]:
        """All that is proved of variables that change together, for these numbers."""

    def pricing(self, group: tuple[Var, ...], where: Mapping[str, Fraction]) -> Pricing:
        """What variables cost in numbers that change together."""

    def short(self, value: Sens) -> str:
        """A number for a person."""

    def claimed(self) -> Iterator[Var]:
        """The variables that a private function claims to protect."""

    def known(self) -> Mapping[str, Fraction]:
        """The numbers that are given, by name."""

    def spent(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction]) -> tuple[Related, ...]:
        """What each mechanism spends, at its place."""


class Asserted(NamedTuple):
    """A comment says that a result moves by at most ``most`` when ``variable`` does by 1, for these ``numbers``, and in
    these ``norms`` where any might be meant."""

    variable: Var
    most: Sens
    numbers: Mapping[Symbol, Fraction]
    norms: Substitution


class _Most(NamedTuple):
    """A right side: as it is written, as a number that is not negative, and its value where it has one."""

    written: str
    value: Sens
    number: Fraction | None


class _MissedClaim(NamedTuple):
    """How a budget is missed, in words, and the smallest ε that is proved, as a formula."""

    words: str
    least: str = INFINITE


def problems(known: KnownBounds, claims: Iterable[Claim], name: Span) -> Iterator[Problem]:
    """What comments say and nobody has proved."""
    for claim in claims:
        try:
            yield from _Checked(known, claim, name).problems()
        except NotUnderstood as wrong:
            yield ClaimUnreadable.at(claim.span, word=claim.word, wrong=wrong)


def asserted(known: KnownBounds, claims: Iterable[Claim], problem: Problem) -> Asserted | None:
    """What the comment says that a problem is about; None if that is no comment on a sensitivity."""
    for claim in claims:
        if claim.word == SENSITIVITY:
            with suppress(NotUnderstood):
                for found, said in _Checked(known, claim, problem.span).asserted():
                    if found.message == problem.message:
                        return said
    return None


class _Checked:
    def __init__(self, known: KnownBounds, claim: Claim, name: Span) -> None:
        self._known = known
        self._claim = claim
        self._name = name
        self._numbers = {**known.known(), **dict(claim.where)}
        self._symbols = _symbols(known)
        strangers = [each for each, _ in claim.where if each not in self._symbols]
        if strangers:
            raise NotUnderstood(f"nothing here depends on `{strangers[0]}`")

    def problems(self) -> Iterator[Problem]:
        known, claim = self._known, self._claim
        private = known.scheme.claims_privacy
        if private is not (claim.word == BUDGET):
            raise NotUnderstood("this function has a budget" if private else "this function is not `Priv()`")
        broken = self._broken()
        if broken is not None:
            raise NotUnderstood(f"{broken}, which does not hold for these numbers")
        sides = {sign: self._most(text) for sign, text in claim.sides.items()}
        if private:
            yield from self._budget(sides["ε"], sides["δ"])
        else:
            yield from (problem for _, problem in self._sensitivity(sides[""]))

    def asserted(self) -> Iterator[tuple[Problem, Asserted]]:
        """What is wrong with a comment on a sensitivity, and what it says there."""
        most = self._most(self._claim.sides[""])
        numbers = {self._symbols[name]: each for name, each in self._numbers.items() if name in self._symbols}
        for var, problem in self._sensitivity(most):
            yield problem, Asserted(var, most.value, numbers, self._known.norms)

    def _broken(self) -> str | None:
        """A condition that fails for the numbers of the claim."""
        for each in outside(self._known.scheme.params, self._numbers):
            return f"`{each.name}` {each.why}"
        put = self._put()
        for need in self._known.needs:
            sides = (put.sens(side) if isinstance(side, Sens) else put.poly(side) for side in (need.left, need.right))
            left, right = sides
            if decide(left, need.relation, right) is False:
                return need.origin.reason
        return None

    def _put(self) -> Substitution:
        symbols = {
            self._symbols[name]: Poly.of(number) for name, number in self._numbers.items() if name in self._symbols
        }
        return Substitution(symbols)

    def _most(self, text: str) -> _Most:
        value = formula(text, self._symbols)
        number = self._put().poly(value).number
        if number is not None and number < 0:
            raise NotUnderstood(f"`{text}` is less than 0")
        return _Most(text, self._at_least_zero(value, text) if number is None else sens.number(number), number)

    def _at_least_zero(self, value: Poly, text: str) -> Sens:
        """A right side as a number that is not negative: 0 where it would be, which one that is a product may be."""
        known = Assumptions(self._known.needs)
        total = ZERO
        for monomial, coefficient in value.terms.items():
            term = sens.magnitude(Poly.of(abs(coefficient)))
            open_ = [atom for atom, _ in monomial if not known.nonnegative(Poly.of_atom(atom))]
            whole = all(power == 1 for atom, power in monomial if atom in open_)
            if coefficient < 0 or len(open_) > 1 or not whole or (open_ and len(value.terms) > 1):
                raise NotUnderstood(f"it is not known that `{text}` is not less than 0")
            for atom, power in monomial:
                single = Poly({((atom, power),): Fraction(1)})
                term = term * (sens.positive_part(single) if atom in open_ else sens.magnitude(single))
            total = total + term
        return total

    def _budget(self, epsilon: _Most, delta: _Most) -> Iterator[Problem]:
        claimed = set(self._known.claimed())
        for group in self._known.bounds:
            listed = self._known.listed(group, self._numbers)
            if claimed.issuperset(group) and not _holds(listed, epsilon.value, delta.value):
                missed = self._missed(group, epsilon, delta)
                if missed is not None:
                    names, related = "` and `".join(var.name for var in group), self._related(group)
                    own = self._known.scheme.name
                    yield BudgetMissed.at(
                        self._name,
                        related=related,
                        amount=Extent("ε", missed.least),
                        name=own,
                        variables=names,
                        missed=missed.words,
                    )

    def _missed(self, group: tuple[Var, ...], epsilon: _Most, delta: _Most) -> _MissedClaim | None:
        """How a budget is missed; None if some measure proves it for the numbers there are."""
        pricing = self._known.pricing(group, self._numbers)
        written = f"ε <= {epsilon.written}, δ <= {delta.written}"
        if epsilon.number is None or delta.number is None:
            return self._instead(group, written) or _MissedClaim(f"it is not proved that {written}")
        found = pricing.figures(min(delta.number, LARGEST), epsilon.number)
        if not found:
            lacking = "` and `".join(pricing.missing)
            return _MissedClaim(
                f"whether {written} depends on `{lacking}`: say `where {pricing.missing[0]} = …`"
                if lacking
                else (f"no ε is proved for δ <= {delta.written}")
            )
        least = found[0].epsilon
        if least is not None and least <= epsilon.number:
            return None
        shown, over = figure(least or Fraction(0)), figure((least or Fraction(0)) - epsilon.number)
        at = f" for δ <= {delta.written}" if delta.number else ""
        words = f"ε {shown} is proved{at}, {over} more than {epsilon.written}"
        return _MissedClaim(words, decimal(least or Fraction(0), _DIGITS))

    def _instead(self, group: tuple[Var, ...], written: str) -> _MissedClaim | None:
        """What is proved instead, if that is short and leaves nothing to choose."""
        for bound in self._known.listed(group, self._numbers):
            epsilon, delta = self._known.short(bound.price.epsilon), self._known.short(bound.price.delta)
            if not bound.choices and not bound.price.epsilon.infinite and len(epsilon + delta) <= _LONGEST:
                words = f"ε {epsilon}, δ {delta} is proved, but not {written}"
                return _MissedClaim(words, as_formula(bound.price.epsilon))
        return None

    def _related(self, group: tuple[Var, ...]) -> tuple[Related, ...]:
        noted = tuple(_notes(self._known.scheme.cost))
        return (Related("what it may cost", self._claim.span), *self._known.spent(group, self._numbers), *noted)

    def _sensitivity(self, most: _Most) -> Iterator[tuple[Var, Problem]]:
        scheme = self._known.scheme
        params = {param.name: param for param in scheme.params if not param.static}
        strangers = [name for name in self._claim.variables if name not in params]
        if strangers:
            raise NotUnderstood(f"`{strangers[0]}` is not a parameter that it could move with")
        for name in self._claim.variables or params:
            move = scheme.result.moves.get(params[name].var)
            value = ZERO if move is None else self._known.norms.sens(move.sens)
            over = self._over(value, most)
            if over is not None:
                missed = SensitivityMissed.at(
                    self._name,
                    related=(Related("how far it may move", self._claim.span),),
                    name=scheme.name,
                    amount=Extent("", as_formula(value)),
                    variable=name,
                    moves=self._known.short(value),
                    most=most.written,
                    over=over,
                )
                yield params[name].var, missed

    def _over(self, value: Sens, most: _Most) -> str | None:
        """By how much a number is too large, in words; None if it is not."""
        if decide(value, "<=", most.value):
            return None
        try:
            found = self._interval(value)
        except Missing:
            return ""
        if most.number is None or found.high is None:
            return "" if not value.infinite else ", without bound"
        return None if found.high <= most.number else f", {figure(found.high - most.number)} more"

    def _interval(self, value: Sens) -> Interval:
        return interval(self._put().sens(value), {})


def _notes(cost: Cost) -> Iterator[Related]:
    """What is easily forgotten when costs are added up."""
    for node in nodes(cost.body if isinstance(cost, Called) else cost):
        match node:
            case Sampled(body=body) if sum(isinstance(each, Release | Called | Repeat) for each in nodes(body)) > 1:
                yield Related("what one sample releases is composed first, and amplified afterwards", node.origin.span)
            case Parallel(along=along) if any(decide(each, "<=", ONE) is not True for each in along.values()):
                yield Related("one change may affect several of these parts, and each of them counts", node.origin.span)


def _holds(listed: tuple[Bound, ...], epsilon: Sens, delta: Sens) -> bool:
    """Whether a bound is known to be within a budget, whatever its symbols are."""
    return any(
        decide(bound.price.epsilon, "<=", epsilon) is True and decide(bound.price.delta, "<=", delta) is True
        for bound in listed
    )


def _symbols(known: KnownBounds) -> dict[str, Symbol]:
    """What a right side may be made of."""
    found: set[Symbol] = set(known.scheme.owned.symbols)
    for need in known.needs:
        found |= symbols_of(need.left) | symbols_of(need.right)
    for listed in known.bounds.values():
        for bound in listed:
            chosen = {choice.symbol for choice in bound.choices}
            found |= (symbols_of(bound.price.epsilon) | symbols_of(bound.price.delta)) - chosen
    for move in known.scheme.result.moves.values():
        found |= symbols_of(move.sens)
    return {symbol.name: symbol for symbol in found}
