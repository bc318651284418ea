"""Ways of Julia to say what the language that is checked says by `map`: broadcasts and comprehensions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

BY_MAP = "`map(x -> …, v)`"
"""What to write instead, in a message."""

_NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:e-?[0-9]{1,2})?"
_CLASSICAL = re.compile(rf"\bgaussian_mechanism\((?P<r>[^,()\n]+),\s*(?P<eps>{_NUMBER})\s*,\s*(?P<delta>{_NUMBER})\s*,")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*!?(?!\w|\.?\()")
_DOTTED = re.compile(r"\.(?=\(|[-+*/^%<>=!&|≤≥])")
_FIRST_ARGUMENT = re.compile(r"\.\(\s*(?P<first>[^\W\d]\w*\((?:[^()]|\([^()]*\))*\))\s*[,)]")
_EACH = re.compile(
    r"\[?\s*(?P<made>.+?)\s+for\s+(?P<name>[^\W\d]\w*)\s*(?:\bin\b|=|∈)\s*(?P<values>.+?)(?:\s+if\s+(?P<kept>.+?))?\s*\]?",
    re.DOTALL,
)
_ROWS = re.compile(r"eachrow\((?P<matrix>.+)\)", re.DOTALL)


def by_map(text: str) -> Iterator[str]:
    """How a piece of text may be said by `map`: a broadcast once for each value that may be the one of many numbers,
    all others being numbers; a comprehension or a generator over one range or container."""
    each = _EACH.fullmatch(text)
    if each is not None:
        yield _comprehension(each)
    elif _DOTTED.search(text):
        yield from _fused(text)


class Classical(NamedTuple):
    """Gaussian noise by the classical formula: ε and δ as they are written, and where the call stands, but for what is
    hidden."""

    start: int
    end: int
    distance: str
    epsilon: str
    delta: str

    def by_deviation(self, sigma: str) -> str:
        """The same with this many times the distance as its deviation."""
        return f"gaussian_noise({self.distance}, {sigma},"


def classical_noise(text: str, epsilon: int) -> Classical | None:
    """The classical noise whose ε stands at a place of a text, where its numbers are written out."""
    for found in _CLASSICAL.finditer(text):
        if found.start("eps") == epsilon:
            return Classical(*found.span(), found["r"].strip(), found["eps"], found["delta"])
    return None


def _comprehension(found: re.Match[str]) -> str:
    name, values = found["name"], found["values"]
    rows = _ROWS.fullmatch(values)
    if rows is not None:
        values = rows["matrix"]
    if found["kept"]:
        values = f"filter({name} -> {found['kept']}, {values})"
    return f"{'map' if rows is None else 'map_rows'}({name} -> {found['made']}, {values})"


def _fused(text: str) -> Iterator[str]:
    """Broadcasts that are nested are done together, number by number."""
    body = _DOTTED.sub("", text)
    words = dict.fromkeys(found[0] for found in _NAME.finditer(text))
    each = next(name for name in ("x", "each", "one_of_them") if name not in words)
    call = _FIRST_ARGUMENT.search(text)
    if call is not None:
        yield f"map({each} -> {body.replace(call['first'], each, 1)}, {call['first']})"
    for word in words:
        numbers = re.compile(rf"(?<![\w.]){re.escape(word)}(?!\w|\()")
        yield f"map({each} -> {numbers.sub(each, body)}, {word})"
