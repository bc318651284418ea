"""The settings of a client and the configuration of its folders, through the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.lsp.client import Preferences, Settings, initial, section, understood
from source_tree import python
from stdio_driver import Driver, Message

SECRET = "secret_name(x::Real) = 2 * x\n"


def test_what_a_client_sends() -> None:
    sent = {"inlayHints": {"sensitivity": False}, "codeLens": False, "logLevel": "debug", "trace": "verbose"}
    sent["checkWorkspace"] = False
    found = understood(sent, Settings())
    assert found == (Settings(False, True, False, False, "debug", "verbose"), ())


@pytest.mark.parametrize("sent", [None, {}, {"python": {"path": "x"}}, {"trace": {"server": "verbose"}}])
def test_what_is_not_ours_changes_nothing(sent: object) -> None:
    assert understood(sent, Settings(code_lens=False)) == (Settings(code_lens=False), ())


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ({"codeLens": "yes"}, "dpLsp.codeLens` must be true or false"),
        ({"inlayHints": {"privacy": 1}}, "dpLsp.inlayHints.privacy` must be true or false"),
        ({"inlayHints": True}, "dpLsp.inlayHints` must be an object"),
        ({"logLevel": "loud"}, "dpLsp.logLevel` must be one of debug, info, warning, error"),
        ({"pythonInclude": "a/**"}, "dpLsp.pythonInclude` must be a list of patterns for files"),
        ({"pythonInclude": ["../a"]}, "dpLsp.pythonInclude` must be a list of patterns for files"),
        ({"trace": ["off"]}, "dpLsp.trace` must be one of off, messages, verbose"),
        ([], "`dpLsp` are not an object"),
    ],
)
def test_a_mistake_is_told_and_left_out(sent: object, name: str) -> None:
    found = understood(sent, Settings())
    assert found.settings == Settings()
    assert len(found.complaints) == 1 and name in found.complaints[0]


def test_where_the_section_stands() -> None:
    assert section({"dpLsp": {"codeLens": False}, "julia": {}}) == {"codeLens": False}
    assert section(None) is None
    assert initial({"dpLsp": {"codeLens": False}}) == initial({"codeLens": False}) == {"codeLens": False}


def test_settings_of_folders() -> None:
    preferences = Preferences()
    preferences.begin({"codeLens": False, "trace": 3})
    preferences.change({"trace": 3}, {"/a": {"codeLens": True}, "/a/b": {"inlayHints": {"privacy": False}}})
    assert [preferences.of(file).code_lens for file in ("/a/x.jl", "/a/b/x.jl", "/ab/x.jl")] == [True, False, False]
    assert [preferences.of(file).privacy_hints for file in ("/a/x.jl", "/a/b/x.jl")] == [True, False]
    assert len(preferences.complaints()) == 1
    preferences.change({"trace": 3})
    assert preferences.complaints() == [], "each mistake is told once"
    preferences.change(None)
    assert preferences.of("/a/x.jl") == Settings(code_lens=False)


class Session(Driver):
    """A client with settings. ``answers`` are what it answers to ``workspace/configuration``, by scope."""

    answers: dict[str | None, Any]

    def begin(self, *folders: Path, options: Any = None, asked: bool = True, **workspace: Any) -> None:
        """Begin a session; the settings are answered if they are ``asked`` for."""
        self.answers = {}
        capabilities = {"workspace": {"configuration": asked, **workspace}}
        listed = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders] or None
        params = {"processId": None, "rootUri": None, "workspaceFolders": listed, "capabilities": capabilities}
        self.ask("initialize", params | {"initializationOptions": options})
        self.notify("initialized", {})
        if asked:
            self.answer()

    def answer(self) -> Message:
        """Wait until the settings are asked for, and answer."""
        request = self.wait(lambda message: message.get("method") == "workspace/configuration")
        scopes = [item.get("scopeUri") for item in request["params"]["items"]]
        assert {item["section"] for item in request["params"]["items"]} == {"dpLsp"}
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": [self.answers.get(scope) for scope in scopes]})
        return request

    def changed(self, settings: Any = None) -> None:
        self.notify("workspace/didChangeConfiguration", {"settings": settings})

    def told(self, method: str = "window/logMessage") -> list[str]:
        """What the client's log, or the trace, holds by now."""
        for _ in range(2):  # what is logged is sent a turn later
            self.ask("dp/unknown")
        return [message["params"]["message"] for message in self.seen if message.get("method") == method]


