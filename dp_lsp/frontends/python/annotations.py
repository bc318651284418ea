"""Annotations of Python, in the words of ``dp_types``: from what was written to what it means."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from dp_lsp import surface
from dp_lsp.core.annotation import Annotation, Anything, ContainerOf, DatasetOf, Limit, NumberOf, Truth, TupleOf
from dp_lsp.core.types import HANDLE, Base, DatasetMetric, Kind, Norm
from dp_lsp.frontends.python.generators import is_given
from dp_lsp.frontends.python.kinds import Kind as ValueKind
from dp_lsp.frontends.python.kinds import Of
from dp_lsp.frontends.python.names import TYPES, WORDS, dotted, shortened
from dp_lsp.frontends.python.numeric import INFINITE
from dp_lsp.frontends.python.objects import MAKING
from dp_lsp.frontends.python.rows import Rows
from dp_lsp.frontends.python.tables import Alone, Frame, NotAColumn, Table, alone, table_of
from dp_lsp.frontends.python.tree import Places, below, copied, walk
from dp_lsp.language import Annotations, RefusedType, Returned
from dp_lsp.surface import Node, TypeExpr

OF_NUMBER, PUBLIC, WHOLE, DRAWING = "<number>", "<public>", "<whole>", "<private>"
"""The annotations of a function that has none and draws noise, which nobody can write: a number, one that is public,
and a whole one that is; and that it is private."""
SWITCH, GENERATOR = "<switch>", "<generator>"
"""The types of a public truth value that is only asked for, and of a generator, which nobody can write."""
_OTHER, _INFINITE = "…", "∞"
"""The name of an annotation that is written in another way than annotations are read here."""
_SILENT = frozenset(
    {
        *("float", "int", "bool", "list", "tuple", "dict", "str", "object", "None", "complex", "set"),
        *("np.ndarray", "np.float64", "numpy.ndarray", "pd.Series", "pd.DataFrame", "pandas.Series"),
        *("Any", "Optional", "Union", "...", "pandas.DataFrame"),
    }
)
"""Types that say nothing of what a function returns."""
_ARRAYS = frozenset({"np.ndarray", "numpy.ndarray", "pd.Series", "pandas.Series"})
_SERIES = frozenset({"pd.Series", "pandas.Series"})
_TABLES = frozenset({"pd.DataFrame", "pandas.DataFrame"})
_OF_ROWS = frozenset({"Rows", "RowNorm"})
UNSAID = {
    **dict.fromkeys(_TABLES, "ChangeOne(), Columns(age=float)"),
    **dict.fromkeys(_SERIES, "ChangeOne()"),
}
"""Types of data that do not tell what may be done with them, with words that do."""
_LOADERS = frozenset({"DataLoader", "torch.utils.data.DataLoader"})
_FRAMES = frozenset({"pl.LazyFrame", "polars.LazyFrame"})
_BASES = frozenset({*_LOADERS, *_FRAMES, "float", "int", "bool", "str", "list", *_ARRAYS, *_TABLES})
_SAYS_LITTLE = frozenset({"Static", "Private", "black_box", "checked"})
_TYPING = {"List": "list", "Tuple": "tuple", "Dict": "dict", "Set": "set"}
"""Types by the names that they have in ``typing`` (PEP 585)."""
_BRACED = frozenset(
    {"Annotated", "Static", "Private", "AddRemove", "ChangeOne", "list", "tuple", "dict", "set", "Optional", "Union"}
)


def annotation(node: ast.expr, places: Places) -> TypeExpr:
    """An annotation as it stands in the tree; one of other words is kept as that, and says nothing."""
    known = places.annotations.get(node)
    if known is None:
        known = places.annotations[node] = _annotation(node, places)
    return known


def _annotation(node: ast.expr, places: Places) -> TypeExpr:
    span = places.span(node)
    written = ast.unparse(node).replace(SWITCH, "bool")
    if is_given(node):
        return TypeExpr(*span, GENERATOR, written=written)
    match node:
        case ast.Constant(value=None):
            return TypeExpr(*span, "None", written=written)
        case ast.Constant(value=value) if value is Ellipsis:
            return TypeExpr(*span, "...", written=written)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            either = annotation(left, places), annotation(right, places)
            return TypeExpr(*span, "Union", either, "braces", written=written)
        case ast.Name() | ast.Attribute() if (found := dotted(node)) is not None:
            return TypeExpr(*span, _TYPING.get(found[1], found[1]), written=written)
        case ast.Subscript(value=ast.Name(id=name), slice=inner) if _TYPING.get(name, name) in _BRACED:
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return TypeExpr(
                *span,
                _TYPING.get(name, name),
                tuple(annotation(each, places) for each in parts),
                "braces",
                written=written,
            )
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            given = tuple(_argument(each, places) for each in args)
            by_name = tuple(
                surface.Keyword(*places.span(each), each.arg or "**", _argument(each.value, places))
                for each in keywords
            )
            return TypeExpr(*span, name, (*given, *by_name), "call", written=written)
    return TypeExpr(*span, _OTHER, written=written)


_GENERIC = frozenset({"NDArray", "npt.NDArray"})
_NUMERIC = frozenset({"Any", *(f"np.{each}" for each in ("float64", "double", "floating", "int64", "int_"))})
"""Types of numbers that an array may be said to hold: none that is so short that what is calculated runs over."""
_HOLDS = re.compile(r"\bndarray\[|\bNDArray\b")


def with_annotations(tree: ast.Module, text: str, named: Mapping[str, ast.expr]) -> ast.Module:
    """The tree of a text with annotations where names stand for them, and arrays that are said to hold numbers as those
    of which nothing is said. The tree itself is changed."""
    if named or _HOLDS.search(text):
        for node in ast.walk(tree):
            match node:
                case ast.arg(annotation=ast.expr() as said) | ast.AnnAssign(annotation=said):
                    node.annotation = meant(said, named)
                case ast.FunctionDef(returns=ast.expr() as said):
                    node.returns = meant(said, named)
    return tree


def with_switches(node: ast.FunctionDef) -> ast.FunctionDef:
    """The function with public whole numbers in place of public truth values, ``plot: Static[bool]``, that it only asks
    for: ``if plot``, ``not plot``, ``plot and noisy > 3``. A number is true if it is not 0, as False is; so a call may
    give one that is written out (:data:`SWITCH`). What does something else with one tells them from numbers, as an
    index does."""
    params = {each.arg: each for each in (*node.args.args, *node.args.kwonlyargs)}
    named = {name for name, each in params.items() if each.annotation is not None and _is_switch(each.annotation)}
    if not named:
        return node
    asked = {id(each) for item in walk(node) for each in _asked(item)}
    own = [item for item in walk(node) if isinstance(item, ast.Name) and item.id in named]
    named -= {item.id for item in own if id(item) not in asked}
    named -= {item.arg for item in walk(node) if isinstance(item, ast.arg) and item is not params.get(item.arg)}
    made: ast.FunctionDef = _Switched(named).visit(copied(node))
    defaults = [None] * (len(made.args.args) - len(made.args.defaults)) + [*made.args.defaults, *made.args.kw_defaults]
    for each, default in zip((*made.args.args, *made.args.kwonlyargs), defaults, strict=True):
        if each.arg in named and isinstance(each.annotation, ast.Subscript):
            each.annotation.slice = ast.copy_location(ast.Name(SWITCH, ast.Load()), each.annotation.slice)
            if isinstance(default, ast.Constant) and isinstance(default.value, bool):
                default.value = int(default.value)
    return made


def _is_switch(said: ast.expr) -> bool:
    match said:
        case ast.Subscript(value=ast.Name(id="Static"), slice=ast.Name(id="bool")):
            return True
    return False


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a node of which only the truth counts, if they are truth values."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BoolOp(values=values):
            yield from values


class _Switched(ast.NodeTransformer):
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._names:
            return node
        nothing = ast.copy_location(ast.Constant(0), node)
        return ast.copy_location(ast.Compare(node, [ast.NotEq()], [nothing]), node)


def meant(said: ast.expr, named: Mapping[str, ast.expr]) -> ast.expr:
    """An annotation without names that stand for others, all of which lies where the name does."""
    made = _Meant(named).visit(copied(said))
    assert isinstance(made, ast.expr), "an expression takes the place of a name"
    return made


class _Meant(ast.NodeTransformer):
    def __init__(self, named: Mapping[str, ast.expr]) -> None:
        self._named = named

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self._named:
            return node
        made = copied(self._named[node.id])
        for each in ast.walk(made):
            ast.copy_location(each, node)
        return made

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Words that are added to those of another annotation stand behind them."""
        self.generic_visit(node)
        if _holds_numbers(node):
            array = ast.Attribute(ast.Name("np", ast.Load()), "ndarray", ast.Load())
            return ast.copy_location(array, node)
        match node:
            case ast.Subscript(
                value=ast.Name(id="Annotated"),
                slice=ast.Tuple(
                    elts=[ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=inner)), *outer]
                ) as parts,
            ):
                parts.elts = [*inner, *outer]
        return node


