"""The report of one line a problem, as compilers print it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dp_lsp.analysis.records import Analysis
from dp_lsp.cli.style import Paint, printable
from dp_lsp.cli.summary import CAUTION, sentence, statistics_table


def lines(files: Sequence[tuple[str, Analysis]], published: bool, with_statistics: bool, paint: Paint) -> Iterator[str]:
    """Every problem, then a summary. The same input gives the same text."""
    for path, analysis in files:
        for problem in analysis.problems:
            line, column = analysis.source.place(problem.span.start)
            title = paint(f"{problem.severity.value}[{problem.code}]", problem.severity.value)
            yield f"{printable(path)}:{line}:{column}: {title} {printable(problem.message)}"
    analyses = [analysis for _, analysis in files]
    if with_statistics:
        yield from statistics_table(analyses, paint)
    if published:
        yield paint(CAUTION, "warning")
    yield sentence(analyses, paint)
