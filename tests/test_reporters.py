"""The formats of build servers: each as its publisher's schema has it, and what a reader finds in it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
import xmlschema

from analyses import analysis, annotated, function, problem
from dp_lsp.analysis.records import Analysis, State
from dp_lsp.cli import main
from dp_lsp.cli.reporters import COUNTS_ELSEWHERE, FORMATS, reporter
from dp_lsp.cli.reporters.checked import Checked
from dp_lsp.problem import Edit, Fix, Related, Severity, There
from dp_lsp.text import Span
from dp_lsp.worker.problems import InternalError

SCHEMAS = Path(__file__).parent / "schemas"

# https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
GITLAB = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]+$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "not": {"pattern": r"^\./"}},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer"}}},
                },
            },
        },
    },
}

COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^:,\r\n]*,)*\w+=[^:,\r\n]*)::(.*)")
"""A line that makes an annotation, as the runner of GitHub reads it."""


@cache
def sarif_schema() -> Any:
    return jsonschema.Draft4Validator(json.loads((SCHEMAS / "sarif-2.1.0.json").read_text("utf-8")))


@cache
def junit_schema() -> Any:
    return xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd"))


def sarif(text: str) -> Any:
    """The only run of a log, after the schema accepted it."""
    log = json.loads(text)
    sarif_schema().validate(log)
    (run,) = log["runs"]
    return run


def gitlab(text: str) -> list[Any]:
    """The issues of a report, after the schema accepted it."""
    issues = json.loads(text)
    jsonschema.validate(issues, GITLAB)
    prints = [issue["fingerprint"] for issue in issues]
    assert len(set(prints)) == len(prints)
    return issues


def junit(text: str) -> Any:
    """The root of a report, after the schema accepted it and its totals were counted."""
    junit_schema().validate(text)
    root = ElementTree.fromstring(text.encode("utf-8", "backslashreplace"))
    for above in (root, *root.iter("testsuite")):
        for total, element in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(above.get(total)) == sum(1 for _ in above.iter(element)), total
    return root


def github(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands of a log, as the runner decodes them."""
    found = []
    for line in text.splitlines():
        if line.startswith("::"):
            match = COMMAND.fullmatch(line)
            assert match, line
            pairs = (each.split("=", 1) for each in match[2].split(","))
            found.append((match[1], {name: unquote(value) for name, value in pairs}, unquote(match[3])))
    return found


READERS = {"json": json.loads, "sarif": sarif, "github": github, "gitlab": gitlab, "junit": junit}


def written(form: str, run: Checked) -> str:
    return "".join(f"{line}\n" for line in reporter(form)(run))


def read(form: str, *files: tuple[str, Analysis], **more: Any) -> Any:
    return READERS[form](written(form, Checked(files, **more)))


def failed(text: str = "‹f›(x) = ‹two› + ‹x›\n", **more: Any) -> Analysis:
    """A function with an error whose cause is a way through it."""
    clean, (name, way, mark) = annotated(text)
    related = (
        Related("this is enough", name),
        Related("`x` enters here", way, step=True),
        Related("twice as much", mark, There("b.jl", Span(4, 7), 2, "  ", "abc"), step=True),
    )
    fix = Fix("take it out", (Edit(mark, "0"),))
    found = problem(mark, related=related, fixes=(fix,), **more)
    made = function(state=State.FAILED, span=Span(name.start, len(clean)), name_span=name)
    return analysis(clean, (found,), (made,), State.FAILED)


def unknown(accepted: bool = False) -> Analysis:
    made = function(state=State.UNKNOWN, reason="it calls `g`", accepted=accepted, span=Span(0, 7))
    return analysis("f(x) = g(x)\n", (), (made,), State.UNKNOWN)


# Schemas


def test_every_format_is_read_by_its_schema() -> None:
    files = (("src/a.jl", failed()), ("b.jl", unknown()), ("c.jl", unknown(accepted=True)), ("d.jl", analysis()))
    assert set(READERS) | {"full", "concise"} == set(FORMATS)
    for form in READERS:
        read(form, *files, statistics=True, exit_code=1)
        read(form)


@pytest.mark.parametrize(
    ("form", "old", "new"),
    [
        ("sarif", '"level": "error"', '"level": "fatal"'),
        ("sarif", '"startLine": 1', '"startLine": 0'),
        ("sarif", '"ruleId"', '"rule"'),
        ("gitlab", '"critical"', '"terrible"'),
        ("gitlab", '"begin": 1', '"begin": "one"'),
        ("junit", "<failure", "<failed"),
        ("junit", "classname", "class"),
        ("junit", "&#10;", "<"),
    ],
)
def test_a_broken_report_is_refused(form: str, old: str, new: str) -> None:
    text = written(form, Checked([("a\n.jl", failed())]))
    READERS[form](text)
    assert old in text
    with pytest.raises((jsonschema.ValidationError, xmlschema.XMLSchemaException, ElementTree.ParseError)):
        READERS[form](text.replace(old, new))


