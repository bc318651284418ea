"""From what was inferred of a method to what is reported of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from dp_lsp import frontends
from dp_lsp.accounting.bounds import LARGEST, PROFILES, Bound, Headline, Profile, bounds, headline, vacuous
from dp_lsp.accounting.charge import Relation
from dp_lsp.accounting.total import may_cancel
from dp_lsp.analysis.records import (
    BoundReport,
    ConditionReport,
    FreeVariable,
    FunctionReport,
    NumericReport,
    Options,
    ParameterReport,
    SpendingReport,
    State,
)
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.constraints import Assumptions, Constraint, Quantity
from dp_lsp.core.display import type_text
from dp_lsp.core.evaluate import Missing, Substitution, symbols_of, upper
from dp_lsp.core.events import Var, mechanisms
from dp_lsp.core.notation import DISPLAY, SYMPY, Printer, decimal, figure
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import FunctionType, NumberType
from dp_lsp.engine.distributions import Consult, nothing
from dp_lsp.engine.domains import outside
from dp_lsp.engine.limits import excess
from dp_lsp.engine.limits import problem as above
from dp_lsp.engine.measured import Measured, record_metrics
from dp_lsp.engine.published import published, with_norms
from dp_lsp.engine.shares import Writing, shares, told
from dp_lsp.engine.totals import NONE, Totals, totals
from dp_lsp.engine.units import premise, stability
from dp_lsp.infer.conditions import failing
from dp_lsp.infer.problems import NoBound, NoGuarantee, TotalMissed
from dp_lsp.intents import DeclarePublic
from dp_lsp.problem import Extent, Problem, Related
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.engine.claims import Claim
    from dp_lsp.engine.numeric import Pricing

_SLACK = "a share of δ you may choose: the smaller it is, the larger is ε"
_ADD_REMOVE = "neighbours are data of which one has a record more (`add-remove`)"
_ROWS_READ = (
    "with `add-remove` it is private how many rows `{}` has: it is protected where rows are drawn of it with a "
    "probability each, and nothing else is done with it"
)
_SHARE = "a share of δ you may choose: the smaller it is, the larger is ε of the noise it belongs to"


class Described(NamedTuple):
    """A report, the problems that only its bounds show, and where it comes from; a black box is not described."""

    report: FunctionReport
    problems: tuple[Problem, ...]
    description: Description | None = None


class Place(NamedTuple):
    """Where a method, its name and its parameters stand in a text."""

    span: Span
    name: Span
    text: str = ""
    parameters: tuple[Span, ...] = ()


def describe(
    scheme: Scheme,
    place: Place,
    options: Options,
    state: State,
    notes: tuple[str, ...] = (),
    claims: tuple[Claim, ...] = (),
    consult: Consult = nothing,
) -> Described:
    """The report of an inferred method. ``state`` is what its problems so far make of it, ``notes`` are what else it
    takes for granted, ``claims`` what comments say of it, and ``consult`` knows what distributions say."""
    return Description(scheme, place, options, notes, consult=consult).described(state, claims)


class Description:
    """What is said of a method, and in which words. ``captured`` are variables around it that are priced as well."""

    def __init__(
        self,
        scheme: Scheme,
        place: Place,
        options: Options,
        notes: tuple[str, ...] = (),
        captured: tuple[Var, ...] = (),
        consult: Consult = nothing,
    ) -> None:
        self.scheme = scheme
        self.place = place
        self._notes = notes
        self._functions = {each.callee for each in scheme.opens}
        self._options = options
        self._consult = consult
        self._private = scheme.claims_privacy
        self._profile = PROFILES[options.profile]
        self._vars = tuple(param.var for param in scheme.params if not param.var.public)
        taken = frozenset(param.name for param in scheme.params)
        self._together = (*self._vars, *captured)
        self._taken = taken
        self._relation = Relation(options.neighbours)
        norms = _chosen(record_metrics(scheme, ()))
        put = (
            Constraint(_put(norms, need.left), need.relation, _put(norms, need.right), need.origin)
            for need in scheme.needs
        )
        self.needs = tuple(need for need in put if need.decide() is not True)  # a norm decides some of them
        assumed = Assumptions(self.needs, self._profile.assumes_nonnegative)
        self.formula = Printer(SYMPY, assumed)
        self.display = Printer(DISPLAY, assumed)
        self._given = options.given(scheme.name)
        self._heads: dict[Var, Headline] = {}

    # What is priced, and when somebody asks for it

    @cached_property
    def _priced(self) -> dict[tuple[Var, ...], tuple[Bound, ...]]:
        """The bounds by all measures, in the norms in which they were found."""
        return self._priced_by(self._profile)

    def _priced_by(self, profile: Profile) -> dict[tuple[Var, ...], tuple[Bound, ...]]:
        scheme = self.scheme
        return bounds(scheme.cost, self._together, profile, self._taken, self._relation) if self._private else {}

    @cached_property
    def _metrics(self) -> tuple[Measured, ...]:
        return tuple(record_metrics(self.scheme, _sides(self._priced)))

    @cached_property
    def norms(self) -> Substitution:
        """The norms that the bounds are stated for, where the program leaves them open."""
        return _chosen(self._metrics)

    @cached_property
    def bounds(self) -> dict[tuple[Var, ...], tuple[Bound, ...]]:
        """All that is proved of each variable, and of those that change together."""
        return {group: _in_metric(self.norms, listed) for group, listed in self._priced.items()}

    @cached_property
    def totals(self) -> Totals:
        """What rounds come to that have shares of a total."""
        known = self._profile.charges and not self.scheme.reason and may_cancel(self.scheme.cost)
        return totals(self.scheme.cost, self.bounds, self._numbers) if known else NONE

    @cached_property
    def _numbers(self) -> dict[Symbol, Fraction]:
        """The numbers given for this function's symbols."""
        return dict(self._settings()) if self._given else {}

    @cached_property
    def _guaranteed(self) -> frozenset[Var]:
        """Variables of which the first measure alone shows that something is guaranteed: others cannot show less."""
        if self._given:
            return frozenset()
        first = self._profile._replace(measures=self._profile.measures[:1])
        found = self._priced if "_priced" in self.__dict__ else self._priced_by(first)
        norms = _chosen(record_metrics(self.scheme, _sides(found)))
        firsts = (_in_metric(norms, listed[:1])[0] for listed in found.values())
        return frozenset(
            bound.variables[0] for bound in firsts if len(bound.variables) == 1 and not self._is_vacuous(bound)
        )

    def described(self, state: State, claims: tuple[Claim, ...] = ()) -> Described:
        """The report of the function, and the problems that only its bounds show; ``state`` is that of inference."""
        scheme = self.scheme
        failed = [] if state is State.UNKNOWN else list(self._failed_conditions())
        problems = [] if state is State.UNKNOWN else [*failed, *self._problems(state)]
        if claims and state is not State.UNKNOWN and not failed:
            from dp_lsp.engine import claimed  # not needed where nothing is claimed

            problems += claimed.problems(self, claims, self.place.name)
        if problems and state is State.PROVED:
            state = State.FAILED
        problems += [] if state is State.UNKNOWN else self._missed_totals()
        parameters = tuple(
            self._parameter(param)._replace(stability=stability(self, param, self._private)) for param in scheme.params
        )
        described = FunctionReport(
            scheme.name, scheme.signature, "privacy" if self._private else "sensitivity", state,
            scheme.reason, self.place.span, self.place.name, parameters,
            type_text(with_norms(scheme.result.type, self.norms), self.display),
            self._listed(),
            () if failed else tuple(self._numeric()), tuple(self._conditions()), published(self),
            mechanisms(scheme.cost), spending=tuple(self._spending()),
        )  # fmt: skip
        return Described(described, tuple(problems), self)

    def _spending(self) -> Iterator[SpendingReport]:
        """What each mechanism spends, where it is not the only one."""
        for group in self.bounds:
            found = list(self.spending(group))
            if len(found) > 1:
                yield from found

    def head(self, var: Var) -> Headline:
        """The tightest bound for a variable."""
        found = self._heads.get(var)
        if found is None:
            whole = self.totals.held.get((var,))
            found = self._heads[var] = Headline(whole.bound, None) if whole else headline(self.bounds[(var,)])
        return found

    def _settings(self) -> Iterator[tuple[Symbol, Fraction]]:
        quantities: list[Quantity] = [side for need in self.needs for side in (need.left, need.right)]
        for listed in self.bounds.values():
            for bound in listed:
                quantities += [bound.price.epsilon, bound.price.delta]
        for symbol in {symbol for quantity in quantities for symbol in symbols_of(quantity)}:
            if symbol.name in self._given:
                yield symbol, self._given[symbol.name]

    # Problems

    def _problems(self, state: State) -> Iterator[Problem]:
        by_delta: dict[tuple[str, str], list[str]] = {}
        unbounded: list[str] = []
        for var in self.claimed() if self._private else ():
            if var in self._guaranteed:
                continue
            best = self.head(var).first.price
            if best.epsilon.infinite:
                unbounded.append(var.name)
                continue
            delta = self._vacuous(best.delta, self._numbers)
            if delta is not None and all(map(self._is_vacuous, self.bounds[(var,)])) and not self._is_priced(var):
                by_delta.setdefault((delta, self.formula.sens(best.delta)), []).append(var.name)
        said = {*unbounded, *chain.from_iterable(by_delta.values())}
        yield from self._above_limits(said)
        for (delta, exact), names in by_delta.items():
            name, variable, amount = self.scheme.name, "` and `".join(names), Extent("δ", exact)
            yield NoGuarantee.at(self.place.name, amount=amount, name=name, variable=variable, delta=delta)
        if unbounded and state is State.PROVED:
            yield self._no_bound(unbounded)

    def _no_bound(self, names: list[str]) -> Problem:
        code = frontends.of("", self._options.language).rendering
        fixes = tuple(code.fixes(DeclarePublic(frozenset(names), self.place.parameters), self.place.text))
        name, variable, related = self.scheme.name, "` and `".join(names), tuple(self._rows_read())
        return NoBound.at(self.place.name, name=name, variable=variable, fixes=fixes, related=related, code=code)

    def _missed_totals(self) -> Iterator[Problem]:
        """What rounds do not come to, although they were given shares of it; once for all it is about."""
        for (limit, epsilon, most), groups in self.totals.missed_by().items():
            names = "` and `".join(dict.fromkeys(var.name for group in groups for var in group))
            name, end = self.scheme.name, f"{self.display.sens(limit)} = {self._worth(most)}"
            said, amount = self.short(epsilon), Extent("ε", self.formula.sens(epsilon))
            yield TotalMissed.at(self.place.name, amount=amount, name=name, variables=names, epsilon=said, most=end)

    def _rows_read(self) -> Iterator[Related]:
        """The parameters of which nothing is guaranteed because it is private how many rows they have."""
        for param in self.scheme.params if self._relation is Relation.ADD_REMOVE else ():
            if param.var.only_drawn is False and not param.var.public:
                yield Related(_ROWS_READ.format(param.name), param.span)

    def _above_limits(self, said: set[str]) -> Iterator[Problem]:
        """What costs more than is allowed, those left out of which nothing is guaranteed."""
        epsilon, delta = self._options.max_epsilon, self._options.max_delta
        if not self._private or (epsilon is None and delta is None):
            return
        claimed = set(self.claimed())
        for group, listed in self.bounds.items():
            names = [var.name for var in group]
            found = excess(listed, epsilon, delta, self._numbers) if claimed.issuperset(group) else None
            if found is not None and not said & set(names) and not self._keeps(group, epsilon, delta):
                value = self._worth(found.value)
                yield above(found, self.place.name, self.scheme.name, "` and `".join(names), value, self.spent(group))

    def _keeps(self, group: tuple[Var, ...], epsilon: Fraction | None, delta: Fraction | None) -> bool:
        """Whether some measure shows, for the numbers that are given, that a limit is kept."""
        target = None if delta is None else min(delta, LARGEST)  # else at that of the bound that is shown
        found = self.pricing(group).best(target, epsilon)
        known = (each.epsilon for each in found if not each.missing and each.epsilon is not None)
        return any(epsilon is None or value <= epsilon for value in known)

    def _worth(self, value: Sens) -> str:
        """What a side of a price comes to, as a number where there is one."""
        if value.number is None and (self._numbers or not symbols_of(value)):
            with suppress(Missing):
                return decimal(upper(value, self._numbers))
        return self.short(value)

    def claimed(self) -> Iterator[Var]:
        """The variables that a private function claims to protect: functions are none."""
        for param in self.scheme.params:
            function = isinstance(param.type, FunctionType) or param.type in self._functions
            if not param.var.public and not function:
                yield param.var

    def _is_priced(self, var: Var) -> bool:
        """Whether some measure proves an ε at the total δ that is asked for."""
        target = self._options.target_delta
        found = () if target is None else self.pricing((var,)).best(target, None)
        return any(not each.missing and each.epsilon is not None for each in found)

    def _is_vacuous(self, bound: Bound) -> bool:
        """Whether a bound guarantees nothing, whatever is chosen in it."""
        chosen = {choice.symbol: Fraction(0) for choice in bound.choices}
        return bound.price.epsilon.infinite or self._vacuous(bound.price.delta, self._numbers | chosen) is not None

    def _vacuous(self, delta: Sens, numbers: Mapping[Symbol, Fraction]) -> str | None:
        """The total δ in words, if it is 1 or more."""
        if vacuous(delta):
            return self.display.sens(delta)
        if not numbers:
            return None
        try:
            value = upper(delta, numbers)
        except Missing:
            return None
        return decimal(value) if value is None or value >= 1 else None

    def _failed_conditions(self) -> Iterator[Problem]:
        yield from (each.problem for each in outside(self.scheme.params, self._given))
        values = Substitution({symbol: Poly.of(number) for symbol, number in self._numbers.items()})
        for need in self.needs:
            put = Constraint(_put(values, need.left), need.relation, _put(values, need.right), need.origin)
            if put.decide() is False:
                yield failing(put, self.display.constraint(put))

    # Parts of the report

    def _parameter(self, param: SchemeParameter) -> ParameterReport:
        type_ = with_norms(param.type, self.norms)
        if isinstance(type_, NumberType) and param.static:
            type_ = NumberType(type_.base)
        text = type_text(type_, self.display)
        if self.scheme.reason:
            return self._nothing_known(param, text)
        if self._private:
            return self._private_parameter(param, text)
        move = self.scheme.result.moves.get(param.var)
        sens = self.norms.sens(move.sens) if move is not None else Sens(())
        sens_text = self.formula.sens(sens)
        shown = "public" if param.static else self.short(sens)
        return ParameterReport(param.name, text, param.static, sens_text, None, None, shown)

    def _nothing_known(self, param: SchemeParameter, text: str) -> ParameterReport:
        """A parameter of a function that was not checked to the end: no bound is claimed."""
        if self._private:
            return ParameterReport(param.name, text, param.static, None, "oo", "1", "not known")
        return ParameterReport(param.name, text, param.static, "oo", None, None, "not known")

    def _private_parameter(self, param: SchemeParameter, text: str) -> ParameterReport:
        if param.static:
            return ParameterReport(param.name, text, True, None, "0", "0", "public")
        if param.var.public:
            return ParameterReport(param.name, text, False, None, "oo", "1", "not protected")
        head = self.head(param.var)
        epsilon, delta = self._pair(head)
        return ParameterReport(param.name, text, False, None, epsilon, delta, self.shown(head))

    def _pair(self, head: Headline) -> tuple[str, str]:
        first = head.first.price
        epsilon, delta = self.formula.sens(first.epsilon), self.formula.sens(first.delta)
        if head.other is None:
            return epsilon, delta
        other = head.other.price
        second, second_delta = self.formula.sens(other.epsilon), self.formula.sens(other.delta)
        return (
            f"Min({epsilon}, {second})",
            f"Piecewise(({delta}, {epsilon} <= {second}), ({second_delta}, True))",
        )

    def shown(self, head: Headline) -> str:
        """The tightest bound for a person; two where it is open which is smaller."""
        if head.first.price.epsilon.infinite:
            return "no guarantee"
        texts = [
            f"ε {self.short(bound.price.epsilon)}  δ {self.short(bound.price.delta)}"
            for bound in (head.first, head.other)
            if bound is not None
        ]
        return "  or  ".join(texts)

    def short(self, value: Sens) -> str:
        """A number for a person: rounded up to a few digits, or a formula."""
        known = value.number
        return figure(known) if known is not None else self.display.sens(value)

    def _listed(self) -> tuple[BoundReport, ...]:
        found = chain.from_iterable(self.totals.also(*each) for each in self.bounds.items())
        finite = (bound for bound in found if not bound.price.epsilon.infinite)
        return () if self.scheme.reason else tuple(self._bound(bound) for bound in finite)

    def free(self, bound: Bound) -> tuple[FreeVariable, ...]:
        """What the user may choose in a bound."""
        end = self._profile.slack_end
        return tuple(
            FreeVariable(choice.symbol.name, f"0 < {choice.symbol.name} {end}", _SLACK if choice.composes else _SHARE)
            for choice in bound.choices
            if choice.symbol in symbols_of(bound.price.delta)
        )

    def _bound(self, bound: Bound) -> BoundReport:
        free = self.free(bound)
        names = tuple(var.name for var in bound.variables)
        epsilon, delta = self.formula.sens(bound.price.epsilon), self.formula.sens(bound.price.delta)
        own = tuple((name, self.formula.sens(number)) for name, number in bound.own)
        return BoundReport(names, bound.measure.kind, bound.rule, epsilon, delta, free, own)

    def _numeric(self) -> Iterator[NumericReport]:
        if self._options.asks_for_numbers and self._private and not self.scheme.reason:
            for group in self.bounds:
                yield from self.pricing(group).best(self._options.target_delta)

    def pricing(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction] | None = None) -> Pricing:
        """What variables cost in numbers that change together, for those that are given or for others."""
        from dp_lsp.engine.numeric import Pricing  # only who gave numbers needs all measures

        cost = self.scheme.cost if self._profile.charges else None
        known = self._given if numbers is None else numbers
        listed = self.totals.first(group, self.bounds[group], known)
        return Pricing(cost, listed, known, self.norms.norms, self._consult)

    def listed(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction]) -> tuple[Bound, ...]:
        """All that is proved of variables that change together, under the conditions that are shown; for numbers that
        break that of a total, without it."""
        return self.totals.first(group, self.bounds[group], numbers, assumed=True)

    def known(self) -> Mapping[str, Fraction]:
        """The numbers that are given, by name."""
        return self._given

    def spending(
        self, group: tuple[Var, ...], numbers: Mapping[str, Fraction] | None = None
    ) -> Iterator[SpendingReport]:
        """What each mechanism spends of variables that change together, with the numbers that are given or others."""
        first = self.bounds[group][0]
        if not (self.scheme.reason or first.price.unbounded):
            writing = Writing(self.norms, self._given if numbers is None else numbers, self)
            yield from shares(self.scheme.cost, first, self.place.name, writing)

    def spent(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction] | None = None) -> tuple[Related, ...]:
        """What each mechanism spends, at its place."""
        return tuple(told(each) for each in self.spending(group, numbers))

    def _conditions(self) -> Iterator[ConditionReport]:
        for need in (*self.needs, *self.totals.conditions(self.place.name)):
            text = self.display.constraint(need)
            yield ConditionReport(text, _relation(self.formula, need), False)
        for measured in self._metrics:
            if measured.what:
                yield ConditionReport(f"{measured.what} is {measured.metric.value}", None, False)
        if self._private and self._relation is Relation.ADD_REMOVE:
            yield ConditionReport(_ADD_REMOVE, None, False)
        for text in chain(premise(self.scheme, self._options.contributes), self._notes):
            yield ConditionReport(text, None, False)


