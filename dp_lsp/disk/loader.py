"""The files of a check: files and folders as they are, those below some folders, and those that were handed over or
named. Whoever asks a snapshot twice is told the same.

Names of files are whole paths as written: as in Julia, `..` is taken off the path and links are not followed when an
include is looked up; only whether the file may be read is asked of what the path leads to.

Notebooks as programs: the cells of code in a file of Jupyter, joined into one text.

Source: the notebook format, https://nbformat.readthedocs.io/en/latest/format_description.html, versions 3 and 4.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from dp_lsp import cells, frontends
from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.cells import CodeCell
from dp_lsp.disk.problems import NotANotebook, NotebookOfAnother, NotUtf8, Unreadable
from dp_lsp.engine.problems import ImportUnsure, IncludeMissing, IncludeOutside, IncludeWithoutFolder
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Sought
from dp_lsp.text import Span

_OLDEST, _NEWEST = 3, 4
_PYTHON = ("python", "ipython")


def of_notebook(text: SourceText) -> SourceText:
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


_NOTEBOOK = ".ipynb"
LARGEST = 16 << 20
"""Bytes of a file that is read; nobody writes a program that long."""


def name_of(path: str) -> str:
    """The name of a file for a check: its whole path, as short as it can be written and still mean that file."""
    whole = os.path.abspath(path)
    real = os.path.realpath(path)
    return whole if os.path.realpath(whole) == real else real  # else `..` goes back through a link


def read_file(path: str) -> SourceText:
    """The text of a file, without a byte order mark. What goes wrong is a problem, not an exception."""
    try:
        return program(path, _bytes(path))
    except OSError as error:
        return unreadable(error.strerror or type(error).__name__)


def program(path: str, data: bytes) -> SourceText:
    """The program that a file with this path holds: of a notebook, its cells."""
    if not path.endswith(_NOTEBOOK):
        return decoded(data)

    return of_notebook(decoded(data))


def unreadable(reason: str) -> SourceText:
    """Nothing could be read."""
    return SourceText("", Unreadable.at(Span(0, 0), reason=reason))


def decoded(data: bytes) -> SourceText:
    """The text that bytes are."""
    try:
        return SourceText(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        at = len(error.object[: error.start].decode("utf-8-sig"))
        problem = NotUtf8.at(Span(at, at + 1), byte=f"0x{error.object[error.start]:02X}")
        return SourceText(data.decode("utf-8-sig", "replace"), problem)


def _bytes(path: str) -> bytes:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):  # opening a pipe would wait for ever
        raise OSError(0, "it is not a regular file")
    if found.st_size > LARGEST:
        clearing = "; clear its outputs" if path.endswith(_NOTEBOOK) else ""
        raise OSError(0, f"it has more than {LARGEST >> 20} MiB{clearing}")
    with open(path, "rb") as stream:
        return stream.read()


_LeftOut = Callable[[str, bool], bool]
"""Whether a path is left out, which is that of a file, or of a folder with all in it."""
_Named = Callable[[str], bool]
"""Whether a setting names the file with a path."""


_INSTALLED = frozenset({"site-packages", "dist-packages", "__pypackages__", "node_modules"})
"""Folders in which tools put what others wrote."""
_ENVIRONMENT = "pyvenv.cfg"
"""The file that a folder has which is a Python environment."""


def below(folder: str, left_out: _LeftOut, failed: Callable[[OSError], None], named: _Named) -> Iterator[str]:
    """The path of every program below a folder that is meant and not left out, sorted. Hidden ones and what was
    installed are left out, too, and links to folders not followed; ``failed`` is told of each folder that cannot be
    opened."""
    return chain.from_iterable(by_folder(folder, left_out, named, failed))


def by_folder(
    folder: str, left_out: _LeftOut, named: _Named, failed: Callable[[OSError], None] = lambda error: None
) -> Iterator[list[str]]:
    """The same, one folder after the other."""
    for where, folders, files in os.walk(folder, onerror=failed):
        if _ENVIRONMENT in files and where != folder:
            folders.clear()
            continue
        own = (name for name in sorted(folders) if not name.startswith(".") and name not in _INSTALLED)
        seen = ((name, os.path.join(where, name)) for name in own)
        folders[:] = [name for name, path in seen if not left_out(path, True)]
        kept = (name for name in sorted(files) if frontends.find(name) and not name.startswith("."))
        paths = (os.path.join(where, name) for name in kept)
        yield [path for path in paths if not left_out(path, False) and _is_meant(path, named)]


def _is_meant(path: str, named: _Named) -> bool:
    """Whether a file that is found in a folder is one of which something is said. One that cannot be read is: whoever
    reads it says so."""
    language = frontends.of(path)
    mark = language.syntax.mark.encode()
    if not mark:
        return True
    try:
        data = _bytes(path)
    except OSError:
        return True
    if mark not in data:  # which nearly all files are known by
        return named(path)
    text = program(path, data)
    return text.problem is not None or frontends.is_meant(language, text.content, False) or named(path)


def module_file(
    by: str, path: str, sought: Sought, is_there: Callable[[str], bool], has: Callable[[str], bool]
) -> str | ReadRefusal:
    """The file of a module that another file loads, given which files are there, and which lie in a folder that is
    checked."""
    folder = os.path.dirname(by)
    for _ in range(sought.up or 0):
        folder = os.path.dirname(folder)
    if sought.up is not None and not has(os.path.join(folder, "__init__")):
        return ReadRefusal(IncludeOutside, {"path": path})
    folders = [folder]
    while sought.up is None and folders[-1] != os.path.dirname(folders[-1]) and has(folders[-1]):
        folders.append(os.path.dirname(folders[-1]))
    around = (os.path.join(each, below) for each in folders for below in sought.below)
    known = (next(filter(is_there, (os.path.join(each, name) for name in sought.names)), "") for each in around)
    found = [*dict.fromkeys(filter(None, known))]
    if not found:
        return ReadRefusal(IncludeMissing, {"path": path, "hint": ""})
    if len(found) > 1:
        seen = (os.path.relpath(each, folders[-1]).replace(os.sep, "/") for each in found[:2])
        why = "`{}` and `{}` may both be it, which depends on where the program is started".format(*seen)
        return ReadRefusal(ImportUnsure, {"path": path, "why": why})
    return found[0]


_IGNORES_CASE = sys.platform in ("win32", "darwin")


class FileStamp(NamedTuple):
    """What changes with a file."""

    modified: int
    changed: int
    size: int
    node: int


class Disk:
    """Reads files below ``folders``, and no others, but for those that are ``named``.

    A file's name is its whole path. ``given`` are texts by name that win over the disk: of documents that an
    editor has open, and of standard input. A name that is no whole path is one of those.
    """

    def __init__(self, folders: Iterable[str], given: Mapping[str, SourceText], named: Iterable[str] = ()) -> None:
        whole = {os.path.abspath(folder) for folder in folders}
        self._folders = whole | {os.path.realpath(folder) for folder in whole}
        self._named = frozenset(named)
        self._read: dict[str, tuple[FileStamp, SourceText]] = {}
        self._given: dict[str, SourceText] = {}
        self._by_real: dict[str, str] = {}  # the names of what is given
        for name, text in given.items():
            self.give(name, text)

    def give(self, name: str, text: SourceText) -> None:
        """This text of a file wins over the disk from now on."""
        if name not in self._given and os.path.isabs(name):
            self._by_real[os.path.realpath(name)] = name
        self._given[name] = text

    def take_back(self, name: str) -> None:
        """The file on the disk counts again."""
        self._given.pop(name, None)
        self._by_real = {real: other for real, other in self._by_real.items() if other != name}

    def included(self, by: str, path: str) -> str | ReadRefusal:
        """The name of the file that an `include` means, as Julia finds it, or why there is none to read."""
        if not os.path.isabs(by):
            return ReadRefusal(IncludeWithoutFolder, {"path": path})
        if "\0" in path:
            return _missing(path, "")
        if (sought := frontends.of(by).syntax.sought(path)) is not None:
            return module_file(by, path, sought, self._is_there, self.has)
        name = os.path.normpath(os.path.join(os.path.dirname(by), path))
        if name in self._given or name in self._named:
            return name
        if not self.has(name):
            return ReadRefusal(IncludeOutside, {"path": path})
        try:
            os.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            return _missing(path, _near(name, by))
        except OSError:
            return name  # reading it will say what is wrong
        return name if not _IGNORES_CASE or is_spelled(name) else _missing(path, _near(name, by))

    def _is_there(self, name: str) -> bool:
        """Whether there is a file that may be read."""
        if name in self._given or name in self._named:
            return True
        return os.path.isfile(name) and self.has(name) and (not _IGNORES_CASE or is_spelled(name))

    def has(self, name: str) -> bool:
        """Whether a file lies below one of the folders, and what it may be a link to as well."""
        if not any(is_below(name, folder) for folder in self._folders):
            return False
        real = os.path.realpath(name)
        return any(is_below(real, folder) for folder in self._folders)

    def text(self, name: str) -> SourceText:
        """The text of a file, the same object as long as it does not change."""
        given = self._given_for(name)
        if given is not None:
            return given
        now = stamp(name)
        known = self._read.get(name)
        if known is None or known[0] != now:
            text = read_file(name)
            if now is None:
                return text
            known = self._read[name] = (now, text)
        return known[1]

    def keep(self, names: Collection[str]) -> None:
        """The texts of other files need not be remembered."""
        self._read = {name: known for name, known in self._read.items() if name in names}

    def _given_for(self, name: str) -> SourceText | None:
        """What was handed over of a file, under whatever name."""
        if name in self._given or not self._by_real:
            return self._given.get(name)
        other = self._by_real.get(os.path.realpath(name))
        return self._given[other] if other is not None else None


def is_spelled(name: str) -> bool:
    """Whether a file that exists is called so, upper and lower case letters being different."""
    folder, base = os.path.split(name)
    try:
        return base in os.listdir(folder)
    except OSError:
        return True


def is_below(name: str, folder: str) -> bool:
    """Whether a path lies in a folder, as both are written."""
    return name.startswith(os.path.join(folder, ""))


def path_below(folder: str, file: str) -> str:
    """The path of a file below a folder, as patterns have it."""
    try:
        return os.path.relpath(file, folder).replace(os.sep, "/")
    except ValueError:  # it is on another drive
        return file.replace(os.sep, "/")


def _missing(path: str, near: str) -> ReadRefusal:
    hint = f"; did you mean `{os.path.join(os.path.dirname(path), near)}`?" if near else ""
    return ReadRefusal(IncludeMissing, {"path": path, "hint": hint})


def _near(name: str, by: str) -> str:
    """A file in the folder, other than ``by``, that is called almost like this one, or empty."""
    import difflib

    folder, base = os.path.split(name)
    try:
        others = sorted(other for other in os.listdir(folder) if os.path.join(folder, other) != by)
    except OSError:
        return ""
    same = [other for other in others if other.casefold() == base.casefold()]
    stem, suffix = os.path.splitext(base)
    stems = [other.removesuffix(suffix) for other in others if other.endswith(suffix)]
    near = (other + suffix for other in difflib.get_close_matches(stem, stems, n=1, cutoff=0.7))
    return next(iter([*same, *near]), "")


def stamp(name: str) -> FileStamp | None:
    """What to know a file by; None of one that cannot be looked at."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return FileStamp(found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


