"""Statistics that add something up for each record of one dataset: counts, sums, and what is linear in them.

Several of them, and their differences and multiples, are read off the terms that made them, down to the dataset, as one
sum over its records: of each record, what it adds to each entry of the result (:mod:`dp_lsp.core.tallies`). A record
that is filtered away adds 0 to the final sum, whatever was done later with others. So `length(v) - count(p, v)` is the
count of the others, and counts of what cannot be true of one record are one histogram.

What is read must say of the record, and of what the dataset has no part in, what is kept and added: how far the result
moves with that is what all other rules say of it. One that is not made of comparisons of the record with public
numbers is taken to say anything, but always the same at one place; numbers that were computed of a record are measured
by their bounds, and compared with nothing. Terms are read by what evaluates them: each local has one value where it is
in scope, and what a loop or a branch made is not read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.builtins.shapes import Shape
from dp_lsp.builtins.traits import ByRecord, Conditional
from dp_lsp.core import laws, term
from dp_lsp.core.algebra import NormVariable, Poly
from dp_lsp.core.constraints import decide
from dp_lsp.core.evaluate import norms_of
from dp_lsp.core.metrics import as_dataset, by_norm
from dp_lsp.core.scheme import FunctionValue, Judgement, Move
from dp_lsp.core.sens import ONE, Sens, number
from dp_lsp.core.tallies import (
    Case,
    Feature,
    Known,
    Rule,
    Seen,
    Source,
    TooMany,
    Truth,
    Value,
    Where,
    image,
    largest,
    points,
    reach,
    replacements,
)
from dp_lsp.core.term import Call, Closure, Literal, Local, Term, Use
from dp_lsp.core.types import Base, BoolType, Bounds, Container, Dataset, Norm, NumberType, Type
from dp_lsp.infer.inference import Inference

_RELATIONS = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_EXACT: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": Fraction.__add__,
    "-": Fraction.__sub__,
    "*": Fraction.__mul__,
}
_ARITHMETIC = frozenset({"+", "-", "*", "/"})
_READ = frozenset({ByRecord.COUNTS, ByRecord.NUMBERS, ByRecord.ADDS})
_DEEPEST, _WIDEST = 60, 64
_ONE = Poly.of(1)
_HALF = number(Fraction(1, 2))

Given = Mapping[Local, Fraction]
"""The numbers that parameters of functions stand for, in one call of many."""


class Unread(Exception):
    """A term that is no sum over the records of one dataset."""


class _Records(NamedTuple):
    """Records made of those of a dataset: which are kept, what each is, and by what that is known. One that has
    ``limits`` is that feature as it is, or one of the numbers at which the line is cut."""

    kept: Truth
    value: Rule
    key: Hashable
    feature: Feature | None
    limits: Feature | None = None


def ranged(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """A dataset of numbers that a function makes of records, with the bounds of what it makes of those that are there,
    if they are known, and its type says less."""
    if node.mutates or builtins.TABLE[node.builtin].trait(ByRecord) is not ByRecord.MAPS:
        return judgement
    type_ = inference.type(judgement)
    if not isinstance(type_, Dataset):
        return judgement
    element = type_.records.element
    if not isinstance(element, NumberType) or element.base is Base.DATA or type_.records.rows is not None:
        return judgement
    try:
        bounds = Reader(inference, exact=True, seen=Seen()).reach(node)
    except (Unread, TooMany):
        return judgement
    known = element.bounds
    if bounds is None or (known is not None and not _narrower(bounds, known)):
        return judgement
    return replace(judgement, type=type_.of(type_.records.of(replace(element, bounds=bounds))))


def _narrower(bounds: Bounds, known: Bounds) -> bool:
    return bounds != known and bool(decide(known.low, "<=", bounds.low) and decide(bounds.high, "<=", known.high))


def tightened(inference: Inference, node: Call, judgement: Judgement) -> Judgement:
    """How far a statistic moves, where reading it as one sum over the records of a dataset says that better."""
    steps = any(var.gap for var in judgement.moves)  # as those of a dataset have
    if not steps or node.mutates:
        return judgement
    result = inference.type(judgement)
    if not isinstance(result, NumberType | Container):
        return judgement
    role = builtins.TABLE[node.builtin].trait(ByRecord)
    if not (node.builtin in _ARITHMETIC or node.builtin == builtins.LITERAL or role in (ByRecord.MAPS, ByRecord.ADDS)):
        return judgement
    for exact in (True, False):
        reader = Reader(inference, exact, Seen())
        try:
            rules = reader.statistic(node, result)
            found = reader.measured(rules, result.norm if isinstance(result, Container) else Norm.L1)
        except (Unread, TooMany):
            continue
        if found is not None:
            judgement = _least(inference, node, judgement, *found)
        if not reader.computes:
            break
    return judgement


def _least(inference: Inference, node: Call, judgement: Judgement, source: Judgement, factor: Sens) -> Judgement:
    """A statistic that moves by a factor of what the dataset does, where that is less than what is known."""
    better = {}
    for var, own in source.moves.items():
        move, sens = judgement.moves.get(var), factor * own.sens
        if move is not None and not sens.infinite and not decide(move.sens, "<=", sens):
            better[var] = Move(sens, node.span, laws.RECORDS, (ONE,), (move,), way=move.way)
    for norm in {norm for move in better.values() for norm in norms_of(move.sens)}:
        inference.solver.fix_norm(norm)
    return replace(judgement, moves={**judgement.moves, **better}) if better else judgement


class Reader:
    """Reads one statistic. What it looks at in a record it adds to what others have ``seen``. What a function computes
    of a record is, if that is read ``exact``, the same number as in other functions, and cannot be compared; else it is
    a feature of its own."""

    def __init__(self, inference: Inference, exact: bool, seen: Seen) -> None:
        self.seen = seen
        self.computes = False
        self._inference = inference
        self._exact = exact
        self._others: list[Judgement] = []
        self._depth = 0

    def statistic(self, node: Term, result: Type) -> list[Rule]:
        """What a record adds to each entry of a vector, or to a number."""
        return self.entries(self._made(node), {}) if isinstance(result, Container) else [self.number(node, {})]

    def kept(self, node: Term) -> Truth:
        """Which records are among those of a dataset."""
        return self._dataset(node, {}).kept

    def reads_one(self) -> Source | None:
        """The only dataset that something moves with that moves with this one."""
        source = self.seen.source
        if source is None:
            return None
        own = {self._inference.context.parameter(var) for var in source.judgement.moves}
        moved = {self._inference.context.parameter(var) for other in self._others for var in other.moves}
        return source if own.isdisjoint(moved) else None

    def measured(self, rules: list[Rule], norm: Norm | NormVariable) -> tuple[Judgement, Sens] | None:
        """The dataset, and how far the entries move together by a step of it."""
        source = self.reads_one()
        if source is None or len(rules) > _WIDEST:
            return None
        _, judgement, dataset = source
        found = points(self.seen.cases(), rules, self.seen.known)
        if dataset.balanced:
            found.add((Poly.of(0),) * len(rules))
        found = replacements(found, found) if dataset.metric.sized or dataset.balanced else found
        l1, l2, linf = (largest(found, each) for each in Norm)
        factor = by_norm(self._inference.solver.norm(norm), l1, l2, linf)
        return judgement, factor * _HALF if dataset.balanced else factor

    def reach(self, node: Call) -> Bounds | None:
        """Between which numbers the records of a dataset lie."""
        records = self._dataset(node, {})
        there = (case for case in self.seen.cases() if records.kept(case))
        return reach(points(there, [records.value], self.seen.known))

    # Numbers and vectors

    def entries(self, node: Term, given: Given) -> list[Rule]:
        """What a record adds to each entry of a vector."""
        if not isinstance(node, Call) or node.keywords:
            raise Unread
        if node.builtin == builtins.LITERAL:
            return [self.number(each, given) for each in node.args]
        if builtins.TABLE[node.builtin].trait(ByRecord) is not ByRecord.MAPS or len(node.args) != 2:
            raise Unread
        param, body = self._function(node.args[0], given)
        return [self.number(body, {**given, param: each}) for each in self._numbers(node.args[1])]

    def _numbers(self, node: Term) -> list[Fraction]:
        """Numbers that are written out."""
        node = self._made(node)
        if isinstance(node, Call) and node.builtin in (builtins.LITERAL, builtins.RANGE) and not node.keywords:
            found = [self._public(each, {}).number for each in node.args]
            known = [each for each in found if each is not None]
            if len(known) == len(found) and node.builtin == builtins.LITERAL:
                return known
            if len(known) == len(found) == 2 and 0 <= known[1] - known[0] < _WIDEST and known[0].denominator == 1:
                return [known[0] + step for step in range(int(known[1] - known[0]) + 1)]
        raise Unread

    def number(self, node: Term, given: Given) -> Rule:
        """What a record adds to a number."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unread
        try:
            return self._number(node, given)
        finally:
            self._depth -= 1

    def _number(self, node: Term, given: Given) -> Rule:
        if isinstance(node, Literal) or (isinstance(node, Use) and self._is_public(node.local, given)):
            return lambda case: {}
        node = self._made(node)
        if isinstance(node, Use) and self._is_other(node.local):
            return lambda case: {}
        if not isinstance(node, Call) or node.mutates or node.keywords:
            raise Unread
        role = builtins.TABLE[node.builtin].trait(ByRecord)
        if role in _READ:
            return self._statistic(role, node, given)
        if node.builtin in ("+", "-"):
            parts = [self.number(each, given) for each in node.args]
            return _combined(parts, _signs(node))
        factored = self._factored(node, given)
        if factored is None:
            raise Unread
        factor, other = factored
        return _combined([self.number(other, given)], [factor])

    def _factored(self, node: Call, given: Given) -> tuple[Poly, Term] | None:
        """A multiple, as a public factor and what it is a multiple of."""
        if node.builtin not in ("*", "/") or len(node.args) != 2:
            return None
        left, right = node.args
        by = self._public_or_none(right, given)
        if node.builtin == "/":
            return (by.inverse(), left) if by is not None and by.number else None
        if by is not None:
            return by, left
        by = self._public_or_none(left, given)
        return None if by is None else (by, right)

    def _statistic(self, role: ByRecord | None, node: Call, given: Given) -> Rule:
        records = self._dataset(node.args[-1], given)
        if role is ByRecord.COUNTS:
            records = self._kept(records, node.args[0], given, node)
        kept, value = records.kept, records.value
        if role is ByRecord.ADDS:
            if len(node.args) != 1 or records.feature is _ROW:
                raise Unread
            return lambda case: value(case) if kept(case) else {}
        if role is ByRecord.NUMBERS and (len(node.args) != 1 or records.feature is _ROW):
            raise Unread
        return lambda case: {None: _ONE} if kept(case) else {}

    # Public numbers

    def _public(self, node: Term, given: Given) -> Poly:
        """A public number whose value is known, or has a symbol."""
        if isinstance(node, Literal) and not isinstance(node.value, bool):
            return Poly.of(node.value)
        if isinstance(node, Use) and node.local in given:
            return Poly.of(given[node.local])
        if isinstance(node, Use) and node.local in self._inference.context.environment:
            static = self._inference.static(self._inference.context.environment[node.local])
            if static is not None:
                return static
        if isinstance(node, Call) and node.builtin in ("+", "-", "*") and len(node.args) <= 2:
            parts = [self._public(each, given) for each in node.args]
            if node.builtin == "*" and len(parts) == 2:
                return parts[0] * parts[1]
            if node.builtin != "*":
                first, rest = (parts[0], parts[1:]) if len(parts) == 2 or node.builtin == "+" else (Poly.of(0), parts)
                return reduce(Poly.__add__ if node.builtin == "+" else Poly.__sub__, rest, first)
        raise Unread

    def _public_or_none(self, node: Term, given: Given) -> Poly | None:
        try:
            return self._public(node, given)
        except Unread:
            return None

    def _is_public(self, local: Local, given: Given) -> bool:
        known = self._inference.context.environment.get(local)
        return local in given or (known is not None and not known.moves)

    def _is_other(self, local: Local) -> bool:
        """Whether this is a number that the dataset may have no part in, which is looked at in the end."""
        known = self._inference.context.environment.get(local)
        if known is None or not isinstance(self._inference.type(known), NumberType):
            return False
        self._others.append(known)
        return True

    def _made(self, node: Term) -> Term:
        """The term that made a value, if it has one."""
        for _ in range(_DEEPEST):
            if not isinstance(node, Use) or node.local not in self._inference.context.made:
                return node
            made = self._inference.context.made[node.local]
            if not isinstance(made, Use | Call | Closure):
                return node
            node = made
        raise Unread

    # Functions of a record

    def _function(self, node: Term, given: Given) -> tuple[Local, Term]:
        """The parameter and the value of a function that is written here, and captures nothing that moves, or of one
        that is defined without annotations, so that it does the same with all that it is called with."""
        methods = self._methods(self._made(node))
        if len(methods) != 1:
            raise Unread
        (method,) = methods
        if method.body is None or method.body.binds or len(method.params) != 1:
            raise Unread
        return method.params[0].local, method.body.result

    def _methods(self, node: Term) -> Sequence[term.Method]:
        if isinstance(node, Closure):
            return node.methods
        found = self._inference.context.resolve(node.name) if isinstance(node, term.Global) else None
        if not isinstance(found, FunctionValue) or found.black_box is not None or found.choices:
            return ()
        known = [each.template.method for each in found.methods if each.template is not None]
        return known if len(known) == len(found.methods) else ()

    def _captures(self, node: Term) -> None:
        """A function moves with what it has captured; what it binds itself is not in scope here."""
        environment = self._inference.context.environment
        self._others += [
            environment[part.local]
            for part in term.within([node])
            if isinstance(part, Use) and part.local in environment and environment[part.local].moves
        ]

    def _place(self, node: Term, given: Given, use: Call) -> Hashable:
        """What tells apart what a function says: the same function says the same of a record, if it calls no other."""
        made = self._made(node)
        alike = _calls_none(made)
        return id(made) if alike else id(use), tuple(sorted((id(local), each) for local, each in given.items()))

    def _is_settled(self, made: Term) -> bool:
        """Whether a function looks at nothing but the record and what the definition itself was given."""
        context = self._inference.context
        used = {part.local for part in term.within([made]) if isinstance(part, Use)}
        return _calls_none(made) and all(local in context.given for local in used if local in context.environment)

    def _kept(self, records: _Records, function: Term, given: Given, use: Call) -> _Records:
        """Those records of which a function says true."""
        made = self._made(function)
        self._captures(made)
        try:
            param, body = self._function(function, given)
            says = self._truth(body, param, records, given)
        except Unread:
            self.seen.adapts |= not self._is_settled(made)
            says = self._guess((self._place(function, given, use), records.key))
        before = records.kept
        return records._replace(kept=lambda case: before(case) and says(case))

    def _guess(self, key: Hashable) -> Truth:
        self.seen.guesses[key] = None
        return lambda case: case.guessed[key]

    def _truth(self, node: Term, param: Local, records: _Records, given: Given) -> Truth:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unread
        try:
            return self._truth_of(node, param, records, given)
        finally:
            self._depth -= 1

    def _truth_of(self, node: Term, param: Local, records: _Records, given: Given) -> Truth:
        if isinstance(node, Literal) and isinstance(node.value, bool):
            answer = node.value
            return lambda case: answer
        if not isinstance(node, Call) or node.keywords:
            raise Unread
        if node.builtin in _RELATIONS and len(node.args) == 2:
            return self._comparison(node, param, records, given)
        if node.builtin in ("&&", "||") and len(node.args) == 2:
            left, right = (self._truth(each, param, records, given) for each in node.args)
            if node.builtin == "&&":
                return lambda case: left(case) and right(case)
            return lambda case: left(case) or right(case)
        if node.builtin == "!" and len(node.args) == 1:
            says = self._truth(node.args[0], param, records, given)
            return lambda case: not says(case)
        raise Unread

    def _comparison(self, node: Call, param: Local, records: _Records, given: Given) -> Truth:
        left, right = node.args
        relation, feature = node.builtin, self._compared(left, param, records)
        if feature is None:
            relation, feature, right = _RELATIONS[relation], self._compared(right, param, records), left
        if feature is None:
            raise Unread
        of, bound = self._bound(right, feature, given)
        self._cut(of, bound)
        if records.limits is None:
            return lambda case: case.where[of].meets(relation, bound)
        if of != feature:
            raise Unread
        return lambda case: _place(records.value(case), of, case).meets(relation, bound)

    def _compared(self, node: Term, param: Local, records: _Records) -> Feature | None:
        if records.limits is not None and isinstance(node, Use) and node.local is param:
            return records.limits
        return self._feature(node, param, records)

    def _cut(self, feature: Feature, *bounds: Fraction) -> None:
        self.seen.cuts.setdefault(feature, set()).update(bounds)

    def _affine(self, node: Term, param: Local, records: _Records, given: Given) -> Rule:
        """A number made of a record: affine in its features, case by case."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unread
        try:
            return self._affine_of(node, param, records, given)
        finally:
            self._depth -= 1

    def _affine_of(self, node: Term, param: Local, records: _Records, given: Given) -> Rule:
        if isinstance(node, Use) and node.local is param and records.feature is not _ROW:
            return records.value
        feature = self._feature(node, param, records)
        if feature is not None:
            return lambda case: {feature: _ONE}
        if isinstance(node, term.Branch) and not node.then.binds and not node.otherwise.binds:
            return self._chosen(node.condition, node.then.result, node.otherwise.result, param, records, given)
        constant = self._public_or_none(node, given)
        if constant is not None:
            return _constant(constant)
        if not isinstance(node, Call) or node.keywords:
            raise Unread
        row, factored = builtins.TABLE[node.builtin], self._factored(node, given)
        if factored is not None:
            factor, other = factored
            return _combined([self._affine(other, param, records, given)], [factor])
        if row.has(Conditional) and len(node.args) == 3:
            return self._chosen(*node.args, param, records, given)
        parts = [self._affine(each, param, records, given) for each in node.args]
        if node.builtin in ("+", "-"):
            return _combined(parts, _signs(node))
        shape = row.trait(Shape)
        if shape is None:
            raise Unread
        return self._shaped(shape, parts)

    def _chosen(
        self, condition: Term, then: Term, otherwise: Term, param: Local, records: _Records, given: Given
    ) -> Rule:
        says = self._truth(condition, param, records, given)
        one, other = (self._affine(each, param, records, given) for each in (then, otherwise))
        return lambda case: one(case) if says(case) else other(case)

    def _shaped(self, shape: Shape, parts: list[Rule]) -> Rule:
        """A function of numbers, by where it takes intervals."""
        return lambda case: image(shape.of, shape.selects, [part(case) for part in parts], case, self.seen.known)

    def _bound(self, node: Term, feature: Feature, given: Given) -> tuple[Feature, Fraction]:
        """A number as it is stored. One that has no value here is compared as if it were 0 of a feature of its own."""
        written = self._stored(node, given)
        if written is not None:
            return feature, written
        if isinstance(node, Use) and self._is_other(node.local):
            self.seen.adapts |= node.local not in self._inference.context.given
            own = (feature, node.local)
            self.seen.compared[own] = feature
            self.seen.known[own] = Known(None, whole=False)
            return own, Fraction(0)
        raise Unread

    def _stored(self, node: Term, given: Given, depth: int = _DEEPEST) -> Fraction | None:
        """A number that is written out, as it is stored; also a sum, a difference or a product of such numbers, where
        it is stored as it is, so that nothing is rounded."""
        if isinstance(node, Literal) and not isinstance(node.value, bool):
            return node.value if node.integer else Fraction(float(node.value))
        if isinstance(node, Use) and node.local in given:
            value = given[node.local]
            return value if value.denominator == 1 else Fraction(float(value))
        if not isinstance(node, Call) or node.builtin not in _EXACT or not 1 <= len(node.args) <= 2 or not depth:
            return None
        parts = [self._stored(each, given, depth - 1) for each in node.args]
        known = [each for each in parts if each is not None]
        if len(known) < len(parts):
            return None
        found = reduce(_EXACT[node.builtin], known) if len(known) == 2 or node.builtin != "-" else -known[0]
        return found if abs(found) < 2**53 and Fraction(float(found)) == found else None

    def _feature(self, node: Term, param: Local, records: _Records) -> Feature | None:
        if isinstance(node, Use) and node.local is param:
            return None if records.feature is _ROW else records.feature
        if records.feature is not _ROW or not isinstance(node, Call) or node.builtin != builtins.INDEX:
            return None
        if len(node.args) != 2 or not isinstance(node.args[0], Use) or node.args[0].local is not param:
            return None
        place = node.args[1]
        if not isinstance(place, Literal) or not place.integer:
            return None
        found = (_ROW, records.key, place.value)
        assert self.seen.source is not None, "a row is one of a dataset"
        self.seen.known.setdefault(found, _known(self.seen.source.type.records))
        return found

    # Datasets

    def _dataset(self, node: Term, given: Given) -> _Records:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Unread
        try:
            node = self._nearest(node)
            made = self._inference.context.made.get(node.local, node) if isinstance(node, Use) else node
            role = _of_records(made)
            if isinstance(made, Call) and role is ByRecord.KEEPS:
                return self._kept(self._dataset(made.args[1], given), made.args[0], given, made)
            if isinstance(made, Call) and role in (ByRecord.MAPS, ByRecord.CHANGES):
                return self._changed(node, made, given)
            return self._leaf(node)
        finally:
            self._depth -= 1

    def _nearest(self, node: Term) -> Term:
        """A dataset by the last of its names: that of what made it, or of what nothing is read of."""
        for _ in range(_DEEPEST):
            made = self._inference.context.made.get(node.local) if isinstance(node, Use) else None
            if not isinstance(made, Use):
                return node
            node = made
        raise Unread

    def _leaf(self, node: Term) -> _Records:
        """The dataset itself."""
        if not isinstance(node, Use) or node.local not in self._inference.context.environment:
            raise Unread
        judgement = self._inference.context.environment[node.local]
        type_ = as_dataset(self._inference.type(judgement))
        source = self.seen.source
        if type_ is None or (source is not None and source.local is not node.local):
            raise Unread
        self.seen.source = Source(node.local, judgement, type_)
        if type_.records.rows is not None:
            return _Records(lambda case: True, lambda case: {}, node.local, _ROW)
        self.seen.known[node.local] = _known(type_.records)
        return _of_feature(lambda case: True, node.local)

    def _changed(self, node: Term, made: Call, given: Given) -> _Records:
        """Records made of records one by one: affine in what they were, or known by their bounds only."""
        maps = builtins.TABLE[made.builtin].trait(ByRecord) is ByRecord.MAPS
        if maps:
            self._captures(self._made(made.args[0]))
        records = self._dataset(made.args[1 if maps else 0], given)
        if not maps:
            selected = self._selected(records, made, given)
            if selected is not None:
                return selected
        if maps:
            try:
                param, body = self._function(made.args[0], given)
                feature = self._feature(body, param, records)
                if feature is not None:
                    return _of_feature(records.kept, feature)
                self.computes = True
                if not self._exact:
                    raise Unread
                value = self._affine(body, param, records, given)
                return _Records(records.kept, value, (self._place(made.args[0], given, made), records.key), None)
            except Unread:
                pass
        key = (id(made), tuple(sorted((id(local), each) for local, each in given.items())))
        known = self._inference.recorder.judgements.get(made)
        if known is None and isinstance(node, Use):
            known = self._inference.context.environment.get(node.local)
        type_ = None if known is None else self._inference.type(known)
        if not isinstance(type_, Dataset) or type_.records.rows is not None:
            raise Unread
        self.seen.known[key] = _known(type_.records)
        return _of_feature(records.kept, key)

    def _selected(self, records: _Records, made: Call, given: Given) -> _Records | None:
        """Records that are moved into a range whose ends are numbers as they are stored."""
        shape, feature = builtins.TABLE[made.builtin].trait(Shape), records.feature
        if shape is None or not shape.selects or feature is None or feature is _ROW or made.keywords:
            return None
        ends = [self._public_or_none(each, given) for each in made.args[1:]]
        numbers = [each.number for each in ends if each is not None]
        stored = [each for each in numbers if each is not None and Fraction(float(each)) == each]
        if len(stored) < len(ends):
            return None
        self._cut(feature, *stored)
        value = self._shaped(shape, [records.value, *(_constant(Poly.of(each)) for each in stored)])
        return _Records(records.kept, value, (id(made), records.key), None, feature)


_ROW = object()


def _calls_none(made: Term) -> bool:
    """Whether a term is a function that calls no other one."""
    calls = term.Apply | term.Global | term.Loop | term.Hole
    return isinstance(made, Closure) and not any(isinstance(each, calls) for each in term.within([made]))


def _of_records(node: Term) -> ByRecord | None:
    return builtins.TABLE[node.builtin].trait(ByRecord) if isinstance(node, Call) and not node.mutates else None


def _of_feature(kept: Truth, feature: Feature) -> _Records:
    return _Records(kept, lambda case: {feature: _ONE}, feature, feature)


def _known(records: Container) -> Known:
    element = records.element
    if isinstance(element, BoolType):
        return Known(Bounds(Poly.of(0), _ONE), whole=True)
    if not isinstance(element, NumberType):
        return Known(None, whole=False)
    return Known(element.bounds, element.base is Base.INTEGER)


def _place(value: Value, feature: Feature, case: Case) -> Where:
    """Where a number lies that is a feature, or one that is known."""
    if feature in value:
        return case.where[feature]
    number = value[None].number
    return Where(number, number)


def _constant(number: Poly) -> Rule:
    return lambda case: {None: number}


def _signs(node: Call) -> list[Poly]:
    """The factors of what is added up, or of a difference; with one argument, of its negative."""
    if node.builtin == "+":
        return [_ONE] * len(node.args)
    return [_ONE, -_ONE] if len(node.args) == 2 else [-_ONE]


def _combined(parts: list[Rule], factors: list[Poly]) -> Rule:
    def rule(case: Case) -> Value:
        found: dict[Feature | None, Poly] = {}
        for part, factor in zip(parts, factors, strict=True):
            for feature, each in part(case).items():
                found[feature] = found.get(feature, Poly.of(0)) + factor * each
        return found

    return rule
