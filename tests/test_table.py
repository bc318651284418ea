"""The parser reads what lark would read, from a table that is shipped."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Tree, UnexpectedToken

import parse_table
from dp_lsp.frontends.julia import lexer, table, tokens
from dp_lsp.frontends.julia.build import Builder
from dp_lsp.frontends.julia.chunks import chunks
from dp_lsp.frontends.julia.fold import Folded
from dp_lsp.frontends.julia.lexer import Lexer
from dp_lsp.frontends.julia.parse import Parser, Table
from dp_lsp.frontends.julia.tokens import Token
from source_tree import ROOT, python

PAGES = sorted([*(ROOT / "fixtures" / "programs").glob("*.jl"), ROOT / "tests" / "bench" / "section.jl"])
FOLDER = ROOT / "dp_lsp" / "frontends" / "julia"
BROKEN = "f(x) = (x +\n\ng(x, y;) = [1, x...; 2]\n\nfunction (a::T)(b) end\n\n(x; y; z)\n\nf(; a = 1,)\n\nreturn\n"


class Recorder:
    """A builder that writes down which of its methods are called, with what."""

    def __init__(self) -> None:
        self.read: list[Any] = []

    def __getattr__(self, name: str) -> Callable[[list[Any]], Any]:
        if not hasattr(Builder, name):
            raise AttributeError(name)
        return partial(self._called, name)

    def _called(self, name: str, children: list[Any]) -> Any:
        self.read.append((name, *map(_shown, children)))
        return len(self.read)


def _shown(child: Any) -> Any:
    if isinstance(child, Token):
        return child.type, child.start
    return [_shown(each) for each in child.children] if isinstance(child, Tree) else child


@cache
def grammar() -> str:
    return (FOLDER / "grammar.lark").read_text("utf-8")


def shipped() -> Table:
    return Table.read(table.SYMBOLS, table.STATES, table.RULES)


def read_by_lark(tokens: list[Token]) -> list[Any]:
    recorder = Recorder()
    options: dict[str, Any] = {"parser": "lalr", "lexer": "basic", "transformer": recorder}
    feed: Any = Lark(grammar(), **options).parse_interactive("").feed_token
    with suppress(UnexpectedToken):
        for token in (*tokens, Token("$END", 0, 0, "")):
            feed(token)
    return recorder.read


def test_the_parser_reads_what_lark_reads() -> None:
    texts = [page.read_text("utf-8") for page in PAGES]
    read = [
        token for text in texts for chunk in chunks(text) for token in Folded(Lexer(chunk.text).run().tokens).tokens
    ]
    for row in (read, Folded(Lexer(BROKEN).run().tokens).tokens):
        recorder = Recorder()
        Parser(shipped(), recorder).parse(row)
        assert recorder.read == read_by_lark(row)
        assert len(recorder.read) > 10


def test_plain_texts_are_read_as_all_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = random.Random("plain")
    signs = [*map(chr, range(128)), *"+-*/^<>=!&|:.'\"`$()[]{}@#,;\n x1e0_f%~?\\" * 2]
    texts = ["".join(choose.choices(signs, k=choose.randrange(1, 40))) for _ in range(400)]
    texts += [page.read_text("utf-8").encode("ascii", "ignore").decode() for page in PAGES]
    plain = [list(map(_fields, Lexer(text).run().tokens)) for text in texts]
    caches = (lexer._patterns, lexer._inside)
    for module, cached in zip((lexer, lexer), caches, strict=True):
        monkeypatch.setattr(module, "spelling", lambda plain: tokens.spelling(False))
        cached.cache_clear()
    try:
        assert plain == [list(map(_fields, Lexer(text).run().tokens)) for text in texts]
    finally:
        for cached in caches:
            cached.cache_clear()


def _fields(token: Token) -> tuple[str, int, int, str]:
    return token.type, token.start, token.end, token.value


def test_the_table_that_is_shipped_is_that_of_the_grammar(request: pytest.FixtureRequest) -> None:
    path, wanted = FOLDER / "table.py", parse_table.made(grammar())
    if request.config.getoption("--update"):
        path.write_text(parse_table.module(wanted), "utf-8")
    assert path.read_text("utf-8") == parse_table.module(wanted)
    assert shipped() == wanted


def test_parsing_does_not_load_lark(tmp_path: Path) -> None:
    program = "import sys; from dp_lsp.frontends.julia.parse import parse; parse('x = 1'); print('lark' in sys.modules)"
    assert python("-c", program, cwd=tmp_path, path=ROOT).stdout == "False\n"
