"""Lists of texts, ``votes: Annotated[list[str], ChangeOne()]``, as lists of whole numbers, another one for each text.

All that is asked of a text is whether it is one that is written out, or the text of another record. Different numbers
stand for different texts (:func:`~dp_lsp.frontends.python.tables.code_of`), so two records are equal as numbers where
they are as texts, and the function does with the numbers what it does with the texts. What else is done with a text, or
with the list as a whole, has no such meaning and is refused: its length, a comparison of parts, a helper that it is
given to.

Source: the Python reference, "Value comparisons" and "Membership test operations".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from dp_lsp.frontends.python.hopeless import hopeless_call
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tables import code_of
from dp_lsp.frontends.python.tree import below, children, copied, walk
from dp_lsp.frontends.python.written_out import Replaced, may_be_replaced

_MOST = 40
"""The most texts for which a comprehension is written out."""


def with_numbers(node: ast.FunctionDef, lists: Collection[str], called: Callable[[ast.expr], str]) -> ast.FunctionDef:
    """The function with numbers in place of texts where the parameters of some names are lists of texts. Raises
    :class:`Refused` if more is done with them than is followed."""
    if not lists:
        return node
    made: ast.FunctionDef = _WrittenOut().visit(copied(node))
    texts = _Texts(made, lists)
    texts.check(called)
    return _Numbers(texts).visit(copied(made))  # type: ignore[no-any-return]


class _WrittenOut(ast.NodeTransformer):
    """A comprehension over texts that are written out is all that it makes."""

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        self.generic_visit(node)
        keys, values = ([*_of_each(node, part)] for part in (node.key, node.value))
        return ast.copy_location(ast.Dict([*keys], values), node) if keys and values else node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        self.generic_visit(node)
        made = [*_of_each(node, node.elt)]
        return ast.copy_location(ast.List(made, ast.Load()), node) if made else node


def _of_each(node: ast.DictComp | ast.ListComp, part: ast.expr) -> Iterator[ast.expr]:
    match node.generators:
        case [
            ast.comprehension(
                target=ast.Name(id=name), iter=ast.List(elts=items) | ast.Tuple(elts=items), ifs=[], is_async=0
            )
        ] if len(items) <= _MOST and all(map(_is_text, items)) and may_be_replaced(part, [name]):
            for text in items:
                yield Replaced({name: text}).visit(copied(part))


class _Texts:
    """The names of lists of texts in a function, and of texts that loops take from them."""

    def __init__(self, node: ast.FunctionDef, lists: Collection[str]) -> None:
        self._node = node
        self._above = {child: each for each in walk(node) for child in children(each)}
        self.lists = set(lists)
        self.items: set[str] = set()
        while True:
            self.items = {target.id for target, _ in self._taken if isinstance(target, ast.Name)}
            kept = {name for name, value in self._given() if self._is_list(value)}
            if kept <= self.lists:
                return
            self.lists |= kept

    @property
    def _taken(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """What is given a text in each round, and of which list."""
        rounds: list[ast.For | ast.comprehension] = [
            *below(self._node, ast.For),
            *below(self._node, ast.comprehension),
        ]
        for each in rounds:
            yield from ((target, over) for target, over in _side_by_side(each) if self._is_list(over))

    def _given(self) -> Iterator[tuple[str, ast.expr]]:
        for each in below(self._node, ast.Assign):
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    yield name, value

    def _is_list(self, node: ast.expr) -> bool:
        """Whether an expression is a list of texts, or some of them."""
        match node:
            case ast.Name(id=name):
                return name in self.lists
            case ast.ListComp(elt=ast.Name(id=name), generators=[ast.comprehension(target=ast.Name(id=each), iter=of)]):
                return name == each and self._is_list(of)
        return False

    def is_item(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self.items

    def check(self, called: Callable[[ast.expr], str]) -> None:
        """Raises :class:`Refused` for what is done with a text, or a list of them, and is not followed."""
        known = self.lists | self.items
        for name in (each for each in below(self._node, ast.Name) if each.id in known):
            if not (self._is_given(name) if isinstance(name.ctx, ast.Store) else self._reads(name)):
                raise Refused(*self._reason(name, called))
        params = below(self._node, ast.arg)
        for param in params:
            shared = sum(other.arg == param.arg for other in params) > 1
            if param.arg in self.items or (param.arg in self.lists and shared):
                raise Refused(param, f"another value for `{param.arg}`, which is a text of a list,")
        for made in below(self._node, ast.ListComp):
            if self._is_list(made) and not self._is_used(made):
                raise Refused(*self._reason(made, called))

    def _is_given(self, node: ast.Name) -> bool:
        """Whether a name is given what it is elsewhere, too."""
        above = self._above[node]
        above = self._above[above] if isinstance(above, ast.Tuple) else above
        match above:
            case ast.For() | ast.comprehension():
                taken = [over for target, over in _side_by_side(above) if target is node]
                return bool(taken) and self._is_list(taken[0]) and node.id not in self.lists
            case ast.Assign(targets=[target], value=value) if target is node:
                return self._is_list(value) and node.id not in self.items
        return False

    def _reads(self, node: ast.Name) -> bool:
        """Whether what is done with a name is followed."""
        around = self._above[node]
        if node.id in self.lists:
            return node.id not in self.items and self._is_used(node)
        match around:
            case ast.Compare() as compared:
                return self.asked(compared) is not None
            case ast.ListComp(elt=elt) if elt is node:
                return self._is_list(around)
        return False

    def _is_used(self, node: ast.expr) -> bool:
        """Whether a list of texts is gone over, counted, or given another name."""
        match self._above[node]:
            case ast.For(iter=over) | ast.comprehension(iter=over):
                return over is node
            case ast.Call(func=ast.Name(id="zip")) as zipped:
                return isinstance(self._above[zipped], ast.For | ast.comprehension)
            case ast.Call(func=ast.Name(id="len"), args=[given], keywords=[]):
                return given is node
            case ast.Call(func=ast.Name(id="set"), args=[given], keywords=[]) as made:
                counted = self._above[made]
                return given is node and isinstance(counted, ast.Call) and ast.unparse(counted.func) == "len"
            case ast.Assign(targets=[ast.Name()], value=value):
                return value is node
            case ast.Attribute() as method:
                around = self._above[method]
                return isinstance(around, ast.Call) and counts(around) is not None and around.func is method
        return False

    def asked(self, node: ast.Compare) -> list[ast.expr] | None:
        """What a text is compared with: texts that are written out, or another record; None for anything else."""
        match node:
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                known = [each for each in (left, right) if self.is_item(each) or _is_text(each)]
                return [right] if len(known) == 2 else None
            case ast.Compare(
                left=left,
                ops=[ast.In() | ast.NotIn()],
                comparators=[ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items)],
            ) if self.is_item(left) and items and all(map(_is_text, items)):
                return items
        return None

    def _reason(self, node: ast.expr, called: Callable[[ast.expr], str]) -> tuple[ast.AST, str]:
        """What is done with a text or a list of texts that is not followed, with what to write."""
        around: ast.AST | None = node
        while isinstance(around, ast.expr | ast.comprehension | ast.keyword):
            if isinstance(around, ast.Call) and (named := hopeless_call(around, called(around.func))) is not None:
                return around, named
            around = self._above.get(around)
        above = self._above[node]
        whole = above if isinstance(above, ast.expr) else node
        return whole, f"`{ast.unparse(whole)}`, {_ELSE}"


def _side_by_side(rounds: ast.For | ast.comprehension) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What each name of a loop is given an entry of, one after the other."""
    match rounds.target, rounds.iter:
        case ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=lists, keywords=[]) if len(targets) == len(
            lists
        ):
            yield from zip(targets, lists, strict=True)
        case target, over:
            yield target, over


