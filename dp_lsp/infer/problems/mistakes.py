"""Mistakes that many people make, each said as what it is, in place of the general problem that it leads to."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class RawValue(Kind):
    """A value is clipped, and what is released is made of the raw one. The noise is made for the clipped value, and
    hides nothing of the other.

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
    message = "`{copy}` keeps `{raw}` within limits, and is never used: here `{raw}` itself is, did you mean `{copy}`?"


class BoundFromData(Kind):
    """A bound, the edges of bins, or the sensitivity that noise is made for, is computed from private data. It then
    tells something about the data itself, and the noise that is made for it does, too.

    Choose it without a look at the data: from what is known of the world, such as that nobody is older than 120.

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
    message = (
        "the {what} `{written}` {private}: choose {it} without looking at the data, or pass {it} as a `Static()` "
        "parameter"
    )


class PrivateCount(Kind):
    """Something is divided by the number of records where a person may come or go. That number is then private, and
    what is divided by it has no bound, however much noise is in it already.

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
    message = "`{count}` is private, because records may come or go ({relation}), {so}"


class UnknownCount(Kind):
    """An average is taken of records of which nothing says how many there are. One person more or less moves it by
    (U - L)/(n + 1) where there are n others; of very few, that is as far as numbers can be apart.

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
    """What was computed for one relation between neighbouring datasets is used under another. Where a record is
    replaced (`ChangeOne`) a sum moves by up to twice as far as where one comes or goes (`Symmetric`).

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
    message = "{what}, and {but}"


class WrongEnd(Kind):
    """The sensitivity that noise is made for was computed from the wrong end of a range, with the ends the wrong way
    round, or by a division that drops what is left over.

    A sum of numbers in [L, U] moves by max(|L|, |U|) where a record comes or goes, and by U - L where one is replaced.

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
    message = "{what}, and `{written}` can change by {inferred}"


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
    """More ε makes more noise. A larger ε allows to tell more, so noise has a scale of sensitivity/ε, never of
    ε/sensitivity. What such a program costs is stated all the same; it is hardly what was meant.

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
    message = "more `{symbol}` means more noise here, and should mean less: `{written}` is the `{argument}` of `{call}`"


class OtherBrackets(Kind):
    """Two branches run the same mechanism with the same numbers, and only brackets tell them apart: `a / b / c` is
    `a / (b * c)`. One of the two spends another ε.

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


class PrivateBranch(Kind):
    """A private value decides which branch runs. What comes out tells which one it was, however little the branches
    differ, and so it tells something about the value.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        y = laplacian_mechanism(1, 0.5, x)
        if x > 5
            y = y + 1
        end
        y
    end
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        y = laplacian_mechanism(1, 0.5, x)
        if y > 5
            y = y + 1
        end
        y
    end
    ```
    """

    code = "DP429"
    name = "private-branch"
    message = (
        "which branch runs depends on private `{variable}`, and what comes out shows it: decide by something that a "
        "mechanism released"
    )


class PlaceOfRecord(Kind):
    """A record is asked for by its place. In a dataset places mean nothing: where a record comes or goes all behind it
    move to another place, and where one is replaced any place may be its.

    Broken:

    ```julia
    f(v::MetricVector(Real, Symmetric)) :: Priv() = laplacian_mechanism(1, 0.5, v[1])
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, Symmetric)) :: Priv() = laplacian_mechanism(10, 0.5, sum(clamp(v, 0, 10)))
    ```
    """

    code = "DP430"
    name = "place-of-record"
    message = (
        "`{written}` asks for the record of one place, and {because} ({relation}): use all records alike, as a sum does"
    )


class ChosenValue(Kind):
    """A mechanism released which entry is the largest, and the entry itself is used as if it had been released, too.

    Broken:

    ```julia
    function f(v::MetricVector(Real, LInf)) :: Priv()
        i = report_noisy_max(1, 0.5, v)
        v[i]
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Real, LInf)) :: Priv()
        i = report_noisy_max(1, 0.5, v)
        laplacian_mechanism(1, 0.5, v[i])
    end
    ```
    """

    code = "DP431"
    name = "chosen-value"
    message = (
        "a mechanism released the place `{index}`, and `{written}` is private still: release it by noise of its own"
    )


class QueryTooSensitive(Kind):
    """A search above a threshold adds noise for queries that move by 1, and one of them moves further.

    Broken:

    ```julia
    f(x::Real) :: Priv() = above_threshold([y -> y, y -> 2 * y], 0.5, x, 3)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = above_threshold([y -> y, y -> 2 * y / 2], 0.5, x, 3)
    ```
    """

    code = "DP432"
    name = "query-too-sensitive"
    refutable = True
    message = (
        "a query changes by up to {inferred} with `{variable}`, and the noise of `{mechanism}` hides a change of "
        "{declared}"
    )


class NoiseApart(Kind):
    """Noise was drawn by itself, and is added to a private value. Only a mechanism that is given the value hides it:
    noise that is drawn once is the same for all that it is added to, and differences are exact.

    Broken:

    ```julia
    function f(v::MetricVector(Real, L1)) :: Priv()
        noise = laplacian_mechanism(1, 0.5, 0.0)
        map(x -> x + noise, v)
    end
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, L1)) :: Priv() = laplacian_mechanism(1, 0.5, v)
    ```
    """

    code = "DP433"
    name = "noise-apart"
    message = (
        "`{noise}` is noise on a public number, which hides nothing of private `{variable}`: give the mechanism the "
        "value itself"
    )


class PrivateOutput(Kind):
    """A private value is printed. Whoever sees the output sees the value, however private the result is.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        println(x)
        laplacian_mechanism(1, 0.5, x)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        laplacian_mechanism(1, 0.5, x)
    end
    ```
    """

    code = "DP434"
    name = "private-output"
    message = "`{written}` shows private `{variable}` to whoever sees the output"
