"""Random programs that use the rules in combination: closures in loops, maps of what they capture, norms converted back
and forth, negative public numbers, empty containers, dispatch, black boxes, gradients, branches that private values
decide.

They are well typed by construction as far as that is easy; what the checker does not prove is no test.
"""

from __future__ import annotations

from .choices import Choices
from .expressions import Expressions
from .kinds import BOOL, DATA, INTEGER, REAL, Helper, Kind

_SHORTENED = ("+", "-")


class Writer(Expressions):
    """Writes one program, of choices that ``source`` makes."""

    def program(self) -> str:
        """A few helpers, ``f``, and the black boxes they use."""
        makers = (self._helper, self._helper, self._higher)
        parts = [self._source.choice(makers)() for _ in range(self._source.choice((0, 0, 1, 2)))]
        parts.append(self._main())
        return "\n".join([*parts, *self._boxes.values()]) + "\n"

    # Definitions

    def _helper(self) -> str:
        params = [self._any_kind() for _ in range(self._source.choice((1, 1, 2)))]
        result = self._any_kind(scalars=True)
        typed = self._source.random() < 0.6
        name = self._fresh("g")
        names = [self._fresh("p") for _ in params]
        own = list(zip(names, params, strict=True))
        self._enter(own)
        body = self._expression(result, 2)
        self._scope = [*own, *self._added]
        header = [f"{n}::{kind.written()}" if typed else n for n, kind in self._scope]
        text = f"{name}({', '.join(header)}) = {body}"
        if typed and params[0] == REAL and self._source.random() < 0.4:
            header[0] = f"{names[0]}::Integer"
            text += f"\n{name}({', '.join(header)}) = {self._source.choice(names)}" * (result in params)
        self._helpers.append(Helper(name, tuple(kind for _, kind in self._scope), result))
        return text

    def _higher(self) -> str:
        """A helper that is given a function, and calls it a few times."""
        number = self._source.choice((REAL, INTEGER, DATA))
        name, given, own = self._fresh("g"), self._fresh("h"), [(self._fresh("p"), number)]
        self._enter(own)
        self._functions.append(Helper(given, (number,), number))
        body = self._source.choice((f"{given}({self._expression(number, 1)})", self._expression(number, 2)))
        params = tuple(kind for _, kind in (*own, *self._added))
        header = [given, *(f"{n}::{kind.written()}" for n, kind in (*own, *self._added))]
        self._helpers.append(Helper(name, params, number, ((number,), number)))
        return f"{name}({', '.join(header)}) = {body}"

    def _enter(self, own: list[tuple[str, Kind]]) -> None:
        self._scope, self._static, self._functions, self._added = list(own), [], [], []

    def _main(self) -> str:
        self._enter([])
        self._static = ["k"] if self._source.random() > 0.6 else []
        self._factors = ["c"] if self._source.random() > 0.8 else []
        params = [self._any_kind() for _ in range(self._source.choice((1, 1, 2, 3)))]
        own = [(self._fresh("x"), kind) for kind in params]
        self._scope += own
        lines = [line for _ in range(self._source.choice((0, 1, 1, 2, 3))) for line in self._statement(1)]
        made = [kind for name, kind in self._scope if name in self._updated or name.startswith("y")]
        result = self._source.choice(made) if made and self._source.random() < 0.7 else self._any_kind()
        if self._source.random() > 0.8:
            lines += self._guard(result)
        lines.append("    " + self._result(result))
        return "\n".join([f"function f({', '.join(self._header(own))})", *lines, "end"])

    def _header(self, own: list[tuple[str, Kind]]) -> list[str]:
        header = [f"{name}::{kind.written()}" for name, kind in (*own, *self._added)]
        header += ["k::Static(Integer)"] * len(self._static)
        return header + ["c::Static(Real)"] * len(self._factors)

    def _result(self, kind: Kind) -> str:
        if self._source.random() > 0.9:
            return f"({self._expression(kind, 1)}, {self._expression(self._any_kind(scalars=True), 1)})"
        return self._expression(kind, 3)

    def _guard(self, kind: Kind) -> list[str]:
        """A way to leave before the end, with something of the same kind."""
        condition, value = self._expression(BOOL, 1), self._expression(kind, 2)
        sign = self._source.choice(("&&", "||"))
        return [f"    ({condition}) {sign} return {value}"]

    # Statements

    def _statement(self, depth: int) -> list[str]:
        makers = (
            *(self._assign, self._assign, self._update, self._update, self._loop, self._loop, self._branch),
            *(self._closure, self._method, self._together, self._shortened, self._changed),
        )
        return [("    " * depth) + line for line in self._source.choice(makers)(depth)]

    def _assign(self, depth: int) -> list[str]:
        kind = self._any_kind()
        value = self._expression(kind, 2)
        name = self._fresh("y")
        self._scope.append((name, kind))
        return [f"{name} = {value}"]

    def _changing(self) -> list[tuple[str, Kind]]:
        """The names that may be assigned again."""
        fixed = ("Matrix", "Gradient", "Model")
        return [(name, kind) for name, kind in self._scope if kind.shape not in fixed and name not in self._captured]

    def _update(self, depth: int) -> list[str]:
        numbers = self._changing()
        if not numbers:
            return self._assign(depth)
        name, kind = self._source.choice(numbers)
        self._updated.add(name)
        return [f"{name} = {self._expression(kind, 2)}"]

    def _shortened(self, depth: int) -> list[str]:
        numbers = [(name, kind) for name, kind in self._changing() if kind.shape == "Number"]
        if not numbers:
            return self._assign(depth)
        name, kind = self._source.choice(numbers)
        self._updated.add(name)
        return [f"{name} {self._source.choice(_SHORTENED)}= {self._expression(kind, 2)}"]

    def _together(self, depth: int) -> list[str]:
        """Two names at once, of each other or of anything."""
        numbers = self._changing()
        if len(numbers) < 2 or self._source.random() < 0.3:
            kinds = [self._any_kind(), self._any_kind()]
            values = [self._expression(kind, 1) for kind in kinds]
            names = [self._fresh("y") for _ in kinds]
            self._scope += zip(names, kinds, strict=True)
        else:
            pairs = self._source.sample(numbers, 2)
            names = [name for name, _ in pairs]
            values = [self._expression(kind, 1) for _, kind in pairs]
            self._updated |= set(names)
        return [f"({', '.join(names)}) = ({', '.join(values)})"]

    def _changed(self, depth: int) -> list[str]:
        """A gradient of its own that is changed in place."""
        kind = Kind("Gradient", self._source.choice(("Real", "Data")), self._norm())
        name, value = self._fresh("y"), self._expression(kind, 1)
        ways = [f"scale_gradient!({self._public(False)}, {name})", f"norm_convert!({kind.norm}, {name})"]
        self._scope.append((name, kind))
        return [f"{name} = deepcopy({value})", self._source.choice(ways)]

    def _loop(self, depth: int) -> list[str]:
        if depth > 2:
            return self._assign(depth)
        start = self._assign(depth) if not self._scope or self._source.random() < 0.5 else []
        vectors = [name for name, kind in self._scope if kind.shape == "Vector"]
        last = self._source.choice(["2", "3", *self._static, *(f"length({name})" for name in vectors)])
        counted = f"clamp({self._expression(INTEGER, 1)}, 0, 3)"
        ranges = (f"1:{last}", f"1:{last}", f"1:{last}", f"2:{last}", f"{last}:-1:1", "1:2:4", f"1:{counted}")
        index, over = self._fresh("i"), self._source.choice(ranges)
        before = list(self._scope), list(self._functions)
        self._static.append(index)
        lines = [line for _ in range(self._source.choice((1, 1, 2))) for line in self._statement(1)]
        self._static.remove(index)
        self._scope, self._functions = before
        return [*start, f"for {index} in {over}", *lines, "end"]

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

    def _method(self, depth: int) -> list[str]:
        """A function inside, with a method for each kind of number."""
        name, parameter = self._fresh("h"), self._fresh("e")
        lines = []
        for kind in (INTEGER, REAL)[: self._source.choice((2, 1))]:
            before = list(self._scope)
            self._scope.append((parameter, kind))
            self._inside += 1
            lines.append(f"{name}({parameter}::{kind.base}) = {self._expression(REAL, 1)}")
            self._inside -= 1
            self._scope = before
        self._functions.append(Helper(name, (INTEGER if len(lines) == 1 else REAL,), REAL))
        return lines


def program(seed: int) -> str:
    """A program whose function ``f`` may be interesting."""
    return Writer(Choices(seed)).program()
