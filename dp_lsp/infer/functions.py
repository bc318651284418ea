"""Functions: their parameters and bodies, and those that are made inside another function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from dp_lsp import builtins
from dp_lsp.builtins.traits import SampledRows
from dp_lsp.core import annotation, events, laws, term
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.annotation import NumberOf
from dp_lsp.core.constraints import Origin
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.events import NOTHING, Cost, Var, variables
from dp_lsp.core.metrics import has_gap, has_whole_steps, holds_records
from dp_lsp.core.scheme import FunctionValue, Judgement, Move, Moves, Owned, Scheme, SchemeParameter, Unit
from dp_lsp.core.sens import INFINITY, Way, is_chained
from dp_lsp.core.term import Body, Local, Term
from dp_lsp.core.types import (
    Base,
    BoolType,
    Container,
    Dataset,
    FunctionType,
    Kind,
    Label,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import checks, conditions, declared, generalize, moves, parts, problems, units
from dp_lsp.infer.context import UnknownGlobal
from dp_lsp.infer.effects import Effects, Evaluation, in_sequence
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import ConditionMark
from dp_lsp.text import Span


def parameter(
    inference: Inference,
    param: term.Param,
    publics: annotation.Publics,
    otherwise: Callable[[], frozenset[term.Local]] = frozenset,
    usual: int = 1,
    called_with: Type | None = None,
) -> SchemeParameter:
    """Bind a parameter. ``otherwise`` tells the locals that are used for anything but drawing rows, ``usual`` is the
    contribution bound where no annotation says one, ``called_with`` the type of the argument where a parameter has no
    annotation and that is known."""
    name = param.local.name
    type_ = annotation.instantiate(param.type, name, publics, inference.code.sizes)
    if called_with is not None and isinstance(type_, TypeVariable) and not type_.releases:
        type_ = called_with
    if name in publics and isinstance(type_, NumberType):
        type_ = replace(type_, static=publics[name])
    if isinstance(type_, TupleType) and type_.label is not None:
        must_be_alone(inference, type_.label)
        type_ = _public_parts(name, type_, type_.label) if param.static else type_
    public = param.static or isinstance(type_, ModelType)  # nothing is claimed about a model
    only_drawn = param.local not in otherwise() if _may_hold_rows(type_) else None
    var = Var(name, gap=has_gap(type_), public=public, only_drawn=only_drawn, chained=is_chained(type_))
    if isinstance(type_, Dataset) and not type_.size.evidently_nonnegative:
        inference.demand(Poly.of(0), "<=", type_.size, Origin(param.span, "a size is not negative"), conditions.fails)
    unit = _unit(inference, param, type_, publics, usual)
    value = _value(inference, type_, var, param.span, usual)
    if unit is not None:
        value = replace(value, moves=units.of_a_person(value.moves, unit.records, param.span))
    inference.define(param.local, value)
    inference.solver.chosen |= _sizes(type_)
    inference.context.parameters.add(param.span)
    return SchemeParameter(
        *(name, var, type_, param.static, param.span, param.type, unit, param.seen),
        param.default,
        param.by_name,
        param.either_way,
    )


def must_be_alone(inference: Inference, label: Label) -> None:
    """Require that the declaration of a structure is known, and that there is no other constructor."""
    found = inference.context.resolve(label.of)
    if not isinstance(found, FunctionValue) or len(found.methods) != 1:
        reason = f" ({found.reason})" if isinstance(found, UnknownGlobal) else ""
        inference.give_up(f"`{label.of}` is not only what its definition says{reason}")


def _public_parts(name: str, type_: TupleType, label: Label) -> TupleType:
    """A structure whose parts are public, each with a number of its own."""
    return type_.put(
        replace(item, static=Poly.of(Symbol(f"{name}[{part}]", integer=item.base is Base.INTEGER)))
        if isinstance(item, NumberType)
        else item
        for part, item in zip(label.names, type_.items, strict=True)
    )


def _unit(inference: Inference, param: term.Param, type_: Type, publics: annotation.Publics, usual: int) -> Unit | None:
    """The unit of a parameter; there must be a record for it to be about somebody."""
    records = units.steps(param.type, type_, publics, usual)
    if records is None or param.static:
        return None
    inference.demand(Poly.of(1), "<=", records, Origin(param.span, "a person has a record"), conditions.fails)
    return Unit(records)


def publics(method: term.Method) -> annotation.Publics:
    """The values of the `Static()` numbers among a method's parameters."""
    return {
        param.local.name: Poly.of(Symbol(param.local.name, integer=param.type.base is Base.INTEGER))
        for param in method.params
        if param.static and isinstance(param.type, NumberOf)
    }


