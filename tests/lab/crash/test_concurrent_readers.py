"""The states of files during a write are enumerated, and faulty readers and writers reported."""

from __future__ import annotations

import io

import pytest

from lab.crash import concurrent_readers, judge
from lab.crash.concurrent_readers import DIFFERS, SHRINKS, moments, watch
from lab.crash.format_crash import crash_of
from lab.crash.trace import ROOT, Acknowledged, NameChanges, Operation, Resize, Trace, Write
from reference_impl.leveldb_log.writer import Writer

FORMAT = "leveldb-log"
WHAT = crash_of(FORMAT)
RECORDS = WHAT.records(3)


def framed() -> list[bytes]:
    """Return the bytes that each record adds to a log."""
    log = io.BytesIO()
    writer, result = Writer(log), []
    for each in RECORDS:
        before = log.tell()
        writer.append(each.payload)
        result.append(log.getvalue()[before:])
    return result


def trace(*operations: Operation) -> Trace:
    return Trace([NameChanges(((ROOT, WHAT.name, 1),)), *operations])


def appends() -> list[Operation]:
    results: list[Operation] = []
    at = 0
    for count, data in enumerate(framed(), 1):
        results += [Write(1, at, data), Acknowledged(count)]
        at += len(data)
    return results


def seen(done: Trace) -> set[tuple[str, str]]:
    return set(watch(done, FORMAT, RECORDS).findings)


def test_a_write_may_be_observed_at_each_sector() -> None:
    done = trace(Write(1, 0, b"a" * 600), Write(1, 300, b"b" * 700))
    results = [each.state.files[WHAT.name] for each in moments(done)]
    assert results == [
        b"",
        b"a" * 512,
        b"a" * 600,
        # The next two contents have only the first sector of the second write, or only its second
        # sector up to the old end of the file.
        b"a" * 300 + b"b" * 212 + b"a" * 88,
        b"a" * 512 + b"b" * 88,
        b"a" * 300 + b"b" * 700,
    ]


def test_an_appending_writer_can_be_read_at_every_moment() -> None:
    assert seen(trace(*appends())) == set()


def test_a_writer_that_rewrites_the_log_in_place_is_reported() -> None:
    whole = b"".join(framed())
    result = seen(trace(*appends(), Resize(1, 0), Write(1, 0, whole)))
    assert {(judge.LOST, "the specification"), (SHRINKS, "the scanner")} <= result


def test_a_reader_that_returns_a_record_twice_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    readers = concurrent_readers._readers(FORMAT)
    once = readers["the scanner"]
    twice = {**readers, "the scanner": lambda path: once(path) + once(path)[-1:]}
    monkeypatch.setattr(concurrent_readers, "_readers", lambda format: twice)
    assert seen(trace(*appends())) == {
        (what, "the scanner") for what in (judge.HOLE, SHRINKS, DIFFERS)
    }
