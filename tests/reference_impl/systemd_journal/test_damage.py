"""Wrong links are reported; any bytes are read, in linear time."""

import itertools
import random
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.recipes.systemd_journal.log import KEY, SEALED_START
from reference_impl.answer import Answer
from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes

pytestmark = pytest.mark.slow

FILES = [
    journal_bytes(*hello(8)),
    journal_bytes(*hello(8), compact=True, keyed=True, compression="zstd"),
    journal_bytes(*hello(6), [b"MESSAGE=" + b"x" * 700], compression="lz4", keyed=True),
    journal_bytes(*hello(6), [b"MESSAGE=" + b"x" * 700], compression="xz"),
    journal_bytes(*hello(8), header_size=272, state=1, spare=512),
    journal_bytes(*hello(8), header_size=272, compact=True, state=2),
    journal_bytes(*hello(6), first=SEALED_START, step=6_000_000, key=KEY, continuous=False),
]
WHOLE = [{record.payload for record in answer(data).records} for data in FILES]


def sound(data: bytes, result: Answer) -> None:
    """Assert the invariants of spec/conventions.md that hold for every input."""
    ranges = [(gap.start, gap.end) for gap in result.lost]
    assert ranges == sorted(ranges)
    assert all(0 <= start < end <= len(data) for start, end in ranges)
    assert all(first[1] <= two[0] for first, two in itertools.pairwise(ranges))
    assert (result.reason is None) == (result.verdict == "intact")
    if result.verdict in ("intact", "refused"):
        assert not result.lost
    if result.verdict == "damaged":
        assert result.lost
    assert [r.at for r in result.records] == sorted({r.at for r in result.records})


def check(number: int, data: bytes) -> Answer:
    began = time.monotonic()
    recovered, strict = answer(data), answer(data, "strict")
    assert time.monotonic() - began < 2
    sound(data, recovered)
    sound(data, strict)
    assert len(strict.records) <= len(recovered.records)
    for record in recovered.records:
        if record.payload not in WHOLE[number]:
            # Missing fields, and an item that leads to the value of another entry, are both
            # reported.
            assert recovered.verdict != "intact", record
    return recovered


@pytest.mark.parametrize("number", range(len(FILES)))
def test_wrong_links_are_reported(number: int) -> None:
    chance = random.Random(number + 100)
    for _ in range(600):
        data = bytearray(FILES[number])
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data) // 8) * 8
            value = chance.choice(
                [chance.randrange(len(data)) & ~7, 1 << chance.randrange(64), 0, at, 2**64 - 1]
            )
            data[at : at + 8] = value.to_bytes(8, "little")
        check(number, bytes(data))


@given(st.binary(max_size=600))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_read(data: bytes) -> None:
    sound(data, answer(data))


@given(st.binary(max_size=600), st.integers(0, 6))
@settings(max_examples=200, deadline=None)
def test_any_bytes_after_a_real_header(data: bytes, number: int) -> None:
    whole = FILES[number][:264] + data
    sound(whole, answer(whole))


def test_overlapping_objects_take_no_quadratic_time() -> None:
    """Every eight bytes a header of a DATA that extends to the end of the file."""
    base = journal_bytes(*hello(3), data_buckets=1)
    end = len(base) + (1 << 20)
    chain = b"".join(
        b"\x01" + bytes(7) + (end - at).to_bytes(8, "little") for at in range(len(base), end, 16)
    )
    data = bytearray(base + chain)
    data[96:104] = (len(data) - 264).to_bytes(8, "little")
    data[136:144] = (len(data) - 64).to_bytes(8, "little")
    began = time.monotonic()
    sound(bytes(data), answer(bytes(data)))
    assert time.monotonic() - began < 20


def test_work_is_linear() -> None:
    """Count function calls, not seconds, which depend on other load."""

    def calls(count: int) -> int:
        data = journal_bytes(*hello(count), data_buckets=count, field_buckets=4)
        seen = itertools.count()
        sys.setprofile(lambda frame, event, given: next(seen) if "call" in event else None)
        try:
            answer(data)
        finally:
            sys.setprofile(None)
        return next(seen)

    calls(10)
    assert calls(2000) < 4.2 * calls(500)
