"""The unit of privacy: one person, who contributes one record to a dataset, or up to a declared number of them
(contribution bound).

Inside a function the sensitivities of a dataset's parameter are per person: it moves by as many steps as a person has
records. A caller may give it a dataset that moves by more or fewer steps, and so by a multiple or a fraction of a
person. Fractions are meaningful for distances, but not for what is capped by a diameter, such as a `Bool`: that holds
for whole persons only (``whole``, ``uneven``).

Source: group privacy (Dwork and Roth 2014, Theorem 2.2) and user-level neighbours, as in Amin et al. 2019, "Bounding
user contributions".
"""

from __future__ import annotations

from collections.abc import Iterable

from dp_lsp.core import laws
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import Annotation, Publics, steps_of_a_person
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Called, Cost, Var
from dp_lsp.core.metrics import holds_records
from dp_lsp.core.scheme import Move, Moves, Scheme, SchemeParameter, Unit
from dp_lsp.core.sens import ONE, Sens, Way, ceiling, magnitude
from dp_lsp.core.types import Type
from dp_lsp.core.values import replace
from dp_lsp.infer import moves
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


class Persons(NamedTuple):
    """A cost in steps of datasets, where it was one in persons, and the variables of these."""

    cost: Cost
    params: tuple[Var, ...]


def steps(written: Annotation, type_: Type, publics: Publics, usual: int) -> Poly | None:
    """The contribution bound of a parameter: the number of records of one person, as the annotation says, else
    ``usual`` for what is made of records. None for 1, where no unit is needed."""
    said = steps_of_a_person(written, publics)
    found = Poly.of(usual) if said is None and holds_records(type_) else said
    return None if found == Poly.of(1) else found


def of_a_person(moved: Moves, records: Poly, span: Span) -> Moves:
    """The environment per person of a dataset with this environment per record."""
    return moves.scaled(moved, magnitude(records), span, laws.PERSON, way=Way.RISES)


def marked(params: Iterable[SchemeParameter], whole: set[Var], uneven: set[Var]) -> tuple[SchemeParameter, ...]:
    """Parameters, those marked of which something holds for a whole person, or whole persons, only."""
    return tuple(
        replace(param, unit=param.unit._replace(whole=param.var in whole, uneven=param.var in uneven))
        if param.unit
        else param
        for param in params
    )


def share(unit: Unit | None, values: Substitution) -> Sens:
    """The number of persons, at most, that one step of a parameter's dataset is."""
    return ONE if unit is None or unit.whole else _one_of(unit, values)


def _one_of(unit: Unit, values: Substitution) -> Sens:
    return Sens((magnitude(values.poly(unit.records)).single_poly().inverse(),))


def given(param: SchemeParameter, values: Substitution, moved: Moves, span: Span) -> Moves:
    """The environment of an argument in the unit of the parameter: persons instead of steps."""
    if param.unit is None or not moved:
        return moved
    one = _one_of(param.unit, values)
    return {var: _in_persons(move, one, param.unit, span) for var, move in moved.items()}


def _in_persons(move: Move, one: Sens, unit: Unit, span: Span) -> Move:
    if move.sens.infinite:
        return move
    part = move.sens * one
    found = Move(part, span, laws.PERSONS, (one,), (move,), way=move.way)
    if unit.uneven:
        most, law = ceiling(part.single_poly()), laws.WHOLE_PERSONS
    else:
        most, law = part.at_least(ONE) if unit.whole else part, laws.A_PERSON
    return found if most == part else Move(most, span, law, (ONE,), (found,), way=move.way)


def in_steps(scheme: Scheme, span: Span) -> Persons:
    """The privacy cost of a scheme in steps of the caller's datasets."""
    own = tuple(param.var for param in scheme.params)
    if not any(param.unit for param in scheme.params):
        return Persons(scheme.cost, own)
    params = tuple(Var(var.name, var.gap, var.public, only_drawn=var.only_drawn, chained=var.chained) for var in own)
    put = Substitution({})
    along = {param.var: {var: share(param.unit, put)} for param, var in zip(scheme.params, params, strict=True)}
    return Persons(Called(scheme.cost, along, put, Origin(span, scheme.name)), params)
