"""What the client at the other end can do, and which files on the disk it is asked to watch.

What the client wants: its settings, as it sends them and as the server uses them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from lsprotocol import types
from lsprotocol.types import (
    WORKSPACE_CODE_LENS_REFRESH,
    WORKSPACE_INLAY_HINT_REFRESH,
    WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    DiagnosticTag,
    InitializeParams,
    MarkupKind,
    PositionEncodingKind,
)

from dp_lsp import frontends
from dp_lsp.analysis.records import PROFILES, Wish
from dp_lsp.analysis.workspace import document_key, file_path
from dp_lsp.lsp.positions import encoding_of
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Severity

SECTION = "dpLsp"
LEVELS = ("debug", "info", "warning", "error")
TRACES = ("off", "messages", "verbose")


class Settings(NamedTuple):
    """What the client wants to be shown, and how much is logged.

    ``check_workspace`` says that files are checked, too, that are not open.
    ``sensitivity_hints`` and ``privacy_hints`` are the two kinds of inlay hints; ``log_level`` is None where the
    command line decides; ``trace`` is how much goes to the client by ``$/logTrace``, None where ``$/setTrace`` decides.
    ``profile``, ``severity`` and ``python_include`` count for files that have no configuration.
    """

    sensitivity_hints: bool = True
    privacy_hints: bool = True
    code_lens: bool = True
    check_workspace: bool = True
    log_level: str | None = None
    trace: str | None = None
    profile: str | None = None
    severity: tuple[tuple[str, Severity | None], ...] = ()
    python_include: tuple[str, ...] = ()


class Understood(NamedTuple):
    """Settings, and a sentence for each value that was left out because it is not of the kind that is wanted."""

    settings: Settings
    complaints: tuple[str, ...]


class _Setting(NamedTuple):
    """How a setting is called in a message, which field it fills, and what its value must be."""

    path: tuple[str, ...]
    field: str
    kind: str
    fits: Callable[[Any], bool]
    means: Callable[[Any], Any] = lambda value: value


def _one_of(*names: str) -> tuple[str, Callable[[Any], bool]]:
    return f"one of {', '.join(names)}", lambda value: value in names


_SWITCH = ("true or false", lambda value: isinstance(value, bool))
_OFF = "off"


def _are_severities(value: Any) -> bool:
    return isinstance(value, Mapping) and all(each in (*Severity, _OFF) for each in value.values())


def _severities(value: Mapping[str, str]) -> tuple[tuple[str, Severity | None], ...]:
    return tuple((code, None if level == _OFF else Severity(level)) for code, level in sorted(value.items()))


def _are_patterns(value: Any) -> bool:
    from dp_lsp.configuration.ignored import fault  # few sessions have any

    return isinstance(value, list) and all(isinstance(each, str) and not fault(each) for each in value)


_PATTERNS = ("a list of patterns for files below the workspace folder, as in src/**", _are_patterns, tuple)
_SEVERITIES = (f"an object of codes, each {', '.join(Severity)} or {_OFF}", _are_severities, _severities)
_SETTINGS = (
    _Setting(("inlayHints", "sensitivity"), "sensitivity_hints", *_SWITCH),
    _Setting(("inlayHints", "privacy"), "privacy_hints", *_SWITCH),
    _Setting(("codeLens",), "code_lens", *_SWITCH),
    _Setting(("checkWorkspace",), "check_workspace", *_SWITCH),
    _Setting(("logLevel",), "log_level", *_one_of(*LEVELS)),
    _Setting(("trace",), "trace", *_one_of(*TRACES)),
    _Setting(("profile",), "profile", *_one_of(*PROFILES)),
    _Setting(("severity",), "severity", *_SEVERITIES),
    _Setting(("pythonInclude",), "python_include", *_PATTERNS),
)


def setting_names() -> tuple[str, ...]:
    """How the settings are called in our section, with dots between groups and settings."""
    return tuple(".".join(setting.path) for setting in _SETTINGS)


def understood(sent: Any, before: Settings) -> Understood:
    """The settings of a section as a client sends it; what it leaves out, or is not what it must be, is as before.
    Other names are of no concern: an extension keeps its own there."""
    if not isinstance(sent, Mapping):
        return Understood(before, () if sent is None else (f"the settings `{SECTION}` are not an object",))
    found: dict[str, Any] = {}
    complaints = []
    for setting in _SETTINGS:
        value = _at(sent, setting.path)
        if value is not None and setting.fits(value):
            found[setting.field] = setting.means(value)
        elif value is not None:
            complaints.append(
                f"the setting `{'.'.join((SECTION, *setting.path))}` must be {setting.kind}; it is ignored"
            )
    return Understood(before._replace(**found), (*complaints, *_no_groups(sent)))


def section(sent: Any) -> Any:
    """Our section of the settings a client pushes; None if they have none."""
    return sent.get(SECTION) if isinstance(sent, Mapping) else None


def initial(sent: Any) -> Any:
    """Our section of the options of ``initialize``, which may be that section itself."""
    return sent.get(SECTION, sent) if isinstance(sent, Mapping) else None


def _at(sent: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """What stands at a path, or under its name with dots; None if nothing does."""
    value: Any = sent
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, Mapping) and path == ("trace",):  # `trace.server` is what clients follow the protocol with
        return None
    return sent.get(".".join(path)) if value is None else value


def _no_groups(sent: Mapping[str, Any]) -> Iterator[str]:
    """What should hold settings and does not."""
    for name in dict.fromkeys(setting.path[0] for setting in _SETTINGS if len(setting.path) > 1):
        if not isinstance(sent.get(name, {}), Mapping | None):
            yield f"the setting `{SECTION}.{name}` must be an object of settings; it is ignored"


class Preferences:
    """The settings of a session: those that hold everywhere, and those of workspace folders, by path."""

    def __init__(self) -> None:
        self.everywhere = Settings()
        self._initial = self.everywhere
        self._by_folder: dict[str, Settings] = {}
        self._complaints: dict[str, bool] = {}  # and whether they were told

    def begin(self, sent: Any) -> None:
        """What comes with ``initialize`` holds as long as nothing else is said."""
        self._initial = self.everywhere = self._understood(sent, self.everywhere)

    def change(self, sent: Any, by_folder: Mapping[str, Any] = MappingProxyType({})) -> None:
        """Our section as it is now, everywhere and in some folders."""
        self.everywhere = self._understood(sent, self._initial)
        self._by_folder = {path: self._understood(each, self.everywhere) for path, each in by_folder.items()}

    def complaints(self) -> list[str]:
        """The mistakes in them that were not told yet."""
        fresh = [complaint for complaint, told in self._complaints.items() if not told]
        self._complaints = dict.fromkeys(self._complaints, True)
        return fresh

    def of(self, file: str) -> Settings:
        """The settings for a file: of the innermost folder that it lies in."""
        folders = (path for path in self._by_folder if file.startswith(os.path.join(path, "")))
        inner = max(folders, key=len, default=None)
        return self.everywhere if inner is None else self._by_folder[inner]

    @property
    def wishes(self) -> tuple[Wish, ...]:
        """How files that have no configuration are checked, by folder."""
        return tuple(
            Wish(folder, each.profile, each.severity, each.python_include)
            for folder, each in (("", self.everywhere), *self._by_folder.items())
        )

    def _understood(self, sent: Any, before: Settings) -> Settings:
        settings, complaints = understood(sent, before)
        self._complaints = dict.fromkeys(complaints, False) | self._complaints
        return settings


_AGAIN = {
    "code_lens": WORKSPACE_CODE_LENS_REFRESH,
    "inlay_hint": WORKSPACE_INLAY_HINT_REFRESH,
    "semantic_tokens": WORKSPACE_SEMANTIC_TOKENS_REFRESH,
}


class Client(NamedTuple):
    """What was announced in ``initialize``.

    ``pulls`` asks for diagnostics itself and is pushed none; ``refreshes`` can be told to ask again; ``related`` and
    ``tags`` are what it takes of diagnostics besides their messages;
    ``takes_actions`` takes code actions that are no commands, ``takes_preferred`` the mark on the best, and
    ``versioned_edits`` edits that name the version they are for; ``snippets`` fills in places of what it
    completes, and ``snippet_edits`` of what edits write;
    ``described_items`` and ``described_signatures`` take Markdown, ``label_offsets`` the places of arguments;
    ``wants_status`` takes the notification ``dp/fileStatus``; ``watches`` can be asked to tell what changes on the
    disk, and ``watches_outside`` also outside of its folders; ``configures`` can be asked for its settings;
    ``registers_settings`` wants to be asked to tell when they change; ``asks_again`` are the methods by which it can
    be told to ask for something again; ``runs_commands`` sends commands that an answer holds; ``shows`` opens
    documents, and ``reads`` asks for the text of those of our own; ``progress`` shows how work goes on;
    ``trusts_links`` runs commands that stand in a hover text as links; ``shows_answers`` shows a counterexample itself,
    where its report stands; ``folders`` are the paths of those it has
    open; ``process`` is the id of its process, if it gave one.
    """

    encoding: PositionEncodingKind = PositionEncodingKind.Utf16
    pulls: bool = False
    refreshes: bool = False
    related: bool = False
    tags: bool = False
    nested_symbols: bool = False
    markdown: bool = True
    takes_actions: bool = False
    takes_preferred: bool = False
    versioned_edits: bool = False
    snippets: bool = False
    snippet_edits: bool = False
    described_items: bool = False
    described_signatures: bool = False
    label_offsets: bool = False
    wants_status: bool = False
    watches: bool = False
    watches_outside: bool = False
    configures: bool = False
    registers_settings: bool = False
    asks_again: frozenset[str] = frozenset()
    runs_commands: bool = False
    shows: bool = False
    reads: bool = False
    progress: bool = False
    trusts_links: bool = False
    shows_answers: bool = False
    folders: tuple[str, ...] = ()
    process: int | None = None

    @classmethod
    def of(cls, params: InitializeParams) -> Client:
        """The client that says this of itself."""
        capabilities = params.capabilities
        document = capabilities.text_document
        formats = _deep(document, "hover", "content_format")
        return cls(
            encoding=encoding_of(capabilities),
            pulls=_deep(document, "diagnostic") is not None,
            refreshes=bool(_deep(capabilities.workspace, "diagnostics", "refresh_support")),
            related=bool(
                _deep(document, "publish_diagnostics", "related_information")
                or _deep(document, "diagnostic", "related_information")
            ),
            tags=any(
                DiagnosticTag.Unnecessary in (_deep(document, name, "tag_support", "value_set") or ())
                for name in ("publish_diagnostics", "diagnostic")
            ),
            nested_symbols=bool(_deep(document, "document_symbol", "hierarchical_document_symbol_support")),
            markdown=not formats or MarkupKind.Markdown in formats,
            takes_actions=_deep(document, "code_action", "code_action_literal_support") is not None,
            takes_preferred=bool(_deep(document, "code_action", "is_preferred_support")),
            snippets=bool(_deep(document, "completion", "completion_item", "snippet_support")),
            described_items=_markdown(document, "completion", "completion_item", "documentation_format"),
            described_signatures=_markdown(document, "signature_help", "signature_information", "documentation_format"),
            label_offsets=bool(
                _deep(
                    document, "signature_help", "signature_information", "parameter_information", "label_offset_support"
                )
            ),
            snippet_edits=bool(_deep(capabilities.workspace, "workspace_edit", "snippet_edit_support")),
            versioned_edits=bool(_deep(capabilities.workspace, "workspace_edit", "document_changes")),
            wants_status=_experimental(capabilities.experimental, "dpFileStatus"),
            watches=bool(_deep(capabilities.workspace, "did_change_watched_files", "dynamic_registration")),
            watches_outside=all(
                _deep(capabilities.workspace, "did_change_watched_files", name)
                for name in ("dynamic_registration", "relative_pattern_support")
            ),
            configures=bool(_deep(capabilities.workspace, "configuration")),
            registers_settings=bool(_deep(capabilities.workspace, "did_change_configuration", "dynamic_registration")),
            asks_again=frozenset(
                method for name, method in _AGAIN.items() if _deep(capabilities.workspace, name, "refresh_support")
            ),
            runs_commands=_deep(capabilities.workspace, "execute_command") is not None,
            shows=bool(_deep(capabilities.window, "show_document", "support")),
            reads=_deep(capabilities.workspace, "text_document_content") is not None,
            progress=bool(_deep(capabilities.window, "work_done_progress")),
            trusts_links=_experimental(capabilities.experimental, "dpCommandLinks"),
            shows_answers=_experimental(capabilities.experimental, "dpCounterexamples"),
            folders=folders_of(params),
            process=params.process_id,
        )


def folders_of(params: InitializeParams) -> tuple[str, ...]:
    """The paths of the folders that a client has open."""
    uris = [folder.uri for folder in params.workspace_folders or ()]
    root = params.root_uri or (Path(params.root_path).as_uri() if params.root_path else None)
    return paths(uris or [root] * bool(root))


def paths(uris: Iterable[str | None]) -> tuple[str, ...]:
    """The paths of URIs, without those that are no files."""
    found = (file_path(document_key(uri)) for uri in uris if uri)
    return tuple(path for path in found if path)


def _deep(value: object, *names: str) -> Any:
    """An attribute of an attribute …, or None where one is missing."""
    for name in names:
        value = getattr(value, name, None)
    return value


def _markdown(value: object, *names: str) -> bool:
    """Whether a list of formats has Markdown in it; plain text is what a client takes that states none."""
    return MarkupKind.Markdown in (_deep(value, *names) or ())


def _experimental(announced: Any, name: str) -> bool:
    return isinstance(announced, dict) and bool(announced.get(name))


CONFIGURATIONS = ("dp-lsp.toml", "pyproject.toml", "dp-lsp-baseline.json", ".gitignore")
"""The names of files that say how others are checked, and which; a baseline need not be called so."""


def watchers(outside: Iterable[str]) -> list[types.FileSystemWatcher]:
    """What a client is asked to watch: files below its folders, and configurations in some ``outside`` of them."""
    programs = (f"*{suffix}" for suffix in frontends.suffixes())
    names = [types.FileSystemWatcher(f"**/{name}") for name in (*programs, *CONFIGURATIONS)]
    bases = [Path(folder).as_uri() for folder in outside]
    return names + [types.FileSystemWatcher(types.RelativePattern(b, name)) for b in bases for name in CONFIGURATIONS]


def above(folders: Iterable[str]) -> tuple[str, ...]:
    """The folders above some, whose configurations count in these too."""
    return tuple(dict.fromkeys(str(each) for folder in folders for each in Path(folder).parents))


class Unwatched:
    """The configurations above the folders of a client that cannot watch there, as they were when last looked at."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}

    def have_changed(self, folders: Iterable[str]) -> bool:
        """Whether any is another one than before, is new, or is not there any more."""
        before, self._known = self._known, {}
        for path in (os.path.join(folder, name) for folder in above(folders) for name in CONFIGURATIONS):
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue
            self._known[path] = found.st_mtime_ns, found.st_size
        return before != self._known
