"""What kind of value an expression has, as far as the text of one function tells.

The same sign does different things to different kinds: ``2 * v`` doubles the entries of an array, and repeats a list.
So an operation is understood where the kinds of what it is given are known; a number of which the text does not tell
that it is one is made sure of by the calculus (:mod:`dp_lsp.frontends.python.expressions`).

Whether an array is one of NumPy or a column of pandas, where they do not mean the same by a method.

What is made of a column by an operation, a method or a function of numbers is a column again; arrays of NumPy make
arrays. Source: the manual of pandas ("Interoperability with NumPy functions").
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Mapping
from enum import Enum, auto

from dp_lsp.frontends.python.applied import APPLYING, applied
from dp_lsp.frontends.python.names import GENERATORS, bound_in, dotted, shortened
from dp_lsp.frontends.python.numeric import CONSTANTS, OF_NUMBER, goes_over_arrays
from dp_lsp.frontends.python.objects import Part
from dp_lsp.frontends.python.reducing import reducing, where_largest
from dp_lsp.frontends.python.releasing import METHODS as OF_MECHANISMS
from dp_lsp.frontends.python.releasing import is_counting, is_mechanism, is_tool
from dp_lsp.frontends.python.rows import Beside, Rows, along, column_at, norm_of, product, turned, upright
from dp_lsp.frontends.python.tables import (
    Alone,
    Frame,
    Holds,
    Table,
    Taken,
    chosen,
    column_of,
    counted,
    kept_in,
    present,
    same_table,
)
from dp_lsp.frontends.python.tree import below, walk


class Kind(Enum):
    """A kind of values."""

    NUMBER = auto()
    TRUTH = auto()
    LIST = auto()
    ARRAY = auto()
    """One-dimensional, of numbers: of NumPy, or a column of pandas."""
    MASK = auto()
    """The same, of truth values."""
    VECTOR = auto()
    """One-dimensional, of NumPy, with numbers that are no records."""
    LOOSE = auto()
    """The same, or 0 where there is nothing that was added up."""
    UPRIGHT = auto()
    """A column of NumPy with one number for each row of an array."""
    PARTS = auto()
    """A list with an array for each record, or a number."""
    TEXTS = auto()
    """A column of texts."""
    GAPS = auto()
    """A column of numbers, some of which may be missing."""
    TEXT = auto()
    """One of several texts, of which only whether it is one of them is asked."""
    CHOICE = auto()
    """The same of numbers."""
    DICT = auto()
    """A dictionary."""
    MECHANISM = auto()
    """What adds noise, of a library."""
    LOADER = auto()
    """What draws batches of records."""
    GENERATOR = auto()
    """What draws random numbers, and was not told how to begin."""
    GIVEN = auto()
    """The same, as far as who calls the function keeps to that."""
    DRAWS = auto()
    """An array of draws."""
    ANY = auto()
    """Nothing is known."""


Of = Kind | Table | Alone | Frame | Rows | Beside
"""What is known of a value: its kind, or which table it is."""
ARRAYS = frozenset({Kind.ARRAY, Kind.MASK, Kind.VECTOR})
COLUMNS = frozenset({*ARRAYS, Kind.TEXTS, Kind.GAPS})
"""What has an entry for each record."""
_HELD = {Holds.NUMBERS: Kind.ARRAY, Holds.TEXTS: Kind.TEXTS, Holds.TRUTHS: Kind.MASK}
SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}
COMPARISONS: dict[type[ast.cmpop], str] = {
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Eq: "==", ast.NotEq: "!="},
}
TOTALS = frozenset({"len", "sum", "np.sum", "np.mean", "np.count_nonzero", "min", "max"})
"""Functions that make a number."""
METHODS = {"sum": "np.sum", "mean": "np.mean", "count": "len"}
"""Methods of arrays that make a number, and the functions that do the same."""
CENTRE, SCALE, SIZE = "loc", "scale", "size"
_PLACED = (CENTRE, SCALE, SIZE)
_GAUSS = {"mu": CENTRE, "sigma": SCALE}
BY_NAME = {"random.gauss": _GAUSS, "random.normalvariate": _GAUSS}
"""Other names of arguments by functions."""
SAMPLERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("np.random.laplace", "np.random.normal", "stats.laplace.rvs", "stats.norm.rvs"), _PLACED),
    **dict.fromkeys(("random.gauss", "random.normalvariate"), (CENTRE, SCALE)),
    "np.random.standard_normal": (SIZE,),
    "np.random.randn": (),
}
"""What draws noise, with the arguments that it takes, in order. What is left out is 0, 1 and one number: sources: the
manuals of NumPy, of SciPy and of Python's module ``random``."""
CHANGES = frozenset({"clip", "abs"})
"""Methods that make an array of one."""
ABSENT, THERE = frozenset({"isna", "isnull"}), frozenset({"notna", "notnull"})
ASKS = frozenset({"isin", "between", *ABSENT, *THERE})
"""Methods that ask something of each entry."""
SHARING = "np.asarray"
MAKING = frozenset({"np.array", SHARING})
"""What makes an array of a list of numbers, or of another array, which one of them gives back as it is."""
COUNTING = "np.histogram"
"""What counts the numbers in bins; it gives the edges back, too."""
GENERATING = "np.random.default_rng"
"""What makes a generator, which begins with what nobody knows if it is not told."""
MAKING_GENERATORS = frozenset({GENERATING, "np.random.RandomState", "check_random_state"})
"""The same, and what else does it. A generator that is given to one of them comes back as it is, if it is taken."""
GIVEN = "np.random.Generator"
"""The type of a parameter that is given a generator."""


