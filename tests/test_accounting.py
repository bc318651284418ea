"""What is charged for composed and sampled releases, against figures that were computed independently."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy

from dp_lsp.analysis.records import Options, Setting
from dp_lsp.analysis.rows import BoundReport
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import report

LOOP = """
function f(x::Real) :: Priv()
    y = 0.0
    for i in 1:{rounds}
        y = y + laplacian_mechanism(1, {epsilon}, x)
    end
    y
end
"""

SAMPLE = """
function f(A::Matrix{{<:Data}}, B::Matrix{{<:Data}}) :: Priv()
    C = unbox(rows(A), Matrix{{<:Data}}, (10, 3))
    (D, L) = sample({draws}, A, B)
    v = undisc_container(clip(L1, D[1, :]))
    w = undisc_container(clip(L1, {second}[1, :]))
    a = laplacian_mechanism(2, {epsilon}, v)
    b = laplacian_mechanism(2, {epsilon}, w)
    (a, b)
end
rows(A)::BlackBox() = A
"""


def bounds(program: str, profile: str = "sound") -> dict[tuple[tuple[str, ...], str], BoundReport]:
    """The bounds of the first function of a program, by parameters and rule."""
    function = Engine().check(program, Options(profile)).functions[0]
    return {(bound.parameters, bound.rule): bound for bound in function.bounds}


def value(formula: str, **numbers: float) -> float:
    """A formula in SymPy syntax at some numbers; ``rows(A)`` is given as ``rows_A``."""
    parsed = sympy.sympify(formula.replace("rows(A)", "rows_A"))
    return float(parsed.subs(numbers))


@pytest.mark.parametrize(
    ("epsilon", "rounds", "basic", "advanced", "published"),
    [
        (0.01, 100, 1, 0.5307, 1.0513),
        (0.01, 1000, 10, 1.7123, 3.3245),
        (0.1, 10, 1, 1.7122, 3.3245),
        (0.1, 100, 10, 5.7561, 10.513),
        (0.1, 1000, 100, 21.618, 33.245),
        (0.5, 50, 25, 24.708, 37.169),
        (1, 10, 10, 21.244, 33.245),
        (1, 100, 100, 98.777, 105.13),
        (1, 1000, 1000, 628.34, 332.45),
    ],
)
def test_composition_of_pure_steps(
    epsilon: float, rounds: int, basic: float, advanced: float, published: float
) -> None:
    program = LOOP.format(epsilon=epsilon, rounds=rounds)
    sound = bounds(program)
    assert value(sound[("x",), "basic"].epsilon) == pytest.approx(basic)
    assert sound[("x",), "basic"].delta == "0"
    assert value(sound[("x",), "advanced"].epsilon, s1=1e-6) == pytest.approx(advanced, rel=1e-4)
    assert sound[("x",), "advanced"].delta == "s1"
    formula = bounds(program, "published")[("x",), "published"]
    assert value(formula.epsilon, s1=1e-6) == pytest.approx(published, rel=1e-4)


def test_one_round_is_not_composed() -> None:
    assert bounds(LOOP.format(epsilon=0.3, rounds=1)).keys() == {(("x",), "basic")}


@pytest.mark.parametrize(("draws", "rows", "epsilon"), [(1, 10, 1.0), (2, 7, 0.3), (5, 5, 2.0)])
def test_sampling_amplifies_the_joint_cost(draws: int, rows: int, epsilon: float) -> None:
    """Two releases of one sample are added up before they are amplified, even if each sees one matrix only."""
    for second in ("D", "L"):
        found = bounds(SAMPLE.format(draws=draws, epsilon=epsilon, second=second))
        expected = math.log1p(draws / rows * math.expm1(2 * epsilon))
        for name in ("A", "B"):
            assert value(found[(name,), "basic"].epsilon, rows_A=rows) == pytest.approx(expected)
        assert value(found[("A", "B"), "basic"].epsilon, rows_A=rows) == pytest.approx(expected)


def test_a_sample_of_one_row_in_ten_costs_no_less_than_the_truth() -> None:
    """One row of ten, ε 1 on each matrix: a change of one matrix truly costs 0.3355, and of a pair of rows 0.494."""
    found = bounds(SAMPLE.format(draws=1, epsilon=1, second="L"))
    assert value(found[("A",), "basic"].epsilon, rows_A=10) >= 0.3355
    assert value(found[("A", "B"), "basic"].epsilon, rows_A=10) == pytest.approx(0.4940, abs=1e-4)


GAUSSIAN = """
function once(x::Real) :: Priv()
    gaussian_mechanism(1, 0.1, 1e-6, x)
end

function f(x::Real) :: Priv()
    once({argument})
