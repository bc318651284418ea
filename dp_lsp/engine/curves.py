"""The smallest proved ε of a charge as other things change: the total δ, or how often its longest loop runs; and the
plots of a function that are made of such curves, or what is missing for them.

A client that wants plots in a report waits a little longer: the worker prices each function that has all its numbers at
some forty places, gives way to any check, and keeps the result beside the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import groupby

from dp_lsp.accounting import charge as tree
from dp_lsp.accounting.best import guarantees
from dp_lsp.accounting.bounds import PROFILES
from dp_lsp.accounting.charge import Charge, in_order
from dp_lsp.accounting.pld import Question
from dp_lsp.analysis.records import FunctionReport, Options, State
from dp_lsp.analysis.rows import Plot, PlottedCurve
from dp_lsp.core.evaluate import rounded_up
from dp_lsp.core.values import replace
from dp_lsp.engine.describe import Description, ReportPlace
from dp_lsp.engine.numeric import Pricing
from dp_lsp.infer.method import Inferred
from dp_lsp.named import NamedTuple

_EXPONENTS = range(-120, -15, 5)  # tenths of powers of ten
_POINTS = 24  # numbers of rounds


class CurvePoint(NamedTuple):
    """A point of a curve: where, the smallest ε there that a rule proves, rounded up, and the rule."""

    at: Fraction
    epsilon: float
    rule: str


Look = Callable[[], None]
"""Called before each point, as a point takes its time; what it raises ends the work."""


class RoundsCurve(NamedTuple):
    """Curves over the number of rounds of a loop, which are ``actual`` in the program."""

    actual: int
    points: tuple[CurvePoint, ...]


def against_delta(charge: Charge, look: Look = lambda: None) -> tuple[CurvePoint, ...]:
    """ε of each rule at total δ between 1e-12 and 0.03; at each place the smallest comes first."""
    return tuple(_points(questions_of_delta(charge), look))


def questions_of_delta(charge: Charge) -> list[tuple[Fraction, Question]]:
    """What is asked for that curve, by its points."""
    exponents = (Fraction(str(float(f"{10 ** (tenths / 10):.3g}"))) for tenths in _EXPONENTS)
    return [(delta, Question(charge, delta)) for delta in exponents]


def questions_of_rounds(charge: Charge, delta: Fraction) -> list[tuple[Fraction, Question]]:
    """What is asked for a curve over the rounds of the longest loop, up to twice as many as there are, by its points;
    nothing without a loop."""
    longest = _longest(charge)
    if longest is None:
        return []
    counts = sorted({max(1, 2 * longest.count * place // _POINTS) for place in range(1, _POINTS + 1)})
    return [(Fraction(count), Question(_repeated(charge, longest, count), delta)) for count in counts]


def against_rounds(charge: Charge, delta: Fraction, look: Look = lambda: None) -> RoundsCurve | None:
    """The same at one total δ as the longest loop runs up to twice as often, the noise of each round being what it is;
    None without a loop."""
    longest = _longest(charge)
    if longest is None:
        return None
    return RoundsCurve(longest.count, tuple(_points(questions_of_rounds(charge, delta), look)))


def lowest(points: Iterable[CurvePoint]) -> tuple[CurvePoint, ...]:
    """The smallest ε at each place."""
    return tuple(next(group) for _, group in groupby(points, key=lambda point: point.at))


def _longest(charge: Charge) -> tree.ChargedRepeat | None:
    loops = (node for node in in_order(charge) if isinstance(node, tree.ChargedRepeat))
    return max(loops, key=lambda loop: loop.count, default=None)


def _points(questions: Iterable[tuple[Fraction, Question]], look: Look) -> Iterator[CurvePoint]:
    for at, question in questions:
        look()
        for stated in guarantees(question.charge, question.delta):
            yield CurvePoint(at, rounded_up(stated.epsilon), stated.rule)


def _repeated(charge: Charge, loop: tree.ChargedRepeat, count: int) -> Charge:
    """The same with another number of rounds of a loop."""
    made: dict[int, Charge] = {}
    for node in in_order(charge):
        match node:
            case tree.ChargedSequence(parts=parts) | tree.ChargedEither(parts=parts):
                made[id(node)] = replace(node, parts=tuple(made[id(part)] for part in parts))
            case tree.ChargedRepeat(body=body):
                again = count if node is loop else node.count
                made[id(node)] = replace(node, body=made[id(body)], count=again)
            case tree.Group(body=body) | tree.ChargedSample(body=body):
                made[id(node)] = replace(node, body=made[id(body)])
            case tree.Joined(first=first, second=second):
                made[id(node)] = tree.Joined(made[id(first)], made[id(second)])
            case _:
                made[id(node)] = node
    return made[id(charge)]


_USUAL = Fraction(1, 100_000)  # the total δ of a function that has none of its own


def is_plotted(report: FunctionReport) -> bool:
    """Whether there may be something to plot of a function."""
    return report.kind == "privacy" and report.state is State.PROVED


def plots(report: FunctionReport, inferred: Inferred, options: Options, look: Callable[[], None]) -> Iterator[Plot]:
    """The plots of a proved function; nothing by rules that know no charges. Parameters that are part of a record are
    not plotted besides it, which costs no less."""
    if inferred.shown is None or not PROFILES[options.profile].charges:
        return
    description = Description(inferred.shown, ReportPlace(report.span, report.name_span), options, inferred.assumed)
    for group in description.bounds:
        if any(set(group) < set(other) for other in description.bounds):
            continue
        pricing = description.pricing(group)
        names = tuple(var.name for var in group)
        if pricing.charge is None:
            if pricing.missing:
                yield Plot(names, "delta", missing=pricing.missing)
            continue
        delta = _total(pricing, options)
        yield from _drawn(names, pricing.charge, delta, look)


def _total(pricing: Pricing, options: Options) -> Fraction | None:
    """The total δ at which the program is priced, if there is one."""
    if options.target_delta is not None:
        return options.target_delta
    found = next(iter(pricing.best(None)), None)
    return None if found is None or found.missing or found.delta is None or found.delta >= 1 else found.delta


def _drawn(names: tuple[str, ...], charge: Charge, total: Fraction | None, look: Callable[[], None]) -> Iterator[Plot]:
    curves = _curves(against_delta(charge, look))
    if curves:
        yield Plot(names, "delta", curves, None if total is None else float(total))
    delta = _USUAL if total is None else total
    rounds = against_rounds(charge, delta, look)
    if rounds is not None and rounds.points:
        yield Plot(names, "iterations", _curves(rounds.points), float(rounds.actual), float(delta))


def _curves(points: Iterable[CurvePoint]) -> tuple[PlottedCurve, ...]:
    """A curve for each rule, in the order in which they are met."""
    found: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        found.setdefault(point.rule, []).append((float(point.at), point.epsilon))
    return tuple(PlottedCurve(rule, tuple(places)) for rule, places in found.items())
