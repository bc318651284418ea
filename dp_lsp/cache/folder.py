"""The folder that outlives a run."""

from __future__ import annotations

import os
import stat
import sys

VARIABLE = "DP_LSP_CACHE_DIR"
"""The environment variable that names another folder."""


def private() -> str | None:
    """The path of the cache folder, or None if it cannot be had for ourselves alone: what lies in it is believed."""
    try:
        folder = os.environ.get(VARIABLE, "") or _usual()
        os.makedirs(folder, mode=0o700, exist_ok=True)
        state = os.stat(folder)
    except (OSError, RuntimeError, ValueError):
        return None
    if os.name == "posix" and (state.st_uid != os.getuid() or stat.S_IMODE(state.st_mode) & 0o022):
        return None
    return folder


def _usual() -> str:
    """Where systems keep caches of programs; a ValueError for a user who has no home."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        folder = os.path.join(local, "dp-lsp", "Cache")
    elif sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Caches/dp-lsp")
    else:
        folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "dp-lsp")
    if not os.path.isabs(folder):
        raise ValueError(folder)
    return folder
