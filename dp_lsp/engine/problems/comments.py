"""Problems of comments that speak to the checker."""

from __future__ import annotations

from dp_lsp.problem import Kind


class IgnoreIncomplete(Kind):
    """A comment that accepts a problem names no code, or no reason. It accepts nothing.

    What is accepted is not reported any more, so it must be said which problem that is, and why somebody may rely on
    the program all the same. A function with an error that is accepted is `unknown`, never `proved`.

    Broken:

    ```julia
    f(x::Real) = disc(x)  # dp: ignore[DP303]
    ```

    Fixed:

    ```julia
    f(x::Real) = disc(x)  # dp: ignore[DP303] its callers count what is different
    ```
    """

    code = "DP801"
    name = "ignore-incomplete"
    message = "this comment {missing}, so it accepts nothing; write `# dp: ignore[{code}]` and then why"


class IgnoreUnknownCode(Kind):
    """A comment accepts problems of a code that there is not. It accepts nothing.

    Broken:

    ```julia
    f(x::Real) = 2 * x  # dp: ignore[DP31] the noise is made for it
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    ```
    """

    code = "DP802"
    name = "ignore-unknown-code"
    message = "`{code}` is not a diagnostic code, so this comment accepts nothing; name one code, such as `DP301`"


class IgnoreRefused(Kind):
    """A comment accepts text that cannot be read. Such text may mean anything, so nothing can be said of it.

    Broken:

    ```julia
    f(x::Real) = 2 * x  # dp: ignore[DP001] it worked last year
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    ```
    """

    code = "DP806"
    name = "ignore-refused"
    message = "{code} ({name}) cannot be accepted by a comment: nothing is known of such text, so mend it"


class IgnoreUnused(Kind):
    """A comment accepts a problem that is not there: it was mended, or stands in another line.

    A comment at the end of a line is about that line, one on a line of its own about the line directly below.

    Broken:

    ```julia
    f(x::Real) = 2 * x  # dp: ignore[DP113] only ever called with 0
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    ```
    """

    code = "DP803"
    name = "ignore-unused"
    message = "no {code} is reported in the line that this comment is about; take it out, or move it to that line"
    unnecessary = True


class RemarkUnknown(Kind):
    """A comment begins with `dp:` and goes on with something that is not understood. If it were skipped, what it was
    meant to say would not hold.

    Broken:

    ```julia
    f(x::Real) = 2 * x  # dp: ignored
    ```

    Fixed:

    ```julia
    f(x::Real) = 2 * x
    ```
    """

    code = "DP804"
    name = "remark-unknown"
    message = "`{written}` is not understood; a comment to the checker reads `# dp: ignore[CODE] reason`"


class ClaimUnreadable(Kind):
    """A comment says what a function may cost or how far it may move, and is not understood, or stands at nothing that
    it could be about. If it were skipped, it would seem to hold.

    `# dp: budget ε <= 1, δ <= 1e-5 where k = 100` stands above a function that is `Priv()`, and `# dp: sensitivity <= 2
    in x` above one that is not. A δ that is left out is 0, and without `in` all parameters are meant. The right sides
    are numbers, or sums, products and quotients of static parameters and dimensions.

    Broken:

    ```julia
    # dp: budget 1
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```

    Fixed:

    ```julia
    # dp: budget ε <= 1
    f(x::Real) :: Priv() = laplacian_mechanism(1, 0.5, x)
    ```
    """

    code = "DP805"
    name = "claim-unreadable"
    message = "what `# dp: {word}` says is not understood: {wrong}"
