"""``dp-lsp explain``: the page of a kind of problem, of a builtin, of a command, or of a place in a file.

A page is Markdown: the reference has it so, and a terminal shows it in columns."""

from __future__ import annotations

import difflib
import inspect
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby, zip_longest
from pathlib import Path

import click

import dp_lsp
from dp_lsp import frontends
from dp_lsp.analysis.catalogue import kinds
from dp_lsp.builtins import TABLE
from dp_lsp.builtins.define import Builtin, Form
from dp_lsp.cache.store import VARIABLE
from dp_lsp.cli.files import Asked
from dp_lsp.cli.output import write
from dp_lsp.cli.reporters import FORMATS
from dp_lsp.cli.style import Paint, cell, coloured, is_terminal, plain, steady, wants_colour
from dp_lsp.language import Language

_REFERENCE = Path(dp_lsp.__file__).parent / "reference"
_WIDEST = 100  # columns of a page; longer lines are hard to read


def run(name: str, asked: Asked) -> int:
    """Print the page of ``name`` and return the exit code; a usage error with near names if there is none."""
    text = page(name)
    if text is None:
        text = _derived(name, asked)
    elif asked != Asked():
        raise click.UsageError(f"{name} has no numbers: --set, --target-delta and --plot go with FILE:FUNCTION")
    if text is None:
        raise click.UsageError(_unknown(name))
    text = steady(text)
    if is_terminal(sys.stdout):
        columns = min(_WIDEST, shutil.get_terminal_size().columns)
        text = shown(text, columns, coloured if wants_colour("auto") else plain)
    return write(text, colour=True)


def page(name: str) -> str | None:
    """The Markdown page of a code, of a kind's name, of a builtin, of a command or of a key of the configuration, or
    one of the reference; None if there is none."""
    by_code = kinds()
    wanted = name.strip()
    kind = by_code.get(wanted.upper())
    if kind is None:
        kind = next((each for each in by_code.values() if each.name == wanted.lower()), None)
    if kind is not None:
        return kind.page()
    pages = [builtin_page(TABLE[builtin], language) for builtin, language in _builtins(wanted).items()]
    return "\n".join(pages) or _other_page(wanted)


def _builtins(name: str) -> dict[str, Language]:
    """The builtins that have a name, each with the first language in which it has it: it may mean several."""
    named: dict[str, Language] = {}
    for language in frontends.LANGUAGES.values():
        found = language.builtins.find(name)
        if found is not None:
            named.setdefault(found[0], language)
    return named


def _other_page(name: str) -> str | None:
    """The page of a command, of a key of the configuration, or one of the reference."""

    from dp_lsp.configuration import keys

    context = click.get_current_context(silent=True)
    root = context.find_root().command if context is not None else None
    if isinstance(root, click.Group) and name in root.commands:
        return _command_page(root.commands[name])
    return keys.key_page(name) or _guide(name)


def _guide(name: str) -> str | None:
    """A page of the reference, by the name of its file."""
    if name not in guides():
        return None
    text = (_REFERENCE / f"{name}.md").read_text("utf-8")
    return re.sub(r"\A<!--.*?-->\s*", "", text, flags=re.DOTALL)


def guides() -> list[str]:
    """The names of the pages of the reference."""
    return sorted(path.stem for path in _REFERENCE.glob("*.md"))


def _derived(name: str, asked: Asked) -> str | None:
    """The page of a place in a file; None for a name that is none."""
    from dp_lsp.cli.derive import pages, target

    wanted = target(name)
    return pages(wanted, asked) if wanted is not None else None


def builtin_page(row: Builtin, language: Language) -> str:
    """The Markdown page of a builtin, read off its row, as it is written in a language."""
    spelling, fence = language.builtins.spelling(row.name), f"```{language.id}"
    parts = [f"# {spelling.name}", f"{fence}\n{spelling.signature}\n```", row.told(language.rendering)]
    if spelling.changing:
        parts.append(f"`{spelling.changing[0]}` does the same and replaces `{row.mutates}` by the result.")
    if spelling.others:
        parts.append(f"Also written {', '.join(f'`{other}`' for other in spelling.others)}.")
    parts += ["## Arguments", *_forms(row.forms)]
    if spelling.examples:
        parts += ["## Examples", *(f"{fence}\n{example}\n```" for example in spelling.examples)]
    if spelling.refused:
        comment = language.syntax.comment
        programs = (f"{fence}\n{comment} {code}\n{program}\n```" for program, code in spelling.refused)
        parts += ["## Refused", *programs]
    for other in frontends.LANGUAGES.values():
        if other.id != language.id and other.builtins.has(row.name):
            parts += [f"## In {other.name}", f"```{other.id}\n{other.builtins.spelling(row.name).signature}\n```"]
    parts += ["## Source", row.source]
    return "\n\n".join(parts) + "\n"


def _forms(forms: tuple[Form, ...]) -> list[str]:
    shown = dict.fromkeys(_parameters(form) for form in forms)
    return ["\n\nor\n\n".join(shown)] if any(shown) else ["None."]


def _parameters(form: Form) -> str:
    placed = [f"- `{param.name}`: {param.pattern.words}" for param in form.params if not param.keyword]
    if form.variadic:
        placed[-1] += ", once or more"
    named = [f"- `{param.name}=…`: {param.pattern.words}" for param in form.params if param.keyword]
    return "\n".join(placed + named)


