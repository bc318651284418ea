"""What must be known of a function to run it: its method, all definitions around it, and what is not decided of it; and
what can be certified of it: the charge of each bound that has a number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from dp_lsp.accounting.charge import Charge
from dp_lsp.analysis.records import FunctionReport, Options, State
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Constraint, decide
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.notation import DISPLAY, Printer
from dp_lsp.core.scheme import Scheme
from dp_lsp.core.sens import Sens
from dp_lsp.core.term import Call, Definition, Method
from dp_lsp.engine.describe import Description, ReportPlace
from dp_lsp.infer.method import Inferred
from dp_lsp.language import FLOAT_NOISE, UNSEEDED
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

if TYPE_CHECKING:  # few ask
    from dp_lsp.accounting.pld import Question


class Runnable(NamedTuple):
    """A function of a file. ``definitions`` are all that stand in its module, ``undecided`` the conditions of it that
    its numbers do not decide, in words, and ``norms`` those that its bounds are stated for where it leaves them
    open."""

    file: str
    report: FunctionReport
    method: Method
    scheme: Scheme
    definitions: tuple[Definition, ...]
    undecided: tuple[str, ...]
    norms: Substitution

    @property
    def reached(self) -> tuple[Definition, ...]:
        """The method and all definitions that it may use, through others too."""
        by_name: dict[str, list[Definition]] = {}
        for each in self.definitions:
            by_name.setdefault(each.name, []).append(each)
        known: dict[int, Definition] = {id(self.method): self.method}
        waiting = list(self.method.uses)
        while waiting:
            for each in by_name.pop(waiting.pop(), ()):
                known[id(each)] = each
                waiting += each.uses
        return tuple(known.values())


def runnable(
    file: str,
    report: FunctionReport,
    method: Method,
    inferred: Inferred,
    around: tuple[Definition, ...],
    options: Options,
) -> Iterator[Runnable]:
    """What is known of a function; nothing where it was not inferred to the end."""
    scheme = inferred.shown
    if scheme is not None:
        description = Description(scheme, ReportPlace(report.span, report.name_span), options, inferred.assumed)
        assumed = (each for each in inferred.assumed if each not in _OF_NOISE)
        undecided = *_undecided(description.needs, description), *assumed
        yield Runnable(file, report, method, scheme, around, undecided, description.norms)


_OF_NOISE = frozenset({FLOAT_NOISE, UNSEEDED})
"""The premises of noise that a program draws by itself: a run draws it exactly, and by no generator of the program."""


def _undecided(needs: Iterable[Constraint], description: Description) -> Iterator[str]:
    """The conditions that do not hold for certain by the numbers that are given."""
    known, printer = description.known(), Printer(DISPLAY)
    for need in needs:
        symbols = {*symbols_of(need.left), *symbols_of(need.right)}
        put = Substitution({each: Poly.of(known[each.name]) for each in symbols if each.name in known})
        left, right = (put.sens(side) if isinstance(side, Sens) else put.poly(side) for side in (need.left, need.right))
        if decide(left, need.relation, right) is not True:
            yield printer.constraint(need)


def terms(definition: Definition) -> Iterator[term.Term]:
    """All terms in a definition, those in functions that are made there too."""
    body = definition.body if isinstance(definition, Method) else definition.term
    return iter(()) if body is None else term.within(term.of_body(body))


def calls(definition: Definition) -> Iterator[Call]:
    """All calls of builtins among them."""
    return (node for node in terms(definition) if isinstance(node, Call))


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
        from dp_lsp.accounting.pld import Question

        return Question(self.charge, self.delta)


def certifiable(file: str, report: FunctionReport, inferred: Inferred, options: Options) -> Iterator[Certifiable]:
    """What can be certified of a function: nothing of one that is not proved, nothing by rules that may not hold."""
    if inferred.shown is None or report.state is not State.PROVED:
        return
    description = Description(inferred.shown, ReportPlace(report.span, report.name_span), options, inferred.assumed)
    conditions = tuple(condition.text for condition in report.conditions)
    for group in description.bounds:
        pricing = description.pricing(group)
        for numeric in pricing.best(options.target_delta):
            delta = options.target_delta if options.target_delta is not None else numeric.delta
            if pricing.charge is not None and not numeric.missing and numeric.epsilon is not None and delta is not None:
                about = file, report.name, report.signature, numeric.parameters, conditions
                yield Certifiable(*about, pricing.charge, delta, report.name_span)
