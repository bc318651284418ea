"""What stands beside the code: inlay hints and code lenses, in a document and through the protocol."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dp_lsp.analysis.workspace import Document
from dp_lsp.engine.check import Engine
from dp_lsp.features.decorations import hints, lenses
from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span
from stdio_driver import Driver, Message

HINTED = """\
function mean_height(data::MetricVector(Real, L1), eps::Static()) :: Priv()
    n = length(data)
    total = sum(data)‹1 in data›
    double = total + total‹2 in data›
    same = double
    noisy = laplacian_mechanism(2, eps, same)‹ε eps›
    noisy / n‹released›
end

function cumulative(v::MetricVector(Real, L1), x::Real, n::Static())
    sum_ = 0.0
    for i in 1:length(v)
        sum_ = sum_ + v[i]‹1 in sum_, v›
    end‹sum_: 1 in v›
    y = 0.0
    if n < 3
        y = 2 * x‹2 in x›
        y = 3 * x‹3 in x›
    end‹y: 3 in x›
    z = n < 3 ? x : y‹3 in x›
    sum_ + y + z
end

function both(a::Real, b::Real, eps::Static()) :: Priv()
    (c, d) = (a + b, 3 * b)‹c: 1 in a, b›‹d: 3 in b›
    first = gaussian_mechanism(1, 0.5, 0.1, c)‹ε 0.5 δ 0.1›
    for round in 1:3
        first = first + laplacian_mechanism(3, eps, d)‹ε eps›
    end
    first
end

function again(x::Real, eps::Static()) :: Priv()
    y = both(x, x, eps)‹ε 3⋅eps + 1 δ 0.1›
    y
end

function around(x::Real, v::Vector{<:Real}) :: Priv()
    function noise(y::Integer) :: Priv()
        z = 2 * y‹2 in y›
        laplacian_mechanism(2, 1 / 2, z)‹ε 0.5›
    end
    function noise(y::Vector{<:Real}) :: Priv()
        laplacian_mechanism(1, 1 / 4, sum(y))‹ε …›
    end
    captured() :: Priv() = laplacian_mechanism(1, 1 / 8, x)‹ε 0.125›
    short(y::Real) :: Priv() = begin
        inner(z::Real) :: Priv() = laplacian_mechanism(1, 1, z)‹ε 1›
        inner(y)‹ε 1›
    end
    untyped(y) = begin
        z = 2 * y
        z
    end
    w = map(v) do y::Real
        z = 3 * y‹3 in y›
        z
    end‹3 in v›
    noise([x, x])‹ε 0.5› + captured()‹ε 0.125› + short(untyped(x) / 2)‹ε 1›
end
"""
NOT_PROVED = """\
function too_little(x::Real) :: Priv()
    y = x + x‹2 in x›
    z = laplacian_mechanism(1, 0.5, y)
    w = z + 1
    laplacian_mechanism(2, 0.5, y)‹ε 0.5›
end

function lost(x::Real) :: Priv()
    y = x + x
    z = laplacian_mechanism(2, 0.5, y)
    undefined_name(z)
