"""Subsumption of norms: a value measured in one norm where a smaller one is wanted (LInf ≤ L2 ≤ L1)."""

from __future__ import annotations

from dp_lsp.core import laws
from dp_lsp.core.metrics import is_no_larger
from dp_lsp.core.scheme import Moves
from dp_lsp.core.sens import ONE, Way
from dp_lsp.core.types import Container, Norm, TupleType, Type
from dp_lsp.core.values import replace
from dp_lsp.infer import moves, problems
from dp_lsp.infer.inference import Inference
from dp_lsp.text import Span


def taken_as(inference: Inference, wanted: Type, given: Type) -> Type:
    """A type with the norms that are wanted, where those are smaller ones.

    Proof: max |xᵢ| ≤ √(Σ xᵢ²) ≤ Σ |xᵢ|, as the square of the last holds all xᵢ² and nothing negative besides. So what
    is within a distance in one norm is within it in a smaller one, and matrices are, whose rows are; tuples, too."""
    match wanted, given:
        case Container(kind=kind), Container(kind=other) if kind is other:
            asked, norm = inference.solver.norm(wanted.norm), inference.solver.norm(given.norm)
            if isinstance(asked, Norm) and isinstance(norm, Norm) and is_no_larger(asked, norm):
                return given if asked is norm else replace(given, norm=asked)
        case TupleType(items), TupleType(others) if len(items) == len(others):
            found = tuple(taken_as(inference, item, other) for item, other in zip(items, others, strict=True))
            return given if found == others else given.put(found)
    return given


def in_smaller(moved: Moves, span: Span) -> Moves:
    """The environment in a norm that is nowhere larger: the same sensitivities are upper bounds in it."""
    return moves.scaled(moved, ONE, span, laws.SMALLER_NORM, way=Way.RISES)


def notice(inference: Inference, span: Span, wanted: Type, given: Type) -> None:
    """Note at a container argument that it is converted to a smaller norm, without loss."""
    if not isinstance(wanted, Container) or not isinstance(given, Container):
        return
    asked, norm = inference.solver.norm(wanted.norm), inference.solver.norm(given.norm)
    if asked is norm or not isinstance(asked, Norm) or not isinstance(norm, Norm):
        return
    written = inference.written(span)
    inference.report(problems.SmallerNorm.at(span, written=written, given=norm.value, wanted=asked.value))
