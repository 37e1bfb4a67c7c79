"""Properties of every input: any records, any damage, any bytes (spec/conventions.md)."""

from __future__ import annotations

import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference_impl import formats
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.zmq_raft.message_pack import decode, encode, to_json

from .conftest import INDEX_FILE, SNAPSHOT, STATE

pytestmark = pytest.mark.slow

FORMAT = formats.named("zmq-raft")
RUNS = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

entries = st.lists(
    st.builds(
        lambda payload, record_type, request: (payload, record_type, request),
        st.binary(max_size=40), st.integers(0, 2), st.binary(min_size=12, max_size=12),
    ),
    max_size=12,
)  # fmt: skip
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=40)
    | st.floats(allow_nan=False) | st.binary(max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)  # fmt: skip
updates = st.lists(st.dictionaries(st.text(max_size=8), values, max_size=20), max_size=6)


def read(path: Path, profile: str = "recover", **context: object) -> Answer:
    return collect(FORMAT.read(path, profile, context))


def records_of(drawn, terms=None) -> list[NewRecord]:
    return [
        NewRecord(
            payload, {"term": str(1 + n // 3), "entry_type": record_type, "request_id": rid.hex()}
        )
        for n, (payload, record_type, rid) in enumerate(drawn)
    ]


@given(entries, st.sampled_from([1, 2, 4, 16]), st.integers(1, 40))
@RUNS
def test_written_records_are_read_back(drawn, capacity, first):
    records = records_of(drawn)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "raft"
        snapshot = {"index": str(first - 1), "term": "1", "payload": "ab"}
        FORMAT.write(path, records, {"capacity": capacity, "snapshot": snapshot})
        answer = read(path)
        assert FORMAT.recognise(path)
    assert (answer.verdict, answer.lost) == ("intact", ())
    got = answer.records[1:]
    assert [int(record.fields["index"]) for record in got] == list(range(first, first + len(drawn)))
    for expected, actual in zip(records, got, strict=True):
        assert actual.payload == expected.payload
        assert {name: actual.fields[name] for name in expected.fields} == dict(expected.fields)


@given(updates)
@RUNS
def test_updates_are_read_again(drawn):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.pers"
        FORMAT.write(path, [NewRecord(encode(update)) for update in drawn], {"kind": "state"})
        answer = read(path)
    assert (answer.verdict, answer.end) == ("intact", sum(len(encode(u)) for u in drawn))
    merged: dict[str, object] = {}
    for expected, actual in zip(drawn, answer.records, strict=True):
        shown = to_json(decode(encode(expected))[0])
        assert actual.fields["update"] == shown
        merged |= shown
    if drawn:
        assert answer.records[-1].fields["state"] == merged


def holds_together(path: Path, size: int, written: list[bytes] | None = None) -> None:
    """Assert the invariants for one file."""
    before = path.read_bytes()
    answer = read(path)
    assert read(path) == answer
    assert path.read_bytes() == before
    ranges = [(record.at, record.at + record.size) for record in answer.records]
    ranges += [(gap.start, gap.end) for gap in answer.lost]
    for (_, end), (start, _) in zip(sorted(ranges), sorted(ranges)[1:], strict=False):
        assert end <= start, "records and lost ranges overlap"
    assert all(0 <= start <= end <= size for start, end in ranges)
    assert (answer.reason is None) == (answer.verdict == "intact")
    assert bool(answer.lost) == (answer.verdict in ("torn", "damaged"))
    if answer.verdict == "refused":
        assert not answer.records and answer.end is None
    if answer.end is not None:
        assert answer.end <= size
    strict = read(path, "strict")
    if answer.verdict != "damaged":
        assert strict == answer
    else:
        assert len(strict.lost) == 1 and strict.end is None
        assert strict.records == answer.records[: len(strict.records)] or answer.reason


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"RLOG", b"SNAP", INDEX_FILE[:24], INDEX_FILE[:36], SNAPSHOT[:36],
                     INDEX_FILE[:104], STATE]),
    st.sampled_from(["x.rlog", "x.snap", "x.pers", "other"]),
)  # fmt: skip
@RUNS
def test_any_bytes_are_read(tail, head, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(head + tail)
        holds_together(path, len(head + tail))
        assert FORMAT.recognise(path) in (True, False)


def test_compressed_snapshots_are_bytes_like_any_others():
    packed = zlib.compress(b"x" * 1000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snap"
        FORMAT.write(path, [NewRecord(packed, {"index": "9", "term": "2"})], {})
        assert read(path).records[0].payload == packed
