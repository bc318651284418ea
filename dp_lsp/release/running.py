"""Running a function of which everything is proved, once, with noise; or why it is not run.

What one person can do to a parameter: one step, as its type says, and how many of them.

Steps have names that are written down in ledgers, so none of them is ever given another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Context, Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from dp_lsp import builtins
from dp_lsp.analysis.records import FunctionReport, State
from dp_lsp.analysis.rows import NumericReport
from dp_lsp.builtins.meanings import NoMeaning, Undefined, Value, is_container
from dp_lsp.builtins.randomness import COMPUTED, RELEASED
from dp_lsp.core import events
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.evaluate import Substitution, symbols_of
from dp_lsp.core.events import Answer, Called, Cost, nodes
from dp_lsp.core.events import numbers as numbers_of
from dp_lsp.core.metrics import is_discrete
from dp_lsp.core.notation import allowed, decimal
from dp_lsp.core.scheme import SchemeParameter
from dp_lsp.core.sens import Sens
from dp_lsp.core.term import Closure, Definition, Method
from dp_lsp.core.types import (
    Base,
    BoolType,
    Container,
    Dataset,
    DatasetMetric,
    FunctionType,
    Kind,
    Norm,
    NumberType,
    TupleType,
    Type,
)
from dp_lsp.engine.runnable import Runnable, calls, terms
from dp_lsp.meaning.interpreter import Interpreter, Rows, are_told_apart
from dp_lsp.mechanisms.mechanism import Draws
from dp_lsp.named import NamedTuple
from dp_lsp.release import RunRefused, compiled, noise
from dp_lsp.release.inputs import Inputs, records_of_a_person
from dp_lsp.release.noise import SampledNoise
from dp_lsp.release.sources import Table


class NeighbourStep(Enum):
    """What one change is, in words; its name in a ledger is that of the member."""

    SYMMETRIC = "one record is added or removed"
    INSERT_DELETE = "one record is added or removed, and the others keep their order"
    CHANGE_ONE = "one record is replaced by another, and their number is public"
    HAMMING = "the record in one place is replaced by another, and their number is public"
    ROW_JOINS = "one row is added or removed"
    ROW = "one row is replaced by another"
    ENTRY = "one entry is replaced by another"
    VALUE = "it is any other value"
    NUMBER = "it changes by at most 1"
    VECTOR_L1 = "it changes by at most 1 in L1"
    VECTOR_L2 = "it changes by at most 1 in L2"
    VECTOR_LINF = "it changes by at most 1 in LInf"
    VECTOR_ANY = "it changes by at most 1 in any norm"
    ROWS_L1 = "its rows change by at most 1 together in L1"
    ROWS_L2 = "its rows change by at most 1 together in L2"
    ROWS_LINF = "its rows change by at most 1 together in LInf"
    ROWS_ANY = "its rows change by at most 1 together in any norm"


ADDED = frozenset({NeighbourStep.SYMMETRIC, NeighbourStep.INSERT_DELETE, NeighbourStep.ROW_JOINS})
"""Steps that are made by a record that comes or goes, while the others keep their order."""
REPLACED = frozenset({NeighbourStep.CHANGE_ONE, NeighbourStep.HAMMING, NeighbourStep.ROW, NeighbourStep.ENTRY})
"""Steps that are made by a record that is replaced in its place."""
_METRICS = {
    DatasetMetric.SYMMETRIC: NeighbourStep.SYMMETRIC,
    DatasetMetric.INSERT_DELETE: NeighbourStep.INSERT_DELETE,
    DatasetMetric.CHANGE_ONE: NeighbourStep.CHANGE_ONE,
    DatasetMetric.HAMMING: NeighbourStep.HAMMING,
}
_VECTORS = {Norm.L1: NeighbourStep.VECTOR_L1, Norm.L2: NeighbourStep.VECTOR_L2, Norm.LINF: NeighbourStep.VECTOR_LINF}
_MATRICES = {Norm.L1: NeighbourStep.ROWS_L1, Norm.L2: NeighbourStep.ROWS_L2, Norm.LINF: NeighbourStep.ROWS_LINF}


class NeighbourChange(NamedTuple):
    """Up to so many steps."""

    step: NeighbourStep
    times: int = 1

    @property
    def words(self) -> str:
        """For a person."""
        return f"{self.step.value}, and that up to {self.times} times" if self.times > 1 else self.step.value


class ChangeUnit(NamedTuple):
    """A change that is one of all these steps at once, up to so many times."""

    steps: tuple[NeighbourStep, ...]
    times: int

    @property
    def words(self) -> str:
        """For a person."""
        return "; ".join(NeighbourChange(step, self.times).words for step in self.steps)

    def changes(self, each: NeighbourChange) -> int:
        """How many changes of one kind this one is made of. Whoever replaces a record puts in another and then takes
        it out: never are there fewer than before."""
        return -(-self.times * (2 if self.doubles(each) else 1) // each.times)

    def doubles(self, each: NeighbourChange) -> bool:
        """Whether that is about a record that comes or goes, and this about one that is replaced."""
        return each.step in ADDED and not ADDED.intersection(self.steps)


def unit(changes: Iterable[NeighbourChange]) -> ChangeUnit:
    """A change that all of some are about, if several of each are made: the smallest that says something of all."""
    listed = tuple(dict.fromkeys(changes))
    steps = {each.step for each in listed}
    times = max((each.times for each in listed), default=1)
    kept = tuple(step for step in NeighbourStep if step in steps - ADDED - REPLACED)
    records: tuple[NeighbourStep, ...] = ()
    if steps & REPLACED:
        records = (
            (NeighbourStep.CHANGE_ONE,)
            if steps & (ADDED | REPLACED) == {NeighbourStep.CHANGE_ONE}
            else (NeighbourStep.HAMMING,)
        )
    elif steps & ADDED:
        records = (
            (NeighbourStep.SYMMETRIC,) if steps & ADDED == {NeighbourStep.SYMMETRIC} else (NeighbourStep.INSERT_DELETE,)
        )
    return ChangeUnit((*records, *kept), times)


def step_of(param: SchemeParameter, norms: Substitution, joining: bool) -> NeighbourStep:
    """What a change of a parameter is. ``joining`` says that rows of matrices come and go."""
    match param.type:
        case Dataset(metric=metric):
            return _METRICS[metric]
        case Container(kind=Kind.MATRIX) if joining:
            return NeighbourStep.ROW_JOINS
        case Container(kind=kind, element=element):
            norm = norms.norm(param.type.norm)
            if is_discrete(element) and kind is Kind.VECTOR and norm is Norm.L1:
                return NeighbourStep.ENTRY
            if is_discrete(element) and kind is Kind.MATRIX and norm is Norm.LINF:
                return NeighbourStep.ROW
            known = norm if isinstance(norm, Norm) else None
            if kind is Kind.MATRIX:
                return _MATRICES[known] if known else NeighbourStep.ROWS_ANY
            return _VECTORS[known] if known else NeighbourStep.VECTOR_ANY
        case BoolType() | NumberType(base=Base.DATA):
            return NeighbourStep.VALUE
    return NeighbourStep.NUMBER


def has_records(type_: Type) -> bool:
    """Whether a change is another record, and not another number."""
    return is_discrete(type_.element) if isinstance(type_, Container) else isinstance(type_, Dataset)


MOST_STEPS = 10**12  # no loop is endless, and whoever runs their own program can end it
_MOST_CALLS = 20_000  # that are looked at before a run
JOINT = "joint"
"""The rule of what is guaranteed to a person whose records are in several parameters."""
_CONTEXT = Context(prec=60, traps=[])
_LEAST = Fraction(1, 10**50)
_LARGEST = Fraction(10**4)  # of an ε for which exp(ε) is written down


class RunGuarantee(NamedTuple):
    """What a release guarantees to ``parameters`` that change together, by which rule. ``changes`` says what a person
    changes. By the rule :data:`JOINT` it is what is guaranteed to a person who is in all of these."""

    parameters: tuple[str, ...]
    rule: str
    epsilon: Fraction
    delta: Fraction
    changes: tuple[NeighbourChange, ...]

    @property
    def neighbours(self) -> tuple[str, ...]:
        """What a change of each parameter is, in words."""
        return tuple(each.words for each in self.changes)

    @property
    def is_joint(self) -> bool:
        """Whether it is about a person who is in several parameters at once."""
        return self.rule == JOINT


class RunResult(NamedTuple):
    """What was released, and what that guarantees. ``drawn`` counts by kind what was drawn, and ``unchecked`` says what
    was taken for granted of the data. Of tables that an engine computes with, ``interpreted`` says what it did not
    compute, and why; that may tell about the data."""

    value: Value
    guarantees: tuple[RunGuarantee, ...]
    drawn: tuple[tuple[str, int], ...]
    unchecked: tuple[str, ...]
    interpreted: tuple[str, ...] = ()


def demand_proof(report: FunctionReport) -> None:
    """Refuse what is not proved, or releases nothing."""
    if report.kind == "blackbox":
        raise RunRefused(f"'{report.name}' is a black box: nothing is known of what it returns")
    if report.state is not State.PROVED:
        reason = f": {report.reason}" if report.reason else ""
        raise RunRefused(f"'{report.name}' is not proved, it is {report.state.value}{reason}")
    if report.kind != "privacy":
        raise RunRefused(
            f"'{report.name}' is not `Priv()`: it adds no noise, so what it returns would tell about single people"
        )


def demand_no_doubt(function: Runnable) -> None:
    """Refuse what depends on anything but the numbers that are given."""
    name = function.report.name
    for each in function.reached:
        if isinstance(each, Method) and each.body is None:
            raise RunRefused(f"'{name}' uses the black box '{each.name}', of which nothing is checked")
    for call in (call for each in function.reached for call in calls(each)):
        row = builtins.TABLE[call.builtin]
        if row.name not in RELEASED and (row.name not in COMPUTED or row.forms[0].noise is not None):
            raise RunRefused(f"'{name}' uses `{row.name}`, which cannot be run yet")
    for methods in _of_one_name(function.reached):
        if not are_told_apart(methods):
            raise RunRefused(
                f"which method of '{methods[0].name}' runs depends on what its arguments are stored as, as in Int or "
                "Float64: give each method a name of its own"
            )
    if not _holds_numbers(function.scheme.result.type):
        raise RunRefused(f"'{name}' returns something that is not a number")
    if function.undecided:
        listed = "; ".join(function.undecided)
        raise RunRefused(
            f"the guarantee of '{name}' holds only if {listed}; the numbers that are given do not decide it"
        )


def _of_one_name(reached: Sequence[Definition]) -> Iterator[list[Method]]:
    """The methods of each function, also of one that is made inside another, that take as many arguments."""
    named: dict[str, list[Method]] = {}
    for each in reached:
        if isinstance(each, Method):
            named.setdefault(each.name, []).append(each)
    inside = (list(node.methods) for each in reached for node in terms(each) if isinstance(node, Closure))
    for methods in (*named.values(), *inside):
        for count in {len(method.params) for method in methods}:
            yield [method for method in methods if len(method.params) == count]


def _holds_numbers(type_: Type) -> bool:
    """Whether values of a type are numbers, or hold nothing else, not even names."""
    if isinstance(type_, TupleType):
        return type_.label is None and all(map(_holds_numbers, type_.items))
    return not isinstance(type_, FunctionType)


def guarantees(function: Runnable, numbers: Mapping[str, Fraction], joining: bool) -> tuple[RunGuarantee, ...]:
    """What a run guarantees where public ``numbers`` are known. Refuses one that guarantees nothing to a parameter."""
    about = {each.name: _change(each, function.norms, numbers, joining) for each in function.scheme.params}
    found = tuple(_guarantee(function.report.name, each, about) for each in function.report.numeric)
    kept = {name for each in found for name in each.parameters}
    for param in function.scheme.params:
        if not param.static and not param.var.public and param.name not in kept:
            raise RunRefused(
                f"what is guaranteed to '{param.name}' is an ε for each δ that you choose: say which one by "
                "--target-delta, as in --target-delta 1e-6"
            )
    return *_together(found), *found


def demand_drawable(function: Runnable, numbers: Mapping[str, Fraction]) -> None:
    """Refuse what may ask for noise that is not drawn, or of which that is not known by public ``numbers``: a run that
    is refused while it draws has been counted."""
    pending: list[tuple[Cost, dict[Symbol, Poly | Sens]]] = [(function.scheme.cost, {})]
    seen: set[tuple[int, object]] = set()
    while pending and len(seen) < _MOST_CALLS:
        tree, around = pending.pop()
        symbols = {each for node in nodes(tree) for number in _numbers_of(node) for each in symbols_of(number)}
        given = {each: Poly.of(numbers[each.name]) for each in symbols if each.name in numbers}
        put = Substitution({**given, **around})
        for node in nodes(tree):
            if isinstance(node, events.Release):
                for event in node.events:
                    noise.demand_drawable(event.put(put.sens))
            for body, values in _called(node):  # what it puts nothing for stands for the same as around it
                inside = around | {
                    each: put.sens(x) if isinstance(x, Sens) else put.poly(x) for each, x in values.symbols.items()
                }
                key = id(body), frozenset(inside.items())
                if key not in seen:
                    seen.add(key)
                    pending.append((body, inside))
    if pending:
        raise RunRefused("it makes more calls than can be looked at before it runs")


def _called(node: Cost) -> Iterator[tuple[Cost, Substitution]]:
    """The trees that a call refers to, and what their symbols stand for."""
    if isinstance(node, Called):
        yield node.body, node.values
        yield from ((each.body, each.values) for each in node.answers.values() if isinstance(each, Answer))


def _numbers_of(node: Cost) -> Iterator[Poly | Sens]:
    """The numbers in a node, and those of its mechanism where it is quietest."""
    yield from numbers_of(node)
    if isinstance(node, events.Release) and node.quietest is not None:
        yield from node.quietest.given


def demand_within(
    promised: Sequence[RunGuarantee], tables: Mapping[str, Table], epsilon: Fraction | None, delta: Fraction | None
) -> None:
    """Refuse what costs somebody who is in one of the ``tables`` of parameters more than a configuration allows. That
    each parameter by itself costs no more is part of the proof."""
    for table in dict.fromkeys(tables.values()):
        of_table = [each for each in promised if not each.is_joint and table in map(tables.get, each.parameters)]
        pair = chained([(each.epsilon, each.delta) for each in covering(of_table)])
        names = " and ".join(dict.fromkeys(name for each in of_table for name in each.parameters))
        for found, most, sign, key in zip(pair, (epsilon, delta), "εδ", ("max-epsilon", "max-delta"), strict=True):
            if most is not None and found > most:
                raise RunRefused(
                    f"whoever is in {table.path} is in {names} at once, which costs {sign} {decimal(found, 6)} "
                    f"together: `{key}` allows {allowed(most)}"
                )


def _together(found: Sequence[RunGuarantee]) -> Iterator[RunGuarantee]:
    """What is guaranteed to a person whose records are in several parameters: these change one after the other, and
    each step costs what is guaranteed there, P ≤ exp(ε₁)·P' + δ₁ ≤ exp(ε₁)·(exp(ε₂)·P'' + δ₂) + δ₁. The steps may be
    taken in any order."""
    if len(found) < 2:
        return
    names = tuple(dict.fromkeys(name for each in found for name in each.parameters))
    needed = covering(found)
    if sum(bool(each.epsilon or each.delta) for each in needed) < 2:
        return
    epsilon, delta = chained([(each.epsilon, each.delta) for each in needed])
    changes = dict(pair for each in found for pair in zip(each.parameters, each.changes, strict=True))
    yield RunGuarantee(names, JOINT, epsilon, delta, tuple(changes[name] for name in names))


class _About(Protocol):
    @property
    def parameters(self) -> tuple[str, ...]: ...


Each = TypeVar("Each", bound=_About)


def covering(found: Sequence[Each]) -> list[Each]:
    """Those that are enough to change all parameters that any of them is about, one after the other."""
    needed: list[Each] = []
    for each in sorted(found, key=lambda one: -len(one.parameters)):
        if not set(each.parameters) <= {name for other in needed for name in other.parameters}:
            needed.append(each)
    return needed


def chained(pairs: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """The smallest that an order of the steps gives: of two, the one whose δ is larger for its exp(ε) - 1 is first."""
    epsilon = delta = Fraction(0)
    for more, each in sorted(pairs, key=_weight, reverse=True):
        if each:
            delta = delta + each * _grown(epsilon) if epsilon <= _LARGEST else Fraction(1)
        epsilon += more
    return epsilon, min(delta, Fraction(1))


def _weight(pair: tuple[Fraction, Fraction]) -> Fraction:
    """δ for exp(ε) - 1."""
    return pair[1] / max(_grown(min(pair[0], _LARGEST)) - 1, _LEAST)


def _grown(epsilon: Fraction) -> Fraction:
    """exp(ε), or a little more."""
    if not epsilon:
        return Fraction(1)
    found = _CONTEXT.exp(_CONTEXT.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator)))
    return Fraction(found) * (1 + Fraction(1, 10**30))


def _guarantee(name: str, found: NumericReport, about: dict[str, NeighbourChange]) -> RunGuarantee:
    names = "', '".join(found.parameters)
    if found.missing:
        missing = ", ".join(found.missing)
        raise RunRefused(f"what '{name}' guarantees to '{names}' depends on {missing}, which has no number")
    if found.epsilon is None or found.delta is None or found.delta >= 1:
        raise RunRefused(f"'{name}' guarantees nothing to '{names}'")
    changes = tuple(about[each] for each in found.parameters)
    return RunGuarantee(found.parameters, found.rule, found.epsilon, found.delta, changes)


def _change(
    param: SchemeParameter, norms: Substitution, numbers: Mapping[str, Fraction], joining: bool
) -> NeighbourChange:
    """What one person can do to a parameter."""
    return NeighbourChange(step_of(param, norms, joining), records_of_a_person(param, numbers))


def _unchecked(params: Sequence[SchemeParameter], given: Inputs) -> Iterator[str]:
    """What is taken for granted of the data."""
    for param in params:
        most = records_of_a_person(param, given.numbers)
        if param.name not in given.counted and not param.static and (most > 1 or has_records(param.type)):
            yield f"that no person has more than {'one record' if most == 1 else f'{most} records'} of '{param.name}'"


def _apart(promised: Sequence[RunGuarantee], given: Inputs) -> Iterator[str]:
    """What is taken for granted of parameters that hold parts of one record, and do not come from one table."""
    for each in promised:
        if len(each.parameters) > 1 and not each.is_joint:
            tables = {given.tables.get(name) for name in each.parameters}
            if len(tables) > 1 or None in tables:
                names = "' and '".join(each.parameters)
                yield f"that the rows of '{names}' are in one order, so that a row of each is about the same person"


def release(function: Runnable, given: Inputs, promised: tuple[RunGuarantee, ...], library: Any) -> RunResult:
    """What a function returns, with noise by OpenDP, which is the ``library``. Refuses what cannot be run to its
    end."""
    draws, here = SampledNoise(library), dict[str, str]()
    value = ExactRuns(function, draws, compiled.rows(here.setdefault)).value(given.arguments)
    unchecked = *_unchecked(function.scheme.params, given), *_apart(promised, given)
    interpreted = *given.uncompiled, *(f"`{row}`: {why}" for row, why in here.items())
    return RunResult(value, promised, tuple(sorted(draws.drawn.items())), unchecked, interpreted)


PLAIN = Rows(COMPUTED, RELEASED)
"""What is computed, and drawn, of data that are all here."""


class ExactRuns:
    """Runs of a function with noise, one after the other, each of which spends what it guarantees."""

    def __init__(self, function: Runnable, draws: Draws, rows: Rows = PLAIN) -> None:
        self._interpreter = Interpreter(function.definitions, rows=rows, most_steps=MOST_STEPS)
        self._method, self._draws = function.method, draws

    def value(self, arguments: Sequence[Value]) -> Value:
        """What is released of these arguments. Refuses what cannot be run to its end."""
        try:
            value = self._interpreter.run(self._method, arguments, self._draws)
        except Undefined as failed:
            raise RunRefused(f"the program fails: {failed}") from None
        except NoMeaning as failed:
            raise RunRefused(f"it cannot be run: {failed}") from None
        except OverflowError:
            raise RunRefused("its numbers are too large to be drawn for") from None
        _demand_numbers(value)
        return value


def _demand_numbers(value: Value) -> None:
    if is_container(value):
        value = tuple(value.flat)
    if isinstance(value, tuple):
        for each in value:
            _demand_numbers(each)
    elif callable(value) or not isinstance(value, bool | int | Fraction):
        raise RunRefused("it returns something that is not a number")
