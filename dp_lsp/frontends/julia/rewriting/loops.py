"""Loops over records in other words, and loops instead of sums of pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dp_lsp import intents
from dp_lsp.frontends.julia.rewriting.places import LINES, NAME, indentation, new_name
from dp_lsp.intents import Rendering
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_ADDING = re.compile(
    r"for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<over>[^\n]+?)\s*[\n;]\s*"
    r"(?P<total>[^\W\d]\w*)\s*(?:\+=|=\s*(?P=total)\s*\+)\s*(?P<added>[^\n]+?)\s*[\n;]\s*end"
)
_POSITIONS = re.compile(r"(?:1:length|eachindex)\((?P<records>[^\W\d]\w*)\)")
_RECORD = "x"
_PAIR = r"\(\s*(?P<{}>[^\W\d]\w*)\s*{}\s*(?P<{}>[^\W\d]\w*)\s*\)"
_PRODUCTS = re.compile(f"sum{_PAIR.format('one', '[.][*]', 'other')}|dot{_PAIR.format('first', ',', 'second')}")
_KEEPING = re.compile(
    r"for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<over>[^\W\d]\w*)\s*[\n;]\s*"
    r"if\s+(?:(?P=name)\s*(?P<sign>[<>])=?\s*(?P<kept>[^\W\d]\w*)|(?P<other>[^\W\d]\w*)\s*(?P<turned>[<>])=?\s*(?P=name))"
    r"\s*[\n;]\s*(?P<set>[^\W\d]\w*)\s*=\s*(?P=name)\s*[\n;]\s*end\s*[\n;]\s*end"
)
_WHILE = re.compile(
    rf"(?P<start>(?P<name>[^\W\d]\w*)[ \t]*=[ \t]*(?P<first>[0-9]+)[ \t]*\n)(?P<between>{LINES})"
    rf"(?P<indent>[ \t]*)while[ \t]+(?P=name)[ \t]*(?P<sign><=|≤|<)[ \t]*(?P<last>\w+)[ \t]*\n(?P<body>{LINES})"
    r"[ \t]*(?P=name)[ \t]*(?:\+=[ \t]*1|=[ \t]*(?P=name)[ \t]*\+[ \t]*1)[ \t]*\n(?P=indent)end\b"
)
_ENTRY_BY_ENTRY = re.compile(
    r"^(?P<indent>[ \t]*)for[ \t]+(?P<at>[^\W\d]\w*)[ \t]*(?:\bin\b|=|∈)[ \t]*(?:1:[\w()]+|eachindex\(\w+\))[ \t]*\n"
    r"[ \t]*(?P<out>[^\W\d]\w*)\[(?P=at)\][ \t]*=[ \t]*(?P<call>(?:laplacian|gaussian)_mechanism\([^\n]*,)[ \t]*"
    r"(?P<hidden>[^\W\d]\w*)\[(?P=at)\]\)[ \t]*\n(?P=indent)end\b",
    re.MULTILINE,
)


def add_up(code: Rendering, intent: intents.AddUp, text: str) -> Iterator[Fix]:
    """For each record, or by their positions."""
    found = _ADDING.fullmatch(text[slice(*intent.loop)])
    if found is None:
        return
    name, records, added = found["name"], found["over"], found["added"]
    by_position = _POSITIONS.fullmatch(records)
    if by_position is not None:
        records = by_position["records"]
        added = added.replace(f"{records}[{name}]", _RECORD)
        name = _RECORD
    summed = f"sum({records})" if added == name else f"sum(map({name} -> {added}, {records}))"
    whole = f"{found['total']} += {summed}"
    yield Fix(f"add the records up: `{whole}`", (Edit(intent.loop, whole),), sure=False)


def add_products(code: Rendering, intent: intents.AddProducts, text: str) -> Iterator[Fix]:
    """Before the line that their sum is written in."""
    found = _PRODUCTS.fullmatch(text[slice(*intent.span)])
    one, other = (found["one"] or found["first"], found["other"] or found["second"]) if found is not None else ("", "")
    if one == other:
        return
    known = set(NAME.findall(text))
    total, each, beside = (new_name(name, known) for name in ("products", f"{one}_i", f"{other}_i"))
    start = text.rfind("\n", 0, intent.span.start) + 1
    indent = indentation(text, start + len(text[start:]) - len(text[start:].lstrip(" \t")))
    header = f"for ({each}, {beside}) in zip({one}, {other})"
    lines = (f"{total} = 0.0", header, f"    {total} += {each} * {beside}", "end")
    loop = "".join(f"{indent}{line}\n" for line in lines)
    title = f"add the products up record by record, where the order of both counts: `{header}`"
    yield Fix(title, (Edit(Span(start, start), loop), Edit(intent.span, total)), sure=False)


def take_largest(code: Rendering, intent: intents.TakeLargest, text: str) -> Iterator[Fix]:
    """The largest of the records and of what it was before, or the smallest."""
    found = _KEEPING.fullmatch(text[slice(*intent.loop)])
    if found is not None and found["set"] == (found["kept"] or found["other"]):
        largest = found["sign"] == ">" or found["turned"] == "<"
        outer, inner = ("max", "maximum") if largest else ("min", "minimum")
        made = f"{found['set']} = {outer}({found['set']}, {inner}({found['over']}))"
        yield Fix(f"take the {'largest' if largest else 'smallest'}: `{made}`", (Edit(intent.loop, made),), sure=False)


def count_rounds(code: Rendering, intent: intents.ByRounds, text: str) -> Iterator[Fix]:
    """A loop that counts up to a number, from a number that is given before."""
    for found in _WHILE.finditer(text, *intent.function):
        first = int(found["first"])
        last = found["last"]
        if found["sign"] == "<":
            last = str(int(last) - 1) if last.isdigit() else f"{last} - 1"
        header = f"for {found['name']} in {first}:{last}"
        whole = f"{found['between']}{found['indent']}{header}\n{found['body']}{found['indent']}end"
        whole = whole.lstrip(" \t")
        yield Fix(f"write `{header}`", (Edit(Span(*found.span()), whole),), sure=False)


def release_at_once(code: Rendering, intent: intents.AllAtOnce, text: str) -> Iterator[Fix]:
    """Each entry hides a part of one change, so that all of them cost what one does."""
    for found in _ENTRY_BY_ENTRY.finditer(text, *intent.function):
        if not re.search(rf"(?<!\w){found['at']}(?!\w)", found["call"]):
            made = f"{found['out']} = {found['call']} {found['hidden']})"
            title = f"add the noise to all entries at once: `{made}`"
            yield Fix(title, (Edit(Span(*found.span()), f"{found['indent']}{made}"),), sure=False)


def repeat_at_most(code: Rendering, intent: intents.AtMost, text: str) -> Iterator[Fix]:
    """The rest of the rounds does nothing."""
    start = text.rfind("while", 0, intent.loop.start + len("while"))
    depth = indentation(text, max(start, 0))
    loop = re.compile(rf"while[ \t]+(?P<condition>[^\n]+)\n(?P<body>(?:[^\n]*\n)*?){re.escape(depth)}end\b")
    found = loop.match(text, start) if start >= 0 else None
    if found is not None:
        body = "".join(f"    {line}\n" for line in found["body"].splitlines())
        header = f"for _ in 1:{intent.rounds}"
        whole = f"{header}\n{depth}    if {found['condition']}\n{body}{depth}    end\n{depth}end"
        title = f"try at most {intent.rounds} times, for each costs: `{header}`"
        yield Fix(title, (Edit(Span(*found.span()), whole),), sure=False)
