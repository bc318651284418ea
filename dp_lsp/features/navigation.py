"""Where a name is defined and used, and another name for what it names; which symbols there are, and who calls whom:
which functions pay for a mechanism, and what a function pays for.

What a name in an open document stands for, and everywhere else it stands, in all files of its project.

A place in an open document is given in its present text, and only if that still says there what was analysed.

How a file is made up: its functions as symbols, with what is known of each in a few words; what can be folded up,
and what is selected step by step around a place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from dp_lsp.analysis.closed import ClosedReport
from dp_lsp.analysis.names import RESERVED_ROLES, WRITING, Fold, NameRole, Spot, SymbolTable, decode, decode_spots
from dp_lsp.analysis.records import MAIN, Analysis, FunctionReport, Modules, Placed, State, share
from dp_lsp.analysis.rows import decode_facts
from dp_lsp.analysis.workspace import Document
from dp_lsp.language import Syntax
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit
from dp_lsp.text import Span

_LONGEST = 120  # characters of a summary; hover has the whole
WORDS = {
    State.PROVED: "proved",
    State.ASSUMED: "assumed",
    State.FAILED: "failed",
    State.UNKNOWN: "unknown",
    State.STALE: "checking",
}


class FunctionSymbol(NamedTuple):
    """A function: its name, its state with the bounds, the whole of it, and its name's place."""

    name: str
    detail: str
    span: Span
    name_span: Span


def summary(function: FunctionReport, first: bool = False) -> str:
    """The bounds of a function in a few words ("x: ε 0.1  δ 0.2"), without its state, which says if they hold. Of two
    bounds of a parameter, of which a reader may take either, the ``first`` may be enough."""
    if function.state is State.STALE:
        return ""
    if function.kind == "blackbox":
        return "black box"
    names: dict[str, list[str]] = {}
    for parameter in function.parameters:
        shown = parameter.first if first else parameter.shown
        if not parameter.static and shown:
            names.setdefault(shown, []).append(parameter.name)
    bounds = " · ".join(f"{', '.join(group)}: {shown}" for shown, group in names.items())
    text = bounds or function.reason
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def described(function: FunctionReport) -> str:
    """The state of a function, and its bounds in a few words."""
    return " · ".join(filter(None, [WORDS[function.state], summary(function)]))


def outline(known: Analysis | Document) -> tuple[FunctionSymbol, ...]:
    """The functions of a file, in order."""
    return tuple(
        FunctionSymbol(function.name, described(function), function.span, function.name_span)
        for function in known.functions
    )


def folds(document: Document) -> list[Fold]:
    """What can be folded up, in the present text."""
    if document.analysis is None:
        return []
    moved = ((document.present_span(fold.span), fold.comment) for fold in _folds(document.analysis))
    return [Fold(span, comment) for span, comment in moved if span]


def _folds(analysis: Analysis) -> Iterator[Fold]:
    text, syntax = analysis.source.text, analysis.language.syntax
    modules: list[int] = []
    end = 0
    for start, length, record in analysis.chunks:
        yield from _between(syntax, text, Span(end, start))
        end = start + length
        table = decode(record.names.value)
        yield from (Fold(fold.span.moved(start), fold.comment) for fold in table.folds)
        mark = None if table.symbols else syntax.module_mark(text, start)
        if mark:
            modules.append(start)
        elif modules and mark is False:
            yield Fold(Span(modules.pop(), end), False)
    yield from _between(syntax, text, Span(end, len(text)))


def _between(syntax: Syntax, text: str, gap: Span) -> Iterator[Fold]:
    """Comments that belong to no chunk."""
    inside = text[gap.start : gap.end]
    if syntax.comment in inside:
        yield from (Fold(span.moved(gap.start), True) for span in syntax.loose_comments(inside))


def selections(document: Document, offset: int) -> list[Span]:
    """The ranges around an offset of the present text, each inside the next; the whole text is the last."""
    found = []
    around = Span(offset, offset)
    for span in (*_around(document, offset), Span(0, len(document.source.text))):
        if span != around and span.start <= around.start and around.end <= span.end:
            found.append(span)
            around = span
    return found or [around]


