"""The types of what a loop carries (loop-invariant types), decided before its body is inferred, which happens once.

The body is inferred at one type for each variable, which must hold what the first round starts with and what every
round ends with. Three things are found out for that, each by walks over the terms of the body with an abstract value
for each name:

- numbers that are whole when the loop starts count as Real if a round may make them so;
- containers that are clipped then count as not clipped if a round may end with another clip;
- what Julia stores them as is one set of run-time types that holds what the first round starts with and what every
  round ends with.

The first two are properties: that of a result is one of its arguments, of what is carried, or of none. The third is a
least fixpoint: what is carried starts as it is when the loop starts, and is widened by what a round makes of it until
nothing changes. Reading too much into a term gives a type that is too wide; reading too little is found when the body
has been inferred.

Sources: type_system 0.1, "type invariants of loops and folds"; Cousot and Cousot 1977, on the least fixpoint of a
monotone transfer function.

Walks over the terms of a body with an abstract value for each name (abstract interpretation), before it is inferred.

Source: Cousot and Cousot 1977.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Generic, TypeVar

from dp_lsp import builtins
from dp_lsp.builtins import linear
from dp_lsp.builtins.traits import Clips, InPlace, Integral
from dp_lsp.core import machine, term
from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.annotation import ContainerOf, NumberOf
from dp_lsp.core.machine import Stored
from dp_lsp.core.scheme import FunctionValue, Judgement
from dp_lsp.core.term import Body, Local, Term
from dp_lsp.core.types import (
    REAL,
    Base,
    BoolType,
    Clip,
    Container,
    Dataset,
    FunctionType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    without_static,
)
from dp_lsp.core.values import replace
from dp_lsp.infer.inference import Inference
from dp_lsp.named import NamedTuple

_Fact = TypeVar("_Fact")


class Items(NamedTuple, Generic[_Fact]):
    """What is known of a tuple: something of each of its items."""

    values: tuple[_Fact | Items[_Fact], ...]


class BodyWalk(ABC, Generic[_Fact]):
    """A forward abstract interpreter over the terms of a body. The abstract domain is ``_Fact``, joined by
    :meth:`together`; of a tuple a fact for each item is kept. A name from outside of the body is known by its
    judgement."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self.known: dict[Local, _Fact | Items[_Fact]] = {}

    @abstractmethod
    def together(self, facts: Iterable[_Fact]) -> _Fact:
        """The join of several facts."""

    @abstractmethod
    def of_type(self, type_: Type) -> _Fact | Items[_Fact]:
        """The fact that a type alone implies."""

    def of_value(self, value: Judgement) -> _Fact | Items[_Fact]:
        """The fact of a value from outside of the body."""
        return self.of_type(self._inference.type(value))

    @abstractmethod
    def of_result(self, value: FunctionValue) -> _Fact | Items[_Fact]:
        """The fact of the result of a call of a known function."""

    @abstractmethod
    def by_itself(self, node: Term) -> _Fact | Items[_Fact]:
        """The transfer function of all terms that have no common meaning in every walk."""

    def flat(self, value: _Fact | Items[_Fact]) -> _Fact:
        """The join over all items of a value."""
        return self.together(map(self.flat, value.values)) if isinstance(value, Items) else value

    def items(self, value: _Fact | Items[_Fact], count: int) -> Sequence[_Fact | Items[_Fact]]:
        """The facts of so many items of a tuple; each is the join of all where they are not known one by one."""
        if isinstance(value, Items) and len(value.values) == count:
            return value.values
        return (self.flat(value),) * count

    def both(self, left: _Fact | Items[_Fact], right: _Fact | Items[_Fact]) -> _Fact | Items[_Fact]:
        """The join of two values, item by item where both are tuples of one length."""
        if isinstance(left, Items) and isinstance(right, Items) and len(left.values) == len(right.values):
            return Items(tuple(map(self.both, left.values, right.values)))
        return self.together((self.flat(left), self.flat(right)))

    def body(self, body: Body) -> _Fact | Items[_Fact]:
        """The fact of a block's value. The names it binds are known from then on."""
        for bind in body.binds:
            found = self.term(bind.term)
            apart = len(bind.targets) > 1 or isinstance(bind.term, term.Loop)
            values = self.items(found, len(bind.targets)) if apart else (found,)
            self.known.update(zip(bind.targets, values, strict=False))
        return self.term(body.result)

    def term(self, node: Term) -> _Fact | Items[_Fact]:
        """The fact of a term's value."""
        match node:
            case term.Use(local=local) if local in self.known:
                return self.known[local]
            case term.Use(local=local) if local in self._inference.context.environment:
                return self.of_value(self._inference.context.environment[local])
            case term.MakeTuple(items=items):
                return Items(tuple(map(self.term, items)))
            case term.Branch(then=then, otherwise=otherwise):
                return self.both(self.body(then), self.body(otherwise))
            case term.Apply(function=function) if (value := self.called(function)) is not None and value.methods:
                return self.of_result(value)
            case term.Global(name=name) if isinstance(found := self._inference.context.resolve(name), Judgement):
                return self.of_value(found)
        return self.by_itself(node)

    def called(self, function: Term) -> FunctionValue | None:
        """The function that a term denotes, where that is known before the loop is inferred; else None."""
        environment, found = self._inference.context.environment, None
        if isinstance(function, term.Global):
            resolved = self._inference.context.resolve(function.name)
            found = resolved if isinstance(resolved, FunctionValue) else None
        elif isinstance(function, term.Use) and function.local in environment:
            type_ = self._inference.type(environment[function.local])
            found = type_.value if isinstance(type_, FunctionType) else None
        return found


