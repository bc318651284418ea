"""The search for two neighbouring runs that a claim does not allow."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import NamedTuple

from .claims import SMALL, Claim, Parameter, evaluated
from .compiler import Compiler
from .dispatch import chosen
from .failures import Failure, SyntaxFailure, Unmodelled
from .machine import Draw
from .parser import parse
from .program import Program
from .shown import shown
from .spaces import INFINITE, Drawing, Space, distance, same_value
from .types import ANY, Type
from .types import Parameter as Annotation
from .values import Array, Grads, Model, Turned, Value, is_number, number, type_of

SETTINGS, PAIRS, OUTPUTS = 3, 5, 3
_STATICS = tuple(map(Fraction, ("1", "2", "0.5", "3", "0", "-1", "0.1", "2.5", "7", "1e-6", "-0.5", "100")))
_WRITTEN = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_ADDED = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?) \+ (\d+(?:\.\d+)?)(?![\w.])")
_BESIDE = (Fraction(0), Fraction(1, 2**20), Fraction(-1, 2**20), Fraction(1))
_PREMISES = {"Real number": ("number", "Real"), "Integer": ("number", "Integer"), "Data": ("number", "Data")}


Base = Callable[[float], tuple["Run", list[Fraction]]]


class Refuted(NamedTuple):
    """Two runs, and what was claimed of them."""

    function: str
    text: str


class Run(NamedTuple):
    """How a call ended, what of a failure is compared, what it printed, and what its mechanisms were asked for."""

    value: Value
    failure: str
    seen: str
    printed: tuple[str, ...]
    draws: tuple[Draw, ...]

    def said(self) -> str:
        ended = self.failure or shown(self.value)
        printed = f", having printed {list(self.printed)}" if self.printed else ""
        return f"{ended}{printed}"


def spots(text: str) -> tuple[Fraction, ...]:
    """The numbers that are written in a text, sums of two as well, and numbers close to them: where what a program does
    changes."""
    written = {Fraction(each) for each in _WRITTEN.findall(text) if abs(Fraction(each)) < 1000}
    written |= {Fraction(one) + Fraction(other) for one, other in _ADDED.findall(text)}
    near = {number + step for number in {*written, *(-each for each in written)} for step in _BESIDE}
    return tuple(sorted(near, key=lambda each: (abs(each), each)))[:60]


class Judge:
    """Judges the claims about one program."""

    def __init__(self, text: str, seed: int) -> None:
        self.program = Program(text)
        self.source = random.Random(seed)
        self.spots = spots(text)
        self.runs = 0

    def refuted(self, claim: Claim, settings: int = SETTINGS) -> Refuted | None:
        """Two runs that a claim does not allow, if some are found."""
        if claim.private and not any(each.claims for each in claim.parameters):
            return None
        annotations = [self.annotation(each.annotation) for each in claim.parameters]
        for setting in range(settings):
            try:
                found = self._tried(claim, annotations, setting)
            except Unmodelled:
                continue
            if found is not None:
                return found
        return None

    def arguments(self, claim: Claim) -> list[Value]:
        """Arguments that a claim is about."""
        annotations = [self.annotation(each.annotation) for each in claim.parameters]
        drawing = Drawing(self.source, next(iter(claim.norms.values()), "L1"), self.source.choice((1, 2, 3)))
        return self._arguments(claim, annotations, drawing)

    def annotation(self, text: str) -> Annotation:
        machine = self.program.machine
        try:
            (node,) = parse(text)
            found = Compiler(machine, machine.main).compile(node, None)(None)
        except (ValueError, Failure, SyntaxFailure):
            raise Unmodelled(f"the annotation {text}") from None
        return found if text else ANY

    def _tried(self, claim: Claim, annotations: Sequence[Annotation], setting: int) -> Refuted | None:
        norm = self.source.choice(("L1", "L2", "LInf"))
        norm = next(iter(claim.norms.values()), norm)
        drawing = Drawing(self.source, norm, self.source.choice((2, 3, 1, 2, 4)), setting == 1, self.spots)
        args = self._arguments(claim, annotations, drawing)
        names = {each.name: arg for each, arg in zip(claim.parameters, args, strict=True)}
        base = cache(partial(self._base, claim, args))
        told = "" if claim.private else self.told_apart(base(0.0)[0], base(40.0)[0])
        if told:  # also where there is no bound, equal arguments give equal results
            given = ", ".join(f"{name} = {shown(value)}" for name, value in names.items())
            return Refuted(claim.name, f"`{claim.name}`: twice {given}: {told}")
        for place, parameter in enumerate(claim.parameters):
            if not parameter.claims:
                continue
            of = self.space(claim, parameter)
            for _ in range(PAIRS):
                try:
                    other, apart = drawing.near(of, args[place], annotations[place], claim.private)
                except Unmodelled:
                    break
                others = [*args[:place], other, *args[place + 1 :]]
                if not self.is_of(claim, annotations, args, others):
                    continue
                check = self._private if claim.private else self._sensitive
                said = check(claim, parameter, names, base, others, apart, norm)
                if said:
                    return Refuted(claim.name, f"{shown_pair(claim, place, args, others)}: {said}")
        return None

    def _arguments(self, claim: Claim, annotations: Sequence[Annotation], drawing: Drawing) -> list[Value]:
        """Arguments for which all conditions hold."""
        for _ in range(25):
            args = [
                self._static(annotation, drawing)
                if parameter.static and (parameter.space is None or parameter.space.kind in ("number", "anything"))
                else drawing.point(self.space(claim, parameter), annotation)
                for parameter, annotation in zip(claim.parameters, annotations, strict=True)
            ]
            names = {each.name: arg for each, arg in zip(claim.parameters, args, strict=True)}
            if all(evaluated(formula, names) for formula in claim.formulas):
                return args
        raise Unmodelled("conditions that do not hold")

    def _static(self, annotation: Annotation, drawing: Drawing) -> Value:
        whole = isinstance(annotation, Type) and annotation.name in ("Integer", "Int64", "Bool")
        exact = self.source.choice(_STATICS)
        return drawing.typed(Fraction(math.floor(exact)) if whole else exact, annotation, whole)

    def space(self, claim: Claim, parameter: Parameter) -> Space:
        """Where a parameter's values are drawn: nobody promised that one without annotation and without a premise is of
        the type that a report shows."""
        of = parameter.space
        if of is None:
            raise Unmodelled("a parameter of an unknown space")
        if parameter.annotation in ("Any", "") and not parameter.static:
            premise = claim.premises.get(parameter.name)
            if premise == "Bool":
                return Space("truth")
            if premise in _PREMISES:
                return Space(*_PREMISES[premise])
            if of.kind in ("number", "truth", "anything", "tuple") and of.base != "Data":
                return Space("anything")
        return of

    def is_of(self, claim: Claim, annotations: Sequence[Annotation], *inputs: Sequence[Value]) -> bool:
        """Whether it is the method that the claim is about that runs for these inputs."""
        function = self.program.function(claim.name)
        try:
            found = [chosen(function, args).types for args in inputs]
        except Failure:
            return False
        return all(types == tuple(annotations) for types in found)

    def run(self, name: str, args: Sequence[Value], outputs: list[Fraction] | None = None, away: float = 0.0) -> Run:
        """One call, of copies of its arguments. What mechanisms return is taken from ``outputs``, which grow as far
        from what is hidden as ``away`` says."""
        self.runs += 1
        known = outputs if outputs is not None else []

        def released(place: int, draw: Draw) -> Fraction:
            while len(known) <= place:
                near = Fraction(self.source.randrange(-1000, 1000), 1023)
                known.append(draw.hidden + (Fraction(away) + near) * Fraction(draw.scale))
            return known[place]

        machine = self.program.machine
        machine.start(released)
        before = dict(machine.main.names)
        value, failure, seen = None, "", ""
        try:
            value = self.program.call(name, *map(copied, args))
        except Failure as error:
            failure, seen = str(error), error.seen
        finally:
            machine.main.names.clear()
            machine.main.names.update(before)
        return Run(value, failure, seen, tuple(machine.printed), tuple(machine.draws))

    def _base(self, claim: Claim, args: Sequence[Value], away: float) -> tuple[Run, list[Fraction]]:
        """The run that others are compared with, and what its mechanisms returned."""
        outputs: list[Fraction] = []
        return self.run(claim.name, args, outputs, away), outputs

    # Sensitivity

    def _sensitive(
        self,
        claim: Claim,
        parameter: Parameter,
        names: dict[str, Value],
        base: Base,
        others: Sequence[Value],
        apart: Fraction | float,
        norm: str,
    ) -> str:
        claimed = evaluated(str(parameter.bound), names)
        if claimed == math.inf or not isinstance(claimed, int | float | Fraction):
            return ""
        one, other = base(0.0)[0], self.run(claim.name, others)
        moved = self.moved(claim, one, other, norm)
        if moved == INFINITE or float(moved) > float(claimed * apart) * (1 + 1e-9) + 1e-9:
            return (
                f"{_short(apart)} apart: {one.said()} and {other.said()}, {_short(moved)} apart; "
                f"claimed was {_short(claimed)} for each"
            )
        return ""

    @staticmethod
    def moved(claim: Claim, one: Run, other: Run, norm: str) -> Fraction | float:
        if one.seen != other.seen or one.printed != other.printed:
            return INFINITE
        if one.failure:
            return Fraction(0)
        assert claim.returns is not None
        return distance(claim.returns, one.value, other.value, norm)

    # Privacy

    def _private(
        self,
        claim: Claim,
        parameter: Parameter,
        names: dict[str, Value],
        base: Base,
        others: Sequence[Value],
        apart: Fraction | float,
        norm: str,
    ) -> str:
        known = {**dict.fromkeys(claim.free, SMALL), **names}
        epsilon, delta = (float(evaluated(str(each), known)) for each in (parameter.epsilon, parameter.delta))
        if not (math.isfinite(epsilon) and delta < 1):
            return ""
        seen = 0
        for away in (0.0, 40.0, -40.0)[:OUTPUTS]:
            one, outputs = base(away)
            other = self.run(claim.name, others, outputs, away)
            told = self.told_apart(one, other)
            if told:
                seen += 1
                if not delta or seen == OUTPUTS:
                    return f"{told}; claimed was ε {epsilon:.6g}, δ {delta:.6g}"
                continue
            lost = needed(one.draws, other.draws, epsilon)
            if lost > delta * (1 + 1e-6) + 1e-300:
                return f"δ is at least {lost:.6g} at ε {epsilon:.6g}; claimed was δ {delta:.6g}"
        return ""

    @staticmethod
    def told_apart(one: Run, other: Run) -> str:
        """What shows which of two runs it was, though their mechanisms returned the same."""
        asked = [[(draw.kind, draw.scale) for draw in run.draws] for run in (one, other)]
        same = one.seen == other.seen and one.printed == other.printed and asked[0] == asked[1]
        if same and (one.failure or same_value(one.value, other.value)):
            return ""
        return f"{one.said()} and {other.said()}, with the same noise"


def shown_pair(claim: Claim, place: int, args: Sequence[Value], others: Sequence[Value]) -> str:
    """Two inputs that differ in one parameter, in words."""
    named = zip((each.name for each in claim.parameters), args, strict=True)
    rest = ", ".join(f"{name} = {shown(value)}" for i, (name, value) in enumerate(named) if i != place)
    pair = f"{claim.parameters[place].name} = {shown(args[place])} and {shown(others[place])}"
    types = f" ({type_of(args[place])} and {type_of(others[place])})"
    return f"`{claim.name}`: {pair}{types}{f' (with {rest})' if rest else ''}"


def needed(ones: Sequence[Draw], others: Sequence[Draw], epsilon: float) -> float:
    """At least how large δ is at an ε, for two runs whose mechanisms hide these numbers: the likelier of both makes
    these choices, and each of its noise is on the side that the other run is not on."""
    pairs = list(zip(ones, others, strict=True))
    laplace = [
        abs(float(a.hidden - b.hidden)) / a.scale for a, b in pairs if a.kind == "laplace" and a.hidden != b.hidden
    ]
    gauss = [abs(float(a.hidden - b.hidden)) / a.scale for a, b in pairs if a.kind == "gauss"]
    chances = [math.fsum(float(draw.hidden) for draw in side if draw.kind == "choice") for side in (ones, others)]
    chosen = abs(chances[0] - chances[1])
    loss = math.fsum(laplace) + chosen
    found = 0.0
    if loss > epsilon * (1 + 1e-9) + (1e-9 if chosen else 1e-12):
        found = 2.0 ** -len(laplace) * math.exp(max(chances)) * -math.expm1(epsilon - loss)
    mu = math.sqrt(math.fsum(each * each for each in gauss))
    if mu:
        found = max(found, _gaussian_delta(mu, epsilon))
    return found


def curve(ones: Sequence[Draw], others: Sequence[Draw], delta: float) -> float:
    """The smallest ε at a δ for two runs with Gaussian noise alone: as that of one release, as squares add up."""
    pairs = zip(ones, others, strict=True)
    mu = math.sqrt(math.fsum((float(a.hidden - b.hidden) / a.scale) ** 2 for a, b in pairs))
    low, high = 0.0, 1.0
    while mu and _gaussian_delta(mu, high) > delta and high < 600:
        high *= 2
    for _ in range(60 if mu else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if _gaussian_delta(mu, middle) > delta else (low, middle)
    return low


def _gaussian_delta(mu: float, epsilon: float) -> float:
    def below(x: float) -> float:
        return math.erfc(-x / math.sqrt(2)) / 2

    if epsilon > 600:
        return 0.0
    return max(0.0, below(mu / 2 - epsilon / mu) - math.exp(epsilon) * below(-mu / 2 - epsilon / mu) - 1e-12)


def copied(value: Value) -> Value:
    """A value whose arrays nobody else holds."""
    if isinstance(value, Array):
        return Array(value.element, list(value.entries), value.shape)
    if isinstance(value, Turned):
        return Turned(value.name, copied(value.parent))
    if isinstance(value, Grads | Model):
        return type(value)({name: copied(array) for name, array in value.arrays.items()})
    return value


def _short(value: Fraction | float) -> str:
    if is_number(value) and value == int(value):
        return str(int(value))
    return f"{float(number(value) if is_number(value) else value):.6g}"
