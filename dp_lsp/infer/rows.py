"""Overload resolution of builtins: the form of a row is chosen by the shapes of the arguments, its patterns are matched
against their types, and its preconditions are recorded as constraints."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dp_lsp import builtins
from dp_lsp.builtins import remedies
from dp_lsp.builtins.define import Args, Builtin, Demand, Each, Form, Parameter, Refusal
from dp_lsp.builtins.patterns import (
    AnyValue,
    Arrow,
    Binds,
    Box,
    GivenNorm,
    GivenTruth,
    GivenType,
    Num,
    NumberOrBox,
    Pattern,
    Sizes,
    Unifier,
    fits,
    needs_public,
)
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import ForRows, SampledRows
from dp_lsp.core import term
from dp_lsp.core.constraints import Constraint, Origin, decide
from dp_lsp.core.evaluate import Interval, speaks_of
from dp_lsp.core.metrics import is_data
from dp_lsp.core.notation import shown, type_words
from dp_lsp.core.ranges import at_worst, varies
from dp_lsp.core.scheme import Given
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Base, Bounds, Clip, Container, Dataset, Norm, NumberType, Type, TypeVariable
from dp_lsp.infer import conditions, explain, mechanisms, problems, publics
from dp_lsp.infer.effects import NONE, Effects
from dp_lsp.infer.inference import Inference
from dp_lsp.intents import Before, Through
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span


class Match(NamedTuple):
    """A form of a builtin that accepts the arguments, with the arguments by the names of its parameters."""

    form: Form
    args: Args


class NoMatch(NamedTuple):
    """No form accepts the arguments; the problem was reported. ``effects`` are those that a mechanism has even so."""

    effects: Effects = NONE


_UNLIKE = {
    "kind": "they are containers of different kinds",
    "norm": "they are measured in different norms",
    "dimension": "their sizes differ",
}


def solve(inference: Inference, node: term.Call, row: Builtin, given: Sequence[Given]) -> Match | NoMatch:
    """Choose the form of a builtin by the arguments' shapes and match it. Reports a problem where none accepts them."""
    forms = _taking(inference, row, len(given), node.keywords)
    if not forms:
        _wrong_count(inference, node, row, len(given) - len(node.keywords))
        return NoMatch()
    for form, params in forms:
        if all(map(_fits, params, given)):
            return _match(inference, node, row, form, params, given)
    fitting = [list(map(_fits, params, given)) for _, params in forms]
    fit = max(fitting, key=sum)
    wrong = fit.index(False)
    form, params = forms[fitting.index(fit)]
    if form.noise is not None and params[wrong].name in form.noise.exposed and isinstance(given[wrong], Dataset):
        span = node.args[wrong].span
        called = inference.code[row.name]
        inference.report(problems.SelectsFromData.at(span, written=inference.written(span), function=called))
        return NoMatch()
    _wrong_argument(inference, node, row, params[wrong].pattern, wrong, given[wrong])
    return NoMatch()


def certain(inference: Inference, node: term.Call, solved: Match, given: Sequence[Given]) -> list[Given] | None:
    """The arguments with the values removed of public numbers that may be NaN, or that vary and may miss a precondition
    of the form: the builtin then takes them as unknown numbers, if it can. None if nothing has to be removed."""
    form, args = solved
    if not any(map(publics.is_uncertain, given)):
        return None
    uncertain = form.applies is None and any(map(is_uncertain, form.demands(args)))
    params = form.parameters(len(given) - len(node.keywords), node.keywords) or ()
    found = []
    for param, value in zip(params, given, strict=True):
        left = publics.without_unreal(value)
        left = publics.without_varying(left) if uncertain else left
        found.append(value if needs_public(param.pattern) else left)
    if uncertain and not is_defined(builtins.TABLE[node.builtin], found):
        inference.publics.uncertain.add(node)
    return None if all(new is old for new, old in zip(found, given, strict=True)) else found


def is_defined(row: Builtin, given: Sequence[Given]) -> bool:
    """Whether a builtin has a value for everything that its arguments may be, by their bounds; NaN makes none fail."""
    known = [_ends(each) for each in given if isinstance(each, NumberType)]
    spans = [_span(each) for each in known if each is not None]
    shape = row.trait(Shape)
    made = shape.of(*spans, equal=False) if shape is not None and len(spans) == len(given) else None
    return made is not None and all(end is None or abs(end) < _MOST for end in made)


_MOST = 2**1023
"""What floats hold for certain; a result beyond may make a run fail."""
_ANY = Fraction(2**1022)
"""What a bound may be that nobody has given a number."""


