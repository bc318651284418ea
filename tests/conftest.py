"""What all tests share."""

import gc
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dp_lsp.cache.store import VARIABLE
from dp_lsp.cli import running

ASK = running.Distributions.ask
LONG = (
    *("test_robustness.py", "test_privacy_attack.py", "test_repository.py", "test_derivations.py", "test_run_noise.py"),
    *("test_spec.py", "test_meaning.py", "test_effort.py", "test_fixes.py", "test_claims.py", "test_bench.py"),
    *("test_worker.py", "test_run.py", "test_cpython_oracle.py", "test_tallies.py", "test_planted_effects.py"),
    *("test_forged.py", "test_certificates.py", "test_conditions.py", "test_loss_distributions.py"),
    *("test_editing_projects.py", "test_precision.py", "test_charges.py", "test_extremes.py", "test_settings.py"),
    *("test_protocol.py", "test_navigation.py", "test_stdio.py", "test_laws.py", "test_traps.py", "test_recipes.py"),
    *("test_typing.py", "test_showing.py", "test_unknown.py", "test_growth.py", "test_actions.py", "test_cache.py"),
)
"""The files that take longest, in that order: begun first, so that no process has one of them left alone in the end."""
LAST = "test_beside.py"
"""What runs beside the other tests is waited for at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="rewrite expected results instead of comparing with them")
    parser.addoption("--full", action="store_true", help="plant each effect in all contexts, and not in one of them")


def pytest_configure() -> None:
    """What tests start can be interrupted, also where who started the tests ignores that: a shell does for what it runs
    in the background, and what is ignored stays so in all that is started, unless somebody listens to it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.set_threshold(100_000, 10, 100)  # as on the command line: little of what a check makes is litter to look for


def pytest_collection_finish() -> None:
    """What all tests share stays: it need not be looked through each time."""
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(LONG)} | {LAST: len(LONG) + 1}
    items.sort(key=lambda item: places.get(item.path.name, len(LONG)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How long each part took in the real editors, and what was not run; and what came of the libraries."""
    beside = Path(os.environ.get("DP_LSP_BESIDE", os.devnull))
    results = sorted(beside.glob("*.json"))
    if results:
        terminalreporter.section("real editors")
    for file in results:
        found = json.loads(file.read_text("utf-8"))
        terminalreporter.line(f"{file.stem}: {found['state']}, {found['seconds']} s")
        for check in found["checks"]:
            note = f" ({check['note']})" if check.get("note") else ""
            terminalreporter.line(f"  {check['seconds']:6.1f} s  {check['check']}{note}")
        if found["state"] == "not run":
            terminalreporter.line(f"  {found['reason']}")
    log = beside / "libraries.log"
    if log.exists():
        terminalreporter.section("libraries")
        terminalreporter.line(log.read_text("utf-8"))


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the user's other runs found out is not believed, and what tests make up is not told to them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(autouse=True, scope="session")
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hundreds of processes are started, and most of what a start costs is to compile the package, also where nothing
    may be written beside the sources."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture(autouse=True)
def _without_distributions(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take a process and a second a time; who wants these numbers asks for them."""
    monkeypatch.setattr(running.Distributions, "ask", lambda self, wanted: False)


@pytest.fixture
def with_distributions(monkeypatch: pytest.MonkeyPatch, _without_distributions: None) -> None:
    """They are asked for, as users do."""
    monkeypatch.setattr(running.Distributions, "ask", ASK)
