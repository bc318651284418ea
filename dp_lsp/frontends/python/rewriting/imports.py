"""What a repair needs that is not imported: names of annotations, and the modules of types.

What names of a text stand for that are imported: ``mean`` for ``numpy.mean``, ``npr.laplace`` for
``numpy.random.laplace``.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping

from dp_lsp.frontends.python.chunks import items
from dp_lsp.frontends.python.names import OWN_MODULE, WORDS, dotted
from dp_lsp.frontends.python.parse import read
from dp_lsp.frontends.python.tree import Places
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Fix, Problem
from dp_lsp.text import Span

_NAME = re.compile(r"(?<![\w.])([^\W\d]\w*)(\.)?")
_LOADERS = "torch.utils.data"
_HOMES = {**dict.fromkeys(WORDS, OWN_MODULE), "Annotated": "typing", "DataLoader": _LOADERS}
_MODULES = {"np": "numpy", "pd": "pandas", "pl": "polars", "random": "random", "math": "math"}


class Import(NamedTuple):
    """An import at top level, and where it and its names stand."""

    node: ast.Import | ast.ImportFrom
    span: Span
    names: tuple[Span, ...]

    @property
    def module(self) -> str:
        return (self.node.module or "") if isinstance(self.node, ast.ImportFrom) else self.node.names[0].name

    @property
    def brings(self) -> set[str]:
        return {each.asname or each.name.partition(".")[0] for each in self.node.names}

    @property
    def is_standard(self) -> bool:
        return self.module.partition(".")[0] in sys.stdlib_module_names


def with_imports(fix: Fix, text: str) -> Fix:
    """A repair, with imports of what it writes."""
    written = [found for edit in fix.edits for found in _NAME.finditer(edit.text)]
    names = {found[1] for found in written if not found[2] and found[1] in _HOMES}
    modules = {found[1] for found in written if found[2] and found[1] in _MODULES}
    if not names and not modules:
        return fix
    there = imports(text)
    known = {name for each in there for name in each.brings}
    edits = [edit for name in sorted(modules - known) for edit in _of_module(name, there, text)]
    for home in ("typing", OWN_MODULE, _LOADERS):
        wanted = sorted(name for name in names - known if _HOMES[name] == home)
        edits += _of_names(home, wanted, there, text) if wanted else ()
    return fix._replace(edits=(*fix.edits, *_joined(edits)))


def imports(text: str) -> list[Import]:
    """The imports of a text at top level, as far as it can be read."""
    found = []
    for each in items(text):
        tree = read(each.text)
        for node in () if isinstance(tree, Problem) else tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                places = Places(each.text)
                names = tuple(places.span(name).moved(each.start) for name in node.names)
                found.append(Import(node, places.span(node).moved(each.start), names))
    return found


def _joined(edits: Iterable[Edit]) -> list[Edit]:
    """Edits at one place as one."""
    made: dict[Span, str] = {}
    for edit in edits:
        made[edit.span] = made.get(edit.span, "") + edit.text
    return [Edit(span, text) for span, text in made.items()]


def _of_names(home: str, names: list[str], there: list[Import], text: str) -> list[Edit]:
    """The import of names of a module: by an import of others that is there, or by a line of its own."""
    for each in there:
        if isinstance(each.node, ast.ImportFrom) and each.module == home and each.node.names[0].name != "*":
            return [_beside(each, name, text) for name in names]
    line = f"from {home} import {', '.join(names)}"
    return _line(line, there, text, home in sys.stdlib_module_names)


def _of_module(name: str, there: list[Import], text: str) -> list[Edit]:
    module = _MODULES[name]
    line = f"import {module}" if module == name else f"import {module} as {name}"
    return _line(line, there, text, module in sys.stdlib_module_names)


def _line(line: str, there: list[Import], text: str, standard: bool) -> list[Edit]:
    """A line of its own among the imports: behind those of Python's own modules if it imports one, and else before the
    first one of another."""
    ends = "\r\n" if "\r\n" in text else "\n"
    own = [each for each in there if each.is_standard]
    others = [each for each in there if not each.is_standard]
    if standard and own and own[-1].module != "__future__":
        return [Edit(Span(own[-1].span.end, own[-1].span.end), f"{ends}{line}")]
    if not others:
        return []
    start = others[0].span.start
    return [Edit(Span(start, start), f"{line}{ends}{ends if standard else ''}")]


def _beside(found: Import, name: str, text: str) -> Edit:
    """A name among others that are imported: in the order of the alphabet, if they are in it."""
    brought = [each.name for each in found.node.names]
    later = [index for index, each in enumerate(brought) if each > name] if brought == sorted(brought) else []
    lines = len({text.count("\n", 0, each.start) for each in found.names})
    start = found.names[0].start
    begins = text.rfind("\n", 0, start) + 1
    apart = f",\n{text[begins:start]}" if lines > 1 and not text[begins:start].strip() else ", "
    if later:
        start = found.names[later[0]].start
        return Edit(Span(start, start), f"{name}{apart}")
    end = found.names[-1].end
    return Edit(Span(end, end), f"{apart}{name}")


Origins = Mapping[str, str]
"""Names by what they are imported as."""
_ALIASES = {"numpy": "np", "pandas": "pd"}


def origins(text: str) -> Origins:
    """The names that the imports of a text bring, each with the path that it stands for."""
    found: dict[str, str] = {}
    for each in imports(text):
        for name in each.node.names:
            if isinstance(each.node, ast.ImportFrom):
                found[name.asname or name.name] = f"{each.module}.{name.name}"
            else:
                top = name.name.partition(".")[0]
                found[name.asname or top] = name.name if name.asname else top
    return found


def origin(node: ast.expr, known: Origins) -> str:
    """The path of what an expression names; empty where it names nothing that is imported."""
    found = dotted(node)
    if found is None or found[0] not in known:
        return ""
    return known[found[0]] + found[1][len(found[0]) :]


def called(node: ast.AST, known: Origins) -> str:
    """The path of the function that a call calls, or the name of one of Python's own; empty for anything else."""
    if not isinstance(node, ast.Call):
        return ""
    of = node.func
    return origin(of, known) or (of.id if isinstance(of, ast.Name) and of.id not in known else "")


def usual(path: str) -> str:
    """How a path is usually written: ``np.mean``."""
    home, _, rest = path.partition(".")
    return f"{_ALIASES.get(home, home)}.{rest}"


def named(node: ast.AST, known: Origins) -> Iterator[tuple[ast.expr, str]]:
    """The longest expressions below a node that name something that is imported, with its path."""
    path = origin(node, known) if isinstance(node, ast.Name | ast.Attribute) else ""
    if isinstance(node, ast.expr) and path:
        yield node, path
        return
    for each in ast.iter_child_nodes(node):
        yield from named(each, known)
