"""The folder that outlives a run."""

from __future__ import annotations

import os
import stat
from pathlib import Path

VARIABLE = "DP_LSP_CACHE_DIR"
"""The environment variable that names another folder."""


def private_folder() -> Path | None:
    """The cache folder, or None if it cannot be had for ourselves alone: what lies in it is believed."""
    named = os.environ.get(VARIABLE, "")
    try:
        folder = Path(named) if named else _usual()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except (OSError, RuntimeError, ValueError):
        return None
    if os.name == "posix" and (state.st_uid != os.getuid() or stat.S_IMODE(state.st_mode) & 0o022):
        return None
    return folder


def _usual() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("dp-lsp", appauthor=False)
