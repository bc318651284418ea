"""What a function keeps private, said by its annotations.

>>> def over_40(ages: Annotated[pd.Series, AddRemove()], eps: Static[float]) -> Private[float]: ...

A protected parameter says in what two inputs differ that nobody may tell apart (:class:`AddRemove`, :class:`ChangeOne`,
:class:`Within`, :class:`OneOf`), and what is public of its data (:class:`Bounded`, :class:`RowNorm`, :class:`Rows`,
:class:`Size`, :class:`AtLeast`, :class:`Columns`, :class:`MayBeMissing`). ``Static[T]`` is a public parameter, and
``-> Private[T]`` claims that what the function returns and prints tells little about any record. ``dp-lsp`` checks the
claim. The words need nothing but the standard library, and do nothing when the program runs, but for
:func:`checked`, which looks whether the data are what the annotations say.
"""

from dp_types.checking import NotAsDeclared, checked
from dp_types.words import (
    AddRemove,
    AtLeast,
    Bounded,
    ChangeOne,
    Columns,
    MayBeMissing,
    OneOf,
    Private,
    RowNorm,
    Rows,
    Size,
    Static,
    Within,
    black_box,
)

__all__ = [
    "AddRemove",
    "AtLeast",
    "Bounded",
    "ChangeOne",
    "Columns",
    "MayBeMissing",
    "NotAsDeclared",
    "OneOf",
    "Private",
    "RowNorm",
    "Rows",
    "Size",
    "Static",
    "Within",
    "black_box",
    "checked",
]