def _unknown(name: str) -> str:
    by_code = kinds()
    names = [*by_code, *(kind.name for kind in by_code.values())]
    names += guides()
    names += dict.fromkeys(name for language in frontends.LANGUAGES.values() for name in language.builtins.names())
    begun = [each for each in names if name and each.lower().startswith(name.lower())][:3]
    near = begun or difflib.get_close_matches(name, names, n=3) or difflib.get_close_matches(name.upper(), names, n=3)
    hint = f" Near: {', '.join(near)}." if near else ""
    kinds_of_names = "a diagnostic code, nor a builtin, a page (`contents` lists them), FILE:LINE or FILE:FUNCTION"
    return f"there is no page about {name!r}; it is neither {kinds_of_names}.{hint}"


_BLOCK = re.compile(
    r"^```.*\n(?P<code>(?:.*\n)*?)```$"
    r"|^#+ (?P<heading>.*)"
    r"|^(?P<table>\|.*(?:\n\|.*)*)"
    r"|^(?P<item> *(?:- |\d+\. )?)(?P<text>.+(?:\n(?! *(?:- |\d+\. |#|\||```)).+)*)",
    re.MULTILINE,
)
_INLINE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)|\*\*(.+?)\*\*|\*(\S[^*]*)\*|\\([!-/:-@\[-`{-~])")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")

_Mark = tuple[str, str]
"""A character and its role."""


def shown(page: str, columns: int, paint: Paint) -> str:
    """A page in so many columns: headings, lists, tables, code and emphasis. All else is as it is written."""
    lines, end = list[str](), 0
    for block in _BLOCK.finditer(page):
        lines += [""] * ("\n\n" in page[end : block.start()])
        end = block.end()
        code, heading, table, item, text = block.groups()
        if code is not None:
            lines += [paint(f"    {line}", "code") for line in code.splitlines()]
        elif heading is not None:
            lines += [_painted(line, paint) for line in _wrapped(_inline(heading, "strong"), columns)]
        elif table is not None:
            lines += _table(table.splitlines(), columns, paint)
        else:
            wrapped = _wrapped(_inline(" ".join(text.split())), columns - len(item))
            lines += [(" " * len(item) if n else item) + _painted(line, paint) for n, line in enumerate(wrapped)]
    return "".join(f"{line}\n" for line in lines)


def _inline(text: str, role: str = "") -> Iterator[_Mark]:
    """A text without its markup."""
    at = 0
    for found in _INLINE.finditer(text):
        yield from ((char, role) for char in text[at : found.start()])
        at = found.end()
        _, code, strong, emphasised, escaped = found.groups()
        if code is not None:
            fenced = "`" in code and code[0] == code[-1] == " "
            yield from ((char, "code") for char in (code[1:-1] if fenced else code).replace("\\|", "|"))
        elif escaped is not None:
            yield escaped, role
        else:
            yield from _inline(strong or emphasised, "strong" if strong else role)
    yield from ((char, role) for char in text[at:])


def _wrapped(marks: Iterable[_Mark], columns: int) -> Iterator[list[_Mark]]:
    """Lines of words; a word that is longer than a line is broken."""
    line, space = list[_Mark](), list[_Mark]()
    for is_space, run in groupby(marks, lambda mark: mark[0] == " "):
        word = list(run)
        if is_space:
            space = word
            continue
        if line and _width(line + space + word) > columns:
            yield line
            line = []
        line += [*space, *word] if line else word
        while _width(line) > columns:
            size = max(1, next(size for size in range(len(line)) if _width(line[: size + 1]) > columns))
            yield line[:size]
            line = line[size:]
    yield line


def _width(marks: Iterable[_Mark]) -> int:
    return sum(cell(char)[1] for char, _ in marks)


def _painted(marks: Iterable[_Mark], paint: Paint) -> str:
    return "".join(paint("".join(char for char, _ in run), role) for role, run in groupby(marks, lambda mark: mark[1]))


def _table(lines: list[str], columns: int, paint: Paint) -> Iterator[str]:
    """A table below its head; what is too wide for a cell is broken."""
    head, _, *body = ([each.strip() for each in _BETWEEN_CELLS.split(line)[1:-1]] for line in lines)
    rows = [[list(_inline(each, "strong")) for each in head], *([list(_inline(each)) for each in row] for row in body)]
    widths = _fitted([max(map(_width, column)) for column in zip(*rows, strict=True)], columns)
    for row in rows:
        broken = [_wrapped(each, width) for each, width in zip(row, widths, strict=True)]
        for parts in zip_longest(*broken, fillvalue=list[_Mark]()):
            cells = zip(parts, widths, strict=True)
            yield "  ".join(_painted(part, paint) + " " * (width - _width(part)) for part, width in cells).rstrip(" ")


def _fitted(natural: list[int], columns: int) -> list[int]:
    """How wide columns are: what they need, if that is less than an equal share of what is left."""
    fitted, left = [0] * len(natural), columns - 2 * (len(natural) - 1)
    narrow_first = sorted(range(len(natural)), key=natural.__getitem__)
    for done, index in enumerate(narrow_first):
        fitted[index] = max(1, min(natural[index], left // (len(natural) - done)))
        left -= fitted[index]
    return fitted


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


def command_line_page(root: click.Group) -> str:
    """The Markdown page of all commands."""
    context = click.Context(root, info_name=_PROGRAM)
    parts = [f"`{_PROGRAM} --help` and `{_PROGRAM} COMMAND --help` show the same.", *_told(root, context)]
    parts += [_lowered(_command_page(each)) for each in root.commands.values()]
    return "\n\n".join([*parts, _OF_FORMATS, _OF_ENVIRONMENT]) + "\n"


def _lowered(text: str) -> str:
    return text.replace("## ", "### ").replace("# ", "## ", 1).rstrip()


def _command_page(command: click.Command) -> str:
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
