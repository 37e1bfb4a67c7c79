"""Index files: the damage table that was run on the real reader, and further cases."""

from __future__ import annotations

import struct
import time

import pytest

from .conftest import INDEX_FILE

HEADER, TABLE, CHUNKS, MARKER, DATA = 0, 24, 36, 96, 104
HELLO, CHECKPOINT = b"hello", b"\xc0"


def changed(at: int, new: bytes, of: bytes = INDEX_FILE) -> bytes:
    return of[:at] + new + of[at + len(new) :]


def offsets(*values: int) -> bytes:
    return changed(TABLE, struct.pack("<3I", *values))


def outcome(answer):
    return answer.verdict, answer.reason, [record.payload for record in answer.records]


@pytest.mark.parametrize("size", range(len(INDEX_FILE)))
def test_every_prefix(read, size):
    """Cut before the entries: the committed table shows that this is damage."""
    answer = read(INDEX_FILE[:size])
    if size < TABLE + 1:
        assert outcome(answer) == ("torn", "torn-header", [])
    elif size < DATA:
        assert outcome(answer) == ("damaged", "missing-marker", [])
    else:
        whole = [HELLO] if size >= 129 else []
        assert outcome(answer) == ("torn", "torn-entry", whole)
        assert answer.end == (129 if whole else 104)
        assert [(gap.start, gap.end) for gap in answer.lost] == [(answer.end, size)]


@pytest.mark.parametrize(
    ("data", "verdict", "reason"),
    [
        (changed(0, b"RLOX"), "refused", "bad-token"),
        (changed(0, b"rlog"), "refused", "bad-token"),
        (INDEX_FILE[CHUNKS:MARKER] + INDEX_FILE, "refused", "bad-token"),
        (changed(8, struct.pack("<I", 0)), "refused", "unsupported-version"),
        (changed(8, struct.pack("<I", 2)), "refused", "unsupported-version"),
        (changed(4, struct.pack("<I", 32)), "damaged", "bad-header"),
        (changed(4, struct.pack("<I", 12)), "damaged", "bad-header"),
        (changed(12, struct.pack("<I", 4)), "damaged", "bad-header"),
        (changed(MARKER, b"ITMX"), "damaged", "missing-marker"),
        (INDEX_FILE[:94] + INDEX_FILE[96:], "damaged", "missing-marker"),
        (changed(40, struct.pack("<I", 0xFFFFFFFF)), "damaged", "missing-marker"),
        (changed(40, struct.pack("<I", 5000)), "damaged", "missing-marker"),
    ],
)
def test_header_and_chunks(read, data, verdict, reason):
    assert outcome(read(data)) == (verdict, reason, [])


@pytest.mark.parametrize("half", [16, 20])
def test_an_index_that_contradicts_the_name(read, half):
    data = changed(half, struct.pack("<I", 7))
    assert read(data, "00000000000001.rlog").reason == "index-mismatch"
    assert read(data, first_index="1").reason == "index-mismatch"
    assert read(data).verdict == "intact"  # without a name to compare with


@pytest.mark.parametrize(
    "data",
    [
        INDEX_FILE + b"garbage",
        INDEX_FILE[:CHUNKS] + INDEX_FILE[MARKER:],
        INDEX_FILE[:MARKER] + INDEX_FILE[CHUNKS:],
        changed(44, b"\xc1" * 50),
        changed(94, b"\xff\xff"),
        INDEX_FILE[:CHUNKS] + b"XTRA\x05\0\0\0alpha\0\0\0" + INDEX_FILE[CHUNKS:],
        INDEX_FILE[:CHUNKS] + bytes(8) + INDEX_FILE[CHUNKS:],
        INDEX_FILE[:CHUNKS] + INDEX_FILE[:CHUNKS] + INDEX_FILE[CHUNKS:],
        changed(100, struct.pack("<I", 9999)),
    ],
    ids=["tail", "no-meta", "two-metas", "meta-garbage", "padding", "unknown", "zeros",
         "second-rlog", "marker-length"],
)  # fmt: skip
def test_accepted_headers(read, data):
    assert outcome(read(data)) == ("intact", None, [HELLO, CHECKPOINT])


