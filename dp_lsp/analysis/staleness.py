"""What an edit may change: the chunks it touches and all that use a name these may define, in any file that is checked
together with it. What may have changed is never shown as proved. And where the parts of an old text stand in a newer
one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from dp_lsp.analysis.records import Analysis
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit
from dp_lsp.text import Place, Source, Span

Names = tuple[tuple[tuple[str, ...], frozenset[str]], ...]
"""The top-level names that each chunk of a file defines, and those that it uses."""


class Links:
    """How the chunks of a file depend on each other and on other files."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def users(self) -> Mapping[str, Sequence[int]]:
        """The chunks that use a name."""
        found = defaultdict(list)
        for index, (_, uses) in enumerate(self.names):
            for name in uses:
                found[name].append(index)
        return found

    @cached_property
    def concerned(self) -> Mapping[str, Sequence[int]]:
        """The chunks that use a name or give it a further meaning."""
        found = defaultdict(list)
        for index, (defines, uses) in enumerate(self.names):
            for name in uses.union(defines):
                found[name].append(index)
        return found


NO_LINKS = Links(())


class Touched(NamedTuple):
    """What edits of a file have touched: chunks, by their index, and words that may have another meaning now.

    With ``everything`` any name may have, and with ``files`` other files may be checked together with it."""

    chunks: frozenset[int] = frozenset()
    words: frozenset[str] = frozenset()
    everything: bool = False
    files: bool = False


UNTOUCHED = Touched()


def names_of(analysis: Analysis) -> Names:
    """What the chunks of a file define and use."""
    return tuple((chunk.record.verdict.defines, chunk.record.verdict.uses) for chunk in analysis.chunks)


def touched(analysis: Analysis, source: Source, drift: Drift) -> Touched:
    """What the edits have touched that led from an analysed text to ``source``."""
    if not drift.patches:
        return UNTOUCHED
    syntax = analysis.language.syntax
    if not all(_is_local(analysis, source, patch) for patch in drift.patches):
        texts = (_lines(*side) for old, new in drift.patches for side in ((analysis.source, old), (source, new)))
        return Touched(everything=True, files=any(map(syntax.may_include, texts)))
    chunks = (index for old, _ in drift.patches for index in analysis.touching(old))
    words = (word for _, new in drift.patches for word in syntax.words(_lines(source, new)))
    return Touched(frozenset(chunks), frozenset(words))


def spread(files: Sequence[tuple[Touched, Links]]) -> list[frozenset[int]]:
    """The chunks of each of these files that may have changed, the files being checked together."""
    if any(edited.everything for edited, _ in files):
        return [frozenset(range(len(linked))) for _, linked in files]
    if all(edited == UNTOUCHED for edited, _ in files):
        return [frozenset() for _ in files]
    stale = [set(edited.chunks) for edited, _ in files]
    words = frozenset().union(*(edited.words for edited, _ in files))
    for found, (_, linked) in zip(stale, files, strict=True):
        found.update(index for word in words for index in linked.users.get(word, ()))
    pending = [
        name for found, (_, linked) in zip(stale, files, strict=True) for i in found for name in linked.names[i][0]
    ]
    met: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in met:
            met.add(name)
            for found, (_, linked) in zip(stale, files, strict=True):
                fresh = [index for index in linked.concerned.get(name, ()) if index not in found]
                found.update(fresh)
                pending += (other for index in fresh for other in linked.names[index][0])
    return [frozenset(found) for found in stale]


def _is_local(analysis: Analysis, source: Source, patch: _Patch) -> bool:
    """Whether an edit can only change what one definition does: it lies in its body, or in comments, and opens and
    closes nothing. Anything else may give any name another meaning."""
    syntax = analysis.language.syntax
    before, after = _lines(analysis.source, patch.old), _lines(source, patch.new)
    if not syntax.keeps_extents(before, after):
        return False
    if (syntax.is_comment(before) and syntax.is_comment(after)) or _is_lines_of_comment(analysis, source, patch):
        return True
    chunk = next(
        (c for c in analysis.chunks if c.start <= patch.old.start <= patch.old.end <= c.start + c.length), None
    )
    if chunk is None or len(chunk.record.verdict.defines) != 1:
        return False
    first = analysis.source.place(chunk.start)
    below = analysis.source.place(patch.old.start).line > first.line
    item = analysis.source.text[chunk.start :][: chunk.length]
    return syntax.is_inside(item, first.column, below, before, after)


