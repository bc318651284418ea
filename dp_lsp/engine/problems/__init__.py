"""Problems of files, of comments to the checker, and of what a project allows to be spent."""

from dp_lsp.engine.problems.comments import (
    ClaimUnreadable,
    IgnoreIncomplete,
    IgnoreRefused,
    IgnoreUnknownCode,
    IgnoreUnused,
    RemarkUnknown,
)
from dp_lsp.engine.problems.files import (
    IncludeCycle,
    IncludeMissing,
    IncludeOutside,
    IncludeUnreadable,
    IncludeWithoutFolder,
    SeveralGuarantees,
    TooLong,
    TooManyIncludes,
    Unbalanced,
)
from dp_lsp.engine.problems.spending import (
    AboveLimit,
    LimitOpen,
)

__all__ = [
    "AboveLimit",
    "ClaimUnreadable",
    "IgnoreIncomplete",
    "IgnoreRefused",
    "IgnoreUnknownCode",
    "IgnoreUnused",
    "IncludeCycle",
    "IncludeMissing",
    "IncludeOutside",
    "IncludeUnreadable",
    "IncludeWithoutFolder",
    "LimitOpen",
    "RemarkUnknown",
    "SeveralGuarantees",
    "TooLong",
    "TooManyIncludes",
    "Unbalanced",
]
