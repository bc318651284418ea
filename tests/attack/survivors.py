"""Mutants that no test notices, and why that is right: they change no answer that could be wrong."""

_FAILS = "it decides whether the run fails, so everything that is returned moves without bound with it anyway"
_BOXED = "what is taken out of a black box moves without bound, and half of that is the same"

SURVIVORS = {
    "`%`: form 1, factor of s halved": _FAILS,
    "`mod`: form 1, factor of s halved": _FAILS,
    "`clipn`: form 1, factor of upper halved": _FAILS,
    "`clipn`: form 1, factor of lower halved": _FAILS,
    "`[]`: form 1, factor of i halved": _FAILS,
    "`[]`: form 2, factor of i halved": _FAILS,
    "`[]`: form 2, factor of j halved": _FAILS,
    "`[:]`: form 1, factor of i halved": _FAILS,
    "`[…]`: form 2, factors halved": (
        "a vector of functions can only be given to a mechanism that protects nothing that they capture"
    ),
    "`unbox`: form 1, factors halved": _BOXED,
    "`unbox`: form 2, factors halved": _BOXED,
    "`unbox`: form 3, factors halved": _BOXED,
    "`internal_expect_const`: form 1, factors halved": "what is public moves with nothing",
    "formula: symbolic gaussian, a change of several steps is one": (
        "only samples are changed in steps, and what goes through a sample is not Gaussian"
    ),
    "rule: calls, a clip is not asked for": "no parameter is declared to be clipped",
    "rule: mechanisms, what is not understood costs nothing": "the function is unknown by then",
}
