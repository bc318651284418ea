"""Quick fixes in an editor: what is offered where, when, and in which form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stdio_driver import Driver, Message
from walking import applied

URI = "file:///tmp/a.jl"
COUNTEREXAMPLE = "Show a counterexample"
BROKEN = """\
f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x + x)

# 😀 = ä
g(eps::Real, x::Real) :: Priv() = laplacian_mechanism(1, eps, x)

h(x::Real) = 2 * x
"""
LITERALS = {"codeActionKind": {"valueSet": ["quickfix"]}}
CAPABLE = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": LITERALS, "isPreferredSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}


def session() -> Iterator[Driver]:
    with Driver() as driver:
        driver.start(**CAPABLE)
        driver.open(BROKEN)
        driver.checked(1)
        yield driver


editor = pytest.fixture(session, name="editor")
reader = pytest.fixture(session, name="reader", scope="module")
"""For all that only asks."""


def actions(
    driver: Driver, line: int, diagnostics: list[Message] | None = None, ignoring: bool = False, **context: Any
) -> list[Message]:
    place = {"line": line, "character": 0}
    end = {"line": line, "character": 200}
    context |= {"diagnostics": diagnostics or []}
    params = {"textDocument": {"uri": URI}, "range": {"start": place, "end": end}, "context": context}
    found = driver.ask("textDocument/codeAction", params)["result"]
    assert isinstance(found, list)
    fixes = [action for action in found if not action["title"].startswith("Ignore")]
    assert found[: len(fixes)] == fixes, "to ignore a problem is offered last"
    return [action for action in (found if ignoring else fixes) if action["title"] != COUNTEREXAMPLE]


def titles(found: list[Message]) -> list[str]:
    return [action["title"] for action in found]


def test_a_fix_is_offered_at_its_problem_and_mends_it(editor: Driver) -> None:
    assert actions(editor, 5) == [] and actions(editor, 2) == []
    (raise_,) = actions(editor, 0)
    assert raise_["title"] == "Replace 1 by 2" and raise_["kind"] == "quickfix" and raise_["isPreferred"] is True
    (published,) = editor.published()
    assert raise_["diagnostics"] == [d for d in published["diagnostics"] if d["code"] == "DP301"]
    (change,) = raise_["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": URI, "version": 1}
    editor.change(2, *({"range": edit["range"], "text": edit["newText"]} for edit in change["edits"]))
    assert editor.checked(2)["functions"][0]["status"] == "proved"
    assert actions(editor, 0) == []


def test_what_changes_the_meaning_is_not_preferred(reader: Driver) -> None:
    (static,) = actions(reader, 3)
    assert static["title"] == "Declare it public: `eps::Static(Real)`" and "isPreferred" not in static


def test_to_ignore_a_problem_asks_for_a_reason(editor: Driver) -> None:
    (_, ignore) = actions(editor, 0, ignoring=True)
    assert ignore["title"] == "Ignore DP301 here, with a reason" and "isPreferred" not in ignore
    (change,) = ignore["edit"]["documentChanges"]
    (edit,) = change["edits"]
    assert edit["newText"] == "  # dp: ignore[DP301] <reason>"
    editor.change(2, {"range": edit["range"], "text": edit["newText"]})
    editor.checked(2)
    assert {"DP301", "DP801"} <= {d["code"] for d in editor.published()[-1]["diagnostics"]}
    rest = {"start": edit["range"]["start"], "end": {"line": 0, "character": 200}}
    editor.change(3, {"range": rest, "text": edit["newText"].replace("<reason>", "it was measured")})
    status = editor.checked(3)
    assert status["functions"][0]["status"] == "unknown"
    assert not {"DP301", "DP801", "DP803"} & {d["code"] for d in editor.published()[-1]["diagnostics"]}


def test_the_diagnostics_asked_about_count_more_than_the_place(reader: Driver) -> None:
    actions(reader, 0)
    (published,) = reader.published()
    elsewhere = [d for d in published["diagnostics"] if d["code"] == "DP207"]
    assert titles(actions(reader, 0, elsewhere)) == titles(actions(reader, 3))
    foreign = [{**d, "source": "other"} for d in elsewhere]
    assert titles(actions(reader, 0, foreign)) == titles(actions(reader, 0))


@pytest.mark.parametrize(
    ("only", "wanted"),
    [(["quickfix"], True), ([""], True), (["refactor"], False), (["quickfix.dp"], False), ([], True)],
)
def test_only_the_kinds_asked_for(reader: Driver, only: list[str], wanted: bool) -> None:
    assert bool(actions(reader, 0, only=only)) is wanted


def test_nothing_is_offered_for_a_text_that_is_not_checked_yet(editor: Driver) -> None:
    assert actions(editor, 0)
    start = {"line": 0, "character": 0}
    above = [f"before{number}(x::Real) = {number} * x\n" for number in range(500)]  # so that the check takes a while
    editor.change(2, {"range": {"start": start, "end": start}, "text": "".join(above)})
    assert actions(editor, len(above)) == []
    editor.checked(2)
    (found,) = actions(editor, len(above))
    (change,) = found["edit"]["documentChanges"]
    assert change["textDocument"]["version"] == 2 and change["edits"][0]["range"]["start"]["line"] == len(above)


def test_clients_that_can_do_less() -> None:
    with Driver() as driver:
        driver.start()
        driver.open(BROKEN)
        driver.checked(1)
        assert actions(driver, 0) == []
    with Driver() as driver:
        driver.start(textDocument={"codeAction": {"codeActionLiteralSupport": LITERALS}})
        driver.open(BROKEN)
        driver.checked(1)
        (found,) = actions(driver, 0)
        assert "isPreferred" not in found and list(found["edit"]["changes"]) == [URI]


def test_documents_that_are_not_open(reader: Driver) -> None:
    params = {"textDocument": {"uri": "file:///tmp/none.jl"}, "range": RANGE, "context": {"diagnostics": []}}
    assert reader.ask("textDocument/codeAction", params)["result"] == []


RANGE = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}


def test_a_counterexample_is_shown_where_a_number_is_too_small(editor: Driver) -> None:
    def offered(line: int) -> list[Message]:
        place = {"line": line, "character": 0}
        range_ = {"start": place, "end": {"line": line, "character": 200}}
        params = {"textDocument": {"uri": URI}, "range": range_, "context": {"diagnostics": []}}
        found = editor.ask("textDocument/codeAction", params)["result"]
        return [action for action in found if action["title"] == COUNTEREXAMPLE]

    assert offered(3) == offered(5) == []
    (action,) = offered(0)
    assert "edit" not in action
    answer = editor.ask("workspace/executeCommand", action["command"])["result"]
    assert answer == "Counterexample: x = 0 and x′ = 1, 1 apart, give 0 and 2, 2 apart; you declared 1"
    shown = [message["params"] for message in editor.seen if message.get("method") == "window/showMessage"]
    assert [each["message"] for each in shown] == [answer]
    editor.change(2, {"text": "# dp: sensitivity <= 1\nf(x::Real, y::Real) = 2 * x + 3 * y\n"})
    editor.checked(2)
    (action,) = offered(1)
    said = editor.ask("workspace/executeCommand", action["command"])["result"].splitlines()
    assert [each.rpartition(", ")[2] for each in said] == [f"{n} apart; its comment says at most 1" for n in (2, 3)]
    elsewhere = {"command": action["command"]["command"], "arguments": [URI, {"line": 5, "character": 0}]}
    assert editor.ask("workspace/executeCommand", elsewhere)["error"]["message"].startswith("no problem stands there")


def test_a_client_that_shows_counterexamples_gets_no_message() -> None:
    with Driver() as own:
        own.start(experimental={"dpCounterexamples": True})
        own.open(BROKEN)
        own.checked(1)
        start = {"line": 0, "character": 56}
        command = {"command": "dp-lsp.showCounterexample", "arguments": [URI, start]}
        assert own.ask("workspace/executeCommand", command)["result"].startswith("Counterexample: x = 0")
        assert not [each for each in own.seen if each.get("method") == "window/showMessage"]


# All that is sure, in one edit

SEVERAL = """\
f(x::Real) :: Priv() = gaussian_mechanism(1, 0.5, 1e-5, x + x)
g(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, 3 * x)
h(x::Real) = laplacian_mechanism(1, 0.5, x)
k(eps::Real, x::Real) :: Priv() = laplacian_mechanism(1, eps, x)
"""
ALL = "source.fixAll.dp-lsp"


def mended(text: str, found: list[Message]) -> str:
    """An ASCII text after the edits of the only action."""
    (action,) = found
    assert action["kind"] == ALL
    (change,) = action["edit"]["documentChanges"]
    lines = text.splitlines(keepends=True)
    for edit in sorted(change["edits"], key=lambda each: str(each["range"]["start"]), reverse=True):
        start, end = edit["range"]["start"], edit["range"]["end"]
        line = lines[start["line"]]
        lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
    return "".join(lines)


@pytest.mark.parametrize("only", ["source.fixAll", "source.fixAll.dp-lsp", "source"])
def test_all_that_is_sure_is_mended_in_one_edit(editor: Driver, only: str) -> None:
    editor.change(2, {"text": SEVERAL})  # who saves at once waits for the check
    found = actions(editor, 0, only=[only])
    assert titles(found) == ["Fix 3 problems of which the fix is sure"]
    assert sorted(each["code"] for each in found[0]["diagnostics"]) == ["DP301", "DP301", "DP402"]
    editor.change(3, {"text": mended(SEVERAL, found)})
    status = {each["name"]: each["status"] for each in editor.checked(3)["functions"]}
    assert status == {"f": "proved", "g": "proved", "h": "proved", "k": "unknown"}, "what may be wanted otherwise stays"
    assert actions(editor, 0, only=[only]) == []


@pytest.mark.parametrize("only", [None, ["quickfix"], ["source.organizeImports"], ["source.fixAll.other"]])
def test_all_is_mended_only_where_that_is_asked_for(reader: Driver, only: list[str] | None) -> None:
    found = actions(reader, 0, **({} if only is None else {"only": only}))
    assert all(action["kind"] == "quickfix" for action in found)


def test_the_report_of_a_document_offers_what_was_tried(reader: Driver) -> None:
    (file,) = reader.ask("dp/report", {"uri": URI})["result"]["files"]
    fixes = {each["code"]: [fix["title"] for fix in each["fixes"]] for each in file["diagnostics"]}
    assert fixes == {"DP301": ["replace 1 by 2"], "DP207": ["declare it public: `eps::Static(Real)`"]}


# What only the author of a program can choose

UNBOUNDED = """\
# 😀
f(pay::MetricVector(Real, Symmetric), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, sum(pay))
"""


@pytest.mark.parametrize("asks", [True, False])
def test_bounds_are_asked_for_where_the_client_can(asks: bool) -> None:
    workspace = {"workspaceEdit": {"documentChanges": True, "snippetEditSupport": asks}}
    with Driver() as driver:
        driver.start(**{**CAPABLE, "workspace": workspace})
        driver.open(UNBOUNDED)
        driver.checked(1)
        (change,) = actions(driver, 1)[0]["edit"]["documentChanges"]
        written = [each["snippet"]["value"] if "snippet" in each else each["newText"] for each in change["edits"]]
        if asks:
            assert written == ["${1:100}", "clamp(", ", ${2:0}, ${1:100})"]
        else:
            assert written == ["100", "clamp(", ", 0, 100)"]
        driver.change(2, {"text": applied(UNBOUNDED, change["edits"])})
        assert driver.checked(2)["functions"][0]["status"] == "proved"
