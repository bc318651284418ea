"""Counts what of the package a check of a file enters: modules of which a function runs, not only imported ones. And
what the package is made of."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # the modules of the tests import each other by name

from source_tree import modules  # noqa: E402

_WATCHED = """
import json, sys
importing, entered = 0, set()

def watch(frame, event, argument):
    global importing
    code = frame.f_code
    if event in ("call", "return") and code.co_name == "<module>":
        importing += 1 if event == "call" else -1
    elif event == "call" and not importing:
        entered.add(frame.f_globals.get("__name__", ""))

from dp_lsp.cli import main
sys.setprofile(watch)
main(["check", "--no-cache", "--output-format", "json", "--output-file", sys.argv[2], sys.argv[1]])
sys.setprofile(None)
print(json.dumps([sorted(entered), sorted(sys.modules)]))
"""


def entered(file: str) -> Iterator[str]:
    """Lines about a check of a file, which has to be there: the modules that are entered and imported, by layers."""
    if not Path(file).is_file():
        raise SystemExit(f"there is no file {file}")
    command = [sys.executable, "-c", _WATCHED, str(Path(file).resolve()), "/dev/null"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    run, imported = (
        [name for name in names if name.partition(".")[0] == "dp_lsp"] for names in json.loads(done.stdout)
    )
    yield f"{len(run)} modules are entered, {len(imported)} are imported"
    layers = Counter(map(_layer, run))
    for layer, count in layers.most_common():
        names = ", ".join(name.removeprefix(f"dp_lsp.{layer}.") for name in run if _layer(name) == layer)
        yield f"  {layer:<14}{count:>4}  {names}"


def package() -> Iterator[str]:
    """Lines about the package as it is written."""
    found = modules()
    yield f"{sum(len(each.path.read_text('utf-8').splitlines()) for each in found):,} lines in {len(found)} files"
    importers = _importers()
    single = sorted(name for name, users in importers.items() if len(users) == 1)
    yield f"{len(single)} modules have one importer"
    defined = Counter(node.name for each in found for node in ast.walk(each.tree) if isinstance(node, ast.ClassDef))
    twice = [name for name, count in defined.most_common() if count > 1]
    yield f"{len(twice)} class names stand for several things: {', '.join(twice)}"


def _importers() -> dict[str, set[str]]:
    """Who imports each module, late and for types included; packages left out."""
    from test_layers import imports

    found: dict[str, set[str]] = {each.name: set() for each in modules() if not each.is_package}
    for each in imports():
        if each.target in found:
            found[each.target].add(each.importer)
    return found


def _layer(name: str) -> str:
    return name.split(".")[1] if "." in name else name
