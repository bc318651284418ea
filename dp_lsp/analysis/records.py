"""What a check found out, as flat data that can cross the border between processes.

Offsets in a record are relative to its chunk, so that moving code changes no record. :class:`Analysis` puts the
records of a file in their places. Fixes that were tried, and what a baseline accepts, are such data, too.

What led to a bound, step by step, as flat data that can cross the border between processes.

It is made for one function at a time, when somebody asks, so a check need not keep it. Offsets are relative to the
chunk of the function.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from dp_lsp import frontends
from dp_lsp.analysis.limits import MOST, Limits
from dp_lsp.analysis.rows import (
    BoundReport,
    ConditionReport,
    Fact,
    FactPart,
    FreeVariable,
    NumericReport,
    ParameterReport,
    Premised,
    SpendingReport,
    decode_facts,
)
from dp_lsp.language import Language
from dp_lsp.later import Later
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Extent, Fix, Problem, Related, Severity
from dp_lsp.text import Source, Span

if TYPE_CHECKING:
    from dp_lsp.analysis.details import Details
    from dp_lsp.analysis.words import ReportWords


T = TypeVar("T")


class State(StrEnum):
    """What is known of a function or file. What is ``assumed`` is a black box: there is nothing wrong with how it is
    declared, and what it does is the user's word. ``stale`` exists in the server only."""

    PROVED = "proved"
    ASSUMED = "assumed"
    FAILED = "failed"
    UNKNOWN = "unknown"
    STALE = "stale"

    @property
    def holds(self) -> bool:
        """Whether nothing is open that a check can tell: it is proved, or assumed."""
        return self in (State.PROVED, State.ASSUMED)

    @property
    def weight(self) -> int:
        """How much it counts where several are put together."""
        return _WEIGHT[self]


_WEIGHT = {State.PROVED: 0, State.ASSUMED: 1, State.UNKNOWN: 2, State.FAILED: 3, State.STALE: 4}
_REPORTED = (State.STALE, State.FAILED, State.UNKNOWN, State.PROVED, State.ASSUMED)


class Setting(NamedTuple):
    """A number for a static parameter or a dimension: ``[function:]name=value``. With a ``file`` it counts only there,
    by the file's name in a check."""

    function: str | None
    name: str
    value: Fraction
    file: str = ""


PROFILES = ("sound", "published")
NEIGHBOURS = ("change-one", "add-remove")
"""The rules that bounds are found by; the first ones are the default."""
FLOAT_NOISES = ("premise", "error")
"""What noise is that a program draws in floating point; the first one is the default."""


_IN_PYTHON = re.compile(r"len\((?P<of>.+)\)|(?P<array>.+)\.shape\[1\]")


def _reported(name: str) -> tuple[str, ...]:
    """What reports call something that may be called so: Python's `len(v)` is a `length(v)` or `rows(v)`."""
    found = _IN_PYTHON.fullmatch(name)
    if found is None:
        return (name,)
    of = found["of"]
    return (name, f"length({of})", f"rows({of})") if of else (name, f"cols({found['array']})")


class Options(NamedTuple):
    """What a check depends on besides the text. ``facts`` keeps what hover needs. ``severity`` is that of problems by
    their code, None for one that is not told; ``max_epsilon`` and ``max_delta`` are what a private function may
    spend at most. ``target_delta`` is the total δ at which the smallest ε is wanted, ``neighbours`` which data are
    neighbours, ``float_noise`` what noise in floating point is, and ``contributes`` how many records a person has
    where no annotation says it. ``baseline`` is what one
    accepts in this file; with ``everything_accepted`` it accepts all that can be, which tells what a new one must hold.
    ``limits`` are what the check may take. ``language`` is the id of the language that the project is written in.
    ``named`` says that a setting names the file (:func:`dp_lsp.frontends.is_meant`)."""

    profile: str = PROFILES[0]
    settings: tuple[Setting, ...] = ()
    facts: bool = True
    severity: tuple[tuple[str, Severity | None], ...] = ()
    max_epsilon: Fraction | None = None
    max_delta: Fraction | None = None
    target_delta: Fraction | None = None
    neighbours: str = NEIGHBOURS[0]
    float_noise: str = FLOAT_NOISES[0]
    contributes: int = 1
    baseline: tuple[Accepted, ...] = ()
    everything_accepted: bool = False
    limits: Limits = MOST
    language: str = ""
    named: bool = False

    @property
    def asks_for_numbers(self) -> bool:
        """Whether bounds are wanted as numbers."""
        return bool(self.settings) or self.target_delta is not None

    def given(self, function: str) -> dict[str, Fraction]:
        """The numbers that settings give to what is called so in a function."""
        given = {each.name: each.value for each in self.settings if each.function in (None, function)}
        return {name: value for said, value in given.items() for name in _reported(said)}


