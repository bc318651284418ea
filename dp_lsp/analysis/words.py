"""How what is proved of a function is said: formulas in SymPy syntax for programs, short texts for persons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache

from dp_lsp.analysis.details import (
    Chain,
    ChainLink,
    ChoiceDetail,
    Details,
    Need,
    ParameterDetail,
    PremiseDetail,
    ProvedBound,
    Scale,
    Share,
    Standing,
    decoded,
)
from dp_lsp.analysis.rows import (
    NOT_AS_DECLARED,
    BoundReport,
    ConditionReport,
    FreeVariable,
    ParameterReport,
    Premised,
    SpendingReport,
    Stability,
)
from dp_lsp.core.constraints import Assumptions, Constraint, Origin, told
from dp_lsp.core.metrics import metric_name, neighbours, public_sizes
from dp_lsp.core.notation import DISPLAY, SYMPY, Printer, figure, type_and_value, type_text
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.types import UNKNOWN, NumberType, Type
from dp_lsp.text import Span

_STANDING = {
    Standing.PUBLIC: "public",
    Standing.EXPOSED: "not protected",
    Standing.UNKNOWN: "not known",
    Standing.DECLARED: "",
}
_EXPOSED = {Standing.PUBLIC: ("0", "0"), Standing.EXPOSED: ("oo", "1"), Standing.UNKNOWN: ("oo", "1")}
_COMPOSES = "a share of δ you may choose: the smaller it is, the larger is ε"
_NOISE = "a share of δ you may choose: the smaller it is, the larger is ε of the noise it belongs to"
_ADD_REMOVE = "neighbours are data of which one has a record more (`add-remove`)"
_PERSON = "a person has at most {} records in `{}` (`contributes`)"
_NARROW = 40  # characters of a type on one line
_LONGEST = 60  # characters of the bound of a scale that is shown
_LONGEST_CHAIN = 120
_ARROW = " ▸ "
_REMEMBERED = 512  # functions
_NOWHERE = Origin(Span(0, 0), "")


class Writing:
    """How the numbers of one function are written; what holds under conditions tells where \\|x\\| is x."""

    def __init__(self, assumptions: Assumptions) -> None:
        self.formula = Printer(SYMPY, assumptions)
        self.display = Printer(DISPLAY, assumptions)

    def short(self, value: Sens) -> str:
        """A number for a person: rounded up to a few digits, or a formula."""
        known = value.number
        return figure(known) if known is not None else self.display.sens(value)

    def guarantees(self, pairs: Iterable[tuple[Sens, Sens]], between: str = "  ") -> str:
        """The tightest guarantee for a person; two where it is open which is smaller."""
        listed = list(pairs)
        if listed[0][0].infinite:
            return NOT_AS_DECLARED
        return "  or  ".join(f"ε {self.short(epsilon)}{between}δ {self.short(delta)}" for epsilon, delta in listed)

    def share(self, share: Share) -> str:
        """What a part spends, for a person: in numbers where there are any."""
        sides = zip("εδ", share.price, share.worth, strict=True)
        return "  ".join(
            f"{sign} {self.short(value) if worth is None else figure(worth)}" for sign, value, worth in sides
        )

    def relation(self, need: Need | Constraint) -> str:
        """A condition as a formula."""
        left, right = self.formula.quantity(need.left), self.formula.quantity(need.right)
        if need.relation == "==":
            return f"Eq({left}, {right})"
        return f"Ne({left}, {right})" if need.relation == "!=" else f"{left} {need.relation} {right}"


class ReportWords:
    """What is said of one function of a kind: each part is written when somebody asks for it."""

    def __init__(self, details: Details, kind: str, signature: str) -> None:
        self._details = details
        self._kind = kind
        self._private = kind == "privacy"
        self._signature = signature

    @cached_property
    def writing(self) -> Writing:
        """How numbers are written."""
        needs = (_constraint(need) for need in self._details.needs)
        return Writing(Assumptions(needs, self._details.nonnegative))

    # Parameters

    @cached_property
    def parameters(self) -> tuple[ParameterReport, ...]:
        """The parameters and their bounds."""
        return tuple(map(self._parameter, self._details.parameters))

    def _parameter(self, each: ParameterDetail) -> ParameterReport:
        sensitivity, epsilon, delta = self._formulas(each)
        alternatives = tuple(
            (self.writing.short(pair.epsilon), self.writing.short(pair.delta)) for pair in each.guarantees
        )
        scale = None if each.scale is None else self._stability(each, each.scale)
        type_ = each.type
        if isinstance(type_, NumberType) and each.static:
            type_ = NumberType(type_.base)
        text = "Any" if each.standing is Standing.DECLARED and type_ == UNKNOWN else self._type(type_)
        about = sensitivity, epsilon, delta, self._shown(each), scale
        whom = self._whom(each) if alternatives and epsilon != "oo" else ("", ())
        return ParameterReport(each.name, text, each.static, *about, alternatives, *whom)

    def _whom(self, each: ParameterDetail) -> tuple[str, tuple[str, ...]]:
        """In what neighbours differ in a parameter that is protected, and which sizes of it are public."""
        added = any(premise.kind is Premised.NEIGHBOURS for premise in self._details.premises)
        records = "" if each.per_person in (None, ONE) else self.writing.short(each.per_person)
        sizes = (size for size in public_sizes(each.type) if size.number is None)
        return neighbours(each.type, added, records), tuple(map(self.writing.display.poly, sizes))

    def _formulas(self, each: ParameterDetail) -> tuple[str | None, str | None, str | None]:
        """Sensitivity, ε and δ in SymPy syntax; None where they do not apply."""
        if each.standing is Standing.DECLARED:
            return None, None, None
        if not self._private:
            return "oo" if each.sensitivity is None else self.writing.formula.sens(each.sensitivity), None, None
        if each.standing is not Standing.BOUNDED:
            return None, *_EXPOSED[each.standing]
        pairs = [tuple(map(self.writing.formula.sens, pair)) for pair in each.guarantees]
        (epsilon, delta), *others = pairs
        for second, second_delta in others:
            epsilon, delta = (
                f"Min({epsilon}, {second})",
                f"Piecewise(({delta}, {epsilon} <= {second}), ({second_delta}, True))",
            )
        return None, epsilon, delta

    def _shown(self, each: ParameterDetail) -> str:
        if each.standing is not Standing.BOUNDED:
            return _STANDING[each.standing]
        if self._private:
            return self.writing.guarantees(each.guarantees)
        assert each.sensitivity is not None
        return self.writing.short(each.sensitivity)

    def _stability(self, each: ParameterDetail, scale: Scale) -> Stability:
        also, what, bound = "", "d_out", each.sensitivity
        if each.guarantees:
            what, (bound, delta) = "ε", each.guarantees[0]
            also = "" if delta.zero else f", δ = {self.writing.short(delta)}"
        assert bound is not None
        short, general, name = self.writing.short, scale.general, scale.number.name
        texts = [(short(scale.records), f"{short(bound)}{also}")]
        if general is not None and not bound.zero:
            one = scale.records == ONE and len(bound.polys) > 1  # a largest number is written once
            texts += [(name, f"{name}⋅{short(bound)}" if one else short(general))]
        shown = tuple(f"d_in = {start} → {what} = {end}" for start, end in texts if len(end) <= _LONGEST)
        formula = self.writing.formula.sens
        return Stability(
            metric_name(each.type), formula(scale.records), "" if general is None else formula(general), shown
        )

    # Bounds

    @cached_property
    def bounds(self) -> tuple[BoundReport, ...]:
        """All proved bounds."""
        return tuple(map(self._bound, self._details.bounds))

    def _bound(self, bound: ProvedBound) -> BoundReport:
        formula = self.writing.formula.sens
        own = tuple((name, formula(number)) for name, number in bound.own)
        price = formula(bound.price.epsilon), formula(bound.price.delta)
        return BoundReport(bound.parameters, bound.measure, bound.rule, *price, tuple(map(free, bound.choices)), own)

    @cached_property
    def spending(self) -> tuple[SpendingReport, ...]:
        """What each part spends, at places relative to the function."""
        return tuple(map(self._spending, self._details.shares))

    def _spending(self, each: Share) -> SpendingReport:
        epsilon, delta = map(self.writing.formula.sens, each.price)
        shown = self.writing.share(each)
        return SpendingReport(each.parameters, each.span, each.name, epsilon, delta, shown, each.share)

    # Conditions

    @cached_property
    def conditions(self) -> tuple[ConditionReport, ...]:
        """What the bounds hold under."""
        return tuple(self._conditions())

    def _conditions(self) -> Iterator[ConditionReport]:
        needs = (*self._details.needs, *self._details.totals)
        assumed = Assumptions(map(_constraint, self._details.needs), self._details.nonnegative)
        known = {assumed.plain(_constraint(need).key): need for need in reversed(needs)}
        shown = told(reversed(known))
        for said, need in reversed(known.items()):
            if said not in shown:
                continue
            text = self.writing.display.constraint(_constraint(need))
            yield ConditionReport(text, self.writing.relation(need), False, "relation")
        for premise in self._details.premises:
            yield ConditionReport(_premise(premise), None, False, premise.kind.value)

    @property
    def assumes(self) -> tuple[str, ...]:
        """The black boxes that it calls, which are taken at the user's word."""
        found = (each.parameters[0] for each in self._details.premises if each.kind is Premised.BLACK_BOX)
        return () if self._kind == "blackbox" else tuple(found)

    # The whole

    @cached_property
    def returns(self) -> str:
        """The type of the result."""
        return "" if self._kind == "blackbox" else self._type(self._details.returns)

    @property
    def result(self) -> tuple[str, str]:
        """The same, and the number that is returned, where that is known."""
        return type_and_value(self._details.returns, self.writing.display)

    def _type(self, type_: Type) -> str:
        return type_text(type_, self.writing.display)

    @cached_property
    def display(self) -> str:
        """The type of the function as the published checker writes it, with the bounds of its parameters."""
        details = self._details
        if self._kind == "blackbox":
            return f"BlackBox<sign: [{self._signature[1:-1]}]>"
        if details.unchecked:
            return "unknown"
        shown = [self._annotated(each) for each in details.parameters]
        arrow = "->*" if self._private else "->"
        line = f"({', '.join(f'{type_} @ {bound}' for type_, bound in shown)}) {arrow} {self.returns}"
        if len(line) < _NARROW:
            return f"{{\n|   {line}\n}}"
        bullets: list[str] = []
        for type_, bound in shown:
            if len(type_) <= 20:
                bullets.append(f"|   - {type_}@{bound}")
            else:
                bullets += [f"|   - {type_}", f"|       @ {bound}"]
        return "\n".join(["{", *bullets, f"|   {'-' * 26}", f"|    {arrow} {self.returns}", "}"])

    def _annotated(self, each: ParameterDetail) -> tuple[str, str]:
        display = self.writing.display
        text = self._type(each.type)
        if not self._private:
            return text, "0" if each.sensitivity is None else display.sens(each.sensitivity)
        if each.standing is not Standing.BOUNDED:
            return text, "(0, 0)" if each.standing is Standing.PUBLIC else "(∞, ∞)"
        price = each.guarantees[0]
        return text, f"({display.sens(price.epsilon)}, {display.sens(price.delta)})"

    @cached_property
    def chains(self) -> tuple[str, ...]:
        """The chains that are short enough for a line."""
        texts = ((chain.parameter, self._chain(chain)) for chain in self._details.chains)
        return tuple(f"{name}: {text}" for name, text in texts if len(text) <= _LONGEST_CHAIN)

    def _chain(self, chain: Chain) -> str:
        short, (epsilon, delta) = self.writing.short, chain.price
        cost = f"ε = {short(epsilon)}" + ("" if delta.zero else f", δ = {short(delta)}")
        start = "1 record" if chain.records.number == 1 else f"{short(chain.records)} records"
        return f"{_ARROW.join((start, *map(self._link, chain.links)))} {cost}"

    def _link(self, link: ChainLink) -> str:
        if link.far is None:
            return link.name
        far = self.writing.short(link.far)
        most = far if link.counted else f"≤ {far}" if link.norm is None else f"≤ {far} in {link.norm.value}"
        return f"{link.name} {most}".strip()


@lru_cache(_REMEMBERED)
def words(encoded: str, kind: str, signature: str) -> ReportWords:
    """What is said of details that were written as a text."""
    return ReportWords(decoded(encoded), kind, signature)


def free(choice: ChoiceDetail) -> FreeVariable:
    """What the user may choose in a bound."""
    name, end = choice.symbol.name, "<= 1" if choice.closed else "< 1"
    return FreeVariable(name, f"0 < {name} {end}", _COMPOSES if choice.composes else _NOISE)


def _constraint(need: Need) -> Constraint:
    return Constraint(need.left, need.relation, need.right, _NOWHERE)


def _premise(premise: PremiseDetail) -> str:
    match premise.kind:
        case Premised.NORM:
            assert premise.norm is not None
            what = f"norm({premise.parameters[0]})" if premise.parameters else "norm of the result"
            return f"{what} is {premise.norm.value}"
        case Premised.NEIGHBOURS:
            return _ADD_REMOVE
        case Premised.CONTRIBUTES:
            return _PERSON.format(premise.records, "` and `".join(premise.parameters))
        case Premised.BLACK_BOX | Premised.FLOAT_NOISE | Premised.UNSEEDED | Premised.NOTE:
            return premise.words
