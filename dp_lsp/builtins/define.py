"""The form of a row of the builtin table.

A row is data: what a builtin takes, what it returns, how far its result moves, what it demands and what it releases.
Its small functions look only at the solved arguments (:class:`Args`). Nothing outside this package knows a builtin
by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import TypeVar

from dp_lsp.builtins.patterns import Binds, Pattern
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation
from dp_lsp.core.constraints import Quantity
from dp_lsp.core.descriptors import Descriptor
from dp_lsp.core.linear import LinearForm
from dp_lsp.core.metrics import as_dataset
from dp_lsp.core.sens import ONE, ZERO, Sens, Way
from dp_lsp.core.types import AnyNorm, Base, Container, Dataset, Norm, NumberType, Type
from dp_lsp.core.values import value
from dp_lsp.intents import Rendering
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.named import NamedTuple

T = TypeVar("T")
AnyTrait = TypeVar("AnyTrait", bound="Trait")


class Demand(NamedTuple):
    """A side condition of a row, ``argument`` being the parameter it is about."""

    left: Quantity
    relation: str
    right: Quantity
    argument: str


class Refusal(NamedTuple):
    """Why arguments of the right shapes do not fit together, as a sentence without an end mark. ``unclipped`` names
    the argument that should have been clipped, if that is the reason, and ``uncounted`` the dataset of which it should
    be known how many records there are. ``lacks`` is what should be known of a dataset; a reason that says so has
    ``{dataset}`` where that is named."""

    reason: str
    unclipped: str = ""
    uncounted: str = ""
    lacks: Descriptor | None = None


class Applied(NamedTuple):
    """A function that a row calls, called once: the type of its result, and how far that moves with each argument.
    ``ways`` are those it goes where an argument becomes larger, None where that is not known. Of one whose result is
    its only argument a public number of times, up to something public, ``times`` is that number. It ``selects`` the
    arguments one of which it returns, or does not look at, wherever it does not turn (a linear form says so). Of what
    type its result is nothing is inferred where it is ``untyped``, for that name. What it returns measures at most
    ``radius``, in the distance of its type, if that is known."""

    result: Type
    factors: tuple[Sens, ...]
    ways: tuple[Way | None, ...]
    times: Poly | None = None
    selects: frozenset[int] = frozenset()
    untyped: str = ""
    radius: Sens | None = None


@value
class Args:
    """The solved arguments of one use of a row: their types by position, what the patterns bound, and what the
    functions among them do."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    binds: Binds
    applied: Mapping[str, Applied] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.types)

    def __getitem__(self, name: str) -> Type:
        return self.types[self.names.index(name)]

    def container(self, name: str) -> Container:
        """An argument that a pattern knows to be a container."""
        return _expect(self[name], Container)

    def dataset(self, name: str) -> Dataset:
        """An argument that is a dataset, or a vector or matrix that counts as one."""
        return _expect(as_dataset(self[name]), Dataset)

    @property
    def records(self) -> Dataset:
        """The argument that is a dataset: the first of them."""
        return next(found for found in map(as_dataset, self.types) if found is not None)

    def static(self, name: str) -> Poly:
        """The value of a static argument."""
        value = _expect(self[name], NumberType).static
        assert value is not None, f"{name} is declared static in the row"
        return value

    def norm(self, name: str) -> AnyNorm:
        """The norm that a pattern bound to a name."""
        return self.binds.norms[name]

    def given_norm(self, name: str) -> Norm:
        """A norm written as an argument."""
        return _expect(self.binds.norms[name], Norm)

    def given_type(self, name: str) -> Annotation:
        """A type written as an argument."""
        return self.binds.types[name]

    def given_truth(self, name: str, otherwise: bool) -> bool:
        """``true`` or ``false`` written as an argument; ``otherwise`` where it was left out."""
        return self.binds.truths.get(name, otherwise)

    def dimension(self, name: str) -> Poly:
        """The size that a pattern bound to a name."""
        return self.binds.dimensions[name]

    @property
    def base(self) -> Base | Refusal:
        """The base of the numbers together; a static number next to Data counts as Data."""
        return joined_base(self.types)

    @property
    def containers(self) -> tuple[Container, ...]:
        """The arguments that are containers."""
        return tuple(type_ for type_ in self.types if isinstance(type_, Container))

    @property
    def statics(self) -> tuple[Poly | None, ...]:
        """The value of each argument that is static; None for the others."""
        return tuple(type_.static if isinstance(type_, NumberType) else None for type_ in self.types)

    def is_static(self, index: int) -> bool:
        """Whether the argument at a position, from 0 on, is a public number."""
        type_ = self.types[index]
        return isinstance(type_, NumberType) and type_.static is not None


