"""How the command line and the configuration files say that files are checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from fractions import Fraction

import click

from dp_lsp.analysis.limits import MOST, Limits
from dp_lsp.analysis.records import Options, Setting
from dp_lsp.cli.files import shown
from dp_lsp.cli.style import printable
from dp_lsp.configuration.lookup import Configurations
from dp_lsp.text import Source


class Configured:
    """The options of each file: as the command line says, else its configuration. ``config`` is a file that counts
    instead of those above the files, and ``baseline`` likewise; a usage error if it is not there. With ``rebase`` a
    baseline is to be written, which need not be there. Nothing above the folder ``top`` counts. ``facts`` are for an
    editor."""

    def __init__(
        self,
        config: str | None,
        profile: str | None,
        settings: tuple[Setting, ...] = (),
        target_delta: Fraction | None = None,
        baseline: str | None = None,
        rebase: bool = False,
        limits: Limits = MOST,
        top: str | None = None,
        facts: bool = False,
    ) -> None:
        if config is not None and not os.path.lexists(config):
            raise click.UsageError(f"--config {config!r} does not exist")
        if baseline is not None and not rebase and not os.path.lexists(baseline):
            raise click.UsageError(f"--baseline {baseline!r} does not exist; with --update-baseline it is written")
        self._profile = profile
        self._base = Options(settings=settings, facts=facts, target_delta=target_delta, limits=limits)
        self._found = Configurations(config, baseline=baseline, rebase=rebase, top=top)
        self.includes = self._found.includes
        self.baseline_of = self._found.baseline_of
        self.baseline = self._found.baseline
        self.spending = self._found.spending

    def options(self, name: str) -> Options:
        """The options of a file."""
        found = self._found.options(name, self._base, self._base)
        return found._replace(profile=self._profile) if self._profile is not None else found

    def faults(self, names: Iterable[str]) -> list[str]:
        """What is wrong with the configurations of these files, a line each."""
        for name in names:
            self.options(name)
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        for file, (text, problems) in self._found.faulty.items():
            source = Source(text)
            for problem in problems:
                line, column = source.place(problem.span.start)
                yield f"{printable(shown(file))}:{line}:{column}: error[{problem.code}] {problem.message}"
