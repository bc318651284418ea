"""The options that say what a function is run on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])


def _files(context: click.Context, option: click.Parameter, typed: str) -> list[CompletionItem]:
    from dp_lsp.cli.completing import files

    return files(typed)


def arguments(command: Command) -> Command:
    """Add the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option(
        "--data",
        metavar="[PARAMETER=]TABLE.csv",
        multiple=True,
        shell_complete=_files,
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
        help="The column that says whose record a row is: that nobody has more than the function allows is checked.",
    ),
    click.option("--header/--no-header", default=None, help="Whether the first row has names; else found out."),
    click.option(
        "--set",
        "settings",
        metavar="NAME=VALUE",
        multiple=True,
        help="A number, exactly as written, true or false, or a vector as in [0, 18, 65]. Repeatable.",
    ),
)
