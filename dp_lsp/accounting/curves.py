"""From a Rényi divergence at an order α > 1 to a pair (ε, δ), for floats and for intervals alike."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dp_lsp.mechanisms.arithmetic import Arithmetic, Interval, Order


def converted(by: Arithmetic[Any], divergence: Any, order: Order, delta: Any) -> Any:
    """The ε of a divergence at an order > 1: ε(α) + ln((α-1)/α) - (ln δ + ln α)/(α-1), if that is positive.
    Sources: Balle and others 2020, Theorem 21; Canonne, Kamath and Steinke 2020, Proposition 12."""
    paid = (by.ln(delta) + by.ln(by.of(order))) / by.of(order - 1)
    return divergence + by.ln(by.of((order - 1) / order)) - paid


def indistinct(divergence: Interval, delta: Fraction) -> bool:
    """Whether a divergence at some order, or the limit at 1, shows that the distributions are within δ in total
    variation: δ ≥ √(1 - e^-ε(α)). Source: Bretagnolle and Huber 1979."""
    return (0 - (-divergence).expm1()).up <= delta**2