def _around(document: Document, offset: int) -> Iterator[Span]:
    if document.analysis is None:
        return
    analysed = document.analysed_offset(offset)
    for start, length, record in document.analysis.chunks_at(analysed):
        for span in (*decode(record.names.value).around(analysed - start), Span(0, length)):
            now = document.present_span(span.moved(start))
            if now and now.covers(offset):
                yield now


class NameUse(NamedTuple):
    """A place of a name in an open document."""

    document: Document
    span: Span
    role: NameRole


class Away(NamedTuple):
    """A place of a name in a file that is not open."""

    file: str
    spot: Spot


class NameTarget(NamedTuple):
    """What a name at a place stands for. ``chunk`` and ``symbol`` say which variable of the document it is;
    ``scope`` is where a local variable is known, in the analysed text, and None for a top-level name."""

    name: str
    document: Document
    chunk: Placed
    symbol: int
    scope: Span | None
    here: NameUse

    @property
    def is_reserved(self) -> bool:
        """Whether the name belongs to the language."""
        return self.here.role in RESERVED_ROLES

    @property
    def modules(self) -> Modules | None:
        """The modules in which a top-level name means the same; None, which is all, for one of the language."""
        return None if self.is_reserved else self.chunk.record.modules


def target_at(document: Document, offset: int) -> NameTarget | None:
    """What the name at an offset of the present text stands for."""
    if document.analysis is None:
        return None
    analysed = document.analysed_offset(offset)
    for chunk in reversed(list(document.analysis.chunks_at(analysed))):
        table = decode(chunk.record.names.value)
        found = table.at(analysed - chunk.start)
        span = present(document, found.span.moved(chunk.start)) if found else None
        if found and span and span.covers(offset) and found.role is not NameRole.FIELD:
            name, scope = table.symbols[found.symbol]
            known = scope.moved(chunk.start) if scope else None
            return NameTarget(name, document, chunk, found.symbol, known, NameUse(document, span, found.role))
    return None


def present(document: Document, span: Span) -> Span | None:
    """Where a name of the analysed text stands now; None if it was edited."""
    assert document.analysis
    now = document.present_span(span)
    old, text = document.analysis.source.text, document.source.text
    if now is None or text[now.start : now.end] != old[span.start : span.end]:
        return None
    before, after = text[max(0, now.start - 1) : now.start], text[now.end : now.end + 1]
    goes_on = document.language.syntax.goes_on
    grown = (goes_on(after) and after != old[span.end : span.end + 1]) or (
        goes_on(before) and before != old[max(0, span.start - 1) : span.start]
    )
    return None if grown else now


def uses(target: NameTarget) -> Iterator[NameUse]:
    """All places of what a name stands for, those of its document first."""
    if target.scope is not None:
        yield from _in_chunk(target.document, target.chunk, decode(target.chunk.record.names.value), target.symbol)
    else:
        for each in (target.document, *target.document.others):
            yield from uses_in(each, target.name, target.modules)


def uses_in(document: Document, name: str, modules: Modules | None) -> Iterator[NameUse]:
    """All places of a top-level name of some modules in one document."""
    return (use for use in every_use_in(document, name, modules) if use.role is not NameRole.FIELD)


def every_use_in(document: Document, name: str, modules: Modules | None) -> Iterator[NameUse]:
    """The same, and the places behind a dot, where it may be something else."""
    for chunk in document.analysis.chunks if document.analysis else ():
        if not share(chunk.record.modules, modules):
            continue
        table = decode(chunk.record.names.value)
        number = table.number(name)
        if number is not None:
            yield from _in_chunk(document, chunk, table, number)


def _in_chunk(document: Document, chunk: Placed, table: SymbolTable, symbol: int) -> Iterator[NameUse]:
    for span, _, role in table.of(symbol):
        now = present(document, span.moved(chunk.start))
        if now:
            yield NameUse(document, now, role)


