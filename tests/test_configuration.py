"""What configuration files say, which one counts, and what the command line makes of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest

from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Options, Setting, State
from dp_lsp.configuration import FILE, PROJECT_FILE
from dp_lsp.configuration.ignored import fault, matches
from dp_lsp.configuration.keys import KEYS, Configuration, places, read_configuration, schema
from dp_lsp.configuration.lookup import Configurations
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import schema as report_schema
from dp_lsp.problem import Severity
from dp_lsp.text import Source
from source_tree import python

EVERYTHING = """\
include = ["src/**", "*.jl"]
exclude = ["src/old/"]
profile = "published"
max-epsilon = 1_0.5e-1
max-delta = 1e-5
contributes = 3

[severity]
DP303 = "error"
DP204 = "off"

[[overrides]]
include = ["examples/**"]
exclude = ["examples/real.jl"]
profile = "sound"
contributes = 1
severity = { DP303 = "hint" }

[[overrides]]
include = ["**/b.jl"]
severity.DP303 = "information"
"""
CHEAP = "f(x::Real) :: Priv() = laplacian_mechanism(1, 0.25, x)\n"
DEAR = "f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)\n"
OPEN = "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)\n"
SQUARE = "g(x::Real) = x * x\n"


def configuration(text: str, name: str = FILE) -> Configuration:
    found = read_configuration(name, SourceText(text))
    assert found.problems == () and found.configuration is not None
    return found.configuration


def wrong(text: str, name: str = FILE) -> list[str]:
    """What is wrong with a configuration: the code, the line and column, and the text that is marked."""
    found = read_configuration(name, SourceText(text))
    assert found.configuration is None or not found.problems
    shown = []
    for problem in found.problems:
        line, column = Source(text).place(problem.span.start)
        shown.append(f"{problem.code} {line}:{column} {text[slice(*problem.span)]}")
    return shown


def test_all_keys() -> None:
    found = configuration(EVERYTHING)
    assert (found.max_epsilon, found.max_delta) == (Fraction(105, 100), Fraction(1, 100_000)), "exactly"
    options = found.options("src/a.jl", Options(facts=False))
    assert options.profile == "published" and not options.facts
    assert dict(options.severity) == {"DP303": Severity.ERROR, "DP204": None}
    assert found.options("examples/a.jl", Options()).profile == "sound"
    assert [found.options(name, Options()).contributes for name in ("src/a.jl", "examples/a.jl")] == [3, 1]
    assert found.options("examples/real.jl", Options()).profile == "published"
    assert dict(found.options("examples/b.jl", Options()).severity)["DP303"] is Severity.INFORMATION, "the last counts"
    chosen = [path for path in ("a.jl", "x/a.jl", "src/a.jl", "src/old/a.jl", "lib/a.txt") if found.includes(path)]
    assert chosen == ["a.jl", "x/a.jl", "src/a.jl"]


def test_nothing_said_is_the_default() -> None:
    assert configuration("").options("a.jl", Options()) == Options()
    assert configuration("").includes("any/file.jl")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("profile = sound", ["DP810 1:11 s"]),
        ("include = [", ["DP810 1:12 "]),
        ('profile = "sound"\nprofile = "sound"', ["DP810 2:18 "]),
        ("x = " + "9" * 5000, ["DP810 1:1 x"]),
        ("x = " + "[" * 5000 + "]" * 5000, ["DP810 1:1 "]),
        ("max_epsilon = 1", ["DP811 1:1 max_epsilon"]),
        ('# é\r\n"base" = ""', ['DP811 2:1 "base"']),
        ('baseline = ""', ['DP812 1:12 ""']),
        ('baseline = "../b.json"', ['DP812 1:12 "../b.json"']),
        ('baseline = "/b.json"', ['DP812 1:12 "/b.json"']),
        ("baseline = 'b/'", ["DP812 1:12 'b/'"]),
        ("neighbours = 'changed'", ["DP812 1:14 'changed'"]),
        ("contributes = 0", ["DP812 1:15 0"]),
        ("contributes = -3", ["DP812 1:15 -3"]),
        ("contributes = 1.5", ["DP812 1:15 1.5"]),
        ("contributes = '3'", ["DP812 1:15 '3'"]),
        ("contributes = true", ["DP812 1:15 true"]),
        ("contributes = 10_000_000", ["DP812 1:15 10_000_000"]),
        ("severity.DP999 = 'off'", ["DP811 1:10 DP999"]),
        ("severity = { DP303 = 'of' }", ["DP812 1:22 'of'"]),
        ("severity.DP001 = 'warning'", ["DP812 1:18 'warning'"]),
        ("severity = 'off'", ["DP812 1:12 'off'"]),
        ("profile = 1", ["DP812 1:11 1"]),
        ("max-epsilon = true", ["DP812 1:15 true"]),
        ("max-epsilon = -0.1", ["DP812 1:15 -0.1"]),
        ("max-epsilon = nan", ["DP812 1:15 nan"]),
        ("max-epsilon = 1e9999", ["DP812 1:15 1e9999"]),
        ("max-delta = 1", ["DP812 1:13 1"]),
        ("max-delta = '1e-5'", ["DP812 1:13 '1e-5'"]),
        ("include = 'a.jl'", ["DP812 1:11 'a.jl'"]),
        ('exclude = [ "a", # "b"\n  "../c", """/""", 3]', ['DP812 2:3 "../c"', 'DP812 2:11 """/"""', "DP812 2:20 3"]),
        ("overrides = 3", ["DP812 1:13 3"]),
        ("overrides = [3]", ["DP812 1:14 3"]),
        ("[[overrides]]\nprofile = 'sound'", ["DP812 1:1 [[overrides]]"]),
        ("[[overrides]]\ninclude = []\n[[overrides]]\ninclude = []\nmax-delta = 0", ["DP811 5:1 max-delta"]),
        ("[tool.other]\nx = 1", ["DP811 1:1 [tool.other]"]),
    ],
)
def test_what_is_wrong_has_its_place(text: str, expected: list[str]) -> None:
    assert wrong(text) == expected


def test_a_message_says_what_there_is() -> None:
    (problem,) = read_configuration(FILE, SourceText("max_epsilon = 1")).problems
    assert all(f"`{key.name}`" in problem.message for key in KEYS)
    assert "`max-epsilon` may be meant" in problem.message


def test_a_table_of_a_file_of_other_tools() -> None:
    text = '[project]\nname = "x"\n[tool.dp-lsp]\nmax-delta = 2\n'
    assert wrong(text, PROJECT_FILE) == ["DP812 4:13 2"]
    assert configuration(text.replace("2", "0.5"), PROJECT_FILE).max_delta == Fraction(1, 2)
    for other in ("[tool.ruff]\n", "this is no TOML", ""):
        assert read_configuration(PROJECT_FILE, SourceText(other)) == (None, ()), "it is not about us"
    assert wrong("[tool.dp-lsp\n", PROJECT_FILE) == ["DP810 1:13 \n"]


def test_places_of_all_that_toml_can_say() -> None:
    text = """\
