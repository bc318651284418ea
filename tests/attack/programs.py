"""Random programs that use the rules in combination: closures in loops, maps of what they capture, norms converted back
and forth, negative public numbers, empty containers, dispatch, branches that private values decide.

They are well typed by construction as far as that is easy; what the checker does not prove is no test.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

NORMS = ("L1", "L2", "LInf")


class Kind(NamedTuple):
    """A type: ``shape`` is Number, Bool, Vector or Matrix; ``base`` Integer, Real, Data or Bool. A norm that is empty
    may be any."""

    shape: str
    base: str = "Bool"
    norm: str = ""

    def written(self) -> str:
        if self.shape in ("Number", "Bool"):
            return self.base
        return f"Metric{self.shape}({self.base}, {self.norm})"

    @property
    def element(self) -> Kind:
        return Kind("Bool") if self.base == "Bool" else Kind("Number", self.base)


INTEGER, REAL, DATA = (Kind("Number", base) for base in ("Integer", "Real", "Data"))
BOOL = Kind("Bool")


class Helper(NamedTuple):
    """A function of the program that can be called."""

    name: str
    params: tuple[Kind, ...]
    result: Kind


class Writer:
    """Writes one program, of choices that ``source`` makes."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._names = 0
        self._helpers: list[Helper] = []
        self._scope: list[tuple[str, Kind]] = []
        self._static: list[str] = []
        self._functions: list[Helper] = []
        self._added: list[tuple[str, Kind]] = []  # parameters that turned out to be needed
        self._inside = 0
        self._captured: set[str] = set()
        self._updated: set[str] = set()
        self._width = source.choice((1, 2, 2, 3))

    def program(self) -> str:
        """A few helpers, and ``f``."""
        parts = [self._helper() for _ in range(self._source.choice((0, 0, 1, 2)))]
        return "\n".join([*parts, self._main()]) + "\n"

    # Definitions

    def _helper(self) -> str:
        params = [self._any_kind() for _ in range(self._source.choice((1, 1, 2)))]
        result = self._any_kind(scalars=True)
        typed = self._source.random() < 0.6
        name = self._fresh("g")
        names = [self._fresh("p") for _ in params]
        own = list(zip(names, params, strict=True))
        self._scope, self._static, self._functions, self._added = own, [], [], []
        body = self._expression(result, 2)
        self._scope = [*own, *self._added]
        header = [f"{n}::{kind.written()}" if typed else n for n, kind in self._scope]
        text = f"{name}({', '.join(header)}) = {body}"
        if typed and params[0] == REAL and self._source.random() < 0.4:
            header[0] = f"{names[0]}::Integer"
            text += f"\n{name}({', '.join(header)}) = {self._source.choice(names)}" * (result in params)
        self._helpers.append(Helper(name, tuple(kind for _, kind in self._scope), result))
        return text

    def _main(self) -> str:
        self._scope, self._functions, self._added = [], [], []
        self._static = ["k"] if self._source.random() < 0.4 else []
        params = [self._any_kind() for _ in range(self._source.choice((1, 1, 2, 3)))]
        for kind in params:
            self._scope.append((self._fresh("x"), kind))
        own = list(self._scope)
        lines = [line for _ in range(self._source.choice((0, 1, 1, 2, 3))) for line in self._statement(1)]
        made = [kind for name, kind in self._scope if name in self._updated or name.startswith("y")]
        result = self._source.choice(made) if made and self._source.random() < 0.7 else self._any_kind()
        lines.append("    " + self._result(result))
        header = [f"{name}::{kind.written()}" for name, kind in (*own, *self._added)]
        header += ["k::Static(Integer)"] * len(self._static)
        return "\n".join([f"function f({', '.join(header)})", *lines, "end"])

    def _result(self, kind: Kind) -> str:
        if self._source.random() < 0.1:
            return f"({self._expression(kind, 1)}, {self._expression(self._any_kind(scalars=True), 1)})"
        return self._expression(kind, 3)

    # Statements

    def _statement(self, depth: int) -> list[str]:
        make = self._source.choice((self._assign, self._assign, self._update, self._loop, self._branch, self._closure))
        return [("    " * depth) + line for line in make(depth)]

    def _assign(self, depth: int) -> list[str]:
        kind = self._any_kind()
        value = self._expression(kind, 2)
        name = self._fresh("y")
        self._scope.append((name, kind))
        return [f"{name} = {value}"]

    def _update(self, depth: int) -> list[str]:
        numbers = [(name, kind) for name, kind in self._scope if kind.shape != "Matrix" and name not in self._captured]
        if not numbers:
            return self._assign(depth)
        name, kind = self._source.choice(numbers)
        self._updated.add(name)
        return [f"{name} = {self._expression(kind, 2)}"]

    def _loop(self, depth: int) -> list[str]:
        if depth > 2:
            return self._assign(depth)
        start = self._assign(depth) if not self._scope or self._source.random() < 0.5 else []
        vectors = [name for name, kind in self._scope if kind.shape == "Vector"]
        last = self._source.choice(["2", "3", *self._static, *(f"length({name})" for name in vectors)])
        index = self._fresh("i")
        before = list(self._scope), list(self._functions)
        self._static.append(index)
        lines = [line for _ in range(self._source.choice((1, 1, 2))) for line in self._statement(1)]
        self._static.remove(index)
        self._scope, self._functions = before
        return [*start, f"for {index} in 1:{last}", *lines, "end"]

    def _branch(self, depth: int) -> list[str]:
        if depth > 2:
            return self._assign(depth)
        condition = self._expression(BOOL, 1)
        sides = []
        for _ in range(2):
            before = list(self._scope), list(self._functions)
            sides.append([line for _ in range(self._source.choice((1, 2))) for line in self._statement(1)])
            self._scope, self._functions = before
        otherwise = ["else", *sides[1]] if self._source.random() < 0.7 else []
        return [f"if {condition}", *sides[0], *otherwise, "end"]

    def _closure(self, depth: int) -> list[str]:
        parameter, result = self._source.choice((REAL, INTEGER, DATA)), self._any_kind(scalars=True)
        name = self._fresh("h")
        text = self._lambda((parameter,), result, 1)
        self._functions.append(Helper(name, (parameter,), result))
        return [f"{name} = {text}"]

    # Expressions

    def _expression(self, kind: Kind, depth: int) -> str:
        known = [name for name, of in (*self._scope, *self._added) if _fits(of, kind) and self._may_read(name)]
        if depth <= 0 or (known and self._source.random() < 0.25):
            latest = known[-3:] if self._source.random() < 0.6 else known
            return self._source.choice(latest) if known else self._smallest(kind)
        ways: dict[str, Callable[[Kind, int], str]] = {
            "Number": self._number,
            "Bool": self._truth,
            "Vector": self._vector,
            "Matrix": self._matrix,
        }
        return ways[kind.shape](kind, depth - 1)

    def _may_read(self, name: str) -> bool:
        """A function inside must not read what gets more than one value."""
        if self._inside and name in self._updated:
            return False
        if self._inside:
            self._captured.add(name)
        return True

    def _smallest(self, kind: Kind) -> str:
        if kind.shape == "Bool":
            return self._source.choice(("true", "false"))
        if kind.shape == "Number" and kind.base != "Data":
            return self._literal(kind)
        if kind.shape == "Vector" and kind.base in ("Real", "Integer") and self._source.random() < 0.2:
            entries = ", ".join(self._literal(kind.element) for _ in range(self._width))
            vector = f"[{entries}]"
            return f"norm_convert({kind.norm}, {vector})" if kind.norm else vector
        name = self._fresh("x")
        self._added.append((name, kind if kind.norm else kind._replace(norm="L1")))
        return name

    def _literal(self, kind: Kind) -> str:
        whole = self._source.choice((0, 1, 2, 3, -1, -2, 5))
        if kind.base == "Integer":
            return f"({whole})" if whole < 0 else str(whole)
        value = self._source.choice((f"{whole}.0", "0.5", "-0.25", "1.5"))
        return f"({value})" if value.startswith("-") else value

    def _public(self, whole: bool = True) -> str:
        if self._static and self._source.random() < 0.4:
            return self._source.choice(self._static)
        return self._literal(INTEGER if whole else REAL)

    def _number(self, kind: Kind, depth: int) -> str:
        def e(of: Kind = kind) -> str:
            return self._expression(of, depth)

        real, whole = kind.base == "Real", kind.base == "Integer"
        ways: list[Callable[[], str]] = [
            lambda: f"({e()} + {e()})",
            lambda: f"({e()} - {e()})",
            lambda: f"({self._public(not real)} * {e()})",
            lambda: f"abs({e()})",
            lambda: f"{self._source.choice(('min', 'max'))}({e()}, {e()})",
            lambda: f"(-{e()})",
            lambda: self._entry(kind, depth),
            lambda: self._total(kind, depth),
            lambda: self._fold(kind, depth),
            lambda: self._called(kind, depth),
            lambda: f"({self._expression(BOOL, depth)} ? {e()} : {e()})",
            lambda: f"ifelse({self._expression(BOOL, depth)}, {e()}, {e()})",
            lambda: self._immediately(kind, depth),
        ]
        if kind.base != "Data":
            low, high = sorted(self._source.sample(range(-3, 6), 2))
            ways.append(lambda: f"clamp({e()}, {low}, {high})")
        if whole:
            ways += [
                lambda: f"({e()} % {self._source.choice((2, 3, 5, -4))})",
                lambda: f"mod({e()}, {self._source.choice((2, 3, -4))})",
                lambda: self._count(depth),
                lambda: f"ceil({e()})",
                lambda: f"({e()} * {e()})",
            ]
        if real:
            ways += [
                lambda: f"({e()} / {self._source.choice(('2', '4', '-0.5', '3'))})",
                lambda: self._expression(INTEGER, depth),
                lambda: f"undisc({self._expression(DATA, depth)})",
                lambda: f"({e()} * {e()})",
            ]
        if kind.base == "Data":
            ways.append(lambda: f"disc({self._expression(INTEGER, depth)})")
        return self._source.choice(ways)()

    def _truth(self, kind: Kind, depth: int) -> str:
        side = self._source.choice((INTEGER, REAL, DATA, INTEGER))
        a, b = self._expression(side, depth), self._expression(side, depth)
        if self._source.random() < 0.3:
            a, b = self._public(), self._public()
        comparison = f"({a} {self._source.choice(('==', '!=', '<', '<=', '>', '>='))} {b})"

        def other() -> str:
            return self._expression(BOOL, depth)

        ways = (
            lambda: comparison,
            lambda: comparison,
            lambda: f"(!{other()})",
            lambda: f"({comparison} && {other()})",
            lambda: f"({other()} || {comparison})",
        )
        return self._source.choice(ways)()

    def _vector(self, kind: Kind, depth: int) -> str:
        def e(of: Kind = kind) -> str:
            return self._expression(of, depth)

        norm = self._source.choice(NORMS)
        scaled = self._public(kind.base != "Real")
        ways: list[Callable[[], str]] = [
            lambda: f"({e()} + {e()})",
            lambda: f"({e()} - {e()})",
            lambda: f"({scaled} * {e()})",
            lambda: f"norm_convert({kind.norm or norm}, {e(kind._replace(norm=norm))})",
            lambda: self._map(kind, depth),
            lambda: f"{e(kind._replace(shape='Matrix'))}[{self._index()}, :]",
            lambda: f"row_to_vec(vec_to_row({e()}))",
        ]
        if kind.base != "Bool" and not kind.norm:
            ways.append(lambda: f"[{e(kind.element)}, {e(kind.element)}]")
        if kind.base == "Real" and kind.norm:
            data = Kind("Vector", "Data", "LInf")
            ways.append(lambda: f"undisc_container(clip({kind.norm}, {e(data)}))")
            ways.append(lambda: f"({e()} / {self._source.choice(('2', '-4'))})")
        return self._source.choice(ways)()

    def _matrix(self, kind: Kind, depth: int) -> str:
        def e(of: Kind = kind) -> str:
            return self._expression(of, depth)

        norm = self._source.choice(NORMS)
        vector = kind._replace(shape="Vector")
        other = vector._replace(norm=norm)
        ways: list[Callable[[], str]] = [
            lambda: f"({e()} + {e()})",
            lambda: f"({self._public(kind.base != 'Real')} * {e()})",
            lambda: f"norm_convert({kind.norm or norm}, {e(kind._replace(norm=norm))})",
            lambda: f"map_rows({self._lambda((other,), vector, depth)}, {e(kind._replace(norm=norm))})",
            lambda: f"vec_to_row({e(vector)})",
            lambda: self._map(kind, depth),
            lambda: f"norm_convert({kind.norm or norm}, transpose({e(kind._replace(norm=norm))}))",
            lambda: f"norm_convert({kind.norm or norm}, map_cols({self._lambda((vector,), vector, depth)}, {e()}))",
        ]
        if kind.norm == "LInf":
            pair = (vector, vector)
            ways.append(lambda: f"map_rows_binary({self._lambda(pair, vector, depth)}, {e()}, {e()})")
        return self._source.choice(ways)()

    # What is made of containers and functions

    def _index(self) -> str:
        return self._source.choice(["1", "1", "2", *self._static])

    def _entry(self, kind: Kind, depth: int) -> str:
        shape = self._source.choice(("Vector", "Matrix"))
        box = self._expression(Kind(shape, kind.base, self._source.choice(NORMS)), depth)
        second = f", {self._index()}" if shape == "Matrix" else ""
        return f"{box}[{self._index()}{second}]"

    def _total(self, kind: Kind, depth: int) -> str:
        if self._source.random() < 0.4:
            element = self._source.choice((REAL, INTEGER, DATA))
            box = self._box(element, depth)
            return f"sum({self._lambda((element,), kind, depth)}, {box})"
        return f"sum({self._box(kind, depth)})"

    def _box(self, element: Kind, depth: int) -> str:
        shape = self._source.choice(("Vector", "Vector", "Matrix"))
        return self._expression(Kind(shape, element.base, self._source.choice(NORMS)), depth)

    def _fold(self, kind: Kind, depth: int) -> str:
        element = self._source.choice((REAL, INTEGER, DATA))
        step = self._lambda((element, kind), kind, depth)
        return f"fold({step}, {self._expression(kind, depth)}, {self._box(element, depth)})"

    def _count(self, depth: int) -> str:
        element = self._source.choice((REAL, INTEGER, DATA))
        box = self._expression(Kind("Vector", element.base, self._source.choice(NORMS)), depth)
        return f"count({self._lambda((element,), BOOL, depth)}, {box})"

    def _map(self, kind: Kind, depth: int) -> str:
        element = self._source.choice((REAL, INTEGER, DATA))
        box = Kind(kind.shape, element.base, kind.norm or self._source.choice(NORMS))
        return f"map({self._lambda((element,), kind.element, depth)}, {self._expression(box, depth)})"

    def _lambda(self, params: tuple[Kind, ...], result: Kind, depth: int) -> str:
        fitting = [each.name for each in (*self._helpers, *self._functions) if each[1:] == (params, result)]
        if fitting and self._source.random() < 0.5:
            return self._source.choice(fitting)
        names = [self._fresh("e") for _ in params]
        before = list(self._scope)
        self._scope += zip(names, params, strict=True)
        self._inside += 1
        body = self._expression(result, depth)
        self._inside -= 1
        self._scope = before
        listed = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return f"({listed} -> {body})"

    def _immediately(self, kind: Kind, depth: int) -> str:
        argument = self._source.choice((REAL, INTEGER, DATA))
        return f"{self._lambda((argument,), kind, depth)}({self._expression(argument, depth)})"

    def _called(self, kind: Kind, depth: int) -> str:
        fitting = [each for each in (*self._helpers, *self._functions) if _fits(each.result, kind)]
        if not fitting:
            return self._expression(kind, depth)
        helper = self._source.choice(fitting)
        return f"{helper.name}({', '.join(self._expression(param, depth) for param in helper.params)})"

    def _any_kind(self, scalars: bool = False) -> Kind:
        base = self._source.choice(("Real", "Real", "Integer", "Data"))
        shape = self._source.choice(("Number", "Number", "Vector", "Matrix"))
        if scalars or shape == "Number":
            return BOOL if self._source.random() < 0.1 else Kind("Number", base)
        return Kind(shape, base, self._source.choice(NORMS))

    def _fresh(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"


def _fits(known: Kind, wanted: Kind) -> bool:
    """Whether a value can stand where another kind is wanted."""
    if known.shape != wanted.shape:
        return False
    base = known.base == wanted.base or ((known.base, wanted.base) == ("Integer", "Real") and known.shape == "Number")
    return base and (known.norm == wanted.norm or not wanted.norm)


def program(source: random.Random) -> str:
    """A program whose function ``f`` may be interesting."""
    return Writer(source).program()
