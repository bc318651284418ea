"""What was found out of projects, by all that it depends on.

`check` keeps what it found out of a project by all that it depends on: the texts, the options of each file, what
every include leads to, and the text of this program. It does so only of a check that read nothing else. Entries are
JSON with a checksum, not pickles: who can write to the folder can make a run say something else, but not do anything
else. Beside the report it keeps the records of the pieces, which the engine of the server learns when it first checks
a project: each counts only if its key is the digest of the premises that hold now. The server keeps them, too, of
what lies on the disk as it was checked. So a workspace opens without anything being inferred that any process has
inferred before.

What all results depend on besides what is checked, which is this program, its libraries and what runs them, is the
:class:`ProgramStamp` of a run.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import dp_lsp
from dp_lsp import frontends
from dp_lsp.analysis.loading import ReadRefusal, SourceText
from dp_lsp.analysis.plain import UNREADABLE, plain
from dp_lsp.analysis.records import NO_FACTS, NO_MEANINGS, NO_NAMES, Analysis, ChunkRecord, Options, Placed
from dp_lsp.cache.store import Store
from dp_lsp.disk.loader import SeenFile
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Source

_LIBRARIES = ("numpy",)
"""Those whose answers are part of results. Whether they are there counts, too."""
_SILENT = (".md", ".pyc")  # files of the package that change no result
_TICK = 20_000_000  # nanoseconds between two times that files are said to have changed at
_SETTLED = 100 * _TICK


class _PackageFile(NamedTuple):
    """A file of the package, and what changes with it."""

    name: str
    path: str
    modified: int
    changed: int
    size: int
    node: int


class ProgramStamp:
    """A digest of all that. ``value`` is None if the files of the package cannot be found.

    The text of the package is read only if it looks different from what any run before has seen: a version number is
    not enough, as a checkout has one for many texts. And as modules are loaded one by one, there is no value if one has
    changed since the process ``began``, in nanoseconds, and what was found out counts only if the files of the package
    :meth:`still_hold`.
    """

    def __init__(self, store: Store, began: int) -> None:
        files = list(_files())
        newest = max((max(file.modified, file.changed) for file in files), default=began)
        self._looks = _digest(*map(repr, files))
        text = store.get(self._looks) if newest < began - _TICK else None
        if newest < began - _TICK and text is None:
            text = _digest(*(part for file in files for part in (file.name, _content(file.path))))
            if time.time_ns() - newest > _SETTLED:
                store.put(self._looks, text)
        self.value = None if text is None else _digest(text, dp_lsp.__version__, *_around())

    def still_hold(self) -> bool:
        """Whether the package looks as it did."""
        return _digest(*map(repr, _files())) == self._looks


def _around() -> Iterator[str]:
    yield repr((sys.implementation.cache_tag, sys.hexversion, sys.platform, sys.flags.optimize, sys.maxsize))
    yield from map(_library, _LIBRARIES)


def _library(name: str) -> str:
    """Which version of a library there is, without importing it; empty if there is none."""
    try:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return ""
        beside = os.path.dirname(os.path.dirname(spec.origin))
        versions = [each for each in os.listdir(beside) if each.startswith(f"{name}-") and each.endswith(".dist-info")]
        found = os.stat(spec.origin)
    except (ImportError, OSError, ValueError):
        return "?"
    return repr(sorted(versions) or (spec.origin, found.st_mtime_ns, found.st_size))


def _files(folder: str = os.path.dirname(dp_lsp.__file__), name: str = "") -> Iterator[_PackageFile]:
    """The files of the package that say what it does, in order."""
    try:
        found = sorted(os.scandir(folder), key=lambda each: each.name)
    except OSError:  # it is in an archive
        return
    for each in found:
        inner = f"{name}/{each.name}"
        if each.is_dir():
            yield from _files(each.path, inner) if each.name != "__pycache__" else ()
        elif not each.name.endswith(_SILENT):
            state = each.stat()
            yield _PackageFile(inner, each.path, state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino)


def _content(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


def _digest(*parts: str | bytes) -> bytes:
    """A digest of some parts, each with its length."""
    state = hashlib.blake2b(digest_size=20)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data) + data)
    return state.digest()


logger = logging.getLogger(__name__)


class _ResultFile(NamedTuple):
    """What is known of a file; its text is known already."""

    name: str
    options: Options
    chunks: tuple[Placed, ...]


class Tried(NamedTuple):
    """The fixes of a file that were tried. Problems are counted in the order of their analysis: which have fixes to
    try, and which of these are good, of those whose were tried."""

    hopeful: tuple[int, ...]
    fixes: dict[int, tuple[Fix, ...]]


class Results:
    """Reads and writes them. ``stamp`` is what they depend on besides what is checked; without its value, or without a
    ``store``, nothing outlives this process. If they are ``remembered``, what the last two runs in it used is not read
    again."""

    def __init__(self, store: Store | None, stamp: ProgramStamp | None, remembered: bool = False) -> None:
        self._stamp = stamp.value if stamp is not None and stamp.value is not None else b""
        self._store = store if self._stamp else None
        self._holds = stamp.still_hold if stamp is not None else lambda: True
        self._may_write: bool | None = None
        self._remembered = remembered
        self._recent: dict[bytes, Any] = {}
        self._used: dict[bytes, Any] = {}

    @property
    def keeps(self) -> bool:
        """Whether anything outlives this process."""
        return self._store is not None

    def key(self, root: str, seen: SeenFile, options: Callable[[str], Options]) -> bytes:
        """The key of a project whose files were ``seen``: their names and texts, how they are checked, and what their
        includes mean, also those that are not followed."""
        how = plain(Options).write
        files = [(name, _said(text), how(options(name), None)) for name, text in sorted(seen.texts.items())]
        includes = [(*asked, _meant(found)) for asked, found in sorted(seen.included.items())]
        return self._key("project", root, files, includes)

    def fixes_key(self, name: str, projects: Iterable[bytes], noted: bool) -> bytes:
        """The key of the fixes of a file that is part of projects with these keys; if it is ``noted``, of problems that
        inputs were looked for that show them."""
        return self._key("fixes", name, sorted(key.hex() for key in projects), noted)

    def includes(self, name: str, text: SourceText) -> tuple[str, ...] | None:
        """The paths that a file with this text includes, if that is known."""
        found: tuple[str, ...] | None = self._get(self._includes_key(name, text), tuple[str, ...])
        return found

    def put_includes(self, name: str, text: SourceText, paths: tuple[str, ...]) -> None:
        """Keep which paths such a file includes."""
        self._put(self._includes_key(name, text), tuple[str, ...], paths)

    def project(self, key: bytes, seen: SeenFile) -> dict[str, Analysis] | None:
        """The analyses of a project, if they are known."""
        files = self._get(key, tuple[_ResultFile, ...])
        if files is None or not all(file.name in seen.texts for file in files):
            return None
        sources = ((file, Source(seen.texts[file.name].content)) for file in files)
        return {file.name: Analysis(source, file.chunks, file.options) for file, source in sources}

    def put_project(self, key: bytes, found: Mapping[str, Analysis]) -> None:
        """Keep the analyses of a project, but for what no report is made of."""
        self._put_files(key, found, lambda name: lighter)

    def survey(self, key: bytes, compared: Collection[str], seen: SeenFile) -> dict[str, Analysis] | None:
        """The analyses of a project whose files are not open, if they are known. What is claimed of functions is in
        them where files are ``compared`` with what other projects say of them, and need not be elsewhere."""
        found = self.project(self._survey_key(key, compared), seen)
        return self.project(key, seen) if found is None else found

    def put_survey(self, key: bytes, compared: Collection[str], found: Mapping[str, Analysis]) -> None:
        """Keep them, without such claims: to find these out takes about as long as to check the file."""
        key = self._survey_key(key, compared)
        self._put_files(key, found, lambda name: lighter if name in compared else _lightest)

    def records_key(self, files: Iterable[tuple[SourceText, Options]]) -> bytes:
        """The key of what an engine can learn about files that are checked together. Whether a record of it counts, its
        own key says: a digest of all that it was found out from."""
        how = plain(Options).write
        return self._key("records", sorted(json.dumps([_said(text), how(options, None)]) for text, options in files))

    def records(self, key: bytes) -> tuple[ChunkRecord, ...]:
        """The records that were kept for engines to learn."""
        found: tuple[ChunkRecord, ...] = self._get(key, tuple[ChunkRecord, ...]) or ()
        return found

    def put_records(self, key: bytes, records: tuple[ChunkRecord, ...]) -> None:
        """Keep records for engines to learn."""
        self._put(key, tuple[ChunkRecord, ...], records)

    def tried(self, key: bytes) -> Tried | None:
        """The fixes of a file that were tried, if any were."""
        found: Tried | None = self._get(key, Tried)
        return found

    def put_tried(self, key: bytes, tried: Tried) -> None:
        """Keep which fixes of a file were tried."""
        self._put(key, Tried, tried)

    def close(self) -> None:
        """The run is over."""
        self._recent, self._used, self._may_write = self._used, {}, None
        if self._store is not None:
            self._store.close()

    def _includes_key(self, name: str, text: SourceText) -> bytes:
        return self._key("includes", frontends.of(name, text.language).id, _said(text))

    def _survey_key(self, project: bytes, compared: Collection[str]) -> bytes:
        return self._key("survey", project.hex(), sorted(compared))

    def _put_files(
        self, key: bytes, found: Mapping[str, Analysis], made_lighter: Callable[[str], Callable[[Placed], Placed]]
    ) -> None:
        files = (
            _ResultFile(name, each.options, tuple(map(made_lighter(name), each.chunks))) for name, each in found.items()
        )
        self._put(key, tuple[_ResultFile, ...], tuple(files))

    def _key(self, what: str, *parts: Any) -> bytes:
        state = hashlib.blake2b(self._stamp, digest_size=20)
        state.update(json.dumps([what, *parts]).encode())
        return state.digest()

    def _get(self, key: bytes, kind: Any) -> Any:
        known = self._used.get(key, self._recent.get(key))
        if known is not None:
            self._used[key] = known
            return known
        data = self._store.get(key) if self._store is not None else None
        if data is None:
            return None
        try:
            return self._noted(key, plain(kind).read(json.loads(data), None))
        except UNREADABLE:
            logger.info("what is known under %s cannot be read, and is found out anew", key.hex(), exc_info=True)
            return None

    def _noted(self, key: bytes, value: Any) -> Any:
        if self._remembered:
            self._used[key] = value
        return value

    def _put(self, key: bytes, kind: Any, value: Any) -> None:
        self._noted(key, value)
        if self._store is None:
            return
        if self._may_write is None:  # all that finds things out is loaded now
            self._may_write = self._holds()
        if self._may_write:
            self._store.put(key, json.dumps(plain(kind).write(value, None), separators=(",", ":")).encode())


def _said(text: SourceText) -> Any:
    problem = None if text.problem is None else plain(Problem).write(text.problem, None)
    return text.content, problem


def _meant(found: str | ReadRefusal) -> Any:
    return found if isinstance(found, str) else (found.kind.code, sorted(found.facts.items()))


def lighter(placed: Placed) -> Placed:
    """A piece without what no report is made of."""
    return placed._replace(record=placed.record._replace(facts=NO_FACTS, names=NO_NAMES, meanings=NO_MEANINGS))


def _lightest(placed: Placed) -> Placed:
    """A piece with what is said of it at once, and without fixes."""
    record = lighter(placed).record
    functions = tuple(each.without_claims() for each in record.verdict.functions)
    problems = tuple(each._replace(fixes=()) for each in record.verdict.problems)
    verdict = record.verdict._replace(functions=functions, problems=problems)
    return placed._replace(record=record._replace(verdict=verdict))
