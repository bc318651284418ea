"""What is measured: each function yields rows of a table, a value for each size."""

from __future__ import annotations

import itertools
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from dp_lsp.engine.check import Engine
from dp_lsp.worker.frames import Begun, Finished, Stopped

from .client import NULL_SERVER, ROOT, SERVER, Client, timed
from .programs import GROWING, Program, program
from .worker import Worker

_URI = "file:///bench/measured.jl"
_OTHER = "file:///bench/other.jl"
_variants = itertools.count(1)
_values = itertools.cycle(range(101, 1000))


class Row(NamedTuple):
    """A measure at each size, in ``unit``; None where there is nothing to measure. ``goal`` is for the largest."""

    title: str
    values: Sequence[float | None]
    goal: str = ""
    unit: str = "ms"


class Plan(NamedTuple):
    """Sizes in lines, sizes of what grows in one way, and how often each thing is done: what is slow, what is quick."""

    sizes: tuple[int, ...]
    growing: tuple[int, ...]
    slow: int
    quick: int


def engine(plan: Plan) -> Iterator[Row]:
    """The engine alone, in this process."""
    Engine().check("warm_up(x) = x\n")
    yield Row("full check, nothing remembered", [_full(size, plan.slow) for size in plan.sizes], "4 s (ratio ≤ 12)")
    leaf = [_edited(size, plan.quick, shared=False) for size in plan.sizes]
    yield Row("check after an edit of one function", leaf, "50 ms")
    shared = [_edited(size, plan.slow, shared=True) for size in plan.sizes]
    yield Row("check after an edit of a function used everywhere", shared)


def _full(size: int, times: int) -> float:
    return _median(times, lambda: timed(partial(Engine().check, _fresh(size).text)))


def _edited(size: int, times: int, shared: bool) -> float:
    checker, made = Engine(), _fresh(size)
    number = made.shared if shared else made.leaf
    checker.check(made.text)
    return _median(times, lambda: timed(partial(checker.check, made.edited(number, next(_values)))))


def server(plan: Plan) -> Iterator[Row]:
    """The server over standard input and output."""
    rows: dict[str, list[float | None]] = {}
    for size in plan.sizes:
        with Client() as client:
            client.open(_OTHER, program(100).text)
            client.diagnosed(_OTHER)
            for title, value in _session(client, _fresh(size), plan):
                rows.setdefault(title, []).append(value)
    goals = {"edit of one function → diagnostics": "60 ms", "hover": "5 ms", "hover just after an edit": "30 ms"}
    for title, values in rows.items():
        yield Row(f"server: {title}", values, goals.get(title, ""), "MiB" if title.startswith("memory") else "ms")


def _session(client: Client, made: Program, plan: Plan) -> Iterator[tuple[str, float | None]]:
    def open_() -> None:
        client.open(_URI, made.text)
        client.diagnosed(_URI)

    def edit(shared: bool = False) -> None:
        client.edit(_URI, made.shared if shared else made.leaf, next(_values))

    def edit_diagnosed(shared: bool) -> None:
        edit(shared)
        client.diagnosed(_URI)

    def hover() -> None:
        assert client.hover(_URI, made.leaf)

    def edit_hover() -> float:
        edit()
        took = timed(hover)
        client.diagnosed(_URI)
        return took

    yield "open → diagnostics", timed(open_)
    yield "memory, with its worker", client.memory()
    for _ in range(plan.slow * 20):
        edit_diagnosed(False)
    yield f"memory after {plan.slow * 20} edits", client.memory()
    yield "edit of one function → diagnostics", _median(plan.quick, lambda: timed(partial(edit_diagnosed, False)))
    yield "edit of a function used everywhere", _median(plan.slow, lambda: timed(partial(edit_diagnosed, True)))
    yield "hover", _median(plan.quick, lambda: timed(hover))
    yield "hover just after an edit", _median(plan.quick, edit_hover)
    meanwhile = _hovers_during_check(client, made, _fresh(made.text.count("\n")).text)
    yield "hover while another file is checked", statistics.median(meanwhile)
    yield "slowest of these", max(meanwhile)


