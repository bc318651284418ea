"""Problems of names and calls between definitions."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class UnknownName(Kind):
    """A name is read that nothing defines before it.

    Broken:

    ```julia
    f(x::Real) = x + y
    ```

    Fixed:

    ```julia
    f(x::Real, y::Real) = x + y
    ```
    """

    code = "DP101"
    name = "unknown-name"
    message = "`{name}` is not defined here"
    unchecked = True
    unsupported = True


class SeveralMethods(Kind):
    """Which method of a function runs depends on the value of an argument. A Real number may be an integer when the
    program runs, and then Julia takes the method for integers: the choice would tell which it is.

    Broken:

    ```julia
    f(x::Integer) = x + 1
    f(x::Real) = x + 2
    h(x::Real) = f(x)
    ```

    Fixed:

    ```julia
    f(x::Integer) = x + 1
    f(x::Real) = x + 2
    h(x::Integer) = f(x)
    ```
    """

    code = "DP110"
    name = "several-methods"
    message = "which method of `{name}` runs depends on values: {methods} may all take these arguments"
    unchecked = True
    unsupported = True


class CallsUnchecked(Kind):
    """A function uses something that was not checked to the end, so nothing is known of it either.

    Broken:

    ```julia
    f(x::Real) = x |> abs
    g(x::Real) = f(x)
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    g(x::Real) = f(x)
    ```
    """

    code = "DP111"
    name = "calls-unchecked"
    severity = Severity.INFORMATION
    message = "nothing is known here, because `{name}` was not checked to the end ({reason})"
    unchecked = True
    unsupported = True


class NoRule(Kind):
    """A function of Julia is used for which no bound has been proved, so nothing is known of what uses it.

    Broken:

    ```julia
    f(x::Real) = sin(x)
    ```

    Fixed:

    ```julia
    f(x::Real) = clamp(x, 0, 100) / 10
    ```
    """

    code = "DP113"
    name = "no-rule"
    message = (
        "there is no rule for `{name}`: no bound on how far it moves has been proved, so it cannot be used here{hint}"
    )
    unchecked = True
    unsupported = True


class ChangeableConstant(Kind):
    """A gradient or a model stands at top level, or a function that a call has made, which may hold one. Any function
    that gets hold of it may change it in place, so nothing that uses it could be relied on.

    Broken:

    ```julia
    start() :: BlackBox() = 1
    model = unbox(start(), DMModel, 10)
    ```

    Fixed:

    ```julia
    start() :: BlackBox() = 1
    fresh() = unbox(start(), DMModel, 10)
    ```
    """

    code = "DP114"
    name = "changeable-constant"
    message = "`{name}` can be changed in place by whoever uses it; make it inside the function that needs it"
    unchecked = True


class NotUnboxed(Kind):
    """A black box is called, and no `unbox` says what it returns. Nothing is known of that, not even its type.

    Broken:

    ```julia
    b(x) :: BlackBox() = x
    f(x::Integer) = b(x) + 1
    ```

    Fixed:

    ```julia
    b(x) :: BlackBox() = x
    f(x::Integer) = unbox(b(x), Integer) + 1
    ```
    """

    code = "DP136"
    name = "not-unboxed"
    message = "`{name}` is a black box: name the type of what it returns, as in `{unboxed}`"
    unchecked = True


class BlackBoxAsValue(Kind):
    """A black box is assigned, or given to a function. It can only be called, inside `unbox`.

    Broken:

    ```julia
    b(x) :: BlackBox() = x
    c = b
    ```

    Fixed:

    ```julia
    b(x) :: BlackBox() = x
    c = x -> unbox(b(x), Real)
    ```
    """

    code = "DP137"
    name = "black-box-as-value"
    message = "`{name}` is a black box, which can only be called, inside `{code[unbox]}`; write a function that does"
    unchecked = True
