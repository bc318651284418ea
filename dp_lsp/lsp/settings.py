"""What the client wants: its settings, as it sends them and as the server uses them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from dp_lsp.analysis.records import PROFILES, Wish
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
