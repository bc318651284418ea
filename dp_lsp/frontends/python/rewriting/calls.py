"""Repairs of calls: of noise, of what is held between bounds, and of helpers that are given data."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction

from dp_lsp import intents
from dp_lsp.builtins.remedies import short
from dp_lsp.frontends.python.annotations import says_data
from dp_lsp.frontends.python.names import dotted
from dp_lsp.frontends.python.rewriting.definitions import Definition, definition_around, definitions, program
from dp_lsp.frontends.python.rewriting.methods import Given
from dp_lsp.frontends.python.rewriting.rewording import Rewording, Written
from dp_lsp.frontends.python.tree import copied
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


def helpers_in_place(written: Written, helpers: Mapping[str, ast.FunctionDef]) -> Iterator[Rewording]:
    """What a helper returns that has no annotations and is one expression, in place of calls that give it data."""
    for node in written.nodes:
        match node:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in helpers:
                value = _returned(helpers[name], args)
                if value is not None and any(_is_data(written, each) for each in args):
                    made = written.grouped(node, ast.unparse(value))
                    yield Rewording(f"write what `{name}` returns in its place: `{made}`", (written.edit(node, made),))


def _returned(helper: ast.FunctionDef, given: list[ast.expr]) -> ast.expr | None:
    """What a helper returns for names and constants, if it does no more than to give names values on the way, none of
    which is a draw that is used twice."""
    params = [each.arg for each in helper.args.args]
    if len(params) != len(given) or not all(isinstance(each, _PLAIN) for each in given):
        return None
    known: dict[str, ast.expr] = dict(zip(params, given, strict=True))
    used = Counter(
        each.id for each in ast.walk(helper) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    )
    for statement in helper.body:
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in known:
                if used[name] > 1 and any(map(_draws, ast.walk(value))):
                    return None
                known[name] = Given(known).visit(copied(value))
            case ast.Return(value=ast.expr() as value) if statement is helper.body[-1]:
                own = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
                made: ast.expr = Given(known).visit(copied(value))
                return made if own & known.keys() else None
            case _:
                return None
    return None


_PLAIN = (ast.Name, ast.Constant, ast.Attribute)


def _draws(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _DRAWS


def where_it_is_called(written: Written) -> Iterator[Rewording]:
    """A helper without annotations, written where it is called: what it is given there is known."""
    helper = written.definition.node
    args = helper.args
    whole = program(written.text)
    if whole is None or helper.returns or args.kwonlyargs or any(each.annotation for each in args.args):
        return
    around = {id(child): each for each in ast.walk(whole.tree) for child in ast.iter_child_nodes(each)}
    named = [each for each in ast.walk(whole.tree) if isinstance(each, ast.Name) and each.id == helper.name]
    edits: list[Edit] = []
    for name in named:
        call = around[id(name)]
        if (block := _as_statements(helper, statement := around.get(id(call)), call)) and statement is not None:
            edits.append(Edit(whole.places.span(statement), block))
            continue
        value = _returned(helper, _in_order(args, call)) if isinstance(call, ast.Call) and call.func is name else None
        if value is None:
            return
        made = ast.unparse(value)
        beside = isinstance(around[id(call)], ast.BinOp | ast.UnaryOp | ast.Compare | ast.Attribute)
        edits.append(Edit(whole.places.span(call), f"({made})" if beside else made))
    if edits:
        start, end = written.definition.span(helper)
        rest = written.text[end:]
        edits.append(Edit(Span(start, end + len(rest) - len(rest.lstrip("\r\n"))), ""))
        title = f"write what `{helper.name}` returns where it is called, and leave it out: `{edits[0].text}`"
        yield Rewording(title, tuple(sorted(edits)))


def _as_statements(helper: ast.FunctionDef, statement: ast.AST | None, call: ast.AST) -> str | None:
    """The statements of a helper in place of one that gives a name what the helper makes of that same name, where the
    helper gives values to no other name; None where that is something else."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Name(id=of)], keywords=[]) as value) if (
            name == of and value is call and len(helper.args.args) == 1
        ):
            pass
        case _:
            return None
    param = helper.args.args[0].arg
    *body, last = [each for each in helper.body if not isinstance(each, ast.Expr)]
    stored = {each.id for each in ast.walk(helper) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    plain = all(isinstance(each, ast.Assign) for each in body) and isinstance(last, ast.Return)
    if not plain or not body or stored != {param} or ast.unparse(last) != f"return {param}":
        return None
    renamed = [_Renamed(param, name).visit(copied(each)) for each in body]
    return f"\n{' ' * statement.col_offset}".join(map(ast.unparse, renamed))


class _Renamed(ast.NodeTransformer):
    def __init__(self, before: str, after: str) -> None:
        self._names = before, after

    def visit_Name(self, node: ast.Name) -> ast.Name:  # the name is given
        return ast.Name(self._names[1], node.ctx) if node.id == self._names[0] else node


def _in_order(args: ast.arguments, call: ast.Call) -> list[ast.expr]:
    """What a call gives each parameter, by its place or its name, or what stands for it; none for a call by a star."""
    names = [each.arg for each in args.args]
    defaults = dict(zip(reversed(names), reversed(args.defaults), strict=False))
    given = {**defaults, **dict(zip(names, call.args, strict=False))}
    given |= {each.arg: each.value for each in call.keywords if each.arg is not None}
    return [given[each] for each in names] if given.keys() == {*names} else []


def _is_data(written: Written, node: ast.expr) -> bool:
    """Whether a name is that of a parameter that holds records, or of what the function makes itself."""
    params = {each.name: each for each in written.definition.parameters}
    if isinstance(node, ast.Name) and node.id not in params and written.writes(node.id):
        return True
    given = params.get(node.id) if isinstance(node, ast.Name) else None
    said = None if given is None else given.annotation
    return given is not None and (written.definition.is_data(given) or (said is not None and says_data(said)))
