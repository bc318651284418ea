"""What has changed between two reports, for a person, for a comment on a pull request, and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dp_lsp import __version__
from dp_lsp.cli.reporters.escaping import json_text
from dp_lsp.cli.style import Paint, plain, printable
from dp_lsp.cli.summary import count
from dp_lsp.features.changes import Change, Effect
from dp_lsp.features.markdown import code, prose

SCHEMA_VERSION = 1

_ROLES = {Effect.FELL: "proved", Effect.PROVED: "proved", Effect.NEW: "strong", Effect.GONE: "strong"}
_WIDTH = max(len(effect) for effect in Effect) + 2
_IN_ALL = {
    Effect.NOT_PROVED: "not proved",
    Effect.ROSE: "rose",
    Effect.CHANGED: "changed in a way that cannot be told",
    Effect.WEAKER: "proved under more conditions, or for fewer neighbours",
    Effect.FELL: "fell",
    Effect.PROVED: "proved now",
    Effect.NEW: "new",
    Effect.GONE: "gone",
}


class Compared(NamedTuple):
    """Two reports, what they are called, and what has changed. ``functions`` are those of the new one."""

    old: str
    new: str
    changes: Sequence[Change]
    functions: int
    paint: Paint = plain

    @property
    def rose(self) -> bool:
        """Whether anything rose, or is not proved to be no larger."""
        return any(each.effect.rises for each in self.changes)

    @property
    def verdict(self) -> str:
        """What comes of it, in a sentence."""
        if self.rose:
            return "Something rose, or is not proved."
        return "Nothing rose." if self.changes else "Nothing changed."

    @property
    def counts(self) -> str:
        """How many changes of each kind there are."""
        found = Counter(each.effect for each in self.changes)
        return ", ".join(f"{found[effect]} {_IN_ALL[effect]}" for effect in Effect if found[effect])


def text(compared: Compared) -> Iterator[str]:
    """For a person."""
    for change in compared.changes:
        effect = compared.paint(f"{change.effect:<{_WIDTH}}", _ROLES.get(change.effect, "failed"))
        where = f"{printable(change.path)}:{change.line}"
        yield (f"{effect}{printable(change.function) or 'outside of functions'}   {where}")
        for sentence in _sentences(change):
            yield (" " * _WIDTH + printable(sentence))
        for number, sentence in enumerate(change.causes):
            lead = "because " if not number else "        "
            yield (" " * _WIDTH + lead + printable(sentence))
    if compared.changes:
        yield ""
    counts = f": {compared.counts}" if compared.changes else ""
    sides = f"{printable(compared.old)} → {printable(compared.new)}"
    yield (f"{compared.verdict} {sides}, {count(compared.functions, 'function')}{counts}.")


def markdown(compared: Compared) -> Iterator[str]:
    """For a comment on a pull request."""
    yield f"### Privacy: {compared.verdict}"
    yield ""
    counts = f": {compared.counts}" if compared.changes else ""
    old, new = (code(printable(side)) for side in (compared.old, compared.new))
    yield _unmentioned(f"{old} → {new}, {count(compared.functions, 'function')}{counts}.")
    if compared.changes:
        yield ""
    for change in compared.changes:
        name = code(printable(change.function)) or "outside of functions"
        sign = "❌" if change.effect.rises else "✅" if change.effect in (Effect.FELL, Effect.PROVED) else "ℹ️"
        yield _unmentioned(f"- {sign} **{change.effect}** {name} ({code(printable(f'{change.path}:{change.line}'))})")
        for sentence in _sentences(change):
            yield _unmentioned(f"  - {prose(printable(sentence))}")
        for sentence in change.causes:
            yield _unmentioned(f"  - because {prose(printable(sentence))}")


def as_json(compared: Compared) -> Iterator[str]:
    """For programs."""
    found = Counter(each.effect for each in compared.changes)
    result = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "dp-lsp", "version": __version__},
        "old": compared.old,
        "new": compared.new,
        "rose": compared.rose,
        "changes": [_change(each) for each in compared.changes],
        "summary": {effect.value: found[effect] for effect in Effect},
    }
    yield json_text(result, indent=2)


RENDERERS: dict[str, Callable[[Compared], Iterator[str]]] = {"text": text, "markdown": markdown, "json": as_json}


def _change(change: Change) -> dict[str, object]:
    return {
        "path": change.path,
        "function": change.function or None,
        "signature": change.signature or None,
        "line": change.line,
        "effect": change.effect.value,
        "rises": change.effect.rises,
        "bounds": [{**each._asdict(), "effect": each.effect.value, "text": each.sentence} for each in change.bounds],
        "notes": list(change.notes),
        "causes": list(change.causes),
    }


def _sentences(change: Change) -> Iterator[str]:
    yield from change.notes
    for bound in change.bounds:
        alone = len({each.effect for each in change.bounds}) == 1 and bound.effect is change.effect
        yield bound.sentence if alone else f"{bound.sentence} ({bound.effect})"


def _unmentioned(text: str) -> str:
    """Markdown that calls nobody: where a name follows, a character that takes no room stands between."""
    return text.replace("@", "@\N{WORD JOINER}")
