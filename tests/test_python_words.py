"""A Python file is answered in Python's words: no message, repair, hover or lens of any program of the fixtures speaks
Julia."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dp_lsp.analysis.records import Analysis
from dp_lsp.analysis.workspace import Document
from dp_lsp.engine.check import Engine
from dp_lsp.features.decorations import hints, lenses
from dp_lsp.features.hover import hover
from dp_lsp.text import Span
from source_tree import ROOT
from spec_runner import blocks

PAGES = sorted((ROOT / "fixtures" / "spec" / "python").glob("*.md"))
PROGRAMS = sorted((ROOT / "fixtures" / "python").rglob("*.py"))
CALLED = "clamp|resize|length|clip|add_laplace|add_normal|unbox|clip_vector|norm_convert|private_quantile|rows|cols"
JULIA = re.compile(
    rf"(?<![\w.])(?:{CALLED})\(|Metric(?:Vector|Matrix|Gradient)|\b(?:Vector|Matrix|Gradient|Tuple)[<{{(]|\bPriv\(\)"
    r"|\bStatic\(|laplacian_mechanism|gaussian_mechanism|geometric_mechanism|gaussian_noise|add_geometric|(?<!:)::(?!:)"
    r"|<:|\bSymmetric\b|InsertDelete|\bHamming\b|\bReal\b|\bInteger\b|\bBool\b|BlackBox|\bJulia\b|\bDMModel|\bdims="
    r"|\bquantile_score\b|\bnorm_convert\b|\bundisc|\bdisc\b|\binternal_|\brow_to_vec\b|\bvec_to_row\b|\bof Data\b"
)
CODE = re.compile(r"`+([^`]*)`+")
_NAME = re.compile(r"[^\W\d]\w*|[-+*/(]")
_ENGINE = Engine()


def spoken(text: str, analysis: Analysis) -> Iterator[str]:
    """All that is said of a program."""
    for problem in analysis.problems:
        yield problem.message
        yield from (each.message for each in problem.related)
        yield from (each.title for each in problem.fixes)
    for each in analysis.functions:
        yield each.reason
        yield from (condition.text for condition in each.conditions)
    for offset in sorted({found.start() for found in _NAME.finditer(text)}):
        found = hover(analysis, offset)
        yield "" if found is None else found.markdown
    document = Document("file:///a.py", 1, text)
    document.settle(0, analysis)
    yield from (each.label for each in hints(document, Span(0, len(text))))
    yield from (each.title for each in lenses(document))


def julia_in(program: str) -> set[str]:
    """What is said of a program in the words of Julia, but for what the program says itself."""
    bare = " ".join(program.split())
    said = dict.fromkeys(spoken(program, _ENGINE.check(program, document="a.py")))
    links = (re.sub(r"\]\([^)\s]*\)", "]", each) for each in said)
    left = (CODE.sub(lambda found: "" if _is_quoted(found[1], bare) else found[0], each) for each in links)
    return {each for each in left if JULIA.search(each)}


def _is_quoted(code: str, program: str) -> bool:
    """Whether code is the program's own, perhaps without blanks and in brackets."""
    bare = program.replace(" ", "")
    return all(part.replace(" ", "").lstrip("(") in bare for part in code.split("…"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_answered_in_the_words_of_python(page: Path) -> None:
    found = {}
    for block in blocks(page.read_text("utf-8")):
        if block.language == "python" and (julia := julia_in(block.text)):
            found[block.heading] = julia
    assert not found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_program_is_answered_in_the_words_of_python(program: Path) -> None:
    assert not julia_in(program.read_text("utf-8"))


def test_the_words_of_julia_are_found() -> None:
    assert JULIA.search("give it some with `clamp(v, L, U)`") and JULIA.search("`Vector<Symmetric>[?]{Real}`")
    assert not JULIA.search("give it some with `np.clip(v, low, high)`: records[?] of float, AddRemove()")
