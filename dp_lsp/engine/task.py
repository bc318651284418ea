"""What is known of a chunk: inferring it with what the names it uses mean, and the key of what that depends on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, starmap
from typing import TYPE_CHECKING

from dp_lsp import frontends
from dp_lsp.analysis.details import Chain
from dp_lsp.analysis.records import KEY, NO_FACTS, ChunkRecord, FunctionReport, Options, State, Verdict, worst
from dp_lsp.analysis.rows import Plotted, encode_facts
from dp_lsp.core.annotation import Anything
from dp_lsp.core.digest import SIZE
from dp_lsp.core.scheme import FunctionValue
from dp_lsp.core.term import Constant, Definition, Method
from dp_lsp.core.values import replace
from dp_lsp.engine.describe import METRICS, Described, Description, ReportPlace, describe, describe_box
from dp_lsp.engine.distributions import Consulted
from dp_lsp.engine.premises import Meaning, Premises, digest
from dp_lsp.engine.problems import ClaimUnreadable
from dp_lsp.engine.program import Program, may_use
from dp_lsp.engine.remarks import Excuses, Ignores, RemarkOutcome, Split, all_accepted, is_claim, outcome_of
from dp_lsp.hopeless import CannotBeProved
from dp_lsp.infer.context import Global, Resolve, UnknownGlobal
from dp_lsp.infer.method import InferenceSetting, Inferred, infer_constant, infer_method
from dp_lsp.infer.problems import CallsUnchecked, LeavesUnprotected, SensitivityMissed
from dp_lsp.infer.reading import is_readable
from dp_lsp.infer.rules import BY_NAME
from dp_lsp.language import Language
from dp_lsp.later import Later
from dp_lsp.lower.definitions import is_unread
from dp_lsp.lower.problems import CallCycle
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Named, Problem, Related, Severity, Sought
from dp_lsp.surface import Remark
from dp_lsp.text import Span

if TYPE_CHECKING:  # what is asked for later is loaded then
    from dp_lsp.accounting.charge import Guarantee
    from dp_lsp.analysis.records import Explanation
    from dp_lsp.engine.claimed import Asserted, Claim


class KnownChunk(NamedTuple):
    """A record, what the names defined in its chunk mean, and the plots that were made of its functions, by the places
    of these in the chunk."""

    record: ChunkRecord
    meanings: tuple[tuple[str, Meaning], ...]
    plotted: dict[Span, Plotted]

    @classmethod
    def told(cls, record: ChunkRecord) -> KnownChunk | None:
        """What a record says that another process has made, if it can be used without inferring its chunk."""
        names, digests = record.verdict.defines, record.meanings.value
        if len(record.key) != KEY or len(digests) != SIZE * len(names):
            return None
        parts = (digests[at : at + SIZE] for at in range(0, len(digests), SIZE))
        meanings = (Meaning(None, Later.known(part)) for part in parts)
        return cls(record, tuple(zip(names, meanings, strict=True)), {})

    @property
    def is_complete(self) -> bool:
        """Whether all values are there."""
        return all(meaning.is_there for _, meaning in self.meanings)

    def complete(self, found: KnownChunk) -> None:
        """The same was found out once more, with all values."""
        for (_, mine), (_, other) in zip(self.meanings, found.meanings, strict=True):
            mine.find(other.value)


class Task:
    """Inferring one unit, with what the names it uses mean."""

    def __init__(
        self,
        program: Program,
        premises: Premises,
        look: Callable[[], None],
    ) -> None:
        self.unit = premises.unit
        self._premises = premises
        self._program = program
        self._look = look
        definitions = self.unit.lowered.definitions
        self._own = {definition.name for definition in definitions}
        self._itself = set[str]() if _calls_others(program, definitions) else self._own
        self._before: dict[str, Global | UnknownGlobal] = {}  # what earlier definitions of this unit mean
        self._read_claims = self._read([remark for remark in self.unit.remarks if is_claim(remark)])
        self._met: list[UnknownGlobal] = []  # what the definition uses that is inferred
        self.answers: Mapping[str, Guarantee] = {}
        """What distributions say of what the unit costs: see :class:`Consulted`."""
        self._consulted = Consulted({})

    @property
    def _options(self) -> Options:
        return self._premises.options

    def _read(self, claims: list[Remark]) -> list[Claim | Problem]:
        """What comments claim."""
        if not claims:
            return []
        from dp_lsp.engine.claimed import read

        syntax = frontends.of("", self._options.language).syntax
        return [read(remark, syntax) for remark in claims]

    def key(self) -> bytes:
        """A digest of all that the record depends on, but for answers."""
        return self._premises.key()

    def better_key(self, key: bytes) -> bytes:
        """The same where there are answers."""
        return digest((key, self.answers), KEY)

    def sources(self) -> Iterator[int]:
        """The units whose meanings this one is made of, by their index; some may not be inferred yet."""
        others = self.unit.uses - self._itself
        for name, named in self._premises.names.items():
            if name in others and named.cloud is None and not named.is_around:
                found = (self._program.reached(each, name) for each in self.unit.lowered.definitions)
                yield from dict.fromkeys(chain.from_iterable(found))

    def refused(self, key: bytes) -> KnownChunk:
        """The record of a unit that must not be inferred: nothing is known of it."""
        reason = "checking it ended the checking process"
        names = tuple(definition.name for definition in self.unit.lowered.definitions)
        verdict = Verdict(State.UNKNOWN, (), (*self.unit.lowered.problems, *self.unit.problems), names, self.unit.uses)
        values = ((name, UnknownGlobal(name, reason)) for name in names)
        return self._made(key, verdict, NO_FACTS, [(name, Meaning.of(value)) for name, value in values])

    def infer(self, key: bytes) -> KnownChunk:
        """What is found out about the unit."""
        self._consulted, self._before = Consulted(self.answers), {}
        excuses = Excuses(self._options, self.unit.chunk.text, self.unit.lowered.definitions)
        ignores = Ignores(self.unit.remarks, self._options.severity, excuses)
        around = ignores.split(self._weighed([*self.unit.lowered.problems, *self.unit.problems]))
        around.kept.extend([*ignores.problems, *self._claim_problems()])
        problems = list(around.kept)
        reports: list[FunctionReport] = []
        meanings: list[tuple[str, Meaning]] = []
        outcomes = [outcome_of(around, next((p.message for p in [*around.kept, *around.accepted] if p.unchecked), ""))]
        facts: list[tuple[Definition, Inferred, State]] = []
        for definition in self.unit.lowered.definitions:
            found = self._infer(definition)
            self._look()
            report, kept, outcome = self._report(definition, found, around, ignores)
            self._look()
            problems += kept
            outcomes.append(outcome)
            reports += [report] if report is not None else []
            meaning = _meaning(definition.name, found, outcome, kept)
            meanings.append((definition.name, Meaning.of(meaning)))
            self._before[definition.name] = meaning
            facts.append((definition, found, outcome.state))
        self._look()
        idle = ignores.unused()
        outcomes += [RemarkOutcome(State.FAILED, "")] * bool(idle)
        names = tuple(definition.name for definition in self.unit.lowered.definitions)
        state, accepted = worst(each.state for each in outcomes), all_accepted(outcomes)
        spans = [definition.span for definition in self.unit.lowered.definitions]
        shown = told(_answered([*problems, *idle], spans), self.unit.syntax)
        silenced = tuple(ignores.silenced)
        verdict = Verdict(state, tuple(reports), shown, names, self.unit.uses, accepted, excuses.used, silenced)
        known = Later(partial(_facts, facts, self.unit.chunk.text, self._options)) if facts else NO_FACTS
        return self._made(key, verdict, known if self._options.facts else NO_FACTS, meanings)

    def _made(
        self, key: bytes, verdict: Verdict, facts: Later[bytes], meanings: list[tuple[str, Meaning]]
    ) -> KnownChunk:
        digests = Later(partial(_digests, meanings))
        asks = self._consulted.asks
        return KnownChunk(ChunkRecord(key, verdict, facts, self.unit.names, digests, asks=asks), tuple(meanings), {})

    def explanation(self, known: KnownChunk, offset: int, expression: bool) -> Explanation | None:
        """What led to what is known of the function at an offset of the chunk, or of an expression there."""
        verdict = known.record.verdict
        for definition, found in self.again(known, offset):
            report = next((each for each in verdict.functions if each.span == definition.span), None)
            if report is not None:
                problems = tuple(each for each in verdict.problems if self._belongs(definition, each.span.start))
                from dp_lsp.engine.explanation import explain

                at, consult = offset if expression else None, Consulted(self.answers)
                return explain(found, report, problems, at, self._options, consult)
        return None

    def plotted(self, known: KnownChunk, report: FunctionReport) -> Plotted:
        """The plots of a function of the chunk; made once."""
        if report.span not in known.plotted:
            from dp_lsp.engine.curves import plots

            (inferred,) = (found for each, found in self.again(known, report.span.start) if each.span == report.span)
            made = tuple(plots(report, inferred, self._options, self._look))
            known.plotted[report.span] = Plotted(report.name_span, made)
        return known.plotted[report.span]

    def again(self, known: KnownChunk, offset: int) -> Iterator[tuple[Definition, Inferred]]:
        """The definitions that cover an offset of the chunk, inferred once more: with all that a record leaves out."""
        for definition, (name, meaning) in zip(self.unit.lowered.definitions, known.meanings, strict=True):
            if definition.span.covers(offset):
                yield definition, self._infer(definition)
            self._before[name] = meaning.value

    def asserted(self, definition: Definition, found: Inferred, problem: Problem) -> Asserted | None:
        """What a comment says of how far a method moves that a problem is about."""
        if found.shown is None or problem.code != SensitivityMissed.code:
            return None
        from dp_lsp.engine.claimed import asserted

        description = Description(found.shown, ReportPlace(definition.span, definition.name_span), self._options)
        return asserted(description, (each for each in self._claims() if _is_about(each, definition)), problem)

    def _infer(self, definition: Definition) -> Inferred:
        language, rules = frontends.of("", self._options.language), BY_NAME[self._options.profile]
        named = self._premises.names[definition.name]
        against = "" if named.conflict is None or named.conflict.of_calls else named.conflict.why
        broken = self._broken(definition) or self._premises.cloud or against or named.cloud or ""
        usual, metric = self._options.contributes, METRICS[self._options.neighbours]
        version = self._version(definition, broken)
        names, text = self._names(definition), self.unit.chunk.text
        setting = InferenceSetting(text, language, rules, names, broken, usual, metric, version)
        if isinstance(definition, Constant):
            return _spoken(infer_constant(definition, setting, self._look), language)
        found = _spoken(infer_method(definition, setting, self._look), language)
        taken = (*map(_LOADED.format, self._premises.trusted), *map(_MOVED.format, self._premises.moved))
        return found._replace(assumed=(*found.assumed, *taken))

    def _broken(self, definition: Definition) -> str:
        """What of a definition, or outside of all of them, was not understood; empty if all of it was."""
        if not self.unit.broken or not self._are_nested:
            return self.unit.broken
        found = (
            (each.message, self._innermost(each.span.start)) for each in self.unit.lowered.problems if each.unchecked
        )
        return next((message for message, span in found if span in (None, definition.span)), "")

    def _belongs(self, definition: Definition, offset: int) -> bool:
        """Whether a place is in a definition, and in none inside that."""
        return self._innermost(offset) == definition.span if self._are_nested else definition.span.covers(offset)

    def _innermost(self, offset: int) -> Span | None:
        """The extent of the smallest definition at a place."""
        around = (each.span for each in self.unit.lowered.definitions if each.span.covers(offset))
        return min(around, key=lambda span: span.end - span.start, default=None)

    @cached_property
    def _are_nested(self) -> bool:
        """Whether the last of the definitions is all that a file does, or the first one is a class, so that it holds
        others."""
        definitions = self.unit.lowered.definitions
        around = {each.span for each in (definitions[0], definitions[-1])}
        return any(span.covers(each.span.start) for span in around for each in definitions if each.span != span)

    def _version(self, definition: Definition, broken: str) -> bytes:
        """A digest of all that a method depends on which others read: one with parameters without annotations, or of
        constants and its text alone, whatever else is said around that. Empty for others, and for what may not be
        inferred as it is called: something is wrong with it whatever the types."""
        others = () if self._are_nested else self.unit.lowered.problems  # those that count for it are in `broken`
        wrong = broken or any(each.unchecked for each in (*others, *self.unit.problems))
        if wrong or not isinstance(definition, Method):
            return b""
        if any(isinstance(each.type, Anything) for each in definition.params):
            return self.key()
        meant = {name: self._found(name) for name in sorted(definition.uses)}
        if any(isinstance(each, FunctionValue | UnknownGlobal) for each in meant.values()):
            return b""
        return digest((definition, meant)) if is_readable(definition) else b""

    def _names(self, definition: Definition) -> Resolve:
        """What the top-level names that a definition mentions mean now, however often it is inferred later. That a name
        calls itself is a problem of its own."""
        known = {name: self._found(name) for name in definition.uses}
        met = list[UnknownGlobal]()
        self._met = met

        def resolve(name: str) -> Global | UnknownGlobal | None:
            found = known.get(name)
            if isinstance(found, UnknownGlobal) and not self._is_itself(name):
                met.append(found)
            return found

        return resolve

    def _is_itself(self, name: str) -> bool:
        """Whether a name is one of the unit, which may be called by it, or on the way back to it."""
        return name in self._itself or self._premises.names[name].is_around

    def _found(self, name: str) -> Global | UnknownGlobal | None:
        named, cloud = self._premises.names[name], self._premises.cloud
        if named.cloud is not None:
            return UnknownGlobal(name, named.cloud)
        if name in self._before and named.is_alone:
            return self._before[name]
        if self._is_itself(name):
            return UnknownGlobal(name, "it calls itself")
        found = [meaning.value for meaning in named.meanings]
        if not found:
            return UnknownGlobal(name, cloud) if cloud else None
        if len(found) == 1:
            return found[0]
        methods = tuple(method for value in found if isinstance(value, FunctionValue) for method in value.methods)
        lost = (value for value in found if isinstance(value, UnknownGlobal))
        unreadable = min(lost, key=lambda value: value.accepted, default=None)
        conflict = named.conflict
        return unreadable or (UnknownGlobal(name, conflict.why) if conflict else FunctionValue(name, methods))

    def _name_problems(self, definition: Definition) -> list[Problem]:
        problems = []
        names = self._premises.names
        conflict = names[definition.name].conflict
        if conflict is not None and not conflict.of_calls and not (conflict.may and is_unread(definition)):
            # what was not understood says so itself, and a call what it calls
            others = _pointer(definition, definition.name, Sought.OTHERS)
            problems.append(conflict.at(definition.name_span, definition.name, others))
        pending = (name for name in definition.uses if name in self._itself and name not in self._before)
        around = (name for name in definition.uses if names[name].is_around)
        for name in sorted({*around, *pending}):
            way = "" if name == definition.name else f" through `{name}`"
            through = () if name == definition.name else (_pointer(definition, name),)
            problems.append(CallCycle.at(definition.name_span, name=definition.name, way=way, related=through))
        return problems

    def _weighed(self, problems: Iterable[Problem]) -> list[Problem]:
        """The problems as severe as they are said to be."""
        return weighed(problems, self._options.severity) if self._options.severity else list(problems)

    def _worth_saying(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Why nothing in the whole program is known is said once, where it begins, and not at each use of a name."""
        return (each for each in problems if not (self._premises.cloud and each.code == CallsUnchecked.code))

    def _report(
        self, definition: Definition, found: Inferred, around: Split, ignores: Ignores
    ) -> tuple[FunctionReport | None, list[Problem], RemarkOutcome]:
        """What is reported of a definition, with the problems that come with it, and what became of it. ``around`` are
        the problems of the chunk as a whole."""
        raised = self._weighed([*self._name_problems(definition), *self._worth_saying(found.problems)])
        around_itself = next((p.message for p in raised if p.code == CallCycle.code), "")
        unknown = around_itself or found.unknown or next((p.message for p in raised if p.unchecked), "")
        local = around.within(partial(self._belongs, definition))
        described = self._described(definition, found, [*local.kept, *local.accepted, *raised], unknown)
        own = ignores.split([*raised, *(described.problems if described else ())])
        own.kept.extend(ignores.unused(definition.span))
        excused = bool(own.accepted or around.accepted or self._met) and not self._is_unknown_besides(around, own)
        outcome = outcome_of(local.joined(own), unknown, excused)
        if outcome.state is State.UNKNOWN and described and described.report.state is not State.UNKNOWN:
            described = self._described(definition, found, [], outcome.reason)  # what is accepted leaves no claim
        if described is None:
            return None, own.kept, outcome
        if described.report.state is State.ASSUMED and outcome.state is State.PROVED:
            outcome = outcome._replace(state=State.ASSUMED)
        state, reason, accepted = outcome
        return described.report._replace(state=state, reason=reason, accepted=accepted), own.kept, outcome

    def _is_unknown_besides(self, around: Split, own: Split) -> bool:
        """Whether a definition is unknown, or has an error, by anything that nobody accepted."""
        kept = [*around.kept, *own.kept]
        return (
            bool(self._premises.cloud)
            or any(self._premises.names[name].cloud is not None for name in self._own)
            or not all(each.accepted for each in self._met)
            or any(each.severity is Severity.ERROR for each in kept)
            or any(each.unchecked and each.code != CallsUnchecked.code for each in kept)
        )

    def _described(
        self, definition: Definition, found: Inferred, problems: list[Problem], unknown: str
    ) -> Described | None:
        """The report of a method that has these problems; None of anything else."""
        if isinstance(definition, Constant) or not isinstance(found.value, FunctionValue):
            return None
        state = _state_of(problems, unknown)
        spans = tuple(param.local.span for param in definition.params)
        place = ReportPlace(definition.span, definition.name_span, self.unit.chunk.text, spans)
        signature = definition.shown_signature
        if found.value.black_box is not None:
            names = tuple(param.local.name for param in definition.params)
            code = frontends.of("", self._options.language).rendering
            return Described(describe_box(found.value, place, signature, names, code), ())
        assert found.shown is not None, "a method that is no black box has a scheme"
        shown = found.shown if found.shown.reason or not unknown else replace(found.shown, reason=unknown)
        claims = tuple(each for each in self._claims() if _is_about(each, definition))
        about = found.assumed, claims, self._consulted, partial(_chains, found)
        return describe(shown, place, self._options, state, *about)

    def _claims(self) -> list[Claim]:
        """What comments say of what functions cost or move by."""
        return [each for each in self._read_claims if not isinstance(each, Problem)]

    def _claim_problems(self) -> Iterator[Problem]:
        """What is wrong with such comments."""
        definitions = [each for each in self.unit.lowered.definitions if not isinstance(each, Constant)]
        for each in self._read_claims:
            if isinstance(each, Problem):
                yield each
            elif not any(_is_about(each, definition) for definition in definitions):
                yield ClaimUnreadable.at(each.span, word=each.word, wrong="no function stands there")


