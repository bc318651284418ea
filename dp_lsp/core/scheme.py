"""What is known of a value, and of a function once it has been inferred.

Functions are inferred at their declared types, and a call instantiates the scheme. An open number type of a parameter
becomes Real, its upper bound; an open norm stays a variable of the scheme, and the report names one only if a bound
depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import field
from typing import Protocol

from dp_lsp.core.algebra import NormVariable, Poly, Symbol
from dp_lsp.core.annotation import Annotation, Anything
from dp_lsp.core.constraints import Constraint
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Cost, EffectVariable, Var
from dp_lsp.core.linear import LinearForm
from dp_lsp.core.machine import ANY, Declared
from dp_lsp.core.sens import Sens, Way
from dp_lsp.core.term import Literal, MakeTuple, Method, Written
from dp_lsp.core.types import Type, TypeVariable
from dp_lsp.core.values import thing, undigested, value
from dp_lsp.later import Later
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_OWN = "how a function comes to what it says is shown with it, and not where it is called"


@undigested(span=_OWN, rule=_OWN, factors=_OWN, before=_OWN, subject=_OWN)
@thing
class Move:
    """How far a value moves when a variable moves by 1, and why: by a rule at a place, from earlier moves.

    ``rule`` is a builtin or a law of :mod:`dp_lsp.core.laws`, and ``subject`` the name of what is called by it. Each
    move of ``before`` counts as often as its factor of ``factors`` says; a law may make something else of them. ``way``
    is which way the value goes where the variable becomes larger, if that is known.
    """

    sens: Sens
    span: Span
    rule: str
    factors: tuple[Sens, ...] = ()
    before: tuple[Move, ...] = ()
    subject: str = ""
    way: Way | None = None


Moves = Mapping[Var, Move]


class Reach(NamedTuple):
    """Where a value is to be found: within ``radius`` of what a round of a loop starts with as ``start``, or of 0."""

    start: Var | None
    radius: Sens

    def outside(self, values: Substitution) -> Reach | None:
        """The same where a function is called; what its own loops carry is not known there."""
        return None if self.start is not None else Reach(None, values.sens(self.radius))


@undigested(form="it is known inside of a function only, and what others know of it is in the scheme")
@thing
class Judgement:
    """What is known of a value. ``parts`` holds the moves of each item of a tuple, ``moves`` those of the whole.
    ``reach`` is None where nothing is known of where the value is, and ``form`` where nothing is known of how it is a
    linear function of others: then it is a part of its own. ``boxes`` are the black boxes that a value of the top level
    was made by, and one is ``rebindable`` whose name may be given a value of another type."""

    type: Type
    moves: Moves
    parts: tuple[Judgement, ...] = ()
    reach: Reach | None = None
    form: LinearForm | None = None
    boxes: tuple[str, ...] = ()
    rebindable: bool = False


Given = Type | Written
"""What an operation is given: the type of a value, or a norm, a type or a truth value that is written there."""


@undigested(span=_OWN)
@thing
class Open:
    """An operation that waits: it is not known yet what its arguments are, or which function it calls.

    ``callee`` is the name of a builtin, or the type of the function that is called. Once that and the arguments are
    known, ``result`` is the type of the result, and ``factors`` are how far it moves when an argument moves by 1: a
    symbol, where that depends on what is not known.
    ``release`` holds the symbols of what a call may spend, if the function may release something.
    """

    callee: str | Type
    arguments: tuple[Given, ...]
    result: Type
    factors: tuple[Sens, ...]
    span: Span
    release: EffectVariable | None = None

    @property
    def symbols(self) -> tuple[Symbol | None, ...]:
        """The symbol of each factor, where there is one."""
        return tuple(factor.polys[0].symbol for factor in self.factors)


class Unit(NamedTuple):
    """What is said of a parameter is about one person, who has up to so many ``records`` of it. With ``whole`` some of
    it holds for a whole person only, and not for a part of one. With ``uneven`` some of it holds of so many persons
    only, and not of a part of one more: these are so many times the records, the last ones fewer."""

    records: Poly
    whole: bool = False
    uneven: bool = False


@undigested(span=_OWN)
@thing
class SchemeParameter:
    """A parameter of an inferred function; ``symbol`` is the value of one that is static and a number. ``declared``
    is what was written, and ``seen`` what Julia sees of it, by which methods are told apart. ``unit`` is None where a
    person has one record, or the parameter is made of none. ``default`` is what it is where a call leaves it out, and
    one that is given ``by_name`` has no position; ``either_way`` it may be given by that or by its name."""

    name: str
    var: Var
    type: Type
    static: bool
    span: Span
    declared: Annotation
    unit: Unit | None = None
    seen: Declared = ANY
    default: Literal | MakeTuple | None = None
    by_name: bool = False
    either_way: bool = False


class Effort:
    """How much inferring functions again, as they are called, one definition may still cause: ``left`` of them, and
    ``depth`` of one inside the other. ``known`` holds what was found, and ``look`` stops it if nobody wants it."""

    __slots__ = ("depth", "known", "left", "look")

    def __init__(self, look: Callable[[], None]) -> None:
        self.look = look
        self.left, self.depth = 200, 10
        self.known: dict[Hashable, Scheme] = {}


class Template(Protocol):
    """The text of a method that is read where it is called, and can be inferred again for that."""

    @property
    def version(self) -> bytes:
        """A digest of all that it depends on."""
        ...

    @property
    def method(self) -> Method:
        """The definition."""
        ...

    def called_with(self, types: tuple[Type | None, ...], effort: Effort) -> Scheme:
        """The scheme that it would have if these were the types of its parameters; None for what it says itself."""
        ...


NO_FORM: Later[LinearForm | None] = Later.known(None)


@thing
class Scheme:
    """An inferred method. Its symbols, norms and type variables stand for anything and are replaced at each call.

    ``opens`` are operations that wait for the types of a call. What ``result`` and ``cost`` say of variables that are
    no parameters is about captured ones. ``reason`` says why nothing is known of it, or is empty; ``claims_privacy``
    is true for ``Priv()``. ``failing`` are the variables that decide whether a call fails; None if a call never does.
    ``printed`` are those of them that it prints.
    ``boxes`` are the black boxes that it calls, also by way of others, and ``premises`` what else users are taken at
    their word for in it. It is ``real`` if its result is certainly made of numbers, and never of NaN, where its
    arguments are. ``linear`` holds its :attr:`form`. ``template`` is there if it stands at top level, and has
    parameters without annotations or calls no function of the program. ``untyped`` is a name that may be given another
    value, at top level or around it, and that it reads, by itself or by way of others, so that nothing is inferred of
    the type of its result; or empty. It is ``rebindable`` if its own name is one.
    """

    name: str
    signature: str
    params: tuple[SchemeParameter, ...]
    result: Judgement
    cost: Cost
    needs: tuple[Constraint, ...]
    owned: Owned
    claims_privacy: bool
    opens: tuple[Open, ...] = ()
    failing: frozenset[Var] | None = None
    reason: str = ""
    boxes: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    template: Template | None = None
    real: bool = False
    linear: Later[LinearForm | None] = NO_FORM
    untyped: str = ""
    rebindable: bool = False
    printed: frozenset[Var] = frozenset()

    @property
    def form(self) -> LinearForm | None:
        """How the result is a linear function of what it is given, whose sources are the places of parameters; None if
        that is not known. It is made when somebody asks: of most functions nobody does."""
        return self.linear.value

    @property
    def is_open(self) -> bool:
        """Whether what it is called with says what it is: parameters have no annotations."""
        return self.template is not None and any(isinstance(param.declared, Anything) for param in self.params)


@value
class Owned:
    """What a scheme is general in: what each call may choose anew."""

    symbols: frozenset[Symbol] = frozenset()
    norms: frozenset[NormVariable] = frozenset()
    types: frozenset[TypeVariable] = frozenset()


@thing
class BlackBox:
    """A function whose body is not looked at."""

    name: str
    params: tuple[Type | None, ...]
    captures: tuple[str, ...]


@undigested(home="a place of the process that made it; that there is one is looked at")
@thing
class FunctionValue:
    """What a function stands for: its methods, or a black box.

    ``choices`` are functions of which it may be any, as an entry of a vector is.
    ``home`` is where it was made, if that is inside a function: there, and only there, its methods' variables that
    are no parameters are the variables in scope."""

    name: str
    methods: tuple[Scheme, ...] = ()
    black_box: BlackBox | None = None
    home: object = field(default=None, repr=False)
    choices: tuple[FunctionValue, ...] = ()
