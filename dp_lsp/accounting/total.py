"""Rounds whose ε were chosen so that they come to a total: the closed form in which the logarithms cancel."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple
from weakref import WeakKeyDictionary

from dp_lsp.accounting.advanced import Account, Advanced
from dp_lsp.accounting.bounds import Bound, vacuous
from dp_lsp.core import sens
from dp_lsp.core.algebra import Apply, Function, Poly, polys_of
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.events import (
    Answer,
    Awaited,
    Called,
    Cost,
    Parallel,
    Release,
    Repeat,
    Sampled,
    callees,
    known_of,
    nodes,
)
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.values import digested
from dp_lsp.mechanisms.pairs import Price


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


def may_cancel(cost: Cost) -> bool:
    """Whether a logarithm stands in a tree, or in that of a callee: without one, there is none to cancel, and no total.
    Cheaper than to price the tree."""
    return known_of(cost, _may_cancel, _found_cancelling)


def _found_cancelling(cost: Cost) -> bool:
    return any(
        any(_has_logarithm(number) for number in _numbers(node))
        or (isinstance(node, Called) and any(_may_cancel[body] for body in callees(node)))
        for node in nodes(cost)
    )


def _numbers(node: Cost) -> Iterator[Sens | Poly]:
    """The numbers that stand in a node itself."""
    match node:
        case Release(event=event, distance=distance, factor=factor):
            yield from (getattr(event, name) for name in digested(type(event)))
            yield from (factor, *distance.values())
        case Repeat(count=count):
            yield count
        case Sampled(draws=draws, rows=rows, along=along):
            yield from (draws, rows, *(each for moved in along.values() for each in moved.values()))
        case Parallel(along=moved):
            yield from moved.values()
        case Awaited(along=moved_by):
            yield from (each for moved in moved_by for each in moved.values())
        case Called(along=along, values=values, answers=answers):
            yield from (each for moved in along.values() for each in moved.values())
            answered = (each.values for each in answers.values() if isinstance(each, Answer))
            yield from (number for each in (values, *answered) for number in each.symbols.values())


_may_cancel: WeakKeyDictionary[Cost, bool] = WeakKeyDictionary()


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


def _has_logarithm(value: Sens | Poly) -> bool:
    pending, seen = list(polys_of(value)), set()
    while pending:
        for monomial in pending.pop().terms:
            for atom, _ in monomial:
                if isinstance(atom, Apply) and atom not in seen:
                    seen.add(atom)
                    if atom.function is Function.LOG_INVERSE:
                        return True
                    pending += (poly for arg in atom.args for poly in polys_of(arg))
    return False
