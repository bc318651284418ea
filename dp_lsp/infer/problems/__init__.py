"""Problems that inference reports."""

from dp_lsp.infer.problems.names import (
    CallsUnchecked,
    ChangeableConstant,
    NoRule,
    SeveralMethods,
    UnknownName,
)
from dp_lsp.infer.problems.privacy import (
    LeavesUnprotected,
    NoBound,
    NoGuarantee,
    NoMechanism,
    NotDeclaredPrivate,
    NotRepeatable,
)
from dp_lsp.infer.problems.sensitivity import ConditionFails, PrivateCheck, TooSensitive, Unbounded, UnboundedInput
from dp_lsp.infer.problems.types import (
    DataToMechanism,
    DoesNotFit,
    MustBePublic,
    NeedsTypes,
    NoMethod,
    NotClipped,
    OtherNorm,
    WhichFunction,
    WrongArgument,
    WrongCount,
    WrongResult,
)

__all__ = [
    "CallsUnchecked",
    "ChangeableConstant",
    "ConditionFails",
    "DataToMechanism",
    "DoesNotFit",
    "LeavesUnprotected",
    "MustBePublic",
    "NeedsTypes",
    "NoBound",
    "NoGuarantee",
    "NoMechanism",
    "NoMethod",
    "NoRule",
    "NotClipped",
    "NotDeclaredPrivate",
    "NotRepeatable",
    "OtherNorm",
    "PrivateCheck",
    "SeveralMethods",
    "TooSensitive",
    "Unbounded",
    "UnboundedInput",
    "UnknownName",
    "WhichFunction",
    "WrongArgument",
    "WrongCount",
    "WrongResult",
]
