"""Problems: what the checker tells a person, as plain data.

A *kind* is a class with a code, a name, a severity, a message template and a page (its docstring). The page
holds one broken and one fixed example, which the tests run. A *problem* is one occurrence of a kind at a place.
Kinds live beside the code that reports them; subclassing :class:`Kind` registers them.
"""

from __future__ import annotations

import inspect
import re
from enum import StrEnum
from typing import ClassVar

from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

DOCUMENTATION = "https://github.com/dp-lsp/dp-lsp/blob/main/dp_lsp/reference/diagnostics.md"
INFINITE = "oo"
"""Any amount, in the notation of reports."""

_BETWEEN_NAMES = re.compile("` (?:and|or) `|`, `")


class Severity(StrEnum):
    """How much a problem weighs; only an error makes a run fail."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


def may_be_lowered(code: str) -> bool:
    """Whether a configuration may make errors of a code less: not those of files that are not understood, of
    configurations and comments, and of the checker itself."""
    return code[:3] not in ("DP0", "DP8", "DP9")


def may_be_accepted(code: str) -> bool:
    """Whether errors of a code may be accepted where they stand, by a baseline or a comment: those that may be made
    less, and what is beyond the language, of which nothing else depends."""
    return may_be_lowered(code) or (code in Kind.registry and Kind.registry[code].unsupported)


class Sought(StrEnum):
    """What is looked for in a definition: its name, the other definitions of that name, one of its parameters, why it
    is not proved, what makes it move without bound, or the first mechanism that it runs."""

    NAME = "name"
    OTHERS = "others"
    PARAMETER = "parameter"
    CAUSE = "cause"
    GROWTH = "growth"
    MECHANISM = "mechanism"


class Named(NamedTuple):
    """A place in a definition of the same module, by the definition's name and, of several methods, the signature. It
    is looked up where the module's files are known, so that what is remembered of a piece of text depends on none."""

    name: str
    sought: Sought = Sought.NAME
    signature: str = ""
    parameter: str = ""


class There(NamedTuple):
    """A place in another file, which is given by its name in a check: its range there, its line, counted from 1, what
    stands before it on that line, and what stands there."""

    file: str
    span: Span
    line: int
    before: str
    written: str


class Related(NamedTuple):
    """A place that helps to understand a problem, with what to see there. If it is not in the same piece of text,
    ``where`` says where it is, and ``span`` is the place of the problem itself. ``step`` says that it is one on the way
    from the cause to the problem, in that order."""

    message: str
    span: Span
    where: Named | There | None = None
    step: bool = False


class Placeholder(NamedTuple):
    """A part of what an edit writes that only the author of the program can choose: what it is, and what is written
    until then, ``at`` so many code points from the beginning of the edit's text. Those of one name are one choice."""

    name: str
    default: str
    at: int = 0


class Edit(NamedTuple):
    """Replace the text of ``span`` by ``text``, in which some parts may be for the author to choose; those are in the
    order of the text."""

    span: Span
    text: str
    placeholders: tuple[Placeholder, ...] = ()


class Fix(NamedTuple):
    """A change of the text that removes a problem. ``sure`` says that hardly anybody would want another one,
    ``declares`` that it says what is meant: what it shows to be wrong then was wrong before, and ``exposes`` that
    people may not be protected any more, so that it is offered after all others."""

    title: str
    edits: tuple[Edit, ...]
    sure: bool = True
    declares: bool = False
    exposes: bool = False

    def moved(self, by: int) -> Fix:
        """The same change in a text that has ``by`` more code points before it."""
        return self._replace(edits=tuple(edit._replace(span=edit.span.moved(by)) for edit in self.edits))


class Extent(NamedTuple):
    """One of the things that tell how bad a problem is: what it is about, such as a parameter, and how much, a formula
    in the notation of reports. Another thing, or more of one, is worse."""

    about: str
    amount: str

    def of(self, name: str) -> Extent:
        """The same amount of a variable: `ε of x`, or `x` where it says of what by itself."""
        return self._replace(about=f"{self.about} of {name}" if self.about else name)


ANY_AMOUNT = Extent("", INFINITE)
"""What may be any amount."""


class Problem(NamedTuple):
    """One finding. ``unchecked`` says that it left something unchecked: its function is ``unknown``; ``unnecessary``
    that the text at its place can go. One that is ``refutable`` says of a number that it is too small, which two inputs
    may show. ``extent`` says how bad it is, where there is more to it than its line. ``cause`` is the message in a few
    words, for the line above a function, and empty where the message is short enough."""

    code: str
    name: str
    severity: Severity
    message: str
    span: Span
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()
    unchecked: bool = False
    unnecessary: bool = False
    refutable: bool = False
    extent: tuple[Extent, ...] = ()
    cause: str = ""

    @property
    def url(self) -> str:
        """The address of the page about this kind of problem."""
        return f"{DOCUMENTATION}#{self.code.lower()}"

    def moved(self, by: int) -> Problem:
        """The same problem in a text that has ``by`` more code points before it."""
        if not by:
            return self
        return self._replace(
            span=self.span.moved(by),
            related=tuple([r._replace(span=r.span.moved(by)) for r in self.related]),
            fixes=tuple([fix.moved(by) for fix in self.fixes]),
        )


class Kind:
    """A kind of problem. Its docstring is its page: one sentence, why it matters, and two examples."""

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    message: ClassVar[str]
    cause: ClassVar[str] = ""
    unchecked: ClassVar[bool] = False
    unnecessary: ClassVar[bool] = False
    refutable: ClassVar[bool] = False
    unsupported: ClassVar[bool] = False
    """Whether the text is beyond what is checked; of a chunk that is said once."""

    registry: ClassVar[dict[str, type[Kind]]] = {}

    def __init_subclass__(cls) -> None:
        known = Kind.registry.setdefault(cls.code, cls)
        if known is not cls:
            raise TypeError(f"{cls.code} belongs to {known.__name__} already")

    @classmethod
    def at(
        cls,
        span: Span,
        *,
        related: tuple[Related, ...] = (),
        fixes: tuple[Fix, ...] = (),
        amount: Extent = ANY_AMOUNT,
        extent: tuple[Extent, ...] = (),
        **facts: object,
    ) -> Problem:
        """This kind of problem at ``span``; ``facts`` fill the placeholders of the message and of the cause. How bad it
        is: the ``amount`` for each variable that it is about, and what else is in ``extent``."""
        message = cls.message.format(**facts)
        what = cls.code, cls.name, cls.severity, message, span
        about = facts.get("variable") or facts.get("variables")
        names = _BETWEEN_NAMES.split(str(about)) if about else ()
        bad = (*(amount.of(name) for name in names), *extent)
        return Problem(
            *what, related, fixes, cls.unchecked, cls.unnecessary, cls.refutable, bad, cls.cause.format(**facts)
        )

    @classmethod
    def page(cls) -> str:
        """The Markdown page about this kind of problem."""
        return f"# {cls.code} · {cls.name}\n\n{inspect.cleandoc(cls.__doc__ or '')}\n"
