"""Run LevelDB's own tests of its log format, google/leveldb ``db/log_test.cc``, row by row.

LevelDB's tests compare the number of dropped bytes and a message. These tests compare the lost
range and its reason code. The numbers differ: LevelDB counts only the data of a fragment, while a
lost range includes the header. Two groups of tests are left out: ``ReadError``, because the reader
does not catch an ``OSError``, and ``ReadStart`` … ``ReadPastEnd`` and ``SkipIntoMultiRecord``,
because an answer covers a whole log and has no ``initial_offset``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from reference_impl.answer import Answer
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    masked_crc,
)

Write = Callable[..., bytes]
Answers = Callable[..., Answer]
LostRanges = list[tuple[int, int, str]]


def big_string(partial: bytes, size: int) -> bytes:
    return (partial * (size // len(partial) + 1))[:size]


def number_string(number: int) -> bytes:
    return b"%d." % number


def with_right_checksum(log: bytearray, header: int, length: int) -> bytes:
    covered = bytes(log[header + 6 : header + 7 + length])
    log[header : header + 4] = masked_crc(covered).to_bytes(4, "little")
    return bytes(log)


def payloads(answer: Answer) -> list[bytes]:
    return [record.payload for record in answer.records]


def lost(answer: Answer) -> LostRanges:
    return [(gap.start, gap.end, gap.reason) for gap in answer.lost]


@pytest.fixture
def reads_back(write: Write, answer: Answers) -> Callable[[Sequence[bytes]], None]:
    def reads_back(records: Sequence[bytes]) -> None:
        log = write(*records)
        actual = answer(log)
        assert payloads(actual) == list(records)
        assert (actual.verdict, actual.reason, actual.end) == ("intact", None, len(log))

    return reads_back


ReadsBack = Callable[[Sequence[bytes]], None]


def test_empty(answer: Answers) -> None:
    assert answer(b"") == Answer("intact", None, (), (), 0)


def test_read_write(reads_back: ReadsBack) -> None:
    reads_back([b"foo", b"bar", b"", b"xxxx"])


def test_many_blocks(reads_back: ReadsBack) -> None:
    reads_back([number_string(i) for i in range(100_000)])


def test_fragmentation(reads_back: ReadsBack) -> None:
    reads_back([b"small", big_string(b"medium", 50_000), big_string(b"large", 100_000)])


def test_marginal_trailer(write: Write, reads_back: ReadsBack) -> None:
    foo = big_string(b"foo", BLOCK_SIZE - 2 * HEADER_SIZE)
    assert len(write(foo)) == BLOCK_SIZE - HEADER_SIZE
    reads_back([foo, b"", b"bar"])


def test_marginal_trailer_2(reads_back: ReadsBack) -> None:
    reads_back([big_string(b"foo", BLOCK_SIZE - 2 * HEADER_SIZE), b"bar"])


def test_short_trailer(write: Write, reads_back: ReadsBack) -> None:
    foo = big_string(b"foo", BLOCK_SIZE - 2 * HEADER_SIZE + 4)
    assert len(write(foo)) == BLOCK_SIZE - HEADER_SIZE + 4
    reads_back([foo, b"", b"bar"])


def test_aligned_eof(write: Write, reads_back: ReadsBack) -> None:
    foo = big_string(b"foo", BLOCK_SIZE - 2 * HEADER_SIZE + 4)
    assert len(write(foo)) == BLOCK_SIZE - HEADER_SIZE + 4
    reads_back([foo])


def test_open_for_append(write: Write, answer: Answers) -> None:
    log = write(b"hello")
    log += write(b"world", length=len(log))
    assert payloads(answer(log)) == [b"hello", b"world"]


def test_random_read(reads_back: ReadsBack) -> None:
    rng = random.Random(301)
    sizes = [rng.randrange(1 << rng.randrange(18)) for _ in range(500)]
    reads_back([big_string(number_string(i), size) for i, size in enumerate(sizes)])


def test_bad_record_type(write: Write, answer: Answers) -> None:
    log = bytearray(write(b"foo"))
    log[6] += 100
    actual = answer(with_right_checksum(log, 0, 3))
    assert (actual.verdict, payloads(actual)) == ("damaged", [])
    assert lost(actual) == [(0, 10, "unknown-type")]
    assert actual.end == 10


def test_truncated_trailing_record_is_ignored(write: Write, answer: Answers) -> None:
    actual = answer(write(b"foo")[:-4])  # all payload and a byte of the header
    assert (actual.verdict, payloads(actual), actual.end) == ("torn", [], 0)
    assert lost(actual) == [(0, 6, "torn-header")]


def test_bad_length(write: Write, answer: Answers) -> None:
    log = bytearray(write(big_string(b"bar", BLOCK_SIZE - HEADER_SIZE), b"foo"))
    log[4] += 1
    actual = answer(bytes(log))
    assert (actual.verdict, payloads(actual)) == ("damaged", [b"foo"])
    assert lost(actual) == [(0, BLOCK_SIZE, "bad-length")]
    assert actual.end == len(log)


def test_bad_length_at_end_is_ignored(write: Write, answer: Answers) -> None:
    actual = answer(write(b"foo")[:-1])
    assert (actual.verdict, payloads(actual), actual.end) == ("torn", [], 0)
    assert lost(actual) == [(0, 9, "torn-payload")]


def test_checksum_mismatch(write: Write, answer: Answers) -> None:
    log = bytearray(write(b"foo"))
    log[0] = (log[0] + 10) & 0xFF
    actual = answer(bytes(log))
    assert (actual.verdict, payloads(actual), actual.end) == ("damaged", [], None)
    assert lost(actual) == [(0, 10, "checksum-mismatch")]


@pytest.mark.parametrize("record_type", [MIDDLE, LAST])
def test_unexpected_middle_type_and_last_type(
    write: Write, answer: Answers, record_type: int
) -> None:
    log = bytearray(write(b"foo"))
    log[6] = record_type
    actual = answer(with_right_checksum(log, 0, 3))
    assert (actual.verdict, payloads(actual)) == ("damaged", [])
    assert lost(actual) == [(0, 10, "orphan-fragment")]


@pytest.mark.parametrize(
    "second", [b"bar", big_string(b"bar", 100_000)], ids=["FullType", "FirstType"]
)
def test_unexpected_full_type_and_first_type(write: Write, answer: Answers, second: bytes) -> None:
    log = bytearray(write(b"foo", second))
    log[6] = FIRST
    actual = answer(with_right_checksum(log, 0, 3))
    assert (actual.verdict, payloads(actual)) == ("damaged", [second])
    assert lost(actual) == [(0, 10, "incomplete-record")]
    assert actual.end == len(log)


def test_missing_last_is_ignored(write: Write, answer: Answers) -> None:
    log = write(big_string(b"bar", BLOCK_SIZE))[:-14]  # the LAST block, header included
    assert len(log) == BLOCK_SIZE
    actual = answer(log)
    assert (actual.verdict, payloads(actual), actual.end) == ("torn", [], 0)
    assert lost(actual) == [(0, BLOCK_SIZE, "torn-record")]


def test_partial_last_is_ignored(write: Write, answer: Answers) -> None:
    log = write(big_string(b"bar", BLOCK_SIZE))[:-1]
    actual = answer(log)
    assert (actual.verdict, payloads(actual), actual.end) == ("torn", [], 0)
    assert lost(actual) == [(0, len(log), "torn-payload")]


def test_error_joins_records(write: Write, answer: Answers) -> None:
    """FIRST(R1) LAST(R1) FIRST(R2) LAST(R2), and the two in the middle disappear."""
    log = bytearray(
        write(big_string(b"foo", BLOCK_SIZE), big_string(b"bar", BLOCK_SIZE), b"correct")
    )
    log[BLOCK_SIZE : 2 * BLOCK_SIZE] = b"x" * BLOCK_SIZE
    actual = answer(bytes(log))
    assert payloads(actual) == [b"correct"]
    last = actual.records[0].at
    assert lost(actual) == [
        (0, BLOCK_SIZE, "incomplete-record"),
        (BLOCK_SIZE, 2 * BLOCK_SIZE, "checksum-mismatch"),
        (2 * BLOCK_SIZE, last, "orphan-fragment"),
    ]
    assert actual.reason == "checksum-mismatch", "the first met, not the first in the log"
    # LevelDB tolerates between 2 blocks and 100 bytes more.
    assert 2 * BLOCK_SIZE < last <= 2 * BLOCK_SIZE + 100
