"""What has no meaning here."""

from __future__ import annotations

import ast

from dp_lsp.frontends.python.hopeless import BY_CHANCE, BY_WEIGHTS

REASONS = {
    **dict.fromkeys(
        ("input",),
        "`input`, whose answer nobody knows before the program runs (make it a parameter: `x: Static[float]`),",
    ),
    "open": "`open` (read files outside of functions that are checked, and give them what was read)",
    **dict.fromkeys(
        ("np.dot", "np.vdot", "np.inner"),
        "a product of records (limit what is multiplied, and add it up: `np.clip(v * v, 0, c).sum()`)",
    ),
    **dict.fromkeys(("np.random.choice", "random.choices"), BY_WEIGHTS),
    **dict.fromkeys(
        ("random.random", "np.random.rand", "np.random.random", "np.random.uniform", "random.uniform"), BY_CHANCE
    ),
    "np.random.geometric": "`np.random.geometric` (release whole numbers by `diffprivlib.mechanisms.Geometric`)",
    "statistics.mean": "`statistics.mean` (write `sum(v) / len(v)`)",
    **dict.fromkeys(
        ("statistics.median", "statistics.quantiles"),
        "the order of numbers in a list (make it an `np.ndarray`, and write `np.median(np.clip(v, 0, 100))`)",
    ),
    "map": "`map` (write `[f(x) for x in v]`)",
    "filter": "`filter` (write `[x for x in v if p(x)]`)",
    "np.average": "`np.average` (release `np.sum(v * w)` and `np.sum(w)` with noise, each clipped, and divide then)",
}
"""Why calls of functions that everybody knows have no meaning here, and what to write."""


class Refused(Exception):
    """A construct that has no meaning here: the node, and what it is."""

    def __init__(self, node: ast.AST, what: str) -> None:
        super().__init__(what)
        self.node = node
        self.what = what
