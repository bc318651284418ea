"""Makes the parse table of a front end of its grammar, by lark: ``pytest tests/test_table.py --update``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lark import Lark
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

from dp_lsp.frontends.julia.parse import RuleShape, Table

_HEAD = '''"""The parse table. Made by `pytest tests/test_table.py --update` of grammar.lark; edit that instead."""

# ruff: noqa: E501
'''


def made(grammar: str) -> Table:
    """The table of a grammar. States are numbered in the order in which they are reached by symbols in order, and rules
    by where they are first reduced, so that a grammar has one table."""
    parser: Any = Lark(grammar, parser="lalr", lexer="basic").parse_interactive("").parser_state.parse_conf
    order = [parser.start_state]
    for state in order:
        following = (to for _, (action, to) in sorted(parser.states[state].items()) if action is Shift)
        order += [to for to in dict.fromkeys(following) if to not in order]
    numbers = {state: number for number, state in enumerate(order)}
    rules: dict[Rule, int] = {}
    states = tuple(
        {
            str(name): numbers[to] if action is Shift else ~rules.setdefault(to, len(rules))
            for name, (action, to) in sorted(parser.states[state].items())
        }
        for state in order
    )
    return Table(states, tuple(map(_shape, rules)))


def _shape(rule: Rule) -> RuleShape:
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
    return RuleShape(str(rule.origin.name), name, len(rule.expansion), tuple(kept), nothing + before[-1], inlined)


def module(table: Table) -> str:
    """The text of the module that holds a table, which :meth:`Table.read` reads."""
    symbols: dict[str, int] = {}
    states = []
    for row in table.states:
        parts = ((symbols.setdefault(names, len(symbols)), to) for names, to in _parts(row))
        states.append(",".join(f"{number} {to}" for number, to in parts))
    rules = map(_written, table.rules)
    texts = {"SYMBOLS": symbols, "STATES": states, "RULES": rules}
    return "".join([_HEAD, *(f'{name} = """\n{chr(10).join(lines)}\n"""\n' for name, lines in texts.items())])


def _parts(row: dict[str, int]) -> Iterator[tuple[str, str]]:
    """A state, in parts that other states have, too: the symbols that lead on with where they do, and those before
    which the same rule is reduced."""
    on = {name: str(code) for name, code in row.items() if code >= 0}
    if on:
        yield " ".join(on), " ".join(on.values())
    for code in dict.fromkeys(code for code in row.values() if code < 0):
        yield " ".join(name for name, each in row.items() if each == code), f"~{~code}"


def _written(rule: RuleShape) -> str:
    children = []
    for index, several, nothing in rule.kept:
        children += ["-"] * nothing + [f"{index}{'*' * several}"]
    named = f"{rule.origin} {rule.name}{'?' * rule.inlined} {rule.size}"
    return " ".join([named, *children, *"-" * rule.after])