def _sizes(type_: Type) -> set[Symbol]:
    """The symbols of sizes in the type of a parameter."""
    match type_:
        case Container(length=length, rows=rows):
            return symbols_of(length) | (set() if rows is None else symbols_of(rows))
        case Dataset(records=records):
            return _sizes(records)
        case TupleType(items):
            return set[Symbol]().union(*map(_sizes, items))
    return set()


def _may_hold_rows(type_: Type) -> bool:
    """Whether a value may be made of the rows, or entries, of many people."""
    match type_:
        case Container(kind=kind):
            return kind is not Kind.GRADIENT
        case TupleType(items):
            return any(map(_may_hold_rows, items))
    return not isinstance(type_, NumberType | BoolType | ModelType | Dataset)


def _value(inference: Inference, type_: Type, var: Var, span: Span, usual: int) -> Judgement:
    """The value of a parameter. The items of a tuple move apart from each other, each with a variable of its own; those
    that are made of records with a person."""
    if not isinstance(type_, TupleType):
        return inference.judgement(type_, moves.own(var, span, Way.RISES))
    items = []
    for item in type_.items:
        part = var if isinstance(item, TupleType) else Var(var.name, has_gap(item), var.public)
        if part is not var:
            inference.context.tuples[part] = var
        value = _value(inference, item, part, span, usual)
        if usual > 1 and holds_records(item):
            value = replace(value, moves=units.of_a_person(value.moves, Poly.of(usual), span))
        items.append(value)
    return inference.tuple_of(span, items, type_.label)


def _from_outside(tuples: Mapping[Var, Var], found: Evaluation, span: Span) -> Evaluation:
    """What was found of a body, for who knows nothing of the items of its parameters."""
    failures = tuple(
        each._replace(moves=moves.of_tuples(each.moves, tuples, each.span)) for each in found.effects.failures
    )
    return Evaluation(_whole(tuples, found.value, span), found.effects._replace(failures=failures))


def _whole(tuples: Mapping[Var, Var], value: Judgement, span: Span) -> Judgement:
    """A value with the parameters in the place of their items."""
    parts = tuple(_whole(tuples, part, span) for part in value.parts)
    return Judgement(value.type, moves.of_tuples(value.moves, tuples, span), parts)


def body(
    inference: Inference,
    method: term.Method,
    since: ConditionMark,
    usual: int = 1,
    called_with: tuple[Type | None, ...] = (),
    nested: bool = False,
) -> generalize.InferredBody:
    """Infer the body of a method and check it against the signature. ``usual`` is the contribution bound where no
    annotation says one, ``called_with`` the argument types of parameters without annotations, as far as known; a
    ``nested`` method is a closure."""
    assert method.body is not None, "a black box has no body"
    otherwise = cache(partial(_used_otherwise, method.body))  # most functions have no rows
    known = publics(method)
    types = called_with if len(called_with) == len(method.params) else (None,) * len(method.params)
    pairs = zip(method.params, types, strict=True)
    params = tuple(parameter(inference, param, known, otherwise, usual, type_) for param, type_ in pairs)
    given = tuple(inference.context.environment[param.local] for param in method.params)
    if not nested:
        inference.context.given |= {param.local for param in method.params}
        inference.context.protects = method.privacy
        inference.context.whole |= {each.var for each in params if has_whole_steps(each.type)}
        inference.context.undeclared = frozenset(each.var for each in params if annotation.is_silent(each.declared))
    inference.context.parts[inference.context.home] = parts.of(params)
    found = inference.body(method.body)
    cost = parts.in_parts(inference, found.effects.cost, method.name_span)
    if found.effects.costs:
        found = found._replace(effects=found.effects._replace(costs=(cost,)))
    own = {param.var for param in params}
    tuples = {item: whole for item, whole in inference.context.tuples.items() if whole in own}
    if tuples:
        found = _from_outside(tuples, found, method.body.result.span)
    if inference.publics.symbols and found.effects.costs:
        found = found._replace(effects=_at_most(inference, found.effects))
    spent = found.effects.costs
    as_declared = declared.result(inference, method, found.value, known)
    returned = checks.returned(inference, method, as_declared)
    if returned.type != as_declared.type:
        returned = replace(returned, form=None)
    found = found._replace(value=returned)
    found = checks.with_failures(inference, method, found)
    lost = checks.check_privacy(inference, method, found)
    found = Evaluation(found.value, in_sequence((found.effects, lost)))
    if not nested:
        generalize.default_norms(inference, (param.type for param in params), found)
    settled = conditions.settle(inference, since)
    if inference.context.uneven and spent and not nested:
        from dp_lsp.infer import unrolled  # only a loop whose rounds differ has noted something

        better = unrolled.spent(inference, method, params, given, spent[0], settled.needs)
        found = found._replace(effects=_with_costs(found.effects, spent, better))
    params = units.marked(params, inference.solver.whole, inference.solver.uneven)
    return generalize.InferredBody(params, found.value, found.effects, settled, given)


