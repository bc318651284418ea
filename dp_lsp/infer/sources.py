"""What linear functions are functions of: values that are known by how far they move, and how that is measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import NamedTuple, Protocol

from dp_lsp.core.algebra import Poly
from dp_lsp.core.linear import LinearForm, Measure, Part, Piece, Rows, norm_of
from dp_lsp.core.metrics import is_data
from dp_lsp.core.order import Way, common
from dp_lsp.core.scheme import Judgement, Moves
from dp_lsp.core.sens import Sens
from dp_lsp.core.term import Term
from dp_lsp.core.types import AnyNorm, Container, Norm, NumberType, Type
from dp_lsp.core.values import value
from dp_lsp.infer.publics import Publics
from dp_lsp.infer.solver import Solver


class Weighted(NamedTuple):
    """What a result moves with, how often that counts, and which way the result goes with it."""

    moves: Moves
    factor: Sens
    way: Way | None


class Source(Protocol):
    """What parts are pieces of."""

    def weighted(self, rows: Rows, norm: AnyNorm, solver: Solver) -> Iterator[Weighted]:
        """How far a result moves with the source in a norm: a vector whose entries are these combinations of its
        pieces, or what one combination is."""
        ...

    def norm(self, solver: Solver) -> AnyNorm | None:
        """The norm that it is measured in, if it is a container."""
        ...

    def is_real(self, publics: Publics) -> bool:
        """Whether it is certainly made of numbers, and never of NaN, if parameters are."""
        ...


@value
class Value:
    """A value that is known by how far it moves: a number, or a container of numbers, wherever it was ``read``."""

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
    """A value as a linear function: of itself, if nothing better is known. None for one that is public, or made of
    anything but numbers."""
    if not value.moves:
        return None
    if value.form is not None:
        return value.form
    axes = _axes(solver.type(value.type))
    return None if axes is None else LinearForm.of(Part(Value(value, node), Piece.whole(axes)))
