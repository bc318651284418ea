"""A file that reads data, as one function of these data: each call runs the whole file, by CPython."""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Callable
from typing import Any

ENTRY = "<module>"
_DATA = "__data__"
_WORDS = frozenset({"AddRemove", "ChangeOne", "Within"})


class Script:
    """The tree of a file. What its statements say they read is what the function is given."""

    def __init__(self, tree: ast.Module) -> None:
        self.reads = [each for each in ast.walk(tree) if isinstance(each, ast.AnnAssign) and _is_data(each)]
        self.loaded = self._whole = None
        if self.reads:
            loaded = ast.Module([each for each in tree.body if _is_loaded(each)], [])
            given = ast.fix_missing_locations(_Given().visit(copy.deepcopy(tree)))
            self.loaded, self._whole = (
                compile(each, "<program>", "exec", dont_inherit=True) for each in (loaded, given)
            )

    def entry(self, module: types.ModuleType) -> Callable[..., Any]:
        """The function, for a module that has what the annotations name."""

        def entry(**data: Any) -> None:
            names = {"__name__": "__main__", "__same__": module.__dict__["__same__"], _DATA: data}
            exec(self._whole, names)

        said = {
            ast.unparse(each.target): eval(ast.unparse(each.annotation), module.__dict__.copy()) for each in self.reads
        }
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter(name, kind, annotation=each) for name, each in said.items()]
        entry.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        entry.__annotations__ = said
        return entry


def _is_data(node: ast.AnnAssign) -> bool:
    return any(isinstance(each, ast.Name) and each.id in _WORDS for each in ast.walk(node.annotation))


def _is_loaded(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)


class _Given(ast.NodeTransformer):
    """What is read is given."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if not _is_data(node):
            return node
        name = ast.unparse(node.target)
        value = ast.Subscript(ast.Name(_DATA, ast.Load()), ast.Constant(name), ast.Load())
        return ast.Assign([ast.Name(name, ast.Store())], value)
