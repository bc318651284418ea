"""Privacy loss distributions on the command line: all questions of a run go to one process, each once."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence

from dp_lsp.accounting.guarantee import Guarantee
from dp_lsp.accounting.pld import TIMEOUT, Asked, Question, can_answer, installed
from dp_lsp.accounting.wire import to_nodes
from dp_lsp.analysis.records import Analysis, NumericReport
from dp_lsp.cli.output import point
from dp_lsp.cli.progress import Line
from dp_lsp.engine.certify import Certifiable
from dp_lsp.engine.distributions import improved, question, questions, report

_WITHOUT = (3, 13)  # from this Python on the library cannot be installed: the numpy that it needs has no wheel there
_WHAT = "privacy-loss distributions (rule pld)"


class Distributions:
    """Knows what was answered in a run. Where the library is not installed nothing is asked, and nothing is known."""

    def __init__(self) -> None:
        self.installed = installed()
        self._known: dict[str, Guarantee | None] = {}
        self._late = False

    def ask(self, wanted: Iterable[Question]) -> None:
        """Have these questions answered that the library may know the answers of. That may take long: a terminal sees
        how long it took so far, and after a minute the others are given up."""
        if not self.installed:
            return
        new = {_key(each): each for each in wanted if can_answer(*each)}
        new = {key: each for key, each in new.items() if key not in self._known}
        if new:
            self._known |= dict(zip(new, self._answers(list(new.values())), strict=True))

    def _answers(self, wanted: Sequence[Question]) -> Sequence[Guarantee | None]:
        line, began = Line(), time.monotonic()

        def tick() -> None:
            line.say(f"{_WHAT}: {time.monotonic() - began:.0f} s")

        try:
            found = Asked(wanted).answers(TIMEOUT, tick)
        except OSError:  # no process can be started
            return [None] * len(wanted)
        finally:
            line.done()
        if None in found and time.monotonic() - began >= TIMEOUT:
            self._late = True
            point(f"{_late()}: the numbers that are missing are those of the other rules")
        return found

    def __call__(self, question: Question) -> Guarantee | None:
        """What was answered."""
        return self._known.get(_key(question)) if self._known else None

    def numbers(self, found: Iterable[Certifiable]) -> tuple[NumericReport, ...]:
        """What distributions come to for each bound that they are known for."""
        answers = ((each.parameters, self(question(each))) for each in found)
        return tuple(report(names, answer) for names, answer in answers if answer is not None)

    def silence(self) -> str:
        """Why there is no number, in a sentence."""
        if self._late:
            return f"{_late()}."
        if self.installed:
            return f"There are no {_WHAT}: `dp-accounting` does not know every mechanism here, or δ is 0."
        if sys.version_info >= _WITHOUT:
            needs = f"{_WITHOUT[0]}.{_WITHOUT[1]}"
            return f"There are no {_WHAT}: `dp-accounting` is not installed, and cannot be from Python {needs} on."
        return f"There are no {_WHAT}: `dp-accounting` is not installed (`pip install 'dp-lsp[accounting]'`)."


def _late() -> str:
    return f"{_WHAT} took longer than {TIMEOUT:.0f} s".capitalize()


def _key(question: Question) -> str:
    """The same for charges that cost the same, wherever they are from."""
    return json.dumps([to_nodes(question.charge), str(question.delta)])


Projects = Mapping[str, Mapping[str, Analysis]]


def with_distributions(
    projects: Projects, found: Mapping[str, Sequence[Certifiable]], known: Distributions
) -> dict[str, dict[str, Analysis]]:
    """The analyses of projects, by root, with the smaller numbers of those."""
    known.ask(each for root, analyses in projects.items() for each in questions(analyses, found.get(root, ())))
    return {root: improved(analyses, found.get(root, ()), known) for root, analyses in projects.items()}
