"""What handlers share: the table they stand in, and what requests ask for."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from dp_lsp.analysis.workspace import Document
from dp_lsp.later import PendingText
from dp_lsp.lsp.checking import Outdated
from dp_lsp.lsp.session import Server
from dp_lsp.named import NamedTuple

_T = TypeVar("_T")
CONTENT_MODIFIED = -32801
_MOST = 1 << 31  # a line or column is less, as the protocol has it

SHOW_DERIVATION = "dp-lsp.showDerivation"
"""The command that shows what led to what is known of a place."""


SHOW_COUNTEREXAMPLE = "dp-lsp.showCounterexample"
"""The command that shows two inputs for which too little is hidden."""


class Handlers(NamedTuple):
    """What answers which messages: by method and, of ``workspace/executeCommand``, by the name of the command.
    ``options`` is what is announced about a method beyond that it is answered."""

    features: Mapping[str, Callable[..., Any]]
    options: Mapping[str, Any] = {}
    commands: Mapping[str, Callable[..., Any]] = {}


def patient(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that begins again when more is known, as often as it asks for what is awaited. That is told first
    then; one that has to wait for nothing answers at once."""
    if iscoroutinefunction(handler):

        @wraps(handler)
        async def begun_again(ls: Server, *given: Any) -> Any:
            while True:
                seen = ls.checker.news
                try:
                    return await handler(ls, *given)
                except PendingText as pending:
                    await ls.checker.more(pending.key, seen)

        return begun_again

    @wraps(handler)
    def answered(ls: Server, *given: Any) -> Generator[Any, Any, Any]:
        while True:
            seen = ls.checker.news
            try:
                return handler(ls, *given)
            except PendingText as pending:
                yield ls.checker.more, (pending.key, seen), {}

    return answered


LEFT_TO_OTHERS = frozenset(
    {
        *(types.TEXT_DOCUMENT_SIGNATURE_HELP, types.TEXT_DOCUMENT_DOCUMENT_SYMBOL),
        *(types.TEXT_DOCUMENT_DEFINITION, types.TEXT_DOCUMENT_REFERENCES, types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT),
        *(types.TEXT_DOCUMENT_PREPARE_RENAME, types.TEXT_DOCUMENT_RENAME, types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY),
        *(types.TEXT_DOCUMENT_FOLDING_RANGE, types.TEXT_DOCUMENT_SELECTION_RANGE),
        *(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA),
        types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE,
    }
)
"""What is asked of where names stand, and how text looks."""


def considerate(method: str, handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that answers nothing about documents of a language in which other servers answer that."""
    if method not in LEFT_TO_OTHERS:
        return handler

    def is_left(ls: Server, params: Any) -> bool:
        document = ls.documents.get(params.text_document.uri)
        return document is not None and document.language.served

    if iscoroutinefunction(handler):

        @wraps(handler)
        async def awaited(ls: Server, params: Any) -> Any:
            return None if is_left(ls, params) else await handler(ls, params)

        return awaited

    @wraps(handler)
    def answered(ls: Server, params: Any) -> Any:
        return None if is_left(ls, params) else handler(ls, params)

    return answered


async def reached(ls: Server, document: Document, version: int) -> None:
    """Wait until a version of a document, or a later one, is checked."""
    try:
        await ls.checker.reached(document, version)
    except Outdated:
        raise JsonRpcInvalidParams(f"{document.uri} was closed") from None


def named(ls: Server, params: Any) -> Document:
    """The document that ``uri`` among the parameters of a request of our own names."""
    return opened(ls, typed(getattr(params, "uri", None), str, "uri"))


def opened(ls: Server, uri: str) -> Document:
    """The open document that a URI names; that of a cell is its notebook's."""
    cell = ls.notebooks.containing(uri)
    document = ls.documents.get(uri if cell is None else cell[0])
    if document is None:
        raise JsonRpcInvalidParams(f"{uri} is not open, or in no language that is checked")
    return document


def placed(ls: Server, uri: object, position: object) -> tuple[Document, types.Position]:
    """The open document that a URI names, and a place in what that names as one in the document."""
    name = typed(uri, str, "uri")
    document, place = opened(ls, name), position_of(position)
    cells = ls.notebooks.extents(document)
    cell = None if cells is None else cells.by_uri.get(name)
    return document, place if cell is None else cell.into(place)


def typed(value: object, kind: type[_T], name: str) -> _T:
    """A value that must be of a type; ``name`` is what it is called in the request."""
    if not isinstance(value, kind):
        raise JsonRpcInvalidParams(f"`{name}` is missing or of the wrong type")
    return value


def position_of(value: object) -> types.Position:
    """A position as it comes, an object or a dictionary."""
    names = ("line", "character")
    found = [value.get(name) if isinstance(value, dict) else getattr(value, name, None) for name in names]
    line, character = (typed(each, int, f"position.{name}") for each, name in zip(found, names, strict=True))
    return position_at(line, character)


def position_at(line: int, character: int) -> types.Position:
    """A position, if there can be one."""
    if not (0 <= line < _MOST and 0 <= character < _MOST):
        raise JsonRpcInvalidParams(f"there is no position {line}:{character}")
    return types.Position(line, character)


def exactly(count: int, arguments: tuple[object, ...]) -> tuple[object, ...]:
    """The arguments of a command that has so many."""
    if len(arguments) != count:
        raise JsonRpcInvalidParams(f"{count} arguments are required, not {len(arguments)}")
    return arguments


def derivation_arguments(uri: str, place: types.Position) -> list[Any]:
    """The arguments of the command that shows a derivation."""
    return [uri, {"line": place.line, "character": place.character}]


def shown_name(document: Document) -> str:
    """A document's name in reports: a file's path, relative to the working folder where it lies below it."""
    return shown_file(document.file) if Path(document.file).is_absolute() else document.uri


def shown_file(file: str) -> str:
    """The same of any file, by its name in a check."""
    path, here = Path(file), Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix() if path.is_absolute() else file
