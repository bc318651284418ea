"""The one module that turns text into an analysis: front end, lowering, inference, report; with a memo.

What is remembered is keyed by all that inference may look at: the text of a chunk, the options, and the meaning of
every name the chunk mentions, also of those that have none.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from dp_lsp import __version__
from dp_lsp.analysis.derivations import Explanation
from dp_lsp.analysis.loading import Loader, Refusal, Text
from dp_lsp.analysis.records import (
    Analysis,
    ChunkRecord,
    FunctionReport,
    Options,
    Placed,
    State,
    Verdict,
    encode_facts,
    unchecked,
    worst,
)
from dp_lsp.analysis.ticket import Ticket
from dp_lsp.core.scheme import FunctionValue
from dp_lsp.core.term import Constant, Definition
from dp_lsp.engine.describe import Place, describe, describe_box
from dp_lsp.engine.explanation import explain
from dp_lsp.engine.facts import tables
from dp_lsp.engine.interface import digest
from dp_lsp.engine.memo import Memo
from dp_lsp.engine.merge import together
from dp_lsp.engine.problems import IncludeWithoutFolder
from dp_lsp.engine.program import Program, Signatures, Unit
from dp_lsp.engine.project import File, Part, Project, project, readable, unbalanced
from dp_lsp.engine.told import told
from dp_lsp.frontends.julia.chunks import chunks
from dp_lsp.infer.inference import Global, Unreadable
from dp_lsp.infer.method import Inferred, infer_constant, infer_method
from dp_lsp.infer.problems import CallsUnchecked
from dp_lsp.infer.rules import BY_NAME
from dp_lsp.lower.definitions import lower
from dp_lsp.lower.facts import INCLUDE
from dp_lsp.lower.problems import CallCycle
from dp_lsp.problem import Problem, Severity
from dp_lsp.surface import Chunk
from dp_lsp.text import Source

DEFAULT = Options()
_RECURSION = 5_000  # the front end limits nesting to far less than this allows


class _Meaning(NamedTuple):
    """What a name stands for, and a digest of it."""

    value: Global | Unreadable
    digest: bytes


class _Known(NamedTuple):
    """A record, and what the names defined in its chunk mean."""

    record: ChunkRecord
    meanings: tuple[tuple[str, _Meaning], ...]


class _How(NamedTuple):
    """What :meth:`Engine.project` was asked for besides a text."""

    options: Options
    look: Callable[[], None]
    on_chunk: Callable[[bytes], None]
    refused: Collection[bytes]


class Engine:
    """Checks files, and remembers what it found out about each chunk.

    ``parsed`` and ``inferred`` count the chunks that were really parsed and inferred since it was made.
    """

    def __init__(self) -> None:
        self.parsed = 0
        self.inferred = 0
        self._cut: tuple[str, tuple[Chunk, ...]] = ("", ())
        self._files: Memo[str, File] = Memo()
        self._units: Memo[tuple[str, Signatures], Unit] = Memo()
        self._records: Memo[bytes, _Known] = Memo()
        self._memos: tuple[Memo[Any, Any], ...] = (self._files, self._units, self._records)

    def check(
        self,
        text: str,
        options: Options = DEFAULT,
        ticket: Ticket | None = None,
        on_chunk: Callable[[bytes], None] = lambda key: None,
        refused: Collection[bytes] = (),
        document: str = "",
    ) -> Analysis:
        """The analysis of a text that is in no folder, a version of ``document``; else as :meth:`project`."""
        return self.project(document, _Lone(text), options, ticket, on_chunk, refused)[document]

    def project(
        self,
        root: str,
        loader: Loader,
        options: Options = DEFAULT,
        ticket: Ticket | None = None,
        on_chunk: Callable[[bytes], None] = lambda key: None,
        refused: Collection[bytes] = (),
    ) -> dict[str, Analysis]:
        """The analyses of a file and of all it includes, by name. Never raises on any text; raises what the ticket
        raises.

        ``on_chunk`` is called with a chunk's key before it is inferred; a key in ``refused`` is not inferred but
        reported as ``unknown`` (it ended the process before).
        """
        how = _How(options, (ticket or Ticket()).look, on_chunk, refused)
        whole, found = self._project(root, loader, how)
        return together((root, {part.name: _analysis(whole, part, found, options)}) for part in whole.parts)

    def explain(
        self,
        root: str,
        loader: Loader,
        place: tuple[str, int],
        expression: bool = False,
        options: Options = DEFAULT,
        ticket: Ticket | None = None,
    ) -> Explanation | None:
        """What led to the bounds of the function at a place, which is the name of a file of the project and an offset
        in it; with ``expression`` to those of the smallest expression there, if there is one. None for a place that no
        function covers.

        The project is checked; what is remembered of it is as good. Only the function itself is inferred again."""
        name, offset = place
        whole, found = self._project(root, loader, _How(options, (ticket or Ticket()).look, lambda key: None, ()))
        for module, index in (each for part in whole.parts if part.name == name for each in part.places):
            task, known = found[module][index]
            start, text = task.unit.chunk.start, task.unit.chunk.text
            if start <= offset <= start + len(text):
                explained = task.explanation(known, offset - start, expression)
                if explained is not None:
                    return explained.moved(start)
        return None

    def _project(self, root: str, loader: Loader, how: _How) -> tuple[Project, list[_Done]]:
        """A project, and what is known of each of its modules."""
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        whole = project(root, loader, lambda text: self._file(text, how.look))
        found = [self._module(program, how) for program in whole.programs]
        for memo in self._memos:
            memo.turn(root)
        return whole, found

    def forget(self, root: str) -> None:
        """A project is not checked any more: what only it used need not be remembered."""
        for memo in self._memos:
            memo.forget(root)

    def includes(self, text: Text, look: Callable[[], None] = lambda: None) -> tuple[str, ...]:
        """The paths that a text includes; cheap where it includes none."""
        if readable(text).problem is not None or INCLUDE not in text.content:
            return ()
        found = (self._unit(chunk, look) for chunk in self._chunks(text.content) if INCLUDE in chunk.text)
        return tuple(include.path for unit in found for include in unit.lowered.includes)

    def _module(self, program: Program, how: _How) -> _Done:
        """What is known of each unit of a module, by its index."""
        meanings: dict[str, list[_Meaning]] = {}
        done: _Done = {}
        for index, cycle in program.order():
            how.look()
            changing = program.changing(index)
            if changing:
                unit = program.units[index]
                program.units[index] = self._unit(unit.chunk, how.look, changing)._replace(problems=unit.problems)
            task = _Task(program, index, how.options, meanings, cycle, how.look)
            known = self._known(task, how)
            done[index] = task, known
            for name, meaning in known.meanings:
                meanings.setdefault(name, []).append(meaning)
        return done

    def _file(self, text: str, look: Callable[[], None]) -> File:
        known = self._files.get(text)
        if known is None:
            units = [self._unit(chunk, look) for chunk in self._chunks(text)]
            for index, problem in unbalanced(units).items():
                units[index] = units[index]._replace(problems=(problem,))
            known = File(Source(text), tuple(units))
            self._files.put(text, known)
        else:
            self._units.use((unit.chunk.text, ()) for unit in known.units)
        return known

    def _chunks(self, text: str) -> tuple[Chunk, ...]:
        """The pieces of a text. Who asks what a file includes asks for the file next."""
        if self._cut[0] is not text:
            self._cut = text, chunks(text)
        return self._cut[1]

    def _unit(self, chunk: Chunk, look: Callable[[], None], changing: Signatures = ()) -> Unit:
        """A chunk, parsed and lowered. ``changing`` are the functions of other chunks that change a parameter: they
        are known only when those are lowered, so a chunk that mentions one is lowered a second time."""
        key = chunk.text, changing
        known = self._units.get(key)
        if known is None:
            from dp_lsp.frontends.julia.parse import parse  # lark is needed only where something is parsed

            look()
            self.parsed += 1
            parsed = parse(chunk.text)
            lowered = lower(parsed, chunk.text, dict(changing))
            lowered = lowered._replace(problems=(*parsed.problems, *lowered.problems))
            broken = next((problem.message for problem in lowered.problems if problem.unchecked), "")
            known = Unit(chunk, lowered, broken, parsed.problems, changing=changing)
            self._units.put(key, known)
        return known._replace(chunk=chunk)

    def _known(self, task: _Task, how: _How) -> _Known:
        key = task.key()
        known = self._records.get(key)
        if known is None:
            if key in how.refused:
                known = task.refused(key)
            else:
                how.on_chunk(key)
                self.inferred += bool(task.unit.lowered.definitions)
                known = task.infer(key)
            self._records.put(key, known)
        return known


class _Task:
    """Inferring one unit, with what the names it uses mean."""

    def __init__(
        self,
        program: Program,
        index: int,
        options: Options,
        meanings: dict[str, list[_Meaning]],
        cycle: frozenset[str],
        look: Callable[[], None],
    ) -> None:
        self.unit = program.units[index]
        self._program = program
        self._options = options
        self._meanings = meanings
        self._cycle = cycle
        self._look = look
        self._own = {definition.name for definition in self.unit.lowered.definitions}
        self._before: dict[str, Global | Unreadable] = {}  # what earlier definitions of this unit mean

    def key(self) -> bytes:
        """A digest of all that the record depends on."""
        state = hashlib.blake2b(digest_size=20)
        definitions = self.unit.lowered.definitions
        names = sorted({name for definition in definitions for name in definition.uses})
        program = self._program
        own = [(program.conflict(d.name), program.clouds.get(d.name)) for d in definitions]
        around = (program.cloud, sorted(self._cycle), own, self.unit.problems, self.unit.changing)
        state.update(repr((__version__, self._options, around)).encode())
        state.update(self.unit.chunk.text.encode("utf-8", "surrogatepass"))
        for name in names:
            state.update(name.encode())
            state.update(self._meaning_digest(name))
        return state.digest()

    def _meaning_digest(self, name: str) -> bytes:
        """A digest of what a name means here; what its own unit says of it is in the unit's text."""
        found = self._meanings.get(name, ())
        state = repr((self._program.clouds.get(name), name in self._cycle, self._program.conflict(name)))
        return state.encode() + b"".join(meaning.digest for meaning in found)

    def refused(self, key: bytes) -> _Known:
        """The record of a unit that must not be inferred: nothing is known of it."""
        reason = "checking it ended the checking process"
        names = tuple(definition.name for definition in self.unit.lowered.definitions)
        verdict = Verdict(State.UNKNOWN, (), (*self.unit.lowered.problems, *self.unit.problems), names, self._uses())
        meanings = ((name, Unreadable(name, reason)) for name in names)
        return _Known(
            ChunkRecord(key, verdict, b""), tuple((name, _Meaning(value, digest(value))) for name, value in meanings)
        )

    def infer(self, key: bytes) -> _Known:
        problems = [*self.unit.lowered.problems, *self.unit.problems]
        reports: list[FunctionReport] = []
        meanings: list[tuple[str, _Meaning]] = []
        states = [_state_of(problems, next((p.message for p in problems if p.unchecked), ""))]
        inferred: list[Inferred] = []
        for definition in self.unit.lowered.definitions:
            found = self._infer(definition)
            own = [*self._name_problems(definition), *self._worth_saying(found.problems)]
            report, more, state = self._report(definition, found, own)
            problems += [*own, *more]
            states.append(state)
            reports += [report] if report is not None else []
            meaning = _meaning(definition.name, found, state, [*own, *more])
            meanings.append((definition.name, _Meaning(meaning, digest(meaning))))
            self._before[definition.name] = meaning
            inferred.append(found)
        names = tuple(definition.name for definition in self.unit.lowered.definitions)
        verdict = Verdict(worst(iter(states)), tuple(reports), told(problems, self.unit.syntax), names, self._uses())
        facts = encode_facts(tables(inferred)) if self._options.facts and inferred else b""
        return _Known(ChunkRecord(key, verdict, facts), tuple(meanings))

    def explanation(self, known: _Known, offset: int, expression: bool) -> Explanation | None:
        """What led to what is known of the function at an offset of the chunk, or of an expression there."""
        verdict = known.record.verdict
        for definition, (name, meaning) in zip(self.unit.lowered.definitions, known.meanings, strict=True):
            report = next((each for each in verdict.functions if each.span == definition.span), None)
            if report is not None and definition.span.covers(offset):
                problems = tuple(each for each in verdict.problems if definition.span.covers(each.span.start))
                found = self._infer(definition)
                return explain(found, report, problems, offset if expression else None, self._options)
            self._before[name] = meaning.value
        return None

    def _infer(self, definition: Definition) -> Inferred:
        rules, text = BY_NAME[self._options.profile], self.unit.chunk.text
        conflict = self._program.conflict(definition.name)
        broken = self.unit.broken or self._program.cloud or (conflict.why if conflict else "")
        if definition.name in self._program.clouds:
            broken = broken or self._program.clouds[definition.name]
        if isinstance(definition, Constant):
            return infer_constant(definition, text, rules, self._resolve, self._look, broken)
        return infer_method(definition, text, rules, self._resolve, self._look, broken)

    def _resolve(self, name: str) -> Global | Unreadable | None:
        """What a top-level name means here."""
        if name in self._program.clouds:
            return Unreadable(name, self._program.clouds[name])
        if name in self._before and self._program.is_defined_once(name):
            return self._before[name]
        if name in self._cycle or name in self._own:
            return Unreadable(name, "it calls itself")
        found = [meaning.value for meaning in self._meanings.get(name, ())]
        if not found:
            return Unreadable(name, self._program.cloud) if self._program.cloud else None
        if len(found) == 1:
            return found[0]
        methods = tuple(method for value in found if isinstance(value, FunctionValue) for method in value.methods)
        unreadable = next((value for value in found if isinstance(value, Unreadable)), None)
        conflict = self._program.conflict(name)
        return unreadable or (Unreadable(name, conflict.why) if conflict else FunctionValue(name, methods))

    def _name_problems(self, definition: Definition) -> list[Problem]:
        problems = []
        conflict = self._program.conflict(definition.name)
        if conflict is not None:
            problems.append(conflict.at(definition.name_span, definition.name))
        pending = (name for name in definition.uses if name in self._own and name not in self._before)
        for name in sorted({*(self._cycle & definition.uses), *pending}):
            way = "directly" if name == definition.name else f"through `{name}`"
            problems.append(CallCycle.at(definition.name_span, name=definition.name, way=way))
        return problems

    def _worth_saying(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Why nothing in the whole program is known is said once, where it begins, and not at each use of a name."""
        return (each for each in problems if not (self._program.cloud and each.code == CallsUnchecked.code))

    def _report(
        self, definition: Definition, found: Inferred, own: list[Problem]
    ) -> tuple[FunctionReport | None, tuple[Problem, ...], State]:
        local = [p for p in self.unit.lowered.problems if definition.span.covers(p.span.start)]
        unknown = found.unknown or next((p.message for p in own if p.unchecked), "")
        state = _state_of([*local, *own], unknown)
        if isinstance(definition, Constant) or not isinstance(found.value, FunctionValue):
            return None, (), state
        place = Place(definition.span, definition.name_span)
        signature = f"({', '.join(definition.signature)})"
        if found.value.black_box is not None:
            names = tuple(param.local.name for param in definition.params)
            report = describe_box(found.value, place, signature, names)
            return report._replace(state=state, reason=unknown), (), state
        assert found.shown is not None, "a method that is no black box has a scheme"
        described = describe(found.shown, place, self._options, state, found.assumed)
        report = described.report
        return report._replace(reason=unknown), described.problems, report.state

    def _uses(self) -> frozenset[str]:
        return frozenset().union(*(definition.uses for definition in self.unit.lowered.definitions))


class _Lone:
    """One text that is in no folder."""

    def __init__(self, content: str) -> None:
        self._text = Text(content)

    def included(self, by: str, path: str) -> str | Refusal:
        return Refusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> Text:
        return self._text


_Done = dict[int, tuple[_Task, _Known]]


def _analysis(whole: Project, part: Part, found: list[_Done], options: Options) -> Analysis:
    """What is known of a part of a project."""
    if part.problem is not None:
        return unchecked(part.source, part.problem, options)
    placed = []
    for module, index in part.places:
        chunk = whole.programs[module].units[index].chunk
        placed.append(Placed(chunk.start, len(chunk.text), found[module][index][1].record))
    return Analysis(part.source, tuple(placed), options)


def _state_of(problems: list[Problem], unknown: str) -> State:
    if unknown:
        return State.UNKNOWN
    return State.FAILED if any(problem.severity is Severity.ERROR for problem in problems) else State.PROVED


def _meaning(name: str, found: Inferred, state: State, problems: list[Problem]) -> Global | Unreadable:
    """What a definition means to others: nothing may be built on what is not proved."""
    if state is State.PROVED:
        return found.value
    if state is State.FAILED:
        codes = sorted({problem.code for problem in problems if problem.severity is Severity.ERROR})
        return Unreadable(name, f"it has an error: {', '.join(codes)}")
    return Unreadable(name, found.unknown or "it was not checked to the end")
