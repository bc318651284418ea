"""Comments that say what a function may cost, or how far it may move: reading them, and holding them against what is
proved of it.

``# dp: budget ε <= 1, δ <= 1e-5 where k = 100`` and ``# dp: sensitivity <= 2 in x``. The right sides are numbers, or
formulas of static parameters and dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from dp_lsp.accounting.bounds import LARGEST, Bound
from dp_lsp.analysis import setting
from dp_lsp.analysis.setting import Subject
from dp_lsp.core import sens
from dp_lsp.core.algebra import Poly, Sign, Symbol
from dp_lsp.core.constraints import Assumptions, Constraint, Quantity, decide
from dp_lsp.core.evaluate import Interval, Missing, Substitution, interval, symbols_of
from dp_lsp.core.events import Called, Cost, Parallel, Release, Repeat, Sampled, Var, nodes
from dp_lsp.core.notation import as_formula, decimal, figure
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.sens import ONE, ZERO, Sens
from dp_lsp.core.types import Base, BoolType, NumberType
from dp_lsp.engine.numeric import Pricing
from dp_lsp.engine.problems import ClaimUnreadable
from dp_lsp.engine.remarks import BUDGET, HEAD, SENSITIVITY
from dp_lsp.infer.problems import BudgetMissed, ConditionFails, SensitivityMissed
from dp_lsp.language import Syntax
from dp_lsp.named import NamedTuple
from dp_lsp.problem import INFINITE, Extent, Problem, Related
from dp_lsp.surface import Remark
from dp_lsp.text import Span

if TYPE_CHECKING:
    from dp_lsp.core.formulas import UnreadableFormula


_WHERE = re.compile(r"\bwhere\b")
_IN = re.compile(r"\bin\b(?P<names>[^<>=]*)$")
_SIDE = re.compile(r"\s*(?P<sign>ε|δ|epsilon|delta)\s*(?:<=|≤)\s*(?P<most>.+?)\s*")
_SIGNS = {"ε": "ε", "epsilon": "ε", "δ": "δ", "delta": "δ"}


class NotUnderstood(Exception):
    """A comment says something that is not understood: what, in words."""


class Claim(NamedTuple):
    """What a comment says. ``sides`` are formulas by what they bound: ε and δ of a budget, the empty name of a
    sensitivity. ``variables`` are the parameters it is about, none for all; ``where`` are numbers it holds for."""

    word: str
    span: Span
    target: Span
    sides: dict[str, str]
    variables: tuple[str, ...] = ()
    where: tuple[tuple[str, Fraction], ...] = ()


def read(remark: Remark, syntax: Syntax) -> Claim | Problem:
    """What a comment says in a text, or what is wrong with it."""
    head = HEAD.match(remark.text)
    assert head is not None
    said = re.split(rf"[ \t]{re.escape(remark.sign)}", remark.text[head.end() :])[0]
    said = syntax.normalised(said).strip()
    try:
        claim = (_budget if head[1] == BUDGET else _sensitivity)(remark, said)
        for side in claim.sides.values():
            formula(side)
        return claim
    except NotUnderstood as wrong:
        return ClaimUnreadable.at(remark.span, word=head[1], wrong=wrong)


def _budget(remark: Remark, said: str) -> Claim:
    sides, *numbers = _WHERE.split(said)
    if len(numbers) > 1:
        raise NotUnderstood("it says `where` twice")
    found: dict[str, str] = {}
    for part in sides.split(","):
        side = _SIDE.fullmatch(part)
        if side is None:
            raise NotUnderstood(f"`{part.strip()}` is not of the form `ε <= 1`")
        sign = _SIGNS[side["sign"]]
        if sign in found:
            raise NotUnderstood(f"it bounds {sign} twice")
        found[sign] = side["most"]
    if "ε" not in found:
        raise NotUnderstood("it says nothing of ε")
    where = tuple(_numbers(numbers[0])) if numbers else ()
    return Claim(BUDGET, remark.span, remark.target, {"δ": "0", **found}, (), where)


def _numbers(text: str) -> Iterator[tuple[str, Fraction]]:
    for part in text.split(","):
        name, equals, value = part.partition("=")
        subject, number = setting.subject(name.strip()), setting.number(value)
        if subject is None or subject.function is not None or not equals or number is None:
            raise NotUnderstood(f"`{part.strip()}` is not of the form `k = 100`")
        yield subject.name, number


def _sensitivity(remark: Remark, said: str) -> Claim:
    if not said.startswith(("<=", "≤")):
        raise NotUnderstood("it is not of the form `<= 2 in x`")
    rest = said[1 if said[0] == "≤" else 2 :]
    names = _IN.search(rest)
    found = tuple(name.strip() for name in names["names"].split(",")) if names else ()
    if not all(name.isidentifier() for name in found):
        raise NotUnderstood("after `in` stand no names of parameters")
    most = (rest[: names.start()] if names else rest).strip()
    return Claim(SENSITIVITY, remark.span, remark.target, {"": most}, found)


def formula(text: str, symbols: Mapping[str, Symbol] | None = None) -> Poly:
    """The number that a right side means; without ``symbols`` any name is one. Raises :class:`NotUnderstood`, also for
    a name that is no symbol."""
    from dp_lsp.core import formulas  # most functions have no such comments

    found = formulas.read(text, _AnySymbols() if symbols is None else _Symbols(symbols))
    if isinstance(found, formulas.UnreadableFormula):
        raise NotUnderstood(f"`{text}` is not a number: {found.reason}" if text else "a number is missing")
    return found if isinstance(found, Poly) else found.single_poly()


class _Symbols:
    """The names that a right side may be made of; see :class:`dp_lsp.core.formulas.Names`."""

    def __init__(self, symbols: Mapping[str, Symbol]) -> None:
        self._symbols = symbols

    def number(self, name: str) -> Quantity | UnreadableFormula:
        from dp_lsp.core.formulas import UnreadableFormula

        found = self._symbols.get(name)
        if found is None:
            return UnreadableFormula(f"`{name}` is not a static parameter or dimension here")
        return Poly.of(found)

    def unknown(self, function: str, args: tuple[Quantity, ...], nonnegative: bool) -> Quantity | UnreadableFormula:
        from dp_lsp.core.formulas import UnreadableFormula

        return UnreadableFormula(f"it is not known that `{function}` has a value there")

    def is_at_least_one(self, value: Poly) -> bool:
        return False


class _AnySymbols:
    """Any names, where only the form of a right side counts."""

    def number(self, name: str) -> Quantity:
        return Poly.of(Symbol(name, Sign.NONNEGATIVE))

    def unknown(self, function: str, args: tuple[Quantity, ...], nonnegative: bool) -> Quantity:
        return Poly.of(Symbol(function))

    def is_at_least_one(self, value: Poly) -> bool:
        return False


# Numbers that are given for what can never have them: a half for a whole number, fewer than no rows.


class Outside(NamedTuple):
    """Why a number cannot be that of ``name``, in words, and where that is declared."""

    name: str
    value: Fraction
    why: str
    span: Span

    @property
    def problem(self) -> Problem:
        """An error, however large the number is."""
        condition, reason = f"{self.name} = {self.value}", f"`{self.name}` {self.why}"
        extent = Extent(f"{self.name} {self.why}: {condition}", INFINITE)
        return ConditionFails.at(self.span, condition=condition, reason=reason, extent=(extent,))


def outside(params: Iterable[SchemeParameter], numbers: Mapping[str, Fraction]) -> Iterator[Outside]:
    """The numbers that these parameters and their dimensions cannot have."""
    by_name = {param.name: param for param in params}
    for name, value in numbers.items():
        param = by_name.get(Subject(None, name).parameter)
        why = None if param is None else _why(name, value, param, numbers)
        if param is not None and why is not None:
            yield Outside(name, value, why, param.span)


def _why(name: str, value: Fraction, param: SchemeParameter, numbers: Mapping[str, Fraction]) -> str | None:
    whole = value.denominator == 1
    if name != param.name:
        return None if whole and value >= 0 else "is a whole number that is not negative"
    if not param.static:
        return None
    if isinstance(param.type, BoolType):
        return "is true or false"
    if not isinstance(param.type, NumberType):
        return None
    if param.type.base is Base.INTEGER and not whole:
        return "is a whole number"
    if param.type.bounds is not None:
        low, high = (_number(end, numbers) for end in (param.type.bounds.low, param.type.bounds.high))
        if low is not None and value < low:
            return f"is at least {figure(low)}"
        if high is not None and value > high:
            return f"is at most {figure(high)}"
    return None


def _number(end: Poly, numbers: Mapping[str, Fraction]) -> Fraction | None:
    known: dict[Symbol, Poly] = {
        symbol: Poly.of(numbers[symbol.name]) for symbol in symbols_of(end) if symbol.name in numbers
    }
    return Substitution(known).poly(end).number


_LONGEST = 60
"""How long a bound may be to be quoted."""

_DIGITS = 9  # of a number in a baseline, which is compared with others that were found like it


class KnownBounds(Protocol):
    """What is proved of a function, and how it is written."""

    scheme: Scheme
    needs: tuple[Constraint, ...]

    @property
    def bounds(self) -> Mapping[tuple[Var, ...], tuple[Bound, ...]]:
        """All that is proved of each variable, and of those that change together."""

    @property
    def norms(self) -> Substitution:
        """The norms that the bounds are stated for, where the program leaves them open."""

    def listed(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction]) -> tuple[Bound, ...]:
        """All that is proved of variables that change together, for these numbers."""

    def pricing(self, group: tuple[Var, ...], where: Mapping[str, Fraction]) -> Pricing:
        """What variables cost in numbers that change together."""

    def short(self, value: Sens) -> str:
        """A number for a person."""

    def claimed(self) -> Iterator[Var]:
        """The variables that a private function claims to protect."""

    def known(self) -> Mapping[str, Fraction]:
        """The numbers that are given, by name."""

    def spent(self, group: tuple[Var, ...], numbers: Mapping[str, Fraction]) -> tuple[Related, ...]:
        """What each mechanism spends, at its place."""


class Asserted(NamedTuple):
    """A comment says that a result moves by at most ``most`` when ``variable`` does by 1, for these ``numbers``, and in
    these ``norms`` where any might be meant."""

    variable: Var
    most: Sens
    numbers: Mapping[Symbol, Fraction]
    norms: Substitution


class _Most(NamedTuple):
    """A right side: as it is written, as a number that is not negative, and its value where it has one."""

    written: str
    value: Sens
    number: Fraction | None


class _MissedClaim(NamedTuple):
    """How a budget is missed, in words, and the smallest ε that is proved, as a formula."""

    words: str
    least: str = INFINITE


def problems(known: KnownBounds, claims: Iterable[Claim], name: Span) -> Iterator[Problem]:
    """What comments say and nobody has proved."""
    for claim in claims:
        try:
            yield from _Checked(known, claim, name).problems()
        except NotUnderstood as wrong:
            yield ClaimUnreadable.at(claim.span, word=claim.word, wrong=wrong)


def asserted(known: KnownBounds, claims: Iterable[Claim], problem: Problem) -> Asserted | None:
    """What the comment says that a problem is about; None if that is no comment on a sensitivity."""
    for claim in claims:
        if claim.word == SENSITIVITY:
            with suppress(NotUnderstood):
                for found, said in _Checked(known, claim, problem.span).asserted():
                    if found.message == problem.message:
                        return said
    return None


class _Checked:
    def __init__(self, known: KnownBounds, claim: Claim, name: Span) -> None:
        self._known = known
        self._claim = claim
        self._name = name
        self._numbers = {**known.known(), **dict(claim.where)}
        self._symbols = _symbols(known)
        strangers = [each for each, _ in claim.where if each not in self._symbols]
        if strangers:
            raise NotUnderstood(f"nothing here depends on `{strangers[0]}`")

    def problems(self) -> Iterator[Problem]:
        known, claim = self._known, self._claim
        private = known.scheme.claims_privacy
        if private is not (claim.word == BUDGET):
            raise NotUnderstood("this function has a budget" if private else "this function is not `Priv()`")
        broken = self._broken()
        if broken is not None:
            raise NotUnderstood(f"{broken}, which does not hold for these numbers")
        sides = {sign: self._most(text) for sign, text in claim.sides.items()}
        if private:
            yield from self._budget(sides["ε"], sides["δ"])
        else:
            yield from (problem for _, problem in self._sensitivity(sides[""]))

    def asserted(self) -> Iterator[tuple[Problem, Asserted]]:
        """What is wrong with a comment on a sensitivity, and what it says there."""
        most = self._most(self._claim.sides[""])
        numbers = {self._symbols[name]: each for name, each in self._numbers.items() if name in self._symbols}
        for var, problem in self._sensitivity(most):
            yield problem, Asserted(var, most.value, numbers, self._known.norms)

    def _broken(self) -> str | None:
        """A condition that fails for the numbers of the claim."""
        for each in outside(self._known.scheme.params, self._numbers):
            return f"`{each.name}` {each.why}"
        put = self._put()
        for need in self._known.needs:
            sides = (put.sens(side) if isinstance(side, Sens) else put.poly(side) for side in (need.left, need.right))
            left, right = sides
            if decide(left, need.relation, right) is False:
                return need.origin.reason
        return None

    def _put(self) -> Substitution:
        symbols = {
            self._symbols[name]: Poly.of(number) for name, number in self._numbers.items() if name in self._symbols
        }
        return Substitution(symbols)

    def _most(self, text: str) -> _Most:
        value = formula(text, self._symbols)
        number = self._put().poly(value).number
        if number is not None and number < 0:
            raise NotUnderstood(f"`{text}` is less than 0")
        return _Most(text, self._at_least_zero(value, text) if number is None else sens.number(number), number)

    def _at_least_zero(self, value: Poly, text: str) -> Sens:
        """A right side as a number that is not negative: 0 where it would be, which one that is a product may be."""
        known = Assumptions(self._known.needs)
        total = ZERO
        for monomial, coefficient in value.terms.items():
            term = sens.magnitude(Poly.of(abs(coefficient)))
            open_ = [atom for atom, _ in monomial if not known.nonnegative(Poly.of_atom(atom))]
            whole = all(power == 1 for atom, power in monomial if atom in open_)
            if coefficient < 0 or len(open_) > 1 or not whole or (open_ and len(value.terms) > 1):
                raise NotUnderstood(f"it is not known that `{text}` is not less than 0")
            for atom, power in monomial:
                single = Poly({((atom, power),): Fraction(1)})
                term = term * (sens.positive_part(single) if atom in open_ else sens.magnitude(single))
            total = total + term
        return total

    def _budget(self, epsilon: _Most, delta: _Most) -> Iterator[Problem]:
        claimed = set(self._known.claimed())
        for group in self._known.bounds:
            listed = self._known.listed(group, self._numbers)
            if claimed.issuperset(group) and not _holds(listed, epsilon.value, delta.value):
                missed = self._missed(group, epsilon, delta)
                if missed is not None:
                    names, related = "` and `".join(var.name for var in group), self._related(group)
                    own = self._known.scheme.name
                    yield BudgetMissed.at(
                        self._name,
                        related=related,
                        amount=Extent("ε", missed.least),
                        name=own,
                        variables=names,
                        missed=missed.words,
                    )

    def _missed(self, group: tuple[Var, ...], epsilon: _Most, delta: _Most) -> _MissedClaim | None:
        """How a budget is missed; None if some measure proves it for the numbers there are."""
        pricing = self._known.pricing(group, self._numbers)
        written = f"ε <= {epsilon.written}, δ <= {delta.written}"
        if epsilon.number is None or delta.number is None:
            return self._instead(group, written) or _MissedClaim(f"it is not proved that {written}")
        found = pricing.figures(min(delta.number, LARGEST), epsilon.number)
        if not found:
            lacking = "` and `".join(pricing.missing)
            return _MissedClaim(
                f"whether {written} depends on `{lacking}`: say `where {pricing.missing[0]} = …`"
                if lacking
                else (f"no ε is proved for δ <= {delta.written}")
            )
        least = found[0].epsilon
        if least is not None and least <= epsilon.number:
            return None
        shown, over = figure(least or Fraction(0)), figure((least or Fraction(0)) - epsilon.number)
        at = f" for δ <= {delta.written}" if delta.number else ""
        words = f"ε {shown} is proved{at}, {over} more than {epsilon.written}"
        return _MissedClaim(words, decimal(least or Fraction(0), _DIGITS))

    def _instead(self, group: tuple[Var, ...], written: str) -> _MissedClaim | None:
        """What is proved instead, if that is short and leaves nothing to choose."""
        for bound in self._known.listed(group, self._numbers):
            epsilon, delta = self._known.short(bound.price.epsilon), self._known.short(bound.price.delta)
            if not bound.choices and not bound.price.epsilon.infinite and len(epsilon + delta) <= _LONGEST:
                words = f"ε {epsilon}, δ {delta} is proved, but not {written}"
                return _MissedClaim(words, as_formula(bound.price.epsilon))
        return None

    def _related(self, group: tuple[Var, ...]) -> tuple[Related, ...]:
        noted = tuple(_notes(self._known.scheme.cost))
        return (Related("what it may cost", self._claim.span), *self._known.spent(group, self._numbers), *noted)

    def _sensitivity(self, most: _Most) -> Iterator[tuple[Var, Problem]]:
        scheme = self._known.scheme
        params = {param.name: param for param in scheme.params if not param.static}
        strangers = [name for name in self._claim.variables if name not in params]
        if strangers:
            raise NotUnderstood(f"`{strangers[0]}` is not a parameter that it could move with")
        for name in self._claim.variables or params:
            move = scheme.result.moves.get(params[name].var)
            value = ZERO if move is None else self._known.norms.sens(move.sens)
            over = self._over(value, most)
            if over is not None:
                missed = SensitivityMissed.at(
                    self._name,
                    related=(Related("how far it may move", self._claim.span),),
                    name=scheme.name,
                    amount=Extent("", as_formula(value)),
                    variable=name,
                    moves=self._known.short(value),
                    most=most.written,
                    over=over,
                )
                yield params[name].var, missed

    def _over(self, value: Sens, most: _Most) -> str | None:
        """By how much a number is too large, in words; None if it is not."""
        if decide(value, "<=", most.value):
            return None
        try:
            found = self._interval(value)
        except Missing:
            return ""
        if most.number is None or found.high is None:
            return "" if not value.infinite else ", without bound"
        return None if found.high <= most.number else f", {figure(found.high - most.number)} more"

    def _interval(self, value: Sens) -> Interval:
        return interval(self._put().sens(value), {})


def _notes(cost: Cost) -> Iterator[Related]:
    """What is easily forgotten when costs are added up."""
    for node in nodes(cost.body if isinstance(cost, Called) else cost):
        match node:
            case Sampled(body=body) if sum(isinstance(each, Release | Called | Repeat) for each in nodes(body)) > 1:
                yield Related("what one sample releases is composed first, and amplified afterwards", node.origin.span)
            case Parallel(along=along) if any(decide(each, "<=", ONE) is not True for each in along.values()):
                yield Related("one change may affect several of these parts, and each of them counts", node.origin.span)


def _holds(listed: tuple[Bound, ...], epsilon: Sens, delta: Sens) -> bool:
    """Whether a bound is known to be within a budget, whatever its symbols are."""
    return any(
        decide(bound.price.epsilon, "<=", epsilon) is True and decide(bound.price.delta, "<=", delta) is True
        for bound in listed
    )


def _symbols(known: KnownBounds) -> dict[str, Symbol]:
    """What a right side may be made of."""
    found: set[Symbol] = set(known.scheme.owned.symbols)
    for need in known.needs:
        found |= symbols_of(need.left) | symbols_of(need.right)
    for listed in known.bounds.values():
        for bound in listed:
            chosen = {choice.symbol for choice in bound.choices}
            found |= (symbols_of(bound.price.epsilon) | symbols_of(bound.price.delta)) - chosen
    for move in known.scheme.result.moves.values():
        found |= symbols_of(move.sens)
    return {symbol.name: symbol for symbol in found}
