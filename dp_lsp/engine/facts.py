"""What is known of each expression, as rows and tables of short texts."""

from __future__ import annotations

from collections.abc import Iterable

from dp_lsp.analysis.records import FactRow, FactTables
from dp_lsp.core.constraints import Assumptions, Constraint
from dp_lsp.core.display import type_text
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.metrics import metric_name
from dp_lsp.core.notation import DISPLAY, Printer
from dp_lsp.core.scheme import Moves
from dp_lsp.infer.method import Inferred


def tables(definitions: list[Inferred]) -> FactTables:
    """The facts of the definitions of a chunk. Equal types and equal moves are written once."""
    rows: list[FactRow] = []
    types: dict[tuple[str, str], int] = {}
    moved: dict[tuple[tuple[str, str], ...], int] = {}
    for inferred in definitions:
        values = inferred.solver.substitution()
        printer = Printer(DISPLAY, Assumptions(_needs(inferred)))
        known: dict[object, int] = {}
        for span, (judgement, rule) in inferred.facts.items():
            type_ = known.get(judgement.type)
            if type_ is None:
                solved = inferred.solver.type(judgement.type)
                texts = (type_text(solved, printer), metric_name(solved))
                type_ = known[judgement.type] = types.setdefault(texts, len(types))
            written = _moves(judgement.moves, values, printer)
            rows.append((span.start, span.end, type_, moved.setdefault(written, len(moved)), rule))
    return rows, list(types), list(moved)


def _needs(inferred: Inferred) -> Iterable[Constraint]:
    return () if inferred.shown is None else inferred.shown.needs


def _moves(moves: Moves, values: Substitution, printer: Printer) -> tuple[tuple[str, str], ...]:
    return tuple((var.name, printer.sens(values.sens(move.sens))) for var, move in moves.items() if not var.members)
