"""Rounds whose ε were chosen so that they come to a total: the closed form in which the logarithms cancel."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting.advanced import Account, Advanced
from dp_lsp.accounting.bounds import Bound, vacuous
from dp_lsp.accounting.release import Price
from dp_lsp.core import sens
from dp_lsp.core.algebra import Apply, Function, Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.events import Cost
from dp_lsp.core.sens import ONE, Sens


class Total(NamedTuple):
    """A bound that holds where ``epsilon``, what the rounds of loops come to, is at most ``most``; ``slack`` is the
    share of δ that pays for composing them."""

    bound: Bound
    epsilon: Sens
    most: Sens
    slack: Sens


def total(cost: Cost, listed: tuple[Bound, ...]) -> Total | None:
    """The bound by advanced composition whose share of δ is what all steps spend of δ, where that leaves nothing to
    choose and no logarithm in ε; None where it does not, or where another bound is certainly no larger.

    Advanced composition proves (S + T + √(2V·ln(1/δ')), Σδᵢ + δ') for every 0 < δ' < 1, where S is what is made once,
    V = Σεᵢ², and T = Σεᵢ·tanh(εᵢ/2) <= V/2 as tanh(x) <= x. With L = ln(1/δ') > 0 let E = 2√(2VL), so that V = E²/(8L)
    and √(2VL) = E/2. Then T <= V/2 = E²/(16L), which is at most E/2 where E <= 8L. So where E <= 8·ln(1/δ'), it is
    (S + E, Σδᵢ + δ')-private. E = 0 needs no condition: nothing is spent in rounds. For δ' >= 1 nothing is claimed by
    a total δ of more than 1, and δ' = 0 has no logarithm."""
    for bound in listed:
        if isinstance(bound.measure, Advanced):
            loss = bound.measure.loss(cost, dict.fromkeys(bound.variables, ONE))
            found = None if bound.measure.is_unbounded(loss) else _total(bound, loss)
            if found is not None and not any(_is_within(each, found.bound) for each in listed):
                return found
    return None


def _total(bound: Bound, loss: Account) -> Total | None:
    square, delta = _at_most(loss.rounds.square), _at_most(loss.delta)
    if square is None or delta is None or square.zero or delta.zero or vacuous(delta):
        return None
    inverse = sens.log_inverse(delta.single_poly())
    rounds = (sens.number(8) * square * inverse).root()
    price = Price(loss.once.epsilon + rounds, delta + delta)
    chosen = {choice.symbol for choice in bound.measure.choices}
    open_ = any(chosen & symbols_of(side) or norms_of(side) for side in price)
    if open_ or price.unbounded or vacuous(price.delta) or _has_logarithm(price.epsilon) or not _has_logarithm(inverse):
        return None
    stated = bound._replace(price=price, choices=(), own=())
    return Total(stated, rounds, sens.number(8) * inverse, delta)


def _is_within(other: Bound, bound: Bound) -> bool:
    """Whether another bound is certainly no larger in both numbers."""
    return all(decide(one, "<=", most) is True for one, most in zip(other.price, bound.price, strict=True))


def _at_most(value: Sens) -> Sens | None:
    """The same or more: |x| for max(0, x), so that what is divided by |x| cancels. None for ∞."""
    if value.infinite:
        return None
    return sens.maximum(_poly_at_most(poly) for poly in value.polys)


def _poly_at_most(poly: Poly) -> Sens:
    result = sens.ZERO
    for monomial, coefficient in poly.terms.items():
        product = Poly.of(coefficient)
        for atom, power in monomial:
            factor = Poly({((atom, power),): Fraction(1)})
            argument = atom.args[0] if isinstance(atom, Apply) and atom.function is Function.PLUS else None
            if power == 1 and isinstance(argument, Poly):
                factor = sens.magnitude(argument).single_poly()
            product = product * factor
        result = result + Sens((product,))
    return result


def _has_logarithm(value: Sens) -> bool:
    pending, seen = list(value.polys), set()
    while pending:
        for monomial in pending.pop().terms:
            for atom, _ in monomial:
                if isinstance(atom, Apply) and atom not in seen:
                    seen.add(atom)
                    if atom.function is Function.LOG_INVERSE:
                        return True
                    for arg in atom.args:
                        pending += [arg] if isinstance(arg, Poly) else arg.polys if isinstance(arg, Sens) else []
    return False