def types(inference: Inference, node: term.Loop, starts: list[Judgement]) -> tuple[Type, ...]:
    """The types of what a loop carries, in the rounds and after them."""
    found = [_in_all_rounds(inference.type(start)) for start in starts]
    clips = {leaf.clip for type_ in found for leaf in leaves(type_) if isinstance(leaf, Container)} - {Clip.U}
    for kept in (_WHOLE, *(_clipped(clip) for clip in sorted(clips, key=lambda clip: clip.value))):
        if any(kept.starts(leaf) for type_ in found for leaf in leaves(type_)):
            found = _Keeping(inference, kept).carried(node, found)
    return tuple(widened(inference, node, found))


def _in_all_rounds(type_: Type) -> Type:
    """The type without what holds of the first round only: it is not static, its entries have no bounds, and it is of
    one norm even if that is open."""
    type_ = without_static(type_)
    if isinstance(type_, Container):
        type_ = replace(type_, element=without_static(type_.element))
    if isinstance(type_, TupleType):
        return type_.put(map(_in_all_rounds, type_.items))
    if isinstance(type_, Container) and isinstance(type_.norm, NormVariable) and type_.norm.free:
        return replace(type_, norm=NormVariable(type_.norm.name))
    return type_


def leaves(type_: Type) -> list[Type]:
    """The types of the items of a tuple, at any depth; of anything else, the type itself."""
    return [leaf for item in type_.items for leaf in leaves(item)] if isinstance(type_, TupleType) else [type_]


# Properties that a round may lose


_Key = tuple[Local, int]
_Needs = frozenset[_Key] | None
"""The carried values that must have a property for something to have it; None if it may not have it all the same."""
_Kept = _Needs | Items[_Needs]

_ALWAYS: _Needs = frozenset()


class _Property(NamedTuple):
    """Something that a value has by its type. ``starts`` are the types of which it is asked whether they keep it,
    ``has`` tells of which types it is known, ``lost`` is the type that holds values without it, and ``call`` what the
    result of a builtin needs, by what its arguments need."""

    starts: Callable[[Type], bool]
    has: Callable[[Type], bool]
    lost: Callable[[Type], Type]
    call: Callable[[term.Call, list[_Needs]], _Needs]


def _base(type_: Type) -> Base | None:
    """The base of a number or of the elements of a container; None for anything else."""
    number = type_.element if isinstance(type_, Container) else type_
    return number.base if isinstance(number, NumberType) else None


