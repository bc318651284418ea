"""Constructs that are not understood, in other words, or left to who calls a function; and lists of what is no number,
as lists of numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from dp_lsp import intents
from dp_lsp.builtins.remedies import DATASETS
from dp_lsp.frontends.python.names import dotted
from dp_lsp.frontends.python.rewriting.calls import helpers_in_place, where_it_is_called
from dp_lsp.frontends.python.rewriting.chance import drawn_by_hand, drawn_elsewhere, geometric_by_hand, seeded, weighed
from dp_lsp.frontends.python.rewriting.data import settings
from dp_lsp.frontends.python.rewriting.declarations import declared_as
from dp_lsp.frontends.python.rewriting.definitions import Definition, Parameter, body_of, definition_around, definitions
from dp_lsp.frontends.python.rewriting.imports import origins
from dp_lsp.frontends.python.rewriting.keys import written_out
from dp_lsp.frontends.python.rewriting.parameters import parameters
from dp_lsp.frontends.python.rewriting.reading import passed
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written, rewordings
from dp_lsp.frontends.python.rewriting.statements import left_out, statements
from dp_lsp.intents import Rendering, together
from dp_lsp.problem import Edit, Fix
from dp_lsp.text import Span

_DRAWS = ("laplace", "normal", "gauss", "normalvariate", "rvs")


def return_released(code: Rendering, intent: intents.ReturnReleased, text: str) -> Iterator[Fix]:
    """A text with values in it is these values; of what is done with noisy numbers, these are returned."""
    definition = definition_around(text, intent.function.start)
    if definition is None:
        return
    texts = [each for each in ast.walk(definition.node) if isinstance(each, ast.JoinedStr)]
    around = [each for each in texts if definition.span(each).covers(intent.place.start)]
    returned = [each.value for each in ast.walk(definition.node) if isinstance(each, ast.Return) and each.value]
    whole: ast.expr | None = next(iter(around), None)
    if whole is not None:
        made = dict.fromkeys(ast.unparse(each) for each in _shown(whole))
    else:
        whole = next((each for each in returned if definition.span(each).covers(intent.place.start)), None)
        made = dict.fromkeys(ast.unparse(each) for each in _noisy(whole))
    if whole is not None and made and ast.unparse(whole) not in made:
        written = ", ".join(made)
        title = f"return `{written}`, and do the rest outside of the function, where it costs nothing"
        grouped = written if len(made) == 1 or whole in returned else f"({written})"
        yield Fix(title, (Edit(definition.span(whole), grouped),), sure=False)
    yield from _returned_before(definition, intent.place.start)


def _returned_before(definition: Definition, place: int) -> Iterator[Fix]:
    """What is done at a place with noisy numbers that have names, and behind it, is left to who calls the function."""
    body = definition.node.body
    named = [(index, ast.unparse(each.targets[0])) for index, each in enumerate(body) if _is_noisy(each)]
    last = named[-1][0] if named else len(body)
    after = body[last + 1 :]
    if not after or definition.span(after[0]).start > place:
        return
    if isinstance(after[0], ast.Return) and not any(isinstance(each, ast.Call) for each in ast.walk(after[0])):
        return
    read = {each.id for part in after for each in ast.walk(part) if isinstance(each, ast.Name)}
    names = [name for name in dict.fromkeys(name for _, name in named) if name in read]
    if names:
        written = ", ".join(names)
        title = f"return `{written}`, and do the rest outside of the function, where it costs nothing"
        span = Span(definition.span(after[0]).start, definition.span(after[-1]).end)
        yield Fix(title, (Edit(span, f"return {written}"),), sure=False)


def _is_noisy(statement: ast.stmt) -> TypeGuard[ast.Assign]:
    match statement:
        case ast.Assign(targets=[ast.Name()], value=value):
            return any(True for _ in _noisy(value))
    return False


def _shown(whole: ast.expr) -> Iterator[ast.expr]:
    return (each.value for each in ast.walk(whole) if isinstance(each, ast.FormattedValue))


def _noisy(node: ast.AST | None) -> Iterator[ast.expr]:
    """The sums of something and a draw in an expression."""
    match node:
        case None:
            return
        case ast.BinOp(op=ast.Add(), left=left, right=right) if _draws(left) or _draws(right):
            yield node
        case _:
            for each in ast.iter_child_nodes(node):
                yield from _noisy(each)


def _draws(node: ast.expr) -> bool:
    found = dotted(node.func) if isinstance(node, ast.Call) else None
    return found is not None and found[1].rpartition(".")[2] in _DRAWS


def write_otherwise(code: Rendering, intent: intents.Otherwise, text: str) -> Iterator[Fix]:
    """Each construct that has other words, and all of them together, which are tried first."""
    definition = definition_around(text, intent.function.start) or body_of(text)
    if definition is None:
        return
    written = Written(definition, text, origins(text))
    functions = {each.node.name: each for each in definitions(text)}
    helpers = {name: each.node for name, each in functions.items()}
    found = [
        *_truths(written),
        *drawn_by_hand(written),
        *weighed(written),
        *drawn_elsewhere(written, helpers),
        *geometric_by_hand(written),
        *seeded(written),
        *rewordings(written),
        *statements(written),
        *parameters(written),
        *helpers_in_place(written, helpers),
        *where_it_is_called(written),
        *written_out(written),
        *settings(written, functions),
    ]
    apart = [each for index, each in enumerate(found) if not _meets(each, found[:index])]
    if len(apart) > 1:
        edits = tuple(sorted(edit for each in apart for edit in each.edits))
        yield Fix(together([each.title for each in apart]), edits, sure=False, declares=True)
    for each in found:
        yield Fix(each.title, each.edits, sure=False, declares=True)


def leave_out_check(code: Rendering, intent: intents.LeaveOutCheck, text: str) -> Iterator[Fix]:
    """An assertion, what fails under a condition, or a statement that shows something."""
    definition = definition_around(text, intent.function.start)
    written = None if definition is None else Written(definition, text, origins(text))
    for each in () if written is None else left_out(written, intent.place.start, intent.shows):
        yield Fix(intent.title, (each,), sure=False)


def _meets(one: Rewording, others: list[Rewording]) -> bool:
    """Whether two write over the same place."""
    taken = [edit.span for each in others for edit in each.edits]
    return any(span.start < edit.span.end and edit.span.start < span.end for edit in one.edits for span in taken)


def _truths(written: Written) -> Iterator[Rewording]:
    """A comparison with True is what is compared."""
    for node in written.nodes:
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[ast.Constant(value=True)]):
                made = written.source(left)
                yield Rewording(f"leave out the comparison: `{made}`", (written.edit(node, made),))


def pass_table(code: Rendering, intent: intents.PassTable, text: str) -> Iterator[Fix]:
    """What a function reads from a file is passed to it."""
    definition = definition_around(text, intent.function.start)
    written = None if definition is None else Written(definition, text, origins(text))
    for each in () if written is None else passed(written):
        yield Fix(each.title, each.edits, sure=False, declares=True)


def pass_columns(code: Rendering, intent: intents.PassColumns, text: str) -> Iterator[Fix]:
    """A list of dictionaries of which one key is read, or of objects of which one attribute is, holds these numbers."""
    definition = definition_around(text, intent.function.start)
    for each in () if definition is None else definition.parameters:
        assert definition is not None
        if each.annotation is None or not each.span.covers(intent.annotation.start):
            continue
        match each.annotation:
            case ast.Subscript(value=ast.Name(id="list" | "List")):
                yield from _of_one_part(definition, each)


def _of_one_part(definition: Definition, parameter: Parameter) -> Iterator[Fix]:
    """Where records are only gone over, and only this key or attribute of each is read."""
    loops = (each for each in ast.walk(definition.node) if isinstance(each, ast.For | ast.comprehension))
    over = {ast.unparse(each.target) for each in loops if _is(each.iter, parameter.name)}
    found = [node for node in ast.walk(definition.node) if _is_part(node, over)]
    parts = {ast.unparse(each.slice) if isinstance(each, ast.Subscript) else f"`{each.attr}`" for each in found}
    if len(parts) != 1 or len(over) != 1 or len(found) != _reads_of(definition.node, over):
        return
    edits = {definition.span(each): Edit(definition.span(each), ast.unparse(each.value)) for each in found}
    for node in ast.walk(definition.node):
        match node:
            case ast.GeneratorExp(elt=elt, generators=[ast.comprehension(iter=ast.Name(id=name), ifs=[])]):
                if elt in found and name == parameter.name:
                    del edits[definition.span(elt)]
                    edits[definition.span(node)] = Edit(definition.span(node), f"({parameter.name})")
    title = f"pass the {next(iter(parts))} of each"
    yield from _as_numbers(definition, parameter, "list[float]", title, [*edits.values()])


def _is_part(node: ast.AST, over: set[str]) -> TypeGuard[ast.Subscript | ast.Attribute]:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str())):
            return name in over
        case ast.Attribute(value=ast.Name(id=name)):
            return name in over
    return False


def _reads_of(node: ast.AST, names: set[str]) -> int:
    read = [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    return sum(each.id in names for each in read)


def _as_numbers(
    definition: Definition, parameter: Parameter, base: str, title: str, edits: list[Edit]
) -> Iterator[Fix]:
    for type_ in DATASETS:
        declared, _ = declared_as(definition, parameter, type_, base)
        made = (Edit(parameter.span, declared), *edits)
        yield Fix(f"{title}: `{declared}`", tuple(sorted(made)), sure=False, declares=True)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
