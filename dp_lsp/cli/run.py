"""``dp-lsp run``: a proved function on data of people, once, with noise."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import click

from dp_lsp import frontends
from dp_lsp.analysis.limits import EVER, MOST, Limits, OutOfTime
from dp_lsp.analysis.loading import Loader, ReadRefusal, SourceText
from dp_lsp.analysis.records import PROFILES, Analysis, FunctionReport, Options, Setting
from dp_lsp.analysis.setting import subject
from dp_lsp.cli.configured import Configured
from dp_lsp.cli.files import choose, shown
from dp_lsp.cli.output import FINDINGS, USAGE, aside, begun_beside, complain, demand_here, put_in_place, waiting, write
from dp_lsp.cli.releases import Counter, counter, document, lines, spent
from dp_lsp.cli.running import Distributions, improved, limited
from dp_lsp.cli.style import json_text, printable, without_commands
from dp_lsp.engine.check import Engine
from dp_lsp.engine.runnable import Runnable
from dp_lsp.problem import Severity

if TYPE_CHECKING:
    from dp_lsp.release.inputs import Given

_INSTALL = "dp-lsp run needs OpenDP 0.16, which draws its noise, and NumPy: pip install 'dp-lsp[run]'"


class Request(NamedTuple):
    """What is asked for, as it was typed."""

    file: str
    function: str
    data: tuple[str, ...] = ()
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
        return _written(_FunctionRun(request).released(library), target)
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
        if request.output_format == "json":
            text = json_text(document(function, found, given.numbers, account), indent=2) + "\n"
        else:
            text = "".join(f"{line}\n" for line in lines(found, account))
        return _Released(text, spent(promised, account))

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
        return Given(files, columns, _values(request.settings, request.function), request.header, people)


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
