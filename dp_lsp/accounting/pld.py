"""Privacy loss distributions, by the library dp-accounting where that is installed, in a process of their own.

Importing the library takes half a second and 100 MB, and a distribution may take seconds; so a process reads charges,
each with a δ, as JSON, writes an answer a line and ends. Whoever asked may stop it at any time. The library rounds
losses up, but computes with floats, so what it says is its own word: nobody can compute it again from a few numbers.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Sequence as Listed
from fractions import Fraction
from typing import Any, NamedTuple

from dp_lsp.accounting.charge import Approximate, BoundedRange, Charge, Gaussian, Laplace, Relation, Sampled, Scheme
from dp_lsp.accounting.folding import Rules, Single, fold
from dp_lsp.accounting.gaussian import squared_mu
from dp_lsp.accounting.guarantee import Guarantee
from dp_lsp.accounting.library import installed
from dp_lsp.accounting.pairs import Pair, amplified_epsilon, group
from dp_lsp.accounting.rounding import Interval, shown
from dp_lsp.accounting.wire import from_nodes, to_nodes

RULE = "pld"
TIMEOUT = 60.0  # seconds
_TICK = 0.1  # seconds between two looks at the clock
_LOOK = 1.0  # and of the process between two looks whether anybody still waits for it
_FINEST, _COARSEST = 1e-5, 0.05  # steps of a distribution
_MOST_STEPS = 2e6
_SPREAD = 24.0  # deviations of a loss that a distribution covers
_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
_RUN = f"import sys; sys.path.append({_ROOT!r}); from dp_lsp.accounting.pld import answer; answer()"


class Loss(NamedTuple):
    """A mechanism with a dominating pair: its kind, and the numbers of that."""

    kind: str  # "gaussian", "laplace", "pair"
    first: Fraction  # μ² of Gaussian noise, else ε
    second: Fraction  # of a pair δ, else the rate of a Poisson sample under add/remove, 1 for none


Losses = Counter[Loss]


def losses(charge: Charge) -> Losses | None:
    """How often each mechanism runs; None if one has no dominating pair that the library knows."""
    return fold(charge, _Counting())


class _Counting(Rules[Losses]):
    def single(self, node: Single, steps: int) -> Losses | None:
        one = Fraction(1)
        match node:
            case Gaussian(mu=mu):
                return Counter([Loss("gaussian", (mu * steps) ** 2, one)])
            case Laplace(epsilon=epsilon):
                return Counter([Loss("laplace", epsilon * steps, one)])
            case BoundedRange(epsilon=epsilon):
                return Counter([Loss("pair", epsilon * steps, Fraction(0))])
            case Approximate(epsilon=epsilon, delta=delta):
                return Counter([Loss("pair", *group(Pair(epsilon, delta), steps))])
            case Sampled(scheme=Scheme.POISSON, relation=Relation.ADD_REMOVE) if steps == 1:
                squared = squared_mu(node.body)
                return None if squared is None else Counter([Loss("gaussian", squared, node.rate)])
            case _:
                return None

    def sequence(self, parts: Listed[Losses]) -> Losses:
        return sum(parts, Counter())

    def repeat(self, count: int, once: Losses) -> Losses:
        return Counter({loss: count * times for loss, times in once.items()})

    def either(self, parts: Listed[Losses]) -> Losses | None:
        return parts[0] if all(part == parts[0] for part in parts) else None


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
    """Whether the library, if it is there, knows every mechanism of a charge; and a δ of 0 it cannot aim at."""
    return 0 < delta < 1 and losses(charge) is not None


class Asked:
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
        epsilon = Fraction(found["epsilon"])
        parameters = (("interval", Fraction(found["interval"])),)
        note = f"computed by dp-accounting {found['version']}; no certificate can hold it"
    except (ValueError, KeyError, TypeError):  # it was stopped, or could say nothing
        return None
    return Guarantee(shown(epsilon), question.delta, RULE, parameters, note)


def ask(charge: Charge, delta: Fraction, timeout: float = TIMEOUT) -> Guarantee | None:
    """The smallest ε by privacy loss distributions at a total δ; None if the library is not there, knows nothing of the
    charge, or takes longer than so many seconds."""
    if not installed() or not can_answer(charge, delta):
        return None
    (found,) = Asked([Question(charge, delta)]).answers(timeout)
    return found


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
    last: tuple[Any, Any, float] = None, None, 0.0  # what is asked of one charge comes together
    for question in questions:
        try:
            if last[0] != question["charge"]:
                last = question["charge"], *_composed(losses(from_nodes(question["charge"])))
            yield _epsilon(*last[1:], Fraction(question["delta"])) or {}
        except Exception:  # the library cannot compute it; it may well compute the next one
            yield {}


def _composed(counted: Losses | None) -> tuple[Any, float]:
    """The distribution of all losses together, and its step."""
    from dp_accounting.pld import privacy_loss_distribution as library

    if counted is None:
        raise ValueError("a mechanism has no dominating pair")
    step = _step(counted)
    total = library.identity(value_discretization_interval=step)
    squared = sum((loss.first * count for loss, count in counted.items() if _plain_gaussian(loss)), Fraction(0))
    rest = [(loss, count) for loss, count in counted.items() if loss.first and not _plain_gaussian(loss)]
    if squared:
        rest.append((Loss("gaussian", squared, Fraction(1)), 1))
    for loss, count in rest:
        total = total.compose(_distribution(library, loss, step).self_compose(count))
    return total, step


def _epsilon(total: Any, step: float, delta: Fraction) -> dict[str, str] | None:
    from importlib.metadata import version

    epsilon = total.get_epsilon_for_delta(math.nextafter(float(delta), 0))
    if not math.isfinite(epsilon):
        return None
    return {
        "epsilon": str(Fraction(epsilon)),
        "interval": str(Fraction(step)),
        "version": version("dp-accounting"),
    }


def _plain_gaussian(loss: Loss) -> bool:
    return loss.kind == "gaussian" and loss.second == 1


def _distribution(library: Any, loss: Loss, step: float) -> Any:
    """Every number rounded to the side on which it costs more."""
    settings = {"value_discretization_interval": step}
    match loss.kind:
        case "gaussian":
            deviation = _below(1 / Interval.of(loss.first).sqrt())
            rate = min(math.nextafter(float(loss.second), 2), 1.0)
            return library.from_gaussian_mechanism(deviation, sampling_prob=rate, **settings)
        case "laplace":
            return library.from_laplace_mechanism(_below(1 / Interval.of(loss.first)), **settings)
        case _:
            epsilon, delta = (math.nextafter(float(value), math.inf) if value else 0.0 for value in loss[1:])
            pair = library.common.DifferentialPrivacyParameters(epsilon, delta)
            return library.from_privacy_parameters(pair, **settings)


def _below(value: Interval) -> float:
    return math.nextafter(float(value.down), 0)


def _step(counted: Losses) -> float:
    """A step so that a distribution has not too many of them."""
    squares = sum(count * _reach(loss) ** 2 for loss, count in counted.items())
    return min(max(_FINEST, _SPREAD * math.sqrt(squares) / _MOST_STEPS), _COARSEST)


def _reach(loss: Loss) -> float:
    """About how large the loss of one round is, hardly ever larger."""
    if loss.kind != "gaussian":
        return float(loss.first)
    mu = math.sqrt(loss.first)
    return float(amplified_epsilon(loss.second, Fraction(mu * mu / 2 + 2 * mu)))
