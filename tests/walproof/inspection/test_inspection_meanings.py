"""Decoded records on the terminal and on the page."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator

from reference_impl.answer import Event, Record
from reference_impl.leveldb_log.writer import Writer
from walproof.inspection.inspection import MAX_COLUMNS, Meanings

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


def test_records_are_read_on_request() -> None:
    read: list[int] = []

    def events() -> Iterator[Event]:
        for number in range(9):
            read.append(number)
            yield Record(30 * number, 30, put(number, b"key", b"value"))

    meanings = Meanings("leveldb-log", events)
    assert not read
    assert meanings.of(5) == 'put "key" = "value" (sequence 5)'
    assert read == list(range(6))
    assert meanings.of(9) is None


def test_long_decoded_record_is_cut() -> None:
    record = Record(0, 200, put(1, b"k" * 100, b"v" * 100))
    meanings = Meanings("leveldb-log", lambda: [record])
    text = meanings.of(0)
    assert text is not None and len(text) <= MAX_COLUMNS
