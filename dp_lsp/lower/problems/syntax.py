"""Problems of what is written: constructs and types without a meaning, modules that are opened."""

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
    message = "{what} is not part of the language that is checked, so nothing is known of {where}{hint}"
    unchecked = True
    unsupported = True


class OpenImport(Kind):
    """A module is opened whose names are not known, so any name of the project may mean something else.

    Modules of the project itself are not opened either: what several files share stands outside of modules, or all of
    it in one.

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
    message = "`{modules}` may define any name of this project, so nothing in it is known; {instead}"
    unchecked = True
    unsupported = True


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
    message = "the annotation `{written}` is not understood: {hint}"
    unchecked = True
    unsupported = True


class BlackBoxInside(Kind):
    """A black box is defined inside a function or without a name. What it could see there is not known.

    Broken:

    ```julia
    function f(x::Integer)
        b(y) :: BlackBox() = y
        unbox(b(x), Data)
    end
    ```

    Fixed:

    ```julia
    b(y) :: BlackBox() = y
    f(x::Integer) = unbox(b(x), Data)
    ```
    """

    code = "DP133"
    name = "black-box-inside"
    message = "the black box `{name}` must be defined at top level, with a name"
    unchecked = True


class BlackBoxStatic(Kind):
    """A parameter of a black box is declared public. Nothing is known of what a black box does with its arguments, so
    the declaration would say nothing.

    Broken:

    ```julia
    b(x, n::Static()) :: BlackBox() = x
    ```

    Fixed:

    ```julia
    b(x, n) :: BlackBox() = x
    ```
    """

    code = "DP134"
    name = "black-box-static"
    message = "`{box}` is a black box, so `{name}` cannot be `{code.public}`; leave the annotation out"
    unchecked = True


class BlackBoxMethods(Kind):
    """A black box has several methods, or shares its name with something else.

    Broken:

    ```julia
    b(x) :: BlackBox() = x
    b(x, y) :: BlackBox() = x
    ```

    Fixed:

    ```julia
    b(x) :: BlackBox() = x
    c(x, y) :: BlackBox() = x
    ```
    """

    code = "DP135"
    name = "black-box-methods"
    message = "`{name}` is a black box, and a black box has one method"
    unchecked = True


class IncludeNotLiteral(Kind):
    """The path of an `include` is computed, so the checker cannot know which file is meant, nor what is in it.

    Any name may get another meaning in that file, so nothing is known of the whole project.

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
    message = "which file is included cannot be told: write its path out, with `/`, as in `{including}`"
    unchecked = True
    unsupported = True
