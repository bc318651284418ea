"""A project: a file with all it includes, in the order in which they run, cut into its modules.

The rules of a project are those of its root: which severities and limits count for a file, the configuration above it
says; but what one file proves of another must be found by the same rules.

Its parts put names in doubt together: those that one imports and another defines, and containers that one defines and
another makes longer or shorter.

What modules of others, and methods that a program adds to their functions, leave in doubt.

Whoever opens a module brings all names that it exports. They replace no name of the project: what a module defines is
its own there. (Julia manual, "Modules", "Namespace management"; of a name that was used before it is defined, Julia
refuses the definition.) Nor do they replace a word of the language that every module has, or that another module which
is opened there exports, too: such a name is in conflict, and using it is an error. What is left are words of the
language that only the opened module may bring.

A method that is added to a function of the language, such as ``Base.length(x::Basis)``, is called for arguments of its
types alone. If one of these is a type that the project defines, no value of the language has it: what the rules say of
the function stays true of such values. The same holds of the other methods of a function of the project.

A project in a language in which each file is a module with names of its own: the first file, and all that it loads.

All modules are one program, in which what a module defines is called by its path (:mod:`dp_lsp.engine.program`). Who
loads a module changes nothing in it, so of each file it is said what is known of it as the first of its own project.
A module that loads itself by way of others is run in part before these, so that what they take out of it may be given
another meaning later: such names are in doubt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise

from dp_lsp import builtins
from dp_lsp.analysis.loading import Loader, SourceText, shown
from dp_lsp.analysis.records import MAIN
from dp_lsp.core import term
from dp_lsp.core.term import Constant, Method
from dp_lsp.engine.problems import (
    ImportUnsure,
    IncludeCycle,
    IncludeMissing,
    IncludeUnreadable,
    IncludeWithoutFolder,
    TooManyIncludes,
    Unbalanced,
)
from dp_lsp.engine.program import OWN, InferenceUnit, Program, Scope
from dp_lsp.language import Language, Semantics
from dp_lsp.lower.definitions import Addition, Imported, Include, Lowered, Opened
from dp_lsp.lower.facts import EVERYTHING, is_operator, is_reserved
from dp_lsp.lower.problems import (
    BuiltinImported,
    BuiltinRedefined,
    ImportedAndDefined,
    OpenedModule,
    OpenImport,
    TwoStyles,
)
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem, Related, There
from dp_lsp.surface import Load, ModuleMark
from dp_lsp.text import Source, Span

Units = list[InferenceUnit]
Told = list[tuple[int, InferenceUnit]]
"""Those of the units of a module that say something of names besides what their definitions do, by their index."""


def doubts_of_others(modules: Sequence[Units], clouds: dict[str, str], language: Language) -> list[frozenset[str]]:
    """Add to ``clouds``, names of the modules with the reason why nothing is known of them, and to the problems of
    their units; of each module the names of types that no value of the language has."""
    saying = [[each for each in enumerate(units) if _says_of_others(each[1].lowered)] for units in modules]
    known, found = _types(modules, saying), list[frozenset[str]]()
    understood = {name for told in saying for _, unit in told for name, _ in unit.lowered.structures}
    for units, told in zip(modules, saying, strict=True):
        own = _own(told, known)
        defined = {each.name for unit in units for each in unit.lowered.definitions}
        _doubt_additions(units, told, defined, own, clouds, language)
        _doubt_opened(units, told, clouds, language)
        defined.update(each.name for _, unit in told for each in unit.lowered.imported)
        found.append((own - understood) | (language.annotations.apart - known - defined - clouds.keys()))
    return found


def _says_of_others(lowered: Lowered) -> bool:
    """Whether a unit says anything of names besides what its definitions do; few units do."""
    about = lowered.imported or lowered.opened or lowered.additions
    return bool(about or lowered.types or lowered.structures or lowered.clouded)


def _add(units: Units, index: int, problem: Problem) -> None:
    units[index] = units[index]._replace(problems=(*units[index].problems, problem))


# Methods that are added


def _types(modules: Sequence[Units], saying: Iterable[Told]) -> frozenset[str]:
    """The names that are those of types which the project defines, wherever it defines them."""
    types = frozenset[str]().union(*(unit.lowered.types for told in saying for _, unit in told))
    if not types:
        return types
    units = (unit for module in modules for unit in module)
    return types - {definition.name for unit in units for definition in unit.lowered.definitions if not _of_type(unit)}


def _of_type(unit: InferenceUnit) -> bool:
    """Whether what a unit defines are methods, such as constructors of a type, which leave the type what it is."""
    return all(hasattr(definition, "params") for definition in unit.lowered.definitions)


def _doubt_additions(
    units: Units, told: Told, defined: Set[str], own: frozenset[str], clouds: dict[str, str], language: Language
) -> None:
    """Methods that may be called for values of the language. ``defined`` are the names that the module defines."""
    imported = {each.name: (index, each) for index, unit in told for each in unit.lowered.imported}
    extending = {name: found for name, found in imported.items() if found[1].extends}
    for index, unit in told:
        for addition in unit.lowered.additions:
            if addition.hidden and (own.isdisjoint(addition.types) or addition.name not in defined):
                clouds.setdefault(addition.name, addition.reason)
            if _is_apart(addition, own, extending.keys(), language):
                for name in own & addition.types:
                    clouds.setdefault(name, addition.reason)  # what a value of it does may be another thing
                continue
            if addition.name in language.vocabulary.uncalled:
                clouds.setdefault(addition.name, addition.reason)
                continue
            clouds.setdefault(EVERYTHING, addition.reason)
            if addition.qualified:
                continue  # the definition is refused where it stands
            if is_reserved(addition.name, language):
                _add(units, index, BuiltinRedefined.at(addition.span, name=addition.name))
            else:
                _blame(units, extending[addition.name])
    clouded = {name for _, unit in told for name, _, _ in unit.lowered.clouded}
    for name in sorted(extending.keys() & language.vocabulary.unasked & clouded):
        clouds.setdefault(EVERYTHING, f"`{name}` gets another meaning")
        _blame(units, extending[name])


def _own(told: Told, types: frozenset[str]) -> frozenset[str]:
    """The types of the project that a module knows by their names."""
    imported = [each for _, unit in told for each in unit.lowered.imported]
    here = frozenset[str]().union(*(unit.lowered.types for _, unit in told))
    foreign = {each.name for each in imported if not each.module.startswith(".")}
    brought = frozenset(each.name for each in imported if each.module.startswith("."))
    return (types & (here | brought)) - foreign


def _is_apart(addition: Addition, own: frozenset[str], extending: Collection[str], language: Language) -> bool:
    """Whether a method is called for no value of the language."""
    extends = addition.qualified or addition.name in extending
    if not extends:
        return not is_reserved(addition.name, language)  # another function of that name
    return not own.isdisjoint(addition.types)


def _blame(units: Units, found: tuple[int, Imported]) -> None:
    """The import by which methods are added."""
    index, imported = found
    problem = BuiltinImported.at(imported.span, name=imported.name)
    if problem not in units[index].problems:
        _add(units, index, problem)


# Modules that are opened


def _doubt_opened(units: Units, told: Told, clouds: dict[str, str], language: Language) -> None:
    """Words of the language that only a module of others may bring, and what uses them."""
    opened = [(index, each) for index, unit in told for each in unit.lowered.opened]
    exports = {each.module: _exported(each, language) for _, each in opened}
    sure = {each.module for _, each in opened if not each.may}
    known = {module for module in exports if module.split(".")[0] in language.vocabulary.modules}
    unsure = [(index, each) for index, each in opened if exports[each.module] is None or each.module not in known]
    mentioned = frozenset[str]().union(*(unit.lowered.mentions for unit in units)) if unsure else frozenset[str]()
    for index, each in unsure:
        exported = exports[each.module]
        others = frozenset[str]().union(*(exports[module] or () for module in sure - {each.module}))
        doubtful: dict[str, None] = {}
        homes = language.vocabulary.homes
        suspects = {word for word in mentioned if _may_be(word, exported, others, language)}
        suspects = {word for word in suspects if each.module not in homes.get(word, ())}
        for unit in units if suspects else ():
            words = sorted(suspects & unit.lowered.mentions)
            for definition in unit.lowered.definitions if words else ():
                clouds.setdefault(definition.name, f"`{words[0]}` may be that of `{each.module}`")
            doubtful |= dict.fromkeys(words)
            if any(word[0] == "@" for word in words):
                clouds.setdefault(EVERYTHING, f"`{each.module}` may bring a macro")
        if doubtful:
            instead = "include its file without the `module` around it"
            instead = instead if each.module.startswith(".") else f"write `import {each.module}`"
            names = "`, `".join(list(doubtful)[:_SHOWN])
            _add(units, index, OpenImport.at(each.span, module=each.module, names=names, instead=instead))
        elif exported is None and not each.module.startswith("."):
            _add(units, index, OpenedModule.at(each.span, module=each.module))


_SHOWN = 3


def _exported(opened: Opened, language: Language) -> frozenset[str] | None:
    """The words of the language that an opened module exports; None if that is not known."""
    return None if opened.module.startswith(".") else language.vocabulary.exported(opened.module)


def _may_be(word: str, exported: frozenset[str] | None, others: frozenset[str], language: Language) -> bool:
    """Whether a word of the language may be that of a module which exports these, and no other one's."""
    is_word = is_reserved(word, language) or language.builtins.find(word) is not None
    if not is_word or word in others or language.vocabulary.is_always(word):
        return False
    return exported is None or word in exported


