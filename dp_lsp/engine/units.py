"""What a bound is about: one person, and how many records that person has."""

from __future__ import annotations

from collections.abc import Iterator

from dp_lsp.core.annotation import DatasetOf
from dp_lsp.core.metrics import holds_records
from dp_lsp.core.scheme import Scheme, SchemeParameter
from dp_lsp.core.types import TupleType

_PREMISE = "a person has at most {} records in `{}` (`contributes`)"


def premise(scheme: Scheme, contributes: int) -> Iterator[str]:
    """What the configuration says of persons, where the bounds of a function are about them."""
    names = [param.name for param in scheme.params if _is_counted(param, contributes)]
    if names:
        yield _PREMISE.format(contributes, "` and `".join(names))


def _is_counted(param: SchemeParameter, contributes: int) -> bool:
    """Whether it is the configuration that says how many records of a parameter a person has."""
    if isinstance(param.declared, DatasetOf) and param.declared.each is not None:
        return False
    items = param.type.items if isinstance(param.type, TupleType) else ()
    inside = contributes > 1 and not param.static and any(map(holds_records, items))
    return param.unit is not None or inside
