"""The file that a baseline is: reading it, and writing it so that a change of it is read line by line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from dp_lsp.analysis.loading import SourceText
from dp_lsp.analysis.records import Accepted
from dp_lsp.configuration.problems import NoBaseline
from dp_lsp.disk.loader import path_below
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Extent, Problem
from dp_lsp.text import Place, Source, Span

VERSION = 2
_WITHOUT_EXTENT = 1
"""The version before, whose entries do not say how bad a problem was: they accept any."""

LARGEST = 16 << 20
"""Characters of a baseline that is read."""

_TEXTS = ("file", "function", "code", "line")
_ENTRIES = "accepted"
_EXTENT = "extent"


class Baseline(NamedTuple):
    """What is accepted in each file, by its path from the ``folder`` of the baseline."""

    folder: str
    files: Mapping[str, tuple[Accepted, ...]] = MappingProxyType({})

    def of(self, file: str) -> tuple[Accepted, ...]:
        """What is accepted in a file, which is given by its whole path."""
        return self.files.get(path_below(self.folder, file), ()) if self.files else ()


def read(name: str, text: SourceText) -> tuple[Baseline, tuple[Problem, ...]]:
    """What a baseline says, and what is wrong with it: then it says nothing."""
    nothing = Baseline(os.path.dirname(name))
    if text.problem is not None:
        return nothing, (text.problem,)
    try:
        if len(text.content) > LARGEST:
            raise ValueError("it is very long")
        found = json.loads(text.content)
    except json.JSONDecodeError as error:
        at = Source(text.content).offset(Place(error.lineno, error.colno))
        return nothing, (_no_baseline(text, at, f"it is not valid JSON ({error.msg.lower()})"),)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        return nothing, (_no_baseline(text, 0, why),)
    wrong = _fault(found)
    if wrong:
        return nothing, (_no_baseline(text, 0, wrong),)
    files: dict[str, list[Accepted]] = {}
    for number, entry in enumerate(found[_ENTRIES]):
        wrong = _fault_of_entry(entry, found["schema_version"])
        if wrong:
            return nothing, (_no_baseline(text, _place(text.content, number), wrong),)
        extent = entry[_EXTENT] if found["schema_version"] == VERSION else None
        bad = None if extent is None else tuple(Extent(*each) for each in extent.items())
        accepted = Accepted(entry["function"], entry["code"], entry["line"], entry["times"], bad)
        files.setdefault(entry["file"], []).append(accepted)
    return nothing._replace(files={file: tuple(entries) for file, entries in files.items()}), ()


def written(files: Mapping[str, Iterable[Accepted]]) -> str:
    """The text of a baseline: sorted, and one line an entry, so that two that were made apart can be merged."""
    ordered = ((file, sorted(entries, key=lambda each: each.order)) for file, entries in sorted(files.items()))
    lines = [_line(file, entry) for file, entries in ordered for entry in entries]
    inside = "\n" + ",\n".join(f"  {line}" for line in lines) + "\n " if lines else ""
    return f'{{\n "schema_version": {VERSION},\n "{_ENTRIES}": [{inside}]\n}}\n'


def _line(file: str, entry: Accepted) -> str:
    values = (file, entry.function, entry.code, entry.line)
    said = dict(zip(_TEXTS, values, strict=True)) | {"times": entry.times}
    bad = {_EXTENT: None if entry.extent is None else dict(entry.extent)}
    strange = any("\ud800" <= character <= "\udfff" for value in values for character in value)
    return json.dumps(said | bad, ensure_ascii=strange)  # a file's name need not be Unicode


def _no_baseline(text: SourceText, at: int, why: str) -> Problem:
    return NoBaseline.at(Span(at, min(at + 1, len(text.content))), why=why)


def _fault(found: Any) -> str:
    """What is wrong with it as a whole, or empty."""
    if not isinstance(found, dict) or not isinstance(found.get(_ENTRIES), list):
        return f"it has no list `{_ENTRIES}`"
    version = found.get("schema_version")
    if isinstance(version, bool) or version not in (VERSION, _WITHOUT_EXTENT):
        return f"its `schema_version` is not {VERSION}"
    return ""


def _fault_of_entry(entry: Any, version: int) -> str:
    if not isinstance(entry, dict):
        return "this entry is not a table"
    for key in _TEXTS:
        if not isinstance(entry.get(key), str):
            return f"this entry has no text `{key}`"
    times = entry.get("times")
    if not isinstance(times, int) or isinstance(times, bool) or times < 1:
        return "the `times` of this entry is not a number from 1"
    return _fault_of_extent(entry) if version == VERSION else ""


def _fault_of_extent(entry: Mapping[str, Any]) -> str:
    extent = entry.get(_EXTENT, "")
    if extent is None or (isinstance(extent, dict) and all(isinstance(amount, str) for amount in extent.values())):
        return ""
    return f"the `{_EXTENT}` of this entry is not a table of formulas"


def _place(content: str, number: int) -> int:
    """Where an entry of a baseline begins, of which all before it are as they should be."""
    return next((at for index, at in enumerate(_starts(content)) if index == number), 0)


def _starts(content: str) -> Iterator[int]:
    """Where the entries begin in a text that is known to be valid."""
    decoder = json.JSONDecoder()
    at = content.find("[", content.find(f'"{_ENTRIES}"')) + 1
    while True:
        while at < len(content) and content[at] in " \t\r\n,":
            at += 1
        if at == len(content) or content[at] == "]":
            return
        yield at
        _, at = decoder.raw_decode(content, at)
