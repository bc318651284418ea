"""Kinds of problems of files and of those that include each other, of comments to the checker, and of what a project
allows to be spent."""

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


class IncludeMissing(Kind):
    """A file is included that does not exist. Nothing is known of what it would define, which may be anything.

    The path counts from the folder of the file in which the `include` stands, as it does for Julia. Upper and
    lower case letters are different, on every system.

    Broken:

    ```julia
    # file: src/main.jl
    include("src/noise.jl")
    # file: src/noise.jl
    noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```

    ```python
    # file: main.py
    from typing import Annotated

    from dp_types import AddRemove, Private, Static

    from .noise import laplace_mech


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), 1, eps)
    ```

    Fixed:

    ```julia
    # file: src/main.jl
    include("noise.jl")
    # file: src/noise.jl
    noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```

    ```python
    # file: main.py
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static

    from .noise import laplace_mech


    def count(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), 1, eps)


    # file: noise.py
    import numpy as np


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)
    ```
    """

    code = "DP013"
    name = "include-missing"
    message = "there is no file `{path}`, counted from the folder of this file{hint}"
    unchecked = True


class IncludeCycle(Kind):
    """A file includes itself, directly or through others. Loading it would never end.

    Broken:

    ```julia
    # file: main.jl
    include("noise.jl")
    # file: noise.jl
    include("main.jl")
    ```

    Fixed:

    ```julia
    # file: main.jl
    include("noise.jl")
    # file: noise.jl
    noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```
    """

    code = "DP014"
    name = "include-cycle"
    message = "`{path}` includes itself{way}, so loading it never ends"
    unchecked = True


class IncludeOutside(Kind):
    """A file is included that lies outside the folder that is checked. It is not read.

    Only what lies below the folder you check, or have open in the editor, is ever read: a program that you were
    sent must not make the tool open other files of yours. On the command line that is the folder you name; for a
    file, the working folder if the file lies below it, else the folder of the file. Links count as what they lead
    to.

    Broken: `include("../secret.jl")` in a file directly in the folder that is checked.

    Fixed: check a folder that holds both, as in `dp-lsp check ..`, name the other file, too, or open it in the editor.
    """

    code = "DP015"
    name = "include-outside"
    message = (
        "`{path}` lies outside the folder that is checked, so it is not read; check a folder that holds both files"
    )
    unchecked = True


class IncludeUnreadable(Kind):
    """A file is included of which nothing can be known: it cannot be read, is not UTF-8 text, or is a notebook.

    It may define any name, so nothing is known of the whole project. The file has the same problem at its own
    place.

    Broken: `include("noise.jl")` where `noise.jl` is a folder, or a file that your user may not read.

    Fixed: mend the file that is included.
    """

    code = "DP016"
    name = "include-unreadable"
    message = "nothing is known of `{path}`: {reason}"
    unchecked = True


class IncludeWithoutFolder(Kind):
    """A text that is in no folder includes a file: a new document of the editor, or standard input.

    Broken:

    ```julia
    include("noise.jl")
    ```

    Fixed:

    ```julia
    # file: main.jl
    include("noise.jl")
    # file: noise.jl
    noisy(x::Real) :: Priv() = laplacian_mechanism(1, 1/2, x)
    ```
    """

    code = "DP018"
    name = "include-without-folder"
    message = "this text is in no folder yet, so it is not known which file `{path}` is; save it first"
    unchecked = True


class ImportUnsure(Kind):
    """A module of the project is imported, and it is not known what its names mean. Nothing is known of what uses them,
    and if it is not even known which file is loaded, of nothing in the program.

    A module is looked for beside the file that imports it, in the folders above that, and in `src` in one of these, as
    far as they are checked. Two files that may be meant, a file that is called like a module of Python or of a library,
    and modules that import each other leave it open what happens when the program runs.

    Broken:

    ```python
    # file: main.py
    from typing import Annotated

    from dp_types import AddRemove, Private, Static
    from noise import laplace_mech


    def released(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), 1, eps)


    # file: noise.py
    import numpy as np
    from main import released


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)
    ```

    Fixed:

    ```python
    # file: main.py
    from typing import Annotated

    from dp_types import AddRemove, Private, Static
    from noise import laplace_mech


    def released(ages: Annotated[list, AddRemove()], eps: Static[float]) -> Private:
        return laplace_mech(len(ages), 1, eps)


    # file: noise.py
    import numpy as np


    def laplace_mech(v, sensitivity, epsilon):
        return v + np.random.laplace(scale=sensitivity / epsilon)
    ```
    """

    code = "DP023"
    name = "import-unsure"
    message = "it is not known what `{path}` is when this runs: {why}"
    unchecked = True


