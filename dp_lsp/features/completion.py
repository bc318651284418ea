"""What is being typed. The call around a place: what it takes, how far each argument may move or what it costs, and
which is next. And what may stand there: local names, functions of the project, builtins, types, norms and keywords."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from dp_lsp import frontends
from dp_lsp.analysis.names import NameRole, decode, decode_spots
from dp_lsp.analysis.records import FunctionReport, Modules, State, share
from dp_lsp.analysis.rows import Fact, ParameterReport, decode_facts
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.hover import KINDS, hover, verdict, whom
from dp_lsp.features.markdown import code, prose
from dp_lsp.features.navigation import WORDS, closed_files, described, functions, modules_at
from dp_lsp.language import Argument, Bracket, Builtins, Cursor, Expected, Language, Syntax
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.builtins.define import Form, Parameter


class DescribedParameter(NamedTuple):
    """A parameter: the range of the label where it stands, its name, and what is known of it, as Markdown."""

    span: Span
    name: str
    documentation: str


class Signature(NamedTuple):
    """One way to call something. ``active`` is the number of the argument that is being typed."""

    label: str
    documentation: str
    arguments: tuple[DescribedParameter, ...]
    active: int | None


class Signatures(NamedTuple):
    """The ways to make the call around a cursor, and the number of the one that fits what was typed."""

    all: tuple[Signature, ...]
    active: int


def signatures(document: Document, offset: int) -> Signatures | None:
    """The innermost call around an offset of the present text that is known."""
    here = cursor(document, offset)
    for bracket in reversed(here.brackets if not here.quiet or here.word else ()):
        if bracket.call and bracket.callee and not bracket.header:
            found = (*_own(document, offset, bracket), *_builtin(document.language, bracket))
            if found:
                return Signatures(found, _fitting(found))
    return None


def _fitting(found: tuple[Signature, ...]) -> int:
    return next((i for i, each in enumerate(found) if each.active is not None), 0)


# Functions of the project


def _own(document: Document, offset: int, bracket: Bracket) -> Iterator[Signature]:
    modules = modules_at(document, offset)
    for each in (document, *document.others):
        for function in functions(each, lambda name: name == bracket.callee, modules):
            now = each.present_span(function.name_span)
            if now:
                syntax = each.language.syntax
                yield _signature_of(syntax, function, syntax.arguments(each.source.text, now), bracket)


def _signature_of(syntax: Syntax, function: FunctionReport, written: list[Argument], bracket: Bracket) -> Signature:
    known = {parameter.name: parameter for parameter in function.parameters}
    said = [_of_parameter(function, known.get(param.name)) for param in written]
    state = WORDS[State.STALE] if function.state is State.STALE else verdict(function)
    lines = [f"{KINDS[function.kind]} · {state}"]
    if function.state not in (State.PROVED, State.STALE) and function.reason:
        lines.append(prose(function.reason))
    if function.state is not State.STALE:
        lines += whom(function)
    label, places = syntax.signature(function.name, written)
    return _signature(label, places, written, said, "\n\n".join(lines), bracket)


def _of_parameter(function: FunctionReport, known: ParameterReport | None) -> str:
    if known is None or function.state in (State.STALE, State.UNKNOWN):
        return ""
    if known.static:
        return "public"
    shown = prose(known.shown)
    failed = " (as far as it was checked)" if function.state is State.FAILED else ""
    if function.kind == "sensitivity":
        return f"sensitivity **{shown}**{failed}"
    return f"{shown}{failed}" if function.kind == "privacy" else ""


def _signature(
    label: str, places: list[Span], params: list[Argument], said: list[str], documentation: str, bracket: Bracket
) -> Signature:
    """A label with its arguments, and what is said of each."""
    made = tuple(
        DescribedParameter(place, each.name, about) for place, each, about in zip(places, params, said, strict=True)
    )
    return Signature(label, documentation, made, _active(params, bracket))


def _active(params: list[Argument], bracket: Bracket) -> int | None:
    """The argument that is being typed: by its name, else by its place. Beyond the last there is none."""
    for index, param in enumerate(params):
        if bracket.keyword and param.by_name and param.name == bracket.keyword:
            return index
        if bracket.named and not bracket.keyword and param.by_name:
            return index
    placed = sum(not param.by_name for param in params)
    return bracket.commas if bracket.commas < placed and not bracket.named and not bracket.keyword else None


# Builtins


def _builtin(language: Language, bracket: Bracket) -> Iterator[Signature]:
    found = language.builtins.find(bracket.callee)
    if found is None:
        return
    from dp_lsp.builtins import TABLE  # few sessions ask, and it takes a while to load

    row, doc = TABLE[found[0]], prose(TABLE[found[0]].told(language.rendering))
    groups: dict[tuple[str, ...], list[Form]] = {}
    for form in row.forms:
        groups.setdefault(tuple(param.name for param in form.params), []).append(form)
    said = f"changes `{row.mutates}` in place · {doc}" if found[1] else doc
    for forms in groups.values():
        params = forms[0].params
        written = [
            Argument(f"{each.name} = …" if each.keyword else each.name, each.name, each.keyword) for each in params
        ]
        about = [_of_argument(forms, index) for index in range(len(params))]
        label, places = language.syntax.signature(bracket.callee, written)
        signature = _signature(label, places, written, about, said, bracket)
        if signature.active is None and forms[0].variadic and not bracket.named:
            signature = signature._replace(active=max(0, len(params) - 1))
        yield signature


def _of_argument(forms: list[Form], index: int) -> str:
    """What an argument must be, and what the row says about how far it moves the result."""
    from dp_lsp.builtins.define import Each
    from dp_lsp.core.notation import DISPLAY, Printer

    name = forms[0].params[index].name
    words = dict.fromkeys(form.params[index].pattern.words for form in forms)
    said = [" or ".join(words)]
    factors = {form.factors for form in forms}
    noise = next((form.noise for form in forms if form.noise is not None), None)
    if noise is not None and noise.declares == name:
        said.append(f"the sensitivity of {code(noise.hidden)} that the noise is for")
    elif noise is not None and noise.hidden == name:
        norm = f", measured in {noise.norm.value}" if noise.norm else ""
        said.append(f"what the noise hides{norm}")
    elif len(factors) == 1 and isinstance(each := factors.pop(), Each):
        factor = prose(Printer(DISPLAY).sens(each.factor))
        said.append(f"the result has sensitivity {factor} in it")
    if any(name in form.noise.exposed for form in forms if form.noise) or any(
        name in form.runs.exposed for form in forms if form.runs
    ):
        said.append("not protected")
    return " · ".join(said)


def takes_norm(bracket: Bracket, builtins: Builtins) -> bool:
    """Whether a norm is written where the next argument of a builtin stands."""
    from dp_lsp.builtins.patterns import GivenNorm

    return any(isinstance(param.pattern, GivenNorm) for param in _parameters(bracket, builtins))


def takes_type(bracket: Bracket, builtins: Builtins) -> bool:
    """Whether a type is written there."""
    from dp_lsp.builtins.patterns import GivenType

    return any(isinstance(param.pattern, GivenType) for param in _parameters(bracket, builtins))


def _parameters(bracket: Bracket, builtins: Builtins) -> Iterator[Parameter]:
    """What the argument of a builtin at a cursor may be."""
    from dp_lsp.builtins import TABLE

    found = builtins.find(bracket.callee) if bracket.call else None
    for form in TABLE[found[0]].forms if found else ():
        if bracket.commas < len(form.params) and not bracket.named:
            yield form.params[bracket.commas]


_FARTHEST = 50_000  # characters that are looked through; a longer function is read from its middle


def cursor(document: Document, offset: int) -> Cursor:
    """What surrounds an offset of the present text."""
    text = document.source.text
    if not frontends.is_meant(document.language, text, document.is_named):
        return Cursor(quiet=True)
    offset = max(0, min(offset, len(text)))
    return document.language.syntax.cursor(text, _begin(document, offset), offset)


def _begin(document: Document, offset: int) -> int:
    """Where nothing is open, before an offset of the present text."""
    text = document.source.text
    far = max(0, text.rfind("\n", 0, max(0, offset - _FARTHEST)) + 1)
    if document.analysis is None:
        return far
    before = document.analysis.before(document.analysed_offset(offset))
    if before is None:
        return far
    now = document.present_start(before.start)
    return max(far, now) if now <= offset else far


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
