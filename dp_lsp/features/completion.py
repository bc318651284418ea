"""What may be typed at a place: local names, functions of the project, builtins, types, norms and keywords."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from dp_lsp import frontends
from dp_lsp.analysis.facts import Fact, decode_facts
from dp_lsp.analysis.names import NameRole, decode, decode_spots
from dp_lsp.analysis.records import FunctionReport, Modules, State, share
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.hover import hover
from dp_lsp.features.markdown import code
from dp_lsp.features.outline import described
from dp_lsp.features.places import closed_files, modules_at
from dp_lsp.features.signatures import cursor, takes_norm, takes_type
from dp_lsp.language import Cursor, Expected
from dp_lsp.text import Span

MOST = 200
"""How many proposals are made at once; typing on narrows them down."""
_VALUES = frozenset((NameRole.DEFINITION, NameRole.PARAMETER, NameRole.NAMED, NameRole.WRITE))


class Proposal(NamedTuple):
    """Something that may be typed. ``kind`` is a word for what it is, ``rank`` what comes first; ``snippet`` is the
    text with places to fill in, if it has any. ``about`` finds its documentation: a document and a name, then the
    signature of a function and the modules it is in. ``of`` is the function that it is, with its chunk."""

    label: str
    kind: str  # "variable", "function", "builtin", "mechanism", "type", "norm" or "keyword"
    rank: int
    detail: str = ""
    text: str = ""
    snippet: str = ""
    about: tuple[str, ...] = ("", "")
    of: tuple[Document, int, FunctionReport] | None = None

    @property
    def inserted(self) -> str:
        return self.text or self.label

    def described(self) -> Proposal:
        """The same with what is known of the function that it is: that takes time, so it is said of a few only."""
        if self.of is None:
            return self
        document, chunk, function = self.of
        shown = function._replace(state=State.STALE) if chunk in document.stale else function
        return self._replace(detail=described(shown), of=None)


class Proposals(NamedTuple):
    """What may be typed instead of a range of the present text, and whether there is more."""

    span: Span
    items: tuple[Proposal, ...]
    more: bool


def load() -> None:
    """Load what the first proposal would wait for."""
    for language in frontends.LANGUAGES.values():
        _builtins(language.id)


def completion(document: Document, offset: int, trigger: str = "") -> Proposals:
    """What may be typed at an offset of the present text; ``trigger`` is the character that asked for it, if one
    did."""
    here = cursor(document, offset)
    span = Span(offset - len(here.word), offset)
    if here.quiet or here.expected is Expected.NOTHING or (trigger and here.expected is not Expected.TYPE):
        return Proposals(span, (), False)
    found: dict[str, Proposal] = {}
    for each in _candidates(document, offset, here):
        if _fits(each.label, here.word):
            found.setdefault(each.label, each)
    wanted = here.word.casefold()
    ranked = sorted(
        found.values(), key=lambda each: (not each.label.casefold().startswith(wanted), each.rank, each.label)
    )
    return Proposals(span, tuple(each.described() for each in ranked[:MOST]), len(ranked) > MOST)


def _fits(label: str, word: str) -> bool:
    """Whether a label has the letters of a word, in that order, and begins with the first."""
    label, word = label.casefold(), word.casefold()
    letters = iter(label)
    return label[:1] == word[:1] and all(letter in letters for letter in word) if word else True


def _candidates(document: Document, offset: int, here: Cursor) -> Iterator[Proposal]:
    if here.expected is Expected.VALUE:
        yield from _locals(document, offset)
        yield from _globals(document, here.word, modules_at(document, offset))
        yield from _builtins(document.language.id)
    norm = here.inner is not None and takes_norm(here.inner, document.language.builtins)
    type_ = here.inner is not None and takes_type(here.inner, document.language.builtins)
    for word in document.language.vocabulary.offered(here, norm, type_):
        yield Proposal(*word[:-1], about=("", word.name, document.language.id))


def _locals(document: Document, offset: int) -> Iterator[Proposal]:
    """The variables that are known here and have got a value above."""
    if document.analysis is None:
        return
    analysed = document.analysed_offset(offset)
    for chunk in document.analysis.chunks_at(analysed):
        table = decode(chunk.record.names.value)
        inside = analysed - chunk.start
        known = {i for i, each in enumerate(table.symbols) if each.scope and each.scope.covers(inside)}
        facts: dict[Span, Fact] = {}
        if known and not document.is_stale_at(analysed):
            facts = {fact.span: fact for fact in decode_facts(chunk.record.facts.value)}
        for span, symbol, role in table:
            if symbol in known and role in _VALUES and span.end < inside:
                known.discard(symbol)
                yield Proposal(table.symbols[symbol].name, "variable", 1, _known(facts, span))


def _known(facts: dict[Span, Fact], span: Span) -> str:
    """The type of a variable and how far it moves, if that is known. What is known of a parameter covers its type."""
    fact = facts.get(span) or next((fact for place, fact in facts.items() if place.start == span.start), None)
    if fact is None:
        return ""
    moves = ", ".join(f"{bound} in {name}" for name, bound in fact.moves)
    return f"{fact.whole_type} · {moves}" if moves else fact.whole_type


def _globals(document: Document, word: str, modules: Modules) -> Iterator[Proposal]:
    """The functions and the other top-level names of some modules of the project that fit a word."""
    together = (document, *document.others)
    for each in together:
        for index, (_, _, record) in enumerate(each.analysis.chunks if each.analysis else ()):
            for function in record.verdict.functions if share(record.modules, modules) else ():
                if _fits(function.name, word):
                    about = each.uri, function.name, function.signature, *record.modules
                    yield Proposal(function.name, "function", 2, about=about, of=(each, index, function))
    for each in together:
        for chunk in each.analysis.chunks if each.analysis else ():
            for name in chunk.record.verdict.defines if share(chunk.record.modules, modules) else ():
                if _fits(name, word):
                    yield Proposal(name, "variable", 2)
    for file, spots in closed_files(document).items():
        for spot in decode_spots(spots):
            if spot.role is NameRole.DEFINITION and _fits(spot.name, word) and share(spot.modules, modules):
                yield Proposal(spot.name, "function", 2, file.replace("\\", "/").rpartition("/")[2])


@cache
def _builtins(id_: str) -> tuple[Proposal, ...]:
    """The builtins that are called by name in a language, those that change an argument included."""
    from dp_lsp.builtins import TABLE  # few sessions ask, and it takes a while to load

    language, found = frontends.of("", id_), []
    for row in {row.name: row for row in TABLE.values()}.values():
        spelling = language.builtins.spelling(row.name)
        released = any(form.noise is not None or form.runs is not None for form in row.forms)
        kind = "mechanism" if released else "builtin"
        for rank, names in ((3, (spelling.name, *spelling.others)), (4, spelling.changing)):
            for name in names:
                if language.builtins.find(name) is not None and language.syntax.is_plain(name):
                    signature = spelling.signature.replace(f"{spelling.name}(", f"{name}(")
                    found.append(Proposal(name, kind, rank, signature, about=("", name, id_)))
    return tuple(found)


def documentation(about: tuple[str, ...], document: Document | None) -> str:
    """What there is to say about a proposal, as Markdown: of a function, as ``document`` has it."""
    _, name, *which = about
    if document is not None:
        return _of_function(document, name, *which)
    language = frontends.of("", *which[:1])
    said, found = language.vocabulary.meaning(name), language.builtins.find(name)
    if said or found is None:
        return said
    from dp_lsp.builtins import TABLE

    builtin, changes = found
    row, signature = TABLE[builtin], language.builtins.spelling(builtin).signature
    said = f"`{name}` changes `{row.mutates}` in place.\n\n" if changes else ""
    return f"{code(signature)}\n\n{said}{row.told(language.rendering)}"


def _of_function(document: Document, name: str, signature: str = "", *modules: str) -> str:
    """What is known of a function: of several with a name the one in these modules, with this signature if it still
    has that."""
    analysis = document.analysis
    if analysis is None:
        return ""
    candidates = [
        (record.modules == modules, function.signature == signature, start + function.name_span.start)
        for start, _, record in analysis.chunks
        for function in record.verdict.functions
        if function.name == name
    ]
    if not candidates:
        return ""
    *_, offset = max(candidates, key=lambda each: each[:2])
    found = hover(analysis, offset, document.is_stale_at(offset))
    return found.markdown if found else ""
