"""Problems of names, scopes, changes and annotations."""

from dp_lsp.lower.problems.changes import (
    ChangedAndAssigned,
    ChangingFunctionAsValue,
    GivenTwice,
    MissingReturn,
    NotAVariable,
    NothingChanged,
    ReturnInside,
)
from dp_lsp.lower.problems.names import (
    AssignedTwice,
    BuiltinAsValue,
    BuiltinImported,
    BuiltinRedefined,
    CallCycle,
    CapturedVariable,
    ImportedAndDefined,
    MaybeUndefined,
    NotAdjacent,
    OuterAssigned,
    SameSignature,
    TwoStyles,
    UsedBeforeDefined,
)
from dp_lsp.lower.problems.ownership import (
    CapturedChanged,
    LoopShuffle,
    PartChanged,
    PassedThrough,
    SharedChange,
    TakenApartChanged,
    TwoMemories,
)
from dp_lsp.lower.problems.syntax import (
    BlackBoxInside,
    BlackBoxMethods,
    BlackBoxStatic,
    IncludeNotLiteral,
    OpenImport,
    UnknownType,
    Unsupported,
)

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

__all__ = [
    "OF_SHARING",
    "AssignedTwice",
    "BlackBoxInside",
    "BlackBoxMethods",
    "BlackBoxStatic",
    "BuiltinAsValue",
    "BuiltinImported",
    "BuiltinRedefined",
    "CallCycle",
    "CapturedChanged",
    "CapturedVariable",
    "ChangedAndAssigned",
    "ChangingFunctionAsValue",
    "GivenTwice",
    "ImportedAndDefined",
    "IncludeNotLiteral",
    "LoopShuffle",
    "MaybeUndefined",
    "MissingReturn",
    "NotAVariable",
    "NotAdjacent",
    "NothingChanged",
    "OpenImport",
    "OuterAssigned",
    "PartChanged",
    "PassedThrough",
    "ReturnInside",
    "SameSignature",
    "SharedChange",
    "TakenApartChanged",
    "TwoMemories",
    "TwoStyles",
    "UnknownType",
    "Unsupported",
    "UsedBeforeDefined",
]