DEEPEST = 100
"""How many files may include each other in a row."""
MOST = 1_000
"""How many files a project may have."""
_AGAIN = "#"

Readable = Callable[[str, SourceText], SourceText]
"""The text of a file, given its name, with a problem if it is none that can be checked."""


class File(NamedTuple):
    """A file cut into units."""

    source: Source
    units: tuple[InferenceUnit, ...]


class ProjectPart(NamedTuple):
    """One time a file is included. ``places`` are its units: the number of a program, and the index in it.

    A file that could not be read has no units, and a ``problem``; one that is not ``asked`` about has no units, too."""

    name: str
    source: Source
    places: tuple[tuple[int, int], ...]
    problem: Problem | None = None
    asked: bool = True


class Project(NamedTuple):
    """The modules of a project, each with its own names, and its files. The first part is the root. ``modules`` are
    what the modules are called, from the outermost one in; that has no name. If its files are ``apart``, it is
    about the first of them alone."""

    programs: tuple[Program, ...]
    parts: tuple[ProjectPart, ...]
    modules: tuple[str, ...]
    apart: bool = False


def project(root: str, loader: Loader, cut: Callable[[str], File], readable: Readable, language: Language) -> Project:
    """The project of a file in a language; ``cut`` makes units of a text."""
    return _Expansion(loader, cut, readable).run(root, language)


