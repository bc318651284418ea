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
    Drawn,
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
        case NumberType(base, static):
            return base.value if static is None else f"{base.value}[{printer.poly(static)} ©]"
        case BoolType():
            return "Bool"
        case Container():
            size = printer.poly(type_.length)
            if type_.rows is not None:
                size = f"{printer.poly(type_.rows)} × {size}"
            head = f"{type_.kind.value}<n: {norm_text(type_.norm)}, c: {type_.clip.value}>"
            return f"{head}[{size}]{{{type_text(type_.element, printer)}}}"
        case Drawn(matrix):
            text = type_text(matrix, printer)
            return text.replace(f"[{printer.poly(matrix.rows)} ×", "[? ×") if matrix.rows is not None else text
        case ModelType(size):
            return f"DMModel[{printer.poly(size)}]"
        case TupleType(items):
            return f"Tuple{{{', '.join(type_text(item, printer) for item in items)}}}"
        case TypeVariable(name):
            return f"type of {name}"
        case FunctionType(value):
            return f"function {value.name}"
        case Boxed(name):
            return f"result of {name}"
    return "unknown"


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
        case Drawn():
            return "a sample of rows, whose number is private"
        case ModelType():
            return "a model"
        case TupleType(items):
            return f"a tuple of {len(items)}" if items else "nothing"
        case FunctionType():
            return "a function"
        case Boxed():
            return "the result of a black box, which `unbox` must give a type"
    return "something that is not known"
