"""What is proposed while somebody types, and what is said about the call around the cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.analysis.workspace import Document, Workspace
from dp_lsp.features import completion as cursors
from dp_lsp.features.completion import MOST, Proposal, Signatures, completion, documentation, load, signatures
from dp_lsp.frontends.julia.parse import parse
from dp_lsp.frontends.julia.vocabulary import SNIPPETS
from dp_lsp.surface import Opaque
from marked import checked, edit, marked, offsets, project
from source_tree import ROOT
from stdio_driver import Driver

FIXTURES = sorted((ROOT / "fixtures").glob("programs/*.jl"))


def proposals(text: str, trigger: str = "") -> list[Proposal]:
    """What is proposed at the mark in a text that was checked."""
    clean, offset = marked(text)
    return list(completion(checked(clean), offset, trigger).items)


def labels(text: str, trigger: str = "") -> list[str]:
    return [each.label for each in proposals(text, trigger)]


BODY = """
    function f(height::Real, helper_count::Static())
        half = height / 2
        g = hidden -> hidden + 1
        for step in 1:3
            inner = half
            he‸
        end
        later_he = half
        half
    end
    function helper(x::Real)
        x
    end
    heavy = 3
    """


def test_names_in_scope() -> None:
    found = labels(BODY)
    assert found[:4] == ["height", "helper_count", "heavy", "helper"]
    assert "hidden" not in found and "later_he" not in found
    inside = labels(BODY.replace("he‸", "‸"))
    assert {"height", "half", "g", "step", "inner", "helper", "for", "clip!", "laplacian_mechanism"} <= {*inside}
    assert "hidden" not in inside and "later_he" not in inside
    after = labels(BODY.replace("he‸", "").replace("later_he = half", "later_he = half\n    ‸"))
    assert "later_he" in after and "inner" not in after and "step" not in after


def test_what_is_known_stands_beside_it() -> None:
    found = {each.label: each for each in proposals(BODY.replace("he‸", "‸"))}
    assert found["half"].detail == "Real · 1/2 in height"
    assert found["helper"].detail == "proved · x: 1" and found["helper"].kind == "function"
    assert found["laplacian_mechanism"].detail == "laplacian_mechanism(r, eps, x)"
    assert (found["laplacian_mechanism"].kind, found["clip"].kind) == ("mechanism", "builtin")


PLACES = {
    "x::‸": ({"Static()", "Real", "MetricMatrix(…)", "Matrix{<:Data}"}, {"L2", "clip", "for", "Priv()"}),
    "x::Re‸": ({"Real"}, {"return", "reduce_cols"}),
    "f(x::‸": ({"Static()"}, {"Priv()", "x"}),
    "f(x::Real) :: ‸": ({"Priv()", "BlackBox()", "Real"}, {"Static()", "clip"}),
    "f(x::Real)::Pr‸": ({"Priv()"}, {"Static()"}),
    "f(v::MetricVector(‸": ({"Real", "Data"}, {"L2", "Static()", "clip"}),
    "f(v::MetricVector(Real, ‸": ({"L1", "L2", "LInf"}, {"Real", "clip"}),
    "f(m::Matrix{<:‸": ({"Data", "Real"}, {"L2", "Matrix{<:Data}", "clip"}),
    "f(k::Static(‸": ({"Integer"}, {"clip"}),
    "f(x) = # x‸": (set(), {"x"}),
    "f(x) = #= x\n‸": (set(), {"x"}),
    'f(x) = "x‸': (set(), {"x"}),
    'f(x) = "a $(‸': ({"clip"}, set()),
    '"""\nabout f‸\n"""\nf(x) = x': (set(), {"f"}),
    'g("a", "$(h("b"))", ‸': ({"clip"}, set()),
    'g("a (", # (\n  \'"\', ‸': ({"clip"}, set()),
    "f(x) = x.‸": (set(), {"clip"}),
    "f(x) = 1‸": (set(), {"clip"}),
    "f(x) = @a‸": (set(), {"abs"}),
    "function ‸": (set(), {"clip"}),
    "function f(x::Real)\n    for ‸": (set(), {"x"}),
    "f(x::Real) = (‸": ({"clip", "x"}, {"function", "for"}),
}


@pytest.mark.parametrize("text", PLACES)
def test_what_fits_the_place(text: str) -> None:
    wanted, unwanted = PLACES[text]
    found = set(labels(text))
    assert wanted <= found and not unwanted & found
    assert wanted or not found


def test_a_colon_asks_for_types_only_where_they_stand() -> None:
    assert "Real" in labels("f(x::‸", ":")
    assert labels("for i in 1:‸", ":") == []


@pytest.mark.parametrize(("text", "first"), [("clip(‸", "L1"), ("clip!(‸", "L1"), ("norm_convert(‸", "L1")])
def test_norms_come_first_where_one_is_written(text: str, first: str) -> None:
    assert labels(f"function f(Large::Real)\n    {text}\nend")[0] == first


def test_types_come_first_where_one_is_written() -> None:
    assert proposals("b(x) :: BlackBox() = x\nf(x::Real) = unbox(b(x), ‸")[0].kind == "type"


def test_letters_in_order_and_the_most_likely_first() -> None:
    found = labels("f(x::Real) = gm‸")
    assert "gaussian_mechanism" in found and "laplacian_mechanism" not in found
    assert labels("f(x::Real) = la‸")[0] == "laplacian_mechanism"


def test_what_the_first_proposal_waits_for_is_loaded_before() -> None:
    """In a thread of its own: an error there is in the log of the server, and nowhere else."""
    load()


def test_after_two_colons_stands_first_what_fits() -> None:
    protecting = [f"Metric{kind}(Real, {how})" for kind in ("Vector", "Matrix") for how in ("ChangeOne", "Symmetric")]
    assert labels("f(ages::‸")[:5] == [*protecting, "Static()"]
    assert labels("f(ages::MetricVector(Real, ChangeOne), eps::‸")[:5] == ["Static()", *protecting]
    assert labels("f(bids::‸")[0] == labels("f(delays::‸")[0] == protecting[0]
    assert labels("f(x::Real)::‸")[:2] == ["Priv()", "BlackBox()"]
    (first, *_) = proposals("f(ages::MetricV‸")
    assert first.detail == "protects one record replaced" and first.snippet == "MetricVector(${1:Real}, ChangeOne)"


def test_what_was_typed_is_replaced() -> None:
    clean, offset = marked("f(ε₁::Real) = ε‸")
    found = completion(checked(clean), offset)
    assert clean[found.span.start : found.span.end] == "ε" and found.items[0].label == "ε₁"
    after = marked("f(x::Real) = clip!‸")
    assert completion(checked(after[0]), after[1]).span == (13, 18)


def test_half_typed_text_is_completed_from_the_last_check() -> None:
    document = checked("function f(height::Real)\n    wide = height\n    wide\nend\nsecond(x::Real) = x\n")
    edit(document, "    wide\n", '    y = g(wi + "a", \n    wide\n')
    offset = document.source.text.index("wi +") + 2
    found = {each.label: each for each in completion(document, offset).items}
    assert "wide" in found and found["wide"].detail == ""  # it may be another one now
    document = checked("f(x::Real) = x\n")
    edit(document, "= x", "= x\n\nfunction new(x::Real)\n    f")
    found = {each.label: each for each in completion(document, len(document.source.text) - 1).items}
    assert found["f"].detail == "checking"


def test_names_of_other_files() -> None:
    texts = {
        "a": 'include("b.jl")\ninclude("c.jl")\nf(x::Real) = x\n',
        "b": "far(x::Real) = x\nfit = 3\n",
        "c": "fog(x) = x\n",
    }
    _, documents = project(("c",), **texts)
    found = {each.label: each for each in completion(documents["a"], len(texts["a"]) - 2).items}
    assert found["far"].detail.startswith("proved") and found["fit"].kind == "variable"
    assert found["fog"].detail == "c.jl"


def test_there_is_an_end_to_them() -> None:
    text = "".join(f"f{i}(x::Real) = x\n" for i in range(MOST + 1))
    found = completion(checked(text + "f"), len(text) + 1)
    assert found.more and len(found.items) == MOST
    assert not completion(checked("f"), 1).more


def test_every_proposal_of_the_language_is_documented() -> None:
    found = [*proposals("‸"), *proposals("x::‸"), *proposals("f()::‸")]
    for each in found:
        if each.kind != "keyword":
            assert documentation(each.about, None), each
    assert documentation(("", "clip!"), None).startswith("`clip(N, v), clip(N, c, v)`\n\n`clip!` changes `v` in place.")


def test_documentation_of_a_function_is_its_verdict() -> None:
    document = checked("f(x::Real) = x + x\n")
    (found,) = [each for each in completion(document, 19).items if each.label == "f"]
    assert "| `x` | 2 |" in documentation(found.about, document)
    edit(document, "x + x", "x")
    assert "checking" in documentation(found.about, document)


def test_documentation_is_that_of_the_function_in_its_module() -> None:
    text = "near(x::Real) = 2 * x\n\nmodule Inner\nnear(x::Real) = 5 * x\n\nuses(x::Real) = near(x)\nend\n"
    document = checked(text)
    for place, factor in ((text.index("near(x)\nend"), 5), (len(text), 2)):
        word = text[place : place + 2]
        (found,) = [each for each in completion(document, place + len(word)).items if each.label == "near"]
        assert f"| `x` | {factor} |" in documentation(found.about, document)


def test_documentation_is_that_of_the_method_that_was_shown() -> None:
    document = checked("near(x::Real) = 2 * x\nnear(x::Real, y::Real) = 7 * y\n")
    shown = [f for f in document.functions if f.signature == "(Real, Real)"]
    assert "| `y` | 7 |" in documentation((document.uri, "near", shown[0].signature, ""), document)


def test_snippets_are_programs() -> None:
    for word, snippet in SNIPPETS.items():
        if "\n" in snippet and word not in ("elseif", "do", "module"):
            text = re.sub(r"\$\{\d:([^}]*)\}", r"\1", snippet).replace("$0", "x")
            parsed = parse(f"function outside(x)\n{text}\nend" if word != "function" else text)
            assert parsed.problems == () and not any(isinstance(node, Opaque) for node in parsed.nodes), word


# Signatures


def asked(text: str) -> Signatures | None:
    clean, offset = marked(text)
    return signatures(checked(clean), offset)


def active(text: str) -> tuple[str, str] | None:
    """The label that is shown, and the argument that is marked in it."""
    found = asked(text)
    if found is None:
        return None
    shown = found.all[found.active]
    return shown.label, "" if shown.active is None else shown.label[slice(*shown.arguments[shown.active].span)]


OWN = "own(x::Real, v::Vector{<:Real}; k = 1) = x\nf(x::Real) = "
OWN_LABEL = "own(x::Real, v::Vector{<:Real}; k = 1)"
GAUSSIAN = "gaussian_mechanism(r, eps, del, x)"

CALLS = {
    "f(x) = gaussian_mechanism(‸": (GAUSSIAN, "r"),
    "f(x) = gaussian_mechanism(1, ‸": (GAUSSIAN, "eps"),
    "f(x) = gaussian_mechanism(1, 0.5, 1e-5, [1, 2], ‸)": (GAUSSIAN, ""),
    "f(x) = gaussian_mechanism(1, g(2, 3), ‸": (GAUSSIAN, "del"),
    "f(x) = gaussian_mechanism(1, (2, 3)‸, x)": (GAUSSIAN, "eps"),
    "f(x) = gaussian_mechanism(1, abs(‸": ("abs(x)", "x"),
    "f(x) = gaussian_mechanism(1, [abs(1), 2, ‸": (GAUSSIAN, "eps"),
    "f(x) = gaussian_mechanism!(1, 1, 1, ‸": ("gaussian_mechanism!(r, eps, del, x)", "x"),
    "f(x) = gaussian_mechanism(1, 2)‸": None,
    "f(x) = unknown(‸": None,
    "function f(x)\n    y = abs(x\n    for i in 1:3\n        ‸": None,
    "f(x) = (‸": None,
    "function abs(‸": None,
    "f(x) = gaussian_mechanism(# ‸": None,
    'f(x) = gaussian_mechanism("‸': None,
    "f(m) = sum(m; dims = ‸": ("sum(v; dims = …)", "dims = …"),
    "f(v) = sum(x -> x, ‸": ("sum(f, v)", "v"),
    OWN + "own(‸": (OWN_LABEL, "x::Real"),
    OWN + "own(1, ‸": (OWN_LABEL, "v::Vector{<:Real}"),
    OWN + "own(1, [2]; k = ‸": (OWN_LABEL, "k = 1"),
}


@pytest.mark.parametrize("text", CALLS)
def test_the_active_argument(text: str) -> None:
    assert active(text) == CALLS[text]


def test_what_replaces_a_function_is_read_from_its_beginning() -> None:
    text = f's = """\n{"a" * 20}\n"""\n'
    document = checked(f"{text}g(x::Real) = x\nf(x::Real) = x\n")
    edit(document, "g(x::Real) = x\nf(x::Real) = x\n", "abs(")
    found = signatures(document, len(document.source.text))
    assert found and found.all[0].label == "abs(x)"


def test_arguments_of_builtins_say_what_they_are() -> None:
    found = asked("f(x) = laplacian_mechanism(‸")
    assert found and len(found.all) == 1
    said = {each.name: each.documentation for each in found.all[0].arguments}
    assert said["r"].startswith("a public number") and said["r"].endswith(
        "the sensitivity of `x` that the noise is for"
    )
    assert said["x"].endswith("what the noise hides, measured in L1")
    assert "Laplace noise" in found.all[0].documentation
    found = asked("f(x) = abs(‸")
    assert found and found.all[0].arguments[0].documentation.endswith("the result has sensitivity 1 in it")


REPORTED = """\
twice(x::Real, n::Static()) = x + x
function ask(x::Real, eps::Static()) :: Priv()
    laplacian_mechanism(1, eps, x)
