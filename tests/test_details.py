"""What a record holds, what is proved of a function above all: it is read back as it was written."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

from dp_lsp.analysis.details import Details, TableReader, TableWriter, decoded
from dp_lsp.analysis.plain import UNREADABLE, plain
from dp_lsp.analysis.records import ChunkRecord
from dp_lsp.engine.check import Engine
from test_digests import Sampler, taking_part

ONE = """
function f(x::Real, a::Static(), b::Static()) :: Priv()
    laplacian_mechanism(1, 1, a * b * x + b * x) + laplacian_mechanism(1, 2, a * x)
end
g(x::Real, a::Static(), b::Static()) = a * x + b * x * a
"""
OTHER = ONE.replace("a * b * x + b * x", "b * x + a * b * x").replace("a * x + b * x * a", "b * x * a + a * x")


def test_what_says_the_same_is_written_alike() -> None:
    """In whatever order its numbers were met: a record is compared with what was known before."""
    engine = Engine()
    first, second = engine.check(ONE).functions, Engine().check(OTHER).functions
    assert [each.encoded for each in first] == [each.encoded for each in second]


def test_what_is_no_record_is_refused() -> None:
    (function, _) = Engine().check(ONE).functions
    rows, written = json.loads(function.encoded)
    for wrong in ([rows[:1], written], [[[9]], written], [rows, written[:3]], [rows, [7, *written[1:]]], [], [rows]):
        with pytest.raises(UNREADABLE):
            decoded(json.dumps(wrong))


def test_each_number_is_written_once() -> None:
    for function in Engine().check(ONE).functions:
        rows, _ = json.loads(function.encoded)
        texts = list(map(json.dumps, rows))
        assert len(set(texts)) == len(texts)


def test_what_is_proved_is_priced_when_somebody_asks() -> None:
    """And a copy for another process has it, which is how records are compared, too."""
    engine = Engine()
    analysis = engine.check(ONE)
    assert [each.state for each in analysis.functions] == ["proved", "proved"] and not analysis.problems
    waiting = [each.claims for each in analysis.functions] + [chunk.record.facts for chunk in analysis.chunks]
    assert not any(each.is_known for each in waiting)
    copy = pickle.loads(pickle.dumps(analysis.chunks))
    assert all(each.is_known for each in waiting)
    assert copy == analysis.chunks == Engine().check(ONE).chunks != Engine().check(OTHER).chunks
    assert all(each.is_known for chunk in copy for each in (chunk.record.facts, chunk.record.names))
    assert analysis.functions[0].bounds and analysis.facts_at(ONE.index("laplacian"))


# Every field of every class


class Recorded(Sampler):
    """Makes values of records, in which numbers are not that long."""

    def some(self, hint: Any) -> list[Any]:
        return [1, 2] if hint is int else super().some(hint)


OF_RECORDS = [
    cls for cls in taking_part(ChunkRecord, Details) if cls.__module__.startswith(("dp_lsp.analysis", "dp_lsp.problem"))
]
"""The classes that records are made of, but for numbers and types."""


def written(cls: type, value: Any) -> str:
    writer = TableWriter()
    row = plain(cls).write(value, writer)
    return json.dumps([writer.rows, row])


def read(cls: type, text: str) -> Any:
    rows, row = json.loads(text)
    return plain(cls).read(row, TableReader(rows))


@pytest.mark.parametrize("cls", OF_RECORDS, ids=lambda cls: cls.__qualname__)
def test_every_field_is_written_and_read_back(cls: type) -> None:
    """What is read has symbols of its own, so texts are compared. Of a type it is not said how it is stored."""
    texts = [written(cls, value) for value in Recorded().of_class(cls)]
    assert len(texts) > len(cls._fields), "each field is something else once"
    assert len(set(texts)) == len(texts)
    assert [written(cls, read(cls, text)) for text in texts] == texts


def shorter(value: Any) -> Iterator[Any]:
    """What JSON says, with one list shorter each time. A type that is none is an unknown one."""
    for place, each in enumerate(value if isinstance(value, list) else ()):
        yield from ([*value[:place], inner, *value[place + 1 :]] for inner in shorter(each))
    if isinstance(value, list) and value not in ([], ["unknown"]):
        yield value[:-1]


@pytest.mark.parametrize("cls", OF_RECORDS, ids=lambda cls: cls.__qualname__)
def test_what_lacks_a_field_is_no_record(cls: type) -> None:
    for value in Recorded().of_class(cls):
        rows, row = json.loads(written(cls, value))
        with pytest.raises(UNREADABLE):
            read(cls, json.dumps([rows, row[:-1]]))
        for less in shorter(row):
            try:
                found = read(cls, json.dumps([rows, less]))
            except UNREADABLE:
                continue
            assert json.loads(written(cls, found))[1] != row, "it is another one, not the same with less"