def _with_costs(effects: Effects, before: tuple[Cost, ...], after: Cost) -> Effects:
    """Effects with another cost in the place of one."""
    return effects._replace(costs=tuple(after if each in before else each for each in effects.costs))


def _at_most(inference: Inference, effects: Effects) -> Effects:
    """Effects whose costs are the largest that they can be, with a problem for what nothing bounds."""
    from dp_lsp.infer import prices  # most functions that compute public numbers release nothing

    found = [prices.at_most(cost) for cost in effects.costs]
    for lost in (each for price in found for each in price.lost if prices.is_made_for_something(each)):
        span, reason = prices.origin(lost)
        names = sorted(
            {symbol.name for number in events.numbers(lost) for symbol in symbols_of(number) if symbol.varies}
        )
        inference.report(problems.NoLargestPrice.at(span, mechanism=reason, names="` and `".join(names)))
    return effects._replace(costs=tuple(price.cost for price in found))


def closure(inference: Inference, node: term.Closure) -> Judgement:
    """The judgement of a closure: in what it captures it is as sensitive as one call, for whatever arguments. What a
    call may release or fail by is a leak unless it is called by name."""
    schemes, moved = [], moves.NOWHERE
    for method in node.methods:
        scheme, captured = _method(inference, method, inference.context.expected.get(node, ()))
        schemes.append(scheme)
        moved = moves.larger(moved, captured, node.span) if moved else captured
    value = FunctionValue(node.methods[0].name, tuple(schemes), home=inference.context.home)
    return Judgement(FunctionType(value), moved)


def _method(inference: Inference, method: term.Method, called_with: tuple[Type, ...] = ()) -> tuple[Scheme, Moves]:
    since, opens = inference.solver.mark(), len(inference.solver.opens)
    computed = len(inference.publics.symbols)
    around, inference.recorder.untyped = inference.recorder.untyped, min(method.boxed, default="")
    with inference.context.inside():
        inferred = body(inference, method, since, called_with=called_with, nested=True)
        known = map(inference.context.judgement, _read_around(inference, method))
        types = [inference.type(each) for each in known if each is not None]  # of others nothing was understood
        owned = generalize.owned([*types, *called_with])
        scheme = generalize.scheme(inference, method, inferred, generalize.Around(owned, opens, computed))
    inference.recorder.untyped = around
    return scheme, _captured(scheme, method.span)


def _read_around(inference: Inference, method: term.Method) -> set[term.Local]:
    """The locals of the function around a method that are read in it, or in functions made in it."""
    nodes = () if method.body is None else term.within(term.of_body(method.body))
    read = {node.local for node in nodes if isinstance(node, term.Use)}
    spread = inference.context.spread
    return {local for local in read if local in spread or not method.span.covers(local.span.start)}


def _captured(scheme: Scheme, span: Span) -> Moves:
    """How far a function moves with what it captured: without bound where that depends on its arguments, or is about
    what it releases or fails by."""
    own = {param.var for param in scheme.params}
    moved = {var: move for var, move in scheme.result.moves.items() if var not in own}
    lost = {var for var, move in moved.items() if _is_about(move, scheme.owned)}
    exposed = set() if scheme.cost is NOTHING else variables(scheme.cost)
    for var in lost | (exposed | (scheme.failing or frozenset())) - own:
        moved |= moves.scaled(moves.own(var, span), INFINITY, span, laws.CALL, scheme.name)
    return moved


def _is_about(move: Move, owned: Owned) -> bool:
    return bool(symbols_of(move.sens) & owned.symbols or norms_of(move.sens) & owned.norms)


def _used_otherwise(body: Body) -> frozenset[Local]:
    """All locals that are read other than to draw rows of them, each by a coin of its own. What a function does depends
    on which rows there are in the others only through samples of them: it asks nowhere how many rows there are."""
    found: set[Local] = set()
    pending: list[Term] = list(term.of_body(body))
    while pending:
        node = pending.pop()
        if isinstance(node, term.Use):
            found.add(node.local)
        elif isinstance(node, term.Scope) and isinstance(node.bind.term, term.Call):
            call = node.bind.term
            sampled = builtins.TABLE[call.builtin].trait(SampledRows)
            alone = sampled is not None and sampled.scheme is events.Sampling.POISSON
            pending += (arg for arg in call.args if not (alone and isinstance(arg, term.Use)))
            pending += term.of_body(node.rest)
        else:
            pending += term.parts(node)
    return frozenset(found)
