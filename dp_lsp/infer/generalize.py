"""Generalisation: from the inferred body of a method to its scheme, with its type and size variables, side conditions,
deferred constraints and privacy cost.

The norm of a vector is decided by its use: statistics and vector literals have a sensitivity in each norm. A norm that
occurs neither in the parameters nor in the result is defaulted last, before side conditions are decided, to the one
that gives the smallest bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dp_lsp.core import laws, term
from dp_lsp.core.algebra import NormVariable, Symbol
from dp_lsp.core.constraints import Origin, Quantity, decide
from dp_lsp.core.evaluate import Substitution, norms_of, symbols_of
from dp_lsp.core.events import (
    NOTHING,
    Awaited,
    Called,
    Cost,
    Leak,
    Parallel,
    Release,
    Sampled,
    Sequence,
    Var,
    nodes,
    variables,
)
from dp_lsp.core.scheme import NO_FORM, Given, Judgement, Move, Open, Owned, Scheme, SchemeParameter
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
)
from dp_lsp.core.values import replace
from dp_lsp.infer import conditions, publics, through
from dp_lsp.infer.effects import Effects, Evaluation
from dp_lsp.infer.inference import Inference
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


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
    form = NO_FORM if method.privacy else through.of_parameters(inference, method, body.result, body.given, values)
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
    spent = Sequence(body.effects.costs)
    seen = {param.var for param in body.params} | variables(spent)
    return Called(spent, {var: {var: ONE} for var in seen}, values, Origin(method.name_span, method.name))


def _nothing_holds(params: tuple[SchemeParameter, ...], returned: Judgement, cost: Cost) -> tuple[Judgement, Cost]:
    """A condition fails, or a random result is declared to be none: no bound is claimed for any parameter."""
    private = frozenset(param.var for param in params if not param.var.public)
    moved = {param.var: Move(INFINITY, param.span, laws.NOTHING_HOLDS) for param in params if param.var in private}
    if cost is not NOTHING:
        cost = Sequence((cost, Leak(private, Origin(params[0].span if params else Span(0, 0), "a condition fails"))))
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