def _span(bounds: Bounds) -> Interval:
    """Between which numbers a value lies, whatever numbers its bounds are given."""
    low, high = bounds.low.number, bounds.high.number
    return Interval(-_ANY if low is None else low, _ANY if high is None else high)


def _ends(number: NumberType) -> Bounds | None:
    """Between what a number lies: one that is written out is its own bounds."""
    value = number.static
    return Bounds(value, value) if value is not None and value.number is not None else number.bounds


def is_uncertain(demand: Demand) -> bool:
    """Whether public numbers that vary may violate a precondition."""
    left, relation, right, _ = demand
    if not (speaks_of(left, varies) or speaks_of(right, varies)) or decide(left, relation, right):
        return False
    worst = at_worst(Constraint(left, relation, right, Origin(Span(0, 0), "")))
    return worst is None or worst.decide() is False


def waits(inference: Inference, row: Builtin, given: Sequence[Given], keywords: tuple[str, ...] = ()) -> bool:
    """Whether the call of a builtin must be deferred, as its effect on sensitivities depends on types that are not
    known yet. A type with only one possibility is bound on the way. Releases and calls of functions are never deferred.
    """
    if not any(_is_open(inference, value) for value in given):
        return False
    forms = [each for each in _taking(inference, row, len(given), keywords) if _may_fit(each[1], given)]
    if len(forms) == 1:
        for param, value in zip(forms[0][1], given, strict=True):
            settled = (
                param.pattern.settled(value.name, inference.code.sizes) if isinstance(value, TypeVariable) else None
            )
            if isinstance(value, TypeVariable) and settled is not None:
                inference.solver.bind_type(value, settled)
    at_once = row.has(SampledRows) or bool(keywords)
    if at_once or any(form.noise is not None or form.applies is not None for form, _ in forms):
        assume(inference, row, given, keywords)
        return False
    return any(_decides(inference, params, given) for _, params in forms)


def assume(inference: Inference, row: Builtin, given: Sequence[Given], keywords: tuple[str, ...] = ()) -> None:
    """Default the unknown types of the arguments to the first that the builtin accepts."""
    forms = [params for _, params in _taking(inference, row, len(given), keywords) if _may_fit(params, given)]
    for index, value in enumerate(map(inference.given, given)):
        if forms and isinstance(value, TypeVariable):
            assumed = forms[0][index].pattern.assumed(value.name, inference.code.sizes)
            if assumed is not None:
                inference.solver.bind_type(value, assumed)
        elif forms and isinstance(value, Container) and _computes(forms[0][index]) and _is_open(inference, value):
            inference.solver.join(value.element, NumberType(Base.REAL))


def fitting(
    inference: Inference, row: Builtin, given: Sequence[Given], keywords: tuple[str, ...]
) -> tuple[Form, tuple[Parameter, ...]] | None:
    """The first form that accepts arguments of these shapes, with the parameter of each argument; None if there is
    none."""
    forms = _taking(inference, row, len(given), keywords)
    return next((each for each in forms if all(map(_fits, each[1], given))), None)


def constant_factor(inference: Inference, row: Builtin, given: Sequence[Given]) -> Sens | None:
    """The sensitivity of the result in every argument, if all types that are still possible have the same one; else
    None."""
    forms = [form for form, params in _taking(inference, row, len(given), ()) if _may_fit(params, given)]
    known = {form.factors.factor if isinstance(form.factors, Each) and not form.one_of else None for form in forms}
    return known.pop() if len(known) == 1 else None


def _computes(param: Parameter) -> bool:
    """Whether a row computes with the elements of a container."""
    box = param.pattern.box if isinstance(param.pattern, NumberOrBox) else param.pattern
    return isinstance(box, Box) and box.arithmetic


def _taking(
    inference: Inference, row: Builtin, count: int, keywords: tuple[str, ...]
) -> list[tuple[Form, tuple[Parameter, ...]]]:
    """The forms that take so many arguments, each with the parameter of every argument."""
    taking = [(form, form.parameters(count - len(keywords), keywords)) for form in inference.context.rules.forms(row)]
    return [(form, params) for form, params in taking if params is not None]


def _is_open(inference: Inference, value: Given) -> bool:
    if isinstance(value, Container):
        return isinstance(inference.solver.type(value.element), TypeVariable)
    return isinstance(value, TypeVariable)


def _may_fit(params: Sequence[Parameter], given: Sequence[Given]) -> bool:
    pairs = zip(params, given, strict=True)
    return all(isinstance(value, TypeVariable) or _fits(param, value) for param, value in pairs)


