"""The settings of a client and the configuration of its folders, through the protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dp_lsp.lsp.settings import Preferences, Settings, initial, section, understood
from stdio_driver import Driver, Message

SECRET = "secret_name(x::Real) = 2 * x\n"


def test_what_a_client_sends() -> None:
    sent = {"inlayHints": {"sensitivity": False}, "codeLens": False, "logLevel": "debug", "trace": "verbose"}
    found = understood(sent, Settings())
    assert found == (Settings(False, True, False, "debug", "verbose"), ())


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
        ({"trace": ["off"]}, "dpLsp.trace` must be one of off, messages, verbose"),
        ([], "`dpLsp` are no object"),
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
