"""Loops whose rounds are few and known, written out: what a function spends if its rounds stand one after the other.

What a loop says of all its rounds is what the dearest of them does. Where they differ, as noise does that is made for
the number of the round, or for a number that the loop multiplies, or where each sees other records and adds something
else of them up, that is more than all together. A loop over known numbers is its rounds one after the other, each with
its number in the place of the index and with what the round before it ended with: both compute the same, so what is
proved of one is proved of the other. So a function with such a loop is inferred once more, with the loop written out;
only what it spends is taken over, if that needs nothing that the loop does not need, too.

Such a loop releases something, so what it carries is public in every round.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import eq, ge, gt, le, lt, ne
from typing import TYPE_CHECKING

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Constraint
from dp_lsp.core.evaluate import speaks_of
from dp_lsp.core.events import Cost, Parts, Release, Repeat, Sequence, nodes, numbers, sequence
from dp_lsp.core.ranges import is_computed, ratio, varies
from dp_lsp.core.scheme import Judgement, SchemeParameter
from dp_lsp.core.sens import number
from dp_lsp.core.term import Bind, Body, Literal, Local, Term, Use
from dp_lsp.core.values import replace
from dp_lsp.infer import conditions, generalize, parts, prices
from dp_lsp.infer.context import UnevenRounds
from dp_lsp.infer.effects import Evaluation, spending
from dp_lsp.infer.entries import Entries
from dp_lsp.infer.inference import Inference
from dp_lsp.infer.solver import ConditionMark
from dp_lsp.problem import Severity

if TYPE_CHECKING:
    from dp_lsp.core.tallies import Parted

_MOST_ROUNDS, _MOST_TERMS = 16, 2000
_SMALL = 2**31


def note(
    inference: Inference, node: term.Rounds, spent: Cost, ends: tuple[Poly, Poly] | None, even: bool | None
) -> None:
    """Note a loop whose rounds may differ in what they spend, if it is known which there are. In ``spent`` is what they
    spend. What each sees of a dataset is told apart if that is ``even`` or not, and to the end if it is."""
    known = None if node.step is not None else numbers_of(inference, node, ends)
    if known is None:
        return
    varying = any(speaks_of(each, varies) for part in nodes(spent) for each in numbers(part))
    if varying or even is False or (even is None and _asks_for_rounds(node)):
        inference.context.uneven[node] = UnevenRounds(known, varying, even is not None)


def _asks_for_rounds(node: term.Rounds) -> bool:
    """Whether a function in a round, as what a filter keeps, reads something that is another one in each round."""
    own = {node.index, *(local for local, _ in node.carried)}
    pending, functions = [node.body], list[Term]()
    while pending:
        body = pending.pop()
        own.update(local for bind in body.binds for local in bind.targets)
        for each in term.within(term.of_body(body)):
            if isinstance(each, term.Closure):
                functions.append(each)
            pending += term.bodies(each) if isinstance(each, term.Branch | term.Rounds | term.Scope) else ()
    return any(isinstance(each, Use) and each.local in own for each in term.within(functions))


def numbers_of(inference: Inference, node: term.Rounds, ends: tuple[Poly, Poly] | None) -> range | None:
    """The numbers of a loop, if they are known and few."""
    step = Poly.of(1) if node.step is None else inference.static(inference.recorder.judgements[node.step])
    whole = [None if each is None else each.number for each in (*(ends or (None, None)), step)]
    first, last, by = (int(each) if each is not None and each.denominator == 1 else None for each in whole)
    if first is None or last is None or not by:
        return None
    found = range(first, last + (1 if by > 0 else -1), by)
    return found if 1 < len(found) <= _MOST_ROUNDS else None


def spent(
    inference: Inference,
    method: term.Method,
    params: tuple[SchemeParameter, ...],
    given: Iterable[Judgement],
    found: Cost,
    needs: tuple[Constraint, ...],
) -> Cost:
    """What a method spends whose loops are written out that were noted; ``found``, where that is not known to need no
    more than what it ``needs`` as it is. It is inferred for what it was ``given``."""
    types = [inference.type(each) for each in given]
    owned = generalize.owned(types)
    allowance = Allowance()
    body = None if method.body is None else written_out(method.body, inference.context.uneven, allowance)
    if body is None or inference.solver.opens or owned.types:
        return found
    again = inference.afresh()
    again.context.allowance = allowance
    for param, type_, value in zip(method.params, types, given, strict=True):
        again.define(param.local, replace(value, type=type_))
    again.context.given |= inference.context.given
    again.context.tuples.update(inference.context.tuples)
    apart = again.context.parts[again.context.home] = parts.of(params)
    value, effects = again.body(body)
    cost = parts.in_parts(again, effects.cost, method.name_span)
    generalize.default_norms(again, types, Evaluation(value, spending(cost)))
    settled, values = conditions.settle(again, ConditionMark()), again.solver.substitution()
    price = prices.at_most(cost, values)
    lost = price.lost or not _says_more(inference.context.uneven.values(), apart.values(), cost)
    wrong = any(problem.severity is Severity.ERROR for problem in again.recorder.problems) or again.recorder.unknown
    bound = owned.symbols & values.symbols.keys() or owned.norms & values.norms.keys()
    computed = any(speaks_of(each, is_computed) for part in nodes(price.cost) for each in numbers(part))
    if lost or wrong or bound or computed or again.solver.opens or not settled.holds:
        return found
    return _repeated(price.cost) if all(_is_needed(each, needs) for each in settled.needs) else found


def _says_more(loops: Collection[UnevenRounds], apart: Iterable[Parted | Entries], cost: Cost) -> bool:
    """Whether a cost says more than that of the loops: each round is paid for by its own numbers, or it is known what a
    record does to all that is released, which is less than the most to each of it."""
    if all(each.complete for each in apart if not isinstance(each, Entries)):
        return any(each.vary or each.told_apart for each in loops) or any(
            isinstance(part, Parts) for part in nodes(cost)
        )
    return any(each.vary for each in loops) and not any(each.told_apart for each in loops)


def _repeated(cost: Cost) -> Cost:
    """A cost where what is the same several times, one after the other, is so many rounds of that again."""
    if isinstance(cost, Parts):
        return replace(cost, body=_repeated(cost.body))
    if not isinstance(cost, Sequence):
        return cost
    found = list[Cost]()
    for _, alike in groupby(map(_repeated, cost.parts), _kind):
        one, *others = alike
        found.append(Repeat(number(1 + len(others)), one, prices.origin(one)) if others else one)
    return sequence(found)


def _kind(cost: Cost) -> Hashable:
    """What tells costs apart: of what is released a mechanism, counted in the distance it is made for."""
    if not isinstance(cost, Release) or cost.quietest is not None:
        return cost
    unit = cost.event.declared.single_poly()
    moved = frozenset((var, ratio(far * cost.factor, unit)) for var, far in cost.distance.items())
    others = tuple(each for each in cost.event.given if each is not cost.event.declared)
    return type(cost.event), others, moved, cost.one_way


def _is_needed(condition: Constraint, needs: Iterable[Constraint]) -> bool:
    """Whether a condition is one of others, or that a positive multiple of what one of them compares is above 0."""

    def same(other: Constraint) -> bool:
        if condition.key == other.key:
            return True
        mine, theirs = condition.right, other.right
        if not isinstance(mine, Poly) or not isinstance(theirs, Poly) or theirs.single is None:
            return False
        if condition.relation != other.relation or not condition.left == other.left == Poly.of(0):
            return False
        times = (mine * theirs.inverse()).number
        return times is not None and times > 0

    return any(map(same, needs))


# Writing out


@dataclass
class Allowance:
    """How many terms may still be written out. A loop in a round that is written out takes of what that has left: else
    loops in loops, of which each knows its numbers only then, were as many terms as all their rounds."""

    left: int = _MOST_TERMS


def written_out(body: Body, uneven: Mapping[Term, UnevenRounds], allowance: Allowance) -> Body | None:
    """A block with the rounds of such loops one after the other; None if that is too long, or one of the loops does not
    stand as a statement."""
    try:
        return _Writing(uneven, allowance).body(body, {})
    except _NotWritten:
        return None


class _NotWritten(Exception):
    """A loop that is not written out."""


_Names = Mapping[Local, Use | Literal]
"""What stands in the places of names."""


class _Writing:
    """Writes terms anew where they hold a loop that is written out, or what stands for another name in a round: each
    round has names of its own."""

    def __init__(self, uneven: Mapping[Term, UnevenRounds], allowance: Allowance) -> None:
        self._uneven = uneven
        self._allowance = allowance

    def body(self, body: Body, names: _Names) -> Body:
        """A block; the names that it binds are others, if it stands in a round."""
        binds, inside = self._binds(body.binds, names)
        more, result = self._value(body.result, inside)
        return Body((*binds, *more), result)

    def _binds(self, binds: Iterable[Bind], names: _Names) -> tuple[list[Bind], _Names]:
        found, inside, in_round = list[Bind](), {**names}, bool(names)
        for bind in binds:
            more, made = self._value(bind.term, inside)
            targets = bind.targets
            if in_round:
                targets = tuple(Local(each.name, each.span) for each in targets)
                inside |= {old: Use(old.span, new) for old, new in zip(bind.targets, targets, strict=True)}
                if isinstance(made, Literal):
                    inside |= dict.fromkeys(bind.targets, made)
            ends: Iterable[tuple[tuple[Local, ...], Term]] = [(targets, made)]
            if bind.term in self._uneven and isinstance(made, term.MakeTuple):
                ends = [((each,), end) for each, end in zip(targets, made.items, strict=True)]
            found += [*more, *(Bind(bind.span, locals_, end) for locals_, end in ends)]
        return found, inside

    def _value(self, node: Term, names: _Names) -> tuple[list[Bind], Term]:
        """A term, and what is written before it."""
        known = self._uneven.get(node)
        if known is None and names and isinstance(node, term.Branch):
            return self._branch(node, names)
        if known is None:
            return [], self.anew(node, names)
        if isinstance(node, term.Loop):
            return self._loop(node, known.numbers, names)
        assert isinstance(node, term.Comprehension), "nothing else has rounds"
        return self._comprehension(node, known.numbers, names)

    def _loop(self, node: term.Loop, rounds: range, names: _Names) -> tuple[list[Bind], Term]:
        carried = [local for local, _ in node.carried]
        binds = _named(node, carried, [self.anew(start, names) for _, start in node.carried])
        held = binds
        for index in rounds:
            starts: _Names = {old: Use(node.span, *each.targets) for old, each in zip(carried, held, strict=True)}
            made, inside = self._binds(node.body.binds, {**names, **starts, node.index: _literal(node, index)})
            result = node.body.result
            if not isinstance(result, term.MakeTuple) or len(result.items) != len(carried):
                raise _NotWritten
            held = _named(node, carried, [self.anew(item, inside) for item in result.items])
            binds = [*binds, *made, *held]
        return binds, term.MakeTuple(node.span, tuple(Use(node.span, *each.targets) for each in held))

    def _comprehension(self, node: term.Comprehension, rounds: range, names: _Names) -> tuple[list[Bind], Term]:
        binds, entries = list[Bind](), list[Term]()
        for index in rounds:
            made, inside = self._binds(node.body.binds, {**names, node.index: _literal(node, index)})
            more, entry = self._value(node.body.result, inside)
            local = Local(node.index.name, node.span)
            binds += [*made, *more, Bind(node.span, (local,), entry)]
            entries.append(Use(node.span, local))
        return binds, term.Call(node.span, builtins.LITERAL, tuple(entries), node.span)

    def _branch(self, node: term.Branch, names: _Names) -> tuple[list[Bind], Term]:
        """A choice in a round; of one by known numbers the side that is chosen."""
        chosen = decided(self.anew(node.condition, names))
        if not isinstance(chosen, bool):
            return [], self.anew(node, names)
        side = node.then if chosen else node.otherwise
        binds, inside = self._binds(side.binds, names)
        more, result = self._value(side.result, inside)
        return [*binds, *more], result

    def anew(self, node: Term, names: _Names) -> Term:
        """A term. One that stands in no round stays as it is if it holds no loop that is written out; in a round only
        a function does that is the same in all of them."""
        if not names and self._uneven.keys().isdisjoint(term.within([node])):
            return node
        if isinstance(node, term.Closure) and not any(
            isinstance(each, Use) and each.local in names for each in term.within([node])
        ):
            return node
        if node in self._uneven or self._allowance.left <= 1:
            raise _NotWritten
        self._allowance.left -= 1
        return self._with_parts(node, names)

    def _with_parts(self, node: Term, names: _Names) -> Term:
        def terms(found: Iterable[Term]) -> tuple[Term, ...]:
            return tuple(self.anew(each, names) for each in found)

        match node:
            case Use(local=local):
                return replace(names.get(local, node), span=node.span)
            case term.Call(args=args):
                return replace(node, args=terms(args))
            case term.Apply(function=function, args=args):
                return replace(node, function=self.anew(function, names), args=terms(args))
            case term.MakeTuple(items=items):
                return replace(node, items=terms(items))
            case term.Field(value=value):
                return replace(node, value=self.anew(value, names))
            case term.Branch(condition=condition, then=then, otherwise=otherwise):
                sides = self.body(then, names), self.body(otherwise, names)
                return replace(node, condition=self.anew(condition, names), then=sides[0], otherwise=sides[1])
            case term.Closure(methods=methods):
                return replace(node, methods=tuple(self._method(each, names) for each in methods))
            case term.Check(condition=condition, shown=shown):
                return replace(node, condition=self.anew(condition, names), shown=terms(shown))
            case term.Show(shown=shown):
                return replace(node, shown=terms(shown))
            case term.Loop() | term.Comprehension():
                return self._rounds(node, names)
            case term.Hole() | term.Scope():
                raise _NotWritten
        return node

    def _rounds(self, node: term.Rounds, names: _Names) -> Term:
        """A loop that stays one."""
        index = Local(node.index.name, node.index.span)
        locals_ = {local: Local(local.name, local.span) for local, _ in node.carried}
        anew = {local: Use(local.span, new) for local, new in locals_.items()}
        inside = {**names, **anew, node.index: Use(index.span, index)}
        first, last = self.anew(node.first, names), self.anew(node.last, names)
        step = None if node.step is None else self.anew(node.step, names)
        made = replace(node, index=index, first=first, step=step, last=last, body=self.body(node.body, inside))
        if isinstance(made, term.Comprehension):
            return made
        return replace(made, carried=tuple((locals_[old], self.anew(start, names)) for old, start in node.carried))

    def _method(self, method: term.Method, names: _Names) -> term.Method:
        locals_ = {param.local: Local(param.local.name, param.local.span) for param in method.params}
        inside = {**names, **{old: Use(old.span, new) for old, new in locals_.items()}}
        body = None if method.body is None else self.body(method.body, inside)
        return replace(
            method, params=tuple(replace(each, local=locals_[each.local]) for each in method.params), body=body
        )


_RELATIONS: Mapping[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}


def decided(node: Term) -> int | bool | None:
    """What is computed of small whole numbers that are written there, exactly as a run does; None for all else."""
    match node:
        case Literal(value=bool() as truth):
            return truth
        case Literal(value=Fraction() as number, integer=True) if abs(number) < _SMALL:
            return int(number)
        case term.Call(builtin=builtin, args=args, mutates=False, by=None):
            return _of_known(builtin, [decided(arg) for arg in args])
    return None


def _of_known(builtin: str, known: list[int | bool | None]) -> int | bool | None:
    match builtin, known:
        case "!", [bool() as truth]:
            return not truth
        case "&&" | "||", [bool() as first, bool() as second]:
            return first and second if builtin == "&&" else first or second
        case _, [bool(), _] | [_, bool()] | [None, _] | [_, None]:
            return None
        case "%", [int() as number, int() as by] if number >= 0 and by > 0:
            return number % by
        case relation, [int() as one, int() as other] if relation in _RELATIONS:
            return _RELATIONS[relation](one, other)
    return None


def _named(node: Term, names: Iterable[Local], values: Iterable[Term]) -> list[Bind]:
    """New names like these for values."""
    return [Bind(node.span, (Local(name.name, name.span),), value) for name, value in zip(names, values, strict=True)]


def _literal(node: term.Rounds, index: int) -> Literal:
    return Literal(node.index.span, Fraction(index), integer=True)
