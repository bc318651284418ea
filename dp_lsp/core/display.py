"""Types as text: in the published notation, and in words."""

from __future__ import annotations

from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.notation import DISPLAY, Printer
from dp_lsp.core.types import (
    AnyNorm,
    Base,
    BoolType,
    Boxed,
    Clip,
    Container,
    Dataset,
    FunctionType,
    Kind,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
)

_PLAIN = Printer(DISPLAY)
_WORDS = {Kind.VECTOR: "a vector", Kind.MATRIX: "a matrix", Kind.GRADIENT: "a gradient"}
_NUMBERS = {Base.INTEGER: "an Integer", Base.REAL: "a Real number", Base.DATA: "Data"}


def type_text(type_: Type, printer: Printer = _PLAIN) -> str:
    """A type in the published notation, such as ``Matrix<n: L2, c: U>[r × n]{Real}``."""
    match type_:
        case NumberType(base, static, bounds):
            if bounds is not None and static is None:
                return f"{base.value} in [{printer.poly(bounds.low)}, {printer.poly(bounds.high)}]"
            return base.value if static is None else f"{base.value}[{printer.poly(static)} ©]"
        case BoolType():
            return "Bool"
        case Container():
            size = printer.poly(type_.length)
            if type_.rows is not None:
                size = f"{printer.poly(type_.rows)} × {size}"
            head = f"{type_.kind.value}<n: {norm_text(type_.norm)}, c: {type_.clip.value}>"
            return f"{head}[{size}]{{{type_text(type_.element, printer)}}}"
        case Dataset():
            return _dataset_text(type_, printer)
        case ModelType(size):
            return f"DMModel[{printer.poly(size)}]"
        case TupleType(items):
            label = type_.label
            if label is None:
                return f"Tuple{{{', '.join(type_text(item, printer) for item in items)}}}"
            sign = "=>" if label.keyed else "="
            parts = (f"{name} {sign} {type_text(item, printer)}" for name, item in zip(label.names, items, strict=True))
            return f"{label.of}({', '.join(parts)})"
        case TypeVariable(name):
            return f"type of {name}"
        case FunctionType(value):
            return f"function {value.name}"
        case Boxed(name):
            return f"result of {name}"
    return "unknown"


def type_and_value(type_: Type, printer: Printer = _PLAIN) -> tuple[str, str]:
    """The text of a type and, of a number that is known, which number it is; the type is then what it is besides."""
    if isinstance(type_, NumberType) and type_.static is not None:
        return type_.base.value, printer.poly(type_.static)
    return type_text(type_, printer), ""


def _dataset_text(type_: Dataset, printer: Printer) -> str:
    """A dataset, such as ``Vector<Symmetric>[?]{Real in [0, 100]}``; how many records there are is ``?`` where that is
    private."""
    box, least = type_.records, None if type_.least is None else f"≥ {printer.poly(type_.least)}"
    known = (printer.poly(type_.size) if type_.metric.sized else None, least)
    size = " ".join(filter(None, known)) or "?"
    if box.rows is not None:
        size = f"{size} × {printer.poly(box.length)}"
    row = "" if type_.radius is None else f", c: {box.clip.value} ≤ {printer.poly(type_.radius)}"
    return f"{box.kind.value}<{type_.metric.value}{row}>[{size}]{{{type_text(box.element, printer)}}}"


def _dataset_words(type_: Dataset) -> str:
    element, limits = type_.records.element, []
    if isinstance(element, NumberType) and element.bounds is not None:
        limits.append(f"from {_PLAIN.poly(element.bounds.low)} to {_PLAIN.poly(element.bounds.high)}")
    if type_.radius is not None:
        limits.append(f"that measure at most {_PLAIN.poly(type_.radius)} in {type_.records.clip.value}")
    if type_.least is not None:
        limits.append(f"of which there are at least {_PLAIN.poly(type_.least)}")
    what = " ".join(("rows" if type_.records.rows is not None else "numbers", *limits))
    return f"a dataset of {what}, measured in {type_.metric.value}"


def norm_text(norm: AnyNorm) -> str:
    """A norm, or ``N`` where it may be any."""
    return "N" if isinstance(norm, NormVariable) else norm.value


def type_words(type_: Type) -> str:
    """A type as the end of a sentence: "a vector of Data measured in LInf"."""
    match type_:
        case NumberType(base, static):
            return f"the public number {_PLAIN.poly(static)}" if static is not None else _NUMBERS[base]
        case BoolType():
            return "a Bool"
        case Container():
            text = _WORDS[type_.kind]
            if isinstance(type_.element, NumberType | BoolType):
                text += f" of {type_text(type_.element)}"
            if type_.clip is not Clip.U:
                text += f" clipped in {type_.clip.value}"
            return text if isinstance(type_.norm, NormVariable) else f"{text} measured in {type_.norm.value}"
        case Dataset():
            return _dataset_words(type_)
        case ModelType():
            return "a model"
        case TupleType(items):
            if type_.label is not None:
                return f"a `{type_.label.of}`" if type_.label.of else "a named tuple"
            return f"a tuple of {len(items)}" if items else "nothing"
        case FunctionType():
            return "a function"
        case Boxed():
            return "the result of a black box, which `unbox` must give a type"
    return "something that is not known"
