"""Python that is read wrongly on purpose: each mistake that is easily made, many of which a first prototype made, takes
the place of what the front end does right. A program is claimed too much of then, and CPython refutes it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

from cpython.claims import claims
from dp_lsp.engine.check import Engine
from dp_lsp.features.report import file_report
from dp_lsp.frontends.python import annotations, draws, effects, expressions, functions, kinds, outputs

from .breaking import Rule
from .python import judged, written

HEAD = """\
from typing import Annotated

import numpy as np
from dp_types import AddRemove, AtLeast, Bounded, ChangeOne, Private, Size, Static, Within

"""
Kind = kinds.Kind


class Misread(NamedTuple):
    """A mistake, and a program that it claims too much of."""

    rule: Rule
    program: str

    @property
    def what(self) -> str:
        return self.rule.what


def refuted(misread: Misread | None, program: str) -> str:
    """What runs have against what is claimed of a program while something is read wrongly."""
    return _refuted(misread, f"{HEAD}{program}")


def refuted_by_seed(misread: Misread | None, seed: int) -> str:
    """The same of the random program of a seed (``python -m tests.attack python``)."""
    return _refuted(misread, written(seed))


SEEDS = {
    "a list is an array": 309,
    "a change in place is another value": 474,
    "of a chained comparison the first counts": 31,
    "nothing gives the function of a module another meaning": 359,
    "a decorator changes nothing": 91,
    "no function gives a name of the module a value": 32,
    "a definition under a condition is none": 149,
    "what is added is replaced": 0,
    "one draw hides all that it is added to": 201,
    "a draw before rounds is one of each": 353,
    "the centre of a draw is 0": 22,
    "a generator with a seed draws noise": 616,
    "a seed of all noise is none": 359,
    "nobody sees what is printed": 259,
}
"""For each mistake a seed whose random program refutes what is claimed then."""


def _refuted(misread: Misread | None, text: str) -> str:
    with misread.rule.in_place() if misread is not None else nullcontext():
        said = claims(file_report(Engine().check(text, document="p.py"), "p.py"))
    for seed in range(3):
        found = judged(seed, text, said)
        assert not found.crashed, found.crashed
        if found.refuted:
            return found.refuted[0]
    return ""


def misreadings() -> Iterator[Misread]:
    """All mistakes."""
    yield _of(
        "a list is an array",
        *(functions, "kind_of", _lists_are_arrays),
        "def f(v: Annotated[list, AddRemove(), Bounded(0, 1)]):\n    w = v * 3\n    return len(w)\n",
    )
    yield _of(
        "a change in place is another value",
        *(functions._Body, "_updated", _as_arithmetic),
        "def f(v: Annotated[np.ndarray, AddRemove(), Bounded(0, 1)]):\n    w = v\n    v *= 9\n    return w.sum()\n",
    )
    yield _of(
        "of a chained comparison the first counts",
        *(expressions.Expressions, "_comparison", _first_link),
        "def f(x: Annotated[float, Within()]):\n    return 3 if 0 < 1 < x else 2\n",
    )
    yield _of(
        "nothing gives the function of a module another meaning",
        *(effects._Walk, "_doubt", lambda right: lambda self, what: None),
        "np.clip = lambda v, low, high: 9 * v\n\n\n"
        "def f(x: Annotated[float, Within()]):\n    return np.clip(x, 0, 1)\n",
    )
    yield _of(
        "a decorator changes nothing",
        *(functions, "_parameters", _undecorated),
        "def tenfold(g):\n    return lambda x: 10 * x\n\n\n"
        "@tenfold\ndef f(x: Annotated[float, Within()]):\n    return x\n",
    )
    yield _of(
        "no function gives a name of the module a value",
        *(effects, "_declared", lambda right: lambda item: ()),
        "k = 1\n\n\ndef g():\n    global k\n    k = 9\n    return 0\n\n\n"
        "def f(x: Annotated[float, Within()]):\n    return k * x\n\n\ng()\n",
    )
    yield _of(
        "a definition under a condition is none",
        *(effects._Walk, "_bind", lambda right: lambda self, name, inside: None),
        "def g(x):\n    return x\n\n\nif len([1]):\n    def g(x):\n        return 9 * x\n\n\n"
        "def f(x: Annotated[float, Within()]):\n    return g(x)\n",
    )
    yield _of(
        "what is added is replaced",
        *(annotations, "_RELATIONS", lambda right: {each: right["ChangeOne"] for each in right}),
        "def f(v: Annotated[list, AddRemove()]):\n    return len(v)\n",
    )
    yield _of(
        "one draw hides all that it is added to",
        *(draws, "named_draws", lambda right: _named_draws),
        "def f(v: Annotated[np.ndarray, AddRemove()]) -> Private:\n    z = np.random.laplace()\n"
        "    return np.sum(v > 0) + z, np.sum(v > 3) + z\n",
    )
    yield _of(
        "a draw before rounds is one of each",
        *(draws, "_is_added", lambda right: lambda name, statements: True),
        "def f(v: Annotated[np.ndarray, AddRemove()]) -> Private:\n    z = np.random.laplace()\n"
        "    return [np.sum(v > i) + z for i in range(5)]\n",
    )
    yield _of(
        "the centre of a draw is 0",
        *(draws.Draw, "is_centred", lambda right: property(lambda self: True)),
        "def f(v: Annotated[list, AddRemove()]) -> Private:\n    return 1 + np.random.laplace(len(v), 2)\n",
    )
    yield _of(
        "a generator with a seed draws noise",
        *(kinds.Kinds, "_of_call", _unseeded),
        "def f(v: Annotated[list, AddRemove()]) -> Private:\n    rng = np.random.default_rng(7)\n"
        "    return len(v) + rng.laplace(0, 1)\n",
    )
    yield _of(
        "a seed of all noise is none",
        *(effects, "reaches_out", lambda right: lambda name: False),
        "np.random.seed(0)\n\n\n"
        "def f(v: Annotated[list, AddRemove()]) -> Private:\n    return len(v) + np.random.laplace(0, 1)\n",
    )
    yield _of(
        "nobody sees what is printed",
        *(
            outputs.Outputs,
            "_call",
            lambda right: lambda self, node, *given: self._expressions.node(ast.Constant(0, **_at(node))),
        ),
        "def f(v: Annotated[list, AddRemove()]) -> Private:\n    print(len(v))\n"
        "    return len(v) + np.random.laplace(0, 1)\n",
    )


def _at(node: ast.expr) -> dict[str, Any]:
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def _named_draws(node: ast.FunctionDef, of: kinds.Kinds) -> dict[str, draws.Draw]:
    """All draws that have a name."""
    found = {}
    for item in ast.walk(node):
        if isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name):
            draw = draws.draw_of(item.value, of)
            if draw is not None:
                found[item.targets[0].id] = draw
    return found


def _unseeded(right: Any) -> Any:
    def of_call(self: kinds.Kinds, node: ast.Call) -> Any:
        return Kind.GENERATOR if self.called(node.func) == kinds.GENERATING else right(self, node)

    return of_call


def _of(what: str, owner: Any, function: str, wrong: Callable[[Any], Any], program: str) -> Misread:
    return Misread(Rule(what, owner, function, wrong, sort="misread"), program)


def _lists_are_arrays(right: Any) -> Any:
    def kind_of(node: ast.expr | None, *given: Any) -> Any:
        found = right(node, *given)
        return Kind.ARRAY if found is Kind.LIST else found

    return kind_of


def _as_arithmetic(right: Any) -> Any:
    def updated(self: Any, node: ast.AugAssign, target: ast.Name, value: ast.expr) -> Any:
        read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
        return self._expressions.node(ast.copy_location(ast.BinOp(read, node.op, value), node))

    return updated


def _first_link(right: Any) -> Any:
    def comparison(self: Any, node: ast.Compare) -> Any:
        first = ast.Compare(node.left, node.ops[:1], node.comparators[:1])
        return right(self, ast.copy_location(first, node))

    return comparison


def _undecorated(right: Any) -> Any:
    def parameters(node: ast.FunctionDef, places: Any) -> Any:
        node.decorator_list = []
        return right(node, places)

    return parameters
