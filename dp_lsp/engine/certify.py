"""What can be certified of a function: the charge of each bound that has a number."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.accounting.charge import Charge
from dp_lsp.accounting.pld import Question
from dp_lsp.analysis.records import FunctionReport, Options, State
from dp_lsp.engine.describe import Description, Place
from dp_lsp.infer.method import Inferred
from dp_lsp.text import Span


class Certifiable(NamedTuple):
    """What changes of some parameters together are charged by a proved function of a file, and the total δ at which a
    bound of it is wanted. ``conditions`` are what the function holds under, for a person; at ``place`` stands its
    name."""

    file: str
    function: str
    signature: str
    parameters: tuple[str, ...]
    conditions: tuple[str, ...]
    charge: Charge
    delta: Fraction
    place: Span

    @property
    def question(self) -> Question:
        """What distributions may be asked about it."""
        return Question(self.charge, self.delta)


def certifiable(file: str, report: FunctionReport, inferred: Inferred, options: Options) -> Iterator[Certifiable]:
    """What can be certified of a function: nothing of one that is not proved, nothing by rules that may not hold."""
    if inferred.shown is None or report.state is not State.PROVED:
        return
    description = Description(inferred.shown, Place(report.span, report.name_span), options, inferred.assumed)
    conditions = tuple(condition.text for condition in report.conditions)
    for group in description.bounds:
        pricing = description.pricing(group)
        for numeric in pricing.best(options.target_delta):
            delta = options.target_delta if options.target_delta is not None else numeric.delta
            if pricing.charge is not None and not numeric.missing and numeric.epsilon is not None and delta is not None:
                about = file, report.name, report.signature, numeric.parameters, conditions
                yield Certifiable(*about, pricing.charge, delta, report.name_span)
