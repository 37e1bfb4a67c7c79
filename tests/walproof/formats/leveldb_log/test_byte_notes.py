"""Notes on the fields of a log."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.leveldb_log.layout import HEADER, masked_crc
from tests.walproof.formats.field_notes import notes_of
from walproof.inspection.note import Note


def record(record_type: int, data: bytes, *, length: int | None = None, flip: int = 0) -> bytes:
    checksum = masked_crc(bytes([record_type]) + data) ^ flip
    return HEADER.pack(checksum, len(data) if length is None else length, record_type) + data


FILLED = record(1, b"a" * 32_755)
CROSSES = "crosses block end 32768"


@pytest.mark.parametrize(
    ("log", "field", "text", "holds"),
    [
        (record(1, b"a", length=40_000), "records[0]", "FULL, length crosses the block", False),
        (record(1, b"a", length=40_000), "records[0].header.len_data", CROSSES, False),
        (record(1, b"a", length=40_000), "records[0].header.checksum", "unchecked", None),
        (record(1, b"a", length=9), "records[0]", "FULL, cut short", False),
        (record(7, b"a"), "records[0]", "type 7", False),
        (record(0, b"a"), "records[0].header.type", "unknown type", False),
        (bytes(9), "records[0]", "zero header", None),
        (bytes(9), "records[0].header.checksum", "", None),
        (bytes(9), "zero_fill", "zeros", None),
        (bytes(8) + b"a", "zero_fill", "not only zeros", False),
        (record(1, b"a") + b"\x01\x02", "trailer", "start of a header", False),
        (record(1, b"a") + bytes(2), "trailer", "zeros", None),
        (FILLED + b"\x01" * 6, "trailer", "not zeros, skipped all the same", None),
        (FILLED + bytes(6), "trailer", "zeros", None),
    ],
)  # fmt: skip
def test_note_of_each_field(
    log: bytes, field: str, text: str, holds: bool | None, tmp_path: Path
) -> None:
    (tmp_path / "000003.log").write_bytes(log)
    note = notes_of(tmp_path / "000003.log", "leveldb-log")[f"blocks[0].{field}"]
    assert (note.text, note.holds) == (text, holds)


def test_wrong_checksum_shows_the_expected_value(tmp_path: Path) -> None:
    (tmp_path / "000003.log").write_bytes(record(1, b"a", flip=1))
    notes = notes_of(tmp_path / "000003.log", "leveldb-log")
    expected = masked_crc(b"\x01a")
    note = Note(f"≠ 0x{expected:08x}", False, f"0x{expected ^ 1:08x}")
    assert notes["blocks[0].records[0].header.checksum"] == note
