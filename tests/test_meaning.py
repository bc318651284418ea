"""What programs compute, and that nobody finds inputs that move a result further than is claimed."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import spec_runner
from attack import targets
from attack.mutants import Mutant, in_place, is_refuted, mutants
from attack.programs import program
from dp_lsp import builtins
from dp_lsp.analysis.records import State
from dp_lsp.builtins.meanings import MEANINGS, WITHOUT_MEANING, Undefined, array, is_container
from dp_lsp.engine.check import Engine
from source_tree import ROOT, python

PROGRAMS, GROUPS = 150, 6
PAGES = sorted((ROOT / "fixtures" / "spec").rglob("*.md"))
ENGINE = Engine()
ATTACKED = ("+", "*", "/", "%", "abs", "max", "clamp", "[]", "sum", "transpose", "norm_convert", "map", "fold", "count")
HALVED = [each for each in mutants() if each.row.name in ATTACKED and each.what == "form 1, factors halved"]
HALF = Fraction(1, 2)
CLIPPED = "f(v::MetricVector(Data, LInf)) = undisc_container(clip({}, v))"
BRANCH = "function f(x::Real)\n    (a, b) = (x, 2 * x)\n    if b > 1\n        a = b\n    end\n    (b, a)\nend"


def vector(*entries: object) -> Any:
    return array(map(Fraction, entries))


def plain(value: Any) -> Any:
    """A value as a test can write it."""
    if is_container(value):
        return [plain(item) for item in value]
    return tuple(map(plain, value)) if isinstance(value, tuple) else value


def ran(text: str, *arguments: Any) -> Any:
    (target,) = (each for each in targets(text, engine=ENGINE) if each.name == "f")
    return plain(target.interpreter.run(target.method, arguments))


def test_every_row_has_a_meaning_or_a_reason() -> None:
    names = {row.name for row in builtins.TABLE.values()}
    assert MEANINGS.keys() | WITHOUT_MEANING.keys() == names
    assert not MEANINGS.keys() & WITHOUT_MEANING.keys()


@pytest.mark.parametrize(
    ("text", "arguments", "result"),
    [
        ("f(x::Integer) = x % 3", (-7,), -1),
        ("f(x::Integer) = mod(x, 3)", (-7,), 2),
        ("f(x::Real) = x / 4", (Fraction(3),), Fraction(3, 4)),
        ("f(x::Real) = sqrt(9 / 4) * x + log(1)", (Fraction(2),), Fraction(3)),
        ("f(x::Real, y::Real) = x > 1 && y / x > 1", (Fraction(0), Fraction(1)), False),
        (
            "f(v::MetricVector(Data, LInf)) = undisc_container(clip(L1, v))",
            (vector(3, -1),),
            [Fraction(3, 4), -HALF / 2],
        ),
        (
            "f(v::MetricVector(Data, LInf)) = undisc_container(clip(L2, v))",
            (vector(3, 4),),
            [Fraction(3, 5), Fraction(4, 5)],
        ),
        ("f(v::MetricVector(Real, L1)) = fold((e, a) -> e + 2 * a, 0.0, v)", (vector(1, 2, 3),), Fraction(11)),
        ("f(v::MetricVector(Real, L1), k::Static(Integer)) = v[k]", (vector(5, 6), 2), Fraction(6)),
        ("f(x::Real) = (y -> y + x)(2 * x)", (HALF,), Fraction(3, 2)),
        ("g(x::Float64) = 1\ng(x) = 2\nf() = g(2)", (), 2),
        ("g(x::Float64) = 1\ng(x) = 2\nf() = g(2.0)", (), 1),
        ("g(x::Real) = 1.0\ng(x::Integer) = 2\nf(x::Integer) = g(x)", (3,), 2),
        ("function f(x::Real)\n    for i in 3:-1:1\n        x = 2 * x + i\n    end\n    x\nend", (Fraction(0),), 17),
        (
            "function f(x::Real)\n    (a, b) = (x, 2 * x)\n    if b > 1\n        a = b\n    end\n    (b, a)\nend",
            (Fraction(1),),
            (2, 2),
        ),
    ],
)
def test_programs_compute_what_they_do_in_julia(text: str, arguments: tuple[Any, ...], result: object) -> None:
    assert ran(text, *arguments) == result


@pytest.mark.parametrize("text", ["f(v::MetricVector(Real, L1)) = v[3]", "f(v::MetricVector(Real, L1)) = 1 / v[1]"])
def test_programs_fail_where_they_do_in_julia(text: str) -> None:
    with pytest.raises(Undefined):
        ran(text, vector(0, 1))


PEOPLE, NUMBERS = "m::MetricMatrix(Real, Symmetric)", "m::MetricMatrix(Real, LInf)"


@pytest.mark.parametrize(
    ("header", "written", "shape"),
    [
        (PEOPLE, "map_rows(r -> [r[1], r[2], 3], m)", (0, 3)),
        (PEOPLE, "map_rows(r -> [1 / (r[1] - r[2])], m)", (0, 1)),
        (PEOPLE, "map_rows(r -> r[1], m)", (0,)),
        ("m::MetricMatrix(Bool, Symmetric)", "map_rows(r -> k(r[1]), m)", (0,)),
        (PEOPLE, "sum(clip(L2, 1, map_rows(r -> [r[1], r[2], 3], m)); dims=1)", (1, 3)),
        (NUMBERS, "map_rows(r -> r[2:2], m)", (0, 1)),
        (NUMBERS, "map_rows_binary((r, s) -> [r[1]], m, m)", (0, 1)),
        (NUMBERS, "map_cols(c -> [c[1], c[1], c[2]], m')", (3, 0)),
    ],
)
def test_rows_that_are_made_of_none_are_as_long(header: str, written: str, shape: tuple[int, ...]) -> None:
    """How long they are is public, so it must not tell whether there is a row."""
    text = f"k(b::Bool) = b\nf({header}) = {written}"
    (target,) = (each for each in targets(text, engine=ENGINE) if each.name == "f")
    assert target.interpreter.run(target.method, (array([], (0, 2)),)).shape == shape


def test_whether_there_is_a_row_is_not_seen_by_how_long_it_is() -> None:
    text = "f(m::MetricMatrix(Real, Symmetric)) = size(map_rows(r -> [r[1], r[1], 2], m), 2)"
    assert not refuted(text, "sound", 200)


def test_records_that_are_filled_in_are_of_the_type_of_all() -> None:
    """A number makes numbers of truth values, so it is not known that the methods for these run."""
    methods = "g(x::Bool) = clamp(0, 0, 1)\ng(x::Integer) = clamp(100 + x, 100, 101)\n"
    text = methods + "f(v::MetricVector(Bool, Symmetric)) = sum(map(x -> g(x), resize(v, 3, 0)))"
    assert not refuted(text, "sound", 100)
    assert Engine().check(text).functions[-1].state is State.UNKNOWN
    filled = ran("f(v::MetricVector(Bool, Symmetric)) = resize(v, 3, 0)", vector(True))
    assert list(filled) == [1, 0, 0] and not any(isinstance(each, bool) for each in filled)


def refuted(text: str, profile: str, tries: int) -> list[str]:
    """The functions of a program of which a claim is refuted."""
    searched = ((each, each.attacked(random.Random(text), 3, tries)) for each in targets(text, profile, ENGINE))
    return [target.name for target, found in searched if found is not None and found.refutation is not None]


def blocks(page: Path, profile: str) -> list[str]:
    found = spec_runner.blocks(page.read_text(encoding="utf-8"))
    return [block.text for block in found if "files" not in block.words and block.options.profile == profile]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_claim_of_the_specification_is_refuted(page: Path) -> None:
    """Of all attacks, and of other pages each other program: the hunt for mutants begins with all of these."""
    step = 1 if page.parent.name == "attacks" else 2
    for text in blocks(page, "sound")[::step] if page.stem != "projects" else ():
        assert refuted(text, "sound", 12) == [], text


def test_the_same_search_refutes_the_published_rules() -> None:
    """As many of the published rules as ``python -m tests.attack scoreboard`` lists; a short search finds most."""
    found = {
        text
        for page in PAGES
        if page.stem != "projects"
        for text in blocks(page, "published")
        if refuted(text, "published", 40)
    }
    assert len(found) >= 12


@pytest.mark.parametrize("mutant", HALVED, ids=lambda mutant: mutant.name)
def test_the_search_refutes_a_row_whose_factors_are_halved(mutant: Mutant) -> None:
    with in_place(mutant) as engine:
        assert any(is_refuted(example + "\n", engine) for example in mutant.row.examples)


@pytest.mark.slow
def test_the_command_that_attacks() -> None:
    done = python("-m", "tests.attack", "programs", "--count", "4")
    assert done.returncode == 0 and "0 claims refuted" in done.stdout, done.stderr


@pytest.mark.parametrize("group", range(GROUPS))
def test_no_claim_about_random_programs_is_refuted(group: int) -> None:
    checked = 0
    for seed in range(group, PROGRAMS, GROUPS):
        text = program(seed)
        for target in targets(text, engine=ENGINE):
            found = target.attacked(random.Random(seed), 2, 10)
            checked += found is not None and len(found.pairs)
            assert found is None or found.refutation is None, text
    assert checked > PROGRAMS // GROUPS