def not_meant(root: str, text: str) -> Project:
    """That of a file of which nothing is said."""
    return Project((), (ProjectPart(root, Source(text), (), asked=False),), (), apart=True)


def unbalanced(units: Sequence[InferenceUnit]) -> dict[int, Problem]:
    """What is wrong with the modules of a file, by the unit to report it in."""
    found: dict[int, Problem] = {}
    opened: list[tuple[int, ModuleMark]] = []
    several = False
    for index, unit in enumerate(units):
        for mark in unit.lowered.marks:
            if mark.name is None and not opened:
                found[index] = Unbalanced.at(mark.span, what="this `end` closes nothing")
            elif mark.name is None:
                opened.pop()
            elif several:
                found[index] = Unbalanced.at(mark.span, what="a file has one module at most, not inside another")
                opened.append((index, mark))
            else:
                opened.append((index, mark))
                several = True
    for index, mark in opened:
        found.setdefault(index, Unbalanced.at(mark.span, what=f"`module {mark.name}` is never closed: add `end`"))
    return found


class _OpenFile:
    """A file that is being run through: the next unit, and the modules that are open at it. ``may`` says that it may
    run, or not."""

    def __init__(self, name: str, file: File, module: int, may: bool) -> None:
        self.may = may
        self.name = name
        self.file = file
        self.position = 0
        self.modules = [module]
        self.places: list[tuple[int, int]] = []