def occurrences(node: ast.Call, of: Callable[[ast.expr], Of]) -> tuple[ast.expr, ast.expr] | None:
    """The list and the number of which a call of a method tells how often it stands there; None for any other call."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name() as held, attr="count"),
            args=[ast.Name() | ast.Constant() as value],
            keywords=[],
        ) if of(held) is Kind.LIST:
            return held, value
    return None


_GENERATED = frozenset({Kind.GENERATOR, Kind.GIVEN})
_NOT_OF_GENERATORS = frozenset({"randn"})
"""What only the module has, and no generator."""


class Kinds:
    """The kinds of names in one function, of which ``local`` says whether they belong to it. Many ask for the kind of
    one expression, each for its own reason, so it is found out once."""

    def __init__(self, names: Mapping[str, Of], local: Callable[[str], bool]) -> None:
        self._names = dict(names)
        self._local = local
        self._known: dict[ast.expr, Of] = {}

    def of_name(self, name: str) -> Of:
        """The kind of all values that a name is given."""
        return self._names.get(name, Kind.ANY)

    def is_local(self, name: str) -> bool:
        """Whether a name belongs to the function."""
        return self._local(name)

    def within(self, names: Mapping[str, Of]) -> Kinds:
        """The same where further names have kinds."""
        return Kinds({**self._names, **names}, lambda name: name in names or self._local(name))

    def called(self, callee: ast.expr) -> str:
        """The function of a module, or of Python, that is called; empty where it is none."""
        found = dotted(callee)
        if found is None or self._local(found[0]):
            return ""
        return shortened(found[1])

    def is_generator(self, name: str) -> bool:
        """Whether a name stands for a generator: one of the function, or one that its module has made."""
        return self.of_name(name) in _GENERATED if self._local(name) else name in GENERATORS

    def drawn(self, node: ast.expr) -> str:
        """The function that a call draws noise by, itself or by a generator of NumPy; empty for any other."""
        if not isinstance(node, ast.Call):
            return ""
        name = self.called(node.func)
        match node.func:
            case ast.Attribute(value=ast.Name(id=of), attr=attr) if self.is_generator(of):
                name = f"np.random.{attr}" if attr not in _NOT_OF_GENERATORS else ""
        return name if name in SAMPLERS else ""

    def draws_by(self, node: ast.Call) -> str:
        """The same, by the name of a method where the generator was given to the function."""
        match node.func:
            case ast.Attribute(value=ast.Name(id=of), attr=attr) if self.of_name(of) is Kind.GIVEN:
                return f"{GIVEN}.{attr}"
        return self.drawn(node)

    def draws_several(self, node: ast.Call) -> bool:
        """Whether a call that draws is asked for more numbers than one."""
        order = SAMPLERS[self.drawn(node)]
        place = order.index(SIZE) if SIZE in order else len(order)
        return len(node.args) > place or any(each.arg in (SIZE, None) for each in node.keywords)

    def draws_one(self, node: ast.Call) -> bool:
        """Whether a call draws an array of one number, which is asked for so."""
        order = SAMPLERS.get(self.drawn(node), ())
        given = [*zip(order, node.args, strict=False), *((each.arg, each.value) for each in node.keywords)]
        sizes = [value for name, value in given if name == SIZE]
        return len(sizes) == 1 and isinstance(sizes[0], ast.Constant) and sizes[0].value == 1

    def made_of(self, node: ast.expr) -> ast.expr | None:
        """What ``np.array`` or ``np.asarray`` makes an array of, which may be told to hold floats; a column of which
        the array is taken."""
        match node:
            case ast.Call(func=func, args=[of], keywords=[] | [ast.keyword("dtype", ast.Name("float"))]) if self.called(
                func
            ) in MAKING and not self._local("float"):
                return of
            case (
                ast.Attribute(value=of, attr="values")
                | ast.Call(func=ast.Attribute(value=of, attr="to_numpy"), args=[], keywords=[])
            ) if self.of(of) is Kind.ARRAY:
                return of
        return None

    def place_of(self, node: ast.Call) -> ast.Name | None:
        """The list of which a call tells where the largest entry stands first."""
        found = where_largest(node, self.called)
        return found if found is not None and self.of(found) is Kind.LIST else None

    def applied(self, node: ast.expr) -> ast.expr | None:
        """The operation on a column that makes the same of each number as a function that is applied to it."""
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in APPLYING:
            return None
        drawn = any(isinstance(each, ast.expr) and self.drawn(each) for each in walk(node.func.value))
        return applied(node, self.called) if not drawn and self.of(node.func.value) is Kind.ARRAY else None

    def called_with_each(self, node: ast.expr) -> tuple[ast.expr, ast.Name] | None:
        """The column with each number of which a function of the program is called, which has a name, and that."""
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr=attr), args=[ast.Name(id=name) as function], keywords=[]):
                is_of_program = not self._local(name) and not hasattr(builtins, name)
                return (of, function) if attr in APPLYING and is_of_program and self.of(of) is Kind.ARRAY else None
        return None

    def taken(self, node: ast.expr) -> Taken | None:
        """The column that an expression takes of a table, or that a name is by itself."""
        if isinstance(node, ast.Name):
            kind = self.of_name(node.id)
            if isinstance(kind, Beside):
                return None if kind.listed else Taken(kind.table(node), kind.column)
            return Taken(node, kind.column) if isinstance(kind, Alone) else None
        return column_of(node, self.of)

    def of(self, node: ast.expr) -> Of:
        """The kind of an expression."""
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._of(node)
        return found

    def _of(self, node: ast.expr) -> Of:
        match node:
            case ast.Constant(value=bool()):
                return Kind.TRUTH
            case ast.Constant(value=int() | float()):
                return Kind.NUMBER
            case ast.Name(id=name):
                kind = self.of_name(name)
                if isinstance(kind, Beside):
                    return Kind.LIST if kind.listed else Kind.ARRAY
                return Kind.GAPS if isinstance(kind, Alone) else kind
            case ast.Call() | ast.BinOp() | ast.Subscript() | ast.Attribute() if found := self._of_rows(node):
                return found
            case ast.Attribute() if self.called(node) in CONSTANTS:
                return Kind.NUMBER
            case ast.BinOp(op=ast.RShift()):
                return Kind.MECHANISM if is_mechanism(node, self.called) else Kind.ANY
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
                return Kind.MASK if self.of(left) is self.of(right) is Kind.MASK else Kind.ANY
            case ast.BinOp(left=ast.List(), op=ast.Mult()):
                return Kind.LIST
            case ast.BinOp(left=left, right=right):
                return _combined(self.of(left), self.of(right))
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return Kind.MASK if self.of(operand) is Kind.MASK else Kind.ANY
            case ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return Kind.TRUTH
            case ast.UnaryOp(operand=operand):
                return _combined(self.of(operand), Kind.NUMBER)
            case ast.Compare(left=left, comparators=others):
                masks = any(self.of(each) in COLUMNS for each in (left, *others))
                return Kind.MASK if masks else Kind.TRUTH
            case ast.IfExp(body=body, orelse=orelse):
                return joined(self.of(body), self.of(orelse))
            case ast.ListComp():
                return self._of_list(node)
            case ast.List():
                return Kind.LIST
            case Part():
                return Kind.TRUTH if node.is_truth else Kind.NUMBER
            case ast.Dict() | ast.DictComp():
                return Kind.DICT
            case ast.Call():
                return self._of_call(node)
            case ast.Subscript(value=ast.Call(func=func), slice=ast.Constant(value=0)) if self.called(
                func
            ) == COUNTING or is_counting(self.called(func)):
                return Kind.ARRAY
            case ast.Attribute(value=of, attr="size") if self.of(of) in COLUMNS:
                return Kind.NUMBER
            case ast.Subscript() | ast.Attribute():
                return self._of_part(node)
        return Kind.ANY

    def _of_rows(self, node: ast.expr) -> Of | None:
        """What is made of arrays with a record in each row, or of vectors; None for anything else."""
        if (over := along(node, self.called)) is not None:
            of, _, axis = over
            kind = self.of(of)
            if isinstance(kind, Rows):
                return Kind.ARRAY if axis else Kind.VECTOR
            return Kind.LOOSE if kind is Kind.PARTS and not axis else Kind.ANY
        if (size := norm_of(node, self.called)) is not None:
            of, by_row, stands = size
            if not by_row:
                return Kind.NUMBER if self.of(of) is Kind.VECTOR else Kind.ANY
            found = Kind.UPRIGHT if stands else Kind.ARRAY
            return found if isinstance(self.of(of), Rows) else Kind.ANY
        if (factors := product(node, self.called)) is not None:
            return self._of_product(*factors)
        if (standing := upright(node)) is not None and self.of(standing) is Kind.ARRAY:
            return Kind.UPRIGHT
        if (column := column_at(node)) is not None and isinstance(rows := self.of(column[0]), Rows):
            return Kind.ARRAY if rows.width is None or column[1] <= rows.width else Kind.ANY
        match node:
            case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right) if {self.of(left), self.of(right)} == {
                Kind.LOOSE,
                Kind.DRAWS,
            }:
                return Kind.VECTOR
            case ast.Subscript(value=ast.Attribute(value=of, attr="shape"), slice=ast.Constant()):
                return Kind.NUMBER if isinstance(self.of(of), Rows) or self.of(of) is Kind.VECTOR else None
            case ast.Call(func=func, args=[of], keywords=[]) if self.called(func) in MAKING:
                return Kind.PARTS if self.of(of) is Kind.PARTS else None
        return None

    def _of_product(self, left: ast.expr, right: ast.expr) -> Of:
        """What ``left @ right`` is."""
        one, other = self.of(left), self.of(right)
        if isinstance(one, Rows):
            return Kind.ARRAY if other is Kind.VECTOR else Kind.ANY
        if (across := turned(left)) is not None and isinstance(self.of(across), Rows):
            return Kind.VECTOR if other is Kind.ARRAY else Kind.ANY
        return Kind.NUMBER if {one, other} == {Kind.VECTOR} else Kind.ANY

    def _of_list(self, node: ast.ListComp) -> Kind:
        """A list of numbers, or of what is made of each row."""
        names = self.of_each(node)
        if names is None or Kind.VECTOR not in names.values():
            return Kind.LIST
        return Kind.LIST if self.within(names).of(node.elt) is Kind.NUMBER else Kind.PARTS

    def of_each(self, node: ast.ListComp | ast.GeneratorExp) -> dict[str, Of] | None:
        """What the names of a comprehension over the rows of arrays stand for; None for any other."""
        if len(node.generators) != 1:
            return None
        found = self.parts(node.generators[0].target, node.generators[0].iter)
        return None if found is None else {name: kind for name, _, kind in found}

    def parts(self, target: ast.expr, over: ast.expr) -> list[tuple[str, ast.Name, Of]] | None:
        """The names that rounds over the rows of arrays give to parts of a record, what they are taken of, and what
        they are: a vector or a number."""
        match target, over:
            case ast.Name(id=name), ast.Name() if isinstance(self.of(over), Rows):
                return [(name, over, Kind.VECTOR)]
            case ast.Name(id=name), ast.Name() if isinstance(kind := self.of_name(over.id), Beside):
                return [(name, over, _part(kind))]
            case ast.Tuple(elts=names), ast.Call(func=func, args=arrays, keywords=[]) if self.called(
                func
            ) == "zip" and len(names) == len(arrays):
                found: list[tuple[str, ast.Name, Of]] = []
                for each, array in zip(names, arrays, strict=True):
                    if not isinstance(each, ast.Name) or not isinstance(array, ast.Name):
                        return None
                    kind = self.of_name(array.id)
                    if not isinstance(kind, Rows | Beside) or not kind.of:
                        return None
                    found.append((each.id, array, _part(kind)))
                of = {kind.of for _, array, _ in found if isinstance(kind := self.of_name(array.id), Rows | Beside)}
                return found if len(of) == 1 and len({name for name, _, _ in found}) == len(found) else None
        return None

    def _of_part(self, node: ast.Subscript | ast.Attribute) -> Of:
        """What is taken of a table, or kept of an array, or drawn."""
        match node:
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=0)) if self.draws_one(call):
                return Kind.NUMBER
        if self.made_of(node) is not None:
            return Kind.ARRAY
        if (taken := self.taken(node)) is not None:
            numbers = taken.column.holds is Holds.NUMBERS
            return Kind.GAPS if numbers and taken.column.there else _HELD[taken.column.holds]
        if (parts := chosen(node, self.of)) is not None:
            return parts[1]
        kept = kept_in(node)
        if kept is None or self.of(kept.mask) is not Kind.MASK:
            return Kind.ANY
        kind = self.of(kept.of)
        if isinstance(kind, Rows):
            return kind.made()
        return kind if isinstance(kind, Table) or kind in COLUMNS else Kind.ANY

    def _reduces(self, node: ast.Call, name: str) -> bool:
        """Whether a call makes one number of many."""
        found = reducing(node, name)
        return found is not None and not (found.is_method and self.of(found.of) not in COLUMNS)

    def _of_where(self, node: ast.Call) -> Of:
        """What a mask makes of two numbers, or of arrays."""
        match node.args:
            case [mask, one, other] if self.of(mask) is Kind.MASK:
                kinds = {self.of(one), self.of(other)}
                return Kind.ARRAY if kinds <= {Kind.NUMBER, Kind.ARRAY, Kind.ANY} else Kind.ANY
        return Kind.ANY

    def _of_generator(self, node: ast.Call) -> Kind:
        """What makes a generator: of nothing, of None, which is the same, or of a generator."""
        match node:
            case ast.Call(args=[], keywords=[]) | ast.Call(args=[ast.Constant(value=None)], keywords=[]):
                return Kind.GENERATOR
            case ast.Call(args=[ast.Name() as of], keywords=[]) if (kind := self.of(of)) in _GENERATED:
                assert isinstance(kind, Kind), "it is one of two"
                return kind
        return Kind.ANY

    def _of_call(self, node: ast.Call) -> Of:
        name = self.called(node.func)
        if is_mechanism(node, self.called):
            return Kind.MECHANISM
        if isinstance(node.func, ast.Name | ast.BinOp) and self.of(node.func) is Kind.MECHANISM:
            return Kind.NUMBER
        if is_tool(name):
            return Kind.NUMBER
        if name in MAKING_GENERATORS:
            return self._of_generator(node)
        if self.drawn(node):
            return Kind.DRAWS if self.draws_several(node) else Kind.NUMBER
        if name in TOTALS or self._reduces(node, name) or self.place_of(node) is not None:
            return Kind.NUMBER
        if (given := self.made_of(node)) is not None:
            of = self.of(given)
            may_be = of in (Kind.LIST, Kind.VECTOR) or isinstance(given, ast.Tuple)
            if may_be or (of is Kind.ANY and isinstance(given, ast.Name)):
                return Kind.VECTOR
            return Kind.ARRAY if of is Kind.ARRAY else Kind.ANY
        if name == "np.zeros":
            return Kind.VECTOR if len(node.args) == 1 and not node.keywords else Kind.ANY
        if name == "bool":
            return Kind.TRUTH
        if name == "np.where":
            return self._of_where(node)
        if name in OF_NUMBER:
            kinds = set(map(self.of, node.args)) if goes_over_arrays(name) else set()
            if any(isinstance(kind, Rows) or kind in _ADDED for kind in kinds):
                return _combined(*kinds)
            return next((kind for kind in (Kind.GAPS, Kind.ARRAY) if kind in kinds), Kind.NUMBER)
        if (keys := counted(node)) is not None:
            return Kind.ARRAY if self.of(keys.column) in COLUMNS - {Kind.MASK} else Kind.ANY
        if (operation := self.applied(node)) is not None:
            return self.of(operation)
        if self.called_with_each(node) is not None:
            return Kind.ARRAY
        if occurrences(node, self.of) is not None:
            return Kind.NUMBER
        if isinstance(node.func, ast.Attribute) and not name:
            of, attr = self.of(node.func.value), node.func.attr
            if of is Kind.MECHANISM:
                return Kind.NUMBER if attr in OF_MECHANISMS else Kind.MECHANISM
            if (same := same_table(node, self.of)) is not None:
                return self.of(same)
            if (whole := present(node, self.of)) is not None:
                return whole.made
            if of is Kind.GAPS and attr not in ASKS:
                return _OF_GAPS.get(attr, Kind.ANY)
            if of in COLUMNS and attr in ASKS:
                return Kind.MASK
            if isinstance(of, Rows):
                return of.made() if attr in CHANGES else Kind.ANY
            if of in ARRAYS:
                made = (of if of is Kind.VECTOR else Kind.ARRAY) if attr in CHANGES else Kind.ANY
                return Kind.NUMBER if attr in METHODS else made
            if of is Kind.TEXTS and attr == "count":
                return Kind.NUMBER
        return Kind.ANY


def _part(kind: Rows | Beside) -> Kind:
    """What a record has in a parameter that holds a part of each."""
    if isinstance(kind, Rows):
        return Kind.VECTOR
    return Kind.TEXT if kind.column.holds is Holds.TEXTS else Kind.NUMBER


_OF_GAPS = {
    **dict.fromkeys(("clip", "abs"), Kind.GAPS),
    **dict.fromkeys(("fillna", "dropna"), Kind.ARRAY),
    **dict.fromkeys(("sum", "mean", "count"), Kind.NUMBER),
}
"""What methods make of a column whose numbers may be missing."""


_ADDED = frozenset({Kind.VECTOR, Kind.LOOSE, Kind.UPRIGHT})
_BESIDE = frozenset({Kind.NUMBER, Kind.ANY})


def _combined(*operands: Of) -> Of:
    if Kind.DRAWS in operands:
        if {*operands} <= {Kind.DRAWS, Kind.NUMBER}:
            return Kind.DRAWS
        operands = tuple(Kind.ANY if each is Kind.DRAWS else each for each in operands)
    kinds = set(operands)
    rows = next((each for each in operands if isinstance(each, Rows)), None)
    if rows is not None:
        others = [each for each in operands if not isinstance(each, Rows)]
        alike = {each.width for each in operands if isinstance(each, Rows)} == {rows.width}
        return rows.made() if alike and {*others} <= _BESIDE | {Kind.UPRIGHT} else Kind.ANY
    if kinds & _ADDED:
        of = kinds - _BESIDE
        if of == {Kind.VECTOR, Kind.LOOSE}:
            return Kind.VECTOR
        return next(iter(of)) if len(of) == 1 else Kind.ANY
    if Kind.GAPS in kinds:
        return Kind.GAPS if not kinds - {Kind.NUMBER, Kind.ANY, Kind.ARRAY, Kind.GAPS} else Kind.ANY
    if not kinds - {Kind.NUMBER, Kind.ANY}:
        return Kind.NUMBER
    return Kind.ARRAY if Kind.ARRAY in kinds and not kinds - {Kind.NUMBER, Kind.ANY, Kind.ARRAY} else Kind.ANY


def joined(*kinds: Of) -> Of:
    """The kind of what is one of these."""
    return kinds[0] if len(set(kinds)) == 1 else Kind.ANY


def limits(kind: Of) -> frozenset[str]:
    """The names of parameters by which it is said how large the numbers of records are."""
    kind = kind.table or Kind.ANY if isinstance(kind, Frame) else kind
    columns = kind.columns if isinstance(kind, Table) else (kind.column,) if isinstance(kind, Alone | Beside) else ()
    said = [limit for each in columns for limit in each.bounds or ()]
    if isinstance(kind, Rows):
        said += [*(kind.bounds or ()), *(() if kind.most is None else (kind.most,))]
    return frozenset(limit for limit in said if isinstance(limit, str))


def kinds_of(body: list[ast.stmt], given: Mapping[str, Of], local: Callable[[str], bool]) -> Kinds:
    """The kinds of the names of a function: of each the one that all its values have, whenever it gets them. ``given``
    are those of the parameters. What a name is first given it is taken to be, until another value tells otherwise:
    whatever agrees with all values that names are given is true of them."""
    found = dict(given)
    nodes = [item for each in body for item in walk(each) if isinstance(item, ast.stmt | ast.NamedExpr)]
    for node in nodes:
        for name, kind in _given_by(node, Kinds(found, local)):
            found.setdefault(name, kind)
    for _ in range(_ROUNDS):
        kinds, before = Kinds({**found, **given}, local), dict(found)
        values: dict[str, list[Of]] = {name: [kind] for name, kind in given.items()}
        for node in nodes:
            for name, kind in _given_by(node, kinds):
                values.setdefault(name, []).append(kind)
        found = {name: joined(*of) for name, of in values.items()}
        if found == before:
            return Kinds(found, local)
        given = {name: kind for name, kind in given.items() if found[name] == kind}
    return Kinds({}, local)


def _given_by(node: ast.AST, kinds: Kinds) -> list[tuple[str, Of]]:
    """The names that a node gives a value, with its kind."""
    match node:
        case ast.Assign(
            targets=[ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=rest)])], value=ast.Call(func=func)
        ) if kinds.called(func) == COUNTING or is_counting(kinds.called(func)):
            return [(name, Kind.ARRAY), (rest, Kind.ANY)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
            values
        ) and all(isinstance(each, ast.Name) for each in targets):
            return [
                (target.id, kinds.of(value))
                for target, value in zip(targets, values, strict=True)
                if isinstance(target, ast.Name)
            ]
        case ast.Assign(targets=targets, value=value):
            found = kinds.of(value)
            return [
                (name, found if isinstance(target, ast.Name) else Kind.ANY)
                for target in targets
                for name in bound_in(target)
            ]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, kinds.of(value))]
        case ast.AugAssign(target=ast.Name(id=name), value=value):
            return [(name, _combined(kinds.of_name(name), kinds.of(value)))]
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))) if (
            kinds.called(node.iter.func) == "range"  # type: ignore[attr-defined]
        ):
            return [(name, Kind.NUMBER)]
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=of)]), iter=ast.Call(func=func)) if (
            kinds.called(func) == "enumerate"
        ):
            return [(name, Kind.NUMBER), (of, Kind.ANY)]
        case ast.For(target=target, iter=over):
            if (parts := kinds.parts(target, over)) is not None:
                return [(name, kind) for name, _, kind in parts]
            return [(name, Kind.ANY) for name in bound_in(target)]
        case ast.NamedExpr(target=ast.Name(id=name)):
            return [(name, Kind.ANY)]
    return []


class Library(Enum):
    """Whose an array is."""

    NUMPY = "np.ndarray", "numpy.ndarray"
    PANDAS = "pd.Series", "pandas.Series", "pd.DataFrame", "pandas.DataFrame"


_ROUNDS = 4
_SAME = frozenset({*CHANGES, "fillna", "dropna", "copy"})
"""Methods that make what is of the same library."""


def library_of(node: ast.expr, kinds: Kinds, named: Mapping[str, Library]) -> Library | None:
    """Whose array an expression is, ``named`` being those with a name; None where the text does not tell."""
    match node:
        case ast.Name(id=name):
            return named.get(name)
        case ast.Attribute() | ast.Call() if kinds.made_of(node) is not None:
            return Library.NUMPY
        case ast.Call() if (operation := kinds.applied(node)) is not None:
            return library_of(operation, kinds, named)
        case ast.Subscript(value=ast.Attribute(value=value, attr="loc")) | ast.Subscript(value=value):
            parts: Iterable[ast.expr] = [value]
        case ast.BinOp(left=left, right=right):
            parts = left, right
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SAME and not kinds.called(node.func):
            parts = [value]
        case ast.Call(func=func, args=args) if (name := kinds.called(func)) in OF_NUMBER and goes_over_arrays(name):
            parts = args
        case _:
            return None
    return _one([library_of(each, kinds, named) for each in parts if kinds.of(each) is not Kind.NUMBER])


def _one(found: Iterable[Library | None]) -> Library | None:
    """The only one; None where there are several, or one is not known."""
    known = set(found)
    return known.pop() if len(known) == 1 else None


def libraries(node: ast.FunctionDef, kinds: Kinds) -> dict[str, Library]:
    """Whose arrays the names of a function are, of each name the one that all its values are of."""
    declared = {each.arg: _declared(each.annotation) for each in (*node.args.args, *node.args.kwonlyargs)}
    named = {name: library for name, library in declared.items() if library is not None}
    nodes = [item for item in walk(node) if isinstance(item, ast.stmt | ast.comprehension | ast.NamedExpr)]
    for _ in range(_ROUNDS if named else 0):
        given: dict[str, list[Library | None]] = {name: [library] for name, library in declared.items()}
        for item in nodes:
            for name, value in _values(item):
                given.setdefault(name, []).append(None if value is None else library_of(value, kinds, named))
        found = {name: library for name, of in given.items() if (library := _one(of)) is not None}
        if found == named:
            return found
        named = found
    return {}


def _declared(said: ast.expr | None) -> Library | None:
    names = {ast.unparse(item) for item in below(said, ast.Attribute)} if said else set()
    return _one([library for library in Library if names & {*library.value}])


def _values(node: ast.stmt | ast.comprehension | ast.NamedExpr) -> list[tuple[str, ast.expr | None]]:
    """The names that a node gives something, and what; None where that is more than one value."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return [(name, value)]
        case ast.Assign(targets=targets):
            return [(name, None) for target in targets for name in bound_in(target)]
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.comprehension(target=target):
            return [(name, None) for name in bound_in(target)]
        case ast.NamedExpr(target=target):
            return [(name, None) for name in bound_in(target)]
    return []
