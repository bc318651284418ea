"""Measures, and prints a table. Times are medians and 95th percentiles, and worth as much as the machine is idle."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
from collections.abc import Iterator
from functools import partial

import dp_lsp

from . import modules
from .measures import (
    BASED,
    NULL,
    OURS,
    PYRIGHT,
    TY,
    Plan,
    Row,
    Server,
    Timing,
    engine,
    exponent,
    growth,
    server,
    starts,
    superseded,
)

_FULL = Plan(sizes=(100, 1_000, 10_000), growing=(200, 400, 800, 1_600, 3_200), slow=3, quick=40, many=1_000, pause=6.0)
_SMOKE = Plan(sizes=(80, 120), growing=(2, 4), slow=1, quick=1, many=3, pause=0.0)
_TITLE, _CELL = 52, 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="tiny programs, each measured once: that it runs at all")
    parser.add_argument("--ty", action="store_true", help="also measure `ty server` on Python files of these lengths")
    parser.add_argument("--pyright", action="store_true", help="the same of `pyright-langserver`, or `basedpyright`'s")
    what = parser.add_subparsers(title="instead of times")
    counted = what.add_parser("modules", help="count the modules that a check enters, and what the package is made of")
    counted.add_argument("file", metavar="FILE")
    arguments = parser.parse_args()
    if hasattr(arguments, "file"):
        for line in (*modules.entered(arguments.file), *modules.package()):
            print(line)
        return
    plan = _SMOKE if arguments.smoke else _FULL
    servers = [OURS, NULL, *[TY] * arguments.ty, *[_installed(PYRIGHT, BASED)] * arguments.pyright]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"dp-lsp {dp_lsp.__version__}, Python {platform.python_version()}, {os.cpu_count()} cores{load}")
    print(f"medians / 95th percentiles of {plan.slow} to {plan.quick} runs")
    print("ratios are those of the medians of the two largest sizes\n")
    _head([f"{size:,} lines" for size in plan.sizes], "ratio", "goal")
    for measure in (engine, *(partial(_server, which=which) for which in servers), superseded):
        for row in measure(plan):
            _print(row, _ratio(row))
    print()
    _head([f"{size:,}" for size in plan.growing], "exponent", "goal")
    for row in growth(plan):
        found = exponent(plan.growing, row.values)
        _print(row, "–" if found is None else f"{found:.2f}")
    print()
    _head(["one"], "goal")
    for row in starts(plan):
        _print(row)


def _installed(*servers: Server) -> Server:
    """The first of some servers that is installed, else the first."""
    return next((each for each in servers if shutil.which(each.command[0])), servers[0])


def _server(plan: Plan, which: Server) -> Iterator[Row]:
    """The rows of a server, or a line that says why there are none."""
    try:
        yield from server(plan, which)
    except (OSError, RuntimeError) as error:
        if which in (OURS, NULL):
            raise
        print(f"{which.name}: not run ({error})", flush=True)


def _head(columns: list[str], *more: str) -> None:
    print("".join([" " * _TITLE, *(f"{column:>{_CELL}}" for column in columns), *(f"  {name:>7}" for name in more)]))


def _print(row: Row, *more: str) -> None:
    cells = [_cell(value, row.unit) for value in row.values]
    columns = [*(f"{cell:>{_CELL - 1}}" for cell in cells), *(f"{text:>8}" for text in more)]
    print(f"{row.title:{_TITLE}}", *columns, "", row.goal, flush=True)


def _cell(value: Timing | None, unit: str) -> str:
    if value is None:
        return "–"
    late = "" if value.median == value.p95 else f" / {_number(value.p95)}"
    return f"{_number(value.median)}{late} {unit}"


def _ratio(row: Row) -> str:
    *_, one, other = row.values
    return f"{other.median / one.median:.1f}" if one and other else "–"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


if __name__ == "__main__":
    main()
