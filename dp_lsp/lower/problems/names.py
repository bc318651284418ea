"""Problems of names and scopes."""

from __future__ import annotations

from dp_lsp.problem import Kind


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


class UsedBeforeDefined(Kind):
    """A name of a function is read above the place where it gets its value.

    Broken:

    ```julia
    function f(x::Real)
        g(y) = y + a
        a = 1
        g(x)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        a = 1
        g(y) = y + a
        g(x)
    end
    ```
    """

    code = "DP115"
    name = "used-before-definition"
    message = "`{name}` is used before it is defined"
    unchecked = True


class CapturedVariable(Kind):
    """A function inside another uses a variable that is assigned or changed more than once. In Julia it would see the
    value that the variable has when the function is called, so the variable may have one value only.

    Broken:

    ```julia
    function f(x::Real)
        a = 1
        g(y) = a * y
        a = 2
        g(x)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        a = 1
        g(y) = a * y
        b = 2
        b * g(x)
    end
    ```
    """

    code = "DP116"
    name = "captured-variable"
    message = (
        "`{name}` gets more than one value, and a function inside would see the latest; "
        "give the value that is meant a name of its own"
    )
    unchecked = True


class OuterAssigned(Kind):
    """A function inside another assigns to a variable of the outer one. In Julia this changes the outer variable.

    Broken:

    ```julia
    function f(x::Real)
        a = 1
        function g(y)
            a = 2
            a * y
        end
        a * g(x)
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        a = 1
        function g(y)
            b = 2
            b * y
        end
        a * g(x)
    end
    ```
    """

    code = "DP117"
    name = "outer-variable-assigned"
    message = "`{name}` is a variable of the function around this one, which must not assign to it; choose another name"
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
    message = "`{name}` is a builtin and cannot be redefined; choose another name"
    unchecked = True
    unsupported = True


class BuiltinImported(Kind):
    """An import gives a name of the language another meaning, or lets the program add methods to a function of Julia
    that is called without its name. The rules would be applied to code they do not describe.

    Broken:

    ```julia
    using Statistics: mean as length
    ```

    Fixed:

    ```julia
    using Statistics: mean as average
    ```
    """

    code = "DP141"
    name = "builtin-imported"
    message = "this import may give `{name}` another meaning, which the checker relies on; import it under another name"
    unchecked = True
    unsupported = True


class ImportedAndDefined(Kind):
    """A name is imported, and the project defines it, too. Where methods may be added to what is imported, those of the
    other module are called where they are more specific; elsewhere Julia refuses the definition.

    Broken:

    ```julia
    import Statistics: middle
    middle(x) = 0.0
    ```

    Fixed:

    ```julia
    import Statistics
    middle(x) = 0.0
    ```
    """

    code = "DP142"
    name = "imported-and-defined"
    message = "`{name}` is imported from `{module}` and defined in this project, too; give the definition another name"
    unchecked = True


class BuiltinAsValue(Kind):
    """A builtin stands where a value is needed. Builtins are only called.

    Broken:

    ```julia
    size_of = abs
    ```

    Fixed:

    ```julia
    size_of = x -> abs(x)
    ```
    """

    code = "DP132"
    name = "builtin-as-value"
    message = "`{name}` is a builtin, and builtins are not values{hint}"
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
    unsupported = True


class TwoStyles(Kind):
    """A name is given a value by an assignment and defined as a function as well.

    Broken:

    ```julia
    h = x -> x + 1
    h(x) = x + 2
    ```

    Fixed:

    ```julia
    h = x -> x + 1
    k(x) = x + 2
    ```
    """

    code = "DP118"
    name = "two-styles"
    message = "`{name}` is both a variable and a function with methods; give one of them another name"
    unchecked = True
    unsupported = True


class NotAdjacent(Kind):
    """The methods of a function do not stand together, so a reader cannot see which ones there are.

    Broken:

    ```julia
    k(x::Integer) = 2 * x
    c = 1
    k(x::Real) = 3 * x
    ```

    Fixed:

    ```julia
    c = 1
    k(x::Integer) = 2 * x
    k(x::Real) = 3 * x
    ```
    """

    code = "DP119"
    name = "methods-apart"
    message = "the methods of `{name}` must stand together, with no other definition between them"
    unchecked = True
    unsupported = True


class SameSignature(Kind):
    """Two methods of a function take the same arguments when the program runs, where Data is Real and a metric is no
    part of a type. Julia keeps only the last of them.

    Broken:

    ```julia
    k(v::Vector{<:Data}) = 2.0 * v
    k(v::Vector{<:Real}) = 3.0 * v
    ```

    Fixed:

    ```julia
    k(v::Vector{<:Data}) = 2.0 * v
    l(v::Vector{<:Real}) = 3.0 * v
    ```
    """

    code = "DP120"
    name = "same-signature"
    message = (
        "two methods of `{name}` take arguments of the same types when the program runs, and only the last one is kept"
    )
    unchecked = True
    unsupported = True


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
    message = "`{name}` calls itself{way}; recursion is not understood, use a `for` loop"
    unchecked = True
    unsupported = True
