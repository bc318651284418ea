"""Derivations agree with the reports, and each of their numbers with the rule that it is said to follow by."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

import spec_runner
from dp_lsp.analysis.loading import ReadRefusal, SourceText
from dp_lsp.analysis.records import Analysis, Derivation, Explanation, FunctionReport, Options, State, Step
from dp_lsp.builtins import LITERAL, TABLE
from dp_lsp.builtins.define import Form, Noise
from dp_lsp.core import laws
from dp_lsp.engine.check import Engine
from dp_lsp.engine.problems import IncludeWithoutFolder
from source_tree import ROOT


class Lone:
    """A program in no folder."""

    def __init__(self, text: str) -> None:
        self._text = SourceText(text)

    def included(self, by: str, path: str) -> str | ReadRefusal:
        return ReadRefusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> SourceText:
        return self._text


ENGINE = Engine()
SOUND = Options()
PLAIN = Noise._field_defaults["factor"]


class Explained(NamedTuple):
    """A function of a program, and what is said of it."""

    program: str
    report: FunctionReport
    explanation: Explanation

    def __str__(self) -> str:
        return f"{self.report.name} in\n{self.program}"


def explained(program: str, options: Options = SOUND) -> list[Explained]:
    """All functions of a program, in order."""
    loader = Lone(program)
    analysis: Analysis = ENGINE.project("", loader, options)[""]
    found = []
    for report in analysis.functions:
        explanation = ENGINE.explain("", loader, ("", report.name_span.start), False, options)
        assert explanation is not None and explanation.function == report
        found.append(Explained(program, report, explanation))
    return found


def programs() -> Iterator[tuple[str, str, Options]]:
    """Every program of the fixtures under the sound rules, and its page."""
    folder = ROOT / "fixtures"
    for path in sorted((folder / "programs").glob("*.jl")):
        yield path.stem, path.read_text("utf-8"), SOUND
    for page in sorted((folder / "spec").glob("*.md")):
        for block in spec_runner.blocks(page.read_text("utf-8")):
            if block.options.profile == "sound":
                yield page.stem, block.text, block.options


PAGES: dict[str, list[tuple[str, Options]]] = {}
for _page, _text, _options in programs():
    PAGES.setdefault(_page, []).append((_text, _options))


@cache
def functions(page: str) -> list[Explained]:
    """All functions of a page. Several tests ask for them."""
    return [function for text, options in PAGES[page] for function in explained(text, options)]


def test_every_law_can_be_looked_up_and_none_is_taken_for_a_builtin() -> None:
    names = {
        value for name, value in vars(laws).items() if name.isupper() and isinstance(value, str) and name[0] != "_"
    }
    assert names == laws.LAWS.keys() and not names & TABLE.keys()


@pytest.mark.parametrize("page", PAGES)
def test_the_last_step_of_each_derivation_is_what_is_reported(page: str) -> None:
    for function in functions(page):
        report, listed = function.report, function.explanation.derivations
        if report.state is State.UNKNOWN or report.kind == "blackbox":
            assert not listed
            continue
        derivations = {each.parameters: each for each in listed if not each.inside}
        for parameter in report.parameters:
            derivation = derivations[(parameter.name,)]
            pairs = "  or  ".join(f"ε {epsilon}, δ {delta}" for epsilon, delta in parameter.alternatives)
            assert derivation.bound == (pairs if parameter.is_guaranteed else parameter.shown), str(function)
            if parameter.sensitivity is not None and not parameter.static:
                assert last(derivation, "") == (parameter.sensitivity,), str(function)
        for bound in (each for each in report.bounds if each.measure == "approximate"):
            found = lasts(derivations[bound.parameters], bound.rule)
            assert (bound.epsilon, bound.delta) in found, str(function)


def last(derivation: Derivation, rule: str) -> tuple[str, ...]:
    """What the derivation arrives at first by a rule of composition; 0 where nothing had to be derived."""
    return lasts(derivation, rule)[0]


def lasts(derivation: Derivation, rule: str) -> list[tuple[str, ...]]:
    """All that it arrives at by a rule."""
    found = [each for each in derivation.conclusions if each.rule == rule]
    assert all(derivation.steps[each.step].result == each.result for each in found)
    return [each.result for each in found] or [("0", "0") if rule else ("0",)]


@pytest.mark.parametrize("page", PAGES)
def test_each_number_follows_from_earlier_ones_by_the_rule_of_its_step(page: str) -> None:
    for function in functions(page):
        rules = {rule.name for rule in function.explanation.rules}
        for derivation in function.explanation.derivations:
            for place, step in enumerate(derivation.steps):
                assert step.rule in rules
                assert all(earlier < place for earlier in (*step.premises, *step.reasons))
                before = [derivation.steps[premise] for premise in step.premises]
                assert follows(step, before), f"step {place + 1} of {derivation.parameters} of {function}: {step}"


class Numbers(dict[str, Any]):
    """A number for each name that stands in a formula, the same whenever it stands there."""

    def __missing__(self, name: str) -> float:
        return 0.25 + sum(map(ord, name)) % 89 / 127


KNOWN = {
    "Abs": abs,
    "Max": max,
    "sqrt": math.sqrt,
    "log": math.log,
    "exp": math.exp,
    "tanh": math.tanh,
    "ceiling": math.ceil,
    "oo": math.inf,
}


NAMED = (
    rf"\b(?!(?:{'|'.join(KNOWN)}|Min|Piecewise|Sum)\b)[^\W\d]\w*(?:\((?:[^()]|\([^()]*\))*\)|\[[^\]]*\])(?:'\d*)?"
    r"|\b[^\W\d]\w*'\d*|\((?!\d+\*)[^()]*(?:[?[]|==)[^()]*\)|\((?!\()[^…\s]*…\)"
)
"""Names that are more than a word: sizes such as ``length(v)``, and numbers that are computed, of which those that no
claim names are called by their text."""


def value(formula: str) -> float:
    """A formula at some numbers, in L1 where the norm is open; what has a name is a number like any."""
    formula = re.sub(r"\(([^()]*(?:\([^()]*\))?) in L1, [^:]*? in L2, [^:]*? in LInf\)", r"(\1)", formula)
    named = re.sub(NAMED, lambda m: re.sub(r"\W", "_", m[0]), formula)
    return float(eval(re.sub(r"\bdel\b", "del_", named), {"__builtins__": {}}, Numbers(KNOWN)))


def follows(step: Step, before: list[Step]) -> bool:
    """Whether the result of a step is what its rule makes of those before."""
    if any("Sum(" in formula for each in (step, *before) for formula in (*each.result, *each.factors)):
        return True  # no number
    result, factors = [value(each) for each in step.result], [value(each) for each in step.factors]
    premises = [[value(each) for each in premise.result] for premise in before]
    if len(result) in (2, 4):
        return cost_follows(step, result, factors, premises)
    assert len(factors) == len(premises) and all(len(premise) == 1 for premise in premises)
    moved = [premise[0] for premise in premises]
    if step.rule == laws.PARAMETER:
        return result == [1] and not moved
    if step.rule == laws.NOTHING_HOLDS:
        return result == [math.inf] and not moved
    if step.rule == laws.A_PERSON:
        return result == [max(1, moved[0])]
    if step.rule == laws.WHOLE_PERSONS:
        return result == [math.ceil(moved[0])]
    if step.rule == laws.ROUNDED:
        return math.ceil(moved[0]) <= result[0] <= moved[0] + 1
    if step.rule == laws.LARGEST:
        return result[0] >= moved[0]
    if step.rule in (laws.CAP, laws.IN_LINF, laws.RECORDS):
        return result[0] <= moved[0]
    if step.rule in (laws.BRANCH, laws.ITEMS):
        return close(result[0], max(moved))
    assert step.rule in TABLE or step.rule in laws.LAWS
    parts = list(map(float.__mul__, factors, moved))
    if step.rule in (laws.FURTHEST, laws.TURNS):
        return close(result[0], max(parts))
    if step.rule == LITERAL:
        return any(close(result[0], norm) for norm in (sum(parts), math.hypot(*parts), max(parts)))
    return close(result[0], sum(parts))


def cost_follows(step: Step, result: list[float], factors: list[float], premises: list[list[float]]) -> bool:
    """Of a cost that is ε and δ, or ε and δ of what is made once and the account of rounds: T and V."""
    costs = [[*premise, 0.0, 0.0][:4] for premise in premises if len(premise) in (2, 4)]
    epsilon, delta, mean, square = [*result, 0.0, 0.0][:4]
    match step.rule, factors:
        case laws.UNPROTECTED | laws.ROWS_READ, _:
            return epsilon == math.inf
        case laws.CHARGED, _:
            return epsilon >= 0  # what it costs stands in another derivation
        case laws.SEQUENCE, _:
            return all(map(close, (epsilon, delta, mean, square), map(sum, zip(*costs, strict=True))))
        case laws.CHOICE | laws.DISJOINT | laws.ENTRIES, _:
            return all(map(close, (epsilon, delta, mean, square), map(max, zip(*costs, strict=True))))
        case laws.TOGETHER, _:
            added = sum(cost[0] for cost in costs)
            return max(cost[0] for cost in costs) <= epsilon < added and close(delta, sum(cost[1] for cost in costs))
        case laws.PARALLEL | laws.PLACES, [
            steps
        ]:  # of what is one of several at each part, what it costs at one step stands before
            return close(epsilon, costs[0][0]) or (steps > 1 and epsilon > costs[0][0])
        case laws.BASIC, [rounds]:
            return close(epsilon, rounds * costs[0][0]) and close(delta, rounds * costs[0][1])
        case laws.ROUNDS, [rounds]:
            once, each, before, varied = costs[0]  # of several steps in a round, T and V are at most those of one
            most = (rounds * (once * math.tanh(once / 2) + before), rounds * (once**2 + varied))
            fits = mean <= most[0] * (1 + 1e-9) and square <= most[1] * (1 + 1e-9)
            whole = len(premises) == 1 and step.premises and once and not before
            return epsilon == 0 and close(delta, rounds * each) and fits and (not whole or mean > 0 < square)
        case laws.ADVANCED, [slack]:
            once, each, before, varied = costs[0]
            total = once + before + math.sqrt(2 * varied * math.log(1 / slack))
            return close(epsilon, total) and close(delta, each + slack)
        case laws.TOTAL, [slack]:
            once, each, _, varied = costs[0]
            return close(epsilon, once + 2 * math.sqrt(2 * varied * math.log(1 / slack))) and close(delta, each + slack)
        case laws.SAMPLING, [draws, rows]:
            share = draws / rows
            return close(epsilon, math.log1p(share * math.expm1(costs[0][0]))) and close(delta, share * costs[0][1])
        case laws.SAMPLING_AGAIN, [draws, rows]:
            again = draws * math.log1p(math.expm1(costs[0][0]) / rows)
            grown = costs[0][1] and costs[0][1] * math.expm1(again) / math.expm1(costs[0][0])
            return close(epsilon, again) and close(delta, grown)
        case laws.SAMPLING_EACH, [share]:
            return close(epsilon, math.log1p(share * math.expm1(costs[0][0]))) and close(delta, share * costs[0][1])
        case "gaussian_noise" | "add_normal", [norm, declared, deviations, share]:
            far = [sum(premise[0] for premise in premises) / declared]
            if step.rule == "gaussian_noise":  # it demands that nothing moves it by more than is declared
                far.append(len(premises))
            moved = [norm * each / deviations for each in far]
            return delta == share and any(
                close(epsilon, mu**2 / 2 + mu * math.sqrt(2 * math.log(1 / share))) for mu in moved
            )
        case "sampled_gaussian", [norm, _, deviations, share]:  # a record that is drawn moves it as far as is declared
            mu = norm / deviations
            return delta == share and close(epsilon, mu**2 / 2 + mu * math.sqrt(2 * math.log(1 / share)))
        case "gaussian_noise" | "add_normal", [_, _, 0]:
            return math.isinf(epsilon) and delta == 1
        case laws.SAMPLING | laws.SAMPLING_AGAIN | laws.SAMPLING_EACH, []:
            return epsilon >= max(cost[0] for cost in costs)
        case _, [norm, declared, once, *_]:  # a mechanism, at the distance or at most at the declared one
            distance = sum(premise[0] for premise in premises)
            shares = (distance / declared, len(premises))
            if "'" in step.factors[1]:  # of what the program computes, the end that hides least
                shares = (len(premises),)
            computed = re.search(r"; the change is ([\d/.]+)$", step.why)
            if computed and step.factors[1] == "1":  # a ratio of what the program computes, at its ends
                shares = (value(computed[1]),)
            if "'" in step.factors[1] or _counts_itself(TABLE[step.rule].forms[0]):  # it may move by less than is given
                return epsilon <= norm * once * max(shares)
            exact = 1e-2 if computed and "." in computed[1] else 1e-9  # a long number is shown rounded
            norms = (
                {norm, 1.0} if computed else {norm}
            )  # the change that is told may be that in the other norm, or part
            return any(math.isclose(epsilon, each * once * share, rel_tol=exact) for each in norms for share in shares)
    return False


def _counts_itself(form: Form) -> bool:
    """Whether a mechanism makes something of its input that moves by a factor of its own."""
    return form.applies is not None or (form.noise is not None and form.noise.factor is not PLAIN)


def close(left: float, right: float) -> bool:
    return left == right or math.isclose(left, right, rel_tol=1e-9)
