"""Which method of a function runs: Julia's choice, by what the arguments may be when the program runs.

A value whose type is Real may be an integer at run time, so a method is chosen only if every value of the arguments'
types makes Julia choose it. Source: the Julia manual, "Methods"; type_system section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dp_lsp.core.annotation import (
    AFunction,
    AModel,
    Annotation,
    Anything,
    ContainerOf,
    DatasetOf,
    NumberOf,
    Truth,
    TupleOf,
)
from dp_lsp.core.display import type_words
from dp_lsp.core.events import NOTHING
from dp_lsp.core.scheme import FunctionValue, Scheme
from dp_lsp.core.types import (
    Base,
    BoolType,
    Container,
    Dataset,
    FunctionType,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.problem import Named, Problem, Related
from dp_lsp.text import Span


def waits(value: FunctionValue, types: Sequence[Type]) -> bool:
    """Whether the choice must wait until more is known of the arguments. One that may release something does not."""
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


def choose(inference: Inference, span: Span, value: FunctionValue, types: Sequence[Type]) -> Scheme | None:
    """The method that runs, whatever the arguments of these types are; None, with a problem, if that is not one."""
    methods = [method for method in value.methods if len(method.params) == len(types)]
    if not methods:
        _wrong_count(inference, span, value, len(types))
        return None
    if len(methods) == 1:
        return methods[0]
    possible = [method for method in methods if _all(_may_be, method, types)]
    if not possible:
        given = ", ".join(map(type_words, types))
        inference.report(problems.NoMethod.at(span, name=value.name, given=given, related=_methods(span, methods)))
        return None
    for method in possible:
        others = [other for other in possible if other is not method]
        if _all(_is_certainly, method, types) and all(_is_more_specific(method, other) for other in others):
            inference.chosen += [_not_told(span, value, possible)] if _wants_integers(method) else []
            return method
    inference.report(_not_told(span, value, possible))
    return None


def _not_told(span: Span, value: FunctionValue, possible: list[Scheme]) -> Problem:
    listed = " and ".join(f"`{value.name}{method.signature}`" for method in possible)
    return problems.SeveralMethods.at(span, name=value.name, methods=listed, related=_methods(span, possible))


def _methods(span: Span, methods: Sequence[Scheme]) -> tuple[Related, ...]:
    """Where some methods of a function stand."""
    sought = ((method, Named(method.name, signature=method.signature)) for method in methods)
    return tuple(Related(f"`{method.name}{method.signature}` is defined here", span, where) for method, where in sought)


def _wants_integers(method: Scheme) -> bool:
    """Whether a method is for integers; a whole number that is stored as a float is none to Julia."""
    pending = [param.declared for param in method.params]
    while pending:
        match pending.pop():
            case NumberOf(Base.INTEGER) | ContainerOf(element=Base.INTEGER):
                return True
            case TupleOf(items):
                pending.extend(items)
    return False


def settle(inference: Inference) -> None:
    """What is computed later may reach a call in the next round of a loop: if there are whole numbers that are stored
    as floats anywhere, no method was chosen because its argument is an integer."""
    for problem in inference.chosen if inference.floats else ():
        inference.report(problem)


def _wrong_count(inference: Inference, span: Span, value: FunctionValue, given: int) -> None:
    counts = sorted({len(method.params) for method in value.methods})
    wanted = f"{' or '.join(map(str, counts))} argument{'' if counts == [1] else 's'}"
    were = f"{given} {'is' if given == 1 else 'are'}"
    related = _methods(span, value.methods)
    inference.report(problems.WrongCount.at(span, function=value.name, wanted=wanted, given=were, related=related))


def _all(test: Callable[[Annotation, Type], bool], method: Scheme, types: Sequence[Type]) -> bool:
    return all(test(param.declared, type_) for param, type_ in zip(method.params, types, strict=True))


def _is_certainly(declared: Annotation, type_: Type) -> bool:
    """Whether every value of a type is one of an annotation when the program runs."""
    match declared, type_:
        case (Anything(), _):
            return True
        case (DatasetOf(records=records), _):
            return _is_certainly(records, type_)
        case (_, Dataset(records=held)):
            return _is_certainly(declared, held)
        case (NumberOf(base, stored), NumberType(of)):
            return _holds(base, stored, of)
        case (ContainerOf(kind), Container(kind=of_kind, element=inner)):
            return kind is of_kind and _is_certainly(_elements(declared), inner)
        case (TupleOf(items), TupleType(parts)):
            return len(items) == len(parts) and all(map(_is_certainly, items, parts))
    return _same_kind(declared, type_)


def _elements(declared: ContainerOf) -> Annotation:
    match declared.element:
        case None:
            return Anything()
        case Base() as base:
            return NumberOf(base, declared.stored)
        case truth:
            return truth


def _holds(base: Base, stored: str, given: Base) -> bool:
    """Whether all numbers of a base are of an abstract type of Julia; a concrete one holds only some."""
    return not stored and (base is not Base.INTEGER or given is Base.INTEGER)


def _may_be(declared: Annotation, type_: Type) -> bool:
    """Whether some value of a type is one of an annotation when the program runs."""
    match declared, type_:
        case (Anything(), _) | (_, TypeVariable()):
            return True
        case (DatasetOf(records=records), _):
            return _may_be(records, type_)
        case (_, Dataset(records=held)):
            return _may_be(declared, held)
        case (NumberOf(), NumberType()):
            return True
        case (NumberOf(base, stored), BoolType()):
            return not stored and base is not Base.DATA
        case (Truth(), NumberType(static=static)):  # a Bool is an Integer
            return static is None or static.number is None
        case (ContainerOf(kind), Container(kind=of_kind)):
            return kind is of_kind
        case (TupleOf(items), TupleType(parts)):
            return len(items) == len(parts) and all(map(_may_be, items, parts))
    return _same_kind(declared, type_)


def _same_kind(declared: Annotation, type_: Type) -> bool:
    match declared, type_:
        case (Truth(), BoolType()) | (AModel(), ModelType()) | (AFunction(), FunctionType()):
            return True
    return False


def _is_more_specific(method: Scheme, other: Scheme) -> bool:
    """Whether a method is more specific than another, and not the same to Julia."""
    pairs = [(left.declared, right.declared) for left, right in zip(method.params, other.params, strict=True)]
    within = all(_is_subtype(left, right) for left, right in pairs)
    return within and not all(_is_subtype(right, left) for left, right in pairs)


def _is_subtype(left: Annotation, right: Annotation) -> bool:
    match left, right:
        case (_, Anything()):
            return True
        case (DatasetOf(records=records), _):
            return _is_subtype(records, right)
        case (_, DatasetOf(records=records)):
            return _is_subtype(left, records)
        case (NumberOf(a, stored), NumberOf(b, wanted)):
            return _is_number_within(a, stored, b, wanted)
        case (Truth(), NumberOf(base, stored)):
            return not stored and base is not Base.DATA
        case (ContainerOf(kind), ContainerOf(other)):
            return kind is other and _is_subtype(_elements(left), _elements(right))
        case (TupleOf(items), TupleOf(others)):
            return len(items) == len(others) and all(map(_is_subtype, items, others))
        case (AFunction(), AFunction()):
            return True
    return left == right


def _is_number_within(left: Base, stored: str, right: Base, wanted: str) -> bool:
    """Integer is within Real, which Data is too; a concrete type is within the abstract ones."""
    if wanted:
        return stored == wanted
    return right is not Base.INTEGER or left is Base.INTEGER
