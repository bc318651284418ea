"""Names that are spelled in several ways and are one to Julia."""

from __future__ import annotations

import unicodedata

_FOLDED = str.maketrans(
    {
        "\N{LATIN SMALL LETTER OPEN E}": "\N{GREEK SMALL LETTER EPSILON}",
        "\N{MICRO SIGN}": "\N{GREEK SMALL LETTER MU}",
        "\N{MIDDLE DOT}": "\N{DOT OPERATOR}",
        "\N{GREEK ANO TELEIA}": "\N{DOT OPERATOR}",
        "\N{MINUS SIGN}": "-",
        "\N{PLANCK CONSTANT OVER TWO PI}": "\N{LATIN SMALL LETTER H WITH STROKE}",
    }
)


def normalised(word: str) -> str:
    """The name, the operator or the exponent that Julia takes a word for.

    Since Julia 1.10 these six characters are read as others, and after that the word is composed (NFC): in that order,
    so that an open e with an accent is an accented epsilon."""
    return word if word.isascii() else unicodedata.normalize("NFC", word.translate(_FOLDED))
