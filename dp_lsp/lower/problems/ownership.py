"""Problems of changes in place that somebody else would see."""

from __future__ import annotations

from dp_lsp.problem import Kind


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
        h = deepcopy(g)
        scale_gradient!(2, h)
        g
    end
    ```
    """

    code = "DP105"
    name = "shared-change"
    message = (
        "changing `{name}` also changes {other}, which is the same value, holds it, or shares its arrays; "
        "use `{code[deepcopy]}`"
    )
    unchecked = True


class PartChanged(Kind):
    """What an index gives is a part of another value, which a change of the part would change as well.

    Broken:

    ```julia
    function f(v::Vector)
        x = v[1]
        clip!(L2, x)
        1
    end
    ```

    Fixed:

    ```julia
    function f(g::MetricGradient(Real, L2))
        x = deepcopy(g)
        scale_gradient!(2, x)
        x
    end
    ```
    """

    code = "DP124"
    name = "part-changed"
    message = "`{name}` is a part of {other} and cannot be changed in place; use `{code[deepcopy]}`"
    unchecked = True


class TakenApartChanged(Kind):
    """A part of a tuple that was taken apart is changed in place. The tuple would change as well.

    Broken:

    ```julia
    function f(t::Tuple{MetricGradient(Real, L2), Real})
        (a, b) = t
        scale_gradient!(2, a)
        return
    end
    ```

    Fixed:

    ```julia
    function f(t::Tuple{MetricGradient(Real, L2), Integer})
        (a, b) = t
        c = deepcopy(a)
        scale_gradient!(2, c)
        c
    end
    ```
    """

    code = "DP125"
    name = "taken-apart-changed"
    message = (
        "`{name}` is a part of {other}, which was taken apart, and cannot be changed in place; use `{code[deepcopy]}`"
    )
    unchecked = True


class PassedThrough(Kind):
    """A function may return one of its arguments, or something that it has captured. To change what it returned may
    therefore change that, too.

    Broken:

    ```julia
    same(g) = g
    function f(g::MetricGradient(Real, L2))
        h = same(g)
        scale_gradient!(2, h)
        h
    end
    ```

    Fixed:

    ```julia
    same(g) = g
    function f(g::MetricGradient(Real, L2))
        h = deepcopy(same(g))
        scale_gradient!(2, h)
        h
    end
    ```
    """

    code = "DP126"
    name = "passed-through"
    message = (
        "`{name}` was returned by a function and may be the same value as {other} or a part of it; "
        "use `{code[deepcopy]}`"
    )
    unchecked = True


class TwoMemories(Kind):
    """A name stands for one of several values, depending on which way the run takes, and others stand for them too.
    Which of them a change would reach is not known.

    Broken:

    ```julia
    function f(g::MetricGradient(Real, L2), h::MetricGradient(Real, L2), c::Static())
        k = g
        if c > 1
            k = h
        end
        scale_gradient!(2, k)
        k
    end
    ```

    Fixed:

    ```julia
    function f(g::MetricGradient(Real, L2), h::MetricGradient(Real, L2), c::Static())
        k = g
        if c > 1
            k = h
        end
        l = deepcopy(k)
        scale_gradient!(2, l)
        l
    end
    ```
    """

    code = "DP127"
    name = "two-memories"
    message = (
        "`{name}` may be one of several values here, {other} among them, and cannot be changed in place; "
        "use `{code[deepcopy]}`"
    )
    unchecked = True


class LoopShuffle(Kind):
    """A round of a loop lets a name stand for what another one stands for, and the loop changes it in place. The next
    round would change both.

    Broken:

    ```julia
    function f(g::MetricGradient(Real, L2))
        a = deepcopy(g)
        b = deepcopy(g)
        for i in 1:3
            scale_gradient!(2, b)
            b = a
        end
        a
    end
    ```

    Fixed:

    ```julia
    function f(g::MetricGradient(Real, L2))
        a = deepcopy(g)
        b = deepcopy(g)
        for i in 1:3
            scale_gradient!(2, b)
            b = deepcopy(a)
        end
        a
    end
    ```
    """

    code = "DP128"
    name = "loop-shuffle"
    message = (
        "a round of this loop leaves `{name}` with the same value as {other}, and the loop changes it in place; "
        "use `{code[deepcopy]}`"
    )
    unchecked = True


class CapturedChanged(Kind):
    """A function inside another changes in place what belongs to the outer one. Whoever calls it would not see that.

    Broken:

    ```julia
    function f(g::MetricGradient(Real, L2))
        h = deepcopy(g)
        function double(c::Static())
            scale_gradient!(c, h)
            return
        end
        double(2)
        h
    end
    ```

    Fixed:

    ```julia
    function f(g::MetricGradient(Real, L2))
        h = deepcopy(g)
        function double(c::Static(), k::MetricGradient(Real, L2))
            scale_gradient!(c, k)
            return
        end
        double(2, h)
        h
    end
    ```
    """

    code = "DP129"
    name = "captured-changed"
    message = "`{name}` belongs to the function around this one and cannot be changed here; make it a parameter"
    unchecked = True
