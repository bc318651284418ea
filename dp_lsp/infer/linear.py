"""Linear forms: values as linear functions of others, followed through the body of a function.

A builtin's row says in which linear way its result depends on its arguments; an argument without a form is a source of
its own. Where no source occurs twice, sensitivities add up anyway, so a form is measured only where one does; the
result counts where it is no more than the sum.

A form is about values of one scope: values that leave a branch or a sample lose it, and one that leaves a function is a
form of the parameters (:mod:`dp_lsp.infer.generalize`). A row of a loop's round has that round's variable, and is
another source than its container. A sum over a known number of rounds is a form, where each round adds a form of values
from before the loop.

A source that cancels counts as 0 only where it is certainly no NaN (:meth:`~dp_lsp.infer.publics.Publics.is_real`).

Source: the operator norms of linear maps between L1, L2 and LInf (:mod:`dp_lsp.core.linear`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import cast

from dp_lsp.builtins.define import Args, Form
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import NormVariable, Poly, Symbol, TooLong
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import Substitution, norms_of, symbols_of
from dp_lsp.core.events import Var
from dp_lsp.core.linear import MOST_PARTS, WHOLE, All, LinearForm, Part, Piece, chosen, combined, piece_of
from dp_lsp.core.scheme import Judgement, Move, Moves
from dp_lsp.core.sens import ZERO, Sens
from dp_lsp.core.term import Local
from dp_lsp.core.types import AnyNorm, Base, Container, Norm, NumberType, Type
from dp_lsp.core.values import replace
from dp_lsp.infer import moves
from dp_lsp.infer.inference import FormSource, Inference, ValueSource, form_of
from dp_lsp.infer.solver import Solver
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_MOST_NORMS = 2  # open norms of which all are tried
_MOST_ROUNDS = 100  # that are added up


def _base(type_: Type) -> Base | None:
    held = type_.element if isinstance(type_, Container) else type_
    return held.base if isinstance(held, NumberType) else None


def of_call(
    inference: Inference, node: term.Call, form: Form, args: Args, values: Sequence[Judgement], found: Judgement
) -> Judgement:
    """The result of a builtin with its linear form, if its row declares one."""
    if form.linear is None or not found.moves or not inference.context.rules.linear:
        return found
    forms = forms_of(inference, node.args, values)
    if forms is None or not are_compared_alike(inference, values, found):
        return found
    try:
        result = form.linear(args, forms)
        if result is None:
            return found
        found = replace(found, form=result)
        again = form.applies is not None or is_shared(forms)  # of a function less is known than of what it makes
        again = again or any(map(_is_in_another_norm, repeat(inference), values, forms))
        return measured(inference, node.span, forms, result, found) if again else found
    except TooLong:
        return replace(found, form=None)


def forms_of(
    inference: Inference, nodes: Sequence[term.Term], values: Sequence[Judgement]
) -> list[LinearForm | None] | None:
    """The forms of some values, None for those that are public; None if a private one has none."""
    forms = []
    for node, value in zip(nodes, values, strict=True):
        form = form_of(inference.solver, node, value)
        if form is None and value.moves:
            return None
        forms.append(form)
    return forms


def _is_in_another_norm(inference: Inference, value: Judgement, form: LinearForm | None) -> bool:
    """Whether a container is measured otherwise than what it is a function of: what is made of it moves as far as that
    says, and may be converted twice by what is known of the container."""
    type_ = value.type if form is None else inference.type(value)
    if form is None or not isinstance(type_, Container):
        return False
    norm = inference.solver.norm(type_.norm)
    return any(cast(FormSource, each).norm(inference.solver) not in (None, norm) for each in form.sources)


def of_either(
    inference: Inference, values: Sequence[Judgement], nodes: Sequence[term.Term], found: Judgement
) -> Judgement:
    """The judgement of a number that is one of several by a public choice, which is the same in both runs: a choice of
    forms."""
    if not isinstance(inference.type(found), NumberType) or not found.moves or not inference.context.rules.linear:
        return found
    forms = forms_of(inference, nodes, values)
    if forms is None or any(_base(inference.type(value)) is Base.DATA for value in (*values, found)):
        return found
    return replace(found, form=chosen(forms))


def are_compared_alike(inference: Inference, values: Sequence[Judgement], found: Judgement) -> bool:
    """Whether equality is the metric of the result, and of every private argument."""
    private = {_base(inference.type(value)) is Base.DATA for value in values if value.moves}
    return private <= {_base(found.type) is Base.DATA}


def is_shared(forms: Sequence[LinearForm | None]) -> bool:
    """Whether a source occurs in two arguments, or an argument is a vector literal, of which some entries may not
    count."""
    private = []
    for form in forms:
        if form is not None:
            if form.written:
                return True
            private.append(form)
    if len(private) < 2:
        return False
    seen = set[object]()
    for form in private:
        own = form.sources
        if not seen.isdisjoint(own):
            return True
        seen |= own
    return False


def measured(
    inference: Inference, span: Span, forms: Sequence[LinearForm | None], result: LinearForm, found: Judgement
) -> Judgement:
    """A value with the smaller of its environment and the one that its form gives."""
    gone = set[Part]().union(*(form.parts for form in forms if form is not None))
    gone -= result.parts
    if not all(source.is_real(inference.publics) for source in {cast(FormSource, part.source) for part in gone}):
        return replace(found, form=None)
    norm: AnyNorm = Norm.LINF
    if isinstance(found.type, Container):
        norm = inference.solver.norm(found.type.norm)
    least = moved(result, norm, inference.solver, span)
    if isinstance(norm, NormVariable) and any(norm in norms_of(move.sens) for move in least.values()):
        inference.solver.fix_norm(norm)  # it is measured in one norm then
        least = moved(result, inference.solver.norm(norm), inference.solver, span)
    return replace(found, moves=_together(found.moves, least))


def known_as(inference: Inference, found: Judgement, form: LinearForm, span: Span) -> Judgement:
    """A number with a form, and the smaller of its environment and the form's."""
    if isinstance(inference.type(found), Container):
        return found
    return replace(found, moves=_together(found.moves, moved(form, Norm.LINF, inference.solver, span)), form=form)


