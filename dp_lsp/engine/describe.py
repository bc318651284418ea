"""From what was inferred of a method, or is said of a black box, to what is reported of it: its bounds and their
premises, what each bound is about (:func:`premise`, :func:`record_metrics`), and what each mechanism spends of a bound
(:func:`shares`, :func:`totals`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from dp_lsp import frontends
from dp_lsp.accounting.bounds import (
    LARGEST,
    PROFILES,
    Bound,
    Headline,
    Profile,
    Total,
    bounds,
    headline,
    may_cancel,
    total,
    vacuous,
)
from dp_lsp.accounting.charge import Relation
from dp_lsp.accounting.symbolic import Spending
from dp_lsp.analysis.details import (
    Chain,
    ChoiceDetail,
    Details,
    Need,
    PairDetail,
    ParameterDetail,
    PremiseDetail,
    ProvedBound,
    Scale,
    Share,
    Standing,
    encoded,
)
from dp_lsp.analysis.records import FLOAT_NOISES, NEIGHBOURS, FunctionReport, Options, State
from dp_lsp.analysis.rows import NumericReport, Premised
from dp_lsp.analysis.words import Writing
from dp_lsp.builtins.remedies import UNBOX
from dp_lsp.core.algebra import NormVariable, Poly, Sign, Symbol
from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.constraints import Assumptions, Constraint, Origin, Quantity, contradicted, decide, fails_as, positive
from dp_lsp.core.evaluate import Missing, Substitution, interval, norms_of, symbols_of, upper
from dp_lsp.core.events import Cost, Var, mechanisms
from dp_lsp.core.metrics import holds_records, is_discrete
from dp_lsp.core.notation import allowed, as_formula, decimal, figure, percentage
from dp_lsp.core.scheme import BlackBox, FunctionValue, Scheme, SchemeParameter
from dp_lsp.core.sens import ONE, ZERO, Sens, magnitude, number
from dp_lsp.core.types import UNKNOWN, Container, Dataset, DatasetMetric, FunctionType, Kind, Norm, TupleType, Type
from dp_lsp.core.values import replace
from dp_lsp.engine.distributions import Consult, nothing
from dp_lsp.engine.problems import AboveLimit, FloatNoise, LimitOpen
from dp_lsp.infer.conditions import failing
from dp_lsp.infer.problems import HollowCondition, NoBound, NoGuarantee, TotalMissed
from dp_lsp.intents import DeclarePublic, Rendering
from dp_lsp.language import FLOAT_NOISE, UNSEEDED
from dp_lsp.later import Later
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Extent, Problem, Related
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.engine.claimed import Claim
    from dp_lsp.engine.numeric import Pricing


_ROWS_READ = (
    "with `add-remove` it is private how many rows `{}` has: it is protected where rows are drawn of it with a "
    "probability each, and nothing else is done with it"
)


Chained = Callable[["Description"], Iterable[Chain]]


class Described(NamedTuple):
    """A report, the problems that only its bounds show, and where it comes from; a black box is not described."""

    report: FunctionReport
    problems: tuple[Problem, ...]
    description: Description | None = None


class ReportPlace(NamedTuple):
    """Where a method, its name and its parameters stand in a text."""

    span: Span
    name: Span
    text: str = ""
    parameters: tuple[Span, ...] = ()


def describe(
    scheme: Scheme,
    place: ReportPlace,
    options: Options,
    state: State,
    notes: tuple[str, ...] = (),
    claims: tuple[Claim, ...] = (),
    consult: Consult = nothing,
    chained: Chained = lambda description: (),
) -> Described:
    """The report of an inferred method. ``state`` is what its problems so far make of it, ``notes`` are what else it
    takes for granted, ``claims`` what comments say of it, ``consult`` knows what distributions say, and ``chained``
    what leads from datasets to what is told of them."""
    return Description(scheme, place, options, notes, consult=consult).described(state, claims, chained)


class Description:
    """What is said of a method, and in which words. ``captured`` are variables around it that are priced as well."""

    def __init__(
        self,
        scheme: Scheme,
        place: ReportPlace,
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
        self.writing = Writing(Assumptions(self.needs, self._profile.assumes_nonnegative))
        self.formula, self.display = self.writing.formula, self.writing.display
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

    def described(
        self, state: State, claims: tuple[Claim, ...] = (), chained: Chained = lambda description: ()
    ) -> Described:
        """The report of the function, and the problems that only its bounds show; ``state`` is that of inference. What
        is proved is priced when somebody asks, but for numbers: what they are asked for decides what distributions are
        asked."""
        failed = [] if state is State.UNKNOWN else list(self._failed_conditions())
        problems = [] if state is State.UNKNOWN else [*failed, *self._problems(state)]
        if state is not State.UNKNOWN and FLOAT_NOISE in self._notes and self._options.float_noise != FLOAT_NOISES[0]:
            problems.append(FloatNoise.at(self.place.name, name=self.scheme.name))
        if claims and state is not State.UNKNOWN and not failed:
            from dp_lsp.engine import claimed  # not needed where nothing is claimed

            problems += claimed.problems(self, claims, self.place.name)
        if problems and state is State.PROVED:
            state = State.FAILED
        problems += [] if state is State.UNKNOWN else self._missed_totals()
        numeric = () if failed else tuple(self._numeric())  # numbers that break a condition say nothing
        scheme, kind = self.scheme, "privacy" if self._private else "sensitivity"
        about = scheme.name, scheme.signature, kind, state, scheme.reason, self.place.span, self.place.name
        said = Later(partial(self._said, state, numeric, chained))
        return Described(FunctionReport(*about, claims=said), tuple(problems), self)

    def _said(self, state: State, numeric: tuple[NumericReport, ...], chained: Chained) -> str:
        """What is proved of the function, as a text."""
        details = self._details(numeric)
        if state is State.PROVED and self._private and any(each.scale for each in details.parameters):
            details = details._replace(chains=tuple(chained(self)))
        return encoded(details)

    def _details(self, numeric: tuple[NumericReport, ...]) -> Details:
        scheme = self.scheme
        return Details(
            tuple(map(self._parameter, scheme.params)),
            with_norms(scheme.result.type, self.norms),
            tuple(map(_need, self.needs)),
            tuple(map(_need, self.totals.conditions(self.place.name))),
            self._profile.assumes_nonnegative,
            tuple(self._premises()),
            self._listed(),
            numeric,
            mechanisms(scheme.cost),
            tuple(self._shares()),
            unchecked=bool(scheme.reason),
        )

    def _shares(self) -> Iterator[Share]:
        """What each mechanism spends, where it is not the only one."""
        start = self.place.span.start
        for group in self.bounds:
            found = list(self.spending(group))
            if len(found) > 1:
                yield from (each._replace(span=each.span.moved(-start)) for each in found)

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

    @property
    def code(self) -> Rendering:
        """How what is said is written in the language of the method."""
        return frontends.of("", self._options.language).rendering

    def _no_bound(self, names: list[str]) -> Problem:
        code = self.code
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
                yield above_limit(
                    found, self.place.name, self.scheme.name, "` and `".join(names), value, self.spent(group)
                )

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
        if self._given:
            from dp_lsp.engine.claimed import outside  # only who gave numbers

            yield from (each.problem for each in outside(self.scheme.params, self._given))
        values = Substitution({symbol: Poly.of(number) for symbol, number in self._numbers.items()})
        needs = [
            Constraint(_put(values, need.left), need.relation, _put(values, need.right), need.origin)
            for need in self.needs
        ]
        decided = [need.decide() for need in needs]
        for need, holds in zip(needs, decided, strict=True):
            if holds is False:
                yield failing(need, self.display.constraint(need))
        if self._private and not self._profile.hollow:
            yield from self._hollow(needs, decided)

    def _hollow(self, needs: Sequence[Constraint], decided: Sequence[bool | None]) -> Iterator[Problem]:
        """Conditions that fail as the data grow, or that other ones contradict; with whether each is decided."""
        known = [need.key for need in needs]
        types = [param.type for param in self.scheme.params if not param.static]
        sizes = {symbol for type_ in types for symbol in _sizes(type_)}
        counts = {symbol for type_ in types for symbol in _counts(type_)}
        more, contradictory = frozenset(positive(known)), contradicted(known)
        for need, holds_always in zip(needs, decided, strict=True):
            among = counts if need.relation == "==" else sizes  # a number of columns may be fixed
            size = fails_as(among, need.key, more) if holds_always is None else None
            if size is not None:
                only = "data of one size" if need.relation == "==" else "small data"
                holds, fails = f"is proved for {only} only", f"fails as `{self.display.poly(Poly.of(size))}` grows"
            elif need.key in contradictory:
                holds, fails = "can never be called", "contradicts its other conditions"
            else:
                continue
            (span, reason), condition = need.origin, self.display.constraint(need)
            yield HollowCondition.at(
                span, name=self.scheme.name, holds=holds, condition=condition, reason=reason, fails=fails
            )

    # Parts of the report

    def _parameter(self, param: SchemeParameter) -> ParameterDetail:
        made = ParameterDetail(param.name, with_norms(param.type, self.norms), param.static, Standing.UNKNOWN)
        if self.scheme.reason:
            return made  # it was not checked to the end: no bound is claimed
        scale, unit = stability(self, param, self._private), per_person(param, self._options.contributes)
        if self._private:
            return self._private_parameter(param, made)._replace(scale=scale, per_person=unit)
        move = self.scheme.result.moves.get(param.var)
        sens = self.norms.sens(move.sens) if move is not None else Sens(())
        standing = Standing.PUBLIC if param.static else Standing.BOUNDED
        return made._replace(standing=standing, sensitivity=sens, scale=scale, per_person=unit)

    def _private_parameter(self, param: SchemeParameter, made: ParameterDetail) -> ParameterDetail:
        if param.static or param.var.public:
            return made._replace(standing=Standing.PUBLIC if param.static else Standing.EXPOSED)
        return made._replace(
            standing=Standing.BOUNDED, guarantees=tuple(PairDetail(*each) for each in self.head(param.var).pairs)
        )

    def short(self, value: Sens) -> str:
        """A number for a person: rounded up to a few digits, or a formula."""
        return self.writing.short(value)

    def _listed(self) -> tuple[ProvedBound, ...]:
        found = chain.from_iterable(self.totals.also(*each) for each in self.bounds.items())
        finite = (bound for bound in found if not bound.price.epsilon.infinite)
        return () if self.scheme.reason else tuple(self._bound(bound) for bound in finite)

    def choices(self, bound: Bound) -> tuple[ChoiceDetail, ...]:
        """What the user may choose in a bound."""
        symbols = symbols_of(bound.price.delta)
        return tuple(
            ChoiceDetail(each.symbol, each.composes, self._profile.closed)
            for each in bound.choices
            if each.symbol in symbols
        )

    def _bound(self, bound: Bound) -> ProvedBound:
        names = tuple(var.name for var in bound.variables)
        return ProvedBound(
            names, bound.measure.kind, bound.rule, PairDetail(*bound.price), self.choices(bound), bound.own
        )

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

    def spending(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction] | None = None) -> Iterator[Share]:
        """What each mechanism spends of variables that change together, with the numbers that are given or others."""
        first = self.bounds[group][0]
        if not (self.scheme.reason or first.price.unbounded):
            known = self._given if numbers is None else numbers
            yield from shares(self.scheme.cost, first, self.place.name, self.norms, known)

    def spent(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction] | None = None) -> tuple[Related, ...]:
        """What each mechanism spends, at its place."""
        return tuple(
            Related(f"{each.name or 'this'} spends {self.writing.share(each)}{percentage(each.share)}", each.span)
            for each in self.spending(group, numbers)
        )

    def _premises(self) -> Iterator[PremiseDetail]:
        """What is taken for granted beside relations."""
        for measured in self._metrics:
            if measured.parameters is not None:
                yield PremiseDetail(Premised.NORM, measured.parameters, measured.metric)
        if self._private and self._relation is Relation.ADD_REMOVE:
            yield PremiseDetail(Premised.NEIGHBOURS)
        yield from premise(self.scheme, self._options.contributes)
        yield from _boxes(self.scheme.boxes, frontends.of("", self._options.language).rendering)
        for text in self._notes:
            yield PremiseDetail(_OF_NOISE.get(text, Premised.NOTE), words=text)


_OF_NOISE = {FLOAT_NOISE: Premised.FLOAT_NOISE, UNSEEDED: Premised.UNSEEDED}
"""The kinds of the premises of noise, by what they say."""


def _sizes(type_: Type) -> set[Symbol]:
    """The symbols that say how large a value is."""
    match type_:
        case TupleType(items):
            return set().union(*map(_sizes, items))
        case Dataset(records=Container(length=length, rows=rows)) | Container(length=length, rows=rows):
            return {symbol for each in (length, rows) if each is not None for symbol in symbols_of(each)}
    return set()


def _counts(type_: Type) -> set[Symbol]:
    """Those of them that say how many records there are, and not how many columns. A vector of numbers has as many as
    what it is used for."""
    match type_:
        case Container(kind=Kind.VECTOR) if not holds_records(type_):
            return set()
        case TupleType(items):
            return set().union(*map(_counts, items))
        case Dataset():
            return set(symbols_of(type_.size))
        case Container(kind=Kind.MATRIX, rows=size) | Container(kind=Kind.VECTOR, length=size) if size is not None:
            return set(symbols_of(size))
    return set()


def _need(need: Constraint) -> Need:
    return Need(need.left, need.relation, need.right)


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


def describe_box(
    value: FunctionValue, place: ReportPlace, signature: str, names: tuple[str, ...], code: Rendering
) -> FunctionReport:
    """The report of a black box: the user's word, with its premises listed as conditions."""
    box = value.black_box
    assert box is not None
    details = Details(tuple(_box_parameters(box, names)), premises=tuple(_boxes((box.name,), code)))
    about = box.name, signature, "blackbox", State.ASSUMED, "", place.span, place.name
    return FunctionReport(*about, claims=Later.known(encoded(details)))


