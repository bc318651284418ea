"""What is proved of a function, as data: its bounds, what they hold under, and what they are made of.

Numbers are those of the core, exact and shared. A record holds all of it as one text (:func:`encoded`), which is read
when somebody looks; what is read has symbols of its own. How it is said stands in :mod:`dp_lsp.analysis.words`.

So what is proved is data until it is shown, each number once (:mod:`dp_lsp.core.tables`). Renderers print it; none of
them reads text that was written for a person (``tests/test_said_once.py``).
"""

from __future__ import annotations

import json
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from dp_lsp.analysis.plain import plain, share
from dp_lsp.analysis.rows import NumericReport, Premised
from dp_lsp.core.algebra import Poly, Symbol
from dp_lsp.core.sens import Sens
from dp_lsp.core.tables import TableReader, TableWriter
from dp_lsp.core.types import UNKNOWN, Norm, Type
from dp_lsp.named import NamedTuple
from dp_lsp.text import Span

_DECODED = 512  # functions; more than a screen shows

for _kind, _name in ((Sens, "sens"), (Poly, "poly"), (Symbol, "symbol"), (Type, "type")):
    share(_kind, _name)


class PairDetail(NamedTuple):
    """An (ε, δ)."""

    epsilon: Sens
    delta: Sens


class Standing(StrEnum):
    """What is known of a parameter: a bound, that it is public, that nothing protects it, or nothing, where its
    function was not checked to the end or says by itself what it does."""

    BOUNDED = "bounded"
    PUBLIC = "public"
    EXPOSED = "exposed"
    UNKNOWN = "unknown"
    DECLARED = "declared"


class Scale(NamedTuple):
    """What a change of ``records`` records of a dataset does, which are those of one person. ``general`` is the bound
    for as many as ``number`` stands for; None where it is not known to be in proportion."""

    records: Sens
    number: Symbol
    general: Sens | None


class ParameterDetail(NamedTuple):
    """A parameter with its type; of a black box, one that is unknown may be any. ``sensitivity`` is that of the result,
    and ``guarantees`` are those of a private function, two where it is open which is smaller. ``scale`` is that of a
    dataset, and ``per_person`` how many records of it a person has, where bounds are about persons."""

    name: str
    type: Type
    static: bool
    standing: Standing
    sensitivity: Sens | None = None
    guarantees: tuple[PairDetail, ...] = ()
    scale: Scale | None = None
    per_person: Sens | None = None


class ChoiceDetail(NamedTuple):
    """A share of δ that the user may choose in (0, 1), or (0, 1] if it is ``closed``; it pays for composition, or for
    noise."""

    symbol: Symbol
    composes: bool
    closed: bool


class ProvedBound(NamedTuple):
    """A proved pair for parameters that change together, by a rule of a measure. ``own`` are the numbers of a measure
    that counts in something else."""

    parameters: tuple[str, ...]
    measure: str
    rule: str
    price: PairDetail
    choices: tuple[ChoiceDetail, ...]
    own: tuple[tuple[str, Sens], ...]


class Share(NamedTuple):
    """What a mechanism or a call spends, at a place relative to its function: symbolic, in numbers where there are
    any, and as a share of all."""

    parameters: tuple[str, ...]
    span: Span
    name: str
    price: PairDetail
    worth: tuple[Fraction | None, Fraction | None]
    share: float | None


class Need(NamedTuple):
    """A relation that a bound depends on, and that is open."""

    left: Sens | Poly
    relation: str
    right: Sens | Poly


class PremiseDetail(NamedTuple):
    """Something that is taken for granted. ``parameters`` are those it is about, of a norm none for the result; of a
    black box its name."""

    kind: Premised
    parameters: tuple[str, ...] = ()
    norm: Norm | None = None
    records: int = 0
    words: str = ""


class ChainLink(NamedTuple):
    """A step on the way from a change of a dataset to a release: by what, and how far the value moves there: in so many
    records, or by at most so much in a norm."""

    name: str
    far: Sens | None = None
    counted: bool = False
    norm: Norm | None = None


class Chain(NamedTuple):
    """The way from a change of a dataset, in so many records, to what a private function tells of it."""

    parameter: str
    records: Sens
    links: tuple[ChainLink, ...]
    price: PairDetail


class Details(NamedTuple):
    """All that is proved of a function. ``needs`` are the open relations that decide how numbers are written, and
    ``totals`` others; with ``nonnegative`` every public number is taken to be at least 0. ``unchecked`` says that the
    function was not checked to the end."""

    parameters: tuple[ParameterDetail, ...] = ()
    returns: Type = UNKNOWN
    needs: tuple[Need, ...] = ()
    totals: tuple[Need, ...] = ()
    nonnegative: bool = False
    premises: tuple[PremiseDetail, ...] = ()
    bounds: tuple[ProvedBound, ...] = ()
    numeric: tuple[NumericReport, ...] = ()
    mechanisms: tuple[str, ...] = ()
    shares: tuple[Share, ...] = ()
    chains: tuple[Chain, ...] = ()
    unchecked: bool = False


NOTHING = Details()


def encoded(details: Details) -> str:
    """Details as a text."""
    writer = TableWriter()
    written = plain(Details).write(details, writer)
    return json.dumps([writer.rows, written], separators=(",", ":"))


@lru_cache(_DECODED)
def decoded(text: str) -> Details:
    """The details that were written as a text; raises one of ``UNREADABLE`` for any other."""
    if not text:
        return NOTHING
    rows, written = json.loads(text)
    found: Details = plain(Details).read(written, TableReader(rows))
    return found
