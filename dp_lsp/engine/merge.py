"""Which projects there are, as which file includes which; and one answer about a file that is checked in several of
them: all its problems, and the worst of its states."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from dp_lsp import frontends
from dp_lsp.analysis.loading import SourceText, shown
from dp_lsp.analysis.records import (
    Accepted,
    Analysis,
    ChunkRecord,
    FunctionReport,
    Placed,
    State,
    Verdict,
    counted,
    listed,
    worst,
)
from dp_lsp.engine.problems import SeveralGuarantees
from dp_lsp.later import Later
from dp_lsp.problem import Extent, Problem, Related
from dp_lsp.text import Span

_MOST = 4  # guarantees that are listed


def check_projects(
    files: Iterable[str], roots: Iterable[str], check: Callable[[str], dict[str, Analysis]]
) -> dict[str, dict[str, Analysis]]:
    """The analyses of the projects with these roots, by root; ``check`` checks one of them.

    One of the ``files`` that is in none, because a limit was met before it, is a project of its own."""
    projects = {root: check(root) for root in roots}
    reached = {name for analyses in projects.values() for name in analyses}
    return projects | {name: check(name) for name in sorted(set(files) - reached)}


def merged(found: Sequence[tuple[str, Analysis]]) -> Analysis:
    """The analyses of one text as one, each given with the name of its project."""
    first = found[0][1]
    if len(found) == 1:
        return first
    if len({tuple((chunk.start, chunk.length) for chunk in analysis.chunks) for _, analysis in found}) > 1:
        return _nothing([analysis for _, analysis in found])
    projects = [f"`{shown(name)}`" for name, _ in found]
    several = len(set(projects)) > 1
    of = f"of {' and '.join(dict.fromkeys(projects))}" if several else "module that includes it"
    names = projects if several else [""] * len(projects)
    places = zip(*(analysis.chunks for _, analysis in found), strict=True)
    return Analysis(first.source, tuple(_placed(place, of, names) for place in places), first.options)


def _nothing(found: Sequence[Analysis]) -> Analysis:
    """One of the checks did not get as far as to cut the text into chunks: all problems, and nothing that holds."""
    problems = tuple(dict.fromkeys(problem for analysis in found for problem in analysis.problems))
    state = worst(analysis.state for analysis in found)
    record = ChunkRecord(_key([], repr(problems)), Verdict(state, (), problems, (), frozenset()))
    first = found[0]
    return Analysis(first.source, (Placed(0, len(first.source.text), record),), first.options)


def together(projects: Iterable[tuple[str, Mapping[str, Analysis]]]) -> dict[str, Analysis]:
    """The analysis of each file of some projects, given with the names of their roots."""
    found: dict[str, list[tuple[str, Analysis]]] = {}
    for root, analyses in projects:
        for name, analysis in analyses.items():
            found.setdefault(name, []).append((root, analysis))
    return {name: merged(analyses) for name, analyses in found.items()}


def _placed(place: Sequence[Placed], of: str, names: Sequence[str]) -> Placed:
    records = {placed.record.key: placed.record for placed in place}
    if len(records) == 1:
        return place[0]
    where: dict[bytes, list[str]] = {}
    for placed, name in zip(place, names, strict=True):
        where.setdefault(placed.record.key, []).append(name)
    named = [" and ".join(dict.fromkeys(where[key])) for key in records]
    return place[0]._replace(record=_record(list(records.values()), of, named))


def _record(records: list[ChunkRecord], of: str, where: list[str]) -> ChunkRecord:
    verdicts = [record.verdict for record in records]
    by_place: dict[Span, list[tuple[str, FunctionReport]]] = {}
    for name, verdict in zip(where, verdicts, strict=True):
        for function in verdict.functions:
            by_place.setdefault(function.name_span, []).append((name, function))
    problems = dict.fromkeys(_joined(problem for verdict in verdicts for problem in verdict.problems))
    functions = []
    for group in by_place.values():
        function, problem = _function(group, of)
        functions.append(function)
        problems |= {} if problem is None else {problem: None}
    states = [verdict.state for verdict in verdicts] + [function.state for function in functions]
    uses = frozenset[str]().union(*(verdict.uses for verdict in verdicts))
    state = worst(iter(states))
    accepted = state is State.UNKNOWN and all(each.accepted or each.state.holds for each in verdicts)
    accepted = accepted and all(each.accepted or each.state.holds for each in functions)
    silenced = tuple(dict.fromkeys(each for verdict in verdicts for each in verdict.silenced))
    what = state, tuple(functions), tuple(problems), verdicts[0].defines, uses, accepted
    verdict = Verdict(*what, _excused(verdicts), silenced)
    modules = tuple(sorted({name for record in records for name in record.modules}))
    facts = Later(partial(_facts, records))
    return ChunkRecord(_key(records, of + "\0".join(where)), verdict, facts, records[0].names, modules=modules)


def _facts(records: list[ChunkRecord]) -> bytes:
    """The facts that are the same everywhere."""
    found = {record.facts.value for record in records}
    return found.pop() if len(found) == 1 else b""


def _excused(verdicts: list[Verdict]) -> tuple[Accepted, ...]:
    """What of a baseline is needed for all projects: each of them may use all of it."""
    most: Counter[Accepted] = Counter()
    for verdict in verdicts:
        most |= counted(verdict.excused)
    return listed(most)


def _function(found: list[tuple[str, FunctionReport]], of: str) -> tuple[FunctionReport, Problem | None]:
    """What may be said of a function everywhere. What is claimed in one project only is claimed nowhere."""
    group = [function for _, function in found]
    state = worst(function.state for function in group)
    function = next(function for function in group if function.state is state)
    function = function._replace(accepted=all(each.accepted or each.state.holds for each in group))
    if len(set(map(_claims, group))) == 1:
        return function, None
    if not state.holds:
        return function.without_claims(), None
    claims = [f"{_claim(each)} in {name}" if name else _claim(each) for name, each in found]
    said = "; ".join(claims[:_MOST]) + ("; …" if len(claims) > _MOST else "")
    related = (Related(said, function.name_span),)
    problem = SeveralGuarantees.at(function.name_span, name=function.name, of=of, related=related)
    return function.without_claims()._replace(state=State.UNKNOWN, reason=problem.message, accepted=False), problem


def _claims(function: FunctionReport) -> tuple[object, ...]:
    """All that is said of a function, as it is said: what was found out apart has symbols of its own."""
    said = function.words
    what = said.parameters, said.returns, said.bounds, said.conditions, said.spending, said.chains
    about = function.name, function.signature, function.kind, function.name_span
    return *about, *what, function.numeric, function.mechanisms, function.display


def _claim(function: FunctionReport) -> str:
    """What is proved of a function in one project, in words."""
    each_of = [f"{each.shown} for `{each.name}`" for each in function.parameters if not each.static]
    return ", ".join(each_of) or f"of type {function.display}"


def _joined(problems: Iterable[Problem]) -> Iterator[Problem]:
    """Each problem once, with all places that help to understand it, which may be others in each project."""
    related: dict[Problem, dict[Related, None]] = {}
    extents: dict[Problem, dict[Extent, None]] = {}
    for problem in problems:
        same = problem._replace(related=(), extent=())
        related.setdefault(same, {}).update(dict.fromkeys(problem.related))
        extents.setdefault(same, {}).update(dict.fromkeys(problem.extent))
    return (each._replace(related=tuple(places), extent=tuple(extents[each])) for each, places in related.items())


def _key(records: list[ChunkRecord], of: str) -> bytes:
    state = hashlib.blake2b(of.encode("utf-8", "surrogatepass"), digest_size=20)
    for record in records:
        state.update(record.key)
    return state.digest()


def is_module(name: str) -> bool:
    """Whether a file has names of its own, whoever includes it."""
    return frontends.of(name).syntax.modules


def may_include(name: str, text: SourceText) -> bool:
    """Whether it is worth looking for what a file includes."""
    return text.problem is None and frontends.of(name, text.language).syntax.may_include(text.content)


class Graph:
    """Some files and all they include. ``includes`` tells the files that a file includes directly."""

    def __init__(self, files: Iterable[str], includes: Callable[[str], Iterable[str]]) -> None:
        self._files = sorted(files)
        self.included: dict[str, tuple[str, ...]] = {}
        """What each file includes directly."""
        pending = list(self._files)
        while pending:
            name = pending.pop()
            if name not in self.included:
                self.included[name] = tuple(dict.fromkeys(includes(name)))
                pending += self.included[name]

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The files that no other one includes, each the root of a project, and those that have names of their own. Of
        files that include each other in a ring, and that no project has, the first is one too."""
        targets = {name for names in self.included.values() for name in names}
        roots = [name for name in self._files if name not in targets or is_module(name)]
        reached = set(self._reached(roots))
        for name in self._files:
            if name not in reached:
                roots.append(name)
                reached.update(self._reached([name]))
        return tuple(roots)

    @cached_property
    def projects(self) -> dict[str, frozenset[str]]:
        """The files of each project, by its root."""
        return {root: frozenset(self._reached([root])) for root in self.roots}

    def knows(self, names: Iterable[str]) -> bool:
        """Whether something is said of each of these files in a project."""
        return all(name in (self.projects if is_module(name) else self.included) for name in names)

    @cached_property
    def told(self) -> dict[str, frozenset[str]]:
        """The files of which something is said in each project, by its root."""
        return {root: frozenset((root,)) if is_module(root) else files for root, files in self.projects.items()}

    def telling(self, files: Iterable[str]) -> list[str]:
        """The roots of all projects in which something is said of one of these files, in order."""
        wanted = frozenset(files)
        return [root for root in self.roots_of(wanted) if not wanted.isdisjoint(self.told[root])]

    def reached(self, root: str) -> frozenset[str]:
        """A file and all that it includes, whether it is a root or not."""
        return self.projects.get(root) or frozenset(self._reached([root]))

    def roots_of(self, files: Iterable[str]) -> list[str]:
        """The roots of all projects that one of these files is part of, in order."""
        return sorted({root for file in files for root in self._roots_by_file.get(file, ())})

    @cached_property
    def _roots_by_file(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for root, files in self.projects.items():
            for file in files:
                found.setdefault(file, []).append(root)
        return found

    def _reached(self, names: list[str]) -> Iterator[str]:
        pending, seen = list(names), set(names)
        while pending:
            yield (name := pending.pop())
            fresh = [target for target in self.included[name] if target not in seen]
            seen.update(fresh)
            pending += fresh
