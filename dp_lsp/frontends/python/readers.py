"""What only reads: what it does is a part of reading data, of which nothing is claimed.

A function that only reads calls modules that read, and functions of Python and methods that show nothing, write nothing
and do not end the run; it changes only what it has made itself. What is not known to be so is no reader.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping
from symtable import symtable

from dp_lsp.frontends.python.effects import effects
from dp_lsp.frontends.python.names import SEEDS
from dp_lsp.frontends.python.tree import below, walk

READING = frozenset(
    {
        *(
            "pandas",
            "numpy",
            "polars",
            "csv",
            "json",
            "io",
            "os",
            "pathlib",
            "gzip",
            "zipfile",
            "glob",
            "re",
            "datetime",
        ),
        *("math", "itertools", "collections", "typing", "dp_types"),
    }
)
"""Modules whose functions read, or make something of what is read; what else they do has one of the names below."""
_ENDS = (ast.Raise, ast.Assert, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_SHOWS = frozenset(
    {
        *("print", "input", "exit", "quit", "help", "_exit", "abort", "kill", "system", "popen", "startfile", "write"),
        *("writelines", "write_text", "write_bytes", "writerow", "writerows", "save", "savez", "savetxt", "dump"),
        *("tofile", "info", "plot", "hist", "boxplot", "show", "display", "remove", "unlink", "rename", "putenv"),
        *("mkdir", "makedirs", "set_option", "set_printoptions", "option_context", "reset_option"),
    }
)
"""What shows or writes something, or ends the run, by the names of functions and of methods."""
_MAKES = frozenset({"to_numpy", "to_list", "to_dict", "to_records", "to_datetime", "to_numeric", "to_timedelta"})
"""What begins like a method that writes, and only makes something."""


def imported(statements: Collection[ast.stmt]) -> dict[str, str]:
    """The names that imports bring, each with the module that it is or is in."""
    found: dict[str, str] = {}
    for node in statements:
        match node:
            case ast.Import(names=names):
                found |= {each.asname or each.name.partition(".")[0]: each.name for each in names}
            case ast.ImportFrom(module=str() as module, level=0, names=names):
                found |= {each.asname or each.name: module for each in names}
    return found


def shows_nothing(node: ast.AST) -> bool:
    """Whether what reads data, as far as its names tell, shows nothing, ends no run, and changes nothing but what it
    has made itself."""
    does = effects(node)
    if does.anything or does.outside or any(map(_shows, (*does.mentions, *does.members))):
        return False
    if any(isinstance(each, _ENDS) for each in walk(node)) or not all(map(_opens_to_read, below(node, ast.Call))):
        return False
    made = {each.id for each in below(node, ast.Name) if not isinstance(each.ctx, ast.Load)}
    made -= {each.arg for each in below(node, ast.arg)}
    return all(_is_own(each, made) for each in below(node, ast.Subscript))


def only_reads(
    node: ast.FunctionDef, modules: Mapping[str, str], known: Collection[str], given: Collection[str]
) -> bool:
    """Whether a function only reads. ``modules`` are the names that the file imports, ``known`` those of functions that
    may be such, and ``given`` those of numbers and texts of the file."""
    defaults = [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
    if node.decorator_list or not all(isinstance(each, ast.Constant) for each in defaults) or not shows_nothing(node):
        return False
    return all(
        each in known or each in given or modules.get(each, "").partition(".")[0] in READING or hasattr(builtins, each)
        for each in free(node)
    )


def free(node: ast.FunctionDef) -> frozenset[str]:
    """The names of the module that a function, or what stands inside of it, reads."""
    bare = ast.copy_location(ast.FunctionDef(node.name, node.args, node.body, [], None), node)
    tables = symtable(ast.unparse(bare), "", "exec").get_children()
    found: set[str] = set()
    for table in tables:  # which grows
        found |= {each.get_name() for each in table.get_symbols() if each.is_global()}
        tables += table.get_children()
    return frozenset(found)


def _shows(name: str) -> bool:
    return name in _SHOWS or name in SEEDS or (name.startswith("to_") and name not in _MAKES)


def _opens_to_read(call: ast.Call) -> bool:
    """Whether a call opens no file to write to it."""
    match call:
        case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open"), args=args, keywords=keywords):
            at = 1 if isinstance(call.func, ast.Name) else 0
            modes = [*args[at : at + 1], *(each.value for each in keywords if each.arg in ("mode", None))]
            return all(isinstance(each, ast.Constant) and str(each.value).startswith("r") for each in modes)
    return True


def _is_own(node: ast.Subscript, own: Collection[str]) -> bool:
    """Whether what an index changes, if it changes something, is a value that the function has made."""
    of = node.value.value if isinstance(node.value, ast.Attribute) and node.value.attr == "loc" else node.value
    return isinstance(node.ctx, ast.Load) or (isinstance(of, ast.Name) and of.id in own)
