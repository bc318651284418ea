"""Programs of several files in one text: each begins with a line ``# file: name.jl``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from dp_lsp import frontends
from dp_lsp.analysis.loading import ReadRefusal, SourceText
from dp_lsp.analysis.records import Analysis, Options
from dp_lsp.disk.loader import module_file
from dp_lsp.engine.check import Engine
from dp_lsp.engine.merge import Graph, together
from dp_lsp.engine.problems import IncludeMissing, IncludeOutside

_HEADER = re.compile(r"# file: (\S+)")


class Section(NamedTuple):
    """A file, and in which line of the whole it begins: its header is a part of it."""

    name: str
    start: int
    text: str


def sections(text: str) -> list[Section]:
    """The files of a text; none if it is that of one file without a name."""
    lines = text.splitlines(keepends=True)
    headers = [(number, header[1]) for number, line in enumerate(lines) if (header := _HEADER.match(line))]
    return [
        Section(name, start, "".join(lines[start:end]))
        for (start, name), (end, _) in pairwise([*headers, (len(lines), "")])
    ]


class Texts:
    """Files in memory, in a folder of their own."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)

    def included(self, by: str, path: str) -> str | ReadRefusal:
        sought = frontends.of(by).syntax.sought(path)
        if sought is not None:
            found = module_file(f"/{by}", path, sought, lambda name: name[1:] in self.texts, self._has)
            return found[1:] if isinstance(found, str) else found
        name = posixpath.normpath(posixpath.join(posixpath.dirname(by), path))
        if name.startswith(("/", "..")):
            return ReadRefusal(IncludeOutside, {"path": path})
        return name if name in self.texts else ReadRefusal(IncludeMissing, {"path": path, "hint": ""})

    def text(self, name: str) -> SourceText:
        return SourceText(self.texts[name])

    def _has(self, name: str) -> bool:
        """Whether a file may be read, or the folder that all are in may be a part of its path."""
        return name != "/"

    def includes(self, engine: Engine, name: str) -> Iterator[str]:
        found = (self.included(name, path) for path in engine.includes(name, self.text(name)))
        return (other for other in found if isinstance(other, str))


DEFAULT = Options()


def check(engine: Engine, text: str, options: Options = DEFAULT) -> dict[str, Analysis]:
    """The analyses of all files of a text, by name; of one without names by an empty one."""
    loader = Texts({section.name: section.text for section in sections(text)})
    if not loader.texts:
        (suffix, *_) = frontends.of("", options.language).suffixes
        return {"": engine.check(text, options, document=f"a{suffix}" if options.language else "")}
    graph = Graph(loader.texts, lambda name: loader.includes(engine, name))
    return together((root, engine.project(root, loader, options)) for root in graph.roots)
