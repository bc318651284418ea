"""Text of users and of ours as Markdown that shows it and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

_CODE = re.compile(r"(`[^`\n]+`)")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def code(text: str) -> str:
    """A text as inline code, on one line; it may hold backticks and stand in a table."""
    text = " ".join(text.split()).replace("|", "\\|")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{text}{space}{fence}" if text else ""


def prose(text: str) -> str:
    """A sentence whose parts in backticks stay code, and in which nothing else means anything."""
    parts = _CODE.split(" ".join(text.split()))
    return "".join(part if index % 2 else _SPECIAL.sub(r"\\\1", part) for index, part in enumerate(parts))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def plain(markdown: str) -> str:
    """Markdown made here, for a client that shows no Markdown."""
    return re.sub(r"\\([\\`*_{}\[\]<>#|~!&])", r"\1", markdown.replace("**", "")).replace("`", "")


def together(names: Sequence[str], written: Callable[[str], str] = str) -> str:
    """Parameters that change together: a record has a row in each of several."""
    return " with ".join(map(written, names)) + (" (one record)" if len(names) > 1 else "")