def _boxes(names: Iterable[str], code: Rendering) -> Iterator[PremiseDetail]:
    """What is taken for granted of black boxes."""
    for name in names:
        said = f"is deterministic, changes nothing it is given, and returns what `{code[UNBOX.builtin]}` says it does"
        yield PremiseDetail(Premised.BLACK_BOX, (name,), words=f"`{name}` {said}")


def _box_parameters(box: BlackBox, names: tuple[str, ...]) -> Iterator[ParameterDetail]:
    for name, type_ in zip(names, box.params, strict=True):
        yield ParameterDetail(name, type_ or UNKNOWN, False, Standing.DECLARED)


# What private functions spend: what each mechanism does, by line; rounds that have shares of a total budget, where
# they come to it, on which condition, and where they do not; and what a configuration allows, against what is proved.

Group = tuple[Var, ...]


class Totals(NamedTuple):
    """The bounds that hold on a condition which is decided or open, and those whose condition fails: each with the
    two sides of it for the numbers that are given."""

    held: Mapping[Group, Total]
    missed: Mapping[Group, tuple[Total, Sens, Sens]]

    def conditions(self, span: Span) -> Iterator[Constraint]:
        """What the bounds that are held depend on, and is open."""
        origin = Origin(span, "the rounds come to their total only then")
        needs = dict.fromkeys((each.epsilon, each.most) for each in self.held.values())
        for epsilon, most in needs:
            if decide(epsilon, "<=", most) is not True:
                yield Constraint(epsilon, "<=", most, origin)

    def missed_by(self) -> dict[tuple[Sens, Sens, Sens], list[Group]]:
        """The groups that miss the same: what ε may be at most, and both sides for the numbers that are given."""
        found: dict[tuple[Sens, Sens, Sens], list[Group]] = {}
        for group, (each, epsilon, most) in self.missed.items():
            found.setdefault((each.most, epsilon, most), []).append(group)
        return found

    def first(
        self, group: Group, listed: tuple[Bound, ...], numbers: Mapping[str, Fraction], assumed: bool = False
    ) -> tuple[Bound, ...]:
        """The bounds of a group, that of its total before the others if its condition holds for these numbers, or is
        open and ``assumed``."""
        found = self.held.get(group)
        if found is None:
            return listed
        symbols = {*symbols_of(found.epsilon), *symbols_of(found.most)}
        put = Substitution({each: Poly.of(numbers[each.name]) for each in symbols if each.name in numbers})
        holds = decide(put.sens(found.epsilon), "<=", put.sens(found.most))
        return (found.bound, *listed) if holds or (holds is None and assumed) else listed

    def also(self, group: Group, listed: tuple[Bound, ...]) -> tuple[Bound, ...]:
        """The bounds of a group, with that of its total."""
        return (*listed, self.held[group].bound) if group in self.held else listed


