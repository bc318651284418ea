"""Approximate differential privacy by advanced and by optimal composition (Kairouz, Oh and Viswanath 2015).

Both take of each mechanism no more than its pair (ε, δ): at worst it fails with probability δ, and else is randomised
response. The failures are set aside, 1 - Π(1 - δ), and what is left of the total δ pays for the privacy loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence as Listed
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting import losses
from dp_lsp.accounting.basic import share_of
from dp_lsp.accounting.charge import Charge
from dp_lsp.accounting.converting import Converter
from dp_lsp.accounting.folding import Rules, Single, fold, values
from dp_lsp.accounting.guarantee import Claim, Guarantee, Numbers, NumericMeasure
from dp_lsp.accounting.pairs import failing, failing_repeatedly, slack
from dp_lsp.mechanisms.arithmetic import INTERVALS, Interval, brief, shown
from dp_lsp.mechanisms.pairs import Pair, drift

_HALF = Fraction(1, 2)


def shares(charge: Charge, delta: Fraction) -> Iterator[Fraction | None]:
    """The δ that nodes without a pair may spend each: none, and together half of what is there."""
    yield None
    share = share_of(charge, delta, _HALF)
    if share is not None:
        yield share


class Account(NamedTuple):
    """``total`` = Σε, ``mean`` = Σε·tanh(ε/2), ``squares`` = Σε², and the δ set aside. ``fixed`` says that the ε of
    each round was fixed in advance."""

    total: Fraction
    mean: Fraction
    squares: Fraction
    delta: Fraction
    fixed: bool = True


class Advanced(NumericMeasure):
    """The smallest of Σε, T + √(2V·ln(1/δ')) and, where all parameters are fixed in advance, T + √(2V·ln(e + √V/δ')),
    with T = Σε·tanh(ε/2) and V = Σε², at a total δ of 1 - (1 - δ')Π(1 - δ). Source: Theorems 3.4 and 3.5; the second
    form also by Azuma's inequality, as the loss of a round has a mean of at most ε·tanh(ε/2) and lies in ±ε, so it
    holds for what is chosen while it runs."""

    rule = "advanced"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = [self._within(charge, delta, share) for share in shares(charge, delta)]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, share: Fraction | None) -> Guarantee | None:
        account = fold(charge, _Accounts(Converter(self.find, share)))
        if account is None or account.delta > delta:
            return None
        spent: Numbers = () if share is None else (("share", share),)
        left = slack(delta, account.delta)
        epsilon = account.total
        if left is not None and account.squares:
            epsilon = min(epsilon, _concentrated(account, left))
        if epsilon == account.total:
            return Guarantee(shown(epsilon), min(shown(account.delta), delta), self.rule, spent)
        return Guarantee(shown(epsilon), delta, self.rule, (*spent, ("slack", left or Fraction(0))))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[Claim, ...]:
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        return tuple(
            Claim(node, steps, _numbers(account), converter.inside(node, steps))
            for node, steps, account in values(charge, _Accounts(converter))
        )


def _numbers(account: Account) -> Numbers:
    named = zip(("total", "mean", "squares", "delta"), account[:4], strict=True)
    return (*named, ("fixed", Fraction(account.fixed)))


def _concentrated(account: Account, left: Fraction) -> Fraction:
    """T + √(2V·ln(…))."""
    inverse = 1 / Interval.of(left)
    logarithm = inverse.ln()
    if account.fixed:
        other = (Interval.of(1).exp() + Interval.of(account.squares).sqrt() * inverse).ln()
        logarithm = other if other.high < logarithm.high else logarithm
    return (Interval.of(account.squares * 2) * logarithm).sqrt().up + account.mean


class _Accounts(Rules[Account]):
    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Account | None:
        pair = self._converter.pair(node, steps)
        if pair is None or pair.delta >= 1:
            return None
        return Account(pair.epsilon, drift(INTERVALS, Interval.of(pair.epsilon)).up, brief(pair.epsilon**2), pair.delta)

    def sequence(self, parts: Listed[Account]) -> Account:
        delta = failing(part.delta for part in parts)
        fixed = all(part.fixed for part in parts)
        total, mean, squares = (brief(sum(column, Fraction(0))) for column in _columns(parts))
        return Account(total, mean, squares, delta, fixed)

    def repeat(self, count: int, once: Account) -> Account:
        delta = failing_repeatedly(once.delta, count)
        return Account(count * once.total, count * once.mean, count * once.squares, delta, once.fixed)

    def either(self, parts: Listed[Account]) -> Account:
        if len(set(parts)) == 1:
            return parts[0]
        total, mean, squares = (max(column) for column in _columns(parts))
        return Account(total, mean, squares, max(part.delta for part in parts), fixed=False)


def _columns(parts: Listed[Account]) -> list[list[Fraction]]:
    return [[part.total for part in parts], [part.mean for part in parts], [part.squares for part in parts]]


class Rounds(NamedTuple):
    """How often each ε comes, the largest first, and the δ set aside."""

    rounds: losses.Rounds
    delta: Fraction


class Optimal(NumericMeasure):
    """The smallest ε that holds for all mechanisms that have these pairs: exactly where all ε are equal or multiples
    of one unit that is coarse enough, else with each ε rounded up to a multiple of a ``unit``. Sources: Theorem 3.3;
    Murtagh and Vadhan 2016. The parameters of every round are fixed in advance; one of several alternatives counts as
    what dominates them, the largest ε of any, the second largest of any, and so on."""

    rule = "optimal"

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        found = [self._within(charge, delta, share) for share in shares(charge, delta)]
        return min((one for one in found if one), default=None)

    def _within(self, charge: Charge, delta: Fraction, share: Fraction | None) -> Guarantee | None:
        composed = fold(charge, _Multisets(Converter(self.find, share)))
        left = None if composed is None else slack(delta, composed.delta)
        if composed is None or left is None:
            return None
        solved = losses.epsilon(composed.rounds, left)
        if solved is None:
            return None
        epsilon, unit = solved
        spent: Numbers = () if share is None else (("share", share),)
        return Guarantee(shown(epsilon), delta, self.rule, (*spent, ("slack", left), ("unit", unit)))

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[Claim, ...]:
        """Of each node the δ set aside, and in turn each ``epsilon`` and how many ``rounds`` have it."""
        converter = Converter(self.find, dict(stated.parameters).get("share"))
        found = []
        for node, steps, (rounds, delta) in values(charge, _Multisets(converter)):
            listed = [number for each, count in rounds for number in (("epsilon", each), ("rounds", Fraction(count)))]
            found.append(Claim(node, steps, (("delta", delta), *listed), converter.inside(node, steps)))
        return tuple(found)


class _Multisets(Rules[Rounds]):
    def __init__(self, converter: Converter) -> None:
        self._converter = converter

    def single(self, node: Single, steps: int) -> Rounds | None:
        pair = self._converter.pair(node, steps)
        return None if pair is None or pair.delta >= 1 else _rounds_of(pair)

    def sequence(self, parts: Listed[Rounds]) -> Rounds | None:
        counted: Counter[Fraction] = Counter()
        for part in parts:
            counted.update(dict(part.rounds))
        if len(counted) > losses.MOST_ROUNDS:
            return None
        return Rounds(tuple(sorted(counted.items(), reverse=True)), failing(part.delta for part in parts))

    def repeat(self, count: int, once: Rounds) -> Rounds:
        rounds = tuple((each, count * times) for each, times in once.rounds)
        return Rounds(rounds, failing_repeatedly(once.delta, count))

    def either(self, parts: Listed[Rounds]) -> Rounds:
        found, *others = parts
        rounds = found.rounds
        for other in others:
            rounds = _dominating(rounds, other.rounds)
        return Rounds(rounds, max(part.delta for part in parts))


def _rounds_of(pair: Pair[Fraction]) -> Rounds:
    return Rounds(((brief(pair.epsilon), 1),) if pair.epsilon else (), pair.delta)


def _dominating(first: losses.Rounds, second: losses.Rounds) -> losses.Rounds:
    """The larger ε at every place of two lists that are sorted."""
    left, right = list(reversed(first)), list(reversed(second))
    counted: Counter[Fraction] = Counter()
    while left and right:
        (one, times), (other, more) = left.pop(), right.pop()
        count = min(times, more)
        counted[max(one, other)] += count
        if times > count:
            left.append((one, times - count))
        if more > count:
            right.append((other, more - count))
    for each, count in left + right:
        counted[each] += count
    return tuple(sorted(counted.items(), reverse=True))
