"""What Python costs beside Julia: the same functions in both languages, about a thousand lines of each, edited alike.

Each measure is the time of the processor in this process, of the engine as the checking process runs it. The languages
take turns, so what else the machine does weighs on both alike.
"""

from __future__ import annotations

import argparse
import itertools
import re
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from dp_lsp.engine.check import Engine
from dp_lsp.worker.__main__ import collect_less

JULIA_HEAD = """\
function rescale(x::Real)
    return x / 100
end
"""
JULIA = '''
# Device N: what is said of its readings.

"""Readings on the scale of the report."""
function scaled_N(x::Real, y::Real)
    a = 2 * x + N
    b = a - y / 4
    # Both count, whatever the device says.
    return (a + b) / 200
end

function chosen_N(x::Real, mode::Static(Integer))
    if mode == 1
        y = 2 * x
    else
        y = rescale(x)
    end
    return y + N
end

function repeated_N(x::Real)
    y = 0.0
    for i in 1:4
        y = y + x / 100
    end
    return y
end

function counted_N(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    large = filter(x -> x > N, v)
    many = length(large)
    shown = laplacian_mechanism(1, eps, many)
    if shown < 0
        shown = 0
    end
    return shown
end

function summed_N(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    low = clamp(v, 0, 100)
    total = sum(low)
    return laplacian_mechanism(100, eps, total)
end

function mean_N(v::MetricVector(Real, ChangeOne), eps::Static()) :: Priv()
    low = clamp(v, 0, 50)
    return laplacian_mechanism(50 / length(v), eps, sum(low) / length(v))
end

function rounds_N(x::Real, eps::Static(), k::Static(Integer)) :: Priv()
    y = 0.0
    for i in 1:k
        y = y + laplacian_mechanism(1, eps, repeated_N(x))
    end
    return y / 300
end

function bins_N(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    counts = histogram(v, [0, 10, 20, 300])
    return laplacian_mechanism(1, eps, counts)
end

function both_N(v::MetricVector(Real, Symmetric), eps::Static()) :: Priv()
    first = summed_N(v, eps)
    second = counted_N(v, eps)
    return first / 2 + second
end

function product_N(x::Real, y::Real)
    return scaled_N(x, y) * y
end
'''
PYTHON_HEAD = """\
from typing import Annotated
import numpy as np
from dp_types import AddRemove, ChangeOne, Private, Static, Within


def rescale(x: Annotated[float, Within()]):
    return x / 100
"""
PYTHON = '''
# Device N: what is said of its readings.

def scaled_N(x: Annotated[float, Within()], y: Annotated[float, Within()]):
    """Readings on the scale of the report."""
    a = 2 * x + N
    b = a - y / 4
    # Both count, whatever the device says.
    return (a + b) / 200


def chosen_N(x: Annotated[float, Within()], mode: Static[int]):
    if mode == 1:
        y = 2 * x
    else:
        y = rescale(x)
    return y + N


def repeated_N(x: Annotated[float, Within()]):
    y = 0.0
    for i in range(4):
        y = y + x / 100
    return y


def counted_N(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
    large = v[v > N]
    many = len(large)
    shown = many + np.random.laplace(0, 1 / eps)
    if shown < 0:
        shown = 0
    return shown


def summed_N(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
    low = np.clip(v, 0, 100)
    total = np.sum(low)
    return total + np.random.laplace(0, 100 / eps)


def mean_N(v: Annotated[np.ndarray, ChangeOne()], eps: Static[float]) -> Private:
    low = np.clip(v, 0, 50)
    return np.sum(low) / len(v) + np.random.laplace(0, 50 / len(v) / eps)


def rounds_N(x: Annotated[float, Within()], eps: Static[float], k: Static[int]) -> Private:
    y = 0.0
    for i in range(k):
        y = y + repeated_N(x) + np.random.laplace(0, 1 / eps)
    return y / 300


def bins_N(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
    counts, _ = np.histogram(v, bins=[0, 10, 20, 300])
    return counts + np.random.laplace(0, 1 / eps, size=3)


def both_N(v: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
    first = summed_N(v, eps)
    second = counted_N(v, eps)
    return first / 2 + second


def product_N(x: Annotated[float, Within()], y: Annotated[float, Within()]):
    return scaled_N(x, y) * y
'''


class Spelling(NamedTuple):
    """The functions in one language, and what is typed into them."""

    document: str
    head: str
    section: str
    new: str


