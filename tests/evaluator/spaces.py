"""The metric spaces that a report says a claim is about: drawing points and neighbours, and distances between results.

They are read off the texts of a report (``Vector<n: L1, c: U>[length(v)]{Real}``), as a user would."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from .arithmetic import same
from .failures import Unmodelled
from .types import FLOAT32, INT, REAL, Below, Parameter, Type, is_below
from .values import (
    NAN,
    Array,
    Grads,
    Model,
    Range,
    Record,
    Turned,
    Value,
    Wide,
    is_a,
    is_number,
    number,
    type_of,
    wide_of,
)

Distance = Fraction | float
INFINITE = math.inf
_NUMBER = re.compile(r"(Real|Integer|Data)(?: in \[(.*), (.*)\])?(?:\[.*©\])?")
_CONTAINER = re.compile(r"(Vector|Matrix|DMGrads)<n: (\w+), c: (\w+)>\[(.*?)\]\{(.*)\}")
_DATASET = re.compile(
    r"(Vector|Matrix)<(Symmetric|ChangeOne|Hamming|InsertDelete)(?:, c: (L1|L2|LInf) ≤ ([\d./]+))?>\[(.*?)\]\{(.*)\}"
)
_RECORD = re.compile(r"(\w*)\(((?:\w+ = |\".*\" => ).*)\)")
_LIMIT = re.compile(r"[-\d./]+")
_WHOLES = (0, 1, 2, 3, -1, 5, 7, -4, 10, 50)
_REALS = tuple(map(Fraction, ("0", "1", "0.5", "-0.25", "2", "2.5", "3", "-1", "10.125", "100", "-7.75")))
_STEPS = tuple(map(Fraction, ("0.25", "1", "0.0009765625", "2", "1", "50", "0.5", "10")))


class Space(NamedTuple):
    """``kind`` is `number`, `truth`, `container`, `dataset`, `tuple`, `record`, `model` or `anything`; ``base`` that of
    a number, the kind of a container, or the metric of a dataset. Records that are rows measure at most ``radius`` in
    ``norm``; a person has ``share`` records."""

    kind: str
    base: str = ""
    norm: str = ""
    parts: tuple[Space, ...] = ()
    limits: tuple[Fraction, Fraction] | None = None
    shape: str = ""
    rows: bool = False
    radius: Fraction | None = None
    share: int = 1


def space(text: str) -> Space:
    """What a type in a report means; raises :class:`Unmodelled`."""
    if text == "Bool":
        return Space("truth")
    if found := _NUMBER.fullmatch(text):
        limits = None
        if found[2] is not None:
            if not (_LIMIT.fullmatch(found[2]) and _LIMIT.fullmatch(found[3])):
                raise Unmodelled("bounds that are not written out")
            limits = (Fraction(found[2]), Fraction(found[3]))
        return Space("number", found[1], limits=limits)
    if found := _CONTAINER.fullmatch(text):
        if found[3] != "U":
            return Space("container", found[1], found[2], (space(found[5]),), shape="clipped")
        return Space("container", found[1], found[2], (space(found[5]),))
    if found := _DATASET.fullmatch(text):
        rows, radius = found[1] == "Matrix", None if found[4] is None else Fraction(found[4])
        shape = found[5].split(" × ")[0]
        return Space("dataset", found[2], found[3] or "", (space(found[6]),), shape=shape, rows=rows, radius=radius)
    if text.startswith("type of "):
        return Space("anything")
    if text.startswith("DMModel"):
        return Space("model")
    if text.startswith("Tuple{") and text.endswith("}"):
        return Space("tuple", parts=tuple(map(space, _split(text[6:-1]))))
    if found := _RECORD.fullmatch(text):
        parts = tuple(space(each.replace(" => ", " = ").partition(" = ")[2]) for each in _split(found[2]))
        return Space("record", found[1] or "NamedTuple", parts=parts)
    raise Unmodelled(f"the space `{text}`")


def _split(text: str) -> list[str]:
    found, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "<[{(") - (char in ">]})")
        if char == "," and not depth:
            found.append(text[start:place].strip())
            start = place + 1
    return [*found, text[start:].strip()] if text.strip() else []


# Distances


def distance(of: Space, x: Value, y: Value, norm: str = "L1") -> Distance:
    """How far two results are apart. What is of another kind than the other is infinitely far."""
    match of.kind:
        case "number" | "truth" if of.base in ("Data",) or of.kind == "truth":
            if is_number(x) and is_number(y) and not (isinstance(x, bool) and isinstance(y, bool)):
                return Fraction(_away(x, y) != 0) if of.base == "Data" else _away(x, y)
            return Fraction(not same(x, y))
        case "number" | "anything":
            return _plain(x, y, norm)
        case "dataset":
            return _of_records(of.base, x, y)
        case "container" | "model":
            return _of_containers(of, x, y, of.norm if of.norm in ("L1", "L2", "LInf") else norm)
        case "record" if isinstance(x, Record) and isinstance(y, Record) and x.names == y.names:
            if len(x.items) == len(of.parts):
                parts = zip(of.parts, x.items, y.items, strict=True)
                return sum((distance(p, a, b, norm) for p, a, b in parts), Fraction(0))
        case "tuple":
            if type(x) is tuple and type(y) is tuple and len(x) == len(y) == len(of.parts):
                return sum((distance(p, a, b, norm) for p, a, b in zip(of.parts, x, y, strict=True)), Fraction(0))
            return _plain(x, y, norm)
    return Fraction(0) if same(x, y) else INFINITE


def _away(x: Value, y: Value) -> Distance:
    """Of two numbers; what is no number is infinitely far from all that are."""
    if x is NAN or y is NAN:
        return Fraction(0) if x is y else INFINITE
    return abs(Fraction(number(x)) - number(y))


def _plain(x: Value, y: Value, norm: str) -> Distance:
    if is_number(x) and is_number(y):
        return _away(x, y)
    if isinstance(x, Array | Turned | Range | Grads) and isinstance(y, Array | Turned | Range | Grads):
        return _of_containers(Space("container", norm=norm, parts=(Space("number", "Real"),)), x, y, norm)
    if type(x) is tuple and type(y) is tuple and len(x) == len(y):
        return sum((_plain(a, b, norm) for a, b in zip(x, y, strict=True)), Fraction(0))
    return Fraction(0) if same_value(x, y) else INFINITE


def _entries(value: Value) -> tuple[tuple[int, ...], list[Value]] | None:
    if isinstance(value, Grads | Model):
        return (len(value.entries()),), value.entries()
    if isinstance(value, Array | Turned | Range):
        return tuple(value.shape), list(value.entries)
    return None


def _of_containers(of: Space, x: Value, y: Value, norm: str) -> Distance:
    one, other = _entries(x), _entries(y)
    if one is None or other is None:
        return _plain(x, y, norm) if one is None and other is None else INFINITE
    if one[0] != other[0]:
        return INFINITE
    element = of.parts[0] if of.parts else Space("number", "Real")
    apart = [distance(element, a, b, norm) for a, b in zip(one[1], other[1], strict=True)]
    if of.kind == "model":
        return measured(apart, "LInf")
    width = one[0][1] if len(one[0]) == 2 else max(len(apart), 1)
    rows = [apart[start : start + width] for start in range(0, len(apart), width)] if width else []
    return sum((measured(row, norm) for row in rows), Fraction(0))


def _of_records(metric: str, x: Value, y: Value) -> Distance:
    if not (isinstance(x, Array) and isinstance(y, Array)):
        return INFINITE
    ones, others = _as_records(x), _as_records(y)
    if metric in ("ChangeOne", "Hamming") and len(ones) != len(others):
        return INFINITE
    if metric == "Hamming":
        return Fraction(sum(a != b for a, b in zip(ones, others, strict=True)))
    if metric == "InsertDelete":
        return Fraction(len(ones) + len(others) - 2 * _in_common(ones, others))
    left = Counter(ones)
    left.subtract(Counter(others))
    apart = Fraction(sum(map(abs, left.values())))
    return apart / 2 if metric == "ChangeOne" else apart


def _as_records(x: Array) -> list[tuple[Fraction | int, ...]]:
    if len(x.shape) == 2:
        return [tuple(map(number, row)) for row in x.rows()]
    return [(number(each),) for each in x.entries]


def _in_common(ones: list[tuple[Fraction | int, ...]], others: list[tuple[Fraction | int, ...]]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(others) + 1)
    for one in ones:
        before = row[:]
        for place, other in enumerate(others):
            row[place + 1] = before[place] + 1 if one == other else max(row[place], before[place + 1])
    return row[-1]


def measured(apart: list[Distance], norm: str) -> Distance:
    if not apart:
        return Fraction(0)
    if INFINITE in apart:
        return INFINITE
    if norm == "LInf":
        return max(apart)
    if norm == "L2":
        moved = [each for each in apart if each]
        return moved[0] if len(moved) == 1 else math.sqrt(sum(float(each) ** 2 for each in apart))
    return sum(apart, Fraction(0))


def same_value(x: Value, y: Value) -> bool:
    """Whether two values cannot be told apart but for the type of numbers that are equal."""
    one, other = _entries(x), _entries(y)
    if one is not None and other is not None:
        return one[0] == other[0] and all(map(same_value, one[1], other[1]))
    if type(x) is tuple and type(y) is tuple:
        return len(x) == len(y) and all(map(same_value, x, y))
    if callable(getattr(x, "define", None)):
        return True
    return same(x, y) or (x is NAN and y is NAN)


# Drawing


class Drawing:
    """Draws points of spaces that a parameter's annotation takes, and points near them. With ``truths`` what may be
    anything is often a Bool."""

    def __init__(
        self,
        source: random.Random,
        norm: str,
        length: int,
        truths: bool = False,
        spots: Sequence[Fraction] = (),
    ) -> None:
        self.source, self.norm, self.length, self.truths = source, norm, length, truths
        self.spots = spots
        self._inside: dict[Space, list[Fraction]] = {}

    def point(self, of: Space, annotation: Parameter) -> Value:
        """A value that Julia's dispatch lets through."""
        for _ in range(30):
            found = self._point(of, annotation)
            if is_a(found, annotation):
                return found
        raise Unmodelled("no value is of the type")

    def _point(self, of: Space, annotation: Parameter) -> Value:
        match of.kind:
            case "truth":
                return self.source.random() < 0.5
            case "number":
                return self._number(of, annotation)
            case "anything":
                if self.truths and self.source.random() < 0.7:
                    return self.source.random() < 0.5
                return self._number(Space("number", "Real"), annotation)
            case "container":
                return self._container(of, annotation)
            case "dataset":
                return self._records(of, annotation)
            case "model":
                entries = [self.entry(Type("Float64"), Space("number", "Real")) for _ in range(self.length)]
                return Model({"a": Array(Type("Float64"), entries[:1]), "b": Array(Type("Float64"), entries[1:])})
            case "tuple" if isinstance(annotation, Type) and annotation.name == "Tuple":
                return tuple(self.point(p, a) for p, a in zip(of.parts, annotation.params, strict=True))
        raise Unmodelled(f"drawing of {of.kind}")

    def _number(self, of: Space, annotation: Parameter) -> Value:
        source = self.source
        inside = self.inside(of)
        if inside and source.random() < 0.5:
            exact = source.choice(inside)
        elif of.limits is not None:
            low, high = of.limits
            exact = low + (high - low) * source.choice((0, 1, 2, 3, 4)) / 4
            exact = Fraction(math.floor(exact)) if of.base == "Integer" else exact
        elif self.truths and source.random() < 0.4:
            exact = Fraction(source.choice((0, 1)))
        elif of.base == "Integer":
            exact = Fraction(source.choice(_WHOLES))
        else:
            exact = source.choice(_REALS) if source.random() < 0.6 else Fraction(source.choice(_WHOLES))
        return self.typed(exact, annotation, of.base == "Integer")

    def inside(self, of: Space) -> list[Fraction]:
        """The numbers of the program, and those beside them, as far as they are in a space."""
        if of not in self._inside:
            low, high = of.limits or (-INFINITE, INFINITE)
            whole = of.base == "Integer"
            self._inside[of] = [
                each for each in self.spots if low <= each <= high and (not whole or each.denominator == 1)
            ]
        return self._inside[of]

    def typed(self, exact: Fraction, annotation: Parameter, whole: bool = False) -> Value:
        """A number in one of the types that an annotation allows."""
        ways: list[Callable[[], Value]] = []
        if exact == int(exact):
            ways += [lambda: int(exact)] * 4
            if exact in (0, 1):
                ways += [lambda: bool(exact)] * 2
            if abs(exact) < 100:
                ways.append(lambda: Wide(Type("Int32"), exact))
        if not whole:
            ways += [lambda: Fraction(exact)] * 4
            ways.append(lambda: Wide(FLOAT32, exact))
        for _ in range(12):
            found = self.source.choice(ways)()
            if is_a(found, annotation):
                return found
        fitting = [made for made in (way() for way in ways) if is_a(made, annotation)]
        if not fitting:
            raise Unmodelled("no number is of the type")
        return fitting[0]

    def _element(self, annotation: Parameter, whole: bool) -> Type:
        """The element type of an array that is drawn."""
        wanted: Parameter = REAL
        if isinstance(annotation, Type) and annotation.name != "Any" and annotation.params:
            wanted = annotation.params[0]
        if isinstance(wanted, Type) and not isinstance(annotation, Below) and wanted != REAL:
            return wanted
        upper = wanted.upper if isinstance(wanted, Below) else REAL
        names = ["Int64", "Int64", "Bool"] if whole else ["Float64", "Float64", "Int64", "Bool", "Real", "Float32"]
        fitting = [Type(name) for name in names if is_below(Type(name), upper)]
        return self.source.choice(fitting or [INT])

    def entry(self, element: Type, of: Space) -> Value:
        if element.name == "Bool":
            if of.limits is not None and (of.limits[0] > 0 or of.limits[1] < 1):
                raise Unmodelled("no Bool is within the bounds")
            return self.source.random() < 0.5
        if of.kind == "truth":
            return self.source.random() < 0.5
        exact = Fraction(number(self._number(of, REAL)))
        if "Int" in element.name:
            exact = Fraction(math.floor(exact))
            if of.limits is not None:
                exact = max(exact, Fraction(math.ceil(of.limits[0])))
        return wide_of(element, exact)

    def _container(self, of: Space, annotation: Parameter) -> Value:
        if of.shape == "clipped":
            raise Unmodelled("clipped containers")
        (inner,) = of.parts
        truths = inner.kind == "truth"
        element = Type("Bool") if truths else self._element(annotation, inner.base == "Integer")
        if of.base == "DMGrads":
            element = Type("Int64") if inner.base == "Integer" else Type("Float64")
            entries = [self.entry(element, inner) for _ in range(self.length)]
            return Grads({"a": Array(element, entries[:1]), "b": Array(element, entries[1:])})
        shape = (2, self.length) if of.base == "Matrix" else (self.length,)
        count = math.prod(shape)
        return Array(element, [self.entry(element, inner) for _ in range(count)], shape)

    def _records(self, of: Space, annotation: Parameter) -> Value:
        (inner,) = of.parts
        element = self._element(annotation, inner.base == "Integer")
        count = self.length
        if "≥" in of.shape:
            least = re.sub(r".*≥ ", "", of.shape)
            if not least.isdigit():
                raise Unmodelled("sizes that are not written out")
            count = max(count, int(least) + 1)
        elif of.shape.isdigit():
            count = int(of.shape)
        if not of.rows:
            return Array(element, [self.entry(element, inner) for _ in range(count)])
        rows = [self.row(of, element, 2) for _ in range(count)]
        return Array(element, [each for row in rows for each in row], (count, 2))

    def row(self, of: Space, element: Type, width: int) -> list[Value]:
        """A record that is a row: often one at the end of what it may measure."""
        if of.radius is None:
            return [self.entry(element, of.parts[0]) for _ in range(width)]
        signs = [self.source.choice((-1, 1)) for _ in range(width)]
        alone = self.source.randrange(width)
        exact = [sign * of.radius * (place == alone) for place, sign in enumerate(signs)]
        if self.source.random() < 0.4:
            part = {"L1": Fraction(1, width), "LInf": Fraction(1), "L2": _below_root(width)}[of.norm]
            exact = [sign * of.radius * part for sign in signs]
        if self.source.random() < 0.2:
            exact = [each / 2 for each in exact]
        if element.name == "Bool" or "Int" in element.name:
            exact = [Fraction(0)] * width if of.radius < 1 else [Fraction(int(each)) for each in exact]
        if element.name == "Bool":
            exact = [abs(each) and Fraction(1) for each in exact[:1]] + [Fraction(0)] * (width - 1)
        return [wide_of(element, each) for each in exact]

    # Neighbours

    def near(self, of: Space, x: Value, annotation: Parameter, close: bool) -> tuple[Value, Distance]:
        """Another point and how far it is; not further than 1 if ``close``."""
        for _ in range(30):
            found, apart = self._near(of, x, annotation, close)
            if is_a(found, annotation) and (not close or apart <= 1):
                return found, apart
        raise Unmodelled("no neighbour is of the type")

    def _near(self, of: Space, x: Value, annotation: Parameter, close: bool) -> tuple[Value, Distance]:
        match of.kind:
            case "truth":
                return not x, Fraction(1)
            case "number" | "anything":
                found = self._near_number(of, x, annotation, close)
                return found, distance(of, x, found, self.norm)
            case "container" | "model":
                found = self._near_container(of, x, close)
                return found, distance(of, x, found, self.norm)
            case "dataset":
                return self._near_records(of, x), Fraction(1)
            case "tuple" if isinstance(annotation, Type):
                if not x:
                    raise Unmodelled("neighbours of nothing")
                place = self.source.randrange(len(x))
                part, apart = self.near(of.parts[place], x[place], annotation.params[place], close)
                return (*x[:place], part, *x[place + 1 :]), apart
        raise Unmodelled(f"neighbours in {of.kind}")

    def _near_number(self, of: Space, x: Value, annotation: Parameter, close: bool) -> Value:
        if of.kind == "anything" and isinstance(x, bool) and self.source.random() < 0.5:
            return not x
        exact = Fraction(number(x))
        step = self.source.choice(_STEPS) * self.source.choice((1, -1))
        if of.base == "Integer" or (isinstance(x, int) and self.source.random() < 0.3):
            step = Fraction(self.source.choice((1, -1, 1, 2, -10, 100)))
        if self.source.random() < 0.1:
            step = Fraction(0)
        if close and of.base != "Data" and abs(step) > 1:
            step /= abs(step)
        moved = exact + step
        if of.limits is not None:
            moved = min(max(moved, of.limits[0]), of.limits[1])
        if self.source.random() < 0.5 and of.base != "Integer":
            return self.typed(moved, annotation, False)
        kept = type_of(x)
        if kept.name == "Bool":
            fits = of.limits is None or of.limits[0] <= (not x) <= of.limits[1]
            turned = fits and self.source.random() < 0.7
            return not x if turned else self.typed(moved, annotation, of.base == "Integer")
        if "Int" in kept.name and moved != int(moved):
            return self.typed(moved, annotation, of.base == "Integer")
        return wide_of(kept, moved)

    def _near_container(self, of: Space, x: Value, close: bool) -> Value:
        entries = list(x.entries()) if isinstance(x, Grads | Model) else list(x.entries)
        if not entries:
            return x
        several = not close and self.source.random() < 0.4
        inner = of.parts[0] if of.parts else Space("number", "Real")
        norm = of.norm if of.norm in ("L1", "L2", "LInf") else self.norm
        wide_change = several or (close and norm == "LInf" and self.source.random() < 0.5)
        if not entries:
            return x
        places = range(len(entries)) if wide_change and of.base != "Matrix" else [self.source.randrange(len(entries))]
        for place in places:
            before = entries[place]
            found = self._near_number(inner, before, type_of(before), close) if inner.kind != "truth" else not before
            entries[place] = found
        if isinstance(x, Grads | Model):
            split = len(next(iter(x.arrays.values())).entries)
            parts = [entries[:split], entries[split:]]
            arrays = {
                name: Array(array.element, part) for (name, array), part in zip(x.arrays.items(), parts, strict=False)
            }
            return type(x)(arrays)
        return Array(x.element, entries, x.shape)

    def _near_records(self, of: Space, x: Array) -> Value:
        """A dataset in which one person's records are others, or there, or gone."""
        for _ in range(self.source.randint(1, of.share)):
            x = self._one_record(of, x)
        return x

    def _one_record(self, of: Space, x: Array) -> Array:
        width = x.shape[1] if of.rows else 1
        records = [x.entries[start : start + width] for start in range(0, len(x.entries), width)]
        new = self.row(of, x.element, width) if of.rows else [self.entry(x.element, of.parts[0])]
        place = self.source.randrange(len(records) + 1)
        if of.base in ("ChangeOne", "Hamming"):
            if records:
                records[min(place, len(records) - 1)] = new
        elif records and self.source.random() < 0.5 and "≥" not in of.shape:
            del records[min(place, len(records) - 1)]
        else:
            records.insert(place, new)
        return Array(x.element, [each for record in records for each in record], _shape(of, len(records), width))


def _shape(of: Space, count: int, width: int) -> tuple[int, ...]:
    return (count, width) if of.rows else (count,)


def _below_root(width: int) -> Fraction:
    """A number just below 1 / √width."""
    return Fraction(math.floor(2**40 / math.sqrt(width)), 2**40) - Fraction(1, 2**40)
