"""The definitions of a text that a repair is made in, and what their parameters are used as."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from dp_lsp.frontends.python.chunks import items
from dp_lsp.frontends.python.kinds import ABSENT, THERE
from dp_lsp.frontends.python.names import dotted
from dp_lsp.frontends.python.parse import read
from dp_lsp.frontends.python.releasing.opendp import unsaid
from dp_lsp.frontends.python.tables import OF_TABLES
from dp_lsp.frontends.python.training import is_make
from dp_lsp.frontends.python.tree import Places
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Edit, Problem
from dp_lsp.text import Span

_ARRAY, _SERIES, _TABLE, _LIST = "np.ndarray", "pd.Series", "pd.DataFrame", "list"
_OF_SERIES = frozenset({"value_counts", "fillna", "dropna", "nunique", "isna", "notna"})
LOADER, FRAME = "DataLoader", "pl.LazyFrame"
_CALLED_SO = {
    **dict.fromkeys(("ndarray", "NDArray", "ArrayLike"), _ARRAY),
    **dict.fromkeys(("List", "Sequence", "Iterable", "Collection", "list", "tuple", "Tuple"), _LIST),
    "Series": _SERIES,
    "DataFrame": _TABLE,
}
"""What the data are where an annotation says it in other words."""
_ENTRIES = frozenset({"int", "float", "str"})
"""What a list may be said to hold."""
_PRICES = ("eps", "del", "sigma", "scale", "sens", "low", "upp", "bound", "max", "min", "thr", "clip", "budget", "seed")
"""How the names of numbers begin that somebody chooses, and nobody gave."""


_OF_PEOPLE = re.compile(r"(?:AddRemove|ChangeOne)\((?:name=)?(?:'[^']+'|\"[^\"]+\")")
"""What an annotation says of parts of the same records."""
_HOLDS_TEXTS = re.compile(r"\b[Ll]ist\[str\]")


class Parameter(NamedTuple):
    """A parameter, with the extent of its name and its annotation."""

    name: str
    span: Span
    annotation: ast.expr | None
    has_default: bool

    @property
    def is_text(self) -> bool:
        return isinstance(self.annotation, ast.Name) and self.annotation.id == "str"


class Definition(NamedTuple):
    """A definition, in a text in which what is above it ends at ``start``."""

    node: ast.FunctionDef
    places: Places
    start: int

    def span(self, node: ast.AST) -> Span:
        return self.places.span(node).moved(self.start)

    @property
    def parameters(self) -> list[Parameter]:
        args = self.node.args
        plain = len(args.args) - len(args.defaults)
        given = [(each, index >= plain) for index, each in enumerate(args.args)]
        given += [(each, value is not None) for each, value in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
        return [Parameter(each.arg, self.span(each), each.annotation, has) for each, has in given]

    def base(self, parameter: Parameter) -> str:
        """What holds the data of a parameter: what its annotation says, or what it is used as."""
        said = parameter.annotation
        match said:
            case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[said, *_])):
                pass
        if isinstance(said, ast.Subscript):
            called = said.value.id if isinstance(said.value, ast.Name) else ""
            if isinstance(said.slice, ast.Name) and said.slice.id in _ENTRIES and _CALLED_SO.get(called) == _LIST:
                return f"{_LIST}[{said.slice.id}]"
            said = said.value
        found = None if said is None else dotted(said)
        if found is not None and (known := _CALLED_SO.get(found[1].rpartition(".")[2])) is not None:
            return known
        return self._used_as(parameter.name)

    def _used_as(self, name: str) -> str:
        """What holds the data that a name stands for, by what is done with them."""
        attributes = {
            node.attr for node in ast.walk(self.node) if isinstance(node, ast.Attribute) and _is(node.value, name)
        }
        if any(_is(node.value, name) and _is_of_table(node) for node in self._indexed):
            return _TABLE
        if attributes:
            return _SERIES if attributes & _OF_SERIES else _ARRAY
        if any(_reads(each, name) for each in self._entrywise):
            return _ARRAY
        return f"{_LIST}[str]" if self._gives_texts(name) else _LIST

    def _gives_texts(self, name: str) -> bool:
        """Whether what stands in something is compared with a text that is written out."""
        taken: set[str] = set()
        for node in ast.walk(self.node):
            match node:
                case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                    lists = over.args if isinstance(over, ast.Call) and _is(over.func, "zip") else [over]
                    targets = target.elts if isinstance(target, ast.Tuple) else [target]
                    taken |= {
                        each.id
                        for each, of in zip(targets, lists, strict=False)
                        if isinstance(each, ast.Name) and _is(of, name)
                    }
        compared = (each for each in ast.walk(self.node) if isinstance(each, ast.Compare))
        return any(
            isinstance(each.left, ast.Name) and each.left.id in taken and any(map(_is_text, each.comparators))
            for each in compared
        )

    def is_of_rows(self, name: str) -> bool:
        """Whether each record of an array is a row, by what is done with it."""
        for node in ast.walk(self.node):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=of)), keywords=[ast.keyword(arg="axis")]):
                    found = of == name
                case ast.Call(args=[ast.Name(id=of)], keywords=[ast.keyword(arg="axis")]):
                    found = of == name
                case ast.Subscript(value=ast.Name(id=of), slice=ast.Tuple()):
                    found = of == name
                case ast.Subscript(ast.Attribute(ast.Name(id=of), "shape"), ast.Constant(value=1)):
                    found = of == name
                case _:
                    continue
            if found:
                return True
        return False

    def are_beside(self, names: Collection[str]) -> bool:
        """Whether several arrays hold numbers of the same people: each is computed with together with another one,
        entry by entry."""
        met: set[str] = set()
        for node in ast.walk(self.node):
            match node:
                case ast.BinOp(left=left, right=right):
                    pairs = [left, right]
                case ast.Call(func=func, args=[left, right]) if (dotted(func) or ("", ""))[1] in _PAIRING:
                    pairs = [left, right]
                case ast.Call(func=ast.Attribute(value=left, attr="dot"), args=[right]):
                    pairs = [left, right]
                case _:
                    continue
            known = {each.id for each in pairs if isinstance(each, ast.Name)} & {*names}
            met |= known if len(known) > 1 else set()
        return len(names) > 1 and met == {*names}

    def are_paired(self, names: Collection[str]) -> bool:
        """Whether several lists hold something of the same people each: all are gone over at once, or read at one
        place."""
        zipped = (node.args for node in ast.walk(self.node) if isinstance(node, ast.Call) and _is(node.func, "zip"))
        groups = [{each.id for each in args if isinstance(each, ast.Name)} for args in zipped]
        by_place: dict[str, set[str]] = {}
        for each in self._indexed:
            if isinstance(each.value, ast.Name) and isinstance(each.slice, ast.Name):
                by_place.setdefault(each.slice.id, set()).add(each.value.id)
        return len(names) > 1 and any({*names} <= group for group in (*groups, *by_place.values()))

    def beside(self, name: str) -> list[str]:
        """The parameters that hold numbers of the same records as one, without bounds that are declared; that one
        alone, whatever it is, where there are no others."""
        said = {each.name: ast.unparse(each.annotation) for each in self.parameters if each.annotation is not None}
        group = _OF_PEOPLE.search(said.get(name, ""))
        if group is None:
            return [name]
        together = [each for each, words in said.items() if group[0] in words]
        return [each for each in together if "Bounded(" not in said[each] and not _HOLDS_TEXTS.search(said[each])]

    @property
    def _indexed(self) -> Iterator[ast.Subscript]:
        return (node for node in ast.walk(self.node) if isinstance(node, ast.Subscript))

    @property
    def _entrywise(self) -> Iterator[ast.expr]:
        """What functions of NumPy are given."""
        for node in ast.walk(self.node):
            if isinstance(node, ast.Call) and (found := dotted(node.func)) is not None and found[0] in ("np", "numpy"):
                yield from node.args[:1]

    @property
    def loaders(self) -> set[str]:
        """The parameters that a training takes its batches from."""
        calls = [node for node in ast.walk(self.node) if isinstance(node, ast.Call) and is_make(node)]
        given = (each.value for call in calls for each in call.keywords if each.arg == "data_loader")
        return {each.id for each in given if isinstance(each, ast.Name)} & {each.name for each in self.parameters}

    @property
    def asked(self) -> ast.expr | None:
        """The data that a context of OpenDP selects statistics of."""
        return unsaid(self.node, frozenset(), lambda each: (dotted(each) or ("", ""))[1])

    def columns(self, name: str) -> dict[str, str]:
        """The columns of a table by the names that they are read by, each with the type of what stands in it."""
        tables = self._parts_of(name)
        made, texts = self._made_in(tables), self._texts
        nodes = [*ast.walk(self.node)]
        types: dict[str, str] = {}
        for node in nodes:
            type_ = _compared_with(node, texts)
            if type_:
                types |= {column: type_ for each in ast.walk(node) for column in _columns_of(each, tables)}
            types |= {column: "bool" for each in _masks(node) for column in _columns_of(each, tables)}
        filled = any(_leaves_out(node, tables) for node in nodes)
        gaps = {column for node in nodes for column in _asked_for_gaps(node, tables)}
        over = self._over_texts
        keyed = (each for node in nodes for each in _keyed_by(node, tables, over))
        found = dict.fromkeys(each for node in nodes for each in _columns_of(node, tables) if each not in made)
        found |= dict.fromkeys(keyed)
        return {each: _of_type(types.get(each, "float"), filled or each in gaps) for each in found}

    def _parts_of(self, name: str) -> set[str]:
        """The names of a table and of what is kept of it."""
        found = {name}
        while more := {each for node in ast.walk(self.node) for each in _kept_as(node, found)} - found:
            found |= more
        return found

    def _made_in(self, tables: set[str]) -> set[str]:
        """The columns that tables are given here, before they are read."""
        nodes = sorted(self._indexed, key=lambda each: (each.lineno, each.col_offset))
        values = {id(each.targets[0]): each.value for each in ast.walk(self.node) if isinstance(each, ast.Assign)}
        first = {column: each for each in reversed(nodes) for column in _columns_of(each, tables)}
        return {
            column
            for column, each in first.items()
            if isinstance(each.ctx, ast.Store)
            and not any(column in _columns_of(part, tables) for part in ast.walk(values.get(id(each), each.slice)))
        }

    @property
    def _texts(self) -> set[str]:
        """The names of texts: parameters that are said to be, variables of loops over texts that are written out."""
        return {*(each.name for each in self.parameters if each.is_text), *self._over_texts}

    @property
    def _over_texts(self) -> dict[str, list[str]]:
        """The variables of loops over texts that are written out, perhaps under a name, each with the texts."""
        named: dict[str, list[str]] = {}
        for node in ast.walk(self.node):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    named[name] = _texts_in(value)
        found: dict[str, list[str]] = {}
        for node in ast.walk(self.node):
            match node:
                case (
                    ast.For(target=ast.Name(id=name), iter=over)
                    | ast.comprehension(target=ast.Name(id=name), iter=over)
                ):
                    texts = named.get(over.id, []) if isinstance(over, ast.Name) else _texts_in(over)
                    found |= {name: texts} if texts else {}
        return found

    def is_data(self, parameter: Parameter) -> bool:
        """Whether a parameter whose annotation does not tell holds data, by its name and what is done with it."""
        name, said = parameter.name, parameter.annotation
        found = None if said is None else dotted(said.value if isinstance(said, ast.Subscript) else said)
        if found is not None:
            return found[1].rpartition(".")[2] in _CALLED_SO
        if is_chosen(name):
            return False
        return any(_holds_many(node, name) for node in ast.walk(self.node))

    def is_counted_by(self, parameter: Parameter) -> bool:
        """Whether a parameter is a whole number, by its annotation, or as it says how often something is done."""
        if parameter.annotation is not None:
            return isinstance(parameter.annotation, ast.Name) and parameter.annotation.id == "int"
        calls = (node for node in ast.walk(self.node) if isinstance(node, ast.Call))
        return any(_is(arg, parameter.name) for node in calls if _is(node.func, "range") for arg in node.args)


def without_parameter(definition: Definition, parameter: Parameter, text: str) -> Edit:
    """What leaves a parameter out, with the comma that parts it from another one."""
    start, end = parameter.span
    places = [each.span for each in definition.parameters]
    at = places.index(parameter.span)
    if parameter.has_default:
        end += len(text[end:]) - len(text[end:].lstrip())
        defaults = [*definition.node.args.defaults, *filter(None, definition.node.args.kw_defaults)]
        end = min(definition.span(each).end for each in defaults if definition.span(each).start >= start)
    if at + 1 < len(places):
        return Edit(Span(start, places[at + 1].start), "")
    return Edit(Span(places[at - 1].end if at else start, end), "")


class Program(NamedTuple):
    """A whole text, and the places in it."""

    tree: ast.Module
    places: Places


def program(text: str) -> Program | None:
    """A text as a whole; None where it cannot be read."""
    try:
        return Program(ast.parse(text), Places(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def calls_of(name: str, text: str) -> list[Span]:
    """What is given in each call of a function of a text, from the first argument to the last."""
    found = program(text)
    if found is None:
        return []
    calls = [node for node in ast.walk(found.tree) if isinstance(node, ast.Call) and _is(node.func, name)]
    given = ([*node.args, *(each.value for each in node.keywords)] for node in calls)
    span = found.places.span
    return [Span(span(each[0]).start, max(span(arg).end for arg in each)) for each in given if each]


def is_chosen(name: str) -> bool:
    """Whether a name is that of a number that somebody chooses, and nobody gave."""
    return name.casefold().startswith(_PRICES)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_of_table(node: ast.Subscript) -> bool:
    return _is_text(node.slice) or any(
        isinstance(each, ast.Subscript) and _is_text(each.slice) for each in ast.walk(node.slice)
    )


def _compared_with(node: ast.AST, texts: set[str]) -> str:
    """The type of the text or the truth value that something is compared with; empty for anything else."""
    operands = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    if any(isinstance(each, ast.Name) and each.id in texts for each in operands):
        return "str"
    match node:
        case ast.Call(func=ast.Attribute(attr="isin"), args=[ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_])]):
            operands = [first]
        case ast.Call(func=ast.Attribute(attr="value_counts"), args=[], keywords=[]) | ast.Attribute(attr="str"):
            return "str"
        case ast.Call(func=ast.Attribute(attr="groupby")):
            return "str"
    found = (type(each.value) for each in operands if isinstance(each, ast.Constant))
    return next((each.__name__ for each in found if each in (str, bool)), "")


def _texts_in(node: ast.expr) -> list[str]:
    """Texts that are written out; none for anything else."""
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else []
    found = [each.value for each in items if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return found if len(found) == len(items) else []


def _keyed_by(node: ast.AST, tables: set[str], over: Mapping[str, list[str]]) -> list[str]:
    """The columns that a loop over their names takes of a table."""
    match node:
        case ast.Subscript(value=of, slice=ast.Name(id=name)) if name in over and _is_kept(of, tables):
            return over[name]
    return []


def _masks(node: ast.AST) -> Iterator[ast.expr]:
    """The columns that a node takes for masks, which hold truth values."""
    match node:
        case ast.Subscript(value=ast.Name(), slice=ast.Subscript() as mask):
            yield mask
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
            yield from (each for each in (left, right) if isinstance(each, ast.Subscript))
        case ast.UnaryOp(op=ast.Invert(), operand=ast.Subscript() as mask):
            yield mask


_OF_GAPS = frozenset({"dropna", "fillna"})


def _leaves_out(node: ast.AST, tables: set[str]) -> bool:
    """Whether the rows of a table are left out of which something is missing."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr="dropna"), keywords=keywords):
            return _is_kept(of, tables) and not any(each.arg == "subset" for each in keywords)
    return False


