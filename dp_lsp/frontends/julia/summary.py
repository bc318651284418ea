"""The effect summary of a row of tokens: of text that no grammar has read.

What stands there is code of any kind, so names count by where they stand: left of an assignment, after ``global`` or
``function``. Where that leaves a doubt the name counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from dp_lsp.frontends.julia.tokens import BLOCKS, CLOSING, OPENERS, SEPARATORS, Ready, Token, partners, words
from dp_lsp.frontends.julia.vocabulary import DEFINING, EVALUATING, LIBRARY_CALL, MACROS, PACKAGE_MACROS, SHOWING
from dp_lsp.named import NamedTuple
from dp_lsp.surface import Added, Import, Opaque, Summary, Symbol, Text

_NAMING = words("STRUCT MODULE BAREMODULE CONST LOCAL GLOBAL")
_LISTED = words("NAME COMMA LPAR")
_ASSIGNING = words("ASSIGN OPASSIGN")
_APART = words("QUERY ALT ARROW AND OR PAIR")
_SIGNS = words("PM PLUS TIMES POW NOT COMPARE SUBTYPE PIPE ADJ COLON")
_SPLICE = "$"
"""Is mentioned where a value is written into code."""
_HOMES = words("Base Core Math Experimental Threads Test Printf Logging")
"""Modules of Julia whose macros may be called with their name."""


def summary(tokens: Sequence[Token]) -> Summary:
    """What evaluating a row of tokens may do."""
    reading = _Reading(tokens)
    for index in range(len(tokens)):
        reading.token(index)
    return reading.found()


def evaluated(tokens: Sequence[Token]) -> tuple[Summary, frozenset[str]] | None:
    """What code may do that is evaluated at top level once the values of variables are written into it, if these stand
    for names, and the variables. None if more is written into it than values of variables.

    Source: the Julia manual, "Metaprogramming", "Interpolation" and "Code Generation"."""
    if _is_elsewhere(tokens):
        return None
    written, spliced, index = list[Token](), set[str](), 0
    while index < len(tokens):
        token, names = tokens[index], [each.value for each in tokens[index + 1 : index + 4]]
        kinds = [each.type for each in tokens[index + 1 : index + 4]]
        if isinstance(token, Ready) and isinstance(token.node, Opaque) and _SPLICE in token.node.summary.mentions:
            return None  # into what has been read
        if token.type != "DOLLAR":
            written.append(token)
        elif kinds[:1] == ["NAME"] or (kinds[:1] == ["LPAR"] and kinds[1:] == ["NAME", "RPAR"]):
            name = names[0] if kinds[0] == "NAME" else names[1]
            spliced.add(name)
            index += 1 if kinds[0] == "NAME" else 3
            written.append(Token("NAME", token.start, tokens[index].end, f"${name}"))
        else:
            return None
        index += 1
    found = summary(written)
    mentions = frozenset(name for name in found.mentions if name[0] != "$")
    return found._replace(outside=found.outside | found.binds, mentions=mentions), frozenset(spliced)


def _is_elsewhere(tokens: Sequence[Token]) -> bool:
    """Whether code begins with the name of the module that it is evaluated in."""
    kinds = [token.type for token in tokens]
    at = 0
    while kinds[at : at + 2] == ["NAME", "DOT"]:
        at += 2
    behind = kinds[at + 1 : at + 2]
    return kinds[at : at + 1] == ["NAME"] and behind not in (["CALL"], ["CURLY"], ["ASSIGN"], ["OPASSIGN"])


def quoted(start: int, end: int, name: str) -> Symbol:
    """A name as a value. Whoever is given it may call what it names."""
    return Symbol(start, end, name, Summary(anything=f"`{name}`" if name in EVALUATING else ""))


def calls_library(tokens: Sequence[Token], index: int) -> bool:
    """Whether a C function of a library is called by a name that is written out: it knows no names of Julia. Those of
    Julia's own library may run other text."""
    kinds = [token.type for token in tokens[index + 1 : index + 7]]
    if kinds[:4] != ["CALL", "LPAR", "NODE", "COMMA"] or kinds[4:] not in (
        *(["NAME", "RPAR"], ["STRING", "RPAR"], ["NODE", "RPAR"]),
    ):
        return False
    named, library = (each.node if isinstance(each, Ready) else None for each in (tokens[index + 3], tokens[index + 5]))
    if not isinstance(named, Symbol) or named.name.startswith(("jl_", "ijl_")):
        return False
    where = library.name if isinstance(library, Symbol) else tokens[index + 5].value
    return (library is None or isinstance(library, Symbol | Text)) and "julia" not in where.lower()