a.'b c'.d = 1979-05-27 07:32:00 # x = 1
"k\\u0041" = "]#\\"" # }
lit = ''']''''
ml = \"\"\" " ] \\\"\"\" \"\"\"\"\"
arr = [ [1, 2], # c
  {x = {y = [3]}, z.w = "}"} , ]
[t]
k = true
[[t.u]]
[[t.u]]
[t.u.v]
k = 1e5
"""
    shown = {path: text[slice(*spot.value)] for path, spot in places(text).items()}
    assert shown["a", "b c", "d"] == "1979-05-27 07:32:00"
    assert shown["kA",] == '"]#\\""'
    assert shown["lit",] == "''']''''"
    assert shown["ml",] == '""" " ] \\""" """""'
    assert shown["arr", 0, 1] == "2"
    assert shown["arr", 1, "x", "y", 0] == "3"
    assert shown["arr", 1, "z", "w"] == '"}"'
    assert shown["t", "k"] == "true"
    assert shown["t", "u", 1] == "[[t.u]]"
    assert shown["t", "u", 1, "v", "k"] == "1e5"


@pytest.mark.parametrize(
    ("pattern", "fitting", "other"),
    [
        ("*.jl", ["a.jl", "x/y/a.jl"], ["a.txt"]),
        ("/a.jl", ["a.jl"], ["x/a.jl"]),
        ("x/a.jl", ["x/a.jl"], ["y/x/a.jl"]),
        ("**/a.jl", ["a.jl", "x/y/a.jl"], ["xa.jl"]),
        ("x/**", ["x/a.jl", "x/y/a.jl"], ["x", "y/x/a.jl"]),
        ("x/**/a.jl", ["x/a.jl", "x/y/z/a.jl"], ["a.jl", "x/b.jl"]),
        ("old", ["old", "x/old/a.jl"], ["older/a.jl"]),
        ("old/", ["old/a.jl", "x/old/y/a.jl"], ["x/old"]),
        ("x/*", ["x/a.jl", "x/y/a.jl"], ["x"]),
        ("a?[0-9].jl", ["ab1.jl"], ["a/1.jl", "ab.jl"]),
        ("**", ["a.jl", "x/y/.jl"], []),
    ],
)
def test_patterns(pattern: str, fitting: list[str], other: list[str]) -> None:
    assert fault(pattern) == ""
    assert [path for path in fitting + other if matches([pattern], path)] == fitting


def test_the_last_pattern_that_fits_counts() -> None:
    assert matches(["*.jl", "!a.jl"], "b.jl") and not matches(["*.jl", "!a.jl"], "a.jl")
    assert matches(["!a.jl", "*.jl"], "a.jl")
    assert not matches(["*a*a*a*a*a*a*a*a*a*a*a*b"], "a" * 5000), "and it is quick"


def test_the_schema_accepts_what_is_read_and_nothing_else() -> None:
    import tomllib

    validator = jsonschema.Draft7Validator(schema())
    validator.check_schema(schema())
    validator.validate(tomllib.loads(EVERYTHING))
    for text in (
        "max_epsilon = 1",
        "max-delta = 1",
        "contributes = 0",
        "contributes = 1.5",
        "severity.DP303 = 'of'",
        "[[overrides]]\nprofile = 'sound'",
    ):
        assert wrong(text) and not validator.is_valid(tomllib.loads(text)), text


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def profile(found: Configurations, file: Path) -> str:
    return found.options(str(file), Options(), Options()).profile


def test_the_nearest_file_counts_alone(tmp_path: Path) -> None:
    published = 'profile = "published"\n'
    write(tmp_path, {FILE: published, f"a/{FILE}": "max-delta = 0.1\n", "b/pyproject.toml": "[tool.ruff]\n"})
    write(tmp_path, {"c/pyproject.toml": '[tool.dp-lsp]\nprofile = "sound"\n', "d/pyproject.toml": "[tool.dp-lsp]\n"})
    write(tmp_path, {f"d/{FILE}": published})
    found = Configurations()
    names = ["x.jl", "a/x.jl", "a/deep/er/x.jl", "b/x.jl", "c/x.jl", "d/x.jl"]
    expected = ["published", "sound", "sound", "published", "sound", "published"]
    assert [profile(found, tmp_path / name) for name in names] == expected
    assert profile(Configurations(str(tmp_path / FILE)), tmp_path / "a/x.jl") == "published", "the one that is named"
    assert found.options("<stdin>", Options(), Options()) == Options()


@pytest.mark.skipif(os.name == "nt", reason="links in the file system are of other systems")
def test_a_link_out_of_the_repository_is_not_read(tmp_path: Path) -> None:
    write(
        tmp_path, {"secret.toml": 'profile = "published"\n', "repo/.git/HEAD": "", "repo/shared.toml": "profil = 1\n"}
    )
    write(tmp_path, {"repo/a/x.jl": "", "repo/b/x.jl": "", "alone/x.jl": ""})
    links = {"repo/a": "../../secret.toml", "repo/b": "../shared.toml", "alone": "../secret.toml"}
    for folder, target in links.items():
        (tmp_path / folder / FILE).symlink_to(target)
    found = Configurations()
    assert {profile(found, tmp_path / folder / "x.jl") for folder in links} == {"sound"}
    said = {name: [problem.code for problem in faulty.problems] for name, faulty in found.faulty.items()}
    assert said == {
        str(tmp_path / folder / FILE): [code] for folder, code in zip(links, ("DP814", "DP811", "DP814"), strict=True)
    }
    assert all("secret" not in faulty.text for faulty in found.faulty.values())
    assert profile(Configurations(str(tmp_path / "repo/a" / FILE)), tmp_path / "repo/a/x.jl") == "published"


def test_the_last_valid_one_stays_in_force_until_it_is_gone(tmp_path: Path) -> None:
    found, file = Configurations(), tmp_path / "x.jl"

    def after(text: str | None) -> tuple[str, list[str]]:
        (tmp_path / FILE).unlink() if text is None else write(tmp_path, {FILE: text})
        found.look()
        return profile(found, file), [Path(name).name for name in found.faulty]

    assert after("profil = 1") == ("sound", [FILE])
    assert after('profile = "published"') == ("published", [])
    assert after("profile = ") == ("published", [FILE])
    assert after("max-delta = 0.1") == ("sound", [])
    assert after('profile = "published"') == ("published", [])
    assert after(None) == ("sound", [])
    assert after("profile = ") == ("sound", [FILE]), "what is gone is forgotten"


def found(program: str, **options: object) -> list[str]:
    return [f"{each.code} {each.severity}" for each in Engine().check(program, Options(**options)).problems]


def test_severity_makes_a_warning_an_error_or_nothing() -> None:
    engine = Engine()
    assert engine.check(SQUARE).state is State.PROVED
    raised = engine.check(SQUARE, Options(severity=(("DP303", Severity.ERROR),)))
    assert raised.state is State.FAILED and raised.functions[0].state is State.FAILED
    assert engine.check(SQUARE).state is State.PROVED, "what is remembered is of these options"
    assert engine.check(SQUARE, Options(severity=(("DP303", None),))).problems == ()
    assert found(SQUARE, severity=(("DP303", Severity.HINT),)) == ["DP303 hint"]


@pytest.mark.parametrize(("level", "shown"), [(None, []), (Severity.HINT, ["DP301 hint"])])
def test_an_error_that_is_made_less_is_accepted(level: Severity | None, shown: list[str]) -> None:
    program = "f(x::Real) :: Priv() = gaussian_mechanism(1, 0.1, 1e-5, x + x)\ng(x::Real) :: Priv() = f(x)\n"
    checked = Engine().check(program, Options(severity=(("DP301", level),)))
    assert [(each.state, each.accepted) for each in checked.functions] == [(State.UNKNOWN, True)] * 2
    assert checked.accepted
    assert [f"{each.code} {each.severity}" for each in checked.problems if each.code == "DP301"] == shown
    reason = "leaves it out" if level is None else "makes it `hint`"
    assert checked.functions[0].reason == f"DP301 is accepted: the configuration {reason}"
    assert not checked.functions[0].bounds


def test_what_is_accepted_hides_nothing_else() -> None:
    program = "f(x) = undefined(x)\n"
    lowered = Engine().check(program, Options(severity=(("DP101", Severity.WARNING),)))
    assert lowered.functions[0].accepted
    both = Engine().check(
        "f(x::Real) :: Priv() = gaussian_mechanism(1, 0.1, 1e-5, x + x + undefined(x))\n",
        Options(severity=(("DP301", None),)),
    )
    assert (both.state, both.accepted) == (State.UNKNOWN, False)
    assert found(DEAR, max_epsilon=Fraction(3, 10), severity=(("DP411", Severity.WARNING),)) == ["DP411 warning"]
    for code in ("DP001", "DP002"):
        broken = Engine().check("f(x) = (\n", Options(severity=((code, None),)))
        assert not broken.accepted and broken.count(Severity.ERROR), "not even if somebody says so"


def test_the_command_line_counts_what_is_accepted(tmp_path: Path) -> None:
    write(tmp_path, {FILE: 'severity.DP411 = "warning"\nmax-epsilon = 0.3\n', "a.jl": DEAR})
    assert check(tmp_path).returncode == 0
    assert check(tmp_path, "--error-on-accepted").returncode == 1
    result = json.loads(check(tmp_path, "--output-format", "json").stdout)
    assert result["summary"]["accepted"] == 1
    jsonschema.validate(result, report_schema(closed=True))


ROUNDS = """\
function f(x::Real) :: Priv()
    y = 0.0
    for i in 1:400
        y = y + laplacian_mechanism(1, 0.01, x)
    end
    y