_ELSE = (
    'which asks more of a text than whether it is one that is written out (`x == "a"`, `x in ("a", "b")`, '
    '`v.count("a")`),'
)


def counts(node: ast.Call) -> tuple[ast.Name, ast.Constant] | None:
    """The list, and the text that a method counts in it."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name() as of, attr="count"), args=[ast.Constant() as text], keywords=[]
        ) if _is_text(text):
            return of, text
    return None


_LONGEST = 200
"""The longest text that has a number here, in characters: Python writes no number that is much longer."""


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= _LONGEST


class _Numbers(ast.NodeTransformer):
    """A function with numbers in place of the texts that records are compared with."""

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        asked = self._texts.asked(node) if any(map(self._texts.is_item, (node.left, *node.comparators))) else None
        if asked is None:
            self.generic_visit(node)
            return node
        is_not = isinstance(node.ops[0], ast.NotEq | ast.NotIn)
        made = [self._equal(node, each) for each in asked]
        one = made[0] if len(made) == 1 else ast.copy_location(ast.BoolOp(ast.Or(), [*made]), node)
        return ast.copy_location(ast.UnaryOp(ast.Not(), one), node) if is_not else one

    def _equal(self, node: ast.Compare, other: ast.expr) -> ast.expr:
        sides = (_number(copied(each)) for each in (node.left, other))
        left, right = sides
        return ast.copy_location(ast.Compare(left, [ast.Eq()], [right]), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        found = counts(node)
        if found is None or found[0].id not in self._texts.lists:
            return node
        return ast.copy_location(ast.Call(node.func, [_number(found[1])], []), node)


def _number(node: ast.expr) -> ast.expr:
    """The number that stands for a text; a record stands for itself."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ast.copy_location(ast.Constant(int(code_of(node.value))), node)
    return node
