"""What a run ends with: every line of the contract's table, in every format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import dp_lsp.cli.running
from dp_lsp.cli import main
from dp_lsp.cli.output import MEANINGS
from dp_lsp.cli.reporters import FORMATS
from source_tree import ROOT, python

ASSUMED = "f(x) :: BlackBox() = 2 * x\n"
PROVED = "f(x::Real) = 2 * x\n"
FAILED = "f(x::Real) :: Priv() = laplacian_mechanism(1, 1, x + x)\n"
UNKNOWN = "f(x::Real) = rem(x)\n"
ACCEPTED = "f(x::Real) = rem(x)  # dp: ignore[DP113] flat\n"
WARNED = "f(x::Real) = disc(x)\n"
Prepare = Callable[[], object]


def holds(text: str | bytes, name: str = "a.jl") -> Prepare:
    content = text.encode() if isinstance(text, str) else text
    return lambda: Path(name).write_bytes(content)


def both(*steps: Prepare) -> Prepare:
    return lambda: [step() for step in steps]


def accepts_all() -> None:
    """Write a baseline of what there is."""
    assert main(["check", "--baseline", "b.json", "--update-baseline"]) == 0


ENDS = [
    pytest.param(holds(PROVED), [], 0, id="all proved"),
    pytest.param(holds(""), [], 0, id="an empty file"),
    pytest.param(holds(FAILED), [], 1, id="findings"),
    pytest.param(holds(FAILED), ["--exit-zero"], 0, id="findings that do not count"),
    pytest.param(holds(UNKNOWN), [], 1, id="unknown"),
    pytest.param(holds("include(name)\n" + PROVED), [], 1, id="unknown from outside"),
    pytest.param(holds(WARNED), [], 0, id="a warning"),
    pytest.param(holds(WARNED), ["--error-on-warning"], 1, id="a warning that counts"),
    pytest.param(holds(ACCEPTED), [], 0, id="suppressed"),
    pytest.param(holds(ACCEPTED), ["--error-on-accepted"], 1, id="suppressed, which counts"),
    pytest.param(holds(ACCEPTED.replace(" flat", "")), [], 1, id="suppressed for no reason"),
    pytest.param(both(holds(FAILED), accepts_all), ["--baseline", "b.json"], 0, id="baseline"),
    pytest.param(
        both(holds(FAILED), accepts_all, holds(FAILED + FAILED.replace("f(", "g("))),
        ["--baseline", "b.json"],
        1,
        id="more than the baseline has",
    ),
    pytest.param(holds(ASSUMED), [], 0, id="a black box"),
    pytest.param(holds(ASSUMED), ["--error-on-assumed"], 1, id="a black box, which counts"),
    pytest.param(holds(PROVED), ["--error-on-assumed"], 0, id="none is assumed"),
    pytest.param(holds("f(x::Real) = 2 * )\n"), [], 1, id="a syntax error"),
    pytest.param(holds(b"f(x) = '\xff'\n"), [], 1, id="a file that is not text"),
    pytest.param(holds(bytes(range(256))), [], 1, id="a binary file"),
    pytest.param(lambda: Path("a.jl").mkdir(), ["a.jl"], 2, id="a folder in which is nothing"),
    pytest.param(holds(PROVED, "a.py"), [], 2, id="no matching file"),
    pytest.param(holds(PROVED), ["b.jl"], 2, id="a path that is not there"),
    pytest.param(holds(FAILED), ["--exit-zero", "b.jl"], 2, id="which --exit-zero does not help"),
    pytest.param(holds(PROVED), ["--frobnicate"], 2, id="an option that is none"),
    pytest.param(holds(PROVED), ["--set", "k"], 2, id="an option with a wrong value"),
    pytest.param(holds(PROVED), ["--set", "zeta=1"], 2, id="a setting that no function has"),
    pytest.param(both(holds(PROVED), holds("x = 1\n", "dp-lsp.toml")), [], 2, id="a wrong configuration"),
    pytest.param(both(holds(PROVED), holds("{", "b.json")), ["--baseline", "b.json"], 2, id="a wrong baseline"),
    pytest.param(holds(PROVED), ["--config", "none.toml"], 2, id="no configuration"),
    pytest.param(holds(FAILED), ["--output-file", "no/such/folder"], 2, id="a report that cannot be written"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("prepare", "arguments", "code"), ENDS)
def test_exit_code(prepare: Prepare, arguments: list[str], code: int) -> None:
    prepare()
    assert {form: main(["check", "--output-format", form, *arguments]) for form in FORMATS} == dict.fromkeys(
        FORMATS, code
    )


@pytest.mark.skipif(os.name == "nt", reason="there are no such links")
def test_a_file_that_cannot_be_read() -> None:
    Path("a.jl").symlink_to("nowhere")
    assert [main(["check", "--output-format", form]) for form in FORMATS] == [1] * len(FORMATS)


@pytest.mark.parametrize(("error", "code"), [(ZeroDivisionError, 101), (KeyboardInterrupt, 130)])
def test_what_ends_a_check(error: type[BaseException], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    holds(FAILED)()

    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(dp_lsp.cli.running.Engine, "project", fails)
    assert [main(["check", "--exit-zero", "--output-format", form]) for form in FORMATS] == [code] * len(FORMATS)


@pytest.mark.parametrize("form", ["full", "sarif"])
def test_a_closed_pipe(form: str) -> None:
    holds(FAILED)()
    program = (
        "import os, sys\n"
        "reader, writer = os.pipe()\n"
        "os.close(reader)\n"
        "os.dup2(writer, 1)\n"
        "import dp_lsp.cli\n"
        "sys.exit(dp_lsp.cli.main())"
    )
    result = python("-c", program, "check", "a.jl", "--output-format", form, cwd=Path.cwd(), path=ROOT)
    assert (result.returncode, result.stderr) == (2, "")


def test_every_code_has_a_meaning() -> None:
    assert {end.values[2] for end in ENDS} | {101, 130} == set(MEANINGS)
