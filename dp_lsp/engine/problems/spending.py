"""Problems of what a project allows its private functions to spend."""

from __future__ import annotations

from dp_lsp.problem import Kind


class AboveLimit(Kind):
    """A private function may spend more than the configuration of the project allows.

    `max-epsilon` and `max-delta` hold for each private function and each of its parameters that is not static. Any
    proved bound that meets both is enough.

    Broken:

    ```toml
    max-epsilon = 0.3
    ```

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```

    Fixed:

    ```toml
    max-epsilon = 0.3
    ```

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.25, x)
    ```
    """

    code = "DP411"
    name = "above-limit"
    message = "`{name}` costs `{variables}` {sign} {value}{over}: `{key}` allows {most}"


class LimitOpen(Kind):
    """The configuration of the project limits what a private function may spend, and whether a function keeps to that
    depends on what it is called with.

    Broken:

    ```toml
    max-epsilon = 0.3
    ```

    ```julia
    f(x::Real, eps::Static()) :: Priv() = laplacian_mechanism(1, eps, x)
    ```

    Fixed: write the number, or say it with `--set eps=0.3`.

    ```toml
    max-epsilon = 0.3
    ```

    ```julia
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.3, x)
    ```
    """

    code = "DP412"
    name = "limit-open"
    message = (
        "`{name}` costs `{variables}` {sign} {value}, and `{key}` allows {most}: whether it is more depends on `{what}`"
    )
