"""Random Python programs: functions of protected numbers, lists and arrays, some of them private. They are written as
people write them, and with what is easily misread: names that are hidden, given again or shared, lists that change,
defaults that are made once, functions that see the last value, draws that are used again.

A writer keeps names by what they hold: `num` and `bool` of protected values, `pub` of public ones, `list`, `arr`, `vec`
(an array of public length), `draw`, and `out`, which is noisy and may be used in any way.
"""

from __future__ import annotations

import random
from collections.abc import Callable

HEAD = """\
import math
import random
from typing import Annotated

import numpy as np
from dp_types import AddRemove, AtLeast, Bounded, ChangeOne, Private, Size, Static, Within

"""
NUMBERS = ("1", "2", "0.5", "3", "-1", "10", "0", "-2.5", "0.25", "4")
POSITIVE = ("1", "2", "0.5", "3", "10", "4")
WHOLE = ("1", "2", "3", "4")
LIMITS = (("0", "10"), ("-5", "5"), ("0", "1"), ("1", "3"), ("-2.5", "0.5"))
TRAPS = 0.12
SLIPS = 0.1
"""How many programs are one of those that are read wrongly where one thing is forgotten."""


class Writer:
    """Writes one program."""

    head = HEAD
    tricks: tuple[tuple[str, str, str], ...]

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.lines: list[str] = []
        self.names: dict[str, list[str]] = {}
        self.helpers: list[tuple[str, str]] = []
        self.count = 0
        self.indent = "    "
        self.known: list[str] = []
        self.trap = 0.0
        self.private = False
        self.drawing = False

    # The program

    def program(self) -> str:
        if self.chance(SLIPS):
            return self.head + self.slip()
        self.trap = self.pick((0.0, TRAPS, TRAPS, 3 * TRAPS))
        self.lines = [self.head]
        if self.chance(0.4):
            self.constants()
        for _ in range(self.source.randrange(3)):
            self.helper()
        if self.chance(self.trap):
            self.lines.append(self.pick(MODULE))
        for place in range(self.pick((1, 2, 2, 3))):
            self.function(place)
        if self.chance(self.trap / 2):
            self.lines.append(self.pick(MODULE))
        if self.known and self.chance(self.trap):
            self.lines.append(f"{self.pick(self.known)} {self.pick(('=', '*=', '+='))} {self.pick(NUMBERS)}\n")
        return "\n".join(self.lines) + "\n"

    def slip(self) -> str:
        """A program that means something else where one thing is forgotten."""
        text: str = self.pick(FORGOTTEN)
        words = {"RELATION": ("AddRemove()", "ChangeOne()"), "FACTOR": ("3", "9", "20"), "LIMIT": ("1", "2", "4")}
        for word, among in words.items():
            text = text.replace(word, self.pick(among))
        return text

    def constants(self) -> None:
        """Numbers to which the module gives names, for its functions to read."""
        for name in ("LOW", "HIGH", "W")[: self.source.randrange(1, 4)]:
            forms = [*POSITIVE, "2 * 5", "1 / 4", "10 - 2.5", "2**3", "3e0", "-(1 - 3)"]
            forms += [f"{each} + 1" for each in self.known] + [f"2 * {each}" for each in self.known]
            if self.chance(self.trap):
                forms = [
                    "0 / 5",
                    "1e308 * 10",
                    "True",
                    "-4",
                    "float('inf')",
                    "int('3')",
                    "3 if True else 1",
                    "[3]",
                    "'3'",
                ]
            annotation = self.pick(("", "", ": float", ": int"))
            self.lines.append(f"{name}{annotation} = {self.pick(forms)}")
            self.known.append(name)
        if self.chance(0.2):
            self.lines.append(f"FIRST, LAST = {self.pick(POSITIVE)}, {self.pick(POSITIVE)}")
            self.known += ("FIRST", "LAST")
        self.lines.append("\n")

    def positive(self) -> str:
        return self.pick(self.known) if self.known and self.chance(0.3) else self.pick(POSITIVE)

    def limits(self) -> tuple[str, str]:
        """Two numbers, the smaller one first where both are written out."""
        low, high = self.pick(LIMITS)
        return (low, self.pick(self.known)) if self.known and self.chance(0.3) else (low, high)

    def helper(self) -> None:
        name = f"h{len(self.helpers)}"
        kind = self.pick(("number", "number", "number", "noise", "list", "lambda"))
        if kind == "noise":
            body = self.pick(MECHANISMS).replace("NAME", name)
        elif kind == "list":
            body = self.pick(LISTS).replace("NAME", name)
        else:
            before = self.names
            self.names = {"num": ["p"], "pub": ["c", *self.known]}
            body = f"    return {self.num(2)}"
            given = self.pick(("2", "2", "6 / 4 - 1", "2**3 / 4", self.positive()))
            header = self.pick((f"def {name}(p, c={given}):", f"def {name}(p, c={given}):", f"def {name}(p, *, c=3):"))
            if self.chance(0.2):
                header = f"def {name}(p: float, c: float = 2) -> float:"
            body = f"{name} = lambda p, c=2: {self.num(1)}" if kind == "lambda" else f"{header}\n{body}"
            self.names = before
        self.helpers.append(("number" if kind == "lambda" else kind, name))
        self.lines.append(f"{body}\n\n")

    def function(self, place: int) -> None:
        self.names, self.indent, self.count, self.drawing = {"pub": [*self.known]}, "    ", 0, False
        self.private = self.chance(0.6)
        data = self.pick(("arr", "list", "num")) if not self.private else self.pick(("arr", "arr", "list", "num"))
        parameters = [self.parameter("v" if data != "num" else "x", data)]
        if self.chance(0.25):
            parameters.append(self.parameter("y", "num"))
        for name, kind in (("eps", "float"), ("k", "int")):
            if self.chance(0.4 if name == "k" else 0.7 if self.private else 0.2):
                parameters.append(f"{name}: Static[{kind}]")
                self.add("pub", name)
        if self.chance(self.trap):
            hidden = self.pick(("max", "sum", "len", "np", "round", "range", "abs"))
            parameters.append(f"{hidden}={self.pick(('max', 'len', '2', 'abs', 'None'))}")
        if self.chance(self.trap):
            parameters.append(self.pick(("seen=[]", "w=[1, 2]", "z=np.random.laplace()", "d={}")))
            self.add(
                {"s": "own", "w": "own", "z": "draw", "d": "dict"}[parameters[-1][0]], parameters[-1].split("=")[0]
            )
        self.drawing = self.private and self.chance(0.2)
        given, made = self.pick(SEEDED if self.chance(self.trap) else GIVEN) if self.drawing else ("", "")
        if given:
            parameters.insert(len(parameters) if "=" in given else 1, given)
        ended = " -> Private" if self.private else ""
        self.lines.append(f"def f{place}({', '.join(parameters)}){ended}:")
        if made:
            self.line(made)
        for _ in range(self.source.randrange(4)):
            self.statement(2)
        self.last()
        self.lines.append("\n")

    def parameter(self, name: str, data: str) -> str:
        self.add(data, name)
        if data == "num":
            base = self.pick(("float", "float", "float", "int"))
            return f"{name}: Annotated[{base}, Within()]"
        words = self.pick(("AddRemove()", "AddRemove()", "ChangeOne()"))
        if words == "AddRemove()" and self.chance(0.08):
            words = self.pick(("AddRemove(contributes=2)", "AddRemove(ordered=True)", "AddRemove(), AtLeast(2)"))
        if words == "ChangeOne()" and self.chance(0.1):
            words = "ChangeOne(), Size(3)"
        if self.chance(0.3):
            low, high = self.limits()
            words += f", Bounded({low}, {high})"
        return (
            f"{name}: Annotated[{'np.ndarray' if data == 'arr' else self.pick(('list[float]', 'list[int]'))}, {words}]"
        )

    def last(self) -> None:
        """The end of a function."""
        if not self.private:
            kind = self.pick(("num", "num", "num", "list", "vec", "tuple"))
            found = self.collection() if kind == "list" else self.vec() if kind == "vec" else self.num(3)
            return self.line(f"return {f'({found}, {self.num(2)})' if kind == 'tuple' else found}")
        kind = self.pick(("release", "release", "release", "vec", "later", "tuple", "each"))
        match kind:
            case "vec" if self.names.get("arr"):
                self.line(f"return {self.released_vec()}")
            case "later":
                self.line(f"out = {self.released()}")
                self.add("out", "out")
                self.line(f"return {self.pick(AFTER).replace('X', 'out')}")
            case "tuple":
                self.line(f"return {self.released()}, {self.released()}")
            case "each":
                self.line(f"return [{self.released()} for t in {self.pick(('[1, 2, 3]', 'range(3)', '(0, 5)'))}]")
            case _:
                self.line(f"return {self.released()}")

    # Statements

    def statement(self, depth: int) -> None:
        if self.chance(self.trap):
            return self.tricky(depth)
        kinds: list[Callable[[], None]] = [self.assigned, self.assigned, self.assigned, self.changed]
        if depth:
            kinds += [lambda: self.branch(depth), lambda: self.loop(depth), self.nested]
            kinds += [lambda: self.going_on(depth), lambda: self.left(depth), self.failing]
        if self.private:
            kinds += [self.noisy, self.noisy]
        self.pick(kinds)()

    def assigned(self) -> None:
        kind = self.pick(("num", "num", "list" if self.names.get("list") else "arr", "pub", "bool"))
        if kind == "arr" and not self.names.get("arr"):
            kind = "num"
        made = {"num": lambda: self.num(3), "pub": lambda: self.pub(2), "bool": lambda: self.bool(2)}
        value = made[kind]() if kind in made else self.collection()
        again = self.names.get(kind) if self.chance(0.25) else None
        name = self.pick(again) if again else self.fresh(kind)
        self.line(f"{name} = {value}")
        if not again:
            self.add(kind, name)

    def changed(self) -> None:
        """A name that is given again by what it was."""
        kind = self.pick(("num", "num", "pub"))
        names = [each for each in self.names.get(kind, ()) if each not in ("eps", "k", *self.known)]
        if not names:
            return self.assigned()
        by = self.num(1) if kind == "num" and self.chance(0.4) else self.positive()
        self.line(f"{self.pick(names)} {self.pick(('+=', '-=', '*=', '/=', '//='))} {by}")

    def branch(self, depth: int) -> None:
        test = self.pick((self.bool, self.bool, self.open))(1)
        saved = {kind: list(names) for kind, names in self.names.items()}
        self.line(f"if {test}:")
        self.block(depth - 1)
        if self.chance(0.6):
            self.line("else:")
            self.block(depth - 1)
        self.names = saved

    def loop(self, depth: int) -> None:
        saved = {kind: list(names) for kind, names in self.names.items()}
        name = self.pick(("i", "t", "j"))
        over = self.pick(("range(3)", "[1, 2, 4]", "range(k)" if "k" in self.names.get("pub", ()) else "range(2)"))
        kind = "pub"
        if self.names.get("list") and self.chance(0.4):
            over, kind, name = self.pick(self.names["list"]), "num", "e"
        self.line(f"for {name} in {over}:")
        self.add(kind, name)
        self.block(depth - 1)
        self.names = saved
        if self.chance(self.trap):
            self.add(kind, name)

    def going_on(self, depth: int) -> None:
        """A loop that goes on as long as a condition holds."""
        saved = {kind: list(names) for kind, names in self.names.items()}
        name, limit = self.fresh("i"), self.pick(("3", "k") if "k" in self.names.get("pub", ()) else ("3", "2"))
        up = self.chance(0.7)
        self.line(f"{name} = {'0' if up else limit}")
        self.line(f"while {name} {'<' if up else '>'} {limit if up else '0'}:")
        self.add("pub", name)
        if self.chance(0.3):
            self.line(f"    {name} {'+' if up else '-'}= 1")
            self.block(depth - 1)
        else:
            self.block(depth - 1)
            self.line(f"    {name} {'+' if up else '-'}= 1")
        if self.chance(self.trap):
            self.line(f"    if {self.bool(1)}:\n{self.indent}        break")
        self.names = saved
        self.add("pub", name)

    def left(self, depth: int) -> None:
        """A loop that some rounds leave early, perhaps with an ``else``."""
        saved = {kind: list(names) for kind, names in self.names.items()}
        self.line(f"for t in {self.pick(('range(3)', '[1, 2, 4]'))}:")
        self.add("pub", "t")
        test = self.bool(1) if self.chance(self.trap) else self.open(1)
        leave = self.pick(
            ("break", "continue", "break", f"return {self.num(1)}" if self.chance(self.trap) else "break")
        )
        if self.chance(0.5):
            self.block(depth - 1)
        self.line(f"    if {test}:\n{self.indent}        {leave}")
        self.block(depth - 1)
        if self.chance(0.3):
            self.line("else:")
            self.block(depth - 1)
        self.names = saved

    def failing(self) -> None:
        """What fails, mostly by what everybody knows."""
        test = self.bool(1) if self.chance(2 * self.trap) else self.open(1)
        message = self.pick(("", "('no')", f"(f'{{{self.pick(self.names.get('pub') or ['eps_'])}}}')"))
        message = message if "eps_" not in message else ""
        self.line(self.pick((f"assert {test}", f"if {test}:\n{self.indent}    raise ValueError{message}")))

    def block(self, depth: int) -> None:
        before, self.indent = self.indent, self.indent + "    "
        self.statement(depth)
        if self.chance(self.trap / 2) and not self.private:
            self.line(f"return {self.num(1)}")
        self.indent = before

    def nested(self) -> None:
        """A function in a function, which sees what is around it."""
        name = self.fresh("g")
        saved = {kind: list(names) for kind, names in self.names.items()}
        noisy = self.private and self.chance(0.4)
        self.add("num", "q")
        value = self.released() if noisy else self.num(2)
        if self.chance(0.3):
            self.line(f"{name} = lambda q: {value}")
        else:
            self.line(f"def {name}(q):")
            self.line(f"    return {value}")
        self.names = saved
        if self.chance(self.trap) and self.names.get("num"):
            self.line(f"{self.pick(self.names['num'])} = {self.num(1)}")
        made = self.fresh("num")
        self.line(f"{made} = {name}({self.pick(('', 'q='))}{self.num(1)})")
        self.add("out" if noisy else "num", made)

    def noisy(self) -> None:
        kind = self.pick(("release", "release", "draw", "sum"))
        name = self.fresh("out")
        match kind:
            case "draw":
                self.line(f"{name} = {self.draw(self.positive())}")
                self.add("draw", name)
            case "sum":
                self.line(f"{name} = 0.0")
                self.line(
                    f"for t in range({self.pick(('3', 'k') if 'k' in self.names.get('pub', ()) else ('3', '2'))}):"
                )
                self.line(f"    {name} += {self.released()}")
                self.add("out", name)
            case _:
                self.line(f"{name} = {self.released()}")
                self.add("out", name)

    def tricky(self, depth: int) -> None:
        """What is easily misread."""
        usable = [each for each in self.tricks if all(self.names.get(kind) for kind in each[0].split())]
        kinds, text, makes = self.pick(usable)
        for kind in kinds.split():
            text = text.replace(kind.upper(), self.pick(self.names[kind]))
        fresh = self.fresh("t")
        text = text.replace("NEW", fresh).replace("NUM", self.num(1)).replace("C", self.positive())
        for line in text.split("\n"):
            self.line(line)
        if makes:
            self.add(makes, fresh)

    # Expressions

    def num(self, depth: int) -> str:
        names = self.names.get("num", [])
        if not depth or self.chance(0.25):
            if names and self.chance(0.85):
                return self.pick(names)
            return self.of_data() if self.has_data else self.pick(NUMBERS)
        forms: list[Callable[[], str]] = [
            lambda: f"{self.num(depth - 1)} {self.pick('+-')} {self.num(depth - 1)}",
            lambda: f"{self.positive()} * {self.atom(depth - 1)}",
            lambda: f"{self.atom(depth - 1)} / {self.positive()}",
            lambda: f"abs({self.num(depth - 1)})",
            lambda: f"{self.pick(('max', 'min'))}({self.num(depth - 1)}, {self.pick(NUMBERS)})",
            lambda: f"min(max({self.num(depth - 1)}, {self.pick(('0', '-1'))}), {self.pick(('1', '10'))})",
            lambda: f"({self.num(depth - 1)} if {self.bool(1)} else {self.num(depth - 1)})",
            lambda: f"-{self.atom(depth - 1)}",
            lambda: f"{self.pick(('float', 'int', 'round', 'math.floor', 'np.floor', 'bool'))}({self.num(depth - 1)})",
            lambda: f"{self.pick(('np.minimum', 'np.maximum'))}({self.num(depth - 1)}, {self.pick(NUMBERS)})",
            lambda: f"{self.pick(('np.tanh', 'math.atan', 'np.sin', 'np.abs'))}({self.num(depth - 1)})",
            lambda: f"np.square(np.clip({self.num(depth - 1)}, -1, {self.positive()}))",
            lambda: f"math.sqrt(min(max({self.num(depth - 1)}, 1), 10))",
            lambda: f"round({self.num(depth - 1)}, {self.pick(('0', '1', '2'))})",
            lambda: f"{self.atom(depth - 1)} {self.pick(('//', '%', '**'))} {self.pick(('1', '2', '3'))}",
            lambda: f"({self.num(depth - 1)}) * {self.pub(1)}",
            self.called,
        ]
        if self.has_data:
            forms += [self.of_data] * 8
        if self.names.get("vec"):
            forms.append(lambda: f"{self.pick(self.names['vec'])}[{self.pick(('0', '1', '-1'))}]")
        if self.chance(self.trap):
            forms = [
                lambda: f"({self.num(depth - 1)} or {self.pick(NUMBERS)})",
                lambda: f"({self.bool(1)} and {self.num(depth - 1)})",
                lambda: f"({self.num(depth - 1)} not in (1, 2)) * 3",
                lambda: f"math.floor({self.num(depth - 1)})",
                lambda: f"{self.atom(depth - 1)} // -{self.pick(WHOLE)}",
                lambda: f"{self.atom(depth - 1)} % -{self.pick(WHOLE)}",
                lambda: f"sum([{self.num(depth - 1)}, {self.num(depth - 1)}], start=1)",
                lambda: f"(lambda a, b=2: a * b)({self.num(depth - 1)})",
            ]
        return self.pick(forms)()

    def atom(self, depth: int) -> str:
        found = self.num(depth)
        return found if found.isidentifier() or found.replace(".", "").isdigit() else f"({found})"

    def called(self) -> str:
        usable = [name for kind, name in self.helpers if kind == "number"]
        if not usable:
            return self.num(1)
        name, value = self.pick(usable), self.num(1)
        return self.pick((f"{name}({value})", f"{name}({value}, c={self.pick(NUMBERS)})", f"{name}(c=2, p={value})"))

    def bool(self, depth: int) -> str:
        if self.names.get("bool") and self.chance(0.3):
            return self.pick(self.names["bool"])
        forms = [
            lambda: f"{self.num(1)} {self.pick(('<', '>', '<=', '>=', '==', '!='))} {self.pick(NUMBERS)}",
            lambda: f"{self.pick(NUMBERS)} < {self.num(1)} <= {self.pick(NUMBERS)}",
            lambda: f"bool({self.num(1)})",
            lambda: f"not {self.bool(depth - 1)}",
            lambda: f"({self.bool(depth - 1)} {self.pick(('and', 'or'))} {self.bool(depth - 1)})",
        ]
        return self.pick(forms if depth else forms[:2])()

    def pub(self, depth: int) -> str:
        names = self.names.get("pub", [])
        if not depth or self.chance(0.4):
            return self.pick(names) if names and self.chance(0.6) else self.positive()
        return f"({self.pub(depth - 1)} {self.pick('+*-')} {self.pub(depth - 1)})"

    def open(self, depth: int) -> str:
        """A condition that everybody knows."""
        return f"{self.pub(1)} {self.pick('<>')} {self.pick(NUMBERS)}"

    @property
    def has_data(self) -> bool:
        return bool(self.names.get("list") or self.names.get("arr"))

    def collection(self) -> str:
        if self.names.get("arr") and (self.chance(0.7) or not self.names.get("list")):
            return self.arr(2)
        return self.list(2) if self.names.get("list") else f"[{self.num(1)}, {self.num(1)}]"

    def list(self, depth: int) -> str:
        if not depth or self.chance(0.3):
            return self.pick(self.names["list"])
        of, low, high = self.list(depth - 1), *self.limits()
        found = self.pick(
            (
                f"[min(max(e, {low}), {high}) for e in {of}]",
                f"[min(max(e, {low}), {high}) for e in {of}]",
                f"[e * {self.positive()} for e in {of}]",
                f"[e for e in {of} if e > {self.pick(NUMBERS)}]",
                f"[e for e in {of} if {low} <= e < {high}]",
                f"sorted({of})",
                f"[abs(e) for e in {of}]",
                f"[{self.of('e')} for e in {of}]",
            )
        )
        if self.chance(self.trap):
            found = self.pick(
                (
                    f"({of})[:]",
                    f"({of})[1:]",
                    f"{of} + [{self.pick(NUMBERS)}]",
                    f"({of}) * 2",
                    f"list(reversed({of}))",
                    f"[e for e in {of} for _ in range(2)]",
                    f"list(map(abs, {of}))",
                    f"[({of})[0] for e in {of}]",
                    f"list(set({of}))",
                    f"[i for i, e in enumerate({of})]",
                    f"[a + b for a, b in zip({of}, ({of})[1:])]",
                )
            )
        return found

    def of(self, name: str) -> str:
        """An expression of one record."""
        saved = self.names
        self.names = {"num": [name], "pub": saved.get("pub", [])}
        found = self.num(2)
        self.names = saved
        return found

    def arr(self, depth: int) -> str:
        if not depth or self.chance(0.3):
            return self.pick(self.names["arr"])
        of, low, high = self.arr(depth - 1), *self.limits()
        forms = (
            f"np.clip({of}, {low}, {high})",
            f"np.clip({of}, {low}, {high})",
            f"({of}).clip({low}, {high})",
            f"{of} * {self.positive()}",
            f"({of} + {self.pick(NUMBERS)})",
            f"np.abs({of})",
            f"np.where({of} > {self.pick(NUMBERS)}, {high}, {low})",
            f"np.minimum({of}, {high})",
        )
        if of.isidentifier() and self.chance(0.3):
            return f"{of}[{of} {self.pick('<>')} {self.pick(NUMBERS)}]"
        if self.chance(self.trap):
            return self.pick(
                (
                    f"({of})[::-1]",
                    f"({of})[:3]",
                    f"np.sort({of})",
                    f"np.append({of}, 1)",
                    f"{of} - np.mean({of})",
                    f"({of})[:]",
                )
            )
        return self.pick(forms)

    def of_data(self) -> str:
        """A number of a collection."""
        if self.names.get("list") and (self.chance(0.6) or not self.names.get("arr")):
            of, low, high = self.list(1), *self.limits()
            found = self.pick(
                (
                    f"len({of})",
                    f"sum({of})",
                    f"sum(min(max(e, {low}), {high}) for e in {of})",
                    f"sum(min(max(e, {low}), {high}) for e in {of})",
                    f"sum(e > {self.pick(NUMBERS)} for e in {of})",
                    f"len([e for e in {of} if e > {self.pick(NUMBERS)}])",
                    f"sum([{self.of('e')} for e in {of}])",
                    f"sum(1 for e in {of} if {low} < e <= {high})",
                )
            )
            if self.chance(self.trap):
                found = self.pick(
                    (
                        f"({of})[0]",
                        f"max({of}, default=0)",
                        f"({of}).count(1)",
                        f"({low} in {of})",
                        f"sum({of}) / len({of})",
                        f"sum({of}, {self.pick(NUMBERS)})",
                        f"len(set({of}))",
                        f"sum(i for i, e in enumerate({of}))",
                        f"len({of} or [1, 2])",
                        f"any(e > 3 for e in {of})",
                    )
                )
            return found
        of, low, high = self.arr(1), *self.limits()
        found = self.pick(
            (
                f"len({of})",
                f"np.sum({of} > {self.pick(NUMBERS)})",
                f"({of} > {self.pick(NUMBERS)}).sum()",
                f"np.sum(np.clip({of}, {low}, {high}))",
                f"np.clip({of}, {low}, {high}).sum()",
                f"np.clip({of}, {low}, {high}).mean()",
                f"np.mean(np.clip({of}, {low}, {high}))",
                f"({of}).shape[0]",
                f"np.sum({of})",
            )
        )
        if self.chance(self.trap):
            found = self.pick(
                (
                    f"np.max({of})",
                    f"np.median({of})",
                    f"({of})[0]",
                    f"np.var(np.clip({of}, {low}, {high}))",
                    f"np.count_nonzero({of})",
                    f"({of}).size",
                    f"sum({of})",
                    f"np.sum(({of} > 0) & ({of} < 3))",
                    f"np.any({of} > 1)",
                )
            )
        return found

    def vec(self) -> str:
        if self.names.get("arr") and self.chance(0.6):
            bins = self.pick(("[0, 1, 3]", "[0, 3, 10, 20]", "[-5, 0, 5]"))
            return f"np.histogram({self.arr(1)}, bins={bins})[0]"
        return self.pick((f"np.array([{self.num(1)}, {self.num(1)}])", f"[{self.num(1)}, {self.num(1)}]"))

    # Noise

    def draw(self, scale: str, size: str = "") -> str:
        found = self.drawn(scale, size)
        return found.replace("np.random.", "rng.") if self.drawing and self.chance(0.8) else found

    def drawn(self, scale: str, size: str) -> str:
        scale = f"{scale} / eps" if "eps" in self.names.get("pub", ()) and self.chance(0.8) else scale
        forms = [
            f"np.random.laplace(0, {scale}{size})",
            f"np.random.laplace(loc=0, scale={scale}{size})",
            f"np.random.laplace(scale={scale}{size})",
        ]
        if not size and self.chance(0.4):
            forms = [
                f"random.gauss(0, {scale})",
                f"random.normalvariate(sigma={scale}, mu=0)",
                f"({scale}) * np.random.standard_normal()",
                f"{scale} * np.random.laplace()",
                f"np.random.laplace({self.pick(NUMBERS)}, {scale})",
                f"-np.random.laplace(0, {scale})",
                f"np.random.normal({self.num(1)}, {scale}) / {self.positive()}",
                f"{self.pub(1)} * np.random.laplace(0, {scale})",
            ]
        return self.pick(forms)

    def released(self) -> str:
        value = self.of_data() if self.has_data and self.chance(0.7) else self.num(2)
        value = value if self.chance(0.5) or "if" in value else self.num(2)
        scale = self.positive()
        mechanisms = [name for kind, name in self.helpers if kind == "noise"]
        if mechanisms and self.chance(0.6):
            price = "eps" if "eps" in self.names.get("pub", ()) else "1"
            more = self.pick((", rng", ", rng=rng", ", None", "", "")) if self.drawing else ""
            return f"{self.pick(mechanisms)}({value}, {scale}, {price}{more})"
        if self.names.get("draw") and self.chance(0.5):
            return f"({value}) + {self.pick(self.names['draw'])}"
        forms = [
            f"({value}) + {self.draw(scale)}",
            f"({value}) + {self.draw(scale)}",
            f"{self.draw(scale)} + ({value})",
            f"np.random.laplace({value}, {scale})",
            f"({value}) - {self.draw(scale)}",
            f"({value}) + {scale} * {self.draw('1')}",
            f"{self.draw(scale)} - ({value})",
            f"({value}) + {self.draw(scale)} / {self.positive()}",
        ]
        if self.chance(self.trap):
            forms = [
                f"({value}) + abs({self.draw(scale)})",
                f"({value}) + np.clip({self.draw(scale)}, -3, 3)",
                f"({value}) + 0 * {self.draw(scale)}",
                f"({value}) + {self.draw(scale)} * {self.num(1)}",
                f"({value}) + max({self.draw(scale)}, 0)",
                f"round(({value}) + {self.draw(scale)})",
                f"({value}) + round({self.draw(scale)})",
                f"({value}) * {self.draw(scale)}",
                f"({value}) + {self.draw(scale)} + {self.draw(scale)}",
                f"({value}) + np.random.default_rng(1).laplace(0, {scale})",
            ]
        return self.pick(forms)

    def released_vec(self) -> str:
        bins, size = self.pick((("[0, 1, 3]", 2), ("[0, 3, 10, 20]", 3), ("[-5, 0, 5]", 2)))
        counts = f"np.histogram({self.arr(1)}, bins={bins})[0]"
        wanted = "" if self.chance(self.trap) else f", size={size}"
        return f"{counts} + {self.draw(self.positive(), wanted)}"

    # Choices

    def chance(self, of: float) -> bool:
        return self.source.random() < of

    def pick(self, among):  # type: ignore[no-untyped-def]  # any sequence
        return among[int(self.source.random() * len(among))]

    def fresh(self, kind: str) -> str:
        self.count += 1
        hidden = ("sum", "len", "max", "abs", "v", "x", "e", "np", "list")
        if self.chance(self.trap / 4):
            return self.pick(hidden)
        return f"{kind[0]}{self.count}"

    def add(self, kind: str, name: str) -> None:
        for names in self.names.values():  # a name holds one thing
            while name in names:
                names.remove(name)
        self.names.setdefault(kind, []).append(name)

    def line(self, text: str) -> None:
        self.lines.append(self.indent + text)


