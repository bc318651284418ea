"""Problems of privacy claims and composition."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class NoMechanism(Kind):
    """A function claims to be private and runs no mechanism.

    Broken:

    ```julia
    f(x::Real) :: Priv() = 2
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP401"
    name = "no-mechanism"
    message = "`{name}` is declared `{code.private}`, but it runs no mechanism: add one, or remove `{code.private}`"


class NotDeclaredPrivate(Kind):
    """A function runs a mechanism and is not declared private.

    Broken:

    ```julia
    f(x::Real) = laplacian_mechanism(1, 0.5, x)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP402"
    name = "not-declared-private"
    message = "`{name}` runs a mechanism ({mechanism}), so its result is random: {how} with `{code.returns_private}`"


class NoGuarantee(Kind):
    """The total δ is 1 or more. Any program is (ε, 1)-private: this is no guarantee at all.

    It is reported where no other measure proves anything either, such as zero-concentrated privacy, whose δ is for you
    to choose, or one that prices a function at the total δ that you ask for.

    Broken:

    ```julia
    function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
        x = 0.0
        for j in 1:30
            (D, L) = sample_poisson(0.5, A, B)
            (rows, columns) = size(D)
            total = [0.0, 0.0]
            for i in 1:rows
                total = total + undisc_container(clip(L2, D[i, :]))
            end
            y = gaussian_mechanism(1, 0.9, 0.1, total)
            x = y[1]
        end
        x
    end
    ```

    Fixed:

    ```julia
    function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
        x = 0.0
        for j in 1:30
            (D, L) = sample_poisson(0.5, A, B)
            (rows, columns) = size(D)
            total = [0.0, 0.0]
            for i in 1:rows
                total = total + undisc_container(clip(L2, D[i, :]))
            end
            y = gaussian_mechanism(1, 0.9, 1e-6, total)
            x = y[1]
        end
        x
    end
    ```
    """

    code = "DP403"
    name = "no-guarantee"
    message = "the total δ of `{name}` in `{variable}` is {delta}: a δ of 1 or more is no guarantee at all"


class LeavesUnprotected(Kind):
    """A function declared private returns, or carries on, a value that still moves with a parameter.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        y = laplacian_mechanism(1, 0.5, x)
        x + y
    end
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        y = laplacian_mechanism(1, 0.5, x)
        2 * y
    end
    ```
    """

    code = "DP404"
    name = "leaves-unprotected"
    message = "{what} still moves with `{variable}`, and no mechanism has hidden it: {consequence}"


class SelectsFromData(Kind):
    """A mechanism selects from people's data. What it selects is released as it is: the noise hides how good the
    candidates are, not what they are. List public values.

    Broken:

    ```julia
    function f(v::MetricVector(Real, Symmetric)) :: Priv()
        exponential_mechanism(1, 0.5, v, c -> count(x -> x > c, v))
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Real, Symmetric)) :: Priv()
        exponential_mechanism(1, 0.5, [10.0, 20.0, 30.0], c -> count(x -> x > c, v))
    end
    ```
    """

    code = "DP450"
    name = "selects-from-data"
    message = "`{written}` is people's data, and `{function}` reveals what it selects: list public values instead"


class NotRepeatable(Kind):
    """A loop runs a mechanism a number of times that is not public, so nothing can be said of the total.

    Broken:

    ```julia
    function f(x::Real, n::Integer) :: Priv()
        y = 0.0
        for i in 1:n
            y = y + laplacian_mechanism(1, 0.5, x)
        end
        y
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, n::Static(Integer)) :: Priv()
        y = 0.0
        for i in 1:n
            y = y + laplacian_mechanism(1, 0.5, x)
        end
        y
    end
    ```
    """

    code = "DP405"
    name = "not-repeatable"
    message = "this loop runs a mechanism, so its number of rounds must be a public whole number"


class NoBound(Kind):
    """A function declared private guarantees nothing for one of its parameters.

    Broken:

    ```julia
    function f(A::Matrix{<:Data}, B::Matrix{<:Data}) :: Priv()
        (D, L) = sample(1, transpose(A), B)
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, D[1, :])))
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

    code = "DP406"
    name = "no-bound"
    message = (
        "`{name}` is declared `{code.private}`, but nothing is guaranteed for `{variable}`; if it is public, use "
        "`{code.public}`"
    )


class BudgetMissed(Kind):
    """A comment says what a function may cost, and no rule proves that it costs no more.

    With numbers for all it depends on (`where k = 100, eps = 0.1`) every measure is tried at that δ. Without them one
    of the closed forms must be within the budget whatever the numbers are.

    Broken:

    ```julia
    # dp: budget ε <= 0.3
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```

    Fixed:

    ```julia
    # dp: budget ε <= 0.5
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP413"
    name = "budget-missed"
    message = "`{name}` is not within its budget for `{variables}`: {missed}"


class TotalMissed(Kind):
    """The rounds of a loop were given shares of a total ε, so that by advanced composition they would come to just
    that, and for these numbers nobody has proved that they do. Another bound is shown.

    Rounds of ε/(2√(2k ln(1/δ'))) come to ε where ε is at most 8 ln(1/δ'): else what they lose on average is more than
    the formula allows for.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        y = 0.0
        for i in 1:100
            y = y + gaussian_mechanism(1, 20 / (2 * sqrt(200 * log(2 / 0.5))), 0.5 / 200, x)
        end
        y
    end
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        y = 0.0
        for i in 1:100
            y = y + gaussian_mechanism(1, 2 / (2 * sqrt(200 * log(2 / 0.5))), 0.5 / 200, x)
        end
        y
    end
    ```
    """

    code = "DP414"
    name = "total-missed"
    severity = Severity.WARNING
    message = "`{name}` is not proved to come to ε {epsilon} for `{variables}`: that holds only up to {most}"
