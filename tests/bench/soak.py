"""Hours of typing in minutes: ``python -m tests.bench.soak``.

Sends a server random edits of a program, looks now and then at what it says, and compares that, at intervals and at the
end, with what a server says that has seen nothing but the text, and at the end with the command line. Exits with 1 at
the first difference. Prints how long an edit took at the beginning and at the end, and what memory.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.typist import Typist

from .client import ROOT, Client, timed

_URI = "file:///soak/typed.jl"
_PROGRAM = ROOT / "fixtures" / "programs" / "dp_sgd.jl"
_LOOK, _COMPARE, _FRESH_COPY, _MEASURED = 20, 500, 100, 500


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak", description=__doc__)
    parser.add_argument("--edits", type=int, default=20_000)
    parser.add_argument("--seed", default="typist")
    options = parser.parse_args()
    original = _PROGRAM.read_text("utf-8")
    typist = Typist(original, options.seed)
    taken: list[float] = []
    with Client() as client:
        client.open(_URI, original)
        first_memory = None
        for number in range(1, options.edits + 1):
            change = typist.paste(original) if number % _FRESH_COPY == 0 else typist.edit()
            version = client.change(_URI, change.message)
            if number % _LOOK == 0:
                taken.append(timed(lambda version=version: client.checked(_URI, version)))
            if number % _COMPARE == 0 or number == options.edits:
                _compare(client.checked(_URI, version), typist.text, number)
            if number == _MEASURED:
                first_memory = client.memory()
        _compare_with_command_line(client.ask("dp/report", {"uri": _URI}), typist.text)
        part = max(1, min(len(taken) // 2, _MEASURED // _LOOK))
        print(f"{options.edits:,} edits: what the server says is what a fresh one and the command line say")
        print(f"last edit → checked, median: {statistics.median(taken[:part]):.1f} ms at the beginning,", end=" ")
        print(f"{statistics.median(taken[-part:]):.1f} ms at the end")
        print(f"memory with the worker: {_mebibytes(first_memory)} after {_MEASURED} edits,", end=" ")
        print(f"{_mebibytes(client.memory())} at the end")


def _mebibytes(memory: float | None) -> str:
    return "not known" if memory is None else f"{memory:.0f} MiB"


def _compare(status: Any, text: str, number: int) -> None:
    with Client() as fresh:
        fresh.open(_URI, text)
        expected = fresh.checked(_URI, 1)
    if any(status[name] != expected[name] for name in ("status", "counts", "functions")):
        _differs(f"after {number:,} edits", text, status, expected)


def _compare_with_command_line(report: Any, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "typed.jl").write_bytes(text.encode("utf-8", "replace"))
        command = [sys.executable, "-m", "dp_lsp", "check", "--output-format", "json", "--fixes", folder]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    expected = json.loads(done.stdout)["files"][0] | {"path": ""}
    found = report["files"][0] | {"path": ""}
    if found != expected:
        _differs("on the command line", text, found, expected)


def _differs(where: str, text: str, found: object, expected: object) -> None:
    print(f"different {where}\n{text!r}\n{json.dumps(found)}\n{json.dumps(expected)}")
    sys.exit(1)


if __name__ == "__main__":
    main()
