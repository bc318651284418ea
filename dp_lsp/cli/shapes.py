"""What must be there in a value that was read from JSON before anybody looks into it."""

from __future__ import annotations

from typing import Any

_TEXT = (str,)
_MAYBE = (str, type(None))
_PLACE = {"line": (int,), "column": (int,)}
_RANGE = {"start": _PLACE, "end": _PLACE}
_BOUNDS: dict[str, Any] = {"sensitivity": _MAYBE, "epsilon": _MAYBE, "delta": _MAYBE, "stability?": {"d_in": _TEXT}}
_SIZES = {"size?": _MAYBE, "least?": _TEXT, "radius?": _TEXT}
_DOMAIN: dict[str, Any] = {
    "kind": _TEXT,
    "base?": _TEXT,
    "bounds?": [_TEXT],
    "metric?": _MAYBE,
    "clip?": _TEXT,
    **_SIZES,
}
_DOMAIN |= {"element?": _DOMAIN, "records?": _DOMAIN, "items?": [_DOMAIN]}
_ABOUT = {"domain?": _DOMAIN, "records_per_person?": _TEXT}
_PARAMETER = {"name": _TEXT, "type": _TEXT, "static": (bool,), **_BOUNDS, **_ABOUT}
_NUMBER = (int, float, type(None))
_FUNCTION = {
    "name": _TEXT,
    "signature": _TEXT,
    "kind": _TEXT,
    "status": _TEXT,
    "range": _RANGE,
    "parameters": [_PARAMETER],
    "bounds": [{"parameters": [_TEXT], "epsilon": _TEXT, "delta": _TEXT, "free": [{"range": _TEXT}]}],
    "conditions": [{"text": _TEXT, "formula": _MAYBE, "kind?": _TEXT}],
    "spending?": [{"parameters": [_TEXT], "range": _RANGE, "name": _TEXT, "epsilon": _TEXT, "delta": _TEXT}],
    "accepted?": _TEXT,
    "numeric?": [{"parameters": [_TEXT], "epsilon?": _NUMBER, "delta?": _NUMBER}],
}
_FOUND: dict[str, Any] = {"code": _TEXT, "message": _TEXT, "range": _RANGE}
_EXTENT = {"extent?": [{"about": _TEXT, "amount": _TEXT}]}
_FILE = {
    "path": _TEXT,
    "status": _TEXT,
    "functions": [_FUNCTION],
    "diagnostics": [_FOUND | {"severity": _TEXT} | _EXTENT],
    "accepted?": [_FOUND | _EXTENT],
}

REPORT = {"schema_version": (int,), "tool": {"version": _TEXT}, "profile": _TEXT, "files": [_FILE]}
"""A report, as far as it is compared. A key with a question mark may be missing, and there may be others."""


def fault(value: Any, shape: Any, path: str = "") -> str:
    """What is wrong with a value: where it is not as a shape says; empty if it is."""
    here = path or "it"
    if isinstance(shape, tuple):
        right = isinstance(value, shape) and (not isinstance(value, bool) or bool in shape)
        return "" if right else f"`{here}` is not what it must be"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"`{here}` is not a list"
        return next((wrong for i, each in enumerate(value) if (wrong := fault(each, shape[0], f"{path}[{i}]"))), "")
    if not isinstance(value, dict):
        return f"`{here}` is not a table"
    for key, inside in shape.items():
        name = key.rstrip("?")
        if name in value:
            wrong = fault(value[name], inside, f"{path}.{name}" if path else name)
        else:
            wrong = "" if key.endswith("?") else f"`{here}` has no `{name}`"
        if wrong:
            return wrong
    return ""
