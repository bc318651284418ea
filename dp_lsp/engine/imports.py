"""A project in a language in which each file is a module with names of its own: the first file, and all that it loads.

All modules are one program, in which what a module defines is called by its path (:mod:`dp_lsp.engine.program`). Who
loads a module changes nothing in it, so of each file it is said what is known of it as the first of its own project.
A module that loads itself by way of others is run in part before these, so that what they take out of it may be given
another meaning later: such names are in doubt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

from dp_lsp.analysis.loading import Loader, SourceText, shown
from dp_lsp.analysis.records import MAIN
from dp_lsp.engine import project
from dp_lsp.engine.problems import (
    ImportUnsure,
    IncludeMissing,
    IncludeUnreadable,
    IncludeWithoutFolder,
    TooManyIncludes,
)
from dp_lsp.engine.program import OWN, InferenceUnit, Program, Scope
from dp_lsp.engine.project import MOST, File, Project, ProjectPart, Readable, doubts
from dp_lsp.language import Language
from dp_lsp.lower.facts import EVERYTHING
from dp_lsp.problem import Problem
from dp_lsp.surface import Load
from dp_lsp.text import Source

Scoped = Callable[[InferenceUnit, Scope], InferenceUnit]
"""A unit as it is in a project, where names have such meanings."""


class _Loaded:
    """A file of the project, and what it is called there; a package has other modules in it. ``found`` are the files
    that its loads lead to, by their paths; ``links`` what names mean that it has from modules, ``bound`` all names that
    it has, and ``given`` those of them that it gives a meaning itself."""

    def __init__(self, name: str, path: str, file: File, is_package: bool = False) -> None:
        self.name = name
        self.path = path
        self.is_package = is_package
        self.file = file
        self.found: dict[str, str] = {}
        self.problems: dict[int, list[Problem]] = {}
        self.clouds: dict[str, str] = {}
        self.links: dict[str, str] = {}
        lowered = [unit.lowered for unit in file.units]
        self.given = {each.name for of in lowered for each in of.definitions}
        self.given.update(name for of in lowered for name, _, _ in of.clouded)
        self.loads = [(index, load) for index, of in enumerate(lowered) for load in of.loads]
        here = (name for _, load in self.loads for name in (load.here, *(name for name, _ in load.names)))
        self.bound = self.given.union(here)

    @property
    def prefix(self) -> str:
        return f"{self.path}." if self.path else ""


def modules(
    root: str, loader: Loader, cut: Callable[[str], File], readable: Readable, scoped: Scoped, language: Language
) -> Project:
    """The project of a file, with all modules that it loads."""
    return _Imports(loader, cut, readable, scoped, language).run(root)


class _Imports:
    def __init__(
        self, loader: Loader, cut: Callable[[str], File], readable: Readable, scoped: Scoped, language: Language
    ) -> None:
        self._loader = loader
        self._cut = cut
        self._readable = readable
        self._scoped = scoped
        self._language = language
        self._files: dict[str, _Loaded] = {}
        self._broken: dict[str, SourceText] = {}
        self._trusted: set[str] = set()

    def run(self, root: str) -> Project:
        text = self._text(root)
        if text.problem is not None:
            return self._made([ProjectPart(root, Source(text.content), (), text.problem)], [], {})
        self._files[root] = _Loaded(root, "", self._cut(text.content))
        self._load_all(root)
        self._doubt_rings()
        self._doubt_changing(self._files[root])
        for each in self._files.values():
            self._link(each)
        return self._together()

    def _text(self, name: str) -> SourceText:
        return self._readable(name, self._loader.text(name))

    # Which files there are

    def _load_all(self, root: str) -> None:
        pending = deque([root])
        while pending:
            by = self._files[pending.popleft()]
            for index, load in by.loads:
                for path in load.paths:
                    pending += self._load(by, index, load, path)

    def _load(self, by: _Loaded, index: int, load: Load, path: str) -> Iterator[str]:
        """Find what a path leads to; the name of a file that is new in the project."""
        name = self._loader.included(by.name, path)
        if not isinstance(name, str):
            lost = name.kind is IncludeWithoutFolder and not path.startswith(".")
            if name.kind is IncludeMissing or lost:
                self._missing(by, index, load, path)
            else:
                self._refuse(by, index, load, name.at(load.span))
            return
        if load.known:
            why = f"`{shown(name)}` of this project is called so, too, and may be what is loaded: give it another name"
            self._refuse(by, index, load, ImportUnsure.at(load.span, path=path, why=why))
            return
        by.found[path] = name
        if name in self._files:
            return
        text = self._text(name)
        if text.problem is not None:
            reason = text.problem.message
            self._broken[name] = text
            self._refuse(by, index, load, IncludeUnreadable.at(load.span, path=shown(name), reason=reason))
        elif len(self._files) >= MOST:
            what = f"this project has more than {MOST:,} files"
            self._refuse(by, index, load, TooManyIncludes.at(load.span, what=what))
        else:
            sought = self._language.syntax.sought(path)
            is_package = sought is not None and name.replace("\\", "/").endswith(sought.names[0])
            self._files[name] = _Loaded(name, self._path(by, path), self._cut(text.content), is_package)
            yield name

    def _path(self, by: _Loaded, path: str) -> str:
        """What a module is called in the project: by its path, unless another one is."""
        inner = path.lstrip(".")
        around = by.path.split(".") if inner != path and by.path else []
        around = around[: len(around) - (len(path) - len(inner) - by.is_package)]
        written = ".".join(filter(None, (*around, inner))) or "package"
        taken = {each.path for each in self._files.values()}
        others = sum(each.partition("#")[0] == written for each in taken)
        return f"{written}#{others}" if others else written

    def _missing(self, by: _Loaded, index: int, load: Load, path: str) -> None:
        """There is no such file: it is a module of others, unless the project must have it."""
        if load.known or path != load.path or not path.strip("."):
            return
        head, _, last = path.rpartition(".")
        if path.startswith(".") or head in by.found:
            hint = ""
            problem = IncludeMissing.at(load.span, path=f"{last}{self._language.suffixes[0]}", hint=hint)
            if not path.startswith("."):
                problem = ImportUnsure.at(load.span, path=path, why=f"`{head}` has no such module")
            self._refuse(by, index, load, problem)
        else:
            self._trusted.add(path.partition(".")[0])

    def _refuse(self, by: _Loaded, index: int, load: Load, problem: Problem) -> None:
        """A module that is not followed may do anything."""
        found = by.problems.setdefault(index, [])
        if problem not in found:
            found.append(problem)
        where = f" in `{shown(by.name)}`" if by.name else ""
        by.clouds.setdefault(EVERYTHING, f"the import of `{load.path}`{where} is not followed")

    # What their names mean

    def _doubt_rings(self) -> None:
        """Names that are taken out of a module which loads, by way of others, the one that takes them. What is read of
        a module where it is needed is read when all is loaded."""
        after = {name: set(each.found.values()) & self._files.keys() for name, each in self._files.items()}
        reached = {name: _reached(name, after) for name in self._files}
        for each in self._files.values():
            for index, load in each.loads:
                target = each.found.get(load.path)
                if target is None or each.name not in reached.get(target, ()) or target == each.name:
                    continue
                if each.is_package and self._files[target].path.startswith(each.prefix):
                    continue  # a package is loaded before what lies in it
                taken = [here for here, there in load.names if there in self._files[target].bound]
                if taken:
                    why = f"it loads `{shown(each.name)}` itself, so that what it has by then may not be all"
                    each.problems.setdefault(index, []).append(ImportUnsure.at(load.span, path=load.path, why=why))
                each.clouds |= dict.fromkeys(taken, f"`{load.path}` loads `{shown(each.name)}` itself")

    def _doubt_changing(self, first: _Loaded) -> None:
        """Modules that may give any name another meaning while they are loaded: told at the import that leads to one,
        as nothing is said of their own text."""
        told: set[str] = set()
        for index, load in first.loads:
            pending = [first.found[path] for path in load.paths if path in first.found]
            while pending:
                name = pending.pop()
                if name in told or name not in self._files or name == first.name:
                    continue
                told.add(name)
                each = self._files[name]
                pending += each.found.values()
                clouded = (found for unit in each.file.units for found in unit.lowered.clouded)
                own = (reason for other, _, reason in clouded if other == EVERYTHING)
                reason = next(own, each.clouds.get(EVERYTHING))
                if reason is not None:
                    why = f"`{shown(name)}` may give anything another meaning ({reason})"
                    problem = ImportUnsure.at(load.span, path=load.path, why=why)
                    first.problems.setdefault(index, []).append(problem)

    def _link(self, each: _Loaded) -> None:
        """What the names mean that a file has from modules; one that it gives a meaning itself, too, or that is of
        several modules, is in doubt."""
        found: dict[str, set[str]] = {}
        for _, load in each.loads:
            for here, target in self._targets(each, load) if load.sure else ():
                found.setdefault(here, set()).add(target)
        for here, targets in found.items():
            if len(targets) > 1 or "" in targets or here in each.given:
                each.clouds.setdefault(here, f"`{here}` is imported and given another meaning, too")
            elif here not in each.clouds:
                each.links[here] = min(targets)

    def _targets(self, by: _Loaded, load: Load) -> Iterator[tuple[str, str]]:
        """The names that a load gives a meaning, and which; an empty one is in doubt."""
        name = by.found.get(load.path)
        module = None if name is None else self._files.get(name)
        if load.here:
            inner = {path: self._files.get(file) for path, file in by.found.items() if path.startswith(f"{load.path}.")}
            if any(each is not None and each.path != path for path, each in inner.items()):
                yield load.here, ""
            elif module is not None:
                yield load.here, module.path
            elif inner:
                yield load.here, load.path
        for here, there in load.names:
            inside = self._files.get(by.found.get(load.inner(there), ""))
            has = module is not None and there in module.bound
            if module is not None and (has or inside is None):
                yield here, "" if inside is not None else f"{module.prefix}{there}"
            elif inside is not None:
                yield here, inside.path

    def _together(self) -> Project:
        """The units of all files, with the names that they have in the project."""
        self._doubt_hidden()
        inner = [each for each in self._files.values() if each.path]
        passed = {f"{each.prefix}{here}": target for each in inner for here, target in each.links.items()}
        paths = frozenset(each.path.partition(".")[0] for each in inner)
        units: list[InferenceUnit] = []
        parts: list[ProjectPart] = []
        clouds: dict[str, str] = {}
        for each in self._files.values():
            links = tuple(sorted(each.links.items()))
            scope = Scope(each.prefix, links, tuple(sorted(passed.items())) if links else (), paths)
            places = []
            for index, plain in enumerate(each.file.units):
                unit = plain if scope == OWN else self._scoped(plain, scope)
                found = each.problems.get(index, ())
                unit = unit._replace(problems=(*unit.problems, *found)) if found else unit
                for name, _, reason in unit.lowered.clouded:
                    clouds.setdefault(name, reason)
                places.append((0, len(units)))
                units.append(unit)
            clouds |= {scope.own(name): reason for name, reason in each.clouds.items() if scope.own(name) not in clouds}
            parts.append(ProjectPart(each.name, each.file.source, tuple(places)))
        parts += (ProjectPart(name, Source(text.content), (), text.problem) for name, text in self._broken.items())
        return self._made(parts, units, clouds)

    def _doubt_hidden(self) -> None:
        """Modules whose package has something else under their name."""
        paths = {each.path: each for each in self._files.values() if each.path}
        for path, hidden in paths.items():
            head, _, last = path.rpartition(".")
            package = paths.get(head)
            if package is not None and last in package.bound and package.links.get(last) != path:
                why = f"`{head}` has a module and something else that are called `{last}`"
                hidden.clouds |= dict.fromkeys(hidden.bound, why)
                package.clouds[last] = why
                package.links.pop(last, None)

    def _made(self, parts: Sequence[ProjectPart], units: list[InferenceUnit], clouds: dict[str, str]) -> Project:
        doubts([units], clouds, self._language.semantics)
        (apart,) = project.doubts_of_others([units], clouds, self._language)
        trusted = tuple(sorted(self._trusted))
        program = Program(tuple(units), clouds, self._language.semantics, apart, trusted)
        return Project((program,), tuple(parts), (MAIN,), apart=True)


def _reached(start: str, after: dict[str, set[str]]) -> set[str]:
    """What is loaded by a module, by way of others, too."""
    found: set[str] = set()
    pending: list[Iterable[str]] = [after.get(start, ())]
    while pending:
        for name in pending.pop():
            if name not in found:
                found.add(name)
                pending.append(after.get(name, ()))
    return found
