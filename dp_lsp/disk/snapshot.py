"""One look at the files: whoever asks twice is told the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dp_lsp.analysis.loading import Loader, Refusal, Text


class Seen(NamedTuple):
    """What a loader has said: texts by name, and what includes mean, by the file that has one and the path in it."""

    texts: dict[str, Text]
    included: dict[tuple[str, str], str | Refusal]


class Snapshot:
    """A loader that asks another one each question once. It may know some answers from the start; ``strayed`` tells
    whether it was asked for anything else."""

    def __init__(self, loader: Loader, seen: Seen | None = None) -> None:
        self._loader = loader
        self._seen = Seen({}, {}) if seen is None else Seen(dict(seen.texts), dict(seen.included))
        self.strayed = False

    def text(self, name: str) -> Text:
        known = self._seen.texts.get(name)
        if known is None:
            self.strayed = True
            known = self._seen.texts[name] = self._loader.text(name)
        return known

    def included(self, by: str, path: str) -> str | Refusal:
        known = self._seen.included.get((by, path))
        if known is None:
            self.strayed = True
            known = self._seen.included[by, path] = self._loader.included(by, path)
        return known

    def has_changed(self) -> bool:
        """Whether the other loader would say something else now."""
        texts = (self._loader.text(name) != text for name, text in self._seen.texts.items())
        return any(texts) or any(self._loader.included(*asked) != said for asked, said in self._seen.included.items())

    def seen(self, names: Iterable[str]) -> Seen:
        """The texts of these files, and what was asked about their includes."""
        texts = {name: self.text(name) for name in names}
        return Seen(texts, {key: found for key, found in self._seen.included.items() if key[0] in texts})
