"""What to write instead of a construct that is not part of the language, where that can be said in a few words."""

from itertools import islice

from dp_lsp.frontends.julia.rewriting import BY_MAP, by_map
from dp_lsp.surface import MACRO_CALL, SEEDING

_BY_MAP = f"; write {BY_MAP}"

_INSTEAD = {
    SEEDING: "; leave it out: whoever knows the seed knows the noise",
    "a broadcast": _BY_MAP,
    "a comprehension": _BY_MAP,
    "a generator": _BY_MAP,
    "a `while` loop": "; write a `for` loop over a range, whose number of rounds is known",
    "a named tuple": "; write a tuple",
    "a keyword argument": "; give arguments in their order",
    "a default value": "; write a second method, or give every argument",
    "the operator `|>`": "; write `f(x)` for `x |> f`",
    "a `local` declaration": "; leave out `local`: a name that is assigned in a function is its own",
    "a `let` block": "; give the names their values in lines of their own",
    "a type annotation": "; annotate parameters, and functions with what they return",
    "`end` as an index of something without a name": "; give it a name in a line of its own",
    "a keyword parameter": "; write it among the others, without a name in the call",
    MACRO_CALL: "; leave it out, or write what it stands for",
    "a type annotation of a variable": "; leave it out: only parameters and results have one",
    "a function with a `where` clause": "; write the type where it is used, as in `x::Real`",
    "a string with interpolation": "; texts are understood only as documentation",
    "a loop over something other than a range such as `1:n`": "; go over a range, or over a vector that has a name",
    "a loop over several variables": "; go over the positions, as in `for i in eachindex(v)`",
    "`break`": "; choose the number of rounds before the loop",
    "`continue`": "; put what follows it into an `if`",
    "a failure that shows values": '; write the text out, as in `error("n is too small")`',
    "changing a part of a value": "; make a new value",
}


_ASSERTED = "; write `@assert` on a line of its own, above what it is about"
_LONGEST = 60


def instead_of(what: str, text: str) -> str:
    """What a message says after naming the construct that is written as ``text``; empty where nothing short is sure."""
    hint = _ASSERTED if what == MACRO_CALL and text.startswith("@assert") else _INSTEAD.get(what, "")
    ways = list(islice(by_map(text), 2)) if hint == _BY_MAP and len(text) <= _LONGEST else []
    return f"; write `{ways[0]}`" if len(ways) == 1 and "\n" not in text else hint
