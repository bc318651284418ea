"""Walks over the terms of a body with an abstract value for each name (abstract interpretation), before it is inferred.

Source: Cousot and Cousot 1977.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from dp_lsp.core import term
from dp_lsp.core.scheme import FunctionValue, Judgement
from dp_lsp.core.term import Body, Local, Term
from dp_lsp.core.types import FunctionType, Type
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