def _relation(printer: Printer, need: Constraint) -> str:
    left, right = printer.quantity(need.left), printer.quantity(need.right)
    if need.relation == "==":
        return f"Eq({left}, {right})"
    return f"Ne({left}, {right})" if need.relation == "!=" else f"{left} {need.relation} {right}"


def _chosen(metrics: Iterable[Measured]) -> Substitution:
    """The norms that were chosen for those that are open."""
    return Substitution({}, {measured.norm: measured.metric for measured in metrics})


def _sides(priced: Mapping[tuple[Var, ...], tuple[Bound, ...]]) -> Iterator[Sens]:
    """All numbers of some bounds."""
    for bound in chain.from_iterable(priced.values()):
        yield from bound.price
        yield from (number for _, number in bound.own)


def _in_metric(norms: Substitution, listed: tuple[Bound, ...]) -> tuple[Bound, ...]:
    """Bounds with norms put in."""
    if not norms.norms:
        return listed
    return tuple(
        bound._replace(
            price=bound.price._replace(epsilon=norms.sens(bound.price.epsilon), delta=norms.sens(bound.price.delta)),
            own=tuple((name, norms.sens(number)) for name, number in bound.own),
        )
        for bound in listed
    )


def _put(values: Substitution, side: Quantity) -> Quantity:
    return values.sens(side) if isinstance(side, Sens) else values.poly(side)
