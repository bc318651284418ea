"""What has changed between two reports: whose ε, δ or sensitivity rose or fell, and what may be the cause.

Whatever is not proved to be no larger counts as risen, so that who lets nothing rise lets nothing through in doubt.
"""

from __future__ import annotations

import difflib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from dp_lsp.core.constraints import Comparison, Quantity, follows
from dp_lsp.core.formulas import (
    FormulaScope,
    Order,
    Renamed,
    SamplePoint,
    UnreadableFormula,
    compare,
    is_at_most,
    with_names,
    words,
)
from dp_lsp.core.notation import decimal
from dp_lsp.named import NamedTuple

Json = Mapping[str, Any]
Lines = Callable[[str], list[str]]
"""The lines of a file, by its path in a report; none if they are not known."""

_DIGITS, _ALL_DIGITS = 6, 17  # of a number of a report, and of one that is nearly another
_MOST_LINES = 3
_WIDEST = 80  # characters of a line that is shown
_LONGEST = 300  # of a formula
_MOST_BOUNDS = 12  # of a parameter that are compared, each with each
_SIGNS = {"epsilon": "ε", "delta": "δ", "sensitivity": "sensitivity"}
_ANY_NORM = "N"
_WIDER = (("L1", "L2", "LInf", _ANY_NORM), ("InsertDelete", "Symmetric"), ("Hamming", "ChangeOne"))
"""Metrics by which ever more data are neighbours, so that a bound for one holds for those before it, too."""
_DATASETS = frozenset(name for names in _WIDER[1:] for name in names)
_CONTAINERS = ("vector", "matrix", "gradient")
_PAIRS = "data that differ in one record", "data of which one has a record more"
_HOLD = ("proved", "assumed")
"""The states of what nothing is wrong with, and nothing is open of."""
_OF_NEIGHBOURS = ("neighbours", "contributes")
"""Conditions that only say which data are neighbours, or how many records a person has."""


class Effect(StrEnum):
    """What became of a function. Those that count as risen come first; ``changed`` is a bound of which it is not proved
    that it is no larger."""

    NOT_PROVED = "not proved"
    ROSE = "rose"
    CHANGED = "changed"
    WEAKER = "weaker"
    FELL = "fell"
    PROVED = "proved"
    NEW = "new"
    GONE = "gone"

    @property
    def rises(self) -> bool:
        """Whether it fails a comparison."""
        return self in (Effect.NOT_PROVED, Effect.ROSE, Effect.CHANGED, Effect.WEAKER)


class ReportedBound(NamedTuple):
    """A bound of a parameter that is another one now. ``what`` is ``epsilon``, ``delta`` or ``sensitivity``, or the
    code of a problem of which it says how bad it is; ``why`` says what is known of which one is larger, where that is
    not all."""

    parameter: str
    what: str
    old: str
    new: str
    effect: Effect
    why: str = ""

    @property
    def sentence(self) -> str:
        """It, to a person."""
        sign = f"{_SIGNS[self.what]} of" if self.what in _SIGNS else f"{self.what} about"
        return f"{sign} `{self.parameter}`: {_shown(self.old)} → {_shown(self.new)}{self.why}"


@dataclass(frozen=True, slots=True)
class ReportChange:
    """What became of a function, or of a file outside of its functions if there is no ``function``: in all, of its
    bounds, and what may be the cause, each a sentence."""

    path: str
    function: str
    signature: str
    line: int
    effect: Effect
    bounds: tuple[ReportedBound, ...] = ()
    notes: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()


def changes(
    old: Json,
    new: Json,
    moved: Mapping[str, str] | None = None,
    lines: tuple[Lines, Lines] = (lambda path: [], lambda path: []),
) -> list[ReportChange]:
    """What has changed from one report to another, what rose first. ``moved`` are the new paths of files that are known
    to be called otherwise now; ``lines`` are those of files of the one and of the other."""
    paths = renamed(old, new, moved or {})
    found = list(_of_files(old, new, paths))
    risen: set[str] = set()
    pairs = list(matched(old, new, paths))
    for pair in pairs:
        change = _of_pair(pair)
        if change is not None:
            found.append(change)
            risen |= {change.function} if change.effect.rises else set()
    by_place = {(pair.new.path, pair.new.name, pair.new.line): pair for pair in pairs if pair.new is not None}
    explained = (_explained(each, by_place.get((each.path, each.function, each.line)), risen, lines) for each in found)
    order = list(Effect)
    return sorted(explained, key=lambda each: (order.index(each.effect), each.path, each.line, each.function))


