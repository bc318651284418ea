"""Functions: their parameters and bodies, and those that are made inside another function.

Return type annotations: each declared property is proved of the value, established where a conversion is free, or
refused.

Callers rely on all that is declared. So each property either follows from what was inferred, or becomes a side
condition where its symbols decide. The result is then measured and compared as declared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial

from dp_lsp import builtins
from dp_lsp.builtins import remedies
from dp_lsp.builtins.traits import SampledRows
from dp_lsp.core import annotation, events, laws, term
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.annotation import Annotation, ContainerOf, DatasetOf, NumberOf, Publics, TupleOf
from dp_lsp.core.constraints import Constraint, Origin, Quantity, decide
from dp_lsp.core.evaluate import norms_of, symbols_of
from dp_lsp.core.events import NOTHING, Cost, Var, variables
from dp_lsp.core.metrics import as_dataset, conversion, has_gap, has_whole_steps, holds_records, is_no_larger
from dp_lsp.core.notation import shown, type_words
from dp_lsp.core.scheme import FunctionValue, Judgement, Move, Moves, Owned, Scheme, SchemeParameter, Unit
from dp_lsp.core.sens import INFINITY, ONE, Way, is_chained, magnitude, maximum
from dp_lsp.core.term import Body, Local, Term
from dp_lsp.core.types import (
    Base,
    BoolType,
    Bounds,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    Label,
    ModelType,
    Norm,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
)
from dp_lsp.core.values import replace
from dp_lsp.infer import checks, conditions, generalize, moves, norms, parts, problems, units
from dp_lsp.infer.context import UnknownGlobal
from dp_lsp.infer.effects import Effects, Evaluation, in_sequence
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.publics import without_unreal, without_varying
from dp_lsp.infer.solver import ConditionMark, Mismatch
from dp_lsp.intents import DeclareLeast, Intent, Through
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind as ProblemKind
from dp_lsp.problem import Problem, Related
from dp_lsp.text import Span


def result(inference: Inference, method: term.Method, value: Judgement, publics: Publics) -> Judgement:
    """The judgement of a method's value as declared. Reports a value that is something else."""
    declared = annotation.instantiate(method.result, "the result", publics)
    given = inference.type(value)
    if isinstance(given, TypeVariable) and isinstance(declared, NumberType) and not given.releases:
        given = _taken_for(inference, given, declared)
    if _is_within(declared, given):
        promise = _Promise(inference, method, publics, checks.result_span(method), checks.result_term(method))
        return promise.kept(method.result, value)
    inference.report(
        problems.WrongResult.at(
            method.name_span, name=method.name, declared=type_words(declared), given=type_words(given)
        )
    )
    return value


def _taken_for(inference: Inference, given: TypeVariable, declared: NumberType) -> Type:
    """A run fails where its value cannot be converted to a number, so what may be any value is taken to be one."""
    try:
        return inference.solver.join(given, NumberType(declared.base))
    except Mismatch:
        return given


def _is_within(declared: Type, given: Type) -> bool:
    """Whether values are of the kind that is declared, whatever else is declared of them."""
    match declared, given:
        case (TypeVariable(), _) | (_, Unknown()):
            return True
        case (NumberType(a), NumberType(b)):
            return a is b or (a is Base.REAL and b is Base.INTEGER)
        case (Container(kind=a, element=inner), Container(kind=b, element=other)):
            return a is b and _is_within(inner, other)
        case (TupleType(items), TupleType(others)):
            return len(items) == len(others) and all(map(_is_within, items, others))
        case (Dataset(metric, records), _):
            found = as_dataset(given)
            alike = found is not None and metric in (found.metric, found.metric.unordered)
            return found is not None and alike and _is_within(records, found.records)
        case (ModelType(), ModelType()):
            return True
    return type(declared) is type(given)


class _Missed(NamedTuple):
    """A property that a result lacks: the kind of problem, what is declared and what is known in words, and what would
    mend it."""

    kind: type[ProblemKind]
    declared: str
    known: str
    remedy: Intent | None = None


