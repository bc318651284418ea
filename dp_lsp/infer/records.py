"""What functions say of the records of a dataset, and compute of them, case by case (:mod:`dp_lsp.core.tallies`).

A record is a number, or a row of numbers. What is no comparison of the record with a public number, alone or as a part
of a condition, is taken to say anything, but always the same at one place; numbers that were computed of a record are
measured by their bounds. What a condition computes of a record and numbers that are written out, by functions of the
language that draw nothing, is the same number of the record wherever it is written: a feature of its own, which is
compared as the record is, and which may be anything where that is not known. A comparison of two numbers of which
neither is known says the same wherever the same two are compared.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TypeVar

from dp_lsp import builtins
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import ByRecord, Conditional
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.scheme import Judgement
from dp_lsp.core.tallies import Case, Cut, Feature, Known, Rule, Seen, TooMany, Truth, Value, Where, extent, image
from dp_lsp.core.term import Branch, Call, Closure, Literal, Local, Term, Use
from dp_lsp.core.types import Base, BoolType, Bounds, Container, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.reading import Later, Reading, Scope, Unread, deeper
from dp_lsp.named import NamedTuple

_RELATIONS = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OF_NUMBERS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_COMPUTED = frozenset({"+", "-", "%"})
_LOGIC = frozenset({"&&", "||", "!"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "%"})
ONE = Poly.of(1)
MOST_PLACES, _MOST_GUESSES, _MOST_OF_TWO = 64, 3, 4
_SHORT = 2**7

T = TypeVar("T")


class Number(NamedTuple):
    """A number that a record is, or that was made of it: what it is in a case, and by what that is known. One that has
    ``limits`` is that feature as it is, or one of the numbers at which the line is cut. A truth value ``says`` when it
    is true."""

    value: Rule
    key: Hashable
    feature: Feature | None = None
    limits: Feature | None = None
    says: Truth | None = None


class Row(NamedTuple):
    """A record that is a row: the number at each place, and how many there are, if that is a number."""

    at: Callable[[int], Number]
    key: Hashable
    width: int | None = None

    def of_places(self, first: int, last: int) -> Row:
        """The numbers from one place to another."""
        return Row(lambda place: self.at(place + first - 1), (self.key, first, last), max(0, last - first + 1))

    def sum(self) -> Rule:
        """Its numbers, added up."""
        if self.width is None or self.width > MOST_PLACES:
            raise Unread
        return combined([self.at(place + 1).value for place in range(self.width)], [ONE] * self.width)


Record = Number | Row


class Records(NamedTuple):
    """Records made of those of a dataset: which are kept, and what each is."""

    kept: Truth
    record: Record


class Computation(NamedTuple):
    """A feature: what is computed of others."""

    what: Hashable


class OfTwo(NamedTuple):
    """How two numbers compare that are computed of a record, by how each is computed."""

    left: Hashable
    right: Hashable


class RecordReader(Reading):
    """Reads functions of a record. What it looks at in a record it adds to what others have ``seen``. What a function
    computes of a record is, if that is read ``exact``, the same number as in other functions, and cannot be compared;
    else it is a feature of its own."""

    def __init__(self, inference: Inference, exact: bool, seen: Seen) -> None:
        super().__init__(inference)
        self.seen = seen
        self.computes = False
        self._exact = exact
        self._others: list[Judgement] = []
        self._asked: Hashable = None

    # What else is read

    def _is_other(self, local: Local) -> bool:
        """Whether this is a number that the dataset may have no part in, which is looked at in the end."""
        known = self._inference.context.environment.get(local)
        if known is None or not isinstance(self._inference.type(known), NumberType):
            return False
        self._others.append(known)
        return True

    def _captures(self, node: Term, scope: Scope) -> None:
        """A function moves with what it has captured; what it binds itself is not in scope here."""
        environment = self._inference.context.environment
        self._others += [environment[local] for local in self.captured(node, scope) if environment[local].moves]

    def _place(self, node: Term, scope: Scope, use: Call) -> Hashable:
        """What tells apart what a function says: the same function says the same of a record, if it calls no other."""
        made, around = self.made(node, scope)
        if not calls_none(made):
            return id(use), self.identities(scope), self.identities(around)
        used = {part.local for part in term.within([made]) if isinstance(part, Use)}
        return id(made), frozenset((each, self.identity(each, around)) for each in used if each in around.names)

    def _is_settled(self, node: Term, scope: Scope) -> bool:
        """Whether a function looks at nothing but the record and what the definition itself was given."""
        if not calls_none(node) or any(not self._is_named(local, scope) for local in scope.names):
            return False
        return all(local in self._inference.context.given for local in self.captured(node, scope))

    def _is_named(self, local: Local, scope: Scope) -> bool:
        """Whether a name stands for another name, or for a number, and for nothing that is computed there."""
        stands = scope.names[local]
        return not isinstance(stands, Later) or isinstance(self.stands_for(stands.term, stands.scope)[0], Use | Literal)

    # Which records

    def kept(self, records: Records, function: Term, scope: Scope, use: Call) -> Records:
        """Those records of which a function says true."""
        made, around = self.made(function, scope)
        self._captures(made, around)
        known, place = list(self.seen.guesses), (self._place(function, scope, use), records.record.key)
        cut = set(self.seen.cuts)
        outer, self._asked = self._asked, place
        try:
            says = self._truth(*self.applied(made, around, records.record))
        except Unread:
            says = self._guess(place)
        finally:
            self._asked = outer
        guesses = [each for each in self.seen.guesses if each not in known]
        self.seen.adapts |= bool(guesses) and not self._is_settled(made, around)
        computed = [each for each in self.seen.cuts if each not in cut and _is_computed(each)]
        if len(guesses) + len(computed) > _MOST_GUESSES:
            self.seen.guesses = dict.fromkeys(known)
            self.seen.forget(computed)
            says = self._guess(place)
        before = records.kept
        return records._replace(kept=lambda case: before(case) and says(case))

    def _guess(self, key: Hashable) -> Truth:
        """A predicate whose answer is not known: each case says true or false, the same wherever this one stands."""
        self.seen.guesses[key] = None
        return lambda case: case.guessed[key]

    def _condition(self, node: Term, scope: Scope) -> Truth:
        """A part of what a function says of a record; one that is not read is a guess, at its place there."""
        try:
            return self._truth(node, scope)
        except Unread:
            if self._asked is None:
                raise
            return self._guess((self._asked, id(node), scope.call))

    @deeper
    def _truth(self, node: Term, scope: Scope) -> Truth:
        """What a term says of a record, in each case. Raises :class:`Unread` for what is not understood."""
        node, scope = self.stands_for(node, scope)
        if isinstance(node, Literal) and isinstance(node.value, bool):
            answer = node.value
            return lambda case: answer
        if isinstance(node, term.Apply):
            return self._truth(*self.called(node, scope))
        if isinstance(node, Branch):
            says, one, other = self._sides(node, scope)
            return _either(says, self._truth(*one), self._truth(*other))
        number = self._number_of(node, scope)
        if number is not None:
            return self._is_true(number)
        if not isinstance(node, Call) or node.keywords:
            raise Unread
        if node.builtin in _RELATIONS and len(node.args) == 2:
            return self._comparison(node, scope)
        if builtins.TABLE[node.builtin].has(Conditional) and len(node.args) == 3:
            says, yes, no = (self._truth(each, scope) for each in node.args)
            return _either(says, yes, no)
        return self._logic(node, [self._condition(each, scope) for each in node.args if node.builtin in _LOGIC])

    def _logic(self, node: Call, parts: list[Truth]) -> Truth:
        if node.builtin == "!" and len(parts) == 1:
            (says,) = parts
            return lambda case: not says(case)
        if len(parts) != 2:
            raise Unread
        left, right = parts
        if node.builtin == "&&":
            return lambda case: left(case) and right(case)
        return lambda case: left(case) or right(case)

    def _is_true(self, number: Number) -> Truth:
        """A truth value that is a record, or a part of one."""
        if number.says is not None:
            return number.says
        feature = number.feature
        if feature is None or self.seen.known[feature] != _TRUTH:
            raise Unread
        self._cut(feature, Fraction(1))
        return lambda case: case.where[feature].meets("==", Fraction(1))

    @deeper
    def _comparison(self, node: Call, scope: Scope) -> Truth:
        chosen = self._of_chosen(node, scope)
        if chosen is not None:
            return chosen
        left, right = (self.stored(each, scope) for each in node.args)
        if left is not None and right is not None:
            answer = _OF_NUMBERS[node.builtin](left, right)
            return lambda case: answer
        try:
            return self._with_public(node, scope)
        except Unread:
            return self._of_two(node, scope)

    def _of_chosen(self, node: Call, scope: Scope) -> Truth | None:
        """A comparison of one of two numbers, by what a condition says of the record; None of anything else."""
        for place, arg in enumerate(node.args):
            made, around = self._without_zero(arg, scope)
            if isinstance(made, Branch):
                says, *sides = self._sides(made, around)
                name = Local("one of two", arg.span)
                args = (*node.args[:place], Use(arg.span, name), *node.args[place + 1 :])
                each = replace(node, args=args)
                return _either(says, *(self._comparison(each, scope.with_name(name, Later(*side))) for side in sides))
        return None

    def _of_two(self, node: Call, scope: Scope) -> Truth:
        """A comparison of two numbers that are computed of a record: of the same two, one is always as far above the
        other, or one of them is no number, so their comparison is that of a feature of its own with 0."""
        left, right = (self._computed_by(each, scope) for each in node.args)
        relation, of = node.builtin, OfTwo(left, right)
        if (turned := OfTwo(right, left)) in self.seen.known:
            relation, of = _RELATIONS[relation], turned
        elif of not in self.seen.known and sum(isinstance(each, OfTwo) for each in self.seen.known) >= _MOST_OF_TWO:
            raise Unread
        self.seen.known[of] = Known(None, whole=False)
        self._cut(of, Fraction(0))
        return lambda case: case.where[of].meets(relation, Fraction(0))

    @deeper
    def _computed_by(self, node: Term, scope: Scope) -> Hashable:
        """What tells a number apart that is computed of a record: how, and of what. The same is rounded alike, and 1.0
        is not 1: of a whole number that has more than 53 digits the sum with it is rounded, and that with 1 is not."""
        node, scope = self.stands_for(node, scope)
        number = self._number_of(node, scope)
        if number is not None and number.feature is not None:
            return ("record", number.feature)
        written, around = self.followed(node, scope, (Use, Literal))
        if isinstance(written, Literal):
            return written.value, written.integer
        if isinstance(written, Use) and isinstance(value := around.names.get(written.local), Fraction):
            return value, written.local
        if isinstance(node, term.Apply):
            return self._computed_by(*self.called(node, scope))
        other = self._other(node, scope)
        if other is not None:
            return ("other", other)
        if not isinstance(node, Call) or node.keywords or node.mutates:
            raise Unread
        if node.builtin not in _ARITHMETIC and builtins.TABLE[node.builtin].trait(Shape) is None:
            raise Unread
        return (node.builtin, *(self._computed_by(each, scope) for each in node.args))

    def _with_public(self, node: Call, scope: Scope) -> Truth:
        """A comparison of a number of a record with a public one."""
        left, right = node.args
        relation, number = node.builtin, self._number_of(left, scope) or self._computed_number(left, scope)
        if number is None:
            relation, left, right = _RELATIONS[relation], right, left
            number = self._number_of(left, scope) or self._computed_number(left, scope)
        feature = None if number is None else number.limits or number.feature
        if number is None or feature is None:
            raise Unread
        of, bound = self._bound(right, feature, scope)
        self._cut(of, bound)
        if isinstance(feature, Computation) and of == feature:
            return self._decided(number.value, of, relation, bound)
        if number.limits is None:
            return lambda case: case.where[of].meets(relation, bound)
        if of != feature:
            raise Unread
        value = number.value
        return lambda case: _place(value(case), of, case).meets(relation, bound)

    def _computed_number(self, node: Term, scope: Scope) -> Number | None:
        """What is computed of a record, and of numbers that are written out: another number of it."""
        numbers = list[Number]()
        what = self._computation(node, scope, numbers)
        if what is None or not numbers:
            return None
        feature = Computation(what)
        self.seen.known[feature] = Known(None, whole=False)
        self._noted(feature, numbers)
        return Number(self._at_once(node, scope) or of_feature(feature).value, feature, feature)

    def _noted(self, feature: Feature, numbers: list[Number]) -> None:
        """A number that is computed of these is compared."""

    def _computation(self, node: Term, scope: Scope, numbers: list[Number], depth: int = 8) -> Hashable | None:
        """How a number is computed of those of a record, which are listed; None if it is computed of something else."""
        node, scope = self.stands_for(node, scope)
        if isinstance(node, Literal):
            return node.value, node.integer
        number = self._number_of(node, scope)
        if number is not None:
            numbers.append(number)
            return number.key
        if not isinstance(node, Call) or node.keywords or node.mutates or not depth:
            return None
        if node.builtin not in _COMPUTED and builtins.TABLE[node.builtin].trait(Shape) is None:
            return None
        parts = [self._computation(each, scope, numbers, depth - 1) for each in node.args]
        return None if None in parts else (node.builtin, *parts)

    def _at_once(self, node: Term, scope: Scope) -> Rule | None:
        """What one function computes of a record and numbers that are written out, if it is known where that lies."""
        node, scope = self.stands_for(node, scope)
        if not isinstance(node, Call):
            return None
        parts = [(self._number_of(each, scope), self.stored(each, scope)) for each in node.args]
        if not all(known is not None or (number is not None and number.feature is not None) for number, known in parts):
            return None
        try:
            value = self._affine(node, scope)
        except Unread:
            return None
        for number, _ in parts:
            if number is not None and number.feature is not None:
                self._cut(number.feature)  # it may be no number
        return value

    def _decided(self, value: Rule, feature: Feature, relation: str, bound: Fraction) -> Truth:
        """A comparison of what is computed once, which is decided where all that it may be lies on one side. That holds
        of what is stored, too: ends that all types of numbers hold stay where they are, also those of eight digits and
        without a sign, and what is rounded is in order as it was before."""

        def says(case: Case) -> bool:
            try:
                span = extent(value(case), case, self.seen.known)
            except (Cut, TooMany):
                span = None
            low, high = (None, None) if span is None else span
            if low is None or high is None or not _is_short(low) or not _is_short(high) or low < 0:
                return case.where[feature].meets(relation, bound)
            if low == high == bound or low > bound or high < bound:
                return Where(low, low).meets(relation, bound)
            if low == bound and relation in (">=", "<"):
                return relation == ">="
            if high == bound and relation in ("<=", ">"):
                return relation == "<="
            return case.where[feature].meets(relation, bound)

        return says

    def _cut(self, feature: Feature, *bounds: Fraction) -> None:
        """Let cases tell apart on which side of these numbers, and at which of them, a feature lies."""
        self.seen.cuts.setdefault(feature, set()).update(bounds)

    def _bound(self, node: Term, feature: Feature, scope: Scope) -> tuple[Feature, Fraction]:
        """A number as it is stored. One that has no value here is compared as if it were 0 of a feature of its own."""
        written = self.stored(node, scope)
        if written is not None:
            return feature, written
        node, scope = self.stands_for(node, scope)
        other = self._other(node, scope)
        if other is None:
            raise Unread
        own = (feature, other)
        self.seen.compared[own] = feature
        self.seen.known[own] = Known(None, whole=False)
        return own, Fraction(0)

    def _other(self, node: Term, scope: Scope) -> Hashable | None:
        """What tells a number that has a name from others; None of anything else."""
        if isinstance(node, Use) and node.local not in scope.names and self._is_other(node.local):
            self.seen.adapts |= node.local not in self._inference.context.given
            return node.local
        if not isinstance(node, term.Global):
            return None
        found = self._inference.context.resolve(node.name)
        return node.name if isinstance(found, Judgement) and isinstance(found.type, NumberType) else None

    # Numbers made of a record

    def _number_of(self, node: Term, scope: Scope) -> Number | None:
        """The record itself, or a number of the row that it is; None of anything else."""
        node, scope = self._without_zero(node, scope)
        if isinstance(node, Use):
            stands = scope.names.get(node.local)
            return stands if isinstance(stands, Number) else None
        if not isinstance(node, Call) or node.builtin != builtins.INDEX or len(node.args) != 2:
            return None
        row = self._row(node.args[0], scope)
        return None if row is None else row.at(self._position(node.args[1], scope))

    def _without_zero(self, node: Term, scope: Scope) -> tuple[Term, Scope]:
        """What a name stands for, without a whole 0 that is added in front: of any type, the number is the same one."""
        while True:
            node, scope = self.stands_for(node, scope)
            match node:
                case Call(builtin=builtins.PLUS, args=(Literal(value=0, integer=True), same), keywords=(), by=None):
                    node = same
                case _:
                    return node, scope

    def _row(self, node: Term, scope: Scope) -> Row | None:
        """The row that a record is, a part of it, or one that is written out; None of anything else."""
        node, scope = self.stands_for(node, scope)
        if isinstance(node, Use):
            stands = scope.names.get(node.local)
            return stands if isinstance(stands, Row) else None
        if not isinstance(node, Call) or node.keywords:
            return None
        if node.builtin == builtins.SLICE and len(node.args) == 3:
            row = self._row(node.args[0], scope)
            return None if row is None else row.of_places(*(self._position(each, scope) for each in node.args[1:]))
        return self._written(node, scope) if node.builtin == builtins.LITERAL else None

    def _written(self, node: Call, scope: Scope) -> Row:
        """A row that is written out number by number."""

        def at(place: int) -> Number:
            if not 1 <= place <= len(node.args):
                raise Unread
            return self.made_of(node.args[place - 1], scope, (id(node), place, self.identities(scope)))

        return Row(at, (id(node), self.identities(scope)), len(node.args))

    def _position(self, node: Term, scope: Scope) -> int:
        """A whole public number. Raises :class:`Unread` for any other."""
        found = self.public(node, scope).number
        if found is None or found.denominator != 1:
            raise Unread
        return int(found)

    def made_of(self, node: Term, scope: Scope, key: Hashable) -> Number:
        """A number, or a truth value, that is made of a record."""
        number = self._number_of(node, scope)
        if number is not None:
            return number
        try:
            says = self._truth(node, scope)
        except Unread:
            self.computes = True
            if not self._exact:
                raise
            return Number(self._affine(node, scope), key)
        return Number(_counted(says), key, says=says)

    @deeper
    def _affine(self, node: Term, scope: Scope) -> Rule:
        """A number made of a record: affine in its features, case by case."""
        node, scope = self.stands_for(node, scope)
        number = self._number_of(node, scope)
        if number is not None:
            return number.value
        if isinstance(node, term.Apply):
            return self._affine(*self.called(node, scope))
        if isinstance(node, Branch):
            says, one, other = self._sides(node, scope)
            return _either(says, self._affine(*one), self._affine(*other))
        constant = self.public_or_none(node, scope)
        if constant is not None:
            return written(constant)
        if not isinstance(node, Call) or node.keywords:
            raise Unread
        return self._result(node, scope)

    def _result(self, node: Call, scope: Scope) -> Rule:
        """The number that a builtin makes of numbers of a record, as an affine function of features in each case."""
        row, factored = builtins.TABLE[node.builtin], self.factored(node, scope)
        if factored is not None:
            factor, other = factored
            return combined([self._affine(other, scope)], [factor])
        if row.has(Conditional) and len(node.args) == 3:
            condition, yes, no = node.args
            return _either(self._truth(condition, scope), self._affine(yes, scope), self._affine(no, scope))
        if node.builtin in _RELATIONS or node.builtin in _LOGIC:
            return _counted(self._truth(node, scope))
        if row.trait(ByRecord) is ByRecord.ADDS and len(node.args) == 1:
            entries = self._row(node.args[0], scope)
            if entries is None:
                raise Unread
            return entries.sum()
        parts = [self._affine(each, scope) for each in node.args]
        if node.builtin in ("+", "-"):
            return combined(parts, signs(node))
        shape = row.trait(Shape)
        if shape is None:
            raise Unread
        return self.shaped(shape, parts)

    def factored(self, node: Call, scope: Scope) -> tuple[Poly, Term] | None:
        """A multiple, as a public factor and what it is a multiple of."""
        if node.builtin not in ("*", "/") or len(node.args) != 2:
            return None
        left, right = node.args
        by = self.public_or_none(right, scope)
        if node.builtin == "/":
            return (by.inverse(), left) if by is not None and by.number else None
        if by is not None:
            return by, left
        by = self.public_or_none(left, scope)
        return None if by is None else (by, right)

    def _sides(self, node: Branch, scope: Scope) -> tuple[Truth, tuple[Term, Scope], tuple[Term, Scope]]:
        """What a branch decides by, and its two sides with what is bound in them."""
        says = self._truth(node.condition, scope)
        return says, self.inside(node.then, scope), self.inside(node.otherwise, scope)

    def shaped(self, shape: Shape, parts: list[Rule]) -> Rule:
        """A function of numbers, by where it takes intervals."""
        return lambda case: image(shape.of, shape.selects, [part(case) for part in parts], case, self.seen.known)


_TRUTH = Known(Bounds(Poly.of(0), ONE), whole=True)


def _is_computed(feature: Feature) -> bool:
    """Whether a feature is a number that is computed, or says on which side of a name that is."""
    while isinstance(feature, tuple) and not isinstance(feature, Computation):
        feature = feature[0]
    return isinstance(feature, Computation)


def _is_short(number: Fraction) -> bool:
    """Whether all types of numbers store it as it is, if they store such numbers at all."""
    return abs(number.numerator) < _SHORT and number.denominator < _SHORT and _SHORT % number.denominator == 0


def calls_none(made: Term) -> bool:
    """Whether a term is a function that calls no other one."""
    calls = term.Apply | term.Global | term.Loop | term.Hole
    return isinstance(made, Closure) and not any(isinstance(each, calls) for each in term.within([made]))


def known_of(records: Container) -> Known:
    """What the type of records says of each number."""
    element = records.element
    if isinstance(element, BoolType):
        return _TRUTH
    if not isinstance(element, NumberType):
        return Known(None, whole=False)
    return Known(element.bounds, element.base is Base.INTEGER)


def of_feature(feature: Feature) -> Number:
    """A number that is a feature."""
    return Number(lambda case: {feature: ONE}, feature, feature)


def _place(value: Value, feature: Feature, case: Case) -> Where:
    """Where a number lies that is a feature, or one that is known."""
    if feature in value:
        return case.where[feature]
    number = value[None].number
    return Where(number, number)


def written(number: Poly) -> Rule:
    """A public number."""
    return lambda case: {None: number}


def _counted(says: Truth) -> Rule:
    """1 where something is true, and 0 elsewhere."""
    return lambda case: {None: ONE} if says(case) else {}


def _either(says: Truth, one: Callable[[Case], T], other: Callable[[Case], T]) -> Callable[[Case], T]:
    """One of two functions of a case, by a predicate."""
    return lambda case: one(case) if says(case) else other(case)


def signs(node: Call) -> list[Poly]:
    """The factors of what is added up, or of a difference; with one argument, of its negative."""
    if node.builtin == "+":
        return [ONE] * len(node.args)
    return [ONE, -ONE] if len(node.args) == 2 else [-ONE]


def combined(parts: list[Rule], factors: list[Poly]) -> Rule:
    """Several numbers, each as often as its factor says."""

    def rule(case: Case) -> Value:
        found: dict[Feature | None, Poly] = {}
        for part, factor in zip(parts, factors, strict=True):
            for feature, each in part(case).items():
                found[feature] = found.get(feature, Poly.of(0)) + factor * each
        return found

    return rule
