"""What a person accepts, and why: comments that speak to the checker, and a baseline.

A problem that is accepted is not reported. Its function becomes ``unknown``, whatever else is known of it: nothing that
a person accepted is ever called proved.

How much of a baseline is left is known while the pieces of a file are checked one after the other. A piece is checked
with what the baseline says of its own lines, and with no more than the pieces before it have left: so what is
remembered of a piece depends on nothing else, and one more problem of the same kind is never accepted, nor one that is
worse than it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from dp_lsp.analysis.catalogue import kinds
from dp_lsp.analysis.records import Accepted, Options, Silenced, State, counted, line_at, lines, listed
from dp_lsp.core.constraints import is_at_most
from dp_lsp.core.term import Definition
from dp_lsp.engine.problems import IgnoreIncomplete, IgnoreRefused, IgnoreUnknownCode, IgnoreUnused, RemarkUnknown
from dp_lsp.language import Language
from dp_lsp.named import NamedTuple
from dp_lsp.problem import INFINITE, Extent, Problem, Related, Severity, may_be_accepted, may_be_lowered
from dp_lsp.surface import Remark
from dp_lsp.text import Span

PLACEHOLDER = "<reason>"
"""What stands for a reason that is still to be written."""

IGNORE = "ignore"
"""The word of a comment that accepts a problem."""

BUDGET, SENSITIVITY = "budget", "sensitivity"
CLAIMS = (BUDGET, SENSITIVITY)
"""The words of comments that say what a function may cost, and how far it may move."""

HEAD = re.compile(r"[ \t]*dp:[ \t]*(\w*)")
"""How a comment begins that speaks to the checker, and its word."""
_IGNORE = re.compile(r"[ \t]*dp:[ \t]*ignore[ \t]*(?:\[([^\]]*)\])?[ \t]*:?[ \t]*(.*)")


def ignoring(language: Language, code: str, reason: str = PLACEHOLDER) -> str:
    """A comment that accepts a problem, or several whose codes have commas between them."""
    return f"{language.syntax.comment} dp: ignore[{code}] {reason}"


def without_further(text: str, sign: str) -> str:
    """A text without another comment, which such a sign begins."""
    return re.split(rf"(?:^|[ \t]){re.escape(sign)}[ \t]", text)[0]


def is_claim(remark: Remark) -> bool:
    """Whether a comment says what a function may cost, or how far it may move."""
    head = HEAD.match(remark.text)
    return head is not None and head[1] in CLAIMS


class Ignore(NamedTuple):
    """A comment that accepts problems of a code in a line, for a reason."""

    span: Span
    target: Span
    code: str
    reason: str

    def accepts(self, problem: Problem) -> bool:
        """Whether it is about this problem. One that is about no line is about none."""
        start, end = self.target
        return problem.code == self.code and start < end and start <= problem.span.start <= end


class Split(NamedTuple):
    """Problems that stay, and errors that are accepted, each with why. What is accepted and no error is in neither."""

    kept: list[Problem]
    accepted: list[Problem]
    reasons: list[str]

    def within(self, covers: Callable[[int], bool]) -> Split:
        """Those that begin at a place that is covered."""
        pairs = zip(self.accepted, self.reasons, strict=True)
        accepted = [(problem, why) for problem, why in pairs if covers(problem.span.start)]
        kept = [problem for problem in self.kept if covers(problem.span.start)]
        return Split(kept, [problem for problem, _ in accepted], [why for _, why in accepted])

    def joined(self, other: Split) -> Split:
        """Those of both."""
        return Split(self.kept + other.kept, self.accepted + other.accepted, self.reasons + other.reasons)


class RemarkOutcome(NamedTuple):
    """What became of something that was checked. ``accepted``: it is unknown only by what a person accepted."""

    state: State
    reason: str
    accepted: bool = False


def outcome_of(split: Split, unknown: str, excused: bool | None = None) -> RemarkOutcome:
    """What becomes of something with such problems that is unknown for a reason, or for none. What is accepted makes
    it unknown. ``excused`` says whether nothing else does; left out, that is read off the problems."""
    wrong = any(problem.severity is Severity.ERROR for problem in split.kept)
    if unknown or split.accepted:
        if excused is None:
            excused = not wrong and not any(problem.unchecked for problem in split.kept)
        because = "; ".join(dict.fromkeys(split.reasons))
        return RemarkOutcome(State.UNKNOWN, because if because and excused else unknown or because, excused)
    return RemarkOutcome(State.FAILED if wrong else State.PROVED, "")


def all_accepted(outcomes: Sequence[RemarkOutcome]) -> bool:
    """Whether something is unknown, and all that is not proved is so only by what a person accepted."""
    others = [outcome for outcome in outcomes if not outcome.state.holds]
    return bool(others) and all(outcome.accepted for outcome in others)


class Ignores:
    """The ignoring comments of a chunk, and the ``severity`` that a configuration gives to codes: an error that is made
    less is accepted, too, and so is what a baseline has. It remembers which of the comments have accepted anything, and
    what was ``silenced``."""

    def __init__(
        self, remarks: Iterable[Remark], severity: Iterable[tuple[str, Severity | None]], excuses: Excuses
    ) -> None:
        self._severity = dict(severity)
        self._excuses = excuses
        self.problems: list[Problem] = []
        self.silenced: list[Silenced] = []
        self._ignores: list[Ignore] = []
        self._used: set[Ignore] = set()
        for remark in remarks:
            if is_claim(remark):
                continue
            read = _read(remark)
            if isinstance(read, Problem):
                self.problems.append(read)
            else:
                self._ignores += read

    def split(self, problems: Iterable[Problem]) -> Split:
        """Sort out what is accepted. One that is no error is only left out."""
        found = Split([], [], [])
        for problem in problems:
            ignore = next((each for each in self._ignores if each.accepts(problem)), None)
            if ignore is None:
                self._lower(problem, found)
                continue
            self._used.add(ignore)
            if problem.severity is Severity.ERROR:
                self._accept(problem, ignore.reason, "comment", found)
        return found

    def _accept(self, problem: Problem, why: str, by: str, found: Split) -> None:
        """A person accepts a problem, for a reason."""
        reason = f"{problem.code} is accepted: {why}"
        found.accepted.append(problem)
        found.reasons.append(reason)
        self.silenced.append(Silenced(problem._replace(related=(), fixes=()), reason, by))

    def _lower(self, problem: Problem, found: Split) -> None:
        """Sort out a problem that no comment accepts."""
        level = self._severity.get(problem.code, Severity.ERROR)
        if problem.severity is not Severity.ERROR or level is Severity.ERROR or not may_be_lowered(problem.code):
            if self._excuses.accepts(problem):
                self._accept(problem, _BY_BASELINE, "baseline", found)
            else:
                found.kept.append(self._excuses.compared(problem))
            return
        how = "leaves it out" if level is None else f"makes it `{level.value}`"
        self._accept(problem, f"the configuration {how}", "configuration", found)
        if level is not None:
            found.kept.append(problem._replace(severity=level, unchecked=False))

    def unused(self, within: Span | None = None) -> list[Problem]:
        """A problem for each comment that has accepted nothing, of those in a range or of all. Each is given once."""
        idle = [each for each in self._ignores if within is None or within.covers(each.span.start)]
        found = [IgnoreUnused.at(each.span, code=each.code) for each in idle if each not in self._used]
        self._used.update(idle)
        return found


def _read(remark: Remark) -> list[Ignore] | Problem:
    """What a comment says, of each of its codes, or what is wrong with it."""
    words = HEAD.match(remark.text)
    word = words[1] if words else ""
    found = _IGNORE.match(remark.text)
    if word != IGNORE or found is None:
        return RemarkUnknown.at(remark.span, written=(remark.sign + remark.text).strip())
    codes = list(dict.fromkeys(each.strip() for each in (found[1] or "").split(",")))
    code, reason = codes[0], without_further(found[2], remark.sign).strip()
    if not code or not reason:
        missing = "has no reason" if code else "names no code of a problem"
        return IgnoreIncomplete.at(remark.span, missing=missing, code=code or "DP301")
    strange = next((each for each in codes if each not in kinds()), None)
    if strange is not None:
        return IgnoreUnknownCode.at(remark.span, code=strange)
    refused = next((each for each in codes if not may_be_accepted(each)), None)
    if refused is not None:
        return IgnoreRefused.at(remark.span, code=refused, name=kinds()[refused].name)
    if reason == PLACEHOLDER:
        return IgnoreIncomplete.at(
            remark.span, missing=f"still says {PLACEHOLDER} where its reason should be", code=code
        )
    return [Ignore(remark.span, remark.target, each, reason) for each in codes]


_BY_BASELINE = "the baseline has it"
"""What is said of how a problem was accepted."""


def _is_no_worse(found: Accepted, accepted: Accepted) -> bool:
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
    from dp_lsp.core.formulas import (  # only who accepts something worse or better needs it
        FormulaScope,
        UnreadableFormula,
    )

    if amount == most or most == INFINITE:
        return True
    scope = FormulaScope()
    small, large = scope.read(amount), scope.read(most)
    return (
        not isinstance(small, UnreadableFormula)
        and not isinstance(large, UnreadableFormula)
        and is_at_most(small, large)
    )


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
        fits = [each for each in self._same(found) if _is_no_worse(found, each)]
        least = (each for each in fits if all(_is_no_worse(each, other) for other in fits))
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
