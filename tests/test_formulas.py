"""Formulas of reports are read back and compared: never wrongly, and without running anything of them."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path

import pytest
import sympy

from dp_lsp.core.comparing import Order, compare, follows
from dp_lsp.core.formulas import Formula, Unreadable, read, relations, value, variables
from dp_lsp.engine.check import Engine
from source_tree import ROOT

CONDITIONS = [
    relation
    for text in ("0 < eps", "eps < 1", "0 < del < 1", "1 <= k", "0 < s1 < 1", "0 < b/(2*T)", "Ne(T, 0)", "0 < T")
    for relation in relations(text)
]
BOTH = "Min(Max(0, k)*eps, Max(0, k)*eps*tanh(eps/2) + eps*sqrt(2*Max(0, k)*log(1/s1)))"
TWICE = "Min(2*Max(0, k)*eps, 2*Max(0, k)*eps*tanh(eps) + 2*eps*sqrt(2*Max(0, k)*log(1/s1)))"
SAMPLED, SAMPLED_TWICE = (f"log(1 + (exp({eps}) - 1)*b/rows(v))" for eps in ("eps", "2*eps"))
DELTA = "Piecewise((Max(0, k)*del, eps <= k), (Max(0, k)*del + s1, True))"


def order(old: str, new: str) -> Order:
    return compare(read(old), read(new), CONDITIONS).order


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
        ("Min(a, b, c)", "Min(a, b)"),
        ("2*epsilon(train, 1)", "3*epsilon(train, 1)"),
        ("Sum(eps**j, (j, 0, k - 1))", "2*Sum(eps**j, (j, 0, k - 1))"),
        (BOTH, TWICE),
        (SAMPLED, SAMPLED_TWICE),
        (DELTA, DELTA.replace("+ s1", "+ 2*s1")),
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
def test_what_is_not(old: str, new: str, expected: Order) -> None:
    verdict = compare(read(old), read(new), CONDITIONS)
    assert verdict.order is expected
    if expected is Order.MIXED:
        assert verdict.above and verdict.above.new > verdict.above.old
        assert verdict.below and verdict.below.new < verdict.below.old


def test_conditions_decide() -> None:
    assert compare(read("k*eps"), read("eps"), []).order is Order.MIXED
    assert compare(read("eps/sigma"), read("2*eps/sigma"), relations("0 < sigma")).order is Order.LARGER
    known = relations("eps/2 < 1") + relations("3 <= k")
    for text, expected in (
        ("eps < 2", True),
        ("eps < 1", False),
        ("eps <= 3", True),
        ("1 < k", True),
        ("4 <= k", False),
    ):
        assert all(follows(each, known) for each in relations(text)) is expected
    for text, expected in (("Ne(2*k, 0)", True), ("Ne(k, 3)", False), ("Ne(eps, 2)", True), ("Ne(eps, 1)", False)):
        assert all(follows(each, known) for each in relations(text)) is expected


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
        old, new = (read(formula(chance, chance.randint(0, 2))) for _ in range(2))
        if compare(old, new, CONDITIONS).order not in (Order.SAME, Order.SMALLER):
            continue
        proved += 1
        for _ in range(20):
            at = {name: chance.uniform(0, 1) if str(name.text) in ("eps", "del", "s1") else chance.uniform(1, 9)
                  for name in [*variables(old), *variables(new)] if hasattr(name, "text")}  # fmt: skip
            at |= dict.fromkeys((each for each in [*variables(old), *variables(new)] if each not in at), 4.0)
            at |= {each: chance.uniform(-3, 3) for each in at if each == read("x")}
            try:
                was, now = value(old, at), value(new, at)
            except (ArithmeticError, ValueError):
                continue
            assert now <= was + 1e-9 * max(1.0, abs(was)) or was < 0, (old, new, at)
    assert proved > 15


def test_what_reports_say_is_read_as_sympy_reads_it() -> None:
    texts = set()
    for name in ("dp_sgd", "gd_total", "metrics", "mwem", "noisy_mean", "threshold"):
        path = Path(ROOT, "fixtures", "programs", f"{name}.jl")
        for function in Engine().check(path.read_text("utf-8")).functions:
            texts |= {each for p in function.parameters for each in (p.sensitivity, p.epsilon, p.delta) if each}
            for condition in function.conditions:
                assert condition.formula is None or relations(condition.formula)
    assert len(texts) > 10
    for text in (re.sub(r"\bdel\b", "del_", each) for each in texts):  # a keyword where sympy reads it
        found = read(text)
        at: dict[Formula, float] = {each: 0.9 / (n + 2) for n, each in enumerate(dict.fromkeys(variables(found)))}
        names = {str(sympy.sympify(shown(each))): number for each, number in at.items()}
        expected = sympy.sympify(text)
        numbers = {sympy.sympify(name): number for name, number in names.items()}
        assert value(found, at) == pytest.approx(float(expected.subs(numbers)), rel=1e-9) or math.isinf(
            value(found, at)
        )


def shown(variable: Formula) -> str:
    from dp_lsp.core.comparing import written

    return written(variable)


@pytest.mark.parametrize(
    "text",
    [
        "", "(", "1 +", "f()", "a.b", "a b", "[1]", "{1}", "1 if x else 2", "lambda: 1", "__import__('os').system('x')",
        "a < b", "x" * 60_000, "(" * 5_000 + "1" + ")" * 5_000, "2**" * 5_000 + "2", "f(" * 5_000 + "1" + ")" * 5_000,
        "9" * 500, "1e9999", "x\0",
    ],
)  # fmt: skip
def test_what_is_no_formula(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


def test_hostile_formulas_end() -> None:
    tower = read("2**10**10**10")
    assert compare(tower, read("1"), []).order in (Order.OPEN, Order.SMALLER, Order.MIXED)
    wide = " + ".join(f"a{n}*b{n}" for n in range(800))
    assert compare(read(wide), read(f"({wide})**8"), []).order is not Order.SMALLER
    nested = "Sum(Sum(x**j, (j, 0, 999999999)), (j, 0, 999999999))"
    assert compare(read(nested), read("x"), []).order is Order.OPEN
    assert compare(read("-" * 3_000 + "x"), read("x"), []).order is Order.SAME


def test_a_factor_of_a_long_sum_is_one_of_all_its_terms() -> None:
    """A sum of more terms than are multiplied out is one number by itself."""
    names = [f"c{index}" for index in range(65)]
    public, terms = (", ".join(f"{name}::Static()" for name in names), " + ".join(f"{name} * x" for name in names))
    once, twice = (Engine().check(f"f(x::Real, {public}) = {of}\n").functions[0] for of in (terms, f"2 * ({terms})"))
    inside = " + ".join(sorted(f"Abs({name})" for name in names))
    assert (once.parameters[0].sensitivity, twice.parameters[0].sensitivity) == (inside, f"2*({inside})")
