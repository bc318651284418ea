"""``dp-lsp check``: read, check, report, and say with the exit code what came out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import click

from dp_lsp.analysis.limits import MOST, Limits
from dp_lsp.analysis.records import Analysis, Setting, State
from dp_lsp.cache import BEGAN
from dp_lsp.cli.checks import Checks
from dp_lsp.cli.files import STANDARD_INPUT, Chosen, Configured, choose, complaints, shown
from dp_lsp.cli.output import FINDINGS, INTERNAL, USAGE, complain, point, write
from dp_lsp.cli.reporters import COUNTS_ELSEWHERE, FOR_PERSONS, reporter
from dp_lsp.cli.reporters.checked import Checked, Files
from dp_lsp.cli.style import coloured, is_terminal, linked, plain, unlinked, wants_colour, wants_links
from dp_lsp.configuration import FILE, PROJECT_FILE
from dp_lsp.configuration.ignored import Ignored
from dp_lsp.disk.loader import FileStamp, below, stamp
from dp_lsp.named import NamedTuple
from dp_lsp.problem import Severity
from dp_lsp.worker.problems import InternalError

if TYPE_CHECKING:
    from dp_lsp.cache.results import Results


_WIDTH = 100  # columns of a report that is read on no terminal
_NARROWEST = 60


class CheckRequest(NamedTuple):
    """What the command line asks for."""

    paths: tuple[str, ...]
    output_format: str
    stdin_filename: str | None
    profile: str | None
    settings: tuple[Setting, ...]
    exit_zero: bool
    error_on_warning: bool
    error_on_accepted: bool
    error_on_assumed: bool
    statistics: bool
    verbose: bool
    witness: bool
    output_file: str | None
    color: str
    config: str | None = None
    certificate: str | None = None
    target_delta: Fraction | None = None
    fixes: bool = False
    baseline: str | None = None
    update_baseline: bool = False
    limits: Limits = MOST
    add_ignore: str | None = None
    no_cache: bool = False
    jobs: int | None = None
    watch: bool = False


def requested(settings: tuple[Setting, ...], target_delta: Fraction | None, profile: str | None = None) -> CheckRequest:
    """What somebody asks for who wants no more than to know what is found with these numbers."""
    failing = ("error_on_warning", "error_on_accepted", "error_on_assumed")
    options = dict.fromkeys(("exit_zero", *failing, "statistics", "verbose", "witness"), False)
    rest: dict[str, Any] = {"output_file": None, "color": "never", "stdin_filename": None, **options}
    numbers: dict[str, Any] = {"settings": settings, "target_delta": target_delta, "profile": profile}
    return CheckRequest(paths=(), output_format="json", **numbers, **rest)


def run(request: CheckRequest) -> int:
    """Check, report, and return the exit code: the largest that applies."""
    if request.witness:
        from dp_lsp.meaning import missing

        if (lacking := missing()) is not None:
            raise click.UsageError(f"--witness: {lacking}")
    results = _results(request)
    if not request.watch:
        return _round(request, results).code
    if STANDARD_INPUT in request.paths:
        raise click.UsageError("--watch reads a file again when it changes, and standard input is read once")
    if request.add_ignore is not None or request.update_baseline:
        raise click.UsageError("--watch only looks: --add-ignore and --update-baseline go without it")

    last: Checks | None = None

    def check() -> Round:
        nonlocal last
        done = _round(request, results, last)
        last = done.checks
        return Round(len(last.graph.included), last.has_changed, done.others)

    watch(request.paths or (".",), check, clears=request.output_file is None)


class _ReportedCheck(NamedTuple):
    """A check that was reported. ``others`` are files besides those that were checked which count."""

    code: int
    checks: Checks
    others: tuple[str, ...] = ()


def _round(request: CheckRequest, results: Results | None, before: Checks | None = None) -> _ReportedCheck:
    """Check and report once."""
    began = time.perf_counter()
    asked = request.settings, request.target_delta, request.baseline, request.update_baseline, request.limits
    configured = Configured(request.config, request.profile, *asked, facts=results is not None)
    if request.add_ignore is not None:
        from dp_lsp.cli import accepting

        accepting.demand(request.paths, request.update_baseline)
    chosen = choose(request.paths or (".",), request.stdin_filename, configured)
    checks = Checks(chosen, configured.options, request, results, before)
    faults = configured.faults(checks.graph.included)
    for fault in faults:
        point(fault)
    others = _others(configured, checks.graph.included, request)
    if faults:
        return _ReportedCheck(USAGE, checks, others)
    if request.update_baseline:
        from dp_lsp.cli import accepting

        accepting.demand_baseline(configured, checks.graph.included)
    ignored = _ignored(chosen, configured, request)
    if request.add_ignore is not None:
        checks = Checks(chosen, configured.options, request, results)  # reads what was written
    found = checks.files()
    if results is not None:
        results.close()
    based = _baselines(configured, found, request)
    files = [(shown(name), analysis) for name, analysis in found]
    certified = checks.certify() if request.certificate is not None else 0
    functions = [function for _, analysis in files for function in analysis.functions]
    wrong = complaints(request.settings, functions)
    found_code = _exit_code([analysis for _, analysis in files], request)
    code = max(found_code, USAGE if wrong else 0, certified, based, ignored)
    written = _write(_checked(files, request, code, time.perf_counter() - began), request)
    for complaint in wrong:
        complain(complaint)
    return _ReportedCheck(max(code, written), checks, others)


def _others(configured: Configured, names: Iterable[str], request: CheckRequest) -> tuple[str, ...]:
    """The files that say how files are checked, but for the configurations above them."""
    named = () if request.config is None else (request.config,)
    return (*named, *dict.fromkeys(path for path in map(configured.baseline_of, names) if path is not None))


def _ignored(chosen: Chosen, configured: Configured, request: CheckRequest) -> int:
    """Write comments that accept what is wrong, if that was asked for; the exit code of that."""
    if request.add_ignore is None:
        return 0
    from dp_lsp.cli import accepting

    plain_check = Checks(chosen, configured.options, request._replace(witness=False, certificate=None, jobs=1), None)
    return accepting.add(chosen.names, request.add_ignore, plain_check.again)


def _baselines(configured: Configured, files: Files, request: CheckRequest) -> int:
    """Write the baselines if that was asked for, or say what they have too much; the exit code of that."""
    if not any(configured.baseline_of(name) for name, _ in files):
        return 0
    from dp_lsp.cli import accepting  # not needed where there is none

    if request.update_baseline:
        return accepting.update(configured, files)
    for note in accepting.idle(configured, files):
        point(note)
    return 0


def _results(request: CheckRequest) -> Results | None:
    """What earlier runs found out."""
    if request.no_cache and not request.watch:
        return None
    from dp_lsp.cache.results import ProgramStamp, Results
    from dp_lsp.cache.store import opened

    store = None if request.no_cache else opened()
    stamp = None if store is None else ProgramStamp(store, BEGAN)
    if request.watch:
        return Results(store, stamp, remembered=True)
    return None if stamp is None or stamp.value is None else Results(store, stamp)


def _exit_code(analyses: Iterable[Analysis], request: CheckRequest) -> int:
    found = broken = False
    for analysis in analyses:
        broken |= any(problem.code == InternalError.code for problem in analysis.problems)
        accepted = analysis.accepted and not request.error_on_accepted
        found |= (not analysis.state.holds and not accepted) or analysis.count(Severity.ERROR) > 0
        found |= request.error_on_assumed and any(each.state is State.ASSUMED for each in analysis.functions)
        found |= request.error_on_warning and analysis.count(Severity.WARNING) > 0
    return INTERNAL if broken else FINDINGS if found and not request.exit_zero else 0


def _checked(files: Files, request: CheckRequest, code: int, seconds: float) -> Checked:
    """What is reported, as the one who reads it can see it."""
    for_person = request.output_format in FOR_PERSONS
    to_file = request.output_file is not None
    colour = for_person and wants_colour(request.color, to_file)
    links = for_person and request.color != "never" and wants_links(to_file)
    return Checked(
        files,
        code,
        seconds,
        request.statistics,
        request.error_on_warning,
        request.error_on_accepted,
        request.error_on_assumed,
        coloured if colour else plain,
        linked if links else unlinked,
        _WIDTH if to_file else _columns(),
        request.verbose,
    )


def _columns() -> int:
    """The columns of a report on standard output."""
    if not os.environ.get("COLUMNS") and not is_terminal(sys.stdout):
        return _WIDTH
    import shutil

    return max(_NARROWEST, shutil.get_terminal_size((_WIDTH, 24)).columns)


def _write(checked: Checked, request: CheckRequest) -> int:
    """Write the report; the exit code of that."""
    text = "".join(f"{line}\n" for line in reporter(request.output_format)(checked))
    if request.statistics and request.output_format in COUNTS_ELSEWHERE:
        from dp_lsp.cli.reporters.checked import statistics_table

        for line in statistics_table(checked.analyses):
            point(line)
    return write(text, request.output_file, colour=True)


# ``--watch``: check again whenever something has changed that a check depends on.
#
# What that is only a check knows: also files that are included and not there, and configurations that could stand
# above a file. So all of that is looked at again and again; a service of the system that tells of changes knows less.
#
# A service would have to be told of all these folders, and would not tell of network drives; looking at the stamps of
# 2,000 files takes some 10 ms.

_PAUSE = 0.3  # seconds between two looks
_SETTLED = 0.05  # seconds without a change after which it is whole: an editor writes a file in several steps
_CLEAR = "\033[2J\033[H"


class Round(NamedTuple):
    """A check that was reported: how many files it was of, whether anything that it read has changed, and other files
    that count."""

    files: int = 0
    has_changed: Callable[[], bool] = lambda: False
    others: tuple[str, ...] = ()


def watch(paths: Sequence[str], check: Callable[[], Round], clears: bool) -> NoReturn:
    """Check what these paths mean, and again after each change, until an interrupt."""
    others: tuple[str, ...] = ()
    while True:
        before = _Stamps(paths, others)
        found = Round()
        try:
            found = check()
        except click.UsageError as error:  # it may be mended by the next change
            error.show()
        now = _Stamps(paths, found.others)
        fresh = before.without(others) != now.without(found.others)
        others = found.others
        files = "1 file" if found.files == 1 else f"{found.files:,} files"
        point(f"watching {files}; Ctrl-C ends it")
        while not (fresh or found.has_changed() or _Stamps(paths, others) != now):
            time.sleep(_PAUSE)
        _settle(paths, others)
        if clears and is_terminal(sys.stdout):
            sys.stdout.write(_CLEAR)
            sys.stdout.flush()


def _settle(paths: Sequence[str], others: Iterable[str]) -> None:
    last = _Stamps(paths, others)
    while True:
        time.sleep(_SETTLED)
        now = _Stamps(paths, others)
        if now == last:
            return
        last = now


class _Stamps:
    """How the files that paths mean, the places where a configuration of them may stand, and others look."""

    def __init__(self, paths: Sequence[str], others: Iterable[str]) -> None:
        files = set(_files(paths))
        folders = {os.path.dirname(os.path.abspath(path)) for path in files}
        folders.update(os.path.abspath(path) for path in paths)
        above = {each for folder in folders for each in _above(folder)}
        configurations = (os.path.join(folder, name) for folder in above for name in (FILE, PROJECT_FILE))
        self._stamps: dict[str, FileStamp | None] = {path: stamp(path) for path in (*files, *configurations, *others)}

    def without(self, others: Iterable[str]) -> dict[str, FileStamp | None]:
        """The same but for some files, by path."""
        left_out = set(others)
        return {path: found for path, found in self._stamps.items() if path not in left_out}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Stamps) and self._stamps == other._stamps

    __hash__ = None  # type: ignore[assignment]


def _files(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        if os.path.isdir(path):
            # Also what is not meant, as it may be after its next change: nothing of it is read.
            yield from below(path, Ignored(path), lambda error: None, lambda file: True)
        else:
            yield path


def _above(folder: str) -> Iterator[str]:
    """A folder and all above it."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above
