"""Quick fixes: those that were tried after the last check, answered from memory.

Handlers for what is being typed: proposals, and the call around the cursor.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dp_lsp import frontends
from dp_lsp.analysis.records import Repair, edits_of, preferred
from dp_lsp.analysis.workspace import Document
from dp_lsp.features.completion import Proposal, Signature, completion, documentation, signatures
from dp_lsp.features.markdown import plain
from dp_lsp.lsp import convert
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.client import Client
from dp_lsp.lsp.positions import Positions, width
from dp_lsp.lsp.requests import SHOW_COUNTEREXAMPLE, Handlers, exactly, placed
from dp_lsp.lsp.session import Server
from dp_lsp.problem import Edit

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


TYPING = Handlers(
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


_SPECIAL = re.compile(r"[\\$}]")
_KIND = types.CodeActionKind.QuickFix
_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{convert.SOURCE}"


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    document = ls.documents.get(params.text_document.uri)
    if document is None or not ls.client.takes_actions:
        return []
    found = await _quick(ls, document, params) if _is_wanted(_KIND.value, params.context.only) else []
    asked = [kind for kind in params.context.only or () if _text(kind)]
    if asked and _is_wanted(_ALL, asked):
        found += await _everything(ls, document)
    return found


async def _everything(ls: Server, document: Document) -> list[types.CodeAction]:
    """All that is surely mended, in one edit. Who asks for that may be about to save, so it waits for the check of what
    was typed last."""
    try:
        await ls.checker.current(document)
    except Outdated:
        return []
    repairs = [each for each in await ls.checker.repairs(document) if each.together]
    if not repairs:
        return []
    problems = dict.fromkeys(each.problem for each in repairs)
    what = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    positions, others = Positions(document.source, ls.client.encoding), {each.file: each for each in document.others}
    action = types.CodeAction(
        title=f"Fix {what} of which the fix is sure",
        kind=_ALL,
        diagnostics=[convert.diagnostic(each, document.uri, positions, ls.client, others) for each in problems],
        edit=_edit(document, edits_of(repairs), positions, ls.client),
    )
    return [action]


async def _quick(ls: Server, document: Document, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The fixes of the problems at a place."""
    repairs = await ls.checker.repairs(document)
    mending = _actions(document, [each for each in repairs if not each.accepts], params, ls.client)
    accepting = _actions(document, [each for each in repairs if each.accepts], params, ls.client)
    return [*mending, *_counterexamples(document, params, ls.client), *accepting]


async def show_counterexample(ls: Server, *arguments: object) -> str:
    """Two inputs that show a problem: the answer, and a message where the client does not show that itself."""
    uri, position = exactly(2, arguments)
    document, place = placed(ls, uri, position)
    offset = Positions(document.source, ls.client.encoding).offset(place)
    found = await ls.checker.counterexample(document, offset)
    if found is None:
        raise JsonRpcInvalidParams("no problem stands there that inputs could show")
    text = _sentence(found)
    if not ls.client.shows_answers:
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
    return text


def _counterexamples(document: Document, params: types.CodeActionParams, client: Client) -> Iterator[types.CodeAction]:
    """An offer to look for inputs that show a problem, where one stands that they may show."""
    positions = Positions(document.source, client.encoding)
    asked = positions.span(params.range)
    others = {other.file: other for other in document.others}
    refutable = [problem for problem in document.problems if problem.refutable] if document.settled else []
    for span, problem in {each.span: each for each in reversed(refutable)}.items():
        if span.start <= asked.end and asked.start <= span.end:
            start = positions.range(span).start
            arguments: list[Any] = [document.uri, {"line": start.line, "character": start.character}]
            title = "Show a counterexample"
            command = types.Command(title, SHOW_COUNTEREXAMPLE, arguments=arguments)
            about = convert.diagnostic(problem, document.uri, positions, client, others)  # else it comes after "Ignore"
            yield types.CodeAction(title, _KIND, diagnostics=[about], command=command)


def _is_wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether a client that wants only these kinds, or what is below them, wants this one."""
    return not only or any(not name or f"{kind}.".startswith(f"{name}.") for name in map(_text, only))


def _text(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _actions(
    document: Document, repairs: Iterable[Repair], params: types.CodeActionParams, client: Client
) -> Iterator[types.CodeAction]:
    positions = Positions(document.source, client.encoding)
    asked = positions.span(params.range)
    shown = {(_place(each.range), each.code) for each in params.context.diagnostics if each.source == convert.SOURCE}
    others = {other.file: other for other in document.others}
    near = []
    for repair in repairs:
        diagnostic = convert.diagnostic(repair.problem, document.uri, positions, client, others)
        touched = repair.problem.span.start <= asked.end and asked.start <= repair.problem.span.end
        if (_place(diagnostic.range), diagnostic.code) in shown or (not shown and touched):
            near.append((repair, diagnostic))
    best = preferred([repair for repair, _ in near])
    for repair, diagnostic in near:
        yield types.CodeAction(
            title=_sentence(repair.fix.title),
            kind=_KIND,
            diagnostics=[diagnostic],
            is_preferred=(repair in best or None) if client.takes_preferred else None,
            edit=_edit(document, repair.fix.edits, positions, client),
        )


def _sentence(title: str) -> str:
    return title[:1].upper() + title[1:]


def _place(range_: types.Range) -> tuple[int, int, int, int]:
    return range_.start.line, range_.start.character, range_.end.line, range_.end.character


def _edit(document: Document, made: Iterable[Edit], positions: Positions, client: Client) -> types.WorkspaceEdit:
    made = list(made)
    plain = [types.TextEdit(positions.range(edit.span), edit.text) for edit in made]
    if not client.versioned_edits:
        return types.WorkspaceEdit(changes={document.uri: plain})
    edits = _snippets(made, positions) if client.snippet_edits else plain
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, [*edits])])


def _snippets(made: Sequence[Edit], positions: Positions) -> list[types.TextEdit | types.SnippetTextEdit]:
    """Edits in which is asked for what the author chooses: for one choice once, however often it is written."""
    names = dict.fromkeys(each.name for edit in made for each in edit.placeholders)
    stops = {name: index for index, name in enumerate(names, 1)}
    return [
        types.SnippetTextEdit(positions.range(edit.span), types.StringValue(_snippet(edit, stops)))
        if edit.placeholders
        else types.TextEdit(positions.range(edit.span), edit.text)
        for edit in made
    ]


def _snippet(edit: Edit, stops: Mapping[str, int]) -> str:
    written, done = "", 0
    for each in edit.placeholders:
        written += _escaped(edit.text[done : each.at]) + f"${{{stops[each.name]}:{_escaped(each.default)}}}"
        done = each.at + len(each.default)
    return written + _escaped(edit.text[done:])


def _escaped(text: str) -> str:
    """Text that means itself in a snippet."""
    return _SPECIAL.sub(r"\\\g<0>", text)


TABLE = Handlers(
    {types.TEXT_DOCUMENT_CODE_ACTION: code_action},
    {types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(code_action_kinds=[_KIND, _ALL], resolve_provider=False)},
    {SHOW_COUNTEREXAMPLE: show_counterexample},
)
