"""Problems of files as a whole."""

from __future__ import annotations

from dp_lsp.problem import Kind


class Unbalanced(Kind):
    """The `module` lines and their `end` do not match: one is missing, or one too many, or there is a second module.

    Broken:

    ```julia
    module Release

    f(x::Real) = x + x
    ```

    Fixed:

    ```julia
    module Release

    f(x::Real) = x + x

    end
    ```
    """

    code = "DP007"
    name = "unbalanced-module"
    message = "{what}"
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
