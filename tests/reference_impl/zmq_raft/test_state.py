"""Hostile state files cost neither time nor memory."""

from __future__ import annotations

import time

import pytest

from .conftest import STATE


@pytest.mark.slow
def test_a_large_update_in_a_large_file_takes_linear_time(read):
    """One update of 4 MiB arrives in many pieces and is not decoded again for each of them."""
    big = b"\xdf\x00\x08\x00\x00" + b"".join(b"\xa4%04x\x01" % (n % 65536) for n in range(1 << 19))
    started = time.monotonic()
    answer = read(STATE + big + STATE, "s.pers")
    assert len(answer.records) == 11
    assert time.monotonic() - started < 20


def test_deep_nesting_and_endless_counts_are_harmless(read):
    for data in (
        b"\x81\xa1a" + b"\x91" * 500_000,
        b"\xdf\xff\xff\xff\xff",
        b"\x81\xdb\xff\xff\xff\xff",
    ):
        assert read(data, "s.pers").verdict in ("torn", "damaged")