def _hovers_during_check(client: Client, made: Program, other: str) -> list[float]:
    """Milliseconds of each hover, one after the other, until another document is checked."""
    client.open(_OTHER, other)
    taken, ended = [], False
    while not ended:
        began = time.perf_counter()
        where = {"textDocument": {"uri": _URI}, "position": made.leaf.position()}
        asked = client.request("textDocument/hover", where)
        answered = False
        while not answered:
            message = client.until(lambda message: True)
            answered = message.get("id") == asked
            ended = ended or client.is_diagnosis(message, _OTHER)
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.002)
    return taken


def superseded(plan: Plan) -> Iterator[Row]:
    """How long the checking process goes on with what nobody wants any more."""
    for title, share in (("just begun", 0.0), ("half done", 0.5)):
        taken = [_superseded(size, share, plan.slow) for size in plan.sizes]
        yield Row(f"superseded check is dropped, {title}", taken, "20 ms")


def _superseded(size: int, share: float, times: int) -> float | None:
    """None if the check is over before it can be stopped."""
    with Worker() as worker:
        worker.check(_fresh(size).text)
        whole = timed(lambda: worker.until(Finished)) / 1000
        found = []
        for _ in range(times):
            worker.check(_fresh(size).text)
            worker.until(Begun)
            time.sleep(whole * share)
            worker.check("")
            began = time.perf_counter()
            first = worker.until(Finished, Stopped)
            took = (time.perf_counter() - began) * 1000
            worker.until(Finished)
            if isinstance(first, Stopped):
                found.append(took)
    return statistics.median(found) if found else None


def growth(plan: Plan) -> Iterator[Row]:
    """What must not grow faster than the program does: a check by the engine, less that of the smallest program."""
    for title, text in GROWING.items():
        least = _median(plan.slow, partial(_checked, text, 1))
        taken = [_median(plan.slow, partial(_checked, text, size)) - least for size in plan.growing]
        yield Row(title, taken, "≤ 1.2")


def _checked(text: Callable[[int, int], str], size: int) -> float:
    return timed(partial(Engine().check, text(size, next(_variants))))


def exponent(sizes: Sequence[int], values: Sequence[float | None]) -> float | None:
    """How a measure grows with size: the slope of the line through the logarithms, fitted by least squares."""
    points = [
        (math.log(size), math.log(value)) for size, value in zip(sizes, values, strict=True) if value and value > 0
    ]
    return statistics.linear_regression(*zip(*points, strict=True)).slope if len(points) > 1 else None


def starts(plan: Plan) -> Iterator[Row]:
    """Processes from their start."""
    yield Row("`python -c pass`", [_median(plan.slow, partial(_run, "-c", "pass"))])
    yield Row("`dp-lsp --version`", [_median(plan.slow, partial(_run, "-m", "dp_lsp", "--version"))])
    yield Row("`dp-lsp check` of 100 lines", [_median(plan.slow, _command)], "250 ms")
    yield Row("the same for the first time ever", [_median(plan.slow, partial(_command, first=True))])
    yield Row("a server that does nothing, until initialized", [_median(plan.slow, partial(_start, NULL_SERVER))])
    yield Row("`dp-lsp server`, until initialized", [_median(plan.slow, partial(_start, SERVER))], "350 ms")
    yield Row("`dp-lsp server`, until diagnostics of 100 lines", [_median(plan.slow, _first)], "600 ms")
    with Client(NULL_SERVER) as client:
        hover = partial(client.hover, _URI, program(100).leaf)
        yield Row("hover of a server that does nothing", [_median(plan.quick, lambda: timed(hover))])


def _start(command: tuple[str, ...]) -> float:
    began = time.perf_counter()
    with Client(command):
        return (time.perf_counter() - began) * 1000


def _first() -> float:
    began = time.perf_counter()
    with Client() as client:
        client.open(_URI, program(100).text)
        client.diagnosed(_URI)
        return (time.perf_counter() - began) * 1000


def _run(*arguments: str, **variables: str) -> float:
    command = [sys.executable, *arguments]
    environment = os.environ | variables
    return timed(partial(subprocess.run, command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=True))


def _command(first: bool = False) -> float:
    """``check`` of a file, with the parse table of earlier runs or without."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.jl")
        file.write_text(program(100).text, "utf-8")
        variables = {"XDG_CACHE_HOME": folder} if first else {}
        return _run("-m", "dp_lsp", "check", "--output-format", "concise", str(file), **variables)


def _fresh(lines: int) -> Program:
    """A program that nothing has seen."""
    return program(lines, next(_variants))


def _median(times: int, measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(times))
