"""What many people compute of records that is not proved private: why that is so, and what to release instead."""

from __future__ import annotations

import re

from dp_lsp.named import NamedTuple
from dp_lsp.problem import Kind, Problem
from dp_lsp.text import Span

_QUOTED = re.compile(r"""["']([^"'\\{}]+)["']""")


class Hopeless(NamedTuple):
    """Why something is not proved private, and what to do instead; both go on within a sentence. ``{written}``
    in them is how it is written, ``{of}`` what it is made of, and ``{key}`` the first name in quotes there."""

    because: str
    instead: str


class CannotBeProved(Kind):
    """What is computed shows single records, or one record may change it by a large amount, so that no noise is known
    to hide it. The message says which statistic may be released in its place.

    Broken:

    ```julia
    product(v::MetricVector(Real, ChangeOne)) :: Priv() = laplacian_mechanism(1, 0.5, prod(v))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def ages_by_decade(ages: Annotated[np.ndarray, AddRemove()]) -> Private:
        counts, edges = np.histogram(ages, bins=10)
        return counts + np.random.laplace(scale=1, size=10)
    ```

    Fixed:

    ```julia
    product(v::MetricVector(Real, ChangeOne)) :: Priv() = exp(laplacian_mechanism(5, 0.5, sum(log.(clamp(v, 1, 100)))))
    ```

    ```python
    from typing import Annotated

    import numpy as np
    from dp_types import AddRemove, Private


    def ages_by_decade(ages: Annotated[np.ndarray, AddRemove()]) -> Private:
        counts, edges = np.histogram(ages, bins=10, range=(0, 100))
        return counts + np.random.laplace(scale=1, size=10)
    ```
    """

    code = "DP461"
    name = "cannot-be-proved"
    cause = "`{what}` cannot be proved private"
    message = "{where} cannot be proved private, because {because}: {instead}"
    unchecked = True
    unsupported = True

    @classmethod
    def told(cls, hopeless: Hopeless, span: Span, where: str, written: str, of: str, text: str = "") -> Problem:
        """What is said of something at a place, whose ``text`` this is."""
        named = _QUOTED.search(text)
        key = "town" if named is None else named[1]
        because, instead = (each.format(written=written, of=of, key=key) for each in hopeless)
        return cls.at(span, what=written, where=where, because=because, instead=instead)
