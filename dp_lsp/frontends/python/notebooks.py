"""What cells of a notebook say to IPython, and not to Python.

Lines such as ``%matplotlib inline`` and ``!pip install …`` are comments in the text of a notebook where they are known
to do nothing to the program. What others do is not known, and some may give any name another meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dp_lsp import cells
from dp_lsp.frontends.problems import RunInAnotherOrder
from dp_lsp.frontends.python import chunks
from dp_lsp.problem import Problem
from dp_lsp.surface import Opaque, Summary
from dp_lsp.text import Span

_CELL = re.compile(r"[ \t\r\n]*%%[ \t]*(\w*)[ \t]*([^\r\n]*)")
_LINE = re.compile(r"[ \t]*(?P<sign>[%!])[ \t]*(?P<name>\w*)[ \t]*(?P<rest>[^\r\n]*)")
_BARE = re.compile(
    r"(?:pip|conda|mamba)[ \t]+(?:install|list|show|freeze)\b"
    r"|(?:run|load|loadpy|pylab|reset|reset_selective|rerun|recall|macro|edit|ed|store|time|timeit)"
    r"(?:[ \t]+[\w./~-]|[ \t]*$)",
    re.MULTILINE,
)
"""What IPython runs without a sign before it."""
_INSTALLS = frozenset({"pip", "pip3", "conda", "mamba", "uv"})
_PLAIN = frozenset({"matplotlib", "config", "precision", "xmode", "colors", "autosave", "lsmagic", "autoreload"})
_EXTENSIONS = frozenset({"autoreload", "tensorboard"})
_NO_PROGRAM = frozenset({"html", "HTML", "markdown", "latex", "svg", "SVG"})
_KEEPS_NAMES = frozenset(
    {"bash", "sh", "script", "cmd", "system", "sx", "ls", "pwd", "cd", "env", "who", "whos", "javascript"}
)
"""What gives no name a value. It may show one."""
_ABOVE = re.compile(r"\A(?:[ \t]*(?:#[^\n]*)?\n)*")
"""Comments and blank lines that stand above an item."""
_SPLICED = re.compile(r"[{$]")


def commented(text: str) -> str:
    """The text of a cell, what means nothing to the program made comments of the same length."""
    whole = _CELL.match(text)
    if whole is not None:
        if whole[1] in _NO_PROGRAM:
            return re.sub(r"(?m)^([ \t]*)[^\s]", r"\1#", text)
        if whole[1] != "time" or whole[2].strip():
            return text
        at = text.index("%")
        text = f"{text[:at]}#{text[at + 1 :]}"
    begin = 0
    while (found := next(_spoken(text, begin), None)) is not None:
        start, sign = found
        text = f"{text[:start]}{sign}{text[start + (sign == '#') :]}"
        begin = start + 1
    return text


def _spoken(text: str, begin: int) -> Iterator[tuple[int, str]]:
    """Where lines begin, from a place on, that mean nothing to the program, or that IPython runs without a sign; and
    the sign that says so."""
    for start in chunks.line_starts(text):
        if start < begin:
            continue
        line = _LINE.match(text, start)
        if line is not None and _means_nothing(line["sign"], line["name"], line["rest"]):
            yield line.start("sign"), "#"
        bare = _BARE.match(text, start)
        if bare is not None:
            yield start, "#" if bare[0].split()[0] in _INSTALLS else "%"


def _means_nothing(sign: str, name: str, rest: str) -> bool:
    if name in _INSTALLS:
        return _SPLICED.search(rest) is None
    return sign == "%" and (name in _PLAIN or (name == "load_ext" and rest.strip() in _EXTENSIONS))


def spoken(item: str, start: int = 0) -> Opaque | None:
    """An item that is said to IPython, perhaps below comments, which begins at ``start``; None for any other."""
    text = _ABOVE.sub("", item).lstrip()
    asks = text.rstrip().endswith("?")
    if not text.startswith(("%", "!", "?")) and not asks:
        return None
    words = text.strip("%!?").split(None, 1)
    name = words[0] if words else ""
    sign = "?" if asks else "%%" if text.startswith("%%") else text[0]
    what = f"`{sign}{name}`, which IPython runs,"
    keeps = sign in "!?" or name in _KEEPS_NAMES
    return Opaque(start, start + len(item), what, Summary() if keeps else Summary(anything=what.rstrip(",")))


def order(item: str) -> Problem | None:
    """What is wrong with the order of a cell, where an item is the line above it that says so; it is told where the
    cell begins."""
    mark = cells.MARK.fullmatch(item.removesuffix("\n"))
    if mark is None or not mark["late"]:
        return None
    own, other = re.findall(r"\[(\d+)\]", mark["late"])
    return RunInAnotherOrder.at(Span(len(item), len(item)), above=mark["above"], own=own, other=other)
