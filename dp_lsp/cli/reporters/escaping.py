"""Text of users in formats that give some characters a meaning: there it must mean nothing."""

from __future__ import annotations

import json
import re
from typing import Any

from dp_lsp.cli.style import BIDIRECTIONAL, COMMAND, cell

# What must not reach a terminal as it is. JSON writes the control characters of ASCII as escapes by itself.
_STEERING = re.compile(f"[\x7f-\x9f\u2028\u2029{''.join(sorted(BIDIRECTIONAL))}\ud800-\udfff]")

_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # compiled where it is needed: that takes long
_REFERENCES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",  # so that ]]> stands nowhere
    '"': "&quot;",
    "\n": "&#10;",  # a reader of an attribute would make a space of it
    "\r": "&#13;",
    "\t": "&#9;",
}
_REFERRED = re.compile(f'[&<>"\n\r\t\x7f-\x9f\u2028\u2029{"".join(sorted(BIDIRECTIONAL))}]')


def json_text(value: Any, indent: int | None = None) -> str:
    """A value as JSON, in which nothing steers a terminal or a build server, and every name is still what it is."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    text = _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return COMMAND.sub(r"#\\u0023", text)  # it can only stand in a string


def xml_text(text: str) -> str:
    """A text as the content of an element, or of an attribute in double quotes. What XML has no way to write is written
    as terminals show it."""
    text = re.sub(_NOT_XML, lambda found: cell(found[0])[0], text)
    text = _REFERRED.sub(lambda found: _REFERENCES.get(found[0], f"&#{ord(found[0])};"), text)
    return COMMAND.sub("#&#35;", text)
