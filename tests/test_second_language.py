"""The seam of a source language: a second one, which is a file of the tests, is checked from end to end."""

from __future__ import annotations

import ast
import json
import shutil
from pathlib import Path

import pytest

from dp_lsp import frontends
from dp_lsp.analysis.records import Options, State
from dp_lsp.analysis.workspace import Document, Workspace
from dp_lsp.builtins import TABLE
from dp_lsp.cli.explain import page
from dp_lsp.engine.check import Engine
from dp_lsp.features.completion import completion, documentation, signatures
from dp_lsp.features.hover import hover
from dp_lsp.features.navigation import RenameRefused, rename
from dp_lsp.language import Spelling
from dp_lsp.problem import Edit
from dp_lsp.text import Source, Span
from source_tree import ROOT, modules, python
from stdio_driver import Driver
from toy_language import TOY

REGISTER = "from dp_lsp import frontends\nfrom toy_language import TOY\nfrontends.LANGUAGES[TOY.id] = TOY\n"

PROGRAM = """\
; what stands here is no code
(defn scale ((x :real) (k (:public :integer)))
  (* k x))

(defn noisy ((x :real) (eps :public)) :private
  (let y (scale x 2))
  (laplace 2 eps y))
"""


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(frontends.LANGUAGES, TOY.id, TOY)


def checked(text: str) -> Document:
    document = Workspace().open("untitled:one", "toy", 1, text)
    assert document
    document.settle(0, Engine().check(text, Options(), document="a.toy"))
    return document


def states(text: str) -> dict[str, State]:
    return {function.name: function.state for function in checked(text).functions}


def found(text: str) -> list[tuple[str, str]]:
    """The codes of the problems, each with what stands at its place."""
    return [(each.code, text[slice(*each.span)]) for each in checked(text).problems]


def edited(text: str, edits: tuple[Edit, ...]) -> str:
    for span, new, *_ in sorted(edits, reverse=True):
        text = text[: span.start] + new + text[span.end :]
    return text


def bounds(text: str) -> dict[str, str]:
    """What is said of each parameter of the last function."""
    return {each.name: each.shown for each in checked(text).functions[-1].parameters}


# What is checked


def test_sensitivities_and_costs() -> None:
    scale, noisy = checked(PROGRAM).functions
    assert (scale.state, noisy.state) == (State.PROVED, State.PROVED)
    assert {each.name: each.shown for each in scale.parameters} == {"x": "|k|", "k": "public"}
    assert noisy.parameters[0].shown.split() == ["ε", "eps", "δ", "0"]


def test_a_problem_stands_at_its_place() -> None:
    text = "(defn leaky ((x :real) (eps :public)) :private\n  (laplace 1 eps (* 3 x)))\n"
    assert found(text) == [("DP301", "(* 3 x)")]


def test_annotations_have_words_of_their_own() -> None:
    assert bounds("(defn f ((v (:vector :real L2))) (* 3 v))") == {"v": "3"}
    julia = "(defn f ((x Real)) x)"
    (problem,) = checked(julia).problems
    assert (problem.code, julia[slice(*problem.span)]) == ("DP201", "Real")
    assert "`:real`" in problem.message
    assert found("(defn f ((v (:vector :real L3))) v)") == [("DP201", "(:vector :real L3)")]


def test_builtins_have_names_of_their_own() -> None:
    """What another language calls a builtin is a name like any other here, and free."""
    assert bounds("(defn clamp ((x :real)) (* 2 x))\n(defn f ((x :real)) (clamp x))") == {"x": "2"}
    assert found("(defn f ((x :real)) (clip x))") == [("DP101", "clip")]
    assert bounds("(defn f ((x :real)) (squeeze (* 2 x) 0 1))") == {"x": "2"}
    text = "(defn limit ((x :real)) x)\n"
    assert found(text) == [("DP103", "limit")] and states(text) == {"limit": State.UNKNOWN}


def test_messages_call_builtins_by_these_names() -> None:
    text = "(defn f ((x :real)) (limit x))\n(defn g ((x :real)) laplace)"
    messages = [each.message for each in checked(text).problems]
    assert "`(limit x low high)`" in messages[0] and "`laplace`" in messages[1]
    assert not any("clamp" in message for message in messages)


SPELLED = [spelling for spelling in map(TOY.builtins.spelling, TABLE) if spelling.examples]