class Wish(NamedTuple):
    """The options that hold for the files below a folder that have no configuration; of several the innermost folder
    counts, and an empty one is around all. ``profile`` is None for the default; ``python_include`` are patterns for
    files below the folder that are meant, too."""

    folder: str
    profile: str | None = None
    severity: tuple[tuple[str, Severity | None], ...] = ()
    python_include: tuple[str, ...] = ()


NOTHING_SAID = Later.known("")


class FunctionReport(NamedTuple):
    """A top-level method and what is proved of it. ``kind`` is ``sensitivity``, ``privacy`` or ``blackbox``;
    ``reason`` says why it is not proved, and is empty if it is; ``accepted`` that it is so only by what a person
    accepted. ``claims`` are the :class:`~dp_lsp.analysis.details.Details`, ``encoded``; empty where nothing is claimed.
    What they say is priced when somebody asks.

    The properties say what is proved (:mod:`dp_lsp.analysis.words`), each when it is asked for."""

    name: str
    signature: str
    kind: str
    state: State
    reason: str
    span: Span
    name_span: Span
    accepted: bool = False
    claims: Later[str] = NOTHING_SAID

    @property
    def encoded(self) -> str:
        """What is proved, as a text."""
        return self.claims.value

    @property
    def details(self) -> Details:
        """What is proved, as data."""
        from dp_lsp.analysis.details import decoded  # which loads the core: only who looks needs it

        return decoded(self.encoded)

    @property
    def words(self) -> ReportWords:
        """What is proved, as it is said."""
        from dp_lsp.analysis.words import words

        return words(self.encoded, self.kind, self.signature)

    @property
    def parameters(self) -> tuple[ParameterReport, ...]:
        """The parameters and their bounds."""
        return self.words.parameters

    @property
    def returns(self) -> str:
        """The type of the result."""
        return self.words.returns if self.encoded else ""

    @property
    def bounds(self) -> tuple[BoundReport, ...]:
        """All proved bounds."""
        return self.words.bounds

    @property
    def numeric(self) -> tuple[NumericReport, ...]:
        """The bounds as numbers."""
        return self.details.numeric

    @property
    def conditions(self) -> tuple[ConditionReport, ...]:
        """What the bounds hold under."""
        return self.words.conditions

    @property
    def open_conditions(self) -> tuple[ConditionReport, ...]:
        """The conditions that are open, but for what black boxes do: that is the state of those, not its own."""
        assumed = Premised.BLACK_BOX.value
        return tuple(each for each in self.conditions if not (each.decided or each.kind == assumed))

    @property
    def assumes(self) -> tuple[str, ...]:
        """The black boxes that it calls, which are taken at the user's word."""
        return self.words.assumes

    @property
    def display(self) -> str:
        """The type of the function as the published checker writes it."""
        return self.words.display if self.encoded else ""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """The mechanisms that are run, each once."""
        return self.details.mechanisms

    @property
    def spending(self) -> tuple[SpendingReport, ...]:
        """What each part spends, at its place."""
        return tuple(each._replace(span=each.span.moved(self.span.start)) for each in self.words.spending)

    @property
    def proved_chains(self) -> tuple[str, ...]:
        """What leads from a change of each dataset to what a private function tells of it, where all that this says is
        proved."""
        return self.words.chains if self.state is State.PROVED else ()

    def without_claims(self) -> FunctionReport:
        """The same report without anything that is said to hold."""
        return self._replace(claims=NOTHING_SAID)

    def moved(self, by: int) -> FunctionReport:
        """The same report in a text that has ``by`` more code points before it."""
        return self._replace(span=self.span.moved(by), name_span=self.name_span.moved(by))


