"""Decoded records in the map."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

from reference_impl.leveldb_log.writer import Writer

Shown = Callable[..., list[str]]


def put(sequence: int, key: bytes, value: bytes) -> bytes:
    """Return a write batch of one put, with lengths below 128."""
    operation = bytes([1, len(key)]) + key + bytes([len(value)]) + value
    return struct.pack("<QI", sequence, 1) + operation


def log_of(*payloads: bytes) -> bytes:
    out = io.BytesIO()
    writer = Writer(out)
    for payload in payloads:
        writer.append(payload)
    return out.getvalue()


BATCHES = log_of(put(1, b"a", b"1"), put(2, b"b", b"2"), b"no batch", put(3, b"c", b"\x1b[31m"))


def test_decoded_record_follows_its_first_field(shown: Shown) -> None:
    for width in (None, 120):
        lines = shown(BATCHES, width=width)
        meaning_lines = [line for line in lines if line.startswith("» ")]
        assert meaning_lines == [
            '» record 0: put "a" = "1" (sequence 1)',
            '» record 1: put "b" = "2" (sequence 2)',
            '» record 3: put "c" = 0x1b5b33316d (sequence 3)',
        ]
        first = lines.index(meaning_lines[0])
        assert lines[first - 1].split()[2].endswith("records[0]")
        assert "header" in lines[first + 1]


def test_window_starts_with_its_decoded_record(shown: Shown) -> None:
    size = len(log_of(put(1, b"a", b"1")))
    meaning_lines = [line for line in shown(BATCHES, start=size) if line.startswith("» ")]
    assert meaning_lines[0] == '» record 1: put "b" = "2" (sequence 2)'