@pytest.mark.parametrize("spelling", SPELLED, ids=lambda each: each.name)
def test_programs_of_a_builtin(spelling: Spelling) -> None:
    for example in spelling.examples:
        assert set(states(example).values()) == {State.PROVED}, example
    for program, code in spelling.refused:
        assert code in [each.code for each in checked(program).problems], program
    page_ = page(spelling.name)
    assert page_ and all(example in page_ for example in spelling.examples)
    assert f"```toy\n{spelling.signature}\n```" in page_


def test_a_repair_is_written_in_the_language() -> None:
    text = "(defn f ((v (:vector :real L2)) (eps :public)) :private (laplace 9 eps v))\n"
    problem = next(each for each in checked(text).problems if each.code == "DP204")
    (fix,) = problem.fixes
    assert edited(text, fix.edits) == text.replace("eps v)", "eps (measured L1 v))")


def test_positions_count_from_0_and_a_range_has_no_end() -> None:
    vector = "(defn f ((v (:vector :real L1)) (n (:public :integer)))"
    assert [each.text for each in checked(f"{vector} (at v 0))").functions[0].conditions] != []
    assert bounds(f"{vector} (let s 0) (for i 3 (let s (+ s (at v i)))) s)")["v"] == "1"
    assert found(f"{vector} (at v -1))") != []


def test_the_last_definition_replaces_the_others() -> None:
    text = "(defn f ((x :integer)) x)\n(defn f ((x :real)) (* 2 x))\n(defn g ((x :integer)) (f x))\n"
    assert set(states(text).values()) == {State.UNKNOWN}
    julia = "f(x::Integer) = x\nf(x::Real) = 2 * x\ng(x::Integer) = f(x)\n"
    analysis = Engine().check(julia, document="a.jl")
    assert {each.state for each in analysis.functions} == {State.PROVED}


def julia(text: str) -> dict[str, State]:
    return {function.name: function.state for function in Engine().check(text, document="a.jl").functions}


def test_names_are_one_however_they_are_spelled() -> None:
    text = "(defn f ((x :real)) (let Twice (* 2 x)) TWICE)"
    assert bounds(text) == {"x": "2"}
    (renaming,) = rename(checked(text), text.index("TWICE"), "Y")
    assert edited(text, renaming.edits) == "(defn f ((x :real)) (let Y (* 2 x)) Y)"
    assert found("(defn LIMIT ((x :real)) x)") == [("DP103", "LIMIT")]


def test_a_familiar_name_without_a_rule() -> None:
    assert found("(defn f ((x :real)) (say x))") == [("DP434", "(say x)")]
    assert found("(defn f ((x :real)) (println x))") == [("DP101", "println")]


def test_a_loop_leaves_its_index_as_a_variable() -> None:
    """After the loop the name does not mean what it meant before, as it does in Julia, also where branches join."""
    loop = "(for i n (let y i))"
    before = "(defn f ((x :real) (n (:public :integer))) (let i x)"
    assert found(f"{before} {loop} i)") == [("DP102", "i")]
    assert found(f"{before} (for j n {loop}) i)") == [("DP102", "i")]
    assert found(f"{before} (for j n (let x i) {loop}) x)") == [("DP102", "i")]
    assert found(f"{before} (if (< n 3) {loop} (let z 1)) i)") == [("DP102", "i")]
    assert found(f"{before} {loop} (let i 3) i)") == []
    assert julia("function f(x::Real, n::Static(Integer))\ni = x\nfor i in 1:n\ny = i\nend\ni\nend\n") == {
        "f": State.PROVED
    }


def test_a_function_inside_another_assigns_a_variable_of_its_own() -> None:
    inner = "(let y x) (let g (fn (z) (let y (* 2 z)) y)) (+ (g x) y)"
    text = f"(defn f ((x :real)) {inner})"
    assert bounds(text) == {"x": "3"}
    document = checked(text)
    (renaming,) = rename(document, text.index("y (* 2"), "w")
    assert len(renaming.edits) == 2
    assert julia("function f(x::Real)\ny = x\ng = z -> begin\ny = 2 * z\ny\nend\ng(x) + y\nend\n") == {
        "f": State.UNKNOWN
    }


