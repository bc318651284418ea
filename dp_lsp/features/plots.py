"""The plots of functions, as the report of a file has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dp_lsp.analysis.plots import Plot, Plotted
from dp_lsp.analysis.records import Analysis, State

Json = dict[str, Any]


def with_plots(report: Json, analysis: Analysis, found: Iterable[Plotted]) -> Json:
    """The report of one file, with what was plotted of those of its functions that are proved."""
    made = {each.name: [_plot(plot) for plot in each.plots] for each in found}
    for told, function in zip(report["files"][0]["functions"], analysis.functions, strict=True):
        if function.state is State.PROVED and made.get(function.name_span):
            told["plots"] = made[function.name_span]
    return report


def _plot(plot: Plot) -> Json:
    if plot.missing:
        return {"parameters": list(plot.parameters), "missing": list(plot.missing)}
    made: Json = {"parameters": list(plot.parameters), "against": plot.against}
    if plot.at is not None:
        made["at"] = plot.at
    if plot.delta is not None:
        made["delta"] = plot.delta
    made["curves"] = [{"rule": rule, "points": [list(point) for point in points]} for rule, points in plot.curves]
    return made
