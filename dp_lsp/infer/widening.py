"""What Julia stores as what a loop carries: one set of run-time types that holds what the first round starts with and
what every round ends with.

The body of a loop is inferred once, so this is found out before, on the terms alone: what is carried starts as it is
when the loop starts, and is widened by what a round makes of it until nothing changes. Loops inside are walked along
with the one around them, so it ends after as many walks as sets can grow, which is rarely more than two. Where nothing
is known here, it may be anything.

Source: Cousot and Cousot 1977, on the least fixpoint of a monotone transfer function.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from dp_lsp.builtins import stored
from dp_lsp.core import machine, term
from dp_lsp.core.machine import Stored
from dp_lsp.core.scheme import FunctionValue, Judgement
from dp_lsp.core.term import Body, Local, Term
from dp_lsp.core.types import BoolType, Container, Dataset, FunctionType, NumberType, TupleType, Type
from dp_lsp.infer.inference import Inference

_MOST_WALKS = 8


class _Held(NamedTuple):
    """What the numbers in a value are stored as, and whether it is an array: 0 where there are none, and it is none."""

    numbers: Stored
    arrays: Stored

    def __or__(self, other: _Held) -> _Held:
        return _Held(self.numbers | other.numbers, self.arrays | other.arrays)


_Value = _Held | tuple["_Value", ...]
_ANYTHING = _Held(machine.ELEMENTS, machine.ANY_ARRAY)


def widened(inference: Inference, node: term.Loop, types: Sequence[Type]) -> list[Type]:
    """The types of what a loop carries, with what they are stored as in all rounds."""
    walk = _Walk(inference)
    for inner, type_ in zip((inner for inner, _ in node.carried), types, strict=True):
        walk.known[inner] = _of_type(type_)
    for _ in range(_MOST_WALKS):
        walk.grown = False
        walk.round(node)
        if not walk.grown:
            break
    else:
        return [_put(type_, _ANYTHING) for type_ in types]
    return [_put(type_, walk.known[inner]) for (inner, _), type_ in zip(node.carried, types, strict=True)]


def _of_type(type_: Type) -> _Value:
    match type_:
        case TupleType(items):
            return tuple(map(_of_type, items))
        case NumberType() | BoolType():
            return _Held(stored.of(type_), 0)
        case Container(stored=arrays) | Dataset(records=Container(stored=arrays)):
            return _Held(stored.of(type_) or machine.ELEMENTS, arrays)
        case FunctionType():
            return _Held(0, 0)
    return _ANYTHING


def _put(type_: Type, value: _Value) -> Type:
    match type_:
        case TupleType(items):
            return TupleType(tuple(map(_put, items, _items(value, len(items)))))
        case NumberType():
            return replace(type_, stored=_flat(value).numbers or machine.ELEMENTS)
        case Container(element=element):
            held = _flat(value)
            arrays = held.arrays or machine.ANY_ARRAY
            return replace(type_, element=_put(element, _Held(held.numbers, 0)), stored=arrays)
        case Dataset(records=records):
            put = _put(records, value)
            assert isinstance(put, Container)
            return replace(type_, records=put)
    return type_


def _flat(value: _Value) -> _Held:
    """What all items of a value hold together."""
    return value if isinstance(value, _Held) else reduce(_Held.__or__, map(_flat, value), _Held(0, 0))


def _items(value: _Value, count: int) -> tuple[_Value, ...]:
    if not isinstance(value, _Held) and len(value) == count:
        return value
    return (_flat(value),) * count


def _both(left: _Value, right: _Value) -> _Value:
    if not isinstance(left, _Held) and not isinstance(right, _Held) and len(left) == len(right):
        return tuple(map(_both, left, right))
    return _flat(left) | _flat(right)


class _Walk:
    """One abstract run of a body after the other. ``grown`` says that something carried may be more than before."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self.known: dict[Local, _Value] = {}
        self.grown = False

    def round(self, node: term.Loop) -> None:
        """Run a round, and let what is carried hold what it ends with."""
        self.known[node.index] = self._index(node)
        ends = _items(self._body(node.body), len(node.carried))
        for (inner, _), end in zip(node.carried, ends, strict=True):
            self._grow(inner, end)

    def _grow(self, local: Local, value: _Value) -> None:
        before = self.known.get(local)
        after = value if before is None else _both(before, value)
        if after != before:
            self.known[local] = after
            self.grown = True

    def _index(self, node: term.Loop) -> _Held:
        parts = (node.first, node.last) if node.step is None else (node.first, node.step, node.last)
        return _Held(machine.promoted(*(_flat(self._term(part)).numbers for part in parts)), 0)

    def _body(self, body: Body) -> _Value:
        for bind in body.binds:
            value = self._term(bind.term)
            apart = len(bind.targets) > 1 or isinstance(bind.term, term.Loop)
            values = _items(value, len(bind.targets)) if apart else (value,)
            self.known.update(zip(bind.targets, values, strict=False))
        return self._term(body.result)

    def _term(self, node: Term) -> _Value:
        match node:
            case term.Use(local=local):
                return self._use(local)
            case term.Literal(value=bool()):
                return _Held(machine.BOOL, 0)
            case term.Literal(value=value, integer=integer):
                return _Held(machine.of_literal(int(value) if integer else None), 0)
            case term.Call(builtin=builtin, args=args):
                return self._call(builtin, [_flat(self._term(arg)) for arg in args])
            case term.MakeTuple(items=items):
                return tuple(self._term(item) for item in items)
            case term.Branch(then=then, otherwise=otherwise):
                return _both(self._body(then), self._body(otherwise))
            case term.Loop(carried=carried):
                for inner, start in carried:
                    self._grow(inner, self._term(start))
                self.round(node)
                return tuple(self.known[inner] for inner, _ in carried)
            case term.Scope(bind=bind, rest=rest):
                self.known.update(dict.fromkeys(bind.targets, _ANYTHING))
                return self._body(rest)
            case term.Global(name=name):
                found = self._inference.resolve(name)
                return _of_type(found.type) if isinstance(found, Judgement) else _Held(0, 0)
            case term.Closure() | term.NormArgument() | term.TypeArgument() | term.TruthArgument():
                return _Held(0, 0)
            case term.Apply(function=function):
                return self._applied(function)
        return _ANYTHING

    def _use(self, local: Local) -> _Value:
        if local in self.known:
            return self.known[local]
        found = self._inference.environment.get(local)
        return _ANYTHING if found is None else _of_type(self._inference.type(found))

    def _call(self, builtin: str, given: Sequence[_Held]) -> _Value:
        found = stored.numbers(builtin, *(held.numbers for held in given)) if given else machine.ELEMENTS
        arrays = stored.arrays(builtin, [held.arrays for held in given if held.arrays])
        return _Held(machine.collected(machine.ELEMENTS if found is None else found), arrays)

    def _applied(self, function: Term) -> _Value:
        """The result of a call, by the types of what the methods of the function return."""
        value: object = None
        if isinstance(function, term.Global):
            value = self._inference.resolve(function.name)
        elif isinstance(function, term.Use) and function.local in self._inference.environment:
            type_ = self._inference.type(self._inference.environment[function.local])
            value = type_.value if isinstance(type_, FunctionType) else None
        if not isinstance(value, FunctionValue) or not value.methods:
            return _ANYTHING
        if any(method.template is not None for method in value.methods):
            return _ANYTHING
        return reduce(_both, _results(value))


def _results(value: FunctionValue) -> Iterator[_Value]:
    return (_of_type(method.result.type) for method in value.methods)