class SeenFile(NamedTuple):
    """What a loader has said: texts by name, and what includes mean, by the file that has one and the path in it."""

    texts: dict[str, SourceText]
    included: dict[tuple[str, str], str | ReadRefusal]


class Snapshot:
    """A loader that asks another one each question once. It may know some answers from the start; ``strayed`` tells
    whether it was asked for anything else."""

    def __init__(self, loader: Loader, seen: SeenFile | None = None) -> None:
        self._loader = loader
        self._seen = SeenFile({}, {}) if seen is None else SeenFile(dict(seen.texts), dict(seen.included))
        self.strayed = False

    def text(self, name: str) -> SourceText:
        known = self._seen.texts.get(name)
        if known is None:
            self.strayed = True
            known = self._seen.texts[name] = self._loader.text(name)
        return known

    def included(self, by: str, path: str) -> str | ReadRefusal:
        known = self._seen.included.get((by, path))
        if known is None:
            self.strayed = True
            known = self._seen.included[by, path] = self._loader.included(by, path)
        return known

    def has_changed(self) -> bool:
        """Whether the other loader would say something else now."""
        texts = (self._loader.text(name) != text for name, text in self._seen.texts.items())
        return any(texts) or any(self._loader.included(*asked) != said for asked, said in self._seen.included.items())

    def seen(self, names: Iterable[str]) -> SeenFile:
        """The texts of these files, and what was asked about their includes."""
        texts = {name: self.text(name) for name in names}
        return SeenFile(texts, {key: found for key, found in self._seen.included.items() if key[0] in texts})
