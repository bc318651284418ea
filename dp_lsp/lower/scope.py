"""The names of one function body: their versions so far, and those of the functions around it.

Structures of named numbers: a type by the names and types of its parts is a tuple whose items have these names, and
calling it makes one.

Julia gives such a type a constructor that converts what it is given to the types of the parts (Julia manual,
"Constructors", "Outer-only constructors": ``new(convert(T, x), …)``). So the constructor is a method whose body makes
the tuple, each item converted as what a function declares to return is. Of a part that is a whole number it must be
given one: what is none makes the run fail.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import takewhile

from dp_lsp import builtins, surface
from dp_lsp.core import term
from dp_lsp.core.annotation import Annotation, Anything, NumberOf, Truth, TupleOf
from dp_lsp.core.term import Body, Hole, Local, Method, Term
from dp_lsp.core.types import Base, Label
from dp_lsp.hopeless import CannotBeProved
from dp_lsp.intents import Intent, Rendering
from dp_lsp.language import Builtins, Language, RefusedType
from dp_lsp.lower import problems
from dp_lsp.lower.facts import UNUSED, Survey, builtin, is_everyday, is_reserved
from dp_lsp.lower.ownership import NOWHERE, OUTSIDE, Aliasing, Holding, Known, Memory, Ownership
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Fix, Problem, Related
from dp_lsp.text import Span


def structure(node: surface.Structure, language: Language) -> TupleOf | None:
    """What a definition of a type by its parts is; None if these are not all numbers or truth values."""
    names = tuple(field.name for field in node.fields)
    parts = list[Annotation]()
    for field in node.fields:
        try:
            part, static = language.annotations.parameter(field.annotation)
        except RefusedType:
            return None
        whole_numbers = isinstance(part, NumberOf) and part.base is not Base.DATA
        if static or not (whole_numbers or isinstance(part, Truth)):
            return None
        parts.append(part)
    defaults = any(field.default is not None for field in node.fields)
    if len(set(names)) < len(names) or (defaults and not node.by_name):
        return None
    return TupleOf(tuple(parts), Label(names, node.name), node.by_name)


def constructor(node: surface.Structure, made: TupleOf, language: Language) -> Method:
    """The function that makes one of its parts."""
    params = tuple(_param(field, part, node.by_name) for field, part in zip(node.fields, made.items, strict=True))
    given = (term.Use(param.span, param.local) for param in params)
    items = tuple(converted(value, part, language.builtins) for value, part in zip(given, made.items, strict=True))
    signature = tuple("Any" for _ in params)
    body = Body((), term.MakeTuple(node.span, items, made.label))
    return Method(node.name, node.span, node.span, node.span, params, signature, Anything(), False, body, frozenset())


def _param(field: surface.Parameter, part: Annotation, by_name: bool) -> term.Param:
    """The parameter for a part. Numbers of any type are converted to that of the part."""
    taken = NumberOf(part.base) if isinstance(part, NumberOf) else part
    default = None
    if isinstance(field.default, surface.Number):
        default = term.Literal(field.default.span, field.default.value, field.default.integer)
    return term.Param(Local(field.name, field.span), taken, False, field.span, default=default, by_name=by_name)


def converted(value: term.Term, part: Annotation, code: Builtins) -> term.Term:
    """What a part is given, as a value of its type."""
    if not isinstance(part, NumberOf) or not part.stored:
        return value
    row = code.conversion(part.stored)
    return value if row is None else term.Call(value.span, row, (value,), value.span)


class NoValue(NamedTuple):
    """A name that has no value here, and why; the problem has been found."""

    problem: Problem


class LoweringUnit:
    """The text that is lowered, of a ``language``, and what is found on the way. ``where`` says to a person what it is,
    ``known`` is what is known of top-level functions, ``structures`` are those of the program, ``uses`` are the
    top-level names that are read, ``ranged`` the parameters of functions that are given the numbers of a range. It
    ``is_private`` once a function in it is declared so. ``fills`` says that it may change entries of an array."""

    def __init__(
        self,
        where: str,
        text: str,
        problems: list[Problem],
        known: Known,
        language: Language,
        structures: Mapping[str, Annotation],
        fills: bool,
    ) -> None:
        self.structures = structures
        self.fills = fills
        self.text = text
        self.language = language
        self.known = known
        self.uses: set[str] = set()
        self.ranged: set[surface.Node] = set()
        self.is_private = False
        self._where = where
        self._problems = problems

    def report(self, problem: Problem) -> None:
        """Something is wrong."""
        self._problems.append(problem)

    @property
    def code(self) -> Rendering:
        """How the language writes what problems speak of."""
        return self.language.rendering

    def fixes(self, intent: Intent) -> tuple[Fix, ...]:
        """The repairs that do what is intended, as the language writes them."""
        return tuple(self.code.fixes(intent, self.text))

    def refuse(self, span: Span, what: str) -> None:
        """Report a construct that is not part of the language; ``what`` names it within a sentence."""
        hopeless = self.language.vocabulary.hopeless.get(what)
        if hopeless is not None and self.is_private:
            text = self.text[slice(*span)]
            written, of = self.language.vocabulary.told(what, text)
            self.report(CannotBeProved.told(hopeless, span, self._where, written, of, text))
            return
        text, written = what[0].upper() + what[1:], self.text[span.start : span.end]
        hint = self.code.instead(what, written)
        self.report(problems.Unsupported.at(span, what=text, where=self._where, hint=hint))

    def refused(self, node: surface.Node, what: str) -> Term:
        """The term of a construct that is not part of the language, which is reported."""
        self.refuse(node.span, what)
        return Hole(node.span, what)

    def check_meaning(self, name: str, span: Span) -> None:
        """A name of the language must not get another meaning, unless it is one that people use for variables."""
        if is_reserved(name, self.language) and not is_everyday(name, self.language):
            self.report(problems.BuiltinRedefined.at(span, name=name))


class BodyScope:
    """What the names of a body stand for, at the place that is being lowered.

    ``now`` are the versions of names; ``lost`` says of names that only some ways through the code give a value where
    they do; ``fixed`` are parameters and the indices of loops, ``each`` the variables of the comprehensions around,
    which nothing else is about, and ``counting`` those of the loops around that count, which change behind all that a
    round does; ``numbers`` are versions that are certainly numbers; ``captured`` are the names of outer functions that
    are read here, and ``boxed`` those of them that get more than one value. A function that is called ``at_once`` finds
    all around it as it was when it was made. ``fillable`` are the names whose vectors may be changed in place;
    ``making`` is the function of this scope whose methods are being lowered.
    """

    def __init__(self, outer: BodyScope | None, known: Known, language: Language) -> None:
        self._language = language
        self.outer = outer
        self._known = known
        self.now: dict[str, Local] = {}
        self.lost: dict[str, str] = {}
        self.fixed: set[str] = set()
        self.each: frozenset[str] = frozenset()
        self.counting: frozenset[str] = frozenset()
        self.numbers: set[Local] = set()
        self.captured: set[str] = set()
        self.boxed: set[str] = set()
        self.at_once = False
        self.fillable: frozenset[str] = frozenset()
        self.making = ""
        self.places: dict[Local, set[Local]] = {}
        """Numbers of the rounds of loops that are positions of vectors."""
        self.ownership = Ownership()
        self.survey = Survey(surface.Block(0, 0, ()), known, language)
        self.effects: dict[Local, Aliasing] = {} if outer is None else outer.effects
        """What calls of the functions made in this body, or around it, do."""

    def has(self, name: str) -> bool:
        """Whether a name is local here, or to a function around this one."""
        return self.owner(name) is not None

    def owns(self, name: str) -> bool:
        """Whether a name is local to this very body: what is assigned anywhere in it is local everywhere in it."""
        return name in self.now or name in self.lost or name in self.survey.defined

    def owner(self, name: str) -> BodyScope | None:
        """The innermost scope that a name is local to."""
        scope: BodyScope | None = self
        while scope is not None and not scope.owns(name):
            scope = scope.outer
        return scope

    def _outwards(self) -> Iterator[BodyScope]:
        scope: BodyScope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def read(self, node: surface.Name) -> Local | NoValue | None:
        """What a name stands for here; None for one that is local nowhere."""
        owner = self.owner(node.name)
        if owner is None:
            return None
        between = list(takewhile(lambda scope: scope is not owner, self._outwards()))
        found = owner._version_of(node, inside=not all(scope.at_once for scope in between))
        if isinstance(found, Local):
            boxed = bool(between) and self._language.semantics.types_are_inferred and owner._changes(node.name)
            for scope in between:
                scope.captured.add(node.name)
                if boxed:
                    scope.boxed.add(node.name)
        return found

    def _changes(self, name: str) -> bool:
        """Whether a name of this body gets more than one value; what each round of a comprehension has is its own."""
        return name not in self.each and len(list(self.survey.known_writes(name))) + (name in self.fixed) > 1

    def _version_of(self, node: surface.Name, inside: bool) -> Local | NoValue:
        name = node.name
        local = self.now.get(name)
        if local is not None and not inside:
            return local
        if local is not None and (name in self.each or name in self.counting):
            return local
        writes = list(self.survey.known_writes(name))
        if inside and name == self.making:
            return NoValue(problems.CallCycle.at(node.span, name=name, way="directly"))
        if local is None:
            if name not in self.lost and all(write.end > node.start for write in writes):
                related = (Related(f"`{name}` is {writes[0].how.value} here", writes[0].span),)
                return NoValue(problems.UsedBeforeDefined.at(node.span, name=name, related=related))
            where = self.lost.get(name, "another part of the function")
            return NoValue(problems.MaybeUndefined.at(node.span, name=name, where=where))
        if inside and self._changes(name):
            related = (Related(f"`{name}` is {writes[-1].how.value} again here", writes[-1].span),)
            return NoValue(problems.CapturedVariable.at(node.span, name=name, related=related))
        return local

    def is_number(self, name: str) -> bool:
        """Whether a name stands for a number that a function made here may read: it has one value, or is a variable of
        a comprehension around."""
        owner = self.owner(name)
        if owner is None or owner.now.get(name) not in owner.numbers:
            return False
        return not owner._changes(name)

    def lose(self, name: str, why: str) -> None:
        """A name that has no value here, or not that which it had."""
        self.now.pop(name, None)
        self.lost[name] = why

    def memory(self, name: str) -> Memory:
        """What may be changed in place that a name reaches. A name of a function around this one reaches what is not
        ours; top-level values cannot be changed."""
        if self.owns(name):
            return self.ownership.of(name).memory
        return OUTSIDE if self.has(name) else NOWHERE

    def captured_memory(self) -> Memory:
        """What the function of this scope may reach of the one around it."""
        assert self.outer is not None, "only a function inside another captures"
        return NOWHERE.union(*(self.outer.memory(name) for name in self.captured))

    def version(self, name: str, span: Span, holding: Holding) -> Local:
        """A new version of a name."""
        local = Local(name, span)
        if name != UNUSED:
            self.now[name] = local
            self.lost.pop(name, None)
            self.ownership.bind(name, holding)
        return local

    def is_there(self, node: surface.Index) -> bool:
        """Whether an entry is sure to be there: at the number of a round of a loop over all positions."""
        match node:
            case surface.Index(value=surface.Name() as vector, indices=(surface.Name() as place,)):
                at, of = self.read(place), self.read(vector)
                return isinstance(at, Local) and of in self.places.get(at, ())
        return False

    def kept_places(self, before: Local, after: Local) -> None:
        """A vector has the positions that another one had."""
        for vectors in self.places.values():
            if before in vectors:
                vectors.add(after)

    def effects_of(self, callee: surface.Node) -> Aliasing | None:
        """What is known of a call of a function of the program; None if that is nothing."""
        if not isinstance(callee, surface.Name):
            return None
        owner = self.owner(callee.name)
        if owner is None:
            return self._known.get(callee.name)
        local = owner.now.get(callee.name)
        return None if local is None else self.effects.get(local)

    def builtin_of(self, callee: surface.Node) -> builtins.Builtin | None:
        """The builtin that a call is one of; None for a function of the program."""
        if not isinstance(callee, surface.Name) or self.has(callee.name):
            return None
        found = builtin(callee.name, self._language.builtins)
        return None if found is None else found.row
