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


@pytest.fixture(name="fragments_of", scope="session")
def fragments_of_fixture() -> Callable[[bytes, Answer], list[Fragment]]:
    """Return a function that lists the physical records of an answer's records."""
    return lambda log, found: [
        fragment for record in found.records for fragment in fragments(log, record)
    ]


def written(payloads: Sequence[bytes], length: int = 0) -> bytes:
    out = io.BytesIO()
    writer = Writer(out, length)
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


def answer_to(log: bytes, profile: str = "recover") -> Answer:
    return collect(read(io.BytesIO(log), profile))


def physical(kind: int, data: bytes) -> bytes:
    return HEADER.pack(masked_crc(bytes([kind]) + data), len(data), kind) + data


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
        checksum, length, kind = HEADER.unpack_from(log, at)
        to = at + HEADER_SIZE + length
        assert HEADER_SIZE + length <= left and to <= end
        assert masked_crc(log[at + 6 : to]) == checksum
        yield kind, log[at + HEADER_SIZE : to]
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


def check_cover(log: bytes, found: Answer) -> None:
    """Assert that records, lost ranges and framing tile the log."""
    spans = [(record.at, end_of(record)) for record in found.records]
    assert spans == sorted(spans)
    spans = sorted(spans + [(gap.start, gap.end) for gap in found.lost])
    reached = 0
    for start, end in [*spans, (len(log), len(log))]:
        assert reached <= start <= end <= len(log), "ranges overlap or leave the log"
        assert start == reached or is_framing(log, reached, start), (reached, start)
        reached = end
    assert all(gap.start < gap.end for gap in found.lost)


def check_records(log: bytes, found: Answer) -> None:
    """Assert that each record is in the log as it was returned."""
    for record in found.records:
        kinds, parts = zip(*fragments(log, record), strict=True)
        assert kinds == (FULL,) or (kinds[0], kinds[-1]) == (FIRST, LAST)
        assert set(kinds[1:-1]) <= {MIDDLE}
        assert b"".join(parts) == record.payload


def check_verdict(log: bytes, found: Answer) -> None:
    damage = [gap for gap in found.lost if not gap.torn]
    if found.verdict == "refused":
        assert found == Answer("refused", "foreign-dialect", (), (), None)
        return
    if damage:
        assert found.verdict == "damaged"
        assert found.reason in {gap.reason for gap in damage}
    elif found.lost:
        assert (found.verdict, found.reason) == ("torn", found.lost[-1].reason)
    else:
        assert (found.verdict, found.reason) == ("intact", None)
    assert all(gap.torn == gap.reason.startswith("torn-") for gap in found.lost)
    assert found.end is not None or found.verdict == "damaged"


def check_strict(log: bytes, found: Answer) -> None:
    strict = answer_to(log, "strict")
    if found.verdict != "damaged":
        assert strict == found
        return
    (gap,) = strict.lost
    assert strict.records == found.records[: len(strict.records)]
    assert all(end_of(record) <= gap.start for record in strict.records)
    assert (strict.verdict, strict.reason, strict.end) == ("damaged", found.reason, None)
    assert (gap.reason, gap.end) == (found.reason, len(log))


def check_end(log: bytes, found: Answer) -> None:
    """Assert that truncating to ``end`` loses no record, and that appended records are read."""
    file = io.BytesIO(log)
    if found.end is None:
        with pytest.raises(ValueError, match="new file"):
            append(file, [b"new"])
        assert file.getvalue() == log
        return
    assert all(end_of(record) <= found.end for record in found.records)
    cut = log[: found.end]
    check_recovered_again(found, answer_to(cut))
    new = [b"new", b"n" * 40_000, b""]
    append(file, new)
    assert file.getvalue() == cut + written(new, found.end)
    assert [record.payload for record in answer_to(file.getvalue()).records] == [
        *(record.payload for record in found.records),
        *new,
    ]


def check_recovered_again(found: Answer, again: Answer) -> None:
    """Assert the same answer without the removed tail.

    Two types of bytes before ``end`` change their meaning if nothing follows them. Zeros in a gap
    now fill the end of the log, and an empty FIRST that was begun again is now an unfinished
    record. Neither can hold a record.
    """
    assert found.end is not None and again.end is not None
    assert again.records == found.records
    kept, now = ([g for g in a.lost if g.start < found.end] for a in (found, again))
    if kept and (kept[-1].reason, kept[-1].end) == ("zero-gap", found.end):
        kept.pop()
    if len(now) == len(kept) > 0 and now[-1].reason == "torn-record" != kept[-1].reason:
        assert (now[-1].start, now[-1].end) == (kept[-1].start, kept[-1].end)
        now.pop()
        kept.pop()
    settled = max([*map(end_of, found.records), *(gap.end for gap in kept)], default=0)
    assert now[: len(kept)] == kept
    assert all(gap.torn and settled <= gap.start for gap in now[len(kept) :])
    assert settled <= again.end <= found.end


def check_invariants(log: bytes) -> Answer:
    found = answer_to(log)
    check_verdict(log, found)
    if found.verdict != "refused":
        check_cover(log, found)
    check_records(log, found)
    check_strict(log, found)
    check_end(log, found)
    return found
