"""Loops over records in other words, and loops instead of sums of pairs.

Results that are collected by keys, in other words: each by a name of its own, or one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dp_lsp import intents
from dp_lsp.frontends.julia.rewriting.places import LINES, NAME, indentation, mentions, new_name
from dp_lsp.intents import Rendering
from dp_lsp.problem import Edit, Fix, Placeholder
from dp_lsp.text import Span

_CREATED = re.compile(
    r"^(?P<indent>[ \t]*)(?P<name>[^\W\d]\w*)[ \t]*=[ \t]*(?:Ordered)?Dict(?:\{[^\n(]*\})?\(\)[ \t]*\n", re.MULTILINE
)
_TYPED = re.compile(r"(?<![\w.])Dict\{[^\n(]*\}\((?=[^)])")
_OVER = r"(?P<over>[^\n()]+|[^\n()]*\([^\n()]*\)[^\n()]*)"
_EACH = re.compile(
    r"(?<![\w.])Dict\((?P<key>[^\W\d]\w*)[ \t]*=>[ \t]*(?P<value>[^\n]+?)[ \t]+for[ \t]+(?P=key)[ \t]+in[ \t]+"
    rf"{_OVER}\)"
)
_ADDED = r"^(?P<indent>[ \t]*){}\[(?P<key>[^][\n]+)\][ \t]*=(?!=)[ \t]*(?P<value>[^\n]+)$"


_GIVEN = r"(?P=name)\[(?P={})\][ \t]*"
_KEY = r"""(?:"[^"\n]*"|:[^\W\d]\w*|'[^'\n]'|-?[0-9]+)"""
_NONE_YET = r"[ \t]*=>[ \t]*0(?:\.0)?"
_COUNTED = re.compile(
    r"^(?P<indent>[ \t]*)(?P<name>[^\W\d]\w*)[ \t]*=[ \t]*Dict(?:\{[^\n(]*\})?\((?:"
    rf"(?P<listed>{_KEY}{_NONE_YET}(?:,[ \t]*{_KEY}{_NONE_YET})*)"
    rf"|(?P<one>[^\W\d]\w*){_NONE_YET}[ \t]+for[ \t]+(?P=one)[ \t]+(?:in|=|∈)[ \t]+(?P<all>[^\n]+))?\)[ \t]*\n"
    r"(?P=indent)for[ \t]+(?P<each>[^\W\d]\w*)[ \t]+(?:in|=|∈)[ \t]+(?P<over>[^\W\d]\w*)[ \t]*\n"
    r"(?:[ \t]*(?P<place>[^\W\d]\w*)[ \t]*=[ \t]*(?P<made>[^\n]+)\n)?"
    r"(?:[ \t]*if[ \t]+!haskey\((?P=name),[ \t]*(?P<fresh>[^\n]+)\)[ \t]*\n[ \t]*"
    rf"{_GIVEN.format('fresh')}=[ \t]*0(?:\.0)?[ \t]*\n[ \t]*end[ \t]*\n)?"
    r"(?:[ \t]*(?P=name)\[(?P<key>[^][\n]+)\][ \t]*(?:\+=[ \t]*1|"
    r"=[ \t]*(?:(?P=name)\[(?P=key)\]|get!?\((?P=name),[ \t]*(?P=key),[ \t]*0(?:\.0)?\))"
    r"[ \t]*\+[ \t]*1)[ \t]*\n|[ \t]*if[ \t]+haskey\((?P=name),[ \t]*(?P<known>[^\n]+)\)[ \t]*\n[ \t]*"
    rf"{_GIVEN.format('known')}\+=[ \t]*1[ \t]*\n[ \t]*else[ \t]*\n[ \t]*{_GIVEN.format('known')}=[ \t]*1[ \t]*\n"
    r"[ \t]*end[ \t]*\n)(?P=indent)end\b",
    re.MULTILINE,
)
"""A dictionary of how often each key occurs."""


def collect_results(code: Rendering, intent: intents.CollectResults, text: str) -> Iterator[Fix]:
    """Of a dictionary that is filled: with keys that are written out, or in loops."""
    for each in _EACH.finditer(text, *intent.function):
        made = f"[{each['value']} for {each['key']} in {each['over']}]"
        yield Fix(f"give the results in the order of `{each['over']}`: `{made}`", (Edit(Span(*each.span()), made),),
            sure=False)  # fmt: skip
    yield from _counts(text, intent.function)
    for typed in _TYPED.finditer(text, *intent.function):
        yield Fix("leave out the types of the entries", (Edit(Span(*typed.span()), "Dict("),), sure=False)
    for created in _CREATED.finditer(text, *intent.function):
        name = created["name"]
        added = [*re.compile(_ADDED.format(re.escape(name)), re.MULTILINE).finditer(text, *intent.function)]
        rest = _others(name, text, intent.function, [created, *added])
        if added and all(each["indent"] == created["indent"] and '"' in each["key"] for each in added):
            yield from _by_names(text, created, added, rest, intent.function)
        elif added:
            yield from _one_after_the_other(created, added)


