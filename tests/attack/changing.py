"""Programs of the specification, changed at random: each has what people write, and what somebody thought of once.

What is claimed of a program is written beside it on its page; what must be claimed of it after a change nobody wrote
down. A change replaces a number, a name, an operator or a function by another one, moves, repeats or leaves out a
statement, or adds one that prints, changes or aliases what is there.
"""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from source_tree import ROOT
from spec_runner import blocks

# what a run cannot follow, or what writes files
_UNMODELLED = (
    "opendp",
    "diffprivlib",
    "opacus",
    "scipy",
    "polars",
    "torch",
    "open(",
    "to_csv",
    "savefig",
    "write_text",
    ".save",
    "# file:",
)
_PROVED = re.compile(r"^# (\w+): (?:\w+ (?:ε )?(?!oo)\S+)", re.MULTILINE)
_NUMBERS = ("0", "1", "2", "-1", "0.5", "10", "100", "1e-3", "True")
_ALIKE = (
    ("sum", "mean", "max", "min", "std", "var", "prod", "median", "cumsum", "size", "any", "all"),
    ("len", "sum", "max", "min", "sorted", "set", "list", "reversed", "tuple", "abs", "float", "int", "round", "bool"),
    ("clip", "minimum", "maximum", "fmin", "add", "multiply", "round", "where"),
    ("floor", "ceil", "rint", "trunc", "abs", "sign", "sqrt", "exp", "square", "isnan", "nan_to_num"),
    ("laplace", "normal", "gauss"),
    ("append", "extend", "insert", "remove", "pop", "sort", "clear"),
    ("head", "tail", "dropna", "fillna", "cumsum", "diff", "shift", "unique", "copy"),
    ("AddRemove", "ChangeOne"),
    ("zeros", "ones", "empty", "arange", "array", "asarray"),
)
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_AROUND = (
    "abs(X)", "round(X)", "int(X)", "float(X)", "-X", "X * 2", "X + X", "X[0]", "X[1:]", "X[:2]", "X[-1]", "X[::-1]",
    "len(X)", "list(X)", "np.array(X)", "np.sort(X)", "sorted(X)", "set(X)", "(X if X > 0 else 0)", "max(X, 0)",
    "np.clip(X, 0, 1)", "(w := X)", "(lambda z: z)(X)", "[X][0]", "X.copy()", "X ** 2", "X // 2", "X % 3", "X.T",
    "np.sum(X)", "np.where(X > 1, X, 0)", "(X or 1)", "(X and 1)", "(X, X)[0]", "X.sum()", "X.mean()", "1 / X",
    "X.tolist()", "np.cumsum(X)", "np.diff(X)", "X.max()", "[z for z in X]", "sum(z for z in X)", "(X == X)", "not X",
    "np.asarray(X)", "X.astype(int)", "X.reshape(-1)", "np.unique(X)", "dict(a=X)['a']", "next(iter(X))", "X.flatten()",
)  # fmt: skip
_BEFORE = (
    "print(X)", "X = Y", "X = X + Y", "X += 1", "X *= 2", "X[0] = 5", "X[0] = Y", "X[:] = 0", "X.sort()", "X.append(1)",
    "X.append(Y)", "X = list(X)", "X = X[1:]", "X = sorted(X)", "if X > 2:\n    X = 0", "assert X > 0", "del X",
    "if len(X) > 2:\n    return 0", "for z in X:\n    Y = z", "for X in Y:\n    pass", "while X > 10:\n    X = X - 1",
    "global G\nG = X", "X, Y = Y, X", "X = Y = 3", "return X", "X = [z for z in Y]", "X = np.clip(X, 0, 10)",
    "X = X.copy()", "X.clip(0, 5, out=X)", "def X():\n    return Y", "X = lambda: Y", "import math as X",
    "try:\n    X[9]\nexcept Exception:\n    Y = 0", "X = Y if Y > 0 else X", "np.random.seed(1)", "X = np.sort(X)",
    "X -= Y", "X /= 2", "X = round(X)", "X = -X", "sum = max", "len = abs", "X = max(X, Y)", "X = min(X, 5)",
    "X.fill(0)", "X = X * 0", "if X != X:\n    raise ValueError(Y)", "X = X or Y", "X = dict(a=X)['a']", "X.pop()",
    "X = X.astype(int)", "X = np.append(X, Y)", "X = np.unique(X)", "np.random.shuffle(X)", "X = X[X > 1]",
)  # fmt: skip
_DEFAULTS = ("[]", "0", "np.random.laplace()", "None", "1.0", "3")


