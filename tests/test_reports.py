"""The reports: JSON as the contract has it, and what a person sees of a problem and of a function."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from textwrap import dedent
from typing import Any

import jsonschema
import pytest

from analyses import COST, DETAILS, EPS, analysis, annotated, function, problem
from dp_lsp.analysis.details import PairDetail, ParameterDetail, Standing
from dp_lsp.analysis.records import Analysis, Options, Setting, State
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.cli import main
from dp_lsp.cli.reporters.checked import Checked, sentence
from dp_lsp.cli.reporters.concise import lines as concise
from dp_lsp.cli.reporters.full import FullReport
from dp_lsp.cli.reporters.full import lines as whole
from dp_lsp.cli.style import coloured, plain
from dp_lsp.core.algebra import Function, Poly, Symbol, apply
from dp_lsp.core.sens import INFINITY, ZERO, Sens
from dp_lsp.core.types import REAL
from dp_lsp.engine.check import Engine
from dp_lsp.features.derivation import derivation
from dp_lsp.features.report import COUNTS, report, schema
from dp_lsp.problem import Edit, Fix, Problem, Related, Severity
from dp_lsp.text import Span
from several_files import Texts
from source_tree import ROOT

PUBLISHED = Options(profile="published")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def valid(files: list[tuple[str, Analysis]], profile: str = "sound") -> Any:
    """The report of these files as a program reads it, after the schema accepted it."""
    result = json.loads(json.dumps(report(files, profile), allow_nan=False))
    jsonschema.validate(result, schema(closed=True))
    return result


IN_PYTHON = """\
from typing import Annotated
from dp_types import AddRemove, Bounded, Private, Static
import numpy as np

def total(ages: Annotated[list[float], AddRemove(), Bounded(0, 9)], eps: Static[float]) -> Private:
    return sum(ages) + np.random.laplace(0, 9 / eps)