def _may_be_real(type_: Type) -> bool:
    """Whether values of a type may hold numbers that are no whole ones."""
    number = type_.element if isinstance(type_, Container) else type_
    return isinstance(number, TypeVariable | FunctionType) or _base(type_) is Base.REAL


def _as_real(type_: Type) -> Type:
    """A number type, or that of a container's elements, as real."""
    return replace(type_, element=REAL) if isinstance(type_, Container) else REAL


def _whole_call(node: term.Call, given: list[_Needs]) -> _Needs:
    """What the result of a builtin needs to be whole: by a type that is written there, by its row, or else what all its
    arguments need."""
    row = builtins.TABLE[node.builtin]
    declared = next((arg.type for arg in node.args if isinstance(arg, term.TypeArgument)), None)
    if isinstance(declared, NumberOf | ContainerOf):
        base = declared.base if isinstance(declared, NumberOf) else declared.element
        return None if base is Base.REAL else _ALWAYS
    integral = row.trait(Integral)
    if integral is not None:
        return _ALWAYS if integral.always else None
    return _all_of(given)


_WHOLE = _Property(
    lambda type_: _base(type_) is Base.INTEGER, lambda type_: not _may_be_real(type_), _as_real, _whole_call
)


def _clipped(clip: Clip) -> _Property:
    """The property of a container to be clipped in this norm, which only `clip` by that norm gives anew."""

    def has(type_: Type) -> bool:
        return isinstance(type_, Container) and type_.clip is clip

    def lost(type_: Type) -> Type:
        return replace(type_, clip=Clip.U) if isinstance(type_, Container) else type_

    def call(node: term.Call, given: list[_Needs]) -> _Needs:
        norms = [arg.norm.value for arg in node.args if isinstance(arg, term.NormArgument)]
        return _ALWAYS if builtins.TABLE[node.builtin].has(Clips) and norms == [clip.value] else None

    return _Property(has, has, lost, call)


def _all_of(needs: Iterable[_Needs]) -> _Needs:
    """What all of several values need."""
    found: frozenset[_Key] = frozenset()
    for each in needs:
        if each is None:
            return None
        found |= each
    return found


def _settled(key: _Key, starts: dict[_Key, _Needs], ends: dict[_Key, _Needs]) -> _Needs:
    """What a carried value needs, besides what is carried with it, to keep a property through all rounds: what its
    start needs, and its end, and those of all that its end needs."""
    pending, seen, outer = [key], {key}, set[_Key]()
    while pending:
        reached = pending.pop()
        for needs in (starts[reached], ends[reached]):
            if needs is None:
                return None
            outer |= {need for need in needs if need not in ends}
            pending += [need for need in needs if need in ends and need not in seen]
            seen |= needs
    return frozenset(outer)