class Silenced(NamedTuple):
    """An error that a person accepted, where it stands, and what is said of that: ``by`` is `comment`, `baseline` or
    `configuration`. Of the problem no more is kept than its message and place."""

    problem: Problem
    reason: str
    by: str


class Verdict(NamedTuple):
    """What a chunk says at once: states, problems, the top-level names it defines and those it uses. ``accepted`` says
    that something in it is unknown, and only by what a person accepted; ``excused`` is what of a baseline was needed
    for that, and ``silenced`` are the errors."""

    state: State
    functions: tuple[FunctionReport, ...]
    problems: tuple[Problem, ...]
    defines: tuple[str, ...]
    uses: frozenset[str]
    accepted: bool = False
    excused: tuple[Accepted, ...] = ()
    silenced: tuple[Silenced, ...] = ()


KEY = 20
"""How many bytes the key of a chunk has. More follow where a record also tells of places in other chunks."""


MAIN = ""
"""The name of the module that is around all others; that of one in it is ``.Name``."""
Modules = tuple[str, ...]


def share(some: Modules | None, others: Modules | None) -> bool:
    """Whether a top-level name means the same in these modules; None stands for all."""
    return some is None or others is None or not set(some).isdisjoint(others)


NO_FACTS = Later.known(b"")
NO_NAMES = Later.known(b"")
NO_MEANINGS = Later.known(b"")