Result = Callable[[Args], "Type | Refusal"]
Factors = Callable[[Args], tuple[Sens, ...]]
Demands = Callable[[Args], Iterable[Demand]]


class Parameter(NamedTuple):
    """A parameter of a form, as signature help shows it. ``keyword`` says that it is given by name."""

    name: str
    pattern: Pattern
    keyword: bool = False


class Noise(NamedTuple):
    """What makes a form a mechanism: the argument that is hidden, the norm its noise is made for (None if it is made
    for the distance the argument has), the event.

    ``declares`` is the argument that says how far the input may move, if there is one; the noise ``grows`` with some
    of its arguments, and ``shrinks`` with others. What noise is added to moves ``factor`` times as far as the hidden
    argument, and goes its ``way``. ``exposed`` are arguments that the noise does not protect. ``then`` is another event
    that is about the same input, and how often it happens. Noise that is ``measured`` is made for no distance: what it
    costs is that of the distance which the input has. Where a record of the input is only there with some probability,
    each by itself, ``drawn`` is that."""

    hidden: str
    norm: Norm | None
    event: Callable[[Args], Mechanism]
    declares: str | None = "r"
    factor: Callable[[Args], Sens] = lambda args: ONE
    exposed: tuple[str, ...] = ()
    way: Callable[[Args], Way | None] = lambda args: Way.RISES
    grows: tuple[str, ...] = ("r",)
    shrinks: tuple[str, ...] = ("eps",)
    then: Callable[[Args], tuple[Mechanism, Sens]] | None = None
    measured: bool = False
    drawn: Callable[[Args], Sens] | None = None


class Application(NamedTuple):
    """A function that a form calls: the argument it is, or that holds such functions, and what it is called with.
    Its result takes the place of the argument at ``carried`` in the next call."""

    argument: str
    given: Callable[[Args], tuple[Type, ...]]
    carried: int | None = None


class Partition(NamedTuple):
    """A dataset is taken apart: ``by`` is the function that says of a record in which part it lies, and ``steps`` in
    how many steps of the parts together one step of the dataset moves them."""

    by: Application
    steps: Callable[[Args], Sens]


class Runs(NamedTuple):
    """A form that runs the private function it applies: ``feeds`` are the row's arguments that its parameters are
    parts of (None for what earlier runs released), ``times`` how often a change of one record is seen. With
    ``rowwise`` a record lies in one row, and only the run on that row sees it; with ``parts`` in one part of the
    argument that is fed. ``exposed`` is as for noise."""

    feeds: tuple[str | None, ...]
    times: Callable[[Args], Sens]
    rowwise: bool = False
    exposed: tuple[str, ...] = ()
    parts: Partition | None = None


Stability = Callable[[Args, int], Sens]
"""How far a result moves when an argument makes so many steps, two or more. Divided by their number that must not grow
with it: so what holds of d steps holds of more, each counting as its part of d. Where it does, the form says that d is
uneven: more steps count as the next multiple of d."""
Uneven = Callable[[Args, int], bool]


Linear = Callable[[Args, "Sequence[LinearForm | None]"], "LinearForm | None"]
"""A result, up to something public, as a linear function of arguments that are so; None for a public argument, and for
a result that is none."""


def never_uneven(args: Args, steps: int) -> bool:
    """More steps move the result by no more than their part of what so many do."""
    return False


def no_demands(args: Args) -> Iterable[Demand]:
    """A form without side conditions."""
    return ()


