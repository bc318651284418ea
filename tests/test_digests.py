"""What is remembered is remembered under all that it is made of: every field of every class that takes part counts,
found by reflection, unless its class says with a reason that it does not."""

from __future__ import annotations

import sys
import typing
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import is_dataclass
from enum import Enum
from fractions import Fraction
from itertools import count, islice
from types import NoneType, UnionType
from typing import Any, get_args, get_origin

import pytest

from attack.edits import EDITS, Edited, Forgotten
from dp_lsp.analysis.records import Options
from dp_lsp.core import algebra, events, scheme, sens, types
from dp_lsp.core.algebra import NormVariable, Symbol
from dp_lsp.core.evaluate import Substitution
from dp_lsp.core.events import Answer, Called, EffectVariable, Release, Var, sequence
from dp_lsp.core.linear import All, Piece
from dp_lsp.core.scheme import FunctionValue, Judgement
from dp_lsp.core.sens import INFINITY, ONE, Sens
from dp_lsp.core.types import Norm
from dp_lsp.core.values import digested, left_out
from dp_lsp.engine.check import Engine
from dp_lsp.engine.module import Module
from dp_lsp.engine.premises import Premises, digest
from dp_lsp.engine.task import Task
from dp_lsp.infer.context import UnknownGlobal
from dp_lsp.later import Later
from dp_lsp.mechanisms import noise, selection
from dp_lsp.mechanisms.noise import Laplace
from dp_lsp.problem import Kind
from dp_lsp.text import Span

LATE = {
    "Sens": sens.Sens,
    "FunctionValue": scheme.FunctionValue,
    "Cost": events.Cost,
    "Mechanism": noise.Laplace
    | noise.Gaussian
    | noise.GaussianNoise
    | selection.Exponential
    | selection.NoisyMax
    | selection.AboveThreshold
    | selection.RandomizedResponse,
    "Constraint": scheme.Constraint,
    "Type": types.Type,
    "Poly": algebra.Poly,
}
"""What modules name in annotations and import for type checkers only, or define further below."""

LEFT_OUT = {
    "Apply": {"uid", "depth", "size"},
    "Awaited": {"origin"},
    "Called": {"origin"},
    "FunctionValue": {"home"},
    "Leak": {"origin"},
    "Meaning": {"_value"},
    "Judgement": {"form"},
    "Move": {"span", "rule", "factors", "before", "subject"},
    "NormArgument": {"span"},
    "NormVariable": {"uid"},
    "Open": {"span"},
    "Origin": {"span"},
    "Parallel": {"origin"},
    "Parts": {"origin"},
    "Poly": {"_hash"},
    "Release": {"origin"},
    "Repeat": {"origin"},
    "Sampled": {"origin"},
    "SchemeParameter": {"span"},
    "Sens": {"_hash"},
    "InferenceSetting": {"text", "language", "rules", "resolve", "broken", "usual", "metric"},
    "Substitution": {"_polys", "_sens", "idle"},
    "Symbol": {"uid"},
    "TruthArgument": {"span"},
    "TypeArgument": {"span"},
    "TypeVariable": {"uid"},
    "InferenceUnit": {"chunk", "lowered", "broken", "syntax", "names", "remarks", "uses", "mentions"},
    "Var": {"uid"},
    "_Template": {"method"},
}
"""What is no part of digests. A new entry is a decision: nothing that is said of one definition may depend on what the
field holds in another."""

_fresh = count(10**6)


def hints(cls: type) -> dict[str, Any]:
    """The types of the fields of a class; those of a class with slots are those of what makes it."""
    of = cls if is_dataclass(cls) or issubclass(cls, tuple) else cls.__init__
    written = {name.lstrip("_"): hint for name, hint in of.__annotations__.items()}
    fields = {name: written[name.lstrip("_")] for name in digested(cls)}
    return typing.get_type_hints(
        type(cls.__name__, (), {"__annotations__": fields, "__module__": cls.__module__}), localns=LATE
    )


def parts(hint: Any) -> Iterator[Any]:
    """The classes that values of a type are made of, at once."""
    if isinstance(hint, type) and get_origin(hint) is None:
        yield from implementing(hint)
    for inner in get_args(hint) if get_origin(hint) is not type else ():
        if inner is not Ellipsis:
            yield from parts(inner)


def everything() -> Iterator[type]:
    """All classes of the package that are loaded."""
    for name, module in list(sys.modules.items()):
        if name.startswith("dp_lsp"):
            yield from (each for each in vars(module).values() if isinstance(each, type) and each.__module__ == name)


def implementing(cls: type) -> list[type]:
    """A class, or those that say that they do what a protocol wants."""
    return [each for each in everything() if cls in each.__bases__] if getattr(cls, "_is_protocol", False) else [cls]


def is_made_of_fields(cls: type) -> bool:
    return cls.__module__.startswith("dp_lsp") and not issubclass(cls, Enum)


