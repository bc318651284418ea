"""What a number that is made of many means: ``np.var(v)``, ``v.max()``, ``np.quantile(v, 0.9)``, ``v.size``.

A variance is divided by how many there are less ``ddof``, which NumPy takes for 0 and pandas for 1; its root has a name
of its own. Places count from 0. A quantile is interpolated, as NumPy and pandas do unless they are told otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dp_lsp import surface
from dp_lsp.frontends.python.draws import call, whole
from dp_lsp.frontends.python.kinds import COLUMNS, Kind, Kinds, Library, library_of
from dp_lsp.frontends.python.reducing import (
    DISTINCT,
    FREEDOM,
    PERCENTILE,
    QUANTILE,
    SIZE,
    SPREAD,
    SQUARED,
    WHERE_LARGEST,
    WHERE_SMALLEST,
    Reducing,
    distinct,
    reducing,
)
from dp_lsp.frontends.python.refused import Refused
from dp_lsp.frontends.python.tree import Places
from dp_lsp.surface import Node
from dp_lsp.text import Span

_ROOT = "np.sqrt"
_PLACES = frozenset({WHERE_LARGEST, WHERE_SMALLEST})
_HUNDRED = 100
_OF_MANY = frozenset({Kind.ARRAY, Kind.VECTOR, Kind.LIST, Kind.ANY})


class Reductions:
    """The part of an expression's meaning that makes one number of many."""

    _places: Places
    _kinds: Kinds
    _libraries: Mapping[str, Library]

    if TYPE_CHECKING:

        def node(self, node: ast.expr) -> Node: ...
        def number(self, node: ast.expr) -> Node: ...
        def length(self, span: Span, of: ast.expr) -> Node: ...
        def column(self, node: ast.expr) -> Node: ...
        def _there(self, node: ast.expr) -> Node | None: ...
        def _counted(self, span: Span, mask: ast.expr) -> Node: ...
        def _callee(self, node: ast.Call, name: str) -> surface.Name: ...

    def reduction(self, node: ast.Call) -> Node | None:
        """A call that makes one number of many; None for any other."""
        if (of := self._kinds.place_of(node)) is not None:
            span = self._places.span(node)
            place = surface.Call(*span, surface.Name(span.start, span.start, WHERE_LARGEST), (self.node(of),))
            return call("-", place, whole(span.end, 1))
        if (counted := distinct(node, self._kinds.called)) is not None and (made := self._values(counted)) is not None:
            return call(DISTINCT, made)
        found = reducing(node, self._kinds.called(node.func))
        if found is None or (found.is_method and self._kinds.of(found.of) not in COLUMNS):
            return None
        kind, name = self._kinds.of(found.of), ast.unparse(node.func)
        if found.told is None:
            raise Refused(node, f"`{name}` with other arguments")
        if found.function == SIZE and kind in COLUMNS:
            return self.length(self._places.span(node), found.of)
        if found.function == DISTINCT and (made := self._values(found.of)) is not None:
            return call(DISTINCT, made)
        if kind not in _OF_MANY or (found.function == SIZE and kind is not Kind.LIST):
            raise Refused(found.of, f"`{name}` of this")
        return self._reduced(node, found)

    def _values(self, of: ast.expr) -> Node | None:
        """A list, or a column without gaps, whose different values are counted; None for anything else."""
        kind = self._kinds.of(of)
        if kind is Kind.TEXTS:
            return self.column(of) if self._there(of) is None else None
        is_list = kind is Kind.LIST and isinstance(of, ast.Name)
        return self.node(of) if is_list or kind is Kind.ARRAY else None

    def _reduced(self, node: ast.Call, found: Reducing) -> Node:
        assert found.told is not None, "other arguments are refused"
        span, of = self._places.span(node), self.node(found.of)
        match found.function:
            case f if f == SIZE:
                return surface.Call(*span, self._callee(node, "len"), (of,))
            case f if f in (SQUARED, SPREAD):
                squared = surface.Call(*span, self._callee(node, SQUARED), (of,), (self._divisor(node, found),))
                return squared if f == SQUARED else call(_ROOT, squared)
            case f if f in (QUANTILE, PERCENTILE):
                share = self.number(found.told["q"])
                if f == PERCENTILE:
                    share = call("/", share, whole(share.end, _HUNDRED))
                return surface.Call(*span, self._callee(node, QUANTILE), (of, share))
            case f if f in _PLACES:
                place = surface.Call(*span, self._callee(node, f), (of,))
                return surface.Call(*span, surface.Name(span.start, span.start, "-"), (place, whole(span.end, 1)))
        return surface.Call(*span, self._callee(node, found.function), (of,))

    def _divisor(self, node: ast.Call, found: Reducing) -> surface.Keyword:
        """Whether a variance is divided by one less than there are."""
        said = None if found.told is None else found.told.get(FREEDOM)
        library = library_of(found.of, self._kinds, self._libraries)
        match said:
            case ast.Constant(value=int() as less) if less in (0, 1):
                corrected = bool(less)
            case None if not found.is_method or library is Library.NUMPY:
                corrected = False
            case None if library is Library.PANDAS:
                corrected = True
            case None:
                raise Refused(node, "a variance of what is an array of NumPy or a column of pandas (say `ddof`),")
            case _:
                raise Refused(said, "another `ddof` than 0 or 1")
        span = self._places.span(node)
        return surface.Keyword(span.end, span.end, "corrected", surface.Boolean(span.end, span.end, corrected))

    def share(self, span: Span, mask: ast.expr) -> Node:
        """The share of truth values that are true."""
        by = surface.Name(span.start, span.start, "/")
        return surface.Call(*span, by, (self._counted(span, mask), self.length(span, mask)))
