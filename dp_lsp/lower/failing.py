"""Statements that make a run fail under a condition: ``n > 0 || error("…")``, and an ``if`` with such a branch."""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp import builtins, surface


class End(NamedTuple):
    """What makes a run fail: the name that is called, and all that it is given to say."""

    name: surface.Name
    said: tuple[surface.Node, ...]


class Failing(NamedTuple):
    """What makes a run fail where a condition is false, or true if it is ``negated``; what is done in the other case is
    ``others``."""

    condition: surface.Node
    negated: bool
    by: End
    others: tuple[surface.Node, ...] = ()


def failure(node: surface.Node) -> Failing | None:
    """How a statement makes the run fail; None for one that does not, or that does it in every run."""
    match node:
        case surface.If(condition=condition, then=then, otherwise=otherwise):
            if (end := _only(then)) is not None:
                return Failing(condition, True, end, () if otherwise is None else otherwise.statements)
            if (end := _only(otherwise)) is not None:
                return Failing(condition, False, end, then.statements)
        case surface.Call(callee=surface.Name(name="&&" | "||" as sign), args=(condition, last)):
            if (end := _end(last)) is not None:
                return Failing(condition, sign == "&&", end)
    return None


def _only(block: surface.Block | None) -> End | None:
    return _end(block.statements[0]) if block is not None and len(block.statements) == 1 else None


def _end(node: surface.Node) -> End | None:
    match node:
        case surface.Call(callee=surface.Name() as name, args=args, keywords=keywords) if name.name in builtins.FAILING:
            return End(name, (*args, *keywords))
    return None
