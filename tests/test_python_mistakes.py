"""Mistakes that are easily made where Python is read, put in on purpose: random programs of the same seeds refute
what is claimed then, and nothing of what is claimed without them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from attack.python import judged, written
from cpython.claims import Claim, claims
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import file_report
from dp_lsp.frontends.python import draws, functions, kinds, parse
from dp_lsp.frontends.python.tree import copied

SEEDS = range(1_500)


@cache
def programs() -> dict[int, str]:
    """Programs that mean something else where one thing is forgotten, by their seeds."""
    texts = {seed: written(seed) for seed in SEEDS}
    return {seed: text for seed, text in texts.items() if "def f(" in text}


def said(text: str) -> list[Claim]:
    return claims(file_report(Engine().check(text, document="p.py"), "p.py"))


@cache
def right() -> dict[int, list[Claim]]:
    return {seed: said(text) for seed, text in programs().items()}


class _Replaced(ast.NodeTransformer):
    def __init__(self, values: dict[str, ast.expr]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:  # the name is given
        reads = isinstance(node.ctx, ast.Load) and node.id in self._values
        return ast.copy_location(copied(self._values[node.id]), node) if reads else node


def reading(change: Callable[[ast.FunctionDef], ast.FunctionDef]) -> Callable[[Any], None]:
    """Functions are read as others."""

    def put_in(patch: Any) -> None:
        read = functions.function
        patch.setattr(parse, "function", lambda node, *rest: read(change(copied(node)), *rest))

    return put_in


def evaluated_again(node: ast.FunctionDef) -> ast.FunctionDef:
    """What a parameter is if nothing is given, at each call."""
    given = dict(zip([each.arg for each in node.args.args][::-1], node.args.defaults[::-1], strict=False))
    drawn = {name: value for name, value in given.items() if isinstance(value, ast.Call)}
    if drawn:
        node.args.args = [each for each in node.args.args if each.arg not in drawn]
        node.args.defaults = [each for each in node.args.defaults if not isinstance(each, ast.Call)]
        node.body = [_Replaced(drawn).visit(each) for each in node.body]
    return node


def undecorated(node: ast.FunctionDef) -> ast.FunctionDef:
    node.decorator_list = []
    return node


def as_before_the_loop(node: ast.FunctionDef) -> ast.FunctionDef:
    known = {name for each in node.body for name in _assigned(each)}
    for loop in (each for each in node.body if isinstance(each, ast.For)):
        loop.body = [each for each in loop.body if not known.intersection(_assigned(each))]
    return node


def as_it_is_later(node: ast.FunctionDef) -> ast.FunctionDef:
    masks = {
        name: each.value
        for each in node.body
        for name in _assigned(each)
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Compare)
    }
    node.body = [_Replaced(masks).visit(each) for each in node.body if masks.keys().isdisjoint(_assigned(each))]
    return node


def as_many_draws(node: ast.FunctionDef) -> ast.FunctionDef:
    for each in ast.walk(node):
        if isinstance(each, ast.BinOp) and "histogram" in ast.unparse(each.left) and isinstance(each.right, ast.Call):
            size = ast.copy_location(ast.Constant(2), each)
            each.right.keywords.append(ast.copy_location(ast.keyword("size", size), each))
    return node


def as_it_was_given(node: ast.FunctionDef) -> ast.FunctionDef:
    public = {each.arg for each in node.args.args if each.annotation and ast.unparse(each.annotation)[:6] == "Static"}
    node.body = [each for each in node.body if public.isdisjoint(_assigned(each))]
    return node


def as_it_was_drawn(node: ast.FunctionDef) -> ast.FunctionDef:
    drawn = {
        name
        for each in node.body
        for name in _assigned(each)
        if ast.unparse(each).split(" = ")[-1][:10] == "np.random."
    }
    node.body = [
        each
        for each in node.body
        if not (isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name) and each.target.id in drawn)
    ]
    return node


class _OfNumPy(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:  # the name is given
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Attribute(value=of, attr="clip"), args=[ast.Constant(value=low), ast.Constant(value=high)]
            ) if low > high:
                none = ast.BinOp(of, ast.Mult(), ast.copy_location(ast.Constant(0), node))
                made = ast.BinOp(ast.copy_location(none, node), ast.Add(), node.args[1])
                return ast.copy_location(made, node)
        return node


def clipped_as_by_numpy(node: ast.FunctionDef) -> ast.FunctionDef:
    node.body = [_OfNumPy().visit(each) for each in node.body]
    return node


def _assigned(node: ast.stmt) -> list[str]:
    return [each.id for each in node.targets if isinstance(each, ast.Name)] if isinstance(node, ast.Assign) else []


def any_named_draw(patch: Any) -> None:
    def named(node: ast.FunctionDef, known: kinds.Kinds) -> dict[str, draws.Draw]:
        found: dict[str, draws.Draw] = {}
        for each in (each for each in ast.walk(node) if isinstance(each, ast.Assign)):
            draw = draws.heart(each.value, lambda value: draws.draw_of(value, known))
            found |= {name: draw for name in _assigned(each) if draw is not None}
        return found

    patch.setattr(functions, "named_draws", named)


def names_of_python(patch: Any) -> None:
    read = parse.item

    def item(node: ast.stmt, *others: Any) -> Iterator[Any]:
        known = isinstance(node, ast.FunctionDef) and node.name in ("len", "sum", "min")
        yield from () if known else read(node, *others)

    patch.setattr(parse, "item", item)


def imported(patch: Any) -> None:
    known = kinds.Kinds.called

    def called(self: kinds.Kinds, callee: ast.expr) -> str:
        of = callee.value if isinstance(callee, ast.Attribute) else None
        hides = isinstance(of, ast.Name) and of.id == "np"
        return known(kinds.Kinds({}, {}.__contains__) if hides else self, callee)

    patch.setattr(kinds.Kinds, "called", called)


def harmless(patch: Any) -> None:
    summary = parse.effects
    patch.setattr(parse, "effects", lambda *nodes: summary(*nodes)._replace(anything="", stores=False))


def any_generator(patch: Any) -> None:
    known = kinds.Kinds._of_call

    def of_call(self: kinds.Kinds, node: ast.Call) -> kinds.Of:
        return kinds.Kind.GENERATOR if self.called(node.func) == kinds.GENERATING else known(self, node)

    patch.setattr(kinds.Kinds, "_of_call", of_call)


def lists_as_arrays(patch: Any) -> None:
    known = functions.kind_of

    def kind_of(*given: Any) -> kinds.Of:
        found = known(*given)
        return kinds.Kind.ARRAY if found is kinds.Kind.LIST else found

    patch.setattr(functions, "kind_of", kind_of)


MISTAKES: dict[str, Callable[[Any], None]] = {
    "a draw with a name is noise wherever it is added": any_named_draw,
    "a name is given no other value in a loop": reading(as_before_the_loop),
    "a function of the module is Python's": names_of_python,
    "a mask is made where it is read": reading(as_it_is_later),
    "a public parameter stays what it was": reading(as_it_was_given),
    "a default is evaluated at each call": reading(evaluated_again),
    "a draw that has a name stays as it was drawn": reading(as_it_was_drawn),
    "bounds that cross are the upper one for all, as they are for NumPy": reading(clipped_as_by_numpy),
    "a module is what was imported, whatever a parameter is called": imported,
    "one draw hides all entries": reading(as_many_draws),
    "a decorator changes nothing": reading(undecorated),
    "a statement of the module changes nothing": harmless,
    "a generator draws what nobody knows": any_generator,
    "a list is an array": lists_as_arrays,
}


def test_nothing_is_refuted_without_a_mistake() -> None:
    found = {seed: judged(seed, programs()[seed], each).refuted for seed, each in right().items()}
    assert len(found) > 50 and not any(found.values())


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_refuted(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = right()
    MISTAKES[mistake](monkeypatch)
    wrong = {seed: found for seed, text in programs().items() if (found := said(text)) != before[seed]}
    assert any(judged(seed, programs()[seed], found).refuted for seed, found in wrong.items())
