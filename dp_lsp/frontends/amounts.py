"""Numbers in repairs: with few digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction


def short(amount: Fraction, up: bool = False) -> str:
    """A number with three digits that count, rounded down, or up."""
    if amount <= 0:
        return "0"
    unit = Fraction(1)
    while amount / unit >= 1000:
        unit *= 10
    while amount / unit < 100:
        unit /= 10
    rounded = (-(-amount // unit) if up else amount // unit) * unit
    return f"{rounded.numerator / Decimal(rounded.denominator):f}"
