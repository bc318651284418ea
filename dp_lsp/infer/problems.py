"""Problems of types, sensitivity and privacy."""

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


class CallCycle(Kind):
    """A function calls itself, directly or through others. There is no rule for recursion.

    Broken:

    ```julia
    f(x::Real) = f(x)
    ```

    Fixed:

    ```julia
    function f(x::Real)
        y = x
        for i in 1:10
            y = y + 1
        end
        y
    end
    ```
    """

    code = "DP104"
    name = "recursion"
    message = "`{name}` calls itself ({way}); recursion is not understood, use a `for` loop"
    unchecked = True


class SeveralMethods(Kind):
    """A function has several methods. Which one runs is not decided yet by the checker.

    Broken:

    ```julia
    f(x::Integer) = x + 1
    f(x::Real) = x + 2
    ```

    Fixed:

    ```julia
    f(x::Integer) = x + 1
    g(x::Real) = x + 2
    ```
    """

    code = "DP110"
    name = "several-methods"
    message = "`{name}` has several methods, and choosing between them is not checked yet; give them different names"
    unchecked = True


class CallsUnchecked(Kind):
    """A function uses something that was not checked to the end, so nothing is known of it either.

    Broken:

    ```julia
    f(x::Real) = x ^ 2
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
    message = "`{function}` takes {wanted} here, and this is {given}"
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
    message = "`{function}` takes {wanted}, and {given} given here"
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
    message = "`{written}` must be a public {what} here; declare the parameter it comes from with `Static()`"


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
    message = "the arguments of `{function}` do not fit together: {reason}"
    unchecked = True


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
    function f(x::Real, y::Static()) :: Priv()
        gaussian_mechanism(10, 0.5, 1e-5, x * min(abs(y), 10) / y)
        gaussian_mechanism(1, 0.5, 1e-5, x)
    end
    ```
    """

    code = "DP302"
    name = "unbounded-input"
    message = "no noise hides `{written}`: a change of 1 in `{variable}` can move it by any amount, because of {cause}"


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
    message = "`{name}` is declared `Priv()`, but it runs no mechanism: add one, or remove `Priv()`"


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
    message = "`{name}` runs a mechanism ({mechanism}), so its result is random: declare it with `:: Priv()`"


class NoGuarantee(Kind):
    """The total δ is 1 or more. Any program is (ε, 1)-private: this is no guarantee at all.

    Broken:

    ```julia
    function f(x::Integer) :: Priv()
        y = 0.0
        for i in 1:5
            y = y + gaussian_mechanism(1, 0.1, 0.2, x)
        end
        y
    end
    ```

    Fixed:

    ```julia
    function f(x::Integer) :: Priv()
        y = 0.0
        for i in 1:5
            y = y + gaussian_mechanism(1, 0.1, 1e-6, x)
        end
        y
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
    message = "`{name}` is declared to return {declared}, and it returns {given}"
    unchecked = True


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
    message = "whether this `@assert` fails depends on `{variable}`, and a failing run can be observed"
    unchecked = True


class NoBound(Kind):
    """A function declared private guarantees nothing for one of its parameters.

    Broken:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x)
        laplacian_mechanism(1, 0.5, x * y)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x)
        laplacian_mechanism(1, 0.5, y)
    end
    ```
    """

    code = "DP406"
    name = "no-bound"
    message = (
        "`{name}` is declared `Priv()`, and nothing is guaranteed for `{variable}`; if it is public, use `Static()`"
    )