# SARIF


def test_sarif_tells_where_and_why() -> None:
    run = read("sarif", ("src/ä b.jl", failed()), exit_code=1)
    (result,), (rule,) = run["results"], run["tool"]["driver"]["rules"]
    assert run["columnKind"] == "unicodeCodePoints"
    where = result["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "src/%C3%A4%20b.jl", "uriBaseId": "%SRCROOT%", "index": 0}
    assert where["region"] == {"startLine": 1, "startColumn": 14, "endLine": 1, "endColumn": 15}
    assert result["locations"][0]["logicalLocations"][0]["name"] == "f"
    assert [each["id"] for each in result["relatedLocations"]] == [1, 2, 3]
    (flow,) = result["codeFlows"][0]["threadFlows"]
    way = [each["location"]["message"]["text"] for each in flow["locations"]]
    assert way == ["`x` enters here", "twice as much", "this moves too much"]
    there = flow["locations"][1]["location"]["physicalLocation"]
    assert there["artifactLocation"]["uri"] == "b.jl"
    assert there["region"] == {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 6}
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": where["region"], "insertedContent": {"text": "0"}}]
    assert rule["id"] == result["ruleId"]


def test_sarif_has_the_page_of_each_rule_that_is_needed() -> None:
    found = problem(Span(0, 1))._replace(code="DP301", name="too-sensitive")
    lower = found._replace(code="DP303", severity=Severity.HINT)
    run = read("sarif", ("a.jl", analysis(problems=(lower, found, found))))
    rules = run["tool"]["driver"]["rules"]
    assert (rules[0]["id"], rules[0]["name"]) == ("DP301", "TooSensitive")
    assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == ["DP301", "DP301", "DP303"]
    assert rules[0]["help"]["markdown"].startswith("# DP301 · too-sensitive\n\nThe noise of a mechanism")
    assert rules[0]["helpUri"].endswith("#dp301")
    assert rules[0]["defaultConfiguration"] == {"level": "error"}
    assert run["results"][2]["level"] == "note"


@pytest.mark.parametrize(("code", "well"), [(0, True), (1, True), (2, False), (101, False)])
def test_sarif_tells_how_the_run_ended(code: int, well: bool) -> None:
    bug = InternalError.at(Span(0, 0), error="KeyError")
    found = analysis(problems=(bug,) * (code == 101), state=State.UNKNOWN)
    (invocation,) = read("sarif", ("a.jl", found), exit_code=code)["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (well, code)
    assert len(invocation["toolExecutionNotifications"]) == (code == 101)


def fingerprints(text: str) -> list[str]:
    clean, marks = annotated(text)
    made = function(span=Span(0, len(clean)))
    run = read("sarif", ("a.jl", analysis(clean, tuple(problem(mark) for mark in marks), (made,))))
    return [each["partialFingerprints"]["dpLspFinding/v1"] for each in run["results"]]


def test_a_fingerprint_survives_moved_lines() -> None:
    first, second = fingerprints("f(x) =\n  ‹x› + ‹x›\n")
    assert first != second
    assert fingerprints("# more\n\nf(x) =\n\n      ‹x› + ‹x›\n") == [first, second]
    assert fingerprints("f(x) =\n  ‹x› + ‹y›\n")[0] != first


# What is not proved without a problem


def test_a_function_that_is_unknown_is_seen() -> None:
    files = [("a.jl", unknown())]
    (result,) = read("sarif", *files)["results"]
    assert (result["ruleId"], result["level"]) == ("not-proved", "note")
    assert result["message"]["text"] == "`f` is unknown: it calls `g`"
    ((kind, properties, message),) = read("github", *files)
    assert (kind, properties["title"], message) == ("notice", "not-proved", "`f` is unknown: it calls `g`")
    assert read("gitlab", *files)[0]["check_name"] == "not-proved"
    assert read("junit", *files).find(".//error").get("message") == "it calls `g`"


def test_what_is_accepted_is_suppressed() -> None:
    files = [("a.jl", unknown(accepted=True))]
    (result,) = read("sarif", *files)["results"]
    assert result["suppressions"][0]["justification"] == "it calls `g`"
    assert read("github", *files) == read("gitlab", *files) == []
    assert read("junit", *files).find(".//skipped").get("message") == "it calls `g`"
    assert read("junit", *files, error_on_accepted=True).find(".//failure").get("type") == "accepted"


# GitHub, GitLab and JUnit


def test_github_shows_each_problem_beside_its_line() -> None:
    ((kind, properties, message),) = read("github", ("src/a,b:c%.jl", failed()))
    assert kind == "error"
    assert properties["file"] == "src/a,b:c%.jl"
    assert [properties[name] for name in ("line", "col", "endLine", "endColumn")] == ["1", "14", "1", "15"]
    assert message.splitlines() == [
        "this moves too much",
        "src/a,b:c%.jl:1: this is enough",
        "src/a,b:c%.jl:1: `x` enters here",
        "b.jl:2: twice as much",
        "fix available: take it out",
        "more: dp-lsp explain DP399",
    ]
    last = written("github", Checked([("a.jl", failed())], statistics=True)).splitlines()[1:]
    assert last == ["1  DP399  error        made-up", "1 function: 1 failed."]


def test_github_counts_columns_in_one_line_only() -> None:
    text, (mark,) = annotated("‹a\nb›")
    ((_, properties, _),) = read("github", ("a.jl", analysis(text, (problem(mark, Severity.WARNING),))))
    assert properties == {"file": "a.jl", "line": "1", "endLine": "2", "title": "DP399 made-up"}


def test_gitlab_has_an_issue_for_each_problem() -> None:
    issue, other = read("gitlab", ("src/a.jl", failed()), ("b.jl", failed()))
    assert issue["description"] == "DP399: this moves too much. Fix available: take it out"
    assert (issue["check_name"], issue["severity"]) == ("made-up", "critical")
    assert issue["location"] == {"path": "src/a.jl", "lines": {"begin": 1}}
    assert issue["fingerprint"] != other["fingerprint"]


def verdicts(*files: tuple[str, Analysis], **more: Any) -> list[tuple[str, str]]:
    cases = read("junit", *files, **more).iter("testcase")
    ends = ("failure", "error", "skipped")
    return [(case.get("name"), next((end for end in ends if case.find(end) is not None), "")) for case in cases]


def test_junit_has_a_case_for_each_function() -> None:
    warned = analysis(problems=(problem(Span(0, 1), Severity.WARNING),), functions=(function(),))
    lost = analysis(problems=(problem(Span(0, 1), unchecked=True),), state=State.UNKNOWN)
    assert verdicts(("a.jl", failed())) == [("f(Real, Real)", "failure")]
    assert verdicts(("a.jl", unknown())) == [("f(Real, Real)", "error")]
    assert verdicts(("a.jl", analysis())) == [("outside of functions", "")]
    assert verdicts(("a.jl", lost)) == [("outside of functions", "error")]
    assert verdicts(("a.jl", warned)) == [("f(Real, Real)", "")]
    assert verdicts(("a.jl", warned), error_on_warning=True) == [("f(Real, Real)", "failure")]
    text = read("junit", ("a.jl", failed())).find(".//failure").text
    first, *context = text.split("\n")
    assert first == "a.jl:1:14: error[DP399] this moves too much"
    assert context[-2:] == ["  fix available: take it out", "  more: dp-lsp explain DP399"]
    assert "  b.jl:2: twice as much" in context


# With the real engine

DOUBLED = """\
function p(x::Real) :: Priv()
   y = x + x
   laplacian_mechanism(1, 1, y)
end
q(x::Real) = p(x)
r(x::Real) = rem(x)  # dp: ignore[DP113] flat
"""


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_in_every_format(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jl").write_text(DOUBLED, "utf-8")
    assert main(["check", "--output-format", form, "--statistics"]) == 1
    shown = capsys.readouterr()
    assert ("1  DP301" in shown.err) is (form in COUNTS_ELSEWHERE)
    if form in READERS:
        READERS[form](shown.out)
    assert main(["check", "--output-format", form, "--output-file", "out"]) == 1
    assert capsys.readouterr().out == ""
    assert "the noise hides a change of 1, but `y` can change by 2" in Path("out").read_text("utf-8")
    if form == "sarif":
        first = sarif(shown.out)["results"][0]
        (flow,) = first["codeFlows"][0]["threadFlows"]
        steps = [each["location"]["physicalLocation"]["region"]["startLine"] for each in flow["locations"]]
        assert steps == [1, 2, 3]
        last = sarif(shown.out)["results"][-1]
        assert (last["ruleId"], last["level"]) == ("DP113", "error")
        assert last["suppressions"] == [{"kind": "inSource", "justification": "DP113 is accepted: flat"}]
        assert first["fixes"][0]["description"]["text"].startswith("replace 1 by 2")
