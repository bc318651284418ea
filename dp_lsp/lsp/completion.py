"""Handlers for what is being typed: proposals, and the call around the cursor."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from dp_lsp import frontends
from dp_lsp.features.completion import Proposal, Signature, completion, documentation, signatures
from dp_lsp.features.markdown import plain
from dp_lsp.lsp.client import Client
from dp_lsp.lsp.positions import Positions, width
from dp_lsp.lsp.requests import Handlers
from dp_lsp.lsp.session import Server

_KINDS = {
    "variable": types.CompletionItemKind.Variable,
    "function": types.CompletionItemKind.Function,
    "builtin": types.CompletionItemKind.Function,
    "mechanism": types.CompletionItemKind.Event,
    "type": types.CompletionItemKind.Class,
    "norm": types.CompletionItemKind.EnumMember,
    "keyword": types.CompletionItemKind.Keyword,
}


def complete(ls: Server, params: types.CompletionParams) -> types.CompletionList | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    positions = Positions(document.source, ls.client.encoding)
    trigger = (params.context and params.context.trigger_character) or ""
    found = completion(document, positions.offset(params.position), trigger)
    if document.language.served and not found.items:  # others tell
        return None
    place = positions.range(found.span)
    return types.CompletionList(
        is_incomplete=found.more,
        items=[_item(each, place, rank, ls.client) for rank, each in enumerate(found.items)],
    )


def _item(found: Proposal, place: types.Range, rank: int, client: Client) -> types.CompletionItem:
    snippet = found.snippet if client.snippets else ""
    return types.CompletionItem(
        label=found.label,
        kind=_KINDS[found.kind],
        detail=found.detail or None,
        sort_text=f"{rank:04}",
        filter_text=found.inserted if found.inserted != found.label else None,
        insert_text_format=types.InsertTextFormat.Snippet if snippet else None,
        text_edit=types.TextEdit(place, snippet or found.inserted),
        data=list(found.about) if any(found.about) else None,
    )


def resolve(ls: Server, item: types.CompletionItem) -> types.CompletionItem:
    about: Any = item.data
    if isinstance(about, list) and len(about) >= 2 and all(isinstance(part, str) for part in about):
        text = documentation(tuple(about), ls.documents.get(about[0]) if about[0] else None)
        item.documentation = _markup(text, ls.client.described_items)
    return item


def _markup(text: str, markdown: bool) -> types.MarkupContent | str | None:
    if not text:
        return None
    return types.MarkupContent(types.MarkupKind.Markdown, text) if markdown else plain(text)


def signature_help(ls: Server, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    offset = Positions(document.source, ls.client.encoding).offset(params.position)
    found = signatures(document, offset)
    if found is None:
        return None
    listed = [_signature(each, ls.client) for each in found.all]
    active = found.all[found.active]
    number = len(active.arguments) if active.active is None else active.active  # beyond the last: none is marked
    return types.SignatureHelp(listed, active_signature=found.active, active_parameter=number)


def _signature(found: Signature, client: Client) -> types.SignatureInformation:
    utf16 = types.PositionEncodingKind.Utf16  # labels are counted so, whatever was agreed on for documents
    label = found.label
    parameters = [
        types.ParameterInformation(
            label=(width(label[: span.start], utf16), width(label[: span.end], utf16))
            if client.label_offsets
            else label[span.start : span.end],
            documentation=_markup(said, client.described_signatures),
        )
        for span, _, said in found.arguments
    ]
    return types.SignatureInformation(label, _markup(found.documentation, client.described_signatures), parameters)


TABLE = Handlers(
    {
        types.TEXT_DOCUMENT_COMPLETION: complete,
        types.COMPLETION_ITEM_RESOLVE: resolve,
        types.TEXT_DOCUMENT_SIGNATURE_HELP: signature_help,
    },
    {
        types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
            trigger_characters=frontends.triggers(), resolve_provider=True
        ),
        types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpOptions(
            trigger_characters=["(", ","], retrigger_characters=[",", ")"]
        ),
    },
)