def tables(document: Document) -> Iterator[tuple[int, SymbolTable]]:
    """The names of each chunk, and where that begins in the analysed text."""
    for start, _, record in document.analysis.chunks if document.analysis else ():
        yield start, decode(record.names.value)


def modules_at(document: Document, offset: int) -> Modules:
    """The modules that what stands at an offset of the present text is a part of."""
    return document.analysis.modules_at(document.analysed_offset(offset)) if document.analysis else (MAIN,)


def functions(document: Document, wanted: Callable[[str], bool], modules: Modules) -> Iterator[FunctionReport]:
    """What is known of the functions of some modules with such names, at their places in the analysed text. Cheaper
    than all of them, if few are wanted."""
    stale = document.stale if document.analysis else frozenset()
    for index, (start, _, record) in enumerate(document.analysis.chunks if document.analysis else ()):
        for function in record.verdict.functions if share(record.modules, modules) else ():
            if wanted(function.name):
                moved = function.moved(start)
                yield moved._replace(state=State.STALE) if index in stale else moved


def closed_files(document: Document) -> dict[str, bytes]:
    """The names in the files of a document's projects that are not open."""
    opened = {each.file for each in (document, *document.others)}
    found = {name: file.spots for project in document.projects for name, (file, _) in project.closed.items()}
    return {name: spots for name, spots in found.items() if name not in opened}


def away_of(document: Document, name: str, modules: Modules | None) -> Iterator[Away]:
    """All places of a top-level name of some modules in files that are not open."""
    for file, spots in closed_files(document).items():
        for each in decode_spots(spots):
            if each.name == name and each.role is not NameRole.FIELD and share(each.modules, modules):
                yield Away(file, each)


_DEFINING = frozenset((NameRole.DEFINITION, NameRole.PARAMETER))
_MOST_SYMBOLS = 1_000


class Highlight(NamedTuple):
    """A place of a name; ``writes`` if it gets a value there, or is spent."""

    span: Span
    writes: bool


class FoundFunction(NamedTuple):
    """A function that was looked for, the file it is in, and the place of its name."""

    name: str
    detail: str
    file: str
    place: NameUse | Away


def definitions(document: Document, offset: int) -> list[NameUse | Away]:
    """Where what stands at an offset is defined: every method of a function. Names of the language are nowhere."""
    target = target_at(document, offset)
    if target is None or target.is_reserved:
        return []
    return _defined(target)


def _defined(target: NameTarget) -> list[NameUse | Away]:
    found: list[NameUse | Away] = [use for use in uses(target) if use.role in _DEFINING]
    if target.scope is not None:
        # Of a variable that is assigned several times, the first; a function inside another may have methods.
        named = [use for use in uses(target) if use.role is NameRole.NAMED]
        return found or [*named[:1]]
    away = away_of(target.document, target.name, target.modules)
    return [*found, *(each for each in away if each.spot.role in _DEFINING)]


def references(document: Document, offset: int, declaration: bool) -> list[NameUse | Away]:
    """Every place of what stands at an offset, in all files of the project; without ``declaration`` those left out
    where it is defined."""
    target = target_at(document, offset)
    if target is None:
        return []
    found: list[NameUse | Away] = [*uses(target)]
    if target.scope is None and not target.is_reserved:
        found += away_of(document, target.name, target.modules)
    return [each for each in found if declaration or _role(each) not in _DEFINING]


def _role(place: NameUse | Away) -> NameRole:
    return place.role if isinstance(place, NameUse) else place.spot.role


def highlights(document: Document, offset: int) -> list[Highlight]:
    """Every place in the document of what stands at an offset. Of a parameter, also each mechanism and each private
    function whose input moves with it there: they are what spends it."""
    target = target_at(document, offset)
    if target is None:
        return []
    found = [Highlight(use.span, use.role in WRITING) for use in uses(target) if use.document is document]
    if target.scope is not None:
        found += (Highlight(span, True) for span in _spending(target))
    return found


