"""The files of a revision of a git repository, without touching its working tree and without running anything of it.

Only the plumbing of git is called, with no shell: it reads objects, and knows neither hooks nor filters nor links.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress

import click

from dp_lsp import frontends
from dp_lsp.cli.style import printable
from dp_lsp.configuration import FILE, PROJECT_FILE
from dp_lsp.configuration.ignored import FILE as IGNORED
from dp_lsp.disk.loader import LARGEST
from dp_lsp.named import NamedTuple

_MOST = 512 << 20  # bytes of all files of a revision
_NAMED = (FILE, PROJECT_FILE, IGNORED)
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_QUIET = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_SAFE = ("--no-pager", "--no-replace-objects", "-c", "protocol.allow=never", "-c", "core.fsmonitor=false")


class _TreeEntry(NamedTuple):
    """What lies in a tree: ``mode`` is git's."""

    mode: str
    name: str
    size: int
    path: str


class Repository:
    """The repository around the working folder. Raises a usage error if there is none, or no git."""

    def __init__(self) -> None:
        found = shutil.which("git")
        if found is None:
            raise click.UsageError("git is not installed: give two JSON reports instead of revisions")
        self._git = os.path.abspath(found)
        try:
            self.folder = os.path.normpath(self._text("rev-parse", "--show-toplevel").strip())
        except subprocess.CalledProcessError as error:
            said = printable(os.fsdecode(error.stderr).partition("\n")[0])
            reports = "without a repository, give two files that `dp-lsp check --output-format json` wrote"
            raise click.UsageError(f"git finds no working tree here ({said}); {reports}") from None

    def commit(self, revision: str) -> str:
        """The commit that a revision names; a usage error if there is none."""
        try:
            if revision.startswith("-") or "\0" in revision:
                raise ValueError
            wanted = f"{revision}^{{commit}}"
            found = self._text("rev-parse", "--verify", "--quiet", "--end-of-options", wanted).split()
            name = found[-1] if found else ""
            if not _OBJECT.fullmatch(name):
                raise ValueError
        except (subprocess.CalledProcessError, ValueError):
            raise click.UsageError(f"{revision!r} is neither a file nor a revision of this repository") from None
        return name

    def modules(self, commit: str) -> list[str]:
        """The paths of other repositories that are part of this one."""
        return [each.path for each in self._tree(commit) if each.mode == "160000"]

    def moved(self, old: str, new: str) -> dict[str, str]:
        """The new paths of files that are called otherwise in another commit, by the old ones."""
        listed = self._text(
            "diff-tree", "-r", "-z", "--no-ext-diff", "-M", "--diff-filter=R", "--name-status", old, new
        )
        parts = listed.split("\0")
        return {parts[at + 1]: parts[at + 2] for at in range(0, len(parts) - 2, 3)}

    def write(self, commit: str, folder: str) -> None:
        """Write what a check may need of a commit into an empty folder: links last, so that nothing is written through
        one. What lies behind them is for the check to refuse."""
        entries = [each for each in self._tree(commit) if _is_wanted(each)]
        if sum(each.size for each in entries) > _MOST:
            raise click.UsageError(f"the files of {commit[:12]} have more than {_MOST >> 20} MiB")
        small = [each for each in entries if each.size <= LARGEST]
        contents = dict(zip((each.path for each in small), self._contents(small), strict=True))
        for each in sorted(entries, key=lambda each: each.mode == "120000"):
            path = os.path.join(folder, *each.path.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if each.mode == "120000":
                with suppress(OSError, ValueError):  # a system that has no links has nothing behind them, too
                    os.symlink(os.fsdecode(contents.get(each.path, b"")), path)
            else:
                with open(path, "xb") as stream:
                    stream.write(contents.get(each.path, b""))
                    stream.truncate(each.size)  # of one that is too large its size is all that is looked at
        os.makedirs(os.path.join(folder, ".git"))  # what git leaves out is left out here, too

    def _tree(self, commit: str) -> Iterator[_TreeEntry]:
        for line in self._text("ls-tree", "-r", "-z", "-l", "--full-tree", commit).split("\0"):
            described, tab, path = line.partition("\t")
            if tab:
                mode, _, name, size = described.split()
                yield _TreeEntry(mode, name, int(size) if size.isdecimal() else 0, path)

    def _contents(self, entries: Iterable[_TreeEntry]) -> Iterator[bytes]:
        asked = "".join(f"{each.name}\n" for each in entries).encode()
        found = self._run("cat-file", "--batch", given=asked)
        at = 0
        while at < len(found):
            head = found.index(b"\n", at)
            size = int(found[at:head].split()[2])
            yield found[head + 1 : head + 1 + size]
            at = head + 2 + size

    def _text(self, *arguments: str) -> str:
        return os.fsdecode(self._run(*arguments))

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        command = [self._git, *_SAFE, *arguments]
        return subprocess.run(command, input=given, capture_output=True, check=True, env=os.environ | _QUIET).stdout


def _is_wanted(entry: _TreeEntry) -> bool:
    """Whether a check may look at a file: and whether its path is one that leads nowhere else."""
    names = entry.path.split("/")
    if any(name in ("", ".", "..") or name.casefold() == ".git" or os.sep in name for name in names):
        return False
    is_named = names[-1] in _NAMED or names[-1].endswith(".json")
    if entry.mode == "120000":
        return not is_named
    return entry.mode.startswith("100") and (is_named or frontends.find(names[-1]) is not None)
