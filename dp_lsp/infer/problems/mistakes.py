"""Mistakes that many people make, each said as what it is, in place of the general problem that it leads to."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class RawValue(Kind):
    """A value is clipped, but what is released is made of the raw value. The noise is calibrated to the clipped value
    and does not hide the raw one.

    Broken:

    ```julia
    function f(v::MetricVector(Data, LInf)) :: Priv()
        c = clip(L2, v)
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(v))
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Data, LInf)) :: Priv()
        c = clip(L2, v)
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(c))
    end
    ```
    """

    code = "DP420"
    name = "raw-value"
    message = "`{raw}` is used here, {beside}: did you mean `{copy}`?"


class BoundFromData(Kind):
    """A bound, the edges of bins, or a declared sensitivity is computed from private data. It then reveals something
    about the data itself, and so does the noise that is calibrated to it.

    Choose it without looking at the data: from general knowledge, such as that nobody is older than 120.

    Broken:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        b = abs(x) + 1
        laplacian_mechanism(1, 0.5, clamp(y, 0, b))
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, y::Real, b::Static()) :: Priv()
        laplacian_mechanism(1, 0.5, clamp(y, 0, b))
    end
    ```
    """

    code = "DP421"
    name = "bound-from-data"
    message = "the {what} `{written}` {private}: choose {it} without looking at the data{instead}"


class PrivateCount(Kind):
    """Something is divided by the number of records where a record may be added or removed. That number is then
    private, and the quotient has no bound, however much noise is in the numerator already.

    Release the number by a mechanism of its own. Where neighbouring datasets have the same size (`ChangeOne`), the
    number is public and may be divided by.

    Broken:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric)) :: Priv()
        laplacian_mechanism(10, 0.5, sum(v)) / length(v)
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric)) :: Priv()
        laplacian_mechanism(10, 0.5, sum(v)) / laplacian_mechanism(1, 0.5, length(v))
    end
    ```
    """

    code = "DP422"
    name = "private-count"
    message = "`{count}` is private, because a record may be {changed} ({relation}), {so}"


class UnknownCount(Kind):
    """A statistic such as a mean is taken of a dataset that may have any number of records. One more record moves the
    mean of n others by up to (U - L)/(n + 1): of very few, that is as far as numbers can be apart.

    Its sensitivity is never (U - L)/n for the n of the data at hand: that number is private, too.

    Broken:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric)) :: Priv()
        laplacian_mechanism(10 / 100, 0.5, mean(v))
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric, AtLeast(99))) :: Priv()
        laplacian_mechanism(10 / 100, 0.5, mean(v))
    end
    ```
    """

    code = "DP423"
    name = "unknown-count"
    message = "how far `{written}` moves depends on how many records there are, which is private here: {reason}"
    unchecked = True


class OtherRelation(Kind):
    """A sensitivity that holds under one neighbour relation is used under another. Where a record is replaced
    (`ChangeOne`) a sum moves up to twice as far as where one is added or removed (`Symmetric`).

    Broken:

    ```julia
    function f(v::MetricVector(Real, ChangeOne)) :: Priv()
        laplacian_mechanism(1, 0.5, histogram(v, [0, 18, 65, 120]))
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Real, ChangeOne)) :: Priv()
        laplacian_mechanism(2, 0.5, histogram(v, [0, 18, 65, 120]))
    end
    ```
    """

    code = "DP424"
    name = "other-relation"
    message = "{what}, but {but}"


class WrongEnd(Kind):
    """The declared sensitivity was computed from the wrong end of a range, with the ends the wrong way round, or by a
    division that drops the remainder.

    A sum of numbers in [L, U] moves by max(|L|, |U|) where a record is added or removed, and by U - L where one is
    replaced.

    Broken:

    ```julia
    function f(v::MetricVector(Bounded(Real, -10, 2), Symmetric)) :: Priv()
        laplacian_mechanism(2, 0.5, sum(v))
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Bounded(Real, -10, 2), Symmetric)) :: Priv()
        laplacian_mechanism(max(abs(-10), abs(2)), 0.5, sum(v))
    end
    ```
    """

    code = "DP425"
    name = "wrong-end"
    message = "{what}, but `{written}` can change by {inferred}"


class NoNoise(Kind):
    """The scale of the noise is 0, so none is added.

    Broken:

    ```julia
    f(x::Real) :: Priv() = gaussian_noise(1, 0, x)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = gaussian_noise(1, 4, x)
    ```
    """

    code = "DP426"
    name = "no-noise"
    message = "`{scale}` is 0, so no noise is added to `{written}`"


class InvertedNoise(Kind):
    """The noise grows with ε. A larger ε permits a larger privacy loss and needs less noise, so the scale of noise is
    sensitivity/ε, never ε/sensitivity. The cost that is reported is right all the same; it is hardly what was meant.

    Broken:

    ```julia
    f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(eps, 1, x)
    ```

    Fixed:

    ```julia
    f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)
    ```
    """

    code = "DP427"
    name = "inverted-noise"
    severity = Severity.WARNING
    message = (
        "a larger `{symbol}` adds more noise here, and should add less: `{written}` is the `{argument}` of `{call}`"
    )


class OtherBrackets(Kind):
    """Two branches run the same mechanism with the same numbers, and only brackets tell them apart: `a / b / c` is
    `a / (b * c)`. The two spend different ε.

    Broken:

    ```julia
    function f(x::Real, first::Static(Bool), eps::Static(), t::Static()) :: Priv()
        if first
            laplacian_mechanism(1, eps / (3 / t), x)
        else
            laplacian_mechanism(1, eps / 3 / t, x)
        end
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, first::Static(Bool), eps::Static(), t::Static()) :: Priv()
        if first
            laplacian_mechanism(1, eps / 3 / t, x)
        else
            laplacian_mechanism(1, eps / 3 / t, x)
        end
    end
    ```
    """

    code = "DP428"
    name = "other-brackets"
    severity = Severity.WARNING
    message = "`{written}` is {value} here, and `{other}` in the other branch is {other_value}: are brackets missing?"
