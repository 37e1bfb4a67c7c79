"""The outcome tables that were recorded from the real reader, and further cases."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from reference_impl.answer import Answer
from reference_impl.kahadb_journal.layout import EOF_RECORD
from reference_impl.kahadb_journal.writer import batch, record

Reader = Callable[..., Answer]
Edit = Callable[[bytearray], bytes | bytearray | None]


def payload(number: int) -> bytes:
    """Return twelve bytes; with headers, a record of 17 or a control batch of 45."""
    return b"record %05d" % number


def batch_of(number: int, checked: bool = True) -> bytes:
    """Return a batch of one record, 45 bytes."""
    return batch(record(payload(number)), checked)


def five(checked: bool = True, eof: bytes = EOF_RECORD) -> bytearray:
    """Return five batches at 0, 45, 90, 135 and 180, and an EOF record at 225."""
    return bytearray(b"".join(batch_of(n, checked) for n in range(1, 6)) + eof)


def put(at: int, new: bytes) -> Edit:
    def edit(log: bytearray) -> None:
        log[at : at + len(new)] = new

    return edit


def both(*edits: Edit) -> Edit:
    def edit(log: bytearray) -> None:
        for each in edits:
            each(log)

    return edit


def size_of(number: int, size: int) -> Edit:
    return put(45 * (number - 1) + 16, struct.pack(">i", size))


def sum_of(number: int, checksum: int) -> Edit:
    return put(45 * (number - 1) + 20, struct.pack(">q", checksum))


def tail(new: bytes) -> Edit:
    return lambda log: log[:225] + new


FLIPPED = {n: put(45 * n - 1, b"!") for n in range(1, 6)}
INT_MAX = 2**31 - 1

# name, edit, numbers of the records, lost ranges, verdict, reason, end
ROWS: list[tuple[str, Edit, list[int], list[tuple[int, int]], str, str | None, int | None]] = [
    ("nothing", lambda log: log, [1, 2, 3, 4, 5], [], "intact", None, 225),
    ("no EOF record", tail(b""), [1, 2, 3, 4, 5], [], "intact", None, 225),
    ("EOF, zeros", tail(EOF_RECORD + bytes(99)), [1, 2, 3, 4, 5], [], "intact", None, 225),
    ("EOF, garbage", tail(EOF_RECORD + b"x" * 99), [1, 2, 3, 4, 5], [], "intact", None, 225),
    ("zeros, no EOF", tail(bytes(100)), [1, 2, 3, 4, 5], [], "intact", None, 225),
    ("five zeros", tail(bytes(5)), [1, 2, 3, 4, 5], [], "intact", None, 225),
    (
        "garbage", tail(b"x" * 40), [1, 2, 3, 4, 5], [(225, 265)], "damaged", "bad-header", None,
    ),
    ("one stray byte", tail(b"x"), [1, 2, 3, 4, 5], [(225, 226)], "damaged", "bad-header", None),
    ("payload of 2", FLIPPED[2], [1, 3, 4, 5], [(45, 90)], "damaged", "checksum-mismatch", 225),
    ("payload of 5", FLIPPED[5], [1, 2, 3, 4], [(180, 225)], "damaged", "checksum-mismatch", 225),
    (
        "high word of the sum", put(45 + 20, b"\0\0\0\1"), [1, 3, 4, 5], [(45, 90)],
        "damaged", "checksum-mismatch", 225,
    ),
    ("magic of 1", put(5, bytes(11)), [2, 3, 4, 5], [(0, 45)], "damaged", "bad-header", 225),
    ("magic of 2", put(50, bytes(11)), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-header", 225),
    ("magic of 5", put(185, bytes(11)), [1, 2, 3, 4], [(180, 225)], "damaged", "bad-header", 225),
    (
        "WRITE_BATCH", put(50, b"WRITE_BATCH"), [1, 3, 4, 5], [(45, 90)],
        "damaged", "bad-header", 225,
    ),
    ("header size", put(48, b"\x1d"), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-header", 225),
    ("header type", put(49, b"\x01"), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-header", 225),
    ("size 16", size_of(2, 16), [1, 3, 4, 5], [(45, 90)], "damaged", "checksum-mismatch", 225),
    (
        "size 16, sum 0", both(size_of(2, 16), sum_of(2, 0)), [1, 3, 4, 5], [(45, 90)],
        "damaged", "bad-record", 225,
    ),
    ("size 62", size_of(2, 62), [1, 3, 4, 5], [(45, 90)], "damaged", "checksum-mismatch", 225),
    (
        "size 62, sum 0", both(size_of(2, 62), sum_of(2, 0)), [1, 3, 4, 5], [(45, 90)],
        "damaged", "bad-record", 225,
    ),
    ("size 1000", size_of(2, 1000), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-size", 225),
    (
        "size 1000, sum 0", both(size_of(2, 1000), sum_of(2, 0)), [1, 3, 4, 5], [(45, 90)],
        "damaged", "bad-size", 225,
    ),
    ("size huge", size_of(2, 0x7FFF0000), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-size", 225),
    ("size of 5", size_of(5, 1000), [1, 2, 3, 4], [(180, 225)], "damaged", "bad-size", 225),
    ("size of 5: 18", size_of(5, 18), [1, 2, 3, 4], [(180, 225)], "damaged", None, 225),
    (
        "size of 5: 22, sum 0", both(size_of(5, 22), sum_of(5, 0)), [1, 2, 3, 4], [(180, 225)],
        "damaged", "bad-record", None,
    ),
    (
        "size 0, sum 0", both(size_of(2, 0), sum_of(2, 0)), [1, 3, 4, 5], [(45, 90)],
        "damaged", "bad-size", 225,
    ),
    (
        "size 0, sum 1", both(size_of(2, 0), sum_of(2, 1)), [1, 3, 4, 5], [(45, 90)],
        "damaged", "bad-size", 225,
    ),
    ("size 0", size_of(2, 0), [1, 3, 4, 5], [(45, 90)], "damaged", "checksum-mismatch", 225),
    ("size -1", size_of(2, -1), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-size", 225),
    ("size -8 of 5", size_of(5, -8), [1, 2, 3, 4], [(180, 225)], "damaged", "bad-size", 225),
    ("size max-32", size_of(2, INT_MAX - 32), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-size", 225),
    ("size max", size_of(2, INT_MAX), [1, 3, 4, 5], [(45, 90)], "damaged", "bad-size", 225),
    (
        "EOF in the middle", lambda log: log[:90] + EOF_RECORD + log[90:], [1, 2, 3, 4, 5],
        [(90, 95)], "damaged", "early-eof", 230,
    ),
    (
        "five zeros in the middle", lambda log: log[:90] + bytes(5) + log[90:], [1, 2, 3, 4, 5],
        [(90, 95)], "damaged", "zero-gap", 230,
    ),
    (
        "20 bytes between", lambda log: log[:90] + b"x" * 20 + log[90:], [1, 2, 3, 4, 5],
        [(90, 110)], "damaged", "bad-header", 245,
    ),
    (
        "1 byte between", lambda log: log[:90] + b"x" + log[90:], [1, 2, 3, 4, 5],
        [(90, 91)], "damaged", "bad-header", 226,
    ),
    (
        "40 bytes in front", lambda log: b"x" * 40 + log, [1, 2, 3, 4, 5],
        [(0, 40)], "damaged", "bad-header", 265,
    ),
    ("a zero byte", lambda log: b"\0", [], [], "intact", None, 0),
    ("zeros only", lambda log: bytes(100), [], [], "intact", None, 0),
    ("EOF only", lambda log: EOF_RECORD, [], [], "intact", None, 0),
    ("nothing at all", lambda log: b"", [], [], "intact", None, 0),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_outcome_table(answer: Reader, row: tuple) -> None:  # type: ignore[type-arg]
    _, edit, numbers, lost, verdict, reason, end = row
    log = five()
    edited = edit(log)
    log = log if edited is None else bytearray(edited)
    actual = answer(bytes(log))
    assert [r.payload for r in actual.records] == [payload(n) for n in numbers]
    assert [(x.start, x.end) for x in actual.lost] == lost
    assert actual.verdict == verdict
    assert actual.end == end
    if reason:
        assert actual.reason == reason


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("keep", range(1, 45))
def test_a_valid_batch_after_a_torn_one_survives(answer: Reader, keep: int, checked: bool) -> None:
    log = (
        batch_of(1, checked)
        + batch_of(2, checked)[:keep]
        + b"".join(batch_of(n, checked) for n in (3, 4, 5))
    )
    actual = answer(log + EOF_RECORD)
    assert [r.payload for r in actual.records] == [payload(n) for n in (1, 3, 4, 5)]
    assert [(x.start, x.end) for x in actual.lost] == [(45, 45 + keep)]
    assert actual.verdict == "damaged"
    assert actual.end == 45 + keep + 135


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("cut", range(0, 231))
def test_every_prefix_keeps_whole_records(answer: Reader, cut: int, checked: bool) -> None:
    actual = answer(bytes(five(checked)[:cut]))
    whole = min(cut // 45, 5)
    assert [r.payload for r in actual.records] == [payload(n) for n in range(1, whole + 1)]
    assert actual.end == 45 * whole
    # The three zero bytes at the start of a header look like preallocated space.
    if cut in (225, 230) or (cut % 45 <= 3 and cut < 225):
        assert (actual.verdict, actual.lost) == ("intact", ())
    else:
        assert actual.verdict == "torn"
        assert [(x.start, x.end) for x in actual.lost] == [(45 * whole, cut)]


@pytest.mark.parametrize("at", range(225))
def test_every_changed_byte_of_a_checked_file_is_detected(answer: Reader, at: int) -> None:
    """One wrong byte loses only its batch, and is always detected."""
    for change in (0x01, 0x80, 0xFF):
        log = five()
        log[at] ^= change
        actual = answer(bytes(log))
        number = at // 45 + 1
        remaining = [n for n in range(1, 6) if n != number]
        got = [r.payload for r in actual.records]
        if change & 0x80 and at % 45 == 20:
            # A negative checksum means none, so the batch is returned unchecked.
            assert got == [payload(n) for n in range(1, 6)]
            continue
        assert got == [payload(n) for n in remaining], (at, change)
        assert [(x.start, x.end) for x in actual.lost] == [(45 * number - 45, 45 * number)]
        assert actual.end == 225


INNER = batch(record(b"phantom"))


@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize(
    ("at", "new"),
    [
        (5, bytes(11)),
        (16, struct.pack(">i", 5000)),
        (16, struct.pack(">i", -1)),
        (16, struct.pack(">i", 0)),
        (0, bytes(28)),
    ],
)
@pytest.mark.parametrize("suffix", [b"", b"tail"])
def test_a_payload_yields_no_false_record(
    answer: Reader, at: int, new: bytes, suffix: bytes, checked: bool
) -> None:
    outer = bytearray(batch(record(b"copy: " + INNER + suffix), checked))
    outer[at : at + len(new)] = new
    actual = answer(batch_of(1, checked) + bytes(outer) + batch_of(3, checked) + EOF_RECORD)
    assert [r.payload for r in actual.records] == [payload(1), payload(3)]
    assert [(x.start, x.end) for x in actual.lost] == [(45, 45 + len(outer))]


def test_bare_header_in_a_payload_with_a_broken_magic(answer: Reader) -> None:
    outer = bytearray(batch(record(b"copy: " + INNER[:16] + b"tail")))
    outer[6] ^= 1
    actual = answer(batch_of(1) + bytes(outer) + batch_of(3) + EOF_RECORD)
    assert [r.payload for r in actual.records] == [payload(1), payload(3)]


@pytest.mark.parametrize("size", [0, 4, -1, -8, 2**31 - 33, 0x2D714D61, 3, 18, 100])
def test_a_wrong_record_size_under_a_valid_checksum(answer: Reader, size: int) -> None:
    """The bytes before it are as written; the rest of the batch is lost."""
    records = record(b"first") + struct.pack(">iB", size, 1) + b"twelve bytes" + record(b"third")
    actual = answer(batch_of(1) + batch(records) + batch_of(3) + EOF_RECORD)
    start = 45 + 28 + 10
    remaining = [payload(1), b"first", payload(3)]
    if size == 18:  # swallows one byte of the next record, which the checksum does not detect
        remaining.insert(2, b"twelve bytes\0")
        start += 18
    assert [r.payload for r in actual.records] == remaining
    assert [(x.start, x.end, x.reason) for x in actual.lost] == [
        (start, 45 + 28 + len(records), "bad-record")
    ]


@pytest.mark.parametrize("record_type", [0, 2, 3, 7, 9, 255])
def test_unknown_type_loses_only_that_record(answer: Reader, record_type: int) -> None:
    records = record(b"first") + record(b"second", record_type) + record(b"third")
    actual = answer(batch(records) + EOF_RECORD)
    assert [r.payload for r in actual.records] == [b"first", b"third"]
    assert [(x.start, x.end, x.reason) for x in actual.lost] == [(38, 49, "unknown-type")]


def test_strict_stops_at_the_first_damage(answer: Reader) -> None:
    log = five()
    log[89] ^= 1
    actual = answer(bytes(log), "strict")
    assert [r.payload for r in actual.records] == [payload(1)]
    assert [(x.start, x.end) for x in actual.lost] == [(45, 230)]
    assert (actual.verdict, actual.end) == ("damaged", None)


@pytest.mark.parametrize("length", [256, 512, 4096])
@pytest.mark.parametrize("written", [4, 5, 16, 17, 20, 24, 28, 33, 40, 44])
def test_torn_in_preallocated_space(answer: Reader, written: int, length: int) -> None:
    log = batch_of(1) + batch_of(2)[:written]
    actual = answer(log.ljust(length - 5, b"\0") + EOF_RECORD)
    assert actual.verdict == "torn"
    assert [r.payload for r in actual.records] == [payload(1)]
    assert actual.end == 45