def taking_part(*of: type) -> list[type]:
    """All classes with fields that these are made of."""
    pending = [*of]
    found: dict[type, None] = {}
    while pending:
        cls = pending.pop()
        if cls not in found and is_made_of_fields(cls):
            found[cls] = None
            pending += (part for hint in hints(cls).values() for part in parts(hint))
    return list(found)


class Sampler:
    """Makes values of types that are different, and the same ones whenever it is asked anew."""

    def __init__(self) -> None:
        self._open: list[type] = []
        self._known: dict[type, list[Any]] = {}

    def some(self, hint: Any) -> list[Any]:
        """At least two different values of a type, if there are two."""
        origin, inner = get_origin(hint), get_args(hint)
        if hint in SIMPLE:
            return list(SIMPLE[hint])
        if origin in (typing.Union, UnionType):
            return [value for each in self._possible(inner) for value in islice(self.some(each), 2)]
        if origin is tuple and inner[-1] is Ellipsis:
            each = self.some(inner[0]) if self._is_possible(inner[0]) else []
            return [(), *((value,) for value in each), *([tuple(each[:2])] if each[1:] else [])]
        if origin is tuple:
            return [tuple(row) for row in varied([self.some(each) for each in inner])]
        if origin is frozenset:
            each = self.some(inner[0])
            return [frozenset(), *(frozenset(each[:size]) for size in range(1, 1 + len(each[:2])))]
        if origin is not None and issubclass(origin, Mapping):
            keys, values = (self.some(each) for each in inner)
            return [{}, *({keys[0]: value} for value in values), *({key: values[0]} for key in keys[1:2])]
        if origin is Later:
            return [Later.known(each) for each in self.some(*inner)]
        if origin is type:
            return [Kind.registry["DP101"], Kind.registry["DP102"]]
        if issubclass(hint, Enum):
            return list(hint)[:2]
        return [value for cls in implementing(hint) for value in self._two(cls)]

    def _two(self, cls: type) -> list[Any]:
        if cls not in self._known:
            self._known[cls] = self.of_class(cls)[:2]
        return self._known[cls]

    def of_class(self, cls: type) -> list[Any]:
        """Values of a class with fields: one, and for each field one that differs in nothing else."""
        if cls in MADE:
            return MADE[cls]()
        self._open.append(cls)
        fields = {name: self.some(hint) for name, hint in hints(cls).items()}
        self._open.pop()
        return [made(cls, dict(zip(fields, row, strict=True))) for row in varied(list(fields.values()))]

    def _possible(self, inner: tuple[Any, ...]) -> list[Any]:
        return [each for each in inner if self._is_possible(each)] or [inner[0]]

    def _is_possible(self, hint: Any) -> bool:
        """Whether a value of a type can be made without one of those that are being made."""
        return all(self._open.count(cls) < 2 for cls in parts(hint))


def varied(choices: list[list[Any]]) -> Iterator[list[Any]]:
    """The first choice of each, and then every other one of one of them."""
    yield [each[0] for each in choices]
    for place, each in enumerate(choices):
        for other in each[1:]:
            yield [*(before[0] for before in choices[:place]), other, *(after[0] for after in choices[place + 1 :])]


def made(cls: type, fields: dict[str, Any]) -> Any:
    """A value of a class with these fields; those that are no part of digests have something else each time."""
    fields |= {name: next(_fresh) for name in left_out(cls)}
    if issubclass(cls, tuple):
        return cls(**fields)
    value = cls.__new__(cls)
    for name, each in fields.items():
        object.__setattr__(value, name, each)
    return value


SIMPLE: dict[Any, tuple[Any, ...]] = {
    str: ("a", "b", ""),
    int: (1, 2, 10**5000),
    bool: (False, True),
    bytes: (b"", b"a"),
    float: (0.5, 0.25),
    Fraction: (Fraction(1, 2), Fraction(1, 3)),
    NoneType: (None,),
    Hashable: (1, 2, Piece(()), Piece((All.KEPT,)), Piece((All.ADDED,))),
}


def calls() -> list[Called]:
    """A call, and others that differ in one thing that is put for what the callee leaves open."""
    param, own, symbol, norm = Var("p"), Var("x"), Symbol("s"), NormVariable("n")
    awaited, outer = (EffectVariable(name, (symbol,), (symbol,)) for name in "fg")
    big, small = (Sens.of(number) for number in (7, 5))
    origin = events.Origin(Span(0, 0), "")
    leaf = Release(Laplace(ONE, big), {param: ONE}, ONE, origin)
    other = Release(Laplace(ONE, small), {param: ONE}, ONE, origin)
    by_norm = algebra.apply(algebra.Function.BY_NORM, norm, ONE, big, small)
    sized = Release(
        Laplace(Sens((by_norm,)), Sens.of(algebra.Poly.of(Symbol("t", algebra.Sign.NONNEGATIVE)))), {}, ONE, origin
    )
    waiting = events.Awaited(awaited, ({param: ONE},), origin)
    body = sequence([leaf, sized, waiting])
    values = [Substitution({}), Substitution({symbol: algebra.ONE}), Substitution({}, {norm: Norm.L1})]
    answers = [{}, {awaited: outer}, {awaited: Answer(leaf, (param,), values[0])}]
    rows = varied(
        [[body, sequence([other, sized, waiting])], [{}, {param: {own: ONE}}, {param: {own: big}}], values, answers]
    )
    return [Called(*row[:3], origin, row[3]) for row in rows]


