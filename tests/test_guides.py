"""The pages that people read: each program in them is checked, and what stands below a command is what it prints.

A block that names a file behind its language is that file. A block of the language `console` holds commands, each
behind `$`, with what they print; `--update` writes that anew."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from dp_lsp import frontends
from dp_lsp.analysis.records import Options, State
from dp_lsp.cli import main
from dp_lsp.engine.check import Engine
from source_tree import ROOT

REFERENCE = ROOT / "dp_lsp" / "reference"
README = ROOT / "README.md"
GENERATED = {"builtins", "command_line", "configuration", "diagnostics", "soundness"}
GUIDES = sorted(path for path in REFERENCE.glob("*.md") if path.stem not in GENERATED)
PAGES = [*GUIDES, README]
LONGEST = 110  # lines of the README: two screens

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """A command with what it prints, without how long it took."""
    program, *arguments = shlex.split(command)
    assert program == "dp-lsp", command
    assert main(arguments) in (0, 1), command
    shown = capsys.readouterr()
    assert shown.err == "", command
    return f"$ {command}\n" + re.sub(r" +[\d.]+ s$", "", shown.out.rstrip(), flags=re.MULTILINE) + "\n"


def remade(page: str, capsys: pytest.CaptureFixture[str]) -> str:
    """A page with what its commands print now; its files are written to the working folder before."""

    def made(block: re.Match[str]) -> str:
        language, file, text = block.groups()
        if file:
            Path(file).write_text(text, "utf-8")
        if language != "console":
            return block[0]
        commands = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
        return "```console\n" + "\n".join(printed(command, capsys) for command in commands) + "```"

    return _BLOCK.sub(made, page)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_what_commands_print_is_current(
    path: Path,
    request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    page = path.read_text("utf-8")
    now = remade(page, capsys)
    if request.config.getoption("--update"):
        path.write_text(now, "utf-8")
    assert path.read_text("utf-8") == now


def programs(page: str) -> Iterator[tuple[str, str]]:
    """The programs of a page of which nothing else is said, each with its language."""
    blocks = _BLOCK.findall(page)
    return ((text, language) for language, file, text in blocks if language in frontends.LANGUAGES and not file)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_other_programs_are_proved(path: Path) -> None:
    for program, language in programs(path.read_text("utf-8")):
        (suffix, *_) = frontends.LANGUAGES[language].suffixes
        analysis = Engine().check(program, Options(language=language), document=f"a{suffix}")
        assert {function.state for function in analysis.functions} == {State.PROVED}, program
        assert analysis.problems == ()


def anchors(page: str) -> set[str]:
    """The names of the headings of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    for link in _LINK.findall(path.read_text("utf-8")):
        if "://" not in link:
            name, _, anchor = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.exists(), link
            assert not anchor or anchor in anchors(target.read_text("utf-8")), link


@pytest.mark.parametrize("name", [path.stem for path in REFERENCE.glob("*.md")])
def test_pages_are_explained_and_listed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    title, *_ = capsys.readouterr().out.splitlines()
    assert title.startswith("# ")
    if name != "contents":
        assert f"({name}.md)" in (REFERENCE / "contents.md").read_text("utf-8")


def test_the_walk_has_ten_steps_and_ends_well() -> None:
    page = (REFERENCE / "notebook.md").read_text("utf-8")
    assert re.findall(r"^## (\d+)\. ", page, re.MULTILINE) == [str(number) for number in range(1, 11)]
    *_, last = re.findall(r"^\d functions?: .*$", page, re.MULTILINE)
    assert last == "1 function: 1 proved."


def test_the_readme_is_two_screens_long() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= LONGEST