NONE = Totals({}, {})


def totals(cost: Cost, listed: Mapping[Group, tuple[Bound, ...]], numbers: Mapping[Symbol, Fraction]) -> Totals:
    """The totals of all groups of variables that change together. What says nothing for these numbers is left out."""
    put = Substitution({symbol: Poly.of(number) for symbol, number in numbers.items()})
    held: dict[Group, Total] = {}
    missed: dict[Group, tuple[Total, Sens, Sens]] = {}
    for group, alternatives in listed.items():
        found = total(cost, alternatives)
        if found is None or vacuous(put.sens(found.bound.price.delta)):
            continue
        epsilon, most = put.sens(found.epsilon), put.sens(found.most)
        if decide(epsilon, "<=", most) is False:
            missed[group] = found, epsilon, most
        else:
            held[group] = found
    return Totals(held, missed)


def shares(
    cost: Cost, bound: Bound, own: Span, norms: Substitution, numbers: Mapping[str, Fraction]
) -> Iterator[Share]:
    """What each mechanism spends of the variables of a bound whose measure counts in pairs, with norms and numbers put
    in. A call at the place ``own`` is the function itself."""
    found = Spending(bound.measure, lambda origin: origin.span == own).loss(cost, dict.fromkeys(bound.variables, ONE))
    names = tuple(var.name for var in bound.variables)
    prices = [PairDetail(*map(norms.sens, price)) for price in found.values()]
    worths = [(_in_numbers(price.epsilon, numbers), _in_numbers(price.delta, numbers)) for price in prices]
    known = [epsilon for epsilon, _ in worths if epsilon is not None]
    total = sum(known) if len(known) == len(prices) else 0
    for (origin, name), price, worth in zip(found, prices, worths, strict=True):
        share = float(worth[0] / total) if total and worth[0] is not None else None
        yield Share(names, origin.span, name, price, worth, share)


