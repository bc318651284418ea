"""What is said of libraries that are private by themselves, against what they say and do. Those that are not installed
are left out; all are beside the other tests in `.ci/run`."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, NamedTuple

import pytest

from cpython.claims import evaluated
from dp_lsp.cli import main
from dp_types import AddRemove, Bounded, Columns, NotAsDeclared, OneOf, Size, Static, checked
from library_versions import versions
from source_tree import ROOT

HEADER = """\
from typing import Annotated

import numpy as np
from dp_types import AddRemove, Bounded, ChangeOne, MayBeMissing, Private, Static
"""
EPS = Fraction(1, 2)


class Said(NamedTuple):
    """What is said of a function: the state, and the ε of its data."""

    state: str
    epsilon: str

    def at(self, **numbers: Any) -> float:
        return float(evaluated(self.epsilon, numbers, ()))


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Said]:
    """What is said of the function ``f`` of a program."""

    def of(program: str) -> Said:
        path = tmp_path / "program.py"
        path.write_text(HEADER + program, "utf-8")
        main(["check", "--no-cache", "--output-format", "json", str(path)])
        (function,) = json.loads(capsys.readouterr().out)["files"][0]["functions"]
        price = next((each["epsilon"] for each in function["parameters"] if not each["static"]), None)
        return Said(function["status"], price or "")

    return of


def run(program: str, *given: Any) -> Any:
    """What the function ``f`` of a program returns."""
    names: dict[str, Any] = {}
    exec(HEADER + program, names)
    return names["f"](*given)


def assert_close(found: float, stated: float) -> None:
    """What is found is no more than what a library states, which may count how it rounds."""
    assert found <= stated <= found * (1 + 1e-6)


def test_versions_that_are_tried_stand_on_the_pages() -> None:
    """Those that are installed by `.ci/run`, and earlier ones."""
    pages = {"polars": "opendp"}
    requirements = (ROOT / "pyproject.toml").read_text("utf-8") + (ROOT / ".ci" / "run").read_text("utf-8")
    tried = {*versions(), *re.findall(r"\b(diffprivlib|opendp|opacus)(?:\[polars\])?==([\d.]+)", requirements)}
    assert {name for name, _ in tried} == {"diffprivlib", "opendp", "opacus", "polars"}
    for name, version in tried:
        page = ROOT / "dp_lsp" / "reference" / f"{pages.get(name, name)}.md"
        assert version in page.read_text("utf-8"), f"{page.name} does not say that {name} {version} was tried"


# diffprivlib

DIFFPRIVLIB = """\
import diffprivlib as dpl

def f(v: Annotated[np.ndarray, {relation}()], eps: Static[float]) -> Private:
    return {statistic}
"""
TOOLS = {
    "dpl.tools.count_nonzero(v > 3, epsilon=eps)": 1,
    "dpl.tools.sum(v, epsilon=eps / 2, bounds=(-1, 9))": 1,
    "dpl.tools.mean(v, epsilon=2 * eps, bounds=(-1, 9))": 1,
    "dpl.tools.mean(v, bounds=(0, 9)) + dpl.tools.count_nonzero(v)": 1,
    "dpl.tools.histogram(v, epsilon=eps, bins=3, range=(0, 9))[0]": 2,
}
"""Statistics of records that may be replaced, and how many times as much they cost as the library's accountant says."""


@pytest.fixture
def library() -> Iterator[Any]:
    yield pytest.importorskip("diffprivlib")


def data() -> Any:
    import numpy as np

    return np.array([0.5, 3.0, 4.0, 9.0])


@pytest.mark.parametrize("statistic", TOOLS)
def test_tools_cost_what_the_accountant_says(statistic: str, said: Callable[[str], Said], library: Any) -> None:
    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic=statistic)
    found = said(program)
    with library.BudgetAccountant() as spent:
        run(program, data(), float(EPS))
    assert found.state == "proved"
    assert math.isclose(found.at(eps=EPS), TOOLS[statistic] * spent.total()[0])


def test_a_histogram_has_noise_for_one_count(said: Callable[[str], Said], library: Any) -> None:
    """Which is what the accountant says where a record is added."""
    statistic = "dpl.tools.histogram(v, epsilon=eps, bins=3, range=(0, 9))[0]"
    program = DIFFPRIVLIB.format(relation="AddRemove", statistic=statistic)
    found = said(program)
    with library.BudgetAccountant() as spent:
        run(program, data(), float(EPS))
    assert (found.state, found.at(eps=EPS)) == ("proved", spent.total()[0])