@value
class Form:
    """One shape of arguments that a builtin accepts: what it returns for them, how far that moves, and what it demands
    and releases."""

    params: tuple[Parameter, ...]
    result: Result
    factors: Factors
    demands: Demands = no_demands
    noise: Noise | None = None
    variadic: bool = False
    """The last parameter may be repeated."""
    fails_on: tuple[str, ...] = ()
    """Arguments whose value may make the run fail, which anybody can see; side conditions exclude that for static
    ones."""
    one_of: tuple[str, ...] = ()
    """The result is one of these arguments, so it moves as far as the one that moves furthest."""
    passes_on: tuple[str, ...] = ()
    """Arguments that the result may be, or hold, so that a change of it in place changes them; all other results are
    new."""
    shares_arrays: tuple[str, ...] = ()
    """Arguments whose arrays the result shares if they are gradients, so that a change of one in place is seen in the
    other: the published library copies what holds the arrays, and no more."""
    applies: Application | None = None
    """The function it calls."""
    runs: Runs | None = None
    """How it calls that, if it is private."""
    stability: Mapping[str, Stability] = field(default_factory=dict)
    """Of arguments that make steps, how far several of them move the result, where that is less than so many times the
    factor."""
    uneven: Uneven = never_uneven
    """After how many steps more of them move the result further than by their part of that."""
    entries: bool = False
    """The arguments are the entries of the result: it moves with each variable by the norm of how far they do."""
    reads: Norm | None = None
    """The norm in which it reads a container whose norm is open: the result moves as far as that does in this one."""
    linear: Linear | None = None
    """How the result is a linear function of the arguments."""
    furthest: bool = False
    """The result moves no further than the argument that moves furthest."""

    _taking: dict[tuple[int, tuple[str, ...]], tuple[Parameter, ...] | None] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """The parameters that it was asked for."""

    def parameters(self, count: int, keywords: tuple[str, ...] = ()) -> tuple[Parameter, ...] | None:
        """The parameter of each of ``count`` arguments by place, then of those by name; None if it takes others."""
        key = count, keywords
        if key not in self._taking:
            self._taking[key] = self._parameters(count, keywords)
        return self._taking[key]

    def _parameters(self, count: int, keywords: tuple[str, ...]) -> tuple[Parameter, ...] | None:
        split = len(self.params) - len(keywords)  # those by name are the last ones
        more = count - split
        if split < 0 or more < 0 or (more and not self.variadic):
            return None
        placed, named = self.params[:split], {param.name: param for param in self.params[split:] if param.keyword}
        if named.keys() != {*keywords} or (placed and placed[-1].keyword):
            return None
        return (*placed, *placed[-1:] * more, *(named[name] for name in keywords)) if more or keywords else placed


class Trait:
    """What a row may have beyond its forms, for the rules that are about that: the classes of
    :mod:`dp_lsp.builtins.traits`."""

    __slots__ = ()


class Refused(NamedTuple):
    """A program that a row does not accept, and the code of the problem that says so."""

    program: str
    code: str


