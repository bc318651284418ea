"""What a mechanism is: the event of running it, what is known of its privacy loss, and how it is drawn.

A new mechanism is a class in this package, and a row that gives it its arguments. Where no :class:`Loss` that there is
describes it, its own stands beside it. Nothing outside of this package asks which mechanism one is.

Pairs (ε, δ) of approximate differential privacy, and what follows of one for a larger change, for a sample, and for
a change that reaches a mechanism in two ways.

Each theorem stands here once, for symbols and for numbers alike: what it is told to count in (:class:`Counting`)
decides whether a result is exact or rounded up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from dp_lsp.core import sens
from dp_lsp.core.constraints import Origin
from dp_lsp.core.events import Sampling
from dp_lsp.core.sens import INFINITY, ONE, ZERO, Sens
from dp_lsp.core.values import value
from dp_lsp.mechanisms.arithmetic import DEEP, INTERVALS, SYMBOLS, Arithmetic, DecimalInterval, Order, brief
from dp_lsp.named import NamedTuple

A = TypeVar("A", Sens, Fraction)
"""What an account is kept in."""


class Pair(NamedTuple, Generic[A]):
    """(ε, δ), in symbols or in numbers."""

    epsilon: A
    delta: A

    @property
    def free(self) -> bool:
        """Whether it costs nothing, as it is written."""
        return not any(map(_is_positive, self))

    @property
    def unbounded(self) -> bool:
        """Whether nothing is guaranteed."""
        return self.epsilon is INFINITY or self.delta is INFINITY


Price = Pair[Sens]
FREE: Price = Pair(ZERO, ZERO)
UNBOUNDED: Price = Pair(INFINITY, ONE)


def _is_positive(value: Sens | Fraction) -> bool:
    return not value.zero if isinstance(value, Sens) else value > 0


class Counting(Generic[A]):
    """The numbers that are kept: formulas are computed by ``by``, and what they give is rounded up where it must be."""

    by: Arithmetic[Any]

    def lifted(self, value: A) -> Any:
        """A number to compute with."""
        raise NotImplementedError

    def kept(self, value: Any) -> A:
        """What was computed."""
        raise NotImplementedError

    def brief(self, value: A) -> A:
        """The number, or one slightly above it that is not as long."""
        raise NotImplementedError

    def of(self, value: int | Fraction) -> A:
        """A number that is known."""
        raise NotImplementedError

    def total(self, values: Iterable[A]) -> A:
        """The sum."""
        raise NotImplementedError

    def largest(self, values: Iterable[A]) -> A:
        """The largest."""
        raise NotImplementedError

    def failing(self, deltas: Iterable[A]) -> A:
        """The probability that one of several independent things fails, 1 - Π(1 - δ), or a number above it."""
        raise NotImplementedError

    def failing_repeatedly(self, delta: A, times: A) -> A:
        """The same of so many with one δ: 1 - (1 - δ)^k."""
        raise NotImplementedError


class InSymbols(Counting[Sens]):
    """Symbols, exactly."""

    by = SYMBOLS

    def lifted(self, value: Sens) -> Sens:
        return value

    def kept(self, value: Sens) -> Sens:
        return value

    def brief(self, value: Sens) -> Sens:
        return value

    def of(self, value: int | Fraction) -> Sens:
        return sens.number(value)

    def total(self, values: Iterable[Sens]) -> Sens:
        return sens.total(values)

    def largest(self, values: Iterable[Sens]) -> Sens:
        return sens.maximum(values)

    def failing(self, deltas: Iterable[Sens]) -> Sens:
        return sens.total(deltas)

    def failing_repeatedly(self, delta: Sens, times: Sens) -> Sens:
        return times * delta


class InNumbers(Counting[Fraction]):
    """Fractions, rounded up."""

    by = INTERVALS

    def lifted(self, value: Fraction) -> DecimalInterval:
        return DecimalInterval.of(value)

    def kept(self, value: DecimalInterval) -> Fraction:
        return brief(value.up)

    def brief(self, value: Fraction) -> Fraction:
        return brief(value)

    def of(self, value: int | Fraction) -> Fraction:
        return Fraction(value)

    def total(self, values: Iterable[Fraction]) -> Fraction:
        return brief(sum(values, Fraction(0)))

    def largest(self, values: Iterable[Fraction]) -> Fraction:
        return max(values)

    def failing(self, deltas: Iterable[Fraction]) -> Fraction:
        total = Fraction(0)
        for delta in deltas:
            if delta:
                total = brief(total + delta * (1 - total))
        return total

    def failing_repeatedly(self, delta: Fraction, times: Fraction) -> Fraction:
        if delta == 0 or delta >= 1 or times == 1:
            return min(delta, Fraction(1))
        kept = ((1 - DecimalInterval.of(delta)).ln() * times).exp()
        return brief(min((1 - kept).up, delta * times))


IN_SYMBOLS, IN_NUMBERS = InSymbols(), InNumbers()


def group(count: Counting[A], pair: Pair[A], steps: int) -> Pair[A]:
    """A change of ``steps`` steps: (kε, δ(1 + e^ε + … + e^((k-1)ε))). Source: Dwork and Roth 2014, Theorem 2.2, with
    the δ of the chain of steps; any neighbour relation, of whose steps the change is made."""
    epsilon, delta = pair
    if steps == 1 or pair.free or pair.unbounded:
        return pair
    if not (_is_positive(epsilon) and _is_positive(delta)):
        return Pair(epsilon * count.of(steps), delta * count.of(steps))
    growth = count.by.geometric(count.lifted(epsilon), steps)
    return Pair(epsilon * count.of(steps), count.kept(count.lifted(delta) * growth))


def chain(count: Counting[A], first: Pair[A], second: Pair[A]) -> Pair[A]:
    """One mechanism that a change reaches in two ways, the first of which is changed first: (ε₁ + ε₂, δ₁ + e^ε₁·δ₂).
    Source: the hybrid argument, through the data on which only the first has changed; attained."""
    total = first.epsilon + second.epsilon
    if not _is_positive(second.delta):
        return Pair(total, first.delta)
    growth = count.by.exp(count.lifted(first.epsilon))
    return Pair(total, count.kept(count.lifted(first.delta) + growth * count.lifted(second.delta)))


def amplified(count: Counting[A], rate: A, inside: Pair[A]) -> Pair[A]:
    """A sample that a record is drawn into with probability q: (ln(1 + q(e^ε - 1)), qδ). Sources: for a Poisson sample,
    both for data of which one has a record more, Li, Qardaji and Su 2012, and Balle, Barthe and Gaboardi 2018, Theorem
    8; without replacement and in random order, both for a change of one record, ibid., Theorem 9."""
    return Pair(amplified_epsilon(count, rate, inside.epsilon), count.brief(rate * inside.delta))


def amplified_epsilon(count: Counting[A], rate: A, epsilon: A) -> A:
    """ln(1 + q(e^ε - 1))."""
    if not _is_positive(epsilon) or rate == count.of(1):
        return epsilon
    return count.kept(count.by.log1p(count.lifted(rate) * count.by.expm1(count.lifted(epsilon))))


def redrawn(count: Counting[A], draws: A, share: A, inside: Pair[A]) -> Pair[A]:
    """k draws with replacement, each of which hits a changed record with probability s = 1/n: a chain of k steps of
    ε₁ = ln(1 + s(e^ε - 1)) and sδ, which is kε₁ and sδ·(1 + e^ε₁ + … + e^((k-1)ε₁)) = δ(e^(kε₁) - 1)/(e^ε - 1), for a
    change of one record. Source: Balle, Barthe and Gaboardi 2018, Theorem 9, by one draw after the other."""
    if not _is_positive(inside.epsilon):
        return Pair(inside.epsilon, count.brief(draws * share * inside.delta))
    one = count.by.expm1(count.lifted(inside.epsilon))
    spent = count.lifted(draws) * count.by.log1p(count.lifted(share) * one)
    if not _is_positive(inside.delta):
        return Pair(count.kept(spent), inside.delta)
    delta = count.lifted(inside.delta) * count.by.quotient(count.by.expm1(spent), one)
    return Pair(count.kept(spent), count.kept(delta))


def drift(by: Arithmetic[Any], epsilon: Any) -> Any:
    """ε·tanh(ε/2): the largest mean of the privacy loss of what is ε-private, and its largest ρ. Source: Bun and
    Steinke 2016, Proposition 3.3, with the exact worst case, which is that of randomised response."""
    return epsilon * by.tanh_half(epsilon)


Number = Callable[[Sens], "Fraction | None"]
"""A number for symbols, rounded up; None for ∞."""


class Mechanism(ABC):
    """A mechanism with the numbers that it is run with, in symbols: one that is released. ``declared`` is the distance
    that it is made for, in the norm that its row names.

    What is asked of it takes ``far``, how far its input moves, in units of the declared distance and counted in that
    norm. How it is drawn is asked of the class, with the numbers of its fields in their order: :class:`AddsNoise` and
    :class:`Selects` say what."""

    __slots__ = ()

    name: ClassVar[str]
    made_for: ClassVar[str]
    """How the step of a derivation begins, which says for what change it is made."""
    selects: ClassVar[str] = ""
    """What it selects among, if that can move the same way."""
    one_way: ClassVar[Sens | None] = None
    """The share of ε that it costs where a change moves all that it selects among by the same way."""
    is_normal: ClassVar[bool] = False
    """Whether it adds Gaussian noise; then its loss is known by how many :meth:`deviations` the input moves."""
    has_pair: ClassVar[bool] = True
    """Whether a pair (ε, δ) follows of it without choosing a δ."""
    shares: ClassVar[bool] = False
    """Whether several runs, of which later ones may depend on what earlier ones released, tell no more at distances
    that sum up to one than a single run at that."""
    is_proportional: ClassVar[bool] = False
    """Whether nothing but ε times the distance counts of them, in units of the declared one."""
    needs_small_epsilon: ClassVar[bool] = False
    """Whether its theorem needs an ε below 1."""
    quieter_by: ClassVar[frozenset[str]] = frozenset()
    """The numbers that make it hide more, by their names."""
    unpriced: ClassVar[frozenset[str]] = frozenset()
    """The fields that its price does not depend on."""

    declared: Sens

    @property
    @abstractmethod
    def numbers(self) -> Mapping[str, Sens]:
        """What it says of itself besides the distance it is made for, by the names that users know."""

    @property
    def drawn_for(self) -> tuple[Sens, ...]:
        """Each ε that it draws noise for, if it does not add it to numbers."""
        return tuple(number for name, number in self.numbers.items() if name == "ε")

    @property
    def given(self) -> tuple[Sens, ...]:
        """All numbers that it is made of."""
        return tuple(getattr(self, each.name) for each in fields(self))  # type: ignore[arg-type]

    def put(self, values: Callable[[Sens], Sens]) -> Mechanism:
        """The same with something put for symbols."""
        return type(self)(*map(values, self.given))

    @property
    @abstractmethod
    def declares(self) -> Pair[Sens]:
        """The pair that it names, at the declared distance."""

    @abstractmethod
    def pair(self, steps: Sens, factor: Sens, most: Sens) -> Pair[Sens] | None:
        """The pair (ε, δ) of an input that moves by so many ``steps`` > 0 of the declared distance, which are at most
        ``most``, and ``factor`` times as far in the norm that the noise is made for. None if none is known."""

    def deviations(self, far: Sens) -> Sens:
        """By how many deviations of the Gaussian noise that it adds its input moves."""
        raise NotImplementedError

    def rho(self, pair: Pair[Sens]) -> Sens | None:
        """The ρ of zero-concentrated privacy at a distance where this is its pair, if it is less than that of what is
        known by the pair alone."""
        return None

    @abstractmethod
    def loss(self, far: Sens, number: Number, origin: Origin) -> Loss:
        """What is known of its privacy loss, in numbers."""


class Curve(ABC):
    """The hockey-stick curve D of a dominating pair of distributions; ``growth`` is e^ε ≥ 1, and ``loss`` ε itself
    where that is at hand.

    A pair (P, Q) dominates a mechanism if D(ε) = sup over events S of P(S) - e^ε·Q(S) is at least what the mechanism's
    outputs on any two neighbours have there, for every real ε; what is composed, adaptively too, is dominated by the
    products (Zhu, Dong and Wang 2022, Theorem 10). Any D that is convex in e^ε, decreasing, at most 1 and at least
    1 - e^ε is the curve of a pair (ibid., Proposition 8). Here a curve is known at ε ≥ 0, of P against Q and of Q
    against P; at -ε it is 1 - e^-ε + e^-ε·(the other at ε), as the event and its complement change places.

    Values are computed with 54 digits. They are at most 1, and so is their slope in ε, so what is rounded on the way
    leaves them within :data:`ERROR` of the truth, far more than what is noted at each."""

    __slots__ = ()

    symmetric: ClassVar[bool] = True
    """Whether Q against P is the same."""

    @abstractmethod
    def at(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        """D(ε) of P against Q."""

    def back(self, growth: Decimal, loss: Decimal | None = None) -> Decimal:
        """D(ε) of Q against P."""
        return self.at(growth, loss)

    def halfway(self, growth: Decimal, rest: Decimal) -> Decimal:
        """Of a change of two steps, at least the largest A(S) - growth·B(S) - rest·N(S) over events S, where A and B
        are what comes out of the two ends, and N of what lies one step from both; growth ≥ 1, rest ≥ 0.

        In A = t·A + (1-t)·A, 0 ≤ t ≤ 1, the first part has t·D₂(ln(growth/t)) against B at most, the second
        (1-t)·D₁(ln(rest/(1-t))) against N. With both logarithms the same that is at most D₂(ln(growth + rest)), as one
        step costs no more than two."""
        return self.at(DEEP.add(growth, rest))

    @property
    def failure(self) -> Decimal:
        """What is left of D for large ε: the chance of an infinite loss."""
        return Decimal(0)

    @property
    def size(self) -> Fraction | None:
        """The only finite loss that is not 0, up to its sign; None if there are others."""
        return None

    @property
    def largest(self) -> Fraction | None:
        """The largest finite loss, where it is one that others should be multiples of."""
        return self.size


ERROR = Decimal("1e-42")
"""More than any value of a curve is wrong by."""


class Formula(Protocol):
    """A Rényi divergence at an order, of a mechanism with a number; for floats and for intervals alike."""

    def __call__(self, by: Arithmetic[Any], number: Order, order: Order, /) -> Any: ...


class Loss(ABC):
    """What is known of the privacy loss of something at one change, in exact numbers; where one is rounded, it is to
    the side on which it costs more. A measure asks for what it counts in; None is what is not known.

    A loss is a leaf of a charge, and a node of a certificate by the name of its ``kind`` and its fields. A kind of its
    own can be certified once ``dp_lsp.verify`` has its formulas, too, which shares none with this package."""

    __slots__ = ()

    kind: ClassVar[str]
    condition: ClassVar[str] = ""
    """What must hold of how it is drawn, in words."""
    chooses: ClassVar[bool] = False
    """Whether it has a pair for each δ > 0 that is chosen, and none otherwise."""
    origin: Origin | None

    @abstractmethod
    def times(self, steps: int) -> Loss:
        """That of a change of so many steps."""

    def pair(self) -> Pair[Fraction] | None:
        """(ε, δ), without choosing a δ."""
        return None

    def epsilon_at(self, delta: Fraction) -> Fraction | None:
        """The ε at a δ > 0 that is chosen, of what has a pair for each."""
        return None

    def squared(self) -> Fraction | None:
        """μ² of Gaussian privacy."""
        return Fraction(0) if self.pair() == Pair(Fraction(0), Fraction(0)) else None

    def divergence(self) -> tuple[Formula, Fraction] | None:
        """The Rényi divergence, as a formula with its number; of what may fail, that of what is left when failures are
        set aside."""
        return None

    def rho(self) -> DecimalInterval | None:
        """The supremum over orders of the divergence divided by the order, of what cannot fail."""
        return None

    def dominating(self) -> Curve | None:
        """The curve of a pair of distributions that dominates it."""
        return None


@value
class UnboundedLoss(Loss):
    """Something left without noise, or by a mechanism of which nothing is known at this distance."""

    kind = "unbounded"

    origin: Origin | None = field(default=None, compare=False)

    def times(self, steps: int) -> Loss:
        return self


@lru_cache(maxsize=256)
def decimal(number: Fraction) -> Decimal:
    """A number for the curve of a pair."""
    return DEEP.divide(Decimal(number.numerator), Decimal(number.denominator))


class Draws(Protocol):
    """Draws from distributions, which are told exactly."""

    def laplace(self, centre: Any, moves: Fraction, epsilon: Fraction) -> Any:
        """A number or a container, with Laplace noise of scale ``moves``/``epsilon`` on each entry."""

    def geometric(self, centre: Any, moves: Fraction, epsilon: Fraction) -> Any:
        """The same of whole numbers, with whole noise: z as likely as exp(-|z|·epsilon/``moves``), up to a factor."""

    def gaussian(self, centre: Any, moves: Fraction, deviation: Fraction) -> Any:
        """The same as Laplace noise with Gaussian noise of so many times ``moves``."""

    def selected(self, scores: Sequence[Fraction], moves: Fraction, epsilon: Fraction) -> int:
        """One of the places, from 0 on, with a probability proportional to exp(epsilon·score/(2·moves))."""

    def told(self, truth: int | None, count: int, epsilon: Fraction) -> int:
        """One of so many places, from 0 on: the one that is true e^epsilon times as likely as each of the others."""

    def above(self, over: Sequence[Fraction], most: int, epsilon: Fraction) -> list[bool]:
        """Which are above a noisy 0, with noise of their own, until so many were: Laplace noise of scale 2/epsilon on
        0, once, and 4·``most``/epsilon on each."""

    def places(self, scheme: Sampling, height: int, amount: Fraction) -> Sequence[int]:
        """Which of so many rows are drawn: so many, or each with that probability."""


class AddsNoise(Mechanism):
    """Independent noise on each entry of a number or a container: Gaussian if it ``is_normal``, else Laplace noise."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def spread(*numbers: Fraction) -> Any:
        """The deviation or the scale of the noise, as exact as it is compared with others."""

    @staticmethod
    @abstractmethod
    def noisy(draws: Draws, centre: Any, *numbers: Fraction) -> Any:
        """What is hidden with noise, drawn exactly."""


class Selects(Mechanism):
    """Something is told about scores, one for each thing that it selects among."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def weights(scores: Sequence[Any], *numbers: Fraction) -> Sequence[float]:
        """The logarithm of how likely each is selected, up to the same number."""

    @staticmethod
    @abstractmethod
    def selected(draws: Draws, scores: Sequence[Fraction], *numbers: Fraction) -> int:
        """The place that is selected, from 0 on, drawn exactly."""
