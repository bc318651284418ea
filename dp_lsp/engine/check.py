"""The one module that turns text into an analysis: front end, lowering, inference, report; with a memo.

What is remembered is keyed by all that inference may look at: the text of a chunk, the options, and the meaning of
every name the chunk mentions, also of those that have none.

The pieces of texts: cut, parsed and lowered, and remembered by what they say, in whatever file they stand; of each
document what its recent versions used is kept.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dp_lsp import frontends
from dp_lsp.analysis.limits import Ticket
from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, Placed, not_asked, unchecked
from dp_lsp.core.term import Definition, Method
from dp_lsp.engine.distributions import Answers
from dp_lsp.engine.merge import together
from dp_lsp.engine.module import NOTHING, Carried, Elsewhere, Module, remembered
from dp_lsp.engine.problems import FileTooLong, IncludeWithoutFolder
from dp_lsp.engine.program import OWN, InferenceUnit, Meant, Others, Scope, in_scope
from dp_lsp.engine.project import File, Project, ProjectPart, not_meant, project, unbalanced
from dp_lsp.engine.remarks import Allowance
from dp_lsp.engine.task import KnownChunk, Task
from dp_lsp.infer.context import Global, UnknownGlobal
from dp_lsp.infer.method import Inferred
from dp_lsp.language import Language
from dp_lsp.later import Later
from dp_lsp.lower.definitions import Include, Lowered, lower
from dp_lsp.lower.facts import EVERYTHING, is_reserved
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Problem
from dp_lsp.surface import Chunk, Node
from dp_lsp.text import Source, Span

if TYPE_CHECKING:
    from dp_lsp.analysis.records import Explanation
    from dp_lsp.analysis.rows import Plotted
    from dp_lsp.engine.claimed import Asserted
    from dp_lsp.engine.runnable import Certifiable, Runnable


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

VERSIONS = 8
_FEW = 64  # what is done without may be so many, however little is needed


class _History(Generic[K]):
    """What the last version of a document needs, and what it and the versions before it could first do without, the
    oldest first."""

    def __init__(self) -> None:
        self.needed: set[K] = set()
        self.dropped: deque[set[K]] = deque()

    def keys(self) -> Iterable[K]:
        return self.needed.union(*self.dropped)

    def is_long(self) -> bool:
        return len(self.dropped) > 1 and sum(map(len, self.dropped)) > len(self.needed) // 2 + _FEW


class Memo(Generic[K, V]):
    """A cache that keeps what the last few versions of each document put or asked for, by default :data:`VERSIONS`.

    Those before the last but one may need no more besides than half of what the last does: edits that each change
    everything are not remembered so long.
    """

    def __init__(self, versions: int = VERSIONS) -> None:
        self._older = versions - 1
        self._values: dict[K, V] = {}
        self._users: Counter[K] = Counter()  # documents
        self._histories: dict[str, _History[K]] = {}
        self._current: set[K] = set()

    def get(self, key: K) -> V | None:
        """What is known under a key, which the present version needs then; None if nothing is."""
        value = self._values.get(key)
        if value is not None:
            self._current.add(key)
        return value

    def put(self, key: K, value: V) -> None:
        """This is known under a key, which the present version needs."""
        self._values[key] = value
        self._current.add(key)

    def use(self, keys: Iterable[K]) -> None:
        """What is known under these keys is needed, without being asked for."""
        self._current.update(key for key in keys if key in self._values)

    def turn(self, document: str) -> None:
        """A version of a document is done: what was used since the last turn is what it needs."""
        history = self._histories.setdefault(document, _History())
        now, self._current = self._current, set()
        fresh = now - history.needed
        for dropped in history.dropped:
            again = fresh & dropped
            dropped -= again
            fresh -= again
        for key in fresh:
            self._users[key] += 1
        history.dropped.append(history.needed - now)
        history.needed = now
        while len(history.dropped) > self._older or history.is_long():
            self._release(history.dropped.popleft())

    def forget(self, document: str) -> None:
        """The document is closed."""
        history = self._histories.pop(document, None)
        if history:
            self._release(history.keys())

    def _release(self, keys: Iterable[K]) -> None:
        for key in keys:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key]
                self._values.pop(key, None)


Look = Callable[[], None]
"""Called before each piece of work; it may raise to stop."""


class Pieces:
    """Cuts texts into chunks and makes a unit of each. ``parsed`` counts the chunks that were really parsed."""

    def __init__(self) -> None:
        self.parsed = 0
        self._cut: tuple[str, Language | None, tuple[Chunk, ...]] = ("", None, ())
        self._files: Memo[tuple[str, str], File] = Memo(versions=1)  # of an older one all pieces are remembered
        self._units: Memo[tuple[str, str, Others], InferenceUnit] = Memo()
        self._scoped: Memo[tuple[str, str, Others, Scope], InferenceUnit] = Memo()
        self.memos: tuple[Memo[Any, Any], ...] = (self._files, self._units, self._scoped)

    def file(self, text: str, language: Language, look: Look) -> File:
        """All units of a text."""
        key = language.id, text
        known = self._files.get(key)
        if known is None:
            units = [self.unit(chunk, language, look) for chunk in self._chunks(text, language, look)]
            for index, problem in unbalanced(units).items():
                units[index] = units[index]._replace(problems=(problem,))
            doubtful = next((index for index, unit in enumerate(units) if unit.doubt is not None), None)
            if doubtful is not None:
                units[doubtful] = _in_doubt(units[doubtful], text, language)
            known = File(Source(text), tuple(units))
            self._files.put(key, known)
        else:
            self._units.use((language.id, unit.chunk.whole, ()) for unit in known.units)
        return known

    def includes(self, text: SourceText, language: Language, look: Look) -> tuple[Include, ...]:
        """What a text includes or loads, at its places there; cheap where that is nothing."""
        syntax = language.syntax
        if text.problem is not None or syntax.refused(text.content) or not syntax.may_include(text.content):
            return ()
        chunks = (chunk for chunk in self._chunks(text.content, language, look) if syntax.may_include(chunk.text))
        found = ((chunk.start, self.unit(chunk, language, look)) for chunk in chunks)
        return tuple(
            include._replace(span=include.span.moved(start))
            for start, unit in found
            for include in (*unit.lowered.includes, *_loaded(unit.lowered))
        )

    def unit(self, chunk: Chunk, language: Language, look: Look, others: Others = ()) -> InferenceUnit:
        """A chunk, parsed and lowered. ``others`` is what calls of functions of other chunks do: that is known only
        when those are lowered, so a chunk that must know is lowered a second time."""
        key = language.id, chunk.whole, others
        known = self._units.get(key)
        if known is None:
            look()
            self.parsed += 1
            parsed = language.syntax.parse(chunk)
            lowered = lower(parsed, chunk.text, dict(others), language)
            lowered = lowered._replace(problems=(*parsed.problems, *lowered.problems))
            broken = next((problem.message for problem in lowered.problems if problem.unchecked), "")
            table = Later(partial(_names, parsed.nodes, chunk.text, language))
            uses, mentions = _top_level(lowered)
            known = InferenceUnit(
                *(chunk, lowered, broken, parsed.problems, (), others),
                *(table, parsed.remarks, uses, mentions, parsed.doubt),
            )
            self._units.put(key, known)
        if known.chunk.start != chunk.start:
            known = known._replace(chunk=chunk)
            self._units.put(key, known)  # it will stand there in the next version, too
        return known

    def scoped(
        self, unit: InferenceUnit, scope: Scope, language: Language, look: Look, others: Others = ()
    ) -> InferenceUnit:
        """A chunk of a file with names of its own, in a project. What ``others`` are called there the chunk itself may
        call otherwise."""
        key = language.id, unit.chunk.whole, others, scope
        known = self._scoped.get(key)
        if known is None:
            plain = self.unit(unit.chunk, language, look)
            if others:
                meant, found = Meant(scope), dict(others)
                named = ((name, found[meant(name)]) for name in sorted(plain.uses) if meant(name) in found)
                plain = self.unit(unit.chunk, language, look, tuple(named))
            lowered = in_scope(plain.lowered, scope)
            uses, mentions = _top_level(lowered)
            known = plain._replace(lowered=lowered, others=others, uses=uses, mentions=mentions, scope=scope)
            self._scoped.put(key, known)
        if known.chunk.start != unit.chunk.start:
            known = known._replace(chunk=unit.chunk)
            self._scoped.put(key, known)
        return known

    def _chunks(self, text: str, language: Language, look: Look) -> tuple[Chunk, ...]:
        """The chunks of a text. Who asks what a file includes asks for the file next."""
        if self._cut[0] is not text or self._cut[1] is not language:
            self._cut = text, language, language.syntax.chunks(text, look)
        return self._cut[2]


def _loaded(lowered: Lowered) -> Iterator[Include]:
    """Where the modules that are loaded lead."""
    return (Include(path, load.span, not load.sure) for load in lowered.loads for path in load.paths)


def _top_level(lowered: Lowered) -> tuple[frozenset[str], tuple[str, ...]]:
    """The top-level names that a chunk uses, and also those that it defines, in a fixed order."""
    uses = frozenset[str]().union(*(each.uses for each in lowered.definitions))
    return uses, tuple(sorted(uses.union(each.name for each in lowered.definitions)))


def _names(nodes: Sequence[Node], text: str, language: Language) -> bytes:
    """Where the names of a chunk stand, which only an editor asks for, and a problem that names another place."""
    from dp_lsp.engine.names import names

    return names(nodes, text, language)


def _in_doubt(unit: InferenceUnit, text: str, language: Language) -> InferenceUnit:
    """The unit in which something begins that is never closed: what stands behind may give names another meaning."""
    assert unit.doubt is not None, "something begins there"
    names = language.syntax.definable(text[unit.chunk.start + unit.doubt :])
    if names is None or any(is_reserved(name, language) for name in names):
        names = frozenset((EVERYTHING,))
    place, reason = Span(unit.doubt, unit.doubt + 1), "it stands behind something that is never closed"
    clouded = tuple((name, place, reason) for name in sorted(names))
    return unit._replace(lowered=unit.lowered._replace(clouded=(*unit.lowered.clouded, *clouded)))


DEFAULT = Options()
_TRIALS, _TOLD = "\0trials", "\0told"  # no document is called that

OnKnown = Callable[[str, int, ChunkRecord], None]
"""Called with the file of a chunk, where it begins there, and what is known of it, as soon as that is known. What its
problems say of places in other chunks is not looked up yet."""
OptionsOf = Callable[[str], Options]
"""The options of each file of a project, by its name. The rules are those of the root: what one file says of another
is found by the same ones."""
_RECURSION = 5_000  # the front end limits nesting to far less than this allows


class _How(NamedTuple):
    """What :meth:`Engine.project` was asked for besides a text."""

    language: Language
    options: OptionsOf
    look: Callable[[], None]
    on_chunk: Callable[[bytes], None] = lambda key: None
    refused: Collection[bytes] = ()
    on_record: Callable[[ChunkRecord], None] = lambda record: None
    on_known: OnKnown | None = None

    def is_meant(self, name: str, text: SourceText) -> bool:
        """Whether anything is said of a file by itself. Of one that cannot be read it is said why."""
        return text.problem is not None or frontends.is_meant(self.language, text.content, self.options(name).named)

    def readable(self, name: str, text: SourceText) -> SourceText:
        """The text of a file, with a problem if it is none that can be checked."""
        problem = text.problem or self.language.syntax.refused(text.content)
        size, most = len(text.content), self.options(name).limits.characters
        if problem is None and size > most:
            problem = FileTooLong.at(Span(0, 0), size=f"{size:,}", limit=f"{most:,}")
        return text._replace(problem=problem)


class Defined(NamedTuple):
    """A definition as a core term, and what it means to those who use it."""

    definition: Definition
    meaning: Global | UnknownGlobal


class Suspect(NamedTuple):
    """A claim of a program that is too small, and what must be known to show that on inputs: the problem, with places
    in a file, where the file's chunk begins, the method, what was inferred of it, and all definitions around it.
    ``asserted`` is what a comment says; without it, a mechanism declares a number."""

    file: str
    problem: Problem
    start: int
    method: Method
    inferred: Inferred
    definitions: tuple[Definition, ...]
    asserted: Asserted | None = None


class Engine:
    """Checks files, and remembers what it found out about each chunk.

    ``parsed`` and ``inferred`` count the chunks that were really parsed and inferred since it was made, and ``tried``
    those that were inferred in trials. ``answers`` are those that somebody got for what is worth asking; they may come
    at any time, and count from the next check on.
    """

    def __init__(self, answers: Answers | None = None) -> None:
        self.answers = answers or Answers()
        self.inferred = 0
        self.tried = 0
        self._pieces = Pieces()
        self._records: Memo[bytes, KnownChunk] = Memo()
        self._modules: dict[str, list[Module]] = {}  # of each project, as it was checked last
        self._memos: tuple[Memo[Any, Any], ...] = (*self._pieces.memos, self._records)

    @property
    def parsed(self) -> int:
        """How many chunks were really parsed."""
        return self._pieces.parsed

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
        options: Options | OptionsOf = DEFAULT,
        ticket: Ticket | None = None,
        on_chunk: Callable[[bytes], None] = lambda key: None,
        refused: Collection[bytes] = (),
        on_record: Callable[[ChunkRecord], None] = lambda record: None,
        on_known: OnKnown | None = None,
    ) -> dict[str, Analysis]:
        """The analyses of a file and of all it includes, by name. Never raises on any text; raises what the ticket
        raises.

        ``on_chunk`` is called with a chunk's key before it is inferred, and ``on_record`` with what was found out; a
        key in ``refused`` is not inferred but reported as ``unknown`` (it ended the process before). ``on_known`` is
        called for all chunks, in the order in which they run.
        """
        how = _how(root, loader, options, ticket)
        how = how._replace(on_chunk=on_chunk, refused=refused, on_record=on_record, on_known=on_known)
        return _analyses(root, *self._project(root, loader, how, root), how.options)

    def trial(
        self, root: str, loader: Loader, options: Options | OptionsOf = DEFAULT, ticket: Ticket | None = None
    ) -> dict[str, Analysis]:
        """The same of a project as it is not yet: only what the last few trials needed is remembered, and what they
        parsed and inferred is not counted."""
        how = _how(root, loader, options, ticket)
        counted = self.parsed, self.inferred
        try:
            return _analyses(root, *self._project(root, loader, how, _TRIALS), how.options)
        finally:
            self.tried += self.inferred - counted[1]
            self._pieces.parsed, self.inferred = counted

    def explain(
        self,
        root: str,
        loader: Loader,
        place: tuple[str, int],
        expression: bool = False,
        options: Options | OptionsOf = DEFAULT,
        ticket: Ticket | None = None,
    ) -> Explanation | None:
        """What led to the bounds of the function at a place, which is the name of a file of the project and an offset
        in it; with ``expression`` to those of the smallest expression there, if there is one. None for a place that no
        function covers.

        The project is checked; what is remembered of it is as good. Only the function itself is inferred again."""
        name, offset = place
        how = _how(root, loader, options, ticket)
        whole, found = self._project(root, loader, how, root)
        for module, index in (each for part in whole.parts if part.name == name for each in part.places):
            task, known = found[module].task(index, how.look), found[module].known[index]
            start, text = task.unit.chunk.start, task.unit.chunk.text
            if start <= offset <= start + len(text):
                self._complete(found[module], [index], how)
                explained = task.explanation(known, offset - start, expression)
                if explained is not None:
                    return explained.moved(start)
        return None

    def suspects(
        self,
        root: str,
        loader: Loader,
        options: Options | OptionsOf = DEFAULT,
        ticket: Ticket | None = None,
    ) -> Iterator[Suspect]:
        """The claims of a project that are too small. It is checked; what is remembered of it is as good."""
        how = _how(root, loader, options, ticket)
        for name, index, module, task, known in self._each(root, loader, how):
            start, around = task.unit.chunk.start, module.definitions
            for problem in known.record.verdict.problems:
                if problem.refutable:
                    self._complete(module, [index], how)
                    for method, inferred in task.again(known, problem.span.start):
                        if isinstance(method, Method):
                            said = task.asserted(method, inferred, problem)
                            yield Suspect(name, problem.moved(start), start, method, inferred, around, said)

    def certifiable(self, root: str, loader: Loader, options: Options | OptionsOf = DEFAULT) -> Iterator[Certifiable]:
        """What can be certified of the functions of a project. It is checked; what is remembered of it is as good."""
        from dp_lsp.engine.runnable import certifiable  # which loads all measures

        how = _how(root, loader, options)
        for name, index, module, task, known in self._each(root, loader, how):
            self._complete(module, [index], how)
            for report in known.record.verdict.functions:
                for _, inferred in task.again(known, report.span.start):
                    for each in certifiable(name, report, inferred, how.options(name)):
                        yield each._replace(place=each.place.moved(task.unit.chunk.start))

    def runnable(
        self, root: str, loader: Loader, name: str, options: Options | OptionsOf = DEFAULT
    ) -> Iterator[Runnable]:
        """What is known of the methods of a project that are called so. It is checked."""
        from dp_lsp.engine.runnable import runnable

        how = _how(root, loader, options)
        for file, index, module, task, known in self._each(root, loader, how):
            for report in (each for each in known.record.verdict.functions if each.name == name):
                self._complete(module, [index], how)
                for method, inferred in task.again(known, report.name_span.start):
                    if isinstance(method, Method):
                        yield from runnable(file, report, method, inferred, module.definitions, how.options(file))

    def plots(
        self,
        root: str,
        loader: Loader,
        name: str,
        options: Options | OptionsOf = DEFAULT,
        ticket: Ticket | None = None,
    ) -> Iterator[Plotted]:
        """The plots of the proved private functions of a file of a project. It is checked; what is remembered of it is
        as good, and plots are remembered with it."""
        from dp_lsp.engine.curves import is_plotted

        how = _how(root, loader, options, ticket)
        whole, modules = self._project(root, loader, how, root)
        for module, index in (each for part in whole.parts if part.name == name for each in part.places):
            task, known = modules[module].task(index, how.look), modules[module].known[index]
            for report in filter(is_plotted, known.record.verdict.functions):
                self._complete(modules[module], [index], how)
                yield task.plotted(known, report).moved(task.unit.chunk.start)

    def definitions(self, text: str, options: Options = DEFAULT) -> list[Defined]:
        """The definitions of a text that is in no folder, in the order in which they run, and what each means."""
        lone = _Lone(text)
        how = _how("", lone, options)
        _, modules = self._project("", lone, how, "")
        for module in modules:
            self._complete(module, module.known, how)
        return [
            Defined(definition, meaning.value)
            for module in modules
            for index, known in module.known.items()
            for definition, (_, meaning) in zip(
                module.program.units[index].lowered.definitions, known.meanings, strict=True
            )
        ]

    def _each(self, root: str, loader: Loader, how: _How) -> Iterator[tuple[str, int, Module, Task, KnownChunk]]:
        """What is known of each unit of a project: its file, its index in its module, that, its task, and that."""
        whole, modules = self._project(root, loader, how, root)
        for part in whole.parts:
            for module, index in ((modules[number], index) for number, index in part.places):
                yield part.name, index, module, module.task(index, how.look), module.known[index]

    def _project(self, root: str, loader: Loader, how: _How, document: str) -> tuple[Project, list[Module]]:
        """A project, and what is known of each of its modules; remembered as a version of a document."""
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        language = how.language
        cut = partial(self._pieces.file, language=language, look=how.look)
        if not how.is_meant(root, text := loader.text(root)):
            whole = not_meant(root, text.content)
        elif language.syntax.modules:
            from dp_lsp.engine.project import modules

            scoped = partial(self._pieces.scoped, language=language, look=how.look)
            whole = modules(root, loader, cut, how.readable, scoped, language)
        else:
            whole = project(root, loader, cut, how.readable, language)
        allowed = _by_unit(whole, how.options)
        before = chain(self._modules.get(root, ()), repeat(NOTHING))
        carried = (Carried(*each) for each in zip(before, whole.programs, allowed, strict=False))
        told = _by_module(whole, how.on_known)
        found = [self._module(module, how, tell) for module, tell in zip(carried, told, strict=False)]
        for memo in self._memos:
            memo.turn(document)
        if document == root:
            self._modules[root] = found
        return whole, found

    def forget(self, root: str) -> None:
        """A project is not checked any more: what only it used need not be remembered."""
        self._modules.pop(root, None)
        for memo in self._memos:
            memo.forget(root)

    def learn(self, document: str, records: Iterable[ChunkRecord]) -> None:
        """What another engine found out in a version of a document, or in several that were not checked to the end:
        it is not inferred again. Remembered until the document is unlearned."""
        for record in map(remembered, records):
            known = KnownChunk.told(record)
            if known is not None and self._records.get(record.key) is None:
                self._records.put(record.key, known)
        self._records.turn(_TOLD + document)

    def records(self, root: str) -> tuple[ChunkRecord, ...]:
        """What is known of the pieces of a project that was checked, for another engine to learn: also what was known
        before distributions had something to say."""
        found = dict[bytes, ChunkRecord]()
        for module in self._modules.get(root, ()):
            for index, known in module.known.items():
                found[known.record.key] = known.record
                if module.answers.get(index):
                    before = self._records.get(module.task(index, Ticket().look).key())
                    found |= {} if before is None else {before.record.key: before.record}
        return tuple(found.values())

    def unlearn(self, document: str) -> None:
        """What was learned of a document, and is not used, need not be remembered."""
        self._records.forget(_TOLD + document)

    def includes(self, name: str, text: SourceText, look: Callable[[], None] = lambda: None) -> tuple[str, ...]:
        """The paths that the text of a file includes; cheap where it includes none."""
        return tuple(include.path for include in self.including(name, text, look))

    def including(self, name: str, text: SourceText, look: Callable[[], None] = lambda: None) -> tuple[Include, ...]:
        """The same with the place of each `include`."""
        return self._pieces.includes(text, frontends.of(name, text.language), look)

    def _module(self, carried: Carried, how: _How, tell: Callable[[int, KnownChunk], None]) -> Module:
        """What is known of each unit of a module, and ``tell`` it as soon as it is."""
        module = carried.module
        program = module.program
        for index in module.cycles:
            others = program.others(index)
            if others:
                unit = program.units[index]
                pieces, how_read = self._pieces, (how.language, how.look, others)
                plain = unit.scope == OWN
                again = pieces.unit(unit.chunk, *how_read) if plain else pieces.scoped(unit, unit.scope, *how_read)
                program.put(index, again._replace(problems=unit.problems))
            known = carried.known(index)
            if known is None or (known.record.asks and self.answers.are_there):
                how.look()
                known = self._known(module, index, how)
            carried.add(index, known)
            tell(index, known)
        self._records.use(known.record.key for known in module.known.values())
        return module

    def _known(self, module: Module, index: int, how: _How) -> KnownChunk:
        task = module.task(index, how.look)
        key = task.key()
        known = self._remembered(module, task, key, how)
        task.answers = module.answers[index] = self.answers.known(known.record.asks)
        if task.answers:
            known = self._remembered(module, task, task.better_key(key), how)
        return known

    def _remembered(self, module: Module, task: Task, key: bytes, how: _How) -> KnownChunk:
        known = self._records.get(key)
        if known is None:
            self._complete(module, task.sources(), how)
            known = self._inferred(task, key, how)
            self._records.put(key, known)
        return known

    def _inferred(self, task: Task, key: bytes, how: _How) -> KnownChunk:
        if key in how.refused:
            return task.refused(key)
        how.on_chunk(key)
        self.inferred += bool(task.unit.lowered.definitions)
        known = task.infer(key)
        how.on_record(known.record)
        return known

    def _complete(self, module: Module, units: Iterable[int], how: _How) -> None:
        """Have what these units mean, and all that it is made of, where only its digests were learned."""
        done = module.known
        pending = [index for index in units if index in done and not done[index].is_complete]
        while pending:
            task, known = module.task(pending[-1], how.look), done[pending[-1]]
            before = [each for each in task.sources() if each in done and not done[each].is_complete]
            if before and not known.is_complete:
                pending += before
                continue
            if not known.is_complete:
                how.look()
                known.complete(self._inferred(task, known.record.key, how))
            pending.pop()


class _Lone:
    """One text that is in no folder."""

    def __init__(self, content: str) -> None:
        self._text = SourceText(content)

    def included(self, by: str, path: str) -> str | ReadRefusal:
        return ReadRefusal(IncludeWithoutFolder, {"path": path})

    def text(self, name: str) -> SourceText:
        return self._text


def _how(root: str, loader: Loader, options: Options | OptionsOf, ticket: Ticket | None = None) -> _How:
    """How a project is checked. It is in one language, that of its root: what that includes is read as the same."""
    language = frontends.of(root, loader.text(root).language)
    return _How(language, _uniform(root, options, language), (ticket or Ticket()).look)


def _uniform(root: str, options: Options | OptionsOf, language: Language) -> OptionsOf:
    """The options of each file, by the rules of the root."""
    if isinstance(options, Options):
        same = options._replace(language=language.id)
        return lambda name: same
    of_root = options(root)
    of_all = ("profile", "neighbours", "contributes", "float_noise")
    rules = {key: getattr(of_root, key) for key in of_all} | {"language": language.id}
    return cache(lambda name: options(name)._replace(**rules))


def _by_unit(whole: Project, options: OptionsOf) -> list[list[Allowance]]:
    """The options of each unit of each module; those of one file share what a baseline accepts in it."""
    found = [[Allowance(DEFAULT)] * len(program.units) for program in whole.programs]
    for part in whole.parts:
        own = Allowance(options(part.name))
        for module, index in part.places:
            found[module][index] = own
    return found


def _by_module(whole: Project, on_known: OnKnown | None) -> Iterator[Callable[[int, KnownChunk], None]]:
    """For each module, what tells of its units where they stand."""
    if on_known is None:
        yield from repeat(lambda index, known: None, len(whole.programs))
        return
    files = {place: part.name for part in whole.parts for place in part.places}

    def tell(module: int, index: int, known: KnownChunk) -> None:
        if (module, index) in files:
            on_known(files[module, index], whole.programs[module].units[index].chunk.start, known.record)

    yield from (partial(tell, module) for module in range(len(whole.programs)))


def _analyses(root: str, whole: Project, found: list[Module], options: OptionsOf) -> dict[str, Analysis]:
    """What is known of the files of a project."""
    elsewhere = Elsewhere(whole, found)
    parts = whole.parts[:1] if whole.apart else whole.parts
    return together((root, {part.name: _analysis(whole, part, elsewhere, options(part.name))}) for part in parts)


def _analysis(whole: Project, part: ProjectPart, elsewhere: Elsewhere, options: Options) -> Analysis:
    """What is known of a part of a project."""
    if part.problem is not None:
        return unchecked(part.source, part.problem, options)
    if not part.asked:
        return not_asked(part.source, options)
    placed = []
    for module, index in part.places:
        chunk = whole.programs[module].units[index].chunk
        placed.append(Placed(chunk.start, len(chunk.text), elsewhere.located(module, index)))
    return Analysis(part.source, tuple(placed), options)