class ChunkRecord(NamedTuple):
    """All that is known of a chunk. ``facts`` is made when somebody points at it, and decoded. So is ``names``, where
    its names stand (:mod:`dp_lsp.analysis.names`): that follows from the text alone, whatever was found out about it.
    ``meanings`` are digests of what each name means that it defines, one after the other, if these can be told; they
    are made when a chunk is checked that uses such a name.
    ``modules`` are those that it is a part of, each with its own top-level names. ``asks`` are the questions, as texts,
    whose answers may make numbers of it smaller; those are found by who has the time."""

    key: bytes
    verdict: Verdict
    facts: Later[bytes] = NO_FACTS
    names: Later[bytes] = NO_NAMES
    meanings: Later[bytes] = NO_MEANINGS
    modules: Modules = (MAIN,)
    asks: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether all of it is there."""
        claims = all(each.claims.is_known for each in self.verdict.functions)
        return claims and all(each.is_known for each in (self.facts, self.names, self.meanings))

    def complete(self) -> None:
        """Have all of it found out."""
        self.facts.ask()
        self.names.ask()
        self.meanings.ask()
        for function in self.verdict.functions:
            function.claims.ask()

    def at_once(self) -> ChunkRecord:
        """What of it is there; the rest is awaited."""
        if self.is_whole:
            return self
        functions = tuple(each._replace(claims=each.claims.at_once(self.key)) for each in self.verdict.functions)
        facts, names, meanings = (each.at_once(self.key) for each in (self.facts, self.names, self.meanings))
        verdict = self.verdict._replace(functions=functions)
        return self._replace(verdict=verdict, facts=facts, names=names, meanings=meanings)

    def fill(self, other: ChunkRecord) -> bool:
        """What is awaited here has come with another record, if that says the same at once; whether it does."""
        mine, its = self.verdict.functions, other.verdict.functions
        same = self.verdict.state is other.verdict.state and [each.without_claims() for each in mine] == [
            each.without_claims() for each in its
        ]
        if same:
            self.facts.fill(other.facts)
            self.names.fill(other.names)
            self.meanings.fill(other.meanings)
            for one, another in zip(mine, its, strict=True):
                one.claims.fill(another.claims)
        return same


class Placed(NamedTuple):
    """A record and where its chunk stands in the file."""

    start: int
    length: int
    record: ChunkRecord


class Analysis:
    """What is known of one version of one file. Immutable."""

    def __init__(self, source: Source, chunks: tuple[Placed, ...], options: Options) -> None:
        self.source = source
        self.chunks = chunks
        self.options = options

    @property
    def language(self) -> Language:
        """The language that it is written in."""
        return frontends.of("", self.options.language)

    @property
    def is_asked(self) -> bool:
        """Whether anything is said of the file."""
        return all(chunk.record.key != _NOT_ASKED for chunk in self.chunks)

    def is_same(self, other: Analysis) -> bool:
        """Whether two analyses say the same of the same text."""
        return self.chunks == other.chunks and self.source.text == other.source.text

    @cached_property
    def functions(self) -> tuple[FunctionReport, ...]:
        """All functions, at their places in the file."""
        return tuple(
            function.moved(chunk.start) for chunk in self.chunks for function in chunk.record.verdict.functions
        )

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """All problems, at their places in the file and in that order."""
        moved = (problem.moved(chunk.start) for chunk in self.chunks for problem in chunk.record.verdict.problems)
        return tuple(sorted(moved, key=lambda problem: (problem.span, problem.code, problem.message)))

    @property
    def silenced(self) -> Iterator[Silenced]:
        """The errors that are accepted, at their places in the file."""
        for chunk in self.chunks:
            for each in chunk.record.verdict.silenced:
                yield each._replace(problem=each.problem.moved(chunk.start))

    def with_notes(self, notes: Mapping[tuple[Span, str], str]) -> Analysis:
        """The same, and what was found out later about problems, by place in the file and message."""
        return self._changed(lambda problem: _noted(problem, notes.get((problem.span, problem.message))))

    def with_fixes(self, fixes: Mapping[Problem, tuple[Fix, ...]]) -> Analysis:
        """The same with these fixes of its problems and no others."""
        return self._changed(lambda problem: problem._replace(fixes=fixes.get(problem, ())))

    def _changed(self, change: Callable[[Problem], Problem]) -> Analysis:
        """The same with other problems, each changed at its place in the file."""

        def changed(chunk: Placed) -> Placed:
            verdict, start = chunk.record.verdict, chunk.start
            problems = tuple(change(problem.moved(start)).moved(-start) for problem in verdict.problems)
            return chunk._replace(record=chunk.record._replace(verdict=verdict._replace(problems=problems)))

        return Analysis(self.source, tuple(map(changed, self.chunks)), self.options)

    @property
    def state(self) -> State:
        """The worst state of anything in the file; ``proved`` if there is nothing."""
        return worst(chunk.record.verdict.state for chunk in self.chunks)

    @property
    def accepted(self) -> bool:
        """Whether something is unknown, and all that is not proved is so only by what a person accepted."""
        verdicts = [chunk.record.verdict for chunk in self.chunks if not chunk.record.verdict.state.holds]
        return bool(verdicts) and all(verdict.accepted for verdict in verdicts)

    def count(self, severity: Severity) -> int:
        """How many problems of a severity there are."""
        return sum(problem.severity is severity for problem in self.problems)

    def modules_at(self, offset: int) -> Modules:
        """The modules that what stands at ``offset`` is a part of."""
        return next((chunk.record.modules for chunk in self.chunks_at(offset)), (MAIN,))

    def methods(self, name: str, offset: int) -> Iterator[FunctionReport]:
        """The functions of that name as ``offset`` knows them."""
        modules = self.modules_at(offset)
        for start, _, record in self.chunks:
            if share(record.modules, modules):
                yield from (each.moved(start) for each in record.verdict.functions if each.name == name)

    def function_named_at(self, offset: int) -> FunctionReport | None:
        """The function whose name stands at ``offset``."""
        return next((function for function in self.functions if function.name_span.covers(offset)), None)

    def chunks_at(self, offset: int) -> Iterator[Placed]:
        """The chunks that ``offset`` touches: two, between them."""
        index = bisect_right(self._starts, offset)
        near = self.chunks[max(0, index - 2) : index]
        return (chunk for chunk in near if chunk.start <= offset <= chunk.start + chunk.length)

    def touching(self, span: Span) -> range:
        """The indices of the chunks that a range touches, be it at their ends."""
        first = bisect_left(self.chunks, span.start, key=lambda chunk: chunk.start + chunk.length)
        return range(first, max(first, bisect_right(self._starts, span.end)))

    def before(self, offset: int) -> Placed | None:
        """The last chunk that begins at an offset or before it."""
        index = bisect_right(self._starts, offset)
        return self.chunks[index - 1] if index else None

    @cached_property
    def _starts(self) -> list[int]:
        return [chunk.start for chunk in self.chunks]

    def facts_in(self, span: Span) -> Iterator[tuple[int, Fact]]:
        """What is known of what stands in a range, at its place in the file, each with the index of its chunk."""
        for index, (start, length, record) in enumerate(self.chunks):
            if start <= span.end and span.start <= start + length:
                for fact in decode_facts(record.facts.value):
                    if start + fact.span.start <= span.end and span.start <= start + max(fact.span.end, fact.until):
                        yield index, fact.moved(start)

    def facts_at(self, offset: int) -> list[Fact]:
        """What is known of the expressions at ``offset``, at their places in the file, the smallest first."""
        for chunk in self.chunks_at(offset):
            inside = offset - chunk.start
            hits = [
                fact
                for fact in decode_facts(chunk.record.facts.value)
                if fact.span.covers(inside) and fact.part is not FactPart.AFTER
            ]
            if hits:
                hits.sort(key=lambda fact: fact.span.end - fact.span.start)
                return [fact.moved(chunk.start) for fact in hits]
        return []


def _noted(problem: Problem, note: str | None) -> Problem:
    return problem if note is None else problem._replace(related=(*problem.related, Related(note, problem.span)))


def unchecked(source: Source, problem: Problem, options: Options) -> Analysis:
    """What is known of a text that was not checked: why."""
    key = f"{problem.code} {problem.message}".encode("utf-8", "surrogatepass")
    record = ChunkRecord(key, Verdict(State.UNKNOWN, (), (problem,), (), frozenset()))
    return Analysis(source, (Placed(0, len(source.text), record),), options)


_NOT_ASKED = b"not asked"


def not_asked(source: Source, options: Options) -> Analysis:
    """What is known of a text that nobody wants to have checked: nothing, and nothing is wrong with that."""
    record = ChunkRecord(_NOT_ASKED, Verdict(State.UNKNOWN, (), (), (), frozenset()))
    return Analysis(source, (Placed(0, len(source.text), record),), options)


def reported(found: Iterable[T], state_of: Callable[[T], State]) -> list[T]:
    """Functions or files in the order of reports: first what needs somebody, then what was found out, and last what
    is taken at the user's word."""
    return sorted(found, key=lambda each: _REPORTED.index(state_of(each)))


