"""Going from a name to its definition and its uses, renaming, folding, selecting, and who calls whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dp_lsp.analysis.names import NameRole, decode, decode_spots
from dp_lsp.analysis.records import Analysis
from dp_lsp.analysis.workspace import Document, Workspace
from dp_lsp.engine.check import Engine
from dp_lsp.features import navigation
from dp_lsp.features.completion import completion, signatures
from dp_lsp.features.hover import hover
from dp_lsp.features.navigation import Away, NameUse, RenameRefused, closed_files, renamable, rename
from dp_lsp.frontends.julia import JULIA, tokens
from dp_lsp.frontends.julia.vocabulary import (
    DATASETS,
    DESCRIPTORS,
    KEYWORDS,
    MARKS,
    METRICS,
    NORMS,
    OTHER_TYPES,
    TYPES,
)
from dp_lsp.text import Span
from marked import Files, bare, checked, edit, marked, offsets, project, shown
from source_tree import ROOT
from stdio_driver import Driver

FIXTURES = sorted((ROOT / "fixtures").glob("programs/*.jl"))


def places(text: str) -> str:
    """A text with a mark, with every place of what stands there in ‹ ›."""
    clean, offset = marked(text)
    found = navigation.references(checked(clean), offset, declaration=True)
    return shown(clean, [use.span for use in found if isinstance(use, NameUse)])


def defined(text: str) -> str:
    """A text with a mark, with the definitions of what stands there in ‹ ›."""
    clean, offset = marked(text)
    found = navigation.definitions(checked(clean), offset)
    return shown(clean, [use.span for use in found if isinstance(use, NameUse)])


SCOPES = {
    "a parameter": """
        function f(‹x›::Real, y::Real)
            ‹x› + y + ‹x›‸
        end
        g(x::Real) = x
        """,
    "what is assigned in a function is local to it": """
        function f(x::Real)
            ‹y› = x
            ‹y› = ‹‸y› + x
            g(‹y›)
        end
        y = 3
        g(z::Real) = z + y
        """,
    "a top-level name": """
        ‹y› = 3
        f(x::Real) = x + ‹‸y›
        function g(y::Real)
            y
        end
        function h(x::Real)
            y = 4
            x + y
        end
        """,
    "a function, in all its methods and calls": """
        ‹f›(x::Real) = x
        ‹f›(x::Real, y::Real) = ‹f›(x) + y
        g(x::Real) = ‹‸f›(x) + fold(‹f›, x)
        """,
    "a lambda captures": """
        function f(‹x›::Real, v::Vector{<:Real})
            map(y -> y + ‹‸x›, v)
        end
        """,
    "the parameter of a lambda hides": """
        function f(x::Real, v::Vector{<:Real})
            map(‹x› -> ‹‸x› + 1, v) + x
        end
        """,
    "a lambda assigns to what is around it": """
        function f(x::Real, v::Vector{<:Real})
            ‹t› = x
            g = function (y)
                ‹‸t› = y
                ‹t›
            end
            ‹t›
        end
        """,
    "what a lambda assigns itself is its own": """
        function f(x::Real, v::Vector{<:Real})
            g = function (y)
                ‹‸t› = y
                ‹t›
            end
            h = function (y)
                t = y
                t
            end
            g
        end
        """,
    "the index of a loop is its own": """
        function f(x::Real)
            i = 3
            for ‹i› in 1:i
                x = x + ‹i‸›
            end
            i
        end
        """,
    "what a loop assigns first is its own": """
        function f(x::Real)
            for i in 1:3
                ‹t› = x
                x = ‹t‸›
            end
            for i in 1:3
                t = x
                x = t
            end
            x
        end
        """,
    "what a loop assigns may be the function's, also one assigned later": """
        function f(x::Real)
            for i in 1:3
                ‹t› = x
            end
            ‹t‸› = x
            ‹t›
        end
        """,
    "an inner loop assigns to the outer one's": """
        function f(x::Real)
            for i in 1:3
                ‹t› = x
                for j in 1:3
                    ‹‸t› = ‹t› + x
                end
            end
            x
        end
        """,
    "a branch is no scope": """
        function f(x::Real, b::Bool)
            if b
                ‹y› = x
            else
                ‹y› = 2 * x
            end
            ‹y›‸
        end
        """,
    "a function inside another": """
        function f(x::Real)
            ‹g›(y) = y
            ‹g›(y, z) = y
            ‹‸g›(x)
        end
        g(x::Real) = x
        """,
    "several names at once": """
        function f(x::Real)
            (‹a›, b) = (x, x)
            ‹‸a› + b
        end
        """,
    "what is changed in place": """
        function f(‹g›::MetricGradient(Real, L2), c::Static())
            ‹g› = deepcopy(‹g›)
            clip!(L2, ‹g›)
            return ‹‸g›
        end
        """,
    "a black box sees its parameters and top-level names": """
        loss(x) :: BlackBox() = x
        function box(‹x›::Real, y::Real) :: BlackBox()
            z = Flux.x(‹‸x›, loss(y); x = 3)
            while true
                z += ‹x› + "$‹x› \\$x"
            end
        end
        """,
    "what a black box assigns is its own": """
        z = 3
        function box(x::Real) :: BlackBox()
            ‹z› = x
            ‹z‸›
        end
        """,
    "a loop that is not understood": """
        function f(‹x›::Real)
            while ‹x› > 1
                ‹‸x› = ‹x› - 1
            end
            ‹x›
        end
        """,
    "a half-written function": """
        function f(‹x›::Real)
            y = ‹x› +
            g(‹‸x›
        end
        """,
    "annotations and values of parameters": """
        ‹n› = 3
        f(x::Real, m = ‹‸n›) = x
        """,
    "a do block": """
        function f(v::Vector{<:Real}, ‹c›::Static())
            map(v) do y
                y * ‹‸c›
            end
        end
        """,
    "names in Unicode": """
        function f(‹ε₁›::Real, 𝛼::Real)
            ‹ε₁› + 𝛼 * ‹‸ε₁›
        end
        """,
    "declared to be a top-level name": """
        ‹c› = 3
        function f(x::Real)
            global ‹‸c› = x
            ‹c› + x
        end
        """,
    "in a comprehension": """
        ‹c› = 3
        f(v) = [‹c› + d for d in v] + ‹‸c›
        """,
    "what a comprehension makes entries of": """
        function f(v::MetricVector(Real, L1), x::Real)
            sum([2 * ‹‸x› for ‹x› in v if ‹x› > 0]) + x
        end
        """,
    "what stands around a comprehension": """
        function f(v::MetricVector(Real, L1), ‹x›::Real)
            sum([2 * x for x in map(y -> y + ‹x›, v)]) + ‹‸x›
        end
        """,
    "no field": """
        ‹model› = 3
        f(x::Real) = ‹‸model› + x.model
        """,
    "exported": """
        module M
        export ‹f›, g
        ‹‸f›(x::Real) = x
        end
        """,
}


@pytest.mark.parametrize("text", SCOPES.values(), ids=SCOPES)
def test_scopes(text: str) -> None:
    expected = dedent(text).strip("\n").replace("‸", "") + "\n"
    mark = dedent(text).strip("\n").replace("‹", "").replace("›", "")
    assert places(mark) == expected


DEFINITIONS = {
    "the first assignment": """
        function f(x::Real)
            ‹y› = x
            y = y + x
            ‸y
        end
        """,
    "each method": """
        ‹f›(x::Real) = x
        ‹f›(x::Real, y::Real) = x
        g(x::Real) = f‸(x)
        """,
    "a builtin has none": "f(x::Real) = ab‸s(x)",
    "a type has none": "f(x::Re‸al) = x",
    "a norm has none": "f(v::MetricVector(Real, L‸2)) = v",
    "an unknown name has none": "f(x::Real) = nowhere‸(x)",
}


@pytest.mark.parametrize("text", DEFINITIONS.values(), ids=DEFINITIONS)
def test_definitions(text: str) -> None:
    assert defined(bare(text).rstrip() if "‸" not in text else text.replace("‹", "").replace("›", "")) == (
        dedent(text).strip("\n").replace("‸", "") + "\n"
    )


ROOT_FILE = 'include("b.jl")\ntop(x::Real) = helper(x)\n'
HELPERS = "# ü\nμ(x::Real) = x; helper(x::Real) = x\nother(x::Real) = helper(x)\n"


def test_other_files_of_a_project() -> None:
    _, documents = project(a=ROOT_FILE, b=HELPERS)
    here = ROOT_FILE.index("helper")
    (found,) = navigation.definitions(documents["a"], here)
    assert isinstance(found, NameUse) and found.document is documents["b"]
    assert found.span == Span(HELPERS.index("helper"), HELPERS.index("helper") + 6)
    every = navigation.references(documents["b"], found.span.start, declaration=True)
    assert [use.document for use in every if isinstance(use, NameUse)] == [
        documents["b"],
        documents["b"],
        documents["a"],
    ]
    assert len(navigation.references(documents["b"], found.span.start, declaration=False)) == 2
    assert len(navigation.highlights(documents["b"], found.span.start)) == 2


def test_files_that_are_not_open() -> None:
    workspace, documents = project(("b",), a=ROOT_FILE, b=HELPERS)
    here = ROOT_FILE.index("helper")
    (found,) = navigation.definitions(documents["a"], here)
    assert isinstance(found, Away) and found.file == "/w/b.jl"
    assert found.spot[:3] == (2, "μ(x::Real) = x; ", "helper")
    every = navigation.references(documents["a"], here, declaration=True)
    assert [each.spot.line for each in every if isinstance(each, Away)] == [2, 3]
    assert {spot.name for spots in closed_files(documents["a"]).values() for spot in decode_spots(spots)} == {
        *("μ", "helper", "other")
    }
    names = {each.name: each.file for each in navigation.workspace_symbols(workspace, "he")}
    assert names == {"helper": "/w/b.jl", "other": "/w/b.jl"}
    with pytest.raises(RenameRefused, match=r"`helper` also stands in `b.jl`, line 2: open that file first"):
        renamable(documents["a"], here)
    with pytest.raises(RenameRefused, match=r"`other` already has a meaning in this project \(`b.jl`, line 3\)"):
        rename(documents["a"], ROOT_FILE.index("top"), "other")


def test_places_move_with_edits() -> None:
    text = "function f(x::Real)\n    y = x\n    y\nend\n"
    document = checked(text)
    edit(document, "function", "# more\nfunction")
    edit(document, "    y\n", "    z\n")
    now = document.source.text
    found = navigation.references(document, now.index("y ="), declaration=True)
    assert [use.span.start for use in found if isinstance(use, NameUse)] == [now.index("y =")]
    assert navigation.references(document, now.index("z"), declaration=True) == []


@pytest.mark.parametrize("new", ["the_height", "height2", "he_ight", "hei", "height!"])
def test_a_name_that_is_being_changed_is_none(new: str) -> None:
    document = checked("f(height::Real) = height\n")
    edit(document, "= height", f"= {new}")
    found = navigation.references(document, 2, declaration=True)
    assert [use.span.start for use in found if isinstance(use, NameUse)] == [2]


def test_what_spends_a_parameter() -> None:
    text = """
        function ask(x::Real, eps::Static()) :: Priv()
            laplacian_mechanism(1, eps, x)
        end
        function two(‹x›::Real, y::Real, eps::Static()) :: Priv()
            z = ‹x› + 1
            a = ‹laplacian_mechanism›(1, eps, z)
            b = ‹laplacian_mechanism›(1, eps, ‹x›)
            c = laplacian_mechanism(1, eps, y)
            d = ‹ask›(‹x›, eps)
            a + b + c + d
        end
        """
    clean = bare(text)
    document = checked(clean)
    offset = clean.index("x::Real, y")
    found = navigation.highlights(document, offset)
    assert shown(clean, [each.span for each in found]) == dedent(text).strip("\n") + "\n"
    written = {clean[each.span.start : each.span.end] for each in found if each.writes}
    assert written == {"x", "laplacian_mechanism", "ask"}
    edit(document, "1, eps, y", "1, eps, x")
    stale = navigation.highlights(document, offset)
    assert all(document.source.text[each.span.start : each.span.end] == "x" for each in stale)


# Renaming


def test_rename() -> None:
    text = """
        g(x::Real) = x
        function f(x‸::Real)
            y = g(x)
            y + x
        end
        """
    clean, offset = marked(text)
    document = checked(clean)
    (found,) = rename(document, offset, "height")
    assert {each.text for each in found.edits} == {"height"} and len(found.edits) == 3
    assert clean[slice(*found.edits[0].span)] == "x"
    assert rename(document, offset, "x") == ()
    use = renamable(document, offset)
    assert use and clean[use.span.start : use.span.end] == "x"
    assert renamable(document, len(clean)) is None


def test_rename_in_all_open_files() -> None:
    _, documents = project(a=ROOT_FILE, b=HELPERS)
    found = rename(documents["a"], ROOT_FILE.index("helper"), "new_helper")
    assert {each.document: len(each.edits) for each in found} == {documents["a"]: 1, documents["b"]: 2}


REFUSED = {
    "f(x::Real) = ab‸s(x)": ("y", "`abs` belongs to the language, so it cannot be renamed"),
    "f(x::Re‸al) = x": ("y", "`Real` belongs to the language"),
    "f(v::MetricVector(Real, L‸2)) = v": ("y", "`L2` belongs to the language"),
    "f(x::Real) = unknow‸n(x)": ("y", "`unknown` is not defined in the files that are checked"),
    "f(x‸::Real) = x": ("end", "`end` is a keyword of Julia"),
    "f(x‸::Real, y::Real) = x": ("clip", "`clip` belongs to the language"),
    "g(x‸::Real) = x": ("2x", "`2x` is not a name"),
    "h(x‸::Real) = x": ("a b", "`a b` is not a name"),
    "k(x‸::Real) = x": ("", "`` is not a name"),
    "f(x‸::Real, y::Real) = x + y": ("y", r"`y` is already used there \(line 1\)"),
    "f(x‸::Real) = g(x)\ng(x::Real) = x": ("g", "`g` is already used there"),
    "function f(x::Real)\n  y = x\n  g = z -> (t‸ = z)\n  y\nend": ("y", "`y` is already used there"),
    "f‸(x::Real) = x\ng(x::Real) = x": ("g", r"`g` already has a meaning in this project \(line 2\)"),
    "f‸(x::Real) = x\ng(y::Real) = f(y)": (
        "y",
        r"`y` is a local variable where `f` is used \(line 2\): choose another name",
    ),
    "f(x‸::Real; k = 1) = x\ng(y::Real) = f(y; k = 2)": ("k", "`k` is already used there"),
    "incl‸ude(x) = 3": ("y", "`include` belongs to the language"),
    "c‸ = 3\nfunction f(v)\n  let\n    c = v\n  end\n  c\nend": (
        "y",
        r"`c` may be something else .* \(line 4\): rename it by hand",
    ),
    "function f(v)\n  let\n    c = v\n  end\n  c‸\nend": ("y", "`c` gets its value in text that is not checked"),
    "f(v) = [‸c for c in v, d in v]": ("y", "`c` is not defined in the files that are checked"),
    "module M\nf‸(x) = x\nend\ng(x) = M.f(x)": ("y", r"`f` may be something else in one place \(line 4\)"),
    "f(x::Real; k‸ = 1) = x + k": ("m", "`k` is given by name"),
    "function f(x‸::Real)\n  y = x +\n  x\n  x = )\nend": ("y2", "`x` also stands in text that cannot be read"),
}


@pytest.mark.parametrize("text", REFUSED)
def test_rename_is_refused(text: str) -> None:
    new, why = REFUSED[text]
    clean, offset = marked(text)
    document = checked(clean)
    with pytest.raises(RenameRefused, match=why):
        rename(document, offset, new)


def test_nothing_that_was_edited_is_renamed() -> None:
    document = checked("f(x::Real) = x\n")
    edit(document, "= x", "= x + x")
    with pytest.raises(RenameRefused, match="being checked"):
        rename(document, 2, "y")


def sample() -> list[str]:
    """Some programs of the specification. In Julia the variable of a loop is none behind it: where a program takes
    them for one (DP102), renaming one of them changes what is said about the other. What is called as one of Julia's
    functions, `error`, `println`, `eachrow`, or as its output, `stdout`, hides it, and another name does not."""
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "fixtures").glob("spec/*.md"))]
    programs = [match for text in texts for match in re.findall(r"```julia[^\n]*\n(.*?)```", text, re.DOTALL)]
    hiding = "DP102", "stdout = ", "error(x) =", "println = ", "println(x) =", "eachrow(m) ="
    kept = [text for text in programs[::24] if not any(each in text for each in hiding)]
    return [*kept, FIXTURES[0].read_text("utf-8")]


def verdicts(analysis: Analysis) -> tuple[object, ...]:
    """What is said of a program, but for arguments that are swapped by what they are called (DP427)."""
    functions = [(each.state, each.kind, len(each.parameters), len(each.bounds)) for each in analysis.functions]
    return functions, sorted(problem.code for problem in analysis.problems if problem.code != "DP427")


def test_a_name_is_renamed_wherever_it_stands_in_a_broadcast() -> None:
    document = checked("f(v, w) = count((v .> 65) .& (v .< 70)) + sum(18 .<= v .< w .+ w)\n")
    renamed = "f(fresh_name, w) = count((fresh_name .> 65) .& (fresh_name .< 70)) + sum(18 .<= fresh_name .< w .+ w)\n"
    assert replaced(document, 2) == renamed
    found = navigation.references(document, 2, declaration=True)
    assert [each.span.start for each in found] == [2, 17, 30, 53]


def test_a_counter_is_renamed_wherever_it_stands() -> None:
    text = "function f(x::Real)\n    i = 0\n    while 3 > i\n        i = i + 1\n        x += i\n    end\n    x\nend\n"
    assert replaced(checked(text), text.index("i = 0")) == re.sub(r"\bi\b", "fresh_name", text)


def test_a_renamed_program_means_the_same() -> None:
    """Every name of some programs that can be renamed, one after the other."""
    engine = Engine()
    count = 0
    for text in sample():
        document = checked(text)
        assert document.analysis
        before = verdicts(document.analysis)
        seen = set()
        for chunk in document.analysis.chunks:
            for span, symbol, _ in decode(chunk.record.names.value):
                if (chunk.start, symbol) not in seen:
                    seen.add((chunk.start, symbol))
                    new = replaced(document, span.start + chunk.start)
                    count += new != text
                    assert verdicts(engine.check(new)) == before, new
    assert count > 60


def replaced(document: Document, offset: int) -> str:
    """The text with another name for what stands at a place, if that can be renamed. A type is called like one."""
    text = document.source.text
    try:
        found = rename(document, offset, "FreshName" if text[offset].isupper() else "fresh_name")
    except RenameRefused:
        return text
    for each in sorted(found[0].edits, reverse=True):
        text = text[: each.span.start] + each.text + text[each.span.end :]
    return text


# Folding and selecting

FOLDED = '''\
# one
# two

"""
Says something.
"""
function f(x::Real, b::Bool)
    # a comment
    # of two lines
    if b
        y = x
    else
        y = g(
            x,
        )
    end
    for i in 1:3
        y += x
    end
    y
end

module M
s = """
# no comment
# either
"""
end
'''


def test_folds() -> None:
    document = checked(FOLDED)
    lines = {
        (document.source.place(fold.span.start).line, document.source.place(fold.span.end).line, fold.comment)
        for fold in navigation.folds(document)
    }
    assert lines == {
        (1, 2, True),
        (4, 6, True),
        (7, 21, False),
        (8, 9, True),
        (10, 12, False),
        (12, 16, False),
        (13, 15, False),
        (17, 19, False),
        (23, 28, False),
        (24, 27, False),
    }


def test_selections_grow() -> None:
    text = "function f(x::Real)\n    y = g(x + 1)\n    y\nend\n"
    document = checked(text)
    found = navigation.selections(document, text.index("+ 1") - 2)
    assert [text[span.start : span.end] for span in found] == [
        "x",
        "x + 1",
        "g(x + 1)",
        "y = g(x + 1)",
        "y = g(x + 1)\n    y",
        "function f(x::Real)\n    y = g(x + 1)\n    y\nend",
        text,
    ]
    assert navigation.selections(checked(""), 0) == [Span(0, 0)]


# Calls

CALLS = """\
function inner(x::Real, eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, x)
end
function outer(x::Real, eps::Static()) :: Priv()
    inner(x, eps) + inner(2 * x, eps) + abs(1)
end
public = inner(1, 2)
"""


def test_who_pays() -> None:
    document = checked(CALLS)
    (mechanism,) = navigation.prepare(document, CALLS.index("laplacian"))
    assert (mechanism.name, mechanism.kind) == ("laplacian_mechanism", "mechanism")
    (payer,) = navigation.incoming(document, mechanism.name)
    assert payer.item.name == "inner" and payer.item.detail.startswith("proved · x: ε eps")
    found = {call.item.name: len(call.places) for call in navigation.incoming(document, "inner")}
    assert found == {"outer": 2, "a.jl": 1}
    (item,) = navigation.prepare(document, CALLS.index("outer"))
    paid = {call.item.name: len(call.places) for call in navigation.outgoing(document, item.name, item.span)}
    assert paid == {"inner": 2}
    (leaf,) = navigation.prepare(document, CALLS.index("inner"))
    assert [call.item.name for call in navigation.outgoing(document, leaf.name, leaf.span)] == ["laplacian_mechanism"]
    assert (
        navigation.prepare(document, CALLS.index("x::")) == []
        and navigation.prepare(document, CALLS.index("abs")) == []
    )


def test_callers_in_closed_files() -> None:
    _, documents = project(("b",), a='helper(x::Real) = x\ninclude("b.jl")\n', b="f(x::Real) = helper(x)\n")
    (call,) = navigation.incoming(documents["a"], "helper")
    assert call.item.name == "b.jl" and [away.spot.line for away in call.away] == [1]


# The words of the language


def test_the_vocabulary_is_that_of_the_checker() -> None:
    assert tokens.KEYWORDS.keys() == KEYWORDS
    words = TYPES.keys() | NORMS.keys() | DATASETS.keys() | DESCRIPTORS.keys() | MARKS.keys()
    assert words | OTHER_TYPES == JULIA.annotations.words
    assert NORMS.keys() == JULIA.annotations.norms.keys() and TYPES.keys() >= METRICS


# Robustness


def everything(document: Document, offset: int) -> None:
    """All features at one place: what is found stands there, and each selection is inside the next."""
    definitions = navigation.definitions(document, offset)
    assert set(definitions) <= set(navigation.references(document, offset, declaration=True))
    highlights = navigation.highlights(document, offset)
    assert not highlights or any(each.span.start <= offset <= each.span.end for each in highlights)
    selections = navigation.selections(document, offset)
    assert selections[0].start <= offset <= selections[0].end
    assert all(outer.start <= inner.start and inner.end <= outer.end for inner, outer in pairwise(selections))
    for item in navigation.prepare(document, offset):
        navigation.incoming(document, item.name)
        navigation.outgoing(document, item.name, item.span)
    try:
        if renamable(document, offset):
            (found,) = rename(document, offset, "fresh_name")
            edits = sorted(each.span for each in found.edits)
            assert any(start <= offset <= end for start, end in edits)
            assert all(one.end <= other.start for one, other in pairwise(edits))
    except RenameRefused:
        pass


@pytest.fixture(scope="module")
def seen() -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Between which tokens something was asked for already, in programs as they are and where one is half typed."""
    return set(), set()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_places_of_every_program(path: Path, seen: tuple[set[tuple[str, ...]], set[tuple[str, ...]]]) -> None:
    text = path.read_text("utf-8")
    document = checked(text)
    for offset in offsets(text, seen[0]):
        everything(document, offset)
    assert navigation.folds(document) or "\nend" not in text
    edit(document, text[len(text) // 3 : len(text) // 2], "(x")
    for offset in list(offsets(document.source.text, seen[1]))[::3]:
        everything(document, offset)
    assert all(fold.span.end <= len(document.source.text) for fold in navigation.folds(document))


@pytest.mark.parametrize(
    "text", ["", "\n", "function f(", "x", '"', "#=", "end end", "f(x) = ", "a.b.c(", "\u2028", "module M"]
)
def test_scraps(text: str) -> None:
    document = checked(text)
    for offset in range(len(text) + 1):
        everything(document, offset)
    unchecked = Workspace().open("untitled:x", "julia", 1, text)
    assert unchecked
    everything(unchecked, 0)
    assert navigation.folds(unchecked) == [] and navigation.workspace_symbols([unchecked], "") == []


def test_names_are_found_whatever_is_wrong_with_a_chunk() -> None:
    document = checked("function f(x::Real)\n    y = undefined(x)\n    y = = x\n    y\nend\n")
    assert document.analysis
    (chunk,) = document.analysis.chunks
    table = decode(chunk.record.names.value)
    roles = [(table.symbols[symbol].name, role) for _, symbol, role in table]
    assert (
        ("x", NameRole.PARAMETER) in roles and ("undefined", NameRole.CALL) in roles and ("y", NameRole.BROKEN) in roles
    )


# Through the protocol

SOURCE = "f(𝛼::Real) = 𝛼 + 𝛼\ng(x::Real) = f(x)\n"
URI = "file:///tmp/a.jl"


def at(line: int, character: int, uri: str = URI, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


def columns(ranges: list[Any]) -> list[tuple[int, int, int]]:
    found = [each.get("range", each) for each in ranges]
    return [(each["start"]["line"], each["start"]["character"], each["end"]["character"]) for each in found]


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with Driver() as driver:
        answer = driver.start(workspace={"workspaceEdit": {"documentChanges": True}})
        capabilities = answer["result"]["capabilities"]
        assert capabilities["renameProvider"] is True  # this client prepares nothing
        for name in ("definition", "references", "documentHighlight", "workspaceSymbol", "foldingRange"):
            assert capabilities[f"{name}Provider"]
        driver.open(SOURCE)
        driver.checked(1)
        yield driver


def test_protocol_places(driver: Driver) -> None:
    found = driver.ask("textDocument/definition", at(0, 19))["result"]
    assert columns(found) == [(0, 2, 4)] and found[0]["uri"] == URI
    uses = driver.ask("textDocument/references", at(0, 2, context={"includeDeclaration": False}))["result"]
    assert columns(uses) == [(0, 14, 16), (0, 19, 21)]
    marks = driver.ask("textDocument/documentHighlight", at(1, 14))["result"]
    assert columns(marks) == [(0, 0, 1), (1, 13, 14)] and [mark["kind"] for mark in marks] == [3, 2]
    assert driver.ask("textDocument/definition", at(0, 6))["result"] is None
    symbols = driver.ask("workspace/symbol", {"query": "G"})["result"]
    assert [symbol["name"] for symbol in symbols] == ["g"] and "proved" in symbols[0]["containerName"]


def test_protocol_rename(driver: Driver) -> None:
    assert driver.ask("textDocument/prepareRename", at(0, 19))["result"]["placeholder"] == "𝛼"
    (change,) = driver.ask("textDocument/rename", at(0, 19, newName="h"))["result"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": 1}
    assert columns(change["edits"]) == [(0, 2, 4), (0, 14, 16), (0, 19, 21)]
    error = driver.ask("textDocument/prepareRename", at(0, 6))["error"]
    assert error["code"] == -32803 and error["message"] == "`Real` belongs to the language, so it cannot be renamed"
    assert "keyword" in driver.ask("textDocument/rename", at(0, 0, newName="end"))["error"]["message"]


def test_protocol_rename_after_an_edit_waits_for_its_check(driver: Driver) -> None:
    uri = "file:///tmp/typing.jl"
    driver.open(SOURCE, uri)
    driver.checked(1, uri)
    end = {"line": 1, "character": 17}
    driver.change(2, {"range": {"start": end, "end": end}, "text": " + f(1)"}, uri=uri)
    (change,) = driver.ask("textDocument/rename", at(0, 0, uri, newName="h"))["result"]["documentChanges"]
    assert change["textDocument"]["version"] == 2
    assert columns(change["edits"]) == [(0, 0, 1), (1, 13, 14), (1, 20, 21)]


def test_protocol_structure(driver: Driver) -> None:
    uri = "file:///tmp/folded.jl"
    driver.open(FOLDED, uri)
    driver.checked(1, uri)
    ranges = driver.ask("textDocument/foldingRange", {"textDocument": {"uri": uri}})["result"]
    assert {(each["startLine"], each["endLine"]) for each in ranges} >= {(6, 19), (9, 10), (11, 14), (0, 1)}
    places = [{"line": 12, "character": column % 20} for column in range(200)]
    found = driver.ask("textDocument/selectionRange", {"textDocument": {"uri": uri}, "positions": places})["result"]
    assert len(found) == 200
    for each in found:
        while "parent" in each:
            inner, each = each["range"], each["parent"]
            first, last = ((each["range"][end]["line"], each["range"][end]["character"]) for end in ("start", "end"))
            assert first <= (inner["start"]["line"], inner["start"]["character"])
            assert (inner["end"]["line"], inner["end"]["character"]) <= last


def test_protocol_calls(driver: Driver) -> None:
    uri = "file:///tmp/calls.jl"
    driver.open(CALLS, uri)
    driver.checked(1, uri)
    (item,) = driver.ask("textDocument/prepareCallHierarchy", at(1, 8, uri))["result"]
    assert item["name"] == "laplacian_mechanism" and item["uri"] == uri
    (payer,) = driver.ask("callHierarchy/incomingCalls", {"item": item})["result"]
    assert payer["from"]["name"] == "inner" and columns(payer["fromRanges"]) == [(1, 4, 23)]
    (above, whole) = driver.ask("callHierarchy/incomingCalls", {"item": payer["from"]})["result"]
    assert (above["from"]["name"], whole["from"]["name"]) == ("outer", "calls.jl")
    (paid,) = driver.ask("callHierarchy/outgoingCalls", {"item": above["from"]})["result"]
    assert paid["to"]["name"] == "inner" and columns(paid["fromRanges"]) == [(4, 4, 9), (4, 20, 25)]


def test_protocol_files_that_are_not_open(tmp_path: Path) -> None:
    (tmp_path / "b.jl").write_text("#\n𝛼(y) = y; helper(x::Real) = x\n", "utf-8")
    root = (tmp_path / "a.jl").as_uri()
    with Driver() as driver:
        driver.start(tmp_path)
        driver.open('include("b.jl")\ntop(x::Real) = helper(x)\n', root)
        driver.checked(1, root)
        (found,) = driver.ask("textDocument/definition", at(1, 16, root))["result"]
        assert found["uri"] == (tmp_path / "b.jl").as_uri() and columns([found]) == [(1, 11, 17)]
        assert "open that file first" in driver.ask("textDocument/prepareRename", at(1, 16, root))["error"]["message"]
        changes = driver.ask("textDocument/rename", at(1, 0, root, newName="above"))["result"]["changes"]
        assert columns(changes[root]) == [(1, 0, 3)]


@pytest.mark.parametrize("uri", [URI, "untitled:new", "file:///nowhere.jl"])
def test_protocol_answers_everywhere(driver: Driver, uri: str) -> None:
    for method in ("definition", "references", "documentHighlight", "prepareRename", "prepareCallHierarchy"):
        answer = driver.ask(f"textDocument/{method}", at(90, 5, uri, context={"includeDeclaration": True}))
        assert "error" not in answer
    for method in ("foldingRange", "selectionRange"):
        assert "error" not in driver.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, "positions": []})


# Modules: each has its own names

OUTER = """\
f(x::Real) = x

module A
f(x::Real) = 2 * x
g(x::Real) = f(x)
include("b.jl")
end

h(x::Real) = f(x)
"""
INNER = "k(x::Real) :: Priv() = laplacian_mechanism(2, 1, f(x))\n"
FS = [match.start() for match in re.finditer(r"\bf\(", OUTER)]  # in Main, in A twice, in Main


def lines(found: list[NameUse | Away]) -> list[str]:
    """Where places are: the file and the line."""
    return [
        f"{each.document.file[3]} {each.document.source.place(each.span.start).line}"
        if isinstance(each, NameUse)
        else f"{each.file[3]} {each.spot.line}"
        for each in found
    ]


@pytest.mark.parametrize("closed", [(), ("b",)])
def test_a_name_is_one_of_its_module(closed: tuple[str, ...]) -> None:
    _, documents = project(closed, a=OUTER, b=INNER)
    outer = documents["a"]
    for offset in (FS[0], FS[3]):
        assert lines(navigation.references(outer, offset, declaration=True)) == ["a 1", "a 9"]
        assert lines(navigation.definitions(outer, offset)) == ["a 1"]
        assert {
            call.item.name for call in navigation.incoming(outer, "f", navigation.prepare(outer, offset)[0].modules)
        } == {"h"}
    for offset in FS[1:3]:
        assert lines(navigation.references(outer, offset, declaration=True)) == ["a 4", "a 5", "b 1"]
        assert lines(navigation.definitions(outer, offset)) == ["a 4"]
        assert {highlight.span.start for highlight in navigation.highlights(outer, offset)} == set(FS[1:3])
        (item,) = navigation.prepare(outer, offset)
        callers = {call.item.name for call in navigation.incoming(outer, item.name, item.modules)}
        assert callers == {"g", "b.jl" if closed else "k"}


def test_renaming_leaves_other_modules_alone() -> None:
    _, documents = project(a=OUTER, b=INNER)
    outer = documents["a"]
    assert [(each.document.file, len(each.edits)) for each in rename(outer, FS[0], "q")] == [("/w/a.jl", 2)]
    assert [(each.document.file, len(each.edits)) for each in rename(outer, FS[1], "q")] == [
        ("/w/a.jl", 2),
        ("/w/b.jl", 1),
    ]
    assert rename(outer, FS[1], "h"), "the other module's names are free"
    with pytest.raises(RenameRefused, match="already has a meaning"):
        rename(outer, FS[1], "g")


def test_what_another_module_may_bring_in_is_not_renamed() -> None:
    listed = OUTER + "import .A: f\n"
    _, documents = project(a=listed, b=INNER)
    with pytest.raises(RenameRefused, match="may be something else"):
        rename(documents["a"], FS[1], "q")
    behind = OUTER + "l(x::Real) = A.f(x)\n"
    _, documents = project(a=behind, b=INNER)
    with pytest.raises(RenameRefused, match="may be something else"):
        rename(documents["a"], FS[1], "q")


def test_what_a_module_does_not_know_is_neither_proposed_nor_shown() -> None:
    text = OUTER.replace("h(x::Real) = f(x)\n", "h(x::Real) = \n")
    _, documents = project(a=text, b=INNER)
    outer, inner = documents["a"], documents["b"]
    names = {each.label for each in completion(outer, text.index("= \n") + 2).items}
    assert "f" in names and not {"g", "k"} & names
    names = {each.label for each in completion(inner, INNER.index("f(")).items}
    assert {"f", "g", "k"} <= names and "h" not in names
    assert len(signatures(inner, INNER.index("x))")).all) == 1  # type: ignore[union-attr]
    _, documents = project(a=OUTER, b=INNER)
    analysis = documents["a"].analysis
    assert analysis
    said = [hover(analysis, offset) for offset in FS]
    assert ["2" in found.markdown.splitlines()[4] for found in said if found] == [False, True, True, False]


def test_a_file_of_two_modules_belongs_to_both() -> None:
    both = 'module A\nf(x::Real) = 1\ninclude("b.jl")\nend\n'
    other = 'include("c.jl")\ninclude("b.jl")\nf(x::Real) = 2\n'
    _, documents = project(a=f'include("c.jl")\n{other}', b="k(x::Real) = f(x)\n", c=both)
    assert lines(navigation.definitions(documents["b"], 13)) == ["a 4", "c 2"]


def test_what_is_known_of_a_module_outlives_a_process() -> None:
    engine, files = Engine(), Files(a=OUTER, b=INNER)
    records = [placed.record for analysis in engine.project("/w/a.jl", files).values() for placed in analysis.chunks]
    fresh = Engine()
    fresh.learn("a", records)
    again = [placed.record for analysis in fresh.project("/w/a.jl", files).values() for placed in analysis.chunks]
    assert fresh.inferred == 0 and again == records