def _in_numbers(value: Sens, numbers: Mapping[str, Fraction]) -> Fraction | None:
    """A number, where there is one."""
    with suppress(Missing):
        return upper(value, {each: numbers[each.name] for each in symbols_of(value) if each.name in numbers})
    return None


_DIGITS = 9  # of a number in a baseline, which is compared with others that were found like it
_SHARES = 40  # halvings of δ that are tried where a share of it is to be chosen
_NOTHING = Fraction(1, 10**30)  # what is above a limit of 0 is far above it


class _Limit(NamedTuple):
    """The most that one side of a price may be: its sign, the key that says so, and the number."""

    sign: str
    key: str
    most: Fraction


class _Excess(NamedTuple):
    """A side of a price that a limit is not met by: it is ``over`` by so much, None where that is not a number.
    ``open`` are the names it depends on, if it is not decided whether the limit is met."""

    limit: _Limit
    value: Sens
    over: Fraction | None
    open: tuple[str, ...]


def excess(
    listed: tuple[Bound, ...], epsilon: Fraction | None, delta: Fraction | None, numbers: Mapping[Symbol, Fraction]
) -> _Excess | None:
    """What is above the limits in the bound that comes nearest to them; None if there is a bound that meets them.
    A limit that is None is none."""
    missed = []
    for bound in listed:
        for chosen in _with_numbers(bound, delta, numbers):
            found = list(_missed(bound, epsilon, delta, chosen))
            if not found:
                return None
            missed.append(found)
    return min(missed, key=_distance)[0]