end
"""


@pytest.mark.parametrize(
    ("argument", "epsilon", "delta"),
    [
        ("x", 0.1, 1e-6),
        ("x / 2", 0.05, 1e-6),
        ("2 * x", 0.2, 1e-6),
        ("9.9 * x", 0.99, 1e-6),
        ("10 * x", 1, 1e-6),
        ("10.5 * x", 1.05, 1e-6 * sum(math.exp(1.05 / 11 * i) for i in range(11))),
        ("100 * x", 10, 1e-6 * math.expm1(10) / math.expm1(0.1)),
        ("3 + 0 * x", 0, 0),
    ],
)
def test_a_private_function_at_another_distance(argument: str, epsilon: float, delta: float) -> None:
    """The noise is made for ε·distance while that is at most 1; beyond, it is a group of steps that are equal."""
    function = Engine().check(GAUSSIAN.format(argument=argument)).functions[1]
    parameter = function.parameters[0]
    assert value(parameter.epsilon or "") == pytest.approx(epsilon)
    assert value(parameter.delta or "") == pytest.approx(delta)


TWICE = """
function two(x::Real, y::Real) :: Priv()
    a = gaussian_mechanism(1, 0.1, 1e-6, x)
    b = laplacian_mechanism(2, 0.4, x + y)
    (a, b)
end

f(z::Real) :: Priv() = two(z, z)
"""


def test_a_variable_in_two_private_arguments_pays_at_the_sum_of_its_distances() -> None:
    function = Engine().check(TWICE).functions[1]
    assert function.parameters[0].epsilon == "1/2"  # Gaussian at 1, Laplace at 2 against a declared 2
    assert function.parameters[0].delta == "1/1000000"


@pytest.mark.parametrize("number", [Fraction(1, 3), Fraction(1, 10), Fraction(2, 7), Fraction(1, 4)])
def test_a_number_that_is_shown_is_not_below_the_bound(number: Fraction) -> None:
    """The nearest float of a third lies below it; what is reported must not."""
    program = "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)"
    made = Engine().check(program, Options(settings=(Setting(None, "eps", number),)))
    assert made.functions[0].numeric[0].epsilon == number
    shown = Fraction(report([("a.jl", made)], "sound")["files"][0]["functions"][0]["numeric"][0]["epsilon"])
    assert number <= shown <= number * (1 + Fraction(1, 2**50))


LOOPS = """
function f(x::Real, e::Static(), a::Static(), b::Static()) :: Priv()
    first = laplacian_mechanism(1, e, x)
    y = 0.0
    for i in 1:40
        y = y + laplacian_mechanism(1, a, x)
    end
    for i in 1:60
        y = y + laplacian_mechanism(1, b, x) + laplacian_mechanism(1, b, x)
    end
    y + first