def _asked_for_gaps(node: ast.AST, tables: set[str]) -> Iterator[str]:
    """The columns of which something may be missing, as it is asked whether it is there."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in {*_OF_GAPS, *ABSENT, *THERE}:
            yield from _columns_of(of, tables)
            for each in node.keywords:
                if each.arg == "subset" and isinstance(each.value, ast.List):
                    yield from (str(name.value) for name in each.value.elts if isinstance(name, ast.Constant))


def _of_type(type_: str, gaps: bool) -> str:
    return f"({type_}, MayBeMissing())" if gaps and type_ != "bool" else type_


def _kept_as(node: ast.AST, tables: set[str]) -> Iterator[str]:
    """The name that a statement gives some records of a table, or all of them."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_kept(value, tables):
            yield name


_KEEPING = frozenset({"copy", "dropna", "fillna", "query", "reset_index"})
"""Methods of a table that keep its columns."""


def _is_kept(node: ast.expr, tables: set[str]) -> bool:
    match node:
        case ast.Name(id=name):
            return name in tables
        case ast.Subscript(value=ast.Attribute(value=of, attr="loc"), slice=kept) if not isinstance(kept, ast.Tuple):
            return _is_kept(of, tables)
        case ast.Subscript(value=of, slice=kept) if not _is_text(kept):
            return _is_kept(of, tables)
        case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in _KEEPING:
            return _is_kept(of, tables)
    return False


