"""The core calculus on concrete values: what a function returns for given inputs.

Values are those of :mod:`dp_lsp.builtins.meanings`. Whoever gives a run a :class:`Chance` decides what happens at
random (:mod:`dp_lsp.builtins.randomness`); in a run without one a mechanism returns what its noise would be added to.
What fails in Julia raises :class:`Undefined`; what has no value on given inputs, because it draws at random or was not
understood, raises :class:`NoMeaning`.
"""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import count, product, takewhile
from math import prod
from typing import Any

from dp_lsp import builtins
from dp_lsp.builtins.meanings import (
    MEANINGS,
    WITHOUT_MEANING,
    Labelled,
    NoMeaning,
    StandIn,
    Undefined,
    Value,
    array,
    is_container,
    with_items,
)
from dp_lsp.builtins.randomness import RANDOM
from dp_lsp.builtins.traits import Replaceable, ShortCircuit
from dp_lsp.core import machine, term
from dp_lsp.core.annotation import (
    AFunction,
    AModel,
    Annotation,
    Anything,
    ContainerOf,
    DatasetOf,
    NumberOf,
    Truth,
    TupleOf,
)
from dp_lsp.core.machine import Declared
from dp_lsp.core.term import Bind, Body, Local, Method, Term
from dp_lsp.core.types import Base, Kind
from dp_lsp.named import NamedTuple

MOST_STEPS = 200_000  # terms evaluated in one run
LONGEST = 20_000  # bits of a number


Environment = ChainMap[Local, Value]


class _Int(int):
    """A whole number that Julia stores as an Int: it is written so, or is that of a parameter for integers. What is
    computed may be a float all the same."""


class Rows(NamedTuple):
    """By the names of builtins what each computes, and what each does with a chance that does something at random."""

    meanings: Mapping[str, Callable[..., Value]]
    random: Mapping[str, Callable[..., Value]]


SEARCHED = Rows(MEANINGS, RANDOM)
"""What searches for counterexamples run."""


