"""The search for two neighbouring runs that a claim about a Python function does not allow."""

from __future__ import annotations

import ast
import itertools
import math
import random
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import dp_types
from evaluator.failures import Unmodelled as NoSpace
from evaluator.spaces import Space, distance, space
from evaluator.types import FLOAT
from evaluator.values import NAN, Array

from .claims import Claim, Parameter, evaluated
from .inputs import WORDS, Inputs, Slot, slots
from .loss import loss
from .noise import Told, Unmodelled, World
from .running import Program, Run, difference

SETTINGS, PAIRS = 6, 5
AWAY = (0.0, 30.0, -30.0)
_TAKEN = re.compile(r"`(\w+)` is (?:an? )?(public number|`float`|`int`|`bool`|vector of `float`|vector of `int`)")
_KINDS = {
    "public number": float,
    "`float`": float,
    "`int`": int,
    "`bool`": bool,
    "vector of `float`": list,
    "vector of `int`": list,
}
_SHOWN_KINDS = {"Real": float, "Integer": int, "Bool": bool, "Vector": list}
_ARRAY = re.compile(r"`(\w+)` is a vector of `(?:float|int)` measured in (L1|L2|LInf)")
_NORM = re.compile(r"norm\((\w+)\) is (L1|L2|LInf)")
_OF_RESULT = re.compile(r"norm of the result is (L1|L2|LInf)")  # its type says so, too
_LOADED = "gives nothing that is used here another meaning"  # a run has loaded it
_RUN = "the file is run from its first line to its last"  # as it is, before a function is called
_EXACT = "noise that the program draws in floating point counts as exact"
_BESIDE = (0.0, 1.0, -1.0, 0.5)
SHOWN = 160


class Refuted(NamedTuple):
    """Two runs, and what was claimed of them."""

    function: str
    text: str


def spots(text: str) -> tuple[float, ...]:
    """The numbers that are written in a text, and numbers close to them: where what a program does changes."""
    written = {
        float(node.value)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and abs(node.value) < 10_000
    }
    near = {number + step for number in {*written, *(-each for each in written)} for step in _BESIDE}
    return tuple(sorted(near, key=lambda each: (abs(each), each)))[:80]


def words(text: str) -> tuple[str, ...]:
    """Texts that records may hold: some, and those that a program compares with, or lists."""
    found = dict.fromkeys(WORDS)
    for node in ast.walk(ast.parse(text)):
        listed = node.comparators if isinstance(node, ast.Compare) else getattr(node, "elts", ())
        found |= dict.fromkeys(
            each.value for each in listed if isinstance(each, ast.Constant) and isinstance(each.value, str)
        )
    return tuple(found)


