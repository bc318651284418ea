"""Linear forms through calls of functions: the result as a linear function of the parameters, and so of the arguments.

A method whose value is Σ coefficient · part, plus something public, where each part is a piece of what a parameter was
given, is that in every call: a form is about numbers in each of two runs, and the numbers that a call gives are those
that the parameters stand for. Coefficients and positions are polynomials of what is public of the arguments, for which
a call has values. What is public in the method is public in the call, and an argument that is public adds nothing that
moves. So a form of the parameters, of which each is a form of something, is a form of that: linear maps are composed.

The parts are those of the arguments, whichever units and norms the method counts in; how far the result moves is
measured anew by them, and counts where it is no more; it can be less only where arguments share a source, or one is a
vector that reads pieces of its own. It is so only where all that moves the result are parameters that cannot be changed
in place, and where nothing is converted on the way out: a part that is anything else, such as what was captured or
computed, is known inside of the method only, and its value has no form in a call. Where a part is gone that may be no
number the value has none, either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from dp_lsp.core import term
from dp_lsp.core.algebra import Poly, TooLong
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.linear import All, Choice, LinearForm, Part, Piece, chosen, combined, piece_of, side_by_side
from dp_lsp.core.scheme import NO_FORM, FunctionValue, Judgement, Scheme
from dp_lsp.core.types import can_change
from dp_lsp.core.values import replace
from dp_lsp.infer import linear, sources
from dp_lsp.infer.inference import Inference
from dp_lsp.later import Later

Become = Callable[[Part], LinearForm | None]


def of_parameters(
    inference: Inference, method: term.Method, value: Judgement, given: Sequence[Judgement], values: Substitution
) -> Later[LinearForm | None]:
    """The value of a method as a linear form of its parameters, whose sources are their positions; None if
    it is none."""
    form = None if method.body is None else sources.known(inference.solver, method.body.result, value)
    if form is None:
        return NO_FORM
    places = {each: place for place, each in enumerate(given) if not can_change(inference.type(each))}
    return Later(partial(_of_places, form, places, values))


def _of_places(form: LinearForm, places: Mapping[Judgement, int], values: Substitution) -> LinearForm | None:
    """A form of parameters as one of their positions."""
    choices = dict[Choice, LinearForm | None]()

    def become(part: Part) -> LinearForm | None:
        source, piece = part
        if isinstance(source, Choice):
            return _composed_choice(source, choices, lambda option: _composed(option, become, values))
        if not isinstance(source, sources.Value) or source.judgement not in places or not isinstance(piece, Piece):
            return None
        return LinearForm.of(Part(places[source.judgement], linear.put_into(piece, values)))

    try:
        found = _composed(form, become, values)
    except TooLong:
        return None
    return found if found is not None and all(map(_is_lasting, _numbers(found))) else None


def _numbers(form: LinearForm) -> Iterator[Poly]:
    """The coefficients and positions of a form."""
    rows = [*form.rows]
    if form.choices:
        rows += [row for each in form.alternatives() for row in each.rows]
    for row in rows:
        for part, coefficient in row.items():
            yield coefficient
            if isinstance(part.piece, Piece):
                yield from (place for place in part.piece.places if isinstance(place, Poly))


def _is_lasting(number: Poly) -> bool:
    """Whether a number has a value in every call: those that a method computes are others in each."""
    if number.number is not None:
        return True
    return linear.is_polynomial(number) and all(symbol.computed is None for symbol in symbols_of(number))


def of_call(
    inference: Inference,
    node: term.Apply,
    value: FunctionValue,
    scheme: Scheme,
    values: Substitution,
    arguments: Sequence[Judgement],
    found: Judgement,
) -> Judgement:
    """The result of a call with its form: that of the method, composed with those of the arguments."""
    if not found.moves or not inference.context.rules.linear or not _is_here(inference, value) or scheme.form is None:
        return found
    forms = linear.forms_of(inference, node.args, arguments)
    if forms is None or not linear.are_compared_alike(inference, arguments, found):
        return found
    private = {place: each for place, each in enumerate(forms) if each is not None}
    try:
        form = scheme.form if len(private) == len(forms) else _about(scheme.form, private)
        result = _composed(form, _of_arguments(private, values), values)
        if result is None:
            return found
        found = replace(found, form=result)
        plain = not linear.is_shared(forms) and all(map(_is_plain, private.values()))
        return found if plain else linear.measured(inference, node.span, forms, result, found)
    except TooLong:
        return replace(found, form=None)


def times(value: FunctionValue, scheme: Scheme, values: Substitution, home: object) -> Poly | None:
    """The factor by which a method multiplies its only argument, up to a public summand; None if it does
    anything else."""
    if scheme.form is None or len(scheme.params) != 1 or value.home not in (None, home) or scheme.form.written:
        return None
    ((part, coefficient),) = scheme.form.rows[0].items() if len(scheme.form.rows[0]) == 1 else ((None, None),)
    if part is None or coefficient is None or not isinstance(part.piece, Piece) or isinstance(part.source, Choice):
        return None
    return values.poly(coefficient) if set(part.piece.places) <= {All.KEPT} else None


def selected(value: FunctionValue, scheme: Scheme, home: object) -> frozenset[int]:
    """The positions of parameters of which the result is, piecewise on the straight line between two inputs, either the
    parameter itself or independent of it."""
    form = scheme.form
    if form is None or value.home not in (None, home) or form.written:
        return frozenset()

    def is_of(place: int) -> Callable[[Part], bool]:
        return lambda part: part.source == place

    return frozenset(place for place in range(len(scheme.params)) if form.selects(is_of(place), is_of(place)))


def is_shared(inference: Inference, node: term.Apply, arguments: Sequence[Judgement]) -> bool:
    """Whether arguments have a source in common, so that a method's linear form may give a smaller sensitivity."""
    if sum(1 for each in arguments if each.moves) < 2 or not inference.context.rules.linear:
        return False
    return linear.is_shared([sources.known(inference.solver, *each) for each in zip(node.args, arguments, strict=True)])


