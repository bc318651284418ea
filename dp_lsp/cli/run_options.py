"""The options of a run: what a function is run on, and what becomes of what it releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


def files(context: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:
    """The files and folders that what is typed may become, for a shell."""
    from dp_lsp.cli import completing

    return completing.files(typed)


def arguments(command: Command) -> Command:
    """Add the options that say what a function is run on."""
    return _with(command, _ARGUMENTS)


def results(command: Command) -> Command:
    """Add the options that say where what is released goes, and what counts it."""
    return _with(command, _RESULTS)


def _with(command: Command, options: Sequence[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


_ARGUMENTS = (
    click.option(
        "--data",
        metavar="[PARAMETER=]TABLE.csv",
        multiple=True,
        shell_complete=files,
        help="A table of numbers, separated by commas, in UTF-8. With PARAMETER for that one only. Repeatable.",
    ),
    click.option(
        "--column",
        "columns",
        metavar="[PARAMETER=]NAME",
        multiple=True,
        help="A column of the table: its name, or its number where it has none. For a matrix repeatable; without, all.",
    ),
    click.option(
        "--person",
        "people",
        metavar="[PARAMETER=]NAME",
        multiple=True,
        help="The column that says whose record a row is. Nobody may have more records than the function allows.",
    ),
    click.option("--header/--no-header", default=None, help="Whether the first row has names; detected without."),
    click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        help="A number, exactly as written, true or false, or a vector as in [0, 18, 65]. Repeatable.",
    ),
)

_RESULTS = (
    click.option(
        "--output-format",
        type=click.Choice(["text", "json"]),
        default="text",
        help="text: for a person (default). json: for programs.",
    ),
    click.option("--output-file", metavar="FILE", shell_complete=files, help="Write what is released to FILE."),
    click.option(
        "--ledger",
        metavar="FILE",
        shell_complete=files,
        help="Count the run in FILE, with what it spends, before it is made, and say what all runs in it come to.",
    ),
    click.option(
        "--budget",
        metavar="EPS[,DELTA]",
        help="Refuse the run if all that the ledger counts would come to more. DELTA is 0 without.",
    ),
)