class _Expansion:
    def __init__(self, loader: Loader, cut: Callable[[str], File], readable: Readable) -> None:
        self._loader = loader
        self._cut = cut
        self._readable = readable
        self._modules: list[list[InferenceUnit]] = [[]]
        self._names = [MAIN]
        self._clouds: dict[str, str] = {}
        self._parts: list[ProjectPart | None] = []
        self._stack: list[tuple[_OpenFile, int]] = []
        self._seen: set[tuple[str, int]] = set()

    def run(self, root: str, language: Language) -> Project:
        self._enter(root, self._text(root), 0, may=False)
        while self._stack:
            frame, part = self._stack[-1]
            if frame.position == len(frame.file.units):
                self._parts[part] = ProjectPart(frame.name, frame.file.source, tuple(frame.places))
                self._stack.pop()
            else:
                self._unit(frame)
        doubts(self._modules, self._clouds, language.semantics)
        apart = doubts_of_others(self._modules, self._clouds, language)
        programs = tuple(
            Program(tuple(units), self._clouds, language.semantics, types)
            for units, types in zip(self._modules, apart, strict=True)
        )
        return Project(programs, tuple(part for part in self._parts if part is not None), tuple(self._names))

    def _text(self, name: str) -> SourceText:
        return self._readable(name, self._loader.text(name))

    def _enter(self, name: str, text: SourceText, module: int, may: bool) -> None:
        """Run through a file next. What one defines that ``may`` run is in doubt."""
        self._seen.add((name, module))
        if text.problem is not None:
            self._parts.append(ProjectPart(name, Source(text.content), (), text.problem))
        else:
            self._stack.append((_OpenFile(name, self._cut(text.content), module, may), len(self._parts)))
            self._parts.append(None)

    def _unit(self, frame: _OpenFile) -> None:
        unit = frame.file.units[frame.position]
        frame.position += 1
        for mark in unit.lowered.marks:
            if mark.name is not None:
                self._open(mark.name, frame)
            elif len(frame.modules) > 1:
                frame.modules.pop()
        for name, _, reason in unit.lowered.clouded:
            self._clouds.setdefault(name, reason)
        if frame.may:
            unit = self._doubted(unit, frame.name)
        module = frame.modules[-1]
        frame.places.append((module, len(self._modules[module])))
        self._modules[module].append(self._including(unit, frame.name, module) if unit.lowered.includes else unit)

    def _doubted(self, unit: InferenceUnit, file: str) -> InferenceUnit:
        """A unit of a file that may be included, or not."""
        for definition in unit.lowered.definitions:
            self._clouds.setdefault(definition.name, f"`{shown(file)}` may be included, or not")
        opened = tuple(each._replace(may=True) for each in unit.lowered.opened)
        return unit._replace(lowered=unit.lowered._replace(opened=opened)) if opened else unit

    def _open(self, name: str, frame: _OpenFile) -> None:
        """Go on in a module of its own. One that is there already is replaced by it, so it is another."""
        whole = f"{self._names[frame.modules[-1]]}.{name}"
        times = sum(known.partition(_AGAIN)[0] == whole for known in self._names)
        frame.modules.append(len(self._modules))
        self._modules.append([])
        self._names.append(f"{whole}{_AGAIN}{times}" if times else whole)

    def _including(self, unit: InferenceUnit, by: str, module: int) -> InferenceUnit:
        """The unit with what is wrong with the files it includes."""
        found = (self._include(include, by, module) for include in unit.lowered.includes)
        return unit._replace(problems=(*unit.problems, *(problem for problem in found if problem is not None)))

    def _include(self, include: Include, by: str, module: int) -> Problem | None:
        """Follow an `include`, or say why it is not: then it may define any name."""
        problem = self._followed(include, by, module)
        if problem is not None:
            where = f" in `{shown(by)}`" if by else ""
            self._clouds.setdefault(EVERYTHING, f'`include("{include.path}")`{where} is not followed')
        return problem

    def _followed(self, include: Include, by: str, module: int) -> Problem | None:
        name = self._loader.included(by, include.path)
        if not isinstance(name, str):
            return name.at(include.span)
        way = [frame.name for frame, _ in self._stack]
        if name in way:
            ring = way.index(name)
            related = tuple(self._ring(ring, include.span))
            return IncludeCycle.at(include.span, path=shown(name), way=_way(way[ring + 1 :]), related=related)
        if (name, module) in self._seen:
            return None  # to define the same once more changes nothing
        if len(way) >= DEEPEST:
            return TooManyIncludes.at(include.span, what=f"files include each other more than {DEEPEST} deep here")
        if len(self._parts) >= MOST:
            return TooManyIncludes.at(include.span, what=f"this project has more than {MOST:,} files")
        text = self._text(name)
        self._enter(name, text, module, include.may or self._stack[-1][0].may)
        if text.problem is None:
            return None
        return IncludeUnreadable.at(include.span, path=include.path, reason=text.problem.message)

    def _ring(self, first: int, span: Span) -> Iterator[Related]:
        """The other includes of a ring of files."""
        frames = [frame for frame, _ in self._stack[first:]]
        for frame, after in pairwise(frames):
            unit = frame.file.units[frame.position - 1]
            for include in unit.lowered.includes:
                if self._loader.included(frame.name, include.path) == after.name:
                    there = place_in(frame.name, frame.file.source, include.span.moved(unit.chunk.start))
                    yield Related(f"`{shown(after.name)}` is included here", span, there)
                    break


