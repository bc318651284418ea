"""The rule of calls: rows of the builtin table, functions of the program, and builtins with a scope."""

from __future__ import annotations

from functools import reduce

from dp_lsp import builtins
from dp_lsp.builtins import remedies
from dp_lsp.builtins.define import Args, Builtin, Form, Parameter, Refusal, no_demands
from dp_lsp.builtins.patterns import Binds, Box, GivenNorm, GivenType, Num, Pattern, Sizes, fits
from dp_lsp.core import laws, term
from dp_lsp.core.constraints import Origin
from dp_lsp.core.display import type_words
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.metrics import diameter
from dp_lsp.core.notation import shown
from dp_lsp.core.scheme import BlackBox, Judgement
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.term import Term
from dp_lsp.core.types import (
    UNKNOWN,
    Base,
    Boxed,
    Container,
    FunctionType,
    Norm,
    NumberType,
    Type,
    Unknown,
    can_change,
)
from dp_lsp.infer import apply, conditions, explain, mechanisms, moves, problems
from dp_lsp.infer.inference import Failure, Inference
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Span

Argument = Judgement | Term

_UNLIKE = {
    "kind": "they are containers of different kinds",
    "norm": "they are measured in different norms",
    "dimension": "their sizes differ",
}


def builtin(inference: Inference, node: term.Call, arguments: list[Argument]) -> Judgement:
    """A use of a row: its form is chosen by the shapes of the arguments, its factors scale their moves."""
    row = builtins.TABLE[node.builtin]
    if any(isinstance(value, Judgement) and isinstance(inference.type(value), Unknown) for value in arguments):
        return Judgement(UNKNOWN, moves.NOWHERE)
    values = [value if isinstance(value, Judgement) else Judgement(UNKNOWN, moves.NOWHERE) for value in arguments]
    types = [inference.type(value) for value in values]
    solved = solve(inference, node, row, arguments, types)
    if solved is None or not _may_change(inference, node, row, solved[1]):
        return Judgement(UNKNOWN, moves.NOWHERE)
    form, args = solved
    result = form.result(args)
    if isinstance(result, Refusal):
        return _refused(inference, node, row, args, result)
    demand(inference, node, row, form, args)
    _may_fail(inference, node, form, args, values)
    if form.noise is not None:
        return mechanisms.release(inference, node, form.noise, args, values, result)
    factors = form.factors(args)
    for norm in {norm for factor in factors for norm in norms_of(factor)}:
        inference.solver.fix_norm(norm)
    return _moved(inference, node, form, args.names, factors, values, result)


def _may_change(inference: Inference, node: term.Call, row: Builtin, args: Args) -> bool:
    """Whether the argument that is changed in place, if one is, can be: a number or a vector is a value."""
    if not node.mutates or not inference.rules.ownership or row.mutates is None:
        return True
    index = args.names.index(row.mutates)
    if can_change(args.types[index]):
        return True
    given = type_words(args.types[index])
    wanted = "a gradient or a model"
    inference.report(
        problems.WrongArgument.at(node.args[index].span, function=f"{row.name}!", wanted=wanted, given=given)
    )
    return False


def _may_fail(inference: Inference, node: term.Call, form: Form, args: Args, values: list[Judgement]) -> None:
    """A value that decides whether the run fails tells something by that alone. Where the form has side conditions
    they exclude that a static value makes it fail."""
    if not inference.rules.failures:
        return
    excluded = form.demands is not no_demands
    deciding = [
        values[index].moves
        for index, name in enumerate(args.names)
        if name in form.fails_on and not (excluded and args.is_static(index))
    ]
    if deciding:
        seen = moves.combined(((moved, INFINITY) for moved in deciding), node.span, laws.FAILURE, node.builtin)
        inference.failures.append(Failure(seen, node.span))


def _moved(
    inference: Inference,
    node: term.Call,
    form: Form,
    names: tuple[str, ...],
    factors: tuple[Sens, ...],
    values: list[Judgement],
    result: Type,
) -> Judgement:
    """The result moves by the sum of what its arguments move, each times its factor; of those it is one of, by the
    largest."""
    named = list(zip(names, values, factors, strict=True))
    weighted = [(value.moves, factor) for name, value, factor in named if name not in form.one_of]
    choices = [value.moves for name, value, _ in named if name in form.one_of]
    if choices:
        weighted.append((reduce(lambda left, right: moves.larger(left, right, node.span), choices), ONE))
    together = moves.combined(weighted, node.span, node.builtin)
    most = _diameter(inference, values[0], inference.solver.type(result))
    return inference.judgement(result, moves.capped(together, most, node.span))


