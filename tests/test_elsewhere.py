"""What a problem tells of other places: in other pieces of text, and in other files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import several_files
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Problem, There
from several_files import Texts, sections
from stdio_driver import Driver

RELATED = {"publishDiagnostics": {"relatedInformation": True}}
MAIN = 'include("helper.jl")\n'
PROGRAM = f"""\
# file: main.jl
{MAIN}
g(x::Real) = f(x)
h(x::Real) = double(x, 2)
k(x::Real) = noisier(x)
p(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, grow(x))
q(x::Real, n::Real) = scale(n, x)
r(x::Real) = g(x)
s(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, double(x))
t(x::Vector{{<:Real}}) = either(x)
# file: helper.jl
f(x::Real) = x + y
double(x::Real) = 2 * x
noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
noisier(x::Real) :: Priv() = noisy(x)
grow(x::Real) = x * x
scale(n::Static(), x::Real) = n * x
either(x::Integer) = 1
either(x::Real) = 2
"""


def seen(texts: dict[str, str], engine: Engine, name: str = "main.jl") -> dict[str, list[str]]:
    """Of each problem of a file, by the line and its code, what is told of other places: the file, what stands there,
    and the message."""
    analyses = engine.project("main.jl", Texts(texts))
    source = analyses[name].source

    def told(problem: Problem) -> list[str]:
        found = []
        for message, span, where, _ in problem.related:
            if where is None:
                found.append(f"{source.text[slice(*span)]}: {message}")
            else:
                assert isinstance(where, There)
                there = analyses[where.file].source
                assert there.text[slice(*where.span)] == where.written
                place = there.place(where.span.start)
                assert (place.line, place.column) == (where.line, len(where.before) + 1)
                found.append(f"{where.file}, {where.written}: {message}")
        return found

    found = analyses[name].problems
    return {f"{source.line(source.place(each.span.start).line)[:1]} {each.code}": told(each) for each in found}


def texts(program: str = PROGRAM) -> dict[str, str]:
    return {section.name: section.text for section in sections(program)}


def test_what_is_elsewhere_is_pointed_at() -> None:
    assert seen(texts(), Engine()) == {
        "g DP111": [
            "helper.jl, f: `f` is defined here",
            "helper.jl, y: `f` has this problem: `y` is not defined here",
        ],
        "h DP203": ["helper.jl, double: `double(Real)` is defined here"],
        "k DP402": [
            "noisier(x): here something is released",
            "helper.jl, laplacian_mechanism: this is the mechanism that runs",
        ],
        "p DP302": [
            "x::Real: `x` enters here",
            "grow(x): here it becomes unbounded",
            "helper.jl, x * x: in `grow`, the result moves without bound when `x` changes, because of `x * x`",
        ],
        "q DP207": ["helper.jl, n::Static(): `n` is declared here"],
        "r DP111": ["g: `g` is defined here", "helper.jl, y: `f` has this problem: `y` is not defined here"],
        "s DP301": [
            "1: 2 is the smallest value that is enough",
            "x::Real: `x` enters here",
            "double(x): 2 times as much",
            "helper.jl, double: `double` is defined here",
        ],
        "t DP210": [
            "helper.jl, either: `either(Integer)` is defined here",
            "helper.jl, either: `either(Real)` is defined here",
        ],
    }


def test_definitions_that_contradict_each_other_point_at_each_other() -> None:
    found = {"main.jl": f"{MAIN}f(x::Real) = 1\n", "helper.jl": "f(y::Real) = 2\n"}
    assert seen(found, Engine()) == {"f DP120": ["helper.jl, f: `f` is defined here too"]}
    assert seen(found, Engine(), "helper.jl") == {"f DP120": ["main.jl, f: `f` is defined here too"]}


def test_a_ring_of_includes_shows_them_all() -> None:
    found = {
        "main.jl": 'k = 1\ninclude("a.jl")\n',
        "a.jl": 'x = 1\n\ninclude("b.jl")\n',
        "b.jl": 'include("c.jl")\n',
        "c.jl": 'include("a.jl")\n',
    }
    told = ['a.jl, include("b.jl"): `b.jl` is included here', 'b.jl, include("c.jl"): `c.jl` is included here']
    assert seen(found, Engine(), "c.jl") == {"i DP014": told}
    engine = Engine()
    assert seen(found, engine, "c.jl") == {"i DP014": told}
    found["a.jl"] = '\ninclude("b.jl")\n'
    assert seen(found, engine, "c.jl") == {"i DP014": told}  # at the place after the edit


def test_a_file_that_includes_itself_points_nowhere_else() -> None:
    assert seen({"main.jl": 'include("main.jl")\n'}, Engine()) == {"i DP014": []}


def test_a_ring_of_calls_points_at_the_next() -> None:
    found = {"main.jl": f"{MAIN}f(x::Real) = g(x)\n", "helper.jl": "g(x::Real) = f(x)\n"}
    assert seen(found, Engine())["f DP104"][0] == "helper.jl, g: `g` is defined here"
    assert seen(found, Engine(), "helper.jl") == {"g DP111": ["main.jl, f: `f` is defined here"]}


def test_a_function_inside_another_is_not_taken_for_one_outside() -> None:
    inner = "g(x::Real) = begin\n   double(y::Real) = y\n   double(x, 2)\nend\n"
    assert seen({"main.jl": MAIN + inner, "helper.jl": "double(x::Real) = 2 * x\n"}, Engine()) == {"  DP203": []}


def test_places_move_with_their_file_and_nothing_is_inferred_for_that() -> None:
    engine, files = Engine(), texts()
    first = seen(files, engine)
    counted = engine.inferred
    files["helper.jl"] = "# one\n# and another line\n\n" + files["helper.jl"]
    assert seen(files, engine) == first
    assert engine.inferred == counted
    files["helper.jl"] = files["helper.jl"].replace("grow(x::Real) = x * x", "grow(x::Real) =   x * x")
    assert seen(files, engine) == first


def test_a_file_of_several_projects_points_into_all_of_them() -> None:
    program = """\
