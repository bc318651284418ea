"""The headers of definitions, as they are written."""

from __future__ import annotations

import ast

from dp_lsp.language import Argument
from dp_lsp.text import Span


def arguments(text: str, name: Span) -> list[Argument]:
    """The parameters of a definition whose name stands at a place; none where the header cannot be read."""
    depth = 0
    for position in range(name.end, len(text)):
        depth += text[position] in "([{"
        depth -= text[position] in ")]}"
        if depth == 0 and text[position] == ")":
            break
    else:
        return []
    try:
        tree = ast.parse(f"def f{text[name.end : position + 1]}: pass")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    (found,) = tree.body
    assert isinstance(found, ast.FunctionDef), "that is what is parsed"
    return [Argument(ast.unparse(each), each.arg) for each in found.args.args]
