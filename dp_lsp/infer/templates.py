"""Methods with parameters without annotations, inferred again as they are called.

Julia compiles such a method anew for the types it is called with; so its scheme for one call is the one it would have
if these types were written there. That is done where the scheme for any types does not serve: where it could not be
found, and for datasets, of which the report of the method itself says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.annotation import Anything, dimensions
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.types import AnyNorm, BoolType, Container, Dataset, NumberType, TupleType, Type, can_change
from dp_lsp.infer.inference import Inference

_STATIC = Poly.of(0)  # stands for any public number
_TOO_MANY = "too many functions without annotations call each other"


def as_called(inference: Inference, scheme: Scheme, types: Sequence[Type]) -> Scheme:
    """The scheme of a method for arguments of these types."""
    if scheme.template is None:
        return scheme
    open_ = [isinstance(param.declared, Anything) for param in scheme.params]
    given = tuple(type_ if each else None for each, type_ in zip(open_, types, strict=True))
    of_datasets = any(isinstance(type_, Dataset) for type_ in given)
    if not (scheme.reason or of_datasets) or not all(type_ is None or _is_known(type_) for type_ in given):
        return scheme
    effort, key = inference.effort, (scheme.template, given)
    if key not in effort.known:
        if not (effort.left and effort.depth):
            return replace(scheme, reason=_TOO_MANY)
        effort.left -= 1
        effort.depth -= 1
        general = _General()
        made = [type_ and general.type(type_, param.name) for type_, param in zip(given, scheme.params, strict=True)]
        effort.known[key] = scheme.template.called_with(tuple(made), effort)
        effort.depth += 1
    return effort.known[key]


def _is_known(type_: Type) -> bool:
    """Whether all is known of a type, and its values can neither be called nor changed in place."""
    match type_:
        case Container(element=element) | Dataset(records=Container(element=element)):
            return _is_known(element) and not can_change(type_)
        case TupleType(items):
            return all(map(_is_known, items))
    return isinstance(type_, NumberType | BoolType)


class _General:
    """Types as those of parameters: their sizes and norms have names of their own, equal ones the same. What numbers
    are bounded by stays as it is, and so do the limits of datasets: no other argument settles them."""

    def __init__(self) -> None:
        self._sizes: dict[Poly, Poly] = {}
        self._norms: dict[NormVariable, NormVariable] = {}

    def type(self, type_: Type, owner: str) -> Type:
        match type_:
            case NumberType(base, Poly()):
                return NumberType(base, _STATIC, stored=type_.stored)
            case Container():
                return self._container(type_, owner)
            case Dataset(records=records):
                return replace(type_, records=self._container(records, owner))
            case TupleType(items):
                return TupleType(tuple(self.type(item, f"{owner}[{i}]") for i, item in enumerate(items, 1)))
        return type_

    def _container(self, type_: Container, owner: str) -> Container:
        length, rows = dimensions(type_.kind, owner)
        length = self._size(type_.length, length)
        rows = None if type_.rows is None or rows is None else self._size(type_.rows, rows)
        return replace(type_, norm=self._norm(type_.norm), length=length, rows=rows)

    def _size(self, size: Poly, new: Poly) -> Poly:
        return size if size.number is not None else self._sizes.setdefault(size, new)

    def _norm(self, norm: AnyNorm) -> AnyNorm:
        if not isinstance(norm, NormVariable):
            return norm
        return self._norms.setdefault(norm, NormVariable(norm.name, norm.free))