@cache
def _programs() -> tuple[str, ...]:
    pages = sorted(ROOT.glob("fixtures/spec/**/*.md"))
    texts = [each.text for page in pages for each in blocks(page.read_text("utf-8")) if each.language == "python"]
    return tuple(text for text in texts if not any(each in text for each in _UNMODELLED) and _is_proved(text))


def _is_proved(text: str) -> bool:
    """Whether something is proved of a function, as the page says. One that is defined twice is not run as it was."""
    if _PROVED.search(text) is None or not _parses(text):
        return False
    names = [each.name for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    return len(names) == len({*names}) and not {*_PROVED.findall(text)}.isdisjoint(names)


def _parses(text: str) -> bool:
    try:
        return any(isinstance(each, ast.FunctionDef) for each in ast.parse(text).body)
    except (SyntaxError, ValueError):
        return False


class ChangedWriter:
    """Takes a program of the specification and changes it one to three times."""

    def __init__(self, source: random.Random) -> None:
        self.source = source

    def program(self) -> str:
        text = self.source.choice(_programs())
        tree = ast.parse(text)
        proved = {*_PROVED.findall(text)}
        for _ in range(self.source.choice((1, 1, 2, 3))):
            self._change(tree, proved)
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        return text if _parses(text) else self.program()

    def _change(self, tree: ast.Module, proved: set[str]) -> None:
        """One change of a function of which something is proved, or of one that it may call."""
        changes: tuple[Callable[[ast.FunctionDef], None], ...] = (
            self._number, self._name, self._operator, self._function, self._wrapped, self._wrapped, self._statement,
            self._statement, self._before, self._before, self._default, self._argument, self._word,
        )  # fmt: skip
        functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        others = [each for each in functions if each.name not in proved]
        meant = [each for each in functions if each.name in proved]
        self.source.choice(changes)(self.source.choice(others if others and self.source.random() < 0.2 else meant))

    def _one(self, of: Sequence[ast.AST]) -> ast.AST | None:
        return self.source.choice(of) if of else None

    def _number(self, function: ast.FunctionDef) -> None:
        """Another number, as it is written or another one of the function."""
        numbers = [each for each in ast.walk(function) if isinstance(each, ast.Constant) and _is_number(each)]
        found = self._one(numbers)
        if isinstance(found, ast.Constant):
            others = [each.value for each in numbers] + [ast.literal_eval(each) for each in _NUMBERS]
            found.value = self.source.choice(others)

    def _name(self, function: ast.FunctionDef) -> None:
        """Another name of the function."""
        read = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
        body = [each for part in function.body for each in ast.walk(part) if isinstance(each, ast.Name)]
        found = self._one(body)
        if isinstance(found, ast.Name):
            names = [each.id for each in read if not each.id[0].isupper()] + [each.arg for each in function.args.args]
            found.id = self.source.choice(names or [found.id])

    def _operator(self, function: ast.FunctionDef) -> None:
        found = self._one(
            [each for each in ast.walk(function) if isinstance(each, ast.BinOp | ast.AugAssign | ast.Compare)]
        )
        if isinstance(found, ast.BinOp | ast.AugAssign):
            found.op = self.source.choice(_OPERATORS)()
        elif isinstance(found, ast.Compare):
            found.ops = [self.source.choice(_COMPARISONS)() for _ in found.ops]

    def _function(self, function: ast.FunctionDef) -> None:
        """A function or a method of the same kind in place of another one."""
        called = [each for each in ast.walk(function) if isinstance(each, ast.Name | ast.Attribute)]
        known = [each for each in called if any(_called(each) in kind for kind in _ALIKE)]
        match self._one(known):
            case ast.Name() as name:
                name.id = self._other(name.id)
            case ast.Attribute() as attribute:
                attribute.attr = self._other(attribute.attr)

    def _other(self, name: str) -> str:
        return self.source.choice(self.source.choice([kind for kind in _ALIKE if name in kind]))

    def _wrapped(self, function: ast.FunctionDef) -> None:
        """Something around an expression of the body."""
        holders = [
            (node, field, place)
            for part in function.body
            for node in ast.walk(part)
            if not isinstance(node, ast.AnnAssign | ast.JoinedStr)
            for field, place, each in _expressions(node)
            if not isinstance(getattr(each, "ctx", None), ast.Store | ast.Del)
        ]
        if not holders:
            return
        node, field, place = self.source.choice(holders)
        held = getattr(node, field)
        inner = held if place is None else held[place]
        made = _Filled({"X": inner}).visit(ast.parse(self.source.choice(_AROUND), mode="eval").body)
        if place is None:
            setattr(node, field, made)
        else:
            held[place] = made

    def _statement(self, function: ast.FunctionDef) -> None:
        """A statement less, one twice, in another place, or under a condition or in a loop of its own."""
        bodies = [each for each in _bodies(function) if each]
        body = self.source.choice(bodies)
        place = self.source.randrange(len(body))
        taken = body[place]
        match self.source.randrange(6):
            case 0 if len(body) > 1:
                del body[place]
            case 1:
                body.insert(place, copy.deepcopy(taken))
            case 2 if len(body) > 1:
                del body[place]
                body.insert(self.source.randrange(len(body) + 1), taken)
            case 3:
                body[place] = ast.For(ast.Name("_", ast.Store()), ast.parse("range(2)", mode="eval").body, [taken], [])
            case 4:
                self.source.choice(bodies).insert(0, copy.deepcopy(taken))
            case _:
                name = ast.Name(self._known(function), ast.Load())
                test = ast.Compare(name, [self.source.choice(_COMPARISONS)()], [ast.Constant(2)])
                body[place] = ast.If(test, [taken], [])

    def _known(self, function: ast.FunctionDef) -> str:
        arguments = [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]
        stored = [
            each.id for each in ast.walk(function) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        ]
        return self.source.choice([*arguments, *stored, "z"])

    def _before(self, function: ast.FunctionDef) -> None:
        """One more statement."""
        text = self.source.choice(_BEFORE)
        given = {name: ast.Name(self._known(function), ast.Load()) for name in "XY"}
        body = self.source.choice(list(_bodies(function)))
        place = self.source.randrange(len(body) + 1)
        made = [_Filled(given).visit(each) for each in ast.parse(text).body]
        for each in made:
            if isinstance(each, ast.FunctionDef) and each.name == "X":
                each.name = given["X"].id
        body[place:place] = made

    def _default(self, function: ast.FunctionDef) -> None:
        """One more parameter that has a default."""
        name = self.source.choice(("extra", "np", "sum", self._known(function)))
        if name not in {each.arg for each in function.args.args}:
            function.args.args.append(ast.arg(name))
            function.args.defaults.append(ast.parse(self.source.choice(_DEFAULTS), mode="eval").body)

    def _argument(self, function: ast.FunctionDef) -> None:
        """Arguments of a call in another order, or one less."""
        found = self._one([each for each in ast.walk(function) if isinstance(each, ast.Call) and each.args])
        if isinstance(found, ast.Call):
            if self.source.random() < 0.5:
                self.source.shuffle(found.args)
            elif found.keywords and self.source.random() < 0.5:
                found.keywords.pop()
            else:
                found.args.pop()

    def _word(self, function: ast.FunctionDef) -> None:
        """An annotation that says less."""
        said = [
            each.annotation.slice
            for each in function.args.args
            if isinstance(each.annotation, ast.Subscript) and isinstance(each.annotation.slice, ast.Tuple)
        ]
        found = self._one([each for each in said if len(each.elts) > 2])
        if isinstance(found, ast.Tuple):
            del found.elts[self.source.randrange(1, len(found.elts))]


def _is_number(node: ast.Constant) -> bool:
    return isinstance(node.value, int | float)


def _called(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _bodies(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list) and (body or field == "body"):
                yield body


def _expressions(node: ast.AST) -> Iterator[tuple[str, int | None, ast.expr]]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr) and field not in ("annotation", "returns", "func", "target"):
            yield field, None, value
        elif isinstance(value, list) and field not in ("targets", "generators", "decorator_list"):
            yield from ((field, place, each) for place, each in enumerate(value) if isinstance(each, ast.expr))


class _Filled(ast.NodeTransformer):
    """Puts expressions in place of the names ``X`` and ``Y``."""

    def __init__(self, given: dict[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self._given:
            return node
        made = copy.deepcopy(self._given[node.id])
        if isinstance(made, ast.Name):
            made.ctx = node.ctx
        return made
