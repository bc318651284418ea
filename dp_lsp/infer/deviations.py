"""Sums of squared deviations that are written out: Σ (vᵢ - m)² where m = Σ vᵢ / n is the mean of the same records.

Each summand reads all records by way of m, so what single records add says nothing of how far the sum moves. Together
the summands are one statistic of the records, which has a row of its own; their average is that by their number. One
summand alone is written as a product, which is the same number and cannot fail: it is at most the square of the range.
"""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.builtins.traits import Average, RecordCount
from dp_lsp.core import machine, term
from dp_lsp.core.annotation import Anything
from dp_lsp.core.term import Apply, Call, Closure, Literal, Local, Term, Use
from dp_lsp.core.types import Dataset, NumberType
from dp_lsp.core.values import replace
from dp_lsp.infer import calls
from dp_lsp.infer.inference import Inference
from dp_lsp.named import NamedTuple

_EACH = frozenset({builtins.MAKING, builtins.ENTRIES})
"""What makes something of each record."""


def as_statistic(inference: Inference, node: Call) -> Call:
    """A call that adds up or averages squared deviations as the statistic that this is, and one that makes them with
    products in place of squares; any other call as it is."""
    if node.keywords or node.mutates or not node.args:
        return node
    if node.builtin in _EACH:
        found = _Reader(inference).squares(node)
        return node if found is None else _with_product(node, found)
    averages = builtins.TABLE[node.builtin].has(Average)
    if len(node.args) > 1 or not (averages or node.builtin == builtins.TOTAL):
        return node
    found = _Reader(inference).squares(node.args[0])
    if found is None:
        return node
    records = Use(node.span, found.over)
    total = Call(node.span, builtins.DEVIATIONS, (records,), node.callee)
    count = Call(node.span, builtins.extent(1, 0)[0], (records,), node.callee)
    return Call(node.span, builtins.QUOTIENT, (total, count), node.callee) if averages else total


class _Squares(NamedTuple):
    """Squares of what each record of a dataset is more than their mean: what they are squares of in the function of one
    record that makes them."""

    over: Local
    base: Term


class _Each(NamedTuple):
    """What a function makes of each of several things, which have a name."""

    method: term.Method
    body: term.Body
    over: Use


def _with_product(node: Call, found: _Squares) -> Call:
    """A call that makes squares, as one that makes products."""
    each = _each(node)
    assert each is not None, "it was read"
    square = Call(found.base.span, builtins.TIMES, (found.base, found.base), found.base.span)
    method = replace(each.method, body=replace(each.body, result=square))
    return replace(node, args=(Closure(node.args[0].span, (method,)), each.over))


def _each(node: Term) -> _Each | None:
    """What a call makes, if its function is written there, gives what its text computes, and names one value in each of
    its steps."""
    match node:
        case Call(builtin=name, args=(Closure(methods=(method,)), Use() as over), keywords=()) if name in _EACH:
            pass
        case _:
            return None
    if method.body is None or len(method.params) != 1 or method.changes or method.privacy or method.boxed:
        return None
    single = all(len(bind.targets) == 1 for bind in method.body.binds)
    plain = single and machine.keeps(method.converts) and isinstance(method.result, Anything)
    return _Each(method, method.body, over) if plain else None


