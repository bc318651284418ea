"""What is shown in the text itself: inlay hints, code lenses and semantic tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import count
from weakref import WeakKeyDictionary

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from dp_lsp.analysis.workspace import Document
from dp_lsp.features.decorations import MODIFIERS, TYPES, SemanticToken, difference, hints, lenses, tokens
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.client import Client
from dp_lsp.lsp.positions import Positions
from dp_lsp.lsp.requests import SHOW_DERIVATION, Handlers, derivation_arguments
from dp_lsp.lsp.session import Server
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span


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