def _holds_numbers(node: ast.Subscript) -> bool:
    """Whether an array is said to hold numbers: ``NDArray[np.float64]``, ``np.ndarray[Any, np.dtype[np.float64]]``."""
    of = dotted(node.value)
    match node.slice:
        case ast.Tuple(elts=[_, ast.Subscript(value=kind, slice=inner)]) if dotted(kind) == ("np", "np.dtype"):
            is_array, held = of is not None and of[1] in _ARRAYS - _SERIES, inner
        case inner:
            is_array, held = of is not None and of[1] in _GENERIC, inner
    said = dotted(held.value if isinstance(held, ast.Subscript) else held)
    return is_array and said is not None and said[1] in _NUMERIC


def _argument(node: ast.expr, places: Places) -> Node:
    span = places.span(node)
    match node:
        case ast.Constant(value=bool() as truth):
            return surface.Boolean(*span, truth)
        case ast.Constant(value=int() as whole):
            return surface.Number(*span, Fraction(whole), True)
        case ast.Constant(value=float() as real) if real == real and abs(real) != float("inf"):
            return surface.Number(*span, Fraction(repr(real)), False)
        case ast.Constant(value=str() as text):
            return surface.Text(*span, text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            inner = _argument(operand, places)
            if isinstance(inner, surface.Number):
                return surface.Number(*span, -inner.value, inner.integer)
            if isinstance(inner, TypeExpr) and inner.name == _INFINITE:
                return inner
        case ast.Attribute() if (found := dotted(node)) is not None and shortened(found[1]) in INFINITE:
            return TypeExpr(*span, _INFINITE, written=ast.unparse(node))
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str())]):
            return TypeExpr(*span, _INFINITE, written=ast.unparse(node))
        case ast.Name() | ast.Call():
            return annotation(node, places)
        case ast.Tuple(elts=items) if items:
            return surface.Tuple(*span, tuple(_argument(each, places) for each in items))
        case ast.Dict(keys=keys, values=values) if keys:
            return surface.Tuple(*span, tuple(map(lambda key, value: _entry(key, value, places), keys, values)))
    return TypeExpr(*span, _OTHER, written=ast.unparse(node))


