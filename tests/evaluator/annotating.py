"""The same function with helpers that have annotations: in place of functions that are written in a call, and of others
without annotations; and with arguments that are given by name, in another order than the helper has them.

Which are chosen follows from the text alone, so a seed keeps the function that it had."""

from __future__ import annotations

import random
import re

_SHARE = 0.25
_HELPER = re.compile(r"^(\w+)\((\w+(?:, \w+)*)\) = ", re.MULTILINE)
_WRITTEN = re.compile(r"\b(map|count|filter)\(t -> ((?:[^(),]|\([^()]*\))+), (?=\w+\))")
_VECTOR = re.compile(r"\bv::(MetricVector\((?:[^()]|\([^()]*\))*\))")
_NUMBERS = {"t": "Real", "p": "Real", "q": "Real", "e": "Real", "i": "Integer"}


def annotated(name: str, text: str) -> str:
    """A program with annotations of some of its helpers."""
    chance = random.Random(f"annotated {text}")
    vector = _VECTOR.search(text)
    if vector is None:
        return text
    if chance.random() < _SHARE:
        text = _HELPER.sub(lambda found: _with_types(found, vector[1]), text)
    elif chance.random() < _SHARE:
        text = _by_name(text)
    if chance.random() < _SHARE:
        text = _named(name, text, chance)
    return text


def _with_types(found: re.Match[str], vector: str) -> str:
    types = {**_NUMBERS, "w": vector, "s": "Static()", "a": "Static()"}
    params = found[2].split(", ")
    if not all(each in types for each in params):
        return found[0]
    return f"{found[1]}({', '.join(f'{each}::{types[each]}' for each in params)}) = "


def _by_name(text: str) -> str:
    """The public numbers of a helper in the other order, by their names."""
    found = _HELPER.search(text)
    params = found[2].split(", ") if found else []
    if found is None or len(params) != 3 or params[0] != "w":
        return text
    _, one, other = params
    call = f"{found[1]}(v, {one}, {other})"
    head = f"{found[1]}(w; {one}, {other}) = "
    return text.replace(found[0], head).replace(call, f"{found[1]}(v; {other} = {other}, {one} = {one})")


def _named(name: str, text: str, chance: random.Random) -> str:
    """A function that is written in a call, and looks at its argument alone, as one of the program."""
    found = _WRITTEN.search(text)
    if found is None or set(re.findall(r"[A-Za-z_]\w*", found[2])) & {"s", "a", "b", "c", "w", "v", "i"}:
        return text
    helper = f"g{name}"
    converts = "" if found[1] == "map" else chance.choice(("", " :: Bool"))
    defined = f"{helper}(t::Real){converts} = {found[2]}"
    return f"{defined}\n{text.replace(f't -> {found[2]}, ', f'{helper}, ')}"
