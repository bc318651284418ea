"""Repairs of calls: of noise, and of what is held between bounds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fractions import Fraction

from dp_lsp import intents
from dp_lsp.builtins.remedies import short
from dp_lsp.frontends.python.names import dotted
from dp_lsp.frontends.python.rewriting.definitions import Definition, definition_around, definitions
from dp_lsp.frontends.python.rewriting.rewording import Written
from dp_lsp.intents import Rendering, edit_of
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_DRAWS = ("laplace", "normal", "gauss", "rvs")
_SCALE = 1
_EPSILON = "eps"


def spend(code: Rendering, intent: intents.Spend, text: str) -> Iterator[Fix]:
    """By the scale of noise that is drawn, and by the ε that a library, or a function of the program, is given."""
    definition = definition_around(text, intent.function.start)
    if definition is None:
        return
    of_program = {each.node.name: each for each in definitions(text)}
    edits: list[Edit] = []
    for node in ast.walk(definition.node):
        match node:
            case ast.Call(func=func) if (found := dotted(func)) is not None:
                edits += _spent(definition, node, of_program.get(found[1]), intent.factor)
    if edits:
        written = ", ".join(dict.fromkeys(f"`{edit.text}`" for edit in edits))
        what = "calibrate the noise to the budget" if len(edits) == 1 else "split the budget over the releases"
        yield Fix(f"{what}: write {written}", tuple(sorted(edits)), sure=False)


def _spent(around: Definition, call: ast.Call, callee: Definition | None, factor: Fraction) -> Iterator[Edit]:
    named = {each.arg or "": each.value for each in call.keywords}
    last = ast.unparse(call.func).rpartition(".")[2]
    if last in _DRAWS and callee is None:
        scale = named.get("scale", call.args[_SCALE] if len(call.args) > _SCALE else None)
        if scale is not None:
            yield _larger(around, scale, factor)
        return
    params = [] if callee is None else [each.name for each in callee.parameters]
    given = {**dict(zip(params, call.args, strict=False)), **named}
    for name, value in given.items():
        if name.startswith(_EPSILON):
            yield Edit(around.span(value), _times(value, factor))


def _larger(around: Definition, scale: ast.expr, factor: Fraction) -> Edit:
    """A scale of noise that costs so many times as much, or less."""
    match scale:
        case ast.Constant(value=int() | float() as amount):
            return Edit(around.span(scale), short(Fraction(str(amount)) / factor, up=True))
        case ast.BinOp(op=ast.Div(), right=divisor):
            made = _times(divisor, factor)
            written = made if made.isidentifier() or made.replace(".", "").isdigit() else f"({made})"
            return Edit(around.span(divisor), written)
    bare = ast.unparse(scale) if isinstance(scale, ast.Name | ast.Call) else f"({ast.unparse(scale)})"
    return Edit(around.span(scale), f"{bare} / {short(factor)}")


def _times(value: ast.expr, factor: Fraction) -> str:
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return short(Fraction(str(value.value)) * factor)
    bare = ast.unparse(value) if isinstance(value, ast.Name | ast.Call) else f"({ast.unparse(value)})"
    return f"{bare} / {factor.denominator}" if factor.numerator == 1 else f"{short(factor)} * {bare}"


def held_number_by_number(intent: intents.Through, text: str, bounds: tuple[str, str]) -> Iterator[Fix]:
    """Numbers of a list, each held between ``bounds``, which may be for the author to choose."""
    definition = definition_around(text, intent.span.start)
    name = text[slice(*intent.span)]
    if definition is None or not Written(definition, text, {}).is_list(name):
        return
    made = f"[{held_each(name, *bounds)}]"
    yield Fix(intent.title, (edit_of(intent.span, made),), intent.sure)


def held_each(name: str, low: str, high: str) -> str:
    """Each number of a list, held between bounds."""
    return f"min(max(each, {low}), {high}) for each in {name}"


def put_before(code: Rendering, intent: intents.Before, text: str) -> Iterator[Fix]:
    """On a line of its own, above the statement. Numbers of a list are each
    held between bounds: functions of NumPy make an array of it. What holds other numbers of the same records is put
    there, too."""
    definition = definition_around(text, intent.at)
    if definition is None or intent.in_place:
        return
    name, statement = text[slice(*intent.name)], _statement_at(definition, intent.at)
    if statement is None or not name.isidentifier():
        return
    written, lines = Written(definition, text, {}), list[str]()
    for each in definition.beside(name) if intent.call.builtin == "clamp" else (name,):
        made = code.passed(each, (intent.call,))
        if intent.call.builtin == "clamp" and written.is_list(each):
            made = f"[{held_each(each, *map(code.expression, intent.call.after))}]"
        lines.append(f"{each} = {made}")
    at = definition.span(statement).start
    indent = text[max(text.rfind(mark, 0, at) for mark in "\r\n") + 1 : at]
    if indent.strip() or not lines:
        return
    edit = edit_of(Span(at, at), "".join(f"{line}\n{indent}" for line in lines))
    shown = edit_of(Span(at, at), "; ".join(lines)).text
    yield Fix(intent.title.format(code=shown), (edit,), sure=not edit.placeholders)


def _statement_at(definition: Definition, at: int) -> ast.stmt | None:
    """The innermost statement at a place, or the one behind a text there that says what the function is for."""
    body = definition.node.body
    if len(body) > 1 and ast.get_docstring(definition.node) is not None and definition.span(body[0]).covers(at):
        return body[1]
    found = [each for line in body for each in ast.walk(line) if isinstance(each, ast.stmt)]
    return next((each for each in reversed(found) if definition.span(each).covers(at)), None)
