"""Mistakes that many people make in how mechanisms and data are put to use, each said as what it is."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


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


class OwnNoise(Kind):
    """Noise is drawn without a mechanism, or rows are shuffled. What such noise hides is not accounted for, and a
    shuffled order does not count as sampling. A mechanism draws noise and accounts for it, and rows that `sample` draws
    count as a random sample.

    Broken:

    ```julia
    f(x::Real, eps::Static()) :: Priv() = x + rand(Laplace(0, 1 / eps))
    ```

    Fixed:

    ```julia
    f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)
    ```
    """

    code = "DP435"
    name = "own-noise"
    message = "`{written}` {why}"
    unchecked = True


class NotANumber(Kind):
    """The program makes NaN, an infinity or a missing value, or tests for them. Guarantees are about exact numbers: a
    NaN passes every `clamp` and every clip, and a single one in a sum shows in the result.

    Replace what is missing before the data come here, by a rule that looks at one record at a time.

    Broken:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, isnan(x) ? 0 : x)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP436"
    name = "not-a-number"
    message = "`{name}` {why}"
    unchecked = True


class BatchClipped(Kind):
    """A sum over records is clipped, not what each record adds to it. That bounds the sum by 1, but one record may
    still change it by 2, however many there are: noise for 2/b is b times too small.

    Broken:

    ```julia
    function f(m::MetricMatrix(Real, Symmetric)) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, clip(L2, sum(m; dims=1)))
    end
    ```

    Fixed:

    ```julia
    function f(m::MetricMatrix(Real, Symmetric)) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, sum(clip(L2, 1, m); dims=1))
    end
    ```
    """

    code = "DP437"
    name = "batch-clipped"
    message = "`{written}` is a sum already when it is clipped: clip {each} before adding"
    unchecked = True


class NoSample(Kind):
    """A row of the data is chosen by its number. That is no random sample, so privacy is not amplified: the person in
    that row pays the full cost. A fixed batch, rows in a shuffled order and every k-th row are no random samples
    either.

    To release something about a few rows at a lower cost, draw them with `sample`, `sample_with_replacement` or
    `sample_poisson`.

    Broken:

    ```julia
    function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, A[1, :])))
    end
    ```

    Fixed:

    ```julia
    function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
        (D, L) = sample(1, A, B)
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, D[1, :])))
    end
    ```
    """

    code = "DP438"
    name = "no-sample"
    severity = Severity.HINT
    message = (
        "`{written}` is chosen by its number, which is no random sample, so its privacy is not amplified: to pay less, "
        "draw rows of `{matrix}` with `sample`"
    )
