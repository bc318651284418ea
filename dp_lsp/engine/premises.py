"""What is known of a unit is made of its premises, and of nothing else; so their digest is the key of its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dp_lsp import __version__
from dp_lsp.analysis.records import KEY, Options
from dp_lsp.core.values import same_by_digest, undigested
from dp_lsp.engine.interface import digest
from dp_lsp.engine.program import Program, Unit
from dp_lsp.infer.context import Global, UnknownGlobal
from dp_lsp.lower.methods import Conflict


@same_by_digest
@undigested(_value="its digest tells of it, also where it is not there")
class Meaning:
    """What a name stands for, and a digest of it. Of one that was found out by another process, and that nobody has
    asked for since, there is nothing but the digest."""

    __slots__ = ("_value", "digest")

    def __init__(self, value: Global | UnknownGlobal | None, digest: bytes) -> None:
        self._value = value
        self.digest = digest

    @property
    def is_there(self) -> bool:
        """Whether there is a value."""
        return self._value is not None

    @property
    def value(self) -> Global | UnknownGlobal:
        """The value, which must be there."""
        assert self._value is not None, "what is built on a meaning has it found out"
        return self._value

    def find(self, value: Global | UnknownGlobal) -> None:
        """The value was found out, again."""
        self._value = value


class Named(NamedTuple):
    """What a top-level name is in a module: why its meaning cannot be read off, why its definitions contradict each
    other, and whether there is just one. ``is_around`` says that it is on the way of the unit back to itself;
    ``meanings`` are those of its definitions in other units, as far as they are known."""

    cloud: str | None
    conflict: Conflict | None
    is_alone: bool
    is_around: bool
    meanings: tuple[Meaning, ...]


class Premises(NamedTuple):
    """What a unit is inferred from: this program, the options, its text, and all names that it defines or uses.
    ``cloud`` says why no name can be trusted, or is empty."""

    version: str
    options: Options
    text: str
    unit: Unit
    cloud: str
    names: Mapping[str, Named]

    @classmethod
    def of(
        cls,
        program: Program,
        unit: Unit,
        options: Options,
        meanings: Mapping[str, Sequence[Meaning]],
        around: frozenset[str],
    ) -> Premises:
        """Those of a unit of a program, of which these names are on its way back to itself."""
        uses, clouds, names = unit.uses, program.clouds, {}
        for name in sorted(unit.mentions):
            conflict, is_alone = program.defined(name)
            found = tuple(meanings.get(name, ())) if name in uses else ()
            names[name] = Named(clouds.get(name), conflict, is_alone, name in around, found)
        return cls(__version__, options, unit.chunk.text, unit, program.cloud, names)

    def key(self) -> bytes:
        """What is known of the unit is remembered under it."""
        return digest(self, KEY)
