"""The edge of the process: whatever happens inside becomes one of the contract's exit codes."""

from __future__ import annotations

import atexit
import gc
import logging
from contextlib import suppress

import click

import dp_lsp.cache.began  # noqa: F401 (which notes the time)
from dp_lsp.cli.commands import root
from dp_lsp.cli.output import INTERNAL, INTERRUPTED, USAGE, complain, finish, speak_utf8

logger = logging.getLogger(__name__)

atexit.register(gc.freeze)  # nothing that is left at the end need be looked through once more


def run(argv: list[str] | None) -> int:
    """Run a command and return its exit code."""
    speak_utf8()
    try:
        code = _command(argv)
    except KeyboardInterrupt:
        code = INTERRUPTED
    return code if finish() else max(code, USAGE)


def _command(argv: list[str] | None) -> int:
    try:
        return int(root.main(args=argv, prog_name="dp-lsp", standalone_mode=False) or 0)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        with suppress(OSError):
            error.show()
        return USAGE
    except SystemExit as end:  # click ends so when a pipe closes while it prints help
        return USAGE if end.code else 0
    except Exception as error:
        logger.debug("internal error", exc_info=True)
        complain(f"internal error ({type(error).__name__}); --log-level debug says more")
        return INTERNAL