def worst(states: Iterator[State]) -> State:
    """The state that counts when several are put together."""
    return max(states, key=lambda each: each.weight, default=State.PROVED)


# Fixes that were tried before anybody is offered them.


class Repair(NamedTuple):
    """A fix of a problem, after which that problem is gone and nothing is worse than before. Both are at their places
    in the file. One that ``accepts`` leaves the problem where it is, and is offered after all others. All those that
    go ``together`` were also tried in one edit; no two of them touch the same text, but for the very same edit."""

    problem: Problem
    fix: Fix
    accepts: bool = False
    together: bool = False


def preferred(repairs: Sequence[Repair]) -> list[Repair]:
    """Those that hardly anybody would want another one for: sure, and the only one of their problem that is."""
    sure = Counter(each.problem for each in repairs if each.fix.sure and not each.accepts)
    return [each for each in repairs if each.fix.sure and not each.accepts and sure[each.problem] == 1]


def edits_of(repairs: Iterable[Repair]) -> tuple[Edit, ...]:
    """The edits of some repairs, each once, in the order of the text."""
    return tuple(sorted({edit for each in repairs for edit in each.fix.edits}))


def fixes_of(repairs: Iterable[Repair]) -> dict[Problem, tuple[Fix, ...]]:
    """The fixes of each problem, but for those that accept it."""
    found: dict[Problem, tuple[Fix, ...]] = {}
    for each in repairs:
        if not each.accepts:
            found[each.problem] = (*found.get(each.problem, ()), each.fix)
    return found


# What a baseline accepts: problems that were there when it was written, found again by what their line says.


_LINE_BREAK = re.compile(r"\r\n|\n|\r")