def _calls_others(program: Program, definitions: Sequence[Definition]) -> bool:
    """Whether the one definition of a unit calls others of its name alone, and there are such."""
    if len(definitions) != 1 or definitions[0].name not in definitions[0].uses:
        return False
    (own,) = definitions
    return not may_use(own, own.name)(own) and any(True for _ in program.reached(own, own.name))


def _digests(meanings: list[tuple[str, Meaning]]) -> bytes:
    """Those of what names mean, one after the other."""
    return b"".join(meaning.digest.value for _, meaning in meanings)


def _facts(found: list[tuple[Definition, Inferred, State]], text: str, options: Options) -> bytes:
    """What is known of the expressions of definitions in a text."""
    from dp_lsp.engine.facts import FoundDefinition, tables  # only an editor asks for them

    return encode_facts(tables(starmap(FoundDefinition, found), text, options))


def _chains(found: Inferred, description: Description) -> Iterable[Chain]:
    """What leads from datasets to what is told of them."""
    from dp_lsp.engine.explanation import chains  # not needed where nothing is a dataset

    return chains(description, found)


def _is_about(claim: Claim, definition: Definition) -> bool:
    """Whether a comment stands directly above a definition, or at the end of its first line."""
    start, end = claim.target
    return any(start <= each.start < end for each in (definition.span, definition.name_span))


