"""The programs on which broken rules are tried, and the parts of the table that each of them uses.

Each trial is what a test does with a program: the specification compares answers, a row's examples must be proved and
what it refuses be refused, and the cases of ``test_claims`` and the functions of all programs are searched for inputs
that move a result too far.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from dp_lsp import builtins
from dp_lsp.analysis.records import Analysis, State
from dp_lsp.builtins.define import Args, Builtin, Form, Refusal
from dp_lsp.core.sens import Sens
from dp_lsp.core.types import Type
from dp_lsp.engine.check import Engine
from dp_lsp.frontends.julia import parse
from dp_lsp.problem import Severity
from metric_search import Case
from spec_runner import Block, rewritten
from spec_runner import blocks as blocks_of
from test_claims import CASES, refuted

from . import targets

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "fixtures" / "spec").glob("*.md"))
SPECIFICATION, EXAMPLES, SEARCH = "the specification", "the examples of rows", "the search"


class Trial(NamedTuple):
    """What a test does with a program: ``fails`` says whether it would fail with the rules as they are now."""

    by: str
    text: str
    fails: Callable[[Engine], bool]


def _errors(found: Analysis) -> list[str]:
    return [problem.code for problem in found.problems if problem.severity is Severity.ERROR]


def _accepted(text: str) -> Trial:
    def fails(engine: Engine) -> bool:
        return not engine.check(text).state.holds

    return Trial(EXAMPLES, text, fails)


def _refused(text: str, code: str) -> Trial:
    def fails(engine: Engine) -> bool:
        found = engine.check(text)
        return found.state is State.PROVED or _errors(found) != [code]

    return Trial(EXAMPLES, text, fails)


def _written(block: Block) -> Trial:
    return Trial(SPECIFICATION, block.text, lambda engine: rewritten(block, engine) != block.lines)


def searched(text: str) -> Trial:
    """Every function of a program, as the refuter looks at it."""
    return Trial(SEARCH, text, lambda engine: is_refuted(text, engine))


def _claimed(case: Case) -> Trial:
    return Trial(SEARCH, case.text, lambda engine: refuted(case, engine))


def is_refuted(text: str, engine: Engine) -> bool:
    """Whether the search refutes what is claimed of a program."""
    for target in targets(text, engine=engine):
        found = target.attacked(random.Random(text), 4, 30)
        if found is not None and found.refutation is not None:
            return True
    return False


@cache
def trials() -> tuple[Trial, ...]:
    """All of them: the quick ones first, and short programs before long ones."""
    rows = {row.name: row for row in builtins.TABLE.values()}.values()
    written = [block for page in PAGES for block in blocks_of(page.read_text("utf-8")) if not block.known_wrong]
    sound = [block for block in written if block.options.profile == "sound"]
    examples = [example for row in rows for example in row.examples]
    found = [_accepted(example) for example in examples]
    found += [_refused(*each) for row in rows for each in row.refused]
    found += map(_written, sound)
    programs = [*examples, *(block.text for block in sound if "# file: " not in block.text)]
    searches = [*map(_claimed, CASES), *map(searched, programs)]
    return tuple(sorted(found, key=lambda each: len(each.text)) + sorted(searches, key=lambda each: len(each.text)))


class Use(NamedTuple):
    """What a form was given and gave in all trials: the relations of its conditions, the parameters that moved its
    result, its results, and how often the function that it runs was run."""

    demands: set[tuple[str, ...]]
    moving: set[str]
    results: set[Type]
    times: set[Sens]


class Uses(NamedTuple):
    """What the trials use: for each trial the names of rows, and the forms, and what is known of each form; and the
    trials that fail as it is, which tell nothing of what is broken."""

    rows: dict[str, set[str]]
    forms: dict[str, set[tuple[str, int]]]
    of: dict[tuple[str, int], Use]
    failing: list[Trial]


@cache
def uses() -> Uses:
    """What the programs use of the table, seen by checking each of them once."""
    found = Uses({}, {}, {}, [])
    now = [""]

    def watched(name: str, index: int, form: Form) -> Form:
        use = found.of.setdefault((name, index), Use(set(), set(), set(), set()))

        def result(args: Args) -> Type | Refusal:
            found.forms.setdefault(now[0], set()).add((name, index))
            value = form.result(args)
            if not isinstance(value, Refusal):
                use.results.add(value)
                use.demands.add(tuple(each.relation for each in form.demands(args)))
                use.times.update([] if form.runs is None else [form.runs.times(args)])
                use.moving.update(
                    each for each, factor in zip(args.names, form.factors(args), strict=True) if not factor.zero
                )
            return value

        return replace(form, result=result)

    class Table(dict[str, Builtin]):
        def __getitem__(self, name: str) -> Builtin:
            row = super().__getitem__(name)
            found.rows.setdefault(now[0], set()).add(row.name)
            return row

    rows = {
        name: replace(row, forms=tuple(watched(row.name, index, form) for index, form in enumerate(row.forms)))
        for name, row in builtins.TABLE.items()
    }
    with mock.patch.object(builtins, "TABLE", Table(rows)), parsed_once():
        for trial in trials():
            now[0] = trial.text
            if trial.by != SEARCH or trial.text not in found.rows:
                found.rows.setdefault(trial.text, set())
                found.forms.setdefault(trial.text, set())
                if trial.by == SEARCH:
                    Engine().check(trial.text)
                elif _fails(trial, Engine()):
                    found.failing.append(trial)
    return found


@contextmanager
def parsed_once() -> Iterator[None]:
    """Remembers what parsing gave: the rules that are broken are those for what was parsed."""
    with mock.patch.object(parse, "parse", _parsed):
        yield


_parsed = cache(parse.parse)


def noticed(listed: Sequence[Trial]) -> str:
    """Who notices that a rule is broken: the first trial that fails says so, if it does not fail anyway; empty if none
    does."""
    engine = Engine()
    with parsed_once():
        return next((each.by for each in listed if _fails(each, engine) and each not in uses().failing), "")


def _fails(trial: Trial, engine: Engine) -> bool:
    try:
        return trial.fails(engine)
    except Exception:  # a test that raises has failed, too
        return True
