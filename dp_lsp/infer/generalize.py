"""Generalisation: from the inferred body of a method to its scheme, with its type and size variables, side conditions,
deferred constraints and privacy cost.

The norm of a vector is decided by its use: statistics and vector literals have a sensitivity in each norm. A norm that
occurs neither in the parameters nor in the result is defaulted last, before side conditions are decided, to the one
that gives the smallest bound.

Linear forms through calls of functions: the result as a linear function of the parameters, and so of the arguments.

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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from dp_lsp.core import events, laws, term
from dp_lsp.core.algebra import NormVariable, Poly, Symbol, TooLong
from dp_lsp.core.constraints import Origin, Quantity, decide
from dp_lsp.core.evaluate import Substitution, norms_of, symbols_of
from dp_lsp.core.events import NOTHING, Awaited, Called, Cost, Leak, Parallel, Release, Sampled, Var, nodes, variables
from dp_lsp.core.linear import All, Choice, LinearForm, Part, Piece, chosen, combined, piece_of, side_by_side
from dp_lsp.core.scheme import NO_FORM, FunctionValue, Given, Judgement, Move, Open, Owned, Scheme, SchemeParameter
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.term import NormArgument, TruthArgument, TypeArgument, Written
from dp_lsp.core.types import (
    Container,
    Dataset,
    FunctionType,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    can_change,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import conditions, linear, publics
from dp_lsp.infer.effects import Effects, Evaluation
from dp_lsp.infer.inference import Inference, ValueSource, form_of
from dp_lsp.later import Later
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

Become = Callable[[Part], LinearForm | None]


def of_parameters(
    inference: Inference, method: term.Method, value: Judgement, given: Sequence[Judgement], values: Substitution
) -> Later[LinearForm | None]:
    """The value of a method as a linear form of its parameters, whose sources are their positions; None if
    it is none."""
    form = None if method.body is None else form_of(inference.solver, method.body.result, value)
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
        if not isinstance(source, ValueSource) or source.judgement not in places or not isinstance(piece, Piece):
            return None
        return LinearForm.of(Part(places[source.judgement], linear.put_into(piece, values)))

    try:
        found = _composed(form, become, values)
    except TooLong:
        return None
    return found if found is not None and all(map(_is_lasting, _numbers_of(found))) else None


def _numbers_of(form: LinearForm) -> Iterator[Poly]:
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
    return linear.is_shared([form_of(inference.solver, *each) for each in zip(node.args, arguments, strict=True)])


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


class InferredBody(NamedTuple):
    """The inferred body of a method: its parameters, its value, the effects of evaluating it, the side conditions found
    on the way, and the judgements of its parameters."""

    params: tuple[SchemeParameter, ...]
    result: Judgement
    effects: Effects
    settled: conditions.SettledConditions
    given: tuple[Judgement, ...]


class Around(NamedTuple):
    """The context of a function made inside another: the variables that belong to it, and how many deferred operations
    and computed public numbers there were before."""

    owned: Owned
    opens: int
    computed: int


def scheme(inference: Inference, method: term.Method, body: InferredBody, around: Around | None = None) -> Scheme:
    """The scheme of a method under the current substitution. Deferred operations on the types that it is general in
    become part of the scheme; the others stay with the function around it."""
    if around is None:
        inference.publics.tell_apart()
    values = inference.solver.substitution()
    params = tuple(_with_type(param, inference.solver.type(param.type)) for param in body.params)
    computed = frozenset(inference.publics.symbols[0 if around is None else around.computed :])
    returned = publics.from_outside(_solved(inference, body.result, values), computed)
    form = NO_FORM if method.privacy else of_parameters(inference, method, body.result, body.given, values)
    cost = _cost(body, method, values)
    if not body.settled.holds or (body.effects.costs and not method.privacy):
        returned, cost = _nothing_holds(body.params, returned, cost)
        form = NO_FORM
    types = [*(param.type for param in params), returned.type]
    if around is None:
        opens = tuple(_put(inference, each) for each in inference.solver.opens)
        general = owned(types, opens)
    else:
        opens, waiting = _own_opens(inference, params, around)
        general = replace(without(owned(types, opens), around.owned), types=waiting)
    if computed:
        in_sizes = owned([returned.type]).symbols & computed
        fixed = {symbol for symbol in computed if not symbol.varies}
        general = replace(general, symbols=(general.symbols - computed) | fixed | in_sizes)
    return Scheme(
        method.name,
        method.shown_signature,
        params,
        returned,
        cost,
        tuple(conditions.put_into(values, need) for need in body.settled.needs),
        general,
        method.privacy,
        opens,
        _failing(body.effects),
        inference.recorder.unknown,
        tuple(inference.recorder.boxes),
        tuple(inference.recorder.premises),
        real=inference.context.rules.computed and _is_real(inference, method, returned.type),
        linear=form,
        untyped=inference.recorder.untyped,
        rebindable=method.rebindable,
        printed=frozenset(var for each in body.effects.failures if each.prints for var in each.moves),
    )


def _with_type(param: SchemeParameter, type_: Type) -> SchemeParameter:
    return param if type_ is param.type else replace(param, type=type_)


def _is_real(inference: Inference, method: term.Method, type_: Type) -> bool:
    """Whether the result of a method is certainly made of numbers. It is asked of numbers only."""
    if not isinstance(type_, NumberType) or method.body is None:
        return False
    return type_.static is not None or inference.publics.is_real([method.body.result])


def _put(inference: Inference, each: Open) -> Open:
    """An open operation with all that is solved put in."""
    callee = each.callee if isinstance(each.callee, str) else inference.solver.type(each.callee)
    arguments = tuple(map(inference.given, each.arguments))
    return replace(each, callee=callee, arguments=arguments, result=inference.solver.type(each.result))


def _own_opens(
    inference: Inference, params: tuple[SchemeParameter, ...], around: Around
) -> tuple[tuple[Open, ...], frozenset[TypeVariable]]:
    """The operations that wait for the types of parameters, directly or for what others of them give, and all these
    types. They do not wait around the method any more."""
    types = set(without(owned(param.type for param in params), around.owned).types)
    own, others = [], inference.solver.opens[: around.opens]
    for each in inference.solver.opens[around.opens :]:
        put = _put(inference, each)
        about = owned([*_types(put.arguments), *_types([put.callee])]).types
        if types.isdisjoint(about):
            others.append(each)
        else:
            own.append(put)
            types |= without(owned([put.result]), around.owned).types
    inference.solver.opens = others
    return tuple(own), frozenset(types)


def _types(given: Iterable[Given | str]) -> list[Type]:
    return [each for each in given if not isinstance(each, str | Written)]


def _failing(effects: Effects) -> frozenset[Var] | None:
    if not effects.failures:
        return None
    return frozenset(var for failure in effects.failures for var in failure.moves)


def _cost(body: InferredBody, method: term.Method, values: Substitution) -> Cost:
    """What a call spends, seen from outside, with all that is solved put in."""
    if not body.effects.costs:
        return NOTHING
    spent = events.Sequence(body.effects.costs)
    seen = {param.var for param in body.params} | variables(spent)
    return Called(spent, {var: {var: ONE} for var in seen}, values, Origin(method.name_span, method.name))


def _nothing_holds(params: tuple[SchemeParameter, ...], returned: Judgement, cost: Cost) -> tuple[Judgement, Cost]:
    """A condition fails, or a random result is declared to be none: no bound is claimed for any parameter."""
    private = frozenset(param.var for param in params if not param.var.public)
    moved = {param.var: Move(INFINITY, param.span, laws.NOTHING_HOLDS) for param in params if param.var in private}
    if cost is not NOTHING:
        cost = events.Sequence(
            (cost, Leak(private, Origin(params[0].span if params else Span(0, 0), "a condition fails")))
        )
    return Judgement(returned.type, moved), cost


def _solved(inference: Inference, value: Judgement, values: Substitution) -> Judgement:
    moved = {var: _with_sens(move, values.sens(move.sens)) for var, move in value.moves.items()}
    parts = tuple(_solved(inference, part, values) for part in value.parts)
    reach = None if value.reach is None else value.reach.outside(values)
    return Judgement(inference.solver.type(value.type), moved, parts, reach)


def _with_sens(move: Move, value: Sens) -> Move:
    return move if value is move.sens else replace(move, sens=value)


def owned(types: Iterable[Type], opens: Iterable[Open] = ()) -> Owned:
    """The symbols, norm variables and type variables that occur in types and in deferred operations."""
    symbols: set[Symbol] = set()
    norms: set[NormVariable] = set()
    types_: set[TypeVariable] = set()
    pending: list[Given] = list(types)
    for each in opens:
        symbols.update(symbol for symbol in each.symbols if symbol is not None)
        if each.release is not None:
            symbols.update(each.release.epsilon + each.release.delta)
        pending += [*each.arguments, each.result]
        if not isinstance(each.callee, str):
            pending.append(each.callee)
    while pending:
        match pending.pop():
            case NumberType(static=static, bounds=bounds):
                ends = () if bounds is None else (bounds.low, bounds.high)
                symbols.update(*(symbols_of(each) for each in (static, *ends) if each is not None))
            case Container(norm=norm, length=length, rows=rows, element=element):
                symbols |= symbols_of(length) | (symbols_of(rows) if rows is not None else set())
                pending.append(element)
                if isinstance(norm, NormVariable):
                    norms.add(norm)
            case Dataset(records=records, least=least, radius=radius):
                pending.append(records)
                symbols.update(*(symbols_of(each) for each in (least, radius) if each is not None))
            case ModelType(size):
                symbols |= symbols_of(size)
            case TupleType(items):
                pending.extend(items)
            case FunctionType(value):
                inner = [_free(method) for method in value.methods]
                symbols.update(symbol for each in inner for symbol in each.symbols)
                norms.update(norm for each in inner for norm in each.norms)
                types_.update(variable for each in inner for variable in each.types)
            case TypeVariable() as variable:
                types_.add(variable)
            case NormArgument() | TypeArgument() | TruthArgument():
                pass
    return Owned(frozenset(symbols), frozenset(norms), frozenset(types_))


def _free(method: Scheme) -> Owned:
    """What stands in the types of a scheme and belongs to what is around it."""
    types = [param.type for param in method.params] + [method.result.type]
    return without(owned(types, method.opens), method.owned)


def without(all_: Owned, others: Owned) -> Owned:
    """The difference of two sets of variables."""
    return Owned(all_.symbols - others.symbols, all_.norms - others.norms, all_.types - others.types)


# Defaulting of norms that nobody sees


class _Wanted(NamedTuple):
    """A number that should be small, or ``large``."""

    number: Quantity
    large: bool = False

    def put(self, norm: NormVariable, chosen: Norm) -> Quantity:
        """The number where the norm is this one."""
        return conditions.put(Substitution({}, {norm: chosen}), self.number)


def default_norms(inference: Inference, types: Iterable[Type], found: Evaluation) -> None:
    """Choose the norm variables that occur in no type of parameters or result, so that the bounds are smallest: every
    choice is sound, as the value was measured in each norm. An entry of a vector is least sensitive in LInf, its sum in
    L1."""
    values = inference.solver.substitution()
    numbers = list(_numbers(inference, found))
    if not values.idle:
        numbers = [_Wanted(conditions.put(values, number), large) for number, large in numbers]
    open_norms = {norm for each in numbers for norm in norms_of(each.number)}
    if not open_norms:
        return
    seen = owned(map(inference.solver.type, (*types, found.value.type)), inference.solver.opens).norms
    for norm in sorted(open_norms - seen, key=lambda norm: norm.uid):
        about = [each for each in numbers if norm in norms_of(each.number)]
        best = Norm.L1
        for other in (Norm.LINF, Norm.L2):
            if all(_is_no_worse(each, norm, other, best) for each in about):
                best = other
        inference.solver.same_norm(norm, best)


def _is_no_worse(wanted: _Wanted, norm: NormVariable, chosen: Norm, before: Norm) -> bool:
    new, old = wanted.put(norm, chosen), wanted.put(norm, before)
    return decide(old, "<=", new) is True if wanted.large else decide(new, "<=", old) is True


def _numbers(inference: Inference, found: Evaluation) -> Iterator[_Wanted]:
    """How far the result moves, how far the inputs of mechanisms do, and what conditions compare."""
    yield from (_Wanted(move.sens) for move in found.value.moves.values())
    for constraint, _ in inference.solver.pending:
        yield _Wanted(constraint.left)
        yield _Wanted(constraint.right, large=True)
    for cost in found.effects.costs:
        for node in nodes(cost):
            yield from map(_Wanted, _distances(node))


def _distances(cost: Cost) -> Iterator[Quantity]:
    match cost:
        case Release(distance=moved):
            yield from moved.values()
        case Parallel(along=moved):
            yield from moved.values()
        case Called(along=along) | Sampled(along=along):
            yield from (distance for moved in along.values() for distance in moved.values())
        case Awaited(along=given):
            yield from (distance for moved in given for distance in moved.values())