def test_an_update_may_change_what_a_name_stands_for() -> None:
    """What is not known to be a number, or what others may see, is not updated."""
    header = "(defn f ((v (:vector :real L1)) (w (:vector :real L1)))"
    assert found(f"{header} (add v w) v)") == [("DP105", "v")]
    assert found(f"{header} (let u (measured L2 v)) (add u w) u)") == [("DP126", "u")]
    assert found(f"{header} (let u (+ v v)) (let t u) (add t w) u)") == [("DP105", "t")]
    assert bounds(f"{header} (let u (+ v v)) (add u w) u)") == {"v": "2", "w": "1"}
    assert bounds("(defn f ((x :real)) (let s 0) (for i 3 (add s x)) s)") == {"x": "3"}
    assert bounds("(defn f ((x :real)) (add x x) x)") == {"x": "2"}
    assert julia("function f(v::MetricVector(Real, L1), w::MetricVector(Real, L1))\nv += w\nv\nend\n") == {
        "f": State.PROVED
    }


def test_what_is_not_said_of_numbers_may_be_anything() -> None:
    """A position is a whole number: of sums the language says so, and of no other operation."""
    header = "(defn f ((v (:vector :real L1)) (x :integer))"
    assert found(f"{header} (at v (+ x x)))") == [("DP303", "(at v (+ x x))")]
    assert found(f"{header} (at v (* 2 x)))") == [("DP217", "(* 2 x)")]
    assert julia("f(v::MetricVector(Real, L1), x::Integer) = v[2 * x + 1]\n") == {"f": State.PROVED}


def test_a_division_by_0_is_a_failure() -> None:
    text = "(defn f ((x :real) (eps :public)) :private (laplace 1 eps (limit (/ 1 x) 0 1)))"
    assert [code for code, _ in found(text)] == ["DP302", "DP404"]
    assert bounds("(defn f ((x :real) (k :public)) (/ x k))") == {"x": "1/|k|", "k": "public"}
    julia = "f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, clamp(1 / x, 0, 1))\n"
    assert [each.code for each in Engine().check(julia, document="a.jl").problems] == ["DP302"]


def test_what_is_half_typed_spoils_only_itself() -> None:
    text = "(defn f ((x :real)) (* 2 x)\n\n(defn g ((x :real)) x)\n"
    (codes,) = found(text)
    assert codes == ("DP001", "(")
    assert checked(text).analysis.chunks[1].record.verdict.defines == ("g",)


def test_text_without_a_meaning_may_give_names_another_one() -> None:
    assert states("(defn f ((x :real)) x)\n(defmacro! f)\n") == {"f": State.UNKNOWN}


def test_comments_speak_to_the_checker() -> None:
    text = "(defn leaky ((x :real) (eps :public)) :private\n  ; dp: ignore[DP301] known\n  (laplace 1 eps (* 3 x)))\n"
    assert found(text) == []
    assert states(text) == {"leaky": State.UNKNOWN}
    assert found("; dp: nonsense\n(defn f ((x :real)) x)\n") == [("DP804", "; dp: nonsense")]


def test_a_budget_in_a_comment() -> None:
    function = "(defn f ((x :real) (eps :public)) :private (laplace 1 eps x))\n"
    assert found(f"; dp: budget ε <= eps\n{function}") == []
    assert [code for code, _ in found(f"; dp: budget ε <= eps/2\n{function}")] != []


# What is shown


def test_hover() -> None:
    document = checked(PROGRAM)
    assert document.analysis
    of_function = hover(document.analysis, PROGRAM.index("noisy"))
    assert of_function and "ε" in of_function.markdown
    of_name = hover(document.analysis, PROGRAM.index("y (scale"))
    assert of_name and "2" in of_name.markdown
    of_builtin = hover(document.analysis, PROGRAM.index("laplace"))
    assert of_builtin and "```toy\n(laplace r eps x)\n```" in of_builtin.markdown


def proposed(text: str) -> dict[str, str]:
    """What may be typed at the end of a text, each with its documentation."""
    document = checked(text)
    return {each.label: documentation(each.about, None) for each in completion(document, len(text)).items}


def test_completion_knows_the_words_of_the_language() -> None:
    assert "public" in proposed("(defn f ((x :")[":public"]
    assert {"defn", "let", "L2", "limit", "squeeze"} <= proposed("(").keys()
    assert not {"function", "end", "Vector{<:Real}", "clamp", "clip", "clip!"} & proposed("(").keys()
    assert proposed("; de") == {}


