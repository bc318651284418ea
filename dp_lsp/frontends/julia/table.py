"""The parse table, kept in the user's cache folder: making it takes ten times as long as reading it."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

import lark

from dp_lsp.cache.folder import private_folder

_T = TypeVar("_T")


@cache
def grammar() -> str:
    """The text of the grammar."""
    return Path(__file__).with_name("grammar.lark").read_text("utf-8")


def cached(make: Callable[[str | None], _T]) -> _T:
    """What ``make`` makes, with the path of a file that it reads if it exists and writes if not.

    The file is a pickle, so it lies in a folder that nobody else can write to; without one there is no file.
    """
    folder = private_folder()
    if folder is None:
        return make(None)
    version = ".".join(map(str, sys.version_info[:3]))
    digest = hashlib.sha256(f"{grammar()}\0{lark.__version__}\0{version}".encode()).hexdigest()
    path = folder / f"julia-{digest[:32]}.table"
    if path.is_file():
        return make(str(path))
    fresh = path.with_suffix(f".{os.getpid()}")
    made = make(str(fresh))
    with suppress(OSError):  # without the file the next start is slower, no more
        os.replace(fresh, path)  # so that no other process ever reads half a file
    return made
