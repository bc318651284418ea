"""The effect summary of a row of tokens: of text that no grammar has read.

What stands there is code of any kind, so names count by where they stand: left of an assignment, after ``global`` or
``function``. Where that leaves a doubt the name counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dp_lsp.frontends.julia.outline import CLOSING, SEPARATORS, partners
from dp_lsp.frontends.julia.tokens import BLOCKS, OPENERS, Ready, Token, words
from dp_lsp.frontends.julia.vocabulary import DEFINING, EVALUATING, MACROS, SHOWING
from dp_lsp.surface import Import, Opaque, Summary

_NAMING = words("STRUCT MODULE BAREMODULE CONST LOCAL GLOBAL")
_LISTED = words("NAME COMMA LPAR")
_ASSIGNING = words("ASSIGN OPASSIGN")
_APART = words("QUERY ALT ARROW AND OR PAIR")
_SIGNS = words("PM PLUS TIMES POW NOT COMPARE SUBTYPE PIPE ADJ COLON")
_HOMES = words("Base Core Threads Test Printf Logging")
"""Modules of Julia whose macros may be called with their name."""


def summary(tokens: Sequence[Token]) -> Summary:
    """What evaluating a row of tokens may do."""
    reading = _Reading(tokens)
    for index in range(len(tokens)):
        reading.token(index)
    return reading.found()


def damaged(found: Summary) -> Summary:
    """That of text which cannot be read, and so is run by nobody: what it names may be meant to have another meaning,
    and nothing else."""
    binds = found.binds | found.mentions if found.anything else found.binds
    return found._replace(binds=binds, anything="")


def extended(name: str) -> str:
    """What a method of a function of another module may do, if it may do anything; then what it is, for a person."""
    return "" if name in SHOWING else f"a method of `{name}` of another module"


class _Statement(NamedTuple):
    """What stands left of an assignment, if one follows: names, fields, and whether one of these is called, or an entry
    meant."""

    names: list[str]
    fields: list[str]
    called: bool = False
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
        self._anything = ""
        self._stores = False
        self._inner: list[Summary] = []
        self._statement = _Statement([], [])
        self._outer: list[tuple[str, _Statement]] = []
        self._naming = ""

    def found(self) -> Summary:
        """All that was read."""
        mentions, binds, outside, members = map(frozenset, (self._mentions, self._binds, self._outside, self._members))
        own = Summary(mentions, binds, outside, members, self._anything, self._stores)
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
            self._assigned(by_entries=token.value.startswith("."))
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
        if name in EVALUATING:
            self._may(f"`{name}`")
        if before == "DOT":
            self._members.add(name)
            self._statement.fields.append(name)
            called = self._statement.called or self._after(index) == "CALL"
            self._statement = self._statement._replace(called=called)
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

    def _assigned(self, by_entries: bool) -> None:
        names, fields, called, indexed = self._statement
        self._stores = self._stores or indexed or by_entries
        self._binds.update(names, fields)
        self._outside.update(fields)
        if called:
            self._may(extended(fields[-1]))
        self._fresh()

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
            self._outside.add(tokens[place].value)
            self._may(extended(tokens[place].value))
        elif tokens[place].type == "FPAR":
            self._partner = self._partner or partners(tokens)
            end = self._partner[place] + 1
            if 0 < end < len(tokens) and tokens[end].type == "CALL":
                self._may("a method of an object")

    def _macro(self, index: int, name: str) -> None:
        home = self._tokens[index - 2].value if self._before(index) == "DOT" and index > 1 else ""
        if name not in MACROS or (home and home not in _HOMES):
            self._may(f"`{name}`")
        elif name in DEFINING:
            self._defined(index, name)

    def _defined(self, index: int, name: str) -> None:
        """What a macro defines that is given names: the first of them, which may be called, or all that stand alone."""
        place = index + 1 + (self._after(index) == "MCALL")
        first = self._tokens[place] if place < len(self._tokens) else None
        if first is None or first.type != "NAME" or self._after(place) in ("DOT", "CURLY"):
            self._may(f"`{name}` of something that has no name")
            return
        listed = [token.value for token in self._tokens[place:] if token.type == "NAME"]
        self._binds.update([first.value] if name == "@deprecate" else listed)
