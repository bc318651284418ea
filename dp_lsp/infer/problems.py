"""Kinds of problems that inference reports: of names and types, of sensitivities and privacy, and of known mistakes
that are behind them."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class UnknownName(Kind):
    """A name is read that nothing defines before it.

    Broken:

    ```julia
    f(x::Real) = x + y
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(age) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    f(x::Real, y::Real) = x + y
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP101"
    name = "unknown-name"
    message = "`{name}` {why}"
    unchecked = True
    unsupported = True


class SeveralMethods(Kind):
    """Which method of a function runs depends on the value of an argument, or no method is more specific than all
    others that take the arguments, which is an error. A Real number may be an integer when the program runs, and then
    Julia takes the method for integers: the choice would tell which it is.

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
    message = "{which}: {methods} {fit}; {instead}"
    unchecked = True
    unsupported = True


class CallsUnchecked(Kind):
    """A function uses something that was not checked to the end, so nothing is known of it either.

    Broken:

    ```julia
    f(x::Real) = x isa Real
    g(x::Real) = f(x)
    ```

    ```python
    from typing import Annotated

    from dp_types import Within


    def double(x: Annotated[float, Within()]):
        return 2 * (x or 5)


    def twice(x: Annotated[float, Within()]):
        return 2 * double(x)
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    g(x::Real) = f(x)
    ```

    ```python
    from typing import Annotated

    from dp_types import Within


    def double(x: Annotated[float, Within()]):
        return 2 * x


    def twice(x: Annotated[float, Within()]):
        return 2 * double(x)
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
    f(x::Real) = prod([x, x])
    ```

    ```python
    from typing import Annotated

    import numpy as np
    import pandas as pd
    from dp_types import AddRemove, Bounded, Private, Static


    def total(ages: Annotated[pd.Series, AddRemove(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return pd.sum(ages) + np.random.laplace(scale=120 / eps)
    ```

    Fixed:

    ```julia
    f(x::Real) = clamp(x, 0, 100) / 10
    ```

    ```python
    from typing import Annotated

    import numpy as np
    import pandas as pd
    from dp_types import AddRemove, Bounded, Private, Static


    def total(ages: Annotated[pd.Series, AddRemove(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return ages.sum() + np.random.laplace(scale=120 / eps)
    ```
    """

    code = "DP113"
    name = "no-rule"
    cause = "no rule for `{name}`"
    message = "there is no rule for `{name}`: no bound on how far it moves has been proved, so it cannot be used here"
    unchecked = True
    unsupported = True


class NoField(Kind):
    """A value has no part of this name, or it is not known of which type the value is.

    Broken:

    ```julia
    function f(x::Real)
        limits = (low = 0, high = 10)
        clamp(x, limits.low, limits.top)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        limits = (low = 0, high = 10)
        clamp(x, limits.low, limits.high)
    end
    ```
    """

    code = "DP151"
    name = "no-field"
    message = "there is no `{name}` in {given}"
    unchecked = True
    unsupported = True


class NoKeyword(Kind):
    """A call gives an argument by a name that is none of the function's, gives it twice, or gives one by name to a
    function that is not known here.

    Broken:

    ```julia
    f(x::Real; scale::Static() = 2) = scale * x
    g(x::Real) = f(x; factor = 3)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), sensitivity=1, eps=eps)
    ```

    Fixed:

    ```julia
    f(x::Real; scale::Static() = 2) = scale * x
    g(x::Real) = f(x; scale = 3)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), sensitivity=1, epsilon=eps)
    ```
    """

    code = "DP148"
    name = "no-keyword"
    message = "`{function}` takes no argument `{name}` by name here"
    unchecked = True


class NoArgument(Kind):
    """A call leaves out an argument that must be given by its name.

    Broken:

    ```julia
    f(x::Real; scale::Static()) = scale * x
    g(x::Real) = f(x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, *, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), sensitivity=1)
    ```

    Fixed:

    ```julia
    f(x::Real; scale::Static()) = scale * x
    g(x::Real) = f(x; scale = 3)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, *, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), sensitivity=1, epsilon=eps)
    ```
    """

    code = "DP149"
    name = "no-argument"
    message = "`{function}` must be given `{name}`, by that name: it has no default value"
    unchecked = True


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


class WrongArgument(Kind):
    """A builtin or function is given something else than it takes.

    Broken:

    ```julia
    f(m::Matrix{<:Data}) = length(1)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def counts(ages: Annotated[list, AddRemove()], eps: Static[float], k: Static[float]) -> Private:
        total = 0.0
        for i in range(k):
            total += len(ages) + np.random.laplace(scale=k / eps)
        return total / k
    ```

    Fixed:

    ```julia
    f(v::Vector{<:Data}) = length(v)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def counts(ages: Annotated[list, AddRemove()], eps: Static[float], k: Static[int]) -> Private:
        total = 0.0
        for i in range(k):
            total += len(ages) + np.random.laplace(scale=k / eps)
        return total / k
    ```
    """

    code = "DP202"
    name = "wrong-argument"
    cause = "`{function}` takes {wanted}, not {given}"
    message = "`{function}` takes {wanted} here, but this is {given}"
    unchecked = True


class WrongCount(Kind):
    """A call has too many or too few arguments.

    Broken:

    ```julia
    f(v::Vector{<:Data}) = length(v, v)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, scale):
        return v + np.random.laplace(scale=scale)


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), 1, eps)
    ```

    Fixed:

    ```julia
    f(v::Vector{<:Data}) = length(v)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, scale):
        return v + np.random.laplace(scale=scale)


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), 1 / eps)
    ```
    """

    code = "DP203"
    name = "wrong-count"
    message = "`{function}` takes {wanted}, but {given} given here"
    unchecked = True


class OtherNorm(Kind):
    """The input of a mechanism is measured in a smaller norm than its noise is made for. The bound pays the factor
    between the two norms: the root of the length from L2 to L1.

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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def count(ages: Annotated[list, AddRemove()], eps: float) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    function f(eps::Static(), x::Real) :: Priv()
        laplacian_mechanism(1, eps, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP207"
    name = "must-be-public"
    cause = "`{written}` is not public"
    message = "`{written}` must be a public {what} here; {instead}"


class DoesNotFit(Kind):
    """Values that must fit together do not: another kind, norm or size, or Data next to real numbers.

    Broken:

    ```julia
    f(v::MetricVector(Real, L1), w::MetricVector(Real, L2)) = v + w
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(incomes: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return incomes.sum() + np.random.laplace(scale=1e5 / eps)
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, L1), w::MetricVector(Real, L1)) = v + w
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(incomes: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return incomes.clip(0, 1e5).sum() + np.random.laplace(scale=1e5 / eps)
    ```
    """

    code = "DP208"
    name = "does-not-fit"
    cause = "{reason}"
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


class ResultNorm(Kind):
    """A function is declared to return something measured in one norm, and returns something measured in a smaller one,
    in which values may be closer together. `norm_convert` says the price; the other way it costs nothing, and is done
    without being asked.

    Broken:

    ```julia
    f(v::MetricVector(Real, L2)) :: MetricVector(Real, L1) = 2 * v
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, L2)) :: MetricVector(Real, L1) = norm_convert(L1, 2 * v)
    ```
    """

    code = "DP218"
    name = "result-norm"
    message = "`{name}` is declared to return {declared}, but {known}"
    unchecked = True


class ResultBounds(Kind):
    """A function is declared to return numbers between bounds, and it was not proved that they lie there. Who calls it
    may add them up, and rely on how far each is from 0.

    Broken:

    ```julia
    f(x::Real) :: Bounded(Real, 0, 1) = x
    ```

    Fixed:

    ```julia
    f(x::Real) :: Bounded(Real, 0, 1) = clamp(x, 0, 1)
    ```
    """

    code = "DP219"
    name = "result-bounds"
    message = "`{name}` is declared to return {declared}, but {known}"
    unchecked = True


class ResultRows(Kind):
    """A function is declared to return rows of a limited norm, and it was not proved that they are. Who calls it may
    add them up, and rely on how far one row moves the sum.

    Broken:

    ```julia
    f(m::MetricMatrix(Real, Symmetric)) :: MetricMatrix(Real, Symmetric, RowNorm(L2, 1)) = m
    ```

    Fixed:

    ```julia
    f(m::MetricMatrix(Real, Symmetric)) :: MetricMatrix(Real, Symmetric, RowNorm(L2, 1)) = clip(L2, 1, m)
    ```
    """

    code = "DP220"
    name = "result-rows"
    message = "`{name}` is declared to return {declared}, but {known}"
    unchecked = True


class ResultCount(Kind):
    """A function is declared to return so many records, or so many at least, and it was not proved that there are. Who
    calls it may divide by their number.

    Broken:

    ```julia
    f(v::MetricVector(Real, Symmetric)) :: MetricVector(Real, Symmetric, AtLeast(10)) = v
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, Symmetric, AtLeast(10))) :: MetricVector(Real, Symmetric, AtLeast(10)) = v
    ```
    """

    code = "DP221"
    name = "result-count"
    message = "`{name}` is declared to return {declared}, but {known}"
    unchecked = True


class SmallerNorm(Kind):
    """Something is measured in one norm where a smaller one is wanted. Nothing is further apart in that, so it is taken
    as it is, and this costs nothing. Where the smaller norm is declared from the start, less noise may be enough.

    Broken:

    ```julia
    g(v::MetricVector(Real, L2)) = 2 * v
    f(v::MetricVector(Real, L1)) = g(v)
    ```

    Fixed:

    ```julia
    g(v::MetricVector(Real, L2)) = 2 * v
    f(v::MetricVector(Real, L2)) = g(v)
    ```
    """

    code = "DP222"
    name = "smaller-norm"
    severity = Severity.INFORMATION
    message = "`{written}` is measured in {given}, and taken as measured in {wanted}, which costs nothing"


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

    ```python
    import numpy as np
    from dp_types import Private, Static


    def mean_age(ages: np.ndarray, eps: Static[float]) -> Private:
        return np.mean(ages) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    f(g, x) = abs(g(x))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Bounded, ChangeOne, Private, Static


    def mean_age(ages: Annotated[np.ndarray, ChangeOne(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return np.mean(ages) + np.random.laplace(scale=120 / len(ages) / eps)
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

    ```python
    from typing import Annotated

    from dp_types import AddRemove, Bounded


    def doubled(x):
        return x + 1


    def total(ages: Annotated[list, AddRemove(), Bounded(0, 120)]):
        return sum(doubled(ages))
    ```

    Fixed:

    ```julia
    total(v) = sum(map(x -> 2 * x, v))
    f(v::MetricVector(Real, Symmetric)) = total(clamp(v, 0, 10))
    ```

    ```python
    from typing import Annotated

    from dp_types import AddRemove, Bounded


    def doubled(x):
        return x + 1


    def total(ages: Annotated[list, AddRemove(), Bounded(0, 120)]):
        return sum(doubled(a) for a in ages)
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


class TooSensitive(Kind):
    """The noise of a mechanism is made for a smaller change than its input can make.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x + x)
    end
    ```

    ```python
    from typing import Annotated

    import diffprivlib as dpl
    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        mechanism = dpl.mechanisms.Laplace(epsilon=eps, sensitivity=1)
        return mechanism.randomise(np.sum(np.clip(ages, 0, 120)))
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(2, 0.5, 1e-5, x + x)
    end
    ```

    ```python
    from typing import Annotated

    import diffprivlib as dpl
    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        mechanism = dpl.mechanisms.Laplace(epsilon=eps, sensitivity=120)
        return mechanism.randomise(np.sum(np.clip(ages, 0, 120)))
    ```
    """

    code = "DP301"
    name = "too-sensitive"
    refutable = True
    cause = "noise for {declared}, sensitivity {inferred}"
    message = "the noise hides a change of {declared}, but `{written}` can change by {inferred}{nevertheless}"


class UnboundedInput(Kind):
    """The input of a mechanism has no bound on how far it moves, so no noise hides it. Where it is only known to jump,
    as what is rounded and comparisons of real numbers do however little these change, some noise may: then it is not
    known, and not wrong.

    Broken:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x * y)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Private, Static, Within


    def scaled(x: Annotated[float, Within()], eps: Static[float]) -> Private:
        return x * x + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    function f(x::Real, y::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x + y)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Private, Static, Within


    def scaled(x: Annotated[float, Within()], eps: Static[float]) -> Private:
        y = np.clip(x, 0, 1)
        return y * y + np.random.laplace(scale=2 / eps)
    ```
    """

    code = "DP302"
    name = "unbounded-input"
    cause = "`{written}` has unbounded sensitivity in `{variable}`"
    message = "no noise {hides} `{written}`: {how}{because}"


class Unbounded(Kind):
    """A result has no bound on how far it moves when a parameter changes.

    Broken:

    ```julia
    f(x::Real) = disc(x)
    ```

    ```python
    from typing import Annotated

    from dp_types import Within


    def square(x: Annotated[float, Within()]):
        return x * x
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Within


    def square(x: Annotated[float, Within()]):
        y = np.clip(x, 0, 10)
        return y * y
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 120, 0)) + np.random.laplace(scale=120 / eps)
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        gaussian_mechanism(1, 0.5, 1e-5, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 0, 120)) + np.random.laplace(scale=120 / eps)
    ```
    """

    code = "DP304"
    name = "condition-fails"
    cause = "`{condition}` does not hold"
    message = "{reason}, and `{condition}` does not hold"


class HollowCondition(Kind):
    """A private function is proved under a condition that no large dataset satisfies, whatever the public numbers are,
    or that contradicts another condition: nobody could use it.

    Broken:

    ```julia
    f(v::MetricVector(Real, LInf), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, sum(v))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import ChangeOne, Private, RowNorm, Rows, Static


    def noisy_rows(X: Annotated[np.ndarray, ChangeOne(), Rows(3), RowNorm(1)], sigma: Static[float]) -> Private:
        return X.sum(axis=0) + np.random.normal(0, sigma, size=len(X))
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Bounded(Real, 0, 9), ChangeOne), eps::Static()) :: Priv() = laplacian_mechanism(9, eps, sum(v))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import ChangeOne, Private, RowNorm, Rows, Static


    def noisy_rows(X: Annotated[np.ndarray, ChangeOne(), Rows(3), RowNorm(1)], sigma: Static[float]) -> Private:
        return X.sum(axis=0) + np.random.normal(0, sigma, size=3)
    ```
    """

    code = "DP310"
    name = "hollow-condition"
    cause = "`{condition}` {fails}"
    message = "`{name}` {holds}: {reason}, and `{condition}` {fails}"


class NotCertain(Kind):
    """A condition speaks of a public number that is another one in each run, round or call, such as a released one. It
    must hold for all that this number may be: what cannot be left to chance is not left to you, either.

    Broken:

    ```julia
    function f(v::MetricVector(Real, Symmetric)) :: Priv()
        b = laplacian_mechanism(1, 0.5, length(v))
        laplacian_mechanism(b, 0.5, sum(clamp(v, 0, b)))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def counts(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        first = len(ages) + np.random.laplace(scale=1 / eps)
        return len(ages) + np.random.laplace(scale=first)
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Real, Symmetric)) :: Priv()
        b = max(1, laplacian_mechanism(1, 0.5, length(v)))
        laplacian_mechanism(b, 0.5, sum(clamp(v, 0, b)))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def counts(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        first = len(ages) + np.random.laplace(scale=1 / eps)
        return len(ages) + np.random.laplace(scale=np.clip(first, 1, 100))
    ```
    """

    code = "DP308"
    name = "not-certain"
    cause = "`{condition}` is not certain"
    message = "{reason}, and `{condition}` is not certain: `{names}` is known only when the program runs{why}"


class MoreNoise(Kind):
    """The noise hides a larger change than there can be. What is released is then more private than ε says, and less
    accurate than it could be: with noise for the change that there is, ε is what is declared.

    It may be as it is on purpose. To say so, declare a smaller ε with the smaller change.

    Broken:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(10, 0.5, x)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP309"
    name = "more-noise"
    severity = Severity.HINT
    message = (
        "the noise hides a change of {declared}, but `{written}` can change by no more than {inferred}: that is "
        "{times} times as much noise as is needed"
    )


class PrivateCheck(Kind):
    """An `@assert` in a private function depends on private data. Whether the run fails would tell something about it.

    Broken:

    ```julia
    function f(x::Integer) :: Priv()
        @assert x == 1
        laplacian_mechanism(1, 0.5, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        if len(ages) < 10:
            raise ValueError("too few")
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    function f(x::Integer, n::Static(Integer)) :: Priv()
        @assert n == 1
        laplacian_mechanism(1, 0.5, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        noisy = len(ages) + np.random.laplace(scale=1 / eps)
        if noisy < 10:
            raise ValueError("too few")
        return noisy
    ```
    """

    code = "DP305"
    name = "private-check"
    message = "whether the run fails here depends on `{variable}`, and a failing run can be observed"


class PrivateMessage(Kind):
    """What is said where a run of a private function fails shows private data. Whoever sees the run fail reads it.

    Broken:

    ```julia
    function f(x::Real, n::Static(Integer)) :: Priv()
        @assert n > 0 "n is $n, and x is $x"
        laplacian_mechanism(1, 0.5, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        n = len(ages)
        if eps <= 0:
            raise ValueError(f"no noise for {n} people")
        return n + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    function f(x::Real, n::Static(Integer)) :: Priv()
        @assert n > 0 "n is $n"
        laplacian_mechanism(1, 0.5, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        n = len(ages)
        if eps <= 0:
            raise ValueError("eps must be positive")
        return n + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP307"
    name = "private-message"
    message = "what is said here where the run fails depends on `{variable}`, and a failing run can be observed"


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
    cause = "sensitivity {moves}, its comment says {most}"
    message = "`{name}` moves by up to {moves} when `{variable}` moves by 1{over}, but its comment says at most {most}"


class NoMechanism(Kind):
    """A function claims to be private, returns something that is not, and runs no mechanism. (One whose value moves
    with nothing private costs nothing.)

    Broken:

    ```julia
    f(x::Real) :: Priv() = 2 * x
    ```

    ```python
    from typing import Annotated

    from dp_types import AddRemove, Private


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP401"
    name = "no-mechanism"
    cause = "no mechanism"
    message = "`{name}` is declared `{code.private}`, but it runs no mechanism: add one, or remove `{code.private}`"


class ProtectsNumbers(Kind):
    """A private function has a parameter of numbers that is measured by a norm. Its neighbours are at most 1 apart, so
    it hides a change by 1. That does not hide a person: who is replaced by somebody else may change a number by any
    amount. Declare the records: `MetricVector(Real, ChangeOne)`, where one record is replaced, or
    `MetricVector(Real, Symmetric)`, where one is added or removed; how far a statistic can move is then known once the
    records are clamped.

    Broken:

    ```julia
    total(ages::MetricVector(Real, L1), eps::Static()) :: Priv() = laplacian_mechanism(1, eps, sum(ages))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Private, Static, Within


    def noisy(scores: Annotated[np.ndarray, Within("L1")], eps: Static[float]) -> Private:
        return np.sum(scores) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    total(ages::MetricVector(Real, ChangeOne), eps::Static()) :: Priv() =
        laplacian_mechanism(100, eps, sum(clamp(ages, 0, 100)))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def noisy(scores: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(scores, 0, 1)) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP451"
    name = "protects-numbers"
    severity = Severity.WARNING
    message = (
        "`{name}` hides a change of `{parameter}` by at most 1{norm}, not a person:"
        " another record may change it by more"
    )


class WhomItProtects(Kind):
    """A private function has a parameter without annotation, and whom the function protects depends on its type. With
    `MetricVector(Real, ChangeOne)` one record is replaced, with `MetricVector(Real, Symmetric)` one is added or
    removed, and with `Vector{<:Real}` numbers change by at most 1.

    Broken:

    ```julia
    total(ages, eps) :: Priv() = laplacian_mechanism(1, eps, sum(ages))
    ```

    ```python
    import numpy as np
    from dp_types import Private, Static


    def total(ages: np.ndarray, eps: Static[float]) -> Private:
        return np.clip(ages, 0, 120).sum() + np.random.laplace(scale=120 / eps)
    ```

    Fixed:

    ```julia
    total(ages::MetricVector(Real, Symmetric), eps::Static()) :: Priv() =
        laplacian_mechanism(100, eps, sum(clamp(ages, 0, 100)))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.clip(ages, 0, 120).sum() + np.random.laplace(scale=120 / eps)
    ```
    """

    code = "DP452"
    name = "whom-it-protects"
    cause = "nothing says what the neighbours of `{parameter}` are"
    message = "whom does `{name}` protect? Nothing says what the neighbours of `{parameter}` are: annotate it"
    unchecked = True


class NoLargestPrice(Kind):
    """What a mechanism costs depends on a public number that is another one in each run, round or call, such as a
    released one, and nothing bounds that. A price that is not known before the program runs adds up with no other one.

    Broken:

    ```julia
    function f(v::MetricVector(Real, Symmetric)) :: Priv()
        e = max(0.1, laplacian_mechanism(1, 0.5, length(v)))
        laplacian_mechanism(1, e, length(v))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        high = max(len(ages) + np.random.laplace(scale=1 / eps), 1)
        return np.sum(np.clip(ages, 0, high)) + np.random.laplace(scale=100 / eps)
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Real, Symmetric)) :: Priv()
        e = clamp(laplacian_mechanism(1, 0.5, length(v)), 0.1, 1)
        laplacian_mechanism(1, e, length(v))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        high = np.clip(len(ages) + np.random.laplace(scale=1 / eps), 1, 100)
        return np.sum(np.clip(ages, 0, high)) + np.random.laplace(scale=high / eps)
    ```
    """

    code = "DP407"
    name = "no-largest-price"
    cause = "nothing bounds what it costs"
    message = (
        "what this costs ({mechanism}) depends on `{names}`, which is known only when the program runs, and nothing "
        "bounds the price: keep it between two numbers with `clamp`"
    )


class NotDeclaredPrivate(Kind):
    """A function runs a mechanism and is not declared private.

    Broken:

    ```julia
    f(x::Real) = laplacian_mechanism(1, 0.5, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]):
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP402"
    name = "not-declared-private"
    cause = "not declared `{code.returns_private}`"
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
    cause = "δ {delta}"
    message = "the total δ of `{name}` in `{variable}` is {delta}: a δ of 1 or more is no guarantee at all"


class LeavesUnprotected(Kind):
    """A function declared private returns, or carries on, a value that still depends on a protected parameter.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        y = laplacian_mechanism(1, 0.5, x)
        x + y
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Private, Within


    def total(x: Annotated[float, Within()], y: Annotated[float, Within()]) -> Private:
        return x + np.random.laplace(scale=1) + y
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        y = laplacian_mechanism(1, 0.5, x)
        2 * y
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Private, Within


    def total(x: Annotated[float, Within()], y: Annotated[float, Within()]) -> Private:
        return x + y + np.random.laplace(scale=1)
    ```
    """

    code = "DP404"
    name = "leaves-unprotected"
    cause = "{what} still depends on `{variable}`"
    message = "{what} still depends on `{variable}`, and no mechanism has hidden it: {consequence}"


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
    cause = "`{function}` reveals what it selects from data"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def positive(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        noisy = len(ages) + np.random.laplace(scale=1 / eps)
        while noisy < 0:
            noisy = len(ages) + np.random.laplace(scale=1 / eps)
        return noisy
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def positive(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        noisy = len(ages) + np.random.laplace(scale=1 / eps)
        return max(noisy, 0)
    ```
    """

    code = "DP405"
    name = "not-repeatable"
    cause = "how often it releases is not public"
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
    cause = "nothing is guaranteed for `{variable}`"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    # dp: budget ε <= 1 where eps = 1
    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 0, 120)) + np.random.laplace(scale=100 / eps)
    ```

    Fixed:

    ```julia
    # dp: budget ε <= 0.5
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    # dp: budget ε <= 1 where eps = 1
    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 0, 120)) + np.random.laplace(scale=120 / eps)
    ```
    """

    code = "DP413"
    name = "budget-missed"
    cause = "budget: {missed}"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        if len(ages) > 10:
            return len(ages) + np.random.laplace(scale=1 / eps)
        return 0
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        noisy = len(ages) + np.random.laplace(scale=1 / eps)
        if noisy > 10:
            return noisy
        return 0
    ```
    """

    code = "DP429"
    name = "private-branch"
    cause = "which branch runs depends on private `{variable}`"
    message = (
        "which branch runs depends on private `{variable}`, and the result {reveals} it: decide by a value that a "
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
    cause = "`{written}` is one record"
    message = "`{written}` takes the record at one position, and {because} ({relation}): {remedy}"


class MoreThanAdded(Kind):
    """A loop goes over the records of a dataset in which they stand in no order (Symmetric, ChangeOne) or at no places
    (InsertDelete), and its rounds do more than add something up. What is added up is the same in any order; what else a
    round makes of what the rounds before it have left may be anything.

    Broken:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv()
        s = 0.0
        for x in v
            s = s / 2 + x
        end
        laplacian_mechanism(10, eps, s)
    end
    ```

    ```python
    from typing import Annotated

    from dp_types import AddRemove, Bounded


    def products(ages: Annotated[list, AddRemove(), Bounded(0, 1)]):
        total = 0
        for age in ages:
            total = total * age + 1
        return total
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), ChangeOne), eps::Static()) :: Priv()
        s = 0.0
        for x in v
            s += x / 2
        end
        laplacian_mechanism(5, eps, s)
    end
    ```

    ```python
    from typing import Annotated

    from dp_types import AddRemove, Bounded


    def products(ages: Annotated[list, AddRemove(), Bounded(0, 1)]):
        total = 0
        for age in ages:
            total += age
        return total
    ```
    """

    code = "DP439"
    name = "more-than-added"
    message = (
        "a loop over the records of `{dataset}` cannot be proved private where {because}, and records are at no places "
        "({relation}): {instead}; where places count, declare `Hamming`"
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
    cause = "`{written}` is private, only its position was released"
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
    cause = "noise for {declared}, a query has sensitivity {inferred}"
    message = (
        "a query can change by {inferred} with `{variable}`, but the noise of `{mechanism}` hides a change of "
        "{declared}{nevertheless}"
    )


class NoiseApart(Kind):
    """Noise was drawn on its own and is added to a private value. Only a mechanism that is given the value hides it:
    noise that is drawn once is the same for all that it is added to, so their differences are exact. In Python a draw
    hides what it is added to, in one addition and as it is drawn. What it hides that is used otherwise (rounded, summed
    with another one, taken from a list) is not known, so nothing is claimed of the function.

    Broken:

    ```julia
    function f(v::MetricVector(Real, L1)) :: Priv()
        noise = laplacian_mechanism(1, 0.5, 0.0)
        map(x -> x + noise, v)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + abs(np.random.laplace(scale=1 / eps))
    ```

    Fixed:

    ```julia
    f(v::MetricVector(Real, L1)) :: Priv() = laplacian_mechanism(1, 0.5, v)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return abs(len(ages) + np.random.laplace(scale=1 / eps))
    ```
    """

    code = "DP433"
    name = "noise-apart"
    cause = "noise {what}, beside private `{variable}`"
    message = "`{noise}` is noise {what}, {so} of private `{variable}`: {instead}"


class DrawReused(Kind):
    """Noise is drawn once and used several times. A draw hides what it is added to if that is its only use: of two
    values with the same noise the difference is exact, and noise that is printed can be taken off again.

    Broken:

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def counts(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        noise = np.random.laplace(scale=2 / eps)
        return np.sum(ages > 40) + noise, np.sum(ages > 65) + noise
    ```

    Fixed:

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def counts(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        noise = np.random.laplace(scale=2 / eps)
        return np.sum(ages > 40) + noise, np.sum(ages > 65) + np.random.laplace(scale=2 / eps)
    ```
    """

    code = "DP458"
    name = "draw-reused"
    message = (
        "`{noise}` is drawn once and used {often}, so it hides nothing of private `{variable}`: draw it anew each time"
    )


class PrivateOutput(Kind):
    """A private value is printed. Whoever sees the output sees the value, however private the result is. Print what a
    mechanism has released.

    Broken:

    ```julia
    function f(x::Real) :: Priv()
        println(x)
        laplacian_mechanism(1, 0.5, x)
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        n = len(ages)
        print(f"{n} people")
        return n + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    function f(x::Real) :: Priv()
        released = laplacian_mechanism(1, 0.5, x)
        println(released)
        released
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        noisy = len(ages) + np.random.laplace(scale=1 / eps)
        print(f"about {noisy} people")
        return noisy
    ```
    """

    code = "DP434"
    name = "private-output"
    cause = "`{written}` shows private `{variable}`"
    message = (
        "`{written}` shows private `{variable}` to whoever sees the output: release it by a mechanism first, "
        "or leave this out"
    )


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
    cause = "noise that is not accounted for: `{written}`"
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
    cause = "`{written}` is a sum already when it is clipped"
    message = "`{written}` is a sum already when it is clipped: {instead}"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        clipped = np.clip(ages, 0, 120)
        return np.sum(ages) + np.random.laplace(scale=120 / eps)
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Data, LInf)) :: Priv()
        c = clip(L2, v)
        gaussian_mechanism(2, 0.5, 1e-5, undisc_container(c))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        clipped = np.clip(ages, 0, 120)
        return np.sum(clipped) + np.random.laplace(scale=120 / eps)
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, AtLeast, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove(), AtLeast(1)], eps: Static[float]) -> Private:
        high = np.max(ages)
        return np.sum(np.clip(ages, 0, high)) + np.random.laplace(scale=high / eps)
    ```

    Fixed:

    ```julia
    function f(x::Real, y::Real, b::Static()) :: Priv()
        laplacian_mechanism(1, 0.5, clamp(y, 0, b))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, AtLeast, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove(), AtLeast(1)], eps: Static[float]) -> Private:
        high = 120
        return np.sum(np.clip(ages, 0, high)) + np.random.laplace(scale=high / eps)
    ```
    """

    code = "DP421"
    name = "bound-from-data"
    cause = "the {what} `{written}` {private}"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / len(ages))
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric)) :: Priv()
        laplacian_mechanism(10, 0.5, sum(v)) / laplacian_mechanism(1, 0.5, length(v))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP422"
    name = "private-count"
    cause = "`{count}` is private, because a record may be {changed}"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Bounded, Private, Static


    def spread(ages: Annotated[np.ndarray, AddRemove(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return np.var(ages) + np.random.laplace(scale=100 / eps)
    ```

    Fixed:

    ```julia
    function f(v::MetricVector(Bounded(Real, 0, 10), Symmetric, AtLeast(99))) :: Priv()
        laplacian_mechanism(10 / 100, 0.5, mean(v))
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, AtLeast, Bounded, Private, Static


    def spread(ages: Annotated[np.ndarray, AddRemove(), AtLeast(100), Bounded(0, 120)], eps: Static[float]) -> Private:
        return np.var(ages) + np.random.laplace(scale=120**2 / 100 / eps)
    ```
    """

    code = "DP423"
    name = "unknown-count"
    cause = "how far `{written}` moves depends on how many records there are, which is private"
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=0)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = gaussian_noise(1, 4, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP426"
    name = "no-noise"
    cause = "no noise: `{scale}` is 0"
    message = "`{scale}` is 0, so no noise is added to `{written}`"


class InvertedNoise(Kind):
    """The noise grows with ε. A larger ε permits a larger privacy loss and needs less noise, so the scale of noise is
    sensitivity/ε, never ε/sensitivity. The cost that is reported is right all the same; it is hardly what was meant.

    Broken:

    ```julia
    f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(eps, 1, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=eps)
    ```

    Fixed:

    ```julia
    f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP427"
    name = "inverted-noise"
    severity = Severity.WARNING
    message = (
        "a larger `{symbol}` adds more noise here, and should add less: `{written}` is the `{argument}` of `{call}`"
    )


class SwappedArguments(Kind):
    """The sensitivity and the ε of a mechanism were given in each other's place: the noise is made for a change that is
    much too small and a privacy loss that is much too large, and would be enough the other way round.

    Broken:

    ```julia
    function f(ages::MetricVector(Bounded(Real, 0, 100), Symmetric)) :: Priv()
        laplacian_mechanism(0.5, 100, sum(ages))
    end
    ```

    Fixed:

    ```julia
    function f(ages::MetricVector(Bounded(Real, 0, 100), Symmetric)) :: Priv()
        laplacian_mechanism(100, 0.5, sum(ages))
    end
    ```
    """

    code = "DP453"
    name = "swapped-arguments"
    refutable = True
    cause = "noise for {declared}, sensitivity {inferred}: swapped arguments"
    message = (
        "the noise is made for a sensitivity of {declared} and ε {epsilon}, and `{written}` has sensitivity"
        " {inferred}: these arguments are swapped; write `{call}`"
    )


class NoiseOnRecords(Kind):
    """A mechanism is given a dataset. Noise is added to a statistic of it, such as the number of its records, which
    moves little with each of them.

    Broken:

    ```julia
    f(labels::MetricVector(Data, Symmetric)) :: Priv() = laplacian_mechanism(1, 0.5, labels)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Bounded, Private, Static


    def released(ages: Annotated[np.ndarray, AddRemove(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return ages + np.random.laplace(scale=120 / eps, size=len(ages))
    ```

    Fixed:

    ```julia
    f(labels::MetricVector(Data, Symmetric)) :: Priv() = laplacian_mechanism(1, 0.5, length(labels))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Bounded, Private, Static


    def released(ages: Annotated[np.ndarray, AddRemove(), Bounded(0, 120)], eps: Static[float]) -> Private:
        return np.sum(ages) + np.random.laplace(scale=120 / eps)
    ```
    """

    code = "DP455"
    name = "noise-on-records"
    cause = "noise on the records of `{written}`"
    message = "`{written}` holds the records themselves: add noise to a statistic, such as {statistics}"
    unchecked = True


class ReturnsRecords(Kind):
    """A private function returns records: the dataset itself, those of its records that a filter keeps, or what a
    function makes of each of them. Whoever sees that sees each of them, so nothing that is returned with it, and no
    noise elsewhere, makes the function private. What can be private is a statistic of them, with noise.

    Broken:

    ```julia
    adults(ages::MetricVector(Real, ChangeOne)) :: Priv() = filter(a -> a >= 18, ages)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def adults(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        noisy = len(ages) + np.random.laplace(scale=1 / eps)
        return noisy, ages[ages >= 18]
    ```

    Fixed:

    ```julia
    adults(ages::MetricVector(Real, ChangeOne)) :: Priv() = laplacian_mechanism(1, 0.5, count(a -> a >= 18, ages))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def adults(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(ages >= 18) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP459"
    name = "returns-records"
    cause = "returns the records of `{variable}`"
    message = (
        "`{name}` cannot be private, because it returns {what} of `{variable}`, and whoever sees the result sees each"
        " one: return a statistic with noise instead, such as {statistics}"
    )


class LargeEpsilon(Kind):
    """The ε of a mechanism is above 10. An outcome may be e^ε times as likely with a record as without it; for ε = 10
    that is 22,000 times, so hardly anything is hidden. Usual are values up to 1.

    Broken:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 20, x)
    ```

    Fixed:

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP454"
    name = "large-epsilon"
    severity = Severity.HINT
    message = "ε {epsilon} hides hardly anything of a record: usual are values up to 1"


class SmallScale(Kind):
    """The scale of noise is a sensitivity divided by an ε, and the value that it is added to moves further than that
    sensitivity. Noise that is given by its scale costs the distance over the scale, so the release costs more than
    that ε: what it really costs is what is claimed.

    A mean of n numbers in [0, 120] has sensitivity 120/n if one is replaced, a sum of them 120.

    Broken:

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 0, 120)) + np.random.laplace(scale=1 / eps)
    ```

    ```julia
    function f(ages::MetricVector(Bounded(Real, 0, 120), Symmetric), eps::Static()) :: Priv()
        add_laplace(1 / eps, sum(ages))
    end
    ```

    Fixed:

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 0, 120)) + np.random.laplace(scale=120 / eps)
    ```

    ```julia
    function f(ages::MetricVector(Bounded(Real, 0, 120), Symmetric), eps::Static()) :: Priv()
        add_laplace(120 / eps, sum(ages))
    end
    ```
    """

    code = "DP456"
    name = "small-scale"
    severity = Severity.WARNING
    cause = "noise for sensitivity {declared}, sensitivity {inferred}: ε is {cost}, not {epsilon}"
    message = (
        "`{written}` has sensitivity {inferred}, and the scale of its noise is made for {declared}: this costs ε"
        " {cost}, not {epsilon}"
    )


class HelperMisled(Kind):
    """A helper that draws noise is told a sensitivity and an ε, and the value that it is given moves further than that
    sensitivity. The release costs more than the ε that the call says; what it really costs is shown with the function.

    Broken:

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(np.sum(np.clip(ages, 0, 120)), 1, eps)
    ```

    Fixed:

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(np.sum(np.clip(ages, 0, 120)), 120, eps)
    ```
    """

    code = "DP457"
    name = "helper-misled"
    cause = "noise for sensitivity {declared}, sensitivity {inferred}: ε is {cost}, not {epsilon}"
    message = (
        "`{helper}` is told that `{written}` has sensitivity {declared}, and it has {inferred}: this costs ε {cost},"
        " not {epsilon}"
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
