"""How much of a baseline is left while the pieces of a file are checked one after the other.

A piece is checked with what the baseline says of its own lines, and with no more than the pieces before it have left:
so what is remembered of a piece depends on nothing else, and one more problem of the same kind is never accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dp_lsp.analysis.baseline import Accepted, counted, line_at, lines, listed
from dp_lsp.analysis.records import Options
from dp_lsp.core.term import Definition
from dp_lsp.problem import Problem, Severity, may_be_accepted

BY_BASELINE = "the baseline has it"
"""What is said of how a problem was accepted."""


class Allowance:
    """What is left for the pieces of a file that are still to be checked, which is checked with these options."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._left = counted(options.baseline)

    def options(self, text: str) -> Options:
        """How a piece with this text is checked."""
        if not self._left:
            return self._options if not self._options.baseline else self._options._replace(baseline=())
        said = set(lines(text))
        mine = Counter({entry: times for entry, times in self._left.items() if entry.line in said})
        return self._options._replace(baseline=listed(mine))

    def spend(self, used: Iterable[Accepted]) -> None:
        """A piece has needed these."""
        if self._left:
            self._left -= counted(used)


class Excuses:
    """What a baseline accepts in a piece of text with some definitions, and what of that was needed. With
    ``everything`` it accepts all that can be: so it is found out what a new baseline must hold."""

    def __init__(self, options: Options, text: str, definitions: Sequence[Definition]) -> None:
        self._everything = options.everything_accepted
        self._left = counted(options.baseline)
        self._text = text
        self._definitions = definitions
        self._used: Counter[Accepted] = Counter()

    def accepts(self, problem: Problem) -> bool:
        """Whether a problem is one of those, which counts it."""
        if not (self._left or self._everything) or problem.severity is not Severity.ERROR:
            return False
        if not may_be_accepted(problem.code):
            return False
        start = problem.span.start
        entry = Accepted(self._function(start), problem.code, line_at(self._text, start))
        if not (self._left[entry] or self._everything):
            return False
        self._left[entry] -= 1
        self._used[entry] += 1
        return True

    @property
    def used(self) -> tuple[Accepted, ...]:
        """What was needed."""
        return listed(self._used)

    def _function(self, offset: int) -> str:
        return next((each.name for each in self._definitions if each.span.covers(offset)), "")
