"""Method selection, as Julia does it at run time, decided from static types.

A value of type Real may be an integer at run time. So a method is chosen only if Julia would choose it for every value
of the arguments' types: it covers all of them, and is more specific than every other method that may apply to some.
Where none may apply the run may fail, which is observable. Source: the Julia manual, "Methods".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from dp_lsp.core import machine
from dp_lsp.core.annotation import Anything
from dp_lsp.core.events import NOTHING
from dp_lsp.core.notation import type_words
from dp_lsp.core.scheme import FunctionValue, Scheme
from dp_lsp.core.types import (
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
    Unknown,
)
from dp_lsp.infer import moves, problems, publics
from dp_lsp.infer.effects import NONE, Effects, failing
from dp_lsp.infer.inference import Inference
from dp_lsp.problem import Named, Problem, Related
from dp_lsp.text import Span

_DIMENSIONS = {Kind.VECTOR: 1, Kind.MATRIX: 2}
_NAMES = {FunctionType: "Function", ModelType: "DMModel", Container: "DMGrads"}


def waits(value: FunctionValue, types: Sequence[Type]) -> bool:
    """Whether selection must be deferred until more is known of the arguments. That of a function that may release is
    never deferred."""
    methods = [method for method in value.methods if len(method.params) == len(types)]
    if len(methods) < 2 or any(method.cost is not NOTHING for method in methods):
        return False
    return any(
        _is_open(type_) and not all(isinstance(method.params[index].declared, Anything) for method in methods)
        for index, type_ in enumerate(types)
    )


def _is_open(type_: Type) -> bool:
    if isinstance(type_, Container):
        return isinstance(type_.element, TypeVariable)
    return isinstance(type_, TypeVariable)


def choose(
    inference: Inference, span: Span, value: FunctionValue, types: Sequence[Type], by_name: bool = False
) -> Scheme | None:
    """The method that runs for all values of these argument types; None, with a problem, where it is not determined.
    ``by_name`` says that some arguments were given by name, else all have positions."""
    methods = [method for method in value.methods if len(method.params) == len(types)]
    if not by_name and any(param.by_name for method in methods for param in method.params):
        methods = []
    if not methods:
        wrong_count(inference, span, value, len(types), all_given=True)
        return None
    covers = {method: _cover(method, types) for method in methods}
    possible = [method for method in methods if Cover.NONE not in covers[method]]
    if not possible:
        given = ", ".join(map(given_words, types))
        inference.report(problems.NoMethod.at(span, name=value.name, given=given, related=_methods(span, methods)))
        return None
    least = Cover.OPEN if len(methods) == 1 else Cover.ALL
    for method in possible:
        others = [other for other in possible if other is not method]
        if min(covers[method], default=Cover.ALL) >= least and all(_is_more_specific(method, each) for each in others):
            return method
    if len(possible) == 1:
        return possible[0]
    is_certain = all(min(covers[method], default=Cover.ALL) is Cover.ALL for method in possible)
    inference.report(_not_told(span, value, possible, is_certain))
    return None


def applies(inference: Inference, span: Span, method: Scheme, types: Sequence[Type]) -> Effects | None:
    """The effect of calling a method that was chosen: where it may not take all values of these types, and there is no
    other one, the run may fail. Public values alone may decide that; else the failure tells how a private value is
    stored, of which nothing is known: then it cannot be called, which is None, with a problem."""
    covers = _cover(method, types)
    if Cover.SOME not in covers:
        return NONE
    for param, covered, type_ in zip(method.params, covers, types, strict=True):
        if covered is Cover.SOME and not publics.is_given(type_):
            signature, related = f"{method.name}{method.signature}", _methods(span, [method])
            inference.report(
                problems.MayHaveNoMethod.at(
                    span,
                    method=signature,
                    param=param.name,
                    given=given_words(type_),
                    related=related,
                    code=inference.code,
                )
            )
            return None
    return failing(moves.NOWHERE, span) if inference.context.rules.failures else NONE


def given_words(type_: Type) -> str:
    """The type of an argument for a message: the run-time type where it is known."""
    if isinstance(type_, NumberType):
        return machine.words(type_.stored) or type_words(type_)
    if isinstance(type_, Container) and type_.kind in _DIMENSIONS and not type_.stored & machine.ARRAY:
        return f"{type_words(type_)} that is no {type_.kind.value} (a range, an adjoint or another view)"
    return type_words(type_)


def _not_told(span: Span, value: FunctionValue, possible: list[Scheme], is_certain: bool) -> Problem:
    """Several methods may run; or, if it is certain that all of these may, none is more specific than the others."""
    *before, last = (f"`{value.name}{method.signature}`" for method in possible)
    which, fit = f"which method of `{value.name}` runs depends on values", "may all take these arguments"
    instead = "declare narrower types for the arguments, or give the methods names of their own"
    if is_certain:
        which, fit = (
            f"this call of `{value.name}` is ambiguous, and fails",
            "take these arguments, and none is narrower",
        )
        instead = "add a method for what all of them take, or give them names of their own"
    listed, related = f"{', '.join(before)} and {last}", _methods(span, possible)
    return problems.SeveralMethods.at(span, which=which, methods=listed, fit=fit, instead=instead, related=related)


def _methods(span: Span, methods: Sequence[Scheme]) -> tuple[Related, ...]:
    """Where some methods of a function stand."""
    sought = ((method, Named(method.name, signature=method.signature)) for method in methods)
    return tuple(Related(f"`{method.name}{method.signature}` is defined here", span, where) for method, where in sought)


def wrong_count(inference: Inference, span: Span, value: FunctionValue, given: int, all_given: bool = False) -> None:
    """Report a call with a number of positional arguments that no method takes. With ``all_given`` parameters with
    default values count as required."""
    placed = [[param for param in method.params if not param.by_name] for method in value.methods]
    needed = [len(each) if all_given else sum(param.default is None for param in each) for each in placed]
    counts = sorted({n for least, each in zip(needed, placed, strict=True) for n in range(least, len(each) + 1)})
    wanted = f"{' or '.join(map(str, counts))} argument{'' if counts == [1] else 's'}"
    were = f"{given} {'is' if given == 1 else 'are'}"
    related = _methods(span, value.methods)
    inference.report(problems.WrongCount.at(span, function=value.name, wanted=wanted, given=were, related=related))


class Cover(IntEnum):
    """Which values of a type have an annotation as a run-time type; ``OPEN`` while the type is not known."""

    NONE = 0
    SOME = 1
    OPEN = 2
    ALL = 3


def _cover(method: Scheme, types: Sequence[Type]) -> list[Cover]:
    return [cover(param.seen, type_) for param, type_ in zip(method.params, types, strict=True)]


def cover(declared: machine.Declared, type_: Type) -> Cover:
    """Which values of a type have an annotation as a run-time type: all, some or none."""
    match declared, type_:
        case (machine.AnyDeclared(), _):
            return Cover.ALL
        case (machine.Partly(of), _):
            return min(cover(of, type_), Cover.SOME)
        case (_, TypeVariable() | Unknown()):
            return Cover.OPEN
        case (_, Dataset(records=records)):
            return cover(declared, records)
        case (machine.Numbers(wanted), NumberType(stored=stored)):
            return _within(machine.values(stored), wanted)
        case (machine.Numbers(wanted), BoolType()):
            return _within(machine.BOOL, wanted)
        case (machine.Arrays(dimensions, elements, kinds), Container(kind=kind, element=element, stored=stored)):
            if kind not in _DIMENSIONS or dimensions not in (0, _DIMENSIONS[kind]) or not stored & kinds:
                return Cover.NONE
            found = _of_elements(elements, element)
            return min(found, Cover.SOME) if stored & ~kinds else found
        case (_, TupleType(label=Label(of=of))):
            return Cover.ALL if of and declared == machine.NominalType(of) else Cover.NONE
        case (machine.Tuples(wanted_items), TupleType(items)):
            if len(wanted_items) != len(items):
                return Cover.NONE
            return min(map(cover, wanted_items, items), default=Cover.SOME)  # `nothing` is a tuple of none here, too
        case (machine.NominalType(name), FunctionType() | ModelType() | Container(kind=Kind.GRADIENT)):
            return Cover.ALL if _NAMES[type(type_)] == name else Cover.NONE
    return Cover.NONE


def _within(stored: machine.Stored, wanted: machine.Stored) -> Cover:
    if not stored & ~wanted:
        return Cover.ALL
    return Cover.SOME if stored & wanted else Cover.NONE


def _of_elements(wanted: machine.Stored, element: Type) -> Cover:
    """The same for the element type of an array. All that is no number is of the widest annotation alone."""
    match element:
        case NumberType(stored=stored):
            return _within(stored, wanted)
        case BoolType():
            return _within(machine.BOOL, wanted)
    widest = bool(wanted & machine.ABSTRACT)
    if isinstance(element, TypeVariable | Unknown):
        return Cover.ALL if widest else Cover.OPEN
    return Cover.ALL if widest else Cover.NONE


def _is_more_specific(method: Scheme, other: Scheme) -> bool:
    """Whether a method is more specific than another, and not the same to Julia."""
    pairs = [(left.seen, right.seen) for left, right in zip(method.params, other.params, strict=True)]
    within = all(machine.within(left, right) for left, right in pairs)
    return within and not all(machine.within(right, left) for left, right in pairs)