MECHANISMS = (
    "def NAME(value, sensitivity, epsilon):\n    return value + np.random.laplace(loc=0, scale=sensitivity / epsilon)",
    "def NAME(value, sensitivity, epsilon):\n    z = np.random.laplace(0, sensitivity / epsilon)\n    return value + z",
    "def NAME(value, sensitivity, epsilon=1.0):\n    b = sensitivity / epsilon\n    return np.random.laplace(value, b)",
    "def NAME(value, sensitivity, epsilon, noise=np.random.laplace(0, 1)):\n    return value + noise",
    "def NAME(value, sensitivity, epsilon, rng=None):\n    rng = np.random.default_rng(rng)\n"
    "    return value + rng.laplace(0, sensitivity / epsilon)",
)
GIVEN = (
    ("rng", ""),
    ("rng: np.random.Generator", ""),
    ("rng=None", "rng = np.random.default_rng(rng)"),
    ("rng=None", "if rng is None:\n        rng = np.random.default_rng()"),
    ("seed=None", "rng = np.random.RandomState(seed)"),
)
"""Generators that a function is given, and what makes one where none is."""
SEEDED = (
    ("seed=3", "rng = np.random.default_rng(seed)"),
    ("seed=()", "rng = np.random.default_rng(seed)"),
    ("rng=np.random.default_rng(3)", ""),
    ("rng=None", "if rng is None:\n        rng = np.random.default_rng(3)"),
    ("rng=None", "rng = np.random.default_rng(rng)\n    rng = np.random.default_rng(3)"),
    ("", "rng = np.random.default_rng(3)"),
)
"""The same, as everybody knows what they draw."""
LISTS = (
    "def NAME(w, low=0, high=10):\n    return [min(max(e, low), high) for e in w]",
    "def NAME(w, low=0, high=10):\n    return np.clip(w, low, high)",
    "def NAME(w, low=-2, high=5):\n    kept = np.clip(w, low, high)\n    return kept",
    "def NAME(w, more=[]):\n    more.append(len(w))\n    return more",
    "def NAME(w):\n    w.append(1)\n    return w",
    "def NAME(w):\n    for i in range(len(w)):\n        w[i] = 0\n    return w",
)
MODULE = (
    "def len(x):\n    return 1000 * x.__len__()\n\n",
    "sum = len\n\n",
    "np.clip = lambda v, low, high: v\n\n",
    "np.random.seed(0)\n\n",
    "from math import *\n\n",
    "abs, round = round, abs\n\n",
    "def min(a, b):\n    return a\n\n",
    "LIMIT = 3\nLIMIT = 300\n\n",
    "import random as np\n\n",
)
"""What may stand at top level and changes what names mean."""
_ARRAY = "v: Annotated[np.ndarray, RELATION, Bounded(0, LIMIT)]"
_LIST = "v: Annotated[list, RELATION, Bounded(0, LIMIT)]"
_NUMBER = "x: Annotated[float, Within()]"
FORGOTTEN = (
    f"def f({_LIST}):\n    w = v * FACTOR\n    return len(w)\n",
    f"def f({_ARRAY}):\n    w = v\n    v *= FACTOR\n    return w.sum()\n",
    f"def f({_NUMBER}):\n    return FACTOR if 0 < LIMIT < x else 2\n",
    f"np.clip = lambda v, low, high: FACTOR * v\n\n\ndef f({_NUMBER}):\n    return np.clip(x, 0, LIMIT)\n",
    f"def many(g):\n    return lambda x: FACTOR * x\n\n\n@many\ndef f({_NUMBER}):\n    return x\n",
    "k = 1\n\n\ndef g():\n    global k\n    k = FACTOR\n    return 0\n\n\n"
    f"def f({_NUMBER}):\n    return k * x\n\n\ng()\n",
    "def g(x):\n    return x\n\n\nif len([1]):\n    def g(x):\n        return FACTOR * x\n\n\n"
    f"def f({_NUMBER}):\n    return g(x)\n",
    f"def f({_ARRAY}):\n    return len(v)\n",
    f"def f({_ARRAY}) -> Private:\n    z = np.random.laplace()\n    return np.sum(v > 0) + z, np.sum(v > 1) + z\n",
    f"def f({_ARRAY}) -> Private:\n    z = np.random.laplace()\n    return [np.sum(v > i) + z for i in range(3)]\n",
    f"def f({_LIST}) -> Private:\n    return 1 + np.random.laplace(sum(v), LIMIT)\n",
    f"def f({_LIST}) -> Private:\n    rng = np.random.default_rng(FACTOR)\n    return sum(v) + rng.laplace(0, LIMIT)\n",
    f"np.random.seed(FACTOR)\n\n\ndef f({_LIST}) -> Private:\n    return sum(v) + np.random.laplace(0, LIMIT)\n",
    f"def f({_LIST}) -> Private:\n    print(sum(v))\n    return sum(v) + np.random.laplace(0, LIMIT)\n",
    f"def f({_ARRAY}) -> Private:\n    total = 0.0\n    w = np.clip(v, 0, LIMIT)\n    for t in range(2):\n"
    "        total += np.sum(w) + np.random.laplace(0, LIMIT)\n        w = v * FACTOR\n    return total\n",
    "def len(x):\n    return FACTOR * x.shape[0]\n\n\n"
    f"def f({_ARRAY}) -> Private:\n    return len(v) + np.random.laplace(0, LIMIT)\n",
    f"def f({_ARRAY}) -> Private:\n    old = v > LIMIT / 2\n    v = np.clip(v, 0, LIMIT / 4)\n"
    "    return v[old].shape[0] + np.random.laplace(0, 1)\n",
    f"def f({_ARRAY}, eps: Static[float]) -> Private:\n    eps = np.sum(v > 0)\n"
    "    return np.sum(v > 0) + np.random.laplace(0, 1 / (1 + eps))\n",
    "def g(v, noise=np.random.laplace(0, LIMIT)):\n    return v + noise\n\n\n"
    f"def f({_ARRAY}) -> Private:\n    return g(np.sum(v > 0)) - g(np.sum(v > 1))\n",
    f"def f({_ARRAY}) -> Private:\n    return v + np.random.laplace(0, LIMIT)\n",
    f"def f({_ARRAY}) -> Private:\n    return np.histogram(v, bins=[0, 1, 9])[0] + np.random.laplace(0, LIMIT)\n",
    f"def f({_ARRAY}) -> Private:\n    z = np.random.laplace(0, LIMIT)\n    z *= 0.001\n    return np.sum(v) + z\n",
    f"def f({_ARRAY}) -> Private:\n    return np.sum(np.clip(v * 9, FACTOR, 0)) + np.random.laplace(0, LIMIT)\n",
    f"import pandas as pd\n\n\ndef f({_ARRAY.replace('np.ndarray', 'pd.Series')}) -> Private:\n"
    "    return v.clip(FACTOR, 1).sum() + np.random.laplace(0, LIMIT)\n",
    f"def f({_ARRAY.replace('v:', 'np:')}):\n    return FACTOR if np.round(LIMIT) > 0 else 2\n",
)
"""Programs that mean something else where one thing is forgotten: of a list that it is no array, of a draw that its
only use is one addition, of a name that it may be given another meaning."""
AFTER = ("X", "max(X, 0)", "round(X)", "X / 2", "X if X > 0 else 0", "(X, X)", "abs(X)", "f'{X:.2f}'", "int(X)")
TRICKS = (
    ("list", "NEW = LIST\nNEW.append(NUM)", "list"),
    ("list", "NEW = LIST[:]\nNEW.append(1)", "list"),
    ("list", "NEW = LIST\nif NEW:\n    NEW[0] = C", "list"),
    ("list", "NEW = LIST\nLIST = [1]", "list"),
    ("list", "NEW = LIST\nNEW += [C]", "list"),
    ("list", "LIST.sort()", ""),
    ("list", "NEW = (e for e in LIST)\nsum(NEW)\nNEW = sum(NEW)", "num"),
    ("list", "NEW = [e for e in LIST]\nLIST.clear()", "list"),
    ("list", "NEW = 0\nfor e in LIST:\n    NEW = e", "num"),
    ("list", "NEW = 0\nfor e in LIST:\n    NEW += min(max(e, 0), C)", "num"),
    ("list", "NEW = [lambda: t for t in range(3)]\nNEW = NEW[0]() * len(LIST)", "num"),
    ("list", "NEW = map(abs, LIST)\nNEW = len(list(NEW)) + len(list(NEW))", "num"),
    ("list", "try:\n    NEW = LIST[3]\nexcept IndexError:\n    NEW = 0", "num"),
    ("list", "assert len(LIST) > 1", ""),
    ("list", "del LIST[:1]", ""),
    ("arr", "NEW = ARR\nNEW *= C", "arr"),
    ("arr", "NEW = ARR[:]\nNEW += 1", "arr"),
    ("arr", "NEW = ARR\nNEW[:] = 0", "arr"),
    ("arr", "NEW = ARR > C\nARR = np.clip(ARR, 0, 1)\nNEW = np.sum(NEW)", "num"),
    ("arr", "np.clip(ARR, 0, 1, out=ARR)", ""),
    ("arr", "NEW = 0\nfor e in ARR:\n    NEW += e > C", "num"),
    ("num", "NEW = lambda: NUM * 2\nNUM = C\nNEW = NEW()", "num"),
    ("num", "NEW = num1 = NUM", "num"),
    ("num", "print(NUM)", ""),
    ("num", "if NUM > C:\n    raise ValueError('too much')", ""),
    ("num", "NEW, NEW = NUM, C", "num"),
    ("num", "if NUM:\n    pass", ""),
    ("pub", "NEW = PUB\nPUB = NUM", "pub"),
    ("pub", "PUB = NUM", ""),
    ("draw", "DRAW *= 0.001", ""),
    ("draw", "NEW = (NUM) + C * DRAW", "out"),
    ("draw", "if (NUM) + DRAW > C:\n    NEW = 1\nelse:\n    NEW = 0", "out"),
    ("draw num", "NEW = (NUM) + DRAW * NUM", "out"),
    ("num", "NEW = lambda q: q * NUM\nNEW = NEW(2)", "num"),
    ("num", "NEW = 1\ndef NEWg(q):\n    return q * NEW\nNEW = C\nNEW = NEWg(NUM)", "num"),
    ("num", "for i in range(3):\n    def NEWg(q):\n        return q * i\nNEW = NEWg(NUM)", "num"),
    ("num", "NEW = NEWa = NUM\nNEW += C", "num"),
    ("num", "assert NUM > C, 'too little'", ""),
    ("num", "while NUM > C:\n    break", ""),
    ("num", "import numpy as np\nNEW = np.abs(NUM)", "num"),
    ("num", "NEW = 0\nwhile NEW < NUM:\n    NEW += C", "pub"),
    ("num", "NEW = 0\nfor t in range(3):\n    if NUM > t:\n        break\n    NEW += 1", "num"),
    ("draw", "NEW = DRAW * C", "draw"),
    ("draw", "NEW = DRAW", "draw"),
    ("draw", "print(DRAW)", ""),
    ("draw", "NEW = abs(DRAW)", "draw"),
    ("draw", "if DRAW > 0:\n    DRAW = -DRAW", ""),
    ("draw", "NEW = (NUM) + DRAW", "out"),
    ("out", "print(OUT)", ""),
    ("out", "NEW = OUT + (NUM)", "out"),
    ("out", "NEW = len(str(OUT))", "pub"),
    ("own", "OWN.append(NUM)\nNEW = sum(OWN)", "num"),
    ("dict", "NEW = DICT.setdefault('a', NUM)", "num"),
)
"""What is easily misread: the kinds of names that it is about, and what its new name holds."""
Writer.tricks = TRICKS
