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

from dp_lsp.cache.store import VARIABLE
from dp_lsp.engine.check import Engine
from dp_lsp.worker.__main__ import collect_less
from dp_lsp.worker.frames import Begun, Finished, Stopped

from .client import NULL_SERVER, ROOT, SERVER, Client, timed
from .programs import GROWING, Number, Program, program, python_program
from .worker import Worker

_URI = "file:///bench/measured.jl"
_variants = itertools.count(1)
_values = itertools.cycle(range(101, 1000))


class Timing(NamedTuple):
    """The median and the 95th percentile of some measurements; of a single one the same twice."""

    median: float
    p95: float

    @classmethod
    def of(cls, measured: Sequence[float]) -> Timing:
        if len(measured) < 2:
            return cls(measured[0], measured[0])
        return cls(statistics.median(measured), statistics.quantiles(measured, n=20, method="inclusive")[-1])


class Row(NamedTuple):
    """A measure at each size, in ``unit``; None where there is nothing to measure. ``goal`` is for the largest."""

    title: str
    values: Sequence[Timing | None]
    goal: str = ""
    unit: str = "ms"


class Plan(NamedTuple):
    """Sizes in lines, sizes of what grows in one way, and how often each thing is done: what is slow, what is quick;
    ``many`` edits before memory is looked at again, and a ``pause`` in seconds before it is for the first time."""

    sizes: tuple[int, ...]
    growing: tuple[int, ...]
    slow: int
    quick: int
    many: int
    pause: float


def engine(plan: Plan) -> Iterator[Row]:
    """The engine alone, in this process, which looks for litter as seldom as the checking process does."""
    Engine().check("warm_up(x) = x\n")
    collect_less()
    yield Row("full check, nothing remembered", [_full(size, plan.slow) for size in plan.sizes], "4 s (ratio ≤ 12)")
    leaf = [_edited(size, plan.quick, shared=False) for size in plan.sizes]
    yield Row("check after an edit of one function", leaf, "50 ms")
    shared = [_edited(size, plan.slow, shared=True) for size in plan.sizes]
    yield Row("check after an edit of a function used everywhere", shared)


def _full(size: int, times: int) -> Timing:
    return _timing(times, lambda: timed(partial(Engine().check, _fresh(size).text)))


def _edited(size: int, times: int, shared: bool) -> Timing:
    checker, made = Engine(), _fresh(size)
    number = made.shared if shared else made.leaf
    checker.check(made.text)
    return _timing(times, lambda: timed(partial(checker.check, made.edited(number, next(_values)))))


class Server(NamedTuple):
    """A server that is measured: its name, how it is started, and the programs it is given."""

    name: str
    command: tuple[str, ...] = SERVER
    program: Callable[[int, int], Program] = program
    suffix: str = "jl"


OURS = Server("server")
NULL = Server("null server", NULL_SERVER)
TY = Server("ty", ("ty", "server"), python_program, "py")
PYRIGHT = Server("pyright", ("pyright-langserver", "--stdio"), python_program, "py")
BASED = PYRIGHT._replace(command=("basedpyright-langserver", "--stdio"))
"""The same checker, from a package that brings all that it needs to run."""
_GOALS = {
    "edit of one function → diagnostics": "60, 200 ms",
    "hover": "5 ms, 10 × null",
    "hover for the first time": "5 ms, 10 × null",
    "hover just after an edit": "30 ms",
    "hover while another file is checked": "10 ms",
}


def server(plan: Plan, which: Server) -> Iterator[Row]:
    """A server over standard input and output."""
    rows: dict[str, list[Timing | None]] = {}
    for size in plan.sizes:
        with tempfile.TemporaryDirectory() as folder, Client(which.command, Path(folder)) as client:
            for title, value in _session(client, which, Path(folder), size, plan):
                rows.setdefault(title, []).append(value)
    for title, values in rows.items():
        goal = _GOALS.get(title, "") if which is OURS else ""
        yield Row(f"{which.name}: {title}", values, goal, "MiB" if title.startswith("memory") else "ms")


