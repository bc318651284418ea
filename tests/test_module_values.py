"""Numbers that the body of a Python file makes of others: CPython computes them, and a claim is made of the same ones.

What a function costs tells which scale its noise was taken to have. CPython runs the body, and nothing of the checker
computes what is expected.
"""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import pytest

from dp_lsp.cli import main

HEAD = """from typing import Annotated
import numpy as np
from dp_types import AddRemove, Bounded, Private
"""
TAIL = """
def total(ages: Annotated[np.ndarray, AddRemove(), Bounded(0, 64)]) -> Private:
    return ages.sum() + np.random.laplace(0, {})
"""
PROGRAMS = 120


def body(chance: random.Random) -> list[str]:
    """Statements that give names values: numbers of all kinds, other things between, and now and then a name again."""
    names, lines = ["A"], [f"A = {chance.randint(1, 9)}"]

    def number(depth: int) -> str:
        match chance.randrange(7) if depth else chance.randrange(3):
            case 0:
                return str(chance.randint(1, 20))
            case 1:
                return chance.choice(["0.5", "0.25", "1.5", "2.0", "1e1"])
            case 2:
                return chance.choice(names)
            case 3:
                return f"{chance.randint(2, 4)} ** {chance.randint(0, 3)}"
            case 4:
                return f"-{number(0)}"
        return f"({number(depth - 1)} {chance.choice('+-*/')} {number(depth - 1)})"

    for step in range(chance.randint(2, 6)):
        name, other = f"B{step}", f"C{step}"
        match chance.randrange(8):
            case 0:
                lines.append(f"{name}: {chance.choice(['float', 'int', 'str | None'])} = {number(2)}")
            case 1:
                lines.append(f"{name}, {other} = {number(1)}, {number(1)}")
                names.append(other)
            case 2:
                lines.append(f"{name} = {other} = {number(1)}")
                names.append(other)
            case 3:
                lines.append(f"{other} = {chance.choice(['None', '[1, 2]', repr('text'), '{}', '(1, 2)'])}")
                continue
            case 4 if len(names) > 1:
                again = chance.choice(names)
                lines.append(chance.choice([f"{again} = 64", f"{again} += 1", f"_ = ({again} := 64)"]))
                continue
            case _:
                lines.append(f"{name} = {number(2)}")
        names.append(name)
    return [*lines, f"LAST = {chance.choice(names)} * 2"]


def computed(lines: list[str], name: str) -> Fraction | None:
    """What CPython gives a name; None where the file cannot be loaded."""
    values: dict[str, object] = {}
    try:
        exec("\n".join(lines), values)
    except (ArithmeticError, TypeError):
        return None
    value = values[name]
    return Fraction(value) if isinstance(value, int | float) else None


def test_claims_are_made_of_what_cpython_computes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    programs = [body(random.Random(seed)) for seed in range(PROGRAMS)]
    for seed, lines in enumerate(programs):
        text = HEAD + "\n".join(lines) + TAIL.format("LAST")
        (tmp_path / f"{seed}.py").write_text(text, "utf-8")
    main(["check", "--no-cache", "--output-format", "json", str(tmp_path)])
    judged = 0
    for file in json.loads(capsys.readouterr().out)["files"]:
        lines = programs[int(Path(file["path"]).stem)]
        (function,) = [each for each in file["functions"] if each["name"] == "total"]
        if function["status"] != "proved":
            continue
        scale, epsilon = computed(lines, "LAST"), Fraction(function["parameters"][0]["epsilon"])
        assert scale is None or (scale > 0 and abs(epsilon * scale / 64 - 1) < Fraction(1, 10**9)), lines
        judged += scale is not None
    assert judged >= PROGRAMS // 4
