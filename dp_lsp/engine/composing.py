"""Edits that are made one after the other, as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dp_lsp.intents import HIGHEST
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span


class _EditedPlace(NamedTuple):
    """A place of an edited text: in the text before, and how far inside of what which edit wrote."""

    before: int
    edit: int | None = None
    inside: int = 0


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after some edits, all of them of this text."""
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def composed(first: Iterable[Edit], second: Iterable[Edit]) -> tuple[Edit, ...] | None:
    """Edits of a text, and those of what it is after them, as edits of the text; None where one of the latter begins or
    ends inside of what one of the former wrote, and the other end is elsewhere."""
    made: list[Edit | None] = [*sorted(first)]
    known = [each for each in made if each is not None]
    inner: list[tuple[int, Edit, int]] = []
    added: list[Edit] = []
    for edit in second:
        start, end = _place(known, edit.span.start, False), _place(known, edit.span.end, True)
        if edit.span.start == edit.span.end:  # beside what was written, it belongs to that
            start = end = start if start.edit is not None else end
        if start.edit is not None and start.edit == end.edit:
            inner.append((start.edit, edit, start.inside))
        elif start.edit is None and end.edit is None:
            span = Span(start.before, end.before)
            for index, each in enumerate(known):
                if span.start <= each.span.start and each.span.end <= span.end and span.start < span.end:
                    made[index] = None
                    edit = _keeping(edit, each)
            added.append(edit._replace(span=span))
        else:
            return None
    for index, edit, at in sorted(inner, key=lambda each: each[2], reverse=True):
        whole = made[index]
        if whole is None:
            return None
        made[index] = _inside(whole, edit, at)
    return tuple(sorted([*(each for each in made if each is not None), *added]))


def _place(edits: Sequence[Edit], at: int, is_end: bool) -> _EditedPlace:
    """Where a place of an edited text is. What begins or ends just where something was written counts as outside of it
    if it goes on there."""
    shift = 0
    for index, edit in enumerate(edits):
        start = edit.span.start + shift
        end = start + len(edit.text)
        if at < start or (at == start and (is_end or not edit.text)):
            return _EditedPlace(at - shift)
        if at < end or (at == end and is_end):
            return _EditedPlace(edit.span.start, index, at - start)
        shift += len(edit.text) - (edit.span.end - edit.span.start)
    return _EditedPlace(at - shift)


def _inside(whole: Edit, edit: Edit, at: int) -> Edit:
    """What an edit writes, edited."""
    end = at + edit.span.end - edit.span.start
    more = len(edit.text) - (end - at)
    kept = [each for each in whole.placeholders if each.at + len(each.default) <= at]
    after = [each._replace(at=each.at + more) for each in whole.placeholders if each.at >= end]
    new = [each._replace(at=each.at + at) for each in edit.placeholders]
    return Edit(whole.span, whole.text[:at] + edit.text + whole.text[end:], (*kept, *new, *after))


def _keeping(edit: Edit, covered: Edit) -> Edit:
    """An edit that writes again what an edit wrote that it covers, with what that left to choose; of two that wrote the
    same, each in its place."""
    taken = {each.at for each in edit.placeholders}
    first = covered.placeholders[0].at if covered.placeholders else 0
    at = edit.text.find(covered.text) if covered.placeholders else -1
    while at >= 0 and at + first in taken:
        at = edit.text.find(covered.text, at + 1)
    if at < 0:
        return edit
    moved = [each._replace(at=each.at + at) for each in covered.placeholders]
    return edit._replace(placeholders=tuple(sorted((*edit.placeholders, *moved), key=lambda each: each.at)))


def named_in(fix: Fix, names: Mapping[str, str]) -> Fix:
    """A fix with names of the program where they are what is asked for."""
    return fix._replace(edits=tuple(_named(edit, names) for edit in fix.edits))


def _named(edit: Edit, names: Mapping[str, str]) -> Edit:
    for index in range(len(edit.placeholders)):
        each = edit.placeholders[index]
        name = names.get(each.name)
        if name is not None:
            text = edit.text[: each.at] + name + edit.text[each.at + len(each.default) :]
            more = len(name) - len(each.default)
            after = [other._replace(at=other.at + more) for other in edit.placeholders[index + 1 :]]
            placeholders = (*edit.placeholders[:index], each._replace(default=name), *after)
            edit = Edit(edit.span, text, placeholders)
    return edit


def linked(edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Edits in which a number that is written by itself, and is one that the author chooses beside it, is that choice:
    noise that is made for the bound that is asked for."""
    chosen = {each.default: each for edit in edits for each in edit.placeholders if each.name == HIGHEST.name}
    return tuple(
        edit._replace(placeholders=(chosen[edit.text]._replace(at=0),))
        if edit.text in chosen and not edit.placeholders
        else edit
        for edit in edits
    )
