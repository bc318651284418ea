"""Calls of private functions at distances that are no whole numbers: what is called is priced as if its mechanisms
stood at the call.

A function is private for a change of an argument by 1, and what it demands is about that. What moves its argument by d
moves the input of each of its mechanisms by d times as much as that (the law of calls), and what a mechanism costs is
known at any distance. So its tree is told in the numbers and variables of the caller, and that noise is made for what
it hides is demanded of the distance that there is: for ``sum(clamp(v, 0, b))`` and noise made for b that b is at most
b, and not that 1 is.

Where noise is enough for a change by 1 whatever its numbers are, and only the ratio of the distances counts, more is
paid for a larger distance, as for a number of steps, and nothing is demanded.
"""

from __future__ import annotations

from collections.abc import Mapping

from dp_lsp.core.algebra import Poly
from dp_lsp.core.constraints import Quantity, decide
from dp_lsp.core.evaluate import Substitution, norms_of
from dp_lsp.core.events import (
    NOTHING,
    Called,
    Cost,
    Distances,
    Either,
    Leak,
    Release,
    Repeat,
    Sequence,
    Var,
    nodes,
    numbers,
    variables,
)
from dp_lsp.core.ranges import is_too_far, ratio
from dp_lsp.core.sens import ONE, ZERO, Sens
from dp_lsp.core.values import replace
from dp_lsp.mechanisms.mechanism import Mechanism
from dp_lsp.named import NamedTuple

MOST = 100
"""Parts of a tree that are told anew, those of functions that are called included. What has more is not.

It is enough for 33 helpers that call one another, or for 97 releases in one; a limit of 10 is enough for three of
the ones or seven of the others. Trees of releases in a row cost little however long they are: a check of 480 takes 5 %
longer if they are told. Helpers that each call another one twice double them with every level: eight levels take 1.8
times as long to check with this limit as with 10, and 3.9 times with 1,000."""

_AS_IT_IS = Substitution({})


class InPlace(NamedTuple):
    """A tree as the caller tells it, and the distances that noise is demanded to be made for: each is at most the
    other one."""

    cost: Cost
    hidden: tuple[tuple[Sens, Sens], ...]


def is_wanted(along: Mapping[Var, Distances]) -> bool:
    """Whether something moves an argument by what is no number, or by less than 1."""
    return any(
        far.number is None or 0 < far.number < 1
        for moved in along.values()
        for far in moved.values()
        if not far.infinite
    )


def told(cost: Cost, values: Substitution, along: Mapping[Var, Distances]) -> InPlace | None:
    """The tree of what is called, where ``values`` are put for its symbols and the caller's variables move its own by
    ``along``. None where it holds more than mechanisms that are run a number of times, or is too large."""
    walk = _InPlace(values, along, _Found([], MOST))
    found = walk.cost(cost)
    if not walk.found.known or any(norms_of(number) for node in nodes(found) for number in numbers(node)):
        return None
    return InPlace(found, tuple(dict.fromkeys(walk.found.hidden)))


class _Found:
    """What was found on the way: whether all is understood, what must be hidden, and how many parts may follow."""

    def __init__(self, hidden: list[tuple[Sens, Sens]], left: int) -> None:
        self.hidden = hidden
        self.left = left
        self.known = True


class _InPlace:
    """The walk over a tree, inside of one call."""

    def __init__(self, values: Substitution, along: Mapping[Var, Distances], found: _Found) -> None:
        self._values = values
        self._along = along
        self.found = found

    def cost(self, cost: Cost) -> Cost:
        """A part of the tree as the caller tells it."""
        self.found.left -= 1
        if self.found.left < 0 or not self.found.known:
            self.found.known = False
            return NOTHING
        match cost:
            case Release(one_way=one_way) if not one_way:
                return self._release(cost)
            case Leak(variables=leaked):
                return replace(cost, variables=frozenset(var for each in leaked for var in self._along.get(each, ())))
            case Sequence(parts=parts) | Either(parts=parts):
                return replace(cost, parts=tuple(map(self.cost, parts)))
            case Repeat(places=places) if not places:
                return replace(cost, count=self._values.sens(cost.count), body=self.cost(cost.body))
            case Called(answers=answers) if not answers:
                return self._called(cost)
        self.found.known = False
        return NOTHING

    def _called(self, cost: Called) -> Called:
        put = {symbol: self._put(value) for symbol, value in cost.values.symbols.items()}
        inner = Substitution({**self._values.symbols, **put}, {**self._values.norms, **cost.values.norms})
        along = {param: self._moved(moved) for param, moved in cost.along.items()}
        body = _InPlace(inner, along, self.found).cost(cost.body)
        return as_called(cost, body)

    def _put(self, value: Quantity) -> Quantity:
        return self._values.poly(value) if isinstance(value, Poly) else self._values.sens(value)

    def _moved(self, moved: Distances) -> Distances:
        """How far the caller's variables move what the variables of the tree move by so much."""
        found: dict[Var, Sens] = {}
        for param, far in moved.items():
            each = self._values.sens(far)
            for var, outside in self._along.get(param, {}).items():
                found[var] = found.get(var, ZERO) + each * outside
        return {var: far for var, far in found.items() if not far.zero}

    def _release(self, cost: Release) -> Release:
        put = self._values.sens
        event, moved, demanded = cost.event.put(put), self._moved(cost.distance), cost.demanded
        hidden = [(far, event.declared) for var, far in moved.items() if demanded and not var.members]
        if not all(decide(far, "<=", declared) for far, declared in hidden):
            own = (put(far) for param, far in cost.distance.items() if self._along.get(param))
            is_enough = all(decide(far, "<=", event.declared) for far in own)
            demanded = not (is_enough and _is_known_at_any(event, moved))
            if demanded:
                self.found.known &= not (is_enough and any(is_too_far(*each) for each in hidden))
                self.found.hidden += hidden
        quietest = None if cost.quietest is None else cost.quietest.put(put)
        return replace(cost, event=event, distance=moved, factor=put(cost.factor), quietest=quietest, demanded=demanded)


def as_called(call: Called, body: Cost) -> Called:
    """A call of a tree that is told as the caller does."""
    return replace(call, body=body, along={var: {var: ONE} for var in variables(body)}, values=_AS_IT_IS)


def _is_known_at_any(event: Mechanism, moved: Distances) -> bool:
    """Whether what a mechanism costs is known at these distances, however far they are: in proportion to each."""
    declared = event.declared
    return (
        event.is_proportional
        and len(declared.polys) == 1
        and not any(ratio(far, declared.single_poly()).infinite for far in moved.values())
    )
