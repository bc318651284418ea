"""Julia as it is written: annotations, formulas and calls, in messages and in repairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import assert_never

from dp_lsp.builtins.places import INDEX
from dp_lsp.core.algebra import Poly
from dp_lsp.core.annotation import (
    AFunction,
    AModel,
    Annotation,
    Anything,
    ContainerOf,
    DatasetOf,
    Limit,
    NumberOf,
    Truth,
    TupleOf,
)
from dp_lsp.core.evaluate import is_closed, upper
from dp_lsp.core.notation import SYMPY, Printer, decimal
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Kind, Label
from dp_lsp.intents import Intent, Rendering, Replace, Through, Write
from dp_lsp.problem import Fix

_DIGITS = 5
_WRITTEN = Printer(SYMPY._replace(magnitude=("abs(", ")"), ceiling=("ceil(", ")"), maximum="max", spoken=True))
_METRIC = {Kind.VECTOR: "MetricVector", Kind.MATRIX: "MetricMatrix", Kind.GRADIENT: "MetricGradient"}
_TIGHT = (":", "^")
"""Operators without spaces around them."""
_CONSTANT = re.compile(r"^(?:const[ \t]+)?([^\W\d]\w*)[ \t]*=[ \t]*-?[0-9][0-9_.e-]*[ \t]*(?:#.*)?$", re.MULTILINE)


class JuliaRendering(Rendering):
    """What rules speak of, as Julia writes it. The ids of builtins are their names in Julia."""

    language = "Julia"
    private = "Priv()"
    public = "Static()"
    returns_private = ":: Priv()"

    def __getitem__(self, builtin: str) -> str:
        return builtin

    def call(self, builtin: str, *arguments: str) -> str:
        if builtin.rstrip("!").isidentifier():
            return f"{builtin}({', '.join(arguments)})"
        if builtin == INDEX:
            return f"{arguments[0]}[{', '.join(arguments[1:])}]"
        sign = builtin if builtin in _TIGHT else f" {builtin} "
        return sign.join(arguments) if len(arguments) > 1 else f"{builtin}{arguments[0]}"

    def annotation(self, type_: Annotation) -> str:
        match type_:
            case NumberOf(base, _, bounds):
                return base.value if bounds is None else f"Bounded({base.value}, {_limits(bounds)})"
            case Truth():
                return "Bool"
            case Anything():
                return "Any"
            case AModel():
                return "DMModel"
            case AFunction(privacy):
                return "PrivacyFunction" if privacy else "Function"
            case TupleOf(label=Label(of=of)):
                return of
            case TupleOf(items):
                return f"Tuple{{{', '.join(map(self.annotation, items))}}}"
            case ContainerOf():
                return _container(type_)
            case DatasetOf():
                return _dataset(type_)
        assert_never(type_)

    def at_least(self, records: str) -> str:
        return f"AtLeast({records})"

    def formula(self, value: Sens | Poly) -> str:
        if isinstance(value, Sens) and value.number is None and is_closed(value):
            return decimal(upper(value, {}), _DIGITS)
        return _WRITTEN.quantity(value)

    def constants(self, text: str) -> Sequence[str]:
        return [found[1] for found in _CONSTANT.finditer(text)]

    def goes_through(self, name: str, text: str) -> bool:
        return re.search(rf"\bin[ \t]+{re.escape(name)}[ \t]*[\])\n]", text) is not None

    def picks(self, name: str, text: str) -> bool:
        of = re.escape(name)
        places = {found[1].strip() for found in re.finditer(rf"(?<![\w.]){of}\[([^\[\]\n]+)\]", text)}
        each = re.findall(rf"\b(\w+)[ \t]*(?:in\b|=|∈)[ \t]*(?:1:length|eachindex)\({of}\)(?![-+])", text)
        return not places <= {*each} or re.search(rf"\b(?:enumerate|pairs)\({of}\)", text) is not None

    def instead(self, what: str, text: str) -> str:
        from dp_lsp.frontends.julia.vocabulary import instead_of

        return instead_of(what, text)

    def fixes(self, intent: Intent, text: str) -> Iterable[Fix]:
        if isinstance(intent, Replace | Through | Write):
            return super().fixes(intent, text)
        from dp_lsp.frontends.julia.rewriting.repairs import REPAIRS  # most runs repair nothing, or write a number

        found = REPAIRS.get(type(intent))
        return () if found is None else found(self, intent, text)


def _container(type_: ContainerOf) -> str:
    element = "Bool" if isinstance(type_.element, Truth) else type_.element.value if type_.element else ""
    name = type_.kind.value
    if type_.norm is not None:
        return f"{_METRIC[type_.kind]}({element}, {type_.norm.value})"
    return f"{name}{{<:{element}}}" if element else name


def _dataset(type_: DatasetOf) -> str:
    records = type_.records
    element = "Bool" if isinstance(records.element, Truth) else records.element.value if records.element else ""
    parts = [element if type_.bounds is None else f"Bounded({element}, {_limits(type_.bounds)})"]
    if type_.metric is not None:
        parts.append(type_.metric.value)
    if type_.radius is not None:
        parts.append(f"RowNorm({type_.radius[0].value}, {_limits(type_.radius[1:])})")
    public = {"AtLeast": type_.least, "Contributes": type_.each, "Size": type_.size}
    parts += [f"{name}({_limits((limit,))})" for name, limit in public.items() if limit is not None]
    return f"{_METRIC[records.kind]}({', '.join(parts)})"


def _limits(limits: Iterable[Limit]) -> str:
    return ", ".join(
        each if isinstance(each, str) else f"{each.numerator / Decimal(each.denominator):f}" for each in limits
    )
