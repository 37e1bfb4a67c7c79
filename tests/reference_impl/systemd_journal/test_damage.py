"""Damaged files are read in linear time."""

import itertools
import sys
import time

import pytest

from tests.reference_impl.systemd_journal.journal_files import answer, hello, journal_bytes

pytestmark = pytest.mark.slow


def test_overlapping_objects_take_no_quadratic_time() -> None:
    """The file has a DATA header every 16 bytes, each of which claims the rest of the file."""
    base = journal_bytes(*hello(3), data_buckets=1)
    end = len(base) + (1 << 20)
    chain = b"".join(
        b"\x01" + bytes(7) + (end - at).to_bytes(8, "little") for at in range(len(base), end, 16)
    )
    data = bytearray(base + chain)
    data[96:104] = (len(data) - 264).to_bytes(8, "little")
    data[136:144] = (len(data) - 64).to_bytes(8, "little")
    began = time.process_time()
    assert answer(bytes(data)).verdict == "damaged"
    assert time.process_time() - began < 20


def test_work_is_linear() -> None:
    """Four times as many entries take at most 4.2 times as many function calls.

    The test counts calls, because the time depends on other load.
    """

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
