"""The core calculus: what a program is after its front end and before inference.

Every assignment makes a new :class:`Local`, so a name's versions are different objects. Mutation is gone: ``f!(x)``
has become a new version of ``x``. Branches and loops name the locals they change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any, TypeVar

from dp_lsp.core.annotation import Annotation
from dp_lsp.core.machine import ANY, Declared
from dp_lsp.core.types import Label, Norm
from dp_lsp.core.values import replace, thing, undigested
from dp_lsp.text import Span

T = TypeVar("T")
_INSIDE = "where it is written inside a function is shown with that, and not where it is called"


class Local:
    """One version of a name: a parameter, or one assignment to it."""

    __slots__ = ("name", "span")

    def __init__(self, name: str, span: Span) -> None:
        self.name = name
        self.span = span


@thing
class Literal:
    """A number or a truth value."""

    span: Span
    value: Fraction | bool
    integer: bool = False


@thing
class Use:
    """A local being read."""

    span: Span
    local: Local


@thing
class Global:
    """A top-level name being read; ``called`` says that it is what a call calls."""

    span: Span
    name: str
    called: bool = False


@undigested(span=_INSIDE)
@thing
class NormArgument:
    """A norm given to a builtin."""

    span: Span
    norm: Norm


@undigested(span=_INSIDE)
@thing
class TypeArgument:
    """A type given to a builtin."""

    span: Span
    type: Annotation


@undigested(span=_INSIDE)
@thing
class TruthArgument:
    """``true`` or ``false``, given to a builtin by name."""

    span: Span
    value: bool


@thing
class Call:
    """A builtin (by its name in the table) applied to arguments, the last of which are given by the names in
    ``keywords``. ``mutates`` marks the ``!`` form. ``by`` is the function that is written instead, where it does the
    same unless the program defines it. ``premises`` are what is taken for granted of noise."""

    span: Span
    builtin: str
    args: tuple[Term, ...]
    callee: Span
    mutates: bool = False
    keywords: tuple[str, ...] = ()
    by: Global | None = None
    premises: tuple[str, ...] = ()


@thing
class Apply:
    """A function of the program applied to arguments, the last of which are given by the names in ``keywords``.
    ``unboxed`` says that it stands where a black box is opened."""

    span: Span
    function: Term
    args: tuple[Term, ...]
    unboxed: bool = False
    keywords: tuple[str, ...] = ()


@thing
class MakeTuple:
    """``(a, b, …)``; with a ``label``, ``(x = a, y = b, …)`` or a structure, which is made ``by`` the function of its
    name if nothing else has that."""

    span: Span
    items: tuple[Term, ...]
    label: Label | None = None
    by: Global | None = None


@thing
class Field:
    """The item of a name, of a tuple whose items have names."""

    span: Span
    value: Term
    name: str


@thing
class Branch:
    """A choice. Each side is a block that ends in the same kind of value."""

    span: Span
    condition: Term
    then: Body
    otherwise: Body


@thing
class Loop:
    """``for index in first:step:last``. ``carried`` pairs the version a round starts with and the value before the
    first round; the body ends in the tuple of their versions at the end of a round. A round does nothing once the one
    of them is false that is ``going``, if there is one."""

    span: Span
    index: Local
    first: Term
    step: Term | None
    last: Term
    carried: tuple[tuple[Local, Term], ...]
    body: Body
    going: int | None = None

    @property
    def header(self) -> Span:
        """Where it says how often it goes round."""
        return Span(self.span.start, max(self.span.start, self.last.span.end))


@thing
class Unending:
    """The last number of a loop that goes on until it does not go on by itself: none is too large."""

    span: Span


@thing
class Comprehension:
    """``[value for index in first:step:last]``: what the rounds of a loop make, each by itself, as a vector. The body
    ends in the value of a round; nothing is carried from one to the next."""

    span: Span
    index: Local
    first: Term
    step: Term | None
    last: Term
    body: Body

    @property
    def carried(self) -> tuple[tuple[Local, Term], ...]:
        """Nothing is, unlike by a loop."""
        return ()


@thing
class Hole:
    """Something that could not be understood; a problem about it has been reported."""

    span: Span
    reason: str
    parts: tuple[Term, ...] = ()


@thing
class Bind:
    """``targets = term``; more than one target takes a tuple apart."""

    span: Span
    targets: tuple[Local, ...]
    term: Term

    @property
    def is_statement(self) -> bool:
        """Whether it stands for what a loop or a branch does to names, and not for an assignment."""
        return isinstance(self.term, Loop | Branch) and self.term.span == self.span


@thing
class Body:
    """Bindings in order, then a value."""

    binds: tuple[Bind, ...]
    result: Term


@thing
class Scope:
    """A binding whose builtin has the rest of its block as its subject: what that spends is spent on what the
    binding introduces."""

    span: Span
    bind: Bind
    rest: Body


@thing
class Closure:
    """A function made where it stands: ``x -> …``, or a definition inside a function with all its methods. Its body
    may use locals from around it."""

    span: Span
    methods: tuple[Method, ...]


@thing
class Check:
    """A condition on public values, as of ``@assert``: the run fails where it is false, or true if it is ``negated``.
    ``failing`` is the function that makes it fail, where that is written, and ``shown`` are the values that whoever
    sees it fail sees, too."""

    span: Span
    condition: Term
    negated: bool = False
    failing: Global | None = None
    shown: tuple[Term, ...] = ()


Rounds = Loop | Comprehension
"""What has rounds, one for each number of a range."""


@thing
class Show:
    """What is printed by a function of the language: whoever runs the program sees that it is, and the values that are
    ``shown``. ``by`` are the function, and what it prints to where that is written, which no program may define. It
    ``gives`` the last of the values back, or nothing."""

    span: Span
    by: tuple[Global, ...]
    shown: tuple[Term, ...]
    gives: bool = False


Written = NormArgument | TypeArgument | TruthArgument
"""What is given to a builtin as it is written, and is not a value."""

Term = (
    Literal
    | Use
    | Global
    | NormArgument
    | TypeArgument
    | TruthArgument
    | Call
    | Apply
    | MakeTuple
    | Field
    | Branch
    | Loop
    | Unending
    | Comprehension
    | Scope
    | Closure
    | Hole
    | Check
    | Show
)


@thing
class Param:
    """A parameter: its annotation, and whether it is declared static."""

    local: Local
    type: Annotation
    static: bool
    span: Span
    seen: Declared = ANY
    """The annotation as Julia sees it when it chooses a method."""
    default: Literal | MakeTuple | None = None
    """What it is where a call leaves it out."""
    by_name: bool = False
    """Whether calls give it by its name, and not by its position."""
    either_way: bool = False
    """Whether calls may give it by its name or by its position."""


@thing
class Method:
    """A definition of a function. ``body`` is None for a black box. ``uses`` are the top-level names it mentions,
    ``assigned`` says that it is the value of an assignment, which has one method.

    ``changes`` are the positions of the parameters it changes in place. Such a function returns nothing of its own:
    the value of its body is the last version of each of them, a tuple if there are several, and a call stands for
    new versions of the variables it was given. ``passes`` are the positions of the parameters that the value may be,
    or hold, if they can be changed; ``passes_captured`` says whether that is so of what the function has captured."""

    name: str
    span: Span
    name_span: Span
    header: Span
    params: tuple[Param, ...]
    signature: tuple[str, ...]
    result: Annotation
    privacy: bool
    body: Body | None
    uses: frozenset[str]
    captures: frozenset[str] = frozenset()
    changes: tuple[int, ...] = ()
    passes: tuple[int, ...] = ()
    passes_captured: bool = False
    assigned: bool = False
    converts: Declared = ANY
    """The type that Julia converts its value to."""
    defines: tuple[tuple[Declared, ...], ...] = ()
    """The types of the arguments of all methods that its text defines, if these are not those of its parameters: where
    some may be left out, are told apart by their names, or stand for any number of arguments."""
    presumed: bool = False
    """Whether its text tells that it is private, and nobody says so."""
    rebindable: bool = False
    """Whether its name may be given a value of another type, so that nothing is inferred of what calls it."""
    boxed: frozenset[str] = frozenset()
    """Variables around it that it reads and that get several values, so that nothing is inferred of their types."""
    needs: frozenset[str] = frozenset()
    """The names of types that arguments must have, as far as these are known by their names."""

    @property
    def shown_signature(self) -> str:
        """The annotations of its parameters, as reports tell methods of one name apart; what is given by its name has
        that before it."""
        given = list(zip(self.params, self.signature, strict=False)) if len(self.params) == len(self.signature) else []
        named = [f"{param.local.name}: {said}" for param, said in given if param.by_name]
        placed = [said for param, said in given if not param.by_name] if named else self.signature
        return f"({', '.join(placed)}{'; ' if named else ''}{', '.join(named)})"

    @property
    def dispatch(self) -> tuple[Declared, ...]:
        """The types by which methods are told apart when the program runs."""
        return tuple(param.seen for param in self.params)


@thing
class Constant:
    """A top-level ``name = term``; if it is ``rebindable``, the name may be given a value of another type."""

    name: str
    span: Span
    name_span: Span
    term: Body
    uses: frozenset[str]
    rebindable: bool = False


Definition = Method | Constant


def of_body(body: Body) -> Iterator[Term]:
    """The terms of a block, in order."""
    yield from (bind.term for bind in body.binds)
    yield body.result


def bodies(node: Term) -> tuple[Body, ...]:
    """The blocks that a term holds."""
    match node:
        case Branch(then=then, otherwise=otherwise):
            return then, otherwise
        case Loop(body=body) | Comprehension(body=body) | Scope(rest=body):
            return (body,)
        case Closure(methods=methods):
            return tuple(method.body for method in methods if method.body is not None)
    return ()


def parts(node: Term) -> Iterator[Term]:
    """The terms that a term is made of, those of its blocks included."""
    match node:
        case Call(args=found) | MakeTuple(items=found) | Hole(parts=found):
            yield from found
        case Apply(function=function, args=args):
            yield from (function, *args)
        case Branch(condition=condition):
            yield condition
        case Field(value=value):
            yield value
        case Check(condition=condition, shown=shown):
            yield from (condition, *shown)
        case Show(shown=shown):
            yield from shown
        case Loop(first=first, step=step, last=last, carried=carried):
            yield from (first, last, *(start for _, start in carried))
            if step is not None:
                yield step
        case Comprehension(first=first, step=step, last=last):
            yield from (first, last) if step is None else (first, last, step)
        case Scope(bind=bind):
            yield bind.term
    for body in bodies(node):
        yield from of_body(body)


def within(nodes: Iterable[Term]) -> Iterator[Term]:
    """Terms and all that they are made of, in order, each before its parts."""
    pending = [*nodes][::-1]
    while pending:
        node = pending.pop()
        yield node
        pending += [*parts(node)][::-1]


def argument_count(definition: Definition) -> int | None:
    """With how many arguments a definition is called, all of which are given by position; None where that is not one
    number."""
    if not isinstance(definition, Method) or definition.body is None or definition.assigned or definition.defines:
        return None
    is_read = len(definition.signature) == len(definition.params)
    return len(definition.params) if is_read else None


def own_calls(definition: Definition) -> frozenset[int] | None:
    """With how many arguments, all given by position, a definition calls a function of its own name; None where it does
    anything else with that name."""
    name = definition.name
    if name not in definition.uses:
        return frozenset()
    if not isinstance(definition, Method) or definition.body is None:
        return None
    counts, called = set[int](), set[int]()
    for node in within(of_body(definition.body)):
        match node:
            case Apply(function=Global(name=other) as function, args=args, keywords=()) if other == name:
                counts.add(len(args))
                called.add(id(function))
            case Global(name=other) if other == name and id(node) not in called:
                return None
            case Check(failing=Global(name=other)) | MakeTuple(by=Global(name=other)) if other == name:
                return None
            case Show(by=by) if any(each.name == name for each in by):
                return None
    return frozenset(counts) or None


def put(body: Body, instead: Callable[[Term], Term | None]) -> Body:
    """A block with other terms in place of some of those that it is made of, whatever they hold; None leaves one as it
    is."""
    made: dict[int, Term] = {}

    def rebuilt(part: Any) -> Any:
        """A field of a term: a term in it was rebuilt before."""
        if isinstance(part, Term):
            return made.get(id(part), part)  # a name that is no part is as it was
        if isinstance(part, tuple):
            found = tuple(map(rebuilt, part))
            return part if all(new is old for new, old in zip(found, part, strict=True)) else found
        return _with_parts(part, rebuilt) if isinstance(part, Body | Bind | Method) else part

    for node in [*within(of_body(body))][::-1]:
        other = instead(node)
        made[id(node)] = _with_parts(node, rebuilt) if other is None else other
    return _with_parts(body, rebuilt)


def _with_parts(node: T, rebuilt: Callable[[Any], Any]) -> T:
    fields_ = {each.name: getattr(node, each.name) for each in fields(node)}  # type: ignore[arg-type]
    found = {name: new for name, old in fields_.items() if (new := rebuilt(old)) is not old}
    return replace(node, **found) if found else node  # type: ignore[type-var]


def renamed(definition: Definition, meant: Callable[[str], str], name: str) -> Definition:
    """A definition under another name, with other names for what it means by those at top level."""
    if isinstance(definition, Constant):
        uses = frozenset(map(meant, definition.uses))
        return replace(definition, name=name, uses=uses, term=_meaning(definition.term, meant))
    return replace(_method(definition, meant), name=name)


def _method(method: Method, meant: Callable[[str], str]) -> Method:
    body = None if method.body is None else _meaning(method.body, meant)
    return replace(method, body=body, uses=frozenset(map(meant, method.uses)))


def _meaning(body: Body, meant: Callable[[str], str]) -> Body:
    """A block with other names for what it means by those at top level."""
    made: dict[int, Term] = {}

    def rebuilt(part: Any) -> Any:
        if isinstance(part, Global):
            name = meant(part.name)
            return part if name == part.name else replace(part, name=name)
        if isinstance(part, Term):
            return made.get(id(part), part)
        if isinstance(part, Method):
            return _method(part, meant)
        if isinstance(part, tuple):
            found = tuple(map(rebuilt, part))
            return part if all(new is old for new, old in zip(found, part, strict=True)) else found
        return _with_parts(part, rebuilt) if isinstance(part, Body | Bind) else part

    for node in [*within(of_body(body))][::-1]:
        made[id(node)] = rebuilt(node) if isinstance(node, Global) else _with_parts(node, rebuilt)
    return _with_parts(body, rebuilt)
