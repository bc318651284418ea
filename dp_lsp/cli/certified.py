"""Certificates as they are read. What says a thing twice, or something that its reader knows nothing of, is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from dp_lsp.analysis.setting import number
from dp_lsp.cli.sealed import VERSION

Json = dict[str, Any]

_OPTIONAL = "?"
_ANY = "*"
_SHAPE: Any = {
    "certificate": int,
    "tool": {"name": str, "version": str},
    "sources": [{"path": str, "sha256": str}],
    "bounds": [
        {
            "path": str,
            "function": str,
            "signature": str,
            "parameters": [str],
            "settings": {_ANY: number},
            "target_delta": (None, number),
            "neighbours": str,
            "contributes": int,
            "conditions": [str],
            "stated" + _OPTIONAL: {"rule": str, "epsilon": number},
            "rule": str,
            "epsilon": number,
            "delta": number,
            "order" + _OPTIONAL: number,
            "nodes": [dict],
            "files": [str],
            "seal": str,
        }
    ],
}
"""What stands where: a class, a number that is written as text, all of a list, the names of an object. What a node
holds depends on the rule, and is for the verifier to say."""


def parsed(text: str) -> Json:
    """The certificate that a text is. Raises ValueError, or RecursionError, for one that is none."""
    found: Json = json.loads(text, object_pairs_hook=_each_once, parse_constant=_no_number, parse_float=_no_number)
    version = found.get("certificate") if isinstance(found, dict) else None
    if version != VERSION or type(version) is not int:
        raise ValueError(f"it is of version {version}, and this is a reader of version {VERSION}")
    for place in _misfits(found, _SHAPE, ""):
        raise ValueError(f"{place} is missing, or is nothing that stands there in a certificate")
    if len({each["path"] for each in found["sources"]}) < len(found["sources"]):
        raise ValueError("it lists a file twice")
    return found


def _each_once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it gives one name two meanings")
    for value in found.values():
        if any(isinstance(each, bool) for each in (value if isinstance(value, list) else [value])):
            raise ValueError("true and false are no numbers")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text[:40]} is not how a certificate writes a number")


def _misfits(value: Any, shape: Any, place: str) -> Iterator[str]:
    """The places where something else stands than belongs there."""
    if shape is number:
        if not isinstance(value, str) or number(value) is None:
            yield place
    elif isinstance(shape, tuple):
        yield from () if value is None else _misfits(value, shape[1], place)
    elif isinstance(shape, list):
        for index, each in enumerate(value) if isinstance(value, list) else ():
            yield from _misfits(each, shape[0], f"{place}[{index}]")
        if not isinstance(value, list):
            yield place
    elif isinstance(shape, dict):
        yield from _misfits_inside(value, shape, place)
    elif type(value) is not shape:
        yield place


def _misfits_inside(value: Any, shape: Json, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield place or "the whole"
        return
    known = {name.removesuffix(_OPTIONAL): inner for name, inner in shape.items()}
    for name in known.keys() - value.keys() - {_ANY}:
        if name in shape:
            yield f"{place}.{name}".lstrip(".")
    for name, each in value.items():
        inner = known.get(name, known.get(_ANY))
        if inner is None:
            yield f"{place}.{name}".lstrip(".")
        else:
            yield from _misfits(each, inner, f"{place}.{name}".lstrip("."))
