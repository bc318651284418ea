"""Whether a private function says whom it protects.

A guarantee is about neighbours, and which inputs are neighbours is decided by the type of a parameter. A dataset has
records, so its neighbours differ in what one person gave; a vector of Data has entries that are replaced. A vector or
matrix of numbers that is measured by a norm has neighbours that are at most 1 apart: another person's record may be
further away than that, and nothing is said of it. Source: the definitions of the metrics in the type system.
"""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.builtins.remedies import datasets
from dp_lsp.core import term
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, NumberOf
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.types import Base, Container, Dataset, Kind, Norm, NumberType, TupleType, Type
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.intents import DeclareRecords
from dp_lsp.problem import Severity


def ask(inference: Inference, method: term.Method, shown: Scheme) -> None:
    """Report a private function whose neighbours hang on a type that nobody wrote, and warn where it protects numbers
    instead of records. Says nothing more of functions with errors. One that nobody says is private is judged where it
    is called, too, so it is not wrong."""
    written = {each.local.name: each for each in method.params}
    for param in shown.params:
        own = written.get(param.name)
        if own is None or own.static or param.static or param.var.public:
            continue
        if isinstance(own.type, Anything):
            if _has_records(param.type):
                types = (*_datasets(param.type), *_as_numbers(param.type))
                fixes = inference.fixes(DeclareRecords(param.span, types))
                asked = problems.WhomItProtects.at(param.span, name=method.name, parameter=param.name, fixes=fixes)
                inference.report(asked._replace(severity=Severity.INFORMATION) if method.presumed else asked)
        elif measured := next(_measured(param.type), None):
            _warn(inference, method, param, measured)


def _warn(inference: Inference, method: term.Method, param: SchemeParameter, measured: Container) -> None:
    fixes = inference.fixes(DeclareRecords(param.span, _datasets(param.type)))
    norm = f" in {measured.norm.value}" if isinstance(measured.norm, Norm) else ""
    inference.report(
        problems.ProtectsNumbers.at(param.span, name=method.name, parameter=param.name, norm=norm, fixes=fixes)
    )


def _has_records(type_: Type) -> bool:
    """Whether neighbours may be told by records: it is a dataset, or a vector or matrix, or holds one."""
    if isinstance(type_, TupleType):
        return any(map(_has_records, type_.items))
    return isinstance(type_, Dataset) or (isinstance(type_, Container) and type_.kind is not Kind.GRADIENT)


def _measured(type_: Type) -> Iterator[Container]:
    """The vectors and matrices of numbers whose neighbours are told by a norm."""
    match type_:
        case TupleType(items):
            for item in items:
                yield from _measured(item)
        case Container(kind=Kind.VECTOR | Kind.MATRIX) if not is_discrete(type_.element):
            yield type_


def _datasets(type_: Type) -> tuple[Annotation, ...]:
    """What declares the records of such a value."""
    container = type_.records if isinstance(type_, Dataset) else type_
    if not isinstance(container, Container):
        return ()
    return datasets(container.kind, _base(container.element))


def _as_numbers(type_: Type) -> tuple[Annotation, ...]:
    """What declares that it, or a number in its place, changes by at most 1."""
    if not isinstance(type_, Container) or is_discrete(type_.element):
        return ()
    base = _base(type_.element)
    return ContainerOf(type_.kind, base), NumberOf(base)


def _base(element: Type) -> Base:
    return element.base if isinstance(element, NumberType) else Base.REAL
