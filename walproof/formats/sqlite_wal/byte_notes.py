"""Notes on the fields of a SQLite write-ahead log (spec/sqlite-wal.md)."""

from __future__ import annotations

import re

from conformance.kaitai.field_map import Field
from reference_impl.sqlite_wal.layout import (
    FRAME_HEADER_SIZE,
    HEADER_SIZE,
    MAGIC,
    PAGE_SIZES,
    SALTS,
    VERSION,
    FrameHeader,
    State,
    advance,
    covered,
    order_of,
)
from walproof.inspection.log_bytes import LogBytes
from walproof.inspection.note import NOTHING, Note

_FRAME = re.compile(r"frames\[\d+\]")
_SALTS_IN_HEADER = slice(16, 24)
_CHECKSUM_IN_HEADER = 24
#: Offsets of the fields of a frame's header.
_IN_FRAME = {"page_number": 0, "db_pages": 4, "salt_1": 8, "salt_2": 12, "checksum_1": 16,
             "checksum_2": 20}  # fmt: skip
_WORDS = {"<": "little-endian words", ">": "big-endian words"}


class SqliteNotes:
    """Notes on each frame, checked against the checksum in the frame before it (SQW-009)."""

    def unit(self, field: Field, log: LogBytes) -> Note | None:
        """Return a note with the content of a slot and the fault of its frame."""
        if not _FRAME.fullmatch(field.path):
            return None
        frame = FrameHeader.of(log[field.start : field.start + FRAME_HEADER_SIZE])
        name = f"commit, database of {frame.db_pages} pages" if frame.db_pages else "frame"
        if not frame.has_salts(log[_SALTS_IN_HEADER]):
            is_blank = not any(log[field.start : field.start + 16])
            return Note("no frame" if is_blank else f"{name}, other salts")
        if frame.page == 0:
            return Note(f"{name}, page number 0", False)
        computed = _computed(log, field.start, field.end)
        if computed is None:
            return Note(f"{name}, unchecked")
        if computed != frame.checksum:
            return Note(f"{name}, checksum does not hold", False)
        return Note(name)

    def value(self, field: Field, log: LogBytes) -> Note:
        """Check a field of the header of the log or of a frame."""
        unit, _, name = field.path.rpartition(".")
        number = int.from_bytes(log[field.start : field.end], "big")
        if unit == "header":
            return _in_header(name, number, log)
        if not unit.endswith(".header"):
            return NOTHING
        start = field.start - _IN_FRAME[name]
        if name.startswith("salt"):
            at = _SALTS_IN_HEADER.start + _IN_FRAME[name] - _IN_FRAME["salt_1"]
            is_same = log[at : at + 4] == log[field.start : field.end]
            return Note("" if is_same else "not that of the header", None, f"0x{number:08x}")
        if name.startswith("checksum"):
            end = start + FRAME_HEADER_SIZE + _page_size(log)
            return _half(name, number, _computed(log, start, end))
        return Note("commit") if name == "db_pages" and number else NOTHING


def _in_header(name: str, number: int, log: LogBytes) -> Note:
    """Return the note on a field of the header of a log (SQW-002, SQW-003)."""
    if name == "magic":
        is_right = number & ~1 == MAGIC
        return Note(_WORDS[order_of(number)] if is_right else "", is_right, f"0x{number:08x}")
    if name == "version":
        return Note("" if number == VERSION else f"expected {VERSION}", number == VERSION)
    if name == "page_size":
        is_right = number in PAGE_SIZES
        return Note("" if is_right else "not a power of two from 512 to 65536", is_right)
    if name.startswith("salt"):
        return Note("", None, f"0x{number:08x}")
    if name.startswith("checksum"):
        start = log[0:_CHECKSUM_IN_HEADER]
        return _half(name, number, advance((0, 0), start, order_of(start[3])))
    return NOTHING


def _half(name: str, number: int, computed: State | None) -> Note:
    if computed is None:
        return Note("unchecked", None, f"0x{number:08x}")
    expected = computed[0 if name == "checksum_1" else 1]
    text = "holds" if expected == number else f"≠ 0x{expected:08x}"
    return Note(text, expected == number, f"0x{number:08x}")


def _page_size(log: LogBytes) -> int:
    return int.from_bytes(log[8:12], "big")


def _computed(log: LogBytes, start: int, end: int) -> State | None:
    """Return the checksum of a frame; None if the frame is cut or the salts before it differ."""
    slot = log[start:end]
    if len(slot) < end - start:
        return None
    before = _CHECKSUM_IN_HEADER
    if start > HEADER_SIZE:
        before = start - len(slot) + _IN_FRAME["checksum_1"]
        earlier = FrameHeader.of(log[before - 16 : before + 8])
        if not earlier.has_salts(slot[SALTS]):
            return None
    elif log[_SALTS_IN_HEADER] != slot[SALTS]:
        return None
    stored = log[before : before + 8]
    state = int.from_bytes(stored[:4], "big"), int.from_bytes(stored[4:], "big")
    return advance(state, covered(slot), order_of(log[3:4][0]))


NOTES = SqliteNotes()