def _columns_of(node: ast.AST, tables: set[str]) -> Iterator[str]:
    """The columns that an expression names of a table, or of what is kept of one."""
    match node:
        case ast.Subscript(
            value=ast.Attribute(value=of, attr="loc"), slice=ast.Tuple(elts=[_, ast.Constant(value=str() as column)])
        ) if _is_kept(of, tables):
            yield column
        case ast.Subscript(value=of, slice=ast.Constant(value=str() as column)) if _is_kept(of, tables):
            yield column
        case ast.Subscript(value=of, slice=ast.List(elts=names)) if _is_kept(of, tables):
            yield from (each.value for each in names if isinstance(each, ast.Constant) and isinstance(each.value, str))
        case ast.Attribute(value=of, attr=column) if column not in OF_TABLES and _is_kept(of, tables):
            yield column
        case ast.Call(func=ast.Attribute(value=of, attr="groupby"), args=[keys, *_]) if _is_kept(of, tables):
            yield from _texts_in(keys) if isinstance(keys, ast.List) else _texts_in(ast.List([keys], ast.Load()))
        case ast.Call(func=ast.Attribute(value=of, attr="pivot_table")) if _is_kept(of, tables):
            for each in node.keywords:
                if each.arg in ("index", "columns", "values"):
                    yield from _texts_in(ast.List([each.value], ast.Load()))
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(value=of, attr="groupby")), slice=ast.Constant(value=str() as column)
        ) if _is_kept(of, tables):
            yield column


