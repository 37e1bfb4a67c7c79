"""Properties of every log: nothing is invented, and every fault of one bit shows."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from reference_impl.answer import Answer, Record
from tests.reference_impl.sqlite_wal.conftest import EXAMPLE, SLOT_BYTES, answer, at, flipped

WRITTEN = answer(EXAMPLE)
SEEDS = range(300)


def content(record: Record) -> tuple[bytes, tuple[int, ...], int]:
    return record.payload, tuple(record.fields["pages"]), record.fields["db_pages"]


ORDER = {content(record): number for number, record in enumerate(WRITTEN.records)}


def check(log: bytes, read: Answer) -> None:
    """The rules of conventions.md for an answer to a log that was made of the example."""
    lost = sorted((one.start, one.end) for one in read.lost)
    assert all(0 <= start < end <= len(log) for start, end in lost)
    assert all(one[1] <= other[0] for one, other in pairwise(lost))
    if read.end is not None:
        again = answer(log[: read.end])
        assert (again.verdict, again.records) == ("intact", read.records)
    assert (read.verdict == "damaged") <= (read.end is None)
    strict = answer(log, "strict")
    unmarked = [one for one in read.records if "after_loss" not in one.fields]
    assert list(strict.records) == unmarked[: len(strict.records)]
    if read.verdict != "damaged":
        assert strict == read


def check_records(read: Answer) -> None:
    """Each record was written, none twice, and those without a mark in an unbroken row."""
    numbers = [ORDER[content(record)] for record in read.records]
    assert len(set(numbers)) == len(numbers)
    unmarked = [
        number
        for number, record in zip(numbers, read.records, strict=True)
        if "after_loss" not in record.fields
    ]
    assert unmarked == list(range(len(unmarked)))


@pytest.mark.parametrize("byte", range(0, 568))
def test_a_flipped_bit_in_header_and_first_slot(byte: int) -> None:
    for bit in range(8):
        log = flipped(EXAMPLE, byte, bit)
        read = answer(log)
        assert read.verdict == "damaged"
        check(log, read)
        check_records(read)


def test_a_flipped_bit_anywhere_is_never_intact() -> None:
    for byte in range(568, len(EXAMPLE)):
        in_image = (byte - 32) % SLOT_BYTES >= 24
        for bit in range(0, 8, 7) if in_image else range(8):
            log = flipped(EXAMPLE, byte, bit)
            read = answer(log)
            assert read.verdict in ("damaged", "torn")
            check(log, read)
            check_records(read)


def test_every_prefix_keeps_what_was_committed() -> None:
    for length in range(0, len(EXAMPLE) + 1, 7):
        log = EXAMPLE[:length]
        read = answer(log)
        assert read.verdict in ("intact", "torn")
        whole = [one for one in WRITTEN.records if one.at + one.size <= length]
        assert list(read.records) == whole
        check(log, read)


def damaged(seed: int) -> bytes:
    """The example with one to three faults."""
    chance = random.Random(seed)
    log = bytearray(EXAMPLE)
    for _ in range(chance.randint(1, 3)):
        one, other = chance.randint(1, 7), chance.randint(1, 7)
        first, second = bytes(log[at(one) :][:SLOT_BYTES]), bytes(log[at(other) :][:SLOT_BYTES])
        fault = chance.randrange(6)
        if fault == 0:
            log[chance.randrange(len(log))] ^= 1 << chance.randrange(8)
        elif fault == 1:
            start = chance.randrange(0, len(log), 512)
            log[start : start + 512] = bytes(len(log[start : start + 512]))
        elif fault == 2 and len(first) == len(second):
            log[at(one) : at(one) + SLOT_BYTES], log[at(other) : at(other) + SLOT_BYTES] = (
                second,
                first,
            )
        elif fault == 3:
            log[at(one) : at(one)] = first
        elif fault == 4:
            del log[at(one) : at(one) + SLOT_BYTES]
        else:
            log[at(one) + 4 * chance.randrange(6) :][:4] = chance.randbytes(4)
    return bytes(log)


@pytest.mark.parametrize("seed", SEEDS)
def test_several_faults(seed: int) -> None:
    log = damaged(seed)
    read = answer(log)
    check(log, read)
    check_records(read)
    assert answer(log) == read