class _Keeping(BodyWalk[_Needs]):
    """The values of a body with regard to one property."""

    def __init__(self, inference: Inference, kept: _Property) -> None:
        super().__init__(inference)
        self._property = kept

    def carried(self, node: term.Loop, found: list[Type]) -> list[Type]:
        """The types of what a loop carries, without the property where a round may lose it."""
        kept = iter(self._loop(node, list(map(self.of_type, found))))

        def held(type_: Type) -> Type:
            if isinstance(type_, TupleType):
                return type_.put(map(held, type_.items))
            keeps = next(kept) is not None
            return type_ if keeps or not self._property.starts(type_) else self._property.lost(type_)

        return [held(type_) for type_ in found]

    def together(self, facts: Iterable[_Needs]) -> _Needs:
        return _all_of(facts)

    def of_type(self, type_: Type) -> _Kept:
        if isinstance(type_, TupleType):
            return Items(tuple(map(self.of_type, type_.items)))
        return _ALWAYS if self._property.has(type_) else None

    def of_result(self, value: FunctionValue) -> _Kept:
        return reduce(self.both, (self.of_type(method.result.type) for method in value.methods))

    def by_itself(self, node: Term) -> _Kept:
        match node:
            case term.Literal(value=value, integer=integer):
                whole = integer or isinstance(value, bool)
                return self.of_type(NumberType(Base.INTEGER if whole else Base.REAL))
            case term.Call(args=args):
                return self._property.call(node, [self.flat(self.term(arg)) for arg in args])
            case term.Loop(carried=carried):
                starts = [self.term(start) for _, start in carried]
                kept = iter(self._loop(node, starts))
                return Items(tuple(_filled(start, kept) for start in starts))
            case term.Scope(bind=bind, rest=rest):
                self.known.update((target, self.of_type(NumberType(Base.DATA))) for target in bind.targets)
                return self.body(rest)
            case term.Use() | term.Hole() | term.NormArgument() | term.TypeArgument() | term.TruthArgument():
                return _ALWAYS
        return None

    def _loop(self, node: term.Loop, starts: list[_Kept]) -> list[_Needs]:
        """What the parts of all that a loop carries need, so that they keep the property."""
        before: dict[_Key, _Needs] = {}
        keys: list[list[_Key]] = []
        for (local, _), start in zip(node.carried, starts, strict=True):
            parts = self._parts(start, start)
            keys.append([(local, index) for index in range(len(parts))])
            before |= dict(zip(keys[-1], parts, strict=True))
            self.known[local] = _filled(start, (frozenset((key,)) for key in keys[-1]))
        self.known[node.index] = _ALWAYS
        result = self.items(self.body(node.body), len(starts))
        after: dict[_Key, _Needs] = {}
        for own_keys, end, start in zip(keys, result, starts, strict=True):
            after |= dict(zip(own_keys, self._parts(end, start), strict=True))
        return [_settled(key, before, after) for own_keys in keys for key in own_keys]

    def _parts(self, value: _Kept, shape: _Kept) -> list[_Needs]:
        """What the parts of a value need, one for each part of ``shape``."""
        if not isinstance(shape, Items):
            return [self.flat(value)]
        pairs = zip(self.items(value, len(shape.values)), shape.values, strict=True)
        return [part for item, inner in pairs for part in self._parts(item, inner)]


def _filled(shape: _Kept, parts: Iterator[_Needs]) -> _Kept:
    """A value of the same shape with these parts."""
    return Items(tuple(_filled(item, parts) for item in shape.values)) if isinstance(shape, Items) else next(parts)


# What Julia stores it as


_MOST_WALKS = 8  # loops inside are walked along with the one around them, so it is rarely more than two


class _Held(NamedTuple):
    """What the numbers in a value are stored as, and whether it is an array: 0 where there are none, and it is none."""

    numbers: Stored
    arrays: Stored


_Storage = _Held | Items[_Held]
_ANYTHING = _Held(machine.ELEMENTS, machine.ANY_ARRAY)


def widened(inference: Inference, node: term.Loop, types: Sequence[Type]) -> list[Type]:
    """The types of what a loop carries, with what they are stored as in all rounds."""
    storing = _Storing(inference)
    for (inner, _), type_ in zip(node.carried, types, strict=True):
        storing.known[inner] = storing.of_type(type_)
    for _ in range(_MOST_WALKS):
        storing.grown = False
        storing.round(node)
        if not storing.grown:
            break
    else:
        return [storing.put(type_, _ANYTHING) for type_ in types]
    return [storing.put(type_, storing.known[inner]) for (inner, _), type_ in zip(node.carried, types, strict=True)]


