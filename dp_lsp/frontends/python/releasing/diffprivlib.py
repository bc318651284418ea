"""IBM's diffprivlib: its mechanisms, and the tools that use them.

What each does was read in the library's text, version 0.6.6 ("Diffprivlib: the IBM differential privacy library",
Holohan, Braghin, Mac Aonghusa and Levacher 2019). Two things of it are easily missed: a tool whose result is cut off by
the size of the data tells that size, so it is for records that are replaced; and `tools.histogram` has noise for 1,
where a record that is replaced moves two counts.
"""

from __future__ import annotations

from dp_lsp.named import NamedTuple

VERSION = "0.6.6"
PREMISE = f"diffprivlib does what its pages say, as version {VERSION} does"
"""What is taken for granted of a call, beside that its noise is drawn in floating point: its samplers (Holohan and
Braghin 2021, "Secure random sampling in differential privacy") make the attack of Mironov 2012 harder, and it is not
proved that they are exact."""

MECHANISM, TOOL = "dpl.mechanisms.", "dpl.tools."
LAPLACE, GEOMETRIC, GAUSSIAN = f"{MECHANISM}Laplace", f"{MECHANISM}Geometric", f"{MECHANISM}Gaussian"
ADD_GEOMETRIC = f"{TOOL}histogram"
METHOD = "randomise"


class Noise(NamedTuple):
    """A class of mechanisms that add noise to a number: the builtin that it is, by the name that this has here, the
    arguments that it ``takes`` in the order of the builtin's, and what they are where they are left out. What comes out
    lies between ``bounds``, which are arguments, too."""

    builtin: str
    takes: tuple[str, ...] = ("sensitivity", "epsilon")
    defaults: tuple[tuple[str, int], ...] = ()
    bounds: tuple[str, ...] = ()


_BOUNDS = ("lower", "upper")
_BY_ONE = (("sensitivity", 1),)
MECHANISMS = {
    LAPLACE: Noise(LAPLACE),
    f"{MECHANISM}LaplaceTruncated": Noise(LAPLACE, bounds=_BOUNDS),
    f"{MECHANISM}LaplaceFolded": Noise(LAPLACE, bounds=_BOUNDS),
    GEOMETRIC: Noise(GEOMETRIC, defaults=_BY_ONE),
    f"{MECHANISM}GeometricTruncated": Noise(GEOMETRIC, defaults=_BY_ONE, bounds=_BOUNDS),
    GAUSSIAN: Noise(GAUSSIAN, ("sensitivity", "epsilon", "delta")),
}
"""What is folded or cut off at public bounds is made of what has noise alone."""

_NOT_A_SUM = "whose noise depends on the number that it is added to"
_ON_DISTANCE = "which is private by a distance of its own, and not by how far a number moves"
NOT_FOLLOWED = {
    f"{MECHANISM}{name}": why
    for names, why in (
        (("LaplaceBoundedDomain", "LaplaceBoundedNoise"), _NOT_A_SUM),
        (("GeometricFolded",), "whose bounds may be halves"),
        (
            ("GaussianAnalytic", "GaussianDiscrete"),
            "whose noise is found by a search, and is no formula of its arguments",
        ),
        (("Exponential", "PermuteAndFlip", "ExponentialCategorical", "ExponentialHierarchical"), "which chooses"),
        (("Binary",), "which answers about one person"),
        (("Bingham", "Vector", "Wishart"), _ON_DISTANCE),
        (("Staircase", "Uniform", "Snapping"), "whose noise has no row here"),
    )
    for name in names
}
"""The classes whose price is not known here, and why."""

ARGUMENTS = {
    "count_nonzero": ("array", "epsilon"),
    "sum": ("array", "epsilon", "bounds"),
    "mean": ("array", "epsilon", "bounds"),
    "histogram": ("sample", "epsilon", "bins", "range", "weights"),
}
"""The tools that are followed, and the arguments that they take by place."""
LEAKS = {
    **{
        f"{TOOL}nan{name}": "it leaves out what is missing, and its noise is made for the number of all"
        for name in ("mean", "sum", "var", "std")
    },
}
TOOLS_NOT_FOLLOWED = {
    f"{TOOL}{name}": why
    for names, why in (
        (("var", "std"), f"{_NOT_A_SUM} (`LaplaceBoundedDomain`)"),
        (
            ("quantile", "percentile", "median"),
            "which fails, or does not, by the data: its weights are too small for floats where many records are equal",
        ),
        (("histogram2d", "histogramdd"), "which counts in several dimensions"),
    )
    for name in names
}

HOMES = {
    "dpl": "diffprivlib",
    "diffprivlib": "diffprivlib",
    "mechanisms": "diffprivlib.mechanisms",
    "tools": "diffprivlib.tools",
}
NAMED = {"diffprivlib": "dpl", "mechanisms": "dpl.mechanisms", "tools": "dpl.tools"}