def _diameter(inference: Inference, first: Judgement, result: Type) -> Sens:
    """How far apart two results can be. The published checker knows that of vectors out of black boxes only."""
    most = diameter(result)
    boxed = isinstance(first.type, Boxed) and isinstance(result, Container) and most == ONE
    return most if inference.rules.diameter or boxed else INFINITY


def solve(
    inference: Inference, node: term.Call, row: Builtin, arguments: list[Argument], types: list[Type]
) -> tuple[Form, Args] | None:
    """The form of a row that the arguments have the shape of, matched; None, with a problem, if there is none."""
    placed = len(types) - len(node.keywords)
    taking = [(form, form.parameters(placed, node.keywords)) for form in inference.rules.forms(row)]
    forms = [(form, params) for form, params in taking if params is not None]
    if not forms:
        _wrong_count(inference, node, row, placed)
        return None
    fits = [[_fits(*each) for each in zip(params, arguments, types, strict=True)] for _, params in forms]
    for (form, params), fit in zip(forms, fits, strict=True):
        if all(fit):
            return _match(inference, node, row, form, params, arguments, types)
    fit = max(fits, key=sum)
    wrong = fit.index(False)
    _wrong_argument(inference, node, row, forms[fits.index(fit)][1][wrong].pattern, wrong, types[wrong])
    return None


def _fits(param: Parameter, argument: Argument, type_: Type) -> bool:
    pattern = param.pattern
    if isinstance(pattern, GivenNorm):
        return isinstance(argument, term.NormArgument)
    if isinstance(pattern, GivenType):
        return isinstance(argument, term.TypeArgument)
    return isinstance(argument, Judgement) and fits(pattern, type_)


def _match(
    inference: Inference,
    node: term.Call,
    row: Builtin,
    form: Form,
    params: tuple[Parameter, ...],
    arguments: list[Argument],
    types: list[Type],
) -> tuple[Form, Args] | None:
    binds = Binds()
    names = tuple(param.name for param in params)
    inference.solver.place = node.span
    for index, (argument, type_) in enumerate(zip(arguments, types, strict=True)):
        if isinstance(argument, term.NormArgument):
            binds.norms[names[index]] = argument.norm
        elif isinstance(argument, term.TypeArgument):
            binds.types[names[index]] = argument.type
        wrong = params[index].pattern.match(inference.solver.type(type_), binds, inference.solver)
        if wrong is not None:
            _mismatch(inference, node, row, form, params[index], index, wrong, types)
            return None
    return form, Args(names, tuple(inference.solver.type(type_) for type_ in types), binds)


def _mismatch(
    inference: Inference,
    node: term.Call,
    row: Builtin,
    form: Form,
    param: Parameter,
    index: int,
    wrong: str,
    types: list[Type],
) -> None:
    argument = node.args[index]
    written = inference.written(argument.span)
    pattern = param.pattern
    if wrong == "static":
        whole = isinstance(pattern, Num) and pattern.bases == {Base.INTEGER}
        what = "whole number" if whole or isinstance(pattern, Sizes) else "number"
        fixes = explain.make_static(inference, argument)
        inference.report(problems.MustBePublic.at(argument.span, written=written, what=what, fixes=fixes))
        inference.give_up(f"`{written}` is not public")
        return
    given = types[index]
    hidden = form.noise is not None and param.name == form.noise.hidden
    if hidden and wrong in ("element", "base") and _is_data(inference, given):
        inference.report(_data_to_mechanism(argument.span, written, given))
        mechanisms.nothing_hidden(inference, argument.span)
        inference.give_up("a mechanism was given Data")
        return
    if wrong in _UNLIKE and not (wrong == "norm" and isinstance(pattern, Box) and isinstance(pattern.norm, Norm)):
        inference.report(problems.DoesNotFit.at(node.span, function=row.name, reason=_UNLIKE[wrong]))
        return
    _wrong_argument(inference, node, row, pattern, index, given)


