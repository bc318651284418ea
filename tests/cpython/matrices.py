"""Random Python programs over arrays with one record in each row, alone and beside another array of the same records,
with what is easily misread of them: sums along the wrong axis, noise that is broadcast, norms of something else, rows
that are clipped by hand, and gradient descent."""

from __future__ import annotations

import random

_HEAD = """from typing import Annotated

import numpy as np
from dp_types import AddRemove, Bounded, ChangeOne, Private, RowNorm, Rows, Static

rng = np.random.default_rng()
"""
_CLIP = """

def clip(v, c):
    norm = np.linalg.norm(v)
    if norm > c:
        return {scaled}
    return v
"""
_GRADIENT = """

def gradient(w, x, y):
    return {made}
"""


class RowWriter:
    """Writes one program: helpers, and a function of an array of rows and, perhaps, of their answers."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.width = source.choice((2, 2, 2, 1, 3))
        self.two = source.random() < 0.5
        self.relation = source.choice(("AddRemove", "ChangeOne"))
        self.lines: list[str] = []

    def pick(self, *of: str) -> str:
        return self.source.choice(of)

    def program(self) -> str:
        helpers = _CLIP.format(scaled=self.pick(*("c * (v / norm)",) * 4, "v * (c / norm)", "v / norm", "c * v")) + (
            _GRADIENT.format(
                made=self.pick(
                    "(x @ w - y) * x",
                    "-(y * x) / (1 + np.exp(y * x.dot(w)))",
                    "(x.dot(w) - y) * x",
                    "x / y",
                    "x * y - w",
                )
            )
        )
        words = self.pick("", "", f", RowNorm({self.pick('1', '5')})", ", Bounded(0, 1)", ", Bounded(-1, 2)")
        wide = self.pick(*(f"{self.width}",) * 3, "")
        people = '"p"' if self.two else self.pick("", '"p"')
        said = f"Rows({wide if self.width == 2 else self.width}){words}"
        params = [f"X: Annotated[np.ndarray, {self.relation}({people}), {said}]"]
        if self.two:
            bounds = self.pick("", ", Bounded(0, 1)", ", Bounded(-1, 1)")
            params.append(f"y: Annotated[np.ndarray, {self.relation}({people}){bounds}]")
            self.source.shuffle(params)
        params += ["s: Static[float]", "c: Static[float]", "d: Static[int]", "k: Static[int]"]
        self.body()
        text = "\n".join(f"    {line}" for line in self.lines)
        return f"{_HEAD}{helpers}\n\ndef f(\n    {', '.join(params)}\n) -> Private:\n{text}\n"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def chance(self, share: float) -> bool:
        return self.source.random() < share

    def noise(self) -> str:
        """Noise for a vector, perhaps of the wrong size, perhaps with a name."""
        drawn = self.drawn()
        if not self.chance(0.3):
            return drawn
        self.line(f"z = {drawn}")
        return "z"

    def drawn(self) -> str:
        size = self.pick(*("d",) * 4, *(f"{self.width}",) * 4, "X.shape[1]", "X.shape[1]", "(d,)", "1", "len(X)")
        sigma = self.pick("s", "s", "s * c", "2")
        return self.pick(
            *(f"np.random.normal(0, {sigma}, size={size})",) * 4,
            *(f"rng.normal(0, {sigma}, size={size})",) * 2,
            f"np.random.laplace(0, {sigma}, size={size})",
            f"np.random.normal(0, {sigma})" if self.chance(0.3) else f"rng.laplace(scale={sigma}, size={size})",
        )

    def number_noise(self) -> str:
        return self.pick("np.random.laplace(0, s)", "rng.normal(0, s)", "np.random.laplace(0, 2)")

    def rows(self) -> str:
        """An array of rows, perhaps limited in some way."""
        if self.chance(0.4):
            norm = self.pick("axis=1, keepdims=True", "axis=1, keepdims=True", "axis=1", "axis=0, keepdims=True")
            self.line(f"n = np.linalg.norm(X, {norm})")
            n = "n[:, None]" if norm == "axis=1" and self.chance(0.9) else "n"
            of = self.pick("X", "X", "X", "X", "2 * X", "(X + 1)")
            self.line(
                f"Z = {self.pick(f'{of} / np.maximum(1, {n} / c)', f'{of} * np.minimum(1, c / {n})', f'{of} / {n}')}"
            )
            return self.pick("Z", "Z", "Z", "2 * Z", "np.clip(Z, 0, 1)", "Z[Z[:, 0] > 0]")
        return self.pick(
            "X",
            "X",
            "X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True) / c)",
            "np.clip(X, -1, 1)",
            "X.clip(0, 2)",
            "np.clip(2 * X + 1, 0, c)",
            "np.abs(np.clip(X, -1, 1))",
            "np.clip(X[X[:, 0] > 0.5], 0, 1)",
            "np.clip(X, 0, 1) * np.clip(X[:, 0], 0, 1)[:, None]",
            *(("np.clip(X, 0, 1) * y[:, None]", "np.clip(X * y.reshape(-1, 1), 0, 1)", "X[y > 0]") if self.two else ()),
        )

    def column(self) -> str:
        """One number for each record."""
        return self.pick(
            "X[:, 0]",
            f"X[:, {self.width - 1}]",
            "X.sum(axis=1)",
            "np.linalg.norm(X, axis=1)",
            "X @ np.zeros(d)",
            "X.mean(axis=1)",
            *(("y", "y * X[:, 0]", "y - X[:, 0]") if self.two else ()),
        )

    def each(self) -> str:
        """What is made of each record, as a list."""
        over, names = ("zip(X, y)", "x, t") if self.two and self.chance(0.8) else ("X", "x")
        t = "t" if names == "x, t" else self.pick("1", "2")
        made = self.pick(
            *(f"clip(gradient(w, x, {t}), c)",) * 4,
            f"clip({t} * x, c)",
            "clip(x, c)",
            f"gradient(w, x, {t})",
            "x / max(1, np.linalg.norm(x) / c)",
            "x * min(1, c / np.linalg.norm(x))",
            f"np.clip({t} * x, -1, 1)",
            "2 * clip(x, 1)",
        )
        kept = self.pick("", "", "", " if x[0] > 0", f" if {t} > 0")
        return f"[{made} for {names} in {over}{kept}]"

    def total(self) -> str:
        """A vector of sums."""
        if self.chance(0.4):
            self.line(f"g = {self.each()}")
            return self.pick(*("np.sum(g, axis=0)",) * 4, "np.array(g).sum(axis=0)", "np.mean(g, axis=0)", "np.sum(g)")
        of = self.rows()
        axis = self.pick(*("axis=0",) * 8, "axis=1")
        return self.pick(f"({of}).sum({axis})", f"np.sum({of}, {axis})", f"({of}).mean({axis})", f"({of}).sum()")

    def body(self) -> None:
        form = self.source.random()
        self.line("w = np.zeros(d)")
        if form < 0.35:
            steps = self.pick("range(k)", "range(2)", "range(k)")
            self.line(f"for _ in {steps}:")
            inner, self.lines = self.lines, []
            self.line(f"g = {self.each()}")
            self.line(f"total = {self.pick(*('np.sum(g, axis=0)',) * 5, 'np.mean(g, axis=0)')}")
            self.line(f"w = w - 0.1 * {self.pick('', '', '(1 / len(X)) * ')}(total + {self.noise()})")
            self.lines = inner + [f"    {line}" for line in self.lines]
            self.line(f"return {self.pick('w', 'w', 'w', 'total', 'w + total')}" if self.chance(0.2) else "return w")
        elif form < 0.75:
            total = self.total()
            if self.chance(0.4):
                self.line(f"t = {total}")
                total = self.pick("t", "t", "2 * t", "t / 3", "t / len(X)", "(t + w)")
            self.line(f"r = {total} {self.pick('+', '+', '+', '-')} {self.noise()}")
            if self.chance(0.3):
                self.line(f"q = ({self.pick('X @ r', 'X.dot(r)', 'X[:, 0]')} > {self.pick('0', '1', 's')}).sum()")
                self.line(f"return r, q + {self.number_noise()}")
            else:
                self.line(f"return {self.pick('r', 'r', 'r', '2 * r', 'r[0]', 'np.linalg.norm(r)', 'r @ r', 'len(r)')}")
        elif form < 0.9:
            of = self.column()
            made = self.pick(
                f"np.clip({of}, 0, 1).sum()", f"({of} > 0.5).sum()", f"np.clip({of}, 0, c).mean()", f"({of}).sum()"
            )
            self.line(f"return {made} + {self.number_noise()}")
        else:
            of = self.pick("len(X)", "X.shape[0]", "len(X[X[:, 0] > 0])", "X.shape[1]", "X.size", "len(X @ w)")
            self.line(f"return {of} + {self.number_noise()}")
