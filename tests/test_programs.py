"""Whole programs: their reports, and the figures in them that are known from elsewhere."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy

from dp_lsp.cli import main
from source_tree import ROOT

FOLDER = ROOT / "fixtures" / "programs"
SETTINGS = ["eps=0.2", "del=0.2", "k=1000", "b=2000", "rows(data)=48000"]
VARIANTS = {
    "dp_sgd.published": ["--profile", "published"],
    "dp_sgd.set": [part for setting in SETTINGS for part in ("--set", setting)],
    "dp_sgd_poisson.add_remove": [
        *("--config", "fixtures/programs/add-remove.toml", "--target-delta", "1e-5"),
        *(part for setting in ("q=0.01", "sigma=4", "k=10000") for part in ("--set", setting)),
    ],
    "dp_sgd_poisson.sixty_epochs": [
        *("--config", "fixtures/programs/add-remove.toml", "--target-delta", "1e-5"),
        *(part for setting in ("q=256/60000", "sigma=1.1", "k=14062") for part in ("--set", setting)),
    ],
    "gd_noise.steps_of_rho": ["--set", "sigma=10", "--set", "k=100", "--target-delta", "1e-6"],
    "gd_noise.steps_at_order_10": ["--set", "sigma=10", "--set", "k=20", "--target-delta", "1e-5"],
    "advanced_composition.published": ["--profile", "published"],
    **{
        f"{name}.published": ["--profile", "published"]
        for name in ("cdf", "column_mean", "gd_full", "histogram", "hyperparameters", "parallel_epoch", "threshold")
    },
}
REPORTS = sorted(path.stem for path in FOLDER.glob("*.jl")) + sorted(VARIANTS)

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def report(capsys: pytest.CaptureFixture[str], name: str) -> Json:
    """What ``dp-lsp check`` says of a program, in a variant, without the version of the tool."""
    program = Path("fixtures", "programs", f"{name.split('.')[0]}.jl")
    main(["check", "--output-format", "json", "--fixes", *VARIANTS.get(name, []), str(program)])
    result: Json = json.loads(capsys.readouterr().out)
    del result["tool"]
    return result


def function(result: Json, name: str) -> Json:
    found: Json = next(each for each in result["files"][0]["functions"] if each["name"] == name)
    return found


def parameter(result: Json, name: str, of: str) -> Json:
    found: Json = next(each for each in function(result, of)["parameters"] if each["name"] == name)
    return found


def codes(result: Json) -> list[str]:
    return [diagnostic["code"] for diagnostic in result["files"][0]["diagnostics"]]


@pytest.mark.parametrize("name", REPORTS)
def test_report(name: str, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> None:
    found = report(capsys, name)
    path = FOLDER / f"{name}.json"
    if request.config.getoption("--update"):
        path.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == json.loads(path.read_text(encoding="utf-8"))


# Formulas

VALUES = {
    "eps": (0.01, 0.99),
    "del": (1e-6, 0.99),
    "k": (0, 50),
    "b": (1, 40),
    "s1": (1e-6, 0.99),
    "rows(data)": (40, 1000),
}
_RANDOM = random.Random(7)


def points(count: int = 40) -> list[dict[str, Fraction]]:
    """Values for all the variables of the training loop, the same at each run."""
    return [
        {
            name: Fraction(_RANDOM.randint(low, high))
            if isinstance(low, int)
            else Fraction(repr(_RANDOM.uniform(low, high)))
            for name, (low, high) in VALUES.items()
        }
        for _ in range(count)
    ]


def value(formula: str, point: dict[str, Fraction]) -> Any:
    """A formula of a report at a point, exactly as SymPy reads it. ``del`` is a word of Python."""
    names = {"rows(data)": "rows_data", "del": "del_"}
    for written, name in names.items():
        formula = formula.replace(written, name)
    numbers = {names.get(name, name): sympy.Rational(number) for name, number in point.items()}
    return sympy.sympify(formula, locals=numbers).evalf(40)


def assert_same(formula: str, oracle: str) -> None:
    for point in points():
        assert abs(value(formula, point) - value(oracle, point)) < sympy.Float("1e-30"), (formula, oracle, point)


@pytest.mark.parametrize("name", ["data", "labels"])
def test_published_bound_of_the_training_loop(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "dp_sgd.published")
    found = parameter(result, name, of="train_dp")
    assert_same(found["epsilon"], "4 * (1/rows(data)) * b * eps * sqrt(2 * log(1/s1) * ceiling(k))")
    assert_same(found["delta"], "(1/rows(data)) * b * del * ceiling(k) + s1")
    bounds = [bound for bound in function(result, "train_dp")["bounds"] if bound["parameters"] == [name]]
    assert [bound["rule"] for bound in bounds] == ["published"]
    assert [(free["name"], free["range"]) for free in bounds[0]["free"]] == [("s1", "0 < s1 <= 1")]
    assert codes(result) == []


@pytest.mark.parametrize("condition", ["0 < eps", "eps < 1", "0 < del", "del < 1", "1 <= b", "2*ceiling(b)/b <= 2"])
def test_published_conditions_of_the_training_loop(condition: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = function(report(capsys, "dp_sgd.published"), "train_dp")["conditions"]
    assert condition in [each["formula"] for each in found]


@pytest.mark.parametrize("name", ["data", "labels"])
def test_sound_bounds_of_the_training_loop(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "dp_sgd")
    bounds = {
        bound["rule"]: bound
        for bound in function(result, "train_dp")["bounds"]
        if bound["parameters"] == [name] and bound["measure"] == "approximate"
    }
    once = "log(1 + (b/rows(data)) * (exp(eps/b) - 1))"
    assert_same(bounds["basic"]["epsilon"], f"k * {once}")
    assert_same(bounds["basic"]["delta"], "k * (b/rows(data)) * del")
    assert_same(bounds["advanced"]["epsilon"], f"{once} * sqrt(2*k*log(1/s1)) + k * {once} * tanh({once}/2)")
    assert_same(bounds["advanced"]["delta"], "k * (b/rows(data)) * del + s1")
    assert codes(result) == []


def test_the_record_of_data_and_labels_is_paid_once(capsys: pytest.CaptureFixture[str]) -> None:
    bounds = function(report(capsys, "dp_sgd"), "train_dp")["bounds"]
    together = [bound for bound in bounds if bound["parameters"] == ["data", "labels"] and bound["rule"] == "basic"]
    alone = [bound for bound in bounds if bound["parameters"] == ["data"] and bound["rule"] == "basic"]
    assert [bound["epsilon"] for bound in together] == [bound["epsilon"] for bound in alone]


def test_headline_of_the_training_loop_is_the_smaller_of_its_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "dp_sgd")
    found = parameter(result, "data", of="train_dp")
    listed = [bound for bound in function(result, "train_dp")["bounds"] if bound["parameters"] == ["data"]]
    bounds = [bound for bound in listed if bound["measure"] == "approximate"]
    for point in points():
        pairs = [(value(bound["epsilon"], point), value(bound["delta"], point)) for bound in bounds]
        assert (value(found["epsilon"], point), value(found["delta"], point)) == min(pairs, key=lambda pair: pair[0])


def test_a_total_delta_of_one_is_no_guarantee_for_given_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "dp_sgd.set")
    assert codes(result) == ["DP403"]
    assert "a δ of 1 or more is no guarantee at all" in result["files"][0]["diagnostics"][0]["message"]
    numeric = {tuple(each["parameters"]): each for each in function(result, "train_dp")["numeric"]}
    exact = 1000 * sympy.log(1 + sympy.Rational(1, 24) * (sympy.exp(sympy.Rational(1, 5) / 2000) - 1))
    for name in ("data", "labels"):
        assert numeric[(name,)]["delta"] >= float(Fraction(1000 * 2000, 48000 * 5))
        assert exact <= sympy.Float(numeric[(name,)]["epsilon"], 40) <= exact * (1 + sympy.Float("1e-12"))


@pytest.mark.parametrize("name", ["additive_noise", "post_processing"])
def test_one_release(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, name)
    found = parameter(result, "x", of="foo")
    assert (found["epsilon"], found["delta"]) == ("1/10", "1/5")
    assert function(result, "foo")["returns"] == "Real"
    assert codes(result) == []


def test_five_releases_published(capsys: pytest.CaptureFixture[str]) -> None:
    found = parameter(report(capsys, "advanced_composition.published"), "x", of="foo")
    assert_same(found["epsilon"], "(1/5) * sqrt(10*log(1/s1))")
    assert_same(found["delta"], "1 + s1")


def test_five_releases_sound(capsys: pytest.CaptureFixture[str]) -> None:
    """The sums come to a δ of 1, which says nothing; ρ adds up, too."""
    result = report(capsys, "advanced_composition")
    found = parameter(result, "x", of="foo")
    assert found["delta"] == "s1"
    assert_same(found["epsilon"], "1/(80*log(25/4)) + sqrt(5*log(1/s1)/log(25/4))/10")
    assert codes(result) == []


def test_full_gradient_descent_costs_the_composition_of_its_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "gd_full")
    bounds = {bound["rule"]: bound for bound in function(result, "gd_full")["bounds"] if bound["parameters"] == ["X"]}
    assert_same(bounds["basic"]["epsilon"], "k * eps")
    assert_same(bounds["basic"]["delta"], "k * del")
    assert_same(bounds["advanced"]["epsilon"], "eps * sqrt(2*k*log(1/s1)) + k * eps * tanh(eps/2)")
    assert_same(bounds["advanced"]["delta"], "k * del + s1")


def test_noise_after_training_hides_nothing_of_what_is_not_bounded(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "output_perturbation")
    assert codes(result) == ["DP302"]
    assert parameter(result, "data", of="unbounded")["epsilon"] == "oo"
    assert parameter(result, "data", of="clipped")["epsilon"] == "eps"


def test_noisy_means(capsys: pytest.CaptureFixture[str]) -> None:
    result = report(capsys, "noisy_mean")
    pairs = {
        name: (parameter(result, who, of=name)["epsilon"], parameter(result, who, of=name)["delta"])
        for name, who in (("noisy_mean", "v"), ("bounded_mean", "v"), ("first_person", "data"))
    }
    assert pairs == {"noisy_mean": ("eps", "0"), "bounded_mean": ("eps/length(v)", "0"), "first_person": ("eps", "del")}
    twice = parameter(result, "data", of="twice")
    assert_same(twice["epsilon"], "eps")
    assert_same(twice["delta"], "del")
    assert parameter(result, "data", of="clipped_total")["sensitivity"] == "2"


# Figures of other accountants


@pytest.mark.parametrize(
    ("variant", "of", "name", "least", "most"),
    [
        ("dp_sgd_poisson.add_remove", "train", "X", 1.0353, 1.04),
        ("dp_sgd_poisson.add_remove", "train", "y", 1.0353, 1.04),
        ("dp_sgd_poisson.sixty_epochs", "train", "X", 2.5965, 2.60),
        ("gd_noise.steps_of_rho", "gd_noise", "X", 4.886, 4.888),
        ("gd_noise.steps_at_order_10", "gd_noise", "y", 1.760, 1.761),
    ],
)
def test_noise_of_a_known_deviation_is_accounted_for(
    variant: str, of: str, name: str, least: float, most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    numeric = function(report(capsys, variant), of)["numeric"]
    (found,) = (each for each in numeric if each["parameters"] == [name])
    assert least <= found["epsilon"] <= most


@pytest.mark.parametrize(
    ("program", "numbers", "delta", "least", "most"),
    [
        ("gd_full", {"eps": "0.1", "del": "1e-6", "k": "100", "rows(X)": "1000"}, "1.01e-4", 0.563, 0.563001),
        ("gd_full", {"eps": "0.5", "del": "1e-6", "k": "50", "rows(X)": "1000"}, "5.1e-5", 2.486656, 2.486657),
        ("frank_wolfe", {"eps": "0.1", "k": "100"}, "1e-6", 2.40019, 2.40021),
    ],
)
def test_many_rounds_cost_what_their_mechanism_is_known_to_lose(
    program: str, numbers: dict[str, str], delta: str, least: float, most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """37.2 for the second and 10.5 for the first by the published formula."""
    given = [part for name, value in numbers.items() for part in ("--set", f"{name}={value}")]
    main(["check", "--output-format", "json", "--target-delta", delta, *given, f"fixtures/programs/{program}.jl"])
    found = function(json.loads(capsys.readouterr().out), program)["numeric"]
    assert all(least <= each["epsilon"] <= most for each in found if each["parameters"] == ["X"])


def test_every_column_costs_as_much_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    """Published: three statistics of n columns cost 3nε, and the rounds 2ε√(2k ln(1/δ)). Here are two statistics."""
    bounds = function(report(capsys, "normalize"), "normalize")["bounds"]
    (basic,) = (bound for bound in bounds if bound["rule"] == "basic" and bound["parameters"] == ["X"])
    found = basic["epsilon"].replace("Max(0, k)", "k").replace("cols(X)", "n")
    assert_same(found, "2*n*eps + k*eps")


@pytest.mark.parametrize("name", ["X", "y"])
def test_a_batch_is_divided_by_its_size(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A declared distance of 2/b is enough: a record is read in one round of the loop."""
    assert function(report(capsys, "gd_minibatch"), "gd_minibatch")["status"] == "proved"
    found = parameter(report(capsys, "gd_minibatch"), name, of="gd_minibatch")
    assert found["epsilon"].startswith("Min(")


def test_multiplicative_weights_cost_their_budget(capsys: pytest.CaptureFixture[str]) -> None:
    found = function(report(capsys, "mwem"), "mwem")
    (basic,) = (bound for bound in found["bounds"] if bound["rule"] == "basic" and bound["parameters"] == ["values"])
    formula = basic["epsilon"].replace("Abs(eps)", "eps").replace("Max(0, T)", "T").replace("Abs(T)", "T")
    assert sympy.simplify(sympy.sympify(formula) - sympy.Symbol("eps")) == 0


@pytest.mark.parametrize(
    ("program", "name", "epsilon"), [("adaptive_clip", "sizes", "first"), ("frank_wolfe", "X", "eps")]
)
def test_selection_costs_what_it_says(
    program: str, name: str, epsilon: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = function(report(capsys, program), program)
    (basic,) = (bound for bound in found["bounds"] if bound["rule"] == "basic" and bound["parameters"] == [name])
    assert found["status"] == "proved" and epsilon in basic["epsilon"] and basic["delta"] == "0"