class Interpreter:
    """Runs the functions of a program. ``boxes`` are its black boxes, by name. ``released`` tells what a mechanism
    returns that is called with given arguments, and what is drawn; without it, it returns what its noise would be added
    to. ``rows`` are what builtins compute, and do at random, and ``most_steps`` how many terms are evaluated in one
    run at most."""

    def __init__(
        self,
        definitions: Sequence[term.Definition],
        boxes: Mapping[str, Callable[..., Value]] | None = None,
        released: Callable[[term.Call, list[Value]], Value] | None = None,
        rows: Rows = SEARCHED,
        most_steps: int = MOST_STEPS,
    ) -> None:
        self._released = released
        self._meanings, self._random = rows
        self._most_steps = most_steps
        self._methods: dict[str, list[Method]] = {}
        self._constants: dict[str, term.Constant] = {}
        self._boxes = boxes or {}
        self._steps = 0
        self._chance: Any = None
        self.printed: list[Value] = []
        """What the last run has printed: where, and the values that it showed."""
        for definition in definitions:
            if isinstance(definition, Method):
                self._methods.setdefault(definition.name, []).append(definition)
            else:
                self._constants[definition.name] = definition

    def run(self, method: Method, arguments: Sequence[Value], chance: object = None) -> Value:
        """What a method returns; raises :class:`Undefined` where it fails. ``chance`` is what the rows that do
        something at random are given first: a :class:`Chance`, by the rows there are without others."""
        self._steps = 0
        self._chance = chance
        self.printed = []
        try:
            return self._method(method, arguments, ChainMap())
        except RecursionError:
            raise NoMeaning("its calls are nested too deeply") from None

    def _method(self, method: Method, arguments: Sequence[Value], around: Environment) -> Value:
        if method.body is None:
            return self._boxed(method.name)(*arguments)
        given = (_as_declared(p.type, a) for p, a in zip(method.params, arguments, strict=True))
        environment = around.new_child(dict(zip((p.local for p in method.params), given, strict=True)))
        value = self._body(method.body, environment)
        return value if method.converts == machine.ANY else _unstored(value)

    def _boxed(self, name: str) -> Callable[..., Value]:
        if name not in self._boxes:
            raise NoMeaning(f"nothing is known of the black box `{name}`")
        return self._boxes[name]

    def _body(self, body: Body, environment: Environment) -> Value:
        for bind in body.binds:
            self._bind(bind, environment)
        return self._term(body.result, environment)

    def _bind(self, bind: Bind, environment: Environment) -> None:
        value = self._term(bind.term, environment)
        if len(bind.targets) == 1 and not isinstance(bind.term, term.Loop):
            environment[bind.targets[0]] = value
        elif bind.targets:
            if len(value) != len(bind.targets):
                raise Undefined("a tuple of another length")
            environment.update(zip(bind.targets, value, strict=True))

    def _term(self, node: Term, environment: Environment) -> Value:
        self._steps += 1
        if self._steps > self._most_steps:
            raise NoMeaning("it takes too long")
        match node:
            case term.Literal(value=value, integer=integer):
                return _Int(value) if integer else value
            case term.Use(local=local):
                return environment[local]
            case term.Global(name=name):
                return self._global(name)
            case term.NormArgument(norm=norm):
                return norm
            case term.TypeArgument(type=type_):
                return type_
            case term.TruthArgument(value=truth):
                return truth
            case term.Call():
                return self._call(node, environment)
            case term.Apply(function=function, args=args, keywords=names):
                called = self._term(function, environment)
                values = [self._term(arg, environment) for arg in args]
                placed = len(values) - len(names)
                return called(*values[:placed], **dict(zip(names, values[placed:], strict=True)))
            case term.MakeTuple(items=items, label=label):
                return Labelled.of([self._term(item, environment) for item in items], label)
            case term.Field(value=value, name=name):
                return self._term(value, environment).part(name)
            case term.Branch(condition=condition, then=then, otherwise=otherwise):
                return self._body(then if self._term(condition, environment) else otherwise, environment)
            case term.Loop():
                return self._loop(node, environment)
            case term.Unending():
                return math.inf
            case term.Comprehension():
                return array(list(self._rounds(node, environment)))
            case term.Closure(methods=methods):
                return self._function(methods, environment)
            case term.Scope(bind=bind, rest=rest) if self._released is not None and isinstance(bind.term, term.Call):
                drawn = self._released(bind.term, [self._term(arg, environment) for arg in bind.term.args])
                environment.update(zip(bind.targets, drawn, strict=True))
                return self._body(rest, environment)
            case term.Check(condition=condition, negated=negated):
                if bool(self._term(condition, environment)) is negated:
                    raise Undefined("an assertion fails")
                return ()
            case term.Show(span=span, shown=shown, gives=gives):
                values = [self._term(each, environment) for each in shown]
                self.printed.append((span, *values))
                return values[-1] if gives else ()
            case term.Scope(bind=bind, rest=rest):
                self._bind(bind, environment)
                return self._body(rest, environment)
        raise NoMeaning("it was not understood")

    def _call(self, node: term.Call, environment: Environment) -> Value:
        row = builtins.TABLE[node.builtin]
        if self._chance is not None and row.name in self._random:
            return self._random[row.name](self._chance, *(self._term(arg, environment) for arg in node.args))
        if self._released is not None and row.forms[0].noise is not None:
            return self._released(node, [self._term(arg, environment) for arg in node.args])
        if row.name in WITHOUT_MEANING:
            raise NoMeaning(f"`{row.name}` {WITHOUT_MEANING[row.name]}")
        placed = len(node.args) - len(node.keywords)
        if row.has(ShortCircuit):
            first, second = node.args
            return self._meanings[row.name](self._term(first, environment), lambda: self._term(second, environment))
        args = [self._term(arg, environment) for arg in node.args]
        return self._computed(row.name, args[:placed], dict(zip(node.keywords, args[placed:], strict=True)))

    def _computed(self, row: str, placed: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """What a row computes."""
        value = self._meanings[row](*placed, **named)
        if isinstance(value, StandIn):
            return value
        if any(map(_is_long, _entries(value) if is_container(value) else (value,))):
            raise NoMeaning("its numbers are too long")
        return value if all(isinstance(arg, _Int) for arg in (*placed, *named.values())) else _unstored(value)

    def _global(self, name: str) -> Value:
        if name in self._methods:
            return self._function(self._methods[name], ChainMap())
        if name in self._constants:
            return self._body(self._constants[name].term, ChainMap())
        row = builtins.replaceable(name)
        trait = None if row is None else row.trait(Replaceable)
        if row is not None and trait is not None:
            return self._computed(row.name, (), {}) if trait.value else partial(self._called, row.name)
        raise NoMeaning(f"`{name}` is not defined")

    def _called(self, row: str, *placed: Value, **named: Value) -> Value:
        return self._computed(row, placed, named)

    def _function(self, methods: Sequence[Method], environment: Environment) -> Callable[..., Value]:
        def called(*arguments: Value, **named: Value) -> Value:
            arguments = self._completed(methods, arguments, named)
            return self._method(chosen(methods, arguments), arguments, environment)

        return called

    def _completed(
        self, methods: Sequence[Method], arguments: tuple[Value, ...], named: Mapping[str, Value]
    ) -> tuple[Value, ...]:
        """The arguments for all parameters of a function that has one definition, with what was left out."""
        params = methods[0].params if len(methods) == 1 else ()
        placed = [param for param in params if not param.by_name]
        left_out = placed[len(arguments) :]
        named_params = [param for param in params if param.by_name]
        may_be_named = {param.local.name for param in (*named_params, *(each for each in left_out if each.either_way))}
        if not (left_out or named_params or named):
            return arguments
        if len(arguments) > len(placed) or not named.keys() <= may_be_named:
            raise Undefined("no method for these arguments")
        found = list(arguments)
        for param in (*left_out, *named_params):
            if param.local.name in named:
                found.append(named[param.local.name])
            elif param.default is not None:
                found.append(self._term(param.default, ChainMap()))
            else:
                raise Undefined("no method for these arguments")
        return tuple(found)

    def _loop(self, node: term.Loop, environment: Environment) -> tuple[Value, ...]:
        """The values of what is carried, after the last round."""
        indices = self._indices(node, environment)
        values = tuple(self._term(start, environment) for _, start in node.carried)
        for index in indices:
            inner = environment.new_child(dict(zip((local for local, _ in node.carried), values, strict=True)))
            inner[node.index] = index
            values = self._body(node.body, inner)
            if node.going is not None and not values[node.going]:
                break
        return values

    def _rounds(self, node: term.Comprehension, environment: Environment) -> Iterator[Value]:
        """What the rounds make, one after the other."""
        for index in self._indices(node, environment):
            yield self._body(node.body, environment.new_child({node.index: index}))

    def _indices(self, node: term.Rounds, environment: Environment) -> Iterator[Value]:
        """The numbers of the rounds."""
        first, last = (self._term(each, environment) for each in (node.first, node.last))
        step = 1 if node.step is None else self._term(node.step, environment)
        if step == 0:
            raise Undefined("a range whose step is 0")
        return takewhile((lambda i: i <= last) if step > 0 else (lambda i: i >= last), count(first, step))


# The choice of a method, as Julia makes it


def chosen(methods: Sequence[Method], arguments: Sequence[Value]) -> Method:
    """The most specific method that takes these arguments. Whole numbers here may be stored as floats in Julia, and
    arrays as what is none; where another method would run then, there is no meaning here."""
    fitting = [method for method in methods if len(method.params) == len(arguments)]
    if len(fitting) > 1:
        if any(map(_is_partly_told, fitting)):
            raise NoMeaning("which method runs depends on what the arguments are stored as")
        found = {_most_specific(fitting, types) for types in product(*map(_run_time_types, arguments))} - {None}
        if len(found) > 1:
            raise NoMeaning("which method runs depends on what the arguments are stored as")
        fitting = [method for method in found if method is not None]
    taking = [
        method
        for method in fitting
        if all(is_one_of(arg, param.type) for arg, param in zip(arguments, method.params, strict=True))
    ]
    if len(taking) != 1:
        raise Undefined("no method for these arguments")
    return taking[0]


def are_told_apart(methods: Sequence[Method]) -> bool:
    """Whether it never depends on what arguments are stored as, of which nothing is known here, which of the methods
    with so many parameters runs: they are told apart by what values are, such as numbers and vectors."""
    if len(methods) > 1 and any(map(_is_partly_told, methods)):
        return False
    columns = list(zip(*(method.dispatch for method in methods), strict=True))
    kinds = [list(_kinds(column)) if len(set(column)) > 1 else [column[:1]] for column in columns]
    if prod(sum(map(len, each)) for each in kinds) > _MOST_CHOICES:
        return False
    choices = ({_most_specific(methods, types) for types in product(*given)} for given in product(*kinds))
    return all(len(found - {None}) <= 1 for found in choices)


def _is_partly_told(method: Method) -> bool:
    """Whether a method takes some values of a type, which are not told apart here."""
    return any(isinstance(each, machine.Partly) for each in method.dispatch)


_MOST_CHOICES = 10_000
_STORED = (machine.BOOL, machine.INT, machine.FLOAT64)
_ARRAYS = [[machine.Arrays(axes, each) for each in _STORED] for axes in (1, 2)]
_VIEWS = [[machine.Arrays(axes, each, machine.OTHER_ARRAY) for each in _STORED] for axes in (1, 2)]
_OTHER_VECTORS: list[Declared] = [*map(machine.NominalType, ("DMGrads", "DMModel")), *_VIEWS[0]]
_OTHER_MATRICES = _VIEWS[1]
_PLAIN: tuple[Sequence[Declared], ...] = (
    [machine.Numbers(machine.BOOL)],
    [machine.Numbers(machine.INT), machine.Numbers(machine.FLOAT64)],
    [*_ARRAYS[0], *_OTHER_VECTORS],
    [*_ARRAYS[1], *_OTHER_MATRICES],
    [machine.NominalType("Function")],
)
"""What a value here may be stored as: a truth value, a number, a vector, a matrix, a function."""


def _kinds(column: Sequence[Declared]) -> Iterator[Sequence[Declared]]:
    """The same for values that annotations of one place may tell apart; tuples as their items are."""
    yield from _PLAIN
    tuples = [each for each in column if isinstance(each, machine.Tuples)]
    for length in {len(each.items) for each in tuples}:
        items = zip(*(each.items for each in tuples if len(each.items) == length), strict=True)
        for given in product(*map(_kinds, items)):
            yield [machine.Tuples(types) for types in product(*given)]


def _most_specific(methods: Sequence[Method], types: Sequence[Declared]) -> Method | None:
    """The method that Julia chooses for arguments of these types; None where there is none, or more than one."""

    def within(left: Sequence[Declared], right: Sequence[Declared]) -> bool:
        return all(map(machine.within, left, right))

    fitting = [method for method in methods if within(types, method.dispatch)]
    best = [method for method in fitting if all(within(method.dispatch, other.dispatch) for other in fitting)]
    return best[0] if len(best) == 1 else None


def _run_time_types(value: Value) -> list[Declared]:
    """The types that a value may have when the program runs."""
    if isinstance(value, Labelled):
        return [machine.NominalType(value.label.of or "NamedTuple")]
    if isinstance(value, tuple):
        return [machine.Tuples(items) for items in product(*map(_run_time_types, value))]
    if is_container(value):
        held = {machine.BOOL, machine.INT, machine.FLOAT64}.intersection(*map(_stored, value.flat))
        arrays: list[Declared] = [machine.Arrays(value.ndim, each) for each in held]
        return [*arrays, *(_OTHER_VECTORS if value.ndim == 1 else _OTHER_MATRICES)]
    if callable(value):
        return [machine.NominalType("Function")]
    return [machine.Numbers(each) for each in _stored(value)]


def _stored(value: Value) -> tuple[machine.Stored, ...]:
    if isinstance(value, StandIn):
        return tuple(dict.fromkeys(each for like in value.likes for each in _stored(like)))
    if isinstance(value, bool):
        return (machine.BOOL,)
    if isinstance(value, _Int):
        return (machine.INT,)
    return (machine.INT, machine.FLOAT64) if isinstance(value, int) else (machine.FLOAT64,)


def _unstored(value: Value) -> Value:
    """A value that Julia may have converted, or promoted beside others."""
    if isinstance(value, StandIn):
        return value
    if isinstance(value, tuple):
        return with_items(value, map(_unstored, value))
    if is_container(value) and any(isinstance(entry, _Int) for entry in value.flat):
        return array([_unstored(entry) for entry in value.flat], value.shape)
    return int(value) if isinstance(value, _Int) else value


def _as_declared(annotation: Annotation, value: Value) -> Value:
    """A value that a parameter takes."""
    whole = isinstance(annotation, NumberOf) and annotation.base is Base.INTEGER
    return _Int(value) if whole and type(value) is int else value


def is_one_of(value: Value, annotation: Annotation) -> bool:
    """Whether a value is of a type when the program runs."""
    if isinstance(value, StandIn):
        answers = {is_one_of(each, annotation) for each in value.likes}
        return answers.pop() if len(answers) == 1 else is_one_of(value.really(), annotation)
    match annotation:
        case Anything():
            return True
        case NumberOf(base, stored):
            if isinstance(value, bool):
                return not stored or bool(stored & machine.BOOL)
            return isinstance(value, int if base is Base.INTEGER else int | Fraction | float)
        case Truth():
            return isinstance(value, bool)
        case ContainerOf(kind, element):
            axes = 2 if kind is Kind.MATRIX else 1
            holds = element is None or all(is_one_of(entry, _annotated(element)) for entry in _entries(value))
            return is_container(value) and value.ndim == axes and holds
        case DatasetOf(records=records):
            return is_one_of(value, records)
        case AModel():
            return is_container(value) and value.ndim == 1
        case AFunction():
            return callable(value)
        case TupleOf(items, label):
            labelled = value.label if isinstance(value, Labelled) else None
            same = isinstance(value, tuple) and len(value) == len(items) and labelled == label
            return same and all(is_one_of(item, each) for item, each in zip(value, items, strict=True))


def _is_long(value: Value) -> bool:
    if isinstance(value, int):
        return value.bit_length() > LONGEST
    if not isinstance(value, Fraction):
        return False
    return max(value.numerator.bit_length(), value.denominator.bit_length()) > LONGEST


def _annotated(element: Base | Truth) -> Annotation:
    return element if isinstance(element, Truth) else NumberOf(element)


def _entries(value: Value) -> Sequence[Value]:
    return tuple(value.flat) if is_container(value) else ()
