"""How much of a baseline is left while the pieces of a file are checked one after the other.

A piece is checked with what the baseline says of its own lines, and with no more than the pieces before it have left:
so what is remembered of a piece depends on nothing else, and one more problem of the same kind is never accepted, nor
one that is worse than it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dp_lsp.analysis.baseline import Accepted, counted, line_at, lines, listed
from dp_lsp.analysis.records import Options
from dp_lsp.core.constraints import is_at_most
from dp_lsp.core.term import Definition
from dp_lsp.problem import INFINITE, Extent, Problem, Related, Severity, may_be_accepted

BY_BASELINE = "the baseline has it"
"""What is said of how a problem was accepted."""


def is_no_worse(found: Accepted, accepted: Accepted) -> bool:
    """Whether something is known to be at most as bad as what is accepted: in all it is about, by no more."""
    if accepted.extent is None or found.extent is None:
        return accepted.extent is None
    most = dict(accepted.extent)
    return all(about in most and _is_at_most(amount, most[about]) for about, amount in found.extent)


def _extent(problem: Problem) -> tuple[Extent, ...]:
    """How bad a problem is, each thing once."""
    found: dict[str, dict[str, None]] = {}
    for about, amount in sorted(problem.extent):
        found.setdefault(about, {})[amount] = None
    return tuple(
        Extent(about, f"Max({', '.join(amounts)})" if len(amounts) > 1 else next(iter(amounts)))
        for about, amounts in found.items()
    )


def _is_at_most(amount: str, most: str) -> bool:
    from dp_lsp.core.formulas import Scope, Unreadable  # only who accepts something worse or better needs it

    if amount == most or most == INFINITE:
        return True
    scope = Scope()
    small, large = scope.read(amount), scope.read(most)
    return not isinstance(small, Unreadable) and not isinstance(large, Unreadable) and is_at_most(small, large)


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
        found = self._found(problem)
        entry = found if self._everything else self._enough(found)
        if entry is None:
            return False
        self._left[entry] -= 1
        self._used[entry] += 1
        return True

    def compared(self, problem: Problem) -> Problem:
        """A problem that is not accepted, with what is, if that is the same at its worst so far."""
        extent = dict(_extent(problem))
        for entry in self._same(self._found(problem)):
            more = [each for each in entry.extent or () if each.about in extent and extent[each.about] != each.amount]
            if more:
                was = ", ".join(f"`{each.about}`: {each.amount}, and now it is {extent[each.about]}" for each in more)
                related = Related(f"the baseline accepts it only up to what it was: {was}", problem.span)
                return problem._replace(related=(*problem.related, related))
        return problem

    def _same(self, found: Accepted) -> list[Accepted]:
        """The entries that are left of such a problem there, however bad."""
        return [each for each, left in self._left.items() if left > 0 and each[:4] == found[:4]]

    def _enough(self, found: Accepted) -> Accepted | None:
        """An entry that is left and accepts what was found: of several one that accepts no more than the others."""
        fits = [each for each in self._same(found) if is_no_worse(found, each)]
        least = (each for each in fits if all(is_no_worse(each, other) for other in fits))
        return next(least, fits[0] if fits else None)

    @property
    def used(self) -> tuple[Accepted, ...]:
        """What was needed."""
        return listed(self._used)

    def _found(self, problem: Problem) -> Accepted:
        """The entry that a problem would be."""
        start = problem.span.start
        return Accepted(self._function(start), problem.code, line_at(self._text, start), extent=_extent(problem))

    def _function(self, offset: int) -> str:
        return next((each.name for each in self._definitions if each.span.covers(offset)), "")
