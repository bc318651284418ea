"""What is shown in the text itself: inlay hints, code lenses and semantic tokens.

Pages about a document: as virtual documents where the client can read these, else as the answers of commands.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterable
from fractions import Fraction
from itertools import count
from typing import Any
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from dp_lsp.analysis.records import Setting
from dp_lsp.analysis.setting import Subject, complaints, number, subject
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.decorations import MODIFIERS, TYPES, SemanticToken, difference, hints, lenses, tokens
from dp_lsp.features.derivation import derivation
from dp_lsp.features.hover import page
from dp_lsp.lsp import convert
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.client import Client
from dp_lsp.lsp.positions import Positions
from dp_lsp.lsp.protocol import SCHEME
from dp_lsp.lsp.requests import (
    SHOW_DERIVATION,
    Handlers,
    derivation_arguments,
    exactly,
    opened,
    placed,
    reached,
    shown_name,
    typed,
)
from dp_lsp.lsp.session import Server
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

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


PAGES = Handlers(
    {types.WORKSPACE_TEXT_DOCUMENT_CONTENT: content, "dp/derivation": derivation_page},
    {},
    {
        "dp-lsp.showReport": show_report,
        SHOW_DERIVATION: show_derivation,
        "dp-lsp.setParameter": set_parameter,
    },
)


async def inlay_hint(ls: Server, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    if types.WORKSPACE_INLAY_HINT_REFRESH not in ls.client.asks_again:  # what it is told stays until the next edit
        try:
            await ls.checker.reached(document, document.version)
        except Outdated:
            return None
    settings = ls.settings_for(document)
    positions = Positions(document.source, ls.client.encoding)
    span = positions.span(params.range)
    found = hints(document, span, settings.sensitivity_hints, settings.privacy_hints)
    ls.refreshes.answered(types.WORKSPACE_INLAY_HINT_REFRESH, document)
    return [
        types.InlayHint(positions.position(hint.offset), hint.label, tooltip=hint.tooltip, padding_left=True)
        for hint in found
    ]


def code_lens(ls: Server, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    ls.refreshes.answered(types.WORKSPACE_CODE_LENS_REFRESH, document)
    if not ls.settings_for(document).code_lens:
        return []
    positions = Positions(document.source, ls.client.encoding)
    found = []
    for title, span, explained in lenses(document):
        place = positions.range(span)
        command = types.Command(title, "")  # which is how a lens is written that does nothing
        if explained and ls.client.runs_commands:
            command = types.Command(title, SHOW_DERIVATION, arguments=derivation_arguments(document.uri, place.start))
        found.append(types.CodeLens(place, command))
    return found


_SLICE = 8_000  # characters that are read before other messages have their turn
_CONTENT_MODIFIED = -32801


class _Sent(NamedTuple):
    id: str
    data: list[int]


_numbers = count()
_sent: WeakKeyDictionary[Document, _Sent] = WeakKeyDictionary()


async def full(ls: Server, params: types.SemanticTokensParams) -> types.SemanticTokens | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    sent = await _of_all(ls, document)
    return types.SemanticTokens(sent.data, sent.id)


async def delta(
    ls: Server, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    before = _sent.get(document)
    sent = await _of_all(ls, document)
    if before is None or before.id != params.previous_result_id:
        return types.SemanticTokens(sent.data, sent.id)
    start, gone, come = difference(before.data, sent.data)
    edits = [types.SemanticTokensEdit(start, gone, come)] if gone or come else []
    return types.SemanticTokensDelta(edits, sent.id)


def in_range(ls: Server, params: types.SemanticTokensRangeParams) -> types.SemanticTokens | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    ls.refreshes.answered(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH, document)
    span = Positions(document.source, ls.client.encoding).span(params.range)
    return types.SemanticTokens(_encoded(tokens(document, span), document, ls.client))


async def _of_all(ls: Server, document: Document) -> _Sent:
    """The tokens of a whole document, read bit by bit. If it changes meanwhile, who asked will ask again."""
    ls.refreshes.answered(types.WORKSPACE_SEMANTIC_TOKENS_REFRESH, document)
    stamp = document.stamp
    found: dict[Span, SemanticToken] = {}
    for start in range(0, len(document.source.text) + 1, _SLICE):
        found |= {token.span: token for token in tokens(document, Span(start, start + _SLICE))}
        await asyncio.sleep(0)
        if document.stamp != stamp:
            raise JsonRpcException("the document has changed", _CONTENT_MODIFIED)
    sent = _sent[document] = _Sent(str(next(_numbers)), _encoded(found.values(), document, ls.client))
    return sent


def _encoded(found: Iterable[SemanticToken], document: Document, client: Client) -> list[int]:
    """Five numbers for each token: lines and columns after the one before, length, type and modifiers."""
    positions = Positions(document.source, client.encoding)
    data: list[int] = []
    line = column = 0
    for token in found:
        start, end = positions.position(token.span.start), positions.position(token.span.end)
        new_line = start.line != line
        data += (
            start.line - line,
            start.character if new_line else start.character - column,
            end.character - start.character,
            token.type,
            token.modifiers,
        )
        line, column = start.line, start.character
    return data


_LEGEND = types.SemanticTokensLegend(token_types=TYPES, token_modifiers=MODIFIERS)

TABLE = Handlers(
    {
        types.TEXT_DOCUMENT_INLAY_HINT: inlay_hint,
        types.TEXT_DOCUMENT_CODE_LENS: code_lens,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: full,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: delta,
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: in_range,
    },
    {types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: _LEGEND},
)