SPELLINGS = {
    "Julia": Spelling(
        "measured.jl",
        JULIA_HEAD,
        JULIA,
        "function added(x::Real, k::Static())\n    y = 2 * x + k\n    return y / 4\nend",
    ),
    "Python": Spelling(
        "measured.py",
        PYTHON_HEAD,
        PYTHON,
        "def added(x: Annotated[float, Within()], k: Static[float]):\n    y = 2 * x + k\n    return y / 4",
    ),
}
LINES = 1_000


class Twin(NamedTuple):
    """A file in one language."""

    document: str
    text: str
    new: str
    middle: int

    def numbered(self, mark: str, times: int) -> list[str]:
        """The file with other numbers of three digits in the place that begins behind a mark, the first one in the
        middle of the file, else at its beginning."""
        at = self._behind(mark)
        assert self.text[at : at + 3].isdigit()
        return [f"{self.text[:at]}{next(_numbers)}{self.text[at + 3 :]}" for _ in range(times)]

    def typed(self, mark: str, added: str, times: int) -> list[str]:
        """The file each time that a key more of a text was typed behind a mark, for so many keys."""
        at = self._behind(mark)
        return [f"{self.text[:at]}{added[:count]}{self.text[at:]}" for count in range(1, min(len(added), times) + 1)]

    def _behind(self, mark: str) -> int:
        return self.text.index(mark, self.middle if mark in self.text[self.middle :] else 0) + len(mark)


_numbers = itertools.cycle(range(101, 1000))
_MARK = "# Device "
_variants = itertools.count(1)


def twin(language: str, lines: int = LINES, variant: int = 0) -> Twin:
    """The file in a language. Two variants have no function of a section in common."""
    document, head, section, new = SPELLINGS[language]
    sections = max(2, lines // JULIA.count("\n"))
    names = (str(number + 1000 * variant) for number in range(1, sections + 1))
    text = head + "".join("\n" + re.sub(r"(?<=_)N\b|\bN\b", name, section) for name in names)
    return Twin(document, text, new, text.index(_MARK, len(text) // 2))


Edits = Callable[[Twin, int], list[str]]
EDITS: dict[str, Edits] = {
    "an edit in a function that draws": lambda made, times: made.numbered("return y / ", times),
    "an edit in one that does not": lambda made, times: made.numbered("(a + b) / ", times),
    "an edit in a function that all others use": lambda made, times: made.numbered("    return x / ", times),
    "typing in a comment": lambda made, times: made.typed("# Both count", _WORDS, times),
    "typing in a text": lambda made, times: made.typed("Readings on the scale", _WORDS, times),
    "typing a new function": lambda made, times: made.typed("\n\n", f"{made.new}\n\n", times),
}
_WORDS = ", as they always did in the years before that one, and will again"


def main() -> None:
    """Print each measure in both languages, in milliseconds, and how many times Julia's Python's is: the median of
    what was measured by turns."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.languages", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small files, each measured once: that it runs at all")
    smoke = parser.parse_args().smoke
    lines, rounds, times = (80, 1, 3) if smoke else (LINES, 5, 80)
    collect_less()
    print(f"{'milliseconds of the processor, medians':<46}{'Julia':>10}{'Python':>10}{'ratio':>8}   aim")
    for title, edits in EDITS.items():
        _print(title, _by_turns(rounds, lambda made, edits=edits: _edited(made, edits(made, times)), lines))
    _print("a file opened for the first time", _by_turns(rounds, lambda made: [_checked(Engine(), made)], lines))


def _by_turns(rounds: int, measure: Callable[[Twin], list[float]], lines: int) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {language: [] for language in SPELLINGS}
    for _ in range(rounds):
        variant = next(_variants)
        for language, taken in found.items():
            taken += measure(twin(language, lines, variant))
    return found


def _edited(made: Twin, versions: list[str]) -> list[float]:
    """What the check of each version costs, one after the other, once the file is known."""
    engine = Engine()
    _checked(engine, made)
    return [_checked(engine, made._replace(text=text)) for text in versions]


def _checked(engine: Engine, made: Twin) -> float:
    began = time.process_time()
    engine.check(made.text, document=made.document)
    return (time.process_time() - began) * 1000


def _print(title: str, taken: dict[str, list[float]]) -> None:
    julia, python = (statistics.median(taken[language]) for language in SPELLINGS)
    print(f"{title:<46}{julia:>10.1f}{python:>10.1f}{python / julia:>8.2f}   ≤ 1.5", flush=True)


if __name__ == "__main__":
    main()
