"""Formulas of reports are read back and compared: never wrongly, and without running anything of them."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from pathlib import Path

import pytest
import sympy

from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Assumptions, Quantity, decide, follows
from dp_lsp.core.evaluate import interval, symbols_of
from dp_lsp.core.formulas import ComparedNumbers, FormulaScope, Order, UnreadableFormula, compare
from dp_lsp.core.notation import SYMPY, Printer
from dp_lsp.engine.check import Engine
from source_tree import ROOT

CONDITIONS = ("0 < eps", "eps < 1", "0 < del < 1", "1 <= k", "0 < s1 < 1", "0 < b/(2*T)", "Ne(T, 0)", "0 < T")
SCOPE = FormulaScope((text, {}) for text in CONDITIONS)
BOTH = ("Max(0, k)*eps", "Max(0, k)*eps*tanh(eps/2) + eps*sqrt(2*Max(0, k)*log(1/s1))")
TWICE = ("2*Max(0, k)*eps", "2*Max(0, k)*eps*tanh(eps) + 2*eps*sqrt(2*Max(0, k)*log(1/s1))")
SAMPLED, SAMPLED_TWICE = (f"log(1 + (exp({eps}) - 1)*b/rows(v))" for eps in ("eps", "2*eps"))


def read(text: str, scope: FormulaScope = SCOPE) -> Quantity:
    found = scope.read(text)
    assert not isinstance(found, UnreadableFormula), (text, found)
    return found


def verdict(old: str, new: str, *conditions: str) -> ComparedNumbers:
    """Of two formulas under some conditions, or under the usual ones."""
    scope = FormulaScope((text, {}) for text in conditions) if conditions else SCOPE
    return compare([read(old, scope)], [read(new, scope)], scope)


def order(old: str, new: str, *conditions: str) -> Order:
    return verdict(old, new, *conditions).order


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ("eps", "2*eps"),
        ("1/3", "0.34"),
        ("1e-5", "1/99999"),
        ("3", "oo"),
        ("k", "k**2"),
        ("eps", "k*eps"),
        ("sqrt(length(v))", "2*sqrt(length(v))"),
        ("sqrt(rows(m))*eps", "sqrt(2*rows(m))*eps"),
        ("eps/T", "3*eps/T"),
        ("Abs(x)", "2*Abs(x)"),
        ("1/(2*length(v) + 1)", "1/(length(v) + 1)"),
        ("Max(a, b)", "Max(a, b, c)"),
        ("2*epsilon(train, 1)", "3*epsilon(train, 1)"),
        ("Sum(eps**j, (j, 0, k - 1))", "2*Sum(eps**j, (j, 0, k - 1))"),
        (SAMPLED, SAMPLED_TWICE),
        ("3*(k + 1)**(1/4)", "3*(k + 2)**(1/4)"),
        ("Max(1, Abs(c))**(Max(0, k) - 1)*eps", "2*Max(1, Abs(c))**(Max(0, k) - 1)*eps"),
        ("log(2*k/del)", "log(3*k/del)"),
        ("eps/Max(Abs(a), Abs(c))", "2*eps/Abs(a)"),
        ("ceiling(k/5)", "ceiling(k/4)"),
        ("sens(g, 1)**2 + 1", "sens(g, 1)**2 + 2"),
    ],
)
def test_what_is_larger(small: str, large: str) -> None:
    assert (order(small, large), order(large, small)) == (Order.LARGER, Order.SMALLER)
    assert order(small, small) is order(large, large) is Order.SAME


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("k*eps", "eps*k", Order.SAME),
        ("(a + c)**2", "a**2 + 2*a*c + c**2", Order.SAME),
        ("Max(a, c)", "Max(c, a)", Order.SAME),
        ("0.5*x", "x/2", Order.SAME),
        ("2*k", "k**2", Order.MIXED),
        ("length(v)", "rows(m)", Order.MIXED),
        ("sqrt(4*k + 4)", "2*sqrt(k + 1)", Order.SAME),
        ("k", "sqrt(k)", Order.OPEN),
    ],
)
def test_which_is_not_larger(old: str, new: str, expected: Order) -> None:
    found = verdict(old, new)
    assert found.order is expected
    if expected is Order.MIXED:
        assert found.above and found.above.new > found.above.old
        assert found.below and found.below.new < found.below.old


def test_the_least_of_several_counts() -> None:
    once, twice = (list(map(read, each)) for each in (BOTH, TWICE))
    assert compare(once, twice, SCOPE).order is Order.LARGER
    assert compare(twice, once, SCOPE).order is Order.SMALLER
    assert compare(once, once[:1], SCOPE).order is not Order.SAME
    assert compare(once[:1], once, SCOPE).order is Order.SMALLER


def test_conditions_decide() -> None:
    assert order("k*eps", "eps", "a < b") is Order.MIXED
    assert order("eps/sigma", "2*eps/sigma", "0 < sigma", "0 < eps") is Order.LARGER
    assert order("1/length(v)", "1", "0 <= x") is not Order.SMALLER, "it may be empty"
    scope = FormulaScope((text, {}) for text in ("eps/2 < 1", "3 <= k", "1 < a - b"))
    for text, expected in (
        ("eps < 2", True),
        ("eps < 1", False),
        ("eps <= 3", True),
        ("1 < k", True),
        ("4 <= k", False),
        ("0 <= 2*a - 2*b", True),
        ("b < a", True),
        ("a < b", False),
        ("Ne(2*k, 0)", True),
        ("Ne(k, 3)", False),
        ("Ne(eps, 2)", True),
        ("Ne(eps, 1)", False),
        ("Ne(a, b)", True),
        ("0 < k < 3", False),
    ):
        wanted = scope.read_relations(text)
        assert not isinstance(wanted, UnreadableFormula)
        assert all(follows(each, scope.conditions) for each in wanted) is expected, text


def formula(chance: random.Random, depth: int) -> str:
    """A formula that is never negative."""
    if depth == 0:
        return chance.choice(["eps", "k", "del", "s1", "rows(v)", "2", "1/3", "x"])
    one, other = (formula(chance, depth - 1) for _ in range(2))
    ways = (
        f"({one} + {other})", f"{one}*({other})", f"({one})**2", f"sqrt({one})", f"Max({one}, {other})",
        f"Min({one}, {other})", f"log(1 + {one})", f"tanh({one})", f"({one})/rows(v)", f"(exp({one}) - 1)",
        f"log(1/s1)*({one})", f"ceiling({one})", f"Abs({one})",
    )  # fmt: skip
    return chance.choice(ways)


def test_what_is_proved_holds_wherever_one_looks() -> None:
    chance = random.Random(1)
    proved = 0
    for _ in range(400):
        old, new = (SCOPE.read(formula(chance, chance.randint(0, 2))) for _ in range(2))
        if isinstance(old, UnreadableFormula) or isinstance(new, UnreadableFormula):
            continue
        symbols = symbols_of(old) | symbols_of(new)
        if any(map(SCOPE.is_made_up, symbols)) or compare([old], [new], SCOPE).order not in (Order.SAME, Order.SMALLER):
            continue
        proved += 1
        for _ in range(20):
            at = {each: chance.uniform(0, 1) if each.name in ("eps", "del", "s1") else chance.uniform(1, 9)
                  for each in symbols}  # fmt: skip
            at |= {each: chance.uniform(-3, 3) for each in symbols if each.name == "x"}
            was, now = (interval(each, {s: Fraction(v) for s, v in at.items()}) for each in (old, new))
            assert was.high is None or now.low <= was.high or was.low < 0, (old, new, at)
    assert proved > 15


def test_what_reports_say_is_read_as_sympy_reads_it() -> None:
    texts: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for name in ("dp_sgd", "gd_total", "metrics", "mwem", "noisy_mean", "threshold"):
        path = Path(ROOT, "fixtures", "programs", f"{name}.jl")
        for function in Engine().check(path.read_text("utf-8")).functions:
            conditions = [(each.formula, {}) for each in function.conditions if each.formula]
            assert all(not isinstance(FormulaScope().read_relations(*each), UnreadableFormula) for each in conditions)
            free = [(each.range, {}) for bound in function.bounds for each in bound.free]
            found = [each for p in function.parameters for each in (p.sensitivity, p.epsilon, p.delta)]
            found += [each for bound in function.bounds for each in (bound.epsilon, bound.delta)]
            texts |= {each: [*conditions, *free] for each in found if each and not each.startswith(("Min", "Piece"))}
    compared = 0
    for text, known in texts.items():
        scope = FormulaScope(known)
        value = scope.read(text)
        assert not isinstance(value, UnreadableFormula), (text, value)
        symbols = sorted(symbols_of(value), key=lambda each: each.name)
        if text == "oo" or any(map(scope.is_made_up, symbols)):
            continue
        compared += 1
        at = {each: Fraction(9, 10 * (n + 2)) for n, each in enumerate(symbols)}
        numbers = {sympy.sympify(re.sub(r"\bdel\b", "del_", each.name)): float(at[each]) for each in symbols}
        expected = sympy.sympify(re.sub(r"\bdel\b", "del_", text)).subs(numbers)  # a keyword where sympy reads it
        found = interval(value, at)
        assert found.high is not None and float(found.high) == pytest.approx(float(expected), rel=1e-9), text
    assert compared > 10


FUNCTIONS = {"sqrt": math.sqrt, "log": math.log, "exp": math.exp, "tanh": math.tanh, "ceiling": math.ceil}
FUNCTIONS |= {"Max": max, "Min": min, "Abs": abs}


WAYS = (
    "1/(1/({0}))", "{0}/({1}/({2}))", "1/Max({0}/({1}), {2})", "(({0})*({1}))**3", "{0} + 1/({1})", "{1}/Max(1/x, 0)",
    "({1}*Max(k/x, 0))**3",
)  # fmt: skip


def as_name(text: str) -> str:
    return "_".join(re.findall(r"\w+", f"of {text}"))


def test_what_is_printed_is_what_is_meant() -> None:
    """Python reads it, which has the same signs: nothing that is divided by, or raised, stands without brackets."""
    chance = random.Random(3)
    compared = 0
    for _ in range(600):
        parts = [formula(chance, chance.randint(0, 2)) for _ in range(3)]
        way = chance.choice(WAYS)
        value = SCOPE.read(way.format(*parts))
        if isinstance(value, UnreadableFormula) or any(map(SCOPE.is_made_up, symbols_of(value))):
            continue
        at = {
            each: Fraction(chance.randint(1, 8), 9 if each.name in ("eps", "del", "s1") else 2)
            for each in symbols_of(value)
        }
        text = Printer(SYMPY, Assumptions(all_nonnegative=True)).quantity(value)
        for name in sorted((each.name for each in at), key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", as_name(name), text)
        names = {as_name(each.name): float(number) for each, number in at.items()}
        try:
            found = eval(text, {**FUNCTIONS, **names})
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        known = interval(value, at)
        if known.low is not None and known.high is not None and known.high < 10**9:
            compared += 1
            assert float(known.low) == pytest.approx(found, rel=1e-6) == float(known.high), (text, at)
    assert compared > 200


@pytest.mark.parametrize(
    "text",
    [
        "", "(", "1 +", "f()", "a.b", "a b", "[1]", "{1}", "1 if x else 2", "lambda: 1", "__import__('os').system('x')",
        "a < b", "x" * 60_000, "(" * 5_000 + "1" + ")" * 5_000, "2**" * 5_000 + "2", "f(" * 5_000 + "1" + ")" * 5_000,
        "9" * 500, "1e9999", "x\0",
    ],
)  # fmt: skip
def test_what_is_no_formula(text: str) -> None:
    assert isinstance(FormulaScope().read(text), UnreadableFormula)


def test_a_parameter_may_be_called_like_infinity() -> None:
    assert isinstance(FormulaScope((), ["oo"]).read("2*oo"), UnreadableFormula)
    assert read("oo", FormulaScope()) == read("Max(3, oo)", FormulaScope())


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("exp(1e30)", True, False), ("3 - exp(1e30)", False, True), ("1/exp(1e30)", True, True),
        ("1/(3 - exp(1e30))", False, False), ("exp(1e30) - exp(2e30)", False, False),
        ("Abs(3 - exp(1e30))", True, False), ("Max(0, 3 - exp(1e30))", True, True),
    ],
)  # fmt: skip
def test_an_end_that_is_too_large_to_be_computed_is_none(text: str, low: bool, high: bool) -> None:
    found = interval(read(text), {})
    assert (found.low is not None, found.high is not None) == (low, high)
    assert found.low is None or found.high is None or found.low <= found.high
    assert decide(Poly.of(1), "<=", read("3 - exp(1e30)")) is None


def test_hostile_formulas_end() -> None:
    tower = "2**10**10**10"
    assert order(tower, "1") in (Order.OPEN, Order.SMALLER, Order.MIXED)
    wide = " + ".join(f"a{n}*b{n}" for n in range(800))
    assert isinstance(SCOPE.read(f"({wide})**8"), UnreadableFormula)
    assert order(wide, "x") is not Order.SMALLER
    assert isinstance(SCOPE.read(" + ".join(f"a{n}" for n in range(9_000))), UnreadableFormula)
    assert isinstance(SCOPE.read("Sum(Sum(x**j, (j, 0, 999999999)), (j, 0, 999999999))"), UnreadableFormula)
    assert order("-" * 3_000 + "x", "x") is Order.SAME


def test_a_factor_of_a_long_sum_is_one_of_all_its_terms() -> None:
    """A sum of more terms than are multiplied out is one number by itself."""
    names = [f"c{index}" for index in range(65)]
    public, terms = (", ".join(f"{name}::Static()" for name in names), " + ".join(f"{name} * x" for name in names))
    once, twice = (Engine().check(f"f(x::Real, {public}) = {of}\n").functions[0] for of in (terms, f"2 * ({terms})"))
    inside = " + ".join(sorted(f"Abs({name})" for name in names))
    assert (once.parameters[0].sensitivity, twice.parameters[0].sensitivity) == (inside, f"2*({inside})")
