"""The checks of a run: what the engine finds out of one project after the other, and what is made of that."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dp_lsp.analysis.loading import Text
from dp_lsp.analysis.records import Analysis, unchecked
from dp_lsp.analysis.repairs import fixes_of
from dp_lsp.analysis.ticket import Ticket
from dp_lsp.cli.distributions import Distributions, improved
from dp_lsp.cli.files import Chosen, shown
from dp_lsp.cli.output import complain, write
from dp_lsp.cli.problems import InternalError
from dp_lsp.cli.progress import Progress
from dp_lsp.cli.reporters import SHOW_FIXES
from dp_lsp.cli.reporters.checked import Files
from dp_lsp.engine.certify import Certifiable
from dp_lsp.engine.check import Engine, OptionsOf
from dp_lsp.engine.graph import Graph
from dp_lsp.engine.merge import check_projects, together
from dp_lsp.engine.repairs import Within, hopeful, repairs
from dp_lsp.problem import Fix, Problem
from dp_lsp.text import Source, Span

if TYPE_CHECKING:
    from dp_lsp.cli.check import Request

_FEW = 20  # problems whose fixes are tried for a person who did not ask for that
_REMEMBERED = 8  # projects of which the engine keeps what the next ones may share

logger = logging.getLogger(__name__)


def check_all(chosen: Chosen, checks: Run, graph: Graph) -> Files:
    """The analyses of the files that were chosen, in that order, and then of what these include, by their names."""
    projects = _projects(chosen, checks, graph)
    found = together(projects.items())
    names = list(dict.fromkeys([*chosen.names, *found]))
    return checks.mended([(name, found[name]) for name in names], projects)


def quietly(chosen: Chosen, checks: Run, graph: Graph) -> Callable[[Mapping[str, Text]], dict[str, Analysis]]:
    """What checks all files again and again, each time with other texts of some; nothing but the check is done."""

    def check(texts: Mapping[str, Text]) -> dict[str, Analysis]:
        for name, text in texts.items():
            checks.give(name, text)
        return together(_projects(chosen, checks, graph).items())

    return check


def _projects(chosen: Chosen, checks: Run, graph: Graph) -> dict[str, dict[str, Analysis]]:
    """The analyses of the files of each project, by its root."""
    progress = Progress(len(graph.roots))
    try:
        projects = check_projects(chosen.names, graph.roots, lambda root: checks.project(root, graph, progress))
    finally:
        progress.done()
    return improved(checks.distributions, projects, lambda root: checks.project(root, graph))


class Run:
    """Checks one project after the other. A bug makes one of them unknown, not the others."""

    def __init__(self, chosen: Chosen, options: OptionsOf, request: Request) -> None:
        self._request = request
        self._files = chosen.files
        self._options = options
        self.distributions = Distributions()
        self._engine = Engine(self.distributions.answers)
        self._recent: deque[str] = deque()
        self._certifiable: dict[str, list[Certifiable]] = {}

    def give(self, name: str, text: Text) -> None:
        """This text of a file wins over the disk from now on."""
        self._files.give(name, text)

    def includes(self, name: str) -> list[str]:
        """The files that a file includes directly."""
        try:
            paths = self._engine.includes(self._files.text(name))
        except Exception:  # checking the file meets it again
            return []
        found = (self._files.included(name, path) for path in paths)
        return [other for other in found if isinstance(other, str)]

    def project(self, root: str, graph: Graph, progress: Progress | None = None) -> dict[str, Analysis]:
        """The analyses of the files of a project."""
        if progress is not None:
            progress.file(shown(root))
        on_chunk = (lambda key: None) if progress is None else progress.chunk
        try:
            found = self._engine.project(root, self._files, self._options, on_chunk=on_chunk)
            if self._request.witness:
                found = self._with_witnesses(root, found)
            if self._request.certificate is not None:
                self._certifiable[root] = list(self._engine.certifiable(root, self._files, self._options))
        except Exception as error:
            logger.debug("%s: internal error", root, exc_info=True)
            self._engine = Engine(self.distributions.answers)  # what it remembers may be half done
            problem = InternalError.at(Span(0, 0), error=type(error).__name__)
            texts = ((name, self._files.text(name)) for name in sorted(graph.projects.get(root, {root})))
            return {name: unchecked(Source(text.content), problem, self._options(name)) for name, text in texts}
        self._recent.append(root)
        if len(self._recent) > _REMEMBERED:
            self._engine.forget(self._recent.popleft())
        return found

    def certify(self) -> int:
        """Write the certificate of what was checked; the exit code of that."""
        from dp_lsp.cli.certify import certificate

        listed = [each for found in self._certifiable.values() for each in found]
        self.distributions.ask_about(listed)
        settings = self._request.settings
        found = certificate(listed, settings, lambda name: self._files.text(name).content, self.distributions.answers)
        if not found["bounds"]:
            complain("nothing can be certified: no private function is proved and has all its numbers (--set)")
        return write(json.dumps(found, ensure_ascii=False, indent=1) + "\n", self._request.certificate)

    def _with_witnesses(self, root: str, found: dict[str, Analysis]) -> dict[str, Analysis]:
        """The same, with a counterexample for each claim that is too small."""
        from dp_lsp.meaning.witness import witness  # numpy is needed for nothing else

        notes: dict[str, dict[tuple[Span, str], str]] = {}
        for suspect in self._engine.suspects(root, self._files, self._options):
            problem = suspect.problem
            notes.setdefault(suspect.file, {})[problem.span, problem.message] = witness(suspect)
        return {name: analysis.with_notes(notes.get(name, {})) for name, analysis in found.items()}

    def mended(self, files: Files, projects: Mapping[str, Mapping[str, Analysis]]) -> Files:
        """The same with fixes that were tried, and no others: all of them if that was asked for, else, where a person
        will read of them, those of the first few problems."""
        few = _FEW if self._request.output_format in SHOW_FIXES else 0
        left = None if self._request.fixes else few
        found = []
        for name, analysis in files:
            worth = hopeful(analysis)[:left]
            left = None if left is None else left - len(worth)
            roots = tuple(root for root, analyses in projects.items() if name in analyses)
            fixes = self._tried(name, analysis, worth, roots) if worth else {}
            found.append((name, analysis.with_fixes(fixes)))
        return found

    def _tried(
        self, name: str, analysis: Analysis, worth: Sequence[Problem], roots: tuple[str, ...]
    ) -> dict[Problem, tuple[Fix, ...]]:
        """The fixes of some problems of a file that are good. A bug in trying them says nothing about the file."""
        within = Within(roots, self._files, self._options)
        try:
            return fixes_of(repairs(self._engine, name, analysis, within, Ticket(), worth))
        except Exception:
            logger.debug("%s: fixes were not tried", name, exc_info=True)
            self._engine = Engine(self.distributions.answers)
            return {}
