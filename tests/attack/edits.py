"""Programs before and after an edit that changes one thing of what a function means to its callers, and nothing else.

What is found out after the edit must be what a check finds that remembers nothing. Each edit belongs to a field of a
class that digests are made of; the text of the callers stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from unittest import mock

from dp_lsp.analysis.records import Analysis, Verdict
from dp_lsp.core import scheme, types
from dp_lsp.core.digest import Ways
from dp_lsp.core.values import LEFT_OUT, left_out
from dp_lsp.engine import premises
from dp_lsp.engine.check import Engine


class Edited(NamedTuple):
    """A program with ``@`` where the edit is, what stands there before it and after it, and the field that it is
    about."""

    field: str
    text: str
    before: str
    after: str

    def seen(self) -> bool:
        """Whether a check that remembers what was before it says of the edited program what one says that does not."""
        engine = Engine()
        engine.check(self.text.replace("@", self.before))
        after = self.text.replace("@", self.after)
        return engine.check(after).chunks == Engine().check(after).chunks

    def matters(self) -> bool:
        """Whether something else is said of a piece that is not edited."""
        before, after = (Engine().check(self.text.replace("@", each)) for each in (self.before, self.after))
        first, second = map(_by_text, (before, after))
        return any(first[text] != second[text] for text in first.keys() & second.keys())


def _by_text(found: Analysis) -> dict[str, Verdict]:
    text = found.source.text
    return {text[each.start : each.start + each.length]: each.record.verdict for each in found.chunks}


METHODS = "k(n::Integer, y::Real) = y\n\nk(n::Real, y::Real) = 100 * y\n\n"

EDITS = (
    Edited(
        "NumberType.stored",
        METHODS
        + "i(m::Static(Integer)) = m\n\nw(m::Static(Integer)) :: @ = i(m)\n\n"
        + "f(y::Real, m::Static(Integer)) = k(w(m), y)\n",
        "Real",
        "Float64",
    ),
    Edited(
        "Scheme.linear",
        "i(p::Real) = p\n\nk(p::Real, q::Real) = 2 * (i(p) + @)\n\n"
        "f(v::MetricVector(Real, L1)) = k(v[1], v[2]) - 3 * v[2]\n",
        "q",
        "max(q, -5)",
    ),
    Edited(
        "Scheme.template",
        "old(x::Real) = x >= @\n\nf(v::MetricVector(Real, Symmetric)) = count(old, v) + count(x -> x < 18, v)\n",
        "18",
        "16",
    ),
    Edited("Premises.cloud", "@\n\ng(x::Real) = 2 * x\n", "c = 1", "eval(:(c = 1))"),
    Edited("NamedMeaning.conflict", "f(x::Real) = x\n\n@\n\nf(x::Vector{<:Real}) = x[1]\n", "# nothing", "c = f(1)"),
    Edited("NamedMeaning.cloud", "@\n\ng(x::Real) = f(x)\n", "c = 1", "a, f = 1, 2"),
)


class Forgotten(NamedTuple):
    """A field that digests leave out, though what is said of others depends on it."""

    edited: Edited

    @property
    def name(self) -> str:
        return f"digest: {self.edited.field} is left out"

    def noticed(self, by_search: bool = False) -> str:
        """Who notices: the edit, if a check does not see it any more."""
        with self.in_place():
            return "" if self.edited.seen() else "an edit"

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """The field is no part of digests."""
        title, _, field = self.edited.field.partition(".")
        cls = CLASSES[title]
        ways = Ways({cls: way for cls, way in premises.WAYS.items()})
        out = left_out(cls) | {field: "a mutant"}
        with mock.patch.object(cls, LEFT_OUT, out, create=True), mock.patch.object(premises.Meanings, "ways", ways):
            yield


CLASSES: dict[str, type] = {
    each.__name__: each
    for each in (types.NumberType, scheme.Scheme, scheme.SchemeParameter, premises.NamedMeaning, premises.Premises)
}


def forgotten() -> Iterator[Forgotten]:
    """Each field that an edit is about, left out."""
    yield from map(Forgotten, EDITS)
