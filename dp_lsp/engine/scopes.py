"""What the names of a file are called in a project whose files have names of their own.

What a module defines is called by its path and its name there, ``helpers.noisy``; what the first file defines keeps its
name. A name that a file takes out of a module is what that calls it, however many modules it passed through.
"""

from __future__ import annotations

from collections.abc import Mapping

from dp_lsp.core.term import renamed
from dp_lsp.core.values import same_by_digest
from dp_lsp.lower.definitions import Lowered
from dp_lsp.lower.facts import EVERYTHING
from dp_lsp.named import NamedTuple

_ANOTHER = " (not imported)"
_MOST = 50  # modules that a name passes through


@same_by_digest
class Scope(NamedTuple):
    """The path of a module, with a dot behind it, or nothing for the first file; what names mean that it has from
    others; what names of modules mean that these have from others; and how the paths of modules begin."""

    prefix: str = ""
    links: tuple[tuple[str, str], ...] = ()
    passed: tuple[tuple[str, str], ...] = ()
    paths: frozenset[str] = frozenset()

    def own(self, name: str) -> str:
        """The name of what the file itself defines."""
        return name if name == EVERYTHING else f"{self.prefix}{name}"


OWN = Scope()
"""That of a file which has its names for itself."""


class Meant:
    """What names of a file mean."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._links, self._passed = dict(scope.links), dict(scope.passed)

    def __call__(self, name: str) -> str:
        head, dot, rest = name.partition(".")
        linked = self._links.get(head)
        if linked is not None:
            return follow(f"{linked}{dot}{rest}", self._passed)
        another = dot and not self._scope.prefix and head in self._scope.paths  # a value of the file that is called so
        return f"{name}{_ANOTHER}" if another else self._scope.own(name)


def follow(name: str, passed: Mapping[str, str]) -> str:
    """The name of what a module has under this one, where that is."""
    for _ in range(_MOST):
        cuts = [at for at, letter in enumerate(name) if letter == "."]
        heads = (name[:cut] for cut in (len(name), *cuts[::-1]))
        head = next((each for each in heads if passed.get(each, each) != each), None)
        if head is None:
            break
        name = passed[head] + name[len(head) :]
    return name


def in_scope(lowered: Lowered, scope: Scope) -> Lowered:
    """What a chunk of a file is in a project."""
    meant = Meant(scope)
    paths = {linked.partition(".")[0] for _, linked in scope.links}
    reached = frozenset(f"{path}.{name}" for path in paths for name in lowered.mentions)
    return lowered._replace(
        definitions=tuple(renamed(each, meant, scope.own(each.name)) for each in lowered.definitions),
        clouded=tuple((scope.own(name), span, reason) for name, span, reason in lowered.clouded),
        given=tuple((scope.own(name), span) for name, span in lowered.given),
        imported=tuple(each._replace(name=scope.own(each.name)) for each in lowered.imported),
        mentions=frozenset(map(meant, lowered.mentions)).union(reached),
        changers=frozenset(map(meant, lowered.changers)),
        types=frozenset(map(scope.own, lowered.types)),
        built=frozenset(map(meant, lowered.built)),
        early=frozenset(map(meant, lowered.early)).union(reached if lowered.early else ()),
    )
