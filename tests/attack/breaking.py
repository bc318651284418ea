"""Putting a wrong function in the place of a right one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock

from dp_lsp.infer import rules

from .trials import SEARCH, Trial, noticed, trials

Wrong = Callable[[Any], Any]
"""Makes the wrong function of the right one."""


class Rule(NamedTuple):
    """A rule that is wrong: where its function stands, what stands there instead, and on what it is tried."""

    what: str
    owner: Any
    function: str
    wrong: Wrong
    tried: Callable[[], Sequence[Trial]] = trials
    sort: str = "rule"

    @property
    def name(self) -> str:
        return f"{self.sort}: {self.what}"

    def noticed(self, by_search: bool = False) -> str:
        """Who notices; with ``by_search`` only the search is asked."""
        with self.in_place():
            return noticed([each for each in self.tried() if each.by == SEARCH or not by_search])

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The wrong function wherever the right one is known."""
        forget()
        try:
            with self._in_place():
                yield
        finally:
            forget()

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        if isinstance(self.owner, rules.ProfileRules):
            right = getattr(self.owner, self.function)
            object.__setattr__(self.owner, self.function, self.wrong(right))
            try:
                yield
            finally:
                object.__setattr__(self.owner, self.function, right)
            return
        right = getattr(self.owner, self.function)
        with ExitStack() as stack:
            if isinstance(self.owner, type):
                stack.enter_context(mock.patch.object(self.owner, self.function, self.wrong(right)))
            else:
                wrong = self.wrong(right)
                for module in [each for name, each in sys.modules.items() if name.startswith("dp_lsp.")]:
                    for known, value in list(vars(module).items()):
                        if value is right:
                            stack.enter_context(mock.patch.object(module, known, wrong))
            yield


def forget() -> None:
    """What formulas came to before is not remembered."""
    for module in [each for name, each in sys.modules.items() if name.startswith("dp_lsp.accounting.")]:
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
