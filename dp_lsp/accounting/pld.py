"""Privacy loss distributions, by the library dp-accounting where that is installed, in a process of their own.

Importing the library takes half a second and 100 MB, and a distribution may take seconds; so a process reads a charge
and a δ as JSON, writes its answer and ends. Whoever asked may stop it at any time. The library rounds losses up, but
computes with floats, so what it says is its own word: nobody can compute it again from a few numbers.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence as Listed
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from dp_lsp.accounting.charge import Approximate, BoundedRange, Charge, Gaussian, Laplace, Relation, Sampled, Scheme
from dp_lsp.accounting.folding import Rules, Single, fold
from dp_lsp.accounting.gaussian import squared_mu
from dp_lsp.accounting.guarantee import Guarantee
from dp_lsp.accounting.pairs import Pair, amplified_epsilon, group
from dp_lsp.accounting.rounding import Interval, shown
from dp_lsp.accounting.wire import from_nodes, to_nodes

RULE = "pld"
TIMEOUT = 60.0  # seconds
_FINEST, _COARSEST = 1e-5, 0.05  # steps of a distribution
_MOST_STEPS = 2e6
_SPREAD = 24.0  # deviations of a loss that a distribution covers
_ROOT = str(Path(__file__).resolve().parents[2])
_RUN = f"import sys; sys.path.append({_ROOT!r}); from dp_lsp.accounting.pld import answer; answer()"


class Loss(NamedTuple):
    """A mechanism with a dominating pair: its kind, and the numbers of that."""

    kind: str  # "gaussian", "laplace", "pair"
    first: Fraction  # μ² of Gaussian noise, else ε
    second: Fraction  # of a pair δ, else the rate of a Poisson sample under add/remove, 1 for none


Losses = Counter[Loss]


def installed() -> bool:
    """Whether the library is there."""
    return find_spec("dp_accounting") is not None


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


class Asked:
    """A question to a process that has been started. Raises OSError if it cannot be."""

    def __init__(self, charge: Charge, delta: Fraction) -> None:
        self._delta = delta
        self._question = json.dumps({"charge": to_nodes(charge), "delta": str(delta)})
        command = [sys.executable, "-P", "-c", _RUN]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def answer(self, timeout: float = TIMEOUT) -> Guarantee | None:
        """Wait for the answer, for at most so many seconds; None if there is none. The process has ended then."""
        try:
            written, _ = self._process.communicate(self._question, timeout)
            found = json.loads(written)
            epsilon = Fraction(found["epsilon"])
            parameters = (("interval", Fraction(found["interval"])),)
        except subprocess.TimeoutExpired:
            self.cancel()
            self._process.communicate()
            return None
        except (ValueError, KeyError):  # it was stopped, or could say nothing
            return None
        note = f"computed by dp-accounting {found['version']}; no certificate can hold it"
        return Guarantee(shown(epsilon), self._delta, RULE, parameters, note)

    def cancel(self) -> None:
        """End the process at once; may be called from any thread."""
        self._process.kill()


def ask(charge: Charge, delta: Fraction, timeout: float = TIMEOUT) -> Guarantee | None:
    """The smallest ε by privacy loss distributions at a total δ; None if the library is not there, knows nothing of the
    charge, or takes longer than so many seconds."""
    if not 0 < delta < 1 or not installed() or losses(charge) is None:
        return None
    return Asked(charge, delta).answer(timeout)


def answer() -> None:
    """What the process does: reads a question, writes the answer."""
    question = json.load(sys.stdin)
    counted = losses(from_nodes(question["charge"]))
    found = None if counted is None else _epsilon(counted, Fraction(question["delta"]))
    print(json.dumps(found or {}))


def _epsilon(counted: Losses, delta: Fraction) -> dict[str, str] | None:
    from importlib.metadata import version

    from dp_accounting.pld import privacy_loss_distribution as library

    step = _step(counted)
    total = library.identity(value_discretization_interval=step)
    squared = sum((loss.first * count for loss, count in counted.items() if _plain_gaussian(loss)), Fraction(0))
    rest = [(loss, count) for loss, count in counted.items() if loss.first and not _plain_gaussian(loss)]
    if squared:
        rest.append((Loss("gaussian", squared, Fraction(1)), 1))
    for loss, count in rest:
        total = total.compose(_distribution(library, loss, step).self_compose(count))
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
