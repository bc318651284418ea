"""Pages about problems and builtins, as `dp-lsp explain` prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dp_lsp.analysis.catalogue import MODULES, kinds
from dp_lsp.builtins import TABLE
from dp_lsp.cli import main
from dp_lsp.frontends.julia import JULIA
from dp_lsp.frontends.python import PYTHON
from source_tree import ROOT, modules

REFERENCE = ROOT / "dp_lsp" / "reference"


def explained(capsys: pytest.CaptureFixture[str], name: str) -> str:
    assert main(["explain", "--", name]) == 0
    return capsys.readouterr().out


def test_every_module_with_kinds_is_in_the_catalogue() -> None:
    named = {module.name for module in modules() if module.name.endswith(".problems")}
    assert named | {"dp_lsp.hopeless"} == set(MODULES)


def test_every_code_and_every_name_has_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    names = {kind.name for kind in kinds().values()}
    assert len(names) == len(kinds())
    for code, kind in kinds().items():
        page = explained(capsys, code)
        assert page.startswith(f"# {code} · {kind.name}\n\n")
        assert len(page.splitlines()) > 3, f"{code} has no page"
        assert explained(capsys, kind.name) == page == explained(capsys, code.lower())


def test_every_builtin_has_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    for name, row in TABLE.items():
        page = explained(capsys, name)
        for part in (row.signature, row.told(JULIA.rendering), row.source, *row.examples):
            assert part in page, name
        if row.mutates is not None:
            changing = f"{row.name.removesuffix('!')}!"
            assert explained(capsys, changing) == page
            assert f"`{changing}`" in page or changing in row.signature


def test_a_builtin_is_shown_as_python_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    """On its page by either name; what Python has no word for has no such part."""
    assert "## In Python\n\n```python\nnp.clip(x, lower, upper)\n```" in explained(capsys, "clamp")
    assert "## In Julia\n\n```julia\nclamp(x, lo, hi)\n```" in explained(capsys, "np.clip")
    for name in TABLE:
        shown = f"```python\n{PYTHON.builtins.spelling(name).signature}\n```"
        assert (shown in explained(capsys, name)) == PYTHON.builtins.has(name), name


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("DP20", "DP20"),
        ("not-utf", "not-utf8"),
        ("gausian_mechanism", "gaussian_mechanism"),
        ("clipp", "clip"),
        ("length!", "length"),
        ("", None),
    ],
)
def test_an_unknown_name(capsys: pytest.CaptureFixture[str], name: str, near: str | None) -> None:
    assert main(["explain", "--", name]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert f"there is no page about {name!r}" in shown.err
    assert (near in shown.err.partition("Near:")[2]) if near else "Near:" not in shown.err


def test_a_terminal_shows_no_markup(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr("dp_lsp.cli.explain.is_terminal", lambda stream: True)
    monkeypatch.setenv("NO_COLOR", "1")
    without = explained(capsys, "clip")
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setattr("dp_lsp.cli.style.is_terminal", lambda stream: True)
    coloured = explained(capsys, "clip")
    assert "```" not in without and "# clip" not in without and "clip(N, v)" in without
    assert "\x1b[" not in without
    assert "\x1b[1mclip\x1b[0m" in coloured and "\x1b[36mL1" not in coloured


def test_a_table_fits_the_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dp_lsp.cli.explain.is_terminal", lambda stream: True)
    monkeypatch.setenv("NO_COLOR", "1")
    for columns in (120, 80):
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = explained(capsys, "soundness").splitlines()
        table = lines[lines.index(next(line for line in lines if line.startswith("rule "))) :]
        assert "|" not in table[0] and max(map(len, lines)) <= min(columns, 100)
        column = table[0].index("function")
        assert all(line[column - 2 : column] in ("", "  ") for line in table[: table.index("")])


def test_the_steps_of_a_derivation_fit_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jl").write_text("f(v::MetricVector(Real, L1)) = sum(map(x -> abs(x) * 2, v))\n", "utf-8")
    monkeypatch.setattr("dp_lsp.cli.explain.is_terminal", lambda stream: True)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "44")
    monkeypatch.chdir(tmp_path)
    lines = explained(capsys, "a.jl:f").splitlines()
    assert max(map(len, lines)) <= 44
    assert "1. v::MetricVector(Real, L1), line 1 · input" in lines and "   v → sensitivity 1" in lines


@pytest.mark.parametrize("name", ["check", "explain", "max-epsilon", "configuration"])
def test_what_the_reference_says_of_commands_and_keys(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", name]) == 0
    title, *lines = capsys.readouterr().out.splitlines()
    assert title.startswith("# ") and len(lines) > 1
    pages = "".join((REFERENCE / page).read_text("utf-8") for page in ("command_line.md", "configuration.md"))
    written = set(pages.splitlines())
    assert [line for line in lines if line.lstrip("# ") and not line.startswith("#") and line not in written] == []


def test_too_little_noise_is_said_alike_everywhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The message says what the noise gives against the larger change, so no other line says that it gives nothing."""
    path = tmp_path / "a.jl"
    path.write_text("f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, 80 * x)\n", encoding="utf-8")
    assert main(["check", str(path)]) == 1
    checked = capsys.readouterr().out
    derived = explained(capsys, f"{path}:f")
    for text in (checked, derived):
        assert "against that change it gives ε = 80⋅eps" in text and "not private as declared" in text
        assert "guarante" not in text, text
