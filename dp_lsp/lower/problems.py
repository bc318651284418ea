"""Kinds of problems of names, scopes, changes and annotations."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


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

    ```python
    from typing import Annotated

    from dp_types import Static, Within


    def weighted(x: Annotated[float, Within()], k: Static[int]):
        if k > 2:
            weight = 3
        return weight * x
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

    ```python
    from typing import Annotated

    from dp_types import Static, Within


    def weighted(x: Annotated[float, Within()], k: Static[int]):
        weight = 1
        if k > 2:
            weight = 3
        return weight * x
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

    ```python
    from typing import Annotated

    from dp_types import Within


    def shifted(x: Annotated[float, Within()]):
        y = x + z
        z = 2
        return y
    ```

    Fixed:

    ```julia
    function f(x::Real)
        a = 1
        g(y) = y + a
        g(x)
    end
    ```

    ```python
    from typing import Annotated

    from dp_types import Within


    def shifted(x: Annotated[float, Within()]):
        z = 2
        y = x + z
        return y
    ```
    """

    code = "DP115"
    name = "used-before-definition"
    message = "`{name}` is used before it is defined"
    unchecked = True


class CapturedVariable(Kind):
    """A function inside another uses a variable that is assigned or changed more than once. It would see the
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

    ```python
    from typing import Annotated

    from dp_types import Within


    def repeated(x: Annotated[float, Within()]):
        out = []
        out.append(x)
        total = lambda: sum(out)
        out.append(100 * x)
        return total()
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

    ```python
    from typing import Annotated

    from dp_types import Within


    def repeated(x: Annotated[float, Within()]):
        out = []
        out.append(x)
        out.append(100 * x)
        return sum(out)
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove


    def total(ages: Annotated[list, AddRemove()]):
        return sum(np.clip(len, 0, 120) for len in ages)
    ```

    Fixed:

    ```julia
    clip_to_ten(x::Real) = min(x, 10)
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove


    def total(ages: Annotated[list, AddRemove()]):
        return sum(np.clip(age, 0, 120) for age in ages)
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

    ```python
    from operator import add as sum
    from typing import Annotated

    from dp_types import AddRemove, Bounded


    def total(ages: Annotated[list, AddRemove(), Bounded(0, 120)]):
        return sum(ages)
    ```

    Fixed:

    ```julia
    using Statistics: mean as average
    ```

    ```python
    from typing import Annotated

    from dp_types import AddRemove, Bounded


    def total(ages: Annotated[list, AddRemove(), Bounded(0, 120)]):
        return sum(ages)
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

    ```python
    from typing import Annotated

    from dp_types import Within
    from scipy.constants import pi

    pi = 3


    def scaled(x: Annotated[float, Within()]):
        return pi * x
    ```

    Fixed:

    ```julia
    import Statistics
    middle(x) = 0.0
    ```

    ```python
    from typing import Annotated

    from dp_types import Within

    PI = 3


    def scaled(x: Annotated[float, Within()]):
        return PI * x
    ```
    """

    code = "DP142"
    name = "imported-and-defined"
    message = "`{name}` is imported from `{module}` and defined in this project, too; give the definition another name"
    unchecked = True


class BuiltinAsValue(Kind):
    """A builtin stands where a value is needed that no function can stand for: a mechanism, or what is told a norm or a
    type. It is only called.

    Broken:

    ```julia
    function noisy(x::Real, eps::Static()) :: Priv()
        noise = laplacian_mechanism
        noise(1, eps, x)
    end
    ```

    Fixed:

    ```julia
    function noisy(x::Real, eps::Static()) :: Priv()
        laplacian_mechanism(1, eps, x)
    end
    ```
    """

    code = "DP132"
    name = "builtin-as-value"
    message = "`{name}` is a builtin that is no value: call it where it is needed"
    unchecked = True


class AssignedTwice(Kind):
    """A top-level name is defined in two ways, or a value is assigned to it twice.

    Broken:

    ```julia
    n = 1
    n = 2
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private

    EPS = 1
    TWICE = 2 * EPS
    EPS = 2


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / EPS)
    ```

    Fixed:

    ```julia
    n = 1
    m = 2
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private

    EPS = 2


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / EPS)
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

    ```python
    from typing import Annotated

    from dp_types import Within

    scale = 10
    TWICE = 2 * scale


    def scale(x: Annotated[float, Within()]):
        return 10 * x
    ```

    Fixed:

    ```julia
    h = x -> x + 1
    k(x) = x + 2
    ```

    ```python
    from typing import Annotated

    from dp_types import Within

    SCALE = 10


    def scale(x: Annotated[float, Within()]):
        return SCALE * x
    ```
    """

    code = "DP118"
    name = "two-styles"
    message = "`{name}` is both a variable and a function with methods; give one of them another name"
    unchecked = True
    unsupported = True


class NotAdjacent(Kind):
    """The methods of a function do not stand together, and it may be called before all of them are there: inside of a
    function, or to make a value at top level.

    Broken:

    ```julia
    k(x::Integer) = 2 * x
    c = k(1)
    k(x::Real) = 3 * x
    ```

    Fixed:

    ```julia
    k(x::Integer) = 2 * x
    k(x::Real) = 3 * x
    c = k(1)
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def scale():
        return 1


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=scale())


    EXAMPLE = count([30, 40])


    def scale():
        return 10
    ```

    Fixed:

    ```julia
    k(v::Vector{<:Data}) = 2.0 * v
    l(v::Vector{<:Real}) = 3.0 * v
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def scale():
        return 10


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=scale())


    EXAMPLE = count([30, 40])
    ```
    """

    code = "DP120"
    name = "same-signature"
    message = "{which}, and only the last one is kept"
    unchecked = True
    unsupported = True