# file: one.jl
f(x::Real) = x + y
include("shared.jl")
# file: two.jl

f(x::Real) = x + z
include("shared.jl")
# file: shared.jl
g(x::Real) = f(x)
"""
    found = several_files.check(Engine(), program)["shared.jl"]
    places = {(each.where.file, each.where.line) for p in found.problems for each in p.related if each.where}  # type: ignore[union-attr]
    assert places == {("one.jl", 2), ("two.jl", 3)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main.jl").write_text(f"{MAIN}\ng(x::Real) = f(x)\n")
    (tmp_path / "helper.jl").write_text("#= 😀 =# f(x::Real) = x + y\n")
    return tmp_path


def test_the_report_names_the_other_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--output-format", "json", "main.jl"])
    (diagnostic,) = json.loads(capsys.readouterr().out)["files"][0]["diagnostics"]
    assert [(each["path"], each["range"]["start"]) for each in diagnostic["related"]] == [
        ("helper.jl", {"line": 1, "column": 9}),
        ("helper.jl", {"line": 1, "column": 26}),
    ]
    main(["check", "main.jl"])
    assert capsys.readouterr().out.startswith("""\
information[DP111]: nothing is known here, because `f` was not checked to the end (`y` is not defined here)
  ┌─ main.jl:3:14
3 │ g(x::Real) = f(x)
  │              ^
  ┌─ helper.jl:1:9
1 │ #= 😀 =# f(x::Real) = x + y
  │          -                - `f` has this problem: `y` is not defined here
  │          │
  │          `f` is defined here
  = more: dp-lsp explain DP111
""")


def _related(driver: Driver, uri: str) -> list[tuple[str, int, int, int]]:
    """The places in other files that the last diagnostics of a document tell of."""
    last = [each for each in driver.published() if each["uri"] == uri][-1]
    found: list[Any] = [each for diagnostic in last["diagnostics"] for each in diagnostic["relatedInformation"]]
    places = [(each["location"]["uri"], each["location"]["range"]) for each in found]
    return [
        (other, range_["start"]["line"], range_["start"]["character"], range_["end"]["character"])
        for other, range_ in places
    ]


def test_an_editor_is_told_where_it_is_whether_that_is_open_or_not(folder: Path) -> None:
    main_uri, helper_uri = ((folder / name).as_uri() for name in ("main.jl", "helper.jl"))
    with Driver() as driver:
        driver.start(folder, textDocument=RELATED)
        driver.open((folder / "main.jl").read_text(), uri=main_uri)
        driver.checked(1, main_uri)
        assert _related(driver, main_uri) == [(helper_uri, 0, 9, 10), (helper_uri, 0, 26, 27)]
        driver.open((folder / "helper.jl").read_text(), uri=helper_uri)
        driver.checked(1, helper_uri)
        driver.checked(1, main_uri)
        assert _related(driver, main_uri) == [(helper_uri, 0, 9, 10), (helper_uri, 0, 26, 27)]
        start = {"line": 0, "character": 0}
        driver.change(2, {"range": {"start": start, "end": start}, "text": "#\n#\n"}, uri=helper_uri)
        driver.checked(2, helper_uri)
        driver.checked(1, main_uri)
        assert _related(driver, main_uri) == [(helper_uri, 2, 9, 10), (helper_uri, 2, 26, 27)]


def test_hover_links_to_the_other_file(folder: Path) -> None:
    uri = (folder / "main.jl").as_uri()
    with Driver() as driver:
        driver.start(folder)
        driver.open((folder / "main.jl").read_text(), uri=uri)
        driver.checked(1, uri)
        place = {"textDocument": {"uri": uri}, "position": {"line": 2, "character": 0}}
        text = driver.ask("textDocument/hover", place)["result"]["contents"]["value"]
        assert f"[helper.jl, line 1]({(folder / 'helper.jl').as_uri()}#L1): `f` is defined here" in text