def _reads(node: ast.expr, name: str) -> bool:
    return any(_is(each, name) for each in ast.walk(node) if isinstance(each, ast.expr))


_PAIRING = frozenset(
    {"np.dot", "np.vdot", "np.inner", "np.corrcoef", "np.cov", "numpy.dot", "numpy.corrcoef", "numpy.cov"}
)
"""Functions that go through two arrays side by side."""
_REDUCING = frozenset({"sum", "len", "min", "max", "sorted"})


def _holds_many(node: ast.AST, name: str) -> bool:
    """Whether a node does with a name what is done with several values."""
    match node:
        case ast.Subscript(value=of) | ast.Attribute(value=of):
            return _is(of, name)
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return _is(over, name)
        case ast.Call(func=ast.Name(id=called), args=[of]) if called in _REDUCING:
            return _is(of, name)
        case ast.Call(func=func, args=[of, *_]) if (found := dotted(func)) is not None and found[0] in ("np", "numpy"):
            return _is_first(of, name)
    return False


def _is_first(node: ast.expr, name: str) -> bool:
    """Whether a name is what an expression is about: itself, or what is compared, added to or scaled."""
    match node:
        case ast.Compare(left=inner) | ast.BinOp(left=inner) | ast.UnaryOp(operand=inner):
            return _is_first(inner, name)
        case ast.Call(args=[inner, *_]):
            return _is_first(inner, name)
    return _is(node, name)


def definitions(text: str) -> Iterator[Definition]:
    """The definitions of a text, as far as it can be read; those inside others after these."""
    for each in items(text):
        tree = read(each.text)
        for node in () if isinstance(tree, Problem) else ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield Definition(node, Places(each.text), each.start)


def definition_around(text: str, place: int) -> Definition | None:
    """The innermost definition that a place is in."""
    found = [each for each in definitions(text) if (span := each.span(each.node)).start <= place <= span.end]
    return found[-1] if found else None


def body_of(text: str) -> Definition | None:
    """The body of a file, as if it were one of a function; None where it cannot be read."""
    tree = read(text)
    if isinstance(tree, Problem) or not tree.body:
        return None
    none = ast.arguments([], [], None, [], [], None, [])
    return Definition(ast.copy_location(ast.FunctionDef("", none, tree.body, [], None), tree.body[0]), Places(text), 0)
