"""Noise that is written down while a program runs.

In place of a draw a program is given a :class:`Noisy` number: a sum of draws, each times a factor, and a number beside
them. What is added, subtracted and scaled stays one. Whatever else is asked of it, to be compared, printed, rounded or
returned, **observes** it: the program is told a number, and the sum is written down. Two runs that are told the same
numbers differ in nothing but in what stands beside the draws, and that is what the price of noise is computed from
(:mod:`cpython.loss`). All that is observed counts as seen, as when a release is composed with others. A remainder, and
what is calculated with one, is a :class:`Later` number: the sum is observed when somebody asks for that, and not where
nobody does.
"""

from __future__ import annotations

import builtins
import math
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import numpy as np

Number = Any


class Unmodelled(BaseException):
    """What the oracle has no answer to. No ``except Exception`` of a program may catch it."""


class Draw(NamedTuple):
    """One number of noise: its distribution with scale 1. One that was rounded is ``whole``, in units of 1, and
    ``scale`` is that of what was rounded."""

    kind: str
    drawn: float
    scale: float = 1.0
    whole: bool = False


class Observed(NamedTuple):
    """A sum that was observed: the factor of each draw by its place in ``draws``, the number beside them, and what the
    program was told."""

    factors: dict[int, float]
    beside: Number
    told: float

    @property
    def noise(self) -> frozenset[tuple[int, float]]:
        return frozenset(self.factors.items())


class Told:
    """What a program was told, for another run to be told the same: of sums of the same draws, or ``in_order``."""

    def __init__(self, observed: Sequence[Observed], in_order: bool = False) -> None:
        self._in_order = in_order
        self._left: dict[object, list[float]] = {}
        for each in reversed(observed):
            self._left.setdefault(self._key(each.noise), []).append(each.told)

    def _key(self, noise: frozenset[tuple[int, float]]) -> object:
        return None if self._in_order else noise

    def next(self, noise: frozenset[tuple[int, float]]) -> float | None:
        left = self._left.get(self._key(noise))
        return left.pop() if left else None


class World:
    """One run: what was drawn and observed. With ``told``, the program is told what it was told in another run.

    In a run that is ``eager`` a sum is observed as soon as something is added to a draw. What is rounded is observed
    before that, or with ``steps`` is noise in whole numbers where what is beside it is one, too. Each way says at most
    too much of what is seen."""

    def __init__(
        self,
        source: Random,
        away: float = 0.0,
        told: Told | None = None,
        steps: bool = False,
        eager: bool = False,
    ) -> None:
        self.source, self.away, self.steps, self.eager = source, away, steps, eager
        self.draws: list[Draw] = []
        self.observed: list[Observed] = []
        self.seeded = self.rounds = False
        self._told = told
        self._known: dict[object, float] = {}

    def drawn(self, kind: str, scale: Number) -> Noisy | float:
        """A draw with a scale; a number that everybody knows once a program has set a seed."""
        near = self.away + self.source.randrange(-1000, 1000) / 1024
        if self.seeded:
            return float(scale) / 4
        self.draws.append(Draw(kind, near))
        return Noisy(self, {len(self.draws) - 1: scale}, 0)

    def observe(self, noisy: Noisy) -> float:
        """Tells the program a number for a sum of draws, the same one each time it asks."""
        factors = {place: float(factor) for place, factor in noisy.factors.items() if factor}
        key = (frozenset(factors.items()), float(noisy.beside))
        if key not in self._known:
            told = float(noisy.beside) + sum(self.draws[place].drawn * factor for place, factor in factors.items())
            known = self._told.next(key[0]) if self._told is not None else None
            self._known[key] = told if known is None else known
            self.observed.append(Observed(factors, noisy.beside, self._known[key]))
        return self._known[key]

    def in_steps(self, noisy: Noisy) -> bool:
        """Whether what is rounded is taken for noise in whole numbers beside one."""
        self.rounds = True
        alone = len(noisy.factors) == 1 and not self.draws[next(iter(noisy.factors))].whole
        return self.steps and alone and math.isfinite(noisy.beside) and float(noisy.beside).is_integer()

    def rounded(self, noisy: Noisy) -> Noisy:
        """Noise in whole numbers."""
        ((place, factor),) = noisy.factors.items()
        kind, drawn = self.draws[place][:2]
        self.draws.append(Draw(kind, float(round(drawn * float(factor))), abs(float(factor)), whole=True))
        return Noisy(self, {len(self.draws) - 1: 1}, noisy.beside)


def _linear(name: str) -> Callable[[Noisy, Any], Any]:
    def method(self: Noisy, other: Any) -> Any:
        return self._with(name, other)

    return method


def _told(name: str) -> Callable[..., Any]:
    """An operation on what the program is told of a sum."""

    def method(self: Noisy, *args: Any) -> Any:
        return getattr(float, name)(self.told(), *(told(each) for each in args))

    return method


