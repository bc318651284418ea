"""What can be wrong with a text before anything is known about what it means, whatever its language."""

from __future__ import annotations

from dp_lsp.problem import Kind, Severity


class SyntaxProblem(Kind):
    """A statement cannot be read.

    What cannot be read cannot be checked: the function that holds the statement stays unchecked. The rest of
    the file is checked as usual.

    Broken:

    ```julia
    function twice(x::Real)
        y = x + )
        y
    end
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def total(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return np.sum(np.clip(ages, 0, 120) + np.random.laplace(scale=120 / eps)
    ```

    Fixed:

    ```julia
    function twice(x::Real)
        y = x + x
        y
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

    code = "DP001"
    name = "syntax-error"
    message = "{reason}"
    unchecked = True


class MissingEnd(Kind):
    """A block is opened and never closed.

    Without its `end` it is open which statements belong to the block. The indentation of the lines decides
    where the missing `end` is shown.

    Broken:

    ```julia
    function positive(x::Real)
        if x > 0.0
            y = 1.0
        else
            y = 0.0
        y
    end
    ```

    Fixed:

    ```julia
    function positive(x::Real)
        if x > 0.0
            y = 1.0
        else
            y = 0.0
        end
        y
    end
    ```
    """

    code = "DP003"
    name = "missing-end"
    message = "`end` is missing: `{opener}` is never closed{hint}"
    unchecked = True


class NestedTooDeeply(Kind):
    """An expression or a block is nested too deeply to be checked.

    Everything that looks at a program has a limit to the nesting it follows, so that no text can exhaust it.
    The limit is far above what people write; give the inner parts names.

    Broken:

    ```julia
    f(x::Real) =
        [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
        [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
        x
        ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
        ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
    ```

    Fixed:

    ```julia
    f(x::Real) = [x]
    ```
    """

    code = "DP004"
    name = "nested-too-deeply"
    message = "this is nested more than {limit} levels deep; give the inner parts names"
    unchecked = True


class Unclosed(Kind):
    """A bracket, a string or a comment is opened and never closed.

    Where it should end is unknown, so the statement around it is left out and the next ones are read.

    Broken:

    ```julia
    function twice(x::Real)
        y = 2 * (x + 1
        y
    end
    ```

    Fixed:

    ```julia
    function twice(x::Real)
        y = 2 * (x + 1)
        y
    end
    ```
    """

    code = "DP005"
    name = "unclosed"
    message = "this {thing} is never closed"
    unchecked = True


class BadCharacter(Kind):
    """A character stands where it has no meaning.

    Typically it came along when text was pasted: a typographic quote, an invisible separator, a control
    character.

    Broken:

    ```julia
    f(x::Real) = x + “1”
    ```

    Fixed:

    ```julia
    f(x::Real) = x + 1
    ```
    """

    code = "DP006"
    name = "bad-character"
    message = "this character is not allowed here: {shown}"
    unchecked = True


class Notebook(Kind):
    """The file is a Pluto notebook.

    A Pluto notebook stores its cells in another order than it runs them in, and the order of definitions is
    part of what is checked. So a notebook is `unknown`, with this one problem.

    Broken: a file whose first line is `### A Pluto.jl notebook ###`.

    Fixed: move the functions that handle private data to a file of their own, `include` that in the notebook,
    and check the file.
    """

    code = "DP012"
    name = "notebook"
    message = "this is a Pluto notebook, and notebooks are not checked; move the functions to a file of their own"
    unchecked = True


class NotMeant(Kind):
    """A file of Python that was asked for by its name is none of those that are looked at.

    Most programs in Python have nothing to do with private data, so one is looked at only if it imports a word of
    `dp_types`, or if the key `python-include` of the configuration names it. Of any other nothing is known, so it is
    `unknown`. Where a folder is checked, such files are left out, and an editor shows nothing in them.

    Broken: `dp-lsp check survey.py`, where `survey.py` adds noise and imports nothing of `dp_types`.

    Fixed: say in the file what is private, as in `ages: Annotated[np.ndarray, AddRemove()]`, and import the words for
    that: `from dp_types import AddRemove` (`pip install dp-types`). `dp-lsp explain notebook_python` shows it step by
    step. To have files looked at as they are, name them: `python-include = ["analysis/**"]` in `dp-lsp.toml`.
    """

    code = "DP024"
    name = "not-meant"
    severity = Severity.WARNING
    message = "nothing of this file was checked: it imports nothing of `dp_types`, and no `python-include` names it"
    unchecked = True


class NothingSaid(Kind):
    """A file adds noise outside of its functions, and says of no value what that holds.

    The body of a file is checked if it says of what it reads whom that protects. Without that nothing is known of what
    it releases, so the file is `unknown`.

    Broken:

    ```python
    import numpy as np
    import pandas as pd
    from dp_types import AddRemove

    people = pd.read_csv("people.csv")
    print(len(people[people["Age"] > 40]) + np.random.laplace(0, 1))
    ```

    Fixed:

    ```python
    from typing import Annotated

    import numpy as np
    import pandas as pd
    from dp_types import AddRemove, Columns

    people: Annotated[pd.DataFrame, AddRemove(), Columns(Age=float)] = pd.read_csv("people.csv")
    print(len(people[people["Age"] > 40]) + np.random.laplace(0, 1))
    ```
    """

    code = "DP462"
    name = "nothing-said-of-the-data"
    severity = Severity.WARNING
    message = (
        "this releases something outside of all functions, and was not checked: say of the data what they hold where "
        "they are read, as in `{said}`"
    )
    unchecked = True


class RunInAnotherOrder(Kind):
    """A cell of a notebook was run before one that stands above it.

    What is said of a notebook is said of a run from its first cell to its last one, each once. The numbers beside the
    cells tell of another one: what stands below them was made by that, and may have cost more.

    Broken: a notebook whose first cell was run as `[7]` and the second one as `[3]`.

    Fixed: run all cells again, from the first one on ("Restart Kernel and Run All Cells").
    """

    code = "DP020"
    name = "run-in-another-order"
    severity = Severity.WARNING
    message = (
        "this cell was run as [{own}], before cell {above}, which stands above it and was run as [{other}]: what is "
        "said here holds for a run from the first cell to the last; restart the kernel and run all cells"
    )