def _session(client: Client, which: Server, folder: Path, size: int, plan: Plan) -> Iterator[tuple[str, Timing | None]]:
    made = which.program(size, next(_variants))
    files = [folder / f"{name}.{which.suffix}" for name in ("measured", "other")]
    for file in files:
        file.touch()
    uri, other = (file.as_uri() for file in files)

    def opened(text: str, at: str = uri) -> tuple[Timing, Timing]:
        """Until something is found in a document, and until all is known of its functions."""
        first = timed(lambda: (client.open(at, text), client.diagnosed(at)))
        rest = timed(partial(client.checked, at, client.version(at))) if which is OURS else 0.0
        return Timing.of([first]), Timing.of([first + rest])

    def edit(shared: bool = False) -> None:
        client.edit(uri, made.shared if shared else made.leaf, next(_values))

    def edit_diagnosed(shared: bool) -> None:
        edit(shared)
        client.diagnosed(uri)

    def hover(number: Number = made.leaf) -> None:
        client.hover(uri, number)

    def edit_hover() -> float:
        edit()
        took = timed(hover)
        client.diagnosed(uri)
        return took

    opened(which.program(100, next(_variants)).text, other)
    first, all_ = opened(made.text)
    yield "open → first diagnostics", first
    if which is OURS:
        yield "open → all bounds", all_
    if which is OURS:
        time.sleep(plan.pause)  # until what is done when nobody waits is done
    yield "memory, with its worker", _memory(client)
    firsts = made.firsts[: plan.quick]
    yield "hover for the first time", Timing.of([timed(partial(hover, place)) for place in firsts]) if firsts else None
    yield "hover", _timing(plan.quick, lambda: timed(hover))
    yield "edit of one function → diagnostics", _timing(plan.quick, lambda: timed(partial(edit_diagnosed, False)))
    yield "hover just after an edit", _timing(plan.quick, edit_hover)
    if which is OURS:
        yield "edit of a function used everywhere", _timing(plan.slow, lambda: timed(partial(edit_diagnosed, True)))
        for _ in range(plan.many):
            edit_diagnosed(False)
        yield f"memory after {plan.many} edits", _memory(client)
        text = which.program(size, next(_variants)).text
        yield "hover while another file is checked", Timing.of(_hovers_during_check(client, uri, other, made, text))


def _memory(client: Client) -> Timing | None:
    memory = client.memory()
    return None if memory is None else Timing(memory, memory)


def _hovers_during_check(client: Client, uri: str, other: str, made: Program, text: str) -> list[float]:
    """Milliseconds of each hover, one after the other, until another document is checked."""
    client.open(other, text)
    check = client.request("dp/waitForCheck", {"uri": other, "version": client.version(other)})
    taken, ended = [], False
    while not ended:
        began = time.perf_counter()
        where = {"textDocument": {"uri": uri}, "position": made.leaf.position()}
        asked = client.request("textDocument/hover", where)
        answered = False
        while not answered:
            message = client.until(lambda message: True)
            answered = message.get("id") == asked
            ended = ended or message.get("id") == check
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.002)
    return taken


def superseded(plan: Plan) -> Iterator[Row]:
    """How long the checking process goes on with what nobody wants any more."""
    for title, share in (("just begun", 0.0), ("half done", 0.5)):
        taken = [_superseded(size, share, plan.slow) for size in plan.sizes]
        yield Row(f"superseded check is dropped, {title}", taken, "20 ms")


def _superseded(size: int, share: float, times: int) -> Timing | None:
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
    return Timing.of(found) if found else None


def growth(plan: Plan) -> Iterator[Row]:
    """What must not grow faster than the program does: a check by the engine, less that of the smallest program."""
    for title, text in GROWING.items():
        least = _timing(plan.slow, partial(_checked, text, 1)).median
        taken = [_timing(plan.slow, partial(_checked, text, size)) for size in plan.growing]
        yield Row(title, [Timing(each.median - least, each.p95 - least) for each in taken], "≤ 1.2")


def _checked(text: Callable[[int, int], str], size: int) -> float:
    return timed(partial(Engine().check, text(size, next(_variants))))


def exponent(sizes: Sequence[int], values: Sequence[Timing | None]) -> float | None:
    """How a measure grows with size: the slope of the line through the logarithms, fitted by least squares."""
    known = [(size, value.median) for size, value in zip(sizes, values, strict=True) if value and value.median > 0]
    points = [(math.log(size), math.log(median)) for size, median in known]
    return statistics.linear_regression(*zip(*points, strict=True)).slope if len(points) > 1 else None


def starts(plan: Plan) -> Iterator[Row]:
    """Processes from their start."""
    yield Row("`python -c pass`", [_timing(plan.slow, partial(_run, "-c", "pass"))])
    yield Row("`dp-lsp --version`", [_timing(plan.slow, partial(_run, "-m", "dp_lsp", "--version"))])
    yield Row("`dp-lsp check` of 100 lines", [_timing(plan.slow, _command)], "250 ms")
    yield Row("the same for the first time ever", [_timing(plan.slow, partial(_command, first=True))])
    yield Row("a server that does nothing, until initialized", [_timing(plan.slow, partial(_start, NULL_SERVER))])
    yield Row("`dp-lsp server`, until initialized", [_timing(plan.slow, partial(_start, SERVER))], "350 ms")
    yield Row("`dp-lsp server`, until diagnostics of 100 lines", [_timing(plan.slow, _first)], "600 ms")


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
    """``check`` of a file, with what earlier runs found out or without."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "program.jl")
        file.write_text(program(100).text, "utf-8")
        variables = {VARIABLE: folder} if first else {}
        return _run("-m", "dp_lsp", "check", "--output-format", "concise", str(file), **variables)


def _fresh(lines: int) -> Program:
    """A program that nothing has seen."""
    return program(lines, next(_variants))


def _timing(times: int, measure: Callable[[], float]) -> Timing:
    return Timing.of([measure() for _ in range(times)])