def above_limit(
    found: _Excess, span: Span, name: str, variables: str, value: str, spent: tuple[Related, ...] = ()
) -> Problem:
    """What is to be told of a function that misses a limit by this value, and what each of its mechanisms has
    ``spent``."""
    limit, over = found.limit, "" if found.over is None else f", {figure(found.over)} too much"
    facts: dict[str, Any] = {"name": name, "variables": variables, "sign": limit.sign, "value": value, "key": limit.key}
    exact = as_formula(found.value) if found.over is None else decimal(limit.most + found.over, _DIGITS)
    facts["amount"] = Extent(limit.sign, exact)
    if found.open:
        return LimitOpen.at(span, **facts, most=allowed(limit.most), what="` and `".join(found.open), related=spent)
    return AboveLimit.at(span, **facts, most=allowed(limit.most), over=over, related=spent)


def _with_numbers(
    bound: Bound, delta: Fraction | None, numbers: Mapping[Symbol, Fraction]
) -> Iterator[Mapping[Symbol, Fraction]]:
    """The numbers, with some for what the user may choose: any choice gives a bound that holds."""
    choices = [choice.symbol for choice in bound.choices if choice.symbol in symbols_of(bound.price.delta)]
    if not choices:
        yield numbers
        return
    total = delta or Fraction(1)
    for halvings in range(1, _SHARES):
        yield {**numbers, **dict.fromkeys(choices, total / 2**halvings / len(choices))}


