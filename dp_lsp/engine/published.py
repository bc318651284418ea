"""The type of a method as the published checker writes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dp_lsp.core.display import type_text
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.types import Container, Type

if TYPE_CHECKING:
    from dp_lsp.engine.describe import Description

_NARROW = 40


def published(description: Description) -> str:
    """The type of a method, with the bounds of its parameters."""
    scheme = description.scheme
    if scheme.reason:
        return "unknown"
    shown = [_annotated(description, param) for param in scheme.params]
    arrow = "->*" if scheme.claims_privacy else "->"
    result = type_text(with_norms(scheme.result.type, description.norms), description.display)
    line = f"({', '.join(f'{type_} @ {bound}' for type_, bound in shown)}) {arrow} {result}"
    if len(line) < _NARROW:
        return f"{{\n|   {line}\n}}"
    bullets: list[str] = []
    for type_, bound in shown:
        if len(type_) <= 20:
            bullets.append(f"|   - {type_}@{bound}")
        else:
            bullets += [f"|   - {type_}", f"|       @ {bound}"]
    return "\n".join(["{", *bullets, f"|   {'-' * 26}", f"|    {arrow} {result}", "}"])


def _annotated(description: Description, param: SchemeParameter) -> tuple[str, str]:
    scheme, display, norms = description.scheme, description.display, description.norms
    text = type_text(with_norms(param.type, norms), display)
    if not scheme.claims_privacy:
        move = scheme.result.moves.get(param.var)
        return text, display.sens(norms.sens(move.sens)) if move is not None else "0"
    if param.var.public:
        return text, "(0, 0)" if param.static else "(∞, ∞)"
    price = description.head(param.var).first.price
    return text, f"({display.sens(price.epsilon)}, {display.sens(price.delta)})"


def with_norms(type_: Type, norms: Substitution) -> Type:
    """A type with norms put in."""
    if isinstance(type_, Container):
        return replace(type_, norm=norms.norm(type_.norm))
    return type_
