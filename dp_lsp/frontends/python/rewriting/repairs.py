"""Repairs as Python writes them. They are made of the tree of the function that they are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dp_lsp import intents
from dp_lsp.frontends.python.rewriting.calls import put_before, spend
from dp_lsp.frontends.python.rewriting.data import say_what_is_read
from dp_lsp.frontends.python.rewriting.declarations import (
    add_parameter,
    annotate,
    declare_least,
    declare_ordered,
    declare_private,
    declare_public,
    declare_records,
    protect_records,
    say_what_is_given,
    say_who_trains,
)
from dp_lsp.frontends.python.rewriting.methods import as_function
from dp_lsp.frontends.python.rewriting.wording import (
    leave_out_check,
    pass_columns,
    pass_table,
    return_released,
    write_otherwise,
)
from dp_lsp.intents import Intent, Rendering
from dp_lsp.problem import Fix

REPAIRS: dict[type[Intent], Callable[[Rendering, Any, str], Iterator[Fix]]] = {
    intents.DeclareRecords: declare_records,
    intents.DeclarePublic: declare_public,
    intents.AddParameter: add_parameter,
    intents.DeclarePrivate: declare_private,
    intents.DeclareLeast: declare_least,
    intents.DeclareOrdered: declare_ordered,
    intents.Annotate: annotate,
    intents.ProtectRecords: protect_records,
    intents.SayWhatIsGiven: say_what_is_given,
    intents.SayWhatIsRead: say_what_is_read,
    intents.SayWhoTrains: say_who_trains,
    intents.Spend: spend,
    intents.Before: put_before,
    intents.ReturnReleased: return_released,
    intents.Otherwise: write_otherwise,
    intents.PassColumns: pass_columns,
    intents.PassTable: pass_table,
    intents.AsFunction: as_function,
    intents.LeaveOutCheck: leave_out_check,
}