def _is_lines_of_comment(analysis: Analysis, source: Source, patch: _Patch) -> bool:
    """Whether whole lines were put in or taken out, and nothing stands in them but comments."""
    old, new = analysis.source.text[slice(*patch.old)], source.text[slice(*patch.new)]
    begins, is_comment = analysis.source.place(patch.old.start).column == 1, analysis.language.syntax.is_comment
    return begins and all(not text or (is_comment(text) and text[-1] == "\n") for text in (old, new))


def _lines(source: Source, span: Span) -> str:
    """The whole lines that a range touches."""
    first, last = source.place(span.start).line, source.place(span.end).line
    return source.text[source.offset(Place(first, 1)) : source.line_span(last).end]


class _Patch(NamedTuple):
    """What stood at ``old`` in the old text was replaced by what stands at ``new`` in the new one."""

    old: Span
    new: Span


class Drift:
    """The difference between two texts as a few patches: in order, and never touching each other. Immutable."""

    __slots__ = ("patches",)

    def __init__(self, patches: tuple[_Patch, ...] = ()) -> None:
        self.patches = patches

    def after(self, edits: Iterable[Edit]) -> Drift:
        """The drift with some more edits, each of them in a text that has the earlier ones."""
        drift = self
        for edit in edits:
            drift = Drift(drift._with(edit))
        return drift

    def _with(self, edit: Edit) -> tuple[_Patch, ...]:
        (start, end), text = edit.span, edit.text
        before = [patch for patch in self.patches if patch.new.end < start]
        behind = [patch for patch in self.patches if patch.new.start > end]
        touched = self.patches[len(before) : len(self.patches) - len(behind)]
        old_start, old_end = self.back(start), self.back(end)
        if touched and touched[0].new.start <= start:
            start, old_start = touched[0].new.start, touched[0].old.start
        if touched and touched[-1].new.end >= end:
            end, old_end = touched[-1].new.end, touched[-1].old.end
        grown = len(text) - (edit.span.end - edit.span.start)
        merged = _Patch(Span(old_start, old_end), Span(start, end + grown))
        return (*before, merged, *(patch._replace(new=patch.new.moved(grown)) for patch in behind))

    def back(self, offset: int) -> int:
        """The offset in the old text; that of the start of what was replaced, for a place in new text."""
        shift = 0
        for old, new in self.patches:
            if offset < new.start:
                break
            if offset < new.end:
                return old.start
            shift = old.end - new.end
        return offset + shift

    def forward(self, span: Span) -> Span | None:
        """The range in the new text, without what was replaced at its ends; None if nothing is left of it."""
        start, end = self._start(span.start), self._end(span.end)
        return Span(start, end) if start < end or (start == end and span.start == span.end) else None

    def _start(self, offset: int) -> int:
        shift = 0
        for old, new in self.patches:
            if offset < old.start:
                break
            if offset < old.end:
                return new.end
            shift = new.end - old.end
        return offset + shift

    def _end(self, offset: int) -> int:
        shift = 0
        for old, new in self.patches:
            if offset <= old.start:
                break
            if offset < old.end:
                return new.start
            shift = new.end - old.end
        return offset + shift

    def before(self, offset: int) -> int:
        """The offset in the new text of a place in the old one; that of the start of what replaces it, if anything
        does or was put in there."""
        shift = 0
        for old, new in self.patches:
            if offset < old.start:
                break
            if offset < old.end or offset == old.start:
                return new.start
            shift = new.end - old.end
        return offset + shift