class SeveralGuarantees(Kind):
    """A file belongs to several projects, and a function in it has another guarantee in each, because it uses
    something that each of them defines in its own way. There is no one guarantee to report.

    Broken:

    ```julia
    # file: large.jl
    factor = 10
    include("scale.jl")
    # file: scale.jl
    scaled(x::Real) = factor * x
    # file: small.jl
    factor = 2
    include("scale.jl")
    ```

    Fixed:

    ```julia
    # file: large.jl
    include("scale.jl")
    large(x::Real) = scaled(x, 10)
    # file: scale.jl
    scaled(x::Real, factor::Static(Real)) = factor * x
    # file: small.jl
    include("scale.jl")
    small(x::Real) = scaled(x, 2)
    ```
    """

    code = "DP019"
    name = "several-guarantees"
    message = "`{name}` has a different guarantee in each {of}, so none is reported: what it uses differs"
    unchecked = True


class TooManyIncludes(Kind):
    """A project has very many files, or files that include each other in a very long row.

    This is usually a mistake, such as links in a ring. A project that is fine:

    ```julia
    twice(x::Real) = x + x
    ```
    """

    code = "DP910"
    name = "too-many-includes"
    message = "{what}; the rest is not read"
    unchecked = True


class FileTooLong(Kind):
    """The file is longer than what is checked, so nothing is known of it.

    Nobody writes a program that long; a text that a program has written may take hours. A configuration can allow less,
    with `characters` in its table `limits`.

    A program of any shape may be hit; one that is not:

    ```julia
    twice(x::Real) = x + x
    ```
    """

    code = "DP911"
    name = "too-long"
    message = "this file has {size} characters, and no more than {limit} are checked; split it"
    unchecked = True


class IgnoreIncomplete(Kind):
    """A comment that accepts a problem names no code, or no reason. It accepts nothing.

    What is accepted is not reported any more, so it must be said which problem that is, and why somebody may rely on
    the program all the same. A function with an error that is accepted is `unknown`, never `proved`.

    Broken:

    ```julia
    f(x::Real) = disc(x)  # dp: ignore[DP303]
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=1)  # dp: ignore
    ```

    Fixed:

    ```julia
    f(x::Real) = disc(x)  # dp: ignore[DP303] its callers count what is different
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def count(ages: Annotated[list, AddRemove()]) -> Private:
        return len(ages) + np.random.laplace(scale=1)
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


class FloatNoise(Kind):
    """A function draws noise in floating point, and the configuration of the project does not take that for exact. What
    `np.random.laplace` returns has holes that depend on its scale, so which numbers can come out differs between
    neighbouring data, and a few results tell them apart (Mironov 2012).

    `dp-lsp run` draws exact noise for a function that is proved, so the program need not change; where it runs by
    itself, OpenDP draws its noise.

    Broken:

    ```toml
    float-noise = "error"
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```

    Fixed: take it for exact, where runs are made by `dp-lsp run`.

    ```toml
    float-noise = "premise"
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private, Static


    def count(ages: Annotated[np.ndarray, AddRemove()], eps: Static[float]) -> Private:
        return len(ages) + np.random.laplace(scale=1 / eps)
    ```
    """

    code = "DP460"
    name = "float-noise"
    message = (
        "`{name}` draws noise in floating point, which is not exact, and `float-noise` does not accept that: run it by"
        " `dp-lsp run`, or draw its noise with OpenDP"
    )


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
