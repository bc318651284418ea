"""Measures the server in a workspace of many files of which none, or one, is open: how long it takes until all of them
were looked at, what it holds then, and when an edit of one file is seen in a closed one that includes it."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dp_lsp.cache.store import VARIABLE

from .client import Client, Message, timed
from .repository import write_repository


class _Workspace:
    """A session in a folder, and what was said of its files: their URIs, and names for what is wrong with them."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, str] = {}

    def pull(self) -> list[Message]:
        """Wait until something is known of the files that was not known before; what."""
        previous = [{"uri": uri, "value": value} for uri, value in self._known.items()]
        items: list[Message] = self._client.ask("workspace/diagnostic", {"previousResultIds": previous})["items"]
        self._known.update((each["uri"], each["resultId"]) for each in items)
        return items


def workspace(files: int, times: int) -> Iterator[str]:
    """The lines about a workspace of so many files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "repository")
        folder.mkdir()
        write_repository(folder, files)
        os.environ[VARIABLE] = str(Path(name, "cache"))
        with Client(folder=folder) as client:
            around = _Workspace(client)
            found: list[Message] = []
            with client.peak() as most:
                taken_first = timed(lambda: found.extend(around.pull())) / 1000
                yield _line(f"{files:,} files, start → all looked at", taken_first, "s")
                yield _line("most memory until then, of all processes", most(), "MiB")
            yield _line("computed until then, by all processes", client.computed(), "s")
            yield _line("memory, server and worker", client.memory() or 0, "MiB")
            yield _line("workspace/symbol", timed(lambda: client.ask("workspace/symbol", {"query": "fit"})), "ms")
            first = folder / "part0" / "file0.jl"
            client.open(first.as_uri(), text := first.read_text("utf-8"))
            client.checked(first.as_uri(), 1)
            taken = []
            for turn in range(times):
                changed = text.replace("scaled0", "scaled") if turn % 2 == 0 else text
                client.change(first.as_uri(), {"text": changed})
                taken.append(timed(lambda: _until_shown(around, "file1.jl")))
            yield _line("edit of one file → shown in a closed one", statistics.median(taken), "ms")
            yield _line("memory after that", client.memory() or 0, "MiB")
        with Client(folder=folder) as client:
            again = _Workspace(client)
            yield _line("opened again → all looked at", timed(lambda: found.extend(again.pull())) / 1000, "s")
            yield _line("computed until then", client.computed(), "s")


def _until_shown(around: _Workspace, name: str) -> None:
    while not any(each["uri"].endswith(name) and each["kind"] == "full" for each in around.pull()):
        pass


def _line(title: str, value: float, unit: str) -> str:
    return f"{title:<48}{value:>12,.1f} {unit}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.workspace", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="few files, each measured once: that it runs at all")
    parser.add_argument("--files", type=int, default=500, help="how many files (default: 500)")
    arguments = parser.parse_args()
    for line in workspace(4, 2) if arguments.smoke else workspace(arguments.files, 20):
        print(line, flush=True)


if __name__ == "__main__":
    main()
