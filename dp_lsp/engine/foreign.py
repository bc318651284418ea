"""What modules of others, and methods that a program adds to their functions, leave in doubt.

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

from collections.abc import Collection, Iterable, Sequence, Set

from dp_lsp.engine.program import InferenceUnit
from dp_lsp.language import Language
from dp_lsp.lower.definitions import Addition, Imported, Lowered, Opened
from dp_lsp.lower.facts import EVERYTHING, is_reserved
from dp_lsp.lower.problems import BuiltinImported, BuiltinRedefined, OpenedModule, OpenImport
from dp_lsp.problem import Problem

Units = list[InferenceUnit]
Told = list[tuple[int, InferenceUnit]]
"""Those of the units of a module that say something of names besides what their definitions do, by their index."""


def doubts(modules: Sequence[Units], clouds: dict[str, str], language: Language) -> list[frozenset[str]]:
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
