"""What a rule would have written, and who writes it: rules and messages hold no text of a source language.

A rule says what should be done as an *intent*, plain data about places and builtins; the rendering of the language of
its text makes repairs of it. A message with code in it has a placeholder for the rendering, ``{code.private}``, which
is given like every other fact. Both happen where a problem is reported, because there the language of the text is at
hand: what is remembered, and what crosses between processes, is plain text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Placeholder
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.algebra import Poly
    from dp_lsp.core.annotation import Annotation
    from dp_lsp.core.sens import Sens
    from dp_lsp.core.types import Norm


Argument: TypeAlias = "Norm | Annotation | Poly | Placeholder"
"""What a builtin is given besides an expression: a norm, a type, a public number, or one that the author chooses."""


class Made(NamedTuple):
    """A call of a builtin, by its id, of expressions."""

    builtin: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = "str | Sens | Argument | Made"
"""What a repair writes: a piece of the program as it is written there, a number, a norm, a type, what the author
chooses, or what a builtin makes of such."""


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


class Write(NamedTuple):
    """Write expressions in the places of others; ``{code}`` in the title shows the first one."""

    title: str
    written: tuple[tuple[Span, Expression], ...]
    sure: bool = False


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


class AddParameter(NamedTuple):
    """Give a function, whose name stands at ``function``, a public number of this name as its last parameter."""

    function: Span
    name: str


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


class SayWhatIsGiven(NamedTuple):
    """Say what the parameters of a function around a ``place`` are of which nothing is said: records are one of the
    ``types``, one without records has a number that is one of ``otherwise``, and what somebody chooses is public."""

    place: int
    types: tuple[Annotation, ...]
    otherwise: tuple[Annotation, ...]


class SayWhatIsRead(NamedTuple):
    """Say what a name holds that the body of a file, or a function around a ``place``, gives what it reads first: one
    of the types."""

    types: tuple[Annotation, ...]
    place: int | None = None


class SayWhoTrains(NamedTuple):
    """Say what the parameters of a function around a ``place`` are that trains on the records of one of them, and that
    it is private."""

    place: int


class ProtectRecords(NamedTuple):
    """The same of the parameters that are measured by a norm, of a function whose name stands at ``function``."""

    function: Span
    types: tuple[Annotation, ...]


class DeclareResult(NamedTuple):
    """Declare another one of these to be what a function returns; its name stands at ``function``."""

    function: Span
    types: tuple[Annotation, ...]


class DeclareOrdered(NamedTuple):
    """Declare of a parameter, a dataset, that its records have places."""

    parameter: Span


class LeaveOut(NamedTuple):
    """Leave a statement out, which stands in lines of its own."""

    title: str
    span: Span


class AddUp(NamedTuple):
    """Write what a loop over records adds up as a sum."""

    loop: Span


class AddProducts(NamedTuple):
    """Add the products of the records of two vectors up in a loop over both, where their sum is written at ``span``."""

    span: Span


class TakeLargest(NamedTuple):
    """Write what a loop over records keeps as the largest of them, or as the smallest."""

    loop: Span


class AddRows(NamedTuple):
    """Add the rows to each other where all entries of a matrix are added up, once within ``function``."""

    function: Span


class InBrackets(NamedTuple):
    """Make all values of a generator before any is used."""

    span: Span


class ForEach(NamedTuple):
    """Apply a function that takes a number, and whose name stands at ``callee``, to each entry."""

    callee: Span


class Spend(NamedTuple):
    """Multiply what the mechanisms within ``function`` are given as ε by a factor, so that a budget is kept to."""

    function: Span
    factor: Fraction


class InParentheses(NamedTuple):
    """Write what belongs to a type of datasets in the brackets that it is written in."""

    span: Span


class ByRounds(NamedTuple):
    """Say how often a loop within ``function`` runs before it begins."""

    function: Span


class AtMost(NamedTuple):
    """Say how often a loop at ``loop``, which goes on until something holds, runs at most."""

    loop: Span
    rounds: int


class ByPosition(NamedTuple):
    """Give mechanisms within ``function`` their arguments without names."""

    function: Span


class AsTuple(NamedTuple):
    """Give several results in their order, and not by names, within ``function``."""

    function: Span


class AsCall(NamedTuple):
    """Write what is given to a function by an operator as a call, within ``function``."""

    function: Span


class Unqualified(NamedTuple):
    """Call a function by its name alone, which is one of ``known``, where it is written with a module that nothing here
    is known of, at ``span``."""

    span: Span
    known: Collection[str]


class AsNumber(NamedTuple):
    """Write a number as such, which is written as a text at ``span``."""

    span: Span


class Rename(NamedTuple):
    """Call a variable that is called like a builtin, at ``place``, otherwise within ``function``."""

    place: Span
    function: Span


class AllAtOnce(NamedTuple):
    """Give a mechanism all entries of a vector at once, where a loop of ``function`` releases one after the other."""

    function: Span


class GiveName(NamedTuple):
    """Give what is compared with a name, in a line that does nothing else, this name, which stands at ``name``."""

    name: Span


class PassColumns(NamedTuple):
    """Give a function, whose name stands at ``name``, the numbers that it uses, instead of a table, structures or dates
    that hold them, and that are declared at ``annotation``."""

    annotation: Span
    name: Span
    function: Span


class Otherwise(NamedTuple):
    """Say in other words what is not understood in ``function``."""

    function: Span


class WithoutDots(NamedTuple):
    """Compute with numbers at ``span`` what is written for all entries of something."""

    span: Span


class PassKnown(NamedTuple):
    """Pass only values that are there to a function, whose name stands at ``name``."""

    name: Span
    function: Span


class Once(NamedTuple):
    """Do once what a loop within ``function`` and around ``place`` repeats until private data are met."""

    place: Span
    function: Span


class OneTable(NamedTuple):
    """Pass several vectors of the same people as one table to a function, whose name stands at ``name``; with
    ``only`` where nothing else may help: one says which numbers of the other count, or their deviations from the mean
    are multiplied."""

    name: Span
    function: Span
    only: bool = False


class PassTable(NamedTuple):
    """Give a function, whose name stands at ``name``, what it uses of a table, instead of reading that itself."""

    name: Span
    function: Span


class AsFunction(NamedTuple):
    """Write a method, whose name stands at ``name``, as a function that the method calls."""

    name: Span


class LeaveOutCheck(NamedTuple):
    """Leave out what makes a run fail if something does not hold, or what ``shows`` something, within ``function`` and
    at ``place``."""

    title: str
    place: Span
    function: Span
    shows: bool = False


class CollectResults(NamedTuple):
    """Give the results of ``function`` without a dictionary that is filled."""

    function: Span


class ReturnReleased(NamedTuple):
    """Have a function end where all is released, and leave what is done from ``place`` on to who calls it."""

    place: Span
    function: Span


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
    Through | Write | Replace | Before | AddParameter | DeclarePublic | DeclarePrivate | DeclareLeast | DeclareRecords
    | SayWhatIsGiven | SayWhoTrains | ProtectRecords | Annotate | DeclareResult | DeclareOrdered | LeaveOut | AddUp
    | AddProducts
    | TakeLargest | AddRows | InBrackets | ForEach | Spend | InParentheses | ByRounds | AtMost | AsTuple | AsCall
    | Unqualified | AsNumber | GiveName | Rename | AllAtOnce | ByPosition
    | SayWhatIsRead | PassColumns | PassTable | ReturnReleased | LeaveOutCheck | CollectResults | OneTable | Otherwise
    | WithoutDots | PassKnown | Once | AsFunction
    | ByMap | ReturnNothing | CopyRenamed | AsParameter | Lookalikes | CloseBlock | ImportNamed | EnoughNoise
)  # fmt: skip
"""All that rules wish for. A repair that only moves or repeats what the user wrote is an edit, and no intent."""

LOWEST = Placeholder("lower bound", "0")
HIGHEST = Placeholder("upper bound", "100")
LARGEST_NORM = Placeholder("largest norm", "1")
"""What is asked for where numbers are put between bounds, and rows scaled down."""
DISTANCE = Placeholder("sensitivity", "1")
EPSILON = Placeholder("epsilon", "1")
DELTA = Placeholder("delta", "1e-5")
CATEGORIES = Placeholder("categories", "[1, 2, 3]")
"""What is asked for where noise is added, or an answer is random."""

_HERE = "\0"
_TAKING = frozenset("+-*/^÷%!")
_BINDING = frozenset("/^÷%")
"""Operators, and those of which it matters whether what stands behind them is a product."""
_OPEN, _BETWEEN, _CLOSE = "\1", "\2", "\3"
"""Around and within what the author chooses, while the code around it is made."""


def edit_of(span: Span, code: str) -> Edit:
    """An edit that writes code in which is marked what the author chooses."""
    text, placeholders = "", []
    for part in code.split(_OPEN):
        name, found, rest = part.partition(_BETWEEN)
        if not found:
            text += part
            continue
        default, _, rest = rest.partition(_CLOSE)
        placeholders.append(Placeholder(name, default, len(text)))
        text += default + rest
    return Edit(span, text, tuple(placeholders))


def with_defaults(code: str) -> str:
    """Code in which is marked what the author chooses, without the marks."""
    return edit_of(Span(0, 0), code).text


def _in_place(code: str, span: Span, text: str) -> str:
    """A formula that takes a place in a text: in brackets, where an operator beside it would take a part of it."""
    before, after = text[: span.start].rstrip(" ")[-1:], text[span.end :].lstrip(" ")[:1]
    is_sum = " + " in code or " - " in code
    taken = is_sum and bool(_TAKING & {before, after}), before in _BINDING and not code.isalnum()
    return f"({code})" if any(taken) else code


_IN_FULL = 2
_NAMED = 3
_DETAIL = re.compile(r": `.*|, with bounds chosen without looking at the data.*|, so that .*", re.DOTALL)


def together(titles: Sequence[str]) -> str:
    """The title of several repairs in one: two by their titles, of more what the first ones do, without the code that
    they write. The same one in several places is told once."""
    told = [*dict.fromkeys(titles)]
    if len(told) == 1 < len(titles):
        return f"{told[0]} (in {len(titles)} places)"
    if len(told) <= _IN_FULL:
        return ", and ".join(told)
    short = [*dict.fromkeys(_DETAIL.sub("", each) for each in told)]
    return f"{', '.join(short[:_NAMED])} ({len(told)} repairs in one)"


_INNERMOST = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_LOOSER = re.compile(r"(?<=[\w)\]\s])(?<!\de)[-+<>=?&|]")


def grouped(written: str, follows: bool) -> str:
    """A part of a product or quotient, in parentheses if it holds what binds looser; behind the sign also if it is a
    product or quotient itself."""
    outer, before = written, ""
    while outer != before:
        outer, before = _INNERMOST.sub("_", outer), outer
    return f"({written})" if _LOOSER.search(outer) or (follows and re.search("[*/]", outer)) else written


class Rendering(ABC):
    """How a language writes what rules speak of. ``language`` is its name; ``private`` and ``public`` are the marks of
    a private function and of a public parameter, as messages show them; ``sizes`` is how it writes sizes that reports
    call otherwise (``core.annotation.Sizes``). What has a body here serves a language that has no way of its own to
    write it."""

    language: str
    private: str
    public: str
    sizes: Mapping[str, str] = MappingProxyType({})

    @abstractmethod
    def __getitem__(self, builtin: str) -> str:
        """The name of a builtin, by its id. Messages have it as ``{code[sum]}``."""

    @abstractmethod
    def call(self, builtin: str, *arguments: str) -> str:
        """A call of a builtin; empty if it has no spelling."""

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

    def constants(self, text: str) -> Sequence[str]:
        """The names of numbers that are written out at the top level of a text."""
        return ()

    def goes_through(self, name: str, text: str) -> bool:
        """Whether a text does something for each entry of what has a name, such as a list of limits."""
        return False

    def picks(self, name: str, text: str) -> bool:
        """Whether a text takes some entries of what has a name by their places, and not all of them in turn."""
        return False

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
            case Write():
                return self._write(intent, text)
            case Replace(title, span, value):
                code = _in_place(self.formula(value), span, text)
                return (Fix(f"{title} {code}", (Edit(span, code),)),) if code else ()
        return ()

    def spoken(self, sentence: str) -> str:
        """A sentence of a rule, which speaks of code in the words of the rows, in those of the language."""
        return sentence

    def types_shown(self, text: str) -> str:
        """A text with types in the published notation, as it is shown to who writes the language."""
        return text

    def completed(self, fix: Fix, text: str) -> Fix:
        """A repair of a whole text with what it needs elsewhere in it, such as imports of what it writes."""
        return fix

    def _write(self, intent: Write, text: str) -> Iterator[Fix]:
        edits = [edit_of(span, self._beside(span, made, text)) for span, made in intent.written]
        if all(edit.text for edit in edits):
            yield Fix(intent.title.format(code=edits[0].text), tuple(edits), intent.sure)

    def _beside(self, span: Span, made: Expression, text: str) -> str:
        """An expression in brackets, where what stands beside it would take a part of it."""
        code = self.expression(made)
        is_infix = isinstance(made, Made) and self.is_infix(made.builtin)
        beside = text[: span.start].rstrip(" ")[-1:] in _TAKING or text[span.end :].lstrip(" ")[:1] in _TAKING
        return f"({code})" if is_infix and beside and code else code

    def is_infix(self, builtin: str) -> bool:
        """Whether what a builtin makes is written with a sign between its arguments."""
        return not builtin.isidentifier()

    def expression(self, made: Expression) -> str:
        """An expression, with what the author chooses marked for :func:`edit_of`; empty if it cannot be written."""
        from dp_lsp.core.sens import Sens  # only a mistake needs them

        if isinstance(made, Made):
            arguments = [self.expression(each) for each in made.arguments]
            if made.builtin in ("*", "/"):
                arguments = [grouped(each, at > 0) for at, each in enumerate(arguments)]
            return self.call(made.builtin, *arguments) if all(arguments) else ""
        if isinstance(made, str):
            return made
        return self.formula(made) if isinstance(made, Sens) else self._given(made)

    def passed(self, expression: str, calls: Collection[Passing]) -> str:
        """An expression, given to builtins; empty if one has no spelling."""
        for builtin, before, after in calls:
            arguments = (*map(self._given, before), expression, *map(self._given, after))
            expression = self.call(builtin, *arguments)
        return expression

    def _given(self, argument: Argument) -> str:
        from dp_lsp.core.algebra import Poly  # only a mistake needs them
        from dp_lsp.core.types import Norm

        if isinstance(argument, Placeholder):
            return f"{_OPEN}{argument.name}{_BETWEEN}{argument.default}{_CLOSE}"
        if isinstance(argument, Poly):
            return self.formula(argument)
        return argument.value if isinstance(argument, Norm) else self.annotation(argument)

    def _through(self, intent: Through) -> Iterator[Fix]:
        before, here, after = self.passed(_HERE, intent.calls).partition(_HERE)
        start, end = intent.span
        if here:
            edits = edit_of(Span(start, start), before), edit_of(Span(end, end), after)
            yield Fix(intent.title, edits, intent.sure)
