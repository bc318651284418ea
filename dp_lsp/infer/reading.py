"""A symbolic reader of terms: names are replaced by the terms that they are bound to, and calls of functions without
side effects are inlined, where a rule needs more of a term than its judgement.

An inlined function is written where it is read, or is defined by one method, so that it does the same with whatever it
is given, or fails. Equal terms have equal values wherever they are written, unless they are random: these are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import islice
from typing import Concatenate, ParamSpec, TypeVar

from dp_lsp import builtins
from dp_lsp.builtins.traits import Broadcasts, ByRecord
from dp_lsp.core import machine, term
from dp_lsp.core.algebra import Poly
from dp_lsp.core.scheme import FunctionValue, Judgement
from dp_lsp.core.term import Apply, Body, Call, Closure, Literal, Local, MakeTuple, Term, Use
from dp_lsp.infer.inference import Inference
from dp_lsp.named import NamedTuple

_EXACT: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {
    "+": Fraction.__add__,
    "-": Fraction.__sub__,
    "*": Fraction.__mul__,
}
_ROUNDED: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {**_EXACT, "/": Fraction.__truediv__}
_MOST_EXACT = 2**53  # below it all whole numbers are stored as they are, also as numbers with a point
_DEEPEST, _LONGEST, _LONGEST_TEXT = 60, 3000, 100

P = ParamSpec("P")
R = TypeVar("R")
Self = TypeVar("Self", bound="Reading")


class Unread(Exception):
    """A term of which nothing is read."""


class Later:
    """A term that a name stands for, and where it is written. Another one is another value, for all that is known."""

    __slots__ = ("scope", "term")

    def __init__(self, term: Term, scope: Scope) -> None:
        self.term = term
        self.scope = scope


class Scope(NamedTuple):
    """What the names stand for that belong to functions which are read: a number, a term that is written elsewhere, or
    something that a reader knows. ``call`` is that of the innermost function that was called."""

    names: Mapping[Local, Hashable]
    call: object = None

    def with_name(self, local: Local, stands: Hashable) -> Scope:
        """The same, where one more name stands for something."""
        return self._replace(names={**self.names, local: stands})


OUTSIDE = Scope({})
"""Of no function that is called."""


def deeper(method: Callable[Concatenate[Self, P], R]) -> Callable[Concatenate[Self, P], R]:
    """A step of reading: of them not too many may lie in each other, nor be taken at all."""

    def step(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if self.depth == _DEEPEST or self.steps == _LONGEST:
            raise Unread
        self.depth, self.steps = self.depth + 1, self.steps + 1
        try:
            return method(self, *args, **kwargs)
        finally:
            self.depth -= 1

    return step


class Reading:
    """Resolves names, inlines calls, and reads public numbers. Raises :class:`Unread` where a term cannot be read."""

    def __init__(self, inference: Inference) -> None:
        self.depth = self.steps = 0
        self._inference = inference

    # Names

    def stands_for(self, node: Term, scope: Scope) -> tuple[Term, Scope]:
        """The term that a local name is bound to, with its scope."""
        while isinstance(node, Use) and isinstance(stands := scope.names.get(node.local), Later):
            node, scope = stands.term, stands.scope
        return node, scope

    def made(self, node: Term, scope: Scope) -> tuple[Term, Scope]:
        """The term that computed a value, with its scope, where there is one; else the term itself."""
        return self.followed(node, scope, (Use, Call, Closure, Apply))

    def followed(self, node: Term, scope: Scope, to: tuple[type[Term], ...]) -> tuple[Term, Scope]:
        """A term for what a name stands for, and then for what made that, as long as these are such terms."""
        for _ in range(_DEEPEST):
            node, scope = self.stands_for(node, scope)
            if not isinstance(node, Use) or node.local in scope.names:
                return node, scope
            made = self._inference.context.made.get(node.local)
            if made is None or not isinstance(made, to):
                return node, scope
            node = made
        raise Unread

    def identity(self, local: Local, scope: Scope) -> Hashable:
        """A key that is equal for names that are bound to the same value."""
        stands = scope.names.get(local, local)
        if not isinstance(stands, Later):
            return stands
        node, where = self.stands_for(stands.term, stands.scope)
        if isinstance(node, Use):
            return where.names.get(node.local, node.local)
        return (node.value, node.integer) if isinstance(node, Literal) else stands

    def identities(self, scope: Scope) -> Hashable:
        """What tells apart what all names stand for."""
        return frozenset((local, self.identity(local, scope)) for local in scope.names), scope.call

    def captured(self, node: Term, scope: Scope) -> Iterator[Local]:
        """The names outside of all functions that a term reads, by itself or by what its names stand for."""
        pending, seen = [Later(node, scope)], set[Later]()
        while pending:
            now = pending.pop()
            for part in term.within([now.term]):
                stands = now.scope.names.get(part.local) if isinstance(part, Use) else None
                if isinstance(stands, Later) and stands not in seen:
                    seen.add(stands)
                    pending.append(stands)
                elif isinstance(part, Use) and stands is None and part.local in self._inference.context.environment:
                    yield part.local

    # Functions

    def called(self, node: Apply, scope: Scope) -> tuple[Term, Scope]:
        """The body's value of a called function, with the scope of its parameters."""
        function, around = self.made(node.function, scope)
        method = self.method(function)
        names = {param.local: Later(arg, scope) for param, arg in _arguments(method, node)}
        assert method.body is not None, "it has one"
        return self.inside(method.body, Scope({**around.names, **names}, (id(node), self.identities(scope))))

    def applied(self, node: Term, scope: Scope, argument: Hashable) -> tuple[Term, Scope]:
        """The same for a function of one argument that is given."""
        function, around = self.made(node, scope)
        method = self.method(function)
        if len(method.params) != 1:
            raise Unread
        assert method.body is not None, "it has one"
        return self.inside(method.body, around.with_name(method.params[0].local, argument))

    def inside(self, body: Body, scope: Scope) -> tuple[Term, Scope]:
        """The value of a block, with the scope of its names."""
        for bind in body.binds:
            items: Sequence[Term] = (bind.term,)
            if len(bind.targets) > 1 and isinstance(bind.term, MakeTuple):
                items = bind.term.items
            if not bind.targets or len(items) != len(bind.targets):
                raise Unread
            scope = scope._replace(
                names={**scope.names, **{t: Later(i, scope) for t, i in zip(bind.targets, items, strict=True)}}
            )
        return body.result, scope

    def method(self, function: Term) -> term.Method:
        """The only method of a function that computes what it says: it changes nothing, and nothing is converted."""
        methods = self._methods(function)
        if len(methods) != 1:
            raise Unread
        (method,) = methods
        if method.body is None or method.changes or method.privacy or not machine.keeps(method.converts):
            raise Unread
        return method

    def _methods(self, function: Term) -> Sequence[term.Method]:
        if isinstance(function, Closure):
            return function.methods
        found = self._inference.context.resolve(function.name) if isinstance(function, term.Global) else None
        if not isinstance(found, FunctionValue) or found.black_box is not None or found.choices:
            return ()
        known = [each.template.method for each in found.methods if each.template is not None]
        return known if len(known) == len(found.methods) else ()

    # Public numbers

    def public(self, node: Term, scope: Scope) -> Poly:
        """The formula of a public number. Raises :class:`Unread` if it is none."""
        node, scope = self.stands_for(node, scope)
        if isinstance(node, Literal) and not isinstance(node.value, bool):
            return Poly.of(node.value)
        if isinstance(node, Use):
            stands = scope.names.get(node.local)
            if isinstance(stands, Fraction):
                return Poly.of(stands)
            known = self._inference.context.environment.get(node.local) if stands is None else None
            static = None if known is None else self._inference.static(known)
            if static is not None:
                return static
        if isinstance(node, term.Global):
            constant = self._inference.context.resolve(node.name)
            static = self._inference.static(constant) if isinstance(constant, Judgement) else None
            if static is not None:
                return static
        if isinstance(node, Call) and node.builtin in _EXACT and len(node.args) <= 2 and not node.keywords:
            return self._computed(node, scope)
        raise Unread

    @deeper
    def _computed(self, node: Call, scope: Scope) -> Poly:
        parts = [self.public(each, scope) for each in node.args]
        if node.builtin == "*":
            return reduce(Poly.__mul__, parts)
        if node.builtin == "+":
            return reduce(Poly.__add__, parts)
        return parts[0] - parts[1] if len(parts) == 2 else -parts[0]

    def public_or_none(self, node: Term, scope: Scope) -> Poly | None:
        """The formula of a public number, None if it is none."""
        try:
            return self.public(node, scope)
        except Unread:
            return None

    def stored(self, node: Term, scope: Scope, depth: int = _DEEPEST) -> Fraction | None:
        """A number that is written out, as it is stored, also as an element of a list that is; and what is computed of
        such numbers, rounded as that is: to the nearest number with 53 digits, ties to even (IEEE 754). Whole numbers
        that have no more are exact."""
        node, scope = self.followed(node, scope, (Use, Literal, Call, Apply))
        if isinstance(node, Literal) and not isinstance(node.value, bool):
            return node.value if node.integer else Fraction(float(node.value))
        if isinstance(node, Use) and isinstance(value := scope.names.get(node.local), Fraction):
            return value if value.denominator == 1 else Fraction(float(value))
        if isinstance(node, term.Global):
            constant = self.public_or_none(node, scope)  # a whole one is stored as it is, also with a point
            value = None if constant is None else constant.number
            return value if value is not None and value.denominator == 1 and abs(value) < _MOST_EXACT else None
        if isinstance(node, Apply) and depth:
            return self.stored(*self.called(node, scope), depth - 1)
        if isinstance(node, Call) and node.builtin == builtins.INDEX and len(node.args) == 2 and depth:
            return self._element(node, scope, depth - 1)
        if not isinstance(node, Call) or node.builtin not in _ROUNDED or not 1 <= len(node.args) <= 2 or not depth:
            return None
        parts = [self.stored(each, scope, depth - 1) for each in node.args]
        known = [each for each in parts if each is not None and abs(each) < _MOST_EXACT]
        if len(known) < len(parts):
            return None
        if len(known) == 1:
            return -known[0] if node.builtin == "-" else known[0] if node.builtin == "+" else None
        if node.builtin == "/" and not known[1]:
            return None
        found = _ROUNDED[node.builtin](*known)
        return Fraction(float(found)) if abs(found) < _MOST_EXACT else None

    def _element(self, node: Call, scope: Scope, depth: int) -> Fraction | None:
        """An element of a list that is written out."""
        written, around = self.made(node.args[0], scope)
        place = self.stored(node.args[1], scope, depth)
        if not isinstance(written, Call) or written.builtin != builtins.LITERAL or written.keywords or place is None:
            return None
        if place.denominator != 1 or not 1 <= place <= len(written.args):
            return None
        found = self.stored(written.args[int(place) - 1], around, depth)
        return found if found is not None and abs(found) < _MOST_EXACT else None


