"""What a function may be given, and neighbours of it: read off its annotations as Python evaluates them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

import dp_types

from .noise import Unmodelled

NUMBERS = (0.0, 1.0, -1.0, 3.0, 10.0, 41.0, 66.0, 0.5, -2.5, 100.0, -50.0, 1000.0, -1000.0, 2.0**20)
WORDS = ("yes", "no", "Bonn", "Ulm", "")
STEPS = (1.0, -1.0, 0.5, -0.25, 1 / 1024, 0.0)
STATICS: dict[type, Sequence[Any]] = {
    int: (3, 1, 2, 5, 0, 4, -1),
    float: (1.0, 0.5, 2.0, 3.0, 0.25, 7.0, 10.0, 1e-6, -1.0),
    bool: (True, False),
    str: WORDS,
}


class Slot(NamedTuple):
    """A parameter: the type it is declared with, the words beside it, what else its type holds, whether it is public,
    or not annotated at all, and its default."""

    name: str
    base: Any
    words: tuple[Any, ...]
    inner: Any = float
    static: bool = False
    bare: bool = False
    default: Any = inspect.Parameter.empty

    def word(self, kind: type) -> Any:
        return next((each for each in self.words if isinstance(each, kind)), None)

    @property
    def neighbours(self) -> Any:
        return next((each for each in self.words if isinstance(each, _NEIGHBOURS)), None)

    @property
    def is_left_out(self) -> bool:
        """Whether calls leave the argument out: its default is an object, which calls may share."""
        given = self.default is not inspect.Parameter.empty
        return self.is_generator or (given and type(self.default) not in STATICS)

    @property
    def is_generator(self) -> bool:
        """Whether it is given a generator that nobody knows, which the run makes. Its name tells: where annotations
        are evaluated there is no generator but that of the run."""
        return self.bare and self.name in _DRAW and self.default is inspect.Parameter.empty

    @property
    def is_data(self) -> bool:
        return isinstance(self.neighbours, dp_types.AddRemove | dp_types.ChangeOne)


_DRAW = frozenset({"rng", "gen", "random_state"})
_NEIGHBOURS = (dp_types.AddRemove, dp_types.ChangeOne, dp_types.Within, dp_types.OneOf)
_STATIC = type(get_args(dp_types.Static[int])[1])


def slots(function: Callable[..., Any]) -> list[Slot]:
    """The parameters of a function."""
    hints = get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise Unmodelled("parameters without a number")
        said = hints.get(name)
        if get_origin(said) is not Annotated:
            found.append(Slot(name, said, (), bare=True, default=parameter.default))
            continue
        base, *words = get_args(said)
        inner = (get_args(base) or (float,))[0]
        static = any(isinstance(each, _STATIC) for each in words)
        found.append(Slot(name, get_origin(base) or base, tuple(words), inner, static, False, parameter.default))
    return found


class Inputs:
    """Draws arguments of one function."""

    def __init__(
        self, source: random.Random, of: Sequence[Slot], spots: Sequence[float], words: Sequence[str] = WORDS
    ) -> None:
        self.source, self.slots, self.spots, self.words = source, of, spots, words
        self.size = source.choice((2, 3, 1, 5, 0, 4))
        self.whole = source.random() < 0.3
        self.known: dict[str, Any] = {}

    # Values

    def arguments(self) -> dict[str, Any]:
        """All arguments, the public ones first, as words may name them."""
        open_ = [each for each in self.slots if not each.is_left_out]
        self.known = {each.name: self.static(each) for each in open_ if each.static}
        sizes: dict[str, int] = {}
        found = {}
        for each in open_:
            if each.static:
                found[each.name] = self.known[each.name]
                continue
            group = each.neighbours.name if each.is_data else ""
            size = sizes.setdefault(group, self.count(each)) if group else self.count(each)
            found[each.name] = (
                self.data(each, [self.record(each) for _ in range(size)]) if each.is_data else self.value(each)
            )
        return found

    def static(self, slot: Slot) -> Any:
        if slot.default is not inspect.Parameter.empty and self.source.random() < 0.4:
            return slot.default
        if slot.base in (list, tuple, np.ndarray):
            inner = slot.inner if slot.inner in STATICS else float
            values = sorted(set(self.source.sample([0, 1, 2, 3, 10, 40, 65, 120], self.source.choice((3, 2, 4)))))
            made = [inner(each) for each in values]
            return np.array(made) if slot.base is np.ndarray else slot.base(made)
        if dataclasses.is_dataclass(slot.base):
            parts = get_type_hints(slot.base)
            return slot.base(**{name: self.source.choice(STATICS[of]) for name, of in parts.items()})
        if slot.base not in STATICS:
            raise Unmodelled(f"a public {slot.base}")
        return self.source.choice(STATICS[slot.base])

    def count(self, slot: Slot) -> int:
        exact, least = slot.word(dp_types.Size), slot.word(dp_types.AtLeast)
        if exact is not None:
            return int(self.number(exact.records))
        size = self.size
        if isinstance(slot.neighbours, dp_types.ChangeOne):
            size = max(size, 1)
        return size if least is None else max(size, int(self.number(least.records))) + self.source.choice((0, 1))

    def number(self, said: Any) -> float:
        return float(self.known[said]) if isinstance(said, str) else said

    def value(self, slot: Slot) -> Any:
        choice = slot.word(dp_types.OneOf)
        if choice is not None:
            return self.source.choice(choice.values)
        if slot.base in (np.ndarray, list, tuple, pd.Series):
            return self.data(slot, [self.scalar(slot.inner, slot.words) for _ in range(max(self.size, 1))])
        if slot.base is bool:
            return self.source.random() < 0.5
        if slot.base not in (int, float, None):
            raise Unmodelled(f"a value of {slot.base}")
        return self.scalar(slot.base or float, slot.words)

    def scalar(self, kind: Any, words: Sequence[Any]) -> Any:
        bounds = next((each for each in words if isinstance(each, dp_types.Bounded)), None)
        if any(isinstance(each, dp_types.MayBeMissing) for each in words) and self.source.random() < 0.3:
            return math.nan
        choice = next((each for each in words if isinstance(each, dp_types.OneOf)), None)
        if choice is not None:
            return self.source.choice(choice.values)
        if kind is str:
            return self.source.choice(self.words)
        if kind is bool:
            return self.source.random() < 0.5
        near = self.spots and self.source.random() < 0.5
        found = float(self.source.choice(self.spots if near else NUMBERS))
        if bounds is not None:
            low, high = self.number(bounds.low), self.number(bounds.high)
            found = self.source.choice((low, high, min(max(found, low), high)))
        if kind is int or (self.whole and kind is float):
            return self._whole(found, bounds)
        return found

    def _whole(self, value: float, bounds: Any) -> Any:
        """A whole number near a value, if one is within its bounds."""
        found = math.floor(value)
        if bounds is None or found >= self.number(bounds.low):
            return found
        return math.ceil(value) if math.ceil(value) <= self.number(bounds.high) else value

    def record(self, slot: Slot) -> Any:
        columns = slot.word(dp_types.Columns)
        if columns is not None:
            return {name: self._column(words) for name, words in columns.columns.items()}
        rows, limit = slot.word(dp_types.Rows), slot.word(dp_types.RowNorm)
        if rows is not None or limit is not None:
            wide = rows.columns if rows is not None and rows.columns is not None else 2
            return self._row(slot, int(self.number(wide)), limit)
        kind = slot.inner if slot.base in (list, tuple) else float
        return self.scalar(kind, slot.words)

    def _column(self, words: Sequence[Any]) -> Any:
        kind = next((each for each in words if isinstance(each, type)), float)
        return self.scalar(kind, words)

    def _row(self, slot: Slot, width: int, limit: Any) -> tuple[float, ...]:
        if limit is None:
            return tuple(self.scalar(float, slot.words) for _ in range(width))
        radius, alone = self.number(limit.limit), self.source.randrange(width)
        part = {"L1": 1 / width, "LInf": 1.0, "L2": (1 - 2.0**-40) / math.sqrt(width)}[limit.norm]
        signs = [self.source.choice((-1, 1)) for _ in range(width)]
        if self.source.random() < 0.5:
            return tuple(radius * sign * part for sign in signs)
        return tuple(float(radius * sign * (at == alone)) for at, sign in enumerate(signs))

    def data(self, slot: Slot, records: Sequence[Any]) -> Any:
        """Records in what the parameter holds them in."""
        if slot.base is pd.DataFrame:
            columns = slot.word(dp_types.Columns)
            if columns is None:
                raise Unmodelled("a table of unknown columns")
            truths = {name: bool for name, words in columns.columns.items() if bool in words}
            return pd.DataFrame(list(records), columns=list(columns.columns)).astype(truths)
        if slot.base is pd.Series:
            return pd.Series(list(records), dtype=None if records and isinstance(records[0], str) else float)
        if slot.base in (list, tuple):
            return slot.base(list(each) if isinstance(each, tuple) else each for each in records)
        if slot.base is np.ndarray:
            wide = slot.word(dp_types.Rows) is not None or slot.word(dp_types.RowNorm) is not None
            if records and isinstance(records[0], str):
                return np.array(list(records))
            made = np.array(list(records), dtype=float)
            if wide and not records:
                made = made.reshape(0, len(self.record(slot)))
            return made.astype(int) if self.whole and (made == np.floor(made)).all() else made
        raise Unmodelled(f"data in {slot.base}")

    # Neighbours

    def near(self, slot: Slot, args: Mapping[str, Any], close: bool) -> tuple[dict[str, Any], float]:
        """Arguments in which one protected parameter, or all that hold parts of the same records, is another, and how
        far: not further than 1 if ``close``."""
        self.known = {each.name: args[each.name] for each in self.slots if each.static and each.name in args}
        if slot.is_data:
            group = [each for each in self.slots if each.is_data and each.neighbours.name == slot.neighbours.name]
            group = group if slot.neighbours.name else [slot]
            return self._other_records(group, args), 1.0
        found, apart = self._other_value(slot, args[slot.name], close)
        return {**args, slot.name: found}, apart

    def _other_records(self, group: Sequence[Slot], args: Mapping[str, Any]) -> dict[str, Any]:
        columns = [records_of(args[each.name]) for each in group]
        records = [list(each) for each in zip(*columns, strict=True)]
        said = group[0].neighbours
        least = max(
            (int(self.number(word.records)) for each in group if (word := each.word(dp_types.AtLeast))), default=0
        )
        fixed = any(each.word(dp_types.Size) for each in group)
        for _ in range(self.source.randint(1, said.contributes)):
            new = [self.record(each) for each in group]
            if isinstance(said, dp_types.ChangeOne) or fixed:
                if records:
                    records[self.source.randrange(len(records))] = new
            elif len(records) > least and self.source.random() < 0.5:
                del records[self.source.randrange(len(records))]
            else:
                records.insert(self.source.randrange(len(records) + 1), new)
        if not said.ordered and self.source.random() < 0.3:
            self.source.shuffle(records)
        found = dict(args)
        for place, each in enumerate(group):
            made = self.data(each, [record[place] for record in records])
            before = args[each.name]
            found[each.name] = made.astype(before.dtype) if isinstance(made, np.ndarray) and len(before) else made
        return found

    def _other_value(self, slot: Slot, value: Any, close: bool) -> tuple[Any, float]:
        choice = slot.word(dp_types.OneOf)
        if choice is not None:
            found = self.source.choice(choice.values)
            return found, float(found != value)
        if isinstance(value, np.ndarray | list | tuple | pd.Series):
            return self._other_vector(slot, value, close)
        if isinstance(value, bool):
            return not value, 1.0
        far = not close and self.source.random() < 0.4
        step = self.source.choice((10.0, -100.0, 2.0)) if far else self.source.choice(STEPS)
        if slot.base is int or (isinstance(value, int) and self.source.random() < 0.5):
            step = float(math.copysign(math.ceil(abs(step)), step))
        found = self._within(slot, value + (int(step) if isinstance(value, int) and step == int(step) else step))
        return found, abs(found - value)

    def _within(self, slot: Slot, value: Any) -> Any:
        bounds = slot.word(dp_types.Bounded)
        return value if bounds is None else min(max(value, self.number(bounds.low)), self.number(bounds.high))

    def _other_vector(self, slot: Slot, value: Any, close: bool) -> tuple[Any, float]:
        entries = [float(each) for each in value]
        norm = getattr(slot.word(dp_types.Within), "norm", "L2")
        alone = self.source.randrange(len(entries))
        places = range(len(entries)) if self.source.random() < 0.5 else [alone]
        part = {"L1": 1 / len(places), "L2": (1 - 2.0**-40) / math.sqrt(len(places)), "LInf": 1.0}[norm]
        by = part if close else self.source.choice((part, 5.0))
        moved = list(entries)
        for place in places:
            moved[place] = self._within(slot, moved[place] + self.source.choice((by, -by)))
        steps = [abs(a - b) for a, b in zip(entries, moved, strict=True)]
        apart = {"L1": sum(steps), "L2": math.hypot(*steps), "LInf": max(steps)}[norm]
        if isinstance(value, np.ndarray):
            return np.array(moved), apart
        return (pd.Series(moved) if isinstance(value, pd.Series) else type(value)(moved)), apart


def records_of(value: Any) -> list[Any]:
    """The records of data, as :meth:`Inputs.record` makes them."""
    if isinstance(value, pd.DataFrame):
        return value.to_dict("records")
    found = value.tolist() if hasattr(value, "tolist") else list(value)
    return [tuple(each) if isinstance(each, list) else each for each in found]


def copied(args: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that nobody else holds."""
    return {name: copy.deepcopy(value) for name, value in args.items()}