end
"""


@pytest.mark.parametrize(
    ("program", "most", "expected"),
    [
        (CHEAP, ("0.3", None), []),
        (CHEAP, ("0.25", "0"), []),
        (DEAR, ("0.3", None), ["DP411 error"]),
        (OPEN, ("0.3", None), ["DP412 error"]),
        (OPEN, (None, "0"), []),
        (SQUARE, ("0", "0"), ["DP303 warning"]),
        ("f(x::Real) :: Priv() = gaussian_mechanism(1, 0.1, 1e-5, x)\n", ("1", "1e-6"), []),  # less δ, more ε
        ("f(x::Real) :: Priv() = gaussian_mechanism(1, 0.1, 1e-5, x)\n", ("0.05", "1e-6"), ["DP411 error"]),
        (ROUNDS, ("4", "0"), []),
        (ROUNDS, ("2", "1e-5"), []),  # a share of δ is chosen
        (ROUNDS, ("2", None), []),
        (ROUNDS, ("2", "0"), ["DP411 error"]),
        (ROUNDS, ("0.1", "1e-5"), ["DP411 error"]),
        ("f(x::Real, y::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)\n", ("0.3", None), ["DP411 error"]),
    ],
)
def test_limits(program: str, most: tuple[str | None, str | None], expected: list[str]) -> None:
    epsilon, delta = (None if each is None else Fraction(each) for each in most)
    assert found(program, max_epsilon=epsilon, max_delta=delta) == expected


def test_a_limit_says_by_how_much_it_is_missed() -> None:
    (problem,) = Engine().check(DEAR, Options(max_epsilon=Fraction(3, 10))).problems
    assert problem.message == "`f` costs `x` ε 0.5, 0.2 too much: `max-epsilon` allows 0.3"
    (problem,) = Engine().check(OPEN, Options(max_epsilon=Fraction(3, 10))).problems
    assert "depends on `eps`" in problem.message


def test_numbers_settle_a_limit() -> None:
    for number, expected in (("0.3", []), ("0.31", ["DP411 error"])):
        settings = (Setting(None, "eps", Fraction(number)),)
        assert found(OPEN, max_epsilon=Fraction(3, 10), settings=settings) == expected


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return python("-m", "dp_lsp", "check", *arguments, cwd=folder)


def report(folder: Path, *arguments: str) -> dict[str, list[str]]:
    """The codes of the problems in each file that was checked."""
    files = json.loads(check(folder, "--output-format", "json", *arguments).stdout)["files"]
    return {file["path"]: [each["code"] for each in file["diagnostics"]] for file in files}


def test_the_command_line_reads_it(tmp_path: Path) -> None:
    write(tmp_path, {FILE: 'exclude = ["old/"]\nmax-epsilon = 0.3\n', "a.jl": DEAR, "old/b.jl": DEAR})
    write(tmp_path, {"sub/c.jl": DEAR, f"sub/{FILE}": "max-epsilon = 0.5\n"})
    assert report(tmp_path) == {"a.jl": ["DP411"], "sub/c.jl": []}
    assert report(tmp_path, "old/b.jl") == {"old/b.jl": ["DP411"]}, "a file that is named is checked"
    assert report(tmp_path / "old", "b.jl") == {"b.jl": ["DP411"]}, "what stands above counts wherever one is"
    assert report(tmp_path, "--config", f"sub/{FILE}") == {"a.jl": [], "old/b.jl": [], "sub/c.jl": []}


def test_the_command_line_wins(tmp_path: Path) -> None:
    write(tmp_path, {FILE: 'profile = "published"\n', "a.jl": DEAR})
    profiles = [
        json.loads(check(tmp_path, "--output-format", "json", *more).stdout)["profile"]
        for more in ((), ("--profile", "sound"))
    ]
    assert profiles == ["published", "sound"]
    assert "known not to hold" in check(tmp_path, "--output-format", "concise").stdout


def test_files_that_are_checked_together_follow_the_one_that_includes(tmp_path: Path) -> None:
    write(tmp_path, {"main.jl": 'include("lib/f.jl")\ng(x::Real) = f(x)\n', "lib/f.jl": "f(x::Real) = x * x\n"})
    write(tmp_path, {f"lib/{FILE}": 'profile = "published"\nseverity.DP303 = "hint"\n'})
    result = json.loads(check(tmp_path, "--output-format", "json").stdout)
    assert result["profile"] == "sound"
    severities = {file["path"]: [each["severity"] for each in file["diagnostics"]] for file in result["files"]}
    assert severities["lib/f.jl"] == ["hint"], "how severe a problem is, its own file says"


def test_a_faulty_file_ends_the_run(tmp_path: Path) -> None:
    write(tmp_path, {FILE: "[severity]\nDP303 = 'loud'\n", "a.jl": CHEAP, "b.jl": CHEAP})
    result = check(tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"{FILE}:2:9: error[DP812] `severity.DP303` must be one of")
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    assert f"{FILE}:1:1: error[DP010]" in check(tmp_path).stderr
    assert check(tmp_path, "--config", "nowhere.toml").returncode == 2


def test_standard_input_has_the_configuration_of_its_name(tmp_path: Path) -> None:
    write(tmp_path, {f"sub/{FILE}": "max-epsilon = 0.3\n"})
    for arguments, code in (((), 0), (("--stdin-filename", "sub/x.jl"), 1)):
        command = [sys.executable, "-m", "dp_lsp", "check", "-", *arguments]
        assert subprocess.run(command, cwd=tmp_path, input=DEAR.encode(), capture_output=True).returncode == code


def test_the_schema_is_printed() -> None:
    printed = python("-m", "dp_lsp", "schema", "configuration")
    assert json.loads(printed.stdout) == schema()


PLAIN = "import numpy as np\n\n\ndef noisy(x, eps):\n    return np.mean(x) + np.random.laplace(0, 1 / eps)\n"
WORDY = "import math, dp_types\n\n\ndef twice(x):\n    return 2 * x\n"


def states(folder: Path, *arguments: str) -> dict[str, tuple[str, list[str]]]:
    """The state of each file that was checked, and the codes of its problems."""
    files = json.loads(check(folder, "--output-format", "json", "--no-cache", *arguments).stdout)["files"]
    return {file["path"]: (file["status"], [each["code"] for each in file["diagnostics"]]) for file in files}


def test_files_of_python_are_looked_at_that_say_so_or_are_named(tmp_path: Path) -> None:
    write(tmp_path, {FILE: 'python-include = ["a/**", "!a/old.py"]\n', "a/x.py": PLAIN, "a/old.py": PLAIN})
    write(tmp_path, {"b.py": PLAIN, "c.py": WORDY, "d.py": "# by dp_types\n" + PLAIN})
    write(tmp_path, {f"sub/{FILE}": 'python-include = ["x.py"]\n', "sub/x.py": PLAIN, "sub/a/x.py": PLAIN})
    found = states(tmp_path)
    assert sorted(found) == ["a/x.py", "c.py", "sub/a/x.py", "sub/x.py"], "the nearest one counts, from its folder"
    assert found["a/x.py"] == found["sub/x.py"] == ("unknown", ["DP211"])
    write(tmp_path, {FILE: "", f"sub/{FILE}": ""})
    assert sorted(states(tmp_path)) == ["c.py"]


def test_one_that_is_neither_and_asked_for_by_name_is_unknown(tmp_path: Path) -> None:
    write(tmp_path, {"plain.py": PLAIN, "c.py": WORDY, "dull.py": "x = 1\n", "latin.py": "# coding: latin-1\n"})
    nothing = ("unknown", ["DP024"])
    found = states(tmp_path, "plain.py", "dull.py", "latin.py", "c.py")
    assert [found[name] for name in ("plain.py", "dull.py", "latin.py")] == [nothing] * 3
    result = check(tmp_path, "plain.py")
    assert result.returncode == 1 and "proved" not in result.stdout
    assert "it imports nothing of `dp_types`, and no `python-include` names it" in result.stdout
    assert "this draws noise: to have it checked, say what is private" in result.stdout
    for command in (("explain", "plain.py:noisy"), ("run", "plain.py", "noisy")):
        assert "nothing of this file was checked" in python("-m", "dp_lsp", *command, cwd=tmp_path).stderr
    write(tmp_path, {"main.py": "import dp_types\nfrom plain import noisy\n"})
    assert sorted(states(tmp_path)) == ["c.py", "main.py"], "what another file needs is read, and nothing said of it"


def test_the_way_out_names_what_is_read(tmp_path: Path) -> None:
    read = 'import pandas as pd\nimport numpy as np\n\ndf = pd.read_csv("a.csv")\n'
    read += 'print(df["Pay"].clip(0, 9).sum() + np.random.laplace(0, 9))\n'
    write(tmp_path, {"read.py": read, "library.py": "from diffprivlib.mechanisms import Laplace\n"})
    said = check(tmp_path, "read.py", "library.py").stdout
    assert "`df: Annotated[pd.DataFrame, AddRemove(), Columns(Pay=float)] = pd.read_csv(…)`: `dp-lsp explain no" in said
    words = "from typing import Annotated\nfrom dp_types import AddRemove, Columns\n"
    done = read.replace("df =", "df: Annotated[pd.DataFrame, AddRemove(), Columns(Pay=float)] =")
    write(tmp_path, {"done.py": words + done})
    assert states(tmp_path, "done.py") == {"done.py": ("proved", [])}, "what is said is enough"
    assert "this uses a library that adds noise" in said and "`dp-lsp explain diffprivlib`" in said


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('"*.py"', 'a list of patterns for files, as in ["src/**"]'),
        ('["../a.py"]', "it leads out of the folder of the configuration"),
        ("[3]", "it is not text"),
    ],
)
def test_a_bad_list_of_files_of_python_is_told_where_nothing_is_found(tmp_path: Path, value: str, words: str) -> None:
    write(tmp_path, {FILE: f"python-include = {value}\n", "a.py": PLAIN})
    result = check(tmp_path)
    assert result.returncode == 2 and f"{FILE}:1:1" in result.stderr
    assert "error[DP812] `python-include` must be" in result.stderr and words in result.stderr