@pytest.fixture
def session() -> Iterator[Session]:
    with Session() as made:
        yield made


def test_a_client_that_can_be_asked_is_asked_for_each_folder(session: Session, tmp_path: Path) -> None:
    session.begin(tmp_path, didChangeConfiguration={"dynamicRegistration": True})
    session.answers[tmp_path.as_uri()] = {"codeLens": 5}
    session.changed({"dpLsp": {"logLevel": "loud"}})  # not taken: it can be asked
    session.answer()
    assert session.told() == ["the setting `dpLsp.codeLens` must be true or false; it is ignored"]
    registered = [message for message in session.seen if message.get("method") == "client/registerCapability"]
    assert "workspace/didChangeConfiguration" in json.dumps(registered)


def test_a_client_that_cannot_be_asked_is_not(session: Session, tmp_path: Path) -> None:
    session.begin(tmp_path, options={"codeLens": 5}, asked=False)
    session.changed({"dpLsp": {"codeLens": 5, "logLevel": "loud"}})
    session.changed({"dpLsp": {"logLevel": "loud"}})
    assert len(session.told()) == 2
    assert not [message for message in session.seen if "id" in message and "method" in message]


def test_a_refusal_to_tell_settings_is_no_error(session: Session, tmp_path: Path) -> None:
    session.begin(tmp_path, asked=True)
    session.changed()
    request = session.wait(lambda message: message.get("method") == "workspace/configuration")
    session.send({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32603, "message": "no"}})
    assert session.told() == []


def test_the_level_of_the_log_changes_while_it_runs(session: Session) -> None:
    session.begin(asked=False)
    session.open(SECRET)
    session.checked(1)
    assert session.told() == []
    session.changed({"dpLsp": {"logLevel": "info"}})
    session.change(2, {"text": SECRET})
    session.checked(2)
    told = session.told()
    assert any("checked" in message for message in told)
    assert "secret" not in "".join(told)
    session.changed({"dpLsp": {"logLevel": "error"}})
    session.change(3, {"text": SECRET})
    session.checked(3)
    session.changed({"dpLsp": {"codeLens": 5}})  # a warning
    assert len(session.told()) == len(told) + 1, "a section without a level has that of the command line again"


def test_a_trace_is_switched_on_and_off(session: Session) -> None:
    session.begin(asked=False)
    for version, value in enumerate(("messages", "off"), 1):
        session.notify("$/setTrace", {"value": value})
        (session.open if version == 1 else lambda text: session.change(2, {"text": text}))(SECRET)
        session.checked(version)
    traced = session.told("$/logTrace")
    assert len(traced) == 1 and "checked" in traced[0]
    assert session.told() == []
    session.changed({"dpLsp": {"trace": "verbose"}})  # wins over what the protocol's own switch says
    session.change(3, {"text": SECRET})
    session.checked(3)
    assert len(session.told("$/logTrace")) == 2


