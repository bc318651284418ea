"""Problems of sensitivity, noise and side conditions."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class TooSensitive(Kind):
    """The noise of a mechanism is made for a smaller change than its input can make.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x + x)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(2, 0.5, 1e-5, x + x)
    end
    ```
    """

    code = "DP301"
    name = "too-sensitive"
    refutable = True
    message = "the noise hides a change of {declared}, but `{written}` can change by {inferred}"


class UnboundedInput(Kind):
    """The input of a mechanism has no bound on how far it moves, so no noise hides it.

    Broken:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x * y)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x + y)
    end
    ```
    """

    code = "DP302"
    name = "unbounded-input"
    message = "no noise hides `{written}`: a change of 1 in `{variable}` can move it by any amount{because}"


class Unbounded(Kind):
    """A result has no bound on how far it moves when a parameter changes.

    Broken:

    ```julia
    f(x::Real) = disc(x)
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    ```
    """

    code = "DP303"
    name = "unbounded"
    severity = Severity.WARNING
    message = "the result moves without bound when `{variable}` changes, because of {cause}"


class ConditionFails(Kind):
    """A side condition of a rule does not hold for the numbers given.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(1, 3, 1e-5, x)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x)
    end
    ```
    """

    code = "DP304"
    name = "condition-fails"
    message = "{reason}, and `{condition}` does not hold"


class PrivateCheck(Kind):
    """An `@assert` depends on private data. Whether the run fails would tell something about it.

    Broken:

    ```julia
    function f(x::Integer)
        @assert x == 1
        x
    end
    ```

    Fixed:

    ```julia
    function f(x::Integer, n::Static(Integer))
        @assert n == 1
        x
    end
    ```
    """

    code = "DP305"
    name = "private-check"
    message = "whether the run fails here depends on `{variable}`, and a failing run can be observed"
    unchecked = True


class PrivateMessage(Kind):
    """What is said where a run fails shows private data. Whoever sees the run fail reads it.

    Broken:

    ```julia
    function f(x::Real, n::Static(Integer))
        @assert n > 0 "n is $n, and x is $x"
        x
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, n::Static(Integer))
        @assert n > 0 "n is $n"
        x
    end
    ```
    """

    code = "DP307"
    name = "private-message"
    message = "what is said here where the run fails depends on `{variable}`, and a failing run can be observed"
    unchecked = True


class SensitivityMissed(Kind):
    """A comment says how far the result of a function may move, and it is not proved that it moves no further.

    Broken:

    ```julia
    # dp: sensitivity <= 1 in x
    f(x::Real) = 2 * x
    ```

    Fixed:

    ```julia
    # dp: sensitivity <= 2 in x
    f(x::Real) = 2 * x
    ```
    """

    code = "DP306"
    name = "sensitivity-missed"
    refutable = True
    message = "`{name}` moves by up to {moves} when `{variable}` moves by 1{over}, but its comment says at most {most}"