def _together(known: Moves, least: Moves) -> Moves:
    """What moves a value, and how far at most. What is gone moves the number by 0, but may decide of which type it is:
    that is no public value, which could be shown."""
    return {var: _smaller(move, least[var]) if var in least else _gone(move) for var, move in known.items()}


def _gone(move: Move) -> Move:
    return replace(move, sens=ZERO, rule=laws.LINEAR, factors=(), before=())


def moved(form: LinearForm, norm: AnyNorm, solver: Solver, span: Span) -> Moves:
    """The environment of a value with this form, measured in a norm."""
    each = [_moved(alternative, norm, solver, span) for alternative in form.alternatives()]
    return each[0] if len(each) == 1 else moves.furthest_of(each, span)


def _moved(form: LinearForm, norm: AnyNorm, solver: Solver, span: Span) -> Moves:
    parts = [
        each for source, rows in form.pieces().items() for each in cast(FormSource, source).weighted(rows, norm, solver)
    ]
    weighted = [(part.moves, part.factor) for part in parts]
    return moves.combined(weighted, span, laws.LINEAR, ways=(part.way for part in parts))


def smaller_of(known: Moves, other: Moves) -> Moves:
    """The smaller of two environments that both hold, variable by variable."""

    def smaller(var: Var, move: Move) -> Move:
        if var not in other:
            return _gone(move)
        least = other[var]
        return replace(least, way=least.way or move.way) if _is_no_more(least.sens, move.sens, False) else move

    return {var: smaller(var, move) for var, move in known.items()}


def _smaller(move: Move, other: Move) -> Move:
    """The one of two bounds that is smaller. Where that depends on symbols it is the second one, as a norm is at most
    the sum of the parts; a bound that is as far as two results can be apart stays."""
    if move.sens == other.sens or not _is_no_more(other.sens, move.sens, move.rule != laws.CAP):
        return move
    return other if other.way is not None else replace(other, way=move.way)