def test_signatures_are_shown_in_the_language() -> None:
    text = f"{PROGRAM}(scale 1 "
    helped = signatures(checked(text), len(text))
    assert helped and helped.all[helped.active].label == "(scale x k)"
    assert helped.all[0].active == 1
    helped = signatures(checked(text := "(limit 1 "), len(text))
    assert helped and helped.all[0].label.startswith("(limit ")
    assert helped.all[0].active == 1


def test_renaming() -> None:
    document = checked(PROGRAM)
    (renaming,) = rename(document, PROGRAM.index("scale"), "grow")
    assert [PROGRAM[slice(*edit.span)] for edit in renaming.edits] == ["scale", "scale"]
    with pytest.raises(RenameRefused, match="keyword of Toy"):
        rename(document, PROGRAM.index("scale"), "let")


def test_an_edit_makes_all_stale_that_is_not_known_to_be_local() -> None:
    document = checked(PROGRAM)
    at = PROGRAM.index("* k")
    document.edit(2, Source(f"{PROGRAM[:at]}+{PROGRAM[at + 1 :]}"), [Edit(Span(at, at + 1), "+")])
    assert {function.state for function in document.functions} == {State.STALE}


# Processes


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, in which each new interpreter knows the language."""
    (tmp_path / "sitecustomize.py").write_text(REGISTER, "utf-8")
    (tmp_path / "a.toy").write_text(PROGRAM, "utf-8")
    paths = (tmp_path, ROOT, ROOT / "tests")
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, paths)))
    monkeypatch.setenv("DP_LSP_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def test_the_command_line(registered: Path) -> None:
    (registered / "b.jl").write_text("twice(x::Real) = 2 * x\n", "utf-8")
    (registered / "c.toy").write_text('(load "a.toy")\n(defn more ((x :real)) (scale x 5))\n', "utf-8")
    result = python("-m", "dp_lsp", "check", "--output-format", "json", ".", cwd=registered)
    assert result.returncode == 0, result.stdout + result.stderr
    report = json.loads(result.stdout)
    names = {each["name"]: each["status"] for file in report["files"] for each in file["functions"]}
    assert names == dict.fromkeys(("scale", "noisy", "twice", "more"), "proved")


def test_the_server(registered: Path) -> None:
    uri = (registered / "a.toy").as_uri()
    with Driver(cwd=registered) as driver:
        driver.start(registered)
        driver.open(PROGRAM, uri, "toy")
        status = driver.checked(1, uri)
        assert [each["status"] for each in status["functions"]] == ["proved", "proved"]
        line = PROGRAM[: PROGRAM.index("noisy")].count("\n")
        place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 7}}
        assert "ε" in str(driver.ask("textDocument/hover", place)["result"])


def test_a_language_is_a_folder_and_an_entry(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "dp_lsp", tmp_path / "dp_lsp", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "dp_lsp" / "frontends" / "toy"
    folder.mkdir()
    shutil.copy(ROOT / "tests" / "toy_language.py", folder / "__init__.py")
    entries = tmp_path / "dp_lsp" / "frontends" / "__init__.py"
    text = entries.read_text("utf-8")
    assert text.count("PYTHON.id: PYTHON}") == text.count("import JULIA\n") == 1
    text = text.replace("PYTHON.id: PYTHON}", "PYTHON.id: PYTHON, TOY.id: TOY}")
    entries.write_text(text.replace("import JULIA\n", "import JULIA\nfrom dp_lsp.frontends.toy import TOY\n"), "utf-8")
    (tmp_path / "a.toy").write_text(PROGRAM, "utf-8")
    result = python("-m", "dp_lsp", "check", "--no-cache", "a.toy", cwd=tmp_path, path=tmp_path)
    assert result.returncode == 0 and "noisy" in result.stdout, result.stdout + result.stderr


# What only a front end knows


def test_nobody_imports_a_language() -> None:
    wrong = [
        f"{module.at(node)}: {node.module}"
        for module in modules()
        if not module.name.startswith("dp_lsp.frontends")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom)
        if str(node.module).startswith("dp_lsp.frontends.") and node.module != "dp_lsp.frontends.problems"
    ]
    assert wrong == []
