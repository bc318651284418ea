"""``dp-lsp run``: a proved function on data of people, once, with noise; and what is printed of it: what was released,
and what that guarantees, and for ``--ledger``, where runs are counted and what they may come to."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from dp_lsp import __version__, frontends
from dp_lsp.analysis import setting
from dp_lsp.analysis.limits import EVER, MOST, Limits, OutOfTime
from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.analysis.records import PROFILES, Analysis, FunctionReport, Options, Setting
from dp_lsp.analysis.setting import subject
from dp_lsp.cli.files import Configured, choose, passed_over, shown
from dp_lsp.cli.output import (
    FINDINGS,
    USAGE,
    aside,
    begun_beside,
    complain,
    demand_here,
    leads_away,
    point,
    put_in_place,
    waiting,
    write,
)
from dp_lsp.cli.running import Distributions, improved, limited
from dp_lsp.cli.style import json_text, printable, without_commands
from dp_lsp.core.evaluate import rounded_up
from dp_lsp.core.notation import decimal
from dp_lsp.engine.check import Engine
from dp_lsp.engine.runnable import Runnable
from dp_lsp.features.markdown import together
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Severity

if TYPE_CHECKING:
    from dp_lsp.engine.runnable import Runnable
    from dp_lsp.release.inputs import Given, Inputs, RunPlan
    from dp_lsp.release.ledger import Budget, DataOrigin, LedgerAccount, LedgerLine
    from dp_lsp.release.running import RunGuarantee, RunResult


class Counter(NamedTuple):
    """A ledger, and the budgets that what it counts must keep to."""

    path: str
    budgets: tuple[Budget, ...]

    def spend(self, function: Runnable, given: Inputs, promised: Sequence[RunGuarantee]) -> LedgerAccount:
        """Count a run before it is made. Raises what says why it is not, and a usage error for a file that cannot be
        written."""
        from dp_lsp.release.ledger import DataOrigin, spend

        def on_wait() -> None:
            point(f"waiting for another process that uses {shown(self.path)}")

        with self._usable() as path:
            tables = {name: DataOrigin(each.origin, each.digest) for name, each in given.tables.items()}
            line = _line(function, given.numbers, tables, promised)
            return spend(self.path, path, line, self.budgets, on_wait)

    def foreseen(self, function: Runnable, planned: RunPlan, promised: Sequence[RunGuarantee]) -> LedgerAccount:
        """What it would come to. Raises the same; nothing is counted."""
        from dp_lsp.release.ledger import DataOrigin, foreseen

        with self._usable() as path:
            tables = {name: DataOrigin(each.origin) for name, each in planned.tables.items()}
            return foreseen(self.path, path, _line(function, planned.numbers, tables, promised), self.budgets)

    @contextmanager
    def _usable(self) -> Iterator[str]:
        from dp_lsp.release import Misused

        path = shown(self.path)
        if leads_away(self.path):
            raise Misused(f"{path}: it leads out of this folder by a link; name the file that is meant")
        try:
            yield path
        except OSError as error:
            raise Misused(f"{path}: {error.strerror or type(error).__name__}") from None


def counter(ledger: str | None, budget: str | None, configured: Configured, file: str) -> Counter | None:
    """Where the runs of a file are counted: as is asked for, else as its configuration says; None if nowhere. All
    budgets count. A usage error if there is one, and nothing is counted."""
    from dp_lsp.release.ledger import Budget

    said = configured.spending(file)
    path = os.path.abspath(ledger) if ledger is not None else said.ledger
    budgets = [Budget(said.epsilon, said.delta)] if (said.epsilon, said.delta) != (None, None) else []
    if path is None and budget is not None:
        raise click.UsageError("--budget is for what a ledger counts: name one by --ledger FILE")
    if path is None and budgets:
        raise click.UsageError("the configuration has a budget, and nothing counts: --ledger FILE, or the key `ledger`")
    if budget is not None:
        budgets.append(_budget(budget))
    return None if path is None else Counter(path, tuple(budgets))


def _budget(text: str) -> Budget:
    from dp_lsp.release.ledger import Budget

    numbers = [setting.number(each) for each in text.split(",")]
    epsilon, delta = numbers[0], numbers[1] if len(numbers) > 1 else setting.number("0")
    if len(numbers) > 2 or epsilon is None or delta is None or epsilon < 0 or not 0 <= delta < 1:
        raise click.UsageError(f"--budget {text!r} is not of the form EPS or EPS,DELTA, as in 1 or 0.5,1e-6")
    return Budget(epsilon, delta)


def _line(
    function: Runnable,
    numbers: Mapping[str, Fraction],
    tables: Mapping[str, DataOrigin],
    promised: Sequence[RunGuarantee],
) -> LedgerLine:
    """What a ledger says of a run. ``tables`` are where parameters come from."""
    from dp_lsp.release.ledger import CountedRun, DataOrigin, LedgerLine, RunCost

    name, origins = function.report.name, {}
    for each in function.scheme.params:
        if each.name in tables:
            origins[each.name] = tables[each.name]
        elif not each.static:
            origins[each.name] = DataOrigin(f"'{each.name}' of {name}")
    spent = tuple(
        RunCost(each.parameters, each.changes, each.epsilon, each.delta) for each in promised if not each.is_joint
    )
    about = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "file": shown(function.file),
        "function": name,
        "signature": function.report.signature,
        "numbers": {key: str(value) for key, value in sorted(numbers.items())},
    }
    return LedgerLine(CountedRun(origins, spent), about)


def ledger(action: str, file: str) -> int:
    """Print what a ledger counts, what that comes to, or that it is as it was written; and return the exit code."""
    from dp_lsp.release import RunRefused
    from dp_lsp.release.ledger import LedgerAccount, counted, runs, total

    path = shown(os.path.abspath(file))
    try:
        found = counted(file, path)
        if action == "show":
            listed = [line for number, each in enumerate(found, 1) for line in _run_lines(number, each)]
        elif action == "total":
            account = LedgerAccount(path, total([each.entry for each in found]), None)
            listed = list(_ledger_lines(account, ""))
        else:
            listed = [f"{path}: {runs(len(found))}, each as it was written"]
    except OSError as error:
        complain(f"{path}: {error.strerror or type(error).__name__}")
        return USAGE
    except RunRefused as why:
        complain(str(why))
        return FINDINGS
    return write("".join(f"{printable(line)}\n" for line in listed))


def _run_lines(number: int, line: LedgerLine) -> Iterator[str]:
    """For a person: a run, what it spent, and of whom."""
    from dp_lsp.release.ledger import said

    about = {key: str(line.about.get(key, "?")) for key in ("time", "file", "function")}
    given = ", ".join(f"{key} = {value}" for key, value in dict(line.about.get("numbers", {})).items())
    yield f"{number}. {about['time']}  {about['function']} of {about['file']}{f', where {given}' if given else ''}"
    for each in line.entry.spent:
        changes = zip(each.parameters, each.changes, strict=True)
        names = [(line.entry.origins[name].name, change.words) for name, change in changes]
        listed = " and ".join(f"{shown(name) if os.path.isabs(name) else name} ({words})" for name, words in names)
        yield f"   {said(each.pair)} for whoever is in {listed}"


def _ledger_lines(account: LedgerAccount, which: str = " with this one") -> Iterator[str]:
    """For a person: what was spent by now, and what is left."""
    from dp_lsp.release.ledger import runs, said

    total = account.total
    yield f"{account.path} counts {runs(total.runs)}{which}: {said(total.pair)} in all"
    if total.units:
        yield f"  for whoever is in {' and in '.join(f'{table} ({change})' for table, change in _changes(account))}"
    if total.twice:
        yield "  some of them are about a record that is added or removed: to replace one costs that twice"
    if account.left is not None:
        named = zip(("ε", "δ"), account.left, strict=True)
        yield f"left of the budget: {', '.join(f'{name} {_down(each)}' for name, each in named if each is not None)}"


def _down(value: Any) -> str:
    return decimal(-value, 12).removeprefix("-")


def _changes(account: LedgerAccount) -> Iterator[tuple[str, str]]:
    for name, unit in account.total.units.items():
        yield (shown(name) if os.path.isabs(name) else name), unit.words


def _ledger_document(account: LedgerAccount) -> dict[str, Any]:
    """For programs."""
    pair, left = account.total.pair, account.left
    return {
        "file": account.path,
        "runs": account.total.runs,
        "epsilon": rounded_up(pair.epsilon),
        "delta": rounded_up(pair.delta),
        "about": [{"data": table, "change": change} for table, change in _changes(account)],
        "left": None if left is None else {key: _rounded_down(each) for key, each in left._asdict().items()},
    }


def _ledger_schema() -> dict[str, Any]:
    """The JSON schema of :func:`_ledger_document`."""
    number, text = {"type": "number"}, {"type": "string"}
    limit = {"type": ["number", "null"]}
    about = {"type": "array", "items": {"type": "object", "properties": {"data": text, "change": text}}}
    left = {"type": ["object", "null"], "properties": {"epsilon": limit, "delta": limit}}
    found = {
        "file": text,
        "runs": {"type": "integer"},
        "epsilon": number,
        "delta": number,
        "about": about,
        "left": left,
    }
    return {"type": "object", "properties": found, "required": list(found)}


def _rounded_down(value: Any) -> float | None:
    return None if value is None else -rounded_up(-value)


SCHEMA = 1
"""The version of what is printed for programs."""
_TEXTS = {"type": "array", "items": {"type": "string"}}
_NUMBER = {"type": "number"}


def schema() -> dict[str, Any]:
    """The JSON schema of a release. Readers ignore keys that they do not know."""
    pair = _object(epsilon=_NUMBER, delta=_NUMBER)
    guarantee = _object(
        parameters=_TEXTS, neighbours=_TEXTS, rule={"type": "string"}, epsilon=_NUMBER, delta=_NUMBER, proved=pair
    )
    texts = {key: {"type": "string"} for key in ("file", "function", "signature")}
    found = _object(
        schema_version={"const": SCHEMA},
        tool=_object(name={"const": "dp-lsp"}, version={"type": "string"}),
        **texts,
        value={"type": ["number", "string", "boolean", "array"]},
        guarantees={"type": "array", "items": guarantee},
        numbers={"type": "object", "additionalProperties": {"type": "string"}},
        drawn={"type": "object", "additionalProperties": {"type": "integer"}},
        not_checked=_TEXTS,
        ledger={"anyOf": [{"type": "null"}, _ledger_schema()]},
    )
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "dp-lsp release", **found}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def lines(found: RunResult, account: LedgerAccount | None) -> Iterator[str]:
    """For a person: the value, what it guarantees, and what was spent by now, if that is counted."""
    yield printable(_shown(found.value))
    yield from (printable(f"  {_guaranteed(each)}") for each in found.guarantees)
    drawn = ", ".join(f"{count:,} {kind}" for kind, count in found.drawn)
    yield f"  drawn by OpenDP: {drawn or 'nothing'}"
    for what in found.unchecked:
        yield printable(f"  not checked: {what}")
    if account is None:
        yield "  every run spends this again, and nothing keeps count: --ledger FILE does"
    else:
        yield from (printable(f"  {line}") for line in _ledger_lines(account))


def spent(promised: Sequence[RunGuarantee], account: LedgerAccount | None) -> str:
    """What a run spent, in words that begin in the middle of a sentence."""
    pairs = "; ".join(f"ε {decimal(each.epsilon, 6)}, δ {decimal(each.delta, 6)}" for each in promised)
    return f"spent {pairs or 'nothing'}" + ("" if account is None else f", which {account.path} counts")


def _guaranteed(each: RunGuarantee) -> str:
    numbers = f"ε {decimal(each.epsilon, 6)}, δ {decimal(each.delta, 6)} (rule {each.rule})"
    if each.is_joint:
        return f"{numbers if each.delta < 1 else 'nothing'} for whoever is in {' and '.join(each.parameters)} at once"
    changes = dict.fromkeys(each.neighbours)
    return f"{numbers} for {together(each.parameters)}, where {'; '.join(changes)}"


def document(
    function: Runnable, found: RunResult, numbers: Mapping[str, Fraction], account: LedgerAccount | None
) -> dict[str, Any]:
    """For programs."""
    return {
        "schema_version": SCHEMA,
        "tool": {"name": "dp-lsp", "version": __version__},
        "file": shown(function.file),
        "function": function.report.name,
        "signature": function.report.signature,
        "value": _plain(found.value),
        "guarantees": [
            {
                "parameters": list(each.parameters),
                "neighbours": list(each.neighbours),
                "rule": each.rule,
                **_pair(each),
                "proved": _pair(each),
            }
            for each in found.guarantees
        ],
        "numbers": {name: str(value) for name, value in sorted(numbers.items())},
        "drawn": dict(found.drawn),
        "not_checked": list(found.unchecked),
        "ledger": None if account is None else _ledger_document(account),
    }


def _pair(each: RunGuarantee) -> dict[str, float]:
    """What is proved; it is what was drawn, too."""
    return {"epsilon": rounded_up(each.epsilon), "delta": rounded_up(each.delta)}


def _plain(value: Any) -> Any:
    """A value as JSON has it: a matrix is a list of rows. A number that no float can be is written out."""
    if hasattr(value, "shape") or isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, bool | int):
        return value
    try:
        return float(value)
    except OverflowError:
        return str(value)


def _shown(value: Any) -> str:
    """A value as a person writes it."""
    if hasattr(value, "shape"):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return str(value).lower() if isinstance(value, bool) else str(_plain(value))


_INSTALL = "dp-lsp run needs OpenDP 0.16, which draws its noise, and NumPy: pip install 'dp-lsp[run]'"


class Request(NamedTuple):
    """What is asked for, as it was typed."""

    file: str
    function: str
    data: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    header: bool | None = None
    settings: tuple[str, ...] = ()
    target_delta: Fraction | None = None
    limits: Limits = MOST
    output_format: str = "text"
    output_file: str | None = None
    ledger: str | None = None
    budget: str | None = None
    engine: str = "duckdb"
    explain_query: bool = False
    dry_run: bool = False


def named(file: str, function: str | None) -> tuple[str, str]:
    """A file and a function of it, which may be one word. It is read from the right, as there are drives."""
    if function is not None:
        return file, function
    path, colon, name = file.rpartition(":")
    if not colon or not path or not name or set(name) & set("/\\ "):
        raise click.UsageError(f"say which function of {file!r} is run: FILE FUNCTION, or FILE:FUNCTION")
    return path, name


def run(request: Request) -> int:
    """Release what a function returns, print it, and return the exit code."""
    from dp_lsp.meaning import missing
    from dp_lsp.release import Misused, RunRefused
    from dp_lsp.release.noise import SamplersMissing, opendp

    try:
        library = opendp()
    except SamplersMissing:
        library = None
    if library is None or missing() is not None:
        complain(_INSTALL)
        return USAGE
    try:
        target = Target(request.output_file)
    except OSError as error:
        complain(f"nothing is released: {request.output_file or 'standard output'}: {error.strerror}")
        return USAGE
    try:
        asked = _FunctionRun(request)
        return _written(asked.planned() if request.dry_run else asked.released(library), target)
    except Misused as wrong:
        raise click.UsageError(without_commands(printable(str(wrong)))) from None
    except RunRefused as why:
        complain(f"nothing is released: {why}")
        return FINDINGS
    except OutOfTime:
        complain("nothing is released: it takes longer than it may; --limit time=SECONDS allows more")
        return FINDINGS
    except MemoryError:
        complain("nothing is released: it takes more memory than it may; --limit memory=MEBIBYTES allows more")
        return FINDINGS
    finally:
        target.leave()


class _Released(NamedTuple):
    """What is printed of a release, and what it spent, in words."""

    text: str
    spent: str


def _written(released: _Released, target: Target) -> int:
    """Write a release; the exit code of that. It is made, and cannot be made again for nothing: what cannot be written
    where it should be goes where it can."""
    try:
        target.write(released.text)
        return 0
    except OSError as error:
        place = target.file or "standard output"
        complain(f"{place}: {error.strerror}. The run was made, and {released.spent}; what it released is below")
    if target.file is not None and write(released.text) == 0:
        return USAGE
    aside(released.text)
    return USAGE


class _Unchanged:
    """The texts as they were when they were first asked for: what is run is what was proved, whoever saves a file
    meanwhile."""

    def __init__(self, files: Loader) -> None:
        self._files = files
        self._texts: dict[str, SourceText] = {}
        self._names: dict[tuple[str, str], str | ReadRefusal] = {}

    def included(self, by: str, path: str) -> str | ReadRefusal:
        """The name of the file that is meant."""
        if (by, path) not in self._names:
            self._names[by, path] = self._files.included(by, path)
        return self._names[by, path]

    def text(self, name: str) -> SourceText:
        """The text of a file."""
        if name not in self._texts:
            self._texts[name] = self._files.text(name)
        return self._texts[name]


class _FunctionRun:
    """A run of a function of a file, with all that includes."""

    def __init__(self, request: Request) -> None:
        self._request = request
        if not os.path.exists(request.file):
            raise click.UsageError(f"{request.file!r} does not exist")
        if not os.path.isfile(request.file) or frontends.find(request.file) is None:
            raise click.UsageError(f"{request.file!r} is not a {frontends.kinds()}")
        chosen = choose([request.file], None)
        self._files = _Unchanged(chosen.files)
        (self._root,) = chosen.names
        self._distributions = Distributions()
        self._engine = Engine(self._distributions.answers)

    def released(self, library: Any) -> _Released:
        """What is released. Raises what says why nothing is."""
        from dp_lsp.release import RunRefused
        from dp_lsp.release.inputs import inputs
        from dp_lsp.release.running import demand_drawable, demand_no_doubt, demand_within, guarantees, release

        request = self._request
        with limited(request.limits, 0):
            first = self._function(())
            counted = counter(request.ledger, request.budget, self._options(()), self._root)
            self._demand_apart(counted)
            options = self._options(()).options(self._root)
            joining = options.neighbours != Options().neighbours
        with limited(self._patient, 0), waiting("reading the data"):
            given = inputs(first.scheme, self._given(), joining)
        with limited(request.limits, 0):
            asked = Setting(request.function, "", Fraction(0))  # numbers are wanted, also where none is given
            settings = (asked, *(Setting(request.function, *each) for each in given.numbers.items()))
            function = self._function(settings)
            demand_no_doubt(function)
            promised = guarantees(function, given.numbers, joining)
            demand_within(promised, given.tables, options.max_epsilon, options.max_delta)
            demand_drawable(function, given.numbers)
        account = None if counted is None else counted.spend(function, given, promised)  # before there is any noise
        try:
            with limited(self._patient, 0), waiting(f"running {request.function}"):
                found = release(function, given, promised, library)
        except RunRefused as why:
            complain(f"this run {spent(promised, account)}")
            raise why if account is None else RunRefused(f"{why}; {account.path} counts it all the same") from None
        except BaseException:  # it takes too long, or somebody interrupts it
            complain(f"this run {spent(promised, account)}")
            raise
        finally:
            if request.explain_query:
                aside("".join(f"{query};\n" for query in given.queries))
        for each in found.interpreted:
            aside(f"computed here, not by DuckDB: {each}\n")
        if request.output_format == "json":
            text = json_text(document(function, found, given.numbers, account), indent=2) + "\n"
        else:
            text = "".join(f"{line}\n" for line in lines(found, account))
        return _Released(text, spent(promised, account))

    def planned(self) -> _Released:
        """What a run would read, spend and release, as far as that is known before data are read. Raises what says why
        nothing would be released."""
        from dp_lsp.release import RunRefused
        from dp_lsp.release.inputs import plan
        from dp_lsp.release.running import demand_drawable, demand_no_doubt, demand_within, guarantees

        request = self._request
        if request.output_format != "text":
            raise click.UsageError("--dry-run says what would be done as text: leave out --output-format")
        with limited(request.limits, 0):
            first = self._function(())
            counted = counter(request.ledger, request.budget, self._options(()), self._root)
            self._demand_apart(counted)
            options = self._options(()).options(self._root)
            joining = options.neighbours != Options().neighbours
            known = plan(first.scheme, self._given(), joining)
            settings = (Setting(request.function, *each) for each in known.numbers.items())
            function = self._function((Setting(request.function, "", Fraction(0)), *settings))
            demand_no_doubt(function._replace(undecided=()))
            told = [f"read {', '.join(names)} of {known.tables[name].path}" for name, names in known.columns.items()]
            told += [f"be refused unless {each}, which the data decide" for each in function.undecided]
            try:
                promised = guarantees(function, known.numbers, joining)
            except RunRefused as why:
                if not any(each.missing for each in function.report.numeric):
                    raise
                told.append(f"spend what is not known before the data are read: {why}")
            else:
                demand_within(promised, known.tables, options.max_epsilon, options.max_delta)
                if not known.is_open:
                    demand_drawable(function, known.numbers)
                told += [f"spend {_guaranteed(each)}" for each in promised]
                if counted is not None:
                    told += _ledger_lines(counted.foreseen(function, known, promised))
            told.append(f"release {function.report.returns}")
        text = "".join(f"  {printable(each)}\n" for each in told)
        return _Released(f"nothing is read, spent or released; a run would\n{text}", "spent nothing")

    def _demand_apart(self, counted: Counter | None) -> None:
        """What is released must not be written over what counts it."""
        file = self._request.output_file
        if file is not None and counted is not None and os.path.realpath(file) == os.path.realpath(counted.path):
            raise click.UsageError(f"--output-file {file}: that is the ledger")

    @property
    def _patient(self) -> Limits:
        """What may be taken where data are read and computed with: as long as there are data, unless somebody says so.
        It is their own program."""
        limits = self._request.limits
        return limits._replace(time=EVER.time) if limits.time == MOST.time else limits

    def _options(self, settings: tuple[Setting, ...]) -> Configured:
        """What a project demands holds here, too, but not the rules that it wants to be checked by."""
        return Configured(None, PROFILES[0], settings, self._request.target_delta, limits=self._request.limits)

    def _function(self, settings: tuple[Setting, ...]) -> Runnable:
        """What is known of the function where parameters have these numbers."""
        from dp_lsp.release import RunRefused
        from dp_lsp.release.running import demand_proof

        configured = self._options(settings)

        def options(name: str) -> Options:
            found = configured.options(name)  # without numbers, nobody knows yet what is spent
            return found if settings else found._replace(max_epsilon=None, max_delta=None)

        def analysed(root: str) -> dict[str, Analysis]:
            return self._engine.project(root, self._files, options)

        found = {self._root: analysed(self._root)}
        if settings:
            found = improved(self._distributions, found, analysed)
        analyses = found[self._root]
        faults = configured.faults(analyses)
        if faults:
            raise click.UsageError("\n".join(faults))
        name = self._request.function
        reports = [
            _explained(each, analysis)
            for analysis in analyses.values()
            for each in analysis.functions
            if each.name == name
        ]
        if not reports:
            raise self._nothing(analyses)
        if len(reports) > 1:
            raise RunRefused(f"'{name}' has {len(reports)} methods, and it is not clear which is meant; rename one")
        demand_proof(reports[0])
        methods = list(self._engine.runnable(self._root, self._files, name, options))
        if len(methods) != 1:
            raise RunRefused(f"'{name}' is defined in several places, and it is not clear which is meant")
        return methods[0]._replace(report=reports[0])

    def _nothing(self, analyses: dict[str, Analysis]) -> click.UsageError:
        if (problem := passed_over(analyses[self._root])) is not None:
            return click.UsageError(f"{shown(self._root)}: {problem.message}")
        name = self._request.function
        names = list(dict.fromkeys(each.name for analysis in analyses.values() for each in analysis.functions))
        near = difflib.get_close_matches(name, names, n=3) or names[:10]
        there = f"; there is {', '.join(near)}" if near else ""
        return click.UsageError(f"there is no function {name!r} in {shown(self._root)}{there}")

    def _given(self) -> Given:
        from dp_lsp.release.inputs import Column, Given

        request = self._request
        files = tuple(Column(*_addressed(each, is_file=True)) for each in request.data)
        columns = tuple(Column(*_addressed(each, is_file=False)) for each in request.columns)
        people = tuple(Column(*_addressed(each, is_file=False)) for each in request.people)
        tables = tuple(Column(*_addressed(each, is_file=False)) for each in request.tables)
        values = _values(request.settings, request.function)
        return Given(files, columns, values, request.header, people, tables, request.engine == "duckdb")


def _explained(report: FunctionReport, analysis: Analysis) -> FunctionReport:
    """The same with what is wrong with it as the reason, if it has none."""
    for problem in analysis.problems:
        if problem.severity is Severity.ERROR and report.span.covers(problem.span.start) and not report.reason:
            line = analysis.source.place(problem.span.start).line
            return report._replace(reason=f"line {line}: {problem.message} ({problem.code})")
    return report


def _addressed(text: str, is_file: bool) -> tuple[str | None, str]:
    """``PARAMETER=NAME``; the parameter may be left out."""
    name, equals, rest = text.partition("=")
    if not equals or not name.isidentifier() or (is_file and os.path.exists(text)):
        return None, text
    return frontends.of("").syntax.normalised(name), rest


def _values(settings: Sequence[str], function: str) -> dict[str, str]:
    """The values that are given as text, by the names of parameters."""
    found: dict[str, str] = {}
    for text in settings:
        written, equals, value = text.partition("=")
        about = subject(frontends.of("").syntax.normalised(written))
        if about is None or not equals:
            raise click.UsageError(
                f"--set {text!r} is not of the form NAME=VALUE, as in eps=0.5 or 'edges=[0, 18, 65]'"
            )
        if about.function not in (None, function):
            raise click.UsageError(f"--set {about}: the function that is run is {function!r}")
        if about.name in found:
            raise click.UsageError(f"--set gives {about.name} two values")
        found[about.name] = value
    return found


_ROOM = 1 << 16  # bytes that there must be room for


class Target:
    """Standard output, or a file. It is tried when this is made, so that what cannot be written is not made at all.
    Raises OSError."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self._beside: str | None = None
        self._stream: BinaryIO | None = None
        if file is None:
            if sys.stdout is None:
                raise OSError(0, "it is closed")
            sys.stdout.flush()
            return
        demand_here(file)
        self._whole = os.path.realpath(file)
        if os.path.lexists(self._whole) and not os.path.isfile(self._whole):
            self._stream = _opened(self._whole)  # a device, or a pipe
        else:
            self._begin()

    def _begin(self) -> None:
        """A new file beside the one that is meant, with room for what will be in it."""
        if os.path.exists(self._whole):
            os.close(os.open(self._whole, os.O_WRONLY))  # nobody else's file is replaced
        self._stream, self._beside = begun_beside(self._whole)
        try:
            self._stream.write(bytes(_ROOM))
            self._stream.flush()
            os.fsync(self._stream.fileno())
        except OSError:
            self.leave()
            raise

    def write(self, text: str) -> None:
        """Write it, whole. Raises OSError."""
        text = without_commands(text)
        if self._stream is None:
            click.echo(text, nl=False, color=False)
            sys.stdout.flush()
            return
        if self._beside is not None:
            self._stream.seek(0)
        self._stream.write(text.encode("utf-8", "backslashreplace"))
        if self._beside is not None:
            self._stream.truncate()
            self._stream.flush()
            os.fsync(self._stream.fileno())
        self._stream.close()
        if self._beside is not None:
            put_in_place(self._beside, self._whole)
            self._beside = None

    def leave(self) -> None:
        """Leave nothing that is not whole."""
        with suppress(OSError):
            if self._stream is not None:
                self._stream.close()
        with suppress(OSError):
            if self._beside is not None:
                os.unlink(self._beside)


def _opened(path: str) -> BinaryIO:
    return open(path, "wb")
