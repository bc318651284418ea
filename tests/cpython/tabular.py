"""Random Python programs over tables of pandas and matrices of rows, with what is easily misread of them: masks of what
has been replaced, of another table or with other records, tables and columns that are changed, values that are missing,
rows that are added up along the wrong axis."""

from __future__ import annotations

from .writing import NUMBERS, Writer

HEAD = """\
import math
import random
from typing import Annotated

import numpy as np
import pandas as pd
from dp_types import (
    AddRemove,
    AtLeast,
    Bounded,
    ChangeOne,
    Columns,
    MayBeMissing,
    OneOf,
    Private,
    RowNorm,
    Rows,
    Size,
    Static,
    Within,
)

"""
TOWNS = ("Bonn", "Ulm", "Trier")


class TableWriter(Writer):
    """Writes one program. Besides the names that other writers keep, `frame` are tables, `col` columns of numbers,
    `gap` columns of numbers that may be missing, `mask` columns of truth values, and `rows` matrices."""

    head = HEAD

    def parameter(self, name: str, data: str) -> str:
        if name == "y":
            return super().parameter(name, data)
        words = self.pick(("AddRemove()", "AddRemove()", "ChangeOne()"))
        if words == "AddRemove()" and self.chance(0.1):
            words = self.pick(("AddRemove(contributes=2)", "AddRemove(), AtLeast(2)"))
        if words == "ChangeOne()" and self.chance(0.1):
            words = "ChangeOne(), Size(3)"
        if self.chance(0.25):
            self.add("rows", name)
            norm = self.pick(("", ", RowNorm(2)", ", RowNorm(3, 'L1')"))
            return f"{name}: Annotated[np.ndarray, {words}, Rows(2){norm}]"
        low, high = self.limits()
        gaps = self.pick(("float", "MayBeMissing()", f"(Bounded({low}, {high}), MayBeMissing())"))
        town = self.pick(("str", "OneOf('Bonn', 'Ulm', 'Trier')"))
        columns = f"A=Bounded({low}, {high}), B=float, G={gaps}, T={town}, S=bool"
        self.add("frame", name)
        self.gaps = gaps != "float"
        return f"{name}: Annotated[pd.DataFrame, {words}, Columns({columns})]"

    def fresh(self, kind: str) -> str:
        name = super().fresh(kind)
        return f"{name}0" if name in (*self.names.get("frame", ()), *self.names.get("rows", ())) else name

    @property
    def has_data(self) -> bool:
        return bool(self.names.get("frame") or self.names.get("rows"))

    def assigned(self) -> None:
        if not self.names.get("frame") or self.chance(0.35):
            return super().assigned()
        kind = self.pick(("frame", "col", "mask", "gap"))
        value = {"frame": self.frame, "col": self.col, "mask": self.mask, "gap": self.gap}[kind](2)
        again = self.names.get(kind) if self.chance(0.15) else None
        name = self.pick(again) if again else self.fresh(kind)
        self.line(f"{name} = {value}")
        if not again:
            self.add(kind, name)

    def collection(self) -> str:
        return self.col(2) if self.names.get("frame") else self.row_sum()

    def arr(self, depth: int) -> str:
        return self.col(depth) if self.names.get("frame") else f"{self.rows()}[:, 0]"

    # Tables

    def frame(self, depth: int) -> str:
        name = self.pick(self.names["frame"])
        if not depth or self.chance(0.5):
            return name
        forms = [
            f"{name}[{self.mask(depth - 1, name)}]",
            f"{name}[{self.mask(depth - 1, name)}]",
            f"{name}.loc[{self.mask(depth - 1, name)}]",
            f"{name}[['A', 'B', 'G', 'T', 'S']]",
            f"{name}.dropna()",
            f"{name}.dropna(subset=['G'])",
            f"{name}.copy()",
        ]
        if self.chance(self.trap):
            forms = [
                f"{name}[:2]",
                f"{name}.head(2)",
                f"{name}.drop_duplicates()",
                f"{name}.sort_values('A')",
                f"{name}[{self.mask(depth - 1)}]",
                f"{name}.reset_index(drop=True)",
                f"{name}.fillna(0)",
                f"{name}.assign(A=9)",
                f"pd.concat([{name}, {name}])",
            ]
        return self.pick(forms)

    def cell(self, name: str, columns: str) -> str:
        column = self.pick(columns)
        return self.pick((f"{name}['{column}']", f"{name}['{column}']", f"{name}.{column}", f'{name}["{column}"]'))

    def col(self, depth: int, frame: str = "") -> str:
        """A column of numbers, of one table."""
        name = frame or self.frame(1 if depth else 0)
        if not frame and self.names.get("col") and self.chance(0.3):
            return self.pick(self.names["col"])
        if not depth:
            return self.cell(name, "AB")
        name = name if name.isidentifier() else f"({name})"
        low, high = self.limits()
        of = self.col(depth - 1, name) if name.isidentifier() else self.cell(name, "AB")
        forms = [
            f"{of}.clip({low}, {high})",
            f"{of}.clip(lower={low}, upper={high})",
            f"np.clip({of}, {low}, {high})",
            f"({of} + {self.col(0, name)})",
            f"({of} * {self.positive()})",
            f"{of}.abs()",
            self.cell(name, "AB"),
            f"{self.gap(depth - 1, name)}.fillna({self.pick(NUMBERS)})",
            f"{self.gap(depth - 1, name)}.dropna()",
        ]
        if name.isidentifier():
            forms += [f"{of}[{self.mask(0, name)}]", f"{name}.loc[{self.mask(0, name)}, 'A']"]
        if self.chance(self.trap):
            forms = [
                f"{of} / {self.cell(name, 'AB')}",
                f"{of} - {of}.mean()",
                f"{of}[:2]",
                f"{of}.clip(0)",
                f"{of}.round()",
                f"{of}.shift(1)",
                f"{of}.sort_values()",
                f"{of}.diff()",
                f"{of}.drop_duplicates()",
                f"({of} + {self.col(0)})",
                f"{of}.values",
                f"{of}.astype(int)",
                f"{of}[{self.mask(0)}]",
            ]
        return self.pick(forms)

    def gap(self, depth: int, frame: str = "") -> str:
        """A column whose numbers may be missing."""
        if not frame and self.names.get("gap") and self.chance(0.3):
            return self.pick(self.names["gap"])
        of = self.cell(frame or self.frame(0), "G")
        low, high = self.limits()
        return self.pick((of, of, f"{of}.clip({low}, {high})", f"({of} + 1)", f"({of} * {self.positive()})"))

    def mask(self, depth: int, frame: str = "") -> str:
        name = frame or self.frame(0)
        if self.names.get("mask") and self.chance(0.3):
            return self.pick(self.names["mask"])
        of = self.pick((self.cell(name, "AB"), self.cell(name, "AB"), self.gap(0, name)))
        forms = [
            f"({of} {self.pick(('<', '>', '<=', '>=', '==', '!='))} {self.pick(NUMBERS)})",
            f"({of} > {self.pick(NUMBERS)})",
            f"({name}['T'] {self.pick(('==', '!='))} '{self.pick(TOWNS)}')",
            f"{name}['T'].isin(['Bonn', 'Ulm'])",
            f"{of}.isin([0, 1, 3])",
            f"{of}.between(0, 3)",
            f"{name}['S']",
            f"{self.gap(0, name)}.{self.pick(('isna', 'notna', 'isnull', 'notnull'))}()",
            f"({of} > {self.cell(name, 'AB')})",
        ]
        if depth:
            forms += [
                f"({self.mask(depth - 1, name)} {self.pick('&|')} {self.mask(depth - 1, name)})",
                f"({self.mask(depth - 1, name)} {self.pick('&|')} {self.mask(depth - 1, name)})",
                f"~{self.mask(depth - 1, name)}",
            ]
        if self.chance(self.trap):
            forms = [
                f"({of} > len({name}))",
                f"({name}['T'] > 'C')",
                f"({name}['T'] == {self.pick(NUMBERS)})",
                f"({name}.index > 0)",
                f"{name}['T'].duplicated()",
                f"({of} > {of}.mean())",
                f"({of} > 0 | {of} < 3)",
                f"(not {of}.any())",
                f"{name}.A == {name}.A.max()",
            ]
        return self.pick(forms)

    # Rows

    def rows(self) -> str:
        return self.pick(self.names["rows"])

    def row_sum(self) -> str:
        of = self.rows()
        c = self.pick(("1", "2", "0.5"))
        return self.pick(
            (
                f"{of}.sum(axis=0)",
                f"np.sum({of}, axis=0)",
                f"np.clip({of}, -{c}, {c}).sum(axis=0)",
                f"{of}.mean(axis=0)",
                f"np.sum([x * min(1, {c} / np.linalg.norm(x)) for x in {of}], axis=0)",
                f"np.sum([x / max(1, np.linalg.norm(x) / {c}) for x in {of}], axis=0)",
                f"{of}.T @ np.ones(len({of}))",
                f"{of}.sum(axis=1)",
                f"{of}.sum()",
            )
        )

    # Numbers

    def of_data(self) -> str:
        if not self.names.get("frame"):
            of = self.rows()
            return self.pick(
                (
                    f"len({of})",
                    f"{of}.shape[0]",
                    f"{of}.shape[1]",
                    f"np.clip({of}[:, 0], 0, 1).sum()",
                    f"({of}[:, 1] > 0).sum()",
                    f"{of}.sum()",
                    f"len({of}[{of}[:, 0] > 0])",
                )
            )
        low, high = self.limits()
        forms = [
            lambda: f"len({self.frame(2)})",
            lambda: f"{self.frame(2)}.shape[0]",
            lambda: f"({self.mask(2)}).sum()",
            lambda: f"np.sum({self.mask(1)})",
            lambda: f"({self.col(2)}).clip({low}, {high}).sum()",
            lambda: f"({self.col(2)}).clip({low}, {high}).sum()",
            lambda: f"np.sum({self.col(1)})",
            lambda: f"({self.col(1)}).clip({low}, {high}).mean()",
            lambda: f"({self.col(1)}).mean()",
            lambda: f"({self.col(2)}).count()",
            lambda: f"({self.gap(2)}).count()",
            lambda: f"({self.gap(2)}).clip({low}, {high}).sum()",
            lambda: f"({self.gap(2)}).fillna({self.pick(NUMBERS)}).clip({low}, {high}).sum()",
            lambda: f"({self.gap(2)}).dropna().clip({low}, {high}).sum()",
            lambda: f"len(({self.gap(2)}).dropna())",
            lambda: f"len({self.col(1)})",
        ]
        if self.chance(self.trap):
            forms = [
                lambda: f"({self.gap(2)}).clip({low}, {high}).mean()",
                lambda: f"({self.gap(2)}).sum()",
                lambda: f"({self.col(1)}).max()",
                lambda: f"{self.frame(0)}.size",
                lambda: f"{self.frame(0)}['T'].nunique()",
                lambda: f"({self.col(1)}).iloc[0]",
                lambda: f"({self.mask(1)}).any()",
                lambda: f"len({self.frame(0)}.columns)",
                lambda: f"({self.col(1)}).std()",
                lambda: f"sum({self.gap(1)})",
                lambda: f"np.sum({self.gap(1)}.values)",
                lambda: f"{self.frame(0)}['T'].value_counts().max()",
                lambda: f"{self.frame(0)}.groupby('T')['A'].sum().max()",
            ]
        return self.pick(forms)()

    def vec(self) -> str:
        if self.names.get("rows"):
            return self.row_sum()
        return f"np.histogram({self.col(1)}, bins={self.pick(('[0, 1, 3]', '[-5, 0, 5]'))})[0]"

    def released_vec(self) -> str:
        if self.names.get("rows"):
            return f"{self.row_sum()} + {self.draw(self.positive(), ', size=2')}"
        if self.chance(0.5):
            name = self.pick(self.names["frame"])
            of = f"{name}['T'].value_counts().reindex(['Bonn', 'Ulm'], fill_value=0)"
            keys = self.pick(("['Bonn', 'Ulm']", "('Ulm', 'Oslo')", "['Bonn', 'Bonn']"))
            sums = f"{name}.groupby('T')['{self.pick('AAB')}'].sum().reindex({keys}, fill_value=0)"
            sizes = f"{name}.groupby('T').size().reindex(['Bonn', 'Ulm'], fill_value=0)"
            made = self.pick((of, sizes, sums, sums, sums.removesuffix(", fill_value=0)") + ")"))
            return f"{made} + {self.draw(self.positive(), ', size=2')}"
        return super().released_vec()

    def appended(self) -> None:
        """A list that is made here, and appended to in rounds, or by another name, or for each record."""
        name = self.pick(("out", "out", "out", "out", "same"))
        self.line("out = []")
        if name != "out":
            self.line(f"{name} = out")
        rounds, arrays = "range(3)", self.names.get("arr")
        self.line(f"for i in {self.pick(arrays) if arrays and self.chance(0.15) else rounds}:")
        self.line(f"    {name}.append({self.released() if self.chance(0.7) else self.of_data()})")
        last = ("out", "out", "out", f"sum(out) + {self.draw('2')}", f"len(out) + {self.draw('2')}")
        self.line(f"return {self.pick(last)}")

    def filled(self) -> None:
        """A dictionary that is filled for each of some towns, perhaps by a key that is none of them, or under a
        condition; or what is carried from town to town."""
        name, over = self.pick(self.names["frame"]), self.pick(("['Bonn', 'Ulm']", "('Bonn', 'Bonn')", "towns"))
        if over == "towns":
            self.line("towns = ['Bonn', 'Ulm', 'Oslo']")
        key = (
            self.pick(("t", "t", "t", "'all'")) if not self.chance(self.trap) else self.pick((f"len({name})", "total"))
        )
        self.line("out = {}")
        counts = self.pick((f"len({name}[{name}['T'] == t])", f"{name}[{name}['T'] == t]['A'].sum()", f"len({name})"))
        value, drawn = "part", self.draw(self.positive())
        if self.chance(0.3):
            self.line("total = 0")
            value, counts = "total", f"total + {counts}"
        self.line(f"for t in {over}:")
        self.line(f"    {value} = {counts}")
        if self.chance(0.4):
            self.line(f"    noise = {drawn}")
            drawn = "noise"
        self.line(f"    out[{key}] = {value} + {drawn}")
        self.line(f"return {self.pick(('out', 'out', 'out, t', '(out, 1)', 'len(out)'))}")

    def last(self) -> None:
        if self.private and self.names.get("frame") and self.chance(0.1):
            return self.filled()
        if self.private and self.names.get("frame") and self.chance(0.15):
            name = self.pick(self.names["frame"])
            each = f"len({name}[{name}['T'] == t]) + {self.draw(self.positive())}"
            over = self.pick(("['Bonn', 'Ulm']", "('Bonn', 'Ulm')", "['Bonn', 'Bonn']"))
            return self.line(f"return {self.pick((f'{{t: {each} for t in {over}}}', f'[{each} for t in {over}]'))}")
        if self.private and self.chance(0.12):
            if self.chance(0.5):
                return self.appended()
            size, place = self.pick(("2", "3", "3")), self.pick(("i", "i", "i", "2 - i", "-i", "0"))
            self.line(f"out = np.zeros({size})")
            self.line("for i in range(3):")
            self.line(f"    out[{place}] = {self.released() if self.chance(0.7) else self.of_data()}")
            return self.line(f"return {self.pick(('out', 'out', 'out + ' + self.draw('2', f', size={size}')))}")
        if self.private and self.names.get("rows") and self.chance(0.5):
            return self.line(f"return {self.released_vec()}")
        super().last()


