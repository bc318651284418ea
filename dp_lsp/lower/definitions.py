"""Top level: what a chunk defines, imports and may do unseen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from dp_lsp import surface
from dp_lsp.core.term import Constant, Definition, Method
from dp_lsp.lower import problems
from dp_lsp.lower.effects import Known, effects
from dp_lsp.lower.facts import (
    EVERYTHING,
    assigned_names,
    described,
    is_reserved,
    names_below,
    only_binds,
    opaque_below,
    refused_target,
    runs_other_text,
)
from dp_lsp.lower.functions import Functions, Written
from dp_lsp.lower.instead import instead_of
from dp_lsp.problem import Problem
from dp_lsp.text import Span

_KNOWN_MODULES = frozenset({"DiffPrivacyInference", "Random", "LinearAlgebra", "Statistics", "Printf", "Dates"})


class Include(NamedTuple):
    """``include("path")`` at top level, and where it stands."""

    path: str
    span: Span


class Lowered(NamedTuple):
    """A chunk after lowering. ``clouded`` are top-level names whose meaning cannot be read off, with the place and
    the reason, :data:`EVERYTHING` among them. ``marks`` are the first and last lines of modules. ``cautious`` says that
    a change was refused, which may be fine if more is known of the functions that are called."""

    definitions: tuple[Definition, ...]
    problems: tuple[Problem, ...]
    clouded: tuple[tuple[str, Span, str], ...]
    marks: tuple[surface.ModuleMark, ...]
    includes: tuple[Include, ...] = ()
    cautious: bool = False


def lower(parsed: surface.Parsed, text: str, known: Known) -> Lowered:
    """The definitions of a chunk, in order, with the problems met on the way (those of the parser not among them).
    ``known`` is what is known of the functions of other chunks."""
    return _TopLevel(text, known).lower(parsed)


class _TopLevel:
    def __init__(self, text: str, known: Known) -> None:
        self._text = text
        self._elsewhere = known
        self._known = dict(known)
        self._methods: dict[str, list[Method]] = {}
        self._problems: list[Problem] = []
        self._definitions: list[Definition] = []
        self._clouded: list[tuple[str, Span, str]] = []
        self._includes: list[Include] = []

    def lower(self, parsed: surface.Parsed) -> Lowered:
        for node in parsed.nodes:
            self._node(node)
        marks = tuple(node for node in parsed.nodes if isinstance(node, surface.ModuleMark))
        definitions, found = tuple(self._definitions), tuple(self._problems)
        cautious = any(problem.code in problems.OF_SHARING for problem in found)
        return Lowered(definitions, found, tuple(self._clouded), marks, tuple(self._includes), cautious)

    def _node(self, node: surface.Node) -> None:
        match node:
            case surface.Function():
                self._add(self._function(node))
            case surface.Assign(target=surface.Name() as target, operator=None):
                self._add(self._assigned(node, target))
            case surface.Import():
                self._import(node)
            case surface.Call(callee=surface.Name(name=name)) if name == surface.INCLUDE:
                self._include(node)
            case surface.ModuleMark() | surface.Text() | surface.Export():
                pass
            case surface.Opaque(broken=True):
                self._cloud(node, "a syntax error")
            case surface.Opaque():
                self._refuse(node, node.what)
            case surface.Number() | surface.Boolean() | surface.Name():
                pass
            case surface.Assign():
                self._refuse_assignment(node)
            case _:
                self._refuse(node, _acts(node))

    def _function(self, node: surface.Function) -> Method:
        name = node.name.name
        self._check_meaning(node.name)
        function = self._lowering(name)
        if not isinstance(node.body, surface.Block):
            return function.black_box(node, node.body.mentions)
        self._cloud_unseen(node, name)
        return function.method(Written.of(node, node.body))

    def _assigned(self, node: surface.Assign, target: surface.Name) -> Definition:
        self._check_meaning(target)
        function = self._lowering(target.name)
        if isinstance(node.value, surface.Lambda):
            self._cloud_unseen(node, target.name)
            method = function.method(Written.assigned(target, node.value))
            return replace(method, span=node.span, assigned=True)
        value = function.constant(node.value)
        for opaque in opaque_below(node.value):
            self._cloud(opaque, opaque.what)
        if runs_other_text(node.value):
            self._clouded.append((EVERYTHING, node.span, f"`{target.name}` may give it another meaning"))
        return Constant(target.name, node.span, target.span, value, frozenset(function.uses))

    def _lowering(self, name: str) -> Functions:
        return Functions(f"`{name}`", self._text, self._problems, self._known)

    def _add(self, definition: Definition) -> None:
        """A definition; those after it know what a call of it does."""
        self._definitions.append(definition)
        if isinstance(definition, Method):
            methods = self._methods.setdefault(definition.name, [])
            methods.append(definition)
            known = effects(methods)
            if known is not None:
                self._known[definition.name] = known.joined(self._elsewhere.get(definition.name))

    def _refuse_assignment(self, node: surface.Assign) -> None:
        """An assignment that is refused: what it binds is not known, and nothing else if it only binds names."""
        names = assigned_names(node.target)
        what = refused_target(node.target) if names is None else "this assignment at top level"
        self._refuse(node, what, names_below(node.target) if only_binds(node.target) else (EVERYTHING,))
        for opaque in opaque_below(node.value):
            self._cloud(opaque, opaque.what)

    def _include(self, node: surface.Call) -> None:
        match node.args:
            case (surface.Text(value=path) as text,) if (
                not node.keywords and "\\" not in self._text[text.start : text.end]
            ):
                self._includes.append(Include(path, node.span))
            case _:
                self._problems.append(problems.IncludeNotLiteral.at(node.span))
                self._clouded.append((EVERYTHING, node.span, "an `include` whose path is not written out"))

    def _import(self, node: surface.Import) -> None:
        if node.brings_names and not all(module.split(".")[0] in _KNOWN_MODULES for module in node.modules):
            modules = ", ".join(node.modules)
            self._clouded.append((EVERYTHING, node.span, f"`using {modules}` may define any name"))
            own = any(module.startswith(".") for module in node.modules)
            instead = "include its file without the `module` around it" if own else f"write `import {modules}`"
            self._problems.append(problems.OpenImport.at(node.span, modules=modules, instead=instead))

    def _check_meaning(self, node: surface.Name) -> None:
        """A definition of a name of the language: every use of it in the file means something else from then on."""
        if is_reserved(node.name):
            self._problems.append(problems.BuiltinRedefined.at(node.span, name=node.name))
            self._clouded.append((EVERYTHING, node.span, f"`{node.name}` gets another meaning"))

    def _cloud_unseen(self, node: surface.Node, name: str) -> None:
        """What a function may define around it when it runs: a ``global`` reaches out of it, other text anywhere."""
        found = (opaque.mentions if opaque.binds is None else opaque.binds for opaque in opaque_below(node))
        names = {EVERYTHING} if runs_other_text(node) else frozenset[str]().union(*found)
        self._clouded += [(other, node.span, f"`{name}` may give it another meaning") for other in sorted(names)]

    def _cloud(self, node: surface.Opaque, what: str) -> None:
        names = node.binds
        if names is None:
            names = node.mentions if node.broken else frozenset({EVERYTHING})
        if any(map(is_reserved, names)) and not node.broken:
            names = frozenset({EVERYTHING})
        self._clouded += [(name, node.span, what) for name in sorted(names)]

    def _refuse(self, node: surface.Node, what: str, names: Iterable[str] = (EVERYTHING,)) -> None:
        text, hint = what[0].upper() + what[1:], instead_of(what, self._text[node.span.start : node.span.end])
        self._problems.append(problems.Unsupported.at(node.span, what=text, where="what it may define", hint=hint))
        if isinstance(node, surface.Opaque):
            self._cloud(node, what)
        else:
            names = {EVERYTHING} if runs_other_text(node) or any(map(is_reserved, names)) else names
            self._clouded += [(name, node.span, what) for name in sorted(names)]


def _acts(node: surface.Node) -> str:
    match node:
        case surface.If() | surface.For():
            return "an `if` or a loop at top level"
        case surface.Call(callee=surface.Opaque(what=surface.SEEDING)):
            return surface.SEEDING
        case surface.Call():
            return "a call at top level"
    return described(node)