end
broken(x::Real) = undefined(x)
g(x::Real) = """


def test_arguments_of_functions_say_what_is_proved() -> None:
    def said(call: str, old: str = "", new: str = "") -> tuple[str, list[str]]:
        document = checked(f"{REPORTED}{call}(1)\n")
        if old:
            edit(document, old, new)
        found = signatures(document, document.source.text.index(f"= {call}(") + len(call) + 3)
        assert found
        return found.all[0].documentation, [each.documentation for each in found.all[0].arguments]

    assert said("twice")[0] == "sensitivity · proved"
    assert said("twice")[1] == ["sensitivity **2**", "public"]
    documentation, arguments = said("ask")
    assert documentation.splitlines()[::2] == [
        "private · proved, under 1 condition",
        "hides, in `x`: a change by at most 1",
        "public: `eps`",
    ]
    assert arguments == ["ε eps δ 0", "public"]
    documentation, arguments = said("broken")
    assert "proved" not in documentation and "undefined" in documentation and arguments == [""]
    documentation, arguments = said("twice", "x + x", "x + x + x")
    assert documentation == "sensitivity · checking" and arguments == ["", ""]


# Robustness


def everything(document: Document, offset: int) -> None:
    found = completion(document, offset)
    assert found.span.start <= found.span.end == offset
    for each in found.items[:3]:
        documentation(each.about, None)
    called = signatures(document, offset)
    assert called is None or called.all[called.active].label


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
    edit(document, text[len(text) // 3 : len(text) // 2], "g(x, [")
    for offset in list(offsets(document.source.text, seen[1]))[::3]:
        everything(document, offset)


@pytest.mark.parametrize(
    "text", ["", "\n", "function f(", '"', "#=", ")", "f(((", "x = '", "$(", '"$(', "`", "λ(𝛼::", "1."]
)
def test_scraps(text: str) -> None:
    unchecked = Workspace().open("untitled:x", "julia", 1, text)
    assert unchecked
    for document in (checked(text), unchecked):
        for offset in range(len(text) + 2):
            everything(document, offset)


def test_long_functions_are_read_from_their_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "".join(f"    y{i} = abs(x)\n" for i in range(50))
    text = f"function f(x::Real)\n{lines}    sum(y1, \nend\n"
    document, offset = checked(text), text.index("sum(") + 8
    expected = cursors.cursor(document, offset)
    monkeypatch.setattr(cursors, "_FARTHEST", 40)
    assert cursors.cursor(document, offset) == expected and expected.brackets[-1].callee == "sum"


# Through the protocol

URI = "file:///tmp/a.jl"
SOURCE = "grow(𝛼::Real, n::Static()) = 𝛼 + 𝛼\ng(x::Real) = grow(x, 1)\n"


def at(line: int, character: int, uri: str = URI, **more: Any) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


MODERN = {
    "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]}},
    "signatureHelp": {
        "signatureInformation": {
            "documentationFormat": ["markdown"],
            "parameterInformation": {"labelOffsetSupport": True},
        }
    },
}


@pytest.fixture(scope="module", params=[{}, MODERN], ids=["announces nothing", "modern"])
def driver(request: pytest.FixtureRequest) -> Iterator[tuple[Driver, bool]]:
    with Driver() as driver:
        answer = driver.start(textDocument=request.param)
        capabilities = answer["result"]["capabilities"]
        assert capabilities["completionProvider"] == {"triggerCharacters": [":"], "resolveProvider": True}
        assert capabilities["signatureHelpProvider"]["triggerCharacters"] == ["(", ","]
        driver.open(SOURCE)
        driver.checked(1)
        yield driver, bool(request.param)


def test_protocol_completion(driver: tuple[Driver, bool]) -> None:
    server, modern = driver
    found = server.ask("textDocument/completion", at(1, 15))["result"]
    first = found["items"][0]
    assert first["label"] == "grow" and first["textEdit"]["newText"] == "grow"
    assert first["textEdit"]["range"]["start"] == {"line": 1, "character": 13}
    said = server.ask("completionItem/resolve", first)["result"]["documentation"]
    assert said["kind"] == "markdown" if modern else isinstance(said, str)
    assert "proved" in str(said) and ("**" in str(said)) == modern
    server.change(2, {"text": "func"})
    (item,) = (
        each
        for each in server.ask("textDocument/completion", at(0, 4))["result"]["items"]
        if each["label"] == "function"
    )
    assert item["textEdit"]["newText"].startswith("function ${1:name}" if modern else "function")
    assert item.get("insertTextFormat") == (2 if modern else None)
    server.change(3, {"text": SOURCE})
    server.checked(3)


def test_protocol_signature_help(driver: tuple[Driver, bool]) -> None:
    server, modern = driver
    found = server.ask("textDocument/signatureHelp", at(1, 21))["result"]
    (signature,) = found["signatures"]
    assert signature["label"] == "grow(𝛼::Real, n::Static())" and found["activeParameter"] == 1
    assert "activeParameter" not in signature, "as null it would be read as none"
    labels = [each["label"] for each in signature["parameters"]]
    assert labels == ([[5, 13], [15, 26]] if modern else ["𝛼::Real", "n::Static()"])
    assert server.ask("textDocument/signatureHelp", at(0, 0))["result"] is None


@pytest.mark.parametrize("uri", [URI, "untitled:new", "file:///nowhere.jl"])
def test_protocol_answers_everywhere(driver: tuple[Driver, bool], uri: str) -> None:
    for method in ("completion", "signatureHelp"):
        assert "error" not in driver[0].ask(f"textDocument/{method}", at(90, 5, uri))
    assert "error" not in driver[0].ask("completionItem/resolve", {"label": "x", "data": {"odd": 1}})