def _decides(inference: Inference, params: Sequence[Parameter], given: Sequence[Given]) -> bool:
    """Whether what a form does depends on a type that is not known."""
    for param, value in zip(params, map(inference.given, given), strict=True):
        if isinstance(value, TypeVariable) and not isinstance(param.pattern, AnyValue | Arrow):
            return True
        if _computes(param) and _is_open(inference, value):
            return True
    return False


def _fits(param: Parameter, given: Given) -> bool:
    pattern = param.pattern
    if isinstance(given, term.NormArgument):
        return isinstance(pattern, GivenNorm)
    if isinstance(given, term.TypeArgument):
        return isinstance(pattern, GivenType)
    if isinstance(given, term.TruthArgument):
        return isinstance(pattern, GivenTruth)
    return not isinstance(pattern, GivenNorm | GivenType | GivenTruth) and fits(pattern, given)


def _match(
    inference: Inference,
    node: term.Call,
    row: Builtin,
    form: Form,
    params: tuple[Parameter, ...],
    given: Sequence[Given],
) -> Match | NoMatch:
    inference.solver.place = node.span
    found = bound(params, given, inference.solver)
    if isinstance(found, Wrong):
        index, wrong = found
        value = given[index]
        assert not isinstance(value, term.Written), "what is written is only read"
        return NoMatch(_mismatch(inference, node, row, form, params[index], index, wrong, value))
    names = tuple(param.name for param in params)
    return Match(form, Args(names, tuple(map(inference.given_type, given)), found))


class Wrong(NamedTuple):
    """An argument that does not match its pattern, and the part of its type that is at fault."""

    place: int
    what: str


def bound(params: Sequence[Parameter], given: Sequence[Given], unifier: Unifier) -> Binds | Wrong:
    """Bind the variables of a form's patterns by the arguments; else the first argument that does not match."""
    binds = Binds()
    for index, (param, value) in enumerate(zip(params, given, strict=True)):
        if isinstance(value, term.NormArgument):
            binds.norms[param.name] = value.norm
        elif isinstance(value, term.TypeArgument):
            binds.types[param.name] = value.type
        elif isinstance(value, term.TruthArgument):
            binds.truths[param.name] = value.value
        elif (wrong := param.pattern.match(unifier.type(value), binds, unifier)) is not None:
            return Wrong(index, wrong)
    return binds


def _mismatch(
    inference: Inference,
    node: term.Call,
    row: Builtin,
    form: Form,
    param: Parameter,
    index: int,
    wrong: str,
    given: Type,
) -> Effects:
    argument = node.args[index]
    written = inference.written(argument.span)
    pattern = param.pattern
    if wrong == "static":
        whole = isinstance(pattern, Num) and pattern.bases == {Base.INTEGER}
        inference.report(explain.must_be_public(inference, argument, whole or isinstance(pattern, Sizes)))
        inference.give_up(f"`{written}` is not public")
        return NONE
    hidden = form.noise is not None and param.name == form.noise.hidden
    if hidden and wrong in ("element", "base") and _holds_data(inference, given):
        inference.report(_data_to_mechanism(inference, argument.span, written, given))
        inference.give_up("a mechanism was given Data")
        return mechanisms.nothing_hidden(argument.span)
    asked = pattern.norm if wrong == "norm" and isinstance(pattern, Box) and isinstance(pattern.norm, Norm) else None
    if wrong in _UNLIKE and asked is None:
        fixes = _measured_alike(inference, node, index, given) if wrong == "norm" else ()
        called = inference.code[row.name]
        inference.report(problems.DoesNotFit.at(node.span, function=called, reason=_UNLIKE[wrong], fixes=fixes))
    else:
        fixes = () if asked is None else measured(inference, argument.span, asked)
        _wrong_argument(inference, node, row, pattern, index, given, fixes)
    return NONE


def _holds_data(inference: Inference, type_: Type) -> bool:
    return is_data(inference.solver.type(type_.element) if isinstance(type_, Container) else type_)


def _data_to_mechanism(inference: Inference, span: Span, written: str, type_: Type) -> Problem:
    fixes: tuple[Fix, ...] = ()
    if isinstance(type_, Container) and type_.clip is not Clip.U:
        fixes = inference.fixes(Through("read it as real numbers", span, (remedies.READ,)))
    elif isinstance(type_, Container):
        title = "clip it in L2 and read it as real numbers (2-sensitive)"
        fixes = inference.fixes(Through(title, span, (remedies.CLIP, remedies.READ)))
    return problems.DataToMechanism.at(span, written=written, fixes=fixes)


