"""Inputs made to do harm leave every format well formed, reach nothing outside, and prove nothing."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

import hostile
from dp_lsp.cli import main
from dp_lsp.cli.reporters import FORMATS
from test_reporters import COMMAND, READERS

OWN = re.compile(r"\x1b\[[0-9;]*m")
SUMMARY = re.compile(r"\d+ functions in \d+ files: .*\.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("hostile") / "work"
    made.mkdir()
    hostile.written(made)
    yield made


def steering(text: str) -> list[str]:
    """The characters that do something else in a terminal than to be seen."""
    found = {each for each in text if each != "\n" and unicodedata.category(each) in ("Cc", "Cs", "Zl", "Zp")}
    return sorted(map(ascii, found | {each for each in text if unicodedata.bidirectional(each) in TURNING}))


TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


def test_there_are_forty() -> None:
    assert len(hostile.TEXTS) >= 40


@pytest.fixture(scope="module")
def reports(folder: Path) -> dict[str, str]:
    """What is written of all of them in every format, as it reaches a terminal."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for form in FORMATS:
            out = folder.parent / f"out.{form}"
            colour = "never" if form == "concise" else "always"
            arguments = ["--output-format", form, "--color", colour, "--output-file", str(out)]
            assert main(["check", *arguments, "."]) == 1
            found[form] = out.read_text("utf-8")
    return found


def test_every_format_is_well_formed(reports: dict[str, str]) -> None:
    for form, reader in READERS.items():
        reader(reports[form])


def test_nothing_steers_a_terminal(reports: dict[str, str]) -> None:
    assert {form: steering(OWN.sub("", text)) for form, text in reports.items()} == {form: [] for form in FORMATS}
    assert "\x1b" not in reports["sarif"] + reports["github"] + reports["gitlab"] + reports["junit"]


def test_no_command_reaches_a_build_server(reports: dict[str, str]) -> None:
    for form, text in reports.items():
        assert not re.search(r"##\w*\[", text), form
        commands = [line for line in text.splitlines() if line.lstrip().startswith("::")]
        assert form == "github" or commands == []
    *commands, last = reports["github"].splitlines()
    assert [line for line in commands if not COMMAND.fullmatch(line)] == []
    assert SUMMARY.fullmatch(last)


def test_each_is_reported_once_and_as_what_it_is(folder: Path, reports: dict[str, str]) -> None:
    found = {each["path"]: each for each in json.loads(reports["json"])["files"]}
    harmless = {"nothing", "a mark of the byte order", "blanks"}
    for number, what in enumerate(hostile.TEXTS):
        status = found[f"t{number}.jl"]["status"]
        assert (status == "proved") is (what in harmless), what
    names = {path for path in found if not re.fullmatch(r"t\d+\.jl", path)}
    listed = {str(path.relative_to(folder)) for path in folder.glob("*.jl") if not path.is_dir()}
    assert names == {name for name in listed if not re.fullmatch(r"t\d+\.jl", name)}


def test_nothing_outside_is_read(folder: Path, reports: dict[str, str]) -> None:
    for form, text in reports.items():
        assert "SECRET" not in text and "root:" not in text, form
    found = {each["path"]: each for each in json.loads(reports["json"])["files"]}
    codes = {name: [each["code"] for each in found[name]["diagnostics"]] for name in ("out.jl", "passwd.jl")}
    assert codes == {"out.jl": ["DP010"], "passwd.jl": ["DP010"]}
    assert "DP015" in [each["code"] for each in found["through.jl"]["diagnostics"]]
    assert not list(folder.rglob("owned"))


def test_what_stands_in_a_report_is_what_was_written(reports: dict[str, str]) -> None:
    paths = {each["path"] for each in json.loads(reports["json"])["files"]}
    run = READERS["sarif"](reports["sarif"])
    uris = {os.fsdecode(unquote_to_bytes(each["location"]["uri"])) for each in run["artifacts"]}
    assert paths == uris
    properties = {each[1]["file"] for each in READERS["github"](reports["github"])}
    assert "a,b:c%0A;d.jl" in properties


@pytest.mark.parametrize(
    "text",
    [
        f'"{hostile.ESCAPES}" = 1\n',
        '"\\u001b[31m\\u202e\\n::error::x" = 1\n',
        'profile = "\\u001b[31m##[add-mask]x"\n',
        "exclude = 1 \x1b[31m\n",
    ],
)
def test_a_configuration_steers_nothing(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("dp-lsp.toml").write_text(text, "utf-8")
    Path("a.jl").write_text("f(x) = x\n", "utf-8")
    assert main(["check"]) == 2
    shown = capsys.readouterr().err
    assert "dp-lsp.toml:1:" in shown
    assert steering(shown) == [] and "##[" not in shown
    assert not any(line.startswith("::") for line in shown.splitlines())


def test_explanations_steer_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(folder)
    numbers = {what: number for number, what in enumerate(hostile.TEXTS)}
    for what in ("control characters beside an error", "text that turns round beside an error", "a reason with markup"):
        assert main(["explain", f"t{numbers[what]}.jl:f"]) == 0
        assert steering(capsys.readouterr().out) == [], what


@pytest.mark.skipif(os.name == "nt", reason="there are no such links")
@pytest.mark.parametrize("name", ["report.txt", "away/report.txt"])
def test_nothing_outside_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (outside / "report.txt").write_text("precious", "utf-8")
    (work / "report.txt").symlink_to(outside / "report.txt")
    (work / "away").symlink_to(outside)
    (work / "inside.txt").symlink_to("other.txt")
    (work / "a.jl").write_text("f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)\n", "utf-8")
    monkeypatch.chdir(work)
    numbers = ["--set", "eps=1"]
    assert main(["check", "a.jl", "--output-file", name]) == 2
    assert main(["check", "a.jl", *numbers, "--certificate", name]) == 2
    assert main(["explain", "a.jl:f", *numbers, "--plot", name]) == 2
    assert f"{name}: it leads out of this folder by a link" in capsys.readouterr().err
    assert (outside / "report.txt").read_text("utf-8") == "precious"
    for named in ("inside.txt", str(outside / "new.txt")):
        assert main(["check", "a.jl", "--output-file", named]) == 0
        assert main(["explain", "a.jl:f", *numbers, "--plot", named]) == 0
