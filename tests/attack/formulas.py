"""Breaks the formulas by which measures price what is charged, one at a time: each is one function that is replaced by
a wrong one, which says too little."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from dp_lsp.accounting import approximate, bounds, charge, composing, pld, renyi, resolve, symbolic, walk
from dp_lsp.core import sens
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.engine.check import Engine
from dp_lsp.mechanisms import arithmetic, noise, selection
from dp_lsp.mechanisms import mechanism as theorems
from dp_lsp.mechanisms.arithmetic import DecimalInterval

from .breaking import Rule, Wrong
from .cases import cases
from .charges import refutations
from .trials import SEARCH, Trial, trials

TESTS, OUTCOMES = "the tests of measures", "the enumeration of outcomes"
_MODULES = (
    "test_golden_conversions", "test_golden_noise", "test_golden_selection", "test_golden_composition",
    "test_golden_sampling", "test_laws_of_measures", "test_measures", "test_accounting", "test_distributions",
    "test_replaced_records",
)  # fmt: skip
_SEEDS = 150
_HALF = Sens((sens.number(2).single_poly().inverse(),))


@cache
def measured() -> tuple[Trial, ...]:
    """What the tests of measures do, first things first."""
    tests = [
        Trial(TESTS, f"{module} {k}", _raises(case)) for module in _MODULES for k, case in enumerate(cases(module))
    ]
    found = [Trial(OUTCOMES, str(seed), _is_refuted(seed)) for seed in range(_SEEDS)]
    return (*tests[:100], *found, *tests[100:])


@cache
def priced() -> tuple[Trial, ...]:
    """What tests do with programs that release something."""
    costs = ("test_laws_of_costs", "test_accounting", "test_poisson", "test_numbers")
    tests = [Trial(TESTS, module, _raises(case)) for module in costs for case in cases(module)]
    return (*(each for each in trials() if each.by != SEARCH), *tests)


def _raises(case: Callable[[], object]) -> Callable[[Engine], bool]:
    """Whether a test fails; one that does raises."""

    def fails(engine: Engine) -> bool:
        case()
        return False

    return fails


def _is_refuted(seed: int) -> Callable[[Engine], bool]:
    return lambda engine: next(refutations(seed), None) is not None


def broken_formulas() -> Iterator[Rule]:
    """All of them."""
    for name, listed in _FORMULAS.items():
        for what, owner, function, wrong in listed:
            tried = priced if name.startswith(("symbolic", "charges")) else measured
            yield Rule(f"{name}, {what}", owner, function, wrong, tried, "formula")


# Ways to be wrong


def _half(value: Any) -> Any:
    """Half of a number, or of the first number of what a measure keeps."""
    if value is None:
        return None
    if isinstance(value, Sens):
        return value if value.infinite else value * _HALF
    if isinstance(value, approximate.ComposedRounds):
        return value._replace(rounds=tuple((each / 2, count) for each, count in value.rounds))
    if isinstance(value, tuple):
        return value._replace(**{value._fields[0]: _half(value[0])})  # type: ignore[attr-defined]
    return value / 2


def _halved(right: Any) -> Any:
    return lambda *args: _half(right(*args))


def _halved_at(right: Any) -> Any:
    """Of what gives a curve."""
    return lambda *args: _halved(right(*args))


def _first(right: Any) -> Any:
    """Only the first part counts."""
    return lambda self, parts: right(self, parts[:1])


def _once(right: Any) -> Any:
    return lambda self, count, once: right(self, 1, once)


def _one_step(right: Any) -> Any:
    return lambda self, node, steps: right(self, node, 1)


def _argument(index: int, changed: Callable[[Any], Any]) -> Wrong:
    """A function that is given something else in one place."""
    return lambda right: lambda *args: right(*args[:index], changed(args[index]), *args[index + 1 :])


def _folding(rules: type[charge.Rules[Any]]) -> list[tuple[str, Any, str, Wrong]]:
    """What every measure says of what is composed."""
    return [
        ("a mechanism costs half", rules, "single", _halved),
        ("a change of several steps is one", rules, "single", _one_step),
        ("the first of a sequence", rules, "sequence", _first),
        ("rounds cost one", rules, "repeat", _once),
        ("the first of several", rules, "either", _first),
    ]


def _walk(measure: type[Any]) -> list[tuple[str, Any, str, Wrong]]:
    """The same of measures that keep symbols."""
    return [
        ("a mechanism costs half", measure, "released", _halved),
        ("the first of a sequence", measure, "sequence", _first),
        ("the first of several", measure, "either", _first),
        ("rounds cost one", measure, "repeat", lambda right: lambda self, cost, once: once),
        ("a change of several steps is one", measure, "grouped", lambda right: lambda self, loss, steps: loss),
        ("the first of two ways", measure, "both", lambda right: lambda self, first, second: first),
    ]


def _no_cross(right: Any) -> Any:
    return lambda one, other: one + other


def _rate_once_more(right: Any) -> Any:
    def amplified(node: Any, inside: Any) -> Any:
        found = right(node, inside)
        return found and found._replace(delta=found.delta * node.rate)

    return amplified


def _rounded_down(right: Any) -> Any:
    return lambda value: Fraction(round(value * 100), 100)


def _no_mean(right: Any) -> Any:
    return lambda *args: (found := right(*args)) and found._replace(steps=found.steps._replace(mean=Fraction(0)))


def _one_less(right: Any) -> Any:
    def repeat(self: Any, cost: Any, once: Any) -> Any:
        found = right(self, cost, once)
        return replace(found, count=found.count - 1) if isinstance(found, charge.ChargedRepeat) else found

    return repeat


def _half_drawn(right: Any) -> Any:
    def amplified(self: Any, cost: Any, inside: Any) -> Any:
        found = right(self, cost, inside)
        return (
            replace(found, rate=found.rate / 2, rows=2 * found.rows)
            if isinstance(found, charge.ChargedSample)
            else found
        )

    return amplified


def _half_total(right: Any) -> Any:
    def total(bound: Any, loss: Any) -> Any:
        found = right(bound, loss)
        return found and found._replace(bound=found.bound._replace(price=_half(found.bound.price)))

    return total


def _free(right: Any) -> Any:
    def awaited(self: Any, cost: Any, distances: Any) -> Any:
        yield from ()
        return self.free

    return awaited


def _without_slack(right: Any) -> Any:
    return lambda self, rho, delta: (rho, delta)


_FORMULAS: dict[str, list[tuple[str, Any, str, Wrong]]] = {
    "basic": _folding(approximate.SummedPairs),
    "advanced": [
        *_folding(approximate._Accounts),
        ("no mean", approximate._Accounts, "single", _no_mean),
        ("what lies around the mean is half", approximate, "concentrated", _halved),
    ],
    "optimal": [
        *_folding(approximate._Multisets),
        ("the second of two lists", approximate, "_dominating", lambda right: lambda first, second: second),
    ],
    "zcdp": [
        *_folding(renyi._Concentrating),
        ("two ways without their product", renyi, "joined", _no_cross),
        (
            "what is nearly indistinct is",
            renyi,
            "indistinct",
            lambda right: lambda found, delta: right(found, Fraction(1, 2)),
        ),
    ],
    "renyi": [
        *_folding(renyi._AtOrder),
        ("what is nearly indistinct is", renyi, "indistinct", _argument(1, lambda delta: Fraction(1, 2))),
        ("doublings count once", renyi._GroupOrder, "_times", lambda right: property(lambda self: 1)),
        (
            "larger changes at the same order",
            renyi._GroupOrder,
            "at",
            lambda right: lambda self, order: self.once.at(order) * self._times,
        ),
        ("the first of several", renyi._Largest, "at", lambda right: lambda self, order: self.parts[0].at(order)),
        (
            "what is done with samples loses nothing",
            renyi,
            "_without_replacement",
            _argument(3, lambda pure: DecimalInterval.of(0)),
        ),
    ],
    "gaussian": [
        *_folding(approximate._Squares),
        ("two ways without their product", approximate, "joined", _no_cross),
        ("μ is half", approximate, "squared_mu", lambda right: lambda charge: (found := right(charge)) and found / 4),
    ],
    "curves": [
        ("Gaussian noise", noise, "gaussian", _halved),
        ("Laplace noise", noise, "laplace", _halved),
        ("bounded range", selection, "bounded_range", _halved),
        ("randomised response", selection, "response", _halved),
        ("ρ of Laplace noise", noise.LaplaceLoss, "rho", _halved),
        ("ρ of Gaussian noise", noise.GaussianLoss, "rho", _halved),
        ("ρ of a bounded range", selection.BoundedRange, "rho", _halved),
        ("ρ of several answers", selection.Approximate, "rho", _halved),
        ("converted without δ", renyi, "converted", lambda right: lambda by, divergence, order, delta: divergence),
        (
            "converted at half of ln δ",
            renyi,
            "converted",
            lambda right: lambda by, d, order, delta: (right(by, d, order, delta) - d) / 2 + d,
        ),
    ],
    "subsampled": [
        ("Gaussian noise on a Poisson sample", renyi, "poisson_gaussian", _halved),
        ("Gaussian noise at a lower rate", renyi, "poisson_gaussian", _argument(0, lambda rate: rate / 2)),
        ("a Poisson sample", renyi, "poisson", _halved_at),
        ("a Poisson sample at a lower rate", renyi, "poisson", _argument(0, lambda rate: rate / 2)),
        ("without replacement", renyi, "without_replacement", _halved_at),
        ("without replacement at a lower rate", renyi, "without_replacement", _argument(0, lambda rate: rate / 2)),
        (
            "at the order below",
            renyi,
            "interpolated",
            lambda right: (
                lambda at, order: right(at, Fraction(order.__floor__())) if order >= 2 else right(at, order) / 2
            ),
        ),
        ("at most one", renyi, "_at_most_two", _halved),
    ],
    "normal": [
        ("ε is half", noise, "epsilon", _halved),
        ("δ is half", noise, "delta", _halved),
        ("the tail is half", noise, "upper_tail", _halved),
        ("Mills' ratio is twice", noise, "mills", lambda right: lambda x: right(x) * 2),
    ],
    "losses": [
        ("ε is half", approximate, "solved", _halved),
        ("weights are half", approximate, "_weight", _halved),
        (
            "losses are rounded down",
            approximate,
            "_of_lattice",
            lambda right: (
                lambda rounds, unit, delta: right(
                    tuple((max(each - unit, Fraction(0)), n) for each, n in rounds), unit, delta
                )
            ),
        ),
    ],
    "pairs": [
        ("Laplace noise costs half", noise.LaplaceLoss, "pair", _halved),
        ("a bounded range costs half", selection.BoundedRange, "pair", _halved),
        ("a pair costs half", selection.Approximate, "pair", _halved),
        ("steps cost one", theorems, "group", lambda right: lambda count, pair, steps: pair),
        ("steps of a mechanism cost one", selection, "group", lambda right: lambda count, pair, steps: pair),
        (
            "δ does not grow with steps",
            arithmetic.Arithmetic,
            "geometric",
            lambda right: lambda self, value, count: self.of(count),
        ),
        (
            "δ does not grow in two ways",
            theorems,
            "chain",
            lambda right: lambda count, one, other: theorems.Pair(one.epsilon + other.epsilon, one.delta + other.delta),
        ),
        ("the first of two ways", charge, "both", lambda right: lambda first, second: first),
        ("a sample costs half", theorems, "amplified_epsilon", _halved),
        ("a sample costs qε", theorems, "amplified_epsilon", lambda right: lambda count, rate, epsilon: rate * epsilon),
        ("the rate counts twice", charge, "amplified", _rate_once_more),
        ("with replacement costs half", theorems, "redrawn", _halved),
        (
            "a row in place of another is one step",
            charge.ChargedSample,
            "steps",
            lambda right: property(lambda self: 1),
        ),
        (
            "the largest failure",
            theorems.InNumbers,
            "failing",
            lambda right: lambda self, deltas: max(deltas, default=Fraction(0)),
        ),
        ("rounds fail once", theorems.InNumbers, "failing_repeatedly", lambda right: lambda self, delta, times: delta),
        (
            "all of δ is left",
            charge,
            "slack",
            lambda right: lambda delta, taken: delta if taken < delta < 1 else None,
        ),
        ("the mean is half", theorems, "drift", _halved),
    ],
    "replacement": [
        ("a row is drawn half as often", approximate, "_drawn_at_all", _halved),
        (
            "times are half as likely",
            approximate,
            "_times_drawn",
            lambda right: lambda *args: (found := right(*args)) and [(j, w / 2) for j, w in found],
        ),
        ("drawn once", approximate, "epsilon_inside", _argument(0, lambda draws: 1)),
        ("ε is half", approximate, "epsilon_inside", _halved),
    ],
    "converting": [
        ("noise moves by one step", approximate.Converter, "_converted", _one_step),
        (
            "a sample changes by one step",
            approximate.Converter,
            "_sampled",
            lambda right: lambda self, node, steps, *delta: right(self, node, 1, *delta),
        ),
        (
            "two ways are changed by one step",
            approximate.Converter,
            "_joined",
            lambda right: lambda self, node, steps, *rest: right(self, node, 1, *rest),
        ),
        ("what lies inside costs half", approximate, "amplified", _argument(1, _half)),
    ],
    "folding": [
        ("a group is a step", charge, "parts_of", _argument(1, lambda steps: 1)),
    ],
    "rounding": [
        ("what is shown is rounded", arithmetic, "shown", _rounded_down),
        ("exponentials are half", DecimalInterval, "exp", _halved),
        ("upper ends are lower ends", DecimalInterval, "up", lambda right: property(lambda self: Fraction(self.low))),
    ],
    "charges": [
        ("numbers are half", resolve._Resolve, "_number", _halved),
        ("one round less", resolve._Resolve, "repeat", _one_less),
        ("a mechanism moves by one", resolve, "_steps", lambda right: lambda total, declared, moved: ONE),
        ("a sample of half", resolve._Resolve, "amplified", _half_drawn),
        ("a change of several steps is one", resolve._Resolve, "grouped", lambda right: lambda self, loss, steps: loss),
        ("the first of two ways", resolve._Resolve, "both", lambda right: lambda self, first, second: first),
        ("the first of several", resolve._Resolve, "either", _first),
        ("the first of a sequence", resolve._Resolve, "sequence", _first),
    ],
    "distributions": [
        *(each for each in _folding(pld._CountedLosses) if each[2] != "single"),
        ("of samples, at one step in them", pld, "_inside", _argument(1, lambda steps: 1)),
        ("a row more at half the rate", composing, "_amplified", _argument(0, lambda rate: rate / 2)),
        ("a row in place of another costs half", composing.Replaced, "at", _halved),
        ("with replacement costs half", composing.Redrawn, "at", _halved),
        (
            "what is done with a sample without the row counts twice",
            noise.Normal,
            "halfway",
            lambda right: lambda self, growth, rest: right(self, growth, 2 * rest),
        ),
    ],
    "symbolic basic": _walk(symbolic.SymbolicBasic),
    "symbolic advanced": _walk(symbolic.SymbolicAdvanced),
    "symbolic totals": [
        ("half of it", bounds, "_total", _half_total),
        (
            "on a condition that is half as much",
            bounds,
            "total",
            lambda right: lambda *args: (f := right(*args)) and f._replace(epsilon=_half(f.epsilon)),
        ),
    ],
    "symbolic prices": [
        ("noise of a known deviation", walk.PrivacyMeasure, "released_pair", _halved),
        ("draws with replacement", theorems, "redrawn", _halved),
        ("deviations", walk, "deviations", _halved),
        ("records pay for one matrix", bounds, "_records", lambda right: lambda cost, variables: iter(())),
        ("rows that are read count for nothing", walk.Walk, "is_read", lambda right: lambda self, distances: False),
        (
            "any change that reaches a sample is known",
            walk.Walk,
            "is_known",
            lambda right: lambda self, cost, reached: True,
        ),
        ("a release of nothing known", walk.Walk, "_awaited", _free),
    ],
    "symbolic zcdp": [
        *_walk(symbolic.Zcdp),
        ("without a share of δ", symbolic.Zcdp, "converted", _without_slack),
        ("what is no pair of its own costs half", symbolic, "_worst", _halved),
        (
            "samples are not drawn",
            symbolic.Zcdp,
            "amplified",
            lambda right: lambda self, cost, inside: symbolic.Zcdp.free,
        ),
    ],
    "symbolic gaussian": [
        *_walk(symbolic.GaussianOnly),
        ("noise moves half as far", symbolic, "deviations", _halved),
        (
            "samples are not drawn",
            symbolic.GaussianOnly,
            "amplified",
            lambda right: lambda self, cost, inside: inside,
        ),
    ],
}