def _spending(target: NameTarget) -> Iterator[Span]:
    """The callees that spend a parameter, as long as what is known of their arguments is not out of date."""
    document, start, record = target.document, target.chunk.start, target.chunk.record
    table = decode(record.names.value)
    if all(role is not NameRole.PARAMETER for _, _, role in table.of(target.symbol)) or document.is_stale_at(start):
        return
    together = (document, *document.others)
    every = (each for file in together for each in functions(file, lambda name: True, record.modules))
    private = {each.name for each in every if each.kind == "privacy"}
    moving = _moving(target, table)
    for span, symbol, role in table:
        if role is NameRole.MECHANISM or (role is NameRole.CALL and table.symbols[symbol].name in private):
            calls = (each for each in table.around(span.end) if each.start == span.start and each.end > span.end)
            call = next(calls, None)
            now = document.present_span(span.moved(start))
            if call and now and any(span.end < each.start and each.end < call.end for each in moving):
                yield now


def _moving(target: NameTarget, table: SymbolTable) -> list[Span]:
    """The expressions in the target's chunk that move with it, in so far as that is known: it where it stands,
    variables that had such a value last, and all that is made of them."""
    assert target.scope
    scope = target.scope.moved(-target.chunk.start)
    known = {
        fact.span: any(name == target.name for name, _ in fact.moves)
        for fact in decode_facts(target.chunk.record.facts.value)
        if scope.start <= fact.span.start and fact.span.end <= scope.end
    }
    found = [span for span, moves in known.items() if moves]
    last = {target.symbol: True}
    for span, symbol, role in table:
        if role in WRITING and symbol != target.symbol:
            last[symbol] = known.get(span, last.get(symbol, False))
        if role not in _DEFINING and last.get(symbol):
            found.append(span)
    return found


def workspace_symbols(
    documents: Iterable[Document], query: str, closed: Mapping[str, ClosedReport] = MappingProxyType({})
) -> list[FoundFunction]:
    """The functions of these documents and of their projects whose names have the letters of a query in that order; and
    those of ``closed`` files."""
    known = list(documents)
    opened = {document.file for document in known}
    found: dict[tuple[str, object], FoundFunction] = {}
    for document in known:
        for symbol in outline(document):
            if _matches(symbol.name, query):
                place = NameUse(document, symbol.name_span, NameRole.DEFINITION)
                found[document.file, symbol.name_span] = FoundFunction(symbol.name, symbol.detail, document.file, place)
        for file, spots in closed_files(document).items():
            for spot in decode_spots(spots) if file not in opened else ():
                if spot.role is NameRole.DEFINITION and _matches(spot.name, query):
                    found[file, (spot.line, spot.before)] = FoundFunction(spot.name, "", file, Away(file, spot))
    for file, report in closed.items():
        for state, spot in report.functions if file not in opened else ():
            if _matches(spot.name, query):
                found[file, (spot.line, spot.before)] = FoundFunction(spot.name, WORDS[state], file, Away(file, spot))
    return list(found.values())[:_MOST_SYMBOLS]


def _matches(name: str, query: str) -> bool:
    letters = iter(name.casefold())
    return all(letter in letters for letter in query.casefold())


_CALLED = frozenset((NameRole.CALL, NameRole.READ, NameRole.MECHANISM, NameRole.BUILTIN, NameRole.MENTION))


class Item(NamedTuple):
    """A function, a mechanism at one of its places, or code outside functions. ``detail`` says state and bounds;
    one in a file that is not open is ``away``, and has no other place. ``modules`` are those in which a function is
    known by that name; None for all."""

    name: str
    detail: str
    kind: str  # "function", "mechanism" or "file"
    document: Document
    span: Span
    name_span: Span
    away: Away | None = None
    modules: Modules | None = None


class CallEdge(NamedTuple):
    """A function that calls, or is called, and where that happens in the file of the caller."""

    item: Item
    places: tuple[Span, ...]
    away: tuple[Away, ...] = ()


def prepare(document: Document, offset: int) -> list[Item]:
    """The functions, or the mechanism, that the name at an offset stands for."""
    target = target_at(document, offset)
    if target is None or target.scope is not None:
        return []
    if target.here.role is NameRole.MECHANISM:
        return [_mechanism(target.here, target.name)]
    return list(_functions(document, target.name, target.modules))