def _state_of(problems: list[Problem], unknown: str) -> State:
    if unknown:
        return State.UNKNOWN
    return State.FAILED if any(problem.severity is Severity.ERROR for problem in problems) else State.PROVED


def _pointer(definition: Definition, name: str, sought: Sought = Sought.NAME) -> Related:
    """A pointer from a definition to another."""
    also = " too" if sought is Sought.OTHERS else ""
    return Related(f"`{name}` is defined here{also}", definition.name_span, Named(name, sought))


def _is_open(found: Inferred) -> bool:
    """Whether a method may still be understood as it is called."""
    return isinstance(found.value, FunctionValue) and any(method.is_open for method in found.value.methods)


def _spoken(found: Inferred, language: Language) -> Inferred:
    """What was found, said in the words of the language."""
    say = language.rendering.spoken
    problems = tuple(
        each._replace(
            message=say(each.message),
            cause=say(each.cause),
            related=tuple(place._replace(message=say(place.message)) for place in each.related),
            fixes=tuple(fix._replace(title=say(fix.title)) for fix in each.fixes),
        )
        for each in found.problems
    )
    return found._replace(problems=problems, unknown=say(found.unknown), assumed=tuple(map(say, found.assumed)))


def _meaning(name: str, found: Inferred, outcome: RemarkOutcome, problems: list[Problem]) -> Global | UnknownGlobal:
    """What a definition means to others: nothing may be built on what is not proved."""
    if outcome.state.holds or (found.unknown and outcome.reason == found.unknown and _is_open(found)):
        return found.value
    if outcome.state is State.FAILED:
        codes = sorted({problem.code for problem in problems if problem.severity is Severity.ERROR})
        return UnknownGlobal(name, f"it has an error: {', '.join(codes)}")
    return UnknownGlobal(name, outcome.reason or "it was not checked to the end", outcome.accepted)