def _entry(key: ast.expr | None, value: ast.expr, places: Places) -> Node:
    """What stands behind a name in a dictionary."""
    match key:
        case ast.Constant(value=str() as name):
            return surface.Keyword(*places.span(key), name, _argument(value, places))
    return TypeExpr(*places.span(value), _OTHER, written=ast.unparse(value))


def says_data(node: ast.expr) -> bool:
    """Whether an annotation says whom a value protects."""
    names = (item.id for item in below(node, ast.Name))
    return any(name in WORDS and name not in _SAYS_LITTLE for name in names)


def holds_texts(node: ast.expr | None) -> bool:
    """Whether an annotation says that a value is a list of texts."""
    match node:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *_])):
            return holds_texts(base)
        case ast.Subscript(value=ast.Name(id="list" | "List"), slice=ast.Name(id="str")):
            return True
    return False


def says_public(node: ast.expr) -> bool:
    """Whether an annotation says that everybody may know a value."""
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Static"


def kind_of(node: ast.expr | None, places: Places) -> Of:
    """The kind of values that an annotation allows."""
    match node:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *words])) if _is_table(base):
            said = [annotation(each, places) for each in words]
            return next((table for each in said if (table := _table(each)) is not None), ValueKind.ANY)
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *words])) if _is_frame(base):
            said = [annotation(each, places) for each in words]
            return Frame(next((table for each in said if (table := _table(each)) is not None), None))
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *words])) if any(
            _has_rows(each) for each in words
        ):
            return _rows([annotation(each, places) for each in words])
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *words])) if _is_series(base):
            return _series([annotation(each, places) for each in words])
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *_])) if (
            found := dotted(base)
        ) is not None and found[1] in _LOADERS:
            return ValueKind.LOADER
        case ast.Subscript(
            value=ast.Name(id="Annotated"),
            slice=ast.Tuple(elts=[ast.Name(id="str" | "int" | "float"), ast.Call(func=ast.Name(id="OneOf")) as word]),
        ) if (choice := _choice(annotation(word, places))) is not None:
            return choice
        case ast.expr() if is_given(node):
            return ValueKind.GIVEN
        case ast.Name(id="float" | "int" | "<switch>"):
            return ValueKind.NUMBER
        case ast.Name(id="bool"):
            return ValueKind.TRUTH
        case ast.Name(id="list" | "List") | ast.Subscript(value=ast.Name(id="list" | "List")):
            return ValueKind.LIST
        case ast.Attribute() if (found := dotted(node)) is not None and found[1] in _ARRAYS:
            return ValueKind.ARRAY
        case ast.Subscript(value=ast.Name(id="Static"), slice=inner):
            return kind_of(inner, places)
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[base, *_])):
            return kind_of(base, places)
    return ValueKind.ANY


