"""Top level: what a chunk defines, imports and may do unseen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dp_lsp import surface
from dp_lsp.builtins import replaceable
from dp_lsp.core.annotation import TupleOf
from dp_lsp.core.term import Constant, Definition, Method
from dp_lsp.core.values import replace
from dp_lsp.language import Familiar, Language
from dp_lsp.lower import problems
from dp_lsp.lower.facts import (
    EVERYTHING,
    UNUSED,
    assigned_names,
    described,
    functions_below,
    is_reserved,
    leaves,
    only_binds,
    refused_target,
    summary,
    unread_below,
)
from dp_lsp.lower.filling import may_change, may_store
from dp_lsp.lower.functions import Functions, Written
from dp_lsp.lower.ownership import Aliasing, Known, aliasing
from dp_lsp.lower.scope import LoweringUnit, constructor, structure
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.text import Span

_KNOWN_ACTS = (Familiar.FAILS, Familiar.SHOWS, Familiar.SHOWS_AND_GIVES, Familiar.STREAM)
"""What functions do of which that is known, though they are no builtins."""


class Include(NamedTuple):
    """``include("path")`` at top level, and where it stands. It ``may`` run, or not."""

    path: str
    span: Span
    may: bool = False


class Imported(NamedTuple):
    """A name that an import brings from a module, and where that stands. It ``extends`` what it brings if methods may
    be added to that."""

    name: str
    module: str
    span: Span
    extends: bool = False


class Opened(NamedTuple):
    """A module whose exported names an import brings, and where that stands. It ``may`` do so, or not."""

    module: str
    span: Span
    may: bool = False


class Addition(NamedTuple):
    """A method that is added to a function which the language may call, whether the program names that or not, or one
    of the program that is not understood, and so ``hidden``. It is called for no value of the language if one of the
    ``types`` that an argument must have is a type that the program defines. One that is not ``qualified`` belongs to
    the function of a module if that was imported: else to another one."""

    name: str
    qualified: bool
    types: frozenset[str]
    span: Span
    reason: str
    hidden: bool = False


class Lowered(NamedTuple):
    """A chunk after lowering. ``clouded`` are top-level names whose meaning cannot be read off, with the place and
    the reason, :data:`EVERYTHING` among them; ``imported`` are those that are so only if the project defines them, too,
    ``mentions`` are all names in its definitions, those of fields included, and ``changers`` those of them that no
    builtin has and that may be a function's that changes what it is given. ``stores`` says that a definition may change
    entries of an array that others hold. ``marks`` are the first and last lines of modules. ``cautious`` says that a
    change was refused, which may be fine if more is known of the functions that are called. ``opened`` are the modules
    whose names are all brought, ``additions`` the methods that are added to functions of the language, and ``types``
    the names of the types that are defined, of which ``structures`` are those whose parts are known. ``loads`` are
    the modules that it loads, and ``given`` the names that get values which are not followed, each with its place.
    ``early`` are the names that are read while it is evaluated, and not where its functions are called; those of them
    that definitions are ``built`` of stand apart."""

    definitions: tuple[Definition, ...]
    problems: tuple[Problem, ...]
    clouded: tuple[tuple[str, Span, str], ...]
    marks: tuple[surface.ModuleMark, ...]
    includes: tuple[Include, ...] = ()
    cautious: bool = False
    imported: tuple[Imported, ...] = ()
    mentions: frozenset[str] = frozenset()
    changers: frozenset[str] = frozenset()
    stores: bool = False
    opened: tuple[Opened, ...] = ()
    additions: tuple[Addition, ...] = ()
    types: frozenset[str] = frozenset()
    structures: tuple[tuple[str, TupleOf], ...] = ()
    loads: tuple[surface.Load, ...] = ()
    given: tuple[tuple[str, Span], ...] = ()
    built: frozenset[str] = frozenset()
    early: frozenset[str] = frozenset()


def lower(parsed: surface.Parsed, text: str, known: Mapping[str, Aliasing | TupleOf], language: Language) -> Lowered:
    """The definitions of a chunk, in order, with the problems met on the way (those of the parser not among them).
    ``known`` is what is known of the functions and the structures of other chunks."""
    functions = {name: each for name, each in known.items() if isinstance(each, Aliasing)}
    structures = {name: each for name, each in known.items() if isinstance(each, TupleOf)}
    return _TopLevel(text, functions, structures, language).lower(parsed)


class _TopLevel:
    def __init__(self, text: str, known: Known, structures: Mapping[str, TupleOf], language: Language) -> None:
        self._structures_known = structures
        self._structures: list[tuple[str, TupleOf]] = []
        self._text = text
        self._language = language
        self._vocabulary = language.vocabulary
        self._elsewhere = known
        self._known = dict(known)
        self._methods: dict[str, list[Method]] = {}
        self._problems: list[Problem] = []
        self._definitions: list[Definition] = []
        self._clouded: list[tuple[str, Span, str]] = []
        self._includes: list[Include] = []
        self._imported: list[Imported] = []
        self._opened: list[Opened] = []
        self._additions: list[Addition] = []
        self._types: set[str] = set()
        self._mentions: set[str] = set()
        self._given: list[tuple[str, Span]] = []
        self._built: set[str] = set()
        self._early: set[str] = set()
        self._fills = False  # whether the statement that is lowered may change entries of an array

    def lower(self, parsed: surface.Parsed) -> Lowered:
        stores = False
        for node in parsed.nodes:
            self._fills = may_change(node, self._language)
            stores = stores or (self._fills and may_store(node, self._language))
            self._node(node)
            if parsed.problems:  # where a function ends may be a guess, so what is inside may be meant to be outside
                inner = ((each.name.name, each.span) for each in functions_below(node))
                meant = ((name, each.span) for each in unread_below(node) for name in sorted(each.defines))
                self._clouded += ((name, span, "a syntax error around it") for name, span in (*inner, *meant))
        marks = tuple(node for node in parsed.nodes if isinstance(node, surface.ModuleMark))
        definitions, found = tuple(self._definitions), tuple(self._problems)
        cautious = any(problem.code in problems.OF_SHARING for problem in found)
        includes, imported = tuple(self._includes), tuple(self._imported)
        mentions = frozenset(self._mentions)
        changes = self._language.semantics.may_change
        changers = frozenset(name for name in mentions if changes(name) and self._language.builtins.find(name) is None)
        clouded = tuple(self._clouded)
        opened, additions, types = tuple(self._opened), tuple(self._additions), frozenset(self._types)
        return Lowered(
            *(definitions, found, clouded, marks, includes, cautious, imported, mentions, changers, stores),
            *(opened, additions, types, tuple(self._structures), parsed.loads),
            *(tuple(self._given), frozenset(self._built), frozenset(self._early)),
        )

    def _node(self, node: surface.Node) -> None:
        if self._language.semantics.names_move and not isinstance(node, surface.Function):
            self._early |= summary(node, self._vocabulary).mentions
        match node:
            case surface.Function():
                self._built |= node.early
                self._early |= node.early
                self._add(self._function(node))
            case surface.Assign(target=surface.Name() as target, operator=None):
                definition = self._assigned(node, target)
                if target.name != UNUSED:
                    self._add(definition)
            case surface.Import():
                self._import(node)
            case surface.Call(callee=surface.Name(name=name)) if name == self._vocabulary.includes:
                self._include(node)
            case surface.ModuleMark(name=str() as name):
                self._check_meaning(surface.Name(node.start, node.end, name))
                self._cloud(node, surface.Summary(outside=frozenset((name,))), f"`module {name}`")
            case surface.ModuleMark() | surface.Text() | surface.Export() | surface.Shown():
                pass
            case surface.Opaque(what=surface.STRING, summary=does) if does.is_harmless:
                self._mentions |= does.mentions | does.members
            case surface.Opaque(broken=True):
                self._cloud(node, node.summary, "a syntax error")
                defined = node.name if isinstance(node, surface.Unread) else None
                if defined is not None and not is_reserved(defined.name, self._language):
                    self._add(self._unread(node, defined))
            case surface.Structure() if (made := structure(node, self._language)) is not None:
                self._structure(node, made)
            case surface.Unfollowed(what=what, summary=does) if not any(
                is_reserved(name, self._language) for name in does.binds
            ):
                self._cloud(node, does, what)
                self._given += ((name, node.span) for name in sorted(does.binds))
            case surface.TypeDefinition(name=name):
                self._types.add(name)
                self._act(node)
            case surface.Number() | surface.Boolean() | surface.Name():
                pass
            case surface.Assign():
                self._refuse_assignment(node)
            case _:
                self._act(node)

    def _function(self, node: surface.Function) -> Method:
        name = node.name.name
        if is_reserved(name, self._language) or name in self._vocabulary.unasked:
            types = self._language.annotations.needed(node.params)
            self._additions.append(Addition(name, False, types, node.name.span, f"`{name}` gets another meaning"))
        function = Functions(self._unit(f"`{name}`"))
        does = summary(node, self._vocabulary)
        does = does._replace(binds=does.binds - {name})
        if isinstance(node.body, surface.Opaque):
            does = does._replace(anything="")  # a black box is taken at its word: what it runs stays inside
        self._cloud(node, does, f"`{name}` may give it another meaning")
        if isinstance(node.body, surface.Opaque):
            return function.black_box(node, node.body.summary.mentions)
        return function.method(Written.of(node, node.body))

    def _structure(self, node: surface.Structure, made: TupleOf) -> None:
        """A type by the names and types of its parts, which is made of as many values."""
        name = surface.Name(node.start, node.end, node.name)
        self._check_meaning(name)
        self._types.add(node.name)
        self._structures.append((node.name, made))
        self._cloud(node, node.summary._replace(binds=frozenset()), f"`{node.name}` may give it another meaning")
        self._add(constructor(node, made, self._language))

    def _unread(self, node: surface.Opaque, name: surface.Name) -> Method:
        """A function of which nothing is known but that there is one."""
        body = surface.Block(node.start, node.end, (node,))
        written = Written(name.name, node.span, name.span, node.span, (), None, body)
        return replace(Functions(self._unit(f"`{written.name}`")).method(written), signature=("…",))

    def _assigned(self, node: surface.Assign, target: surface.Name) -> Definition:
        self._check_meaning(target)
        unit = self._unit(f"`{target.name}`")
        self._cloud(node, summary(node.value, self._vocabulary), f"`{target.name}` may give it another meaning")
        rebindable = self._language.semantics.types_are_inferred and not node.constant
        if isinstance(node.value, surface.Lambda):
            method = Functions(unit).method(Written.assigned(target, node.value))
            return replace(method, span=node.span, assigned=True, rebindable=rebindable)
        value = Functions(unit).constant(node.value)
        self._built |= unit.uses
        return Constant(target.name, node.span, target.span, value, frozenset(unit.uses), rebindable)

    def _unit(self, where: str) -> LoweringUnit:
        around = self._known, self._language, self._structures_known
        return LoweringUnit(where, self._text, self._problems, *around, self._fills)

    def _add(self, definition: Definition) -> None:
        """A definition; those after it know what a call of it does."""
        self._definitions.append(definition)
        if isinstance(definition, Method):
            methods = self._methods.setdefault(definition.name, [])
            methods.append(definition)
            known = aliasing(methods)
            if known is not None:
                self._known[definition.name] = known.joined(self._elsewhere.get(definition.name))

    def _act(self, node: surface.Node) -> None:
        """A statement that is evaluated while the file is loaded, and whose value nobody uses. It may do what functions
        may that it calls, which is said where these stand; here it counts which names it gives another meaning. If
        there are none it is none of ours."""
        followed = frozenset(self._followed(node))
        what, does = _acts(node), summary(node, self._vocabulary, followed)
        if leaves(node):
            self._refuse(node, what)
        elif does.is_harmless:
            self._cloud(node, does, what)
        else:
            self._refuse(node, what, summed_up=True)

    def _followed(self, node: surface.Node) -> Iterator[surface.Node]:
        """Where a statement may include a file, or bring names, depending on a condition: what that may do is known."""
        if not isinstance(node, surface.If):
            return
        pending: list[surface.Node] = [node]
        while pending:
            item = pending.pop()
            match item:
                case surface.If():
                    pending += [item.then, *([] if item.otherwise is None else [item.otherwise])]
                case surface.Block(statements=statements):
                    pending += statements
                case surface.Import(opened=()):
                    self._import(item)
                    yield item
                case surface.Call(
                    callee=surface.Name(name=name), args=(surface.Text(value=path) as text,), keywords=()
                ):
                    if name == self._vocabulary.includes and "\\" not in self._text[text.start : text.end]:
                        self._includes.append(Include(path, item.span, may=True))
                        yield item

    def _refuse_assignment(self, node: surface.Assign) -> None:
        """An assignment that is refused: what it binds is not known, and nothing else if it only binds names."""
        names = assigned_names(node.target)
        what = refused_target(node.target) if names is None else "this assignment at top level"
        self._refuse(node, what, only_binds(node.target))

    def _include(self, node: surface.Call) -> None:
        match node.args:
            case (surface.Text(value=path) as text,) if (
                not node.keywords and "\\" not in self._text[text.start : text.end]
            ):
                self._includes.append(Include(path, node.span))
            case _:
                file = f'"noise{self._language.suffixes[0]}"'
                including = self._language.rendering.call(self._vocabulary.includes, file)
                self._problems.append(problems.IncludeNotLiteral.at(node.span, including=including))
                self._clouded.append((EVERYTHING, node.span, "an `include` whose path is not written out"))

    def _import(self, node: surface.Import) -> None:
        self._opened += (Opened(module, node.span) for module in node.opened)
        for each in node.brought:
            self._bring(node, each)

    def _bring(self, node: surface.Import, name: surface.Brought) -> None:
        """A name that is written in an import. One of the language must stand for what it stood for before."""
        trusted = name.module in self._vocabulary.modules or name.module == self._vocabulary.homes.get(name.there)
        trusted = trusted and name.here == name.there
        may_change = self._language.semantics.may_change
        hides = may_change(name.there) and not may_change(name.here)
        if (is_reserved(name.here, self._language) and not trusted) or hides:
            self._problems.append(problems.BuiltinImported.at(node.span, name=name.here))
            self._clouded.append((EVERYTHING, node.span, f"`{name.here}` gets another meaning"))
        elif self._is_known(name.here) and not trusted:
            self._clouded.append((name.here, node.span, f"`{name.here}` gets another meaning"))
        extends = name.extends and name.here == name.there
        self._imported.append(Imported(name.here, name.module or name.there, node.span, extends))

    def _is_known(self, name: str) -> bool:
        """Whether it is known what a name stands for where the program does not say it."""
        language = self._language
        found = language.builtins.find(name)
        combines = any(name == function for function, _ in language.builtins.by_operator)
        acts = any(self._vocabulary.does(name, each) for each in _KNOWN_ACTS)
        return acts or combines or (found is not None and replaceable(found[0]) is not None)

    def _check_meaning(self, node: surface.Name) -> None:
        """A definition of a name of the language: every use of it in the file means something else from then on."""
        if is_reserved(node.name, self._language):
            self._problems.append(problems.BuiltinRedefined.at(node.span, name=node.name))
            self._clouded.append((EVERYTHING, node.span, f"`{node.name}` gets another meaning"))

    def _shows_all(self, does: surface.Summary) -> bool:
        """Whether there is a method in it by which the language shows more than values of a type of the program."""
        shows = not does.outside.isdisjoint(self._vocabulary.showing)
        return shows and not any(map(self._language.annotations.is_of_program, does.mentions))

    def _cloud(self, node: surface.Node, does: surface.Summary, what: str) -> None:
        """Of the names to which a node may give another meaning nothing is known."""
        names = does.binds | does.outside
        self._mentions |= does.mentions | does.members
        alone = isinstance(node, surface.Opaque) and len(does.methods) == 1
        for name, qualified, types in sorted(does.methods, key=lambda each: each.name):
            of_language = qualified or is_reserved(name, self._language) or name in self._vocabulary.unasked
            if of_language:
                reason = f"a method of `{name}` of another module" if qualified else f"`{name}` gets another meaning"
                self._additions.append(Addition(name, qualified, types, node.span, reason))
            elif types and alone:
                self._additions.append(Addition(name, False, types, node.span, what, hidden=True))
            if alone and not qualified and (types or of_language):  # nothing else here is of that name
                names -= {name} - does.outside
        if (
            does.anything
            or self._shows_all(does)
            or (any(is_reserved(name, self._language) for name in names) and not _is_broken(node))
        ):
            names = frozenset({EVERYTHING})
        self._clouded += [(name, node.span, what) for name in sorted(names)]

    def _refuse(self, node: surface.Node, what: str, summed_up: bool = False) -> None:
        """A statement that is not understood. If it is not ``summed_up`` by what can be read off it may do anything."""
        self._unit("what it may define").refuse(node.span, what)
        does = summary(node, self._vocabulary)
        if not summed_up:
            does = does._replace(anything=what)
        self._cloud(node, does, what)


def _is_broken(node: surface.Node) -> bool:
    return isinstance(node, surface.Opaque) and node.broken


def _acts(node: surface.Node) -> str:
    match node:
        case surface.If() | surface.For():
            return "an `if` or a loop at top level"
        case surface.Call(callee=surface.Opaque(what=surface.SEEDING)):
            return surface.SEEDING
        case surface.Call():
            return "a call at top level"
    return described(node)
