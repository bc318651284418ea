"""Random expressions of a wanted type."""

from __future__ import annotations

import random
from collections.abc import Callable

from .kinds import BOOL, DATA, DATA_VECTOR, INTEGER, MODEL, NORMS, REAL, Helper, Kind


class Expressions:
    """Writes expressions, of choices that ``source`` makes, with the names that are in scope."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._names = 0
        self._helpers: list[Helper] = []
        self._scope: list[tuple[str, Kind]] = []
        self._static: list[str] = []
        self._functions: list[Helper] = []
        self._added: list[tuple[str, Kind]] = []  # parameters that turned out to be needed
        self._factors: list[str] = []  # public real numbers
        self._boxes: dict[int, str] = {}  # black boxes, by the number of their parameters
        self._inside = 0
        self._captured: set[str] = set()
        self._updated: set[str] = set()
        self._width = source.choice((2, 1, 2, 3))

    def _expression(self, kind: Kind, depth: int) -> str:
        known = [name for name, of in (*self._scope, *self._added) if of.fits(kind) and self._may_read(name)]
        if depth <= 0 or (known and self._source.random() < 0.25):
            latest = known[-3:] if self._source.random() < 0.6 else known
            found = self._source.choice(latest) if known else self._smallest(kind)
            return f"deepcopy({found})" if kind.shape in ("Gradient", "Model") else found
        ways: dict[str, Callable[[Kind, int], str]] = {
            "Number": self._number,
            "Bool": self._truth,
            "Vector": self._vector,
            "Matrix": self._matrix,
            "Gradient": self._gradient,
            "Model": self._model,
        }
        return ways[kind.shape](kind, depth - 1)

    def _norm(self) -> str:
        return self._source.choice(NORMS)

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
        named = [*self._static, *(() if whole else self._factors)]
        if named and self._source.random() < 0.4:
            return self._source.choice(named)
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
            ways += [lambda: self._opened(kind, depth)] * 3
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
            lambda: self._opened(kind, depth),
        )
        return self._source.choice(ways)()

    def _vector(self, kind: Kind, depth: int) -> str:
        def e(of: Kind = kind) -> str:
            return self._expression(of, depth)

        norm = self._norm()
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
        if kind.fits(DATA_VECTOR):
            ways += [lambda: self._opened(DATA_VECTOR, depth), lambda: f"clip({norm}, {e(DATA_VECTOR)})"]
        if kind.base == "Real" and kind.norm:
            ways.append(lambda: f"undisc_container(clip({kind.norm}, {e(DATA_VECTOR)}))")
            ways.append(lambda: f"({e()} / {self._source.choice(('2', '-4'))})")
        return self._source.choice(ways)()

    def _matrix(self, kind: Kind, depth: int) -> str:
        def e(of: Kind = kind) -> str:
            return self._expression(of, depth)

        norm = self._norm()
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
            lambda: f"sum({e()}; dims=1)",
            lambda: f"norm_convert({kind.norm or norm}, sum({e(kind._replace(norm=norm))}; dims=2))",
        ]
        if kind.norm == "LInf":
            pair, one = (vector, vector), (vector._replace(norm="L1"),) * 2
            ways += [
                lambda: f"map_rows_binary({self._lambda(pair, vector, depth)}, {e()}, {e()})",
                lambda: f"map_cols_binary({self._lambda(one, one[0], depth)}, {e()}, {e()})",
            ]
            if kind.base == "Data":
                ways.append(lambda: self._opened(kind, depth))
        return self._source.choice(ways)()

    def _gradient(self, kind: Kind, depth: int) -> str:
        def e(of: Kind = kind) -> str:
            return self._expression(of, depth)

        norm = self._norm()
        ways: list[Callable[[], str]] = [
            lambda: f"sum_gradients({e()}, {e()})",
            lambda: f"scale_gradient({self._public(kind.base == 'Integer')}, {e()})",
            lambda: f"norm_convert({kind.norm or norm}, {e(kind._replace(norm=norm))})",
        ]
        data = Kind("Gradient", "Data", "LInf")
        if kind == data:
            ways += [lambda: self._opened(kind, depth), lambda: f"clip({norm}, {e()})"]
        if kind.base == "Data":
            ways.append(lambda: f"scale_gradient({self._expression(DATA, depth)}, {e()})")
        if kind.base == "Real":
            ways.append(lambda: f"zero_gradient({e(MODEL)})")
            if kind.norm:
                ways.append(lambda: f"undisc_container(clip({kind.norm}, {e(data)}))")
        return self._source.choice(ways)()

    def _model(self, kind: Kind, depth: int) -> str:
        gradient = Kind("Gradient", "Real", self._norm())
        return f"subtract_gradient({self._expression(kind, depth)}, {self._expression(gradient, depth)})"

    def _opened(self, kind: Kind, depth: int) -> str:
        """What a black box makes of anything."""
        anything = (
            DATA,
            INTEGER,
            BOOL,
            DATA_VECTOR,
            REAL,
            Kind("Matrix", "Data", "LInf"),
            Kind("Vector", "Integer", "L2"),
        )
        given = [self._expression(self._source.choice(anything), depth) for _ in range(self._source.choice((1, 2)))]
        names = ", ".join(f"p{each}" for each in range(len(given)))
        self._boxes.setdefault(len(given), f"b{len(given)}({names}) :: BlackBox() = p0")
        sizes = {"Vector": f", {self._width}", "Gradient": f", {self._width}", "Matrix": f", (2, {self._width})"}
        return f"unbox(b{len(given)}({', '.join(given)}), {kind.written()}{sizes.get(kind.shape, '')})"

    # What is made of containers and functions

    def _index(self) -> str:
        near = [f"{name}{more}" for name in self._static for more in ("", "", " + 1", " - 1")]
        return self._source.choice(["1", "1", "2", *near])

    def _entry(self, kind: Kind, depth: int) -> str:
        shape = self._source.choice(("Vector", "Matrix"))
        box = self._expression(Kind(shape, kind.base, self._norm()), depth)
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
        return self._expression(Kind(shape, element.base, self._norm()), depth)

    def _fold(self, kind: Kind, depth: int) -> str:
        element = self._source.choice((REAL, INTEGER, DATA))
        step = self._lambda((element, kind), kind, depth)
        return f"fold({step}, {self._expression(kind, depth)}, {self._box(element, depth)})"

    def _count(self, depth: int) -> str:
        element = self._source.choice((REAL, INTEGER, DATA))
        box = self._expression(Kind("Vector", element.base, self._norm()), depth)
        return f"count({self._lambda((element,), BOOL, depth)}, {box})"

    def _map(self, kind: Kind, depth: int) -> str:
        element = self._source.choice((REAL, INTEGER, DATA))
        box = Kind(kind.shape, element.base, kind.norm or self._norm())
        return f"map({self._lambda((element,), kind.element, depth)}, {self._expression(box, depth)})"

    def _lambda(self, params: tuple[Kind, ...], result: Kind, depth: int) -> str:
        fitting = [each.name for each in (*self._helpers, *self._functions) if each[1:] == (params, result, None)]
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
        fitting = [each for each in (*self._helpers, *self._functions) if each.result.fits(kind)]
        if not fitting:
            return self._expression(kind, depth)
        helper = self._source.choice(fitting)
        given = [self._lambda(*helper.given, depth)] if helper.given is not None else []
        given += [self._expression(param, depth) for param in helper.params]
        return f"{helper.name}({', '.join(given)})"

    def _any_kind(self, scalars: bool = False) -> Kind:
        base = self._source.choice(("Real", "Real", "Integer", "Data"))
        shape = self._source.choice(("Number", "Vector", "Number", "Vector", "Matrix", "Matrix", "Number", "Gradient"))
        if shape == "Gradient" and not scalars and self._source.random() < 0.3:
            return MODEL
        if scalars or shape == "Number":
            return BOOL if self._source.random() < 0.1 else Kind("Number", base)
        return Kind(shape, base, self._norm())

    def _fresh(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"