def _of_files(old: Json, new: Json, paths: Mapping[str, str]) -> Iterator[ReportChange]:
    """Files that are not checked to the end any more for what stands outside of their functions."""
    before = {paths.get(file["path"], file["path"]): file for file in old["files"]}
    for file in new["files"]:
        was = before.get(file["path"])
        worse = file["status"] not in _HOLD and all(each["status"] in _HOLD for each in file["functions"])
        if worse and (was is None or was["status"] in _HOLD):
            told = _errors(file["diagnostics"]) or file["diagnostics"]  # what only leaves a value unknown is no error
            notes = tuple(map(_problem, told[:_MOST_LINES]))
            yield ReportChange(
                file["path"], "", "", 1, Effect.NOT_PROVED, notes=notes or (f"now it is {file['status']}",)
            )


def _of_pair(pair: FunctionPair) -> ReportChange | None:
    old, new = pair
    if old is None and new is not None:
        known = new.holds or new.accepted is not None
        effect = Effect.NEW if known else Effect.NOT_PROVED
        return _change(new, effect, notes=(_summary(new) if new.holds else f"it is new, and {_state(new)}",))
    if old is not None and new is None:
        return _change(old, Effect.GONE)
    assert old is not None and new is not None, "a pair has a function"
    if old.holds and not new.holds:
        return _change(new, Effect.NOT_PROVED, notes=(f"it was proved, and now it is {_state(new)}",))
    if new.holds and not old.holds:
        return _change(new, Effect.PROVED, notes=(_summary(new),))
    sides = Sides.of(old, new)
    bounds = tuple(_bounds(sides)) if new.holds or new.status == old.status == "failed" else ()
    bounds = (*bounds, *_grown(sides)) if not new.holds else bounds
    notes, weaker = _conditions(sides)
    less = tuple(_about_less(sides)) if new.holds else ()
    notes, weaker = (*less, *notes), weaker or bool(less)
    effects = [each.effect for each in bounds] + ([Effect.WEAKER] if weaker else [])
    effects += [Effect.NOT_PROVED] if _is_known_no_more(old, new) else []
    if not effects:
        return None
    if Effect.NOT_PROVED in effects:
        notes = (f"it was {_state(old)}, and now it is {_state(new)}", *notes)
    return _change(new, min(effects, key=list(Effect).index), bounds, notes)


def _is_known_no_more(old: ReportedFunction, new: ReportedFunction) -> bool:
    """Whether bounds that held of a function that failed are not known any more, or nothing accepts it now."""
    lost = old.status == "failed" and new.status == "unknown" and new.accepted is None
    return not new.holds and (lost or (old.accepted is not None and new.accepted is None))


def _change(
    function: ReportedFunction, effect: Effect, bounds: tuple[ReportedBound, ...] = (), notes: tuple[str, ...] = ()
) -> ReportChange:
    return ReportChange(function.path, function.name, function.signature, function.line, effect, bounds, notes)


# Its bounds


def _bounds(sides: Sides) -> Iterator[ReportedBound]:
    """The bounds that are others now."""
    old, new = sides.old, sides.new
    never_more = _Dominance(sides)
    before = {sides.names.get(each["name"], each["name"]): each for each in old.parameters}
    present = {each["name"] for each in new.parameters}
    lost = any(name not in present and not each["static"] for name, each in before.items())
    for parameter in new.parameters:
        name = parameter["name"]
        was = before.get(name)
        if was is None:
            yield from _of_new_parameter(parameter, lost)
            continue
        if parameter["static"] and not was["static"]:
            yield ReportedBound(name, "epsilon", "protected", "public", Effect.ROSE)
        if parameter["static"] or was["static"]:
            continue
        numbers = old.numbers(was["name"]), new.numbers(name)
        for what in ("sensitivity", "epsilon", "delta"):
            if numbers[0] and numbers[1] and what in numbers[0] and what in numbers[1]:
                yield from _by_number(name, what, numbers[0][what], numbers[1][what])
            elif was[what] is not None and parameter[what] is not None:
                values = _values(old, was, what, sides, sides.names), _values(new, parameter, what, sides, {})
                found = _by_formula(name, what, (was[what], parameter[what]), values, sides)
                yield from (each for each in found if each.effect is Effect.FELL or not never_more.of(name))
            elif was[what] is not None and what != "delta":
                yield ReportedBound(name, what, was[what], _other_kind(parameter, new), Effect.ROSE)