def _is_data(inference: Inference, type_: Type) -> bool:
    element = inference.solver.type(type_.element) if isinstance(type_, Container) else type_
    return isinstance(element, NumberType) and element.base is Base.DATA


def _data_to_mechanism(span: Span, written: str, type_: Type) -> Problem:
    fixes: tuple[Fix, ...] = ()
    if isinstance(type_, Container):
        fixes = (explain.wrap("clip it in L2 and read it as real numbers (2-sensitive)", span, remedies.CLIP_AND_READ),)
    return problems.DataToMechanism.at(span, written=written, fixes=fixes)


def _wrong_argument(
    inference: Inference, node: term.Call, row: Builtin, pattern: Pattern, index: int, given: Type
) -> None:
    inference.report(
        problems.WrongArgument.at(
            node.args[index].span, function=row.name, wanted=pattern.words, given=type_words(given)
        )
    )


def _wrong_count(inference: Inference, node: term.Call, row: Builtin, given: int) -> None:
    counts = sorted({sum(not param.keyword for param in form.params) for form in row.forms})
    more = " or more" if any(form.variadic for form in row.forms) else ""
    wanted = " or ".join(map(str, counts)) + more + (" argument" if counts == [1] and not more else " arguments")
    were = f"{given} {'is' if given == 1 else 'are'}"
    inference.report(problems.WrongCount.at(node.span, function=row.name, wanted=wanted, given=were))


def _refused(inference: Inference, node: term.Call, row: Builtin, args: Args, refusal: Refusal) -> Judgement:
    if refusal.unclipped:
        span = node.args[args.names.index(refusal.unclipped)].span
        fixes = (explain.wrap("clip it in L2", span, remedies.CLIP),)
        inference.report(problems.NotClipped.at(span, written=inference.written(span), fixes=fixes))
    else:
        inference.report(problems.DoesNotFit.at(node.span, function=row.name, reason=refusal.reason))
    inference.give_up(refusal.reason)
    return Judgement(UNKNOWN, moves.NOWHERE)


def demand(inference: Inference, node: term.Call, row: Builtin, form: Form, args: Args) -> None:
    """Hand the side conditions of a form on to be decided when everything is solved."""
    for left, relation, right, argument in form.demands(args):
        index = args.names.index(argument)
        value = getattr(args.types[index], "static", None)
        sides = [argument if side is value else shown(side) for side in (left, right)]
        reason = f"`{row.name}` needs `{sides[0]} {relation} {sides[1]}`"
        inference.demand(left, relation, right, Origin(node.args[index].span, reason), conditions.fails)


def function(inference: Inference, node: term.Apply, callee: Judgement, arguments: list[Judgement]) -> Judgement:
    """A call of a function of the program."""
    type_ = inference.type(callee)
    if isinstance(type_, Unknown):
        return Judgement(UNKNOWN, moves.NOWHERE)
    if not isinstance(type_, FunctionType):
        name = inference.written(node.function.span)
        inference.report(
            problems.WrongArgument.at(
                node.function.span, function=name, wanted="a function to call", given=type_words(type_)
            )
        )
        return Judgement(UNKNOWN, moves.NOWHERE)
    value = type_.value
    if value.black_box is not None:
        return _boxed(inference, node, value.black_box, arguments)
    return apply.call(inference, node, value, arguments)


def _boxed(inference: Inference, node: term.Apply, box: BlackBox, arguments: list[Judgement]) -> Judgement:
    """What a black box returns moves without bound with everything it is given, until ``unbox`` names its type."""
    if len(arguments) != len(box.params):
        given = f"{len(arguments)} {'is' if len(arguments) == 1 else 'are'}"
        wanted = f"{len(box.params)} argument{'' if len(box.params) == 1 else 's'}"
        inference.report(problems.WrongCount.at(node.span, function=box.name, wanted=wanted, given=given))
        return Judgement(UNKNOWN, moves.NOWHERE)
    apply.check_annotations(inference, node, box, arguments)
    parts = ((argument.moves, INFINITY) for argument in arguments)
    return Judgement(Boxed(box.name), moves.combined(parts, node.span, laws.BLACK_BOX, box.name))
