"""``dp-lsp check``: read, check, report, and say with the exit code what came out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from dp_lsp.analysis.records import PROFILES, Analysis, Setting, State
from dp_lsp.cli import baseline as baselines
from dp_lsp.cli.configured import Configured
from dp_lsp.cli.files import choose, shown
from dp_lsp.cli.output import FINDINGS, INTERNAL, USAGE, complain, point, write
from dp_lsp.cli.problems import InternalError
from dp_lsp.cli.running import Files, Run, check_all
from dp_lsp.cli.settings import complaints
from dp_lsp.cli.style import coloured, plain, wants_colour
from dp_lsp.engine.graph import Graph
from dp_lsp.problem import Severity


class Request(NamedTuple):
    """What the command line asks for."""

    paths: tuple[str, ...]
    output_format: str
    stdin_filename: str | None
    profile: str | None
    settings: tuple[Setting, ...]
    exit_zero: bool
    error_on_warning: bool
    error_on_accepted: bool
    statistics: bool
    witness: bool
    output_file: str | None
    color: str
    config: str | None = None
    certificate: str | None = None
    target_delta: Fraction | None = None
    fixes: bool = False
    baseline: str | None = None
    update_baseline: bool = False


def run(request: Request) -> int:
    """Check, report, and return the exit code: the largest that applies."""
    began = time.perf_counter()
    numbers = request.settings, request.target_delta
    configured = Configured(request.config, request.profile, *numbers, request.baseline, rebase=request.update_baseline)
    chosen = choose(request.paths or (".",), request.stdin_filename, configured.includes)
    checks = Run(chosen, configured.options, request)
    graph = Graph(chosen.names, checks.includes)
    faults = configured.faults(graph.included)
    for fault in faults:
        point(fault)
    if faults:
        return USAGE
    if request.update_baseline:
        baselines.demand(configured, graph.included)
    found = check_all(chosen, checks, graph)
    based = _baselines(configured, found, request)
    files = [(shown(name), analysis) for name, analysis in found]
    certified = checks.certify() if request.certificate is not None else 0
    functions = [function for _, analysis in files for function in analysis.functions]
    wrong = complaints(request.settings, functions)
    report = _report(files, request, time.perf_counter() - began)
    written = write(report, request.output_file, colour=_coloured(request))
    for complaint in wrong:
        complain(complaint)
    code = _exit_code([analysis for _, analysis in files], request)
    return max(code, USAGE if wrong else 0, certified, based, written)


def _baselines(configured: Configured, files: Files, request: Request) -> int:
    """Write the baselines if that was asked for, or say what they have too much; the exit code of that."""
    if request.update_baseline:
        return baselines.update(configured, files)
    for note in baselines.idle(configured, files):
        point(note)
    return 0


def _exit_code(analyses: Iterable[Analysis], request: Request) -> int:
    found = broken = False
    for analysis in analyses:
        broken |= any(problem.code == InternalError.code for problem in analysis.problems)
        accepted = analysis.accepted and not request.error_on_accepted
        found |= (analysis.state is not State.PROVED and not accepted) or analysis.count(Severity.ERROR) > 0
        found |= request.error_on_warning and analysis.count(Severity.WARNING) > 0
    return INTERNAL if broken else FINDINGS if found and not request.exit_zero else 0


def _coloured(request: Request) -> bool:
    return request.output_format != "json" and wants_colour(request.color, request.output_file is not None)


def _report(files: Files, request: Request, seconds: float) -> str:
    lines = _REPORTERS[request.output_format](files, request, seconds)
    return "".join(f"{line}\n" for line in lines)


def _profile(files: Files) -> str:
    """The rules of a run: those that may not hold, if any file was checked by them."""
    profiles = {analysis.options.profile for _, analysis in files}
    return next((profile for profile in reversed(PROFILES) if profile in profiles), PROFILES[0])


def _json(files: Files, request: Request, seconds: float) -> Iterator[str]:
    from dp_lsp.features.report import report, statistics

    result = report(files, _profile(files), shown)
    if request.statistics:
        result["statistics"] = statistics(analysis for _, analysis in files)
    yield json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False)


def _concise(files: Files, request: Request, seconds: float) -> Iterator[str]:
    from dp_lsp.cli.concise import lines

    paint = coloured if _coloured(request) else plain
    yield from lines(files, _profile(files) == "published", request.statistics, paint)


def _full(files: Files, request: Request, seconds: float) -> Iterator[str]:
    import shutil

    from dp_lsp.cli.full import FullReport

    paint = coloured if _coloured(request) else plain
    columns = max(60, shutil.get_terminal_size((100, 24)).columns)
    yield from FullReport(paint, columns).lines(files, seconds, _profile(files) == "published", request.statistics)


_REPORTERS = {"full": _full, "concise": _concise, "json": _json}
