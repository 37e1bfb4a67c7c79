"""Written records can be read back, and hostile files take little time and memory."""

from __future__ import annotations

import struct
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reference_impl import formats
from reference_impl.answer import Answer, NewRecord, collect
from reference_impl.zmq_raft.message_pack import decode, encode, to_json

from .conftest import INDEX_FILE, STATE

pytestmark = pytest.mark.slow

FORMAT = formats.named("zmq-raft")
RUNS = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))

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


def read(path: Path) -> Answer:
    return collect(FORMAT.read(path, "recover", {}))


def records_of(drawn) -> list[NewRecord]:
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


def changed(at: int, new: bytes, of: bytes = INDEX_FILE) -> bytes:
    return of[:at] + new + of[at + len(new) :]


def test_hostile_files_cost_neither_time_nor_memory(tmp_path):
    """The files claim a huge capacity, or have many chunks, a large update, or deep nesting."""
    capacity = changed(4, struct.pack("<I", 16 + 4 * 0x3FFFFFF0))
    capacity = changed(12, struct.pack("<I", 0x3FFFFFF0), capacity)
    chunks = INDEX_FILE[:36] + bytes(8) * 50_000 + INDEX_FILE[96:]
    update = b"\xdf\x00\x02\x00\x00" + b"".join(
        b"\xa4%04x\x01" % (n % 65536) for n in range(1 << 17)
    )
    for name, data, records in (
        ("x.rlog", capacity, 0),
        ("x.rlog", chunks, 2),
        ("s.pers", STATE + update + STATE, 11),
        ("s.pers", b"\x81\xa1a" + b"\x91" * 500_000, 0),
        ("s.pers", b"\xdf\xff\xff\xff\xff", 0),
        ("s.pers", b"\x81\xdb\xff\xff\xff\xff", 0),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        started = time.process_time()
        answer = read(path)
        assert len(answer.records) == records
        assert records or answer.verdict in ("torn", "damaged")
        assert time.process_time() - started < 5
