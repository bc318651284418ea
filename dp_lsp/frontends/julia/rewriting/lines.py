"""Repairs of lines: what is put before, taken out, closed, or named otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from dp_lsp import intents
from dp_lsp.builtins.remedies import COPY
from dp_lsp.frontends.julia.rewriting.places import NAME, closing, indentation, new_name
from dp_lsp.frontends.julia.vocabulary import by_map
from dp_lsp.intents import Rendering, edit_of
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_RENAMING = re.compile(r"^[ \t]*([^\W\d]\w*)[ \t]*=[ \t]*([^\W\d]\w*)[ \t]*$", re.MULTILINE)
_INNER = re.compile(r"function[ \t]+([^\W\d]\w*!?)\(")
_LOOKALIKES = {
    **dict.fromkeys("“”„‟", '"'), **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""), "\u2013": "-", "\u2014": "-",
    "（": "(", "）": ")", "，": ",", "；": ";", "：": ":", "＝": "=", "＋": "+", "＊": "*",
}  # fmt: skip
"""Characters that a word processor or another keyboard writes, and the ones that are meant."""
_COMPARING = re.compile(r"(?<![^\n])[ \t]*([^\W\d]\w*)[ \t]*(==)[^\n]*")
_MOST = 3


def put_before(code: Rendering, intent: intents.Before, text: str) -> Iterator[Fix]:
    """On a line of its own, unless something stands before it on the same one."""
    at, name = intent.at, text[slice(*intent.name)]
    line = text[max(text.rfind(mark, 0, at) for mark in "\r\n") + 1 : at]
    call = intent.call._replace(builtin=f"{intent.call.builtin}!") if intent.in_place else intent.call
    statement = code.passed(name, (call,))
    statement = statement if intent.in_place else f"{name} = {statement}"
    separator = "; " if line.strip() else f"\n{line}"
    shown, edit = edit_of(Span(at, at), statement).text, edit_of(Span(at, at), statement + separator)
    yield Fix(intent.title.format(code=shown), (edit,), sure=not edit.placeholders)


def leave_out(code: Rendering, intent: intents.LeaveOut, text: str) -> Iterator[Fix]:
    start = max(text.rfind(mark, 0, intent.span.start) for mark in "\r\n") + 1
    end = text.find("\n", intent.span.end) + 1
    if end and not text[start : intent.span.start].strip() and not text[intent.span.end : end].strip():
        yield Fix(intent.title, (Edit(Span(start, end), ""),), sure=False)


_CHECKS = re.compile(
    r"(?P<one>^[ \t]*(?:@assert\b|[^\n]*(?:&&|\|\|)[ \t]*(?:error|throw)\()[^\n]*$)|"
    r"^(?P<indent>[ \t]*)if\b[^\n]*\n[ \t]*(?:error|throw)\([^\n]*\n(?P=indent)end\b",
    re.MULTILINE,
)


def leave_out_check(code: Rendering, intent: intents.LeaveOutCheck, text: str) -> Iterator[Fix]:
    """An assertion, or what fails under a condition."""
    for found in _CHECKS.finditer(text, *intent.function):
        if Span(*found.span()).covers(intent.place.start):
            yield from leave_out(code, intents.LeaveOut(intent.title, Span(*found.span())), text)


def write_by_map(code: Rendering, intent: intents.ByMap, text: str) -> Iterator[Fix]:
    """Comprehensions in other words, here and in the rest of the function."""
    ways = list(islice(by_map(text[slice(*intent.span)]), _MOST))
    if not ways:
        return
    others = ((span, next(by_map(text[slice(*span)]), "")) for span in intent.others)
    edits = tuple(Edit(span, way) for span, way in others if way)
    for way in ways:
        yield Fix(f"write `{way}`", (Edit(intent.span, way), *edits))


def return_nothing(code: Rendering, intent: intents.ReturnNothing, text: str) -> Iterator[Fix]:
    start, end = intent.span
    if NAME.fullmatch(text, start, end):
        yield Fix("write `return`", (Edit(intent.span, "return"),))
    else:
        yield Fix("add `return`", (Edit(Span(end, end), f"\n{indentation(text, start)}return"),))


def copy_renamed(code: Rendering, intent: intents.CopyRenamed, text: str) -> Iterator[Fix]:
    for found in _RENAMING.finditer(text, *intent.span):
        yield from code.fixes(intents.Through(f"give `{found[1]}` a copy", Span(*found.span(2)), (COPY,)), text)


def make_parameter(code: Rendering, intent: intents.AsParameter, text: str) -> Iterator[Fix]:
    """It is given in each call."""
    start, end = intent.around
    name = text[slice(*intent.name)]
    headers = list(_INNER.finditer(text, start, intent.name.start))
    if not headers:
        return
    edits = []
    for call in re.finditer(rf"(?<![\w.]){re.escape(headers[-1][1])}\(", text[:end]):
        if call.start() >= start:
            close = closing(text, call.end())
            comma = ", " if text[call.end() : close].strip() else ""
            edits.append(Edit(Span(close, close), f"{comma}{name}"))
    yield Fix(f"make `{name}` a parameter of `{headers[-1][1]}`", tuple(edits), sure=False)


def write_lookalikes(code: Rendering, intent: intents.Lookalikes, text: str) -> Iterator[Fix]:
    start, end = intent.line
    edits = tuple(
        Edit(Span(start + at, start + at + 1), _LOOKALIKES[each])
        for at, each in enumerate(text[start:end])
        if each in _LOOKALIKES
    )
    if edits:
        instead = "".join(dict.fromkeys(edit.text for edit in edits))
        yield Fix(f"write `{instead}`" if instead else "take it out", edits)


def close_block(code: Rendering, intent: intents.CloseBlock, text: str) -> Iterator[Fix]:
    """In the column of what is closed."""
    place = Span(intent.end, intent.end)
    yield Fix("add `end`", (Edit(place, f"\n{indentation(text, intent.opener)}end"),), sure=False)


def import_named(code: Rendering, intent: intents.ImportNamed, text: str) -> Iterator[Fix]:
    start = intent.span.start
    if text.startswith("using", start):
        yield Fix("write `import`, which brings no other names", (Edit(Span(start, start + 5), "import"),), sure=False)


def give_name(code: Rendering, intent: intents.GiveName, text: str) -> Iterator[Fix]:
    found = _COMPARING.match(text, text.rfind("\n", 0, intent.name.start) + 1)
    if found is not None and Span(*found.span(1)) == intent.name:
        yield Fix(f"write `{found[1]} = …`, which gives it that name", (Edit(Span(*found.span(2)), "="),), sure=False)


def rename(code: Rendering, intent: intents.Rename, text: str) -> Iterator[Fix]:
    """Wherever it is not called, which is the builtin; a function of the program wherever it is."""
    name, (start, end) = text[slice(*intent.place)], intent.function
    if intent.place.start == start or re.match(r"[ \t]*function[ \t]+\Z", text[start : intent.place.start]):
        other = new_name(f"my_{name}", set(NAME.findall(text)))
        function = re.compile(rf"(?<![\w.:@]){re.escape(name)}(?=\.?\()|(?<=[(,])[ \t]*{re.escape(name)}(?=[ \t]*,)")
        edits = tuple(Edit(Span(found.end() - len(name), found.end()), other) for found in function.finditer(text))
    else:
        other = new_name(f"{name}_1", set(NAME.findall(text, start, end)))
        variable = re.compile(rf"(?<![\w.:@]){re.escape(name)}(?![\w!(]|\.\()")
        edits = tuple(Edit(Span(*found.span()), other) for found in variable.finditer(text, start, end))
    if any(edit.span == intent.place for edit in edits):
        yield Fix(f"call it `{other}`", edits, sure=False, declares=True)


_RELEASING = re.compile(r"(?<![\w.])(?:\w+_mechanism|gaussian_noise|private_quantile|randomized_response)\(")
_GIVEN = re.compile(r"^[ \t]*(?P<name>[^\W\d]\w*)[ \t]*(?:[-+*/]?=)(?!=)", re.MULTILINE)


def return_released(code: Rendering, intent: intents.ReturnReleased, text: str) -> Iterator[Fix]:
    """From the statement on that a problem is about: what it is made of is returned, by the names that it has."""
    start, end = intent.function
    begin = _statement(text, intent.place.start, intent.function)
    last = text.rfind("\n", start, end)
    if begin is None or not text[last + 1 : end].lstrip(" \t").startswith("end"):
        return
    rest = text[begin:last]
    released = [*_RELEASING.finditer(rest)]
    if not released:
        given = dict.fromkeys(found["name"] for found in _GIVEN.finditer(text, start, begin))
        used = set(NAME.findall(rest))
        names = [name for name in given if name in used]
        made = names[0] if len(names) == 1 else f"({', '.join(names)})"
    else:
        at = begin + released[0].start()
        made = text[at : closing(text, begin + released[0].end()) + 1]
        alone = len(released) == 1 and at >= intent.place.start and "\n" not in rest.strip()
        names = [made] if alone else []
    if names and _RELEASING.search(text, start, last):
        indent = indentation(text, begin + len(rest) - len(rest.lstrip(" \t")))
        title = f"return `{made}`, and do the rest outside of the function, where it costs nothing"
        yield Fix(title, (Edit(Span(begin, last), f"{indent}return {made}"),), sure=False)


def _statement(text: str, place: int, function: Span) -> int | None:
    """Where the line begins of the statement of a function, in no block of it, in which a place is."""
    body = text.find("\n", function.start) + 1
    if not function.start < body <= place:
        return None
    depth = indentation(text, body + len(text[body:]) - len(text[body:].lstrip(" \t")))
    inside = rf"^{re.escape(depth)}(?=\S)(?!(?:else|elseif|end|catch|finally)\b)"
    return max(
        (each.start() for each in re.compile(inside, re.MULTILINE).finditer(text, body, place + 1)), default=None
    )