_MOST_PLACES = 5
_LOADED = "`{}`, which is not checked, gives nothing that is used here another meaning"
"""The premise of a module of others."""
_MOVED = "the file is run from its first line to its last before this is called, so that `{}` has its last value"
"""The premise of a name with several values."""


def weighed(problems: Iterable[Problem], severity: Iterable[tuple[str, Severity | None]]) -> list[Problem]:
    """The problems as severe as is said by code, without those that are not to be told. What is an error by itself is
    left as it is: to make it less is to accept it."""
    found = []
    levels = dict(severity)
    for problem in problems:
        level = levels.get(problem.code, problem.severity)
        if problem.severity is Severity.ERROR:
            found.append(problem)
        elif level is not None:
            found.append(problem._replace(severity=level))
    return found


def _answered(problems: list[Problem], functions: Iterable[Span]) -> list[Problem]:
    """The problems, but for what is left to be hidden in functions of which it is told what to release instead: that
    is one answer, and the other would be about what is not released then."""
    hopeless = [problem for problem in problems if problem.code == CannotBeProved.code]
    answered = [span for span in functions if any(span.covers(problem.span.start) for problem in hopeless)]
    return [
        problem
        for problem in problems
        if problem.code != LeavesUnprotected.code or not any(span.covers(problem.span.start) for span in answered)
    ]


def told(problems: Iterable[Problem], syntax: Collection[Problem]) -> tuple[Problem, ...]:
    """The problems of a chunk, each once. That it is beyond what is checked is told at the first such place, with the
    others as related ones: problems that leave something unchecked besides, those of ``syntax`` apart, may only
    follow from it."""
    known = list(dict.fromkeys(problems))
    beyond = [problem for problem in known if Kind.registry[problem.code].unsupported]
    if not beyond:
        return tuple(known)
    first = min(beyond, key=lambda problem: (problem.severity is not Severity.ERROR, problem.span))
    others = [problem for problem in known if problem.unchecked and problem is not first and problem not in syntax]
    places = [Related(problem.message, problem.span) for problem in others[:_MOST_PLACES]]
    if len(others) > len(places):
        places.append(Related(f"and {len(others) - len(places)} more", others[len(places)].span))
    joined = first._replace(related=(*first.related, *places))
    return tuple(joined if problem is first else problem for problem in known if problem not in others)
