"""The parse table, as plain data. Lark makes it of the grammar, which takes long, so it is kept in the user's cache
folder: who reads it there does not even import lark."""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from dp_lsp import __version__
from dp_lsp.cache.folder import private_folder

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule

_GRAMMAR = os.path.join(os.path.dirname(__file__), "grammar.lark")


class Shape(NamedTuple):
    """What becomes of the children of a rule that was read: there are ``size``, and ``kept`` are those that its
    callback gets, each as its index, whether it is a list of children itself, and how many times None comes before it;
    ``after`` is how often None comes last. With ``inlined`` a single child stands for the whole. A rule without a
    callback of its ``name`` is the list of its children."""

    origin: str
    name: str
    size: int
    kept: tuple[tuple[int, bool, int], ...]
    after: int
    inlined: bool


class Table(NamedTuple):
    """The states of an LALR parser: in each, by terminal or rule, the next one, or ``~n`` to reduce by the n-th rule.
    Parsing goes from the first state to ``end``."""

    start: int
    end: int
    states: tuple[dict[str, int], ...]
    rules: tuple[Shape, ...]


def table() -> Table:
    """The table of the grammar, from the cache folder if it is there."""
    with open(_GRAMMAR, encoding="utf-8") as file:
        grammar = file.read()
    folder = private_folder()
    if folder is None:
        return _made(grammar)
    version = ".".join(map(str, sys.version_info[:3]))
    digest = hashlib.blake2b(f"{grammar}\0{__version__}\0{version}".encode(), digest_size=16).hexdigest()
    path = folder / f"julia-{digest}.table"
    with suppress(OSError, ValueError, EOFError, TypeError):  # nothing there, or half a file
        start, end, states, rules = marshal.loads(path.read_bytes())
        return Table(start, end, states, tuple(Shape(*rule) for rule in rules))
    made = _made(grammar)
    fresh = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):  # without the file the next start is slower, no more
        fresh.write_bytes(marshal.dumps((made.start, made.end, made.states, tuple(map(tuple, made.rules)))))
        os.replace(fresh, path)  # so that no other process ever reads half a file
    return made


def _made(grammar: str) -> Table:
    from lark import Lark

    return _plain(Lark(grammar, parser="lalr", lexer="basic"))


def _plain(made: Lark) -> Table:
    from lark.parsers.lalr_analysis import Shift

    parser: Any = made.parse_interactive("").parser_state.parse_conf
    numbers = {state: number for number, state in enumerate(parser.states)}
    rules: dict[Rule, int] = {}
    states = tuple(
        {
            sys.intern(str(name)): numbers[to] if action is Shift else ~rules.setdefault(to, len(rules))
            for name, (action, to) in row.items()
        }
        for row in parser.states.values()
    )
    return Table(numbers[parser.start_state], numbers[parser.end_state], states, tuple(map(_shape, rules)))


def _shape(rule: Rule) -> Shape:
    """What lark would do with the children of a rule, with placeholders for what is missing."""
    options = rule.options
    missing = "".join("1" if empty else "0" for empty in options.empty_indices or [False] * len(rule.expansion))
    kept, nothing = [], 0
    before = [len(ones) for ones in missing.split("0")]
    for index, symbol in enumerate(rule.expansion):
        nothing += before[index]
        if options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):  # type: ignore[attr-defined]
            kept.append((index, not symbol.is_term and symbol.name.startswith("_"), nothing))
            nothing = 0
    name = str(rule.alias or options.template_source or rule.origin.name)
    inlined = bool(options.expand1 and not rule.alias)
    return Shape(str(rule.origin.name), name, len(rule.expansion), tuple(kept), nothing + before[-1], inlined)
