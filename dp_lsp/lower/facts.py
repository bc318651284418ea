"""What can be read off a surface tree without names or types."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp import builtins, surface
from dp_lsp.lower import type_names

EVERYTHING = ""
"""Stands for all top-level names, where those that text may define cannot be read off."""

INCLUDE = "include"
EVALUATING = frozenset({INCLUDE, "eval", "evalfile", "include_string"})
"""Functions of Julia that run other text, which may give any top-level name another meaning."""


def described(node: surface.Node) -> str:
    """A construct that is refused, for a person."""
    match node:
        case surface.Opaque(what=what):
            return what
        case surface.Text():
            return "a string"
        case surface.Export():
            return "an `export` other than at top level"
        case surface.Lambda():
            return "a function without a name"
        case surface.Range():
            return "a range outside a `for`"
        case surface.If():
            return "an `if` without `else` as a value"
        case surface.TypeExpr(name=name):
            return f"the type `{name}` as a value"
    return "this construct"


def written(node: surface.Node) -> str:
    """A type as it was written, shortened."""
    match node:
        case surface.TypeExpr(name=name) | surface.Name(name=name) | surface.Opaque(what=name):
            return name
        case surface.Call(callee=surface.Name(name=name)):
            return f"{name}(…)"
    return "this"


def is_reserved(name: str) -> bool:
    """Whether a name belongs to the language: a builtin, a norm, a type, or what runs other text."""
    known = (builtins.PLANNED, type_names.RESERVED, EVALUATING)
    return builtins.find(name) is not None or any(name in names for names in known)


def changed_argument(node: surface.Call) -> int | None:
    """The position of the argument that a call of a builtin changes in place, if it does."""
    found = builtins.find(node.callee.name) if isinstance(node.callee, surface.Name) else None
    if found is None or not found[1]:
        return None
    row = found[0]
    return [param.name for param in row.forms[0].params].index(row.mutates or "")


def assigned_names(node: surface.Node) -> set[str]:
    """Every name that statements below a node may bind or change in place."""
    found: set[str] = set()
    pending: list[surface.Node] = [node]
    while pending:
        item = pending.pop()
        match item:
            case surface.Block(statements=statements):
                pending.extend(statements)
            case surface.If(then=then, otherwise=otherwise):
                pending.append(then)
                if otherwise is not None:
                    pending.append(otherwise)
            case surface.For(body=body):
                pending.append(body)
            case surface.Assign(target=target):
                names = target.items if isinstance(target, surface.Tuple) else (target,)
                found.update(name.name for name in names if isinstance(name, surface.Name))
            case surface.Call(args=args):
                position = changed_argument(item)
                if position is not None and position < len(args):
                    arg = args[position]
                    found |= {arg.name} if isinstance(arg, surface.Name) else set()
            case surface.Opaque(binds=binds, mentions=mentions):
                found.update(mentions if binds is None else binds)
    return found


def opaque_below(node: surface.Node) -> Iterator[surface.Opaque]:
    """All text without a meaning below a node that can be read."""
    return (item for item in _below(node) if isinstance(item, surface.Opaque) and not item.broken)


def runs_other_text(node: surface.Node) -> bool:
    """Whether a name stands below a node that may run other text when the node runs."""
    return any(
        (isinstance(item, surface.Name) and item.name in EVALUATING)
        or (isinstance(item, surface.Opaque) and not EVALUATING.isdisjoint(item.mentions))
        for item in _below(node)
    )


def _below(node: surface.Node) -> Iterator[surface.Node]:
    """A node and all below it."""
    pending = [node]
    while pending:
        yield (item := pending.pop())
        pending += item.children()


def changes_in_place(node: surface.Block) -> bool:
    """Whether a statement of the block changes a variable in place."""
    pending: list[surface.Node] = list(node.statements)
    while pending:
        match pending.pop():
            case surface.Block(statements=statements):
                pending.extend(statements)
            case surface.If(then=then, otherwise=otherwise):
                pending.extend(side for side in (then, otherwise) if side is not None)
            case surface.For(body=body):
                pending.append(body)
            case surface.Call() as call if changed_argument(call) is not None:
                return True
    return False