def _distance(missed: list[_Excess]) -> tuple[bool, int, bool, Fraction]:
    """How far a bound is from the limits: what is open may meet them."""
    worst = max((each.over or Fraction(0)) / (each.limit.most or _NOTHING) for each in missed)
    return not any(each.open for each in missed), len(missed), any(each.over is None for each in missed), worst


def _missed(
    bound: Bound, epsilon: Fraction | None, delta: Fraction | None, numbers: Mapping[Symbol, Fraction]
) -> Iterator[_Excess]:
    if epsilon is not None:
        yield from _above(bound.price.epsilon, _Limit("ε", "max-epsilon", epsilon), numbers)
    if delta is not None:
        yield from _above(bound.price.delta, _Limit("δ", "max-delta", delta), numbers)
    elif not bound.price.delta.zero and decide(bound.price.delta, "<", ONE) is False:
        yield _Excess(_Limit("δ", "max-delta", Fraction(1)), bound.price.delta, None, ())


def _above(value: Sens, limit: _Limit, numbers: Mapping[Symbol, Fraction]) -> Iterator[_Excess]:
    most = Sens.of(limit.most) if limit.most else ZERO
    decided = decide(value, "<=", most)
    if decided:
        return
    try:
        found = interval(value, numbers)
    except Missing:
        names = sorted(symbol.spoken for symbol in symbols_of(value) if symbol not in numbers)
        yield _Excess(limit, value, None, () if decided is False else tuple(names))
        return
    if found.high is None or found.high > limit.most:
        yield _Excess(limit, value, None if found.high is None else found.high - limit.most, ())


# What a bound is about: one person, how many records that person has, what a change of them does, and the norm of each
# record, where a program leaves it open.

METRICS = dict(zip(NEIGHBOURS, (DatasetMetric.CHANGE_ONE, DatasetMetric.SYMMETRIC), strict=True))
"""How datasets are compared where no annotation says it."""

_NAMES = "dnjkm"  # that any number of records may have


def premise(scheme: Scheme, contributes: int) -> Iterator[PremiseDetail]:
    """What the configuration says of persons, where the bounds of a function are about them."""
    names = tuple(param.name for param in scheme.params if _is_counted(param, contributes))
    if names:
        yield PremiseDetail(Premised.CONTRIBUTES, names, records=contributes)


def per_person(param: SchemeParameter, contributes: int) -> Sens | None:
    """How many records one person has, where a bound of a parameter is about a person."""
    if is_about_records(param):
        return records(param)
    return number(contributes) if _is_counted(param, contributes) else None


def _is_counted(param: SchemeParameter, contributes: int) -> bool:
    """Whether it is the configuration that says how many records of a parameter a person has."""
    if isinstance(param.declared, DatasetOf) and param.declared.each is not None:
        return False
    items = param.type.items if isinstance(param.type, TupleType) else ()
    inside = contributes > 1 and not param.static and any(map(holds_records, items))
    return param.unit is not None or inside


def is_about_records(param: SchemeParameter) -> bool:
    """Whether a bound of a parameter is said by how many records change."""
    return not param.static and (param.unit is not None or isinstance(param.type, Dataset))


def records(param: SchemeParameter) -> Sens:
    """How many records one person has."""
    return ONE if param.unit is None else magnitude(param.unit.records)


