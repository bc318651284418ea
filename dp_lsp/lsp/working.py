"""What the client says of work that it is told of."""

from __future__ import annotations

from lsprotocol import types

from dp_lsp.lsp.requests import Handlers
from dp_lsp.lsp.session import Server


def cancel(ls: Server, params: types.WorkDoneProgressCancelParams) -> None:
    """Somebody does not want to wait for numbers that may become smaller."""
    ls.bettering.cancel(params.token)


TABLE = Handlers({types.WINDOW_WORK_DONE_PROGRESS_CANCEL: cancel})
