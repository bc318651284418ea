"""What a report is written of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dp_lsp.analysis.records import PROFILES, Analysis
from dp_lsp.cli.style import Link, Paint, plain, unlinked

Files = Sequence[tuple[str, Analysis]]
"""What was checked, under the paths that it is reported as."""


class Checked(NamedTuple):
    """What was checked and with which exit code that ends, if the report can be written. ``columns`` are those that
    a line may have. Where a warning or what a person accepted fails the run, that is said."""

    files: Files
    exit_code: int = 0
    seconds: float = 0.0
    statistics: bool = False
    error_on_warning: bool = False
    error_on_accepted: bool = False
    paint: Paint = plain
    link: Link = unlinked
    columns: int = 100

    @property
    def analyses(self) -> list[Analysis]:
        """What is known of the files."""
        return [analysis for _, analysis in self.files]

    @property
    def profile(self) -> str:
        """The rules of the run: those that may not hold, if any file was checked by them."""
        profiles = {analysis.options.profile for analysis in self.analyses}
        return next((profile for profile in reversed(PROFILES) if profile in profiles), PROFILES[0])

    @property
    def published(self) -> bool:
        """Whether some bounds may not hold."""
        return self.profile != PROFILES[0]


Reporter = Callable[[Checked], Iterator[str]]
"""Writes the lines of a report."""