class _Promise(NamedTuple):
    """What a method declares of its value, or of an item of it, which stands at ``span``. What it is written as is
    ``node``, or None where nothing is: then no repair can be."""

    inference: Inference
    method: term.Method
    publics: Publics
    span: Span
    node: term.Term | None

    def kept(self, declared: Annotation, value: Judgement) -> Judgement:
        """The value as it is declared."""
        type_ = self.inference.type(value)
        match declared, type_:
            case NumberOf(bounds=ends), NumberType() if ends is not None:
                certain = without_varying(without_unreal(type_))
                assert isinstance(certain, NumberType), "it stays a number"
                self._bounded(annotation.instantiate(declared, "", self.publics), certain)
            case ContainerOf(norm=Norm() as norm), Container():
                return self._measured(norm, value, type_)
            case DatasetOf(), Dataset() | Container():
                dataset = as_dataset(type_)
                assert dataset is not None, "it was found to be one"
                return replace(value, type=self._dataset(declared, dataset))
            case TupleOf(items), TupleType():
                parts = self.inference.items(value, len(items), self.span)
                kept = tuple(self._item(at).kept(items[at], part) for at, part in enumerate(parts))
                return replace(value, type=type_.put(part.type for part in kept), parts=kept)
        return value

    def _item(self, index: int) -> _Promise:
        """The same of an item, where it is written by itself."""
        if isinstance(self.node, term.MakeTuple):
            node = self.node.items[index]
            return self._replace(node=node, span=node.span)
        return self._replace(node=None)

    @property
    def _written(self) -> str:
        return f"`{self.inference.written(self.span)}`"

    def _measured(self, wanted: Norm, value: Judgement, box: Container) -> Judgement:
        """A container in the norm that is declared. One that nothing moves is the same point in every norm."""
        norm = self.inference.solver.norm(box.norm)
        if not isinstance(norm, Norm):
            self.inference.solver.same_norm(norm, wanted)
            return value
        measured = replace(box, norm=wanted)
        if norm is wanted or not value.moves:
            return replace(value, type=measured)
        if is_no_larger(wanted, norm):
            norms.notice(self.inference, self.span, measured, box)
            return replace(value, type=measured, moves=norms.in_smaller(value.moves, self.span))
        factor = shown(conversion(norm, wanted, box.length))
        known = f"{self._written} is measured in {norm.value}: in {wanted.value} it may move {factor} times as far"
        title = f"measure it in {wanted.value} (the sensitivity counts {factor} times)"
        remedy = Through(title, self.span, (remedies.measure_in(wanted),))
        self._missed(_Missed(problems.ResultNorm, type_words(measured), known, remedy))
        return value

    def _bounded(self, declared: Type, given: Type) -> None:
        """Numbers lie where it is declared: the interval that is known is within the one that is wanted."""
        wanted = declared.bounds if isinstance(declared, NumberType) else None
        if wanted is None or not isinstance(given, NumberType):
            return
        known = given.bounds if given.static is None else Bounds(given.static, given.static)
        low, high = shown(wanted.low), shown(wanted.high)
        title = f"keep it from {low} to {high}"
        remedy = Through(title, self.span, (remedies.within(wanted),))
        words = f"no bounds of {self._written} are known"
        if known is not None and known.low == known.high:
            words = f"{self._written} is {shown(known.low)}"
        elif known is not None:
            words = f"{self._written} is only known to lie between {shown(known.low)} and {shown(known.high)}"
        missed = _Missed(problems.ResultBounds, f"numbers from {low} to {high}", words, remedy)
        ends = () if known is None else ((wanted.low, "<=", known.low), (known.high, "<=", wanted.high))
        self._demand(missed, *ends)

    def _dataset(self, declared: DatasetOf, given: Dataset) -> Dataset:
        """A dataset with all that is declared of it."""
        wanted = annotation.instantiate(declared, "the result", self.publics)
        assert isinstance(wanted, Dataset), "a dataset is declared"
        self._bounded(wanted.records.element, given.records.element)
        found = self._rows(wanted, given) if declared.radius is not None else given
        found = self._sized(wanted, found) if declared.size is not None else found
        found = self._at_least(wanted.least, found) if wanted.least is not None else found
        return replace(found, metric=wanted.metric)

    def _rows(self, wanted: Dataset, given: Dataset) -> Dataset:
        """Rows no larger than is declared: as they are known to be in another norm, times what that may be in this one,
        or as their entries are."""
        norm, most = Norm(wanted.records.clip.value), wanted.radius
        if most is None:
            return given
        known = _size_of_rows(given)
        declared = f"rows of at most {shown(most)} in {norm.value}"
        words = f"no norm of the rows of {self._written} is known"
        if known is not None:
            words = f"the rows of {self._written} may measure up to {shown(known[1])} in {known[0].value}"
        title = f"scale its rows down to {shown(most)}"
        remedy = Through(title, self.span, (remedies.rows_within(norm, most),))
        missed = _Missed(problems.ResultRows, declared, words, remedy)
        if known is None:
            self._missed(missed)
            return given
        factor = conversion(known[0], norm, given.records.length)
        largest = known[1]
        if factor != ONE:
            largest = (magnitude(largest) if isinstance(largest, Poly) else largest) * factor
        self._demand(missed, (largest, "<=", most))
        radius = given.radius if factor == ONE and given.radius is not None else most
        return replace(given, records=replace(given.records, clip=Clip(norm.value)), radius=radius)

    def _sized(self, wanted: Dataset, given: Dataset) -> Dataset:
        """As many records as are declared, where their number is public."""
        size = wanted.size
        words = f"{self._written} has {_records(given.size)}"
        self._demand(_Missed(problems.ResultCount, _records(size), words), (given.size, "==", size))
        box = given.records
        return replace(given, records=replace(box, length=size) if box.rows is None else replace(box, rows=size))

    def _at_least(self, least: Poly, given: Dataset) -> Dataset:
        """No fewer records than are declared."""
        known = given.size if given.least is None and given.metric.sized else given.least
        words = f"{self._written} may have any number of them"
        if known is not None:
            words = f"{self._written} has {'at least ' if given.least is not None else ''}{_records(known)}"
        missed = _Missed(problems.ResultCount, f"at least {_records(least)}", words, self._said_of_parameter(least))
        self._demand(missed, *(() if known is None else ((least, "<=", known),)))
        return given if given.least is not None else replace(given, least=least)

    def _said_of_parameter(self, least: Poly) -> Intent | None:
        """Have the one parameter that is a dataset of unknown size hold so many records."""
        found = [
            param for param in self.method.params if isinstance(param.type, DatasetOf) and param.type.least is None
        ]
        number = least.number
        return DeclareLeast(found[0].span, int(number)) if len(found) == 1 and number is not None else None

    def _demand(self, missed: _Missed, *needs: tuple[Quantity, str, Quantity]) -> None:
        """All of these must hold; without any, nothing is known and it is missed."""
        if not needs or any(decide(*need) is False for need in needs):
            self._missed(missed)
            return
        reason = f"`{self.method.name}` is declared to return {missed.declared}"

        def failed(_: Constraint) -> Problem:
            return self._problem(missed)

        for left, relation, right in needs:
            self.inference.demand(left, relation, right, Origin(self.span, reason), failed)

    def _missed(self, missed: _Missed) -> None:
        self.inference.report(self._problem(missed))

    def _problem(self, missed: _Missed) -> Problem:
        name = self.method.name
        remedy = missed.remedy if self.node is not None else None
        fixes = () if remedy is None else self.inference.fixes(remedy)
        related = (Related(f"what `{name}` returns is declared here", self.method.header),)
        return missed.kind.at(
            self.span,
            name=name,
            declared=missed.declared,
            known=missed.known,
            related=related,
            fixes=fixes,
        )


def _records(number: Poly) -> str:
    return f"{shown(number)} record{'' if number.number == 1 else 's'}"


def _size_of_rows(given: Dataset) -> tuple[Norm, Quantity] | None:
    """How much a row measures at most, and in which norm: as it was clipped, or as its largest entry."""
    element = given.records.element
    if given.radius is not None:
        return Norm(given.records.clip.value), given.radius
    if isinstance(element, NumberType) and element.bounds is not None:
        return Norm.LINF, maximum((magnitude(element.bounds.low), magnitude(element.bounds.high)))
    return None


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
        if type_.label.of:
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
    as_declared = result(inference, method, found.value, known)
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