class CallCycle(Kind):
    """A function calls itself, directly or through others. There is no rule for recursion.

    Broken:

    ```julia
    f(x::Real) = f(x)
    ```

    ```python
    from typing import Annotated

    from dp_types import Static, Within


    def power(x: Annotated[float, Within()], k: Static[int]):
        return x if k == 0 else 2 * power(x, k - 1)
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

    ```python
    from typing import Annotated

    from dp_types import Static, Within


    def power(x: Annotated[float, Within()], k: Static[int]):
        for i in range(k):
            x = 2 * x
        return x
    ```
    """

    code = "DP104"
    name = "recursion"
    message = "`{name}` calls itself{way}; recursion is not understood, use a `for` loop"
    unchecked = True
    unsupported = True


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
    branch does that goes on; and in a loop behind which nothing is done. In any other loop, or in a value, it is not.

    Broken:

    ```julia
    function f(x::Real, n::Static(Integer))
        for i in 1:n
            if i > 3
                return x
            end
            x = x + 1
        end
        y = 2 * x
        y
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
        print("done")
    ```

    Fixed:

    ```julia
    function f(x::Real, n::Static(Integer))
        if n > 3
            return x + 3
        end
        y = 2 * (x + n)
        y
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


class FilledElsewhere(Kind):
    """A vector is changed in place that others may hold: it is a parameter or a top-level value, or it was given
    another name, put into something or given to a function before its last change. What is known of those would be
    wrong afterwards. A vector that is made in the function may be changed as long as only numbers are read of it.

    Broken:

    ```julia
    function f(x::Real)
        v = [1.0, 2.0]
        w = v
        v[1] = x
        w
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Within


    def twice(x: Annotated[float, Within()]):
        out = np.zeros(2)
        kept = out
        kept = 1
        out[0] = kept * x
        return out
    ```

    Fixed:

    ```julia
    function f(x::Real)
        v = [1.0, 2.0]
        v[1] = x
        w = v
        w
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import Within


    def twice(x: Annotated[float, Within()]):
        out = np.zeros(2)
        out[0] = x
        return out
    ```
    """

    code = "DP143"
    name = "filled-elsewhere"
    message = (
        "`{name}` is changed in place, and others may hold it: change only a vector that is made in the same function, "
        "and use it otherwise only behind its last change"
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


class OptionalMethods(Kind):
    """A function with default values or keyword arguments has another method. Whoever leaves an argument out calls the
    function again with its default value, so the other method may run instead. Give them different names.

    Broken:

    ```julia
    f(x::Real, n::Integer = 2) = n * x
    f(x::Real, n::Bool) = x
    ```

    Fixed:

    ```julia
    f(x::Real, n::Integer = 2) = n * x
    g(x::Real, n::Bool) = x
    ```
    """

    code = "DP147"
    name = "optional-methods"
    message = "`{name}` has default values or keyword arguments, and another method: give that another name"
    unchecked = True
    unsupported = True


class Unsupported(Kind):
    """The checker does not know what this construct does to private data, so it says nothing about the function.

    Inside a black box the same text is accepted, because nothing is claimed of it.

    Broken:

    ```julia
    function f(x::Real)
        try
            x + 1
        catch
            x
        end
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        noise = np.random.laplace(scale=120 / eps)
        try:
            return sum(np.clip(a, 0, 120) for a in ages) + noise
        except TypeError:
            return noise
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

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return sum(np.clip(a, 0, 120) for a in ages) + np.random.laplace(scale=120 / eps)
    ```
    """

    code = "DP002"
    name = "unsupported-syntax"
    cause = "{what} is not part of the language that is checked"
    message = "{what} is not part of the language that is checked, so nothing is known of {where}{hint}"
    unchecked = True
    unsupported = True


class OpenImport(Kind):
    """A module is opened that may export a word of the language, so what uses that may mean something else.

    Words of Julia itself are in conflict with what a module exports, and using them is an error then. So are those of
    `DiffPrivacyInference` where that is opened, too.

    Broken:

    ```julia
    using MyNoise

    f(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```

    Fixed:

    ```julia
    using DiffPrivacyInference
    import MyNoise

    f(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```
    """

    code = "DP112"
    name = "open-import"
    message = "`{module}` may define `{names}`, so nothing is known of what uses that; {instead}"
    unchecked = True
    unsupported = True


class OpenedModule(Kind):
    """A module of others is opened. What is proved in the project takes for granted that it adds no method to functions
    of Julia for numbers and arrays, and puts nothing else in the place of what they do. Of well-known packages that is
    taken for granted without a word.

    Broken:

    ```julia
    using Baselines

    f(x::Real) = x + x
    ```

    Fixed:

    ```julia
    import Baselines

    f(x::Real) = x + x
    ```
    """

    code = "DP150"
    name = "opened-module"
    severity = Severity.INFORMATION
    message = "what is proved here takes for granted that `{module}` changes nothing of what functions do with numbers"


class UnknownType(Kind):
    """An annotation is not one the checker has a metric for.

    Broken:

    ```julia
    f(x::Dict) = x
    ```

    ```python
    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: AddRemove(), eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```

    Fixed:

    ```julia
    f(x::Matrix{<:Data}) = x
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
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


OF_SHARING = frozenset(
    kind.code
    for kind in (
        GivenTwice,
        LoopShuffle,
        PartChanged,
        PassedThrough,
        SharedChange,
        TakenApartChanged,
        TwoMemories,
    )
)
"""The codes of changes that are refused because somebody else might see them."""