def _counts(text: str, function: Span) -> Iterator[Fix]:
    """A dictionary that counts records by what stands in them: which keys it has would tell whose records are there, so
    they are written out."""
    for found in _COUNTED.finditer(text, *function):
        name, each, key = found["name"], found["each"], found["key"] or found["known"]
        if key == found["place"]:
            key = found["made"].strip()
        elif found["place"] or found["fresh"] not in (None, key):
            continue
        if mentions(name, key):
            continue  # what was counted decides what is counted
        one, keys = new_name("k", {*NAME.findall(key), each}), _keys(found)
        made = f"{name} = [count({each} -> {key} == {one}, {found['over']}) for {one} in "
        choice = () if keys else (Placeholder("keys", "1:5", len(made)),)
        edit = Edit(Span(found.start("name"), found.end()), f"{made}{keys or '1:5'}]", choice)
        edits, inside = [edit], Span(found.end(), function.end)
        pairs = (
            rf"\(\s*(?P<key>[^\W\d]\w*)\s*,\s*(?P<value>[^\W\d]\w*)\s*\)[ \t]+(?:in|=|∈)[ \t]+{re.escape(name)}(?!\w)"
        )
        given = rf"Dict\((?P<given>[^\W\d]\w*)[ \t]*=>[ \t]*(?P<made>[^\n]+?)[ \t]+for[ \t]+{pairs}\)"
        for whole in re.compile(given).finditer(text, *inside):
            edits.append(Edit(Span(*whole.span()), f"[{whole['made']} for {whole['value']} in {name}]"))
        for loop in re.compile(rf"for[ \t]+{pairs}[ \t]*$", re.MULTILINE).finditer(text, *inside):
            edits.append(Edit(Span(*loop.span()), f"for ({loop['key']}, {loop['value']}) in enumerate({name})"))
        edits += _noisy_entries(name, text, inside)
        yield Fix(f"write out which keys there are: `{edit.text}`", tuple(edits), sure=False, declares=True)


def _keys(counted: re.Match[str]) -> str:
    """The keys that a dictionary has from the beginning on, as a list; empty if they are not written out."""
    if counted["listed"]:
        return f"[{', '.join(re.findall(f'({_KEY}){_NONE_YET}', counted['listed']))}]"
    return (counted["all"] or "").strip()


def _noisy_entries(name: str, text: str, inside: Span) -> Iterator[Edit]:
    """Loops over the keys of a dictionary that do the same with each entry."""
    header = rf"for[ \t]+(?P<key>[^\W\d]\w*)[ \t]+(?:in|=|∈)[ \t]+keys\({re.escape(name)}\)[ \t]*\n"
    body = rf"[ \t]*{re.escape(name)}\[(?P=key)\][ \t]*(?P<sign>[-+*/]?)=(?!=)[ \t]*(?P<value>[^\n]+)\n"
    for loop in re.compile(rf"^(?P<indent>[ \t]*){header}{body}(?P=indent)end\b", re.MULTILINE).finditer(text, *inside):
        entry = re.compile(rf"(?<![\w.]){re.escape(name)}\[{loop['key']}\]")
        value = f"{name}[{loop['key']}] {loop['sign']} {loop['value']}" if loop["sign"] else loop["value"]
        one = new_name("entry", {*NAME.findall(value)})
        made = entry.sub(one, value.rstrip())
        if not mentions(name, made) and not mentions(loop["key"], made):
            yield Edit(Span(loop.end("indent"), loop.end()), f"{name} = [{made} for {one} in {name}]")


def _others(name: str, text: str, function: Span, known: list[re.Match[str]]) -> list[Span]:
    """Where else a name stands."""
    found = (Span(*each.span()) for each in re.compile(rf"(?<![\w.]){re.escape(name)}(?!\w)").finditer(text, *function))
    return [each for each in found if not any(Span(*place.span()).covers(each.start) for place in known)]


def _by_names(
    text: str, created: re.Match[str], added: list[re.Match[str]], rest: list[Span], function: Span
) -> Iterator[Fix]:
    known, names = set(NAME.findall(re.sub(r'"[^"\n]*"', "", text[function.start : function.end]))), dict[str, str]()
    for each in added:
        word = re.sub(r"\W+", "_", each["key"].strip('" ')).strip("_")
        names[each["key"]] = new_name(word if NAME.fullmatch(word) else f"result_{word}", known | {*names.values()})
    if len(names) < len(added):
        return
    whole = f"Dict({', '.join(f'{key} => {name}' for key, name in names.items())})"
    edits = [Edit(Span(*created.span()), "")]
    edits += [Edit(Span(each.end("indent"), each.start("value")), f"{names[each['key']]} = ") for each in added]
    edits += [Edit(each, whole) for each in rest]
    yield Fix(f"give each result a name, and make the dictionary of them: `{whole}`", tuple(edits), sure=False)


def _one_after_the_other(created: re.Match[str], added: list[re.Match[str]]) -> Iterator[Fix]:
    name = created["name"]
    edits = [Edit(Span(created.end("indent"), created.end() - 1), f"{name} = []")]
    edits += [Edit(Span(each.end("indent"), each.end()), f"push!({name}, {each['value']})") for each in added]
    title = f"collect the results one after the other: `{edits[1].text}`"
    yield Fix(title, tuple(edits), sure=False)


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
