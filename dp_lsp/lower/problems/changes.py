"""Problems of functions that change their arguments."""

from __future__ import annotations

from dp_lsp.problem import Kind


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
    """`return` stands where it is not understood. In a branch of an `if` it is: what follows the `if` is what the one
    branch does that goes on. In a loop, or in a value, it is not.

    Broken:

    ```julia
    function f(x::Real, n::Static(Integer))
        for i in 1:n
            if i > 3
                return x
            end
            x = x + 1
        end
        x
    end
    ```

    Fixed:

    ```julia
    function f(x::Real, n::Static(Integer))
        if n > 3
            return x + 3
        end
        x + n
    end
    ```
    """

    code = "DP108"
    name = "return-inside"
    message = "{why}"
    unchecked = True
    unsupported = True


class MissingReturn(Kind):
    """A function that changes an argument in place has no value of its own: it ends in a bare `return`, and a call
    of it stands on a line of its own.

    Broken:

    ```julia
    function double(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        g
    end
    ```

    Fixed:

    ```julia
    function double(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        return
    end
    ```
    """

    code = "DP121"
    name = "missing-return"
    message = "a function that changes its argument `{name}` ends in a bare `return`: it has no value of its own"
    unchecked = True


class NothingChanged(Kind):
    """A function ends in a bare `return` though it changes none of its arguments, so it has no effect at all.

    Broken:

    ```julia
    function f(x::Real)
        y = x + 1
        return
    end
    ```

    Fixed:

    ```julia
    function f(x::Real)
        y = x + 1
        return y
    end
    ```
    """

    code = "DP122"
    name = "nothing-changed"
    message = "`{name}` returns nothing and changes none of its arguments, so a call of it has no effect"
    unchecked = True


class GivenTwice(Kind):
    """A call that changes one of its arguments is given the same value a second time. The function would see the change
    under both names.

    Broken:

    ```julia
    function add(g::MetricGradient(Real, L2), h::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        return
    end
    function f(g::MetricGradient(Real, L2))
        h = deepcopy(g)
        add(h, h)
        h
    end
    ```

    Fixed:

    ```julia
    function add(g::MetricGradient(Real, L2), h::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        return
    end
    function f(g::MetricGradient(Real, L2))
        h = deepcopy(g)
        add(h, deepcopy(h))
        h
    end
    ```
    """

    code = "DP123"
    name = "given-twice"
    message = (
        "this call changes `{name}`, and this argument may be the same value or share a part with it; "
        "use `{code[deepcopy]}`"
    )
    unchecked = True


class ChangedAndAssigned(Kind):
    """A parameter is changed in place, and assigned as well. After the assignment it no longer is what the caller gave.

    Broken:

    ```julia
    function f(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        g = deepcopy(g)
        return
    end
    ```

    Fixed:

    ```julia
    function f(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        return
    end
    ```
    """

    code = "DP130"
    name = "changed-and-assigned"
    message = "`{name}` is changed for the caller, so it must not be assigned; use another name here"
    unchecked = True


class ChangingFunctionAsValue(Kind):
    """A function that changes its arguments is given to another one, returned, or given a second name. Who calls it
    there would not know that it changes something.

    Broken:

    ```julia
    function double(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        return
    end
    h(f, g::MetricGradient(Real, L2)) = (double, g)
    ```

    Fixed:

    ```julia
    function double(g::MetricGradient(Real, L2))
        scale_gradient!(2, g)
        return
    end
    function h(g::MetricGradient(Real, L2))
        k = deepcopy(g)
        double(k)
        k
    end
    ```
    """

    code = "DP131"
    name = "changing-function-as-value"
    message = "`{name}` changes its arguments, so it can only be called by its name"
    unchecked = True
