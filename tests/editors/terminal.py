"""Editors on a screen of their own, which is read back; started from the very files that users take. Standard library
only.

``python terminal.py PART FOLDER RESULTS COMMAND …``: COMMAND starts the editor, with the name of a file behind it.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PATIENT = 60.0  # seconds until what should be on the screen is given up
SCREEN = ("-x", "110", "-y", "30")


class Screen:
    """A terminal that nobody sees. It has a server of its own, so that ending it ends nothing else."""

    def __init__(self, command: str) -> None:
        self._name = f"dp-lsp-editors-{os.getpid()}"
        self._tmux("-f", "/dev/null", "new-session", "-d", *SCREEN, command)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self._name, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def keys(self, *keys: str) -> None:
        for key in keys:
            self._tmux("send-keys", key)
            time.sleep(0.15)

    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def until(self, what: str, holds: Callable[[str], bool], *again: str) -> str:
        """Wait for something on the screen; what ``again`` holds is pressed before each look."""
        end = time.monotonic() + PATIENT
        while True:
            self.keys(*again)
            time.sleep(0.5 if again else 0.2)
            text = self.text()
            if holds(text):
                return text
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not within {PATIENT:.0f} s; the screen shows\n{text.rstrip()}")

    def end(self) -> None:
        subprocess.run(["tmux", "-L", self._name, "kill-server"], capture_output=True, check=False)


def diagnostics(screen: Screen) -> None:
    screen.until("the file", lambda text: "y = x + x" in text)
    screen.until("a problem", lambda text: "can change by 2" in text, "Escape", "g", "g", "]", "d")


def hover(screen: Screen) -> None:
    screen.keys("Escape", "g", "g", "j", "g", "s")  # the second line's first character
    shown = screen.until("a hover", lambda text: "sensitivity" in text, "Escape", "Space", "k")
    assert "y : Real" in shown, shown
    screen.keys("Escape")


def inlay_hint(screen: Screen) -> None:
    screen.until("a hint", lambda text: "2 in x" in text)


def quick_fix(screen: Screen) -> None:
    screen.keys("Escape", "g", "g", "]", "d")
    screen.until("the fix", lambda text: "Replace 1 by 2" in text, "Escape", "]", "d", "Space", "a")
    screen.keys("Enter")
    time.sleep(1)
    if "mechanism(2, 0.5, y)" not in screen.text():  # nothing was chosen yet
        screen.keys("Down", "Enter")
    screen.until("the fix in the text", lambda text: "laplacian_mechanism(2, 0.5, y)" in text)
    screen.until("no problem", lambda text: "can change by 2" not in text)


def drawn(screen: Screen) -> None:
    screen.until("a hint", lambda text: "y = x + x 2 in x" in text)
    screen.until("a lens", lambda text: "not private: noise for 1" in text)
    screen.until("the problem", lambda text: "the noise hides a change of 1" in text)


CHECKS: dict[str, dict[str, Callable[[Screen], None]]] = {
    "helix": {
        "diagnostics": diagnostics,
        "inlay hint": inlay_hint,
        "hover": hover,
        "a quick fix mends the problem": quick_fix,
    },
    "neovim": {"the hint, the lens and the problem are drawn": drawn},
}


def main() -> None:
    part, folder, results, *command = sys.argv[1:]
    screen = Screen(shlex.join([*command, f"{folder}/broken.jl"]))
    with Path(results).open("a", encoding="utf-8") as written:
        try:
            for name, check in CHECKS[part].items():
                begun = time.monotonic()
                line: dict[str, object] = {"part": part, "check": name}
                try:
                    check(screen)
                except (AssertionError, subprocess.SubprocessError) as error:
                    line["error"] = str(error)
                line["seconds"] = round(time.monotonic() - begun, 1)
                written.write(json.dumps(line) + "\n")
                written.flush()
            Path(f"{results}.screen").write_text(screen.text(), "utf-8")
        finally:
            screen.keys("Escape", ":", "q", "!", "Enter")
            screen.end()


if __name__ == "__main__":
    main()
