"""Sources of linear forms: the values that a linear function is a function of, each with its environment and the norm
that it is measured in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Protocol

from dp_lsp.core.algebra import Poly
from dp_lsp.core.linear import LinearForm, Measure, Part, Piece, Rows, norm_of
from dp_lsp.core.metrics import is_data
from dp_lsp.core.scheme import Judgement, Moves
from dp_lsp.core.sens import Sens, Way, common
from dp_lsp.core.term import Term
from dp_lsp.core.types import AnyNorm, Container, Norm, NumberType, Type
from dp_lsp.core.values import value
from dp_lsp.infer.publics import Publics
from dp_lsp.infer.solver import Solver
from dp_lsp.named import NamedTuple


class Weighted(NamedTuple):
    """One contribution to a result's environment: the source's environment, the operator norm of the coefficients
    (``factor``), and the monotonicity."""

    moves: Moves
    factor: Sens
    way: Way | None


class FormSource(Protocol):
    """What the parts of a linear form are pieces of."""

    def weighted(self, rows: Rows, norm: AnyNorm, solver: Solver) -> Iterator[Weighted]:
        """The contributions to the environment of a vector, measured in ``norm``, whose entries are the linear
        combinations ``rows`` of the source's pieces; for one row, of a number."""
        ...

    def norm(self, solver: Solver) -> AnyNorm | None:
        """The norm that a container is measured in; None for a number."""
        ...

    def is_real(self, publics: Publics) -> bool:
        """Whether the source certainly has no NaN, provided that parameters have none."""
        ...


@value
class Value:
    """A source that is an inferred value: a number or a container of numbers. ``read`` is a term that it is read by."""

    judgement: Judgement
    read: Term = field(compare=False)

    def weighted(self, rows: Rows, norm: AnyNorm, solver: Solver) -> Iterator[Weighted]:
        """Its moves, as often as the norm of the coefficients says."""
        type_ = solver.type(self.judgement.type)
        factor = norm_of(rows, _measure(type_), norm)
        yield Weighted(self.judgement.moves, factor, common(_way(each) for row in rows for each in row.values()))

    def norm(self, solver: Solver) -> AnyNorm | None:
        """That of its type."""
        type_ = solver.type(self.judgement.type)
        return solver.norm(type_.norm) if isinstance(type_, Container) else None

    def is_real(self, publics: Publics) -> bool:
        """What it was made of tells."""
        return publics.is_real([self.read])


def _way(coefficient: Poly) -> Way | None:
    if coefficient.evidently_nonnegative:
        return Way.RISES
    return Way.FALLS if coefficient.evidently_nonpositive else None


def _measure(type_: Type) -> Measure:
    if isinstance(type_, Container):
        return Measure(type_.norm, type_.length, is_data(type_.element))
    return Measure(Norm.L1, Poly.of(1), is_data(type_))


def _axes(type_: Type) -> int | None:
    """How many places an entry of a value has; None for what is not made of numbers."""
    if isinstance(type_, Container) and isinstance(type_.element, NumberType):
        return 1 if type_.rows is None else 2
    return 0 if isinstance(type_, NumberType) else None


def known(solver: Solver, node: Term, value: Judgement) -> LinearForm | None:
    """The linear form of a value: the one that was inferred, else the identity of the value itself. None for public
    values and for what is not made of numbers."""
    if not value.moves:
        return None
    if value.form is not None:
        return value.form
    axes = _axes(solver.type(value.type))
    return None if axes is None else LinearForm.of(Part(Value(value, node), Piece.whole(axes)))
