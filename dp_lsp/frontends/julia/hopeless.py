"""What people call in Julia of records that is not proved private."""

from __future__ import annotations

from dp_lsp.hopeless import Hopeless

_PLACE = Hopeless(
    "`{written}` shows at which place a record stands",
    "count records instead, `count(x -> x > 20, {of})`, and add noise to that",
)
_KEYS = Hopeless(
    "which keys `{written}` has tells whose records are there",
    "write the keys out instead, and add noise to the count of each, as in `[count(x -> x == k, {of}) for k in 1:5]`",
)
_DRAWN = Hopeless(
    "`{written}` draws the records themselves, and may draw one of them many times",
    "release one statistic of `{of}` with noise instead, and compute with that",
)
_FACTOR = Hopeless(
    "one record may multiply `{written}` by any factor",
    "add noise to a sum of logarithms instead, `sum(log.(clamp({of}, 1, 100)))`, and take `exp` of what is released",
)
_EACH = Hopeless(
    "each entry of `{written}` shows what one record adds",
    "release one part at a time instead, such as `count(x -> x <= 20, {of})` with noise",
)
_COMMONEST = Hopeless(
    "one record may decide what `{written}` is",
    "choose it with noise instead, `report_noisy_max(1, eps, [count(x -> x == k, {of}) for k in 1:5])`",
)
_EXTREMES = Hopeless(
    "`{written}` shows the largest and the smallest record",
    "choose a number near each with noise instead, `private_quantile(1, eps, {of}, 1, 0:100)`",
)

HOPELESS = {
    **dict.fromkeys(("sortperm", "partialsortperm", "findfirst", "findlast", "findmax", "findmin", "indexin"), _PLACE),
    **dict.fromkeys(("countmap", "proportionmap", "groupby", "group"), _KEYS),
    **dict.fromkeys(("rand", "shuffle", "wsample"), _DRAWN),
    **dict.fromkeys(("prod", "geomean"), _FACTOR),
    **dict.fromkeys(("cumsum", "cumprod", "accumulate", "diff"), _EACH),
    **dict.fromkeys(("mode", "modes"), _COMMONEST),
    **dict.fromkeys(("extrema", "describe", "summarystats"), _EXTREMES),
}
"""By the name of the function."""