TableWriter.tricks = (
    ("frame", "FRAME['A'] = C", ""),
    ("frame", "FRAME['A'] = FRAME['A'] * C", ""),
    ("frame", "NEW = FRAME\nNEW['A'] = C", "frame"),
    ("frame", "NEW = FRAME.copy()\nNEW['A'] = C", "frame"),
    ("frame", "FRAME.loc[FRAME['A'] > C, 'A'] = C", ""),
    ("frame", "FRAME.dropna(inplace=True)", ""),
    ("frame", "FRAME = FRAME[FRAME['A'] > C]", ""),
    ("frame", "FRAME = FRAME.dropna()", ""),
    ("frame", "NEW = FRAME['A']\nNEW[:] = C", "col"),
    ("frame", "NEW = FRAME['A']\nNEW *= C", "col"),
    ("frame", "NEW = FRAME['A'] > C\nNEW[:] = True", "mask"),
    ("frame", "NEW = FRAME['A'] > C\nFRAME = FRAME[FRAME['B'] > C]", "mask"),
    ("frame", "NEW = C\nFRAME['B'].clip(0, NEW, inplace=True)", "pub"),
    ("frame", "for NEW in FRAME:\n    pass", ""),
    ("frame", "print(len(FRAME))", ""),
    ("frame", "NEW = FRAME['G'].fillna(FRAME['G'].mean())", "col"),
    ("frame", "NEW = FRAME['A'].values\nNEW[0] = C", ""),
    ("mask", "NEW = ~MASK", "mask"),
    ("mask", "if MASK.any():\n    pass", ""),
    ("col", "NEW = COL.clip(0, C)\nCOL = NEW * C", "col"),
    ("gap", "GAP.fillna(0, inplace=True)\nNEW = GAP", "col"),
    ("rows", "ROWS[0] = C", ""),
    ("rows", "NEW = ROWS[:, 0]\nNEW[:] = C", ""),
    ("rows", "ROWS -= ROWS.mean(axis=0)", ""),
    ("rows", "for NEW in ROWS:\n    NEW *= C", ""),
    ("num", "NEW = num1 = NUM", "num"),
    ("num", "print(NUM)", ""),
)
