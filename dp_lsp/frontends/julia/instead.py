"""What to write instead of a construct that is not part of the language, where it can be said in a few words, such as
`map` instead of a generator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from dp_lsp.surface import BROADCAST_INTO, MACRO_CALL, SEEDING

BY_MAP = "`map(x -> …, v)`"
"""What to write instead, in a message."""
_BY_MAP = f"; write {BY_MAP}"
_INSTEAD = {
    SEEDING: "; leave it out: whoever knows the seed knows the noise",
    "a broadcast": _BY_MAP,
    BROADCAST_INTO: "; write `v = …`, which makes a new vector",
    "the keyword argument `init` of `sum`": "; write `init = 0.0`, and add any other number to the sum",
    "a generator": _BY_MAP,
    "a named tuple": "; write a tuple",
    "a keyword argument of a function that changes another one": "; give arguments in their order",
    "a default value other than a number": "; write a number, or give every argument",
    "a default value": "; write a second method, or give every argument",
    "a `local` declaration": "; leave out `local`: a name that is assigned in a function is its own",
    "a `let` block": "; give the names their values in lines of their own",
    "a type annotation": "; annotate parameters, and functions with what they return",
    "`end` as an index of something without a name": "; give it a name in a line of its own",
    "a keyword parameter": "; write it among the others, without a name in the call",
    MACRO_CALL: "; leave it out, or write what it stands for",
    "a type annotation of a variable": "; leave it out: only parameters and results have one",
    "a function with a `where` clause": "; write the type where it is used, as in `x::Real`",
    "a string with interpolation": "; texts are understood as documentation, and to print names: `$n`",
    "a comprehension": "; write one over one range or vector",
    "a loop over something other than a range such as `1:n`": "; go over a range, or over a vector that has a name",
    "a loop over several variables": "; go over the positions, as in `for i in eachindex(v)`",
    "`break`": "; let at most one branch go on to the lines below it",
    "`continue`": "; let at most one branch go on to the lines below it",
    "a failure that shows values": '; write the text out, as in `error("n is too small")`',
    "changing a part of a value": "; make a new value",
    "a type whose values can change": "; what is spent is kept account of by who calls: each function says its cost",
    "the operator `\\`": "; add noise to the sums that the equations are made of, and solve these afterwards",
}
_ASSERTED = "; write `@assert` on a line of its own, above what it is about"
_LONGEST = 60


def instead_of(what: str, text: str) -> str:
    """What a message says after naming the construct that is written as ``text``; empty where nothing short is sure."""
    hint = _ASSERTED if what == MACRO_CALL and text.startswith("@assert") else _INSTEAD.get(what, "")
    ways = list(islice(by_map(text), 2)) if hint == _BY_MAP and len(text) <= _LONGEST else []
    return f"; write `{ways[0]}`" if len(ways) == 1 and "\n" not in text else hint


_EACH = re.compile(
    r"\[?\s*(?P<made>.+?)\s+for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<values>.+?)(?:\s+if\s+(?P<kept>.+?))?\s*\]?",
    re.DOTALL,
)
_ROWS = re.compile(r"eachrow\((?P<matrix>.+)\)", re.DOTALL)


def by_map(text: str) -> Iterator[str]:
    """How a piece of text may be said by `map`: a comprehension or a generator over one range or container."""
    each = _EACH.fullmatch(text)
    if each is not None:
        yield _comprehension(each)


def _comprehension(found: re.Match[str]) -> str:
    name, values = found["name"], found["values"]
    rows = _ROWS.fullmatch(values)
    if rows is not None:
        values = rows["matrix"]
    if found["kept"]:
        values = f"filter({name} -> {found['kept']}, {values})"
    return f"{'map' if rows is None else 'map_rows'}({name} -> {found['made']}, {values})"
