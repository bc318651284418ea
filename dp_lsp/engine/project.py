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
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise

from dp_lsp import builtins
from dp_lsp.analysis.loading import Loader, SourceText, shown
from dp_lsp.analysis.records import MAIN
from dp_lsp.core import term
from dp_lsp.core.term import Constant, Method
from dp_lsp.engine.problems import IncludeCycle, IncludeUnreadable, TooManyIncludes, Unbalanced
from dp_lsp.engine.program import InferenceUnit, Program
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
from dp_lsp.surface import ModuleMark
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
        suspects = {word for word in suspects if homes.get(word) != each.module}
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
