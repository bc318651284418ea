"""Semantic tokens: whose each name is, in a document and through the protocol."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from dp_lsp.features.decorations import MODIFIERS, TYPES, SemanticToken, difference, tokens
from dp_lsp.text import Span
from stdio_driver import Driver
from test_hints import document_of, edited

PROGRAM = """\
function train(x::Real, eps::Static(), w::Vector{<:Data}) :: Priv()
    n = length(w)
    y = x / n
    noisy = laplacian_mechanism(1, eps, y)
    z = noisy + n
    if z > eps
        z = 2 * noisy
    end
    c = undisc_container(clip(L2, w))
    gaussian_mechanism(2, 0.5, 0.1, c)
    z
end

twice(x::Real, eps::Static(), w::Vector{<:Data}) :: Priv() = train(x, eps, w)
"""
WRONG = """\
function f(x::Real, eps::Static()) :: Priv()
    lost = laplacian_mechanism(1, eps, 2 * x)
    more = lost + 1
    good = laplacian_mechanism(2, eps, 2 * x)
    for i in 1:3
        x = laplacian_mechanism(1, eps, x) + x
    end
    x
end
"""


def words(found: list[SemanticToken], text: str) -> list[str]:
    """Tokens as ``name: type modifier …``."""
    return [
        " ".join(
            [
                f"{text[slice(*token.span)]}: {TYPES[token.type]}",
                *(name for place, name in enumerate(MODIFIERS) if token.modifiers >> place & 1),
            ]
        )
        for token in found
    ]


def on_line(part: str, source: str) -> list[str]:
    """The tokens of the line that begins with some text."""
    start = source.index(part)
    return words(tokens(document_of(source), Span(start, source.index("\n", start))), source)


def test_private_public_and_released() -> None:
    document = document_of(PROGRAM)
    found = words(tokens(document), PROGRAM)
    assert found[:4] == [
        "train: function declaration",
        "x: parameter declaration private",
        "eps: parameter declaration readonly",
        "w: parameter declaration private",
    ]
    assert on_line("    y = ", PROGRAM) == [
        "y: variable declaration private",
        "x: parameter private",
        "n: variable readonly",
    ]
    assert on_line("    noisy = ", PROGRAM) == [
        "noisy: variable declaration released",
        "laplacian_mechanism: function defaultLibrary",
        "eps: parameter readonly",
        "y: variable private",
    ]
    assert on_line("    z = noisy", PROGRAM)[0] == "z: variable declaration released"
    assert on_line("    c = ", PROGRAM)[2:4] == ["clip: function defaultLibrary", "L2: type defaultLibrary"]
    assert found[-4:-1] == ["train: function", "x: parameter private", "eps: parameter readonly"]


def test_what_a_loop_carries_is_whose_its_parts_are() -> None:
    text = "function f(v::Vector{<:Real}, eps::Static()) :: Priv()\n    total, noisy, count_ = 0.0, 0.0, 1.0\n"
    text += "    for i in 1:length(v)\n        total = total + v[i]\n    end\n    for i in 1:3\n"
    text += "        noisy = noisy + laplacian_mechanism(1, eps, v[1])\n        count_ = count_ * 2\n    end\n"
    text += "    noisy\nend\n"
    assert on_line("        total =", text)[:2] == ["total: variable declaration private", "total: variable private"]
    assert on_line("        noisy =", text)[:2] == [
        "noisy: variable declaration released",
        "noisy: variable released",
    ]
    assert on_line("        count_ =", text) == ["count_: variable declaration readonly", "count_: variable readonly"]


def test_tokens_are_in_order_and_apart() -> None:
    found = tokens(document_of(PROGRAM))
    assert all(one.span.end <= other.span.start for one, other in pairwise(found))
    assert all(token.span.start < token.span.end for token in found)


def test_a_range_has_the_tokens_that_all_have_there() -> None:
    document = document_of(PROGRAM)
    everything = tokens(document)
    for start in range(0, len(PROGRAM), 37):
        span = Span(start, start + 60)
        inside = [each for each in everything if each.span.start < span.end and span.start < each.span.end]
        assert tokens(document, span) == inside


def test_what_is_not_protected_is_not_shown_as_released() -> None:
    found = words(tokens(document_of(WRONG)), WRONG)
    assert "good: variable declaration released" in found
    for name in ("lost", "more"):
        assert f"{name}: variable declaration" in found
    assert not any("released" in word and not word.startswith("good") for word in found)


def test_of_what_was_not_checked_nothing_is_said() -> None:
    text = (
        "function f(x::Real, eps::Static()) :: Priv()\n y = laplacian_mechanism(1, eps, x)\n undefined_name(y)\nend\n"
    )
    found = words(tokens(document_of(text)), text)
    assert "y: variable" in found and "y: variable declaration" in found
    assert not any(word.endswith(("private", "readonly", "released")) for word in found)


def test_what_is_stale_is_nobodys() -> None:
    document = document_of(PROGRAM + "\nalone(q::Real) = q + q\n")
    edited(document, "(1, eps, y)", "(2, eps, y)")
    text = document.source.text
    found = words(tokens(document), text)
    assert "noisy: variable declaration" in found and "train: function" in found
    assert "q: parameter private" in found
    assert [word for word in found if word.endswith(("released", "readonly"))] == []


def test_a_renamed_word_has_no_token() -> None:
    document = document_of(PROGRAM)
    edited(document, "noisy + n", "noisyx + n")
    assert not any(word.startswith("noisyx") for word in words(tokens(document), document.source.text))


@pytest.mark.parametrize(
    ("old", "new"),
    [([], []), ([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [1, 9, 9, 3]), ([1, 1], [1, 1, 1]), ([5], []), ([], [5])],
)
def test_difference(old: list[int], new: list[int]) -> None:
    start, gone, come = difference(old, new)
    assert [*old[:start], *come, *old[start + gone :]] == new
    assert gone + len(come) <= len(old) + len(new)


URI = "file:///tmp/a.jl"
WIDE = "function f(𝔵::Real, ε₁::Static()) :: Priv()\n    y = laplacian_mechanism(1, ε₁, 𝔵)\n    y\nend\n"


def decoded(data: list[int]) -> list[tuple[int, int, int]]:
    """The line, column and length of each token."""
    found = []
    line = column = 0
    for new_lines, ahead, length in zip(data[::5], data[1::5], data[2::5], strict=True):
        line, column = line + new_lines, ahead if new_lines else column + ahead
        found.append((line, column, length))
    return found


def asked(driver: Driver, what: str, **params: Any) -> Any:
    found = driver.ask(f"textDocument/semanticTokens/{what}", {"textDocument": {"uri": URI}, **params})
    return found["result"]


@pytest.mark.parametrize(("encoding", "codec", "size"), [("utf-16", "utf-16-le", 2), ("utf-8", "utf-8", 1)])
def test_places_in_the_encoding_of_the_client(encoding: str, codec: str, size: int) -> None:
    with Driver() as driver:
        answer = driver.start(general={"positionEncodings": [encoding]})
        provider = answer["result"]["capabilities"]["semanticTokensProvider"]
        assert tuple(provider["legend"]["tokenModifiers"]) == MODIFIERS
        assert provider["full"] == {"delta": True} and provider["range"] is True
        driver.open(WIDE)
        driver.checked(1)
        lines = [line.encode(codec) for line in WIDE.split("\n")]
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        full = asked(driver, "full")
        assert full["data"] == asked(driver, "range", range=whole)["data"]
    names = [
        lines[row][column * size : (column + length) * size].decode(codec)
        for row, column, length in decoded(full["data"])
    ]
    assert names == ["f", "𝔵", "ε₁", "y", "laplacian_mechanism", "ε₁", "𝔵", "y"]


def test_only_what_has_changed_is_sent_again() -> None:
    with Driver() as driver:
        driver.start()
        driver.open(PROGRAM)
        driver.checked(1)
        first = asked(driver, "full")
        driver.change(2, {"text": PROGRAM.replace("y = x / n", "y = x / n + n")})
        driver.checked(2)
        change = asked(driver, "full/delta", previousResultId=first["resultId"])
        whole = asked(driver, "full")["data"]
        (edit,) = change["edits"]
        data = list(first["data"])
        data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
        assert data == whole and len(edit["data"]) < len(whole) / 2
        unknown = asked(driver, "full/delta", previousResultId="nobody's")
        assert unknown["data"] == whole
        assert (
            driver.ask("textDocument/semanticTokens/full", {"textDocument": {"uri": "untitled:none"}})["result"] is None
        )
