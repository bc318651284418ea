"""A parser made by others, from tree-sitter, agrees with ours on what is right and on where functions begin and end.

It reads more than Julia does: blanks between two operands, an ``end`` too many. So of broken programs only those are
compared in which half of a pair is missing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate

import tree_sitter_julia
from tree_sitter import Language, Node, Parser

import several_files
import spec_runner
from dp_lsp import surface
from dp_lsp.engine.check import Engine
from dp_lsp.engine.problems import Unbalanced
from dp_lsp.frontends import problems
from dp_lsp.frontends.julia.chunks import chunks
from dp_lsp.frontends.julia.parse import parse
from dp_lsp.problem import Kind
from source_tree import ROOT

Spans = set[tuple[int, int]]
SYNTAX = {kind.code for kind in Kind.registry.values() if kind.__module__ == problems.__name__} | {Unbalanced.code}
HALVES = re.compile(r"[()\[\]{}]|\bend\b|\"")
COMMENT = re.compile(r"#.*")
LOOSER = re.compile(r"\d\.\(")  # the oracle reads `2.(x)` as a call; Julia does not parse it
MUTANTS = 200


def programs() -> Iterator[str]:
    for path in sorted(ROOT.glob("fixtures/programs/*.jl")):
        yield path.read_text("utf-8")
    for page in sorted(ROOT.glob("fixtures/spec/*.md")):
        for block in spec_runner.blocks(page.read_text("utf-8")):
            files = [section.text for section in several_files.sections(block.text)]
            yield from files or [block.text]


PROGRAMS = list(programs())
ENGINE = Engine()


@cache
def oracle() -> Parser:
    return Parser(Language(tree_sitter_julia.language()))


@cache
def is_right(text: str) -> bool:
    """What is wrong with a text is said as it is read; with modules, by who runs through them."""
    read = [parse(chunk.text) for chunk in chunks(text)]
    if any(isinstance(node, surface.ModuleMark) for each in read for node in each.nodes):
        return SYNTAX.isdisjoint(problem.code for problem in ENGINE.check(text).problems)
    return SYNTAX.isdisjoint(problem.code for each in read for problem in each.problems)


def is_right_to_the_oracle(text: str) -> bool:
    return not oracle().parse(text.encode()).root_node.has_error


def functions(text: str) -> tuple[Spans, Spans]:
    """Where functions stand, and text without a meaning, of which nothing more is known."""
    found: Spans = set()
    opaque: Spans = set()
    for chunk in chunks(text):
        pending = list(parse(chunk.text).nodes)
        while pending:
            node = pending.pop()
            span = chunk.start + node.start, chunk.start + node.end
            if isinstance(node, surface.Opaque):
                opaque.add(span)
            elif isinstance(node, surface.Function) or (
                isinstance(node, surface.Lambda) and text.startswith("function", span[0])
            ):
                found.add(span)
            pending += node.children
    return found, opaque


def functions_of_the_oracle(text: str) -> Spans:
    offsets = {byte: index for index, byte in enumerate(accumulate((len(c.encode()) for c in text), initial=0))}
    found: Spans = set()
    pending = [oracle().parse(text.encode()).root_node]
    while pending:
        node = pending.pop()
        if node.type == "function_definition" or (node.type == "assignment" and is_header(node.children[0])):
            found.add((offsets[node.start_byte], offsets[node.end_byte]))
        pending += node.children
    return found


def is_header(node: Node) -> bool:
    while node.type in ("typed_expression", "where_expression"):
        node = node.children[0]
    return node.type == "call_expression"


def test_functions_begin_and_end_where_the_oracle_says() -> None:
    for text in filter(is_right, PROGRAMS):
        found, opaque = functions(text)
        expected = functions_of_the_oracle(text)
        seen = {span for span in expected if not any(start <= span[0] and span[1] <= end for start, end in opaque)}
        assert found == seen, text


def test_the_oracle_agrees_on_which_programs_are_right() -> None:
    found = {text: is_right(text) for text in PROGRAMS if not LOOSER.search(text)}
    assert found == {text: is_right_to_the_oracle(text) for text in found}
    assert set(found.values()) == {True, False}


def test_the_oracle_agrees_on_what_a_missing_half_breaks() -> None:
    source = random.Random(1)
    for _ in range(MUTANTS):
        text = source.choice(PROGRAMS)
        halves = list(HALVES.finditer(COMMENT.sub(lambda comment: " " * len(comment[0]), text)))
        if halves:
            half = source.choice(halves)
            mutant = text[: half.start()] + text[half.end() :]
            assert is_right(mutant) == is_right_to_the_oracle(mutant), mutant


TEXTS = (
    *('"a\\"b"', '"$(g("c"))"', '"one\nf(x) = 1\ntwo"', '"""\nf(x) = 1\n"""'),
    *('raw"\\\\"', 'r"a\\""', "'\"'", "'\\''"),
)
BETWEEN = ("\n", "\n  ", "; ", ' # f(x) = 1 "\n', ' #= " #= =# f(x) = 1\n=#\n', "\n\n    ")
HEADERS = (
    *("f{}(x) = {}", "function f{}(x)\n  y = {}\n  x\nend"),
    *("c{} = {}", "c{} = [\n  {},\n 1]", "if true\n c{} = {}\nend"),
)
FILES = 60


def top_level_functions(text: str) -> list[str]:
    """The names of the functions at top level, in order."""
    nodes = (node for chunk in chunks(text) for node in parse(chunk.text).nodes)
    return [node.name.name for node in nodes if isinstance(node, surface.Function)]


def top_level_functions_of_the_oracle(text: str) -> list[str]:
    found = []
    for node in oracle().parse(text.encode()).root_node.children:
        if node.type == "function_definition" or (node.type == "assignment" and is_header(node.children[0])):
            words = re.findall(rb"f\d+", node.text or b"")
            found.append(words[0].decode())
    return found


def test_the_oracle_finds_the_same_definitions_between_strings_and_comments() -> None:
    source = random.Random(2)
    for _ in range(FILES):
        parts = [source.choice(HEADERS).format(i, source.choice(TEXTS)) for i in range(source.randint(1, 8))]
        text = "".join(part + source.choice(BETWEEN) for part in parts)
        assert is_right_to_the_oracle(text), text
        assert top_level_functions(text) == top_level_functions_of_the_oracle(text), text
