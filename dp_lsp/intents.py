"""What a rule would have written, and who writes it: rules and messages hold no text of a source language.

A rule says what should be done as an *intent*, plain data about places and builtins; the rendering of the language of
its text makes repairs of it. A message with code in it has a placeholder for the rendering, ``{code.private}``, which
is given like every other fact. Both happen where a problem is reported, because there the language of the text is at
hand: what is remembered, and what crosses between processes, is plain text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.algebra import Poly
    from dp_lsp.core.annotation import Annotation
    from dp_lsp.core.sens import Sens
    from dp_lsp.core.types import Norm


Argument: TypeAlias = "Norm | Annotation | Poly"
"""What a builtin is given besides an expression: a norm, a type or a public number."""


class Passing(NamedTuple):
    """A call of a builtin, by its id, that an expression is given to: what stands ``before`` it among the arguments,
    and ``after`` it."""

    builtin: str
    before: tuple[Argument, ...] = ()
    after: tuple[Argument, ...] = ()


class Through(NamedTuple):
    """Give an expression to builtins, to the first one first."""

    title: str
    span: Span
    calls: tuple[Passing, ...]
    sure: bool = True


class Replace(NamedTuple):
    """Write a number in the place of an expression. The title ends with that."""

    title: str
    span: Span
    value: Sens | Poly


class Before(NamedTuple):
    """Have a name stand for what a builtin makes of it, from the line before a statement on: ``name`` is where the name
    stands, and ``at`` where the statement begins; ``{code}`` in the title shows what is written. With ``in_place`` the
    value may be changed instead."""

    title: str
    at: int
    name: Span
    call: Passing
    in_place: bool = False


class DeclarePublic(NamedTuple):
    """Declare parameters public by their names; ``parameters`` is where some are declared, or None if they are those of
    the function whose name stands at ``function``."""

    names: frozenset[str]
    parameters: tuple[Span, ...] | None = None
    function: Span = Span(0, 0)


class DeclarePrivate(NamedTuple):
    """Declare that a function is private; its declaration without the body is ``header``."""

    header: Span


class DeclareLeast(NamedTuple):
    """Declare of a parameter, a dataset, that it has at least so many records."""

    parameter: Span
    records: int


class Annotate(NamedTuple):
    """Give a parameter that has no annotation one of these; the function's name stands at ``function``."""

    function: Span
    types: tuple[Annotation, ...]


class DeclareRecords(NamedTuple):
    """Say whom a private function protects: declare that a parameter, which stands at ``parameter`` with the annotation
    that it has, is one of these."""

    parameter: Span
    types: tuple[Annotation, ...]


class DeclareResult(NamedTuple):
    """Declare another one of these to be what a function returns; its name stands at ``function``."""

    function: Span
    types: tuple[Annotation, ...]


class ByMap(NamedTuple):
    """Say by mapping what is said by other means at ``span``, and in the same way at ``others``."""

    span: Span
    others: tuple[Span, ...]


class ReturnNothing(NamedTuple):
    """Have the function end after what stands here, or here if that is a value, and return what it changed."""

    span: Span


class CopyRenamed(NamedTuple):
    """Copy wherever a statement within ``span`` gives a value that has a name another one."""

    span: Span


class AsParameter(NamedTuple):
    """Make a name that a function inside another changes, and that stands at ``name``, a parameter of it; ``around`` is
    the outer one."""

    around: Span
    name: Span


class Lookalikes(NamedTuple):
    """Write what is meant for characters on a line that only look like it."""

    line: Span


class CloseBlock(NamedTuple):
    """Close, at ``end``, what was opened at ``opener``."""

    opener: int
    end: int


class ImportNamed(NamedTuple):
    """Import no names but the module's own."""

    span: Span


class EnoughNoise(NamedTuple):
    """Give noise whose ε stands at ``epsilon``, and which has a closed formula without a proof, the deviation that is
    enough for an ε and a δ: ``least`` computes it, or None."""

    epsilon: int
    least: Callable[[Fraction, Fraction], str | None]


Intent = (
    Through | Replace | Before | DeclarePublic | DeclarePrivate | DeclareLeast | DeclareRecords | Annotate
    | DeclareResult | ByMap | ReturnNothing | CopyRenamed | AsParameter | Lookalikes | CloseBlock | ImportNamed
    | EnoughNoise
)  # fmt: skip
"""All that rules wish for. A repair that only moves or repeats what the user wrote is an edit, and no intent."""

_HERE = "\0"


class Rendering(ABC):
    """How a language writes what rules speak of. ``language`` is its name; ``private`` and ``public`` are the marks of
    a private function and of a public parameter, as messages show them. What has a body here serves a language that
    has no way of its own to write it."""

    language: str
    private: str
    public: str

    @abstractmethod
    def __getitem__(self, builtin: str) -> str:
        """The name of a builtin, by its id. Messages have it as ``{code[sum]}``."""

    @abstractmethod
    def call(self, builtin: str, *arguments: str) -> str:
        """A call of a builtin; empty if it has no spelling."""

    @abstractmethod
    def function(self, parameters: Sequence[str], result: str) -> str:
        """A function without a name."""

    @abstractmethod
    def annotation(self, type_: Annotation) -> str:
        """How a parameter is annotated with a type."""

    @property
    def returns_private(self) -> str:
        """The mark of a private function with what joins it to the function."""
        return self.private

    def at_least(self, records: str) -> str:
        """What declares of a dataset that it has so many records or more."""
        return f"at least {records} records"

    @abstractmethod
    def formula(self, value: Sens | Poly) -> str:
        """A number as an expression; empty if it cannot be written. One that must be rounded is rounded up."""

    def instead(self, what: str, text: str) -> str:
        """What a message says after naming a construct that is not part of what is checked, and that is written so, as
        in "; write a tuple"; empty where nothing short is sure."""
        return ""

    def fixes(self, intent: Intent, text: str) -> Iterable[Fix]:
        """The repairs that do what is intended in a text: none where the language has no way to write it, several where
        it has several."""
        match intent:
            case Through():
                return self._through(intent)
            case Replace(title, span, value):
                code = self.formula(value)
                return (Fix(f"{title} {code}", (Edit(span, code),)),) if code else ()
        return ()

    def passed(self, expression: str, calls: Collection[Passing]) -> str:
        """An expression, given to builtins; empty if one has no spelling."""
        for builtin, before, after in calls:
            arguments = (*map(self._given, before), expression, *map(self._given, after))
            expression = self.call(builtin, *arguments)
        return expression

    def _given(self, argument: Argument) -> str:
        from dp_lsp.core.algebra import Poly  # only a mistake needs them
        from dp_lsp.core.types import Norm

        if isinstance(argument, Poly):
            return self.formula(argument)
        return argument.value if isinstance(argument, Norm) else self.annotation(argument)

    def _through(self, intent: Through) -> Iterator[Fix]:
        before, here, after = self.passed(_HERE, intent.calls).partition(_HERE)
        start, end = intent.span
        if here:
            yield Fix(intent.title, (Edit(Span(start, start), before), Edit(Span(end, end), after)), intent.sure)