class _Reader:
    """Reads terms through the names that stand for what made them, and through 0 + x; it notes the names."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._made = dict(inference.context.made)
        self._seen: set[Local] = set()

    def squares(self, node: Term) -> _Squares | None:
        """What makes nothing but the squared deviations of numbers that lie between bounds: all that has a name in its
        functions is read."""
        made = self._each(node)
        base = None if made is None else self._base_of_square(made.body.result)
        if made is None or base is None:
            return None
        deviations, value = made, base
        if self._names(base, made.method.params[0].local):
            before = self._each(made.over)
            if before is None:
                return None
            deviations, value = before, before.body.result
        over, record = deviations.over.local, deviations.method.params[0].local
        if not self._is_bounded(over) or not self._is_deviation(value, record, over):
            return None
        steps = (target for each in (made, deviations) for bind in each.body.binds for target in bind.targets)
        return _Squares(over, base) if self._seen.issuperset(steps) else None

    def _each(self, node: Term) -> _Each | None:
        found = _each(self._computed(node))
        if found is not None:
            self._made.update((bind.targets[0], bind.term) for bind in found.body.binds)
        return found

    def _is_bounded(self, over: Local) -> bool:
        known = self._inference.context.environment.get(over)
        type_ = None if known is None else self._inference.type(known)
        element = type_.records.element if isinstance(type_, Dataset) and type_.records.rows is None else None
        return isinstance(element, NumberType) and element.bounds is not None

    def _computed(self, node: Term, named: Local | None = None) -> Term:
        """What computes a value; or, on the way there, the name that it has."""
        while True:
            match node:
                case Use(local=local) if local is not named and local in self._made:
                    self._seen.add(local)
                    node = self._made[local]
                case Call(builtin=builtins.PLUS, args=(first, more), mutates=False, by=None) if self._is_zero(first):
                    node = more
                case Apply():
                    return calls.called_by_name(self._inference, node) or node
                case _:
                    return node

    def _is_zero(self, node: Term) -> bool:
        found = self._computed(node) if isinstance(node, Use) else node
        return isinstance(found, Literal) and found.value == 0

    def _names(self, node: Term, local: Local) -> bool:
        """Whether a term is what a name stands for, perhaps by another one."""
        found = self._computed(node, local)
        return isinstance(found, Use) and found.local is local

    def _base_of_square(self, node: Term) -> Term | None:
        """What a number is the square of."""
        match self._computed(node):
            case Call(builtin=builtins.POWER, args=(base, Literal(value=2)), by=None):
                return base
            case Call(builtin=builtins.SQUARE, args=(base,), by=None):
                return base
            case Call(builtin=builtins.TIMES, args=(base, again), by=None) if self._is_same(base, again):
                return base
        return None

    def _is_same(self, one: Term, other: Term) -> bool:
        """Whether two terms are the same name, or the same difference of names."""
        one, other = self._computed(one), self._computed(other)
        match one, other:
            case Call(builtin=builtins.MINUS, args=(left, right)), Call(builtin=builtins.MINUS, args=(same, again)):
                return self._is_same_name(left, same) and self._is_same_name(right, again)
        return self._is_same_name(one, other)

    def _is_same_name(self, one: Term, other: Term) -> bool:
        one, other = self._computed(one), self._computed(other)
        return one is other or (isinstance(one, Use) and isinstance(other, Use) and one.local is other.local)

    def _is_deviation(self, node: Term, record: Local, over: Local) -> bool:
        """Whether a number is that of a record less the mean of all, or the other way round."""
        match self._computed(node):
            case Call(builtin=builtins.MINUS, args=(one, other), by=None):
                pairs = ((one, other), (other, one))
                return any(self._names(each, record) and self._is_mean(rest, over) for each, rest in pairs)
        return False

    def _is_mean(self, node: Term, over: Local) -> bool:
        match self._computed(node):
            case Call(builtin=builtins.QUOTIENT, args=(total, count), by=None):
                return self._is_total(total, over) and self._is_count(count, over)
            case Call(args=(given,), keywords=()) as call:
                return builtins.TABLE[call.builtin].has(Average) and self._names(given, over)
        return False

    def _is_total(self, node: Term, over: Local) -> bool:
        match self._computed(node):
            case Call(builtin=builtins.TOTAL, args=(given,), keywords=()):
                each = None if self._names(given, over) else self._each(given)
                if each is None:
                    return self._names(given, over)
                is_itself = not each.body.binds and self._names(each.body.result, each.method.params[0].local)
                return is_itself and self._names(each.over, over)
        return False

    def _is_count(self, node: Term, over: Local) -> bool:
        match self._computed(node):
            case Call(args=(given,), keywords=()) as call:
                counts = builtins.TABLE[call.builtin].trait(RecordCount)
                return counts is not None and not counts.some and self._names(given, over)
        return False
