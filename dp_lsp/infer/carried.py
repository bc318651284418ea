"""The types of what a loop carries, decided before its body is inferred, which happens once.

The body is inferred at one type for each variable, which must hold what the first round starts with and what every
round ends with. So numbers that are whole when the loop starts count as Real if a round may make them so, and
containers that are clipped then count as not clipped if a round may end with another clip. Whether it may is read off
the terms: a property of a result is one of its arguments, of what is carried, or of none. Reading too much into a term
gives a type that is too wide; reading too little is found when the body has been inferred.

Source: type_system 0.1, "type invariants of loops and folds".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.core import term
from dp_lsp.core.algebra import NormVariable
from dp_lsp.core.annotation import ContainerOf, NumberOf
from dp_lsp.core.scheme import FunctionValue, Judgement
from dp_lsp.core.term import Body, Local, Term
from dp_lsp.core.types import (
    REAL,
    Base,
    Clip,
    Container,
    FunctionType,
    NumberType,
    TupleType,
    Type,
    TypeVariable,
    without_static,
)
from dp_lsp.infer import widening
from dp_lsp.infer.inference import Inference

_Key = tuple[Local, int]
_Needs = frozenset[_Key] | None
"""The carried values that must have a property for something to have it; None if it may not have it all the same."""
_Value = _Needs | tuple["_Value", ...]
"""That of the items of a tuple."""

_ALWAYS: _Needs = frozenset()


class _Property(NamedTuple):
    """Something that a value has by its type. ``starts`` are the types of which it is asked whether they keep it,
    ``has`` tells of which types it is known, ``lost`` is the type that holds values without it."""

    starts: Callable[[Type], bool]
    has: Callable[[Type], bool]
    lost: Callable[[Type], Type]
    call: Callable[[term.Call, list[_Value]], _Needs]


def types(inference: Inference, node: term.Loop, starts: list[Judgement]) -> tuple[Type, ...]:
    """The types of what a loop carries, in the rounds and after them."""
    found = [_in_all_rounds(inference.type(start)) for start in starts]
    clips = {leaf.clip for type_ in found for leaf in leaves(type_) if isinstance(leaf, Container)} - {Clip.U}
    for kept in (_WHOLE, *(_clipped(clip) for clip in sorted(clips, key=lambda clip: clip.value))):
        if any(kept.starts(leaf) for type_ in found for leaf in leaves(type_)):
            found = _Scan(inference, kept).carried(node, found)
    return tuple(widening.widened(inference, node, found))


def _in_all_rounds(type_: Type) -> Type:
    """The type without what holds of the first round only: it is not static, and of one norm even if that is open."""
    type_ = without_static(type_)
    if isinstance(type_, TupleType):
        return TupleType(tuple(map(_in_all_rounds, type_.items)))
    if isinstance(type_, Container) and isinstance(type_.norm, NormVariable) and type_.norm.free:
        return replace(type_, norm=NormVariable(type_.norm.name))
    return type_


def leaves(type_: Type) -> list[Type]:
    """The types of the items of a tuple, at any depth; of anything else, the type itself."""
    return [leaf for item in type_.items for leaf in leaves(item)] if isinstance(type_, TupleType) else [type_]


# The properties


def _base(type_: Type) -> Base | None:
    """The base of a number or of the elements of a container; None for anything else."""
    number = type_.element if isinstance(type_, Container) else type_
    return number.base if isinstance(number, NumberType) else None


def _may_be_real(type_: Type) -> bool:
    number = type_.element if isinstance(type_, Container) else type_
    return isinstance(number, TypeVariable | FunctionType) or _base(type_) is Base.REAL


def _as_real(type_: Type) -> Type:
    return replace(type_, element=REAL) if isinstance(type_, Container) else REAL


def _whole_call(node: term.Call, given: list[_Value]) -> _Needs:
    row = builtins.TABLE[node.builtin]
    declared = next((arg.type for arg in node.args if isinstance(arg, term.TypeArgument)), None)
    if isinstance(declared, NumberOf | ContainerOf):
        base = declared.base if isinstance(declared, NumberOf) else declared.element
        return None if base is Base.REAL else _ALWAYS
    if row.whole is not None:
        return _ALWAYS if row.whole else None
    return _all_of(given)


_WHOLE = _Property(
    lambda type_: _base(type_) is Base.INTEGER, lambda type_: not _may_be_real(type_), _as_real, _whole_call
)


def _clipped(clip: Clip) -> _Property:
    def has(type_: Type) -> bool:
        return isinstance(type_, Container) and type_.clip is clip

    def lost(type_: Type) -> Type:
        return replace(type_, clip=Clip.U) if isinstance(type_, Container) else type_

    def call(node: term.Call, given: list[_Value]) -> _Needs:
        norms = [arg.norm.value for arg in node.args if isinstance(arg, term.NormArgument)]
        return _ALWAYS if builtins.TABLE[node.builtin].clips and norms == [clip.value] else None

    return _Property(has, has, lost, call)


# What values have


def _all_of(values: Iterable[_Value]) -> _Needs:
    """What all of several values need."""
    found: frozenset[_Key] = frozenset()
    for value in values:
        needs = _all_of(value) if isinstance(value, tuple) else value
        if needs is None:
            return None
        found |= needs
    return found


def _both(left: _Value, right: _Value) -> _Value:
    """What one of two values needs, whichever it is."""
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return tuple(map(_both, left, right))
    return _all_of((left, right))


def _items(value: _Value, count: int) -> tuple[_Value, ...]:
    """What the items of a tuple need; all that the tuple needs, if nothing better is known."""
    return value if isinstance(value, tuple) and len(value) == count else (_all_of((value,)),) * count


def _flat(value: _Value, shape: _Value) -> list[_Needs]:
    """What the parts of a value need, one for each part of ``shape``."""
    if not isinstance(shape, tuple):
        return [_all_of((value,))]
    pairs = zip(_items(value, len(shape)), shape, strict=True)
    return [part for item, inner in pairs for part in _flat(item, inner)]


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


class _Scan:
    """The values of a body with regard to one property. What is not known here is known by its type."""

    def __init__(self, inference: Inference, kept: _Property) -> None:
        self._inference = inference
        self._property = kept
        self._known: dict[Local, _Value] = {}

    def carried(self, node: term.Loop, found: list[Type]) -> list[Type]:
        """The types of what a loop carries, without the property where a round may lose it."""
        starts = [self._of_type(type_, self._property.has) for type_ in found]
        kept = iter(self._loop(node, starts))

        def held(type_: Type) -> Type:
            if isinstance(type_, TupleType):
                return TupleType(tuple(map(held, type_.items)))
            keeps = next(kept) is not None
            return type_ if keeps or not self._property.starts(type_) else self._property.lost(type_)

        return [held(type_) for type_ in found]

    def _of_type(self, type_: Type, has: Callable[[Type], bool]) -> _Value:
        if isinstance(type_, TupleType):
            return tuple(self._of_type(item, has) for item in type_.items)
        return _ALWAYS if has(type_) else None

    def _loop(self, node: term.Loop, starts: list[_Value]) -> list[_Needs]:
        """What the parts of all that a loop carries need, so that they keep the property."""
        before: dict[_Key, _Needs] = {}
        keys: list[list[_Key]] = []
        for (local, _), start in zip(node.carried, starts, strict=True):
            parts = _flat(start, start)
            keys.append([(local, index) for index in range(len(parts))])
            before |= dict(zip(keys[-1], parts, strict=True))
            self._known[local] = _filled(start, (frozenset((key,)) for key in keys[-1]))
        self._known[node.index] = _ALWAYS
        result = _items(self._body(node.body), len(starts))
        after: dict[_Key, _Needs] = {}
        for own_keys, end, start in zip(keys, result, starts, strict=True):
            after |= dict(zip(own_keys, _flat(end, start), strict=True))
        return [_settled(key, before, after) for own_keys in keys for key in own_keys]

    def _body(self, body: Body) -> _Value:
        for bind in body.binds:
            value = self._term(bind.term)
            apart = len(bind.targets) > 1 or isinstance(bind.term, term.Loop)
            values = _items(value, len(bind.targets)) if apart else (value,)
            self._known.update(zip(bind.targets, values, strict=False))
        return self._term(body.result)

    def _term(self, node: Term) -> _Value:
        match node:
            case term.Use(local=local):
                return self._use(local)
            case term.Literal(value=value, integer=integer):
                whole = integer or isinstance(value, bool)
                return self._of_type(NumberType(Base.INTEGER if whole else Base.REAL), self._property.has)
            case term.Call(args=args):
                return self._property.call(node, [self._term(arg) for arg in args])
            case term.Apply(function=function, args=args):
                for arg in args:
                    self._term(arg)
                return self._applied(function)
            case term.MakeTuple(items=items):
                return tuple(self._term(item) for item in items)
            case term.Branch(then=then, otherwise=otherwise):
                return _both(self._body(then), self._body(otherwise))
            case term.Loop(carried=carried):
                starts = [self._term(start) for _, start in carried]
                kept = iter(self._loop(node, starts))
                return tuple(_filled(start, kept) for start in starts)
            case term.Scope(bind=bind, rest=rest):
                self._known.update(
                    (target, self._of_type(NumberType(Base.DATA), self._property.has)) for target in bind.targets
                )
                return self._body(rest)
            case term.Global(name=name):
                found = self._inference.resolve(name)
                return self._of_type(found.type, self._property.has) if isinstance(found, Judgement) else None
            case term.Hole() | term.NormArgument() | term.TypeArgument() | term.TruthArgument():
                return _ALWAYS
        return None

    def _use(self, local: Local) -> _Value:
        if local in self._known:
            return self._known[local]
        found = self._inference.environment.get(local)
        return _ALWAYS if found is None else self._of_type(self._inference.type(found), self._property.has)

    def _applied(self, function: Term) -> _Value:
        """The result of a call, by the types of what the methods of the function return."""
        value = None
        if isinstance(function, term.Global):
            value = self._inference.resolve(function.name)
        elif isinstance(function, term.Use) and function.local in self._inference.environment:
            type_ = self._inference.type(self._inference.environment[function.local])
            value = type_.value if isinstance(type_, FunctionType) else None
        if not isinstance(value, FunctionValue) or not value.methods:
            return None
        return reduce(_both, (self._of_type(method.result.type, self._property.has) for method in value.methods))


def _filled(shape: _Value, parts: Iterator[_Needs]) -> _Value:
    """A value of the same shape with these parts."""
    return tuple(_filled(item, parts) for item in shape) if isinstance(shape, tuple) else next(parts)