end
"""


def test_the_rounds_of_all_loops_are_one_account_and_what_is_made_once_is_added() -> None:
    """In the account, ε = 1 once beside small rounds would cost more than ε."""
    found = bounds(LOOPS)[("x",), "advanced"]
    e, a, b, slack = 1.0, 0.01, 0.02, 1e-6
    mean = 40 * a * math.tanh(a / 2) + 120 * b * math.tanh(b / 2)
    expected = e + mean + math.sqrt(2 * (40 * a**2 + 120 * b**2) * math.log(1 / slack))
    assert value(found.epsilon, e=e, a=a, b=b, s1=slack) == pytest.approx(expected)
    assert found.delta == "s1" and [each.name for each in found.free] == ["s1"]


NOISY = """
function f(x::Real, eps::Static(), del::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + gaussian_mechanism(1, eps, del, x)
    end
    y
end
"""


def test_gaussian_steps_are_one_gaussian() -> None:
    """The golden values of a hundred steps, ε 0.1 and δ 1e-6 each."""
    found = bounds(NOISY)
    numbers = {"eps": 0.1, "del_": 1e-6, "k": 100}
    own = {name: formula.replace("del", "del_") for bound in found.values() for name, formula in bound.own}
    assert value(own["mu"], **numbers) == pytest.approx(0.18872188)
    assert value(own["rho"], **numbers) == pytest.approx(0.18872188**2 / 2)
    assert found[("x",), "zcdp"].epsilon == found[("x",), "gaussian"].epsilon
    pair = value(found[("x",), "gaussian"].epsilon.replace("del", "del_"), **numbers, s1=1e-6)
    rho = 0.18872188**2 / 2
    assert pair == pytest.approx(rho + 2 * math.sqrt(rho * math.log(1e6)))


@pytest.mark.parametrize(
    ("release", "rho", "aside"),
    [
        ("laplacian_mechanism(1, 0.5, x)", 0.1224593, None),
        ("exponential_mechanism(1, 0.5, [1.0, 2.0], c -> abs(c - x))", 0.5**2 / 8, None),
    ],
)
def test_concentrated_privacy_of_rounds(release: str, rho: float, aside: str | None) -> None:
    program = f"function f(x::Real) :: Priv()\n y = 0.0\n for i in 1:10\n y = {release}\n end\n y\nend"
    own = dict(bounds(program)[("x",), "zcdp"].own)
    assert value(own["rho"]) == pytest.approx(10 * rho, rel=1e-6) and own.get("rho_delta") == aside


def test_concentrated_privacy_of_one_of_several_is_the_largest() -> None:
    rounds = "for i in 1:9\n y = y + laplacian_mechanism(1, {}, x)\n end"
    for one, other in ((0.1, 1), (1, 0.1)):
        program = f"function f(x::Real, c::Static()) :: Priv()\n y = 0.0\n if c > 0\n {rounds.format(one)}\n else\n"
        own = dict(bounds(f"{program} {rounds.format(other)}\n end\n y\nend")[("x",), "zcdp"].own)
        assert value(own["rho"]) == pytest.approx(9 * math.tanh(0.5))


def own_numbers(program: str, rule: str) -> dict[str, float]:
    """What a measure counts in, of the first parameter."""
    found = [bound for (names, by), bound in bounds(program).items() if by == rule and names[0] in ("x", "A")]
    return {name: value(formula) for name, formula in found[0].own} if found else {}


def test_gaussian_noise_adds_up_and_of_several_the_largest_counts() -> None:
    noise = "gaussian_noise(1, {}, x)"
    program = (
        f"function f(x::Real, c::Static()) :: Priv()\n a = {noise.format(1)}\n b = {noise.format(0.5)}\n a + b\nend"
    )
    assert own_numbers(program, "gaussian")["mu"] == pytest.approx(math.sqrt(5))
    for one, other in ((1, 4), (4, 1)):
        either = f"f(x::Real, c::Static()) :: Priv() = c > 0 ? {noise.format(one)} : {noise.format(other)}"
        assert own_numbers(either, "gaussian")["mu"] == pytest.approx(1)


PAST = """
function f(A::Matrix{{<:Data}}, B::Matrix{{<:Data}}) :: Priv()
    (D, L) = sample(1, A, B)
    y = 0.0
    for i in 1:9
        y = y + gaussian_noise(2, 4, sum(undisc_container(clip(L1, {}[1, :]))))
    end
    y
end
"""


def test_what_goes_past_a_sample_is_gaussian_and_what_goes_through_it_is_not() -> None:
    assert own_numbers(PAST.format("A"), "gaussian")["mu"] == pytest.approx(3 / 4)
    assert own_numbers(PAST.format("D"), "gaussian") == {}
    assert own_numbers(PAST.format("A"), "zcdp")["rho"] == pytest.approx(9 / 32)


def test_a_loop_past_a_sample_is_composed_and_in_both_ways_a_group() -> None:
    pure = PAST.replace("gaussian_noise(2, 4,", "laplacian_mechanism(2, 0.1,")
    spread = 0.9 * math.tanh(0.05) + math.sqrt(0.18 * math.log(1e6))
    assert value(bounds(pure.format("A"))[("A",), "advanced"].epsilon, s1=1e-6) == pytest.approx(spread)
    drawn = "z = laplacian_mechanism(2, 1, sum(undisc_container(clip(L1, D[1, :]))))\n    y = 0.0"
    own = dict(bounds(PAST.format("A").replace("y = 0.0", drawn))[("A",), "zcdp"].own)
    sampled = math.log1p(math.expm1(1) / 10)
    ways = math.sqrt(sampled * math.tanh(sampled / 2)) + math.sqrt(9 / 32)
    assert value(own["rho"], rows_A=10) == pytest.approx(ways**2)


def test_a_changed_row_is_two_steps_of_concentrated_privacy() -> None:
    sampled = "(D, L) = sample_poisson(1, A, B)\n (rows, columns) = size(D)\n y = y + laplacian_mechanism(1, 0.5, rows)"
    program = (
        f"function f(A::Matrix{{<:Data}}, B::Matrix{{<:Data}}) :: Priv()\n y = 0.0\n for i in 1:9\n {sampled}\n end\n"
    )
    assert own_numbers(f"{program} y\nend", "zcdp")["rho"] == pytest.approx(9 * math.tanh(0.5))


def test_only_gaussian_noise_is_gaussian() -> None:
    listed = bounds(NOISY.replace("y + gaussian", "y + laplacian_mechanism(1, eps, x) + gaussian"))
    assert (("x",), "gaussian") not in listed and (("x",), "zcdp") in listed
    assert (("x",), "zcdp") not in bounds("f(x::Real) :: Priv() = laplacian_mechanism(1, 0.1, x)")


CHOOSING = """
function g(x::Real, y::Real) :: Priv()
    z = 0.0
    for i in 1:9
        z = z + laplacian_mechanism(2, 0.1, x + y)
    end
    z
end

f(x::Real, y::Real) :: Priv() = g(x, y)

h(x::Real, y::Real) :: Priv() = g(x, y)
"""


def test_what_is_to_be_chosen_is_told_wherever_it_stands() -> None:
    for function in Engine().check(CHOOSING).functions:
        for bound in function.bounds:
            assert ("s1" in bound.epsilon) == ("s1" in [each.name for each in bound.free]), (function.name, bound)
