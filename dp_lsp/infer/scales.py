"""The scale of noise as a formula: what makes it larger that should make it smaller."""

from __future__ import annotations

from dp_lsp import builtins
from dp_lsp.builtins.define import Args, Noise
from dp_lsp.core import term
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.evaluate import symbols_of
from dp_lsp.core.scheme import Moves
from dp_lsp.infer import problems
from dp_lsp.infer.inference import Inference
from dp_lsp.intents import Rendering
from dp_lsp.problem import Edit, Fix

EPSILONS = frozenset({"eps", "epsilon", "ε", "ϵ"})
"""How people call the parameter that says how much may be told."""


def warn_inverted(inference: Inference, node: term.Call, noise: Noise, args: Args, moved: Moves) -> None:
    """Say so if noise grows with a parameter that is called ε, unless that moves what is hidden, too."""
    given = dict(zip(args.names, node.args, strict=True))
    sides = [(name, 1) for name in noise.grows] + [(name, -1) for name in noise.shrinks]
    found = [(name, way, args.static(name)) for name, way in sides if name in given]
    known = {symbol for move in moved.values() for symbol in symbols_of(move.sens)}
    for name, way, value in found:
        for symbol in symbols_of(value) - known:
            elsewhere = any(symbol in symbols_of(other) for at, _, other in found if at != name)
            if symbol.name in EPSILONS and not elsewhere and _grows(value, symbol, way):
                place = given[name]
                inference.report(
                    problems.InvertedNoise.at(
                        place.span,
                        symbol=symbol.name,
                        written=inference.written(place.span),
                        argument=name,
                        call=builtins.TABLE[node.builtin].signature,
                        fixes=() if name == noise.declares else _fixes(inference.code, place, value, symbol),
                    )
                )


def _grows(value: Poly, symbol: Symbol, way: int) -> bool:
    """Whether a number gets larger with a symbol, or smaller if the way is -1, in all its terms that have it."""
    powers = [power * way for monomial in value.terms for atom, power in monomial if atom is symbol]
    return bool(powers) and all(power > 0 for power in powers)


def _fixes(code: Rendering, place: term.Term, value: Poly, symbol: Symbol) -> tuple[Fix, ...]:
    """The other way round, where it is the symbol and nothing else."""
    alone = Poly.of(symbol)
    instead = code.call("/", "1", symbol.name) if value == alone else symbol.name if value == alone.inverse() else ""
    return (Fix(f"write `{instead}`", (Edit(place.span, instead),), sure=False),) if instead else ()
