"""Test the properties of answers to any log, with any damage (spec/conventions.md, "Invariants").

There are two types of logs: damaged logs with known content, and logs of fragments that no writer
would combine. For the second type, only the consistency of the answer can be tested.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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

pytestmark = pytest.mark.slow

T = TypeVar("T")
# Checks the invariants of the answer for a log, and returns the answer (conftest.py).
Check = Callable[[bytes], Answer]
# The physical records, type and data, of an answer's records (conftest.py).
Fragments = Callable[[bytes, Answer], list[tuple[int, bytes]]]


def written(payloads: Sequence[bytes], before: bytes = b"") -> bytes:
    out = io.BytesIO(before)
    out.seek(len(before))
    writer = Writer(out, len(before))
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


def physical(record_type: int, data: bytes) -> bytes:
    return HEADER.pack(masked_crc(bytes([record_type]) + data), len(data), record_type) + data


def answer(log: bytes) -> Answer:
    return collect(read(io.BytesIO(log)))


def payloads(answer: Answer) -> list[bytes]:
    return [record.payload for record in answer.records]


def end_of(record: Record) -> int:
    return record.at + record.size


# --- logs -------------------------------------------------------------------------------------

small = st.binary(max_size=40)
long = st.builds(
    lambda size, seed: bytes((seed + i * i) & 0xFF for i in range(97)) * (size // 97 + 1),
    st.sampled_from([500, 5000, 32_700, 32_754, 32_761, 40_000, 70_000]),
    st.integers(0, 255),
)
plain_payload = st.one_of(small, small, long)
a_log_as_payload = st.lists(small, min_size=1, max_size=4).map(written)


@st.composite
def records(draw: st.DrawFn, payload: st.SearchStrategy[bytes] = plain_payload) -> list[bytes]:
    """Return records to write; some fill their block except for the few critical bytes."""
    payloads_drawn: list[bytes] = []
    position = 0
    for _ in range(draw(st.integers(0, 8))):
        new_payload = draw(payload)
        left = BLOCK_SIZE - position % BLOCK_SIZE
        if draw(st.integers(0, 3)) == 0 and left > 40:
            new_payload = b"\x5a" * (left - HEADER_SIZE - draw(st.integers(0, 15)))
        payloads_drawn.append(new_payload)
        position = len(written([new_payload], bytes(position)))
    return payloads_drawn


any_records = records(st.one_of(plain_payload, a_log_as_payload))

RECORD_TYPES = [FULL, FULL, FIRST, MIDDLE, LAST, 0, 5, 6, 9, 103, 255]
piece = st.one_of(
    st.builds(physical, st.sampled_from(RECORD_TYPES), small),
    st.builds(physical, st.sampled_from([FULL, FIRST, MIDDLE, LAST]), small),
    st.sampled_from([FIRST, MIDDLE, LAST]).map(lambda number: physical(number, b"")),
    st.builds(lambda number, data: physical(number, data)[:-1],
              st.sampled_from(RECORD_TYPES), small),
    st.integers(1, 40).map(bytes),
    st.binary(min_size=1, max_size=20),
    st.builds(lambda crc, length, number: HEADER.pack(crc, length, number),
              st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 30, 32761, 32762, 65535]),
              st.sampled_from(RECORD_TYPES)),
    st.sampled_from(["zeros", "garbage", "record", "first", "middle"]),
)  # fmt: skip


@st.composite
def patchwork(draw: st.DrawFn) -> bytes:
    """Return a log of pieces; a word stands for a piece that (nearly) fills its block."""
    log = b""
    for name in draw(st.lists(piece, max_size=14)):
        if isinstance(name, bytes):
            log += name
            continue
        left = BLOCK_SIZE - len(log) % BLOCK_SIZE
        if name in ("zeros", "garbage") or left < 40:
            log += (b"\0" if name != "garbage" else b"\xa5") * left
        else:
            record_type = {"record": FULL, "first": FIRST, "middle": MIDDLE}[name]
            log += physical(record_type, b"." * (left - HEADER_SIZE - draw(st.integers(0, 9))))
    return log


def is_subsequence(part: Iterable[T], whole: Iterable[T]) -> bool:
    rest = iter(whole)
    return all(any(each == other for other in rest) for each in part)


# --- sound logs -------------------------------------------------------------------------------


@given(any_records)
def test_written_records_are_read_back(check: Check, given_records: list[bytes]) -> None:
    log = written(given_records)
    actual = check(log)
    assert payloads(actual) == given_records
    assert (actual.verdict, actual.lost, actual.end) == ("intact", (), len(log))


@given(records(), st.integers(0, 8))
def test_a_writer_may_stop_and_continue_anywhere(given_records: list[bytes], first: int) -> None:
    before = written(given_records[:first])
    assert written(given_records[first:], before) == written(given_records)


# --- damage -----------------------------------------------------------------------------------


def must_survive(log: bytes, damaged: bytes, control: Answer) -> list[bytes]:
    """Return the records with no part in the rest of a block from its first changed byte on."""
    first: dict[int, int] = {}
    for at in range(len(log) - 1, -1, -1) if log != damaged else ():
        if log[at] != damaged[at]:
            first[at // BLOCK_SIZE] = at
    return [
        record.payload
        for record in control.records
        if all(
            min(end_of(record), (block + 1) * BLOCK_SIZE)
            <= first.get(block, (block + 1) * BLOCK_SIZE)
            or record.at >= (block + 1) * BLOCK_SIZE
            for block in range(record.at // BLOCK_SIZE, (end_of(record) - 1) // BLOCK_SIZE + 1)
        )
    ]


def check_in_place(check: Check, given_records: list[bytes], log: bytes, damaged: bytes) -> None:
    actual = check(damaged)
    assert is_subsequence(payloads(actual), given_records)
    assert is_subsequence(must_survive(log, damaged, answer(log)), payloads(actual))


def near_headers(log: bytes) -> list[int]:
    """Return offsets in and around headers, where a flipped bit has most effect."""
    ends = [end_of(record) for record in answer(log).records]
    blocks = range(0, len(log), BLOCK_SIZE)
    near = {at + by for at in [0, *ends, *blocks] for by in range(-3, 8)}
    return sorted(at for at in near if 0 <= at < len(log)) or [0]


@given(any_records.filter(bool), st.data())
def test_flipped_bits(check: Check, given_records: list[bytes], data: st.DataObject) -> None:
    log = written(given_records)
    damaged = bytearray(log)
    positions = st.one_of(st.sampled_from(near_headers(log)), st.integers(0, len(log) - 1))
    for at, bit in data.draw(st.lists(st.tuples(positions, st.integers(0, 7)), max_size=4)):
        damaged[at] ^= 1 << bit
    check_in_place(check, given_records, log, bytes(damaged))


@given(any_records.filter(bool), st.sampled_from([1, 7, 512, 4096, BLOCK_SIZE]), st.data())
def test_ranges_overwritten(
    check: Check, given_records: list[bytes], size: int, data: st.DataObject
) -> None:
    """Lost writes: a sector, or a few bytes, read as zeros or as something else."""
    log = written(given_records)
    unit = size if size > 7 else 1
    start = data.draw(st.integers(0, (len(log) - 1) // unit)) * unit
    if unit == 1 and data.draw(st.booleans()):
        start = data.draw(st.sampled_from(near_headers(log)))
    filling = data.draw(st.sampled_from([b"\0", b"\0", b"\xff", b"\1"]))
    damaged = (log[:start] + filling * size + log[start + size :])[: len(log)]
    check_in_place(check, given_records, log, damaged)


@given(any_records, st.data())
def test_truncation_keeps_the_whole_records_and_is_no_damage(
    check: Check, given_records: list[bytes], data: st.DataObject
) -> None:
    log = written(given_records)
    length = data.draw(st.one_of(st.sampled_from(near_headers(log)), st.integers(0, len(log))))
    length = min(length, len(log))
    actual = check(log[:length])
    whole = [record for record in answer(log).records if end_of(record) <= length]
    assert list(actual.records) == whole
    assert actual.verdict in ("intact", "torn")
    assert actual.end is not None and actual.end >= max(map(end_of, whole), default=0)


@given(any_records, st.integers(0, 3 * BLOCK_SIZE))
def test_preallocated_zeros_are_no_damage(
    check: Check, given_records: list[bytes], zeros: int
) -> None:
    log = written(given_records)
    actual = check(log + bytes(zeros))
    assert (actual.verdict, payloads(actual)) == ("intact", given_records)


@given(any_records, st.binary(min_size=1, max_size=60))
def test_garbage_after_the_log_loses_no_record(
    check: Check, given_records: list[bytes], tail: bytes
) -> None:
    actual = check(written(given_records) + tail)
    assert payloads(actual) == given_records


@given(records().filter(bool), st.binary(min_size=1, max_size=50), st.data())
def test_inserted_bytes(
    check: Check, given_records: list[bytes], new: bytes, data: st.DataObject
) -> None:
    log = written(given_records)
    at = data.draw(st.one_of(st.sampled_from(near_headers(log)), st.integers(0, len(log))))
    actual = check(log[:at] + new + log[at:])
    assert is_subsequence(payloads(actual), given_records)
    before = [r.payload for r in answer(log).records if end_of(r) <= at]
    assert payloads(actual)[: len(before)] == before


@given(records().filter(bool), st.data())
def test_dropped_bytes(
    check: Check, fragments_of: Fragments, given_records: list[bytes], data: st.DataObject
) -> None:
    """A missing fragment is undetectable, so fragments are compared."""
    log = written(given_records)
    start, end = cut(log, data)
    damaged = log[:start] + log[end:]
    actual = check(damaged)
    assert is_subsequence(fragments_of(damaged, actual), fragments_of(log, answer(log)))


@given(records().filter(bool), st.data())
def test_repeated_bytes(
    check: Check, fragments_of: Fragments, given_records: list[bytes], data: st.DataObject
) -> None:
    """A repeated fragment is undetectable; no fragment may be invented."""
    log = written(given_records)
    start, end = cut(log, data)
    damaged = log[:end] + log[start:]
    actual = check(damaged)
    assert set(fragments_of(damaged, actual)) <= set(fragments_of(log, answer(log)))


@given(records().filter(bool), records().filter(bool), st.data())
def test_bytes_of_another_log(
    check: Check,
    fragments_of: Fragments,
    given_records: list[bytes],
    others: list[bytes],
    data: st.DataObject,
) -> None:
    """Stale bytes, or another log from there on: every fragment is of one or the other."""
    log, other = written(given_records), written(others)
    start, end = cut(log, data)
    damaged = data.draw(
        st.sampled_from([log[:start] + other[start:end] + log[end:], log[:start] + other[start:]])
    )
    actual = check(damaged)
    known = set(fragments_of(log, answer(log))) | set(fragments_of(other, answer(other)))
    assert set(fragments_of(damaged, actual)) <= known


def cut(log: bytes, data: st.DataObject) -> tuple[int, int]:
    """Return a non-empty range, sometimes from header to header or of whole blocks."""
    position = st.one_of(
        st.integers(0, len(log)),
        st.sampled_from(near_headers(log)),
        st.sampled_from([*range(0, len(log), BLOCK_SIZE), len(log)]),
    )
    start, end = sorted((data.draw(position), data.draw(position)))
    return (start, end) if start < end else (max(0, start - 1), end + 1)


# --- no log at all ----------------------------------------------------------------------------


@given(patchwork())
@example(physical(FULL, b"a").ljust(BLOCK_SIZE, b"\0") + b"\1\2\3")
@example(physical(FIRST, b"a").ljust(BLOCK_SIZE, b"\0") + physical(LAST, b"b"))
@example(physical(FIRST, b"a").ljust(BLOCK_SIZE, b"\0") + b"\1\2\3")
@example(physical(FIRST, b"") + physical(FIRST, b""))
@example(bytes(2 * BLOCK_SIZE) + physical(FIRST, b""))
@example(physical(FIRST, b"a") + physical(103, b"?") + physical(LAST, b"b"))
@example(physical(FIRST, b"") + physical(MIDDLE, b"") + physical(FULL, b"a"))
def test_patchwork(check: Check, log: bytes) -> None:
    check(log)


@given(st.one_of(st.binary(max_size=200), st.randoms(use_true_random=False).map(
    lambda random: random.randbytes(random.choice([7, 300, 32768, 70_000])))))  # fmt: skip
def test_random_bytes(check: Check, log: bytes) -> None:
    check(log)
