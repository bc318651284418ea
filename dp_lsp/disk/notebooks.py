"""Notebooks as programs: the cells of code in a file of Jupyter, joined into one text.

Source: the notebook format, https://nbformat.readthedocs.io/en/latest/format_description.html, versions 3 and 4.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dp_lsp import cells, frontends
from dp_lsp.analysis.loading import SourceText
from dp_lsp.cells import CodeCell
from dp_lsp.disk.problems import NotANotebook, NotebookOfAnother
from dp_lsp.text import Span

_OLDEST, _NEWEST = 3, 4
_PYTHON = ("python", "ipython")


def program(text: SourceText) -> SourceText:
    """The program of a notebook, whose file has this text. What is no notebook of Python is a problem."""
    if text.problem is not None:
        return text
    try:
        found = json.loads(text.content)
    except json.JSONDecodeError as error:
        return _refused(f"its JSON breaks off, or is wrong, in line {error.lineno}, column {error.colno}")
    except (RecursionError, ValueError):
        return _refused("its JSON is nested too deeply, or has numbers that are too long")
    version = found.get("nbformat") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(version, int):
        return _refused("it has no `nbformat`, so it is JSON of another kind")
    if not _OLDEST <= version <= _NEWEST:
        return _refused(f"its format is {version}, and those that are read are {_OLDEST} and {_NEWEST}; convert it")
    if not isinstance(_cells(found), list) or not all(isinstance(each, dict) for each in _cells(found)):
        return _refused("it has no list of cells")
    language = _language(found)
    if not language.lower().startswith(_PYTHON):
        return SourceText("", NotebookOfAnother.at(Span(0, 0), language=language))
    syntax = frontends.of("", _PYTHON[0]).syntax
    return SourceText(cells.joined(each._replace(text=syntax.cell(each.text)) for each in _code(_cells(found))))


def _refused(reason: str) -> SourceText:
    return SourceText("", NotANotebook.at(Span(0, 0), reason=reason))


def _cells(notebook: Mapping[str, Any]) -> Any:
    """All cells. Before version 4 they stood in sheets, of which no program made more than one."""
    if notebook["nbformat"] >= _NEWEST:
        return notebook.get("cells")
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list) or not all(isinstance(each, dict) for each in sheets):
        return None
    lists = [each.get("cells") for each in sheets]
    return [cell for each in lists for cell in each] if all(isinstance(each, list) for each in lists) else None


def _language(notebook: Mapping[str, Any]) -> str:
    """The language of the cells; Python's where nothing says which."""
    metadata = notebook.get("metadata")
    said = metadata if isinstance(metadata, dict) else {}
    for part, key in (("language_info", "name"), ("kernelspec", "language"), ("kernelspec", "name")):
        inner = said.get(part)
        if isinstance(inner, dict) and isinstance(inner.get(key), str) and inner[key]:
            return str(inner[key])
    others = (each.get("language") for each in _cells(notebook))
    return next((each for each in others if isinstance(each, str) and each), _PYTHON[0])


def _code(listed: Sequence[Mapping[str, Any]]) -> Iterator[CodeCell]:
    for number, cell in enumerate(listed, 1):
        if cell.get("cell_type") == "code":
            run = cell.get("execution_count", cell.get("prompt_number"))
            name = cell.get("id")
            text = _text(cell.get("source", cell.get("input")))
            is_number = isinstance(run, int) and not isinstance(run, bool)
            yield CodeCell(number, name if isinstance(name, str) else "", text, run if is_number else None)


def _text(source: Any) -> str:
    """The text of a cell, which is one, or a list of its lines with their ends."""
    if isinstance(source, list):
        return "".join(each for each in source if isinstance(each, str))
    return source if isinstance(source, str) else ""