"""


def test_types_are_in_the_words_of_the_language() -> None:
    """What is for a person: the type of a function everywhere, and all types in the report of an editor."""
    known = Engine().check(IN_PYTHON, document="a.py")
    for spoken in (False, True):
        (found,) = report([("a.py", known)], "sound", spoken=spoken)["files"][0]["functions"]
        assert "records[?] of float in [0, 9], AddRemove()" in found["display"]
        types = [each["type"] for each in found["parameters"]]
        assert types == (["records[?] of float in [0, 9], AddRemove()", "float"] if spoken else types)
        assert ("Real" in f"{types} {found['returns']}") is not spoken
    page = derivation_of(known, IN_PYTHON.index("total"))
    assert "`sum`" in page and not re.search(r"\b(add_laplace|Symmetric|Real|dims)\b", page)


def derivation_of(analysis: Analysis, offset: int) -> str:
    """The page of the function at an offset."""
    explained = Engine().explain("a.py", Texts({"a.py": analysis.source.text}), ("a.py", offset))
    assert explained is not None
    return derivation(explained, analysis.source, analysis.language, "a.py")


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "report"]) == 0
    printed = json.loads(capsys.readouterr().out)
    jsonschema.Draft7Validator.check_schema(printed)
    result = json.loads(json.dumps(report([("a.jl", analysis())], "sound")))
    jsonschema.validate(result | {"new": 1}, printed)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(result | {"profile": "loud"}, printed)


def test_a_bound_that_is_larger_than_any_float_is_as_good_as_none(tmp_path: Path, capsys: Any) -> None:
    program = "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)"
    (tmp_path / "f.jl").write_text(program, "utf-8")
    asked = ("check", str(tmp_path / "f.jl"), "--set", f"eps=1{'0' * 310}", "--output-format", "json")
    main([*asked])
    (found,) = json.loads(capsys.readouterr().out)["files"]
    assert {each["epsilon"] for each in found["functions"][0]["numeric"]} == {None}


def test_json_is_what_the_contract_says() -> None:
    text, (name, mark) = annotated("‹f›(x) = 𝔻‹x›\r\ng(y) = y")
    found = problem(mark, related=(Related("here", name),), fixes=(Fix("drop it", (Edit(mark, "0"),)),))
    failed = function(span=Span(0, mark.end), name_span=name, state=State.FAILED)
    made = analysis(text, (found,), (failed,), State.FAILED)
    result = valid([("src/a.jl", made), ("b.jl", analysis())])
    assert result["summary"] == dict(zip(COUNTS, (2, 0, 0, 1, 0, 0, 1, 0), strict=True))
    assert result["files"][1] == {"path": "b.jl", "status": "proved", "functions": [], "diagnostics": []}
    (only,), (diagnostic,) = result["files"][0]["functions"], result["files"][0]["diagnostics"]
    assert only["range"] == {"start": {"line": 1, "column": 1}, "end": {"line": 1, "column": 10}}
    assert "numeric" not in only
    place = {"start": {"line": 1, "column": 9}, "end": {"line": 1, "column": 10}}
    assert diagnostic["range"] == place
    assert diagnostic["related"][0]["path"] == "src/a.jl"
    assert diagnostic["fixes"] == [{"title": "drop it", "edits": [{"range": place, "text": "0"}]}]


def test_json_has_numbers_once_numbers_are_given() -> None:
    given = Options(settings=(Setting(None, "eps", Fraction(1, 5)),))
    numbers = (
        NumericReport(("x",), Fraction(1, 5), Fraction(0), "basic"),
        NumericReport(("y",), None, Fraction(1), "basic"),
        NumericReport(("z",), None, None, "", ("k",)),
    )
    private, other = function(numeric=numbers), function("g", kind="sensitivity", parameters=())
    result = valid([("a.jl", analysis(functions=(private, other), options=given))], "published")
    assert result["profile"] == "published"
    first, second = result["files"][0]["functions"]
    assert "numeric" not in second
    assert first["numeric"] == [
        {"parameters": ["x"], "epsilon": 0.2, "delta": 0.0, "rule": "basic"},
        {"parameters": ["y"], "epsilon": None, "delta": 1.0, "rule": "basic"},
        {"parameters": ["z"], "missing": ["k"]},
    ]


# How a problem is drawn


def drawn(text: str, found: Problem, columns: int = 100) -> str:
    made = analysis(text, (found,))
    return "\n".join(FullReport(plain, columns).problem(found, made, "a.jl"))


def expect(text: str, found: Problem, picture: str, columns: int = 100) -> None:
    head = "error[DP399]: this moves too much\n"
    tail = "\n  = more: dp-lsp explain DP399"
    shown = drawn(text, found, columns)
    assert shown == head + dedent(picture).strip("\n") + tail


def test_a_problem_with_its_cause() -> None:
    text, (enters, noise, first, second) = annotated("""
        function f(‹x›::Real) :: Priv()
           gaussian(‹1›, 0.5, 1e-5, ‹x› + ‹x›)
        end
    """)
    related = (
        Related("`x` enters here", enters),
        Related("used twice: 1 + 1", first),
        Related("used twice: 1 + 1", second),
        Related("2 is the smallest value that is enough", noise),
    )
    picture = """
          ┌─ a.jl:2:13
        1 │ function f(x::Real) :: Priv()
          │            - `x` enters here
        2 │    gaussian(1, 0.5, 1e-5, x + x)
          │             ^             -   - used twice: 1 + 1
          │             │
          │             2 is the smallest value that is enough
          = fix available: replace 1 by 2
    """
    expect(text, problem(noise, related=related, fixes=(Fix("replace 1 by 2", ()),)), picture)


def test_places_inside_each_other_are_drawn_below_each_other() -> None:
    text, (inner, name) = annotated("y = f(‹x› + 1) + ‹z›")
    outer = Span(4, 12)
    picture = """
          ┌─ a.jl:1:5
        1 │ y = f(x + 1) + z
          │     ^^^^^^^^   - and this
          │     │
          │     the call
          │       - this
    """
    related = (Related("this", inner), Related("and this", name), Related("the call", outer))
    expect(text, problem(outer, related=related), picture)


def test_lines_between_are_left_out_but_a_single_one_is_shown() -> None:
    text, (first, second, third) = annotated("‹a›\nb\n‹c›\nd\ne\n‹f›")
    picture = """
          ┌─ a.jl:6:1
        1 │ a
          │ - one
        2 │ b
        3 │ c
          │ - two
        … │
        6 │ f
          │ ^
    """.replace("… │", "…")
    expect(text, problem(third, related=(Related("one", first), Related("two", second))), picture)


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("数据 = ‹数›", "       ^^"),
        ("e\u0301 = ‹x›", "    ^"),
        ("x\t‹x›", "    ^"),
        ("ab\t‹x›", "    ^"),
        ("a👩‍🔬 = ‹x›", "        ^"),
        ("x = ‹›", "    ^"),
        ("‹x = \n›", "^^^^"),
        ("‹x = \r\n›", "^^^^"),
    ],
)
def test_carets_stand_under_what_they_mean(text: str, under: str) -> None:
    clean, (mark,) = annotated(text)
    assert drawn(clean, problem(mark)).splitlines()[3] == f"  │ {under}"


def test_what_steers_a_terminal_is_shown_not_sent() -> None:
    text, (mark,) = annotated('‹x› = "\x1b[31m\x07\u202e\x85"')
    found = problem(mark, related=(Related("a\x1b[0m\nb", mark),))._replace(message="one\ntwo\x1b")
    shown = drawn(text, found)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "one two␛" in shown and 'x = "␛[31m␇' in shown and "^ a␛[0m b" in shown
    (line,) = list(concise(Checked([("a\nb.jl", analysis(text, (found,)))])))[:-1]
    assert line == "a b.jl:1:1: error[DP399] one two␛"


@pytest.mark.parametrize(
    ("before", "after", "line", "under"),
    [
        (0, 200, "x" + "-" * 53 + "…", "^"),
        (200, 200, "…" + "-" * 16 + "x" + "-" * 37 + "…", " " * 17 + "^"),
        (200, 0, "…" + "-" * 53 + "x", " " * 54 + "^"),
    ],
)
def test_long_lines_are_cut_around_the_place(before: int, after: int, line: str, under: str) -> None:
    text = "-" * before + "x" + "-" * after
    rows = drawn(text, problem(Span(before, before + 1)), columns=60).splitlines()
    assert rows[2:4] == [f"1 │ {line}", f"  │ {under}"]


def test_what_a_long_line_is_cut_around_is_the_problem() -> None:
    text, (cause, mark) = annotated("‹a›" + "-" * 200 + "‹x›" + "-" * 200)
    rows = drawn(text, problem(mark, related=(Related("the cause", cause),)), columns=60).splitlines()
    assert rows[2:4] == [f"1 │ …{'-' * 16}x{'-' * 37}…", f"  │ -{' ' * 16}^"]
    assert rows[4:6] == ["  │ │", "  │ the cause"]


def test_a_place_of_many_lines() -> None:
    text, (mark,) = annotated("x = ‹[\n  1,\n\n  2,\n  3]› # end")
    picture = """
          ┌─ a.jl:1:5
        1 │ x = [
          │     ^
        …
        5 │   3] # end
          │   ^^ all
    """
    expect(text, problem(mark, related=(Related("all", mark),)), picture)


def test_of_a_cause_of_many_lines_the_first_is_enough() -> None:
    text, (loop, mark) = annotated("‹for i in 1:b\n  x = x + y\n  z\nend›\nw\n‹x›")
    picture = """
          ┌─ a.jl:6:1
        1 │ for i in 1:b
          │ ------------ b times
        …
        6 │ x
          │ ^
    """
    expect(text, problem(mark, related=(Related("b times", loop),)), picture)


def test_an_empty_text_and_a_place_at_its_end() -> None:
    assert drawn("", problem(Span(0, 0))).splitlines()[1] == "  ┌─ a.jl:1:1"
    assert drawn("x\n", problem(Span(2, 2))).splitlines()[1:3] == ["  ┌─ a.jl:2:1", "2 │"]


def test_colour_changes_no_word() -> None:
    text, (one, two) = annotated("f(‹数›) = ‹x›")
    made = analysis(text, (problem(two, related=(Related("here", one),)),), (function(), function("g")))
    run = Checked([("a.jl", made), ("b.jl", analysis(options=PUBLISHED))], statistics=True)
    plainly, painted = list(whole(run)), list(whole(run._replace(paint=coloured)))
    assert painted != plainly
    assert [ESCAPE.sub("", line) for line in painted] == plainly


# What a person reads of functions


def full(*files: tuple[str, Analysis], statistics: bool = False, verbose: bool = False) -> str:
    return "\n".join(whole(Checked(files, seconds=0.314, statistics=statistics, verbose=verbose)))


LONG = Sens((apply(Function.ABS, Poly.of(EPS) + Poly.of(Symbol("_".join(["epsilon"] * 10)))),))


def private(name: str, epsilon: Sens = COST.epsilon, static: bool = False) -> ParameterDetail:
    standing = Standing.PUBLIC if static else Standing.BOUNDED
    return ParameterDetail(name, REAL, static, standing, guarantees=(PairDetail(epsilon, ZERO),))


def test_a_function_is_a_line_and_the_rest_is_asked_for() -> None:
    picture = """
        a.jl
          f   proved    x: ε eps  δ 0   hides a change by at most 1   Laplace   1 condition

        types and conditions: --verbose, or dp-lsp explain FILE:FUNCTION
        1 function: 1 proved.   0.31 s
    """
    assert full(("a.jl", analysis(functions=(function(),)))) == dedent(picture).strip("\n")


def test_verbose_shows_all_that_a_guarantee_depends_on() -> None:
    twice = PairDetail(Sens((Poly.of(EPS) + Poly.of(EPS),)), ZERO)
    either = ParameterDetail("y", REAL, False, Standing.BOUNDED, guarantees=(twice, COST))
    parameters = (private("x"), either, DETAILS.parameters[1])
    picture = """
        a.jl
          f   proved    x: ε eps  δ 0; y: ε 2⋅eps  δ 0 or …   hides a change by at most 1   Laplace
              1 condition

              {
              |   - Real@(eps, 0)
              |   - Real@(2⋅eps, 0)
              |   - Real[eps ©]@(0, 0)
              |   --------------------------
              |    ->* Real
              }

              costs
                y: ε 2⋅eps
                   δ 0
                or ε eps
                   δ 0

              hides
                x, y: a change by at most 1

              holds if
                0 < eps

              where you choose
                0 < s < 1   a share of δ you may choose: the smaller it is, the larger is ε

        1 function: 1 proved.   0.31 s
    """
    shown = full(("a.jl", analysis(functions=(function(parameters=parameters),))), verbose=True)
    assert shown == dedent(picture).strip("\n")


def test_numbers_stand_in_the_place_of_formulas() -> None:
    numbers = (
        NumericReport(("x",), Fraction("0.5630001"), Fraction("1e-5"), "basic"),
        NumericReport(("x2",), Fraction("0.5630001"), Fraction("1e-5"), "basic"),
        NumericReport(("y",), None, None, "", ("k",)),
    )
    assert full(("a.jl", analysis(functions=(function(numeric=numbers),)))).splitlines()[1:3] == [
        "  f   proved    x, x2: ε 0.564  δ 1e-5   (basic); y: a number is missing for k (--set NAME=NUMBER)",
        "      hides a change by at most 1   Laplace   1 condition",
    ]


def test_the_table_says_what_is_known_and_why_and_begins_with_what_needs_somebody() -> None:
    text, (broken, noted, other) = annotated("‹f(x)›\n‹twice(x)›\n‹h(x)›\n")
    bare: dict[str, Any] = {"needs": (), "bounds": (), "mechanisms": ()}
    twice = ParameterDetail("x", REAL, False, Standing.BOUNDED, Sens.of(2))
    nothing, box = (
        ParameterDetail(name, REAL, False, each) for name, each in (("x", Standing.UNKNOWN), ("#1", Standing.DECLARED))
    )
    functions = (
        function("twice", span=noted, kind="sensitivity", parameters=(twice,), **bare),
        function("box", State.ASSUMED, span=other, kind="blackbox", parameters=(box,), **bare),
        function("h", State.UNKNOWN, span=other, parameters=(nothing,), mechanisms=()),
        function("f", State.FAILED, span=broken, parameters=(private("x", INFINITY),), **bare),
    )
    found = (problem(broken), problem(noted, Severity.WARNING)._replace(code="DP398"))
    shown = full(("b.jl", analysis(functions=(function(),))), ("a.jl", analysis(text, found, functions, State.FAILED)))
    assert shown.endswith("""
