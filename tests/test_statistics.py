"""The page of statistics is true of datasets: where the records of a person lead from one small dataset to another, the
results are as far apart as the page says for some, and no further for any."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple
from unittest import mock

import pytest

from attack import Target, targets
from attack.runs import PROGRAMS, attacked
from dp_lsp.builtins import statistics
from dp_lsp.builtins.datasets import by_fewest
from dp_lsp.builtins.meanings import array
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.evaluate import Substitution, norms_of, upper
from dp_lsp.core.sens import number
from dp_lsp.core.types import BoolType, Dataset, Norm
from dp_lsp.engine.check import Engine
from dp_lsp.meaning.spaces import SpaceSetting, distance, put_in
from source_tree import ROOT
from spec_runner import blocks

PAGE = ROOT / "fixtures" / "spec" / "statistics.md"
ENGINE = Engine()
MORE = 4  # records beyond the least there are, where that is private
PUBLIC = 4  # records, where their number is public and not said
VALUES = tuple(map(Fraction, (-1, 0, 1, 2)))
CORNERS = tuple(tuple(map(Fraction, row)) for row in ((-1, -1), (2, 2), (-1, 2), (2, -1)))
SHORT = tuple(tuple(map(Fraction, row)) for row in ((2, 0), (-2, 0), (0, 2), (0, 0)))
MARKS = ((True, True, False, False), (False, False, True, True), (True, False, False, False), (False,) * 4)


class Cell(NamedTuple):
    """A program of the table: one statistic in one column, for a person of up to ``steps`` records."""

    heading: str
    target: Target

    @property
    def name(self) -> str:
        return self.target.name

    @property
    def dataset(self) -> Dataset:
        type_ = self.target.scheme.params[0].type
        assert isinstance(type_, Dataset)
        return type_

    @property
    def steps(self) -> int:
        declared = self.target.scheme.params[0].declared
        assert isinstance(declared, DatasetOf)
        return 1 if declared.each is None else int(declared.each)

    @property
    def is_attained(self) -> bool:
        """Whether the number in the page is the smallest there is."""
        return "at_most" not in self.name

    def claims(self) -> list[tuple[Norm, Fraction]]:
        """What is claimed of one person, in each norm that the result may be measured in."""
        scheme = self.target.scheme
        move = scheme.result.moves.get(scheme.params[0].var)
        numbers = dict.fromkeys(scheme.owned.symbols, Fraction(PUBLIC))
        if move is None:
            return [(Norm.L2, Fraction(0))]
        norms = norms_of(move.sens)
        found = []
        for norm in tuple(Norm) if norms else (Norm.L2,):
            claimed = upper(Substitution({}, dict.fromkeys(norms, norm)).sens(move.sens), numbers)
            assert claimed is not None
            found.append((norm, claimed))
        return found


def cells() -> Iterator[Cell]:
    for block in blocks(PAGE.read_text("utf-8")):
        yield from (Cell(block.heading, target) for target in targets(block.text, engine=ENGINE))


CELLS = tuple(cells())


def records(dataset: Dataset) -> tuple[Any, ...]:
    """Some that there may be, those that move a statistic furthest among them."""
    if dataset.records.rows is None:
        return VALUES
    if isinstance(dataset.records.element, BoolType):
        return MARKS
    return CORNERS if dataset.radius is None else SHORT


def bags(cell: Cell) -> Iterator[tuple[int, ...]]:
    """How many there are of each record, in all small datasets."""
    dataset = cell.dataset
    least = 0 if dataset.least is None or dataset.least.number is None else int(dataset.least.number)
    known = dataset.size.number
    sizes = range(least, least + MORE + 1)
    if dataset.metric.sized:
        sizes = range(PUBLIC, PUBLIC + 1) if known is None else range(int(known), int(known) + 1)
    points = records(dataset)
    for size in sizes:
        for chosen in combinations_with_replacement(range(len(points)), size):
            yield tuple(map(chosen.count, range(len(points))))


def as_value(cell: Cell, bag: tuple[int, ...]) -> Any:
    points = records(cell.dataset)
    listed = [point for point, count in zip(points, bag, strict=True) for _ in range(count)]
    if cell.dataset.records.rows is None:
        return array(listed)
    return array((entry for row in listed for entry in row), (len(listed), len(points[0])))


def results(cell: Cell) -> list[tuple[tuple[int, ...], Any]]:
    target = cell.target
    return [(bag, target.interpreter.run(target.method, (as_value(cell, bag),))) for bag in bags(cell)]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.heading}: {cell.name}")
def test_cell(cell: Cell) -> None:
    found = results(cell)
    apart = 2 if cell.dataset.metric.sized else 1  # of a replaced record there is one less, and one more of another
    for norm, claimed in cell.claims():
        norms = dict.fromkeys(norms_in(cell), norm)
        type_, setting = put_in(cell.target.scheme.result.type, norms), SpaceSetting({}, norms)
        largest = 0.0
        for (bag, result), (other, of_other) in combinations(found, 2):
            steps = sum(abs(a - b) for a, b in zip(bag, other, strict=True)) // apart
            moved = float(distance(type_, result, of_other, setting))
            persons = math.ceil(steps / cell.steps)
            assert moved <= float(claimed) * persons + 1e-9, f"{bag} and {other} are {steps} apart"
            if persons == 1:
                largest = max(largest, moved)
        if cell.is_attained:
            assert largest == pytest.approx(float(claimed))


def test_scores_of_quantiles_move_apart_by_twice_as_far_as_each_moves() -> None:
    """What a selection by them costs: some fall as far as others rise. Datasets of numbers below, between and above
    the candidates."""
    points = tuple(map(Fraction, (-1, "1/2", 2)))
    for cell in (each for each in CELLS if each.heading == "Quantile score"):
        sized, target = cell.dataset.metric.sized, cell.target
        (in_linf,) = (claimed for norm, claimed in cell.claims() if norm is Norm.LINF)
        found = {}
        for records in (each for n in range(9) for each in combinations_with_replacement(points, n)):
            if not sized or len(records) == cell.dataset.size.number:
                found[tuple(map(records.count, points))] = target.interpreter.run(target.method, (array(records),))
        largest = Fraction(0)
        for (bag, scores), (other, of_other) in combinations(found.items(), 2):
            if sum(abs(a - b) for a, b in zip(bag, other, strict=True)) <= (2 if sized else 1) * cell.steps:
                moved = [Fraction(b) - Fraction(a) for a, b in zip(scores.flat, of_other.flat, strict=True)]
                largest = max(largest, max(moved) - min(moved))
        few = cell.name == "b2"  # too few of four lie above a candidate for two to make up for it
        assert largest == (3 if few else 2 * in_linf)


@pytest.mark.parametrize(("metric", "steps"), [("Symmetric", 1), ("ChangeOne", 2)])
def test_parts_by_public_keys_move_by_so_many_steps_together(metric: str, steps: int) -> None:
    """As what a count of each part costs says, at 1 for a step."""
    text = (
        f"function f(v::MetricVector(Real, {metric})) :: Priv()\n"
        "    one(part) :: Priv() = laplacian_mechanism(1, 1, length(part))\n"
        "    map_parts(one, v, x -> x > 0 ? 1 : 0, [0, 1])\n"
        "end\n"
    )
    assert [bound.epsilon for bound in ENGINE.check(text).functions[-1].bounds if bound.delta == "0"] == [str(steps)]
    largest = 0
    for records in (each for size in range(4) for each in combinations_with_replacement(VALUES, size)):
        for more in VALUES:
            other = (*records[1:], more) if metric == "ChangeOne" else (*records, more)
            if len(other) - len(records) == (metric == "Symmetric"):
                parts = [
                    [Counter(x for x in each if (x > 0) is key) for each in (records, other)] for key in (False, True)
                ]
                largest = max(largest, sum(((a - b) + (b - a)).total() for a, b in parts))
    assert largest == steps


def norms_in(cell: Cell) -> set[Any]:
    move = cell.target.scheme.result.moves.get(cell.target.scheme.params[0].var)
    return set() if move is None else norms_of(move.sens)


def test_no_pipeline_refutes_what_is_claimed_of_it() -> None:
    result = attacked(PROGRAMS["pipelines"], 8, 30, "sound")
    assert result.bad == 0, result.text


def test_the_search_knows_pipelines_well() -> None:
    """What is wrong by a half is found."""
    half = number(Fraction(1, 2))
    with mock.patch.object(statistics, "by_fewest", lambda args, more=0: by_fewest(args, more) * half):
        assert attacked(PROGRAMS["pipelines"], 53, 1, "sound", tell=False).bad


@pytest.mark.parametrize(
    ("edges", "factor"),
    [("[1, 2, 3]", "3"), ("[1]", "1"), ("1:0", "1"), ("1:k", "Max(0, k - 1) + 1"), ("0:k", "Max(0, k) + 1")],
)
def test_where_there_are_no_edges_there_are_no_bins(edges: str, factor: str) -> None:
    """Not one less than none."""
    parameters = "v::MetricVector(Real, Symmetric), x::Real, k::Static(Integer)"
    found = Engine().check(f"f({parameters}) = x * (length(histogram(v, {edges})) + 1)\n").functions[0]
    assert found.parameters[1].sensitivity == factor


def test_every_program_of_the_page_is_tried() -> None:
    """Those that release something say only in which norm, of what was tried."""
    text = PAGE.read_text("utf-8")
    written = re.findall(r"^(?:function )?(\w+)\(\w+::Metric", text, re.MULTILINE)
    released = re.findall(r"^function (\w+)_(?:l1|l2|linf)\(", text, re.MULTILINE)
    assert len(CELLS) == len(written) - len(released)
    assert set(released) <= {cell.name for cell in CELLS}
