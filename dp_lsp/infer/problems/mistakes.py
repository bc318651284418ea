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
    message = "`{raw}` is used here, while its bounded copy `{copy}` never is: did you mean `{copy}`?"


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
    message = (
        "the {what} `{written}` {private}: choose {it} without looking at the data, or pass {it} as a `Static()` "
        "parameter"
    )


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
    message = "`{count}` is private, because a record may be added or removed ({relation}), {so}"


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


class PrivateBranch(Kind):
    """A private value decides which branch runs. The result reveals which one it was, however little the branches
    differ, and with it something about the value.

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
        "which branch runs depends on private `{variable}`, and the result reveals it: decide by a value that a "
        "mechanism released"
    )


class PlaceOfRecord(Kind):
    """A record is accessed by its position. The records of a bag (Symmetric, ChangeOne) stand in any order: in another
    order it is the same bag, with another record at that position. In a sequence (Hamming, InsertDelete) positions mean
    something; if records are added and removed it must be known how many there are at least, since anybody can see that
    a run fails.

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
    message = "`{written}` takes the record at one position, and {because} ({relation}): {remedy}"


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
    message = "a mechanism released only the position `{index}`: `{written}` is still private and needs its own noise"


class QueryTooSensitive(Kind):
    """The sparse vector technique adds noise for queries that move by at most 1, and one of these moves further.

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
        "a query can change by {inferred} with `{variable}`, but the noise of `{mechanism}` hides a change of "
        "{declared}"
    )


class NoiseApart(Kind):
    """Noise was drawn on its own and is added to a private value. Only a mechanism that is given the value hides it:
    noise that is drawn once is the same for all that it is added to, so their differences are exact.

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
