"""How a check ended, as its owner sees it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from dp_lsp.analysis.loading import Faulty
from dp_lsp.analysis.records import Analysis
from dp_lsp.analysis.workspace import ClosedFile
from dp_lsp.problem import Problem
from dp_lsp.text import Source


class Finding(NamedTuple):
    """What a check says of a document: an analysis, unless there was a problem with the check itself. ``revision`` is
    what the owner called the text."""

    document: str
    revision: int
    source: Source
    analysis: Analysis | None


class Outcome(NamedTuple):
    """How a check of a document ended: with analyses, also of others that it concerns, or with a problem.

    ``final`` is false if the process died and the check is tried again. ``projects`` are the names of the files that
    were checked together, ``closed`` what is known of those that are not open. ``parsed`` and ``inferred`` count
    chunks since the process started; ``seconds`` is how long it took. ``faulty`` are the configurations that something
    is wrong with, by the paths of their files; None if the check did not come so far.
    """

    document: str
    findings: tuple[Finding, ...]
    problem: Problem | None = None
    final: bool = True
    projects: tuple[tuple[str, ...], ...] = ()
    closed: Mapping[str, ClosedFile] = MappingProxyType({})
    seconds: float = 0.0
    parsed: int = 0
    inferred: int = 0
    faulty: Mapping[str, Faulty] | None = None