def incoming(document: Document, name: str, modules: Modules | None = None) -> list[CallEdge]:
    """Who calls a function of some modules, or a mechanism, in the files of a document's project."""
    found: dict[Item, list[Span]] = {}
    for each in (document, *document.others):
        symbols = outline(each)
        for use in uses_in(each, name, modules):
            if use.role in _CALLED:
                found.setdefault(_caller(each, symbols, use), []).append(use.span)
    calls = [CallEdge(item, tuple(places)) for item, places in found.items()]
    files: dict[str, list[Away]] = {}
    for away in away_of(document, name, modules):
        if away.spot.role in _CALLED:
            files.setdefault(away.file, []).append(away)
    whole = Span(0, 0)
    return calls + [
        CallEdge(Item(_short(file), "not open", "file", document, whole, whole, places[0]), (), tuple(places))
        for file, places in files.items()
    ]


def outgoing(document: Document, name: str, span: Span) -> list[CallEdge]:
    """The functions of the project and the mechanisms that the function in a range of the present text calls."""
    found: dict[tuple[str, Modules], list[NameUse]] = {}
    for start, length, record in document.analysis.chunks if document.analysis else ():
        around = document.present_span(Span(start, start + length))
        if around is None or around.end <= span.start or span.end <= around.start:
            continue
        table = decode(record.names.value)
        for place, symbol, role in table:
            called, scope = table.symbols[symbol]
            now = present(document, place.moved(start)) if role in _CALLED and scope is None else None
            if (
                now
                and span.start <= now.start
                and now.end <= span.end
                and (called != name or role is not NameRole.READ)
            ):
                found.setdefault((called, record.modules), []).append(NameUse(document, now, role))
    calls = []
    for (called, modules), places in found.items():
        spans = tuple(place.span for place in places)
        mechanism = places[0].role is NameRole.MECHANISM
        items = [_mechanism(places[0], called)] if mechanism else _functions(document, called, modules)
        calls += [CallEdge(item, spans) for item in items]
    return calls


def _functions(document: Document, name: str, modules: Modules | None) -> Iterator[Item]:
    for each in (document, *document.others):
        found = (_function(each, symbol) for symbol in outline(each) if symbol.name == name)
        yield from (item for item in found if share(item.modules, modules))
    for away in away_of(document, name, modules):
        if away.spot.role is NameRole.DEFINITION:
            yield Item(name, "not open", "function", document, Span(0, 0), Span(0, 0), away, away.spot.modules)


def _function(document: Document, symbol: FunctionSymbol) -> Item:
    modules = modules_at(document, symbol.name_span.start)
    return Item(symbol.name, symbol.detail, "function", document, symbol.span, symbol.name_span, None, modules)


def _mechanism(use: NameUse, name: str) -> Item:
    return Item(name, "mechanism", "mechanism", use.document, use.span, use.span)


def _caller(document: Document, symbols: Iterable[FunctionSymbol], use: NameUse) -> Item:
    """The function that a place lies in, or the file."""
    for symbol in symbols:
        if symbol.span.start <= use.span.start and use.span.end <= symbol.span.end:
            return _function(document, symbol)
    whole = Span(0, len(document.source.text))
    return Item(_short(document.file), "outside functions", "file", document, whole, Span(0, 0))


def _short(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2] or file


# Giving a variable or a function another name, everywhere it stands, or a sentence why that cannot be done.


_CLAIM = re.compile(r"[ \t]*dp:[ \t]*(?:budget|sensitivity)\b([^\n]*)")
_BOUNDED = re.compile(r"\s*(<=|≤)")  # what a claim bounds is ε, δ or the sensitivity


class RenameRefused(Exception):
    """Why something cannot be renamed, as a sentence."""


class Renaming(NamedTuple):
    """The edits of one document."""

    document: Document
    edits: tuple[Edit, ...]


def renamable(document: Document, offset: int) -> NameUse | None:
    """The name at an offset, which can be renamed; None where there is no name. Raises :class:`RenameRefused`."""
    target = target_at(document, offset)
    if target is None:
        return None
    _check_target(target)
    return target.here


