"""A module of a project as it was checked, what of it must be so again in the next version, and where the places that
its problems name stand now."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dp_lsp.analysis.records import KEY, MAIN, ChunkRecord, Options, State, worst
from dp_lsp.core.annotation import Anything, NumberOf, TupleOf
from dp_lsp.core.term import Definition, Method, argument_count, own_calls
from dp_lsp.engine.premises import Meaning, NamedMeaning, Premises, names_of
from dp_lsp.engine.program import InferenceUnit, Program
from dp_lsp.engine.project import Project, place_in
from dp_lsp.engine.remarks import Allowance
from dp_lsp.engine.task import KnownChunk, Task
from dp_lsp.infer.problems import CallsUnchecked, Unbounded
from dp_lsp.language import Semantics
from dp_lsp.lower.definitions import Lowered
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Named, Problem, Related, Severity, Sought, There
from dp_lsp.text import Source, Span

if TYPE_CHECKING:
    from dp_lsp.accounting.charge import Guarantee


class _Named(dict[str, NamedMeaning]):
    """What names are to units that do not define them, as far as their definitions are known by now."""

    def __init__(self, program: Program, meanings: Mapping[str, Sequence[tuple[Definition, Meaning]]]) -> None:
        super().__init__()
        self._program = program
        self._meanings = meanings

    def __missing__(self, name: str) -> NamedMeaning:
        conflict, is_alone = self._program.defined(name)
        known = self._meanings.get(name)
        meanings = tuple([meaning for _, meaning in known]) if known else ()
        found = self[name] = NamedMeaning(self._program.clouds.get(name), conflict, is_alone, False, meanings)
        return found


class Module:
    """The units of a program and what is known of them so far, by their index. They become known in the order of
    ``cycles``, which has the names on the way of each back to itself, from their ``premises`` and the answers of
    distributions that count."""

    def __init__(self, program: Program, cycles: dict[int, frozenset[str]]) -> None:
        self.program = program
        self.cycles = cycles
        self.premises: dict[int, Premises] = {}
        self.answers: dict[int, Mapping[str, Guarantee]] = {}
        self.known: dict[int, KnownChunk] = {}
        self._meanings: dict[str, list[tuple[Definition, Meaning]]] = {}
        self._named = _Named(program, self._meanings)

    @property
    def definitions(self) -> tuple[Definition, ...]:
        """All definitions, in the order in which their chunks became known."""
        units, counts = self.program.units, self.program.counts
        return tuple(each for at in self.known for each in units[at].lowered.definitions if counts(each, at))

    def begin(self, index: int, options: Options, names: Mapping[str, NamedMeaning] | None = None) -> Premises:
        """What a unit is inferred from, with these options: all units that it is made of are known. ``names`` are what
        it mentions, if that was found out already."""
        unit, around = self.program.units[index], self.cycles[index]
        program = self.program
        taken = program.trusted, program.moved(unit)
        if names is None:
            names = names_of(unit, self._named, self._meanings, around)
        premises = Premises.of(program.cloud, taken, unit, options, names)
        self.premises[index] = premises
        return premises

    def task(self, index: int, look: Callable[[], None]) -> Task:
        """Inferring a unit, with what the names it uses mean."""
        task = Task(self.program, self.premises[index], look)
        task.answers = self.answers.get(index, task.answers)
        return task

    def add(self, index: int, known: KnownChunk) -> None:
        """This is known of a unit."""
        self.known[index] = known
        definitions = self.program.units[index].lowered.definitions
        for definition, (name, meaning) in zip(definitions, known.meanings, strict=True):
            if self.program.counts(definition, index):
                self._meanings.setdefault(name, []).append((definition, meaning))
                self._named.pop(name, None)


NOTHING = Module(Program((), {}, Semantics()), {})
"""What was known before the first check."""


class Carried:
    """What a module takes over from the version before: what is known of a unit whose premises are the same ones, by
    all fields that its key would be made of. All others are looked up by their keys.

    Where the units define and use the same names as before, the names that a unit mentions are what they were if none
    is ``unsettled``: each has the definitions that it had, in units of which the same is known. So an edit looks at
    what names mean only as far as they lead to what was changed."""

    def __init__(self, before: Module, now: Program, allowed: Sequence[Allowance]) -> None:
        same = _is_same_shape(before.program, now)
        self.module = Module(now, before.cycles if same else dict(now.order()))
        self._allowed = allowed
        self._before = before
        self._places = {id(unit.lowered): index for index, unit in enumerate(before.program.units)}
        self._is_steady = same and _is_same_around(before.program, now)
        self._unsettled = set[str]()
        for one, other in _changed(before.program, now) if self._is_steady else ():
            self._unsettle(one, other)

    def known(self, index: int) -> KnownChunk | None:
        """What is known of a unit, if that must be what was known before. Answers of distributions may have come since,
        which is not looked at."""
        unit = self.module.program.units[index]
        options = self._allowed[index].options(unit.chunk.text)
        premises = self.module.begin(index, options, self._names(index, unit))
        place = self._places.get(id(unit.lowered))
        return self._before.known[place] if place is not None and self._before.premises[place] == premises else None

    def _names(self, index: int, unit: InferenceUnit) -> Mapping[str, NamedMeaning] | None:
        """What the names of a unit were in the version before, if they are that still."""
        if not self._is_steady or unit.lowered is not self._before.premises[index].unit.lowered:
            return None
        return self._before.premises[index].names if self._unsettled.isdisjoint(unit.mentions) else None

    def add(self, index: int, known: KnownChunk) -> None:
        """This is known of a unit, taken over or found out."""
        if self._is_steady and known is not self._before.known[index]:
            self._unsettle(self._before.program.units[index].lowered, self.module.program.units[index].lowered)
        self._allowed[index].spend(known.record.verdict.excused)
        self.module.add(index, known)

    def _unsettle(self, *units: Lowered) -> None:
        """The names that these define may mean something else than before."""
        self._unsettled.update(each.name for lowered in units for each in lowered.definitions)


def _is_same_shape(before: Program, now: Program) -> bool:
    """Whether the units define and use the same names one after the other, so that their order is the same."""
    if len(before.given) != len(now.given) or (before.apart, before.moving.last) != (now.apart, now.moving.last):
        return False
    return all(_shape(one) == _shape(other) for one, other in _changed(before, now))


def _changed(before: Program, now: Program) -> list[tuple[Lowered, Lowered]]:
    """What units of two programs with as many are made of, where that differs."""
    pairs = zip(before.given, now.given, strict=True)
    return [(one.lowered, other.lowered) for one, other in pairs if one.lowered is not other.lowered]


def _shape(lowered: Lowered) -> list[tuple[object, ...]]:
    found = lowered.definitions
    return [
        (type(each), each.name, each.uses, getattr(each, "needs", _NOTHING), argument_count(each), own_calls(each))
        for each in found
    ]


def _is_same_around(before: Program, now: Program) -> bool:
    """Whether two programs of the same shape say the same of names besides what their definitions do. Where names move
    from value to value that is not looked at: who reads one depends on what others do."""
    if before.moving.changes or now.moving.changes or before.moving.doubtful != now.moving.doubtful:
        return False
    return before.clouds == now.clouds


_NOTHING = frozenset[str]()


# Places that a problem names in other pieces of text: where they stand now, in whatever files.
#
# What is remembered of a chunk knows other definitions by their names only. Where these stand is looked up each time
# that a project is put together, so it is right after every edit.

_MODULE = "module"
_MOST = 5  # definitions of one name that are shown
_DEEPEST = 20  # calls that are followed to a cause


class _ModuleFile(NamedTuple):
    name: str
    source: Source


class _ProblemPlace(NamedTuple):
    """A range of a chunk, which is given by its module and where it comes there; what to say instead, if anything."""

    module: int
    at: int
    span: Span
    message: str = ""


class Elsewhere:
    """The definitions of a project and where they stand."""

    def __init__(self, whole: Project, found: Sequence[Module]) -> None:
        self._whole = whole
        self._found = found
        self._files: dict[tuple[int, int], _ModuleFile] = {}

    def located(self, module: int, index: int) -> ChunkRecord:
        """The record of a unit with the module it is in, the places in others looked up, and helpers judged where they
        are called. Its key tells of all that."""
        record = self._found[module].known[index].record
        if module:
            name = self._whole.modules[module]
            record = in_module(record, name)
        if not record.verdict.state.holds:
            record = self._judged_by_calls(module, index, record)
        found = record.verdict.problems
        if not found or not any(isinstance(each.where, Named) for problem in found for each in problem.related):
            return record
        problems = tuple(self._problem(module, index, problem) for problem in record.verdict.problems)
        places = repr([problem.related for problem in problems])
        return _marked(record._replace(verdict=record.verdict._replace(problems=problems)), places)

    def _problem(self, module: int, index: int, problem: Problem) -> Problem:
        related: dict[tuple[Span, There | Named | None], Related] = {}
        for each in problem.related:
            for made in self._related(module, index, each) if isinstance(each.where, Named) else (each,):
                if (made.span, made.where) != (problem.span, None) or made is each:
                    related.setdefault((made.span, made.where), made)
        return problem._replace(related=tuple(related.values()))

    def _related(self, module: int, index: int, related: Related) -> Iterator[Related]:
        """The places that one stands for, as a chunk speaks of them."""
        assert isinstance(related.where, Named)
        lowered = self._whole.programs[module].units[index].lowered
        if not any(related.where.name in (each.name, *each.uses) for each in lowered.definitions):
            return  # it is the name of something inside a function
        for place in self._places(module, index, related):
            message = place.message or related.message
            here, there = self._file(module, index), self._file(place.module, place.at)
            start = self._start(place.module, place.at)
            if here.name == there.name:
                span = place.span.moved(start - self._start(module, index))
                yield related._replace(message=message, span=span, where=None)
            else:
                yield related._replace(
                    message=message, where=place_in(there.name, there.source, place.span.moved(start))
                )

    def _places(self, module: int, index: int, related: Related) -> Iterator[_ProblemPlace]:
        where = related.where
        assert isinstance(where, Named)
        sites = list(self._definitions(module, where))[:_MOST]
        if where.sought is Sought.CAUSE:
            yield from self._cause(module, where.name, set())
        elif where.sought is Sought.OTHERS:
            yield from (
                _ProblemPlace(module, at, each.name_span)
                for at, each in sites
                if (at, each.name_span) != (index, related.span)
            )
        else:
            for at, each in sites:
                yield self._inside(module, at, each, where)

    def _inside(self, module: int, index: int, definition: Definition, where: Named) -> _ProblemPlace:
        """What is sought in a definition, else its name."""
        if where.sought is Sought.PARAMETER and isinstance(definition, Method):
            spans = (each.span for each in definition.params if each.local.name == where.parameter)
            return _ProblemPlace(module, index, next(spans, definition.name_span))
        if where.sought is Sought.GROWTH:
            for problem in self._problems(module, index, definition):
                if problem.code == Unbounded.code:
                    return _ProblemPlace(module, index, problem.span, f"in `{where.name}`, {problem.message}")
        if where.sought is Sought.MECHANISM:
            found = self._mechanism(module, index, definition, set())
            return found or _ProblemPlace(module, index, definition.name_span)
        return _ProblemPlace(module, index, definition.name_span)

    def _definitions(self, module: int, where: Named) -> Iterator[tuple[int, Definition]]:
        program = self._whole.programs[module]
        for index in dict.fromkeys(program.definers.get(where.name, ())):
            for each in program.units[index].lowered.definitions:
                signature = each.shown_signature if isinstance(each, Method) else ""
                if each.name == where.name and where.signature in ("", signature):
                    yield index, each

    def _problems(self, module: int, index: int, definition: Definition) -> list[Problem]:
        """What was found in a definition."""
        problems = self._found[module].known[index].record.verdict.problems
        return [problem for problem in problems if definition.span.covers(problem.span.start)]

    def _cause(self, module: int, name: str, met: set[str]) -> Iterator[_ProblemPlace]:
        """The first problem that is a reason of its own why nothing is known of a name, in it or in what it uses."""
        met.add(name)
        further: list[str] = []
        for index, each in self._definitions(module, Named(name)):
            for problem in self._problems(module, index, each):
                if problem.code == CallsUnchecked.code:
                    named = (related.where for related in problem.related)
                    further += [where.name for where in named if isinstance(where, Named)]
                elif problem.unchecked or problem.severity is Severity.ERROR:
                    yield _ProblemPlace(module, index, problem.span, f"`{name}` has this problem: {problem.message}")
                    return
        for other in further:
            if other not in met and len(met) < _DEEPEST:
                yield from self._cause(module, other, met)
                return

    def _mechanism(self, module: int, index: int, definition: Definition, met: set[str]) -> _ProblemPlace | None:
        """The first mechanism that a definition runs, itself or by what it calls."""
        from dp_lsp.analysis.names import NameRole, decode

        calls = (NameRole.CALL, NameRole.READ)
        met.add(definition.name)
        table = decode(self._whole.programs[module].units[index].names.value)
        inside = [each for each in table if definition.span.covers(each.span.start)]
        for each in inside:
            if each.role is NameRole.MECHANISM:
                return _ProblemPlace(module, index, each.span)
        for each in inside:
            name, scope = table.symbols[each.symbol]
            if each.role in calls and scope is None and name not in met and len(met) < _DEEPEST:
                for at, called in self._definitions(module, Named(name)):
                    found = self._mechanism(module, at, called, met)
                    if found is not None:
                        return found
        return None

    # Helpers

    def _judged_by_calls(self, module: int, index: int, record: ChunkRecord) -> ChunkRecord:
        """A record in which helpers have no state of their own that say nothing of records, and that are called by what
        is proved alone: what is wrong with one by itself is information. Nothing is claimed of such a helper, and what
        it does to records is part of what its callers cost, so a check that fails for it would ask for words that no
        proof needs. Of methods of classes that nobody calls nothing is said: they need not be about records at all."""
        verdict, helpers, unused = record.verdict, dict[Span, str](), list[Span]()
        unit = self._whole.programs[module].units[index]
        for each in unit.lowered.definitions:
            is_told = any(each.span.covers(remark.target.start) for remark in unit.remarks)
            if _is_helper(each) and not is_told and not self._holds(module, index, each):
                callers = self._callers(module, each, set())
                if callers is not None and not callers and _is_method_of_class(each):
                    unused.append(each.span)
                if callers:
                    helpers[each.span] = f"judged where it is called, in `{min(callers)}`; by itself: "
        if not helpers and not unused:
            return record
        problems = []
        for problem in verdict.problems:
            if any(span.covers(problem.span.start) for span in unused):
                continue
            said = next((said for span, said in helpers.items() if span.covers(problem.span.start)), "")
            if said and (problem.unchecked or problem.severity is Severity.ERROR):
                less = f"{said}{problem.message}"
                problem = problem._replace(severity=Severity.INFORMATION, message=less, unchecked=False)
            problems.append(problem)
        functions = tuple(each for each in verdict.functions if each.span not in (*helpers, *unused))
        alone = [each.state for each in functions]
        alone += [State.FAILED for each in problems if each.severity is Severity.ERROR]
        alone += [State.UNKNOWN for each in problems if each.unchecked]
        verdict = verdict._replace(state=worst(iter(alone)), functions=functions, problems=tuple(problems))
        return _marked(record._replace(verdict=verdict), "\0".join([*helpers.values(), repr(unused)]))

    def _callers(self, module: int, helper: Definition, met: set[str]) -> set[str] | None:
        """The proved functions that use a helper, by way of others, too; None where anything else uses it."""
        found, program = set[str](), self._whole.programs[module]
        met.add(helper.name)
        for index, unit in enumerate(program.units):
            if helper.name not in unit.lowered.mentions:
                continue
            users = [each for each in unit.lowered.definitions if helper.name in each.uses]
            if not users and all(each.name != helper.name for each in unit.lowered.definitions):
                return None
            for user in users:
                if self._holds(module, index, user):
                    found.add(user.name)
                    continue
                further = None if user.name in met or not _is_helper(user) else self._callers(module, user, met)
                if further is None or (not further and not _is_method_of_class(user)):
                    return None  # what nobody calls is judged by itself, but for methods
                found |= further
        return found

    def _holds(self, module: int, index: int, definition: Definition) -> bool:
        """Whether a function is proved, or taken at its word."""
        functions = self._found[module].known[index].record.verdict.functions
        return any(each.state.holds for each in functions if each.span == definition.span)

    def _start(self, module: int, index: int) -> int:
        return self._whole.programs[module].units[index].chunk.start

    def _file(self, module: int, index: int) -> _ModuleFile:
        if not self._files:
            for part in self._whole.parts:
                file = _ModuleFile(part.name, part.source)
                self._files.update((place, file) for place in part.places)
        return self._files[module, index]


def _is_helper(definition: Definition) -> bool:
    """Whether a function says nothing of records, nor that it is private, so that its calls alone tell what it must
    be."""
    if not isinstance(definition, Method) or definition.body is None or definition.needs:
        return False
    if definition.privacy:
        return definition.presumed
    return all(
        param.static or isinstance(param.type, Anything) or (isinstance(param.type, NumberOf) and param.type.plain)
        for param in definition.params
    )


def _is_method_of_class(definition: Definition) -> bool:
    """Whether a function is a method that is given its object, the parts of which are numbers."""
    first = definition.params[0].type if isinstance(definition, Method) and definition.params else None
    label = first.label if isinstance(first, TupleOf) else None
    return label is not None and label.of.rpartition(".")[0] == definition.name.rpartition(".")[0] != ""


def in_module(record: ChunkRecord, module: str) -> ChunkRecord:
    """A record as one of a module that is not the outermost one."""
    return _marked(record._replace(modules=(module,)), _MODULE + module)


def remembered(record: ChunkRecord) -> ChunkRecord:
    """A record as it was before it was put into a module."""
    plain = record._replace(key=record.key[:KEY], modules=(MAIN,))
    return plain if len(record.modules) == 1 and in_module(plain, record.modules[0]).key == record.key else record


def _marked(record: ChunkRecord, by: str) -> ChunkRecord:
    """A record that differs by something from what was remembered."""
    further = hashlib.blake2b(by.encode("utf-8", "surrogatepass"), digest_size=KEY).digest()
    return record._replace(key=record.key + further)