def _is_table(node: ast.expr) -> bool:
    found = dotted(node)
    return found is not None and found[1] in _TABLES


def _is_frame(node: ast.expr) -> bool:
    found = dotted(node)
    return found is not None and found[1] in _FRAMES


def _has_rows(node: ast.expr) -> bool:
    """Whether a word says that there is a record in each row."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OF_ROWS


def _rows(words: Iterable[TypeExpr]) -> Rows | ValueKind:
    """An array of rows, of as many numbers each as is written out."""
    said = {each.name: each for each in words}
    try:
        width = _given(said["Rows"]).get("columns") if "Rows" in said else None
    except RefusedType:
        return ValueKind.ANY
    match width:
        case surface.Number(value=value, integer=True) if value > 0:
            return Rows(width=int(value))
    return Rows()


def _is_series(node: ast.expr) -> bool:
    found = dotted(node)
    return found is not None and found[1] in _SERIES


def _series(words: Iterable[TypeExpr]) -> ValueKind | Alone:
    """What a Series is: an array, or numbers that may be missing."""
    said = {each.name: each for each in words}
    if "MayBeMissing" not in said:
        return ValueKind.ARRAY
    if "Bounded" not in said:
        return alone(None)
    try:
        given = _given(said["Bounded"])
        return alone((_limit(given, "low", said["Bounded"]), _limit(given, "high", said["Bounded"])))
    except RefusedType:
        return ValueKind.ANY


def _choice(word: TypeExpr) -> ValueKind | None:
    """What one of some values is; None for numbers that are counted with."""
    numbers = [each.value for each in word.args if isinstance(each, surface.Number)]
    if not numbers:
        return ValueKind.TEXT
    return ValueKind.CHOICE if max(numbers) - min(numbers) > 1 else None


def _table(word: TypeExpr) -> Table | None:
    """The table that a word describes; None for one that describes none, or not so that it is understood."""
    try:
        return table_of(word) if word.name == "Columns" and word.form == "call" else None
    except NotAColumn:
        return None


_NORMS = {norm.value: norm for norm in Norm}
_NUMBERS = {"float": Base.REAL, "int": Base.INTEGER}
_RELATIONS = {
    "AddRemove": (DatasetMetric.SYMMETRIC, DatasetMetric.INSERT_DELETE),
    "ChangeOne": (DatasetMetric.CHANGE_ONE, DatasetMetric.HAMMING),
}
"""How datasets are compared, and how they are where places count."""
_OPTIONS = {
    **dict.fromkeys(_RELATIONS, ("name", "contributes", "ordered")),
    "Within": ("norm",),
    "Columns": (),
    "MayBeMissing": (),
    "Bounded": ("low", "high"),
    "Size": ("records",),
    "AtLeast": ("records",),
    "Rows": ("columns",),
    "RowNorm": ("limit", "norm"),
}
"""The words that are understood, with the names of what they are given."""
_OF_NUMBERS = frozenset({"Bounded", "Size", "AtLeast", "Rows"})
"""The words that are given numbers, or names of public parameters."""


class PythonAnnotations(Annotations):
    """What annotations mean. What they say to Python itself is nothing: it looks at none."""

    norms = _NORMS
    words = frozenset({*WORDS, *TYPES, *_NORMS})

    def parameter(self, node: TypeExpr | None) -> tuple[Annotation, bool]:
        match node:
            case None:
                return Anything(), False
            case TypeExpr(name="<public>"):
                return NumberOf(Base.REAL), True
            case TypeExpr(name="<whole>"):
                return NumberOf(Base.INTEGER), True
            case TypeExpr(name="<number>"):
                return NumberOf(Base.REAL), False
            case TypeExpr(name=name) if name == GENERATOR:
                return TupleOf((Truth(),), HANDLE), True
            case TypeExpr(name="Static", args=(TypeExpr(name=of, args=()),), form="braces") if of in _NUMBERS:
                return NumberOf(_NUMBERS[of]), True
            case TypeExpr(name="Static", args=(TypeExpr(name="<switch>"),)):
                return NumberOf(Base.INTEGER, truth=True), True
            case TypeExpr(name="Static", args=(TypeExpr(name="bool"),)):
                said = (
                    "a truth value is followed where a function only asks for it, as in `if plot`; write `Static[int]`"
                )
                raise RefusedType(node, said, "Static[int]", nearly=True)
            case (
                TypeExpr(name="Static", args=(TypeExpr(name=of),))
                | TypeExpr(name="Annotated", args=(TypeExpr(name=of), *_))
            ) if _is_public(node):
                public = f"Static[{of if of in _NUMBERS else 'float'}]"
                raise RefusedType(node, f"write `{public}`", public, nearly=True)
            case TypeExpr(name="Static"):
                raise RefusedType(node, "write `Static[float]` or `Static[int]`", "Static[float]", nearly=True)
        return self.meaning(node), False

    def structure(self, node: TypeExpr | None, structures: Mapping[str, Annotation]) -> tuple[Annotation, bool] | None:
        match node:
            case TypeExpr(name="Static", args=(TypeExpr(name=of, args=()),), form="braces"):
                public = True
            case TypeExpr(name=of, args=()):
                public = of.startswith("Static[")
            case _:
                return None
        found = structures.get(f"{of.removeprefix('Static[').removesuffix(']')}.{MAKING}")
        return None if found is None else (found, public)

    def is_open(self, node: TypeExpr | None) -> bool:
        return node is not None and node.name in (PUBLIC, WHOLE)

    def returned(self, node: TypeExpr | None) -> Returned:
        if node is None or _is_silent(node):
            return Returned(Anything())
        if node.name == DRAWING:
            return Returned(Anything(), privacy=True, presumed=True)
        if node.name == "Annotated" and any(_is_word(each, "Private") for each in node.args):
            raise RefusedType(node, "write `Private` by itself", "Private", nearly=True)
        if node.name != "Private":
            raise RefusedType(
                node, f"what `{node.written}` stands for is not followed; write `Private`, or leave it out"
            )
        if node.form == "call":
            raise RefusedType(node, "write `Private` or `Private[float]`", "Private", nearly=True)
        return Returned(Anything(), privacy=True)

    def meaning(self, node: Node) -> Annotation:
        match node:
            case TypeExpr(name="Annotated", args=(base, *words), form="braces") if words:
                return _annotated(node, base, words)
            case TypeExpr(name="<records>", args=parts):
                return _joined(node, [self.meaning(each) for each in parts])
            case TypeExpr(name=name, args=(TypeExpr(written=of),), form="call" | "braces") if name in _RELATIONS:
                said = f"Annotated[{of}, {name}()]"
                raise RefusedType(node, f"write `{said}`", said)
            case TypeExpr(name="OneOf", form="call"):
                raise RefusedType(node, _ONE_OF)
            case TypeExpr(name=name, form="call") | TypeExpr(name="Private" | "Annotated" as name):
                raise RefusedType(node, f"`{name}` does not stand alone: write `Annotated[list, AddRemove()]`")
            case TypeExpr(name=name, args=()) if name in WORDS:
                raise RefusedType(node, f"write `Annotated[list, {name}()]`")
            case TypeExpr(name=name, args=()) if name in _NUMBERS:
                return NumberOf(_NUMBERS[name], plain=True)
            case TypeExpr(name="bool", args=()):
                return Truth()
            case TypeExpr(name=name, args=()) if name in _BASES:
                return Anything()
            case TypeExpr(name="list", args=(TypeExpr(name=of, args=()),)) if of in {*_BASES, "str"}:
                return Anything()
            case TypeExpr(name="pl.DataFrame" | "polars.DataFrame"):
                raise RefusedType(node, _POLARS)
        written = node.written if isinstance(node, TypeExpr) else "this"
        raise RefusedType(node, f"what `{written}` stands for is not followed; write the annotation out")

    def unknown_limits(self, node: TypeExpr | None, public: Iterable[str]) -> Iterator[RefusedType]:
        if node is None or node.name != "Annotated":
            return
        for word in node.args[1:]:
            for value in word.children if isinstance(word, TypeExpr) and word.name in _OF_NUMBERS else ():
                given = value.value if isinstance(value, surface.Keyword) else value
                if isinstance(given, surface.Text) and given.value not in public:
                    hint = "it is not the name of a parameter that is `Static[float]` or `Static[int]`"
                    yield RefusedType(given, hint)


_POLARS = (
    "of polars only queries of OpenDP about a `pl.LazyFrame` are followed; give the function a column as an "
    "`np.ndarray`, or a table of pandas"
)
_ONE_OF = (
    'of a value alone `OneOf` is said as in `Annotated[str, OneOf("yes", "no")]` or `Annotated[int, OneOf(0, 1)]`, and '
    "of a column as in `Columns(Sex=OneOf(1, 2))`"
)
_MATRIX = ContainerOf(Kind.MATRIX, Base.REAL)
_ALONE = 2
"""A number that may be missing stands beside whether it is there."""


def _is_silent(node: TypeExpr) -> bool:
    """Whether an annotation is a type that has nothing to do with privacy."""
    parts = [each for each in node.args if not isinstance(each, TypeExpr) or not _is_silent(each)]
    return node.name in _SILENT and node.form != "call" and not parts


def _given(word: TypeExpr) -> dict[str, Node]:
    """What a word is given, by name. Raises :class:`RefusedType`."""
    names, found = _OPTIONS[word.name], dict[str, Node]()
    for position, each in enumerate(word.args):
        name = each.name if isinstance(each, surface.Keyword) else names[position] if position < len(names) else ""
        if name not in names or name in found:
            raise RefusedType(word, f"`{word.name}` is given {', '.join(f'`{each}`' for each in names)}")
        found[name] = each.value if isinstance(each, surface.Keyword) else each
    return found


def _is_word(node: Node, word: str) -> bool:
    return isinstance(node, TypeExpr) and node.name == word


def _is_public(node: TypeExpr) -> bool:
    """Whether something is said to be public, in this way or another."""
    return node.name == "Static" or any(_is_word(each, "Static") for each in node.args[1:])


def _uncalled(word: TypeExpr) -> RefusedType:
    """A word that lacks its parentheses, or what must stand in them."""
    said = _SAID.get(word.name)
    if said is None:
        return RefusedType(word, f"write `{word.name}()`, with parentheses", f"{word.name}()")
    return RefusedType(word, f"write what it says in parentheses, as in `{word.name}({said})`")


_SAID = {"Columns": "Age=Bounded(0, 120)", "Bounded": "0, 120", "Size": "100", "AtLeast": "1"}
"""Of words that say nothing without it, what may stand in their parentheses."""


def _annotated(node: TypeExpr, base: Node, words: Iterable[Node]) -> Annotation:
    """``Annotated[base, words…]``."""
    if isinstance(base, TypeExpr) and base.form == "call" and base.name in _OPTIONS:
        raise RefusedType(node, "the type stands first, as in `Annotated[list[float], ChangeOne()]`")
    said: dict[str, dict[str, Node]] = {}
    table: Table | None = None
    for word in words:
        name = word.name if isinstance(word, TypeExpr) else ""
        if isinstance(word, TypeExpr) and word.form != "call" and not word.args and name in _OPTIONS:
            raise _uncalled(word)
        if isinstance(word, TypeExpr) and name == "OneOf" and word.form == "call":
            return _one_of(node, base, [*words])
        if not isinstance(word, TypeExpr) or word.form != "call" or name not in _OPTIONS:
            reason = f"`{name}` is not followed yet" if name in WORDS else "this says nothing that is known"
            raise RefusedType(word, f"{reason}; the words are {', '.join(f'`{each}`' for each in _OPTIONS)}")
        if name in said:
            raise RefusedType(word, f"`{name}` stands here twice")
        if name == "Columns":
            said[name], table = {}, _described(word)
        else:
            said[name] = _given(word)
    relations = [name for name in (*_RELATIONS, "Within") if name in said]
    if len(relations) > 1:
        raise RefusedType(node, f"`{relations[0]}` and `{relations[1]}` exclude each other")
    if isinstance(base, TypeExpr) and base.name in _TABLES:
        if table is None or said.keys() & {"Bounded", "Within", "MayBeMissing"}:
            raise RefusedType(node, "say of a table which columns there are: `Columns(Age=Bounded(0, 120), Town=str)`")
        return _dataset(node, said, relations, _MATRIX, None, table.width)
    if isinstance(base, TypeExpr) and base.name in _FRAMES:
        if said.keys() & {"Bounded", "Within", "MayBeMissing", *_OF_ROWS}:
            raise RefusedType(node, "say of a frame which columns there are: `Columns(Age=Bounded(0, 120), Town=str)`")
        return _dataset(node, said, relations, _MATRIX, None, None if table is None else table.width)
    if table is not None:
        raise RefusedType(node, "`Columns` is said of a `pd.DataFrame` or a `pl.LazyFrame`")
    if isinstance(base, TypeExpr) and base.name in _LOADERS:
        if said.keys() != {"AddRemove"} or said["AddRemove"].keys() - {"contributes"}:
            raise RefusedType(node, "batches protect one record that is added or removed: `AddRemove()`, and no more")
        return replace(_dataset(node, said, relations, _MATRIX, None), batched=True)
    kind, element = _base(base)
    _check_texts(node, base, said)
    bounds = _bounds(node, said["Bounded"]) if "Bounded" in said else None
    if kind is None:
        if said.keys() - {"Within", "Bounded"}:
            hint = "of a number only `Within()`, `Bounded(low, high)` and `OneOf(0, 1)` say something"
            raise RefusedType(node, hint)
        _norm(said.get("Within", {}), node)
        return NumberOf(element, bounds=bounds)
    if said.keys() & _OF_ROWS:
        return _matrix(node, base, said, relations, bounds)
    records = ContainerOf(kind, element)
    if "MayBeMissing" in said:
        if not (isinstance(base, TypeExpr) and base.name in _SERIES) or "Within" in said:
            raise RefusedType(node, "`MayBeMissing` is said of a `pd.Series` of records, or of a column of a table")
        return _dataset(node, said, relations, _MATRIX, None, _ALONE)
    if "Within" in said:
        if len(said) > 1:
            raise RefusedType(node, "beside `Within` nothing else says something of a vector")
        return ContainerOf(kind, element, _norm(said["Within"], node))
    return _dataset(node, said, relations, records, bounds)


def _one_of(node: TypeExpr, base: Node, words: list[Node]) -> NumberOf:
    """One of several values that are written out, in place of which any other one of them may be. Numbers that are no
    more than 1 apart are counted with; of others, and of texts, it is asked whether they are equal."""
    (word, *others), name = words, base.name if isinstance(base, TypeExpr) else ""
    if others or not isinstance(word, TypeExpr) or name not in ("str", *_NUMBERS):
        raise RefusedType(node, _ONE_OF)
    numbers = [each.value for each in word.args if isinstance(each, surface.Number)]
    texts = [each for each in word.args if isinstance(each, surface.Text)]
    if not word.args or len(texts if name == "str" else numbers) != len(word.args):
        said = 'OneOf("yes", "no")' if name == "str" else "OneOf(0, 1)"
        raise RefusedType(word, f"write the values out, as in `{said}`")
    if name == "str" or max(numbers) - min(numbers) > 1:
        return NumberOf(Base.DATA)
    return NumberOf(_NUMBERS[name], bounds=(min(numbers), max(numbers)))


def _matrix(
    node: TypeExpr,
    base: Node,
    said: dict[str, dict[str, Node]],
    relations: list[str],
    bounds: tuple[Limit, Limit] | None,
) -> DatasetOf:
    """An array with one record in each row."""
    if not isinstance(base, TypeExpr) or base.name not in _ARRAYS - _SERIES:
        raise RefusedType(node, "`Rows` and `RowNorm` are said of an `np.ndarray`")
    if said.keys() & {"MayBeMissing", "Within"}:
        raise RefusedType(node, "beside `Rows` neither `MayBeMissing` nor `Within` says something")
    options = said.get("Rows", {})
    columns = _limit(options, "columns", node) if "columns" in options else None
    made = _dataset(node, said, relations, _MATRIX, bounds)
    radius = None
    if "RowNorm" in said:
        radius = _norm(said["RowNorm"], node), _limit(said["RowNorm"], "limit", node)
    return replace(made, columns=columns, radius=radius)


def _joined(node: TypeExpr, parts: list[Annotation]) -> DatasetOf:
    """Records of which several parameters hold parts."""
    known = [each for each in parts if isinstance(each, DatasetOf)]
    first = known[0] if len(known) == len(parts) else None
    if first is None or any((each.metric, each.each) != (first.metric, first.each) for each in known):
        raise RefusedType(
            node.args[0], "what is said of who is protected is the same for all parts of the same records"
        )
    bases = {
        part.args[0].name for part in node.args if isinstance(part, TypeExpr) and isinstance(part.args[0], TypeExpr)
    }
    if not bases <= {"list", *_ARRAYS} - _SERIES:
        raise RefusedType(node.args[0], "parts of the same records are each an `np.ndarray` or a `list`")
    widths = [Fraction(1) if each.records.kind is Kind.VECTOR else each.columns for each in known]
    whole = [each for each in widths if isinstance(each, Fraction)]
    if len(whole) < len(widths) - 1:
        raise RefusedType(
            node.args[0], "write how many numbers each row has: `Rows(3)`; of one part it may be left out"
        )
    columns = sum(whole, Fraction(0)) if len(whole) == len(widths) else None
    size, least = (
        next((each for each in said if each is not None), None)
        for said in ([each.size for each in known], [each.least for each in known])
    )
    return DatasetOf(first.metric, _MATRIX, None, least, None, first.each, size, columns)


def _described(word: TypeExpr) -> Table:
    try:
        return table_of(word)
    except NotAColumn as refused:
        raise RefusedType(refused.node, refused.hint) from None


def _dataset(
    node: TypeExpr,
    said: dict[str, dict[str, Node]],
    relations: list[str],
    records: ContainerOf,
    bounds: tuple[Limit, Limit] | None,
    columns: int | None = None,
) -> DatasetOf:
    """Records, of which some are those of a person. Raises :class:`RefusedType`."""
    if not relations:
        raise RefusedType(node, "say who is protected: `AddRemove()` or `ChangeOne()`")
    options = said[relations[0]]
    if "name" in options and getattr(options["name"], "value", "") != "":
        raise RefusedType(node, "records in several parameters are not followed yet")
    each = _limit(options, "contributes", node) if "contributes" in options else None
    ordered = _truth(options, node)
    sizes = {name: _limit(said[name], "records", node) for name in ("Size", "AtLeast") if name in said}
    if "Size" in sizes and relations[0] == "AddRemove":
        raise RefusedType(node, "`Size` says how many records there are, which `AddRemove` keeps private")
    metric = _RELATIONS[relations[0]][ordered]
    width = None if columns is None else Fraction(columns)
    return DatasetOf(metric, records, bounds, sizes.get("AtLeast"), None, each, sizes.get("Size"), width)


def _base(node: Node) -> tuple[Kind | None, Base]:
    match node:
        case TypeExpr(name=name, args=()) if name in _NUMBERS:
            return None, _NUMBERS[name]
        case TypeExpr(name="list", args=(TypeExpr(name=of, args=()),)) if of in _NUMBERS:
            return Kind.VECTOR, _NUMBERS[of]
        case TypeExpr() if _is_list_of_texts(node):
            return Kind.VECTOR, Base.INTEGER  # a number for each text
        case TypeExpr(name="list", args=()):
            return Kind.VECTOR, Base.REAL
        case TypeExpr(name=name, args=()) if name in _ARRAYS:
            return Kind.VECTOR, Base.REAL
    raise RefusedType(
        node,
        "the data are a `list`, an `np.ndarray`, a `pd.Series`, a `pd.DataFrame`, a `pl.LazyFrame`, a "
        "`DataLoader`, a `float` or an `int`",
    )


def _bounds(node: TypeExpr, said: dict[str, Node]) -> tuple[Limit, Limit]:
    """Between which numbers lie. Raises :class:`RefusedType`."""
    low, high = _limit(said, "low", node), _limit(said, "high", node)
    if isinstance(low, Fraction) and isinstance(high, Fraction) and low > high:
        raise RefusedType(node, "the first bound is the smaller one")
    return low, high


def _check_texts(node: TypeExpr, base: Node, said: Collection[str]) -> None:
    """Texts have no bounds and no norm. Raises :class:`RefusedType`."""
    if _is_list_of_texts(base) and (of_numbers := {"Bounded", "Within"}.intersection(said)):
        raise RefusedType(node, f"`{min(of_numbers)}` says something of numbers, and these are texts")


def _is_list_of_texts(node: Node) -> bool:
    match node:
        case TypeExpr(name="list", args=(TypeExpr(name="str", args=()),)):
            return True
    return False


def _limit(options: dict[str, Node], name: str, node: TypeExpr) -> Limit:
    match options.get(name):
        case surface.Number(value=value):
            return value
        case TypeExpr(name=found) if found == _INFINITE:
            raise RefusedType(node, f"`{name}` is infinite, which is no bound: write the largest that a number may be")
        case surface.Text(value=text) if text.isidentifier():
            return text
    raise RefusedType(node, f"`{name}` is a number that is written out, or the name of a public parameter in quotes")


def _norm(options: dict[str, Node], node: TypeExpr) -> Norm:
    match options.get("norm"):
        case None:
            return Norm.L2
        case surface.Text(value=text) if text in _NORMS:
            return _NORMS[text]
    raise RefusedType(node, f"the norms are {', '.join(_NORMS)}")


def _truth(options: dict[str, Node], node: TypeExpr) -> bool:
    match options.get("ordered"):
        case None:
            return False
        case surface.Boolean(value=value):
            return value
    raise RefusedType(node, "`ordered` is True or False")