def rename(document: Document, offset: int, new: str) -> tuple[Renaming, ...]:
    """The edits that rename what stands at an offset. Raises :class:`RenameRefused`. All documents of the project
    must have been checked as they are now."""
    target = target_at(document, offset)
    if target is None:
        raise RenameRefused("no name stands here: put the cursor on one")
    found = _check_target(target)
    new = new.strip()
    name = target.document.language.syntax.normalised(new)
    if name == target.name:
        return ()
    _check_name(target.document, name)
    if target.scope is not None:
        _check_local(target, name)
    else:
        _check_global(target, name)
    edits: dict[Document, dict[Span, None]] = {}
    for use in found:
        edits.setdefault(use.document, {})[use.span] = None
        if use.role is NameRole.PARAMETER:
            edits[use.document] |= dict.fromkeys(_in_claims(use, target.name))
    return tuple(Renaming(each, tuple(Edit(span, new) for span in spans)) for each, spans in edits.items())


def _in_claims(use: NameUse, name: str) -> Iterator[Span]:
    """Where comments that demand a bound of the function of a parameter name it: above the function, or in it."""
    assert use.document.analysis is not None, "only what is checked is renamed"
    text, syntax = use.document.source.text, use.document.language.syntax
    claims = re.compile(re.escape(syntax.comment) + _CLAIM.pattern)
    for function in use.document.analysis.functions:
        if function.span.covers(use.span.start):
            above = _comments_above(text, function.span.start, syntax.comment)
            for claim in claims.finditer(text, above, function.span.end):
                for place, word, *_ in syntax.mentions(text, Span(*claim.span(1))):
                    if word == name and not _BOUNDED.match(text, place.end):
                        yield place


def _comments_above(text: str, start: int, comment: str) -> int:
    """Where the lines of comments begin that end at a place."""
    before = text.rfind("\n", 0, max(0, start - 1)) + 1
    while before < start and text[before:start].lstrip().startswith(comment):
        start, before = before, text.rfind("\n", 0, max(0, before - 1)) + 1
    return start


def _check_target(target: NameTarget) -> list[NameUse]:
    """The places of something that can be renamed."""
    name = target.name
    if target.is_reserved or _is_of_language(target.document, name):
        raise RenameRefused(f"`{name}` belongs to the language, so it cannot be renamed")
    if not all(each.current for each in (target.document, *target.document.others)):
        raise RenameRefused("the text was edited and is being checked: try again in a moment")
    found = list(uses(target))
    if target.scope is None:
        for away in away_of(target.document, name, target.modules):
            raise RenameRefused(
                f"`{name}` also stands in {_file(away.file)}, line {away.spot.line}: open that file first"
            )
    _check_definition(target, found)
    if not target.document.language.syntax.is_plain(name):
        raise RenameRefused(f"`{name}` is an operator, or a name of a form that cannot be renamed here")
    if target.scope is None:
        _check_unsure(target)
    for use in found:
        if use.role is NameRole.BROKEN:
            raise RenameRefused(
                f"`{name}` also stands in text that cannot be read ({_where(use, target)}): mend that first"
            )
        if use.role is NameRole.NAMED:
            raise RenameRefused(
                f"`{name}` is given by name ({_where(use, target)}), so its callers would have to change too"
            )
    return found


def _check_definition(target: NameTarget, found: list[NameUse]) -> None:
    """What is renamed must get its meaning in text that is understood."""
    roles = {use.role for use in found}
    if not roles & _DEFINING and NameRole.NAMED not in roles:
        if target.scope is None:
            raise RenameRefused(
                f"`{target.name}` is not defined in the files that are checked, so it cannot be renamed"
            )
        raise RenameRefused(f"`{target.name}` gets its value in text that is not checked, so it cannot be renamed")


