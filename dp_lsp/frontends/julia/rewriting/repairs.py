"""Repairs as Julia writes them. They are made of the text, as a person would make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from dp_lsp import intents
from dp_lsp.frontends.julia.rewriting.calls import (
    add_rows,
    call_unqualified,
    do_for_each,
    give_by_position,
    make_enough_noise,
    put_in_brackets,
    spend,
    write_as_call,
    write_as_tuple,
    write_number,
)
from dp_lsp.frontends.julia.rewriting.declarations import (
    add_parameter,
    annotate,
    declare_least,
    declare_ordered,
    declare_private,
    declare_public,
    declare_records,
    declare_result,
    protect_records,
    put_in_parentheses,
)
from dp_lsp.frontends.julia.rewriting.lines import (
    close_block,
    copy_renamed,
    give_name,
    import_named,
    leave_out,
    leave_out_check,
    make_parameter,
    put_before,
    rename,
    return_nothing,
    return_released,
    write_by_map,
    write_lookalikes,
)
from dp_lsp.frontends.julia.rewriting.loops import (
    add_products,
    add_up,
    collect_results,
    count_rounds,
    release_at_once,
    repeat_at_most,
    take_largest,
)
from dp_lsp.frontends.julia.rewriting.tables import make_one_table, pass_columns, pass_table
from dp_lsp.frontends.julia.rewriting.wording import leave_out_dots, pass_known, release_once, write_otherwise
from dp_lsp.intents import Intent, Rendering
from dp_lsp.problem import Fix

REPAIRS: dict[type[Intent], Callable[[Rendering, Any, str], Iterator[Fix]]] = {
    intents.Before: put_before,
    intents.DeclarePublic: declare_public,
    intents.AddParameter: add_parameter,
    intents.DeclarePrivate: declare_private,
    intents.DeclareLeast: declare_least,
    intents.DeclareRecords: declare_records,
    intents.ProtectRecords: protect_records,
    intents.Annotate: annotate,
    intents.DeclareResult: declare_result,
    intents.DeclareOrdered: declare_ordered,
    intents.LeaveOut: leave_out,
    intents.OneTable: make_one_table,
    intents.Otherwise: write_otherwise,
    intents.WithoutDots: leave_out_dots,
    intents.PassKnown: pass_known,
    intents.Once: release_once,
    intents.CollectResults: collect_results,
    intents.LeaveOutCheck: leave_out_check,
    intents.AddUp: add_up,
    intents.AddProducts: add_products,
    intents.TakeLargest: take_largest,
    intents.AddRows: add_rows,
    intents.InBrackets: put_in_brackets,
    intents.ForEach: do_for_each,
    intents.Spend: spend,
    intents.InParentheses: put_in_parentheses,
    intents.AtMost: repeat_at_most,
    intents.ByRounds: count_rounds,
    intents.AsTuple: write_as_tuple,
    intents.Unqualified: call_unqualified,
    intents.AsNumber: write_number,
    intents.AsCall: write_as_call,
    intents.GiveName: give_name,
    intents.AllAtOnce: release_at_once,
    intents.Rename: rename,
    intents.ByPosition: give_by_position,
    intents.PassColumns: pass_columns,
    intents.PassTable: pass_table,
    intents.ReturnReleased: return_released,
    intents.ByMap: write_by_map,
    intents.ReturnNothing: return_nothing,
    intents.CopyRenamed: copy_renamed,
    intents.AsParameter: make_parameter,
    intents.Lookalikes: write_lookalikes,
    intents.CloseBlock: close_block,
    intents.ImportNamed: import_named,
    intents.EnoughNoise: make_enough_noise,
}