a.jl
  f       failed    x: not private as declared   see DP399
  h       unknown                                calls g
  twice   proved    2 in x                       note DP398
  box     assumed   a black box: not checked

b.jl
  f   proved    x: ε eps  δ 0   hides a change by at most 1   Laplace   1 condition

types and conditions: --verbose, or dp-lsp explain FILE:FUNCTION
5 functions in 2 files: 2 proved, 1 assumed, 1 failed, 1 unknown.   0.31 s""")


def test_nothing_is_said_twice() -> None:
    text, (one, two) = annotated("‹f(x)›\n‹g(x)›\n")
    functions = tuple(
        function(name, State.UNKNOWN, span=span, reason="this moves too much")
        for name, span in zip("fg", (one, two), strict=True)
    )
    shown = full(("a.jl", analysis(text, (problem(one), problem(two)), functions, State.UNKNOWN)))
    assert shown.count("this moves too much") == 2, "once at each place"
    assert shown.count("more: dp-lsp explain DP399") == 1


def test_long_bounds_stand_below_their_function() -> None:
    parameters = (private("data", LONG), private("labels", LONG), private("k", static=True))
    rows = full(("a.jl", analysis(functions=(function(parameters=parameters),)))).splitlines()
    assert rows[1:4] == [
        "  f   proved",
        f"      data, labels: ε |eps + {'_'.join(['epsilon'] * 10)}|  δ 0",
        "      hides a change by at most 1   Laplace   1 condition",
    ]


@pytest.mark.parametrize(
    ("analyses", "summary"),
    [
        ([analysis()], "no function in 1 file."),
        ([analysis(state=State.UNKNOWN)], "no function in 1 file: 1 unknown."),
        (
            [analysis(functions=(function(),), state=State.FAILED)],
            "1 function: 1 proved; 1 file failed outside its functions.",
        ),
        ([analysis(functions=(function(),)), analysis()], "1 function in 2 files: 1 proved."),
    ],
)
def test_summary(analyses: list[Analysis], summary: str) -> None:
    assert sentence(analyses) == summary


def test_the_published_profile_is_named_wherever_a_person_looks() -> None:
    files = [("a.jl", analysis(options=PUBLISHED))]
    assert "some of which are known not to hold" in full(*files)
    assert "some of which are known not to hold" in "\n".join(concise(Checked(files)))
    assert "published" not in full(("a.jl", analysis()))


def test_statistics_count_by_code() -> None:
    one, two = problem(Span(0, 1)), problem(Span(0, 1), Severity.WARNING)._replace(code="DP398")
    shown = list(concise(Checked([("a.jl", analysis("x", (one, two, one)))], statistics=True)))
    assert shown[3:5] == ["2  DP399  error        made-up", "1  DP398  warning      made-up"]
    assert shown[3:5] == full(("a.jl", analysis("x", (one, two, one))), statistics=True).splitlines()[-4:-2]


# With the real engine

RELEASE = """
function noisy(x::Real, eps::Static()) :: Priv()
   laplacian_mechanism(1, eps, x)
