"""Problems of types and metrics."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class WrongArgument(Kind):
    """A builtin or function is given something else than it takes.

    Broken:

    ```julia
    f(m::Matrix{<:Data}) = length(1)
    ```

    Fixed:

    ```julia
    f(v::Vector{<:Data}) = length(v)
    ```
    """

    code = "DP202"
    name = "wrong-argument"
    message = "`{function}` takes {wanted} here, but this is {given}"
    unchecked = True


class WrongCount(Kind):
    """A call has too many or too few arguments.

    Broken:

    ```julia
    f(v::Vector{<:Data}) = length(v, v)
    ```

    Fixed:

    ```julia
    f(v::Vector{<:Data}) = length(v)
    ```
    """

    code = "DP203"
    name = "wrong-count"
    message = "`{function}` takes {wanted}, but {given} given here"
    unchecked = True


class OtherNorm(Kind):
    """The input of a mechanism is measured in another norm than its noise is made for. The bound pays the factor
    between the two norms: nothing from L1 to L2, the root of the length from L2 to L1.

    Broken:

    ```julia
    function f(v::MetricVector(Real, L2), n::Static()) :: Priv()
        laplacian_mechanism(n, 0.5, v)
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Real, L1)) :: Priv()
        laplacian_mechanism(1, 0.5, v)
    end
    ```
    """

    code = "DP204"
    name = "other-norm"
    severity = Severity.WARNING
    message = "{mechanism} noise hides changes measured in {wanted}, but this is measured in {given}; {cost}"


class NotClipped(Kind):
    """`undisc_container` is applied to something that is not clipped: its entries may be arbitrarily large.

    Broken:

    ```julia
    f(v::MetricVector(Data, LInf)) = undisc_container(v)
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Data, LInf)) = undisc_container(clip(L2, v))
    ```
    """

    code = "DP205"
    name = "not-clipped"
    message = "`{written}` is not clipped, so as real numbers it may change by any amount; clip it first"


class DataToMechanism(Kind):
    """A mechanism is given Data. Data is compared by equality, so a change of 1 may be any change of the number.

    Broken:

    ```julia
    function f(v::MetricVector(Data, LInf)) :: Priv()
        gaussian_mechanism(2, 0.5, 1e-5, v)
    end
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Data, LInf)) :: Priv()
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(clip(L2, v)))
    end
    ```
    """

    code = "DP206"
    name = "data-to-mechanism"
    message = "`{written}` is Data, which is only compared for equality: no amount of noise hides how far it moves"


class MustBePublic(Kind):
    """A number that decides the noise, a size or a number of rounds must be public: declared `Static()`.

    Broken:

    ```julia
    function f(eps::Real, x::Real) :: Priv()
        laplacian_mechanism(1, eps, x)
    end
    ```

    Fixed:

    ```julia
    function f(eps::Static(), x::Real) :: Priv()
        laplacian_mechanism(1, eps, x)
    end
    ```
    """

    code = "DP207"
    name = "must-be-public"
    message = "`{written}` must be a public {what} here; {instead}"


class DoesNotFit(Kind):
    """Values that must fit together do not: another kind, norm or size, or Data next to real numbers.

    Broken:

    ```julia
    f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = v + w
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, L1), w::MetricVector(Real, L1)) = v + w
    ```
    """

    code = "DP208"
    name = "does-not-fit"
    message = "`{function}` cannot be used like this: {reason}"
    unchecked = True


class WrongResult(Kind):
    """A return annotation promises another type than the result has.

    Broken:

    ```julia
    f(x::Real) :: Integer = x
    ```

    Fixed:

    ```julia
    f(x::Integer) :: Integer = x
    ```
    """

    code = "DP209"
    name = "wrong-result"
    message = "`{name}` is declared to return {declared}, but it returns {given}"
    unchecked = True


class NoMethod(Kind):
    """No method of a function takes arguments of these types.

    Broken:

    ```julia
    f(x::Vector{<:Real}) = x[1]
    f(x::Matrix{<:Real}) = x[1, 1]
    g(x::Real) = f(x)
    ```

    Fixed:

    ```julia
    f(x::Vector{<:Real}) = x[1]
    f(x::Matrix{<:Real}) = x[1, 1]
    g(x::Vector{<:Real}) = f(x)
    ```
    """

    code = "DP210"
    name = "no-method"
    message = "no method of `{name}` takes {given}"
    unchecked = True


class MayHaveNoMethod(Kind):
    """A method takes some of the values that an argument may have when the program runs, and there is none for the
    others: then Julia stops with a MethodError, which can be seen. The literal 2 is an Int, and no Float64; a Real may
    be either. Say of the argument's own parameter what it is, or let the function take every number.

    Broken:

    ```julia
    half(x::Float64) = x / 2
    f(x::Real) = half(x)
    ```

    Fixed:

    ```julia
    half(x::Float64) = x / 2
    f(x::Float64) = half(x)
    ```
    """

    code = "DP216"
    name = "may-have-no-method"
    message = (
        "{code.language} may find no method when the program runs: `{method}` does not accept every `{param}` that is "
        "{given}"
    )
    unchecked = True


class MayBeNoPosition(Kind):
    """A number that says which entry is meant may be stored as a float or as a Bool when the program runs, with which
    Julia does not index: it stops with an ArgumentError, which can be seen.

    Broken:

    ```julia
    f(v::MetricVector(Real, L1), x::Integer, y::Integer) = v[x * y]
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, L1), x::Integer, y::Integer) = v[1]
    ```
    """

    code = "DP217"
    name = "may-be-no-position"
    message = (
        "`{written}` may be a float or a Bool when the program runs, and {code.language} does not take that for a "
        "position"
    )
    unchecked = True


class NeedsTypes(Kind):
    """What a function does depends on the types of its parameters, and no types were found for which it can be
    reported.

    Broken:

    ```julia
    f(g, x) = abs(g(x)) + sum(g(x))
    ```

    Fixed:

    ```julia
    f(g, x) = abs(g(x))
    ```
    """

    code = "DP211"
    name = "needs-types"
    message = "`{name}` can only be reported for parameters of known types: annotate them"
    unchecked = True


class NotAsCalled(Kind):
    """A function has parameters without annotations, and what it does is not understood for what it is called with.

    Broken:

    ```julia
    total(v) = sum(map(x -> 2 * x, v))
    f(v::MetricVector(Real, Symmetric)) = total(v)
    ```

    Fixed:

    ```julia
    total(v) = sum(map(x -> 2 * x, v))
    f(v::MetricVector(Real, Symmetric)) = total(clamp(v, 0, 10))
    ```
    """

    code = "DP215"
    name = "not-as-called"
    message = "`{name}` cannot be called with this: {reason}"
    unchecked = True


class WhichFunction(Kind):
    """It is not known which function is called: it is one of several, and which one is decided when the program runs.

    Broken:

    ```julia
    function f(x::Real, c::Bool)
        g = c ? (y -> y) : (y -> 2 * y)
        g(x)
    end
    ```

    Fixed:

    ```julia
    f(x::Real, c::Static()) = c > 1 ? x : 2 * x
    ```
    """

    code = "DP212"
    name = "which-function"
    message = "`{written}` is one of several functions, and it is not known which: choose between their results instead"
    unchecked = True


class EndlessCalls(Kind):
    """A function calls a function that it is given, which calls one that it is given, and so on: the end of it was
    not found.

    Broken:

    ```julia
    f(x::Real) = (g -> g(g))(g -> g(g))
    ```

    Fixed:

    ```julia
    f(x::Real) = (g -> g(x))(y -> 2 * y)
    ```
    """

    code = "DP213"
    name = "endless-calls"
    message = "`{name}` is called by a function that it is given to, and these calls were not found to end"
    unchecked = True


class NumberTooLong(Kind):
    """A public number that is computed here has too many digits, or its formula too many terms, to be worked with.

    Broken:

    ```julia
    function f(x::Real)
        a = 1e300
        b = a * a * a * a
        c = b * b * b * b
        c * x
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        a = 1e40
        a * x
    end
    ```
    """

    code = "DP214"
    name = "number-too-long"
    message = "`{written}` is a number too long to be worked with"
    unchecked = True