end
"""


def plain(text: str) -> str:
    return re.sub("‹.*?›", "", text)


def document_of(text: str) -> Document:
    document = Document("file:///a.jl", 1, text)
    document.settle(0, Engine().check(text))
    return document


def shown(document: Document, span: Span | None = None, **kinds: bool) -> str:
    """The text with its hints in it."""
    text = document.source.text
    for hint in reversed(hints(document, span or Span(0, len(text)), **kinds)):
        assert hint.tooltip.endswith(".")
        text = f"{text[: hint.offset]}‹{hint.label}›{text[hint.offset :]}"
    return text


def edited(document: Document, old: str, new: str) -> None:
    """Replace the first place where some text stands."""
    text = document.source.text
    start = text.index(old)
    source = Source(text.replace(old, new, 1))
    document.edit(document.version + 1, source, [Edit(Span(start, start + len(old)), new)])


@pytest.mark.parametrize("text", [HINTED, NOT_PROVED])
def test_hints(text: str) -> None:
    assert shown(document_of(plain(text))) == text


def test_a_call_costs_what_the_report_says() -> None:
    document = document_of(plain(HINTED))
    (again,) = (function for function in document.functions if function.name == "again")
    start, end = again.span
    (cost,) = hints(document, Span(start, end))
    assert again.parameters[0].shown.partition("  or  ")[0] == cost.label.replace(" δ", "  δ")


def test_each_kind_can_be_switched_off() -> None:
    document = document_of(plain(HINTED))
    values, costs = shown(document, privacy=False), shown(document, sensitivity=False)
    assert "‹1 in data›" in values and "ε" not in values and "released" not in values
    assert "‹ε eps›" in costs and "‹released›" in costs and " in " not in costs.replace(" in 1:", "")
    assert shown(document, sensitivity=False, privacy=False) == document.source.text


def test_only_a_range_has_hints() -> None:
    document = document_of(plain(HINTED))
    start = document.source.text.index("total =")
    found = hints(document, Span(start, start + len("total = sum(data)")))
    assert [hint.label for hint in found] == ["1 in data"]


def test_long_numbers_are_in_the_tooltip() -> None:
    value = "(alpha * beta + beta * beta * alpha) * x"
    text = f"function f(x::Real, alpha::Static(), beta::Static())\n    y = {value}\n    y\nend\n"
    (hint,) = hints(document_of(text), Span(0, len(text)))
    assert hint.label == "… in x" and "|alpha⋅beta" in hint.tooltip and text[hint.offset - 1] == "x"


def test_what_is_stale_has_no_hint_and_the_rest_moves() -> None:
    document = document_of(plain(HINTED))
    edited(document, "(1, 0.5, 0.1, c)", "(1, 0.5 , 0.1, c + c)")
    text = shown(document)
    assert "‹1 in data›" in text and "end‹y: 3 in x›" in text
    for stale in (
        "‹ε 0.5 δ 0.1›",
        "‹c: 1 in a, b›",
        "‹ε 3⋅eps + 1 δ 0.1›",
    ):  # the caller of `both` too
        assert stale not in text
    assert hints(Document("file:///b.jl", 1, plain(HINTED)), Span(0, 10_000)) == []


def test_a_lens_says_what_is_proved() -> None:
    titles = [lens.title for lens in lenses(document_of(plain(HINTED) + plain(NOT_PROVED)))]
    assert titles[0] == "proved, under 2 conditions · a change by at most 1 in L1 · data: ε eps  δ 0"
    assert titles[1] == "proved · v: 1 · x: 6"
    assert titles[5] == "not private: noise for 1, sensitivity 2"
    assert titles[6].startswith("unknown: ") and "undefined_name" in titles[6]


def test_a_lens_of_several_bounds_shows_one() -> None:
    text = "function f(x::Real, eps::Static(), k::Static(Integer)) :: Priv()\n y = 0.0\n for i in 1:k\n"
    text += "  y = laplacian_mechanism(1, eps, x)\n end\n y\nend\nbox(x) :: BlackBox() = anything(x)\n"
    one, box = lenses(document_of(text))
    assert one.title == "proved, under 1 condition · a change by at most 1 · x: ε eps⋅max(0, k)  δ 0 or …"
    assert box.title == "assumed: not checked"


def test_a_stale_lens_claims_nothing() -> None:
    document = document_of(plain(HINTED))
    edited(document, "(1, 0.5, 0.1, c)", "(1, 0.5, 0.1, d)")
    found = {document.source.text[slice(*lens.span)]: lens for lens in lenses(document)}
    assert found["both"].title == found["again"].title == "checking…"
    assert not found["both"].explained
    assert found["mean_height"].title.startswith("proved")


URI = "file:///tmp/a.jl"
PROGRAM = "function f(x::Real)\n    y = x + x\n    y\nend\n\ng(x::Real) = undefined_name(x)\n"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 100, "character": 0}}


def labels(driver: Driver) -> list[str]:
    answer = driver.ask("textDocument/inlayHint", {"textDocument": {"uri": URI}, "range": WHOLE})
    return [hint["label"] for hint in answer["result"]]


def titles(driver: Driver) -> list[Message]:
    answer = driver.ask("textDocument/codeLens", {"textDocument": {"uri": URI}})
    return [lens["command"] for lens in answer["result"]]


def test_a_client_is_told_to_ask_again_once_what_it_knows_is_old() -> None:
    again = {"refreshSupport": True}
    with Driver() as driver:
        driver.start(workspace={"inlayHint": again, "codeLens": again, "semanticTokens": again})
        driver.open(PROGRAM)
        assert driver.checked(1)["status"] == "unknown"
        assert labels(driver) == ["2 in x"]
        titles(driver)
        driver.change(2, {"text": PROGRAM.replace("x + x", "x + x + x")})
        for kind in ("codeLens", "inlayHint"):
            driver.wait(lambda message, kind=kind: message.get("method") == f"workspace/{kind}/refresh")
        assert labels(driver) == ["3 in x"]
        driver.change(3, {"text": PROGRAM.replace("x + x", "x + x + x") + "# a comment\n"})
        driver.checked(3)
        labels(driver)
    asked = [message["method"] for message in driver.seen if "id" in message and "method" in message]
    assert asked.count("workspace/codeLens/refresh") <= 2
    assert "workspace/semanticTokens/refresh" not in asked, "tokens were never asked for"


def test_a_client_that_announced_nothing_is_asked_nothing() -> None:
    with Driver() as driver:
        driver.start()
        driver.open(PROGRAM)
        driver.checked(1)
        assert labels(driver) == ["2 in x"]
        assert titles(driver)[0] == {"title": "proved · x: 2", "command": ""}
        driver.change(2, {"text": PROGRAM + "\n"})
        driver.checked(2)
        labels(driver)
    assert [message for message in driver.seen if "id" in message and "method" in message] == []


def test_a_client_that_cannot_be_told_to_ask_again_gets_the_hints_of_the_checked_text() -> None:
    with Driver() as driver:
        driver.start()
        driver.open(PROGRAM)
        assert labels(driver) == ["2 in x"]
        driver.change(2, {"text": PROGRAM.replace("x + x", "x + x + x")})
        assert labels(driver) == ["3 in x"]


def test_a_lens_leads_to_the_derivation() -> None:
    with Driver() as driver:
        driver.start(workspace={"executeCommand": {}})
        driver.open(PROGRAM)
        driver.checked(1)
        command = titles(driver)[0]
        assert command["command"] == "dp-lsp.showDerivation"
        assert command["arguments"] == [URI, {"line": 0, "character": 9}]
        del command["title"]
        page = driver.ask("workspace/executeCommand", command)["result"]
    assert page.startswith("# `f`") and "\n1. " in page


def test_settings_switch_hints_and_lenses() -> None:
    off: dict[str, Any] = {"codeLens": False, "inlayHints": {"sensitivity": False, "privacy": True}}
    with Driver() as driver:
        driver.start(workspace={"inlayHint": {"refreshSupport": True}})
        driver.open(PROGRAM)
        driver.checked(1)
        assert labels(driver) == ["2 in x"]
        driver.notify("workspace/didChangeConfiguration", {"settings": {"dpLsp": off}})
        driver.wait(lambda message: message.get("method") == "workspace/inlayHint/refresh")
        assert labels(driver) == [] and titles(driver) == []
