"""How far linear functions move, against norms of matrices that are computed in another way."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from dp_lsp.analysis.records import State
from dp_lsp.core.algebra import Poly
from dp_lsp.core.evaluate import upper
from dp_lsp.core.linear import operator_norm
from dp_lsp.core.types import Norm
from dp_lsp.engine.check import Engine

ENGINE = Engine()
ORDERS = {Norm.L1: 1, Norm.L2: 2, Norm.LINF: math.inf}
ENTRIES = 3
CLOSE = 1e-9


def size(vector: np.ndarray, norm: Norm) -> float:
    return float(np.linalg.norm(vector, ORDERS[norm]))


def by_corners(matrix: np.ndarray, source: Norm, norm: Norm) -> float:
    """The norm by the corners of balls: of the first one, or of the dual of the second one."""
    rows, columns = matrix.shape
    if source is Norm.L1:
        return max(size(matrix[:, j], norm) for j in range(columns))
    if source is Norm.LINF:
        return max(size(matrix @ np.array(signs), norm) for signs in itertools.product((-1, 1), repeat=columns))
    if norm is Norm.L2:
        return float(np.linalg.svd(matrix, compute_uv=False)[0])
    if norm is Norm.LINF:
        return max(size(row, Norm.L2) for row in matrix)
    return max(size(matrix.T @ np.array(signs), Norm.L2) for signs in itertools.product((-1, 1), repeat=rows))


def is_exact(matrix: np.ndarray, source: Norm, norm: Norm) -> bool:
    """All but the largest singular value of more than two rows and columns is found exactly."""
    return source is not norm or norm is not Norm.L2 or min(matrix.shape) <= 2


@pytest.mark.parametrize("source", Norm)
@pytest.mark.parametrize("norm", Norm)
def test_norms_of_matrices(source: Norm, norm: Norm) -> None:
    draw = random.Random(f"{source} {norm}")
    for _ in range(120):
        rows, columns = draw.randint(1, 4), draw.randint(1, 4)
        entries = [[draw.choice((0, 0, 0, 1, 1, -1, 2, -3)) for _ in range(columns)] for _ in range(rows)]
        matrix = np.array(entries, dtype=float)
        true = by_corners(matrix, source, norm)
        found = upper(operator_norm([[Poly.of(each) for each in row] for row in entries], source, norm), {})
        assert found is not None and found >= true * (1 - CLOSE)
        if is_exact(matrix, source, norm):
            assert found == pytest.approx(true)
        assert found <= size(matrix.flatten(), Norm.L2) * (1 + CLOSE) or (source, norm) != (Norm.L2, Norm.L2)


# Programs

Vector = tuple[Fraction, ...]


class Written:
    """A program in the making: numbers with a name each, and the coefficients of the entries of v, and of x."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.known: dict[str, Vector] = {"x": (*(Fraction(0),) * ENTRIES, Fraction(1))}
        for index in range(ENTRIES):
            self.known[f"v[{index + 1}]"] = tuple(Fraction(place == index) for place in range(ENTRIES + 1))

    def number(self) -> tuple[str, Vector]:
        """An expression of up to three known numbers."""
        name, value = self.draw.choice([*self.known.items()])
        for _ in range(self.draw.randint(0, 2)):
            name, value = self.grown(name, value)
        return name, value

    def grown(self, name: str, value: Vector) -> tuple[str, Vector]:
        other, added = self.draw.choice([*self.known.items()])
        factor = Fraction(self.draw.choice((-2, -1, 2, 3)))
        match self.draw.choice("+-*/tes"):
            case "+":
                return f"({name} + {other})", tuple(map(Fraction.__add__, value, added))
            case "-":
                return f"({name} - {other})", tuple(map(Fraction.__sub__, value, added))
            case "*":
                return f"({name} * {factor})", tuple(each * factor for each in value)
            case "/":
                return f"({name} / ({factor}))", tuple(each / factor for each in value)
            case "t":
                return f"({name} + 1 + {other} - {factor})", tuple(map(Fraction.__add__, value, added))
            case "e":
                return f"[{other}, {name}][2]", value
        whole = tuple(Fraction(1) if place < ENTRIES else Fraction(0) for place in range(ENTRIES + 1))
        return f"({name} - sum(v))", tuple(map(Fraction.__sub__, value, whole))

    def bind(self) -> None:
        """A name for a number."""
        name, (text, value) = f"a{len(self.lines)}", self.number()
        self.lines.append(f"    {name} = {text}")
        self.known[name] = value


def claimed(bound: str) -> float:
    return math.inf if bound == "oo" else float(eval(bound, {"sqrt": math.sqrt, "Max": max, "__builtins__": {}}))


@pytest.mark.parametrize("seed", range(40))
def test_random_linear_programs(seed: int) -> None:
    """No claim is below the norm of the matrix, and where only numbers of ℝ are added up it is that."""
    draw = random.Random(seed)
    source, norm = draw.choice([*Norm]), draw.choice([*Norm])
    written = Written(draw)
    for _ in range(draw.randint(0, 4)):
        written.bind()
    results = [written.number() for _ in range(draw.randint(1, 3))]
    body = ", ".join(text for text, _ in results)
    head = f"function f(v::MetricVector(Real, {source.value}), x::Real) :: MetricVector(Real, {norm.value})"
    text = "\n".join([head, "    w = v", *written.lines, f"    [{body}]", "end"])
    [function] = ENGINE.check(text.replace("sum(v)", "(w[1] + w[2] + v[3])")).functions
    assert function.state is State.PROVED, text
    bounds = {each.name: claimed(str(each.sensitivity)) for each in function.parameters}
    matrix = np.array([[float(each) for each in value] for _, value in results])
    of_v, of_x = matrix[:, :ENTRIES], matrix[:, ENTRIES:]
    assert bounds["x"] == pytest.approx(size(of_x.flatten(), norm)), text
    true = by_corners(of_v, source, norm)
    assert bounds["v"] >= true * (1 - CLOSE), text
    if is_exact(of_v, source, norm):
        assert bounds["v"] == pytest.approx(true), text