class _Storing(BodyWalk[_Held]):
    """One abstract run of a body after the other. ``grown`` says that something carried may be more than before."""

    def __init__(self, inference: Inference) -> None:
        super().__init__(inference)
        self._storage = inference.storage
        self.grown = False

    def together(self, facts: Iterable[_Held]) -> _Held:
        numbers = arrays = 0
        for each in facts:
            numbers |= each.numbers
            arrays |= each.arrays
        return _Held(numbers, arrays)

    def of_type(self, type_: Type) -> _Storage:
        match type_:
            case TupleType(items):
                return Items(tuple(map(self.of_type, items)))
            case NumberType() | BoolType():
                return _Held(linear.stored_numbers(type_), 0)
            case Container(stored=arrays) | Dataset(records=Container(stored=arrays)):
                return _Held(linear.stored_numbers(type_) or machine.ELEMENTS, arrays)
            case FunctionType():
                return _Held(0, 0)
        return _ANYTHING

    def of_result(self, value: FunctionValue) -> _Storage:
        if any(method.is_open for method in value.methods):
            return _ANYTHING
        return reduce(self.both, (self.of_type(method.result.type) for method in value.methods))

    def by_itself(self, node: Term) -> _Storage:
        match node:
            case term.Literal(value=bool()):
                return _Held(machine.BOOL, 0)
            case term.Literal(value=value, integer=integer):
                return _Held(self._storage.literal(int(value) if integer else None), 0)
            case term.Call(args=args) if _is_taken(node):
                return self._call(node.builtin, [self.flat(self.term(arg)) for arg in args])
            case term.Loop(carried=carried):
                for inner, start in carried:
                    self._grow(inner, self.term(start))
                self.round(node)
                return Items(tuple(self.known[inner] for inner, _ in carried))
            case term.Scope(bind=bind, rest=rest):
                self.known.update(dict.fromkeys(bind.targets, _ANYTHING))
                return self.body(rest)
            case term.Global() | term.Closure() | term.NormArgument() | term.TypeArgument() | term.TruthArgument():
                return _Held(0, 0)
        return _ANYTHING

    def round(self, node: term.Loop) -> None:
        """Run a round, and let what is carried hold what it ends with."""
        self.known[node.index] = self._index(node)
        ends = self.items(self.body(node.body), len(node.carried))
        for (inner, _), end in zip(node.carried, ends, strict=True):
            self._grow(inner, end)

    def _grow(self, local: Local, value: _Storage) -> None:
        """Let what a carried value is stored as hold another possibility, too; notes if that is more."""
        before = self.known.get(local)
        after = value if before is None else self.both(before, value)
        if after != before:
            self.known[local] = after
            self.grown = True

    def _index(self, node: term.Loop) -> _Held:
        """What the index of a loop is stored as: what the language stores the numbers of its range as."""
        parts = (node.first, node.last) if node.step is None else (node.first, node.step, node.last)
        numbers = self._storage.numbers(builtins.RANGE, *(self.flat(self.term(part)).numbers for part in parts))
        return _Held(numbers or 0, 0)

    def _call(self, builtin: str, given: Sequence[_Held]) -> _Storage:
        """What the result of a builtin is stored as, by what its arguments are."""
        if builtins.TABLE[builtin].has(InPlace):
            return given[0]
        found = self._storage.numbers(builtin, *(held.numbers for held in given)) if given else machine.ELEMENTS
        found = machine.collected(machine.ELEMENTS if found is None else found)
        return _Held(found, self._storage.arrays(builtin, [held.arrays for held in given if held.arrays], found))

    def put(self, type_: Type, value: _Storage) -> Type:
        """A type with what its values are stored as."""
        match type_:
            case TupleType(items):
                return type_.put(map(self.put, items, self.items(value, len(items))))
            case NumberType():
                return replace(type_, stored=self.flat(value).numbers or machine.ELEMENTS)
            case Container(element=element):
                held = self.flat(value)
                arrays = held.arrays or machine.ANY_ARRAY
                return replace(type_, element=self.put(element, _Held(held.numbers, 0)), stored=arrays)
            case Dataset(records=records):
                put = self.put(records, value)
                assert isinstance(put, Container), "a container stays one"
                return replace(type_, records=put)
        return type_


def _is_taken(node: term.Call) -> bool:
    """Whether a builtin takes so many arguments."""
    count = len(node.args) - len(node.keywords)
    forms = builtins.TABLE[node.builtin].forms
    return any(form.parameters(count, node.keywords) is not None for form in forms)
