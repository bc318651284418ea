"""What a top-level name means to those who use it, as a digest: equal digests, equal meaning.

Symbols are written by name. Within a scheme names are unique (parameters, and sizes of parameters), so two schemes
that are written alike differ in nothing a caller can see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from dp_lsp.core.display import type_text
from dp_lsp.core.events import (
    Called,
    Cost,
    Distances,
    Either,
    Gaussian,
    Laplace,
    Leak,
    Release,
    Repeat,
    Sampled,
    Sequence,
    Var,
)
from dp_lsp.core.notation import SYMPY, Printer
from dp_lsp.core.scheme import FunctionValue, Judgement, Scheme
from dp_lsp.infer.inference import Global, Unreadable

_PRINT = Printer(SYMPY)


def digest(value: Global | Unreadable | None) -> bytes:
    """The digest of what a name means; None is a name without a meaning."""
    return hashlib.blake2b(_text(value).encode(), digest_size=16).digest()


def _text(value: Global | Unreadable | None) -> str:
    match value:
        case None:
            return "nothing"
        case Unreadable(name, reason):
            return f"unreadable {name}: {reason}"
        case FunctionValue(name, methods, box):
            if box is not None:
                types = ", ".join("Any" if t is None else type_text(t) for t in box.params)
                return f"black box {name}({types}) {box.captures}"
            return "\n".join(_scheme(scheme) for scheme in methods)
        case Judgement():
            return _judgement(value)


def _scheme(scheme: Scheme) -> str:
    costs = _Costs()
    lines = [f"{scheme.name}{scheme.signature} private={scheme.claims_privacy} {scheme.reason}"]
    lines += [
        f"{p.name}: {type_text(p.type)} {p.static} {p.var.gap} {p.var.uid if p.name == '_' else ''}"
        for p in scheme.params
    ]
    failing = None if scheme.failing is None else sorted(var.name for var in scheme.failing)
    lines += [_judgement(scheme.result), costs.text(scheme.cost), f"fails on {failing}"]
    lines += [f"{_PRINT.constraint(need)} {need.origin.reason}" for need in scheme.needs]
    lines += sorted(symbol.name for symbol in scheme.symbols) + sorted(norm.name for norm in scheme.norms)
    return "\n".join(lines)


def _judgement(value: Judgement) -> str:
    moved = sorted(f"{var.name}: {_PRINT.sens(move.sens)}" for var, move in value.moves.items())
    return f"{type_text(value.type)} {moved} [{'; '.join(_judgement(part) for part in value.parts)}]"


class _Costs:
    """Writes a tree once for each node, however often it is shared."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def text(self, cost: Cost) -> str:
        known = self._seen.get(id(cost))
        if known is not None:
            return f"#{known}"
        self._seen[id(cost)] = len(self._seen)
        match cost:
            case Release(event=event, distance=distance, factor=factor):
                return f"release {_event(event)} {_distances(distance)} {_PRINT.sens(factor)}"
            case Leak(variables=variables):
                return f"leak {sorted(var.name for var in variables)}"
            case Sequence(parts=parts) | Either(parts=parts):
                return f"{type(cost).__name__}({', '.join(map(self.text, parts))})"
            case Repeat(count=count, body=body):
                return f"repeat {_PRINT.sens(count)} {self.text(body)}"
            case Sampled(draws=draws, rows=rows, along=along, aligned=aligned, body=body):
                size = f"{_PRINT.sens(draws)} of {_PRINT.sens(rows)} {aligned}"
                return f"sampled {size} {_along(along)} {self.text(body)}"
            case Called(body=body, along=along, values=values):
                return f"called {_along(along)} {values.text(_PRINT.poly)} {self.text(body)}"


def _event(event: Laplace | Gaussian) -> str:
    sizes = [event.declared, event.epsilon]
    if isinstance(event, Gaussian):
        sizes.append(event.delta)
    return f"{event.name}({', '.join(map(_PRINT.sens, sizes))})"


def _distances(distances: Distances) -> list[str]:
    return sorted(f"{var.name}: {_PRINT.sens(sens)}" for var, sens in distances.items())


def _along(along: Mapping[Var, Distances]) -> str:
    return str(sorted((var.name, _distances(moved)) for var, moved in along.items()))
