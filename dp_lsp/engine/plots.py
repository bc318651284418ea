"""What is plotted of a function: the curves of each bound that has all its numbers, and of others what is missing.

A client that wants plots in a report waits a little longer: the worker prices each function that has all its numbers
at some forty places, gives way to any check, and keeps the result beside the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from dp_lsp.accounting.bounds import PROFILES
from dp_lsp.accounting.charge import Charge
from dp_lsp.analysis.plots import Curve, Plot
from dp_lsp.analysis.records import FunctionReport, Options, State
from dp_lsp.engine.curves import Point, against_delta, against_rounds
from dp_lsp.engine.describe import Description, Place
from dp_lsp.engine.numeric import Pricing
from dp_lsp.infer.method import Inferred

_USUAL = Fraction(1, 100_000)  # the total δ of a function that has none of its own


def is_plotted(report: FunctionReport) -> bool:
    """Whether there may be something to plot of a function."""
    return report.kind == "privacy" and report.state is State.PROVED


def plots(report: FunctionReport, inferred: Inferred, options: Options, look: Callable[[], None]) -> Iterator[Plot]:
    """The plots of a proved function; nothing by rules that know no charges. Parameters that are part of a record are
    not plotted besides it, which costs no less."""
    if inferred.shown is None or not PROFILES[options.profile].charges:
        return
    description = Description(inferred.shown, Place(report.span, report.name_span), options, inferred.assumed)
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


def _curves(points: Iterable[Point]) -> tuple[Curve, ...]:
    """A curve for each rule, in the order in which they are met."""
    found: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        found.setdefault(point.rule, []).append((float(point.at), point.epsilon))
    return tuple(Curve(rule, tuple(places)) for rule, places in found.items())
