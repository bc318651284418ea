"""What is known of each expression, as rows and tables of short texts."""

from __future__ import annotations

from dp_lsp.analysis.records import FactRow, FactTables
from dp_lsp.core.display import type_text
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.metrics import metric_name
from dp_lsp.core.notation import shown
from dp_lsp.core.scheme import Moves
from dp_lsp.infer.method import Inferred


def tables(definitions: list[Inferred]) -> FactTables:
    """The facts of the definitions of a chunk. Equal types and equal moves are written once."""
    rows: list[FactRow] = []
    types: dict[tuple[str, str], int] = {}
    moved: dict[tuple[tuple[str, str], ...], int] = {}
    for inferred in definitions:
        values = inferred.solver.substitution()
        known: dict[object, int] = {}
        for span, (judgement, rule) in inferred.facts.items():
            type_ = known.get(judgement.type)
            if type_ is None:
                solved = inferred.solver.type(judgement.type)
                texts = (type_text(solved), metric_name(solved))
                type_ = known[judgement.type] = types.setdefault(texts, len(types))
            written = _moves(judgement.moves, values)
            rows.append((span.start, span.end, type_, moved.setdefault(written, len(moved)), rule))
    return rows, list(types), list(moved)


def _moves(moves: Moves, values: Substitution) -> tuple[tuple[str, str], ...]:
    return tuple((var.name, shown(values.sens(move.sens))) for var, move in moves.items() if not var.members)
