"""Summaries of both readers agree with the executable specification on every vector."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from conformance.vectors import Vector, load_all
from reference_impl.answer import Answer, collect
from reference_impl.formats import FORMATS, named
from walproof.summary import model, summary
from walproof.summary.model import SHOWN_RANGES, Summary
from walproof.summary.summary import summarise

VECTORS = [v for v in load_all().values() if v.operation == "read" and v.input.exists()]
READERS = ("scanner", "specification in columns", "specification alone")


def answer_of(vector: Vector) -> Answer:
    return collect(
        named(vector.body["format"]).read(vector.input, "recover", vector.body.get("context", {}))
    )


def assert_summary(found: Summary, answer: Answer) -> None:
    assert found.records == len(answer.records)
    assert found.framed_bytes == sum(record.size for record in answer.records)
    assert (found.verdict, found.reason) == (answer.verdict, answer.reason)
    assert (found.end, found.end_file) == (answer.end, answer.end_file)
    lost = sum(gap.end - gap.start for gap in answer.lost)
    assert found.lost_bytes + found.unwritten_bytes == lost
    assert found.reasons == Counter(gap.reason for gap in answer.lost)
    sizes = sorted((gap.end - gap.start for gap in answer.lost), reverse=True)
    assert [gap.end - gap.start for gap in found.ranges] == sizes[:SHOWN_RANGES]
    assert (found.first is None) == (not answer.records)
    if answer.records:
        assert found.first is not None
        assert found.last is not None
        first, last = answer.records[0], answer.records[-1]
        assert (found.first.at, found.first.file) == (first.at, first.file)
        assert (found.last.at, found.last.file) == (last.at, last.file)
    for name, span in (("realtime", found.times), ("index", found.indexes)):
        values = [int(r.fields[name]) for r in answer.records if name in r.fields]
        assert span == ((min(values), max(values)) if values else None), name


@pytest.mark.slow
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("format_id", FORMATS)
def test_vectors(format_id: str, reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "WORTH_A_KERNEL", 0 if reader == "scanner" else 1 << 62)
    if reader == "specification alone":
        monkeypatch.setitem(sys.modules, "walproof.summary.runs", None)
        monkeypatch.delattr("walproof.summary.runs", raising=False)
    mine = [v for v in VECTORS if v.body["format"] == format_id][::6]
    assert len(mine) > 15
    for vector in mine:
        answer = answer_of(vector)
        result = summarise(format_id, vector.input, vector.body.get("context", {}))
        try:
            assert_summary(result, answer)
        except AssertionError as error:
            raise AssertionError(f"{vector.id}: {error}") from error


def test_missing_indexes_are_counted() -> None:
    result = Summary("zmq-raft")
    for index in (3, 4, 8):
        model.widen(result, {"index": str(index)})
    assert (result.indexes, result.missing) == ((3, 8), 3)


def test_progress_reaches_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    vector = next(v for v in VECTORS if v.id == "leveldb-log/one-record")
    given: list[int] = []
    summarise("leveldb-log", vector.input, {}, given.append)
    assert given[-1] == vector.input.stat().st_size
