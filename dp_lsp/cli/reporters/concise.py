"""The report of one line a problem, as compilers print it."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.cells import place
from dp_lsp.cli.files import to_file
from dp_lsp.cli.reporters.checked import CAUTION, Checked, sentence, statistics_table
from dp_lsp.cli.style import path_shown, printable


def lines(run: Checked) -> Iterator[str]:
    """Every problem, then a summary. The same input gives the same text."""
    for path, analysis in run.files:
        for problem in analysis.problems:
            at = place(analysis.source, problem.span.start)
            code = run.link(problem.code, problem.url)
            title = run.paint(f"{problem.severity.value}[{code}]", problem.severity.value)
            where = to_file(run.link, f"{path_shown(path)}:{at}", path)
            yield f"{where}: {title} {printable(problem.message)}"
    if run.statistics:
        yield from statistics_table(run.analyses, run.paint)
    if run.published:
        yield run.paint(CAUTION, "warning")
    yield sentence(run.analyses, run.paint)