def _is_here(inference: Inference, value: FunctionValue) -> bool:
    """Whether the numbers of a method are known where it is called: one that was made in another function has some of
    that."""
    return value.home is None or value.home is inference.context.home


def _is_plain(form: LinearForm) -> bool:
    """Whether it is a number, or reads each source as a whole and once. What a function makes of that alone moves as
    far as is known of the function."""
    parts = form.parts
    kept = {place is All.KEPT for part in parts if isinstance(part.piece, Piece) for place in part.piece.places}
    return True not in kept or (False not in kept and len(parts) == len({part.source for part in parts}))


def _about(form: LinearForm, private: Mapping[int, LinearForm]) -> LinearForm:
    """A form without the parts of arguments that are public."""

    def is_private(part: Part) -> bool:
        return part.source in private or isinstance(part.source, Choice)

    rows = [{part: each for part, each in row.items() if is_private(part)} for row in form.rows]
    return LinearForm(tuple(rows), form.written)


def _of_arguments(private: Mapping[int, LinearForm], values: Substitution) -> Become:
    choices = dict[Choice, LinearForm | None]()

    def become(part: Part) -> LinearForm | None:
        if isinstance(part.source, Choice):
            return _composed_choice(
                part.source, choices, lambda option: _composed(_about(option, private), become, values)
            )
        assert isinstance(part.source, int) and isinstance(part.piece, Piece), "it is a part of a parameter"
        return piece_of(private[part.source], linear.put_into(part.piece, values))

    return become


def _composed_choice(
    choice: Choice, known: dict[Choice, LinearForm | None], compose: Callable[[LinearForm], LinearForm | None]
) -> LinearForm | None:
    """The choice among what each of the options becomes, the same one wherever it stands; an option of which nothing
    private is left is a public number."""
    if choice not in known:
        found = [None if option is None else compose(option) for option in choice.options]
        lost = any(each is None and option is not None for each, option in zip(found, choice.options, strict=True))
        moving = [each if each is not None and each.parts else None for each in found]
        known[choice] = None if lost else chosen(moving) if any(moving) else LinearForm(({},))
    return known[choice]


def _composed(form: LinearForm, become: Become, values: Substitution) -> LinearForm | None:
    """A form with others in the place of its parts, and values in that of symbols."""
    rows: list[LinearForm | None] = []
    for row in form.rows:
        known = []
        for part, coefficient in row.items():
            each = become(part)
            if each is None:
                return None
            known.append((each, values.poly(coefficient)))
        found = combined(known)
        if (found is None and known) or (found is not None and found.written and form.written):
            return None
        rows.append(found)
    return side_by_side(rows) if form.written else rows[0]
