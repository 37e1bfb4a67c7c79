"""Test the properties of answers to any log, with any damage (spec/conventions.md, "Invariants").

There are two types of logs: damaged logs with known content, and logs of fragments that no writer
would combine. For the second type, only the consistency of the answer can be tested.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference_impl.answer import Answer, collect
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

# Checks the invariants of the answer for a log, and returns the answer (conftest.py).
Check = Callable[[bytes], Answer]


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
