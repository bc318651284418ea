"""Privacy loss distributions on the command line: all questions of a run go to one process, each once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from dp_lsp.analysis.records import Analysis
from dp_lsp.cli.output import TerminalLine, point
from dp_lsp.engine.distributions import Answers

if TYPE_CHECKING:  # few runs ask anything
    from dp_lsp.accounting.guarantee import Guarantee
    from dp_lsp.accounting.pld import Question
    from dp_lsp.engine.runnable import Certifiable

_WHAT = "privacy-loss distributions (rule pld)"


class Distributions:
    """Has questions answered, and knows the ``answers``."""

    def __init__(self) -> None:
        self.answers = Answers()
        self.failed = False
        """Whether something was not answered; that may be so for want of time or memory."""
        self._late = False

    def ask(self, wanted: Iterable[str]) -> bool:
        """Have these questions answered, which are given as texts. That may take long: a terminal sees how long it took
        so far, and after a minute the others are given up. Returns whether anything was asked."""
        new = list(filter(self.answers.lacks, dict.fromkeys(wanted)))
        if new:
            from dp_lsp.accounting.pld import Question

            found = self._answers(list(map(Question.read, new)))
            self.failed |= None in found
            self.answers.learn(dict(zip(new, found, strict=True)))
        return bool(new)

    def ask_about(self, bounds: Iterable[Certifiable]) -> None:
        """Have the questions answered that bounds come to."""
        from dp_lsp.accounting.pld import can_answer

        self.ask(each.question.text for each in bounds if can_answer(*each.question))

    def _answers(self, wanted: Sequence[Question]) -> Sequence[Guarantee | None]:
        from dp_lsp.accounting.pld import TIMEOUT, AskedDistribution

        line, began = TerminalLine(), time.monotonic()

        def tick() -> None:
            line.say(f"{_WHAT}: {time.monotonic() - began:.0f} s")

        try:
            found = AskedDistribution(wanted).answers(TIMEOUT, tick)
        except OSError:  # no process can be started
            return [None] * len(wanted)
        finally:
            line.done()
        if None in found and time.monotonic() - began >= TIMEOUT:
            self._late = True
            point(f"{_late()}: the numbers that are missing are those of the other rules")
        return found

    def silence(self) -> str:
        """Why there is no number, in a sentence."""
        if self._late:
            return f"{_late()}."
        return f"There are no {_WHAT}: those of some mechanism here are not known, or δ is 0."


def _late() -> str:
    from dp_lsp.accounting.pld import TIMEOUT

    return f"{_WHAT} took longer than {TIMEOUT:.0f} s".capitalize()


Project = dict[str, Analysis]


def improved(known: Distributions, projects: dict[str, Project], again: Callable[[str], Project]) -> dict[str, Project]:
    """Projects, by their roots; each is checked ``again`` as long as there are better answers to judge it by: what is
    proved of one function lets others be judged that use it."""
    while True:
        open_ = {root: known.answers.open(analyses.values()) for root, analyses in projects.items()}
        if not known.ask(chain.from_iterable(open_.values())):
            return projects
        projects = {root: again(root) if open_[root] else analyses for root, analyses in projects.items()}