def stability(description: Description, param: SchemeParameter, private: bool) -> Scale | None:
    """What a change of the records of a parameter does; None where it has none, or nothing is claimed."""
    if description.scheme.reason or not is_about_records(param):
        return None
    found = _Stability(description, param)
    return found.of_cost() if private else found.of_result()


class _Stability:
    def __init__(self, description: Description, param: SchemeParameter) -> None:
        self._description = description
        self._param = param
        self._records = records(param)
        taken = {each.name for each in description.scheme.params}
        name = next((each for each in _NAMES if each not in taken), "d_in")
        self._number = Symbol(name, Sign.NONNEGATIVE, integer=True)
        steps = Poly.of(self._number)
        self._persons = Sens((steps * self._records.single_poly().inverse(),))  # that d records are

    def of_result(self) -> Scale | None:
        """How far a result moves."""
        description, move = self._description, self._description.scheme.result.moves.get(self._param.var)
        far = ZERO if move is None else description.norms.sens(move.sens)
        return None if far.infinite else self._of(far * self._persons)

    def of_cost(self) -> Scale | None:
        """What a function costs. In general that is known where δ is 0: d records of as many people are a group, and
        a part of those of one person costs as much less as the mechanisms say."""
        var, scheme = self._param.var, self._description.scheme
        bound = self._description.head(var).first
        epsilon, delta = bound.price
        if epsilon.infinite or vacuous(delta):
            return None
        general = epsilon * self._persons if delta.zero else None
        if general is not None and self._param.unit is not None:
            price = bound.measure.price(scheme.cost, {var: self._persons})
            scales = price.delta.zero and self._description.norms.sens(price.epsilon) == general
            general = general if scales else None
        return self._of(general)

    def _of(self, general: Sens | None) -> Scale:
        unit = self._param.unit
        known = general is not None and not general.infinite and not (unit is not None and unit.whole)
        return Scale(self._records, self._number, general if known else None)


class Measured(NamedTuple):
    """A norm that stayed open, and the one a bound is stated for. ``parameters`` are those measured in it: none for
    that of the result, and None for one that nobody sees."""

    norm: NormVariable
    metric: Norm
    parameters: tuple[str, ...] | None


def record_metrics(scheme: Scheme, prices: Iterable[Quantity]) -> Iterator[Measured]:
    """Norms that stayed open and that a bound depends on: the metric of one record for parameters and the result.
    What is measured in others is not seen from outside; any of them gives a bound that holds."""
    quantities = [*prices, *(move.sens for move in scheme.result.moves.values())]
    quantities += [side for need in scheme.needs for side in (need.left, need.right)]
    needed = {norm for quantity in quantities for norm in norms_of(quantity)}
    named = [((param.name,), param.type) for param in scheme.params]
    for what, type_ in (*named, ((), scheme.result.type)):
        if isinstance(type_, Container) and isinstance(type_.norm, NormVariable) and type_.norm in needed:
            needed.discard(type_.norm)
            protected = what and scheme.claims_privacy and not is_discrete(type_.element)
            metric = _weakest(type_.norm, quantities) if protected else _metric_of(type_)
            yield Measured(type_.norm, metric, what)
    yield from (Measured(norm, Norm.L1, None) for norm in needed)


def _weakest(norm: NormVariable, quantities: Iterable[Quantity]) -> Norm:
    """The norm of what is protected that makes conditions weakest and bounds smallest: L1, in which the fewest values
    are neighbours, or L2 where that says as much of more of them."""
    in_l1, in_l2 = (Substitution({}, {norm: each}) for each in (Norm.L1, Norm.L2))
    same = all(_put(in_l1, quantity) == _put(in_l2, quantity) for quantity in quantities)
    return Norm.L2 if same else Norm.L1


def _metric_of(type_: Container) -> Norm:
    if not is_discrete(type_.element):
        return Norm.L2
    return Norm.LINF if type_.kind is Kind.MATRIX else Norm.L1


def with_norms(type_: Type, norms: Substitution) -> Type:
    """A type with norms put in."""
    if isinstance(type_, Container):
        return replace(type_, norm=norms.norm(type_.norm))
    return type_
