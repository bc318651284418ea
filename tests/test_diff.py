"""What rose and what fell between two reports, or two revisions: nothing that rose gets through."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.analysis.records import Options, Setting
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from dp_lsp.features.changes import Effect, ReportChange, changes
from dp_lsp.features.report import report

Diff = Callable[..., tuple[int, str, str]]

BEFORE = """\
f(x::Real) = 2 * x
g(x::Real) = 3 * f(x)
function k(x::Real, eps::Static()) :: Priv()
    y = laplacian_mechanism(1, eps, x)
    y
end
h(x::Real) = x
"""
AFTER = BEFORE.replace("2 * x", "4 * x").replace("1, eps, x", "1, 2*eps, x").replace("Real) = x\n", "Real) = rem(x)\n")
ENGINE = Engine()
PLAIN = Options()


def made(text: str, options: Options = PLAIN, path: str = "a.jl") -> dict[str, Any]:
    """The report of a text."""
    return json.loads(json.dumps(report([(path, ENGINE.check(text, options))], "sound")))


def found(old: str, new: str, **more: Any) -> list[ReportChange]:
    return changes(made(old, **more), made(new, **more))


def said(old: str, new: str, **more: Any) -> list[str]:
    """What is said of each change: the function, the effect, and the sentences."""
    return [
        ": ".join([each.function, each.effect, *each.notes, *(bound.sentence for bound in each.bounds)])
        for each in found(old, new, **more)
    ]


PRIVATE = "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism({}, {}, x)\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("f(x::Real) = 2*x", "f(x::Real) = x + x", []),
        ("f(x::Real) = 2*x", "f(x::Real) = 3*x", ["f: rose: sensitivity of `x`: 2 → 3"]),
        ("f(x::Real) = 3*x", "f(x::Real) = 2*x", ["f: fell: sensitivity of `x`: 3 → 2"]),
        ("f(x::Real) = 3*x", "f(x::Real) = x*x", ["f: rose: sensitivity of `x`: 3 → ∞"]),
        ("f(x::Real) = 3*x", "f(y::Real) = 3*y", []),
        ("f(x::Real) = x", "f(x::Integer) = x", []),
        ("f(x::Real) = x", "g(x::Real) = x", ["g: new: `x`: sensitivity 1", "f: gone"]),
        ("f(x::Real) = x", "f(x::Real) = unheard(x)", ["f: not proved: it was proved, and now it is unknown"]),
        ("f(x::Real) = unheard(x)", "f(x::Real) = x", ["f: proved: `x`: sensitivity 1"]),
        ("", "f(x::Real) = unheard(x)", ["f: not proved: it is new, and unknown"]),
        ("", "f(x::Real) = unheard(x)  # dp: ignore[DP101] why", ["f: new: it is new, and unknown (DP101 is "]),
        (
            "f(x::Real) = x",
            "f(x::Real) = unheard(x)  # dp: ignore[DP101] why",
            ["f: not proved: it was proved, and now it is unknown (DP101 is accepted: why)"],
        ),
        ("f(x::Real) = x", "f(y::Real, k::Static()) = 3*y", ["f: rose: sensitivity of `y`: 1 → 3"]),
        ("f(x::Real, z::Real) = x", "f(y::Real) = 3*y", ["f: changed: sensitivity of `y`: no such parameter → 3"]),
        ("f(x::Real) = x", "f(y::Real, x::Real) = x + 3*y", ["f: new: sensitivity of `y`: no such parameter → 3"]),
        ("f(x::Real) = x", "f(y::Real, x::Real) = 4*x + y", ["f: rose: sensitivity of `y`: no such par"]),
        ("f(x::Real, z::Real) = x", "f(z::Real) = z", ["f: rose: sensitivity of `z`: 0 → 1"]),
        ("f(x::Real, z::Real) = x", "f(x::Real) = x", []),
        ("f(x::Real) = x", "f(x::Static(Real)) = x", ["f: rose: ε of `x`: protected → public"]),
        (
            PRIVATE.format(1, "eps"),
            PRIVATE.format(1, "2*eps"),
            ["f: rose: ε of `x`: eps → 2*eps (at eps = 7 it is 14, and was 7)"],
        ),
        (PRIVATE.format(1, "2*eps"), PRIVATE.format(1, "eps"), ["f: fell: ε of `x`: 2*eps → eps"]),
        (
            PRIVATE.format(1, "eps"),
            PRIVATE.format(1, "eps/b").replace("eps::Static()", "eps::Static(), b::Static()"),
            ["f: changed: ε of `x`: eps → eps/b; which is larger"],
        ),
        (
            "f(x::Real, k::Static(Integer)) = 2*x",
            "f(x::Real, k::Static(Integer)) = k*x",
            ["f: changed: sensitivity of `x`: 2 → Abs(k); which is larger depends on `k`: at k = "],
        ),
        ("f(x::Real) = x\nn = 1", "f(x::Real) = x\nn = unheard(1)", [": not proved: line 2: DP101, `unheard` is not"]),
        (
            "f(x::Real) = x",
            "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x)",
            ["f: rose: sensitivity of `x`: 1 → no sensitivity, as it is a private function now"],
        ),
    ],
)  # fmt: skip
def test_what_became_of_a_function(old: str, new: str, expected: list[str]) -> None:
    shown = said(old + "\n", new + "\n")
    assert len(shown) == len(expected) and all(map(str.startswith, shown, expected)), shown


def test_what_is_in_doubt_counts_as_risen() -> None:
    effects = {effect.value for effect in Effect if effect.rises}
    assert effects == {"not proved", "rose", "changed", "weaker"}
    twice = "f(x::Real, k::Static(Integer)) = k*x\n"
    assert [each.effect for each in found("f(x::Real, k::Static(Integer)) = 2*x\n", twice)] == ["changed"]


def test_a_bound_under_more_conditions_is_weaker() -> None:
    loose = "f(x::Real, n::Static()) = n * x\n"
    old, new = made(loose), made(loose)
    new["files"][0]["functions"][0]["conditions"] = [{"text": "0 < n", "formula": "0 < n", "decided": False}]
    (change,) = changes(old, new)
    assert change.effect == "weaker" and change.notes == ("it is proved only where this holds: 0 < n",)
    assert changes(new, old) == []
    tighter = copy.deepcopy(new)
    tighter["files"][0]["functions"][0]["conditions"][0] |= {"text": "1 ≤ n/2", "formula": "1 <= n/2"}
    assert [each.effect for each in changes(new, tighter)] == ["weaker"]
    assert changes(tighter, new) == []
    assert [each.effect for each in changes(made("f(x::Real) = x\n"), made(PRIVATE.format(1, "eps")))] == ["rose"]


COUNTS = (
    "f(v::MetricVector(Real, {}), n::Static(Integer)) :: Priv() = laplacian_mechanism({}, 1, count(x -> x > 0, v))\n"
)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        (("Symmetric, Contributes(3)", 3), ("Symmetric", 1), "1 record in `v`, and was about one with up to 3 records"),
        (
            ("Symmetric, Contributes(n)", "n"),
            ("Symmetric", 1),
            "1 record in `v`, and was about one with up to n records",
        ),
        (("ChangeOne", 1), ("Symmetric", 1), "the metric of `v` is Symmetric, and was ChangeOne"),
        (("Symmetric", 1), ("InsertDelete", 1), "the metric of `v` is InsertDelete, and was Symmetric"),
        (("InsertDelete", 1), ("Symmetric", 1), ""),
        (("Symmetric", 1), ("Symmetric, Contributes(3)", 3), ""),
    ],
)
def test_a_bound_about_less_is_weaker(old: tuple[str, object], new: tuple[str, object], note: str) -> None:
    changed = found(COUNTS.format(*old), COUNTS.format(*new))
    assert [each.effect for each in changed] == (["weaker"] if note else [])
    assert all(note in " ".join(each.notes) for each in changed)


@pytest.mark.parametrize(
    ("wide", "narrow", "note"),
    [
        ("Real, Symmetric", "Real, Symmetric, AtLeast(3)", "the number of records in `v` is at least 3, and was any"),
        ("Real, Symmetric, AtLeast(3)", "Real, Symmetric, AtLeast(5)", "is at least 5, and was at least 3"),
        ("Real, ChangeOne", "Real, ChangeOne, AtLeast(k)", "the number of records in `v` is at least k, and was any"),
        ("Real, ChangeOne, AtLeast(10)", "Real, ChangeOne, Size(10)", "in `v` is 10, and was at least 10"),
        ("Real, ChangeOne, Size(k)", "Real, ChangeOne, Size(k), AtLeast(9)", "the number of records in `v` is"),
        ("Real, Symmetric", "Bounded(Real, 0, 10), Symmetric", "numbers of `v` are from 0 to 10, and were any"),
        (
            "Bounded(Real, -0.5, 20), Symmetric",
            "Bounded(Real, 0, 20), Symmetric",
            "and were from -1/2 to",
        ),
        (
            "Real, Symmetric",
            "Real, Symmetric, RowNorm(L2, 3)",
            "at most 3 in L2, and measured anything",
        ),
        ("Real, Symmetric, RowNorm(L2, 3)", "Real, Symmetric, RowNorm(L1, 3)", "3 in L1, and measured at most 3 in L2"),
        ("Data, L2", "Real, L2", "`v` is compared by difference, and was by equality"),
    ],
)
def test_a_bound_about_fewer_data_is_weaker(wide: str, narrow: str, note: str) -> None:
    kind = "Matrix" if "RowNorm" in wide + narrow else "Vector"
    both = (f"f(v::Metric{kind}({of}), k::Static(Integer), eps::Static()) :: Priv() = {{}}\n" for of in (wide, narrow))
    was, now = (each.format("laplacian_mechanism(1, eps, 0)") for each in both)
    (change,) = found(was, now)
    assert change.effect == "weaker" and note in " ".join(change.notes)
    assert found(now, was) == []
    assert found(was, was.replace("v::", "w::")) == [] and found(now, now.replace("v::", "w::")) == []


@pytest.mark.parametrize(
    ("text", "wide", "narrow", "note"),
    [
        (
            "f(m::MetricMatrix(Data, LInf)) :: Priv() = laplacian_mechanism(1, 1, 0)\n",
            Options(neighbours="add-remove"),
            PLAIN,
            "neighbours are data that differ in one record, and were data of which one has a record more",
        ),
        (
            "f(v::MetricVector(Data, L1)) :: Priv() = laplacian_mechanism(3, 1, count(x -> x == 1, v))\n",
            Options(contributes=3),
            PLAIN,
            "it is about a person with up to 1 record in `v`, and was about one with up to 3 records",
        ),
        (
            "f(t::Tuple{MetricVector(Data, Symmetric), Real}) = length(t[1])\n",
            Options(contributes=3),
            PLAIN,
            "it is about a person with up to 1 record in `t`, and was about one with up to 3 records",
        ),
    ],
)
def test_what_a_project_says_of_neighbours(text: str, wide: Options, narrow: Options, note: str) -> None:
    (change,) = changes(made(text, wide), made(text, narrow))
    assert change.effect == "weaker" and note in change.notes


def without_data(made: dict[str, Any]) -> dict[str, Any]:
    """The report as it was written before it said what conditions and parameters are about."""
    for function in made["files"][0]["functions"]:
        for each in (*function["parameters"], *function["conditions"]):
            for key in ("domain", "records_per_person", "kind"):
                each.pop(key, None)
    return made


def test_reports_of_before_are_compared_as_far_as_they_say_what_they_are_about() -> None:
    wide, narrow = (COUNTS.format(of, 1) for of in ("Symmetric", "InsertDelete"))
    old = without_data(made(wide))
    assert changes(old, made(wide)) == [] and changes(old, without_data(made(wide))) == []
    assert changes(old, made(wide.replace("v::", "w::").replace(", v)", ", w)"))) == []
    (change,) = changes(old, made(narrow))
    assert change.effect == "weaker"
    assert change.notes == ("a report of before does not say which data `v` may be: make it anew",)
    many = COUNTS.format("Symmetric, Contributes(3)", 3)
    (change,) = changes(without_data(made(many)), made(wide))
    assert change.effect == "weaker" and "a person with up to 1 record in `v`" in change.notes[0]


def test_what_is_compared_by_difference_may_move_by_less_than_1() -> None:
    old, new = "f(x::Real) = x\n", "f(x::Data) = x\n"
    assert [each.effect for each in found(old, new)] == ["weaker"]
    assert found(old.replace("Real", "Integer"), new) == []


def test_a_norm_of_fewer_neighbours_is_weaker() -> None:
    wide, narrow = (f"f(v::MetricVector(Real, {norm})) = v[1]\n" for norm in ("LInf", "L1"))
    assert [each.notes for each in found(wide, narrow)] == [("the metric of `v` is L1, and was LInf",)]
    assert found(narrow, wide) == []


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("eps", "2*eps", "0.333334 → 0.666667"),
        ("eps", "eps*1.000000001", "0.33333333333333337 → 0.3333333336666667"),
        ("3*eps", "3.0000000001*eps", "1 → 1.00001"),
    ],
)
def test_numbers_are_never_shown_smaller_than_they_are(old: str, new: str, shown: str) -> None:
    """And never the same, if one is larger."""
    options = Options(settings=(Setting(None, "eps", Fraction(1, 3)),), facts=False)
    (line,) = said(PRIVATE.format(1, old), PRIVATE.format(1, new), options=options)
    assert shown in line


def test_numbers_decide_where_there_are_any() -> None:
    options = Options(settings=(Setting(None, "eps", Fraction(1, 2)), Setting(None, "b", Fraction(3))), facts=False)
    new = PRIVATE.format(1, "eps/b").replace("eps::Static()", "eps::Static(), b::Static()")
    (change,) = found(PRIVATE.format(1, "eps"), new, options=options)
    assert change.effect == "fell" and change.bounds[0].sentence.startswith("ε of `x`: 0.5 → 0.16666")


LOOP = """\
function f(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + laplacian_mechanism(1, {}, x)
    end
    y
end
"""


def test_several_bounds_of_which_one_is_told() -> None:
    (change,) = found(LOOP.format("eps"), LOOP.format("eps/2"))
    assert change.effect == "fell" and [each.what for each in change.bounds] == ["epsilon"], "δ goes with the smaller ε"
    (change,) = found(LOOP.format("eps/2"), LOOP.format("eps"))
    assert change.effect == "rose"


def test_causes() -> None:
    two = (
        "f(x::Real, eps::Static()) :: Priv() = begin\n    y = g(x, eps)\n    y + laplacian_mechanism(1, eps, x)\nend\n"
    )
    two = two.replace("begin\n", "h(x, eps)\n", 1).split("end")[0]
    old = "function f(x::Real, eps::Static()) :: Priv()\n    a = laplacian_mechanism(1, eps, x)\n    a\nend\n"
    new = old.replace("    a\n", "    b = laplacian_mechanism(1, 3*eps, x)\n    a + b\n")
    (change,) = found(old, new)
    assert change.effect == "rose" and change.bounds[0].new == "4*eps"
    assert any("line 3: `Laplace` costs ε 3*eps" in cause for cause in change.causes), change.causes
    lines = [lambda path, text=text: text.splitlines() for text in (BEFORE, AFTER)]
    by_name = {each.function: each for each in changes(made(BEFORE), made(AFTER), None, (lines[0], lines[1]))}
    assert by_name["f"].causes == ("line 1 is `f(x::Real) = 4 * x`, and was `f(x::Real) = 2 * x`",)
    assert by_name["g"].causes == ("`f`, which it uses, is listed here, too",)
    assert by_name["h"].causes[0].startswith("line 7: DP113, there is no rule for `rem`")


def test_it_is_seen_how_long_lines_differ() -> None:
    """Also where that is far from where they begin."""
    head = "f(v::MetricVector(Bounded(Real, 0, 10), Symmetric), e::Static()) :: Priv() = "
    line = head + "laplacian_mechanism(10, {}, sum(v))"
    old, new = line.format("e"), line.format("2*e")
    (change,) = changes(made(old), made(new), None, (lambda path: [old], lambda path: [new]))
    (cause,) = change.causes
    assert cause.startswith("line 1 is `…")
    assert "anism(10, 2*e, sum" in cause
    assert "anism(10, e, sum(v))`" in cause


def test_files_and_functions_that_moved() -> None:
    old, new = made(BEFORE, path="a.jl"), made("# moved\n" + BEFORE.replace("2 * x", "5 * x"), path="b.jl")
    assert [(each.path, each.function, each.line, each.effect) for each in changes(old, new)] == [
        ("b.jl", "f", 2, "rose"),
        ("b.jl", "g", 3, "rose"),
    ]
    new = made(BEFORE.replace("h(x::Real) = x\n", ""))
    new["files"] += made("h(x::Real) = 7 * x\n", path="h.jl")["files"]
    assert [each.function for each in changes(made(BEFORE), new)] == ["h"], "it stands in another file"
    several = "f(x::Real) = x\nf(x::Vector{<:Real}) = x\n"
    assert [each.effect for each in found(several, several.replace("<:Real}) = x", "<:Real}) = 2 * x"))] == ["rose"]


# The command


@pytest.fixture
def diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Diff:
    """Compare in a folder of its own: the exit code, the output, and what went to standard error."""
    monkeypatch.chdir(tmp_path)

    def compared(*arguments: str) -> tuple[int, str, str]:
        code = main(["diff", *arguments])
        return code, *capsys.readouterr()

    return compared


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def git(*arguments: str, given: bytes = b"") -> str:
    program = shutil.which("git")
    if program is None:
        pytest.skip("there is no git")
    mine = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    mine |= {f"GIT_{who}_{what}": "me@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    command = [program, *arguments]
    return subprocess.run(command, input=given, env=os.environ | mine, check=True, capture_output=True).stdout.decode()


def commit(files: dict[str, str]) -> None:
    if not Path(".git").exists():
        git("init", "-q", "-b", "main")
    for name, text in files.items():
        write(name, text)
    git("add", "-A")
    git("commit", "-qm", "as it is")


def test_reports(diff: Diff) -> None:
    for name, text in (("old.json", BEFORE), ("new.json", AFTER)):
        write(name, json.dumps(made(text)))
    code, output, _ = diff("old.json", "new.json")
    assert code == 1 and output.endswith(
        "Something rose, or is not proved. old.json → new.json, 4 functions: 1 not proved, 3 rose.\n"
    )
    assert [line.split("  ")[0] for line in output.splitlines()[:-2] if line[0] != " "] == ["not proved", *["rose"] * 3]
    assert diff("new.json", "old.json")[0] == 0
    assert diff("old.json", "old.json") == (0, "Nothing changed. old.json → old.json, 4 functions.\n", "")
    write("later.json", json.dumps(made(BEFORE) | {"tool": {"name": "dp-lsp", "version": "9.9"}}))
    code, _, wrong = diff("old.json", "later.json")
    assert code == 0 and wrong.startswith("note: these were made by two versions of dp-lsp, ") and "9.9" in wrong
    code, output, _ = diff("old.json", "new.json", "--output-format", "json", "--output-file", "out.json")
    result = json.loads(Path("out.json").read_text("utf-8"))
    assert code == 1 and output == "" and result["rose"] and result["summary"]["rose"] == 3
    assert result["changes"][1]["bounds"] == [
        {
            "parameter": "x",
            "what": "sensitivity",
            "old": "2",
            "new": "4",
            "effect": "rose",
            "why": "",
            "text": "sensitivity of `x`: 2 → 4",
        }
    ]


def test_revisions(diff: Diff) -> None:
    ignored = {".gitignore": "out.jl\n", "out.jl": "f(x) = unheard(x)\n"}
    commit({"src/a.jl": BEFORE, "dp-lsp.toml": 'exclude = ["old/"]\n', "old/b.jl": "f(x) = unheard(x)\n", **ignored})
    git("mv", "src/a.jl", "src/b.jl")
    write("src/b.jl", "# renamed\n" + BEFORE.replace("2 * x", "4 * x"))
    code, output, said = diff("main")
    assert (code, said) == (1, "") and "rose        f   src/b.jl:2\n" in output and "main → the working tree" in output
    git("add", "-f", "out.jl")
    commit({"c.jl": "n = 1\n"})
    before = git("status", "--porcelain=v2", "--branch"), sorted(os.listdir())
    code, output, _ = diff("main~1", "HEAD", "--output-format", "markdown")
    assert "out.jl" not in output, "it is part of the revision, and left out there as well"
    assert code == 1 and "- ❌ **rose** `f` (`src/b.jl:2`)\n  - sensitivity of `x`: 2 → 4\n" in output
    assert "  - because line 2 is `f(x::Real) = 4 * x`, and was `f(x::Real) = 2 * x`\n" in output
    assert before == (git("status", "--porcelain=v2", "--branch"), sorted(os.listdir()))
    code, output, _ = diff("HEAD", "main~1")
    assert code == 0 and "fell        f   src/a.jl:1\n" in output
    write("new.json", json.dumps(made(BEFORE, path="src/a.jl")))
    assert diff("main~1", "new.json")[0] == 0
    assert diff("main~1", "main", "--set", "eps=1")[0] == 1


def test_nothing_of_a_repository_is_run(diff: Diff) -> None:
    commit({"a.jl": BEFORE, ".gitattributes": "*.jl filter=evil diff=evil export-subst\n"})
    touch = f"touch {Path('was-run').absolute()}"
    for key in ("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "diff.evil.command", "core.fsmonitor"):
        git("config", key, touch)
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        write(f".git/hooks/{hook}", f"#!/bin/sh\n{touch}\n")
        os.chmod(f".git/hooks/{hook}", 0o755)
    assert diff("main", "HEAD")[0] == 0 and diff("main")[0] == 0
    assert not Path("was-run").exists()


def test_links_and_paths_lead_nowhere(diff: Diff, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    makedirs = os.makedirs
    outside = tmp_path / "outside.jl"
    outside.write_text("secret(x::Real) = 1234 * x\n", "utf-8")
    (tmp_path / "r").mkdir()
    os.chdir("r")
    commit({"a.jl": 'include("link.jl")\nf(x::Real) = x\n', "b.jl": "g(x::Real) = x\n"})
    os.symlink(outside, "link.jl")
    os.symlink("b.jl", "inside.jl")
    os.symlink(outside, "dp-lsp.toml")
    git("add", "-A")
    git("commit", "-qm", "links")
    code, output, _ = diff("main~1", "main", "--output-format", "json")
    assert "1234" not in output and "secret" not in output
    blob = git("hash-object", "-w", "--stdin", given=b"g(x::Real) = 5 * x\n").strip()
    inner = git("hash-object", "-t", "tree", "-w", "--stdin", given=b"100644 evil.jl\0" + bytes.fromhex(blob)).strip()
    tree = b"40000 ..\0" + bytes.fromhex(inner) + b"100644 b.jl\0" + bytes.fromhex(blob)
    bad = git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", given=tree).strip()
    made_of = f"tree {bad}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nbad\n"
    name = git("hash-object", "-t", "commit", "-w", "--stdin", given=made_of.encode()).strip()
    written: list[str] = []
    monkeypatch.setattr(os, "makedirs", lambda path, *more, **how: (written.append(path), makedirs(path, *more, **how)))
    code, output, _ = diff("main~1", name)
    assert code == 1 and "rose        g   b.jl:1" in output
    assert not any(".." in Path(path).parts for path in written)


def test_submodules_are_left_out(diff: Diff) -> None:
    commit({"a.jl": BEFORE})
    commit({"lib/c.jl": "f(x::Real) = unheard(x)\n"})
    git("rm", "-q", "-r", "--cached", "lib")
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD').strip()},lib")
    git("commit", "-qm", "a module")
    code, output, said = diff("main~2")
    assert code == 0 and said == "note: the working tree: submodules are left out: lib\n", output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--", "--upload-pack=x", "main"], "'--upload-pack=x' is neither a file nor a revision"),
        (["nowhere", "main"], "'nowhere' is neither a file nor a revision"),
        (["main:a.jl", "main"], "'main:a.jl' is neither a file nor a revision"),
        (["a.jl", "main"], "a.jl is not a report: Expecting value"),
        (["list.json", "main"], "list.json is not a report: `it` is not a table"),
        (["other.json", "main"], "other.json is not a report: its `schema_version` is not 2"),
        (
            ["part.json", "main"],
            "part.json is not a report: `files[0].functions[0].range.start.line` is not what",
        ),
        (["nan.json", "main"], "nan.json is not a report: `NaN` is not a number"),
        (["deep.json", "main"], "deep.json is not a report: it is nested too deeply"),
        (["good.json", "published.json"], "they were made by the rules of two profiles, sound and published"),
        (["good.json", "good.json", "--set", "eps=1"], "are for revisions"),
        (["bad", "main"], "bad has a configuration that is not valid\nbad:dp-lsp.toml:1:1: error[DP811]"),
    ],
)
def test_wrong_usage(diff: Diff, arguments: list[str], message: str) -> None:
    good = made(BEFORE)
    broken = copy.deepcopy(good)
    broken["files"][0]["functions"][0]["range"]["start"]["line"] = "1"
    for name, value in (("good", good), ("list", []), ("other", good | {"schema_version": 1}), ("part", broken)):
        write(f"{name}.json", json.dumps(value))
    write("published.json", json.dumps(good | {"profile": "published"}))
    write("deep.json", "[" * 100_000)
    write("nan.json", json.dumps(good | {"more": float("nan")}))
    commit({"a.jl": BEFORE, "dp-lsp.toml": "unheard = 1\n"})
    git("branch", "bad")
    commit({"dp-lsp.toml": ""})
    code, output, wrong = diff(*arguments)
    assert (code, output) == (2, "") and message in wrong


def test_without_a_repository(diff: Diff, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    code, _, wrong = diff("main", "HEAD")
    assert code == 2 and "git finds no working tree here (fatal: not a git repository" in wrong
    monkeypatch.setenv("PATH", "")
    assert "git is not installed" in diff("main", "HEAD")[2]


@pytest.mark.parametrize(
    "domain",
    [{"kind": "dataset"}, {"kind": "tuple"}, {"kind": "vector"}, {"kind": "number", "bounds": ["0"]}, {"kind": "?"}],
)
def test_domains_that_no_check_writes(diff: Diff, domain: dict[str, Any]) -> None:
    old, new = made(BEFORE), made(BEFORE)
    new["files"][0]["functions"][0]["parameters"][0]["domain"] = domain
    for name, value in (("old.json", old), ("new.json", new)):
        write(name, json.dumps(value))
    assert diff("old.json", "new.json")[0] in (0, 1)


def test_hostile_reports(diff: Diff) -> None:
    old, new = made(BEFORE), made(BEFORE.replace("2 * x", "4 * x"))
    evil = "f`\x1b[31m\n::error::x | @you <b> ](x)\u202e"
    for each in (old, new):
        each["files"][0]["path"] = evil
        each["files"][0]["functions"][0]["name"] = evil
        each["files"][0]["functions"][1]["parameters"][0]["sensitivity"] = "(" * 9_000
        each["files"][0]["functions"][2]["parameters"][0]["epsilon"] = "__import__('os').system('touch was-run')"
    new["files"][0]["functions"][1]["parameters"][0]["sensitivity"] += "1"
    new["files"][0]["functions"][2]["parameters"][0]["epsilon"] += " "
    for name, value in (("old.json", old), ("new.json", new)):
        write(name, json.dumps(value))
    for form in ("text", "markdown", "json"):
        code, output, _ = diff("old.json", "new.json", "--output-format", form)
        assert code == 1 and not any(bad in output for bad in ("\x1b", "\u202e", "\n::error::")), form
        assert form != "markdown" or ("@you" not in output and "\n<b>" not in output)
        assert form != "json" or json.loads(output)["rose"]
    assert not Path("was-run").exists()
