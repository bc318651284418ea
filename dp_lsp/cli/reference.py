"""The reference of the command line, read off the commands and their options."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from dp_lsp.cache.folder import VARIABLE
from dp_lsp.cli.reporters import FORMATS

_PROGRAM = "dp-lsp"
_VERBATIM = "\b"
"""What click takes for: leave this paragraph as it is."""

_LISTED = "\n".join(f"- `{name}`: {use}." for name, use in FORMATS.items())
_OF_FORMATS = f"""\
## Formats of the report

{_LISTED}

All but `full` and `concise` are for programs: they are never coloured. `--output-file` writes any of them to a file.
`--statistics` counts the problems by code at the end of `full`, `concise` and `github`, under `statistics` in `json`
and in the properties of the run in `sarif`, and on standard error for `gitlab` and `junit`, which have no place for it.

**Functions without a problem.** A function may be unknown because of what stands elsewhere. `sarif`, `github` and
`gitlab` have a finding `not-proved` for it, `junit` a case with an error, the others its state.

**What is accepted** is suppressed in `sarif` with its reason, skipped in `junit`, counted at the end of `full`,
`concise` and `github`, and left out of `gitlab`, which knows no such thing.

**Fixes** are tried before they are offered, which takes as long as some checks more. In `full`, `sarif` and `github`
those of the first 20 problems are; in `json` the list `fixes` of a problem is empty unless `--fixes` asks for all of
them. An empty list says nothing, then.

**Fingerprints** in `sarif` and `gitlab` are made of the code, the function and what the line says, so that a problem
keeps its own when lines move."""

_OF_ENVIRONMENT = f"""\
## Environment

- `NO_COLOR`, `FORCE_COLOR`: whether text is coloured, if `--color` does not say.
- `FORCE_HYPERLINK`: `1` where a terminal shows links and is not known to, `0` for no links. In files and pipes there
  are none.
- `{VARIABLE}`: the folder in which results are kept for later runs."""


def page(root: click.Group) -> str:
    """The Markdown page of all commands."""
    context = click.Context(root, info_name=_PROGRAM)
    parts = [f"`{_PROGRAM} --help` and `{_PROGRAM} COMMAND --help` show the same.", *_told(root, context)]
    parts += [_lowered(command_page(each)) for each in root.commands.values()]
    return "\n\n".join([*parts, _OF_FORMATS, _OF_ENVIRONMENT]) + "\n"


def _lowered(text: str) -> str:
    return text.replace("## ", "### ").replace("# ", "## ", 1).rstrip()


def command_page(command: click.Command) -> str:
    """The Markdown page of a command."""
    name = command.name
    context = click.Context(command, info_name=f"{_PROGRAM} {name}")
    usage = command.get_usage(context).partition(": ")[2]
    parts = [f"# {_PROGRAM} {name}", f"```\n{usage}\n```", *_told(command, context)]
    options = [_option(each) for each in command.params if isinstance(each, click.Option)]
    return "\n\n".join([*parts, "## Options", "\n".join(options)]) + "\n"


def _told(command: click.Command, context: click.Context) -> Iterator[str]:
    """The paragraphs of a help text; what is left as it is stands in a block."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        first, _, rest = paragraph.partition("\n")
        yield f"```\n{rest}\n```" if first.strip() == _VERBATIM else " ".join(paragraph.split())


def _option(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        value = "|".join(map(str, option.type.choices))
    else:
        value = "" if option.is_flag else option.metavar or option.type.name.upper()
    return f"- `{' '.join(filter(None, [option.opts[-1], value]))}`: {option.help}"
