"""ε of a function as δ or its iterations change, as flat data that can cross the border between processes.

Made for a file when somebody asks, so a check need not keep it.
"""

from __future__ import annotations

from typing import NamedTuple

from dp_lsp.text import Span


class Curve(NamedTuple):
    """The smallest ε that a rule proves, rounded up, at each of some places: (place, ε)."""

    rule: str
    points: tuple[tuple[float, float], ...]


class Plot(NamedTuple):
    """What parameters that change together cost, against ``delta`` or ``iterations``: at ``at`` stands the program
    itself, if it is known where. The total δ of one against iterations is ``delta``. One of which numbers are
    ``missing`` has no curves."""

    parameters: tuple[str, ...]
    against: str
    curves: tuple[Curve, ...] = ()
    at: float | None = None
    delta: float | None = None
    missing: tuple[str, ...] = ()


class Plotted(NamedTuple):
    """The plots of a function, whose name stands at ``name``."""

    name: Span
    plots: tuple[Plot, ...]

    def moved(self, by: int) -> Plotted:
        """The same in a text that has ``by`` more code points before it."""
        return self._replace(name=self.name.moved(by))
