"""The layers of the package and the fences around third-party libraries, in the code and in a run."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from source_tree import ROOT, Module, modules, python

PICKLES = {"dp_lsp.worker.frames", "dp_lsp.cli.checks"}
"""What talks to a process that it started itself; nothing that is read from a file is a pickle."""

QUICK = {"core", "builtins", "lower", "infer", "accounting", "engine"}
"""The layers that make most of the values of a check."""


@cache
def names() -> frozenset[str]:
    return frozenset(module.name for module in modules())


class Import(NamedTuple):
    """``target`` is a module, of the package or of a library; ``taken`` what is taken out of it."""

    place: str
    importer: str
    target: str
    taken: str | None
    late: bool  # done when a function is called
    typing: bool  # seen by type checkers only

    def __str__(self) -> str:
        return f"{self.place}: {self.importer} imports {self.target}"


class Layer(NamedTuple):
    """A row of the table: what a layer may import."""

    imports: frozenset[str]
    late: frozenset[str]
    outside: frozenset[str]
    outside_late: frozenset[str]

    def allows(self, name: str, own: bool, late: bool) -> bool:
        always, sometimes = (self.imports, self.late) if own else (self.outside, self.outside_late)
        return name in always or (late and name in sometimes)


@cache
def table() -> dict[str, Layer]:
    """The table of the contributors' map."""
    rows = {}
    _, _, section = (ROOT / "dp_lsp" / "README.md").read_text("utf-8").partition("\n## Who may import whom\n")
    for line in section.partition("\n## ")[0].splitlines():
        if line.startswith("| `"):
            name, *cells = (re.findall(r"`(\w+)`", cell) for cell in line.strip("|").split("|"))
            rows[name[0]] = Layer(*(frozenset(cell) for cell in cells))
    return rows


def layer(name: str) -> str:
    """The layer of a module; modules that only define kinds of problems are a layer of their own."""
    return "problems" if "problems" in name.split(".") else folder(name)


def folder(name: str) -> str:
    return name.split(".")[1] if "." in name else name


def read(module: Module, node: ast.AST, late: bool = False, typing: bool = False) -> Iterator[Import]:
    """The imports in a piece of code that are not from the standard library."""
    for child in ast.iter_child_nodes(node):
        for target, taken in targets(module, child):
            if target.partition(".")[0] not in sys.stdlib_module_names:
                yield Import(module.at(child), module.name, target, taken, late or typing, typing)
        inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        for_types = isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")
        yield from read(module, child, late or inside, typing or for_types)


def targets(module: Module, node: ast.AST) -> Iterator[tuple[str, str | None]]:
    match node:
        case ast.Import(names=aliases):
            for alias in aliases:
                yield alias.name, None
        case ast.ImportFrom(module=base, names=aliases, level=level):
            if level:
                above = module.name.split(".")
                above = above[: len(above) - level + module.is_package]
                base = ".".join([*above, base] if base else above)
            for alias in aliases:
                inner = f"{base}.{alias.name}"
                yield (inner, None) if inner in names() else (str(base), alias.name)


@cache
def imports() -> tuple[Import, ...]:
    return tuple(found for module in modules() for found in read(module, module.tree))


def is_own(found: Import) -> bool:
    return found.target.partition(".")[0] == "dp_lsp"


def test_every_folder_is_a_package() -> None:
    folders = {module.path.parent for module in modules()}
    assert [path for path in folders if not (path / "__init__.py").is_file()] == []


def test_every_module_is_in_a_layer() -> None:
    assert {layer(name) for name in names()} - set(table()) == {"dp_lsp"}


def test_own_imports_exist() -> None:
    assert [str(found) for found in imports() if is_own(found) and found.target not in names()] == []


def test_layers() -> None:
    wrong = []
    for found in filter(is_own, imports()):
        inward = layer(found.importer) != "problems" or layer(found.target) == "problems"
        near = folder(found.importer) == folder(found.target) and inward
        version = found.target == "dp_lsp" and found.importer != "dp_lsp"
        everyone = version or (found.target == "dp_lsp.named" and found.importer != "dp_lsp.verify")
        rules = table().get(layer(found.importer))
        if not (near or everyone or (rules and rules.allows(layer(found.target), own=True, late=found.late))):
            wrong.append(str(found))
    assert wrong == []


def test_what_checks_make_is_quickly_made() -> None:
    taken = {
        module.name: {got for node in ast.walk(module.tree) for got in targets(module, node)} for module in modules()
    }
    assert [name for name, got in taken.items() if ("typing", "NamedTuple") in got] == ["dp_lsp.named", "dp_lsp.verify"]
    checking = {name: got for name, got in taken.items() if layer(name) in QUICK}
    assert [name for name, got in checking.items() if ("dataclasses", "replace") in got] == ["dp_lsp.core.values"]