def _measured_alike(inference: Inference, node: term.Call, index: int, given: Type) -> tuple[Fix, ...]:
    """A repair that measures an argument in the norm of one before it."""
    for other in node.args[:index]:
        known = inference.recorder.judgements.get(other)
        type_ = inference.type(known) if known else None
        if isinstance(type_, Container) and isinstance(given, Container):
            norm = inference.solver.norm(type_.norm)
            return measured(inference, node.args[index].span, norm) if isinstance(norm, Norm) else ()
    return ()


def measured(inference: Inference, span: Span, norm: Norm) -> tuple[Fix, ...]:
    """A repair that measures an expression in another norm."""
    return inference.fixes(Through(f"measure it in {norm.value}", span, (remedies.measure_in(norm),)))


def _wrong_argument(
    inference: Inference,
    node: term.Call,
    row: Builtin,
    pattern: Pattern,
    index: int,
    given: Given,
    fixes: tuple[Fix, ...] = (),
) -> None:
    place, wanted = node.args[index].span, pattern.words
    by_rows = row.trait(ForRows) if isinstance(given, Dataset) and given.records.rows is not None else None
    found = _words(given)
    if by_rows is not None:
        found += f"; `{inference.code[by_rows.builtin]}` takes those"
    inference.report(
        problems.WrongArgument.at(place, function=inference.code[row.name], wanted=wanted, given=found, fixes=fixes)
    )


def _words(given: Given) -> str:
    return "a norm, a type or a truth value" if isinstance(given, term.Written) else type_words(given)


def _wrong_count(inference: Inference, node: term.Call, row: Builtin, given: int) -> None:
    counts = sorted({sum(not param.keyword for param in form.params) for form in row.forms})
    more = " or more" if any(form.variadic for form in row.forms) else ""
    wanted = " or ".join(map(str, counts)) + more + (" argument" if counts == [1] and not more else " arguments")
    were = f"{given} {'is' if given == 1 else 'are'}"
    called = inference.context.language.builtins.spelling(row.name).call
    inference.report(problems.WrongCount.at(node.span, function=called, wanted=wanted, given=were))


def refused(inference: Inference, node: term.Call, row: Builtin, args: Args, refusal: Refusal) -> None:
    """Report that arguments of the right shapes do not go together, as the row explains."""
    dataset = next((node.args[index] for index, type_ in enumerate(args.types) if isinstance(type_, Dataset)), None)
    span = (dataset or node.args[0]).span
    written, whole = inference.written(span), inference.context.text[slice(*span)]
    code = written if written == whole else "…"
    reason = refusal.reason.replace("{dataset}", written).replace("{code}", code)
    if refusal.lacks is not None and dataset is not None:
        inference.recorder.lacking[node.span] = dataset, refusal.lacks
    unclipped = node.args[args.names.index(refusal.unclipped)] if refusal.unclipped else None
    if unclipped is not None and not isinstance(unclipped, term.Hole):
        span = unclipped.span
        fixes = _clipped_before(inference, node, span)
        found = problems.NotClipped.at(span, written=inference.written(span), fixes=fixes)
    elif refusal.uncounted:
        written = inference.written(node.span)
        found = problems.UnknownCount.at(node.span, written=written, reason=reason)
    else:
        found = problems.DoesNotFit.at(node.span, function=_called(inference, node, row), reason=reason)
    inference.report(found)
    if not found.unchecked:
        inference.give_up(reason)


def _called(inference: Inference, node: term.Call, row: Builtin) -> str:
    """What a call is of, in a message: a function, or the statement where that has no name, as `v[i] = x`."""
    name = inference.code[row.name]
    return inference.written(node.span) if name.startswith("[") and name.endswith("=") else name


def _clipped_before(inference: Inference, node: term.Call, span: Span) -> tuple[Fix, ...]:
    """A repair that clips an argument: where it stands or, if the call changes it in place, on the line before."""
    title, text = "clip it in L2", inference.context.text
    indent = text[text.rfind("\n", 0, node.span.start) + 1 : node.span.start]
    if not node.mutates or indent.strip():
        return inference.fixes(Through(title, span, (remedies.CLIP,)))
    return inference.fixes(Before(title, node.span.start, span, remedies.CLIP, in_place=True))


def demand(inference: Inference, node: term.Call, row: Builtin, form: Form, args: Args) -> None:
    """Record the preconditions of a form as constraints, to be decided once all variables are solved."""
    for left, relation, right, argument in form.demands(args):
        index = args.names.index(argument)
        value = getattr(args.types[index], "static", None)
        sides = [argument if side is value else shown(side) for side in (left, right)]
        reason = f"`{_called(inference, node, row)}` needs `{sides[0]} {relation} {sides[1]}`"
        inference.demand(left, relation, right, Origin(node.args[index].span, reason), conditions.fails)
