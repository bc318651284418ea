"""Which function of a report is which one of another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dp_lsp.core.formulas import Renamed

Json = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Function:
    """A function of a report."""

    path: str
    said: Json
    problems: tuple[Json, ...]
    """What is reported of the lines it stands in."""
    silenced: tuple[Json, ...] = ()
    """The errors there that a person accepted."""

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
    def is_proved(self) -> bool:
        return self.status == "proved"

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


class Pair(NamedTuple):
    """A function as it was and as it is; one of them may be missing."""

    old: Function | None
    new: Function | None


def functions(report: Json) -> list[Function]:
    """All functions of a report."""
    found = []
    for file in report["files"]:
        for said in file["functions"]:
            first, last = (said["range"][end]["line"] for end in ("start", "end"))
            problems, silenced = (
                [each for each in listed if first <= each["range"]["start"]["line"] <= last]
                for listed in (file["diagnostics"], file.get("accepted", ()))
            )
            found.append(Function(file["path"], said, tuple(problems), tuple(silenced)))
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


def matched(old: Json, new: Json, paths: Mapping[str, str]) -> Iterator[Pair]:
    """Every function of one report with its counterpart in the other: of the same file, name and signature; else of
    the same file and name; else of the same name and signature in any file, where there is one only."""
    before, after = functions(old), functions(new)
    ways: tuple[Callable[[Function, str], Hashable], ...] = (
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
                yield Pair(one, other)
                before.remove(one)
                after.remove(other)
    yield from (Pair(one, None) for one in before)
    yield from (Pair(None, other) for other in after)


def renamed_parameters(old: Function, new: Function) -> dict[str, str]:
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
    several: list[Function], way: Callable[[Function, str], Hashable], paths: Mapping[str, str]
) -> dict[Hashable, list[Function]]:
    found: dict[Hashable, list[Function]] = defaultdict(list)
    for each in several:
        found[way(each, paths.get(each.path, each.path))].append(each)
    return found
