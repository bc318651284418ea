"""Modules of a Python project in an editor: a real session, with a module open, closed, edited and changed on disk."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stdio_driver import children
from test_editing_projects import STATUS, WATCHING, Session, states, write

MAIN = """\
from typing import Annotated

from dp_types import AddRemove, Private, Static
from lab.noise import noisy


def f(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
    return noisy(len(ages), eps)


def g(ages: Annotated[list, AddRemove()]):
    return len(ages)
"""
NOISE = """\
import numpy as np


def noisy(v, epsilon):
    return v + np.random.laplace(scale=1 / epsilon)
"""
TWICE = NOISE.replace("1 / epsilon", "1 / (2 * epsilon)")
OTHER = MAIN.replace("def f(", "def h(").replace("def g(", "def i(")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    inside = tmp_path / "project"
    write(inside, "main.py", MAIN)
    write(inside, "other.py", OTHER)
    write(inside, "lab/noise.py", NOISE)
    with Session(inside) as driver:
        yield driver
        for worker in children(driver.process.pid):
            os.kill(worker, signal.SIGKILL)


def show(session: Session, name: str) -> dict[str, str]:
    session.open((session.folder / name).read_text(), uri=session.uri(name), language="python")
    return states(session.checked(1, name))


def _shows_no_error(uri: str) -> Callable[[dict[str, Any]], bool]:
    """Whether a message says that no error is left in a document: what is said of others, or was on its way, does
    not count."""

    def says(message: dict[str, Any]) -> bool:
        told = message.get("params") if message.get("method") == "textDocument/publishDiagnostics" else None
        return bool(told) and told["uri"] == uri and all(each["severity"] != 1 for each in told["diagnostics"])

    return says


def cost(session: Session, name: str = "main.py") -> str:
    (found,) = (each for each in session.checked(1, name)["functions"] if each["name"] in "fh")
    return str(found["summary"])


def test_a_module_is_read_from_the_disk(session: Session) -> None:
    session.start(session.folder)
    assert show(session, "main.py") == {"f": "proved", "g": "proved"}
    assert "ε eps " in cost(session)
    assert {each["uri"] for each in session.published()} == {session.uri("main.py")}


def test_an_edit_of_a_module_reaches_who_imports_it(session: Session) -> None:
    session.start(session.folder, experimental=STATUS)
    show(session, "main.py")
    show(session, "other.py")
    assert show(session, "lab/noise.py") == {}, "of itself nothing is said"
    session.seen.clear()
    session.edit(2, "lab/noise.py", TWICE)
    told = session.wait(lambda message: message.get("method") == "dp/fileStatus")["params"]
    assert told["status"] == "stale", "in the same turn as the edit"
    assert "ε 2⋅eps " in cost(session) and "ε 2⋅eps " in cost(session, "other.py")
    session.edit(3, "lab/noise.py", NOISE + "\n\nnp.random.seed(1)\n")
    assert states(session.checked(1, "main.py")) == {"f": "unknown", "g": "unknown"}
    session.edit(4, "lab/noise.py", NOISE)
    assert "ε eps " in cost(session) and states(session.checked(1, "other.py")) == {"h": "proved", "i": "proved"}


def test_text_in_the_editor_wins_until_it_is_closed(session: Session) -> None:
    session.start(session.folder)
    show(session, "main.py")
    session.open(TWICE, uri=session.uri("lab/noise.py"), language="python")
    assert "ε 2⋅eps " in cost(session)
    session.hide("lab/noise.py")
    assert "ε eps " in cost(session)


@pytest.mark.parametrize("again", [False, True])
def test_a_module_that_is_closed_at_any_moment_of_its_check(session: Session, again: bool) -> None:
    """Before its check, during it, or between it and that of who imports it; what was opened may be opened again."""
    session.start(session.folder)
    show(session, "main.py")
    for thousandths in range(16):
        session.open(TWICE, uri=session.uri("lab/noise.py"), language="python")
        time.sleep(thousandths / 2000)
        session.hide("lab/noise.py")
        if again:
            session.open(NOISE + "\n\n", uri=session.uri("lab/noise.py"), language="python")
        assert "ε eps " in cost(session), f"after {thousandths / 2} ms"
        if again:
            session.hide("lab/noise.py")


def test_a_module_that_changes_on_the_disk(session: Session) -> None:
    session.start(session.folder, workspace=WATCHING)
    show(session, "main.py")
    write(session.folder, "lab/noise.py", TWICE)
    session.changed_on_disk("lab/noise.py")
    assert "ε 2⋅eps " in cost(session)


def test_a_module_that_appears(session: Session) -> None:
    (session.folder / "lab/noise.py").unlink()
    session.start(session.folder, workspace=WATCHING)
    assert show(session, "main.py") == {"f": "unknown", "g": "proved"}
    write(session.folder, "lab/noise.py", NOISE)
    session.changed_on_disk("lab/noise.py")
    session.wait(_shows_no_error(session.uri("main.py")))
    assert "ε eps " in cost(session)


def test_an_import_that_is_taken_out_and_put_in_again(session: Session) -> None:
    session.start(session.folder)
    show(session, "main.py")
    session.edit(2, "main.py", MAIN.replace("from lab", "# from lab"))
    assert states(session.checked(2, "main.py")) == {"f": "unknown", "g": "proved"}
    session.edit(3, "main.py", MAIN)
    assert states(session.checked(3, "main.py")) == {"f": "proved", "g": "proved"}


def test_a_module_of_its_own_is_checked_as_itself(session: Session) -> None:
    write(session.folder, "lab/noise.py", "from dp_types import Private\n" + NOISE)
    session.start(session.folder)
    show(session, "main.py")
    assert show(session, "lab/noise.py") == {"noisy": "proved"}
    session.edit(2, "lab/noise.py", "from dp_types import Private\n" + TWICE)
    assert states(session.checked(2, "lab/noise.py")) == {"noisy": "proved"}
    assert "ε 2⋅eps " in cost(session)