class Judge:
    """Judges the claims about one program."""

    def __init__(self, text: str, seed: int) -> None:
        self.program = Program(text)
        self.source = random.Random(seed)
        self.spots = spots(text)
        self.words = words(text)
        self.runs = 0

    def refuted(self, claim: Claim, settings: int = SETTINGS, pairs: int = PAIRS) -> Refuted | None:
        """Two runs that a claim does not allow, if some are found; :class:`Unmodelled` where none can be made."""
        if not claim.finite:
            return None
        of = self._slots(claim)
        cause: Unmodelled | None = None
        judged = False
        for _ in range(settings):
            inputs = Inputs(self.source, of, self.spots, self.words)
            try:
                args = self._arguments(claim, inputs)
                found = self._tried(claim, inputs, args, pairs)
            except Unmodelled as error:
                cause = error
                continue
            judged = True
            if found is not None:
                return found
        if not judged and cause is not None:
            raise cause
        return None

    def _slots(self, claim: Claim) -> list[Slot]:
        """The parameters; what is not annotated is what a report says it is taken for."""
        found = slots(self.program.function(claim.name, World(self.source)))
        if [each.name for each in found] != [each.name for each in claim.parameters]:
            raise Unmodelled("other parameters than a report names")
        taken: dict[str, Any] = {}
        norms: dict[str, str] = {}
        for text in claim.texts:
            if (said := _TAKEN.fullmatch(text)) is not None:
                taken[said[1]] = _KINDS[said[2]]
            elif (said := _ARRAY.fullmatch(text)) is not None:
                taken[said[1]], norms[said[1]] = np.ndarray, said[2]
            elif (said := _NORM.fullmatch(text)) is not None:
                norms[said[1]] = said[2]
            elif not _OF_RESULT.fullmatch(text) and not (text.startswith((_EXACT, _RUN)) or text.endswith(_LOADED)):
                raise Unmodelled(f"the premise `{text}`")
        made = []
        for slot, parameter in zip(found, claim.parameters, strict=True):
            base = slot.base
            if slot.bare:
                base = taken.get(slot.name, _SHOWN_KINDS.get(parameter.type.partition("<")[0], base))
                base = self.source.choice((list, np.ndarray)) if base is list else base
            words = (dp_types.Within(norms[slot.name]),) if slot.bare and slot.name in norms else slot.words
            made.append(slot._replace(base=base, words=words, static=parameter.static))
        return made

    def _arguments(self, claim: Claim, inputs: Inputs) -> dict[str, Any]:
        for _ in range(25):
            args = inputs.arguments()
            if all(evaluated(each, args, claim.free) for each in claim.formulas):
                return args
        raise Unmodelled("conditions that do not hold")

    def _tried(self, claim: Claim, inputs: Inputs, args: dict[str, Any], pairs: int) -> Refuted | None:
        for slot, parameter in zip(inputs.slots, claim.parameters, strict=True):
            if not parameter.claims or slot.name not in args:
                continue
            for at in range(pairs):
                others, apart = inputs.near(slot, args, claim.private)
                if not all(evaluated(each, others, claim.free) for each in claim.formulas):
                    continue
                again = self._again(inputs, claim) if at % 3 == 2 else None
                check = self._private if claim.private else self._sensitive
                said = check(claim, parameter, inputs, args, others, apart, again)
                if said:
                    return Refuted(claim.name, f"{_pair(claim.name, args, others)}{said}")
        return None

    def _again(self, inputs: Inputs, claim: Claim) -> dict[str, Any] | None:
        """Other arguments, for a second call: what it returns may tell of the first one."""
        return self._arguments(claim, inputs) if self.source.random() < 0.5 else None

    # Sensitivity

    def _sensitive(
        self,
        claim: Claim,
        parameter: Parameter,
        inputs: Inputs,
        args: dict[str, Any],
        others: dict[str, Any],
        apart: float,
        again: Mapping[str, Any] | None,
    ) -> str:
        claimed = evaluated(str(parameter.bound), args, claim.free)
        if claimed == math.inf:
            return ""
        ones, twos = ([args], [others]) if again is None else ([again, args], [again, others])
        one, two = (self._run(claim, inputs, calls, World(self.source)) for calls in (ones, twos))
        if one.world.observed or two.world.observed:
            raise Unmodelled("noise in what is no private function")
        if one.failure != two.failure or one.printed != two.printed or difference(one.left, two.left):
            return f": {one.said()} and {two.said()}, which can be told apart"
        if one.failure:
            return ""
        try:
            moved = distance(
                _space(claim), _value(one.values[-1]), _value(two.values[-1]), "L1" if not claim.returns else "L2"
            )
        except NoSpace as error:
            raise Unmodelled(str(error)) from None
        if moved == math.inf or float(moved) > float(claimed) * apart * (1 + 1e-9) + 1e-9:
            return (
                f": {apart:.6g} apart, {one.said()} and {two.said()}, {float(moved):.6g} apart; claimed was "
                f"{float(claimed):.6g} for each"
            )
        return ""

    # Privacy

    def _private(
        self,
        claim: Claim,
        parameter: Parameter,
        inputs: Inputs,
        args: dict[str, Any],
        others: dict[str, Any],
        apart: float,
        again: Mapping[str, Any] | None,
    ) -> str:
        epsilon, delta = self._price(claim, parameter, args)
        ones, twos = [args], [others]
        if again is not None and not delta:
            if self.source.random() < 0.5:  # the second call is about other people
                ones, twos = [args, dict(again)], [others, dict(again)]
            else:
                public = {
                    each.name: again[each.name]
                    for each in inputs.slots
                    if each.static and each.name in args and not _is_said(each.name, inputs.slots)
                }
                more, delta = self._price(claim, parameter, {**args, **public})  # the first one has none
                ones, twos, epsilon = [args, {**args, **public}], [others, {**others, **public}], epsilon + more
        if not (math.isfinite(epsilon) and delta < 1):
            return ""
        for away in AWAY:
            said = self._seen(claim, inputs, ones, twos, away, (epsilon, delta))
            if said:
                return f"{'' if len(ones) == 1 else f' (then {_shown(ones[1])})'}: {said}"
        return ""

    def _seen(
        self,
        claim: Claim,
        inputs: Inputs,
        ones: Sequence[Mapping[str, Any]],
        twos: Sequence[Mapping[str, Any]],
        away: float,
        claimed: tuple[float, float],
    ) -> str:
        """What is seen of two runs that is not allowed, however their noise is taken and matched."""
        said, rounds = "", False
        for steps, eager, in_order in itertools.product((False, True), repeat=3):
            if steps and not rounds:
                break
            one = self._run(claim, inputs, ones, World(self.source, away, None, steps, eager))
            told = Told(one.world.observed, in_order)
            two = self._run(claim, inputs, twos, World(self.source, away, told, steps, eager))
            said = self._told_apart(one, two, in_order, *claimed)
            rounds = rounds or one.world.rounds or two.world.rounds
            if not said:
                return ""
        return said

    def _price(self, claim: Claim, parameter: Parameter, args: Mapping[str, Any]) -> tuple[float, float]:
        said = (evaluated(str(each), args, claim.free) for each in (parameter.epsilon, parameter.delta))
        epsilon, delta = map(_float, said)
        return epsilon, delta

    @staticmethod
    def _told_apart(one: Run, two: Run, in_order: bool, epsilon: float, delta: float) -> str:
        paid = loss(one.world, two.world, in_order)
        what = (
            paid.apart
            or (one.failure != two.failure and "one of them fails otherwise")
            or (one.printed != two.printed and "they print something else")
            or difference(one.values, two.values)
            or (difference(one.left, two.left) and "they leave something else behind")
        )
        if what:
            return f"{one.said()} and {two.said()}: {what}; claimed was ε {epsilon:.6g}, δ {delta:.6g}"
        found = paid.delta(epsilon)
        if found > delta * (1 + 1e-6) + 1e-12:
            return (
                f"ε is {paid.laplace:.6g} by Laplace noise, μ {paid.mu:.6g} by normal noise, δ at least {found:.6g}; "
                f"claimed was ε {epsilon:.6g}, δ {delta:.6g}"
            )
        return ""

    def _run(self, claim: Claim, inputs: Inputs, calls: Sequence[Mapping[str, Any]], world: World) -> Run:
        self.runs += 1
        return self.program.run(claim.name, calls, inputs.slots, world)


