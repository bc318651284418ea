"""Who and what a bound of a report is about: data that differ in how much of one person, by which metric, and which
data there may be at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dp_lsp.core.comparing import is_at_most
from dp_lsp.core.constraints import Quantity
from dp_lsp.core.formulas import Renamed, Scope, Unreadable, with_names
from dp_lsp.features.matching import Function, renamed_parameters

Json = Mapping[str, Any]

_LIMITS = r"(?: in \[(?P<low{0}>[^,\]]*), (?P<high{0}>[^\]]*)\])?"
_PART = re.compile(
    r"(?:Vector|Matrix|DMGrads)<(?:n: )?(?P<metric>\w+)(?:, c: (?P<measure>\w+)(?: ≤ (?P<radius>[^>]*))?)?>"
    rf"\[(?P<many>[^\]×]*)[^\]]*\]\{{(?P<element>\w+){_LIMITS.format(1)}|\b(?P<base>Real|Integer|Data){_LIMITS.format(2)}"
)
"""A container or a number in the text of a type."""
_WIDER = (("L1", "L2", "LInf", "N"), ("InsertDelete", "Symmetric"), ("Hamming", "ChangeOne"))
"""Metrics by which ever more data are neighbours, so that a bound for one holds for those before it, too."""
_DATASETS = frozenset(name for names in _WIDER[1:] for name in names)
_OWN_SIZE = re.compile(r"\w+\(.*\)$")
_ADD_REMOVE = "(`add-remove`)"
_PERSON = re.compile(r"a person has at most (?P<most>.+) records in `(?P<names>.+)` \(`contributes`\)$")
_PAIRS = "data that differ in one record", "data of which one has a record more"


class Sides(NamedTuple):
    """A function as it was and as it is: what parameters of the old one are called now, and what the names in formulas
    of both stand for where the conditions of both hold."""

    old: Function
    new: Function
    names: Renamed
    scope: Scope

    @staticmethod
    def of(old: Function, new: Function) -> Sides:
        names = renamed_parameters(old, new)
        parameters = (each["name"] for each in (*old.parameters, *new.parameters))
        return Sides(old, new, names, Scope((*old.relations(names), *new.relations({})), parameters))

    def is_at_most(self, old: str, new: str) -> bool:
        """Whether a formula of the old report is known to be at most one of the new report."""
        return self._is_at_most((old, self.names), (new, {}))

    def is_at_least(self, old: str, new: str) -> bool:
        """The same the other way round."""
        return self._is_at_most((new, {}), (old, self.names))

    def _is_at_most(self, one: tuple[str, Renamed], other: tuple[str, Renamed]) -> bool:
        return with_names(*one) == with_names(*other) or self.is_proved(self.scope.read(*one), self.scope.read(*other))

    def is_proved(self, small: Quantity | Unreadable, large: Quantity | Unreadable) -> bool:
        """Whether a number is proved to be at most another."""
        if isinstance(small, Unreadable) or isinstance(large, Unreadable):
            return False
        return is_at_most(small, large, self.scope)


class _Part(NamedTuple):
    """A container or a number of a type, as it is written: what is not said is empty."""

    metric: str
    clip: str
    radius: str
    size: str
    base: str
    low: str
    high: str

    @property
    def interval(self) -> str:
        return f"from {self.low} to {self.high}" if self.low else "any"

    @property
    def rows(self) -> str:
        return f"at most {self.radius} in {self.clip}" if self.radius else "anything"

    @property
    def exactly(self) -> str:
        """How many records a dataset has, where that is a number of its own."""
        said = self.size.partition("≥")[0].strip()
        return "" if self.metric not in _DATASETS or said == "?" or _OWN_SIZE.match(said) else said

    @property
    def least(self) -> str:
        """How many records there are at least, where that is said."""
        return self.size.partition("≥")[2].strip()

    @property
    def number(self) -> str:
        """How many records there are, to a person."""
        return self.exactly or (f"at least {self.least}" if self.least else "any")

    @property
    def comparison(self) -> str:
        """How its numbers are compared, where that is not a matter of records."""
        if self.metric in _DATASETS or self.base not in ("Real", "Integer", "Data"):
            return ""
        return "equality" if self.base == "Data" else "difference"


def of_other_pairs(old: Sequence[Json], new: Sequence[Json]) -> Iterator[str]:
    """What the conditions of a private function say of the neighbours of a project that they did not say before."""
    was, now = (any(each["text"].endswith(_ADD_REMOVE) for each in side) for side in (old, new))
    if was is not now:
        yield f"neighbours are {_PAIRS[now]}, and were {_PAIRS[was]}"


def about_less(old: Json, new: Json, conditions: tuple[Sequence[Json], Sequence[Json]], known: Sides) -> Iterator[str]:
    """What bounds of a parameter are about now that is not known to be all that they were about: other neighbours,
    somebody with fewer records, or fewer data. ``conditions`` are those of the old function and of the new one."""
    name, (before, after) = new["name"], (list(_parts(side["type"])) for side in (old, new))
    metrics = [[each.metric for each in side if each.metric] for side in (before, after)]
    if len(metrics[0]) != len(metrics[1]) or not all(map(_is_as_wide, *metrics)):
        was, now = (", ".join(each) or "none" for each in metrics)
        yield f"the metric of `{name}` is {now}, and was {was}"
    if len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from _fewer(name, one, other, known, new["sensitivity"] is not None)
    was, now = map(_records_of_a_person, (old, new), conditions)
    if not known.is_at_most(was, now):
        less, more = _records(now), _records(was)
        yield f"it is about a person with up to {less} in `{name}`, and was about one with up to {more}"


def is_about_neighbours(condition: Json) -> bool:
    """Whether a condition only says which data are neighbours, or how many records a person has."""
    return condition["text"].endswith(_ADD_REMOVE) or bool(_PERSON.match(condition["text"]))


def _records_of_a_person(parameter: Json, conditions: Sequence[Json]) -> str:
    if parameter.get("stability"):
        return str(parameter["stability"]["d_in"])
    said = filter(None, (_PERSON.match(each["text"]) for each in conditions))
    return next((each["most"] for each in said if parameter["name"] in each["names"].split("` and `")), "1")


def _fewer(name: str, old: _Part, new: _Part, known: Sides, scaled: bool) -> Iterator[str]:
    """What a part of a type leaves out that was not before. ``scaled`` says that a bound is also about distances of
    less than 1, which data compared by equality do not have."""
    ways = old.comparison, new.comparison
    if ways == ("equality", "difference") or (ways == ("difference", "equality") and scaled and old.base == "Real"):
        yield f"`{name}` is compared by {ways[1]}, and was by {ways[0]}"
    if new.low and not (old.low and known.is_at_least(old.low, new.low) and known.is_at_most(old.high, new.high)):
        yield f"numbers of `{name}` are {new.interval}, and were {old.interval}"
    as_short = old.radius and _is_as_wide(old.clip, new.clip) and known.is_at_most(old.radius, new.radius)
    if new.radius and not as_short:
        yield f"rows of `{name}` measure {new.rows}, and measured {old.rows}"
    if not _is_as_many(old, new, known):
        yield f"the number of records in `{name}` is {new.number}, and was {old.number}"


def _is_as_many(old: _Part, new: _Part, known: Sides) -> bool:
    """Whether a dataset may have as few records, or as many, as before."""
    same = known.is_at_least(old.exactly, new.exactly) and known.is_at_most(old.exactly, new.exactly)
    enough = any(each and known.is_at_least(each, new.least) for each in (old.least, old.exactly))
    return (not new.exactly or same) and (not new.least or enough)


def _parts(text: str) -> Iterator[_Part]:
    for found in _PART.finditer(text):
        said = found.groupdict("")
        low, high = (said[f"{end}1"] or said[f"{end}2"] for end in ("low", "high"))
        base = said["element"] or said["base"]
        yield _Part(said["metric"], said["measure"], said["radius"], said["many"].strip(), base, low, high)


def _is_as_wide(old: str, new: str) -> bool:
    return old == new or any(old in names[: names.index(new)] for names in _WIDER if new in names)


def _records(count: str) -> str:
    return "1 record" if count == "1" else f"{count} records"