def answers() -> list[Answer]:
    """What an awaited call turned out to spend, in different ways."""
    first, second = Var("p"), Var("q")
    bodies = [
        Release(Laplace(ONE, Sens.of(number)), {first: ONE}, ONE, events.Origin(Span(0, 0), "")) for number in (7, 5)
    ]
    symbol = Symbol("s")
    free = Release(Laplace(ONE, Sens((algebra.Poly.of(symbol),))), {first: ONE}, ONE, events.Origin(Span(0, 0), ""))
    put = [Answer(free, (first,), Substitution({symbol: algebra.Poly.of(number)})) for number in (1, 2)]
    return [
        *(Answer(body, (first,), Substitution({})) for body in bodies),
        Answer(bodies[0], (second,), Substitution({})),
        *put,
    ]


def numbers() -> list[Sens]:
    return [Sens(()), INFINITY, ONE, Sens.of(2), Sens((algebra.ONE, algebra.Poly.of(Symbol("s"))))]


def polynomials() -> list[algebra.Poly]:
    """Their hashes follow from their terms."""
    symbol = algebra.Poly.of(Symbol("s"))
    return [algebra.ONE, algebra.ZERO, algebra.Poly.of(2), symbol, symbol * symbol, symbol + algebra.ONE]


EVERYTHING = taking_part(FunctionValue, Judgement, UnknownGlobal, Premises)
"""What meanings and premises are made of."""

MADE: dict[type, Callable[[], list[Any]]] = {Called: calls, Answer: answers, Sens: numbers, algebra.Poly: polynomials}
"""What is written down by what it means, and not field by field."""


@pytest.mark.parametrize("cls", EVERYTHING, ids=lambda cls: cls.__qualname__)
def test_every_field_is_part_of_the_digest(cls: type) -> None:
    values, again = Sampler().of_class(cls), Sampler().of_class(cls)
    digests = [digest(value) for value in values]
    alike = [at for at, each in enumerate(digests) if each in digests[:at]]
    assert not alike, [values[at] for at in alike]
    assert len(values) > len(digested(cls)), "each field is something else once"
    assert digests == [digest(value) for value in again], "what is made anew is the same"


def test_what_is_left_out_is_known_and_has_a_reason() -> None:
    found = {cls.__qualname__: left_out(cls) for cls in everything() if left_out(cls)}
    assert {name: {*fields} for name, fields in found.items()} == LEFT_OUT
    assert all(len(reason) > 5 for fields in found.values() for reason in fields.values())
    assert found.keys() <= {cls.__qualname__ for cls in EVERYTHING}


@pytest.mark.parametrize("cls", taking_part(Premises), ids=lambda cls: cls.__qualname__)
def test_what_is_taken_over_has_the_same_fields(cls: type) -> None:
    """Premises that are equal have one digest, and others that have it are equal."""
    values, again = Sampler().of_class(cls), Sampler().of_class(cls)
    assert [digest(value) for value in values] == [digest(value) for value in again]
    for at, value in enumerate(values):
        assert value == again[at] and all(value != other for other in values[:at])


PROGRAM = "double(x::Real) = 2 * x\n"


class LookedUp(Exception):
    """What is known of a unit is looked up, or found out."""


@pytest.mark.parametrize("field", [None, *Premises._fields])
def test_what_has_other_premises_is_not_taken_over(field: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever of their fields is another one in the next version."""
    first, *others = Sampler().of_class(Premises)
    engine, looked_up = Engine(), []
    engine.check(PROGRAM)
    begin = Module.begin

    def begun(module: Module, index: int, options: Options, *names: Any) -> Premises:
        premises = begin(module, index, options, *names)
        if field is not None:
            (other, *_) = (each for each in others if getattr(each, field) != getattr(first, field))
            premises = module.premises[index] = premises._replace(**{field: getattr(other, field)})
        return premises

    def task(module: Module, index: int, look: Callable[[], None]) -> Task:
        looked_up.append(index)
        raise LookedUp

    monkeypatch.setattr(Module, "begin", begun)
    monkeypatch.setattr(Module, "task", task)
    with pytest.raises(LookedUp) if field is not None else nullcontext():
        engine.check(PROGRAM + "\n")
    assert bool(looked_up) is (field is not None)


@pytest.mark.parametrize("edited", EDITS, ids=lambda each: each.field)
def test_an_edit_is_seen_where_it_matters(edited: Edited) -> None:
    assert edited.matters() and edited.seen()
    assert Forgotten(edited).noticed(), "and it would not be, were that field left out"
