"""Privacy loss distributions of charges, in a process of their own where somebody waits for something else meanwhile.

A distribution may take seconds; so a process reads charges, each with a δ, as JSON, writes an answer a line and ends.
Whoever asked may stop it at any time. What it says is proved (:mod:`dp_lsp.accounting.composing`), but nobody can
compute it again from a few numbers, so no certificate holds it.

A lattice of losses is rounded up weight by weight, and polynomials are multiplied as long decimal numbers, instead of
transforms with an error: nothing is subtracted, so no error needs a bound, it needs no library, and gives the same
digits everywhere. `dp-accounting` is an oracle of the tests.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Listed
from fractions import Fraction
from typing import Any

from dp_lsp.accounting.charge import (
    Charge,
    ChargedSample,
    Find,
    Group,
    Guarantee,
    NodeClaim,
    NumericMeasure,
    Relation,
    Rules,
    Sampling,
    Single,
    conditions,
    fold,
    from_nodes,
    to_nodes,
)
from dp_lsp.accounting.composing import AddedRecord, Drawn, Redrawn, Replaced, Sample, chances, composed
from dp_lsp.mechanisms.arithmetic import shown
from dp_lsp.mechanisms.mechanism import Curve, Loss
from dp_lsp.mechanisms.noise import Normal
from dp_lsp.mechanisms.selection import Approximate
from dp_lsp.named import NamedTuple

RULE = "pld"
TIMEOUT = 60.0  # seconds
_TICK = 0.1  # seconds between two looks at the clock
_LOOK = 1.0  # and of the process between two looks whether anybody still waits for it
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_RUN = f"import sys; sys.path.append({_ROOT!r}); from dp_lsp.accounting.pld import answer; answer()"

_NOTHING = Approximate(Fraction(0), Fraction(0))

Losses = Counter[Curve]


def losses(charge: Charge) -> Losses | None:
    """How often each mechanism runs, by its dominating pair; None if one has none that is known."""
    return fold(charge, _CountedLosses())


class _CountedLosses(Rules[Losses]):
    def single(self, node: Single, steps: int) -> Losses | None:
        if isinstance(node, Loss):
            found = node.times(steps).dominating()
        elif isinstance(node, ChargedSample) and steps == 1:
            found = _sampled(node)
        else:
            return None
        return None if found is None else Counter([found])

    def sequence(self, parts: Listed[Losses]) -> Losses:
        total: Losses = Counter()
        for part in parts:
            total.update(part)
        return total

    def repeat(self, count: int, once: Losses) -> Losses:
        return Counter({loss: count * times for loss, times in once.items()})

    def either(self, parts: Listed[Losses]) -> Losses | None:
        return parts[0] if all(part == parts[0] for part in parts) else None


def _only(counted: Losses | None) -> Curve | None:
    """The one mechanism that runs on a sample. Gaussian noise that is drawn several times on it is noise of the sum of
    all μ² (by trade-off functions, whose order samples keep)."""
    if not counted:
        return None
    squares = [curve.squared * times for curve, times in counted.items() if isinstance(curve, Normal)]
    if len(squares) == len(counted):
        return Normal(sum(squares, Fraction(0)))
    ((only, times), *others) = counted.items()
    return only if times == 1 and not others and not isinstance(only, Sample) else None


def _sampled(node: ChargedSample) -> Curve | None:
    """The curve of a sample, by those of what is done with it at a change of as many steps as may reach it."""

    def of(kind: Callable[[Fraction, Curve], Curve], steps: int = 1) -> Curve | None:
        body = _inside(node, steps)
        return None if body is None else kind(node.rate, body)

    if node.rate in (0, 1) and node.scheme is not Sampling.WITH_REPLACEMENT:
        return _inside(node, node.steps) if node.rate else _NOTHING
    match node.scheme, node.relation:
        case Sampling.POISSON, Relation.ADD_REMOVE:
            return of(AddedRecord)
        case Sampling.POISSON, Relation.CHANGE_ONE:
            return of(Replaced, 2)
        case Sampling.WITHOUT_REPLACEMENT, Relation.CHANGE_ONE:
            return of(Drawn)
        case Sampling.WITH_REPLACEMENT, Relation.CHANGE_ONE:
            return _redrawn(node)
        case _:
            return None


def _redrawn(node: ChargedSample) -> Curve | None:
    if node.rows == 1:
        return _inside(node, node.draws)
    bodies = [_inside(node, times) for times in range(1, len(chances(node.draws, node.rows).listed))]
    known = tuple(body for body in bodies if body is not None)
    return Redrawn(node.draws, node.rows, known) if len(known) == len(bodies) else None


def _inside(node: ChargedSample, steps: int) -> Curve | None:
    """The curve of what is done with a sample at a change of so many steps in it."""
    return _only(losses(Group(steps, node.body)))


class LossDistributions(NumericMeasure):
    """The distributions of privacy losses, with verified arithmetic: :mod:`dp_lsp.accounting.composing`."""

    rule = RULE

    def __init__(self, find: Find | None = None) -> None:
        """Nothing that lies in a sample is priced apart."""

    def guarantee(self, charge: Charge, delta: Fraction) -> Guarantee | None:
        counted = losses(charge) if 0 < delta < 1 else None
        found = None if counted is None else composed(tuple(counted.items()), delta)
        if found is None:
            return None
        note = "; ".join(filter(None, [conditions(charge, RULE), "no certificate can hold it"]))
        return Guarantee(shown(found.epsilon), delta, RULE, (("interval", found.step),), note)

    def claims(self, charge: Charge, stated: Guarantee) -> tuple[NodeClaim, ...]:
        """None: what it rests on are distributions."""
        return ()


def measured(charge: Charge, delta: Fraction) -> Guarantee | None:
    """The smallest ε by privacy loss distributions at a total δ, computed here and now; None if nothing is known."""
    try:
        return LossDistributions().guarantee(charge, delta)
    except ArithmeticError:  # numbers so large that nothing can be said
        return None


class Question(NamedTuple):
    """What is asked: the smallest ε of a charge at a total δ."""

    charge: Charge
    delta: Fraction

    @property
    def text(self) -> str:
        """The question as a text, the same for charges that cost the same, wherever they are from."""
        return json.dumps([to_nodes(self.charge), str(self.delta)])

    @classmethod
    def read(cls, text: str) -> Question:
        """The question that a text is of."""
        nodes, delta = json.loads(text)
        return cls(from_nodes(nodes), Fraction(delta))


def can_answer(charge: Charge, delta: Fraction) -> bool:
    """Whether every mechanism of a charge has a distribution that is known; a δ of 0 cannot be aimed at."""
    return 0 < delta < 1 and losses(charge) is not None


class AskedDistribution:
    """Questions to a process that has been started. Raises OSError if it cannot be."""

    def __init__(self, questions: Listed[Question]) -> None:
        import subprocess  # few runs ask

        self._questions = tuple(questions)
        command = [sys.executable, "-P", "-c", _RUN]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def answers(
        self, timeout: float = TIMEOUT, tick: Callable[[], None] = lambda: None, pause: float = _TICK
    ) -> tuple[Guarantee | None, ...]:
        """Wait for the answers, for at most so many seconds in all; None stands for one that did not come. ``tick`` is
        called again and again until then, every ``pause`` seconds. The process has ended then, whatever happens."""
        ends: float | None = time.monotonic() + timeout
        from subprocess import TimeoutExpired

        written: str | None = json.dumps([_asking(each) for each in self._questions])
        try:
            while True:
                try:
                    found, _ = self._process.communicate(written, pause if ends is not None else None)
                    break
                except TimeoutExpired:
                    written = None  # it is on its way
                    tick()
                    if ends is not None and time.monotonic() >= ends:
                        self.cancel()
                        ends = None  # what it has written is read to the end
        except BaseException:
            self.cancel()
            self._process.wait()
            raise
        lines = found.splitlines()
        answers = tuple(map(_answered, self._questions, lines))
        return answers + (None,) * (len(self._questions) - len(answers))

    def cancel(self) -> None:
        """End the process at once; may be called from any thread."""
        self._process.kill()


def _asking(question: Question) -> dict[str, Any]:
    return {"charge": to_nodes(question.charge), "delta": str(question.delta)}


def _answered(question: Question, line: str) -> Guarantee | None:
    try:
        found = json.loads(line)
        epsilon, parameters = Fraction(found["epsilon"]), (("interval", Fraction(found["interval"])),)
        return Guarantee(epsilon, question.delta, RULE, parameters, str(found["note"]))
    except (ValueError, KeyError, TypeError):  # it was stopped, or could say nothing
        return None


def answer() -> None:
    """What the process does: reads questions, writes the answers. It does not outlive who asked."""
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    for line in _answers(json.load(sys.stdin)):
        print(json.dumps(line), flush=True)


def _follow(parent: int) -> None:
    """End with the parent; where the system does not tell, the work ends by itself."""
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)


def _answers(questions: Listed[dict[str, Any]]) -> Iterator[dict[str, str]]:
    for question in questions:
        try:
            found = measured(from_nodes(question["charge"]), Fraction(question["delta"]))
        except Exception:  # a bug of ours, or no memory: the next one may well be answered
            found = None
        if found is None:
            yield {}
        else:
            numbers = {name: str(value) for name, value in found.parameters}
            yield {"epsilon": str(found.epsilon), "note": found.note} | numbers