class Noisy:
    """A sum of draws and a number beside them."""

    __slots__ = ("beside", "factors", "world")

    def __init__(self, world: World, factors: dict[int, Number], beside: Number) -> None:
        self.world, self.factors, self.beside = world, factors, beside

    def told(self) -> float:
        return self.world.observe(self)

    def scaled(self, by: Number) -> Noisy:
        return Noisy(self.world, {place: factor * by for place, factor in self.factors.items()}, self.beside * by)

    def _with(self, name: str, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            if other.ndim:
                made = np.empty(other.shape, dtype=object)
                made.flat = [self._with(name, each) for each in other.flat]
                return made
            other = other.item()
        if isinstance(other, Later):
            other = other.told()
        if isinstance(other, Noisy):
            if name in ("add", "radd", "sub", "rsub"):
                return self._sum(name, other)
            return getattr(self.told(), f"__{name}__")(other.told())
        if not isinstance(other, (int, float, np.number, np.bool_)) and not hasattr(other, "numerator"):
            return NotImplemented
        match name:
            case "add" | "radd":
                found = Noisy(self.world, self.factors, self.beside + other)
                return found.told() if self.world.eager else found
            case "sub":
                return self + -other
            case "rsub":
                return self.scaled(-1) + other
            case "mul" | "rmul":
                return self.scaled(other)
            case "truediv" if other:
                return Noisy(
                    self.world, {place: factor / other for place, factor in self.factors.items()}, self.beside / other
                )
            case "mod" | "floordiv" if other:
                return Later(self, name, float(other))
        return getattr(self.told(), f"__{name}__")(float(other))

    def _sum(self, name: str, other: Noisy) -> Noisy:
        one, two = (self, other) if name in ("add", "sub") else (other, self)
        if name in ("sub", "rsub"):
            two = two.scaled(-1)
        factors = dict(one.factors)
        for place, factor in two.factors.items():
            factors[place] = factors.get(place, 0) + factor
        return Noisy(self.world, factors, one.beside + two.beside)

    def __neg__(self) -> Noisy:
        return self.scaled(-1)

    def __pos__(self) -> Noisy:
        return self

    def __round__(self, digits: int | None = None) -> Any:
        if not digits and self.world.in_steps(self):
            return self.world.rounded(self)
        return round(self.told(), digits)

    def rint(self) -> Any:
        """What NumPy calls to round each of several objects."""
        return self.__round__()

    def item(self) -> Noisy:
        return self

    def _cut(self) -> float:
        """What the program is told where a whole number must come out."""
        if self.world.in_steps(self):
            raise Unmodelled("noise that is cut to a whole number")
        return self.told()

    def __int__(self) -> int:
        return int(self._cut())

    __trunc__ = __int__

    def __floor__(self) -> int:
        return math.floor(self._cut())

    def __ceil__(self) -> int:
        return math.ceil(self._cut())

    def __bool__(self) -> bool:
        return bool(self.told())

    def __float__(self) -> float:
        return self.told()

    def __hash__(self) -> int:
        return hash(self.told())

    def __str__(self) -> str:
        return str(self.told())

    def __repr__(self) -> str:
        return repr(self.told())

    def __format__(self, spec: str) -> str:
        return format(self.told(), spec)

    def _function(name: str) -> Callable[[Noisy], Any]:  # noqa: N805  # makes methods
        return lambda self: float(getattr(np, name)(self.told()))

    exp, log, sqrt, floor, ceil, fabs, tanh, conjugate = map(
        _function, ("exp", "log", "sqrt", "floor", "ceil", "fabs", "tanh", "conjugate")
    )

    __add__, __radd__, __sub__, __rsub__, __mul__, __rmul__, __truediv__ = map(
        _linear, ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv")
    )
    __rtruediv__, __floordiv__, __rfloordiv__, __mod__, __rmod__, __pow__, __rpow__ = map(
        _linear, ("rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow", "rpow")
    )
    __abs__, __lt__, __le__, __gt__, __ge__, __eq__, __ne__ = map(  # type: ignore[assignment]
        _told, ("__abs__", "__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
    )


class Later(Noisy):
    """What is calculated with a sum of draws when somebody asks for it."""

    __slots__ = ("by", "name", "of")

    def __init__(self, of: Noisy, name: str, by: float) -> None:
        super().__init__(of.world, {}, 0)
        self.of, self.name, self.by = of, name, by

    def told(self) -> float:
        return _operation(self.name, self.of.told(), self.by)

    def scaled(self, by: Number) -> Any:
        return self._with("mul", by)

    def _with(self, name: str, other: Any) -> Any:
        is_number = isinstance(other, (int, float, np.number)) and not isinstance(other, bool)
        if is_number and (name in _SURE or (name in _OF_OTHERS and other)):
            return Later(self, name, float(other))
        return super()._with(name, other) if isinstance(other, np.ndarray) else _operation(name, self.told(), other)


_SURE = frozenset({"add", "radd", "sub", "rsub", "mul", "rmul"})
_OF_OTHERS = frozenset({"truediv", "floordiv", "mod"})
"""Operations that fail for 0 alone."""


def _operation(name: str, one: float, other: Any) -> Any:
    """What a method of a number does."""
    if name in _REVERSED:
        return getattr(operator, name[1:])(other, one)
    return getattr(operator, name)(one, other)


_REVERSED = frozenset({"radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow"})


def told(value: Any) -> Any:
    """A number that may be noisy as the program is told it, for comparisons; what is no number stays."""
    if isinstance(value, Noisy):
        return value.told()
    return value.item() if isinstance(value, np.generic) else value


# In place of the modules that draw


def _source(world: World, kind: str) -> Callable[..., Any]:
    """`laplace` or `normal`, as NumPy has them."""

    def draw(loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        if np.any(np.asarray(_plain(scale)) < 0):
            raise ValueError("scale < 0")
        if size is None and not np.ndim(_plain(loc)) and not np.ndim(_plain(scale)):
            drawn = world.drawn(kind, _plain(scale))
            return drawn + loc if isinstance(loc, Noisy) or loc else drawn
        wanted = np.broadcast_shapes(np.shape(_plain(loc)), np.shape(_plain(scale))) if size is None else size
        made = np.empty(wanted, dtype=object)
        where, scales = (np.broadcast_to(np.asarray(_plain(each)), made.shape) for each in (loc, scale))
        draws = ((world.drawn(kind, each), at) for at, each in zip(where.flat, scales.flat, strict=True))
        made.flat = [drawn + at if isinstance(at, Noisy) or at else drawn for drawn, at in draws]
        return made

    return draw


def _plain(value: Any) -> Any:
    return value.told() if isinstance(value, Noisy) else value


def _refused(name: str) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        raise Unmodelled(f"`{name}`")

    return call


class Generator:
    """What `default_rng()` gives."""

    def __init__(self, world: World) -> None:
        self.laplace, self.normal = _source(world, "laplace"), _source(world, "normal")
        self.standard_normal = lambda size=None: self.normal(size=size)

    def __getattr__(self, name: str) -> Any:
        raise Unmodelled(f"`Generator.{name}`")


class _Annotated:
    """What annotations name. A program that makes one itself is not modelled."""

    def __new__(cls, *_: Any) -> Any:
        raise Unmodelled("`np.random.Generator`")


def _made(world: World) -> Callable[..., Any]:
    def make(seed: Any = None) -> Any:
        if isinstance(seed, Generator):
            return seed
        if seed is None:
            return Generator(world)
        known = World(Random(0))
        known.seeded = True
        return Generator(known)

    return make


_NUMPY = (
    "rand randn randint random random_sample ranf sample choice shuffle permutation uniform exponential gumbel "
    "standard_exponential logistic geometric poisson binomial bytes standard_cauchy standard_t gamma beta pareto "
    "chisquare dirichlet "
    "multivariate_normal lognormal multinomial power rayleigh triangular vonmises wald weibull zipf Generator PCG64"
)
_STANDARD = (
    "random uniform randint choice choices sample shuffle expovariate betavariate triangular Random SystemRandom"
)

_REFUSED_BY_NUMPY = {each: _refused(each) for each in _NUMPY.split()}
_REFUSED = {each: _refused(each) for each in _STANDARD.split()}


@contextmanager
def written_down(world: World) -> Iterator[None]:
    """While this lasts, whoever draws is given noise of the world."""
    normal = _source(world, "normal")

    def seed(*args: Any, **named: Any) -> None:
        world.seeded = args != (None,) and bool(args or named)

    def gauss(mu: float = 0.0, sigma: float = 1.0) -> Any:
        return normal(mu, sigma)

    numpy = {**_REFUSED_BY_NUMPY, "laplace": _source(world, "laplace"), "normal": normal, "seed": seed}
    numpy |= {"standard_normal": lambda size=None: normal(size=size)}
    numpy |= {**dict.fromkeys(("default_rng", "RandomState"), _made(world)), "Generator": _Annotated}
    standard = {**_REFUSED, "gauss": gauss, "normalvariate": gauss, "seed": seed}
    places = ((vars(np.random), numpy), (vars(random), standard))
    known = [{name: names[name] for name in wrong} for names, wrong in places]
    try:
        for names, wrong in places:
            names.update(wrong)
        yield
    finally:
        for (names, _), right in zip(places, known, strict=True):
            names.update(right)


# What Python does to numbers without a method that may return a noisy one


def same_number(function: Any) -> Any:
    """`float` leaves a noisy number as it is; whatever else is called by the name stays."""
    if function is not builtins.float:
        return function
    return lambda *args: args[0] if args and isinstance(args[0], Noisy) else float(*args)


def is_about_noise(error: Exception) -> bool:
    """Whether something failed because an array holds objects, where a program has numbers."""
    text = str(error)
    return any(each in text for each in ("'O'", "Noisy", "object array", "not supported for the input types"))
