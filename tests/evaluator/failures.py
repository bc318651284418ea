"""How a run can end without a value, and what is outside of what is evaluated here."""

from __future__ import annotations

import re

_TYPES = re.compile(r"::[^,)]*[,)]|of type .*|got .*|Vector\{.*|an object of type .*")


class Failure(Exception):
    """An exception of Julia: what it is called, and what it says. Both are seen by whoever runs the program."""

    def __init__(self, kind: str, detail: object = "") -> None:
        super().__init__(kind, detail)
        self.kind, self.detail = kind, detail

    @property
    def seen(self) -> str:
        """What tells two failures apart. The types of arguments do not: they are not what claims are about."""
        return _TYPES.sub("", str(self))

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail != "" else self.kind


class Unmodelled(Exception):
    """Something that the evaluator does not follow; nothing may be concluded from such a run."""


class SyntaxFailure(Exception):
    """Text that is no program."""
