"""What is told of a chunk: one problem where it is beyond what is checked, and all that is wrong in itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dp_lsp.problem import Kind, Problem, Related, Severity

_MOST_PLACES = 5


def weighed(problems: Iterable[Problem], severity: Iterable[tuple[str, Severity | None]]) -> list[Problem]:
    """The problems as severe as is said by code, without those that are not to be told. What is an error by itself is
    left as it is: to make it less is to accept it."""
    found = []
    levels = dict(severity)
    for problem in problems:
        level = levels.get(problem.code, problem.severity)
        if problem.severity is Severity.ERROR:
            found.append(problem)
        elif level is not None:
            found.append(problem._replace(severity=level))
    return found


def told(problems: Iterable[Problem], syntax: Collection[Problem]) -> tuple[Problem, ...]:
    """The problems of a chunk, each once. That it is beyond what is checked is told at the first such place, with the
    others as related ones: problems that leave something unchecked besides, those of ``syntax`` apart, may only
    follow from it."""
    known = list(dict.fromkeys(problems))
    beyond = [problem for problem in known if Kind.registry[problem.code].unsupported]
    if not beyond:
        return tuple(known)
    first = min(beyond, key=lambda problem: (problem.severity is not Severity.ERROR, problem.span))
    others = [problem for problem in known if problem.unchecked and problem is not first and problem not in syntax]
    places = [Related(problem.message, problem.span) for problem in others[:_MOST_PLACES]]
    if len(others) > len(places):
        places.append(Related(f"and {len(others) - len(places)} more", others[len(places)].span))
    joined = first._replace(related=(*first.related, *places))
    return tuple(joined if problem is first else problem for problem in known if problem not in others)