class Accepted(NamedTuple):
    """Problems of a file: the function they stand in (empty for none), their code, what their line says without the
    blanks around it, how many of them there are at most, and how bad they are at most, None for any."""

    function: str
    code: str
    line: str
    times: int = 1
    extent: tuple[Extent, ...] | None = None

    @property
    def order(self) -> tuple[object, ...]:
        """By what entries are sorted."""
        return (*self[:-1], self.extent or ())


def counted(entries: Iterable[Accepted]) -> Counter[Accepted]:
    """How many times each is there that stands for one problem."""
    found: Counter[Accepted] = Counter()
    for each in entries:
        found[each._replace(times=1)] += each.times
    return found


def listed(entries: Counter[Accepted]) -> tuple[Accepted, ...]:
    """The same, sorted, each with how many times it is there."""
    found = [each._replace(times=times) for each, times in entries.items() if times > 0]
    return tuple(sorted(found, key=lambda each: each.order))


def lines(text: str) -> list[str]:
    """The lines of a text as a baseline has them."""
    return [line.strip() for line in _LINE_BREAK.split(text)]


def line_at(text: str, offset: int) -> str:
    """What the line of an offset says, as a baseline has it."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    end = _LINE_BREAK.search(text, offset)
    return text[start : end.start() if end else len(text)].strip()


class Rule(NamedTuple):
    """What allows a step: its name, what it says, and where that is proved."""

    name: str
    words: str
    source: str


class Step(NamedTuple):
    """One step. ``why`` names the rule and its arithmetic, ``shown`` is what it leads to, both for a person.

    ``premises`` are the places of earlier steps that it is made of, ``reasons`` those that tell where a factor comes
    from. ``factors`` (for a sensitivity one for each premise, for a cost what its rule takes) and ``result`` (a
    sensitivity, or ε and δ) are formulas in SymPy syntax. ``of`` names what moves, where that is not the subject of
    the derivation. ``span`` is None for a step that puts together what stands in several places.
    """

    span: Span | None
    rule: str
    why: str
    premises: tuple[int, ...]
    reasons: tuple[int, ...]
    factors: tuple[str, ...]
    result: tuple[str, ...]
    shown: str
    of: str = ""


class Conclusion(NamedTuple):
    """What a derivation arrives at: the place of its last step; for a privacy cost the rule of composition, and what
    the user may choose in it."""

    rule: str
    step: int
    result: tuple[str, ...]
    shown: str
    free: tuple[FreeVariable, ...] = ()


class Derivation(NamedTuple):
    """How the bounds for one parameter, or for several that change together, come about. ``bound`` says the tightest
    to a person; without steps it is all there is to say. ``inside`` is the name of a function that is made in the one
    that is explained, and ``place`` where it stands, if these are its parameters."""

    parameters: tuple[str, ...]
    bound: str
    steps: tuple[Step, ...] = ()
    conclusions: tuple[Conclusion, ...] = ()
    inside: str = ""
    place: Span | None = None

    def moved(self, by: int) -> Derivation:
        """The same in a text that has ``by`` more code points before it."""
        steps = tuple(step._replace(span=step.span and step.span.moved(by)) for step in self.steps)
        return self._replace(steps=steps, place=self.place and self.place.moved(by))


class Premise(NamedTuple):
    """A condition under which the bounds hold, and what demands it."""

    text: str
    reason: str
    span: Span


class Explanation(NamedTuple):
    """The derivations of a function or, with a ``fact``, of an expression in it; the rules they use; the functions
    they refer to; the conditions; the problems that stand in the way; and, where numbers are asked for, what each rule
    comes to, for each parameter or record best first."""

    function: FunctionReport
    fact: Fact | None
    derivations: tuple[Derivation, ...]
    rules: tuple[Rule, ...]
    callees: tuple[str, ...]
    conditions: tuple[Premise, ...]
    problems: tuple[Problem, ...]
    numbers: tuple[NumericReport, ...] = ()

    def moved(self, by: int) -> Explanation:
        """The same in a text that has ``by`` more code points before it."""
        return self._replace(
            function=self.function.moved(by),
            fact=self.fact and self.fact._replace(span=self.fact.span.moved(by)),
            derivations=tuple(each.moved(by) for each in self.derivations),
            conditions=tuple(each._replace(span=each.span.moved(by)) for each in self.conditions),
            problems=tuple(each.moved(by) for each in self.problems),
        )
