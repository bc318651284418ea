"""What certificates are made with and read by: the version, digests, seals, and the verifier's verdict on one bound."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dp_lsp.verify import Replay

VERSION = 2
"""Of certificates that are written and read."""


def digest_of(text: str) -> str:
    """What a certificate knows a program by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def seal(bound: Mapping[str, Any], digests: Mapping[str, str]) -> str:
    """What ties a bound to what it is about: a digest of all that it says, and of the files of its project."""
    said = {key: value for key, value in bound.items() if key != "seal"}
    return digest_of(json.dumps([said, {path: digests[path] for path in said["files"]}], sort_keys=True))


def refusal(bound: Any) -> str:
    """Why a bound is not proved by what stands there; empty if it is."""
    try:
        Replay(bound["nodes"]).prove(len(bound["nodes"]) - 1, bound)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as wrong:
        return str(wrong) or type(wrong).__name__
    return ""
