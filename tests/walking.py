"""A beginner who does what an editor says: the first message is read, the first repair that is offered for it is
applied with the defaults of its snippet, and so on."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from stdio_driver import Driver, Message

_SUFFIXES = {"julia": "jl", "python": "py"}
_MOST = 40
"""Steps after which nobody goes on."""
_SERIOUS = (1, 2)  # errors and warnings
_TOLD = 3  # information
_DONE = {"proved", "assumed"}
_PLACEHOLDER = re.compile(r"\$\{\d+:((?:[^\\}]|\\.)*)\}|\$\d+|\$\{\d+\}|\\(.)", re.DOTALL)
LITERALS = {"codeActionKind": {"valueSet": ["quickfix"]}}
CAPABLE: dict[str, Any] = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": LITERALS, "isPreferredSupport": True}},
    "workspace": {"workspaceEdit": {"documentChanges": True, "snippetEditSupport": True}},
}


class Step(NamedTuple):
    """A message that was read, and the repair that was applied."""

    code: str
    message: str
    title: str


class Walk(NamedTuple):
    """Where a program came to: the steps, the text at the end, the state of each function, and what is left to be
    mended."""

    steps: list[Step]
    text: str
    states: dict[str, str]
    left: list[Message]

    def __str__(self) -> str:
        told = [f"{index}. {each.code} {each.message}\n   -> {each.title}" for index, each in enumerate(self.steps, 1)]
        left = [f"left: {each['code']} {each['message']}" for each in self.left]
        return "\n".join([f"{len(self.steps)} steps", *told, *left, str(self.states), self.text])


class Walker:
    """Walks through programs, one after the other, in one session of an editor."""

    def __init__(self, driver: Driver, language: str = "julia") -> None:
        self._driver = driver
        self._language = language
        self._uri = f"file:///tmp/walk.{_SUFFIXES[language]}"
        self._version = 0

    def walk(self, text: str) -> Walk:
        """Go from a program to where no repair is offered for the first message any more."""
        self._open(text)
        steps: list[Step] = []
        while len(steps) < _MOST:
            status = self._driver.checked(self._version, self._uri)
            states = {each["name"]: each["status"] for each in status["functions"]}
            found = self._diagnostics()
            left = [each for each in found if each["severity"] in _SERIOUS]
            if not left and not {*states.values()} <= _DONE:
                left = [each for each in found if each["severity"] == _TOLD]  # why something is not known
            action = self._offered(left[0]) if left else None
            if action is None:
                break
            text = applied(text, action["edit"]["documentChanges"][0]["edits"])
            steps.append(Step(left[0]["code"], left[0]["message"], action["title"]))
            self._change(text)
        self._driver.notify("textDocument/didClose", {"textDocument": {"uri": self._uri}})
        return Walk(steps, text, states, left)

    def _open(self, text: str) -> None:
        self._version = 1
        self._driver.seen.clear()
        self._driver.open(text, self._uri, self._language)

    def _change(self, text: str) -> None:
        self._version += 1
        self._driver.change(self._version, {"text": text}, uri=self._uri)

    def _diagnostics(self) -> list[Message]:
        published = [each for each in self._driver.published() if each.get("version") == self._version]
        return published[-1]["diagnostics"] if published else []

    def _offered(self, diagnostic: Message) -> Message | None:
        """The first repair of a problem that changes the program."""
        context = {"diagnostics": [diagnostic]}
        params = {"textDocument": {"uri": self._uri}, "range": diagnostic["range"], "context": context}
        found = self._driver.ask("textDocument/codeAction", params)["result"]
        first = next((each for each in found if each.get("edit")), None)
        return None if first is None or first["title"].startswith("Ignore") else first


def applied(text: str, edits: list[Message]) -> str:
    """A text after the edits of an action, with the defaults of their placeholders."""
    lines = text.splitlines(keepends=True)

    def offset(place: Message) -> int:
        before = sum(map(len, lines[: place["line"]]))
        line = lines[place["line"]] if place["line"] < len(lines) else ""
        return before + len(line.encode("utf-16-le")[: 2 * place["character"]].decode("utf-16-le"))

    placed = [(offset(each["range"]["start"]), offset(each["range"]["end"]), inserted(each)) for each in edits]
    for start, end, new in sorted(placed, key=lambda each: each[:2], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def inserted(edit: Message) -> str:
    """What an edit writes, with the defaults of its placeholders."""
    if "snippet" not in edit:
        return str(edit["newText"])
    return _PLACEHOLDER.sub(lambda found: found[1] or found[2] or "", edit["snippet"]["value"])