_COMPUTES = Literal | Use | Call | Closure | MakeTuple | term.Global | term.Branch | term.Written


def is_readable(method: term.Method) -> bool:
    """Whether a method is read where it is called though it has annotations: a short one, that computes what it says
    and calls no other function. So who calls it depends on its text, but who calls those does not."""
    if method.body is None or method.changes or method.privacy:
        return False
    seen = list(islice(term.within(term.of_body(method.body)), _LONGEST_TEXT + 1))
    return len(seen) <= _LONGEST_TEXT and all(isinstance(each, _COMPUTES) for each in seen)


def _arguments(method: term.Method, node: Apply) -> Iterator[tuple[term.Param, Term]]:
    """What a call gives to each parameter: the last arguments are given by their names, and what is left out is what
    its definition says."""
    count = len(node.args) - len(node.keywords)
    named = dict(zip(node.keywords, node.args[count:], strict=True))
    placed = [param for param in method.params if not param.by_name]
    if count > len(placed) or len(named) < len(node.keywords):
        raise Unread
    given = dict(zip(placed, node.args[:count], strict=False))
    for param in method.params:
        argument = given.get(param)
        if argument is None and (param.by_name or param.either_way):
            argument = named.pop(param.local.name, None)
        argument = param.default if argument is None else argument
        if argument is None:
            raise Unread
        yield param, argument
    if named:
        raise Unread


def of_records(node: Term) -> ByRecord | None:
    """What a term does record by record. A broadcast over several things is not read."""
    if isinstance(node, Call) and len(node.args) > 2 and builtins.TABLE[node.builtin].has(Broadcasts):
        return None
    return builtins.TABLE[node.builtin].trait(ByRecord) if isinstance(node, Call) and not node.mutates else None
