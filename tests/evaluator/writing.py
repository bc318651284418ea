"""Random programs in which much depends on run-time types: methods that dispatch tells apart, numbers of all types,
conversions, closures, branches and loops that join types, mechanisms; and, in some, a planted effect
(:mod:`~evaluator.planting`)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from .habits import Habits
from .ordinary import Ordinary
from .planting import Plant, plant
from .subjects import Subjects

ORDINARY, _OF_ORDINARY = "ordinary", 0.4
_LADDERS = (
    *(("Float64", ""), ("Float64", ""), ("Vector{Float64}", ""), ("Vector{<:Real}", "")),
    *(("Float64", ""), ("Int", ""), ("Bool", ""), ("Integer", ""), ("Real", ""), ("Data", "")),
    *(("Integer", "Real"), ("Int", "Real"), ("Float64", "Real"), ("Bool", "Integer"), ("Bool", "Integer", "Real")),
    *(
        ("Int", "Float64"),
        ("Int", "Float64", ""),
        ("Int", "Integer", "Real"),
        ("Bool", "Real"),
        ("Float64", "Bool", ""),
    ),
    *(("Vector{<:Real}", ""), ("Vector{Int}", ""), ("Vector{Float64}", ""), ("Matrix{<:Real}", ""), ("Vector", "")),
    *(("Vector{Float64}", "Vector{<:Real}"), ("Vector{Int}", "Vector{<:Real}", ""), ("Real", "Vector{<:Real}")),
    *(("Vector{<:Integer}", "Vector{<:Real}"), ("Matrix{<:Real}", "Vector{<:Real}", ""), ("Matrix{Int}", "")),
    *(("Bool",), ("Float64",), ("Int",), ("Vector{<:Real}",), ("Matrix{<:Real}",), ("Integer",), ("Float32", "Real")),
)
_PLAIN = ("2", "0", "3", "1:3", "[1, 2]", "[1, 2]'", "2 ^ 0", "true", "2.0", "length([1, 2])")
_NUMBERS = ("Int", "Float64", "Bool", "Integer", "Real", "")
_GIVEN = (
    *("2", "2.0", "true", "0", "-1", "3", "1.5", "1//2"),
    *("ceil(2.5)", "floor(2.5)", "round(Int, 2.6)", "ceil(Int, 0.5)", "round(2; digits=1)", "trunc(3)"),
    *("2 / 1", "2 ^ 0", "2 ^ -1", "true ^ 0", "true * true", "true + true", "-true", "abs(true)", "+true"),
    *("max(2, 1.5)", "min(1, 2)", "clamp(2, 0, 5.0)", "clamp(true, 0, 1)", "4 % 3", "mod(true, 2)", "sqrt(4)"),
    *("[1, 2]", "[1.0, 2]", "[true, false]", "1:3", "1:2:5", "0.0:1.0", "[1, 2]'", "[true, 2]", "(1, 2)", "nothing"),
    *("sum([true, true])", "length([1, 2])", "sum([0.5, 0.5])", "maximum([1, 2])", "[1, 2] + [1, 1]", "2 * [1, 2]"),
    *("map(q -> q / 1, [1, 2])", "map(q -> 2 * q, [1, 2])", "map(q -> q > 1, [1, 2])", "transpose([1 2; 3 4])"),
    *("[1 2; 3 4]", "size([1 2; 3 4])", "ifelse(true, 1, 2.0)", "(true ? 1 : 2.0)", "!true", "1 == 1", "1 < 2 < 3"),
)
_RESULTS = ("Float64", "Int", "Real", "Integer", "Float64", "Bool")
_BODIES = (
    "y",
    "100 * y",
    "y",
    "0 * y",
    "2 * y",
    "-y",
    "50 * y + 1",
    "y / 4",
    "y - 7",
    "abs(y)",
    "1",
    "0.5",
    "(10 * y)",
)


class Variable(NamedTuple):
    """``kind`` is `real`, `integer`, `truth`, `vector`, `data` or `any`."""

    name: str
    kind: str
    public: bool = False


class Helper(NamedTuple):
    """A function of the program: whether its first argument is one that only chooses the method."""

    name: str
    arguments: tuple[str, ...]


class Writer:
    """Writes one program, of choices that ``source`` makes, and of a ``family``: any, or :data:`ORDINARY`."""

    def __init__(self, source: random.Random, family: str = "") -> None:
        self._source = source
        self._family = family
        self._names = 0
        self._helpers: list[Helper] = []
        self._scope: list[Variable] = []
        self._plant: Plant | None = None
        self._subjects = Subjects(source)
        self._habits = Habits(source)
        self.features: dict[str, frozenset[str]] = {}  # of functions, by name

    @property
    def cause(self) -> str:
        """What the plant of the program is an example of; empty without one."""
        return "" if self._plant is None else self._plant.cause

    def program(self) -> str:
        if self._family == ORDINARY:
            return Ordinary(self._source).program(self._pick((1, 2, 2)))
        if self._chance(0.25):
            made = "\n".join(self._habits.function(f"w{i}") for i in range(self._pick((1, 2, 3)))) + "\n"
            chance = random.Random(f"ordinary {made}")  # the programs of other seeds stay what they were
            return Ordinary(chance).program(2) if chance.random() < _OF_ORDINARY else made
        if self._chance(0.6):
            return "\n".join(self._calculus(self._pick((2, 3, 3)))) + "\n"
        parts = [self._constants()]
        self._plant = plant(self._source) if self._chance(0.4) else None
        if self._plant is not None:
            parts += self._plant.before
            self._helpers += [Helper(name, ("number",)) for name in self._plant.functions]
        makers = (self._methods, self._methods, self._methods, self._converting, self._plain, self._curried)
        parts += [self._pick(makers)() for _ in range(self._pick((1, 2, 2, 3)))]
        parts += [self._main(f"f{number}") for number in range(self._pick((1, 1, 2)))]
        if self._chance(0.6):
            parts.append(self._private("p1"))
        if self._chance(0.15):
            parts.append(self._gradients("p2"))
        parts += self._direct()
        parts += self._calculus(1)
        if self._plant is not None:
            parts += self._plant.after
            for name in self._plant.functions:
                parts += [f"whole(n::Integer) = {name}(n)", f"real(x::Real) = {name}(x)"]
        return "\n".join(part for part in parts if part) + "\n"

    def _calculus(self, count: int) -> list[str]:
        """Functions whose claims are made by rules on sums, linear forms, public numbers, parts and declarations."""
        found = {f"q{i}": self._subjects.subject(f"q{i}") for i in range(count)}
        self.features = {name: each.features for name, each in found.items()}
        return [each.text for each in found.values()]

    # Choices

    def _chance(self, share: float) -> bool:
        return self._source.random() > 1 - share

    def _pick(self, many):  # type: ignore[no-untyped-def]
        return self._source.choice(many)

    def _fresh(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    # Helpers

    def _constants(self) -> str:
        return "" if self._chance(0.5) else f"const K = {self._pick(('3', '2.0', 'true', '[1, 2]', '1:3', '0.5'))}"

    def _methods(self) -> str:
        """Several methods of a name, which a first argument chooses from."""
        name, lines = self._fresh("k"), []
        types = self._pick(_LADDERS)
        types = self._source.sample(types, len(types))
        second = self._pick(("y", "y", "y", "y::Real", "y::Real", "y::Integer"))
        bodies = self._source.sample(_BODIES, len(types))
        for type_, body in zip(types, bodies, strict=True):
            first = f"p::{type_}" if type_ else "p"
            if type_ in ("Int", "Integer", "Bool", "Real") and self._chance(0.1):
                body = f"p * {body}"
            lines.append(self._written(self._generic(f"{name}({first}, {second})", type_), body))
        self._helpers += [Helper(name, ("chooser", "number"))] * 2
        return "\n".join(lines)

    def _generic(self, header: str, type_: str) -> str:
        """A header, now and then with a variable in the place of the first type."""
        if not type_ or type_ == "Data" or ("{" in type_ and "<:" not in type_) or self._chance(0.7):
            return header
        head, _, bound = type_.rstrip("}").rpartition("{<:")
        written = header.replace(f"p::{type_}", f"p::{head}{{T}}" if head else "p::T", 1)
        return f"{written} where {self._pick((f'T <: {bound}', f'{{T <: {bound}}}', f'T<:{bound}'))}"

    def _written(self, header: str, body: str) -> str:
        way = self._pick((0, 0, 0, 1, 2, 3, 4))
        if way == 3:
            return f"{header} = begin\n    made = {body}\n    made\nend"
        if way == 4:
            return f"{self._pick(('', chr(34) + 'Documented.' + chr(34) + chr(10)))}@inline {header} = {body}"
        if way == 1:
            return f"function {header}\n    {body}\nend"
        if way == 2:
            return f"function {header}\n    return {body}\nend"
        return f"{header} = {body}"

    def _converting(self) -> str:
        name, result = self._fresh("t"), self._pick(_RESULTS)
        given = self._pick(("x", "x::Static()", "x::Static(Integer)", "x::Real", "x::Integer"))
        body = self._pick(("x", "x", "2 * x", "x + 1", "x / 1"))
        self._helpers.append(Helper(name, ("public",)))
        return f"{name}({given}) :: {result} = {body}"

    def _plain(self) -> str:
        name = self._fresh("g")
        given = self._pick(("x", "x::Real", "x"))
        body = self._pick(("2 * x", "x + 1", "x - 0.5", "abs(x)", "K * x", "min(x, 3)", "clamp(x, 0, 4)", "x / 2"))
        body = body.replace("K", "3")
        self._helpers.append(Helper(name, ("number",)))
        return self._written(f"{name}({given})", body)

    def _curried(self) -> str:
        name = self._fresh("c")
        self._helpers.append(Helper(name, ("curried", "number")))
        inner = self._pick(("a + b", "2 * a + b", "a - b", "b", "max(a, b)"))
        return f"{name}(a) = b -> {inner}"

    # Functions

    def _parameters(self) -> list[str]:
        kinds = {
            "real": ("Real", "Real", "Real", "Float64", "Data", "Real"),
            "integer": ("Integer", "Integer", "Int"),
            "truth": ("Bool",),
            "any": ("",),
            "vector": (
                "MetricVector(Real, L1)",
                "MetricVector(Integer, L1)",
                "MetricVector(Real, L2)",
                "Vector{<:Real}",
            ),
            "matrix": ("MetricMatrix(Real, L1)", "MetricMatrix(Integer, LInf)", "Matrix{<:Real}"),
            "records": ("MetricVector(Real, Symmetric)", "MetricVector(Bounded(Real, 0, 5), ChangeOne)"),
            "public integer": ("Static(Integer)",),
            "public": ("Static()", "Static(Real)"),
        }
        wanted = [self._pick(("real", "real", "real", "integer", "any", "vector"))]
        wanted += [self._pick(list(kinds)) for _ in range(self._pick((0, 1, 1, 2)))]
        header = []
        for kind in wanted:
            name = self._fresh(kind[0] if not kind.startswith("public") else "s")
            annotation = self._pick(kinds[kind])
            public = kind.startswith("public")
            inner = ("integer" if kind.endswith("integer") else "real") if public else kind
            if annotation == "Data":
                inner = "data"
            self._scope.append(Variable(name, inner, public))
            header.append(f"{name}::{annotation}" if annotation else name)
        return header

    def _main(self, name: str) -> str:
        self._scope = []
        header = ", ".join(self._parameters())
        if self._chance(0.3):
            return f"{name}({header}) = {self._number(3)}"
        lines = []
        for _ in range(self._pick((1, 1, 2, 3))):
            lines += self._statement(1)
        lines += self._planted()
        result = f"({self._number(2)}, {self._number(1)})" if self._chance(0.1) else self._number(2)
        if self._chance(0.06):
            result = f"({self._truth(0)}) {self._pick(('||', '&&'))} return {self._number(1)}"
        lines.append(f"    {'return ' if self._chance(0.2) and ' return ' not in result else ''}{result}")
        annotated = f" :: {self._pick(_RESULTS)}" if self._chance(0.1) else ""
        return "\n".join([f"function {name}({header}){annotated}", *lines, "end"])

    def _private(self, name: str) -> str:
        self._scope = []
        header = [*self._parameters(), "eps::Static()"]
        lines = []
        if self._chance(0.4):
            lines += self._statement(1)
        lines += self._planted()
        hidden = self._number(self._pick((0, 1, 2)))
        for number in range(self._pick((1, 1, 2))):
            made = f"o{number}"
            scale, hidden = self._scale(f"o{number - 1}" if number else "", hidden, lines)
            epsilon = self._pick(("eps", "eps", "eps", "eps / 2", "[0.5, 1][1]", "clamp(eps, 0.1, 1)"))
            lines.append(f"    {made} = laplacian_mechanism({scale}, {epsilon}, {hidden})")
            self._scope.append(Variable(made, "real", True))
            hidden = self._number(1)
        if self._chance(0.2):
            lines += ["    for i in 1:2", f"        o0 = laplacian_mechanism({self._rounds(hidden)})", "    end"]
        lines.append(f"    {self._pick(('o0', 'o0', '2 * o0', 'round(o0)', '(o0, 1)', 'o0 > 0 ? 1 : 2', 'o0 + 1'))}")
        return "\n".join([f"function {name}({', '.join(header)}) :: Priv()", *lines, "end"])

    def _scale(self, released: str, hidden: str, lines: list[str]) -> tuple[str, str]:
        """How much noise there is, and what it hides: often a public number that the program computes, maybe of what
        was ``released``, which may also count in what is hidden."""
        if self._chance(0.5):
            return self._pick(("1", "1", "2", "1.0", "100")), hidden
        name = self._fresh("b")
        given = self._pick((released, released, "eps", "2")) or "2"
        makers = (
            "max(1, {})",
            "clamp({}, 1, 4)",
            "clamp({0} / {0}, 1, 4)",
            "[{}, 2][2]",
            "{} > 1 ? 3 : 1",
            "{}",
            "2 * {}",
        )
        lines.append(f"    {name} = {self._pick(makers).format(given)}")
        self._scope.append(Variable(name, "real", True))
        hiding = ("{1}", "{0} * {1}", "{0} * ({1}) / 2", "clamp({1}, 0, {0})", "clamp({1}, -{0}, {0})", "({1}) / {0}")
        return self._pick((name, name, f"2 * {name}", "2")), self._pick(hiding).format(name, f"({hidden})")

    def _rounds(self, hidden: str) -> str:
        """What noise is made of in the rounds of a loop."""
        return self._pick(("i, eps, i * ({})", "2, eps, i * ({})", "1, eps / i, {}", "[1, 3][i], eps, {}")).format(
            hidden
        )

    def _direct(self) -> list[str]:
        """Functions that do no more than to choose a method."""
        found = []
        for number, name in enumerate(dict.fromkeys(each.name for each in self._helpers if len(each.arguments) == 2)):
            if not name.startswith("k") or self._chance(0.3):
                continue
            self._scope = [Variable("s", "integer", True), Variable("v", "vector"), Variable("n", "integer")]
            call = f"{name}({self._pick(_PLAIN) if self._chance(0.4) else self._chooser()}, y)"
            header = "y::Real, s::Static(Integer), v::MetricVector(Real, L1), n::Integer"
            found.append(f"d{number}({header}) = {call}")
            if self._chance(0.3):
                found.append(f"e{number}({header}, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, {call})")
            if self._chance(0.3):
                found.append(f"b{number}(b::Bool, y::Static()) = b ? {call.replace('v', '[1, 2]')} : 0.0")
        return found

    def _gradients(self, name: str) -> str:
        """A function that changes gradients, which may share arrays, and releases one."""
        norm, known, lines = self._pick(("L1", "L2", "L2")), ["g"], []
        for _ in range(self._pick((1, 2, 2, 3))):
            old, new = self._pick(known), self._fresh("g")
            way = self._pick(("clone", "clone", "scale", "sum", "alias"))
            if way == "scale":
                lines.append(f"scale_gradient!({self._pick(('100', '2', '0.5'))}, {old})")
                continue
            made = {"clone": f"clone({old})", "sum": f"sum_gradients({old}, {self._pick(known)})", "alias": old}[way]
            lines.append(f"{new} = {made}")
            known.append(new)
        released = self._pick((known[-1], self._pick(known)))
        rebound = self._chance(0.25)
        if rebound:
            name, lines = f"{name}!", [*lines, "nothing = x"]
        noise = ("gaussian_mechanism!(1, eps, del, {})", "laplacian_mechanism!(1, eps, {})")
        lines.append(self._pick(noise if norm == "L1" else noise[:1]).format(released))
        lines.append("return nothing" if rebound else self._pick((released, f"clone({released})", "return")))
        header = f"{name}(g::MetricGradient(Real, {norm}), x::Real, eps::Static(), del::Static()) :: Priv()"
        if self._chance(0.3):
            kept = [line for line in lines[:-2] if line != "nothing = x"]
            header, lines = f"{name}(g::MetricGradient(Real, {norm}))", [*kept, f"clone({released})"]
        return "\n".join([f"function {header}", *("    " + line for line in lines), "end"])

    def _planted(self) -> list[str]:
        """The part of a plant that stands in functions: it may use a private number, and spoils a public one."""
        numbers = [each.name for each in self._scope if each.kind in ("real", "integer") and not each.public]
        if self._plant is None or not self._plant.inside or not numbers:
            return []
        private = self._pick(numbers)
        self._scope.append(Variable("z", "real", True))
        return ["    " + line.replace("PRIVATE", private) for line in self._plant.inside]

    # Statements

    def _statement(self, depth: int) -> list[str]:
        makers: tuple[Callable[[int], list[str]], ...] = (
            *(self._assign, self._assign, self._update, self._branch, self._loop, self._closure, self._local_methods),
            *(self._guard, self._pair, self._array, self._unused, self._joined, self._block),
        )
        return [("    " * depth if depth == 1 else "") + line for line in self._pick(makers)(depth)]

    def _assign(self, depth: int) -> list[str]:
        value, name = self._number(2), self._fresh("a")
        self._scope.append(Variable(name, "real"))
        return [f"{name} = {value}"]

    def _mine(self) -> list[str]:
        return [each.name for each in self._scope if each.name[0] == "a" and each.kind == "real"]

    def _update(self, depth: int) -> list[str]:
        if not self._mine():
            return self._assign(depth)
        name = self._pick(self._mine())
        return [self._pick((f"{name} = {self._number(2)}", f"{name} += {self._number(1)}", f"{name} = 2 * {name}"))]

    def _branch(self, depth: int) -> list[str]:
        name, condition = self._fresh("a"), self._truth(1)
        start = self._pick(("0", "1.0", "false", self._number(1)))
        then, otherwise = self._number(1), self._number(1)
        lines = [f"{name} = {start}", f"if {condition}", f"    {name} = {then}"]
        if self._chance(0.6):
            lines += ["else", f"    {name} = {otherwise}"]
        self._scope.append(Variable(name, "real"))
        return [*lines, "end"]

    def _loop(self, depth: int) -> list[str]:
        name, start = self._fresh("a"), self._pick(("0", "0.0", "1", "true", self._number(0)))
        before = list(self._scope)
        self._scope.append(Variable(name, "real"))
        index = self._fresh("i")
        self._scope.append(Variable(index, "integer", True))
        step = self._number(1)
        self._scope = [*before, Variable(name, "real")]
        change = self._pick((f"{name} + {step}", f"{step}", f"{name} / 2", f"max({name}, {step})", f"{name} + 1"))
        last = self._pick(("2", "3", "1", "0"))
        return [f"{name} = {start}", f"for {index} in 1:{last}", f"    {name} = {change}", "end"]

    def _closure(self, depth: int) -> list[str]:
        name, given = self._fresh("h"), self._fresh("w")
        before = list(self._scope)
        self._scope.append(Variable(given, "real"))
        body = self._number(1)
        self._scope = before
        self._helpers.append(Helper(name, ("number", "here")))
        made = [f"{name} = {given} -> {body}", f"{name}({given}) = {body}", f"{name}({given}::Real) = {body}"]
        line = self._pick(made)
        result = self._fresh("a")
        call = f"{result} = {name}({self._number(1)})"
        self._helpers.pop()
        self._scope.append(Variable(result, "real"))
        return [line, call]

    def _local_methods(self, depth: int) -> list[str]:
        name = self._fresh("h")
        types = self._source.sample(_NUMBERS, 2)
        lines = [f"{name}({f'p::{t}' if t else 'p'}) = {self._pick(('p', '100 * p', '2 * p', 'p + 1'))}" for t in types]
        result = self._fresh("a")
        lines.append(f"{result} = {name}({self._pick((self._number(1), self._chooser()))})")
        self._scope.append(Variable(result, "real"))
        return lines

    def _guard(self, depth: int) -> list[str]:
        sign = self._pick(("&&", "||"))
        return [f"({self._truth(1)}) {sign} return {self._number(1)}"]

    def _unused(self, depth: int) -> list[str]:
        """A call in a branch, whose value nobody uses: it only fails, or does not."""
        call, condition = self._called(1), self._truth(0)
        shapes = (
            [f"if {condition}", f"    {call}", "end"],
            [f"{condition} && {call}"],
            [f"{condition} ? {call} : 0.0"],
        )
        return self._pick(shapes)

    def _joined(self, depth: int) -> list[str]:
        """A variable that is of another type after a branch."""
        name, values = self._fresh("a"), self._of("any", "real", "integer") or ["1"]
        other = self._pick(("false", "true", "1", "2.5", self._chooser(), *self._of("integer", public=True)))
        both = [self._pick(values), other]
        one, two = self._source.sample(both, 2)
        self._scope.append(Variable(name, "real"))
        return [f"{name} = {self._truth(0)} ? {one} : {two}"]

    def _pair(self, depth: int) -> list[str]:
        one, other = self._fresh("a"), self._fresh("a")
        line = f"({one}, {other}) = ({self._number(1)}, {self._number(1)})"
        self._scope += [Variable(one, "real"), Variable(other, "real")]
        return [line]

    def _block(self, depth: int) -> list[str]:
        """Statements in a block whose value is used, or whose effects are."""
        inner, name = self._fresh("a"), self._fresh("a")
        first = f"{inner} = {self._number(1)}"
        self._scope.append(Variable(inner, "real"))
        last = self._number(1)
        self._scope.append(Variable(name, "real"))
        other = self._pick(self._mine())
        shapes = (
            [f"{name} = begin", f"    {first}", f"    {last}", "end"],
            [f"{name} = ({first}; {last})"],
            [first, f"{name} = {last}", "begin", f"    {other} = {last}", "end"],
            [first, f"{name} = 0.0", f"{self._truth(0)} && begin", f"    {name} = {last}", "end"],
            [first, f"{name} = {last}", f"{self._truth(0)} || begin", f"    {name} = {inner}", "end"],
            [first, f"@inbounds {name} = {last}" if "[" not in last else f"{name} = {last}"],
            [first, f"{name} = @noinline {last}"],
        )
        return self._pick(shapes)

    def _array(self, depth: int) -> list[str]:
        name, result = self._fresh("b"), self._fresh("a")
        line = f"{name} = [{self._number(1)}, {self._number(1)}]"
        self._scope.append(Variable(result, "real"))
        return [line, f"{result} = {self._pick((f'{name}[1]', f'sum({name})', f'{name}[2] + {name}[1]'))}"]

    # Expressions

    def _of(self, *kinds: str, public: bool = False) -> list[str]:
        return [each.name for each in self._scope if each.kind in kinds and (each.public or not public)]

    def _number(self, depth: int) -> str:
        known = self._of("real", "integer", "any")
        if depth <= 0 or self._chance(0.15):
            return self._pick(known) if known and self._chance(0.8) else self._pick(("0", "1", "2.0", "0.5", "3"))
        ways: list[Callable[[], str]] = [
            lambda: f"{self._number(depth - 1)} + {self._number(depth - 1)}",
            lambda: f"({self._number(depth - 1)} - {self._number(depth - 1)})",
            lambda: f"{self._pick(('2', '0.5', '-1', 'true', '3'))} * {self._number(0)}",
            lambda: f"{self._number(0)} / {self._pick(('2', '4.0', '-1'))}",
            lambda: f"abs({self._number(depth - 1)})",
            lambda: f"{self._pick(('min', 'max'))}({self._number(depth - 1)}, {self._number(depth - 1)})",
            lambda: f"clamp({self._number(depth - 1)}, 0, {self._pick(('5', '2.5'))})",
            lambda: f"({self._truth(0)} ? {self._number(depth - 1)} : {self._number(depth - 1)})",
            lambda: f"ifelse({self._truth(0)}, {self._number(depth - 1)}, {self._number(depth - 1)})",
            lambda: f"({self._truth(0)} ? {self._chooser()} : {self._number(0)})",
            lambda: f"({self._fresh('q')} -> {self._number(0)})({self._number(0)})",
            *[lambda: self._called(depth)] * 5,
            *[lambda: self._of_vector()] * 2,
        ]
        return self._pick(ways)()

    def _of_vector(self) -> str:
        vectors = self._of("vector")
        records, matrices = self._of("records"), self._of("matrix")
        if records and self._chance(0.5):
            v = self._pick(records)
            statistics = (f"sum(clamp({v}, 0, 5))", f"length({v})", f"count(q -> q > 1, {v})", f"sum(map(q -> 1, {v}))")
            return self._pick((*statistics, f"sum(map(q -> clamp({self._chosen('q')}, 0, 9), {v}))", f"mean({v})"))
        if matrices and self._chance(0.5):
            m = self._pick(matrices)
            ways = (f"sum({m})", f"{m}[1, 1]", f"sum({m}[1, :])", f"sum({m}')", f"size({m})[1]", f"(2 * {m})[1, 2]")
            return self._pick((*ways, f"sum(map(q -> {self._chosen('q')}, {m}))"))
        if not vectors:
            return self._pick(("sum([1, 2])", "length([1.0, 2.0])", "[1, 2.5][1]", "sum(map(q -> q / 2, [1, 2]))"))
        v = self._pick(vectors)
        ways = (f"sum({v})", f"{v}[1]", f"length({v})", f"sum(map(q -> 2 * q, {v}))", f"sum(2 * {v})", f"maximum({v})")
        ways += (f"sum(map(q -> {self._chosen('q')}, {v}))", f"map(q -> {self._chosen('q')}, {v})[1]")
        more = (f"fold((e, a) -> e + a, 0, {v})", f"sum({v} + {v})", f"count(q -> q > 1, {v})")
        return self._pick((*ways, *more))

    def _chosen(self, name: str) -> str:
        """What a helper makes of an entry, whose type chooses the method."""
        choosing = [each.name for each in self._helpers if each.arguments == ("chooser", "number")]
        plain = [each.name for each in self._helpers if each.arguments == ("number",)]
        if choosing and self._chance(0.5):
            helper = self._pick(choosing)
            return self._pick((f"{helper}({name}, {name})", f"{helper}({name}, 1)", f"{helper}(1, {name})"))
        return f"{self._pick(plain)}({name})" if plain else f"2 * {name}"

    def _called(self, depth: int) -> str:
        if not self._helpers:
            return self._number(depth - 1)
        helper = self._pick(self._helpers)
        match helper.arguments:
            case ("chooser", "number"):
                return f"{helper.name}({self._chooser()}, {self._number(depth - 1)})"
            case ("public",):
                public = [*self._of("real", "integer", public=True), "3", "2.0", "true", "0"]
                return f"{helper.name}({self._pick(public)})"
            case ("curried", "number"):
                return f"{helper.name}({self._number(0)})({self._number(depth - 1)})"
        return f"{helper.name}({self._number(depth - 1)})"

    def _chooser(self) -> str:
        """What chooses a method."""
        publics, numbers, vectors = (
            self._of("integer", "real", public=True),
            self._of("integer", "truth"),
            self._of("vector"),
        )
        ways = [*_GIVEN[: 8 + int(self._source.random() * (len(_GIVEN) - 8))]]
        mine: list[str] = []
        for name in publics:
            mine += [name, f"{name} ^ 0", f"{name} ^ 2", f"{name} * 1", f"{name} / 1", f"-{name}", f"abs({name})"]
            mine += [f"max({name}, 1)", f"{name} + 0.0", f"{name} % 2", f"[{name}]", f"{name}:3", f"ceil({name})"]
        for name in numbers:
            mine += [name, f"{name} ^ 0", f"{name} + 0", f"{name} * {name}"]
        for name in vectors:
            mine += [name, f"{name}'", f"transpose({name})", f"2 * {name}", f"{name} + {name}", f"length({name})"]
        converters = [each.name for each in self._helpers if each.arguments == ("public",)]
        mine += [f"{name}({given})" for name in converters for given in ("3", "1", "0", "2.0", "true", *publics[:1])]
        reals = [each for each in self._of("real", "any") if self._chance(0.3)]
        return self._pick([*mine, *reals]) if (mine or reals) and self._chance(0.6) else self._pick(ways)

    def _truth(self, depth: int) -> str:
        truths, publics, whole = self._of("truth"), self._of("integer", "real", public=True), self._of("integer")
        ways = ["true", "false"]
        for name in publics:
            ways += [f"{name} > 1", f"{name} == 2", f"{name} >= 0"] * 2
        ways += [*truths * 4, *(f"{name} > 2" for name in whole), *(f"!{name}" for name in truths)]
        if depth and self._chance(0.3):
            return f"{self._truth(0)} {self._pick(('&&', '||'))} {self._truth(0)}"
        return self._pick(ways)