MECHANISMS = {
    "Laplace(epsilon=eps, sensitivity=2).randomise(2 * np.sum(v > 3))": 2,
    "LaplaceTruncated(epsilon=eps, sensitivity=10, lower=0, upper=99).randomise(np.sum(np.clip(v, -1, 9)))": 10,
    "Geometric(epsilon=eps).randomise(np.sum(v > 3))": 1,
}
"""Mechanisms, and how far what each hides moves where a record is replaced."""


@pytest.mark.parametrize("statistic", MECHANISMS)
def test_mechanisms_have_noise_for_their_sensitivity(
    statistic: str, said: Callable[[str], Said], library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ε of so far a move by noise of the deviation that the library says."""
    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic=f"dpl.mechanisms.{statistic}")
    found = said(program)
    made: list[Any] = []
    kind = getattr(library.mechanisms, statistic.partition("(")[0])
    was = kind.randomise
    monkeypatch.setattr(kind, "randomise", lambda self, value: made.append(self) or was(self, value))
    run(program, data(), float(EPS))
    assert found.state == "proved"
    (mechanism,) = made
    base = library.mechanisms.Laplace if isinstance(mechanism, library.mechanisms.Laplace) else type(mechanism)
    deviation = math.sqrt(base.variance(mechanism, 0))
    moved = MECHANISMS[statistic]
    if base is library.mechanisms.Laplace:
        assert math.isclose(moved / (deviation / math.sqrt(2)), found.at(eps=EPS))
    else:  # the variance of two-sided geometric noise is 2a/(1 - a)², a = exp(-ε)
        a = math.exp(-found.at(eps=EPS) / moved)
        assert math.isclose(deviation**2, 2 * a / (1 - a) ** 2)


@pytest.mark.parametrize("tool", ["count_nonzero(v", "sum(v, bounds=(0, 1)"])
def test_a_statistic_that_is_cut_off_tells_the_size(tool: str, said: Callable[[str], Said], library: Any) -> None:
    import numpy as np

    program = DIFFPRIVLIB.format(relation="AddRemove", statistic=f"dpl.tools.{tool}, epsilon=eps)")
    assert said(program).state == "failed"
    seen = [{float(run(program, np.ones(size), float(EPS))) for _ in range(60)} for size in (3, 4)]
    assert max(seen[0]) == 3, "so many are never more"
    assert max(seen[1]) == 4


def test_what_leaves_out_moves_further_than_its_noise_is_for(said: Callable[[str], Said], library: Any) -> None:
    import numpy as np

    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic="dpl.tools.nanmean(v, epsilon=eps, bounds=(0, 10))")
    assert said(program).state == "unknown"
    declared: list[float] = []
    kind = library.mechanisms.LaplaceTruncated
    was = kind.__init__

    def noticed(self: Any, **given: Any) -> None:
        declared.append(given["sensitivity"])
        was(self, **given)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kind, "__init__", noticed)
        run(program, np.array([10, math.nan]), float(EPS))
    assert declared == [5.0]
    assert np.nanmean([10, math.nan]) - np.nanmean([0, math.nan]) == 10


def test_a_median_of_equal_numbers_depends_on_them_without_noise(said: Callable[[str], Said], library: Any) -> None:
    """All its weights are 0 in floating point, where many records are equal: why it is not followed."""
    import numpy as np

    program = DIFFPRIVLIB.format(relation="ChangeOne", statistic="dpl.tools.median(v, epsilon=eps, bounds=(0, 10))")
    assert said(program).state == "unknown"
    with np.errstate(all="ignore"):
        probabilities = library.mechanisms.Exponential._find_probabilities(
            1.0, 1.0, list(-np.abs(np.arange(0, 10_001) - 5000.0)), False, [5.0, *[0.0] * 9999, 5.0]
        )
    assert np.isnan(probabilities).all()


# OpenDP

CHAIN = """\
import opendp.prelude as dp

dp.enable_features("contrib")

def f(v: Annotated[{base}, AddRemove()], scale: Static[float]) -> Private:
    space = {space}
    query = space >> {steps}
    return query(v)
"""
FLOATS = "dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()"
CHAINS = {
    "dp.t.then_clamp((3.0, 100.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale)": FLOATS,
    "dp.t.then_clamp((-100.0, -3.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=2 * scale)": FLOATS,
    "dp.t.then_count() >> dp.m.then_laplace(scale)": FLOATS,
    "dp.t.then_count() >> dp.m.then_laplace(scale / 3)": "dp.space_of(list[int])",
}


def measurement(program: str, scale: float) -> Any:
    """The chain that the function of a program makes."""
    chain = program.replace("return query(v)", "return query")
    return run(chain, [], scale)


@pytest.mark.parametrize("steps", CHAINS)
def test_chains_cost_what_their_map_says(steps: str, said: Callable[[str], Said]) -> None:
    pytest.importorskip("opendp")
    program = CHAIN.format(base="list", space=CHAINS[steps], steps=steps)
    found = said(program)
    assert found.state == "proved"
    assert_close(found.at(scale=7), measurement(program, 7.0).map(1))
    assert isinstance(run(program, [1, 2] if "int" in CHAINS[steps] else [1.0, 2.0], 7.0), int | float)


def test_a_chain_that_a_function_makes_costs_what_its_map_says(said: Callable[[str], Said]) -> None:
    pytest.importorskip("opendp")
    program = (
        "import opendp.prelude as dp\n\n"
        'dp.enable_features("contrib")\n\n'
        "def noisy(low, high, noise=1.0):\n"
        f"    space = {FLOATS}\n"
        "    return space >> dp.t.then_clamp((low, high)) >> dp.t.then_sum() >> dp.m.then_laplace(noise)\n\n"
        "def f(v: Annotated[list, AddRemove()], scale: Static[float]) -> Private:\n"
        "    query = noisy(3.0, high=100.0, noise=2 * scale)\n"
        "    return query(v)\n"
    )
    found = said(program)
    assert found.state == "proved"
    assert_close(found.at(scale=7), measurement(program, 7.0).map(1))


def test_a_sum_of_both_signs_counts_more(said: Callable[[str], Said]) -> None:
    """Than the larger of its bounds, by which it moves where all records are added up: why it is not followed."""
    pytest.importorskip("opendp")
    steps = "dp.t.then_clamp((-3.0, 100.0)) >> dp.t.then_sum() >> dp.m.then_laplace(scale)"
    program = CHAIN.format(base="list", space=FLOATS, steps=steps)
    assert said(program).state == "unknown"
    assert_close(103, measurement(program, 1.0).map(1))


def test_a_mean_of_a_sized_space_costs_what_its_map_says_of_two_steps(said: Callable[[str], Said]) -> None:
    """A record that is replaced is one less and one more."""
    pytest.importorskip("opendp")
    space = "dp.vector_domain(dp.atom_domain(T=float, nan=False), size=10), dp.symmetric_distance()"
    steps = "dp.t.then_clamp((-3.0, 9.0)) >> dp.t.then_mean() >> dp.m.then_laplace(scale)"
    program = CHAIN.format(base="list", space=space, steps=steps).replace("AddRemove()", "ChangeOne()")
    found = said(program)
    assert found.state == "proved"
    assert_close(found.at(scale=7), measurement(program, 7.0).map(2))
    assert math.isclose(run(program, [1.0] * 5, 1e-9), 0.5, abs_tol=1e-6), "it is divided by what the space says"


def test_a_gaussian_chain_costs_what_its_map_says(said: Callable[[str], Said]) -> None:
    """Its map says ρ; that of a mean of losses and its deviation is what a δ is chosen for."""
    pytest.importorskip("opendp")
    steps = "dp.t.then_clamp((0.0, 5.0)) >> dp.t.then_sum() >> dp.m.then_gaussian(scale)"
    program = CHAIN.format(base="list", space=FLOATS, steps=steps)
    found = said(program)
    rho, delta = measurement(program, 7.0).map(1), Fraction(1, 10**5)
    priced = float(evaluated(found.epsilon, {"scale": 7, "s1": delta}, ("s1",)))
    assert found.state == "proved"
    assert_close(priced, rho + 2 * math.sqrt(rho * math.log(10**5)))


QUERY = """\
import opendp.prelude as dp

dp.enable_features("contrib")

def f(v: Annotated[list, AddRemove(contributes={contributions})], eps: Static[float]) -> Private:
    context = dp.Context.compositor(
        data=v,
        privacy_unit=dp.unit_of(contributions={contributions}),
        privacy_loss=dp.loss_of(epsilon=eps),
        split_evenly_over=4,
        domain=dp.vector_domain(dp.atom_domain(T=float, nan=False)),
    )
    return context.query().{query}.laplace().release()
"""


@pytest.mark.parametrize("contributions", [1, 3])
@pytest.mark.parametrize("query", ["count()", "clamp((3.0, 100.0)).sum()", "clamp((-100.0, 0.0)).sum()"])
def test_queries_cost_their_share(query: str, contributions: int, said: Callable[[str], Said]) -> None:
    """The library makes noise for a quarter of the loss: what its chain costs by that noise."""
    dp = pytest.importorskip("opendp.prelude")
    program = QUERY.format(contributions=contributions, query=query)
    found = said(program)
    assert found.state == "proved"
    assert math.isclose(found.at(eps=EPS), float(EPS) / 4)
    of_query = program.replace(".laplace().release()", ".laplace()")
    scale = run(of_query, [1.0, 2.0], float(EPS)).param()
    steps = "dp.t.then_count()" if "count" in query else f"dp.t.then_{query.replace('.sum', ' >> dp.t.then_sum')}"
    chain = CHAIN.format(base="list", space=FLOATS, steps=f"{steps} >> dp.m.then_laplace(scale)")
    assert_close(found.at(eps=EPS), measurement(chain, scale).map(contributions) * (1 + 1e-9))
    assert dp


FRAME = """\
import opendp.prelude as dp
import polars as pl
from dp_types import Columns

dp.enable_features("contrib")

def f(
    people: Annotated[pl.LazyFrame, AddRemove(contributes={contributions}), Columns(Age=Bounded(-9, 120), Pay=float)],
    eps: Static[float],
) -> Private:
    context = dp.Context.compositor(
        data=people,
        privacy_unit=dp.unit_of(contributions={contributions}),
        privacy_loss=dp.loss_of(epsilon=eps),
        split_evenly_over=2,
        margins=[dp.polars.Margin(max_length=100)],
    )
    return context.query().select({statistics}).release().collect()
"""
SELECTED = {
    "dp.len()": (1,),
    "pl.len().dp.noise()": (1,),
    'pl.col("Age").fill_null(0).dp.sum((-5, 100))': (100,),
    'dp.len(), pl.col("Age").dp.sum((0, 9)), pl.col("Pay").fill_nan(0.0).dp.sum((-2.0, 1.0))': (1, 9, 2),
}
"""What is selected of a frame, and how far each statistic moves where a record is added."""


@pytest.fixture
def people() -> Any:
    pytest.importorskip("opendp")
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    return polars.LazyFrame({"Age": [1, 20, 40], "Pay": [0.5, 1.0, 2.5]})


@pytest.mark.parametrize("contributions", [1, 3])
@pytest.mark.parametrize("statistics", SELECTED)
def test_queries_of_frames_cost_their_share(
    statistics: str, contributions: int, said: Callable[[str], Said], people: Any
) -> None:
    """By the noise that the library says it makes for each statistic."""
    program = FRAME.format(contributions=contributions, statistics=statistics)
    found = said(program)
    assert found.state == "proved"
    assert math.isclose(found.at(eps=EPS), float(EPS) / 2)
    summary = run(program.replace(".release().collect()", ""), people, float(EPS)).summarize()
    prices = [contributions * far / scale for far, scale in zip(SELECTED[statistics], summary["scale"], strict=True)]
    assert math.isclose(sum(prices), found.at(eps=EPS), rel_tol=1e-6)
    assert run(program, people, float(EPS)).shape == (1, len(prices))


def test_a_margin_may_take_the_noise_away(said: Callable[[str], Said], people: Any) -> None:
    """Which is why nothing but the largest number of rows may be said in one."""
    program = FRAME.format(contributions=1, statistics="dp.len()")
    program = program.replace("max_length=100", 'invariant="lengths"')
    assert said(program).state == "unknown"
    assert run(program.replace(".release().collect()", ""), people, float(EPS)).summarize()["scale"][0] == 0


def test_a_missing_value_counts_as_one_between_the_bounds(said: Callable[[str], Said], people: Any) -> None:
    """Which its pages do not say, so that columns with gaps are not followed."""
    program = FRAME.format(contributions=1, statistics='pl.col("Age").dp.sum((50, 60))')
    assert said(program.replace("Bounded(-9, 120)", "(Bounded(-9, 120), MayBeMissing())")).state == "unknown"
    gap = people.select("Pay").with_columns(Age=people.collect()["Age"].shift(1))
    assert 150 <= run(program, gap, 1e6).item() <= 160, "one is missing, and the others are cut off at 50"


def test_bounds_of_a_space_cut_nothing_off(said: Callable[[str], Said]) -> None:
    """Which is why nothing is believed of them."""
    pytest.importorskip("opendp")
    space = "dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0))), dp.symmetric_distance()"
    program = CHAIN.format(base="list", space=space, steps="dp.t.then_sum() >> dp.m.then_laplace(scale)")
    assert said(program).state == "unknown"
    assert run(program, [500.0], 1e-3) > 400


def test_a_mean_of_a_context_hides_nothing_where_the_size_is_said(said: Callable[[str], Said]) -> None:
    """One record more or less there cannot be, so no noise is made: why such a query is not followed."""
    pytest.importorskip("opendp")
    program = QUERY.format(contributions=1, query="clamp((0.0, 9.0)).mean()").replace(
        "nan=False)", "nan=False), size=2"
    )
    assert said(program).state == "unknown"
    assert run(program.replace(".laplace().release()", ".laplace()"), [1.0, 2.0], float(EPS)).param() < 1e-9


# Opacus: its accountants alone, as the engine needs torch (`tests/opacus_engine.py` runs that)

TRAINING = """\
from opacus import PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader

def f(model, optimizer, loader: Annotated[DataLoader, AddRemove()], epochs: Static[int]) -> Private:
    engine = PrivacyEngine()
    model, optimizer, loader = engine.make_private(
        module=model, optimizer=optimizer, data_loader=loader, noise_multiplier={noise}, max_grad_norm=1.5
    )
    for _ in range(epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
    return model, engine.get_epsilon(delta=1e-5)
"""
TRAININGS = [("1.1", 100, 2, 1e-5), ("0.8", 40, 3, 1e-6), ("2.0", 25, 4, 1e-5)]
"""The noise, how many batches and epochs there are, and δ."""


@pytest.fixture
def accountants(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The accountants of Opacus, without the optimizers that they name and do not use."""
    found = find_spec("opacus")
    if found is None:
        pytest.skip("Opacus is not installed")
    package, optimizers = ModuleType("opacus"), ModuleType("opacus.optimizers")
    package.__path__ = list(found.submodule_search_locations or ())
    optimizers.DPOptimizer = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "opacus", package)
    monkeypatch.setitem(sys.modules, "opacus.optimizers", optimizers)
    yield import_module("opacus.accountants")
    for name in [name for name in sys.modules if name.startswith("opacus.")]:
        monkeypatch.delitem(sys.modules, name)


def priced(program: str, batches: int, epochs: int, delta: float, folder: Path, capsys: Any) -> float:
    """The ε of a training with these numbers, at a δ."""
    path = folder / "training.py"
    path.write_text(HEADER + program, "utf-8")
    numbers = "--set", f"len(loader)={batches}", "--set", f"epochs={epochs}", "--target-delta", str(delta)
    main(["check", "--no-cache", "--output-format", "json", *numbers, str(path)])
    (function,) = json.loads(capsys.readouterr().out)["files"][0]["functions"]
    assert function["status"] == "proved"
    (numeric,) = function["numeric"]
    return float(numeric["epsilon"])


@pytest.mark.parametrize(("noise", "batches", "epochs", "delta"), TRAININGS)
def test_trainings_cost_what_accountants_say(
    noise: str,
    batches: int,
    epochs: int,
    delta: float,
    accountants: Any,
    tmp_path: Path,
    capsys: Any,
    with_distributions: None,
) -> None:
    """No more than by Rényi differential privacy, and as much as by privacy loss random variables, whose ε is within
    0.01 of the true one."""
    found = priced(TRAINING.format(noise=noise), batches, epochs, delta, tmp_path, capsys)
    said = {}
    for name in ("rdp", "prv"):
        accountant = accountants.create_accountant(name)
        for _ in range(batches * epochs):
            accountant.step(noise_multiplier=float(noise), sample_rate=1 / batches)
        said[name] = accountant.get_epsilon(delta)
    assert found <= said["rdp"]
    assert abs(found - said["prv"]) <= 0.021


def test_checked_looks_at_tables_of_polars() -> None:
    polars = pytest.importorskip("polars")

    def called(annotation: Any, value: Any) -> None:
        def f(value: Any, n: Any = 2) -> int:
            return 1

        f.__annotations__ = {"value": annotation, "n": Static[int]}
        assert checked(f)(value) == 1

    said = Columns(a=Bounded(0, 3), s=OneOf("x"), b=bool)
    table = polars.DataFrame({"a": [1, 2], "s": ["x", "x"], "b": [True, False]})
    for type_, value in ((polars.DataFrame, table), (polars.LazyFrame, table.lazy())):
        called(Annotated[type_, AddRemove(), said, Size("n")], value)
        with pytest.raises(NotAsDeclared, match="has missing values"):
            called(Annotated[type_, AddRemove(), said], value.shift())
        with pytest.raises(NotAsDeclared, match="between 0 and 1"):
            called(Annotated[type_, AddRemove(), Columns(a=Bounded(0, 1))], value)
