"""What a top-level name means to those who use it, as a digest: equal digests, equal meaning.

Meanings are written down by structure. Symbols, norms, variables and open types are numbered in the order in which
they are met, so that two of one name are never taken for each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from time import time_ns
from typing import NamedTuple, Protocol, TypeVar
from weakref import WeakKeyDictionary

from dp_lsp.core.algebra import Argument, Atom, NormVariable, Poly, Symbol
from dp_lsp.core.constraints import Constraint
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import (
    Answer,
    Awaited,
    Called,
    Cost,
    Distances,
    Either,
    Event,
    Gaussian,
    GaussianNoise,
    Leak,
    Opaque,
    Parallel,
    RandomizedResponse,
    Release,
    Repeat,
    Sampled,
    Sequence,
    Var,
    known_of,
)
from dp_lsp.core.scheme import FunctionValue, Given, Judgement, Open, Scheme, Unit
from dp_lsp.core.sens import ONE, Sens
from dp_lsp.core.term import NormArgument, TruthArgument, TypeArgument
from dp_lsp.core.types import (
    AnyNorm,
    BoolType,
    Bounds,
    Boxed,
    Container,
    Dataset,
    FunctionType,
    ModelType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    Unknown,
)
from dp_lsp.infer.inference import Global, Unreadable

SIZE = 16
"""How many bytes a digest has."""

_DEEPEST = 100  # functions inside functions


def digest(value: Global | Unreadable | None) -> bytes:
    """The digest of what a name means; None is a name without a meaning."""
    return _hash(_Writer().meaning(value)).digest()


def _hash(text: str) -> hashlib.blake2b:
    return hashlib.blake2b(text.encode(), digest_size=SIZE)


class _Numbered(Protocol):
    @property
    def uid(self) -> int: ...


_N = TypeVar("_N", bound=_Numbered)


def _in_order(things: Iterable[_N]) -> list[_N]:
    """The elements of a set in the order in which they were made, which is the same whenever they are made anew."""
    return sorted(things, key=lambda each: each.uid)


class _Tree(NamedTuple):
    """A tree of events, written down by itself: its digest, and what it leaves open, in the order of its numbers."""

    digest: str
    open: tuple[object, ...]


_trees: WeakKeyDictionary[Cost, _Tree] = WeakKeyDictionary()


def _tree(cost: Cost) -> _Tree:
    writer = _Writer()
    text = writer.cost(cost)
    return _Tree(_hash(text).hexdigest(), writer.numbered())


class _Writer:
    """Writes meanings down. What is shared is written once and then referred to."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._written: dict[object, str] = {}
        self._nested = 0

    def numbered(self) -> tuple[object, ...]:
        """All that has a number, in order."""
        return tuple(self._numbers)

    def meaning(self, value: Global | Unreadable | None) -> str:
        match value:
            case None:
                return "nothing"
            case Unreadable(name, reason, accepted):
                return f"unreadable {name}: {reason} {accepted}"
            case FunctionValue():
                return self._function(value)
            case Judgement():
                return self._judgement(value)

    def _function(self, value: FunctionValue) -> str:
        """A function. One that is made of too many others gets a digest that is never met again."""
        box = value.black_box
        known = self._written.get(value)
        if known is not None:
            return known
        self._written[value] = f"#{len(self._written)}"
        if self._nested > _DEEPEST:
            return f"{time_ns()} {id(value)}"
        if box is None:
            self._nested += 1
            methods = "\n".join(map(self._scheme, value.methods))
            choices = "\n".join(map(self._function, value.choices))
            self._nested -= 1
            return f"function {value.name} {methods} one of {choices}"
        types = ", ".join("Any" if type_ is None else self._type(type_) for type_ in box.params)
        return f"black box {box.name}({types}) {box.captures}"

    def _scheme(self, scheme: Scheme) -> str:
        template = "" if scheme.template is None else scheme.template.version.hex()
        head = f"{scheme.name}{scheme.signature} {scheme.claims_privacy} {scheme.floats} {scheme.reason} {template}"
        head += f" {scheme.premises}"
        params = [
            f"{param.name} {self._var(param.var)} {self._type(param.type)} {param.static} {param.declared!r}"
            f" {self._unit(param.unit)}"
            for param in scheme.params
        ]
        failing = None if scheme.failing is None else sorted(map(self._var, _in_order(scheme.failing)))
        owned = sorted(map(self._symbol, _in_order(scheme.owned.symbols)))
        owned += sorted(map(self._norm, _in_order(scheme.owned.norms)))
        owned += sorted(map(self._type, _in_order(scheme.owned.types)))
        body = [
            self._judgement(scheme.result),
            self.cost(scheme.cost),
            f"fails {failing}",
            *map(self._need, scheme.needs),
            *map(self._open, scheme.opens),
        ]
        return "\n".join([head, *params, *body, *owned])

    def _unit(self, unit: Unit | None) -> str:
        return "" if unit is None else f"{self._poly(unit.records)} {unit.whole} {unit.uneven}"

    def _judgement(self, value: Judgement) -> str:
        moved = sorted(f"{self._var(var)}: {self._sens(move.sens)} {move.way}" for var, move in value.moves.items())
        reach = "" if value.reach is None else f"within {self._sens(value.reach.radius)}"
        return f"{self._type(value.type)} {moved} {reach} [{'; '.join(map(self._judgement, value.parts))}]"

    def _need(self, need: Constraint) -> str:
        left, right = self._argument(need.left), self._argument(need.right)
        return f"{left} {need.relation} {right}: {need.origin.reason}"

    # Costs

    def cost(self, cost: Cost) -> str:
        known = self._written.get(cost)
        if known is not None:
            return known
        self._written[cost] = f"#{len(self._written)}"
        match cost:
            case Release(event=event, distance=distance, factor=factor):
                return f"release {self._event(event)} {self._distances(distance)} {self._sens(factor)}"
            case Leak(variables=variables):
                return f"leak {sorted(map(self._var, _in_order(variables)))}"
            case Sequence(parts=parts) | Either(parts=parts):
                return f"{type(cost).__name__}({', '.join(map(self.cost, parts))})"
            case Repeat(count=count, body=body):
                return f"repeat {self._sens(count)} {self.cost(body)}"
            case Sampled(scheme, draws, rows, along, record, aligned, body):
                size = f"{scheme.value} {self._sens(draws)} of {self._sens(rows)} {aligned} {self._var(record)}"
                return f"sampled {size} {self._along(along)} {self.cost(body)}"
            case Parallel(part, along=moved, body=body):
                return f"parallel {self._var(part)} {self._distances(moved)} {self.cost(body)}"
            case Awaited(callee=callee, along=moved_by, stepped=stepped):
                return f"awaited {self._opaque(callee)} {[self._distances(moved) for moved in moved_by]} {stepped}"
            case Called():
                return f"called {self._applied(cost.body, cost.values, cost.along, cost.answers)}"

    def _applied(
        self,
        body: Cost,
        values: Substitution,
        along: Mapping[Var, Distances],
        answers: Mapping[Opaque, Answer | Opaque],
    ) -> str:
        """The tree of a callee, and what is put there for all that it does not settle itself."""
        tree = known_of(body, _trees, _tree)
        put = []
        for thing in tree.open:
            match thing:
                case Var():
                    put.append(str(self._distances(along.get(thing, {}))))
                case Opaque() if thing in answers:
                    put.append(self._answer(answers[thing]))
                case Opaque():
                    put.append(self._opaque(thing))
                case NormVariable():
                    put.append(self._norm(values.norm(thing)))
                case Symbol():
                    known = values.symbols.get(thing)
                    put.append(self._symbol(thing) if known is None else self._argument(known))
        return f"{tree.digest}({', '.join(put)})"

    def _open(self, each: Open) -> str:
        callee = each.callee if isinstance(each.callee, str) else self._type(each.callee)
        given = [self._given(value) for value in each.arguments]
        factors = [self._sens(factor) for factor in each.factors]
        release = "" if each.release is None else self._opaque(each.release)
        return f"open {callee}({', '.join(given)}) {self._type(each.result)} {factors} {release}"

    def _given(self, given: Given) -> str:
        if isinstance(given, NormArgument):
            return given.norm.value
        if isinstance(given, TruthArgument):
            return repr(given.value)
        return repr(given.type) if isinstance(given, TypeArgument) else self._type(given)

    def _opaque(self, opaque: Opaque) -> str:
        return f"{opaque.name}{self._number(opaque)} {[self._symbol(each) for each in opaque.epsilon + opaque.delta]}"

    def _answer(self, answer: Answer | Opaque) -> str:
        if isinstance(answer, Opaque):
            return self._opaque(answer)
        places = {var: {var: ONE} for var in answer.params}
        return f"{[self._var(var) for var in answer.params]} {self._applied(answer.body, answer.values, places, {})}"

    def _event(self, event: Event) -> str:
        sizes = [event.declared]
        sizes += [event.multiplier] if isinstance(event, GaussianNoise) else [event.epsilon]
        if isinstance(event, Gaussian):
            sizes.append(event.delta)
        if isinstance(event, RandomizedResponse):
            sizes.append(event.answers)
        return f"{type(event).__name__}({', '.join(map(self._sens, sizes))})"

    def _distances(self, distances: Distances) -> list[str]:
        return sorted(f"{self._var(var)}: {self._sens(sens)}" for var, sens in distances.items())

    def _along(self, along: Mapping[Var, Distances]) -> str:
        return str(sorted((self._var(var), self._distances(moved)) for var, moved in along.items()))

    # Types and numbers

    def _type(self, type_: Type) -> str:
        match type_:
            case NumberType(base, static, bounds):
                known = "" if static is None else f"={self._poly(static)}"
                return base.value + known + ("" if bounds is None else f" in {self._bounds(bounds)}")
            case Container(kind, norm, clip, length, element, rows):
                size = f"{'' if rows is None else self._poly(rows)} x {self._poly(length)}"
                return f"{kind.value}<{self._norm(norm)} {clip.value}>[{size}]{{{self._type(element)}}}"
            case Dataset(metric, records, least, radius):
                limits = ["" if each is None else self._poly(each) for each in (least, radius)]
                return f"{metric.value} of {self._type(records)} {limits}"
            case ModelType(size):
                return f"model {self._poly(size)}"
            case TupleType(items):
                return f"({', '.join(map(self._type, items))})"
            case FunctionType(value):
                return self._function(value)
            case TypeVariable(name, releases):
                return f"type {name}{releases:d}{self._number(type_)}"
            case Boxed(name):
                return f"result of {name}"
            case BoolType() | Unknown():
                return type(type_).__name__

    def _bounds(self, bounds: Bounds) -> str:
        return f"[{self._poly(bounds.low)}, {self._poly(bounds.high)}]"

    def _sens(self, value: Sens) -> str:
        return "∞" if value.infinite else f"greatest{sorted(map(self._poly, value.polys))}"

    def _poly(self, value: Poly) -> str:
        terms = (
            f"{coefficient.numerator:x}/{coefficient.denominator:x}*"
            + "*".join(sorted(f"{self._atom(atom)}^{power}" for atom, power in monomial))
            for monomial, coefficient in value.terms.items()
        )
        return " + ".join(sorted(terms))

    def _atom(self, atom: Atom) -> str:
        if isinstance(atom, Symbol):
            return self._symbol(atom)
        known = self._written.get(atom)
        if known is None:
            known = f"{atom.function.value}({', '.join(map(self._argument, atom.args))})"
            if len(known) > 100:
                known = _hash(known).hexdigest()
            self._written[atom] = known
        return known

    def _argument(self, arg: Argument) -> str:
        match arg:
            case Poly():
                return self._poly(arg)
            case NormVariable():
                return self._norm(arg)
        return self._sens(arg)

    def _symbol(self, symbol: Symbol) -> str:
        return f"{symbol.name}{self._number(symbol)}"

    def _norm(self, norm: AnyNorm) -> str:
        return f"{norm.name}{self._number(norm)}{norm.free}" if isinstance(norm, NormVariable) else norm.value

    def _var(self, var: Var) -> str:
        return f"{var.name}{self._number(var)}{var.gap:d}{var.public:d}{var.members}{var.only_drawn}"

    def _number(self, thing: object) -> str:
        """A mark that tells a thing from all others written so far."""
        return f"'{self._numbers.setdefault(thing, len(self._numbers))}"
