"""``dp-lsp check``: read, check, report, and say with the exit code what came out."""

from __future__ import annotations

import json
import logging
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dp_lsp.analysis.records import Analysis, ChunkRecord, Options, Placed, Setting, State, Verdict
from dp_lsp.cli.files import Entry, collect, read
from dp_lsp.cli.output import FINDINGS, INTERNAL, USAGE, complain, write
from dp_lsp.cli.problems import InternalError
from dp_lsp.cli.progress import Progress
from dp_lsp.cli.settings import complaints
from dp_lsp.cli.style import coloured, plain, wants_colour
from dp_lsp.engine.check import Engine
from dp_lsp.problem import Problem, Severity
from dp_lsp.text import Source, Span

logger = logging.getLogger(__name__)


class Request(NamedTuple):
    """What the command line asks for."""

    paths: tuple[str, ...]
    output_format: str
    stdin_filename: str | None
    profile: str
    settings: tuple[Setting, ...]
    exit_zero: bool
    error_on_warning: bool
    statistics: bool
    output_file: str | None
    color: str


Files = Sequence[tuple[str, Analysis]]


def run(request: Request) -> int:
    """Check, report, and return the exit code: the largest that applies."""
    began = time.perf_counter()
    options = Options(request.profile, request.settings, facts=False)
    entries = collect(request.paths or (".",), request.stdin_filename)
    files = _check_all(entries, options)
    functions = [function for _, analysis in files for function in analysis.functions]
    wrong = complaints(options.settings, functions)
    report = _report(files, request, time.perf_counter() - began)
    written = write(report, request.output_file, colour=_coloured(request))
    for complaint in wrong:
        complain(complaint)
    return max(_exit_code([analysis for _, analysis in files], request), USAGE if wrong else 0, written)


def _check_all(entries: Sequence[Entry], options: Options) -> Files:
    progress = Progress(len(entries))
    engine = Engine()
    files = []
    try:
        for entry in entries:
            progress.file(entry.name)
            text = read(entry)
            problem = text.problem
            if problem is None:
                try:
                    analysis = engine.check(text.content, options, on_chunk=progress.chunk)
                except Exception as error:
                    logger.debug("%s: internal error", entry.name, exc_info=True)
                    problem = InternalError.at(Span(0, 0), error=type(error).__name__)
                    engine = Engine()  # what it remembers may be half done
            if problem is not None:
                analysis = _unchecked(text.content, problem, options)
            files.append((entry.name, analysis))
    finally:
        progress.done()
    return files


def _unchecked(content: str, problem: Problem, options: Options) -> Analysis:
    """What is known of a file that was not checked: why."""
    record = ChunkRecord(b"", Verdict(State.UNKNOWN, (), (problem,), (), frozenset()), b"")
    return Analysis(Source(content), (Placed(0, len(content), record),), options)


def _exit_code(analyses: Iterable[Analysis], request: Request) -> int:
    found = broken = False
    for analysis in analyses:
        broken |= any(problem.code == InternalError.code for problem in analysis.problems)
        found |= analysis.state is not State.PROVED or analysis.count(Severity.ERROR) > 0
        found |= request.error_on_warning and analysis.count(Severity.WARNING) > 0
    return INTERNAL if broken else FINDINGS if found and not request.exit_zero else 0


def _coloured(request: Request) -> bool:
    return request.output_format != "json" and wants_colour(request.color, request.output_file is not None)


def _report(files: Files, request: Request, seconds: float) -> str:
    lines = _REPORTERS[request.output_format](files, request, seconds)
    return "".join(f"{line}\n" for line in lines)


def _json(files: Files, request: Request, seconds: float) -> Iterator[str]:
    from dp_lsp.features.report import report, statistics

    result = report(files, request.profile)
    if request.statistics:
        result["statistics"] = statistics(analysis for _, analysis in files)
    yield json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False)


def _concise(files: Files, request: Request, seconds: float) -> Iterator[str]:
    from dp_lsp.cli.concise import lines

    paint = coloured if _coloured(request) else plain
    yield from lines(files, request.profile == "published", request.statistics, paint)


def _full(files: Files, request: Request, seconds: float) -> Iterator[str]:
    from dp_lsp.cli.full import FullReport

    paint = coloured if _coloured(request) else plain
    columns = max(60, shutil.get_terminal_size((100, 24)).columns)
    yield from FullReport(paint, columns).lines(files, seconds, request.profile == "published", request.statistics)


_REPORTERS = {"full": _full, "concise": _concise, "json": _json}