def _way(names: list[str]) -> str:
    """How a ring of files goes on after the first, for a person."""
    if not names:
        return ""
    return f" by way of {', '.join(f'`{shown(name)}`' for name in names)}"


def place_in(name: str, source: Source, span: Span) -> There:
    """A place in a file, as far as it stands on one line."""
    place = source.place(span.start)
    start, end = source.line_span(place.line)
    within = Span(span.start, max(span.start, min(span.end, end)))
    return There(name, within, place.line, source.text[start : span.start], source.text[within.start : within.end])


def doubts(modules: Sequence[list[InferenceUnit]], clouds: dict[str, str], semantics: Semantics) -> None:
    """Add to ``clouds``, names of the modules with the reason why nothing is known of them, and to the problems of
    their units."""
    found = [unit.lowered for module in modules for unit in module]
    if any(each.given for each in found):
        _tell_given(modules)
    found = [each for each in found if each.imported or each.changers or each.stores]
    importing, storing = any(each.imported for each in found), any(each.stores for each in found)
    changing = {name for each in found for name in each.changers}
    if importing:
        _cloud_imported(modules, clouds)
    if semantics.constants_change and (changing or storing):
        units = [unit for module in modules for unit in module]
        definers: dict[str, list[int]] = {}
        for index, unit in enumerate(units):
            for definition in unit.lowered.definitions:
                definers.setdefault(definition.name, []).append(index)
        changing -= definers.keys()
        if changing or storing:
            _cloud_changed(units, definers, changing, clouds)