def _values(function: ReportedFunction, parameter: Json, what: str, sides: Sides, names: Renamed) -> list[Quantity]:
    """What a bound of a parameter is at most: each of these numbers; none if it is not known. Where it is open which of
    several ε is the smallest, they stand in the bounds of the function."""
    found = sides.scope.read(parameter[what], names)
    if not isinstance(found, UnreadableFormula):
        return [found]
    own = [each for each in function.bounds if each["parameters"] == [parameter["name"]]] if what == "epsilon" else []
    several = [sides.scope.read(each["epsilon"], names) for each in own[:_MOST_BOUNDS]]
    return [each for each in several if not isinstance(each, UnreadableFormula)]


def _of_new_parameter(parameter: Json, lost: bool) -> Iterator[ReportedBound]:
    """The bound of a parameter that was not there. It may be one that was, and is ``lost``, under another name."""
    effect = Effect.CHANGED if lost else Effect.NEW
    for what in ("sensitivity", "epsilon"):
        if parameter[what] not in (None, "0") and not parameter["static"]:
            yield ReportedBound(parameter["name"], what, "no such parameter", parameter[what], effect)


class _Dominance:
    """Whether every bound that was proved of a parameter is at least another one that is proved now. Then nothing rose,
    even where the one of several bounds that is told changes at another place, and its δ with it."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        self._found: dict[str, bool] = {}

    def of(self, parameter: str) -> bool:
        if parameter not in self._found:
            back = {other: one for one, other in self._sides.names.items()}
            old = self._pairs(self._sides.old, back.get(parameter, parameter), self._sides.names)
            new = self._pairs(self._sides.new, parameter, {})
            self._found[parameter] = bool(old) and all(any(self._is_at_most(n, o) for n in new) for o in old)
        return self._found[parameter]

    def _pairs(
        self, function: ReportedFunction, parameter: str, names: Renamed
    ) -> list[tuple[Quantity | UnreadableFormula, ...]]:
        bounds = [each for each in function.bounds if parameter in each["parameters"]][:_MOST_BOUNDS]
        return [tuple(self._sides.scope.read(each[what], names) for what in ("epsilon", "delta")) for each in bounds]

    def _is_at_most(
        self, new: tuple[Quantity | UnreadableFormula, ...], old: tuple[Quantity | UnreadableFormula, ...]
    ) -> bool:
        return all(self._sides.is_proved(one, other) for one, other in zip(new, old, strict=True))


def _other_kind(parameter: Json, function: ReportedFunction) -> str:
    """What stands where a bound of this sort stood."""
    if function.kind == "blackbox":
        return "no bound, as it is a black box now"
    return "no ε" if parameter["epsilon"] is None else "no sensitivity, as it is a private function now"


def _by_number(parameter: str, what: str, old: float | None, new: float | None) -> Iterator[ReportedBound]:
    before, after = (math.inf if each is None else each for each in (old, new))
    if before != after:
        effect = Effect.ROSE if after > before else Effect.FELL
        yield ReportedBound(parameter, what, *_figures(before, after), effect)


def _grown(sides: Sides) -> Iterator[ReportedBound]:
    """What is worse of the errors that both have, accepted or not, and what is accepted besides."""
    old, new, names = sides.old, sides.new, sides.names
    left = [*_errors(old.problems), *old.silenced]
    for problem in (*_errors(new.problems), *new.silenced):
        same = [each for each in left if each["code"] == problem["code"]]
        was = min(same, key=lambda each: _apart(_extent(each, names), _extent(problem, {})), default=None)
        if was is None:
            if problem in new.silenced and old.accepted is not None:
                yield ReportedBound(new.name, problem["code"], "not there", "accepted", Effect.ROSE)
            continue
        left.remove(was)
        before = _extent(was, names)
        for about, amount in _extent(problem, {}).items():
            if "extent" in was and about not in before:
                yield ReportedBound(about, problem["code"], "not there", amount, Effect.ROSE)
            elif about in before:
                values = [sides.scope.read(each) for each in (before[about], amount)]
                known = ([each] if not isinstance(each, UnreadableFormula) else [] for each in values)
                yield from _by_formula(about, problem["code"], (before[about], amount), (*known,), sides)


def _extent(problem: Json, names: Mapping[str, str]) -> dict[str, str]:
    """How bad a problem is, by what it is about."""
    return {with_names(each["about"], names): with_names(each["amount"], names) for each in problem.get("extent", ())}


def _apart(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[int, int]:
    """How unlike what two problems are about is, and how much of it: what is most alike is taken for the same."""
    return len(old.keys() ^ new.keys()), len(old.items() ^ new.items())


def _figures(old: float, new: float) -> tuple[str, str]:
    """Numbers rounded up, with so many digits that they are told apart."""
    few, many = ((_figure(old, digits), _figure(new, digits)) for digits in (_DIGITS, _ALL_DIGITS))
    return few if few[0] != few[1] else many


def _figure(number: float, digits: int) -> str:
    return "oo" if number == math.inf else decimal(Fraction(repr(number)), digits)


def _by_formula(
    parameter: str, what: str, texts: tuple[str, str], values: tuple[list[Quantity], ...], sides: Sides
) -> Iterator[ReportedBound]:
    (old, new), (before, after) = texts, values
    if not before or not after:
        if with_names(old, sides.names) != new:
            yield ReportedBound(parameter, what, old, new, Effect.CHANGED, "; which of them is larger cannot be told")
        return
    verdict = compare(before, after, sides.scope)
    match verdict.order:
        case Order.SMALLER:
            yield ReportedBound(parameter, what, old, new, Effect.FELL)
        case Order.LARGER:
            where = f" ({_at(verdict.above)})" if verdict.above and verdict.above.numbers else ""
            yield ReportedBound(parameter, what, old, new, Effect.ROSE, where)
        case Order.MIXED if verdict.above and verdict.below:
            depends = ", ".join(f"`{name}`" for name, _ in verdict.above.numbers)
            why = f"; which is larger depends on {depends}: {_at(verdict.above)}, but {_at(verdict.below)}"
            yield ReportedBound(parameter, what, old, new, Effect.CHANGED, why)
        case Order.OPEN:
            less = f" (it is less here: {_at(verdict.below)})" if verdict.below else ""
            why = f"; it is not proved that this is no more than before{less}: give numbers with --set"
            yield ReportedBound(parameter, what, old, new, Effect.CHANGED, why)


def _at(point: SamplePoint) -> str:
    where = ", ".join(f"{name} = {number:g}" for name, number in point.numbers)
    return f"at {where} it is {point.new:.3g}, and was {point.old:.3g}"


# Who and what they are about


class _Part(NamedTuple):
    """A dataset, a container or a number in the domain of a parameter: by which metric it is compared, of which numbers
    it is made (``base``), between which limits (``bounds``, formulas), and of a dataset how many records there are
    (``size``, ``least``) and how much a row measures at most (``radius``, in the norm ``clip``). None is what is not
    said."""

    metric: str | None = None
    base: str | None = None
    bounds: tuple[str, ...] = ()
    size: str | None = None
    least: str | None = None
    radius: str | None = None
    clip: str = ""

    @property
    def limits(self) -> str:
        return f"from {' to '.join(self.bounds)}" if self.bounds else "any"

    @property
    def rows(self) -> str:
        return f"at most {self.radius} in {self.clip}" if self.radius else "anything"

    @property
    def number(self) -> str:
        """How many records there are, to a person."""
        return self.size or (f"at least {self.least}" if self.least else "any")

    @property
    def comparison(self) -> str:
        """How its numbers are compared, where that is not a matter of records."""
        if self.metric in _DATASETS or self.base is None:
            return ""
        return "equality" if self.base == "Data" else "difference"


def _parts(domain: Json) -> list[_Part]:
    """What a domain is made of, in the order in which it is written."""
    found, pending = [], [domain]
    while pending:
        each = pending.pop()
        if each["kind"] == "tuple":
            pending += reversed(each.get("items", ()))
        elif each["kind"] == "dataset":
            of = each.get("records", {})
            part = _numbers(of.get("element", {}))._replace(metric=each.get("metric"), clip=of.get("clip", ""))
            size, least, radius = map(each.get, ("size", "least", "radius"))
            found.append(part._replace(size=size, least=least, radius=radius))
        elif each["kind"] in _CONTAINERS:
            found.append(_numbers(each.get("element", {}))._replace(metric=each.get("metric") or _ANY_NORM))
        elif each["kind"] == "number":
            found.append(_numbers(each))
    return found


def _numbers(domain: Json) -> _Part:
    return _Part(base=domain.get("base"), bounds=tuple(domain.get("bounds", ())))


def _about_less(sides: Sides) -> Iterator[str]:
    """What the bounds are about now that is not known to be all that they were about: other neighbours, somebody with
    fewer records, or fewer data."""
    old, new = sides.old, sides.new
    before = {sides.names.get(each["name"], each["name"]): each for each in old.parameters}
    if any(each["epsilon"] is not None for each in new.parameters):
        was, now = (any(each.get("kind") == "neighbours" for each in side.conditions) for side in (old, new))
        if was is not now:
            yield f"neighbours are {_PAIRS[now]}, and were {_PAIRS[was]}"
    for parameter in new.parameters:
        earlier = before.get(parameter["name"])
        if earlier is not None and not (parameter["static"] or earlier["static"]):
            yield from _of_less(earlier, parameter, sides)


def _of_less(old: Json, new: Json, sides: Sides) -> Iterator[str]:
    """The same of a parameter. ``scaled`` says that its bound is also about distances of less than 1, which data
    compared by equality do not have."""
    name, scaled = new["name"], new["sensitivity"] is not None
    if "domain" in old and "domain" in new:
        before, after = _parts(old["domain"]), _parts(new["domain"])
        metrics = [[each.metric for each in side if each.metric] for side in (before, after)]
        if len(metrics[0]) != len(metrics[1]) or not all(map(_is_as_wide, *metrics)):
            was, now = (", ".join(each) or "none" for each in metrics)
            yield f"the metric of `{name}` is {now}, and was {was}"
        if len(before) == len(after):
            for one, other in zip(before, after, strict=True):
                yield from _fewer(name, one, other, sides, scaled)
    elif with_names(old["type"], sides.names) != new["type"]:
        yield f"a report of before does not say which data `{name}` may be: make it anew"
    was, now = map(_records_of_a_person, (old, new))
    if not sides.is_at_most(was, now):
        less, more = _records(now), _records(was)
        yield f"it is about a person with up to {less} in `{name}`, and was about one with up to {more}"


def _records_of_a_person(parameter: Json) -> str:
    """How many records a person has; reports of before say it only where there is a bound."""
    return str(parameter.get("records_per_person") or parameter.get("stability", {}).get("d_in", "1"))


def _fewer(name: str, old: _Part, new: _Part, sides: Sides, scaled: bool) -> Iterator[str]:
    """What a part of a domain leaves out that was not before."""
    ways = old.comparison, new.comparison
    if ways == ("equality", "difference") or (ways == ("difference", "equality") and scaled and old.base == "Real"):
        yield f"`{name}` is compared by {ways[1]}, and was by {ways[0]}"
    if new.bounds and not _is_as_long(old.bounds, new.bounds, sides):
        yield f"numbers of `{name}` are {new.limits}, and were {old.limits}"
    as_short = old.radius and _is_as_wide(old.clip, new.clip) and sides.is_at_most(old.radius, new.radius or "")
    if new.radius and not as_short:
        yield f"rows of `{name}` measure {new.rows}, and measured {old.rows}"
    if not _is_as_many(old, new, sides):
        yield f"the number of records in `{name}` is {new.number}, and was {old.number}"


def _is_as_long(old: tuple[str, ...], new: tuple[str, ...], sides: Sides) -> bool:
    """Whether an interval holds another one."""
    if len(old) != 2 or len(new) != 2:
        return False
    return sides.is_at_least(old[0], new[0]) and sides.is_at_most(old[1], new[1])


def _is_as_many(old: _Part, new: _Part, sides: Sides) -> bool:
    """Whether a dataset may have as few records, or as many, as before."""
    if new.size and not (old.size and sides.is_at_least(old.size, new.size) and sides.is_at_most(old.size, new.size)):
        return False
    known = (each for each in (old.least, old.size) if each)
    return not new.least or any(sides.is_at_least(each, new.least) for each in known)


def _is_as_wide(old: str, new: str) -> bool:
    return old == new or any(old in names[: names.index(new)] for names in _WIDER if new in names)


def _records(count: str) -> str:
    return "1 record" if count == "1" else f"{count} records"


def _conditions(sides: Sides) -> tuple[tuple[str, ...], bool]:
    """What must hold now and had not to before, and what need not any more; whether there is any of the first."""
    old, new = sides.old, sides.new
    before = {sides.names.get(each["name"], each["name"]) for each in old.parameters}
    own = {each["name"] for each in new.parameters} - before
    was, now = ([each for each in side.conditions if each.get("kind") not in _OF_NEIGHBOURS] for side in (old, new))
    more = [each["text"] for each in now if not _is_known((each, {}), (old, sides.names), sides, own)]
    less = [each["text"] for each in was if not _is_known((each, sides.names), (new, {}), sides, set())]
    notes = [f"it is proved only where this holds: {text}" for text in more]
    return (*notes, *(f"it does not need any more that {text}" for text in less)), bool(more) and new.holds


def _is_known(
    condition: tuple[Json, Renamed], other: tuple[ReportedFunction, Renamed], sides: Sides, own: set[str]
) -> bool:
    """Whether a condition follows from one that the other function has, or is about what that has no parameter for."""
    (wanted, names), (function, others) = condition, other
    text = with_names(wanted["text"], names)
    if any(with_names(each["text"], others) == text for each in function.conditions):
        return True
    if wanted["formula"] is None:
        return False
    if words(wanted["formula"]) & own:
        return True
    found = sides.scope.read_relations(wanted["formula"], names)
    known: list[Comparison] = []
    for relation in function.relations(others):
        said = sides.scope.read_relations(*relation)
        known += () if isinstance(said, UnreadableFormula) else said
    return not isinstance(found, UnreadableFormula) and all(follows(each, known) for each in found)


def _state(function: ReportedFunction) -> str:
    return f"{function.status} ({function.accepted})" if function.accepted else function.status


def _summary(function: ReportedFunction) -> str:
    """What is proved of a function, in a line."""
    found = []
    for each in function.parameters:
        if not each["static"]:
            costs = [f"{_SIGNS[what]} {_shown(each[what])}" for what in ("sensitivity", "epsilon") if each[what]]
            costs += [f"δ {_shown(each['delta'])}"] if each["delta"] not in (None, "0") else []
            found += [f"`{each['name']}`: {', '.join(costs)}"] if costs else []
    return "; ".join(found) or "it claims nothing of its parameters"


def _shown(formula: str) -> str:
    """A formula for a person. Of one that nobody would read, the beginning."""
    return with_names(formula if len(formula) <= _LONGEST else formula[:_LONGEST] + "…", {"oo": "∞"})


def _errors(problems: Iterable[Json]) -> list[Json]:
    return [each for each in problems if each["severity"] == "error"]


def _problem(problem: Json) -> str:
    return f"line {problem['range']['start']['line']}: {problem['code']}, {problem['message']}"


# Which function of a report is which one of another


@dataclass(frozen=True, eq=False)
class ReportedFunction:
    """A function of a report, and what is reported of the lines it stands in: problems, and errors that a person
    accepted (``silenced``)."""

    path: str
    said: Json
    problems: tuple[Json, ...]
    silenced: tuple[Json, ...] = ()

    @property
    def name(self) -> str:
        return str(self.said["name"])

    @property
    def signature(self) -> str:
        return str(self.said["signature"])

    @property
    def kind(self) -> str:
        return str(self.said["kind"])

    @property
    def status(self) -> str:
        return str(self.said["status"])

    @property
    def holds(self) -> bool:
        """Whether it is proved, or a black box that is taken at its word."""
        return self.status in _HOLD

    @property
    def accepted(self) -> str | None:
        """What a person accepted of it, if anything."""
        found = self.said.get("accepted")
        return None if found is None else str(found)

    @property
    def line(self) -> int:
        return int(self.said["range"]["start"]["line"])

    @property
    def last_line(self) -> int:
        return int(self.said["range"]["end"]["line"])

    @property
    def parameters(self) -> list[Json]:
        return list(self.said["parameters"])

    @property
    def conditions(self) -> list[Json]:
        return list(self.said["conditions"])

    @property
    def bounds(self) -> list[Json]:
        return list(self.said["bounds"])

    @property
    def spending(self) -> list[Json]:
        return list(self.said.get("spending", ()))

    def relations(self, names: Renamed) -> Iterator[tuple[str, Renamed]]:
        """What is known to hold where its bounds do, each with what names in it are called otherwise."""
        free = (each["range"] for bound in self.bounds for each in bound["free"])
        for text in (*(each["formula"] for each in self.conditions if each["formula"]), *dict.fromkeys(free)):
            yield text, names

    def numbers(self, parameter: str) -> Json | None:
        """The bound of a parameter as numbers, if it has any."""
        found = (each for each in self.said.get("numeric", ()) if parameter in each["parameters"])
        return next((each for each in found if "missing" not in each), None)


class FunctionPair(NamedTuple):
    """A function as it was and as it is; one of them may be missing."""

    old: ReportedFunction | None
    new: ReportedFunction | None


def functions(report: Json) -> list[ReportedFunction]:
    """All functions of a report."""
    found = []
    for file in report["files"]:
        for said in file["functions"]:
            first, last = (said["range"][end]["line"] for end in ("start", "end"))
            problems, silenced = (
                [each for each in listed if first <= each["range"]["start"]["line"] <= last]
                for listed in (file["diagnostics"], file.get("accepted", ()))
            )
            found.append(ReportedFunction(file["path"], said, tuple(problems), tuple(silenced)))
    return found


def renamed(old: Json, new: Json, moved: Mapping[str, str]) -> dict[str, str]:
    """The new paths of files that are called otherwise now: those that are known, and those that have the very same
    functions, by name and signature, where there is one such file only."""
    before = {file["path"]: file for file in old["files"]}
    after = {file["path"]: file for file in new["files"]}
    found = {one: other for one, other in moved.items() if one in before and other in after}
    gone = [path for path in before if path not in after and path not in found]
    come = [path for path in after if path not in before and path not in found.values()]
    by_functions: dict[Hashable, list[str]] = defaultdict(list)
    for path in come:
        by_functions[_outline(after[path])].append(path)
    same = {path: by_functions[_outline(before[path])] for path in gone if before[path]["functions"]}
    alone = {path: others[0] for path, others in same.items() if len(others) == 1}
    taken = list(alone.values())
    return found | {one: other for one, other in alone.items() if taken.count(other) == 1}


def _outline(file: Json) -> Hashable:
    return tuple(sorted((each["name"], each["signature"]) for each in file["functions"]))


def matched(old: Json, new: Json, paths: Mapping[str, str]) -> Iterator[FunctionPair]:
    """Every function of one report with its counterpart in the other: of the same file, name and signature; else of
    the same file and name; else of the same name and signature in any file, where there is one only."""
    before, after = functions(old), functions(new)
    ways: tuple[Callable[[ReportedFunction, str], Hashable], ...] = (
        lambda each, path: (path, each.name, each.signature),
        lambda each, path: (path, each.name),
        lambda each, path: (each.name, each.signature),
    )
    for number, way in enumerate(ways):
        mine, theirs = _grouped(before, way, paths), _grouped(after, way, {})
        for key, group in mine.items():
            others = theirs.get(key, [])
            if number and not len(group) == len(others) == 1:
                continue  # it is not certain which one is which
            for one, other in zip(group, others, strict=False):
                yield FunctionPair(one, other)
                before.remove(one)
                after.remove(other)
    yield from (FunctionPair(one, None) for one in before)
    yield from (FunctionPair(None, other) for other in after)


def renamed_parameters(old: ReportedFunction, new: ReportedFunction) -> dict[str, str]:
    """What parameters of the old one are called now: where there are as many, those in the same places; else of those
    that are not public and that only one of them has, where there are as many."""
    mine, theirs = ([each["name"] for each in side.parameters] for side in (old, new))
    if len(mine) != len(theirs):
        mine, theirs = (
            [each["name"] for each in side.parameters if not each["static"] and each["name"] not in others]
            for side, others in ((old, theirs), (new, mine))
        )
    if len(mine) != len(theirs) or set(mine) == set(theirs):
        return {}
    return {one: other for one, other in zip(mine, theirs, strict=True) if one != other}


def _grouped(
    several: list[ReportedFunction], way: Callable[[ReportedFunction, str], Hashable], paths: Mapping[str, str]
) -> dict[Hashable, list[ReportedFunction]]:
    found: dict[Hashable, list[ReportedFunction]] = defaultdict(list)
    for each in several:
        found[way(each, paths.get(each.path, each.path))].append(each)
    return found


class Sides(NamedTuple):
    """A function as it was and as it is: what parameters of the old one are called now, and what the names in formulas
    of both stand for where the conditions of both hold."""

    old: ReportedFunction
    new: ReportedFunction
    names: Renamed
    scope: FormulaScope

    @staticmethod
    def of(old: ReportedFunction, new: ReportedFunction) -> Sides:
        names = renamed_parameters(old, new)
        parameters = (each["name"] for each in (*old.parameters, *new.parameters))
        return Sides(old, new, names, FormulaScope((*old.relations(names), *new.relations({})), parameters))

    def is_at_most(self, old: str, new: str) -> bool:
        """Whether a formula of the old report is known to be at most one of the new report."""
        return self._is_at_most((old, self.names), (new, {}))

    def is_at_least(self, old: str, new: str) -> bool:
        """The same the other way round."""
        return self._is_at_most((new, {}), (old, self.names))

    def _is_at_most(self, one: tuple[str, Renamed], other: tuple[str, Renamed]) -> bool:
        return with_names(*one) == with_names(*other) or self.is_proved(self.scope.read(*one), self.scope.read(*other))

    def is_proved(self, small: Quantity | UnreadableFormula, large: Quantity | UnreadableFormula) -> bool:
        """Whether a number is proved to be at most another."""
        if isinstance(small, UnreadableFormula) or isinstance(large, UnreadableFormula):
            return False
        return is_at_most(small, large, self.scope)


# What may be the cause


def _explained(
    change: ReportChange, pair: FunctionPair | None, risen: set[str], lines: tuple[Lines, Lines]
) -> ReportChange:
    """The same with what may be the cause."""
    if pair is None or pair.new is None or change.effect in (Effect.NEW, Effect.PROVED):
        return change
    causes = [*_spent(pair), *_appeared(pair)]
    text = _lines_of(pair.new, lines[1])
    used = {word for _, line in text for word in words(line)} | {each["name"] for each in pair.new.spending}
    causes += [f"`{name}`, which it uses, is listed here, too" for name in sorted((risen & used) - {change.function})]
    if pair.old is not None:
        causes += _edited(_lines_of(pair.old, lines[0]), text)
    return replace(change, causes=tuple(causes))


def _spent(pair: FunctionPair) -> Iterator[str]:
    """Mechanisms and calls that cost something else than before."""
    if pair.old is None or pair.new is None:
        return
    names = renamed_parameters(pair.old, pair.new)
    old, new = list(pair.old.spending), list(pair.new.spending)
    for each in list(new):
        same = next((was for was in old if _cost(was, names) == _cost(each, {})), None)
        if same is not None:
            old.remove(same)
            new.remove(each)
    for each in new[:_MOST_LINES]:
        was = next((was for was in old if was["name"] == each["name"]), None)
        before = "" if was is None else f" and not {_costs(was)} as before"
        if was is not None:
            old.remove(was)
        once = "" if was is not None else ", which was not there before"
        yield f"line {each['range']['start']['line']}: `{each['name']}` costs {_costs(each)}{before}{once}"
    for each in old[:_MOST_LINES]:
        yield f"`{each['name']}`, which cost {_costs(each)}, is not there any more"


def _cost(spent: Json, names: Mapping[str, str]) -> tuple[object, ...]:
    whose = tuple(sorted(names.get(each, each) for each in spent["parameters"]))
    return spent["name"], whose, *(with_names(spent[what], names) for what in ("epsilon", "delta"))


def _costs(spent: Json) -> str:
    delta = "" if spent["delta"] == "0" else f", δ {_shown(spent['delta'])}"
    return f"ε {_shown(spent['epsilon'])}{delta}"


def _appeared(pair: FunctionPair) -> Iterator[str]:
    """What is reported now and was not before."""
    before = Counter((each["code"], each["message"]) for each in (pair.old.problems if pair.old else ()))
    shown = 0
    for each in pair.new.problems if pair.new else ():
        if each["severity"] not in ("error", "warning"):
            continue
        if before[each["code"], each["message"]] > 0:
            before[each["code"], each["message"]] -= 1
        elif shown < _MOST_LINES:
            shown += 1
            yield _problem(each)


def _lines_of(function: ReportedFunction, lines: Lines) -> list[tuple[int, str]]:
    """The lines of a function, with their numbers."""
    found = lines(function.path)[function.line - 1 : function.last_line]
    return list(enumerate(found, function.line))


def _edited(old: list[tuple[int, str]], new: list[tuple[int, str]]) -> Iterator[str]:
    """Lines of a function that say something else, but for their blanks."""
    mine, theirs = ([" ".join(line.split()) for _, line in side] for side in (old, new))
    shown = 0
    for kind, first, last, start, end in difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if kind == "equal" or not (old and new):
            continue
        was = [line for line in mine[first:last] if line]
        now = [(new[start + index][0], line) for index, line in enumerate(theirs[start:end]) if line]
        for index, (number, line) in enumerate(now):
            other = was[index] if index < len(was) else ""
            begin = _begin(line, other)
            before = f", and was {_code(other, begin)}" if other else ""
            shown += 1
            if shown <= _MOST_LINES:
                yield f"line {number} is {_code(line, begin)}{before}"
        for line in was[len(now) :]:
            shown += 1
            if shown <= _MOST_LINES:
                yield f"this line is gone: {_code(line)}"


def _begin(line: str, other: str) -> int:
    """Where to begin so that it is seen how two lines differ, if one of them is shown in part."""
    alike = next((at for at, (one, two) in enumerate(zip(line, other, strict=False)) if one != two), 0)
    return max(0, alike - _WIDEST // 3) if max(len(line), len(other)) > _WIDEST else 0


def _code(line: str, begin: int = 0) -> str:
    line = "…" + line[begin:] if begin else line
    return f"`{line if len(line) <= _WIDEST else line[: _WIDEST - 1] + '…'}`"
