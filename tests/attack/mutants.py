"""Breaks the table of builtins, one thing in one row at a time, and looks whether a test notices.

A mutant is a row whose factors are halved (∞ becomes 1), that lacks a side condition or lets its border pass, that
takes arguments in any norm, of any size or any base, that tells nothing of a failure, whose noise is made for another
norm, or whose result is said to be more than it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from dp_lsp import builtins
from dp_lsp.builtins.datasets import once
from dp_lsp.builtins.define import Args, Builtin, Demand, Form, Parameter, Refusal, free, no_demands
from dp_lsp.builtins.patterns import Box, Num, NumberOrBox, Pattern
from dp_lsp.core.sens import ONE, Sens, number
from dp_lsp.core.types import Base, BoolType, Clip, Container, Norm, NumberType, Type
from dp_lsp.engine.check import Engine

from .trials import SEARCH, Trial, Use, is_refuted, noticed, trials, uses

__all__ = ["Mutant", "in_place", "is_refuted", "mutants"]

_HALF = number(Fraction(1, 2))
Broken = Iterator[tuple[str, Form]]


class Mutant(NamedTuple):
    """A row that is wrong, in which form, and what is wrong with it."""

    row: Builtin
    index: int
    what: str

    @property
    def name(self) -> str:
        return f"`{self.row.name}`: {self.what}"

    @property
    def trials(self) -> Sequence[Trial]:
        """The trials that may notice: those that use the form, or, of one that takes more, the row."""
        found, key = uses(), (self.row.name, self.index)
        if "any " in self.what:
            return [each for each in trials() if self.row.name in found.rows[each.text]]
        return [each for each in trials() if key in found.forms[each.text]]

    def noticed(self, by_search: bool = False) -> str:
        """Who notices; with ``by_search`` only the search is asked."""
        listed = [each for each in self.trials if each.by == SEARCH or not by_search]
        with in_place(self):
            return noticed(listed)


def mutants() -> Iterator[Mutant]:
    """Every form whose result moves, with its factors halved."""
    for row in _rows():
        for index, form in enumerate(row.forms):
            if form.factors is not free:
                yield _with(row, index, "factors halved", replace(form, factors=_halved(form.factors)))


def all_mutants() -> Iterator[Mutant]:
    """Every form, broken in every way that changes something in a program that a test looks at."""
    for row in _rows():
        for index, form in enumerate(row.forms):
            use = uses().of[row.name, index]
            ways = (_in_factors, _in_demands, _in_parameters, _in_failures, _in_noise, _in_result)
            for what, broken in (each for way in ways for each in way(form, use)):
                yield _with(row, index, what, broken)


def _rows() -> list[Builtin]:
    return list({row.name: row for row in builtins.TABLE.values()}.values())


def _with(row: Builtin, index: int, what: str, broken: Form) -> Mutant:
    forms = (*row.forms[:index], broken, *row.forms[index + 1 :])
    return Mutant(replace(row, forms=forms), index, f"form {index + 1}, {what}")


@contextmanager
def in_place(mutant: Mutant) -> Iterator[Engine]:
    """An engine while the mutant stands in the table."""
    names = [name for name, row in builtins.TABLE.items() if row.name == mutant.row.name]
    kept = {name: builtins.TABLE[name] for name in names}
    try:
        builtins.TABLE.update(dict.fromkeys(names, mutant.row))
        yield Engine()
    finally:
        builtins.TABLE.update(kept)


# The ways in which a form can be broken


def _in_factors(form: Form, use: Use) -> Broken:
    if form.factors is free:
        return
    yield "factors halved", replace(form, factors=_halved(form.factors))
    named = sorted(use.moving - {*form.one_of})
    if len(named) > 1:
        for name in named:
            yield f"factor of {name} halved", replace(form, factors=_halved(form.factors, name))


def _halved(factors: Callable[[Args], tuple[Sens, ...]], only: str = "") -> Callable[[Args], tuple[Sens, ...]]:
    def of(args: Args) -> tuple[Sens, ...]:
        found = zip(args.names, factors(args), strict=True)
        return tuple(_half(factor) if only in ("", name) else factor for name, factor in found)

    return of


def _half(factor: Sens) -> Sens:
    return ONE if factor.infinite else factor * _HALF


def _in_demands(form: Form, use: Use) -> Broken:
    if form.demands is no_demands:
        return
    yield "nothing demanded", replace(form, demands=no_demands)
    for index in range(max(map(len, use.demands))):
        yield f"condition {index + 1} dropped", replace(form, demands=_demands(form, index, None))
        if any(relations[index : index + 1] == ("<",) for relations in use.demands):
            yield f"condition {index + 1} true at its border", replace(form, demands=_demands(form, index, "<="))


def _demands(form: Form, index: int, relation: str | None) -> Callable[[Args], tuple[Demand, ...]]:
    """The demands with one of them left out, or one that was strict with another relation."""

    def of(args: Args) -> tuple[Demand, ...]:
        found = tuple(form.demands(args))
        changed = [each._replace(relation=relation) for each in found[index : index + 1] if relation is not None]
        return (*found[:index], *changed, *found[index + 1 :])

    return of


def _in_parameters(form: Form, use: Use) -> Broken:
    names = Counter(name for param in form.params for name in _shared(param.pattern))
    for index, param in enumerate(form.params):
        for what, pattern in _looser(param.pattern, names):
            yield f"any {what} of {param.name}", replace(form, params=_put(form, index, pattern))


def _put(form: Form, index: int, pattern: Pattern) -> tuple[Parameter, ...]:
    return (*form.params[:index], form.params[index]._replace(pattern=pattern), *form.params[index + 1 :])


def _shared(pattern: Pattern) -> Iterator[str]:
    """The names in a pattern: what has one name in two places must be the same."""
    box = pattern.box if isinstance(pattern, NumberOrBox) else pattern
    if isinstance(box, Box):
        yield from (name for name in (box.norm, box.length, box.rows, box.kind) if isinstance(name, str))


def _looser(pattern: Pattern, names: Counter[str]) -> Iterator[tuple[str, Pattern]]:
    """A pattern that demands less of a norm, a size, a kind or a base."""
    match pattern:
        case NumberOrBox(number_, box):
            yield from ((what, replace(pattern, number=each)) for what, each in _looser(number_, names))
            yield from ((what, replace(pattern, box=each)) for what, each in _looser(box, names))
        case Num(bases) if len(bases) < len(Base):
            yield "base", replace(pattern, bases=frozenset(Base))
        case Box():
            if isinstance(pattern.norm, Norm) or names[str(pattern.norm)] > 1:
                yield "norm", replace(pattern, norm=None)
            if len(pattern.bases) < len(Base):
                yield "base", replace(pattern, bases=frozenset(Base))
            if pattern.one_row:
                yield "number", replace(pattern, one_row=False)
            for name in ("length", "rows", "kind"):
                if names[str(getattr(pattern, name))] > 1:
                    yield name, replace(pattern, **{name: None})


def _in_failures(form: Form, use: Use) -> Broken:
    for name in form.fails_on:
        yield f"{name} fails unseen", replace(form, fails_on=tuple(each for each in form.fails_on if each != name))


def _in_noise(form: Form, use: Use) -> Broken:
    noise, runs = form.noise, form.runs
    if noise is not None:
        if any(param.name == noise.hidden and isinstance(param.pattern, Box) for param in form.params) and noise.norm:
            yield "noise for LInf", replace(form, noise=noise._replace(norm=Norm.LINF))
        yield "noise for half of it", replace(form, noise=noise._replace(factor=lambda args: _HALF))
        for name in noise.exposed:
            kept = tuple(each for each in noise.exposed if each != name)
            yield f"{name} not exposed", replace(form, noise=noise._replace(exposed=kept))
    if runs is not None:
        if use.times != {ONE}:
            yield "runs once", replace(form, runs=runs._replace(times=lambda args: ONE))
        if len(runs.feeds) > 1 and not runs.rowwise:
            yield "runs row by row", replace(form, runs=runs._replace(rowwise=True))
        if runs.parts is not None:
            yield "one step of the parts", replace(form, runs=runs._replace(parts=runs.parts._replace(steps=once)))
        for name in runs.exposed:
            kept = tuple(each for each in runs.exposed if each != name)
            yield f"{name} not exposed", replace(form, runs=runs._replace(exposed=kept))


def _in_result(form: Form, use: Use) -> Broken:
    """Results that are said to be less far apart than they are, or clipped though they are not. What is released
    moves with nothing, however it is measured."""
    if form.noise is not None or form.runs is not None:
        return
    ways = (("in L1", _in_l1), ("clipped", _clipped), ("Data", _as_data))
    for what, changed in ways:
        if any(changed(type_) != type_ for type_ in use.results):
            yield f"result {what}", replace(form, result=_changed(form.result, changed))


def _changed(
    result: Callable[[Args], Type | Refusal], changed: Callable[[Type], Type]
) -> Callable[[Args], Type | Refusal]:
    def of(args: Args) -> Type | Refusal:
        found = result(args)
        return found if isinstance(found, Refusal) else changed(found)

    return of


def _in_l1(type_: Type) -> Type:
    """Measured in the largest norm."""
    is_smaller = isinstance(type_, Container) and type_.norm in (Norm.L2, Norm.LINF)
    return replace(type_, norm=Norm.L1) if is_smaller and isinstance(type_, Container) else type_


def _clipped(type_: Type) -> Type:
    data = isinstance(type_, Container) and type_.element == NumberType(Base.DATA) and type_.clip is Clip.U
    return replace(type_, clip=Clip.L1) if data and isinstance(type_, Container) else type_


def _as_data(type_: Type) -> Type:
    """Compared by equality."""
    if isinstance(type_, Container) and not isinstance(type_.element, BoolType):
        return type_.of(_as_data(type_.element), type_.clip)
    return NumberType(Base.DATA) if isinstance(type_, NumberType) and type_.static is None else type_