def _tell_given(modules: Sequence[list[InferenceUnit]]) -> None:
    """A function whose name is given a value that is not followed, too."""
    for module in modules:
        methods = {each.name for unit in module for each in unit.lowered.definitions if isinstance(each, Method)}
        for index, unit in enumerate(module):
            found = [TwoStyles.at(span, name=name) for name, span in unit.lowered.given if name in methods]
            if found:
                module[index] = unit._replace(problems=(*unit.problems, *found))


def _cloud_imported(modules: Sequence[list[InferenceUnit]], clouds: dict[str, str]) -> None:
    """A name that a module imports and defines, too: methods of both may run, or the definition is an error."""
    for module in modules:
        defined = {definition.name for unit in module for definition in unit.lowered.definitions}
        for index, unit in [each for each in enumerate(module) if each[1].lowered.imported]:
            both = [each for each in unit.lowered.imported if each.name in defined]
            clouds |= {each.name: f"it is imported from `{each.module}`, too" for each in both}
            if both:
                found = (ImportedAndDefined.at(each.span, name=each.name, module=each.module) for each in both)
                module[index] = unit._replace(problems=(*unit.problems, *found))


def _cloud_changed(
    units: list[InferenceUnit], definers: dict[str, list[int]], changing: set[str], clouds: dict[str, str]
) -> None:
    """Containers that may be reached by what changes one in place: a function that may do so by its name, of which
    nothing else is known, or one that changes entries of an array that is not its own. It may be given what whoever
    calls it, or calls who calls it, can reach."""
    mentioned: dict[str, list[int]] = {}
    for index, unit in enumerate(units):
        for name in unit.lowered.mentions:
            if name in definers:
                mentioned.setdefault(name, []).append(index)
    defined = [tuple(each.name for each in unit.lowered.definitions) for unit in units]
    storing = {index for index, unit in enumerate(units) if unit.lowered.stores}
    start = storing | {index for index, unit in enumerate(units) if not changing.isdisjoint(unit.lowered.mentions)}
    fixed = _fixed(units, definers)
    by = min(changing.union(*(defined[index] for index in storing)), default="a statement")
    callers = _closed(start, lambda at: (other for name in defined[at] for other in mentioned.get(name, ())))
    reached = _closed(
        callers, lambda at: (other for name in units[at].lowered.mentions for other in definers.get(name, ()))
    )
    for index in sorted(reached):
        for definition in units[index].lowered.definitions:
            if isinstance(definition, Constant) and definition.name not in fixed:
                clouds.setdefault(definition.name, f"`{by}` may change it in place")


def _closed(start: set[int], following: Callable[[int], Iterable[int]]) -> set[int]:
    """All that can be reached from some places."""
    found, pending = set(start), list(start)
    while pending:
        new = set(following(pending.pop())) - found
        found |= new
        pending += new
    return found


def _fixed(units: Sequence[InferenceUnit], definers: Mapping[str, Sequence[int]]) -> set[str]:
    """The names of values that are made of numbers alone, and of such names: nobody can change them."""
    found: set[str] = set()

    def means_numbers(name: str) -> bool:
        definitions = [each for at in definers[name] for each in units[at].lowered.definitions if each.name == name]
        return all(isinstance(each, Constant) and _is_fixed(each, found) for each in definitions)

    while new := {name for name in definers.keys() - found if means_numbers(name)}:
        found |= new
    return found


def _is_fixed(definition: Constant, names: Container[str]) -> bool:
    """Whether a value is made of numbers alone, and of these names."""
    body = definition.term
    parts = term.within((*(bind.term for bind in body.binds), body.result))
    return all(
        isinstance(part, term.Literal | term.MakeTuple)
        or (isinstance(part, term.Global) and part.name in names)
        or _is_sum(part)
        for part in parts
    )


def _is_sum(part: term.Term) -> bool:
    return isinstance(part, term.Call) and is_operator(part.builtin) and part.builtin not in _MAKING


_MAKING = frozenset({builtins.LITERAL, builtins.RANGE})


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
        (apart,) = doubts_of_others([units], clouds, self._language)
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
