"""What ``dp-lsp run`` prints: what was released, and what that guarantees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dp_lsp import __version__
from dp_lsp.cli import counting
from dp_lsp.cli.files import shown
from dp_lsp.cli.style import printable
from dp_lsp.core.evaluate import rounded_up
from dp_lsp.core.notation import decimal
from dp_lsp.features.markdown import together

if TYPE_CHECKING:
    from dp_lsp.engine.runnable import Runnable
    from dp_lsp.release.ledger import Account
    from dp_lsp.release.running import Guarantee, Release

SCHEMA = 1
"""The version of what is printed for programs."""
_TEXTS = {"type": "array", "items": {"type": "string"}}
_NUMBER = {"type": "number"}


def schema() -> dict[str, Any]:
    """The JSON schema of a release. Readers ignore keys that they do not know."""
    pair = _object(epsilon=_NUMBER, delta=_NUMBER)
    guarantee = _object(
        parameters=_TEXTS, neighbours=_TEXTS, rule={"type": "string"}, epsilon=_NUMBER, delta=_NUMBER, proved=pair
    )
    texts = {key: {"type": "string"} for key in ("file", "function", "signature")}
    found = _object(
        schema_version={"const": SCHEMA},
        tool=_object(name={"const": "dp-lsp"}, version={"type": "string"}),
        **texts,
        value={"type": ["number", "string", "boolean", "array"]},
        guarantees={"type": "array", "items": guarantee},
        numbers={"type": "object", "additionalProperties": {"type": "string"}},
        drawn={"type": "object", "additionalProperties": {"type": "integer"}},
        not_checked=_TEXTS,
        ledger={"anyOf": [{"type": "null"}, counting.schema()]},
    )
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "dp-lsp release", **found}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def lines(found: Release, account: Account | None) -> Iterator[str]:
    """For a person: the value, what it guarantees, and what was spent by now, if that is counted."""
    yield printable(_shown(found.value))
    yield from (printable(f"  {_guaranteed(each)}") for each in found.guarantees)
    drawn = ", ".join(f"{count:,} {kind}" for kind, count in found.drawn)
    yield f"  drawn by OpenDP: {drawn or 'nothing'}"
    for what in found.unchecked:
        yield printable(f"  not checked: {what}")
    if account is None:
        yield "  every run spends this again, and nothing keeps count: --ledger FILE does"
    else:
        yield from (printable(f"  {line}") for line in counting.lines(account))


def spent(promised: Sequence[Guarantee], account: Account | None) -> str:
    """What a run spent, in words that begin in the middle of a sentence."""
    pairs = "; ".join(f"ε {decimal(each.epsilon, 6)}, δ {decimal(each.delta, 6)}" for each in promised)
    return f"spent {pairs or 'nothing'}" + ("" if account is None else f", which {account.path} counts")


def _guaranteed(each: Guarantee) -> str:
    numbers = f"ε {decimal(each.epsilon, 6)}, δ {decimal(each.delta, 6)} (rule {each.rule})"
    if each.is_joint:
        return f"{numbers if each.delta < 1 else 'nothing'} for whoever is in {' and '.join(each.parameters)} at once"
    changes = dict.fromkeys(each.neighbours)
    return f"{numbers} for {together(each.parameters)}, where {'; '.join(changes)}"


def document(
    function: Runnable, found: Release, numbers: Mapping[str, Fraction], account: Account | None
) -> dict[str, Any]:
    """For programs."""
    return {
        "schema_version": SCHEMA,
        "tool": {"name": "dp-lsp", "version": __version__},
        "file": shown(function.file),
        "function": function.report.name,
        "signature": function.report.signature,
        "value": _plain(found.value),
        "guarantees": [
            {
                "parameters": list(each.parameters),
                "neighbours": list(each.neighbours),
                "rule": each.rule,
                **_pair(each),
                "proved": _pair(each),
            }
            for each in found.guarantees
        ],
        "numbers": {name: str(value) for name, value in sorted(numbers.items())},
        "drawn": dict(found.drawn),
        "not_checked": list(found.unchecked),
        "ledger": None if account is None else counting.document(account),
    }


def _pair(each: Guarantee) -> dict[str, float]:
    """What is proved; it is what was drawn, too."""
    return {"epsilon": rounded_up(each.epsilon), "delta": rounded_up(each.delta)}


def _plain(value: Any) -> Any:
    """A value as JSON has it: a matrix is a list of rows. A number that no float can be is written out."""
    if hasattr(value, "shape") or isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool | int):
        return value
    try:
        return float(value)
    except OverflowError:
        return str(value)


def _shown(value: Any) -> str:
    """A value as a person writes it."""
    if hasattr(value, "shape"):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return str(value).lower() if isinstance(value, bool) else str(_plain(value))