def _float(value: Any) -> float:
    """A number; ∞ where it is larger than any float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _is_said(name: str, of: Sequence[Slot]) -> bool:
    """Whether a public parameter is named where it is said what data there is, which is data for its value alone."""
    return any(repr(name) in repr(each.words) for each in of)


def _space(claim: Claim) -> Space:
    return space(claim.returns) if claim.returns else Space("anything")


def _value(value: Any) -> Any:
    """A result as distances are measured between them."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating | Fraction):
        if isinstance(value, Fraction):
            return value
        return Fraction(float(value)) if math.isfinite(value) else NAN if math.isnan(value) else f"{value}"
    if isinstance(value, tuple):
        return tuple(map(_value, value))
    if isinstance(value, list | np.ndarray | pd.Series):
        whole = value if isinstance(value, np.ndarray) else np.array(list(value))
        if whole.ndim in (1, 2) and whole.dtype.kind in "bif":
            return Array(FLOAT, [_value(each) for each in whole.flat], whole.shape)
    return f"{value!r}"


def _pair(name: str, args: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    changed = {key: value for key, value in others.items() if value is not args[key]}
    return f"`{name}`: {_shown(args)} and {_shown(changed)}"


def _shown(args: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name} = {value.tolist() if hasattr(value, 'tolist') else value!r:.{SHOWN}}" for name, value in args.items()
    )


__all__ = ["Judge", "Refuted", "spots"]
