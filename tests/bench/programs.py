"""The programs that are measured."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

_HERE = Path(__file__).parent
_PRELUDE = (_HERE / "prelude.jl").read_text("utf-8")
_SECTION = (_HERE / "section.jl").read_text("utf-8")


class Number(NamedTuple):
    """A number of three digits in a program, to be edited, and where it begins."""

    offset: int
    line: int
    column: int

    def range(self) -> dict[str, Any]:
        """Its place, as the protocol writes it."""
        return {"start": self.position(), "end": self.position(3)}

    def position(self, after: int = 0) -> dict[str, int]:
        """A place some columns after it begins."""
        return {"line": self.line, "character": self.column + after}


class Program(NamedTuple):
    """A file, with a number in a function that no other uses and one in a function that many use. ``firsts`` are
    places in different functions, where something is said to whoever points at it."""

    text: str
    leaf: Number
    shared: Number
    firsts: tuple[Number, ...] = ()

    def edited(self, number: Number, value: int) -> str:
        """The text with another number."""
        return f"{self.text[: number.offset]}{value:03}{self.text[number.offset + 3 :]}"


def program(lines: int, variant: int = 0) -> Program:
    """A file of so many lines. Two variants have hardly a function in common."""
    pieces = _PRELUDE.strip().split("\n\n")
    room = lines - _PRELUDE.count("\n")
    sections = 0
    while room > 0:
        sections += 1
        for piece in _section(sections, variant).split("\n\n"):
            height = piece.count("\n") + 2  # with the blank line before it
            if height > room:
                pieces[-1] += "\n# Nothing more of this device." * room
                room = 0
                break
            pieces.append(piece)
            room -= height
    text = "\n\n".join(pieces) + "\n"
    middle = f"released_{variant}_{max(1, sections // 2)}("
    leaf = _number(text, text.index("gaussian_mechanism(100", text.index(middle)))
    firsts = [_place(text, found.start()) for found in re.finditer(r"(?<=    y = y \+ )x / 2", text)]
    return Program(text, leaf, _number(text, 0), tuple(firsts))


def python_program(lines: int, variant: int = 0) -> Program:
    """A Python file of so many lines, of functions like those, for a server of Python."""
    pieces = [_PYTHON.format(number=number, variant=variant) for number in range(lines // (_PYTHON.count("\n") + 1))]
    text = "def shared(x: float) -> float:\n    return x * 100\n\n\n" + "\n".join(pieces)
    return Program(text, _number(text, text.index("100", len(text) // 2)), _number(text, 0))


_PYTHON = """
def scaled_{variant}_{number}(x: float, y: float) -> float:
    a = 2 * x + {number}
    b = a - y / 4
    total = 0.0
    for i in range(4):
        total = total + x / 100
    if total > 3:
        total = shared(b)
    return (a + b + total) / 2

"""


def _section(number: int, variant: int) -> str:
    """A section uses one function of the section before."""
    text = re.sub(r"_N\b", f"_{variant}_{number}", _SECTION)
    text = re.sub(r"_M\b", f"_{variant}_{max(1, number - 1)}", text)
    return re.sub(r"\bN\b", str(number), text).strip()


def _number(text: str, after: int) -> Number:
    return _place(text, text.index("100", after))


def _place(text: str, offset: int) -> Number:
    return Number(offset, text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def statements(size: int, variant: int) -> str:
    """A function of so many statements."""
    lines = "".join(f"    y{i} = x + {i}\n" for i in range(size))
    return f"function long_{variant}(x::Real)\n{lines}    y{size - 1}\nend\n"


def brackets(size: int, variant: int) -> str:
    """An expression inside so many pairs of parentheses."""
    return f"deep_{variant}(x::Real) = {'(' * size}x{')' * size}\n"


def parameters(size: int, variant: int) -> str:
    """A function of so many parameters, each used once."""
    names = [f"x{i}" for i in range(size)]
    return f"wide_{variant}({', '.join(f'{name}::Real' for name in names)}) = {' + '.join(names)}\n"


def uses(size: int, variant: int) -> str:
    """One variable that is used so many times."""
    return f"often_{variant}(x::Real) = {' + '.join(['x'] * size)}\n"


def calls(size: int, variant: int) -> str:
    """Functions that each call the one before twice. They are as sensitive as the first: a bound has few digits."""
    names = [f"f_{variant}_{i}" for i in range(size + 1)]
    rest = (f"{name}(x::Real) = ({before}(x) + {before}(x)) / 2\n" for before, name in pairwise(names))
    return f"{names[0]}(x::Real) = x\n" + "".join(rest)


def releases(size: int, variant: int) -> str:
    """Private functions that each call the one before twice."""
    names = [f"f_{variant}_{i}" for i in range(size + 1)]
    first = f"function {names[0]}(x::Real, eps::Static()) :: Priv()\n    laplacian_mechanism(1, eps, x)\nend\n"
    rest = (
        f"function {name}(x::Real, eps::Static()) :: Priv()\n    {before}(x, eps) + {before}(x, eps)\nend\n"
        for before, name in pairwise(names)
    )
    return first + "".join(rest)


GROWING = {
    "statements": statements,
    "nested parentheses": brackets,
    "parameters": parameters,
    "uses of a variable": uses,
    "calls, each twice of the one before": calls,
    "private calls, each twice of the one before": releases,
}
"""Programs that grow in one way, all else fixed."""
