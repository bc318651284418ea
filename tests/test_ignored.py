"""Files that git leaves out are not checked when a folder is, and git itself says which those are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from dp_lsp.cli import main
from dp_lsp.configuration.ignored import Ignored
from dp_lsp.disk.loader import below
from test_settings import WATCHES, Editor, editor

__all__ = ["editor"]

PATTERNS = {
    ".gitignore": """\
# a comment.jl
\\#named.jl
\\!kept.jl
build/
/top.jl
docs/*.jl
**/deep/*.jl
out/**
!out/again.jl
some*.jl
!some_kept.jl
x?y.jl
[a-c]1.jl
[^a-c]2.jl
\\*.jl
blank.jl  \t
trailing.jl   \nwindows.jl\r
space\\ inside.jl
folder.jl/
left/**/right.jl
!build/in.jl
""",
    "sub/.gitignore": "!build/\nown.jl\n/here.jl\n*.tmp.jl\n",
    "sub/inner/.gitignore": "!own.jl\n",
    ".git/info/exclude": "excluded.jl\n!top.jl\n",
}
FILES = """
    a.jl comment.jl #named.jl !kept.jl build/in.jl top.jl sub/top.jl docs/a.jl docs/sub/a.jl
    deep/a.jl x/deep/a.jl x/deep/y/a.jl out/a.jl out/again.jl out/x/again.jl some.jl some_kept.jl
    xzy.jl xzzy.jl a1.jl d1.jl a2.jl d2.jl *.jl star.jl blank.jl trailing.jl windows.jl
    folder.jl/a.jl sub/folder.jl left/right.jl left/x/y/right.jl sub/build/a.jl sub/own.jl
    sub/here.jl sub/inner/here.jl sub/inner/own.jl own.jl sub/x.tmp.jl x.tmp.jl excluded.jl
    sub/excluded.jl sub/inner/build/a.jl
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def checked(folder: Path) -> set[str]:
    """The files of a folder that are checked."""

    def failed(error: OSError) -> None:
        raise error

    found = below(str(folder), Ignored(str(folder)), failed, lambda path: False)
    return {os.path.relpath(path, folder) for path in found}


def by_git(folder: Path, arguments: Iterable[str]) -> str:
    git = shutil.which("git")
    if git is None:
        pytest.skip("there is no git")
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    command = [git, "-c", f"core.excludesFile={os.devnull}", *arguments]
    return subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, check=True).stdout


def test_git_says_the_same(tmp_path: Path) -> None:
    by_git(tmp_path, ["init", "-q"])
    write(tmp_path, dict.fromkeys([*FILES.split(), "space inside.jl"], "") | PATTERNS)
    said = by_git(tmp_path, ["ls-files", "-z", "--others", "--exclude-standard", "--", ":(glob)**/*.jl"])
    assert checked(tmp_path) == set(filter(None, said.split("\0")))
    assert {"sub/build/a.jl", "sub/inner/own.jl", "docs/sub/a.jl"} <= checked(tmp_path)


def test_what_tools_put_there_is_not_looked_through(tmp_path: Path) -> None:
    """Installed packages, and Python environments by any name, unless one of these folders is asked for."""
    installed = ["lib/site-packages/a.jl", "node_modules/x/a.jl", "dist-packages/a.jl", "mine/bin/a.jl", "mine/a.jl"]
    write(tmp_path, dict.fromkeys(["a.jl", "lib/a.jl", *installed, "mine/pyvenv.cfg"], ""))
    assert checked(tmp_path) == {"a.jl", "lib/a.jl"}
    assert checked(tmp_path / "mine") == {"a.jl", "bin/a.jl"}
    assert checked(tmp_path / "node_modules") == {"x/a.jl"}


def test_only_in_a_repository(tmp_path: Path) -> None:
    write(tmp_path, {".gitignore": "a.jl\n", "a.jl": "", "inner/a.jl": "", "inner/b.jl": ""})
    assert checked(tmp_path) == {"a.jl", "inner/a.jl", "inner/b.jl"}
    write(tmp_path, {".git": "gitdir: elsewhere\n", "inner/.git/HEAD": "", "inner/.gitignore": "b.jl\n"})
    assert checked(tmp_path) == {"inner/a.jl"}, "a repository inside has patterns of its own"
    assert checked(tmp_path / "inner") == {"a.jl"}
    write(tmp_path, {".gitignore": "inner/\n"})
    assert checked(tmp_path) == {"a.jl"}
    assert checked(tmp_path / "inner") == {"a.jl"}, "what is asked for by name is checked"


def test_a_link_says_nothing(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "a.jl": "", "patterns": "a.jl\n"})
    (tmp_path / ".gitignore").symlink_to(tmp_path / "patterns")
    assert checked(tmp_path) == {"a.jl"}


def test_hostile_patterns_end(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", ".gitignore": "*a" * 500 + "b\n" + "**/" * 500 + "b\n[\n[!\n\\\n"})
    write(tmp_path, {"a" * 200 + ".jl": ""})
    assert len(checked(tmp_path)) == 1


def test_the_command_line_and_the_server_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], editor: Editor
) -> None:
    square = "g(x::Real) = unheard(x)\n"
    write(tmp_path, {".git/HEAD": "", ".gitignore": "out/\n", "a.jl": square, "out/b.jl": square})
    monkeypatch.chdir(tmp_path)
    main(["check", "--output-format", "json"])
    assert [file["path"] for file in json.loads(capsys.readouterr().out)["files"]] == ["a.jl"]
    main(["check", "--output-format", "json", "out/b.jl"])
    assert [file["path"] for file in json.loads(capsys.readouterr().out)["files"]] == ["out/b.jl"]
    editor.begin(tmp_path, asked=False, **WATCHES)
    editor.show(tmp_path / "out" / "b.jl", square)
    assert editor.found(tmp_path / "out" / "b.jl") == []
    editor.show(tmp_path / "a.jl", square)
    assert editor.found(tmp_path / "a.jl") == ["DP101"]
    editor.write(tmp_path / ".gitignore", "a.jl\n")
    assert editor.found(tmp_path / "a.jl") == []
    assert editor.found(tmp_path / "out" / "b.jl") == ["DP101"]
    write(tmp_path, {"c.jl": 'include("a.jl")\n'})
    main(["check", "--output-format", "json"])
    checked_files = [file["path"] for file in json.loads(capsys.readouterr().out)["files"]]
    assert checked_files == ["c.jl", "out/b.jl", "a.jl"], "what is included is checked"