def test_third_party_fences() -> None:
    wrong = []
    for found in imports():
        library = found.target.partition(".")[0]
        rules = table().get(layer(found.importer))
        allowed = rules is not None and rules.allows(library, own=False, late=found.late)
        if not is_own(found) and not allowed:
            wrong.append(str(found))
    assert wrong == []


def test_what_is_imported_is_what_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for name in ("witness", "run", "arrow") for each in project["optional-dependencies"][name]]
    declared = {re.split(r"\W", each)[0] for each in [*project["dependencies"], *extras]} - {"dp"}
    assert {found.target.partition(".")[0] for found in imports() if not is_own(found)} == declared


def test_core_takes_only_places_from_texts() -> None:
    of_core = [found for found in imports() if layer(found.importer) == "core"]
    assert [str(found) for found in of_core if found.target == "dp_lsp.text" and found.taken != "Span"] == []


def test_no_import_cycles() -> None:
    graph: dict[str, set[str]] = {}
    for found in filter(is_own, imports()):
        if not found.typing:
            graph.setdefault(found.importer, set()).add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" ← ".join(error.args[1])) from None


def test_pickles_are_for_own_processes() -> None:
    importers = {
        module.name
        for module in modules()
        for node in ast.walk(module.tree)
        for target, _ in targets(module, node)
        if target in ("pickle", "shelve", "dbm")
    }
    assert importers == PICKLES


def test_the_map_names_files_that_exist() -> None:
    words = re.findall(r"`([\w./-]+)`", (ROOT / "dp_lsp" / "README.md").read_text("utf-8"))
    paths = {word for word in words if "/" in word or word.endswith((".py", ".lark", ".md"))}
    assert len(paths) > 20
    there = {path for path in paths if (ROOT / path).exists() or any((ROOT / "dp_lsp").rglob(path.rstrip("/")))}
    assert paths - there == set()


def test_importing_a_package_is_cheap() -> None:
    at_once: dict[str, set[str]] = {}
    for found in imports():
        if not found.late:
            at_once.setdefault(found.importer, set()).add(found.target)

    def heavy(name: str) -> set[str]:
        """The third-party libraries that importing a module of the package loads, with who loads them."""
        seen, waiting, loaded = {name}, [name], set()
        while waiting:
            importer = waiting.pop()
            parent = importer.rpartition(".")[0]
            for target in {*at_once.get(importer, ()), *filter(None, [parent])} - seen:
                if target in names():
                    seen.add(target)
                    waiting.append(target)
                else:
                    loaded.add(f"importing {name} loads {target}, in {importer}")
        return loaded

    assert set().union(*(heavy(module.name) for module in modules() if module.is_package)) == set()


LOADED = "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"


def loaded(stderr: str) -> set[str]:
    """The names of the modules that a process had loaded when it ran ``LOADED`` as its last act."""
    assert stderr.endswith("]\n"), stderr
    return set(json.loads(stderr.splitlines()[-1]))


def test_check_loads_neither_the_server_nor_an_algebra_system(tmp_path: Path) -> None:
    (tmp_path / "twice.jl").write_text("twice(x::Real) = x + x\n", "utf-8")
    program = f"import json, sys\nfrom dp_lsp.cli import main\ntry:\n    main()\nfinally:\n    {LOADED}"
    result = python("-c", program, "check", "twice.jl", cwd=tmp_path, path=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert loaded(result.stderr) & {"pygls", "lsprotocol", "sympy", "numpy", "lark"} == set()


def test_server_process_loads_neither_a_parser_nor_an_algebra_system(tmp_path: Path) -> None:
    lines = (
        "import json, sys",
        "import dp_lsp.lsp.server",
        "from dp_lsp.analysis.workspace import Document",
        "from dp_lsp.features import completion",
        "document = Document('a.jl', 1, 'f(x) = abs(')",
        "assert completion.signatures(document, 11)",
        "completion.completion(document, 11)",
        LOADED,
    )
    result = python("-c", "\n".join(lines), cwd=tmp_path, path=ROOT)
    assert result.returncode == 0, result.stderr
    heavy = {"dp_lsp.frontends.julia.lexer", "dp_lsp.frontends.julia.parse", "dp_lsp.infer", "dp_lsp.lower"}
    assert loaded(result.stderr) & {*heavy, "sympy", "numpy"} == set()
