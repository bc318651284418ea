"""Whether a change that should change no answer changes one: the reports of two versions of the checker, compared.

``python -m tests.same_answers REVISION`` checks every program of ``fixtures/`` and every program of the specification
with the checker as it is here and as it was at a revision, each without a cache: once as it is, and once with a number
for every public parameter and size and with a target for δ. It prints what differs but for words (``message``,
``title``, ``display``, ``text``), and ends with exit code 1 if anything does. ``--keep FILE`` remembers the answers of
that revision for the next time. Further FILEs are compared, too. ``--words`` compares what else is left out: a change
that is about who writes the sentences should not change them either.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))  # the modules of the tests import each other by name

from several_files import sections
from source_tree import ROOT
from spec_runner import blocks

WORDS = frozenset({"message", "title", "display", "text"})
OPTIONS = ("profile", "neighbours", "contributes")
Json = Any


SUFFIXES = {"julia": ".jl", "python": ".py"}


def programs(files: list[str]) -> Iterator[tuple[str, str, str, tuple[str, ...]]]:
    """The name of each program, the suffix of its language, its text and its options."""
    for page in sorted(ROOT.glob("fixtures/spec/**/*.md")):
        for block in blocks(page.read_text(encoding="utf-8")):
            options = tuple(sorted(word for word in block.words if "=" in word))
            yield f"{page.relative_to(ROOT)}:{block.start}", SUFFIXES[block.language], block.text, options
    kept = (path for suffix in SUFFIXES.values() for path in sorted(ROOT.glob(f"fixtures/**/*{suffix}")))
    for path in [*kept, *map(Path, files)]:
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        yield str(name), path.suffix, path.read_text(encoding="utf-8"), ()


def lay_out(folder: Path, files: list[str]) -> dict[str, str]:
    """Write each program into a folder of its own; the names of the programs by those of the folders."""
    names = {}
    for index, (name, suffix, text, options) in enumerate(programs(files)):
        place = folder / f"{index:05}"
        for path, _, content in sections(text) or [(f"program{suffix}", 0, text)]:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(content, encoding="utf-8")
        (place / "dp-lsp.toml").write_text("".join(configuration(options)), encoding="utf-8")
        names[place.name] = name
    return names


def configuration(options: tuple[str, ...]) -> Iterator[str]:
    """The configuration that says the same as the options of a program; numbers are given in the second pass."""
    for option in options:
        key, value = option.rsplit("=", 1)
        if key in OPTIONS:
            yield f"{key} = {value if value.isdigit() else json.dumps(value)}\n"


def settings(report: Json) -> Iterator[str]:
    """A number for each public parameter, and for each size of a parameter that a report names. Sizes of other values,
    such as what a function makes on its way, have no number: nobody may give them one."""
    found: dict[str, str] = {}
    for function in (each for file in report["files"] for each in file["functions"]):
        names = {parameter["name"] for parameter in function["parameters"]}
        for parameter in function["parameters"]:
            if parameter["static"]:
                whole = parameter["type"] == "Integer" or found.get(parameter["name"]) == "7"
                small = parameter["name"].startswith("del")
                found[parameter["name"]] = "7" if whole else "1/1000000" if small else "1/10"
        for size, name in re.findall(r"((?:length|rows|columns)\((\w+)\))", json.dumps(function)):
            if name in names:
                found[size] = "1000"
    for name, value in sorted(found.items()):
        yield from ("--set", f"{name}={value}")


def answers(tree: Path, folder: Path, *options: str) -> Json:
    """What the checker in a tree reports of all programs in a folder."""
    command = [sys.executable, "-m", "dp_lsp", "check", "--no-cache", "--output-format", "json", *options, "."]
    done = subprocess.run(command, cwd=folder, env=os.environ | {"PYTHONPATH": str(tree)}, capture_output=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{tree}: exit code {done.returncode}\n{done.stderr.decode()}")
    return json.loads(done.stdout)


def both_passes(tree: Path, folder: Path, numbers: list[str]) -> list[Json]:
    """The reports of all programs as they are, and with numbers."""
    return [answers(tree, folder), answers(tree, folder, "--target-delta", "1/100000", *numbers)]


def earlier(revision: str, folder: Path) -> tuple[list[Json], list[str]]:
    """What a revision reports, and the numbers that it was given."""
    with tempfile.TemporaryDirectory() as tree:
        subprocess.run(["git", "worktree", "add", "-q", "--detach", tree, revision], cwd=ROOT, check=True)
        try:
            numbers = list(settings(answers(Path(tree), folder)))
            return both_passes(Path(tree), folder, numbers), numbers
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)


def differences(old: Json, new: Json, but: frozenset[str], place: str = "") -> Iterator[str]:
    """Where two reports differ, but for what stands under some keys."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted((old.keys() | new.keys()) - but):
            if key not in old or key not in new:
                yield f"{place}.{key}: only {'here' if key in new else 'before'}"
            else:
                yield from differences(old[key], new[key], but, f"{place}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from differences(one, other, but, f"{place}[{index}]")
    elif old != new:
        yield f"{place}: {json.dumps(old, ensure_ascii=False)} → {json.dumps(new, ensure_ascii=False)}"


def compared(old: Json, new: Json, names: Mapping[str, str], but: frozenset[str]) -> Iterator[str]:
    """Where the reports of all files differ, by the names of the programs."""
    before = {file["path"]: file for file in old["files"]}
    after = {file["path"]: file for file in new["files"]}
    for path in sorted(before.keys() | after.keys()):
        for found in differences(before.get(path), after.get(path), but):
            yield f"{names[path.split('/')[0]]} ({path}){found}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--words", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names = lay_out(folder, given.files)
        texts = sorted((str(path.relative_to(folder)), path.read_text()) for path in folder.rglob("*.*"))
        asked = [given.revision, [list(each) for each in texts]]
        kept = json.loads(given.keep.read_text()) if given.keep and given.keep.exists() else None
        if kept is None or kept["asked"] != asked:
            reports, numbers = earlier(given.revision, folder)
            kept = {"asked": asked, "reports": reports, "numbers": numbers}
            if given.keep:
                given.keep.write_text(json.dumps(kept))
        now = both_passes(ROOT, folder, kept["numbers"])
    but = frozenset[str]() if given.words else WORDS
    found = [line for old, new in zip(kept["reports"], now, strict=True) for line in compared(old, new, names, but)]
    print("\n".join(found))
    functions = sum(len(file["functions"]) for file in now[0]["files"])
    print(f"{len(names)} programs, {functions} functions, twice: {len(found)} differences")
    return int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
