"""What Python writes where others see it: a terminal, a log, a file, a picture.

A call that stands as a statement of its own, and does no more than that, is a list of the values that it shows. A value
that is made a text of shows what it is made of. Sources: the manuals of Python (`print`, ``sys``, ``logging``,
``warnings``, `open`), of NumPy (`save`, `savetxt`), of pandas ("Input/output") and of Matplotlib (``pyplot``).
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from dp_lsp import surface
from dp_lsp.frontends.python.kinds import COLUMNS, Kind, Kinds
from dp_lsp.frontends.python.names import LOGGERS, dotted
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.rows import Rows
from dp_lsp.frontends.python.tables import Alone, Table
from dp_lsp.frontends.python.tree import Places, below, copied, walk
from dp_lsp.surface import Node

PRINT = "print"
_LEVELS = frozenset({"debug", "info", "warning", "error", "critical", "exception"})
_STREAMS = frozenset({"sys.stdout", "sys.stderr"})
_PLOTS = frozenset(
    {
        *("plot", "hist", "bar", "barh", "scatter", "step", "pie", "boxplot", "errorbar", "stem", "fill_between"),
        *("title", "suptitle", "xlabel", "ylabel", "text", "annotate", "legend", "figure", "xlim", "ylim", "grid"),
        *("axhline", "axvline", "xticks", "yticks", "xscale", "yscale", "tight_layout", "show", "savefig", "close"),
    }
)
_WRITERS = frozenset(
    {
        *(f"{stream}.write" for stream in _STREAMS),
        *(f"{stream}.flush" for stream in _STREAMS),
        *(f"logging.{level}" for level in _LEVELS),
        *(f"plt.{name}" for name in _PLOTS),
        *("warnings.warn", "np.save", "np.savetxt"),
    }
)
"""Functions that write what they are given, and do nothing else."""
_FILES = frozenset(
    {"csv", "json", "parquet", "excel", "pickle", "feather", "hdf", "html", "latex", "markdown", "string"}
)
_WRITING_METHODS = frozenset({*(f"to_{kind}" for kind in _FILES), "tofile", "info", "hist", "plot"})
"""Methods of tables, columns and arrays that write them."""
SHOWING = frozenset({PRINT, *_WRITERS, *(f"….{name}" for name in (*_LEVELS, *_WRITING_METHODS, "write"))})
"""What shows values, by the names that it has in the tree."""
_LOOKS = frozenset({"head", "tail", "sample", "describe", "to_string"})
"""Methods that make a part, or another form, of what they belong to."""
_UNFOLLOWED = frozenset({Kind.TEXTS, Kind.GAPS, Kind.TEXT, Kind.CHOICE})
_TABLES = (Table, Alone, Rows)


class _Valued(Protocol):
    """What makes nodes of expressions."""

    def node(self, node: ast.expr) -> Node: ...
    def note_home(self, function: ast.expr) -> None: ...


class Outputs:
    """What the statements of one function show. ``lasting`` are names of columns and masks, and what they stand for."""

    def __init__(
        self, places: Places, kinds: Kinds, expressions: _Valued, lasting: Mapping[str, ast.expr], files: frozenset[str]
    ) -> None:
        self._places = places
        self._kinds = kinds
        self._expressions = expressions
        self._lasting = lasting
        self._files = files

    def shown(self, node: ast.Call) -> Node | None:
        """What a call shows, as a call of what shows it; None where it does something else. Raises :class:`Refused`."""
        name = self._kinds.called(node.func)
        if name == PRINT:
            return self._call(node, PRINT, node.args)
        if name in _WRITERS:
            self._expressions.note_home(node.func)
            return self._call(node, name, node.args)
        name = f"….{node.func.attr}" if isinstance(node.func, ast.Attribute) else ""
        if self._is_logger(node.func):
            self._expressions.note_home(node.func)
            return self._call(node, name, node.args)
        match node.func:
            case ast.Attribute(value=ast.Name(id=file), attr="write") if file in self._files:
                return self._call(node, name, node.args)
            case ast.Attribute(value=ast.Call() as opened, attr="write") if opens(opened, self._kinds.called):
                return self._call(node, name, node.args)
            case ast.Attribute(value=of, attr=attr) if attr in _WRITING_METHODS and self._holds_records(of):
                return self._call(node, name, [of, *node.args])
        return None

    def values(self, node: ast.expr) -> Iterator[Node]:
        """The values that are seen in a text, or in a value that is made one. Raises :class:`Refused`."""
        match node:
            case ast.Constant():
                return
            case ast.JoinedStr():
                yield from self._in_text(node)
            case ast.Call(func=ast.Name(id="str" | "repr"), args=[value], keywords=[]) if self._is_own(node.func):
                yield from self.values(value)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format"), args=args):
                yield from (each for value in (*args, *_named(node)) for each in self.values(value))
            case ast.BinOp(left=left, op=ast.Mod(), right=right) if _is_text(left):
                yield from self.values(left)
                yield from self.values(right)
            case ast.BinOp(left=left, op=ast.Add(), right=right) if self._makes_text(left) or self._makes_text(right):
                yield from self.values(left)
                yield from self.values(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=ast.Constant()) if _is_text(left):
                yield from self.values(left)
            case ast.Tuple(elts=items) | ast.List(elts=items) if items:
                yield from (each for value in items for each in self.values(value))
            case ast.Dict(keys=keys, values=values):
                given = (*(key for key in keys if key is not None), *values)
                yield from (each for value in given for each in self.values(value))
            case ast.Starred(value=value):
                yield from self.values(value)
            case ast.Name(id=name) if name in self._lasting and self._kinds.of(node) in _UNFOLLOWED:
                yield from self.values(_placed(copied(self._lasting[name]), node))
            case ast.Name(id=name) if self._is_whole(node):
                yield surface.Name(*self._places.span(node), name)
            case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in _LOOKS and self._holds_records(of):
                yield from (each for value in (of, *node.args, *_named(node)) for each in self.values(value))
            case ast.Subscript(value=of, slice=kept) if self._is_whole(node):
                yield from self.values(of)
                yield from self.values(kept)
            case _:
                yield self._expressions.node(node)

    def _is_whole(self, node: ast.expr) -> bool:
        """Whether a value is a table, a column or a dictionary that is a value nowhere else."""
        kind = self._kinds.of(node)
        return isinstance(kind, _TABLES) or kind in _UNFOLLOWED or kind is Kind.DICT

    def _call(self, node: ast.Call, name: str, given: list[ast.expr]) -> Node:
        """A call of what shows values, with those of its arguments; how they are shown is written out."""
        args = [each for value in given if not self._is_warning(value) for each in self.values(value)]
        for keyword in node.keywords:
            if keyword.arg == "file" and name == PRINT:
                self._note_file(keyword.value)
            elif keyword.arg is None:
                raise Refused(node, "a star")
            elif not self._is_warning(keyword.value):
                args += self.values(keyword.value)
        callee = surface.Name(*self._places.span(node.func), name)
        return surface.Call(*self._places.span(node), callee, tuple(args))

    def _note_file(self, node: ast.expr) -> None:
        """Where it is printed to: the terminal, or a file that was opened for that."""
        if isinstance(node, ast.Name) and node.id in self._files:
            return
        if self._kinds.called(node) not in _STREAMS:
            raise Refused(node, f"`print` to `{ast.unparse(node)}`")
        self._expressions.note_home(node)

    def _is_logger(self, function: ast.expr) -> bool:
        """Whether a function is one of a log that the module has made."""
        match function:
            case ast.Attribute(value=ast.Name(id=name), attr=attr):
                return name in LOGGERS and attr in _LEVELS and not self._kinds.is_local(name)
        return False

    def _is_own(self, function: ast.expr) -> bool:
        """Whether a name is still that of Python's own function, as far as the function tells."""
        return self._kinds.called(function) != ""

    def _is_warning(self, node: ast.expr) -> bool:
        """Whether this is one of Python's own kinds of warnings."""
        if not isinstance(node, ast.Name) or self._kinds.is_local(node.id):
            return False
        kind = getattr(builtins, node.id, None)
        return isinstance(kind, type) and issubclass(kind, Warning)

    def _makes_text(self, node: ast.expr) -> bool:
        match node:
            case ast.Call(func=ast.Name(id="str" | "repr") as made):
                return self._is_own(made)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format")):
                return True
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._makes_text(left) or self._makes_text(right)
            case ast.BinOp(left=left, op=ast.Mod()):
                return _is_text(left)
        return _is_text(node)

    def _holds_records(self, node: ast.expr) -> bool:
        """Whether a value is a table, a column or an array, as far as the text tells."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKS:
            return self._holds_records(node.func.value)
        kind = self._kinds.of(node)
        return isinstance(kind, _TABLES) or kind in COLUMNS

    def _in_text(self, node: ast.JoinedStr) -> Iterator[Node]:
        """The values in a text, with the place of the text where Python does not say where they stand in it."""
        for item in walk(node):
            if isinstance(item, ast.FormattedValue):
                there = self._places.is_where(item.value)
                value = item.value if there else _placed(copied(item.value), node)
                if any(self._kinds.drawn(each) for each in walk(value) if isinstance(each, ast.expr)):
                    raise Refused(node, "noise that is drawn inside a text")
                yield from self.values(value)


def _placed(node: ast.expr, at: ast.expr) -> ast.expr:
    """An expression all of which stands at the place of another one."""
    for each in walk(node):
        if isinstance(each, ast.expr):
            ast.copy_location(each, at)
    return node


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _named(node: ast.Call) -> list[ast.expr]:
    return [each.value for each in node.keywords]


def makes_log(made: ast.Call) -> bool:
    """Whether a call makes a log, by a name that is written out or that of its module."""
    names = [each.id for each in made.args if isinstance(each, ast.Name)]
    plain = all(isinstance(each, ast.Constant | ast.Name) for each in made.args) and names in ([], ["__name__"])
    return dotted(made.func) == ("logging", "logging.getLogger") and plain and not made.keywords


def opens(node: ast.expr, called: Callable[[ast.expr], str]) -> bool:
    """Whether a call opens a file to write to, by a name that is written out."""
    match node:
        case ast.Call(args=[ast.Constant(), ast.Constant(value=str() as mode)]) if mode.rstrip("t") in ("w", "a", "x"):
            return called(node.func) == "open" and all(isinstance(each.value, ast.Constant) for each in node.keywords)
    return False


def with_files(node: ast.FunctionDef, called: Callable[[ast.expr], str]) -> tuple[ast.FunctionDef, frozenset[str]]:
    """A function with what it writes to files in place of the blocks in which these are open, and their names, which
    are used for nothing else."""
    blocks = [(each, name) for each in below(node, ast.With) if (name := _file_of(each, called))]
    names = frozenset(name for _, name in blocks)
    known = {id(each) for block, name in blocks for each in _uses(block, name)}
    others = [each for each in below(node, ast.Name) if each.id in names and id(each) not in known]
    if not names or others or any(each.arg in names for each in below(node, ast.arg)):
        return node, frozenset()
    made = copied(node)
    _Opened(called).visit(made)
    return made, names


def _file_of(block: ast.With, called: Callable[[ast.expr], str]) -> str:
    """The name of the file that is open in a block of calls; empty where there is something else in it."""
    match block.items:
        case [ast.withitem(context_expr=opened, optional_vars=ast.Name(id=name))] if opens(opened, called):
            return name if all(isinstance(each, ast.Expr) for each in block.body) else ""
    return ""


def _uses(block: ast.With, name: str) -> Iterator[ast.expr | None]:
    """Where a block names its file: where it is opened, and where it is written to."""
    yield block.items[0].optional_vars
    for statement in block.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=file) as used, attr="write"))):
                yield used if file == name else None
            case ast.Expr(value=ast.Call(func=ast.Name(id="print"), keywords=keywords)):
                yield from (each.value for each in keywords if each.arg == "file")


class _Opened(ast.NodeTransformer):
    """Statements in place of the blocks that they stand in."""

    def __init__(self, called: Callable[[ast.expr], str]) -> None:
        self._called = called

    def visit_With(self, node: ast.With) -> ast.With | list[ast.stmt]:
        self.generic_visit(node)
        return node.body if _file_of(node, self._called) else node
