"""The search for the neighbours that are the worst for a claim: what it finds is attained, so it is at most the truth.

Most suprema are attained at the ends of something: at vertices of a norm's unit ball, at ends of bounds, and at the
numbers of the program and beside them. A search starts there, takes the linear part of what a program does where it is
differentiable (whose norm is computed by going back and forth between dual vectors of both sides), and climbs by
changing one thing at a time."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import NamedTuple

from .claims import SMALL, Claim, evaluated
from .failures import Unmodelled
from .judging import Judge, Refuted, Run, curve, needed, shown_pair
from .machine import Draw
from .records import FAR, TINY, around, beside, crowd, smallest
from .spaces import INFINITE, Drawing, Space, distance
from .types import Parameter as Annotation
from .types import Type
from .values import Array, Value, is_a, is_number, number

_STEPS = (Fraction(1), Fraction(1, 1024), Fraction(100))
_PUBLIC = tuple(map(Fraction, ("2", "3", "1", "4", "0.5", "10")))
_TINY = Fraction(1, 2**24)
_BESIDE = 2**10  # a number with a larger denominator is one beside one that is written
_WHOLE = (2, 5, 12, 100)  # the largest entry of a direction in whole numbers
ENOUGH = 1 - 1e-6
RELEASED = 12
_WORD = re.compile(r"\w+")
Edit = Callable[[Value], Value]


class Found(NamedTuple):
    """The worst pair: how far its results are apart, in units of what is claimed, and both in words."""

    share: float = 0.0
    moved: float = 0.0
    claimed: float = 0.0
    text: str = ""


class Worst:
    """The worst pair for one parameter of a claim. With ``fixed`` public parameters that a bound names have one
    value in all pairs, and a pair that uses up all that is claimed is the worst; without, what does not depend on a
    parameter has to hold for all of its values, and it is looked for a pair that is worse than claimed."""

    def __init__(self, judge: Judge, claim: Claim, place: int, seed: int, fixed: bool = True) -> None:
        self.judge, self.claim, self.place = judge, claim, place
        self.source = random.Random(seed)
        self.annotations = [judge.annotation(each.annotation) for each in claim.parameters]
        self.spaces = [judge.space(claim, each) for each in claim.parameters]
        self.norm = next(iter(claim.norms.values()), "L1")
        self.drawing = Drawing(self.source, self.norm, 3, False, judge.spots)
        self.runs = self.pairs = self.rounds = 0
        self.failure = ""
        self.refuted: Refuted | None = None
        self.best = Found()
        self.publics: dict[int, Value] = {}  # once drawn, where they are fixed
        self.fixed = fixed
        whose = claim.parameters[place]
        words = set(_WORD.findall(f"{whose.bound} {whose.epsilon} {whose.delta}"))
        self._written = [each for each in judge.spots if each.denominator < _BESIDE]
        self._named = [i for i, each in enumerate(claim.parameters) if each.static and each.name in words]

    def found(self, budget: int) -> Found:
        """The worst that so many runs find; stops where nothing worse is sought."""
        failed = 0
        why = "no neighbours of the type"
        while self.runs < budget and not self._is_found() and failed < 25:
            before = self.runs
            try:
                self._round(budget - self.runs)
            except Unmodelled as error:
                failed, why = failed + 1, str(error)
            failed += self.runs == before
        if not self.pairs:
            raise Unmodelled(self.failure or why)
        return self.best

    def _is_found(self) -> bool:
        return self.best.share >= ENOUGH if self.fixed else self.refuted is not None

    # Inputs

    def _round(self, budget: int) -> None:
        of, self.rounds = self.spaces[self.place], self.rounds + 1
        if of.kind == "dataset" and (self.rounds == 1 or self.source.random() < 0.6):
            self._by_records(budget)
        else:
            self._start()

    def _by_records(self, budget: int) -> None:
        """Compares datasets that differ in one person; at most half of the budget is spent."""
        args, of = self._arguments(), self.spaces[self.place]
        base = args[self.place]
        if self.rounds == 1 or self.source.random() < 0.6:
            base = smallest(of, base, of.share)
        outputs, away = self._outputs()
        run = self._run_if_allowed([*args[: self.place], base, *args[self.place + 1 :]], outputs, away)
        if run is not None and any(draw.kind == "choice" for draw in run.draws) and self.source.random() < 0.7:
            base = crowd(of, base, self.drawing)
        known = [*outputs, *(Fraction(number(each)) for each in self._statics(args) if is_number(each))]
        found = around(of, base, self.drawing, known, max(budget // 2, 8))
        inputs = [[*args[: self.place], each, *args[self.place + 1 :]] for each in found.datasets]
        runs = [self._run_if_allowed(each, outputs, away) for each in inputs]
        for i, j in found.pairs:
            one, other = runs[i], runs[j]
            if one is not None and other is not None and not self._is_found():
                self._compared(inputs[i], inputs[j], one, other, Fraction(1))

    def _run_if_allowed(self, args: Sequence[Value], outputs: list[Fraction], away: float) -> Run | None:
        with suppress(Unmodelled):
            return self._run(args, outputs, away) if self._allowed(args) else None
        return None

    def _outputs(self) -> tuple[list[Fraction], float]:
        """What mechanisms return: numbers of the program, or numbers so far from what is hidden."""
        away = self.source.choice((0.0, 0.0, 3.0, -3.0, 40.0, -40.0))
        if not self.judge.spots or self.source.random() < 0.6:
            return [], away
        ends = self.spaces[self.place].parts[0].limits if self.spaces[self.place].kind == "dataset" else None
        near = [each + step for each in ends or FAR for step in (-TINY, 0, TINY)]
        known = near if self.source.random() < 0.4 else [*self.judge.spots, *near]
        return [self.source.choice(known) for _ in range(RELEASED)], away

    def _start(self) -> None:
        args = self._arguments()
        value, of = args[self.place], self.spaces[self.place]
        real = of.kind == "container" and of.parts[0].kind == "number"
        if (
            real
            and isinstance(value, Array)
            and value.element.name in ("Int64", "Float64")
            and self.source.random() < 0.4
        ):
            args[self.place] = beside(value, self.judge.spots, self.source)
        outputs, away = self._outputs()
        first = self._run(args, outputs, away)
        edits = list(self._edits(args, first, outputs, away))
        self.source.shuffle(edits)
        tried = [(self._share(args, edit, outputs, away), place) for place, edit in enumerate(edits[:40])]
        if not tried:
            raise Unmodelled("no neighbours")
        share, place = max(tried)
        for _ in range(12):
            if self._is_found():
                return
            other = self._changed(args)
            again, away = self._outputs()
            here = self._share(other, edits[place], again, away)
            if here > share:
                args, share, outputs = other, here, again

    def _arguments(self) -> list[Value]:
        if not self.publics or not self.fixed:
            self.publics = {}
        for _ in range(60):
            drawing = self._drawing()
            args = [self._argument(place, drawing) for place in range(len(self.spaces))]
            if all(evaluated(formula, self._names(args)) for formula in self.claim.formulas):
                self.publics = {i: args[i] for i in self._named}
                return args
            if not any(self._is_sized(each) for each in self.claim.formulas):
                self.publics = {}
        raise Unmodelled("conditions that do not hold")

    def _statics(self, args: Sequence[Value]) -> list[Value]:
        return [arg for arg, each in zip(args, self.claim.parameters, strict=True) if each.static]

    @staticmethod
    def _is_sized(formula: str) -> bool:
        return any(each in formula for each in ("length(", "rows(", "cols("))

    def _names(self, args: Sequence[Value]) -> dict[str, Value]:
        names = {each.name: arg for each, arg in zip(self.claim.parameters, args, strict=True)}
        return {**dict.fromkeys(self.claim.free, SMALL), **names}

    def _drawing(self) -> Drawing:
        self.drawing.length = self.source.choice((3, 3, 2, 4, 1, 3))
        return self.drawing

    def _argument(self, place: int, drawing: Drawing) -> Value:
        if place in self.publics:
            return self.publics[place]
        annotation, of = self.annotations[place], self.spaces[place]
        if self.claim.parameters[place].static and of.kind in ("number", "anything"):
            whole = isinstance(annotation, Type) and annotation.name in ("Integer", "Int64")
            some = _PUBLIC
            if place not in self._named and self.claim.private:
                some = self.source.choice((_PUBLIC, _PUBLIC, self._written, self.judge.spots))
            known = [each for each in some if not whole or each == int(each)] or [Fraction(1)]
            if self.claim.parameters[place].name == "eps":
                known = [Fraction(1, 2), Fraction(1), Fraction(1, 4)]
            exact = self.source.choice(known)
            return int(exact) if whole else exact
        return self._plain(of, drawing.point(of, annotation), annotation)

    def _plain(self, of: Space, value: Value, annotation: Annotation) -> Value:
        """Numbers as machine numbers of the usual types."""
        if isinstance(value, Array) and value.element.name not in ("Int64", "Float64"):
            element = of.parts[0] if of.parts else Space("number", "Real")
            whole = element.base == "Integer"
            made = [int(number(each)) if whole else Fraction(number(each)) for each in value.entries]
            found = Array(Type("Int64" if whole else "Float64"), made, value.shape)
            return found if is_a(found, annotation) else value
        if isinstance(value, Array) and value.element.name == "Int64" and of.parts and of.parts[0].base != "Integer":
            found = Array(Type("Float64"), [Fraction(number(each)) for each in value.entries], value.shape)
            return found if is_a(found, annotation) else value
        if is_number(value) and of.kind == "number" and of.base != "Integer":
            exact = Fraction(number(value))
            return exact if is_a(exact, annotation) else value
        return value

    def _changed(self, args: Sequence[Value]) -> list[Value]:
        """The arguments with one thing at another place."""
        found = list(args)
        places = [i for i in range(len(args)) if i not in self.publics]
        place = self.source.choice(places)
        found[place] = self._entry_changed(place, args[place], self._argument(place, self._drawing()))
        return found

    def _entry_changed(self, place: int, old: Value, fresh: Value) -> Value:
        """An array with one entry of another; where entries may not be changed alone, the other."""
        boxes = isinstance(old, Array) and isinstance(fresh, Array)
        if not boxes or not old.entries or not fresh.entries or self.spaces[place].radius is not None:
            return fresh
        new = self.source.choice(fresh.entries)
        at = self.source.randrange(len(old.entries))
        return _put(old, {at: new}) if type(new) is type(old.entries[at]) else fresh

    # Neighbours

    def _edits(self, args: Sequence[Value], first: Run, outputs: list[Fraction], away: float) -> Iterator[Edit]:
        of, value = self.spaces[self.place], args[self.place]
        if of.kind == "dataset":
            yield from self._record_edits(of, value)
        elif of.kind == "container" and isinstance(value, Array):
            yield from self._directions(of, args, first, outputs, away)
        elif of.kind in ("number", "anything") and is_number(value):
            yield from self._number_edits(of)
        else:
            drawing, annotation = self._drawing(), self.annotations[self.place]
            for _ in range(20):
                other, _ = drawing.near(of, value, annotation, self.claim.private)
                yield lambda x, other=other: other  # type: ignore[misc]

    def _number_edits(self, of: Space) -> Iterator[Edit]:
        whole = of.base == "Integer"
        steps = [Fraction(1)] if whole or self.claim.private else [*_STEPS, Fraction(3)]
        if not whole and self.claim.private:
            steps = [Fraction(1), Fraction(1, 1024)]
        if of.base == "Data":
            steps = [Fraction(1), Fraction(100), Fraction(1000)]
        for step in (*steps, *(-each for each in steps)):
            yield lambda x, step=step: self._inside(of, x, step)  # type: ignore[misc]

    @staticmethod
    def _inside(of: Space, x: Value, step: Fraction) -> Value:
        low, high = of.limits or (-INFINITE, INFINITE)
        moved = min(max(Fraction(number(x)) + step, low), high)
        return int(moved) if isinstance(x, int) and not isinstance(x, bool) and moved == int(moved) else Fraction(moved)

    def _record_edits(self, of: Space, value: Value) -> Iterator[Edit]:
        """Records that come, go or are replaced; so many as a person has."""
        drawing = self._drawing()
        element = of.parts[0]
        replaced = of.base in ("ChangeOne", "Hamming")
        for _ in range(24):
            width = value.shape[1] if of.rows else 1
            made = [self._record(drawing, of, element, value.element, width) for _ in range(of.share)]
            ends = self.source.random() < 0.5
            way = "replace" if replaced else self.source.choice(("insert", "insert", "remove"))
            if of.base in ("ChangeOne", "Symmetric") and self.source.random() < 0.1:
                way = "turn"
            same = self.source.random() < 0.6
            made = made[:1] * of.share if same else made
            yield lambda x, made=made, way=way, ends=ends: self._with_records(of, x, made, way, ends)  # type: ignore[misc]

    def _record(self, drawing: Drawing, of: Space, inner: Space, element: Type, width: int) -> list[Value]:
        if of.rows:
            return drawing.row(of, element, width)
        if inner.limits is not None and self.source.random() < 0.5:
            exact = Fraction(self.source.choice(inner.limits))
        elif inner.limits is None and self.source.random() < 0.2:
            exact = Fraction(self.source.choice((1000, -1000)))
        else:
            exact = Fraction(number(drawing.entry(element, inner)))
        return [int(exact) if element.name == "Int64" and exact == int(exact) else exact]

    @staticmethod
    def _with_records(of: Space, x: Array, made: list[list[Value]], way: str, ends: bool) -> Array:
        width = x.shape[1] if of.rows else 1
        records = [x.entries[start : start + width] for start in range(0, len(x.entries), width)]
        least = int(of.shape.split("≥ ")[1]) if "≥ " in of.shape and of.shape.split("≥ ")[1].isdigit() else 0
        for place, record in enumerate(made):
            if way == "insert":
                records.append(record)
            elif way == "remove" and len(records) > least:
                records.pop(0 if ends else -1)
            elif way == "replace" and place < len(records):
                records[place if ends else -1 - place] = record
        if way == "turn":  # in a bag records have no places
            records.reverse()
        shape = (len(records), width) if of.rows else (len(records),)
        return Array(x.element, [each for record in records for each in record], shape)

    def _directions(
        self, of: Space, args: Sequence[Value], first: Run, outputs: list[Fraction], away: float
    ) -> Iterator[Edit]:
        """Ways to move a container by 1: vertices of the ball, and where the linear part of the program moves most."""
        value = args[self.place]
        count, width = len(value.entries), value.shape[-1]
        inner = of.parts[0]
        norm = of.norm if of.norm in ("L1", "L2", "LInf") else self.norm
        if inner.kind == "truth":
            for place in range(count):
                yield lambda x, place=place: _put(x, {place: not x.entries[place]})  # type: ignore[misc]
            return
        vectors: list[list[float]] = []
        for start in range(0, count, width):
            block = range(start, start + width)
            vectors += [[float(i == place) for i in range(count)] for place in block]
            if norm != "L1":
                for _ in range(3 if width > 1 else 0):
                    vectors.append([self.source.choice((-1.0, 1.0)) * (i in block) for i in range(count)])
            if inner.base == "Real":
                vectors += self._steepest(args, first, outputs, away, norm, block, _TINY)
            elif inner.base == "Integer":
                steep = self._steepest(args, first, outputs, away, norm, block, Fraction(1))
                vectors += [_in_whole_numbers(each, most) for each in steep for most in _WHOLE]
        whole = inner.base in ("Integer", "Data")
        for vector in vectors:
            size = _norm([each for each in vector if each], norm)
            far = () if self.claim.private and not whole else (100, -100)
            far = (*far, 1000, -1000) if inner.base == "Data" else far
            for step in (1, -1, *far, 1 / 1024):
                if inner.base == "Integer" and step == 1 / 1024:
                    continue
                scale = step / size if size and not whole else step
                moves = {
                    i: Fraction(each * scale).limit_denominator(10**9)
                    * (1 - 2 * _TINY * (norm == "L2" and each != size))
                    for i, each in enumerate(vector)
                    if each
                }
                yield lambda x, moves=moves: _moved(x, moves)  # type: ignore[misc]

    def _steepest(
        self,
        args: Sequence[Value],
        first: Run,
        outputs: list[Fraction],
        away: float,
        norm: str,
        block: Sequence[int],
        step: Fraction,
    ) -> list[list[float]]:
        """The vectors that the linear part of the program at a point, by what a step of each entry does, moves most,
        found from several starts."""
        value = args[self.place]
        before = self._blocks(first)
        columns = []
        for place in block:
            moved = list(args)
            moved[self.place] = _moved(value, {place: step})
            after = self._blocks(self._run(moved, list(outputs), away))
            if [len(each[1]) for each in after] != [len(each[1]) for each in before]:
                return []
            column = [
                [float((b - a) / step) for a, b in zip(one[1], two[1], strict=True)]
                for one, two in zip(before, after, strict=True)
            ]
            columns.append(column)
        norms = [each[0] for each in before]
        found = []
        width = len(block)
        starts = [[float(i == j) for i in range(width)] for j in range(width)] + [[1.0] * width]
        for start in starts:
            vector = start
            for _ in range(40 if norm == "L2" else 4):
                image = [
                    [sum(vector[j] * columns[j][b][i] for j in range(width)) for i in range(len(columns[0][b]))]
                    for b in range(len(norms))
                ]
                dual = [_dual(part, norms[b]) for b, part in enumerate(image)]
                slope = [
                    sum(
                        d * c
                        for part, column in zip(dual, columns[j], strict=True)
                        for d, c in zip(part, column, strict=True)
                    )
                    for j in range(width)
                ]
                vector = _steep(slope, norm)
                if not any(vector):
                    break
            if any(vector):
                full = [0.0] * len(value.entries)
                for place, each in zip(block, vector, strict=True):
                    full[place] = each
                found.append(full)
        return found

    def _blocks(self, run: Run) -> list[tuple[str, list[Fraction]]]:
        """What is compared of a run, in parts that are measured by themselves and added up."""
        if self.claim.private:
            calls: dict[int, tuple[str, list[Fraction]]] = {}
            for draw in run.draws:
                cost = draw.cost or Fraction(1)
                calls.setdefault(draw.call, ("L2" if draw.kind == "gauss" else "L1", []))[1].append(draw.hidden * cost)
            return list(calls.values())
        return _parts(self.claim.returns, run.value, self.norm)

    # Pairs

    def _run(self, args: Sequence[Value], outputs: list[Fraction], away: float) -> Run:
        self.runs += 1
        return self.judge.run(self.claim.name, args, outputs if self.claim.private else None, away)

    def _share(self, args: Sequence[Value], edit: Edit, outputs: list[Fraction], away: float) -> float:
        """How much of what is claimed a pair uses up."""
        if self._is_found():
            return 0.0
        try:
            value = edit(args[self.place])
        except (IndexError, ValueError, OverflowError):
            return 0.0
        of = self.spaces[self.place]
        apart = Fraction(1) if of.kind == "dataset" else distance(of, args[self.place], value, self.norm)
        if not apart or (of.kind != "dataset" and self.claim.private and apart > 1):
            return 0.0
        others = list(args)
        others[self.place] = value
        if not self._allowed(args, others):
            return 0.0
        try:
            one, other = self._run(args, outputs, away), self._run(others, outputs, away)
        except Unmodelled:
            return 0.0
        return self._compared(args, others, one, other, apart)

    def _allowed(self, *inputs: Sequence[Value]) -> bool:
        """Whether the claim is about these inputs."""
        formulas = self.claim.formulas
        return self.judge.is_of(self.claim, self.annotations, *inputs) and all(
            evaluated(formula, names) for names in map(self._names, inputs[:1]) for formula in formulas
        )

    def _compared(
        self, args: Sequence[Value], others: Sequence[Value], one: Run, other: Run, apart: Fraction | float
    ) -> float:
        """How much of what is claimed of two inputs two runs use up."""
        parameter, names = self.claim.parameters[self.place], self._names(args)
        claimed = evaluated(str(parameter.epsilon if self.claim.private else parameter.bound), names)
        if claimed == math.inf:
            raise Unmodelled("nothing finite is claimed")
        if one.failure and other.failure:
            self.failure = one.failure
            return 0.0
        self.pairs += 1
        moved = self._lost(one, other) if self.claim.private else self._apart(one, other) / float(apart)
        self._judge(args, others, one, other, float(claimed), moved * float(apart))
        if parameter.name in self.claim.priced and self.claim.free and _are_normal(one.draws):
            claimed, moved = self.claim.priced[parameter.name], curve(one.draws, other.draws, float(SMALL))
        share = moved / float(claimed) if claimed else (INFINITE if moved > 1e-9 else 1.0)
        if share > self.best.share or not self.best.text:
            pair = shown_pair(self.claim, self.place, args, others)
            self.best = Found(share, moved, float(claimed), f"{pair}: {one.said()} and {other.said()}")
        return share

    def _judge(
        self, args: Sequence[Value], others: Sequence[Value], one: Run, other: Run, claimed: float, moved: float
    ) -> None:
        """Notes a pair that the claim does not allow."""
        parameter, said = self.claim.parameters[self.place], ""
        if self.claim.private:
            delta = float(evaluated(str(parameter.delta), self._names(args)))
            if self.judge.told_apart(one, other):
                said = "" if delta else f"{one.said()} and {other.said()} with the same noise"
            elif (lost := needed(one.draws, other.draws, claimed)) > delta * (1 + 1e-6) + 1e-300:
                said = f"δ is at least {lost:.6g} at ε {claimed:.6g}; claimed was δ {delta:.6g}"
        else:
            apart = float(distance(self.spaces[self.place], args[self.place], others[self.place], self.norm))
            apart = 1.0 if self.spaces[self.place].kind == "dataset" else apart
            if moved > claimed * apart * (1 + 1e-9) + 1e-9:
                said = f"{one.said()} and {other.said()}, {moved:.6g} apart; claimed was {claimed:.6g} for each"
        if said:
            self.refuted = Refuted(self.claim.name, f"{shown_pair(self.claim, self.place, args, others)}: {said}")

    def _apart(self, one: Run, other: Run) -> float:
        return float(self.judge.moved(self.claim, one, other, self.norm))

    def _lost(self, one: Run, other: Run) -> float:
        """What the noise costs that hides what two runs differ in: ε of each call by how far its numbers are apart."""
        if self.judge.told_apart(one, other):
            return INFINITE
        if any(not draw.cost for draw in one.draws):
            raise Unmodelled("noise that names no ε")
        pairs = zip(self._blocks(one), self._blocks(other), strict=True)
        return math.fsum(_norm([float(a - b) for a, b in zip(x[1], y[1], strict=True)], x[0]) for x, y in pairs)


def _are_normal(draws: Sequence[Draw]) -> bool:
    return bool(draws) and all(draw.kind == "gauss" for draw in draws)


def _parts(of: Space | None, value: Value, norm: str) -> list[tuple[str, list[Fraction]]]:
    if is_number(value):
        return [("L1", [Fraction(number(value))])]
    if isinstance(value, tuple):
        inner = of.parts if of is not None and len(of.parts) == len(value) else (None,) * len(value)
        return [part for each, space in zip(value, inner, strict=True) for part in _parts(space, each, norm)]
    if hasattr(value, "shape"):
        own = of.norm if of is not None and of.norm in ("L1", "L2", "LInf") else norm
        entries = [Fraction(number(each)) for each in value.entries]
        width = value.shape[-1] or 1
        return [(own, entries[start : start + width]) for start in range(0, len(entries), width)]
    return []


def _put(x: Array, changes: dict[int, Value]) -> Array:
    return Array(x.element, [changes.get(i, each) for i, each in enumerate(x.entries)], x.shape)


def _moved(x: Array, moves: dict[int, Fraction]) -> Array:
    changes: dict[int, Value] = {}
    for place, step in moves.items():
        exact = Fraction(number(x.entries[place])) + step
        changes[place] = int(exact) if x.element.name == "Int64" else exact
    return _put(x, changes)


def _norm(values: Sequence[float], norm: str) -> float:
    if norm == "L1":
        return math.fsum(map(abs, values))
    return (
        max(map(abs, values), default=0.0) if norm == "LInf" else math.sqrt(math.fsum(each * each for each in values))
    )


def _in_whole_numbers(vector: list[float], most: int) -> list[float]:
    """The vector of whole numbers that is nearly a multiple of one, with so large an entry."""
    size = max(map(abs, vector))
    return [float(round(each * most / size)) for each in vector]


def _sign(value: float) -> float:
    return (value > 1e-12) - (value < -1e-12)


def _dual(values: list[float], norm: str) -> list[float]:
    """The vector of dual norm 1 whose product with these is their norm."""
    if norm == "L1":
        return [float(_sign(each)) for each in values]
    size = _norm(values, norm)
    if not size:
        return [0.0] * len(values)
    if norm == "L2":
        return [each / size for each in values]
    at = max(range(len(values)), key=lambda i: abs(values[i]))
    return [float(_sign(each)) * (i == at) for i, each in enumerate(values)]


def _steep(slope: list[float], norm: str) -> list[float]:
    """The vector of norm 1 whose product with the slope is largest."""
    if norm == "LInf":
        return [float(_sign(each)) or 1.0 for each in slope]
    if norm == "L2":
        size = _norm(slope, "L2")
        return [each / size for each in slope] if size else slope
    at = max(range(len(slope)), key=lambda i: abs(slope[i]))
    return [float(_sign(each)) * (i == at) for i, each in enumerate(slope)]
