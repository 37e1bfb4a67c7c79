"""Shared parts of the tests of the executable specification: a writer, answers, invariants."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, settings

from reference_impl.answer import Answer, Record, collect
from reference_impl.leveldb_log.layout import (
    BLOCK_SIZE,
    FIRST,
    FULL,
    HEADER,
    HEADER_SIZE,
    LAST,
    MIDDLE,
    masked_crc,
)
from reference_impl.leveldb_log.reader import (
    read_stream as read,
)
from reference_impl.leveldb_log.writer import (
    Writer,
)
from reference_impl.leveldb_log.writer import (
    append_stream as append,
)

# Type and data of a physical record.
Fragment = tuple[int, bytes]

# The same examples in every run, so that a failing build stays failing. To search further:
# WALPROOF_HYPOTHESIS=search pytest tests/reference_impl/leveldb_log/test_properties.py
settings.register_profile(
    "walproof",
    max_examples=200,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "search", settings.get_profile("walproof"), derandomize=False, max_examples=5000
)
settings.load_profile(os.environ.get("WALPROOF_HYPOTHESIS", "walproof"))


@pytest.fixture(scope="session")
def write() -> Callable[..., bytes]:
    """Return the bytes of a log of these records, after ``length`` existing bytes."""
    return lambda *payloads, length=0: written(payloads, length)


@pytest.fixture(scope="session")
def answer() -> Callable[..., Answer]:
    """Return the executable specification's answer for a log."""
    return answer_to


@pytest.fixture(scope="session")
def check() -> Callable[[bytes], Answer]:
    """Return the answer for a log after checking everything that holds for any log."""
    return check_invariants


def written(payloads: Sequence[bytes], length: int = 0) -> bytes:
    out = io.BytesIO()
    writer = Writer(out, length)
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


def answer_to(log: bytes, profile: str = "recover") -> Answer:
    return collect(read(io.BytesIO(log), profile))


def physical(record_type: int, data: bytes) -> bytes:
    return HEADER.pack(masked_crc(bytes([record_type]) + data), len(data), record_type) + data


def end_of(record: Record) -> int:
    return record.at + record.size


def fragments(log: bytes, record: Record) -> Iterator[Fragment]:
    """Yield the physical records of a record, with verified checksums and without trailers."""
    at, end = record.at, end_of(record)
    while at < end:
        left = BLOCK_SIZE - at % BLOCK_SIZE
        if left < HEADER_SIZE:
            at += left
            continue
        checksum, length, record_type = HEADER.unpack_from(log, at)
        to = at + HEADER_SIZE + length
        assert HEADER_SIZE + length <= left and to <= end
        assert masked_crc(log[at + 6 : to]) == checksum
        yield record_type, log[at + HEADER_SIZE : to]
        at = to


def is_framing(log: bytes, start: int, end: int) -> bool:
    """Return whether nothing in ``[start, end)`` can have held content."""
    if not any(log[start:]) and end == len(log):
        return True  # preallocated zeros
    at = start
    while at < end:
        left = BLOCK_SIZE - at % BLOCK_SIZE
        if left < HEADER_SIZE:
            at += left  # a trailer
        elif log[at : at + 7] in (physical(FIRST, b""), physical(MIDDLE, b"")):
            at += HEADER_SIZE  # the beginning of a record that was begun again
        else:
            return not any(log[at:]) and end == len(log)
    return True


def check_cover(log: bytes, answer: Answer) -> None:
    """Assert that records, lost ranges and framing tile the log."""
    spans = [(record.at, end_of(record)) for record in answer.records]
    assert spans == sorted(spans)
    spans = sorted(spans + [(gap.start, gap.end) for gap in answer.lost])
    reached = 0
    for start, end in [*spans, (len(log), len(log))]:
        assert reached <= start <= end <= len(log), "ranges overlap or leave the log"
        assert start == reached or is_framing(log, reached, start), (reached, start)
        reached = end
    assert all(gap.start < gap.end for gap in answer.lost)


def check_records(log: bytes, answer: Answer) -> None:
    """Assert that each record is in the log as it was returned."""
    for record in answer.records:
        types, parts = zip(*fragments(log, record), strict=True)
        assert types == (FULL,) or (types[0], types[-1]) == (FIRST, LAST)
        assert set(types[1:-1]) <= {MIDDLE}
        assert b"".join(parts) == record.payload


def check_verdict(log: bytes, answer: Answer) -> None:
    damage = [gap for gap in answer.lost if not gap.torn]
    if answer.verdict == "refused":
        assert answer == Answer("refused", "foreign-dialect", (), (), None)
        return
    if damage:
        assert answer.verdict == "damaged"
        assert answer.reason in {gap.reason for gap in damage}
    elif answer.lost:
        assert (answer.verdict, answer.reason) == ("torn", answer.lost[-1].reason)
    else:
        assert (answer.verdict, answer.reason) == ("intact", None)
    assert all(gap.torn == gap.reason.startswith("torn-") for gap in answer.lost)
    assert answer.end is not None or answer.verdict == "damaged"


def check_strict(log: bytes, answer: Answer) -> None:
    strict = answer_to(log, "strict")
    if answer.verdict != "damaged":
        assert strict == answer
        return
    (gap,) = strict.lost
    assert strict.records == answer.records[: len(strict.records)]
    assert all(end_of(record) <= gap.start for record in strict.records)
    assert (strict.verdict, strict.reason, strict.end) == ("damaged", answer.reason, None)
    assert (gap.reason, gap.end) == (answer.reason, len(log))


def check_end(log: bytes, answer: Answer) -> None:
    """Assert that truncating to ``end`` loses no record, and that appended records are read."""
    file = io.BytesIO(log)
    if answer.end is None:
        with pytest.raises(ValueError, match="new file"):
            append(file, [b"new"])
        assert file.getvalue() == log
        return
    assert all(end_of(record) <= answer.end for record in answer.records)
    cut = log[: answer.end]
    check_recovered_again(answer, answer_to(cut))
    new = [b"new", b"n" * 40_000, b""]
    append(file, new)
    assert file.getvalue() == cut + written(new, answer.end)
    assert [record.payload for record in answer_to(file.getvalue()).records] == [
        *(record.payload for record in answer.records),
        *new,
    ]


def check_recovered_again(answer: Answer, again: Answer) -> None:
    """Assert that the answer is the same without the removed tail.

    Two results may change if nothing follows the bytes before ``end``. Zeros in a gap become zeros
    at the end of the log. An empty FIRST fragment before another FIRST fragment becomes an
    unfinished record. No record is affected.
    """
    assert answer.end is not None and again.end is not None
    assert again.records == answer.records
    before, after = ([g for g in a.lost if g.start < answer.end] for a in (answer, again))
    if before and (before[-1].reason, before[-1].end) == ("zero-gap", answer.end):
        before.pop()
    if len(after) == len(before) > 0 and after[-1].reason == "torn-record" != before[-1].reason:
        assert (after[-1].start, after[-1].end) == (before[-1].start, before[-1].end)
        after.pop()
        before.pop()
    settled = max([*map(end_of, answer.records), *(gap.end for gap in before)], default=0)
    assert after[: len(before)] == before
    assert all(gap.torn and settled <= gap.start for gap in after[len(before) :])
    assert settled <= again.end <= answer.end


def check_invariants(log: bytes) -> Answer:
    answer = answer_to(log)
    check_verdict(log, answer)
    if answer.verdict != "refused":
        check_cover(log, answer)
    check_records(log, answer)
    check_strict(log, answer)
    check_end(log, answer)
    return answer
