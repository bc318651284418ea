"""Breaks the rules that belong to no row: those of loops, branches, calls, dispatch, captures, failures, samples,
distances, composition, memory and of the numbers themselves. Each is one function that is replaced by a wrong one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import repeat
from typing import Any

from dp_lsp import builtins
from dp_lsp.accounting import symbolic, walk
from dp_lsp.builtins import intervals, monotonicity
from dp_lsp.builtins.traits import Indexing
from dp_lsp.core import constraints, machine, metrics, sens, term
from dp_lsp.core.sens import ONE, ZERO, Sens, Way
from dp_lsp.core.types import Base, NumberType
from dp_lsp.frontends.julia.semantics import JuliaStorage
from dp_lsp.infer import (
    apply,
    calls,
    checks,
    conditions,
    disjoint,
    dispatch,
    effects,
    functions,
    generalize,
    growth,
    inference,
    invariants,
    loops,
    mechanisms,
    moves,
    openings,
    rules,
    solver,
    terms,
    units,
)
from dp_lsp.infer.effects import NONE
from dp_lsp.lower import ownership

from .breaking import Rule, Wrong

_HALF = sens.number(Fraction(1, 2))
_UNKNOWN = repeat(None)


def _always(value: object) -> Wrong:
    return lambda right: lambda *args, **named: value


def _last_only(right: Any) -> Any:
    def join(self: ownership.Ownership, others: Any) -> None:
        for other in others:
            self.restore(other)

    return join


def _halved(right: Any) -> Any:
    def of(*args: Any, **named: Any) -> Sens:
        found = right(*args, **named)
        return found * _HALF if not found.infinite and found != ONE else found

    return of


def _grown(part: str, wrong: Callable[[Sens], Sens]) -> Wrong:
    """The growth of a loop with the entries of one matrix changed."""

    def of(right: Any) -> Any:
        def growth_of(once: growth.Matrix, count: Sens | None) -> growth.Growth:
            found = right(once, count)
            return found._replace(**{part: [[wrong(entry) for entry in row] for row in getattr(found, part)]})

        return growth_of

    return of


def _half(entry: Sens) -> Sens:
    return ONE if entry.infinite else entry * _HALF


def _wrong_combined(right: Any) -> Any:
    def combined(parts: Any, span: Any, rule: str, subject: str = "", ways: Any = _UNKNOWN) -> Any:
        listed = list(parts)
        if len(listed) < 2:
            return right(listed, span, rule, subject, ways)
        most: dict[Any, Any] = {}
        for part, way in zip(listed, ways, strict=False):
            for var, move in right((part,), span, rule, subject, (way,)).items():
                if var not in most or constraints.decide(most[var].sens, "<=", move.sens):
                    most[var] = move
        return most

    return combined


def _one_side(right: Any) -> Any:
    return lambda left, other, span: left


def _capped_all(right: Any) -> Any:
    """The diameter of results, whether or not the inputs are apart by 1."""

    def capped(moved: Any, diameter: Sens, span: Any) -> Any:
        if diameter.infinite:
            return moved
        return {var: replace(move, sens=diameter) for var, move in moved.items()}

    return capped


def _first_items(right: Any) -> Any:
    def of_tuples(moved: Any, tuples: Any, span: Any) -> Any:
        seen, kept = set(), {}
        for var, move in moved.items():
            if tuples.get(var, var) not in seen or var not in tuples:
                kept[var] = move
            seen.add(tuples.get(var, var))
        return right(kept, tuples, span)

    return of_tuples


def _without(index: int, empty: object) -> Wrong:
    """A function that is given nothing in one place."""
    return lambda right: lambda *args: right(*args[:index], empty, *args[index + 1 :])


def own_rows_everywhere(right: Any) -> Any:
    """The row that a round reads counts once, whichever row it is."""

    def arguments(rounds: Any, node: Any, values: Any) -> Any:
        if rounds and values and len(node.args) > 1 and builtins.TABLE[node.builtin].has(Indexing):
            own = list(rounds.values())[-1].of(node.args[0]) if isinstance(node.args[0], term.Use) else None
            return [own or values[0], *values[1:]]
        return right(rounds, node, values)

    return arguments


def _fewer_rounds(right: Any) -> Any:
    return lambda *args: sens.positive_part(right(*args).single_poly() - constraints.Poly.of(1))


def _first_of(right: Any) -> Any:
    def choose(inferred: Any, span: Any, value: Any, types: Any) -> Any:
        return next((each for each in value.methods if len(each.params) == len(types)), None)

    return choose


def _unconditional(right: Any) -> Any:
    """Conditions that stay open are forgotten."""
    return lambda inferred, since: right(inferred, since)._replace(needs=())


def _true_if_open(right: Any) -> Any:
    return lambda self: True if right(self) is None else right(self)


def _no_drift(right: Any) -> Any:
    """An account whose loss is taken to be 0 in the mean."""
    return lambda count, epsilon: right(count, epsilon)._replace(mean=sens.ZERO)


def _less(name: str) -> Wrong:
    """A price of which ε or δ is left out, where there is some of both."""
    return lambda right: lambda *args: right(*args)._replace(**{name: sens.ZERO})


def _plain_sum(first: walk.Price, second: walk.Price) -> walk.Price:
    return walk.Price(first.epsilon + second.epsilon, first.delta + second.delta)


def _largest_price(self: Any, prices: list[walk.Price]) -> walk.Price:
    return walk.Price(sens.maximum(p.epsilon for p in prices), sens.maximum(p.delta for p in prices))


def _linear(cost: Any, inside: walk.Price) -> walk.Price:
    q = walk.rate(cost)
    return inside if inside.unbounded else walk.Price(q * inside.epsilon, q * inside.delta)


def _without_factor(right: Any) -> Any:
    return lambda cost, distances: right(
        cost._replace(factor=ONE) if hasattr(cost, "_replace") else replace(cost, factor=ONE), distances
    )


def broken_rules() -> Iterator[Rule]:
    """All of them."""
    for name, listed in _RULES.items():
        for what, owner, function, wrong in listed:
            yield Rule(f"{name}, {what}", owner, function, wrong)


def _whole_too(right: Any) -> Any:
    return lambda type_: right(type_) or type_ == NumberType(Base.INTEGER)


_RULES: dict[str, list[tuple[str, Any, str, Wrong]]] = {
    "ways": [
        ("all rows rise", monotonicity, "of", lambda right: lambda row, args: (Way.RISES,) * len(args)),
        ("all numbers are positive", intervals, "way", _always(Way.RISES)),
        ("the first of several", sens, "common", lambda right: lambda found: next(iter(found))),
        ("what falls rises", sens, "through", _always(Way.RISES)),
        ("all values are ordered", sens, "is_chained", _always(True)),
    ],
    "metrics": [
        ("norms cost half as much", metrics, "conversion", _halved),
        ("all numbers are apart by 1", metrics, "has_gap", _always(True)),
        ("all results are within 1", metrics, "diameter", _always(ONE)),
        ("diameters halved", metrics, "diameter", lambda right: lambda type_: _half(right(type_))),
        ("one entry moves", metrics, "spread", _always(ONE)),
        ("Integers are Data", metrics, "is_discrete", _whole_too),
    ],
    "moves": [
        ("the larger of two uses", moves, "combined", _wrong_combined),
        ("the first of two values", rules.SOUND, "either", _one_side),
        ("capped at the diameter always", moves, "capped", _capped_all),
        ("the first item of a tuple", moves, "of_tuples", _first_items),
        ("a condition moves nothing", moves, "joined", _without(1, ({}, ONE))),
    ],
    "loops": [
        ("starts halved", rules.SOUND, "growth", _grown("start", _half)),
        ("what rounds read halved", rules.SOUND, "growth", _grown("every", _half)),
        ("rows of rounds halved", rules.SOUND, "growth", _grown("one", _half)),
        ("one round less", rules.SOUND, "rounds", _fewer_rounds),
        ("the published rounds", rules.SOUND, "rounds", lambda right: rules.published_rounds),
        ("the published growth", rules.SOUND, "growth", lambda right: growth.published),
        (
            "unknown rounds add nothing",
            growth,
            "_unlimited",
            lambda right: lambda once: right(once)._replace(every=growth._filled(once, ONE)),
        ),
        ("any number of rounds may start with any rate", growth, "_at_most_one", _always(True)),
        ("a private loop may carry anything", loops, "_protected", _always(NONE)),
        (
            "types of the start",
            invariants,
            "types",
            lambda right: lambda inferred, node, starts: tuple(inferred.type(start) for start in starts),
        ),
        ("every number stays whole", invariants, "_may_be_real", _always(False)),
        ("no number stays whole", invariants, "_may_be_real", _always(True)),
        (
            "entries of a vector add up to it",
            disjoint.OwnRows,
            "_factor",
            lambda right: lambda self, norm, over: over.one,
        ),
        ("any row is that of the round", disjoint, "arguments", own_rows_everywhere),
        ("failures inside are not seen outside", loops, "_outside", _always(effects.Failure({}, None))),
    ],
    "samples of private size": [
        ("a round takes nothing anywhere", moves, "displacement", _always(ZERO)),
        ("a round takes it half as far", moves, "displacement", _halved),
        ("rows keep their numbers", disjoint.OwnRows, "index", _always({})),
        ("a row that differs is one step", walk.Walk, "steps", _always(1)),
        ("all matrices are only drawn from", functions, "_used_otherwise", _always(frozenset())),
    ],
    "calls": [
        ("factors halved", apply.ResolvedCall, "factor", lambda right: lambda self, index: _half(right(self, index))),
        ("captures move nothing", apply.ResolvedCall, "captured", _always({})),
        ("a function moves with nothing", functions, "_captured", _always({})),
        ("captures that depend on arguments", functions, "_is_about", _always(False)),
        ("failures of builtins are not seen", calls, "_may_fail", _always(NONE)),
        ("failures of functions are not seen", apply, "_fail", _always(NONE)),
        ("records are counted in public", calls, "is_uncounted", _always(False)),
        ("failures are not seen", checks, "with_failures", lambda right: lambda inferred, method, found: found),
        (
            "black boxes are 1-sensitive",
            moves,
            "combined",
            lambda right: (
                lambda parts, span, rule, subject="": right(
                    [(moved, ONE if rule == "black box" else factor) for moved, factor in parts], span, rule, subject
                )
            ),
        ),
        (
            "conditions of a callee are forgotten",
            conditions,
            "put_into",
            lambda right: (
                lambda values, need: (
                    need._replace(left=need.right, relation="<=") if values.symbols else right(values, need)
                )
            ),
        ),
        (
            "a clip is not asked for",
            apply.Instance,
            "_container",
            lambda right: lambda self, pattern, actual: right(self, replace(pattern, clip=apply.Clip.U), actual),
        ),
        (
            "operations that wait move by 1",
            openings,
            "_weighted",
            lambda right: lambda known, arguments: ((argument, ONE) for argument in arguments),
        ),
    ],
    "dispatch": [
        ("the first method", dispatch, "choose", _first_of),
        ("every annotation takes every number", dispatch, "_within", _always(dispatch.Cover.ALL)),
        ("no method may be missing", dispatch, "applies", _always(NONE)),
        ("what is returned is not converted", checks, "converted", lambda right: lambda type_, wanted: type_),
        ("a loop stores what it starts with", invariants, "widened", lambda right: lambda inferred, node, types: types),
        ("every number is a position", calls, "_may_be_no_position", _always(NONE)),
        ("what is not known is stored alike", solver, "widest", lambda right: lambda type_: type_),
        ("all results are stored alike", JuliaStorage, "numbers", _always(machine.INT)),
        ("all containers are arrays", JuliaStorage, "arrays", _always(machine.ARRAY)),
    ],
    "branches": [
        ("a private choice of mechanisms", terms, "_no_private_choice", _always(NONE)),
        (
            "failures behind a condition",
            terms,
            "_behind",
            lambda right: lambda condition, span, found: found,
        ),
        (
            "a private assertion",
            terms,
            "_check",
            lambda right: lambda inferred, node: effects.Evaluation(inference.Judgement(terms.TupleType(()), {})),
        ),
    ],
    "mechanisms": [
        ("any distance is hidden", mechanisms, "_hidden", _always(True)),
        ("any argument may be exposed", mechanisms, "expose", _always(NONE)),
        ("norms cost nothing", mechanisms, "_factor", _always(ONE)),
        ("what is not understood costs nothing", mechanisms, "nothing_hidden", _always(NONE)),
    ],
    "private functions": [
        ("any argument", mechanisms, "_distance", _always(ONE)),
        ("unbounded arguments", mechanisms, "_unbounded_input", _always(None)),
        ("leaks are forgotten", inference.Inference, "leak", _always(NONE)),
        (
            "runs see one matrix",
            calls._Calls,
            "_seen",
            lambda right: lambda self, runs, along, origin: self._spent([along[0], *({} for _ in along[1:])], origin),
        ),
        (
            "failed conditions",
            generalize,
            "_nothing_holds",
            lambda right: lambda params, returned, cost: (returned, cost),
        ),
    ],
    "persons": [
        ("a person has one record", units, "of_a_person", lambda right: lambda moved, *rest: moved),
        ("parts of a person", units, "marked", lambda right: lambda params, *capped: tuple(params)),
        ("any distance is made of steps", openings, "has_steps", _always(True)),
    ],
    "sampling": [
        ("drawn values may leave", terms, "_left_behind", lambda right: lambda value, *rest: value),
        ("rows stay in their places", terms, "_is_variable", _always(True)),
        (
            "no record is drawn twice",
            terms,
            "Var",
            lambda right: lambda *args, **named: right(*args, **{**named, "once": True}),
        ),
    ],
    "prices": [
        ("rounds cost one", symbolic.SymbolicBasic, "repeat", lambda right: lambda self, cost, once: once),
        ("advanced composition without drift", symbolic, "one_step", _no_drift),
        ("advanced composition without a share of δ", symbolic.SymbolicAdvanced, "closed", _less("delta")),
        ("all steps are in one part", walk, "adds_up", _always(True)),
        ("samples cost qε", walk, "amplified", lambda right: _linear),
        ("the largest of a sequence", symbolic.Pairs, "sequence", lambda right: _largest_price),
        ("δ of a hybrid is a sum", walk, "both", lambda right: _plain_sum),
        ("a group costs one", walk, "group", lambda right: lambda one, steps: one),
        ("norms cost nothing", walk, "released", _without_factor),
        ("any distance is one step", walk, "units_of", _always(walk.Units(ONE, ONE))),
        (
            "arguments move by 1",
            walk,
            "along",
            lambda right: lambda moved, distances: ONE if moved.keys() & distances.keys() else sens.ZERO,
        ),
    ],
    "conditions": [
        ("open ones are not shown", conditions, "settle", _unconditional),
        ("open ones hold", constraints.Constraint, "decide", _true_if_open),
    ],
    "memory": [
        ("nothing is foreign", ownership.Ownership, "is_foreign", _always(False)),
        ("nothing is shared", ownership.Ownership, "sharing", _always(None)),
        ("nothing is shuffled", ownership.Ownership, "shuffled", _always(None)),
        ("no change is remembered", ownership.Ownership, "change", _always(None)),
        ("what the other branch leaves is forgotten", ownership.Ownership, "join", _always(None)),
        ("what the first branch leaves is forgotten", ownership.Ownership, "join", _last_only),
        (
            "rounds leave everything in place",
            ownership.Ownership,
            "after_rounds",
            lambda right: lambda self, carried, before: {name: before[name] for name in carried},
        ),
    ],
    "numbers": [
        (
            "signs are kept",
            sens,
            "magnitude",
            lambda right: (
                lambda value: right(value) if value.evidently_nonnegative or value.number is not None else ONE
            ),
        ),
        (
            "divisors are at least 1",
            sens,
            "inverse_magnitude",
            lambda right: lambda value: right(value) if value.number is None else _HALF * _HALF * _HALF,
        ),
        ("a geometric sum is its count", sens, "geometric", lambda right: lambda base, count: sens.magnitude(count)),
        ("a ceiling is a floor", sens, "ceiling", lambda right: lambda value: right(value - constraints.Poly.of(1))),
        ("powers are squares", sens, "power", lambda right: lambda base, exponent: base * base),
    ],
}
