"""Properties of every input: any records, any damage, any bytes (spec/conventions.md)."""

from __future__ import annotations

import tempfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.contents import read_contents, write_contents
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


@pytest.mark.parametrize("control", [INDEX_FILE, SNAPSHOT, STATE], ids=["index", "snap", "state"])
@given(st.data())
@RUNS
def test_any_damage_is_read(control, data):
    """Flips, cuts, zeros and insertions at any offset."""
    damaged = bytearray(control)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(len(damaged) - 1, 0)))
        change = data.draw(st.sampled_from(["flip", "cut", "zero", "insert", "extend", "set"]))
        if change == "cut":
            del damaged[at:]
        elif change == "insert":
            damaged[at:at] = data.draw(st.binary(min_size=1, max_size=9))
        elif change == "extend":
            damaged += data.draw(st.binary(max_size=40))
        elif change == "zero":
            damaged[at : at + 9] = bytes(len(damaged[at : at + 9]))
        elif damaged and change == "flip":
            damaged[at] ^= 1 << data.draw(st.integers(0, 7))
        elif damaged:
            damaged[at] = data.draw(st.integers(0, 255))
    names = {INDEX_FILE: "x.rlog", SNAPSHOT: "x.snap", STATE: "x.pers"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / names[control]
        path.write_bytes(damaged)
        holds_together(path, len(damaged))


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


@given(entries, st.data())
@RUNS
def test_no_entry_is_invented_when_a_file_is_cut_or_zeroed(drawn, data):
    """Returned entries were written, in that order, whatever is missing."""
    records = records_of(drawn)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "raft"
        FORMAT.write(root, records, {"capacity": 4})
        contents = dict(read_contents(root))
        name = data.draw(st.sampled_from(sorted(contents)))
        change = data.draw(st.sampled_from(["cut", "remove"]))
        if change == "remove":
            del contents[name]
        else:
            contents[name] = contents[name][: data.draw(st.integers(0, len(contents[name])))]
        damaged = Path(folder) / "damaged"
        write_contents(contents, damaged)
        answer = read(damaged)
        written = {n + 1: record.payload for n, record in enumerate(records)}
        got = [(int(r.fields["index"]), r.payload) for r in answer.records if "term" in r.fields]
        assert [index for index, _ in got] == sorted({index for index, _ in got})
        assert all(written[index] == payload for index, payload in got if index)
        if answer.verdict in ("intact", "torn") and answer.end is not None and contents:
            more = [NewRecord(b"more", {"term": "99"})]
            FORMAT.append(damaged, more, {})
            again = read(damaged)
            assert [r.payload for r in again.records] == [r.payload for r in answer.records] + [
                b"more"
            ]
            assert again.verdict == "intact"


def test_compressed_snapshots_are_bytes_like_any_others():
    packed = zlib.compress(b"x" * 1000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "snap"
        FORMAT.write(path, [NewRecord(packed, {"index": "9", "term": "2"})], {})
        assert read(path).records[0].payload == packed
