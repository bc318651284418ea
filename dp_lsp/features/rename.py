"""Giving a variable or a function another name, everywhere it stands, or a sentence why that cannot be done."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from dp_lsp.analysis.names import NameRole, decode_spots
from dp_lsp.analysis.records import share
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.places import (
    NameTarget,
    NameUse,
    away_of,
    closed_files,
    every_use_in,
    modules_at,
    tables,
    target_at,
    uses,
    uses_in,
)
from dp_lsp.problem import Edit
from dp_lsp.text import Span

_CLAIM = re.compile(r"[ \t]*dp:[ \t]*(?:budget|sensitivity)\b([^\n]*)")
_BOUNDED = re.compile(r"\s*(<=|≤)")  # what a claim bounds is ε, δ or the sensitivity
_DEFINING = frozenset((NameRole.DEFINITION, NameRole.PARAMETER))


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
