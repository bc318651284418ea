"""The pieces of texts: cut, parsed and lowered, and remembered by what they say, in whatever file they stand; of each
document what its recent versions used is kept."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from dp_lsp.analysis.loading import SourceText
from dp_lsp.engine.program import InferenceUnit, Meant, Others, Scope, in_scope
from dp_lsp.engine.project import File, unbalanced
from dp_lsp.language import Language
from dp_lsp.later import Later
from dp_lsp.lower.definitions import Include, Lowered, lower
from dp_lsp.lower.facts import EVERYTHING, is_reserved
from dp_lsp.surface import Chunk, Node
from dp_lsp.text import Source, Span

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