WATCHES = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
OUTSIDE = {"didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True}}
DEAR = "f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)\n"
SQUARE = "g(x::Real) = x * x\n"
LIMIT = "max-epsilon = 0.3\n"


class Editor(Session):
    """An editor with documents that lie in folders."""

    versions: dict[Path, int]

    def show(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        languages = {".toml": "toml", ".py": "python"}
        self.open(text, path.as_uri(), languages.get(path.suffix, "julia"))

    def write(self, path: Path, text: str | None) -> None:
        """Change a file on the disk, or remove it, and tell."""
        there = path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink() if text is None else path.write_text(text, "utf-8")
        kind = 3 if text is None else 2 if there else 1
        self.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": path.as_uri(), "type": kind}]})

    def found(self, path: Path) -> list[str]:
        """The codes of the problems in a document, once it was checked."""
        report = self.ask("dp/report", {"uri": path.as_uri()})["result"]
        return [each["code"] for file in report["files"] for each in file["diagnostics"]]

    def until_told(self, path: Path, codes: list[str]) -> None:
        """Wait until a document is said to have these problems: it is checked again soon, which nobody can ask for."""
        while [each["code"] for each in self.in_file(path)[-1]] != codes:
            self.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics")

    def profile(self, path: Path) -> str:
        return self.ask("dp/report", {"uri": path.as_uri()})["result"]["profile"]

    def in_file(self, path: Path) -> list[list[Message]]:
        """The diagnostics published for a file so far, one list after the other."""
        self.told()
        return [each["diagnostics"] for each in self.published() if each["uri"] == path.as_uri()]


@pytest.fixture
def editor() -> Iterator[Editor]:
    with Editor() as made:
        yield made


def test_each_folder_has_its_own_configuration(editor: Editor, tmp_path: Path) -> None:
    one, two, outside = (tmp_path / name / "a.jl" for name in ("one", "two", "outside"))
    for folder, text in (("one", LIMIT), ("two", "max-epsilon = 0.5\n"), ("outside", LIMIT)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "dp-lsp.toml").write_text(text)
    editor.begin(one.parent, two.parent, asked=False, **WATCHES)
    for path in (one, two, outside):
        editor.show(path, DEAR)
    assert [editor.found(path) for path in (one, two, outside)] == [["DP411"], [], []]


def test_a_configuration_is_made_edited_and_removed(editor: Editor, tmp_path: Path) -> None:
    editor.begin(tmp_path, asked=False, **WATCHES)
    watched = editor.wait(_registers)
    globs = [each["globPattern"] for each in watched["params"]["registrations"][0]["registerOptions"]["watchers"]]
    assert globs == [
        *("**/*.jl", "**/*.py", "**/*.ipynb", "**/dp-lsp.toml", "**/pyproject.toml"),
        *("**/dp-lsp-baseline.json", "**/.gitignore"),
    ]
    path, file = tmp_path / "a.jl", tmp_path / "dp-lsp.toml"
    editor.show(path, DEAR)
    assert editor.found(path) == []
    for text, expected in ((LIMIT, ["DP411"]), ("max-epsilon = 0.5\n", []), (LIMIT, ["DP411"]), (None, [])):
        editor.write(file, text)
        assert editor.found(path) == expected
    editor.write(tmp_path / "pyproject.toml", "[tool.dp-lsp]\n" + LIMIT)
    assert editor.found(path) == ["DP411"]


def _registers(message: Message) -> bool:
    return message.get("method") == "client/registerCapability"


def test_what_was_proved_by_other_settings_does_not_count(editor: Editor, tmp_path: Path) -> None:
    editor.start(tmp_path, workspace=WATCHES, experimental={"dpFileStatus": True})
    path = tmp_path / "a.jl"
    editor.show(path, DEAR)
    assert editor.found(path) == []
    (tmp_path / "dp-lsp.toml").write_text(LIMIT)
    change = {"uri": (tmp_path / "dp-lsp.toml").as_uri(), "type": 1}
    editor.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
    assert editor.checked(1, path.as_uri())["status"] == "failed"
    told = [m["params"]["status"] for m in editor.seen if m.get("method") == "dp/fileStatus"]
    assert told == ["stale", "proved", "stale", "failed"]


@pytest.mark.parametrize("pulls", [False, True])
def test_a_faulty_one_is_told_in_its_file_and_the_last_stays(editor: Editor, tmp_path: Path, pulls: bool) -> None:
    path, file = tmp_path / "a.jl", tmp_path / "dp-lsp.toml"
    file.write_text(LIMIT)
    listed = [{"uri": tmp_path.as_uri(), "name": "x"}]
    capabilities = {"workspace": WATCHES, "textDocument": {"diagnostic": {}} if pulls else {}}
    editor.ask("initialize", {"processId": None, "workspaceFolders": listed, "capabilities": capabilities})
    editor.notify("initialized", {})
    editor.show(path, DEAR)
    assert editor.found(path) == ["DP411"] and editor.in_file(file) == []
    editor.write(file, '# 𝔻\nmax-epsilon = "𝔻𝔻" # 𝔻\n')
    assert editor.found(path) == ["DP411"]
    ((fault,),) = editor.in_file(file)
    assert (fault["code"], fault["severity"], fault["source"]) == ("DP812", 1, "dp-lsp")
    assert fault["range"] == {"start": {"line": 1, "character": 14}, "end": {"line": 1, "character": 20}}
    editor.ask("workspace/executeCommand", {"command": "dp-lsp.restart", "arguments": []})
    assert editor.found(path) == ["DP411"], "a new process knows it too"
    editor.change(2, {"text": DEAR + "\n"}, uri=path.as_uri())
    assert editor.found(path) == ["DP411"] and len(editor.in_file(file)) == 1, "nothing is told twice"
    editor.write(file, "max-epsilon = 0.5\n")
    assert editor.found(path) == []
    assert editor.in_file(file)[1:] == [[]], "what is mended is taken back"


def test_a_client_that_watches_nothing(editor: Editor, tmp_path: Path) -> None:
    path, other, file = tmp_path / "a.jl", tmp_path / "b.jl", tmp_path / "dp-lsp.toml"
    editor.begin(tmp_path, asked=False)
    editor.show(path, DEAR)
    assert editor.found(path) == []
    file.write_text(LIMIT)
    editor.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
    assert editor.found(path) == ["DP411"]
    file.write_text("max-epsilon = 0.5\n")
    editor.show(other, DEAR)
    assert editor.found(other) == []
    editor.until_told(path, [])


def test_one_above_the_folder_is_watched_where_the_client_can(editor: Editor, tmp_path: Path) -> None:
    folder, other = tmp_path / "inside", tmp_path / "beside" / "deep"
    path, file = folder / "a.jl", tmp_path / "dp-lsp.toml"
    editor.begin(folder, asked=False, **OUTSIDE)
    assert {(folder.parent.as_uri(), name) for name in (file.name, "pyproject.toml")} <= watched(editor)
    editor.show(path, DEAR)
    editor.write(file, LIMIT)
    assert editor.found(path) == ["DP411"]
    event = {"added": [{"uri": other.as_uri(), "name": "other"}], "removed": []}
    editor.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    editor.wait(lambda message: message.get("method") == "client/unregisterCapability")
    assert (other.parent.as_uri(), file.name) in watched(editor)


def watched(editor: Editor) -> set[tuple[str, str]]:
    """The patterns below other folders than the client's that it is asked to watch."""
    (wanted,) = editor.wait(_registers)["params"]["registrations"]
    patterns = [each["globPattern"] for each in wanted["registerOptions"]["watchers"]]
    return {(each["baseUri"], each["pattern"]) for each in patterns if isinstance(each, dict)}


@pytest.mark.parametrize("saves", [True, False])
def test_one_above_the_folder_is_read_again_where_it_cannot(editor: Editor, tmp_path: Path, saves: bool) -> None:
    folder = tmp_path / "inside"
    path, other, file = folder / "a.jl", folder / "b.jl", tmp_path / "dp-lsp.toml"
    editor.begin(folder, asked=False, **WATCHES)
    editor.show(path, DEAR)
    for text, expected in ((LIMIT, ["DP411"]), ("max-epsilon = 0.5\n", []), (LIMIT, ["DP411"]), (None, [])):
        file.unlink() if text is None else file.write_text(text)
        if saves:
            editor.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
        else:
            editor.show(other, DEAR)
        assert editor.found(path) == expected


def test_what_a_person_accepted_is_counted(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "a.jl"
    editor.begin(tmp_path, asked=False)
    editor.show(path, "f(x::Real) = read(x)  # dp: ignore[DP101] it is a constant\n\nh(x::Real) = x\n")
    counts = editor.checked(1, path.as_uri())["counts"]
    assert (counts["unknown"], counts["accepted"], counts["proved"]) == (1, 1, 1)


def test_the_text_on_the_disk_counts(editor: Editor, tmp_path: Path) -> None:
    path, file = tmp_path / "a.jl", tmp_path / "dp-lsp.toml"
    editor.begin(tmp_path, asked=False, **WATCHES)
    editor.show(path, DEAR)
    editor.show(file, "")
    editor.change(2, {"text": LIMIT}, uri=file.as_uri())
    assert editor.found(path) == []
    editor.write(file, LIMIT)
    assert editor.found(path) == ["DP411"]


def test_what_is_left_out_is_not_checked_unless_it_is_included(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "dp-lsp.toml").write_text('exclude = ["old/"]\n')
    old, main = tmp_path / "old" / "a.jl", tmp_path / "main.jl"
    editor.begin(tmp_path, asked=False, **WATCHES)
    editor.show(old, SQUARE)
    status = editor.checked(1, old.as_uri())
    assert (status["status"], status["functions"], editor.found(old)) == ("unknown", [], [])
    hovered = {"textDocument": {"uri": old.as_uri()}, "position": {"line": 0, "character": 0}}
    assert editor.ask("textDocument/hover", hovered)["result"] is None
    assert "error" in editor.ask("dp/derivation", {"uri": old.as_uri(), "position": hovered["position"]})
    editor.show(main, 'include("old/a.jl")\n')
    assert editor.found(main) == []
    assert editor.found(old) == ["DP303"]
    editor.write(tmp_path / "dp-lsp.toml", None)
    assert editor.found(old) == ["DP303"]


def test_settings_of_the_client_count_where_there_is_no_file(editor: Editor, tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "a.jl", tmp_path / "two" / "a.jl"
    two.parent.mkdir()
    (two.parent / "dp-lsp.toml").write_text("")
    wanted = {"profile": "published", "severity": {"DP303": "error", "DP301": "off"}}
    editor.begin(one.parent, two.parent, options=wanted, asked=False, **WATCHES)
    for path in (one, two):
        editor.show(path, SQUARE)
    assert [editor.profile(path) for path in (one, two)] == ["published", "sound"]
    assert editor.checked(1, one.as_uri())["status"] == "failed"
    assert editor.checked(1, two.as_uri())["status"] == "proved", "they never change the verdict of a project"
    editor.changed({"dpLsp": {"profile": "sound", "severity": {}}})
    assert [editor.profile(path) for path in (one, two)] == ["sound", "sound"]
    assert editor.checked(1, one.as_uri())["status"] == "proved"


def test_settings_of_one_folder(editor: Editor, tmp_path: Path) -> None:
    one, two = tmp_path / "one" / "a.jl", tmp_path / "two" / "a.jl"
    editor.begin(one.parent, two.parent)
    for path in (one, two):
        editor.show(path, SQUARE)
        assert editor.profile(path) == "sound"
    editor.answers[two.parent.as_uri()] = {"profile": "published"}
    editor.changed()
    editor.answer()
    assert [editor.profile(path) for path in (one, two)] == ["sound", "published"]


def test_the_server_says_what_the_command_line_does(editor: Editor, tmp_path: Path) -> None:
    files = {"dp-lsp.toml": 'exclude = ["x/"]\n[severity]\nDP303 = "error"\n', "a.jl": SQUARE, "x/b.jl": SQUARE}
    files |= {"lib/dp-lsp.toml": LIMIT, "lib/c.jl": DEAR, "main.jl": 'include("lib/c.jl")\nh(x::Real) = f(x)\n'}
    files["d.jl"] = "f(x::Real) = rem(x)\nk(x::Real) = f(x)\n"
    entry = '{"file": "d.jl", "function": "f", "code": "DP113", "line": "f(x::Real) = rem(x)", "times": 1}'
    files["dp-lsp.toml"] = 'baseline = "dp-lsp-baseline.json"\n' + files["dp-lsp.toml"]
    files["dp-lsp-baseline.json"] = f'{{"schema_version": 1, "accepted": [{entry}]}}'
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    printed = python("-m", "dp_lsp", "check", "--output-format", "json", cwd=tmp_path)
    by_command = {file["path"]: file for file in json.loads(printed.stdout)["files"]}
    assert sorted(by_command) == ["a.jl", "d.jl", "lib/c.jl", "main.jl"]
    editor.begin(tmp_path, asked=False, **WATCHES)
    for name, file in by_command.items():
        editor.show(tmp_path / name, files[name])
        report = editor.ask("dp/report", {"uri": (tmp_path / name).as_uri()})["result"]["files"][0]
        assert [report[key] for key in ("status", "functions")] == [file[key] for key in ("status", "functions")]
        found, expected = ([each["message"] for each in side["diagnostics"]] for side in (report, file))
        assert found == expected and (name == "main.jl" or found)
    assert by_command["d.jl"]["functions"][1]["accepted"]
    editor.write(tmp_path / "dp-lsp-baseline.json", files["dp-lsp-baseline.json"].replace("DP113", "DP301"))
    assert "DP113" in editor.found(tmp_path / "d.jl")
    editor.write(tmp_path / "dp-lsp-baseline.json", "{")
    assert "DP113" in editor.found(tmp_path / "d.jl")
    assert editor.in_file(tmp_path / "dp-lsp-baseline.json")[-1][0]["code"] == "DP813"


PLAIN = "import numpy as np\n\n\ndef noisy(x, eps):\n    return np.mean(x) + np.random.laplace(0, 1 / eps)\n"


def test_files_of_python_that_a_setting_names(editor: Editor, tmp_path: Path) -> None:
    one, two, three = tmp_path / "one", tmp_path / "two", tmp_path / "three"
    for folder in (one, two, three):
        folder.mkdir()
    (two / "dp-lsp.toml").write_text('python-include = ["here/**"]\n')
    wanted = {"pythonInclude": ["there/**"]}
    editor.begin(one, two, three, options=wanted, asked=False, **WATCHES)
    named = [one / "there" / "a.py", two / "here" / "a.py", three / "there" / "deep" / "a.py"]
    others = [one / "a.py", two / "there" / "a.py", three / "here" / "a.py"]
    for path in (*named, *others):
        editor.show(path, PLAIN)
    for path in named:
        status = editor.checked(1, path.as_uri())
        assert (status["asked"], status["status"], editor.found(path)) == (True, "unknown", ["DP211"])
        assert hovered(editor, path) is not None and proposed(editor, path)
    for path in others:
        status = editor.checked(1, path.as_uri())
        assert (status["asked"], status["status"], editor.found(path)) == (False, "unknown", [])
        assert hovered(editor, path) is None and not proposed(editor, path)
        assert not any(editor.in_file(path))
    editor.changed({"dpLsp": {"pythonInclude": ["*.py", "!deep/"]}})
    assert [editor.found(path) for path in (one / "a.py", named[2])] == [["DP211"], []]
    editor.until_told(one / "a.py", ["DP211"])
    editor.write(two / "dp-lsp.toml", "")
    assert editor.found(named[1]) == [], "the file of its folder counts, alone"


def hovered(editor: Editor, path: Path) -> Message | None:
    """What is shown of the name of the function."""
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 3, "character": 5}}
    found: Message | None = editor.ask("textDocument/hover", place)["result"]
    return found


def proposed(editor: Editor, path: Path) -> list[str]:
    """What is proposed inside an annotation that is being written."""
    editor.change(2, {"text": f"{PLAIN}\n\ndef f(x: Annotated[np.ndarray, "}, uri=path.as_uri())
    editor.checked(2, path.as_uri())
    place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": 7, "character": 31}}
    answer = editor.ask("textDocument/completion", place)["result"]
    editor.change(3, {"text": PLAIN}, uri=path.as_uri())
    editor.checked(3, path.as_uri())
    return [each["label"] for each in (answer["items"] if isinstance(answer, dict) else answer or [])]


def test_closed_files_of_python_that_a_setting_names(editor: Editor, tmp_path: Path) -> None:
    for name in ("a.py", "there/b.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PLAIN)
    editor.begin(tmp_path, options={"pythonInclude": ["there/"]}, asked=False, **WATCHES)
    there = (tmp_path / "there" / "b.py").as_uri()
    told = editor.wait(lambda message: (message.get("params") or {}).get("uri") == there)["params"]
    assert [each["code"] for each in told["diagnostics"]] == ["DP211"]
    assert not editor.in_file(tmp_path / "a.py")
