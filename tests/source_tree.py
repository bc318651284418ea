"""The repository and the package's own source code, parsed: what the tests about the code itself look at."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Module(NamedTuple):
    """A module of the package; ``name`` is dotted, a package's is without ``__init__``."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    def strings(self) -> Iterator[ast.Constant]:
        """Every string literal that is neither a docstring nor the name of a slot."""
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            match waiting.pop():
                case ast.Expr(value=ast.Constant()) | ast.Assign(targets=[ast.Name(id="__slots__")]):
                    pass
                case ast.Constant(value=str()) as node:
                    yield node
                case node:
                    waiting += ast.iter_child_nodes(node)

    def at(self, node: ast.expr | ast.stmt | ast.pattern) -> str:
        """A place as a reader wants it."""
        return f"{self.path.relative_to(ROOT)}:{node.lineno}"


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the package."""
    found = []
    for path in sorted(ROOT.glob("dp_lsp/**/*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, path, ast.parse(path.read_text("utf-8"), str(path))))
    return tuple(found)


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git tracks and that exists."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout
    return tuple(path for name in listed.split("\0") if name and (path := ROOT / name).is_file())


def python(*arguments: str | Path, cwd: Path = ROOT, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run this interpreter; ``path`` is looked in first for modules."""
    environment = os.environ | {"PYTHONPATH": str(path)} if path else None
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, encoding="utf-8")
