"""Pages about a document: as virtual documents where the client can read these, else as the answers of commands."""

from __future__ import annotations

import base64
import json
from fractions import Fraction
from typing import Any
from urllib.parse import quote, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dp_lsp.analysis.records import Setting
from dp_lsp.analysis.setting import Subject, complaints, number, subject
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.derivation import derivation
from dp_lsp.features.hover import page
from dp_lsp.lsp import convert
from dp_lsp.lsp.positions import Positions
from dp_lsp.lsp.protocol import SCHEME
from dp_lsp.lsp.requests import (
    SHOW_DERIVATION,
    Handlers,
    exactly,
    opened,
    placed,
    reached,
    shown_name,
    typed,
)
from dp_lsp.lsp.session import Server

_DERIVATION, _REPORT = "derivation", "report"


async def derivation_page(ls: Server, params: Any) -> str:
    return await _derived(ls, *placed(ls, getattr(params, "uri", None), getattr(params, "position", None)))


async def content(ls: Server, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
    """The text of a virtual document."""
    parts = urlsplit(params.uri)
    asked = _unpacked(parts.query)
    kind = parts.path.strip("/").partition("/")[0]
    if parts.scheme != SCHEME or kind not in (_DERIVATION, _REPORT) or asked is None:
        raise JsonRpcInvalidParams(f"{params.uri} is not a page of ours")
    uri = asked.get("uri")
    if kind == _REPORT:
        return types.TextDocumentContentResult(await _reported(ls, opened(ls, typed(uri, str, "uri"))))
    return types.TextDocumentContentResult(await _derived(ls, *placed(ls, uri, asked)))


def _packed(asked: dict[str, Any]) -> str:
    """What a page is about, as a query without a character that may be escaped: clients escape `=`, `&` and `%` in the
    URIs of documents in ways of their own, and ask for what they made of them."""
    return base64.urlsafe_b64encode(json.dumps(asked).encode()).decode().rstrip("=")


def _unpacked(query: str) -> dict[str, Any] | None:
    try:
        found = json.loads(base64.urlsafe_b64decode(query + "=" * (-len(query) % 4)))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


async def show_report(ls: Server, *arguments: object) -> str | None:
    (uri,) = exactly(1, arguments)
    document = opened(ls, typed(uri, str, "uri"))
    if await _shown(ls, document, _REPORT):
        return None
    return await _reported(ls, document)


async def show_derivation(ls: Server, *arguments: object) -> str | None:
    uri, position = exactly(2, arguments)
    document, place = placed(ls, uri, position)
    if await _shown(ls, document, _DERIVATION, line=place.line, character=place.character):
        return None
    return await _derived(ls, document, place)


async def set_parameter(ls: Server, *arguments: object) -> dict[str, Any]:
    """Give a static parameter or a dimension a number for this session, or take it back."""
    uri, name, value = exactly(3, arguments)
    document = opened(ls, typed(uri, str, "uri"))
    wanted = subject(document.language.syntax.normalised(typed(name, str, "name")))
    if wanted is None:
        raise JsonRpcInvalidParams(f"`{name}` is not of the form [FUNCTION:]NAME, as in k or step:eps")
    given = None if value is None else _number(value)
    await reached(ls, document, document.version)
    if given is not None:
        _refuse_unknown(document, wanted, given)
    ls.checker.set(document, wanted, given)
    await reached(ls, document, document.version)
    return convert.file_status(document, ls.client)


def _refuse_unknown(document: Document, wanted: Subject, given: Fraction) -> None:
    """An error if nothing that is checked together has such a parameter."""
    functions = [function for each in (document, *document.others) for function in each.functions]
    for _, sentence in complaints([Setting(*wanted, given)], functions):
        raise JsonRpcInvalidParams(sentence)


def _number(value: object) -> Fraction:
    """A number as JSON has it, taken at its digits, or as text, which may be a fraction."""
    written = None if isinstance(value, bool) or not isinstance(value, int | float | str) else str(value)
    found = None if written is None else number(written)
    if found is None:
        raise JsonRpcInvalidParams(f"{value!r} is not a number, as in 100, 0.2, 1e-5 or '1/3'")
    return found


async def _shown(ls: Server, document: Document, kind: str, **place: int) -> bool:
    """Whether the client opened a page as a document of its own."""
    if not (ls.client.shows and ls.client.reads):
        return False
    name = quote(shown_name(document).rpartition("/")[2])
    uri = f"{SCHEME}:/{kind}/{name}.md?{_packed({'uri': document.uri, **place})}"
    answer = await ls.window_show_document_async(types.ShowDocumentParams(uri, take_focus=True))
    return bool(answer.success)


async def _reported(ls: Server, document: Document) -> str:
    await reached(ls, document, document.version)
    assert document.analysis
    return page(document.analysis, shown_name(document))


async def _derived(ls: Server, document: Document, place: types.Position) -> str:
    source = document.source
    found = await ls.checker.explained(document, Positions(source, ls.client.encoding).offset(place))
    if found is None:
        raise JsonRpcInvalidParams("no function stands there, or nothing could be found out about it")
    return derivation(found, source, document.language, shown_name(document))


TABLE = Handlers(
    {types.WORKSPACE_TEXT_DOCUMENT_CONTENT: content, "dp/derivation": derivation_page},
    {},
    {
        "dp-lsp.showReport": show_report,
        SHOW_DERIVATION: show_derivation,
        "dp-lsp.setParameter": set_parameter,
    },
)