@value
class Builtin:
    """A row: all that is known of a builtin."""

    name: str
    signature: str
    forms: tuple[Form, ...]
    doc: str
    source: str
    """Where it is proved how far the result moves."""
    examples: tuple[str, ...]
    refused: tuple[Refused, ...]
    """Programs that it does not accept."""
    mutates: str | None = None
    """The parameter that the ``!`` form replaces."""
    aliases: tuple[str, ...] = ()
    traits: tuple[Trait, ...] = ()
    """What else is known of it, at most one of a class."""
    published: tuple[Form, ...] | None = None
    """The forms of the published checker, where they differ."""
    _by_kind: dict[type[Trait], Trait | None] = field(init=False, repr=False, compare=False, default_factory=dict)
    """The traits that it was asked for."""

    def trait(self, kind: type[AnyTrait]) -> AnyTrait | None:
        """Its trait of a class, if it has one."""
        if kind in self._by_kind:
            return self._by_kind[kind]  # type: ignore[return-value]  # it is of that class
        found = next((each for each in self.traits if isinstance(each, kind)), None)
        self._by_kind[kind] = found
        return found

    def has(self, kind: type[Trait]) -> bool:
        """Whether it has a trait of a class."""
        found = self._by_kind[kind] if kind in self._by_kind else self.trait(kind)
        return found is not None

    def told(self, code: Rendering) -> str:
        """What it does, with the names that builtins have in a language: ``doc`` has them as placeholders."""
        return self.doc.format(code=code)

    def arguments(self, count: int, keywords: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The names of ``count`` arguments, the last of which are given by name; none if no form takes so many."""
        found = (form.parameters(count - len(keywords), keywords) for form in self.forms)
        return next((tuple(param.name for param in params) for params in found if params is not None), ())

    @property
    def demanding(self) -> bool:
        """Whether it demands anything of public numbers."""
        return any(form.demands is not no_demands for form in self.forms)

    @property
    def keywords(self) -> frozenset[str]:
        """The names of arguments that may be given by name."""
        return frozenset(param.name for form in self.forms for param in form.params if param.keyword)


def form(
    result: Result,
    factors: Factors,
    demands: Demands = no_demands,
    noise: Noise | None = None,
    variadic: bool = False,
    fails_on: tuple[str, ...] = (),
    one_of: tuple[str, ...] = (),
    passes_on: tuple[str, ...] = (),
    shares_arrays: tuple[str, ...] = (),
    keywords: Mapping[str, Pattern] | None = None,
    applies: Application | None = None,
    runs: Runs | None = None,
    stability: Mapping[str, Stability] | None = None,
    uneven: Uneven = never_uneven,
    entries: bool = False,
    reads: Norm | None = None,
    linear: Linear | None = None,
    furthest: bool = False,
    **params: Pattern,
) -> Form:
    """A form; its parameters are the keyword arguments, in order (``del_`` is called ``del``), then ``keywords``."""
    listed = [Parameter(name.rstrip("_"), pattern) for name, pattern in params.items()]
    listed += [Parameter(name, pattern, keyword=True) for name, pattern in (keywords or {}).items()]
    passed = (*one_of, *passes_on)
    return Form(
        tuple(listed),
        result,
        factors,
        demands,
        noise,
        variadic,
        fails_on,
        one_of,
        passed,
        shares_arrays,
        applies,
        runs,
        stability or {},
        uneven,
        entries,
        reads,
        linear,
        furthest,
    )


@value
class Each:
    """The same factor for every argument, whatever the arguments are."""

    factor: Sens

    def __call__(self, args: Args) -> tuple[Sens, ...]:
        return (self.factor,) * len(args)


def each(factor: Sens | int = 1) -> Factors:
    """The same factor for every argument."""
    return Each(factor if isinstance(factor, Sens) else Sens.of(factor))


def only(**factors: Sens | Callable[[Args], Sens]) -> Factors:
    """Factors by name; 0 for the arguments that are not named."""

    def of(args: Args) -> tuple[Sens, ...]:
        found = (factors.get(name, ZERO) for name in args.names)
        return tuple(factor if isinstance(factor, Sens) else factor(args) for factor in found)

    return of


def free(args: Args) -> tuple[Sens, ...]:
    """The result moves with nothing."""
    return (ZERO,) * len(args)


def joined_base(types: Iterable[Type]) -> Base | Refusal:
    """The base that holds all numbers among these; a static one next to Data counts as Data."""
    numbers = [type_ for type_ in types if isinstance(type_, NumberType)]
    bases = {type_.base for type_ in numbers}
    if Base.DATA in bases:
        if any(type_.base is not Base.DATA and type_.static is None for type_ in numbers):
            return Refusal("Data cannot be mixed with Integer or Real: they are measured differently")
        return Base.DATA
    return Base.REAL if Base.REAL in bases else Base.INTEGER


def _expect(value: object, kind: type[T]) -> T:
    assert isinstance(value, kind), f"the pattern of the row promised a {kind.__name__}"
    return value


# What several rows demand of their public numbers.

_ZERO, _ONE = Poly.of(0), Poly.of(1)


def positive(*names: str) -> Demands:
    """Each of these numbers is larger than 0."""
    return lambda args: tuple(Demand(_ZERO, "<", args.static(name), name) for name in names)


def not_negative(*names: str) -> Demands:
    """Each of these numbers is at least 0."""
    return lambda args: tuple(Demand(_ZERO, "<=", args.static(name), name) for name in names)


def share(name: str) -> Demands:
    """A number lies between 0 and 1; either is allowed."""
    return lambda args: (Demand(_ZERO, "<=", args.static(name), name), Demand(args.static(name), "<=", _ONE, name))


def both(*demands: Demands) -> Demands:
    """All demands, in order."""
    return lambda args: chain.from_iterable(each(args) for each in demands)
