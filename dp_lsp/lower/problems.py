"""Problems of names, scopes and annotations."""

from __future__ import annotations

from dp_lsp.problem import Kind


class Unsupported(Kind):
    """The checker does not know what this construct does to private data, so it says nothing about the function.

    Inside a black box the same text is accepted, because nothing is claimed of it.

    Broken:

    ```julia
    function f(x::Real)
        while true
            x + 1
        end
    end
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

    code = "DP002"
    name = "unsupported-syntax"
    message = "{what} is not part of the language that is checked, so nothing is known of {where}"
    unchecked = True


class OpenImport(Kind):
    """A module is opened whose names are not known, so any name of the file may mean something else.

    Broken:

    ```julia
    using Flux

    f(x::Real) = x + x
    ```

    Fixed:

    ```julia
    import Flux

    f(x::Real) = x + x
    ```
    """

    code = "DP112"
    name = "open-import"
    message = "`{modules}` may define any name of this file, so nothing in it is known; use whole modules: `import X`"
    unchecked = True


class IncludeNotLiteral(Kind):
    """The path of an `include` is computed, so the checker cannot know which file is meant, nor what is in it.

    Any name of the program may get another meaning in that file, so nothing is known of the whole program.

    Broken:

    ```julia
    folder = 1
    include(joinpath(folder, "noise.jl"))
    ```

    Fixed:

    ```julia
    # file: main.jl
    include("noise.jl")
    # file: noise.jl
    noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```
    """

    code = "DP017"
    name = "include-not-literal"
    message = 'which file is included cannot be read off: write its path out, with `/`, as in `include("noise.jl")`'
    unchecked = True


class MaybeUndefined(Kind):
    """A name is assigned on some ways through the code only, or inside a loop, and read after it.

    Broken:

    ```julia
    function f(x::Real, c::Bool)
        if c
            y = x
        end
        y + 1
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, c::Bool)
        y = 0
        if c
            y = x
        end
        y + 1
    end
    ```
    """

    code = "DP102"
    name = "maybe-undefined"
    message = "`{name}` may not have a value here: it is assigned only in {where}"
    unchecked = True


class BuiltinRedefined(Kind):
    """A name of the language gets another meaning. Its rule would be applied to code it does not describe.

    Broken:

    ```julia
    clip(x) = x + 1
    ```

    Fixed:

    ```julia
    clip_to_ten(x::Real) = min(x, 10)
    ```
    """

    code = "DP103"
    name = "builtin-redefined"
    message = "`{name}` is a builtin and cannot get another meaning; choose another name"
    unchecked = True


class SharedChange(Kind):
    """A value is changed in place while another name stands for the same value. What is known of that other name
    would be wrong afterwards.

    Broken:

    ```julia
    function f(m::DMModel)
        g = zero_gradient(m)
        h = g
        scale_gradient!(2, h)
        g
    end
    ```

    Fixed:

    ```julia
    function f(m::DMModel)
        g = zero_gradient(m)
        h = clone(g)
        scale_gradient!(2, h)
        g
    end
    ```
    """

    code = "DP105"
    name = "shared-change"
    message = "changing `{name}` also changes `{other}`, which stands for the same value; use `clone`"
    unchecked = True


class ParameterChanged(Kind):
    """A function changes one of its arguments in place. Its callers would not see that in its type.

    Broken:

    ```julia
    function f(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        g
    end
    ```

    Fixed:

    ```julia
    function f(g::MetricGradient(Real, L2))
        h = clone(g)
        scale_gradient!(2, h)
        h
    end
    ```
    """

    code = "DP106"
    name = "parameter-changed"
    message = "`{name}` belongs to the caller; functions that change their arguments are not checked yet: use `clone`"
    unchecked = True


class NotAVariable(Kind):
    """A function whose name ends in `!` changes a variable, so it needs one, on a line of its own.

    Broken:

    ```julia
    function f(m::DMModel)
        h = scale_gradient!(2, zero_gradient(m))
        h
    end
    ```

    Fixed:

    ```julia
    function f(m::DMModel)
        h = zero_gradient(m)
        scale_gradient!(2, h)
        h
    end
    ```
    """

    code = "DP107"
    name = "not-a-variable"
    message = "`{name}` changes a variable: call it on a line of its own, with the variable's name"
    unchecked = True


class ReturnInside(Kind):
    """`return` stands before the end of the function. What is returned would depend on which way the run takes.

    Broken:

    ```julia
    function f(x::Real)
        return x
        x + 1
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        return x + 1
    end
    ```
    """

    code = "DP108"
    name = "return-inside"
    message = "`return` is understood only as the last statement of a function"
    unchecked = True


class AssignedTwice(Kind):
    """A top-level name is defined in two ways, or a value is assigned to it twice.

    Broken:

    ```julia
    n = 1
    n = 2
    ```

    Fixed:

    ```julia
    n = 1
    m = 2
    ```
    """

    code = "DP109"
    name = "defined-twice"
    message = "`{name}` is defined already; {why}"
    unchecked = True


class UnknownType(Kind):
    """An annotation is not one the checker has a metric for.

    Broken:

    ```julia
    f(x::AbstractMatrix) = x
    ```

    Fixed:

    ```julia
    f(x::Matrix{<:Data}) = x
    ```
    """

    code = "DP201"
    name = "unknown-type"
    message = "`{written}` is not a type that is understood here; {hint}"
    unchecked = True