def damaged(found: Summary) -> Summary:
    """That of text which cannot be read, and so is run by nobody: what it names may be meant to have another meaning,
    and nothing else."""
    binds = found.binds | found.mentions if found.anything else found.binds
    return found._replace(binds=binds, anything="")


def extended(name: str) -> str:
    """What a method of a function of another module may do, if it may do anything; then what it is, for a person."""
    return "" if name in SHOWING else f"a method of `{name}` of another module"


class _Statement(NamedTuple):
    """What stands left of an assignment, if one follows: names, fields, where one of these is called, and whether an
    entry is meant."""

    names: list[str]
    fields: list[str]
    called: int = 0
    indexed: bool = False


class _Reading:
    """``statement`` is what stands since the last assignment or the beginning of a statement, in the brackets that are
    open here; what stands around them waits in ``outer``, with what opened the bracket."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._partner: list[int] | None = None
        self._mentions: set[str] = set()
        self._binds: set[str] = set()
        self._outside: set[str] = set()
        self._members: set[str] = set()
        self._methods: set[Added] = set()
        self._anything = ""
        self._stores = False
        self._inner: list[Summary] = []
        self._statement = _Statement([], [])
        self._outer: list[tuple[str, _Statement]] = []
        self._naming = ""

    def found(self) -> Summary:
        """All that was read."""
        mentions, binds, outside, members = map(frozenset, (self._mentions, self._binds, self._outside, self._members))
        own = Summary(mentions, binds, outside, members, self._anything, self._stores, frozenset(self._methods))
        return own.joined(*self._inner)

    def token(self, index: int) -> None:
        """Read a token; those before it are read."""
        token = self._tokens[index]
        kind = token.type
        if isinstance(token, Ready):
            self._ready(token)
        elif kind == "NAME":
            self._name(index, token.value)
        elif kind in _ASSIGNING:
            self._assigned(token.value.startswith("."), self._before(index) == "RSQB")
        elif kind in OPENERS or kind in BLOCKS:
            self._open(index, kind)
        elif kind in CLOSING:
            self._close()
        elif kind in SEPARATORS or kind in _APART or (kind == "SEMI" and self._around() == "LPAR"):
            self._fresh()
        elif kind in _SIGNS or (kind == "BOOL" and token.value not in ("true", "false")):
            self._statement.names.append(token.value)
        elif kind == "AT":
            self._macro(index, token.value)
        elif kind in ("IMPORT", "USING"):
            self._may("an import")
        elif kind == "DOLLAR":
            self._mentions.add(_SPLICE)
        self._naming = kind if kind in _NAMING else self._naming if kind in _LISTED else ""

    def _may(self, what: str) -> None:
        self._anything = self._anything or what

    def _before(self, index: int, back: int = 1) -> str:
        return self._tokens[index - back].type if index >= back else ""

    def _after(self, index: int) -> str:
        return self._tokens[index + 1].type if index + 1 < len(self._tokens) else ""

    def _around(self) -> str:
        return self._outer[-1][0] if self._outer else ""

    def _fresh(self) -> None:
        self._statement = _Statement([], [])

    def _ready(self, token: Ready) -> None:
        if isinstance(token.node, Opaque):
            self._inner.append(token.node.summary)
        elif isinstance(token.node, Import):
            self._may("an import")

    def _name(self, index: int, name: str) -> None:
        before = self._before(index)
        if name == LIBRARY_CALL and calls_library(self._tokens, index):
            self._stores = True
        elif name in EVALUATING:
            self._may(f"`{name}`")
        if before == "DOT":
            self._members.add(name)
            self._statement.fields.append(name)
            called = index + 1 if self._after(index) == "CALL" else 0
            self._statement = self._statement._replace(called=self._statement.called or called)
            return
        if self._after(index) == "KWASSIGN" and not self._naming:
            self._binds |= {name} if self._around() == "MCALL" else set()
            return
        self._mentions.add(name)
        if before != "TYPE":
            self._statement.names.append(name)
        if before == "MACRO":
            self._binds.add(f"@{name}")
            self._outside.add(f"@{name}")
        elif self._naming and (before == self._naming or before in _LISTED):
            self._binds.add(name)
            self._outside |= {name} if self._naming == "GLOBAL" else set()

    def _assigned(self, by_entries: bool, entry: bool) -> None:
        """An assignment, to all entries of what stands left of it, or to one ``entry``."""
        names, fields, called, indexed = self._statement
        self._stores = self._stores or indexed or by_entries
        if entry and len(names) == 1:
            fields = []  # what is found there is changed, and not what the name of a field stands for
        if called:  # what stands before the name is that of a module
            self._extend(fields[-1], called)
        else:
            self._binds.update(names, fields)
            self._outside.update(fields)
        self._fresh()

    def _extend(self, name: str, call: int) -> None:
        """A method of a function of another module, whose header is the call that begins there."""
        if extended(name):
            self._methods.add(Added(name, True, self._needed(call)))
        else:
            self._outside.add(name)

    def _needed(self, call: int) -> frozenset[str]:
        """The types that arguments must have, as far as they stand alone behind a name, and no variable of types may
        have such a name."""
        tokens = self._tokens
        self._partner = self._partner or partners(tokens)
        end = self._partner[call]
        if tokens[call].type != "CALL" or end < 0:
            return frozenset()
        last = end + 1
        while last < len(tokens) and tokens[last].type not in ("NL", "ASSIGN"):
            last += 1
        limits = {token.value for token in tokens[end:last]}
        found, start, index = set[str](), call + 1, call + 1
        while index <= end:
            if index == end or tokens[index].type in ("COMMA", "SEMI"):
                kinds = [token.type for token in tokens[start:index]]
                at = kinds.index("TYPE") + 1 if "TYPE" in kinds[:2] else len(kinds)
                plain = not {"ASSIGN", "KWASSIGN", "DOTS"} & set(kinds) and kinds[at : at + 1] == ["NAME"]
                if plain and kinds[at + 1 : at + 2] in ([], ["CURLY"]):
                    found.add(tokens[start + at].value)
                if index < end and tokens[index].type == "SEMI":
                    break
                start = index + 1
            index = max(index, self._partner[index]) + 1 if index < end else index + 1
        return frozenset(name for name in found - limits if name[0] != "$")

    def _open(self, index: int, kind: str) -> None:
        if kind == "FUNCTION":
            self._function(index)
        around = self._statement._replace(indexed=True) if kind == "INDEX" else self._statement
        self._outer.append((kind, around))
        self._fresh()

    def _close(self) -> None:
        inner = self._statement
        kind, self._statement = self._outer.pop() if self._outer else ("", inner)
        if kind in ("LPAR", "LSQB"):
            self._statement.names.extend(inner.names)
            self._statement.fields.extend(inner.fields)
            self._statement = self._statement._replace(indexed=self._statement.indexed or inner.indexed)

    def _function(self, index: int) -> None:
        """The name of a definition that is written with ``function``."""
        tokens, place = self._tokens, index + 1
        while place + 2 < len(tokens) and [t.type for t in tokens[place : place + 2]] == ["NAME", "DOT"]:
            place += 2
        if place >= len(tokens):
            return
        if tokens[place].type == "NAME" and place == index + 1:
            self._binds.add(tokens[place].value)
            self._outside |= {tokens[place].value} if self._before(index) == "GLOBAL" else set()
        elif tokens[place].type == "NAME":
            self._extend(tokens[place].value, min(place + 1, len(tokens) - 1))
        elif tokens[place].type == "FPAR":
            self._partner = self._partner or partners(tokens)
            end = self._partner[place] + 1
            if 0 < end < len(tokens) and tokens[end].type == "CALL":
                self._may("a method of an object")

    def _macro(self, index: int, name: str) -> None:
        home = self._tokens[index - 2].value if self._before(index) == "DOT" and index > 1 else ""
        packages = PACKAGE_MACROS.get(name, frozenset[str]())
        if packages and (not home or home in packages):
            self._mentions.add(name)
        elif name not in MACROS or (home and home not in _HOMES):
            self._may(f"`{name}`")
            return
        if name in DEFINING:
            self._defined(index, name)

    def _defined(self, index: int, name: str) -> None:
        """What a macro defines that is given names: the first of them, which may be called, or all that stand alone."""
        place = index + 1 + (self._after(index) == "MCALL")
        first = self._tokens[place] if place < len(self._tokens) else None
        if first is None or first.type != "NAME" or self._after(place) in ("DOT", "CURLY"):
            self._may(f"`{name}` of something that has no name")
            return
        listed = [token.value for token in self._tokens[place:] if token.type == "NAME"]
        self._binds.update(listed if name == "@enum" else [first.value])
