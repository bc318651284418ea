"""The plots of a function: ε by δ and by iterations, one curve a rule, and what is missing where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import jsonschema
import pytest

from dp_lsp.analysis.limits import Superseded, Ticket
from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Options, Setting
from dp_lsp.analysis.rows import Plot
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import schema
from source_tree import ROOT
from stdio_driver import Driver, Message

URI = "file:///tmp/a.jl"
PROGRAM = """\
function noisy(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = laplacian_mechanism(1, eps, x)
    end
    y
end
"""
OTHERS = """\
function fails(x::Real) :: Priv()
    laplacian_mechanism(1, 0.5, x + x)
end

function breaks(x::Real) :: Priv()
    laplacian_mechanism(1, 0.5, x

double(x::Real) = x + x
"""
NUMBERS = {"eps": "0.1", "k": "12"}


class One:
    """A folder with one file."""

    def __init__(self, content: str) -> None:
        self._text = SourceText(content)

    def included(self, by: str, path: str) -> str:
        raise AssertionError(f"{by} includes {path}")

    def text(self, name: str) -> SourceText:
        return self._text


def options(numbers: dict[str, str], **more: object) -> Options:
    settings = tuple(Setting(None, name, Fraction(value)) for name, value in numbers.items())
    return Options(settings=settings, **more)  # type: ignore[arg-type]


def plots(text: str, numbers: dict[str, str], **more: object) -> list[Plot]:
    found = Engine().plots("a.jl", One(text), "a.jl", options(numbers, **more))
    return [plot for each in found for plot in each.plots]


def test_curves_by_delta_and_by_iterations() -> None:
    by_delta, by_rounds = plots(PROGRAM, NUMBERS, target_delta=Fraction("1e-5"))
    assert (by_delta.parameters, by_delta.against, by_delta.at, by_delta.delta) == (("x",), "delta", 1e-5, None)
    assert (by_rounds.against, by_rounds.at, by_rounds.delta) == ("iterations", 12, 1e-5)
    curves = {curve.rule: curve.points for curve in by_delta.curves}
    assert {"basic", "optimal", "zcdp"} <= curves.keys()
    for points in curves.values():
        assert [at for at, _ in points] == sorted(at for at, _ in points)
        assert [epsilon for _, epsilon in points] == sorted((epsilon for _, epsilon in points), reverse=True)
    assert min(Fraction(str(epsilon)) for _, epsilon in curves["basic"]) >= Fraction("1.2"), "rounded up as written"
    rounds = dict(next(curve.points for curve in by_rounds.curves if curve.rule == "basic"))
    assert max(rounds) == 24 and rounds[12] == pytest.approx(1.2) and rounds[24] == pytest.approx(2.4)


def test_a_curve_agrees_with_the_report() -> None:
    given = options(NUMBERS, target_delta=Fraction("1e-5"))
    (function,) = Engine().check(PROGRAM, given).functions
    (numeric,) = function.numeric
    _, by_rounds = plots(PROGRAM, NUMBERS, target_delta=Fraction("1e-5"))
    at = {curve.rule: dict(curve.points)[12.0] for curve in by_rounds.curves}
    assert at[numeric.rule] == min(at.values()) and at[numeric.rule] >= numeric.epsilon


def test_what_is_missing() -> None:
    assert plots(PROGRAM, {"eps": "0.1"}) == [Plot(("x",), "delta", missing=("k",))]
    assert plots(PROGRAM, {}) == [Plot(("x",), "delta", missing=("eps", "k"))]


def test_what_has_no_plot() -> None:
    assert plots(OTHERS, {}) == []
    assert plots(PROGRAM, NUMBERS, profile="published") == plots(PROGRAM, {}, profile="published") == []


def test_a_record_of_several_parameters_is_plotted_once() -> None:
    found = plots((ROOT / "fixtures" / "programs" / "dp_sgd.jl").read_text("utf-8"), {})
    assert [plot.parameters for plot in found] == [("data", "labels")]
    assert {"k", "b", "eps", "del", "rows(data)"} <= set(found[0].missing)


def test_it_is_made_once_and_can_be_stopped() -> None:
    engine, looked = Engine(), [0]

    def drawn(most: int) -> list[Plot]:
        looked[0] = 0

        def superseded() -> bool:
            looked[0] += 1
            return looked[0] > most

        found = engine.plots("a.jl", One(PROGRAM), "a.jl", options(NUMBERS), Ticket(superseded))
        return [plot for each in found for plot in each.plots]

    with pytest.raises(Superseded):
        drawn(40)
    first = drawn(10_000)
    assert looked[0] > 30
    assert drawn(10) == first, "what is remembered takes a few looks"


@pytest.fixture
def driver() -> Iterator[Driver]:
    with Driver() as made:
        made.start()
        yield made


def report(driver: Driver, **more: object) -> Message:
    found: Message = driver.ask("dp/report", {"uri": URI, **more})
    return found


def test_the_report_has_them_if_they_are_wanted(driver: Driver) -> None:
    text = f"#\n\n{PROGRAM}"
    driver.open(text)
    driver.checked(1)

    def wanted() -> Message:
        made = report(driver, plots=True)["result"]
        jsonschema.validate(made, schema(closed=True))
        found: Message = made["files"][0]["functions"][0]
        return found

    assert wanted()["plots"] == [{"parameters": ["x"], "missing": ["eps", "k"]}]
    for name, value in NUMBERS.items():
        command = {"command": "dp-lsp.setParameter", "arguments": [URI, name, value]}
        driver.ask("workspace/executeCommand", command)
    by_delta, by_rounds = wanted()["plots"]
    assert by_delta["against"] == "delta" and by_rounds["against"] == "iterations" and by_rounds["at"] == 12
    assert "plots" not in report(driver)["result"]["files"][0]["functions"][0]
    assert report(driver, plots=5)["error"]["code"] == -32602
    driver.change(2, {"text": text.replace("(1, eps, x)", "(1, eps, x + x)")})
    assert "plots" not in wanted(), "it is proved no more"
    driver.change(3, {"text": text.replace("1:k", "2:k")})
    assert dict(map(tuple, wanted()["plots"][1]["curves"][0]["points"])).keys() >= {22.0}