@pytest.mark.parametrize(
    ("table", "verdict", "reason", "payloads"),
    [
        ((25, 0, 99), "intact", None, [HELLO]),  # dirty
        ((0, 46, 99), "intact", None, []),
        ((46, 25, 0), "damaged", "bad-offset", []),
        ((25, 25, 0), "damaged", "bad-offset", []),
        ((25, 46, 0x40000000), "damaged", "bad-offset", [HELLO, CHECKPOINT]),
        ((25, 46, 0xFFFFFFFF), "damaged", "bad-offset", [HELLO, CHECKPOINT]),
        ((25, 46, 0x3FFFFFFF), "torn", "torn-entry", [HELLO, CHECKPOINT]),
        ((25, 47, 0), "torn", "torn-entry", [HELLO]),
        ((0x40000000, 46, 0), "damaged", "bad-offset", []),
        ((25, 30, 0), "damaged", "short-entry", [HELLO]),
    ],
)
def test_wrong_tables(read, table, verdict, reason, payloads):
    assert outcome(read(offsets(*table))) == (verdict, reason, payloads)


def test_lost_ranges_of_a_wrong_table(read):
    """The entries on both sides of a wrong offset are lost in one range."""
    answer = read(offsets(46, 25, 0))
    assert [gap.to_json() for gap in answer.lost] == [
        {"from": 104, "to": 150, "reason": "bad-offset"}
    ]
    assert answer.end is None


def test_term_of_the_limit_and_above(read):
    assert read(changed(142, (2**53 - 1).to_bytes(7, "little"))).verdict == "intact"
    answer = read(changed(142, (2**53).to_bytes(7, "little")))
    assert outcome(answer) == ("damaged", "bad-term", [HELLO])


def test_term_of_zero(read):
    """The term itself is invalid, and the entry before it stays."""
    answer = read(changed(142, bytes(7)))
    assert outcome(answer) == ("damaged", "bad-term", [HELLO])


def test_term_that_falls(read):
    answer = read(changed(117, (9).to_bytes(7, "little")))
    assert outcome(answer) == ("damaged", "decreasing-term", [])
    assert [(gap.start, gap.end) for gap in answer.lost] == [(104, 129), (129, 150)]


def test_any_type_is_returned(read):
    records = read(changed(141, b"\x07")).records
    assert [record.fields["entry_type"] for record in records] == [0, 7]


def test_entry_of_zeros(read):
    assert read(changed(129, bytes(21))).reason == "zero-entry"


def test_strict_stops_at_the_first_damage(read):
    answer = read(changed(104, INDEX_FILE[104:]) + b"x", profile="strict")
    assert answer.verdict == "intact"
    answer = read(offsets(10, 31, 46), profile="strict")
    assert [gap.to_json() for gap in answer.lost] == [
        {"from": 104, "to": 150, "reason": "short-entry"}
    ]
    assert answer.records == () and answer.end is None


def test_a_wrong_table_costs_no_memory(read):
    """A capacity of 2^30 - 16 in a file of 150 bytes takes neither 4 GiB nor time."""
    data = changed(4, struct.pack("<I", 16 + 4 * 0x3FFFFFF0))
    data = changed(12, struct.pack("<I", 0x3FFFFFF0), data)
    started = time.monotonic()
    assert read(data).reason == "missing-marker"
    assert time.monotonic() - started < 1


def test_many_chunks_take_linear_time(read):
    data = INDEX_FILE[:CHUNKS] + bytes(8) * 50_000 + INDEX_FILE[MARKER:]
    started = time.monotonic()
    assert len(read(data).records) == 2
    assert time.monotonic() - started < 3
