"""The types of parameters as data: which values they have, and by which metric these are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dp_lsp.core.algebra import Poly
    from dp_lsp.core.notation import Printer
    from dp_lsp.core.types import Container, Dataset, Type

Json = dict[str, Any]

KINDS = ("number", "bool", "vector", "matrix", "gradient", "dataset", "tuple", "model", "function", "boxed", "open")
UNKNOWN = "unknown"


def domain(type_: Type, formula: Printer) -> Json:
    """A type as a tree; its numbers are formulas in SymPy syntax, and ``kind`` is one of ``KINDS``, or ``UNKNOWN``."""
    from dp_lsp.core import types  # only reports need the core

    match type_:
        case types.NumberType(base, _, bounds):
            limits = {} if bounds is None else {"bounds": [formula.poly(bounds.low), formula.poly(bounds.high)]}
            return {"kind": "number", "base": base.value, **limits}
        case types.BoolType():
            return {"kind": "bool"}
        case types.Container():
            return _container(type_, formula)
        case types.Dataset():
            return _dataset(type_, formula)
        case types.TupleType(items):
            return {"kind": "tuple", "items": [domain(item, formula) for item in items]}
        case types.ModelType():
            return {"kind": "model"}
        case types.FunctionType():
            return {"kind": "function"}
        case types.Boxed():
            return {"kind": "boxed"}
        case types.TypeVariable():
            return {"kind": "open"}
    return {"kind": UNKNOWN}


def _container(type_: Container, formula: Printer) -> Json:
    from dp_lsp.core.types import Kind, Norm

    kinds = {Kind.VECTOR: "vector", Kind.MATRIX: "matrix", Kind.GRADIENT: "gradient"}
    return {
        "kind": kinds[type_.kind],
        "metric": type_.norm.value if isinstance(type_.norm, Norm) else None,
        "clip": type_.clip.value,
        "length": formula.poly(type_.length),
        **_known("rows", type_.rows, formula),
        "element": domain(type_.element, formula),
    }


def _dataset(type_: Dataset, formula: Printer) -> Json:
    """Its size is None where it is private, or a number of its own."""
    size = type_.size.symbol
    own = not type_.metric.sized or (size is not None and not size.name.isidentifier())
    return {
        "kind": "dataset",
        "metric": type_.metric.value,
        "records": _container(type_.records, formula),
        "size": None if own else formula.poly(type_.size),
        **_known("least", type_.least, formula),
        **_known("radius", type_.radius, formula),
    }


def _known(key: str, value: Poly | None, formula: Printer) -> Json:
    return {} if value is None else {key: formula.poly(value)}