def _is_no_more(left: Sens, right: Sens, otherwise: bool) -> bool:
    """Whether one number is at most another one, in all norms that are open; ``otherwise`` where that depends."""
    open_norms = norms_of(left) | norms_of(right)
    if not open_norms:
        known, most = left.number, right.number
        if known is not None and most is not None:
            return known <= most
        decided = decide(left, "<=", right)
        return otherwise if decided is None else decided
    if len(open_norms) > _MOST_NORMS:
        return False
    first = next(iter(open_norms))
    put = (Substitution({}, {first: each}) for each in Norm)
    return all(_is_no_more(each.sens(left), each.sens(right), otherwise) for each in put)


class Adding(NamedTuple):
    """What a round adds to the carried value ``local``, as a form of values from ``around`` the loop; ``rows`` are the
    containers of which the round reads a place of its own."""

    local: Local
    form: LinearForm
    around: Mapping[Local, Judgement]
    rows: Mapping[Local, Judgement]


def after_rounds(
    inference: Inference, adding: Adding, start: LinearForm | None, index: Symbol, rounds: Sequence[int]
) -> LinearForm | None:
    """The form of a carried value after all ``rounds``: its start plus what each round adds. None where a round does
    anything but add, adds a value known in that round only, or the form grows too long."""
    if adding.form.written or len(rounds) > _MOST_ROUNDS:
        return None
    (row,) = adding.form.rows
    added, carries = list[tuple[LinearForm, Piece, Poly]](), False
    for part, coefficient in row.items():
        source = part.source
        if not isinstance(source, ValueSource) or not isinstance(part.piece, Piece):
            return None
        if not isinstance(source.read, term.Use) or not source.is_real(inference.publics):
            return None
        if source.read.local is adding.local:
            carries = coefficient == WHOLE and part.piece == Piece.whole(len(part.piece.places))
            if not carries:
                return None
            continue
        known = _from_around(inference, adding, source)
        spoken = symbols_of(coefficient) | _numbers_in(part.piece)
        if known is None or {each for each in spoken if each.varies} - {index}:
            return None
        if len(rounds) > MOST_PARTS and _numbers_in(part.piece):
            return None
        added.append((known, part.piece, coefficient))
    return _summed(start, added, index, rounds) if carries else None


def _numbers_in(piece: Piece) -> set[Symbol]:
    """The public numbers that say which entries a piece is made of."""
    places = (place for place in piece.places if isinstance(place, Poly))
    return set[Symbol]().union(*map(symbols_of, places))


def _from_around(inference: Inference, adding: Adding, source: ValueSource) -> LinearForm | None:
    """A value from before the loop, as it was there, that is the same in all rounds."""
    assert isinstance(source.read, term.Use), "only names are from before a loop"
    local = source.read.local
    outer = adding.around.get(local)
    if outer is None or not (outer is source.judgement or adding.rows.get(local) is source.judgement):
        return None
    return form_of(inference.solver, source.read, outer)


def _summed(
    start: LinearForm | None,
    added: Sequence[tuple[LinearForm, Piece, Poly]],
    index: Symbol,
    rounds: Sequence[int],
) -> LinearForm | None:
    found = [] if start is None else [(start, WHOLE)]
    for number in rounds:
        put = Substitution({index: Poly.of(number)})
        for form, piece, coefficient in added:
            if number == 0 and not is_polynomial(coefficient):
                return None
            if All.ADDED in piece.places:
                return None
            read = piece_of(form, put_into(piece, put))
            if read is None:
                return None
            found.append((read, put.poly(coefficient)))
    return combined(found) if found else None


def is_polynomial(value: Poly) -> bool:
    """Whether a formula is defined wherever its symbols are."""
    return all(isinstance(atom, Symbol) and power > 0 for monomial in value.terms for atom, power in monomial)


def put_into(piece: Piece, values: Substitution) -> Piece:
    """A piece under a substitution in its positions."""
    if values.idle or not piece.places:
        return piece
    return Piece(tuple(values.poly(place) if isinstance(place, Poly) else place for place in piece.places))