def _check_unsure(target: NameTarget) -> None:
    """Nowhere may stand what may be a top-level name or something else: behind a dot, or where text that is not
    checked may have made it a local variable."""
    name = target.name
    for document in (target.document, *target.document.others):
        unsure = [
            use for use in every_use_in(document, name, None) if use.role is NameRole.FIELD or _is_afar(target, use)
        ]
        for start, table in tables(document):
            for symbol, (local, scope) in enumerate(table.symbols):
                if local == name and scope is not None:
                    places = list(table.of(symbol))
                    if not {place.role for place in places} & {*_DEFINING, NameRole.NAMED}:
                        unsure += [NameUse(document, place.span.moved(start), place.role) for place in places]
        for use in unsure[:1]:
            raise RenameRefused(
                f"`{name}` may be something else in one place ({_where(use, target)}): rename it by hand"
            )


def _is_afar(target: NameTarget, use: NameUse) -> bool:
    """Whether a place in another module may be one of what is renamed: where names are only listed or mentioned, it may
    be brought from one module to another."""
    if use.role not in (NameRole.MENTION, NameRole.BROKEN):
        return False
    return not share(modules_at(use.document, use.span.start), target.modules)


def _is_of_language(document: Document, name: str) -> bool:
    """Whether a name belongs to the language: a builtin, or one of its words."""
    language = document.language
    return language.vocabulary.is_reserved(name) or language.builtins.find(name) is not None


def _check_name(document: Document, name: str) -> None:
    language = document.language
    if name in language.vocabulary.keywords:
        raise RenameRefused(f"`{name}` is a keyword of {language.name}")
    if _is_of_language(document, name):
        raise RenameRefused(f"`{name}` belongs to the language and cannot be given another meaning")
    if not language.syntax.is_plain(name) or name.strip("_") == "":
        raise RenameRefused(
            f"`{name}` is not a name: it must begin with a letter and hold letters, digits, `_` and `!`"
        )


def _check_local(target: NameTarget, name: str) -> None:
    """A local variable must not take a name that stands where it is known, nor one that a function around has."""
    scope, start = target.scope, target.chunk.start
    assert scope is not None
    for first, table in tables(target.document):
        if first != start:
            continue
        for span, symbol, _ in table:
            known = table.symbols[symbol]
            inside = scope.start <= span.start + start and span.end + start <= scope.end
            around = known.scope is not None and _holds(known.scope.moved(start), scope)
            if known.name == name and (inside or around):
                place = target.document.present_span(span.moved(start)) or target.here.span
                raise RenameRefused(
                    f"`{name}` is already used there ({_line(target.document, place)}): choose another name"
                )


def _check_global(target: NameTarget, name: str) -> None:
    """A top-level name must be new to the project, and no local variable may hide it where it is used."""
    document = target.document
    for each in (document, *document.others):
        for use in uses_in(each, name, target.modules):
            raise RenameRefused(
                f"`{name}` already has a meaning in this project ({_where(use, target)}): choose another name"
            )
        for use in _captures(each, target.name, name):
            where = f"where `{target.name}` is used ({_where(use, target)})"
            raise RenameRefused(f"`{name}` is a local variable {where}: choose another name")
    for file, spots in closed_files(document).items():
        for spot in decode_spots(spots):
            if spot.name == name and share(spot.modules, target.modules):
                where = f"{_file(file)}, line {spot.line}"
                raise RenameRefused(f"`{name}` already has a meaning in this project ({where}): choose another name")


def _captures(document: Document, old: str, new: str) -> Iterator[NameUse]:
    """Places of a top-level name at which a local variable has the new one."""
    for start, table in tables(document):
        number = table.number(old)
        hiding = [symbol.scope for symbol in table.symbols if symbol.name == new and symbol.scope]
        for span, _, role in table.of(number) if number is not None else ():
            if any(_holds(scope, span) for scope in hiding):
                yield NameUse(document, span.moved(start), role)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _where(use: NameUse, target: NameTarget) -> str:
    line = _line(use.document, use.span)
    return line if use.document is target.document else f"{_file(use.document.file)}, {line}"


def _line(document: Document, span: Span) -> str:
    return f"line {document.source.place(span.start).line}"


def _file(name: str) -> str:
    return f"`{name.replace(chr(92), '/').rpartition('/')[2]}`"