end
twice(x::Real) = x + x
"""


@pytest.mark.parametrize("options", [[], ["--profile", "published"], ["--set", "eps=1/2"]])
@pytest.mark.parametrize("program", ["fixtures/programs/dp_sgd.jl", None])
def test_json_of_programs_is_what_the_contract_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, program: str | None, options: list[str]
) -> None:
    file = ROOT / program if program else tmp_path / "release.jl"
    if not program:
        file.write_text(RELEASE, "utf-8")
    code = main(["check", "--output-format", "json", *options, str(file)])
    result = json.loads(capsys.readouterr().out)
    jsonschema.validate(result, schema(closed=True))
    assert code == (0 if result["files"][0]["status"] in ("proved", "assumed") else 1)
    assert result["profile"] == ("published" if "published" in options else "sound")


def test_a_proved_program_reads_well(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "release.jl"
    file.write_text(RELEASE, "utf-8")
    assert main(["check", "--color", "never", "--set", "noisy:eps=1/2", str(file)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^  noisy +proved +x: ε 0.5  δ 0 ", shown, re.MULTILINE)
    assert re.search(r"^  twice +proved +2 in x", shown, re.MULTILINE)
    assert main(["check", "--color", "never", "--verbose", str(file)]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^  noisy +proved +x: ε eps  δ 0 ", shown, re.MULTILINE)
    assert re.search(r"holds if\n +0 < eps\n", shown)
    assert re.search(r"^2 functions: 2 proved\.   \d+\.\d\d s$", shown, re.MULTILINE)


def test_an_error_shows_its_cause_and_its_fix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "release.jl"
    file.write_text(RELEASE.replace("eps, x)", "eps, x + x)"), "utf-8")
    assert main(["check", "--color", "never", str(file)]) == 1
    shown = capsys.readouterr().out
    assert re.match(r"error\[DP301\]: .+\n +┌─ .+release.jl:3:\d+\n2 │ function noisy", shown)
    assert "= fix available: replace 1 by 2" in shown
    assert "= more: dp-lsp explain DP301" in shown
    assert re.search(r"^  noisy +failed .* see DP301$", shown, re.MULTILINE)


# Fixes: what is offered was tried


def test_a_report_offers_only_fixes_that_were_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jl").write_text("f(x::Real) = laplacian_mechanism(1, 1, x)\ng(x::Real) = f(x)\n", "utf-8")
    Path("b.jl").write_text("f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x + x)\n", "utf-8")

    def offered(*options: str) -> dict[str, list[str]]:
        main(["check", "--output-format", "json", *options, "."])
        files = json.loads(capsys.readouterr().out)["files"]
        return {file["path"]: [fix["title"] for d in file["diagnostics"] for fix in d["fixes"]] for file in files}

    assert offered() == {"a.jl": [], "b.jl": []}, "trying takes time, so a program asks for it"
    twice = "declare it with `:: Priv()` (in 2 places)"  # a repair that breaks a caller mends that, too
    assert offered("--fixes") == {"a.jl": [twice], "b.jl": ["replace 1 by 2"]}
    main(["check", "."])
    assert capsys.readouterr().out.count("fix available: replace 1 by 2") == 1
    main(["check", "--output-format", "concise", "."])
    assert "fix" not in capsys.readouterr().out
